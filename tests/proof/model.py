"""What an ONNX file says: nodes in the order of the file, which tensors are constants, what reaches an output, which
values are computed twice.  The truth is the model alone, read by the onnx package."""
import struct

import onnx

VIEWS = {"Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity"}
QUANTIZERS = {"QuantizeLinear", "TRT_FP8QuantizeLinear", "TRT_INT4QuantizeLinear", "DynamicQuantizeLinear",
              "TRT_FP4DynamicQuantize"}
DEQUANTIZERS = {"DequantizeLinear", "TRT_FP8DequantizeLinear", "TRT_INT4DequantizeLinear"}
QDQ = QUANTIZERS | DEQUANTIZERS
PRODUCTS = {"Conv", "ConvTranspose", "ConvInteger", "Gemm", "MatMul", "MatMulInteger", "QLinearConv", "QLinearMatMul",
            "Einsum", "Attention"}
PARTS = {"Concat", "Slice", "Split"}
COPIES = PARTS | {"Transpose", "Expand", "Tile", "Gather", "DepthToSpace", "SpaceToDepth", "Pad"}
MOVES = VIEWS | COPIES | QDQ | {"Cast", "CastLike", "Dropout"}
CONTROL = {"If", "Loop", "Scan"}
RECURRENT = {"LSTM", "GRU", "RNN"}
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"}
SHAPES = {"Shape", "Size"}
# The sizes of their results follow from values.
BY_VALUE = {"NonZero", "Unique", "Compress", "NonMaxSuppression", "StringSplit"}
# The inputs whose values are sizes, axes or places, not data.
SIZES = {"Reshape": (1,), "Expand": (1,), "Tile": (1,), "ConstantOfShape": (0,), "Slice": (1, 2, 3, 4), "Resize": (1, 2, 3),
         "Squeeze": (1,), "Unsqueeze": (1,), "Split": (1,), "Pad": (1,), "Range": (0, 1, 2), "Upsample": (1,),
         "ReduceSum": (1,), "ReduceMean": (1,), "ReduceMax": (1,), "TopK": (1,), "Gather": (1,), "Loop": (0, 1), "If": (0,)}
TYPES = {1: "fp32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 9: "bool", 10: "fp16", 11: "fp64", 16: "bf16",
         17: "fp8", 18: "fp8", 19: "fp8", 20: "fp8", 21: "uint4", 22: "int4", 23: "fp4", 24: "e8m0"}


class Node:
    def __init__(self, message, index, scope):
        self.index, self.scope, self.name, self.op, self.domain = index, scope, message.name, message.op_type, message.domain
        self.inputs, self.outputs = list(message.input), list(message.output)
        self.attributes = {a.name: a for a in message.attribute}
        self.bodies = [a.g for a in message.attribute if a.HasField("g")]
        self.bodies += [g for a in message.attribute for g in a.graphs]

    def attribute(self, name, default=None):
        found = self.attributes.get(name)
        return default if found is None else onnx.helper.get_attribute_value(found)


class Model:
    """Bodies of control flow follow the graph that they stand in; their tensors are apart from those of other scopes."""

    def __init__(self, path, sizes=None):
        """`sizes`: of inputs that the model leaves open, those that the engine was tuned for."""
        whole = onnx.load(path, load_external_data=False)
        self.nodes, self.maker, self.readers = [], {}, {}
        self.initializers, self.types, self.dims = {}, {}, {}
        self.functions = {(f.domain, f.name) for f in whole.functions}
        self.inputs = [i.name for i in whole.graph.input]
        self.outputs = [o.name for o in whole.graph.output]
        queue = [(0, whole.graph)]
        for scope, graph in queue:
            first = self._add(graph, scope)
            queue += [(node.index + 1, body) for node in self.nodes[first:] for body in node.bodies]
        self.tuned = {}
        self._infer(whole, sizes or {})
        self.inputs = [i for i in self.inputs if i not in self.initializers]
        self.names = {n.name: n.index for n in self.nodes if n.name and not n.scope}
        self.constant = self._constants()
        self.live = self._live()
        self.duplicate = self._duplicates()
        self.size = self._sizes()

    def _add(self, graph, scope):
        for tensor in graph.initializer:
            self.initializers.setdefault(tensor.name, tensor)
            self.types[tensor.name], self.dims[tensor.name] = TYPES.get(tensor.data_type), list(tensor.dims)
        first = len(self.nodes)
        for message in graph.node:
            self.nodes.append(Node(message, len(self.nodes), scope))
        for node in self.nodes[first:]:
            for tensor in node.outputs:
                self.maker.setdefault(tensor, node.index)
            for tensor in [t for t in node.inputs if t] + [t for body in node.bodies for t in self._taken(body)]:
                self.readers.setdefault(tensor, []).append(node.index)
        return first

    def _taken(self, body):
        """Tensors that a body reads of the graph around it."""
        made = {t for n in body.node for t in n.output} | {i.name for i in body.initializer}
        found = {t for n in body.node for t in n.input if t} | {o.name for o in body.output}
        inner = [a.g for n in body.node for a in n.attribute if a.HasField("g")]
        return found.union(*map(self._taken, inner)) - made

    def _infer(self, whole, sizes):
        """Sizes that hold in each run: those that two runs of different sizes have in common.  `tuned`: of one run."""
        values, dims = self._inferred(whole, {})
        for name, kind in values.items():
            self.types.setdefault(name, kind)
        if sizes:
            wider = {n: [d + 1 if o is None else d for d, o in zip(s, dims.get(n) or s)] for n, s in sizes.items()}
            self.tuned, other = (self._inferred(whole, s)[1] for s in (sizes, wider))
            for name, found in self.tuned.items():
                if name not in dims or None in (dims[name] or [None]):
                    both = other.get(name) or []
                    dims[name] = [a if a == b else None for a, b in zip(found, both)] if len(found) == len(both) else None
        for name, found in dims.items():
            if found is not None:
                self.dims.setdefault(name, found)

    @staticmethod
    def _inferred(whole, sizes):
        copy = onnx.ModelProto()
        copy.CopyFrom(whole)
        if sizes:
            del copy.graph.value_info[:]
            for value in copy.graph.input:
                for dim, size in zip(value.type.tensor_type.shape.dim, sizes.get(value.name, ())):
                    dim.dim_value = size
            for value in copy.graph.output:
                value.type.tensor_type.ClearField("shape")
        try:
            graph = onnx.shape_inference.infer_shapes(copy, data_prop=True).graph
        except Exception:   # pylint: disable=broad-except
            graph = copy.graph      # of which no more is known
        types, dims = {}, {}
        for value in [*graph.value_info, *graph.input, *graph.output]:
            tensor = value.type.tensor_type
            types[value.name] = TYPES.get(tensor.elem_type)
            if tensor.HasField("shape"):
                dims[value.name] = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
        return types, dims

    def _constants(self):
        """Tensors that follow from initializers, Constants and fixed sizes.  Sizes are fixed where those of all inputs
        are and every operand that states sizes is constant; a Shape of such a tensor is a constant."""
        known = set(self.initializers) - set(self.inputs)
        parts, self.partly, self.of_sizes, by_data = {}, set(), set(), set()
        shaped = known | {i for i in self.inputs if all(self.dims.get(i, [None]))}
        for _ in range(2 if any(n.scope for n in self.nodes) else 1):
            for node in self.nodes:
                ins = [t for t in node.inputs if t]
                if node.op in CONTROL | RANDOM or (node.domain, node.op) in self.functions \
                        or node.domain not in ("", "ai.onnx", "trt", "com.microsoft"):
                    continue
                whole = bool(ins) and all(t in shaped for t in ins)
                self._follow_sizes(node, parts)
                strict = node.op in SHAPES and whole or all(t in known and t not in self.partly for t in ins)
                if node.outputs and all(parts.get(node.outputs[0], [None])):
                    known |= set(node.outputs)
                    shaped |= set(node.outputs)
                    self.partly |= set() if strict else set(node.outputs)
                decided = {t for i, t in enumerate(node.inputs) if t and i in SIZES.get(node.op, ()) and node.op != "Gather"}
                if set(ins) & by_data or decided - known - self.of_sizes:
                    by_data |= set(node.outputs)        # data decides its size
                if node.op in SHAPES and ins[0] not in by_data or ins and all(t in known | self.of_sizes for t in ins):
                    self.of_sizes |= set(node.outputs)
                if self.partly & set(ins):
                    self.partly |= set(node.outputs)
                if node.op == "Constant" or node.op in SHAPES and whole or ins and all(t in known for t in ins):
                    known |= {t for t in node.outputs if t}
                    shaped |= {t for t in node.outputs if t}
                elif whole and node.op not in BY_VALUE and decided <= known:
                    shaped |= {t for t in node.outputs if t}
        return known

    def _follow_sizes(self, node, parts):
        """Of a Shape the sizes that the model fixes, and of what takes some of them by constant places."""
        if node.op == "Shape" and self.dims.get(node.inputs[0]):
            parts[node.outputs[0]] = self.dims[node.inputs[0]]
        sizes = parts.get(node.inputs[0]) if node.inputs else None
        if not sizes or node.op not in ("Slice", "Gather", "Cast", "Squeeze", "Unsqueeze"):
            return
        places = [self.scalar(t) for t in node.inputs[1:]]
        if node.op in ("Slice", "Gather") and any(p is None for p in places):
            return
        if node.op == "Slice" and len(places) >= 2:
            sizes = sizes[int(places[0]):int(places[1])]
        elif node.op == "Gather":
            sizes = [sizes[int(places[0])]] if -len(sizes) <= places[0] < len(sizes) else None
        parts[node.outputs[0]] = sizes or [None]

    def is_folded(self, node):
        return bool(node.outputs) and node.outputs[0] in self.constant

    def _live(self):
        """Nodes that reach an output of the model, and those of the bodies of such."""
        live, queue = set(), [self.maker[o] for o in self.outputs if o in self.maker]
        queue += [n.index for n in self.nodes if n.scope]
        while queue:
            node = self.nodes[queue.pop()]
            if node.index not in live:
                live.add(node.index)
                wanted = set(node.inputs) | {t for b in node.bodies for t in self._taken(b)}
                queue += [self.maker[t] for t in wanted if t in self.maker]
        return live

    def _value_of(self, name):
        """Equal for constants of equal values, or the name."""
        t = self.initializers.get(name)
        values = (t.raw_data, *(tuple(v) for v in (t.float_data, t.int32_data, t.int64_data))) if t is not None else ()
        return hash((t.data_type, tuple(t.dims), values)) if any(values) else name

    def _duplicates(self):
        """By node: the others that compute the same value, of the same operator, attributes and inputs."""
        value, groups = {}, {}
        for node in self.nodes:
            if node.bodies or node.op in RANDOM:
                continue
            key = (node.op, node.domain, tuple(value.get(t, self._value_of(t)) for t in node.inputs),
                   tuple(sorted(a.SerializeToString() for a in node.attributes.values())))
            for i, tensor in enumerate(node.outputs):
                value[tensor] = (hash(key), i)
            groups.setdefault(hash(key), []).append(node.index)
        return {i: group for group in groups.values() if len(group) > 1 for i in group}

    def _sizes(self):
        """Nodes of whose values only sizes, axes or conditions are left: all that read them take them as such."""
        found = set()
        for node in reversed(self.nodes):
            uses = [(self.nodes[r], t) for t in node.outputs for r in self.readers.get(t, [])]
            if uses and not set(node.outputs) & set(self.outputs) and all(
                    r.index in found or all(i in SIZES.get(r.op, ()) for i, x in enumerate(r.inputs) if x == t)
                    and t in r.inputs for r, t in uses):
                found.add(node.index)
        return found

    def scalar(self, name):
        """The only element of a constant; None: it has several, or is unknown."""
        tensor = self.initializers.get(name)
        if tensor is None and name in self.maker and self.nodes[self.maker[name]].op == "Constant":
            tensor = self.nodes[self.maker[name]].attribute("value")
        if tensor is None or not hasattr(tensor, "data_type"):
            return None
        if tensor.float_data:
            return tensor.float_data[0] if len(tensor.float_data) == 1 else None
        form = {1: "<f", 10: "<e", 11: "<d", 7: "<q", 6: "<i"}.get(tensor.data_type)
        one = form and len(tensor.raw_data) == struct.calcsize(form)
        return struct.unpack(form, tensor.raw_data)[0] if one else None

    def next_of(self, i):
        return [r for t in self.nodes[i].outputs for r in self.readers.get(t, [])]

    def before(self, i):
        return [self.maker[t] for t in self.nodes[i].inputs if t in self.maker]
