"""`BINARY SHARED`: the first lines of the summary, counted again from each dump and its profile alone: layers, what
they do and in which type, bytes or times and the shares of these; what is to do saves no more than what moves takes.
Nothing is asked of the model, so that logs of TensorRT for RTX 1.4,
which print no weights, engines of open sizes and loops, which only the model shows, are left out."""
import glob
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))
import truth  # noqa: E402
from harness import SHARED, check, failures, start  # noqa: E402

BITS = {"float": 32, "fp32": 32, "half": 16, "fp16": 16, "bfloat16": 16, "int8": 8, "uint8": 8, "int64": 64, "int32": 32,
        "bool": 8, "fp8": 8, "fp8ue8m0": 8, "fp4e2m1": 4, "int4": 4}
# The narrowest of these that a kernel reads is what it computes in; TF32 reads FP32.
FLOATS = ["int4", "fp4e2m1", "fp8", "int8", "fp16", "half", "bfloat16", "fp32", "float"]
CALLED = {"float": "fp32", "half": "fp16", "bfloat16": "bf16", "tf32": "fp32"}
MOVES = set("Tran Resh Conc Slic Move Pad Split Copy Cast".split())
# A Gather computes; a kernel of Expands alone copies, and one of Expands or reversals beside other steps that move
# where it works for nodes of the model.
REPEATS = "Repl"
FOR_NODES = MOVES | {REPEATS, "Reve"}
# What a kernel before could have applied to its result; the names of long kernels end in Etc, and their nodes show it.
APPLIED = MOVES | {REPEATS} | set("Mul Add Sub Div Sqrt Relu Max Min Roun Clip Sigm Silu Tanh Exp Neg Erf Abs Sele Cmp Etc Resi".split())
PRODUCTS = {"Etc", "Matm", "Conv", "Gemm", "Dot", "Atte"}
WAITS = {"NoOp", "Constant", "ShapeHostToDevice", "signal", "wait"}


class Tensor:
    def __init__(self, name, dims, kind, words):
        self.name, self.kind = name, kind.lower()
        wide = re.search(r"channel % (\d+)", words) or re.search(r"(Two|Four|Eight|Sixteen|Thirty-two) wide", words)
        self.fill = {"Two": 2, "Four": 4, "Eight": 8, "Sixteen": 16, "Thirty-two": 32}.get(wide[1]) or int(wide[1]) \
            if wide else 1
        self.dims = [-(-d // self.fill) * self.fill if i == 1 else d for i, d in enumerate(dims)]

    def bytes(self):
        return -(-math.prod(self.dims) * BITS[self.kind] // 8)


class Layer:
    def __init__(self, name, kind, ins, consts, outs, weights=0, nodes=()):
        self.name, self.kind, self.ins, self.consts, self.outs, self.weights = name, kind, ins, consts, outs, weights
        self.nodes = nodes
        words = re.match(r"__myl_(\w+)_myl\d+_\d+$", name)
        self.steps = re.findall(r"[A-Z][a-z0-9]*", words[1]) if words else []

    def bytes(self):
        return sum(t.bytes() for t in self.ins + self.consts + self.outs) + self.weights

    def type(self):
        """The narrowest float that it reads; a kernel without a product computes in the widest."""
        kinds = [[t.kind for t in side if t.kind in FLOATS] for side in (self.ins, self.outs)]
        wide = [k for k in (kinds[0] + kinds[1]) if FLOATS.index(k) > FLOATS.index("int8")]
        read = [k for k in kinds[0] if k in wide]
        stored = [t.kind for t in self.consts if t.kind in FLOATS]
        if self.kind == "gemm" and not self.ins and stored:     # a product of constants
            return CALLED.get(min(stored, key=FLOATS.index), min(stored, key=FLOATS.index))
        if self.kind == "kgen" and self.steps and wide and not set(self.steps) & PRODUCTS:
            kind = max(read or wide, key=FLOATS.index)
            return CALLED.get(kind, kind)
        kind = min(kinds[0] or kinds[1], key=FLOATS.index, default=(self.outs + self.ins)[0].kind)
        return CALLED.get(kind, kind)

    def does(self, made, free):
        """One of the summary's classes; `made`: tensors that layers before wrote."""
        if self.kind in WAITS or free:
            return "free"
        steps = set(self.steps)
        if self.kind == "Reformat" or steps and (steps <= MOVES or steps == {REPEATS} or self.nodes and steps <= FOR_NODES):
            return "moves"
        made_of = {"int8": "Roun", "fp8": "Cast", "fp4e2m1": "Roun"}    # the conversion to FP8 rounds by itself
        if not self.steps or self.kind != "kgen" or not steps <= APPLIED \
                or not any(made_of.get(t.kind) in steps for t in self.outs):
            return "computes"
        if not any(t.kind in ("float", "half", "bfloat16") and t.name in made for t in self.ins):
            return "moves"      # it quantizes what the caller passes
        if self.nodes and all("QuantizeLinear" in n for n in self.nodes):
            return "moves"
        return "computes" if any("Softmax" in n for n in self.nodes) else "requantizes"


def of_json(path):
    with open(path, encoding="utf-8") as file:
        layers = json.load(file)["Layers"]
    for one in layers:
        if isinstance(one, str):
            return
        sides = []
        for key in ("Inputs", "Constants", "Outputs"):
            words = [(t, t.get("Format/Datatype", t.get("Datatype", "") + " " + t.get("Format", "")))
                     for t in one.get(key, [])]
            sides.append([Tensor(t["Name"], t["Dimensions"], re.search(
                r"FP32|FP16|Int8|Int32|Float|Half|UInt8|Int64|Bool", w)[0], w) for t, w in words])
        weights = one.get("Weights") or {"Count": 0, "Type": "Float"}
        yield Layer(one["Name"], one["LayerType"], *sides, weights["Count"] * BITS[weights["Type"].lower()] // 8)


def of_log(folder):
    for k in truth.kernels(truth.log_lines(folder)):
        yield Layer(k.name, k.type, *[[Tensor(t.name, t.dims, t.type, "") for t in side]
                                      for side in (k.inputs, k.constants, k.outputs)], nodes=k.node_names())


def times_of(path):
    with open(path, encoding="utf-8") as file:
        return {r["name"]: r["averageMs"] for r in json.load(file) if "name" in r}


def cases():
    """(name, folder, engine, layers), of dumps that state all that is counted."""
    for engine in sorted(glob.glob(os.path.join(SHARED, "corpus", "*", "engine.graph.json"))):
        layers = list(of_json(engine))
        if any(la.kind == "CaskConvolution" for la in layers) and not any(la.steps for la in layers):
            yield os.path.basename(os.path.dirname(engine)), os.path.dirname(engine), engine, layers
    for folder in sorted(glob.glob(os.path.join(SHARED, "zoo*", "cases", "*"))):
        layers = list(of_log(folder))
        engine = glob.glob(os.path.join(folder, "build.log*"))[0]
        open_or_looped = any(la.kind in ("jmp", "cjmp", "shape_call", "memset") or
                             any(d < 0 for t in la.ins + la.outs for d in t.dims) for la in layers)
        if layers and any(la.consts for la in layers) and not open_or_looped:
            yield os.path.relpath(folder, SHARED), folder, engine, layers


def numbers(line, words):
    found = re.search(words, line)
    return float(found[1]) if found else 0.0


def judge(name, folder, engine, layers):
    profile = os.path.join(folder, "profile.json")
    timed = os.path.exists(profile)
    model = os.path.join(folder, "model.onnx")
    done = start("diff", *([model] if os.path.exists(model) else []), engine, "-f", "json",
                 *(["--profile", profile] if timed else []))
    lines = json.loads(done.stdout)["summary"]["brief"]
    brief = {la["topic"]: la["text"] for la in lines}
    ms = times_of(profile) if timed else {}
    made, counts, amounts, types = set(), {}, {}, {}
    for la in layers:
        what = la.does(made, timed and ms[la.name] == 0)
        counts[what] = counts.get(what, 0) + 1
        amounts[what] = amounts.get(what, 0) + (ms[la.name] if timed else la.bytes() if what != "free" else 0)
        made |= {t.name for t in la.outs}
        if what in ("computes", "requantizes"):
            types[la.type()] = types.get(la.type(), 0) + 1
    runs, spent = brief["runs"], brief.get("time" if timed else "bytes", "")
    check(name, "layers", numbers(runs, r"^(\d+) layer") == len(layers), (runs, len(layers)))
    shown = {"requantizes": numbers(runs, r"(\d+) of them requantize"),
             "free": numbers(runs, r"(\d+) free") + numbers(runs, r"(\d+) constant"),
            "moves": numbers(runs, r"(\d+) move data(?! as)") + numbers(runs, r"(\d+) move data as")}
    for what, count in shown.items():
        check(name, what, count == counts.get(what, 0), (runs, counts))
    shown = {}
    for kind, count in re.findall(r"(\w+) (\d+)", (re.search(r"compute \((.*?)\)", runs) or [0, ""])[1]):
        shown[CALLED.get(kind, kind)] = shown.get(CALLED.get(kind, kind), 0) + int(count)
    check(name, "types", shown == types, (runs, types))
    whole = sum(amounts.values())
    shares = {"computes": numbers(spent, r"compute ([\d.]+) %"),
              "requantizes": numbers(spent, r"requantization ([\d.]+) %"),
              "moves": numbers(spent, r"data movement ([\d.]+) %")
              + numbers(spent, r"data movement that the model requires ([\d.]+) %")}
    for what, shown in shares.items():
        check(name, f"share that {what}", abs(shown - 100 * amounts.get(what, 0) / whole) < .16, (spent, amounts))
    saved = [float(n) for line in lines if line["topic"] == "to do" and not line["text"].startswith("fold ")
             for n in re.findall(r": (?:may save [\d.]+ ms, |saves )([\d.]+) %", line["text"])]
    check(name, "each gain is worth a line", all(n >= .95 for n in saved), lines)
    check(name, "what is to do saves data movement", sum(saved) < shares["moves"] + .06 * (1 + len(saved)), (lines, shares))
    unit = {"k": 1e3, "M": 1e6, "G": 1e9}
    shown = re.match(r"([\d.]+) (ms|([kMG]?)B)", spent)
    check(name, "the whole", shown and abs(float(shown[1]) * (unit.get(shown[3], 1) if not timed else 1) / whole - 1) < .006,
          (spent, whole))


def main():
    n = 0
    for case in cases():
        judge(*case)
        n += 1
    print(f"{n} summaries counted again, {len(failures)} figures wrong")
    return 1 if failures or n < 60 else 0


if __name__ == "__main__":
    if not os.path.isdir(SHARED):
        print(f"skipped: {SHARED} is not there")
        sys.exit(77)
    sys.exit(main())
