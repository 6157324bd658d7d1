#!/usr/bin/python3
"""What `buildtime` adds up, held against a count of the logs' own lines.

    check_buildtime.py BINARY SHARED

Every log of the corpus and of both zoos is read here once more, by regular expressions: the
seconds of each layer and source, what was timed, cached or skipped, each step, the timing cache,
the plan and the weights in it.  Exit status 77 when SHARED is absent.
"""
import collections
import datetime
import glob
import json
import lzma
import os
import re
import sys

from harness import SHARED, check, failures, run

PREFIX = re.compile(r"^(\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d)\] )?(\[[\d/:-]+\] )*(\[[VIWEF]\] )?(\[TRT\] )?(\[[VIWEF]\] )?")
STEPS = (r"(?:\[MS\] )?(.*) completed in ([\d.e-]+) seconds\.?$", r"(.*) time: ([\d.e-]+) seconds\.?$",
         r"(Engine built) in ([\d.e-]+) sec\.?$", r"Finish.*(Pars)e time: ([\d.e-]+)$")


class Count:
    """All that the lines of one build state."""

    def __init__(self):
        self.spent = collections.defaultdict(collections.Counter)  # by layer and source
        self.skips = collections.Counter()
        self.steps = collections.Counter()
        self.facts = {}
        self.now = self.last = None
        self.stated = False

    def clock(self, stamp):
        if stamp:
            at = datetime.datetime.strptime(stamp, "%m/%d/%Y-%H:%M:%S")
            if self.last and self.now:
                self.spent[self.now]["stamped"] += max(0, (at - self.last).total_seconds())
            self.last = at

    def skip(self, key, why):
        if key:
            self.spent[key]["skipped"] += 1
            self.skips[key[1], why] += 1

    def tactic(self, line):
        if re.match(r"Tactic: \S+ skipped\. Scratch", line):
            self.skip(self.now, "too little workspace")
        elif re.match(r"Tactic: \S+ is the only option, timing skipped", line):
            self.skip(self.now, "only one tactic")
        elif self.now:
            self.spent[self.now]["kernels"] += 1

    def line(self, line):
        if re.match(r"Tactic(: | Name: )", line):
            self.tactic(line)
        elif found := re.match(r"-{15} Timing Runner: (.*) \(([^(\[]*).*\)$", line):
            self.now = found.groups()
            self.spent[self.now]["begun"] += 1
        elif found := re.match(r"(?:(.*) \(([^(\[]*)[^(]*\) profiling completed in (\S+) seconds\. )?Fastest Tactic: .* Time: (\S+)",
                               line):
            key = found.groups()[:2] if found[1] else self.now
            if found[3]:
                self.stated = True
                self.spent[key]["seconds"] += float(found[3])
            self.spent[key]["timed"] += found[4] != "inf"
            self.now = None
        elif line.startswith("=============== Computing "):
            self.now = None
        elif self.now and re.match(r" \(foreignNode\) +\d+, \d", line):
            self.spent[self.now]["kernels"] += 1
        elif found := re.match(r"(.*) \[.*\] got cached result: (\w+), tactic", line):
            self.spent[found.groups()]["cached"] += 1
        elif found := re.match(r"(\S+) has no valid tactics for this config, skipping", line):
            self.skip(self.now and (self.now[0], found[1]), "no valid tactic for a format combination")
        elif found := re.match(r"Skipping (\S+): No valid tactics for (.*)$", line):
            self.skip((found[2], found[1]), "no valid tactic for a format combination")
        else:
            self.whole(line)

    def whole(self, line):
        for form in STEPS:
            if found := re.match(form, line):
                self.steps[found[1].replace("Pars", "Parsing")] += float(found[2])
                return
        if found := re.match(r"(Global|Local) timing cache in use", line):
            self.facts["cache"] = found[1].lower()
        elif found := re.match(r"Deleting timing cache: (\d+) entries, (?:served )?(\d+) hits", line):
            self.facts.update(cache_entries=int(found[1]), cache_hits=int(found[2]))
        elif found := re.match(r"(Created|Loaded) engine (?:with )?size: ([\d.]+) MiB", line):
            if found[1] == "Created" or "plan_mib" not in self.facts or self.facts["plan_mib"] % 1 == 0:
                self.facts["plan_mib"] = float(found[2])
        elif found := re.match(r"Total Weights Memory: (\d+)", line):
            self.facts["log_weights"] = int(found[1])


def read_log(path):
    count = Count()
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            prefix = PREFIX.match(line)
            count.clock(prefix[2])
            count.line(line[prefix.end():].rstrip("\r\n "))
    return count


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)


def check_log(case, path):
    count, shown = read_log(path), json.loads(run(case, "buildtime", path, "-f", "json"))
    clock = "seconds" if count.stated else "stamped"
    known = any(spent[clock] for spent in count.spent.values())
    check(case, "where its seconds come from", shown.get("clock") == (
        None if not known else "stated" if count.stated else "time-stamps"), shown.get("clock"))
    rows = {(layer["name"], source["source"]): source for layer in shown["layers"] for source in layer["sources"]}
    check(case, "layers and sources", set(rows) == set(count.spent), set(rows) ^ set(count.spent))
    for key in set(rows) & set(count.spent):
        for what in ("timed", "kernels", "cached", "skipped"):
            check(case, f"{what} of {key}", rows[key][what] == count.spent[key][what], (rows[key], count.spent[key]))
        check(case, f"seconds of {key}", near(rows[key].get("seconds", 0), count.spent[key][clock]), rows[key])
        check(case, f"seconds of {key} are known", ("seconds" in rows[key]) == known)
    for group, part in (("layers", 0), ("sources", 1)):
        sums = collections.Counter()
        for key, spent in count.spent.items():
            sums[key[part]] += spent[clock]
        for row in shown[group]:
            name = row["name" if group == "layers" else "source"]
            check(case, f"seconds of {name}", near(row.get("seconds", 0), sums[name]), row)
    check(case, "sum", near(shown.get("seconds", 0), sum(s[clock] for s in count.spent.values())), shown.get("seconds"))
    check(case, "skips", {(s["source"], s["why"]): s["times"] for s in shown["skipped"]} == dict(count.skips),
          (shown["skipped"], count.skips))
    check(case, "steps", {s["step"] for s in shown["steps"]} == set(count.steps), (shown["steps"], count.steps))
    for step in shown["steps"]:
        check(case, f"step {step['step']}", near(step["seconds"], count.steps[step["step"]]), step)
    for fact in ("cache", "cache_entries", "cache_hits", "plan_mib", "log_weights"):
        check(case, fact, shown.get(fact) == count.facts.get(fact), (shown.get(fact), count.facts.get(fact)))
    if known:
        check_compared(case, path, shown["seconds"])
    return len(count.spent), known


def check_compared(case, path, seconds):
    """Compared with itself, nothing takes longer, and nothing is lost."""
    shown = json.loads(run(case, "compare", path, path, "-f", "json"))["buildtime"]
    for side in ("before", "after"):
        check(case, f"compare: seconds {side}", near(shown[f"timing_{side}"], seconds), shown[f"timing_{side}"])
        check(case, f"compare: layers' seconds {side}", near(sum(r[side] for r in shown["layers"]), seconds))
    check(case, "compare: no difference", all(r["before"] == r["after"] for r in shown["layers"]), shown["layers"][:3])


def main():
    if not os.path.isdir(os.path.join(SHARED, "corpus")):
        print("skipped: no", SHARED)
        return 77
    paths = [p for where in ("corpus/*/*.log", "zoo/cases/*/build.log*", "zoo-2/cases/*/build.log*")
             for p in sorted(glob.glob(os.path.join(SHARED, where)))]
    seen = [check_log(os.path.relpath(path, SHARED), path) for path in paths]
    check("all", "there are logs with seconds", sum(known for _, known in seen) >= 5, seen)
    print(f"{len(paths)} logs, {sum(n for n, _ in seen)} layers and sources, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
