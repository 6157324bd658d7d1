#!/usr/bin/python3
"""ONNX Runtime's profiles joined to the layers of the models that it optimized.

    check_ort_profile.py BINARY SHARED

The truth is read from each profile alone: an event that ends in _kernel_time is a kernel;
its node bears the event's name, or none and the event's operator.  Each layer has the mean
of its events behind the first model_run, where there are several, and no event is left
over.  Exit status 77 when SHARED is absent.
"""
import glob
import json
import os
import sys

from harness import SHARED, check, failures, run

ENDING = "_kernel_time"
MODELS = f"{SHARED}/models", f"{SHARED}/runtimes/models"


def runs_of(events):
    """The kernel events of each run; of an unfinished file all are one."""
    runs, kernels = [], []
    for event in events:
        if event["name"].endswith(ENDING):
            kernels.append(event)
        elif event["name"] == "model_run":
            runs.append(kernels)
            kernels = []
    return runs or [kernels]


def check_times(case, layers, runs):
    """Each layer of the report has its events' mean; returns the events of no layer."""
    kept = runs[1:] or runs
    left = [list(r) for r in runs]
    for layer in layers:
        found = []
        for r in left:
            event = next((e for e in r if e["name"][:-len(ENDING)] == layer["name"] or
                          (not layer["name"] and e["name"].startswith(layer["type"] + "_") and
                           e["args"]["op_name"] == layer["type"])), None)
            if event:
                r.remove(event)
                found.append(event)
        found = found[-len(kept):]
        if not found:
            check(case, f"layer {layer['index']} has no time", "ms" not in layer, layer.get("ms"))
            continue
        mean = sum(e["dur"] for e in found) / len(found) / 1000
        check(case, f"layer {layer['index']} has its events' mean",
              abs(layer.get("ms", -1) - mean) < 1e-9, (layer.get("ms"), mean))
        check(case, f"layer {layer['index']} has its provider",
              layer.get("ran_by") == found[0]["args"]["provider"], layer.get("ran_by"))
        sizes = " ".join("[" + ",".join(map(str, dims)) + "]"
                         for o in found[-1]["args"]["output_type_shape"] for dims in o.values())
        check(case, f"layer {layer['index']} has its sizes",
              layer.get("ran_with", "") in (sizes, ""), (layer.get("ran_with"), sizes))
    return [e for r in left for e in r]


def check_bodies(case, left, runs):
    """What is left ran within the time of a kernel that asked for a body."""
    owners = [e for r in runs for e in r if e["args"]["op_name"] in ("If", "Loop", "Scan")]
    for event in left:
        check(case, f"{event['name']} ran in a body",
              any(o["ts"] <= event["ts"] and event["ts"] + event["dur"] <= o["ts"] + o["dur"]
                  for o in owners), event)


def check_case(case, model, engine, profile):
    with open(profile, encoding="utf-8") as file:
        runs = runs_of(json.load(file))
    # A model of compiled partitions has too few names for the program to be sure of it.
    force = ["--force"] if os.path.basename(engine) == "ctx.onnx" else []
    report = json.loads(run(case, model, engine, "--profile", profile, "-f", "json", *force))
    left = check_times(case, report["layers"], runs)
    check_bodies(case, left, runs)
    said = [f for f in report["findings"] if "profile-" in json.dumps(f)]
    check(case, "a single run is remarked, and nothing else",
          ["profile-single-run" in json.dumps(f) for f in said] == [True] * (len(runs) == 1), said)
    return sum(map(len, runs)), len(left)


def main():
    profiles = [p for p in sorted(glob.glob(f"{SHARED}/runtimes/cases/ort*/profile.json"))]
    if not profiles:
        print("no profiles here")
        sys.exit(77)
    events = inside = 0
    for profile in profiles:
        folder = os.path.dirname(profile)
        case = os.path.basename(folder)
        name = case.split("-", 1)[1].rsplit("-", 1)[0] + ".onnx"
        model = next((f"{m}/{name}" for m in MODELS if os.path.exists(f"{m}/{name}")), None)
        engine = next(f"{folder}/{e}" for e in ("opt.onnx", "ctx.onnx") if os.path.exists(f"{folder}/{e}"))
        check(case, "there is its model", model)
        of_case, in_bodies = check_case(case, model, engine, profile)
        events += of_case
        inside += in_bodies
    print(f"{len(profiles)} profiles, {events} kernel events joined, {inside} of them within a layer's body, "
          f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
