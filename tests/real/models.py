"""Small networks of the kinds that are deployed, with seeded weights; NAME -> ModelProto."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Net:
    """Draws a graph: op() adds a node and gives its output; weight() an initializer."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def input(self, name, *dims, type=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, type, dims))
        return name

    def output(self, tensor, *dims, type=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(tensor, type, dims))

    def const(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *dims):
        fan = int(np.prod(dims[1:])) if len(dims) > 1 else 100
        return self.const((self.random.standard_normal(dims) / fan ** 0.5).astype(np.float32))

    def op(self, op, *inputs, name=None, outputs=1, domain="", **attributes):
        name = name or f"/{op}_{len(self.nodes)}"
        made = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, made, name=name, domain=domain, **attributes))
        return made[0] if outputs == 1 else made

    def model(self, opset=17):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)

    def sizes(self, *parts):
        """A shape as exporters compute it: numbers, and (tensor, axis) for a size of the run."""
        made = [self.const(np.array([p])) if isinstance(p, int) else self.op("Unsqueeze", self.op(
            "Gather", self.op("Shape", p[0]), self.const(np.int64(p[1]))), self.const(np.array([0]))) for p in parts]
        return self.op("Concat", *made, axis=0)

    # ------------------------------------------------------------------ what networks are made of

    def conv(self, x, c_in, c_out, k=3, act="Relu", norm=True, **attributes):
        x = self.op("Conv", x, self.weight(c_out, c_in // attributes.get("group", 1), k, k),
                    kernel_shape=[k, k], pads=[k // 2] * 4, **attributes)
        if norm:
            one = np.ones(c_out, np.float32)
            x = self.op("BatchNormalization", x, self.const(one), self.const(0 * one),
                        self.const(0 * one), self.const(one))
        if act == "Silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        return self.op(act, x) if act else x

    def quantized(self, x, scale=0.02):
        s, z = self.const(np.float32(scale)), self.const(np.int8(0))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, s, z), s, z)

    def quantized_conv(self, x, c_in, c_out, k=3, scale_in=0.02):
        w = self.const(self.random.integers(-100, 100, (c_out, c_in, k, k)).astype(np.int8))
        scale = self.const((self.random.random(c_out) * 0.01 + 0.005).astype(np.float32))
        w = self.op("DequantizeLinear", w, scale, self.const(np.zeros(c_out, np.int8)), axis=0)
        return self.op("Conv", self.quantized(x, scale_in), w, kernel_shape=[k, k], pads=[k // 2] * 4)

    def linear(self, x, n_in, n_out):
        return self.op("Add", self.op("MatMul", x, self.weight(n_in, n_out)), self.weight(n_out))

    def norm(self, x, n):
        return self.op("LayerNormalization", x, self.const(np.ones(n, np.float32)), self.weight(n), axis=-1)

    def attention(self, x, tokens, heads, size):
        n = heads * size
        q, k, v = (self.op("Reshape", self.linear(x, n, n), self.const(np.array([0, tokens, heads, size])))
                   for _ in range(3))
        q = self.op("Transpose", q, perm=[0, 2, 1, 3])
        k = self.op("Transpose", k, perm=[0, 2, 3, 1])
        v = self.op("Transpose", v, perm=[0, 2, 1, 3])
        scores = self.op("Softmax", self.op("Mul", self.op("MatMul", q, k), self.const(np.float32(size ** -0.5))), axis=-1)
        out = self.op("Transpose", self.op("MatMul", scores, v), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", out, self.const(np.array([0, tokens, n]))), n, n)


def mlp():
    net = Net(1)
    x = net.input("x", 8, 64)
    for n_in, n_out in ((64, 128), (128, 128), (128, 10)):
        x = net.linear(x, n_in, n_out)
        x = net.op("Relu", x) if n_out > 10 else x
    net.output(net.op("Softmax", x), 8, 10)
    return net.model()


def residual():
    net = Net(2)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, strides=[2, 2])
    for _ in range(3):
        y = net.conv(net.conv(x, 32, 32), 32, 32, act=None)
        x = net.op("Relu", net.op("Add", y, x))
    x = net.op("Flatten", net.op("GlobalAveragePool", net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])))
    net.output(net.op("Gemm", x, net.weight(10, 32), net.weight(10), transB=1), 1, 10)
    return net.model()


def branches():
    """Concat, Split, depthwise convolutions, SiLU."""
    net = Net(3)
    x = net.conv(net.input("image", 1, 16, 40, 40), 16, 32, act="Silu")
    a, b = net.op("Split", x, net.const(np.array([16, 16])), outputs=2, axis=1)
    a = net.conv(a, 16, 16, act="Silu", group=16)
    b = net.conv(b, 16, 16, k=1, act="Silu")
    x = net.op("Concat", a, b, net.op("MaxPool", b, kernel_shape=[5, 5], pads=[2] * 4), axis=1)
    x = net.op("Resize", x, "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
    net.output(net.conv(x, 48, 16, k=1, act="Sigmoid", norm=False), 1, 16, 80, 80)
    return net.model()


def open_batch():
    net = Net(4)
    x = net.conv(net.input("image", "batch", 3, 32, 32), 3, 16)
    x = net.op("Flatten", net.op("GlobalAveragePool", net.conv(x, 16, 32)))
    net.output(net.op("Gemm", x, net.weight(10, 32), net.weight(10), transB=1), "batch", 10)
    return net.model()


def quantized():
    """A block as quantization-aware training leaves it, the skip quantized too."""
    net = Net(5)
    x = net.op("Relu", net.quantized_conv(net.input("image", 1, 32, 32, 32), 32, 32))
    y = net.op("Relu", net.quantized_conv(x, 32, 32))
    y = net.quantized_conv(y, 32, 32)
    net.output(net.op("Relu", net.op("Add", y, net.quantized(x))), 1, 32, 32, 32)
    return net.model()


def half_quantized():
    """The same with a convolution whose input lost its quantizer."""
    net = Net(6)
    x = net.op("Relu", net.quantized_conv(net.input("image", 1, 32, 32, 32), 32, 32))
    x = net.conv(x, 32, 32, norm=False)
    net.output(net.op("Relu", net.quantized_conv(x, 32, 32)), 1, 32, 32, 32)
    return net.model()


def encoder():
    net = Net(7)
    x = net.input("tokens", 1, 32, 64)
    for _ in range(3):
        x = net.op("Add", x, net.attention(net.norm(x, 64), 32, 4, 16))
        y = net.linear(net.norm(x, 64), 64, 256)
        y = net.op("Mul", y, net.op("Mul", net.const(np.float32(0.5)), net.op("Add", net.op(
            "Erf", net.op("Div", y, net.const(np.float32(2 ** 0.5)))), net.const(np.float32(1)))))
        x = net.op("Add", x, net.linear(y, 256, 64))
    net.output(net.norm(x, 64), 1, 32, 64)
    return net.model()


def embedding():
    """Gather, masks, reductions, a head that reads one token."""
    net = Net(8)
    ids = net.input("ids", 2, 16, type=TensorProto.INT64)
    x = net.op("Gather", net.weight(100, 32), ids)
    mask = net.op("Cast", net.op("Greater", ids, net.const(np.int64(0))), to=TensorProto.FLOAT)
    x = net.op("Mul", x, net.op("Unsqueeze", mask, net.const(np.array([2]))))
    x = net.op("Add", x, net.attention(net.norm(x, 32), 16, 2, 16))
    first = net.op("Gather", x, net.const(np.int64(0)), axis=1)
    mean = net.op("ReduceMean", x, axes=[1], keepdims=0)
    net.output(net.linear(net.op("Tanh", net.op("Concat", first, mean, axis=-1)), 64, 5), 2, 5)
    return net.model()


def detector():
    """Blocks that split, add and join their parts; two heads that are alike."""
    net = Net(11)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, act="Silu", strides=[2, 2])
    for _ in range(2):
        a, b = net.op("Split", net.conv(x, 32, 32, k=1, act="Silu"), net.const(np.array([16, 16])), outputs=2, axis=1)
        c = net.op("Add", b, net.conv(net.conv(b, 16, 16, act="Silu"), 16, 16, act="Silu"))
        x = net.conv(net.op("Concat", a, b, c, axis=1), 48, 32, k=1, act="Silu")
    x = net.conv(x, 32, 64, act="Silu", strides=[2, 2])
    box = net.conv(net.conv(x, 64, 64, act="Silu"), 64, 64, k=1, act=None, norm=False)
    kind = net.conv(net.conv(x, 64, 64, act="Silu"), 64, 20, k=1, act=None, norm=False)
    net.output(net.op("Reshape", net.op("Concat", box, kind, axis=1), net.const(np.array([1, 84, 256]))), 1, 84, 256)
    return net.model()


def open_sizes():
    """Shapes computed at run time: of Resize, Slice, Reshape, Expand."""
    net = Net(9)
    image = net.input("image", "batch", 3, 32, 32)
    wide = net.conv(image, 3, 16, strides=[2, 2], norm=False)
    small = net.conv(wide, 16, 16, strides=[2, 2], norm=False)
    whole = net.op("Resize", small, "", "", net.sizes((small, 0), 16, (wide, 2), (wide, 3)), mode="nearest")
    x = net.conv(net.op("Add", wide, whole), 16, 64, act=None, norm=False, strides=[4, 4])
    x = net.op("Transpose", net.op("Reshape", x, net.sizes((x, 0), 64, 16)), perm=[0, 2, 1])
    first = net.op("Expand", net.weight(1, 1, 64), net.sizes((x, 0), 1, 64))
    x = net.op("Concat", first, x, axis=1)
    x = net.op("Add", x, net.attention(net.norm(x, 64), 17, 4, 16))
    net.output(net.linear(net.op("Gather", net.norm(x, 64), net.const(np.int64(0)), axis=1), 64, 10), "batch", 10)
    return net.model()


def causal():
    """A decoder: positions and a mask of the run's length, rotated halves, heads that share keys, SwiGLU."""
    net = Net(10)
    ids = net.input("ids", "batch", "tokens", type=TensorProto.INT64)
    heads, shared, size = 4, 2, 16
    width = heads * size
    tokens = net.op("Gather", net.op("Shape", ids), net.const(np.int64(1)))
    place = net.op("Range", net.const(np.int64(0)), tokens, net.const(np.int64(1)))
    row, column = (net.op("Unsqueeze", place, net.const(np.array([i]))) for i in (1, 0))
    mask = net.op("Where", net.op("Greater", column, row), net.const(np.float32(-1e4)), net.const(np.float32(0)))
    angle = net.op("Mul", net.op("Cast", row, to=TensorProto.FLOAT), net.weight(1, size // 2))
    angle = net.op("Concat", angle, angle, axis=-1)
    sine, cosine = net.op("Sin", angle), net.op("Cos", angle)

    def norm(x):
        mean = net.op("ReduceMean", net.op("Pow", x, net.const(np.float32(2))), axes=[-1])
        root = net.op("Sqrt", net.op("Add", mean, net.const(np.float32(1e-6))))
        return net.op("Mul", net.op("Mul", x, net.op("Reciprocal", root)), net.weight(width))

    def split(x, n):
        x = net.op("MatMul", x, net.weight(width, n * size))
        return net.op("Transpose", net.op("Reshape", x, net.sizes((ids, 0), (ids, 1), n, size)), perm=[0, 2, 1, 3])

    def rotate(x):
        a, b = net.op("Split", x, net.const(np.array([size // 2] * 2)), outputs=2, axis=3)
        turned = net.op("Concat", net.op("Neg", b), a, axis=3)
        return net.op("Add", net.op("Mul", x, cosine), net.op("Mul", turned, sine))

    def repeat(x):
        x = net.op("Unsqueeze", x, net.const(np.array([2])))
        x = net.op("Expand", x, net.sizes((ids, 0), shared, heads // shared, (ids, 1), size))
        return net.op("Reshape", x, net.sizes((ids, 0), heads, (ids, 1), size))

    x = net.op("Gather", net.weight(100, width), ids)
    for _ in range(2):
        y = norm(x)
        q, k, v = rotate(split(y, heads)), repeat(rotate(split(y, shared))), repeat(split(y, shared))
        scores = net.op("MatMul", q, net.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = net.op("Add", net.op("Mul", scores, net.const(np.float32(size ** -0.5))), mask)
        y = net.op("Transpose", net.op("MatMul", net.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = net.op("Reshape", y, net.sizes((ids, 0), (ids, 1), width))
        x = net.op("Add", x, net.op("MatMul", y, net.weight(width, width)))
        y = norm(x)
        gate, up = (net.op("MatMul", y, net.weight(width, 160)) for _ in range(2))
        y = net.op("Mul", net.op("Mul", gate, net.op("Sigmoid", gate)), up)
        x = net.op("Add", x, net.op("MatMul", y, net.weight(160, width)))
    net.output(net.op("MatMul", norm(x), net.weight(width, 100)), "batch", "tokens", 100)
    return net.model()


def parts():
    """What is done to the parts of a tensor: quantized before a Concat, split and joined again; a
    deconvolution, x cubed, a row too many for loads of two."""
    net = Net(12)
    x = net.quantized(net.op("Relu", net.quantized_conv(net.input("image", 1, 32, 16, 16), 32, 32)))
    a, b = (net.op("Relu", net.conv(x, 32, 32, k=k, act=None, norm=False)) for k in (1, 3))
    x = net.op("Relu", net.quantized_conv(net.op("Concat", a, b, axis=1), 64, 32, k=1))
    a, b = net.op("Split", x, net.const(np.array([16, 16])), outputs=2, axis=1)
    c = net.op("Add", b, net.conv(b, 16, 16, act="Silu"))
    x = net.conv(net.op("Concat", a, b, c, axis=1), 48, 13, k=1, act="Silu")
    x = net.op("Relu", net.op("ConvTranspose", x, net.weight(13, 24, 4, 4), kernel_shape=[4, 4], strides=[2, 2],
                              pads=[1] * 4))
    x = net.op("Reshape", x, net.const(np.array([24 * 4, 256])))
    x = net.linear(net.linear(x, 256, 13), 13, 64)
    y = net.op("Add", x, net.op("Mul", net.op("Pow", x, net.const(np.float32(3))), net.const(np.float32(0.044715))))
    y = net.op("Add", net.op("Tanh", net.op("Mul", y, net.const(np.float32(0.7978846)))), net.const(np.float32(1)))
    x = net.linear(net.op("Mul", net.op("Mul", x, net.const(np.float32(0.5))), y), 64, 32)
    net.output(net.norm(x, 32), 96, 32)
    return net.model()


def alike():
    """Branches that begin alike: their consumers distinguish two of them, nothing the other two."""
    net = Net(14)
    x = net.conv(net.input("image", 1, 16, 24, 24), 16, 32)
    a = net.conv(x, 32, 16, k=1)
    b = net.conv(net.conv(net.conv(x, 32, 16, k=1), 16, 16, k=3), 16, 16, k=5)
    c, d = net.conv(x, 32, 16), net.conv(x, 32, 16)
    x = net.conv(net.op("Concat", a, b, c, d, axis=1), 64, 16, k=1, act=None, norm=False)
    x = net.op("PRelu", x, net.weight(16, 1, 1))
    net.output(net.op("DepthToSpace", x, blocksize=2), 1, 4, 48, 48)
    return net.model()


def twins():
    """Quantizers twice in one place, as residual QAT leaves them, one of them moved before a pool;
    heads of a detector with a channel too many, and boxes of three parts; a Silu computed twice."""
    net = Net(13)
    x = net.op("Relu", net.quantized_conv(net.input("image", 1, 16, 32, 32), 16, 32))
    x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    skip, x = net.quantized(x), net.op("Relu", net.quantized_conv(x, 32, 32))
    x = net.op("Relu", net.op("Add", net.quantized_conv(x, 32, 32), skip))
    skip, x = net.quantized(x), net.op("Relu", net.quantized_conv(x, 32, 32))
    x = net.op("Relu", net.op("Add", net.conv(x, 32, 32, act=None), skip))
    boxes = []
    for size in (16, 8):
        y = net.op("Reshape", net.conv(x, 32, 27, k=1, act=None, norm=False), net.const(np.array([1, 3, 9, size, size])))
        y = net.op("Sigmoid", net.op("Transpose", y, perm=[0, 1, 3, 4, 2]))
        xy, wh, score = net.op("Split", y, net.const(np.array([2, 2, 5])), outputs=3, axis=4)
        wh = net.op("Pow", net.op("Mul", wh, net.const(np.float32(2))), net.const(np.float32(2)))
        xy = net.op("Mul", net.op("Add", xy, net.weight(1, 3, size, size, 2)), net.const(np.float32(512 // size)))
        y = net.op("Concat", xy, wh, score, axis=-1)
        boxes.append(net.op("Reshape", y, net.const(np.array([1, 3 * size * size, 9]))))
        x = net.conv(x, 32, 32, strides=[2, 2], act="Silu") if size > 8 else x
    net.output(net.op("Concat", *boxes, axis=1), 1, 960, 9)
    silus = [net.op("Mul", x, net.op("Sigmoid", x)) for _ in range(2)]
    net.output(net.op("Add", net.conv(silus[0], 32, 32, k=1), net.conv(silus[1], 32, 32, k=1)), 1, 32, 8, 8)
    return net.model()


def sums():
    """Sums that a convolution takes in without a step; a BatchNormalization behind no product; a
    softmax and a sum along an axis of two; group normalization as exporters take it apart."""
    net = Net(15)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, strides=[2, 2])
    a, b = net.conv(x, 32, 16), net.conv(x, 32, 32, strides=[2, 2])
    for c, n in ((a, 16), (b, 32)):
        y = net.conv(net.conv(c, n, n), n, n, act=None)
        y = net.op("Relu", net.op("Add", y, c))
        a, b = (y, b) if n == 16 else (a, y)
    x = net.op("Add", net.conv(a, 16, 32, act=None, strides=[2, 2]), b)
    x = net.op("Relu", net.op("Add", x, net.conv(b, 32, 32, k=1, act=None)))

    def gelu(y):
        erf = net.op("Erf", net.op("Div", y, net.const(np.float32(2 ** 0.5))))
        return net.op("Mul", net.op("Mul", y, net.op("Add", erf, net.const(np.float32(1)))), net.const(np.float32(0.5)))

    x = gelu(net.op("Add", net.conv(x, 32, 32, act=None, norm=False), net.conv(x, 32, 32, k=1, act=None, norm=False)))
    one = np.ones(32, np.float32)
    y = net.op("BatchNormalization", x, net.const(one), net.weight(32), net.weight(32), net.const(one))
    x = gelu(net.op("Add", net.conv(x, 32, 32, act=None, norm=False, group=32), y))
    parts = [net.op("Unsqueeze", net.conv(x, 32, 32, k=k), net.const(np.array([1]))) for k in (1, 3)]
    both = net.op("Concat", *parts, axis=1)
    y = net.op("GlobalAveragePool", net.op("ReduceSum", both, net.const(np.array([1])), keepdims=0))
    y = net.conv(net.conv(y, 32, 8, k=1), 8, 64, k=1, act=None, norm=False)
    y = net.op("Softmax", net.op("Reshape", y, net.const(np.array([1, 2, 32, 1, 1]))), axis=1)
    x = net.op("ReduceSum", net.op("Mul", both, y), net.const(np.array([1])), keepdims=0)
    y = net.op("Reshape", x, net.const(np.array([0, 1, -1])))
    y = net.op("InstanceNormalization", y, net.const(np.ones(1, np.float32)), net.const(np.zeros(1, np.float32)))
    y = net.op("Reshape", y, net.const(np.array([1, 32, 16, 16])))
    y = net.op("Add", net.op("Mul", y, net.weight(32, 1, 1)), net.weight(32, 1, 1))
    pool = net.op("AveragePool", y, kernel_shape=[3, 3], pads=[1] * 4)
    net.output(net.op("Add", x, net.op("Mul", net.op("Sub", pool, y), net.weight(32, 1, 1))), 1, 32, 16, 16)
    return net.model()


def squeezed():
    """Quantized squeeze and excitation with Silu: scales without a bias, a mean that is quantized."""
    net = Net(16)

    def silu(y):
        return net.op("Mul", y, net.op("Sigmoid", y))

    x = silu(net.quantized_conv(net.input("image", 1, 16, 32, 32), 16, 32))
    for _ in range(2):
        y = silu(net.quantized_conv(silu(net.quantized_conv(x, 32, 64, k=1)), 64, 64))
        s = silu(net.quantized_conv(net.op("ReduceMean", y, axes=[2, 3]), 64, 16, k=1))
        s = net.op("Sigmoid", net.quantized_conv(s, 16, 64, k=1))
        x = net.op("Add", x, net.quantized_conv(net.op("Mul", y, s), 64, 32, k=1))
    net.output(x, 1, 32, 32, 32)
    return net.model()


def normalized():
    """Group normalization with Silu as diffusion models have it; heads that are normalized by their
    length, of joined products whose bias a run computes."""
    net = Net(17)

    def group(y):
        shape = net.const(np.array([0, 8, -1]))
        y = net.op("InstanceNormalization", net.op("Reshape", y, shape), net.const(np.ones(8, np.float32)),
                   net.const(np.zeros(8, np.float32)))
        y = net.op("Reshape", y, net.const(np.array([1, 32, 16, 16])))
        return net.op("Add", net.op("Mul", y, net.weight(32, 1, 1)), net.weight(32, 1, 1))

    def silu(y):
        return net.op("Mul", y, net.op("Sigmoid", y))

    image, time = net.input("image", 1, 32, 16, 16), net.input("time", 1, 64)
    x = net.op("Conv", silu(group(image)), net.weight(32, 32, 3, 3), net.weight(32), kernel_shape=[3, 3], pads=[1] * 4)
    t = net.op("Unsqueeze", net.op("Gemm", silu(time), net.weight(32, 64), net.weight(32), transB=1),
               net.const(np.array([2, 3])))
    x = net.conv(silu(group(net.op("Add", x, t))), 32, 32, act=None, norm=False)
    x = net.op("Add", image, x)
    y = net.op("Transpose", net.op("Reshape", group(x), net.const(np.array([1, 32, 256]))), perm=[0, 2, 1])
    bias = net.op("ScatterND", net.weight(96), net.const(np.arange(32, 64).reshape(32, 1)),
                  net.const(np.zeros(32, np.float32)))
    y = net.op("Reshape", net.op("Add", net.op("MatMul", y, net.weight(32, 96)), bias),
               net.const(np.array([1, 256, 3, 2, 16])))
    y = net.op("Transpose", y, perm=[2, 0, 3, 1, 4])
    q, k, v = (net.op("Gather", y, net.const(np.int64(i)), axis=0) for i in range(3))

    def unit(z):
        length = net.op("Clip", net.op("ReduceL2", z, axes=[-1]), net.const(np.float32(1e-12)))
        return net.op("Div", z, net.op("Expand", length, net.const(np.array([1, 2, 256, 16]))))

    scores = net.op("MatMul", unit(q), net.op("Transpose", unit(k), perm=[0, 1, 3, 2]))
    y = net.op("MatMul", net.op("Softmax", net.op("Mul", scores, net.weight(2, 1, 1)), axis=-1), v)
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.const(np.array([1, 256, 32])))
    net.output(net.linear(y, 32, 32), 1, 256, 32)
    return net.model()


def neutral():
    """Sums that begin with 0 or end with it, as sum() and branches that are left out are exported, and
    an affine layer as addcmul() is, with a factor of 1: the builder leaves all of these out."""
    net = Net(17)
    zero, one = net.const(np.zeros((), np.float32)), net.const(np.ones(1, np.float32))
    x = net.input("image", 1, 3, 64, 64)
    for c in (3, 32):
        y = net.op("Add", net.conv(x, c, 32, act=None, norm=False, strides=[2, 2]),
                   net.conv(x, c, 32, k=1, act=None, norm=False, strides=[2, 2]))
        x = net.op("Relu", net.op("Add", y, zero))
    x = net.op("Transpose", net.op("Reshape", net.conv(x, 32, 48, act=None, norm=False), net.const(np.array([1, 48, -1]))),
               perm=[0, 2, 1])
    for _ in range(2):
        y = net.op("Add", net.weight(48), net.op("Mul", net.op("Mul", net.weight(48), x), one))
        y = net.op("Add", net.weight(48), net.op("MatMul", y, net.weight(48, 48)))
        x = net.op("Add", x, net.op("Mul", net.weight(48), net.op("Div", y, one)))
    net.output(x, 1, 256, 48)
    return net.model()


def inside():
    """What a convolution takes in: its activation, before a learnt scale of 1 that stands first and was
    shared by copies; an activation that two read, one of them a BatchNormalization of its own."""
    net = Net(18)
    one, zero = net.const(np.ones(1, np.float32)), net.const(np.zeros(1, np.float32))
    x = net.input("image", 1, 3, 64, 64)
    for c in (3, 32):
        scale = net.op("Identity", one)
        x = net.op("Add", net.op("Mul", scale, net.conv(x, c, 32, strides=[2, 2])), net.op("Identity", zero))
    for _ in range(2):
        x = net.conv(x, 32, 32, k=1)
        y = net.op("BatchNormalization", x, *(net.const(net.random.random(32).astype(np.float32)) for _ in range(4)))
        x = net.op("Relu", net.op("Add", net.conv(x, 32, 32, act=None, norm=False, group=32), y))
    net.output(x, 1, 32, 16, 16)
    return net.model()


def dense():
    """Layers with a BatchNormalization, which no Gemm takes into its weights."""
    net = Net(19)
    x = net.input("x", 8, 64)
    for n_in, n_out in ((64, 96), (96, 48)):
        x = net.op("Gemm", x, net.weight(n_out, n_in), net.weight(n_out), transB=1)
        x = net.op("BatchNormalization", x, *(net.const(net.random.random(n_out).astype(np.float32)) for _ in range(4)))
        x = net.op("LeakyRelu", x, alpha=0.1)
    net.output(net.op("Gemm", x, net.weight(10, 48), net.weight(10), transB=1), 8, 10)
    return net.model()


def pointwise():
    """Convolutions of half without a window, of few places: run as products of matrices."""
    net = Net(20)

    def half(*dims):
        return net.const((net.random.standard_normal(dims) / 20).astype(np.float16))

    x = net.input("image", 1, 256, 4, 4, type=TensorProto.FLOAT16)
    for _ in range(2):
        y = net.op("Relu", net.op("Conv", x, half(512, 256, 1, 1), half(512), kernel_shape=[1, 1]))
        y = net.op("Relu", net.op("Conv", y, half(512, 1, 3, 3), half(512), kernel_shape=[3, 3], pads=[1] * 4, group=512))
        x = net.op("Add", x, net.op("Conv", y, half(256, 512, 1, 1), half(256), kernel_shape=[1, 1]))
    net.output(x, 1, 256, 4, 4, type=TensorProto.FLOAT16)
    return net.model()


def scattered():
    """Tables that are scattered into twice, and read between: the builder leaves that to the run, in place."""
    net = Net(21)
    x = net.linear(net.input("x", 1, 16, 32), 32, 32)
    for _ in range(2):
        table = net.weight(16, 32)
        for first in (0, 8):
            rows = net.const(np.arange(first, first + 8).reshape(8, 1))
            table = net.op("ScatterND", table, rows, net.weight(8, 32))
        x = net.linear(net.op("Add", x, table), 32, 32)
    net.output(x, 1, 16, 32)
    return net.model()


def crossed():
    """A quantized block that crosses stages: one part of a Split goes round, and both are quantized where
    they are made, before the Concat; an Elu that a Gemm takes in, which its Metadata lacks."""
    net = Net(22)
    x = net.op("LeakyRelu", net.quantized_conv(net.input("image", 1, 16, 32, 32), 16, 32), alpha=0.1)
    for _ in range(2):
        a, b = net.op("Split", net.quantized_conv(x, 32, 64, k=1), net.const(np.array([32, 32])), outputs=2, axis=1)
        y = net.op("LeakyRelu", net.quantized_conv(b, 32, 16, k=1), alpha=0.1)
        b = net.op("LeakyRelu", net.op("Add", net.quantized_conv(y, 16, 32), b), alpha=0.1)
        b = net.op("LeakyRelu", net.quantized_conv(b, 32, 32, k=1), alpha=0.1)
        x = net.op("LeakyRelu", net.quantized_conv(net.op("Concat", a, b, axis=1), 64, 32, k=1, scale_in=0.03),
                   alpha=0.1)
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    x = net.op("Elu", net.op("Gemm", x, net.weight(64, 32), net.weight(64), transB=1))
    net.output(net.op("Gemm", x, net.weight(10, 64), net.weight(10), transB=1), 1, 10)
    return net.model()


def short():
    """Heads that are mixed, as talking heads are: products along an axis of four, which are taken apart."""
    net = Net(23)
    x = net.input("scores", 1, 4, 64, 64)
    for _ in range(2):
        x = net.linear(net.op("Transpose", x, perm=[0, 2, 3, 1]), 4, 4)
        x = net.op("Softmax", net.op("Transpose", x, perm=[0, 3, 1, 2]), axis=-1)
    net.output(x, 1, 4, 64, 64)
    return net.model()


def recurrent():
    """A GRU behind an LSTM: loops that are unrolled, whose kernels say of which they are by constants alone."""
    net = Net(24)
    x = net.input("steps", 12, 1, 24)
    for op, gates, width in ("LSTM", 4, 24), ("GRU", 3, 16):
        x = net.op(op, x, net.weight(1, 16 * gates, width), net.weight(1, 16 * gates, 16), net.weight(1, 32 * gates),
                   hidden_size=16, **({"linear_before_reset": 1} if op == "GRU" else {}))
        x = net.op("Squeeze", x, net.const(np.array([1])))
        if op == "LSTM":
            x = net.linear(x, 16, 16)
    net.output(net.op("LogSoftmax", net.linear(x, 16, 10), axis=-1), 12, 1, 10)
    return net.model()


def scaled():
    """Heads whose query and key are scaled before they are multiplied, as PyTorch takes its attention
    apart: the scales are in no kernel's Metadata.  Weights that an exporter kept once."""
    net = Net(18)
    x = net.input("tokens", 1, 64, 48)
    one, zero = net.const(np.ones(48, np.float32)), net.const(np.zeros(48, np.float32))
    for _ in range(2):
        names = [net.op("Identity", w) for w in (one, zero)]
        y = net.linear(net.op("LayerNormalization", x, *names, axis=-1), 48, 144)
        y = net.op("Transpose", net.op("Reshape", y, net.const(np.array([1, 64, 3, 4, 12]))), perm=[2, 0, 3, 1, 4])
        q, k, v = (net.op("Squeeze", z, net.const(np.array([0]))) for z in net.op("Split", y, outputs=3, axis=0, num_outputs=3))
        q = net.op("Mul", q, net.const(np.float32(12 ** -0.25)))
        k = net.op("Mul", net.op("Transpose", k, perm=[0, 1, 3, 2]), net.const(np.float32(12 ** -0.25)))
        y = net.op("MatMul", net.op("Softmax", net.op("MatMul", q, k), axis=-1), v)
        y = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.const(np.array([1, 64, 48])))
        x = net.op("Add", x, net.linear(y, 48, 48))
        y = net.op("LayerNormalization", x, *(net.op("Identity", w) for w in (one, zero)), axis=-1)
        x = net.op("Add", x, net.linear(net.op("Relu", net.linear(y, 48, 96)), 96, 48))
    net.output(x, 1, 64, 48)
    return net.model(18)


MODELS = {f.__name__: f for f in (mlp, residual, branches, open_batch, quantized, half_quantized,
                                  encoder, embedding, detector, open_sizes, causal, parts, twins, alike, sums, squeezed,
                                  normalized, neutral, inside, dense, pointwise, scattered,
                                  crossed, short, recurrent, scaled)}
