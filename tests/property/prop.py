#!/usr/bin/python3
"""Property test: prop.py [SEEDS] marks fusiondiff against the simulator's truth.

For each seed a model is made, an engine is built from it by tests/support/fuser,
and the real binary reads both under several conditions (see `variants.py`).
Checked on every seed:

  * each node has exactly one fate, and no *proved* fate is wrong
  * the order of layers, consistent renaming of tensors or of nodes and the layout
    of the JSON change nothing in the mapping
  * a layer has the time of its row in the profile
  * the totals are those of the lists, in JSON, text, Markdown, DOT, SARIF and JUnit

Measured over all seeds and held to the bars below: precision and recall of the
links, for each condition and source of evidence.
"""
import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
sys.path.insert(0, HERE)

# (condition, evidence): (least precision, least recall) of the links, "any" being
# all links of the condition, "+region" with regions counted as found.  Set a little
# below what was measured over 1,000 seeds; raise them when the program gets better.
# They hold for 200 seeds and more: fewer say little.
#
# Conditions with `structure` in them claim what is likely, and so are not as sure as names and
# tensors alone: the steps in the names of generated kernels leave, of 300 seeds, 3 links of 1,000
# wrong without Metadata.  What lies between two kernels that were understood wrongly is then
# claimed wrongly by tensors.
BARS = {
    ("all", "any"): (0.999, 0.995),
    ("all", "metadata"): (1.0, 0.42),
    ("all", "name"): (1.0, 0.70),
    ("all", "tensor"): (0.999, 0.88),
    ("no metadata", "any"): (0.996, 0.92),
    ("metadata", "any"): (1.0, 0.86),
    ("name", "any"): (1.0, 0.69),
    ("tensor", "any"): (0.999, 0.88),
    ("tensor", "+region"): (0.0, 0.975),
    ("names only", "any"): (1.0, 0.69),
    ("log beside", "any"): (0.999, 0.997),
    ("log alone", "log"): (0.9999, 0.74),
    ("names and log", "any"): (0.9999, 0.90),
    ("log", "any"): (0.9999, 0.997),
}
ENOUGH_SEEDS = 200

# Least share of nodes whose fate is right, by condition.
FATE_BARS = {"all": 0.998, "no metadata": 0.99, "metadata": 0.83, "name": 0.71,
             "tensor": 0.994, "names only": 0.71, "log beside": 0.998, "log alone": 0.81,
             "names and log": 0.93, "log": 0.998}


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("seeds", nargs="?", type=int, default=200)
    p.add_argument("--first", type=int, default=1, help="the first seed")
    p.add_argument("--binary", default="build/fusiondiff")
    p.add_argument("--models", metavar="DIR",
                   help="build from the ONNX files in DIR instead of made ones")
    p.add_argument("--kind", help="only this kind of model")
    p.add_argument("--style", help="only this style of names")
    p.add_argument("--generation", type=float)
    p.add_argument("--keep", metavar="DIR", help="leave the cases there")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("-v", "--verbose", action="store_true",
                   help="print each wrong link and fate")
    return p.parse_args()


def files(folder):
    found = [os.path.join(d, f) for d, _, names in os.walk(os.path.abspath(folder))
             for f in names if f.endswith(".onnx")]
    return sorted(found)


def one(job):
    """One seed: (seed, list of faults, Score)."""
    import checks
    import score
    from fuser import fuse
    seed, a = job
    faults, total = [], score.Score()
    try:
        with tempfile.TemporaryDirectory(prefix="fsd-prop-") as tmp:
            folder = os.path.join(a.keep, "%d" % seed) if a.keep else tmp
            if a.models:
                path = a.models[seed % len(a.models)]
                model, result = fuse.given(path, seed, a.generation)
            else:
                model, result = fuse.case(seed, a.kind, a.generation, style=a.style)
            fuse.write(folder, result, model)
            faults = checks.run(a, seed, folder, model, result, total)
    except Exception:
        faults.append("the test itself failed:\n" + traceback.format_exc())
    return seed, faults, total


def report(a, failed, total, seconds):
    """The tables, and whether all bars are met."""
    print(total.table())
    usual = not (a.models or a.kind or a.style or a.generation)
    low = total.below(BARS, FATE_BARS) if usual and a.seeds >= ENOUGH_SEEDS else []
    for line in low:
        print("below the bar:", line)
    again = "tests/property/prop.py 1 --first %%d --binary %s -v" % a.binary
    for opt in ("folder", "kind", "style", "generation"):
        if getattr(a, opt):
            again += " --%s %s" % (opt.replace("folder", "models"), getattr(a, opt))
    for seed, faults in failed[:None if a.verbose else 20]:
        print("seed %d: %s" % (seed, faults[0]))
        for f in faults[1:6 if not a.verbose else None]:
            print("        ", f)
        print("  repeat:", again % seed)
    print("%d seeds, %d failed, proved fates wrong: %d, %.0f s" % (
        a.seeds, len(failed), total.proved_wrong, seconds))
    return not failed and not low


def main():
    a = arguments()
    try:
        import onnx  # noqa: F401
    except ImportError:
        print("skipped: python3-onnx is not installed")
        return 77
    import score
    if not os.access(a.binary, os.X_OK):
        print("no such program:", a.binary)
        return 1
    a.binary, a.folder = os.path.abspath(a.binary), a.models
    a.models = a.models and files(a.models)
    print("first seed %d" % a.first)
    begin, total, failed = time.time(), score.Score(), []
    jobs = [(s, a) for s in range(a.first, a.first + a.seeds)]
    with multiprocessing.Pool(min(a.jobs, len(jobs))) as pool:
        for seed, faults, part in pool.imap(one, jobs, chunksize=4):
            total.add(part)
            if faults:
                failed.append((seed, faults))
    return 0 if report(a, failed, total, time.time() - begin) else 1


if __name__ == "__main__":
    sys.exit(main())
