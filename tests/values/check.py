"""What --values measures and names, held against those who know: NumPy, Polygraphy, ONNX Runtime.

    check.py BINARY [--trials N] [--huge]

NumPy measures random tensors of every type, stored and compressed; Polygraphy saves outputs;
ONNX Runtime optimizes networks, which are the engines, and runs each network twice, once with
one layer's weights damaged: the report has to name this layer.  --huge measures archives of
more than 4 GB in the memory of small ones.  tests/values/run has the packages.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import ml_dtypes
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from polygraphy.comparator import Comparator, RunResults
from polygraphy.comparator.struct import IterationResult
from polygraphy.logger import G_LOGGER

FOLDER = tempfile.mkdtemp()
TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
         ">f4", ">i2", "bfloat16"]
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def path(name):
    return os.path.join(FOLDER, name)


def report(*args):
    done = subprocess.run([BINARY, *args, "-f", "json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


# -------------------------------------------------------------------------- NumPy

def views(names):
    """A model that makes a tensor of each name, and an engine that only names its layers."""
    nodes = [helper.make_node("Relu", [f"{name}.in"], [name], name=f"make {name}") for name in names]
    kind = TensorProto.FLOAT
    graph = helper.make_graph(nodes, "views", [helper.make_tensor_value_info(f"{name}.in", kind, [1]) for name in names],
                              [helper.make_tensor_value_info(name, kind, [1]) for name in names])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path("views.onnx"))
    with open(path("views.json"), "w", encoding="utf-8") as file:
        json.dump({"Layers": [f"make {name}" for name in names], "Bindings": []}, file)
    return path("views.onnx"), path("views.json")


def random_array(rng, kind):
    shape = tuple(rng.integers(0 if rng.random() < .1 else 1, 40, rng.integers(0, 4)))
    dtype = ml_dtypes.bfloat16 if kind == "bfloat16" else numpy.dtype(kind)
    array = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3)
    if numpy.dtype(dtype).kind in "iub":
        array = numpy.abs(array * 100) % 100
    return numpy.asarray(array).astype(dtype)


def damaged(rng, array):
    """The same with some elements off, some of them no numbers, some alike in both."""
    first = numpy.array(array)
    if array.dtype.kind == "f" and array.size > 3 and rng.random() < .5:
        first.flat[0] = numpy.inf
    second = numpy.array(first)
    for i in rng.integers(0, max(array.size, 1), array.size // 3):
        second.flat[i] = rng.choice([0, 1, 17, 3]) if array.dtype.kind in "iub" else float(second.flat[i]) * 1.5 + .25
    if array.dtype.kind == "f" and array.size > 3 and rng.random() < .5:
        second.flat[1] = numpy.nan
        second.flat[2] = -numpy.inf
    return first, second


def judged(a, b):
    """The definitions of docs/wrong-result.md, as NumPy computes them."""
    a, b = (x.astype(numpy.float64).ravel() for x in (a, b))
    nan, inf = int(numpy.isnan(b).sum()), int(numpy.isinf(b).sum())
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    a, b = a[finite], b[finite]
    d = numpy.abs(b - a)
    norm, other = numpy.linalg.norm(a), numpy.linalg.norm(b)
    l2 = numpy.linalg.norm(d)
    out = {"l2_rel": 0 if l2 == 0 else "inf" if norm == 0 else l2 / norm, "max_abs": d.max(initial=0),
           "max_rel": (d[a != 0] / numpy.abs(a[a != 0])).max(initial=0), "l2": l2, "nan": nan, "inf": inf}
    if norm > 0 and other > 0:
        out["cosine"] = numpy.dot(a, b) / (norm * other)
    return out


def same(shown, known):
    if set(shown) != set(known):
        return False
    return all(shown[key] == known[key] or (not isinstance(known[key], str)
                                           and abs(shown[key] - known[key]) <= 1e-9 * max(abs(known[key]), 1e-300))
               for key in known)


def metrics(rng, count):
    names = [f"tensor {i}" for i in range(count)]
    first, second = {}, {}
    for i, name in enumerate(names):
        a, b = damaged(rng, random_array(rng, TYPES[i % len(TYPES)]))
        if rng.random() < .2:
            a, b = numpy.asfortranarray(a), numpy.asfortranarray(b)
        first[name], second[name] = a, b
    numpy.savez(path("first.npz"), **first)
    numpy.savez_compressed(path("second.npz"), **second)
    shown = report(*views(names), "--values", path("first.npz"), "--values", path("second.npz"))
    check("all tensors are measured", shown["values"]["rows"] == count, shown["values"].get("unmeasured"))
    for node in shown["nodes"]:
        name = node["outputs"][0]["name"]
        known = judged(first[name], second[name])
        check(f"NumPy measures {name} of {first[name].dtype} likewise", same(node["values"], known),
              f"\n  shown  {node['values']}\n  known {known}")
    fresh = sum(bool((~numpy.isfinite(second[n].astype(float)) & ~((first[n] == second[n]) |
                     (numpy.isnan(first[n].astype(float)) & numpy.isnan(second[n].astype(float))))).any()) for n in names)
    over = sum(judged(first[n], second[n])["l2_rel"] == "inf" or judged(first[n], second[n])["l2_rel"] > .01 for n in names)
    check("tensors over the limit", max(over, fresh) <= shown["values"]["over"] <= over + fresh,
          (over, fresh, shown["values"]["over"]))
    print(f"NumPy: {count} tensors")


# ---------------------------------------------------------------------- Polygraphy

def polygraphy(rng):
    G_LOGGER.module_severity = G_LOGGER.ERROR
    names = ["a", "b/c:0", 'quoted "d"']
    runs = [{name: rng.standard_normal((2, 3)).astype(numpy.float32) for name in names} for _ in range(2)]
    files = []
    for i, each in enumerate([runs, runs[:1], runs[1:]]):
        results = RunResults()
        for k, tensors in enumerate(each):
            results.add([IterationResult(outputs=tensors, runtime=.1, runner_name=f"runner {k}")] * 2,
                        runner_name=f"runner {k}")
        results.save(path(f"runs{i}.json"))
        files.append(path(f"runs{i}.json"))
    pair = views(names)
    for given in ([files[0]], files[1:]):
        shown = report(*pair, *(word for file in given for word in ("--values", file)))
        for node in shown["nodes"]:
            name = node["outputs"][0]["name"]
            check(f"Polygraphy's {name}", same(node["values"], judged(runs[0][name], runs[1][name])), node)
    print("Polygraphy: outputs of two runners in one file and in two")


def comparisons(rng):
    """bisect reads what Polygraphy's comparisons save as Polygraphy itself does."""
    fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures")
    model, engine = os.path.join(fixtures, "qat_block/model.onnx"), os.path.join(fixtures, "qat_block/engine.graph.json")
    rebuilt = os.path.join(fixtures, "compare/split.json")
    results = []
    for number in range(20):
        values = rng.choice([1, 2, numpy.nan], (2, 3), p=[.9, .05, .05])
        outputs = [[{"output": numpy.float32([1, value]), "conv1.out": numpy.float32([value, i])} for value in of]
                   for i, of in enumerate(values)]
        runs = RunResults([(f"runner {i}", [IterationResult(outputs=o, runner_name=f"runner {i}") for o in of])
                           for i, of in enumerate(outputs)])
        equal = [lambda a, b: {name: bool(numpy.array_equal(a[name], b[name])) for name in a}, None][number % 2]
        found = Comparator.compare_accuracy(runs, compare_func=equal)
        found.save(path("comparison.json"))
        bad = not all(one["output"] for result in found for pair in result.values() for one in pair)
        search = [BINARY, "bisect", "--state", path(f"search{number}")]
        subprocess.run([*search, "start", model, engine], check=True, capture_output=True)
        done = subprocess.run([*search, "result", path("comparison.json"), rebuilt], capture_output=True, text=True, check=False)
        check("a comparison of Polygraphy's", done.stdout.startswith("bad: " if bad else "good: "), done.stdout + done.stderr)
        results.append(bad)
    check("both results occur", 0 < sum(results) < len(results), results)
    print(f"Polygraphy: {len(results)} comparisons, {sum(results)} of them bad")


# -------------------------------------------------------------------- ONNX Runtime

def network(rng, blocks):
    """Convolutions with what is fused to them, residual additions, a product at the end."""
    nodes, weights = [], []

    def add(op, inputs, **attributes):
        out = f"t{len(nodes)}"
        nodes.append(helper.make_node(op, inputs, [out], name=f"{op}_{len(nodes)}", **attributes))
        return out

    def weight(*shape):
        name = f"w{len(weights)}"
        scale = 1 / numpy.sqrt(numpy.prod(shape[1:]) if len(shape) > 1 else 1)
        weights.append(numpy_helper.from_array((rng.standard_normal(shape) * scale).astype(numpy.float32), name))
        return name

    at, width = "x", 8
    at = add("Relu", [add("Conv", [at, weight(width, 3, 3, 3)], pads=[1] * 4)])
    for _ in range(blocks):
        inner = add(rng.choice(["Relu", "Sigmoid", "LeakyRelu"]), [add("Conv", [at, weight(width, width, 3, 3), weight(width)], pads=[1] * 4)])
        inner = add("Conv", [inner, weight(width, width, 3, 3)], pads=[1] * 4)
        at = add("Relu", [add("Add", [inner, at])])
    at = add("Flatten", [add("GlobalAveragePool", [at])])
    at = add("Gemm", [add("Relu", [add("Gemm", [at, weight(width, 16)])]), weight(16, 10), weight(10)])
    kind = TensorProto.FLOAT
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", kind, [1, 3, 16, 16])],
                              [helper.make_tensor_value_info(at, kind, [1, 10])], weights)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def outputs_of(model, x, file):
    every = onnx.ModelProto.FromString(model.SerializeToString())
    del every.graph.output[:]
    for node in every.graph.node:
        every.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in node.output)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(every.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    numpy.savez(path(file), **dict(zip(names, session.run(names, {"x": x}))))


def damage(rng, rounds):
    named = 0
    for trial in range(rounds):
        model = network(rng, int(rng.integers(2, 6)))
        onnx.save(model, path("net.onnx"))
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = path("engine.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(path("net.onnx"), options, providers=["CPUExecutionProvider"])
        x = rng.standard_normal((1, 3, 16, 16)).astype(numpy.float32)
        outputs_of(model, x, "good.npz")
        chosen = int(rng.choice([i for i, node in enumerate(model.graph.node) if node.op_type in ("Conv", "Gemm")]))
        weight = next(w for w in model.graph.initializer if w.name == model.graph.node[chosen].input[1])
        array = numpy_helper.to_array(weight)
        array = array * (1 + .5 * rng.standard_normal(array.shape))
        weight.CopyFrom(numpy_helper.from_array(array.astype(numpy.float32), weight.name))
        outputs_of(model, x, "bad.npz")
        shown = report(path("net.onnx"), path("engine.onnx"), "--values", path("good.npz"), "--values", path("bad.npz"))
        enters = shown["values"]["enters"]
        right = len(enters) == 1 and enters[0]["node"] == chosen and enters[0]["layer"] in shown["nodes"][chosen]["layers"]
        named += right
        check(f"trial {trial}: the damaged layer is named", right, (chosen, enters))
    print(f"ONNX Runtime: the damaged layer is named in {named} of {rounds}")


def rows(rng, rounds):
    """Equal rows of a batch, of which one goes wrong behind a random node: --rows names its tensor and its layer."""
    named = 0
    for trial in range(rounds):
        model = network(rng, int(rng.integers(2, 6)))
        batch, row = int(rng.integers(2, 9)), 0
        for value in (model.graph.input[0], model.graph.output[0]):
            value.type.tensor_type.shape.dim[0].dim_value = batch
        onnx.save(model, path("net.onnx"))
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = path("engine.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(path("net.onnx"), options, providers=["CPUExecutionProvider"])
        x = numpy.repeat(rng.standard_normal((1, 3, 16, 16)).astype(numpy.float32), batch, axis=0)
        outputs_of(model, x, "right.npz")
        right = dict(numpy.load(path("right.npz")))
        check(f"rows {trial}: equal rows are no fault", not report_rows(x, right)["values"]["enters"])
        chosen = int(rng.choice([i for i, node in enumerate(model.graph.node) if node.op_type in ("Conv", "Gemm", "Add")]))
        made, row = model.graph.node[chosen].output[0], int(rng.integers(0, batch))
        fault = numpy.zeros([batch] + [1] * (right[made].ndim - 1), numpy.float32)
        fault[row] = numpy.abs(right[made]).mean()
        model.graph.initializer.append(numpy_helper.from_array(fault, "fault"))
        model.graph.node[chosen].output[0] = made + ".right"
        model.graph.node.insert(chosen + 1, helper.make_node("Add", [made + ".right", "fault"], [made], name="fault"))
        outputs_of(model, x, "wrong.npz")
        wrong = {name: array for name, array in numpy.load(path("wrong.npz")).items() if not name.endswith(".right")}
        shown = report_rows(x, wrong)
        enters = shown["values"]["enters"]
        found = len(enters) == 1 and enters[0]["tensor"] == made and enters[0]["layer"] in shown["nodes"][chosen]["layers"]
        named += found
        check(f"rows {trial}: the tensor and its layer are named", found, (made, row, enters))
    print(f"ONNX Runtime: the tensor at which a row goes wrong is named in {named} of {rounds}")


def report_rows(x, tensors):
    numpy.savez(path("rows.npz"), x=x, **tensors)
    return report(path("net.onnx"), path("engine.onnx"), "--values", path("rows.npz"), "--rows")


# ------------------------------------------------------------------ large archives

def huge_archive(name, count):
    """A stored member of so many float32, zeros but for the last, in the form of 64 bits, with holes in the file."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % count
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117) + b"\n"
    size = len(header) + 4 * count
    last = struct.pack("<f", 1)
    crc, zeros = zlib.crc32(header), bytes(1 << 24)
    left = 4 * count - 4
    while left:
        crc = zlib.crc32(zeros[:min(left, len(zeros))], crc)
        left -= min(left, len(zeros))
    crc = zlib.crc32(last, crc)
    with open(path(name), "wb") as file:
        extra = struct.pack("<HHQQ", 1, 16, size, size)
        file.write(struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0, 0, 0, 33, crc, 0xffffffff, 0xffffffff, 5, len(extra)))
        file.write(b"x.npy" + extra + header)
        file.seek(4 * count - 4, os.SEEK_CUR)
        file.write(last)
        at = file.tell()
        entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0, 0, 0, 33, crc, 0xffffffff, 0xffffffff, 5, len(extra), 0, 0, 0, 0, 0)
        file.write(entry + b"x.npy" + extra)
        end = file.tell()
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, 1, 1, end - at, at))
        file.write(struct.pack("<IIQI", 0x07064b50, 0, end, 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0))


def huge():
    pair = views(["x"])
    memory = {}
    for name, count in (("small.npz", 1 << 20), ("huge.npz", (1 << 30) + 1000)):
        huge_archive(name, count)
        if count < 1 << 21:
            check("NumPy reads the archive", numpy.load(path(name))["x"].sum() == 1)
        before = os.times().children_user
        child = subprocess.Popen([BINARY, *pair, "--values", path(name), "--values", path(name), "-f", "json", "-q"],
                                 stdout=subprocess.PIPE)
        shown = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        memory[name] = usage.ru_maxrss / 1024
        check(f"{name} is read", status == 0 and shown["values"]["over"] == 0 and shown["values"]["rows"] == 1)
        print(f"{name}: {os.path.getsize(path(name))} bytes twice, {memory[name]:.0f} MB, "
              f"{os.times().children_user - before:.1f} s, {usage.ru_utime:.1f} s of the processor")
    check("memory does not grow", memory["huge.npz"] < memory["small.npz"] + 16, memory)


arguments = argparse.ArgumentParser()
arguments.add_argument("binary")
arguments.add_argument("--trials", type=int, default=20)
arguments.add_argument("--huge", action="store_true")
arguments = arguments.parse_args()
BINARY = os.path.abspath(arguments.binary)
generator = numpy.random.default_rng(39)
metrics(generator, 300)
polygraphy(generator)
comparisons(generator)
damage(generator, arguments.trials)
rows(generator, arguments.trials)
if arguments.huge:
    huge()
sys.exit(1 if failures else 0)
