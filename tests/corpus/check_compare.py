#!/usr/bin/python3
"""What must hold of `fusiondiff compare` on real engines.

    check_compare.py BINARY SHARED SCHEMA

The truth about which node is which comes from the models alone: a weighted node is the
module that its weight (or its exporter's path) names, an Add the block of the
convolutions that feed it, a Relu what it follows.  The five resnet18-*-trt8.4 builds and
resnet18-fp16-trt10 are one network; metamorphic copies of them are made in a temporary
folder.  Exit status 77 when SHARED is absent.
"""
import itertools
import json
import os
import random
import re
import sys
import tempfile

from harness import CORPUS, SHARED, check, failures, read_report, start
KINDS = ["fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap"]
SKIP = {"QuantizeLinear", "DequantizeLinear", "BatchNormalization", "Identity", "Flatten", "Reshape"}
CORE = {"Conv": 20, "Add": 8, "Relu": 17, "MaxPool": 1, "GlobalAveragePool": 1, "Gemm": 1}


def compare(old, new, status=None):
    done = start("compare", old, new, "-f", "json")
    case = f"{old} {new}"
    if status is None:
        check(case, "runs", done.returncode in (0, 1), done.stderr)
    else:
        check(case, f"exit status {status}", done.returncode == status, f"{done.returncode} {done.stderr}")
    return read_report(done.stdout)


# ------------------------------------------------------------------------ the truth

def places(path):
    """By node name: its place in the residual network, and the shape of its weight."""
    model = onnx.load(path, load_external_data=False)
    shapes = {i.name: list(i.dims) for i in model.graph.initializer}
    made = {out: node for node in model.graph.node for out in node.output}
    known = {}

    def root(tensor):
        while tensor in made and made[tensor].op_type in SKIP:
            tensor = made[tensor].input[0]
        return tensor

    def place(tensor):
        return known[made[tensor].name][0] if tensor in made else "input"

    for node in model.graph.node:
        if node.op_type not in CORE:
            continue
        shape = None
        if node.op_type in ("Conv", "Gemm"):
            weight = root(node.input[1])
            shape = shapes[weight]
            if node.name.startswith("/"):
                parts = [part for part in node.name.split("/") if part][:-1]
                code = parts[-1] if len(parts) < 3 else parts[1] + "." + parts[-1]
            else:
                code = weight[:-len(".weight")]
        elif node.op_type == "Add":
            feeders = sorted(place(root(x)) for x in node.input)
            code = "add of " + [f for f in feeders if f.endswith("conv2")][0]
        else:
            code = f"{node.op_type} after {place(root(node.input[0]))}"
        known[node.name] = (code, shape)
    return known


def check_alignment(case, report, old, new, least):
    old, new = places(old), places(new)
    pairs = [p for p in report["aligned"] if p["role"] == "core"]
    wrong = [p for p in pairs if old[p["old"]] != new[p["new"]]]
    check(case, "no node is aligned wrongly", not wrong, wrong)
    counts = {op: sum(p["op"] == op for p in pairs) for op in CORE}
    check(case, "every node is aligned", all(counts[op] >= n for op, n in least.items()), counts)


# --------------------------------------------------------------------------- times

def profile_ms(case):
    """Milliseconds of one run in a case's profile, as the file has them."""
    entries = json.load(open(os.path.join(CORPUS, case, "profile.json"), encoding="utf-8"))
    runs = entries[0]["count"]
    return sum(e["timeMs"] / runs if "timeMs" in e else e["averageMs"] for e in entries[1:])


def check_times(case, report, old, new):
    ms = report["summary"]["ms"]
    for side, folder in (("before", old), ("after", new)):
        check(case, f"{side} is the profile's sum", abs(ms[side] - profile_ms(folder)) < 1e-3,
              f"{ms[side]} {profile_ms(folder)}")
    check(case, "shares add up", abs(sum(ms["delta"].values()) - (ms["after"] - ms["before"])) < 1e-6, ms)
    # What belongs to no region are layers that stand between none of its groups.
    regions = sum(r.get("after", 0) - r.get("before", 0) for r in report["regions"])
    check(case, "regions add up", abs(regions - (ms["after"] - ms["before"])) < 1e-6,
          f"{regions} {ms['after'] - ms['before']}")


# ------------------------------------------------------------------- one pair by one

def widths(report):
    return {(p["before"], p["after"]): p["change"] for p in report["precisions"]}


def check_fp32_fp16(report):
    case = "fp32 -> fp16"
    counts = report["summary"]["regions"]
    check(case, "no fusion is lost", {k for k, v in counts.items() if v} == {"same"}, counts)
    core = [p for p in report["aligned"] if p["role"] == "core"]
    check(case, "every node is narrower", len(report["precisions"]) == len(core) and
          all(p["change"] == "narrowed" and p["after"] == "fp16" for p in report["precisions"]),
          report["precisions"])


def standing(report, what):
    """Standing quantizers that were added or removed: {names of the nodes they are}."""
    side = "old" if what == "removed" else "new"
    return {name for m in report["moves"] if m["what"] == what and m[side]["kind"] == "quantize"
            for name in m[side]["nodes"]}


def check_qat_residual(report, back):
    case = "qat -> qat-residual"
    # The engine's dump has these as Reformats named after a Q (layers 4, 7, 10, ...).
    engine = json.load(open(os.path.join(CORPUS, "resnet18-qat-trt8.4", "engine.graph.json"), encoding="utf-8"))
    truth = {l["Name"] for l in engine["Layers"] if re.fullmatch(r"QuantizeLinear_\d+", l["Name"])}
    kept = {"QuantizeLinear_2", "QuantizeLinear_250"}  # at the input, and before the Gemm: in both builds
    check(case, "the standing quantizers are named", standing(report, "removed") == truth - kept,
          standing(report, "removed") ^ (truth - kept))
    # Five of the eight shortcuts have a tensor of their own between two groups; the other
    # three are a convolution's output that is added where it is made or by the other one.
    narrowed = {(e["new_from"], e.get("new_to", "")) for e in report["edges"]
                if e["change"] == "narrowed" and e.get("new_to", "").startswith("Add_")}
    expected = {("MaxPool_12", "Add_42"), ("Relu_43", "Add_73"), ("Relu_116", "Add_146"), ("Relu_189", "Add_219")}
    check(case, "the residuals are named", expected <= narrowed, narrowed)
    lost = {r["what"] for r in back["regions"]}
    check(case, "the way back loses a fusion", "fusion-lost" in lost, lost)
    widened = {(e["new_from"], e.get("new_to", "")) for e in back["edges"] if e["change"] == "widened"}
    check(case, "the way back names the edge", ("Relu_37", "Add_61") in widened, widened)
    check(case, "the way back adds the quantizers", standing(back, "added") == truth - kept, standing(back, "added"))


def check_qgap(report):
    case = "qat-residual -> qgap"
    gone = standing(report, "removed")
    check(case, "the quantizers of the last block and the pool go", gone >= {"DequantizeLinear_291"}, gone)
    check(case, "the pool is int8 now", ("fp32", "int8") in widths(report), report["precisions"])


def check_pairs():
    folders = {kind: os.path.join(CORPUS, f"resnet18-{kind}-trt8.4") for kind in KINDS}
    reports = {}
    for old, new in itertools.product(KINDS, repeat=2):
        case = f"{old} -> {new}"
        report = compare(folders[old], folders[new], 0 if old == new else 1)
        reports[old, new] = report
        check_alignment(case, report, folders[old] + "/model.onnx", folders[new] + "/model.onnx", CORE)
        check_times(case, report, os.path.basename(folders[old]), os.path.basename(folders[new]))
        check(case, "differs unless it is itself", report["summary"]["differs"] == (old != new))
        if old == new:
            check(case, "a build is itself", not (report["moves"] or report["edges"] or report["precisions"] or
                                                  report["nodes"] or report["ports"]), report["summary"])
    check_fp32_fp16(reports["fp32", "fp16"])
    check_qat_residual(reports["qat", "qat-residual"], reports["qat-residual", "qat"])
    check_qgap(reports["qat-residual", "qat-residual-qgap"])
    for old, new in itertools.combinations(KINDS, 2):
        there = {(p["old"], p["new"]) for p in reports[old, new]["aligned"]}
        back = {(p["new"], p["old"]) for p in reports[new, old]["aligned"]}
        check(f"{old} <-> {new}", "alignment is the same both ways", there == back, there ^ back)


def check_exporters():
    old, new = (os.path.join(CORPUS, c) for c in ("resnet18-fp16-trt8.4", "resnet18-fp16-trt10"))
    for a, b in ((old, new), (new, old)):
        report = compare(a, b, 1)
        check_alignment("trt8.4 <-> trt10", report, a + "/model.onnx", b + "/model.onnx", CORE)
        check("trt8.4 <-> trt10", "the fusions are the same",
              {r["what"] for r in report["regions"]} == {"same"}, report["summary"])


# ---------------------------------------------------------------------- metamorphic

def shuffle(engine, rng):
    rng.shuffle(engine["Layers"])


def rename_tensors(engine, rng):
    """Tensors that the model does not have."""
    for layer in engine["Layers"]:
        for port in layer.get("Inputs", []) + layer.get("Outputs", []):
            port["Name"] = re.sub(r"^Reformatted ", "Reformatted X", port["Name"])


def change_tactics(engine, rng):
    for layer in engine["Layers"]:
        for key in ("TacticName", "TacticValue", "StreamId"):
            if key in layer:
                layer[key] = str(layer[key]) + "_other" if key == "TacticName" else "0x1234"


def change_suffixes(engine, rng):
    text = re.sub(r"_myl(\d+)_(\d+)", lambda m: f"_myl{int(m[1]) + 7}_{int(m[2]) + 3}", json.dumps(engine))
    engine.clear()
    engine.update(json.loads(text))


def add_profile_suffix(engine, rng):
    for layer in engine["Layers"]:
        layer["Name"] += " [profile 0]"


def everything(engine, rng):
    for change in (rename_tensors, change_tactics, change_suffixes, shuffle):
        change(engine, rng)


def check_metamorphic(folder):
    changes = [shuffle, rename_tensors, change_tactics, change_suffixes, add_profile_suffix] + 8 * [everything]
    for case in sorted(os.listdir(CORPUS)):
        model = os.path.join(CORPUS, case, "model.onnx")
        engine = os.path.join(CORPUS, case, "engine.graph.json")
        if not (os.path.exists(model) and os.path.exists(engine)):
            continue
        for seed, change in enumerate(changes):
            with open(engine, encoding="utf-8") as file:
                data = json.load(file, strict=False)
            change(data, random.Random(seed))
            other = os.path.join(folder, f"{case}.json")
            with open(other, "w", encoding="utf-8") as file:
                json.dump(data, file)
            report = compare(f"{model},{engine}", f"{model},{other}", 0)
            check(f"{case} {change.__name__} {seed}", "no difference", not report["summary"]["differs"],
                  [report["summary"], report["moves"], report["edges"]])


def rename_model(path, engine, out_model, out_engine):
    """Other names for every node, weight and inner tensor, in model and engine alike."""
    model = onnx.load(path, load_external_data=False)
    ports = {p.name for p in list(model.graph.input) + list(model.graph.output)}
    names = {}
    for i, node in enumerate(model.graph.node):
        names.setdefault(node.name, f"zz_{i}_{node.op_type.lower()}")
    tensors = {}
    for node in model.graph.node:
        for name in list(node.input) + list(node.output):
            if name and name not in ports:
                tensors.setdefault(name, f"vv{len(tensors)}")
    back = {}
    for node in model.graph.node:
        back[names[node.name]] = node.name
        node.name = names[node.name]
        for field in (node.input, node.output):
            field[:] = [tensors.get(name, name) for name in field]
    for item in model.graph.initializer:
        item.name = tensors.get(item.name, item.name)
    for item in model.graph.value_info:
        item.name = tensors.get(item.name, item.name)
    onnx.save(model, out_model)
    with open(engine, encoding="utf-8") as file:
        text = file.read()
    both = {**tensors, **names}
    pattern = "|".join(re.escape(name) for name in sorted(both, key=len, reverse=True))
    text = re.sub(rf"(?<![\w./:])((?:reshape_(?:before|after)_)?)({pattern})((?:_out_region)?)(?![\w./:])",
                  lambda m: m[1] + both[m[2]] + m[3], text)
    with open(out_engine, "w", encoding="utf-8") as file:
        file.write(text)
    return back


def check_renamed(folder):
    for case in ("resnet18-fp16-trt8.4", "resnet18-qat-residual-trt8.4", "resnet18-qat-trt8.4",
                 "mobilenetv2-fp32-trt10"):
        model, engine = (os.path.join(CORPUS, case, f) for f in ("model.onnx", "engine.graph.json"))
        other = os.path.join(folder, "renamed.onnx"), os.path.join(folder, "renamed.json")
        back = rename_model(model, engine, *other)
        report = compare(f"{model},{engine}", ",".join(other), 0)
        pairs = [p for p in report["aligned"]]
        wrong = [p for p in pairs if back[p["new"]] != p["old"]]
        check(f"{case} renamed", "none is aligned wrongly", not wrong, wrong)
        check(f"{case} renamed", "all are aligned", not report["nodes"], report["nodes"])
        check(f"{case} renamed", "names were no help", report["summary"]["aligned_by"]["name"] == 0,
              report["summary"]["aligned_by"])


def runs_of(path):
    """What ONNX Runtime runs, as its optimized model lists it: layers that compute, that convert, Q and DQ."""
    counts = [0, 0, 0]
    for node in onnx.load(path, load_external_data=False).graph.node:
        kind = 2 if "uantizeLinear" in node.op_type else 1 if node.op_type.startswith("Reorder") else 0
        counts[kind] += node.op_type not in ("Flatten", "Reshape")
    return counts


def check_builders():
    """ResNet-18 with Q/DQ by TensorRT and by ONNX Runtime, which fuses none of it on the CPU."""
    folder = os.path.join(SHARED, "runtimes", "cases", "ort-resnet18_qat_residual_ts-all")
    model = os.path.join(SHARED, "models", "resnet18_qat_residual_ts.onnx")
    if not os.path.exists(folder):
        return
    run_by = f"{model},{os.path.join(folder, 'opt.onnx')},{os.path.join(folder, 'profile.json')}"
    built = [os.path.join(CORPUS, "resnet18-qat-residual-trt8.4", f)
             for f in ("model.onnx", "engine.graph.json", "profile.json")]
    engine = json.load(open(built[1], encoding="utf-8"))
    computing, converting, quantizing = runs_of(os.path.join(folder, "opt.onnx"))
    report, back = compare(",".join(built), run_by, 1), compare(run_by, ",".join(built), 1)
    case = "TensorRT -> ONNX Runtime"
    trt, ort = report["builders"]
    open_groups = [len(s) for r in report["regions"] if r["what"] == "opaque" for s in (r["old"], r["new"])]
    layers = {side: sum(len(r[side]) and sum(g["layers"] for g in r[side]) for r in report["regions"])
              for side in ("old", "new")}
    check(case, "the names", (trt["name"], ort["name"]) == ("TensorRT", "ONNX Runtime"), report["builders"])
    check(case, "the other way round", back["builders"] == [ort, trt], back["builders"])
    check(case, "all layers of ONNX Runtime that compute", layers["new"] == computing, (layers, computing))
    check(case, "its conversions", ort["conversions"] == converting, (ort, converting))
    check(case, "its Q and DQ", ort["unfused_qdq"] == quantizing, (ort, quantizing))
    check(case, "TensorRT's Q and DQ", trt["unfused_qdq"] == sum(
        bool(re.fullmatch(r"(De)?[qQ]uantizeLinear_\d+", l["Name"])) for l in engine["Layers"]), trt)
    check(case, "groups but the opaque", (trt["groups"], ort["groups"]) == tuple(
        sum(len(r[side]) for r in report["regions"]) - n for side, n in zip(("old", "new"), open_groups)),
        (trt, ort, open_groups))
    check(case, "TensorRT fuses more", trt["fuses_more"] == 19 and not ort["fuses_more"], (trt, ort))
    check(case, "no layout, kernel or tactic differs", not report["kernels"] and not any(
        r.get("layout") or r.get("tactic") for r in report["regions"]), report["kernels"][:2])
    text = start("compare", ",".join(built), run_by).stdout
    check(case, "no Q or DQ is listed", "uantizeLinear  " not in text.partition("nodes only")[0], text)
    report = compare(",".join(built[:2]), ",".join(built), 0)
    check("TensorRT -> TensorRT", "one builder", "builders" not in report)


def main():
    check_pairs()
    check_exporters()
    check_builders()
    with tempfile.TemporaryDirectory() as folder:
        check_metamorphic(folder)
        check_renamed(folder)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if not os.path.isdir(CORPUS):
    print(f"no {CORPUS}: skipped")
    sys.exit(77)
try:
    import onnx
except ImportError:
    print("no onnx for Python: skipped")
    sys.exit(77)
main()
