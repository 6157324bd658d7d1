#!/usr/bin/python3
"""Real builds, changed in one place: the gate must say so, and where.

    mutate.py BINARY FIXTURES SHARED [COUNT [SEED]]

Snapshots of the fixtures, and of the engines in SHARED where it is there, are changed as a
worse build would be: one group wider, split, its type or a layout not told, a node of unknown
fate, a layer inserted, an output of another type, all layers slower, its Metadata gone, another
engine in its place; or as a build that is the
same would be: groups in another order, other names of unnamed nodes, times within noise.  A
change must be an error or a warning that names a node (or port) of its place; what is the same
must pass without either.  COUNT mutants (2,400), chosen by SEED; what they came to is printed.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

BINARY, FIXTURES, SHARED = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 2400
CHOICE = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?:#\d+)?|\S+')
NARROW = ("int8", "int4", "fp8", "fp4", "fp16", "bf16")
failures = []


def start(*args):
    return subprocess.run([BINARY, *args], capture_output=True, text=True, check=False)


class Snapshot:
    """Its lines as words: the head, the nodes, and each group with the moves below it."""

    def __init__(self, text):
        lines = [TOKEN.findall(line) for line in text.splitlines() if line.strip()]
        lines[0][2] = "1"  # a format without a hash of its lines
        self.head = [line for line in lines if line[0] not in ("node", "group", "move", "end")]
        self.nodes = {line[1]: line for line in lines if line[0] == "node"}
        self.blocks = []
        for line in lines:
            if line[0] == "group" or (line[0] == "move" and not self.blocks):
                self.blocks.append([line])
            elif line[0] == "move":
                self.blocks[-1].append(line)

    def text(self):
        lines = self.head + list(self.nodes.values()) + [line for b in self.blocks for line in b]
        return "\n".join(" ".join(line) for line in lines + [["end"]]) + "\n"

    def groups(self):
        return [line for block in self.blocks for line in block if line[0] == "group"]


def parts(group):
    """Head, nodes, borders and times of a group's words."""
    colon = group.index(":")
    times = group.index("~") if "~" in group else len(group)
    marks = [i for i in range(colon, times) if group[i] in ("<", ">")] + [times]
    borders = [group[a:b] for a, b in zip(marks, marks[1:])]
    return group[:colon], group[colon + 1:marks[0]], borders, group[times:]


def reader(border):
    return border[3] if border[0] == "<" else border[1]


def cores(s, nodes):
    return [n for n in nodes if s.nodes[n][3] == "core"]


def pick(options):
    options = list(options)
    return CHOICE.choice(options) if options else None


# ------------------------------------------------------------------ what changes a build
# Each changes the snapshot and returns (rules of which one must fire, names of which one must
# be told), or None where the snapshot has no place for it.

def retype(s, rule, to):
    group = pick(g for g in s.groups() if g[2] in NARROW)
    if not group:
        return None
    nodes = [n for n in parts(group)[1] if s.nodes[n][5] == group[2]]
    for node in nodes:
        s.nodes[node][5] = to
    group[2] = to
    return nodes and ({rule}, nodes)


def widen(s):
    return retype(s, "precision-widened", "fp32")


def forget_type(s):
    return retype(s, "precision-unknown", "unknown")


def forget_layout(s):
    place = pick((g, i) for g in s.groups() for i, w in enumerate(g)
                 if i > 1 and g[i - 2] == "<" and "/" in w and g[i - 1] != "-" and not w.startswith('"'))
    if not place:
        return None
    group, i = place
    group[i] = group[i].split("/")[0]
    return {"layout-unknown"}, [group[i + 1], group[i - 1]]


def split(s):
    place = pick((b, i) for b in s.blocks for i, g in enumerate(b) if g[0] == "group" and g[3] == "1" and
                 g[1] == "compute" and "loose" not in g[:5] and len(cores(s, parts(g)[1])) > 1)
    if not place:
        return None
    block, i = place
    head, nodes, borders, times = parts(block[i])
    cut = nodes.index(CHOICE.choice(cores(s, nodes)[1:]))
    halves = []
    for half in (nodes[:cut], nodes[cut:]):
        halves.append(head + [":"] + half + [w for b in borders if reader(b) in half for w in b] + times)
    block[i:i + 1] = halves
    return {"lost-fusion", "regrouped"}, nodes


def unmap(s):
    place = pick((g, n) for g in s.groups() for n in cores(s, parts(g)[1])
                 if len(cores(s, parts(g)[1])) > 1 and n not in map(reader, parts(g)[2]))
    if not place:
        return None
    group, node = place
    group.remove(node)
    s.nodes[node][4:6] = ["unexplained", "unknown"]
    return {"unexplained-node"}, [node]


def insert(s):
    place = pick((b, border) for b in s.blocks for g in b if g[0] == "group"
                 for border in parts(g)[2] if border[0] == "<" and border[1] != "-")
    if not place:
        return None
    block, (_, origin, form, node) = place
    block.append(["move", "reformat", "dtype", "inserted", ":", "fp32/chw", "->", form, "<", origin, ">", node])
    return {"new-reformat"}, [node]


def change_output(s):
    line = pick(w for w in s.head if w[0] == "output" and not w[3].startswith(("int32", "unknown")))
    if not line:
        return None
    line[3] = "int32/chw"
    return {"io-changed"}, [line[1]]


def scale(s, factor):
    lines = [w for w in s.head if w[0] == "times"]
    for line in lines + [w for b in s.blocks for w in b]:
        if "~" in line:
            at = line.index("~") + 1
            line[at:at + 3] = [f"{float(w) * factor:.6f}" for w in line[at:at + 3]]
    return bool(lines)


def slow(s):
    return ({"latency"}, [""]) if scale(s, CHOICE.uniform(1.15, 2)) else None


def forget_metadata(s):
    line = pick(w for w in s.head if w[0] == "engine" and "metadata" in w[-1])
    if not line:
        return None
    line[-1] = "tensors"
    return {"facts-unknown"}, ["Metadata"]


# -------------------------------------------------------------- what leaves it as it was

def reorder(s):
    CHOICE.shuffle(s.blocks)
    return True


def rename(s):
    """Exported and built anew: an exporter's counters began elsewhere."""
    first = CHOICE.randrange(1000, 9000)
    names = {n: f"{w[2].split('.')[-1].strip(chr(34))}_{first + i}" for i, (n, w) in enumerate(s.nodes.items())}
    for line in list(s.nodes.values()) + [w for b in s.blocks for w in b] + \
            [w for w in s.head if w[0] == "output"]:
        for i, word in enumerate(line[1:], 1):
            name, mark, out = word.rpartition("#") if word not in names and "#" in word else (word, "", "")
            line[i] = names.get(name, name) + mark + out
    for line in s.head:
        if line[0] in ("model", "engine"):
            line[1] = f"xxh128:{CHOICE.getrandbits(128):032x}"
    return True


def jitter(s):
    return scale(s, CHOICE.uniform(0.99, 1.015))


def rebuild(s):
    for line in s.head:
        if line[0] == "engine":
            line[1] = f"xxh128:{CHOICE.getrandbits(128):032x}"
    return True


def swap(s, other):
    """Another engine is given: None where it does the same."""
    def build(x):
        return sorted((w[1], w[2], w[3], *sorted(parts(w)[1])) for w in x.groups()), sorted(
            tuple(w[1:4]) for b in x.blocks for w in b if w[0] == "move")
    return build(s) != build(other) or None


CHANGES = (widen, forget_type, forget_layout, split, unmap, insert, change_output, slow,
           forget_metadata)
SAME = (reorder, rename, jitter, rebuild)


def sources():
    """(name, text) of each snapshot that passes against itself."""
    places = [(os.path.join(FIXTURES, "qat_block"), "engine.graph.json")]
    corpus = os.path.join(SHARED, "corpus")
    if os.path.isdir(corpus):
        places += [(os.path.join(corpus, c), e) for c in sorted(os.listdir(corpus))
                   for e in ("engine.graph.json", "engine.names-only.json")]
    zoo = os.path.join(SHARED, "zoo/cases")
    if os.path.isdir(zoo):  # models of which several engines were built
        cases = sorted(os.listdir(zoo))
        several = {c.split(".")[0] for c in cases if "." in c}
        places += [(os.path.join(zoo, c), e) for c in cases if c.split(".")[0] in several
                   for e in ("build.log", "build.log.xz")]
    for folder, engine in places:
        files = [os.path.join(folder, f) for f in ("model.onnx", engine)]
        profile = os.path.join(folder, "profile.json")
        if not all(map(os.path.exists, files)):
            continue
        times = ["--profile", profile] if os.path.exists(profile) else []
        done = start("snapshot", *files, *times)
        if done.returncode and times:
            done = start("snapshot", *files)
        if not done.returncode:
            yield f"{os.path.basename(folder)}/{engine}", done.stdout


def judge(kind, name, old, mutant, expected):
    done = start("check", old, mutant, "-f", "json")
    said = [f for f in json.loads(done.stdout)["findings"] if f["severity"] != "info"] if done.stdout else None
    if said is None:
        failures.append(f"{kind} of {name}: {done.stderr.strip()[:300]}")
    elif expected is True:
        if said or done.returncode:
            failures.append(f"{kind} of {name} is the same build, found {said[0]['rule']}: {said[0]['message'][:200]}")
    else:
        rules, names = expected
        names = [n.strip('"') for n in names]
        hits = [f for f in said if f["rule"] in rules and
                (set(names) & set(f["nodes"]) or any(n in f["message"] for n in names))]
        if not hits:
            failures.append(f"{kind} of {name} at {names[:3]}: none of {sorted(rules)} names it; found "
                            f"{[f['rule'] for f in said][:5]}")


def judge_swap(name, old, other_name, other):
    """Another model's engine is refused; another one of the same model differs somewhere."""
    done = start("check", old, other, "-f", "json")
    if done.returncode != 2 and not json.loads(done.stdout)["findings"]:
        failures.append(f"swap of {name} for {other_name}: nothing is said")


def main():
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        olds = []
        for i, (name, text) in enumerate(sources()):
            path = os.path.join(folder, f"{i}.fsd")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if start("check", path, path).returncode == 0:
                olds.append((name, text, path))
        mutant = os.path.join(folder, "mutant.fsd")
        tried = 0
        while sum(counts.values()) < COUNT and tried < 20 * COUNT:
            tried += 1
            name, text, path = CHOICE.choice(olds)
            change = CHOICE.choice(CHANGES + SAME + (swap,))
            s = Snapshot(text)
            if change is swap:
                model = name.split(".")[0]
                other_name, other, other_path = CHOICE.choice(
                    [o for o in olds if o[0].split(".")[0] == model and CHOICE.random() < 0.9] or olds)
                if swap(s, Snapshot(other)):
                    counts["swap"] += 1
                    judge_swap(name, path, other_name, other_path)
                continue
            expected = change(s)
            if not expected:
                continue
            with open(mutant, "w", encoding="utf-8") as file:
                file.write(s.text())
            counts[change.__name__] += 1
            judge(change.__name__, name, path, mutant, expected)
    for line in failures[:40]:
        print("FAILED", line)
    print(f"{sum(counts.values())} mutants of {len(olds)} builds:",
          ", ".join(f"{n} {counts[n]}" for n in (f.__name__ for f in CHANGES + (swap,) + SAME)), f"; {len(failures)} failed")
    sys.exit(1 if failures or sum(counts.values()) < COUNT else 0)


main()
