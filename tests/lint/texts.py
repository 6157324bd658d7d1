#!/usr/bin/env python3
"""Lists the program's sentences, each with an example: texts.py [--draw N --seed S] [--missing]

Prints each string of src/ that is a sentence or a part of one, with its position and an example: a line of a golden
file, of a unit test's expectation or of the reference that has the longest piece of the string. Counts the strings
without an example; --missing lists them. --draw selects N strings at random by a seed, for a reader who has not
written them."""
import argparse
import glob
import os
import random
import re
import sys

import english

CONVERSION = re.compile(r'%(?:[-+ 0#*\d.]*)(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|"\s*PRI\w+\s*"|\{[^}]*\}|\\.|<|>')


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missing", action="store_true")
    given = parser.parse_args()
    found = [(path, line, " ".join(text.split())) for path in english.files("src/*.c", "src/*.inc")
             for line, text in english.c_texts(path, english.read(path))]
    if given.draw:
        found = sorted(random.Random(given.seed).sample(found, min(given.draw, len(found))))
    lines, missing = examples(), 0
    whole = "\n".join(lines)
    for path, line, text in found:
        wanted = pieces(text)
        at = whole.find(wanted[0]) if wanted else -1
        example = whole[whole.rfind("\n", 0, at) + 1:whole.find("\n", at)] if at >= 0 else ""
        missing += not example
        if not given.missing or not example:
            print(f"{path}:{line}: {text}" + (f"\n    {example[:200]}" if example else ""))
    print(f"{len(found)} texts, {missing} without an example", file=sys.stderr)


if __name__ == "__main__":
    main()
