#!/usr/bin/python3
"""Hostile inputs against the real binary: check.py BINARY [--share N] [PART...]

Parts are models, engines, pairs, files, disk, names, fused, formats, logs, limits, overwrite, untouched.
Inputs are made here or lie in fixtures/hostile.  --share N takes a seeded sample, one of N cases.
Ends with 1 when anything that harness.py demands does not hold.
"""
import argparse
import ast
import glob
import itertools
import json
import os
import shlex
import shutil
import sys

import disk
import engines
import files
import formats
import kills
import limits
import logs
import models
import overwrite
import pairs
import reports
import untouched
from harness import Harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
try:
    from fuser import fuse
except ImportError:
    fuse = None
FIXTURES = os.path.join(ROOT, "fixtures")


def plain_pair(h):
    model = h.path("plain.onnx", models.chain("one", "two"))
    engine = h.path("plain.json", engines.dump([
        engines.layer("one", ["x"], ["t0"]), engines.layer("two", ["t0"], ["t1"])], ["x", "t1"]))
    return model, engine


def check_models(h):
    _, engine = plain_pair(h)
    for name, data in h.some(models.all_models()):
        model = h.path("hostile.onnx", data)
        status, _ = h.run("model " + name, "--dump", "model", model)
        if status == 0:
            h.run("model " + name, "--force", model, engine, "-f", "json")
            h.run("model " + name, "--force", model, engine)
            h.run("model " + name, "lint", "--force", model, "--for", "trt8")
            h.run("model " + name, "patterns", "--force", model, engine)


def check_engines(h):
    model, _ = plain_pair(h)
    fixtures = [(os.path.basename(p), files.read(p))
                for p in sorted(glob.glob(os.path.join(FIXTURES, "hostile", "*.json")))]
    for name, data in h.some(itertools.chain(engines.all_engines(), fixtures)):
        engine = h.path("hostile.json", data)
        status, report = h.run("engine " + name, "--force", model, engine, "-f", "json")
        if status == 0:
            reports.as_json(h, "engine " + name, report)
            h.run("engine " + name, "--force", "--all", model, engine)


def check_pairs(h):
    for name, one, two in h.some(pairs.all_pairs()):
        model, engine = h.path("pair.onnx", one), h.path("pair.json", two)
        status, report = h.run("pair " + name, "--force", model, engine, "-f", "json")
        if status == 0:
            reports.as_json(h, "pair " + name, report)
        h.run("pair " + name, "--force", "--evidence", "tensor", model, engine)


def check_files(h):
    model = h.path("real.onnx")
    shutil.copy(os.path.join(FIXTURES, "synthetic/attention-10/model.onnx"), model)
    engine = h.path("real.json")
    shutil.copy(os.path.join(FIXTURES, "synthetic/attention-10/engine.json"), engine)
    files.all_files(h, model, engine, models.external)


def check_names(h):
    """Names that try to break out of each format, in every place a name can stand."""
    for marks in (reports.MARKS, reports.UNPRINTABLE):
        check_marks(h, marks)
    check_twice(h)
    long = ["/" + "/".join("layer%d" % (i % 7) for i in range(n)) + "/Conv" for n in (1, 5, 30, 120)]
    wide = h.path("wide.onnx", models.chain(*long))
    check_width(h, wide, h.path("wide.json", engines.dump([
        engines.layer(name, ["t%d" % (i - 1) if i else "x"], ["t%d" % i]) for i, name in enumerate(long)],
        ["x", "t%d" % (len(long) - 1)])))


def check_twice(h):
    """What comes twice: nodes of one name in one finding, the operator sets of a model."""
    line = [models.node("Relu", ["t%d" % i], ["t%d" % (i + 1)], "same") for i in range(4)]
    model = h.path("twice.onnx", models.model(*line, models.inputs("t0"), models.outputs("t4"),
                                              extra=models.raw(8, models.num(2, 13)) * 2))
    engine = h.path("twice.json", engines.dump([engines.layer("a", ["t0"], ["x"])], ["t0", "x"]))
    for form in h.some(("json", "sarif", "junit", "markdown", "csv")):
        _, report = h.run("twice as " + form, "--force", "-f", form, model, engine, allowed=(0,))
        reports.FORMATS[form](h, "twice as " + form, report)
        if form == "json":
            h.check(any(len(f["nodes"]) > 1 for f in json.loads(report)["findings"]), "twice",
                    "no finding is about several nodes")


def check_marks(h, marks):
    model = h.path("marks.onnx", models.twins(*marks, "dead"))
    layers = [engines.layer(m, ["x" if not i else marks[i - 1]], [m], TacticName=m,
                            Origin=m, Metadata="[ONNX Layer: %s]" % m)
              for i, m in enumerate(marks)]
    layers += [engines.layer("twin end %d" % i, [m], ["v%d" % i]) for i, m in enumerate(marks)]
    for layer in layers[::3]:
        layer["LayerType"] = "Reformat"
        layer["Outputs"][0]["Format/Datatype"] = layer["Name"]
    for layer in layers[::4]:
        layer["LayerType"] = layer["Name"]
    engine = h.path("marks.json", engines.dump(layers, ["x", marks[-1]]))
    known = reports.known_formats(h, model, engine)
    for form in h.some(known):
        _, report = h.run("marks as " + form, "--force", "--all", "-f", form, model, engine, allowed=(0, 1))
        reports.FORMATS[form](h, "marks as " + form, report)
    print("formats with hostile names: " + ", ".join(known))
    h.check({"text", "json"} <= set(known), "formats", "text and json are missing")
    _, report = h.run("marks", "--force", "-f", "json", model, engine)
    nodes = json.loads(report)["nodes"] if report else []
    h.check("merged" in {n["fate"] for n in nodes}, "marks", "no twin is merged")
    names = [n["name"] for n in nodes if not n["name"].startswith("twin ")]
    h.check(names == [*marks, "dead"], "marks", "names have changed on the way")
    check_verbs(h, model, engine)
    if marks is reports.MARKS:
        check_pasted(h, model, engine, [n["name"] for n in nodes])


def check_pasted(h, model, engine, marks):
    """A list of names is pasted into a shell or a script: what comes out there is a node's name, and
    what a form cannot hold is left out and counted."""
    def named(form, allowed):
        return h.run("names as " + form, "names", "--force", "--as", form, model, engine, allowed=allowed)[1]

    for form in ("layerPrecisions", "layerOutputTypes", "polygraphy"):
        words = shlex.split(named(form, (1,)), comments=True)
        if form == "polygraphy":
            pairs = words[words.index("--layer-precisions") + 1:] if words else []
        else:
            pairs = words[-1].split("=", 1)[1].split(",") if words else []
        for pair in pairs:
            h.check(pair.rsplit(":", 1)[0] in marks, "names as " + form, "%r is no node" % pair)
            h.check(form != "polygraphy" or pair[0] != "-", "names as " + form, "%r looks like an option" % pair)
    listed = named("list", (1,)).splitlines()
    h.check(set(listed) <= set(marks) and len(listed) > 5, "names as list",
            "names that no node has: %r" % sorted(set(listed) - set(marks)))
    script = named("nodes_to_exclude", (0, 1)).splitlines()
    names = ast.literal_eval(script[0].split("=", 1)[1])
    h.check(set(names) <= set(marks) and len(names) > 5, "names as nodes_to_exclude",
            "names that no node has: %r" % sorted(set(names) - set(marks)))


def check_width(h, model, engine):
    """No line is longer than was asked for, however long a name is."""
    snapshot = h.path("width.fsd")
    h.run("width", "snapshot", "--force", "--evidence=tensor", model, engine, "-o", snapshot, allowed=(0,))
    asked = ([], ["--all"], ["--all", "--no-side-by-side"], ["reformats"], ["scopes"],
             ["explain", "--node", "*"], ["where", "*"], ["inside", "*"], ["compare"], ["check"])
    for width, args in h.some(itertools.product((40, 77, 200), asked)):
        case = "%s --width %d" % (" ".join(args), width)
        if args[:1] == ["compare"]:
            files = [snapshot, model + "," + engine]
        else:
            files = [snapshot, model, engine] if args[:1] == ["check"] else [model, engine]
        words = args[1:] if args[:1] in (["where"], ["inside"]) else []
        _, report = h.run(case, *args[:len(args) - len(words)], "--force", "--width", str(width), *files, *words,
                          allowed=(0, 1))
        long = [line for line in report.splitlines() if line.isascii() and len(line) > width]
        h.check(report and not long, case, "%d lines are longer: %r" % (len(long), long[:2]))


def check_verbs(h, model, engine):
    """The same names in the other verbs; the harness looks at every byte they write."""
    snapshot = h.path("marks.fsd")
    views = (["reformats"], ["where"], ["inside"], ["names"], ["scopes"],
             ["explain", "--node", "*"], ["explain", "--layer", "*"])
    for view, form in h.some(itertools.product(views, ("text", "json", "markdown", "csv"))):
        words = ["*"] if view[0] in ("where", "inside") else []
        _, report = h.run("marks in %s as %s" % (view[0], form), view[0], "--force", *view[1:], model,
                          engine, *words, "-f", form, allowed=(0, 1))
        reports.FORMATS[form](h, "marks in " + view[0], report)
    for side in ("model", "shapes", "engine"):
        h.run("marks dumped", "--dump=" + side, *([model, engine] if side == "engine" else [model]), allowed=(0,))
    h.run("marks in snapshot", "snapshot", "--force", model, engine, "-o", snapshot, allowed=(0,))
    h.run("marks in snapshot", "snapshot", "--force", "--evidence=tensor", model, engine, allowed=(0,))
    other = h.path("marks-other.fsd")
    h.run("marks in snapshot", "snapshot", "--force", "--evidence=tensor", model, engine, "-o", other,
          allowed=(0,))
    for form in h.some(("text", "json", "markdown", "csv", "dot")):
        _, report = h.run("marks compared as " + form, "compare", "--force", other, snapshot, "-f", form)
        reports.FORMATS[form](h, "marks compared as " + form, report)
    for form in h.some(("text", "json", "markdown", "csv", "junit", "sarif", "github", "gitlab")):
        _, report = h.run("marks checked as " + form, "check", "--force", other, model, engine, "-f", form)
        reports.FORMATS[form](h, "marks checked as " + form, report)
    check_gate_marks(h, model, engine)


def check_gate_marks(h, model, engine):
    """The same names through a snapshot: it compares and checks as the build that it is."""
    snapshot = h.path("marks.fsd")
    h.run("marks snapshot", "snapshot", "--force", model, engine, "-o", snapshot,
          allowed=(0,))
    for form in ("text", "json"):
        _, report = h.run("marks compare " + form, "compare", "--force", "-f", form, snapshot,
                          model + "," + engine, allowed=(0,))
        reports.FORMATS[form](h, "marks compare " + form, report)
    for form in ("text", "json", "markdown", "junit", "sarif", "github", "gitlab"):
        _, report = h.run("marks check " + form, "check", "--force", "-f", form, snapshot, model,
                          engine, allowed=(0,))
        if form in reports.FORMATS:
            reports.FORMATS[form](h, "marks check " + form, report)


def fused(h, kind, seed, builds):
    """What the fusing simulator makes of one network whose names are full of marks: for each seed of a
    build the paths of model, engine, log and profile."""
    model = fuse.case("marks %s" % seed, kind, style="marks")[0]
    path = h.path("fused.onnx", model.SerializeToString(deterministic=True))
    for build in builds:
        folder = h.path("fused-" + build)
        fuse.write(folder, fuse.given(path, build)[1])
        yield [path] + [os.path.join(folder, name) for name in ("engine.json", "engine.log", "profile.json")]


def check_fused(h):
    """Such names in every line that a report can have: fates, regions, moves, advice, what a log says."""
    if not fuse:
        print("skipped: no python3-onnx")
        sys.exit(77)
    for kind, seed in h.some(itertools.product(fuse.models.KINDS, range(3))):
        (model, engine, log, profile), other = fused(h, kind, seed, ("old", "new"))
        for form in reports.known_formats(h, model, engine):
            _, report = h.run("fused as " + form, "--force", "--all", "-f", form, model, engine, "--log", log,
                              "--profile", profile, allowed=(0,))
            reports.FORMATS[form](h, "fused as " + form, report)
        for verb, *words in (["reformats"], ["scopes"], ["explain", "--node", "*"], ["explain", "--layer", "*"]):
            h.run("fused in " + verb, verb, "--force", *words, model, engine, "--log", log, "--profile", profile,
                  allowed=(0,))
        for form in ("text", "json", "dot"):
            _, report = h.run("fused compared as " + form, "compare", "--force", "--all", "-f", form,
                              ",".join([model, engine, profile, log]), ",".join(other[:2]), allowed=(0, 1))
            reports.FORMATS[form](h, "fused compared as " + form, report)
        h.run("fused, log alone", "--force", "--all", log, allowed=(0, 2))
        check_verbs(h, model, engine)


def check_logs(h):
    """Build logs: cut anywhere, garbage between lines, a line of ten megabytes, names that
    hold every separator."""
    for name, data, wanted in h.some(logs.all_logs(files.read(os.path.join(FIXTURES, "build_log/build.log")))):
        log = h.path("hostile.log", data)
        status, report = h.run("log " + name, log, "-f", "json")
        has_engine = logs.has_engine(data)
        h.check(has_engine == (status == 0), "log " + name, "status %d, an engine is %sthere"
                % (status, "" if has_engine else "not "))
        if status != 0:
            continue
        reports.as_json(h, "log " + name, report)
        report = json.loads(report)
        for key, value in wanted.items():
            found = logs.facts(report)[key]
            h.check(found == value, "log " + name, "%s: expected %r, found %r" % (key, value, found))
        for more in (["--all"], ["explain", "--node", "*"], ["explain", "--layer", "*"]):
            h.run("log " + name, *[w for w in more if w == "explain"], log, *[w for w in more if w != "explain"])


PARTS = {"models": check_models, "engines": check_engines, "files": check_files, "disk": disk.all_disks,
         "kills": kills.all_kills,
         "names": check_names, "fused": check_fused, "pairs": check_pairs, "logs": check_logs,
         "formats": formats.all_formats, "limits": limits.all_limits, "overwrite": overwrite.all_overwrites,
         "untouched": untouched.untouched}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("binary")
    p.add_argument("part", nargs="*")
    p.add_argument("--share", type=int, default=1, metavar="N", help="a seeded sample, one of N cases")
    a = p.parse_intermixed_args()
    h = Harness(a.binary, a.share)
    if h.sanitized:
        models.SCALE = engines.SCALE = pairs.SCALE = 10
    try:
        for part in a.part or PARTS:
            PARTS[part](h)
    finally:
        shutil.rmtree(h.folder, ignore_errors=True)
    print("%d runs, %d failures; the slowest took %.1f s (%s)"
          % (h.runs, h.failures, *h.slowest))
    return 1 if h.failures else 0


if __name__ == "__main__":
    sys.exit(main())
