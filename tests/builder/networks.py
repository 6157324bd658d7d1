"""Transformers as exporters write them, each with attentions that a rule of fusions names an edit for: NAME -> model."""
import math

import numpy as np
from onnx import TensorProto, helper

from attention import LOW, NUMPY, TYPES, Graph

TOKENS, OTHERS = 48, 40


class Transformer(Graph):
    def __init__(self, dtype, opset, heads, size, value=None, shared=None, open=()):
        super().__init__(dtype)
        self.opset, self.heads, self.size, self.value, self.shared = opset, heads, size, value or size, shared or heads
        self.width = heads * size
        self.batch, self.tokens = ("batch" if "batch" in open else 2), ("tokens" if "tokens" in open else TOKENS)

    def linear(self, x, columns, rows=None):
        return self.op("Add", self.op("MatMul", x, self.weights(rows or self.width, columns)), self.weights(columns))

    def norm(self, x):
        if self.opset < 17:
            mean = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
            power = self.op("ReduceMean", self.op("Mul", mean, mean), axes=[-1])
            return self.op("Div", mean, self.op("Sqrt", self.op("Add", power, self.constant(1e-5))))
        return self.op("LayerNormalization", x, self.constant(np.ones(self.width)), axis=-1)

    def split(self, x, heads, size, perm=(0, 2, 1, 3)):
        return self.op("Transpose", self.reshape(x, 0, -1, heads, size), perm=list(perm))

    def rotated(self, t):
        angles = np.outer(np.arange(TOKENS), np.arange(self.size))[None, None] / 10
        half = self.constant(np.array([self.size // 2] * 2, np.int64))
        made = [self.op("Split", t, half, axis=-1, outputs=2)]
        turned = self.op("Concat", self.op("Neg", made[0][1]), made[0][0], axis=-1)
        return self.op("Add", self.op("Mul", t, self.constant(np.cos(angles))),
                       self.op("Mul", turned, self.constant(np.sin(angles))))


def scaled(g, kind, q, k):
    """Queries and keys as they are multiplied, and what is done to the product."""
    factor = 1 / math.sqrt(g.size)
    if kind == "both":
        root = g.constant(math.sqrt(factor))
        return g.op("Mul", q, root), g.op("Mul", k, root), lambda s: s
    if kind == "queries":
        return g.op("Mul", q, g.constant(factor)), k, lambda s: s
    if kind == "computed":  # of the size that the run has, as TorchScript writes it
        size = g.op("Gather", g.op("Shape", q), g.constant(np.int64(-1)))
        root = g.op("Sqrt", g.op("Cast", size, to=TYPES[g.dtype]))
        return g.op("Div", q, root), k, lambda s: s
    if kind == "multiplied":
        return q, k, lambda s: g.op("Mul", s, g.constant(factor))
    if kind == "divided":
        return q, k, lambda s: g.op("Div", s, g.constant(1 / factor))
    return q, k, lambda s: s


def masked(g, kind, scores, keys):
    rows = TOKENS
    lower = np.tril(np.ones((1, 1, rows, keys), bool))
    if kind == "padding":
        return g.op("Add", scores, g.op("Mul", "mask", g.constant(LOW)))
    if kind == "lowest":
        return g.op("Where", g.constant(lower), scores, g.constant(float(np.finfo(np.float32).min)))
    if kind == "causal":
        return g.op("Add", scores, g.constant(np.where(lower, 0, LOW)))
    if kind == "bias":
        return g.op("Add", scores, g.weights(1, g.heads, rows, keys))
    return scores


def layer(g, x, scale="divided", mask=None, cross=None, packed=False, rope=False, flat=False, shown=False, eight=None,
          which="qkpv", position=False, rows=False):
    """One attention behind a norm, with a residual, and the two products behind it."""
    y, keys = g.norm(x), OTHERS if cross else TOKENS
    source = cross or y
    if packed:
        q, k, v = g.op("Split", g.linear(y, 3 * g.width), g.constant(np.array([g.width] * 3, np.int64)), axis=-1, outputs=3)
    else:
        q = g.linear(y, g.width)
        k = g.linear(source, g.shared * g.size)
        v = g.linear(source, g.shared * g.value)
    q, k, v = g.split(q, g.heads, g.size), g.split(k, g.shared, g.size), g.split(v, g.shared, g.value)
    if rope:
        q, k = g.rotated(q), g.rotated(k)
    if flat:
        q, k, v = (g.reshape(t, -1, keys if t != q else TOKENS, s) for t, s in ((q, g.size), (k, g.size), (v, g.value)))
    q, k, behind = scaled(g, scale, q, k)
    if eight and "q" in which:
        q = g.quantized(q, .03, eight)
    if eight and "k" in which:
        k = g.quantized(k, .03, eight)
    scores = behind(g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1] if flat else [0, 1, 3, 2])))
    if position:
        # Of each distance, as DeBERTa has them: without the Gather two products would be added.
        lead = (g.batch * g.heads,) if flat else (g.batch, g.heads)
        places = g.constant(g.random.standard_normal((*lead, g.size, 2 * keys)) / 8)
        distance = np.arange(keys) - np.arange(keys)[:, None] + keys
        distance = g.constant(np.broadcast_to(distance, (*lead, keys, keys)).astype(np.int64))
        scores = g.op("Add", scores, g.op("GatherElements", g.op("MatMul", q, places), distance, axis=-1))
    p = g.op("Softmax", masked(g, mask, scores, keys), axis=-1)
    if rows:  # that are masked whole, as PyTorch writes them
        p = g.op("Where", g.op("IsNaN", p), g.constant(0.0), p)
    if shown:
        g.output(p)
    if eight and "p" in which:
        p = g.quantized(p, 1 / 127, eight)
    if eight and "v" in which:
        v = g.quantized(v, .03, eight)
    o = g.op("MatMul", p, v)
    if flat:
        o = g.reshape(o, -1, g.heads, TOKENS, g.value)
    o = g.reshape(g.op("Transpose", o, perm=[0, 2, 1, 3]), 0, -1, g.heads * g.value)
    x = g.op("Add", x, g.linear(o, g.width, g.heads * g.value))
    return g.op("Add", x, g.linear(g.op("Relu", g.linear(g.norm(x), 2 * g.width)), g.width, 2 * g.width))


def network(layers, dtype="fp32", opset=17, heads=4, size=32, value=None, shared=None, open=(), **options):
    """@param layers  how many attentions, and every second one of other tokens where "cross" is asked for."""
    g = Transformer(dtype, opset, heads, size, value, shared, open)
    x = g.input("x", [g.batch, g.tokens, g.width])
    crosses = options.pop("crosses", False)
    memory = g.input("memory", [g.batch, OTHERS, g.width]) if crosses else None
    if options.get("mask") == "padding":
        g.input("mask", [g.batch, 1, 1, g.tokens])
    for i in range(layers):
        x = layer(g, x, cross=memory if i % 2 else None, **options)
    g.output(x)
    return g.model(opset)


DRAWN = {
    "encoder": lambda: network(6, mask="padding"),
    "decoder": lambda: network(6, packed=True, mask="lowest", scale="multiplied"),
    "open_batch": lambda: network(4, scale="both", open=("batch",)),
    "open_tokens": lambda: network(2, scale="computed", open=("batch", "tokens")),
    "unscaled": lambda: network(4, scale="none", mask="bias"),
    "old_opset": lambda: network(2, opset=12, mask="causal"),
    "masked_rows": lambda: network(3, mask="causal", scale="both", rows=True),
    "masked_rows_unscaled": lambda: network(2, mask="causal", scale="none", rows=True),
    "windows": lambda: network(4, flat=True, mask=None, scale="queries"),
    "denoiser": lambda: network(6, "fp16", heads=8, size=8, crosses=True),
    "denoiser_fp32": lambda: network(4, heads=8, size=8, crosses=True),
    "tiny_bf16": lambda: network(2, "bf16", heads=8, size=4),
    "uneven": lambda: network(6, "fp16", size=16, value=32, mask="bias"),
    "uneven_fp32": lambda: network(3, size=16, value=64, mask="bias", scale="multiplied"),
    "one_head": lambda: network(6, "fp16", heads=8, shared=1),
    "one_head_fp32": lambda: network(4, heads=8, shared=1, rope=True, opset=18, mask="causal"),
    "shown": lambda: network(4, "fp16", shown=True),
    "int8_96": lambda: network(4, "fp16", size=96, eight="int8", opset=19),
    "int8_48_fp32": lambda: network(2, size=48, eight="int8", opset=19),
    "part_int8": lambda: network(4, "fp16", eight="int8", which="qk", opset=19),
    "few_fp8": lambda: network(3, "fp16", eight="fp8", opset=19, open=("tokens",)),
    "positions": lambda: network(2, scale="queries", position=True),
    "positions_fp16": lambda: network(3, "fp16", scale="queries", position=True, flat=True),
    "positions_wide": lambda: network(2, "fp16", size=48, scale="multiplied", position=True, flat=True, opset=13),
    "positions_bf16": lambda: network(2, "bf16", heads=2, size=64, scale="divided", position=True, flat=True),
    "int8_rows": lambda: network(3, "fp16", eight="int8", mask="causal", rows=True, opset=19),
    "fp8_rows_fp32": lambda: network(2, eight="fp8", mask="causal", scale="both", rows=True, opset=19),
}
