#!/usr/bin/python3
"""The recipes of docs/builds.md as they stand there:  check.py BINARY SOURCE ENV

Each is run over the same list in a folder of its own, hosts and clusters being this machine,
and has to write the lines that `batch` writes; the questions have answers that are counted
from the reports.  ENV holds python with the package and Ray, and DuckDB.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ci"))
    import runner
except ImportError:
    yaml = None

BINARY, SOURCE, ENV = (os.path.abspath(path) for path in sys.argv[1:4])
PAIRS = ["qat_block/model.onnx qat_block/engine.graph.json", "kernels/model.onnx kernels/engine.log",
         "qat_block/model.onnx none.json", "ort/model.onnx ort/optimized.onnx", "kernels/loop.onnx kernels/loop.log"] * 15
bad = []


def claim(holds, what):
    if not holds:
        bad.append(what)


def recipes():
    """By language, in their order."""
    with open(f"{SOURCE}/docs/builds.md", encoding="utf-8") as page:
        return re.findall(r"^```(sh|yaml|python|sql)\n(.*?)^```$", page.read(), re.M | re.S)


def run(at, *args, **more):
    """Ray starts a cluster of its own: without an address it would join one of another run."""
    path = ":".join((f"{at}/bin", ENV, os.environ["PATH"]))
    return subprocess.run(args, cwd=at, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": path, "RAY_ADDRESS": "local", "RAY_DEDUP_LOGS": "0"}, **more)


def play_matrix(at, recipe):
    """The jobs on machines of their own; what is uploaded by all becomes the reports."""
    workflow, artifacts = yaml.safe_load(recipe), {}
    runner.git(at, "init", "-q")
    runner.git(at, "add", "-A")
    runner.git(at, "commit", "-qm", "all")
    for part in workflow["jobs"]["analyse"]["strategy"]["matrix"]["part"]:
        one = runner.Runner(f"{at}/machines/{part}", SOURCE, at, at, artifacts, bins=[f"{at}/bin"])
        claim(not one.job(workflow, "analyse", matrix={"part": part}), f"part {part}: {one.log}")
    one = runner.Runner(f"{at}/machines/report", SOURCE, at, at, artifacts)
    claim(not one.job(workflow, "report"), f"report: {one.log}")
    shutil.copy(f"{one.work}/reports.jsonl", at)


def play(at, kind, recipe):
    """False where what it takes is absent."""
    if kind == "yaml":
        if not yaml:
            return False
        play_matrix(at, recipe)
    elif kind == "python":
        done = run(at, "python", "-", input=recipe)
        claim(not done.returncode, f"Ray: {done.stderr[-2000:]}")
    else:
        tool = recipe.split()[0]
        if not shutil.which(tool, path=f"{at}/bin:{os.environ['PATH']}"):
            return False
        done = run(at, "sh", "-c", recipe)
        claim(done.returncode in (1, 2), f"{recipe}: status {done.returncode}, {done.stderr}")    # a pair is bad
    return True


def check_recipe(kind, recipe, want):
    with tempfile.TemporaryDirectory() as at:
        os.mkdir(f"{at}/bin")
        os.symlink(BINARY, f"{at}/bin/fusiondiff")
        for name in ("qat_block", "kernels", "ort"):
            shutil.copytree(f"{SOURCE}/fixtures/{name}", f"{at}/{name}")
        with open(f"{at}/pairs.txt", "w", encoding="utf-8") as file:
            file.writelines(pair + "\n" for pair in PAIRS)
        with open(f"{at}/hosts", "w", encoding="utf-8") as file:
            file.write(":\n")
        if not play(at, kind, recipe):
            print(f"skipped, as what it takes is not there: {recipe.splitlines()[0]}")
            return
        with open(f"{at}/reports.jsonl", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        shown = [{key: line[key] for key in ("pair", "report", "error") if key in line} for line in lines]
        if kind == "yaml":    # each job has its own order
            shown, want = (sorted(some, key=lambda line: line["pair"]) for some in (shown, want))
        claim(shown == want, f"{kind}, {recipe.splitlines()[0]}: other lines than those of batch")


def check_questions(sql, want):
    with tempfile.TemporaryDirectory() as at:
        with open(f"{at}/reports.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in want)
        done = run(at, "duckdb", "-json", input=sql)
        failed, rules, moved = (json.loads(part) for part in re.split(r"(?<=\])\n(?=\[)", done.stdout.strip()))
        claim([row["status"] for row in failed] == ["io"] * 15, f"pairs that failed: {failed}")
        found = [finding["rule"] for line in want if "report" in line for finding in line["report"]["findings"]]
        claim({row["rule"]: row["findings"] for row in rules} == {rule: found.count(rule) for rule in found}, f"rules: {rules}")
        reformats = [layer for line in want if "report" in line for layer in line["report"]["layers"] if layer["kind"] == "reformat"]
        sizes = sorted((layer["bytes"] for layer in reformats if "bytes" in layer), reverse=True)
        claim(len(moved) == min(20, len(reformats)) > 0 and
              [row["bytes"] for row in moved] == sizes[:20], f"layers: {moved}")


def main():
    done = subprocess.run([BINARY, "batch", "-"], input="\n".join(PAIRS), capture_output=True, text=True, check=False,
                          cwd=f"{SOURCE}/fixtures")
    want = [json.loads(line) for line in done.stdout.splitlines()]
    want = [{key: line[key] for key in ("pair", "report", "error") if key in line} for line in want]
    claim(len(want) == len(PAIRS), "batch writes other lines than the list has")
    played = 0
    for kind, recipe in recipes():
        if kind == "sql":
            check_questions(recipe, want)
        else:
            check_recipe(kind, recipe, want)
        played += 1
    claim(played == 5, f"{played} recipes stand in docs/builds.md")
    print("\n".join(bad) or f"{played} recipes, each of which writes what batch writes")
    sys.exit(bool(bad))


main()
