"""What an engine's dump says: layers, the tensors that they read and write, weights, Metadata and the operations in the
names of generated kernels.  The truth is the dump alone: TensorRT's JSON, the block of layers in a log, or the
inspector's text."""
import itertools
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))
import truth  # noqa: E402

TYPES = {"float": "fp32", "half": "fp16", "bfloat16": "bf16", "int8": "int8", "fp32": "fp32", "fp16": "fp16", "bf16": "bf16",
         "fp8": "fp8", "fp8ue8m0": "e8m0", "e4m3": "fp8", "fp4e2m1": "fp4", "fp4": "fp4", "int4": "int4", "int32": "int32",
         "int64": "int64", "bool": "bool", "uint8": "uint8"}
SPELLED = re.compile(r"BFloat16|Float|Half|FP32|FP16|FP8UE8M0|FP8|FP4E2M1|FP4|BF16|Int8|Int4|Int32|Int64|Bool|UInt8|E4M3")
BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "int8": 8, "fp8": 8, "uint8": 8, "bool": 8, "e8m0": 8, "int4": 4, "fp4": 4,
        "int32": 32, "int64": 64}
QUANTIZED = {"int8", "fp8", "int4", "fp4"}
FLOATS = {"fp32", "fp16", "bf16"}
WIDE = {"Two": 2, "Four": 4, "Eight": 8, "Sixteen": 16, "Thirty-two": 32}
# Operations of generated kernels that only move data; "Etc" stands for those that a long name leaves out.
MOVING = set("Tran Resh Conc Slic Move Pad Split Copy Repl Reve".split())
MULTIPLYING = set("Matm Conv Corr Fc Gemm Dot Atte Deco".split())
PRODUCT_TYPES = re.compile(r"correlation|deconv|gemm|runtime_fusion|Conv|Gemm|MatrixMultiply|FullyConnected", re.I)


class Port:
    """A use of a tensor; what the dump does not state is None."""

    def __init__(self, name, words, dims=None, strides=None):
        self.name, self.words, self.strides = name, words, strides
        self.dims = None if dims is None else list(dims)
        found = SPELLED.search(words)
        self.type = TYPES.get(found[0].lower()) if found else None
        self.fill, self.vector = self._width()

    def _width(self):
        """To which multiple the channels are stored, and how many lie together in one vector."""
        wide = re.search(r"channel % (\d+)|(Two|Four|Eight|Sixteen|Thirty-two) wide|:(\d+)", self.words)
        fill = int(wide[1] or wide[3] or WIDE[wide[2]]) if wide else 1
        return fill, 1 if wide and wide[1] else fill

    def count(self):
        """Elements in memory; None: a size is not known."""
        if self.dims is None or any(d < 0 for d in self.dims):
            return None
        axis = 1 if len(self.dims) > 1 else 0
        return math.prod(-(-d // self.fill) * self.fill if i == axis else d for i, d in enumerate(self.dims))

    def bytes(self, n=None):
        """`n`: elements, if the dump leaves them open."""
        n = self.count() if n is None else n
        return None if n is None or self.type not in BITS else -(-n * BITS[self.type] // 8)

    def layout(self):
        """How it lies, so that two can be compared: "linear", "last" (channels), or the order of axes; None: not known."""
        if self.strides and self.dims and len(self.strides) == len(self.dims) and min(self.strides, default=0) >= 0:
            axes = [i for i, d in enumerate(self.dims) if d != 1]
            order = sorted(axes, key=lambda i: -self.strides[i])
            last = [i for i in axes if i != 1] + [i for i in axes if i == 1]
            ties = len({self.strides[i] for i in axes}) < len(axes)
            return "linear" if order == axes or ties and "inear" in self.words else \
                "last" if order == last else (len(self.dims), *order)
        if self.vector > 1:
            return f"vector {self.vector}"
        if "hannel major" in self.words:
            return "last"
        if "inear" in self.words or "ow major" in self.words:
            return "linear"
        return None

    def is_part(self):
        """Its strides leave gaps: it is a part of a larger tensor."""
        if not self.strides or not self.dims or min(self.dims + self.strides) < 0 or len(self.dims) != len(self.strides):
            return False
        last = sum((d - 1) * s for d, s in zip(self.dims, self.strides))
        return last >= math.prod(self.dims) > 1


class Layer:
    def __init__(self, name, kind, ins=(), outs=(), consts=(), **more):
        self.name, self.type, self.ins, self.outs, self.consts = name, kind, list(ins), list(outs), list(consts)
        self.metadata = more.get("metadata")        # None: the dump has none at all
        self.weights, self.tactic = more.get("weights"), more.get("tactic", "")
        self.origin = more.get("origin")
        words = re.match(r"__myl_(\w+?)_myl\d+_\d+$", name)
        self.steps = re.findall(r"[A-Z][a-z0-9]*", words[1]) if words else []

    def types(self, side):
        return [p.type for p in getattr(self, side)]

    def multiplies(self):
        """It is, or holds, a Conv or a matrix product."""
        return bool(set(self.steps) & MULTIPLYING) or "_gemm_mha" in self.name \
            or (self.type not in ("kgen", "Reformat", "NoOp") and bool(PRODUCT_TYPES.search(self.type))
                and not (self.steps and not set(self.steps) & (MULTIPLYING | {"Etc"})))

    def ends(self):
        """What it reads and what it writes, if that is one tensor each."""
        return (self.ins[0], self.outs[0]) if len(self.ins) == len(self.outs) == 1 else None

    def is_named_only(self):
        return not self.ins and not self.outs


def _items(text):
    return [re.sub(r"\](__\w+)?$", "", i.removeprefix("[ONNX Layer: ")).split(" | ")[0]
            for i in re.split("[\x1e\x1f]", text) if i.strip()]


def of_json(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    for one in data["Layers"] if isinstance(data, dict) else data:
        if isinstance(one, str):
            yield Layer(one, "")
            continue
        sides = []
        for key in ("Inputs", "Outputs", "Constants"):
            sides.append([Port(t["Name"], t.get("Format/Datatype", t.get("Datatype", "")) + " " + t.get("Format", ""),
                               t.get("Dimensions"), t.get("Strides")) for t in one.get(key, [])])
        weights = one.get("Weights") or one.get("ConvWeights")
        yield Layer(one["Name"], one.get("LayerType", ""), *sides, tactic=one.get("TacticName", ""),
                    metadata=_items(one["Metadata"]) if "Metadata" in one else None, origin=one.get("Origin"),
                    weights=weights["Count"] * BITS[TYPES[weights["Type"].lower()]] // 8 if weights else None)


def of_block(lines):
    for name, kind, sides in truth.block(lines):
        yield Layer(name, kind, *[[Port(t, word + f" :{wide}" * bool(wide), dims) for t, word, dims, wide in side]
                                  for side in sides])


def of_kernels(kernels):
    for k in kernels:
        sides = [[Port(t.name, re.sub(r"^.*?Datatype: ", "", t.stated, flags=re.S), t.dims, t.strides) for t in side]
                 for side in (k.inputs, k.outputs, k.constants)]
        yield Layer(k.name, k.type, *sides, metadata=k.node_names())


def of_text(lines):
    """The inspector's text where there is one, which states more than the block of a log."""
    if any(line.endswith("] Layers:") for line in lines):
        return list(of_kernels(truth.kernels(lines)))
    at = next((i for i, two in enumerate(zip(lines, lines[1:])) if two[0] == "Layers:" and two[1].startswith("Name: ")), None)
    if at is not None:
        named = itertools.takewhile(lambda line: line.startswith("Name: "), lines[at + 1:])
        return list(of_kernels(map(truth.Kernel, named)))
    if any("Engine Layer Information" in line for line in lines) and any(li.startswith("Layer(") for li in lines):
        return list(of_block(lines))
    return list(of_kernels(truth.kernels(lines)))


def in_order(pairs, names):
    """What stands beside each name, which may repeat in one order, or None; and the names that are left over."""
    by_name = {}
    for name, value in pairs:
        by_name.setdefault(name, []).append(value)
    return [by_name[n].pop(0) if by_name.get(n) else None for n in names], [n for n in by_name if by_name[n]]


class Dump:
    """`names`: of the layers as the report numbers them, some of which a profile alone has."""

    def __init__(self, path, names, profile=None):
        self.lines = [] if path.endswith(".json") else truth.lines_of(path)
        found = list(of_json(path)) if path.endswith(".json") else of_text(self.lines)
        given, self.strange = in_order([(la.name, la) for la in found], names)   # strange: the report does not have them
        self.layers = [layer or Layer(name, "") for layer, name in zip(given, names)]
        self.lists_constants = any(la.consts for la in self.layers)
        self.is_typed = any(la.ins or la.outs for la in self.layers if la.type != "Myelin")
        self.has_metadata = any(la.metadata for la in self.layers)
        self.writers, self.readers = {}, {}
        self.constants = {p.name for la in self.layers for p in la.consts}
        for i, layer in enumerate(self.layers):
            for port in layer.outs:
                self.writers.setdefault(port.name, []).append(i)
            for port in layer.ins:
                self.readers.setdefault(port.name, []).append(i)
        self.parts = self._parts()
        times = times_of(profile) if profile else truth.times(self.lines)
        self.ms, self.run_ms = times and in_order(times, names)[0], sum(ms for _, ms in times or [])

    def _parts(self):
        """Tensors that several layers write, each a part."""
        sizes = {}
        for port in (p for la in self.layers for p in la.ins + la.outs):
            sizes.setdefault(port.name, set()).add(port.count())
        return {name for name, by in self.writers.items() if len(set(by)) > 1 and len(sizes[name]) > 1}

    def near(self, i, back, through):
        """The layers before or behind, through those in `through`."""
        found, queue, peers = set(), [i], self.writers if back else self.readers
        while queue:
            layer = self.layers[queue.pop()]
            new = {k for p in (layer.ins if back else layer.outs) for k in peers.get(p.name, [])} - found - {i}
            found |= new
            queue += new & through
        return found


def times_of(path):
    """Milliseconds of a run by layer, of an exported profile: the mean over its runs."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    runs = next((r["count"] for r in rows if "count" in r), 1)
    return [(r["name"], r["timeMs"] / runs) for r in rows if "name" in r]
