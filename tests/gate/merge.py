#!/usr/bin/python3
"""Snapshots of a list in folders that are not there yet, and the merge driver, in a git repository.

    merge.py BINARY FIXTURES

Exit status 77 without git.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from repository import git

BINARY, FIXTURES = (os.path.realpath(path) for path in sys.argv[1:3])
failures = []

if not shutil.which("git"):
    print("skipped: needs git")
    sys.exit(77)


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def run(folder, *args):
    return subprocess.run([BINARY, *args], cwd=folder, capture_output=True, text=True, check=False)


def text(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def check_folders(folder):
    shutil.copytree(os.path.join(FIXTURES, "qat_block"), os.path.join(folder, "b"))
    os.symlink(os.path.join(folder, "b"), os.path.join(folder, "within"))
    os.symlink(os.path.dirname(folder), os.path.join(folder, "outside"))
    build = "b/model.onnx b/engine.graph.json"
    good = [f"{build} label=sm86 snapshot=r18/snapshots", f"{build} label=sm75 snapshot=r18/snapshots/",
            f"{build} snapshot=first/taken.fsd", f"{build} label=one snapshot=within/new"]
    bad = [f"{build} label=a/b snapshot=r18/snapshots", f"{build} label=.. snapshot=r18/snapshots",
           f"{build} label=q snapshot=../elsewhere", f"{build} label=q snapshot=outside/elsewhere/x",
           f"{build} label=sm86 snapshot=r18/snapshots"]
    with open(os.path.join(folder, "builds.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(good + bad) + "\n")
    done = run(folder, "snapshot", "--list", "builds.txt")
    made = sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, files in os.walk(folder) for f in files
                  if f.endswith(".fsd"))
    check("folders: made and filled", made == ["b/new/one.fsd", "first/taken.fsd", "r18/snapshots/sm75.fsd",
                                              "r18/snapshots/sm86.fsd"], made)
    check("folders: the others are refused", done.returncode == 2 and "5 of 9 snapshots were not written" in done.stderr, done.stderr)
    check("folders: nothing outside", not os.path.exists(os.path.join(os.path.dirname(folder), "elsewhere")))
    with open(os.path.join(folder, "builds.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(good) + "\n")
    done = run(folder, "check", "--list", "builds.txt", "-f", "line")
    check("folders: check finds them", done.returncode == 0, done.stdout + done.stderr)


def check_driver(folder):
    """One side took the snapshot anew: the merge has it; both did: git keeps the conflict, and the file one side."""
    block = [os.path.join(FIXTURES, "qat_block", f) for f in ("model.onnx", "engine.graph.json")]
    split = os.path.join(FIXTURES, "compare/split.json")
    fused = os.path.join(FIXTURES, "compare/tactic.json")

    def take(engine):
        check("driver: a snapshot", run(folder, "snapshot", block[0], engine, "-o", "engine.fsd").returncode == 0)
        return text(folder, "engine.fsd")

    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "merge.fusiondiff.driver", f"'{BINARY}' snapshot --merge %O %A %B")
    with open(os.path.join(folder, ".gitattributes"), "w", encoding="utf-8") as file:
        file.write("*.fsd merge=fusiondiff\n")
    take(block[1])
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "base")
    git(folder, "checkout", "-qb", "theirs")
    theirs = take(split)
    git(folder, "commit", "-qam", "theirs")
    git(folder, "checkout", "-q", "main")
    with open(os.path.join(folder, "other"), "w", encoding="utf-8") as file:
        file.write("a change beside it\n")
    git(folder, "add", "other")
    git(folder, "commit", "-qm", "beside")
    done = git(folder, "merge", "-q", "theirs", "-m", "merged")
    check("driver: one side changed", done.returncode == 0 and text(folder, "engine.fsd") == theirs, done.stderr)
    git(folder, "checkout", "-qb", "ours", "main~1")
    ours = take(fused)
    git(folder, "commit", "-qam", "ours")
    done = git(folder, "merge", "-q", "theirs", "-m", "both")
    check("driver: both changed", done.returncode != 0 and "both branches changed" in done.stdout + done.stderr,
          done.stdout + done.stderr)
    check("driver: a side is kept whole", text(folder, "engine.fsd") == ours)
    check("driver: git knows of the conflict", "UU engine.fsd" in git(folder, "status", "--short").stdout)
    with open(os.path.join(folder, "base.fsd"), "w", encoding="utf-8") as file:
        file.write(ours)
    with open(os.path.join(folder, "theirs.fsd"), "w", encoding="utf-8") as file:
        file.write(theirs)
    # git asks no driver if only one side changed the file.
    done = run(folder, "snapshot", "--merge", "base.fsd", "engine.fsd", "theirs.fsd")
    check("driver: only theirs changed", done.returncode == 0 and text(folder, "engine.fsd") == theirs, done.stderr)
    done = run(folder, "snapshot", "--merge", "theirs.fsd", "theirs.fsd", "base.fsd")
    check("driver: the base is not replaced", done.returncode == 2 and text(folder, "theirs.fsd") == theirs, done.stderr)
    done = run(folder, "snapshot", "--merge", "engine.fsd", "other", "engine.fsd")
    check("driver: only snapshots", done.returncode == 2 and "expected a snapshot" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory() as top:
    for number, part in enumerate((check_folders, check_driver)):
        os.makedirs(os.path.join(top, str(number), "w"))
        part(os.path.join(top, str(number), "w"))
sys.exit(bool(failures))
