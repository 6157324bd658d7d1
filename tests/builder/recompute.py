#!/usr/bin/python3
"""The reasons of attentions that are not one kernel, recomputed from model and dump.

    recompute.py BINARY [--shared DIR] [-v]

Runs in a python with onnx.  Of each engine of the zoos, `patterns` says which attentions are split and why.  Here the same is
found without the binary: by onnx's own inference of types and shapes, and by the Metadata of the builder's log.  Fails where
a block is said to be split that one kernel holds, or has other rules than are found here, and where a report's summary
does not state that attentions are split."""
import argparse
import collections
import glob
import json
import lzma
import math
import os
import re
import subprocess
import sys

import onnx

DIMENSIONS = re.compile(r"Dimensions: \[([-\d,]*)\]")
PORTS = re.compile(r"Inputs: \[(.*)\], Constants: \[.*\], Outputs: \[(.*)\], TacticName")
META = re.compile(r"\[ONNX Layer: ([^\]]*)\]")
FLOAT8E4M3FN = 17  # which older versions of onnx do not name
KEPT = {"Tanh", "Relu", "Sigmoid", "Erf", "Elu", "Mish", "Pow"}
MOVES = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Expand"}
# What a product by repeated heads may have beside it: no more than the two products and the Softmax compute.
BESIDE = {*MOVES, "Cast", "MatMul", "Softmax", "QuantizeLinear", "DequantizeLinear"}


def kernels(path):
    """The nodes of each layer, by Metadata, and the sizes of what it reads and writes."""
    opened = lzma.open(path, "rt", errors="surrogateescape") if path.endswith(".xz") else open(path, errors="surrogateescape")
    with opened as lines:
        return [({n.split(" | ")[0] for n in META.findall(line)},
                 *([[int(n) if n != "-1" else None for n in dims.split(",") if n] for dims in DIMENSIONS.findall(part)]
                   for part in (PORTS.findall(line) or [()])[0]))
                for line in lines if line.startswith("Name: ")]


class Model:
    def __init__(self, path):
        model = onnx.load(path, load_external_data=False)
        try:
            model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        except Exception:  # a model of operators that onnx does not know
            pass
        g = self.graph = model.graph
        self.opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
        self.types, self.shapes = {}, {}
        for v in list(g.value_info) + list(g.input) + list(g.output):
            t = v.type.tensor_type
            self.types[v.name] = t.elem_type
            if t.HasField("shape"):
                self.shapes[v.name] = [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in t.shape.dim]
        for t in g.initializer:
            self.types[t.name], self.shapes[t.name] = t.data_type, list(t.dims)
        self.outputs = {o.name for o in g.output}
        self.producer = {o: n for n in g.node for o in n.output}
        self.readers = collections.defaultdict(list)
        for n in g.node:
            for t in n.input:
                self.readers[t].append(n)

    def size(self, tensor, back):
        """A size counted from the last one; None where it is not known or not fixed."""
        shape = self.shapes.get(tensor)
        size = shape[-1 - back] if shape and back < len(shape) else None
        return size if isinstance(size, int) else None

    def rank(self, tensor):
        return len(self.shapes.get(tensor) or ())

    def quantized(self, tensor):
        for _ in range(16):
            n = self.producer.get(tensor)
            if n is not None and n.op_type.endswith("DequantizeLinear"):
                made = self.producer.get(n.input[0])
                return self.types.get(n.input[0]) or (self.types.get(made.input[2]) if made and len(made.input) > 2 else 0)
            if n is None or n.op_type not in MOVES:
                return 0
            tensor = n.input[0]
        return 0


def add_sizes(m, layers, product):
    """What onnx does not infer, from the kernel that multiplies."""
    name = product.name or "node_of_" + product.output[0]
    for nodes, *ports in layers:
        if name not in nodes or len(ports) != 2 or len(ports[0]) != 2 or len(ports[1]) != 1:
            continue
        (a, b), (c,) = ports
        if len(a) < 2 or len(a) != len(b) or len(a) != len(c) or a[-1] != b[-2] or [a[-2], b[-1]] != c[-2:]:
            continue
        for tensor, sizes in zip((*product.input, product.output[0]), (a, b, c)):
            known = m.shapes.get(tensor)
            if not known or not all(isinstance(s, int) for s in known[-2:]):
                m.shapes[tensor] = sizes
        return


def rules(m, block, layers):
    """The rules that apply; None where a size is missing."""
    nodes = [m.graph.node[i] for i in block["nodes"]]
    products = [n for n in nodes if n.op_type == "MatMul"]
    softmax = [n for n in nodes if n.op_type == "Softmax"]
    if len(products) != 2 or len(softmax) != 1:
        return None
    order = {n.output[0]: i for i, n in enumerate(m.graph.node)}
    first, last = products
    for product in products:
        add_sizes(m, layers, product)
    q, k, p, v = first.input[0], first.input[1], last.input[0], last.input[1]
    d, e, scores = m.size(q, 0), m.size(v, 0), m.shapes.get(first.output[0])
    if None in (d, e) or not scores:
        return None
    eight = [m.quantized(t) for t in (q, k, p, v)]
    whole = all(eight)
    keys, queries = m.size(first.output[0], 0), m.size(first.output[0], 1)
    axis = next((a.i for a in softmax[0].attribute if a.name == "axis"), 1 if m.opset < 13 else -1)
    at = [order[n.output[0]] for n in (first, softmax[0], last)]
    inner = [m.graph.node[i] for i in range(at[0], at[2]) if i in block["nodes"]]
    int8, fp8 = whole and eight[0] == onnx.TensorProto.INT8, whole and eight[0] == FLOAT8E4M3FN
    heads = m.size(q, 2)
    found = {
        "width": max(d, e) > 256,
        "between": any(n.op_type in KEPT and at[0] < order[n.output[0]] < at[1] for n in nodes),
        "axis": axis not in (-1, len(scores) - 1),
        "token": keys == queries == 1,
        "single": all(isinstance(s, int) for s in scores[:-2]) and math.prod(scores[:-2]) == 1,
        "type": m.types.get(first.output[0]) == onnx.TensorProto.FLOAT and not whole,
        "head": d <= 8 and not fp8,
        "sizes": d != e,
        "broadcast": bool(heads and heads > 1 and 1 in (m.size(k, 2), m.size(v, 2))) and (
            len(scores) != 4 or scores[0] == 1 or any(n.op_type not in BESIDE for n in inner)),
        "output": any(n.output[0] in m.outputs for n in inner),
        "part-quantized": any(eight[:2]) and not whole,
        "int8": int8 and (d not in (16, 32, 64) or (keys or 0) > 512 or queries == 1),
        "fp8": fp8 and queries != 1 and (keys is None or keys < 32),
        "behind": bool(eight[2]) and any(at[1] < order[n.output[0]] < at[2] for n in nodes),
        "shared": m.types.get(first.output[0]) != onnx.TensorProto.FLOAT and m.rank(q) == 3 and any(
            n.op_type == "MatMul" and n.output[0] != first.output[0] and n.input[0] == q and m.rank(n.input[1]) == 3
            for n in m.readers[q]),
    }
    return {"attention/" + rule for rule, applies in found.items() if applies}


def summary(binary, model, log):
    """The lines with which the report begins."""
    out = subprocess.run([binary, model, log, "-q"], capture_output=True, text=True)
    return out.stdout.split("\n\n", maxsplit=1)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--shared", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    cases = sorted(c for zoo in ("zoo", "zoo-2", "zoo-4") for c in glob.glob(os.path.join(args.shared, zoo, "cases/*")))
    counts, wrong = collections.Counter(), 0
    for case in cases:
        log = glob.glob(os.path.join(case, "build.log*"))[0]
        out = subprocess.run([args.binary, "patterns", os.path.join(case, "model.onnx"), log, "-f", "json"], capture_output=True,
                             text=True)
        split = [b for b in json.loads(out.stdout)["blocks"] if b["pattern"] == "attention" and b["fused"] == "split"]
        if not split:
            continue
        if "attention" not in summary(args.binary, os.path.join(case, "model.onnx"), log):
            wrong += 1
            print(f"{os.path.basename(case)}: the summary does not state that attentions are split")
        m, layers = Model(os.path.join(case, "model.onnx")), kernels(log)
        for block in split:
            said = {r["rule"] for r in block["reasons"]}
            mine = rules(m, block, layers)
            core = {n.name or "node_of_" + n.output[0] for n in (m.graph.node[i] for i in block["nodes"])
                    if n.op_type in ("MatMul", "Softmax")}
            one = any(core <= nodes for nodes, *_ in layers)
            counts["not recomputed: a size is missing" if mine is None else "recomputed"] += 1
            if mine is None and args.v:
                print(f"{os.path.basename(case)} {block.get('called')}: no sizes")
            counts["without a reason"] += not said
            if one or (mine is not None and mine != said):
                wrong += 1
                print(f"{os.path.basename(case)} {block.get('called')}: {sorted(said)}, here {sorted(mine or [])}"
                      f"{', one kernel' if one else ''}")
    for key, n in sorted(counts.items()):
        print(f"{n:5} {key}")
    print(f"{wrong} differ")
    if not cases:
        print("no engines: nothing was compared")
        return 0
    return 1 if wrong or not counts["recomputed"] else 0


if __name__ == "__main__":
    sys.exit(main())
