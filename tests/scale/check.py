#!/usr/bin/python3
"""What a large input costs, on a Release build.

    check.py BINARY FUSER

1. A model whose weights weigh 300 MB costs what its graph costs: under 20 MB of peak
   memory for the whole run, whichever field holds the weights.
2. An engine of 10,000 layers, and one whose only layer has 10,000 nodes, take under two
   seconds; four times the size must not take much more than four times as long, which
   a quadratic pass would.

3. Two models of 10,000 nodes that share few names are compared in twice that.
4. A build log of 100 MB is read in less than twice the processor time of
   `grep -c Fusing` on it, whether it holds one engine or many or lines of 100 kB; memory
   does not grow with it.

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


STAMP = "[01/02/2024-10:00:00] [V] [TRT] "
FORMATS = ["Float(802816,12544,112,1)", "Half(401408,12544,112,1)", "Half(50176,1:8,448,4)", "Int8(12544,1:32,112,1)"]


def network(nodes):
    """A chain of convolutions and activations, as the parser prints it."""
    lines = ["Adding network input: t0 with dtype: float32, dimensions: (1, 64, 112, 112)"]
    for i in range(nodes):
        op = "Relu" if i % 2 else "Conv"
        lines += [f"Parsing node: {op}_{i} [{op}]", f"Searching for input: t{i}",
                  f"{op}_{i} [{op}] inputs: [t{i} -> (1, 64, 112, 112)[FLOAT]], ",
                  f"Registering layer: {op}_{i} for ONNX node: {op}_{i}",
                  f"{op}_{i} [{op}] outputs: [t{i + 1} -> (1, 64, 112, 112)[FLOAT]], "]
    lines.append(f"Marking t{nodes}_9 as output: t{nodes}")
    return lines + [f"ConvReluFusion: Fusing Conv_{i} with Relu_{i + 1}" for i in range(0, nodes, 2)]


def timings(name, rounds):
    """The bulk of a verbose log, in about the shares that real ones have."""
    lines = []
    for r in range(rounds):
        lines += [f"*************** Autotuning Reformat: {a} -> {b} ***************" for a in FORMATS for b in FORMATS]
        lines.append(f"--------------- Timing Runner: {name} (CaskConvolution[0x80000009])")
        for tactic in range(24):
            number = f"0x{tactic * 7919 + r:016x}"
            if tactic % 2:
                lines.append(f"{name} Set Tactic Name: sm80_xmma_fprop_implicit_gemm_f16_nhwc_tile{tactic} Tactic: {number}")
            else:
                lines.append(f"Tactic Name: sm80_xmma_fprop_implicit_gemm_f16_nhwc_tile{tactic} Tactic: {number}")
            lines.append(f"Tactic: {number} Time: 0.0{tactic}31")
        lines += [f"{name} (CaskConvolution[0x80000009]) profiling completed in 0.1 seconds. "
                  f"Fastest Tactic: 0x{r:016x} Time: 0.0056",
                  "=============== Computing reformatting costs"]
    return lines


def block(nodes):
    layers = [f"Layer(CaskConvolution): Conv_{i} + Relu_{i + 1}, Tactic: 0x{i:016x}, t{i} (Half[1,64:8,112,112]) "
              f"-> t{i + 2} (Half[1,64:8,112,112])\n" for i in range(0, nodes, 2)]
    return STAMP + "Engine Layer Information:\n" + "".join(layers)


def stamped(lines):
    return "".join(f"{STAMP}{line}\n" for line in lines)


def write_log(path, engines, size, name="Conv_{} + Relu_{}"):
    """A log of `engines` builds and about `size` bytes.  In pieces: what this process
    needs counts as its children's peak, too."""
    nodes = 40
    head, tail = stamped(network(nodes)), block(nodes)
    with open(path, "w", encoding="ascii") as file:
        for engine in range(1, engines + 1):
            file.write(head)
            while file.tell() < size * engine // engines:
                for i in range(0, nodes, 2):
                    file.write(stamped(timings(name.format(i, i + 1), 1)))
            file.write(tail)


def cpu(args):
    """Processor seconds and peak KiB.  Output goes to a file: grep stops at its first
    line when it writes to /dev/null."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(args, stdout=out)
        _, code, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(code)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, child.returncode


def against_grep(what, args, log):
    """The least of several turns each, taken alternately: other work on the machine
    slows both."""
    mine, grep, peak = [], [], 0
    for _ in range(7):
        seconds, rss, code = cpu([BINARY, *args])
        mine.append(seconds)
        peak = max(peak, rss)
        grep.append(cpu(["grep", "-c", "Fusing", log])[0])
        if code:
            check(what, False, f"exit status {code}")
    ratio = min(mine) / max(min(grep), 0.001)
    check(f"{what} against grep", ratio < 2, f"{min(mine):.3f} s, grep {min(grep):.3f} s, ratio {ratio:.2f}")
    check(f"{what}: memory", peak < PEAK_KIB, f"peak {peak / 1024:.1f} MB")


def check_log(folder):
    log, small = os.path.join(folder, "big.log"), os.path.join(folder, "small.log")
    size = 100 << 20
    write_log(log, 1, size)
    against_grep("log of one engine", [log], log)
    against_grep("explain from a log", ["explain", log, "--node", "Conv_0"], log)
    write_log(small, 1, size // 10)
    peaks = [cpu([BINARY, path])[1] for path in (small, log)]
    check("memory does not grow with a log", peaks[1] < peaks[0] + 5 * 1024,
          f"{peaks[0] / 1024:.1f} MB of {size // 10 >> 20} MB, {peaks[1] / 1024:.1f} MB of {size >> 20} MB")
    write_log(log, 50, size)
    against_grep("log of 50 engines", [log, "--engine", "50"], log)
    write_log(log, 1, size, "{{ForeignNode[" + " + ".join(f"/layer.{i}/Conv" for i in range(5000)) + "...Relu_{}_{}]}}")
    against_grep("log of long lines", [log], log)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_memory(folder)
        check_log(folder)
        if os.path.exists(FUSER):
            check_time(folder)
            check_compare(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
