"""trials.py BINARY FOLDER SHARED [--trials N] [--seed N] [--splittable]: searches with `bisect run` for a random fusion of a
random model, with a command that fails while that fusion is in the engine: the search must end there, within
2 log2(fusions) + 6 builds, and never at another one.  Exit status 1 below 18 of 20, or if another one is named."""
import argparse
import math
import os
import pathlib
import random
import subprocess
import sys

import measure
import models
import rebuild

HERE = pathlib.Path(__file__).resolve().parent


def search(a, m, row, state):
    """(how the search ended, builds)"""
    begin = subprocess.run([a.binary, "bisect", "--state", state, "start", *map(str, m.pair)], capture_output=True, text=True)
    if begin.returncode:
        return begin.stderr, 0
    step = [sys.executable, str(HERE / "step.py"), a.binary, a.folder, str(a.shared), m.name, str(row["layer"])]
    run = subprocess.run([a.binary, "bisect", "--state", state, "run", *step], capture_output=True, text=True)
    log = subprocess.run([a.binary, "bisect", "--state", state, "log"], capture_output=True, text=True).stdout
    return (log if not run.returncode else run.stderr), sum(line.startswith(("good", "bad", "skip")) for line in log.splitlines())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--trials", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--splittable", action="store_true", help="only fusions with an exact break")
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    all_models = [measure.Model(a.binary, builder, a.shared, name) for name in models.TEN]
    pool = [(m, row) for m in all_models for row in m.fusions() if row["exact"] or not a.splittable]
    good = wrong = 0
    for m, row in random.Random(a.seed).sample(pool, a.trials):
        fusions = len(m.fusions())
        bound = 2 * math.log2(fusions) + 6
        state = pathlib.Path(a.folder, f"trial.{os.getpid()}")    # beside the models, whose weights are left out
        shown, builds = search(a, m, row, state)
        state.unlink(missing_ok=True)
        end = [line for line in shown.splitlines() if line.startswith("  layer ")]
        named = "This fusion causes the failure" in shown
        there = bool(named and end and end[-1].startswith(f"  layer {row['layer']} "))
        good += there and builds <= bound
        wrong += named and not there
        print(f"{m.name} layer {row['layer']} {row['fusion']}: {'found' if there else 'not found'}, {builds} builds of at most "
              f"{bound:.1f} for {fusions} fusions", flush=True)
        if not there:
            print("   ", "\n    ".join(shown.splitlines()[-4:]))
    print(f"bisect: {good} of {a.trials} end at the fusion within the bound, {wrong} at another one")
    return 0 if good >= 0.9 * a.trials and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
