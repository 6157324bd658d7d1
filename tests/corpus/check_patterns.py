#!/usr/bin/python3
"""Patterns in real models, and how many of their blocks real engines compute whole.

    check_patterns.py BINARY SHARED

How many there are follows from the architecture: an encoder of twelve layers has twelve
attentions, two norms a layer and one more, one activation a layer, two residuals a layer.
What is whole was read in the engines' own Metadata.
"""
import os
import re
import sys
import tempfile

from harness import SHARED, check, failures, start

if not os.path.isdir(os.path.join(SHARED, "zoo")):
    print("skipped: no real engines in", SHARED)
    sys.exit(77)

# case: {pattern: (blocks, of these whole or fused elsewhere)}
CASES = {
    "zoo/cases/bert12_dynamo": {"attention": (12, 0), "qkv": (12, 12), "layernorm": (25, 24),
                                "gelu": (12, 12), "residual": (24, 24)},
    "zoo/cases/llama4_dynamo": {"attention": (4, 0), "qkv": (4, 4), "rmsnorm": (9, 9),
                                "swiglu": (4, 4), "residual": (8, 8)},
    "zoo/cases/vit_bf16": {"attention": (3, 3), "qkv": (3, 3), "layernorm": (7, 6),
                           "gelu": (3, 3), "residual": (6, 6)},
    "zoo/cases/swin_t_ts": {"attention": (12, 0), "qkv": (12, 12), "layernorm": (29, 18),
                            "gelu": (12, 12)},
    "zoo/cases/opset23_attention": {"attention": (2, 2), "qkv": (2, 2), "rmsnorm": (4, 4),
                                    "swiglu": (2, 2), "residual": (4, 3)},
    "zoo/cases/transformer_int8_qdq": {"attention": (2, 2), "layernorm": (5, 4),
                                       "gelu": (2, 2), "residual": (4, 4)},
    "corpus/resnet18-qat-residual-trt8.4": {"conv-bn-act": (20, 20), "residual": (8, 8)},
    "corpus/resnet18-fp16-trt8.4": {"conv-bn-act": (9, 9), "residual": (8, 8)},
    "corpus/centernet-resnet34-qat-trt8.0": {"residual": (16, 16)},
}


def findings(policy, *pair):
    with tempfile.NamedTemporaryFile("w", suffix=".ini", encoding="utf-8") as file:
        file.write(policy)
        file.flush()
        done = start("check", "--policy", file.name, *pair, "--all")
    check(pair[0], "can be checked", done.returncode <= 1, done.stderr)
    return re.findall(r"^error +expect +(.*)", done.stdout, re.M)


for case, patterns in CASES.items():
    folder = os.path.join(SHARED, case)
    engine = next(os.path.join(folder, name) for name in (
        "engine.graph.json", "build.log", "build.log.xz") if os.path.exists(
            os.path.join(folder, name)))
    for pattern, (blocks, whole) in patterns.items():
        pair = os.path.join(folder, "model.onnx"), engine
        few = findings(f"[expect {pattern}]\nfused = any\nmin = {blocks + 1}\n", *pair)
        split = findings(f"[expect {pattern}]\nmin = {blocks}\n", *pair)
        found = re.match(r"the model has (\d+) ", few[0]) if len(few) == 1 else None
        got = int(found[1]) if found else None
        check(case, pattern, (got, blocks - len(split)) == (blocks, whole),
              f"{got} blocks, {blocks - len(split)} whole; expected {blocks}, {whole}")
sys.exit(1 if failures else 0)
