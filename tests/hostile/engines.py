"""Hostile engine dumps: name -> bytes."""
import json

SCALE = 1           # what the largest inputs are divided by, for slow builds


def layer(name, ins=(), outs=(), **more):
    def port(tensor):
        return {"Name": tensor, "Dimensions": [1, 4], "Format/Datatype": "Row major linear FP32"}
    return {"Name": name, "LayerType": "ElementWise", "Inputs": [port(t) for t in ins],
            "Outputs": [port(t) for t in outs], "Metadata": "", **more}


def dump(layers, bindings=("x", "y"), **more):
    return json.dumps({"Layers": layers, "Bindings": list(bindings), **more}).encode()


def nesting():
    for open_, close in (("[", "]"), ('{"a":', "}")):
        for depth in (900, 100000):
            yield "%s-%d" % (open_[0], depth), (open_ * depth + "1" + close * depth).encode()
            yield "in-layer-%s-%d" % (open_[0], depth), (
                '{"Layers": [{"Name": "a", "Odd": ' + open_ * depth + "1" + close * depth
                + "}]}").encode()
    yield "unclosed", b"[" * (1 << 20)
    for word in ("PWN(", "{ForeignNode[", "((", "[", "{", "a + (", "Fused_"):
        yield "name " + word, dump([layer(word * 20000, ["x"], ["y"])])


def values():
    odd = ["1e400", "-1e400", "-0", "9223372036854775808", "1" * 5000, "1e-400", "null",
           "true", '"\\ud800"', '"\\u0000"', "[]", "{}", '"' + "9" * 100 + '"', "[[[]]]"]
    for i, value in enumerate(odd):
        for key in ("Name", "LayerType", "Inputs", "Dimensions", "Metadata", "TacticName",
                    "StreamId", "Origin", "Weights", "Other"):
            one = '{"Layers": [{"Name": "a", "LayerType": "b", "%s": %s}]}' % (key, value)
            yield "%s-%d" % (key, i), one.encode()
        yield "Port-%d" % i, ('{"Layers": [{"Name": "a", "LayerType": "b", "Inputs": [{"Name":'
                              ' "x", "Dimensions": [%s], "Format/Datatype": %s}]}],'
                              ' "Bindings": [%s]}' % (value, value, value)).encode()
    for i, count in enumerate(((1 << 31) - 1, 1 << 31, 1 << 32, (1 << 63) - 1, -(1 << 31), 1e300)):
        yield "count-%d" % i, dump([layer("one", ["x"], ["t1"], Weights={"Type": "Half", "Count": count},
                                          Bias={"Type": "Float", "Count": count}, Kernel=[count, count],
                                          Groups=count, OutMaps=count, StreamId=count)])
    yield "nan", b'{"Layers": [{"Name": NaN}]}'
    yield "twice", b'{"Layers": [{"Name": "a", "Name": "b"}], "Layers": ["c"]}'
    yield "bom", b"\xef\xbb\xbf" + dump([layer("a")])
    yield "utf16", dump([layer("a")]).decode().encode("utf-16")
    yield "control", b'{"Layers": ["a\x00b\x1f\x7f\x1b[31m"]}'
    yield "utf8", b'{"Layers": ["\xff\xc0\x80\xed\xa0\x80"]}'


def counts():
    yield "layers", dump([layer("l%d" % i, ["t%d" % i], ["t%d" % (i + 1)])
                          for i in range(20000 // SCALE)])
    yield "names", json.dumps({"Layers": ["Conv_%d" % (i % 7) for i in range(300000 // SCALE)]}).encode()
    yield "same-name", json.dumps({"Layers": ["one + two"] * (200000 // SCALE)}).encode()
    yield "ports", dump([layer("one", ["x"] * (30000 // SCALE), ["t%d" % i for i in range(30000 // SCALE)])])
    yield "pieces", dump([layer(" + ".join(["one", "two"] * (100000 // SCALE)), ["x"], ["t1"])])
    yield "metadata", dump([layer("l", ["x"], ["t1"],
                                  Metadata="[ONNX Layer: one]\x1e" * (200000 // SCALE))])
    yield "dims", dump([{"Name": "one", "Inputs": [{"Name": "x", "Dimensions": [1] * (500000 // SCALE)}]}])
    yield "dims-big", dump([{"Name": "one", "LayerType": "Reformat", "Inputs": [
        {"Name": "x", "Dimensions": [1 << 62, 1 << 62]}], "Outputs": []}])
    yield "bindings", dump([layer("one", ["x"], ["t1"])], ["b%d" % i for i in range(300000 // SCALE)])
    yield "brackets", dump([layer("[a" * (100000 // SCALE) + "]" * (100000 // SCALE))])
    yield "digits", dump([layer("one_" + "1" * (1000000 // SCALE)), layer("one [profile " + "9" * (500000 // SCALE))])


def graphs():
    yield "self-loop", dump([layer("one", ["x"], ["x"])])
    yield "cycle", dump([layer("one", ["b"], ["a"]), layer("two", ["a"], ["b"])])
    yield "long-cycle", dump([layer("l%d" % i, ["t%d" % i], ["t%d" % ((i + 1) % 10000)])
                              for i in range(10000)])
    yield "thousand-producers", dump([layer("one", ["x"], ["t1"]) for _ in range(1000)])
    yield "thousand-consumers", dump([layer("l%d" % i, ["x"], ["o%d" % i])
                                      for i in range(1000)])
    yield "all-to-all", dump([layer("l%d" % i, ["t%d" % j for j in range(200)],
                                    ["t%d" % j for j in range(200)]) for i in range(200)])
    yield "empty", dump([], [])
    yield "unnamed", dump([layer("", [""], [""])] * 3, ["", ""])


def names():
    for size in (1 << 16, 1 << 20):
        yield "size-%d" % size, dump([layer("n" * size, ["x"], ["t1"]),
                                      layer("m" * size + "\u202e", ["t1"], ["t2"])])
    hostile = ["\x1b[31m", "\u009b31m", "\u202e", "\r\n", "\u2028", "\x07", "\x7f", "\ufeff",
               "one\ntwo", "\u0000", "\ud800", "\U000e0041"]
    yield "hidden", dump([layer(n, ["x"], [n], TacticName=n, Metadata=n) for n in hostile])


def all_engines():
    for kind in (nesting, values, counts, graphs, names):
        for name, data in kind():
            yield "%s/%s" % (kind.__name__, name), data
    whole = dump([layer("one", ["x"], ["t0"])])
    for size in range(0, len(whole), 13):
        yield "truncated/first-%d" % size, whole[:size]
