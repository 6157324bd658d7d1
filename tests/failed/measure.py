#!/usr/bin/python3
"""What the program says of failed builds, against what is known of them:  measure.py BINARY ../shared [--bars] [-v]

The builds are those that were made to fail (failures.tsv, with e3.tar.xz), the refused ones of the zoos (refused_zoo.tsv)
and logs of each form of message (forms.tsv).  The tables state the class of each and the node or tensor at fault.  --bars
fails below 95 % of the classes and 90 % of the places, and where a log with an error passes a snapshot, a check or a run.
"""
import collections
import csv
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile

CLASS_BAR, PLACE_BAR = 0.95, 0.90
ZOOS = ("zoo", "zoo-2", "zoo-4")


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def report_of(binary, model, log):
    """The JSON, and the exit status; None where there is no report."""
    done = subprocess.run([binary, model, log, "-f", "json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        return None, done.returncode


def names_of(report):
    """Of a node without a name in the table its operator stands there."""
    return [n.get("name", "") for n in report["nodes"]] + report["tensors"] + [n["op"] for n in report["nodes"]]


class Count:
    def __init__(self):
        self.right, self.all, self.wrong = 0, 0, []

    def add(self, is_right, why):
        self.all += 1
        self.right += bool(is_right)
        if not is_right:
            self.wrong.append(why)

    def share(self):
        return self.right / self.all if self.all else 1.0


def provoked(shared, folder):
    """Case, class, names of which one is at fault, model, log."""
    with tarfile.open(os.path.join(shared, "builder", "e3.tar.xz")) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    for row in rows(os.path.join(shared, "builder", "failures.tsv")):
        if row["stage"] == "builds":
            continue
        base = os.path.join(folder, "e3", row["case"])
        names = {n for n in (row["node_at_fault"],) if n}
        yield row["case"], row["class"], names, base + ".onnx", base + ".log"


def refused(shared, folder):
    for row in rows(os.path.join(shared, "builder", "refused_zoo.tsv")):
        for zoo in ZOOS:
            at = os.path.join(shared, zoo, "failed", row["case"])
            if not os.path.isdir(at):
                continue
            log = os.path.join(folder, row["case"] + ".log")
            with lzma.open(os.path.join(at, "build.log.xz")) as packed, open(log, "wb") as out:
                out.write(packed.read())
            names = {n for n in (row["node"],) if n and n != "?"}
            yield row["case"], row["class"], names, os.path.join(at, "model.onnx"), log


def forms(shared, _folder):
    at = os.path.join(shared, "builder", "small_models", "forms")
    for row in rows(os.path.join(shared, "builder", "forms.tsv")):
        names = set() if row["names"] == "-" else {row["names"]} if row["names"] == "region" else set(row["names"].split())
        yield row["log"], row["class"], names, os.path.join(at, "fn.onnx"), os.path.join(at, row["log"] + ".log")


# Of fn.onnx the nodes between /n2/Transpose and /n7/Add, both ends included.
REGION = {"/n2/Transpose", "/n3/MatMul", "/n4/Add", "/n5/Relu", "/n6/MatMul", "/n7/Add"}


def is_place(report, names):
    found = names_of(report)
    if names == {"region"}:
        return {n["name"] for n in report["nodes"]} == REGION
    return names <= set(found) if len(names) > 1 else bool(names & set(found))


def measure(binary, shared, folder):
    counts = collections.OrderedDict()
    passed = []
    for title, cases in (("failures.tsv", provoked), ("refused_zoo.tsv", refused), ("forms.tsv", forms)):
        classes, places = Count(), Count()
        for case, known, names, model, log in cases(shared, folder):
            report, status = report_of(binary, model, log)
            if status != 2:
                passed.append(case)
            is_class = report["class"] if report else "no report"
            classes.add(is_class == known, f"{case}: {is_class}, not {known}")
            if names:
                found = names_of(report) if report else []
                places.add(report and is_place(report, names), f"{case}: {found[:6]}, not {sorted(names)}")
        counts[title] = (classes, places)
    return counts, passed


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("-")]
    if len(args) != 2:
        sys.exit(__doc__)
    binary, shared = os.path.abspath(args[0]), args[1]
    if not os.path.exists(os.path.join(shared, "builder", "failures.tsv")):
        print(f"{shared}/builder is not there: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        counts, passed = measure(binary, shared, folder)
    bad = False
    for title, (classes, places) in counts.items():
        print(f"{title}: class {classes.right} of {classes.all}, place {places.right} of {places.all}")
        if "-v" in sys.argv or "--bars" in sys.argv:
            for line in classes.wrong + places.wrong:
                print("   ", line)
        bad |= classes.share() < CLASS_BAR or places.share() < PLACE_BAR
    print("no failed build passes" if not passed else f"taken as built: {', '.join(passed)}")
    sys.exit("--bars" in sys.argv and (bad or bool(passed)))


if __name__ == "__main__":
    main()
