"""Models and engines that go together and are made to cost time: name -> (model, engine)."""
from engines import dump, layer
from wire import inputs, model, node, outputs

SCALE = 1


def line(n):
    """n nodes in a row and the tensors between them."""
    return [node("Relu", ["t%d" % i], ["t%d" % (i + 1)], "n%d" % i) for i in range(n)]


def foreign(n):
    """Regions that all span the whole model."""
    name = "{ForeignNode[n0...n%d]}" % (n - 1)
    yield "same-span", model(*line(n), inputs("t0"), outputs("t%d" % n)), dump(
        [layer(name, ["t0"], ["t%d" % n]) for _ in range(2000 // SCALE)], ["t0", "t%d" % n])
    yield "spans", model(*line(n), inputs("t0"), outputs("t%d" % n)), dump(
        [layer("{ForeignNode[n%d...n%d]}" % (i, n - 1 - i), ["t%d" % i], ["t%d" % (n - i)])
         for i in range(2000 // SCALE)], ["t0", "t%d" % n])


def boundaries(n):
    """Only tensors are evidence, and the path between them is long, wide or many."""
    whole = model(*line(n), inputs("t0"), outputs("t%d" % n))
    yield "one-long", whole, dump([layer("a", ["t0"], ["t%d" % n])], ["t0", "t%d" % n])
    yield "overlapping", whole, dump(
        [layer("l%d" % i, ["t%d" % i], ["t%d" % (n // 2 + i)]) for i in range(n // 2)],
        ["t0", "t%d" % n])
    yield "from-the-input", whole, dump(
        [layer("l%d" % i, ["t0"], ["t%d" % (i + 1)]) for i in range(n)], ["t0", "t%d" % n])
    yield "to-the-output", whole, dump(
        [layer("l%d" % i, ["t%d" % i], ["t%d" % n]) for i in range(n)], ["t0", "t%d" % n])
    yield "backwards", whole, dump(
        [layer("l%d" % i, ["t%d" % (i + 1)], ["t%d" % i]) for i in range(n)],
        ["t0", "t%d" % n])


def ladders(n):
    adds = [node("Add", ["t%d" % i] * 2, ["t%d" % (i + 1)]) for i in range(n)]
    yield "doubling", model(*adds, inputs("t0"), outputs("t%d" % n)), dump(
        [layer("l%d" % i, ["t%d" % i], ["t%d" % (i + 2)]) for i in range(0, n - 1, 2)],
        ["t0", "t%d" % n])
    dense = [node("Concat", ["t%d" % k for k in range(max(0, i - 30), i + 1)],
                  ["t%d" % (i + 1)], "c%d" % i) for i in range(n // 10)]
    yield "dense", model(*dense, inputs("t0"), outputs("t%d" % (n // 10))), dump(
        [layer("l%d" % i, ["t%d" % i], ["t%d" % (i + 5)]) for i in range(n // 10 - 5)],
        ["t0", "t%d" % (n // 10)])


def fans(n):
    fan = [node("Relu", ["x"], ["y%d" % i], "n%d" % i) for i in range(n)]
    ys = ["y%d" % i for i in range(n)]
    yield "out", model(*fan, inputs("x"), outputs(*ys)), dump(
        [layer("l%d" % i, ["x"], ["y%d" % i]) for i in range(n)], ["x", *ys])
    yield "in", model(*fan, node("Concat", ys, ["z"], "join"), inputs("x"), outputs("z")), dump(
        [layer("l%d" % i, ["y%d" % i], ["z"]) for i in range(n)], ["x", "z"])
    yield "twins", model(*fan, inputs("x"), outputs(*ys)), dump(
        [layer("l%d" % i, ["x"], ["x"]) for i in range(n)], ["x", *ys])
    yield "one-layer", model(*fan, inputs("x"), outputs(*ys)), dump(
        [layer("l", ["x"], ys)], ["x", *ys])


def names(n):
    same = [node("Relu", ["t%d" % i], ["t%d" % (i + 1)], "same") for i in range(n)]
    yield "same", model(*same, inputs("t0"), outputs("t%d" % n)), dump(
        [layer("same", ["t%d" % i], ["t%d" % (i + 1)]) for i in range(n)], ["t0", "t%d" % n])
    yield "same-no-tensors", model(*same, inputs("t0"), outputs("t%d" % n)), dump(
        [layer("same + same", ["a"], ["b"]) for i in range(n)], ["t0", "t%d" % n])
    yield "all-in-each", model(*line(n // 10), inputs("t0"), outputs("t%d" % (n // 10))), dump(
        [layer(" + ".join("n%d" % k for k in range(n // 10)), ["t0"], ["t%d" % (n // 10)])
         for _ in range(100)], ["t0", "t%d" % (n // 10)])
    nested = ["a" * (i + 1) for i in range(n // 20)]
    yield "prefixes", model(*[node("Relu", ["t%d" % i], ["t%d" % (i + 1)], a)
                              for i, a in enumerate(nested)], inputs("t0"),
                            outputs("t%d" % len(nested))), dump(
        [layer(a + "+" + a) for a in nested], ["t0", "t%d" % len(nested)])


def copies(n):
    """Q and DQ in a row, and reformats without end."""
    qdq = [node("QuantizeLinear" if i % 2 == 0 else "DequantizeLinear",
                ["t%d" % i, "s", "z"], ["t%d" % (i + 1)], "q%d" % i) for i in range(n)]
    yield "qdq", model(*qdq, inputs("t0", "s", "z"), outputs("t%d" % n)), dump(
        [layer("l%d" % i, ["t%d" % i], ["t%d" % (i + 1)]) for i in range(0, n, 2)],
        ["t0", "t%d" % n])
    yield "reformats", model(*line(10), inputs("t0"), outputs("t10")), dump(
        [layer("Reformatting CopyNode for Input Tensor 0 to n%d" % (i % 10),
               ["Reformatted " * (i % 50) + "t0"], ["Reformatted " * (i % 50 + 1) + "t0"],
               LayerType="Reformat") for i in range(n)], ["t0", "t10"])


def all_pairs():
    n = 20000 // SCALE
    for kind in (foreign, boundaries, ladders, fans, names, copies):
        for name, one, engine in kind(n):
            yield "%s/%s" % (kind.__name__, name), one, engine
