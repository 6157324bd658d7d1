"""Writes ONNX graphs by hand: nodes, constants, shapes and quantizers.

Weights are external data in a file that does not exist, so that a model of a hundred layers needs a
few kilobytes. Scales and shapes have values, because the builder's decisions depend on them.
"""
import struct

from onnx import TensorProto, helper

F32, I64, I8, I32 = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT8,
                     TensorProto.INT32)


class Maker:
    """One graph under construction.  Methods take and return tensor names."""

    def __init__(self, rng, style, prefix=""):
        self.rng, self.style, self.prefix = rng, style, prefix
        self.nodes, self.inits = [], []
        self.inputs, self.outputs = [], []
        self.shape, self.names, self.count = {}, set(), 0
        self.quant = None           # a quantizer of quantizers.py; None: no quantizers

    # ------------------------------------------------------------ tensors

    def fresh(self, name):
        """Returns the name, with a suffix if the graph already has it: two tensors of a graph must
        have different names."""
        name = self.prefix + name
        base, k = name, 1
        while name in self.names:
            name, k = "%s_%d" % (base, k), k + 1
        self.names.add(name)
        return name

    def input(self, name, shape, elem=F32):
        name = self.fresh(name)
        self.inputs.append(helper.make_tensor_value_info(name, elem, shape))
        self.shape[name] = list(shape)
        return name

    def output(self, tensor, elem=F32):
        """Marks a tensor as an output of the graph."""
        if any(o.name == tensor for o in self.outputs):
            return
        self.outputs.append(helper.make_tensor_value_info(
            tensor, elem, self.shape.get(tensor)))

    def weight(self, name, dims, elem=F32):
        """Adds a constant whose bytes are in a file that does not exist."""
        name = self.fresh(name)
        t = TensorProto(name=name, data_type=elem, dims=dims)
        t.data_location = TensorProto.EXTERNAL
        e = t.external_data.add()
        e.key, e.value = "location", "weights.bin"
        self.inits.append(t)
        self.shape[name] = list(dims)
        return name

    def value(self, name, dims, raw, elem):
        """Adds a small constant with its bytes, as an initializer or as a Constant node."""
        t = TensorProto(data_type=elem, dims=dims, raw_data=raw)
        if self.quant is not None and self.quant.constant_nodes:
            return self.op("Constant", [], shape=dims, value=t)
        name = self.fresh(name)
        t.name = name
        self.inits.append(t)
        self.shape[name] = list(dims)
        return name

    def ints(self, values, name="const"):
        raw = struct.pack("<%dq" % len(values), *values)
        return self.value(name, [len(values)], raw, I64)

    def floats(self, values, name="scale", dims=None):
        raw = struct.pack("<%df" % len(values), *values)
        return self.value(name, [len(values)] if dims is None else dims, raw, F32)

    # -------------------------------------------------------------- nodes

    def op(self, op, ins, shape=None, outs=1, name=None, domain="", **attrs):
        """Appends a node. Returns its output, or a list if it has several. `shape` is the shape of
        the output, or a list of shapes."""
        name = self.style.node(op) if name is None else name
        made = [self.fresh(self.style.tensor(op, name)) for _ in range(outs)]
        node = helper.make_node(op, ins, made, name=name, **attrs)
        if domain:
            node.domain = domain
        self.nodes.append(node)
        shapes = [shape] if outs == 1 else shape
        for t, s in zip(made, shapes or []):
            if s is not None:
                self.shape[t] = list(s)
        self.count += 1
        return made[0] if outs == 1 else made

    def like(self, op, ins, **attrs):
        """Appends a node whose output has the shape of its first input."""
        return self.op(op, ins, shape=self.shape.get(ins[0]), **attrs)

    def model(self, name="g", opset=13):
        g = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.inits)
        m = helper.make_model(g, opset_imports=[helper.make_opsetid("", opset)])
        m.ir_version = 8
        m.producer_name = "fuser"
        return m

    def body(self, name):
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.inits)
