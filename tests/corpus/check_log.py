#!/usr/bin/python3
"""What must hold on real build logs.

    check_log.py BINARY SHARED SCHEMA [CASE ...]

Expected links come from the logs' own words: the parser's names, "X: Fusing A with B",
the names of the engine block's layers.  Exit status 77 when SHARED is absent.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import harness
from harness import BINARY, CORPUS, check, failures, read_report


def path(case, name):
    return os.path.join(CORPUS, case, name)


def lines(case, name="build.log"):
    with open(path(case, name), encoding="utf-8", errors="replace") as file:
        return [re.sub(r"^(\[\d\d/\d\d/\d{4}-[\d:]{8}\] )*(\[[VIWEF]\] )?(\[TRT\] )?(\[[VIWEF]\] )?", "",
                       line.rstrip("\r\n ")) for line in file]


def run(case, *args):
    text = harness.run(case, *args, "-f", "json")
    return read_report(text) if text else None


def links(report, by=None):
    nodes = report["nodes"]
    return {(layer["name"], nodes[link["index"]]["name"]) for layer in report["layers"]
            for link in layer["nodes"] if by is None or by in link["evidence"]}


def findings(report, rule):
    return [f for f in report["findings"] if f["rule"] == rule]


def fully_explained(case, report):
    lost = [n["name"] for n in report["nodes"] if n["fate"] == "unexplained"]
    check(case, "every node has a fate", not lost, str(lost))
    linked = {layer for region in report.get("regions", []) for layer in region["layers"]}
    idle = [layer["name"] for layer in report["layers"] if layer["kind"] in ("compute", "foreign", "quantize")
            and not layer["nodes"] and layer["index"] not in linked]
    check(case, "every layer is mapped", not idle, str(idle))
    check(case, "no conflict", not findings(report, "mapping/conflict"))
    check(case, "the log was followed to its end", not findings(report, "log/too-large"))


def engine_names(case, name="build.log"):
    return [m[1] for line in lines(case, name) if (m := re.match(r"Layer\(\w+\): (.*), Tactic: ", line))]


def check_fusions(case, report):
    """Nodes that the log fuses are in one layer, where a layer of that name came of it."""
    names = {node["name"] for node in report["nodes"]}
    layers = {layer["name"]: layer for layer in report["layers"]}
    seen = 0
    for line in lines(case):
        fused = re.match(r"\w+: Fusing (.*) with (.*)$", line)
        layer = layers.get(f"{fused[1]} + {fused[2]}") if fused else None
        if layer is None:
            continue
        have = {report["nodes"][link["index"]]["name"] for link in layer["nodes"] if "log" in link["evidence"]}
        want = {n for n in names if n in re.split(r" \+ ", f"{fused[1]} + {fused[2]}")}
        seen += 1
        check(case, f"log evidence for {layer['name']}", want <= have, f"{want - have}")
    check(case, "there are fusions to check", seen > 0)


def nodes_of(report, layer):
    return {report["nodes"][link["index"]]["name"] for link in layer["nodes"]}


def centernet(case):
    report = run(case, path(case, "model.onnx"), path(case, "build.log"), "--profile", profile(case))
    if report:
        names = engine_names(case)
        check(case, "the log's layers", [l["name"] for l in report["layers"]][:len(names)] == names)
        fully_explained(case, report)


def profile(case):
    return next(path(case, f) for f in sorted(os.listdir(os.path.join(CORPUS, case))) if "profile" in f)


def mobilenet(case):
    report = run(case, path(case, "model.onnx"), path(case, "build.log"), "--profile", profile(case))
    if not report:
        return
    fully_explained(case, report)
    with open(profile(case), encoding="utf-8") as file:
        timed = [r["name"] for r in json.load(file) if "name" in r]
    names = [layer["name"] for layer in report["layers"]]
    bare = {re.sub(r"^PWN\((\w+)\)$", r"\1", name) for name in names}  # the profile's spelling
    check(case, "the profile's layers are there", set(timed) <= bare | set(names), str(set(timed) - bare))
    check(case, "113 layers", len(names) == len(timed), str(len(names)))
    copies = [layer for layer in report["layers"] if re.fullmatch(r"\d+ copy", layer["name"])]
    check(case, "eight copies", len(copies) == 8 and "639 copy" in names, str(len(copies)))
    for layer in copies:
        check(case, f"{layer['name']} is a concat copy", (layer["kind"], layer.get("cause")) == ("copy", "concat") and
              nodes_of(report, layer) == {"Concat_200"}, str(layer))
    merged = [layer for layer in report["layers"] if layer["name"].count(" || ") == 7]
    check(case, "one layer of eight || convolutions", len(merged) == 1)
    for layer in merged:
        want = set(re.findall(r"Conv_\d+", layer["name"]))
        check(case, "all eight are in it", len(want) == 8 and want <= nodes_of(report, layer), str(want))
    seen = 0
    for layer in (l for l in report["layers"] if not l["inserted"]):
        for name in re.findall(r"PWN\((\w+)\)", layer["name"]):
            seen += 1
            check(case, f"PWN member {name}", name in nodes_of(report, layer), layer["name"])
    check(case, "there are PWN members", seen > 10, str(seen))


def without_model(case):
    both = run(case, path(case, "model.onnx"), path(case, "build.log"))
    alone = run(case, path(case, "build.log"))
    if both and alone:
        check(case, "the same links without the model", links(both) == links(alone),
              str(links(both) ^ links(alone)))
        check(case, "the same fates without the model",
              [(n["name"], n["fate"]) for n in both["nodes"]] == [(n["name"], n["fate"]) for n in alone["nodes"]])
        check(case, "the log's layers", [l["name"] for l in both["layers"]] == engine_names(case))
        check_fusions(case, both)
        fully_explained(case, both)


def mnist86(case):
    without_model(case)
    report = run(case, path(case, "model.onnx"), path(case, "build.log"))
    if report:
        check(case, "the Add without a trace", ("MatMul-9 + ReLU-11", "Add-10") in links(report, "tensor"))
    names = run(case, path(case, "model.onnx"), path(case, "engine.names-only.json"),
                "--log", path(case, "build.log"))
    if names:
        check(case, "the log serves a dump of names", not findings(names, "log/other-build") and links(names, "log"))


def other_build(case):
    dump = [path(case, "model.onnx"), path(case, "engine.graph.json")]
    log = path(case, "other-build-fp16-dynamic.log")
    report, bare = run(case, *dump, "--log", log), run(case, *dump)
    if report and bare:
        check(case, "another build's log is noticed", findings(report, "log/other-build"))
        check(case, "and is no evidence", not links(report, "log") and links(report) == links(bare))
    report = run(case, dump[0], log)
    if report:
        check(case, "the log's own engine", not findings(report, "log/other-build"))
        fully_explained(case, report)


def rtx(case):
    report = run(case, path(case, "build.log"))
    if report:
        check(case, "the region's member", links(report) == {
            ("{ForeignNode[(Unnamed Layer* 0) [Identity]]}", "(Unnamed Layer* 0) [Identity]")}, str(links(report)))


def cuts(case):
    """Cut at each percent: a report as soon as the engine's first layer is whole."""
    folder = os.path.join(CORPUS, case)
    for name in (f for f in os.listdir(folder) if f.endswith((".log", ".txt"))):
        with open(path(case, name), "rb") as file:
            whole = file.read()
        model = [path(case, "model.onnx")] if os.path.exists(path(case, "model.onnx")) else []
        with tempfile.TemporaryDirectory() as away:
            cut = os.path.join(away, "cut.log")
            for percent in range(1, 100):
                part = whole[:len(whole) * percent // 100]
                with open(cut, "wb") as file:
                    file.write(part)
                done = subprocess.run([BINARY, *model, cut, "--force"], capture_output=True, check=False)
                engine = re.search(rb"^(\[.*\] )?(Layer\(\w+\): .*, Tactic: .* -> |Name: .*, LayerType: ).*\n", part, re.M)
                allowed = (0,) if engine and model else (0, 2)
                check(case, f"{name} cut at {percent} percent", done.returncode in allowed,
                      f"{done.returncode} {done.stderr.decode(errors='replace')[:200]}")


def damaged(case):
    """Garbage between lines, a line of 10 MB: what was understood, and how many were not."""
    with open(path(case, "build.log"), "rb") as file:
        whole = file.read()
    rng = random.Random(8)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "build.log")
        split = whole.split(b"\n")
        for at in sorted(rng.sample(range(1, len(split)), 50), reverse=True):
            split.insert(at, b"\x02" + bytes(rng.randrange(256) for _ in range(80)).replace(b"\n", b""))
        split.insert(1, b"x" * 10_000_000)
        with open(name, "wb") as file:
            file.write(b"\n".join(split))
        hurt, sound = run(case, name), run(case, path(case, "build.log"))
        if hurt and sound:
            check(case, "garbage between lines changes no link", links(hurt) == links(sound))
            check(case, "garbage is counted", hurt["log"]["unknown"] == sound["log"]["unknown"] + 51,
                  f"{sound['log']['unknown']}, then {hurt['log']['unknown']}")


CHECKS = {
    "centernet-resnet34-qat-trt8.0": [centernet, cuts],
    "mobilenetv2-fpn-int8-trt8.5": [mobilenet, cuts],
    "mnist-trt8.0": [without_model, cuts],
    "mnist-trt8.6": [mnist86, damaged, cuts],
    "centerpoint-rpn-trt8.2": [without_model, cuts],
    "mnist-trt10.16": [other_build, cuts],
    "tensorrt-rtx": [rtx, cuts],
    "fp8-dynamic-quantize-trt10": [cuts],
    "inspector-text-trt10.16": [cuts],
}


def main():
    if not os.path.isdir(CORPUS):
        print(f"skipped: no {CORPUS}")
        return 77
    for case, checks in CHECKS.items():
        if sys.argv[4:] and case not in sys.argv[4:]:
            continue
        for one in checks:
            one(case)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
