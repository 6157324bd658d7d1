"""Pieces of networks that TensorRT's builder handles specially.

Every block takes a Maker and a tensor (NCHW, or batch, tokens, width) and returns one tensor, so
that blocks can be combined at random.
"""


def conv(m, x, ch, k=1, stride=1, groups=1, bias=True, bn=False):
    n, c, h, w = m.shape[x]
    shape = [n, ch, max(1, h // stride), max(1, w // stride)]
    src = m.quant.activation(m, x) if m.quant else x
    wt = m.weight("conv%d.weight" % m.count, [ch, c // groups, k, k])
    wt = m.quant.weight(m, wt, ch) if m.quant else wt
    ins = [src, wt]
    if bias:
        ins.append(m.quant.bias(m, "conv%d.bias" % m.count, ch) if m.quant
                   else m.weight("conv%d.bias" % m.count, [ch]))
    pad = k // 2
    y = m.op("Conv", ins, shape, kernel_shape=[k, k], strides=[stride, stride],
             pads=[pad] * 4, group=groups)
    if bn and not (m.quant and m.quant.kind == "ort"):
        y = batch_norm(m, y)
    return m.quant.result(m, y) if m.quant else y


def batch_norm(m, x):
    c = m.shape[x][1]
    ins = [x] + [m.weight("bn%d.%s" % (m.count, s), [c])
                 for s in ("weight", "bias", "mean", "var")]
    return m.like("BatchNormalization", ins)


def act(m, x, kind=None):
    kind = kind or m.rng.choice(["Relu", "Relu", "Relu", "Clip", "SiLU", "LeakyRelu"])
    if m.quant and m.quant.kind == "ort":
        return x                    # ONNX Runtime folds the activation into the range of the Q
    if kind == "SiLU":
        s = m.like("Sigmoid", [x])
        return m.like("Mul", [x, s])
    if kind == "Clip":
        return m.like("Clip", [x, m.floats([0.0], "min", []),
                               m.floats([6.0], "max", [])])
    return m.like(kind, [x])


def conv_act(m, x, ch=None, k=None, stride=1, kind=None):
    ch = ch or m.rng.choice([16, 32, 64])
    k = k or m.rng.choice([1, 3])
    y = conv(m, x, ch, k, stride, bias=m.rng.random() < 0.7, bn=m.rng.random() < 0.4)
    return act(m, y, kind)


def residual(m, x):
    """conv-relu-conv-add-relu, with or without a projection on the skip."""
    c = m.shape[x][1]
    project = m.rng.random() < 0.3
    ch = c * 2 if project and c < 256 else c
    bn = m.rng.random() < 0.5
    y = act(m, conv(m, x, ch, 3, bn=bn), "Relu")
    y = conv(m, y, ch, 3, bn=bn)
    skip = conv(m, x, ch, 1, bn=bn) if project else x
    if m.quant:
        skip = m.quant.skip(m, skip)
    ins = [y, skip] if m.rng.random() < 0.7 else [skip, y]
    y = m.like("Add", ins)
    return m.quant.result(m, act(m, y, "Relu")) if m.quant else act(m, y, "Relu")


def depthwise(m, x):
    c = m.shape[x][1]
    y = act(m, conv(m, x, c, 3, groups=c), "Clip")
    return conv(m, y, c, 1)


def squeeze_excite(m, x):
    n, c, _, _ = m.shape[x]
    s = m.op("GlobalAveragePool", [x], [n, c, 1, 1])
    s = act(m, conv(m, s, 8, 1), "Relu")
    s = m.like("Sigmoid", [conv(m, s, c, 1)])
    return m.like("Mul", [x, s])


def pool(m, x):
    n, c, h, w = m.shape[x]
    if h < 4:
        return x
    op = m.rng.choice(["MaxPool", "MaxPool", "AveragePool"])
    y = m.op(op, [x], [n, c, h // 2, w // 2], kernel_shape=[2, 2], strides=[2, 2])
    return m.quant.result(m, y) if m.quant else y


def branches(m, x):
    """Convolutions of one input, joined by a Concat."""
    n, _, h, w = m.shape[x]
    outs = []
    for _ in range(m.rng.randint(2, 4)):
        y = conv(m, x, 16, 1)
        if m.rng.random() < 0.6:
            y = act(m, y, "Relu")
        if m.rng.random() < 0.3:
            y = conv_act(m, y, 16, 3)
        outs.append(y)
    if m.rng.random() < 0.2:
        outs.append(x)
    ch = sum(m.shape[t][1] for t in outs)
    return m.op("Concat", outs, [n, ch, h, w], axis=1)


def heads(m, x):
    """Convolutions of one input whose results stay separate outputs (the heads of a detector)."""
    for _ in range(m.rng.randint(2, 3)):
        y = act(m, conv(m, x, 32, 3), "Relu")
        m.output(conv(m, y, 8, 1))
    return x


def split_join(m, x):
    """A Split or two Slices, a convolution of one part, and a Concat (the CSP pattern)."""
    n, c, h, w = m.shape[x]
    half = [n, c // 2, h, w]
    if m.rng.random() < 0.5:
        a, b = m.op("Split", [x], [half, half], outs=2, axis=1)
    else:
        a, b = (m.op("Slice", [x, m.ints([lo]), m.ints([hi]), m.ints([1])], half)
                for lo, hi in ((0, c // 2), (c // 2, c)))
    b = conv_act(m, b, c // 2, 3)
    return m.op("Concat", [a, b], [n, c, h, w], axis=1)


def upsample(m, x):
    n, c, h, w = m.shape[x]
    y = m.op("Resize", [x, "", m.floats([1, 1, 2, 2], "scales")], [n, c, h * 2, w * 2],
             mode="nearest")
    return y


def pointwise(m, x):
    """A chain of element-wise operations, with constants and a second use."""
    y = x
    for _ in range(m.rng.randint(1, 5)):
        op = m.rng.choice(["Sigmoid", "Tanh", "Exp", "Neg", "Add", "Mul", "Sub", "Relu"])
        if op in ("Add", "Mul", "Sub"):
            other = x if m.rng.random() < 0.4 and y != x else \
                m.floats([m.rng.random()], "c", [1])
            y = m.like(op, [y, other])
        else:
            y = m.like(op, [y])
    return y


def views(m, x):
    """Nodes that move no data: reshapes to another shape and back, Identity, Dropout, a Cast to the
    same type."""
    shape = m.shape[x]
    if len(shape) != 4:
        return m.like("Identity", [x])
    n, c, h, w = shape
    roll = m.rng.randrange(6)
    if roll == 0:
        y = m.op("Reshape", [x, m.ints([n, c, h * w])], [n, c, h * w])
        return m.op("Reshape", [y, m.ints(shape)], shape)
    if roll == 1:
        return m.like("Identity", [m.like("Identity", [x])])
    if roll == 2:
        return m.like("Dropout", [x])
    if roll == 3:
        return m.like("Cast", [x], to=1)
    if roll == 4:
        y = m.op("Unsqueeze", [x, m.ints([0])], [1] + shape)
        return m.op("Squeeze", [y, m.ints([0])], shape)
    return m.like("Reshape", [x, m.ints(shape)])


def transposes(m, x):
    n, c, h, w = m.shape[x]
    y = m.op("Transpose", [x], [n, h, w, c], perm=[0, 2, 3, 1])
    y = pointwise(m, y) if m.rng.random() < 0.5 else y
    return m.op("Transpose", [y], [n, c, h, w], perm=[0, 3, 1, 2])


def duplicates(m, x):
    """The same computation twice on the same input; an Add reads both results."""
    roll = m.rng.randrange(3)
    if roll == 0:
        a, b = (m.like("Sigmoid", [x]) for _ in range(2))
    elif roll == 1:
        a, b = (m.like("Relu", [m.like("Tanh", [x])]) for _ in range(2))
    else:
        k = m.floats([0.5], "k", [1])
        a, b = (m.like("Mul", [x, k]) for _ in range(2))
    return m.like("Add", [a, pool_same(m, b)])


def pool_same(m, x):
    return m.like("MaxPool", [x], kernel_shape=[3, 3], strides=[1, 1],
                  pads=[1, 1, 1, 1]) if len(m.shape[x]) == 4 else m.like("Neg", [x])


def constants(m, x):
    """Subexpressions of constants only."""
    c = m.shape[x][1]
    roll = m.rng.randrange(3)
    if roll == 0:
        k = m.op("Constant", [], [1], value_floats=[0.25])
        s = m.op("Shape", [k], [1])
        f = m.op("Cast", [s], [1], to=1)
        return m.like("Mul", [x, f])
    if roll == 1:
        w = m.weight("k%d" % m.count, [1, c, 1, 1])
        y = m.like("Add", [x, m.like("Mul", [m.like("Exp", [w]), m.like("Neg", [w])])])
        return y
    s = m.op("Shape", [x], [4])
    d = m.op("Gather", [s, m.ints([1])], [1], axis=0)
    f = m.op("Cast", [d], [1], to=1)
    return m.like("Div", [x, f])


def dead_end(m, x):
    """A dead branch: no node reads its result."""
    conv_act(m, x, 16, 1)
    return x


def linear(m, x, width, gemm):
    """A fully connected layer over the last axis."""
    shape = m.shape[x]
    src = m.quant.activation(m, x) if m.quant else x
    if gemm:
        w = m.weight("fc%d.weight" % m.count, [width, shape[-1]])
        w = m.quant.weight(m, w, width) if m.quant else w
        y = m.op("Gemm", [src, w, m.weight("fc%d.bias" % m.count, [width])],
                 shape[:-1] + [width], transB=1)
    else:
        w = m.weight("fc%d.weight" % m.count, [width, shape[-1]])
        if m.rng.random() < 0.4:
            w = m.quant.weight(m, w, width) if m.quant else w
            w = m.op("Transpose", [w], [shape[-1], width], perm=[1, 0])
        else:
            m.inits[-1].dims[:] = [shape[-1], width]
            m.shape[w] = [shape[-1], width]
            w = m.quant.weight(m, w, width, axis=1) if m.quant else w
        y = m.op("MatMul", [src, w], shape[:-1] + [width])
        if m.rng.random() < 0.8:
            ins = [y, m.weight("fc%d.bias" % m.count, [width])]
            y = m.op("Add", ins if m.rng.random() < 0.5 else ins[::-1], m.shape[y])
    return y


def layer_norm(m, x):
    c = m.shape[x][-1]
    if m.rng.random() < 0.4:
        return m.like("LayerNormalization",
                      [x, m.weight("ln%d.weight" % m.count, [c]),
                       m.weight("ln%d.bias" % m.count, [c])], axis=-1)
    small = m.shape[x][:-1] + [1]
    mean = m.op("ReduceMean", [x], small, axes=[-1], keepdims=1)
    d = m.like("Sub", [x, mean])
    sq = m.like("Pow", [d, m.floats([2.0], "two", [])])
    var = m.op("ReduceMean", [sq], small, axes=[-1], keepdims=1)
    std = m.like("Sqrt", [m.like("Add", [var, m.floats([1e-5], "eps", [])])])
    y = m.like("Div", [d, std])
    y = m.like("Mul", [y, m.weight("ln%d.weight" % m.count, [c])])
    return m.like("Add", [y, m.weight("ln%d.bias" % m.count, [c])])


def attention(m, x):
    """Multi-head attention with its transposes, softmax and residual."""
    b, t, c = m.shape[x]
    h = 4
    split, turned = [b, t, h, c // h], [b, h, t, c // h]

    def head(y, perm, out):
        y = m.op("Reshape", [y, m.ints(split)], split)
        return m.op("Transpose", [y], out, perm=perm)

    q, k, v = (linear(m, x, c, False) for _ in range(3))
    q, v = (head(y, [0, 2, 1, 3], turned) for y in (q, v))
    k = head(k, [0, 2, 3, 1], [b, h, c // h, t])
    q = m.like("Mul", [q, m.floats([0.125], "s", [])])
    s = m.op("MatMul", [q, k], [b, h, t, t])
    y = m.op("MatMul", [m.like("Softmax", [s], axis=-1), v], turned)
    y = m.op("Transpose", [y], split, perm=[0, 2, 1, 3])
    y = linear(m, m.op("Reshape", [y, m.ints([b, t, c])], [b, t, c]), c, False)
    return m.like("Add", [x, y])


def feed_forward(m, x):
    c = m.shape[x][-1]
    y = linear(m, x, 2 * c, False)
    if m.rng.random() < 0.5:
        y = m.like("Relu", [y])
    else:
        e = m.like("Erf", [m.like("Div", [y, m.floats([1.414], "r", [])])])
        e = m.like("Add", [e, m.floats([1.0], "one", [])])
        y = m.like("Mul", [m.like("Mul", [y, e]), m.floats([0.5], "half", [])])
    return m.like("Add", [x, linear(m, y, c, False)])
