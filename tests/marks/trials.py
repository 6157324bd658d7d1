"""trials.py BINARY FOLDER SHARED [--trials N] [--pairs N] [--controls N] [--made N] [--seed N] [--splittable]: searches with
`bisect run` for planted faults, with a command that fails while a fusion is in the engine.

    trials     a random fusion, one in six that reads or writes INT8, one in six that moves data as well: the search must name it,
               within 2 log2(fusions) + 6 builds
    pairs      two fusions, either of which fails, or which fail together only: within 4 log2(fusions) + 10
    controls   a test that always fails, never fails, cannot be built, or is wrong in one of five runs: no name

Exit status 1 below nine of ten planted faults, if a fusion is named that is not to blame, or if one is where nothing is
proved."""
import argparse
import collections
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
NAMES = ("This fusion causes the failure", "cause the failure:", "The engine is right if these fusions")
GROUPS = ("int8", "moving", "other", "pairs", "controls")
MOVES = {"Concat", "Expand", "Gather", "Pad", "Resize", "Slice", "Split", "Tile", "Transpose"}
ENDLESS = 900


def search(a, m, mode, layers, seed):
    """(what the search printed at its end, builds)"""
    state = pathlib.Path(a.folder, f"trial.{os.getpid()}")    # beside the models, whose weights are left out
    bisect = [a.binary, "bisect", "--state", state]
    begin = subprocess.run([*bisect, "start", *map(str, m.pair)], capture_output=True, text=True)
    if begin.returncode:
        return begin.stderr, 0
    step = [sys.executable, str(HERE / "step.py"), a.binary, a.folder, str(a.shared), m.name, f"{mode}:{seed}", *map(str, layers)]
    confirm = ["--confirm", "3"] if mode == "flaky" else []
    try:
        run = subprocess.run([*bisect, *confirm, "run", *step], capture_output=True, text=True, timeout=ENDLESS)
        shown = run.stderr if run.returncode else run.stdout
    except subprocess.TimeoutExpired:
        shown = "endless"
    log = subprocess.run([*bisect, "log"], capture_output=True, text=True).stdout
    state.unlink(missing_ok=True)
    return shown, sum(line.startswith(("good", "bad", "skip")) for line in log.splitlines())


def end_of(shown):
    """(what is named: which of NAMES, or None; the layers of it, and of those of which one is to blame, or more)"""
    lines = shown.splitlines()
    at = next((i for i, line in enumerate(lines) if any(name in line for name in NAMES)), None)
    if at is None:
        return None, set(), set()
    named = next(name for name in NAMES if name in lines[at])
    layers, along, to = set(), set(), None
    for line in lines[at + 1:]:
        if line.startswith("  layer "):
            (layers if to is None else along).add(int(line.split()[1]))
        elif line.startswith("  one or more of these"):
            to = along
        else:
            break
    return named, layers, along


def judge(mode, layers, shown):
    """right, wrong (another one is named), a set (that has it), or nothing"""
    named, found, along = end_of(shown)
    wanted = set(layers)
    if mode not in ("any", "all"):
        return "wrong" if named else "right"
    if not named:
        return "nothing"
    if found == wanted:
        return "right"
    if named == NAMES[1] and wanted & found or wanted <= found | along:
        return "set"
    return "part" if found < wanted else "wrong"


def trial(a, count, group, m, mode, layers, seed):
    """One search, counted in its group."""
    if a.group and group not in a.group:
        return
    fusions = len(m.rows)
    bound = (2 * math.log2(fusions) + 6) * (2 if len(layers) > 1 else 1) - (2 if len(layers) > 1 else 0)
    shown, builds = search(a, m, mode, layers, seed)
    how = "endless" if shown == "endless" else judge(mode, layers, shown)
    late = how == "right" and mode in ("any", "all") and builds > bound
    count.update({(group, "late" if late else how): 1, (group, "all"): 1})
    print(f"{m.name} {mode} {'+'.join(map(str, layers))}: {'late' if late else how}, {builds} builds of at most {bound:.1f} for "
          f"{fusions} fusions", flush=True)
    if how != "right":
        lines = shown.splitlines()
        at = next((i for i, line in enumerate(lines) if any(name in line for name in NAMES)), len(lines) - 8)
        print("   ", "\n    ".join(lines[max(at, 0):]), flush=True)


def kind_of(m, row):
    """By the tensors that the kernel reads and writes, and by its operators."""
    layer = m.report["layers"][row["layer"]]
    if any(tensor.get("type") == "int8" for tensor in layer["inputs"] + layer["outputs"]):
        return "int8"
    return "moving" if any(m.report["nodes"][i]["op"] in MOVES for i in row["nodes"]) else "other"


def drawn_of(pool, n, draw):
    """So many of the pool, a sixth of them of each kind that is rare."""
    by_kind = collections.defaultdict(list)
    for m, row in draw.sample(pool, len(pool)):
        by_kind[kind_of(m, row)].append((m, row))
    drawn = by_kind["int8"][:n // 6] + by_kind["moving"][:n // 6]
    return drawn + by_kind["other"][:n - len(drawn)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--trials", type=int, default=20)
    p.add_argument("--pairs", type=int, default=0)
    p.add_argument("--controls", type=int, default=0)
    p.add_argument("--made", type=int, default=0, metavar="N", help="N models made by the seed, in place of the ten")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--group", action="append", choices=GROUPS, help="only searches of this one, drawn as in a run of all")
    p.add_argument("--splittable", action="store_true", help="only fusions with an exact break")
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    all_models = [measure.Model(a.binary, builder, a.shared, name) for name in (models.names_of(a.seed, a.made) if a.made else models.TEN)]
    for m in all_models:
        m.rows = m.fusions()
    all_models = [m for m in all_models if len(m.rows) > 1]
    draw, count = random.Random(a.seed), collections.Counter()
    pool = [(m, row) for m in all_models for row in m.rows if row["exact"] or not a.splittable]
    for m, row in drawn_of(pool, a.trials, draw):
        trial(a, count, kind_of(m, row), m, "any", [row["layer"]], a.seed)
    for i in range(a.pairs):
        m = draw.choice([m for m in all_models if sum(row["exact"] for row in m.rows) > 2])
        two = draw.sample([row["layer"] for row in m.rows if row["exact"]], 2)
        trial(a, count, "pairs", m, ("any", "all")[i % 2], two, a.seed)
    for i in range(a.controls):
        m = draw.choice(all_models)
        trial(a, count, "controls", m, ("bad", "good", "flaky", "unbuildable")[i % 4], [draw.choice(m.rows)["layer"]], a.seed + i)
    for group in GROUPS:
        of = {how: n for (k, how), n in count.items() if k == group}
        if of:
            print(f"bisect {group}: {of.get('right', 0)} of {of['all']} right;", ", ".join(f"{how} {n}" for how, n in sorted(of.items()) if how not in ("all", "right")) or "no other")
    planted = [sum(n for (group, how), n in count.items() if group != "controls" and how == which) for which in ("right", "all")]
    wrong = sum(n for (_, how), n in count.items() if how == "wrong")
    print(f"bisect: {planted[0]} of {planted[1]} planted faults are named, {wrong} of all searches name another one")
    return 0 if planted[0] >= 0.9 * planted[1] and not wrong and count["controls", "right"] == count["controls", "all"] else 1


if __name__ == "__main__":
    sys.exit(main())
