#!/usr/bin/python3
"""Writes the pages that the browser opens:  inputs.py BINARY FOLDER [PLAIN]

PLAIN is the program without Graphviz, which finds none on its PATH.
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY, FOLDER, PLAIN = (*sys.argv[1:], "")[:3]
sys.argv[1:] = [BINARY, "", ""]
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("picture", "support")]
import large  # noqa: E402
from harness import HOSTILE, PATIENT, hostile_pair, late_page  # noqa: E402

FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
LAYERS = 10000


def at(*names):
    return os.path.join(FIXTURES, *names)


def write(name, *args, binary=BINARY, statuses=(0, 1), folder=None):
    for ending in ("html", "json"):
        patient = PATIENT if ending == "html" and args[0] not in ("check", "lint") else []
        done = subprocess.run([binary, *args, *patient, "-o", os.path.join(FOLDER, f"{name}.{ending}")],
                              check=False, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "PATH": "/"} if binary == PLAIN else None)
        if done.returncode not in statuses:
            sys.exit(f"{name}.{ending}: exit status {done.returncode}")


def main():
    os.makedirs(os.path.join(FOLDER, "inputs"), exist_ok=True)
    pair = [at("qat_block", "model.onnx"), at("qat_block", "engine.graph.json")]
    profiles = [at("compare", f"{name}.profile.json") for name in ("fused", "split")]
    names = HOSTILE + ["</script><script>document.title='broken'</script>", "<img src=x onerror=alert(1)>", "\u2028"]
    write("run", *pair, "--profile", at("qat_block", "profile.json"), "--peak", "500,100")
    write("log", at("build_log", "build.log"))
    write("slower", at("slower"))
    faster = os.path.join(FOLDER, "inputs", "faster")
    shutil.copytree(at("slower"), faster, dirs_exist_ok=True)
    with open(os.path.join(faster, "times.json"), "w", encoding="utf-8") as out:
        json.dump([{"latencyMs": 0.4, "computeMs": 0.35}] * 3, out)
    write("faster", "compare", at("slower"), faster)
    write("compare", "compare", ",".join([*pair, profiles[0]]), ",".join([pair[0], at("compare", "split.json"), profiles[1]]))
    builds = [",".join([pair[0], engine, *profile]) for engine, profile in
              ((pair[1], profiles[:1]), (at("compare", "split.json"), profiles[1:]), (at("compare", "wide.json"), []),
               (at("compare", "tactic.json"), []))]
    write("matrix", "compare", *builds)
    if os.path.exists(PLAIN):
        write("plain_run", *pair, binary=PLAIN)
        write("plain_compare", "compare", ",".join(pair), builds[1], binary=PLAIN)
        write("plain_matrix", "compare", *builds, binary=PLAIN)
    write("untimed", "compare", ",".join(pair), builds[2])
    write("strong", at("kernels", "model.onnx"), at("kernels", "engine.log"))
    write("blocks", at("blocks", "model.onnx"), at("blocks", "engine.json"))
    attention = at("synthetic", "attention-10")
    write("scopes", *(os.path.join(attention, name) for name in ("model.onnx", "engine.json")),
          "--profile", os.path.join(attention, "profile.json"))
    write("check", "check", at("gate", "before.fsd"), *pair, "--policy", at("gate", "policy.ini"), "--today", "2026-07-01")
    write("checks", "check", "--list", "gate/builds.txt", statuses=(2,), folder=FIXTURES)    # short names
    write("exports", "compare", at("exports", "old.onnx"), at("exports", "new.onnx"))
    write("lint", "lint", at("lint", "resnet18_qat.onnx"))
    write("failed", at("failed", "region.onnx"), at("failed", "region.memory.log"), statuses=(2,))
    write("linted", "lint", *pair, "--profile", at("qat_block", "profile.json"))
    hostile = hostile_pair(os.path.join(FOLDER, "inputs"), names)
    write("hostile", *hostile, "--force")
    write("hostile_compare", "compare", *[",".join(hostile)] * 2, "--force")
    write("hostile_matrix", "compare", *[",".join(hostile)] * 3, "--force")
    write("modules", *large.pair(os.path.join(FOLDER, "inputs"), "chain", 700))
    late_page(os.path.join(FOLDER, "inputs"), os.path.join(FOLDER, "late.html"))
    write("levels", *large.pair(os.path.join(FOLDER, "inputs"), "chain", 3000))
    write("large", *large.pair(os.path.join(FOLDER, "inputs"), "chain", LAYERS))


main()
