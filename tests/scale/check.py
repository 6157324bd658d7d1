#!/usr/bin/python3
"""What a large input costs, on a Release build.

    check.py BINARY FUSER

1. A model whose weights weigh 300 MB costs what its graph costs: under 20 MB of peak
   memory for the whole run, whichever field holds the weights.
2. An engine of 10,000 layers, and one whose only layer has 10,000 nodes, take under two
   seconds; four times the size must not take much more than four times as long, which
   a quadratic pass would.

3. Two models of 10,000 nodes that share few names are compared in twice that.

Exit status 77 when something needed is absent.
"""
import os
import subprocess
import sys
import tempfile
import time

BINARY, FUSER = sys.argv[1:3]
FIXTURE = os.path.join(os.path.dirname(__file__), "..", "..", "fixtures", "qat_block")
PEAK_KIB = 20 * 1024
SECONDS = 2.0
failures = 0


def check(what, holds, detail):
    global failures
    print(f"{'ok' if holds else 'FAILED':6} {what}: {detail}")
    failures += not holds


def run(*args, status=0):
    """Seconds and peak KiB of one run."""
    start = time.monotonic()
    child = subprocess.Popen([BINARY, *args], stdout=subprocess.DEVNULL)
    _, code, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(code)
    if child.returncode != status:
        check(" ".join(args), False, f"exit status {child.returncode}")
    return time.monotonic() - start, usage.ru_maxrss


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
    """A length-delimited field's head; its payload of zeros follows as a hole."""
    return varint(number << 3 | 2) + varint(size)


def inflate(path, number, size):
    """The fixture's model with one more initializer whose field `number` holds `size`
    bytes of zeros.  A protobuf file may hold its graph in two pieces, which merge: the
    second piece is only the initializer."""
    with open(os.path.join(FIXTURE, "model.onnx"), "rb") as file:
        small = file.read()
    data_type = {9: 1, 4: 1, 7: 7}[number]
    tensor = field(1, 0, varint(size // 4)) + field(2, 0, varint(data_type)) + \
        field(8, 2, b"huge") + prefix_of(number, size)
    graph = prefix_of(5, len(tensor) + size) + tensor
    with open(path, "wb") as file:
        file.write(small + prefix_of(7, len(graph) + size) + graph)
        file.truncate(file.tell() + size)


def check_memory(folder):
    model = os.path.join(folder, "huge.onnx")
    engine = os.path.join(FIXTURE, "engine.graph.json")
    _, base = run(os.path.join(FIXTURE, "model.onnx"), engine)
    for number, name in ((9, "raw_data"), (4, "float_data"), (7, "int64_data")):
        inflate(model, number, 300 << 20)
        _, peak = run(model, engine, "-f", "json")
        check(f"300 MB in {name}", peak < PEAK_KIB, f"peak {peak / 1024:.1f} MB (without it {base / 1024:.1f})")


def make(folder, shape, size):
    subprocess.run([FUSER, "--generate", shape, "--size", str(size), "-o", folder], check=True)
    return os.path.join(folder, "model.onnx"), os.path.join(folder, "engine.json")


def check_time(folder):
    for shape in ("chain", "region"):
        times = []
        for size in (2500, 10000):
            case = os.path.join(folder, f"{shape}{size}")
            os.mkdir(case)
            pair = make(case, shape, size)
            times.append(min(run(*pair, "-f", "json")[0] for _ in range(3)))
        check(f"{shape} of 10,000", times[1] < SECONDS, f"{times[1]:.2f} s, {times[1] / times[0]:.1f} times that of 2,500")
        check(f"{shape} is not quadratic", times[1] / max(times[0], 0.02) < 8, f"{times[0]:.3f} s, then {times[1]:.3f} s")


def check_compare(folder):
    """A model that was exported anew, with other names, so that all of it is aligned."""
    times = []
    for size in (2500, 10000):
        words = []
        for more in (0, 3):
            case = os.path.join(folder, f"compare{size + more}")
            os.mkdir(case)
            words.append(",".join(make(case, "chain", size + more)))
        times.append(min(run("compare", *words, "-f", "json", status=1)[0] for _ in range(2)))
    check("compare of 10,000", times[1] < 2 * SECONDS, f"{times[1]:.2f} s")
    check("compare is not quadratic", times[1] / max(times[0], 0.04) < 8, f"{times[0]:.3f} s, then {times[1]:.3f} s")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_memory(folder)
        if os.path.exists(FUSER):
            check_time(folder)
            check_compare(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
