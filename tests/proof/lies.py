"""Planted lies: a claim of a report with another value, which is false wherever the claim was true.

What a claim can be is one of a list, a number, or a place; the lie is drawn from the others.  A neighbour is replaced by a
layer that shares no tensor with the row's layer, or by another node; a number changes by one element or by a factor."""
import random
import re

from claims import KINDS
from dump import BITS
from layers import CAUSES, KINDS as LAYER_KINDS
from nodes import EVIDENCE, FATES

TYPES = ["fp32", "fp16", "bf16", "int8", "fp8", "int32", "int64"]
# Of the operators that an advice names none.
ELSEWHERE = {"Softmax", "Relu", "Shape", "Constant", "Mul", "Sigmoid", "Cast", "Reshape", "Transpose"}
CHOICES = {"outcome": FATES, "kind": LAYER_KINDS, "cause": [*CAUSES, None], "precision": TYPES, "type": TYPES}
LAYOUTS = ["chw", "hwc", "chw4", "chw32", "hwc8", "dhwc"]


class Liar:
    def __init__(self, case, rng):
        self.case, self.rng = case, rng

    def other(self, choices, *values):
        return self.rng.choice([c for c in choices if c not in values])

    def lie(self, claim):
        """Changes what the claim says; returns what takes it back."""
        if claim.span and claim.kind in ("kind", "required", "precision", "bytes"):
            return self.of_count(claim)
        if claim.kind in CHOICES:
            return claim.set(self.other(CHOICES[claim.kind], claim.value(), "unknown" * (claim.kind == "precision")))
        return getattr(self, "of_" + claim.kind)(claim)

    def of_count(self, claim):
        """Another number of layers, or of bytes: "13.5 MB"."""
        before, number, behind = re.fullmatch(r"(.*?)([\d.]+)([ a-zA-Z]*)", claim.value()).groups()
        new = float(number) * self.rng.choice([0.5, 1.1, 2]) if behind else int(number) + self.rng.choice([1, 2, 5])
        return claim.set(f"{before}{new:.4g}{behind}")

    def of_evidence(self, claim):
        """Another evidence, or the link of a node that the layer does not have."""
        link = claim.holder
        if self.rng.random() < 0.5:
            return claim.set([self.other(EVIDENCE, *claim.value())])
        layer = int(re.search(r"\d+", claim.where)[0])
        of_layer = {n["index"] for n in self.case.report["layers"][layer]["nodes"]}
        before, link["index"] = link["index"], self.other(range(len(self.case.report["nodes"])), *of_layer)
        return lambda: link.update(index=before)

    def of_required(self, claim):
        if claim.value() is not None:
            return claim.set(None)
        return claim.set("requested_movement" if claim.holder["kind"] in ("copy", "reformat") else "requantization")

    def of_bytes(self, claim):
        value, element = int(claim.value()), max(1, BITS.get(claim.holder["precision"], 32) // 8)
        return claim.set(self.other([value + element, value - element, 2 * value, value // 2, value + 16 * element], value))

    def of_share(self, claim):
        """A fraction, or a percentage within a text, that differs by more than rounding does."""
        value, percent = float(claim.value()), claim.span is not None
        found = [f * value for f in (0.5, 0.8, 1.25, 2)] + [value + d for d in ((1, 5) if percent else (0.01, 0.05))]
        least = 0.25 if percent else max(0.002, 0.01 * value)
        found = [f for f in found if abs(f - value) > least] or [value + 2 * least]
        new = self.rng.choice(found)
        return claim.set(f"{new:.1f}" if percent else f"{new:.4f}" if isinstance(claim.value(), str) else new)

    of_gain = of_share

    def of_format(self, claim):
        """Another layout, or within "fp32:hwc,fp32:chw" another type or layout in one place."""
        text = claim.value()
        if ":" not in text:
            return claim.set(self.other(LAYOUTS, text))
        formats = [f.split(":") for f in text.split(",")]
        at, side = self.rng.randrange(len(formats)), self.rng.randrange(2)
        formats[at][side] = self.other((TYPES, LAYOUTS)[side], formats[at][side])
        return claim.set(",".join(":".join(f) for f in formats))

    def of_size(self, claim):
        return claim.set(str(int(claim.value()) + self.rng.choice([-1, 1, 2, 8])))

    def of_scale(self, claim):
        value = claim.value()
        if isinstance(value, float):
            return claim.set(value * self.rng.choice([0.5, 0.9, 1.1, 2]))
        nodes = [n for n in self.case.model.nodes if n.op == "QuantizeLinear"]
        if claim.key == "scale_tensor":
            return claim.set(self.other(sorted({n.inputs[1] for n in nodes}), value))
        by = self.case.model.nodes[self.case.model.names[value.strip("`")]]
        quote = "`" if claim.span else ""
        return claim.set(quote + self.rng.choice([n.name for n in nodes if n.inputs[0] != by.inputs[0]]) + quote)

    def of_neighbour(self, claim):
        value = claim.value()
        if claim.key in ("source", "layer") or isinstance(value, str) and value.isdigit():
            return claim.set(self._far_layer(claim, value))
        if claim.key in ("producer", "node"):
            return claim.set(self._other_node(int(value)))
        return claim.set(self._other_name(claim))

    def _far_layer(self, claim, value):
        """A layer that shares no tensor with that of the row, and is none of a chain with it."""
        mine = int(value if claim.where.startswith("finding") else re.search(r"\d+", claim.where)[0])
        near = {mine, int(value)}.union(*(self.case.dump.near(mine, back, self.case.advice.movers) for back in (True, False)))
        found = self.other(range(len(self.case.report["layers"])), *near)
        return str(found) if isinstance(value, str) else found

    def _other_node(self, value):
        """A node of another operator: an equal one would be true, too."""
        nodes = self.case.names.nodes
        return self.other([n.index for n in nodes if n.op != nodes[value].op and not n.scope])

    def _other_name(self, claim):
        """A tensor or a node of another name, in quotes as far as the span has them."""
        text, nodes = claim.value(), self.case.names.nodes
        if "IOFormats" in claim.holder[claim.key] or "network" in claim.holder[claim.key]:
            return self.other([t for n in nodes[:50] for t in n.outputs], text.strip("`")) + "`" * text.endswith("`")
        named = [n.name for n in nodes if n.name and n.op in ELSEWHERE]
        return "`" * text.startswith("`") + self.other(named, text.strip("`")) + "`" * text.endswith("`")


def plant(cases, count, seed, believed):
    """Of each kind as many lies, drawn from all claims of it that are true or not recomputed; by kind, how many were
    planted and rejected.  `believed`: gets each other one, and what stood there before."""
    rng, result = random.Random(seed), {}
    claims = {kind: [] for kind in KINDS}
    for case in cases:
        for claim in case.claims():
            claims[claim.kind].append((case, claim))
    for kind in KINDS:
        drawn = rejected = 0
        pool = [c for c in claims[kind] if c[1].holder and c[1].judge() is not False]
        while pool and drawn < count:
            case, claim = rng.choice(pool)
            before = claim.value()
            try:
                take_back = Liar(case, rng).lie(claim)
            except IndexError:      # there is nothing else that it could be
                pool.remove((case, claim))
                continue
            drawn += 1
            verdict = claim.judge()
            rejected += verdict is False
            if verdict is not False:
                believed(case, claim, before)
            take_back()
        result[kind] = drawn, rejected
    return result
