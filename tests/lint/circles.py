#!/usr/bin/python3
"""Finds files of one folder that use each other in a circle. In a circle, one of the files probably has two tasks.

usage: circles.py OBJECT...    all objects of the library and of the program

KNOWN has the accepted circles, each with the reason. The check fails for a new circle, and for a known circle that no
longer exists.
"""
import os
import subprocess
import sys

KNOWN = {
    "edit/code: block operators statement": "a statement has blocks, and these have statements",
    "judge/findings: cite find": "a run's findings cite those of lint, which are found alike",
    "judge/findings/rules: change kernel": "two rules in turn report changed kernels",
    "model/ops: attention ints macs same shape shape_body shape_einsum shape_list shape_made shape_view shape_window sizes table":
        "the shape of an operator depends on others, through the table of operators",
    "report/picture: dot layout": "the child process that lays out prints DOT",
    "read/trt: json_file json_objects": "a text that is no single object may hold several",
}


def uses(objects):
    """Returns, for each file, the files of its folder that define the symbols that it uses. File names lack `src/`
    and `.c`."""
    made, used = {}, {}
    ours = [one for one in objects if "/src/" in one]
    for line in subprocess.run(["nm", "-A", *ours], capture_output=True, text=True, check=True).stdout.splitlines():
        path, rest = line.rsplit(":", 1)
        name = path.split("/src/")[1].removesuffix(".c.o")
        kind, symbol = rest.split()[-2:]
        if kind in "TDRBC":
            made[symbol] = name
        elif kind == "U":
            used.setdefault(name, set()).add(symbol)
    return {name: {made[s] for s in symbols if s in made and os.path.dirname(made[s]) == os.path.dirname(name)} - {name}
            for name, symbols in used.items()}


def reached(graph, start):
    seen, left = set(), [start]
    while left:
        for other in graph.get(left.pop(), ()):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def main():
    graph = uses(sys.argv[1:])
    behind = {name: reached(graph, name) for name in graph}
    circles = {frozenset(other for other in behind[name] if name in behind.get(other, ())) for name in graph if name in behind[name]}
    found = {f"{os.path.dirname(min(files))}: {' '.join(sorted(map(os.path.basename, files)))}" for files in circles}
    said = [f"src/{one}: these files use each other in a circle" for one in sorted(found - KNOWN.keys())]
    for one in sorted(KNOWN.keys() - found):
        folder, files = one.split(": ")
        if all(f"{folder}/{name}" in graph for name in files.split()):
            said.append(f"{one}: is no circle any more: take it off the list")
    print("\n".join(said) or f"{len(found)} circles are known")
    sys.exit(bool(said))


main()
