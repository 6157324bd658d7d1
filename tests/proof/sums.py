"""Claims about sums: the share of each class of layers, of a layer, of a finding's layers, and what a change gains.

The truth is what layers.py counts from the dump, or the profile; a gain is the share of the layers that the change removes."""
import re

from dump import BITS
from model import QDQ, RANDOM

WORDS = {"compute": "compute", "requantization": "requantization", "data movement": "movement",
         "data movement that the model requires": "requested_movement"}
CALLED = {"unknown": "unexplained", None: "copies"}
ROUNDED = 0.051     # of a percentage with one decimal


class Sums:
    def __init__(self, layers, dump, model, stated):
        """`stated`: by layer the bytes that the report states, which count where they cannot be recomputed (the claims
        about bytes count these apart); what it does not know either is in no sum."""
        self.layers, self.dump, self.model, self.stated = layers, dump, model, stated
        self.unknown = {i for i, n in enumerate(stated) if n is None and dump.ms is None}
        n = range(len(dump.layers))
        self.cost = [self._cost(i) for i in n]
        self.classes = [self._class(i) for i in n]
        known = [c for c in self.cost if c is not None]
        self.total = dump.run_ms if dump.ms is not None else sum(known) if all(
            c is not None or i in self.unknown for i, c in enumerate(self.cost)) else None
        self.constants = self._constants()

    def _cost(self, i):
        """Milliseconds where there is a profile, bytes elsewhere."""
        if self.dump.ms is not None:
            return self.dump.ms[i]
        found = self.layers.bytes(i)
        return self.stated[i] if found is None else found

    def _class(self, i):
        kind = self.layers.kinds[i]
        if kind in ("noop", "sync", "shape", "constant"):
            return "nothing"
        spent = self.layers.spent(i)
        if kind in ("copy", "reformat", "quantize"):
            if self.dump.ms is not None and self.cost[i] == 0:
                return "nothing"
            return "requested_movement" if spent == {"requested_movement"} else "movement"
        return "requantization" if spent == {"requantization"} else "compute" if spent == {None} else None

    def share_of(self, layers):
        """The share of some layers; None: not all of them are known."""
        found = [self.cost[i] for i in layers if i not in self.unknown]
        return None if self.total in (None, 0) or None in found else sum(found) / self.total

    def lost_in(self, layers):
        """The share of the tensors that a product writes and one of these layers reads again."""
        if self.total in (None, 0) or self.dump.ms is not None:
            return None
        lost = [max([p.bytes() or float("nan") for p in self.dump.layers[i].ins if any(
            self.dump.layers[k].multiplies() for k in self.dump.writers.get(p.name, []))], default=0) for i in layers]
        return None if sum(lost) != sum(lost) else 2 * sum(lost) / self.total

    def of_class(self, name):
        unknown = None in self.classes or name is None
        return None if unknown else self.share_of(i for i, c in enumerate(self.classes) if c == name)

    def _constants(self):
        """Layers that compute what follows from constants alone, and nothing that a run decides."""
        found = set()
        for i, layer in enumerate(self.dump.layers):
            nodes = self.layers.nodes(i)
            if self.layers.kinds[i] not in ("compute", "copy", "reformat") or any(n.op in RANDOM for n in nodes):
                continue
            folded = bool(nodes) and all(self.model.is_folded(n) for n in nodes) and any(n.op not in QDQ for n in nodes)
            by = [self.dump.writers.get(p.name) for p in layer.ins]
            sized = bool(layer.outs) and all(p.dims and min(p.dims) >= 0 for p in layer.outs)
            if folded or sized and by and all(b and set(b) <= found for b in by):
                found.add(i)
        return found

    def saved(self, i, group=False):
        """The part of a layer's cost that its advice saves.  A quantizer whose input the caller quantizes also pads, or lays it
        out; an output that ONNX has in INT64 needs a Cast, which is a copy; a kernel reads groups that need no padding
        (`group`) without it."""
        layer = self.dump.layers[i]
        if not layer.ins or not layer.outs:
            return 1
        a, b = layer.ins[0], layer.outs[0]
        n, m, before = a.count(), b.count(), (a.bytes() or 0) + (b.bytes() or 0)
        if None in (n, m) or not a.bytes() or not b.bytes():
            return 1
        if self.layers.kinds[i] == "quantize" and a.name not in self.dump.writers and (n != m or a.layout() != b.layout()):
            return 1 - (n * BITS[b.type] / 8 + b.bytes()) / before
        maker = self.model.nodes[self.model.maker[b.name]] if self.model and b.name in self.model.maker else None
        if (a.type, b.type) == ("int32", "int64") and self.layers.cause(i) == {"io"} and maker and maker.op != "Cast":
            return 1 - 2 * a.bytes() / before
        return 1 + abs(b.bytes() - a.bytes()) / before if group else 1

    # Sentences with numbers: how many layers do what, and how much that is.

    COUNTS = [("kind", r"^(\d+):", ("compute", "requantization", "movement", "requested_movement", "nothing")),
              ("kind", r"(\d+) computes?\b", ("compute", "requantization")),
              ("kind", r"(\d+) (?:do(?:es)? no work|(?:is|are) constant)", ("nothing",)),
              ("required", r"(\d+) of them requantizes?", ("requantization",)),
              ("required", r"(\d+) moves? data(?! because)", ("movement",)),
              ("required", r"(\d+) moves? data because", ("requested_movement",)),
              ("precision", r"(?<=[( ])([a-z]+\d* \d+)(?=(?:, [a-z]+\d* \d+)*\))", ("compute", "requantization")),
              ("bytes", r"^([\d.]+ [kMG]?B)\b", ())]

    def judge_count(self, kind, word, classes):
        """Whether so many layers are of these classes, and compute in the type that stands before the number; or whether
        all take so many bytes."""
        if kind == "bytes":
            number, unit = word.split(" ")
            return self.total and abs(float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit] / self.total - 1) < 6e-3
        chosen = [i for i, c in enumerate(self.classes) if c in classes]
        if kind == "precision":
            types = [self.layers.precision(i) or {"unknown"} for i in chosen]
            if any(len(t) > 1 for t in types):
                return None
            chosen = [t for t in types if word.split(" ")[0] in t]
        return None if None in self.classes else len(chosen) == int(word.split(" ")[-1])

    def judge_brief(self, line, at, rows):
        """Whether the percentage at this place of a line of the summary is right; None: it is not recomputed."""
        before, percent = line["text"][:at.start(1)], float(at[1])
        if line["topic"] == "to do":
            return self.judge_gain(line["text"], percent, rows)
        word = re.search(r"([A-Za-z+][A-Za-z+ ]*?) <?$", before)[1]
        of = {"moving": self._of_cause, "by op": self._of_operator}.get(line["topic"])
        shares = of(word) if of else [self.of_class(WORDS.get(word))]
        if None in shares or before.endswith("<"):
            return None if None in shares else percent == 0.1 and 100 * shares[0] < 0.1
        return 100 * shares[0] - ROUNDED < percent < 100 * shares[-1] + ROUNDED and (shares[0] == shares[-1] or None)

    def _of_cause(self, word):
        """The least and the largest share of layers that move data for this cause, unasked; those of the model's own nodes
        are copies."""
        sure, open_ = [], []
        for i in (i for i, name in enumerate(self.classes) if name == "movement"):
            quantizes, causes = self.layers.kinds[i] == "quantize", self.layers.cause(i)
            called = {"quantize"} if quantizes else causes and {CALLED.get(c, c) for c in causes}
            if not called or word in called:
                (sure if called == {word} else open_).append(i)
        return [self.share_of(sure), self.share_of(sure + open_)]

    def _of_operator(self, op):
        """The share of layers that compute such nodes alone, and of all that compute one among others."""
        ops = [{n.op for n in self.layers.nodes(i)} for i in range(len(self.classes))]
        return [self.share_of(i for i, of in enumerate(ops) if of == {op} or all_ and op in of) for all_ in (False, True)]

    def judge_gain(self, text, percent, rows):
        """What a line "to do" saves: the layers that the change removes."""
        layers = self._removed_by(text, rows)
        parts = [(self.share_of([i]), self.saved(i, group=" channels per group " in text)) for i in layers or ()]
        if layers is None or any(s is None for s, _ in parts):
            return None
        return abs(100 * sum(s * saved for s, saved in parts) - percent) < ROUNDED

    def _removed_by(self, text, rows):
        if text.startswith("requantization"):
            return None if None in self.classes else [i for i, c in enumerate(self.classes) if c == "requantization"]
        if text.startswith("fold "):
            return self.constants
        movers = [r for r in rows if not r.get("requested") and r["layer"] not in self.constants]
        sized = re.match(r"choose (\d+|an even number of) ([a-z ]+) instead of (\d+) at ", text)
        if sized:
            begin = f"choose {sized[1]} {sized[2]} instead of {sized[3]} where "
            return [r["layer"] for r in movers if r.get("advice", "").startswith(begin)]
        edits = re.match(r"(?:add|remove|give|move) (\d+)? ?.*\(lint (\S+)\)", text)
        if edits and "change type" not in text:
            cited = [r for r in movers if r.get("cites") and r["cites"][0]["rule"] == edits[2]]
            places = {(c["node"], c["input"]) for r in cited for c in r["cites"] if c["rule"] == edits[2]}
            return [r["layer"] for r in cited] if len(places) == int(edits[1] or 1) else []
        advice = re.sub(r": (may save|saves) .*", "", text)
        found = [r["layer"] for r in movers if r.get("advice") and r["advice"].startswith(advice)]
        return found or None
