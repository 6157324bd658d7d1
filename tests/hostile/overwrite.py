"""No writer replaces a file that the run reads.

Every verb that writes, with every kind of file that it reads as its output, under each of four names: its path, the path with ./
in front, a hard link and a symbolic link.  The run must refuse the output and leave each file as it was.  Of each verb one run with
a new output must succeed, so that a refusal is not one of something else.
"""
import json
import os
import shutil
import subprocess

import wire

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures")
NAMES = ("path", "./path", "hard link", "link")
PAIR = ["model.onnx", "engine.json"]
MEASURED = [*PAIR, "--profile", "profile.json", "--times", "times.json"]
READS = ["model.onnx", "weights.bin", "engine.json"]
ALL = [*READS, "profile.json", "times.json"]
PARTS = ["parts/model.onnx", "--part", "parts/first.log", "--part", "parts/second.log", "--part", "parts/third.log"]
PART_FILES = ["parts/model.onnx", "parts/first.log", "parts/second.log", "parts/third.log"]
ROUTES = ["routes/tuned/model.onnx", "routes/tuned/iter0.json", "routes/tuned/iter1.json"]
SPLIT = ["model.onnx", "split.json"]

# What is run, with OUT for the output; the files that it reads; the ending of an output, where the verb asks for one.
VERBS = {
    "diff": ([*MEASURED, "--values", "table.csv", "-f", "json", "-o", "OUT"], [*ALL, "table.csv"], ""),
    "diff of two outputs": ([*MEASURED, "-f", "json", "-o", "fresh.json", "-o", "OUT"], ALL, ""),
    "diff of a directory": (["build", "-f", "json", "-o", "OUT"], ["build/" + name for name in ALL], ""),
    "diff of parts": ([*PARTS, "-f", "json", "-o", "OUT"], PART_FILES, ""),
    "dump": (["--dump", "model", *PAIR, "-f", "text", "-o", "OUT"], READS, ""),
    "top": (["top", *MEASURED, "-f", "json", "-o", "OUT"], ALL, ""),
    "reformats": (["reformats", *PAIR, "-f", "csv", "-o", "OUT"], READS, ""),
    "names": (["names", *PAIR, "--check", "names.txt", "-f", "text", "-o", "OUT"], [*READS, "names.txt"], ""),
    "explain": (["explain", *PAIR, "--node", "Conv_4", "-f", "text", "-o", "OUT"], READS, ""),
    "tensors": (["tensors", *PAIR, "--free", "-o", "OUT"], READS, ".onnx"),
    "compare": (["compare", "model.onnx,engine.json,profile.json", "model.onnx,split.json", "-f", "json", "-o", "OUT"],
                [*READS, "profile.json", "split.json"], ""),
    "compare with a snapshot": (["compare", "old.fsd", "build", "-f", "json", "-o", "OUT"],
                                ["old.fsd", *("build/" + name for name in ALL)], ""),
    "compare models": (["compare", "model.onnx", "other.onnx", "-f", "json", "-o", "OUT"],
                       ["model.onnx", "weights.bin", "other.onnx"], ""),
    "routes": (["routes", "routes/tuning.jsonl", "routes/tuned", "-f", "json", "-o", "OUT"],
               ["routes/tuning.jsonl", *ROUTES], ""),
    "stability": (["stability", ",".join(PAIR), ",".join(SPLIT), "-f", "json", "-o", "OUT"], [*READS, "split.json"], ""),
    "snapshot": (["snapshot", *PAIR, "--profile", "profile.json", "--also", "split.json", "-o", "OUT"],
                 [*READS, "profile.json", "split.json"], ""),
    "snapshot with another": (["snapshot", *PAIR, "--also", "old.fsd", "-o", "OUT"], [*READS, "old.fsd"], ""),
    "check": (["check", "old.fsd", *MEASURED, "--policy", "policy.ini", "-f", "json", "-o", "OUT"],
              ["old.fsd", "policy.ini", *ALL], ""),
    "check in a directory": (["check", "snapshots", *PAIR, "-f", "json", "-o", "OUT"], ["snapshots/old.fsd", *READS], ""),
    "check --list": (["check", "--list", "list.txt", "-f", "json", "-o", "OUT"],
                     ["list.txt", "old.fsd", "policy.ini", *READS, "profile.json"], ""),
    "lint": (["lint", "model.onnx", "--for", "trt8", "--policy", "policy.ini", "-f", "json", "-o", "OUT"],
             ["model.onnx", "weights.bin", "policy.ini"], ""),
    "lint --fix": (["lint", *PAIR, "--for", "trt8", "--fix", "--scale", "skip=0.05", "-o", "OUT"], READS, ".onnx"),
    "cut": (["cut", *PAIR, "--node", "Conv_4", "-o", "OUT"], READS, ""),
    "cut with inputs": (["cut", *PAIR, "--node", "Conv_13", "--inputs", "data", "--values", "values.npz", "--alone", "alone.json",
                         "-o", "OUT"], [*READS, "values.npz", "alone.json"], ""),
    "code": (["code", "model.onnx", "-o", "OUT"], ["model.onnx", "weights.bin"], ""),
    "annotate": (["annotate", *MEASURED, "-o", "OUT"], ALL, ".onnx"),
    "annotate for Model Explorer": (["annotate", *MEASURED, "-o", "OUT"], ALL, ".nodedata.json"),
    "retype": (["retype", *PAIR, "-o", "OUT"], READS, ".onnx"),
    "issue --names": (["issue", *PAIR, "--node", "Conv_4", "--anonymize", "--no-weights", "-o", "report", "--names", "OUT"], READS, ""),
    "issue of a directory": (["issue", "build", "--node", "Conv_4", "--anonymize", "--no-weights", "-o", "report", "--names", "OUT"],
                             ["build/model.onnx", "build/engine.json", "build/command.json"], ""),
    "bisect next": (["bisect", "next", "--state", "state", "-o", "OUT"], ["state", *READS], ""),
    "batch": (["batch", "list.txt", "-o", "OUT"], ["list.txt", *READS, "profile.json"], ""),
    "batch --resume": (["batch", "list.txt", "--resume", "-o", "OUT"], ["list.txt", *READS, "profile.json"], ""),
    "batch of a directory": (["batch", "builds", "-o", "OUT"], ["builds/a/" + name for name in READS], ""),
}


def with_weights(model):
    """The model with one more initializer, in weights.bin."""
    entries = b"".join(wire.raw(13, wire.text(1, key) + wire.text(2, value))
                       for key, value in (("location", "weights.bin"), ("length", "16")))
    more = wire.tensor("outside", [4], entries, wire.num(14, 1))
    out, at = b"", 0
    while at < len(model):
        start = at
        key, at = number(model, at)
        length, at = number(model, at) if key & 7 == 2 else (0, number(model, at)[1])
        body, at = model[at:at + length], at + length
        out += wire.raw(7, body + more) if key >> 3 == 7 else model[start:at]
    return out


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_inputs(h, folder):
    """All files that the verbs name, in a folder of their own."""
    def fixture(name, to):
        os.makedirs(os.path.dirname(os.path.join(folder, to)) or folder, exist_ok=True)
        shutil.copy(os.path.join(FIXTURES, name), os.path.join(folder, to))

    os.makedirs(folder)
    for name, to in (("qat_block/engine.graph.json", "engine.json"), ("qat_block/engine.graph.json", "alone.json"),
                     ("qat_block/profile.json", "profile.json"), ("qat_block/times.json", "times.json"),
                     ("qat_block/names.txt", "names.txt"), ("compare/split.json", "split.json"), ("gate/policy.ini", "policy.ini"),
                     *((name, name) for name in ["routes/tuning.jsonl", *ROUTES, *PART_FILES])):
        fixture(name, to)
    whole = read(os.path.join(FIXTURES, "qat_block", "model.onnx"))
    write(os.path.join(folder, "other.onnx"), whole)
    write(os.path.join(folder, "model.onnx"), with_weights(whole))
    write(os.path.join(folder, "weights.bin"), bytes(16))
    write(os.path.join(folder, "table.csv"), b"name,error\nConv_4,0.5\n")
    write(os.path.join(folder, "list.txt"), b"model.onnx engine.json snapshot=old.fsd policy=policy.ini profile=profile.json\n")
    for other, names in (("build", ALL), ("builds/a", READS)):
        os.makedirs(os.path.join(folder, other))
        for name in names:
            shutil.copy(os.path.join(folder, name), os.path.join(folder, other, name))
    write(os.path.join(folder, "build", "command.json"), json.dumps(
        {"schema": "fusiondiff-command/1", "command": ["trtexec", "--onnx=model.onnx"], "status": 0}).encode())
    prepare(h, folder)


def prepare(h, folder):
    """The files that the program itself writes."""
    for args in (["snapshot", *MEASURED, "-o", "old.fsd"], ["bisect", "start", *PAIR, "--state", "state"],
                 ["cut", *PAIR, "--node", "Conv_13", "--inputs", ".", "-o", "part.onnx", "-q"]):
        done = subprocess.run([h.binary, *args], cwd=folder, capture_output=True, check=False)
        h.check(done.returncode == 0, "overwrite", "%s: %s" % (args, done.stderr.decode()))
    os.rename(os.path.join(folder, "inputs.npz"), os.path.join(folder, "values.npz"))
    os.makedirs(os.path.join(folder, "snapshots"))
    shutil.copy(os.path.join(folder, "old.fsd"), os.path.join(folder, "snapshots", "old.fsd"))


def contents(folder):
    return {os.path.join(at, name): read(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names}


def name_of(folder, target, how, ending):
    """A name of the target, by which it is no less the target; with the ending, where the verb needs one."""
    beside = "again" + ending
    if how == "hard link":
        os.link(os.path.join(folder, target), os.path.join(folder, beside))
    elif how == "link":
        os.symlink(target, os.path.join(folder, beside))
    return {"path": target, "./path": "./" + target}.get(how, beside)


def attempt(h, whole, verb, target, how):
    """One try: refused, with the reason, and nothing else is different."""
    args, _, ending = VERBS[verb]
    folder, case = h.path("try"), "%s -o %s as %s" % (verb, target, how)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    output = name_of(folder, target, how, ending)
    before = contents(folder)
    status, _, said = h.run_both(case, *[output if word == "OUT" else word for word in args], cwd=folder)
    after = contents(folder)
    h.check(after == before, case, "changed %s" % sorted(
        os.path.relpath(path, folder) for path in before.keys() | after.keys() if before.get(path) != after.get(path)))
    reason = "expected a file with the lines of this list" in said if "--resume" in args else False
    h.check(status == 2 and output in said and (reason or "found one of the inputs" in said), case, "status %d: %s" % (status, said))


def succeed(h, whole, verb):
    args, reads, ending = VERBS[verb]
    folder, case = h.path("try"), verb + " to a new file"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    before = contents(folder)
    h.run_both(case, "-q", *["new" + ending if word == "OUT" else word for word in args], cwd=folder, allowed=(0, 1))
    after = contents(folder)
    h.check(after.get(os.path.join(folder, "new" + ending)), case, "nothing was written")
    for name in reads:
        path = os.path.join(folder, name)
        h.check(before.get(path) == after.get(path) is not None, case, "changed " + name)


def all_overwrites(h):
    whole = h.path("whole")
    make_inputs(h, whole)
    tries = [(verb, target, how) for verb, (_, reads, ending) in VERBS.items() for target in reads for how in NAMES
             if not ending or "link" in how or target.endswith(ending)]
    done = 0
    for verb in h.some(VERBS):
        succeed(h, whole, verb)
    for verb, target, how in h.some(tries):
        attempt(h, whole, verb, target, how)
        done += 1
    updates(h, whole)
    folders(h, whole)
    print("%d of %d tries to replace an input" % (done, len(tries)))
    h.check(h.share > 1 or done >= 400, "overwrite", "fewer than 400 tries")


# ------------------------------------------------------------------------------------ what may be replaced

def updates(h, whole):
    """A file that is rewritten on purpose, which is no other file of the run."""
    folder = h.path("try")
    for case, args, target, fine in (
            ("check --update", ["check", "old.fsd", *SPLIT, "--update"], "old.fsd", True),
            ("check --update of its build", ["check", "old.fsd", "old.fsd", "--update"], "old.fsd", False),
            ("snapshot over an old one", ["snapshot", *SPLIT, "-o", "old.fsd"], "old.fsd", True),
            ("bisect", ["bisect", "skip", "--state", "state"], "state", True),
            ("bisect reset", ["bisect", "reset", "--state", "model.onnx"], "model.onnx", False),
            ("an earlier report in a build's directory", ["build", "-f", "json", "-o", "build/report.json"], "build/report.json", True)):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        write(os.path.join(folder, "build", "report.json"), b"{}")
        before = read(os.path.join(folder, target))
        h.run_both(case, "-q", *args, cwd=folder, allowed=(0,) if fine else (2,))
        h.check((contents(folder).get(os.path.join(folder, target)) != before) == fine, case,
                "%s was %sreplaced" % (target, "not " * fine))


def folders(h, whole):
    """Verbs that write files of fixed names into a directory."""
    folder = h.path("try")
    for case, target, args in (
            ("cut --inputs", "inputs.npz",
             ["cut", *PAIR, "--node", "Conv_13", "--values", "inputs.npz", "--inputs", ".", "-o", "part.onnx"]),
            ("issue's names", "report.names.json", ["issue", "model.onnx", "report.names.json", "--node", "Conv_4", "--anonymize",
                                                    "--no-weights", "-o", "report"]),
            ("collect", "r.partial/model.onnx", ["collect", "r", "--model", "r.partial/model.onnx", "--", "true"]),
            ("collect's command", "r.partial/model.onnx", ["collect", "r", "--", "cat", "r.partial/model.onnx"]),
            ("batch of two models", "builds/a/again", ["batch", "builds", "-o", "builds/a/again"]),
            ("collect's option", "r.partial/model.onnx", ["collect", "r", "--", "true", "--onnx=r.partial/model.onnx"])):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        os.makedirs(os.path.join(folder, "r.partial"))
        write(os.path.join(folder, "r.partial", "UNFINISHED"), b"")     # an earlier collect began it
        source = {"inputs.npz": "values.npz", "report.names.json": "engine.json"}.get(target, "other.onnx")
        shutil.copy(os.path.join(folder, source), os.path.join(folder, target))
        before = contents(folder)
        _, _, said = h.run_both(case, *args, cwd=folder, allowed=(2,))
        h.check("found one of the inputs" in said, case, said)
        h.check(contents(folder) == before, case, "a file has changed")
