#!/usr/bin/python3
"""What must hold on real engines.

    check.py BINARY SHARED SCHEMA [CASE ...]

Runs the real binary over every pair in SHARED/corpus and checks what is known of it from
elsewhere: the engine's own Metadata, the exporter's numbering, what the dump's Origin keys
say.  Expected numbers come from those, never from the program.  Exit status 77 when SHARED
is absent.
"""
import collections
import json
import os
import re
import sys

from harness import CORPUS, check, failures, pairs, read_report, run


def links(report, by=None):
    return {(layer["index"], link["index"]) for layer in report["layers"]
            for link in layer["nodes"] if by is None or by in link["evidence"]}


def metadata_items(engine, names):
    """(layer, node) as the dump's own Metadata says."""
    items = set()
    with open(engine, encoding="utf-8") as file:
        for index, layer in enumerate(json.load(file)["Layers"]):
            for name in re.findall(r"\[ONNX Layer: (.*?)\](?=[\x1e\x1f\[]|$)", layer.get("Metadata", "")):
                items.add((index, names[name]))
    return items


def check_totals(case, report, text):
    fates = collections.Counter(node["fate"] for node in report["nodes"])
    kinds = collections.Counter(layer["kind"] for layer in report["layers"])
    summary = report["summary"]
    check(case, "fates add up", {k: v for k, v in summary["nodes"].items() if v} == dict(fates))
    check(case, "kinds add up", {k: v for k, v in summary["layers"].items() if v} == dict(kinds))
    for title, counts in (("nodes", fates), ("layers", kinds)):
        line = re.search(rf"^{title} +(\d+): (.*)$", text, re.M)
        shown = {k: int(v) for k, v in re.findall(r"([a-z+]+) (\d+)", line.group(2))} if title == "layers" else \
            {{"in layers": "layer"}.get(k, k): int(v) for v, k in re.findall(r"(\d+) (in layers|\w+)", line.group(2))}
        check(case, f"text counts the same {title}", shown == dict(counts), f"{shown} {dict(counts)}")
        check(case, f"text has the same total of {title}", int(line.group(1)) == sum(counts.values()))
    there = links(report)
    back = {(layer, node["index"]) for node in report["nodes"] for layer in node["layers"]}
    check(case, "links are the same from both sides", there == back)


def check_first_screen(case, model, engine):
    """Below the verdict the summary has at most eight lines at 80 columns, each share of one whole, and nothing is wider."""
    text = run(case, model, engine, "--width", "80").splitlines()
    check(case, "the verdict comes first", text[0].startswith("verdict  "), text[0])
    summary = text[1:text.index("")]
    check(case, "summary of at most eight lines", 1 < len(summary) <= 8, str(summary))
    check(case, "nothing over 80 columns", max(map(len, text)) <= 80, max(text, key=len))
    spent = re.search(r"^(?:time|bytes) .*?: (.*?)(?=^\S)", "\n".join(summary) + "\nx", re.M | re.S)
    if spent:
        shares = [float(share) for share in re.findall(r"([\d.]+) %", spent[1])]
        check(case, "shares add up", abs(sum(shares) - 100) < 0.3, str(shares))
    if case in LINES:
        check(case, "lines of the report", len(text) <= LINES[case], str(len(text)))


# What a report may take at 80 columns.
LINES = {"resnet18-qat-trt8.4": 90}


def check_any(case, model, engine):
    check_first_screen(case, model, engine)
    text = run(case, model, engine, "--all")
    report = read_report(run(case, model, engine, "-f", "json"))
    check_totals(case, report, text)
    conflicts = [f["message"] for f in report["findings"] if f["rule"] == "mapping/conflict"]
    check(case, "no conflict", not conflicts, str(conflicts[:3]))
    return report


COMPUTING = {"Conv", "ConvTranspose", "Relu", "Add", "MaxPool", "GlobalAveragePool", "Gemm", "Clip",
             "BatchNormalization", "MatMul", "Softmax", "ArgMax"}


def check_metadata(case, model, engine, report, count):
    names = {node["name"]: node["index"] for node in report["nodes"]}
    truth = metadata_items(engine, names)
    check(case, f"{count} Metadata items", len(truth) == count, str(len(truth)))
    check(case, "all Metadata items are links", truth == links(report, "metadata"))
    blind = json.loads(run(case, model, engine, "-f", "json", "--evidence", "name,tensor"))
    found = links(blind)
    precision = len(found & truth) / len(found)
    recall = len(found & truth) / len(truth)
    print(f"  {case}: without Metadata precision {precision:.4f} recall {recall:.4f}")
    check(case, "precision without Metadata", precision >= 0.99, str(sorted(found - truth)))
    check(case, "recall without Metadata", recall >= 0.99, str(sorted(truth - found)))
    for r in (report, blind):
        lost = [n["name"] for n in r["nodes"] if n["fate"] == "unexplained" and n["op"] in COMPUTING]
        check(case, "no compute node is unexplained", not lost, str(lost))


def check_qat(case, report, quantize, reformats):
    layers, nodes = report["layers"], report["nodes"]
    by_name = {node["name"]: node for node in nodes}
    for node in nodes:
        if node["op"] == "BatchNormalization":
            conv = by_name[f"Conv_{int(node['name'].split('_')[1]) - 1}"]
            check(case, f"{node['name']} is where {conv['name']} is",
                  node["fate"] == "layer" and node["layers"] == conv["layers"], str(node["layers"]))
        if node["op"] == "Relu":
            check(case, f"{node['name']} has one layer", node["fate"] == "layer" and len(node["layers"]) == 1)
        if node["op"] in COMPUTING:
            check(case, f"{node['name']} has a layer", node["fate"] == "layer", node["fate"])
        if node["op"] in ("QuantizeLinear", "DequantizeLinear"):
            check(case, f"{node['name']} is explained", node["fate"] != "unexplained")
    found = sum(layer["kind"] == "quantize" for layer in layers)
    check(case, f"{quantize} quantize layers", found == quantize, str(found))
    found = sum(layer["inserted"] and layer["kind"] != "noop" for layer in layers)
    check(case, f"{reformats} inserted reformats", found == reformats, str(found))


MUST = {
    "resnet18-fp16-trt10": lambda *a: check_metadata(*a, 48),
    "mobilenetv2-fp32-trt10": lambda *a: check_metadata(*a, 100),
    "resnet18-qat-trt8.4": lambda c, m, e, r: check_qat(c, r, 10, 2),
    "resnet18-qat-residual-trt8.4": lambda c, m, e, r: check_qat(c, r, 3, 0),
    "resnet18-qat-residual-qgap-trt8.4": lambda c, m, e, r: check_qat(c, r, 1, 0),
}


def check_wrong_pairs(all_pairs):
    """A model and an engine that do not belong together are refused."""
    models = {}
    for case, model, engine in all_pairs:
        if case.startswith("resnet18-fp"):
            continue  # one network in two exports: its names are the same by right
        models[case] = (model, engine)
    for one, (model, _) in models.items():
        for other, (_, engine) in models.items():
            related = one.split("-trt")[0].split("-")[0] == other.split("-trt")[0].split("-")[0]
            if one != other and not related:
                run(f"{model} {engine}", model, engine, status=2)


def main():
    if not os.path.isdir(CORPUS):
        print(f"skipped: {CORPUS} is absent")
        return 77
    chosen = list(pairs())
    if len(sys.argv) > 4:
        chosen = [p for p in chosen if p[0] in sys.argv[4:]]
    for case, model, engine in chosen:
        report = check_any(case, model, engine)
        if case in MUST and not engine.endswith("names-only.json"):
            MUST[case](case, model, engine, report)
        print(f"  {case}: {report['summary']['nodes']}")
    if len(sys.argv) <= 4:
        check_wrong_pairs(chosen)
    print(f"{len(chosen)} pairs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
