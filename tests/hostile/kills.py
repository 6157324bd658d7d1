"""What a run leaves that a signal ends, at a random call of each verb that writes.

strace delivers SIGKILL, SIGTERM, SIGINT or SIGHUP at a call, drawn by a seed among all that a whole run makes, from the first
on; half of those that write fail, too, since the signal came before them.  Each output is then what it was before,
or what it should become, whole.  A temporary file is left behind SIGKILL alone, and the run that follows comes through
beside it; a directory of `collect` that is not whole stays beside its name, where no verb takes it, and the next one
replaces it.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys

import disk
import files

FIXTURES = disk.FIXTURES
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MOST = 616              # kills of all cases
TEMPORARY = re.compile(r"\.fusiondiff-[A-Za-z0-9]{6}|.+\.[A-Za-z0-9]{6}(\.onnx)?")
FAILING = ("write", "pwrite64", "fsync", "fchmod", "mkdir", "symlinkat", "rename", "unlink", "unlinkat")
CALL = re.compile(r"(\w+)\(")


def taken(path):
    """What is there: the bytes of a file, the target of a link, all of that in a directory; None for nothing."""
    if os.path.islink(path):
        return os.readlink(path)
    if os.path.isdir(path):
        return {name: taken(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    return files.read(path) if os.path.exists(path) else None


class Case:
    """A run in a folder of its own, which has copies of what it reads; `outputs` are names in it.

    @param before  what is run there first
    @param again   the same run may follow a whole one: its outputs need not be new"""

    def __init__(self, h, name, words, outputs, before=(), again=True, allowed=(0,)):
        self.h, self.name, self.words, self.outputs = h, name, words, outputs
        self.commands, self.again, self.allowed = before, again, allowed
        self.folder, self.fresh, self.trace = h.path("kill"), h.path("fresh"), h.path("kill.trace")
        # What looks for leaks traces, too, and a program has one tracer.
        self.env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

    def run(self, words, under=(), allowed=None):
        return self.h.run_both(self.name, *words[:1], "-q", *words[1:], under=under, allowed=allowed or self.allowed, cwd=self.folder, env=self.env)

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.fresh, self.folder, symlinks=True)

    def states(self):
        return {name: taken(os.path.join(self.folder, name)) for name in self.outputs}

    def record(self):
        """The state before, the state behind a whole run, and the calls that it makes."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(FIXTURES, "qat_block"), self.folder)
        for words in self.commands:
            if callable(words):
                words(self.folder)
            else:
                self.run(words, allowed=(0, 1))
        shutil.rmtree(self.fresh, ignore_errors=True)
        shutil.copytree(self.folder, self.fresh, symlinks=True)
        self.old = self.states()
        self.run(self.words, under=[*disk.STRACE, "-o", self.trace, "-s", "0"])
        self.new, self.calls, count = self.states(), [], {}
        with open(self.trace, encoding="utf-8") as file:
            for name in (match.group(1) for match in map(CALL.match, file) if match):
                count[name] = count.get(name, 0) + 1
                self.calls.append((name, count[name]))
        self.h.check(None not in self.new.values() and self.new != self.old, self.name, "writes nothing new")
        # Most of all calls are for the libraries, and most of those that write for the text; what is done with names is last.
        writes = [call for call in self.calls if call[0] in disk.CALLS or "?" + call[0] in disk.CALLS]
        self.points = (self.calls[1:], writes, writes[-12:])

    def litter(self):
        known = {*os.listdir(self.fresh), *self.outputs}
        return [name for name in os.listdir(self.folder) if name not in known]

    def kill(self, rng):
        name, nth = rng.choice(rng.choice(self.points))
        number, fails = rng.choice(SIGNALS), name in FAILING and rng.random() < .5
        what = "%s at %s %d" % (number.name, name, nth)
        self.prepare()
        inject = "inject=%s:%ssignal=%s:when=%d" % (name, "error=EIO:" if fails else "", number.name[3:], nth)
        status = self.run(self.words, under=[*disk.STRACE, "-o", "/dev/null", "-e", inject], allowed=(0, 1, 2, -number))[0]
        partial = [n for n, now in self.states().items() if now not in (self.old[n], self.new[n])]
        self.h.check(not partial, self.name, "%s: partial: %s" % (what, partial))
        left = [one for one in self.litter() if not ("collect" in self.name and one == "build.partial")]
        # A file that the disk refuses to remove stays, whoever asks.
        may_stay = number == signal.SIGKILL or fails and name.startswith("unlink")
        fine = len(left) <= 2 and all(TEMPORARY.fullmatch(one) for one in left) if may_stay else not left
        self.h.check(fine, self.name, "%s: left %s" % (what, left))
        first = self.outputs[0]
        if self.again or self.states()[first] == self.old[first]:
            self.run(self.words)
            self.h.check(self.states() == self.new, self.name, what + ": the next run does not come through")
        return status == -number, len(partial)


def put(name, data):
    def write(folder):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        os.chmod(os.path.join(folder, name), 0o755)
    return write


def all_cases(h):
    """Every verb that writes, in every way."""
    pair, wide = ["model.onnx", "engine.graph.json"], os.path.join(FIXTURES, "compare/wide.json")
    split = os.path.join(FIXTURES, "compare/split.json")
    start = ["bisect", "start", *pair]
    script = put("build.sh", ("#!/bin/sh\necho %s\n" % split).encode())
    saved = ('{"lst": [[["a", "b"], [{"output": {"max_absdiff": 0.5, "thresholds": {"passed": true}, "passed": true}}]]], '
             '"aggregation": "per_sample", "polygraphy_class": "AccuracyResult"}')
    listed = ("model.onnx engine.graph.json\nmodel.onnx\t%s\n" % wide).encode()
    lint = os.path.join(FIXTURES, "lint/qdq_residual.fires.onnx")

    def old(name):
        return put(name, b"old")

    yield Case(h, "report", [*pair, "-o", "r.dot", "-o", "r.json", "-o", "r.html"], ["r.dot", "r.json", "r.html"], [old("r.dot")])
    yield Case(h, "compare", ["compare", ",".join(pair), "model.onnx," + wide, "-o", "r.md"], ["r.md"], [old("r.md")], allowed=(0, 1))
    yield Case(h, "top", ["top", *pair, "-o", "r.csv"], ["r.csv"])
    yield Case(h, "snapshot", ["snapshot", *pair, "-o", "r.fsd"], ["r.fsd"], [["snapshot", "model.onnx", wide, "-o", "r.fsd"]])
    yield Case(h, "check --update", ["check", "r.fsd", "model.onnx", wide, "--update"], ["r.fsd"], [["snapshot", *pair, "-o", "r.fsd"]])
    yield Case(h, "check", ["check", "r.fsd", *pair, "-o", "r.sarif", "-o", "r.xml"], ["r.sarif", "r.xml"],
               [["snapshot", *pair, "-o", "r.fsd"]], allowed=(0, 1))
    yield Case(h, "cut", ["cut", *pair, "--layer", "3", "-o", "part.onnx"], ["part.onnx"], [old("part.onnx")])
    yield Case(h, "annotate", ["annotate", *pair, "-o", "a.onnx"], ["a.onnx"], [old("a.onnx")])
    yield Case(h, "retype", ["retype", *pair, "-o", "t.onnx"], ["t.onnx"], [old("t.onnx")])
    yield Case(h, "code", ["code", *pair, "-o", "m.py"], ["m.py"], [old("m.py")])
    yield Case(h, "tensors", ["tensors", *pair, "--free", "-o", "t.onnx"], ["t.onnx"], [old("t.onnx")])
    yield Case(h, "lint --fix", ["lint", lint, "--fix", "-o", "f.onnx"], ["f.onnx"], [old("f.onnx")])
    yield Case(h, "issue", ["issue", *pair, "--layer", "3", "-o", "issue"], ["issue"], again=False)
    yield Case(h, "issue --anonymize", ["issue", *pair, "--layer", "3", "--anonymize", "-o", "issue"],
               ["issue", "issue.names.json"], again=False)
    yield Case(h, "collect", ["collect", "build", "--copy-model", "--model", "model.onnx", "--", "sh", "-c",
                              "echo log; echo {} >$FUSIONDIFF_COLLECT/layers.json"], ["build"], again=False)
    yield Case(h, "collect again", ["collect", "build", "--", "echo", "log"], ["build"], [["collect", "build", "--", "false"]], again=False)
    yield Case(h, "bisect start", start, [".fusiondiff-bisect"], again=False)
    yield Case(h, "bisect next", ["bisect", "next", "-o", "next.onnx"], ["next.onnx"], [start, old("next.onnx")])
    yield Case(h, "bisect good", ["bisect", "good", split], [".fusiondiff-bisect"], [start], again=False)
    yield Case(h, "bisect result", ["bisect", "result", "saved.json", split], [".fusiondiff-bisect"],
               [start, put("saved.json", saved.encode())], again=False)
    yield Case(h, "bisect run", ["bisect", "run", "./build.sh"], [".fusiondiff-bisect"], [start, script])
    yield Case(h, "batch", ["batch", "list", "-q", "-j", "2", "--follow", "-o", "r.jsonl"], ["r.jsonl"], [put("list", listed), old("r.jsonl")])


def all_kills(h):
    if not disk.STRACE[0] or subprocess.run([*disk.STRACE, "-o", h.path("trace"), "true"], capture_output=True, check=False).returncode:
        print("skipped: no strace, or it may trace nothing here")
        sys.exit(77)
    for number in SIGNALS[1:]:      # nohup, or a shell that runs this in the background, has some of them ignored
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    rng, runs, ended, partial = random.Random(h.share), 0, 0, 0
    cases = list(all_cases(h))
    each = max(1, MOST // len(cases) // h.share)
    for case in cases:
        case.record()
        for _ in range(each):
            by_signal, parts = case.kill(rng)
            runs, ended, partial = runs + 1, ended + by_signal, partial + parts
    h.check(ended > .9 * runs, "kills", "%d of %d runs ended by their signals" % (ended, runs))
    print("%d runs killed at random calls of %d ways to write, %d ended by it: %d partial files" % (runs, len(cases), ended, partial))
