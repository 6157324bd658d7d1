#!/usr/bin/env python3
"""table.py BINARY FIXTURES PAGE [--update]: the table of forms that PAGE keeps, of what is read of one file of each.

No cell is written by hand: each is what the JSON report of that file states.  An engine is read once more from standard
input, and must not show less there: a log is read in one pass."""
import json
import pathlib
import subprocess
import sys

# Tool and version that writes the form, the form, the file or files.
FORMS = [
    ("trtexec 8.0, 8.1", "verbose build log", ["log/old-syntax.log"]),
    ("trtexec 8.2 to 8.4", "`--exportLayerInfo`, JSON", ["engine/trt8.2.json"]),
    ("trtexec 8.5, 8.6", "`--exportLayerInfo`, JSON", ["engine/trt8.6.json"]),
    ("trtexec 10", "`--exportLayerInfo`, JSON", ["engine/trt10.json"]),
    ("trtexec 11", "`--exportLayerInfo`, JSON", ["engine/trt11.json"]),
    ("trtexec 8.2 to 11", "`--exportLayerInfo` without `--profilingVerbosity=detailed`", ["engine/names-only.json"]),
    ("trtexec 8.5 to 10", "verbose build log", ["log/new-syntax.log"]),
    ("trtexec 8.2 to 10", "`--dumpLayerInfo`, the inspector's text", ["log/inspector.log"]),
    ("trtexec up to 10", "log of severity INFO, `[GpuLayer]` and `[DlaLayer]`", ["forms/dla.log"]),
    ("trtexec 8.0", "`--dumpProfile`, the table alone", ["forms/table-8.0.log"]),
    ("trtexec 8.6 and later", "`--dumpProfile`, the table alone", ["forms/table-8.6.log"]),
    ("trtexec 8.5 to 10", "verbose build log with the table of `--dumpProfile`", ["forms/both.log"]),
    ("trtexec", "`--exportProfile`, JSON, alone", ["qat_block/profile.json"]),
    ("trtexec", "`--exportProfile`, JSON, beside the layers", ["qat_block/engine.graph.json", "--profile",
                                                             "qat_block/profile.json"]),
    ("TensorRT for RTX", "verbose build log", ["rtx/functions.log"]),
    ("a program of your own", "verbose build log with a line `layer X - ms` for each layer", ["forms/both-printed.log"]),
    ("a program of your own", "lines `layer X - ms` beside the layers", ["forms/engine.json", "--profile", "forms/runs.txt"]),
    ("TensorRT's samples", "lines `X  0.054ms` beside the layers", ["forms/engine.json", "--profile", "forms/printed.txt"]),
    ("TensorRT's samples", "the table of SimpleProfiler beside the layers", ["forms/engine.json", "--profile",
                                                                           "forms/simple.txt"]),
    ("Polygraphy", "`inspect model --show layers attrs`", ["forms/inspected.txt"]),
    ("Polygraphy", "the same of several optimization profiles", ["forms/profiles.txt"]),
    ("Torch-TensorRT", "trace of its profiler beside the layers", ["qat_block/engine.graph.json", "--profile",
                                                                 "profiles/trace.json"]),
    ("Torch-TensorRT", "what a dry run prints", ["forms/dryrun.txt"]),
    ("trtexec, DLA", "log with the list of devices beside the layers", ["forms/engine.json", "--log", "forms/devices.log"]),
    ("trt-engine-explorer", "`metadata.json` beside the layers", ["forms/engine.json", "--log", "forms/metadata.json"]),
    ("ONNX Runtime", "optimized model", ["ort/optimized.onnx"]),
    ("ONNX Runtime", "profile beside the optimized model", ["ort/branches_optimized.onnx", "--profile", "ort/branches_profile.json"]),
]

HEAD = """# Forms of files

What this program reads of one file of each form, by tool and version.  `tests/forms/table.py` reads the files and writes this
table; a number is of layers, "-" means that a file of this form states nothing of the kind.  [Getting started](../start.md)
says how to get each.

| written by | form | layers | with nodes' names | with a type of layer | with a precision | with tensors | with times | with a device | facts of the build |
|---|---|---|---|---|---|---|---|---|---|
"""


def report(binary, fixtures, words, first=None):
    """The report as data; `first` is what stands in place of the engine."""
    paths = [word if word.startswith("--") else str(fixtures / word) for word in words]
    stdin = None
    if first:
        stdin, paths[0] = open(paths[0], "rb"), first
    run = subprocess.run([binary, *paths, "-f", "json", "--fail-on=error"], stdin=stdin, capture_output=True, check=False)
    if run.returncode == 2:
        sys.exit(f"{words}: {run.stderr.decode()}")
    return json.loads(run.stdout)


def cells(data):
    layers = data["layers"]

    def of(has):
        n = sum(1 for layer in layers if has(layer))
        return "all" if n == len(layers) else str(n) if n else "-"

    return [str(len(layers)), of(lambda x: x["nodes"]), of(lambda x: x.get("type")),
            of(lambda x: x.get("precision", "unknown") != "unknown"), of(lambda x: x.get("inputs") or x.get("outputs")),
            of(lambda x: "ms" in x), of(lambda x: "ran_by" in x), str(len(data["engine"].get("built", {})) or "-")]


def main():
    binary, fixtures, page = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text, failures = HEAD, 0
    for tool, form, words in FORMS:
        found = cells(report(binary, fixtures, words))
        text += f"| {tool} | {form} | {' | '.join(found)} |\n"
        if found[0] == "0":
            failures += 1
            print(f"FAILED {words}: no layer was read")
        if not words[0].endswith(".onnx") and (piped := cells(report(binary, fixtures, words, "-"))) != found:
            failures += 1
            print(f"FAILED {words}: {piped} from standard input, {found} of the file")
    if sys.argv[4:] == ["--update"]:
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        failures += 1
        print(f"FAILED {page} is not what is read now: table.py BINARY FIXTURES PAGE --update, then read it")
    print(f"{len(FORMS)} forms, {failures} faults")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
