#!/usr/bin/python3
"""Alignment is never wrong: mutated re-exports of real and of made-up models.

    align.py BINARY MODELS [SEEDS] [-v]

Each model below the folder MODELS, and some made to be mistaken (towers.py), gets an
engine that names its nodes, one a layer, so that only the alignment is looked at.  It is
compared with a copy that was changed and named as another exporter would (exports.py).  A
node that is aligned must be aligned to its own copy, or to one that nobody could tell from
it: with the same operator, attributes and weight shape and, seen from the inputs or the
outputs, or from nodes that are aligned so, the same way there; and no two nodes change places.  How many are found is told by kind of change.
Exit status 77 when MODELS or onnx is absent.
"""
import collections
import hashlib
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
import towers

BINARY, MODELS = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3


def write(model, path):
    """The model, and an engine of which only the layers' names are known.

    @return what compare takes, and what each node is, by the name it has in reports
    """
    nodes, inner = model.graph.node, any(a.HasField("g") for n in model.graph.node for a in n.attribute)
    times = collections.Counter(n.name for n in nodes)
    # With subgraphs inlined, the number of a nameless node is not its place here.
    names = {n.name if n.name and times[n.name] == 1 else f"{n.name}#{i}": n.doc_string
             for i, n in enumerate(nodes) if not inner or (n.name and times[n.name] == 1)}
    onnx.save(model, path + ".onnx")
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({"Layers": [n.name for n in nodes if n.op_type != "Constant" and n.name],
                   "Bindings": [p.name for p in model.graph.input] + [p.name for p in model.graph.output]}, file)
    return f"{path}.onnx,{path}.json", names


# ----------------------------------------------------- who could be told from whom

THROUGH = {"QuantizeLinear", "DequantizeLinear", "BatchNormalization", "Identity", "Cast", "Dropout",
           "Reshape", "Flatten", "Squeeze", "Unsqueeze"}
COMMUTE = {"Add", "Mul", "Sum", "Max", "Min"}


def digest(*parts):
    return hashlib.sha1(repr(parts).encode()).hexdigest()[:16]


def names_of(model):
    times = collections.Counter(n.name for n in model.graph.node)
    return [n.name if n.name and times[n.name] == 1 else f"{n.name}#{i}" for i, n in enumerate(model.graph.node)]


def ways(model, sure):
    """By node: the way from the inputs and the way to the outputs, written down; nodes in
    `sure` stand for what they are."""
    names = names_of(model)
    made = {out: i for i, node in enumerate(model.graph.node) for out in node.output if out}
    nodes = model.graph.node
    shapes = {i.name: tuple(i.dims) for i in model.graph.initializer}
    number = {p.name: i for i, p in enumerate(model.graph.input)}
    label, before, users = {}, {}, collections.defaultdict(list)

    def see(tensor):
        """Through what neither counts nor has a place of its own; the model is acyclic."""
        while tensor in made and nodes[made[tensor]].op_type in THROUGH and nodes[made[tensor]].input:
            tensor = nodes[made[tensor]].input[0]
        return tensor

    for i, node in enumerate(nodes):
        weight = shapes.get(see(node.input[1]), ()) if len(node.input) > 1 else ()
        label[i] = digest(node.op_type, sorted(
            a.SerializeToString() for a in node.attribute if a.name in ("strides", "kernel_shape", "axis", "perm")),
            weight if len(weight) > 1 else None)
        seen = []
        for slot, tensor in enumerate(node.input):
            source = see(tensor)
            if source in made:
                at = made[source]
                out = list(nodes[at].output).index(source)
                seen.append((slot, out, before.get(at)))
                if node.op_type not in THROUGH:
                    users[at].append((i, 0 if node.op_type in COMMUTE else slot, out))
            elif source in number:
                seen.append((slot, "input", number[source]))
        if node.op_type in COMMUTE:
            seen = sorted(str(x[1:]) for x in seen)
        before[i] = sure.get(names[i]) or digest(label[i], seen)
    live = set()
    wanted = [p.name for p in model.graph.output]
    while wanted:
        at = made.get(wanted.pop())
        if at is not None and at not in live:
            live.add(at)
            wanted.extend(exports.reads(nodes[at]))
    behind = {}
    ends = collections.defaultdict(list)
    for i, port in enumerate(model.graph.output):
        source = see(port.name)
        if source in made:
            ends[made[source]].append(i)
    for i in range(len(nodes) - 1, -1, -1):
        behind[i] = sure.get(names[i]) or digest(label[i], ends[i], sorted(
            (behind.get(n, ""), slot, out) for n, slot, out in users[i] if n in live))
    return {name: (before[i], behind[i]) for i, name in enumerate(names)}


def judge(pairs, old, new, old_is, new_is):
    """Pairs that are not a node and its copy: how many nobody could know better, and the wrong ones.

    What is right, or looks so, stands for itself when what is around it is looked at.
    """
    wrong = [p for p in pairs if old_is[p["old"]] != new_is[p["new"]]]
    others, sure, last = len(wrong), [], None
    while wrong and last != len(sure):
        last = len(sure)
        old_ways = ways(old, {p["old"]: "is " + p["old"] for p in sure})
        new_ways = ways(new, {p["new"]: "is " + p["old"] for p in sure})
        wrong = [p for p in wrong if all(a != b for a, b in zip(old_ways[p["old"]], new_ways[p["new"]]))]
        doubtful = {p["old"] for p in wrong}
        sure = [p for p in pairs if p["old"] not in doubtful]
    return others - len(wrong), wrong


def before_each(model, numbers, turn):
    """By node: the pairs, as bits, that its inputs hang on; what hangs on it where `turn` says so."""
    nodes = list(zip(names_of(model), model.graph.node))
    bits = collections.defaultdict(int)
    found = {}
    for name, node in reversed(nodes) if turn else nodes:
        here = 0
        for tensor in node.output if turn else exports.reads(node):
            here |= bits[tensor]
        found[name] = here
        here |= 1 << numbers[name] if name in numbers else 0
        for tensor in exports.reads(node) if turn else node.output:
            bits[tensor] |= here
    return found


def turned(pairs, old, new):
    """Pairs whose one node comes before another's in the old model, and behind it in the new one."""
    before = before_each(old, {p["old"]: i for i, p in enumerate(pairs)}, False)
    behind = before_each(new, {p["new"]: i for i, p in enumerate(pairs)}, True)
    return [p for p in pairs if before[p["old"]] & behind[p["new"]]]


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
    alike, wrong = judge(pairs, old, new, old_is, new_is)
    wrong += turned(pairs, old, new)
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
            for seed in range(100, 100 + SEEDS):
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
