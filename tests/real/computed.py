"""computed.py BINARY FOLDER SHARED [MODEL...]: what programs that `code` writes compute, against ONNX Runtime's outputs of the model.

No GPU runs the engine, so the program defines its network on a stand-in for TensorRT's API, which computes each layer
as TensorRT documents it: most in NumPy, convolutions, pools and resizes as a model of one node by ONNX Runtime.
Weights are random, inputs too.  A wrong attribute, weight or order of operands shows as an error of tens of percent;
outputs may differ by rounding, which a quantizer makes a step of."""
import importlib.util
import os
import subprocess
import sys
import types

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {"resnet18_qat_ts": "models/resnet18_qat_ts.onnx", "vit_b_16_ts": "models/vit_b_16_ts.onnx",
          "bert12_dynamo": "models/bert12_dynamo.onnx", "yolo_like": "zoo/cases/yolo_like/model.onnx",
          "lstm_ts": "models/lstm_ts.onnx", "gru_tts": "zoo-2/cases/gru_tts/model.onnx",
          "crnn": "zoo-2/cases/crnn/model.onnx", "whisper_enc": "zoo-2/cases/whisper_enc/model.onnx",
          "raft_small": "zoo-2/cases/raft_small/model.onnx", "unet_deconv": "zoo/cases/unet_deconv/model.onnx"}
LIMIT = 0.02
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


# ------------------------------------------------------------------------------------------------------- the stand-in

class Word(str):
    """A word of an enumeration: "SUM"."""
    def __int__(self):
        return 0


class Words(type):
    def __getattr__(cls, name):
        return Word(name)


TYPES = {"float32": np.float32, "float16": np.float16, "int64": np.int64, "int32": np.int32, "bool": np.bool_,
         "int8": np.int8, "uint8": np.uint8, "bfloat16": ml_dtypes.bfloat16}


def run_node(op, *inputs, **attributes):
    """A node of ONNX's, run by ONNX Runtime."""
    names = [f"i{k}" if it is not None else "" for k, it in enumerate(inputs)]
    given = {n: np.ascontiguousarray(it) for n, it in zip(names, inputs) if n}
    info = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(it.dtype), it.shape) for n, it in given.items()]
    out = helper.make_empty_tensor_value_info("o")
    graph = helper.make_graph([helper.make_node(op, names, ["o"], **attributes)], "g", info, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return session(model.SerializeToString()).run(None, given)[0]


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Tensor:
    """A tensor of the network, computed when somebody asks; `cache` has what is known in one step of a loop."""
    def __init__(self, layer, which=0):
        self.layer, self.which, self.name, self.is_network_input, self.is_network_output = layer, which, "", False, False

    def value(self, cache=None):
        cache = KNOWN if cache is None else cache
        if self not in cache:
            made = self.layer.compute(*[it.value(cache) for it in self.layer.inputs if it is not None])
            for k, it in enumerate(made if isinstance(made, tuple) else (made,)):
                cache[self.layer.get_output(k)] = it
        return cache[self]

    shape = property(lambda self: tuple(self.value().shape))
    dtype = property(lambda self: next(k for k, t in TYPES.items() if self.value().dtype == t))


KNOWN = {}


class Layer:
    """What a function computes of inputs; settings are whatever the program sets."""
    def __init__(self, compute, *inputs, **settings):
        self.function, self.inputs, self.made = compute, list(inputs), {}
        self.__dict__.update(settings)

    def compute(self, *values):
        return self.function(self, *values)

    def get_output(self, which):
        return self.made.setdefault(which, Tensor(self, which))

    def get_input(self, which):
        return self.inputs[which]

    def set_input(self, which, tensor):
        self.inputs += [None] * (which + 1 - len(self.inputs))
        self.inputs[which] = tensor


def pads(layer):
    rank = len(layer.inputs[0].shape) - 2
    same = getattr(layer, "padding_nd", (0,) * rank)
    return list(getattr(layer, "pre_padding", same)) + list(getattr(layer, "post_padding", same))


def window(layer):
    rank = len(layer.inputs[0].shape) - 2
    return {"strides": list(getattr(layer, "stride_nd", (1,) * rank)), "pads": pads(layer)}


BINARY = {"SUM": np.add, "PROD": np.multiply, "SUB": np.subtract, "DIV": np.divide, "MAX": np.maximum, "MIN": np.minimum,
          "POW": np.power, "EQUAL": np.equal, "GREATER": np.greater, "LESS": np.less, "AND": np.logical_and,
          "OR": np.logical_or, "XOR": np.logical_xor, "FLOOR_DIV": np.floor_divide}
UNARY = {"SQRT": np.sqrt, "EXP": np.exp, "LOG": np.log, "ABS": np.abs, "NEG": np.negative, "RECIP": np.reciprocal,
         "SIN": np.sin, "COS": np.cos, "FLOOR": np.floor, "CEIL": np.ceil, "NOT": np.logical_not, "ROUND": np.rint,
         "SIGN": np.sign, "ISNAN": np.isnan, "ISINF": np.isinf, "ERF": lambda x: run_node("Erf", x)}
ACTIVATION = {"RELU": lambda l, x: np.maximum(x, 0), "SIGMOID": lambda l, x: 1 / (1 + np.exp(-x)), "TANH": lambda l, x: np.tanh(x),
              "CLIP": lambda l, x: np.clip(x, x.dtype.type(l.alpha), x.dtype.type(l.beta)),
              "LEAKY_RELU": lambda l, x: np.where(x < 0, x * x.dtype.type(l.alpha), x),
              "HARD_SIGMOID": lambda l, x: np.clip(x * l.alpha + l.beta, 0, 1).astype(x.dtype),
              "SOFTPLUS": lambda l, x: l.alpha * np.log(1 + np.exp(x * l.beta)),
              "GELU_ERF": lambda l, x: x * (1 + run_node("Erf", x / np.sqrt(x.dtype.type(2)))) / 2}
REDUCE = {"AVG": np.mean, "SUM": np.sum, "MAX": np.max, "MIN": np.min, "PROD": np.prod}


def axes_of(mask):
    return tuple(i for i in range(32) if mask >> i & 1)


def shuffle(layer, x, shape=None):
    x = x.transpose(layer.first_transpose) if hasattr(layer, "first_transpose") else x
    shape = getattr(layer, "reshape_dims", None) if shape is None else [int(n) for n in shape]
    if shape is not None:
        kept = getattr(layer, "zero_is_placeholder", True)
        x = x.reshape([x.shape[i] if n == 0 and kept else n for i, n in enumerate(shape)])
    return x.transpose(layer.second_transpose) if hasattr(layer, "second_transpose") else x


def take_slice(layer, x, *more):
    given = dict(zip([i for i, it in enumerate(layer.inputs) if it is not None and i], more))
    start, size, stride = (given.get(i, fixed) for i, fixed in ((1, layer.start), (2, layer.size), (3, layer.stride)))
    mode = getattr(layer, "mode", "STRICT_BOUNDS")
    for axis, (at, n, every) in enumerate(zip(start, size, stride)):
        places = at + every * np.arange(n)
        if mode == "WRAP":
            places %= x.shape[axis]
        outside = (places < 0) | (places >= x.shape[axis])
        if mode == "REFLECT":
            most = x.shape[axis] - 1
            places = most - np.abs(most - np.abs(places))
        x = np.take(x, np.clip(places, 0, x.shape[axis] - 1), axis)
        if mode == "FILL" and outside.any():
            fill = given.get(4, np.zeros((), x.dtype))
            x = np.where(outside.reshape([-1 if i == axis else 1 for i in range(x.ndim)]), fill, x)
    return x


def quantize(layer, x, scale):
    scale = by_axis(layer, x, scale)
    return np.clip(np.rint(x / scale), -128, 127).astype(np.int8)


def by_axis(layer, x, scale):
    return scale.reshape([-1 if i == layer.axis else 1 for i in range(x.ndim)]) if scale.ndim == 1 and scale.size > 1 else scale


def normalize(layer, x, scale, bias):
    axes, groups, whole = axes_of(layer.axes), getattr(layer, "num_groups", 1), x.shape
    if groups > 1:
        x = x.reshape(whole[0], groups, -1)
        axes = (2,)
    x = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + x.dtype.type(layer.epsilon))
    return x.reshape(whole) * scale + bias


def multiply(layer, a, b):
    turn = {"NONE": lambda t: t, "TRANSPOSE": lambda t: t.swapaxes(-1, -2), "VECTOR": lambda t: t}
    return turn[layer.kinds[0]](a) @ turn[layer.kinds[1]](b)


def convolve(op):
    def compute(layer, x, *more):
        given = dict(zip([i for i, it in enumerate(layer.inputs) if it is not None and i], more))
        groups = getattr(layer, "num_groups", 1)
        first = (layer.maps, x.shape[1] // groups) if op == "Conv" else (x.shape[1], layer.maps // groups)
        kernel = given[1] if 1 in given else layer.kernel.reshape(*first, *layer.window)
        bias = given.get(2, layer.bias)
        dilations = list(getattr(layer, "dilation_nd", (1,) * len(layer.window)))
        return run_node(op, x, kernel.astype(x.dtype), None if bias is None else bias.astype(x.dtype), group=groups,
                        dilations=dilations, **window(layer))
    return compute


def pool(layer, x):
    up = getattr(layer, "padding_mode", "") == "EXPLICIT_ROUND_UP"
    if layer.kind == "MAX":
        return run_node("MaxPool", x, kernel_shape=list(layer.window), ceil_mode=int(up), **window(layer))
    counts = not getattr(layer, "average_count_excludes_padding", True)
    return run_node("AveragePool", x, kernel_shape=list(layer.window), count_include_pad=int(counts), ceil_mode=int(up), **window(layer))


def resize(layer, x, shape=None):
    place = {"HALF_PIXEL": "half_pixel", "ASYMMETRIC": "asymmetric", "ALIGN_CORNERS": "align_corners"}[layer.coordinate_transformation]
    near = {"HALF_DOWN": "round_prefer_floor", "HALF_UP": "round_prefer_ceil", "FLOOR": "floor", "CEIL": "ceil"}
    shape = getattr(layer, "shape", None) if shape is None else shape
    scales = np.array(layer.scales, np.float32) if shape is None else None
    return run_node("Resize", x, None, scales, None if shape is None else np.array(shape, np.int64), mode=layer.resize_mode.lower(),
                    coordinate_transformation_mode=place, nearest_mode=near[layer.nearest_rounding])


def top_k(layer, x):
    order = np.argsort(-x if layer.operation == "MAX" else x, layer.along, kind="stable").take(np.arange(layer.k), layer.along)
    return np.take_along_axis(x, order, layer.along), order.astype(np.int32)


def scatter(layer, x, indices, updates):
    x = x.copy()
    if layer.mode == "ELEMENT":
        np.put_along_axis(x, indices, updates, layer.axis)
    else:
        x[tuple(np.moveaxis(indices, -1, 0))] = updates
    return x


def sample(layer, x, grid):
    edge = {"FILL": "zeros", "CLAMP": "border", "REFLECT": "reflection"}[layer.sample_mode]
    return run_node("GridSample", x, grid, mode={"LINEAR": "bilinear", "NEAREST": "nearest", "CUBIC": "bicubic"}[layer.interpolation_mode],
                    padding_mode=edge, align_corners=int(layer.align_corners))


class Loop:
    """Runs its steps one after another when somebody asks for an output."""
    def __init__(self):
        self.iterators, self.states, self.limit = [], [], None

    def add_trip_limit(self, tensor, _):
        self.limit = tensor

    def add_iterator(self, x, axis, backwards):
        self.iterators.append((Layer(None, x), axis, backwards))
        return self.iterators[-1][0]

    def add_recurrence(self, first):
        self.states.append(Layer(None, first))
        return self.states[-1]

    def add_loop_output(self, tensor, kind, axis=0):
        return Layer(lambda layer, *_: self.run(tensor, kind, axis))

    def run(self, tensor, kind, axis):
        steps, every = int(self.limit.value()), []
        states = [it.inputs[0].value() for it in self.states]
        for step in range(steps):
            cache = dict(KNOWN)
            cache.update((it.get_output(0), value) for it, value in zip(self.states, states))
            for it, along, backwards in self.iterators:
                cache[it.get_output(0)] = it.inputs[0].value().take(steps - 1 - step if backwards else step, along)
            if kind != "LAST_VALUE":
                every.append(tensor.value(cache))
            states = [it.inputs[1].value(cache) for it in self.states]
        if kind == "LAST_VALUE":
            return states[[it.get_output(0) for it in self.states].index(tensor)]
        return np.stack(every[::-1] if kind == "REVERSE" else every, axis)


class Network:
    """The functions of INetworkDefinition that programs call."""
    def __init__(self, inputs):
        self.fed, self.outputs, self.layers, self.num_layers = inputs, [], [], 0

    def layer(self, compute, *inputs, **settings):
        self.layers.append(Layer(compute, *inputs, **settings))
        self.num_layers += 1
        return self.layers[-1]

    def get_layer(self, which):
        return self.layers[which]

    def add_input(self, name, _, __):
        tensor = Tensor(None)
        tensor.is_network_input = True
        KNOWN[tensor] = self.fed[name]
        return tensor

    def mark_output(self, tensor):
        self.outputs.append(tensor)

    add_loop = staticmethod(Loop)
    add_constant = lambda s, shape, w: s.layer(lambda l: w.values.reshape(shape))
    add_identity = lambda s, x: s.layer(lambda l, v: v, x)
    add_cast = lambda s, x, to: s.layer(lambda l, v: v.astype(TYPES[to]), x)
    add_shape = lambda s, x: s.layer(lambda l, v: np.array(v.shape, np.int64), x)
    add_elementwise = lambda s, a, b, op: s.layer(lambda l, v, w: divide(v, w) if op == "DIV" else BINARY[op](v, w), a, b)
    add_unary = lambda s, x, op: s.layer(lambda l, v: UNARY[op](v), x)
    add_activation = lambda s, x, kind: s.layer(lambda l, v: ACTIVATION[kind](l, v), x)
    add_scale_nd = lambda s, x, _, shift, scale, power, axis: s.layer(
        lambda l, v: v * by_axis(l, v, scale.values) + by_axis(l, v, shift.values), x, axis=axis)
    add_quantize = lambda s, x, scale, _: s.layer(quantize, x, scale, axis=1)
    add_dequantize = lambda s, x, scale, _: s.layer(lambda l, v, c: v.astype(np.float32) * by_axis(l, v, c), x, scale, axis=1)
    add_matrix_multiply = lambda s, a, ka, b, kb: s.layer(multiply, a, b, kinds=(ka, kb))
    add_normalization_v2 = lambda s, x, scale, bias, axes: s.layer(normalize, x, scale, bias, axes=axes, epsilon=1e-5)
    add_normalization = add_normalization_v2  # its name before TensorRT 10.15
    add_reduce = lambda s, x, op, axes, keep: s.layer(lambda l, v: REDUCE[op](v, axes_of(axes), keepdims=keep).astype(v.dtype), x)
    add_softmax = lambda s, x: s.layer(lambda l, v: run_node("Softmax", v, axis=axes_of(l.axes)[0]), x)
    add_shuffle = lambda s, x: s.layer(shuffle, x)
    add_squeeze = lambda s, x, axes: s.layer(lambda l, v, a: v.squeeze(tuple(int(i) for i in a)), x, axes)
    add_unsqueeze = lambda s, x, axes: s.layer(lambda l, v, a: np.expand_dims(v, tuple(int(i) for i in a)), x, axes)
    add_gather = lambda s, x, i, axis: s.layer(lambda l, v, w: v.take(w, axis), x, i)
    add_gather_v2 = lambda s, x, i, mode: s.layer(lambda l, v, w: np.take_along_axis(v, w, l.axis) if mode == "ELEMENT" else
                                                  run_node("GatherND", v, w, batch_dims=getattr(l, "num_elementwise_dims", 0)), x, i)
    add_slice = lambda s, x, start, size, stride: s.layer(take_slice, x, start=start, size=size, stride=stride)
    add_concatenation = lambda s, parts: s.layer(lambda l, *v: np.concatenate(v, getattr(l, "axis", 0)), *parts)
    add_select = lambda s, c, a, b: s.layer(lambda l, *v: np.where(*v), c, a, b)
    add_einsum = lambda s, parts, text: s.layer(lambda l, *v: np.einsum(text, *v), *parts)
    add_convolution_nd = lambda s, x, maps, size, kernel, bias: s.layer(
        convolve("Conv"), x, maps=maps, window=size, kernel=kernel.values, bias=bias.values)
    add_deconvolution_nd = lambda s, x, maps, size, kernel, bias: s.layer(
        convolve("ConvTranspose"), x, maps=maps, window=size, kernel=kernel.values, bias=bias.values)
    add_pooling_nd = lambda s, x, kind, size: s.layer(pool, x, kind=kind, window=size)
    add_resize = lambda s, x: s.layer(resize, x, nearest_rounding="FLOOR")
    add_topk = lambda s, x, op, k, axes: s.layer(top_k, x, operation=op, k=k, along=axes_of(axes)[0])
    add_scatter = lambda s, x, i, u, mode: s.layer(scatter, x, i, u, mode=mode, axis=0)
    add_grid_sample = lambda s, x, grid: s.layer(sample, x, grid)


def divide(a, b):
    """Whole numbers are divided toward zero."""
    if np.issubdtype(a.dtype, np.integer):
        return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)
    return a / b


class Weights:
    def __init__(self, values=None, *_):
        self.values = values


def stand_in():
    module = types.ModuleType("tensorrt")
    module.__getattr__ = lambda name: Words(name, (), {})
    module.Weights, module.ITensor, module.INetworkDefinition = Weights, Tensor, Network
    module.nptype = lambda name: TYPES[name]
    for name in TYPES:
        setattr(module, name, name)
    return module


# ---------------------------------------------------------------------------------------------------------- the judge

def feed(inputs, numbers):
    out = {}
    for it in inputs:
        shape = [n if isinstance(n, int) else 2 for n in it.shape]
        kind = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}[it.type]
        out[it.name] = (numbers.standard_normal(shape) if kind == np.float32 else numbers.integers(0, 2, shape)).astype(kind)
    return out


def judge(binary, folder, name, model):
    filled, program = os.path.join(folder, f"{name}.onnx"), os.path.join(folder, f"{name}.py")
    proto = onnx.load(model, load_external_data=False)
    build_engine.fill(proto, 7)
    onnx.save(proto, filled)
    written = subprocess.run([binary, "code", filled, "-o", program], capture_output=True, text=True, check=False)
    if not check(not written.returncode, f"{name}: {written.stderr}"):
        return
    whole = session(filled)
    fed = feed(whole.get_inputs(), np.random.default_rng(7))
    wanted = whole.run(None, fed)
    KNOWN.clear()
    spec = importlib.util.spec_from_file_location(f"program_{name}", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    network = Network(fed)
    module.define(network, filled)
    worst = 0
    for info, value, tensor in zip(whole.get_outputs(), wanted, network.outputs):
        got = tensor.value()
        if not check(got.shape == value.shape and got.dtype == value.dtype,
                     f"{name}: {info.name} is {got.dtype} {got.shape}, not {value.dtype} {value.shape}"):
            continue
        off = np.linalg.norm(got.astype(np.float64) - value) / max(np.linalg.norm(value.astype(np.float64)), 1e-30)
        worst = max(worst, off)
        check(off < LIMIT, f"{name}: {info.name} differs by {off:.3g}")
    print(f"{name}: {len(wanted)} outputs, the worst differs by {worst:.2g} of its norm", flush=True)


def main():
    binary, folder = sys.argv[1], os.path.join(sys.argv[2], "computed")
    if len(sys.argv) < 4 or not os.path.exists(sys.argv[3]):
        print("computed: no shared models, nothing was computed")
        return
    os.makedirs(folder, exist_ok=True)
    sys.path.insert(0, os.path.join(sys.argv[3], "zoo"))
    sys.modules["tensorrt"] = stand_in()
    global build_engine
    import build_engine  # pylint: disable=import-error,import-outside-toplevel
    for name in sys.argv[4:] or MODELS:
        judge(binary, folder, name, os.path.join(sys.argv[3], MODELS.get(name, f"zoo-2/cases/{name}/model.onnx")))
    print(f"{failures} failures")


if __name__ == "__main__":
    main()
    sys.exit(failures > 0)
