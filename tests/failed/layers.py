#!/usr/bin/python3
"""Which node a layer without a name is of:  layers.py BINARY [../shared] [--bars] [-v]

Models with several loops, branches and recurrent operators among others are drawn and parsed; the network's length at
each line of the log states by which node each layer was added.  Of each layer without a name the program gets the log
and a message that names it, "(Unnamed Layer* 9) [Recurrence]: ...", and must name its node: alone, or as one of at most
ten.  With ../shared so for the models of the zoos.  Runs in the judges' virtual environment (tests/conformance/venv).
--bars fails where a wrong node is named, or where one layer of loops in ten is not found.
"""
import collections
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LOOPS = re.compile(r"\[(Recurrence|LoopOutput|Iterator|TripLimit|IfCondition)\]")
LEAST = .9
DRAWN = 24
MOST_ASKED = {"drawn": 40, "zoo": 8}  # layers of a model


# ------------------------------------------------------------------------------------------------------------- drawn

class Draw:
    """A chain of operators on a tensor of [STEPS, BATCH, WIDTH]."""
    STEPS, BATCH, WIDTH = 5, 2, 8

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.x = [], [], "x"

    def constant(self, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def weights(self, *shape):
        return self.constant(self.random.standard_normal(shape).astype(np.float32))

    def op(self, kind, *reads, outputs=1, **attributes):
        name = f"/{kind.lower()}_{len(self.nodes)}"
        made = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(reads), made, name=name, **attributes))
        return made

    def body(self, nodes, reads, made):
        def value(name, kind=TensorProto.FLOAT, shape=None):
            return helper.make_tensor_value_info(name, kind, shape)
        shape = [self.STEPS, self.BATCH, self.WIDTH]
        kinds = {"i": (TensorProto.INT64, []), "c": (TensorProto.BOOL, []), "co": (TensorProto.BOOL, [])}
        return helper.make_graph(nodes, "body", [value(n, *kinds.get(n, (TensorProto.FLOAT, shape))) for n in reads],
                                 [value(n, *kinds.get(n, (TensorProto.FLOAT, shape))) for n in made])

    def loop(self):
        at, states = f"b{len(self.nodes)}_", int(self.random.integers(1, 4))
        nodes = [helper.make_node("Identity", ["c"], ["co"], name=at + "c")]
        for k in range(states):
            nodes.append(helper.make_node(str(self.random.choice(["Tanh", "Sin", "Softmax"])), [f"{at}s{k}"], [f"{at}o{k}"],
                                          name=f"{at}{k}"))
        body = self.body(nodes, ["i", "c", *(f"{at}s{k}" for k in range(states))], ["co", *(f"{at}o{k}" for k in range(states))])
        count, true = self.constant(np.int64(self.random.integers(2, 6))), self.constant(np.bool_(True))
        return self.op("Loop", count, true, *[self.x] * states, outputs=states, body=body)

    def scan(self):
        at = f"b{len(self.nodes)}_"

        def value(name):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, [self.BATCH, self.WIDTH])
        nodes = [helper.make_node("Add", [at + "s", at + "e"], [at + "t"], name=at + "add"),
                 helper.make_node("Tanh", [at + "t"], [at + "u"], name=at + "tanh")]
        body = helper.make_graph(nodes, "body", [value(at + "s"), value(at + "e")], [value(at + "t"), value(at + "u")])
        first = self.op("ReduceMax", self.x, axes=[0], keepdims=0)[0]
        return self.op("Scan", first, self.x, outputs=2, body=body, num_scan_inputs=1)[1:]

    def branch(self):
        at = f"b{len(self.nodes)}_"
        bodies = [self.body([helper.make_node(kind, [self.x], [at + kind], name=at + kind)], [], [at + kind])
                  for kind in ("Relu", "Tanh")]
        sum_ = self.op("ReduceSum", self.x, keepdims=0)[0]
        return self.op("If", self.op("Greater", sum_, self.constant(np.float32(0)))[0], then_branch=bodies[0],
                       else_branch=bodies[1])

    def recurrent(self):
        kind = str(self.random.choice(["LSTM", "GRU", "RNN"]))
        gates, both = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind], bool(self.random.integers(2))
        width, ways = self.WIDTH // (2 if both else 1), 2 if both else 1
        reads = [self.x, self.weights(ways, gates * width, self.WIDTH), self.weights(ways, gates * width, width)]
        reads.append(self.weights(ways, 2 * gates * width) if self.random.integers(2) else "")
        reads.append(self.constant(np.full(self.BATCH, self.STEPS - 1, np.int32)) if not self.random.integers(4) else "")
        if self.random.integers(2):
            reads.append(self.constant(np.zeros((ways, self.BATCH, width), np.float32)))
        y = self.op(kind, *reads, outputs=int(self.random.integers(1, 3)), hidden_size=width,
                    direction="bidirectional" if both else "forward")[0]
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])[0]
        return self.op("Reshape", y, self.constant(np.array([self.STEPS, self.BATCH, self.WIDTH], np.int64)))

    def plain(self):
        def matmul():
            return self.op("MatMul", self.x, self.weights(self.WIDTH, self.WIDTH))

        def add():
            return self.op("Add", self.x, self.weights(self.WIDTH))

        def norm():
            axes = [self.weights(self.BATCH) for _ in range(3)]
            return self.op("BatchNormalization", self.x, *axes, self.constant(np.ones(self.BATCH, np.float32)))
        kinds = [matmul, add, norm, *(lambda k=k: self.op(k, self.x) for k in ("Relu", "Erf", "Softmax", "Identity"))]
        return kinds[self.random.integers(len(kinds))]()

    def model(self):
        kinds = [self.loop, self.scan, self.branch, self.recurrent, self.recurrent, self.loop]
        for _ in range(int(self.random.integers(4, 8))):
            for _ in range(int(self.random.integers(4))):
                self.x = self.plain()[0]
            self.x = kinds[self.random.integers(len(kinds))]()[0]
        value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [self.STEPS, self.BATCH, self.WIDTH])
        last = helper.make_tensor_value_info(self.x, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "g", [value], [last], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


# ------------------------------------------------------------------------------------------------------------- parsed

def parse(trt, model):
    """The log, and of each layer of the network its name and the node that added it; None: the parser rejects it."""
    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)
            self.lines, self.network = [], None

        def log(self, severity, message):
            letter = {"ERROR": "E", "WARNING": "W", "INFO": "I"}.get(severity.name, "V")
            self.lines.append((self.network.num_layers if self.network else 0, letter, message))
    logger = Logger()
    builder = trt.Builder(logger)
    network = logger.network = builder.create_network(0)
    if not trt.OnnxParser(network, logger).parse(model.SerializeToString()):
        return None
    owner, stack = [], []
    for n, _, message in logger.lines:
        owner += [stack[-1] if stack else None] * (n - len(owner))
        if message.startswith("Parsing node: "):
            stack.append(message[len("Parsing node: "):])
        elif stack and message.startswith(stack[-1] + " outputs: "):
            stack.pop()
    log = "".join(f"[01/01/2026-00:00:00] [TRT] [{letter}] {message}\n" for _, letter, message in logger.lines)
    names = [network.get_layer(i).name for i in range(network.num_layers)]
    return log, list(zip(names, owner))


def named(binary, folder, model, log, layer):
    """The nodes that the program names for a message about the layer."""
    path, text = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.log")
    onnx.save(model, path)
    with open(text, "w", encoding="utf-8") as out:
        out.write(log + "[01/01/2026-00:00:00] [TRT] [E] IBuilder::buildSerializedNetwork: Error Code 4: API Usage Error ("
                  f"{layer}: inputs must have the same shape. In validate at layers.cpp:1)\n")
    done = subprocess.run([binary, path, text, "-f", "json"], capture_output=True, text=True, check=False)
    return [f"{n.get('name', '')} [{n['op']}]" for n in json.loads(done.stdout)["nodes"]]


def zoo(shared):
    spec = importlib.util.spec_from_file_location("build_engine", os.path.join(shared, "zoo", "build_engine.py"))
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for path in sorted(glob.glob(os.path.join(shared, "zoo*", "cases", "*", "model.onnx"))):
        case = path.split(os.sep)[-2]
        if "." not in case:
            model = onnx.load(path, load_external_data=False)
            tool.fill(model, 7)
            yield case, model


def judge(owner, nodes):
    if not nodes:
        return "unknown"
    return "wrong" if owner not in nodes else "exact" if len(nodes) == 1 else "one of several"


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("-")]
    if not args:
        sys.exit(__doc__)
    try:
        import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
        import tensorrt_rtx_bindings as trt
    except ImportError:
        print("TensorRT for RTX is not there: skipped")
        sys.exit(77)
    models = [(f"drawn {seed}", Draw(seed).model()) for seed in range(DRAWN)]
    if len(args) > 1 and os.path.isdir(os.path.join(args[1], "zoo")):
        models += zoo(args[1])
    counts = {"loops": collections.Counter(), "others": collections.Counter()}
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models:
            parsed = parse(trt, model)
            if not parsed:
                print(f"{name}: the parser rejects it")
                continue
            log, layers = parsed
            asked = [(layer, owner) for layer, owner in layers if layer.startswith("(Unnamed Layer* ") and owner]
            for layer, owner in asked[::max(1, len(asked) // MOST_ASKED["drawn" if name.startswith("drawn") else "zoo"])]:
                nodes = named(os.path.abspath(args[0]), folder, model, log, layer)
                verdict = judge(owner, nodes)
                counts["loops" if LOOPS.search(layer) else "others"][verdict] += 1
                if verdict == "wrong" or "-v" in sys.argv:
                    print(f"{name}: {layer} is of {owner}, {verdict}: {', '.join(nodes)}")
    for kind, of in counts.items():
        print(f"layers of {kind}: " + ", ".join(f"{n} {verdict}" for verdict, n in of.most_common()))
    loops = counts["loops"]
    found = loops["exact"] + loops["one of several"]
    wrong = sum(of["wrong"] for of in counts.values())
    sys.exit("--bars" in sys.argv and (wrong > 0 or found < LEAST * sum(loops.values())))


if __name__ == "__main__":
    main()
