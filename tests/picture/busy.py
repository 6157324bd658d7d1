#!/usr/bin/python3
"""Pictures have the same bytes on an idle machine and on a busy one.

    busy.py BINARY SHARED [--loops 8] [--at-once 4]

Each build of SHARED (corpus and zoos) is drawn as PNG, one after the other, and again, several at once,
beside endless loops.  What is drawn whole, collapsed, or with straight lines depends on counts, so that
no byte may differ, and no build that was drawn may fail.  It takes minutes and all cores: label `long`.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import subprocess
import sys
import time


def builds(shared):
    """Words for the program: a model, if there is one, and its engine or log."""
    for pattern in ("corpus/*/engine*.json", "corpus/*/build.log", "zoo*/cases/*/build.log*"):
        for engine in sorted(glob.glob(os.path.join(shared, pattern))):
            model = os.path.join(os.path.dirname(engine), "model.onnx")
            yield ([model] if os.path.exists(model) else []) + [engine]


def drawn(binary, words):
    """Exit status, digest of the PNG and what the program reported."""
    done = subprocess.run([binary, *words, "--force", "-f", "png"], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, hashlib.sha256(done.stdout).hexdigest(), done.stderr.decode(errors="replace")


def draw_all(binary, work, at_once):
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(lambda words: drawn(binary, words), work))
    return results, time.monotonic() - began


def draw_beside_loops(binary, work, at_once, loops):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        return draw_all(binary, work, at_once)
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("shared")
    parser.add_argument("--loops", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=4)
    args = parser.parse_args()
    work = list(builds(args.shared))
    if not work:
        print(f"skipped: no builds in {args.shared}")
        sys.exit(77)
    idle, seconds = draw_all(args.binary, work, 1)
    busy, longer = draw_beside_loops(args.binary, work, args.at_once, args.loops)
    failures = 0
    for words, before, after in zip(work, idle, busy):
        if before[0] != 0 or before != after:
            failures += 1
            print(f"FAILED  {os.path.relpath(words[-1], args.shared)}: {before} and {after}")
    collapsed = sum("--collapse" in said for _, _, said in idle)
    print(f"{len(work)} pictures, {len({digest for _, digest, _ in idle})} different, {collapsed} collapsed; "
          f"{seconds:.0f} s idle, {longer:.0f} s beside {args.loops} loops; {failures} failures")
    sys.exit(1 if failures else 0)


main()
