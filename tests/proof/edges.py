"""Claims about the movement of data: the types and layouts that a layer changes, its edge, the edits that it cites.

The truth is the dump's tensors and their neighbours, and the edges and scales of the model."""
import re

from model import MOVES, QDQ, QUANTIZERS, VIEWS

LAYOUTS = {"linear": r"(nc)?[dhw]*c?[dhw]*|d?chw|linear", "last": r"d?hwc"}


class Edges:
    def __init__(self, model, dump, names, layers, rows):
        self.model, self.dump, self.names, self.layers, self.rows = model, dump, names, layers, rows
        self.movers = {r["layer"] for r in rows}
        self.row = None
        self.index = model.names if model else {}
        self.unnamed = {"node_of_" + n.outputs[0]: n.index for n in model.nodes if not n.name and n.outputs} if model else {}

    def layer(self):
        return self.dump.layers[self.row["layer"]]

    def ends(self):
        """What it reads first and what it writes first."""
        return self.layer().ins[:1] + self.layer().outs[:1]

    def beside(self, back):
        return self.dump.near(self.row["layer"], back, self.movers)

    def types(self, layer, side):
        return set(self.dump.layers[layer].types(side)) if layer < len(self.dump.layers) else {"no such layer"}

    def has_type(self, layer, side, word):
        """A type that the dump does not state is not contradicted."""
        types = self.types(layer, side)
        return word in types or None in types or not types

    def node(self, text):
        """A node by its name, or by "#12 (Conv)"; None: there is none."""
        unnamed = re.match(r"#(\d+) \((\w+)\)", text)
        if unnamed and self.model:
            return next((n.index for n in self.model.nodes if (n.index, n.op) == (int(unnamed[1]), unnamed[2])), None)
        return self.index.get(text, self.unnamed.get(text))

    def reaches(self, a, b, over=MOVES, steps=24):
        """Node b reads what node a makes, maybe through others of these operators."""
        front = {a}
        if self.model.nodes[a].op in QUANTIZERS:   # equal quantizers of one tensor are merged
            front |= set(self.model.readers.get(self.model.nodes[a].inputs[0], []))
        for _ in range(steps):
            after = {r for i in front for r in self.model.next_of(i)}
            if b in after:
                return True
            front = {i for i in after if self.model.nodes[i].op in over}
        return False

    # Tensors: types, layouts, what a layer at the border sees.

    @staticmethod
    def lies(port, word):
        """Whether the tensor lies as a layout's word says; None: the dump does not state it."""
        lies, wide = port.layout(), re.search(r"\d+$", word)
        axes = re.match(r"axes(\d+)$", word)
        if axes:
            return isinstance(lies, tuple) and (lies[0] > len(lies) - 1 or [int(c) for c in axes[1]] == list(lies[1:]))
        if port.dims and len(port.dims) > 3 and port.dims[1] == 1 and not wide:
            return word in ("chw", "hwc")   # of one channel both are the same
        if "available due" in port.words or lies is None:
            return None
        if port.fill > 1 or wide or lies not in LAYOUTS:
            return bool(wide) and int(wide[0]) == port.fill > 1 and (port.vector == 1) == ("hwc" in word)
        if lies == "last" and port.dims and len(port.dims) in (4, 5):
            return word == ("hwc" if len(port.dims) == 4 else "dhwc")
        return re.fullmatch(LAYOUTS[lies], word) is not None and ("hwc" in word) == (lies == "last")

    def judge_change(self, text):
        """ "fp32 chw -> int8 chw4": what the layer reads first and writes first."""
        ports, sides = self.ends(), text.split(" -> ")
        if len(ports) < 2:
            return None
        right = True
        for port, words in zip(ports, (sides[0].split(" "), sides[-1].split(" "))):
            right &= port.type in (None, words[0]) or not re.match("[a-z]+[0-9]+$|bool$", words[0])
            right &= all(self.lies(port, layout) is not False for layout in words[1:2])
        return right

    # The edge.

    def judge_source(self, source):
        return self._named("Output", source) if self.layer().is_named_only() else source in self.beside(True)

    def judge_reader(self, layer):
        return self._named("Input", layer) if self.layer().is_named_only() else layer in self.beside(False)

    def _named(self, side, layer):
        """Of a layer of which only the name is known, "Reformatting CopyNode for Input Tensor 0 to X": the layer is X."""
        found = re.match(rf"Reformatting CopyNode for {side} Tensor \d+ to (.*)", self.layer().name)
        return layer < len(self.dump.layers) and self.dump.layers[layer].name == found[1] if found else None

    def judge_producer(self, edge):
        """The producer's value is read by the nodes that the edge names, maybe through nodes that only move."""
        if not self.model or edge["producer"] >= len(self.model.nodes):
            return None if not self.model else False
        if edge.get("tensor") in self.model.maker:
            return self.model.maker[edge["tensor"]] == edge["producer"]
        return all(self.reaches(edge["producer"], r["node"]) for r in edge["readers"] if "node" in r)

    def judge_reading_node(self, edge, reader):
        """The node reads what the producer makes, or the tensor of the edge; else the layer that reads computes it."""
        if not self.model or reader["node"] >= len(self.model.nodes):
            return None if not self.model else False
        node, tensor = self.model.nodes[reader["node"]], edge.get("tensor")
        if "producer" in edge:
            return self.reaches(edge["producer"], node.index)
        if tensor:
            return tensor in node.inputs or any(self.reaches(r, node.index) for r in self.model.readers.get(tensor, []))
        named = self.names.metadata[reader["layer"]] if "layer" in reader else ()
        return node.index in named or not named if self.dump.has_metadata and "layer" in reader else None

    # The edits of lint that a row cites.

    def judge_scale(self, cite):
        """The scale is that of a quantizer of the same value."""
        at = self.node(cite["scale_of"])
        by = self.model.nodes[at] if at is not None else None
        if by is None or by.op not in QDQ or by.inputs[1] != cite.get("scale_tensor", by.inputs[1]):
            return False
        value = self.model.scalar(by.inputs[1])
        return ("scale" not in cite or value is not None and abs(value - cite["scale"]) < 1e-6 * abs(value)) \
            and self.quantizes(by, cite["tensor"])

    def quantizes(self, quantizer, tensor):
        """It quantizes this tensor, or what follows from it, or comes before it, by nodes that keep the values."""
        keeps = VIEWS | QDQ | {"MaxPool", "Relu", "Transpose", "Concat", "Slice", "Split"}
        ends = []
        for start in (quantizer.inputs[0], tensor):
            while start in self.model.maker and self.model.nodes[self.model.maker[start]].op in keeps:
                start = self.model.nodes[self.model.maker[start]].inputs[0]
            ends.append(start)
        return ends[0] == ends[1]

    def judge_cite_type(self, cite):
        """That of the quantizer whose scale is taken, or of any; an unknown type is that of INT8."""
        quantizers = [n for n in self.model.nodes if n.op in QUANTIZERS and n.name == cite.get("scale_of", n.name)]
        return cite["type"] in {self.model.types.get(n.outputs[0]) or "int8" for n in quantizers} | ({"int8"} - {
            "int8" * any("fp8" in n.op.lower() for n in quantizers)})

    def judge_cite_node(self, cite):
        """The tensor is that input of the node, and not quantized yet."""
        if cite["node"] >= len(self.model.nodes):
            return False
        node, maker = self.model.nodes[cite["node"]], self.model.maker.get(cite["tensor"])
        return node.inputs[cite["input"]:cite["input"] + 1] == [cite["tensor"]] and node.name in ("", cite["node_name"]) \
            and (maker is None or self.model.nodes[maker].op not in QDQ)
