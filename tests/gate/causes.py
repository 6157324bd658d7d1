#!/usr/bin/python3
"""One change of a model, of its options or its target at a time, built: what the gate says of it.

    causes.py BINARY FOLDER [--seed S] [--count N] [--bases A,B] [--changes A,B] [-v]

Runs in the judges' python, with onnx and TensorRT for RTX.  Each base is built, and so is each of its changes; `check`
then has to name the changed aspect, and the node, tensor or option, in `different`, and no other; its to-do line
must not be to build again.  What changes nothing must pass.  Each pair is asked twice: with its models, and by its
logs alone.  COUNT pairs (all), drawn by the seed.

Fails where fewer than 95 % of the changes are named, more than 2 % have something false, one has a wrong to-do line,
or one that changes nothing fails the gate, though the builder made no more layers of it.  Refusals are counted.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import os
import random
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../real"))
import models  # noqa: E402

NODES, CONSTANTS, PORTS, PROFILES, OPTIONS, BUILDER, GPU = (
    "nodes", "constants", "inputs and outputs", "profiles", "build options", "version of the builder", "GPU")


class Case:
    """A model with the options of its build."""

    def __init__(self, model, **options):
        self.model, self.options = model, options

    def copy(self):
        return Case(copy.deepcopy(self.model), **self.options)

    @property
    def graph(self):
        return self.model.graph

    def nodes(self, *ops):
        return [n for n in self.graph.node if n.op_type in ops or not ops]

    def weights(self):
        return {w.name: w for w in self.graph.initializer}

    def shapes(self):
        """Shape and type of each tensor that inference knows."""
        inferred = onnx.shape_inference.infer_shapes(self.model, data_prop=True).graph
        found = {}
        for value in list(inferred.value_info) + list(inferred.input) + list(inferred.output):
            t = value.type.tensor_type
            found[value.name] = ([d.dim_value or d.dim_param for d in t.shape.dim], t.elem_type)
        return found

    def readers(self, tensor):
        return [n for n in self.graph.node if tensor in n.input]

    def fresh(self, name):
        """A number of its own for a new node."""
        return f"{name}_{len(self.graph.node)}"

    def insert(self, tensor, op, before=None, **attributes):
        """A node behind a tensor, in front of all its readers, or of one."""
        node = helper.make_node(op, [tensor], [f"{tensor}_{op}"], name=self.fresh(f"/new_{op}"), **attributes)
        for reader in [before] if before else self.readers(tensor):
            for i, name in enumerate(reader.input):
                if name == tensor:
                    reader.input[i] = node.output[0]
        at = min(i for i, n in enumerate(self.graph.node) if node.output[0] in n.input)
        self.graph.node.insert(at, node)
        return node

    def bypass(self, node):
        """Removes a node: its readers read its first input."""
        for reader in self.graph.node:
            for i, name in enumerate(reader.input):
                if name == node.output[0]:
                    reader.input[i] = node.input[0]
        self.graph.node.remove(node)


def pick(rng, options):
    options = list(options)
    return rng.choice(options) if options else None


def outputs(case):
    return {o.name for o in case.graph.output}


def inner(case, rng, floats=True):
    """A tensor between two nodes, of floats."""
    made = {o for n in case.graph.node for o in n.output}
    shapes = case.shapes()
    return pick(rng, [t for t in sorted(made) if case.readers(t) and t not in outputs(case) and t in shapes and
                      (not floats or shapes[t][1] == TensorProto.FLOAT)])


# ------------------------------------------------------------------ changes of the model
# Each takes a case and a generator, changes the case and returns what must be named: pairs of an aspect and a word of
# it.  None: the base has no place for it.

def replace(*ops, by, **attributes):
    def change(case, rng):
        node = pick(rng, [n for n in case.nodes(*ops) if len(n.output) == 1])
        if not node:
            return None
        node.op_type = by
        del node.attribute[:]
        node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
        return [(NODES, node.name)]
    return change


def pool_to_average(case, rng):
    node = pick(rng, case.nodes("MaxPool"))
    if not node:
        return None
    node.op_type = "AveragePool"
    return [(NODES, node.name)]


def drop_activation(case, rng):
    node = pick(rng, [n for n in case.nodes("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Erf", "Softmax", "Clip")
                      if not set(n.output) & outputs(case)])
    if not node:
        return None
    case.bypass(node)
    return [(NODES, node.name)]


def new_activation(case, rng):
    tensor = inner(case, rng)
    return tensor and [(NODES, case.insert(tensor, rng.choice(("Tanh", "Sigmoid", "Softplus"))).name)]


def attribute(name, change_value, *ops):
    def change(case, rng):
        found = [(n, a) for n in case.nodes(*ops) for a in n.attribute if a.name == name]
        place = pick(rng, found)
        if not place:
            return None
        node, a = place
        value = change_value(helper.get_attribute_value(a))
        node.attribute.remove(a)
        node.attribute.append(helper.make_attribute(name, value))
        return [(NODES, node.name)]
    return change


def dilation(case, rng):
    node = pick(rng, [n for n in case.nodes("Conv") for a in n.attribute if a.name == "kernel_shape" and list(a.ints) == [3, 3]
                      and not any(b.name == "dilations" for b in n.attribute)])
    if not node:
        return None
    for a in node.attribute:
        if a.name == "pads":
            a.ints[:] = [p + 1 for p in a.ints]
    node.attribute.append(helper.make_attribute("dilations", [2, 2]))
    return [(NODES, node.name)]


def rewire(case, rng):
    """A node reads another tensor of the same shape, from further up."""
    shapes = case.shapes()
    order = {o: i for i, n in enumerate(case.graph.node) for o in n.output}
    found = []
    for i, n in enumerate(case.graph.node):
        if n.op_type in ("QuantizeLinear", "DequantizeLinear"):
            continue
        for k, t in enumerate(n.input):
            if t not in order or t not in shapes or not shapes[t][0]:
                continue
            found += [(n, k, u) for u in order if u != t and order[u] < i and shapes.get(u) == shapes[t] and
                      len(case.readers(t)) > 1 and u not in n.input]
    place = pick(rng, found)
    if not place:
        return None
    node, k, other = place
    node.input[k] = other
    return [(NODES, node.name)]


def swap_operands(case, rng):
    made = {o for n in case.graph.node for o in n.output}
    shapes = case.shapes()
    node = pick(rng, [n for n in case.nodes("Sub", "Div") if set(n.input) <= made and shapes.get(n.input[0]) == shapes.get(n.input[1])
                      and n.input[0] != n.input[1]])
    if not node:
        return None
    node.input[:] = list(node.input)[::-1]
    return [(NODES, node.name)]


def conv_bias(case, rng):
    weights = case.weights()
    node = pick(rng, [n for n in case.nodes("Conv") if len(n.input) == 2 and n.input[1] in weights])
    if not node:
        return None
    n = weights[node.input[1]].dims[0]
    case.graph.initializer.append(numpy_helper.from_array(np.linspace(-1, 1, n).astype(np.float32), case.fresh("bias")))
    node.input.append(case.graph.initializer[-1].name)
    return [(NODES, node.name)]


def no_bias(case, rng):
    node = pick(rng, [n for n in case.nodes("Conv", "Gemm") if len(n.input) == 3])
    if not node:
        return None
    del node.input[2:]
    return [(NODES, node.name)]


def scalar_value(case, rng):
    """A constant of one element that a node of arithmetic reads."""
    weights = case.weights()
    places = [(n, i) for n in case.nodes("Mul", "Add", "Div", "Sub", "Pow", "Clip") for i in n.input
              if i in weights and int(np.prod(weights[i].dims)) <= 1 and weights[i].data_type == TensorProto.FLOAT]
    place = pick(rng, places)
    if not place:
        return None
    node, name = place
    value = numpy_helper.to_array(weights[name])
    weights[name].CopyFrom(numpy_helper.from_array((value * 1.5 + 0.3).astype(np.float32), name))
    return [(CONSTANTS, n.name) for n in case.readers(name)[:1]]


def weight_size(case, rng):
    """A hidden width between two products."""
    weights = case.weights()
    for first in case.nodes("MatMul"):
        for second in case.nodes("MatMul"):
            if first.input[1] not in weights or second.input[1] not in weights:
                continue
            way = first.output[0]
            while len(case.readers(way)) == 1 and case.readers(way)[0].op_type in ("Relu", "Tanh", "Sigmoid"):
                way = case.readers(way)[0].output[0]
            if case.readers(way) != [second] or second.input[0] != way:
                continue
            a, b = weights[first.input[1]], weights[second.input[1]]
            if len(case.readers(a.name)) + len(case.readers(b.name)) > 2:
                continue
            x, y = numpy_helper.to_array(a), numpy_helper.to_array(b)
            a.CopyFrom(numpy_helper.from_array(np.concatenate([x, x[..., :8]], -1), a.name))
            b.CopyFrom(numpy_helper.from_array(np.concatenate([y, y[:8]], 0), b.name))
            return [(CONSTANTS, first.name), (CONSTANTS, second.name)]
    return None


# ------------------------------------------------------------------ quantizers

def pairs(case):
    """(Q, DQ) of activations."""
    found = []
    for q in case.nodes("QuantizeLinear"):
        for dq in case.readers(q.output[0]):
            if dq.op_type == "DequantizeLinear" and q.input[0] not in case.weights():
                found.append((q, dq))
    return found


def scale_doubled(case, rng):
    weights = case.weights()
    pair = pick(rng, [p for p in pairs(case) if p[0].input[1] in weights])
    if not pair:
        return None
    q, dq = pair
    name = q.input[1]
    value = numpy_helper.to_array(weights[name])
    weights[name].CopyFrom(numpy_helper.from_array((value * 2).astype(value.dtype), name))
    readers = [n.name for n in case.readers(name)]
    return [(CONSTANTS, readers)]


def remove_pair(case, q, dq):
    """The readers read what the pair quantizes; the Q stays where another DQ reads it."""
    for reader in case.readers(dq.output[0]):
        reader.input[:] = [q.input[0] if i == dq.output[0] else i for i in reader.input]
    case.graph.node.remove(dq)
    if q in list(case.graph.node) and not case.readers(q.output[0]):
        case.graph.node.remove(q)


def pair_gone(case, rng):
    pair = pick(rng, pairs(case))
    if not pair:
        return None
    remove_pair(case, *pair)
    return [(NODES, [n.name for n in pair])]


def pairs_gone(case, rng):
    if not pairs(case):
        return None
    for pair in pairs(case):
        remove_pair(case, *pair)
    return [(NODES, "Q/DQ pair")]


def pair_new(case, rng):
    made = {o for n in case.graph.node for o in n.output}
    shapes = case.shapes()
    node = pick(rng, [n for n in case.nodes("Conv", "MatMul", "Add") if n.input[0] in made and
                      shapes.get(n.input[0], (0, 0))[1] == TensorProto.FLOAT])
    if not node:
        return None
    name = case.fresh("new_scale")
    case.graph.initializer.append(numpy_helper.from_array(np.float32(0.03), name))
    case.graph.initializer.append(numpy_helper.from_array(np.int8(0), name + "_zero"))
    tensor = node.input[0]
    q = helper.make_node("QuantizeLinear", [tensor, name, name + "_zero"], [tensor + "_q"], name=case.fresh("/new_Q"))
    dq = helper.make_node("DequantizeLinear", [tensor + "_q", name, name + "_zero"], [tensor + "_dq"], name=case.fresh("/new_DQ"))
    at = list(case.graph.node).index(node)
    node.input[0] = tensor + "_dq"
    case.graph.node.insert(at, dq)
    case.graph.node.insert(at, q)
    return [(NODES, q.name)]


def fp8_pairs(case, rng):
    """INT8 quantizers become those of FP8."""
    weights, found = case.weights(), False
    for name, w in weights.items():
        if w.data_type == TensorProto.INT8 and not any(w.raw_data) and not list(w.int32_data).count(1):
            zero = np.zeros(tuple(w.dims), np.float32)
            w.CopyFrom(helper.make_tensor(name, TensorProto.FLOAT8E4M3FN, w.dims, zero.flatten().tolist()))
            found = True
    for opset in case.model.opset_import:
        opset.version = max(opset.version, 19)
    return [(CONSTANTS, "fp8")] if found and pairs(case) else None


# ------------------------------------------------------------------ inputs and outputs

def extra_output(case, rng):
    tensor, shapes = inner(case, rng), case.shapes()
    if not tensor:
        return None
    case.graph.output.append(helper.make_tensor_value_info(tensor, shapes[tensor][1], shapes[tensor][0]))
    return [(PORTS, tensor)]


def output_gone(case, rng):
    if len(case.graph.output) < 2:
        return None
    out = case.graph.output[-1]
    dead = {out.name}
    name = out.name
    case.graph.output.remove(out)
    while True:
        gone = [n for n in case.graph.node if not any(case.readers(o) for o in n.output) and not set(n.output) & outputs(case)]
        if not gone:
            break
        for n in gone:
            dead.add(n.name)
            case.graph.node.remove(n)
    return [(PORTS, name)] + ([(NODES, sorted(dead - {name}) + ["gone"])] if dead - {name} else [])


def rename(case, port):
    old, port.name = port.name, port.name + "_other"
    for n in case.graph.node:
        n.input[:] = [port.name if i == old else i for i in n.input]
        n.output[:] = [port.name if o == old else o for o in n.output]
    return [(PORTS, old)]


def input_name(case, rng):
    return rename(case, case.graph.input[0])


def output_name(case, rng):
    return rename(case, case.graph.output[0])


def turn_round(ports):
    if len(ports) < 2:
        return None
    turned = list(ports)[::-1]
    del ports[:]
    ports.extend(turned)
    return [(PORTS, "order")]


def input_order(case, rng):
    return turn_round(case.graph.input)


def output_order(case, rng):
    return turn_round(case.graph.output)


def set_batch(case, change):
    """Changes the first size of all inputs and outputs; None where a Reshape states it, or an input has no fixed one."""
    dims = [p.type.tensor_type.shape.dim for p in list(case.graph.input) + list(case.graph.output)]
    if case.nodes("Reshape") or not all(d and d[0].dim_value for d in dims[:len(case.graph.input)]):
        return None
    for d in dims:
        if d:
            change(d[0])
    return [(PORTS, case.graph.input[0].name)]


def open_batch(case, rng):
    """The batch of all inputs is open."""
    return set_batch(case, lambda size: setattr(size, "dim_param", "batch"))


def larger_batch(case, rng):
    return set_batch(case, lambda size: setattr(size, "dim_value", size.dim_value * 2))


# ------------------------------------------------------------------ types

def to_half(case, rng):
    """All floats of the network in FP16."""
    if pairs(case) or case.nodes("Cast"):
        return None
    for w in case.graph.initializer:
        if w.data_type == TensorProto.FLOAT:
            w.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(w).astype(np.float16), w.name))
    for port in list(case.graph.input) + list(case.graph.output):
        if port.type.tensor_type.elem_type == TensorProto.FLOAT:
            port.type.tensor_type.elem_type = TensorProto.FLOAT16
    del case.graph.value_info[:]
    halves = [p.name for p in case.graph.input if p.type.tensor_type.elem_type == TensorProto.FLOAT16]
    return [(PORTS, halves)] if halves else None


def half_island(case, rng):
    """One activation in FP16, between Casts."""
    node = pick(rng, case.nodes("Relu", "Sigmoid", "Tanh", "Softmax", "Erf"))
    if not node or set(node.output) & outputs(case):
        return None
    down = case.insert(node.input[0], "Cast", before=node, to=TensorProto.FLOAT16)
    up = case.insert(node.output[0], "Cast", to=TensorProto.FLOAT)
    return [(NODES, [down.name, up.name])]


# ------------------------------------------------------------------ options and target

def option(aspect, word, **options):
    def change(case, rng):
        case.options.update(options)
        return [(aspect, word)]
    return change


def profile(case, rng):
    if not any(d.dim_param for p in case.graph.input for d in p.type.tensor_type.shape.dim):
        return None
    case.options["sizes"] = "1,2,16"
    return [(PROFILES, next(p.name for p in case.graph.input
                            if any(d.dim_param for d in p.type.tensor_type.shape.dim)))]


CHANGES = {
    "relu_leaky": replace("Relu", by="LeakyRelu", alpha=0.1), "relu_sigmoid": replace("Relu", by="Sigmoid"),
    "relu_elu": replace("Relu", by="Elu"), "sigmoid_tanh": replace("Sigmoid", by="Tanh"), "tanh_relu": replace("Tanh", by="Relu"),
    "add_mul": replace("Add", by="Mul"), "mul_add": replace("Mul", by="Add"), "add_sub": replace("Add", by="Sub"),
    "add_max": replace("Add", by="Max"), "gap_max": replace("GlobalAveragePool", by="GlobalMaxPool"),
    "softmax_log": replace("Softmax", by="LogSoftmax", axis=-1), "pool_average": pool_to_average, "drop_activation": drop_activation,
    "new_activation": new_activation,
    "epsilon": attribute("epsilon", lambda v: v * 10, "LayerNormalization", "BatchNormalization", "InstanceNormalization"),
    "alpha": attribute("alpha", lambda v: v + 0.5, "LeakyRelu", "Elu", "Gemm"),
    "softmax_axis": attribute("axis", lambda v: -2 if v in (-1, 3) else -1, "Softmax"),
    "dilation": dilation, "rewire": rewire, "swap_operands": swap_operands, "conv_bias": conv_bias, "no_bias": no_bias,
    "scalar_value": scalar_value, "weight_size": weight_size, "scale_doubled": scale_doubled, "pair_gone": pair_gone,
    "pairs_gone": pairs_gone, "pair_new": pair_new, "fp8_pairs": fp8_pairs, "extra_output": extra_output,
    "output_gone": output_gone, "input_name": input_name, "output_name": output_name, "input_order": input_order,
    "output_order": output_order, "open_batch": open_batch, "larger_batch": larger_batch, "to_half": to_half,
    "half_island": half_island, "profile": profile,
    "sm86": option(GPU, "86", capability="SM86"), "sm120": option(GPU, "120", capability="SM120"),
    "no_tf32": option(OPTIONS, "TF32", clear="TF32"),
    "strip": option(OPTIONS, "STRIP", flag="STRIP_PLAN"),
}


# ------------------------------------------------------------------ what changes nothing

def rename_nodes(case, rng):
    for i, n in enumerate(case.graph.node):
        n.name = f"node_{i}"
    return []


def rename_tensors(case, rng):
    kept = {p.name for p in list(case.graph.input) + list(case.graph.output)} | set(case.weights())
    for n in case.graph.node:
        n.input[:] = [i if i in kept or not i else "t_" + i for i in n.input]
        n.output[:] = [o if o in kept or not o else "t_" + o for o in n.output]
    return []


def retrained(case, rng):
    for w in case.graph.initializer:
        if w.data_type == TensorProto.FLOAT and int(np.prod(w.dims)) > 8:
            w.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(w) * np.float32(1.01), w.name))
    return []


def recalibrated(case, rng):
    if not pairs(case):
        return None
    scales = {i.input[1] for i in case.nodes("QuantizeLinear", "DequantizeLinear")}
    for w in case.graph.initializer:
        if w.name in scales:
            value = numpy_helper.to_array(w)
            w.CopyFrom(numpy_helper.from_array((value * 1.01).astype(value.dtype), w.name))
    return []


def node_order(case, rng):
    left, made, order = list(case.graph.node), set(), []
    all_made = {o for n in left for o in n.output}
    while left:
        ready = [n for n in left if all(i not in all_made or i in made for i in n.input)]
        n = rng.choice(ready)
        order.append(n)
        made |= set(n.output)
        left.remove(n)
    del case.graph.node[:]
    case.graph.node.extend(order)
    return []


def next_opset(case, rng):
    try:
        case.model = onnx.version_converter.convert_version(case.model, case.model.opset_import[0].version + 1)
    except Exception:  # the converter lacks an operator
        return None
    return []


def as_constants(case, rng):
    for w in list(case.graph.initializer):
        if w.data_type != TensorProto.FLOAT or int(np.prod(w.dims)) < 2:
            continue
        case.graph.initializer.remove(w)
        case.graph.node.insert(0, helper.make_node("Constant", [], [w.name], name=f"const_{w.name}", value=w))
    return []


def folded_norms(case, rng):
    """BatchNormalization goes into the weights of the Conv before it."""
    weights, done = case.weights(), False
    for bn in case.nodes("BatchNormalization"):
        conv = next((n for n in case.nodes("Conv") if n.output[0] == bn.input[0] and len(case.readers(n.output[0])) == 1), None)
        if not conv or len(conv.input) > 2 or conv.input[1] not in weights:
            continue
        scale, shift, mean, var = (numpy_helper.to_array(weights[i]) for i in bn.input[1:5])
        factor = scale / np.sqrt(var + 1e-5)
        w = numpy_helper.to_array(weights[conv.input[1]])
        weights[conv.input[1]].CopyFrom(numpy_helper.from_array(
            (w * factor.reshape(-1, 1, 1, 1)).astype(np.float32), conv.input[1]))
        bias = case.fresh("folded")
        case.graph.initializer.append(numpy_helper.from_array((shift - mean * factor).astype(np.float32), bias))
        conv.input.append(bias)
        conv.output[0] = bn.output[0]
        case.graph.node.remove(bn)
        done = True
    return [] if done else None


def simplified(tool):
    def change(case, rng):
        try:
            if tool == "onnxslim":
                import onnxslim
                case.model = onnxslim.slim(case.model)
            else:
                import onnxsim
                case.model, good = onnxsim.simplify(case.model)
                if not good:
                    return None
        except ImportError:
            return None
        return []
    return change


SAME = {
    "rename_nodes": rename_nodes, "rename_tensors": rename_tensors, "retrained": retrained, "recalibrated": recalibrated,
    "node_order": node_order, "next_opset": next_opset, "as_constants": as_constants, "folded_norms": folded_norms,
    "onnxslim": simplified("onnxslim"), "onnxsim": simplified("onnxsim"),
    "twice": lambda case, rng: [], "one_stream": lambda case, rng: case.options.update(streams="0") or [],
}


# ------------------------------------------------------------------ building and asking

def build(case, folder, name):
    model, log = (os.path.join(folder, name + end) for end in (".onnx", ".log"))
    if not os.path.exists(log):
        onnx.save(case.model, model)
        asked = [f"{k}={v}" for k, v in case.options.items()]
        done = subprocess.run([sys.executable, os.path.join(HERE, "../real/build.py"), model, log, "SM89", *asked],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            os.remove(log)
            return None
    return model, log


def check(binary, old, new, snapshot):
    done = subprocess.run([binary, "snapshot", *old, "-o", snapshot], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip()[:200]
    done = subprocess.run([binary, "check", snapshot, *new, "-f", "json"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return done.stderr.strip()[:200]
    return json.loads(done.stdout)


def is_named(expected, said):
    aspect, words = expected
    words = [words] if isinstance(words, str) else words
    return any(d["aspect"] == aspect and any(w in d["what"] for w in words) for d in said)


def grew(said):
    """Whether the builder made more layers of what is the same network."""
    return any(f["rule"] == "layer-count" for f in said["findings"])


def judge(said, expected, alone):
    """(whether the true aspect is named, what is named and false, what else is wrong)"""
    if isinstance(said, str):
        return False, [], ["refused: " + said]
    different = said["different"]
    wrong = []
    if not expected:
        loud = [f for f in said["findings"] if f["severity"] == "error"]
        if not grew(said):
            wrong += [f"red: {f['rule']}: {f['message'][:140]}" for f in loud[:1]]
        return True, [], wrong
    # What a build does not state is said to be unknown: a log has no attributes and no values.
    unknown = {u["aspect"] for u in said["unstated"]}
    named = all(is_named(e, different) or (e[0] in unknown and (alone or e[0] in (GPU, OPTIONS))) for e in expected)
    allowed = {a for a, _ in expected}
    false = [f"{d['aspect']}: {d['what'][:120]}" for d in different if d["aspect"] not in allowed]
    todo = (said.get("says") or [""])[-1]
    if "uild again" in todo and not alone and GPU not in unknown:
        wrong.append("to do: " + todo[:120])
    return named, false, wrong


def bases():
    found = {}
    for name, make in models.MODELS.items():
        found[name] = Case(make())
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int)
    p.add_argument("--bases")
    p.add_argument("--changes")
    p.add_argument("-v", action="store_true")
    args = p.parse_args()
    binary, folder = os.path.realpath(args.binary), os.path.join(args.folder, f"causes-{args.seed}")
    os.makedirs(folder, exist_ok=True)
    all_bases = bases()
    jobs = [(b, c) for b in all_bases for c in list(CHANGES) + list(SAME)
            if (not args.bases or b in args.bases.split(",")) and (not args.changes or c in args.changes.split(","))]
    random.Random(args.seed).shuffle(jobs)
    tally, lines = collections.Counter(), []

    def run(job):
        base, change = job
        rng = random.Random(f"{args.seed} {base} {change}")
        case = all_bases[base].copy()
        expected = (CHANGES.get(change) or SAME[change])(case, rng)
        if expected is None:
            return job, None
        try:
            onnx.checker.check_model(case.model, full_check=True)
        except Exception:
            return job, None
        old, new = build(all_bases[base], folder, base), build(case, folder, f"{base}.{change}")
        if not old or not new:
            return job, None
        snapshot = os.path.join(folder, f"{base}.{change}.fsd")
        return job, [judge(check(binary, a, b, snapshot), expected, alone)
                     for a, b, alone in ((old, new, False), (old[1:], new[1:], True))], expected

    done = 0
    for base in {b for b, _ in jobs}:
        build(all_bases[base], folder, base)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for got in pool.map(run, jobs):
            if got[1] is None:
                continue
            (base, change), results, expected = got
            kind = "same" if change in SAME else "change"
            for (named, false, wrong), way in zip(results, ("models", "logs")):
                tally[kind, way] += 1
                tally[kind, way, "named"] += named
                tally[kind, way, "clean"] += not false
                tally[kind, way, "right"] += not wrong
                tally[kind, way, "refused"] += kind == "same" and bool(wrong) and wrong[0].startswith("refused")
                if args.v and (not named or false or wrong):
                    lines.append(f"{base} {change} ({way}): {'' if named else 'NOT NAMED ' + str(expected)}"
                                 f"{' FALSE ' + '; '.join(false) if false else ''}{' WRONG ' + '; '.join(wrong) if wrong else ''}")
            done += 1
            if args.count and done >= args.count:
                break
    print("\n".join(lines))
    bad = False
    for kind, word in (("change", "changes"), ("same", "that change nothing")):
        for way in ("models", "logs"):
            n, right = tally[kind, way], tally[kind, way, "right"] + tally[kind, way, "refused"]
            bad |= not n or tally[kind, way, "clean"] < 0.98 * n or right < n or (
                kind == "change" and tally[kind, way, "named"] < 0.95 * n)
            print(f"{n} {word}, asked by {way}: named {tally[kind, way, 'named']}, nothing false {tally[kind, way, 'clean']}, "
                  f"else right {tally[kind, way, 'right']}, refused {tally[kind, way, 'refused']}")
    sys.exit(bad)


if __name__ == "__main__":
    main()
