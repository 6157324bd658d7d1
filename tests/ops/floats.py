#!/usr/bin/python3
"""src/model/ops/floats.inc, which operands of an operator may be FP16 or BF16, against onnx's own schemas.

    floats.py FLOATS_INC [--update]

A row has the first opset that takes FP16 and the first that takes BF16, a mask of the inputs that then have that type
and of the outputs that follow them.  What a row says has to hold of each version of the operator that the installed
onnx knows; one that knows the opset of the rows would write the same ones.  Exit status 77 when it is absent.
"""
import re
import sys

try:
    from onnx import defs
except ImportError:
    print("python3-onnx is absent")
    sys.exit(77)

NEWEST = 28
NEVER = 255
FLOAT, HALF, BRAIN = "tensor(float)", "tensor(float16)", "tensor(bfloat16)"
# Their output's type does not follow from a float input, is an attribute's, or they hold graphs.
FIXED = {"BitCast", "Bernoulli", "Cast", "CastLike", "DequantizeLinear", "EyeLike", "If", "Loop", "MelWeightMatrix", "Multinomial",
         "QLinearMatMul", "QuantizeLinear", "RandomNormalLike", "RandomUniformLike", "Scan"}
# Inputs that keep their type: counts in OneHot, a ratio in Dropout, regions in Resize, repeats in old Tiles.
ONLY = {"OneHot": 4, "Dropout": 1, "Resize": 1, "Tile": 1, "Split": 1}


ERRATA = {"GridSample"}     # its output is of a type of its own in onnx before 1.13


def word_of(parameter):
    return parameter.type_str if hasattr(parameter, "type_str") else parameter.typeStr    # before onnx 1.13


def allowed(schema, word):
    return next((set(c.allowed_type_strs) for c in schema.type_constraints if c.type_param_str == word), {word})


def masks(schema, word):
    """(inputs, outputs, whether all float outputs but statistics follow)"""
    inputs = 0
    for i, p in enumerate(schema.inputs):
        if {FLOAT, word} <= allowed(schema, word_of(p)):
            inputs |= 0xffffffff << i & 0xffffffff if "Variadic" in str(p.option) else 1 << i
    inputs &= ONLY.get(schema.name, 0xffffffff)
    words = {word_of(p) for i, p in enumerate(schema.inputs) if inputs >> i & 1}
    outputs = sum(1 << i for i, p in enumerate(schema.outputs) if word_of(p) in words)
    if schema.outputs and "Variadic" in str(schema.outputs[-1].option) and outputs:
        outputs = 0xffffffff
    return inputs, outputs


def rows():
    history = {}
    for s in defs.get_all_schemas_with_history():
        if not s.domain and s.name not in FIXED and not any(
                "seq(" in t and s.name != "Identity" for p in list(s.inputs) + list(s.outputs) for t in allowed(s, word_of(p))):
            history.setdefault(s.name, []).append(s)
    for name in sorted(history):
        versions = sorted(history[name], key=lambda s: s.since_version)
        # Since FP16 came, operands were only added, at the end: the newest masks hold for all.
        inputs, outputs = masks(versions[-1], HALF)
        if not inputs or (not outputs and any(FLOAT in allowed(versions[-1], word_of(p)) for p in versions[-1].outputs)):
            continue

        def since(word):
            good = [s.since_version for s in versions if masks(s, word)[0]
                    and masks(s, word)[0] == masks(s, HALF)[0]]
            return min(good, default=NEVER)
        yield f"FLOATS({name}, {since(HALF)}, {since(BRAIN)}, {inputs:#x}, {outputs:#x})"


def width(schema):
    """A mask of the inputs that this version has."""
    last = schema.inputs[-1] if schema.inputs else None
    return 0xffffffff if last and "Variadic" in str(last.option) else (1 << len(schema.inputs)) - 1


def false_claims(text):
    """Rows that some version of their operator does not bear out."""
    claims = {name: [int(n, 0) for n in rest] for name, *rest in
              re.findall(r"^FLOATS\((\w+), (\d+), (\d+), (\w+), (\w+)\)$", text, re.M)}
    for s in defs.get_all_schemas_with_history():
        half, brain, inputs, outputs = claims.get(s.name, (NEVER, NEVER, 0, 0)) if not s.domain else (NEVER, NEVER, 0, 0)
        for since, word in ((half, HALF), (brain, BRAIN)):
            if s.since_version < since:
                continue
            found = masks(s, word)
            if found[0] != inputs & width(s) or \
                    ((found[1] ^ outputs) & 1 and s.name not in ERRATA):    # other outputs are of training
                yield f"{s.name} of opset {s.since_version}, {word}: {found[0]:#x}, {found[1]:#x}"


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    false = list(false_claims(text))
    if false and "--update" not in sys.argv:
        print("\n".join(false))
        return 1
    if defs.onnx_opset_version() < NEWEST:
        return 0
    head = text[:text.index("*/") + 3]
    shown = head + "".join(f"{row}\n" for row in rows())
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as f:
            f.write(shown)
    elif shown != text:
        print("\n".join(sorted(set(shown.splitlines()) ^ set(text.splitlines()))))
        return 1
    return 0


sys.exit(main())
