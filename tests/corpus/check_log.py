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

try:
    import jsonschema
except ImportError:
    jsonschema = None

BINARY, SHARED, SCHEMA = sys.argv[1:4]
CORPUS = os.path.join(SHARED, "corpus")
failures = []


def check(case, what, holds, detail=""):
    if not holds:
        failures.append(case)
        print(f"FAILED {case}: {what} {detail}")


def path(case, name):
    return os.path.join(CORPUS, case, name)


def lines(case, name="build.log"):
    with open(path(case, name), encoding="utf-8", errors="replace") as file:
        return [re.sub(r"^(\[\d\d/\d\d/\d{4}-[\d:]{8}\] )*(\[[VIWEF]\] )?(\[TRT\] )?(\[[VIWEF]\] )?", "",
                       line.rstrip("\r\n ")) for line in file]


def run(case, *args):
    done = subprocess.run([BINARY, *args, "-f", "json"], capture_output=True, text=True, check=False)
    check(case, "exit status 0", done.returncode == 0, f"(got {done.returncode}: {done.stderr.strip()[:300]})")
    if done.returncode:
        return None
    report = json.loads(done.stdout)
    if jsonschema is not None:
        with open(SCHEMA, encoding="utf-8") as file:
            jsonschema.validate(report, json.load(file))
    return report


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
    check(case, "the profile's layers are there", set(timed) <= set(names), str(set(timed) - set(names)))
    for layer in report["layers"]:
        if re.fullmatch(r"\d+ copy", layer["name"]):
            check(case, f"{layer['name']} is a concat copy", layer["kind"] == "copy" and
                  layer.get("cause") in ("concat", None), str(layer.get("cause")))
        if layer["name"].count(" || ") == 7:
            want = set(re.findall(r"Conv_\d+", layer["name"]))
            have = {report["nodes"][link["index"]]["name"] for link in layer["nodes"]}
            check(case, "the merged convolutions are in one layer", want <= have, str(want - have))
        for name in re.findall(r"PWN\((\w+)\)", layer["name"]) if not layer["inserted"] else ():
            have = {report["nodes"][link["index"]]["name"] for link in layer["nodes"]}
            check(case, f"PWN member {name}", name in have or layer["kind"] != "compute")
    check(case, "there are eight || convolutions", any(n.count(" || ") == 7 for n in names))
    check(case, "there are copies", "639 copy" in names)


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


def damaged(case):
    """Cut anywhere, garbage between lines, a line of 10 MB: what was understood."""
    with open(path(case, "build.log"), "rb") as file:
        whole = file.read()
    rng = random.Random(8)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "build.log")
        for _ in range(40):
            with open(name, "wb") as file:
                file.write(whole[:rng.randrange(len(whole))])
            for args in ([name], [path(case, "model.onnx"), name]):
                done = subprocess.run([BINARY, *args], capture_output=True, check=False)
                check(case, "cut: status 0 or 2", done.returncode in (0, 2), str(done.returncode))
        split = whole.split(b"\n")
        for at in sorted(rng.sample(range(1, len(split)), 50), reverse=True):
            split.insert(at, bytes(rng.randrange(256) for _ in range(80)).replace(b"\n", b""))
        split.insert(1, b"x" * 10_000_000)
        with open(name, "wb") as file:
            file.write(b"\n".join(split))
        hurt, sound = run(case, name), run(case, path(case, "build.log"))
        if hurt and sound:
            check(case, "garbage between lines changes no link", links(hurt) == links(sound))


CHECKS = {
    "centernet-resnet34-qat-trt8.0": [centernet],
    "mobilenetv2-fpn-int8-trt8.5": [mobilenet],
    "mnist-trt8.0": [without_model],
    "mnist-trt8.6": [mnist86, damaged],
    "centerpoint-rpn-trt8.2": [without_model],
    "mnist-trt10.16": [other_build],
    "tensorrt-rtx": [rtx],
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
