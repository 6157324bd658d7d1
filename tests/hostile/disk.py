"""What a file holds when the program, the machine or the disk gives way at any call.

strace lists, of a run that completes, all calls that write, in order.  A model of a disk that keeps nothing
but what was synced derives from them what a power cut leaves.  Then the run is ended before each of its
calls, and each of them is failed, in turn: the file holds the old report or the new one, whole.

What is written in place (hard links, folders and mounts where no other file may be made) is no such file: there, an
end leaves the beginning of the new report.  Before it is touched it is known that there is room for the new one, and
status 0 says that all of it is on the disk.  What `batch --resume` adds to is a beginning of the whole at any time.
"""
import errno
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys

import files
import formats

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures")

STRACE = (shutil.which("strace"), "-q")
CALLS = ("openat", "write", "pwrite64", "writev", "fsync", "fdatasync", "fchmod", "fchown", "ftruncate", "fallocate",
         "close", "?rename", "?renameat", "renameat2", "?link", "linkat", "?unlink", "unlinkat", "?symlink", "symlinkat",
         "?mkdir", "mkdirat", "?truncate", "?creat", "?open")
CHANGES = ("write", "pwrite64", "writev", "fchmod", "fchown", "ftruncate")
LINE = re.compile(r"(\w+)\((.*)\) += (-?\d+)(?:<(.*)>(?:\(deleted\))?)?(?: E.*)?$")
FAILURES = {"openat": ("EIO", "ENOSPC", "EMFILE", "EACCES"), "write": ("ENOSPC", "EIO", "EDQUOT"), "fsync": ("EIO", "ENOSPC"),
            "fchmod": ("EIO", "EPERM"), "fchown": ("EIO", "EPERM"), "ftruncate": ("EIO",), "close": ("EIO",),
            "fallocate": ("ENOSPC", "EOPNOTSUPP", "EIO"), "rename": ("EIO", "ENOSPC", "EXDEV")}
WHOLE, IN_PLACE, ADDED = range(3)


class Call:
    """A line of strace's record: `path` is the file that is changed, `to` its new name."""

    def __init__(self, line, count, folder):
        self.name, self.words, result, opened = LINE.match(line).groups()
        count[self.name] = self.nth = count.get(self.name, 0) + 1
        paths = re.findall(r'"([^"]*)"', self.words)
        self.good, self.to = int(result) >= 0, None
        if self.name.startswith(("rename", "link")):
            self.path, self.to = (os.path.join(folder, path) for path in paths)
        elif self.name.startswith(("open", "creat")):
            self.path = opened
        elif paths and self.name not in CHANGES:    # of a write that is its text
            self.path = os.path.join(folder, paths[-1])
        else:
            self.path = re.match(r"\d+(?:<(.*?)>)?", self.words).group(1)

    def makes(self):
        return self.name.startswith("open") and "O_CREAT" in self.words


class File:
    def __init__(self, kept):
        self.kept = kept    # all of it is on the disk


class Disk:
    """The least that a disk may keep: a file's changes once it was synced, a name once its folder was."""

    def __init__(self, before):
        self.before = before    # what the name of a file that is there may be
        self.now = {}       # path: its file
        self.after = {}     # path: the files that it may be after a power cut; None is that there is none

    def take(self, call):
        path = call.path
        if not call.good or path is None:
            return
        if call.makes():
            self.name(path, File(False))
        elif call.to:
            self.name(call.to, self.file(path))
        elif call.name.startswith("unlink"):
            self.name(path, None)
        elif call.name in CHANGES:
            self.file(path).kept = False
        elif call.name in ("fsync", "fdatasync"):
            self.file(path).kept = True
            for name in self.after:
                if os.path.dirname(name) == path:
                    self.after[name] = {self.now[name]}

    def file(self, path):
        if path not in self.now:        # there before, and on the disk
            self.now[path] = File(True)
            self.after[path] = {self.now[path], *self.before}
        return self.now[path]

    def name(self, path, file):
        self.after.setdefault(path, {self.now.get(path)}).add(file)
        self.now[path] = file

    def is_torn(self, path):
        return any(file and not file.kept for file in self.after.get(path, ()))

    def is_sure(self, path):
        return len(self.after.get(path, "1")) == 1 and not self.is_torn(path)


class Case:
    """A run, and what it shall make of the files in its folder."""

    def __init__(self, h, name, words, want, kind=WHOLE, before=()):
        self.h, self.name, self.words, self.kind = h, name, words, kind
        self.folder = h.path("disk")
        self.before = dict(before)
        self.want = want                # name of a file: what it shall hold
        self.trace = h.path("trace")

    def target(self, name):
        return os.path.join(self.folder, name)

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        for name, how in self.before.items():
            path = self.target(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(how, bytes):
                with open(path, "wb") as file:
                    file.write(how)
            else:
                how(path)

    def run(self, *more, what="", allowed=(0,)):
        """Once, under strace, in a folder that is as it was before."""
        self.prepare()
        under = [*STRACE, "-y", "-s", "0", "-o", self.trace, "-e", "trace=" + ",".join(CALLS), *more]
        # What looks for leaks traces, too, and a program has one tracer.
        env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        return self.h.run_both(self.name + what, *self.words, under=under, allowed=allowed, cwd=self.folder, env=env)

    def record(self):
        """The calls of a run that comes through, to its folder and to files without a name, from the first that may write."""
        self.run(allowed=(0, 1))
        self.check_files("whole", True)
        count = {}
        with open(self.trace, encoding="utf-8") as file:
            calls = [Call(line, count, self.folder) for line in file if LINE.match(line)]
        calls = [call for call in calls if call.path and (call.path.startswith(self.folder) or "/#" in call.path)]
        return list(itertools.dropwhile(lambda call: not re.search("O_WRONLY|O_RDWR", call.words), calls))

    def holds(self, name):
        try:
            return files.read(self.target(name))
        except FileNotFoundError:
            return None

    def check(self, holds, what):
        return self.h.check(holds, self.name, what)

    # ---------------------------------------------------------------- what must hold

    def broken_by_power_cut(self, calls):
        """What is wrong with what a power cut may leave of these calls, or None."""
        # An earlier run may have been ended before the name was kept of what it began.
        disk, begun = Disk((None,) if self.kind == ADDED else ()), False
        for i, call in enumerate(calls):
            disk.take(call)
            begun = begun or call.name == "ftruncate"
            for name in self.want:
                if disk.is_torn(self.target(name)) and not (self.kind == IN_PLACE and begun or self.kind == ADDED):
                    return "torn after call %d, %s" % (i, call.name)
        unsure = [name for name in self.want if not disk.is_sure(self.target(name))]
        return "status 0 before %s was on the disk" % unsure if unsure else None

    def check_power_cut(self, calls):
        broken = self.broken_by_power_cut(calls)
        self.check(not broken, "power cut: %s" % broken)
        for i, call in enumerate(calls):
            if call.name == "fsync" and len(self.want) == 1:    # the model sees what each of them is for
                self.check(self.broken_by_power_cut(calls[:i] + calls[i + 1:]), "fsync of %s is for nothing" % call.path)

    def check_files(self, what, done):
        """Old or new, nothing else; `done`: the status was 0."""
        for name, want in self.want.items():
            old, now = self.before.get(name), self.holds(name)
            if callable(old):
                old = b"old"
            fine = now == want or not done and now == old
            if self.kind != WHOLE and not done:
                fine = fine or now is not None and want.startswith(now)
            self.check(fine, "%s: %s is %r" % (what, name, (now or b"nothing")[:60]))

    def litter(self):
        known = {self.target(name) for name in (*self.before, *self.want)}
        return [path for folder, _, names in os.walk(self.folder) for path in (os.path.join(folder, name) for name in names)
                if path not in known]

    def check_ends(self, calls):
        """Ended before any call."""
        for call in self.h.some(calls):
            self.run("-e", "inject=%s:error=EIO:signal=KILL:when=%d" % (call.name, call.nth), what=", ended",
                     allowed=(-signal.SIGKILL,))
            what = "ended before %s %d" % (call.name, call.nth)
            self.check_files(what, False)
            left = self.litter()
            self.check(len(left) <= 1 and all(re.fullmatch(r".*/\.fusiondiff-\w{6}", name) for name in left), "%s: left %s" % (what, left))
            if self.kind == ADDED:
                self.h.run(self.name + ", again", *self.words, cwd=self.folder, allowed=(0,))
                self.check_files(what + ", again", True)

    def check_failures(self, calls):
        """Each call fails in each way."""
        ways = ((i, call, error) for i, call in enumerate(calls)
                for error in FAILURES.get(call.name.replace("renameat2", "rename").replace("renameat", "rename"), ()))
        for i, call, error in self.h.some(ways):
            status, _, err = self.run("-e", "inject=%s:error=%s:when=%d" % (call.name, error, call.nth),
                                      what=", %s %s" % (call.name, error), allowed=(0, 2))
            what = "%s of %s %d" % (error, call.name, call.nth)
            begun = any(c.name in ("ftruncate", "rename", "renameat", "renameat2") for c in calls[:i + 1])
            renamed = self.kind == WHOLE and begun      # only the folder was not synced
            self.check_files(what, status == 0)
            if self.kind == IN_PLACE and status and not begun:
                self.check(self.holds(next(iter(self.want))) == b"old", what + ": the old report is lost")
            self.check(not status or renamed or os.strerror(getattr(errno, error)) in err, what + ": says " + err)
            self.check(not status or any(name in err for name in (*self.want, *self.before)), what + ": names no file: " + err)
            self.check(status == 2 or error in self.excused(call), what + ": status 0")
            self.check(not self.litter(), "%s: left %s" % (what, self.litter()))

    def excused(self, call):
        """After what a run may still come through."""
        if call.name == "openat" and "O_DIRECTORY" in call.words:
            return ("EACCES",)      # who may not read a folder cannot sync it
        if call.name == "openat" and "O_TMPFILE" in call.words:
            return FAILURES["openat"]       # there are other ways to a file without a name
        if call.name == "close" and (os.path.isdir(call.path) or "/#" in call.path):
            return ("EIO",)
        return {"openat": ("EACCES",), "rename": ("EXDEV",), "renameat": ("EXDEV",), "renameat2": ("EXDEV",),
                "fchmod": ("EPERM",), "fchown": ("EPERM",), "fallocate": ("EOPNOTSUPP",)}.get(call.name, ())


def link(path):
    os.symlink("in/r.json", path)


def other_name(path):
    os.link(os.path.join(os.path.dirname(path), "r.json"), path)


def private(path):
    """A file of somebody else's, where that may be made."""
    with open(path, "wb") as file:
        file.write(b"old")
    os.chmod(path, 0o600)
    if os.geteuid() == 0:
        os.chown(path, files.NOBODY, files.NOBODY)


def said(h, *words, allowed=(0,)):
    """What a report holds."""
    return h.run("wanted", *words, "-o", "-", allowed=allowed)[1].encode()


def cases(h):
    """Each way in which a report gets to its file."""
    model, engine, wide = (os.path.join(FIXTURES, name) for name in (
        "qat_block/model.onnx", "qat_block/engine.graph.json", "compare/wide.json"))
    pair = [model, engine]
    text, report = said(h, *pair), said(h, *pair, "-f", "dot")
    old, new = said(h, "snapshot", *pair), said(h, "snapshot", model, wide)
    listed = h.path("pairs", ("%s\t%s\n%s\n" % (model, engine, wide)).encode())
    lines = said(h, "batch", listed, "--follow")
    batch = ["batch", listed, "--follow", "-j", "1", "-q", "-o", "r.jsonl"]
    yield Case(h, "new", [*pair, "-o", "r.dot"], {"r.dot": report})
    yield Case(h, "replaced", [*pair, "-o", "r.dot"], {"r.dot": report}, before={"r.dot": b"old"})
    yield Case(h, "somebody's", [*pair, "-o", "r.dot"], {"r.dot": report}, before={"r.dot": private})
    yield Case(h, "linked", [*pair, "-f", "dot", "-o", "link"], {"in/r.json": report}, before={"in/r.json": b"old", "link": link})
    yield Case(h, "two outputs", [*pair, "-o", "r.dot", "-o", "r.txt"], {"r.dot": report, "r.txt": text},
               before={"r.dot": b"old", "r.txt": b"old"})
    yield Case(h, "two names", [*pair, "-f", "dot", "-o", "r.json"], {"r.json": report}, kind=IN_PLACE,
               before={"r.json": b"old", "other.json": other_name})
    yield Case(h, "snapshot", ["snapshot", *pair, "-o", "r.fsd"], {"r.fsd": old}, before={"r.fsd": new})
    yield Case(h, "updated", ["check", "r.fsd", model, wide, "--update"], {"r.fsd": new}, before={"r.fsd": old})
    yield Case(h, "batch", batch, {"r.jsonl": lines}, before={"r.jsonl": b"old"})
    for name, begun in (("nothing", None), ("half a line", lines[:40]), ("a line", lines[:lines.index(b"\n") + 40])):
        yield Case(h, "resumed after " + name, [*batch, "--resume"], {"r.jsonl": lines}, kind=ADDED,
                   before={} if begun is None else {"r.jsonl": begun})


def verbs(h):
    """Every verb that writes, once."""
    folder = h.path("verbs")
    files_of = [os.path.join(FIXTURES, "qat_block", name) for name in ("model.onnx", "engine.graph.json", "profile.json")]
    shutil.copytree(os.path.join(FIXTURES, "qat_block"), folder)
    asked = [*formats.runs(h, folder, *(os.path.join(folder, os.path.basename(x)) for x in files_of), ["plain"]), ("doctor", ["doctor"])]
    for verb, words in h.some(asked):
        yield Case(h, verb, [*words, "-q", "-o", "r.txt"], {"r.txt": said(h, *words, allowed=(0, 1))}, before={"r.txt": b"old"})


def keeps_to_itself(h):
    """Nor do the libraries of what lays pictures out, in a process of its own, connect, or begin a program."""
    case = Case(h, "pictures", [os.path.join(FIXTURES, "qat_block", name) for name in ("model.onnx", "engine.graph.json")] +
                [word for form in ("svg", "pdf", "html") for word in ("-o", "r." + form)], {})
    if "svg" not in formats.formats_of(h, ""):
        return
    case.run("-f", "-e", "trace=%network,execve,execveat")
    calls = [line for line in files.read(case.trace).decode().splitlines() if re.match(r"\d+ +\w+\(", line)]
    case.check(len(calls) == 1 and "execve(" in calls[0], "%s" % calls[:5])
    case.check(len(os.listdir(case.folder)) == 3, "are not written")


def all_disks(h):
    if not STRACE[0] or subprocess.run([*STRACE, "-o", h.path("trace"), "true"], capture_output=True, check=False).returncode:
        print("skipped: no strace, or it may trace nothing here")
        sys.exit(77)
    n = 0
    for case in cases(h):
        calls = case.record()
        n += len(calls)
        case.check_power_cut(calls)
        case.check_ends(calls)
        case.check_failures(calls)
    for case in verbs(h):
        case.check_power_cut(case.record())
    keeps_to_itself(h)
    print("ended before, and failed at, %s of %d calls" % ("each" if h.share == 1 else "one in %d" % h.share, n))
