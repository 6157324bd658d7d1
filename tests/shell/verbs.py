#!/usr/bin/python3
"""What is said of every verb, held for each:  verbs.py BINARY FIXTURES

`fusiondiff help` lists each verb once, below a question.  `help VERB` and `VERB --help` print the same, and name the verb in the usage.
A verb that reads a build reads a directory with its files in place of MODEL and ENGINE.  A verb that is new needs a row in BUILDS."""
import os
import re
import subprocess
import sys
import tempfile

BINARY, FIXTURES = (os.path.abspath(path) for path in sys.argv[1:3])
# What else a verb is given beside the directory; NONE reads no build.
NONE = None
BUILDS = {"diff": [], "where": ["Conv_4"], "inside": ["2"], "explain": ["--node", "Conv_4"], "patterns": [], "skipped": [], "parts": [],
          "top": [], "scopes": [], "reformats": [], "memory": [], "buildtime": NONE, "compare": ["@"], "routes": ["@"],
          "stability": ["@"], "snapshot": [], "check": NONE, "lint": [], "tensors": [], "bisect": NONE, "cut": ["--node", "Conv_4", "-o", "part.onnx"],
          "code": [], "issue": ["-o", "report"], "annotate": ["-o", "annotated.onnx"], "retype": NONE, "names": [], "collect": NONE,
          "batch": NONE, "doctor": NONE}


def run(at, *arguments):
    return subprocess.run([BINARY, *arguments], cwd=at, capture_output=True, text=True, check=False)


def main():
    bad = []
    listed = re.findall(r"^  ([a-z]+) +\S", run(FIXTURES, "help").stdout, re.M)
    verbs = re.findall(r"^\.Ss ([a-z]+)$", run(FIXTURES, "help", "--as", "man").stdout, re.M)
    bad += [f"{verb} is listed {listed.count(verb)} times by help" for verb in verbs if listed.count(verb) != 1]
    bad += [f"{verb} has no row in BUILDS" for verb in listed if verb not in BUILDS]
    with tempfile.TemporaryDirectory() as at:
        os.mkdir(f"{at}/build")
        for name in ("model.onnx", "engine.graph.json"):
            with open(f"{FIXTURES}/qat_block/{name}", "rb") as given, open(f"{at}/build/{name}", "wb") as copy:
                copy.write(given.read())
        for verb in listed:
            one, other = run(at, "help", verb), run(at, verb, "--help")
            if one.stdout != other.stdout or not re.search(rf"^Usage: fusiondiff {'' if verb == 'diff' else verb}", one.stdout):
                bad.append(f"help {verb} and {verb} --help differ, or lack the usage")
            more = BUILDS.get(verb)
            if more is NONE:
                continue
            done = run(at, verb, "build", *("build" if word == "@" else word for word in more))
            if done.returncode not in (0, 1):
                bad.append(f"{verb} does not read a directory: {done.stderr.strip()}")
    print("\n".join(bad) or f"{len(listed)} verbs")
    sys.exit(bool(bad))


main()
