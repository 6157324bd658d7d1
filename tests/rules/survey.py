#!/usr/bin/env python3
"""survey.py BINARY SHARED [--all]: runs lint over every model and engine of SHARED.

Prints, by rule, how many findings there are in how many models and what engines said of
them, then each finding at warning and above (with --all the others, too); and how many
refused builds of SHARED/zoo are predicted under their own options, and how many built
ones are.  Exit status 1 when a built model is predicted to fail, or too few refused ones,
or when what SHARED's QAT models are known for is not found.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


def lint(binary, *args):
    ran = subprocess.run([binary, "lint", *map(str, args), "-f", "json"],
                         capture_output=True, check=False)
    if ran.returncode > 1:
        return None, ran.stderr.decode().strip()
    return json.loads(ran.stdout), ""


def target(case):
    version = case["version"].split(".")
    return f"rtx-{version[0]}.{version[1]}:{case['cc'][0].lower()}"


def builds(shared):
    """model, engine or None, options, whether it was refused"""
    for folder in sorted((shared / "zoo/cases").iterdir()) + sorted((shared / "zoo/failed").iterdir()):
        case = json.loads((folder / "case.json").read_text())
        failed = folder.parent.name == "failed"
        log = next(iter(sorted(folder.glob("build.log*"))), None)
        yield folder / "model.onnx", None if failed else log, ["--for", target(case)], failed
    for model in sorted((shared / "models").glob("*.onnx")):
        yield model, None, [], None
    for folder in sorted((shared / "corpus").iterdir()):
        model = folder / "model.onnx"
        for engine in ("engine.graph.json", "build.log") if model.exists() else ():
            if (folder / engine).exists():
                yield model, folder / engine, [], None
                break


def qat(binary, shared):
    """What is known of three builds of one network; the number of failures."""
    bad = 0
    for name, rule, n, worst in (("resnet18-qat-trt8.4", "qdq/residual", 8, "error"),
                                 ("resnet18-qat-residual-trt8.4", "qdq/island", 1, "warning"),
                                 ("resnet18-qat-residual-qgap-trt8.4", "", 0, "info")):
        folder = shared / "corpus" / name
        for args in (["--for", "trt8"], [folder / "engine.graph.json"]):
            report, _ = lint(binary, folder / "model.onnx", *args)
            found = [f for f in report["findings"] if f["rule"] == rule]
            levels = [f["severity"] for f in report["findings"]]
            confirmed = "--for" in args or all(f["facts"]["engine"] == "confirmed" for f in found)
            worst_found = next((s for s in ("error", "warning") if s in levels), "info")
            if len(found) != n or worst_found != worst or not confirmed:
                bad += 1
                print(f"FAILED {name}: {len(found)} of {rule or 'nothing'}, worst {worst_found}")
    # What the rule predicts of the eight additions, seen in the engines of TensorRT 8.4.
    bare, advised = (skips(binary, shared / "corpus" / f"resnet18-qat{part}-trt8.4")
                     for part in ("", "-residual-qgap"))
    print(f"resnet18-qat-trt8.4: {bare.count(['fp16', 'int8'])} additions read fp16 beside int8; with quantizers "
          f"on the branches {advised.count(['int8', 'int8'])} read int8 only")
    return bad + (bare != 8 * [["fp16", "int8"]]) + (advised != 8 * [["int8", "int8"]])


def skips(binary, folder):
    """The types that the layer of each addition reads."""
    ran = subprocess.run([binary, folder / "model.onnx", folder / "engine.graph.json", "-f", "json"],
                         capture_output=True, check=False)
    report = json.loads(ran.stdout)
    return [sorted(p["type"] for p in report["layers"][n["layers"][0]]["inputs"])
            for n in report["nodes"] if n["op"] == "Add" and n["layers"]]


def fixes(binary, shared):
    """How many of the additions of a QAT ResNet-18 are not fixed as they should be: the model has the scale of five, the
    others are to calibrate, and with scales for these lint finds nothing more there."""
    model = shared / "corpus" / "resnet18-qat-trt8.4" / "model.onnx"
    if not model.exists():
        return 0
    command = [binary, "lint", str(model), "--for", "trt8", "--fix=qdq/residual"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    report, _ = lint(binary, model, "--for", "trt8")
    open_edits = [e for e in report["edits"] if e["rule"] == "qdq/residual" and "scale" not in e]
    with tempfile.TemporaryDirectory() as folder:
        fixed = pathlib.Path(folder) / "fixed.onnx"
        subprocess.run([*command, *(f"--scale={e['tensor']}=0.05" for e in open_edits), "-o", str(fixed)],
                       capture_output=True, check=True)
        left = [f for f in lint(binary, fixed, "--for", "trt8")[0]["findings"] if f["rule"] == "qdq/residual"]
    names = [e["node_name"] for e in open_edits]
    print(f"resnet18-qat-trt8.4: {listed.splitlines()[-1]} ({', '.join(names)}); with these {len(left)} findings are left")
    return len(left) + ("apply: 5 of 8; 3 need a calibrated scale" not in listed) + (names != ["Add_97", "Add_158", "Add_219"])


def main():
    binary, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (shared / "zoo").is_dir():
        print(f"skipped: {shared}/zoo is absent")
        return 77
    everything = "--all" in sys.argv
    rules = collections.defaultdict(collections.Counter)
    listed, wrong = [], []
    refused = collections.Counter()
    predicted = collections.Counter()
    for model, engine, options, failed in builds(shared):
        name = str(model.relative_to(shared))
        report, error = lint(binary, model, *([engine] if engine else []), *options)
        if report is None and engine:
            print(f"{name}: without its engine: {error}")
            report, error = lint(binary, model, *options)
        if report is None:
            print(f"{name}: {error}")
            continue
        seen = set()
        for f in report["findings"]:
            rule = rules[f["rule"]]
            rule[f["severity"]] += 1
            rule[f["facts"].get("engine", "")] += 1
            rule["models"] += f["rule"] not in seen
            seen.add(f["rule"])
            if everything or f["severity"] != "info":
                listed.append((f["rule"], f["severity"], name, f["message"]))
        if failed is None:
            continue
        fails = any(f["rule"] == "build/refused" for f in report["findings"])
        kind = "refused" if failed else "built"
        refused[kind] += 1
        predicted[kind] += fails
        if fails != failed:
            wrong.append((kind, name, " ".join(options)))
    for rule in sorted(rules):
        n = rules[rule]
        print(f"{rule:24} {n['models']:3} models, {n['error']:4} errors {n['warning']:4} warnings "
              f"{n['info']:5} notes; engines: {n['confirmed']} confirmed, {n['withdrawn']} withdrawn, "
              f"{n['undecided']} undecided")
    print()
    for rule, severity, name, message in sorted(listed):
        print(f"{severity:8}{rule}  {name}: {message}")
    print()
    for kind in ("refused", "built"):
        print(f"{kind}: {predicted[kind]} of {refused[kind]} predicted to be refused")
    for kind, name, options in wrong:
        print(f"  {kind}, and not so predicted: {name} {options}")
    known = qat(binary, shared) + fixes(binary, shared)
    return 1 if known or predicted["built"] or predicted["refused"] < 18 else 0


if __name__ == "__main__":
    sys.exit(main())
