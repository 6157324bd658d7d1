"""`BINARY SHARED`: no advice, change, edge or finding about layers states a type, a neighbour or a
cause that the engine's dump or the model contradicts, in all engines of the corpus and of both zoos.
The dump and the model are read here on their own; a sentence of a form that is not known is a
failure, so that new advice is judged before it is printed."""
import glob
import itertools
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))
import truth  # noqa: E402
from harness import BINARY, SHARED, failures, start  # noqa: E402

TYPES = {"float": "fp32", "half": "fp16", "bfloat16": "bf16", "int8": "int8", "fp32": "fp32", "fp16": "fp16",
         "bf16": "bf16", "fp8": "fp8", "int32": "int32", "int64": "int64", "bool": "bool", "uint8": "uint8",
         "int4": "int4", "fp4": "fp4", "e8m0": "e8m0"}
QUANTIZED = {"int8", "fp8", "int4", "fp4"}
BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "int8": 8, "fp8": 8, "int4": 4, "fp4": 4}
VIEWS = {"Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Transpose", "Cast", "Dropout", "Concat", "Slice",
         "Split", "Expand", "Gather", "DepthToSpace", "SpaceToDepth", "QuantizeLinear", "DequantizeLinear"}


# ------------------------------------------------------------------------------- the dump


class Port:
    """A use of a tensor; `type` is None where the dump does not state it."""

    def __init__(self, name, words, dims=(), strides=None):
        self.name, self.words, self.dims, self.strides = name, words, list(dims), strides
        found = re.search(r"BFloat16|Float|Half|FP32|FP16|FP8|FP4|BF16|Int8|Int4|Int32|Int64|Bool|UInt8", words)
        self.type = TYPES.get(found[0].lower()) if found else None

    def lies(self):
        """Where the elements lie, in an order that sizes of 1 do not change."""
        return sorted(((s, d) for d, s in zip(self.dims, self.strides or ()) if d != 1), reverse=True) == [
            (s, d) for d, s in zip(self.dims, self.strides or ()) if d != 1]

    def vector(self):
        """How many channels lie together; 1: they do not; None: the dump does not state it."""
        found = re.search(r"(?:%|modulo) (\d+)", self.words) or re.search(r":(\d+)", self.words)
        if found:
            return int(found[1])
        two = re.search(r"[Tt]wo wide", self.words)
        stated = self.strides or "inear" in self.words or "ajor" in self.words
        return 2 if two else 1 if stated else None


class Layer:
    def __init__(self, name, ins, outs, kind):
        self.name, self.ins, self.outs, self.kind = name, ins, outs, kind


def of_json(text):
    data = json.loads(text)
    layers = data["Layers"] if isinstance(data, dict) else data
    for one in layers:
        if isinstance(one, str):
            yield Layer(one, [], [], "")
        else:
            ports = [[Port(t["Name"], t.get("Format/Datatype", t.get("Datatype", "")) + " " + t.get("Format", ""),
                           t.get("Dimensions", ()), t.get("Strides"))
                      for t in one.get(side, [])] for side in ("Inputs", "Outputs")]
            yield Layer(one["Name"], *ports, one.get("LayerType", ""))


def of_block(lines):
    """Layer(Reformat): NAME, Tactic: 0, a[Float(1,3)] -> b (Half[1,3:2])"""
    start_at = max(i for i, line in enumerate(lines) if "Engine Layer Information" in line)
    use = re.compile(r"(.+?) ?(?:\[(\w+)\(([-\d,:]*)\)\]|\((\w+)\[([-\d,:]*)\]\))(?:, |$)")
    for line in lines[start_at + 1:]:
        found = re.match(r"Layer\((\w+)\): (.*?), Tactic: \S+, (.*) -> (.*)$", line)
        if not found:
            if line.startswith("Layer("):
                yield Layer(re.sub(r"^Layer\(\w+\): |, Tactic: .*", "", line), [], [], "")
                continue
            return
        sides = []
        for text in (found[3], found[4]):
            uses = [(m[1], m[2] or m[4], m[3] or m[5] or "") for m in use.finditer(text)]
            sides.append([Port(n, t + (" " + d[d.index(":"):] if ":" in d else "")) for n, t, d in uses])
        yield Layer(found[2], *sides, found[1])


def of_log(path):
    if path.endswith(".txt"):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    else:
        lines = truth.log_lines(os.path.dirname(path)) if os.path.basename(path).startswith("build.log") else \
            open(path, encoding="utf-8", errors="surrogateescape").read().split("\n")
    lines = [line.rstrip("\r") for line in lines]
    if any("Engine Layer Information" in line for line in lines) and any(li.startswith("Layer(") for li in lines):
        return list(of_block(lines))
    if "Layers:" in lines:   # the inspector's text
        at = lines.index("Layers:") + 1
        kernels = [truth.Kernel(line) for line in itertools.takewhile(lambda li: li.startswith("Name: "), lines[at:])]
    else:
        kernels = truth.kernels(lines)
    return [Layer(k.name, [Port(t.name, t.type + " " + t.words, t.dims, t.strides) for t in k.inputs],
                  [Port(t.name, t.type + " " + t.words, t.dims, t.strides) for t in k.outputs], k.type)
            for k in kernels]


class Dump:
    """`names`: of the layers as the program numbers them, some of which a profile alone has."""

    def __init__(self, path, names):
        if path.endswith(".json"):
            with open(path, encoding="utf-8") as file:
                layers = list(of_json(file.read()))
        else:
            layers = of_log(path)
        by_name = {}
        for layer in layers:
            by_name.setdefault(layer.name, []).append(layer)
        self.layers = [by_name[n].pop(0) if by_name.get(n) else Layer(n, [], [], "") for n in names]
        self.strange = [n for n in by_name if by_name[n]]   # that the program does not have
        self.writers, self.readers = {}, {}
        for i, layer in enumerate(self.layers):
            for port in layer.outs:
                self.writers.setdefault(port.name, []).append(i)
            for port in layer.ins:
                self.readers.setdefault(port.name, []).append(i)

    def near(self, i, back, through):
        """The layers before or behind, through those in `through`."""
        found, queue, seen = set(), [i], {i}
        while queue:
            layer = self.layers[queue.pop()]
            for port in layer.ins if back else layer.outs:
                for other in (self.writers if back else self.readers).get(port.name, []):
                    if other not in seen:
                        seen.add(other)
                        found.add(other)
                        if other in through:
                            queue.append(other)
        return found


# ---------------------------------------------------------------------------- one engine


class Case:
    def __init__(self, name, model, engine, rows, movers):
        self.name, self.model, self.dump = name, model, engine
        self.rows, self.movers, self.row = rows, movers, None
        self.index = {n.name: i for i, n in enumerate(model.nodes)} if model else {}

    def fail(self, what, detail=""):
        failures.append(self.name)
        print(f"FAILED {self.name} layer {self.row['layer']}: {what}: {str(detail)[:300]}")

    def hold(self, what, holds, detail=""):
        if not holds:
            self.fail(what, detail)

    def layer(self):
        return self.dump.layers[self.row["layer"]]

    def types(self, layer, side):
        return {p.type for p in getattr(self.dump.layers[layer], side)}

    def has_type(self, layer, side, word):
        """A type that the dump does not state is not contradicted."""
        types = self.types(layer, side)
        return word in types or None in types or not types

    def node(self, text):
        """A node by its name, or by "#12 (Conv)"; None: the model is not at hand."""
        unnamed = re.match(r"#(\d+) \(", text)
        return int(unnamed[1]) if unnamed else self.index.get(text)

    def reaches(self, a, b, over=VIEWS, steps=24):
        """Node b reads what node a makes, maybe through others of these operators."""
        front = {a}
        if self.model.nodes[a].op == "QuantizeLinear":   # equal quantizers of one tensor are merged
            front |= set(self.model.readers.get(self.model.nodes[a].inputs[0], []))
        for _ in range(steps):
            after = {r for i in front for r in self.model.next_of(i)}
            if b in after:
                return True
            front = {i for i in after if self.model.nodes[i].op in over}
        return False

    # What a sentence claims, by its form.

    def reads(self, layer, name, word):
        layer = int(layer)
        self.hold(f"layer {layer} does not read {word}", self.types(layer, "ins") <= {word, None}
                  or word in self.types(layer, "ins"), self.types(layer, "ins"))
        self.hold(f"layer {layer} is not before", layer in self.dump.near(self.row["layer"], True, self.movers))

    def reads_beside(self, layer, name, word, into):
        layer = int(layer)
        self.hold(f"layer {layer} does not read {word}", self.has_type(layer, "ins", word), self.types(layer, "ins"))
        self.hold(f"layer {layer} reads nothing quantized", self.types(layer, "ins") & (QUANTIZED | {None}))
        self.hold(f"layer {layer} writes {into} itself", into not in self.types(layer, "outs"))
        self.hold(f"layer {layer} is not before", layer in self.dump.near(self.row["layer"], True, self.movers))

    def not_fused(self, layer, name, word):
        self.hold(f"layer {layer} does not write {word}", self.has_type(int(layer), "outs", word))
        self.hold(f"layer {layer} reads wide data, too", self.types(int(layer), "ins") <= QUANTIZED | {None}
                  or "Roun" in self.dump.layers[int(layer)].name)   # it quantizes what it reads within itself

    def none_quantizes(self, layer, name, word, n):
        """No layer of so many that read quantized data and weights writes any."""
        self.hold(f"layer {layer} does not write {word}", self.has_type(int(layer), "outs", word))
        narrow = [i for i, la in enumerate(self.dump.layers) if self.types(i, "ins") & QUANTIZED
                  and re.search("correlation|conv|gemm|matmul|runtime_fusion", la.kind, re.I)]
        self.hold(f"not {n}", len(narrow) >= int(n), narrow)
        self.hold("one writes quantized data", not any(self.types(i, "outs") & QUANTIZED for i in narrow), narrow)

    def again(self, layer, name, word):
        self.hold(f"layer {layer} does not write {word}", self.has_type(int(layer), "outs", word))
        self.hold(f"layer {layer} reads nothing quantized", self.types(int(layer), "ins") & (QUANTIZED | {None}))

    def handed(self, word, *_):
        self.hold(f"it does not read {word}", self.layer().ins[0].type in (word, None))

    def hands(self, word):
        self.hold(f"it does not write {word}", self.layer().outs[0].type in (word, None))

    EDITS = [r"add a Q/DQ pair on (.+) -> (.+) \(input (\d+)\), with (?:the scale of (.+)|a scale to calibrate)",
             r"remove the Q/DQ pair of (.+)", r"give (.+) the scale of (.+)"]
    SHOWN = r"layer (\d+) (?:computes (.+?)(?: and reads (\w+))?|writes (\w+) for (.+?))(?:, (?=layer \d)|$)"

    def cites(self, text):
        """What lint proposes: the edge is the model's, and what the dump is said to show is there."""
        edits, shown = re.fullmatch(r"(.*?): (layer \d+ .*) \(lint [a-z/, -]+\)", text).groups()
        for edit in edits.split("; "):
            forms = [re.fullmatch(form, edit) for form in self.EDITS]
            self.hold("an edit of no known form", any(forms), edit)
            if forms[0]:
                made, reader, at, scale = forms[0].groups()
                node = self.model.nodes[self.node(reader)]
                maker = self.model.maker.get(node.inputs[int(at)])
                self.hold("no such edge", made == node.inputs[int(at)] or maker == self.node(made), edit)
                self.hold("it is quantized", maker is None or self.model.nodes[maker].op != "DequantizeLinear", edit)
                self.hold("no such quantizer", not scale or "Linear" in self.model.nodes[self.node(scale)].op, edit)
            elif any(forms):
                names = [g for f in forms if f for g in f.groups()]
                self.hold("no such quantizer", all("Linear" in self.model.nodes[self.node(n)].op for n in names), edit)
        for claim in re.finditer(self.SHOWN, shown):
            layer, node, reads, writes, wanted = claim.groups()
            self.hold(f"layer {layer} does not read {reads}", not reads or self.has_type(int(layer), "ins", reads))
            self.hold(f"layer {layer} does not write {writes}", not writes or self.has_type(int(layer), "outs", writes))
            self.hold(f"layer {layer} does not name {node}", not node or node in self.dump.layers[int(layer)].name
                      or "Linear" in node)
            self.hold("nothing is shown", reads or writes or node)

    def same_format(self, word, layout):
        read, made = self.layer().ins[0], self.layer().outs[0]
        self.hold("its format changes", read.type == made.type == word
                  and read.words == made.words, (read.words, made.words))

    def model_type(self, direction, _, word):
        border, inside = (self.layer().ins, self.layer().outs)[::1 if direction == "input" else -1]
        self.hold(f"the {direction} has this type already", border[0].type != word)
        self.hold(f"it is not {word} inside", inside[0].type == word)

    def output_takes(self, word):
        self.hands(word)
        self.hold("it is at no output", not self.dump.near(self.row["layer"], False, self.movers) - self.movers)

    def blames(self, layer, word, reader, read):
        self.hold(f"layer {layer} does not write {word}", self.has_type(int(layer), "outs", word))
        self.unquantized(read, reader)

    def unquantized(self, made, reader):
        a, b = self.node(made), self.node(reader)
        if self.model:
            self.hold(f"{reader} does not read {made} unquantized", a is not None and b is not None
                      and self.reaches(a, b, VIEWS - {"QuantizeLinear"}), (made, reader))

    def meets(self, made, word, taken):
        source, readers = self.row["edge"].get("source"), self.row["edge"].get("readers", [])
        self.hold(f"layer {source} does not write {word}",
                  source is None or self.has_type(source, "outs", word), source)
        if readers and "layer" in readers[0]:
            self.hold(f"layer {readers[0]['layer']} does not read {taken}",
                      self.has_type(readers[0]["layer"], "ins", taken))

    def form(self, direction, word, layout):
        ports = self.layer().outs if direction == "input" else self.layer().ins
        unread = [p for p in self.layer().outs if not self.dump.readers.get(p.name)]
        border = self.layer().ins if direction == "input" else unread or self.layer().outs
        if not ports or not border:
            self.fail("the dump has no tensors of it", self.row["advice"])
            return
        self.hold(f"no {word} there", ports[0].type in (word, None), ports[0].type)
        vector = ports[0].vector()
        if layout and vector is not None:
            self.hold(f"not laid out as {layout}", vector == int(re.search(r"\d*$", layout)[0] or 1)
                      or (vector == 1 and not layout[-1].isdigit()), (vector, ports[0].words))
        same = ports[0].type == border[0].type and ports[0].words == border[0].words \
            and ports[0].strides == border[0].strides and ports[0].dims == border[0].dims
        known = ports[0].strides or "inear" in ports[0].words or "ajor" in ports[0].words
        self.hold("the border has this format already", not (same and known), ports[0].words)
        if direction == "input":
            ends = not self.dump.near(self.row["layer"], True, self.movers) - self.movers
        else:
            ends = unread or not self.dump.near(self.row["layer"], False, self.movers) - self.movers
        self.hold(f"it is at no {direction} of the network", ends)

    def offered(self, direction, formats, names):
        """One format for each input or output, or one for all; that of this layer's tensor is among them, and
        TensorRT's formats of images have the channel third from the end, those of volumes fourth."""
        unread = [p for p in self.layer().outs if not self.dump.readers.get(p.name)] or self.layer().outs
        border = (self.layer().ins if direction == "input" else unread)[:1]
        inside = (self.layer().outs if direction == "input" else self.layer().ins)[:1]
        formats = [f.split(":") for f in formats.split(",")]
        fits = [f for f in formats if inside and inside[0].type in (f[0], None)]
        self.hold("no format has its type", fits, formats)
        if len(formats) == 1:
            self.form(direction, *formats[0])
        for port in border:
            at_most = " and " in names or names.count(", ") > 0
            self.hold("its tensor is not named", at_most or port.name in names or names in port.name, (port.name, names))
            for _, layout in fits if len(formats) == 1 else []:
                if layout.startswith("dhwc") and port.dims:
                    self.hold(f"{layout} of {len(port.dims)} dimensions", len(port.dims) == 5, port.dims)

    def no_format(self, why):
        ports = self.layer().ins[:1] + self.layer().outs[:1]
        if why == "it pads, which every format leaves":
            self.hold("it pads nothing", len(ports) < 2 or math.prod(ports[0].dims) != math.prod(ports[1].dims), ports)
        if why == "it reads and writes one format":
            self.same_format(ports[0].type, "")
        if why == "another layer reads the tensor as it is":
            self.hold("nothing else reads it", len(self.dump.readers.get(ports[0].name, [])) > 1)

    def no_kernel(self, reader, _, source, __):
        reader, source = int(reader), int(source)
        self.hold(f"layer {reader} does not read it", reader in self.dump.near(self.row["layer"], False, self.movers))
        self.hold(f"layer {source} does not write it", source in self.dump.near(self.row["layer"], True, self.movers))

    def reads_another(self, reader, _):
        reader = int(reader)
        self.hold(f"layer {reader} does not read it", reader in self.dump.near(self.row["layer"], False, self.movers))
        self.hold("one layer writes it", len(self.dump.near(self.row["layer"], True, self.movers)) != 1)
        a, b = self.layer().ins[0], self.layer().outs[0]
        self.hold("it has one layout", a.words != b.words or a.strides != b.strides)

    def channels(self, channels, vector):
        ports = [p for p in (*self.layer().ins, *self.layer().outs) if p.dims]
        self.hold(f"no {channels} channels", not ports or any(int(channels) in p.dims for p in ports))
        self.hold("they fill it", int(channels) % int(vector))

    def parts(self, text):
        """Why a part of a Concat or Slice is copied: each reason given must hold of this one."""
        ports = self.layer().ins[:1] + self.layer().outs[:1]
        types = {p.type for p in ports}
        if "use one scale" in text:
            self.hold("only quantized data has a scale", types & (QUANTIZED | {None}) or not types, types)
        multiple = re.search(r"its (\d+) channels to a multiple of (\d+)", text)
        if multiple:
            self.hold("nothing lies in such vectors", any(p.vector() == int(multiple[2]) for p in ports))
            self.hold("they fill it", int(multiple[1]) % int(multiple[2])
                      and any(int(multiple[1]) in p.dims for p in ports))
        change = re.search(r"its type changes from (\w+) to (\w+)", text)
        if change:
            self.hold("its types are others", [p.type for p in ports] == list(change.groups()), types)
        if "layout changes" in text:
            self.hold("its layout does not change", ports[0].words != ports[1].words
                      or ports[0].strides != ports[1].strides)

    def rounds(self, word):
        types = {p.type for p in self.layer().ins[:1] + self.layer().outs[:1]}
        self.hold(f"it reads and writes {word}", types == {word}, types)

    def at_input(self, _, word):
        self.hold(f"it writes no {word}", word == "quantized" or self.has_type(self.row["layer"], "outs", word))
        self.hold("it reads no network input", not self.dump.writers.get(self.layer().ins[0].name)
                  if self.layer().ins else True)

    def region(self):
        near = self.dump.near(self.row["layer"], True, set()) | self.dump.near(self.row["layer"], False, set())
        self.hold("no region is beside it", any("ForeignNode[" in self.dump.layers[i].name
                                                or self.dump.layers[i].kind in ("Myelin", "kgen", "gemm") for i in near))

    def pads(self, taken, given):
        """One axis of a tensor grows, or shrinks behind a product, by what is said; of a convolution of several groups
        each group's."""
        read, made = self.layer().ins[0].dims, self.layer().outs[0].dims
        pairs = [sorted(p) for p in zip(read, made) if p[0] != p[1]]
        self.hold("one axis is padded", len(read) == len(made) and len(pairs) == 1
                  and pairs[0][0] * int(taken) == pairs[0][1] * int(given), (read, made))

    def chosen(self, taken, unit, given, name, does):
        self.pads(taken, given)
        self.hold("the axis has other sizes", unit != "elements" or sorted((int(given), int(taken))) in
                  [sorted(p) for p in zip(self.layer().ins[0].dims, self.layer().outs[0].dims)])
        self.hold("it pads and does not cut", (does == "writes")
                  == (math.prod(self.layer().outs[0].dims) < math.prod(self.layer().ins[0].dims)))
        if self.model:
            self.hold("no such node", self.node(name) is not None, name)

    def open_size(self):
        self.hold("its sizes are known", any(d < 0 for p in (*self.layer().ins, *self.layer().outs) for d in p.dims))

    def conversions(self, name, word, n):
        port = self.layer().ins[0]
        same = [r for r in self.dump.readers.get(port.name, []) if self.dump.layers[r].outs
                and self.dump.layers[r].outs[0].type == word]
        self.hold("another tensor", name in port.name or port.name in name, (name, port.name))
        self.hold("other layers convert it", len(same) >= int(n) and port.type != word, same)

    def both(self, made, reader):
        if self.model:
            a, b = self.node(made), self.node(reader)
            self.hold("no such edge", a is not None and b is not None and self.reaches(a, b))

    def kinds(self, a, b):
        self.hold("other types", {a, b} <= self.types(self.row["layer"], "ins") | self.types(self.row["layer"], "outs")
                  | {None})

    def named_only(self):
        self.hold("the dump has its tensors", not self.layer().ins and not self.layer().outs)

    FORMS = [
        (r"((?:add|remove|give|move) .* \(lint [a-z/, -]+\))", cites),
        (r"remove the Q/DQ pair: the layer only rounds, it reads and writes (\w+)", rounds),
        (r"quantize the network input (.*) in the caller and pass (\w+) data", at_input),
        (r"layer (\d+)(?: \((.*)\))? reads (\w+) itself: quantize its input as well", reads),
        (r"layer (\d+) writes (\w+), for (.+) reads (.+) unquantized: add a Q/DQ pair there", blames),
        (r"(.+) writes (\w+) and its consumer reads (\w+)(?:: |, too: the builder converts).*", meets),
        (r"layer (\d+)(?: \((.*)\))? reads (\w+) next to quantized data: quantize that branch, so that it writes (\w+) "
         r"itself", reads_beside),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+): the builder did not fuse the quantizer into it", not_fused),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+), like each of the (\d+) quantized Conv and GEMM kernels: "
         r"the builder's choice", none_quantizes),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+), which this layer requantizes: use one scale for both", again),
        (r"its input is (\w+): quantize every input of the producer, so that it writes (\w+) itself", handed),
        (r"its consumer reads (\w+): quantize all inputs of that operator, with one scale for joined inputs", hands),
        (r"the network output is (\w+): use the quantized tensor as output to remove this layer", output_takes),
        (r"change the network (input|output) (.+) to (\w+) in the model, since a strongly typed build takes its types from "
         r"the model", model_type),
        (r"build with --(input|output)IOFormats=([\w:,]+) and (?:pass|read) (.+) in that format", offered),
        (r"no I/O format removes this layer(?:: (.*))?", no_format),
        (r"layer (\d+)(?: \((.*?)\))? has no kernel for the layout that layer (\d+)(?: \((.*)\))? writes, or none as fast; "
         r"another operator or type may have", no_kernel),
        (r"layer (\d+)(?: \((.*?)\))? has no kernel for the layout that is written, or none as fast; another operator or "
         r"type may have", reads_another),
        (r"(\d+) channels do not fill vectors of (\d+): bring them to a multiple", channels),
        (r"((?:the builder copies an input of .* to its place|the builder copies a part of a tensor before a layer reads "
         r"it|the builder joins tensors for one kernel).*)", parts),
        (r"the region behind or before this edge, which is compiled as a whole, has another format there", region),
        (r"choose (\d+) (elements|channels a group) instead of (\d+) where (.+) (reads|writes) them: .*", chosen),
        (r"a kernel of a product takes (\d+) elements instead of (\d+), a size that the data or the result has", pads),
        (r"a kernel of a product needs an aligned size, which the dump leaves open", open_size),
        (r"convert (.+) to (\w+) once, before its (\d+) slices, each of which is converted by itself", conversions),
        (r"the builder accepts no network input in (\w+)", handed),
        (r"quantize both (.+) and (.+), or neither", both),
        (r"run the operators on both sides in one type; here one uses (\w+) and the other (\w+)", kinds),
        (r"only its name is known: build with --profilingVerbosity=detailed to see what it converts", named_only),
    ]

    def judge_advice(self, text):
        text = text.replace("`", "")
        for form, claim in self.FORMS:
            found = re.fullmatch(form, text)
            if found:
                claim(self, *found.groups())
                return
        self.fail("advice of a form that is not judged", text)

    # What the summary sums up: the edits that rows cite, each once, and the shares of these rows.

    def judge_summary(self, lines):
        """Returns how many sums of edits it has."""
        sums = 0
        for line in lines:
            found = re.match(r"(add|remove|give) (?:(a|the|\d+) .*)?\(lint (\S+)\): (?:may save [\d.]+ ms, |saves )([\d.]+) %",
                             line["text"])
            if line["topic"] != "to do" or not found:
                continue
            action = {"add": "insert-pair", "remove": "remove-pair", "give": "set-scale"}[found[1]]
            rows = [r for r in self.rows if r.get("cites") and r.get("share", 0) >= 0.0005
                    and (r["cites"][0]["rule"], r["cites"][0]["action"]) == (found[3], action)]
            edits = {(c["node"], c.get("input")) for r in rows for c in r["cites"]
                     if (c["rule"], c["action"]) == (found[3], action)}
            self.hold(line["text"], len(edits) == (int(found[2]) if (found[2] or "").isdigit() else 1), edits)
            self.hold(line["text"], abs(100 * sum(r["share"] for r in rows) - float(found[4])) < .06, rows)
            sums += 1
        return sums

    # What findings say of layers, by the beginnings of their sentences.

    def judge_finding(self, rule, text):
        """Returns whether it said something of a layer that could be judged."""
        text = text.replace("`", "")
        self.row = {"layer": rule}
        alone = re.search(r" runs as layer (\d+) of its own \((\w+) -> (\w+)\)", text)
        moved = re.match(r"layer (\d+), cause \S+: (\w+)[^,]*? -> (\w+)", text)
        runs = re.match(r"layer (\d+) runs (\w+) without", text)
        chain = re.match(r"layers ([\d, ]+): (\w+)(.*?), ", text)
        wide = re.match(r"(?:\d+ of the )?layers (\d+) to (\d+) run in up to (\w+) between lower-precision layers", text)
        for found in (alone, moved):
            if found:
                layer = int(found[1])
                self.hold(f"{found[0]}", self.has_type(layer, "ins", found[2]) and self.has_type(layer, "outs", found[3]))
        if runs:
            self.hold(runs[0], any(self.has_type(int(runs[1]), side, runs[2]) for side in ("ins", "outs")))
        if chain:
            layers = [int(i) for i in chain[1].split(",")]
            words = [chain[2]] + re.findall(r"-> (\w+)", chain[3])
            for at, layer in enumerate(layers[:len(words) - 1]):
                self.hold(f"{chain[0]}", self.has_type(layer, "ins", words[at])
                          and self.has_type(layer, "outs", words[at + 1]), layer)
        if wide:
            first, last = int(wide[1]), int(wide[2])
            width = BITS.get(wide[3], 0)
            self.hold(f"layer {first} does not widen", self.widest(first, "outs") > self.least(first, "ins"))
            self.hold(f"layer {last} does not narrow", self.least(last, "outs") < self.widest(last, "ins"))
            self.hold(f"nothing is {wide[3]} there", any(self.widest(i, side) == width for i in range(first, last + 1)
                                                       for side in ("ins", "outs")))
        return any((alone, moved, runs, chain, wide))

    def bits(self, layer, side):
        return [BITS.get(t, 0) for t in self.types(layer, side) if t]

    def widest(self, layer, side):
        return max(self.bits(layer, side), default=0)

    def least(self, layer, side):
        return min((b for b in self.bits(layer, side) if b), default=0)

    def judge_row(self, row):
        self.row, layer = row, self.dump.layers[row["layer"]]
        words = re.findall(r"(?:^|-> )(\w+)", row.get("change", ""))
        ends = [p.type for p in layer.ins[:1] + layer.outs[:1]]
        self.hold(f"changes {row.get('change')}", not words or len(ends) < 2 or None in ends
                  or [words[0], words[-1]] == ends, ends)
        self.judge_edge(row.get("edge", {}))
        if row.get("advice"):
            self.judge_advice(row["advice"])

    def judge_edge(self, edge):
        named_only = not self.layer().ins and not self.layer().outs
        before = self.dump.near(self.row["layer"], True, self.movers)
        behind = self.dump.near(self.row["layer"], False, self.movers)
        source = edge.get("source")
        self.hold(f"layer {source} is not before it", source is None or source in before or named_only, sorted(before))
        for reader in edge.get("readers", []):
            if "layer" in reader:
                self.hold(f"layer {reader['layer']} is not behind it", reader["layer"] in behind or named_only,
                          sorted(behind))
            if self.model and "node" in reader and "producer" in edge:
                self.hold("no such edge", self.reaches(edge["producer"], reader["node"]),
                          (self.model.nodes[edge["producer"]].name, self.model.nodes[reader["node"]].name))


def cases():
    for folder in sorted(glob.glob(os.path.join(SHARED, "corpus", "*", ""))
                         + glob.glob(os.path.join(SHARED, "zoo*", "cases", "*", ""))):
        model = os.path.join(folder, "model.onnx")
        for engine in sorted(os.listdir(folder)):
            if engine.startswith(("engine.", "build.log", "inspector", "other-build")):
                profile = os.path.join(folder, "profile.json")
                yield (os.path.relpath(os.path.join(folder, engine), SHARED), model if os.path.exists(model) else None,
                       os.path.join(folder, engine), ["--profile", profile] if os.path.exists(profile) else [])


def main():
    n = advice = findings = deeds = 0
    for name, model, engine, more in cases():
        pair = [*([model] if model else []), engine, *more, "-f", "json"]
        done = start("reformats", *pair)
        if done.returncode:
            failures.append(name)
            print(f"FAILED {name}: {done.stderr.strip()}")
            continue
        report, whole = json.loads(done.stdout), json.loads(start("diff", *pair).stdout)
        rows = report["reformats"] + report["free"]
        case = Case(name, truth.Model(model) if model else None, Dump(engine, [la["name"] for la in whole["layers"]]),
                    rows, {r["layer"] for r in rows})
        case.row = {"layer": "-"}
        case.hold("layers of the dump are not listed", not case.dump.strange, case.dump.strange)
        for row in rows:
            case.judge_row(row)
            advice += bool(row.get("advice"))
        case.row = {"layer": "summary"}
        deeds += case.judge_summary(whole["summary"]["brief"])
        for finding in whole["findings"]:
            findings += case.judge_finding(finding["rule"], finding["message"])
        n += 1
    print(f"{n} engines, {advice} advices, {findings} findings on layers, {deeds} sums of edits, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    if not os.path.isdir(SHARED):
        print(f"skipped: {SHARED} is not there")
        sys.exit(77)
    sys.exit(main())
