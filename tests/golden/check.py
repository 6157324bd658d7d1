#!/usr/bin/python3
"""Runs the real binary on golden cases and compares every byte that it writes.

    check.py BINARY [--update] [--without-edit] [CASE...]

A case is a folder beside this file (support/golden.py). Without a CASE, all cases run. With --update, what the binary writes becomes what is
expected: read the git diff before you keep it. With --without-edit, the binary lacks the library of edits
(FSD_EDIT=OFF): cases of its verbs are left out, and where another case names them, the report must be without them.
"""
import argparse
import difflib
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import golden
import program

# What a program without the library of edits does not know, or lists otherwise.
EDIT_WORDS = re.compile(r"(annotate|bisect|code|cut|issue|retype|tensors|--fix|--scale|help|--help)(=|$)")


# As reports name them.
EDIT_ADVICE = re.compile(rb"(--|&#45;&#45;)(fix|scale)|fusiondiff (annotate|bisect|code|cut|issue|retype|tensors)\b")


def needs_edit(case):
    return any(map(EDIT_WORDS.match, case.args))


def expected_without_edit(expected, found):
    """Returns what a program without edits may write. Where the whole program advises an edit's verb, this is any text
    that does not."""
    free = {part for part in expected if EDIT_ADVICE.search(expected[part]) and not EDIT_ADVICE.search(found[part])}
    return {part: found[part] if part in free else EDIT_ADVICE.sub(b"...", expected[part]) for part in expected}


def found_by(binary, case):
    """Returns what the program writes, as Case.expected() does. It writes into pipes, as for a log of CI: if standard
    output is a file, the program says so."""
    done = program.run([binary, *case.args], cwd=FIXTURES)
    return {"out": done.stdout, "err": done.stderr, "exit": b"%d\n" % done.returncode}


def update(case, found):
    for part, written in found.items():
        if part == "out" or written not in (b"", b"0\n"):
            with open(case.path(part), "wb") as file:
                file.write(written)
        elif os.path.exists(case.path(part)):
            os.remove(case.path(part))


def differences(name, expected, found):
    """Yields the lines of a diff, of all parts."""
    for part, wanted in expected.items():
        lines = [side.decode(errors="backslashreplace").splitlines(keepends=True) for side in (wanted, found[part])]
        yield from difflib.unified_diff(*lines, f"{name}/expected.{part}", "found")
        if lines[0] == lines[1] and wanted != found[part]:
            yield f"{name}/expected.{part}: other bytes\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--without-edit", action="store_true")
    options = parser.parse_intermixed_args()
    names = [os.path.basename(os.path.normpath(name)) for name in options.cases] or golden.names()
    unknown = set(names).difference(golden.names())
    if unknown:
        parser.error(f"no such case: {' '.join(sorted(unknown))}")
    cases = [case for case in map(golden.Case, names) if not (options.without_edit and needs_edit(case))]
    failed = 0
    for case in cases:
        expected, found = case.expected(), found_by(options.binary, case)
        if options.without_edit:
            expected = expected_without_edit(expected, found)
        if options.update:
            update(case, found)
        elif found != expected:
            failed += 1
            sys.stdout.writelines(differences(case.name, expected, found))
    print(f"{len(cases)} cases, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
