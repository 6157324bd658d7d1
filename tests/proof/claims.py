"""All claims of a report, each with the function that judges it by model and dump alone.

A claim is a value at a place of the JSON, or a word within a sentence there.  It is confirmed (True), contradicted (False),
or not recomputed (None)."""
import re
import types

from advice import Advice
from layers import Layers
from nodes import Links, Names, Outcomes
from sums import Sums

KINDS = "outcome evidence kind cause required precision bytes share gain type format size scale neighbour".split()
PERCENT = re.compile(r"([\d.]+) %")


class Claim:
    """`holder[key]` claims something; of a text, the word from span[0] to span[1]."""

    def __init__(self, kind, where, holder, key, judge, span=None):
        self.kind, self.where, self.holder, self.key, self.judge, self.span = kind, where, holder, key, judge, span

    def value(self):
        value = self.holder.get(self.key)
        return value if self.span is None else value[self.span[0]:self.span[1]]

    def set(self, value):
        """Puts another value there, None: no value; returns what takes it back."""
        before = self.holder.get(self.key)
        whole = before[:self.span[0]] + value + before[self.span[1]:] if self.span else value
        self.holder.update({self.key: whole})
        return lambda: self.holder.update({self.key: before})


def one_of(found, value):
    return None if found is None else value in found


class Case:
    """A report (`diff`) and its view of data movement (`reformats`), and the truth of model and dump."""

    def __init__(self, model, dump, report, view):
        self.model, self.dump, self.report = model, dump, report
        self.rows = view["reformats"] + view["free"]
        named = [types.SimpleNamespace(index=n["index"], name=n["name"], op=n["op"], scope=0, inputs=(), outputs=())
                 for n in report["nodes"]]
        self.names = Names(model, dump, model.nodes if model else named)
        linked = [[n["index"] for n in la["nodes"]] for la in report["layers"]]
        self.layers = Layers(model, dump, self.names, linked)
        self.sums = Sums(self.layers, dump, model, [int(la["bytes"]) if "bytes" in la else None
                                                    for la in report["layers"]])
        self.links = Links(model, dump, self.names)
        self.outcomes = Outcomes(model, dump, self.names, self.layers)
        self.advice = Advice(model, dump, self.names, self.layers, self.rows)

    def claims(self):
        yield from self._of_nodes()
        for i, layer in enumerate(self.report["layers"]):
            yield from self._of_layer(i, layer)
        yield from self._of_sums()
        for row in self.rows:
            yield from self._of_row(row)

    def _of_nodes(self):
        for i, row in enumerate(self.report["nodes"]):
            node = self.names.nodes[i] if i < len(self.names.nodes) else None
            yield Claim("outcome", f"node {i}", row, "fate",
                        lambda row=row, node=node: one_of(self.outcomes.of(node), row.get("fate")) if node else None)

    def _of_layer(self, i, layer):
        truth, where = self.layers, f"layer {i}"
        for link in layer["nodes"]:
            yield Claim("evidence", f"{where} -> node {link['index']}", link, "evidence",
                        lambda link=link: self.links.judge(i, link["index"], link["evidence"]))
        for node in sorted(self.names.metadata[i] - {n["index"] for n in layer["nodes"]}):     # links that are missing
            of, called = self.names.nodes[node], self.names.called(self.names.nodes[node])
            sure = not of.scope and len(self.names.by_name[called]) == 1    # of a body, the node that owns it has the link
            yield Claim("evidence", f"{where} -> node {node}", {}, "evidence", lambda sure=sure: False if sure else None)
        yield Claim("kind", where, layer, "kind", lambda: truth.kinds[i] == layer["kind"])
        if layer["kind"] in ("copy", "reformat", "noop") or "cause" in layer:
            yield Claim("cause", where, layer, "cause", lambda: one_of(truth.cause(i), layer.get("cause")))
        if layer["kind"] in ("copy", "reformat") or "spent" in layer or layer["kind"] == "compute" and \
                not self.dump.layers[i].multiplies():
            yield Claim("required", where, layer, "spent", lambda: one_of(truth.spent(i), layer.get("spent")))
        if layer["kind"] != "sync":
            yield Claim("precision", where, layer, "precision", lambda: one_of(truth.precision(i), layer["precision"]))
        if "bytes" in layer and layer["kind"] not in ("sync", "noop", "shape", "constant"):
            yield Claim("bytes", where, layer, "bytes", lambda: one_of({truth.bytes(i)} - {None} or None, int(layer["bytes"])))

    def _of_sums(self):
        summary, sums = self.report["summary"], self.sums
        for name, spent in summary["spent"].items():
            if "share" in spent:
                yield Claim("share", f"summary, {name}", spent, "share",
                            lambda spent=spent, name=name: self._near(sums.of_class(name), spent["share"]))
        for k, line in enumerate(summary["brief"]):
            for kind, words, classes in sums.COUNTS if line["topic"] in ("layers", "bytes") else ():
                if (kind == "bytes") == (line["topic"] == "bytes"):
                    yield from self._of_words(kind, line, k, re.compile(words), lambda at, kind=kind, classes=classes:
                                              sums.judge_count(kind, at[1], classes))
            if line["topic"] not in ("layers", "unknown") and not line["text"].startswith("no known change saves more"):
                yield from self._of_words("gain" if line["topic"] == "to do" else "share", line, k, PERCENT,
                                          lambda at, line=line: sums.judge_brief(line, at, self.rows))
        for k, finding in enumerate(self.report["findings"]):
            facts, forms = finding["facts"], self.advice.FINDINGS
            for kind, *span in self.advice.claims_in(finding["message"], forms):
                yield Claim(kind, f"finding {k}, {finding['rule']}", finding, "message",
                            lambda f=finding, forms=forms: self.advice.judge_text(f["message"], forms), span)
            if "share" in facts:
                of = sums.lost_in if finding["rule"] == "fusion/epilogue-unfused" else sums.share_of
                yield Claim("share", f"finding {k}, {finding['rule']}", facts, "share",
                            lambda f=finding, of=of: self._near(of(f["layers"]), float(f["facts"]["share"]), 6e-5))

    @staticmethod
    def _of_words(kind, line, k, words, judge):
        """A claim for each number that these words find in a line of the summary, and find again where it is a lie."""
        def again(n):
            found = list(words.finditer(line["text"]))
            return judge(found[n]) if n < len(found) else False
        for n, at in enumerate(words.finditer(line["text"])):
            yield Claim(kind, f"line {k}, {line['topic']}", line, "text", lambda n=n: again(n), at.span(1))

    @staticmethod
    def _near(right, value, by=1e-6):
        return None if right is None else abs(right - value) < by

    def _of_row(self, row):
        where, i = f"row of layer {row['layer']}", row["layer"]

        def judged(judge, *words):
            def ask():
                self.advice.row = row
                return judge(*(w() for w in words))
            return ask

        if "share" in row and self.dump.ms is not None:
            yield Claim("share", where, row, "share", lambda: self._near(self.sums.share_of([i]), row["share"]))
        if row.get("gain_by") == "the measured time":
            yield Claim("gain", where, row, "gain_ms", lambda: self._near(
                None if self.dump.ms is None else self.dump.ms[i] * min(self.sums.saved(i), 1), row["gain_ms"]))
        change = row.get("change", "")
        for n, at in enumerate(re.finditer(r"(\w+)( \w+)?", change) if "available" not in change else []):
            for kind, group in (("type", 1), ("format", 2)):
                if at[group] and n < 8 and at[group].strip() not in ("x", "of"):
                    yield Claim(kind, where, row, "change", judged(self.advice.judge_change, lambda: row["change"]),
                                (at.end(group) - len(at[group].strip()), at.end(group)))
        advice = self.advice
        for kind, *span in advice.claims_in(row.get("advice", ""), advice.ADVICE):
            yield Claim(kind, where, row, "advice", judged(lambda: advice.judge_text(row["advice"], advice.ADVICE)), span)
        yield from self._of_edge(row, where, judged)
        for cite in row.get("cites", []):
            yield from self._of_cite(cite, where, judged)

    def _of_edge(self, row, where, judged):
        edge, advice = row.get("edge", {}), self.advice
        claims = [(edge, "source", advice.judge_source, lambda: edge["source"]),
                  (edge, "producer", advice.judge_producer, lambda: edge)]
        for r in edge.get("readers", []):
            claims += [(r, "layer", advice.judge_reader, lambda r=r: r["layer"]),
                       (r, "node", lambda of: advice.judge_reading_node(edge, of), lambda r=r: r)]
        for holder, key, judge, what in claims:
            if key in holder:
                yield Claim("neighbour", where, holder, key, judged(judge, what))

    def _of_cite(self, cite, where, judged):
        advice = self.advice
        for kind, key, judge in [("scale", k, advice.judge_scale) for k in ("scale_of", "scale_tensor", "scale")] + [
                ("type", "type", advice.judge_cite_type), ("neighbour", "node", advice.judge_cite_node)]:
            if key in cite:
                yield Claim(kind, where, cite, key, judged(judge, lambda: cite))
