"""What a build log of TensorRT for RTX and an ONNX file say, read on their own and as plainly as
can be: nothing here is shared with the program that is measured against it."""
import lzma
import math
import os
import re

# ------------------------------------------------------------------------------------- ONNX


def fields(data):
    """(number, value) of each field of a protobuf message; bytes for what has a length."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        else:
            size = 8 if key & 7 == 1 else 4
            yield key >> 3, data[at:at + size]
            at += size


class Node:
    def __init__(self, message):
        self.inputs, self.outputs, self.bodies, self.uses = [], [], [], set()
        self.name = self.op = self.domain = ""
        for number, value in fields(message):
            if number == 1:
                self.inputs.append(value.decode())
            elif number == 2:
                self.outputs.append(value.decode())
            elif number == 3:
                self.name = value.decode()
            elif number == 4:
                self.op = value.decode()
            elif number == 7:
                self.domain = value.decode()
            elif number == 5:
                self.bodies += [graph(v) for n, v in fields(value) if n in (6, 11)]
        for body in self.bodies:     # what a branch reads of the graph around it
            self.uses |= {t for n in body for t in (*n.inputs, *n.uses)}
        self.uses |= {t for t in self.inputs if t}


def graph(message):
    return [Node(value) for number, value in fields(message) if number == 1]


class Model:
    """nodes: of the main graph, in file order; calls: operators that are functions of the model."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.nodes, self.calls = [], set()
        for number, value in fields(data):
            if number == 7:
                self.nodes = graph(value)
            elif number == 25:
                self.calls |= {v.decode() for n, v in fields(value) if n == 1}
        self.maker = {t: i for i, n in enumerate(self.nodes) for t in n.outputs if t}
        self.readers = {}
        for i, node in enumerate(self.nodes):
            for tensor in node.uses:
                self.readers.setdefault(tensor, []).append(i)

    def next_of(self, i):
        return [r for t in self.nodes[i].outputs for r in self.readers.get(t, [])]

    def before(self, i):
        return [self.maker[t] for t in self.nodes[i].uses if t in self.maker]


def sizes(tensor_type):
    """(element type, sizes) of a TypeProto.Tensor; an open size is None."""
    element, dims = 0, []
    for number, value in fields(tensor_type):
        if number == 1:
            element = value
        elif number == 2:
            for _, dim in fields(value):
                dims.append(next((v for k, v in fields(dim) if k == 1), None))
    return element, tuple(dims)


def likeness(data):
    """(operators, types and sizes of initializers, of inputs and outputs); without names, values and
    the order of nodes."""
    ops, weights, ports = [], [], []
    for _, graph_data in ((n, v) for n, v in fields(data) if n == 7):
        for n, v in fields(graph_data):
            if n == 1:
                node = Node(v)
                ops.append((node.op, len(node.inputs), len(node.outputs)))
            elif n == 5:
                weights.append(tuple((k, x) for k, x in fields(v) if k in (1, 2)))
            elif n in (11, 12):
                types = [value_type for k, value_type in fields(v) if k == 2]
                ports += [(n, *sizes(t)) for value_type in types for k, t in fields(value_type) if k == 1]
    return tuple(sorted(ops)), tuple(sorted(weights, key=repr)), tuple(ports)


def alike(a, b):
    """Only names and values distinguish an engine of one from that of the other.  A builder may fix
    what a model leaves open."""
    return a[:2] == b[:2] and len(a[2]) == len(b[2]) and all(
        x[:2] == y[:2] and len(x[2]) == len(y[2]) and all(i == k or None in (i, k) for i, k in zip(x[2], y[2]))
        for x, y in zip(a[2], b[2]))


# --------------------------------------------------------------------------------------- log


class Tensor:
    def __init__(self, text):
        found = re.match(r"Name: (.*?)(?:, Location: \w+)?, Dimensions: \[([-\d,]*)\](.*)$", text, re.S)
        self.name, rest = found[1], found[3]
        self.stated = rest
        self.dims = [int(d) for d in found[2].split(",") if d]
        strides = re.search(r", Strides: \[([-\d,]*)\]", rest)
        order = re.search(r", StrideOrder: \[([-\d,]*)\]", rest)
        self.strides = [int(d) for d in strides[1].split(",") if d] if strides else None
        self.order = [int(d) for d in order[1].split(",") if d] if order else None
        self.type = re.search(r", (?:Format/)?Datatype: (\w+)", rest)[1]
        words = re.search(r", Format: (.*)$", rest, re.S)
        self.words = words[1] if words else ""

    def lies(self):
        """Where the elements lie: dims of 1 have no stride that matters."""
        return [(d, s) for d, s in zip(self.dims, self.strides or [None] * len(self.dims)) if d != 1]


class Kernel:
    KEYS = ("Inputs", "Constants", "Outputs")

    def __init__(self, line):
        self.name, line = re.match(r"Name: (.*?), LayerType: (.*)$", line, re.S).groups()
        self.type, line = line.split(",", 1)
        self.lists = {}
        for key in self.KEYS:
            mark = f" {key}: ["
            if line.startswith(mark):
                line = line[len(mark):]
                self.lists[key] = []
                while line.startswith(" { ") or line.startswith(", { "):
                    # What stands behind the dimensions has no " }".
                    start, dims = line.index("{ ") + 2, line.index(", Dimensions: [")
                    end = line.index(" }", dims)
                    self.lists[key].append(Tensor(line[start:end]))
                    line = line[end + 2:]
                line = line[line.index("]") + 1:].removeprefix(",")
        items = line.split("Metadata: ", 1)[1] if "Metadata: " in line else ""
        # Behind an item may stand what Myelin made of the node: "]__gemm_from_conv1x1".
        self.items = [re.sub(r"\](__\w+)?$", "", i.removeprefix("[ONNX Layer: "))
                      for i in re.split("[\x1e\x1f]", items) if i.strip()]

    inputs = property(lambda self: self.lists.get("Inputs", []))
    outputs = property(lambda self: self.lists.get("Outputs", []))
    constants = property(lambda self: self.lists.get("Constants", []))

    def node_names(self):
        return [item.split(" | ")[0] for item in self.items]


def parts(layers):
    """The names of tensors that several kernels write, each a part: of a Concat that its
    producers write in place nothing is left, and who copies a part of it does no node's work."""
    sizes, writers = {}, {}
    for kernel in layers:
        for t in kernel.inputs + kernel.outputs:
            sizes.setdefault(t.name, set()).add(math.prod(t.dims))
        for t in kernel.outputs:
            writers[t.name] = writers.get(t.name, 0) + 1
    return {name for name, n in writers.items() if n > 1 and len(sizes[name]) > 1}


def log_lines(folder):
    """The lines of build.log, compressed or not; a line may hold any byte but 0x0A."""
    path = os.path.join(folder, "build.log")
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
    else:
        with lzma.open(path + ".xz") as file:
            data = file.read()
    return data.decode("utf-8", "surrogateescape").split("\n")


def lines_of(path):
    """The same of any log or text, by its path."""
    if os.path.basename(path).startswith("build.log"):
        lines = log_lines(os.path.dirname(path))
    else:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    return [line.rstrip("\r") for line in lines]


def block(lines):
    """(name, type, (inputs, outputs)) of each layer of the last engine in a log of TensorRT 7 to 10, a tensor as (name, type,
    sizes, width of its vectors or None):

        Layer(Reformat): NAME, Tactic: 0, a[Float(1,3)] -> b (Half[1,3:2])"""
    start = max(i for i, line in enumerate(lines) if "Engine Layer Information" in line)
    use = re.compile(r"(.+?) ?(?:\[(\w+)\(([-\d,:]*)\)\]|\((\w+)\[([-\d,:]*)\]\))(?:, |$)")
    for line in lines[start + 1:]:
        if not line.startswith("Layer("):
            return
        found = re.match(r"Layer\((\w+)\): (.*), Tactic: [-\w]+, (.*) -> (.*)$", line)
        if not found:
            yield re.sub(r"^Layer\(\w+\): |, Tactic: .*", "", line), re.match(r"Layer\((\w*)", line)[1], ([], [])
            continue
        sides = []
        for text in (found[3], found[4]):
            uses = [(m[1], m[2] or m[4], m[3] or m[5] or "") for m in use.finditer(text)]
            sides.append([(name, kind, [int(d.split(":")[0]) for d in sizes.split(",") if d],
                           (re.search(r":(\d+)", sizes) or [None, None])[1]) for name, kind, sizes in uses])
        yield found[2], found[1], sides


def times(lines):
    """(name, milliseconds of a run) of each layer in the table that trtexec 8 prints into its log; None: there is none."""
    head = next((i for i, line in enumerate(lines) if re.search(r"=== Profile \(\d+ iterations", line)), None)
    if head is None or "Layer" not in lines[head + 1] or not lines[head + 1].rstrip().endswith("Time %"):
        return None
    runs, found = int(re.search(r"\((\d+) iter", lines[head])[1]), []
    for line in lines[head + 2:]:
        row = re.match(r"(?:\[[^]]*\] )*\s*(.*?)\s+([\d.]+)\s+[\d.]+(?:\s+[\d.]+)?\s+[\d.]+\s*$", line)
        if not row or row[1] == "Total":
            break
        found.append((row[1], float(row[2]) / runs))
    return found or None


def tuned_sizes(lines):
    """By input the sizes that the engine was tuned for, where a log of TensorRT for RTX states them."""
    found = [re.match(r" Name: (.*?), IOMode: Input, .*OptShape: \[([\d,]*)\]", line) for line in lines]
    return {m[1]: [int(d) for d in m[2].split(",") if d] for m in found if m}


def kernels(lines):
    """The layers of the (only) engine, in their order; of a log with names only the one region with
    the nodes that its ForeignNode line lists."""
    starts = [i for i, line in enumerate(lines) if line.endswith("] Layers:")]
    if starts:
        out = []
        for line in lines[starts[-1] + 1:]:
            if not line.startswith("Name: "):
                break
            out.append(Kernel(line))
        return out
    for line in lines:
        if " metadata: [ONNX Layer: " in line and "] ForeignNode {" in line:
            kernel = Kernel.__new__(Kernel)
            kernel.name, kernel.type, kernel.lists = "region", "Myelin", {}
            items = line.split(" metadata: ", 1)[1]
            kernel.items = [i.removeprefix("[ONNX Layer: ").removesuffix("]")
                            for i in re.split("[\x1e\x1f]", items)]
            return [kernel]
    return []
