"""twins.py BINARY FOLDER [--sample N] [--seed S]: ten networks in seven precisions each, built by TensorRT for RTX, and
every model with the engine of its twin in another precision.

A wrong pair must not be silent: it is refused or doubted, if the twins' logs differ in the nodes that were parsed, in the
types of weights, or in those of inputs and outputs.  Pairs of which the logs differ in none of these are listed.  No right
pair is doubted.  --sample asks N wrong pairs, drawn with the seed, and builds what these need."""
import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys

import numpy as np
from onnx import TensorProto as T
from onnx import helper

import check

PRECISIONS = {"fp32": T.FLOAT, "fp16": T.FLOAT16, "bf16": T.BFLOAT16, "int8": T.FLOAT16, "fp8": T.FLOAT16, "int4": T.FLOAT16,
              "nvfp4": T.FLOAT16}
CAPABILITY = {"nvfp4": "SM120"}
WIDE, ROWS = 64, 16


class Net:
    """A network in one precision: quantizers stand before each product, or before its weight alone."""

    def __init__(self, precision):
        self.precision, self.type = precision, PRECISIONS[precision]
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(7)

    def const(self, type_, dims, values):
        name = f"w{len(self.weights)}"
        self.weights.append(helper.make_tensor(name, type_, dims, values))
        return name

    def op(self, op, *inputs, name=None, **attributes):
        name = name or f"/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [f"{name}_out"], name=name, **attributes))
        return f"{name}_out"

    def numbers(self, *dims):
        return (self.random.standard_normal(dims) * 0.1).flatten().tolist()

    def scale(self):
        return self.const(self.type, [], [0.05])

    def rounded(self, x):
        """The activation through a pair of quantizers, in the precisions that have them."""
        narrow = {"int8": T.INT8, "fp8": T.FLOAT8E4M3FN}.get(self.precision)
        if narrow is None:
            return x
        scale, zero = self.scale(), self.const(narrow, [], [0])
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, scale, zero), scale, zero)

    def weight(self, *dims, blocks=True):
        """Blocks of rows have a scale each where weights alone are narrow: of products of matrices."""
        if self.precision in ("int8", "fp8"):
            return self.rounded(self.const(self.type, dims, self.numbers(*dims)))
        if self.precision not in ("int4", "nvfp4") or not blocks:
            return self.const(self.type, dims, self.numbers(*dims))
        size = 32 if self.precision == "int4" else 16
        narrow = T.INT4 if self.precision == "int4" else T.FLOAT4E2M1
        rows = [dims[0] // size, dims[1]]
        scale = self.const(self.type, rows, [0.05] * (rows[0] * rows[1]))
        if self.precision == "nvfp4":
            scale = self.const(T.FLOAT8E4M3FN, rows, [0.5] * (rows[0] * rows[1]))
            scale = self.op("DequantizeLinear", scale, self.scale())
        values = self.random.integers(-4, 5, dims[0] * dims[1]).tolist()
        return self.op("DequantizeLinear", self.const(narrow, dims, values), scale, axis=0, block_size=size)

    def dense(self, x, wide_in=WIDE, wide_out=WIDE):
        product = self.op("MatMul", self.rounded(x), self.weight(wide_in, wide_out))
        return self.op("Add", product, self.const(self.type, [wide_out], self.numbers(wide_out)))

    def conv(self, x, act="Relu", size=3):
        x = self.op("Conv", self.rounded(x), self.weight(WIDE, WIDE, size, size, blocks=False), kernel_shape=[size, size],
                    pads=[size // 2] * 4)
        return self.op(act, x) if act else x

    def norm(self, x):
        one = self.const(self.type, [WIDE], [1.0] * WIDE)
        return self.op("LayerNormalization", x, one, self.const(self.type, [WIDE], [0.0] * WIDE), axis=-1)

    def attention(self, x):
        q, k, v = (self.dense(x) for _ in range(3))
        weights = self.op("Softmax", self.op("MatMul", q, self.op("Transpose", k, perm=[0, 2, 1])), axis=-1)
        return self.dense(self.op("MatMul", weights, v))


NETWORKS = {
    "mlp": lambda n, x: n.dense(n.op("Relu", n.dense(x, WIDE, 128)), 128),
    "deep": lambda n, x: n.dense(n.op("Tanh", n.dense(n.op("Relu", n.dense(n.op("Relu", n.dense(x))))))),
    "gated": lambda n, x: n.dense(n.op("Mul", n.dense(x, WIDE, 128), n.op("Sigmoid", n.dense(x, WIDE, 128))), 128),
    "skip": lambda n, x: n.op("Add", x, n.dense(n.op("Relu", n.dense(x, WIDE, 128)), 128)),
    "normed": lambda n, x: n.dense(n.norm(n.op("Add", x, n.dense(n.norm(x))))),
    "attention": lambda n, x: n.op("Add", x, n.attention(n.norm(x))),
    "chain": lambda n, x: n.conv(n.conv(n.conv(x))),
    "residual": lambda n, x: n.op("Relu", n.op("Add", x, n.conv(n.conv(x), None))),
    "branches": lambda n, x: n.op("Concat", n.conv(x), n.conv(x, "Sigmoid", 1), axis=1),
    "pooled": lambda n, x: n.dense(n.op("Flatten", n.op("GlobalAveragePool", n.conv(n.conv(x))))),
}
IMAGES = ("chain", "residual", "branches", "pooled")


def draw(name, precision):
    """The model; None where no weight of the network has that precision."""
    net = Net(precision)
    out = NETWORKS[name](net, "x")
    if precision in ("int4", "nvfp4") and not any(node.op_type == "DequantizeLinear" for node in net.nodes):
        return None
    dims = [1, WIDE, ROWS, ROWS] if name in IMAGES else [1, ROWS, WIDE]
    graph = helper.make_graph(net.nodes, name, [helper.make_tensor_value_info("x", net.type, dims)],
                              [helper.make_tensor_value_info(out, net.type, None)], net.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


def build(folder, name, precision):
    """The folder of a twin with its model and log; None where there is none, or the builder refuses it."""
    case = os.path.join(folder, "twins", f"{name}.{precision}")
    model, log, refused = (os.path.join(case, f) for f in ("model.onnx", "build.log", "refused"))
    if os.path.exists(log) or os.path.exists(refused):
        return case if os.path.exists(log) else None
    proto = draw(name, precision)
    if proto is None:
        return None
    os.makedirs(case, exist_ok=True)
    with open(model, "wb") as file:
        file.write(proto.SerializeToString())
    done = subprocess.run([sys.executable, os.path.join(check.HERE, "build.py"), model, log + ".part",
                           "capability=" + CAPABILITY.get(precision, "SM89")], capture_output=True, text=True, check=False)
    os.rename(log + ".part", refused if done.returncode else log)
    if done.returncode:
        print(f"   {name} in {precision} is not built")
    return None if done.returncode else case


def shown(case):
    """What a log shows of the model: nodes, types of weights, types of what the network reads and writes."""
    with open(os.path.join(case, "build.log"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    nodes = tuple(sorted(set(re.findall(r"\] Parsing node: (\S+) \[", text))))
    constants = [re.findall(r"Datatype: (\w+)", part) for part in re.findall(r" Constants: \[(.*?)\], Outputs: ", text)]
    ports = re.findall(r"Adding network input: .*?dtype: (\w+)|Marking \S+ as output.*?dtype: (\w+)", text)
    return {"nodes": nodes, "weights": tuple(sorted(itertools.chain(*constants))), "ports": tuple(ports)}


def ask(binary, model, engine):
    done = subprocess.run([binary, os.path.join(model, "model.onnx"), os.path.join(engine, "build.log"), "-f", "json"],
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        return "refused"
    doubts = [f["rule"] for f in json.loads(done.stdout)["findings"] if f["rule"] in ("mapping/misfit", "log/other-model")]
    return "doubted" if doubts else "silent"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    pairs = [(name, a, b) for name in NETWORKS for a, b in itertools.permutations(PRECISIONS, 2)]
    if args.sample:
        pairs = random.Random(args.seed).sample(pairs, args.sample)
    twins = {(name, p): build(args.folder, name, p) for name, p in
             dict.fromkeys((name, p) for name, a, b in pairs for p in (a, b))}
    counts = {"refused": 0, "doubted": 0, "silent": 0}
    for key, case in twins.items():
        check.check(case is None or ask(args.binary, case, case) == "silent", f"{key}: the right pair is doubted")
    for name, a, b in pairs:
        model, engine = twins[name, a], twins[name, b]
        if not model or not engine:
            continue
        how = ask(args.binary, model, engine)
        counts[how] += 1
        if how == "silent":
            mine, others = shown(model), shown(engine)
            differ = [what for what in mine if mine[what] != others[what]]
            check.check(not differ, f"{name}: the model in {a}, the engine in {b}: nothing is said of other {', '.join(differ)}")
            if not differ:
                print(f"   {name}: the logs of {a} and {b} differ in no node and no type")
    print(f"{sum(case is not None for case in twins.values())} right pairs; wrong ones: "
          + ", ".join(f"{how} {n}" for how, n in counts.items()))
    return check.failures > 0


if __name__ == "__main__":
    sys.exit(main())
