#!/usr/bin/env python3
"""apply.py MODEL REPORT OUT [RULE...]: changes a model as the edits say that `fusiondiff lint -f json` proposes.

What the edits mean: insert-pair puts a QuantizeLinear and a DequantizeLinear between `tensor` and input
`input` of node number `node`; remove-pair takes the quantizer number `node`, and the DequantizeLinear that
reads it, away; set-scale gives the quantizer, and the one that undoes it, the scale `scale`.  An edit
without a scale is one that has to be measured first: it is left out, and told.  With RULE only edits of
these rules."""
import json
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def readers(graph, tensor):
    return [n for n in graph.node if tensor in n.input]


def undone_by(graph, quantizer):
    return [n for n in readers(graph, quantizer.output[0]) if n.op_type == "DequantizeLinear"]


def constant(graph, name, array):
    graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def insert(graph, nodes, edit):
    node, i = nodes[edit["node"]], edit["input"]
    base = f"{edit['tensor']}_lint_{edit['node']}_{i}"
    scale = constant(graph, base + "_scale", np.asarray(edit["scale"], np.float32))
    zero = constant(graph, base + "_zero", np.asarray(0, np.int8))
    pair = [helper.make_node("QuantizeLinear", [node.input[i], scale, zero], [base + "_q"], name=base + "_q"),
            helper.make_node("DequantizeLinear", [base + "_q", scale, zero], [base + "_dq"], name=base + "_dq")]
    at = list(graph.node).index(node)
    node.input[i] = base + "_dq"
    for new in reversed(pair):
        graph.node.insert(at, new)


def remove(graph, nodes, edit):
    quantizer = nodes[edit["node"]]
    for dq in undone_by(graph, quantizer):
        for reader in readers(graph, dq.output[0]):
            for i, name in enumerate(reader.input):
                if name == dq.output[0]:
                    reader.input[i] = quantizer.input[0]
        for out in graph.output:
            if out.name == dq.output[0]:
                maker = next(n for n in graph.node if quantizer.input[0] in n.output)
                old = quantizer.input[0]
                for n in graph.node:
                    for names in (n.input, n.output):
                        for i, name in enumerate(names):
                            if name == old:
                                names[i] = out.name
                assert maker
        graph.node.remove(dq)
    graph.node.remove(quantizer)


def set_scale(graph, nodes, edit):
    quantizer = nodes[edit["node"]]
    name = f"{quantizer.name or quantizer.output[0]}_lint_scale"
    if name not in {t.name for t in graph.initializer}:
        constant(graph, name, np.asarray(edit["scale"], np.float32))
    others = undone_by(graph, quantizer)
    if quantizer.op_type == "DequantizeLinear":
        others = [n for n in graph.node if quantizer.input[0] in n.output and n.op_type == "QuantizeLinear"]
    for n in [quantizer, *others]:
        n.input[1] = name


ACTIONS = {"insert-pair": insert, "remove-pair": remove, "set-scale": set_scale}


def apply(model, edits):
    """How many were applied; the rest lack a scale."""
    nodes, done = list(model.graph.node), 0
    for edit in edits:
        if edit["action"] != "remove-pair" and "scale" not in edit:
            continue
        ACTIONS[edit["action"]](model.graph, nodes, edit)
        done += 1
    return done


def main():
    model = onnx.load(sys.argv[1], load_external_data=False)
    with open(sys.argv[2], encoding="utf-8") as file:
        edits = json.load(file)["edits"]
    if len(sys.argv) > 4:
        edits = [e for e in edits if e["rule"] in sys.argv[4:]]
    done = apply(model, edits)
    onnx.save(model, sys.argv[3])
    print(f"{done} of {len(edits)} edits applied, {len(edits) - done} need a scale that is measured")


if __name__ == "__main__":
    main()
