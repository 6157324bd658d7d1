#!/usr/bin/python3
"""Command lines and what the program says to them:  transcript.py BINARY SOURCE [--update]

Each line of transcript.txt that begins with "$ " is a command of sh, run in fixtures/, where $T is an empty folder that all
commands share, in their order. What it prints follows, standard error behind standard output, and its status unless that is
0. --update writes transcript.txt: read it before you keep it. A case of golden/ may be read by itself; here is what one needs
many short commands for: completions, the manual, mistakes on the command line.
"""
import os
import subprocess
import sys
import tempfile

BINARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PATH = os.path.join(SOURCE, "tests/shell/transcript.txt")


def answer(command, at):
    env = {**os.environ, "PATH": f"{at}/bin:{os.environ['PATH']}", "T": f"{at}/t", "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    env.pop("SOURCE_DATE_EPOCH", None)
    done = subprocess.run(["sh", "-c", command], cwd=f"{SOURCE}/fixtures", env=env, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    said = (done.stdout + done.stderr).replace(f"{at}/t", "$T")
    if said and not said.endswith("\n"):
        said += "\n"
    return said + (f"status {done.returncode}\n" if done.returncode else "")


def main():
    with open(PATH, encoding="utf-8") as file:
        expected = file.read()
    found = ""
    with tempfile.TemporaryDirectory() as at:
        os.mkdir(f"{at}/t")
        os.mkdir(f"{at}/bin")
        os.symlink(BINARY, f"{at}/bin/fusiondiff")
        for line in expected.splitlines():
            if line.startswith("# "):
                found += line + "\n"
            if line.startswith("$ "):
                found += line + "\n" + answer(line[2:], at)
    if "--update" in sys.argv:
        with open(PATH, "w", encoding="utf-8") as file:
            file.write(found)
        return 0
    if found != expected:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(found)
            file.flush()
            subprocess.run(["diff", "-u", PATH, file.name], check=False)
    return found != expected


if __name__ == "__main__":
    sys.exit(main())
