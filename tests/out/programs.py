#!/usr/bin/env python3
"""programs.py BINARY FIXTURES: the programs that `code` writes of small models, and of models with hostile names, as Python
itself reads them.

Each compiles, whatever the names.  A program for TensorRT is run with stand-ins for TensorRT and its helpers, which note
each node that a statement names: nodes with a statement, and those that the last comment counts, are all of the model's,
each once, and under their own names.  tests/real/programs.py has TensorRT build such programs."""
import ast
import json
import pathlib
import re
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "hostile"))
import models  # noqa: E402  pylint: disable=wrong-import-position

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

failures = 0
FOLDERS = ("cut", "qat_block", "blocks", "mirror", "onnx", "rtx", "synthetic", "exports")
MARKS = ["'", '"', "\\", "\\\"", '"""', "\n", "\r\nimport os", "{0}", "{{}}", "{__import__('os')}", "#", "é", "日本", "lambda",
         "node", "node_", "x_2", "x 2", "x/2", "x.2", "0", "00", "%s", "$0", "@", "`", "\x01", "\x02", "coding: utf-7",
         "\u2028", "\ud7ff", "a" * 300, "import", "self", "None", "network", "print(1)", ");print(1);(", "f\"{1}\"", " ", "\t"]
OPS = ("Relu", "Exp", "Neg", "Abs", "Tanh", "Erf")


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


def run(*args):
    return program.run(list(map(str, args)))


class Stand:
    """Stands for a module, a class, a tensor: everything that is asked of it is another one."""
    def __getattr__(self, name):
        return Stand()

    def __call__(self, *args, **kwargs):
        return Stand()

    def __or__(self, other):
        return Stand()

    def __int__(self):
        return 0

    def __index__(self):
        return 0

    __rlshift__ = __or__


class Rewrite(ast.NodeTransformer):
    """A raise notes its node and goes on; a tuple of results takes as many as there are."""
    def visit_Raise(self, node):  # pylint: disable=invalid-name
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("refused", ast.Load()), node.exc.args, [])), node)

    def visit_Assign(self, node):  # pylint: disable=invalid-name
        if isinstance(node.targets[0], ast.Tuple) and getattr(getattr(node.value, "func", None), "id", "") in ("split", "top_k", "lstm", "gru", "rnn"):
            size = ast.Constant(len(node.targets[0].elts))
            node.value = ast.Call(ast.Name("several", ast.Load()), [node.value, size], [])
        return node


def stated(text):
    """The names of all nodes that statements of the program are about, and of those that it refuses."""
    tree, names, refused = ast.parse(text), [], []
    own = re.split(r"^MODEL = ", text, flags=re.M)[1]
    written = {f.name for f in ast.parse("MODEL = " + own).body if isinstance(f, ast.FunctionDef)}
    helpers = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name not in written]
    tree = ast.fix_missing_locations(Rewrite().visit(ast.Module([f for f in tree.body if f not in helpers], [])))
    known = {"__name__": "program", "refused": refused.append, "several": lambda one, n: [Stand()] * n}
    known.update({n.id: Stand() for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in written})
    known.update({"refused": refused.append, "several": lambda one, n: [Stand()] * n})
    for helper in helpers:
        arguments = [a.arg for a in helper.args.args]
        noted = arguments[:1] == ["name"] and helper.name not in ("weight", "weights", "symmetric")
        known[helper.name] = (lambda name, *a, **k: names.append(name) or Stand()) if noted else (lambda *a, **k: Stand())
    kept = {name: sys.modules.get(name) for name in ("numpy", "onnx", "tensorrt", "tensorrt_rtx")}
    for name in kept:
        module = types.ModuleType(name)
        module.__getattr__ = lambda _: Stand()
        sys.modules[name] = module
    try:
        exec(compile(tree, "program", "exec"), known)  # pylint: disable=exec-used
        known["define"](Stand())
    finally:
        for name, module in kept.items():
            sys.modules.pop(name)
            if module:
                sys.modules[name] = module
    return names, refused


def of(binary, path, *words):
    """The program, or None where there is none and the reason says why."""
    ran = run(binary, "code", path, *words)
    check(ran.returncode == 0 or ran.returncode == 2 and ran.stderr and not ran.stdout,
          f"{path} {words}: status {ran.returncode}: {ran.stderr[:300]}")
    if ran.returncode:
        return None
    text = ran.stdout.decode()
    try:
        compile(text, str(path), "exec")
    except (SyntaxError, ValueError) as error:
        check(False, f"{path} {words}: {error}")
        return None
    return text


def counted(binary, path, text):
    """Statements and the nodes that have none are all of the main graph, each once."""
    names, refused = stated(text)
    dump = run(binary, "diff", path, "--dump", "model").stdout.decode()
    nodes = len(re.findall(r"^node \d+ ", dump, re.M))
    unsaid = sum(int(n) for n in re.findall(r"^    #   (\d+) .*: .*$", text, re.M))
    check(len(names) + len(refused) + unsaid == nodes,
          f"{path}: {len(names)} + {len(refused)} statements and {unsaid} others of {nodes} nodes")
    return names, refused


def of_fixtures(binary, fixtures):
    total = 0
    for folder in FOLDERS:
        for path in sorted((fixtures / folder).rglob("*.onnx")):
            text = of(binary, path)
            of(binary, path, "--api", "torch")
            if text:
                counted(binary, path, text)
                total += 1
    check(total > 20, f"{total} programs of fixtures")


def of_hostile(binary, folder):
    path = folder / "twins.onnx"
    path.write_bytes(models.twins(*MARKS))
    for depth in (1, 2):
        text = of(binary, path, "--depth", depth)
        names, refused = counted(binary, path, text)
        wanted = MARKS + [f"twin{end} {i}" for i in range(len(MARKS)) for end in ("", " end")]
        check(sorted(names) == sorted(wanted) and not refused,
              f"names on the way: {sorted(set(names) ^ set(wanted))[:8]}")
    of(binary, path, "--api", "torch")
    for i, (case, data) in enumerate([*models.graphs(), *models.names(), *models.ends(), *models.shapes()]):
        if len(data) < 1 << 19:
            path = folder / f"{case}.onnx"
            path.write_bytes(data)
            of(binary, path, "--api", ("tensorrt", "torch")[i % 2])


def of_chain(binary, path, wanted):
    """The text for a chain of modules of OPS, whose nodes have the names wanted; all are in it."""
    at, nodes = "x", []
    for i, name in enumerate(wanted):
        nodes.append(models.node(OPS[i % len(OPS)], [at], [name + "/out"], name))
        at = name + "/out"
    path.write_bytes(models.model(*nodes, models.inputs("x"), models.outputs(at)))
    text = of(binary, path, "--depth", "2")
    names, _ = counted(binary, path, text)
    check(names == wanted, f"names of {path.stem}: {[n for n in names if n not in wanted][:5]}")
    return text


def of_equal_modules(binary, folder):
    """One function for all, whose parameters give each node its own name back."""
    keys = ["0", "1", "12", "a'b", 'q"{x}\\', "\n{0}\r", "007", "é"]
    text = of_chain(binary, folder / "equal.onnx", [f"/enc/l.{key}/{op}" for key in keys for op in OPS])
    check(text.count("\ndef add_") < len(keys), f"{text.count(chr(10) + 'def add_')} functions for {len(keys)} equal modules")


def of_overlapping_modules(binary, folder):
    """Names that begin and end alike, of which one is no longer than what they share."""
    keys = ["1", "1.l.1", "1.l.1.l.1"]
    text = of_chain(binary, folder / "overlapping.onnx", [f"/enc/l.{key}/{op}" for key in keys for op in OPS])
    check(text.count("\ndef add_") == 1, f"{text.count(chr(10) + 'def add_')} functions for {len(keys)} equal modules")


def of_table(binary, folder):
    """Equal modules whose nodes have unlike names: a table, whose columns give each node its own name back."""
    wanted = [f"/enc/l.{module}/{op}_{7 * module + i * i}x{'ab{c'[module % 4]}" for module in range(5) for i, op in enumerate(OPS)]
    text = of_chain(binary, folder / "table.onnx", wanted)
    check(text.count("\ndef add_") == 1 and "n['relu']" in text and "module=4" in text, "the table of equal modules")


def of_builder(binary, fixtures):
    """A program imports the builder of its engine; that of TensorRT for RTX names compute capabilities."""
    rtx = of(binary, fixtures / "rtx" / "functions.onnx", fixtures / "rtx" / "functions.log")
    other = of(binary, fixtures / "qat_block" / "model.onnx", fixtures / "qat_block" / "engine.graph.json")
    for text, imported, capability in ((rtx, "tensorrt_rtx", True), (other, "tensorrt", False)):
        check(f"import {imported} as trt\n" in text and ("--compute-capability" in text) == capability,
              f"the import of {imported}")
    counted(binary, fixtures / "rtx" / "functions.onnx", rtx)


def of_engine(binary, fixtures):
    """What comments say of layers is what the report says."""
    pair = [fixtures / "qat_block" / name for name in ("model.onnx", "engine.graph.json")]
    text = of(binary, *pair)
    report = json.loads(run(binary, *pair, "-f", "json").stdout)
    shown = {int(n) for n in re.findall(r"# layer (\d+):", text)}
    wanted = {layer["index"] for layer in report["layers"] if layer["nodes"]}
    check(shown <= wanted and len(shown) > 4, f"layers in comments: {sorted(shown)}, in the report {sorted(wanted)}")
    part = of(binary, *pair, "--layer", "3")
    names, _ = stated(part)
    inside = {report["nodes"][n["index"]]["name"] for n in report["layers"][3]["nodes"]}
    check(inside <= set(names) and len(names) < len(inside) + 3, f"a part: {names}, of {inside}")


def main():
    binary, fixtures = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        of_fixtures(binary, fixtures)
        of_engine(binary, fixtures)
        of_builder(binary, fixtures)
        of_equal_modules(binary, pathlib.Path(folder))
        of_overlapping_modules(binary, pathlib.Path(folder))
        of_table(binary, pathlib.Path(folder))
        of_hostile(binary, pathlib.Path(folder))


if __name__ == "__main__":
    main()
    print(f"{failures} failures")
    sys.exit(failures > 0)
