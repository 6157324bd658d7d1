#!/usr/bin/python3
"""Simulates the build of an engine: fuse.py MODEL --seed N -o DIR

Writes engine.json, engine.names.json, engine.log, profile.json and truth.json into DIR, and
model.onnx if it generates the model.
"""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from fuser import build, models, net, truth  # noqa: E402


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("model", nargs="?", help="an ONNX file")
    p.add_argument("--generate", metavar="KIND",
                   help="make the model: " + ", ".join(models.KINDS + models.SCALE_KINDS))
    p.add_argument("--style", help="how it is named: counter path dynamo unnamed dup "
                   "hostile marks")
    p.add_argument("--size", type=int, default=0,
                   help="layers of a chain, nodes of a region")
    p.add_argument("--seed", default="1")
    p.add_argument("--generation", type=float, help="TensorRT version: 8.2 ... 11")
    p.add_argument("-o", dest="out", required=True, metavar="DIR")
    return p.parse_args()


def case(seed, kind=None, number=None, size=0, style=None):
    """Generates a model and simulates its build. Returns (ModelProto, Result)."""
    rng = random.Random("model %s" % seed)
    kind = kind or rng.choice(models.KINDS)
    model = models.make(kind, rng, size, style)
    scale = kind if kind in models.SCALE_KINDS else None
    n = net.Net(model if scale else net.infer(model))
    return model, build.build(n, seed, number, scale)


def given(path, seed, number=None):
    """Simulates the build of an ONNX file. Returns (ModelProto, Result)."""
    model = net.read(path)
    return model, build.build(net.Net(net.infer(model)), seed, number)


def write(folder, result, model=None):
    os.makedirs(folder, exist_ok=True)

    def put(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8",
                  newline="\n") as f:
            f.write(text)

    if model is not None:
        with open(os.path.join(folder, "model.onnx"), "wb") as f:
            f.write(model.SerializeToString(deterministic=True))
    put("engine.json", result.engine)
    put("engine.names.json", result.names)
    put("engine.log", result.log)
    put("profile.json", result.profile)
    put("truth.json", truth.text(result.truth))


def main():
    a = arguments()
    if bool(a.model) == bool(a.generate):
        sys.exit("fuse.py: give either a MODEL or --generate KIND")
    if a.generate:
        model, result = case(a.seed, a.generate, a.generation, a.size, a.style)
        write(a.out, result, model)
    else:
        write(a.out, given(a.model, a.seed, a.generation)[1])


if __name__ == "__main__":
    main()
