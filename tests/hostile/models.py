"""Hostile ONNX models: name -> bytes.  Each is to be read, or refused with a reason."""
import os
import re

from wire import (attribute, inputs, model, node, num, outputs, raw, tensor, text, value_info,
                  varint)

BIG = 1 << 31
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "model", "ops", "table.inc")
SCALE = 1           # what the largest inputs are divided by, for slow builds


def chain(*names, op="Relu"):
    """x -> names... -> the last one's output."""
    at, nodes = "x", []
    for i, name in enumerate(names):
        nodes.append(node(op, [at], ["t%d" % i], name))
        at = "t%d" % i
    return model(*nodes, inputs("x"), outputs(at))


def come_from(name):
    """What PyTorch's exporters say beside a node of the module that it is of, its class and the line that it is written in."""
    name = name if isinstance(name, bytes) else name.encode()
    for key, value in ((b"name_scopes", b"['', '%s', '%s.in', 'op']" % (name, name)), (b"class_hierarchy", b"['m', '%s', '%s', 'op']" % (name, name)),
                       (b"stack_trace", b'File "/x/%s.py", line 7, in forward\n    y = %s(x)' % (name, name))):
        yield raw(9, text(1, b"pkg.torch.onnx." + key) + text(2, value))


def twins(*names, op="Relu"):
    """x -> names..., tensors named as their nodes, and beside each node one that computes the same."""
    at, nodes, ends = "x", [], []
    for i, name in enumerate(names):
        nodes.append(node(op, [at], [name], name, *come_from(name)))
        nodes.append(node(op, [at], ["u%d" % i], "twin %d" % i))
        nodes.append(node("Exp", ["u%d" % i], ["v%d" % i], "twin end %d" % i))
        at, ends = name, ends + ["v%d" % i]
    return model(*nodes, inputs("x"), outputs(at, *ends))


def nested(depth):
    """If in If in If: graphs as attributes."""
    body = node("Relu", ["x"], ["y"], "innermost") + outputs("y")
    for i in range(depth):
        body = node("If", ["c"], ["y"], "if%d" % i,
                    attribute("then_branch", 5, raw(6, body))) + outputs("y")
    return model(body, inputs("x", "c"))


def lies():
    """Length fields that claim more, or less, than there is."""
    graph = node("Relu", ["x"], ["y"], "relu") + inputs("x") + outputs("y")
    for claim in (len(graph) - 1, len(graph) + 1, BIG, BIG - 1, (1 << 32) - 1, 1 << 32,
                  (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        yield "graph-%x" % claim, num(1, 8) + raw(7, graph, claim)
        yield "name-%x" % claim, model(raw(1, raw(3, b"abc", claim)))
        yield "raw-%x" % claim, model(raw(5, num(1, 4) + raw(9, b"abcd", claim)))
    yield "endless-varint", num(1, 8) + b"\x3a" + b"\xff" * 40
    yield "tag-only", num(1, 8) + b"\x3a"
    yield "field-zero", num(1, 8) + b"\x02\x01a"
    yield "group", num(1, 8) + b"\x3b" * 1000 + b"\x3c" * 1000


def shapes():
    for i, dims in enumerate(([BIG] * 8, [1 << 62] * 4, [-1, -(1 << 63)], [0, BIG],
                              [(1 << 63) - 1] * 2, [1] * 100000)):
        yield "dims-%d" % i, model(
            node("Conv", ["x", "w"], ["y"], "conv"), tensor("w", dims),
            inputs("x", dims=dims[:1000]), outputs("y", dims=dims[:1000]))
    for elem in (0, 27, -1, BIG, (1 << 63) - 1):
        yield "elem-%x" % (elem & 0xFFFFFFFF), model(
            node("Cast", ["x"], ["y"], "cast", attribute("to", 2, num(3, elem))),
            inputs("x", elem=elem), outputs("y", elem=elem))


def counts():
    """Up to ten megabytes of one thing."""
    yield "ints", model(node("Relu", ["x"], ["y"], "r", attribute(
        "axes", 7, raw(8, b"\x01" * ((10 << 20) // SCALE)))), inputs("x"), outputs("y"))
    yield "attributes", model(node("Relu", ["x"], ["y"], "r", *[
        attribute("a%d" % i, 2, num(3, i)) for i in range(100000 // SCALE)]), inputs("x"))
    yield "inputs", model(node("Concat", ["x"] * (500000 // SCALE), ["y"], "c"), inputs("x"),
                          outputs("y"))
    yield "outputs", model(node("Split", ["x"], ["y%d" % i for i in range(300000 // SCALE)], "s"),
                           inputs("x"))
    yield "same-output", model(node("Split", ["x"], ["y"] * (300000 // SCALE), "s"), inputs("x"))
    yield "value-infos", model(*[value_info(13, "x") for _ in range(200000 // SCALE)], inputs("x"))
    yield "empty-nodes", model(raw(1, b"") * (2000000 // SCALE))
    yield "doubling-graph", model(inputs("x"), *[
        node("Add", ["t%d" % i, "t%d" % i], ["t%d" % (i + 1)]) for i in range(50000 // SCALE)])
    yield "opsets", model(node("Relu", ["x"], ["y"]), inputs("x"),
                          extra=raw(8, text(1, "d") + num(2, 1)) * (300000 // SCALE))


def graphs():
    yield "self-loop", model(node("Relu", ["x"], ["x"], "r"), outputs("x"))
    yield "cycle", model(node("Relu", ["b"], ["a"], "r"), node("Relu", ["a"], ["b"], "s"),
                         outputs("a"))
    yield "long-cycle", model(outputs("t0"), *[
        node("Relu", ["t%d" % i], ["t%d" % ((i + 1) % 50000)]) for i in range(50000)])
    yield "thousand-producers", model(
        *[node("Relu", ["x"], ["y"], "r%d" % i) for i in range(1000)], inputs("x"),
        outputs("y"))
    yield "input-as-output", model(inputs("x"), outputs("x"))
    yield "no-graph", num(1, 8) + raw(8, num(2, 17))
    yield "empty-names", model(node("Relu", [""], [""], ""), inputs(""), outputs(""))
    yield "function-calls-itself", model(
        node("F", ["x"], ["y"]), inputs("x"), outputs("y"),
        extra=raw(25, text(1, "F") + text(4, "i") + text(5, "o")
                  + raw(7, text(1, "i") + text(2, "o") + text(4, "F"))))
    yield "two-graphs", num(1, 8) + raw(7, node("Relu", ["x"], ["y"], "a")) * 2 + \
        raw(8, num(2, 17))
    yield "scope-names", nested(3)
    yield "nested-3000", nested(3000)


def names():
    for size in (1 << 16, 1 << 20):
        yield "name-%d" % size, chain("n" * size, "m" * (size - 1) + "\u202e")
    yield "utf8", chain(b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"a\x00b", b"\xf8\x88")
    yield "escapes", chain("\x1b[31mred", "\u009b31m", "\u202ertl", "\r\n\t\x08", "\x7f")
    yield "grammar", chain("a + b", "a", "b", "a || b", "{ForeignNode[a...b]}", "PWN(",
                           "(((", ")))", "a,b", ", ", " + ", "[", "]", "...", " ")
    yield "prefixes", chain(*["a" * i for i in range(1, 2000)])


def ends():
    """Every operator that has a rule, with ends that are missing, empty or open; quantized behind."""
    with open(TABLE, encoding="utf-8") as file:
        operators = re.findall(r'^    (?:OP|ALSO)\((\w+), ', file.read(), re.M)
    assert len(operators) > 150 and "QuantizeLinear" in operators
    for case, ins, out in (("none", [], None), ("no-input", [], "y"), ("no-output", ["x", "x"], None),
                           ("empty", ["", "", ""], ""), ("empty-first", ["", "x", "x"], "y"),
                           ("nobody-makes", ["t", "u", "v"], "y"), ("itself", ["y", "y", "y"], "y"),
                           ("round", ["d", "d", "d"], "y")):
        yield case, model(*[
            node(op, [i and i + op for i in ins], [] if out is None else [out and out + op], "n" + op)
            + node("QuantizeLinear", ["y" + op, "s"], ["q" + op], "q" + op)
            + node("DequantizeLinear", ["q" + op, "s"], ["d" + op], "d" + op)
            + node(op, ["d" + op, "d" + op], ["z" + op], "m" + op)
            + node("Mul", ["d" + op, "d" + op], ["p" + op], "p" + op) for op in operators],
            tensor("s", [1], raw(9, b"\0\0\0?")), inputs(*["x" + op for op in operators]),
            outputs(*[end + op for op in operators for end in "zp"]))


def external(path):
    """A weight that says it lies in another file."""
    entry = raw(13, text(1, "location") + text(2, path))
    return model(node("Add", ["x", "w"], ["y"], "add"), inputs("x"), outputs("y"),
                 tensor("w", [4], entry, num(14, 1)))


def truncated(whole):
    for size in range(0, len(whole), 11):
        yield "first-%d" % size, whole[:size]


def noise():
    yield "empty", b""
    yield "zeros", b"\0" * 5000
    yield "ones", b"\xff" * 5000
    yield "json", b'{"Layers": []}'
    yield "text", b"ir_version: 8\n"
    yield "gzip", b"\x1f\x8b\x08\x00" + b"x" * 100
    yield "zip", b"PK\x03\x04" + b"x" * 100


def all_models():
    for kind in (lies, shapes, counts, graphs, names, ends, noise):
        for name, data in kind():
            yield "%s/%s" % (kind.__name__, name), data
    for name, data in truncated(chain("one", "two")):
        yield "truncated/" + name, data
    assert varint(300) == b"\xac\x02"
