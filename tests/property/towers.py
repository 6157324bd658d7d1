"""Networks made to be mistaken: equal towers, equal blocks, chains without a weight."""
import random

import onnx
from onnx import TensorProto, helper


class Net:
    def __init__(self):
        self.nodes, self.weights = [], []

    def add(self, op, *inputs, **attributes):
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [out], f"n{len(self.nodes)}", **attributes))
        return out

    def weight(self, *dims):
        name = f"weights.{len(self.weights)}.value"
        size = 1
        for dim in dims:
            size *= dim
        self.weights.append(helper.make_tensor(name, TensorProto.FLOAT, dims, bytes(4 * size), raw=True))
        return name

    def conv(self, x, width=4):
        return self.add("Conv", x, self.weight(width, width, 1, 1), kernel_shape=[1, 1])

    def model(self, *ends):
        graph = helper.make_graph(
            self.nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
            [helper.make_tensor_value_info(e, TensorProto.FLOAT, None) for e in ends], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def towers(rng):
    """Equal branches of equal convolutions, joined where order counts, does not, or stays apart."""
    net, tips = Net(), []
    stem = net.add("Relu", net.conv("x"))
    for _ in range(rng.randrange(2, 5)):
        x = stem
        for _ in range(4):
            x = net.add("Relu", net.conv(x))
        tips.append(x)
    how = rng.choice(["Concat", "Sum", "apart"])
    if how == "apart":
        return net.model(*tips)
    return net.model(net.add(how, *tips, **({"axis": 1} if how == "Concat" else {})))


def chain(rng):
    """Operators without weights, few kinds of them."""
    net, x = Net(), "x"
    for _ in range(60):
        x = net.add(rng.choice(["Relu", "Sigmoid", "Tanh"]), x)
    return net.model(x)


def blocks(rng):
    """Equal blocks of attention."""
    net, x = Net(), "x"
    for _ in range(8):
        y = net.add("LayerNormalization", x, net.weight(4), axis=-1)
        q, k, v = (net.add("MatMul", y, net.weight(4, 4)) for _ in range(3))
        a = net.add("Softmax", net.add("MatMul", q, net.add("Transpose", k, perm=[0, 2, 1])), axis=-1)
        x = net.add("Add", x, net.add("MatMul", net.add("MatMul", a, v), net.weight(4, 4)))
        y = net.add("Relu", net.add("MatMul", x, net.weight(4, 16)))
        x = net.add("Add", x, net.add("MatMul", y, net.weight(16, 4)))
    return net.model(x)


def tangle(rng):
    """A random graph of few operators."""
    net, there = Net(), ["x"]
    for _ in range(80):
        op = rng.choice(["Add", "Mul", "Sub", "Relu", "Sigmoid", "Conv"])
        x = there[-1 - min(int(rng.expovariate(0.5)), len(there) - 1)]
        if op == "Conv":
            there.append(net.conv(x))
        else:
            there.append(net.add(op, *([x] if op in ("Relu", "Sigmoid") else [x, rng.choice(there[-6:])])))
    return net.model(there[-1])


NETS = [towers, chain, blocks, tangle]


def write_all(folder, count, seed=7):
    rng = random.Random(seed)
    paths = []
    for i in range(count):
        make = NETS[i % len(NETS)]
        paths.append(f"{folder}/{make.__name__}-{i}.onnx")
        onnx.save(make(rng), paths[-1])
    return paths
