"""Quantized forms of small networks, as several quantizers write them; NETWORKS, FORMS, quantize(network, form).

ONNX Runtime's static quantizer in four forms, and by hand what QAT exports and other quantizers leave: pairs before
the operators that run in low precision, a pair for each consumer, pairs on the branches of additions, FP8, INT4
weights.  The scales are of ranges that ONNX Runtime computes, of one seeded input."""
import os
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from models import MODELS, Net  # noqa: E402


def blocks():
    """Residual blocks, one with a convolution on its skip branch."""
    net = Net(31)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, strides=[2, 2], norm=False)
    for c_in, c_out, stride in ((32, 32, 1), (32, 64, 2), (64, 64, 1)):
        y = net.conv(x, c_in, c_out, strides=[stride] * 2, norm=False)
        y = net.conv(y, c_out, c_out, act=None, norm=False)
        skip = x if c_in == c_out else net.conv(x, c_in, c_out, k=1, act=None, norm=False, strides=[2, 2])
        x = net.op("Relu", net.op("Add", y, skip))
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.op("Gemm", x, net.weight(10, 64), net.weight(10), transB=1), 1, 10)
    return net.model()


def inverted():
    """Inverted residuals: depthwise convolutions, additions without an activation."""
    net = Net(32)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, act="Relu", norm=False, strides=[2, 2])
    for _ in range(3):
        y = net.conv(x, 32, 96, k=1, norm=False)
        y = net.conv(y, 96, 96, group=96, norm=False)
        x = net.op("Add", x, net.conv(y, 96, 32, k=1, act=None, norm=False))
    net.output(net.conv(x, 32, 64, k=1, norm=False), 1, 64, 32, 32)
    return net.model()


def joined():
    """Branches of several widths, a pooling among them, that one Concat joins."""
    net = Net(33)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, norm=False, strides=[2, 2])
    for _ in range(2):
        a = net.conv(x, 32, 16, k=1, norm=False)
        b = net.conv(net.conv(x, 32, 16, k=1, norm=False), 16, 16, norm=False)
        c = net.conv(net.op("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1]), 32, 16, k=1, norm=False)
        d = net.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1])
        x = net.conv(net.op("Concat", a, b, c, d, axis=1), 80, 32, k=1, norm=False)
    net.output(net.conv(x, 32, 32, norm=False), 1, 32, 32, 32)
    return net.model()


def pyramid():
    """Maps of three sizes, each joined with the next, which other convolutions read as well; heads on each."""
    net = Net(36)
    x, maps = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, norm=False, strides=[2, 2]), []
    for _ in range(3):
        x = net.conv(net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 32, 32, norm=False)
        maps.append(x)
    for low, high in ((1, 0), (2, 1)):
        up = net.op("Resize", maps[low], "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
        both = net.op("Concat", up, maps[high], axis=1)
        maps[high] = net.conv(both, 64, 32, k=1, norm=False)
        net.output(net.conv(both, 64, 16, act=None, norm=False), 1, 16, 16 >> high, 16 >> high)
    for i, x in enumerate(maps):
        net.output(net.conv(net.op("Concat", x, net.conv(x, 32, 32, norm=False), axis=1), 64, 8, k=1, act=None, norm=False),
                   1, 8, 16 >> i, 16 >> i)
    return net.model()


def unet():
    """Down and up again, with copies of what was before: MaxPool, ConvTranspose, Concat."""
    net = Net(34)
    one = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, norm=False)
    two = net.conv(net.op("MaxPool", one, kernel_shape=[2, 2], strides=[2, 2]), 32, 64, norm=False)
    low = net.conv(net.op("MaxPool", two, kernel_shape=[2, 2], strides=[2, 2]), 64, 64, norm=False)
    x = net.op("ConvTranspose", low, net.weight(64, 32, 2, 2), kernel_shape=[2, 2], strides=[2, 2])
    x = net.conv(net.op("Concat", x, two, axis=1), 96, 32, norm=False)
    x = net.op("Resize", x, "", net.const(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
    x = net.conv(net.op("Concat", x, one, axis=1), 64, 32, norm=False)
    net.output(net.conv(x, 32, 16, k=1, act=None, norm=False), 1, 16, 64, 64)
    return net.model()


def excited():
    """Squeeze and excitation, SiLU, a residual."""
    net = Net(35)
    x = net.conv(net.input("image", 1, 3, 64, 64), 3, 32, act="Silu", norm=False, strides=[2, 2])
    for _ in range(2):
        y = net.conv(net.conv(x, 32, 64, k=1, act="Silu", norm=False), 64, 64, act="Silu", group=64, norm=False)
        s = net.conv(net.op("GlobalAveragePool", y), 64, 16, k=1, act="Relu", norm=False)
        y = net.op("Mul", y, net.conv(s, 16, 64, k=1, act="Sigmoid", norm=False))
        x = net.op("Add", net.conv(y, 64, 32, k=1, act=None, norm=False), x)
    net.output(net.conv(x, 32, 32, k=1, act=None, norm=False), 1, 32, 32, 32)
    return net.model()


NETWORKS = {f.__name__: f for f in (blocks, inverted, joined, pyramid, unet, excited)}
NETWORKS.update({name: MODELS[name] for name in ("detector", "encoder", "residual", "branches", "scaled")})

# ------------------------------------------------------------------------------------ ranges


def values(model):
    """Every tensor of a run on a seeded input, by name."""
    import onnxruntime
    shown = onnx.ModelProto.FromString(model.SerializeToString())
    del shown.graph.output[:]
    for node in shown.graph.node:
        shown.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in node.output if name)
    session = onnxruntime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    feed = inputs(session)
    made = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))
    return {**made, **feed}


def inputs(session, seed=7):
    """Numbers of the normal distribution; zeros and ones where an input takes integers."""
    random = np.random.default_rng(seed)
    floats = {"tensor(float)": np.float32, "tensor(float16)": np.float16}

    def drawn(given):
        shape = [d if isinstance(d, int) else 2 for d in given.shape]
        if given.type in floats:
            return random.standard_normal(shape).astype(floats[given.type])
        return random.integers(0, 2, shape).astype({"tensor(bool)": bool, "tensor(int32)": np.int32}.get(given.type, np.int64))
    return {i.name: drawn(i) for i in session.get_inputs()}


# ---------------------------------------------------------------------------------- by hand

NARROW = ("Conv", "ConvTranspose", "Gemm", "MatMul")


class Hand:
    """Puts pairs into a network."""

    def __init__(self, model, type=TensorProto.INT8, own=False, residual=False, per_channel=True):
        self.model = onnx.ModelProto.FromString(model.SerializeToString())
        self.graph, self.own, self.residual, self.per_channel = self.model.graph, own, residual, per_channel
        self.values, self.type, self.made = values(model), type, {}
        self.weights = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}
        self.nodes = []
        if type == TensorProto.FLOAT8E4M3FN:
            self.model.opset_import[0].version = max(19, self.model.opset_import[0].version)

    def const(self, name, array):
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def zero(self, name, n):
        self.graph.initializer.append(helper.make_tensor(name, self.type, [] if n == 0 else [n], [0] * max(n, 1)))
        return name

    def pair(self, tensor, reader):
        key = (tensor, reader if self.own else "")
        if key not in self.made:
            base = f"{tensor}_{len(self.made)}"
            most = 448 if self.type == TensorProto.FLOAT8E4M3FN else 127
            scale = self.const(base + "_scale", np.float32(max(float(np.abs(self.values[tensor]).max()), 1e-3) / most))
            zero = self.zero(base + "_zero", 0)
            self.nodes.append(helper.make_node("QuantizeLinear", [tensor, scale, zero], [base + "_q"], name=base + "_QuantizeLinear"))
            self.nodes.append(helper.make_node("DequantizeLinear", [base + "_q", scale, zero], [base + "_dq"],
                                               name=base + "_DequantizeLinear"))
            self.made[key] = base + "_dq"
        return self.made[key]

    def stored(self, name, axis):
        """A DQ of weights: of INT8 as numbers, of FP8 behind a Q, which the builder folds."""
        if (name, "w") in self.made:
            return self.made[name, "w"]
        w = self.weights[name]
        rest = tuple(i for i in range(w.ndim) if i != axis)
        most = 448 if self.type == TensorProto.FLOAT8E4M3FN else 127
        scales = np.maximum(np.abs(w).max(axis=rest if self.per_channel else None), 1e-6).astype(np.float32) / np.float32(most)
        n = len(scales) if self.per_channel else 0
        scale, zero, more = self.const(name + "_wscale", scales), self.zero(name + "_wzero", n), {"axis": axis} if n else {}
        if self.type == TensorProto.INT8:
            shape = [-1 if i == axis else 1 for i in range(w.ndim)]
            narrow = self.const(name + "_int8", np.clip(np.round(w / scales.reshape(shape if n else [])), -127, 127).astype(np.int8))
        else:
            narrow = name + "_narrow"
            self.nodes.append(helper.make_node("QuantizeLinear", [name, scale, zero], [narrow], name=name + "_wq", **more))
        self.nodes.append(helper.make_node("DequantizeLinear", [narrow, scale, zero], [name + "_dq"], name=name + "_wdq", **more))
        self.made[name, "w"] = name + "_dq"
        return name + "_dq"

    def quantize(self):
        makers = {o: node for node in self.graph.node for o in node.output}
        for node in list(self.graph.node):
            if node.op_type in NARROW:
                for i in range(2):
                    stored = node.input[i] in self.weights
                    axis = {"Conv": 0, "ConvTranspose": 1}.get(node.op_type, 1)
                    if node.op_type == "Gemm":
                        axis = 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
                    node.input[i] = self.stored(node.input[i], axis) if stored else self.pair(node.input[i], node.name)
            elif node.op_type == "Add" and self.residual and not any(i in self.weights for i in node.input):
                skip = next((i for i in (1, 0) if self.skips(node, i, makers)), None)
                if skip is not None:
                    node.input[skip] = self.pair(node.input[skip], node.name)
            self.nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        return self.model

    @staticmethod
    def skips(node, i, makers):
        other = makers.get(node.input[1 - i])
        return other is not None and other.op_type == "Conv"


# --------------------------------------------------------------------------------- with a fault


class Faulty(Hand):
    """As Hand, with one kind of fault wherever it can be."""

    def __init__(self, model, fault):
        super().__init__(model, residual=fault != "residual", own=fault == "unequal")
        self.fault, self.n = fault, 0

    def pair(self, tensor, reader):
        self.n += 1
        if self.fault == "missing" and self.n % 3 == 2:
            return tensor
        made = super().pair(tensor, reader)
        if self.fault == "unequal":
            for t in self.graph.initializer:
                if t.name == made.removesuffix("_dq") + "_scale":
                    t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t) * np.float32(1 + 0.1 * (self.n % 3)), t.name))
        return made

    def quantize(self):
        model, nodes = super().quantize(), []
        for node in list(self.graph.node):
            nodes.append(node)
            inside = {"inside": ("Conv",), "silu": ("Sigmoid",), "softmax": ("Softmax", "MatMul")}.get(self.fault, ())
            before = {"before_concat": ("Concat",), "softmax": ("Softmax",)}.get(self.fault, ())
            if node.op_type in before:
                self.nodes = nodes[:-1]
                for i, name in enumerate(node.input):
                    if name in self.values:
                        node.input[i] = super().pair(name, node.name)
                nodes = self.nodes + [node]
            if node.op_type in inside and node.output[0] in self.values:
                self.nodes = nodes
                out = super().pair(node.output[0], "inside")
                for other in self.graph.node:
                    if other.op_type not in ("QuantizeLinear", "DequantizeLinear"):
                        for i, name in enumerate(other.input):
                            other.input[i] = out if name == node.output[0] else name
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        return model


def int4(model):
    """Weights of products alone, in blocks of 32, of 4 bits."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.opset_import[0].version = 21
    weights = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    nodes = []
    for node in list(model.graph.node):
        w = weights.get(node.input[1]) if node.op_type == "MatMul" else None
        if w is not None and w.shape[0] % 32 == 0:
            name, rows = node.name + "_w", w.shape[0] // 32
            scales = (np.abs(w.reshape(rows, 32, -1)).max(axis=1) / 7).astype(np.float32)
            narrow = np.clip(np.round(w / np.repeat(scales, 32, axis=0)), -8, 7).astype(np.int64).flatten()
            packed = ((narrow[0::2] & 15) | ((narrow[1::2] & 15) << 4)).astype(np.uint8).tobytes()
            model.graph.initializer.append(TensorProto(name=name, data_type=22, dims=w.shape, raw_data=packed))
            model.graph.initializer.append(numpy_helper.from_array(scales, name + "_scale"))
            nodes.append(helper.make_node("DequantizeLinear", [name, name + "_scale"], [name + "_dq"], name=name + "_dq",
                                          axis=0, block_size=32))
            node.input[1] = name + "_dq"
        nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


class Narrower(Hand):
    """Pairs of INT8 before products whose weights int4() stored, which no kernel multiplies with each other."""

    def pair(self, tensor, reader):
        return tensor if tensor.endswith("_w_dq") else super().pair(tensor, reader)


# ------------------------------------------------------------------------------ ONNX Runtime


def static(model, **options):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    import onnxruntime

    class Reader(CalibrationDataReader):
        def __init__(self, path):
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            self.feeds = iter([inputs(session)])

        def get_next(self):
            return next(self.feeds, None)

    uint8 = options.pop("uint8", False)
    types = options.pop("types", None)
    more = {"ActivationSymmetric": not uint8, "WeightSymmetric": True, **options}
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "m.onnx"), os.path.join(folder, "q.onnx")
        onnx.save(model, path)
        quantize_static(path, out, Reader(path), quant_format=QuantFormat.QDQ, per_channel=True, extra_options=more,
                        activation_type=QuantType.QUInt8 if uint8 else QuantType.QInt8, weight_type=QuantType.QInt8,
                        op_types_to_quantize=types)
        return onnx.load(out)


def modelopt(model, mode="int8", **options):
    """NVIDIA ModelOpt's quantizer, where this python has it."""
    from modelopt.onnx.quantization import quantize as quantizer
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "m.onnx"), os.path.join(folder, "q.onnx")
        onnx.save(model, path)
        import onnxruntime
        feed = inputs(onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]))
        quantizer(path, quantize_mode=mode, calibration_data=feed, output_path=out, calibration_eps=["cpu"],
                  high_precision_dtype="fp32", log_level="ERROR", **options)
        return onnx.load(out)


TENSORRT = {"types": ["Conv", "Add", "MatMul", "Gemm"], "QuantizeBias": False, "AddQDQPairToWeight": True,
            "OpTypesToExcludeOutputQuantization": ["Conv", "Add", "MatMul", "Gemm"]}

FORMS = {
    "ort": lambda m: static(m, QuantizeBias=False),
    "ort_dedicated": lambda m: static(m, DedicatedQDQPair=True, QuantizeBias=False),
    "ort_tensorrt": lambda m: static(m, **TENSORRT),
    "ort_tensorrt_dedicated": lambda m: static(m, DedicatedQDQPair=True, **TENSORRT),
    "ort_uint8": lambda m: static(m, uint8=True, QuantizeBias=False),
    "before": lambda m: Hand(m).quantize(),
    "each": lambda m: Hand(m, own=True).quantize(),
    "skips": lambda m: Hand(m, residual=True).quantize(),
    "skips_each": lambda m: Hand(m, own=True, residual=True).quantize(),
    "one_scale": lambda m: Hand(m, per_channel=False).quantize(),
    "fp8": lambda m: Hand(m, TensorProto.FLOAT8E4M3FN).quantize(),
    "fp8_skips": lambda m: Hand(m, TensorProto.FLOAT8E4M3FN, residual=True).quantize(),
    "int4": int4,
    "int4_int8": lambda m: Narrower(int4(m)).quantize(),
    "modelopt": modelopt,
    "modelopt_fp8": lambda m: modelopt(m, "fp8"),
    **{"faulty_" + fault: (lambda m, fault=fault: Faulty(m, fault).quantize())
       for fault in ("missing", "unequal", "inside", "silu", "softmax", "before_concat")},
}


def quantize(network, form):
    return FORMS[form](NETWORKS[network]())
