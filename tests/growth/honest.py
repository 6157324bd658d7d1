"""The honest shapes of README.md: what networks, engines, logs and lists really look like, of any size.

Each network is a function of a size; it returns nodes, initializers and layers, which model() and engine() write.  Names,
kinds and tensors are those that TensorRT prints: of version 8 with the nodes in a layer's name, of version 10 with Metadata.
"""
import json
import os
import struct

import shapes
from large import field, varint
from shapes import attribute, node, text


def ints(name, values):
    return attribute(name, 7, b"".join(field(8, 0, varint(v)) for v in values))


def number(name, value):
    return attribute(name, 2, field(3, 0, varint(value)))


def weight(name, dims, fill, kind=1):
    """An initializer with values of its own."""
    n = 1
    for d in dims:
        n *= d
    data = struct.pack("<f", fill) * n if kind == 1 else b"".join(struct.pack("<q", v) for v in fill)
    return field(5, 2, b"".join(field(1, 0, varint(d)) for d in dims) + field(2, 0, varint(kind)) + text(8, name) +
                 field(9, 2, data))


def port(of, name, dims):
    shape = b"".join(field(1, 2, field(1, 0, varint(d))) for d in dims)
    return field(of, 2, text(1, name) + field(2, 2, field(1, 2, field(1, 0, varint(1)) + field(2, 2, shape))))


class Network:
    """Nodes and layers, in order."""

    def __init__(self, x, y):
        self.x, self.y = x, y                # name and dims of the input, dims of the output
        self.nodes, self.weights, self.layers, self.dims = [], [], [], {x[0]: x[1]}
        self.names = []

    def weight(self, name, dims, fill, kind=1):
        self.weights.append(weight(name, dims, fill, kind))
        return name

    def node(self, op, inputs, out, dims, extra=b""):
        """Adds a node that is named after its output; returns the output."""
        name = f"/{out.replace('.', '/')}/{op}"
        self.nodes.append(node(op, inputs, [out], name, extra))
        self.names.append(name)
        self.dims[out] = dims
        return out

    def layer(self, names, inputs, outputs, kind="kgen", metadata=True, precision="FP16"):
        each = shapes.layer(" + ".join(names) if not metadata else f"__myl_k{len(self.layers)}_myl0_{len(self.layers)}",
                            inputs, outputs, kind)
        for t in each["Inputs"] + each["Outputs"]:
            t["Dimensions"] = self.dims[t["Name"]]
            t["Format/Datatype"] = f"Row major linear {precision}" if precision == "FP32" else "Channel major FP16 format where channel % 8 == 0"
        if metadata:
            each["Metadata"] = shapes.metadata(names)
        self.layers.append(each)

    def made(self, since):
        return self.names[since:]


def end(net, last):
    """The network's output, which no layer may name otherwise."""
    since = len(net.names)
    net.node("Relu", [last], "y", net.dims[last])
    net.layer(net.made(since), [last], ["y"], metadata="Metadata" in net.layers[-1], precision="FP32")
    return net


def cnn(n):
    """A deep CNN: n residual blocks of two Convs, TensorRT 8, a Reformat before each tenth."""
    net, dims = Network(("x", [1, 8, 16, 16]), None), [1, 8, 16, 16]
    last = "x"
    for i in range(n):
        since, skip = len(net.names), last
        if i % 10 == 9:
            net.dims[f"b{i}.moved"] = dims
            net.layers.append(dict(shapes.layer(f"Reformatting CopyNode for Input Tensor 0 to /b{i}/c1/Conv", [last], [f"b{i}.moved"], "Reformat"),
                                   Origin="REFORMAT"))
            net.layers[-1]["Inputs"][0]["Dimensions"] = net.layers[-1]["Outputs"][0]["Dimensions"] = dims
        w = [net.weight(f"b{i}.w{k}", [8, 8, 3, 3], i + k / 2 + 1) for k in range(2)]
        pads = ints("pads", [1] * 4) + ints("kernel_shape", [3, 3])
        t = net.node("Relu", [net.node("Conv", [last, w[0]], f"b{i}.c1", dims, pads)], f"b{i}.r1", dims)
        net.layer(net.made(since), [f"b{i}.moved" if i % 10 == 9 else last], [t], "CaskConvolution", metadata=False)
        since = len(net.names)
        t = net.node("Conv", [t, w[1]], f"b{i}.c2", dims, pads)
        last = net.node("Relu", [net.node("Add", [t, skip], f"b{i}.sum", dims)], f"b{i}.r2", dims)
        net.layer(net.made(since), [f"b{i}.r1", skip], [last], "CaskConvolution", metadata=False)
    return end(net, last)


def transformer(n):
    """n transformer blocks of one head pair, kernels with Metadata."""
    tokens, width, heads = 4, 8, 2
    flat, split, turned = [1, tokens, width], [1, tokens, heads, width // heads], [1, heads, tokens, width // heads]
    net, last = Network(("x", flat), None), "x"
    net.weight("split", [4], [1, tokens, heads, width // heads], 7)
    net.weight("joined", [3], [1, tokens, width], 7)
    for name, value in (("scale", 0.5), ("root", 1.4142), ("one", 1.0), ("half", 0.25)):
        net.weight(name, [1], value)

    def kernel(since, inputs, out, kind="kgen"):
        net.layer(net.made(since), inputs, out, kind)

    def norm(i, k, t):
        w = [net.weight(f"b{i}.n{k}.{x}", [width], i + 1.5) for x in ("g", "b")]
        return net.node("LayerNormalization", [t, *w], f"b{i}.n{k}", flat)

    def product(i, k, t, dims=None):
        return net.node("MatMul", [t, net.weight(f"b{i}.w{k}", [width, width], i + 2.5)], f"b{i}.{k}", dims or flat)

    for i in range(n):
        begin, skip = len(net.names), last
        t = norm(i, 1, last)
        kernel(begin, [skip], [t])
        begin = len(net.names)
        qkv = [product(i, k, t) for k in "qkv"]
        kernel(begin, [t], qkv, "gemm")
        begin, operands = len(net.names), []
        for k, t, perm in zip("qkv", qkv, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])):
            t = net.node("Reshape", [t, "split"], f"b{i}.{k}.split", split)
            dims = [1, heads, width // heads, tokens] if k == "k" else turned
            operands.append(net.node("Transpose", [t], f"b{i}.{k}.turned", dims, ints("perm", perm)))
        square = [1, heads, tokens, tokens]
        t = net.node("MatMul", operands[:2], f"b{i}.scores", square)
        t = net.node("Softmax", [net.node("Mul", [t, "scale"], f"b{i}.scaled", square)], f"b{i}.weights", square, number("axis", 3))
        t = net.node("MatMul", [t, operands[2]], f"b{i}.mixed", turned)
        t = net.node("Reshape", [net.node("Transpose", [t], f"b{i}.back", split, ints("perm", [0, 2, 1, 3])), "joined"], f"b{i}.heads", flat)
        kernel(begin, qkv, [t])
        begin = len(net.names)
        o = product(i, "o", t)
        kernel(begin, [t], [o], "gemm")
        begin = len(net.names)
        total = net.node("Add", [o, skip], f"b{i}.sum", flat)
        t = norm(i, 2, total)
        kernel(begin, [o, skip], [total, t])
        begin = len(net.names)
        f = product(i, "f1", t)
        kernel(begin, [t], [f], "gemm")
        begin = len(net.names)
        e = net.node("Add", [net.node("Erf", [net.node("Div", [f, "root"], f"b{i}.g1", flat)], f"b{i}.g2", flat), "one"], f"b{i}.g3", flat)
        t = net.node("Mul", [net.node("Mul", [f, e], f"b{i}.g4", flat), "half"], f"b{i}.gelu", flat)
        kernel(begin, [f], [t])
        begin = len(net.names)
        f = product(i, "f2", t)
        kernel(begin, [t], [f], "gemm")
        begin = len(net.names)
        last = net.node("Add", [f, total], f"b{i}.out", flat)
        kernel(begin, [f, total], [last])
    return end(net, last)


def branches(n):
    """n branches of a Conv with weights of its own side by side, and their Concat: what a wide layer of parts is."""
    dims = [1, 8, 16, 16]
    net, ends = Network(("x", dims), None), []
    for i in range(n):
        since = len(net.names)
        t = net.node("Conv", ["x", net.weight(f"p{i}.w", [8, 8, 1, 1], i + 1)], f"p{i}.c", dims, ints("kernel_shape", [1, 1]))
        ends.append(net.node("Relu", [t], f"p{i}.r", dims))
        net.layer(net.made(since), ["x"], [ends[-1]], "CaskConvolution")
    since = len(net.names)
    last = net.node("Concat", ends, "joined", [1, 8 * n, 16, 16], number("axis", 1))
    net.layer(net.made(since), ends, [last])
    return end(net, last)


def rnn(n):
    """An RNN of n steps, unrolled: each reads its row of the input and the state before it."""
    width = 8
    net, rows = Network(("x", [n, width]), None), [1, width]
    u, w = net.weight("u", [width, width], 0.5), net.weight("w", [width, width], 0.25)
    last = net.weight("h0", [1, width], 0.125)
    for i in range(n):
        since = len(net.names)
        row = net.node("Gather", ["x", net.weight(f"at{i}", [1], [i], 7)], f"s{i}.row", rows, number("axis", 0))
        net.layer(net.made(since), ["x"], [row])
        since, before = len(net.names), last
        a = net.node("MatMul", [row, u], f"s{i}.in", rows)
        b = net.node("MatMul", [last, w], f"s{i}.state", rows)
        last = net.node("Tanh", [net.node("Add", [a, b], f"s{i}.sum", rows)], f"s{i}.h", rows)
        net.layer(net.made(since), [row] + ([before] if i else []), [last])
    return end(net, last)


# ------------------------------------------------------------------------------ the files of a build

class Build:
    """The files of a network and its engine in a folder, each written when it is asked for."""

    def __init__(self, folder, net, name):
        self.folder, self.net, self.name = folder, net, name
        self.model = self.write("model.onnx", self.onnx())
        self.engine = self.write("engine.json", self.dump(net.layers))

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path + ".part", "wb") as file:
                file.write(data if isinstance(data, bytes) else data.encode())
            os.rename(path + ".part", path)
        return path

    def onnx(self):
        net = self.net
        graph = b"".join(net.nodes) + text(2, "g") + b"".join(net.weights) + port(11, *net.x) + port(12, "y", net.dims["y"])
        return field(1, 0, varint(8)) + field(8, 2, field(2, 0, varint(17))) + field(7, 2, graph)

    def dump(self, layers):
        return '{"Layers": [' + ",\n".join(map(json.dumps, layers)) + '], "Bindings": ["x", "y"]}\n'

    @property
    def other(self):
        """The same network built anew: each tenth layer has another tactic and writes FP32."""
        layers = json.loads(json.dumps(self.net.layers))
        for each in layers[::10]:
            each["TacticValue"] = "0x0000000000000001"
            each["Outputs"][0]["Format/Datatype"] = "Row major linear FP32"
        return self.write("other.json", self.dump(layers))

    @property
    def profile(self):
        rows = [{"name": each["Name"], "timeMs": 1.5, "averageMs": 0.15 + i % 7 / 100, "medianMs": 0.15, "percentage": 1}
                for i, each in enumerate(self.net.layers)]
        return self.write("profile.json", json.dumps([{"count": 10}, *rows]))

    @property
    def times(self):
        return self.write("times.json", json.dumps([{"startH2dMs": i, "endD2hMs": i + 2.5, "latencyMs": 2.5, "computeMs": 2}
                                                    for i in range(len(self.net.layers))]))

    @property
    def log(self):
        return self.write("build.log", shapes.large.STAMP + "Engine Layer Information:\n" + "".join(map(shapes.log_line, self.net.layers)))

    @property
    def values(self):
        return self.write("values.csv", "name,error\n" + "".join(f'"{name}",0.{i % 9}1\n' for i, name in enumerate(self.net.names)))

    @property
    def names(self):
        return self.write("names.txt", "".join(name + "\n" for name in self.net.names))

    @property
    def policy(self):
        """An ignore for each tenth node, up to the most that a policy may have."""
        names = self.net.names[::10][:1000]
        return self.write("policy.ini", "".join(f"[ignore a{i}]\nrule = new-reformat\nreason = known\nnode = {name}\n" for i, name in enumerate(names)))

    def part(self, i, n):
        """The i-th of n engines that compute the network in turn."""
        size = -(-len(self.net.layers) // n)
        return self.write(f"part{i}.json", self.dump(self.net.layers[i * size:(i + 1) * size]))


def build(folder, shape, n):
    at = os.path.join(folder, f"{shape}-{n}")
    os.makedirs(at, exist_ok=True)
    return Build(at, globals()[shape](n), shape)
