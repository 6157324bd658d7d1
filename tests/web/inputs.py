#!/usr/bin/python3
"""Writes inputs and prints their paths as JSON:  inputs.py FOLDER hostile|sparse|large|long"""
import json
import os
import sys

FOLDER, KIND = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.argv[1:] = ["", "", ""]
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("picture", "support")]
import large  # noqa: E402
from harness import HOSTILE, hostile_pair  # noqa: E402

SIZE = 2_000_000_000


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def sparse(path):
    """One MatMul by weights of 2 GB, a hole in the file."""
    def tensor(name, *dims):
        sizes = b"".join(field(1, b"\x08" + varint(d)) for d in dims)
        return field(1, name) + field(2, field(1, b"\x08\x01" + field(2, sizes)))
    rows = SIZE // 4096
    weights = b"\x08" + varint(rows) + b"\x08" + varint(1024) + b"\x10\x01" + field(8, b"w")
    raw = varint(9 << 3 | 2) + varint(rows * 4096)
    front = field(1, field(1, b"x") + field(1, b"w") + field(2, b"y") + field(3, b"MatMul_0") + field(4, b"MatMul"))
    rest = field(2, b"g") + field(11, tensor(b"x", 1, rows)) + field(12, tensor(b"y", 1, 1024))
    initializer = len(weights) + len(raw) + rows * 4096
    head = varint(5 << 3 | 2) + varint(initializer) + weights + raw
    graph = len(front) + len(head) + rows * 4096 + len(rest)
    with open(path, "wb") as out:
        out.write(b"\x08\x08" + field(8, b"\x10\x11") + varint(7 << 3 | 2) + varint(graph) + front + head)
        out.seek(rows * 4096, os.SEEK_CUR)
        out.write(rest)
    return [path]


def long_log():
    """A log of 403 MB: a build of a fixture, and then a million lines of its tactics' times."""
    short = os.path.join(HERE, "..", "..", "fixtures", "build_log", "build.log")
    path = os.path.join(FOLDER, "long.log")
    with open(short, "rb") as lines, open(path, "wb") as out:
        out.write(lines.read())
        block = b"".join(b"[07/01/2026-12:00:00] [V] [TRT] Tactic: 0x%016x Time: %.6f\n" % (i * 0x9e3779b97f4a7c15 % 2 ** 64, i / 997) for i in range(1000))
        while out.tell() < 403_000_000:
            out.write(block)
    return [path]


def main():
    os.makedirs(FOLDER, exist_ok=True)
    if KIND == "sparse":
        made = sparse(os.path.join(FOLDER, "sparse.onnx"))
    elif KIND == "long":
        made = long_log()
    elif KIND == "large":
        made = large.pair(FOLDER, "chain", 10000)
    else:
        made = hostile_pair(FOLDER, HOSTILE + ["</script><script>document.title='broken'</script>", "<img src=x onerror=alert(1)>"])
    print(json.dumps(list(map(str, made))))


main()
