"""What is scored of one model: a dictionary of counts, and remarks on what is wrong.

The judges are others' programs: onnx's inference of shapes, the data of onnx's tests, the builder that builds or
refuses, and the Metadata of the engine that it builds."""
import json
import os
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import shape_inference

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "zoo"))
import measure  # noqa: E402

# Why links, outcomes and doubts are not judged by a build: it has no engine.
BUILT, REFUSED = ("built",), ("parser", "builder", "crash")


class Score:
    def __init__(self):
        self.n, self.notes = {}, []

    def add(self, key, value=1, note=None):
        self.n[key] = self.n.get(key, 0) + value
        if value and note is not None:
            self.notes.append((key, value, note))


def run(binary, *args):
    """(exit status, standard output, standard error); a status below 0 is a crash."""
    done = subprocess.run([binary, *args], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def crashed(status, error):
    return status < 0 or status > 2 or "Sanitizer" in error


# ---------------------------------------------------------------------- reading and lint


def reading_and_lint(binary, case, outcome, target, score):
    """A legal model is read without a remark; what lint foresees is what the builder says."""
    status, text, error = run(binary, "lint", case.path, "--for", target, "-f", "json")
    score.add("models")
    if status > 1 or status < 0:
        score.add("crash" if crashed(status, error) else "not read", 1, error[:150] or f"exit status {status}")
        return
    findings = json.loads(text)["findings"]
    for finding in findings:
        if finding["rule"] == "input/remark":
            score.add("remarks", 1, finding["message"][:150])
    if not outcome:
        return
    refused = [f for f in findings if f["rule"] == "build/refused"]
    score.add(outcome["outcome"])
    if outcome["outcome"] in REFUSED:
        score.add("refused")
        score.add("foreseen", bool(refused))
        score.add("missed", not refused, re.sub(r"\s+", " ", outcome["why"])[:200])
    elif outcome["outcome"] in BUILT:
        score.add("false alarms", bool(refused), refused[0]["message"][:200] if refused else "")


def unknown_operators(table):
    """What the check of the table of operators against onnx's schemas finds, of this onnx, in all its domains."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "..", "ops", "schemas.py"), table], capture_output=True,
                          text=True, check=False)
    return (done.stdout + done.stderr).splitlines() if done.returncode else []


# --------------------------------------------------------------------------------- shapes


def bare(model):
    """The model without the shapes that it states of anything but its inputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.value_info[:]
    for value in copy.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    return copy


def inferred(model):
    """name -> sizes that onnx's strict inference with data propagation knows, None where it does not."""
    try:
        full = shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception:       # each operator's inference has its own errors
        return {}
    made = {t for n in full.graph.node for t in n.output}
    return {v.name: [d.dim_value if d.HasField("dim_value") else None for d in v.type.tensor_type.shape.dim]
            for v in [*full.graph.value_info, *full.graph.output]
            if v.type.HasField("tensor_type") and v.type.tensor_type.HasField("shape") and v.name in made}


def told(binary, model):
    """name -> sizes that the program states: a number, the formula of an open one, or None; None for no rank."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        status, text, error = run(binary, "--dump", "shapes", file.name)
    if status:
        return None, f"{status} {error[:150]}"
    found = {}
    for line in text.decode(errors="replace").splitlines():
        match = re.match(r"0 (.*) (?:\[(.*)\]|\?)$", line)
        if match:
            sizes = match[2].split(", ") if match[2] else []
            found[match[1]] = None if match[2] is None else [
                int(s) if s.isdigit() else None if s == "?" else s for s in sizes]
    return found, ""


def has_ceil_mode(model):
    return any(a.name == "ceil_mode" and a.i for n in model.graph.node for a in n.attribute)


def compare_sizes(mine, theirs):
    """"unknown" or "different" where a size that they know is not so here; "" where all are."""
    if mine is None:
        return "unknown"
    if len(mine) != len(theirs):
        return "different"
    worst = ""
    for a, b in zip(mine, theirs):
        if b is not None and a != b:
            worst = "unknown" if a is None and worst != "different" else worst if a is None else "different"
    return worst


def shapes(binary, case, score):
    """Sizes against onnx's inference, and against those of the data that the test expects."""
    model = onnx.load(case.path, load_external_data=False)
    plain = bare(model)
    mine, error = told(binary, plain)
    if mine is None:
        score.add("shapes not told", 1, error)
        return
    outputs = {v.name for v in model.graph.output}
    apart = has_ceil_mode(model)
    for name, sizes in inferred(plain).items():
        worst = compare_sizes(mine.get(name), sizes)
        known = all(s is not None for s in sizes)
        score.add("strict tensors", known)
        score.add("strict outputs", known and name in outputs)
        if worst:
            score.add(f"ceil_mode {worst}" if apart else f"strict {worst}", 1,
                      f"{name}: {mine.get(name)}, onnx {sizes}")
    score.add("outputs", len(outputs))
    for name, data in case.outputs.items():
        sizes = mine.get(name)
        if name not in mine:
            continue
        score.add("data outputs")
        if sizes is not None and all(isinstance(s, int) for s in sizes):
            score.add("data known")
        if compare_sizes(sizes, data["dims"]) == "different" and not any(isinstance(s, str) for s in sizes):
            score.add("data different", 1, f"{name}: {sizes}, the data have {data['dims']}")


# -------------------------------------------------------------------------------- reports

# Of measure.py's figures those that are counts of the zoo's, and are not taken over.
NOT_TAKEN = {"cases", "json bytes", "largest json"}


def report(binary, case, folder, score):
    """Links, outcomes, doubts, types and inserted layers against the engine's Metadata."""
    build = measure.Case(folder)
    build.name = case.name
    figures = measure.Figures()
    measure.measure(binary, build, figures, False)
    for key, value in figures.n.items():
        if key not in NOT_TAKEN:
            score.add(key, value)
    for key, worst in figures.worst.items():
        if key not in NOT_TAKEN:
            score.notes += [(key, value, note) for value, _, note in worst]
    why_missed(binary, build, score)


# Why a link over a node that computes is missed; the first that fits.
CAUSES = ("folded here", "linked to another of its kernels", "a kernel without a link", "else")


def why_missed(binary, build, score):
    """Links that Metadata has and that are not found without it, by cause; the model's own share of those found."""
    status, text, _ = measure.run(binary, build, "--evidence", "name,tensor,structure", "--force")
    told = json.loads(text) if status < 2 else {"layers": ()}
    if len(told["layers"]) != len(build.kernels):
        return
    _, _, found, total, _, missed = measure.links(build, told, True)
    fates, made_by = {}, {}
    for node in told["nodes"]:
        key = measure.node_key(build, node)
        fates.setdefault(key, node["fate"])
        made_by.setdefault(key, set()).update(node["layers"])
    for layer, _, item, op in missed:
        others = {i for i in made_by[item] if item in build.kernels[i].node_names()}
        cause = ("folded here" if fates[item] == "folded" else "linked to another of its kernels" if others
                 else "a kernel without a link" if not told["layers"][layer]["nodes"] else "else")
        score.add(f"missed: {cause}", 1, f"{op} {item}")
    if total:
        for kind in ("model", *(() if "_expanded" in build.name else ("plain model",))):
            score.add(f"{kind}s with links")
            score.add(f"{kind}s' shares", found / total)


# ---------------------------------------------------------------------------- round trips


def round_trip(binary, case, folder, score):
    """A build passes by its own snapshot, differs from itself in nothing, and is written twice alike."""
    log = os.path.join(folder, "build.log")
    score.add("round trips")
    with tempfile.TemporaryDirectory() as temp:
        written = []
        for name in ("first", "second"):
            at = os.path.join(temp, name + ".fsd")
            status, _, error = run(binary, "snapshot", case.path, log, "-o", at, "-q")
            if status:
                score.add("round trips failed", 1, f"snapshot: exit status {status}: {error[:150]}")
                return
            with open(at, "rb") as file:
                written.append(file.read())
        again = written[0] == written[1]
        status, text, error = run(binary, "check", os.path.join(temp, "first.fsd"), case.path, log)
        differ, _, told_ = run(binary, "compare", f"{case.path},{log}", f"{case.path},{log}")
        if not again or status or differ:
            score.add("round trips failed", 1, f"snapshots equal {again}, check {status} {error[:100]}, "
                                               f"compare {differ} {told_[:100]}")


# ------------------------------------------------------------------------------------ all


def score_of(binary, case, engines, target):
    """All scores of one case; of one that was not built those that need no engine."""
    score = Score()
    outcome = engines.outcome(case) if engines else None
    reading_and_lint(binary, case, outcome, target, score)
    shapes(binary, case, score)
    if outcome and outcome["outcome"] in BUILT:
        folder = engines.folder(case)
        report(binary, case, folder, score)
        round_trip(binary, case, folder, score)
    return score
