"""The models that the suite judges by, each a file with what its test's data say of it.

`collect()` writes the tests that onnx brings along into a folder, once for each version of onnx: the sizes of
inputs and outputs come from the data that the tests give and expect, never from the program that is judged."""
import collections
import glob
import json
import os
import warnings

import numpy
import onnx
from onnx import numpy_helper

SUITES = ("node", "light", "pytorch-converted", "pytorch-operator", "simple", "shared")
# Values of inputs that a builder may need as sizes.
MOST_VALUES = 64

# family -> its operators.  A test belongs to the family of the operator that it is about.
FAMILIES = {
    "arithmetic": "Abs Add BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Ceil Clip Div Erf Exp Floor Log Max Mean "
                  "Min Mod Mul Neg Pow Reciprocal Round Sign Sqrt Sub Sum",
    "trigonometry": "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Sin Sinh Tan Tanh Det",
    "activation": "Celu Elu Gelu HardSigmoid HardSwish Hardmax LeakyRelu LogSoftmax Mish PRelu Relu Selu Shrink "
                  "Sigmoid Softmax Softplus Softsign SwiGLU Swish ThresholdedRelu",
    "logic": "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Where Xor",
    "reduction": "ArgMax ArgMin CumProd CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
                 "ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK",
    "convolution": "CausalConvWithState Conv ConvInteger ConvTranspose DeformConv QLinearConv",
    "product": "Einsum Gemm MatMul MatMulInteger QLinearMatMul",
    "pooling": "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool MaxRoiPool MaxUnpool RoiAlign",
    "normalization": "BatchNormalization Dropout GroupNormalization InstanceNormalization LRN LayerNormalization "
                     "LpNormalization MeanVarianceNormalization RMSNormalization",
    "attention": "Attention FlexAttention LinearAttention RotaryEmbedding",
    "recurrent": "GRU LSTM RNN",
    "quantization": "DequantizeLinear DynamicQuantizeLinear QuantizeLinear",
    "cast": "BitCast Cast CastLike",
    "shape": "Constant ConstantOfShape Expand EyeLike Flatten Identity OneHot Range Reshape Shape Size Squeeze "
             "Unsqueeze",
    "movement": "CenterCropPad Compress Concat DepthToSpace Gather GatherElements GatherND NonZero Pad ReverseSequence "
                "Scatter ScatterElements ScatterND Slice SpaceToDepth Split TensorScatter Tile Transpose Trilu Unique",
    "image": "AffineGrid Col2Im GridSample ImageDecoder NonMaxSuppression Resize Upsample",
    "control": "If Loop Scan",
    "sequence": "ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct "
                "SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap SplitToSequence",
    "signal": "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT",
    "random": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "text": "RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer",
    "learning": "Adagrad Adam ArrayFeatureExtractor Binarizer Gradient LabelEncoder Momentum "
                "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss TreeEnsemble",
}
FAMILY_OF = {op: family for family, ops in FAMILIES.items() for op in ops.split()}
# What stands around the operator that a test is about.
BESIDE = {"Constant", "Identity", "Cast", "Reshape", "Shape", "Concat", "Squeeze", "Unsqueeze", "Transpose",
          "ConstantOfShape", "Gather"}


class Case:
    """One model: its file, and the sizes that its test's data have; None where no data show them."""

    def __init__(self, told):
        self.suite, self.family, self.name, self.path = (told[k] for k in ("suite", "family", "name", "path"))
        self.inputs, self.outputs = told["inputs"], told["outputs"]


def family_of(model, base=None):
    """The family of the operator that a small model is about; a large one is a network."""
    nodes = model.graph.node
    ops = [n.op_type for n in nodes]
    if len(ops) > 24 and base is None:
        return "network"
    ops = [base] if base else [op for op in ops if op not in BESIDE] or ops
    # A test of PyTorch's counts where most of its work is.
    for op in ops:
        if FAMILY_OF.get(op) in ("convolution", "product", "pooling", "recurrent", "normalization"):
            return FAMILY_OF[op]
    return next((FAMILY_OF[op] for op in ops if op in FAMILY_OF), "other")


def array_of(value):
    """The array that a test gives or expects; None where it is none (a sequence, an absent optional)."""
    if isinstance(value, onnx.TensorProto):
        try:
            return numpy_helper.to_array(value)
        except (TypeError, ValueError):
            return None
    return None if value is None or isinstance(value, (list, dict)) else numpy.asarray(value)


def told(values, names, with_values):
    """name -> sizes, and values where they are few whole numbers."""
    out = {}
    for name, value in zip(names, values):
        array = array_of(value)
        if array is None or not name:
            continue
        out[name] = {"dims": list(array.shape)}
        if with_values and array.dtype.kind in "iub" and array.size <= MOST_VALUES:
            out[name]["values"] = [int(v) for v in array.reshape(-1)]
    return out


def entry(suite, name, model, data, path, base=None):
    inputs, outputs = data if data else ((), ())
    weights = {t.name for t in model.graph.initializer}
    fed = [v.name for v in model.graph.input]
    # Old models list weights among the inputs, and data only for the rest.
    if len(fed) != len(inputs):
        fed = [n for n in fed if n not in weights]
    return {"suite": suite, "name": name, "path": path, "family": family_of(model, base),
            "inputs": told(inputs, fed, True), "outputs": told(outputs, [v.name for v in model.graph.output], False)}


def node_tests(folder):
    warnings.filterwarnings("ignore")
    from onnx.backend.test.case.node import collect_testcases
    ops = {}
    for case in collect_testcases(None):
        base = case.name.split("_expanded")[0]
        about = [n.op_type for n in case.model.graph.node]
        if base == case.name:
            ops[base] = next((op for op in about if op not in BESIDE), about[0] if about else "Identity")
        path = os.path.join(folder, case.name + ".onnx")
        with open(path, "wb") as file:
            file.write(case.model.SerializeToString())
        yield entry("node", case.name, case.model, case.data_sets[0] if case.data_sets else None, path,
                    ops.get(base, about[0] if about else None))


def read_proto(path):
    """What a .pb of a test holds: a tensor, or something else, which comes back as None."""
    with open(path, "rb") as file:
        data = file.read()
    tensor = onnx.TensorProto()
    try:
        tensor.ParseFromString(data)
        numpy_helper.to_array(tensor)
    except Exception:       # a sequence or an optional: protobuf and numpy each have their own errors
        return None
    return tensor


def file_tests(suite, source):
    for at in sorted(glob.glob(os.path.join(source, suite, "*", "model.onnx"))):
        model = onnx.load(at)
        sets = os.path.join(os.path.dirname(at), "test_data_set_0")
        data = [[read_proto(p) for p in sorted(glob.glob(os.path.join(sets, f"{kind}_*.pb")),
                                               key=lambda p: int(p.rsplit("_", 1)[1][:-3]))]
                for kind in ("input", "output")]
        yield entry(suite, os.path.basename(os.path.dirname(at)), model, data, at)


def light_tests(source):
    for at in sorted(glob.glob(os.path.join(source, "light", "*.onnx"))):
        model = onnx.load(at)
        output = read_proto(at[:-len(".onnx")] + "_output_0.pb")
        yield entry("light", os.path.basename(at)[:-len(".onnx")], model, ((), (output,)), at)


def shared_models(shared):
    for at in sorted(glob.glob(os.path.join(shared, "models", "*.onnx"))):
        model = onnx.load(at, load_external_data=False)
        yield entry("shared", os.path.basename(at)[:-len(".onnx")], model, None, at)


def collect(folder, shared):
    """All cases, in the suites' order; those of onnx are written to `folder` once for each of its versions."""
    manifest = os.path.join(folder, f"cases-{onnx.__version__}.json")
    if not os.path.exists(manifest):
        source = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
        at = os.path.join(folder, f"models-{onnx.__version__}")
        os.makedirs(at, exist_ok=True)
        entries = [*node_tests(at), *light_tests(source)]
        for suite in ("pytorch-converted", "pytorch-operator", "simple"):
            entries += file_tests(suite, source)
        with open(manifest + ".part", "w", encoding="utf-8") as file:
            json.dump(entries, file)
        os.rename(manifest + ".part", manifest)
    with open(manifest, encoding="utf-8") as file:
        entries = json.load(file)
    if shared:
        entries += shared_models(shared)
    return [Case(e) for e in entries]


def by_family(cases):
    families = collections.defaultdict(list)
    for case in cases:
        families[case.family].append(case)
    return families
