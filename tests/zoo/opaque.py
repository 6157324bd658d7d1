#!/usr/bin/env python3
"""opaque.py BINARY SHARED [--built FOLDER]

Asks every view about engines whose dump lists a region by the names of its ends only,
{ForeignNode[a...b]}, and holds that none of them says anything of its inside: which blocks are one
kernel, in which types nodes run, what a node's part of the time is.  The engines are those of SHARED
and of FOLDER/*/ (model.onnx, build.log), as a builder writes them with profiling verbosity "names"."""
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

ELIDED = re.compile(r"\{ForeignNode\[.*\.\.\..*\]\}")
PATTERNS = ("attention", "qkv", "swiglu", "layernorm", "rmsnorm", "gelu", "conv-bn-act", "residual")
POLICY = "".join(f"[expect {p}]\nfused = whole\n\n" for p in PATTERNS) + "".join(
    f"[precision-required {by}]\ntype = fp32, fp16, bf16, tf32, int8, fp8, int4, fp4\nby = {by}\n\n" for by in ("macs", "nodes"))


class Pair:
    def __init__(self, binary, name, files, extra=()):
        self.binary, self.name, self.files, self.extra = binary, name, files, list(extra)
        self.wrong = []

    def ask(self, *args, status=(0, 1)):
        done = subprocess.run([self.binary, *args, *self.extra], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode not in status:
            self.wrong.append(f"{' '.join(args[:2])}: status {done.returncode}: {done.stderr.strip()[:300]}")
        return done.stdout

    def compared_with_itself(self):
        pair = ",".join(self.files)
        done = subprocess.run([self.binary, "compare", pair, pair, "-f", "json"], capture_output=True, text=True, timeout=300, check=False)
        self.hold(done.returncode == 0, f"compare: status {done.returncode}: {done.stderr.strip()[:300]}")
        return json.loads(done.stdout) if done.stdout else {}

    def json_of(self, *args):
        text = self.ask(*args, "-f", "json")
        return json.loads(text) if text else {}

    def hold(self, true, what):
        if not true:
            self.wrong.append(what)


def judge_run(p):
    """The report's own layers and nodes.  Returns which layers and nodes are hidden."""
    run = p.json_of(*p.files)
    hidden = {l["index"] for l in run.get("layers", []) if ELIDED.search(l["name"])}
    nodes = [n for n in run.get("nodes", []) if hidden & set(n["layers"])]
    for layer in run.get("layers", []):
        if layer["index"] in hidden:
            p.hold(layer.get("opaque"), f"layer {layer['index']} is not marked as opaque")
            p.hold(layer["precision"] == "unknown", f"layer {layer['index']} runs in {layer['precision']}")
    for node in nodes:
        p.hold(node.get("opaque"), f"node {node['index']} is not marked as opaque")
        p.hold(node["realised"] == "unknown", f"node {node['index']} runs in {node['realised']}")
        p.hold("ms" not in node or set(node["layers"]) - hidden, f"node {node['index']} has a part of the time")
    inside = {n["index"] for n in nodes if set(n["layers"]) <= hidden}
    for finding in run.get("findings", []):
        p.hold(not (finding["rule"].startswith(("precision/", "fusion/", "island")) and set(finding["nodes"]) & inside and
                    not set(finding["layers"]) - hidden),
               f"{finding['rule']} is of nodes of the region: {finding['message'][:100]}")
    said = " ".join(line["text"] for line in run["summary"].get("brief", []) if line["topic"] == "unknown")
    p.hold(not hidden or "kernels the engine does not list" in said, "the summary does not say that something is unknown")
    return run, hidden, nodes


def judge_blocks(p, hidden):
    blocks = p.json_of("patterns", *p.files).get("blocks", [])
    inside = [b for b in blocks if b["layers"] and set(b["layers"]) <= hidden]
    for b in inside:
        p.hold(b["fused"] == "unknown", f"the {b['pattern']} at {b.get('called', b['node'])} is {b['fused']}")
        p.hold(b.get("type", "unknown") == "unknown", f"the {b['pattern']} at node {b['node']} runs in {b.get('type')}")
    for b in blocks:
        if b["fused"] == "whole":
            p.hold(not set(b["layers"]) & hidden, f"the {b['pattern']} at node {b['node']} is whole")
    return inside


def judge_views(p, run, hidden, nodes):
    layers = len([l for l in run["layers"] if l["index"] not in hidden])
    scopes = p.json_of("scopes", *p.files)
    p.hold(scopes.get("opaque", 0) >= len([n for n in nodes if n["fate"] == "layer"]), "scopes counts fewer opaque nodes")
    for scope in scopes.get("scopes", []):
        known = sum(n for t, n in scope.get("precision", {}).items() if t != "unknown")
        p.hold(known <= layers, f"scope {scope.get('name')}: {known} layers of known precision")
    names = p.json_of("names", *p.files)
    by_index = {n["index"]: n for n in nodes}
    for row in names.get("names", []):
        p.hold(row["index"] not in by_index or row.get("runs", "unknown") == "unknown", f"names: {row} runs in a type")
    for layer in p.json_of("inside", *p.files, *[f"layer:{i}" for i in sorted(hidden)]).get("layers", []) if hidden else []:
        p.hold(layer.get("opaque"), f"inside: layer {layer['index']} is not marked as opaque")
    for form in ("text", "markdown"):
        text = p.ask(*p.files, "-f", form, "--width", "400")
        runs = [line for line in text.splitlines() if re.match(r"\W*runs\b", line)]
        p.hold(layers or not any(re.search(r"fp32|fp16|bf16|int8|fp8", line) for line in runs), f"{form}: {runs}")


def judge_pair_of_nodes(p, run, nodes):
    named = [n for n in nodes if n["name"] and n["fate"] == "layer" and len(n["layers"]) == 1]
    for a, b in zip(named, named[1:]):
        if a["layers"] == b["layers"] and a["name"] != b["name"]:
            text = p.ask("explain", *p.files, f"--node=#{a['index']}", f"--node=#{b['index']}")
            p.hold("one layer computes both" not in text, f"explain: {a['name']} and {b['name']} are fused")
            p.hold("not known" in text, f"explain: {a['name']} and {b['name']}: {text[:200]}")
            return


def judge_gate(p, run, inside, hidden):
    if not run["model"].get("path"):
        return
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as policy:
        policy.write(POLICY)
        policy.flush()
        text = p.ask("check", "--all", "--policy", policy.name, *p.files)
    lines = [line for line in text.splitlines() if line.startswith("error")]
    p.hold(not inside or any("may be one kernel or several kernels" in line for line in lines), "check: [expect] does not say that it is not known")
    p.hold(not hidden or any(re.search(r"the types of .* are unknown|without known multiply-adds", line) for line in lines),
           "check: precision-required does not say that the types are not known")
    for region in p.compared_with_itself().get("regions", []):
        groups = region["old"] + region["new"]
        if any(g["kind"] == "foreign" and len(g["nodes"]) > 1 for g in groups):
            p.hold(region.get("opaque") or region["what"] == "opaque", f"compare: region {region['region']} is {region['what']}")
            p.hold(region["precision"] == "unknown", f"compare: region {region['region']}: precision {region['precision']}")


def judge(p):
    run, hidden, nodes = judge_run(p)
    if not hidden:
        return 0, 0
    inside = judge_blocks(p, hidden)
    judge_views(p, run, hidden, nodes)
    judge_pair_of_nodes(p, run, nodes)
    judge_gate(p, run, inside, hidden)
    return len(nodes), len(inside)


def folders_of(shared, built):
    for zoo in ("zoo", "zoo-2", "zoo-4"):
        at = os.path.join(shared, zoo, "cases")
        yield from (os.path.join(at, name) for name in sorted(os.listdir(at)) if name.endswith(".names"))
    for root in built:
        yield from (os.path.join(root, name) for name in sorted(os.listdir(root)) if os.path.isdir(os.path.join(root, name)))


def pairs(binary, shared, built, scratch):
    for folder in folders_of(shared, built):
        name, model = os.path.basename(folder), os.path.join(folder, "model.onnx")
        log = os.path.join(folder, "build.log")
        if not os.path.exists(log):
            log = os.path.join(scratch, name + ".log")
            with lzma.open(os.path.join(folder, "build.log.xz")) as packed, open(log, "wb") as out:
                out.write(packed.read())
        yield Pair(binary, name, [model, log])
    small = os.path.join(shared, "defects-4")
    for name, files in (("17-elided-region", ["fo_a.log"]), ("17-elided-region", ["fo_b.log"]), ("13-builder-layers", ["dla.log"])):
        yield Pair(binary, f"{name}/{files[0]}", [os.path.join(small, name, f) for f in files])
    at = os.path.join(small, "23-trt8-to-10")
    yield Pair(binary, "23-trt8-to-10/foreign_ends", [os.path.join(at, "foreign_ends.json")],
               ["--profile", os.path.join(at, "foreign_ends.profile.json")])


def main():
    args = sys.argv[1:]
    built = []
    while "--built" in args:
        i = args.index("--built")
        built.append(args[i + 1])
        del args[i:i + 2]
    if len(args) != 2:
        sys.exit(__doc__)
    binary, shared = args
    if not os.path.isdir(shared):
        print(f"skipped: {shared} is not there")
        sys.exit(77)
    wrong = asked = nodes = blocks = 0
    with tempfile.TemporaryDirectory() as scratch:
        for pair in pairs(os.path.abspath(binary), shared, built, scratch):
            n, b = judge(pair)
            asked, nodes, blocks, wrong = asked + (n > 0), nodes + n, blocks + b, wrong + len(pair.wrong)
            for text in pair.wrong[:12]:
                print(f"{pair.name}: {text}")
    print(f"{asked} engines with an opaque region, {nodes} nodes and {blocks} blocks in them, {wrong} claims")
    sys.exit(wrong > 0 or not asked)


if __name__ == "__main__":
    main()
