"""A model as another exporter, or a later version of its source, would write it.

Every node bears what it is in `doc_string`; a change copies or drops that, so the truth
about who is whose copy never comes from names or structure.
"""
import re

import onnx

ONE_INPUT = {"Relu", "Clip", "Sigmoid", "Tanh", "Conv", "LayerNormalization", "Softmax"}
COMMUTE = {"Add", "Mul"}


def mark(model):
    for i, node in enumerate(model.graph.node):
        node.doc_string = str(i)


def ports(model):
    return {p.name for p in list(model.graph.input) + list(model.graph.output)}


def outputs(model):
    return {p.name for p in model.graph.output}


def fresh(model, prefix):
    """A name that is the beginning of none that the model has."""
    taken = {t for n in model.graph.node for t in [n.name, *n.input, *n.output]}
    i = 0
    while any(t.startswith(f"{prefix}{i}") for t in taken):
        i += 1
    return f"{prefix}{i}"


def redirect(model, old, new, but=()):
    for node in model.graph.node:
        if node.name not in but:
            node.input[:] = [new if x == old else x for x in node.input]


def some(model, rng, ops=None):
    """An inner node whose output is not one of the network's, and its place."""
    ends = outputs(model)
    places = [i for i, n in enumerate(model.graph.node)
              if (n.op_type in ops if ops else n.op_type not in ("Constant", "Shape")) and
              n.output and n.output[0] not in ends]
    if not places:
        return None, None
    at = rng.choice(places)
    return at, model.graph.node[at]


# --------------------------------------------------------------------------- changes

def put_in(model, rng):
    """A Tanh between a node and those that read it."""
    at, node = some(model, rng)
    if node is None:
        return
    name, out = fresh(model, "new"), node.output[0]
    redirect(model, out, name + "_out")
    model.graph.node.insert(at + 1, onnx.helper.make_node("Tanh", [out], [name + "_out"], name))


def repeat(model, rng):
    """A node of one data input twice in a row, called by the same module."""
    at, node = some(model, rng, ONE_INPUT)
    if node is None:
        return
    twin = onnx.NodeProto()
    twin.CopyFrom(node)
    twin.doc_string = ""
    out, twin.output[:] = node.output[0], [fresh(model, "again")]
    twin.input[0] = out
    redirect(model, out, twin.output[0])
    model.graph.node.insert(at + 1, twin)


def precede(model, rng):
    """The same, the other one first."""
    at, node = some(model, rng, ONE_INPUT)
    if node is None:
        return
    twin = onnx.NodeProto()
    twin.CopyFrom(node)
    twin.doc_string = ""
    twin.output[:] = [fresh(model, "first")]
    node.input[0] = twin.output[0]
    model.graph.node.insert(at, twin)


def take_out(model, rng):
    """A node that hands on what it reads."""
    at, node = some(model, rng, ONE_INPUT | COMMUTE | {"Cast", "MatMul"})
    if node is None:
        return
    redirect(model, node.output[0], node.input[0])
    del model.graph.node[at]


def change(model, rng):
    """Another attribute."""
    _, node = some(model, rng, {"Conv", "MaxPool", "Softmax"})
    for attribute in node.attribute if node is not None else ():
        if attribute.name == "strides":
            attribute.ints[0] += 1
        elif attribute.name == "axis":
            attribute.i += 7


def quantize(model, rng):
    """A Q and a DQ behind up to ten nodes."""
    graph = model.graph
    for _ in range(rng.randrange(1, 11)):
        at, node = some(model, rng, ONE_INPUT | COMMUTE | {"MatMul", "Gemm", "MaxPool"})
        if node is None:
            return
        name, out = fresh(model, "q"), node.output[0]
        scale = [name + "_s", name + "_z"]
        graph.initializer.append(onnx.helper.make_tensor(scale[0], onnx.TensorProto.FLOAT, [], [0.1]))
        graph.initializer.append(onnx.helper.make_tensor(scale[1], onnx.TensorProto.INT8, [], [0]))
        redirect(model, out, name + "_d")
        graph.node.insert(at + 1, onnx.helper.make_node("DequantizeLinear", [name + "_q", *scale],
                                                        [name + "_d"], name + "_dq"))
        graph.node.insert(at + 1, onnx.helper.make_node("QuantizeLinear", [out, *scale],
                                                        [name + "_q"], name + "_q"))


def fold(model, rng):
    """Initializers behind Constant nodes and the other way about; no Identity of a weight."""
    graph = model.graph
    roots = {i.name for i in graph.initializer}
    for node in [n for n in graph.node if n.op_type == "Identity" and n.input[0] in roots and
                 n.output[0] not in outputs(model)]:
        redirect(model, node.output[0], node.input[0])
        graph.node.remove(node)
    for node in [n for n in graph.node if n.op_type == "Constant" and n.attribute and
                 n.attribute[0].name == "value" and rng.random() < 0.5]:
        tensor = graph.initializer.add()
        tensor.CopyFrom(node.attribute[0].t)
        tensor.name = node.output[0]
        graph.node.remove(node)
    small = [i for i in graph.initializer if len(i.dims) < 2 and i.name not in ports(model)]
    for tensor in rng.sample(small, len(small) // 3):
        node = onnx.helper.make_node("Constant", [], [tensor.name], fresh(model, "c"))
        node.attribute.add(name="value", type=onnx.AttributeProto.TENSOR).t.CopyFrom(tensor)
        graph.initializer.remove(tensor)
        graph.node.insert(0, node)


def reorder(model, rng):
    """Another topological order; weights and constants first as before."""
    nodes = list(model.graph.node)
    made = {out: i for i, n in enumerate(nodes) for out in n.output if out}
    waits = [{made[x] for x in reads(n) if x in made} for n in nodes]
    readers = {}
    for i, needs in enumerate(waits):
        for k in needs:
            readers.setdefault(k, []).append(i)
    ready, order = [i for i, needs in enumerate(waits) if not needs], []
    while ready:
        i = ready.pop(rng.randrange(len(ready)))
        order.append(nodes[i])
        for k in readers.get(i, ()):
            waits[k].discard(i)
            if not waits[k]:
                ready.append(k)
    copies = [onnx.NodeProto.FromString(n.SerializeToString()) for n in order]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def reads(node):
    """What a node needs, within its subgraphs too."""
    needs = list(node.input)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            for inner in attribute.g.node:
                needs.extend(reads(inner))
            needs.extend(o.name for o in attribute.g.output)
    return needs


def double(model, rng):
    """A node computed twice, one of its readers on the second: what a pass undoes."""
    at, node = some(model, rng, ONE_INPUT | COMMUTE)
    readers = [n for n in model.graph.node if node is not None and node.output[0] in n.input]
    if len(readers) < 2:
        return
    twin = onnx.NodeProto()
    twin.CopyFrom(node)
    twin.output[:] = [fresh(model, "twin")]
    reader = rng.choice(readers)
    reader.input[:] = [twin.output[0] if x == node.output[0] else x for x in reader.input]
    model.graph.node.insert(at + 1, twin)


def swap(model, rng):
    """The branches of half the Adds and Muls the other way about."""
    for node in model.graph.node:
        if node.op_type in COMMUTE and len(node.input) == 2 and rng.random() < 0.5:
            node.input[:] = [node.input[1], node.input[0]]


# ----------------------------------------------------------------------------- blocks

def waists(model):
    """Places behind which all that is read comes through one tensor: (place, tensor)."""
    nodes, last, found, alive = model.graph.node, {}, [], set()
    fixed = {i.name for i in model.graph.initializer}
    roots = set()
    for node in nodes:
        if all(not x or x in fixed or x in roots for x in node.input):
            roots.update(node.output)
    for i, node in enumerate(nodes):
        for x in reads(node):
            last[x] = i
    for name in outputs(model):
        last[name] = len(nodes)
    for i, node in enumerate(nodes):
        alive.update(x for x in node.output if last.get(x, 0) > i and x not in roots)
        alive.difference_update(x for x in reads(node) if last[x] <= i)
        if len(alive) == 1 and node.output[0] in alive:
            found.append((i, node.output[0]))
    return found


def block(model, rng, most=60):
    at = waists(model)
    pairs = [(a, b) for k, a in enumerate(at) for b in at[k + 1:k + 40] if 2 <= b[0] - a[0] <= most]
    return rng.choice(pairs) if pairs else (None, None)


def block_out(model, rng):
    """All between two waists gone."""
    a, b = block(model, rng)
    if a is None or b[1] in outputs(model):
        return
    redirect(model, b[1], a[1])
    for node in list(model.graph.node)[a[0] + 1:b[0] + 1]:
        if node.op_type not in ("Constant", "Identity"):
            model.graph.node.remove(node)


def block_in(model, rng):
    """All between two waists once more, with weights of its own."""
    a, b = block(model, rng)
    if a is None or b[1] in outputs(model):
        return
    stem, there = fresh(model, "copy"), {i.name: i for i in model.graph.initializer}
    names = {a[1]: b[1]}
    copies = []
    for node in list(model.graph.node)[a[0] + 1:b[0] + 1]:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.doc_string = ""
        for x in set(node.input) & set(there):
            if x not in names:
                names[x] = f"{stem}.{x}"
                tensor = model.graph.initializer.add()
                tensor.CopyFrom(there[x])
                tensor.name = names[x]
        copy.input[:] = [names.get(x, x) for x in node.input]
        for x in node.output:
            names[x] = f"{stem}.{x}" if x else ""
        copy.output[:] = [names[x] for x in node.output]
        copies.append(copy)
    redirect(model, b[1], names[b[1]])
    for i, copy in enumerate(copies):
        model.graph.node.insert(b[0] + 1 + i, copy)


CHANGES = [put_in, repeat, precede, take_out, change, quantize, fold, reorder, double, swap, block_in, block_out]


# ----------------------------------------------------------------------------- styles

def rename_tensors(model, other):
    """other(name) for every tensor but the network's ports."""
    keep = ports(model) | {""}
    known = {}

    def new(name):
        if name in keep:
            return name
        if name not in known:
            known[name] = other(name)
        return known[name]

    def walk(graph, top):
        for node in graph.node:
            node.input[:] = [new(x) for x in node.input]
            node.output[:] = [new(x) for x in node.output]
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    walk(attribute.g, False)
        for part in (graph.initializer, graph.value_info):
            for item in part:
                item.name = new(item.name)
        if not top:
            for item in list(graph.input) + list(graph.output):
                item.name = new(item.name)
    walk(model.graph, True)


def counted(model):
    """torch.onnx of old: Conv_34, numbers for tensors; weights of folded nodes are numbers too."""
    number = iter(range(10 ** 9))
    rename_tensors(model, lambda name: name if "." in name and "/" not in name and "copy" not in name
                   else str(next(number)))
    for i, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{i}"


def counted_bare(model):
    """The same where no weight kept its name."""
    number = iter(range(10 ** 9))
    rename_tensors(model, lambda name: f"onnx::{next(number)}")
    for i, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{i}"


def pathed(model):
    """torch.onnx of later: /layer1/relu_1/Relu.  A module that is called again counts its calls,
    else each leaf counts."""
    split = [[p for p in n.name.split("/") if p] or [n.op_type] for n in model.graph.node]
    bare = [tuple(re.sub(r"_\d+$", "", p) for p in parts) for parts in split]
    called = {b[:-1] for b, parts in zip(bare, split) if len(parts) > 1 and parts[-2] != b[-2]}
    count = {}
    for node, parts in zip(model.graph.node, bare):
        n = count[parts] = count.get(parts, -1) + 1
        suffix = f"_{n}" if n else ""
        stem, leaf = ("/".join(parts[:-1]) + suffix, parts[-1]) if parts[:-1] in called else \
            ("/".join(parts[:-1]), parts[-1] + suffix)
        node.name = f"/{stem}/{leaf}" if stem else f"/{leaf}"
    number = iter(range(10 ** 9))
    rename_tensors(model, lambda name: name if "." in name and "/" not in name else f"/t_{next(number)}")


def dynamo(model):
    """torch.onnx with dynamo: node_conv2d_3, weights by their names."""
    count = {}
    number = iter(range(10 ** 9))
    rename_tensors(model, lambda name: name if "." in name and "/" not in name else f"val_{next(number)}")
    for node in model.graph.node:
        op = node.op_type.lower()
        n = count[op] = count.get(op, -1) + 1
        node.name = f"node_{op}_{n}" if n else f"node_{op}"


def unnamed(model):
    number = iter(range(10 ** 9))
    rename_tensors(model, lambda name: f"v{next(number)}")
    for node in model.graph.node:
        node.name = ""


STYLES = [counted, counted_bare, pathed, dynamo, unnamed]
