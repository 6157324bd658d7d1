"""An ONNX model as plain numbered nodes.

The nodes of the main graph have the first numbers, in file order. Then the subgraphs follow, in the
order of the nodes that own them. The nodes of a subgraph are in file order, and the nodes of its
own subgraphs follow them in the same way.

A key identifies a tensor. In the main graph, the key is the name. In a subgraph, the key is the
name, a zero byte and the number of the scope, because a subgraph may use the same name again.
"""
import onnx
from onnx import AttributeProto, TensorProto

RANDOM_OPS = {"RandomNormal", "RandomUniform", "RandomNormalLike",
              "RandomUniformLike", "Multinomial", "Bernoulli"}


class Node:
    """One NodeProto, with input and output names replaced by keys."""
    __slots__ = ("index", "name", "op", "domain", "ins", "outs", "attrs",
                 "proto", "scope", "owner", "bodies")

    def __init__(self, index, proto, scope, owner):
        self.index, self.proto = index, proto
        self.name, self.op, self.domain = proto.name, proto.op_type, proto.domain
        self.scope, self.owner = scope, owner
        self.ins, self.outs, self.bodies = [], [], []
        self.attrs = {a.name: a for a in proto.attribute}

    def ints(self, name):
        a = self.attrs.get(name)
        return list(a.ints) if a is not None else None

    def int(self, name, default=0):
        a = self.attrs.get(name)
        return a.i if a is not None else default


class Net:
    """Nodes, constants, and the types and shapes that shape inference finds."""

    def __init__(self, model):
        self.nodes, self.inits, self.bodies = [], {}, []
        self.shape, self.elem = {}, {}
        self.scope_outs = []
        g = model.graph
        self.scope_of = []          # scope number -> index of the owner node, or None
        names = {}
        self._enter(g, None, names)
        constants = {i.name for i in g.initializer}
        self.inputs = [i.name for i in g.input if i.name not in constants]
        self.outputs = [o.name for o in g.output]
        self._forms(g)
        self.producer = {}
        for n in self.nodes:
            for t in n.outs:
                self.producer.setdefault(t, n.index)
        self.users = {}
        for n in self.nodes:
            for t in n.ins:
                self.users.setdefault(t, []).append(n.index)
        self._label()

    def _enter(self, graph, owner, outer):
        """Appends the nodes of a graph, then the nodes of their bodies."""
        scope = len(self.scope_of)
        self.scope_of.append(owner)
        seen = dict(outer)

        def define(name):
            if name:
                seen[name] = name if scope == 0 else "%s\0%d" % (name, scope)
            return seen.get(name, "")

        for t in graph.initializer:
            self.inits[define(t.name)] = t
        for i in graph.input:
            define(i.name)
        mine = []
        for p in graph.node:
            n = Node(len(self.nodes), p, scope, owner)
            self.nodes.append(n)
            mine.append(n)
            n.outs = [define(t) for t in p.output]
        for n in mine:
            n.ins = [seen.get(t, t) for t in n.proto.input]
        self.scope_outs.append([seen.get(o.name, o.name) for o in graph.output])
        for n in mine:
            for a in n.proto.attribute:
                graphs = [a.g] if a.type == AttributeProto.GRAPH else list(a.graphs)
                for body in graphs:
                    n.bodies.append(len(self.scope_of))
                    self._enter(body, n.index, seen)

    def _forms(self, graph):
        for v in list(graph.value_info) + list(graph.input) + list(graph.output):
            tt = v.type.tensor_type
            self.elem[v.name] = tt.elem_type
            if tt.HasField("shape"):
                self.shape[v.name] = [d.dim_value if d.HasField("dim_value") else -1
                                      for d in tt.shape.dim]
        for name, t in self.inits.items():
            self.elem[name], self.shape[name] = t.data_type, list(t.dims)

    def _label(self):
        """Sets the name that TensorRT's parser gives each node. The parser names an unnamed node
        after its output, and appends a counter to a repeated name."""
        taken, self.label, self.title, self.shared = set(), [], [], set()
        first = {}
        for n in self.nodes:
            title = n.name or ("node_of_" + n.proto.output[0]
                               if n.proto.output else "node_of_")
            self.title.append(title)
            if title in first:
                self.shared.update((n.index, first[title]))
            first.setdefault(title, n.index)
            label, k = title, n.index
            while label in taken:
                label, k = "%s_%d" % (title, k), k + 1
            if label != title:
                self.shared.add(n.index)
            taken.add(label)
            self.label.append(label)
        for n in self.nodes:        # a name with a counter may be equal to the name of another node
            lab = self.label[n.index]
            if lab != self.title[n.index] and lab in first:
                self.shared.add(first[lab])

    def body_nodes(self, owner):
        """Returns all nodes in the bodies of an owner, at any depth."""
        inside, found = {owner}, []
        for n in self.nodes[owner + 1:]:
            if n.owner in inside:
                inside.add(n.index)
                found.append(n.index)
        return found

    def constant_key(self, tensor):
        """Returns a key. Constants with equal keys have the same value."""
        t = self.inits.get(tensor)
        if t is None and tensor in self.producer:
            n = self.nodes[self.producer[tensor]]
            if n.op == "Constant" and "value" in n.attrs:
                t = n.attrs["value"].t
        if t is None or t.data_location == TensorProto.EXTERNAL:
            return tensor
        if t.ByteSize() > 4096:
            return tensor
        copy = TensorProto()
        copy.CopyFrom(t)
        copy.ClearField("name")
        copy.ClearField("doc_string")
        return copy.SerializeToString(deterministic=True)


def read(path):
    """Reads a model without its external weights, whose files need not exist."""
    return onnx.load(path, load_external_data=False)


def infer(model):
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:               # without inferred shapes, the model is still usable
        return model
