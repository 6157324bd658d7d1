"""The ten models: NAME -> (model, sizes of inputs with open dimensions), made of ../../../shared and of a drawn ConvNeXt.

The corpus left large weights out; rebuild.py fills them in for the builder alone."""
import importlib.util
import json
import pathlib

import onnx

import made

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("drawn", HERE.parent / "real/models.py")
drawn = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(drawn)

# name -> folder of the corpus, file or case; "" where it is drawn here
TEN = {
    "resnet18_fp16": "models/resnet18_fp16_ts.onnx",
    "resnet18_qat": "zoo/cases/resnet18_qat_residual_ts",
    "efficientnet": "zoo/cases/efficientnet_b0_ts",
    "vit": "zoo/cases/vit_bf16",
    "bert": "zoo-2/cases/distilbert",
    "decoder_kv": "zoo-2/cases/qwen2_kv",
    "yolo": "zoo/cases/yolo_like",
    "unet": "zoo/cases/unet_deconv",
    "convnext": "",
    "loop": "zoo-2/cases/loop_lstmcell",
}


def convnext():
    """Two stages of two blocks: depthwise 7x7, LayerNorm over channels, two linears with GELU, layer scale."""
    n = drawn.Net(39)
    x = n.input("images", 1, 3, 64, 64)
    width = 48
    x = n.op("Conv", x, n.weight(width, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4])
    for stage in range(2):
        if stage:
            x = norm(n, x, width)
            x = n.op("Conv", x, n.weight(2 * width, width, 2, 2), kernel_shape=[2, 2], strides=[2, 2])
            width *= 2
        for _ in range(2):
            x = block(n, x, width)
    x = n.op("GlobalAveragePool", x)
    x = n.op("Flatten", x, axis=1)
    n.output(n.op("Gemm", x, n.weight(10, width), n.weight(10), transB=1), 1, 10)
    return n.model()


def norm(n, x, width):
    x = n.op("Transpose", x, perm=[0, 2, 3, 1])
    x = n.op("LayerNormalization", x, n.weight(width), n.weight(width), axis=-1, epsilon=1e-6)
    return n.op("Transpose", x, perm=[0, 3, 1, 2])


def gelu(n, x):
    half, one, root = (n.const(drawn.np.float32(v)) for v in (0.5, 1.0, 1.4142135))
    return n.op("Mul", n.op("Mul", x, n.op("Add", n.op("Erf", n.op("Div", x, root)), one)), half)


def block(n, x, width):
    y = n.op("Conv", x, n.weight(width, 1, 7, 7), n.weight(width), kernel_shape=[7, 7], pads=[3] * 4, group=width)
    y = n.op("Transpose", y, perm=[0, 2, 3, 1])
    y = n.op("LayerNormalization", y, n.weight(width), n.weight(width), axis=-1, epsilon=1e-6)
    y = n.op("Add", n.op("MatMul", y, n.weight(width, 4 * width)), n.weight(4 * width))
    y = gelu(n, y)
    y = n.op("Add", n.op("MatMul", y, n.weight(4 * width, width)), n.weight(width))
    y = n.op("Mul", y, n.weight(width))
    return n.op("Add", x, n.op("Transpose", y, perm=[0, 3, 1, 2]))


def of_corpus(shared, where):
    path = shared / where
    shapes = {}
    if path.is_dir():
        case = json.loads((path / "case.json").read_text())
        shapes = {name: what["shape"] for name, what in case.get("profile", {}).items() if "shape" in what}
        path = path / "model.onnx"
    return onnx.load(path, load_external_data=False), shapes


def names_of(seed, count):
    """Models that the seed makes (made.py)."""
    return [f"made:{seed}:{i}" for i in range(count)]


def of_zoos(shared, most):
    """The cases of the corpus with a model of at most so many bytes."""
    return sorted(str(path.parent.relative_to(shared)) for zoo in ("zoo", "zoo-2") for path in (shared / zoo / "cases").glob("*/model.onnx")
                  if path.stat().st_size < most and ".v1" not in path.parent.name and ".sm" not in path.parent.name)


def load(shared, name):
    if name.startswith("made:"):
        return made.load(*map(int, name.split(":")[1:]))[1], {}
    shared = pathlib.Path(shared)
    if "/" in name:
        return of_corpus(shared, name)
    return of_corpus(shared, TEN[name]) if TEN[name] else (convnext(), {})
