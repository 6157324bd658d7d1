"""sizes.py BINARY FOLDER: sizes that an engine of an open batch leaves open, against the engine of the same network built
at the size that the first is tuned for: kernels that both have must be as large, with the model and from the log alone."""
import json
import os
import re
import subprocess
import sys

import check
import models

# Of models.py those whose first sizes are 1, and may as well be open.
OPENED = ("residual", "branches", "quantized", "half_quantized", "squeezed")
TUNED = 4


def with_batch(draw, batch):
    proto = draw()
    for tensor in (*proto.graph.input, *proto.graph.output):
        dim = tensor.type.tensor_type.shape.dim[0]
        assert dim.dim_value == 1
        if isinstance(batch, str):
            dim.dim_param = batch
        else:
            dim.dim_value = batch
    return proto


def build(folder, name, batch):
    case = os.path.join(folder, "sizes", f"{name}.{batch}")
    os.makedirs(case, exist_ok=True)
    with open(os.path.join(case, "model.onnx"), "wb") as file:
        file.write(with_batch(models.MODELS[name], batch).SerializeToString())
    check.check(check.build(case, os.path.join(case, "model.onnx"), [os.path.join(check.HERE, "build.py")]),
                f"{name} of {batch} is built")
    return case


def layers(binary, case, alone):
    inputs = [os.path.join(case, "build.log")] if alone else \
        [os.path.join(case, "model.onnx"), os.path.join(case, "build.log")]
    done = subprocess.run([binary, *inputs, "-f", "json"], capture_output=True, text=True, check=False)
    found = {}
    for layer in json.loads(done.stdout)["layers"]:
        if layer["kind"] not in ("sync", "shape", "noop"):
            found.setdefault(re.sub(r"_myl\d+_\d+$", "", layer["name"]), []).append(layer)
    return found


def ports(layer):
    return [port.get("sizes", port["dims"]) for port in layer["inputs"] + layer["outputs"]]


def compare(binary, name, folder, alone):
    """How many kernels are the same, and how many sizes were open."""
    opened = layers(binary, build(folder, name, "batch"), alone)
    fixed = layers(binary, build(folder, name, TUNED), alone)
    same = were_open = 0
    how = f"{name}{', log alone' if alone else ''}"
    for kernel, found in opened.items():
        for layer in found:
            unknown = [p["name"] for p in layer["inputs"] + layer["outputs"] if -1 in p["dims"] and "sizes" not in p]
            were_open += sum("sizes" in p for p in layer["inputs"] + layer["outputs"])
            check.check(not unknown, f"{how}: sizes of {unknown}")
            check.check("bytes" in layer and "macs" in layer, f"{how}: bytes and multiply-adds of {layer['name']}")
        twins = fixed.get(kernel, [])
        for layer, twin in zip(found, twins) if len(found) == len(twins) else ():
            same += 1
            check.check(ports(layer) == ports(twin), f"{how}: {layer['name']}: {ports(layer)}, not {ports(twin)}")
            for key in ("bytes", "macs"):
                check.check(layer.get(key) == twin.get(key),
                            f"{how}: {layer['name']}: {key} {layer.get(key)}, not {twin.get(key)}")
    return same, were_open


def main():
    binary, folder = sys.argv[1:3]
    same = were_open = 0
    for name in OPENED:
        for alone in (False, True):
            n = compare(binary, name, folder, alone)
            same, were_open = same + n[0], were_open + n[1]
    check.check(same >= 40 and were_open >= 100, f"{same} kernels alike, {were_open} open tensors")
    print(f"{same} kernels of an open and of a fixed batch are alike, {were_open} open sizes shown, "
          f"{check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
