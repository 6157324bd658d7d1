#!/usr/bin/env python3
"""check.py BINARY FIXTURES: every rule of lint fires on its firing model, and on that only as
advised: not on the silent one.  A rule without both fixtures fails."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

# Every finding on an engine is one of the rule; golden cases show it.
BUILT = {"engine/symptom"}
STYLES = {
    "brevitas": "Brevitas", "nncf": "NNCF", "modelopt": "NVIDIA ModelOpt", "ort": "ONNX Runtime static quantization",
    "pytorch_quantization": "pytorch-quantization", "dynamo": "PyTorch dynamo export",
    "torchscript": "PyTorch export (pytorch-quantization and similar tools)", "unknown": None,
    "ort_tensorrt": "NVIDIA ModelOpt, or ONNX Runtime for TensorRT"}
BUILDERS = {"build/not-known": "trt10", "qdq/open-sum": "trt8", "qdq/deconv": "trt8", "qdq/inside-conv": "trt10",
            "qdq/silu": "trt10", "qdq/pad": "trt10", "qdq/no-gain": "trt10", "scale/concat": "trt10",
            "fusion/missed": "trt10", "qdq/after": "trt10", "channels/alignment": "trt10"}
SEVERAL = {"qdq/no-gain": 3, "qdq/useless": 2, "size/dynamic": 4, "size/odd": 3}  # places where the firing model has the mistake
ALL = ("trt8", "trt10", "trt11", "rtx")
failures = 0


def run(binary, *args):
    ran = program.run([binary, "lint", *map(str, args), "-f", "json"])
    if ran.returncode > 1:
        sys.exit(ran.stderr.decode())
    return json.loads(ran.stdout)


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


BASES = ("measured for fusiondiff", "documented by NVIDIA", "reported by users", "the ONNX operator specification", "log of a",
         "by definition", "limits of fusiondiff itself", "the rules that the finding names", "has no row for the operator")


def check_source(rule):
    """Each builder that the rule holds for is in a part of its source, and each part says what it rests on."""
    parts = [part.split(": ", 1) for part in re.split(r"; (?=(?:not for |any builder|rtx|trt\d)[^;]*?: )", rule["source"])]
    stated = set()
    for builders, rest in ((part + [""])[:2] for part in parts):
        check(any(base in rest for base in BASES), f"{rule['rule']}: on what does it rest for {builders}?")
        if not builders.startswith("not for"):
            stated |= set(builders.split(", "))
    wanted = set(rule["holds_for"].split(", "))
    check("any builder" in stated or (set(ALL) if "any builder" in wanted else wanted) <= stated,
          f"{rule['rule']} holds for {wanted}, its source speaks of {stated}")


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    listed = run(binary, "--list")["rules"]
    rules = [r["rule"] for r in listed]
    for rule in listed:
        check_source(rule)
    check(len(rules) > 25, "the list of rules is whole")
    for rule in rules:
        if rule in BUILT:
            continue
        found = {}
        for kind in ("fires", "silent"):
            model = folder / f"{rule.replace('/', '_')}.{kind}.onnx"
            check(model.exists(), f"{model.name} is there")
            engine = model.with_suffix(".json")
            report = run(binary, model, *([engine] if engine.exists() else []),
                         *(["--for", BUILDERS[rule]] if rule in BUILDERS else []))
            found[kind] = [f for f in report["findings"] if f["rule"] == rule]
            nodes = report["findings"]
            check(all(f["nodes"] for f in nodes), f"{model.name}: every finding names a node")
            check(all(0 <= e["finding"] < len(nodes) for e in report["edits"]), f"{model.name}: edits have a finding")
        n = len(found["fires"])
        check(n == SEVERAL[rule] if rule in SEVERAL else n, f"{rule} fires, {n} times")
        check(not found["silent"], f"{rule} is silent on the model that it advises")
    for fires in sorted(folder.glob("refused_*.fires.onnx")):
        for model, refused in ((fires, True), (fires.with_name(fires.name.replace(".fires.", ".silent.")), False)):
            found = [f for f in run(binary, model)["findings"] if f["rule"] == "build/refused"]
            check(bool(found) == refused, f"{model.name}: refused {bool(found)}, wanted {refused}")
    for key, said in (("sizes", "axes 2 and 3"), ("opset", "opset is 99"), ("none", None)):
        found = [f["message"] for f in run(binary, folder / f"unsure_{key}.onnx")["findings"] if f["rule"] == "build/not-known"]
        check(len(found) == bool(said) and all(said in message for message in found), f"unsure_{key}.onnx: {found}")
    for kind in ("fires", "silent"):  # with or without something behind it
        found = run(binary, folder / f"qdq_deconv.{kind}.onnx")["findings"]
        check([f["rule"] for f in found].count("qdq/deconv") == 1, f"qdq/deconv of TensorRT for RTX, {kind}")
    for key, name in STYLES.items():
        seen = run(binary, folder / f"style_{key}.onnx")["style"].get("name")
        check(seen == name, f"style of {key}: wanted {name}, found {seen}")
    print(f"{len(rules)} rules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
