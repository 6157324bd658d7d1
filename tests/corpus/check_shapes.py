#!/usr/bin/python3
"""Shapes that follow from a model alone, against those of onnx.shape_inference.

    check_shapes.py BINARY SHARED

Every model is read as if its exporter had stated only the shapes of its inputs and outputs.
Where both know a size it is the same, and as many nodes have all their shapes here as
there.  A size in the model's own terms ("2*N") counts as known, since it gives bytes as
well.  Exit status 77 when SHARED or python3-onnx is absent.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

try:
    import onnx
    from onnx import shape_inference
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

BINARY, SHARED = sys.argv[1:3]
failures = []


def check(case, what, holds, detail=""):
    if not holds:
        failures.append(case)
        print(f"FAILED {case}: {what} {detail}")


def ours(path):
    """Name -> list of sizes as text, of the main graph; None where the rank is open."""
    done = subprocess.run([BINARY, "--dump", "shapes", path], capture_output=True, text=True,
                          check=True)
    found = {}
    for line in done.stdout.splitlines():
        m = re.match(r"0 (.*) (?:\[(.*)\]|\?)$", line)
        if m:
            sizes = m.group(2)
            found[m.group(1)] = sizes if sizes is None else sizes.split(", ") if sizes else []
    return found


def theirs(model):
    try:
        model = shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # onnx refuses some opsets
        print(f"    onnx: {str(error)[:80]}")
    found = {}
    for value in [*model.graph.value_info, *model.graph.output, *model.graph.input]:
        kind = value.type.tensor_type
        if value.type.HasField("tensor_type") and kind.HasField("shape"):
            found[value.name] = [d.dim_value if d.HasField("dim_value") else None
                                 for d in kind.shape.dim]
    return found


def agree(mine, other):
    if mine is None:
        return True
    return len(mine) == len(other) and all(
        b is None or not a.isdigit() or int(a) == b for a, b in zip(mine, other))


def check_model(path, folder):
    case = "/".join(path.split("/")[-2:])
    model = onnx.load(path, load_external_data=False)
    del model.graph.value_info[:]
    bare = os.path.join(folder, "bare.onnx")
    onnx.save(model, bare)
    mine, other = ours(bare), theirs(model)
    known = other_known = compared = 0
    for node in model.graph.node:
        outputs = [o for o in node.output if o]
        known += all(mine.get(o) is not None and "?" not in mine[o] for o in outputs)
        other_known += all(o in other and None not in other[o] for o in outputs)
        for o in outputs:
            compared += o in other and mine.get(o) is not None
            check(case, f"{node.op_type} {o}", o not in other or agree(mine.get(o), other[o]),
                  f"{mine.get(o)} {other.get(o)}")
    check(case, "as many are known as onnx knows", known >= other_known, f"{known} {other_known}")
    check(case, "something was compared", compared > 0)
    print(f"  {case:48} {len(model.graph.node):5} nodes, {known:5} known, onnx {other_known:5}")
    return known


def main():
    paths = sorted(glob.glob(f"{SHARED}/models/*.onnx") + glob.glob(f"{SHARED}/corpus/*/model.onnx"))
    if not paths:
        print(f"{SHARED} is absent")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        known = sum(check_model(path, folder) for path in paths)
    print(f"{known} nodes known, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
