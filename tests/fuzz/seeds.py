#!/usr/bin/python3
"""Puts the first inputs of a fuzz target into a folder: seeds.py TARGET FOLDER

They are our own fixtures, taken apart or put together as the target wants them.
"""
import glob
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIXTURES = os.path.join(ROOT, "fixtures")
SMALL = 32 * 1024
WRITERS = 12  # in fuzz_writers.c

# What a reader's target starts from: globs below fixtures/.
FILES = {
    "onnx": ["**/*.onnx"],
    "onnx_graph": ["**/*.onnx"],
    "onnx_write": ["**/*.onnx"],
    "onnx_hide": ["**/*.onnx"],
    "trt_json": ["**/engine*.json", "engine/*.json"],
    "trt_log": ["**/*.log", "log/*.txt", "forms/*.txt"],
    "profile": ["**/profile*.json", "**/times*.json", "forms/*"],
    "metadata": ["forms/metadata.json"],
    "tuning": ["routes/*.jsonl"],
    "snapshot": ["gate/*.fsd"],
    "log": ["**/*.log", "log/*.txt", "forms/dryrun.txt"],
    "cut": ["**/*.log", "log/*.txt", "**/engine*.json", "engine/*.json"],
    "session": ["ort/*.log", "ort/assignment.json"],
    "policy": ["gate/*.ini"],
    "values": ["values/*"],
    "inspector_text": ["log/inspector*.log", "log/two-engines.log"],
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def found(patterns):
    paths = set()
    for pattern in patterns:
        paths |= set(glob.glob(os.path.join(FIXTURES, pattern), recursive=True))
    # doubling.onnx is all limit: an input of seconds, which teaches nothing.
    return sorted(p for p in paths if os.path.isfile(p) and "doubling" not in p
                  and os.path.getsize(p) < SMALL)


def pairs():
    """An ONNX model and its engine: the model's size in four bytes, both files; and with
    the build's log and profile behind a 0x1d each."""
    for model in found(["*/model.onnx", "synthetic/*/model.onnx"]):
        folder, head = os.path.dirname(model), read(model)
        beside = [os.path.join(folder, name) for name in ("engine.log", "profile.json")]
        for engine in found([os.path.relpath(folder, FIXTURES) + "/engine*.json"]):
            pair = len(head).to_bytes(4, "little") + head + read(engine)
            yield pair
            if all(os.path.exists(path) for path in beside):
                yield pair + b"".join(b"\x1d" + read(path) for path in beside)


def writers():
    """Each pair for each writer, and a model with weights in other files."""
    outside = read(os.path.join(FIXTURES, "cut", "outside.onnx"))
    tensors = [[{"Name": name, "Dimensions": [2, 3], "Format/Datatype": "Row major linear FP32"}] for name in "xy"]
    engine = json.dumps({"Layers": [{"Name": "sum + scaled", "LayerType": "PointWise", "Inputs": tensors[0],
                                     "Outputs": tensors[1]}], "Bindings": ["x", "y"]}).encode()
    for pair in list(pairs()) + [len(outside).to_bytes(4, "little") + outside + engine]:
        for writer in range(WRITERS):
            yield bytes([writer]) + pair


def strings(value):
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def layer_names():
    """Names of layers after the names that stand in them."""
    for path in found(FILES["trt_json"]):
        try:
            names = sorted(set(strings(json.loads(read(path)))))
        except ValueError:
            continue
        for name in names[::5]:
            if " + " in name or "(" in name or "[" in name:
                words = name.replace("(", " ").replace(",", " ").split()
                yield "\n".join(words + [name]).encode()


def inputs(target):
    if target == "pair":
        return pairs()
    if target == "writers":
        return writers()
    if target == "layer_name":
        return layer_names()
    return (read(path) for path in found(FILES.get(target, [])))


def main():
    target, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    for i, data in enumerate(inputs(target)):
        with open(os.path.join(folder, "seed-%03d" % i), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
