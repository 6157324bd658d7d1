#!/usr/bin/env python3
"""apply.py MODEL REPORT OUT [RULE...]: changes a model as the edits say that `fusiondiff lint -f json` proposes.

What the edits mean: insert-pair puts a QuantizeLinear and a DequantizeLinear between `tensor` and input
`input` of node number `node`; remove-pair takes the quantizer number `node`, and the DequantizeLinear that
reads it, away; set-scale gives the quantizer, and the one that undoes it, the scale `scale`; move-pair takes
the pair of quantizer `node` away and puts one with its scale before input `input` of node `to`; insert-cast
lets node `node` compute in `type`: a Cast before each input of FP16, and one back behind each output; between two
such nodes there is none, and none undoes one that the model has; make-symmetric gives the quantizer, and the one that
undoes it, `scale` and the zero point 0 of `type`; spread-scale repeats the one scale of weights along axis 0;
add-dimension gives the stored scalar that the node reads the dimensions [1]; store-constant stores what it reads as INT8 around
the zero point 0, or as the floats that it makes; scale-first multiplies the node's input by
`scale`, and the node `to` that did that behind it goes; repeat-heads and pad-input bring `axis` of the node's input to
`size`, slice-output that of its output; unmark-output takes `tensor` from the outputs.  An edit
without a scale is one that has to be measured first: it is left out, and shown.  With RULE only edits of
these rules, and only so those that are on request."""
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


def insert(graph, nodes, edit, key="node"):
    node, i = nodes[edit[key]], edit["input"]
    base = f"{edit['tensor']}_lint_{edit[key]}_{i}"
    scale = constant(graph, base + "_scale", np.asarray(edit["scale"], np.float32))
    zero = base + "_zero"
    graph.initializer.append(helper.make_tensor(zero, NARROW[edit.get("type", "int8")], [], [0]))
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


def symmetric(graph, nodes, edit):
    quantizer = nodes[edit["node"]]
    set_scale(graph, nodes, edit)
    zero = f"{quantizer.name or quantizer.output[0]}_lint_zero"
    graph.initializer.append(helper.make_tensor(zero, NARROW[edit["type"]], [], [0]))
    for n in [quantizer, *undone_by(graph, quantizer)]:
        n.input[2] = zero
    for value in [v for v in graph.value_info if v.name == quantizer.output[0]]:
        graph.value_info.remove(value)


def stored(graph, name):
    return numpy_helper.to_array(next(t for t in graph.initializer if t.name == name))


def spread(graph, nodes, edit):
    dq = nodes[edit["node"]]
    both = [dq] + [n for n in graph.node if dq.input[0] in n.output and n.op_type == "QuantizeLinear"]
    channels = stored(graph, both[-1].input[0]).shape[0]
    scale = stored(graph, dq.input[1])
    names = [constant(graph, f"{dq.name or dq.output[0]}_spread_{word}", array)
             for word, array in (("scale", np.full(channels, scale, scale.dtype)), ("zero", np.zeros(channels, np.int8)))]
    for n in both:
        del n.input[1:], n.attribute[:]
        n.input.extend(names)
        n.attribute.append(helper.make_attribute("axis", 0))


def dimension(graph, nodes, edit):
    dq = nodes[edit["node"]]
    dq.input[0] = constant(graph, f"{dq.name or dq.output[0]}_row", stored(graph, dq.input[0]).reshape([1]))
    for value in [v for v in graph.value_info if v.name == dq.output[0]]:
        graph.value_info.remove(value)


def store(graph, nodes, edit):
    """As INT8 around 0, or as the floats that the node makes."""
    dq = nodes[edit["node"]]
    data, scale = stored(graph, dq.input[0]), stored(graph, dq.input[1])
    zero = stored(graph, dq.input[2]) if len(dq.input) > 2 else np.zeros(scale.shape, data.dtype)
    axis = next((a.i for a in dq.attribute if a.name == "axis"), 1)
    along = [-1 if i == axis % max(data.ndim, 1) else 1 for i in range(data.ndim)] if scale.size > 1 else []
    above = data.astype(np.int64) - zero.astype(np.int64).reshape(along if zero.size > 1 else [])
    if edit["type"] == "int8":
        assert above.min() >= -128 and above.max() <= 127
        dq.input[0] = constant(graph, f"{dq.output[0]}_int8", above.astype(np.int8))
        dq.input[2] = constant(graph, f"{dq.output[0]}_zero", np.zeros(zero.shape, np.int8))
    else:
        constant(graph, dq.output[0], (above * scale.reshape(along).astype(np.float32)).astype(scale.dtype))
        graph.node.remove(dq)


def move(graph, nodes, edit):
    remove(graph, nodes, edit)
    insert(graph, nodes, edit, "to")


def types(model):
    """Element types by tensor, and sizes."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    known = {t.name: t.data_type for t in graph.initializer}
    values = (*graph.value_info, *graph.input, *graph.output)
    known.update({v.name: v.type.tensor_type.elem_type for v in values})
    return known, {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in values}


def is_cast(node, to):
    return node.op_type == "Cast" and any(a.name == "to" and a.i == to for a in node.attribute)


def before(graph, node, i, op, known, *constants):
    """A node that makes what the other one then reads at its input i."""
    name = f"{node.output[0]}_{op}{i}"
    reads = [constant(graph, f"{name}_{k}", np.asarray(c)) for k, c in enumerate(constants)]
    known[name] = known.get(node.input[i])
    graph.node.insert(list(graph.node).index(node), helper.make_node(op, [node.input[i], *reads], [name], name=name))
    node.input[i] = name


def scale_first(graph, nodes, edit, known):
    node, behind = nodes[edit["node"]], nodes[edit["to"]]
    before(graph, node, 0, "Mul", known, np.float32(edit["scale"]))
    for reader in readers(graph, behind.output[0]):
        for i, name in enumerate(reader.input):
            if name == behind.output[0]:
                reader.input[i] = node.output[0]
    graph.node.remove(behind)


def repeat(graph, nodes, edit, known):
    before(graph, nodes[edit["node"]], edit["input"], "Expand", known, np.array([edit["size"]] + [1] * edit["axis"], np.int64))


def pad(graph, nodes, edit, known, rank_and_size):
    rank, size = rank_and_size
    ends = np.zeros(2 * rank, np.int64)
    ends[-1 - edit["axis"]] = edit["size"] - size
    before(graph, nodes[edit["node"]], edit["input"], "Pad", known, ends)


def cut(graph, nodes, edit, known):
    node = nodes[edit["node"]]
    old, new = node.output[0], node.output[0] + "_whole"
    node.output[0], known[new] = new, known.get(old)
    ends = [constant(graph, f"{new}_{k}", np.array([c], np.int64)) for k, c in enumerate((0, edit["size"], -1 - edit["axis"]))]
    graph.node.insert(list(graph.node).index(node) + 1, helper.make_node("Slice", [new, *ends], [old], name=new))


def unmark(graph, _nodes, edit, _known):
    graph.output.remove(next(o for o in graph.output if o.name == edit["tensor"]))


OF_BLOCKS = {"scale-first": scale_first, "repeat-heads": repeat, "slice-output": cut, "unmark-output": unmark}
TYPES = {"fp32": (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16), "fp16": (onnx.TensorProto.FLOAT16, onnx.TensorProto.FLOAT),
         "bf16": (onnx.TensorProto.BFLOAT16, onnx.TensorProto.FLOAT)}


def cast(graph, nodes, edit, known, wide):
    """@param wide  tensor -> its name in FP32, of what was cast before."""
    node = nodes[edit["node"]]
    full, other = TYPES[edit["type"]]
    half = [[k for k, name in enumerate(names) if known.get(name) == other] for names in (node.input, node.output)]
    at = list(graph.node).index(node)
    for k in half[0]:
        maker = next((n for n in graph.node if node.input[k] in n.output), None)
        if node.input[k] in wide:
            node.input[k] = wide[node.input[k]]
        elif maker is not None and maker.op_type == "Cast" and known.get(maker.input[0]) == full:
            node.input[k] = maker.input[0]
        else:
            name = f"{node.output[0]}_from{k}"
            graph.node.insert(at, helper.make_node("Cast", [node.input[k]], [name], name=name, to=full))
            node.input[k] = name
            at += 1
    for k in half[1]:
        name, old = f"{node.output[k]}_{edit['type']}", node.output[k]
        node.output[k] = wide[old] = name
        for reader in readers(graph, old):
            if is_cast(reader, full):
                reader.input[0] = name
        graph.node.insert(at + 1, helper.make_node("Cast", [name], [old], name=name, to=other))


NARROW = {"int8": onnx.TensorProto.INT8, "uint8": onnx.TensorProto.UINT8, "fp8": 17}  # older versions have no name for it
ACTIONS = {"insert-pair": insert, "remove-pair": remove, "set-scale": set_scale, "move-pair": move,
           "make-symmetric": symmetric, "spread-scale": spread, "add-dimension": dimension, "store-constant": store}
UNSCALED = ("remove-pair", "insert-cast", "spread-scale", "add-dimension", "store-constant", "pad-input", *OF_BLOCKS)


def apply(model, edits):
    """How many were applied; the rest lack a scale."""
    nodes, done = list(model.graph.node), 0
    wide = {}
    known, sizes = types(model) if any(e["action"] in ("insert-cast", "pad-input") for e in edits) else ({}, {})
    for edit in sorted(edits, key=lambda e: e["action"] == "slice-output"):  # which is before the Cast back
        if edit["action"] not in UNSCALED and "scale" not in edit:
            continue
        if edit["action"] == "insert-cast":
            cast(model.graph, nodes, edit, known, wide)
        elif edit["action"] == "pad-input":
            dims = sizes[edit["tensor"]]
            pad(model.graph, nodes, edit, known, (len(dims), dims[-1 - edit["axis"]]))
        elif edit["action"] in OF_BLOCKS:
            OF_BLOCKS[edit["action"]](model.graph, nodes, edit, known)
        else:
            ACTIONS[edit["action"]](model.graph, nodes, edit)
        done += 1
    return done


def main():
    model = onnx.load(sys.argv[1], load_external_data=False)
    with open(sys.argv[2], encoding="utf-8") as file:
        edits = json.load(file)["edits"]
    if len(sys.argv) > 4:
        edits = [e for e in edits if e["rule"] in sys.argv[4:]]
    else:
        edits = [e for e in edits if not e.get("on_request")]
    done = apply(model, edits)
    onnx.save(model, sys.argv[3])
    print(f"{done} of {len(edits)} edits applied, {len(edits) - done} need a scale that is measured")


if __name__ == "__main__":
    main()
