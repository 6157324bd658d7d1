"""Writes inputs of any size, for tests of memory and time (tests/growth) and for measurements
(bench).

Files are written in pieces, because the memory of the writing process also counts in the peak
memory of its children.
"""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FUSER = os.path.join(ROOT, "tests", "support", "fuser", "fuse.py")
FIXTURE = os.path.join(ROOT, "fixtures", "qat_block")


# --------------------------------------------------------------- a model and its engine

def pair(folder, shape, size):
    """Writes a build: a chain of `size` layers, or one layer (a region) of `size` nodes. Returns
    its folder."""
    case = os.path.join(folder, f"{shape}{size}")
    if not os.path.isdir(case):
        subprocess.run([sys.executable, FUSER, "--generate", shape, "--size", str(size), "-o", case], check=True)
    return os.path.join(case, "model.onnx"), os.path.join(case, "engine.json")


# ----------------------------------------------------------------- a model full of weights

def varint(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, wire, payload=b""):
    head = varint(number << 3 | wire)
    return head + (varint(len(payload)) + payload if wire == 2 else payload)


def prefix_of(number, size):
    """Returns the head of a length-delimited field. The payload of zeros follows as a hole in the
    file."""
    return varint(number << 3 | 2) + varint(size)


def inflate(path, number, size, model=os.path.join(FIXTURE, "model.onnx")):
    """Writes the model with a further initializer, whose field `number` has `size` bytes of zeros.
    A protobuf file may have its graph in two pieces, which a parser merges. Here the second piece
    has only the initializer."""
    with open(model, "rb") as file:
        small = file.read()
    data_type = {9: 1, 4: 1, 7: 7}[number]
    tensor = field(1, 0, varint(size // 4)) + field(2, 0, varint(data_type)) + \
        field(8, 2, b"huge") + prefix_of(number, size)
    graph = prefix_of(5, len(tensor) + size) + tensor
    with open(path, "wb") as file:
        file.write(small + prefix_of(7, len(graph) + size) + graph)
        file.truncate(file.tell() + size)


def append_weights(source, path, count, size):
    """Writes the model with `count` further initializers of `size` bytes of zeros each, in a second
    piece of its graph."""
    heads = []
    for i in range(count):
        tensor = field(1, 0, varint(size // 4)) + field(2, 0, varint(1)) + field(8, 2, b"w%d" % i) + prefix_of(9, size)
        heads.append(prefix_of(5, len(tensor) + size) + tensor)
    with open(source, "rb") as file:
        small = file.read()
    with open(path, "wb") as file:
        file.write(small + prefix_of(7, sum(map(len, heads)) + count * size))
        for head in heads:
            file.write(head)
            file.seek(size, os.SEEK_CUR)
        file.truncate(file.tell())


# -------------------------------------------------------------------------- a snapshot

def write_snapshot(path, nodes):
    """Writes a snapshot with one group of all nodes. Their names need quotes. One line is nearly
    the whole file."""
    names = [f'"node {i}"' for i in range(nodes)]
    with open(path, "w", encoding="ascii") as file:
        file.write("fusiondiff snapshot 1\n")
        file.writelines(f"node {name} Relu core layer fp16 <\n" for name in names)
        file.write(f"group compute fp16 1 : {' '.join(names)}\nend\n")
    return path


# ---------------------------------------------------------------------- a verbose log

STAMP = "[01/02/2024-10:00:00] [V] [TRT] "
FORMATS = ["Float(802816,12544,112,1)", "Half(401408,12544,112,1)", "Half(50176,1:8,448,4)", "Int8(12544,1:32,112,1)"]
NODES = 40


def network(nodes):
    """Returns the log lines of TensorRT's parser for a chain of convolutions and activations."""
    lines = ["Adding network input: t0 with dtype: float32, dimensions: (1, 64, 112, 112)"]
    for i in range(nodes):
        op = "Relu" if i % 2 else "Conv"
        lines += [f"Parsing node: {op}_{i} [{op}]", f"Searching for input: t{i}",
                  f"{op}_{i} [{op}] inputs: [t{i} -> (1, 64, 112, 112)[FLOAT]], ",
                  f"Registering layer: {op}_{i} for ONNX node: {op}_{i}",
                  f"{op}_{i} [{op}] outputs: [t{i + 1} -> (1, 64, 112, 112)[FLOAT]], "]
    lines.append(f"Marking t{nodes}_9 as output: t{nodes}")
    return lines + [f"ConvReluFusion: Fusing Conv_{i} with Relu_{i + 1}" for i in range(0, nodes, 2)]


def timings(name, turn):
    """Returns the lines on timings, which are most of a verbose log. The kinds of lines have about
    the same shares as in real logs."""
    lines = [f"*************** Autotuning Reformat: {a} -> {b} ***************" for a in FORMATS for b in FORMATS]
    lines.append(f"--------------- Timing Runner: {name} (CaskConvolution[0x80000009])")
    for tactic in range(24):
        number = f"0x{tactic * 7919 + turn:016x}"
        if tactic % 2:
            lines.append(f"{name} Set Tactic Name: sm80_xmma_fprop_implicit_gemm_f16_nhwc_tile{tactic} Tactic: {number}")
        else:
            lines.append(f"Tactic Name: sm80_xmma_fprop_implicit_gemm_f16_nhwc_tile{tactic} Tactic: {number}")
        lines.append(f"Tactic: {number} Time: 0.0{tactic}31")
    return lines + [f"{name} (CaskConvolution[0x80000009]) profiling completed in 0.1 seconds. "
                    f"Fastest Tactic: 0x{turn:016x} Time: 0.0056",
                    "=============== Computing reformatting costs"]


def block(nodes):
    layers = [f"Layer(CaskConvolution): Conv_{i} + Relu_{i + 1}, Tactic: 0x{i:016x}, t{i} (Half[1,64:8,112,112]) "
              f"-> t{i + 2} (Half[1,64:8,112,112])\n" for i in range(0, nodes, 2)]
    return STAMP + "Engine Layer Information:\n" + "".join(layers)


def stamped(lines):
    return "".join(f"{STAMP}{line}\n" for line in lines)


def write_log(path, engines, size, members=0):
    """Writes a log of `engines` builds with about `size` bytes. With `members`, the timed kernels
    have the names of regions of that many nodes. Returns the path."""
    name = "Conv_{0} + Relu_{1}"
    if members:
        name = "{{ForeignNode[" + " + ".join(f"/layer.{i}/Conv" for i in range(members)) + "...Relu_{0}_{1}]}}"
    head, tail = stamped(network(NODES)), block(NODES)
    with open(path, "w", encoding="ascii") as file:
        for engine in range(1, engines + 1):
            file.write(head)
            i = 0
            while file.tell() < size * engine // engines:
                file.write(stamped(timings(name.format(i, i + 1), 0)))
                i = (i + 2) % NODES
            file.write(tail)
    return path
