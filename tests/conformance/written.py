"""written.py BINARY FIXTURES: ONNX that comes of BINARY's words, read by others.

The edits that lint proposes for its own fixtures are applied, and what comes out must pass onnx's checker with full
inference, load in ONNX Runtime, and give outputs of the types and sizes that the model had before.  A fixture that
others refuse as it is says nothing, and is counted apart.

BINARY writes no ONNX of its own, and no Chrome trace.  A format that it offers and that no check reads by the program of
others that it is for is a failure: so none comes in unread."""
import glob
import json
import os
import re
import subprocess
import sys

import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "rules"))
import apply  # noqa: E402

onnxruntime.set_default_logger_severity(4)

# Formats by who reads them, in which tests.  Text, lines and schemas are nobody else's.
READ_BY = {
    "json": "fastjsonschema, by the schemas beside the header (gate, batch, golden)",
    "markdown": "cmark-gfm (hostile/formats.py)", "csv": "Python's csv (hostile/formats.py)",
    "html": "chromium and axe (page)", "junit": "xmllint, by JUnit's XSD (gate)",
    "sarif": "fastjsonschema, by the rules of SARIF 2.1.0 (gate)", "github": "the runner played (ci)",
    "gitlab": "fastjsonschema, by what GitLab's documentation asks (gate)", "dot": "cgraph, read, written and read again (picture/rewrite.c)",
    "svg": "Python's XML (hostile/formats.py)", "png": "its header (picture)", "pdf": "its header (picture)",
    "trace": "Python's JSON, by the format's description (cost/traces.py)", "text": "", "line": "", "schema": ""}


def refused_by(model):
    """Who does not read the model, and why; "" when both do."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:      # the checker's and the inference's are of different types
        return f"onnx: {str(error)[:120]}"
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:      # ONNX Runtime has no common type of its errors
        return f"ONNX Runtime: {str(error)[:120]}"
    return [(v.name, v.type, v.shape) for v in session.get_outputs()]


def unread_formats(binary):
    """Formats that some verb offers and that no test reads as others do."""
    help_ = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  ([a-z]+)  +\S", help_.partition("\nVerbs, ")[2].partition("\nExamples:")[0], re.M)
    offered = set()
    for verb in verbs:
        told = subprocess.run([binary, "help", verb], capture_output=True, text=True, check=True).stdout
        for formats in re.findall(r"Formats: ([^.]*)\.", told):
            offered.update(re.split(r",\s*", formats))
    return [f"{name}: offered, and read by no program of others" for name in sorted(offered - READ_BY.keys())], len(verbs)


def main():
    binary, folder = sys.argv[1:3]
    counts = {"written": 0, "edits": 0, "refused as they were": 0}
    failures, verbs = unread_formats(binary)
    if not verbs:
        failures.append("--help lists no verbs")
    for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
        done = subprocess.run([binary, "lint", path, "-f", "json"], capture_output=True, check=False)
        edits = json.loads(done.stdout)["edits"] if done.returncode in (0, 1) else []
        if not edits:
            continue
        model = onnx.load(path, load_external_data=False)
        before = refused_by(model)
        if isinstance(before, str):
            counts["refused as they were"] += 1
            continue
        counts["edits"] += apply.apply(model, edits)
        counts["written"] += 1
        after = refused_by(model)
        if after != before:
            failures.append(f"{os.path.basename(path)}: {after}, before {before}")
    for line in failures:
        print("FAILED", line)
    print(", ".join(f"{key} {n}" for key, n in counts.items()) + f", {len(failures)} failures")
    return 1 if failures or not counts["written"] else 0


if __name__ == "__main__":
    sys.exit(main())
