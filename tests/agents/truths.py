"""Questions about real builds, with the facts of their answers, worked out from model and dump alone.

Each kind draws its questions by a seed, in turn over the engines, so that no family has more than its share.  Nothing here
starts the program: ONNX is read by the onnx package, dumps and logs by tests/proof and tests/zoo."""
import csv
import glob
import itertools
import json
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("proof", "builder", "zoo")]
import dump as dumps  # noqa: E402
import recompute  # noqa: E402
from layers import Layers  # noqa: E402
from model import Model  # noqa: E402
from nodes import Names  # noqa: E402

GROUPS = ("corpus", "zoo/cases", "zoo-2/cases", "zoo-4/cases")
MOVERS = {"reformat", "copy", "quantize"}
EACH = 16
# Operators that a fusion is about: what computes, and neither shapes, quantizers nor constants.
CORE = {"Conv", "ConvTranspose", "MatMul", "Gemm", "Add", "Mul", "Sub", "Div", "Relu", "Sigmoid", "Softmax", "LayerNormalization", "InstanceNormalization",
        "BatchNormalization", "MaxPool", "AveragePool", "GlobalAveragePool", "Erf", "Tanh", "Clip", "Pow", "Sqrt", "Exp", "ReduceMean", "Gelu", "LSTM", "GRU"}

# What a reader must find for each of the builder's rules about attentions.
REASONS = {
    "type": r"FP32", "width": r"head size is \d{3}", "between": r"between the scores", "axis": r"Softmax along axis", "token": r"one query and one key",
    "single": r"batch size times the number of heads is 1\b", "head": r"head size is \d\b", "sizes": r"K has head size \d+ and V has head size \d+", "broadcast": r"K or V has one head",
    "output": r"output of the network", "part-quantized": r"some of Q, K, V", "int8": r"INT8", "fp8": r"FP8",
    "behind": r"between the Softmax and its quantizer", "shared": r"reads the queries or the keys",
}


class Question:
    """`facts`: each a list of patterns, one of which must stand in the answers; `calls`: what an agent asks, in turn."""

    def __init__(self, kind, text, facts, calls):
        self.kind, self.text, self.facts, self.calls = kind, text, facts, calls


def words(*texts):
    """Patterns of these texts as whole words."""
    return [r"(?<![\w.])" + re.escape(t) + r"(?![\w])" for t in texts if t]


def node_words(model, indices):
    """A node by its name, or by its number where it has none."""
    found = []
    for i in indices:
        node = model.nodes[i]
        found += words(node.name) if node.name else [rf"(node +|#){i}\b"]
    return found


class Build:
    """A model and the dump of its engine, read without the program."""

    def __init__(self, shared, path):
        self.path, folder = path, os.path.join(shared, path)
        engine = next((f for f in sorted(glob.glob(os.path.join(folder, "*"))) if os.path.basename(f).startswith(("engine.graph", "build.log"))), None)
        self.engine = engine
        read = dumps.of_json(engine) if engine.endswith(".json") else dumps.of_text(dumps.truth.lines_of(engine))
        self.dump = dumps.Dump(engine, [layer.name for layer in read])
        self.model = Model(os.path.join(folder, "model.onnx"))
        self.names = Names(self.model, self.dump, self.model.nodes)
        self.layers = Layers(self.model, self.dump, self.names, [set(p) for p in self.names.parts])

    def nodes(self, layer):
        """The nodes of the main graph that the dump says the layer computes."""
        found = self.names.metadata[layer] or self.names.parts[layer]
        return sorted(i for i in found if not self.model.nodes[i].scope)

    def movers(self):
        return [i for i, kind in enumerate(self.layers.kinds) if kind in MOVERS and self.dump.layers[i].type not in ("NoOp", "noop")]

    def side(self, layer, back):
        """Patterns for what is before or behind a layer: nodes of the next layers that have some, or the network's tensor."""
        seen, queue, found = {layer}, [layer], []
        while queue:
            ports = self.dump.layers[queue.pop()]
            peers = {k for p in (ports.ins if back else ports.outs) for k in (self.dump.writers if back else self.dump.readers).get(p.name, [])}
            for k in sorted(peers - seen):
                seen.add(k)
                nodes = self.nodes(k)
                found += node_words(self.model, nodes)
                if not nodes or self.layers.kinds[k] in MOVERS:
                    queue.append(k)
        border = {p.name for p in (self.dump.layers[layer].ins if back else self.dump.layers[layer].outs)}
        found += words(*(border & set(self.model.inputs if back else self.model.outputs)))
        return found

    def readers(self, layer):
        """Patterns for the model's consumers of what stands before a layer, which itself may be in no layer's list, as a Concat."""
        found = set()
        for port in self.dump.layers[layer].ins:
            for k in self.dump.writers.get(port.name, []):
                found |= {r for i in self.nodes(k) for r in self.model.next_of(i)}
        return node_words(self.model, sorted(found))

    def change(self, layer):
        """Patterns for the change of type that a layer makes; None: it makes none, or the dump leaves it open."""
        ends = self.dump.layers[layer].ends()
        if not ends or None in (ends[0].type, ends[1].type) or ends[0].type == ends[1].type:
            return None
        return [rf"{ends[0].type}\b[^\n]*-> {ends[1].type}\b"]


def builds_of(shared):
    """Paths of builds with a model and an engine whose dump states layers."""
    found = []
    for group in GROUPS:
        for folder in sorted(glob.glob(os.path.join(shared, group, "*", ""))):
            names = os.listdir(folder)
            if "model.onnx" in names and any(n.startswith(("engine.graph", "build.log")) for n in names) and not folder.rstrip("/").endswith(".names"):
                found.append(os.path.relpath(folder, shared))
    return found


class Drawer:
    def __init__(self, shared, seed):
        self.shared, self.random, self.cache = shared, random.Random(seed), {}
        self.all = builds_of(shared)

    def build(self, path):
        if path not in self.cache:
            try:
                self.cache[path] = Build(self.shared, path)
            except Exception:  # a dump that these readers do not know
                self.cache[path] = None
        return self.cache[path]

    def turns(self, kind):
        """Builds in a random order, one of each folder of shared/ in turn."""
        rng = random.Random(f"{self.random.random()} {kind}")
        by_group = [[p for p in self.all if p.startswith(g + "/")] for g in GROUPS]
        for group in by_group:
            rng.shuffle(group)
        while any(by_group):
            for group in by_group:
                if group:
                    yield group.pop()

    def take(self, kind, draw):
        found = []
        for path in self.turns(kind):
            build = self.build(path)
            question = draw(build, len(found)) if build else None
            if question:
                found.append(question)
            if len(found) == EACH:
                break
        return found

    # Why is layer N there?

    def why(self):
        def draw(build, n):
            movers = build.movers()
            computing = [i for i in range(len(build.dump.layers)) if build.layers.kinds[i] == "compute" and build.nodes(i)]
            if n % 2 == 0 and movers:
                layer = self.random.choice(movers)
                facts = [f for f in (build.change(layer), build.side(layer, True), build.side(layer, False)) if f]
            elif computing:
                layer = self.random.choice(computing)
                nodes = build.nodes(layer)
                facts = [node_words(build.model, [i]) for i in sorted(self.random.sample(nodes, min(4, len(nodes))))]
            else:
                return None
            calls = [("explain", {"build": build.path, "layer": str(layer)}), "page", "page"]
            return Question("why", f"{build.path}: why is layer {layer} there?", facts, calls) if facts else None
        return self.take("why", draw)

    # Which layers move data, and what removes them?

    def moves(self):
        def draw(build, n):
            movers = build.movers()
            if not movers:
                return None
            facts = []
            for layer in sorted(self.random.sample(movers, min(3, len(movers)))):
                facts.append([rf"layers? [^\n]*\b{layer}\b"])
                served = build.side(layer, False) + node_words(build.model, build.nodes(layer)) + build.readers(layer)
                facts += [f for f in (build.change(layer), served) if f]
            facts += self._removed(build, movers)
            calls = [("report", {"build": build.path, "view": "reformats"}), "page", "page"]
            return Question("moves", f"{build.path}: which layers move data, and what removes them?", facts, calls)
        return self.take("moves", draw)

    @staticmethod
    def _removed(build, movers):
        """What model and dump prove would remove one: a format at the network's input; a Q/DQ pair on the second input of an Add,
        whose other reader is quantized."""
        model, facts = build.model, []
        for layer in movers:
            ports = build.dump.layers[layer].ins
            if ports and ports[0].name in model.inputs and build.layers.kinds[layer] == "quantize":
                facts.append([rf"quantize the network input `?\"?{re.escape(ports[0].name)}"])
        for layer in movers:
            quantizers = [model.nodes[i] for i in build.nodes(layer) if "Quantize" in model.nodes[i].op]
            for q in quantizers:
                adds = [model.nodes[r] for r in model.readers.get(q.inputs[0], []) if model.nodes[r].op == "Add"]
                if adds and build.layers.kinds[layer] == "quantize":
                    facts.append([rf"(add|pair)[^\n]*{re.escape(adds[0].name)}"])
                    return facts
        return facts

    # What changed between two builds, and why?

    def changes(self):
        pairs = []
        for path in self.all:
            base = re.sub(r"\.(v1\.\d|sm\d+)$", "", path)
            if base != path and base in self.all:
                pairs.append((base, path) if self.random.random() < .5 else (path, base))
        resnets = [p for p in self.all if p.startswith("corpus/resnet18") and p.endswith("trt8.4")]
        pairs += [tuple(self.random.sample(resnets, 2)) for _ in range(6)]
        self.random.shuffle(pairs)
        pairs = [p for turn in itertools.zip_longest(*([p for p in pairs if p[0].startswith(g + "/")] for g in GROUPS)) for p in turn if p]
        found = []
        for old, new in dict.fromkeys(pairs):
            a, b = self.build(old), self.build(new)
            if a and b and len(found) < EACH:
                found.append(Question("changes", f"what changed from {old} to {new}, and why?", self._differences(a, b),
                                      [("compare", {"old": old, "new": new}), "page", "page"]))
        return found

    def _differences(self, a, b):
        facts = [[rf"\b{len(a.dump.layers)} layers[^~]*\b{len(b.dump.layers)} layers|\b{len(a.dump.layers)} -> {len(b.dump.layers)}\b"]]
        versions = [self._case(x).get("version") for x in (a, b)]
        if None not in versions and versions[0] != versions[1]:     # a log shows them only as "1.4 or earlier", "1.6 or later"
            facts += [[r"\.".join(v.split(".")[:2]) + r"\b", *([r"1\.6 or later"] if v > "1.6" else [])] for v in versions]
        quantizers = [sum(n.op == "QuantizeLinear" for n in x.model.nodes) for x in (a, b)]
        if quantizers[0] != quantizers[1]:
            facts.append([rf"\b{abs(quantizers[1] - quantizers[0])}\b[^\n]*(Q/DQ|Quantize)", r"quantiz"])
        if a.model.names.keys() == b.model.names.keys():     # the same export: names mean the same
            for one, other in ((a, b), (b, a)):
                facts += self._regrouped(one, other)
        return facts

    def _regrouped(self, one, other):
        """Of the kernels whose nodes no kernel of the other build has alone: of each sort one is named, of four sorts at most."""
        groups = [{frozenset(n.name for n in map(x.model.nodes.__getitem__, x.nodes(k)) if n.op in CORE)
                   for k in range(len(x.dump.layers)) if x.layers.kinds[k] == "compute"} for x in (one, other)]
        op = {n.name: n.op for n in one.model.nodes}
        sorts = {}
        for group in groups[0] - groups[1] - {frozenset()}:
            sorts.setdefault(tuple(sorted(op[n] for n in group)), set()).update(group)
        return [words(*sorted(sorts[s])) for s in self.random.sample(sorted(sorts), min(2, len(sorts)))]

    def _case(self, build):
        path = os.path.join(self.shared, build.path, "case.json")
        return json.load(open(path, encoding="utf-8")) if os.path.exists(path) else {}

    # Which attention is not fused, and why?

    def attentions(self):
        def draw(build, n):
            if build.engine.endswith(".json"):
                return None
            model, kernels = recompute.Model(os.path.join(self.shared, build.path, "model.onnx")), recompute.kernels(build.engine)
            blocks = [b for b in self._blocks(model) if not any(b["core"] <= nodes for nodes, *_ in kernels)]
            if not blocks:
                return None
            block = self.random.choice(blocks)
            rules = recompute.rules(model, block, kernels)
            if rules is None:
                return None
            rules = sorted(r.partition("/")[2] for r in rules)
            facts = [words(*block["core"])] + ([[REASONS[r]] for r in rules] or [[r"no known reason"]])
            layers = sorted(k for k, (nodes, *_) in enumerate(kernels) if nodes & block["core"] and build.layers.kinds[k] == "compute")
            facts += [[rf"\b{k}\b"] for k in layers[:3]]
            softmax = next(m.name for m in block["softmax"])
            at = next(i for i, m in enumerate(model.graph.node) if m.name == softmax)
            return Question("attention", f"{build.path}: why is the attention of {softmax} not one kernel?", facts,
                            [("patterns", {"build": build.path}), ("explain", {"build": build.path, "node": f"#{at}"}), "page"])
        return self.take("attention", draw)

    @staticmethod
    def _blocks(model):
        """Softmaxes between two MatMuls, with what stands between them."""
        through = {"Mul", "Div", "Add", "Sub", "Where", "Cast", "Reshape", "Transpose", "Dropout", "Identity", "QuantizeLinear", "DequantizeLinear", "Unsqueeze",
                   "Squeeze"}
        order = {n.output[0]: i for i, n in enumerate(model.graph.node)}

        def walk(start, step):
            seen, queue = [], [start]
            for node in queue:
                for other in step(node):
                    if other.op_type == "MatMul":
                        return seen, other
                    if other.op_type in through and other not in seen and len(seen) < 12:
                        seen.append(other)
                        queue.append(other)
            return seen, None

        for softmax in (n for n in model.graph.node if n.op_type == "Softmax"):
            before, first = walk(softmax, lambda n: [model.producer[t] for t in n.input if t in model.producer])
            behind, last = walk(softmax, lambda n: model.readers[n.output[0]])
            if first is None or last is None or not softmax.name:
                continue
            nodes = [n for n in (first, *before, softmax, *behind, last) if n.op_type not in ("QuantizeLinear", "DequantizeLinear")]
            yield {"nodes": sorted({order[n.output[0]] for n in nodes}), "softmax": [softmax],
                   "core": {n.name or "node_of_" + n.output[0] for n in (first, softmax, last)}}

    # Which node is wrong?

    def wrong(self):
        with open(os.path.join(self.shared, "builder", "refused_zoo.tsv"), encoding="utf-8") as file:
            rows = [r for r in csv.DictReader(file, delimiter="\t") if r["node"] not in ("", "?")]
        self.random.shuffle(rows)
        found = []
        for row in rows[:EACH]:
            path = next(p for p in (f"{z}/failed/{row['case']}" for z in ("zoo", "zoo-2", "zoo-4")) if os.path.isdir(os.path.join(self.shared, p)))
            found.append(Question("wrong", f"{path}: which node makes the build fail?", [words(row["node"]) + [rf"\b{re.escape(row['node'])}\b"]],
                                  [("report", {"build": path}), "page", ("lint", {"build": path})]))
        return found

    def questions(self):
        return [q for kind in (self.why, self.moves, self.changes, self.attentions, self.wrong) for q in kind()]
