#!/usr/bin/python3
"""Dumps and logs of real builds, changed in one place: the gate must say so; or nowhere: it must pass.

    dumps.py BINARY FIXTURES SHARED [COUNT [SEED [CHANGES]]]

COUNT mutants (500), chosen by SEED, of the builds in SHARED's corpus, zoo and zoo-2; CHANGES are names of
functions below, with commas.  A finding of a change is an error or a warning; what is the same has none.

A dump is read into layers, each a dictionary as TensorRT's JSON has them, whether the file is JSON or
the lines of a verbose log, and is written as what it was.  A change returns the names of which a
finding must name one (empty: any), or None where the build has no place for it.
"""
import collections
import concurrent.futures
import copy
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile

WIDER = {"Int8": "Float", "FP8": "Half", "Int4": "Int8", "FP4": "Half", "Half": "Float", "BFloat16": "Float"}
OTHER = {"Int8": "FP8", "FP8": "Int8", "Half": "BFloat16", "BFloat16": "Half"}
KEYS = (", Location: ", ", Dimensions: [", ", Strides: [", ", StrideOrder: [", ", Datatype: ", ", Format: ")
LISTS = ("Inputs", "Constants", "Outputs")
COUNTER = re.compile(r"_myl(\d+)_(\d+)$")


def is_kernel(layer):
    return bool(layer.get("Inputs")) and bool(layer.get("Outputs")) and not layer["LayerType"].lower().startswith(
        ("signal", "wait", "shape", "constant", "noop", "no_op", "identity")) and "hvar^" not in layer["Name"]  # a size, or the turns of a loop


# ------------------------------------------------------------------ lines of a log

def read_tensor(text):
    tensor, end = {}, len(text)
    for key in reversed(KEYS):
        at = text.find(key, 0, end)
        if at >= 0:
            value = text[at + len(key):end]
            if key.endswith("["):
                if not re.fullmatch(r"[\d,-]*\]", value):
                    return None
                value = json.loads("[" + value)
            tensor[key.strip(", [:")] = value
            end = at
    tensor["Name"] = text[6:end]
    return tensor


def put_tensor(tensor):
    words = [f"Name: {tensor['Name']}"]
    for key in KEYS:
        word = key.strip(", [:")
        if word in tensor:
            value = tensor[word]
            words.append(f"{word}: " + (json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value))
    return ", ".join(words)


def read_line(line):
    """A layer's line; None where it is not one of the usual form."""
    match = re.match(r"Name: (.*?), LayerType: (\w+)(?=, Inputs: \[)", line)
    if not match:
        return None
    layer, rest = {"Name": match[1], "LayerType": match[2]}, line[match.end():]
    for key in LISTS:
        head = f", {key}: ["
        if not rest.startswith(head):
            continue
        tensors, rest = [], rest[len(head):]
        while rest.startswith(" { "):
            end = rest.find(" }", rest.find(", Dimensions: ["))
            tensors.append(read_tensor(rest[3:end]))
            if not tensors[-1]:
                return None
            rest = rest[end + 2:].removeprefix(",")
        layer[key], rest = tensors, rest[1:]
    at = rest.find(", Metadata: ")
    if at >= 0:
        layer["Metadata"], rest = rest[at + 12:], rest[:at]
    layer["Rest"] = rest
    return layer if put_line(layer) == line else None


def put_line(layer):
    text = f"Name: {layer['Name']}, LayerType: {layer['LayerType']}"
    for key in LISTS:
        if key in layer:
            text += f", {key}: [" + ",".join(f" {{ {put_tensor(t)} }}" for t in layer[key]) + "]"
    text += layer["Rest"]
    return text + (f", Metadata: {layer['Metadata']}" if "Metadata" in layer else "")


# ------------------------------------------------------------------------ a dump

class Dump:
    """Of `layers` any may be changed; `io` has lines or entries of the list of inputs and outputs."""

    def __init__(self, path):
        opener = lzma.open if path.endswith(".xz") else open
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            text = file.read()
        self.json = json.loads(text) if text.lstrip().startswith("{") else None
        self.lines, self.at, self.io_at = [], [], []
        self.end, self.indent = "\n", 1
        self.computed = set()  # nodes that layers compute, as the snapshot has them
        if self.json:
            self.layers = self.json["Layers"]
            self.io = self.json.get("I/O Tensors") or []
            return
        self.lines = text.split("\n")
        heads = [i for i, line in enumerate(self.lines) if line.endswith("Layers:")]
        ends = [i for i, line in enumerate(self.lines) if line.startswith("I/O Tensors:") or line == "Bindings:"]
        first = heads[-1] + 1 if heads else len(self.lines)
        self.layers = []
        for i in range(first, len(self.lines)):
            if not self.lines[i].startswith("Name: "):
                break
            layer = read_line(self.lines[i])
            if layer:
                self.layers.append(layer)
                self.at.append(i)
        self.whole = len(self.at) == (self.at[-1] + 1 - first if self.at else -1)
        self.io_at = [i for i in range(ends[-1] if ends else len(self.lines), len(self.lines))
                      if " IOMode: " in self.lines[i]]
        self.io = [self.lines[i] for i in self.io_at]

    def good(self):
        """Whether it has layers with tensors, each of which was understood."""
        if self.json:
            return bool(self.layers) and all(isinstance(x, dict) and "Inputs" in x for x in self.layers)
        return bool(self.at) and self.whole

    def copy(self):
        other = copy.copy(self)
        other.json, other.layers, other.io = copy.deepcopy((self.json, self.layers, self.io))
        if other.json:
            other.layers = other.json["Layers"]
            other.io = other.json.get("I/O Tensors") or []
        return other

    def write(self, path):
        if self.json:
            self.json["Layers"] = self.layers
            text = json.dumps(self.json, indent=self.indent, ensure_ascii=False) + "\n"
        else:
            first, last = self.at[0], self.at[-1] + 1
            lines = self.lines[:first] + [put_line(x) for x in self.layers] + self.lines[last:]
            for i, line in zip(self.io_at, self.io):
                lines[i + len(self.layers) - (last - first)] = line
            text = "\n".join(lines)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text.replace("\n", self.end))

    def nodes(self, layer):
        """Those that its Metadata names and that are computed."""
        named = set(re.findall(r"\[ONNX Layer: ([^\]]*)\]", layer.get("Metadata") or ""))
        return named & self.computed if self.computed else named

    def ports(self, name, of=LISTS):
        return [t for x in self.layers for key in of for t in x.get(key, ()) if t["Name"] == name]

    def makers(self):
        return {t["Name"]: i for i, x in enumerate(self.layers) for t in x.get("Outputs", ())}

    def readers(self, name):
        return [i for i, x in enumerate(self.layers) for t in x.get("Inputs", ()) if t["Name"] == name]


def type_of(tensor):
    """The word for its type, and the key that has it."""
    for key in ("Datatype", "Format/Datatype", "Format"):
        words = tensor.get(key)
        if not words:
            continue
        if key == "Datatype":
            return words, key
        for word in ("Int8", "FP16", "FP32", "FP8", "Half", "BF16"):
            if re.search(rf"\b{word}\b", words):
                return word, key
    return None, None


def retype(tensor, to):
    word, key = type_of(tensor)
    if not word:
        return False
    if key != "Datatype":
        to = {"Float": "FP32", "Half": "FP16"}.get(to, to)
    new = to if key == "Datatype" else re.sub(rf"\b{word}\b", to, tensor[key])
    changed = new != tensor[key]
    tensor[key] = new
    return changed


def word_of(tensor):
    """Its type, as the tables above call it."""
    word = type_of(tensor)[0]
    return {"FP16": "Half", "BF16": "BFloat16"}.get(word, word)


def wider(tensor):
    return WIDER.get(word_of(tensor))


def other(tensor):
    """A type of the same width; None: it has none."""
    return OTHER.get(word_of(tensor))


def pick(options):
    options = list(options)
    return random.choice(options) if options else None


def form(tensor):
    """What a tensor is, without its name."""
    return {k: v for k, v in tensor.items() if k != "Name"}


def inner(d):
    """Tensors that one layer makes and another reads."""
    made = d.makers()
    return sorted({t["Name"] for x in d.layers if is_kernel(x) for t in x["Inputs"] if t["Name"] in made})


# ----------------------------------------------------------------------- changes

def io_line(d, old, new):
    at = pick(i for i, x in enumerate(d.io) if isinstance(x, str) and re.search(old, x))
    if at is None:
        return None
    line = re.sub(old, new, d.io[at], count=1)
    if line == d.io[at]:
        return None
    d.io[at] = line
    return [line.split(", IOMode")[0].removeprefix(" Name: ")]


def bump(match):
    sizes = match[2].split(",")
    at = random.randrange(len(sizes))
    sizes[at] = str(int(sizes[at]) * 2 + 1)
    return match[1] + ",".join(sizes)


def io_size(d):
    """An input or output has another size in the engine, in its list and at its layers."""
    if d.io and isinstance(d.io[0], str):
        return io_line(d, r"(, Dimensions: \[)([\d,]+)(?=\])", bump)
    names = d.json.get("Bindings") if d.json else None
    name = pick(n for n in names or () if isinstance(n, str) and d.ports(n))
    if not name:
        return None
    for tensor in d.ports(name):
        if tensor.get("Dimensions"):
            tensor["Dimensions"][-1] = tensor["Dimensions"][-1] * 2 + 1
    return [name]


def io_profile(d):
    return io_line(d, r"((?:Min|Opt|Max)Shape: \[)([\d,]+)(?=\])", bump)


def io_format(d):
    return io_line(d, r"Row major linear (\w+) format \(kLINEAR\)", r"Channel last \1 format (kHWC8)")


def io_type(d):
    return io_line(d, r"DataType: (Float|Half)", "DataType: Int8")


def io_name(d):
    got = io_line(d, r" Name: ([^,]+),", r" Name: \1_renamed,")
    return got and [got[0]]


def forget_types(d):
    layer = pick(x for x in d.layers if is_kernel(x) and any(type_of(t)[0] for t in x["Outputs"]))
    if not layer:
        return None
    for tensor in layer["Inputs"] + layer["Outputs"]:
        retype(tensor, "Unknown") if "Datatype" in tensor else tensor.update({type_of(tensor)[1] or "Format": "Unknown format"})
    return []


def drop(d):
    """A kernel is gone, and who read what it made reads what it read."""
    made = d.makers()
    at = pick(i for i, x in enumerate(d.layers) if is_kernel(x) and len(x["Outputs"]) == 1 and
              d.readers(x["Outputs"][0]["Name"]) and x["Inputs"][0]["Name"] in made and
              x["LayerType"] not in ("Reformat", "reformat") and not re.match(r"__myl_Move_", x["Name"]))
    if at is None:
        return None
    gone = d.layers.pop(at)
    for tensor in d.ports(gone["Outputs"][0]["Name"], ("Inputs",)):
        tensor["Name"] = gone["Inputs"][0]["Name"]
    return []


def gone(d):
    """A kernel is left out of the dump, and what it made is read all the same."""
    made = d.makers()
    at = pick(i for i, x in enumerate(d.layers) if is_kernel(x) and x["Outputs"] and
              any(made.get(t["Name"]) == i and d.readers(t["Name"]) for t in x["Outputs"]))
    if at is None:
        return None
    d.layers.pop(at)
    return []


def rewire(d):
    """Two kernels of other nodes read each other's tensor, of one form and of makers of other nodes.  The kernels of
    a loop are all of one node."""
    made = d.makers()
    reads = [(x, t) for x in d.layers if is_kernel(x) and x.get("Metadata") for t in x["Inputs"] if t["Name"] in made]
    first = pick(reads)
    if not first:
        return None
    def maker(tensor):
        return d.layers[made[tensor["Name"]]]
    x, t = first
    def apart(one, other):
        return d.nodes(one) and d.nodes(other) and not d.nodes(one) & d.nodes(other)
    second = pick((y, u) for y, u in reads if apart(x, y) and u["Name"] != t["Name"] and form(u) == form(t) and
                  is_kernel(maker(t)) and is_kernel(maker(u)) and apart(maker(t), maker(u)) and
                  maker(t) is not y and maker(u) is not x)
    if not second:
        return None
    t["Name"], second[1]["Name"] = second[1]["Name"], t["Name"]
    return []


def rewire_one(d):
    """A kernel reads another tensor of the same form, which a kernel of other nodes makes before it."""
    made = d.makers()

    def copies(name):  # its values are those of its input
        return re.match(r"__myl_(Tran|Move)+_", d.layers[made[name]]["Name"])

    reads = [(i, x, t) for i, x in enumerate(d.layers) if is_kernel(x) for t in x["Inputs"]
             if made.get(t["Name"], i) != i and is_kernel(d.layers[made[t["Name"]]])]  # but what a loop counts
    random.shuffle(reads)
    for i, x, t in reads:
        known = {u["Name"] for u in x["Inputs"] + x["Outputs"]}
        maker = d.layers[made[t["Name"]]]
        found = pick(u["Name"] for _, _, u in reads if u["Name"] not in known and made[u["Name"]] < i and form(u) == form(t) and
                     not copies(u["Name"]) and not copies(t["Name"]) and
                     (not d.nodes(maker) or not d.nodes(maker) & d.nodes(d.layers[made[u["Name"]]])))
        if found:
            t["Name"] = found
            return []
    return None


def renumbered(name, used):
    match = COUNTER.search(name)
    return f"{name[:match.start()]}_myl{match[1]}_{9000 + used}" if match else f"{name}_{9000 + used}"


def twice(d):
    """A layer is computed twice: one that nobody reads."""
    at = pick(i for i, x in enumerate(d.layers) if is_kernel(x))
    if at is None:
        return None
    extra = copy.deepcopy(d.layers[at])
    extra["Name"] = renumbered(extra["Name"], 1)
    for tensor in extra["Outputs"]:
        tensor["Name"] = renumbered(tensor["Name"], 2)
    d.layers.insert(at + 1, extra)
    return []


def split(d):
    """One kernel becomes two of its kind, one behind the other."""
    at = pick(i for i, x in enumerate(d.layers) if is_kernel(x) and len(x["Outputs"]) == 1)
    if at is None:
        return None
    first, second = d.layers[at], copy.deepcopy(d.layers[at])
    between = copy.deepcopy(first["Outputs"][0])
    between["Name"] = renumbered(between["Name"], 3)
    second["Name"] = renumbered(second["Name"], 4)
    first["Outputs"] = [between]
    second["Inputs"] = [copy.deepcopy(between)]
    d.layers.insert(at + 1, second)
    return []


def retype_edge(d, kinds):
    """A tensor between two kernels has another type, where it is written and where it is read."""
    name = pick(n for n in inner(d) if any(kinds(t) for t in d.ports(n)))
    if not name:
        return None
    to = next(kinds(t) for t in d.ports(name) if kinds(t))
    return [] if any([retype(t, to) for t in d.ports(name)]) else None


def widen_edge(d):
    return retype_edge(d, wider)


def other_type(d):
    return retype_edge(d, other)


def engine_type(d):
    """All tensors of one type have another of the same width."""
    kind = pick({type_of(t)[0] for x in d.layers if is_kernel(x) for t in x["Inputs"] + x["Outputs"] if other(t)})
    if not kind:
        return None
    for layer in d.layers:
        for key in LISTS:
            for tensor in layer.get(key, ()):
                if type_of(tensor)[0] == kind:
                    retype(tensor, other(tensor))
        if isinstance(layer.get("Weights"), dict) and layer["Weights"].get("Type") in OTHER:
            layer["Weights"]["Type"] = OTHER[layer["Weights"]["Type"]]
    return []


def weights_other_type(d):
    layer = pick(x for x in d.layers if is_kernel(x) and any(other(t) for t in x.get("Constants", ())))
    if not layer:
        return None
    tensor = pick(t for t in layer["Constants"] if other(t))
    return [] if retype(tensor, other(tensor)) else None


def relayout(d):
    """A tensor lies otherwise, where it is written and where it is read."""
    name = pick(n for n in inner(d) if any("Row major linear" in str(t.get("Format", t.get("Format/Datatype"))) and
                                           sum(size != 1 for size in t.get("Dimensions", ())[1:]) > 1 for t in d.ports(n)))
    vectors = pick(n for n in inner(d) if any("vectorized" in str(t.get("Format/Datatype")) for t in d.ports(n)))
    if vectors and random.random() < 0.7:
        for tensor in d.ports(vectors):
            tensor["Format/Datatype"] = re.sub(r"\S+ wide channel vectorized row major (\w+) format",
                                               r"Row major linear \1 format", tensor["Format/Datatype"], flags=re.I)
        return []
    if not name:
        return None
    for tensor in d.ports(name):
        key = "Format" if "Format" in tensor else "Format/Datatype"
        rank = len(tensor.get("Dimensions", ()))
        if "StrideOrder" in tensor and rank > 1:
            before = list(tensor["Strides"])
            tensor["StrideOrder"] = [rank - 1] + [0] + list(range(rank - 2, 0, -1)) if rank > 2 else [0, 1]
            order, step, sizes = tensor["StrideOrder"], 1, tensor["Dimensions"]
            for place in range(rank):
                axis = order.index(place)
                tensor["Strides"][axis], step = step, step * max(1, sizes[axis])
            if all(old == new for old, new, size in zip(before, tensor["Strides"], sizes) if size != 1):
                return None     # an axis of one element lies nowhere else
            tensor["Format"] = f"(Arbitrary) Format with stride order = {json.dumps(order, separators=(',', ':'))}"
        else:
            tensor[key] = tensor[key].replace("Row major linear", "Channel major")
    return []


def weights_type(d):
    layer = pick(x for x in d.layers if is_kernel(x) and (isinstance(x.get("Weights"), dict) and
                                                         x["Weights"].get("Type") or x.get("Constants")))
    if not layer:
        return None
    if isinstance(layer.get("Weights"), dict):
        layer["Weights"]["Type"] = {"Int8": "Half", "Half": "Float"}.get(layer["Weights"]["Type"], "Half")
        return []
    tensor = max(layer["Constants"], key=lambda t: eval("*".join(map(str, t["Dimensions"])) or "1"))  # sizes only
    return [] if retype(tensor, wider(tensor) or "Half") else None


def weights_size(d):
    layer = pick(x for x in d.layers if is_kernel(x) and (isinstance(x.get("Weights"), dict) and
                                                         x["Weights"].get("Count") or x.get("Constants")))
    if not layer:
        return None
    if isinstance(layer.get("Weights"), dict):
        layer["Weights"]["Count"] *= 2
    else:
        tensor = pick(t for t in layer["Constants"] if t.get("Dimensions"))
        if not tensor:
            return None
        tensor["Dimensions"][0] = tensor["Dimensions"][0] * 2 + 1
    return []


def other_kind(d):
    layer = pick(x for x in d.layers if is_kernel(x) and x["LayerType"] not in ("Reformat", "reformat"))
    if not layer:
        return None
    layer["LayerType"] = "PluginV3" if layer["LayerType"] != "PluginV3" else "kgen"
    return []


def exchange(d):
    """The Metadata of two unlike kernels change places, and name other nodes that are computed."""
    there = [x for x in d.layers if is_kernel(x) and x.get("Metadata")]
    first = pick(there)
    second = pick(x for x in there if first and x["LayerType"] != first["LayerType"] and d.nodes(x) != d.nodes(first))
    if not second:
        return None
    first["Metadata"], second["Metadata"] = second["Metadata"], first["Metadata"]
    return []


def inner_size(d):
    name = pick(n for n in inner(d) if any(t.get("Dimensions") for t in d.ports(n)))
    if not name:
        return None
    for tensor in d.ports(name):
        if tensor.get("Dimensions"):
            tensor["Dimensions"][0] = tensor["Dimensions"][0] * 2 + 1 if tensor["Dimensions"][0] > 0 else 7
    return []


def insert(d):
    """A tensor is copied before its readers read it."""
    name = pick(inner(d))
    if not name:
        return None
    made = d.makers()[name]
    tensor = copy.deepcopy(d.ports(name)[0])
    for port in d.ports(name, ("Inputs",)):
        port["Name"] = name + "_copied"
    d.layers.insert(made + 1, {**{k: v for k, v in (("Rest", ", TacticName: , StreamId: 0"),) if not d.json},
                               "Name": f"Reformatting CopyNode for Input Tensor 0 to {name}" if d.json else "__myl_Move_myl0_9999",
                               "LayerType": "Reformat" if d.json else "kgen",
                               "Inputs": [tensor], **({} if d.json else {"Constants": []}),
                               "Outputs": [{**copy.deepcopy(tensor), "Name": name + "_copied"}]})
    return []


def attribute(d):
    place = pick((x, key) for x in d.layers if is_kernel(x) and d.json for key in
                 ("Stride", "Kernel", "PrePadding", "Activation", "PoolingType", "Groups", "OutMaps", "Dilation",
                  "ConvStride", "AverageCountExcludesPadding", "NbParameters", "HasReLU", "WindowSize") if key in x)
    if not place:
        return None
    layer, key = place
    value = layer[key]
    layer[key] = [v + 1 for v in value] if isinstance(value, list) else value + 1 if isinstance(
        value, (int, float)) else "OTHER"
    return []


CHANGES = (io_size, io_profile, io_format, io_type, io_name, forget_types, drop, gone, rewire, rewire_one, twice, split, widen_edge, other_type,
           engine_type, weights_other_type, relayout,
           weights_type, weights_size, other_kind, exchange, inner_size, insert, attribute)


# ------------------------------------------------------------------- equivalents

def layer_order(d):
    """Any order in which each layer stands behind those that make what it reads; jumps make the order count."""
    if any(x["LayerType"] in ("jmp", "cjmp") for x in d.layers):
        return None
    made, waits = {}, {}
    for i, x in enumerate(d.layers):
        for t in x.get("Outputs", ()):
            made.setdefault(t["Name"], []).append(i)
    for i, x in enumerate(d.layers):
        waits[i] = {k for t in x.get("Inputs", ()) for k in made.get(t["Name"], ()) if k < i}
        for t in x.get("Outputs", ()):  # of several that write a tensor each keeps its place
            waits[i] |= {k for k in made[t["Name"]] if k < i}
    order, done = [], set()
    while len(order) < len(d.layers):
        ready = [i for i in waits if i not in done and waits[i] <= done]
        if not ready:
            return None
        at = random.choice(ready)
        order.append(at)
        done.add(at)
    d.layers[:] = [d.layers[i] for i in order]
    return []


def rename_in(value, rename):
    if isinstance(value, dict):
        return {k: rename_in(v, rename) for k, v in value.items()}
    if isinstance(value, list):
        return [rename_in(v, rename) for v in value]
    return rename(value) if isinstance(value, str) else value


def myelin_numbers(d):
    add = random.randrange(100, 900)

    def rename(text):
        text = re.sub(r"__mye(\d+)", lambda m: f"__mye{int(m[1]) + add}", text)
        return re.sub(r"_myl(\d+)_(\d+)\b", lambda m: f"_myl{m[1]}_{int(m[2]) + add}", text)

    if not any("_myl" in x["Name"] or "__mye" in x["Name"] for x in d.layers) or any(
            re.search(r"\[ONNX Layer: [^]]*__mye\d", x.get("Metadata", "")) for x in d.layers):
        return None  # or a name of the model looks so
    d.layers[:] = rename_in(d.layers, rename)
    return []


def hashes(d):
    def rename(text):
        return re.sub(r"0x[0-9a-f]{16,32}", lambda m: f"0x{random.getrandbits(4 * (len(m[0]) - 2)):0{len(m[0]) - 2}x}", text)

    d.layers[:] = rename_in(d.layers, rename)
    return []


def tensor_names(d):
    """What the builder alone named, it names otherwise."""
    names = {t["Name"] for x in d.layers for key in LISTS for t in x.get(key, ())}
    names = {n for n in names if re.match(r"(__mye|__tran|__tmp|\(Unnamed|Reformatted )", n)}
    if not names:
        return None
    new = {n: re.sub(r"^__mye\d+", lambda m: f"__mye{random.randrange(10**4, 10**6)}", n) if n.startswith("__mye") else n
           for n in names}
    if len(set(new.values())) < len(new):
        return None
    for x in d.layers:
        for key in LISTS:
            for t in x.get(key, ()):
                t["Name"] = new.get(t["Name"], t["Name"])
    return []


def key_order(d):
    if not d.json:
        return None
    def shuffled(value):
        if isinstance(value, list):
            return [shuffled(v) for v in value]
        if not isinstance(value, dict):
            return value
        items = list(value.items())
        random.shuffle(items)
        return {k: shuffled(v) for k, v in items}
    d.layers[:] = shuffled(d.layers)
    return []


def line_ends(d):
    d.end = "\r\n"
    return []


def timestamps(d):
    if d.json:
        d.indent = random.choice((None, 4))
        return []
    d.lines = [re.sub(r"^\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\]", "[07/14/2031-12:34:56]", line) for line in d.lines]
    return []


SAME = (layer_order, myelin_numbers, hashes, tensor_names, key_order, line_ends, timestamps)


# ------------------------------------------------------------------------- models

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def put_varint(value):
    out = b""
    value &= (1 << 64) - 1
    while True:
        out += bytes([value & 0x7f | (0x80 if value > 0x7f else 0)])
        value >>= 7
        if not value:
            return out


def fields(data):
    """(number, kind, value) of a message; a value is bytes, or an int of a varint."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + size], at + size
        found.append((key >> 3, key & 7, value))
    return found


def join(found):
    return b"".join(put_varint(n << 3 | k) + (put_varint(v) if k == 0 else put_varint(len(v)) + v if k == 2 else v)
                    for n, k, v in found)


class Model:
    """`folded` are the names of nodes of which an engine shows nothing."""

    def __init__(self, path, snapshot=None):
        self.folded = {""}
        if snapshot:
            with open(snapshot, encoding="utf-8") as file:
                words = [line.split() for line in file if line.startswith("node ")]
            self.folded |= {w[1].strip('"') for w in words if w[3:4] == ["side"]}
        with open(path, "rb") as file:
            self.parts = fields(file.read())
        self.at = next(i for i, f in enumerate(self.parts) if f[0] == 7)
        self.graph = fields(self.parts[self.at][2])

    def nodes(self):
        return [i for i, f in enumerate(self.graph) if f[0] == 1]

    def write(self, path):
        parts = list(self.parts)
        parts[self.at] = (7, 2, join(self.graph))
        with open(path, "wb") as file:
            file.write(join(parts))


def text_of(found, number):
    return next((v.decode() for n, _, v in found if n == number), "")


def node_order(m):
    at = m.nodes()
    nodes = [fields(m.graph[i][2]) for i in at]
    made = {v: i for i, node in enumerate(nodes) for n, _, v in node if n == 2 and v}
    waits = {}
    for i, node in enumerate(nodes):
        waits[i] = {made[v] for n, _, v in node if n == 1 and v in made}
        if any(n == 5 and any(k in (6, 11) for k, _, _ in fields(v)) for n, _, v in node):
            waits[i] |= set(range(i))  # a body reads what it likes
    order, done, left = [], set(), list(waits)
    while left:
        ready = [i for i in left if waits[i] <= done]
        if not ready:
            return None
        i = random.choice(ready)
        order.append(i)
        done.add(i)
        left.remove(i)
    old = [m.graph[i] for i in at]
    for place, i in zip(at, order):
        m.graph[place] = old[i]
    return []


def producer(m):
    m.parts = [(n, k, b"9.9.9" if n == 3 else v) for n, k, v in m.parts]
    m.at = next(i for i, f in enumerate(m.parts) if f[0] == 7)
    return [] if any(n == 3 for n, _, _ in m.parts) else None


def attribute_order(m):
    for i in m.nodes():
        node = fields(m.graph[i][2])
        attrs = [f for f in node if f[0] == 5]
        random.shuffle(attrs)
        m.graph[i] = (1, 2, join([attrs.pop() if f[0] == 5 else f for f in node]))
    return []


def attribute_value(m):
    """An attribute of a node has another value."""
    wanted = ("alpha", "beta", "epsilon", "keepdims", "axis", "perm", "axes", "strides", "pads", "dilations", "group")
    places = []
    for i in m.nodes():
        node = fields(m.graph[i][2])
        op = text_of(node, 4)
        if text_of(node, 3) in m.folded or op in ("Constant", "ConstantOfShape", "Shape", "Cast", "Identity", "QuantizeLinear", "DequantizeLinear"):
            continue
        for k, f in enumerate(node):
            if f[0] == 5 and text_of(fields(f[2]), 1) in wanted:
                places.append((i, k))
    place = pick(places)
    if not place:
        return None
    i, k = place
    node = fields(m.graph[i][2])
    attr = fields(node[k][2])
    ints = [j for j, f in enumerate(attr) if f[0] in (2, 3, 8)]
    if not ints:
        return None
    n, kind, value = attr[ints[-1]]
    if n == 2:
        value = b"\x00\x00\x20\x41" if value != b"\x00\x00\x20\x41" else b"\x00\x00\x80\x3f"
    elif kind == 2:
        value = value[:-1] + bytes([value[-1] ^ 1])
    else:
        value ^= 1
    attr[ints[-1]] = (n, kind, value)
    node[k] = (5, 2, join(attr))
    m.graph[i] = (1, 2, join(node))
    return [text_of(node, 3) or text_of(node, 4)]


MODEL_CHANGES = (attribute_value,)
MODEL_SAME = (node_order, producer, attribute_order)


def builds(shared, fixtures):
    """(name, model, dump's path) of each real build that can be mutated, with its model and alone."""
    for part in ("corpus", "zoo/cases", "zoo-2/cases"):
        folder = os.path.join(shared, part)
        for case in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            for dump in ("engine.graph.json", "build.log", "build.log.xz"):
                path = os.path.join(folder, case, dump)
                model = os.path.join(folder, case, "model.onnx")
                if os.path.exists(path) and os.path.exists(model) and (part != "corpus" or dump.endswith("json")):
                    yield f"{case}/{dump}", model, path
                    yield f"{case}/{dump} alone", None, path
    yield "qat_block", os.path.join(fixtures, "qat_block/model.onnx"), os.path.join(fixtures, "qat_block/engine.graph.json")


# ------------------------------------------------------------------------ judging

def files_of(model, dump):
    return [dump] if model is None else [model, dump]


def findings(binary, snapshot, model, dump):
    done = subprocess.run([binary, "check", snapshot, *files_of(model, dump), "-f", "json"], capture_output=True, text=True,
                          check=False)
    if done.returncode == 2:
        return done.stderr.strip()
    return json.loads(done.stdout)["findings"]


def judge(kind, same, said, names):
    """What is wrong; None: nothing.  A change must be a finding that is no note; what is the same, none."""
    if isinstance(said, str):
        return f"refused: {said[:150]}" if same else None  # a refusal is no pass
    loud = [f for f in said if f["severity"] != "info"]
    if same:
        return f"fails: {loud[0]['rule']}: {loud[0]['message'][:150]} ({len(loud)})" if loud else None
    # What is left of a kernel's end may be an engine that a builder makes: an improvement, which is reported as one.
    if kind == "drop" and [f["rule"] for f in said] == ["improved"]:
        return None
    if not loud:
        return "passes" if not said else "passes with a note: " + said[0]["rule"] + ": " + said[0]["message"][:100]
    if names and not any(n in f["message"] or n in f["nodes"] for f in said for n in names):
        return f"does not name {names[0]}: {loud[0]['message'][:100]}"
    return None


def prepare(build, change, folder, seed):
    """(names, model, dump) of the changed build; None where it has no place for the change."""
    random.seed(seed)
    _, model, path, snapshot, dump = build
    if change in MODEL_CHANGES or change in MODEL_SAME:
        if model is None:
            return None
        m = Model(model, snapshot)
        names = change(m)
        model = os.path.join(folder, f"{seed}.onnx")
        if names is not None:
            m.write(model)
    else:
        d = dump.copy()
        with open(snapshot, encoding="utf-8") as file:
            d.computed = {m[1].strip('"') for m in re.finditer(r'^node ("(?:[^"\\]|\\.)*"|\S+) \S+ \S+ layer ', file.read(), re.M)}
        names = change(d)
        path = os.path.join(folder, f"{seed}.dump")
        if names is not None:
            d.write(path)
    return None if names is None else (names, model, path)


def mutant(binary, build, change, folder, seed, made):
    names, model, path = made
    try:
        return judge(change.__name__, change in SAME + MODEL_SAME, findings(binary, build[3], model, path), names)
    finally:
        for file in {model, path} - {build[1], build[2]}:
            os.remove(file)


def main():
    binary, fixtures, shared = sys.argv[1:4]
    count, seed = int(sys.argv[4]) if len(sys.argv) > 4 else 500, int(sys.argv[5]) if len(sys.argv) > 5 else 1
    only = sys.argv[6].split(",") if len(sys.argv) > 6 else ()
    choice = random.Random(seed)
    tried, wrong = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        olds = []
        places = list(builds(shared, fixtures))
        if len(places) < 2:
            print("skipped: no real builds in", shared)
            sys.exit(77)
        if count < 1000:
            places = choice.sample(places, min(len(places), 30))
        for i, (name, model, path) in enumerate(places):
            dump = Dump(path)
            snapshot = os.path.join(folder, f"{i}.fsd")
            if not dump.good() or subprocess.run([binary, "snapshot", *files_of(model, path), "-o", snapshot],
                                                 capture_output=True, check=False).returncode:
                continue
            if findings(binary, snapshot, model, path) == []:
                olds.append((name, model, path, snapshot, dump))
        changes = [c for c in CHANGES + SAME + MODEL_CHANGES + MODEL_SAME if not only or c.__name__ in only]
        jobs = ((choice.choice(olds), changes[i % len(changes)], choice.getrandbits(32)) for i in range(20 * count))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = set()
            while sum(tried.values()) < count:
                for build, change, number in jobs:
                    made = prepare(build, change, folder, number)
                    if not made:
                        continue
                    job = pool.submit(mutant, binary, build, change, folder, number, made)
                    job.of = (build[0], change.__name__, number)
                    waiting.add(job)
                    if len(waiting) > 3:
                        break
                if not waiting:
                    break
                done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for job in done:
                    result = job.result()
                    tried[job.of[1]] += 1
                    if result:
                        wrong[job.of[1]].append((job.of, result))
    for kind, found in wrong.items():
        for of, what in found[:6]:
            print("FAILED", of[1], "of", of[0], f"({of[2]}):", what)
    print(f"{sum(tried.values())} mutants of {len(olds)} builds:",
          ", ".join(f"{k} {tried[k] - len(wrong[k])}/{tried[k]}" for k in sorted(tried)))
    failed = sum(map(len, wrong.values()))
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
