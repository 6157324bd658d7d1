#!/usr/bin/python3
"""What must hold of pictures of two builds, with the real binary.

    compare.py BINARY SHARED FUSER

Hostile names, builds too large to lay out, and pictures of pairs of SHARED/corpus (left out
when SHARED is absent).
"""
import itertools
import os
import re
import subprocess
import tempfile

from harness import PATIENT, SHARED, check, finish, hostile_pair, is_svg, reads_back, run, synthetic

SAME, DIFFER = 0, 1


def draw(folder, old, new, *args, status=DIFFER, endings=("dot", "svg")):
    """Both pictures of a comparison, laid out in full: their paths, and what the program said."""
    paths = [os.path.join(folder, "compared." + e) for e in endings]
    outputs = [word for path in paths for word in ("-o", path)]
    done = run("compare", ",".join(old), ",".join(new), *PATIENT, *outputs, *args, status=status)
    return paths, done.stderr.decode()


def boxes(path):
    rows = subprocess.run(["dot", "-Tplain", path], capture_output=True, check=False).stdout
    return {line.split()[1].decode() for line in rows.split(b"\n") if line.startswith(b"node ")}


def check_hostile(folder):
    pair = hostile_pair(folder)
    (dot, svg), _ = draw(folder, pair, pair, "--force", "--all", status=SAME)
    reads_back("compared, hostile", dot)
    is_svg("compared, hostile", svg)
    with open(dot, "rb") as file:
        content = file.read()
    check("compared, hostile: no control byte but the newline and the tab",
          not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", content))
    check("compared, hostile: long names are shortened", len(content) < 120000, str(len(content)))
    names = boxes(dot)
    check("compared, hostile: both sides have the same boxes",
          {n[1:] for n in names if n[0] == "o" and n != "old"} ==
          {n[1:] for n in names if n[0] == "n" and n != "new"} and len(names) > 20, str(sorted(names)))


def check_large(folder):
    pair = synthetic(os.path.join(folder, "chain"), "--generate", "chain", "--size", "2000", "--seed", "1")
    paths, said = draw(folder, pair, pair, status=SAME, endings=("svg",))
    check("2,000 layers, nothing changed: a note, and an empty picture that says so",
          "too large" in said and "no difference" in open(paths[0], encoding="utf-8").read(), said)


def check_corpus(folder):
    corpus = os.path.join(SHARED, "corpus")
    pairs = [[os.path.join(corpus, case, n) for n in ("model.onnx", "engine.graph.json", "profile.json")]
             for case in sorted(os.listdir(corpus)) if case.startswith("resnet18-")]
    for old, new in itertools.product(pairs, pairs):
        if not all(map(os.path.exists, old + new)):
            continue
        what = " against ".join(os.path.basename(os.path.dirname(p[0])) for p in (old, new))
        (dot, svg), said = draw(folder, old, new, status=SAME if old == new else DIFFER)
        reads_back(what, dot)
        is_svg(what, svg)
        # One line sums up; another would state what was left out.
        check(f"{what}: drawn in full", said.startswith("fusiondiff: compare: ") and said.count("\n") <= 1, said)
    check("pairs of the corpus were there", len(pairs) >= 2)


def check_change(folder):
    """qat-residual to qat: MaxPool leaves the first convolution, standing quantizers come."""
    corpus = os.path.join(SHARED, "corpus")
    old, new = ([os.path.join(corpus, case, n) for n in ("model.onnx", "engine.graph.json")]
                for case in ("resnet18-qat-residual-trt8.4", "resnet18-qat-trt8.4"))
    (_, svg), _ = draw(folder, old, new, "--only", "changes")
    text = open(svg, encoding="utf-8").read()
    check("qat-residual to qat: a fusion is lost, and the legend explains the color",
          len(re.findall(r">fusion&#45;lost<", text)) == 2, str(len(re.findall("fusion&#45;lost", text))))
    # Of the ten standing quantizers of qat the first and the last stand in qat-residual too.
    check("qat-residual to qat: eight standing quantizers are added", text.count("+ quantize") == 8,
          str(text.count("+ quantize")))
    paths, _ = draw(folder, old, new, "--around", "MaxPool_12")
    near = boxes(paths[0])
    check("--around: the nodes' groups and what is next to them", 6 <= len(near) <= 16, str(sorted(near)))


def check_exports(folder):
    """Two exports without engines: the eight skip branches that are quantized in the new one."""
    models = [[os.path.join(SHARED, "models", name + "_ts.onnx")] for name in ("resnet18_qat", "resnet18_qat_residual")]
    for args in ((), ("--all",)):
        (dot, svg), said = draw(folder, *models, *args)
        reads_back("two exports", dot)
        dom = is_svg("two exports", svg)
        text = open(dot, encoding="utf-8").read()
        adds = [set(re.findall(rf"\t({side}\d+) \[.*<B>Add</B>", text)) for side in "on"]
        int8 = [len([to for to in re.findall(rf"\t{side}\d+ -> ({side}\d+) .*label=\"int8\"", text) if to in into])
                for side, into in zip("on", adds)]
        check("two exports: int8 reaches no Add of the old one, and each of the new one once", int8 == [0, 8], str(int8))
        check("two exports: the eight say what changed", dom and text.count("input 1: plain") >= 8 and not said, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_hostile(folder)
        check_large(folder)
        if os.path.isdir(os.path.join(SHARED, "corpus")):
            check_corpus(folder)
            check_change(folder)
            check_exports(folder)
        else:
            print(f"skipped: no corpus in {SHARED}")
    finish()


main()
