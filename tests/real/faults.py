"""faults.py BINARY FOLDER [--seed N] [--each N]: models with one planted fault, which `lint --fix` must take back.

Networks are drawn by seed and quantized by hand without a fault; then one fault is planted at one place, of each kind in
as many models that N of them count (4), at most three times as many.  A fault counts if TensorRT for RTX refuses the model, or needs 2 % more bytes of activations or more
layers than without it; `--fix`, with the scales that a run gives, must bring the engine back to the layers and bytes of
the faultless model in five of six of those that count, and make none worse.  Builds are kept in FOLDER by the model's hash."""
import argparse
import os
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "rules")]
import cured  # noqa: E402
import cures  # noqa: E402
import effects  # noqa: E402
import quantize  # noqa: E402
from models import Net  # noqa: E402

COSTS = 1.02  # of the faultless bytes

# ------------------------------------------------------------------------------------ networks


def residual(net, x, c, act):
    y = net.conv(net.conv(x, c, c, act=act, norm=False), c, c, act=None, norm=False)
    x = net.op("Add", y, x)
    return net.op("Relu", x) if act == "Relu" else x


def wider(net, x, c, act):
    y = net.conv(net.conv(x, c, 2 * c, act=act, norm=False, strides=[2, 2]), 2 * c, 2 * c, act=None, norm=False)
    return net.op("Relu", net.op("Add", y, net.conv(x, c, 2 * c, k=1, act=None, norm=False, strides=[2, 2])))


def inverted(net, x, c, act):
    y = net.conv(net.conv(x, c, 2 * c, k=1, act=act, norm=False), 2 * c, 2 * c, act=act, norm=False, group=2 * c)
    return net.op("Add", x, net.conv(y, 2 * c, c, k=1, act=None, norm=False))


def joined(net, x, c, act):
    """Two branches that a Concat joins."""
    parts = [net.conv(x, c, c // 2, k=1, act=act, norm=False),
             net.conv(net.conv(x, c, c // 2, k=1, act=act, norm=False), c // 2, c // 2, act=act, norm=False)]
    return net.conv(net.op("Concat", *parts, axis=1), c, c, k=1, act=act, norm=False)


def shrunk(net, x, c, act):
    return net.conv(net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), c, c, act=act, norm=False)


def drawn(seed, needs):
    """A stem, the block that the fault needs, and blocks by chance, and a head."""
    random = np.random.default_rng(seed)
    net, size = Net(seed), int(random.choice([32, 48, 64]))
    c = int(random.choice([16, 32, 48]))
    act = "Silu" if needs == "silu" else str(random.choice(["Relu", "Relu", "Silu"]))
    x = net.conv(net.input("image", 1, 3, size, size), 3, c, act="Relu", norm=False, strides=[2, 2])
    size //= 2
    blocks = [random.choice([residual, inverted, shrunk]) for _ in range(int(random.integers(1, 4)))]
    blocks.insert(int(random.integers(0, len(blocks) + 1)), {"concat": joined, "silu": residual}.get(needs, residual))
    for block in blocks:
        if block is shrunk and size < 12:
            continue
        x = block(net, x, c, act)
        size //= 2 if block is shrunk else 1
    if random.integers(2):
        x, c, size = wider(net, x, c, "Relu"), 2 * c, size // 2
    net.output(net.conv(x, c, 16, k=1, act=None, norm=False), 1, 16, size, size)
    return net.model()


# -------------------------------------------------------------------------------------- faults


class Quantized:
    """A model by quantize.Hand, and what is planted in it."""

    def __init__(self, model, random, concat):
        self.hand = quantize.Hand(model, residual=True)
        self.random = random
        self.model = self.hand.quantize()
        self.graph = self.model.graph
        if concat:
            self.join()

    def makers(self):
        return {o: n for n in self.graph.node for o in n.output}

    def readers(self, tensor):
        return [n for n in self.graph.node if tensor in n.input]

    def pick(self, found):
        return found[int(self.random.integers(len(found)))] if found else None

    def ops(self, *kinds):
        return [n for n in self.graph.node if n.op_type in kinds]

    def held(self, op, i):
        """Nodes of the operator whose input comes from a pair."""
        makers = self.makers()
        return [n for n in self.ops(op) if len(n.input) > i and n.input[i] in makers and makers[n.input[i]].op_type ==
                "DequantizeLinear" and makers[n.input[i]].input[0] in makers]

    def const(self, name, array):
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def pair_of(self, node, i):
        """The Q of the pair before the node's input."""
        makers = self.makers()
        return makers[makers[node.input[i]].input[0]]

    def scale_of(self, quantizer):
        return next(numpy_helper.to_array(t) for t in self.graph.initializer if t.name == quantizer.input[1])

    def before(self, node, i, name, scale, zero=0):
        """A new pair before the node's input."""
        s, z = self.const(name + "_scale", np.float32(scale)), self.const(name + "_zero", np.int8(zero))
        q = helper.make_node("QuantizeLinear", [node.input[i], s, z], [name + "_q"], name=name + "_QuantizeLinear")
        d = helper.make_node("DequantizeLinear", [name + "_q", s, z], [name + "_dq"], name=name + "_DequantizeLinear")
        at = list(self.graph.node).index(node)
        self.graph.node.insert(at, d)
        self.graph.node.insert(at, q)
        list(self.graph.node)[at + 2].input[i] = name + "_dq"

    def drop_unread(self):
        """Pairs that nothing reads any more, and their scales."""
        outs = {o.name for o in self.graph.output}
        while True:
            read = {i for n in self.graph.node for i in n.input} | outs
            dead = [n for n in self.graph.node if not set(n.output) & read]
            if not dead:
                break
            for n in dead:
                self.graph.node.remove(n)
        kept = [t for t in self.graph.initializer if t.name in read]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)

    def join(self):
        """Pairs of one scale before the inputs of each Concat, and none behind it."""
        for node in [n.name for n in self.ops("Concat")]:
            concat = next(n for n in self.graph.node if n.name == node)
            scale = max(float(np.abs(self.hand.values[t]).max()) for t in concat.input) / 127
            for i in range(len(concat.input)):
                self.before(next(n for n in self.graph.node if n.name == node), i, f"{node}_in{i}", scale)
            for conv in [n for n in self.held("Conv", 0) if self.pair_of(n, 0).input[0] == concat.output[0]]:
                self.bypass(conv, 0)

    # Each plants one fault, and returns whether there was a place for it.

    def bypass(self, node, i):
        node.input[i] = self.pair_of(node, i).input[0]
        self.drop_unread()

    def one_sided(self):
        node = self.pick(self.held("Conv", 0)[1:])
        if node is not None:
            self.bypass(node, 0)
        return node is not None

    def residual(self):
        adds = [(n, i) for i in (0, 1) for n in self.held("Add", i)]
        node = self.pick(adds)
        if node:
            self.bypass(*node)
        return bool(node)

    def add_scale(self):
        """The skip branch's own quantizer, of another scale than that of the block's input."""
        node = self.pick([(n, i) for i in (0, 1) for n in self.held("Add", i)])
        if node:
            add, i = node
            q = self.pair_of(add, i)
            scale, tensor = float(self.scale_of(q)), q.input[0]
            add.input[i] = tensor
            self.before(add, i, "skip_alone", scale * 1.2)
            self.drop_unread()
        return bool(node)

    def concat_scale(self):
        node = self.pick(self.ops("Concat"))
        if node is not None:
            q = self.pair_of(node, len(node.input) - 1)
            self.set_scale(q, float(self.scale_of(q)) * 0.8)
        return node is not None

    def set_scale(self, q, scale):
        for t in self.graph.initializer:
            if t.name == q.input[1]:
                t.CopyFrom(numpy_helper.from_array(np.float32(scale), t.name))

    def concat_missing(self):
        node = self.pick(self.ops("Concat"))
        if node is not None:
            self.bypass(node, int(self.random.integers(len(node.input))))
        return node is not None

    def inside(self, op="Relu", behind="Conv"):
        """Between a convolution and its activation."""
        makers = self.makers()
        node = self.pick([(n, i) for n in self.ops(op) for i, t in enumerate(n.input)
                          if t in makers and makers[t].op_type == behind])
        if node:
            node, i = node
            self.before(node, i, "inside", float(np.abs(self.hand.values[node.input[i]]).max()) / 127)
        return node is not None

    def silu(self):
        return self.inside("Mul", "Sigmoid")

    def zero(self):
        node = self.pick(self.held("Conv", 0))
        if node is not None:
            q = self.pair_of(node, 0)
            z = int(self.random.integers(-60, 60)) or 5
            for t in self.graph.initializer:
                if t.name == q.input[2]:
                    t.CopyFrom(numpy_helper.from_array(np.int8(z), t.name))
        return node is not None

    def weights(self):
        """One scale for all channels of a convolution."""
        makers = self.makers()
        node = self.pick([n for n in self.ops("Conv") if n.input[1] in makers])
        if node is not None:
            dq = makers[node.input[1]]
            w = self.hand.weights[dq.input[0].removesuffix("_int8")]
            scale = np.float32(np.abs(w).max() / 127)
            dq.input[1], dq.input[2] = self.const("one_scale", scale), self.const("one_zero", np.int8(0))
            for t in self.graph.initializer:
                if t.name == dq.input[0]:
                    t.CopyFrom(numpy_helper.from_array(np.clip(np.round(w / scale), -127, 127).astype(np.int8), t.name))
            del dq.attribute[:]
        return node is not None


KINDS = ("one_sided", "residual", "add_scale", "concat_scale", "concat_missing", "silu", "zero", "weights", "inside")
NEEDS = {"concat_scale": "concat", "concat_missing": "concat", "silu": "silu"}
TRIES = 3  # models drawn for each that is to count


def planted(kind, seed):
    """(the faultless model, the faulty one); None: the network drawn has no place for the fault."""
    network = drawn(seed, NEEDS.get(kind))
    right = Quantized(network, np.random.default_rng(seed), NEEDS.get(kind) == "concat")
    right.drop_unread()
    model = onnx.ModelProto.FromString(right.model.SerializeToString())
    return (model, right.model, network) if getattr(right, kind)() else None


# ------------------------------------------------------------------------------------ judging


def judge(binary, folder, kind, seed):
    """(counts, healed, worse), with a line."""
    right, model, network = planted(kind, seed)
    path, fixed = (os.path.join(folder, f"{kind}.{seed}{end}.onnx") for end in ("", ".fixed"))
    onnx.save(model, path)
    goal, before = effects.cost(binary, folder, right), effects.cost(binary, folder, model)
    counts = bool(goal) and (not before or before[0] > goal[0] or before[1] > COSTS * goal[1])
    wrote = cured.fix(binary, path, fixed, network)
    after = effects.cost(binary, folder, onnx.load(fixed)) if wrote else before
    new = cures.marks(binary, fixed, "rtx")[1] - cures.marks(binary, path, "rtx")[0] if wrote else ()
    healed = bool(goal and after) and after[0] <= goal[0] and after[1] <= 1.005 * goal[1]
    worse = bool(new or before and (not after or after[0] > before[0] or after[1] > 1.005 * before[1]))
    effect = "refused" if not before else f"{before[0] - goal[0]:+d} layers, {100 * (before[1] / goal[1] - 1):+.1f} % bytes"
    print(f"{'FAILED ' if worse or counts and not healed else ''}{kind}.{seed}: {effect}{'' if counts else ', which is not counted'}"
          f"; without the fault {goal}, with it {before}, fixed {after if wrote else 'nothing'}{' ' + str(sorted(new)) if new else ''}",
          flush=True)
    return counts, healed, worse


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary")
    words.add_argument("folder")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--each", type=int, default=4)
    words.add_argument("--kinds", default=",".join(KINDS))
    words = words.parse_args()
    folder, rows = os.path.join(words.folder, "effects"), []
    os.makedirs(folder, exist_ok=True)
    for kind in words.kinds.split(","):
        seed, mine = 1000 * words.seed, []
        while sum(r[1] for r in mine) < words.each and len(mine) < TRIES * words.each:
            seed += 1
            while not planted(kind, seed):
                seed += 1
            mine.append((kind, *judge(words.binary, folder, kind, seed)))
        rows += mine
    counted = [r for r in rows if r[1]]
    healed, worse = sum(r[2] for r in counted), sum(r[3] for r in rows)
    for kind in words.kinds.split(","):
        mine = [r for r in rows if r[0] == kind]
        print(f"{kind:14} {len(mine)} models, {sum(r[1] for r in mine)} with a fault that costs, {sum(r[1] and r[2] for r in mine)} healed")
    print(f"of {len(counted)} models with a fault that costs 2 % or layers, or is refused, {healed} are as without it; {worse} are worse")
    return worse > 0 or 6 * healed < 5 * len(counted)


if __name__ == "__main__":
    sys.exit(main())
