#!/usr/bin/python3
"""Logs of real builds, some of which failed.

    check_zoo_log.py BINARY SHARED

A build that failed says at which node and why, as the builder's tool noted it down; a log
of one that did not is read without a remark.  Exit status 77 when SHARED/zoo is absent.
"""
import json
import os
import re
import sys

from harness import SHARED, check, failures, run

ZOO = os.path.join(SHARED, "zoo")


def log_of(folder):
    path = os.path.join(folder, "build.log")
    return path if os.path.exists(path) else path + ".xz"


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def check_failed(case):
    """The first line of the reason; the node where the reason or the parser names one."""
    folder = os.path.join(ZOO, "failed", case)
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        error = json.load(file)["error"]
    stage, reason = re.search(r": not (parsed|built): (.*)", error).groups()
    for args in ((log_of(folder),), (os.path.join(folder, "model.onnx"), log_of(folder))):
        said = squeezed(run(case, *args, status=2))
        check(case, "reason", squeezed(reason)[:250] in said, said)
        check(case, "who rejects", (": the %s rejects " % {"parsed": "parser", "built": "builder"}[stage]) in said, said)
        named = stage == "parsed" or re.search(r"operation '|/NonMaxSuppression_1", reason)
        check(case, "node", (" rejects node " in said) == bool(named), said)
        operation = re.search(r"operation '([^']*)'", reason)
        if operation:
            check(case, "operation", f" rejects node {operation[1]}:" in said, said)


def check_remarks(case):
    folder = os.path.join(ZOO, "cases", case)
    report = json.loads(run(case, "--force", os.path.join(folder, "model.onnx"), log_of(folder),
                            "--format", "json"))
    for finding in report["findings"]:
        check(case, "no remark", not finding["rule"].startswith("input/"), finding)


# One network in two types, or with and without open sizes: all names are the same.
ALIKE = (("zoo/cases/yolo_like/model.onnx", "yolo_fp16"), ("zoo/cases/yolo_fp16/model.onnx", "yolo_like"),
         ("corpus/mobilenetv2-fp32-trt10/model.onnx", "mobilenet_v2_dynamic_ts"))


def check_alike(model, case):
    """Their types and sizes distinguish them."""
    report = json.loads(run(case, os.path.join(SHARED, model), log_of(os.path.join(ZOO, "cases", case)),
                            "--format", "json"))
    said = [f["message"] for f in report["findings"] if f["rule"] == "mapping/misfit"]
    check(case, "is not the engine of " + model, said and "is impossible for this model" in said[0], said)


def main():
    if not os.path.isdir(ZOO):
        print("skipped: no " + ZOO)
        return 77
    failed, cases = (sorted(os.listdir(os.path.join(ZOO, kind))) for kind in ("failed", "cases"))
    for case in failed:
        check_failed(case)
    for case in cases:
        check_remarks(case)
    for model, case in ALIKE:
        check_alike(model, case)
    check("zoo", "cases", len(failed) >= 23 and len(cases) >= 88, (len(failed), len(cases)))
    print(f"{len(failed)} failed builds, {len(cases)} others, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
