"""Which pairs of an alignment nobody could know better, and which are wrong.

Written apart from the program, and slowly: ways are written down and hashed, orders are
sets of bits.
"""
import collections
import hashlib

import exports

THROUGH = {"QuantizeLinear", "DequantizeLinear", "BatchNormalization", "Identity", "Cast", "Dropout",
           "Reshape", "Flatten", "Squeeze", "Unsqueeze"}
COMMUTE = {"Add", "Mul", "Sum", "Max", "Min"}
TELLING = {"strides", "kernel_shape", "axis", "perm"}


def digest(*parts):
    return hashlib.sha1(repr(parts).encode()).hexdigest()[:16]


def names_of(model):
    """As reports call them: a name that is none, or not the only one, has the node's number."""
    times = collections.Counter(n.name for n in model.graph.node)
    return [n.name if n.name and times[n.name] == 1 else f"{n.name}#{i}" for i, n in enumerate(model.graph.node)]


class Network:
    """What computes, seen through views, quantizers and what an exporter folds."""

    def __init__(self, model):
        self.model, self.nodes = model, model.graph.node
        self.names = names_of(model)
        self.made = {out: i for i, node in enumerate(self.nodes) for out in node.output if out}
        self.shapes = {i.name: tuple(i.dims) for i in model.graph.initializer}
        self.number = {p.name: i for i, p in enumerate(model.graph.input)}
        self.fixed = set(self.shapes) | {""}
        for node in self.nodes:
            if self.fixed.issuperset(exports.reads(node)):
                self.fixed.update(node.output)
        self.label = [self.see_label(node) for node in self.nodes]
        self.reads = [list(self.see_inputs(node)) for node in self.nodes]
        self.ends = collections.defaultdict(list)
        for i, port in enumerate(model.graph.output):
            if self.see(port.name) in self.made:
                self.ends[self.made[self.see(port.name)]].append(i)
        live = self.live()
        self.users = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes):
            for slot, out, at in self.reads[i]:
                if out != "input" and node.op_type not in THROUGH and i in live:
                    self.users[at].append((slot, out, i))

    def see(self, tensor):
        while tensor in self.made and self.nodes[self.made[tensor]].op_type in THROUGH and \
                self.nodes[self.made[tensor]].input:
            tensor = self.nodes[self.made[tensor]].input[0]
        return tensor

    def see_label(self, node):
        weight = self.shapes.get(self.see(node.input[1]), ()) if len(node.input) > 1 else ()
        return digest(node.op_type, sorted(a.SerializeToString() for a in node.attribute if a.name in TELLING),
                      weight if len(weight) > 1 else None)

    def see_inputs(self, node):
        """(slot, output, node) or (slot, "input", number)"""
        for slot, tensor in enumerate(node.input):
            source = self.see(tensor)
            slot = 0 if node.op_type in COMMUTE else slot
            if source in self.made and source not in self.fixed:
                at = self.made[source]
                yield slot, list(self.nodes[at].output).index(source), at
            elif source in self.number and source not in self.fixed:
                yield slot, "input", self.number[source]

    def live(self):
        found, wanted = set(), [p.name for p in self.model.graph.output]
        while wanted:
            at = self.made.get(wanted.pop())
            if at is not None and at not in found:
                found.add(at)
                wanted.extend(exports.reads(self.nodes[at]))
        return found

    def ways(self, sure):
        """By node: the way from the inputs and the way to the outputs, written down; nodes in
        `sure` stand for what it says."""
        before, behind = {}, {}
        for i, name in enumerate(self.names):
            before[i] = sure.get(name) or digest(self.label[i], sorted(
                str((slot, out, at if out == "input" else before.get(at))) for slot, out, at in self.reads[i]))
        for i in range(len(self.nodes) - 1, -1, -1):
            behind[i] = sure.get(self.names[i]) or digest(self.label[i], self.ends[i], sorted(
                (slot, out, behind.get(at, "")) for slot, out, at in self.users[i]))
        return {name: (before[i], behind[i]) for i, name in enumerate(self.names)}

    def neighbours(self, sure):
        """By node: its label, and the edges to nodes in `sure`, before and behind it."""
        near = [[(slot, out, sure[self.names[at]]) for slot, out, at in edges if out != "input" and
                 self.names[at] in sure] for side in (self.reads, self.users) for edges in side]
        n = len(self.nodes)
        return {name: (self.label[i], set(near[i]), set(near[n + i])) for i, name in enumerate(self.names)}

    def order(self, numbers, turn):
        """By node: the pairs, as bits, that it hangs on; `turn`: those that hang on it."""
        bits, found = collections.defaultdict(int), {}
        nodes = list(zip(self.names, self.nodes))
        for name, node in reversed(nodes) if turn else nodes:
            here = 0
            for tensor in node.output if turn else exports.reads(node):
                here |= bits[tensor]
            found[name] = here
            here |= 1 << numbers[name] if name in numbers else 0
            for tensor in exports.reads(node) if turn else node.output:
                bits[tensor] |= here
        return found


def fits(a, b):
    """Alike, with an edge to the same, and on no side only edges to others."""
    return a[0] == b[0] and (a[1] & b[1] or a[2] & b[2]) and \
        all(not x or not y or x & y for x, y in zip(a[1:], b[1:]))


def judge(pairs, old, new, old_is, new_is):
    """@return how many pairs are not a node and its own copy, but one that nothing could distinguish
    from it, and the pairs that are wrong.

    Nothing distinguishes it where the path from the inputs, or to the outputs, is the same, or where
    it stands beside the same.  What is right, or looks so, stands for itself when what is
    around it is looked at.  Two nodes that change places are wrong however they look.
    """
    wrong = [p for p in pairs if old_is[p["old"]] != new_is[p["new"]]]
    others, sure, last = len(wrong), [], None
    while wrong and last != len(sure):
        last = len(sure)
        old_sure = {p["old"]: "is " + p["old"] for p in sure}
        new_sure = {p["new"]: "is " + p["old"] for p in sure}
        old_ways, new_ways = old.ways(old_sure), new.ways(new_sure)
        old_near, new_near = old.neighbours(old_sure), new.neighbours(new_sure)
        wrong = [p for p in wrong if all(a != b for a, b in zip(old_ways[p["old"]], new_ways[p["new"]])) and
                 not fits(old_near[p["old"]], new_near[p["new"]])]
        doubtful = {p["old"] for p in wrong}
        sure = [p for p in pairs if p["old"] not in doubtful]
    before = old.order({p["old"]: i for i, p in enumerate(pairs)}, False)
    behind = new.order({p["new"]: i for i, p in enumerate(pairs)}, True)
    turned = [p for p in pairs if before[p["old"]] & behind[p["new"]]]
    return others - len(wrong), wrong + turned
