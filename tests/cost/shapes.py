#!/usr/bin/python3
"""Shapes of single operators, against those of onnx.shape_inference.

    shapes.py BINARY

Where both know a size it is the same; what onnx knows of a rank is known here.  Exit
status 77 when python3-onnx is absent.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program
try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper, parser, shape_inference
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

BINARY = sys.argv[1]
failures = []


def ints(*values):
    return numpy.array(values, numpy.int64)


def floats(*values):
    return numpy.array(values, numpy.float32)


# op, shape of x, further inputs (an array is a constant, a list a shape), attributes
X = [2, 12, 9, 7]
FAR = 9223372036854775807
CASES = [
    ("Slice", X, [ints(1), ints(FAR), ints(1)], {}),
    ("Slice", X, [ints(-3, 8), ints(FAR, 0), ints(1, 2), ints(1, -3)], {}),
    ("Slice", X, [ints(0, 1), ints(1, -1)], {}),
    ("Slice", X, [ints(5), ints(2), ints(3)], {}),
    ("Slice", X, [ints(-1), ints(-FAR), ints(2), ints(-2)], {}),
    ("Slice", ["N", 12], [ints(0), ints(FAR), ints(0)], {}),
    ("Split", X, [], {"axis": 1, "outputs": 3}),
    ("Split", X, [ints(2, 7, 3)], {"axis": -3, "outputs": 3}),
    ("Gather", X, [[5, 6]], {"axis": 2}),
    ("Gather", X, [ints(3)], {"axis": -1}),
    ("Gather", X, [[]], {"axis": 1}),
    ("GatherElements", X, [[2, 12, 3, 7]], {"axis": 2}),
    ("GatherND", X, [[5, 2]], {}),
    ("GatherND", X, [[2, 5, 1]], {"batch_dims": 1}),
    ("Expand", [3, 1], [ints(2, 1, 6)], {}),
    ("Tile", X, [ints(1, 2, 3, 1)], {}),
    ("Pad", X, [ints(0, 0, 1, 2, 0, 0, 3, 4)], {}),
    ("Pad", X, [ints(0, 0, 1, 2, 0, 0, -3, -4)], {}),
    ("Reshape", X, [ints(0, -1, 7)], {}),
    ("Reshape", X, [ints(-1, 6)], {}),
    ("Reshape", ["N", 4, 6], [ints(0, -1)], {}),
    ("Squeeze", [1, 3, 1, 5], [ints(0, -2)], {}),
    ("Squeeze", [1, 3, 1, 5], [], {}),
    ("Unsqueeze", [3, 4], [ints(0, -1)], {}),
    ("Transpose", X, [], {"perm": [3, 1, 0, 2]}),
    ("Transpose", X, [], {}),
    ("Flatten", X, [], {"axis": 2}),
    ("Flatten", X, [], {"axis": -1}),
    ("Concat", X, [[2, 5, 9, 7]], {"axis": 1}),
    ("TopK", X, [ints(4)], {"axis": 1, "outputs": 2}),
    ("ArgMax", X, [], {"axis": 2, "keepdims": 0}),
    ("ReduceMean", X, [], {"axes": [1, -1], "keepdims": 0}),
    ("ReduceMax", X, [], {}),
    ("ReduceSum", X, [ints(2)], {}),
    ("Shape", X, [], {"start": 1}),
    ("Size", X, [], {}),
    ("NonZero", X, [], {}),
    ("Resize", X, [floats(), floats(1, 1, 2, 2.5)], {}),
    ("Resize", X, [floats(), floats(), ints(2, 12, 20, 3)], {}),
    ("DepthToSpace", X, [], {"blocksize": 2}),
    ("SpaceToDepth", [1, 3, 8, 6], [], {"blocksize": 2}),
    ("MaxPool", X, [], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
    ("MaxPool", X, [], {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
    ("AveragePool", X, [], {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER", "strides": [2, 3]}),
    ("GlobalAveragePool", X, [], {}),
    ("Conv", X, [[8, 12, 3, 3]], {"strides": [2, 1], "dilations": [1, 2]}),
    ("Conv", X, [[8, 12, 3, 3]], {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    ("ConvTranspose", X, [[12, 5, 3, 3]], {"strides": [2, 2], "group": 2,
                                           "output_padding": [1, 1], "pads": [1] * 4}),
    ("ConvTranspose", X, [[12, 5, 4, 4]], {"output_shape": [20, 20], "strides": [2, 2]}),
    ("MatMul", [4, 2, 3, 5], [[2, 5, 6]], {}),
    ("MatMul", [5], [[2, 5, 6]], {}),
    ("MatMul", [2, 3, 5], [[5]], {}),
    ("Gemm", [5, 3], [[6, 5]], {"transA": 1, "transB": 1}),
    ("LSTM", [7, 2, 10], [[2, 32, 10], [2, 32, 8]], {"hidden_size": 8, "outputs": 3,
                                                     "direction": "bidirectional"}),
    ("GRU", [7, 2, 10], [[1, 24, 10], [1, 24, 8]], {"hidden_size": 8, "outputs": 2}),
    ("Where", X, [], {}),
    ("Mul", [12, 1, 7], [X], {}),
    ("RoiAlign", X, [[6, 4], [6]], {"output_height": 3, "output_width": 5}),
    ("Det", [4, 3, 3], [], {}),
    ("Einsum", [2, 3, 4], [[2, 4, 5]], {"equation": "bij, bjk -> bik"}),
    ("GridSample", [2, 3, 5, 6], [[2, 7, 8, 2]], {}),
    ("OneHot", [4, 5], [ints(10), floats(0, 1)], {"axis": 1}),
    ("OneHot", [4, 5], [ints(10), floats(0, 1)], {}),
    ("QLinearConv", X, [[], [], [8, 12, 3, 3], [], [], [], []], {"strides": [2, 2]}),
    ("QLinearMatMul", [4, 3, 5], [[], [], [5, 6], [], [], [], []], {}),
    ("ConvInteger", X, [[8, 12, 3, 3]], {"pads": [1] * 4}),
    ("MatMulInteger", [4, 3, 5], [[5, 6]], {}),
    ("DynamicQuantizeLinear", X, [], {"outputs": 3}),
    ("RandomNormal", None, [], {"shape": [2, 7]}),
    ("RandomUniformLike", X, [], {}),
    ("Multinomial", [2, 12], [], {"sample_size": 5}),
    ("MaxUnpool", [1, 1, 2, 3], [[1, 1, 2, 3]], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("MaxRoiPool", X, [[6, 5]], {"pooled_shape": [3, 4]}),
    ("Compress", X, [[3]], {"axis": 1}),
    ("Compress", X, [[3]], {}),
    ("Unique", X, [], {"axis": -1, "outputs": 4}),
    ("Unique", X, [], {"outputs": 4}),
    ("NegativeLogLikelihoodLoss", [3, 5, 6], [[3, 6]], {"reduction": "none"}),
    ("NegativeLogLikelihoodLoss", [3, 5, 6], [[3, 6]], {}),
    ("SoftmaxCrossEntropyLoss", [3, 5, 6], [[3, 6]], {"reduction": "none", "outputs": 2}),
    ("SoftmaxCrossEntropyLoss", [3, 5, 6], [[3, 6]], {"reduction": "sum", "outputs": 2}),
    ("HannWindow", None, [ints(9)], {}),
    ("BlackmanWindow", None, [ints(9)], {}),
    ("MelWeightMatrix", None, [ints(8), ints(16), ints(8192), floats(0), floats(4000)], {}),
    ("DFT", [2, 9, 1], [], {"onesided": 1}),
    ("DFT", [2, 9, 5, 1], [ints(12)], {"axis": 2}),
    ("STFT", [2, 100, 1], [ints(8), [16]], {"onesided": 0}),
    ("NonMaxSuppression", [1, 6, 4], [[1, 2, 6]], {}),
    ("Bernoulli", X, [], {}),
    ("CumSum", X, [ints(1)], {}),
    ("EyeLike", [3, 4], [], {}),
    ("SequenceLength", X, [], {}),
]

# What the installed onnx need not know, with sizes counted by hand: op, as above, sizes.
# Before its last dot an op may have another domain; one with an "@" has that opset, not 17.
COUNTED = [
    # The last window would start in the padding behind the data: there is none.
    ("MaxPool", [1, 1, 2, 2], [], {"kernel_shape": [1, 1], "strides": [2, 2], "ceil_mode": 1},
     [[1, 1, 1, 1]]),
    ("AveragePool", [1, 3, 3, 7], [], {"kernel_shape": [2, 3], "strides": [3, 3], "pads": [1, 1, 1, 1],
                                       "ceil_mode": 1}, [[1, 3, 2, 3]]),
    ("AveragePool", [1, 3, 2, 2], [], {"kernel_shape": [3, 3], "strides": [3, 3], "pads": [1, 1, 1, 1],
                                       "ceil_mode": 1}, [[1, 3, 1, 1]]),
    ("MaxPool", ["N", 3, "H", 8], [], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
     [["N", "3", "floor((H - 2)/2) + 1", "4"]]),
    ("MaxPool", ["N", 3, "H", 8], [], {"kernel_shape": [1, 1], "strides": [2, 2], "ceil_mode": 1},
     [["N", "3", "?", "4"]]),
    ("LayerNormalization", X, [[9, 7], [9, 7]], {"axis": -2, "outputs": 3}, [X, [2, 12, 1, 1], [2, 12, 1, 1]]),
    ("LayerNormalization", X, [[7], [7]], {"outputs": 2}, [X, [2, 12, 9, 1]]),
    ("BatchNormalization", X, [[12]] * 4, {"training_mode": 1, "outputs": 3}, [X, [12], [12]]),
    ("Attention", [2, 9, 24], [[2, 5, 16], [2, 5, 20], "", [2, 4, 3, 4], [2, 4, 3, 5]],
     {"q_num_heads": 6, "kv_num_heads": 4, "outputs": 4},
     [[2, 9, 30], [2, 4, 8, 4], [2, 4, 8, 5], [2, 6, 9, 8]]),
    ("Attention", [2, 3, 9, 8], [[2, 3, 5, 8], [2, 3, 5, 6]], {"outputs": 4},
     [[2, 3, 9, 6], [2, 3, 5, 8], [2, 3, 5, 6], [2, 3, 9, 5]]),
    ("ai.onnx.preview.FlexAttention", [2, 4, 9, 8], [[2, 2, 5, 8], [2, 2, 5, 6]], {}, [[2, 4, 9, 6]]),
    ("LinearAttention", [2, 9, 32], [[2, 9, 16], [2, 9, 20]],
     {"q_num_heads": 4, "kv_num_heads": 2, "outputs": 2}, [[2, 9, 40], [2, 2, 8, 10]]),
    ("CausalConvWithState", [2, 4, 9], [[4, 1, 3]], {"outputs": 2}, [[2, 4, 9], [2, 4, 2]]),
    ("BitCast", X, [], {"to": 6}, [X]),
    ("CumProd", X, [ints(1)], {}, [X]),
    ("SwiGLU", X, [X], {}, [X]),
    ("OneHot", [4, 5], [floats(10), floats(0, 1)], {}, [[4, 5, 10]]),
    ("OneHot", [4, 5], [numpy.array(3, numpy.uint8), floats(0, 1)], {"axis": 0}, [[3, 4, 5]]),
    ("Resize", [1, 3, 4, 6], [floats(), floats(), ints(9, 9)],
     {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}, [[1, 3, 6, 9]]),
    ("Resize", [1, 3, 4, 6], [floats(), floats(), ints(9, 9)],
     {"axes": [3, 2], "keep_aspect_ratio_policy": "not_smaller"}, [[1, 3, 9, 14]]),
    ("Einsum", [3, 5, 5], [], {"equation": "...ii ->...i"}, [[3, 5]]),
    ("Einsum", [2, 1, 3, 4], [[7, 4, 5]], {"equation": "...ij,...jk"}, [[2, 7, 3, 5]]),
    ("Einsum", [2, 3, 4], [[4]], {"equation": "b...,..."}, [[3, 4, 2]]),
    ("Einsum", [2, 3, 4], [[4]], {"equation": "...a,a->..."}, [[2, 3]]),
    ("Range", None, [ints(10), ints(1), ints(-4)], {}, [[3]]),
    ("DFT@20", [2, 9, 5, 1], [], {}, [[2, 9, 5, 2]]),
    ("DFT@20", [2, 9, 5, 2], ["", ints(1)], {"onesided": 1, "inverse": 1}, [[2, 16, 5, 1]]),
    ("DFT@20", [2, 9, 5, 2], ["", []], {}, [[2, 9, 5, 2]]),
    ("DFT@20", [2, 9, 5, 2], [ints(7), []], {}, [["?", "?", "?", "2"]]),
    ("StringNormalizer", [1, 4], [], {}, [["1", "?"]]),
    ("TfIdfVectorizer", [3, 6], [], {"ngram_indexes": [0, 4, 2]}, [[3, 5]]),
    ("ai.onnx.ml.ArrayFeatureExtractor", [3, 6], [[1, 2]], {}, [[3, 2]]),
    ("ai.onnx.ml.ArrayFeatureExtractor", [6], [[2]], {}, [[1, 2]]),
    ("ai.onnx.ml.TreeEnsemble", [3, 6], [], {"n_targets": 2}, [[3, 2]]),
    ("ai.onnx.ml.LinearRegressor", [3, 6], [], {}, [[3, 1]]),
    ("ai.onnx.ml.LinearClassifier", [3, 6], [], {"classlabels_ints": [4, 5, 6], "coefficients": [1.0],
                                                 "outputs": 2}, [[3], [3, 3]]),
    ("ai.onnx.ml.SVMRegressor", [3, 6], [], {}, [[3, 1]]),
    ("ai.onnx.ml.OneHotEncoder", [3, 6], [], {"cats_strings": ["a", "b"]}, [[3, 6, 2]]),
    ("ai.onnx.ml.FeatureVectorizer", [3, 6], [[3, 2]], {"inputdimensions": [6, 2]}, [[3, 8]]),
    ("ai.onnx.preview.training.Gradient", X, [[5]], {"xs": ["x", "i0"], "y": "z", "outputs": 2}, [X, [5]]),
    ("ai.onnx.ml.LabelEncoder", X, [], {"values_int64s": [1]}, [X]),
    ("ai.onnx.preview.training.Momentum", [], [[], [1], [2, 3], [1], [2, 3], [1], [2, 3]],
     {"outputs": 4}, [[1], [2, 3], [1], [2, 3]]),
    ("ai.onnx.preview.training.Adam", [], [[], [1], [2, 3], [1], [2, 3], [1], [2, 3], [1], [2, 3]],
     {"outputs": 6}, [[1], [2, 3]] * 3),
    ("Einsum", [2, 3, 4], [[2, 4, 5]], {"equation": "bij,bjk"}, [[3, 5]]),
    ("Einsum", [4, 4], [], {"equation": "ii->i"}, [[4]]),
    # onnx 1.12 counts frames of half the length there
    ("STFT", [2, 100, 1], [ints(8), [16]], {"onesided": 1}, [[2, 11, 9, 2]]),
    ("Attention", [2, 9, 24], [[2, 5, 16], [2, 5, 20]], {"q_num_heads": 6, "kv_num_heads": 4},
     [[2, 9, 30]]),
    ("Attention", [2, 3, 9, 8], [[2, 3, 5, 8], [2, 3, 5, 6]], {}, [[2, 3, 9, 6]]),
    ("RMSNormalization", X, [[7]], {}, [X]),
    ("GroupNormalization", X, [[12], [12]], {"num_groups": 3}, [X]),
    ("RotaryEmbedding", [2, 4, 9, 8], [[9, 4], [9, 4]], {}, [[2, 4, 9, 8]]),
    ("Swish", X, [], {}, [X]),
    ("TensorScatter", X, [[2, 12, 1, 7]], {}, [X]),
    ("TRT_Attention", X, [[2, 12, 5, 7], [2, 12, 5, 7]], {}, [X]),
    ("TRT_KVCacheUpdate", X, [[2, 12, 1, 7]], {}, [X]),
    ("TRT_MoE", [2, 5, 8], [[2, 5, 2], [2, 5, 2], [4, 8, 16], [4, 8, 16], [4, 16, 8]], {}, [[2, 5, 8]]),
    ("CenterCropPad", X, [ints(5, 20)], {"axes": [2, -1]}, [[2, 12, 5, 20]]),
    ("Col2Im", [1, 20, 12], [ints(5, 6), ints(2, 2)], {}, [[1, 5, 5, 6]]),
    ("DeformConv", X, [[8, 12, 3, 3], [2, 18, 7, 5]], {}, [[2, 8, 7, 5]]),
    ("AffineGrid", [2, 2, 3], [ints(2, 3, 5, 6)], {}, [[2, 5, 6, 2]]),
    ("AffineGrid", [2, 3, 4], [ints(2, 3, 5, 6, 7)], {}, [[2, 5, 6, 7, 3]]),
    ("DFT", [2, 9, 5, 1], [ints(12), ints(-2)], {}, [[2, 9, 12, 2]]),
    ("Resize", X, [floats(), floats(1, 1, 2, 2)], {"axes": [0, 1, 2, 3]}, [[2, 12, 18, 14]]),
    ("Resize", X, [floats(), floats(2, 3)], {"axes": [2, -1]}, [[2, 12, 18, 21]]),
    ("Resize", X, [floats(), floats(), ints(20, 3)], {"axes": [2, 3]}, [[2, 12, 20, 3]]),
    ("Pad", X, [ints(1, 2, 3, 4), floats(0), ints(2, -1)], {}, [[2, 12, 13, 13]]),
    ("com.microsoft.FusedConv", X, [[8, 12, 3, 3]], {"pads": [1] * 4}, [[2, 8, 9, 7]]),
    ("com.microsoft.FusedGemm", [5, 3], [[6, 5]], {"transA": 1, "transB": 1}, [[3, 6]]),
    ("com.microsoft.FusedMatMul", [2, 5, 3], [[5, 6]], {"transA": 1}, [[2, 3, 6]]),
    ("com.microsoft.QGemm", [5, 3], [[], [], [3, 6]], {}, [[5, 6]]),
    ("com.microsoft.QLinearConv", [2, 9, 7, 12], [[], [], [8, 12, 3, 3]],
     {"channels_last": 1}, [[2, 7, 5, 8]]),
    ("com.microsoft.QLinearAdd", X, [[], [], [12, 1, 1]], {}, [X]),
    ("com.microsoft.QLinearAveragePool", [2, 9, 7, 12], [], {"channels_last": 1,
                                                            "kernel_shape": [3, 3]},
     [[2, 7, 5, 12]]),
    ("com.microsoft.QLinearGlobalAveragePool", [2, 9, 7, 12], [], {"channels_last": 1},
     [[2, 1, 1, 12]]),
    ("com.microsoft.QLinearConcat", [], [[], X, [], [], [2, 5, 9, 7], [], []], {"axis": 1},
     [[2, 17, 9, 7]]),
    ("com.microsoft.MatMulNBits", [2, 9, 64], [[32, 2, 16]], {"K": 64, "N": 32}, [[2, 9, 32]]),
    ("com.microsoft.SkipLayerNormalization", [2, 9, 64], [[2, 9, 64]], {}, [[2, 9, 64]]),
]

# Bodies and sequences, with sizes counted by hand; None: no rank.  `none` is an input left out.
HEAD = '<ir_version: 8, opset_import: ["" : 17, "local" : 1]> '
BODIES = [
    ("If", """g (float[2, 3] x, bool c) => (float[] same, float[] size, float[] rank) {
        same, size, rank = If <
            then_branch = t () => (float[] a, float[] b, float[] d) { a = Relu (x)  b = Relu (x)  d = Relu (x) },
            else_branch = e () => (float[] f, float[] h, float[] i) {
                f = Neg (x)  h = Concat <axis = 0> (x, x)  i = ReduceSum <keepdims = 0> (x) }> (c) }""",
     {"same": ["2", "3"], "size": ["?", "3"], "rank": None}),
    # A branch without nodes gives what stands around it.
    ("If without nodes", """g (float[2, 3] x, bool c) => (float[] y) {
        z = Neg (x)
        y = If <then_branch = t () => (float[] z) { }, else_branch = e () => (float[] z) { }> (c) }""",
     {"y": ["2", "3"]}),
    ("Loop", """g (int64 m, bool c, float[2, 3] x, float[2] w) => (float[] last, float[] grown, float[] all) {
        last, grown, all = Loop <body = b (int64 i, bool k, float[] s, float[] v) =>
            (bool k2, float[] s2, float[] v2, float[] part) {
                k2 = Identity (k)  s2 = Relu (x)  v2 = Concat <axis = 0> (w, w)  part = Concat <axis = 0> (x, x) }>
            (m, c, x, w) }""",
     {"last": ["2", "3"], "grown": ["?"], "all": ["?", "4", "3"]}),
    ("Scan", """g (float[4] x, float[7, 5] xs) => (float[] y, float[] ys, float[] zs) {
        y, ys, zs = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1, 0], body =
            b (float[] s, float[] p) => (float[] s2, float[] q, float[] r) {
                s2 = Relu (s)  q = Neg (p)  r = Neg (s) }> (x, xs) }""",
     {"y": ["4"], "ys": ["7", "5"], "zs": ["5", "4"]}),
    ("Scan of opset 8", """g (float[3, 4] x, float[3, 7, 5] xs) => (float[] y, float[] ys) {
        y, ys = Scan <num_scan_inputs = 1, body = b (float[] s, float[] p) => (float[] s2, float[] q) {
            s2 = Relu (s)  q = Neg (p) }> (none, x, xs) }""",
     {"y": ["3", "4"], "ys": ["3", "7", "5"]}),
    ("call", """g (float[2, 3] x, int64[2] dims) => (float[] y) {
        to = Constant <value_ints = [3, 2]> ()
        y = local.turn (x, to) }
        <domain: "local", opset_import: ["" : 17]> turn (a, b) => (d) { c = Reshape (a, b)  d = Relu (c) }""",
     {"y": ["3", "2"]}),
    ("sequence", """g (float[2, 3] x, float[5, 3] w, int64 i) => (float[] at, float[] row, float[] new, float[] part) {
        s = SequenceConstruct (x, w)
        t = SequenceInsert (s, x)
        at = SequenceAt (t, i)
        row = ConcatFromSequence <axis = 0> (t)
        alike = SequenceConstruct (x, x)
        new = ConcatFromSequence <axis = -1, new_axis = 1> (alike)
        parts = SplitToSequence <axis = 1, keepdims = 0> (x)
        part = SequenceAt (parts, i) }""",
     {"at": ["?", "3"], "row": ["?", "3"], "new": ["2", "3", "?"], "part": ["2"]}),
    ("optional", """g (float[2, 3] x) => (float[] a, float[] b) {
        o = Optional (x)
        a = OptionalGetElement (o)
        b = OptionalGetElement (x) }""",
     {"a": ["2", "3"], "b": ["2", "3"]}),
]

# What no exporter writes: it is read, and gives no size that is none.
LEAST = -FAR - 1
HOSTILE = [
    ("Conv", X, [[8, 12, 3, 3]], {"group": -7, "strides": [0, -1], "pads": [FAR, LEAST, 1, 1]}),
    ("ConvTranspose", X, [[12, 5, 3, 3]], {"group": -7}),
    ("ConvTranspose", X, [[12, 5, 3, 3]], {"output_shape": [-20, LEAST]}),
    ("TopK", X, [ints(-4)], {"outputs": 2}),
    ("LSTM", [7, 2, 10], [[2, 32, 10], [2, 32, 8]], {"hidden_size": -8}),
    ("RoiAlign", X, [[6, 4], [6]], {"output_height": -3, "output_width": LEAST}),
    ("Range", [], [], {}),
    ("Tile", X, [ints(1, -2, FAR, FAR)], {}),
    ("Reshape", X, [ints(-5, LEAST)], {}),
    ("Reshape", X, [ints(-1, -1, -1)], {}),
    ("Pad", X, [ints(0, 0, -100, LEAST, 0, 0, 0, LEAST)], {}),
    ("Split", [2], [], {"axis": 0, "outputs": 5}),
    ("Split", [2], [ints(-7, FAR)], {"axis": 0, "outputs": 2}),
    ("Slice", X, [ints(LEAST, FAR), ints(FAR, LEAST), ints(0, 1), ints(LEAST, FAR)], {}),
    ("Slice", X, [ints(0), ints(FAR), ints(FAR)], {}),
    ("Resize", X, [floats(), floats(1, -1, numpy.nan, numpy.inf)], {}),
    ("DepthToSpace", X, [], {"blocksize": -2}),
    ("Gather", X, [ints(LEAST)], {"axis": LEAST}),
    ("Squeeze", X, [ints(FAR)], {}),
    ("Unsqueeze", X, [ints(*range(16))], {}),
    ("Flatten", X, [], {"axis": LEAST}),
    ("Einsum", X, [X], {"equation": "abcd,zz->...ab"}),
    ("Einsum", X, [X], {"equation": "abcdefghijk,,->->"}),
    ("Einsum", X, [X], {"equation": "abcd,dcba->\u00e9[^_"}),
    ("DFT", X, [ints(LEAST), ints(FAR)], {"onesided": 1}),
    ("STFT", X, [ints(0), [3], ints(LEAST)], {}),
    ("HannWindow", None, [ints(LEAST)], {}),
    ("MelWeightMatrix", None, [ints(-8), ints(FAR)], {}),
    ("CenterCropPad", X, [ints(-5, FAR)], {"axes": [FAR, LEAST]}),
    ("CenterCropPad", X, [ints(-5, FAR)], {"axes": [0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3]}),
    ("Col2Im", X, [ints(*range(9)), ints(0)], {}),
    ("Col2Im", [1, 20, 12], [ints(*range(8)), ints(0)], {}),
    ("AffineGrid", X, [ints(*range(9))], {}),
    ("AffineGrid", X, [ints(-1, -2, -3, FAR)], {}),
    ("MaxUnpool", X, [X], {"kernel_shape": [FAR, LEAST], "strides": [0, -1]}),
    ("MaxRoiPool", X, [[6, 5]], {"pooled_shape": [LEAST, FAR]}),
    ("OneHot", [1] * 8, [ints(-3), floats(0, 1)], {"axis": LEAST}),
    ("RandomNormal", None, [], {"shape": [-2, FAR]}),
    ("RandomNormal", None, [], {"shape": [1] * 20}),
    ("Resize", X, [floats(), floats(1, -1, numpy.nan, numpy.inf)], {"axes": [FAR, LEAST, 0, 0]}),
    ("Pad", X, [ints(1, 2), floats(0), ints(FAR)], {}),
    ("com.microsoft.QLinearConcat", X, [], {"axis": FAR}),
    ("com.microsoft.QLinearGlobalAveragePool", [3], [], {"channels_last": 1}),
    ("com.microsoft.QLinearConv", [2, 9, 7], [[], [], [8, 12, 3]], {"channels_last": 1}),
    ("Attention", X, [X, X], {"q_num_heads": -3, "kv_num_heads": -9}),
    ("Attention", [2, 3, 12], [[2, 3, 12], [2, 3, 12]], {"q_num_heads": -3, "kv_num_heads": 0}),
]


def make(op, x, more, attrs):
    attrs = dict(attrs)
    op, _, opset = op.partition("@")
    outputs = [f"y{i}" for i in range(attrs.pop("outputs", 1))]
    inputs, names, constants = ([], [], []) if x is None else ([("x", x)], ["x"], [])
    for i, value in enumerate(more):
        names.append(value if isinstance(value, str) else f"i{i}")
        if isinstance(value, str):
            continue
        if isinstance(value, list):
            inputs.append((names[-1], value))
        else:
            constants.append(numpy_helper.from_array(value, names[-1]))
    if op == "Where":
        names = ["x", "x", "x"]
    domain, _, kind = op.rpartition(".")
    node = helper.make_node(kind, names, outputs, name="n", domain=domain, **attrs)
    integer = {"Gather": ["i0"], "GatherElements": ["i0"], "GatherND": ["i0"], "RoiAlign": ["i1"],
               "OneHot": ["x"], "MaxUnpool": ["i0"], "NegativeLogLikelihoodLoss": ["i0"],
               "SoftmaxCrossEntropyLoss": ["i0"]}
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(
            name, TensorProto.BOOL if op == "Where" else
            TensorProto.INT64 if name in integer.get(op, []) else TensorProto.FLOAT, shape)
         for name, shape in inputs],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        constants)
    return outputs, helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", int(opset or 17)), helper.make_opsetid("com.microsoft", 1)])


def theirs(model):
    found = {}
    for value in shape_inference.infer_shapes(model).graph.output:
        if value.type.tensor_type.HasField("shape"):
            found[value.name] = [str(d.dim_value) if d.HasField("dim_value") else None
                                 for d in value.type.tensor_type.shape.dim]
    return found


def ours(model):
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        done = program.run([BINARY, "--dump", "shapes", file.name], text=True)
        done.check_returncode()
    found = {}
    for line in done.stdout.splitlines():
        m = re.match(r"0 (.*) (?:\[(.*)\]|\?)$", line)
        if m and m.group(2) is not None:
            found[m.group(1)] = m.group(2).split(", ") if m.group(2) else []
    return found


compared = 0
for case in CASES:
    outputs, model = make(*case)
    mine, other = ours(model), theirs(model)
    for name in outputs:
        if name not in other:
            continue
        sizes = mine.get(name)
        same = sizes is not None and len(sizes) == len(other[name]) and all(
            b is None or a == b for a, b in zip(sizes, other[name]))
        compared += sum(size is not None for size in other[name])
        if not same:
            failures.append(case)
            print(f"FAILED {case}: {name} {sizes}, onnx {other[name]}")
for *case, expected in COUNTED:
    outputs, model = make(*case)
    mine = ours(model)
    compared += sum(map(len, expected))
    for name, sizes in zip(outputs, expected):
        if mine.get(name) != [str(size) for size in sizes]:
            failures.append(case)
            print(f"FAILED {case}: {name} {mine.get(name)}, counted {sizes}")
for name, text, expected in BODIES:
    model = parser.parse_model(HEAD + text)
    for node in model.graph.node:
        node.input[:] = ["" if name == "none" else name for name in node.input]
    mine = ours(model)
    for tensor, sizes in expected.items():
        compared += len(sizes or ())
        if mine.get(tensor) != sizes:
            failures.append(name)
            print(f"FAILED {name}: {tensor} {mine.get(tensor)}, counted {sizes}")
for case in HOSTILE:
    outputs, model = make(*case)
    for name, sizes in ours(model).items():
        if not all(size == "?" or size.isdigit() for size in sizes):
            failures.append(case)
            print(f"FAILED {case}: {name} {sizes}")
print(f"{len(CASES) + len(COUNTED)} operators, {compared} sizes, {len(failures)} failures")
sys.exit(1 if failures or compared < 400 else 0)
