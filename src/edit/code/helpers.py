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
tensors = {}  # weights of the model by name, as onnx.TensorProto
outputs = {}  # names of the tensors that a node produces, by the name of the node
constants = {}  # weights that are tensors of the network, by name
kept = []  # arrays that TensorRT reads when it builds the engine
layers_of = {}  # number of layers of a node, by the name of the node


def load(path):
    """Reads the weights of the model, and the names of the tensors that its nodes produce."""
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
    """Returns the values of a weight."""
    packed = {
        onnx.TensorProto.BFLOAT16: trt.bfloat16,
        onnx.TensorProto.FLOAT8E4M3FN: trt.fp8,
        onnx.TensorProto.INT4: trt.int4,
    }
    proto = tensors[name]
    if proto.data_type in packed:
        raw = proto.raw_data or numpy_helper.from_array(numpy_helper.to_array(proto)).raw_data
        kept.append(np.frombuffer(raw, np.uint8))
        return trt.Weights(packed[proto.data_type], kept[-1].ctypes.data, int(np.prod(proto.dims)))
    values = np.ascontiguousarray(numpy_helper.to_array(proto))
    kept.append(values.astype(np.float32) if values.dtype == np.float64 else values)
    return trt.Weights(kept[-1])


def weight(name):
    """Returns a weight as a tensor of the network."""
    if name not in constants:
        layer = network.add_constant(tuple(tensors[name].dims), weights(name))
        layer.name = name
        constants[name] = layer.get_output(0)
    return constants[name]


def constant(values, dtype=np.int64):
    """Returns numbers as a tensor of the network."""
    kept.append(np.array(values, dtype))
    return network.add_constant(kept[-1].shape, trt.Weights(kept[-1])).get_output(0)


def step(name, layer, **settings):
    """Names a layer of an ONNX node as TensorRT's ONNX parser names it, and returns its output."""
    if layer is None:
        raise ValueError(f"TensorRT does not accept the layer of {name}")
    count = layers_of[name] = layers_of.get(name, 0) + 1
    layer.name = name if count == 1 else f"{name}_{count - 1}"
    layer.metadata = f"[ONNX Layer: {name}]"
    for setting, value in settings.items():
        if setting == "axis" and value < 0:
            value += len(layer.get_input(0).shape)
        setattr(layer, setting, value)
    return layer.get_output(0)


def made(name, *results):
    """Names the outputs of an ONNX node as in the model, and returns them."""
    for tensor, called in zip(results, outputs.get(name, ())):
        if called:
            tensor.name = called
    return results if len(results) > 1 else results[0]


def node(name, layer, **settings):
    """Adds an ONNX node that is a single layer, and returns its outputs."""
    return made(name, step(name, layer, **settings))


def lift(tensor, rank):
    """Adds leading axes of size 1 to a tensor, as broadcasting requires."""
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
    """Gives all operands the rank of the operand with the most axes."""
    rank = max(len(operand.shape) for operand in operands)
    return [lift(operand, rank) for operand in operands]


def sizes(tensor):
    """Returns the shape of a tensor as a tensor."""
    return network.add_shape(tensor).get_output(0)


def elementwise(name, a, b, operation):
    """An operation of two operands, element by element."""
    return node(name, network.add_elementwise(*same_rank(a, b), operation))


def chain(name, operands, operation):
    """An operation of several operands, element by element, which is applied to two at a time."""
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
    """x / scale, rounded and converted to the type"""
    return node(name, network.add_quantize(x, scale, dtype), **settings)


def dequantize(name, x, scale, dtype, **settings):
    """x * scale, in the type"""
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


def row_convolution(name, x, maps, size, kernel, bias=None, add="add_convolution_nd", **settings):
    """A convolution along one axis. TensorRT's convolutions have at least two, so a second axis of size 1 is added."""
    behind = {"stride_nd": 1, "dilation_nd": 1, "padding_nd": 0, "pre_padding": 0, "post_padding": 0}
    settings = {key: (*value, behind[key]) if key in behind else value for key, value in settings.items()}
    operands = [network.add_unsqueeze(it, constant([3])).get_output(0) if isinstance(it, trt.ITensor) else it for it in (x, kernel)]
    layer = convolution(operands[0], maps, (*size, 1), operands[1], bias, add)
    return made(name, network.add_squeeze(step(name, layer, **settings), constant([3])).get_output(0))


def batch_norm(name, x, scale, bias, mean, variance, epsilon):
    """Normalization by constants of each channel: x * scale + shift."""
    scale, bias, mean, variance = (numpy_helper.to_array(tensors[it]) for it in (scale, bias, mean, variance))
    factor = scale / np.sqrt(variance + np.array(epsilon, variance.dtype))
    kept.extend((factor.astype(scale.dtype), (bias - mean * factor).astype(scale.dtype)))
    values = trt.Weights(kept[-1]), trt.Weights(kept[-2])
    if len(x.shape) > 3:
        return node(name, network.add_scale_nd(x, trt.ScaleMode.CHANNEL, *values, trt.Weights(), 1))
    shape = (1, -1) + (1,) * (len(x.shape) - 2)
    factor, shift = (constant(it.reshape(shape), it.dtype) for it in kept[-2:])
    x = step(name, network.add_elementwise(x, factor, Op.PROD))
    return node(name, network.add_elementwise(x, shift, Op.SUM))


def normalization(name, x, scale, bias, axes, **settings):
    """A normalization over axes. Without a bias, 0 is added."""
    rank = len(x.shape)
    if bias is None:
        bias = constant(np.zeros(tuple(scale.shape)), trt.nptype(scale.dtype))
    add = getattr(network, "add_normalization_v2", network.add_normalization)
    return node(name, add(x, lift(scale, rank), lift(bias, rank), bits(x, axes)), **settings)


def rms_norm(name, x, scale, axis, epsilon):
    """x / sqrt(mean(x * x) + epsilon) * scale"""
    rank = len(x.shape)
    axes = bits(x, range(axis % rank, rank))
    square = step(name, network.add_elementwise(x, x, Op.PROD))
    mean = step(name, network.add_reduce(square, trt.ReduceOperation.AVG, axes, True))
    small = constant(np.full((1,) * rank, epsilon), trt.nptype(x.dtype))
    root = step(name, network.add_unary(step(name, network.add_elementwise(mean, small, Op.SUM)), Unary.SQRT))
    return node(name, network.add_elementwise(step(name, network.add_elementwise(x, root, Op.DIV)), lift(scale, rank), Op.PROD))


def lp_normalization(name, x, axis, p):
    """x divided by its norm along an axis."""
    axes = bits(x, [axis])
    if p == 1:
        norm = step(name, network.add_reduce(step(name, network.add_unary(x, Unary.ABS)), trt.ReduceOperation.SUM, axes, True))
    else:
        square = step(name, network.add_elementwise(x, x, Op.PROD))
        norm = step(name, network.add_unary(step(name, network.add_reduce(square, trt.ReduceOperation.SUM, axes, True)), Unary.SQRT))
    return node(name, network.add_elementwise(x, norm, Op.DIV))


def celu(name, x, alpha):
    """x where it is positive, else alpha * (exp(x / alpha) - 1)"""
    factor = constant(np.full((1,) * len(x.shape), alpha), trt.nptype(x.dtype))
    inner = step(name, network.add_elementwise(x, factor, Op.DIV))
    bent = step(name, network.add_activation(inner, Act.ELU), alpha=1.0)
    return node(name, network.add_elementwise(bent, factor, Op.PROD))


def depth_to_space(name, x, size, mode="DCR"):
    """Moves channels into blocks of an image."""
    n, channels, height, width = x.shape
    if mode == "DCR":
        shape, order = (0, size, size, channels // size**2, height, width), (0, 3, 4, 1, 5, 2)
    else:
        shape, order = (0, channels // size**2, size, size, height, width), (0, 1, 4, 2, 5, 3)
    return blocks(name, x, shape, order, (0, channels // size**2, height * size, width * size))


def space_to_depth(name, x, size):
    """Moves blocks of an image into channels."""
    n, channels, height, width = x.shape
    shape = (0, channels, height // size, size, width // size, size)
    return blocks(name, x, shape, (0, 3, 5, 1, 2, 4), (0, channels * size**2, height // size, width // size))


def blocks(name, x, shape, order, then):
    """Splits axes, changes their order and joins them; the first axis, the batch, stays."""
    if -1 in x.shape[1:]:
        raise NotImplementedError(f"{name}: blocks of axes of open size")
    layer = network.add_shuffle(x)
    x = step(name, layer, reshape_dims=shape, second_transpose=order)
    layer = network.add_shuffle(x)
    return node(name, layer, reshape_dims=then)


def grid_sample(name, x, grid, mode="linear", outside="zeros", corners=False):
    """Samples an image at positions that another tensor states."""
    modes = {"bilinear": "LINEAR", "linear": "LINEAR", "nearest": "NEAREST", "bicubic": "CUBIC", "cubic": "CUBIC"}
    edges = {"zeros": "FILL", "border": "CLAMP", "reflection": "REFLECT"}
    return node(
        name,
        network.add_grid_sample(x, grid),
        interpolation_mode=getattr(trt.InterpolationMode, modes[mode]),
        align_corners=corners,
        sample_mode=getattr(trt.SampleMode, edges[outside]),
    )


def one_hot(name, indices, depth, values, axis):
    """Replaces each index by a vector that has one value at the index, and another value elsewhere."""
    axis = axis if axis >= 0 else axis + len(indices.shape) + 1
    depth = network.add_shuffle(depth)
    depth.reshape_dims = ()
    return node(name, network.add_one_hot(indices, values, depth.get_output(0), axis))


def triangle(name, x, offset=0, upper=True):
    """The elements of matrices on one side of a diagonal."""
    if isinstance(offset, trt.ITensor) or -1 in x.shape[-2:]:
        raise NotImplementedError(f"{name}: a diagonal that the network computes, or matrices of open size")
    rows, columns = x.shape[-2:]
    stays = np.tri(rows, columns, offset - upper, dtype=bool) != upper
    stays = constant(stays.reshape((1,) * (len(x.shape) - 2) + stays.shape), bool)
    return node(name, network.add_select(stays, x, constant(np.zeros((1,) * len(x.shape)), trt.nptype(x.dtype))))


def counted(name, start, limit, delta):
    """The numbers from `start` up to `limit`, in steps of `delta`."""
    if any(isinstance(it, trt.ITensor) for it in (start, limit, delta)):
        raise NotImplementedError(f"{name}: bounds that the network computes")
    return made(name, network.add_identity(constant(np.arange(start, limit, delta))).get_output(0))


def channel_norm(name, x, scale, bias, epsilon, groups=1):
    """Normalizes each channel, or each group of channels, of each image."""
    axes = tuple(range(2, len(x.shape)))
    scale, bias = (network.add_shuffle(operand) for operand in (scale, bias))
    scale.reshape_dims = bias.reshape_dims = (1, -1) + (1,) * len(axes)
    add = getattr(network, "add_normalization_v2", network.add_normalization)
    layer = add(x, scale.get_output(0), bias.get_output(0), bits(x, axes))
    return node(name, layer, epsilon=epsilon, num_groups=groups)


def bits(tensor, axes):
    """Returns axes in the form that TensorRT requires: a mask with a bit for each."""
    return sum(1 << axis % len(tensor.shape) for axis in axes)


def reduce(name, x, operation, axes=None, keep=True, noop=False, before=None, after=None):
    """Reduces elements along axes; without axes, along all axes or, if `noop` is true, along none."""
    axes = bits(x, axes or ([] if noop else range(len(x.shape))))
    if before == "square":
        x = step(name, network.add_elementwise(x, x, Op.PROD))
    elif before is not None:
        x = step(name, network.add_unary(x, before))
    if axes:
        x = step(name, network.add_reduce(x, operation, axes, bool(keep)))
    return made(name, x if after is None else step(name, network.add_unary(x, after)))


def global_pool(name, x, operation):
    """Reduces each channel of an image to one element."""
    return reduce(name, x, operation, range(2, len(x.shape)))


def reshape(name, x, shape, zero_copies=True):
    """Changes the shape of a tensor; the shape is numbers, or a tensor of them."""
    layer = network.add_shuffle(x)
    if isinstance(shape, trt.ITensor):
        layer.set_input(1, shape)
    else:
        layer.reshape_dims = shape
    return node(name, layer, zero_is_placeholder=bool(zero_copies))


def flatten(name, x, axis):
    """Joins the axes before `axis` to one axis, and those from `axis` on to another."""
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
    """Changes the order of axes; if none is given, reverses it."""
    return node(name, network.add_shuffle(x), first_transpose=order or tuple(reversed(range(len(x.shape)))))


def resized_axes(name, x, axes, add):
    """Adds or removes axes of size 1."""
    return node(name, getattr(network, add)(x, axes if isinstance(axes, trt.ITensor) else constant(axes)))


def squeeze(name, x, axes=None):
    """Removes axes of size 1."""
    axes = [i for i, size in enumerate(x.shape) if size == 1] if axes is None else axes
    return resized_axes(name, x, axes, "add_squeeze")


def unsqueeze(name, x, axes):
    """Adds axes of size 1."""
    return resized_axes(name, x, axes, "add_unsqueeze")


def gather(name, x, indices, axis):
    """Gathers parts of a tensor along an axis; a negative index counts from the end of the axis."""
    axis %= len(x.shape)
    if not isinstance(indices, trt.ITensor):
        indices = np.array(indices)
        if (indices < 0).any() and x.shape[axis] < 0:
            raise NotImplementedError(f"{name}: counts from the end of an axis of open size")
        indices = constant(np.where(indices < 0, indices + x.shape[axis], indices))
    return node(name, network.add_gather(x, indices, axis))


def part(name, x, start, size, stride, **settings):
    """A part of a tensor; a size of -1 means the tensor's own size."""
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
    """Splits a tensor along an axis; without lengths, into equal parts."""
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
    """Repeats a tensor along its axes of size 1."""
    if isinstance(shape, trt.ITensor) or -1 in x.shape:
        raise NotImplementedError(f"{name}: a shape that the network computes")
    x = lift(x, len(shape))
    shape = np.broadcast_shapes(tuple(x.shape), tuple([1] * (len(x.shape) - len(shape)) + list(shape)))
    stride = [int(size > 1) for size in x.shape]
    return node(name, network.add_slice(x, [0] * len(shape), shape, stride))


def tile(name, x, repeats):
    """Repeats a tensor along each axis."""
    if isinstance(repeats, trt.ITensor) or -1 in x.shape:
        raise NotImplementedError(f"{name}: sizes that the network computes")
    shape = [size * times for size, times in zip(x.shape, repeats)]
    layer = network.add_slice(x, [0] * len(shape), shape, [1] * len(shape))
    return node(name, layer, mode=trt.SampleMode.WRAP)


def pad(name, x, amounts, mode, value=None):
    """Adds a border to a tensor. The amounts before each axis come first, then those after each axis."""
    modes = {"constant": trt.SampleMode.FILL, "reflect": trt.SampleMode.REFLECT, "edge": trt.SampleMode.CLAMP}
    if isinstance(amounts, trt.ITensor) or len(amounts) != 2 * len(x.shape):
        raise NotImplementedError(f"{name}: a border that the network computes, or of some axes")
    before, behind = amounts[: len(x.shape)], amounts[len(x.shape) :]
    if any(n < 0 and (b or e) for n, b, e in zip(x.shape, before, behind)):
        raise NotImplementedError(f"{name}: a border of an axis of open size")
    size = [n if n < 0 else n + b + e for n, b, e in zip(x.shape, before, behind)]
    result = part(name, x, [-b for b in before], size, [1] * len(size), mode=modes[mode])
    if value is not None and mode == "constant":
        network.get_layer(network.num_layers - 1).set_input(4, value)
    return made(name, result)


def resize(name, x, scales=None, shape=None, mode="nearest", place="half_pixel", rounding="round_prefer_floor", coefficient=-0.75, outside=0):
    """Changes the size of an image."""
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
    """Limits numbers to a range."""
    if x.dtype in (trt.int32, trt.int64) or isinstance(low, trt.ITensor) or isinstance(high, trt.ITensor):
        for bound, operation in ((low, Op.MAX), (high, Op.MIN)):
            if bound is not None:
                bound = bound if isinstance(bound, trt.ITensor) else constant(bound, trt.nptype(x.dtype))
                x = step(name, network.add_elementwise(*same_rank(x, bound), operation))
        return made(name, x)
    low, high = (np.finfo(np.float32).min if low is None else low), (np.finfo(np.float32).max if high is None else high)
    return node(name, network.add_activation(x, Act.CLIP), alpha=float(low), beta=float(high))


def top_k(name, x, k, axis, largest=True):
    """The largest, or smallest, elements along an axis, and their indices."""
    if isinstance(k, trt.ITensor):
        raise NotImplementedError(f"{name}: a number of elements that the network computes")
    operation = trt.TopKOperation.MAX if largest else trt.TopKOperation.MIN
    layer = network.add_topk(x, operation, k[0], bits(x, [axis]))
    values = step(name, layer)
    return made(name, values, network.add_cast(layer.get_output(1), trt.int64).get_output(0))


def arg(name, x, operation, axis, keep):
    """The index of the largest, or smallest, element along an axis."""
    layer = network.add_topk(x, operation, 1, bits(x, [axis]))
    step(name, layer)
    place = network.add_cast(layer.get_output(1), trt.int64).get_output(0)
    if not keep:
        place = network.add_squeeze(place, constant([axis % len(x.shape)])).get_output(0)
    return made(name, place)


def single(tensor):
    """Removes the axes of a tensor of one element."""
    layer = network.add_shuffle(tensor)
    layer.reshape_dims = ()
    return layer.get_output(0)


def non_max_suppression(name, boxes, scores, most=None, overlap=None, least=None, center=False):
    """Selects boxes that no better box covers, as (image, class, box). TensorRT requires the classes to be the last axis of the
    scores."""
    turned = network.add_shuffle(scores)
    turned.first_transpose = (0, 2, 1)
    most = constant(0, np.int32) if most is None else network.add_cast(single(most), trt.int32).get_output(0)
    layer = network.add_nms(boxes, turned.get_output(0), most)
    for i, limit in ((3, overlap), (4, least)):
        if limit is not None:
            layer.set_input(i, single(limit))
    form = trt.BoundingBoxFormat.CENTER_SIZES if center else trt.BoundingBoxFormat.CORNER_PAIRS
    found = step(name, layer, bounding_box_format=form)
    return made(name, network.add_cast(found, trt.int64).get_output(0))


def non_zero(name, x):
    """The indices of elements that are not 0: one row for each axis."""
    return made(name, network.add_cast(step(name, network.add_non_zero(x)), trt.int64).get_output(0))


def symmetric(name, zero):
    """Refuses a zero point other than 0, because TensorRT's quantization has none."""
    if numpy_helper.to_array(tensors[zero]).any():
        raise NotImplementedError(f"{name}: a zero point that is not 0")


def filled(name, shape, value, dtype):
    """A tensor whose elements all have the same value."""
    return made(name, network.add_identity(constant(np.full(shape, value), dtype)).get_output(0))


def weight_gates(x, weights, bias):
    """Multiplies the input of a step, or the state after the previous step, by the weights of each gate."""
    product = network.add_matrix_multiply(x, trt.MatrixOperation.NONE, weights, trt.MatrixOperation.TRANSPOSE).get_output(0)
    return product if bias is None else network.add_elementwise(product, bias, Op.SUM).get_output(0)


def gate(gates, at, size):
    """Returns one of several gates that are joined in one tensor."""
    layer = network.add_slice(gates, (0, 0, at * size), (0, 0, 0), (1, 1, 1))
    rows = network.add_slice(sizes(gates), (0,), (2,), (1,)).get_output(0)
    layer.set_input(2, network.add_concatenation([rows, constant([size])]).get_output(0))
    return layer.get_output(0)


def act(x, kind):
    """An activation within a step."""
    return network.add_activation(x, kind).get_output(0)


def combine(a, b, operation):
    """Combines two tensors of a step, element by element."""
    return network.add_elementwise(a, b, operation).get_output(0)


def halves(bias, size):
    """Returns the biases of the input and of the recurrence for each direction."""
    if bias is None:
        return None, None
    directions = bias.shape[0]
    parts = [network.add_slice(bias, (0, at), (directions, size), (1, 1)).get_output(0) for at in (0, size)]
    return [network.add_unsqueeze(it, constant([1])).get_output(0) for it in parts]


def beginning(x, first, directions, hidden):
    """The initial state: zeros, unless one is given."""
    if first is not None:
        return first
    batch = network.add_slice(sizes(x), (1,), (1,), (1,)).get_output(0)
    shape = network.add_concatenation([constant([directions]), batch, constant([hidden])]).get_output(0)
    layer = network.add_slice(constant(np.zeros((1, 1, 1)), trt.nptype(x.dtype)), (0, 0, 0), (0, 0, 0), (0, 0, 0))
    layer.set_input(2, shape)
    return layer.get_output(0)


def joined(parts, axis):
    """Joins parts along an axis."""
    if len(parts) == 1:
        return parts[0]
    layer = network.add_concatenation(parts)
    layer.axis = axis
    return layer.get_output(0)


def adopt(name, first):
    """Names the layers from number `first` on as layers of an ONNX node."""
    for i in range(first, network.num_layers):
        layer = network.get_layer(i)
        if not layer.metadata:
            step(name, layer)


def recurrence(name, x, weights, recurrent, states, direction, each, start):
    """A loop over the first axis of x. `each` computes the states after a step, the first of which is the output. The node also
    has the layers from number `start` on."""
    loop = network.add_loop()
    steps = network.add_shuffle(network.add_slice(sizes(x), (0,), (1,), (1,)).get_output(0))
    steps.reshape_dims = ()
    steps = steps.get_output(0)
    loop.add_trip_limit(steps, trt.TripLimit.COUNT)
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    inputs = [network.add_unsqueeze(loop.add_iterator(x, 0, way).get_output(0), constant([0])).get_output(0) for way in backwards]
    kept_states = [loop.add_recurrence(it) for it in states]
    results = each(joined(inputs, 0), *(it.get_output(0) for it in kept_states))
    for state, result in zip(kept_states, results):
        state.set_input(1, result)
    every = []
    for i, way in enumerate(backwards):
        one = network.add_gather(results[0], constant([i]), 0).get_output(0)
        layer = loop.add_loop_output(one, trt.LoopOutput.REVERSE if way else trt.LoopOutput.CONCATENATE, 0)
        layer.set_input(1, steps)
        every.append(layer.get_output(0))
    last = [loop.add_loop_output(it.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0) for it in kept_states]
    results = [step(name, network.add_identity(joined(every, 1))), *last]
    adopt(name, start)
    made(name, *results)
    return results[: max(1, len(outputs.get(name, ())))]


def lstm(name, x, weights, recurrent, bias=None, first=None, cell=None, direction="forward"):
    """A recurrence with a cell: gates in the order input, output, forget, cell."""
    start = network.num_layers
    hidden = recurrent.shape[2]
    of_input, of_state = halves(bias, 4 * hidden)

    def each(now, state, memory):
        gates = combine(weight_gates(now, weights, of_input), weight_gates(state, recurrent, of_state), Op.SUM)
        enter, leave, forget = (act(gate(gates, at, hidden), Act.SIGMOID) for at in range(3))
        new = act(gate(gates, 3, hidden), Act.TANH)
        memory = combine(combine(forget, memory, Op.PROD), combine(enter, new, Op.PROD), Op.SUM)
        return combine(leave, act(memory, Act.TANH), Op.PROD), memory

    states = [beginning(x, it, weights.shape[0], hidden) for it in (first, cell)]
    return recurrence(name, x, weights, recurrent, states, direction, each, start)


def gru(name, x, weights, recurrent, bias=None, first=None, direction="forward", after=False):
    """A recurrence with gates in the order update, reset, hidden."""
    start = network.num_layers
    hidden = recurrent.shape[2]
    of_input, of_state = halves(bias, 3 * hidden)

    def each(now, state):
        a, b = weight_gates(now, weights, of_input), weight_gates(state, recurrent, of_state)
        update, reset = (act(combine(gate(a, at, hidden), gate(b, at, hidden), Op.SUM), Act.SIGMOID) for at in range(2))
        if after:
            new = combine(reset, gate(b, 2, hidden), Op.PROD)
        else:
            b = weight_gates(combine(reset, state, Op.PROD), recurrent, of_state)
            new = gate(b, 2, hidden)
        new = act(combine(gate(a, 2, hidden), new, Op.SUM), Act.TANH)
        # (1 - update) * new + update * state
        return (combine(combine(update, combine(state, new, Op.SUB), Op.PROD), new, Op.SUM),)

    return recurrence(name, x, weights, recurrent, [beginning(x, first, weights.shape[0], hidden)], direction, each, start)


def rnn(name, x, weights, recurrent, bias=None, first=None, direction="forward"):
    """A recurrence without gates."""
    start = network.num_layers
    hidden = recurrent.shape[2]
    of_input, of_state = halves(bias, hidden)

    def each(now, state):
        return (act(combine(weight_gates(now, weights, of_input), weight_gates(state, recurrent, of_state), Op.SUM), Act.TANH),)

    return recurrence(name, x, weights, recurrent, [beginning(x, first, weights.shape[0], hidden)], direction, each, start)


def mark_output(tensor, name):
    """Marks a tensor as an output of the network."""
    if tensor.is_network_input or tensor.name in tensors or tensor.is_network_output:
        tensor = network.add_identity(tensor).get_output(0)
    tensor.name = name
    network.mark_output(tensor)
