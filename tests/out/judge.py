#!/usr/bin/env python3
"""judge.py BINARY MODEL... [--cuts N] [--seed S]: parts that `cut` makes, judged by onnx.checker and ONNX Runtime.

With --engine each model is annotated, too, and computes the same.  Of each model N random nodes, pairs of tensors and surroundings are cut out.  onnx.checker takes each part; its
outputs in ONNX Runtime, with its optimizations off and on the values that the whole model has at the part's inputs,
are bit-equal to the whole model's own intermediate tensors.  Absent weights are filled with random numbers first."""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

failures = compared = checked = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


DTYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
          "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
          "tensor(bool)": np.bool_}


def feed(inputs, numbers):
    out = {}
    for i in inputs:
        shape = [d if isinstance(d, int) else 2 for d in i.shape]
        dtype = DTYPES[i.type]
        if np.issubdtype(dtype, np.floating):
            out[i.name] = numbers.standard_normal(shape).astype(dtype)
        else:
            out[i.name] = numbers.integers(0, 2, shape).astype(dtype)
    return out


def whole_values(path, numbers):
    """Every tensor of the main graph that ONNX Runtime can hand out, on random inputs; None where it does not run."""
    model = onnx.load(str(path))
    have = {o.name for o in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in have:
                have.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    with tempfile.TemporaryDirectory() as folder:
        large = pathlib.Path(folder) / "whole.onnx"
        onnx.save(model, str(large))
        try:
            s = session(str(large))
            fed = feed(s.get_inputs(), numbers)
            names = [o.name for o in s.get_outputs()]
            values = dict(zip(names, s.run(names, fed)))
        except Exception as error:  # pylint: disable=broad-except; of a model that it does not run
            print(f"{path.name}: not run by ONNX Runtime: {str(error)[:120]}")
            return None, model
    values.update(fed)
    return values, model


def judge(binary, path, part, arguments, values):
    global compared, checked
    ran = subprocess.run([binary, "cut", str(path), *arguments, "-o", str(part)], capture_output=True, check=False)
    said = ran.stdout.decode() + ran.stderr.decode()
    if ran.returncode:
        return check(b"expected" in ran.stderr and not part.exists(), f"{path.name} {arguments}: {said}") and None
    try:
        onnx.checker.check_model(str(part), full_check=True)
        checked += 1
    except Exception as error:  # pylint: disable=broad-except; whatever is wrong
        return check(False, f"{path.name} {arguments}: onnx.checker: {error}")
    s = session(str(part))
    inputs = {i.name: values[i.name] for i in s.get_inputs() if i.name in values}
    if len(inputs) < len(s.get_inputs()):
        return check(False, f"{path.name} {arguments}: inputs that the model does not have")
    outputs = [o.name for o in s.get_outputs()]
    got = s.run(outputs, inputs)
    for name, value in zip(outputs, got):
        if not isinstance(value, np.ndarray):
            continue
        compared += 1
        check(value.tobytes() == values[name].tobytes() and value.shape == values[name].shape,
              f"{path.name} {arguments}: {name} differs from the whole model's")
    return None


def cuts(model, dice, n):
    """Nodes, surroundings, and pairs of tensors of which the second depends on the first, which depends on an input."""
    constants = {t.name for t in model.graph.initializer}
    live = {i.name for i in model.graph.input} - constants
    nodes = [i for i, node in enumerate(model.graph.node) if node.op_type != "Constant"]
    for node in model.graph.node:
        if live.intersection(node.input) and node.op_type not in ("Shape", "Size"):
            live.update(o for o in node.output if o)
    for _ in range(n):
        i = dice.choice(nodes)
        kind = dice.randrange(3)
        first = next((o for o in model.graph.node[i].output if o in live), None)
        behind, later = {first}, []
        for node in model.graph.node[i + 1 :]:
            if behind.intersection(node.input) and len(later) < 12:
                behind.update(o for o in node.output if o)
                later += [o for o in node.output if o in live][:1]
        if kind == 1:
            yield ["--node", f"#{i}", "--context", str(dice.randrange(1, 4))]
        elif kind == 2 and later:
            yield ["--from", first, "--to", dice.choice(later)]
        else:
            yield ["--node", f"#{i}"]


def run_alone(path, numbers):
    """The outputs of a model as it is, on random inputs; None where it does not run.

    Not those of whole_values(): ONNX Runtime computes operators that it has no kernel of in float16 in float32, and
    rounds between two of them only where somebody asks for the tensor there."""
    try:
        s = session(str(path))
        return {o.name: value for o, value in zip(s.get_outputs(), s.run(None, feed(s.get_inputs(), numbers)))}
    except Exception as error:  # pylint: disable=broad-except; of a model that it does not run
        print(f"{path.name}: not run by ONNX Runtime: {str(error)[:120]}")
        return None


def annotated(binary, path, engine, part, seed):
    """The annotated model computes the same, bit by bit, and differs in metadata alone."""
    global compared
    ran = subprocess.run([binary, "annotate", str(path), str(engine), "--force", "-o", str(part)], capture_output=True,
                         check=False)
    if not check(ran.returncode == 0, f"{path.name}: annotate: {ran.stderr.decode()}"):
        return
    before, after = onnx.load(str(path)), onnx.load(str(part))
    check(any(p.key == "fusiondiff.fate" for n in after.graph.node for p in n.metadata_props), f"{path.name}: annotated")
    for model in (before, after):
        for holder in [model, *model.graph.node]:
            kept = [p for p in holder.metadata_props if not p.key.startswith("fusiondiff.")]
            del holder.metadata_props[:]
            holder.metadata_props.extend(kept)
    nodes = [strip(m) for m in (before, after)]
    check(nodes[0] == nodes[1], f"{path.name}: annotate changes more than metadata")
    wanted, got = (run_alone(p, np.random.default_rng(seed)) for p in (path, part))
    if not check((wanted is None) == (got is None), f"{path.name}: runs only with, or without, annotations"):
        return
    for name, value in (wanted or {}).items():
        compared += 1
        check(value.tobytes() == got[name].tobytes(), f"{path.name}: {name} differs in the annotated model")


def anonymized(binary, path, engine, folder, node, seed):
    """A part with other names is a model that computes the same as the part."""
    global checked, compared
    part, report = folder / "part.onnx", folder / "report"
    words = ["--node", f"#{node}", "-q", "-o"]
    if subprocess.run([binary, "cut", str(path), *words, str(part)], capture_output=True, check=False).returncode:
        return
    ran = subprocess.run([binary, "issue", str(path), str(engine), "--force", "--anonymize", *words, str(report)],
                         capture_output=True, check=False)
    if not check(ran.returncode == 0, f"{path.name} #{node}: issue: {ran.stderr.decode()}"):
        return
    try:
        onnx.checker.check_model(str(report / "part.onnx"), full_check=True)
        checked += 1
    except Exception as error:  # pylint: disable=broad-except; whatever is wrong
        check(False, f"{path.name} #{node}: anonymized: onnx.checker: {error}")
        return
    before, after = session(str(part)), session(str(report / "part.onnx"))
    fed = feed(before.get_inputs(), np.random.default_rng(seed))
    renamed = {i.name: fed[j.name] for i, j in zip(after.get_inputs(), before.get_inputs())}
    for value, other in zip(before.run(None, fed), after.run(None, renamed)):
        compared += 1
        check(value.tobytes() == other.tobytes(), f"{path.name} #{node}: anonymized: outputs differ")
    names = {t for n in onnx.load(str(path)).graph.node for t in [n.name, *n.input, *n.output] if len(t) > 2}
    data = (report / "part.onnx").read_bytes() + (report / "issue.md").read_bytes()
    leaks = [n for n in names if not n.isdigit() and n.encode() in data and n not in WORDS]
    check(not leaks, f"{path.name} #{node}: anonymized: {leaks[:3]} are still there")


# Names that models give, and texts of ours have.
WORDS = {"input", "output", "inputs", "outputs", "image", "images", "data", "val", "state", "cond", "out", "max", "min"}


def strip(model):
    """Bodies may be annotated, too."""
    for node in model.graph.node:
        for a in node.attribute:
            for g in ([a.g] if a.HasField("g") else []) + list(a.graphs):
                for inner in g.node:
                    del inner.metadata_props[:]
    return model.SerializeToString(deterministic=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", type=pathlib.Path, help="annotate each model by this engine, too")
    parser.add_argument("--fill", type=pathlib.Path, help="build_engine.py, which fills in absent weights")
    o = parser.parse_args()
    if o.fill:
        sys.path.insert(0, str(o.fill.parent))
        import build_engine  # pylint: disable=import-error,import-outside-toplevel
    for path in o.models:
        dice = random.Random(f"{o.seed} {path.name}")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if o.fill:
                model = onnx.load(str(path), load_external_data=False)
                build_engine.fill(model, 7)
                path = folder / path.name
                onnx.save(model, str(path))
            if o.engine:
                annotated(o.binary, path, o.engine, folder / "annotated.onnx", o.seed)
            if not o.cuts:
                continue
            values, model = whole_values(path, np.random.default_rng(o.seed))
            if values is None:
                continue
            for k in range(3 if o.engine else 0):
                (folder / str(k)).mkdir()
                anonymized(o.binary, path, o.engine, folder / str(k), dice.randrange(len(model.graph.node)), o.seed)
            for k, arguments in enumerate(cuts(model, dice, o.cuts)):
                judge(o.binary, path, folder / f"{k}.onnx", arguments, values)
    print(f"{checked} parts taken by onnx.checker, {compared} of their outputs compared, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
