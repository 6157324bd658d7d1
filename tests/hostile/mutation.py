#!/usr/bin/python3
"""Mutants of builds whose grammar is known, over all verbs and formats:

    mutation.py BINARY [--runs N] [--mutants N] [--minutes N] [--first SEED] [--jobs N] [--keep FOLDER]

A seed makes a model and its engine (support/fuser), and changes both where their grammar
has joints: nodes, ports, names, types, attributes, sizes, layers, bindings, lines of the
log, rows of the profile.  A change is described by places, not by names, so that it can be done
to the same build with other names.  What then must hold of every mutant:

    ends       exit status 0, 1 or 2, with a reason when it is 2 and none otherwise
    fates      one fate a node; nodes[].layers and layers[].nodes are one relation
    totals     those of JSON, text, Markdown, DOT, SARIF and JUnit are those of the lists
    parsed     each output is what its consumer takes, and no name breaks out of its place
    again      the same bytes, written to a file or to a stream
    gate       a snapshot of a build passes its own check, and compares as no difference
    policy     a changed policy is taken or refused, and what check prints by it is whole
    drawn      the page, and pictures, are what a browser takes
    lint       foresees of a model the same whether or not the engine is there; an error ends with 1
    mirror     a comparison in the other direction states the same
    order      of layers changes nothing, if kernels keep theirs among themselves: it is that
               of their execution, and replayed; between other layers they may stand anywhere.
               So do layers at a tensor that several write: their order shows which is read
    names      that are consistently others change nothing
    beside     an unrelated copy of the build in the same network changes nothing

The seeds of findings are printed, and what is needed to see one again.  Ends with 1 when
there is one.
"""
import argparse
import collections
import copy
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
for room in ("property", "support"):
    sys.path.insert(0, os.path.join(HERE, "..", room))
try:
    from fuser import fuse
    import bounds
    import checks
    import totals
    import variants
except ImportError:
    fuse = None
import formats
import reports
from harness import hidden_in

POLICY = os.path.join(HERE, "..", "..", "fixtures", "gate", "policy.ini")
SECONDS = 120                   # of processor time, under sanitizers
FOUND = [7210, 4003887, 9000642, 9002575, 10004411, 10007319, 20000126, 30005400]     # seeds that once found something: asked first, and again each time
MARKS = reports.MARKS + reports.UNPRINTABLE
TYPES = ["Reformat", "NoOp", "CaskConvolution", "PointWiseV2", "Myelin", "", "Constant", "ElementWise"]
FORMATS = ["Row major linear FP32", "Row major linear FP16 format", "Int8", "", "x",
           "Channel major FP16 format where channel % 8 == 0"]
ODD = [None, True, -1, 0, 1e300, 2 ** 53, "", "x", [], {}, [[]], [None], ["a", 1], {"a": 1}, "NaN"]
ENDINGS = [*totals.ENDINGS, "csv"] if fuse else []
FORMAT_OF = {"txt": "text", "md": "markdown", "xml": "junit"}


# Rules that look at an engine, and those that use sizes, which an engine may state.
NOT_FORESEEN = {"fusion/missed", "engine/symptom", "size/dynamic", "size/odd", "qdq/small-product", "qdq/attention",
                "channels/alignment", "scale/block", "scale/data", "scale/axis-moved", "build/refused",
                "mapping/misfit", "mapping/unmade-output", "log/other-build", "log/other-model",
                "build/absent-weights"}  # which a built engine withdraws


def of_weights(graph):
    """The nodes, by number, that are computed of constants alone."""
    known, found = {t.name for t in graph.initializer} | {""}, set()
    for i, node in enumerate(graph.node):
        if known.issuperset(node.input):
            known.update(node.output)
            found.add(i)
    return found


def without(mapping, nodes):
    """A mapping in which nothing is stated of some nodes."""
    layers, fates = mapping
    return ({at: (kind, cause, tuple(x for x in links if x[0] not in nodes)) for at, (kind, cause, links) in layers.items()},
            [None if i in nodes else fate for i, fate in enumerate(fates)])


class Finding(Exception):
    """An oracle's name, and what it saw."""


# ------------------------------------------------------------------- mutations of a model
# Each is a function of the random numbers and a build; names are taken from the build.

class Build:
    def __init__(self, model, result):
        self.model = model
        self.engine = json.loads(result.engine)
        self.log = result.log.split("\n")
        self.profile = json.loads(result.profile)

    def names(self):
        return [n.name for n in self.model.graph.node]

    def tensors(self):
        graph = self.model.graph
        return [v.name for v in graph.input] + [t for n in graph.node for t in n.output]


def node_of(r, build):
    return r.choice(build.model.graph.node)


def drop_node(r, build):
    del build.model.graph.node[r.randrange(len(build.model.graph.node))]


def double_node(r, build):
    build.model.graph.node.add().CopyFrom(node_of(r, build))


def swap_nodes(r, build):
    a, b = node_of(r, build), node_of(r, build)
    kept = copy.deepcopy(a)
    a.CopyFrom(b)
    b.CopyFrom(kept)


def other_operator(r, build):
    node_of(r, build).op_type = node_of(r, build).op_type


def rename_node(r, build):
    node_of(r, build).name = r.choice([node_of(r, build).name, ""])


def mark_node(r, build):
    node_of(r, build).name = r.choice(MARKS)


def rewire_node(r, build):
    node = node_of(r, build)
    ends = r.choice([node.input, node.output])
    if ends:
        ends[r.randrange(len(ends))] = r.choice(build.tensors() + [""])


def more_ends(r, build):
    node = node_of(r, build)
    r.choice([node.input, node.output]).append(r.choice(build.tensors()))


def drop_attributes(r, build):
    del node_of(r, build).attribute[:]


def borrow_attributes(r, build):
    node_of(r, build).attribute.extend(copy.deepcopy(list(node_of(r, build).attribute)))


def other_initializers(r, build):
    weights = build.model.graph.initializer
    if weights:
        at = r.randrange(len(weights))
        if r.random() < 0.5:
            weights.add().CopyFrom(weights[at])
        else:
            del weights[at]


def other_outputs(r, build):
    outputs = build.model.graph.output
    if outputs and r.random() < 0.5:
        del outputs[r.randrange(len(outputs))]
    else:
        outputs.add().name = r.choice(build.tensors())


def other_sizes(r, build):
    ports = [*build.model.graph.input, *build.model.graph.output, *build.model.graph.value_info]
    if ports:
        dims = r.choice(ports).type.tensor_type.shape.dim
        if dims:
            dims[r.randrange(len(dims))].dim_value = r.choice([0, 1, 7, -1, 2 ** 62])


OF_MODEL = [drop_node, double_node, swap_nodes, other_operator, rename_node, mark_node, rewire_node, rewire_node,
            more_ends, drop_attributes, borrow_attributes, other_initializers, other_outputs, other_sizes]


# ------------------------------------------------------------------ mutations of an engine

def layer_of(r, build):
    return r.choice(build.engine["Layers"])


def port_of(r, build):
    return r.choice([p for x in build.engine["Layers"] for p in x["Inputs"] + x["Outputs"]])


def drop_layer(r, build):
    del build.engine["Layers"][r.randrange(len(build.engine["Layers"]))]


def double_layer(r, build):
    build.engine["Layers"].insert(r.randrange(len(build.engine["Layers"])), copy.deepcopy(layer_of(r, build)))


def rename_layer(r, build):
    a, b = (r.choice(build.names()) for _ in range(2))
    layer_of(r, build)["Name"] = r.choice([
        a, a + " + " + b, "PWN(" + a + ", " + b + ")", "{ForeignNode[" + a + "..." + b + "]}",
        "Reformatting CopyNode for Input Tensor 0 to " + a, layer_of(r, build)["Name"], ""])


def mark_layer(r, build):
    layer_of(r, build)[r.choice(["Name", "LayerType", "TacticName", "Metadata"])] = r.choice(MARKS)


def retype_layer(r, build):
    layer_of(r, build)["LayerType"] = r.choice(TYPES)


def rewire_layer(r, build):
    port_of(r, build)["Name"] = r.choice(build.tensors() + [port_of(r, build)["Name"]])


def reform_port(r, build):
    port_of(r, build)["Format/Datatype"] = r.choice(FORMATS)


def resize_port(r, build):
    port_of(r, build)["Dimensions"] = r.choice([[], [1], [1, 3, 8, 8], [-1, 2], [2 ** 40] * 3])


def drop_port(r, build):
    ports = layer_of(r, build)[r.choice(["Inputs", "Outputs"])]
    if len(ports) > 1:
        del ports[r.randrange(len(ports))]


def odd_value(r, build):
    thing = r.choice([layer_of(r, build), port_of(r, build)])
    keys = [key for key in thing if key not in ("Inputs", "Outputs")]
    if keys:
        thing[r.choice(keys)] = r.choice(ODD)


def drop_key(r, build):
    thing = r.choice([layer_of(r, build), port_of(r, build)])
    keys = [key for key in thing if key not in ("Inputs", "Outputs", "Name")]
    if keys:
        del thing[r.choice(keys)]


def other_metadata(r, build):
    layer_of(r, build)["Metadata"] = "\x1e".join("[ONNX Layer: %s]" % r.choice(build.names()) for _ in range(2))


def other_bindings(r, build):
    build.engine["Bindings"] = r.choice([[], build.tensors()[-1:], build.tensors()[:2]])


OF_ENGINE = [drop_layer, double_layer, rename_layer, rename_layer, mark_layer, retype_layer, rewire_layer, rewire_layer,
             reform_port, resize_port, drop_port, odd_value, drop_key, other_metadata, other_bindings]


# ------------------------------------------------- mutations of what lies beside, and of bytes

def edit_lines(r, lines):
    lines = list(lines)
    for _ in range(r.randint(1, 3)):
        at = r.randrange(len(lines))
        line = lines[at]
        lines[at:at + 1] = r.choice([[], [line, line], [line[:r.randint(0, len(line))]], [r.choice(MARKS)],
                                     [lines[r.randrange(len(lines))], line],
                                     [line.replace(r.choice(line.split() or [""]), r.choice(["", "0", "-1", "x"]))]])
        lines = lines or [""]
    return lines


def edit_bytes(r, data):
    data = bytearray(data)
    for _ in range(r.randint(1, 4)):
        at, n = r.randrange(len(data)), r.choice([1, 1, 2, 8, 40])
        data[at:at + n] = r.choice([b"", bytes([r.randrange(256)]), data[at:at + n] * 2, b"\xff", b'"', b"\0"])
        data = data or bytearray(b"x")
    return bytes(data)


def edit_profile(r, rows):
    row = r.choice(rows)
    key = r.choice(list(row))
    row[key] = r.choice([-1, 0, 1e9, "x", None, row[key]])
    return rows[:r.randint(1, len(rows))] if r.random() < 0.3 else rows


# ------------------------------------------------------------------------------- running

class Mutant:
    """One build, changed, in a folder of its own."""

    def __init__(self, binary, seed, folder):
        self.binary, self.seed, self.folder = binary, seed, folder
        self.r = random.Random("mutant %s" % seed)
        self.runs = 0
        self.asked = collections.Counter()

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        return path

    def get(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def check(self, holds, case, what):
        """As the harness has it for reports.py."""
        if not holds:
            raise Finding("%s: %s" % (case, what))
        return holds

    def run(self, *args, allowed=(0, 1, 2)):
        self.runs += 1
        done = subprocess.run([self.binary, *args], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=bounds.HANGS, check=False, preexec_fn=bounds.processor(SECONDS))
        case = "ends: " + " ".join(args)
        err = done.stderr.decode()
        self.check(done.returncode in allowed, case, "status %d: %s" % (done.returncode, err[:300]))
        if done.returncode == 2:
            self.check(err.startswith("fusiondiff"), case, "no reason, but %r" % err[:200])
        else:
            said = [x for x in err.split("\n") if x and not x.startswith("fusiondiff: note: ")]
            self.check(not said, case, "status %d, yet it says %r" % (done.returncode, said[:2]))
        out = done.stdout.decode()
        for text in (out, err):
            self.check(hidden_in(text) is None, case, "hidden %r" % hidden_in(text))
        if "github" not in args:
            self.check(not list(reports.commands_in(out + "\n" + err)), case, "a command to a runner")
        return done.returncode, out

    # ------------------------------------------------------------------------ the mutant

    def make(self):
        model, result = fuse.case(self.seed)
        self.base = Build(model, result)
        self.build = copy.deepcopy(self.base)
        self.steps = [self.r.choice(OF_MODEL if self.r.random() < 0.4 else OF_ENGINE)
                      for _ in range(self.r.choice([0, 1, 1, 2, 3, 5, 8]))]
        self.change(self.build)
        self.source = model
        self.put("base", self.base)
        self.put("m", self.build)
        self.beside()

    def change(self, build):
        r = random.Random("steps %s" % self.seed)
        for step in self.steps:
            if len(build.model.graph.node) > 1 and len(build.engine["Layers"]) > 1:
                step(r, build)

    def renamed(self, model, *ways):
        """The same build with other names, if it is built the same."""
        def change(graph):
            for way in ways:
                way(graph)

        other = Build(*variants._changed(model, change, self.seed, None, None))
        for mine, theirs in zip(self.base.engine["Layers"], other.engine["Layers"]):
            for key in [key for key in mine if key.startswith("Tactic")]:
                theirs[key] = mine[key]
        if json.dumps(other.engine).replace(variants.MARK, "") != json.dumps(self.base.engine):
            return None
        self.change(other)
        return other

    def put(self, name, build):
        self.path(name + ".onnx", build.model.SerializeToString(deterministic=True))
        self.path(name + ".json", json.dumps(build.engine, ensure_ascii=self.r.random() < 0.5))

    def beside(self):
        """The log and the profile, changed, in a third of all runs each."""
        self.more = []
        if self.r.random() < 0.3:
            self.path("m.log", "\n".join(edit_lines(self.r, self.build.log)))
            self.more += ["--log", "m.log"]
        if self.r.random() < 0.3:
            self.path("m.profile", json.dumps(edit_profile(self.r, self.build.profile)))
            self.more += ["--profile", "m.profile"]

    # --------------------------------------------------------------------------- oracles

    def report(self):
        """All reports of one run, or None where it is refused."""
        words = [w for ending in ENDINGS for w in ("-o", "m.out." + ending)]
        status, _ = self.run("m.onnx", "m.json", "--force", "--all", *self.more, *words)
        if status == 2:
            return None
        report = reports.as_json(self, "parsed: json", self.get("m.out.json"))
        fates = [n["fate"] for n in report["nodes"]]
        self.check(set(fates) <= set(checks.FATES), "fates", "%s" % set(fates))
        for what in ("nodes", "layers"):
            places = [x["index"] for x in report[what]]
            self.check(places == list(range(len(places))), "fates", what + " are not numbered")
        bad = checks.both_ways(report)
        self.check(not bad, "fates", bad[:2])
        bad = totals.differences(report, lambda ending: self.get("m.out." + ending))
        if "ms" in report["summary"]:           # the total holds times that no layer has
            bad = [line for line in bad if ": ms is" not in line]
            ms = report["summary"]["ms"]
            mine = sum(x.get("ms", 0) for x in report["layers"]) + ms.get("elsewhere", 0)
            self.check(abs(mine - ms.get("total", mine)) < 1e-6 * max(1, mine), "totals", "%s ms of %s" % (mine, ms))
        self.check(not bad, "totals", bad[:3])
        for ending in ENDINGS:
            form = FORMAT_OF.get(ending, ending)
            self.parsed(form, form, self.get("m.out." + ending))
        return report

    def again(self):
        ending = self.r.choice(ENDINGS)
        _, out = self.run("m.onnx", "m.json", "--force", "--all", *self.more, "-f", FORMAT_OF.get(ending, ending))
        self.check(out == self.get("m.out." + ending), "again", "%s differs" % ending)

    def gate(self):
        """Without a profile: one that does not time all layers is no measure to a gate."""
        log = self.more[:2] if "--log" in self.more else []
        self.run("snapshot", "m.onnx", "m.json", "--force", *log, "-o", "m.fsd", allowed=(0,))
        form = self.r.choice(["text", "json", "markdown", "csv", "junit", "sarif", "github", "gitlab"])
        status, out = self.run("check", "m.fsd", "m.onnx", "m.json", "--force", *log, "-f", form)
        self.check(status == 0, "gate", "a build does not pass its own snapshot: %s" % out[:600])
        reports.FORMATS[form](self, "parsed: check " + form, out)
        status, out = self.run("compare", "m.fsd", "m.fsd" if log else "m.onnx,m.json", "--force", "-f", "json")
        self.check(status == 0 and not json.loads(out)["summary"]["differs"], "gate",
                   "a build differs from its own snapshot: %s" % out[:600])

    def policy(self):
        with open(POLICY, encoding="utf-8") as file:
            self.path("m.ini", "\n".join(edit_lines(self.r, file.read().split("\n"))))
        form = self.r.choice(["text", "line", "json", "markdown", "csv", "html", "junit", "sarif", "github", "gitlab"])
        status, out = self.run("check", "m.fsd", "m.onnx", "m.json", "--force", "--today=2026-01-01", "--policy", "m.ini",
                               "-f", form)
        self.asked["policy"] += status != 2
        if status != 2:
            formats.READERS[form](self, "policy: check " + form, out)

    def drawn(self):
        """A layout may end at its time limit."""
        form = self.r.choice(["html", "html", "html", "svg"])
        sides = self.r.choice([["m.onnx", "m.json"], ["compare", "base.onnx,base.json", "m.onnx,m.json"]])
        status, out = self.run(*sides, "--force", "-f", form)
        self.asked["drawn"] += status != 2
        if status != 2:
            formats.READERS[form](self, "drawn: %s of %s" % (form, sides[0]), out)

    def lint(self):
        words = ["--force", "--for", self.r.choice(["trt8", "trt10", "trt11", "rtx", "rtx-1.4:sm75"])]
        shown = []
        for sides in (["m.onnx"], ["m.onnx", "m.json"]):
            status, out = self.run("lint", *sides, *words, "-f", "json")
            if status == 2:
                return
            report = reports.as_json(self, "parsed: lint", out)
            self.check(status == (report["summary"]["error"] > 0), "lint", "status %d, %s" % (status, report["summary"]))
            self.check(all(e["rule"] == report["findings"][e["finding"]]["rule"] for e in report["edits"]), "lint",
                       "an edit of no finding of its rule")
            shown.append([(f["rule"], f["nodes"]) for f in report["findings"]
                         if f["rule"] not in NOT_FORESEEN])
        self.asked["lint"] += 1
        self.check(shown[0] == shown[1], "lint", "alone %s, with the engine %s" % tuple(shown))
        form = self.r.choice(["text", "markdown", "csv", "html", "junit", "sarif", "github", "gitlab"])
        _, out = self.run("lint", "m.onnx", "m.json", *words, "-f", form)
        formats.READERS[form](self, "lint: " + form, out)

    def parsed(self, form, case, text):
        if form != "dot":
            reports.FORMATS[form](self, "parsed: " + case, text)
        elif self.r.random() < 0.1:
            done = subprocess.run(["nop"], input=text.encode(), capture_output=True, check=False)
            self.check(not done.stderr, "parsed: " + case, "nop says %s" % done.stderr[:200])

    def mirror(self):
        shown = []
        for sides in (("base.onnx,base.json", "m.onnx,m.json"), ("m.onnx,m.json", "base.onnx,base.json")):
            status, out = self.run("compare", *sides, "--force", "-f", "json")
            if status == 2:
                return
            shown.append((status, reports.as_json(self, "parsed: compare", out)))
        self.asked["mirror"] += 1
        (status, one), (other_status, other) = shown
        self.check(status == other_status, "mirror", "status %d and %d" % (status, other_status))
        for what, (mine, theirs) in {
                "differs": (one["summary"]["differs"], other["summary"]["differs"]),
                "aligned": ({(x["old"], x["new"]) for x in one["aligned"]},
                            {(x["new"], x["old"]) for x in other["aligned"]}),
                "regions": (len(one["regions"]), len(other["regions"])),
                "precisions": ({(x["old"], x["new"], x["before"], x["after"]) for x in one["precisions"]},
                               {(x["new"], x["old"], x["after"], x["before"]) for x in other["precisions"]}),
                "ports": (len(one["ports"]), len(other["ports"])),
                "moves": (len(one["moves"]), len(other["moves"]))}.items():
            if mine != theirs:
                self.check(False, "mirror", "%s: %s, from the other side %s" % (
                    what, *((sorted(mine - theirs)[:3], sorted(theirs - mine)[:3]) if isinstance(mine, set)
                            else (mine, theirs))))
        form = self.r.choice(["text", "markdown", "csv", "dot"])
        _, out = self.run("compare", "base.onnx,base.json", "m.onnx,m.json", "--force", "-f", form)
        self.parsed(form, "compare " + form, out)

    def maps_as(self, oracle, report, model, engine, order=None, first=False, equal=()):
        self.asked[oracle] += 1
        status, out = self.run(model, engine, "--force", "-f", "json")
        self.check(status != 2, oracle, "refused: %s" % out[:200])
        layers, nodes = checks.mapping(json.loads(out), order)
        if first:
            nodes = nodes[:len(report["nodes"])]
        asked, shown = (without(m, equal) for m in (checks.mapping(report), (layers, nodes)))
        bad = checks.differences(asked, shown)
        self.check(not bad, oracle, bad[:3])

    def order(self, report):
        layers = self.build.engine["Layers"]
        order = list(range(len(layers)))
        self.r.shuffle(order)
        ends = [[{str(p.get("Name")) for p in layer.get(side) or [] if isinstance(p, dict)}
                 for side in ("Outputs", "Inputs")] for layer in layers]
        writers = collections.Counter(name for made, _ in ends for name in made)
        several = {name for name, n in writers.items() if n > 1}
        kept = [at for at, i in enumerate(order)
                if "_myl" in str(layers[i].get("Name")) or several & (ends[i][0] | ends[i][1])]
        for at, i in zip(kept, sorted(order[at] for at in kept)):
            order[at] = i
        self.path("shuffled.json", json.dumps({**self.build.engine, "Layers": [layers[i] for i in order]}))
        self.maps_as("order", report, "m.onnx", "shuffled.json", order)

    def names(self, report):
        way = self.r.choice([variants.rename_nodes, lambda graph: variants._rename(graph, {})])
        twin = self.renamed(self.source, way)
        if twin:
            self.put("twin", twin)
            self.maps_as("names", report, "twin.onnx", "twin.json")

    def copied(self, report):
        """A copy of the build beside it, of which it shares the weights alone."""
        if "scopes" in report:      # nodes of bodies are numbered behind all others
            return
        shared = {mark_node, mark_layer, other_initializers, drop_attributes}
        twin = self.renamed(self.source, variants.rename_nodes, lambda graph: variants._rename(graph, {}))
        if not twin or shared & set(self.steps):
            return
        both = copy.deepcopy(self.build)
        # Each region has a number, which the names of its kernels and of their arguments hold.
        twin.engine = json.loads(re.sub(r"_myl(\d+)", r"_myl10\1", json.dumps(twin.engine)))
        for part in ("node", "input", "output", "value_info"):
            old = {v.name for v in self.build.model.graph.input} if part == "input" else ()
            getattr(both.model.graph, part).extend(
                x for x in getattr(twin.model.graph, part) if x.name not in old)
        for key, values in both.engine.items():
            if isinstance(values, list):
                both.engine[key] = values + twin.engine[key]
        self.put("both", both)
        # What is made of weights alone is equal in both, and may be made once: either of the two may be reported.
        made = of_weights(self.build.model.graph)
        self.maps_as("beside", report, "both.onnx", "both.json", first=True, equal=made | {i + len(report["nodes"]) for i in made})

    def view(self):
        verb = self.r.choice(["reformats", "names", "scopes", "where", "inside", "explain", "top", "memory", "patterns"])
        form = self.r.choice(["text", "json", "markdown", "csv"])
        words = {"where": ["*"], "inside": ["*"], "explain": [self.r.choice(["--node=*", "--layer=*"])]}.get(verb, [])
        status, out = self.run(verb, "m.onnx", "m.json", *words, "--force", *self.more, "-f", form)
        if status != 2:
            reports.FORMATS[form](self, "parsed: %s %s" % (verb, form), out)

    def broken(self):
        """Where bytes are changed, a run ends well and what it prints is whole."""
        what = self.r.choice(["m.onnx", "m.json", "m.fsd", "base.log"])
        if what == "base.log":
            self.path("broken", "\n".join(edit_lines(self.r, self.base.log)))
        else:
            with open(self.path(what), "rb") as file:
                self.path("broken", edit_bytes(self.r, file.read()))
        args = {"m.onnx": ["broken", "m.json"], "m.json": ["m.onnx", "broken"], "base.log": ["m.onnx", "broken"],
                "m.fsd": ["compare", "broken", "m.fsd"]}[what]
        status, out = self.run(*args, "--force", "-f", "json")
        if status != 2:
            reports.as_json(self, "parsed: json of broken " + what, out)

    def all(self):
        self.make()
        report = self.report()
        if report is None:
            self.asked["refused"] += 1
            return
        self.asked.update(["fates", "totals", "parsed", "again", "gate"])
        self.again()
        self.gate()
        self.mirror()
        self.policy()
        self.drawn()
        self.lint()
        self.view()
        self.broken()
        if not self.more:
            self.order(report)
            self.names(report)
            self.copied(report)


# ---------------------------------------------------------------------------------- many

def one(job):
    """One seed: its number of runs, how often each oracle was asked, and what was found."""
    seed, binary, keep = job
    folder = os.path.join(keep, str(seed)) if keep else tempfile.mkdtemp(prefix="fusiondiff-mutant-")
    os.makedirs(folder, exist_ok=True)
    mutant, found = Mutant(binary, seed, folder), None
    try:
        mutant.all()
    except Finding as finding:
        found = str(finding)
    except Exception as error:          # a test that fails itself has found nothing, and must be seen
        found = "the test itself: %r at %s" % (error, traceback.extract_tb(error.__traceback__)[-1])
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return seed, mutant.runs, mutant.asked, found


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("binary")
    p.add_argument("--runs", type=int, help="of the program, in all; 2000, unless --mutants is given")
    p.add_argument("--mutants", type=int, default=1 << 31, help="in all")
    p.add_argument("--minutes", type=float, default=600)
    p.add_argument("--first", type=int, default=1, help="the first seed")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--keep", metavar="FOLDER", help="leave the mutants there")
    a = p.parse_args()
    if not fuse:
        print("skipped: no python3-onnx")
        return 77
    most = a.runs or (2000 if a.mutants == 1 << 31 else 1 << 31)
    binary, begin, shown = os.path.abspath(a.binary), time.time(), time.time()      # --minutes, and the figures
    kinds, asked, mutants, runs = collections.Counter(), collections.Counter(), 0, 0

    seeds = itertools.islice(itertools.chain(FOUND if a.first == 1 else (), range(a.first, 1 << 31)), a.mutants)

    def figures():
        return "%d mutants, %d runs in %.0f s; asked %s; found %s" % (
            mutants, runs, time.time() - begin, ", ".join("%s %d" % x for x in sorted(asked.items())),
            ", ".join("%s %d" % x for x in sorted(kinds.items())) or "nothing")

    with multiprocessing.Pool(a.jobs) as pool:
        for seed, n, by, found in pool.imap_unordered(one, ((s, binary, a.keep) for s in seeds)):
            mutants, runs = mutants + 1, runs + n
            asked += by
            if found:
                kind = found.split(":")[0]
                kinds[kind] += 1
                if kinds[kind] <= 20:
                    print("FOUND seed %d: %s" % (seed, found[:1500]), flush=True)
            if time.time() - shown > 60:
                shown = time.time()
                print(figures(), flush=True)
            if runs >= most or time.time() - begin > 60 * a.minutes:
                pool.terminate()
                break
    print(figures())
    if kinds:
        print("again: mutation.py %s --first SEED --runs 1 --jobs 1 --keep FOLDER" % a.binary)
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
