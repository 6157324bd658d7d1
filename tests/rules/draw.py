#!/usr/bin/env python3
"""draw.py FOLDER: two small models a rule of lint, one that it fires on and one that is as
the rule advises; FOLDER/RULE.fires.onnx and FOLDER/RULE.silent.onnx, a '/' in RULE as '_'.

The same models are built with the real builder by tests/real/lint.py."""
import json
import os
import sys

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
from models import Net  # noqa: E402
from refused import refused_sizes  # noqa: E402

C = 32
PAIRS = {}
BUILDER = {}  # of rules that do not hold for the default one
REAL = ("qdq/residual", "qdq/one-sided", "qdq/inside-conv", "qdq/island", "qdq/silu", "qdq/no-gain", "qdq/useless",
        "qdq/after", "scale/one-tensor", "scale/moved", "scale/concat", "scale/concat-inputs", "cast/round-trip",
        "precision/fp32-rest")


def pair(rule, builder=None):
    def keep(draw):
        PAIRS[rule] = draw
        if builder:
            BUILDER[rule] = builder
        return draw
    return keep


def conv(n, x, c_in=C, c_out=C, **attributes):
    """A convolution of data that is quantized, or not, already."""
    w = n.const(n.random.integers(-100, 100, (c_out, c_in, 1, 1)).astype(np.int8))
    scale = n.const((n.random.random(c_out) * 0.01 + 0.005).astype(np.float32))
    w = n.op("DequantizeLinear", w, scale, n.const(np.zeros(c_out, np.int8)), axis=0)
    return n.op("Conv", x, w, kernel_shape=[1, 1], **attributes)


def q(n, x, scale=0.02, zero=0, type=np.int8, **attributes):
    s, z = n.const(np.asarray(scale, np.float32)), n.const(np.full(np.shape(scale), zero, type))
    return n.op("DequantizeLinear", n.op("QuantizeLinear", x, s, z, **attributes), s, z, **attributes)


def start(seed=5, c=C, side=16):
    n = Net(seed)
    return n, n.input("x", 1, c, side, side)


def end(n, y, *dims, opset=17, type=TensorProto.FLOAT):
    n.output(y, *dims, type=type)
    return n.model(opset)


def finish(n, y, opset=17):
    """Whatever stands before is read by a quantized convolution, at last."""
    return end(n, conv(n, q(n, y)), 1, C, 16, 16, opset=opset)


@pair("build/refused")
def refused(fires):
    n, x = start()
    return end(n, n.op("Det" if fires else "ReduceSum", x, **({} if fires else {"keepdims": 0})),
               *([1, C] if fires else []))


@pair("build/absent-weights")
def absent_weights(fires):
    """Weights in a file that is not there, and in the model."""
    n, x = start()
    model = end(n, n.op("Conv", x, n.weight(C, C, 1, 1), kernel_shape=[1, 1]), 1, C, 16, 16)
    if fires:
        weights = model.graph.initializer[0]
        weights.ClearField("raw_data")
        weights.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "not_there.bin"), ("offset", "0"), ("length", str(4 * C * C))):
            entry = weights.external_data.add()
            entry.key, entry.value = key, value
    return model


def short_weights(folder):
    """Weights in a file that a download cut off."""
    model = absent_weights(True)
    entry = next(e for e in model.graph.initializer[0].external_data if e.key == "location")
    entry.value = "short.bin"
    with open(os.path.join(folder, entry.value), "wb") as file:
        file.write(bytes(100))
    return model


@pair("build/not-known", "trt10")
def not_known(fires):
    n, x = start()
    y = n.op("HouseOp", x, domain="house") if fires else n.op("Relu", x)
    n.output(y, 1, C, 16, 16)
    m = n.model()
    m.opset_import.append(helper.make_opsetid("house", 1))
    return m


@pair("build/ceil-mode")
def ceil_mode(fires):
    """Over 6 rows and columns, of 1x1 with strides of 2: the fourth window would start behind the data."""
    n, x = start(side=6)
    n.output(n.op("MaxPool", n.op("Relu", x), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1), 1, C, 3, 3)
    n.output(n.op("MaxPool", x, kernel_shape=[1, 1], strides=[2, 2], ceil_mode=int(fires)), 1, C, 3, 3)
    return n.model(22)


@pair("fusion/attention")
def fused_attention(fires):
    """Two heads of 8, and of 16."""
    n = Net(5)
    half, d = TensorProto.FLOAT16, 8 if fires else 16
    q, k, v = (n.input(name, 1, 2, 12, d, type=half) for name in "qkv")
    scores = n.op("MatMul", q, n.op("Transpose", k, perm=[0, 1, 3, 2]))
    return end(n, n.op("MatMul", n.op("Softmax", scores, axis=-1), v), 1, 2, 12, d, type=half)


@pair("qdq/residual")
def residual(fires):
    n, x = start()
    x = n.op("Relu", conv(n, q(n, x)))
    y = conv(n, q(n, n.op("Relu", conv(n, q(n, x)))))
    return finish(n, n.op("Relu", n.op("Add", y, x if fires else q(n, x))))


@pair("qdq/open-sum", "trt8")
def open_sum(fires):
    n, x = start()
    x = n.op("Relu", conv(n, q(n, x)))
    y = conv(n, q(n, n.op("Relu", conv(n, q(n, x)))))
    y = n.op("Relu", n.op("Add", y, q(n, x)))
    return end(n, n.op("GlobalAveragePool", y if fires else q(n, y)), 1, C, 1, 1)


@pair("qdq/one-sided")
def one_sided(fires):
    n, x = start()
    return finish(n, n.op("Relu", conv(n, x if fires else q(n, x))))


@pair("qdq/inside-conv")
def inside_conv(fires):
    n, x = start()
    y = conv(n, q(n, x))
    return finish(n, n.op("Relu", q(n, y)) if fires else n.op("Relu", y))


@pair("qdq/island")
def island(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    y = n.op("AveragePool", y if fires else q(n, y), kernel_shape=[3, 3], pads=[1] * 4)
    return finish(n, y)


@pair("qdq/silu")
def silu(fires):
    n, x = start()
    y = conv(n, q(n, x))
    s = n.op("Sigmoid", y)
    return finish(n, n.op("Mul", y, q(n, s) if fires else s))


@pair("qdq/pad")
def pad(fires):
    n, x = start()
    pads = n.const(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
    y = q(n, n.op("Pad", x, pads)) if fires else n.op("Pad", q(n, x), pads)
    return end(n, conv(n, y), 1, C, 18, 18)


@pair("qdq/deconv", "trt8")
def deconv(fires):
    n, x = start()
    w = n.const(n.random.integers(-100, 100, (C, C, 2, 2)).astype(np.int8))
    w = n.op("DequantizeLinear", w, n.const(np.full(C, 0.01, np.float32)), n.const(np.zeros(C, np.int8)), axis=1)
    y = n.op("ConvTranspose", q(n, x), w, kernel_shape=[2, 2], strides=[2, 2])
    return end(n, conv(n, q(n, n.op("Relu", y) if fires else y)), 1, C, 32, 32)


@pair("qdq/no-gain", "trt10")
def no_gain(fires):
    n, x = start()
    maybe = (lambda t: q(n, t)) if fires else (lambda t: t)  # noqa: E731
    y = n.op("Softmax", maybe(conv(n, q(n, x))), axis=1)
    y = n.op("Mul", maybe(conv(n, q(n, y))), n.const(np.float32(0.5)))
    y = n.op("MatMul", q(n, y), q(n, y))
    y = n.op("Softmax", n.op("Add", n.input("mask", 1, 1, 16, 16), maybe(y)), axis=3)
    d = q(n, y)  # the convolution is why it is there
    n.output(n.op("Mul", d, n.const(np.float32(2))), 1, C, 16, 16)
    return end(n, conv(n, d), 1, C, 16, 16)


@pair("qdq/useless")
def useless(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    z = n.op("Reshape", q(n, y), n.const(np.array([1, C, 256], np.int64)))
    if not fires:  # a convolution needs it behind the views
        z = conv(n, n.op("Unsqueeze", z, n.const(np.array([3], np.int64))))
    n.output(n.op("Transpose", z, perm=[0, 2, 1] if fires else [0, 2, 1, 3]), 1, 256, C, *([] if fires else [1]))
    return end(n, q(n, n.op("Relu", y)) if fires else n.op("Relu", y), 1, C, 16, 16)


@pair("qdq/after")
def after(fires):
    n, x = start()
    y = conv(n, q(n, x))
    z = n.op("Mul", q(n, y) if fires else y, n.const(np.float32(0.5)))
    return finish(n, z)


@pair("qdq/attention")
def attention(fires):
    n = Net(5)
    query, key, value = (n.input(name, 1, 2, 64, 32) for name in "qkv")
    quantized = (lambda x: x) if fires else (lambda x: q(n, x, 0.01))
    scores = n.op("MatMul", q(n, query), n.op("Transpose", q(n, key), perm=[0, 1, 3, 2]))
    scores = n.op("Softmax", n.op("Mul", scores, n.const(np.float32(0.17))), axis=-1)
    return end(n, n.op("MatMul", quantized(scores), quantized(value)), 1, 2, 64, 32)


@pair("qdq/small-product")
def small_product(fires):
    n = Net(5)
    c = 8 if fires else 16
    w = n.const(n.random.integers(-100, 100, (64, c)).astype(np.int8))
    w = n.op("DequantizeLinear", w, n.const(np.float32(0.01)), n.const(np.int8(0)))
    return end(n, n.op("MatMul", q(n, n.input("x", 4, 64)), w), 4, c)


@pair("scale/one-tensor")
def one_tensor(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    a, b = conv(n, q(n, y, 0.02)), conv(n, q(n, y, 0.03 if fires else 0.02))
    return end(n, n.op("Concat", a, b, axis=1), 1, 2 * C, 16, 16)


@pair("scale/moved")
def moved(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    a = conv(n, q(n, y, 0.02))
    b = conv(n, q(n, n.op("MaxPool", y, kernel_shape=[3, 3], pads=[1] * 4), 0.03 if fires else 0.02))
    return end(n, n.op("Concat", a, b, axis=1), 1, 2 * C, 16, 16)


@pair("scale/concat")
def concat(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    a, b = n.op("Relu", conv(n, q(n, y))), n.op("Relu", conv(n, q(n, y)))
    both = conv(n, q(n, n.op("Concat", a, b, axis=1), 0.03 if fires else 0.02), c_in=2 * C)
    return end(n, n.op("Concat", conv(n, q(n, a, 0.02)), both, axis=1), 1, 2 * C, 16, 16)


@pair("scale/concat-inputs")
def concat_inputs(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    a, b = n.op("Relu", conv(n, q(n, y))), n.op("Relu", conv(n, q(n, y)))
    both = n.op("Concat", q(n, a, 0.02), q(n, b, 0.03 if fires else 0.02), axis=1)
    return end(n, conv(n, both, c_in=2 * C), 1, C, 16, 16)


@pair("scale/weight-axis")
def weight_axis(fires):
    n, x = start()
    w = n.const(n.random.integers(-100, 100, (C, C, 1, 1)).astype(np.int8))
    w = n.op("DequantizeLinear", w, n.const(np.full(C, 0.01, np.float32)), n.const(np.zeros(C, np.int8)),
             axis=1 if fires else 0)
    n.output(n.op("Conv", q(n, x), w, kernel_shape=[1, 1]), 1, C, 16, 16)
    rows = q(n, n.input("rows", 4, C))
    for turned in (0, 1):
        w = n.random.integers(-100, 100, (16, C) if turned else (C, 16)).astype(np.int8)
        axis = turned if fires else 1 - turned
        scale = np.full(w.shape[axis], 0.01, np.float32)
        w = n.op("DequantizeLinear", n.const(w), n.const(scale), n.const(np.zeros(len(scale), np.int8)), axis=axis)
        n.output(n.op("Gemm", rows, w, transB=turned), 4, 16)
    return n.model(17)


@pair("scale/weights")
def weights(fires):
    n, x = start()
    w = n.const(n.random.integers(-100, 100, (C, C, 1, 1)).astype(np.int8))
    scale = n.const(np.float32(0.01) if fires else np.full(C, 0.01, np.float32))
    w = n.op("DequantizeLinear", w, scale, n.const(np.zeros([] if fires else C, np.int8)), axis=0)
    return end(n, n.op("Conv", q(n, x), w, kernel_shape=[1, 1]), 1, C, 16, 16)


@pair("scale/bias")
def bias(fires):
    n, x = start()
    w = n.const(n.random.integers(-100, 100, (C, C, 1, 1)).astype(np.int8))
    scales = np.linspace(0.005, 0.01, C, dtype=np.float32)
    w = n.op("DequantizeLinear", w, n.const(scales), n.const(np.zeros(C, np.int8)), axis=0)
    b = n.op("DequantizeLinear", n.const(np.arange(C, dtype=np.int32)),
             n.const(scales * np.float32(0.03 if fires else 0.02)), axis=0)
    return end(n, n.op("Conv", q(n, x), w, b, kernel_shape=[1, 1]), 1, C, 16, 16)


@pair("scale/data")
def data(fires):
    n, x = start()
    y = q(n, x, np.full(C, 0.02), axis=1) if fires else q(n, x)
    return end(n, conv(n, y), 1, C, 16, 16)


@pair("scale/axis-moved")
def axis_moved(fires):
    n, x = start()
    y = q(n, x, np.full(C, 0.02), axis=1) if fires else q(n, x)
    return end(n, n.op("Transpose", y, perm=[0, 2, 3, 1]), 1, 16, 16, C)


@pair("scale/zero-point")
def zero_point(fires):
    n, x = start()
    return end(n, conv(n, q(n, x, zero=3 if fires else 0)), 1, C, 16, 16)


@pair("scale/bad")
def bad(fires):
    n, x = start()
    return end(n, conv(n, q(n, x, scale=-0.02 if fires else 0.02)), 1, C, 16, 16)


@pair("scale/unknown")
def unknown(fires):
    n, x = start()
    s = n.op("Abs", n.input("s")) if fires else n.const(np.float32(0.02))
    z = n.const(np.int8(0))
    y = n.op("DequantizeLinear", n.op("QuantizeLinear", x, s, z), s, z)
    return end(n, conv(n, y), 1, C, 16, 16)


@pair("scale/block")
def block(fires):
    n = Net(5)
    x = n.input("x", 4, 96)
    size = 64 if fires else 32
    w = n.const(n.random.integers(-100, 100, (96, 16)).astype(np.int8))
    w = n.op("DequantizeLinear", w, n.const(np.full((-(-96 // size), 16), 0.01, np.float32)), axis=0, block_size=size)
    return end(n, n.op("MatMul", x, w), 4, 16, opset=21)


@pair("channels/alignment")
def channels(fires):
    n, x = start()
    c = 24 if fires else 32
    y = n.op("Relu", conv(n, q(n, x), c_out=c))
    return end(n, conv(n, q(n, y), c_in=c), 1, C, 16, 16)


@pair("cast/round-trip")
def round_trip(fires):
    n, x = start()
    y = n.op("Relu", x)
    if fires:
        y = n.op("Cast", n.op("Cast", y, to=TensorProto.FLOAT16), to=TensorProto.FLOAT)
    return end(n, n.op("Sigmoid", y), 1, C, 16, 16)


@pair("cast/fp16-range")
def fp16_range(fires):
    """A softmax, a power and a mean of 8,192 elements; short means may be FP16."""
    n, x = start()
    wide, half = {"to": TensorProto.FLOAT}, {"to": TensorProto.FLOAT16}
    x = n.op("Cast", x, **half)
    if not fires:
        y = n.op("Cast", n.op("Softmax", n.op("Cast", x, **wide), axis=1), **half)
        n.output(n.op("ReduceMean", x, axes=[3]), 1, C, 16, 1, type=TensorProto.FLOAT16)
        return end(n, y, 1, C, 16, 16, type=TensorProto.FLOAT16)
    y = n.op("Pow", n.op("Softmax", x, axis=1), n.const(np.array(2, np.float16)))
    n.output(n.op("ReduceMean", y, axes=[1, 2, 3]), 1, 1, 1, 1, type=TensorProto.FLOAT16)
    return end(n, y, 1, C, 16, 16, type=TensorProto.FLOAT16)


@pair("precision/fp32-rest")
def fp32_rest(fires):
    n, x = start()
    y = n.op("Relu", conv(n, q(n, x)))
    y = n.op("Conv", y, n.weight(C, C, 1, 1), kernel_shape=[1, 1]) if fires else conv(n, q(n, y))
    return end(n, y, 1, C, 16, 16)


@pair("size/dynamic")
def dynamic(fires):
    """Summands, columns, columns of a quantized product, a padded picture; rows and batches may be open."""
    n, k, c, side = Net(5), *(("k", "c", "side") if fires else (64, 48, 32))
    n.output(n.op("MatMul", n.input("a", "rows", k), n.input("b", k, 32)), "rows", 32)
    n.output(n.op("Relu", n.op("MatMul", n.input("d", "rows", 64), n.input("e", 64, c))), "rows", c)
    n.output(n.op("Relu", n.op("MatMul", q(n, n.input("f", "rows", 64)), q(n, n.input("g", 64, c)))), "rows", c)
    y = n.op("Relu", n.op("Conv", n.input("x", "batch", C, side, 32), n.weight(C, C, 1, 1), kernel_shape=[1, 1]))
    y = n.op("Pad", y, n.const(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)))
    return end(n, n.op("Conv", y, n.weight(C, C, 3, 3), kernel_shape=[3, 3]), "batch", C, side, 32)


@pair("size/odd")
def odd(fires):
    """Summands, columns of two tensors, columns of stored weights; rows may be odd, and one column is no product."""
    n, k, c = Net(5), *((63, 49) if fires else (64, 48))
    n.output(n.op("MatMul", n.input("a", 17, k), n.weight(k, 32)), 17, 32)
    n.output(n.op("MatMul", n.input("d", 8, 49, 32), n.input("e", 8, 32, c)), 8, 49, c)
    n.output(n.op("MatMul", n.input("f", 16, 64), n.weight(64, 1)), 16, 1)
    return end(n, n.op("MatMul", n.input("x", 16, 64), n.weight(64, c)), 16, c)


# What TensorRT for RTX refuses, and what is like it and taken: NAME -> model.

def narrow(n, x, lowest=-7, type=np.int8, between="Clip"):
    """Q, an operator on 8 bits, DQ: Brevitas writes fewer bits so."""
    s, z = n.const(np.float32(0.02)), n.const(type(0))
    y = n.op("QuantizeLinear", x, s, z)
    bounds = [n.const(type(lowest)), n.const(type(7))] if between == "Clip" else []
    return n.op("DequantizeLinear", n.op(between, y, *bounds), s, z)


def refused_clip(fires):
    n, x = start()
    if fires:  # a bound of 8 bits that only a run knows
        s, z = n.const(np.float32(0.02)), n.const(np.int8(0))
        y = n.op("Clip", n.op("QuantizeLinear", x, s, z), n.input("low", type=TensorProto.INT8))
        return end(n, n.op("DequantizeLinear", y, s, z), 1, C, 16, 16)
    return end(n, narrow(n, narrow(n, narrow(n, x), 0, np.uint8), 0, np.uint8, "Relu"), 1, C, 16, 16)


def refused_uint8(fires):
    n, x = start()
    s, z = n.const(np.float32(0.02)), n.const(np.uint8(0))
    y = n.input("y", 1, C, 16, 16, type=TensorProto.UINT8) if fires else n.op("QuantizeLinear", x, s, z)
    y = n.op("DequantizeLinear", n.op("MaxPool", y, kernel_shape=[1, 1]), s, z)
    return end(n, n.op("Add", x, y), 1, C, 16, 16)


def refused_stored(fires):
    n, x = start()
    w = n.const(n.random.integers(-100, 100, (C, C, 1, 1)).astype(np.int8))
    w = n.op("Clip", w, n.const(np.int8(-7)), n.const(np.int8(7))) if fires else w
    w = n.op("DequantizeLinear", w, n.const(np.full(C, 0.01, np.float32)), n.const(np.zeros(C, np.int8)), axis=0)
    return end(n, n.op("Conv", q(n, x), w, kernel_shape=[1, 1]), 1, C, 16, 16)


def refused_mixed(fires):
    n = Net(5)
    rows = (2, 16) if fires else (16,)
    int4 = 22  # older versions of onnx have no name for it
    n.weights.append(TensorProto(name="four", data_type=int4, dims=[64, 64], raw_data=n.random.bytes(64 * 64 // 2)))
    w = n.op("DequantizeLinear", "four", n.const(np.full((2, 64), 0.02, np.float32)), axis=0, block_size=32)
    return end(n, n.op("MatMul", q(n, n.input("x", *rows, 64)), w), *rows, 64, opset=21)


def refused_gemm(fires):
    n = Net(5)
    x = n.input("x", *([2, 4] if fires else [4]), 64)
    return end(n, n.op("Gemm", x, n.weight(64, 32)), *([2, 4] if fires else [4]), 32)


def refused_left_empty(fires):
    n = Net(5)
    return end(n, n.op("Gemm", n.input("x", 4, 64), n.weight(64, 32), *([""] if fires else [])), 4, 32)


def refused_open_weights(fires):
    n, x = start()
    return end(n, n.op("Conv", x, n.input("w", C, "c" if fires else C, 1, 1), kernel_shape=[1, 1]), 1, C, 16, 16)


def attention(n, name, rank, type, head, q=4, vhead=None, mask=None, keys=2, **attributes):
    """Two heads of queries, and of six keys."""
    make = (lambda x, heads, length, size: n.input(name + x, 2, length, heads * size, type=type)) if rank == 3 else (
        lambda x, heads, length, size: n.input(name + x, 2, heads, length, size, type=type))
    given = [make("q", 2, q, head), make("k", keys, 6, head), make("v", keys, 6, vhead or head)]
    given += [n.input(name + "m", *mask, type=type)] if mask else []
    if rank == 3:
        attributes.update(q_num_heads=2, kv_num_heads=keys)
    y = n.op("Attention", *given, **attributes)
    n.output(y, *((2, q, 2 * (vhead or head)) if rank == 3 else (2, 2, q, vhead or head)), type=type)


def refused_attention(fires):
    """What is left whole needs a kernel, which there is of narrow types and heads of 16 or more."""
    n, full, half = Net(5), TensorProto.FLOAT, TensorProto.FLOAT16
    if fires:
        attention(n, "a", 3, full, 64, is_causal=1)
    else:
        attention(n, "b", 3, full, 8)
        attention(n, "c", 3, half, 16, is_causal=1)
        attention(n, "d", 4, full, 64, q=1, is_causal=1)
    return n.model(23)


def refused_keys(fires):
    n = Net(5)
    attention(n, "a", 3, TensorProto.FLOAT16, 64, keys=1, **({"vhead": 32} if fires else {}))
    return n.model(23)


def refused_mask(fires):
    n = Net(5)
    attention(n, "a", 4, TensorProto.FLOAT16, 64, mask=(2, 1, 4, 4 if fires else 6))
    return n.model(23)


def refused_head(fires):
    """Heads above 256 are taken where the operator is decomposed."""
    n, half = Net(5), TensorProto.FLOAT16
    if fires:
        attention(n, "a", 4, half, 264, q=1)
    else:
        attention(n, "b", 4, half, 256, is_causal=1)
        attention(n, "c", 3, half, 512)
    return n.model(23)


def refused_heads_mask(fires):
    n = Net(5)
    attention(n, "a", 4, TensorProto.FLOAT16, 64, mask=(3 if fires else 2, 2, 1, 6))
    return n.model(23)


def heads(n, x, *more, v=64, bias=None, keys=3, outputs=1, **attributes):
    """Two heads of 64, four queries, six keys."""
    given = [n.input(x + "q", 2, 4, 128), n.input(x + "k", 2, *((6, 128) if keys == 3 else (2, 6, 64))),
             n.input(x + "v", 2, *((6, 2 * v) if keys == 3 else (2, 6, v))), *more]
    if bias:
        given += [""] * (5 - len(given)) + [n.input(x + "b", *bias)]
    made = n.op("MultiHeadAttention", *given, outputs=outputs, domain="com.microsoft", num_heads=2, **attributes)
    n.output(made if outputs == 1 else made[0], 2, 4, 2 * v)
    for y in made[1:] if outputs > 1 else []:
        n.output(y, 2, 2, 6, 64)


def of_microsoft(n):
    model = n.model()
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def refused_heads_values(fires):
    n = Net(5)
    heads(n, "a", v=32 if fires else 64)
    return of_microsoft(n)


def refused_heads_bias(fires):
    n = Net(5)
    heads(n, "a", bias=(2, 3 if fires else 1, 4, 6))
    heads(n, "b", bias=(1, 2, 1, 6))
    return of_microsoft(n)


def refused_heads_inputs(fires):
    n = Net(5)
    heads(n, "a", *(["", n.input("m", 2, 6, type=TensorProto.INT32)] if fires else []), scale=0.3, unidirectional=0)
    return of_microsoft(n)


def refused_heads_packed(fires):
    n = Net(5)
    if fires:
        n.output(n.op("MultiHeadAttention", n.input("x", 2, 4, 2, 3, 64), domain="com.microsoft", num_heads=2), 2, 4, 128)
    else:
        heads(n, "a")
    return of_microsoft(n)


def refused_heads_rank(fires):
    n = Net(5)
    heads(n, "a", keys=4 if fires else 3)
    return of_microsoft(n)


def refused_heads_outputs(fires):
    n = Net(5)
    heads(n, "a", outputs=3 if fires else 1)
    return of_microsoft(n)


def refused_heads_filter(fires):
    n = Net(5)
    heads(n, "a", **({"mask_filter_value": -1000.0} if fires else {}))
    return of_microsoft(n)


def refused_number(fires):
    """As ONNX Runtime's static quantization writes the constants of a GELU: no dimensions, of size 1 they are taken."""
    n, x = start()
    s, z = n.const(np.float32(0.02)), n.const(np.int8(0))
    n.op("DequantizeLinear", n.const(np.int8(7)), s, z)  # dead: the builder drops it
    half = n.op("DequantizeLinear", n.const(np.int8(25) if fires else np.array([25], np.int8)), s, z)
    folded = n.op("DequantizeLinear", n.op("QuantizeLinear", n.const(np.float32(0.5)), s, z), s, z)
    return finish(n, n.op("Mul", n.op("Mul", q(n, x), half), folded))


def refused_row(fires):
    n = Net(5)
    x, w = n.input("x", 3), n.input("w", 2 if fires else 1, 3, 4)
    return end(n, n.op("MatMul", x, w), 2 if fires else 1, 4)


def refused_broadcast(fires):
    n, x = start()
    if fires:
        return end(n, n.op("Add", x, x), 1, C, 16, 16, opset=6)
    y = n.op("PRelu", n.op("Relu", x), n.const(np.ones((1, C, 1, 1), np.float32)))
    n.output(n.op("Gemm", n.input("a", 2, 3), n.weight(3, 4), n.weight(2, 4)), 2, 4)
    return end(n, y, 1, C, 16, 16, opset=6)


def refused_gemm_broadcast(fires):
    """What is added must be a matrix, of whatever size."""
    n = Net(5)
    y = n.op("Gemm", n.input("a", 2, 3), n.weight(3, 4), n.weight(*([] if fires else [1]), 4), broadcast=1)
    return end(n, y, 2, 4, opset=6)


def refused_slope(fires):
    n, x = start(side=4)
    return end(n, n.op("PRelu", x, n.const(np.ones(1, np.float32))), 1, C, 4, 4, opset=6 if fires else 7)


def refused_axes(fires):
    """A reduction's axes are an initializer, or a cast of one; what else takes axes takes computed ones."""
    n, x = start()
    axes = n.const(np.array([1], np.int64))
    added = n.op("Sub", n.op("Add", axes, axes), axes)
    n.output(n.op("CumSum", x, n.op("Squeeze", added, n.const(np.array([0], np.int64)))), 1, C, 16, 16)
    n.output(n.op("Unsqueeze", x, added), 1, 1, C, 16, 16)
    axes = added if fires else n.op("Identity", n.op("Cast", n.const(np.array([1], np.int32)), to=TensorProto.INT64))
    return end(n, n.op("ReduceMax", x, axes), 1, 1, 16, 16, opset=18)


def refused_remainder(fires):
    n = Net(5)
    type = TensorProto.INT8 if fires else TensorProto.INT32
    return end(n, n.op("Mod", n.input("x", 8, type=type), n.input("y", 8, type=type)), 8, type=type)


def refused_bound(fires):
    n = Net(5)
    x = n.input("x", 8, type=TensorProto.INT8)
    return end(n, n.op("Clip", x, n.const(np.int8(-7)), *([""] if fires else [])), 8, type=TensorProto.INT8)


def refused_count(fires):
    n = Net(5)
    to = n.input("to") if fires else n.op("Cast", n.op("Size", n.input("x", "n", 3)), to=TensorProto.FLOAT)
    return end(n, n.op("Range", n.const(np.float32(0)), to, n.const(np.float32(1))), None)


def refused_depth(fires):
    n = Net(5)
    depth = n.input("depth", type=TensorProto.FLOAT) if fires else n.const(np.float32(4))
    values = n.const(np.array([0, 1], np.float32))
    return end(n, n.op("OneHot", n.input("x", 3, type=TensorProto.INT64), depth, values), 3, None if fires else 4)


def refused_random(fires):
    n, x = start()
    type = TensorProto.BFLOAT16 if fires else TensorProto.FLOAT16
    return end(n, n.op("RandomUniformLike", x, dtype=type), 1, C, 16, 16, type=type)


def refused_cache(fires):
    n, more = Net(5), () if fires else (3,)
    y = n.op("TensorScatter", n.input("past", 2, *more, 8, 4), n.input("new", 2, *more, 2, 4))
    return end(n, y, 2, *more, 8, 4, opset=24)


def refused_branches(fires):
    """Of unlike ranks: a constant condition chooses one before the build."""
    n, x = start()
    then, other = (helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name + "_y", 1, None)])
                   for name, nodes in (("t", [helper.make_node("Relu", [x], ["t_y"])]),
                                       ("e", [helper.make_node("ReduceMax", [x], ["e_y"], keepdims=0)])))
    given = n.input("c", type=TensorProto.BOOL) if fires else n.const(np.array(True))
    y = n.op("If", given, then_branch=then, else_branch=other)
    n.outputs.append(helper.make_tensor_value_info(y, 1, None))
    return n.model()


def refused_parts(fires):
    n, rows = Net(5), 5 if fires else 9
    for y in n.op("Split", n.input("x", rows, 8), outputs=4, num_outputs=4):
        n.output(y, None, 8)
    return n.model(18)


def refused_directions(fires):
    """Both directions have the same activations; one may have any three."""
    n, ways = Net(5), 2 if fires else 1
    more = {"direction": "bidirectional"} if fires else {}
    activations = ["Sigmoid", "Tanh", "Tanh", "Relu", "Tanh", "Tanh"][:3 * ways]
    y = n.op("LSTM", n.input("x", 5, 2, 3), n.weight(ways, 16, 3), n.weight(ways, 16, 4), hidden_size=4,
             activations=activations, **more)
    return end(n, y, 5, ways, 2, 4)


def refused_average(fires):
    """Over 6 the third of 2x2 with strides of 3 would start behind the data, over 7 it has one row left."""
    n, x = start(side=6 if fires else 7)
    return end(n, n.op("AveragePool", x, kernel_shape=[2, 2], strides=[3, 3], ceil_mode=1), 1, C,
               *[2 if fires else 3] * 2, opset=22)


def refused_list(fires):
    """A sequence or an optional as the network's input, whatever reads it."""
    n, x = start()
    n.output(n.op("Relu", x), 1, C, 16, 16)
    if fires:
        type = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [5]))
        n.inputs.append(helper.make_value_info("list", type))
        n.outputs.append(helper.make_value_info(n.op("Identity", "list"), type))
    return n.model()


def refused_int8(fires):
    """Constants of INT8 are for quantizers; of UINT8 they may be cast."""
    n, type = Net(5), np.int8 if fires else np.uint8
    w = n.op("Cast", n.const(np.ones((32, 64), type)), to=TensorProto.FLOAT)
    return end(n, n.op("MatMul", n.input("x", 1, 4, 32), w), 1, 4, 64)


def refused_half_sizes(fires):
    """Sizes that are computed in 16 bits, or in FP32; and of fixed sizes, in 16 bits as well."""
    n = Net(5)
    for rows, type in (("n", TensorProto.BFLOAT16 if fires else TensorProto.FLOAT), (8, TensorProto.FLOAT16)):
        x = n.input(f"x{rows}", rows, 4)
        size = n.op("Cast", n.op("Gather", n.op("Shape", x), n.const(np.array([0]))), to=type)
        twice = n.op("Mul", size, n.op("Cast", n.const(np.float32(2)), to=type))
        size = n.op("Concat", n.op("Cast", twice, to=TensorProto.INT64), n.const(np.array([2])), axis=0)
        n.output(n.op("Reshape", x, size), None, 2)
    return n.model()


def refused_contradiction(fires):
    n = Net(5)
    x = n.op("Transpose", n.input("x", 2, 11, 20), perm=[0, 2, 1])
    n.output(n.op("Add", n.input("a", 2, 1, 3), n.input("b", 4, 3)), 2, 4, 3)
    return end(n, n.op("MatMul", x, n.weight(16 if fires else 11, 8)), 2, 20, 8)


def refused_joined(fires):
    n = Net(5)
    x = n.op("Concat", n.input("x", 2, 4), n.input("z", 3, 5 if fires else 4), axis=0)
    return end(n, n.op("Relu", x), 5, 4)


def refused_nested(fires):
    """A branch in a branch may not give two sizes; alone it may."""
    n, x = start(side=4)
    body = lambda nodes, name: helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name, 1, None)])  # noqa: E731
    cond = [n.input(name, type=TensorProto.BOOL) for name in "cd"]

    def unlike(cond, name):
        return helper.make_node("If", [cond], [name], then_branch=body([helper.make_node("Relu", [x], [name + "t"])], name + "t"),
                                else_branch=body([helper.make_node("ReduceSum", [x], [name + "e"])], name + "e"))

    inner = [unlike(cond[1], "inner") if fires else helper.make_node("Neg", [x], ["inner"])]
    n.nodes.append(helper.make_node("If", [cond[0]], ["y"], then_branch=body(inner, "inner"),
                                    else_branch=body([helper.make_node("Abs", [x], ["z"])], "z")))
    if not fires:
        n.nodes.append(unlike(cond[1], "w"))
        n.outputs.append(helper.make_tensor_value_info("w", 1, None))
    n.outputs.append(helper.make_tensor_value_info("y", 1, None))
    return n.model()


def refused_float_types(fires):
    """One floating-point type for all inputs; a power, a limit and statistics may have another one."""
    n = Net(5)
    half, other = (n.input(name, 2, 8, type=TensorProto.FLOAT16) for name in "ab")
    wide = n.op("Cast", n.input("x", 2, 8), to=TensorProto.FLOAT if fires else TensorProto.FLOAT16)
    two, limit = n.const(np.float32(2)), n.const(np.float32(6))
    mask = n.op("Less", half, other)
    for rows, y in ((2, n.op("Sub", half, wide)), (2, n.op("Where", mask, wide, half)), (4, n.op("Concat", half, wide, axis=0)),
                    (2, n.op("Pow", half, two)), (2, n.op("Clip", half, two, limit))):
        n.output(y, rows, 8, type=TensorProto.FLOAT16)
    return n.model(18)


def refused_cycle(fires):
    n = Net(5)
    x = n.input("x", 2, 8)
    n.nodes.append(helper.make_node("Add", [x, "b" if fires else x], ["a"]))
    n.nodes.append(helper.make_node("Relu", ["a"], ["b"]))
    return end(n, n.op("Neg", "b"), 2, 8)


def refused_repeated(fires):
    n = Net(5)
    x = n.input("x", 2, 8)
    n.nodes.append(helper.make_node("Relu", [x], ["a"]))
    n.nodes.append(helper.make_node("Neg", [x], ["a" if fires else "b"]))
    return end(n, n.op("Add", "a", "a" if fires else "b"), 2, 8)


def refused_missing(fires):
    n = Net(5)
    x = n.input("x", 2, 8)
    return end(n, n.op("Add", x, "nowhere" if fires else x), 2, 8)


def refused_scalar(fires):
    """A stored factor of 8 bits, without a dimension."""
    n, x = start()
    factor = n.const(np.int8(50)) if fires else n.const(np.array([50], np.int8))
    factor = n.op("DequantizeLinear", factor, n.const(np.float32(0.02)), n.const(np.int8(0)))
    return end(n, n.op("Mul", x, factor), 1, C, 16, 16)


def refused_unsigned(fires):
    """Weights around 128, for each channel, a bias and a scalar of 8 bits without a sign."""
    n, x = start()
    type, middle = (np.uint8, 128) if fires else (np.int8, 0)
    drawn = n.random.integers(-100, 100, (C, C, 1, 1))
    scales = np.linspace(0.01, 0.02, C).astype(np.float32)
    w = n.op("DequantizeLinear", n.const((drawn + middle).astype(type)), n.const(scales), n.const(np.full(C, middle, type)), axis=0)
    bias, low = ((n.random.integers(0, 250, (C, 1, 1)).astype(np.uint8), 90) if fires else
                 (n.random.integers(-90, 90, (C, 1, 1)).astype(np.int8), 0))
    bias = n.op("DequantizeLinear", n.const(bias), n.const(np.float32(0.02)), n.const(type(low)))
    factor = n.const(np.uint8(200)) if fires else n.const(np.array([100], np.int8))
    factor = n.op("DequantizeLinear", factor, n.const(np.float32(0.01)), n.const(type(0)))
    x = n.op("Mul", n.op("Add", n.op("Conv", q(n, x), w, kernel_shape=[1, 1]), bias), factor)
    return end(n, x, 1, C, 16, 16)


def refused_zeros(fires):
    """Stored constants of UINT8 with a zero point for each row, one of which is read twice and one of which is an output."""
    n, x = start(side=4, c=3)
    type, middle = (np.uint8, 128) if fires else (np.int8, 0)
    zeros = np.array([129, 126, 132] if fires else [0, 0, 0], type)
    scales = np.array([0.5, 0.25, 2], np.float32)
    rows = n.const((np.array([[[1]], [[2]], [[3]]]) * 20 + middle).astype(type))
    added = n.op("DequantizeLinear", rows, n.const(scales), n.const(zeros), axis=0)
    shown = n.op("DequantizeLinear", n.const(np.array([[[9]]], type)), n.const(np.float32(0.5)), n.const(type(4 if fires else 0)))
    n.output(shown, 1, 1, 1)
    y = n.op("Mul", n.op("Add", x, added), n.op("Sub", added, shown))
    return end(n, y, 1, 3, 4, 4)


REFUSED = {f.__name__: f for f in (
    refused_scalar, refused_unsigned, refused_zeros, refused_int8, refused_half_sizes, refused_contradiction, refused_joined, refused_nested,
    refused_clip, refused_uint8, refused_stored, refused_mixed, refused_gemm, refused_left_empty, refused_open_weights,
    refused_attention, refused_keys, refused_mask, refused_head, refused_heads_mask, refused_heads_values,
    refused_heads_bias, refused_heads_inputs, refused_heads_packed, refused_heads_rank, refused_heads_outputs,
    refused_heads_filter, refused_number, refused_row, refused_broadcast, refused_gemm_broadcast, refused_slope,
    refused_axes, refused_remainder, refused_bound, refused_count, refused_depth, refused_random, refused_cache,
    refused_branches, refused_parts, refused_directions, refused_list,
    refused_average, refused_float_types, refused_cycle, refused_repeated, refused_missing, refused_sizes)}


# Rules that look at an engine, too: a model, and what a builder made of it.

def layer(name, kind, reads, writes):
    port = {"Dimensions": [1, C, 16, 16], "Format/Datatype": "Row major linear FP16 format"}
    return {"Name": name, "LayerType": kind, "Inputs": [dict(port, Name=n) for n in reads],
            "Outputs": [dict(port, Name=n) for n in writes], "ParameterType": kind, "TacticValue": "0x1"}


def missed(fires):
    n, x = start()
    y = n.op("Relu", n.op("Conv", x, n.weight(C, C, 1, 1), name="conv", kernel_shape=[1, 1]), name="relu")
    model = end(n, y, 1, C, 16, 16)
    if fires:
        layers = [layer("conv", "CaskConvolution", ["x"], ["conv_out0"]),
                  layer("PWN(relu)", "PointWiseV2", ["conv_out0"], ["relu_out0"])]
    else:
        layers = [layer("conv + relu", "CaskConvolution", ["x"], ["relu_out0"])]
    return model, {"Layers": layers, "Bindings": ["x", "relu_out0"]}


# What exporters leave of themselves, by which lint knows their style.
STYLES = {
    "brevitas": ("pytorch", "/conv/weight_quant/export_handler/", "Brevitas"),
    "nncf": ("nncf 2.9", "/nncf_module/FakeQuantize", "NNCF"),
    "modelopt": ("modelopt", "/", "NVIDIA ModelOpt"),
    "ort": ("onnx.quantize", "/x_", "ONNX Runtime static quantization"),
    "pytorch_quantization": ("pytorch", "/conv/_input_quantizer/", "pytorch-quantization"),
    "dynamo": ("pytorch", "node_", "PyTorch dynamo export"),
    "torchscript": ("pytorch", "/", "PyTorch export (pytorch-quantization and similar tools)"),
    "unknown": ("somebody", "/", None),
    "ort_tensorrt": ("onnx.quantize", "/x_", "NVIDIA ModelOpt, or ONNX Runtime for TensorRT"),
}


def style(key):
    producer, prefix, _ = STYLES[key]
    n, x = start()
    if key == "ort_tensorrt":  # whose weights stay in FP32, behind a Q
        y = n.op("Conv", q(n, x), q(n, n.weight(C, C, 1, 1), np.full(C, 0.01), axis=0), kernel_shape=[1, 1])
    else:
        y = conv(n, q(n, x))
    model = end(n, y, 1, C, 16, 16)
    model.producer_name = producer
    for i, node in enumerate(model.graph.node):
        if "Quantize" in node.op_type:
            node.name = f"{prefix}{node.op_type}_{i}"
    return model


def skips():
    """As ONNX Runtime leaves additions: a pair on each branch, and one before each other consumer; and pairs that
    nothing reads behind what they could be moved to."""
    n, x = start()
    x = n.op("Relu", conv(n, q(n, x)))
    for _ in range(2):
        y = conv(n, q(n, n.op("Relu", conv(n, q(n, x)))))
        x = n.op("Relu", n.op("Add", q(n, y), q(n, x)))
    model = finish(n, q(n, n.op("Mul", x, n.const(np.float32(0.5)))))
    model.producer_name = "onnx.quantize"
    return model


def unsure(key):
    """What lint can only note: one name for two sizes, an opset that is not known yet; and what is neither."""
    n = Net(5)
    side = n.input("x", 1, C, "side", "side" if key == "sizes" else "width")
    y = n.op("Add", n.op("Relu", side), n.input("y", 1, C, "side", 1))
    n.output(y, 1, C, "side", None)
    return n.model(99 if key == "opset" else 17)


def one_scale():
    """A residual block with a pair on its skip branch, and one scale for the weights of the convolution before the sum."""
    n, x = start()
    x = n.op("Relu", conv(n, q(n, x)))
    y = n.op("Relu", conv(n, q(n, x)))
    w = n.op("DequantizeLinear", n.const(n.random.integers(-100, 100, (C, C, 1, 1)).astype(np.int8)),
             n.const(np.float32(0.01)), n.const(np.int8(0)))
    y = n.op("Conv", q(n, y), w, kernel_shape=[1, 1])
    return finish(n, n.op("Relu", n.op("Add", y, q(n, x))))


def attentions(brain):
    """What keeps an attention from being one kernel, a block each: FP32, with a scale that may go before the product and a
    head of 8; values of another size than keys; one head of keys for two of queries; probabilities that the network outputs;
    and one that has no edit: a Tanh before Softmax.  Or what becomes BF16, as there is no scale: FP32, and queries and keys
    that are quantized, but not the rest."""
    n = Net(5)

    def block(kind, type, d=16, e=16, heads=2):
        query, key, v = (n.input(f"{kind}_{name}", 1, h, 12, size, type=type)
                         for name, h, size in zip("qkv", (2, heads, heads), (d, d, e)))
        if kind == "quantized":
            query, key = q(n, query), q(n, key)
        scores = n.op("MatMul", query, n.op("Transpose", key, perm=[0, 1, 3, 2]), name=f"{kind}_qk")
        if kind == "scaled":
            scores = n.op("Div", scores, n.const(np.float32(2.8)), name=f"{kind}_by")
        if kind == "capped":
            scores = n.op("Tanh", scores)
        p = n.op("Softmax", scores, axis=-1, name=f"{kind}_softmax")
        if kind == "shown":
            n.output(p, 1, 2, 12, 12, type=type)
        n.output(n.op("MatMul", p, v, name=f"{kind}_pv"), 1, 2, 12, e, type=type)
    full, half = TensorProto.FLOAT, TensorProto.FLOAT16
    if brain:
        block("unscaled", full)
        block("quantized", full)
        return n.model(19)
    block("scaled", full, d=8, e=8)
    block("uneven", half, e=32)
    block("broadcast", half, heads=1)
    block("shown", half)
    block("capped", half)
    return n.model(19)


def attentions_beside():
    """What another node keeps from being one kernel: a Where between the Softmax and its quantizer, in FP32, so that Casts
    take the places of the pairs; and, in FP16 with three axes, a second product of the queries."""
    n = Net(6)
    full, half = TensorProto.FLOAT, TensorProto.FLOAT16
    query, key, value = (q(n, n.op("Mul", n.input(f"masked_{name}", 1, 2, 12, 16, type=full), n.const(np.float32(.25))))
                         for name in "qkv")
    scores = n.op("MatMul", query, n.op("Transpose", key, perm=[0, 1, 3, 2]), name="masked_qk")
    p = n.op("Softmax", scores, axis=-1, name="masked_softmax")
    p = n.op("Where", n.op("IsNaN", p), n.const(np.float32(0)), p)
    n.output(q(n, n.op("MatMul", q(n, p), value, name="masked_pv")), 1, 2, 12, 16, type=full)
    query, key, value, places = (n.op("Add", n.input(f"placed_{name}", 2, 12, 16, type=half), n.const(np.ones(16, np.float16)))
                                 for name in ("q", "k", "v", "places"))
    query = n.op("Mul", query, n.const(np.float16(.25)))
    scores = n.op("MatMul", query, n.op("Transpose", key, perm=[0, 2, 1]), name="placed_qk")
    other = n.op("MatMul", query, n.op("Transpose", places, perm=[0, 2, 1]), name="placed_other")
    turned = n.op("Gather", other, n.const(np.arange(12)[::-1].copy()), axis=2)
    p = n.op("Softmax", n.op("Add", scores, turned), axis=-1, name="placed_softmax")
    n.output(n.op("MatMul", p, value, name="placed_pv"), 2, 12, 16, type=half)
    return n.model(19)


def bodies():
    """What is computed in FP16 of one tensor, in both branches of an If and behind it: each graph has a Cast of its own."""
    def info(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT16, [1, C, 16, 16])

    def softmax(source, made, axis):
        return helper.make_node("Softmax", [source], [made], name=f"/{made}/Softmax", axis=axis)
    branches = {f"{name}_branch": helper.make_graph([softmax("u", name, axis)], name, [], [info(name)])
                for name, axis in (("then", 1), ("else", 2))}
    nodes = [helper.make_node("Relu", ["x"], ["u"], name="/Relu"), helper.make_node("If", ["yes"], ["b"], name="/If", **branches),
             softmax("u", "y", 1), softmax("u", "k", 3), helper.make_node("Add", ["b", "k"], ["z"], name="/Add")]
    graph = helper.make_graph(nodes, "bodies", [info("x"), helper.make_tensor_value_info("yes", TensorProto.BOOL, [])],
                              [info("y"), info("z")], value_info=[info(name) for name in ("u", "b", "k")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    for name, model in (("cures_skips", skips()), ("cures_one_scale", one_scale()), ("cures_attention", attentions(False)),
                        ("cures_attention_bf16", attentions(True)), ("cures_attention_beside", attentions_beside()), ("cures_bodies", bodies()),
                        ("short_weights", short_weights(sys.argv[1]))):
        with open(os.path.join(sys.argv[1], f"{name}.onnx"), "wb") as file:
            file.write(model.SerializeToString())
    for key in ("sizes", "opset", "none"):
        with open(os.path.join(sys.argv[1], f"unsure_{key}.onnx"), "wb") as file:
            file.write(unsure(key).SerializeToString())
    for key in STYLES:
        with open(os.path.join(sys.argv[1], f"style_{key}.onnx"), "wb") as file:
            file.write(style(key).SerializeToString())
    for fires in (True, False):
        model, engine = missed(fires)
        path = os.path.join(sys.argv[1], f"fusion_missed.{'fires' if fires else 'silent'}")
        with open(path + ".onnx", "wb") as file:
            file.write(model.SerializeToString())
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(engine, file, indent=1)
            file.write("\n")
    for rule, draw in [*PAIRS.items(), *REFUSED.items()]:
        for fires in (True, False):
            name = f"{rule.replace('/', '_')}.{'fires' if fires else 'silent'}.onnx"
            with open(os.path.join(sys.argv[1], name), "wb") as file:
                file.write(draw(fires).SerializeToString())


if __name__ == "__main__":
    main()
