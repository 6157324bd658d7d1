#!/usr/bin/python3
"""Alignment is never wrong: mutated re-exports of real and of made-up models.

    align.py BINARY MODELS [SEEDS] [-v]

Each model below the folder MODELS, and some made to be mistaken (towers.py), gets an
engine that names its nodes, one a layer, so that only the alignment is looked at.  It is
compared with a copy that was changed and named as another exporter would (exports.py).
What is aligned must be a node and its own copy, or one that nothing distinguishes from it
(judge.py).  The number found is printed by kind of change.
Exit status 77 when MODELS or onnx is absent.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    print("no onnx for Python: skipped")
    sys.exit(77)

import exports
import judge
import towers

BINARY, MODELS = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3


def write(model, path):
    """The model, and an engine of which only the layers' names are known.

    @return what compare takes, and what each node is, by the name it has in reports
    """
    nodes, inner = model.graph.node, any(a.HasField("g") for n in model.graph.node for a in n.attribute)
    # With subgraphs inlined, the number of a nameless node is not its place here.
    names = {name: n.doc_string for name, n in zip(judge.names_of(model), nodes) if not inner or name == n.name}
    onnx.save(model, path + ".onnx")
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({"Layers": [n.name for n in nodes if n.op_type != "Constant" and n.name],
                   "Bindings": [p.name for p in model.graph.input] + [p.name for p in model.graph.output]}, file)
    return f"{path}.onnx,{path}.json", names


# ----------------------------------------------------------------------------- runs

def mutate(path, seed):
    """Both models, and what was changed."""
    rng = random.Random(f"{os.path.basename(path)} {seed}")
    old = onnx.load(path, load_external_data=False)
    exports.mark(old)
    new = onnx.ModelProto()
    new.CopyFrom(old)
    changes = [rng.choice(exports.CHANGES) for _ in range(seed % 4)]
    for change in changes:
        change(new, rng)
    if rng.random() < 0.5:
        rng.choice(exports.STYLES)(old)
    style = rng.choice(exports.STYLES)
    style(new)
    return old, new, [c.__name__ for c in changes] or ["named anew"]


def check(path, seed, folder):
    old, new, changes = mutate(path, seed)
    old_pair, old_is = write(old, os.path.join(folder, "old"))
    new_pair, new_is = write(new, os.path.join(folder, "new"))
    done = subprocess.run([BINARY, "compare", old_pair, new_pair, "-f", "json", "--force"], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 1):
        print(f"FAILED {path} {seed}: {done.stderr.strip()}")
        return None
    report = json.loads(done.stdout)
    pairs = [p for p in report["aligned"] if p["role"] == "core" and p["old"] in old_is and p["new"] in new_is]
    alike, wrong = judge.judge(pairs, judge.Network(old), judge.Network(new), old_is, new_is)
    there = set(new_is.values())
    missed = sum(n["what"] == "only-old" and n["role"] == "core" and old_is.get(n["old"]) in there
                 for n in report["nodes"])
    return changes, len(pairs), missed, alike, wrong


def main():
    found, missed = collections.Counter(), collections.Counter()
    runs = alike = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted(os.path.join(d, f) for d, _, files in os.walk(MODELS) for f in files if f.endswith(".onnx"))
        for path in sorted(paths + towers.write_all(folder, 20), key=os.path.basename):
            for seed in range(SEEDS):
                result = check(path, seed, folder)
                runs += 1
                if result is None:
                    bad += 1
                    continue
                for change in result[0]:
                    found[change] += result[1]
                    missed[change] += result[2]
                alike += result[3]
                bad += bool(result[4])
                if result[4] or "-v" in sys.argv:
                    print(f"{'FAILED ' if result[4] else ''}{path} seed {seed} {' '.join(result[0])}: {result[1]} "
                          f"aligned, {result[2]} missed, {len(result[4])} wrong: {result[4][:4]}")
    for change in sorted(found):
        total = found[change] + missed[change]
        print(f"{change:12} {found[change]:7} of {total:7} found ({100 * found[change] / max(total, 1):.1f} %)")
    print(f"{runs} runs, {alike} pairs with a node that looks like the own copy, {bad} failures")
    sys.exit(1 if bad else 0)


if not os.path.isdir(MODELS):
    print(f"no {MODELS}: skipped")
    sys.exit(77)
main()
