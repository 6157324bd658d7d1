"""Claims against truth: links, regions, fates, kinds; and sums of these."""
import collections

PROVED = {"folded", "identity", "absorbed", "merged", "dead"}
FATES = PROVED | {"layer", "unexplained"}
KINDS = {"compute", "reformat", "copy", "quantize", "constant", "noop", "shape",
         "sync", "foreign"}
# Without tensors nobody can see that a no-op has got a layer nevertheless.
HALF_BLIND = {"metadata", "name", "names only"}


class Truth:
    """What links are true (`strict`), and what links are not wrong (`fine`)."""

    def __init__(self, data):
        self.nodes, self.layers = data["nodes"], data["layers"]
        self.strict, self.fine = set(), set()
        for x in self.layers:
            at = x["index"]
            for i in x["nodes"]:
                self.fine.add((at, i))
                if not (x["loose"] or self.nodes[i]["loose"]):
                    self.strict.add((at, i))
            self.fine.update((at, i) for i in x["absorbed"] + x["mentions"])
        self._twins()

    def _twins(self):
        """A node whose duplicate was absorbed or merged may as well be said to
        run where the duplicate does."""
        groups = collections.defaultdict(list)
        for n in self.nodes:
            if n["same"] is not None:
                groups[n["same"]].append(n["index"])
        for first, others in groups.items():
            members = [first] + others
            if any(self.nodes[i]["fate"] in ("absorbed", "merged") for i in members):
                layers = {at for i in members for at in self.nodes[i]["layers"]}
                self.fine.update((at, i) for at in layers for i in members)

    def runs_as_twin(self, i, claim, regions):
        """True for a merged node that is said to run where its duplicate does."""
        layers = set(claim["layers"])
        if claim.get("region") is not None:
            layers |= set(regions[claim["region"]]["layers"])
        return claim["fate"] == "layer" and self.nodes[i]["fate"] == "merged" and \
            any((at, i) in self.fine for at in layers)

    def open(self, at, i):
        """True where opinions may differ."""
        return self.layers[at]["loose"] or self.nodes[i]["loose"]


class Score:
    """Sums over all seeds; `add` joins two."""

    def __init__(self):
        self.links = collections.Counter()   # (condition, evidence, what)
        self.fates = collections.Counter()   # (condition, true, claimed)
        self.kinds = collections.Counter()
        self.debatable = collections.Counter()
        self.proved_wrong = 0

    def add(self, other):
        self.links.update(other.links)
        self.fates.update(other.fates)
        self.kinds.update(other.kinds)
        self.debatable.update(other.debatable)
        self.proved_wrong += other.proved_wrong

    # --------------------------------------------------------------- links

    def claim(self, cond, truth, report):
        """Marks all links and regions of one report; returns wrong ones."""
        wrong, seen = [], collections.defaultdict(set)
        for x in report["layers"]:
            for link in x.get("nodes", []):
                pair = (x["index"], link["index"])
                for e in link.get("evidence", []) + ["any"]:
                    seen[e].add(pair)
        region_ok = self._regions(cond, truth, report, wrong)
        for e in set(seen) | {"any"}:
            for pair in seen[e]:
                self._one(cond, e, truth, pair, wrong)
            self.links[cond, e, "found"] += len(seen[e] & truth.strict)
        self.links[cond, "any", "true"] += len(truth.strict)
        both = seen["any"] | region_ok
        self.links[cond, "+region", "found"] += len(both & truth.strict)
        return wrong

    def _one(self, cond, e, truth, pair, wrong):
        if truth.open(*pair):
            return
        if truth.nodes[pair[1]]["shared"]:
            e = "shared name " + e if e != "any" else "shared name"
        self.links[cond, e, "claimed"] += 1
        if pair in truth.fine:
            self.links[cond, e, "right"] += 1
        elif not e.startswith("shared"):
            wrong.append("%s: wrong link by %s: layer %d %r, node %d %r (true: %s)" % (
                cond, e, pair[0], truth.layers[pair[0]]["name"][:90], pair[1],
                truth.nodes[pair[1]]["name"][:60], truth.nodes[pair[1]]["layers"]))

    def _regions(self, cond, truth, report, wrong):
        """A claim "one of these layers" is right when a true layer is there."""
        ok = set()
        regions = report.get("regions", [])
        for i, n in enumerate(report["nodes"]):
            r = n.get("region")
            if r is None:
                continue
            layers = set(regions[r]["layers"])
            true = set(truth.nodes[i]["layers"])
            if truth.nodes[i]["loose"] or truth.nodes[i]["fate"] != "layer":
                continue
            self.links[cond, "region", "claimed"] += 1
            if true & layers:
                self.links[cond, "region", "right"] += 1
                ok.update((at, i) for at in true & layers)
            else:
                wrong.append("%s: node %d %r is in none of region %d" % (
                    cond, i, truth.nodes[i]["name"][:60], r))
        return ok

    # --------------------------------------------------------------- fates

    def judge(self, cond, truth, report):
        """Fates; returns those that were proved and are false, and the others
        that are not what they should be."""
        lies, wrong = [], []
        for i, n in enumerate(report["nodes"]):
            t, said = truth.nodes[i], n["fate"]
            good = {t["fate"]} | set(t["also"])
            unseen = said == "identity" and t["noop"] and cond in HALF_BLIND
            if truth.runs_as_twin(i, n, report.get("regions", [])):
                good.add("layer")
            if t["loose"] or unseen:
                self.debatable[cond, t["op"], t["fate"], said] += said not in good
            elif said in PROVED and said not in good:
                lies.append("%s: node %d %r (%s) is %s, not %s" % (
                    cond, i, t["name"][:60], t["op"], t["fate"], said))
            elif not t["loose"] and said not in good and said != "unexplained":
                wrong.append("%s: node %d %r (%s) is %s in %s, not %s in %s" % (
                    cond, i, t["name"][:60], t["op"], t["fate"], t["layers"], said,
                    n["layers"]))
            if not t["loose"] and not unseen:
                self.fates[cond, t["fate"], t["fate"] if said in good else said] += 1
        self.proved_wrong += len(lies)
        for x, true in zip(report["layers"], truth.layers):
            if true["loose"]:
                continue
            self.kinds[cond, true["kind"], x["kind"]] += 1
            words = ["inserted" if y else "not inserted"
                     for y in (true["inserted"], x["inserted"])]
            self.kinds[cond, words[0], words[1]] += 1
            for a, b in ((true["kind"], x["kind"]), words):
                if a != b and cond not in ("names only",):
                    wrong.append("%s: layer %d %r is %s, not %s" % (
                        cond, x["index"], true["name"][:90], a, b))
        return lies, wrong

    # -------------------------------------------------------------- tables

    def ratio(self, cond, e):
        claimed = self.links[cond, e, "claimed"]
        true = self.links[cond, "any", "true"]
        return (self.links[cond, e, "right"] / claimed if claimed else 1.0,
                self.links[cond, e, "found"] / true if true else 0.0)

    def fate_ratio(self, cond):
        rows = [(t == c, n) for (k, t, c), n in self.fates.items() if k == cond]
        return sum(n for ok, n in rows if ok) / max(1, sum(n for _, n in rows))

    def conditions(self):
        return list(dict.fromkeys(k[0] for k in self.links))

    def table(self):
        out = ["%-12s %-22s %9s %9s %9s %9s" % (
            "condition", "evidence", "claimed", "right", "precision", "recall")]
        for c in self.conditions():
            for e in sorted({k[1] for k in self.links if k[0] == c}):
                p, r = self.ratio(c, e)
                claimed = self.links[c, e, "claimed"]
                out.append("%-12s %-22s %9s %9s %9s %9s" % (
                    c, e, claimed or "", self.links[c, e, "right"] or "",
                    "%.5f" % p if claimed else "",
                    "" if e.startswith(("shared", "region")) else "%.4f" % r))
        out.append("\nfates right, and what was said instead (true -> claimed)")
        for c in self.conditions():
            bad = ["%s -> %s %d" % (t, s, n) for (k, t, s), n in
                   self.fates.most_common() if k == c and t != s]
            out.append("%-12s %.5f  %s" % (c, self.fate_ratio(c), ", ".join(bad)))
        out.append("\nkinds of layers, where they differ (true -> claimed)")
        for c in self.conditions():
            bad = ["%s -> %s %d" % (t, s, n) for (k, t, s), n in
                   self.kinds.most_common() if k == c and t != s]
            out.append("%-12s %s" % (c, ", ".join(bad)))
        out.append("\nfates that are a matter of opinion (operator: ours -> claimed)")
        for c in self.conditions():
            bad = ["%s: %s -> %s %d" % (op, t, s, n) for (k, op, t, s), n in
                   self.debatable.most_common() if k == c and n and s != "unexplained"]
            out.append("%-12s %s" % (c, ", ".join(bad)))
        return "\n".join(out)

    def below(self, bars, fate_bars):
        low = []
        for (c, e), least in bars.items():
            for word, is_, bar in zip(("precision", "recall"), self.ratio(c, e), least):
                if is_ < bar:
                    low.append("%s, %s: %s %.5f < %.5f" % (c, e, word, is_, bar))
        for c, bar in fate_bars.items():
            if self.fate_ratio(c) < bar:
                low.append("%s: fates %.5f < %.5f" % (c, self.fate_ratio(c), bar))
        return low
