#!/usr/bin/env python3
"""Lists the program's sentences, each with an example: texts.py [--draw N --seed S] [--missing]

Prints each string of src/ that is a sentence or a part of one, with its place and a line of output that has it: a line with the longest
piece of its words, from a golden file, an expected result of a unit test, or the reference.  A text without an example has 'in:' and the
lines of the source around it instead, with "..." for the text.  Those without an example are counted, and --missing lists them.  --draw
takes N of them by a seed, to be read by someone who has not written them."""
import argparse
import glob
import os
import random
import re
import sys

import english

CONVERSION = re.compile(r'%(?:[-+ 0#*\d.]*)(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|"\s*PRI\w+\s*"|\{[^}]*\}|\\.|<|>')

MOST_CHARACTERS = 200  # of an example or of lines of the source
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


def lines_around(code, place):
    """Returns the source from two lines before a string to the line after it, as one line, with "..." for the string."""
    before = code[:place.start()].rsplit("\n", 3)[-3:]
    after = code[place.end():].split("\n", 2)[:2]
    room = (MOST_CHARACTERS - 3) // 2
    return f'{" ".join(" ".join(before).split())[-room:]}"..."{" ".join(" ".join(after).split())[:room]}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missing", action="store_true")
    given = parser.parse_args()
    found = []
    for path in english.files("src/*.c", "src/*.inc"):
        code = english.c_code(english.read(path))
        found += [(path, code.count("\n", 0, place.start()) + 1, " ".join(text.split()), (code, place))
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
            print(f"{path}:{line}: {text}\n    {example[:MOST_CHARACTERS] or 'in: ' + lines_around(*place)}")
    print(f"{len(found)} texts, {missing} without an example", file=sys.stderr)


if __name__ == "__main__":
    main()
