#!/usr/bin/python3
"""Snapshots that 0.2.0 took, checked by this version: an upgrade alone fails no gate.

    older.py BINARY FIXTURES [SHARED]

fixtures/gate/snapshots-0.2.0.tar.xz has a snapshot of each pair of model and engine of ../shared, and of some
fixtures; its LIST states whose each is.  Model and engine are as they were then, so that each check passes, with the
note that the snapshot holds less than is compared, and one with a count where this version reads otherwise.
Those of SHARED are skipped where it is not there.  Its folder snapshots-f97614e has those of a later version; the
logs of these builds are given with other time stamps, so that no file is the one of the snapshot.
"""
import collections
import concurrent.futures
import json
import lzma
import os
import re
import subprocess
import sys
import tarfile
import tempfile

BINARY, FIXTURES = sys.argv[1:3]
SHARED = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else ""


def check(folder, row):
    snapshot, root, *files = row
    files = [os.path.join(FIXTURES if root == "fixtures" else SHARED, f) for f in files]
    if not all(map(os.path.exists, files)):
        return None
    done = subprocess.run([BINARY, "check", os.path.join(folder, snapshot), *files, "-f", "json"],
                          capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return files[1], [done.stderr.strip()[:200]]
    said = json.loads(done.stdout)["findings"]
    rules = [f["rule"] for f in said]
    loud = [f"{f['rule']}: {f['message'][:150]}" for f in said if f["severity"] != "info"]
    if rules.count("snapshot-older") != 1 or set(rules) - {"snapshot-older", "snapshot-reread"}:
        loud.append(f"other notes: {rules}")
    return files[1], loud if loud or done.returncode else rules


def stamped(path, folder, name):
    """A copy of a dump that differs in what no build repeats."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\]", "[07/14/2031-12:34:56]", text, flags=re.M)
    copy = os.path.join(folder, name + (".json" if path.endswith(".json") else ".log"))
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text + ("\n" if path.endswith(".json") else ""))
    return copy


def later(folder):
    """Rows of snapshots-f97614e."""
    snapshots = os.path.join(SHARED, "snapshots-f97614e")
    for name in sorted(os.listdir(snapshots)) if os.path.isdir(snapshots) else ():
        for part in ("zoo/cases", "zoo-2/cases", "zoo-4/cases", "corpus"):
            case = os.path.join(SHARED, part, name.removesuffix(".fsd"))
            dump = next((p for p in (os.path.join(case, f) for f in ("engine.graph.json", "build.log", "build.log.xz"))
                         if os.path.exists(p)), None)
            if dump:
                yield [os.path.join(snapshots, name), "shared", os.path.join(case, "model.onnx"),
                       stamped(dump, folder, name)]
                break


def main():
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(os.path.join(FIXTURES, "gate/snapshots-0.2.0.tar.xz")) as archive:
            archive.extractall(folder)
        with open(os.path.join(folder, "LIST"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        rows += later(folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [f for f in pool.map(lambda row: check(folder, row), rows) if f]
    notes, failed = collections.Counter(), 0
    for name, rules in found:
        wrong = [r for r in rules if " " in r]
        failed += bool(wrong)
        notes.update(r for r in rules if " " not in r)
        for line in wrong[:3]:
            print("FAILED", name, line)
    print(f"{len(found)} of {len(rows)} snapshots by earlier versions, {failed} failed:", dict(notes))
    sys.exit(failed > 0 or not found)


main()
