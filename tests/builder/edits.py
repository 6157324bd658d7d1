#!/usr/bin/python3
"""The edits that `lint --fix=fusion/attention` writes, built by TensorRT for RTX and computed by ONNX Runtime.

    edits.py BINARY [--shared DIR] [--only REGEX] [--drawn | --all | --fresh SEED] [--sample N] [--bar RATE] [-v]

Of each network that networks.py draws (of those that fresh.py draws from SEED on, until they have 60 blocks), and of each model of the zoos in DIR that builder/attention_models.tsv does not
have, every attention that lint proposes edits for is counted: before them it must be split, and behind them one
kernel, by the builder's own Metadata.  The fixed model passes onnx.checker, and its outputs differ from the model's by
no more than the type of its Casts rounds.  Fails below RATE (0.917, 55 of 60), and where a value is further off."""
import argparse
import collections
import csv
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import forked  # noqa: E402
import fresh  # noqa: E402
from networks import DRAWN  # noqa: E402

TARGET = ("--for", "rtx-1.7:sm89")
CORE = ("MatMul", "Softmax")
# Roundings add up over the layers of a network: so many times the type's own, of the largest value.
OFF = {"fp16": 16 * 2.0**-11, "bf16": 16 * 2.0**-8, "fp32": 16 * 2.0**-20}
NARROW = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
BLOCKS = 60  # of fresh networks
SIZE = 2  # of open dimensions, where values are computed


def name_of(node):
    return node.name or "node_of_" + node.output[0]


def zoo(shared, known_too):
    """Models of the zoos, with weights; none where DIR is absent."""
    if not os.path.isdir(os.path.join(shared, "zoo")):
        return
    with open(os.path.join(shared, "builder/attention_models.tsv"), newline="", encoding="utf-8") as lines:
        known = set() if known_too else {r["model"] for r in csv.DictReader(lines, delimiter="\t")}
    spec = importlib.util.spec_from_file_location("build_engine", os.path.join(shared, "zoo/build_engine.py"))
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)

    def load(path):
        model = onnx.load(path, load_external_data=False)
        tool.fill(model, 7)
        return model
    cases = [(case, os.path.join(shared, group, "cases", case, "model.onnx")) for group in ("zoo", "zoo-2", "zoo-4")
             for case in sorted(os.listdir(os.path.join(shared, group, "cases"))) if "." not in case and case not in known]
    cases += [(name[:-5], os.path.join(shared, "models", name)) for name in ("vit_b_16_ts.onnx",)]
    for case, path in cases:
        yield case, lambda path=path: load(path)


def blocks(binary, path, model):
    """The products and Softmax of each attention that edits are proposed for, with the rule and its edits."""
    out = subprocess.run([binary, "lint", path, *TARGET, "-f", "json"], capture_output=True, text=True, check=False)
    said = json.loads(out.stdout)
    for i, finding in enumerate(said["findings"]):
        edits = [e for e in said["edits"] if e["finding"] == i and e["rule"] == "fusion/attention"]
        if edits:
            nodes = [model.graph.node[n] for n in finding["nodes"]]
            yield {name_of(n) for n in nodes if n.op_type in CORE}, finding["facts"]["fusion"], edits


def whole(core, log):
    return any(core <= nodes for _, nodes in forked.kernels(log))


# ------------------------------------------------------------------------------------------------------------ values

def computable(model):
    """The model, whose products between Casts compute in FP32 of rounded values: ONNX Runtime has no product in BF16, and
    takes the Casts around one in FP16 away."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    known = {v.name: v.type.tensor_type.elem_type for v in onnx.shape_inference.infer_shapes(model).graph.value_info}
    nodes = []
    for node in model.graph.node:
        to = next((a.i for a in node.attribute if node.op_type == "Cast" and a.name == "to"), 0)
        if "_lint_" in node.output[0] and to in NARROW:
            rounded(nodes, node.input[0], node.output[0], to)
        elif node.name.endswith("_cast") and known.get(node.input[0]) in NARROW:
            rounded(nodes, node.input[0], node.output[0], known[node.input[0]])
        else:
            nodes.append(node)
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend(nodes)
    return model


def widened(model):
    """The model in FP32: ONNX Runtime sums FP16 in an order that depends on sizes, of which a quantizer makes a step."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    for i, t in enumerate(model.graph.initializer):
        if t.data_type in NARROW:
            model.graph.initializer[i].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t).astype(np.float32), t.name))
    for value in (*model.graph.input, *model.graph.output):
        if value.type.tensor_type.elem_type in NARROW:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for attribute in (a for n in model.graph.node if n.op_type == "Cast" for a in n.attribute):
        if attribute.i in NARROW:
            attribute.i = TensorProto.FLOAT
    del model.graph.value_info[:]
    return model


def rounded(nodes, tensor, out, to):
    nodes += [helper.make_node("Cast", [tensor], [out + "_narrow"], to=to),
              helper.make_node("Cast", [out + "_narrow"], [out], to=TensorProto.FLOAT)]


def feeds(model, session):
    random_ = np.random.default_rng(1)
    made = {}
    for value in session.get_inputs():
        dims = [d if isinstance(d, int) else SIZE for d in value.shape]
        if "int" in value.type:
            made[value.name] = random_.integers(0, 4, dims).astype("int32" if "int32" in value.type else "int64")
        elif value.type == "tensor(bool)":
            made[value.name] = np.ones(dims, bool)
        else:
            made[value.name] = random_.random(dims).astype(np.float16 if "16" in value.type else np.float32)
    return made


def outputs(model):
    """Name -> values, in FP64; None where ONNX Runtime does not run the model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        made = session.run(None, feeds(model, session))
    except Exception:  # pylint: disable=broad-except; of any model that it does not run
        return None
    return {o.name: np.asarray(v, np.float64) for o, v in zip(session.get_outputs(), made)}


def furthest(before, after):
    """By how much of its largest value an output is off, at most; None: the two cannot be compared."""
    if before is None or after is None:
        return None
    off = 0.0
    for name in after:
        old, new = before[name], after[name]
        if not np.all(np.isfinite(old)):
            continue
        if not np.all(np.isfinite(new)):
            return np.inf
        off = max(off, float(np.max(np.abs(new - old), initial=0) / max(np.max(np.abs(old), initial=0), 1e-30)))
    return off


# ------------------------------------------------------------------------------------------------------------- models

def judge(binary, name, model, at, verbose):
    """(rule, whether it was split, whether it is one kernel) of each block, and what is wrong with the fixed model."""
    path, fixed, log = (os.path.join(at, f) for f in ("m.onnx", "fixed.onnx", "m.log"))
    onnx.save(model, path)
    found = list(blocks(binary, path, model))
    if not found:
        if name in DRAWN:
            print(f"{name:20} has no attention that lint proposes edits for")
        return [], name in DRAWN or None
    built = forked.build(path, log)
    split = [built and not whole(core, log) for core, *_ in found]
    out = subprocess.run([binary, "lint", path, *TARGET, "--fix=fusion/attention", "-o", fixed], capture_output=True,
                         text=True, check=False)
    if out.returncode not in (0, 1) or not os.path.exists(fixed):
        return [(rule, was, False) for (_, rule, _), was in zip(found, split)], f"nothing is written: {out.stderr}"
    made, wrong = onnx.load(fixed), None
    try:
        onnx.checker.check_model(made)
    except onnx.checker.ValidationError as error:
        wrong = f"onnx.checker: {error}"
    built = forked.build(fixed, log)
    rows = [(" ".join([rule, *sorted({e["type"] for e in edits if e["action"] == "insert-cast"})]), was,
             built and whole(core, log)) for (core, rule, edits), was in zip(found, split)]
    # Pairs that go are wanted to change values.
    exact = not any(e["action"] == "remove-pair" for *_, edits in found for e in edits)
    types = {e["type"] for *_, edits in found for e in edits if e["action"] == "insert-cast"}
    own = {TensorProto.FLOAT16: "fp16", TensorProto.BFLOAT16: "bf16"}
    own = {own[t] for t in (v.type.tensor_type.elem_type for v in model.graph.input) if t in own}
    bar = max((OFF[t] for t in types | own), default=OFF["fp32"]) if types else OFF["fp32"]
    ready = computable if types else widened  # edits without Casts change no value
    off = furthest(outputs(ready(model)), outputs(ready(made))) if exact else None
    if off is not None and off > bar:
        wrong = f"outputs are off by {off:.2g} of the largest value"
    print(f"{name:20} {sum(r[2] for r in rows)} of {len(rows)} one kernel, {sum(not r[1] for r in rows)} were before; "
          f"off by {'unknown' if off is None else f'{off:.1g}'} {' '.join(sorted(types))}"
          f"{'' if built else '; NOT BUILT'}{'; ' + wrong if wrong else ''}", flush=True)
    for (core, rule, edits), row in zip(found, rows):
        if verbose and not row[2]:
            print(f"    {rule}: {sorted(core)} {sorted({e['action'] for e in edits})}")
    return rows, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    parser.add_argument("--shared", default=os.path.join(HERE, "../../../shared"))
    parser.add_argument("--only", default="")
    parser.add_argument("--drawn", action="store_true", help="no models of the zoos")
    parser.add_argument("--fresh", type=int, metavar="SEED", help="networks that no rule was made with")
    parser.add_argument("--all", action="store_true", help="the models of that table, too")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--bar", type=float, default=55 / 60)
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    seeds = [] if args.fresh is None else range(args.fresh, args.fresh + 2 * BLOCKS)
    models = [(f"fresh {seed}", lambda seed=seed: fresh.draw(seed)) for seed in seeds]
    models = models or [*DRAWN.items()] if args.fresh is not None or args.drawn else [*DRAWN.items(), *zoo(args.shared, args.all)]
    models = [m for m in models if re.search(args.only, m[0])]
    if args.sample:
        models = random.Random(1).sample(models, min(args.sample, len(models)))
    rows, faults, n = [], 0, 0
    with tempfile.TemporaryDirectory() as at:
        for name, draw in models:
            if args.fresh is not None and sum(was for _, was, _ in rows) >= BLOCKS:
                break
            made, wrong = judge(args.binary, name, draw(), at, args.v)
            rows += made
            n += bool(made)
            faults += wrong is not None
    counts = collections.Counter((rule, now) for rule, was, now in rows if was)
    for rule in sorted({rule for rule, _ in counts}):
        print(f"{rule:32} {counts[rule, True]} of {counts[rule, True] + counts[rule, False]}")
    split = [now for _, was, now in rows if was]
    print(f"{sum(split)} of {len(split)} split attentions of {n} models are one kernel with the edits, "
          f"{len(rows) - len(split)} were one before; {faults} models are wrong")
    return 1 if faults or not split or sum(split) / len(split) < args.bar else 0


if __name__ == "__main__":
    sys.exit(main())
