"""Models that nobody has used: families of networks whose widths, depths, activations and types a seed draws.

    made.load(seed, number) -> (name, ModelProto)

Fourteen families; model `number` is of family `number % 14`, and its numbers are drawn anew for each seed."""
import importlib.util
import pathlib
import random

import numpy as np
import onnx
from onnx import TensorProto as T

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("drawn", HERE.parent / "real/models.py")
drawn = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(drawn)


class Net(drawn.Net):
    """The same, with numbers of one type."""

    def __init__(self, draw, kind=np.float32):
        super().__init__(draw.randrange(1 << 30))
        self.draw, self.kind = draw, kind
        self.type = T.FLOAT16 if kind == np.float16 else T.FLOAT

    def const(self, array):
        array = np.asarray(array)
        return super().const(array.astype(self.kind) if array.dtype == np.float32 else array)

    def image(self, *dims):
        return self.input("x", *dims, type=self.type)

    def act(self, x):
        kind = self.draw.choice(["Relu", "Relu", "Silu", "Sigmoid", "LeakyRelu", "HardSwish", "Clip"])
        if kind == "Silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        if kind == "Clip":
            return self.op("Clip", x, self.const(np.float32(0)), self.const(np.float32(6)))
        return self.op(kind, x)

    def gelu(self, x):
        half, one, root = (self.const(np.float32(v)) for v in (0.5, 1.0, 1.4142135))
        return self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op("Div", x, root)), one)), half)

    def unit(self, x, c_in, c_out, k=3, **more):
        """Conv, BatchNormalization, an activation."""
        return self.act(self.conv(x, c_in, c_out, k, act=None, norm=self.draw.random() < 0.7, **more))

    def head(self, x, width):
        x = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        self.ends(self.op("Gemm", x, self.weight(10, width), self.weight(10), transB=1), 1, 10)

    def ends(self, x, *dims):
        self.output(x, *dims, type=self.type)
        return self.model()

    def mlp(self, x, n, wide, act=None):
        y = self.linear(x, n, wide)
        return self.linear(self.gelu(y) if act is None else act(y), wide, n)

    def fp8(self, x, scale=0.05):
        s = self.const(np.float32(scale))
        z = f"w{len(self.weights)}"
        self.weights.append(onnx.helper.make_tensor(z, T.FLOAT8E4M3FN, (), bytes(1), raw=True))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, s, z), s, z)


def concat(d):
    """Branches whose results meet in a Concat, as Inception and DenseNet have them."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([16, 24, 32])
    x = n.unit(n.image(1, 3, 48, 48), 3, width, strides=[2, 2])
    for _ in range(d.randint(2, 3)):
        branches = [n.unit(x, width, width, d.choice([1, 3])), n.unit(n.unit(x, width, width // 2, 1), width // 2, width)]
        if d.random() < 0.5:
            branches.append(n.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1]))
        if d.random() < 0.5:
            branches.append(x)
        x, width = n.op("Concat", *branches, axis=1), width * len(branches)
        x, width = n.unit(x, width, 32, 1), 32
    n.head(x, width)
    return n.model()


def residual(d):
    """Chains of residual Adds."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([16, 32, 48])
    x = n.unit(n.image(1, 3, 40, 40), 3, width, strides=[2, 2])
    for _ in range(d.randint(3, 5)):
        y = n.conv(n.unit(x, width, width), width, width, act=None)
        x = n.op("Add", y, x)
        x = n.act(x) if d.random() < 0.6 else x
    n.head(x, width)
    return n.model()


def encoder(d):
    """A transformer's encoder: norms before or behind, attention, GELU."""
    n = Net(d, d.choice([np.float32, np.float16]))
    heads, size, tokens = d.choice([2, 4]), d.choice([16, 32]), d.choice([24, 48])
    width, before = heads * size, d.random() < 0.5
    x = n.image(2, tokens, width)
    for _ in range(d.randint(2, 3)):
        y = n.op("Add", x, n.attention(n.norm(x, width) if before else x, tokens, heads, size))
        y = y if before else n.norm(y, width)
        x = n.op("Add", y, n.mlp(n.norm(y, width) if before else y, width, 4 * width))
        x = x if before else n.norm(x, width)
    return n.ends(n.linear(x, width, 12), 2, tokens, 12)


def dit(d):
    """Blocks of a diffusion transformer: norms whose scale and shift come of a condition, gated residuals."""
    n = Net(d, d.choice([np.float32, np.float16]))
    heads, size, tokens = d.choice([2, 4]), d.choice([16, 32]), d.choice([16, 36])
    width = heads * size
    x, c = n.image(1, tokens, width), n.input("c", 1, width, type=n.type)
    one = n.const(np.float32(1))
    for _ in range(d.randint(2, 3)):
        c2 = n.op("Mul", c, n.op("Sigmoid", c))
        shift, scale, gate, shift2, scale2, gate2 = n.op(
            "Split", n.op("Unsqueeze", n.linear(c2, width, 6 * width), n.const(np.array([1]))), outputs=6, axis=-1, num_outputs=6)
        y = n.op("Add", n.op("Mul", n.norm(x, width), n.op("Add", scale, one)), shift)
        x = n.op("Add", x, n.op("Mul", gate, n.attention(y, tokens, heads, size)))
        y = n.op("Add", n.op("Mul", n.norm(x, width), n.op("Add", scale2, one)), shift2)
        x = n.op("Add", x, n.op("Mul", gate2, n.mlp(y, width, 2 * width)))
    n.output(n.linear(x, width, 8), 1, tokens, 8, type=n.type)
    return n.model(opset=18)


def int8(d):
    """Convolutions with Q/DQ pairs, some residuals quantized as well."""
    n = Net(d)
    width = d.choice([32, 64])
    x = n.op("Relu", n.quantized_conv(n.image(1, 3, 40, 40), 3, width))
    for i in range(d.randint(2, 4)):
        y = n.op("Relu", n.quantized_conv(x, width, width, scale_in=0.02 + 0.01 * i))
        y = n.quantized_conv(y, width, width, d.choice([1, 3]), scale_in=0.03)
        if d.random() < 0.7:
            y = n.op("Add", y, n.quantized(x, 0.04) if d.random() < 0.5 else x)
        x = n.op("Relu", y)
    n.head(x, width)
    return n.model()


def int8_products(d):
    """A transformer's products with Q/DQ pairs."""
    n = Net(d)
    tokens, width = 32, d.choice([64, 128])
    x = n.image(1, tokens, width)

    def product(x, n_in, n_out):
        w = n.const(n.random.integers(-90, 90, (n_in, n_out)).astype(np.int8))
        w = n.op("DequantizeLinear", w, n.const(np.float32(0.01)), n.const(np.int8(0)))
        return n.op("Add", n.op("MatMul", n.quantized(x), w), n.weight(n_out))

    for _ in range(d.randint(2, 3)):
        y = n.norm(x, width)
        x = n.op("Add", x, product(n.gelu(product(y, width, 2 * width)), 2 * width, width))
    return n.ends(product(n.norm(x, width), width, 16), 1, tokens, 16)


def fp8(d):
    """Products in FP8."""
    n = Net(d)
    tokens, width = 32, d.choice([64, 128])
    x = n.image(1, tokens, width)

    def product(x, n_in, n_out):
        return n.op("Add", n.op("MatMul", n.fp8(x), n.fp8(n.weight(n_in, n_out), 0.01)), n.weight(n_out))

    for _ in range(d.randint(2, 3)):
        y = product(n.norm(x, width), width, 2 * width)
        y = n.act(y) if d.random() < 0.5 else n.gelu(y)
        x = n.op("Add", x, product(y, 2 * width, width))
    n.output(product(n.norm(x, width), width, 16), 1, tokens, 16)
    return n.model(opset=19)


def depthwise(d):
    """Inverted residuals with squeeze and excitation."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([16, 24])
    x = n.unit(n.image(1, 3, 48, 48), 3, width, strides=[2, 2])
    for _ in range(d.randint(2, 4)):
        wide = 4 * width
        y = n.unit(x, width, wide, 1)
        y = n.unit(y, wide, wide, d.choice([3, 5]), group=wide)
        if d.random() < 0.7:
            s = n.conv(n.op("GlobalAveragePool", y), wide, wide // 4, 1, norm=False)
            y = n.op("Mul", y, n.op("Sigmoid", n.conv(s, wide // 4, wide, 1, act=None, norm=False)))
        x = n.op("Add", x, n.conv(y, wide, width, 1, act=None))
    n.head(x, width)
    return n.model()


def lstm(d):
    """An LSTM, one way or both, between linears."""
    n = Net(d)
    steps, width, hidden, ways = d.choice([4, 6]), 32, d.choice([32, 48]), d.choice([1, 2])
    x = n.linear(n.image(steps, 2, width), width, width)
    y = n.op("LSTM", x, n.weight(ways, 4 * hidden, width), n.weight(ways, 4 * hidden, hidden), n.weight(ways, 8 * hidden),
             hidden_size=hidden, direction="forward" if ways == 1 else "bidirectional")
    y = n.op("Reshape", n.op("Transpose", y, perm=[0, 2, 1, 3]), n.const(np.array([steps, 2, ways * hidden])))
    y = n.op("Relu", n.linear(y, ways * hidden, 64))
    return n.ends(n.op("Softmax", n.linear(y, 64, 10), axis=-1), steps, 2, 10)


def unet(d):
    """Down, up by transposed convolutions or Resize, with Concat across."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([16, 32])
    x, skips = n.unit(n.image(1, 4, 32, 32), 4, width), []
    for _ in range(2):
        x = n.unit(x, width, width)
        skips.append(x)
        x = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = n.unit(x, width, width)
    for skip in reversed(skips):
        if d.random() < 0.5:
            x = n.op("ConvTranspose", x, n.weight(width, width, 2, 2), strides=[2, 2], kernel_shape=[2, 2])
        else:
            n.weights.append(onnx.helper.make_tensor(f"w{len(n.weights)}", T.FLOAT, (4,), [1, 1, 2, 2]))
            x = n.op("Resize", x, "", n.weights[-1].name, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        x = n.unit(n.op("Concat", x, skip, axis=1), 2 * width, width)
    return n.ends(n.conv(x, width, 4, 1, act=None, norm=False), 1, 4, 32, 32)


def decoder(d):
    """A decoder's blocks: RMS norms, grouped keys, a causal mask, a gated MLP."""
    n = Net(d, d.choice([np.float32, np.float16]))
    heads, size, tokens = 4, d.choice([16, 32]), d.choice([16, 32])
    width = heads * size
    x = n.image(1, tokens, width)
    mask = n.const(np.triu(np.full((tokens, tokens), -1e4, np.float32), 1))

    def rms(x):
        mean = n.op("ReduceMean", n.op("Mul", x, x), axes=[-1])
        return n.op("Mul", n.op("Div", x, n.op("Sqrt", n.op("Add", mean, n.const(np.float32(1e-3))))), n.weight(width))

    def split(x, wide, count, perm):
        y = n.op("Reshape", n.op("MatMul", x, n.weight(width, wide)), n.const(np.array([1, tokens, count, size])))
        return n.op("Transpose", y, perm=perm)

    for _ in range(d.randint(2, 3)):
        y = rms(x)
        q, k, v = split(y, width, heads, [0, 2, 1, 3]), split(y, width, heads, [0, 2, 3, 1]), split(y, width, heads, [0, 2, 1, 3])
        p = n.op("Add", n.op("Mul", n.op("MatMul", q, k), n.const(np.float32(size ** -0.5))), mask)
        y = n.op("Transpose", n.op("MatMul", n.op("Softmax", p, axis=-1), v), perm=[0, 2, 1, 3])
        y = n.op("Reshape", y, n.const(np.array([1, tokens, width])))
        x = n.op("Add", x, n.op("MatMul", y, n.weight(width, width)))
        y = rms(x)
        gate = n.op("MatMul", y, n.weight(width, 2 * width))
        gate = n.op("Mul", gate, n.op("Sigmoid", gate))
        y = n.op("Mul", gate, n.op("MatMul", y, n.weight(width, 2 * width)))
        x = n.op("Add", x, n.op("MatMul", y, n.weight(2 * width, width)))
    return n.ends(n.op("MatMul", rms(x), n.weight(width, 40)), 1, tokens, 40)


def convnext(d):
    """Depthwise convolutions, LayerNorm over channels, layer scale."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([32, 48])
    x = n.conv(n.image(1, 3, 32, 32), 3, width, act=None, norm=False, strides=[2, 2])
    for _ in range(d.randint(2, 3)):
        y = n.conv(x, width, width, d.choice([3, 5, 7]), act=None, norm=False, group=width)
        y = n.norm(n.op("Transpose", y, perm=[0, 2, 3, 1]), width)
        y = n.mlp(y, width, 4 * width)
        y = n.op("Mul", y, n.weight(width)) if d.random() < 0.7 else y
        x = n.op("Add", x, n.op("Transpose", y, perm=[0, 3, 1, 2]))
    n.head(x, width)
    return n.model()


def mixer(d):
    """Linears along tokens and along channels, with Transposes between."""
    n = Net(d, d.choice([np.float32, np.float16]))
    tokens, width = d.choice([16, 24]), d.choice([32, 64])
    x = n.image(1, tokens, width)
    for _ in range(d.randint(2, 3)):
        y = n.op("Transpose", n.norm(x, width), perm=[0, 2, 1])
        x = n.op("Add", x, n.op("Transpose", n.mlp(y, tokens, 2 * tokens), perm=[0, 2, 1]))
        x = n.op("Add", x, n.mlp(n.norm(x, width), width, 2 * width, None if d.random() < 0.5 else n.act))
    return n.ends(n.linear(x, width, 8), 1, tokens, 8)


def yolo(d):
    """Split, bottlenecks, Concat; SiLU; two scales."""
    n = Net(d, d.choice([np.float32, np.float16]))
    width = d.choice([16, 32])
    x = n.conv(n.image(1, 3, 48, 48), 3, width, act="Silu", strides=[2, 2])
    for _ in range(d.randint(2, 3)):
        a, b = n.op("Split", n.conv(x, width, width, 1, act="Silu"), n.const(np.array([width // 2] * 2)), outputs=2, axis=1)
        parts = [a, b]
        for _ in range(d.randint(1, 2)):
            y = n.conv(n.conv(parts[-1], width // 2, width // 2, act="Silu"), width // 2, width // 2, act="Silu")
            parts.append(n.op("Add", parts[-1], y) if d.random() < 0.7 else y)
        x = n.conv(n.op("Concat", *parts, axis=1), width // 2 * len(parts), width, 1, act="Silu")
    n.output(n.conv(x, width, 8, 1, act="Sigmoid", norm=False), 1, 8, 24, 24, type=n.type)
    n.output(n.conv(n.conv(x, width, width, act="Silu", strides=[2, 2]), width, 8, 1, act=None, norm=False), 1, 8, 12, 12, type=n.type)
    return n.model()


FAMILIES = (concat, residual, encoder, dit, int8, int8_products, fp8, depthwise, lstm, unet, decoder, convnext, mixer, yolo)


def load(seed, number):
    family = FAMILIES[number % len(FAMILIES)]
    return f"{family.__name__}_{number // len(FAMILIES)}", family(random.Random(f"{seed}:{number}"))
