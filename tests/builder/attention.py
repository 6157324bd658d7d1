"""Attention blocks that differ from a plain one in one factor each, as models."""
import math

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"fp16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16, "fp32": TensorProto.FLOAT}
NUMPY = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32}
EIGHT = {"int8": TensorProto.INT8, "fp8": TensorProto.FLOAT8E4M3FN}
LOW = -1e4


class Graph:
    """Nodes in order; a constant or a node is named by its tensor."""

    def __init__(self, dtype):
        self.dtype, self.nodes, self.constants, self.inputs, self.outputs = dtype, [], [], [], []
        self.random = np.random.default_rng(0)

    def op(self, kind, *reads, name=None, outputs=1, **attributes):
        name = name or f"{kind.lower()}{len(self.nodes)}"
        made = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(reads), made, name=name, **attributes))
        return made[0] if outputs == 1 else made

    def constant(self, value, dtype=None):
        name = f"constant{len(self.constants)}"
        array = np.asarray(value)
        if array.dtype.kind == "f":
            array = array.astype(NUMPY[dtype or self.dtype])
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def weights(self, *shape):
        return self.constant(self.random.standard_normal(shape) / math.sqrt(shape[-1]))

    def input(self, name, shape, kind=None):
        self.inputs.append(helper.make_tensor_value_info(name, kind or TYPES[self.dtype], shape))
        return name

    def output(self, name):
        self.outputs.append(helper.make_empty_tensor_value_info(name))

    def quantized(self, tensor, scale, kind="int8"):
        zero = f"zero{len(self.constants)}"
        self.constants.append(helper.make_tensor(zero, EIGHT[kind], [], [0]))
        s = self.constant(float(scale))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", tensor, s, zero), s, zero)

    def reshape(self, tensor, *sizes, name=None):
        return self.op("Reshape", tensor, self.constant(np.array(sizes, np.int64)), name=name)

    def model(self, opset):
        graph = helper.make_graph(self.nodes, "block", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        known = onnx.shape_inference.infer_shapes(model)
        del model.graph.output[:]
        model.graph.output.extend(known.graph.output)
        return model


# ---------------------------------------------------------------------------------------------------- scores

def mask_of(g, scores, kind, sizes, dtype):
    """The scores with a mask; `sizes` are batch, heads, queries and keys as the inputs have them, then as numbers."""
    (batch, heads, rows, columns), (b, _, r, c) = sizes
    typed = TYPES[dtype]
    lower = np.tril(np.ones((1, 1, r, c), bool))

    def added(other):
        return g.op("Add", scores, other, name="mask")
    if kind == "add_const":
        return added(g.constant(np.where(lower, 0, LOW).astype(np.float32)))
    if kind == "add_in":
        return added(g.input("m", [1, 1, rows, columns], typed))
    if kind == "add_in_row":
        return added(g.input("m", [batch, 1, 1, columns], typed))
    if kind == "bias_const":
        return added(g.weights(1, heads, r, c))
    if kind == "bias_in":
        return added(g.input("m", [1, heads, rows, columns], typed))
    if kind == "where_const":
        return g.op("Where", g.constant(lower), scores, g.constant(LOW), name="mask")
    if kind == "where_in":
        return g.op("Where", g.input("m", [1, 1, rows, columns], TensorProto.BOOL), scores, g.constant(LOW), name="mask")
    if kind == "mul_in":
        return g.op("Mul", scores, g.input("m", [1, 1, rows, columns], typed), name="mask")
    if kind == "two_adds":
        return g.op("Add", added(g.weights(1, heads, r, c)), g.input("m", [1, 1, rows, columns], typed), name="mask2")
    if kind == "window":
        wide = g.reshape(scores, 1, b, heads, r, c)
        return g.reshape(g.op("Add", wide, g.weights(1, b, 1, r, c), name="mask"), b, heads, r, c)
    if kind == "clip":
        return g.op("Max", scores, g.constant(-60000.), name="mask")
    return scores


UNARY = "Tanh Relu Sigmoid Erf Exp Neg Abs Sqrt Softplus Elu LeakyRelu HardSigmoid Sign Floor Reciprocal".split()


def between(g, scores, kind, sizes):
    """Something else that is done to the scores."""
    if kind == "softcap":
        capped = g.op("Tanh", g.op("Mul", scores, g.constant(.02)))
        return g.op("Mul", capped, g.constant(50.))
    if kind == "identity":
        return g.op("Identity", scores)
    if kind == "reshape":
        return g.reshape(scores, sizes[0] * sizes[1], *sizes[2:])
    if kind in UNARY:
        return g.op(kind, scores)
    if kind in ("Min", "Pow", "Div", "Sub"):
        return g.op(kind, scores, g.constant(2.))
    if kind == "Clip":
        return g.op(kind, scores, g.constant(-60.), g.constant(60.))
    return scores


# ---------------------------------------------------------------------------------------------------- blocks

def attention(dtype="fp16", B=1, H=4, S=64, Skv=None, D=32, Dv=None, Hkv=None, mask="none", scale="mul_after", axis=-1,
              opset=19, kT="4d", casts="none", qdq="none", eight="int8", dyn="none", mid="none", extra="none",
              form="matmul", rope=False, layout="bshd", proj=False, bias=False, places=False):
    """Q, K and V as inputs of [B, S, H x D], MatMul, Softmax (named sm), MatMul."""
    g = Graph(dtype)
    eights = {"none": "", "all": "qkpvo"}.get(qdq, qdq)
    Skv, Dv, Hkv = Skv or S, Dv or D, Hkv or H
    rows, columns = ("seq", "seq") if dyn in ("seq", "both") else (S, Skv)
    batch = "batch" if dyn in ("batch", "both") else B

    def head(name, heads, size, tokens):
        if layout == "bhsd":
            return g.input(name, [batch, heads, tokens, size])
        x = g.input(name, [batch, tokens, heads * size])
        if proj:
            x = g.op("MatMul", x, g.weights(heads * size, heads * size), name=name + ".mm")
        if bias:
            x = g.op("Add", x, g.weights(heads * size))
        x = g.reshape(x, 0, -1 if rows == "seq" else tokens, heads, size, name=name + ".heads")
        return g.op("Transpose", x, perm=[0, 2, 3, 1] if name == "k" and kT == "direct" else [0, 2, 1, 3])
    q, k, v = head("q", H, D, rows), head("k", Hkv, D, columns), head("v", Hkv, Dv, columns)

    def rotated(t):
        angles = np.outer(np.arange(S), np.arange(D))[None, None]
        a, b = g.op("Split", t, axis=-1, outputs=2, num_outputs=2)
        turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
        return g.op("Add", g.op("Mul", t, g.constant(np.cos(angles))), g.op("Mul", turned, g.constant(np.sin(angles))))
    if rope:
        q, k = rotated(q), rotated(k)

    def repeated(t, size):
        wide = g.op("Unsqueeze", t, g.constant(np.array([2], np.int64)))
        wide = g.op("Expand", wide, g.constant(np.array([B, Hkv, H // Hkv, Skv, size], np.int64)))
        return g.reshape(wide, B, H, Skv, size)
    if Hkv not in (H, 1):
        k, v = repeated(k, D), repeated(v, Dv)
    if layout == "3d":
        q, k, v = g.reshape(q, B * H, S, D), g.reshape(k, B * H, Skv, D), g.reshape(v, B * H, Skv, Dv)
    factor = 1 / math.sqrt(D)
    if scale == "mul_q":
        q = g.op("Mul", q, g.constant(factor), name="scale")
    if scale == "mul_k":
        k = g.op("Mul", k, g.constant(factor), name="scale")
    if scale == "both":
        q, k = g.op("Mul", q, g.constant(math.sqrt(factor))), g.op("Mul", k, g.constant(math.sqrt(factor)))
    if scale == "runtime":
        size = g.op("Gather", g.op("Shape", q), g.constant(np.int64(-1)))
        root = g.op("Sqrt", g.op("Cast", size, to=TYPES[dtype]))
    q, k, v = (g.quantized(t, .02, eight) if of in eights else t for of, t in zip("qkv", (q, k, v)))
    if form == "einsum":
        s = g.op("Einsum", q, k, equation="bhqd,bhkd->bhqk", name="qk")
    else:
        kt = k if kT == "direct" else g.op("Transpose", k, perm=[0, 2, 1] if layout == "3d" else [0, 1, 3, 2])
        s = g.op("MatMul", q, kt, name="qk")
    if scale == "mul_after":
        s = g.op("Mul", s, g.constant(factor), name="scale")
    if scale == "div_after":
        s = g.op("Div", s, g.constant(1 / factor), name="scale")
    if scale == "runtime":
        s = g.op("Div", s, root, name="scale")
    if scale == "mul_input":
        s = g.op("Mul", s, g.input("sc", []), name="scale")
    if casts == "softmax32":
        s = g.op("Cast", s, to=TensorProto.FLOAT)
    if places:  # of each distance, as DeBERTa has them
        lead = [B * H] if layout == "3d" else [B, H]
        distance = np.broadcast_to(np.arange(S) - np.arange(S)[:, None] + S, (*lead, S, S)).astype(np.int64)
        other = g.op("MatMul", q, g.weights(*lead, D, 2 * S), name="other")
        s = g.op("Add", s, g.op("GatherElements", other, g.constant(distance), axis=-1))
    s = mask_of(g, s, mask, ((batch, H, rows, columns), (B, H, S, Skv)), "fp32" if casts == "softmax32" else dtype)
    s = between(g, s, mid, (B, H, S, Skv))
    if form == "decomp":
        last = g.constant(np.array([-1], np.int64))
        most = g.op("ReduceMax", s, last, keepdims=1) if opset >= 18 else g.op("ReduceMax", s, axes=[-1], keepdims=1)
        e = g.op("Exp", g.op("Sub", s, most))
        p = g.op("Div", e, g.op("ReduceSum", e, last, keepdims=1), name="sm")
    else:
        p = g.op("Softmax", s, axis=axis, name="sm")
    if casts == "softmax32":
        p = g.op("Cast", p, to=TYPES[dtype])
    if mid == "reshape":
        p = g.reshape(p, B, H, S, Skv)
    if mid == "mul1":
        p = g.op("Mul", p, g.input("one", [1]))
    if mid == "half_after":
        p = g.op("Mul", g.constant(.5), p)
    if mid == "mul_after":
        p = g.op("Mul", p, g.input("mm", [1, 1, S, Skv]))
    if mid == "nan_after":
        p = g.op("Where", g.op("IsNaN", p), g.constant(0.), p)
    if mid == "relu_after":
        p = g.op("Relu", p)
    if mid == "clip_after":
        p = g.op("Clip", p, g.constant(0.), g.constant(1.))
    if mid == "where_after":
        p = g.op("Where", g.input("mm", [1, 1, rows, columns], TensorProto.BOOL), p, g.constant(0.))
    if "p" in eights:
        p = g.quantized(p, 1 / 127, eight)
    o = g.op("Einsum", p, v, equation="bhqk,bhkd->bhqd", name="pv") if form == "einsum" else g.op("MatMul", p, v, name="pv")
    y = o if layout != "bshd" else g.reshape(g.op("Transpose", o, perm=[0, 2, 1, 3]), 0, -1, H * Dv)
    if "o" in eights:
        y = g.quantized(y, .02, eight)
    g.output(y)
    for tensor in {"weights": [p], "scores": [s]}.get(extra, []):
        g.output(tensor)
    return g.model(opset)


def operator(dtype="fp16", H=4, Hkv=None, S=64, D=32, mask="none", causal=0, softcap=0.0, opset=23):
    """The same as one node."""
    g = Graph(dtype)
    reads = [g.input("q", [1, H, S, D]), g.input("k", [1, Hkv or H, S, D]), g.input("v", [1, Hkv or H, S, D])]
    if mask != "none":
        reads.append(g.input("m", [1, 1, S, S], TensorProto.BOOL if mask == "bool" else None))
    attributes = {**({"is_causal": 1} if causal else {}), **({"softcap": softcap} if softcap else {})}
    g.output(g.op("Attention", *reads, name="sm", **attributes))
    return g.model(opset)
