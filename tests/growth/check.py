#!/usr/bin/python3
"""What a large input costs, on a Release build:  check.py BINARY [whole]

1. A model whose weights weigh 300 MB costs what its graph costs: under 20 MB of peak
   memory for the whole run, whichever field holds the weights.  So does one that lint
   fixes, of 2 GB.
2. Work grows as its input does.  Instructions are counted by valgrind, peak memory is
   read, and bytes of output are counted, at n, 2n and 4n: twice the input takes at most 2^EXPONENT times as much.  A pass
   that is quadratic takes four times as much.  A count is the same on an idle and on a busy
   machine, and nearly so on another; a time is not, so that times are bench/run's.
3. A unit of input (a layer, a node, a byte of a log) costs at most the instructions and
   the bytes of memory that its row allows, half as much again as when it was written.
4. Any input takes at most 64 MB and 32 times its size, a well-formed dump 16 times.
5. The memory that a build log takes does not grow with it; --max-memory ends a run with an
   error, and never shortens a report.
6. Work and memory grow as the input does for the shapes of shapes.py, too (verbs.py has each verb and option): by default for
   those that have grown faster once, in a report of little output, so that it shows; with
   `whole` for all of them and for each writer from n = 10,000 on.  To count all would take
   a working day: their processor time is taken first, the least of three, and where twice
   the input takes more than 2^SURE of it the instructions are counted, and decide.

Exit status 77 when valgrind or time is absent.
"""
import gzip
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import large
import shapes

BINARY = os.path.abspath(sys.argv[1])
PEAK_KIB = 20 * 1024
EXPONENT = 1.15
SURE = 1.1
failures = 0


def check(what, holds, detail):
    global failures
    print(f"{'ok' if holds else 'FAILED':6} {what}: {detail}", flush=True)
    failures += not holds


def measured(*args, allowed=(0, 1)):
    """Seconds of the processor and peak KiB of one run, which must end as a diff does.  It is
    started by a small program: what this script takes itself would count as its children's."""
    with tempfile.NamedTemporaryFile("r") as stated:
        done = subprocess.run(["/usr/bin/time", "-q", "-f", "%U %S %M", "-o", stated.name, BINARY, *args],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False,
                              stderr=subprocess.DEVNULL if 2 in allowed else None)
        if done.returncode not in allowed:
            check(" ".join(args)[-90:], False, f"exit status {done.returncode}")
        user, system, kib = stated.read().split()
        return float(user) + float(system), int(kib)


def peak(*args, **more):
    return measured(*args, **more)[1]


def instructions(*args):
    """How many instructions one run takes."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", BINARY, *args]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False, env={**os.environ, "LC_ALL": "C"})
    counted = re.search(rb"I +refs: +([\d,]+)", done.stderr)
    if done.returncode not in (0, 1) or not counted:
        check(" ".join(args)[-90:], False, f"exit status {done.returncode}: {done.stderr[-500:]}")
        return math.nan
    return int(counted.group(1).replace(b",", b""))


def written(*args):
    """How many bytes one run writes."""
    with subprocess.Popen([BINARY, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as run:
        return sum(map(len, iter(lambda: run.stdout.read(1 << 20), b"")))


def exponent(costs):
    """Of the steepest doubling."""
    return max(math.log2(max(b, 1e-9) / max(a, 1e-9)) for a, b in zip(costs, costs[1:]))


# ------------------------------------------------------------------------- what grows

def diff_of(shape, form):
    return lambda folder, n: ([*large.pair(folder, shape, n), "-f", form], n)


def comparison(folder, n):
    """A model that was exported anew, with other names, so that all of it is aligned."""
    sides = [",".join(large.pair(folder, "chain", size)) for size in (n, n + 3)]
    return ["compare", *sides, "-f", "json"], n


def log_of(name, engines=1, members=0, words=lambda path: [path]):
    """Logs of some MB, n MB each and n times `engines` builds."""
    def make(folder, n):
        builds = engines * n if engines > 1 else 1
        path = os.path.join(folder, f"{name}{n}.log")
        if not os.path.exists(path):
            large.write_log(path, builds, n << 20, members)
        return [*words(path), *(["--engine", str(builds)] if builds > 1 else [])], os.path.getsize(path)
    return make


def snapshot_of(folder, n):
    return ["snapshot", large.write_snapshot(os.path.join(folder, f"long{n}.fsd"), n)], n


# Of a log a window is held, some 2 MB; n is beyond it.
# What is run, n, and the instructions and bytes that one unit more may take.
GROWTH = [
    ("JSON of a chain", diff_of("chain", "json"), 500, 620e3, 16e3),
    ("text of a chain", diff_of("chain", "text"), 500, 550e3, 24e3),
    ("DOT of a chain", diff_of("chain", "dot"), 500, 1200e3, 27e3),
    ("JSON of a region", diff_of("region", "json"), 1000, 270e3, 8e3),
    ("DOT of a region", diff_of("region", "dot"), 1000, 400e3, 8e3),
    ("comparison of two chains", comparison, 500, 1300e3, 28e3),
    ("snapshot with a long line", snapshot_of, 10000, 20e3, 500),
    ("log of one engine", log_of("one"), 4, 8, 0.2),
    ("log of many engines", log_of("many", engines=5), 4, 10, 0.3),
    ("log of long lines", log_of("long", members=500), 4, 3, 0.2),
    ("explain from a log", log_of("one", words=lambda path: ["explain", path, "--node", "Conv_0"]), 4, 8, 0.2),
]


def grow(folder, row):
    what, make, n, *_ = row
    runs = [make(folder, n * times) for times in (1, 2, 4)]
    counts = [instructions(*args) for args, _ in runs]
    peaks = [peak(*args) for args, _ in runs]
    units = runs[2][1] - runs[0][1]
    return counts, peaks, [written(*args) for args, _ in runs], (counts[2] - counts[0]) / units, (peaks[2] - peaks[0]) * 1024 / units


def check_whole(folder, rows):
    """One after the other: a time is of an idle machine, or of one that is busy all the time."""
    for what, make, n, *_ in rows:
        runs = [make(folder, n * times)[0] for times in (1, 2, 4)]
        stated = [[measured(*args) for args in runs] for _ in range(3)]
        times, peaks = ([min(turn[i][k] for turn in stated) for i in range(3)] for k in range(2))
        shown, grown = ", ".join(f"{t:.2f}" for t in times) + " s", exponent(times)
        if grown > SURE:
            counts = [instructions(*args) for args in runs]
            shown += f", exponent {grown:.2f}; " + ", ".join(f"{c / 1e6:.0f}" for c in counts) + " million instructions"
            grown = exponent(counts)
        sizes = [written(*args) for args in runs]
        check(what, max(grown, exponent(peaks), exponent(sizes)) < EXPONENT,
              f"{shown}, exponent {grown:.2f}; " + ", ".join(f"{p / 1024:.1f}" for p in peaks) +
              f" MB, exponent {exponent(peaks):.2f}; " + ", ".join(f"{s / 1e6:.2f}" for s in sizes) +
              f" MB written, exponent {exponent(sizes):.2f}")


def check_growth(folder, rows):
    for _, make, n, *_ in rows:
        for times in (1, 2, 4):
            make(folder, n * times)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        grown = pool.map(lambda row: grow(folder, row), rows)
        for (what, _, _, most, room), (counts, peaks, sizes, each, bytes_each) in zip(rows, grown):
            shown = ", ".join(f"{c / 1e6:.0f}" for c in counts)
            check(f"{what}: instructions", exponent(counts) < EXPONENT and each < most,
                  f"{shown} million at n, 2n, 4n, exponent {exponent(counts):.2f}; {each:.3g} a unit of {most:.3g}")
            shown = ", ".join(f"{p / 1024:.1f}" for p in peaks)
            check(f"{what}: memory", exponent(peaks) < EXPONENT and bytes_each < room,
                  f"{shown} MB, exponent {exponent(peaks):.2f}; {bytes_each:.3g} bytes a unit of {room:.3g}")
            check(f"{what}: output", exponent(sizes) < EXPONENT,
                  ", ".join(f"{s / 1e6:.2f}" for s in sizes) + f" MB, exponent {exponent(sizes):.2f}")


# ------------------------------------------------------------------------ many shapes

# The shapes whose cost was quadratic once, and n; a kernel of these two takes as much as ten layers of the others.
MENDED = {"concat_copies": 1000, "concat_same_copies": 2000, "like_named": 2000, "inspector_bare": 2000, "owned": 1000,
          "ort_one_node": 2000, "equal_kernels": 400, "like_kernels": 400}

# What printed for each node the whole name of what it is in, or is beside.
NAMED = [("one_sum", ["explain", "--node=*"]), ("one_sum", ["-f", "csv"]), ("one_sum", ["where", "*"])] + \
    [("one_sum", [verb, "*", "-f", form]) for verb, form in (("where", "json"), ("where", "csv"), ("inside", "csv"))] + \
    [("one_sum", ["explain", "--layer=*", "-f", "markdown"]), ("long_source", ["where", "*", "-f", "json"]),
     ("long_type", ["where", "*"]), ("long_parts", ["where", "*", "-f", "csv"]), ("long_twin", ["explain", "--node=*"])] + \
    [("long_input", words) for words in (["reformats"], ["-f", "json"], ["-f", "junit"])] + \
    [("long_hub", words) for words in (["reformats"], ["-f", "json"], ["-f", "sarif"])]

# What is read, each with n where it is not 10,000: a unit of some is many bytes.
READ = {name: 10000 for name in (
    "chain equal_names unnamed one_region one_sum fan star concat_copies concat_same concat_same_copies "
    "lattice ladder_region dead folded identities equal_nodes constants quantized ifs empty_attributes many_dims "
    "reformats owned reformat_chain reformat_fan names_only metadata kernels equal_kernels like_kernels one_kernel many_to_many many_ports many_keys "
    "profile_suffix inspector inspector_ports inspector_bare block many_blocks bare_blocks parser_log like_named "
    "like_named_numbered fusions fused_one removed odd_lines profile profile_reversed ort ort_one_node").split()}
READ.update(long_names=15000, wide_names=5000, path_names=8000)
READ.update(owned=4000, many_dims=400)     # of these more is refused, which check_dense() looks at
READ.update(dict.fromkeys(("long_hub", "long_twin", "long_parts", "long_input", "long_reader"), 1000))     # for their names are of the model
READ.update(dict.fromkeys(("long_source", "long_type"), 10000))

# What is written, of what shapes.
VERBS = [["-f", form] for form in ("text", "dot", "markdown", "csv", "junit", "sarif", "github", "gitlab")] + \
    [[verb] for verb in ("reformats", "names", "scopes", "top", "memory", "patterns", "snapshot")]
WRITTEN = ["chain", "star", "reformats", "long_names"]


made = {}   # what inputs there are, by folder: rows share them


def inputs_of(folder, shape, size):
    case = os.path.join(folder, f"{shape}-{size}")
    if not os.path.isdir(case):
        os.mkdir(case)
        made[case] = getattr(shapes, shape)(case, size)
    return made[case]


def shape_row(shape, n, words):
    def make(folder, size):
        read = inputs_of(folder, shape, size)
        verb = [] if words[0].startswith("-") else words[:1]
        if verb == ["compare"]:
            read = [",".join(read)] * 2     # with itself
        return [*verb, *read, *words[len(verb):]], size
    return f"{' '.join(words)} of {shape}", make, n, math.inf, math.inf


def matrix(folder, n):
    """Builds of a region and more, and one that has a layer for each of the region's nodes."""
    one, apart = (",".join(inputs_of(folder, shape, n)) for shape in ("long_source", "chain"))
    return ["compare", one, apart, one, "--force"], n


def compared_rows(times):
    return [shape_row(shape, 1000 * times, ["compare", "-f", "dot"]) for shape in ("reformat_fan", "reformat_chain")] + \
        [("matrix of a region and a chain", matrix, 500 * times, math.inf, math.inf)]


def mended_rows():
    return [shape_row(shape, n, ["-f", "github"]) for shape, n in MENDED.items()] + \
        [shape_row(shape, 500, words) for shape, words in NAMED] + [shape_row("long_hub", 200, ["snapshot"])] + compared_rows(1)


def whole_rows():
    return [shape_row(shape, n, ["-f", "json"]) for shape, n in READ.items()] + \
        [shape_row(shape, READ[shape], words) for words in VERBS for shape in WRITTEN] + \
        [shape_row(shape, READ[shape], words) for shape, words in NAMED] + compared_rows(8)


# ------------------------------------------------------------------- what does not grow

def check_weights(folder):
    model = os.path.join(folder, "huge.onnx")
    engine = os.path.join(large.FIXTURE, "engine.graph.json")
    base = peak(os.path.join(large.FIXTURE, "model.onnx"), engine)
    for number, name in ((9, "raw_data"), (4, "float_data"), (7, "int64_data")):
        large.inflate(model, number, 300 << 20)
        most = peak(model, engine, "-f", "json")
        check(f"300 MB in {name}", most < PEAK_KIB, f"peak {most / 1024:.1f} MB (without it {base / 1024:.1f})")


def check_fix(folder):
    """2 GB of weights, in one tensor or in hundreds, stream from the model into the fixed one."""
    fixed = os.path.join(folder, "fixed.onnx")
    source = os.path.join(os.path.dirname(large.FIXTURE), "lint", "qdq_residual.fires.onnx")
    for count in (1, 400):
        model = os.path.join(folder, "many.onnx")
        large.append_weights(source, model, count, (2000 << 20) // count)
        most = peak("lint", model, "--for", "trt8", "--fix", "-o", "/dev/null")
        check(f"2 GB in {count} weights, fixed", most < PEAK_KIB, f"peak {most / 1024:.1f} MB")
    large.append_weights(source, model, 64, 1 << 20)
    peak("lint", model, "--for", "trt8", "--fix", "-o", fixed)
    with open(model, "rb") as old, open(fixed, "rb") as new:
        check("a fixed model has the weights as they were", old.read()[-(64 << 20):] in new.read(), "64 MB")


def check_dense(folder, whole):
    """What is dearest for its size: what is dense, in the largest number that is read, or more
    of it, which is refused before memory is taken for it."""
    free = 64 << 20
    rows = [("dense", 300000, 32, what) for what in shapes.DENSE]
    rows += [("commas", 12 << 20, 32), ("empties", 200000, 32), ("empty_attributes", 4 << 20, 32),
             ("many_attributes", 4 << 20, 32), ("doubled", 1 << 14, 32), ("doubled", 1 << 19, 32),
             ("many_keys", 300000, 32), ("one_kernel", 20000, 32)]
    rows += [(shape, 40000, 16) for shape in ("chain", "reformats", "kernels", "block")]
    if whole:
        rows += [(shape, 5 * n, 32) for shape, n in READ.items()]
    for shape, n, most, *words in rows:
        with tempfile.TemporaryDirectory(dir=folder) as case:
            args = getattr(shapes, shape)(case, n, *words)
            size = sum(os.path.getsize(arg) for arg in args if os.path.isfile(arg))
            took = peak(*args, "--force", "-f", "json", allowed=(0, 1, 2)) << 10
        check(f"{n} of {' '.join([*words, shape])}", took <= free + most * size,
              f"{took / 1e6:.0f} MB for {size / 1e6:.1f} MB of at most {(free + most * size) / 1e6:.0f}")


def check_log_memory(folder):
    path = os.path.join(folder, "memory.log")
    packed = path + ".gz"
    plain, stored = [], []
    for size in (10, 100):
        plain.append(peak(large.write_log(path, 1, size << 20)))
        with open(path, "rb") as log, gzip.open(packed, "wb", compresslevel=0) as out:  # as large as the log
            shutil.copyfileobj(log, out)
        stored.append(peak(packed))
    for what, peaks in (("a log", plain), ("a packed log", stored)):
        check(f"memory does not grow with {what}", peaks[1] < min(peaks[0] + 5 * 1024, PEAK_KIB),
              f"{peaks[0] / 1024:.1f} MB of 10 MB, {peaks[1] / 1024:.1f} MB of 100 MB")


def check_max_memory(folder):
    """A run that has too little memory says so and ends with 2; none loses part of its report
    and passes."""
    for shape in ("chain", "inspector", "block", "profile"):
        case = os.path.join(folder, "small-" + shape)
        os.mkdir(case)
        made = getattr(shapes, shape)(case, 1500)
        pairs = os.path.join(case, "pairs")
        with open(pairs, "w", encoding="utf-8") as file:
            file.write("\t".join(made).replace("--profile\t", "profile=") + "\n")
        for words in (["diff", "-f", "json"], ["diff", "-f", "dot"], ["diff", "-f", "sarif"], ["snapshot"], ["batch"]):
            command = [BINARY, words[0], *([pairs, "-j1"] if words == ["batch"] else made), *words[1:]]
            whole, bad, ended = subprocess.run(command, capture_output=True, check=False), [], 0
            for mb in range(1, 25):
                run = subprocess.run([*command, f"--max-memory={mb}"], capture_output=True, check=False)
                if run.returncode == 2 and b"out of memory" in run.stderr:
                    ended += 1
                elif (run.returncode, run.stdout) != (whole.returncode, whole.stdout):
                    bad.append(mb)
            check(f"{' '.join(words)} of {shape} within 1 to 24 MB", ended and not bad,
                  f"{ended} say that there is no memory, wrong at {bad}")


def main():
    for tool in ("valgrind", "time"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    whole = sys.argv[2:] == ["whole"]
    with tempfile.TemporaryDirectory() as folder:
        check_weights(folder)
        check_fix(folder)
        check_log_memory(folder)
        check_dense(folder, whole)
        check_max_memory(folder)
        check_growth(folder, GROWTH)
    with tempfile.TemporaryDirectory() as folder:
        if whole:
            check_whole(folder, whole_rows())
        else:
            check_growth(folder, mended_rows())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
