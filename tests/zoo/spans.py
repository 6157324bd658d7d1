#!/usr/bin/env python3
"""spans.py BINARY SHARED [--zoo FOLDER]... [--case NAME]... [--runs N] [--seed N] [--wrong] [--bars]

Collapses runs of consecutive layers of the zoos' engines into one region each, named as TensorRT
does by the first and the last of its nodes, `{ForeignNode[first...last]}`, lists all layers by name
only, and counts which nodes of the regions BINARY finds again; then does so with whole engines as
one region, with the name that the builder's log gives it.  What is true is what the Metadata of the
collapsed layers names.  A node that other layers name, too, counts neither way, and one that no
Metadata names cannot be judged.  --wrong lists each wrong link; --bars fails where a figure is worse
than it must be."""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import measure
import truth

# The share of the members that must be found.  Of a run the name shows two nodes only, which may be
# on no path, as the last product of three that read one tensor.
BARS = {"runs": .6, "whole engines": .85}


def bindings(path):
    """Names of the model's inputs and outputs, without initializers."""
    with open(path, "rb") as file:
        data = file.read()
    names, weights = [], set()
    for number, value in truth.fields(data):
        for n, v in truth.fields(value) if number == 7 else ():
            if n in (11, 12):
                names += [x.decode() for k, x in truth.fields(v) if k == 1]
            elif n == 5:
                weights |= {x.decode() for k, x in truth.fields(v) if k == 8}
    return [n for n in names if n not in weights], weights


def words(case, kernel):
    return [n for n in dict.fromkeys(kernel.node_names()) if n in case.numbers]


class Collapsed:
    """One engine, of which the layers [begin, end) are a region for each span."""

    def __init__(self, case, spans, rng):
        self.case = case
        names, self.members, self.at = [], [], []
        of = collections.Counter()
        bound, weights = bindings(case.model_path)
        for k in case.kernels:
            of.update(set(words(case, k)))
        begins = {b: e for b, e in spans}
        i = 0
        while i < len(case.kernels):
            end = begins.get(i, i + 1)
            inside = collections.Counter()
            for k in case.kernels[i:end]:
                inside.update(set(words(case, k)))
            if i in begins and inside:
                sure = {n for n in inside if of[n] == inside[n]}
                order = sorted(sure or inside, key=lambda n: min(case.numbers[n]))
                order = [n for n in order if not weights.issuperset(
                    case.model.nodes[min(case.numbers[n])].inputs)] or order
                first, last = order[0], order[-1]
                node = case.model.nodes[min(case.numbers[first])]
                held = [t for t in node.inputs if t in weights and len(case.model.readers[t]) == 1]
                if held and rng.random() < .4:   # constants are layers of a network, too
                    first = held[0]
                self.at.append(len(names))
                self.members.append((sure, set(inside)))
                names.append("{ForeignNode[%s...%s]}" % (first, last) if len(order) > 1
                             else "{ForeignNode[%s]}" % first)
            else:
                names.append(" + ".join(sorted(inside, key=lambda n: min(case.numbers[n]))) or
                             f"(Unnamed Layer* {i}) [Shuffle]")
            i = end
        self.named = set(of)
        self.text = json.dumps({"Layers": names, "Bindings": bound}, ensure_ascii=False)

    def ask(self, binary):
        with tempfile.NamedTemporaryFile("w", suffix=".json", errors="surrogateescape") as file:
            file.write(self.text)
            file.flush()
            done = subprocess.run([binary, "--force", "--format", "json", self.case.model_path, file.name],
                                  capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"{self.case.name}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)


class Whole(Collapsed):
    """An engine of one region, with the name that the builder's log gives it."""

    def __init__(self, case):
        names = [re.search(r"ForeignNode (\{ForeignNode\[.*\]\}) metadata: ", l) for l in case.lines]
        name = next((n[1] for n in names if n), None)
        inside = {n for k in case.kernels for n in words(case, k)}
        self.case, self.named, self.at, self.members = case, inside, [0] if name else [], [(inside, inside)]
        self.text = json.dumps({"Layers": [name or ""], "Bindings": bindings(case.model_path)[0]}, ensure_ascii=False)


def score(c, report, figures, show):
    nodes = report["nodes"]
    keys = [measure.node_key(c.case, n) for n in nodes]
    for at, (sure, inside) in zip(c.at, c.members):
        links = report["layers"][at]["nodes"]
        found = {keys[l["index"]] for l in links}
        for l in links:
            key, by = keys[l["index"]], "+".join(l["evidence"])
            if key not in c.named:
                figures["no truth " + by] += 1
                continue
            figures[("right " if key in inside else "wrong ") + by] += 1
            if key not in inside and show:
                print("wrong", c.case.name, report["layers"][at]["name"][:70], key, nodes[l["index"]]["op"], by)
        figures["members"] += len(sure)
        figures["found"] += len(sure & found)
        lost = [n for n in nodes if keys[n["index"]] in sure and n["fate"] == "unexplained"]
        figures["unexplained"] += len(lost)
    figures["regions"] += len(c.at)


def choose(case, rng, many):
    """Spans of layers that do not overlap."""
    n = len(case.kernels)
    spans, at = [], 0
    for _ in range(many):
        begin = at + rng.randrange(max(1, n // (many + 1)))
        end = begin + rng.randint(2, max(2, n // many))
        if end > n:
            break
        spans.append((begin, end))
        at = end
    return spans


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("shared")
    parser.add_argument("--zoo", action="append")
    parser.add_argument("--case", action="append")
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--bars", action="store_true")
    args = parser.parse_args()
    if not os.path.isdir(os.path.join(args.shared, "zoo")):
        print(f"{args.shared} is not there: skipped")
        sys.exit(77)
    total = {"runs": collections.Counter(), "whole engines": collections.Counter()}
    for zoo in args.zoo or measure.ZOOS:
        root = os.path.join(args.shared, zoo, "cases")
        for name in sorted(os.listdir(root)):
            if name not in args.case if args.case else "." in name:
                continue
            case = measure.Case(os.path.join(root, name))
            whole = Whole(case)
            if whole.at:
                score(whole, whole.ask(args.binary), total["whole engines"], args.wrong)
            for i in range(args.runs if len(case.kernels) > 2 else 0):
                rng = random.Random(f"{name} {args.seed} {i}")
                c = Collapsed(case, choose(case, rng, 1 + rng.randrange(3)), rng)
                score(c, c.ask(args.binary), total["runs"], args.wrong)
    failed = False
    for what, figures in total.items():
        wrong = sum(n for key, n in figures.items() if key.startswith("wrong"))
        share = figures["found"] / max(1, figures["members"])
        print(f"{what}: {figures['regions']} regions, {figures['found']} of {figures['members']} nodes found "
              f"({share:.3f}), {figures['unexplained']} unexplained, {wrong} links wrong")
        for key, n in sorted(figures.items()):
            if " " in key:
                print(f"  {key:30s} {n}")
        failed |= wrong > 0 or share < BARS[what]
    sys.exit(args.bars and failed)


if __name__ == "__main__":
    main()
