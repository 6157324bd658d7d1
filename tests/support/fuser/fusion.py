"""Vertical fusions, and the names of the fused layers.

Each kind of fusion decides which node names the layer's name keeps: ConvReluFusion adds the name of
a fused Relu, QConvScaleFusion omits it. TensorRT versions differ in this, so each build draws these
decisions once at random.
"""
from . import quant

POINTWISE = {"Relu", "Sigmoid", "Tanh", "Exp", "Neg", "Add", "Mul", "Sub", "Div",
             "Clip", "LeakyRelu", "Erf", "Sqrt", "Pow", "Abs", "HardSwish", "Elu",
             "HardSigmoid", "Softplus", "Where", "Min", "Max", "Log", "Reciprocal",
             "And", "Or", "Not", "Greater", "Less", "Equal", "IsNaN"}
ACTIVATION = {"Relu", "Clip", "LeakyRelu", "Sigmoid", "Tanh", "Elu"}
CONVOLUTIONS = {"Conv", "ConvTranspose"}
SHUFFLES = {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}


class Habits:
    def __init__(self, w):
        self.bn_trace = w.roll(0.5)         # whether names mention a fused BatchNormalization
        self.relu_trace = w.roll(0.85)
        self.meta_silent_too = w.roll(0.5)  # whether Metadata also omits a node that the name omits
        self.pwn = w.gen.number < 10 or w.roll(0.3)
        self.bias_trace = w.roll(0.4)
        self.fuse = 1.0 if w.scale else w.rng.choice([0.6, 0.95])


def join(w, a, b, traced, event, sep=" + "):
    """Fuses layer b into layer a. If b is not `traced`, the name omits b, and Metadata may omit it,
    too."""
    words = b.name
    w.say("Running: %s on %s" % (event, a.name))
    w.say("%s: Fusing %s with %s" % (event, a.name, words) if traced
          else "Removing " + words)
    meta = list(a.meta)
    name = a.name + sep + words if traced else a.name
    w.fuse(a, b, name)
    if not traced and w.habits.meta_silent_too:
        a.meta = meta
    return a


def silu(w):
    """Fuses x * Sigmoid(x) into one pointwise expression."""
    for s in [x for x in w.layers.values() if x.op == "Sigmoid"]:
        mul = w.only_user(s)
        if mul is None or mul.op != "Mul" or s.fixed or mul.fixed or s.region \
                is not None or mul.region is not None \
                or sorted(mul.ins) != sorted([s.ins[0], s.outs[0]]):
            continue
        name = "PWN(PWN(%s), %s)" % (s.name, mul.name)
        w.say("PointWiseFusion: Fusing PWN(%s) with PWN(%s)" % (s.name, mul.name))
        root = mul.root
        w.fuse(s, mul, name)
        s.op, s.type, s.root = "SiLU", "PointWiseV2", root


def convolutions(w):
    """Fuses a Conv with a BatchNormalization, an activation, a residual Add and a second activation."""
    for c in [x for x in w.layers.values() if x.op in CONVOLUTIONS]:
        if c.region is not None:
            continue
        prefix, named = quant.weight_name(w, c.root)
        if prefix:
            c.name = prefix + c.name
            c.mentions += named
            w.say("ConstWeightsFusion: Fusing %s with %s" % (prefix[:-3], w.label(c.root)))
            if w.habits.meta_silent_too:
                c.meta = named + c.meta
        _tail(w, c)


def _tail(w, c):
    added = active = False
    while True:
        b = w.only_user(c)
        if b is None or b.fixed or b.region is not None or not w.roll(w.habits.fuse):
            return
        if b.op == "BatchNormalization" and not added and not active:
            join(w, c, b, w.habits.bn_trace, "ConvScaleFusion")
        elif b.op in ("Add", "Mul", "Sub") and len(b.ins) == 1 and not added \
                and not active:
            join(w, c, b, w.habits.bias_trace, "ConvScaleFusion")
        elif b.op in ACTIVATION | {"SiLU"} and not active:
            _activation(w, c, b)
            active = True
        elif b.op == "Add" and not added and not active and _residual(w, c, b):
            join(w, c, b, True, "ConvEltwiseSumFusion")
            added = True
        elif b.op == "MaxPool" and active and not added and w.gen.number < 10 \
                and w.roll(0.3):
            join(w, c, b, True, "ConvActPoolFusion")
            c.type = "CaskConvActPool"
            return
        else:
            return


def _residual(w, c, add):
    """Whether the Add is a residual: both of its inputs are activations, and the convolution still
    has one input. In a bias Add, one input is constant."""
    return len(add.ins) == 2 and len(c.ins) == 1


def _activation(w, c, b):
    if b.op == "Relu":
        join(w, c, b, w.habits.relu_trace, "ConvReluFusion")
    elif b.op == "SiLU":
        join(w, c, b, True, "GenericConvActFusion")
    else:
        if w.habits.pwn:
            b.name = "PWN(%s)" % b.name
        join(w, c, b, True, "ConvPointWiseClipFusion")


def matmuls(w):
    """Fuses a MatMul with its bias Add, which no name mentions, and its activation."""
    for g in [x for x in w.layers.values() if x.op in ("MatMul", "Gemm")]:
        if g.region is not None:
            continue
        prefix, named = quant.weight_name(w, g.root)
        if prefix:
            g.name = prefix + g.name
            g.mentions += named
        b = w.only_user(g)
        if g.op == "MatMul" and b is not None and b.op == "Add" and len(b.ins) == 1 \
                and not b.fixed and b.region is None and w.roll(0.8):
            join(w, g, b, False, "ConvReshapeBiasAddFusion")
            b = w.only_user(g)
        if b is not None and b.op == "Relu" and not b.fixed and b.region is None \
                and w.roll(0.8):
            join(w, g, b, True, "ConvReluFusion")


def pointwise(w):
    """Fuses the remaining elementwise layers into nested PWN expressions."""
    for b in [x for x in w.layers.values() if x.op in POINTWISE]:
        if b.id not in w.layers or b.fixed or b.region is not None:
            continue
        if w.gen.number < 8.2 or not w.roll(0.9):
            b.type = "ElementWise"
            continue
        _expression(w, b)


def _expression(w, b):
    parts = []
    for t in list(b.ins):
        a = w.only_maker(t)
        if a is not None and a.type == "PointWiseV2" and w.only_user(a) is b \
                and a.region is None and not a.fixed and w.roll(0.85):
            parts.append(a)
    args = [a.name for a in parts]
    if w.habits.bias_trace:
        args += ["%s + (Unnamed Layer* %d) [Shuffle]" % (t, 10 + b.root)
                 for t in w.net.nodes[b.root].ins if t in w.net.inits][:1]
    name = "PWN(%s)" % ", ".join(args + [b.name])
    w.say("Running: EltWiseToPointwiseConversion on " + b.name)
    op, root, whole = b.op, b.root, b
    for a in parts:
        w.say("PointWiseFusion: Fusing %s with %s" % (a.name, whole.name))
        whole = w.fuse(a, whole, name)
    whole.name, whole.op, whole.root = name, op, root
    whole.type = "PointWiseV2"


def shuffles(w):
    """Joins consecutive transposes and reshapes in one Shuffle."""
    for a in [x for x in w.layers.values() if x.op in SHUFFLES]:
        if a.id not in w.layers or a.region is not None:
            continue
        b = w.only_user(a)
        if b is not None and b.op in SHUFFLES and b.region is None and w.roll(0.7):
            name = a.name
            if a.type == "Reformat" or b.type == "Reformat":
                continue
            w.fuse(a, b, "%s + %s" % (name, b.name))
            w.say("ShuffleShuffleFusion: Fusing %s with %s" % (name, b.name))
            a.type, a.kind, a.loose = "Shuffle", "compute", True
