#!/usr/bin/python3
"""Each wire in a picture of two builds is a tensor of the dump on its side.

    wires.py BINARY SHARED [quick]

The dumps are read here on their own: JSON, and the layers that a log lists.  Every pair of SHARED
(corpus and zoos) is compared with itself in full, with every other build of its model and, of the
corpus, with every other export.  A snapshot has no tensors, so that it has no wires.  `quick` takes
fixtures only.
"""
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))
import truth

BINARY, SHARED = sys.argv[1:3]
QUICK = sys.argv[3:] == ["quick"]
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures")
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED  {what} {detail}")


def run(*args):
    return subprocess.run([BINARY, *args], capture_output=True, check=False, stdin=subprocess.DEVNULL)


def tensors_of(path):
    """By layer of a dump the names of what it reads and writes; None where it has names only."""
    if not path.endswith(".json"):
        layers = truth.kernels(truth.log_lines(os.path.dirname(path)))
        if not layers or not any(layer.inputs for layer in layers):
            return None
        return [({t.name for t in k.inputs}, {t.name for t in k.outputs}) for k in layers]
    with open(path, encoding="utf-8") as file:
        layers = json.load(file)
    layers = layers if isinstance(layers, list) else layers["Layers"]
    if not all(isinstance(layer, dict) and "Inputs" in layer for layer in layers):
        return None
    return [tuple({t["Name"] for t in layer.get(key, [])} for key in ("Inputs", "Outputs"))
            for layer in layers]


class Picture:
    """boxes: name -> (tooltip, layers); wires: (from, to); threads, which are no tensors, likewise."""

    def __init__(self, dot):
        self.boxes, self.wires, self.threads = {}, [], []
        for line in dot.split("\n"):
            if box := re.match(r'\t(\w+) \[.*tooltip="(.*)"\]$', line):
                shown = re.match(r"layers? ([\d, ]+)\\n", box[2])
                self.boxes[box[1]] = box[2], [int(i) for i in shown[1].split(", ")] if shown else []
            elif wire := re.match(r"\t(\w+) -> (\w+) \[(.*)\]$", line):
                if wire[1][0] != wire[2][0] or "invis" in wire[3]:
                    continue
                (self.threads if re.search('style="(dotted|dashed)"', wire[3]) else self.wires).append((wire[1], wire[2]))


def carried(picture, dump, wire):
    """The tensors that go along a wire."""
    ends = []
    for name, role in zip(wire, (1, 0)):
        tip, layers = picture.boxes[name]
        if re.match(r"[on][itb]\d", name):      # a port, or a tensor of its own
            ends.append({json.loads(f'"{tip}"')} if "\\" in tip else {tip})
        else:
            ends.append(set().union(*(dump[i][role] for i in layers)) if layers else set())
    return ends[0] & ends[1]


def check_side(what, picture, side, dump, whole):
    wires = [w for w in picture.wires if w[0][0] == side]
    if dump is None:
        check(f"{what}: a dump without tensors has no wires", not wires, wires[:3])
        return 0
    wrong = [(w, [picture.boxes[b] for b in w]) for w in wires if not carried(picture, dump, w)]
    check(f"{what}: wires without a tensor", not wrong, f"{len(wrong)} of {len(wires)}: {wrong[:2]}")
    threads = [t for t in picture.threads if t[0][0] == side]
    check(f"{what}: threads where tensors are known", not threads, threads[:3])
    if not whole:
        return len(wires)
    home = {i: name for name, (_, layers) in picture.boxes.items() if name[0] == side for i in layers}
    check(f"{what}: a box for every layer", len(home) == len(dump), f"{len(home)} of {len(dump)}")
    writers = {}
    for i, (_, out) in enumerate(dump):
        for t in out:
            writers.setdefault(t, []).append(i)
    drawn = set(wires)
    missing = [(writers[t][0], i, t) for i, (reads, _) in enumerate(dump) for t in reads
               if len(writers.get(t, [])) == 1 and home[writers[t][0]] != home[i] and
               (home[writers[t][0]], home[i]) not in drawn]
    check(f"{what}: tensors without a wire", not missing, missing[:3])
    return len(wires)


def compare(what, old, new, whole):
    """old, new: (words for the program, dump)."""
    done = run("compare", old[0], new[0], "--force", "-f", "dot", *(["--all"] if whole else ["--only", "changes"]))
    check(f"{what}: drawn", done.returncode < 2, done.stderr[-300:])
    picture = Picture(done.stdout.decode())
    return sum(check_side(f"{what}, {name}", picture, name[0], dump[1], whole)
                        for name, dump in (("old", old), ("new", new)))


def check_snapshot(what, folder, build):
    """A snapshot has no tensors, so nothing of it is drawn as one."""
    path = os.path.join(folder, "build.snapshot")
    done = run("snapshot", *build[0].split(","), "-o", path)
    check(f"{what}: snapshot", done.returncode == 0, done.stderr[-300:])
    drawn = Picture(run("compare", path, build[0], "--force", "-f", "dot", "--all").stdout.decode())
    check(f"{what}: wires of a snapshot", not [w for w in drawn.wires if w[0][0] == "o"])
    return len([t for t in drawn.threads if t[0][0] == "o"])


def chained(folder):
    """The block with a Reformat behind the first convolution, which the quantizer and the addition
    both read: two moves between nodes, of which one reads the other."""
    with open(os.path.join(FIXTURES, "qat_block/engine.graph.json"), encoding="utf-8") as file:
        dump = json.load(file)
    wide = {**dump["Layers"][1]["Outputs"][0], "Name": "Reformatted Output Tensor 0 to Conv_4",
            "Format/Datatype": "Row major linear FP32"}
    name = "Reformatting CopyNode for Output Tensor 0 to conv1.weight + QuantizeLinear_2 + Conv_4"
    dump["Layers"].insert(2, {**dump["Layers"][0], "Name": name, "LayerType": "Reformat", "Inputs": [wide],
                              "Outputs": dump["Layers"][1]["Outputs"]})
    dump["Layers"][1]["Outputs"] = [wide]
    path = os.path.join(folder, "chained.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dump, file)
    return path


def fixture_pairs(folder):
    for model, path in (("qat_block/model.onnx", "qat_block/engine.graph.json"),
                        ("qat_block/model.onnx", chained(folder)),
                        ("synthetic/qat-8.5/model.onnx", "synthetic/qat-8.5/engine.json"),
                        (None, "engine/trt8.4.json"), (None, "engine/trt10.json"), (None, "engine/names-only.json")):
        path = os.path.join(FIXTURES, path)
        yield model or path, os.path.basename(path), ",".join([os.path.join(FIXTURES, model), path] if model else [path]), path


def shared_pairs():
    for path in sorted(glob.glob(os.path.join(SHARED, "corpus/*/engine*.json"))):
        model = os.path.join(os.path.dirname(path), "model.onnx")
        if os.path.exists(model):
            case = os.path.basename(os.path.dirname(path))
            yield case.split("-")[0], case, f"{model},{path}", path
    for path in sorted(glob.glob(os.path.join(SHARED, "zoo*/cases/*/build.log*"))):
        case = os.path.basename(os.path.dirname(path))
        if case.endswith(".names"):     # one region, whose tensors are those of the network
            continue
        yield case.split(".")[0], case, f"{os.path.dirname(path)}/model.onnx,{path}", path


def main():
    alike, wires, derived = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for group, name, words, path in itertools.chain(fixture_pairs(folder), () if QUICK else shared_pairs()):
            build = words, tensors_of(path)
            wires += compare(name, build, build, True)
            derived += check_snapshot(name, folder, build)
            for before, old in alike.get(group, []):
                wires += compare(f"{before} against {name}", old, build, False)
            alike.setdefault(group, []).append((name, build))
    count = sum(len(builds) for builds in alike.values())
    print(f"{count} builds, {wires} wires, {derived} derived of snapshots; {len(failures)} failures")
    check("there were wires", wires > (100 if QUICK or not os.path.isdir(SHARED) else 20000) and derived > 30)
    sys.exit(1 if failures else 0)


main()
