"""Transformers drawn by seed, of parts that networks.py does not have: SEED -> model.

Queries and keys that are normalized, keys and values of one projection, groups of queries by Expand or by a product that
broadcasts, biases from a table, masks by Trilu, products by Einsum, gates, sizes that no exporter chooses.  No rule was
made with them."""
import math

import numpy as np

from attention import LOW, TYPES
from networks import OTHERS, TOKENS, Transformer

SIZES = (5, 6, 7, 8, 10, 18, 24, 30, 40, 44, 52, 72, 80)


class Fresh(Transformer):
    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        self.eight = self.pick(None, None, None, "int8", "fp8")
        dtype = self.pick("fp32", "fp32", "fp16", "bf16")
        heads, size = int(self.pick(2, 4, 6)), int(self.pick(*SIZES))
        # Of low precision an attention needs an edit for another reason than its type.
        self.fault = None if dtype == "fp32" else self.pick("size", "value", "one", "shown", "part")
        if self.fault == "size":
            size = int(self.pick(4, 5, 6, 7, 8))
        elif self.fault:
            size = max(size, 10)
        if self.fault == "part":
            self.eight = self.pick("int8", "fp8")
        value = size + int(self.pick(2, 4, 8)) if self.fault == "value" or self.draw.random() < .15 else None
        groups = 1 if self.fault == "one" else int(self.pick(heads, heads, heads // 2))
        super().__init__(dtype, int(self.pick(19, 20, 21)), heads, size, value, groups, self.pick((), (), ("batch",), ("tokens",)))
        self.random = np.random.default_rng(seed)

    def pick(self, *of):
        return of[int(self.draw.integers(len(of)))]

    def keys(self, t, rows, size):
        """Each head of a group's, of [batch, groups, rows, size]."""
        times = self.heads // self.shared
        if times == 1 or self.fault == "one":
            return t
        t = self.op("Expand", self.op("Unsqueeze", t, self.constant(np.array([2], np.int64))),
                    self.constant(np.array([1, 1, times, 1, 1], np.int64)))
        return self.reshape(t, 0, self.heads, rows, size)

    def normed(self, t):
        mean = self.op("ReduceMean", self.op("Mul", t, t), self.constant(np.array([-1], np.int64))) if self.opset >= 18 else \
            self.op("ReduceMean", self.op("Mul", t, t), axes=[-1])
        return self.op("Div", t, self.op("Sqrt", self.op("Add", mean, self.constant(1e-5))))

    def masked(self, kind, s, rows, columns):
        if kind == "trilu":
            lower = self.op("Trilu", self.constant(np.ones((rows, columns), np.float32)), upper=0)
            return self.op("Where", self.op("Cast", lower, to=9), s, self.constant(LOW))
        if kind == "table":
            buckets = self.constant(np.clip(np.arange(columns) - np.arange(rows)[:, None] + 8, 0, 15).astype(np.int64))
            bias = self.op("Transpose", self.op("Gather", self.weights(16, self.heads), buckets), perm=[2, 0, 1])
            return self.op("Add", s, self.op("Unsqueeze", bias, self.constant(np.array([0], np.int64))))
        if kind == "both":
            s = self.op("Add", s, self.constant(np.triu(np.full((1, 1, rows, columns), LOW), 1)))
            return self.op("Add", s, self.weights(1, self.heads, rows, columns))
        return s

    def attention(self, x, source, rows, columns, how):
        y = self.norm(x)
        q = self.split(self.linear(y, self.width), self.heads, self.size)
        k = self.linear(source or y, self.shared * self.size)
        one = how["one"] and self.value == self.size
        v = k if one else self.linear(source or y, self.shared * self.value)
        k, v = self.split(k, self.shared, self.size), self.split(v, self.shared, self.value)
        if how["normed"]:
            q, k = self.normed(q), self.normed(k)
        k, v = self.keys(k, columns, self.size), self.keys(v, columns, self.value)
        if self.eight:
            part = self.fault == "part"
            q, k = self.quantized(q, .03, self.eight), self.quantized(k, .03, self.eight)
            v = v if part else self.quantized(v, .03, self.eight)
        factor = self.constant(1 / math.sqrt(self.size))
        if how["scale"] == "queries":
            q = self.op("Mul", q, factor)
        if how["einsum"] and not self.eight and self.fault != "one":
            s = self.op("Einsum", q, k, equation="bhqd,bhkd->bhqk")
        else:
            s = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        if how["scale"] == "scores":
            s = self.op("Mul", s, factor)
        p = self.op("Softmax", self.masked(how["mask"], s, rows, columns), axis=-1)
        if self.fault == "shown":
            self.output(p)
        if self.eight and self.fault != "part":
            p = self.quantized(p, 1 / 127, self.eight)
        o = self.reshape(self.op("Transpose", self.op("MatMul", p, v), perm=[0, 2, 1, 3]), 0, -1, self.heads * self.value)
        if how["gated"]:
            o = self.op("Mul", o, self.op("Sigmoid", self.linear(y, self.heads * self.value)))
        return self.op("Add", x, self.linear(o, self.width, self.heads * self.value))

    def network(self):
        crosses = self.draw.random() < .3 and self.tokens == TOKENS
        x = self.input("x", [self.batch, self.tokens, self.width])
        memory = self.input("memory", [self.batch, OTHERS, self.width]) if crosses else None
        masks = ["none"] if self.tokens != TOKENS else ["none", "trilu", "table", "both"]
        how = {"one": self.draw.random() < .2, "normed": self.draw.random() < .3, "scale": self.pick("queries", "scores", "none"),
               "einsum": self.draw.random() < .2, "mask": self.pick(*masks), "gated": self.draw.random() < .3}
        for i in range(3):
            source = memory if crosses and i % 2 else None
            columns = OTHERS if source else TOKENS if self.tokens == TOKENS else -1
            x = self.attention(x, source, TOKENS, columns, how)
            x = self.op("Add", x, self.linear(self.op("Gelu", self.linear(self.norm(x), 2 * self.width)) if self.opset >= 20 else
                                              self.op("Tanh", self.linear(self.norm(x), 2 * self.width)), self.width, 2 * self.width))
        self.output(x)
        return self.model(self.opset)


def draw(seed):
    return Fresh(seed).network()
