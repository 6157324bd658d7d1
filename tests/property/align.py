#!/usr/bin/python3
"""Alignment is never wrong: mutated re-exports of real models.

    align.py BINARY MODELS [SEEDS]

Each model of the folder MODELS gets an engine that names its nodes, one a layer, so that
only the alignment is looked at.  A copy of it has every name changed, and then nodes put
in, taken out or changed.  A node that is aligned must be aligned to its own copy, or to
one that nobody could tell from it: with the same operator, attributes and weight shape
and, seen from the network's inputs or from its outputs, the same way there.
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

BINARY, MODELS = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3


def write(model, path):
    """The model, and an engine of which only the layers' names are known."""
    onnx.save(model, path + ".onnx")
    skip = {"Constant"}
    layers = [n.name for n in model.graph.node if n.op_type not in skip and n.name]
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({"Layers": layers, "Bindings": [p.name for p in model.graph.input] +
                   [p.name for p in model.graph.output]}, file)
    return f"{path}.onnx,{path}.json"


def rename(model):
    """Other names everywhere but at the network's ports.  @return new name: old name"""
    ports = {p.name for p in list(model.graph.input) + list(model.graph.output)}
    tensors, back = {}, {}
    for i, node in enumerate(model.graph.node):
        back[f"k{i}"] = node.name
        node.name = f"k{i}"
    def other(name):
        if not name or name in ports:
            return name
        return tensors.setdefault(name, f"v{len(tensors)}")
    def walk(graph):
        for node in graph.node:
            node.input[:] = [other(x) for x in node.input]
            node.output[:] = [other(x) for x in node.output]
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    walk(attribute.g)
        for part in (graph.initializer, graph.value_info):
            for item in part:
                item.name = other(item.name)
    walk(model.graph)
    return back


def put_in(model, rng, back):
    """A Tanh between a node and those that read it."""
    outputs = {p.name for p in model.graph.output}
    at = rng.randrange(len(model.graph.node))
    out = model.graph.node[at].output[0]
    if out in outputs or model.graph.node[at].op_type in ("Constant", "Shape"):
        return
    name = f"new{len(back)}"
    node = onnx.helper.make_node("Tanh", [out], [name + "_out"], name)
    back[name] = None
    for other in model.graph.node:
        other.input[:] = [name + "_out" if x == out else x for x in other.input]
    model.graph.node.insert(at + 1, node)


def repeat(model, rng, back):
    """A node of one data input twice in a row."""
    at = rng.randrange(len(model.graph.node))
    node = model.graph.node[at]
    if node.op_type not in ("Relu", "Clip", "Sigmoid", "Conv", "LayerNormalization", "Softmax"):
        return
    twin = onnx.NodeProto()
    twin.CopyFrom(node)
    twin.name = f"new{len(back)}"
    back[twin.name] = None
    twin.input[0] = node.output[0]
    twin.output[:] = [twin.name + "_out"]
    for other in model.graph.node:
        if other.name != twin.name:
            other.input[:] = [twin.output[0] if x == node.output[0] else x for x in other.input]
    for out in model.graph.output:
        if out.name == node.output[0]:
            return
    model.graph.node.insert(at + 1, twin)


def take_out(model, rng, back):
    """A node that hands on what it reads."""
    outputs = {p.name for p in model.graph.output}
    at = rng.randrange(len(model.graph.node))
    node = model.graph.node[at]
    if node.op_type not in ("Relu", "Clip", "Add", "Mul", "Sigmoid", "Cast", "Tanh", "Conv", "MatMul") or \
            node.output[0] in outputs:
        return
    for other in model.graph.node:
        other.input[:] = [node.input[0] if x == node.output[0] else x for x in other.input]
    del model.graph.node[at]


def change(model, rng, back):
    """Another attribute."""
    convs = [n for n in model.graph.node if n.op_type in ("Conv", "MaxPool", "Softmax")]
    if not convs:
        return
    node = rng.choice(convs)
    for attribute in node.attribute:
        if attribute.name == "strides":
            attribute.ints[0] += 1
        elif attribute.name == "axis":
            attribute.i += 7


# ----------------------------------------------------- who could be told from whom

THROUGH = {"QuantizeLinear", "DequantizeLinear", "BatchNormalization", "Identity", "Cast", "Dropout",
           "Reshape", "Flatten", "Squeeze", "Unsqueeze"}


def digest(*parts):
    return hashlib.sha1(repr(parts).encode()).hexdigest()[:16]


def ways(model):
    """By node: the way from the inputs and the way to the outputs, written down."""
    made = {out: node for node in model.graph.node for out in node.output}
    shapes = {i.name: tuple(i.dims) for i in model.graph.initializer}
    number = {p.name: i for i, p in enumerate(model.graph.input)}
    label, before, users = {}, {}, collections.defaultdict(list)

    def see(tensor):
        """Through what neither counts nor has a place of its own; the model is acyclic."""
        while tensor in made and made[tensor].op_type in THROUGH:
            tensor = made[tensor].input[0]
        return tensor

    for node in model.graph.node:
        weight = shapes.get(see(node.input[1])) if len(node.input) > 1 else None
        label[node.name] = digest(node.op_type, sorted(
            a.SerializeToString() for a in node.attribute if a.name in ("strides", "kernel_shape", "axis", "perm")),
            weight)
        seen = []
        for slot, tensor in enumerate(node.input):
            source = see(tensor)
            if source in made:
                out = list(made[source].output).index(source)
                seen.append((slot, out, before.get(made[source].name)))
                users[made[source].name].append((node.name, slot, out))
            elif source in number:
                seen.append((slot, "input", number[source]))
        if node.op_type in ("Add", "Mul"):
            seen = sorted(x[1:] for x in map(str, seen))
        before[node.name] = digest(label[node.name], seen)
    live = set()
    wanted = [p.name for p in model.graph.output]
    while wanted:
        node = made.get(wanted.pop())
        if node is not None and node.name not in live:
            live.add(node.name)
            wanted.extend(node.input)
    behind = {}
    ends = collections.defaultdict(list)
    for i, port in enumerate(model.graph.output):
        source = see(port.name)
        if source in made:
            ends[made[source].name].append(i)
    for node in reversed(model.graph.node):
        behind[node.name] = digest(label[node.name], ends[node.name], sorted(
            (behind.get(n), slot, out) for n, slot, out in users[node.name] if n in live))
    return label, before, behind


def check(path, seed, folder):
    rng = random.Random(seed)
    model = onnx.load(path, load_external_data=False)
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"unnamed{i}"
    old = write(model, os.path.join(folder, "old"))
    truth_old = ways(model)
    back = rename(model)
    for _ in range(seed % 4):
        rng.choice([put_in, repeat, take_out, change])(model, rng, back)
    new = write(model, os.path.join(folder, "new"))
    truth_new = ways(model)
    done = subprocess.run([BINARY, "compare", old, new, "-f", "json", "--force"], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        print(f"FAILED {path} {seed}: {done.stderr.strip()}")
        return None
    pairs = [p for p in json.loads(done.stdout)["aligned"] if p["role"] == "core"]
    wrong, alike = [], 0
    for p in pairs:
        a, b = p["old"], p["new"]
        if "#" in a + b or back.get(b) == a:
            continue
        same_before = truth_old[1].get(a) == truth_new[1].get(b)
        same_behind = truth_old[2].get(a) == truth_new[2].get(b)
        if not (same_before or same_behind):
            wrong.append(p)
        alike += 1
    there = sum(back.get(n.name) is not None for n in model.graph.node)
    return len(pairs), there, wrong, alike - len(wrong)


def main():
    runs = aligned = alike = 0
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(MODELS)):
            if not name.endswith(".onnx"):
                continue
            for seed in range(SEEDS):
                result = check(os.path.join(MODELS, name), seed, folder)
                if result is None:
                    bad.append(name)
                    continue
                runs += 1
                aligned += result[0]
                alike += result[3]
                if result[2]:
                    bad.append(name)
                    print(f"FAILED {name} seed {seed}: {len(result[2])} of {result[0]} wrong: {result[2][:4]}")
                if "-v" in sys.argv:
                    print(f"{name} seed {seed}: {result[0]} aligned of {result[1]} nodes")
    print(f"{runs} runs, {aligned} pairs, {alike} of them with a node that looks like the own copy, "
          f"{len(bad)} failures")
    sys.exit(1 if bad else 0)


try:
    import onnx
except ImportError:
    print("no onnx for Python: skipped")
    sys.exit(77)
if not os.path.isdir(MODELS):
    print(f"no {MODELS}: skipped")
    sys.exit(77)
main()
