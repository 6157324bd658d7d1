#!/usr/bin/env python3
"""Defines the network of an ONNX model through TensorRT's API, and builds its engine."""
import argparse
import os

import numpy as np
import onnx
import tensorrt as trt
from onnx import numpy_helper

Op, Unary, Act = trt.ElementWiseOperation, trt.UnaryOperation, trt.ActivationType

network = None  # trt.INetworkDefinition, which define() fills
tensors = {}  # by name: the model's weights, as onnx.TensorProto
outputs = {}  # by node: the names of what it makes
constants = {}  # by name: weights that are tensors of the network
kept = []  # arrays that TensorRT reads when it builds
layers_of = {}  # by node: how many layers it has


def load(path):
    """Reads the weights of the model, and the names of what its nodes make."""
    graph = onnx.load(path).graph
    tensors.update((tensor.name, tensor) for tensor in graph.initializer)
    for proto in graph.node:
        name = proto.name or f"node_of_{proto.output[0]}"
        outputs[name] = () if name in outputs else proto.output
        if proto.op_type == "Constant":
            value = onnx.helper.get_attribute_value(proto.attribute[0])
            if not isinstance(value, onnx.TensorProto):
                whole = proto.attribute[0].name.startswith("value_int")
                value = numpy_helper.from_array(np.array(value, np.int64 if whole else np.float32))
            tensors[proto.output[0]] = value


def weights(name):
    """The values of a weight."""
    packed = {
        onnx.TensorProto.BFLOAT16: trt.bfloat16,
        onnx.TensorProto.FLOAT8E4M3FN: trt.fp8,
        onnx.TensorProto.INT4: trt.int4,
    }
    proto = tensors[name]
    if proto.data_type in packed and proto.raw_data:
        kept.append(np.frombuffer(proto.raw_data, np.uint8))
        return trt.Weights(packed[proto.data_type], kept[-1].ctypes.data, int(np.prod(proto.dims)))
    values = np.ascontiguousarray(numpy_helper.to_array(proto))
    kept.append(values.astype(np.float32) if values.dtype == np.float64 else values)
    return trt.Weights(kept[-1])


def weight(name):
    """A weight as a tensor."""
    if name not in constants:
        layer = network.add_constant(tuple(tensors[name].dims), weights(name))
        layer.name = name
        constants[name] = layer.get_output(0)
    return constants[name]


def constant(values, dtype=np.int64):
    """Numbers as a tensor."""
    kept.append(np.array(values, dtype))
    return network.add_constant(kept[-1].shape, trt.Weights(kept[-1])).get_output(0)


def step(name, layer, **settings):
    """A layer of an ONNX node, named as TensorRT's ONNX parser names it."""
    if layer is None:
        raise ValueError(f"TensorRT does not accept the layer of {name}")
    count = layers_of[name] = layers_of.get(name, 0) + 1
    layer.name = name if count == 1 else f"{name}_{count - 1}"
    layer.metadata = f"[ONNX Layer: {name}]"
    for setting, value in settings.items():
        setattr(layer, setting, value)
    return layer.get_output(0)


def made(name, *results):
    """The outputs of an ONNX node, named as in the model."""
    for tensor, called in zip(results, outputs.get(name, ())):
        if called:
            tensor.name = called
    return results if len(results) > 1 else results[0]


def node(name, layer, **settings):
    """The output of an ONNX node that is a single layer."""
    return made(name, step(name, layer, **settings))


def lift(tensor, rank):
    """The same with leading axes of size 1, as broadcasting needs it."""
    missing = rank - len(tensor.shape)
    if missing <= 0:
        return tensor
    shuffle = network.add_shuffle(tensor)
    if -1 in tensor.shape:
        shuffle.set_input(1, network.add_concatenation([constant([1] * missing), sizes(tensor)]).get_output(0))
    else:
        shuffle.reshape_dims = (1,) * missing + tuple(tensor.shape)
    return shuffle.get_output(0)


def same_rank(*operands):
    """All with the rank of the largest."""
    rank = max(len(operand.shape) for operand in operands)
    return [lift(operand, rank) for operand in operands]


def sizes(tensor):
    """The shape of a tensor, as a tensor."""
    return network.add_shape(tensor).get_output(0)


def elementwise(name, a, b, operation):
    """An operation of two operands, element by element."""
    return node(name, network.add_elementwise(*same_rank(a, b), operation))


def chain(name, operands, operation):
    """The same of several operands, two at a time."""
    first, *rest = same_rank(*operands)
    for operand in rest:
        first = step(name, network.add_elementwise(first, operand, operation))
    return made(name, first if rest else step(name, network.add_identity(first)))


def either(name, a, b, operation):
    """A comparison that is also true of equal numbers."""
    a, b = same_rank(a, b)
    strictly = step(name, network.add_elementwise(a, b, operation))
    equally = step(name, network.add_elementwise(a, b, Op.EQUAL))
    return node(name, network.add_elementwise(strictly, equally, Op.OR))


def modulo(name, a, b):
    """The remainder of whole numbers; it has the sign of the divisor."""
    a, b = same_rank(a, b)
    quotient = step(name, network.add_elementwise(a, b, Op.FLOOR_DIV))
    product = step(name, network.add_elementwise(quotient, b, Op.PROD))
    return node(name, network.add_elementwise(a, product, Op.SUB))


def unary(name, x, operation):
    """An operation of each element."""
    return node(name, network.add_unary(x, operation))


def activation(name, x, kind, **settings):
    """An activation of each element."""
    return node(name, network.add_activation(x, kind), **settings)


def quantize(name, x, scale, dtype, **settings):
    """x / scale, rounded"""
    return node(name, network.add_quantize(x, scale, dtype), **settings)


def dequantize(name, x, scale, dtype, **settings):
    """x * scale"""
    return node(name, network.add_dequantize(x, scale, dtype), **settings)


def matrix_multiply(name, a, b):
    """A product of matrices, or of a matrix and a vector."""
    kinds = [trt.MatrixOperation.VECTOR if len(t.shape) == 1 else trt.MatrixOperation.NONE for t in (a, b)]
    if trt.MatrixOperation.VECTOR not in kinds:
        a, b = same_rank(a, b)
    return node(name, network.add_matrix_multiply(a, kinds[0], b, kinds[1]))


def gemm(name, a, b, c=None, transpose_a=False, transpose_b=False, alpha=1.0, beta=1.0):
    """alpha * a @ b + beta * c"""
    kinds = [trt.MatrixOperation.TRANSPOSE if t else trt.MatrixOperation.NONE for t in (transpose_a, transpose_b)]
    product = step(name, network.add_matrix_multiply(a, kinds[0], b, kinds[1]))
    if alpha != 1:
        factor = constant([[alpha]], trt.nptype(a.dtype))
        product = step(name, network.add_elementwise(product, factor, Op.PROD))
    if c is None or beta == 0:
        return made(name, product)
    c = lift(c, 2)
    if beta != 1:
        c = step(name, network.add_elementwise(c, constant([[beta]], trt.nptype(a.dtype)), Op.PROD))
    return node(name, network.add_elementwise(product, c, Op.SUM))


def convolution(x, maps, size, kernel, bias=None, add="add_convolution_nd"):
    """A convolution whose kernel and bias are weights, or tensors that the network computes."""
    values = [operand if isinstance(operand, trt.Weights) else trt.Weights() for operand in (kernel, bias)]
    layer = getattr(network, add)(x, maps, size, *values)
    for i, operand in enumerate((kernel, bias), 1):
        if isinstance(operand, trt.ITensor):
            layer.set_input(i, operand)
    return layer


def batch_norm(name, x, scale, bias, mean, variance, epsilon):
    """Normalization by constants of each channel: x * scale + shift."""
    scale, bias, mean, variance = (numpy_helper.to_array(tensors[it]) for it in (scale, bias, mean, variance))
    factor = scale / np.sqrt(variance + np.array(epsilon, variance.dtype))
    kept.extend((factor.astype(scale.dtype), (bias - mean * factor).astype(scale.dtype)))
    values = trt.Weights(kept[-1]), trt.Weights(kept[-2])
    if len(x.shape) > 3:
        return node(name, network.add_scale(x, trt.ScaleMode.CHANNEL, *values))
    shape = (1, -1) + (1,) * (len(x.shape) - 2)
    factor, shift = (constant(it.reshape(shape), it.dtype) for it in kept[-2:])
    x = step(name, network.add_elementwise(x, factor, Op.PROD))
    return node(name, network.add_elementwise(x, shift, Op.SUM))


def normalization(name, x, scale, bias, axes, **settings):
    """A normalization over axes; without a bias it adds nothing."""
    rank = len(x.shape)
    if bias is None:
        bias = constant(np.zeros(tuple(scale.shape)), trt.nptype(scale.dtype))
    add = getattr(network, "add_normalization_v2", network.add_normalization)
    return node(name, add(x, lift(scale, rank), lift(bias, rank), bits(x, axes)), **settings)


def channel_norm(name, x, scale, bias, epsilon, groups=1):
    """An instance normalization, or one of groups of channels."""
    axes = tuple(range(2, len(x.shape)))
    scale, bias = (network.add_shuffle(operand) for operand in (scale, bias))
    scale.reshape_dims = bias.reshape_dims = (1, -1) + (1,) * len(axes)
    add = getattr(network, "add_normalization_v2", network.add_normalization)
    layer = add(x, scale.get_output(0), bias.get_output(0), bits(x, axes))
    return node(name, layer, epsilon=epsilon, num_groups=groups)


def bits(tensor, axes):
    """Axes as TensorRT takes them: a bit each."""
    return sum(1 << axis % len(tensor.shape) for axis in axes)


def reduce(name, x, operation, axes=None, keep=True, before=None, after=None):
    """Elements of axes, or of all, made one."""
    axes = bits(x, range(len(x.shape)) if axes is None else axes)
    if before == "square":
        x = step(name, network.add_elementwise(x, x, Op.PROD))
    elif before is not None:
        x = step(name, network.add_unary(x, before))
    x = step(name, network.add_reduce(x, operation, axes, bool(keep)))
    return made(name, x if after is None else step(name, network.add_unary(x, after)))


def global_pool(name, x, operation):
    """All of an image made one."""
    return reduce(name, x, operation, range(2, len(x.shape)))


def reshape(name, x, shape, zero_copies=True):
    """The elements in another shape: numbers, or a tensor of them."""
    layer = network.add_shuffle(x)
    if isinstance(shape, trt.ITensor):
        layer.set_input(1, shape)
    else:
        layer.reshape_dims = shape
    return node(name, layer, zero_is_placeholder=bool(zero_copies))


def flatten(name, x, axis):
    """The axes before and behind one joined."""
    axis = axis if axis >= 0 else axis + len(x.shape)
    shape = tuple(x.shape)
    if -1 not in shape[axis:]:
        sides = (-1, int(np.prod(shape[axis:], dtype=np.int64)))
    elif -1 not in shape[:axis]:
        sides = (int(np.prod(shape[:axis], dtype=np.int64)), -1)
    else:
        raise NotImplementedError(f"{name}: open sizes on both sides of axis {axis}")
    return reshape(name, x, sides)


def transpose(name, x, order=None):
    """The axes in another order; reversed, where none is given."""
    return node(name, network.add_shuffle(x), first_transpose=order or tuple(reversed(range(len(x.shape)))))


def resized_axes(name, x, axes, add):
    """Axes of size 1 added or removed."""
    return node(name, getattr(network, add)(x, axes if isinstance(axes, trt.ITensor) else constant(axes)))


def squeeze(name, x, axes=None):
    """Without axes of size 1."""
    axes = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes
    return resized_axes(name, x, axes, "add_squeeze")


def unsqueeze(name, x, axes):
    """With axes of size 1."""
    return resized_axes(name, x, axes, "add_unsqueeze")


def gather(name, x, indices, axis):
    """Parts of a tensor along an axis; the numbers of some count from its end."""
    axis %= len(x.shape)
    if not isinstance(indices, trt.ITensor):
        indices = np.array(indices)
        if (indices < 0).any() and x.shape[axis] < 0:
            raise NotImplementedError(f"{name}: counts from the end of an axis of open size")
        indices = constant(np.where(indices < 0, indices + x.shape[axis], indices))
    return node(name, network.add_gather(x, indices, axis))


def part(name, x, start, size, stride, **settings):
    """A part of a tensor; a size that stays -1 is the tensor's own."""
    if -1 not in size:
        return step(name, network.add_slice(x, start, size, stride), **settings)
    own, fixed = [int(n == -1) for n in size], [0 if n == -1 else n for n in size]
    product = network.add_elementwise(sizes(x), constant(own), Op.PROD)
    taken = network.add_elementwise(product.get_output(0), constant(fixed), Op.SUM)
    layer = network.add_slice(x, start, (0,) * len(size), stride)
    layer.set_input(2, taken.get_output(0))
    return step(name, layer, **settings)


def slices(name, x, starts, ends, axes=None, steps=None):
    """The elements from `starts` to `ends`."""
    if any(isinstance(it, trt.ITensor) for it in (starts, ends, axes, steps)):
        raise NotImplementedError(f"{name}: bounds that the network computes")
    start, size, stride = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    axes = range(len(starts)) if axes is None else axes
    for axis, first, last, every in zip(axes, starts, ends, steps or [1] * len(starts)):
        all_of = x.shape[axis]
        if all_of < 0:
            raise NotImplementedError(f"{name}: a part of axis {axis}, whose size is open")
        first, last, every = slice(first, last, every).indices(all_of)
        start[axis], stride[axis] = first, every
        size[axis] = max(0, -(-(last - first) // every))
    return made(name, part(name, x, start, size, stride))


def split(name, x, lengths, axis, count):
    """Parts along an axis: all alike where no lengths are given."""
    axis %= len(x.shape)
    if isinstance(lengths, trt.ITensor) or x.shape[axis] < 0 and lengths is None:
        raise NotImplementedError(f"{name}: parts whose sizes the network computes")
    most = -(-x.shape[axis] // count)
    lengths = lengths or [min(most, x.shape[axis] - i * most) for i in range(count)]
    results, at = [], 0
    for length in lengths:
        start, size = [0] * len(x.shape), list(x.shape)
        start[axis], size[axis] = at, length
        results.append(part(name, x, start, size, [1] * len(size)))
        at += length
    return made(name, *results)


def expand(name, x, shape):
    """A tensor repeated along its axes of size 1."""
    if isinstance(shape, trt.ITensor) or -1 in x.shape:
        raise NotImplementedError(f"{name}: a shape that the network computes")
    x = lift(x, len(shape))
    shape = np.broadcast_shapes(tuple(x.shape), tuple([1] * (len(x.shape) - len(shape)) + list(shape)))
    stride = [int(size > 1) for size in x.shape]
    return node(name, network.add_slice(x, [0] * len(shape), shape, stride))


def tile(name, x, repeats):
    """A tensor repeated."""
    if isinstance(repeats, trt.ITensor) or -1 in x.shape:
        raise NotImplementedError(f"{name}: sizes that the network computes")
    shape = [size * times for size, times in zip(x.shape, repeats)]
    layer = network.add_slice(x, [0] * len(shape), shape, [1] * len(shape))
    return node(name, layer, mode=trt.SampleMode.WRAP)


def pad(name, x, amounts, mode, value=None):
    """A tensor with a border: before each axis, then behind each."""
    modes = {"constant": trt.SampleMode.FILL, "reflect": trt.SampleMode.REFLECT, "edge": trt.SampleMode.CLAMP}
    if isinstance(amounts, trt.ITensor) or len(amounts) != 2 * len(x.shape):
        raise NotImplementedError(f"{name}: a border that the network computes, or of some axes")
    before, behind = amounts[: len(x.shape)], amounts[len(x.shape) :]
    if any(n < 0 and (b or e) for n, b, e in zip(x.shape, before, behind)):
        raise NotImplementedError(f"{name}: a border of an axis of open size")
    size = [n if n < 0 else n + b + e for n, b, e in zip(x.shape, before, behind)]
    result = part(name, x, [-b for b in before], size, [1] * len(size), mode=modes[mode])
    if value is not None:
        network.get_layer(network.num_layers - 1).set_input(4, value)
    return made(name, result)


def resize(name, x, scales=None, shape=None, mode="nearest", place="half_pixel", rounding="round_prefer_floor", coefficient=-0.75, outside=0):
    """An image in another size."""
    layer = network.add_resize(x)
    if isinstance(shape, trt.ITensor):
        layer.set_input(1, shape)
    elif shape is not None:
        layer.shape = shape
    elif scales is not None:
        layer.scales = scales
    else:
        raise NotImplementedError(f"{name}: scales that the network computes")
    change = trt.ResizeCoordinateTransformation
    how = {"half_pixel": change.HALF_PIXEL, "pytorch_half_pixel": change.HALF_PIXEL, "asymmetric": change.ASYMMETRIC, "align_corners": change.ALIGN_CORNERS}
    if place not in how:
        raise NotImplementedError(f"{name}: coordinates by {place}")
    if place == "pytorch_half_pixel":
        layer.selector_for_single_pixel = trt.ResizeSelector.UPPER
    rounds = trt.ResizeRoundMode
    near = {"round_prefer_floor": rounds.HALF_DOWN, "round_prefer_ceil": rounds.HALF_UP, "floor": rounds.FLOOR, "ceil": rounds.CEIL}
    modes = {"nearest": trt.InterpolationMode.NEAREST, "linear": trt.InterpolationMode.LINEAR, "cubic": trt.InterpolationMode.CUBIC}
    return node(
        name,
        layer,
        resize_mode=modes[mode],
        coordinate_transformation=how[place],
        nearest_rounding=near[rounding],
        cubic_coeff=coefficient,
        exclude_outside=bool(outside),
    )


def softmax(name, x, axis, log=False):
    """Softmax along an axis, or its logarithm."""
    x = step(name, network.add_softmax(x), axes=bits(x, [axis]))
    return made(name, step(name, network.add_unary(x, Unary.LOG)) if log else x)


def hard_swish(name, x):
    """x * min(max(x / 6 + 0.5, 0), 1)"""
    hard = step(name, network.add_activation(x, Act.HARD_SIGMOID), alpha=1 / 6, beta=0.5)
    return node(name, network.add_elementwise(x, hard, Op.PROD))


def mish(name, x):
    """x * tanh(softplus(x))"""
    soft = step(name, network.add_activation(x, Act.SOFTPLUS), alpha=1.0, beta=1.0)
    bent = step(name, network.add_activation(soft, Act.TANH))
    return node(name, network.add_elementwise(x, bent, Op.PROD))


def clip(name, x, low=None, high=None):
    """Numbers kept between two."""
    if isinstance(low, trt.ITensor) or isinstance(high, trt.ITensor):
        raise NotImplementedError(f"{name}: bounds that the network computes")
    low, high = (np.finfo(np.float32).min if low is None else low), (np.finfo(np.float32).max if high is None else high)
    return node(name, network.add_activation(x, Act.CLIP), alpha=float(low), beta=float(high))


def top_k(name, x, k, axis, largest=True):
    """The largest, or least, elements along an axis, and where they are."""
    if isinstance(k, trt.ITensor):
        raise NotImplementedError(f"{name}: a number of elements that the network computes")
    operation = trt.TopKOperation.MAX if largest else trt.TopKOperation.MIN
    layer = network.add_topk(x, operation, k[0], bits(x, [axis]))
    values = step(name, layer)
    return made(name, values, network.add_cast(layer.get_output(1), trt.int64).get_output(0))


def arg(name, x, operation, axis, keep):
    """Where the largest, or least, element along an axis is."""
    layer = network.add_topk(x, operation, 1, bits(x, [axis]))
    step(name, layer)
    place = network.add_cast(layer.get_output(1), trt.int64).get_output(0)
    if not keep:
        place = network.add_squeeze(place, constant([axis % len(x.shape)])).get_output(0)
    return made(name, place)


def symmetric(name, zero):
    """Refuses a zero point: TensorRT's quantization has none."""
    if numpy_helper.to_array(tensors[zero]).any():
        raise NotImplementedError(f"{name}: a zero point that is not 0")


def filled(name, shape, value):
    """A tensor of one number."""
    return made(name, network.add_identity(constant(np.full(shape, value), np.array(value).dtype)).get_output(0))


def mark_output(tensor, name):
    """An output of the network."""
    if tensor.is_network_input or tensor.name in tensors or tensor.is_network_output:
        tensor = network.add_identity(tensor).get_output(0)
    tensor.name = name
    network.mark_output(tensor)
