#!/usr/bin/env python3
"""range.py BINARY [MODEL...]: `lint --fix=cast/fp16-range` against numbers.

Models that overflow in FP16, those drawn here and MODELs, are computed by onnx's reference and, where this python
has it, by ONNX Runtime: as they are, and as fixed.  The fixed one must be finite, and near the same model in FP32; one
that overflows in FP32, too, is left out.  The same with --values, the tensors of the model in FP32: what these show beyond
the range is fixed as well, though no rule sees it, and what they show far within it is left alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
from models import Net  # noqa: E402

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

warnings.simplefilter("ignore")
NEAR = 0.02  # relative L2 error: the inputs and the rest of the model stay in FP16


def half(value):
    return np.asarray(value, np.float16)


def drawn():
    """NAME -> model: what overflows, and what makes it small again, as exporters write it."""
    def model(draw, *tail, opset=18):
        n = Net(3)
        x = n.op("Mul", n.input("x", 1, 16, 256, type=TensorProto.FLOAT16), n.const(half(400)))
        n.output(draw(n, x), *(tail or (1, 16, 256)), type=TensorProto.FLOAT16)
        return n.model(opset)

    last = lambda n: n.const(np.array([-1]))  # noqa: E731
    mean = lambda n, x: n.op("Add", n.op("ReduceMean", x, last(n)), n.const(half(1e-5)))  # noqa: E731
    square = lambda n, x: n.op("Pow", x, n.const(half(2)))  # noqa: E731
    few = lambda n, x: n.op("Mul", x, n.const(half(0.03)))  # noqa: E731
    return {
        "rms_pow": model(lambda n, x: n.op("Div", x, n.op("Sqrt", mean(n, square(n, x))))),
        "rms_mul": model(lambda n, x: n.op("Div", x, n.op("Sqrt", mean(n, n.op("Mul", x, x))))),
        "rms_reciprocal": model(lambda n, x: n.op("Mul", x, n.op("Reciprocal", n.op("Sqrt", mean(n, square(n, x)))))),
        "rms_power": model(lambda n, x: n.op("Mul", x, n.op("Pow", mean(n, square(n, x)), n.const(half(-0.5))))),
        "l2": model(lambda n, x: n.op("Div", x, n.op("Sqrt", n.op("ReduceSum", square(n, x), last(n))))),
        "exp_sum": model(lambda n, x: (lambda e: n.op("Div", e, n.op("ReduceSum", e, last(n))))(n.op("Exp", few(n, x)))),
        "log_sum": model(lambda n, x: n.op("Log", n.op("ReduceSum", n.op("Exp", few(n, x)), last(n))), 1, 16, 1),
        "scores": model(lambda n, x: n.op("Softmax", n.op("Mul", n.op(
            "MatMul", x, n.op("Transpose", x, perm=[0, 2, 1])), n.const(half(0.0005))), axis=-1), 1, 16, 16),
        "scaled": model(lambda n, x: n.op("Div", n.op(
            "MatMul", x, n.op("Transpose", x, perm=[0, 2, 1])), n.const(half(1000))), 1, 16, 16),
        "sum": model(lambda n, x: n.op("Div", n.op("ReduceSum", n.op("Abs", x), last(n)), n.const(half(256))), 1, 16, 1),
    }


def hidden():
    """What only measured values show: factors of a harmless size, one after the other."""
    n = Net(3)
    x = n.input("x", 1, 16, 256, type=TensorProto.FLOAT16)
    y = n.op("Mul", n.op("Mul", x, n.const(half(300))), n.const(half(300)))
    n.output(n.op("Add", n.op("Div", n.op("Relu", y), n.const(half(9000))), x), 1, 16, 256, type=TensorProto.FLOAT16)
    return {"factors": n.model()}


def wide(model):
    """The same in FP32."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    for t in model.graph.initializer:
        if t.data_type == TensorProto.FLOAT16:
            t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t).astype(np.float32), t.name))
    for v in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        if v.type.tensor_type.elem_type == TensorProto.FLOAT16:
            v.type.tensor_type.elem_type = TensorProto.FLOAT
    for node in model.graph.node:
        for a in node.attribute:
            if node.op_type == "Cast" and a.name == "to" and a.i == TensorProto.FLOAT16:
                a.i = TensorProto.FLOAT
    return model


def feeds(model, type, scale=1.0):
    random = np.random.default_rng(7)
    dims = {i.name: [d.dim_value or 2 for d in i.type.tensor_type.shape.dim] for i in model.graph.input}
    return {name: (scale * random.standard_normal(shape)).astype(type) for name, shape in dims.items()}


def measure(model, path, scale=1.0):
    """Writes the tensors of the model in FP32."""
    shown = wide(model)
    names = [name for node in shown.graph.node for name in node.output if name]
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    np.savez(path, **dict(zip(names, ReferenceEvaluator(shown).run(None, feeds(shown, np.float32, scale)))))


def run(model, feed):
    """By each judge that there is: the first output."""
    made = {"reference": ReferenceEvaluator(model).run(None, feed)[0]}
    if onnxruntime:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        made["onnxruntime"] = session.run(None, feed)[0]
    return {by: y.astype(np.float64) for by, y in made.items()}


def error(y, right):
    return np.linalg.norm(y - right) / np.linalg.norm(right) if np.isfinite(y).all() else np.inf


def judge(binary, name, model, folder, *options):
    """How many judges find the fixed model wrong."""
    right = ReferenceEvaluator(wide(model)).run(None, feeds(model, np.float32))[0].astype(np.float64)
    if not np.isfinite(right).all():
        print(f"{name}: overflows in FP32, too")
        return 0
    source, fixed = folder / "model.onnx", folder / "fixed.onnx"
    onnx.save(model, source)
    ran = subprocess.run([binary, "lint", source, *options, "--fix=cast/fp16-range", "-o", fixed], capture_output=True, check=False)
    if ran.returncode:
        print(f"FAILED {name}: {ran.stderr.decode()}")
        return 1
    other, failures = onnx.load(fixed), 0
    onnx.checker.check_model(other)
    before, after = run(model, feeds(model, np.float16)), run(other, feeds(other, np.float16))
    for by, y in after.items():
        bad = error(y, right) > NEAR
        failures += bad
        print(f"{'FAILED ' if bad else ''}{name}, {by}{', measured' if options else ''}: relative error "
              f"{error(before[by], right):.3g} as it was, {error(y, right):.3g} as fixed; "
              f"{sum(n.op_type == 'Cast' for n in other.graph.node)} Casts")
    # By the reference at least the model is one that overflows.
    if error(before["reference"], right) <= NEAR:
        print(f"FAILED {name}: nothing overflows in it")
        failures += 1
    return failures


def left_alone(binary, name, model, folder):
    """Of small inputs no square, exponential or product leaves the range; the terms of a sum may still be lost."""
    source, values = folder / "model.onnx", folder / "small.npz"
    onnx.save(model, source)
    measure(model, values, 1e-4)
    ran = subprocess.run([binary, "lint", source, "--values", values, "-f", "json"], capture_output=True, check=False)
    blamed = sorted({model.graph.node[n].op_type for f in json.loads(ran.stdout)["findings"] if f["rule"] == "cast/fp16-range" for n in f["nodes"]})
    bad = set(blamed) & {"Pow", "Mul", "Exp", "MatMul"}
    print(f"{'FAILED ' if bad else ''}{name}, of small values: in FP32 {', '.join(blamed) or 'nothing'}")
    return bool(bad)


def judge_measured(binary, name, model, folder):
    measure(model, folder / "values.npz")
    return judge(binary, name, model, folder, "--values", folder / "values.npz") + left_alone(binary, name, model, folder)


def main():
    binary, models = sys.argv[1], drawn()
    models.update({pathlib.Path(path).stem: onnx.load(path) for path in sys.argv[2:]})
    with tempfile.TemporaryDirectory() as folder:
        failures = sum(judge(binary, name, model, pathlib.Path(folder)) for name, model in models.items())
        failures += sum(judge_measured(binary, name, model, pathlib.Path(folder)) for name, model in {**models, **hidden()}.items())
    print(f"{len(models)} models that overflow in FP16, {failures} failures")
    return int(failures > 0)  # it may be NumPy's


if __name__ == "__main__":
    sys.exit(main())
