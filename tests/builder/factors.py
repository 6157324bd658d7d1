#!/usr/bin/python3
"""Attentions that differ in one factor each: what the binary foretells, and what the builder makes of them.

    factors.py BINARY [--shared DIR] [--only REGEX] [--table] [--sample N] [--no-build] [-v]

Runs in a python with onnx and TensorRT for RTX (tests/README.md).  Of each row a model is drawn; `lint` says before the
build whether its attention will be one kernel (rule fusion/attention); then it is built, and the builder's own Metadata
says whether one kernel holds both products and the Softmax.  With DIR/builder/attention_factors.tsv there, the rows that
it has are compared with what it says, too; --table takes these alone.  Fails on any difference."""
import argparse
import collections
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import onnx

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attention import UNARY, attention, operator  # noqa: E402

ALL = ("SM75", "SM80", "SM86", "SM89", "SM120")


class Row:
    def __init__(self, name, draw=attention, capabilities=("SM89",), environment=None, level=None, **factors):
        self.name, self.draw, self.factors = name, draw, factors
        self.options = {"capabilities": capabilities, "environment": environment, "level": level}


def sizes():
    for d in (4, 6, 7, *range(8, 17), 17, 18, 20, 24, 32, 33, 34, 36, 40, 44, 48, 56, 64, 72, 80, 88, 96, 100, 112, 120, 128,
              136, 144, 160, 192, 200, 224, 250, 252, 255, 256, 257, 260, 264, 288, 320, 384, 512):
        yield Row(f"head={d}", D=d)
    for d in (8, 12, 16, 24, 48, 64, 128, 160, 256):
        yield Row(f"bf16 head={d}", D=d, dtype="bf16")
    for d, e in ((16, 32), (32, 64), (64, 32), (64, 128), (192, 128)):
        yield Row(f"head qk={d} v={e}", D=d, Dv=e)
    for d, e in ((16, 32), (32, 16), (24, 32)):
        yield Row(f"qk={d} v={e} bf16", D=d, Dv=e, dtype="bf16")
    for d, s in ((3136, 32), (784, 32), (196, 32), (512, 64), (320, 64)):
        yield Row(f"head={d} seq={s}", D=d, S=s)
    for s in (1, 2, 7, 16, 33, 49, 77, 197, 256, 512, 1024, 2048, 4096, 8192):
        yield Row(f"seq={s}", S=s)
    for a, b in ((1, 64), (64, 77), (256, 77), (8, 512), (3, 8)):
        yield Row(f"seq q={a} kv={b}", S=a, Skv=b)
    for b in (2, 8, 64):
        yield Row(f"batch={b}", B=b)
    for b, h in ((2, 1), (8, 1), (1, 2)):
        yield Row(f"batch={b} heads={h}", B=b, H=h)
    for h in (1, 2, 3, 12):
        yield Row(f"heads={h}", H=h)
    yield Row("heads=1 dyn batch", H=1, dyn="batch")


def forms():
    yield Row("base")
    for dtype in ("bf16", "fp32"):
        yield Row(f"dtype={dtype}", dtype=dtype)
    for m in ("add_const", "add_in", "add_in_row", "bias_const", "bias_in", "where_const", "where_in", "mul_in", "two_adds",
              "window", "clip"):
        yield Row(f"mask={m}", mask=m)
    for m in ("add_in", "bias_const", "where_in"):
        yield Row(f"mask={m} fp32 softmax", mask=m, casts="softmax32")
    yield Row("softmax32 mask32 fp16", mask="add_in", casts="softmax32")
    for s in ("div_after", "mul_q", "mul_k", "both", "none", "runtime", "mul_input"):
        yield Row(f"scale={s}", scale=s)
    for a in (3, 2, 1):
        yield Row(f"softmax axis={a}", axis=a)
    for o in (9, 11, 12, 13, 17, 18, 21, 22, 23):
        yield Row(f"opset={o} axis 3", opset=o, axis=3)
    yield Row("kT direct", kT="direct")
    yield Row("layout bhsd inputs", layout="bhsd")
    yield Row("layout 3d", layout="3d")
    yield Row("einsum", form="einsum")
    yield Row("softmax decomposed", form="decomp")
    yield Row("casts softmax fp32", casts="softmax32")
    yield Row("casts softmax fp32 bf16", casts="softmax32", dtype="bf16")
    for d in ("seq", "batch", "both"):
        yield Row(f"dyn={d}", dyn=d)
        yield Row(f"dyn={d} mask", dyn=d, mask="add_in_row")
    for m in ("softcap", "identity", "reshape", "mul1", "where_after"):
        yield Row(f"between={m}", mid=m)
    for e in ("weights", "scores"):
        yield Row(f"extra={e}", extra=e)
    yield Row("gqa 4/2", Hkv=2)
    yield Row("gqa 8/2", H=8, Hkv=2)
    yield Row("mqa broadcast", Hkv=1)
    yield Row("mqa 1 of 8", H=8, Hkv=1)
    yield Row("rope", rope=True)
    yield Row("rope gqa mask softmax32", rope=True, Hkv=2, mask="add_in", casts="softmax32")
    yield Row("projections", proj=True)
    for name, factors in (("head=16", {"D": 16}), ("head=64", {"D": 64}), ("head=128", {"D": 128}),
                          ("bhsd", {"layout": "bhsd"}), ("mask", {"mask": "add_in"}), ("seq=512", {"S": 512}),
                          ("no scale", {"scale": "none"}), ("seq=16 head=16", {"S": 16, "D": 16})):
        yield Row(f"fp32 {name}", dtype="fp32", **factors)


def quantized():
    for q in ("qk", "p", "all"):
        yield Row(f"qdq={q}", qdq=q)
    for d in (8, 16, 32, 48, 64, 80, 96, 128):
        yield Row(f"qdq=all head={d}", qdq="all", D=d)
    for s in (512, 513, 640, 1024):
        yield Row(f"qdq=all seq={s}", qdq="all", S=s)
    yield Row("qdq=all fp32", qdq="all", dtype="fp32")
    yield Row("qdq=qk fp32", qdq="qk", dtype="fp32")


def builders():
    for targets in (*((cc,) for cc in ALL), ALL):
        for name, factors in (("", {}), (" head=128", {"D": 128}), (" head=256", {"D": 256}), (" fp32", {"dtype": "fp32"}),
                              (" seq=1024", {"S": 1024}), (" qdq=all", {"qdq": "all"})):
            yield Row(",".join(targets) + name, capabilities=targets, **factors)
    for cc in ("SM75", "SM80", "SM86", "SM120"):
        for name, factors in (("head=8", {"D": 8}), ("head=12", {"D": 12}), ("head=16", {"D": 16}), ("head=264", {"D": 264}),
                              ("qk=16 v=32", {"D": 16, "Dv": 32}), ("heads=1", {"H": 1}),
                              ("qdq=all head=96", {"qdq": "all", "D": 96}), ("softcap", {"mid": "softcap"})):
            yield Row(f"{cc} {name}", capabilities=(cc,), **factors)
    for switch in ("-copy_ppg=off", "-peep:transpose_elim=off", "-peep:max=1"):
        yield Row(f"knob {switch}", environment={"__LUNOWUD": switch})
    for switch in ("-peep:fc_h_fusion=off", "-copy_ppg=off", "-reshape_ppg=off"):
        yield Row(f"mqa broadcast {switch}", Hkv=1, environment={"__LUNOWUD": switch})
    for level in (0, 1, 2, 5):
        yield Row(f"opt={level}", level=level)


def operators():
    for factors in ({}, {"dtype": "bf16"}, {"dtype": "fp32"}, {"mask": "add"}, {"mask": "bool"}, {"causal": 1},
                    {"softcap": 30.0}, {"Hkv": 2}, {"D": 160}, {"D": 320}, {"opset": 24}):
        yield Row("Attention op " + (" ".join(f"{k}={v}" for k, v in factors.items()) or "fp16"), operator, **factors)


def more():
    """Beyond the table: what is between scores and Softmax, and 8-bit attentions of other sizes."""
    for kind in (*UNARY, "Min", "Pow", "Div", "Sub", "Clip"):
        yield Row(f"between={kind}", mid=kind)
    for dtype in ("fp16", "bf16", "fp32"):
        for d in (4, 8, 12, 16, 32, 64, 96, 128, 160, 256, 264):
            yield Row(f"fp8 {dtype} head={d}", qdq="all", eight="fp8", dtype=dtype, D=d)
    for d in (16, 32, 64, 128):
        for s in (2, 8, 16, 17, 24, 31, 32, 33, 513):
            yield Row(f"fp8 head={d} seq={s}", qdq="all", eight="fp8", D=d, S=s)
    for eight in ("fp8", "int8"):
        for q, k in ((20, 64), (64, 20), (1, 20), (1, 64), (2, 64), (64, 16), (64, 31), (31, 32), (32, 31), (64, 1), (64, 513),
                     (600, 64)):
            yield Row(f"{eight} q={q} kv={k}", qdq="all", eight=eight, S=q, Skv=k)
        for m in ("bias_in", "where_in", "add_in", "add_in_row", "two_adds", "bias_const", "mul_in"):
            yield Row(f"{eight} mask={m}", qdq="all", eight=eight, dtype="fp32", D=16, B=2, mask=m)
        for d in ("seq", "batch", "both"):
            yield Row(f"{eight} dyn={d}", qdq="all", eight=eight, dyn=d)
        for m in ("where_after", "mul_after", "half_after", "clip_after", "mul1"):
            yield Row(f"{eight} {m}", qdq="all", eight=eight, mid=m)
            yield Row(f"{eight} fp32 {m}", qdq="all", eight=eight, mid=m, dtype="fp32")
        yield Row(f"{eight} heads=1", qdq="all", eight=eight, H=1)
        yield Row(f"{eight} qk=16 v=32", qdq="all", eight=eight, D=16, Dv=32)
        yield Row(f"{eight} qk", qdq="qk", eight=eight)
        yield Row(f"{eight} p", qdq="p", eight=eight)


def places():
    """Another product of the queries, which the builder may merge with the first one."""
    for name, factors in (("", {}), (" bias", {"bias": True}), (" projected", {"proj": True}),
                          (" projected bias", {"proj": True, "bias": True})):
        for scale in ("mul_after", "mul_q", "mul_k", "both"):
            for dtype in ("fp16", "bf16"):
                yield Row(f"places 3d {dtype}{name} {scale}", places=True, layout="3d", dtype=dtype, scale=scale, **factors)
        for dtype in ("fp16", "bf16"):
            yield Row(f"places {dtype}{name}", places=True, dtype=dtype, **factors)
        yield Row(f"places 3d B=2{name}", places=True, layout="3d", B=2, D=48, S=40, **factors)
    for cc in ALL:
        yield Row(f"places 3d projected bias {cc}", places=True, layout="3d", proj=True, bias=True, capabilities=(cc,))


def behind():
    """What is done to the probabilities, and quantizers on some of the four operands."""
    for dtype in ("fp16", "bf16"):
        for m in ("where_after", "mul_after", "half_after", "clip_after", "mul1", "nan_after", "relu_after"):
            for d in (16, 32, 48, 64, 128):
                yield Row(f"{m} {dtype} head={d}", mid=m, dtype=dtype, D=d)
        for m in ({"mid": "where_after"}, {"qdq": "p"}):
            of = f"{dtype} {'p' if 'qdq' in m else 'where_after'}"
            for s, t in ((512, 512), (513, 513), (511, 512), (64, 77), (77, 64), (1, 64), (1, 600), (2, 2), (7, 7)):
                yield Row(f"{of} q={s} kv={t}", S=s, Skv=t, dtype=dtype, **m)
            for d in ("seq", "batch", "both"):
                yield Row(f"{of} dyn={d}", dyn=d, dtype=dtype, **m)
        for cc in ALL:
            yield Row(f"where_after {dtype} {cc}", mid="where_after", dtype=dtype, capabilities=(cc,))
    for eight in ("int8", "fp8"):
        for dtype in ("fp16", "bf16", "fp32"):
            for of in ("q", "k", "v", "p", "qk", "pv", "qkv", "qkp", "qp", "vq", "o", "vo", "qkpv", "qkpvo"):
                for d in (16, 32, 128):
                    yield Row(f"{eight} {dtype} on {of} head={d}", qdq=of, eight=eight, dtype=dtype, D=d)


def repeated():
    """Keys and values of one head, which the builder repeats in a batch if nothing is between the products."""
    for s in ("none", "mul_q", "mul_k", "both", "mul_after"):
        for b in (1, 2):
            yield Row(f"mqa B={b} {s}", Hkv=1, B=b, scale=s)
        for d in ("seq", "batch"):
            yield Row(f"mqa dyn={d} {s}", Hkv=1, dyn=d, scale=s)
    for eight in ("int8", "fp8"):
        for b in (1, 2):
            for s in ("none", "mul_after"):
                yield Row(f"mqa {eight} B={b} {s}", Hkv=1, B=b, scale=s, qdq="all", eight=eight)
    for m in ("add_in", "where_in", "bias_const", "mul_in"):
        yield Row(f"mqa B=2 {m}", Hkv=1, B=2, scale="none", mask=m)
    for name, factors in (("softmax32", {"casts": "softmax32"}), ("identity", {"mid": "identity"}), ("where_after", {"mid": "where_after"}),
                          ("head=64", {"D": 64}), ("heads=8", {"H": 8}), ("bhsd", {"layout": "bhsd"}), ("projections", {"proj": True}),
                          ("q=1", {"S": 1, "Skv": 64}), ("q=64 kv=77", {"Skv": 77}), ("bf16", {"dtype": "bf16"}),
                          ("reshape", {"mid": "reshape"})):
        for b in (1, 2):
            yield Row(f"mqa B={b} {name}", Hkv=1, B=b, **{"scale": "none", **factors})
    for cc in ("SM75", "SM80", "SM120"):
        yield Row(f"mqa B=2 {cc}", Hkv=1, B=2, scale="none", capabilities=(cc,))


def rows():
    found = {}
    for make in (forms, sizes, quantized, builders, operators, more, places, behind, repeated):
        for row in make():
            found.setdefault(row.name, row)
    return list(found.values())


def foretold(binary, model):
    """The rules that say that the attention will not be one kernel; none: it will."""
    out = subprocess.run([binary, "lint", model, "--for", "rtx-1.7:sm89", "-f", "json"], capture_output=True, text=True)
    findings = json.loads(out.stdout)["findings"]
    return [f["facts"]["fusion"] for f in findings if f["rule"] == "fusion/attention"]


def made(row, model, log):
    """"whole", "split" or "fails"."""
    import forked
    if not forked.build(model, log, **row.options):
        return "fails"
    layers = forked.kernels(log)
    if row.draw is operator:
        return "whole" if sum("sm" in nodes and "_mha_" in name for name, nodes in layers) == 1 else "split"
    products = {"qk", "sm", "pv"} if any("qk" in nodes for _, nodes in layers) else {"sm"}
    return "whole" if any(products <= nodes for _, nodes in layers) else "split"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--shared", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true", help="only the rows of the table that built")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    table = os.path.join(args.shared, "builder/attention_factors.tsv")
    known = {}
    if os.path.exists(table):
        with open(table, newline="", encoding="utf-8") as lines:
            known = {r["factor"]: r["result"] for r in csv.DictReader(lines, delimiter="\t")}
    drawn = [r for r in rows() if re.search(args.only, r.name)]
    if args.table:
        drawn = [r for r in drawn if known.get(r.name) in ("whole", "split")]
    if args.sample:
        drawn = random.Random(1).sample(drawn, min(args.sample, len(drawn)))
    counts, rules, right, wrong = collections.Counter(), collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as at:
        for row in drawn:
            model, log = os.path.join(at, "m.onnx"), os.path.join(at, "m.log")
            onnx.save(row.draw(**row.factors), model)
            why = foretold(args.binary, model)
            says = "split" if why else "whole"
            was = known.get(row.name)
            if row.draw is operator and was == "split":
                was = "whole"
                counts["split in the table, which counts the kernel that reshapes an operator's inputs"] += 1
            now = was if args.no_build else made(row, model, log)
            if now in (None, "fails"):
                counts[f"not built, or not in the table: {now}"] += 1
                continue
            counts[f"{now}, foretold {says}"] += 1
            rules.update((f"{rule}: {now}") for rule in why)
            is_right = now == says and was in (None, now)
            if args.v or not is_right:
                print(f"{row.name:40} foretold {says}, built {now}, in the table {was or 'absent'}  {' '.join(why)}")
            right += is_right
            wrong += not is_right
    for counted in (counts, rules):
        for key, n in sorted(counted.items()):
            print(f"{n:5} {key}")
    missing = [] if args.only or args.sample else [name for name in known if name not in {r.name for r in rows()}]
    for name in missing:
        print(f"no model is drawn of the table's row {name}")
    print(f"{wrong} of {len(drawn)} rows differ, {right} are foretold as they are built")
    return 1 if wrong or missing or not drawn else 0


if __name__ == "__main__":
    sys.exit(main())
