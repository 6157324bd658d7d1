#!/usr/bin/env python3
"""Lists the program's sentences, each with an example: texts.py [--draw N --seed S] [--missing]

Prints each string of src/ that is a sentence or a part of one, with its place and a line of output that has it: a line with the longest
piece of its words, from a golden file, an expected result of a unit test, or the reference.  A text without an example has 'in:' and the
statement of the source that holds it instead, with "..." for the text: in a function the whole statement, in a table the largest entry
that fits.  Those without an example are counted, and --missing lists them.  --draw takes N of them by a seed, to be read by someone who
has not written them."""
import argparse
import glob
import os
import random
import re
import sys

import english

CONVERSION = re.compile(r'%(?:[-+ 0#*\d.]*)(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|"\s*PRI\w+\s*"|\{[^}]*\}|\\.|<|>')

MOST_CHARACTERS = 200  # of an example or a statement
OUTPUTS = ("tests/golden/*/expected.*", "tests/unit/cases/*.txt", "tests/drawn/*.txt", "docs/reference/*.md", "include/*/*.schema.json")


def examples():
    """Returns all lines of expected output in tests, each once, in the order of OUTPUTS."""
    lines = {}
    for path in (path for pattern in OUTPUTS for path in sorted(glob.glob(os.path.join(english.ROOT, pattern)))):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines.update(dict.fromkeys(line.strip() for line in file))
    return list(lines)


def pieces(text):
    """Returns the pieces of a format between its conversions, the longest first."""
    return sorted((p.strip() for p in CONVERSION.split(text) if len(p.strip()) > 3), key=len, reverse=True)


def opens_statements(code):
    """Whether a brace behind this code opens statements, not an initializer: behind a type in parentheses it is a compound literal."""
    code = code.rstrip()
    if not code.endswith(")"):
        return not code.endswith(("=", ",", "{", "("))
    depth = 0
    for bracket in re.finditer(r"[()]", code[::-1]):
        depth += 1 if bracket[0] == ")" else -1
        if depth == 0:
            break
    return re.search(r"\w\s*$", code[:len(code) - bracket.end()]) is not None


def parts_around(code, first, last):
    """Start and end of the entries around code[first:last], from the inside out, as far as the statement."""
    token = re.compile(r"[][(){};,]")
    around = [[0, ";{}", None]]  # of each open bracket: where its present entry starts, what ends an entry, where this one ends
    for found in token.finditer(code, 0, first):
        if found[0] in "([{":
            ends = "" if found[0] != "{" else ";{}" if opens_statements(code[:found.start()]) else ",}"
            around.append([found.end(), ends, None])
        elif found[0] in ")]}" and len(around) > 1:
            around.pop()
        if found[0] in around[-1][1]:
            around[-1][0] = found.end()
    if len(around) > 1 and not around[1][1]:  # Rows of a macro have nothing between them.
        around[0][0] = re.search(r"[^;{}()]*$", code[:around[1][0] - 1]).start()
    inner, level = 0, len(around) - 1
    for found in token.finditer(code, last):
        entry = around[level]
        if not inner and entry[2] is None and found[0] in entry[1]:
            entry[2] = found.start()
            yield entry[0], entry[2]
            if ";" in entry[1]:
                return
        inner += 1 if found[0] in "([{" else -1 if found[0] in ")]}" else 0
        if inner < 0 and level == 1 and not entry[1]:
            yield around[0][0], found.end()
            return
        if inner < 0:
            inner, level = 0, level - 1


def blanked(pattern, code):
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), code, flags=re.M)


def statement(text, code, place):
    """The statement around a string of english.c_strings(), in a macro its body, in a table the largest entry that fits, with "..." for it."""
    macro = r"^[ \t]*#(?:.*\\\n)*.*"
    spans = [found.span() for found in re.finditer(macro, text, re.M) if found.start() < place.start() < found.end()]
    if not spans:
        plain = blanked(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', blanked(macro, code))  # no brackets of texts
        spans = parts_around(plain, *place.span())
    before = after = None
    for start, end in spans:
        around = [" ".join(code[slice(*part)].replace("\\\n", " ").split()) for part in ((start, place.start()), (place.end(), end))]
        if before is None or sum(map(len, around)) + 7 <= MOST_CHARACTERS:
            before, after = around
    room = MOST_CHARACTERS - 7
    after = after[:max(room // 2, room - len(before))]
    over = len(before) + len(after) - room
    before = re.sub(r"^\S*\s|^\S*$", "", before[over:]) if over > 0 else before
    return f'{before} "..." {after}'.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missing", action="store_true")
    given = parser.parse_args()
    found = []
    for path in english.files("src/*.c", "src/*.inc"):
        source = english.read(path)
        code = english.c_code(source)
        found += [(path, code.count("\n", 0, place.start()) + 1, " ".join(text.split()), (source, code, place))
                  for place, text in english.c_strings(code)]
    if given.draw:
        found = sorted(random.Random(given.seed).sample(found, min(given.draw, len(found))), key=lambda text: text[:2])
    lines, missing = examples(), 0
    whole = "\n".join(lines)
    for path, line, text, place in found:
        wanted = pieces(text)
        at = whole.find(wanted[0]) if wanted else -1
        example = whole[whole.rfind("\n", 0, at) + 1:whole.find("\n", at)] if at >= 0 else ""
        missing += not example
        if not given.missing or not example:
            print(f"{path}:{line}: {text}\n    {example[:MOST_CHARACTERS] or 'in: ' + statement(*place)}")
    print(f"{len(found)} texts, {missing} without an example", file=sys.stderr)


if __name__ == "__main__":
    main()
