#!/usr/bin/python3
"""What the readers make of a real dump, against the same dump with something left out.

    check_readers.py BINARY SHARED

Exit status 77 when SHARED is absent.
"""
import json
import os
import sys
import tempfile

from harness import CORPUS, check, failures, pairs, start

UNTOLD = "N/A due to dynamic shapes"


def report(case, *args):
    done = start(*args, "-f", "json")
    check(case, "exit status", done.returncode in (0, 1), f"{done.returncode} {done.stderr}")
    return json.loads(done.stdout or "{}")


def check_untold_types(folder):
    """Without the types of tensors a layer's precision is the same, or unknown; for what has weights it is known."""
    known = 0
    for case, model, engine in pairs():
        with open(engine, encoding="utf-8") as file:
            dump = json.load(file)
        layers = [layer for layer in dump["Layers"] if isinstance(layer, dict)]
        if not any("Format/Datatype" in t for layer in layers for t in layer.get("Outputs", [])):
            continue
        for layer in layers:
            for tensor in layer.get("Inputs", []) + layer.get("Outputs", []):
                tensor["Format/Datatype"] = UNTOLD
        path = os.path.join(folder, "untold.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dump, file)
        before, now = report(case, model, engine)["layers"], report(case, model, path)["layers"]
        for old, new, layer in zip(before, now, dump["Layers"]):
            if "Weights" in layer and new["kind"] == "compute":
                check(case, f"precision of layer {new['index']}", new["precision"] == old["precision"],
                      f"{new['precision']}, with types {old['precision']}: {layer.get('TacticName')}")
                known += 1
            else:
                check(case, f"no other precision for layer {new['index']}",
                      new["precision"] in (old["precision"], "unknown"), new["precision"])
    check("untold types", "layers with weights were checked", known > 100, known)


def check_log_without_parser_lines():
    """Its engine's own names state the nodes, as those of a JSON dump do."""
    case = "centernet-resnet34-qat-trt8.0"
    found = report(case, os.path.join(CORPUS, case, "build.log"))
    computing = [layer for layer in found["layers"] if layer["kind"] in ("compute", "foreign")]
    named = {node["name"] for node in found["nodes"]}
    check(case, "every computing layer has nodes", all(layer["nodes"] for layer in computing), len(computing))
    check(case, "no node bears the builder's ending", not any("_scale_node" in name for name in named))
    doubts = [f["message"] for f in found["findings"] if f["rule"].startswith("mapping/") and f["severity"] != "info"]
    check(case, "no doubts about the map", not doubts, doubts[:3])


def main():
    if not os.path.isdir(CORPUS):
        print("skipped: no corpus")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_untold_types(folder)
    check_log_without_parser_lines()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
