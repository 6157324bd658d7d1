"""retype.py BINARY [--update]: the precision of drawn engines carried into drawn models.

Each model is written with an engine that runs each of its nodes in a layer of a given type.  onnx's checker takes what
retype writes, with strict inference; each node has its type, or is listed as lost; Casts are as few as counted here, and
the numbers of typed initializers are those of NumPy.  Where the python has onnxruntime, it runs the models.  retyped.txt
holds what is written in place of what; --update writes what was found: read it before you keep it.
"""
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto as T, helper, numpy_helper
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)
try:
    import onnxruntime
except ImportError:
    onnxruntime = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import model_text  # noqa: E402  pylint: disable=wrong-import-position

HELD = pathlib.Path(__file__).resolve().parent / "retyped.txt"
BINARY = pathlib.Path(sys.argv[1]).resolve()
FORMAT = {"fp32": "FP32", "fp16": "FP16", "bf16": "BF16"}
NUMBER = {"fp32": T.FLOAT, "fp16": T.FLOAT16, "bf16": T.BFLOAT16}
failed = 0
changes = []  # lines of retyped.txt


def check(what, good, found=""):
    global failed
    if not good:
        failed += 1
        print(f"{what}: {found}")


def node(op, inputs, outputs, name, **attributes):
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


def info(name, *shape, kind=T.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, weights=(), values=(), opset=17, functions=(), ir=8):
    graph = helper.make_graph(nodes, "drawn", inputs, outputs, [numpy_helper.from_array(a, n) for n, a in weights],
                              value_info=values)
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid("local", 1)] * bool(functions)
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=ir)


def engine(types):
    """A layer for each node that has a type, of no tensors that another layer shares."""
    tensor = {"Location": "Device", "Dimensions": [1, 8]}
    return {"Layers": [{"Name": name, "LayerType": "PointWise",
                        **{side: [{"Name": f"{name}.{side}", **tensor,
                                   "Format/Datatype": f"Row major linear {FORMAT[kind]} format"}]
                           for side in ("Inputs", "Outputs")}, "ParameterType": "PointWise"}
                       for name, kind in types.items()], "Bindings": []}


def graphs(graph):
    yield graph
    for n in graph.node:
        for a in n.attribute:
            if a.HasField("g"):
                yield from graphs(a.g)


def feed(m):
    draw = np.random.default_rng(3)
    return {i.name: np.asarray(draw.random([d.dim_value for d in i.type.tensor_type.shape.dim]) * 2 - 1).astype(
        helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)) for i in m.graph.input}


def retype(folder, name, m, types, casts, lost=(), shape=None):
    """The typed model; None where there is none."""
    path, dump, typed = folder / f"{name}.onnx", folder / f"{name}.json", folder / f"{name}.typed.onnx"
    onnx.checker.check_model(m, full_check=True)
    onnx.save(m, path)
    dump.write_text(json.dumps(engine(types)))
    ran = subprocess.run([BINARY, "retype", path, dump, "--force", "-o", typed, "-f", "json"], capture_output=True, text=True)
    if ran.returncode:
        check(name, False, ran.stderr)
        return None
    shown = json.loads(ran.stdout)
    rows = {n["name"]: n for n in shown["nodes"]}
    check(f"{name}: lost", {n["name"]: n.get("why") for n in shown["nodes"] if n["what"] == "lost"} == dict(lost),
          [n for n in shown["nodes"] if n["what"] == "lost"])
    new = onnx.load(typed)
    onnx.checker.check_model(str(typed), full_check=True)
    changes.append(f"== {name}")
    changes.extend("@@" if line.startswith("@@") else line for line in list(
        difflib.unified_diff(model_text.model_lines(m), model_text.model_lines(new), n=1, lineterm=""))[2:])
    weights = {t.name for t in [*m.graph.initializer, *new.graph.initializer]}
    check(f"{name}: inputs", [i for i in new.graph.input if i.name not in weights] ==
          [i for i in m.graph.input if i.name not in weights])
    check(f"{name}: outputs", list(new.graph.output) == list(m.graph.output))
    inferred = onnx.shape_inference.infer_shapes(new, check_type=True, strict_mode=True)
    found = 0
    for g in graphs(inferred.graph):
        of = {v.name: v.type.tensor_type.elem_type for v in [*g.value_info, *g.output]}
        for n in g.node:
            found += n.op_type == "Cast" and n.name not in {k.name for k in m.graph.node}
            if n.name in types and n.name not in dict(lost) and n.output[0] in of:
                check(f"{name}: {n.name}", of[n.output[0]] == NUMBER[types[n.name]] and rows[n.name]["type"] == types[n.name],
                      (of[n.output[0]], rows[n.name]))
    check(f"{name}: Casts", found == casts, f"{found}, not {casts}")
    if onnxruntime and "bf16" not in types.values():
        ask = [onnxruntime.InferenceSession(str(p), providers=["CPUExecutionProvider"]).run(None, feed(m)) for p in (path, typed)]
        for one, other in zip(*ask):
            check(f"{name}: values", np.allclose(one, other, rtol=.02, atol=.02), (one, other))
    return new


def numbers(m, name):
    return next((numpy_helper.to_array(t) for t in m.graph.initializer if t.name == name), None)


def chain(folder):
    """Neighbours that agree have no Cast; weights become FP16 where all read them so, and are copied where not."""
    draw = np.random.default_rng(1)
    big = draw.standard_normal((8, 8)).astype(np.float32)
    big[0] = [1e6, -1e6, 1e-8, 3e-8, 0, np.inf, 65519, 65521]
    big[:, 5] = 0
    shared, wide = draw.standard_normal(8).astype(np.float32), draw.standard_normal((64, 64)).astype(np.float32)
    nodes = [node("MatMul", ["x", "big"], ["a"], "one"), node("Add", ["a", "shared"], ["b"], "two"),
             node("Sigmoid", ["b"], ["c"], "three"), node("Mul", ["c", "shared"], ["d"], "four"),
             node("Constant", [], ["k"], "k", value=numpy_helper.from_array(np.float32(.5))),
             node("Mul", ["d", "k"], ["e"], "five"), node("Tile", ["e", "eight"], ["t"], "tile"),
             node("MatMul", ["t", "wide"], ["f"], "six"), node("Relu", ["f"], ["y"], "seven"), node("Neg", ["y"], ["z"], "eight")]
    m = model(nodes, [info("x", 1, 8)], [info("y", 1, 64), info("z", 1, 64)],
              [("big", big), ("shared", shared), ("wide", wide), ("eight", np.array([1, 8], np.int64))],
              [info("a", 1, 8), info("c", 1, 8), info("d", 1, 8)])
    types = {"one": "fp16", "two": "fp16", "three": "fp32", "four": "fp32", "five": "fp16", "six": "fp16", "seven": "fp16",
             "eight": "fp16", "tile": "fp16"}
    # x, behind two, behind four, and both outputs
    new = retype(folder, "chain", m, types, 5)
    if not new:
        return
    with np.errstate(over="ignore"):
        expected = np.clip(big, -65504, 65504).astype(np.float16)
    found = numbers(new, "big")
    check("chain: big", found.dtype == np.float16 and (found == expected).all(), found)
    check("chain: wide", (numbers(new, "wide") == wide.astype(np.float16)).all())
    check("chain: shared", (numbers(new, "shared") == shared).all())
    check("chain: its copy", (numbers(new, "shared_fp16") == shared.astype(np.float16)).all())
    check("chain: the Constant", numbers(new, "k_fp16") == np.float16(.5) and "k" not in {n.name for n in new.graph.node})
    old = onnx.load(folder / "chain.onnx")
    check("chain: the rest", all(t == next(o for o in old.graph.initializer if o.name == t.name)
                                 for t in new.graph.initializer if t.name in ("shared", "eight")))


def brain(folder):
    """BF16 where the opset takes it."""
    w = np.random.default_rng(2).standard_normal((8, 8)).astype(np.float32)
    conv = np.ones((1, 1, 1, 1), np.float32)
    nodes = [node("MatMul", ["x", "w"], ["a"], "one"), node("Unsqueeze", ["a", "axes"], ["b"], "up"),
             node("Conv", ["b", "conv"], ["c"], "two"), node("Relu", ["c"], ["y"], "three")]
    m = model(nodes, [info("x", 1, 8)], [info("y", 1, 1, 1, 8)],
              [("w", w), ("conv", conv), ("axes", np.array([1, 2], np.int64))])
    new = retype(folder, "brain", m, {"one": "bf16", "two": "bf16", "three": "bf16"}, 4,
                 [("two", "the operator does not support this type at the model's opset")])
    typed = next((t for t in new.graph.initializer if t.name == "w"), None) if new else None
    bits = w.view(np.uint32)
    expected = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    check("brain: w", typed and typed.data_type == T.BFLOAT16 and typed.raw_data == expected.tobytes())


def bodies(folder):
    """Nodes in the graphs of an If, whose outputs keep their types; those of functions are listed."""
    then = helper.make_graph([node("Mul", ["a", "h"], ["p"], "in_then"), node("Exp", ["p"], ["q"], "exp_then")], "then", [],
                             [info("q", 1, 8)], [numpy_helper.from_array(np.full(8, .5, np.float32), "h")],
                             value_info=[info("p", 1, 8)])
    other = helper.make_graph([node("Neg", ["a"], ["r"], "in_else")], "else", [], [info("r", 1, 8)])
    f = helper.make_function("local", "Twice", ["u"], ["v"], [node("Add", ["u", "u"], ["v"], "inside")],
                             [helper.make_opsetid("", 17)])
    nodes = [node("Relu", ["x"], ["a"], "first"), node("If", ["yes"], ["b"], "choice", then_branch=then, else_branch=other),
             node("Twice", ["b"], ["c"], "call", domain="local"), node("Abs", ["c"], ["y"], "last")]
    m = model(nodes, [info("x", 1, 8), info("yes", kind=T.BOOL)], [info("y", 1, 8)], functions=[f])
    retype(folder, "bodies", m, {"first": "fp16", "in_then": "fp16", "exp_then": "fp32", "in_else": "fp16", "last": "fp16",
                                 "inside": "fp16"}, 5,
           [("inside", "the node is in the body of a function, and all calls share this body")])


def widened(folder):
    """A model in FP16 of which the engine runs a node in FP32."""
    w = np.random.default_rng(2).standard_normal((8, 8)).astype(np.float16)
    nodes = [node("MatMul", ["x", "w"], ["a"], "one"), node("Softmax", ["a"], ["b"], "two"), node("MatMul", ["b", "w"], ["y"], "three")]
    m = model(nodes, [info("x", 1, 8, kind=T.FLOAT16)], [info("y", 1, 8, kind=T.FLOAT16)], [("w", w)])
    retype(folder, "widened", m, {"one": "fp16", "two": "fp32", "three": "fp32"}, 2)


def recast(folder):
    """A Cast of the model to FP32 whose reader runs in FP16, as does what it reads: both do without."""
    nodes = [node("Relu", ["x"], ["a"], "one"), node("Cast", ["a"], ["b"], "up", to=T.FLOAT), node("Neg", ["b"], ["c"], "two"),
             node("Exp", ["b"], ["d"], "three"), node("Cast", ["c"], ["y"], "down", to=T.FLOAT), node("Abs", ["d"], ["z"], "four")]
    m = model(nodes, [info("x", 1, 8, kind=T.FLOAT16)], [info("y", 1, 8), info("z", 1, 8)])
    new = retype(folder, "recast", m, {"one": "fp16", "two": "fp16", "three": "fp32", "four": "fp32"}, 0)
    check("recast: two reads a", new and next(n for n in new.graph.node if n.name == "two").input[0] == "a")


def names(folder):
    """One Cast before the first of several readers; a name that is taken; what is an output keeps its type; an initializer
    that is listed as an input is declared as it is written."""
    weight = np.arange(8, dtype=np.float32) / 3
    nodes = [node("Neg", ["x"], ["a"], "one"), node("Exp", ["x"], ["b"], "two"), node("Add", ["a", "shown"], ["x_fp16"], "three"),
             node("Mul", ["b", "given"], ["c"], "four"), node("Sub", ["x_fp16", "c"], ["d"], "five"),
             node("Div", ["d", "own"], ["y"], "six")]
    m = model(nodes, [info("x", 1, 8), info("given", 8)], [info("y", 1, 8), info("shown", 8)],
              [("shown", weight), ("given", weight + 1), ("own", weight + 2)])
    retype(folder, "names", m, {name: "fp16" for name in ("one", "two", "three", "four", "five", "six")}, 2)


def listed(folder):
    """Before version 4 of the IR each initializer is listed as an input: a copy is, too, and one that is dropped is not."""
    weights = [("shared", np.arange(8, dtype=np.float16)), ("alone", np.arange(8, dtype=np.float16) / 2)]
    nodes = [node("Add", ["x", "shared"], ["a"], "one"), node("Mul", ["a", "shared"], ["b"], "two"),
             node("Sub", ["b", "alone"], ["y"], "three")]
    m = model(nodes, [info(n, *shape, kind=T.FLOAT16) for n, shape in (("x", (1, 8)), ("shared", (8,)), ("alone", (8,)))],
              [info("y", 1, 8, kind=T.FLOAT16)], weights, opset=10, ir=3)
    new = retype(folder, "listed", m, {"one": "fp16", "two": "fp32", "three": "fp32"}, 2)
    check("listed: inputs", new and {i.name for i in new.graph.input} - {t.name for t in new.graph.initializer} == {"x"})


def inner(folder):
    """A Cast of what the enclosing graph has stands before the If that reads it; a constant of a body is typed in it."""
    held = helper.make_tensor("value", T.FLOAT, [8], [.5, 1, 2, 3, 4, 5, 6, 7])
    then = helper.make_graph([node("Constant", [], ["k"], "k", value=held), node("Mul", ["x", "k"], ["p"], "in_then"),
                              node("Sqrt", ["p"], ["q"], "root")], "then", [], [info("q", 1, 8)])
    other = helper.make_graph([node("Sub", ["w", "x"], ["r"], "in_else")], "else", [], [info("r", 1, 8)])
    nodes = [node("If", ["yes"], ["b"], "choice", then_branch=then, else_branch=other), node("Add", ["b", "x"], ["c"], "sum"),
             node("Mul", ["c", "w"], ["y"], "last")]
    m = model(nodes, [info("x", 1, 8), info("yes", kind=T.BOOL)], [info("y", 1, 8)], [("w", np.arange(8, dtype=np.float32))])
    retype(folder, "inner", m, {"in_then": "fp16", "root": "fp16", "in_else": "fp32", "sum": "fp16", "last": "fp16"}, 4)


def copies(folder):
    """Constants of each type read in each other one, as initializers and as nodes."""
    rows = np.array([1, -2.5, 1e-8, 65519, 70000, -0.0, 3.14159265, 1e-3], np.float32)
    halves = np.array([1, -2.5, 6e-8, 65504, 0.1, -0.0, 3.140625, 1e-3], np.float16)
    nodes = [node("Add", ["x", "w"], ["a"], "one"), node("Sub", ["a", "w"], ["b"], "two"),
             node("Constant", [], ["k"], "k", value=numpy_helper.from_array(rows)), node("Mul", ["b", "k"], ["c"], "three"),
             node("Div", ["c", "k"], ["y"], "four")]
    m = model(nodes, [info("x", 1, 8)], [info("y", 1, 8)], [("w", rows)])
    retype(folder, "copies", m, {"one": "fp16", "two": "bf16", "three": "bf16", "four": "fp16"}, 4)
    nodes = [node("Add", ["x", "h"], ["a"], "one"), node("Sub", ["a", "h"], ["b"], "two"), node("Mul", ["b", "h"], ["y"], "three")]
    m = model(nodes, [info("x", 1, 8, kind=T.FLOAT16)], [info("y", 1, 8, kind=T.FLOAT16)], [("h", halves)])
    retype(folder, "halves", m, {"one": "fp32", "two": "fp16", "three": "bf16"}, 4)


def compare_changes():
    text = "\n".join(changes) + "\n"
    if "--update" in sys.argv:
        HELD.write_text(text, encoding="utf-8")
    held = HELD.read_text(encoding="utf-8")
    check(HELD.name, text == held,
          "\n".join(difflib.unified_diff(held.splitlines(), text.splitlines(), "held", "found", lineterm="")))


def main():
    with tempfile.TemporaryDirectory() as name:
        for case in (chain, brain, bodies, widened, recast, names, listed, inner, copies):
            case(pathlib.Path(name))
    compare_changes()
    return 1 if failed else 0


sys.exit(main())
