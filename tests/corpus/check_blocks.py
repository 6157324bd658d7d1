#!/usr/bin/python3
"""Engines in real logs are read whole.

    check_blocks.py BINARY SHARED

Takes the lines of each engine block, and of the inspector's text, apart with regular
expressions of its own and compares layers, types, tensors, element types and dimensions
with what the binary dumps.  Exit status 77 when SHARED is absent.
"""
import os
import re
import subprocess
import sys

BINARY, SHARED = sys.argv[1:3]
CORPUS = os.path.join(SHARED, "corpus")
TYPES = {"Float": "fp32", "Half": "fp16", "Int8": "int8", "Int32": "int32", "Int64": "int64",
         "Bool": "bool", "FP8": "fp8"}
OLD = re.compile(r"(.+?)\[(\w+)\(([-\d,:]*)\)\](?:, |$)")
NEW = re.compile(r"(.+?) \((\w+)\[([-\d,:]*)\]\)(?:, |$)")
TEXT = re.compile(r"\{ Name: (.+?)(?:, Location: \w+)?, Dimensions: \[([-\d,]*)\], "
                  r"Format/Datatype: (.+?) \}")
# How many lines of which form each case has, counted by hand with grep -c.
BLOCKS = {"centernet-resnet34-qat-trt8.0": 54, "mobilenetv2-fpn-int8-trt8.5": 48,
          "mnist-trt8.0": 10, "mnist-trt8.6": 15, "mnist-trt10.16": 6, "tensorrt-rtx": 1,
          "fp8-dynamic-quantize-trt10": 2, "centerpoint-rpn-trt8.2": 94}
failures = []


def shown(dims):
    """Dimensions as the dump writes them."""
    sizes = [d.split(":")[0] for d in dims.split(",")] if dims else []
    return "[" + ",".join("?" if d.startswith("-") else d for d in sizes) + "]"


def block_layers(lines):
    for line in lines:
        match = re.match(r"Layer\((\w+)\): (.*), Tactic: (?:0x[0-9a-f]+|-?\d+), (.*)$", line)
        if not match:
            continue
        kind, name, tensors = match.groups()
        form = NEW if re.search(r" \(\w+\[[-\d,:]*\]\)$", line) else OLD
        # The arrow is the one that stands behind a tensor, or at the start.
        left, right = re.match(r"(.*(?:\]|\))|) -> (.*)$", tensors).groups()
        yield kind, name, *([(n, TYPES[t], shown(d)) for n, t, d in form.findall(side)]
                            for side in (left, right))


def text_layers(lines):
    for line in lines:
        match = re.match(r"Name: (.*?), LayerType: (\w+), Inputs: \[(.*?)\], Outputs: \[(.*?)\](?:, |$)",
                         re.sub(r"\[ ?\{", "[{", re.sub(r"\}\]", "}]", line)))
        if not match:
            continue
        head, outputs = line.split("], Outputs: [", 1)
        inputs = head.split(", Inputs: [", 1)[1]
        outputs = outputs.split("}]", 1)[0] + "}" if "}]" in outputs else ""
        if line.split("], Outputs: [", 1)[1].startswith("]"):
            outputs = ""
        sides = ([(n, None, shown(d)) for n, d, _ in TEXT.findall(side)]
                 for side in (inputs, outputs))
        yield match.group(2), match.group(1), *sides


def dumped(*args):
    done = subprocess.run([BINARY, *args], capture_output=True, check=False)
    text = done.stdout.decode("utf-8")
    layers = []
    for line in text.split("\n"):
        match = re.match(r"node \d+ (\w*) (.*)$", line)
        if match:
            layers.append((match.group(1), match.group(2), [], []))
        match = re.match(r"  (in|out) (.*) (\w+)(?: \w+)? (\[.*\]|\?)$", line)
        if match and layers:
            layers[-1][2 if match.group(1) == "in" else 3].append(match.groups()[1:])
    return done.returncode, layers, text


def same(a, b):
    """Both sides say the same; a layout behind the type belongs to neither name."""
    if a[0] != b[0] or a[1] != b[1]:
        return False
    for mine, theirs in ((a[2], b[2]), (a[3], b[3])):
        if len(mine) != len(theirs):
            return False
        for (n, t, d), (name, kind, dims) in zip(mine, theirs):
            if d != dims or not (name == n or name.startswith(n + " ")):
                return False
            if t and t not in (kind, name[len(n):].strip()):
                return False
    return True


def check(case, path, expected, layers):
    status, found, text = dumped("--dump", "engine", path)
    if status != 0:
        failures.append(f"{case}: exit status {status}")
        return
    if len(layers) != expected or len(found) != expected:
        failures.append(f"{case}: {expected} layers, read here {len(layers)}, dumped {len(found)}")
    for i, (a, b) in enumerate(zip(layers, found)):
        if not same(a, b):
            failures.append(f"{case}: layer {i}: {a} and {b}")
    for word in ("input/cut-line", "input/odd-lines"):
        if word in text:
            failures.append(f"{case}: {word}")


def main():
    if not os.path.isdir(CORPUS):
        print("skipped: no " + CORPUS)
        return 77
    for case, expected in BLOCKS.items():
        folder = os.path.join(CORPUS, case)
        if not os.path.isdir(folder):
            failures.append(f"{case} is absent")
            continue
        path = next(os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(".log"))
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            lines = [line.rstrip("\r") for line in file.read().split("\n")]
        layers = list(text_layers(lines)) or list(block_layers(lines))
        check(case, path, expected, layers)
    path = os.path.join(CORPUS, "inspector-text-trt10.16", "inspector.txt")
    with open(path, encoding="utf-8", newline="\n") as file:
        check("inspector-text-trt10.16", path, 12, list(text_layers(file.read().split("\n"))))
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(BLOCKS) + 1} engines, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
