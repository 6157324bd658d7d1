"""Build logs as no builder writes them, and what must be understood of them all the same."""
import random
import re

STAMP = b"[01/02/2024-10:00:00] [V] [TRT] "

# Everything that stands between names in some line of a log.
NAMES = ["a with b", "a into b", "a to b because c", "a || b", "a + b", "PWN(a, b)", "{ForeignNode[a...b]}",
         "a which duplicates (Q) b", "a [Conv]", "x -> (1, 2)[FLOAT]", "a], [b -> (1)[FLOAT]], ", "a, Tactic: 0x1, ",
         "a (Float[1,2]) -> b", "a from A to B", "Fusing a", "[V] [TRT] a", "a for ONNX node: b", "a outputs: ",
         "a metadata: [ONNX Layer: b]", "a: 3 layers", "'a\"b<c>&d;", "a\\b%s%n", "\u00e9\u4e2d\u202e", " "]


def node(name, op, uses, makes):
    return ["Parsing node: %s [%s]" % (name, op),
            "%s [%s] inputs: %s" % (name, op, "".join("[%s -> (1, 8)[FLOAT]], " % t for t in uses)),
            "Registering layer: %s for ONNX node: %s" % (name, name),
            "%s [%s] outputs: %s" % (name, op, "".join("[%s -> (1, 8)[FLOAT]], " % t for t in makes))]


def named(names):
    """A chain of nodes of these names, fused in pairs, each pair a layer."""
    lines = ["Adding network input: t0 with dtype: float32, dimensions: (1, 8)"]
    for i, name in enumerate(names):
        lines += node(name, "Relu", ["t%d" % i], ["t%d" % (i + 1)])
    lines.append("Marking t%d_9 as output: t%d" % (len(names), len(names)))
    text = "".join(STAMP.decode() + line + "\n" for line in lines)
    for a, b in zip(names[::2], names[1::2]):
        text += "%sPointwise: Fusing %s with %s\n" % (STAMP.decode(), a, b)
    text += STAMP.decode() + "Engine Layer Information:\n"
    for i in range(0, len(names) - 1, 2):
        text += "Layer(PointWise): %s + %s, Tactic: 0x1, t%d (Float[1,8]) -> t%d (Float[1,8])\n" % (
            names[i], names[i + 1], i, i + 2)
    return text.encode()


def deep(depth):
    """Bodies in bodies, more than the parser allows."""
    lines = ["Adding network input: t with dtype: float32, dimensions: (1, 8)"]
    for i in range(depth):
        lines += node("n%d" % i, "If", ["t"], [])[:2]
    for i in reversed(range(depth)):
        lines += node("n%d" % i, "If", [], ["u%d" % i])[3:]
    return b"".join(STAMP + line.encode() + b"\n" for line in lines) + \
        b"Layer(A): n0, Tactic: 0x0, t (Float[1]) -> u0 (Float[1])\n"


def garbled(whole, rng):
    lines = whole.split(b"\n")
    count = 30
    for at in sorted(rng.sample(range(1, len(lines) - 8), count), reverse=True):
        lines.insert(at, b"\x01" + bytes(rng.randrange(256) for _ in range(80)).replace(b"\n", b""))
    lines.insert(3, b"x" * 10_000_000)
    return b"\n".join(lines), count + 1


def all_logs(whole):
    """Name, bytes, and facts() that must hold."""
    rng = random.Random(5)
    for percent in range(1, 100):
        yield "cut at %d percent" % percent, whole[:len(whole) * percent // 100], {}
    data, odd = garbled(whole, rng)
    yield "garbage between lines", data, {"nodes": 5, "layers": 5, "odd": odd}
    yield "garbage in lines", b"".join(bytes([c]) if rng.random() > 0.002 else bytes([rng.randrange(256)])
                                       for c in whole), {}
    yield "names with separators", named(NAMES), {"layers": len(NAMES) // 2}
    yield "bodies in bodies", deep(300), {"layers": 1, "nodes": 300}
    yield "no line's end", whole.replace(b"\n", b" "), {}
    yield "NUL bytes", whole.replace(b" ", b"\0"), {}


def has_engine(data):
    """Is there a whole line of a layer, with or without what stands before a message?"""
    return re.search(rb"^(\[[^]\n]*\] )*Layer\(\w+\): .*, Tactic: [^,\n]+, ", data, re.M) is not None and \
        re.search(rb"^(\[[^]\n]*\] )*Parsing node: ", data, re.M) is not None


def facts(report):
    return {"nodes": len(report["nodes"]), "layers": len(report["layers"]), "odd": report["log"]["unknown"]}
