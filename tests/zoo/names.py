#!/usr/bin/env python3
"""names.py BINARY SHARED [--views] [--case NAME]... [-v]

Prints the reports of all engines of the zoos at 80 columns and the labels of their pictures, and fails where a name is cut
within a word: where "..." stands that no file wrote, a slash, a blank or the end of the text must be on both of
its sides, and what is beside them must be whole parts of names that the JSON report has.  A line of a report
is longer than 80 columns only where one word is long (`names`, which lists names, has them whole), and no label of a picture ends
within a name.  --views takes the reports of the other verbs as well.  -v prints each line that leaves something out."""
import argparse
import concurrent.futures
import glob
import html
import json
import os
import re
import subprocess
import sys
import unicodedata

COLUMNS = 80
REPORTS = ([], ["--all"])
VIEWS = (["reformats"], ["where"], ["top"], ["top", "--group", "op"], ["memory"], ["patterns"], ["names"], ["scopes"], ["inside"])
# What is whole: parts of paths, and what else blanks, commas and quotes separate.
WORD = re.compile(r"[^/\s`,:;()\[\]{}]+")
LEFT = re.compile(r"(?:^|[/ ])$")
RIGHT = re.compile(r"^(?:[/ ]|$)")


def cases(shared):
    for model in sorted(glob.glob(os.path.join(shared, "zoo*", "cases", "*", "model.onnx"))):
        folder = os.path.dirname(model)
        log = next(f for f in (os.path.join(folder, n) for n in ("build.log", "build.log.xz")) if os.path.exists(f))
        yield os.path.basename(folder), model, log


def run(binary, *arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=False).stdout


def names_of(report):
    names = {n["name"] for n in report["nodes"]} | {n.get("module", "") for n in report["nodes"]}
    for layer in report["layers"]:
        names |= {layer["name"], layer.get("type", "")}
        names |= {t.get("name", "") for side in ("inputs", "outputs") for t in layer.get(side, []) if isinstance(t, dict)}
    ports = [t for n in report["nodes"] for side in ("inputs", "outputs") for t in n.get(side, []) if isinstance(t, dict)]
    names |= {d for t in ports for d in t.get("dims", []) if isinstance(d, str)}
    return {n for n in names if n}


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrong_in(line, dotted, words):
    """Why each "..." of a line cuts a word; `dotted` has what stands around those that files wrote."""
    for found in re.finditer(r"\.\.\.", line):
        left, right = line[:found.start()], line[found.end():]
        near = left[-6:] + "..." + right[:6]
        if any(around in left[-4:] + "..." + right[:4] for around in dotted):
            continue
        beside = [m for m in (re.search(f"({WORD.pattern})/$", left), re.match(f"/({WORD.pattern})", right)) if m]
        if not LEFT.search(left) or not RIGHT.match(right):
            yield f"cut within a word, at '{near}'"
        elif any(m[1] not in words for m in beside):
            yield f"beside what was left out stands a part of a word, at '{near}'"


def texts_in(dot):
    """The lines of the labels of boxes, in which a name stands between tags, and those of wires."""
    for label in re.findall(r"label=<(.*?)>(?= tooltip=|\]$)", dot, re.M):
        for text in re.split(r"<[^>]*>", label):
            yield html.unescape(text.replace("\\\\", "\\")).strip()
    for label in re.findall(r' label="([^"]*)"', dot):
        yield from html.unescape(label).split("\\l")


def judge_picture(name, dot, dotted, words):
    lines, wrong = 0, []
    for text in texts_in(dot):
        lines += 1
        wrong += [f"{name} -f dot: {why}: {text}" for why in wrong_in(text, dotted, words)]
        if "\u2026" in text and not re.search(r"x\u2026$", text):
            wrong.append(f"{name} -f dot: another sign of what is left out: {text}")
        # A layer's number and its name.
        path = re.sub(r"^\d+: ", "", text)
        if "/" in path and "..." not in path and path.split("/")[-1].split(" ")[0] not in words | {""}:
            wrong.append(f"{name} -f dot: a name whose last part no file has: {text}")
    return lines, wrong


def is_word(line):
    """Whether a line is longer because of the last part of a name, which stands whole."""
    return columns(line) - max(map(columns, re.split(r"[/ ]", line))) <= COLUMNS // 2


def judge(binary, name, model, log, views, verbose):
    report = json.loads(run(binary, model, log, "-f", "json"))
    names = names_of(report)
    words = {w for n in names for w in WORD.findall(n)}
    dotted = {n[max(0, m.start() - 4):m.end() + 4] for n in names for m in re.finditer(r"\.\.\.", n)}
    lines, wrong = 0, []
    for arguments in (*REPORTS, *(VIEWS if views else ())):
        text = run(binary, *arguments, model, log, "--width", str(COLUMNS))
        for number, line in enumerate(text.splitlines(), 1):
            lines += 1
            wrong += [f"{name} {' '.join(arguments)}: line {number}: {why}: {line}" for why in wrong_in(line, dotted, words)]
            if columns(line) > COLUMNS and arguments != ["names"] and not is_word(line):
                wrong.append(f"{name} {' '.join(arguments)}: line {number}: {columns(line)} columns: {line}")
            if verbose and ("..." in line or " more + " in line):
                print(f"{name:24} {line}")
    labels, cut = judge_picture(name, run(binary, model, log, "-f", "dot"), dotted, words)
    return lines + labels, wrong + cut


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("shared")
    parser.add_argument("--views", action="store_true")
    parser.add_argument("--case", action="append")
    parser.add_argument("-v", dest="verbose", action="store_true")
    given = parser.parse_args()
    asked = [c for c in cases(os.path.realpath(given.shared)) if not given.case or c[0] in given.case]
    if not asked:
        print(f"no engines in {given.shared}/zoo*")
        sys.exit(77)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda c: judge(given.binary, *c, given.views, given.verbose), asked))
    wrong = [w for _, found in done for w in found]
    print("\n".join(wrong))
    print(f"{len(asked)} engines, {sum(n for n, _ in done)} lines at {COLUMNS} columns and in labels, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
