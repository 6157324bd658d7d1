#!/usr/bin/python3
"""Session logs of ONNX Runtime beside the models that the sessions optimized.

    check_ort_log.py BINARY SHARED

The truth is read from each log by its own words: each "fusion skipped" once for a node and a
reason, how often each transformer ran and changed the graph, and the provider of each layer.
Every fusion that names a node of the model is in the history that `explain` shows of it.  Exit
status 77 when SHARED is absent.
"""
import collections
import glob
import json
import os
import re
import sys

from harness import SHARED, check, failures, run

MODELS = f"{SHARED}/models", f"{SHARED}/runtimes/models"


def read_log(path):
    """Of a log: skips by node and reason, transformers with runs and changes, providers."""
    skips, passes, placed, provider = collections.Counter(), {}, {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if found := re.search(r"\] (\w+)\[(.*)\]: fusion skipped: (.*)", line):
                skips[found.groups()] += 1
            elif found := re.search(r"\] GraphTransformer (\S+) modified: (\d)", line):
                runs, changed = passes.get(found[1], (0, 0))
                passes[found[1]] = runs + 1, changed + int(found[2])
            elif found := re.search(r"\] +All nodes .*placed on \[(\w+)\]", line):
                placed[None] = found[1]
            elif found := re.search(r"\]  Node\(s\) placed on \[(\w+)\]", line):
                provider = found[1]
            elif provider and (found := re.search(r"\]   (\S+) \((.*)\)$", line)):
                placed[found[2]] = provider
    return skips, passes, placed


def check_case(case, model, engine, log):
    skips, passes, placed = read_log(log)
    shown = json.loads(run(case, "skipped", model, engine, "--log", log, "-f", "json"))
    report = json.loads(run(case, model, engine, "--log", log, "-f", "json"))
    check(case, "the log is used", report["log"]["used"] or not passes, report["log"])
    named = {(s["fusion"], n["name"], s["why"]): n.get("node") for s in shown["skipped"]
             for n in s.get("nodes", []) if "function" not in s}
    check(case, "the skipped fusions are the log's", set(named) == set(skips), (len(named), len(skips)))
    check(case, "each as often", sum(s["times"] for s in shown["skipped"] if s["why"] in {k[2] for k in skips})
          == sum(skips.values()))
    check(case, "the transformers are the log's",
          {t["name"]: (t["runs"], t["changed"]) for t in shown["transformers"]} == passes)
    for layer in report["layers"]:
        check(case, f"layer {layer['index']} has its provider", layer.get("ran_by") ==
              placed.get(None, placed.get(layer["name"])), layer.get("ran_by"))
    nodes = sorted({f"#{n}" for n in named.values() if n is not None})
    check(case, "every node is the model's", None not in named.values(), named)
    if nodes:
        words = [w for n in nodes for w in ("--node", n)]
        story = json.loads(run(case, "explain", model, engine, "--log", log, "-f", "json", *words))
        for node in story["nodes"]:
            whys = {(f, why) for f, name, why in named if name == node["name"]}
            said = " ".join(line["text"] for line in node["story"] if line["topic"] == "skipped")
            check(case, f"explain has the reasons of {node['name']}",
                  all(f"{f} was skipped: {why}" in said for f, why in whys), said)
    return len(named), len(nodes)


def check_assignment(case, model, engine, path):
    """Each partition has the nodes that its provider took, and each layer its provider."""
    report = json.loads(run(case, model, engine, "--log", path, "-f", "json"))
    with open(path, encoding="utf-8") as file:
        groups = json.load(file)
    names = [node["name"] for node in report["nodes"]]
    members = [({names[n["index"]] for n in layer["nodes"]} - {""}, layer["ran_by"])
               for layer in report["layers"]]
    for group in groups:
        wanted = {node["name"] for node in group["nodes"]} & set(names)
        check(case, f"a layer of {group['ep']} has all of {sorted(wanted)[:3]}",
              [by for nodes, by in members if wanted <= nodes] == [group["ep"]])
    kinds = {layer["kind"] for layer in report["layers"] if layer["name"].startswith("OpenVINO")}
    check(case, "partitions are foreign layers", kinds == {"foreign"}, kinds)
    return sum(len(group["nodes"]) for group in groups)


def main():
    logs = sorted(glob.glob(f"{SHARED}/runtimes/cases/ort*/session.log"))
    if not logs:
        print("no session logs here")
        sys.exit(77)
    skipped = explained = assigned = 0
    for log in logs:
        folder = os.path.dirname(log)
        case = os.path.basename(folder)
        name = case.split("-", 1)[1].rsplit("-", 1)[0] + ".onnx"
        model = next((f"{m}/{name}" for m in MODELS if os.path.exists(f"{m}/{name}")), None)
        engine = next((f"{folder}/{e}" for e in ("opt.onnx", "ctx.onnx") if os.path.exists(f"{folder}/{e}")), None)
        if not engine:  # the session ended before it wrote one
            continue
        n, of = check_case(case, model, engine, log)
        skipped += n
        explained += of
        if os.path.exists(f"{folder}/assignment.json"):
            assigned += check_assignment(case, model, engine, f"{folder}/assignment.json")
    print(f"{len(logs)} session logs, {skipped} skipped fusions, all of {explained} nodes explained, "
          f"{assigned} nodes of partitions, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
