#!/usr/bin/python3
"""Runs the real binary on golden cases and compares every byte that it writes.

    check.py BINARY [--update] [--without-edit] [CASE...]

A case is a folder beside this file: `args` (run in fixtures/), `expected.out`, and where they are not empty and 0,
`expected.err` and `expected.exit`. Without a CASE, all cases run. With --update, what the binary writes becomes what is
expected: read the git diff before you keep it. With --without-edit, the binary lacks the library of edits
(FSD_EDIT=OFF), and cases of its verbs are left out.
"""
import argparse
import difflib
import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import program

# What a program without the library of edits does not know, or lists otherwise.
EDIT_WORDS = re.compile(r"(annotate|bisect|code|cut|issue|retype|tensors|--fix|--scale|help|--help)(=|$)")


class Case:
    """One case: what the program is to write and its status."""

    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(HERE, name)
        with open(os.path.join(self.folder, "args"), encoding="utf-8") as file:
            self.args = shlex.split(file.read())

    def needs_edit(self):
        return any(map(EDIT_WORDS.match, self.args))

    def expected(self):
        """Returns what the case expects: bytes by the name of the part."""
        parts = {"out": b"", "err": b"", "exit": b"0\n"}
        for part in parts:
            path = os.path.join(self.folder, "expected." + part)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    parts[part] = file.read()
        return parts

    def found(self, binary):
        """Returns what the program writes, as expected() does. It writes into pipes, as for a log of CI: if
        standard output is a file, the program says so."""
        done = program.run([binary, *self.args], cwd=FIXTURES)
        return {"out": done.stdout, "err": done.stderr, "exit": b"%d\n" % done.returncode}

    def update(self, found):
        for part, written in found.items():
            path = os.path.join(self.folder, "expected." + part)
            if part != "out" and written in (b"", b"0\n"):
                if os.path.exists(path):
                    os.remove(path)
                continue
            with open(path, "wb") as file:
                file.write(written)


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
    names = [os.path.basename(os.path.normpath(name)) for name in options.cases] or sorted(
        name for name in os.listdir(HERE) if os.path.exists(os.path.join(HERE, name, "args")))
    unknown = [name for name in names if not os.path.exists(os.path.join(HERE, name, "args"))]
    if unknown:
        parser.error(f"no such case: {' '.join(unknown)}")
    cases = [case for case in map(Case, names) if not (options.without_edit and case.needs_edit())]
    failed = 0
    for case in cases:
        expected, found = case.expected(), case.found(options.binary)
        if options.update:
            case.update(found)
        elif found != expected:
            failed += 1
            sys.stdout.writelines(differences(case.name, expected, found))
    print(f"{len(cases)} cases, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
