#!/usr/bin/python3
"""ONNX Runtime's optimized models as engines of the models that they were made of.

    check_ort.py BINARY SHARED SCHEMA

The truth is from the two files alone, by operators and by the tensors that both have: a
layer that writes a tensor of the model computes the node that writes it there; a layer
that multiplies computes one node that does, and no other layer computes it; what a layer
activates or adds up it computes an operator for.  Exit status 77 when SHARED or
python3-onnx is absent.
"""
import glob
import os
import sys

from harness import SHARED, check, failures, read_report, run

try:
    import onnx
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

MOVES = {"ReorderInput", "ReorderOutput", "MemcpyToHost", "MemcpyFromHost", "Cast", "Transpose",
         "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"}
MULTIPLY = {"Conv": "Conv", "FusedConv": "Conv", "QLinearConv": "Conv", "ConvTranspose": "ConvTranspose",
            "Gemm": "MatMul Gemm", "FusedGemm": "MatMul Gemm", "QGemm": "MatMul Gemm",
            "MatMul": "MatMul", "FusedMatMul": "MatMul Transpose Mul Div", "QLinearMatMul": "MatMul"}


def attribute(node, name):
    return next((a for a in node.attribute if a.name == name), None)


def is_blocked(node):
    return node.domain == "com.microsoft.nchwc"


def check_tensors(case, model, layers, report):
    """Layers that write what the model has compute its maker."""
    maker = {t: i for i, n in enumerate(model.node) for t in n.output if t}
    for i, node in enumerate(layers):
        made = {maker[t] for t in node.output if t in maker}
        if made and node.op_type not in MOVES:
            linked = {n["index"] for n in report["layers"][i]["nodes"]}
            check(case, f"layer {i} ({node.name}) computes what it writes", made <= linked,
                  f"made {made}, linked {linked}")


def check_operators(case, model, layers, report):
    """Each layer does what its operator says, and no other layer does that."""
    done = {}
    for i, node in enumerate(layers):
        # Nodes of bodies are numbered behind those of the graph.
        main = [n["index"] for n in report["layers"][i]["nodes"] if n["index"] < len(model.node)]
        ops = [model.node[index].op_type for index in main]
        if node.op_type not in MULTIPLY:
            continue
        allowed = MULTIPLY[node.op_type].split()
        multiply = [index for index in main if model.node[index].op_type in set(allowed[:2]) - {"Transpose"}]
        check(case, f"layer {i} ({node.op_type} {node.name}) computes one {allowed}",
              len(multiply) == 1 or "_bn_nchwc" in node.name, ops)
        for index in multiply:
            check(case, f"node {index} is computed once", index not in done, (done.get(index), i))
            done[index] = i
        activation = attribute(node, "activation")
        if activation is not None and activation.s:
            check(case, f"layer {i} activates", activation.s.decode() in ops, ops)
        if is_blocked(node) and len(node.input) > 3 and node.input[3]:
            check(case, f"layer {i} adds", "Add" in ops, ops)


def check_layouts(case, layers, report):
    """Blocked tensors are made and read by layers that work on blocks, and come back once."""
    for i, node in enumerate(layers):
        layer = report["layers"][i]
        if node.op_type in ("ReorderInput", "ReorderOutput") and not (
                attribute(node, "channels_last") and attribute(node, "channels_last").i):
            check(case, f"layer {i} is an inserted reformat", layer["kind"] == "reformat"
                  and layer.get("cause") in ("layout", "io") and not layer["nodes"], layer)
        if is_blocked(node) and node.op_type == "Conv":
            check(case, f"layer {i} runs in fp32", layer["precision"] == "fp32", layer["precision"])


def check_pair(case, model_path, engine_path):
    model = onnx.load(model_path, load_external_data=False).graph
    layers = onnx.load(engine_path, load_external_data=False).graph.node
    report = read_report(run(case, model_path, engine_path, "-f", "json"))
    check(case, "a layer a node", len(report["layers"]) == len(layers))
    computing = [l for l in report["layers"] if l["kind"] == "compute"]
    check(case, "each computing layer is mapped", all(l["nodes"] for l in computing),
          [l["name"] for l in computing if not l["nodes"]])
    check_tensors(case, model, layers, report)
    check_operators(case, model, layers, report)
    check_layouts(case, layers, report)


def pairs():
    """(case, model, engine): the real ones that have both."""
    yield ("resnet18_ts.ort_all", f"{SHARED}/corpus/resnet18-fp16-trt10/model.onnx",
           f"{SHARED}/models/resnet18_ts.ort_all.onnx")
    for engine in sorted(glob.glob(f"{SHARED}/runtimes/cases/ort*/opt.onnx")):
        case = os.path.basename(os.path.dirname(engine))
        name = case.split("-", 1)[1].rsplit("-", 1)[0] + ".onnx"
        for folder in ("models", "runtimes/models"):
            if os.path.exists(f"{SHARED}/{folder}/{name}"):
                yield case, f"{SHARED}/{folder}/{name}", engine


def main():
    chosen = [p for p in pairs() if os.path.exists(p[1]) and os.path.exists(p[2])]
    if not chosen:
        print("no optimized models here")
        sys.exit(77)
    for pair in chosen:
        check_pair(*pair)
    print(f"{len(chosen)} optimized models, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
