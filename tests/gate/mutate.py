#!/usr/bin/python3
"""Real builds, changed in one place: the gate must say so, and where.

    mutate.py BINARY FIXTURES SHARED [COUNT [SEED]]

Snapshots of the fixtures, and of the engines in SHARED where it is there, are changed as a
worse build would be: one group wider, split, its type or a layout not stated, its output in higher precision or
not stated, a move in higher precision, a layer with weights that computes nothing, a node of unknown fate, a layer inserted, an output of another type, all layers slower,
its Metadata gone, another engine in its place; or as a build that is the same would be: groups in
another order, other names of unnamed nodes, times within noise.  A change must be an error or a
warning that names a node (or port) of its place; what is the same must pass without either.

How it was built (version, GPU, options) is stated otherwise, or not at all: a note names it, and
nothing fails.  Snapshots of several builds: a mix of the builds' ways passes and says whose they
are, and fails as any build does once it is changed; a build whose way was changed in the snapshot
fails.  COUNT mutants (2,400), chosen by SEED; what they came to is printed.
"""
import collections
import json
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program

BINARY, FIXTURES, SHARED = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 2400
CHOICE = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?:#\d+)?|\S+')
NARROW = ("int8", "int4", "fp8", "fp4", "fp16", "bf16")
failures = []


def start(*args):
    return program.run([BINARY, *args], text=True)


def without_unasked(group):
    """The group without "; NODES", which is between its nodes and its borders."""
    if ";" not in group:
        return group
    at = group.index(";")
    end = next((i for i in range(at, len(group)) if group[i] in ("<", ">", "~")), len(group))
    return group[:at] + group[end:]


class Snapshot:
    """Its lines as words: the head, the nodes, and each group with the moves below it."""

    def __init__(self, text):
        lines = [TOKEN.findall(line) for line in text.splitlines() if line.strip()]
        # dumps.py changes kernels, bindings and what a group reads from elsewhere than the model
        # states; format 1 has none of these, no hash of its lines, no number of the reading, no bytes, and no values.
        lines = [line[:2] if line[0] == "tool" else line[:4] if line[0] == "layers" else line[:line.index(":")] if line[0] == "node" and ":" in line else line
                 for line in lines if line[0] not in ("kernel", "binding")]
        lines = [without_unasked(line) if line[0] == "group" else line for line in lines]
        lines[0][2] = "1"
        first = next((i for i, line in enumerate(lines) if line[0] == "also"), len(lines))
        self.others = lines[first:-1]  # of a snapshot of several builds
        lines = lines[:first]
        self.head = [line for line in lines if line[0] not in ("node", "group", "move", "end")]
        self.nodes = {line[1]: line for line in lines if line[0] == "node"}
        self.blocks = []
        for line in lines:
            if line[0] == "group" or (line[0] == "move" and not self.blocks):
                self.blocks.append([line])
            elif line[0] == "move":
                self.blocks[-1].append(line)

    def text(self):
        lines = self.head + list(self.nodes.values()) + [line for b in self.blocks for line in b] + self.others
        return "\n".join(" ".join(line) for line in lines + [["end"]]) + "\n"

    def groups(self):
        return [line for block in self.blocks for line in block if line[0] == "group"]


    def variants(self):
        """Of each: the words of its nodes, its groups and moves, and the fates that its build states."""
        found, fates = [], {}
        for line in self.others:
            if line[0] == "also":
                fates = {}
            elif line[0] == "fate":
                fates[line[1]] = line[2:4]
            elif line[0] == "variant":  # one that states less is none for a build by another version
                found.append(([] if line[1] == "less" else line[2:], [], fates))
            elif line[0] in ("group", "move"):
                found[-1][1].append(line)
        return found

    def owner(self, move):
        """The node that a move belongs to."""
        for mark in (">", "<"):
            at = move.index(mark) + 1
            for word in move[at:]:
                if word in ("<", ">", "=", "~"):
                    break
                if word in self.nodes and self.nodes[word][3] in ("core", "optional"):
                    return word
        return None

    def take(self, variant):
        """The row as that variant has it."""
        row, lines, fates = variant
        for block in self.blocks:
            block[:] = [line for line in block if
                        not set(parts(line)[1]) & set(row) if line[0] == "group"] + [
                            line for line in block if line[0] == "move" and self.owner(line) not in row]
        self.blocks = [b for b in self.blocks if b] + [[list(line)] for line in lines]
        for node in row:
            if node in fates:
                self.nodes[node][4:6] = fates[node]


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
# be shown), or None where the snapshot has no place for it.

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


def write(s, rule, change):
    """What a group hands on is in another form: its readers and the network's outputs as before."""
    place = pick((g, i) for g in s.groups() for i, w in enumerate(g)
                 if i > 1 and g[1] == "compute" and g[i - 2] == ">" and w.split("/")[0] in NARROW and change(w) != w)
    if not place:
        return None
    group, i = place
    group[i] = change(group[i])
    return {rule}, [group[i - 1]]


def write_wider(s):
    return write(s, "precision-widened", lambda form: re.sub("^[^/]*", "fp32", form))


def write_untold(s):
    return write(s, *CHOICE.choice([("precision-unknown", lambda form: re.sub("^[^/]*", "unknown", form)),
                                    ("layout-unknown", lambda form: form.split("/")[0])]))


def unwrite(s):
    """No output of a group is stated."""
    place = pick((g, b) for g in s.groups() if g[1] == "compute" for b in parts(g)[2]
                 if b[0] == ">" and (b[2].split("/")[0] != "unknown" or "/" in b[2]))
    if not place:
        return None
    group, border = place
    at = next(i for i in range(len(group)) if group[i:i + len(border)] == border)
    del group[at:at + len(border)]
    return {"precision-unknown", "layout-unknown"}, [border[1]]


def widen_move(s):
    """Between two moves, or where no consumer is stated to read higher precision."""
    place = pick((line, i) for b in s.blocks for line in b if line[0] == "move" and
                 line[1] in ("reformat", "copy", "quantize") for i in (line.index(":") + 1, line.index("->") + 1)
                 if line[i].split("/")[0] in NARROW and s.owner(line) and "@" not in " ".join(line))
    if not place:
        return None
    line, i = place
    line[i] = re.sub("^[^/]*", "fp32", line[i])
    return {"precision-widened", "new-reformat", "new-standing-quantize"}, [
        w for w in line if w in s.nodes and s.nodes[w][3] in ("core", "optional")]


def weight(node):
    """The weight's name: the second word behind the ';', before the attributes."""
    behind = node[node.index(";") + 2:] if ";" in node else []
    return behind[0] if behind and behind[0] != "=" else None


def idle(s):
    """A layer that has weights is said to compute nothing."""
    group = pick(g for g in s.groups() if g[1] == "compute" and "loose" not in g[:6] and
                 any(weight(s.nodes[n]) for n in parts(g)[1]))
    if not group:
        return None
    group[1] = CHOICE.choice(("noop", "reformat", "constant"))
    return {"undecided-fusion"}, parts(group)[1]


def forget_metadata(s):
    line = pick(w for w in s.head if w[0] == "engine" and "metadata" in w[-1])
    if not line:
        return None
    line[-1] = "tensors"
    return {"facts-unknown"}, ["Metadata"]


# -------------------------------------------------------------------- how it was built
# Each returns (rule of a note, words of which one must be shown); nothing may fail.

def rebuild_otherwise(s):
    line = pick(w for w in s.head if w[0] == "built")
    if not line:
        return None
    line[2] = CHOICE.choice(['"another"', '"GPU of tomorrow"', "1"])
    return "build-differs", [line[1]]


def forget_built(s):
    line = pick(w for w in s.head if w[0] == "built")
    if not line:
        return None
    s.head.remove(line)
    # An option that is not listed was not set, where options are listed at all.
    return ("build-unknown", "build-differs"), [line[1]]


def other_version(s):
    line = next(w for w in s.head if w[0] == "engine")
    line[3] = '"Another 1.0"'
    return "build-differs", ["version"]


BUILT = (rebuild_otherwise, forget_built, other_version)


# ------------------------------------------------------------------------ several builds

def mix(s):
    """Some rows as other builds have them; None where there are none."""
    rows, taken = s.variants(), set()
    CHOICE.shuffle(rows)
    for variant in rows[:CHOICE.randint(1, 6)]:
        if variant[0] and not taken & set(variant[0]):
            before = sorted(s.text().splitlines())
            s.take(variant)
            if sorted(s.text().splitlines()) != before:  # not only in kernels
                taken |= set(variant[0])
    s.others = []
    return taken


def against_first(mutant, text):
    """What is found of the mutant where the snapshot is of its first build alone."""
    s = Snapshot(text)
    s.others = []
    alone = f"{mutant}.alone"
    with open(alone, "w", encoding="utf-8") as file:
        file.write(s.text())
    return json.loads(start("check", alone, mutant, "-f", "json").stdout)["findings"]


def judge_several(kind, name, path, mutant, text, expected):
    """As any change, but for what the first build's way lets pass: that is one of the ways."""
    words = {n.strip('"') for n in expected[1]}
    said = against_first(mutant, text)
    if any(words & set(f["nodes"]) or any(n in f["message"] for n in words) for f in said if f["severity"] != "info"):
        judge(kind, name, path, mutant, expected)


def judge_mix(name, path, mutant, text):
    s = Snapshot(text)
    taken = mix(s)
    if not taken:
        return False
    with open(mutant, "w", encoding="utf-8") as file:
        file.write(s.text())
    said = json.loads(start("check", path, mutant, "-f", "json").stdout)["findings"]
    shown = {n for f in said if f["rule"] == "variant" for n in f["nodes"]}
    taken = {n.strip('"') for n in taken}
    # What one build states and another does not is no difference, and needs no way of its own.
    differs = any(taken & set(f["nodes"]) for f in against_first(mutant, text))
    if any(f["severity"] != "info" for f in said) or (differs and not shown & taken):
        failures.append(f"mix of {name} at {sorted(taken)[:3]}: "
                        f"{[(f['rule'], f['message'][:120]) for f in said if f['severity'] != 'info'][:3]}")
    change = CHOICE.choice((widen, split, insert, write_wider, forget_type))
    expected = change(s)
    if expected:
        with open(mutant, "w", encoding="utf-8") as file:
            file.write(s.text())
        # It may have come to the way of another build.
        ways = {n: f["message"] for f in said if f["rule"] == "variant" for n in f["nodes"]}
        now = json.loads(start("check", path, mutant, "-f", "json").stdout)["findings"]
        if not any(f["rule"] == "variant" and ways.get(n) != f["message"] and n in f["nodes"]
                   for f in now for n in (w.strip('"') for w in expected[1])):
            judge_several(f"{change.__name__} of a mix", name, path, mutant, text, expected)
    return True


def judge_mutated_variant(name, path, mutant, text):
    """The snapshot's variant is made narrower: the way that was recorded is none any more."""
    s, build = Snapshot(text), Snapshot(text)
    place = pick((v, g) for v in s.variants() if v[0] for g in v[1] if g[0] == "group" and g[1] == "compute" and g[2] in ("fp32", "fp16", "bf16"))
    if not place:
        return False
    variant, group = place
    build.take(next(v for v in build.variants() if v[0] == variant[0] and v[1] == variant[1]))
    build.others = []
    other = f"{mutant}.snapshot"
    nodes = [n for n in parts(group)[1] if variant[2].get(n, s.nodes[n][4:6])[1] == group[2]]
    for node in nodes:
        at = next((w for w in s.others if w[0] == "fate" and w[1] == node and variant[2].get(node) == w[2:4]), None)
        if at:
            at[3] = "int4"
    changed = [n for n in nodes if n in variant[2]]
    group[2] = "int4"
    if not changed:
        return False
    for file_path, one in ((other, s), (mutant, build)):
        with open(file_path, "w", encoding="utf-8") as file:
            file.write(one.text())
    judge_several("narrower variant", name, other, mutant, text, ({"precision-widened"}, changed))
    return True


def judge_built(kind, name, old, mutant, expected):
    done = start("check", old, mutant, "-f", "json")
    said = json.loads(done.stdout)["findings"] if done.stdout else []
    rules, words = expected
    rules = (rules,) if isinstance(rules, str) else rules
    if done.returncode or any(f["severity"] != "info" for f in said):
        failures.append(f"{kind} of {name}: fails by {[f['rule'] for f in said][:3]}")
    elif not any(f["rule"] in rules and any(w.strip('"') in f["message"] for w in words) for f in said):
        failures.append(f"{kind} of {name}: none of {rules} states {words}, but {[f['message'][:80] for f in said][:3]}")


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
           forget_metadata, write_wider, write_untold, unwrite, widen_move, idle)
SAME = (reorder, rename, jitter, rebuild)


SEVERAL = (judge_mix, judge_mutated_variant)


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
            yield f"{os.path.basename(folder)}/{engine}", Snapshot(done.stdout).text()


def several():
    """(name, text) of snapshots of several builds."""
    with open(os.path.join(FIXTURES, "gate/learnt.fsd"), encoding="utf-8") as file:
        yield "learnt", Snapshot(file.read()).text()
    zoo = os.path.join(SHARED, "zoo/cases")
    models = collections.defaultdict(list)
    for case in sorted(os.listdir(zoo)) if os.path.isdir(zoo) else ():
        for log in ("build.log", "build.log.xz"):
            if os.path.exists(os.path.join(zoo, case, log)):
                models[case.split(".")[0]].append(os.path.join(zoo, case, log))
    for model, logs in models.items():
        if len(logs) > 1:
            done = start("snapshot", os.path.join(os.path.dirname(logs[0]), "model.onnx"), logs[0],
                         *(w for log in logs[1:] for w in ("--also", log)))
            if "\nvariant " in done.stdout:
                yield model, Snapshot(done.stdout).text()


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
        learnt = []
        for i, (name, text) in enumerate(several()):
            learnt.append((name, text, os.path.join(folder, f"several-{i}.fsd")))
            with open(learnt[-1][2], "w", encoding="utf-8") as file:
                file.write(text)
        mutant = os.path.join(folder, "mutant.fsd")
        tried = 0
        while sum(counts.values()) < COUNT and tried < 20 * COUNT:
            tried += 1
            name, text, path = CHOICE.choice(olds)
            change = CHOICE.choice(CHANGES + SAME + BUILT + SEVERAL + (swap,))
            s = Snapshot(text)
            if change in SEVERAL:
                name, text, path = CHOICE.choice(learnt)
                counts[change.__name__[6:]] += change(name, path, mutant, text)
                continue
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
            (judge_built if change in BUILT else judge)(change.__name__, name, path, mutant, expected)
    for line in failures[:40]:
        print("FAILED", line)
    kinds = [f.__name__ for f in CHANGES + (swap,) + SAME + BUILT] + [f.__name__[6:] for f in SEVERAL]
    print(f"{sum(counts.values())} mutants of {len(olds)} builds and {len(learnt)} of several:",
          ", ".join(f"{n} {counts[n]}" for n in kinds), f"; {len(failures)} failed")
    sys.exit(1 if failures or sum(counts.values()) < COUNT else 0)


main()
