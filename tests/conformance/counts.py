"""counts.py BINARY FOLDER SHARED [CACHE]: multiply-adds, weights and activations against formulas, onnx and onnx-tool.

Of each model of SHARED, and of the light zoo, that the suite has built (conformance/run goes first): the
multiply-adds of each node as BINARY's report has them, as the formula over onnx's inferred sizes has them, and as
onnx-tool counts them; the sizes of weights, and of what nodes make, against onnx.  Prints a row a model.
Exit status 1 where a formula, or onnx, differs by a node; what onnx-tool counts otherwise is only shown."""
import collections
import contextlib
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import warnings

import numpy
import onnx
from onnx import shape_inference

import cases
import engines


def sizes_of(model, inputs):
    """name -> sizes, by onnx's inference with the inputs' sizes bound."""
    bound = onnx.ModelProto()
    bound.CopyFrom(model)
    for value in bound.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, inputs.get(value.name, ())):
            dim.dim_value = size
    del bound.graph.value_info[:]
    full = shape_inference.infer_shapes(bound, data_prop=True)
    found = {t.name: list(t.dims) for t in full.graph.initializer}
    for v in [*full.graph.input, *full.graph.value_info, *full.graph.output]:
        dims = v.type.tensor_type.shape.dim
        if v.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in dims):
            found[v.name] = [d.dim_value for d in dims]
    return found


def formula(node, sizes):
    """Multiply-adds of a product, each sum over all it sums; None where a size is not known, 0 of all else."""
    x, w = (sizes.get(node.input[k]) if k < len(node.input) else None for k in (0, 1))
    y = sizes.get(node.output[0])
    attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type not in ("Conv", "ConvTranspose", "Gemm", "MatMul", "LSTM", "GRU", "RNN"):
        return 0
    if x is None or w is None or y is None:
        return None
    if node.op_type == "Conv":
        return math.prod(y) * math.prod(w[1:])
    if node.op_type == "ConvTranspose":
        return math.prod(x) * math.prod(w[1:])
    if node.op_type in ("LSTM", "GRU", "RNN"):
        return x[0] * x[1] * (math.prod(w) + math.prod(sizes[node.input[2]]))
    return math.prod(y) * x[-2 if attrs.get("transA") else -1]


def by_onnx_tool(model, inputs):
    """Node -> what onnx-tool counts; None, with its words, where it gives up."""
    import onnx_tool
    warnings.filterwarnings("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            counted = onnx_tool.Model(model, {"constant_folding": False, "verbose": False})
            counted.graph.shape_infer({name: numpy.zeros(dims, dtype) for name, (dims, dtype) in inputs.items()})
            counted.graph.profile()
        except Exception as error:      # whatever it stumbles over
            return None, f"{type(error).__name__}: {str(error)[:60]}"
    return {name: node.macs[0] for name, node in counted.graph.nodemap.items()}, ""


def filled(path, shared):
    spec = importlib.util.spec_from_file_location("build_engine", os.path.join(shared, "zoo", "build_engine.py"))
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    model = onnx.load(path, load_external_data=False)
    tool.fill(model, 7)
    return model


def shapes_used(case, folder, model):
    """The sizes that the builder tuned for."""
    weights = {t.name for t in model.graph.initializer}
    told = {}
    if os.path.exists(os.path.join(folder, "info.json")):
        with open(os.path.join(folder, "info.json"), encoding="utf-8") as file:
            told = {k: v["shape"][1] for k, v in json.load(file).get("profile", {}).items() if "shape" in v}
    out = {}
    for v in model.graph.input:
        if v.name not in weights:
            dims = told.get(v.name) or [d.dim_value for d in v.type.tensor_type.shape.dim]
            out[v.name] = (dims, onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type))
    return out


def count(binary, case, folder, shared):
    model = filled(case.path, shared) if case.suite == "shared" else onnx.load(case.path)
    inputs = shapes_used(case, folder, model)
    sizes = sizes_of(model, {k: v[0] for k, v in inputs.items()})
    done = subprocess.run([binary, case.path, os.path.join(folder, "build.log"), "-f", "json"], capture_output=True,
                          check=False)
    nodes = [n for n in json.loads(done.stdout)["nodes"] if n["index"] < len(model.graph.node)]
    theirs, why = by_onnx_tool(model, inputs)
    n = collections.Counter()
    kinds = collections.Counter()
    for told, node in zip(nodes, model.graph.node):
        macs, right = told.get("macs"), formula(node, sizes)
        if right or macs:
            n["products"] += 1
            n["macs"] += int(macs or 0)
            n["formula"] += right or 0
            n["unknown"] += right is None
            n["differ"] += right is not None and int(macs or 0) != right
        counted = (theirs or {}).get(node.name or node.output[0], 0)
        n["tool"] += counted
        if right:
            n["tool products"] += counted
            n["tool differs"] += theirs is not None and counted != right
        else:
            kinds[node.op_type] += counted
        for port in [*told["inputs"], *told["outputs"]]:
            if port.get("name") in sizes:
                n["tensors"] += 1
                told_dims = port.get("dims")    # an open size stays open in a report
                n["tensors differ"] += told_dims is None or len(told_dims) != len(sizes[port["name"]]) or any(
                    isinstance(a, int) and a >= 0 and a != b for a, b in zip(told_dims, sizes[port["name"]]))
    return n, kinds, why


def main():
    binary, folder, shared = sys.argv[1:4]
    made = engines.Engines(sys.argv[4] if len(sys.argv) > 4 else folder, shared)
    bad = 0
    print("| model | products | multiply-adds | by formula | onnx-tool, the same nodes | onnx-tool, all | of that beside | tensors that differ from onnx |")
    print("|---|---:|---:|---:|---:|---:|---|---:|")
    for case in cases.collect(folder, shared):
        outcome = made.outcome(case) if case.suite in ("shared", "light") else None
        if not outcome or outcome["outcome"] != "built":
            continue
        n, kinds, why = count(binary, case, made.folder(case), shared)
        bad += n["differ"] + n["tensors differ"]
        beside = ", ".join(f"{op} {v:,.0f}" for op, v in kinds.most_common(3) if v) or "-"
        tool = (f"{n['tool products']:,.0f}" + (f" ({n['tool differs']} nodes differ)" if n["tool differs"] else "")
                if not why else f"fails: {why}")
        print(f"| {case.name} | {n['products']} | {n['macs']:,} | {n['formula']:,}"
              f"{' (%d differ)' % n['differ'] if n['differ'] else ''}"
              f"{' (%d nodes have no size in onnx)' % n['unknown'] if n['unknown'] else ''} | {tool} | "
              f"{n['tool']:,.0f} | {beside} | {n['tensors differ']} of {n['tensors']} |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
