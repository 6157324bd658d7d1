"""Claims in sentences: what an advice or a finding names - a type, a format, a size, a scale, a neighbour.

The truth is that of edges.py.  Each form of a sentence is a row: the kind of claim that each of its words makes (a letter
of KINDS; ".": none), and what must hold of them.  A sentence of no known form is not recomputed."""
import math
import re

from dump import BITS, FLOATS, QUANTIZED
from edges import Edges
from model import PRODUCTS, QDQ

KINDS = {"t": "type", "f": "format", "s": "size", "c": "scale", "n": "neighbour"}


class Advice(Edges):
    def is_before(self, layer):
        return int(layer) in self.beside(True)

    def is_behind(self, layer):
        return int(layer) in self.beside(False)

    def reads(self, layer, word):
        return self.has_type(int(layer), "ins", word)

    def writes(self, layer, word):
        return self.has_type(int(layer), "outs", word)

    def first(self, side):
        return getattr(self.layer(), side)[0]

    def none_quantizes(self, n):
        """No layer of so many that read quantized data and weights writes any."""
        narrow = [i for i, la in enumerate(self.dump.layers) if self.types(i, "ins") & QUANTIZED and la.multiplies()]
        return len(narrow) >= int(n) and not any(self.types(i, "outs") & QUANTIZED for i in narrow)

    ADDED = r"add a Q/DQ pair on (.+) -> (.+) \(input (\d+)\), with (?:the scale of (.+)|a scale to calibrate)"
    SHOWN = r"layer (\d+) (?:computes (.+?)(?: and reads (\w+))?|writes (\w+) for (.+?))(?:, (?=layer \d)|$)"

    def cites(self, text):
        """What lint proposes: the edge is the model's, and what the dump is said to show is there."""
        edits, shown = re.fullmatch(r"(.*?): (layer \d+ .*) \(lint [a-z/, -]+\)", text).groups()
        return all(self._edit(e) for e in edits.split("; ")) and all(self._shown(*s) for s in re.findall(self.SHOWN, shown))

    def _edit(self, edit):
        found = re.fullmatch(self.ADDED, edit)
        if not found:
            return re.fullmatch(r"remove the Q/DQ pair of (.+)|give (.+) the scale of (.+)", edit) is not None
        made, reader, at, scale = found.groups()
        reader = self.node(reader)
        node = self.model.nodes[reader] if reader is not None else None
        if node is None or int(at) >= len(node.inputs):
            return False
        maker = self.model.maker.get(node.inputs[int(at)])
        edge = made == node.inputs[int(at)] or maker is not None and maker == self.node(made)
        by = self.node(scale) if scale else None
        return edge and (maker is None or self.model.nodes[maker].op not in QDQ) and (
            not scale or by is not None and self.model.nodes[by].op in QDQ
            and self.quantizes(self.model.nodes[by], node.inputs[int(at)]))

    def _shown(self, layer, node, reads, writes, wanted):
        layer = int(layer)
        if layer >= len(self.dump.layers) or any(self.node(n) is None for n in (node, wanted) if n):
            return False
        names = not node or node in self.dump.layers[layer].name or self.node(node) in self.names.metadata[layer] \
            or self.node(node) in self.layers.linked[layer]
        return names and (not reads or self.reads(layer, reads)) and (not writes or self.writes(layer, writes))

    def at_input(self, name, word):
        return word in self.types(self.row["layer"], "outs") and self.layer().ins \
            and self.first("ins").name not in self.dump.writers \
            and name in (self.row["edge"].get("tensor"), self.first("ins").name)

    def model_type(self, direction, name, word):
        border, inside = (self.first(side) for side in ("ins", "outs")[::1 if direction == "input" else -1])
        return border.type != word and inside.type == word and (
            not self.model or name in (self.model.inputs if direction == "input" else self.model.outputs))

    def border_ports(self, direction):
        """What the network passes, and what the engine uses inside."""
        layer = self.layer()
        unread = [p for p in layer.outs if p.name not in self.dump.readers] or layer.outs
        return (layer.ins[:1], layer.outs[:1]) if direction == "input" else (unread[:1], layer.ins[:1])

    def offered(self, direction, formats, names):
        """One format for each input or output, or one for all; those of this layer's tensor lie as it does inside, and an
        input that is not named keeps its own."""
        border, inside = self.border_ports(direction)
        formats = [f.split(":") for f in formats.split(",")]
        listed = self.model.inputs if direction == "input" and self.model else []
        if not border or not inside:
            return False
        border, inside = border[0], inside[0]
        at = listed.index(border.name) if border.name in listed and len(formats) == len(listed) else None
        fits = [f for f in ([formats[at]] if at is not None else formats) if self._fits(inside, border, *f)]
        kept = all(f == ["chw", self.model.types.get(n, f[0])][::-1] for n, f in zip(listed, formats)
                   if at is not None and n != border.name and n not in names)
        same = border.type == inside.type and border.layout() == inside.layout() is not None \
            and border.words == inside.words and border.dims == inside.dims
        return bool(fits) and kept and not same and (" more" in names or border.name in names)

    def _fits(self, inside, border, word, layout):
        rank = len(border.dims or inside.dims or "nchw")
        return inside.type in (word, None) and self.lies(inside, layout) is not False \
            and (rank == 5 if "dhwc" in layout else rank > 2 or "hwc" not in layout)

    def no_format(self, why):
        """Why no format of a border removes the layer, as far as the dump shows it."""
        ports = self.ends()
        if why == "it pads the tensor, and no format avoids that":
            return len(ports) < 2 or math.prod(ports[0].dims) != math.prod(ports[1].dims)
        if why == "it reads and writes the same format":
            return ports[0].type == ports[1].type and ports[0].layout() == ports[1].layout()
        return why != "another layer reads the tensor in its present format" or len(self.dump.readers.get(ports[0].name, [])) > 1

    def is_in(self, layer, name):
        """The layer computes the node that the sentence names for it, "a + 3"."""
        node = self.node(re.sub(r" \+ \d+$", "", name))
        if node is None or int(layer) >= len(self.dump.layers):
            return False
        return node in (self.names.metadata[int(layer)] or self.layers.linked[int(layer)])

    def channels(self, channels, vector):
        ports = [p for p in self.layer().ins + self.layer().outs if p.dims]
        return not ports or any(int(channels) in p.dims for p in ports) and any(p.fill == int(vector) for p in ports)

    def parts(self, text):
        """Why a part of a Concat or Slice is copied."""
        ports, right = self.ends(), True
        change = re.search(r"the type changes from (\w+) to (\w+)", text)
        if change and len(ports) == 2:
            right &= [p.type for p in ports] == list(change.groups())
        lies = re.search(r"the layout changes from (\w+) to (\w+)", text)
        if lies and len(ports) == 2:
            right &= all(self.lies(port, word) is not False for port, word in zip(ports, lies.groups()))
        named = re.search(r"copies an input of (.+?) to its place", text)
        if named and self.model:
            node = self.node(named[1])
            right &= node is not None and self.model.nodes[node].op == "Concat" and self.is_near(node)
        return right

    def is_near(self, node):
        """The node is this layer's, or the one that its edge names, or one that reads what a layer before computes."""
        edge = self.row.get("edge", {})
        ends = [e for e in [edge.get("producer")] + [r.get("node") for r in edge.get("readers", [])] if e is not None]
        if node in ends or node in self.layers.linked[self.row["layer"]]:
            return True
        around = {n for k in self.beside(True) | self.beside(False) for n in self.names.metadata[k]} | set(ends)
        return any(self.reaches(n, node) or self.reaches(node, n) for n in around)

    def pads(self, taken, given):
        """One axis of a tensor grows, or shrinks behind a product, by what is said."""
        read, made = self.first("ins").dims, self.first("outs").dims
        pairs = [sorted(p) for p in zip(read, made) if p[0] != p[1]]
        return len(read) == len(made) and len(pairs) == 1 and pairs[0][0] * int(taken) == pairs[0][1] * int(given) \
            and int(taken) <= pairs[0][1] and int(given) <= pairs[0][0]

    def chosen(self, taken, unit, given, name, does):
        read, made = self.first("ins").dims, self.first("outs").dims
        node = self.node(name)
        around = {self.row["layer"]} | self.beside(True) | self.beside(False)
        return self.pads(taken, given) and (does == "writes") == (math.prod(made) < math.prod(read)) \
            and (unit != "elements" or sorted((int(given), int(taken))) in [sorted(p) for p in zip(read, made)]) \
            and node is not None and self.model.nodes[node].op in PRODUCTS \
            and any(node in self.names.metadata[k] or node in self.layers.linked[k] for k in around)

    def is_beside_region(self):
        near = self.dump.near(self.row["layer"], True, set()) | self.dump.near(self.row["layer"], False, set())
        return any("ForeignNode[" in self.dump.layers[i].name or self.dump.layers[i].type in ("Myelin", "kgen", "gemm")
                   for i in near)

    ADVICE = [
        (r"((?:add|remove|give|move) .* \(lint [a-z/, -]+\))", ".", cites),
        (r"remove the Q/DQ pair: the layer reads and writes (\w+), and only rounds the values", "t",
         lambda s, t: {p.type for p in s.ends()} == {t}),
        (r"quantize the network input (.*) in the caller and pass (\w+) data", "nt", at_input),
        (r"layer (\d+)(?: \((.*)\))? reads an input in (\w+): quantize that input as well", "n.t",
         lambda s, n, _, t: s.is_before(n) and s.reads(n, t)),
        (r"layer (\d+)(?: \((.*)\))? reads (\w+) next to quantized data: quantize that input, so that the "
         r"layer writes (\w+) itself", "n.tt", lambda s, n, _, t, into: s.is_before(n) and s.reads(n, t) and into not in s.types(int(n), "outs")
         and s.types(int(n), "ins") & (QUANTIZED | {None})),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+): the builder did not fuse the quantizer into it", "n.t",
         lambda s, n, _, t: s.is_before(n) and s.writes(n, t)),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+), like each of the (\d+) quantized Conv and GEMM kernels: "
         r"this is the builder's choice", "n.t.",
         lambda s, n, _, t, many: s.is_before(n) and s.writes(n, t) and s.none_quantizes(many)),
        (r"layer (\d+)(?: \((.*)\))? writes (\w+), which this layer requantizes: give both quantizers one scale", "n.t",
         lambda s, n, _, t: s.is_before(n) and s.writes(n, t)),
        (r"(?:its input is|the builder accepts no network input in) (\w+)(?:: quantize every input of the producer, so "
         r"that the producer writes \w+ itself)?", "t", lambda s, t: s.first("ins").type in (t, None)),
        (r"its consumer reads (\w+): quantize all inputs of that operator, with one scale if it concatenates them", "t",
         lambda s, t: s.first("outs").type in (t, None)),
        (r"the network output is (\w+): make the quantized tensor the network output, which removes this layer", "t",
         lambda s, t: s.first("outs").type in (t, None) and not s.beside(False) - s.movers),
        (r"change the network (input|output) (.+) to (\w+) in the model \(a strongly typed build takes its types from "
         r"the model\)", ".nt", model_type),
        (r"build with --(input|output)IOFormats=([\w:,]+) and (?:pass|read) (.+) in that format", ".fn", offered),
        (r"no I/O format removes this layer(?:: (.*))?", ".", no_format),
        (r"layer (\d+)(?: \((.*?)\))? has no kernel for the layout that layer (\d+)(?: \((.*)\))? writes, or only slower kernels; "
         r"another operator or type may have such a kernel", "nnnn",
         lambda s, n, a, m, b: s.is_behind(n) and s.is_before(m) and s.is_in(n, a) and s.is_in(m, b)),
        (r"layer (\d+)(?: \((.*?)\))? has no kernel for the layout that is written, or only slower kernels; another operator "
         r"or type may have such a kernel", "nn", lambda s, n, a: s.is_behind(n) and s.is_in(n, a)),
        (r"(\d+) channels do not fill vectors of (\d+) channels: choose a multiple of the vector size", "ss", channels),
        (r"((?:the builder copies an input of .* to its place|the builder copies a part of a tensor before a layer reads "
         r"it|the builder joins tensors for one kernel).*)", ".", parts),
        (r"the builder compiles the region before or after this edge as a whole, and the region needs a different format", "",
         is_beside_region),
        (r"choose (\d+) (elements|channels per group) instead of (\d+) where (.+) (reads|writes) the data: .*", "s.sn.", chosen),
        (r"choose an even number of (elements|channels per group) instead of (\d+) where (.+) (reads|writes) the data: .*", ".sn.",
         lambda s, unit, given, name, does: int(given) % 2 and s.chosen(int(given) + 1, unit, given, name, does)),
        (r"the kernel of a convolution or matrix multiplication needs (\d+) elements, but the data or the result has (\d+)", "ss", pads),
        (r"the kernel of a convolution or matrix multiplication needs an aligned size; the dump does not state the size", "",
         lambda s: any(d < 0 for p in (*s.layer().ins, *s.layer().outs) for d in p.dims)),
        (r"quantize both (.+) and (.+), or neither", "nn",
         lambda s, a, b: None not in (s.node(a), s.node(b)) and s.reaches(s.node(a), s.node(b))),
        (r"run the operators on both sides in one type: one side uses (\w+) and the other (\w+)", "tt",
         lambda s, a, b: {a, b} <= s.types(s.row["layer"], "ins") | s.types(s.row["layer"], "outs")),
        (r"only the name of this layer is known: build with --profilingVerbosity=detailed to see what it converts", "",
         lambda s: s.layer().is_named_only()),
    ]

    def chain(self, layers, first, rest):
        """"layers 7, 8: fp32 chw -> fp32 hwc -> fp32 chw": each reads and writes the types that stand beside its arrow."""
        layers, words = [int(i) for i in layers.split(", ")], [first] + re.findall(r"-> (\w+)", rest)
        return all(self.reads(i, a) and self.writes(i, b) for i, a, b in zip(layers, words, words[1:]))

    def island(self, first, last, word):
        """The first layer writes wider data than it reads, the last one narrower, and something between has this type."""
        first, last = int(first), int(last)
        if not first <= last < len(self.dump.layers):
            return False
        wide = [t for i in range(first, last + 1) for side in ("ins", "outs") for t in self.types(i, side) if t in FLOATS]

        def bits(i, side, of):
            return of((BITS[t] for t in self.types(i, side) if t in QUANTIZED | FLOATS), default=0)
        return word in wide and BITS[word] == max(map(BITS.get, wide)) and bits(first, "outs", max) > bits(first, "ins", min) \
            and bits(last, "outs", min) < bits(last, "ins", max)

    # What findings state about layers: of these only the words that begin a sentence.
    FINDINGS = [
        (r".* runs unfused, as layer (\d+) \((\w+) -> (\w+)\)", "ntt",
         lambda s, n, a, b: s.reads(n, a) and s.writes(n, b)),
        (r"layer (\d+), cause \S+: ([a-z]+\d+|bool)[^,]*? -> ([a-z]+\d+|bool)", ".tt",
         lambda s, n, a, b: s.reads(n, a) and s.writes(n, b)),
        (r"layer (\d+), cause \S+: ([a-z]+\d+|bool)", ".t", lambda s, n, a: s.reads(n, a) or s.writes(n, a)),
        (r"layer (\d+) runs (\w+) without", ".t", lambda s, n, a: s.reads(n, a) or s.writes(n, a)),
        (r"layers (\d+(?:, \d+)*): ([a-z]+\d+)((?: [a-z]\w*)?(?: -> \w+(?: \w+)?)+)", ".t.", chain),
        (r"(?:\d+ of the )?layers (\d+) to (\d+) run in precisions up to (\w+), higher than before and after these layers", "nnt", island),
    ]

    # Words within the sentences whose form is a whole: of edits and of reasons.
    INNER = [("c", r"the scale of (`[^`]+`)"), ("n", r"pair on (`[^`]+`) ->"), ("n", r"-> (`[^`]+`) \(input"),
             ("t", r"reads ([a-z]+\d+)(?=[ ,])"), ("t", r"writes ([a-z]+\d+) for"),
             ("n", r"(?<![\w-])layer (\d+) (?:computes|writes)"), ("f", r"layout changes from (\w+) to"),
             ("f", r"layout changes from \w+ to (\w+)"), ("n", r"an input of (`[^`]+`) to its place")]

    def _form(self, text, forms):
        """(the form, its match) of a sentence without its quotes."""
        plain, find = text.replace("`", ""), re.fullmatch if forms is self.ADVICE else re.match
        return next(((form, m) for form in forms for m in [find(form[0], plain)] if m), (None, None))

    def claims_in(self, text, forms):
        """(kind, start, end) of the words of a sentence that claim something, in the text as printed."""
        form, found = self._form(text, forms)
        for letter, words in self.INNER if form and form[1] == "." else ():
            yield from ((KINDS[letter], *m.span(1)) for m in re.finditer(words, text))
        shown = [i for i, c in enumerate(text) if c != "`"] + [len(text)]
        for k, letter in enumerate(form[1] if form else ""):
            if letter != "." and found[k + 1]:
                yield KINDS[letter], shown[found.start(k + 1)], shown[found.end(k + 1)]

    def judge_text(self, text, forms):
        """Whether all that the sentence claims holds; None: its form is not known."""
        form, found = self._form(text, forms)
        return bool(form[2](self, *found.groups())) if form else None
