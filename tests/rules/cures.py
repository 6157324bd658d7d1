#!/usr/bin/env python3
"""cures.py [--in-turn] BINARY MODEL|FOLDER...: what `lint --fix` writes is better than what it read, by lint's own words.

Of every model, for each family of builders, or with --in-turn for one of them, the next for each model: no rule reports a node that it did not report before; a second
--fix applies nothing; where no edit applies no file is written, and the exit status is 1; and where the python has
onnx, no initializer is left that nothing reads, unless nothing read it before."""
import csv
import io
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

try:
    import onnx
except ImportError:
    onnx = None

BUILDERS = ("rtx", "trt8", "trt10", "trt11")
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def lint(binary, *args):
    return program.run([binary, "lint", *map(str, args)])


def marks(binary, model, builder):
    """(rule, node) of all findings, and of these the ones of a first node."""
    rows = csv.DictReader(io.StringIO(lint(binary, model, "--for", builder, "-f", "csv").stdout.decode()))
    named = [(row["rule"], row["nodes"].split(", ")) for row in rows]
    return {(rule, node) for rule, nodes in named for node in nodes}, {(rule, nodes[0]) for rule, nodes in named}


def unread(path):
    graph = onnx.load(str(path), load_external_data=False).graph
    graphs, read = [graph], set()
    while graphs:
        g = graphs.pop()
        read |= {o.name for o in g.output}
        for node in g.node:
            read |= set(node.input)
            for a in node.attribute:
                graphs += [a.g] if a.type == onnx.AttributeProto.GRAPH else list(a.graphs)
    return {t.name for t in graph.initializer} - read


def cure(binary, model, folder, builder):
    """1 if some edit applies."""
    fixed, again = folder / f"fixed.{builder}.onnx", folder / f"again.{builder}.onnx"
    for path in (fixed, again):
        path.unlink(missing_ok=True)
    name = f"{model} for {builder}"
    ran = lint(binary, model, "--for", builder, "--fix", "-o", fixed)
    check(ran.returncode == (0 if fixed.exists() else 1), f"{name}: status {ran.returncode}: {ran.stderr.decode()[-300:]}")
    if not fixed.exists():
        return 0
    before, after = marks(binary, model, builder)[0], marks(binary, fixed, builder)[1]
    # A node without a name has a number, which moves with what stands before it.
    new = {mark for mark in after - before if not mark[1].startswith("#")}
    check(not new, f"{name}: --fix brings {sorted(new)[:4]}")
    ran = lint(binary, fixed, "--for", builder, "--fix", "-o", again)
    check(ran.returncode == 1 and not again.exists(), f"{name}: fixed again: {ran.stderr.decode()[-300:]}")
    if onnx:
        left = unread(fixed) - unread(model)
        check(not left, f"{name}: nothing reads {len(left)} initializers that are left: {sorted(left)[:3]}")
    return 1


def main():
    in_turn = sys.argv[1] == "--in-turn"
    binary, applied, models = sys.argv[1 + in_turn], 0, []
    for word in map(pathlib.Path, sys.argv[2 + in_turn:]):
        models += sorted(word.rglob("*.onnx")) if word.is_dir() else [word]
    with tempfile.TemporaryDirectory() as folder:
        for i, model in enumerate(models):
            for builder in BUILDERS[i % len(BUILDERS):][:1] if in_turn else BUILDERS:
                applied += cure(binary, model, pathlib.Path(folder), builder)
    print(f"{len(models)} models for {1 if in_turn else len(BUILDERS)} builders, {applied} fixed, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
