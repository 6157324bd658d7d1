#!/usr/bin/python3
"""Failing models, drawn by seed:  drawn.py BINARY [--seed N] [--count N] [--only KIND] [--keep DIR] [--bars] [-v]

Each is a small network with one fault: of types, shapes, quantizers, profiles, operators, hardware, files or the graph.
TensorRT for RTX must reject it, and build its neighbour, the same without the fault, where the kind has one.  Counted are
the builds whose class and whose node the program states, and those that lint foresees (an error of fusiondiff lint that
names the node, or for faults of a profile or a file none); no neighbour may have an error, and no failed log may pass
`check`.  Runs in the judges' virtual environment (tests/conformance/venv).  --bars fails below 95 % and 90 %.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

CLASS_BAR, PLACE_BAR = .95, .90
NUMPY = {T.FLOAT: np.float32, T.FLOAT16: np.float16, T.INT64: np.int64, T.INT32: np.int32, T.BOOL: np.bool_}


class Net:
    """A chain before the fault and behind it; `fault` is False in the neighbour."""

    def __init__(self, seed, fault):
        self.random, self.fault = np.random.default_rng(seed), fault
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.options, self.opset = {}, 17

    def pick(self, *of):
        return of[int(self.random.integers(len(of)))]

    def size(self):
        return 4 * int(self.random.integers(2, 9))

    def input(self, *shape, type=T.FLOAT, name=None):
        self.inputs.append(helper.make_tensor_value_info(name or f"in{len(self.inputs)}", type, shape))
        return self.inputs[-1].name

    def constant(self, values, name=None):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name or f"w{len(self.constants)}"))
        return self.constants[-1].name

    def typed(self, values, type):
        name = f"w{len(self.constants)}"
        values = np.asarray(values, np.float32)
        self.constants.append(helper.make_tensor(name, type, values.shape, values.ravel()))
        return name

    def weights(self, *shape, type=np.float32):
        return self.constant((self.random.standard_normal(shape) / 4).astype(type))

    def ints(self, *of):
        return self.constant(np.array(of, np.int64))

    def op(self, kind, *reads, name=None, outputs=1, domain="", **attributes):
        name = name or f"/{self.pick('enc', 'blk', 'head')}/{kind}_{len(self.nodes)}"
        made = [f"{name}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(reads), made, name=name, domain=domain, **attributes))
        return made[0] if outputs == 1 else made

    def before(self, x):
        for _ in range(int(self.random.integers(1, 4))):
            x = self.op(self.pick("Relu", "Tanh", "Sigmoid", "Abs"), x)
        return x

    def end(self, *made):
        for x in made:
            y = self.op(self.pick("Relu", "Neg", "Identity"), x) if self.random.integers(2) and not self.options.get("bare") else x
            self.outputs.append(helper.make_tensor_value_info(y, T.UNDEFINED, None))

    def model(self):
        kinds = {}
        graph = helper.make_graph(self.nodes, "drawn", self.inputs, self.outputs, self.constants)
        try:
            inferred = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)]))
            kinds = {v.name: v.type.tensor_type.elem_type for v in [*inferred.graph.value_info, *inferred.graph.output]}
        except Exception:  # pylint: disable=broad-except; of a graph that is no graph
            pass
        for out in graph.output:
            out.type.tensor_type.elem_type = self.options.get("out") or kinds.get(out.name) or T.FLOAT
        domains = {n.domain for n in self.nodes if n.domain}
        return helper.make_model(graph, ir_version=10 if self.opset > 18 else 8,
                                 opset_imports=[helper.make_opsetid("", self.opset), *(helper.make_opsetid(d, 1) for d in domains)])


# --------------------------------------------------------------- the kinds: (class, names of which one is at fault)

def half_beside_float(n):
    kind, a = n.pick("Add", "Mul", "Sub", "Div"), n.size()
    x = n.before(n.input(2, a))
    y = n.op("Cast", x, to=T.FLOAT16 if n.fault else T.FLOAT)
    n.end(n.op(kind, x, y, name="/at/fault"))
    return "type", {"/at/fault"}


def half_weights(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(2, a))
    n.end(n.op("MatMul", x, n.weights(a, b, type=np.float16 if n.fault else np.float32), name="/at/fault"))
    return "type", {"/at/fault"}


def half_conv(n):
    c = n.size()
    x = n.before(n.input(1, c, 12, 12))
    n.end(n.op("Conv", x, n.weights(c, c, 3, 3), n.weights(c, type=np.float16 if n.fault else np.float32), name="/at/fault"))
    return "type", {"/at/fault"}


def half_concat(n):
    a = n.size()
    x = n.before(n.input(2, a))
    y = n.op("Cast", x, to=T.FLOAT16 if n.fault else T.FLOAT)
    n.end(n.op("Concat", x, y, axis=1, name="/at/fault"))
    return "type", {"/at/fault"}


def where_of_floats(n):
    a = n.size()
    x = n.before(n.input(2, a))
    c = n.op("Greater", x, n.constant(np.float32(0))) if not n.fault else x
    n.end(n.op("Where", c, x, n.constant(np.float32(1)), name="/at/fault"))
    return "type", {"/at/fault"}


def logic_of_floats(n):
    a = n.size()
    x = n.before(n.input(2, a))
    c = x if n.fault else n.op("Greater", x, n.constant(np.float32(0)))
    n.end(n.op("Cast", n.op("Not", c, name="/at/fault"), to=T.FLOAT))
    return "type", {"/at/fault"}


def reshape_volume(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(a, b))
    n.end(n.op("Reshape", x, n.ints(a, b + 1 if n.fault else b), name="/at/fault"))
    return "shape", {"/at/fault"}


def reshape_rest(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(a, b))
    n.end(n.op("Reshape", x, n.ints(-1, a * b + 1 if n.fault else 4), name="/at/fault"))
    return "shape", {"/at/fault"}


def gemm_bias(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(3, a))
    n.end(n.op("Gemm", x, n.weights(b, a), n.weights(b + 2 if n.fault else b), transB=1, name="/at/fault"))
    return "shape", {"/at/fault"}


def gemm_inner(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(3, a))
    n.end(n.op("Gemm", x, n.weights(b, a + 4 if n.fault else a), n.weights(b), transB=1, name="/at/fault"))
    return "shape", {"/at/fault"}


def matmul_inner(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(2, 5, a))
    n.end(n.op("MatMul", x, n.weights(a + 1 if n.fault else a, b), name="/at/fault"))
    return "shape", {"/at/fault"}


def transpose_perm(n):
    perm = n.pick([0, 2, 2], [0, 1, 3], [1, 1, 0]) if n.fault else [0, 2, 1]
    x = n.before(n.input(2, n.size(), 3))
    n.end(n.op("Transpose", x, perm=perm, name="/at/fault"))
    return "shape", {"/at/fault"}


def gather_axis(n):
    axis = n.pick(2, 3, -3) if n.fault else n.pick(0, 1, -1)
    x = n.before(n.input(n.size(), n.size()))
    n.end(n.op("Gather", x, n.ints(0, 1), axis=axis, name="/at/fault"))
    return "shape", {"/at/fault"}


def concat_sizes(n):
    a = n.size()
    x, y = n.before(n.input(2, a)), n.before(n.input(3, a + 1 if n.fault else a))
    n.end(n.op("Concat", x, y, axis=0, name="/at/fault"))
    return "shape", {"/at/fault"}


def broadcast(n):
    a = n.size()
    x = n.before(n.input(2, a))
    n.end(n.op(n.pick("Add", "Mul", "Sub"), x, n.weights(a - 1 if n.fault else a), name="/at/fault"))
    return "shape", {"/at/fault"}


def conv_channels(n):
    c = n.size()
    x = n.before(n.input(1, c, 10, 10))
    n.end(n.op("Conv", x, n.weights(8, c + 2 if n.fault else c, 3, 3), name="/at/fault"))
    return "shape", {"/at/fault"}


def conv_groups(n):
    c = n.size()
    x = n.before(n.input(1, c, 10, 10))
    n.end(n.op("Conv", x, n.weights(8, c // 2, 3, 3), group=3 if n.fault else 2, name="/at/fault"))
    return "shape", {"/at/fault"}


def norm_scale(n):
    a = n.size()
    x = n.before(n.input(2, 3, a))
    n.end(n.op("LayerNormalization", x, n.weights(a + 1 if n.fault else a), axis=-1, name="/at/fault"))
    return "shape", {"/at/fault"}


def squeeze_wide(n):
    x = n.before(n.input(2 if n.fault else 1, n.size()))
    n.end(n.op("Squeeze", x, n.ints(0), name="/at/fault"))
    return "shape", {"/at/fault"}


def softmax_axis(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op("Softmax", x, axis=n.pick(2, 4, -3) if n.fault else -1, name="/at/fault"))
    return "shape", {"/at/fault"}


def reduce_axis(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op(n.pick("ReduceMean", "ReduceMax"), x, axes=[n.pick(2, 3) if n.fault else 1], name="/at/fault"))
    return "shape", {"/at/fault"}


def split_sum(n):
    a = n.size()
    x = n.before(n.input(2, 2 * a))
    n.end(*n.op("Split", x, n.ints(a, a + 1 if n.fault else a), axis=1, outputs=2, name="/at/fault"))
    return "shape", {"/at/fault"}


def tile_rank(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op("Tile", x, n.ints(*([2, 1, 1] if n.fault else [2, 1])), name="/at/fault"))
    return "shape", {"/at/fault"}


def pad_length(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op("Pad", x, n.ints(*([0, 1, 0] if n.fault else [0, 1, 0, 1])), name="/at/fault"))
    return "shape", {"/at/fault"}


def einsum_sizes(n):
    a = n.size()
    x, y = n.before(n.input(3, a)), n.before(n.input(a + 1 if n.fault else a, 5))
    n.end(n.op("Einsum", x, y, equation="ij,jk->ik", name="/at/fault"))
    return "shape", {"/at/fault"}


def bn_sizes(n):
    c = n.size()
    x = n.before(n.input(1, c, 6, 6))
    n.end(n.op("BatchNormalization", x, *(n.weights(c) for _ in range(3)), n.constant(np.ones(c + 1 if n.fault else c, np.float32)),
               name="/at/fault"))
    return "shape", {"/at/fault"}


def loop_grows(n):
    def value(name, kind=T.FLOAT, shape=(4,)):
        return helper.make_tensor_value_info(name, kind, shape)
    x = n.before(n.input(4))
    step = helper.make_node("Concat", ["s", "s"], ["so"], axis=0, name="/body/Concat") if n.fault else \
        helper.make_node("Tanh", ["s"], ["so"], name="/body/Tanh")
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["co"], name="/body/Identity"), step], "body",
                             [value("i", T.INT64, ()), value("c", T.BOOL, ()), value("s")], [value("co", T.BOOL, ()), value("so", T.FLOAT, None)])
    n.end(n.op("Loop", n.constant(np.int64(n.pick(2, 3, 4))), n.constant(np.bool_(True)), x, body=body, name="/at/fault"))
    return "shape", {"/at/fault"}


def if_types(n):
    x = n.before(n.input(3))
    out = helper.make_tensor_value_info
    then = helper.make_graph([helper.make_node("Cast", [x], ["a"], to=T.FLOAT16 if n.fault else T.FLOAT, name="/then/Cast")], "t", [],
                             [out("a", T.FLOAT16 if n.fault else T.FLOAT, [3])])
    other = helper.make_graph([helper.make_node("Relu", [x], ["b"], name="/else/Relu")], "e", [], [out("b", T.FLOAT, [3])])
    n.options["bare"] = True
    n.end(n.op("If", n.input(type=T.BOOL), then_branch=then, else_branch=other, name="/at/fault"))
    return "type", {"/at/fault"}


def plugin(n):
    a = n.size()
    x = n.before(n.input(2, a))
    kind, domain = n.pick(("FusedNorm", "com.example"), ("EfficientRopeTRT", ""), ("BiasGelu", "com.microsoft"), ("Attention3", "my.ops"))
    n.end(n.op(kind, x, domain=domain, name="/at/fault") if n.fault else n.op("Relu", x, name="/at/fault"))
    return "plugin", {"/at/fault"}


def operator(n):
    x = n.before(n.input(2, 8, 8))
    kind = n.pick("Det", "Unique", "Compress") if n.fault else "Relu"
    if kind == "Compress":
        y = n.op(kind, x, n.constant(np.array([True, False])), axis=0, name="/at/fault")
    else:
        y = n.op(kind, x, name="/at/fault")
    n.end(y)
    return "operator", {"/at/fault"}


def top_many(n):
    x = n.before(n.input(2, 5000))
    n.end(n.op("TopK", x, n.ints(n.pick(3841, 4000, 4800) if n.fault else 3840), outputs=2, axis=1, name="/at/fault")[0])
    return "operator", {"/at/fault"}


def scatter_reduction(n):
    a = n.size()
    n.opset = 18
    x = n.before(n.input(4, a))
    more = {"reduction": n.pick("mul", "max", "min")} if n.fault else {}
    n.end(n.op("ScatterND", x, n.constant(np.array([[0], [2]], np.int64)), n.weights(2, a), name="/at/fault", **more))
    return "operator", {"/at/fault"}


def zero_point(n):
    n.opset = 21
    a = n.size()
    x = n.before(n.input(2, a))
    zero = n.constant(np.int8(n.pick(1, -3, 7) if n.fault else 0))
    scale = n.constant(np.float32(.1))
    q = n.op("QuantizeLinear", x, scale, zero, name="/at/q")
    n.end(n.op("DequantizeLinear", q, scale, zero, name="/at/dq"))
    return "q/dq", {"/at/q", "/at/dq"}


def scale_sign(n):
    a = n.size()
    x = n.before(n.input(2, a))
    scale, zero = n.constant(np.float32(n.pick(0, -.1) if n.fault else .1)), n.constant(np.int8(0))
    q = n.op("QuantizeLinear", x, scale, zero, name="/at/q")
    n.end(n.op("DequantizeLinear", q, scale, zero, name="/at/dq"))
    return "q/dq", {"/at/q", "/at/dq"}


def scale_count(n):
    a, b = n.size(), n.size()
    x = n.before(n.input(2, a))
    scale, zero = n.constant(np.full(b + 1 if n.fault else b, .1, np.float32)), n.constant(np.zeros(b + 1 if n.fault else b, np.int8))
    q = n.op("QuantizeLinear", n.weights(a, b), scale, zero, axis=1, name="/at/q")
    n.end(n.op("MatMul", x, n.op("DequantizeLinear", q, scale, zero, axis=1, name="/at/dq")))
    return "q/dq", {"/at/q", "/at/dq"}


def int4_block(n):
    n.opset = 21
    a, b = 64, n.size()
    block = 24 if n.fault else 32
    x = n.before(n.input(2, a))
    w = n.typed(n.random.integers(-7, 7, (a, b)), T.INT4)
    scale = n.constant(np.full((-(-a // block), b), .1, np.float32))
    n.end(n.op("MatMul", x, n.op("DequantizeLinear", w, scale, axis=0, block_size=block, name="/at/dq")))
    return "q/dq", {"/at/dq"}


def bare_int8(n):
    a = n.size()
    x = n.before(n.input(2, a))
    w = n.constant(n.random.integers(-7, 7, (a, 8)).astype(np.int8))
    w = w if n.fault else n.op("DequantizeLinear", w, n.constant(np.float32(.1)), n.constant(np.int8(0)))
    n.end(n.op("MatMul", x, w, name="/at/fault"))
    return "type", {"/at/fault"}


def fp8_e5m2(n):
    n.opset = 19
    a = n.size()
    x = n.before(n.input(2, a))
    scale, zero = n.constant(np.float32(.1)), n.typed(np.zeros(()), T.FLOAT8E5M2 if n.fault else T.FLOAT8E4M3FN)
    q = n.op("QuantizeLinear", x, scale, zero, name="/at/q")
    n.end(n.op("DequantizeLinear", q, scale, zero, name="/at/dq"))
    return "type|q/dq", {"/at/q", "/at/dq"}


def fp8_by_int8(n):
    """FP8 data and INT8 weights of one product."""
    n.opset = 19
    a = n.size()
    x = n.before(n.input(2, a))
    scale, zero = n.constant(np.float32(.1)), n.typed(np.zeros(()), T.FLOAT8E4M3FN)
    x = n.op("DequantizeLinear", n.op("QuantizeLinear", x, scale, zero), scale, zero)
    other, none = n.constant(np.full(8, .1, np.float32)), n.typed(np.zeros(8), T.INT8 if n.fault else T.FLOAT8E4M3FN)
    w = n.op("QuantizeLinear", n.weights(a, 8), other, none, axis=1)
    n.end(n.op("MatMul", x, n.op("DequantizeLinear", w, other, none, axis=1), name="/at/fault"))
    return "type|q/dq", {"/at/fault"}


def fp8_old_device(n):
    n.opset = 19
    a = n.size()
    x = n.before(n.input(2, a))
    scale, zero = n.constant(np.float32(.1)), n.typed(np.zeros(()), T.FLOAT8E4M3FN)
    q = n.op("QuantizeLinear", x, scale, zero, name="/at/q")
    n.end(n.op("DequantizeLinear", q, scale, zero, name="/at/dq"))
    n.options["sm"] = n.pick("75", "80", "86") if n.fault else "89"
    return "hardware", {"/at/q", "/at/dq"}


def bf16_old_device(n):
    a = n.size()
    x = n.op("Cast", n.before(n.input(2, a)), to=T.BFLOAT16, name="/at/cast")
    n.end(n.op("Cast", n.op("Relu", x, name="/at/fault"), to=T.FLOAT, name="/at/back"))
    n.options["sm"] = "75" if n.fault else "80"
    return "hardware", {"/at/cast", "/at/fault", "/at/back"}


def product_on_turing(n):
    a = n.size()
    x = n.before(n.input(2, a))
    n.end(n.op("MatMul", x, n.weights(a, 8), name="/at/fault"))
    n.options["sm"] = "75" if n.fault else "86"
    return "hardware", {"/at/fault"}


def no_profile(n):
    a = n.size()
    x = n.input("batch", a)
    n.end(n.op("MatMul", n.before(x), n.weights(a, 8)))
    n.options["profile"] = None if n.fault else {x: ((1, a), (2, a), (4, a))}
    return "profile", {x}


def profile_of_static(n):
    a = n.size()
    x = n.input("batch", a)
    n.end(n.op("MatMul", n.before(x), n.weights(a, 8)))
    b = a + 1 if n.fault else a
    n.options["profile"] = {x: ((1, b), (2, b), (4, b))}
    return "profile", {x}


def profile_order(n):
    a = n.size()
    x = n.input("batch", a)
    n.end(n.op("MatMul", n.before(x), n.weights(a, 8)))
    sizes = ((1, a), (2, a), (4, a))
    n.options["profile"] = {x: n.pick(sizes[::-1], (sizes[1], sizes[0], sizes[2])) if n.fault else sizes}
    return "profile", {x}


def profile_of_one(n):
    """Two dynamic inputs, a profile of one."""
    a = n.size()
    x, y = n.input("batch", a), n.input("batch", a)
    n.end(n.op("Add", n.before(x), n.before(y)))
    sizes = ((1, a), (2, a), (4, a))
    n.options["profile"] = {x: sizes} if n.fault else {x: sizes, y: sizes}
    return "profile", {y}


def profile_shapes(n):
    """Sizes of a profile that contradict each other at a node."""
    a = n.size()
    x, y = n.input("rows", a, name="left"), n.input("lines", a, name="right")
    n.end(n.op("Add", n.before(x), n.before(y), name="/at/fault"))
    sizes, other = ((2, a), (3, a), (4, a)), ((5, a), (6, a), (7, a))
    n.options["profile"] = {x: sizes, y: other if n.fault else sizes}
    return "profile", {"/at/fault", x, y}


def profile_of_sizes(n):
    """The values of a shape tensor are missing."""
    a = n.size()
    x, shape = n.input(4, a), n.input(2, type=T.INT64, name="sizes")
    n.end(n.op("Reshape", n.before(x), shape))
    n.options["profile"] = {}
    n.options["values"] = {} if n.fault else {shape: ((4, a),) * 3}
    return "profile", {shape}


def no_workspace(n):
    a = n.size()
    n.end(n.op("MatMul", n.before(n.input(2, a)), n.weights(a, 8)))
    n.options["workspace"] = 0 if n.fault else 1 << 30
    return "option", set()


def conv_bias(n):
    c = n.size()
    x = n.before(n.input(1, c, 9, 9))
    n.end(n.op("Conv", x, n.weights(8, c, 3, 3), n.weights(7 if n.fault else 8), name="/at/fault"))
    return "shape", {"/at/fault"}


def conv_kernel(n):
    c = n.size()
    x = n.before(n.input(1, c, 4, 4))
    n.end(n.op("Conv", x, n.weights(8, c, *([n.pick(5, 7)] * 2 if n.fault else [3, 3])), name="/at/fault"))
    return "shape", {"/at/fault"}


def conv_parts(n):
    x = n.before(n.input(1, 4, 6, 6))
    n.end(n.op("Conv", x, n.weights(9 if n.fault else 10, 2, 3, 3), group=2, name="/at/fault"))
    return "shape", {"/at/fault"}


def deconv_channels(n):
    c = n.size()
    x = n.before(n.input(1, c, 6, 6))
    n.end(n.op("ConvTranspose", x, n.weights(c + 1 if n.fault else c, 4, 3, 3), name="/at/fault"))
    return "shape", {"/at/fault"}


def depth_to_space(n):
    x = n.before(n.input(1, 6 if n.fault else 8, 4, 4))
    n.end(n.op("DepthToSpace", x, blocksize=2, name="/at/fault"))
    return "shape", {"/at/fault"}


def prelu_slope(n):
    a = n.size()
    x = n.before(n.input(3, a))
    n.end(n.op("PRelu", x, n.weights(a + 1 if n.fault else a), name="/at/fault"))
    return "shape", {"/at/fault"}


def lstm_weights(n):
    a = n.size()
    x = n.before(n.input(5, 2, a))
    n.end(n.op("LSTM", x, n.weights(1, 32, a), n.weights(1, 32, 7 if n.fault else 8), hidden_size=8, name="/at/fault"))
    return "shape", {"/at/fault"}


def resize_scales(n):
    x = n.before(n.input(1, 4, 6, 6))
    scales = n.constant(np.array([2, 2] if n.fault else [1, 1, 2, 2], np.float32))
    n.end(n.op("Resize", x, "", scales, name="/at/fault"))
    return "shape", {"/at/fault"}


def instance_norm(n):
    c = n.size()
    x = n.before(n.input(1, c, 6, 6))
    k = c + 1 if n.fault else c
    n.end(n.op("InstanceNormalization", x, n.weights(k), n.weights(k), name="/at/fault"))
    return "shape", {"/at/fault"}


def sum_axis(n):
    x = n.before(n.input(3, n.size()))
    n.end(n.op("CumSum", x, n.constant(np.int64(n.pick(2, -3) if n.fault else 1)), name="/at/fault"))
    return "shape", {"/at/fault"}


def slice_axis(n):
    x = n.before(n.input(3, n.size()))
    n.end(n.op("Slice", x, n.ints(0), n.ints(2), n.ints(n.pick(2, 4) if n.fault else 1), name="/at/fault"))
    return "shape", {"/at/fault"}


def new_axis_twice(n):
    x = n.before(n.input(3, n.size()))
    n.end(n.op("Unsqueeze", x, n.ints(*(n.pick([0, 0], [1, 1]) if n.fault else [0, 1])), name="/at/fault"))
    return "shape", {"/at/fault"}


def top_axis(n):
    x = n.before(n.input(3, n.size()))
    n.end(n.op("TopK", x, n.ints(2), axis=n.pick(2, -3) if n.fault else 1, outputs=2, name="/at/fault")[0])
    return "shape", {"/at/fault"}


def sum_of_bools(n):
    a = n.size()
    x, y = (n.op("Greater", n.before(n.input(2, a)), n.constant(np.float32(0))) for _ in range(2))
    n.end(n.op("Cast", n.op("Add" if n.fault else "Or", x, y, name="/at/fault"), to=T.FLOAT))
    return "type", {"/at/fault"}


def integers_beside(n):
    a = n.size()
    x = n.before(n.input(2, a))
    n.end(n.op(n.pick("Add", "Mul", "Sub"), x, n.constant(np.ones(a, n.pick(np.int64, np.int32) if n.fault else np.float32)), name="/at/fault"))
    return "type", {"/at/fault"}


def half_beside_bfloat(n):
    a = n.size()
    x = n.before(n.input(2, a))
    y, z = n.op("Cast", x, to=T.FLOAT16), n.op("Cast", x, to=T.BFLOAT16 if n.fault else T.FLOAT16)
    n.end(n.op("Cast", n.op(n.pick("Add", "Mul"), y, z, name="/at/fault"), to=T.FLOAT))
    return "type", {"/at/fault"}


def half_where(n):
    a = n.size()
    x = n.before(n.input(2, a))
    kind = np.float16 if n.fault else np.float32
    n.end(n.op("Where", n.op("Greater", x, n.constant(np.float32(0))), x, n.constant(kind(1)), name="/at/fault"))
    return "type", {"/at/fault"}


def gather_floats(n):
    x = n.before(n.input(4, n.size()))
    n.end(n.op("Gather", x, n.constant(np.ones(2, np.float32 if n.fault else np.int64)), name="/at/fault"))
    return "type", {"/at/fault"}


def dynamic_gemm_sizes(n):
    a = n.size()
    x = n.input("batch", a)
    n.end(n.op("Gemm", n.before(x), n.weights(a + 3 if n.fault else a, 8), n.weights(8), name="/at/fault"))
    n.options["profile"] = {x: ((1, a), (2, a), (4, a))}
    return "shape", {"/at/fault"}


def state_type(n):
    def value(name, kind=T.FLOAT, shape=(4,)):
        return helper.make_tensor_value_info(name, kind, shape)
    kind = T.FLOAT16 if n.fault else T.FLOAT
    x = n.before(n.input(4))
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["co"], name="/body/Identity"), helper.make_node("Cast", ["s"], ["so"], to=kind, name="/body/Cast")],
                             "body", [value("i", T.INT64, ()), value("c", T.BOOL, ()), value("s")], [value("co", T.BOOL, ()), value("so", kind)])
    n.end(n.op("Loop", n.constant(np.int64(3)), n.constant(np.bool_(True)), x, body=body, name="/at/fault"))
    return "type", {"/at/fault", "/body/Cast"}


def if_ranks(n):
    x = n.before(n.input(1, 3))
    out = helper.make_tensor_value_info
    then = helper.make_graph([helper.make_node("Flatten" if not n.fault else "ReduceSum", [x], ["a"], name="/then/one", **({} if not n.fault else {"keepdims": 0}))], "t", [], [out("a", T.FLOAT, None)])
    other = helper.make_graph([helper.make_node("Relu", [x], ["b"], name="/else/Relu")], "e", [], [out("b", T.FLOAT, None)])
    n.options["bare"] = True
    n.end(n.op("If", n.input(type=T.BOOL), then_branch=then, else_branch=other, name="/at/fault"))
    return "shape", {"/at/fault"}


def int32_bias(n):
    a = n.size()
    x = n.before(n.input(2, a))
    bias = n.op("DequantizeLinear", n.constant(np.ones(8, np.int32)), n.constant(np.float32(.01)), name="/at/dq") if n.fault else n.weights(8)
    n.end(n.op("Add", n.op("MatMul", x, n.weights(a, 8)), bias))
    return "q/dq|type", {"/at/dq"}


def scan_sizes(n):
    def value(name, shape):
        return helper.make_tensor_value_info(name, T.FLOAT, shape)
    a = n.size()
    x, s = n.before(n.input(5, a)), n.before(n.input(a + 1 if n.fault else a))
    body = helper.make_graph([helper.make_node("Add", ["s", "e"], ["so"], name="/body/Add"), helper.make_node("Relu", ["so"], ["eo"], name="/body/Relu")],
                             "body", [value("s", None), value("e", None)], [value("so", None), value("eo", None)])
    n.options["bare"] = True
    n.end(*n.op("Scan", s, x, outputs=2, body=body, num_scan_inputs=1, name="/at/fault"))
    return "shape", {"/at/fault", "/body/Add"}


def missing_output(n):
    x = n.op("Relu", n.before(n.input(2, n.size())))
    n.end(x)
    if n.fault:
        n.outputs[0].name = "nobody_output"
    return "model", {"nobody_output"}


def mod_of_floats(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op("Mod", x, n.constant(np.float32(2)), fmod=0 if n.fault else 1, name="/at/fault"))
    return "operator|type", {"/at/fault"}


def crop_resize(n):
    x = n.before(n.input(1, 4, 8, 8))
    more = {"coordinate_transformation_mode": "tf_crop_and_resize"} if n.fault else {}
    roi = n.constant(np.array([0, 0, 0, 0, 1, 1, 1, 1], np.float32)) if n.fault else ""
    n.end(n.op("Resize", x, roi, n.constant(np.array([1, 1, 2, 2], np.float32)), name="/at/fault", **more))
    return "operator", {"/at/fault"}


def training_norm(n):
    c = n.size()
    x = n.before(n.input(1, c, 6, 6))
    y = n.op("BatchNormalization", x, *(n.constant(np.ones(c, np.float32)) for _ in range(4)), name="/at/fault", outputs=3 if n.fault else 1, training_mode=int(n.fault))
    n.end(y[0] if n.fault else y)
    return "operator", {"/at/fault"}


def made_twice(n):
    x = n.before(n.input(2, n.size()))
    y = n.op("Relu", x, name="/at/one")
    n.op("Tanh", x, name="/at/two")
    if n.fault:
        n.nodes[-1].output[0] = y
    n.end(y, *([] if n.fault else [n.nodes[-1].output[0]]))
    return "model", {"/at/one", "/at/two", y}


def cycle(n):
    a = n.size()
    x = n.before(n.input(2, a))
    y = n.op("Add", x, "/at/two_output_0" if n.fault else x, name="/at/one")
    n.end(n.op("Tanh", y, name="/at/two"))
    return "model", {"/at/one", "/at/two"}


def nothing_read(n):
    x = n.before(n.input(2, n.size()))
    n.end(n.op("Add", x, "/nowhere_output_0" if n.fault else x, name="/at/fault"))
    return "model", {"/at/fault", "/nowhere_output_0"}


def outside(n, kind):
    """Weights in a file that is absent, too short or a directory."""
    a = n.size()
    n.end(n.op("MatMul", n.before(n.input(2, a)), n.constant(np.ones((a, 8), np.float32), name="weights.of.fault"), name="/at/fault"))
    n.options["outside"] = kind if n.fault else "whole"
    return "model", {"/at/fault", "weights.of.fault"}


KINDS = {f.__name__: f for f in (
    half_beside_float, half_weights, half_conv, half_concat, where_of_floats, logic_of_floats, reshape_volume,
    reshape_rest, gemm_bias, gemm_inner, matmul_inner, transpose_perm, gather_axis, concat_sizes, broadcast,
    conv_channels, conv_groups, norm_scale, squeeze_wide, softmax_axis, reduce_axis, split_sum, tile_rank, pad_length,
    einsum_sizes, bn_sizes, loop_grows, if_types, plugin, operator, top_many, scatter_reduction, zero_point,
    scale_sign, scale_count, int4_block, bare_int8, fp8_e5m2, fp8_by_int8, fp8_old_device, bf16_old_device,
    product_on_turing, no_profile, profile_of_static, profile_order, conv_bias, conv_kernel, conv_parts,
    deconv_channels, depth_to_space, prelu_slope, lstm_weights, resize_scales, instance_norm, sum_axis, slice_axis,
    new_axis_twice, top_axis, sum_of_bools, integers_beside, half_beside_bfloat, half_where, gather_floats,
    dynamic_gemm_sizes, state_type, if_ranks, int32_bias, scan_sizes, missing_output, mod_of_floats, crop_resize,
    training_norm, profile_of_one, profile_shapes, profile_of_sizes, no_workspace, made_twice, cycle, nothing_read)}
KINDS.update({f"outside_{kind}": lambda n, kind=kind: outside(n, kind) for kind in ("absent", "short", "directory")})


# -------------------------------------------------------------------------------------------------------------- builds

def save(net, path):
    model = net.model()
    kind = net.options.get("outside")
    if not kind:
        onnx.save(model, path)
        return
    data = os.path.basename(path) + ".data"
    onnx.save(model, path, save_as_external_data=True, location=data, size_threshold=16)
    data = os.path.join(os.path.dirname(path), data)
    if kind == "short":
        os.truncate(data, os.path.getsize(data) // 2)
    elif kind != "whole":
        os.remove(data)
    if kind == "directory":
        os.mkdir(data)


def build(trt, path, log, options):
    """True: an engine was built.  In a child, since the builder may not return."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    status = 1
    try:
        with open(log, "w", encoding="utf-8", errors="surrogateescape") as out:
            status = 0 if one(trt, path, out, options) else 1
    finally:
        os._exit(status)


def one(trt, path, out, options):
    class Logger(trt.ILogger):
        def log(self, severity, message):
            letter = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I"}.get(severity.name, "V")
            out.write(f"[01/01/2026-00:00:00] [TRT] [{letter}] {message}\n")
            out.flush()
    logger = Logger()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    if not trt.OnnxParser(network, logger).parse_from_file(path):
        return False
    config = builder.create_builder_config()
    config.num_compute_capabilities = 1
    config.set_compute_capability(getattr(trt.ComputeCapability, "SM" + options.get("sm", "89")), 0)
    if "workspace" in options:
        config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, options["workspace"])
    if options.get("profile") is not None:
        profile = builder.create_optimization_profile()
        for i in range(network.num_inputs):
            tensor = network.get_input(i)
            if tensor.name in options["profile"]:
                profile.set_shape(tensor.name, *options["profile"][tensor.name])
            if tensor.name in options.get("values", {}):
                profile.set_shape_input(tensor.name, *options["values"][tensor.name])
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config) is not None


# -------------------------------------------------------------------------------------------------------------- judged

def errors_of(binary, path, sm):
    """Names of nodes and inputs in the errors of lint."""
    done = subprocess.run([binary, "lint", path, "--for", f"rtx-1.7:sm{sm}", "-f", "json"], capture_output=True, text=True, check=False)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return None
    nodes = onnx.load(path, load_external_data=False).graph.node
    return [(f["rule"], {nodes[i].name for i in f["nodes"] if i < len(nodes)}, f["message"]) for f in said["findings"] if f["severity"] == "error"]


def passes_check(binary, path, log, at):
    snapshot = os.path.join(at, "none.fsd")
    done = subprocess.run([binary, "snapshot", path, log, "-o", snapshot], capture_output=True, text=True, check=False)
    again = subprocess.run([binary, "check", snapshot, path, log], capture_output=True, text=True, check=False)
    return done.returncode != 2 or again.returncode != 2


def judge(binary, trt, kind, seed, at, args, counts):
    net = Net(seed, True)
    classes, names = KINDS[kind](net)
    path, log = os.path.join(at, f"{kind}.onnx"), os.path.join(at, f"{kind}.log")
    save(net, path)
    if build(trt, path, log, net.options):
        print(f"{kind} {seed}: it builds")
        counts["builds"] += 1
        return
    done = subprocess.run([binary, path, log, "-f", "json"], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout) if done.stdout else {"class": "none", "nodes": [], "tensors": [], "message": done.stderr, "found_by": ""}
    found = [n.get("name", "") for n in report["nodes"]] + report["tensors"]
    is_class, is_place = report["class"] in classes.split("|"), bool(names & set(found)) if names else not found
    errors = errors_of(binary, path, net.options.get("sm", "89"))
    foreseen = any(nodes & names for _, nodes, _ in errors or [])
    ours = Net(seed, False)
    KINDS[kind](ours)
    near, near_log = os.path.join(at, f"{kind}.near.onnx"), os.path.join(at, f"{kind}.near.log")
    save(ours, near)
    good = build(trt, near, near_log, ours.options)
    false = errors_of(binary, near, ours.options.get("sm", "89")) if good else []
    counts.update({"failed": 1, "class": is_class, "place": is_place, "foreseen": foreseen, "neighbours": good, "neighbours with an error": bool(false),
                   "passed": done.returncode != 2 or passes_check(binary, path, log, at)})
    if args.v or not (is_class and is_place and good) or false:
        print(f"{kind} {seed}: {report['class']}{'' if is_class else ' WRONG'}, at {found[:4]}{'' if is_place else ' WRONG'} by {report['found_by']}"
              f"{', foreseen' if foreseen else ''}{'' if good else ', THE NEIGHBOUR FAILS'}{f', ERRORS {false}' if false else ''}: {report['message'][:150]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", help="this kind")
    parser.add_argument("--keep", help="where models and logs stay")
    parser.add_argument("--bars", action="store_true")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    try:
        import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
        import tensorrt_rtx_bindings as trt
    except ImportError:
        print("TensorRT for RTX is not there: skipped")
        sys.exit(77)
    # Each kind once before any a second time.
    random = np.random.default_rng(args.seed)
    kinds = [args.only] if args.only else [str(k) for _ in range(-(-args.count // len(KINDS))) for k in random.permutation(list(KINDS))]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        at = args.keep or folder
        os.makedirs(at, exist_ok=True)
        for i, kind in enumerate(kinds[:args.count]):
            judge(os.path.abspath(args.binary), trt, kind, 1000 * args.seed + i, at, args, counts)
    n = counts["failed"]
    print(f"{n} failed builds: class {counts['class']}, place {counts['place']}, foreseen {counts['foreseen']}; {counts['passed']} pass")
    print(f"{counts['neighbours']} neighbours build, {counts['neighbours with an error']} of them have an error of lint")
    bad = counts["class"] < CLASS_BAR * n or counts["place"] < PLACE_BAR * n or counts["passed"] or counts["neighbours with an error"]
    sys.exit(bool(args.bars and (bad or not n)))


if __name__ == "__main__":
    main()
