"""Shapes of input whose cost is measured: each a function of a folder and a size, which
writes what it needs there and returns the arguments of a run.

Protobuf is written by hand, since some of it no library would write.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import large
from large import field, varint


def text(number, value):
    return field(number, 2, value.encode())


# ------------------------------------------------------------------------- a model

SHAPE = field(1, 2, field(1, 0, varint(1)) + field(2, 2, field(1, 2, field(1, 0, varint(8)))))


def node(op, inputs, outputs, name="", extra=b""):
    return field(1, 2, b"".join(text(1, t) for t in inputs) + b"".join(text(2, t) for t in outputs) +
                 (text(3, name) if name else b"") + text(4, op) + extra)


def port(number, name):
    return field(number, 2, text(1, name) + field(2, 2, SHAPE))


def constant(name, value=0):
    """An initializer of eight floats, all the same."""
    return field(5, 2, field(1, 0, varint(8)) + field(2, 0, varint(1)) + text(8, name) +
                 field(9, 2, struct.pack("<f", value) * 8))


def attribute(name, kind, payload):
    return field(5, 2, text(1, name) + field(20, 0, varint(kind)) + payload)


AXIS = attribute("axis", 2, field(3, 0, varint(0)))


def write_model(folder, nodes, inputs=("x",), outputs=("y",), rest=b"", functions=b""):
    path = os.path.join(folder, "model.onnx")
    graph = b"".join(nodes) + text(2, "g") + rest
    graph += b"".join(port(11, name) for name in inputs) + b"".join(port(12, name) for name in outputs)
    with open(path, "wb") as file:
        file.write(field(1, 0, varint(8)) + field(8, 2, field(2, 0, varint(17))) + field(7, 2, graph) + functions)
    return path


# ------------------------------------------------------------------------ an engine

def tensor(name):
    return {"Name": name, "Location": "Device", "Dimensions": [8], "Format/Datatype": "Row major linear FP32"}


def layer(name, inputs, outputs, kind="ElementWise", **more):
    return {"Name": name, "LayerType": kind, "Inputs": [tensor(t) for t in inputs],
            "Outputs": [tensor(t) for t in outputs], "TacticValue": "0x0000000000000000", **more}


def write_engine(folder, layers, bindings=("x", "y"), name="engine.json"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"Layers": [')
        for i, each in enumerate(layers):
            file.write((",\n" if i else "") + json.dumps(each))
        file.write('], "Bindings": ' + json.dumps(bindings) + "}\n")
    return path


def inspector_line(each, dims=True):
    def ports(list_):
        return ", ".join("{ Name: %s, Location: Device%s, Format/Datatype: Float }" %
                         (t["Name"], ", Dimensions: [8]" if dims else "") for t in list_)
    return "Name: %s, LayerType: %s, Inputs: [ %s], Outputs: [ %s], TacticValue: 0x0\n" % (
        each["Name"], each["LayerType"], ports(each["Inputs"]), ports(each["Outputs"]))


def write_inspector(folder, layers, dims=True):
    path = os.path.join(folder, "engine.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("Layers:\n")
        file.writelines(inspector_line(each, dims) for each in layers)
        file.write("\nBindings:\nx\ny\n")
    return path


def log_line(each):
    def ports(list_):
        return ", ".join(t["Name"] + " (Float[8])" for t in list_)
    return "Layer(%s): %s, Tactic: 0x0000000000000000, %s -> %s\n" % (
        each["LayerType"], each["Name"], ports(each["Inputs"]), ports(each["Outputs"]))


def write_log(folder, layers, before=""):
    path = os.path.join(folder, "engine.log")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + large.STAMP + "Engine Layer Information:\n")
        file.writelines(log_line(each) for each in layers)
    return path


# ------------------------------------------------------------------- models and engines

def edge(i, n):
    return "x" if i == 0 else "y" if i == n else f"t{i}"


def chain_nodes(n, name="relu_{}".format):
    return [node("Relu", [edge(i, n)], [edge(i + 1, n)], name(i)) for i in range(n)]


def chain_layers(n, name="relu_{}".format):
    return [layer(name(i), [edge(i, n)], [edge(i + 1, n)]) for i in range(n)]


def chain(folder, n):
    return [write_model(folder, chain_nodes(n)), write_engine(folder, chain_layers(n))]


def equal_names(folder, n):
    return [write_model(folder, chain_nodes(n, lambda i: "same")),
            write_engine(folder, chain_layers(n, lambda i: "same"))]


def unnamed(folder, n):
    return [write_model(folder, chain_nodes(n, lambda i: "")),
            write_engine(folder, chain_layers(n, lambda i: f"(Unnamed Layer* {i}) [Activation]"))]


def unknown_names(folder, n):
    """The engine's names, of layers and tensors, say nothing of the model's."""
    layers = [layer(f"q{i}", ["x" if i == 0 else f"u{i}"], ["y" if i == n - 1 else f"u{i + 1}"]) for i in range(n)]
    return [write_model(folder, chain_nodes(n)), write_engine(folder, layers)]


def one_region(folder, n):
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer(f"{{ForeignNode[relu_0...relu_{n - 1}]}}", ["x"], ["y"], "Myelin")])]


def one_sum(folder, n):
    """A layer whose name holds each node's."""
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer(" + ".join(f"relu_{i}" for i in range(n)), ["x"], ["y"])])]


def fan(folder, n):
    """One tensor that all read."""
    outs = [f"y{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], ["t"], "first")] + [node("Relu", ["t"], [y], f"relu_{y}") for y in outs]
    layers = [layer("first", ["x"], ["t"])] + [layer(f"relu_{y}", ["t"], [y]) for y in outs]
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


def star(folder, n):
    """All feed one Concat."""
    mids = [f"t{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], [t], f"relu_{t}") for t in mids] + [node("Concat", mids, ["y"], "cat", AXIS)]
    layers = [layer(f"relu_{t}", ["x"], [t]) for t in mids] + [layer("cat", mids, ["y"])]
    return [write_model(folder, nodes), write_engine(folder, layers)]


def concat_copies(folder, n):
    """A Concat that n copies into its output stand for."""
    mids = [f"t{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], [t], f"relu_{t}") for t in mids] + [node("Concat", mids, ["y"], "cat", AXIS)]
    layers = [layer(f"relu_{t}", ["x"], [t]) for t in mids] + \
        [layer(f"{t} copy", [t], ["y"], "Reformat", Origin="SLICE") for t in mids]
    return [write_model(folder, nodes), write_engine(folder, layers)]


def concat_same(folder, n):
    """A Concat of n times one tensor."""
    return [write_model(folder, [node("Relu", ["x"], ["t"], "relu"), node("Concat", ["t"] * n, ["y"], "cat", AXIS)]),
            write_engine(folder, [layer("relu", ["x"], ["t"]), layer("cat", ["t"] * n, ["y"])])]


def concat_same_copies(folder, n):
    """A Concat of n times one tensor, of which the engine makes copies."""
    return [write_model(folder, [node("Relu", ["x"], ["t"], "relu"), node("Concat", ["t"] * n, ["y"], "cat", AXIS)]),
            write_engine(folder, [layer("relu", ["x"], ["t"])] +
                         [layer("t copy", ["t"], ["y"], "Reformat", Origin="SLICE") for _ in range(n)])]


def long_hub(folder, n):
    """A node of a long name between n Reformats and their readers; a unit is one of these and 16 bytes of the name."""
    hub, mids, outs = "h" * (16 * n), [f"r{i}" for i in range(n)], [f"y{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], ["t"], hub)] + [node("Sigmoid", ["t"], [y], f"sig_{y}") for y in outs]
    layers = [layer(hub, ["x"], ["t"])]
    for r, y in zip(mids, outs):
        layers += [layer(f"Reformatting CopyNode for Input Tensor 0 to sig_{y}", ["t"], [r], "Reformat",
                         Origin="REFORMAT"), layer(f"sig_{y}", [r], [y])]
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


def long_twin(folder, n):
    """Equal nodes, of which the engine keeps one of a long name."""
    kept = "k" * (16 * n)
    nodes = [node("Relu", ["x"], [f"t{i}"], f"relu_{i}" if i else kept) for i in range(n)]
    nodes.append(node("Concat", [f"t{i}" for i in range(n)], ["y"], "cat", AXIS))
    return [write_model(folder, nodes),
            write_engine(folder, [layer(kept, ["x"], ["t0"]), layer("cat", ["t0"] * n, ["y"])])]


def long_parts(folder, n):
    """A Concat of a long name that n copies stand for."""
    cat = "c" * (16 * n)
    return [write_model(folder, [node("Relu", ["x"], ["t"], "relu"), node("Concat", ["t"] * n, ["y"], cat, AXIS)]),
            write_engine(folder, [layer("relu", ["x"], ["t"])] +
                         [layer("t copy", ["t"], ["y"], "Reformat", Origin="SLICE") for _ in range(n)])]


def long_reader(folder, n):
    """A node and a layer of a long name, for which there are n Reformats, each to another type."""
    name, ins, mids = "s" * (16 * n), [f"x{i}" for i in range(n)], [f"r{i}" for i in range(n)]
    layers = [layer(f"Reformatting CopyNode for Input Tensor {i} to {'s' * 64}", [x], [r], "Reformat",
                    Origin="REFORMAT") for i, (x, r) in enumerate(zip(ins, mids))]
    for each in layers:
        each["Outputs"][0]["Format/Datatype"] = "Row major linear FP16"
    return [write_model(folder, [node("Sum", ins, ["y"], name)], inputs=ins),
            write_engine(folder, [*layers, layer(name, mids, ["y"])], [*ins, "y"])]


def long_type(folder, n):
    """A region whose type has a long name."""
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer(f"{{ForeignNode[relu_0...relu_{n - 1}]}}", ["x"], ["y"], "T" * (16 * n))])]


def long_input(folder, n):
    """An input of a long name, all between which and a node is a chain of Reformats."""
    name = "i" * (16 * n)
    layers = [layer("Reformatting CopyNode for Input Tensor 0 to relu_0", [f"r{i}" if i else name],
                    [f"r{i + 1}"], "Reformat", Origin="REFORMAT") for i in range(n)]
    return [write_model(folder, [node("Relu", [name], ["y"], "relu_0")], inputs=[name]),
            write_engine(folder, [*layers, layer("relu_0", [f"r{n}"], ["y"])], [name, "y"])]


def long_source(folder, n):
    """A layer of a long name writes what n layers read."""
    region = "{ForeignNode[" + "+".join(f"relu_{i}" for i in range(n)) + "]}"
    outs = [f"y{i}" for i in range(n)]
    nodes = [node("Relu", ["x" if i == 0 else f"c{i - 1}"], [f"c{i}"], f"relu_{i}") for i in range(n)] + \
        [node("Sigmoid", [f"c{n - 1}"], [y], f"sig_{y}") for y in outs]
    layers = [layer(region, ["x"], [f"c{n - 1}"], "Myelin")] + [layer(f"sig_{y}", [f"c{n - 1}"], [y]) for y in outs]
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


def many_to_many(folder, n):
    """n layers write one tensor, from which a Reformat makes what n read."""
    mids, outs = [f"t{i}" for i in range(n)], [f"y{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], [t], f"relu_{t}") for t in mids] + [node("Concat", mids, ["c"], "cat", AXIS)] + \
        [node("Sigmoid", ["c"], [y], f"sig_{y}") for y in outs]
    layers = [layer(f"relu_{t}", ["x"], ["c"]) for t in mids] + \
        [layer("Reformatting CopyNode for Input Tensor 0 to sig_y0", ["c"], ["r"], "Reformat", Origin="REFORMAT")] + \
        [layer(f"sig_{y}", ["r"], [y]) for y in outs]
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


LATTICE = 32


def lattice_nodes(n, make):
    rows = n // LATTICE
    out = []
    for r in range(rows):
        for c in range(LATTICE):
            before = ["x", "x"] if r == 0 else [f"l{r - 1}_{c}", f"l{r - 1}_{(c + 1) % LATTICE}"]
            out.append(make(f"add_{r}_{c}", before, [f"l{r}_{c}"]))
    return out, [f"l{rows - 1}_{c}" for c in range(LATTICE)]


def lattice(folder, n):
    """Rows of nodes, each of which reads two of the row before."""
    nodes, outs = lattice_nodes(n, lambda name, ins, out: node("Add", ins, out, name))
    layers, _ = lattice_nodes(n, layer)
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


def lattice_unknown(folder, n):
    """The same, of which the engine keeps the tensors and no name."""
    nodes, outs = lattice_nodes(n, lambda name, ins, out: node("Add", ins, out, name))
    layers, _ = lattice_nodes(n, lambda name, ins, out: layer("q" + name, ins, out))
    return [write_model(folder, nodes, outputs=outs), write_engine(folder, layers, ["x", *outs])]


def ladder_region(folder, n):
    """A lattice in one region."""
    nodes, outs = lattice_nodes(n, lambda name, ins, out: node("Add", ins, out, name))
    return [write_model(folder, nodes, outputs=outs),
            write_engine(folder, [layer("{ForeignNode[add_0_0...add_%d_31]}" % (n // LATTICE - 1), ["x"], outs,
                                        "Myelin")], ["x", *outs])]


def dead(folder, n):
    nodes = [node("Relu", ["x"], ["y"], "relu")] + [node("Relu", ["x"], [f"d{i}"], f"dead_{i}") for i in range(n)]
    return [write_model(folder, nodes), write_engine(folder, [layer("relu", ["x"], ["y"])])]


def folded(folder, n):
    """A chain of what is constant, which one node reads."""
    nodes = [node("Relu", ["w" if i == 0 else f"c{i}"], [f"c{i + 1}"], f"fold_{i}") for i in range(n)]
    nodes.append(node("Add", ["x", f"c{n}"], ["y"], "add"))
    return [write_model(folder, nodes, rest=constant("w")), write_engine(folder, [layer("add", ["x"], ["y"])])]


def identities(folder, n):
    nodes = [node("Identity", [edge(i, n + 1)], [edge(i + 1, n + 1)], f"id_{i}") for i in range(n)]
    nodes.append(node("Relu", [f"t{n}"], ["y"], "relu"))
    return [write_model(folder, nodes), write_engine(folder, [layer("relu", ["x"], ["y"])])]


def equal_nodes(folder, n):
    """Nodes that compute the same, of which the engine keeps one."""
    nodes = [node("Relu", ["x"], [f"t{i}"], f"relu_{i}") for i in range(n)]
    nodes.append(node("Concat", [f"t{i}" for i in range(n)], ["y"], "cat", AXIS))
    return [write_model(folder, nodes),
            write_engine(folder, [layer("relu_0", ["x"], ["t0"]), layer("cat", ["t0"] * n, ["y"])])]


def constants(folder, n):
    nodes = [node("Add", [edge(i, n), f"w{i}"], [edge(i + 1, n)], f"add_{i}") for i in range(n)]
    return [write_model(folder, nodes, rest=b"".join(constant(f"w{i}", i + 2) for i in range(n))),
            write_engine(folder, [layer(f"w{i} + add_{i}", [edge(i, n)], [edge(i + 1, n)]) for i in range(n)])]


def quantized(folder, n):
    nodes, layers = [], []
    for i in range(n):
        a, z = edge(i, n), edge(i + 1, n)
        nodes += [node("QuantizeLinear", [a, "w"], [f"q{i}"], f"quant_{i}"),
                  node("DequantizeLinear", [f"q{i}", "w"], [f"d{i}"], f"dequant_{i}"),
                  node("Relu", [f"d{i}"], [z], f"relu_{i}")]
        layers.append(layer(f"quant_{i} + relu_{i}", [a], [z]))
    return [write_model(folder, nodes, rest=constant("w")), write_engine(folder, layers)]


def ifs(folder, n):
    """Many small bodies."""
    body = field(6, 2, node("Relu", ["x"], ["b"], "inner") + text(2, "body") + port(12, "b"))
    nodes = [node("If", ["c"], [f"t{i}"], f"if_{i}", attribute("then_branch", 5, body) +
                  attribute("else_branch", 5, body)) for i in range(n)]
    nodes.append(node("Concat", [f"t{i}" for i in range(n)], ["y"], "cat", AXIS))
    return [write_model(folder, nodes, inputs=("x", "c")), write_engine(folder, [layer("cat", ["x"], ["y"])])]


def calls(folder, n):
    """One function that all call."""
    function = field(25, 2, text(1, "F") + text(4, "a") + text(5, "b") + field(7, 2, text(1, "a") + text(2, "m") +
                     text(3, "one") + text(4, "Relu")) + field(7, 2, text(1, "m") + text(2, "b") + text(3, "two") +
                     text(4, "Relu")) + text(10, "own") + field(9, 2, field(2, 0, varint(17))))
    nodes = [node("F", [edge(i, n)], [edge(i + 1, n)], f"call_{i}", text(7, "own")) for i in range(n)]
    return [write_model(folder, nodes, functions=function), write_engine(folder, chain_layers(n))]


def empty_attributes(folder, n):
    """Nothing but heads of empty attributes, of which a node may have 256."""
    nodes = [node("Relu", ["x"], ["y" if i == 0 else f"d{i}"], f"relu_{i}", field(5, 2) * 250)
             for i in range(n // 250)]
    return [write_model(folder, nodes), write_engine(folder, [layer("relu_0", ["x"], ["y"])])]


def many_attributes(folder, n):
    """On one node."""
    return [write_model(folder, [node("Relu", ["x"], ["y"], "relu", field(5, 2) * n)]),
            write_engine(folder, [layer("relu", ["x"], ["y"])])]


def long_names(folder, n):
    """Eight nodes; a unit is a byte of each one's name."""
    def name(i):
        return "n" * n + str(i)
    return [write_model(folder, chain_nodes(8, name)), write_engine(folder, chain_layers(8, name))]


def wide_names(folder, n):
    """The same of characters that take three bytes each."""
    def name(i):
        return "\u6f22" * n + str(i)
    return [write_model(folder, chain_nodes(8, name)), write_engine(folder, chain_layers(8, name))]


def path_names(folder, n):
    """Of many scopes each; a unit is a scope."""
    def name(i):
        return "/s" * n + "/" + str(i)
    return [write_model(folder, chain_nodes(8, name)), write_engine(folder, chain_layers(8, name))]


def many_dims(folder, n):
    layers = chain_layers(n)
    for each in layers:
        for t in each["Inputs"] + each["Outputs"]:
            t["Dimensions"] = [1] * 60
    return [write_model(folder, chain_nodes(n)), write_engine(folder, layers)]


# ----------------------------------------------------------------------------- engines

def reformats(folder, n):
    """One between each two nodes."""
    layers = []
    for i in range(n):
        layers.append(layer(f"Reformatting CopyNode for Input Tensor 0 to relu_{i}", [edge(i, n)], [f"r{i}"],
                            "Reformat", Origin="REFORMAT"))
        layers.append(layer(f"relu_{i}", [f"r{i}"], [edge(i + 1, n)]))
    return [write_model(folder, chain_nodes(n)), write_engine(folder, layers)]


def reformat_chain(folder, n):
    """All between two nodes."""
    layers = [layer(f"Reformatting CopyNode for Input Tensor 0 to relu_0", ["x" if i == 0 else f"r{i}"],
                    [f"r{i + 1}"], "Reformat", Origin="REFORMAT") for i in range(n)]
    return [write_model(folder, [node("Relu", ["x"], ["y"], "relu_0")]),
            write_engine(folder, [*layers, layer("relu_0", [f"r{n}"], ["y"])])]


def reformat_fan(folder, n):
    """All of one tensor."""
    mids = [f"r{i}" for i in range(n)]
    layers = [layer(f"Reformatting CopyNode for Input Tensor {i} to sum", ["x"], [r], "Reformat",
                    Origin="REFORMAT") for i, r in enumerate(mids)]
    return [write_model(folder, [node("Sum", ["x"] * n, ["y"], "sum")]),
            write_engine(folder, [*layers, layer("sum", mids, ["y"])])]


def names_only(folder, n):
    return [write_model(folder, chain_nodes(n)), write_engine(folder, [f"relu_{i}" for i in range(n)])]


def metadata(folder, n):
    """All nodes in one layer's Metadata."""
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer("kernel", ["x"], ["y"], "kgen",
                                        Metadata="\x1f".join(f"[ONNX Layer: relu_{i}]" for i in range(n)))])]


def owned(folder, n):
    """A node in the body of a function that is called n times, each identified by its caller."""
    model, _ = calls(folder, n)
    return [model, write_engine(folder, [layer("kernel", ["x"], ["y"], "kgen", Metadata="\x1f".join(
        f"[ONNX Layer: one | call_{i} (F)]" for i in range(n)))]), "--force"]


def kernels(folder, n):
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer(f"__myl_Relu_myl0_{i}", ["x" if i == 0 else f"k{i}"],
                                        ["y" if i == n - 1 else f"k{i + 1}"], "kgen") for i in range(n)])]


def kernel_star(folder, nodes, rest=b""):
    """Kernels of one name that read one tensor, and a Concat of what they write."""
    mids = [f"t{i}" for i in range(len(nodes))]
    layers = [layer("first", ["x"], ["c"])] + \
        [layer(f"__myl_{op}_myl0_{i}", ["c"], [t], "kgen") for i, (op, t) in enumerate(zip(nodes, mids))] + \
        [layer("cat", mids, ["y"])]
    made = [node(op, ["c", *([f"w{i}"] if op != "Relu" else [])], [t]) for i, (op, t) in enumerate(zip(nodes, mids))]
    return [write_model(folder, [node("Sin", ["x"], ["c"], "first"), *made, node("Concat", mids, ["y"], "cat", AXIS)],
                        rest=rest), write_engine(folder, layers)]


def equal_kernels(folder, n):
    """All compute the very same."""
    return kernel_star(folder, ["Relu"] * n)


def like_kernels(folder, n):
    """Each has a weight of its own."""
    return kernel_star(folder, ["Mul"] * n, rest=b"".join(constant(f"w{i}", i + 2) for i in range(n)))


WIDE = 8    # nodes of a chain


def wide_nodes(n):
    """Chains side by side, each from the input, and a Concat of their ends."""
    ends, nodes = [f"t{i}_{WIDE - 1}" for i in range(n)], []
    for i in range(n):
        for k in range(WIDE):
            nodes.append(node("Relu" if k % 2 else "Sigmoid", [f"t{i}_{k - 1}" if k else "x"], [f"t{i}_{k}"], f"n{i}_{k}"))
    return [*nodes, node("Concat", ends, ["y"], "cat", AXIS)], ends


def metadata(names):
    return "\x1e".join(f"[ONNX Layer: {name}]" for name in names)


def wide(folder, n):
    """Each chain is a layer, which lists its nodes."""
    nodes, ends = wide_nodes(n)
    layers = [layer(f"f{i}", ["x"], [end], "kgen", Metadata=metadata(f"n{i}_{k}" for k in range(WIDE)))
              for i, end in enumerate(ends)]
    return [write_model(folder, nodes), write_engine(folder, [*layers, layer("cat", ends, ["y"], Metadata=metadata(["cat"]))])]


def wide_kernels(folder, n):
    """Each chain is a kernel of one name, and its tensor's name says nothing."""
    nodes, ends = wide_nodes(n)
    outs = [f"__m{i}" for i in range(len(ends))]
    layers = [layer(f"__myl_{'SigmRelu' * (WIDE // 2)}_myl0_{i}", ["x"], [t], "kgen") for i, t in enumerate(outs)]
    return [write_model(folder, nodes),
            write_engine(folder, [*layers, layer(f"__myl_{'SigmRelu' * (WIDE // 2)}_myl0_{n}", outs, ["y"], "kgen")])]


def tree_kernels(folder, n):
    """A binary tree of Adds, each a kernel, and names of tensors that say nothing."""
    level, tensors = [f"l{i}" for i in range(n)], {}
    nodes = [node("Relu", ["x"], [t], t) for t in level]
    layers = [layer(f"__myl_Relu_myl0_{i}", ["x"], [tensors.setdefault(t, f"__m{i}")], "kgen") for i, t in enumerate(level)]
    while len(level) > 1:
        above = []
        for a, b in zip(level[::2], level[1::2]):
            out = f"a{len(tensors)}"
            nodes.append(node("Add", [a, b], [out], out))
            tensors[out] = f"__m{len(tensors)}"
            layers.append(layer(f"__myl_Add_myl0_{len(tensors)}", [tensors[a], tensors[b]], [tensors[out]], "kgen"))
            above.append(out)
        level = above + level[len(level) & ~1:]
    nodes.append(node("Identity", level, ["y"], "id"))
    return [write_model(folder, nodes), write_engine(folder, layers)]


def one_kernel(folder, n):
    """A kernel whose name lists all operations."""
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, [layer("__myl_" + "Relu" * n + "_myl0_0", ["x"], ["y"], "kgen")])]


def one_tensor(folder, n):
    """All layers read and write one tensor."""
    return [write_model(folder, chain_nodes(4)),
            write_engine(folder, [layer(f"relu_{i}", ["x"], ["x"]) for i in range(n)])]


def many_ports(folder, n):
    ins = [f"i{i}" for i in range(n)]
    return [write_model(folder, [node("Sum", ins, ["y"], "sum")], inputs=ins),
            write_engine(folder, [layer("sum", ins, ["y"])], [*ins, "y"])]


def many_keys(folder, n):
    return [write_model(folder, chain_nodes(1)),
            write_engine(folder, [layer("relu_0", ["x"], ["y"], **{f"Key{i}": i for i in range(n)})])]


def profile_suffix(folder, n):
    return [write_model(folder, chain_nodes(n)),
            write_engine(folder, chain_layers(n, lambda i: f"relu_{i} [profile 0]"))]


def inspector(folder, n):
    return [write_model(folder, chain_nodes(n)), write_inspector(folder, chain_layers(n))]


def inspector_ports(folder, n):
    ins = [f"i{i}" for i in range(n)]
    return [write_model(folder, [node("Sum", ins, ["y"], "sum")], inputs=ins),
            write_inspector(folder, [layer("sum", ins, ["y"])])]


def inspector_bare(folder, n):
    """Tensors without Dimensions, all of one layer."""
    ins = [f"i{i}" for i in range(n)]
    return [write_model(folder, [node("Sum", ins, ["y"], "sum")], inputs=ins),
            write_inspector(folder, [layer("sum", ins, ["y"])], dims=False)]


def inspector_commas(folder, n):
    """A value that many commas stand in."""
    path = os.path.join(folder, "engine.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("Layers:\nName: relu_0, LayerType: kgen, Inputs: [], Outputs: [], Foo: " + ", a" * n +
                   ", B: " + "[" * n + "\n")
    return [write_model(folder, chain_nodes(1)), path]


def block(folder, n):
    return [write_model(folder, chain_nodes(n)), write_log(folder, chain_layers(n))]


def many_blocks(folder, n):
    """Small engines one after the other."""
    one = large.STAMP + "Engine Layer Information:\n" + log_line(layer("relu_0", ["x"], ["y"]))
    path = os.path.join(folder, "engine.log")
    with open(path, "w", encoding="ascii") as file:
        file.writelines([one + large.STAMP + "done\n"] * n)
    return [write_model(folder, chain_nodes(1)), path, "--engine", str(n)]


def bare_blocks(folder, n):
    """The same without a line between."""
    one = large.STAMP + "Engine Layer Information:\n" + log_line(layer("relu_0", ["x"], ["y"]))
    path = os.path.join(folder, "engine.log")
    with open(path, "w", encoding="ascii") as file:
        file.writelines([one] * n)
    return [write_model(folder, chain_nodes(1)), path, "--engine", str(n)]


def name_blocks(folder, n):
    path = os.path.join(folder, "engine.log")
    with open(path, "w", encoding="ascii") as file:
        file.write("Layers:\nrelu_0\n\nBindings:\nx\ny\n\n" * n)
    return [write_model(folder, chain_nodes(1)), path, "--engine", str(n)]


def parser(n, op="Relu", name="relu_{}".format):
    lines = ["Adding network input: x with dtype: float32, dimensions: (8)"]
    for i in range(n):
        a, z = edge(i, n), edge(i + 1, n)
        lines += [f"Parsing node: {name(i)} [{op}]", f"Searching for input: {a}",
                  f"{name(i)} [{op}] inputs: [{a} -> (8)[FLOAT]], ",
                  f"Registering layer: {name(i)} for ONNX node: {name(i)}",
                  f"Registering tensor: {z} for ONNX tensor: {z}",
                  f"{name(i)} [{op}] outputs: [{z} -> (8)[FLOAT]], "]
    return lines + ["Marking y as output: y"]


def parser_log(folder, n):
    """A log that is the model, too."""
    return [write_log(folder, chain_layers(n), large.stamped(parser(n)))]


def like_named(folder, n):
    """Layers of one name, which the log numbers."""
    return [write_log(folder, chain_layers(n, lambda i: "relu"), large.stamped(parser(n, name=lambda i: "relu")))]


def like_named_numbered(folder, n):
    """Nodes of one name, whose layers the parser numbers."""
    lines = parser(n, name=lambda i: "relu")
    seen = iter(range(n))
    lines = [f"Registering layer: relu_{next(seen)} for ONNX node: relu" if line.startswith("Registering layer") else
             line for line in lines]
    return [write_log(folder, chain_layers(n), large.stamped(lines))]


def fusions(folder, n):
    """The log states of each two layers that they were fused."""
    lines = parser(n) + [f"ReluFusion: Fusing relu_{i} with relu_{i + 1}" for i in range(0, n - 1, 2)]
    layers = [layer(f"relu_{i} + relu_{i + 1}", [edge(i, n)], [edge(i + 2, n)]) for i in range(0, n - 1, 2)]
    return [write_log(folder, layers, large.stamped(lines))]


def fused_one(folder, n):
    """One after the other into the same."""
    lines = parser(n)
    whole = "relu_0"
    lines += [f"ReluFusion: Fusing relu_0 with relu_{i}" for i in range(1, n)]
    return [write_log(folder, [layer(whole, ["x"], ["y"])], large.stamped(lines))]


def removed(folder, n):
    lines = parser(n) + [f"Eliminating relu_{i} with ConcatElimination" if i % 2 else f"Removing relu_{i}"
                         for i in range(n)]
    return [write_log(folder, chain_layers(n), large.stamped(lines))]


def odd_lines(folder, n):
    """Lines of no known form, each of its own."""
    lines = [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676 % 26)}wx happened to nobody"
             for i in range(n)]
    return [write_log(folder, chain_layers(8), large.stamped(parser(8) + lines))]


ORT = field(8, 2, text(1, "com.microsoft.nchwc") + field(2, 0, varint(1)))     # its mark


def ort(folder, n):
    """ONNX Runtime's optimized form."""
    folder2 = os.path.join(folder, "opt")
    os.makedirs(folder2, exist_ok=True)
    return [write_model(folder, chain_nodes(n)), write_model(folder2, chain_nodes(n), functions=ORT)]


def ort_one_node(folder, n):
    """The same alone: all its nodes have one name, and are layers of the one node that it names."""
    return [write_model(folder, chain_nodes(n, "same".format), functions=ORT)]


def profile(folder, n):
    path = os.path.join(folder, "profile.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump([{"count": 10}] + [{"name": f"relu_{i}", "timeMs": 1.5, "averageMs": 0.15, "medianMs": 0.15,
                                      "percentage": 100 / n} for i in range(n)], file)
    return [*chain(folder, n), "--profile", path]


def profile_equal(folder, n):
    path = os.path.join(folder, "profile.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump([{"count": 10}] + [{"name": "relu_0", "timeMs": 1.5, "averageMs": 0.15, "medianMs": 0.15,
                                      "percentage": 100 / n} for i in range(n)], file)
    return [*chain(folder, 8), "--profile", path]


def profile_reversed(folder, n):
    path = os.path.join(folder, "profile.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump([{"count": 10}] + [{"name": f"relu_{i}", "timeMs": 1.5, "averageMs": 0.15, "medianMs": 0.15,
                                      "percentage": 100 / n} for i in reversed(range(n))], file)
    return [*chain(folder, n), "--profile", path]


# --------------------------------------------------------------------------- no engines

def commas(folder, n):
    """Not an engine: a list of numbers."""
    path = os.path.join(folder, "engine.json")
    with open(path, "w", encoding="ascii") as file:
        file.write('{"Layers": [' + "1," * n + "1]}")
    return [write_model(folder, chain_nodes(1)), path]


def empties(folder, n):
    path = os.path.join(folder, "engine.json")
    with open(path, "w", encoding="ascii") as file:
        file.write('{"Layers": [' + "{}," * n + "{}]}")
    return [write_model(folder, chain_nodes(1)), path]


# ------------------------------------------------------------------ dense, and dearest

# What a dump may hold of each at the least weight that is read: head, item, tail, and the bytes
# that an item is filled to (src/read/trt/json.c).
DENSE = {
    "ports": ('{"Layers": [{"Name": "relu_0", "Inputs": [', '"%x"', "]}]}", 12),
    "ports_named": ('{"Layers": [{"Name": "relu_0", "Inputs": [', '{"Name":"%x"}', "]}]}", 24),
    "bindings": ('{"Layers": ["relu_0"], "Bindings": [', '"%x"', "]}", 12),
    "names": ('{"Layers": [', '"%x"', "]}", 32),
    "layers": ('{"Layers": [', '{"Name":"%x"}', "]}", 32),
    "attributes": ('{"Layers": [{"Name": "relu_0", ', '"%x":1', "}]}", 12),
    "words": ('{"Layers": [{"Name": "relu_0", "Odd": [', '"%x"', "]}]}", 12),
    "numbers": ('{"Layers": [{"Name": "relu_0", "Odd": [', "%d", "]}]}", 12),
    "lists": ('{"Layers": [{"Name": "relu_0", "Odd": [', "[%d]", "]}]}", 24),
    "reformats": ('{"Layers": [', '{"Name":"%x","LayerType":"Reformat","Inputs":["%x"],"Outputs":["-%x"]}', "]}", 72),
}


def dense(folder, n, what):
    head, item, tail, size = DENSE[what]
    path = os.path.join(folder, "engine.json")
    with open(path, "w", encoding="ascii") as file:
        file.write(head)
        for i in range(n):
            file.write((item % ((i,) * item.count("%")) + ("," if i + 1 < n else "")).ljust(size))
        file.write(tail)
    return [write_model(folder, chain_nodes(1)), path]


def doubled(folder, n):
    """Functions that call the next one twice: a small file, and a graph of any size."""
    depth = max(1, n.bit_length() - 1)
    functions = b""
    for i in range(depth):
        last = i + 1 == depth
        inner = b"".join(
            field(7, 2, text(1, a) + text(2, b) + text(3, a) + text(4, "Relu" if last else f"f{i + 1}") +
                  (b"" if last else text(7, "own"))) for a, b in (("a", "m"), ("m", "b")))
        functions += field(25, 2, text(1, f"f{i}") + text(4, "a") + text(5, "b") + inner +
                           field(9, 2, field(2, 0, varint(17))) + field(9, 2, text(1, "own") + field(2, 0, varint(1))) +
                           text(10, "own"))
    functions += field(8, 2, text(1, "own") + field(2, 0, varint(1)))
    return [write_model(folder, [node("f0", ["x"], ["y"], "call", text(7, "own"))], functions=functions),
            write_engine(folder, [layer("relu_0", ["x"], ["y"])])]
