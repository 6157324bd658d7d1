#!/usr/bin/python3
"""The real binary under valgrind: check.py BINARY

As few golden cases as ask each verb and option with each status that it ends with, and
each format that no golden case has.  An error or a leak of ours fails.  Graphviz and Pango, which draw in a child process,
leave memory to its end: pictures are looked at for errors only.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import golden

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FIXTURES = os.path.join(TESTS, "..", "fixtures")
FOUND = 99                      # the status of a run in which valgrind found something
PAIR = "synthetic/attention-10/model.onnx synthetic/attention-10/engine.json"
SNAPSHOTS = "reach/fates-before.fsd reach/fates-after.fsd"
FORMATS = ["text", "json", "markdown", "junit", "sarif", "github", "gitlab", "dot"]
# What png and pdf add is Cairo's, and takes as long as thirty other runs.
PICTURES = ["svg"]
VIEWS = ["reformats", "where '*'", "inside '*' --layers", "names", "scopes", "explain '*'"]


def asked(args):
    """The verb and the options of a case."""
    words = shlex.split(args)
    options = {re.sub("=.*", "", word) for word in words if word.startswith("-")}
    return options | {"" if not words or re.search("[./]", words[0]) else words[0]}


def fewest():
    """Yields command lines of golden cases and their statuses, the one that asks most of what is left first."""
    cases = []
    for case in golden.cases():
        args, expected = shlex.join(case.args), case.status()
        cases.append((args, expected, {(word, expected) for word in asked(args)}))
    left = set().union(*(asks for *_, asks in cases))
    while left:
        args, expected, asks = max(cases, key=lambda case: len(case[2] & left))
        left -= asks
        yield args, expected


def others():
    """None is the status where only valgrind is asked."""
    for form in FORMATS:
        yield "%s -f %s" % (PAIR, form), None
        yield "check %s -f %s" % (SNAPSHOTS, form), None
        yield "compare %s -f %s" % (SNAPSHOTS, form), None
    for view in VIEWS:
        for form in ("text", "json"):
            yield "%s %s -f %s" % (view.split()[0], " ".join([PAIR, *view.split()[1:]]), form), None
    for form in PICTURES:
        yield "%s -f %s --layout-timeout=100" % (PAIR, form), None
        yield "compare %s -f %s --layout-timeout=100" % (SNAPSHOTS, form), None


def run(binary, args, expected):
    """What is wrong, or nothing."""
    picture = args == "doctor" or any("-f " + form in args for form in PICTURES)    # a doctor tries one
    leaks = [] if picture else ["--leak-check=full", "--show-leak-kinds=definite,possible"]
    with tempfile.TemporaryFile() as log:
        command = 'exec valgrind --quiet --log-fd=9 --error-exitcode=%d %s "$0" %s 9>&2' % (
            FOUND, " ".join(leaks), args)
        done = subprocess.run(["sh", "-c", command, binary], cwd=FIXTURES, check=False, stderr=log,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        log.seek(0)
        said = log.read().decode(errors="replace")
    if done.returncode == FOUND or "==" in said or expected not in (None, done.returncode):
        return "%s: status %d\n%s" % (args, done.returncode, said[:3000])
    return ""


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    binary = os.path.realpath(sys.argv[1])
    cases = [*fewest(), *others()]
    with ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda case: run(binary, *case), cases) if w]
    print("".join("FAILED " + w for w in wrong) + "%d runs, %d failures" % (len(cases), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
