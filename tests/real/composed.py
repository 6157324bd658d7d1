"""composed.py BINARY FOLDER [--seed S] [--networks N]: networks composed at random of the blocks that deployed ones
are made of.  TensorRT for RTX builds each in FOLDER, and the links that BINARY gives without Metadata are held against
the engine's own.  A seed always draws the same networks; another one draws engines that no rule was made for."""
import argparse
import collections
import os
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto

import check
import models
from check import measure

# Of all computing nodes together, and of all nodes, whose recall counts what is folded or only moved.
PRECISION, RECALL = 0.98, 0.85


class Composed(models.Net):
    """A network in FP32 or FP16 whose nodes are named by block, or alike."""

    def __init__(self, seed):
        super().__init__(seed)
        self.draw = random.Random(seed)
        self.type = self.draw.choice((np.float16, np.float32))
        self.named, self.block = self.draw.random() < 0.7, 0

    def const(self, array):
        array = np.asarray(array)
        return super().const(array.astype(self.type) if array.dtype == np.float32 else array)

    def number(self, value):
        return self.const(np.float32(value))

    def ints(self, *values):
        return self.const(np.array(values, np.int64))

    def op(self, op, *inputs, name=None, outputs=1, domain="", **attributes):
        name = name or f"/b{self.block}/{op}_{len(self.nodes)}" if self.named else None
        return super().op(op, *inputs, name=name, outputs=outputs, domain=domain, **attributes)

    def activation(self, x):
        return self.draw.choice((
            lambda: self.op("Relu", x),
            lambda: self.op("Mul", x, self.op("Sigmoid", x)),
            lambda: self.op("Tanh", x),
            lambda: self.op("HardSwish", x),
            lambda: self.op("Clip", x, self.number(0), self.number(6)),
            lambda: self.op("LeakyRelu", x, alpha=0.1),
            lambda: self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op(
                "Div", x, self.number(2 ** 0.5))), self.number(1))), self.number(0.5))))()

    def normalized(self, x, n):
        """As one operator, or as exporters take it apart."""
        if self.draw.random() < 0.5:
            return self.norm(x, n)
        centered = self.op("Sub", x, self.op("ReduceMean", x, self.ints(-1)))
        variance = self.op("ReduceMean", self.op("Mul", centered, centered), self.ints(-1))
        root = self.op("Sqrt", self.op("Add", variance, self.number(1e-5)))
        return self.op("Add", self.op("Mul", self.op("Div", centered, root), self.weight(n)), self.weight(n))

    # ------------------------------------------------------------------ blocks of 1, tokens, n

    def attend(self, x, tokens, n):
        heads = self.draw.choice((2, 4))
        return self.op("Add", x, self.attention(self.normalized(x, n), tokens, heads, n // heads))

    def attend_split(self, x, tokens, n):
        heads = self.draw.choice((2, 4))
        joined = self.op("MatMul", self.normalized(x, n), self.weight(n, 3 * n))
        parts = self.op("Split", joined, self.ints(n, n, n), outputs=3, axis=2)
        q, k, v = (self.op("Transpose", self.op("Reshape", part, self.ints(1, tokens, heads, n // heads)),
                           perm=[0, 2, 1, 3]) for part in parts)
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Softmax", self.op("Mul", scores, self.number((n // heads) ** -0.5)), axis=-1)
        y = self.op("Transpose", self.op("MatMul", scores, v), perm=[0, 2, 1, 3])
        return self.op("Add", x, self.linear(self.op("Reshape", y, self.ints(1, tokens, n)), n, n))

    def feed_forward(self, x, _, n):
        y = self.activation(self.linear(self.normalized(x, n), n, 2 * n))
        return self.op("Add", x, self.linear(y, 2 * n, n))

    def gate(self, x, _, n):
        y = self.normalized(x, n)
        a, b = (self.op("MatMul", y, self.weight(n, 2 * n)) for _ in range(2))
        y = self.op("Mul", self.op("Mul", a, self.op("Sigmoid", a)), b)
        return self.op("Add", x, self.op("MatMul", y, self.weight(2 * n, n)))

    def experts(self, x, _, n):
        y, total = self.normalized(x, n), x
        shares = self.op("Softmax", self.op("MatMul", y, self.weight(n, 3)), axis=-1)
        for i in range(3):
            made = self.op("MatMul", self.activation(self.op("MatMul", y, self.weight(n, n))), self.weight(n, n))
            share = self.op("Slice", shares, self.ints(i), self.ints(i + 1), self.ints(2))
            total = self.op("Add", total, self.op("Mul", made, share))
        return total

    def mix_tokens(self, x, tokens, n):
        y = self.op("Transpose", self.normalized(x, n), perm=[0, 2, 1])
        y = self.op("MatMul", self.activation(self.op("MatMul", y, self.weight(tokens, tokens))),
                    self.weight(tokens, tokens))
        return self.op("Add", x, self.op("Transpose", y, perm=[0, 2, 1]))

    def heads(self, x, tokens, n):
        rows = self.op("Reshape", self.normalized(x, n), self.ints(tokens, n))
        made = [self.activation(self.op("Gemm", rows, self.weight(n, n // 2), self.weight(n // 2))) for _ in range(2)]
        return self.op("Add", x, self.op("Reshape", self.op("Concat", *made, axis=1), self.ints(1, tokens, n)))

    # ------------------------------------------------------------------ blocks of 1, c, side, side

    def window(self, x, c_in, c_out, k=3, group=1):
        return self.op("Conv", x, self.weight(c_out, c_in // group, k, k), self.weight(c_out), kernel_shape=[k, k],
                       pads=[k // 2] * 4, group=group)

    def plain(self, x, c, _):
        return self.activation(self.conv(x, c, c, act=None))

    def residual(self, x, c, _):
        y = self.window(self.activation(self.conv(x, c, c, act=None)), c, c)
        return self.activation(self.op("Add", y, x))

    def excite(self, x, c, _):
        y = self.activation(self.window(x, c, c))
        s = self.op("Relu", self.window(self.op("GlobalAveragePool", y), c, c // 4, 1))
        return self.op("Mul", y, self.op("Sigmoid", self.window(s, c // 4, c, 1)))

    def depthwise(self, x, c, _):
        y = self.activation(self.conv(x, c, 2 * c, 1, act=None))
        y = self.activation(self.conv(y, 2 * c, 2 * c, act=None, group=2 * c))
        return self.op("Add", x, self.window(y, 2 * c, c, 1))

    def partial(self, x, c, _):
        a, b = self.op("Split", x, self.ints(c // 2, c // 2), outputs=2, axis=1)
        y = self.op("Concat", a, b, self.activation(self.window(b, c // 2, c // 2)), axis=1)
        return self.activation(self.window(y, c + c // 2, c, 1))

    def branch(self, x, c, _):
        pooled = self.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4)
        return self.op("Concat", self.activation(self.window(x, c, c // 2, 1)),
                       self.activation(self.window(x, c, c // 4)), self.window(pooled, c, c // 4, 1), axis=1)

    def grouped(self, x, c, side):
        y = self.op("InstanceNormalization", self.op("Reshape", x, self.ints(1, 4, -1)), self.weight(4), self.weight(4))
        y = self.op("Mul", self.op("Reshape", y, self.ints(1, c, side, side)), self.weight(c, 1, 1))
        return self.op("Add", x, self.window(self.activation(self.op("Add", y, self.weight(c, 1, 1))), c, c))

    def attend_places(self, x, _, __):
        y = self.op("Concat", self.op("ReduceMean", x, self.ints(1)), self.op("ReduceMax", x, self.ints(1)), axis=1)
        return self.op("Mul", x, self.op("Sigmoid", self.window(y, 2, 1, 7)))

    # ------------------------------------------------------------------ the whole

    def chain(self, x, blocks, most, *sizes):
        for _ in range(self.draw.randrange(2, most)):
            self.block += 1
            x = self.draw.choice(blocks)(x, *sizes)
        return x

    def compose(self):
        kind = TensorProto.FLOAT16 if self.type == np.float16 else TensorProto.FLOAT
        if self.draw.random() < 0.6:
            tokens, n = self.draw.choice((16, 32, 49)), self.draw.choice((64, 96, 128))
            x = self.chain(self.input("x", 1, tokens, n, type=kind), (
                self.attend, self.attend_split, self.feed_forward, self.gate, self.experts, self.mix_tokens, self.heads),
                6, tokens, n)
            dims = (1, tokens, n)
        else:
            c, side = self.draw.choice((32, 64)), self.draw.choice((16, 28))
            x = self.activation(self.window(self.input("x", 1, 3, side, side, type=kind), 3, c))
            x = self.chain(x, (self.plain, self.residual, self.excite, self.depthwise, self.partial, self.branch,
                               self.grouped, self.attend_places), 7, c, side)
            dims = (1, c, side, side)
        self.output(self.op("Identity", x), *dims, type=kind)
        return self.model(18)


class Hard(Composed):
    """Blocks of families whose kernels say little of their nodes: streams that meet, recurrences written out, caches,
    graphs, optical flow."""

    def split_heads(self, x, tokens, heads, size):
        return self.op("Transpose", self.op("Reshape", x, self.ints(1, tokens, heads, size)), perm=[0, 2, 1, 3])

    def weigh(self, q, k, v, size):
        scores = self.op("MatMul", self.op("Mul", q, self.number(size ** -0.5)), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), v)

    def joint(self, x, tokens, n):
        """Two streams with weights of their own, and one attention."""
        heads, first = self.draw.choice((2, 4)), tokens // 4
        size, streams = n // heads, (first, tokens - first)
        parts = self.op("Split", x, self.ints(*streams), outputs=2, axis=1)
        normed = [self.normalized(part, n) for part in parts]
        q, k, v = (self.op("Concat", *(self.split_heads(self.linear(part, n, n), t, heads, size)
                                       for part, t in zip(normed, streams)), axis=2) for _ in range(3))
        y = self.op("Reshape", self.op("Transpose", self.weigh(q, k, v, size), perm=[0, 2, 1, 3]), self.ints(1, tokens, n))
        made = self.op("Split", y, self.ints(*streams), outputs=2, axis=1)
        return self.op("Concat", *(self.op("Add", part, self.op("Mul", self.linear(m, n, n), self.weight(n)))
                                   for part, m in zip(parts, made)), axis=1)

    def latents(self, x, tokens, n):
        """Learned queries read the tokens, and the tokens read what these have read."""
        heads, few = 2, 8
        size, y = n // heads, self.normalized(x, n)
        learned = self.const(np.random.default_rng(self.block).standard_normal((1, few, n)).astype(np.float32))
        for source, target, many, wanted in ((y, learned, tokens, few), (None, y, few, tokens)):
            source = read if source is None else source
            q = self.split_heads(self.linear(target, n, n), wanted, heads, size)
            k, v = (self.split_heads(self.linear(source, n, n), many, heads, size) for _ in range(2))
            made = self.op("Transpose", self.weigh(q, k, v, size), perm=[0, 2, 1, 3])
            read = self.linear(self.op("Reshape", made, self.ints(1, wanted, n)), n, n)
        return self.op("Add", x, read)

    def scan(self, x, tokens, n):
        """A selective state space over the first tokens, written out."""
        steps, y = 6, self.normalized(x, n)
        gate = self.op("Sigmoid", self.linear(y, n, n))
        decay = self.op("Exp", self.op("Neg", self.op("Softplus", self.linear(y, n, n))))
        state, rows = None, []
        for i in range(steps):
            one = self.ints(i), self.ints(i + 1), self.ints(1)
            add = self.op("Mul", self.op("Slice", gate, *one), self.op("Slice", y, *one))
            state = add if state is None else self.op("Add", self.op("Mul", state, self.op("Slice", decay, *one)), add)
            rows.append(state)
        rest = self.op("Slice", y, self.ints(steps), self.ints(tokens), self.ints(1))
        return self.op("Add", x, self.linear(self.op("Concat", *rows, rest, axis=1), n, n))

    def linear_attention(self, x, tokens, n):
        """Sums of keys times values, as RWKV and xLSTM have them, with gates that are exponentials."""
        y = self.normalized(x, n)
        k, v, r = (self.op("MatMul", y, self.weight(n, n)) for _ in range(3))
        gate = self.op("Exp", self.op("Sub", k, self.op("ReduceMax", k, self.ints(1))))
        above = self.op("CumSum", self.op("Mul", gate, v), self.const(np.array(1, np.int64)))
        below = self.op("CumSum", gate, self.const(np.array(1, np.int64)))
        made = self.op("Mul", self.op("Sigmoid", r), self.op("Div", above, self.op("Add", below, self.number(1e-3))))
        return self.op("Add", x, self.op("MatMul", made, self.weight(n, n)))

    def graph(self, x, tokens, n):
        """Messages along edges, kept at the nodes that they reach."""
        edges = tokens
        near, far = (self.const(np.array([self.draw.randrange(tokens) for _ in range(edges)], np.int64)) for _ in range(2))
        rows = self.op("Reshape", self.normalized(x, n), self.ints(tokens, n))
        both = self.op("Concat", self.op("Gather", rows, near, axis=0), self.op("Gather", rows, far, axis=0), axis=1)
        message = self.activation(self.op("Gemm", both, self.weight(2 * n, n), self.weight(n)))
        index = self.op("Expand", self.op("Unsqueeze", far, self.ints(1)), self.ints(edges, n))
        zeros = self.const(np.zeros((tokens, n), np.float32))
        sums = self.op("ScatterElements", zeros, index, message, axis=0)
        return self.op("Add", x, self.op("Reshape", self.linear(sums, n, n), self.ints(1, tokens, n)))

    def stream(self, x, tokens, n):
        """A convolution over time behind what an earlier part left."""
        kind = TensorProto.FLOAT16 if self.type == np.float16 else TensorProto.FLOAT
        cache = self.input(f"cache{self.block}", 1, n, 4, type=kind)
        y = self.op("Transpose", self.linear(self.normalized(x, n), n, n), perm=[0, 2, 1])
        y = self.op("Concat", cache, y, axis=2)
        self.output(self.op("Slice", y, self.ints(tokens), self.ints(tokens + 4), self.ints(2)), 1, n, 4, type=kind)
        y = self.op("Conv", y, self.weight(n, 1, 5), self.weight(n), kernel_shape=[5], group=n)
        y = self.op("Transpose", self.activation(y), perm=[0, 2, 1])
        return self.op("Add", x, self.linear(y, n, n))

    # ------------------------------------------------------------------ blocks of 1, c, side, side

    def correlate(self, x, c, side):
        """How alike each place is to its neighbors."""
        near = self.activation(self.window(x, c, c))
        wide = self.op("Pad", near, self.ints(0, 0, 1, 1, 0, 0, 1, 1))
        made = []
        for i in range(9):
            at = self.ints(i // 3, i % 3), self.ints(i // 3 + side, i % 3 + side), self.ints(2, 3)
            made.append(self.op("ReduceMean", self.op("Mul", x, self.op("Slice", wide, *at)), self.ints(1)))
        return self.op("Add", x, self.window(self.op("Concat", *made, axis=1), 9, c))

    def warp(self, x, c, side):
        """Reads other places than its own."""
        flow = self.op("Transpose", self.op("Tanh", self.window(x, c, 2)), perm=[0, 2, 3, 1])
        line = np.linspace(-1, 1, side, dtype=np.float32)
        grid = self.op("Add", self.const(np.stack(np.meshgrid(line, line), -1)[None]), self.op("Mul", flow, self.number(0.1)))
        return self.op("Add", x, self.op("GridSample", x, grid, padding_mode="border"))

    def refine(self, x, c, side):
        """A gated update of a state, three times with the same weights."""
        weights = [(self.weight(c, 2 * c, 3, 3), self.weight(c)) for _ in range(2)]
        state, fed = self.op("Tanh", x), self.activation(self.window(x, c, c))
        for _ in range(3):
            both = self.op("Concat", state, fed, axis=1)
            gate, new = (self.op("Conv", both, *w, kernel_shape=[3, 3], pads=[1] * 4) for w in weights)
            gate = self.op("Sigmoid", gate)
            state = self.op("Add", self.op("Mul", self.op("Sub", self.number(1), gate), state),
                            self.op("Mul", gate, self.op("Tanh", new)))
        return state

    def compose(self):
        kind = TensorProto.FLOAT16 if self.type == np.float16 else TensorProto.FLOAT
        if self.draw.random() < 0.7:
            tokens, n = self.draw.choice((16, 32)), self.draw.choice((64, 96))
            x = self.chain(self.input("x", 1, tokens, n, type=kind), (
                self.joint, self.latents, self.scan, self.linear_attention, self.graph, self.stream, self.feed_forward),
                5, tokens, n)
            dims = (1, tokens, n)
        else:
            c, side = 32, self.draw.choice((16, 24))
            x = self.activation(self.window(self.input("x", 1, 3, side, side, type=kind), 3, c))
            x = self.chain(x, (self.correlate, self.warp, self.refine, self.residual), 5, c, side)
            dims = (1, c, side, side)
        self.output(self.op("Identity", x), *dims, type=kind)
        return self.model(18)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("shared", nargs="?", help="is not looked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=40)
    parser.add_argument("--hard", action="store_true", help="of blocks whose kernels say little")
    line = parser.parse_args()
    figures = collections.defaultdict(measure.Figures)
    for i in range(line.seed * 1000, line.seed * 1000 + line.networks):
        case = os.path.join(line.folder, "hard" if line.hard else "composed", str(i))
        os.makedirs(case, exist_ok=True)
        model = os.path.join(case, "model.onnx")
        if not os.path.exists(model):
            onnx.save((Hard if line.hard else Composed)(i).compose(), model)
        if check.build(case, model, [os.path.join(check.HERE, "build.py")]):
            measure.measure(line.binary, measure.Case(case), figures["total"], False)
        else:
            check.failures += 1
    n = figures["total"].n
    for kind in ("computing", "all"):
        print(f"links, {kind} nodes: precision {measure.ratio(n[kind + ' right'], n[kind + ' ours'])}, "
              f"recall {measure.ratio(n[kind + ' found'], n[kind + ' total'])}")
    for key in ("computing wrong", "computing missed"):
        print(f"{key}: " + ", ".join(f"{case} {count} [{note}]" for count, case, note in
                                     sorted(figures["total"].worst[key], reverse=True)[:5]))
    check.check(n["computing right"] >= PRECISION * n["computing ours"], "precision of links")
    check.check(n["computing found"] >= RECALL * n["computing total"], "recall of links")
    for key in ("refused", "failed without Metadata", "other layers than the log", "type unknown",
                "computing layers of unknown precision", "inserted invented"):
        check.check(not n[key], f"{key}: {n[key]}")
    print(f"{line.networks} {'hard ' if line.hard else ''}networks of seed {line.seed}, {check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
