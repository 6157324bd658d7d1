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

import repository

try:
    import yaml  # noqa: F401: the runner's
except ImportError:
    print("skipped: needs python3-yaml")
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../ci"))
from runner import Runner, load    # noqa: E402

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
    done = repository.git(folder, *args)
    check(f"git {args[0]}", done.returncode == 0, done.stderr)
    return done.stdout


def put(folder, name, source):
    os.makedirs(os.path.dirname(os.path.join(folder, name)) or folder, exist_ok=True)
    shutil.copy(os.path.join(FIXTURES, source), os.path.join(folder, name))


with open(os.path.join(ROOT, "docs/gate.md"), encoding="utf-8") as file:
    readme = file.read()
workflow = load(os.path.join(ROOT, "packaging/ci/github.yml"))
shown = [line.split("#")[0].strip() for line in re.findall(r"^    (fusiondiff (?:snapshot|check).*)",
                                                          readme, re.M)]
snapshot, check_line = shown[0], shown[1]
asked = next(step["with"] for step in workflow["jobs"]["gate"]["steps"] if step.get("id") == "gate")
ci = "fusiondiff check {snapshot} {model} {engine} --profile {profiles} --policy {policy}".format(**asked)


def play(repository, at):
    """The workflow's gate on the repository's last commit: its status, runner and reports."""
    os.makedirs(f"{at}/tools")
    os.symlink(BINARY, f"{at}/tools/fusiondiff")
    runner = Runner(at, os.path.realpath(ROOT), repository, repository, bins=[f"{at}/tools"])
    status = runner.job(workflow, "gate")
    return status, runner, runner.artifacts.get("fusiondiff-reports", "none")


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as machines:
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
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "another build")
    status, runner, reports = play(folder, f"{machines}/failing")
    check("the change fails", status == 1, status)
    check("and says so in the log", re.search(
        r"^fusiondiff: check failed: .*lost-fusion 1.*; see .*gate.md, .*gate.sarif, .*gate.xml", runner.log, re.M), runner.log)
    root = xml.parse(os.path.join(reports, "gate.xml")).getroot()
    check("JUnit fails the rule", root.find(".//testcase[@name='lost-fusion']/failure") is not None)
    with open(os.path.join(reports, "gate.md"), encoding="utf-8") as file:
        comment = file.read()
    check("the comment opens what failed", "<details open><summary>lost-fusion" in comment)
    check("the repository is as it was", git(folder, "status", "--porcelain", "-uno") == "")

    # Accepted by the command that the report prints.
    text = command(ci, folder).stdout
    accept = re.search(r"^to accept this build: (.*)$", text, re.M)
    check("the report states how to accept", accept, text)
    done = command(accept[1], folder) if accept else None
    check("it is accepted", done and done.returncode == 0 and "accepted:" in done.stdout)
    changed = git(folder, "diff", "--stat").strip()
    check("the snapshot changed, and nothing else", changed.startswith("engine.fsd"), changed)
    lines = [line for line in git(folder, "diff", "-U0").split("\n") if re.match(r"[+-][^+-]", line)]
    check("a change of one fusion changes a handful of lines", 0 < len(lines) < 40, len(lines))
    git(folder, "commit", "-qam", "accepted")
    status, runner, _ = play(folder, f"{machines}/accepted")
    check("the accepted build passes", status == 0, runner.log)

print("failed" if failures else "passed")
sys.exit(bool(failures))
