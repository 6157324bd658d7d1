#!/usr/bin/env python3
"""How many instructions a run may take, and how much memory the start of the program.

budgets.py BINARY [SHARED]

valgrind counts, so a busy machine changes nothing; a processor with other vector instructions
changes a few percent, as the C library chooses its functions by them.  If a row exceeds its
budget, look for what the run computes and does not show.  The log may take 1.02 of what it took
at f97614e.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import large

SKIPPED = 77
BINARY = os.path.realpath(sys.argv[1])
SHARED = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "..", "shared")
START_KIB = 4096
LOG_BYTES = 16 << 20


def pair(*folder):
    return [os.path.join(*folder, name) for name in ("model.onnx", "engine.graph.json")]


def rows(folder):
    """Arguments, millions of instructions."""
    block, resnet = pair(ROOT, "fixtures", "qat_block"), pair(SHARED, "corpus", "resnet18-qat-trt8.4")
    log = large.write_log(os.path.join(folder, "build.log"), 1, LOG_BYTES)
    return [(block, 3.5), (resnet, 17), ([*resnet, "-f", "json"], 19), (["where", *resnet, "Conv_22"], 13.8),
            (["names", *resnet], 14.2), (["snapshot", *resnet], 16.8), ([log], 105.9)]


def instructions(args):
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", BINARY, *args],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    counted = re.search(rb"I +refs: +([\d,]+)", done.stderr)
    if done.returncode not in (0, 1) or not counted:
        sys.exit(f"{' '.join(args)}: exit status {done.returncode}: {done.stderr[-500:]}")
    return int(counted.group(1).replace(b",", b"")) / 1e6


def start_kib():
    with tempfile.NamedTemporaryFile() as stated:
        subprocess.run(["time", "-f", "%M", "-o", stated.name, BINARY, "--version"], stdout=subprocess.DEVNULL, check=True)
        return int(stated.read())


def main():
    if not shutil.which("valgrind") or not shutil.which("time"):
        print("valgrind or time is missing: skipped")
        return SKIPPED
    failed = absent = 0
    with tempfile.TemporaryDirectory() as folder:
        for args, most in rows(folder):
            if not all(os.path.exists(a) for a in args if os.path.isabs(a)):
                absent += 1
                continue
            counted = instructions(args)
            failed += counted > most
            shown = " ".join(a if not os.path.isabs(a) else os.path.join(*a.split(os.sep)[-2:]) for a in args)
            print(f"{'FAILED' if counted > most else 'ok':6} {counted:6.2f} of {most:g} million instructions: {shown}")
    kib = start_kib()
    failed += kib > START_KIB
    print(f"{'FAILED' if kib > START_KIB else 'ok':6} {kib} of {START_KIB} KiB: --version")
    if absent:
        print(f"skipped: {absent} rows, since {SHARED} has no corpus")
    return 1 if failed else 0


sys.exit(main())
