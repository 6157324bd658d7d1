#!/usr/bin/python3
"""One model, built by several versions of the builder: what `compare` reports is so.

    check_versions.py BINARY SHARED

The truth is each kernel's own Metadata: two nodes are computed together where one kernel
names both.  Exit status 77 when SHARED/zoo is absent.
"""
import json
import os
import sys

from harness import SHARED, check, failures, start

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))
import truth  # noqa: E402

ZOO = os.path.join(SHARED, "zoo", "cases")
MODELS = ("bert12_dynamo", "diffusion_block", "efficientnet_b0_ts", "transformer_int8_qdq", "vit_bf16", "yolo_like")
VERSIONS = (".v1.4", ".v1.5", ".v1.6", "")
# What the two logs differ in; all other pairs of neighbours do not differ.
DIFFER = {("diffusion_block.v1.5", "diffusion_block.v1.6"): None,
          ("yolo_like.v1.6", "yolo_like"): [{f"/model.{m}/{op}{n}" for op in ("Conv", "Sigmoid", "Mul")}
                                            for m, n in ((2, "_1"), (2, "_3"), (4, ""))]}


def log_of(case):
    path = os.path.join(ZOO, case, "build.log")
    return path if os.path.exists(path) else path + ".xz"


def build(case):
    return f"{os.path.join(ZOO, case, 'model.onnx')},{log_of(case)}"


def together(case):
    return [set(k.node_names()) for k in truth.kernels(truth.log_lines(os.path.join(ZOO, case)))]


def joined(kernels, nodes):
    """How many pairs of the nodes some kernel computes together."""
    return len({(a, b) for k in kernels for a in k & nodes for b in k & nodes if a < b})


def check_pair(old, new):
    done = start("compare", build(old), build(new), "-f", "json")
    case, differ = f"{old} -> {new}", (old, new) in DIFFER
    # Kernels of one fusion may be made otherwise by another version, which is a difference, too.
    check(case, "exit status", done.returncode in ((1,) if differ else (0, 1)), f"{done.returncode} {done.stderr}")
    report = json.loads(done.stdout)
    said = report["summary"]["regions"]
    for kind in ("opaque", "only-new"):
        check(case, f"no {kind}", said[kind] == 0, said)
    check(case, "types", not any(report["summary"]["precisions"].values()), report["summary"]["precisions"])
    before, now = together(old), together(new)
    compute = {n for r in report["regions"] for group in r["old"] for n in group["nodes"]}
    gained = []
    for region in report["regions"]:
        if region["what"] == "only-old":
            # Metadata named it in a kernel that computed nothing else but views, and names it nowhere now.
            gone = {n for group in region["old"] for n in group["nodes"]}
            alone = any(gone <= k and not (k - gone) & compute for k in before)
            check(case, "gone", alone and not any(gone & k for k in now), gone)
        nodes = {n for group in region["new"] for n in group["nodes"]}
        if region["what"] == "fusion-lost":     # what one kernel did several do now
            check(case, "lost", len([k for k in now if k & nodes]) > len([k for k in before if k & nodes]), nodes)
        if region["what"] == "fusion-gained":
            gained.append(nodes)
            check(case, "gained", joined(now, nodes) > joined(before, nodes), nodes)
    if differ and DIFFER[old, new]:
        check(case, "the fusions gained", len(gained) == len(DIFFER[old, new]) and
              all(any(g >= want for g in gained) for want in DIFFER[old, new]), gained)
    elif differ:
        check(case, "fusions gained", gained, said)


def main():
    if not os.path.isdir(ZOO):
        print("skipped: no " + ZOO)
        return 77
    pairs = 0
    for model in MODELS:
        there = [model + v for v in VERSIONS if os.path.isdir(os.path.join(ZOO, model + v))]
        for old, new in zip(there, there[1:]):
            check_pair(old, new)
            pairs += 1
    check("zoo", "pairs", pairs >= 15, pairs)
    print(f"{pairs} pairs of versions, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
