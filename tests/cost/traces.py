#!/usr/bin/python3
"""Traces against the JSON of the same run:  traces.py BINARY [SHARED]

Each begins where the one before ends, lasts as long as was measured, and all add up to the report's total; and the
program itself reads the times back, as it reads those of Torch-TensorRT's trace."""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import trace_events  # noqa: E402

FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
BINARY = os.path.abspath(sys.argv[1])


def check(*args):
    with tempfile.TemporaryDirectory() as at:
        subprocess.run([BINARY, *args, "-q", "-o", f"{at}/x.trace.json", "-o", f"{at}/x.json"], check=True, cwd=FIXTURES)
        with open(f"{at}/x.trace.json", encoding="utf-8") as trace, open(f"{at}/x.json", encoding="utf-8") as report:
            text, report = trace.read(), json.load(report)
        alone = [BINARY, report["engine"]["path"], "--profile", f"{at}/x.trace.json", "--force", "-q", "-f", "json"]
        back = json.loads(subprocess.run(alone, check=True, cwd=FIXTURES, capture_output=True).stdout)
    same = [abs(one.get("ms", -1) - other.get("ms", -1)) < 2e-6 for one, other in zip(back["layers"], report["layers"])]
    assert all(same) and len(same) == len(report["layers"]), (args, "read back as a profile", same)
    bad = trace_events.problems(text, report)
    assert not bad, (args, bad)
    return json.loads(text)["traceEvents"], report


events, _ = check("trace/engine.json", "--profile", "trace/profile.json", "--force")
assert [event["args"]["name"] for event in events if event["name"] == "thread_name"] == \
    ["layers", "stream 0", "stream 1", "in the profile, but not in the layer dump"], events
assert [event["ph"] for event in events if event["ph"] != "M"] == list("XXiXiX")
check("qat_block/model.onnx", "qat_block/engine.graph.json", "--profile", "qat_block/profile.json", "--profile",
      "compare/fused.profile.json", "--force")
for refused in (["trace/engine.json"], ["compare", "qat_block", "qat_block"], ["top", "qat_block"]):
    done = subprocess.run([BINARY, *refused, "-f", "trace"], check=False, cwd=FIXTURES, capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout and ("--profile" in done.stderr or "not trace" in done.stderr), done

shared = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
builds = [os.path.dirname(path) for path in sorted(glob.glob(os.path.join(shared, "corpus", "*", "profile.json"))) if shared]
for build in builds:
    check(build, "--force")
print(f"{2 + len(builds)} traces" if builds else "2 traces; no engines in ../shared")
