"""What the checks of the corpus share: `BINARY SHARED [SCHEMA ...]` of the command line, one
list of failures, runs of the binary, the pairs that there are."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import json_schema
import program

BINARY, SHARED = sys.argv[1:3]
CORPUS = os.path.join(SHARED, "corpus")
failures = []


def check(case, what, holds, detail=""):
    if not holds:
        failures.append(case)
        print(f"FAILED {case}: {what} {str(detail)[:600]}")


def start(*args):
    """A finished run; that it ended as it should is for the caller to check."""
    return program.run([BINARY, *args], text=True)


def run(case, *args, status=0):
    """What it wrote to standard output, or to standard error where it cannot answer."""
    done = start(*args)
    check(case, f"exit status {status} of {args[0]}", done.returncode == status,
          f"(got {done.returncode}: {done.stderr.strip()[:300]})")
    return done.stderr if status == 2 else done.stdout


def read_report(text):
    """The JSON, which fits the schema of the command line where there is a validator."""
    report = json.loads(text)
    json_schema.of_file(sys.argv[3])(report)
    return report


def pairs():
    """(case, model, engine) of each case that has both."""
    for case in sorted(os.listdir(CORPUS)):
        folder = os.path.join(CORPUS, case)
        for engine in ("engine.graph.json", "engine.names-only.json"):
            pair = os.path.join(folder, "model.onnx"), os.path.join(folder, engine)
            if all(map(os.path.exists, pair)):
                yield case, *pair
