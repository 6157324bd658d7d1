"""The cases of tests/golden/: each is a folder with `args`, `expected.out`, and where they are not empty and 0, `expected.err`
and `expected.exit`."""
import os
import shlex

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "golden")


class Case:
    """One case: `args`, the words of the command line, which run in fixtures/."""

    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(FOLDER, name)
        with open(os.path.join(self.folder, "args"), encoding="utf-8") as file:
            self.args = shlex.split(file.read())

    def path(self, part):
        return os.path.join(self.folder, "expected." + part)

    def expected(self):
        """Returns what the case expects: bytes by the name of the part, of which `exit` is a line."""
        parts = {"out": b"", "err": b"", "exit": b"0\n"}
        for part in parts:
            if os.path.exists(self.path(part)):
                with open(self.path(part), "rb") as file:
                    parts[part] = file.read()
        return parts

    def status(self):
        return int(self.expected()["exit"])


def names():
    return sorted(name for name in os.listdir(FOLDER) if os.path.exists(os.path.join(FOLDER, name, "args")))


def cases():
    return map(Case, names())
