"""Claims about nodes: their outcome, and the evidence of each link to a layer.

The truth of an outcome: a node that a running layer names is computed there; what follows from constants alone is folded;
the rest is proved by its operator and by what reads it.  Where model and dump leave several outcomes open, each of these is
accepted, and each other one is contradicted."""
import re

from model import CONTROL, COPIES, DEQUANTIZERS, QDQ, QUANTIZERS, RECURRENT, VIEWS
from dump import QUANTIZED

FATES = ["layer", "folded", "identity", "absorbed", "merged", "dead", "unexplained"]
STEPS = 3    # edges of the model from a named tensor or layer to a node that only tensors or structure show
EVIDENCE = ["metadata", "name", "log", "tensor", "structure"]


def plain(name):
    """As Myelin writes a name: what is no letter or digit becomes a line."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


class Names:
    """Which nodes each layer names, in its Metadata and in its own name."""

    def __init__(self, model, dump, nodes):
        """`nodes`: the model's; without one those of the report, which have names alone."""
        self.model, self.dump, self.nodes = model, dump, nodes
        self.by_name = {}
        for node in nodes:
            self.by_name.setdefault(self.called(node), []).append(node.index)
        self.metadata = [{i for item in la.metadata or [] for i in self.by_name.get(item, [])} for la in dump.layers]
        # Without Metadata, the parts of a layer's name.
        self.parts = [set() if dump.has_metadata else {
            i for item in re.split(r" \+ | \|\| |PWN\(|[(),]", la.name) for i in self.by_name.get(item.strip(), [])}
            for la in dump.layers]
        self.of_node = {}
        for layer, nodes in enumerate(self.metadata):
            for node in nodes:
                self.of_node.setdefault(node, []).append(layer)
        self.log = {m[1] for line in dump.lines
                    for m in re.finditer(r"Registering layer: .* for ONNX node: (.*)$", line)}
        fusing = [line for line in dump.lines if "Fusing " in line or "fusing " in line or "Swap" in line]
        self.fused = {word.strip() for line in fusing for word in re.split(r"using | with | and | into |[()]| \+ ", line)}
        self.region = {i for line in dump.lines if "ForeignNode {" in line and " metadata: [ONNX Layer: " in line
                       for item in re.split("[\x1e\x1f]", line.split(" metadata: ", 1)[1])
                       for i in self.by_name.get(item.removeprefix("[ONNX Layer: ").rstrip("]"), [])}

    @staticmethod
    def called(node):
        return node.name or "node_of_" + (node.outputs[0] if node.outputs else "")

    def in_name(self, layer, node):
        """The layer's name has the node's as a whole, maybe rewritten and counted."""
        text, called = self.dump.layers[layer].name, self.called(node)
        if re.match(r"__myl_|(copied_)?(un)?(reshape|squeeze|transpose)_(before|after)_", text) and " + " not in text:
            return False
        for name, within in ((called, text), (plain(called), plain(text))):
            begin = r"(?<![A-Za-z0-9])" if name[0].isalnum() else ""
            if re.search(begin + re.escape(name) + r"(?![A-Za-z0-9])", within):
                return True
        # "T copy" brings T to its place in a Concat, or takes it out of what a Slice reads.
        return text.endswith(" copy") and node.op in COPIES and text[:-5] in (*node.inputs, *node.outputs)


class Outcomes:
    def __init__(self, model, dump, names, layers):
        self.model, self.dump, self.names, self.kinds = model, dump, names, layers.kinds
        self.linked = set().union(*layers.linked)

    def _same(self, node):
        """Nothing is left of it: the elements are the same in another shape, or pass as they are."""
        m = self.model
        if node.op in ("Cast", "CastLike"):
            return m.types.get(node.inputs[0]) in (None, m.types.get(node.outputs[0]))
        if node.op in ("Mul", "Div", "Add", "Sub", "Pow"):
            return any(t in m.constant for t in node.inputs)
        return node.op in VIEWS | COPIES | {"Dropout"} \
            or node.op in ("AveragePool", "MaxPool", "Sum", "Max", "Min") and len(node.inputs) < 2

    def _of_quantizer(self, node, layers):
        folded = self.model.is_folded(node)
        if any(self.kinds[i] == "quantize" for i in layers):
            return {"layer", "absorbed"} | ({"folded"} if folded else set())
        if folded and node.op in QUANTIZERS:
            runs = any(all(self.model.is_folded(self.model.nodes[k]) for k in self.names.metadata[i]) for i in layers)
            return {"absorbed", "folded"} if runs else {"folded"}
        types = {t for i in layers for side in ("ins", "outs", "consts") for t in self.dump.layers[i].types(side)}
        return {"absorbed"} if types & QUANTIZED else {"folded"} if folded else {"layer"}

    def of(self, node):
        """The outcomes that model and dump leave open."""
        layers = self.names.of_node.get(node.index, [])
        if not self.model:
            return {"layer"} if layers or any(self.names.in_name(i, node) for i in range(len(self.kinds))) else None
        if node.index not in self.model.live:
            return {"dead"}
        if layers:
            folded = self.model.is_folded(node)
            return self._of_quantizer(node, layers) if node.op in QDQ else {"layer", "folded"} if folded else {"layer"}
        return self._unnamed(node)

    def _unnamed(self, node):
        """No Metadata names it, or the dump has none: then it may be in any layer."""
        m, plain_dump = self.model, not self.dump.has_metadata
        sized = bool(node.outputs) and node.outputs[0] in m.of_sizes
        if m.is_folded(node) or node.op == "Constant":
            partly = sized and (node.outputs[0] in m.partly or node.op == "Shape" and bool(m.tuned))
            kept = node.op in DEQUANTIZERS and plain_dump       # the type of weights remains
            return ({"absorbed"} if kept or partly else set()) | ({"folded"} if not kept or not self.dump.is_typed else set())
        if node.index in m.size or node.op in ("Shape", "Size"):
            # What follows from data that the caller passes as sizes may be a kernel's work as well.
            work = {"folded"} if sized else {"layer", "unexplained"} if not plain_dump else set()
            return {"absorbed"} | work | ({"identity"} if node.op == "Cast" else set())
        found = {"merged"} if node.index in m.duplicate else set()
        if node.op in QDQ:
            return found | {"absorbed", "identity"} | ({"layer"} if plain_dump else set())
        found |= {"layer", "unexplained"} | ({"folded", "absorbed"} if sized else set())
        if self._same(node):
            found.add("identity")
        view = node.op in VIEWS and node.op != "Identity" and not node.scope
        named = plain_dump and node.index in self.names.region.union(*self.names.parts)
        return found - {"unexplained" * (view or named), "layer" * (view and node.index not in self.linked)}


class Links:
    def __init__(self, model, dump, names):
        self.model, self.dump, self.names = model, dump, names

    def judge(self, layer, index, evidence):
        """Whether it is all of the evidence for this link that dump and log show, and no other; None: no such node."""
        if index >= len(self.names.nodes):
            return None
        node, found, kernel = self.names.nodes[index], set(evidence), self.dump.layers[layer]
        named, in_name = index in self.names.metadata[layer], self.names.in_name(layer, node)
        logged = self._in_log(node, index)
        if node.op in CONTROL or self.model and self.model.functions:
            return True     # it stands for the nodes of its bodies, which Metadata and names have as well
        if not node.scope and (("metadata" in found) != named or ("name" in found) != in_name):
            return False
        if "log" in found and not (logged and (in_name or kernel.type == "Myelin")):
            return False
        rewritten = plain(node.name) == node.name.replace("/", "_").replace(".", "_")
        if named and in_name and "log" not in found and logged and self.dump.has_metadata and rewritten:
            return False
        if "structure" in found and (named or "_myl" not in kernel.name):
            return False
        if "_unroll" in kernel.name and node.op not in RECURRENT and not node.scope and not named:
            return False    # a step of a recurrent node works for that
        inferred = found & {"tensor", "structure"} and not (named or in_name or kernel.type == "Myelin")
        return not (self.model and inferred) or self._is_near(layer, index)

    def _in_log(self, node, index):
        called = self.names.called(node)
        if not self.model:
            return any(called in line for line in self.dump.lines)
        return called in self.names.log or index in self.names.region or called in self.names.fused

    def _is_near(self, layer, index):
        """Few edges of the model lie between it and what the layer's tensors, or the layers around, are named after."""
        around = self._nodes_around(layer)
        return index in around or not around

    def _nodes_around(self, layer):
        m, seeds = self.model, set()
        for port in self.dump.layers[layer].ins + self.dump.layers[layer].outs:
            for name in {port.name, re.sub(r"(\.1)?(_\d+)?_myl\d+$", "", port.name)}:
                seeds |= {m.maker[name]} if name in m.maker else set()
                seeds |= set(m.readers.get(name, []))
        beside = {layer} | self.dump.near(layer, True, set()) | self.dump.near(layer, False, set())
        seeds |= {n for k in beside for n in self.names.metadata[k] | self.names.parts[k]}
        found, front = set(seeds), seeds
        for _ in range(STEPS):
            front = {k for i in front for k in (*m.next_of(i), *m.before(i))} - found
            found |= front
        return found
