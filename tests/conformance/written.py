"""written.py BINARY FIXTURES: ONNX that comes of BINARY's words, read by others.

The edits that lint proposes for its own fixtures are applied, and what comes out must pass onnx's checker with full
inference, load in ONNX Runtime, and give outputs of the types and sizes that the model had before.  A fixture that
others refuse as it is says nothing, and is counted apart."""
import glob
import json
import os
import subprocess
import sys

import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "rules"))
import apply  # noqa: E402

onnxruntime.set_default_logger_severity(4)


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


def main():
    binary, folder = sys.argv[1:3]
    counts = {"written": 0, "edits": 0, "refused as they were": 0}
    failures = []
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
