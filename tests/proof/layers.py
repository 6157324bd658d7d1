"""Claims about layers: kind, cause, what the movement is for, precision, bytes.

The truth is the dump: types, sizes and strides of the tensors, the operations in a kernel's name, and the nodes that its
Metadata names."""
import math
import re

from dump import BITS, FLOATS, MOVING, QUANTIZED
from model import CONTROL, COPIES, MOVES, PARTS, PRODUCTS, QDQ, RECURRENT, VIEWS

KINDS = ["compute", "reformat", "copy", "quantize", "constant", "noop", "shape", "sync", "foreign"]
CAUSES = "io dtype layout dtype+layout scale concat slice padding plugin foreign dla free unknown".split()
SYNC = {"wait", "signal", "memset", "add", "mul", "div", "cast", "jmp", "cjmp", "TrainStation"}
FIXED = {"NoOp": "noop", "custom_layer": "noop", "Constant": "constant", "shape_call": "shape", "ShapeHostToDevice": "shape",
         "DeviceToShapeHost": "shape", "Myelin": "foreign", "copy": "copy"}
# Operations that the kernel before could have applied to its result.
APPLIED = MOVING | set("Cast Mul Add Sub Div Sqrt Relu Max Min Roun Clip Sigm Silu Tanh Exp Neg Erf Abs Sele Cmp Resi Pow Log "
                       "Gtr Lt Eql Neq Floo Ceil Gath Hard Leak Elu Not And Or Sign Sin Cos Mod Soft".split())
# Operators that need a kernel of their own: each element of the result follows from several of the input.
APART = re.compile("Softmax|Reduce|Normalization|Pool|TopK|Arg|CumSum|Hardmax|Grid|Scatter|NonMax")
RANK = ["int4", "fp4", "int8", "fp8", "fp16", "bf16", "tf32", "fp32"]


class Layers:
    """`linked`: by layer, the nodes that the report links to it, which count where the dump has no Metadata of it; the
    claims about evidence judge these links."""

    def __init__(self, model, dump, names, linked):
        self.model, self.dump, self.names, self.linked = model, dump, names, linked
        self.kinds = [self.kind(i) for i in range(len(dump.layers))]

    def nodes(self, i):
        if not self.model:
            return []
        found = self.names.metadata[i] or {k for k in self.linked[i] if k < len(self.model.nodes)}
        return [self.model.nodes[k] for k in sorted(found)]

    # What a layer is.

    def kind(self, i):
        layer = self.dump.layers[i]
        if layer.type in SYNC or layer.type in FIXED:
            return "sync" if layer.type in SYNC else FIXED[layer.type]
        quantizes = re.match("(De)?[Qq]uantize", layer.name) or layer.origin == "QDQ"
        wraps = re.match(r"(copied_)?(un)?(reshape|squeeze|transpose)_(before|after|node_after)_", layer.name)
        copies = layer.origin in ("SLICE", "IDENTITY") or layer.name.endswith(" copy")
        if layer.type in ("Reformat", "MyelinReformat", "") and layer.name.startswith("Reformatting"):
            return "copy" if copies else "reformat"
        if layer.type in ("Reformat", "MyelinReformat"):
            return "quantize" if quantizes else "copy" if copies else "reformat"
        if not layer.type:
            return "copy" if copies or wraps and " + " not in layer.name else "compute"
        if layer.steps and layer.type in ("kgen", "runtime_function") and set(layer.steps) <= MOVING | {"Cast"}:
            a, b = layer.ends() or (None, None)
            return "reformat" if a and (a.type != b.type or a.layout() != b.layout()) else "copy"
        quantizes = layer.type == "Scale" and quantizes or layer.type == "kgen" and self._only_quantizes(i)
        return "quantize" if quantizes else "compute"

    def _only_quantizes(self, i):
        """All of its nodes that work on data are quantizers, maybe one into a Concat, or a product that it pads for."""
        steps, nodes = set(self.dump.layers[i].steps), self.nodes(i)
        others = [n for n in nodes if n.op not in QDQ]
        prepares = "Roun" in steps and steps <= MOVING | {"Mul", "Div", "Min", "Max", "Roun", "Cast"}
        return bool(nodes) and (not others or any(n.op in QDQ and not self.model.is_folded(n) for n in nodes) and all(
            self.model.is_folded(n) or n.op == "Concat" or n.op in PRODUCTS and prepares for n in others))

    # In which type.

    def precision(self, i):
        layer, kind = self.dump.layers[i], self.kinds[i]
        ins, outs = ([t for t in layer.types(s) if t] for s in ("ins", "outs"))
        if kind == "foreign":
            return {"unknown", self._narrowest(ins)}
        if kind == "compute":
            constants = layer.types("consts") if not layer.ins and layer.multiplies() else ()   # a product of constants
            found = self._of_floats(layer, ins, outs) or self._narrowest(constants) or self._narrowest(ins) \
                or self._narrowest(outs) or (outs + ins + [None])[0]
            rounded = found == "fp32" and "tf32" in layer.tactic
            return {"tf32" if rounded else found or "unknown"} if found or not layer.is_named_only() else None
        return {(outs or ins or ["unknown"])[0]}

    @staticmethod
    def _narrowest(types):
        return min((t for t in types if t in RANK), key=RANK.index, default=None)

    @staticmethod
    def _of_floats(layer, ins, outs):
        """A kernel that multiplies nothing computes in the widest float that it reads."""
        if layer.type != "kgen" or not layer.steps or layer.multiplies() or "Etc" in layer.steps:
            return None
        wide = [[t for t in side if t in FLOATS] for side in (ins, outs)]
        return max(wide[0] or wide[1], key=RANK.index, default=None)

    # How much it reads and writes.

    def bytes(self, i):
        """None: a size is unknown, or the weights are, which some dumps do not list."""
        layer = self.dump.layers[i]
        if self.kinds[i] in ("noop", "sync", "shape", "constant", "foreign"):
            return None if self.kinds[i] == "foreign" else 0
        sizes = [p.bytes(self._elements(i, p)) for p in layer.ins + layer.outs + layer.consts]
        if not sizes or None in sizes:
            return None
        if self.dump.lists_constants or layer.weights is not None:
            return sum(sizes) + (layer.weights or 0)
        weights = self._weights_of_nodes(i)
        return None if weights is None else sum(sizes) + weights

    def _elements(self, i, port):
        """Of a tensor of open sizes, in the run that the engine was tuned for: those of the model's tensors around that
        have its known sizes; None: these differ, or inference leaves them open."""
        if port.count() is not None or not self.model or not self.model.tuned or not port.dims:
            return None
        if port.name in self.model.tuned:
            return self._alike(port, [port.name])
        made, read = ([n for k in side.get(port.name, []) for n in self.nodes(k)]
                      for side in (self.dump.writers, self.dump.readers))
        crossing = {t for n in made for t in n.outputs} & {t for n in read for t in n.inputs}
        if self._alike(port, crossing) is not None:
            return self._alike(port, crossing)
        near = {n.index: n for k in {i} | self.dump.near(i, True, set()) | self.dump.near(i, False, set())
                for n in self.nodes(k)}.values()
        unsure = len(port.dims) < 4 or any(None in (self.model.tuned.get(t) or [None]) for n in near for t in n.outputs)
        if port.dims.count(-1) > 1 and unsure:
            return None
        return self._alike(port, {t for n in near for t in (*n.inputs, *n.outputs)})

    def _alike(self, port, tensors):
        """The elements of those of the model's tensors that have the known sizes, if they all have as many."""
        sizes = [s for s in map(self.model.tuned.get, tensors) if s and None not in s and len(s) == len(port.dims)]
        counts = {math.prod(s) for s in sizes if all(d in (-1, size) for d, size in zip(port.dims, s))}
        return counts.pop() if len(counts) == 1 else None

    def _weights_of_nodes(self, i):
        """Where the dump lists no weights: the constant factors of the products that this layer alone computes."""
        total, bits = 0, BITS.get(next(iter(self.precision(i) or {None})))
        if not self.model:
            return None
        nodes = self.nodes(i) if self.dump.has_metadata else [self.model.nodes[k] for k in self.names.parts[i]]
        given = [p for p in self.dump.layers[i].ins if p.name not in self.dump.writers and p.name not in self.model.inputs]
        for node in nodes:
            if node.op not in PRODUCTS or len(self.names.of_node.get(node.index, [])) > 1 or len(node.inputs) < 2:
                continue
            name = node.inputs[1]
            while name in self.model.maker and name in self.model.constant and name not in self.model.initializers \
                    and self.model.nodes[self.model.maker[name]].op in QDQ | VIEWS:
                name = self.model.nodes[self.model.maker[name]].inputs[0]
            if node.inputs[1] in self.model.constant:
                sizes = self.model.dims.get(name)
                if not sizes or None in sizes or not bits:
                    return None
                if not any(p.count() == math.prod(sizes) for p in given):
                    total += math.prod(sizes) * bits // 8
        return total

    # Why a layer moves data, and whether the model asks for that.

    def _moves(self, i):
        return self.kinds[i] in ("copy", "reformat", "noop")

    def _pads(self, i):
        """It pads an operand of a product, or cuts the padding off: one axis grows or shrinks."""
        layer = self.dump.layers[i]
        if not layer.ends():
            return False
        a, b = (p.dims for p in layer.ends())
        joins, cuts = layer.steps.count("Conc") == 1, layer.steps.count("Slic") == 1
        ops = {n.op for n in self.nodes(i)}
        serves = bool(ops & PRODUCTS) and not ops & (PARTS | {"Pad", "Expand", "Tile"})
        differ = [(x, y) for x, y in zip(a, b) if x != y] if a and b and len(a) == len(b) else []
        if len(differ) == 1 and min(differ[0]) > 0:
            small, cut = abs(differ[0][0] - differ[0][1]) < 16, differ[0][1] < differ[0][0]
            beside = self.dump.near(i, cut, set())
            return serves and (cuts if cut else joins) or small and any(self.dump.layers[k].multiplies() for k in beside)
        return (not a or not b or min(a + b) < 0) and serves and joins != cuts

    def _at_border(self, i):
        """It reads an input of the network, or writes an output, maybe through layers that only move data."""
        layer = self.dump.layers[i]
        reads = layer.ins and layer.ins[0].name not in self.dump.writers and layer.ins[0].name not in self.dump.constants
        if reads or any(p.name not in self.dump.readers for p in layer.outs) or layer.is_named_only():
            return not layer.is_named_only()
        through = {k for k in range(len(self.dump.layers)) if self._moves(k) and not self.names.metadata[k]}
        behind, queue = [], [i]
        while queue:
            at = queue.pop()
            for p in self.dump.layers[at].outs:
                to = self.dump.readers.get(p.name, [])
                behind += [None] if not to else [k for k in to if k not in through]
                queue += [k for k in to if k in through and k != at]
        before = self.dump.near(i, True, through)
        return behind == [None] or bool(before) and before <= through

    def _forwards(self, i):
        """It brings what another kernel of its nodes computes into another layout."""
        nodes = self.nodes(i)
        return self.kinds[i] == "reformat" and any(n.op not in VIEWS for n in nodes) and all(
            n.op in VIEWS or n.op not in MOVES and len(self.names.of_node.get(n.index, [])) > 1 for n in nodes)

    def asks_for_order(self, i, node):
        """The model asks for another order of the elements: not where axes of one element move, nor where the layer
        writes the elements in the order in which they were."""
        perm = node.attribute("perm")
        if perm is None:
            return True
        dims = self.model.dims.get(node.inputs[0])
        if dims and len(dims) == len(perm):
            moved = [p for p in perm if dims[p] != 1]
            if moved == sorted(moved):
                return False
        others = [n for n in self.nodes(i) if n.op not in VIEWS]
        return len(others) > 1 or not self._leaves_order(self.dump.layers[i], perm)

    @staticmethod
    def _leaves_order(layer, perm):
        a, b = layer.ends() or (None, None)
        if not a or not a.dims or not b.dims or not len(a.dims) == len(b.dims) == len(perm) or not a.strides or not b.strides \
                or min(a.strides + b.strides) < 0 or [a.dims[p] for p in perm] != b.dims:
            return False
        before = [i for i in sorted(range(len(perm)), key=lambda i: -a.strides[i]) if a.dims[i] != 1]
        after = [perm[i] for i in sorted(range(len(perm)), key=lambda i: -b.strides[i]) if b.dims[i] != 1]
        return before == after

    def _unasked(self, i):
        """All of its nodes are views, or copies that leave the order of the elements."""
        nodes = self.nodes(i)
        return bool(nodes) and all(n.op in VIEWS or n.op in COPIES and not self.asks_for_order(i, n) for n in nodes)

    def cause(self, i):
        """The causes that are left; {None}: it needs none.  None: without a model."""
        layer, kind = self.dump.layers[i], self.kinds[i]
        nodes = self.nodes(i)
        if kind not in ("copy", "reformat", "noop"):
            return {None}
        if self.linked[i] and not self.model:
            return None
        unasked = self._unasked(i)
        if nodes and all(n.op in CONTROL | {"Cast"} for n in nodes) and {p.name for p in layer.ins} & set(self.model.inputs):
            return {"io", None}
        if nodes and not unasked and not self._forwards(i):
            return self._of_nodes(i, {n.op for n in nodes})
        if self.dump.ms is not None and self.dump.ms[i] == 0 or kind == "noop":
            return {"free"} if not layer.name.startswith("(Unnamed") else {"free", None}
        if self._at_border(i):
            return {"io"}
        beside = self.dump.near(i, True, set()) | self.dump.near(i, False, set())
        if any(self.dump.layers[k].type == "Myelin" for k in beside) or "{ForeignNode" in layer.name:
            return {"foreign"}
        if self._pads(i):
            return {"padding"}
        found = self._by_change(layer)
        if unasked and (found & {"unknown"} or layer.ins and layer.ins[0].name in self.dump.parts):
            found = found - {"unknown"} | {None}    # a view that costs a copy
        return found

    def _of_nodes(self, i, ops):
        if self._pads(i):
            return {"padding"}
        parts = {"Concat": "concat", "Slice": "slice", "Split": "slice"}
        return {parts[op] for op in ops & PARTS if self.kinds[i] == "copy"} or {None}

    def _by_change(self, layer):
        if layer.is_named_only():
            return {"unknown", "free", "io", "concat", None}
        a, b = (layer.ins + [None])[0], (layer.outs + [None])[0]
        if not a or not b or a.type is None or b.type is None:
            return {"unknown"}
        if a.type != b.type or a.layout() != b.layout():
            return {"dtype" * (a.type != b.type) + "+" * (a.type != b.type and a.layout() != b.layout())
                    + "layout" * (a.layout() != b.layout())}
        read, made = a.count(), b.count()
        if any(p.is_part() for p in layer.outs) or a.name in self.dump.parts:
            return {"concat"}
        if any(p.is_part() for p in layer.ins):
            return {"slice"}
        if None not in (read, made) and (made > read if len(layer.ins) > 1 else made < read):
            return {"concat" if len(layer.ins) > 1 else "slice"}
        return {"unknown"} | ({"scale", "layout"} if a.type in QUANTIZED else {"layout"} if a.layout() is None else set())

    def _is_made(self, port):
        """A layer computed it, maybe before others that only move it: it is no input of the network."""
        for _ in range(64):
            by = self.dump.writers.get(port.name, [])
            if not all(self._moves(k) for k in by):
                return True
            if not by or not self.dump.layers[by[0]].ins:
                return False
            port = self.dump.layers[by[0]].ins[0]
        return False

    def spent(self, i):
        """What its time counts as; None: as its kind implies."""
        layer, kind = self.dump.layers[i], self.kinds[i]
        if kind in ("copy", "reformat"):
            return {"requested_movement"} if self._is_requested(i) else {None}
        if kind != "compute" or layer.multiplies() or not set(layer.types("outs")) & QUANTIZED \
                or not any(p.type in FLOATS and self._is_made(p) for p in layer.ins):
            return {None}
        nodes = self.nodes(i)
        if layer.steps and "Etc" not in layer.steps:
            apart = not set(layer.steps) <= APPLIED or any(n.op in RECURRENT | CONTROL for n in nodes)
        else:
            apart = any(APART.search(n.op) and n.op != "BatchNormalization" or n.op in RECURRENT | CONTROL for n in nodes)
        return {None} if apart else {"requantization"} if nodes or layer.steps else {"requantization", None}

    def _is_requested(self, i):
        """The model asks for the movement: for another order, a part, a repetition, a scatter."""
        layer, nodes = self.dump.layers[i], self.nodes(i)
        if not nodes or self._forwards(i) or self._pads(i) and "Tran" not in layer.steps:
            return False
        linked = self._of_nodes(i, {n.op for n in nodes}) - {"padding"}
        for node in nodes:
            if self.model.is_folded(node) and not all(self.model.is_folded(n) for n in nodes):
                continue
            if node.op in COPIES | {"Cast", "CastLike"}:
                if (node.op not in PARTS or linked == {None}) and self.asks_for_order(i, node):
                    return True
            elif node.op in ("ScatterND", "ScatterElements") or node.op in RECURRENT and "Reve" in layer.steps:
                return True
        return False
