"""Whole networks, by kind.  `make(kind, rng)` returns a ModelProto."""
from . import blocks as b
from .maker import I64, Maker
from .quantizers import Quantizer
from .styles import Style

TRUNK = {
    "resnet": [b.residual, b.residual, b.conv_act, b.pool],
    "mobile": [b.depthwise, b.squeeze_excite, b.residual, b.conv_act],
    "concat": [b.branches, b.split_join, b.heads, b.upsample, b.conv_act],
    "views": [b.views, b.views, b.transposes, b.conv_act, b.pointwise],
    "dups": [b.duplicates, b.duplicates, b.conv_act, b.pointwise],
    "consts": [b.constants, b.constants, b.conv_act, b.dead_end],
    "qat": [b.residual, b.residual, b.conv_act, b.pool, b.branches],
    "mix": [b.residual, b.branches, b.split_join, b.heads, b.views, b.transposes,
            b.duplicates, b.constants, b.dead_end, b.pointwise, b.squeeze_excite,
            b.pool, b.conv_act],
}
KINDS = sorted(TRUNK) + ["attention", "control", "qat-attention"]
SCALE_KINDS = ["chain", "region"]


def make(kind, rng, size=0, style=None):
    m = Maker(rng, Style(rng, style))
    if kind in TRUNK:
        if kind == "qat":
            m.quant = Quantizer(rng, rng.choice(["pytorch", "modelopt", "ort"]))
        _trunk(m, TRUNK[kind])
    elif kind in ("attention", "qat-attention"):
        if kind != "attention":
            m.quant = Quantizer(rng, rng.choice(["pytorch", "modelopt", "ort"]))
        _attention(m)
    elif kind == "control":
        _control(m)
    elif kind == "chain":
        return _chain(rng, size or 10000)
    elif kind == "region":
        return _region(rng, size or 10000)
    else:
        raise ValueError("no such kind of model: " + kind)
    return m.model(kind, 17 if kind.endswith("attention") else 13)


def _trunk(m, menu):
    m.style.scope = ["stem"]
    x = b.conv_act(m, m.input("input", [1, 3, 64, 64]), 32, 3)
    for i in range(m.rng.randint(2, 6)):
        m.style.scope = ["layer%d" % (i + 1), "layer%d.%d" % (i + 1, m.rng.randrange(3))]
        x = m.rng.choice(menu)(m, x)
    m.style.scope = ["head"]
    m.output(_head(m, x))


def _head(m, x):
    """Adds a classifier or a detector, or returns the last tensor."""
    roll = m.rng.random()
    if roll < 0.25:
        return b.conv(m, x, 8, 1)
    if roll < 0.4:
        return m.like("Sigmoid", [x])
    n, c = m.shape[x][:2]
    y = m.op("GlobalAveragePool", [x], [n, c, 1, 1])
    y = m.quant.result(m, y) if m.quant else y
    if m.rng.random() < 0.7:
        y = m.op("Flatten", [y], [n, c], axis=1)
    else:
        y = m.op("Reshape", [y, m.ints([n, c])], [n, c])
    y = b.linear(m, y, 10, gemm=m.rng.random() < 0.6)
    if m.rng.random() < 0.3:
        y = m.like("Softmax", [y], axis=-1)
    return y


def _attention(m):
    m.style.scope = ["embed"]
    if m.rng.random() < 0.5:
        x = b.conv(m, m.input("input", [1, 3, 64, 64]), 64, 16, 16)
        x = m.op("Reshape", [x, m.ints([1, 64, 16])], [1, 64, 16])
        x = m.op("Transpose", [x], [1, 16, 64], perm=[0, 2, 1])
    else:
        ids = m.input("input_ids", [1, 16], I64)
        x = m.op("Gather", [m.weight("embed.weight", [100, 64]), ids], [1, 16, 64])
    for i in range(m.rng.randint(1, 3)):
        m.style.scope = ["encoder", "layers.%d" % i]
        x = b.attention(m, b.layer_norm(m, x) if m.rng.random() < 0.7 else x)
        x = b.feed_forward(m, b.layer_norm(m, x))
    m.style.scope = ["head"]
    m.output(b.linear(m, b.layer_norm(m, x), 10, False))


def _control(m):
    """A trunk with an If or a Loop in its middle."""
    x = b.conv_act(m, m.input("input", [1, 3, 32, 32]), 16, 3)
    shape = m.shape[x]
    if m.rng.random() < 0.5:
        s = m.op("ReduceSum", [x], [], keepdims=0)
        cond = m.op("Greater", [s, m.floats([0.0], "zero", [])], [])
        bodies = []
        for label in ("then", "else"):
            sub = Maker(m.rng, m.style, label + ".")
            sub.shape[x] = shape
            y = b.pointwise(sub, x)
            if y == x:
                y = sub.like("Identity", [x])
            sub.output(y)
            bodies.append(sub.body(label))
        x = m.op("If", [cond], shape, then_branch=bodies[0], else_branch=bodies[1])
    else:
        sub = Maker(m.rng, m.style, "body.")
        sub.input("i", [], I64)
        c = sub.input("cond", [], 9)
        acc = sub.input("acc", shape)
        y = b.pointwise(sub, acc)
        keep = sub.op("Identity", [c], [])
        sub.output(keep, 9)
        sub.output(sub.like("Identity", [y]) if y == acc else y)
        trips = m.value("trips", [], b"\3" + b"\0" * 7, I64)
        cond = m.value("cond", [], b"\1", 9)
        x = m.op("Loop", [trips, cond, x], shape, body=sub.body("body"))
    x = m.rng.choice([b.residual, b.pool, b.conv_act])(m, x)
    m.output(_head(m, x))


def _chain(rng, layers):
    """Residual blocks. A build has two layers for each block, and a few Reformats."""
    m = Maker(rng, Style(rng, "counter"))
    x = b.conv_act(m, m.input("input", [1, 3, 64, 64]), 32, 3, kind="Relu")
    for _ in range(layers * 10 // 21):
        y = b.act(m, b.conv(m, x, 32, 3), "Relu")
        x = b.act(m, m.like("Add", [b.conv(m, y, 32, 3), x]), "Relu")
    m.output(x)
    return m.model("chain")


def _region(rng, nodes):
    """A network of nodes that Myelin supports, so that one region can contain all of them."""
    m = Maker(rng, Style(rng, "counter"))
    x = m.input("input", [1, 16, 64])
    while m.count < nodes:
        x = b.feed_forward(m, b.attention(m, b.layer_norm(m, x)))
    m.output(x)
    return m.model("region", 17)
