#!/usr/bin/python3
"""What every verb and option costs on honest shapes, on a Release build:  verbs.py BINARY [whole | rows] [PATTERN]

Each verb and each option that `fusiondiff help` prints has a row in rows.py, or a reason why it has none; one without both fails.
A row is run for n, 2n and 4n of each of its shapes (README.md lists them), and its instructions are counted by valgrind:
twice the input may take at most 2^EXPONENT times as much, and so may its peak memory.  n is chosen so that 4n takes TARGET
instructions, of which `whole` asks for 2e9, and a run without it for a quarter.  All rows take an hour; CI takes those that
once grew as a square.  Where 4n is bounded (MOST), as by a limit of the program, the row takes what is allowed.  `rows` runs nothing, and
only looks for what has no row.

PATTERN, a regular expression, selects rows by their names.  Exit status 77 when valgrind is absent.
"""
import functools
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from rows import EXPONENT, FIRST, FIRST_OF_LISTS, MOST, ROWS, SHARED, WITHOUT, inputs, words_of

BINARY = os.path.abspath(sys.argv[1])
WHOLE = 2e9
TARGET = WHOLE if "whole" in sys.argv[2:] else WHOLE / 4
PATTERN = next((word for word in sys.argv[2:] if word not in ("whole", "rows")), "")

# ------------------------------------------------------------------------------- counting

def counted(folder, row, shape, n):
    """Instructions and peak memory of a command for one size."""
    commands = row[3] if isinstance(row[3], list) else [row[3]]
    with tempfile.TemporaryDirectory(dir=folder) as at:
        files = inputs(at, shape, n)
        for command in commands[:-1]:
            done = subprocess.run([BINARY, *words_of(command, files, at, n)], capture_output=True, check=False)
            if done.returncode not in (0, 1):
                return math.nan, math.nan, f"{command}: {done.stderr[-300:].decode()}"
        words = words_of(commands[-1], files, at, n)
        with tempfile.NamedTemporaryFile("r") as peak:
            # What the run writes under valgrind is not there yet when it is measured.
            with tempfile.TemporaryDirectory(dir=folder) as again:
                subprocess.run(["cp", "-a", at + "/.", again], check=True)
                subprocess.run(["/usr/bin/time", "-q", "-f", "%M", "-o", peak.name, BINARY, *[word.replace(at, again) for word in words]],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            kib = int(peak.read().split()[-1])
        done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", BINARY, *words],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "LC_ALL": "C"})
    # The child process that lays a page's picture out has a count of its own, and ends first.  Graphviz gets a bounded number of boxes.
    found = re.findall(rb"I +refs: +([\d,]+)", done.stderr)
    if done.returncode not in (0, 1) or not found:
        return math.nan, math.nan, f"exit status {done.returncode}: {done.stderr[-300:].decode(errors='replace')}"
    return int(found[-1].replace(b",", b"")), kib, ""


def exponent(costs):
    return max(math.log2(b / a) for a, b in zip(costs, costs[1:]))


START = 4e6     # instructions of a run of nothing, about


def measure(folder, row, shape):
    """(what, whether it holds, how) of a row and a shape."""
    verb, option, _, command = row[:4]
    limit = row[4] if len(row) > 4 else EXPONENT
    what = f"{verb} {option or '-'} of {shape}"
    first = FIRST.get(shape) or FIRST_OF_LISTS.get(shape) or 100
    count, _, why = counted(folder, row, shape, first)
    if why:
        return what, False, why
    n = max(1, round(first * TARGET / 4 / max(count - START, 1e5)))
    n = min(n, MOST[shape] // 4) if shape in MOST else n
    costs, peaks = [], []
    for size in (n, 2 * n, 4 * n):
        count, kib, why = counted(folder, row, shape, size)
        if why:
            return what, False, f"n = {size}: {why}"
        costs.append(count)
        peaks.append(kib)
    grown, swelled = exponent(costs), exponent(peaks)
    return what, max(grown, swelled) <= limit, (
        f"n = {n}: " + ", ".join(f"{c / 1e6:.0f}" for c in costs) + f" million instructions, exponent {grown:.2f} of {limit}; " +
        ", ".join(f"{p / 1024:.1f}" for p in peaks) + f" MB, exponent {swelled:.2f}")


# ------------------------------------------------------------------------------ completeness

@functools.cache
def said(*words):
    return subprocess.run([BINARY, "help", *words], capture_output=True, text=True, check=True).stdout


def options_of(verb):
    """An option's names, and whether it is the verb's own."""
    own, _, common = said(verb).partition(" Options for reports")
    names = r"^(?: {6}|  -\S, )(--[a-z-]+)"
    return re.findall(names, own, re.M), re.findall(names, common, re.M)


def lacking():
    """Verbs and options that no row and no reason names."""
    rows = {(verb, option.split()[0] if option else "") for verb, option, *_ in ROWS}
    common = {option for _, option in rows}
    for verb in re.findall(r"^  ([a-z]+) +\S", said(), re.M):
        if (verb, "") not in rows and verb not in WITHOUT:
            yield f"the verb {verb}"
        own, shared = options_of(verb)
        for option in own:
            if (verb, option) not in rows and option not in WITHOUT and (verb, option) not in SHARED:
                yield f"the option {option} of {verb}"
        for option in shared:
            if option not in common and option not in WITHOUT:
                yield f"the option {option}"


def stale():
    """Rows of what is no verb or option any more."""
    for verb, option, *_ in ROWS:
        own, shared = options_of(verb)
        if option and option.split()[0] not in own + shared:
            yield f"{verb} {option}"


def main():
    bad = [f"{what} has no row in tests/growth/rows.py" for what in sorted(set(lacking()))]
    bad += [f"{what} has a row, and help does not list it" for what in sorted(set(stale()))]
    print("\n".join(bad), end="\n" if bad else "")
    if "rows" in sys.argv[2:]:
        return 1 if bad else 0
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 1 if bad else 77
    jobs = [(row, shape) for row in ROWS for shape in row[2]]
    jobs = [(row, shape) for row, shape in jobs if re.search(PATTERN, f"{row[0]} {row[1] or '-'} of {shape}")]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = 0
        for what, holds, how in pool.map(lambda job: measure(folder, *job), jobs):
            print(f"{'ok' if holds else 'FAILED':6} {what}: {how}", flush=True)
            failed += not holds
    return 1 if bad or failed else 0


if __name__ == "__main__":
    sys.exit(main())
