"""judge.py BINARY FOLDER [SHARED] [options]: the conformance suite.

Builds all of onnx's tests of backends, and SHARED/models, with TensorRT for RTX, and scores what BINARY says of
models and engines.  Prints a table by suite and family with the worst cases, and writes all of it as JSON.
Exit status 1 when a figure is worse than it must be."""
import argparse
import collections
import concurrent.futures
import functools
import json
import os
import random
import subprocess
import sys

import cases
import engines
import score

TARGET = "rtx-{version}:{capability}"
# Families of a sample, and of each how many models; networks take seconds each.
SAMPLE_OF_FAMILY = 4
# Outcomes of builds that say nothing of the model.
UNJUDGED = ("time", "harness")


def sample(all_cases, seed):
    """Some of each family, small ones, the same for the same seed."""
    picked = []
    for family, members in sorted(cases.by_family([c for c in all_cases if c.suite != "shared"]).items()):
        if family != "network":
            picked += random.Random(f"{seed} {family}").sample(members, min(SAMPLE_OF_FAMILY, len(members)))
    return picked


class Sums:
    """Counts of many cases, and which of them are the worst."""

    def __init__(self):
        self.n, self.worst = collections.Counter(), collections.defaultdict(list)

    def take(self, case, one):
        self.n["cases"] += 1
        self.n.update(one.n)
        for key, value, note in one.notes:
            self.worst[key].append((value, case.name, note))


def ratio(a, b):
    return a / b if b else None


def shown(a, b):
    return f"{100 * a / b:.1f}" if b else "-"


# heading -> what stands in a row of the table
COLUMNS = (
    ("cases", lambda n: n["cases"]),
    ("built", lambda n: n["built"]),
    ("not read", lambda n: n["crash"] + n["not read"]),
    ("remarks", lambda n: n["remarks"]),
    ("shapes known", lambda n: f"{shown(n['data known'], n['data outputs'])}"),
    ("unknown", lambda n: n["strict unknown"]),
    ("different", lambda n: n["strict different"] + n["data different"]),
    ("refused", lambda n: n["refused"]),
    ("foreseen", lambda n: shown(n["foreseen"], n["refused"])),
    ("false", lambda n: n["false alarms"]),
    ("P", lambda n: shown(n["computing right"], n["computing ours"])),
    ("R", lambda n: shown(n["computing found"], n["computing total"])),
    ("R all", lambda n: shown(n["all found"], n["all total"])),
    ("outcomes", lambda n: shown(n["outcomes right"], n["outcomes"])),
    ("misfit", lambda n: n["doubted"]),
    ("other", lambda n: n["other model"]),
    ("precision?", lambda n: n["computing layers of unknown precision"]),
    ("inserted", lambda n: f"{n['inserted missed']}/{n['inserted invented']}"),
    ("trips", lambda n: shown(n["round trips"] - n["round trips failed"], n["round trips"])),
)
# What is wrong of a case; the worst ones are named.
WRONG = ("crash", "not read", "remarks", "shapes not told", "strict unknown", "strict different", "ceil_mode unknown",
         "ceil_mode different", "data different", "missed", "false alarms", "refused by the program",
         "failed without Metadata", "other layers than the log", "doubted", "other model", "conflicts",
         "outcomes wrong", "told outcomes wrong", "told wrong", "told missed", "computing wrong", "computing missed",
         "computing layers without node", "computing layers of unknown precision", "unexplained", "type unknown",
         "layout unknown", "inserted missed", "inserted invented", "inserted, though Metadata has nodes",
         "round trips failed", *UNJUDGED)
# What must be so: key -> the most there may be.
MOST = {key: 0 for key in ("crash", "not read", "remarks", "shapes not told", "strict unknown", "strict different",
                           "data different", "false alarms", "round trips failed", "other layers than the log",
                           "doubted", "other model")}
# What a page keeps of the last whole run stands between these.
MARKS = ("<!-- figures -->", "<!-- end of figures -->")
# Least part of the refused models that lint foresees.
FORESEEN = 0.96
# What links without Metadata are to reach, which no run fails for yet: name, of what, in which, least part.
AIMS = (("precision of links", "computing right", "computing ours", 0.99),
        ("recall of links", "computing found", "computing total", 0.96))


def table(rows):
    """The lines of a table in Markdown."""
    cells = [[name for name, _ in (("", None), *COLUMNS)]]
    cells += [[name, *(str(value(sums.n)) for _, value in COLUMNS)] for name, sums in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(line, widths))) + " |" for line in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)) + "|")
    return lines


def readings(n):
    """Recall over nodes that compute, read in more ways than one."""
    total = n["computing total"]
    ways = (("every link counts alike, as R", n["computing found"], total),
            ("but for nodes that are folded here", n["computing found"], total - n["missed: folded here"]),
            ("every model counts alike", n["models' shares"], n["models with links"]),
            ("every model that no function was unfolded in", n["plain models' shares"], n["plain models with links"]))
    return ["| recall without Metadata, over nodes that compute | |", "|---|---:|",
            *(f"| {way} | {shown(a, b)} |" for way, a, b in ways)]


def causes(groups):
    """The families by the links that they miss, and why."""
    lines = ["| links missed, over nodes that compute | links | missed | " + " | ".join(score.CAUSES) + " |",
             "|---|" + "---:|" * (2 + len(score.CAUSES))]
    rows = [(sums.n["computing total"] - sums.n["computing found"], name, sums.n) for name, sums in groups.items()
            if name.startswith("family")]
    for missed, name, n in sorted(rows, key=lambda row: (-row[0], row[1])):
        if missed:
            lines.append(f"| {name} | {n['computing total']} | {missed} | "
                         + " | ".join(str(n[f"missed: {cause}"]) for cause in score.CAUSES) + " |")
    return lines


def worst_of(sums, most):
    """Of each figure the cases that are wrong most, with one note each."""
    for key in WRONG:
        by_case, note = collections.Counter(), {}
        for value, name, text in sums.worst.get(key, ()):
            by_case[name] += value
            note.setdefault(name, text)
        if by_case:
            print(f"\n{key}: {sum(by_case.values())} in {len(by_case)} cases")
            for name, value in sorted(by_case.items(), key=lambda item: (-item[1], item[0]))[:most]:
                print(f"  {value:4} {name}: {note[name]}".rstrip(": "))


def update(path, lines):
    """Writes the table, and what it was made with, between the marks of a page."""
    with open(path, encoding="utf-8") as file:
        head, _, rest = file.read().partition(MARKS[0] + "\n")
    tail = rest.partition(MARKS[1])[2]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([head + MARKS[0], made_with(), "", *lines, MARKS[1]]) + tail)


def failures(total, whole):
    bad = [f"{key}: {total.n[key]}, must be at most {most}" for key, most in MOST.items() if total.n[key] > most]
    if whole and total.n["foreseen"] < FORESEEN * total.n["refused"]:
        bad.append(f"refusals foreseen: {shown(total.n['foreseen'], total.n['refused'])} %, "
                   f"must be {100 * FORESEEN:.0f} %")
    return bad


def aims(total):
    """What is published and not held yet: of links over nodes that compute, without Metadata."""
    return [f"{name}: {shown(total.n[have], total.n[of])} %, the bar of the statements issue is {100 * least:.0f} %: "
            + ("reached" if total.n[have] >= least * total.n[of] else "not reached")
            for name, have, of, least in AIMS]


@functools.cache
def commit():
    done = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "describe", "--always", "--dirty"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip()


def versions():
    from importlib.metadata import version
    return {name: version(name) for name in ("onnx", "numpy", "tensorrt-rtx-cu13-bindings")}


def made_with():
    return f"Commit {commit()}, " + ", ".join(f"{name} {v}" for name, v in versions().items()) + \
        f", engines for {engines.CAPABILITY}."


def judge(binary, wanted, made, jobs):
    target = TARGET.format(version=".".join(made.version.split(".")[:2]), capability=engines.CAPABILITY.lower())
    groups = collections.OrderedDict()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda c: score.score_of(binary, c, made, target), wanted)
        for case, one in zip(wanted, done):
            for name in ("total", f"suite {case.suite}", f"family {case.family}"):
                groups.setdefault(name, Sums()).take(case, one)
    return groups


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("folder", help="where models and the JSON go")
    parser.add_argument("shared", nargs="?", help="exporters' models beside the project")
    parser.add_argument("--cache", help="where engines are kept from run to run; FOLDER by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", metavar="SEED", help="some models of each family only")
    parser.add_argument("--suite", action="append", help=f"of {', '.join(cases.SUITES)} this one; may be repeated")
    parser.add_argument("--case", action="append", help="this model; may be repeated")
    parser.add_argument("--update", metavar="PAGE", help="keep the table in this page, docs/reference/conformance.md")
    parser.add_argument("--table", help="what tests/ops/table.c was built as")
    parser.add_argument("--worst", type=int, default=8, metavar="N", help="name so many cases of each figure (8)")
    return parser.parse_args()


def main():
    args = arguments()
    commit()    # before a page is changed
    os.makedirs(args.folder, exist_ok=True)
    wanted = cases.collect(args.folder, args.shared)
    if args.sample is not None:
        wanted = sample(wanted, args.sample)
    wanted = [c for c in wanted if c.suite in (args.suite or cases.SUITES) and c.name in (args.case or (c.name,))]
    made = engines.Engines(args.cache or args.folder, args.shared)
    built = engines.build_all(made, wanted, args.jobs)
    groups = judge(args.binary, wanted, made, args.jobs)
    rows = sorted(groups.items(), key=lambda item: (item[0] == "total", not item[0].startswith("suite")))
    lines = table(rows)
    print("\n".join(lines))
    more = ["", *readings(groups["total"].n), "", *causes(groups)]
    print("\n".join(more))
    if args.update:
        update(args.update, lines + more)
    worst_of(groups["total"], args.worst)
    strange = score.unknown_operators(args.table) if args.table else []
    bad = failures(groups["total"], args.sample is None)
    bad += strange
    with open(os.path.join(args.folder, "conformance.json"), "w", encoding="utf-8") as file:
        json.dump({"commit": commit(), "versions": versions(), "failures": bad,
                   "groups": {name: {"figures": dict(sorted(s.n.items())),
                                     "worst": {k: sorted(v, reverse=True) for k, v in sorted(s.worst.items())}}
                              for name, s in rows if name == "total" or not args.sample}}, file, indent=1)
    print(f"\n{len(wanted)} models, {built} of them built in this run.  {made_with()}")
    if not args.table:
        print("the table of operators was not checked: no op_table, which the tests build")
    if args.sample is None:
        print("\n".join(aims(groups["total"])))
    for line in bad:
        print("FAILED", line)
    return 1 if bad else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)    # the builder ends badly with the interpreter
