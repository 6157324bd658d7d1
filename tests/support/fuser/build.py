"""One build: its steps in the order in which TensorRT performs them."""
import random

from . import clean, copies, emit_json, emit_log, fusion, merge, quant, regions, truth
from .emit_json import Generation
from .facts import Facts
from .forms import Forms
from .work import Work

GENERATIONS = [8.0, 8.2, 8.4, 8.5, 8.6, 10.0, 10.8, 11.0]
TYPES = {"Conv": ["CaskConvolution", "CaskConvolution", "CaskGemmConvolution",
                  "CudnnConvolution", "FusedConvActConvolution"],
         "ConvTranspose": ["CaskDeconvolutionV2"],
         "MaxPool": ["CaskPooling", "TiledPooling", "CudaPooling"],
         "AveragePool": ["CaskPooling", "TiledPooling"],
         "GlobalAveragePool": ["CaskPooling", "TiledPooling"],
         "Softmax": ["CudaSoftMax", "CaskSoftMaxV2"], "BatchNormalization": ["Scale"],
         "Gemm": ["CaskGemmConvolution", "MatrixMultiply"],
         "MatMul": ["CaskGemmConvolution", "MatrixMultiply"],
         "ReduceMean": ["Reduce"], "ReduceSum": ["Reduce"], "Transpose": ["Shuffle"],
         "Reshape": ["Shuffle"], "Flatten": ["Shuffle"], "Squeeze": ["Shuffle"],
         "Unsqueeze": ["Shuffle"], "SiLU": ["PointWiseV2"],
         "LayerNormalization": ["Normalization"]}


class Result:
    """The files of one case as text, and the true mapping as data."""

    def __init__(self, w, layers, forms, rng):
        self.layers = layers
        self.engine = emit_json.dump(w, forms, layers)
        self.names = emit_json.names_only(w, forms, layers)
        self.profile = emit_json.profile(layers, rng)
        self.log = emit_log.log(w, forms, layers)
        self.truth = truth.build(w, layers)
        self.unique_names = truth.check(w, layers, self.truth)
        self.work = w


def build(net, seed, number=None, scale=None):
    """Performs the builder's steps on the graph. `scale` "chain" makes a build without random
    exceptions; `scale` "region" puts all nodes that Myelin supports into one region."""
    rng = random.Random("build %s" % seed)
    gen = Generation(number or rng.choice(GENERATIONS), rng)
    w = Work(net, Facts(net), rng, gen)
    w.scale = scale
    w.habits = fusion.Habits(w)
    clean.start(w)
    clean.dissolve(w)
    clean.merge_same(w)
    quant.mark_int8(w)
    quant.weights(w)
    quant.swap_pools(w)
    quant.clone_over_concats(w)
    quant.absorb_dq(w)
    if scale != "chain" and (scale or rng.random() < 0.7):
        regions.choose(w)
    fusion.silu(w)
    fusion.convolutions(w)
    fusion.matmuls(w)
    fusion.pointwise(w)
    quant.absorb_q(w)
    fusion.shuffles(w)
    merge.siblings(w)
    merge.splits(w)
    merge.gemms(w)
    copies.slices(w)
    regions.finish(w)
    copies.concats(w)
    types(w)
    copies.reformats(w)
    layers = w.ordered()
    truth.settle(w, layers)
    return Result(w, layers, Forms(w), rng)


def types(w):
    for x in w.layers.values():
        if x.type is None:
            menu = TYPES.get(x.op)
            x.type = w.rng.choice(menu) if menu else x.op
