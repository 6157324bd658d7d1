#!/usr/bin/python3
"""80 questions about real builds, asked of the tools that agents call:  questions.py BINARY ../shared [--seed S] [-v]

truths.py draws the questions and works out their answers without the program.  Each is asked as an agent would: a first call,
then the next page where there is one, or a second call, at most three, of 2,000 tokens each.  A question is answered where
each fact stands in what was returned.  Fails below 76 of 80; prints the tokens of the answers by tool, as counted by a
tokenizer where the python has one (rs_bpe).  -o docs/reference/agents.md writes the tables."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import truths
from tools import answers_module, counter

BAR, OF, CALLS = 76, 80, 3


def ask(tools, refused, question):
    """(tool, text) of each call, until the calls are used up."""
    said, last, page = [], None, 1
    for call in question.calls[:CALLS]:
        if call == "page":
            if not said or "the next page:" not in said[-1][1]:
                continue
            page += 1
        else:
            last, page = call, 1
        tool, arguments = last
        try:
            said.append((tool, getattr(tools, tool)(**arguments, page=page)))
        except refused as error:
            said.append((tool, str(error)))
    return said


def others(tools, binary, drawer, folder):
    """(tool, text) of calls whose answers no question counts, on 16 builds."""
    for path in list(drawer.turns("others"))[:16]:
        yield "where", tools.where(path, ["*"])
        yield "lint", tools.lint(path)
        yield "lint", tools.lint(path, all=True)
        build = drawer.build(path)
        computing = [i for i, kind in enumerate(build.layers.kinds) if kind == "compute" and build.nodes(i)] if build else []
        for layer in computing[:1]:
            yield "cut", tools.cut(path, layer=str(layer))
    for question in drawer.changes():
        old, new = (question.calls[0][1][side] for side in ("old", "new"))
        snapshot = os.path.join(folder, "old.fsd")
        with open(snapshot, "w", encoding="utf-8") as out:
            subprocess.run([binary, "snapshot", "-q", os.path.join(drawer.shared, old)], stdout=out, check=True)
        yield "check", tools.check(new, snapshot)


def missing(question, said):
    text = "\n".join(t for _, t in said)
    return [fact for fact in question.facts if not any(re.search(pattern, text) for pattern in fact)]


WHAT = {"why": "why is layer 4 there", "moves": "which layers move data, and what removes them", "changes": "what changed between two builds, and why",
        "attention": "which attention is not fused, and why", "wrong": "which node makes the build fail"}


def write_page(path, seed, right, asked, tokens):
    lines = [
        "# Answers for agents", "",
        "How many questions about real builds the tools of `fusiondiff.mcp` answer with at most three calls, and how long their answers are.",
        "The answers were worked out from model and dump alone, by a script.",
        f"`tests/agents/questions.py BINARY ../shared --seed {seed} -o FILE` writes this page.", "",
        "| question | asked | answered |", "|---|---|---|",
        *(f"| {WHAT[kind]} | {n} | {right[kind]} |" for kind, n in asked.items()), "",
        "Tokens of an answer, counted by the tokenizer o200k_base of the package rs-bpe; the budget is 2,000:", "",
        "| tool | answers | median | most |", "|---|---|---|---|",
        *(f"| `{tool}` | {len(n)} | {sorted(n)[len(n) // 2]:,} | {max(n):,} |" for tool, n in sorted(tokens.items())), ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("shared")
    parser.add_argument("--seed", type=int, default=65)
    parser.add_argument("--kind", help="only these questions")
    parser.add_argument("-o", help="a page for the tables")
    parser.add_argument("-v", action="store_true", help="print each question that is not answered")
    args = parser.parse_args()
    if not os.path.isdir(os.path.join(args.shared, "zoo")):
        print(f"{args.shared} is not there: skipped")
        return 77
    module, count = answers_module(), counter()
    binary, folder, drawer = os.path.abspath(args.binary), tempfile.TemporaryDirectory(), truths.Drawer(args.shared, args.seed)
    tools = module.Tools(binary, [args.shared, folder.name])
    right, asked, tokens = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for question in drawer.questions():
        if args.kind and question.kind != args.kind:
            continue
        said = ask(tools, module.Refused, question)
        lost = missing(question, said)
        asked[question.kind] += 1
        right[question.kind] += not lost
        for tool, text in said:
            tokens[tool].append(count(text) if count else len(text) // 3)
        if lost and args.v:
            print(f"{question.text}\n    missing: " + "; ".join(" or ".join(f[:3]) for f in lost))
    for tool, text in [] if args.kind else others(tools, binary, drawer, folder.name):
        tokens[tool].append(count(text) if count else len(text) // 3)
    for kind, n in asked.items():
        print(f"{kind:10} {right[kind]} of {n}")
    print("tokens by tool (" + ("o200k_base, rs_bpe" if count else "a third of the bytes; no tokenizer") + "): answers, median, most")
    for tool, counts in sorted(tokens.items()):
        print(f"  {tool:9} {len(counts):4} {sorted(counts)[len(counts) // 2]:6} {max(counts):6}")
    if args.o and count:
        write_page(args.o, args.seed, right, asked, tokens)
    total, of = sum(right.values()), sum(asked.values())
    print(f"{total} of {of} questions are answered")
    over = max(map(max, tokens.values())) > module.BUDGET
    if over and count:
        print(f"an answer has more than {module.BUDGET} tokens")
    return 0 if args.kind or (of == OF and total >= BAR and not (over and count)) else 1


if __name__ == "__main__":
    sys.exit(main())
