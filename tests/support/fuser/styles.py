"""Names of nodes and tensors, in the styles of exporters and of attackers.

A mapping by name is only as good as its worst names. Each model therefore has one style, and a few
styles have names full of the separators of layer names.
"""

HOSTILE = [" + ", " || ", ", ", "[", "]", "(", ")", "...", "{ForeignNode[",
           "PWN(", " copy", "_clone_1", "reshape_after_", "Reformatted Input Tensor 0 to ",
           " [profile 1]", "_myl1_0", "|", "\\", "\"", "'", "\u00e9"]

# Texts that a terminal, a CI runner or a markup renderer would interpret.
CONTROLS = ["\x1b[31m", "\x9b31m", "\r", "\b", "\u202e"]
MARKS = ["\n::error::evil", "<evil>", "]]>", "`", "|", "\n| evil | row |", "\"];evil_node[", "\\", "&lt;",
         "%0A"]


class Style:
    """`node(op)` and `tensor(op, node)` return names. In some styles, names repeat or are empty."""

    def __init__(self, rng, kind=None):
        self.rng, self.count, self.per_op = rng, 0, {}
        self.kind = kind or rng.choices(
            ["counter", "path", "dynamo", "unnamed", "dup", "hostile"],
            [6, 6, 4, 2, 2, 2])[0]
        self.scope = []
        self.taken = set()

    def node(self, op):
        self.count += 1
        k = self.per_op[op] = self.per_op.get(op, -1) + 1
        return getattr(self, "_" + self.kind)(op, k)

    def _counter(self, op, k):
        return "%s_%d" % (op, self.count - 1)

    def _path(self, op, k):
        name = "/" + "/".join(self.scope + [op])
        n, j = name, 1
        while n in self.taken:
            n, j = "%s_%d" % (name, j), j + 1
        self.taken.add(n)
        return n

    def _dynamo(self, op, k):
        word = {"Conv": "conv2d", "Gemm": "linear", "MatMul": "matmul"}.get(
            op, op.lower())
        return "node_%s" % word if k == 0 else "node_%s_%d" % (word, k)

    def _unnamed(self, op, k):
        return "" if self.rng.random() < 0.7 else self._counter(op, k)

    def _dup(self, op, k):
        if self.rng.random() < 0.3:
            return "%s_%d" % (op, self.rng.randrange(4))
        return self._counter(op, k)

    def _hostile(self, op, k):
        r = self.rng
        roll = r.random()
        if roll < 0.35:             # names that are prefixes of other names
            return "%s_%d" % (op, self.count)
        if roll < 0.55 and self.taken:
            known = r.choice(sorted(self.taken))
            name = known + r.choice(HOSTILE) + op
        else:
            name = op + r.choice(HOSTILE) + str(self.count)
        name = name[-120:]
        self.taken.add(name)
        return name

    def _marks(self, op, k):
        return op + self._mark() + str(self.count)

    def _mark(self):
        return self.rng.choice(CONTROLS) + self.rng.choice(MARKS)

    def tensor(self, op, node):
        if self.kind == "path" and node:
            return node + "_output_0"
        if self.kind == "dynamo" and node:
            return node[5:] if node.startswith("node_") else node + "_out"
        k = self.per_op["\0t"] = self.per_op.get("\0t", 99) + 1
        if self.kind == "marks":
            return "t%s%d" % (self._mark(), k)
        if self.kind == "hostile" and self.rng.random() < 0.3:
            return "t%d%s%d" % (k, self.rng.choice(HOSTILE), k)
        return self.rng.choice(["%d", "onnx::%s_%%d" % op, "input.%d"]) % k \
            if self.kind in ("counter", "hostile") else "%d" % k
