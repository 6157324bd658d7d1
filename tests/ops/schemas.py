#!/usr/bin/python3
"""The table of operators against onnx's own schemas.

    schemas.py TABLE        what tests/ops/table.c was built as

Every operator that the installed onnx ever had has a row, and no row of its domains is
unknown to it but those of later opsets, which stand below.  What a
row says fits the operator: its shape operands are inputs of whole numbers, or for the
few that are not this is said here; it states a type and a shape unless the operator gives
no tensor.  Exit status 77 when python3-onnx is absent.
"""
import os
import re
import subprocess
import sys

try:
    from onnx import defs
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

# Since which opset; those that the installed onnx should know are looked up.
LATER = {
    "BitwiseAnd": 18, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18, "CenterCropPad": 18,
    "Col2Im": 18, "GroupNormalization": 18, "Mish": 18, "DeformConv": 19, "AffineGrid": 20,
    "Gelu": 20, "ImageDecoder": 20, "RegexFullMatch": 20, "StringConcat": 20, "StringSplit": 20,
    "Attention": 23, "RMSNormalization": 23, "RotaryEmbedding": 23, "Swish": 24,
    "TensorScatter": 24, "BitCast": 26, "CumProd": 26, "CausalConvWithState": 27,
    "LinearAttention": 27, "SwiGLU": 28,
    # Other domains: the release of onnx counts that first had them, by its newest opset.
    "ai.onnx.ml.TreeEnsemble": 22, "ai.onnx.preview.FlexAttention": 26,
}
# By the bit of a row.
DOMAINS = {0: "", 3: "ai.onnx.ml", 4: "ai.onnx.preview.training", 5: "ai.onnx.preview"}
# What was an attribute is an input since that opset.
LATER_INPUT = {**dict.fromkeys(["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
                                "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
                                "ReduceSumSquare", "Pad"], 18), "DFT": 20}
# Exporters leave what only TensorRT's parser knows in the default domain.
TENSORRT = {"DistCollective", "TRT_Attention", "TRT_KVCacheUpdate", "TRT_MoE",
            "TRT_FP4DynamicQuantize", "TRT_FP8DequantizeLinear", "TRT_FP8QuantizeLinear", "TRT_INT4DequantizeLinear",
            "TRT_INT4QuantizeLinear", "TRT_MXFP8DequantizeLinear", "TRT_MXFP8DynamicQuantize"}
# Operands that decide shapes without being whole numbers.
NOT_WHOLE = {"Compress": {1}, "NonZero": {0}, "Unique": {0}, "StringNormalizer": {0},
             "Resize": {1, 2}, "Upsample": {1}, "OneHot": {1}, "Range": {0, 1, 2},
             "NonMaxSuppression": {0, 1, 3, 4}, "Pad": {3}, "Slice": {3, 4}, "ImageDecoder": {0},
             "StringSplit": {0}}
# The type follows from the input's in a way that no row has.
NO_TYPE = {"ai.onnx.ml.CategoryMapper"}
WHOLE = {"tensor(int64)", "tensor(int32)"}

latest, ever = {}, {}
for schema in defs.get_all_schemas_with_history():
    name = f"{schema.domain}.{schema.name}".lstrip(".")
    ever.setdefault(name, []).append(schema)
    if name not in latest or schema.since_version > latest[name].since_version:
        latest[name] = schema

rows = {}
for line in subprocess.run([sys.argv[1]], check=True, capture_output=True,
                           text=True).stdout.splitlines():
    name, domains, operands, *words = line.split()
    for bit, domain in DOMAINS.items():
        if int(domains) >> bit & 1:
            rows[f"{domain}.{name}".lstrip(".")] = (int(operands), set(words))

failures = []


def check(good, text):
    if not good:
        failures.append(text)


known = defs.onnx_opset_version()
for name in sorted(set(ever) - set(rows)):
    failures.append(f"{name}: onnx {known} has it, the table does not")
for name in sorted(set(rows) - set(ever) - TENSORRT):
    check(LATER.get(name, 0) > known, f"{name}: the table has it, onnx {known} does not")
for name, since in LATER.items():
    check(name in rows, f"{name}: of opset {since}, the table does not have it")

for name, (operands, words) in sorted(rows.items()):
    if name not in latest:
        continue
    inputs = max(ever[name], key=lambda s: len(s.inputs)).inputs
    variadic = any(str(i.option).endswith("Variadic") for i in inputs)
    for k in range(32):
        if not operands >> k & 1:
            continue
        check((k < len(inputs) and not variadic) or LATER_INPUT.get(name, 0) > known,
              f"{name}: it has no input {k}")
        if k < len(inputs) and k not in NOT_WHOLE.get(name, ()):
            check(any(k < len(s.inputs) and set(s.inputs[k].types) & WHOLE
                      for s in ever[name]), f"{name}: input {k} is no list of sizes")
    outputs = latest[name].outputs
    lists = any(t.startswith(("seq", "optional", "map")) for o in list(outputs) + list(inputs)
                for t in set(o.types))
    tensor = any(t.startswith("tensor") for t in set(outputs[0].types))
    if "control" in words:
        check(any("graph" in str(a.type).lower() for a in latest[name].attributes.values()),
              f"{name}: it has no graph")
    elif "constant" not in words and tensor and "lists" not in words:
        check("type" in words or name in NO_TYPE, f"{name}: its type is not stated")
        check("shape" in words, f"{name}: its shape is not stated")
    check("lists" not in words or lists, f"{name}: it has no list")
    check(tensor or words & {"lists", "control"}, f"{name}: it gives a list")
    several = len(outputs) > 1 or str(outputs[0].option).endswith("Variadic")
    check(several or not words & {"types", "outputs"}, f"{name}: it has one output")
    commute = len(inputs) > 1 and set(inputs[0].types) == set(
        inputs[1].types)
    check("bare" not in words or not latest[name].attributes, f"{name}: it has attributes")
    check("symmetric" not in words or commute or variadic, f"{name}: its inputs differ")

# What an attribute is where it is left out: src/model/ops/defaults.c.
def default_of(attribute):
    value = attribute.default_value
    kind = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints"}.get(value.type)
    if not kind:
        return None
    one = [getattr(value, kind)] if kind in ("f", "i", "s") else list(getattr(value, kind))
    return "x".join(v.decode() if isinstance(v, bytes) else f"{v:.7g}" if isinstance(v, float) else str(v) for v in one)


defaults = {}
with open(os.path.join(os.path.dirname(__file__), "../../src/model/ops/defaults.c"), encoding="utf-8") as source:
    for op, name, value, since in re.findall(r'\{"(\w+)", "(\w+)=([^"]*)", (\d+)\}', source.read()):
        defaults.setdefault((op, name), []).append((int(since), value))
for op, schemas in ever.items():
    for schema in schemas:
        for name, attribute in schema.attributes.items():
            shown = [v for since, v in defaults.get((op, name), ()) if since <= schema.since_version]
            want = default_of(attribute)
            check(not schema.domain and (shown[-1] if shown else None) == (want or None) or schema.domain,
                  f"{op} {schema.since_version}: {name} left out is {want}, here {shown[-1:]}")

print("\n".join(failures) or f"{len(rows)} rows, {len(ever)} operators of opset {known}")
sys.exit(bool(failures))
