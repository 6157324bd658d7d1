#!/usr/bin/python3
"""Engines alone: every dump in JSON and every profile of the corpus answers every verb without
its model, one directory stands for all its files, a log for the model of its dump.

usage: check_alone.py BINARY ../shared
"""
import glob
import os
import re
import sys
import tempfile

from harness import CORPUS, check, failures, run, start

VERBS = {"": [], "reformats": [], "where": ["*"], "inside": ["*"], "names": [], "scopes": [],
         "top": [], "memory": [],
         "explain": ["--layer", "0"]}

if not os.path.isdir(CORPUS):
    print(f"skipped: {CORPUS} is not there")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    snapshot = os.path.join(folder, "x.fsd")
    for path in sorted(glob.glob(f"{CORPUS}/*/*.json")):
        case = os.path.relpath(path, CORPUS)
        for verb, words in VERBS.items():
            text = run(case, *([verb] if verb else []), path, *words)
            check(case, f"{verb or 'the report'} reports something", text.strip())
        check(case, "it says that there is no model", "mapping/no-model" in run(case, path))
        nodes = [line for line in run(case, path).split("\n") if line.startswith("nodes ")]
        check(case, "no node is left unexplained", nodes and "unexplained" not in nodes[0])
        if path.endswith("profile.json"):
            refused = run(case, "snapshot", path, "-o", snapshot, status=2)
            check(case, "a table of times alone makes no snapshot", "shows no types" in refused, refused)
        else:
            run(case, "snapshot", path, "-o", snapshot)
            run(case, "check", snapshot, path)
        run(case, "compare", path, path)
    for path in sorted(os.listdir(CORPUS)):
        case = os.path.join(CORPUS, path)
        if os.path.isdir(case) and "inspector-text" not in path:
            done = start(case)
            check(path, "a directory is a build", done.returncode == 0 and "took " in done.stderr,
                  done.stderr)

old, new = (f"{CORPUS}/resnet18-{kind}-trt8.4/profile.json" for kind in ("fp32", "fp16"))
check("profiles", "two builds of one export are aligned by names",
      "nodes aligned     48 of 48" in run("profiles", "compare", old, new, status=1))
mnist = f"{CORPUS}/mnist-trt8.6"
text = run("log as model", f"{mnist}/build.log", f"{mnist}/engine.names-only.json")
check("log as model", "the log's network is the model", re.search("^model .*\\(trt-log", text, re.M), text)
check("log as model", "of bytes that are mostly unknown nothing is a share",
      re.search("^bytes .* not counting tensors of unknown size$", text, re.M), text)
sys.exit(1 if failures else 0)
