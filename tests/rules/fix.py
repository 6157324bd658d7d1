#!/usr/bin/env python3
"""fix.py BINARY FIXTURES [--update] [MODEL...]: `lint --fix` on each fixture of lint, and on each MODEL (for trt8).

A fix of a rule that proposes nothing writes nothing; a fixed model is read again, and has lost the findings whose
edits were applied.  Where the python has onnx, onnx.checker takes it if it took the
model; where it has onnxruntime too, its outputs are bit-equal to those of apply.py, which applies the same
edits and shares no code with the program.  fixed.txt holds what the edits change in each fixture, as lines of the model;
--update writes what was found: read it before you keep it."""
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program
try:
    import numpy as np
    import onnx
    import apply
    import model_text
except ImportError:
    onnx = None
try:
    import onnxruntime
except ImportError:
    onnxruntime = None

UNSCALED = ("remove-pair", "insert-cast", "spread-scale", "add-dimension", "store-constant", "pad-input", "scale-first", "repeat-heads",
            "slice-output", "unmark-output")  # as apply.py has it
HELD = pathlib.Path(__file__).resolve().parent / "fixed.txt"
failures = runs = 0
changes = []  # lines of fixed.txt


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def lint(binary, *args, stream="stdout"):
    ran = program.run([binary, "lint", *map(str, args)])
    check(ran.returncode in (0, 1), f"lint {args}: {ran.stderr.decode()}")
    return getattr(ran, stream)


def outputs(path):
    """None where onnxruntime does not run the model."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        random = np.random.default_rng(1)
        feed = {i.name: random.standard_normal([d if isinstance(d, int) else 2 for d in i.shape])
                .astype(np.float16 if "16" in i.type else np.float32) for i in session.get_inputs()}
        return session.run(None, feed)
    except Exception:  # pylint: disable=broad-except; of any model that it does not run
        return None


def same(some, others):
    return len(some) == len(others) and all(a.tobytes() == b.tobytes() for a, b in zip(some, others))


def note_changes(what, model, fixed):
    """What is written in place of what, with a line of the model before and behind it."""
    if not onnx:
        return
    old, new = (model_text.model_lines(onnx.load(str(path), load_external_data=False)) for path in (model, fixed))
    changes.append(f"== {model.name} {what}")
    changes.extend("@@" if line.startswith("@@") else line
                   for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:])


def compare_changes(update):
    text = "\n".join(changes) + "\n"
    if update:
        HELD.write_text(text, encoding="utf-8")
    held = HELD.read_text(encoding="utf-8")
    check(text == held, "\n".join(difflib.unified_diff(held.splitlines(), text.splitlines(), HELD.name, "found", lineterm="")))


def judge(model, fixed, edits, folder):
    global runs
    try:
        onnx.checker.check_model(str(model))
    except onnx.checker.ValidationError:
        return
    try:
        onnx.checker.check_model(str(fixed))
    except onnx.checker.ValidationError as error:
        check(False, f"{model.name}: onnx.checker: {error}")
    if not onnxruntime:
        return
    if len(edits) == sum("the same" in edit["effect"] for edit in edits):
        before, after = outputs(model), outputs(fixed)
        check(before is None or same(before, after), f"{model.name}: an edit that changes no values has other outputs")
    other = folder / "applied.onnx"
    proto = onnx.load(str(model), load_external_data=False)
    apply.apply(proto, edits)
    onnx.save(proto, str(other))
    mine, theirs = outputs(fixed), outputs(other)
    check((mine is None) == (theirs is None), f"{model.name}: onnxruntime runs one of the two fixed models only")
    if mine is not None and theirs is not None:
        runs += 1
        check(same(mine, theirs), f"{model.name}: other outputs than apply.py's")


def fix(binary, model, fixed, folder):
    lint(binary, model, "--for", "trt8", "--fix=build/refused", "-o", folder / "copy.onnx")
    check(not (folder / "copy.onnx").exists(), f"{model.name}: a rule without edits writes nothing")
    report = json.loads(lint(binary, model, "--for", "trt8", "-f", "json"))
    listed = lint(binary, model, "--for", "trt8", "--fix").decode()
    scaled = [e for e in report["edits"]
              if not e.get("on_request") and (e["action"] in UNSCALED or "scale" in e)]
    left = listed.count("not applied:") - listed.count("this tensor must be calibrated")
    check(f"apply: {len(scaled) - left} of {len(report['edits'])}" in listed, f"{model.name}: {listed}")
    note_changes("for trt8", model, fixed)
    after = json.loads(lint(binary, fixed, "--for", "trt8", "-f", "json"))
    check(not scaled or left or after["edits"] != report["edits"], f"{model.name}: the edits are applied")
    if onnx and not left:
        judge(model, fixed, scaled, folder)


def by_default(binary, model, fixed, report, folder):
    """The same for the builder that is assumed where none is stated, as far as that has other findings."""
    edits = [e for e in report["edits"] if not e.get("on_request") and (e["action"] in UNSCALED or "scale" in e)]
    if not edits:
        return
    listed = lint(binary, model, "--fix", "-o", fixed, stream="stderr").decode()
    note_changes("", model, fixed)
    if onnx and "not applied:" not in listed:
        judge(model, fixed, edits, folder)


def on_request(binary, model, fixed, folder):
    """Edits that cost time are applied where their rule is named, and nowhere else."""
    report = json.loads(lint(binary, model, "-f", "json"))
    by_default(binary, model, fixed, report, folder)
    rules = {e["rule"] for e in report["edits"] if e.get("on_request")}
    for rule in sorted(rules):
        edits = [e for e in report["edits"] if e["rule"] == rule]
        lint(binary, model, f"--fix={rule}", "-o", fixed)
        note_changes(rule, model, fixed)
        after = json.loads(lint(binary, fixed, "-f", "json"))
        check(not any(e["rule"] == rule for e in after["edits"]), f"{model.name}: {rule} is mended")
        if onnx:
            judge(model, fixed, edits, folder)


def standard_input(binary, model, fixed):
    """It cannot be read once more: that is said, and what the output was stays."""
    fixed.write_bytes(b"old")
    with open(model, "rb") as source:
        ran = subprocess.run([binary, "lint", "-", "--fix", "-o", fixed], stdin=source, capture_output=True, check=False)
    check(ran.returncode == 2 and b"standard input" in ran.stderr, f"standard input: {ran.stderr.decode()}")
    check(fixed.read_bytes() == b"old", "a fix that fails leaves the file as it was")


def main():
    binary = sys.argv[1]
    models = sorted(pathlib.Path(sys.argv[2]).glob("*.onnx"))
    more = [pathlib.Path(m) for m in sys.argv[3:] if m != "--update"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fixed = folder / "fixed.onnx"
        for model in models + more:
            fixed.write_bytes(b"old")
            said = lint(binary, model, "--for", "trt8", "--fix", "-o", fixed, stream="stderr")
            if b"no edits are proposed" in said or b"edits that apply: 0 of" in said:
                check(fixed.read_bytes() == b"old", f"{model.name}: where no edit applies nothing is written")
            else:
                fix(binary, model, fixed, folder)
            on_request(binary, model, fixed, folder)
        standard_input(binary, models[0], fixed)
    if onnx and not more:
        compare_changes("--update" in sys.argv)
    if not onnx:
        print("no onnx in this python: onnx.checker was not asked")
    elif not onnxruntime:
        print("no onnxruntime in this python: outputs were not compared")
    else:
        print(f"{runs} models run: outputs compared with apply.py's")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
