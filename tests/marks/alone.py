"""alone.py BINARY FOLDER SHARED [--seed N] [--made N] [--parts N]: what `cut --alone` states of parts that are built alone,
held against what the builder's own Metadata states of the kernels of both builds.  Exit status 1 for a false statement."""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import onnx

import measure
import models
import rebuild


def kernels(log):
    """By kernel: the ONNX nodes that its Metadata lists."""
    text = log.read_text(encoding="utf-8", errors="surrogateescape")
    return [set(re.findall(r"\[ONNX Layer: ([^\]]*)\]", line)) for line in text.splitlines() if line.startswith("Name: ") and "Metadata: " in line]


def together(log, a, b):
    return any({a, b} <= kernel for kernel in kernels(log))


def judge(m, row, folder):
    """("true", "false" or "open", the statement)"""
    part = pathlib.Path(folder, "part.onnx")
    cut = [m.binary, "cut", *map(str, m.pair), "--layer", str(row["layer"])]
    p = subprocess.run([*cut, "-o", part], capture_output=True, text=True)
    if p.returncode:
        return "open", p.stderr
    model = onnx.load(part, load_external_data=False)
    pair = m.builder.engine(model, {})
    if not pair[1]:
        return "open", "the builder refuses the part"
    p = subprocess.run([*cut, "--alone", pair[1]], capture_output=True, text=True)
    says = next((line.strip() for line in p.stdout.splitlines() if line.startswith("  alone ")), p.stderr)
    core = {m.nodes[i] for i in row["nodes"]} & {n.name for n in model.graph.node}
    found = re.match(r"alone +different fusion: (\S+) and (\S+) are (not fused|fused only)", says)
    if found:
        a, b, how = found.groups()
        right = (together(m.pair[1], a, b), together(pair[1], a, b)) == ((True, False) if how == "not fused" else (False, True))
        return ("true" if right else "false"), says
    if "the same fusion" in says:
        return ("true" if all(together(m.pair[1], a, b) == together(pair[1], a, b) for a in core for b in core) else "false"), says
    return "open", says


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared", type=pathlib.Path)
    p.add_argument("--parts", type=int, default=30)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--made", type=int, default=28)
    a = p.parse_args()
    builder = rebuild.Builder(a.folder, a.shared)
    all_models = [measure.Model(a.binary, builder, a.shared, name) for name in models.names_of(a.seed, a.made)]
    pool = [(m, row) for m in all_models for row in m.fusions()]
    count = {"true": 0, "false": 0, "open": 0}
    for m, row in random.Random(a.seed).sample(pool, a.parts):
        with tempfile.TemporaryDirectory() as folder:
            is_so, says = judge(m, row, folder)
        count[is_so] += 1
        if is_so != "true":
            print(f"  {m.name} layer {row['layer']}: {is_so}: {says[:200]}", flush=True)
    print(f"alone: {count['false']} of {a.parts} statements are false; {count['open']} state that it is not known")
    return 1 if count["false"] else 0


if __name__ == "__main__":
    sys.exit(main())
