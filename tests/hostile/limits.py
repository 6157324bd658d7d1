"""The bounds of docs/reference/limits.md, each at its edge and from both sides: what is just within is read,
and one more is refused, or said.

A bound's value is that of the constant in the source.  Left out are bounds whose inner side
takes gigabytes (64 GiB of a dump, 16 Mi JSON values or names), and budgets of a search, which
no input meets exactly.
"""
import os
import re
import shutil
import string
import subprocess
import sys

import engines
from wire import attribute, inputs, model, node, num, outputs, raw, text, varint

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lint"))
from limit_rows import constant as value_of

CHAIN = node("Relu", ["x"], ["y"], "one")


def at_depth(depth):
    """Messages in messages, `depth` deep: the model, its graph, and then a node, its
    attribute, the attribute's graph, and so on."""
    body = b""
    for level in range(depth, 2, -1):
        body = (raw(6, body), raw(1, text(4, "If") + body), raw(5, text(1, "then_branch") + body))[(level - 2) % 3]
    return model(body, CHAIN, inputs("x"), outputs("y"))


def calls(depth):
    """A function that calls a function that ...: bodies in bodies, the graph's own counted."""
    functions = b""
    for i in range(depth - 1):
        inner = node("Relu", ["a"], ["b"], "r") if i + 2 >= depth else node(
            "f%d" % (i + 1), ["a"], ["b"], "c", text(7, "own"))
        functions += raw(25, text(1, "f%d" % i) + text(4, "a") + text(5, "b")
                         + raw(7, inner[len(inner) - len(strip(inner)):])
                         + raw(9, num(2, 17)) + raw(9, text(1, "own") + num(2, 1)) + text(10, "own"))
    return model(node("f0", ["x"], ["y"], "call", text(7, "own")), inputs("x"), outputs("y"),
                 extra=functions + raw(8, text(1, "own") + num(2, 1)))


def short(number, digits=string.digits + string.ascii_letters):
    """Four signs: with two letters before it a name that may be a layer's."""
    return "".join(digits[number // len(digits) ** k % len(digits)] for k in range(4)).encode()


def lean(make, free, per):
    """What n makes, where a file may hold `free` of it and one more for `per` bytes: the most that
    such a file holds, and one more."""
    def most(more):
        n = free
        while n + 1 <= free + len(make(n + 1)) // per:
            n = max(n + 1, free + len(make(n)) // per)
        return make(n + more)
    return most


def strip(field):
    """The body of a length-delimited field with a tag of one byte."""
    at = 1
    while field[at] & 0x80:
        at += 1
    return field[at + 1:]


def sparse_model(size):
    """A model of `size` bytes whose weights are a hole, as (bytes, size)."""
    head = model(CHAIN, inputs("x"), outputs("y"))
    rest = size - len(head)
    for _ in range(4):      # until the lengths' own lengths fit
        hole = rest
        fields = num(1, 1) + num(2, 1) + text(8, "w")
        for _ in range(4):
            tensor = fields + varint(9 << 3 | 2) + varint(hole)
            graph = varint(5 << 3 | 2) + varint(len(tensor) + hole) + tensor
            whole = varint(7 << 3 | 2) + varint(len(graph) + hole) + graph
            hole = rest - len(whole)
    return head + whole


def bracketed(depth):
    return engines.dump([engines.layer("PWN(" * depth + "one" + ")" * depth, ["x"], ["y"])])


def ranked(rank):
    layer = engines.layer("one", ["x"], ["y"])
    layer["Outputs"][0]["Dimensions"] = [1] * rank
    return engines.dump([layer])


def ignores(n):
    return b"".join(b"[ignore]\nrule = latency\nreason = r\n" for _ in range(n))


def padded(head, size, tail=b""):
    """Blank lines between, up to the size."""
    return head + b"\n" * (size - len(head) - len(tail)) + tail


def constant(name, path):
    return value_of(path, name)


def constants_of(path, what):
    """How many a small file may hold, and for how many bytes one more."""
    free = "%s_FREE" % what if what == "NODE" else "%sS_FREE" % what
    return constant(free, path), constant("%s_BYTES" % what, path)


SNAPSHOT = b"fusiondiff snapshot 1\nnode one Relu core layer fp32 <\n"


# What, its constant, input of n, how it is run ("model", "engine", "snapshot", "policy",
# "profile"), and the message for one more.
ROWS = [
    ("levels of messages", ("FSD_WIRE_DEPTH", "src/model/onnx/wire.h"), at_depth, "model", "levels"),
    ("bytes of a string", ("FSD_WIRE_NAME", "src/model/onnx/wire.h"),
     lambda n: model(node("Relu", ["x"], ["y"], "n" * n), inputs("x"), outputs("y")), "model", "65536"),
    ("bodies in bodies", ("BODY_DEPTH", "src/model/onnx/load.c"), calls, "model", "subgraphs and function calls"),
    ("attributes of a node", ("ATTR_LIMIT", "src/model/onnx/load.c"),
     lambda n: model(node("Relu", ["x"], ["y"], "r", *[attribute("a%d" % i, 2, num(3, i)) for i in range(n)]),
                     inputs("x"), outputs("y")), "model", "attributes"),
    ("dimensions of a model's tensor", ("MOST_DIMS", "src/model/onnx/tensor.c"),
     lambda n: model(CHAIN, inputs("x", dims=[1] * n), outputs("y")), "model", "input/bad-dim"),
    ("the size of a dimension", ("FSD_DIM_MAX", "src/model/graph/form.h"),
     lambda n: model(CHAIN, inputs("x", dims=[n]), outputs("y")), "model", "input/bad-dim"),
    ("dimensions of an engine's tensor", ("RANK_MAX", "src/read/trt/json.c"), ranked, "engine", "input/odd-dimensions"),
    ("brackets in a name", ("DEPTH_MAX", "src/read/trt/expr.c"), bracketed, "engine", "input/deep-name"),
    ("bytes of a name taken apart", ("NAME_BYTES_MAX", "src/read/trt/name.c"),
     lambda n: engines.dump([engines.layer("n" * n, ["x"], ["y"])]), "engine", "input/long-name"),
    ("layers of a dump", ("LAYERS_MAX", "src/read/trt/json.c"),
     lambda n: b'{"Layers": [' + b",".join([b'"one"'.ljust(31)] * n) + b"]}", "layers", "layers"),
    ("layers of a small dump", None,
     lean(lambda n: b'{"Layers": [' + b",".join([b'"one"'] * n) + b"]}", *constants_of("src/read/trt/json.c", "LAYER")),
     "layers", "layers"),
    ("layers of a profile alone", None,
     lean(lambda n: b"{" + b",".join(b'"fc%s":[1]' % short(i) for i in range(n)) + b"}", *constants_of("src/read/trt/json.c", "LAYER")),
     "layers", "layers"),
    ("JSON values of a small dump", None,
     lean(lambda n: b'{"Layers": [{"Name": "one", "Odd": [' + b",".join([b"1"] * (n - 5)) + b"]}]}",
          *constants_of("src/read/trt/json_file.c", "VALUE")), "engine", "JSON values"),
    ("nodes of a small model", None,
     lean(lambda n: model(node("Relu", ["x"], ["y"], "r"), raw(1, text(4, "R")) * (n - 1), inputs("x"), outputs("y")),
          *constants_of("src/model/onnx/load.c", "NODE")), "model", "nodes"),
    ("depth of JSON", 1000, lambda n: b'{"Layers": [{"Name": "one", "Odd": ' + b"[" * (n - 3) + b"]" * (n - 3)
     + b"}]}", "engine", "expected"),
    ("profiles in a file", ("PROFILES_MAX", "src/read/trt/profile.c"),
     lambda n: b'[{"count": 1}, {"name": "one", "averageMs": 1}]' * n, "profile", "profiles"),
    ("iterations of a tuning cache", ("STEPS_MAX", "src/read/trt/tuning.c"),
     lambda n: b'{"tuner_version":"1"}' + b'{"build_route":"-a=on"}' * n, "tuning", "iterations"),
    ("bytes of a policy", ("POLICY_LIMIT", "src/judge/gate/policy_ini.c"),
     lambda n: padded(b"[latency]\nlevel = error\n", n), "policy", "bytes"),
    ("ignores of a policy", ("MOST_IGNORES", "src/judge/gate/policy_ini.c"), ignores, "policy", "1000 ignores"),
    ("bytes of a policy's line", 198, lambda n: b"[latency]\n;" + b"x" * (n - 1) + b"\n", "policy", "198 bytes"),
    ("bytes of a snapshot", ("SNAPSHOT_LIMIT", "src/change/snapshot/read.c"),
     lambda n: padded(SNAPSHOT, n, b"end\n"), "snapshot", "bytes"),
]


# What takes a build with sanitizers minutes.
LARGE = (1 << 20, 1 << 28)


def run(h, what, how, data):
    """Exit status, and all that is said."""
    plain = h.path("limits.onnx", model(CHAIN, inputs("x"), outputs("y")))
    engine = h.path("limits.json", engines.dump([engines.layer("one", ["x"], ["y"])]))
    snapshot = h.path("limits.fsd", SNAPSHOT + b"end\n")
    subject = h.path("limits.subject", data)
    args = {"model": ["--force", subject, engine, "-f", "json"],
            "engine": ["--force", plain, subject, "-f", "json"],
            "layers": ["--force", plain, subject],
            "profile": [plain, engine, "--profile", subject, "-f", "json"],
            "tuning": ["routes", subject],
            "policy": ["check", snapshot, plain, engine, "--force", "--policy", subject],
            "snapshot": ["snapshot", subject]}[how]
    status, out, err = h.run_both(what, *args)
    os.unlink(subject)
    return status, out + err


def little_stack(h):
    """The deepest that is read needs 256 KB of stack: a thread of a program that embeds the
    library may have no more."""
    if h.sanitized:
        return
    plain = h.path("limits.onnx", model(CHAIN, inputs("x"), outputs("y")))
    engine = h.path("limits.json", engines.dump([engines.layer("one", ["x"], ["y"])]))
    for what, n, make in (("levels of messages", constant("FSD_WIRE_DEPTH", "src/model/onnx/wire.h"), at_depth),
                          ("bodies in bodies", constant("BODY_DEPTH", "src/model/onnx/load.c"), calls),
                          ("brackets", constant("DEPTH_MAX", "src/read/trt/expr.c"), bracketed),
                          ("JSON", 999, lambda n: b'{"Layers": [{"Name": "one", "Odd": ' + b"[" * (n - 3) +
                           b"]" * (n - 3) + b"}]}")):
        subject = h.path("limits.subject", make(n))
        pair = [plain, subject] if what in ("brackets", "JSON") else [subject, engine]
        done = subprocess.run(["bash", "-c", 'ulimit -s 256; exec "$@"', "-", h.binary, "--force", *pair, "-f", "json"],
                              capture_output=True, check=False)
        h.check(done.returncode == 0, "%d %s on a stack of 256 KB" % (n, what), "status %d" % done.returncode)


def library_calls(h):
    """What the program asks of the C library: no connection, no other program but that of `collect`, and the one that lays
    pictures out, which a build without Graphviz runs by execv()."""
    if h.sanitized or not shutil.which("nm"):
        return
    done = subprocess.run(["nm", "-D", "--undefined-only", h.binary], capture_output=True, text=True, check=True)
    asked = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    odd = {name for name in asked if re.match("exec(?!vp?$)|fexec|posix_spawn|popen$|system$|socket|connect|getaddrinfo",
                                              name)}
    h.check("malloc" in asked and not odd, "calls", "%s" % sorted(odd))


def all_limits(h):
    for what, where, make, how, shown in h.some(ROWS):
        n = 0 if where is None else where if isinstance(where, int) else constant(*where)
        if h.sanitized and n in LARGE:
            continue
        status, said = run(h, what, how, make(n))
        h.check(status in (0, 1) and "input/" not in said, what, "%d is not read: %s" % (n, said[-300:]))
        status, said = run(h, what, how, make(n + 1))
        refused = status == 2 or "input/" in shown and status in (0, 1)
        h.check(refused and shown in said, what, "%d is read: status %d, %s" % (n + 1, status, said[-300:]))
    little_stack(h)
    library_calls(h)
    size = constant("MODEL_LIMIT", "src/api/inputs.c")
    engine = h.path("limits.json", engines.dump([engines.layer("one", ["x"], ["y"])]))
    for more in (0, 1):
        path = h.path("limits.huge", sparse_model(size))
        os.truncate(path, size + more)
        status, _, err = h.run_both("bytes of a model", "--force", path, engine, bounded=False)
        os.unlink(path)
        h.check(status == 2 and "bytes" in err if more else status in (0, 1), "bytes of a model", err[-300:])
