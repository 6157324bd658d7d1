"""`BINARY SHARED [EVERY]`: no line of a text report is longer than the terminal is wide, at 80 and at 100 columns, of
each verb, over corpus, zoo and zoo-2; of these every EVERY-th case (default: 6).  A line of one word, as a path or a
command that a reader copies, may be longer: it could not be broken."""
import glob
import os
import re
import sys

from harness import SHARED, check, failures, start

ANSI = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = (80, 100)
VIEWS = (["diff"], ["diff", "--all"], ["diff", "--all", "--no-side-by-side"], ["top"], ["memory"], ["reformats"],
         ["scopes"], ["patterns"], ["tensors"], ["names"], ["where", "*"], ["inside", "0"], ["skipped"],
         ["lint"], ["explain", "--layer", "0"])


def cases():
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    folders = sorted(f for zoo in ("corpus", "zoo/cases", "zoo-2/cases") for f in glob.glob(os.path.join(SHARED, zoo, "*"))
                     if os.path.isdir(f))
    return folders[::every]


def judge(name, verb, *files):
    n = 0
    for width in WIDTHS:
        done = start(verb[0], *files, *verb[1:], f"--width={width}", "--color=never")
        for line in done.stdout.splitlines():
            n += 1
            check(f"{name} {' '.join(verb)}", f"a line is within {width} columns",
                  len(line) <= width or len(line.split()) == 1, f"{len(line)}: {line}")
    return n


def main():
    folders = cases()
    n = sum(judge(os.path.basename(f), verb, f) for f in folders for verb in VIEWS)
    for before, after in zip(folders, folders[1:]):
        n += judge(os.path.basename(before), ["compare"], before, after, "--force")
    print(f"{len(folders)} cases, {n} lines, {len(failures)} too long")
    return 1 if failures or not n else 0


if __name__ == "__main__":
    if not os.path.isdir(SHARED):
        print(f"skipped: {SHARED} is not there")
        sys.exit(77)
    sys.exit(main())
