#!/usr/bin/python3
"""The workflow of docs/gate.md and packaging/ci/github.yml, in a repository of its own: snapshot, commit, a change that fails,
what its reports say, how it is accepted, and that it passes then.

    workflow.py BINARY FIXTURES

The commands are that page's; the accepting one is the one that the report prints.  Exit status
77 without git.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BINARY, FIXTURES = (os.path.realpath(path) for path in sys.argv[1:3])
ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")
failures = []

if not shutil.which("git"):
    print("skipped: needs git")
    sys.exit(77)


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def command(line, folder):
    """A command line of docs/gate.md or of a report, with this program for its first word."""
    words = shlex.split(line)
    check(f"'{line}' is of the program", words[0] == "fusiondiff")
    return subprocess.run([BINARY, *words[1:]], cwd=folder, capture_output=True, text=True,
                          check=False)


def git(folder, *args):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
           "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *args], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, **who})
    check(f"git {args[0]}", done.returncode == 0, done.stderr)
    return done.stdout


def put(folder, name, source):
    os.makedirs(os.path.dirname(os.path.join(folder, name)) or folder, exist_ok=True)
    shutil.copy(os.path.join(FIXTURES, source), os.path.join(folder, name))


with open(os.path.join(ROOT, "docs/gate.md"), encoding="utf-8") as file:
    readme = file.read()
with open(os.path.join(ROOT, "packaging/ci/github.yml"), encoding="utf-8") as file:
    workflow = file.read()
shown = [line.split("#")[0].strip() for line in re.findall(r"^    (fusiondiff (?:snapshot|check).*)",
                                                          readme, re.M)]
snapshot, check_line = shown[0], shown[1]
job = re.search(r"run: >\s+(fusiondiff check.*?)\n\s*- run", workflow, re.S)
ci = " ".join(job[1].split()) if job else ""
check("the workflow has the job's command", "-o gate.md -o gate.sarif -o gate.xml" in ci, ci)
check("the workflow has the line for the job's summary", '>> "$GITHUB_STEP_SUMMARY"' in workflow)

with tempfile.TemporaryDirectory() as folder:
    git(folder, "init", "-q")
    put(folder, "model.onnx", "qat_block/model.onnx")
    put(folder, "engine.graph.json", "qat_block/engine.graph.json")
    done = command(snapshot, folder)
    check("the snapshot is taken", done.returncode == 0 and not done.stdout, done.stderr)
    git(folder, "add", "model.onnx", "engine.fsd")
    git(folder, "commit", "-qm", "snapshot")
    done = command(check_line, folder)
    check("the same build passes", done.returncode == 0, done.stdout)

    # A change to the engine: what CI runs, with the reports as files.
    put(folder, "build/engine.graph.json", "compare/split.json")
    put(folder, "build/profile.json", "compare/split.profile.json")
    with open(os.path.join(folder, "gate.ini"), "w", encoding="utf-8") as out:
        out.write("[lost-fusion]\ncount = 0\n")
    done = command(ci, folder)
    check("the change fails", done.returncode == 1, done.returncode)
    check("and says so in the log", re.match(
        r"fusiondiff: check failed: .*lost-fusion 1.*; see gate.md, gate.sarif, gate.xml\n$",
        done.stderr), done.stderr)
    root = xml.parse(os.path.join(folder, "gate.xml")).getroot()
    check("JUnit fails the rule", root.find(".//testcase[@name='lost-fusion']/failure") is not None)
    with open(os.path.join(folder, "gate.md"), encoding="utf-8") as file:
        comment = file.read()
    check("the comment opens what failed", "<details open><summary>lost-fusion" in comment)
    check("the repository is as it was", git(folder, "status", "--porcelain", "-uno") == "")

    # Accepted by the command that the report prints.
    text = command(ci.split(" -o ")[0], folder).stdout
    accept = re.search(r"^to accept this build: (.*)$", text, re.M)
    check("the report states how to accept", accept, text)
    done = command(accept[1], folder) if accept else None
    check("it is accepted", done and done.returncode == 0 and "accepted:" in done.stdout)
    changed = git(folder, "diff", "--stat").strip()
    check("the snapshot changed, and nothing else", changed.startswith("engine.fsd"), changed)
    lines = [line for line in git(folder, "diff", "-U0").split("\n") if re.match(r"[+-][^+-]", line)]
    check("a change of one fusion changes a handful of lines", 0 < len(lines) < 40, len(lines))
    git(folder, "commit", "-qam", "accepted")
    done = command(ci, folder)
    check("the accepted build passes", done.returncode == 0, done.stderr)

print("failed" if failures else "passed")
sys.exit(bool(failures))
