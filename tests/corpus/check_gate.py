#!/usr/bin/python3
"""What the gate must say of real engines.

    check_gate.py BINARY SHARED

Snapshots of every pair come back byte for byte; a build passes against itself, whatever
its layers are called; the way back from better to worse fails and names the edge.  What is
expected comes from the engines' JSON, never from the program.  Exit status 77 when SHARED
is absent.
"""
import json
import os
import random
import re
import sys
import tempfile

from harness import CORPUS, failures, pairs, start
RESNETS = ["fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap"]


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def run(*args, status=0):
    done = start(*args)
    check(f"exit status {status} of {args}", done.returncode == status,
          f"(got {done.returncode}: {done.stderr.strip()[:300]})")
    return done.stdout


def resnet(name):
    folder = os.path.join(CORPUS, f"resnet18-{name}-trt8.4")
    return os.path.join(folder, "model.onnx"), os.path.join(folder, "engine.graph.json"), \
        os.path.join(folder, "profile.json")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_round_trips(folder):
    count = 0
    for case, model, engine in pairs():
        text = run("snapshot", model, engine)
        path = write(os.path.join(folder, f"{case}.fsd"), text)
        check(f"{case}: the same bytes again", run("snapshot", model, engine) == text)
        check(f"{case}: round trip", run("snapshot", path) == text)
        check(f"{case}: passes against itself", "passed: 0 errors, 0 warnings, 0 notes" in
              run("check", path, model, engine))
        check(f"{case}: compare finds nothing", run("compare", path, f"{model},{engine}"))
        count += 1
    return count


def churn(engine, path, seed):
    """Another tactic for every layer, and other names of tensors inside."""
    chance = random.Random(seed)
    with open(engine, encoding="utf-8") as file:
        dump = json.load(file)
    bindings = set(dump.get("Bindings", []))
    names = {}

    def rename(name):
        if name in bindings or not re.search(r"Reformatted|^\(Unnamed", name):
            return name
        return names.setdefault(name, f"{name}_churn{chance.randrange(1000)}")

    for layer in dump["Layers"]:
        if "TacticValue" in layer:
            layer["TacticValue"] = f"0x{chance.randrange(1 << 64):016x}"
        if "TacticName" in layer:  # its words may show the type it computes in
            layer["TacticName"] += f"_stage{chance.randrange(9)}"
        for tensor in layer.get("Inputs", []) + layer.get("Outputs", []):
            tensor["Name"] = rename(tensor["Name"])
    return write(path, json.dumps(dump))


def check_churn(folder):
    for name in RESNETS:
        model, engine, _ = resnet(name)
        snapshot = write(os.path.join(folder, "a.fsd"), run("snapshot", model, engine))
        other = churn(engine, os.path.join(folder, "churn.json"), name)
        check(f"{name}: churn does not count", "passed: 0 errors, 0 warnings, 0 notes" in
              run("check", snapshot, model, other))
        before, after = run("snapshot", model, engine), run("snapshot", model, other)
        changed = [a for a, b in zip(before.split("\n"), after.split("\n")) if a != b]
        check(f"{name}: churn changes the hashes only",
              len(changed) == 2 and changed[0].startswith("engine ") and changed[1].startswith("end "), changed)


def findings(old, new, folder, *args, status=1):
    """Of a check of NEW against a snapshot of OLD."""
    model, engine, profile = resnet(old)
    snapshot = write(os.path.join(folder, "old.fsd"), run(
        "snapshot", model, engine, "--profile", profile, "--with-times"))
    model, engine, profile = resnet(new)
    return json.loads(run("check", snapshot, model, engine, "--profile", profile, "-f", "json",
                          *args, status=status))


def layer_types(name):
    """By name of a layer: the types of what it reads."""
    with open(resnet(name)[1], encoding="utf-8") as file:
        dump = json.load(file)
    return {layer["Name"]: [t["Format/Datatype"] for t in layer["Inputs"]]
            for layer in dump["Layers"]}


def check_way_back(folder):
    # What the engines say: the residual that layer "conv2 + add" reads beside its own input.
    residuals = {name: [types[1] for layer, types in layer_types(name).items()
                        if re.search(r"\+ Add_\d+", layer) and len(types) > 1]
                 for name in ("qat", "qat-residual")}
    check("the engines differ as said",
          all("Half" in t or "FP16" in t for t in residuals["qat"]) and
          any("Int8" in t for t in residuals["qat-residual"]), residuals)
    report = findings("qat-residual", "qat", folder)
    check("qat-residual -> qat fails", report["verdict"] == "failed")
    # The Reformat that writes an edge's new type names the edge and what it carried.
    edges = [f for f in report["findings"] if f["rule"] in ("precision-widened", "new-reformat") and
             re.search(r"the (?:edge|tensor) \S+ -> (`\S+`, )*`Add_\d+`(:| is) (\S+ -> )?fp16", f["message"]) and
             "before: int8" in f["message"]]
    check("the residual edges are named", len(edges) >= 4 and
          all(f["severity"] == "error" for f in edges), [f["message"] for f in edges])
    # Quantizers that are layers of their own there and not here.
    standing = {layer for layer in layer_types("qat") if re.match(r"QuantizeLinear_\d+", layer)}
    named = {n for f in report["findings"] if f["rule"] == "new-standing-quantize"
             for n in f["nodes"] if n.startswith("QuantizeLinear")}
    check("standing quantizers are named",
          named and all(any(n in layer for layer in standing) for n in named), named)
    report = findings("qat-residual-qgap", "qat-residual", folder)
    check("qgap -> qat-residual fails", report["verdict"] == "failed")
    check("it names the node that reads the edge", any(
        "GlobalAveragePool" in f["message"] and f["rule"] == "precision-widened" for f in report["findings"]))


def total(name):
    with open(resnet(name)[2], encoding="utf-8") as file:
        return sum(e["averageMs"] for e in json.load(file) if "averageMs" in e)


def check_latency(folder):
    report = findings("qat-residual", "qat", folder)
    slower = total("qat") - total("qat-residual")
    said = [re.search(r"([+-][0-9.]+) ms", f["message"])[1] for f in report["findings"]
            if f["rule"] == "latency"]
    check("latency is the profiles' difference",
          len(said) == 1 and abs(float(said[0]) - slower) < 0.01, (said, slower))
    report = findings("qat", "qat-residual", folder)
    check("faster is no finding", not [f for f in report["findings"] if f["rule"] == "latency"])
    # The same profile again is within any band; twice as slow is not, but for a wide budget.
    report = findings("qat", "qat", folder, status=0)
    check("the same passes", not report["findings"])
    policy = write(os.path.join(folder, "p.ini"), "[latency]\nshare = 500%\n")
    report = findings("qat-residual", "qat", folder, "--policy", policy)
    check("a budget makes it a note", [f["severity"] for f in report["findings"]
                                       if f["rule"] == "latency"] == ["info"])


def scale_profile(path, factor, folder, name):
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        for key in ("timeMs", "averageMs", "medianMs"):
            if key in entry:
                entry[key] *= factor
    return write(os.path.join(folder, name), json.dumps(entries))


def check_noise(folder):
    """Two profiles that differ by 20 % excuse nothing; five that differ excuse the cap at most."""
    model, engine, profile = resnet("qat")
    scaled = {f: scale_profile(profile, f, folder, f"{f}.json") for f in (0.95, 1.05, 1.08, 1.2, 1.5)}
    two, five = os.path.join(folder, "two.fsd"), os.path.join(folder, "five.fsd")
    run("snapshot", model, engine, "--profile", profile, "--profile", scaled[1.2], "-o", two)
    run("check", two, model, engine, "--profile", scaled[1.2], status=1)
    spread = [a for p in (scaled[0.95], scaled[0.95], profile, scaled[1.05], scaled[1.05]) for a in ("--profile", p)]
    run("snapshot", model, engine, *spread, "-o", five)
    near = [a for _ in range(3) for a in ("--profile", scaled[1.08])]
    run("check", five, model, engine, *near)
    slower = [a for _ in range(3) for a in ("--profile", scaled[1.2])]
    text = run("check", five, model, engine, *slower, status=1)
    check("beyond the cap fails", re.search(r"error +latency", text) and "the policy's limit" in text)


def check_fp16(folder):
    model, engine, _ = resnet("fp32")
    snapshot = write(os.path.join(folder, "fp32.fsd"), run("snapshot", model, engine))
    report = json.loads(run("check", snapshot, *resnet("fp16")[:2], "-f", "json", status=1))
    rules = {f["rule"] for f in report["findings"]}
    check("fp32 -> fp16 loses no fusion and widens nothing",
          not rules & {"lost-fusion", "regrouped", "precision-widened"}, rules)


def main():
    if not os.path.isdir(CORPUS):
        print("skipped: no corpus")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        count = check_round_trips(folder)
        check_churn(folder)
        check_way_back(folder)
        check_latency(folder)
        check_noise(folder)
        check_fp16(folder)
    print("FAILED" if failures else f"passed: {count} pairs")
    sys.exit(1 if failures else 0)


main()
