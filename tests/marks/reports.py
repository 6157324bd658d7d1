"""reports.py BINARY FOLDER SHARED [--seed N] [--findings N]: bug reports whose part shows what they are about.

Findings of models that the seed makes go through `issue`, and the part of each report is built alone.  The report of that
build has a finding of the same rule about one of the same nodes, or the part does not show it.  Exit status 1 below nine
of ten."""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import onnx

import measure
import models
import rebuild


SEVERITIES = ("info", "warning", "error")


def nodes_of(report, finding):
    """Names of the nodes that it is about: its own, those of its layers, and those that its message names."""
    ids = set(finding["nodes"])
    for layer in finding["layers"]:
        ids.update(n["index"] for n in report["layers"][layer]["nodes"])
    names = {report["nodes"][i]["name"] or report["nodes"][i]["op"] for i in ids}
    return names | (set(re.findall("`([^`]*)`", finding["message"])) & {n["name"] for n in report["nodes"]})


def findings_of(report):
    """Those about a part that the builder made: not those about the files, or about what is known of the engine."""
    return [f for f in report["findings"] if f["layers"] + f["nodes"] and not f["rule"].startswith(("input/", "log/", "mapping/"))]


def shows(m, finding, extra):
    """Whether the part of its report, built alone, has the finding; why not."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "report")
        p = subprocess.run([m.binary, "issue", *map(str, m.pair), "--finding", finding["rule"], "-o", out, *extra],
                           capture_output=True, text=True)
        if p.returncode or not (out / "part.onnx").exists():
            return False, (p.stderr.strip() if p.returncode else "no part")
        part = onnx.load(out / "part.onnx", load_external_data=False)
    pair = m.builder.engine(part, {})
    if not pair[1]:
        return False, "the builder refuses the part"
    report = m.ask("diff", *pair)
    alike = [f for f in findings_of(report) if f["rule"] == finding["rule"]]
    wanted = nodes_of(m.report, finding)
    if any(nodes_of(report, f) & wanted for f in alike):
        return True, ""
    return False, f"{len(alike)} of this rule; about {sorted(wanted)[:4]}; the part has {[n.op_type for n in part.graph.node]}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--findings", type=int, default=30)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--made", type=int, default=28)
    p.add_argument("--zoo", type=int, default=30, help="models of the corpus besides")
    p.add_argument("--with", dest="extra", action="append", default=[], help="a word for issue")
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    pool = collections.defaultdict(list)
    draw = random.Random(a.seed)
    names = models.of_zoos(a.shared, 1 << 20)
    for name in models.names_of(a.seed, a.made) + draw.sample(names, min(a.zoo, len(names))):
        m = measure.Model(a.binary, builder, a.shared, name)
        builder.fill(m.model, rebuild.SEED)     # the part has weights
        m.pair = builder.engine(m.model, m.shapes)
        m.report = m.ask("diff", *m.pair)
        for rule in sorted({f["rule"] for f in findings_of(m.report)}):   # the worst of it, which issue takes
            alike = [f for f in findings_of(m.report) if f["rule"] == rule]
            pool[rule].append((m, max(alike, key=lambda f: SEVERITIES.index(f["severity"]))))
    drawn = []
    for rule in pool:
        draw.shuffle(pool[rule])
    while len(drawn) < a.findings and any(pool.values()):   # a finding of each rule, then a second one
        for rule in sorted(pool):
            if pool[rule] and len(drawn) < a.findings:
                drawn.append(pool[rule].pop())
    good = 0
    for m, f in drawn:
        shown, why = shows(m, f, a.extra)
        good += shown
        if not shown:
            print(f"  {m.name} {f['rule']}: {why}", flush=True)
    print(f"issue: {good} of {len(drawn)} parts show their finding, of {len(pool)} rules")
    return 0 if good >= 0.9 * len(drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
