"""Runs the binary on one case and checks what must hold on every seed."""
import json
import os
import subprocess

import bounds
import totals
import variants
from score import FATES, KINDS, Truth

SECONDS = 60        # of processor time


class Died(Exception):
    pass


def call(binary, folder, model, engine, options, out):
    """The report as JSON; the same run's other reports lie beside it.  Status 0 and 1
    are answers, all others are faults."""
    cmd = [binary, model, engine, "--all"] + options  # a folded text has no totals
    for ending in totals.ENDINGS:
        cmd += ["-o", beside(out, ending)]
    r = subprocess.run(cmd, cwd=folder, capture_output=True, timeout=bounds.HANGS,
                       preexec_fn=bounds.processor(SECONDS))
    if r.returncode not in (0, 1):
        raise Died("%s: status %d: %s" % (" ".join(cmd[1:]), r.returncode,
                                          r.stderr.decode(errors="replace")[:300]))
    with open(os.path.join(folder, out), encoding="utf-8") as f:
        return json.load(f)


def beside(out, ending):
    return out[:-len("json")] + ending


def get(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def run(a, seed, folder, model, result, total):
    """All checks of one seed: the list of faults."""
    faults, truth = [], Truth(result.truth)
    put(folder, "bare.json", variants.without_metadata(result.engine))
    base = None
    for cond, (engine, options) in variants.CONDITIONS.items():
        if not variants.applies(cond, result.work.gen.number):
            continue
        try:
            r = call(a.binary, folder, "model.onnx", engine, options,
                     report_name(cond))
        except (Died, ValueError, OSError, subprocess.TimeoutExpired) as e:
            if "not read yet" not in str(e):
                faults.append("%s: %s" % (cond, e))
            continue
        bad = form(r, truth) + times(cond, folder, r) + totals.differences(
            r, lambda end, cond=cond: get(os.path.join(folder, beside(report_name(cond), end))))
        faults += ["%s: %s" % (cond, b) for b in bad]
        if bad:
            continue
        wrong = total.claim(cond, truth, r)
        lies, more = total.judge(cond, truth, r)
        faults += lies
        wrong += more
        if a.verbose:
            faults += wrong
        base = r if cond == "all" else base
    if base is not None:
        faults += same(a, seed, folder, model, result, base)
    return faults


def report_name(cond):
    return "out.%s.json" % cond.replace(" ", "-")


def put(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def form(r, truth):
    """Lists that are complete, numbered, and counted right in the summary."""
    bad = []
    for what, mine in (("nodes", truth.nodes), ("layers", truth.layers)):
        if [x["index"] for x in r[what]] != list(range(len(mine))):
            return ["%s are not 0..%d" % (what, len(mine) - 1)]
    for n, t in zip(r["nodes"], truth.nodes):
        if n["fate"] not in FATES:
            bad.append("node %d has fate %r" % (n["index"], n["fate"]))
        if n["op"] != t["op"]:
            bad.append("node %d is %s, not %s" % (n["index"], n["op"], t["op"]))
    for x in r["layers"]:
        if x["kind"] not in KINDS:
            bad.append("layer %d has kind %r" % (x["index"], x["kind"]))
    return bad + both_ways(r)


def times(cond, folder, r):
    """A layer has the time of its row in the profile, which has them in their order."""
    if cond != "times":
        return []
    rows = json.loads(get(os.path.join(folder, "profile.json")))[1:]
    return ["layer %d has %s ms, its row %s" % (x["index"], x.get("ms"), row["averageMs"])
            for x, row in zip(r["layers"], rows)
            if abs(x.get("ms", -1) - row["averageMs"]) > 1e-5]


def both_ways(r):
    """nodes[].layers and layers[].nodes[] are one relation."""
    down = {(x["index"], n["index"]) for x in r["layers"] for n in x.get("nodes", [])}
    up = {(at, n["index"]) for n in r["nodes"] for at in n.get("layers", [])}
    extra = {p for p in down - up if r["nodes"][p[1]].get("region") is None}
    missing = {p for p in up - down if r["nodes"][p[1]]["fate"] == "layer"}
    return ["links differ between layers[] and nodes[]: %s" % sorted(s)[:4]
            for s in (extra, missing) if s]


def mapping(r, order=None):
    """What a report says, free of names: kinds, links, fates.  `order` takes a
    shuffled engine's places back to the old ones."""
    old = order or list(range(len(r["layers"])))
    layers = {old[x["index"]]: (
        x["kind"], x.get("cause"),
        tuple(sorted((n["index"], tuple(sorted(n["evidence"])))
                     for n in x.get("nodes", [])))) for x in r["layers"]}
    nodes = [(n["fate"], tuple(sorted(old[at] for at in n.get("layers", []))))
             for n in r["nodes"]]
    return layers, nodes


def differences(a, b):
    out = []
    for i in a[0]:
        if a[0][i] != b[0].get(i):
            out.append("layer %d: %s, was %s" % (i, b[0].get(i), a[0][i]))
    for i, (x, y) in enumerate(zip(a[1], b[1])):
        if x != y:
            out.append("node %d: %s, was %s" % (i, y, x))
    return out


def rebuilt(folder, name, other, result):
    """Writes a renamed model with its engine; false where it was not built the same."""
    if other is None:
        return False
    model, built = other
    with open(os.path.join(folder, name + ".onnx"), "wb") as f:
        f.write(model.SerializeToString())
    put(folder, name + ".json", built.engine)
    return [x["nodes"] for x in built.truth["layers"]] == \
        [x["nodes"] for x in result.truth["layers"]]


def same(a, seed, folder, model, result, base):
    """Order, names and layout must not matter."""
    faults, before = [], mapping(base)
    text, order = variants.shuffled(result.engine, seed)
    put(folder, "shuffled.json", text)
    put(folder, "indented.json", variants.reindented(result.engine))
    cases = [("shuffled", "model.onnx", order), ("indented", "model.onnx", None)]
    if result.truth["generation"] is not None:
        for name, change in (("renamed", variants.renamed),
                             ("nodes renamed", variants.nodes_renamed)):
            if rebuilt(folder, name, change(model, seed, a.generation), result):
                cases.append((name, name + ".onnx", None))
    for name, onnx, order in cases:
        try:
            r = call(a.binary, folder, onnx, name + ".json", [], "out.%s.json" % name)
        except (Died, ValueError, OSError, subprocess.TimeoutExpired) as e:
            faults.append("%s: %s" % (name, e))
            continue
        faults += ["%s: %s" % (name, d)
                   for d in differences(before, mapping(r, order))[:3]]
    return faults
