"""Draws mutants, runs the quick loop on them, and prints what it does not catch.

tests/README.md states the purpose, --help the options.
"""
import argparse
import difflib
import functools
import glob
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import build
import mutants
import suite

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
HERE = os.path.join(ROOT, "tests", "mutation")
AT = os.path.join(ROOT, "build-mutation")
# A folder of src/ with so many lines of code is judged by itself; a smaller one with the folder above, where that is judged.
LEAST_LINES = 300
# report/ is one, but for what its other folders print through.
WHOLE = ("report",)
# The share of mutants that the quick loop must kill.
BAR = 80
BARS = {"match": 85, "match/kernel": 85, "explain/diff": 85, "change/compare": 85, "judge/findings": 85,
        "judge/findings/rules": 85, "judge/gate": 85, "report/sheet": 85}
# Mutants a folder.
SAMPLE = 30
SAMPLES = {"report": 60, "cli": 60, "api": 60}
# So many of a survivor's tests are run with sanitizers, which mostly need but one.
SANITIZED = 30
UNREACHED = "no test executes this line"


def options():
    p = argparse.ArgumentParser(prog="tests/mutation/run", description=__doc__.split("\n")[0])
    p.add_argument("--folder", action="append", choices=sorted(folders()), metavar="NAME",
                   help="only this folder of src/ (may be repeated)")
    p.add_argument("--changed", metavar="COMMIT", help="only folders of src/ that differ from this commit's")
    p.add_argument("--file", action="append", metavar="PART",
                   help="only files whose path has PART in it (may be repeated)")
    p.add_argument("--seed", default="1", help="another seed, another sample (default: 1)")
    p.add_argument("--sample", type=int, metavar="N",
                   help=f"mutants a folder (default: {SAMPLE}, of a large one up to {max(SAMPLES.values())})")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    p.add_argument("--out", metavar="DIR", help="where results go (default: "
                   "build-mutation/seed-SEED); an earlier run's are replaced")
    p.add_argument("--resume", metavar="DIR", help="go on with the run that wrote DIR")
    p.add_argument("--survivors", metavar="DIR", help="judge again what survived the run in DIR, and "
                   "take over from it what was killed")
    p.add_argument("--only", action="append", metavar="ID", help="only this mutant (may be "
                   "repeated)")
    p.add_argument("--list", action="store_true", help="print the sample, and run nothing")
    p.add_argument("--tests", metavar="REGEX", help="these tests instead of the quick loop")
    return p.parse_args()


def tell(*words):
    print(*words, file=sys.stderr, flush=True)


# ----------------------------------------------------------------------- sample
def code_lines(path):
    """Lines of a C file that hold more than a comment."""
    with open(path, encoding="utf-8") as f:
        return sum(bool(line.strip()) for line in re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S).splitlines())


@functools.cache
def folders():
    """The folders of src/ that are judged, each with the files (.c) that count as its own."""
    files, lines = {}, {}
    for path in sorted(glob.glob(f"{ROOT}/src/**/*", recursive=True)):
        if path.endswith((".c", ".inc")):
            at = os.path.relpath(os.path.dirname(path), f"{ROOT}/src")
            if at not in BARS:
                at = next((w for w in WHOLE if at.startswith(w + "/")), at)
            lines[at] = lines.get(at, 0) + code_lines(path)
            files.setdefault(at, []).append(os.path.relpath(path, ROOT))
    judged = {at: [] for at in files if lines[at] >= LEAST_LINES or at in WHOLE}
    for at, own in files.items():
        home = at
        while home and home not in judged:
            home = os.path.dirname(home)
        if home:
            judged[home] += [f for f in own if f.endswith(".c")]
    missing = (set(BARS) | set(SAMPLES)) - set(judged)
    if missing:
        raise SystemExit(f"main.py names folders of src/ that are not there, or too small: {sorted(missing)}")
    return judged


@functools.cache
def homes():
    return {f: folder for folder, files in folders().items() for f in files}


def folder_of(path):
    """The folder that a file of src/ is judged with; None where none is."""
    return homes().get(path)


def files_of(folder, parts, compiled):
    """A folder's files that this system compiles: those of another one have no command here."""
    return [f for f in folders()[folder] if f in compiled and (not parts or any(p in f for p in parts))]


def changed(commit):
    """The folders of which a file differs from that of a commit."""
    said = subprocess.run(["git", "-C", ROOT, "diff", "--name-only", commit, "--", "src"],
                          capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(said.stderr.strip())
    at = {os.path.dirname(f).removeprefix("src/") for f in said.stdout.split()}
    return [f for f in folders() if f in at or any(os.path.dirname(p).removeprefix("src/") in at for p in folders()[f])]


def shares(weights, total):
    """`total` shared out by weight, at least one each, by largest remainder."""
    files = [f for f in weights if weights[f]]
    if len(files) >= total:
        return {f: 1 for f in sorted(files, key=lambda f: -weights[f])[:total]}
    rest = total - len(files)
    whole = sum(weights[f] for f in files)
    exact = {f: rest * weights[f] / whole for f in files}
    given = {f: 1 + int(exact[f]) for f in files}
    for f in sorted(files, key=lambda f: int(exact[f]) - exact[f])[:total - sum(given.values())]:
        given[f] += 1
    return given


class Compiler:
    """Compiles mutants, and separates those that change nothing or do not compile."""

    def __init__(self, fast):
        self.fast = fast
        self.originals = {}
        self.lock = threading.Lock()

    def original(self, path, folder):
        with self.lock:
            if path not in self.originals:
                with open(os.path.join(ROOT, path), "rb") as f:
                    source = f.read()
                made = self.fast.compile(path, source, folder)
                if not made:
                    raise SystemExit(f"{path} does not compile")
                self.originals[path] = (source, content(made))
            return self.originals[path]

    def compile(self, mutant, folder):
        """The object in `folder`, or None when it does not compile or is the same."""
        source, same = self.original(mutant.file, folder)
        made = self.fast.compile(mutant.file, mutant.apply(source), folder)
        return made if made and content(made) != same else None


def content(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).digest()


def draw(folder, opts, compiler, slots):
    """The sample of one folder: mutants that compile to something else."""
    found = {f: mutants.drawn(mutants.of_file(ROOT, f, parsing(compiler.fast, f)), opts.seed)
             for f in files_of(folder, opts.file, compiler.fast.commands)}
    every = [m for ms in found.values() for m in ms]
    if opts.only:
        return [m for m in every if m.key in opts.only], every
    lines = {f: len({m.line for m in ms}) for f, ms in found.items()}
    wanted = opts.sample or SAMPLES.get(folder, SAMPLE)
    # What compiles to something else is asked once for the same sources.
    said = [suite.digest([f"{ROOT}/src", f"{ROOT}/include", f"{HERE}/mutants.py", f"{HERE}/build.py"]), folder, opts.seed,
            str(wanted), *(opts.file or [])]
    kept = os.path.join(AT, "sample-" + hashlib.sha256("\0".join(said).encode()).hexdigest()[:16])
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            keys = set(json.load(f))
        return [m for m in every if m.key in keys], every

    def take(item):
        file, most = item
        slot = slots.get()
        taken = []
        for m in found[file]:
            if len(taken) == most:
                break
            if compiler.compile(m, slot):
                taken.append(m)
        slots.put(slot)
        return taken

    with ThreadPoolExecutor(opts.jobs) as pool:
        taken = list(pool.map(take, shares(lines, wanted).items()))
    taken = [m for ms in taken for m in ms]
    with open(kept, "w", encoding="utf-8") as f:
        json.dump([m.key for m in taken], f)
    return taken, every


def parsing(fast, path):
    if not hasattr(parsing, "own"):
        parsing.own = subprocess.run(["clang", "-print-resource-dir"], capture_output=True,
                                     text=True, check=True).stdout.strip()
    return fast.arguments(path) + ["-resource-dir", parsing.own]


# ---------------------------------------------------------------------- judging
class History:
    """Which test has killed what, so that it is asked first the next time."""

    def __init__(self, path):
        self.path = path
        self.killer = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.killer = json.load(f)

    def note(self, mutant, name):
        self.killer[mutant.key] = [mutant.file, mutant.function, name]

    def save(self):
        with open(self.path + ".new", "w", encoding="utf-8") as f:
            json.dump(self.killer, f)
        os.replace(self.path + ".new", self.path)

    def ordered(self, mutant, tests):
        """Tests by what they killed nearby, and by how little they cost."""
        score = {}
        for file, function, name in list(self.killer.values()):
            near = 0.01
            if file == mutant.file:
                near = 3 if function == mutant.function else 1
            elif folder_of(file) == folder_of(mutant.file):
                near = 0.1
            score[name] = score.get(name, 0) + near
        last = self.killer.get(mutant.key, [None] * 3)[2]

        def worth(t):
            return (t.name != last, -(score.get(t.name, 0) + 0.3) / (t.seconds + 0.02), t.name)
        return sorted(tests, key=worth)


def executing(mutant, tests):
    """The tests that execute a mutant's line; of data, those that execute its file."""
    if mutant.table:
        near = [t for t in tests if mutant.file in t.lines]
        return near or tests
    return [t for t in tests if t.lines.get(mutant.file, 0) >> mutant.line & 1]


def judge(mutant, fast, sanitized, compiler, tests, history, slot):
    """Runs the tests on a mutant until one fails: its row of results."""
    row = {"id": mutant.key, "file": mutant.file, "line": mutant.line,
           "function": mutant.function, "kind": mutant.kind, "from": mutant.before,
           "to": mutant.after, "killed": False}
    near = executing(mutant, tests)
    row["tests"] = [t.name for t in near]
    row["diff"] = hunk(mutant, compiler.original(mutant.file, slot)[0])
    made = compiler.compile(mutant, slot)
    if not made:
        row["same"] = True
        return row
    linked = set()
    for test in history.ordered(mutant, near):
        for program in set(test.programs.values()) - linked:
            fast.link(program, mutant.file, made, slot)
            linked.add(program)
        passed, _, how, _ = test.run(slot, slot, suite.allowance(test))
        if not passed:
            row.update(killed=True, by=test.name, how=how)
            history.note(mutant, test.name)
            return row
    row.update(sanitize(mutant, sanitized, compiler, near, slot))
    return row


def sanitize(mutant, build_, compiler, near, slot):
    """Asks the cheapest tests of a survivor once more, with sanitizers, as the quick loop does.

    What a test says of the mutant counts only where it passes without it.
    """
    made = build_.compile(mutant.file, mutant.apply(compiler.original(mutant.file, slot)[0]),
                          slot)
    linked = set()
    for test in sorted(near, key=lambda t: (t.seconds, t.name))[:SANITIZED] if made else []:
        for program in set(test.programs.values()) - linked:
            build_.link(program, mutant.file, made, slot)
            linked.add(program)
        cpu = 20 * suite.allowance(test)
        passed, _, how, _ = test.run(slot, slot, cpu, None)
        if not passed and test.run(build_.at, slot, cpu, None)[0]:
            return {"killed": True, "by": test.name, "how": f"{how}, with sanitizers"}
    return {}


def hunk(mutant, source):
    old = source.decode().splitlines()
    new = mutant.apply(source).decode().splitlines()
    return "\n".join(difflib.unified_diff(old, new, mutant.file, mutant.file, n=3,
                                          lineterm=""))


# ------------------------------------------------------------------------ report
def accepted():
    path = os.path.join(HERE, "accepted.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def reason(row, rows):
    """Why a survivor is accepted, or None."""
    for a in rows:
        if all(a[k] == row[k] for k in ("file", "function", "from", "to")):
            return a["reason"]
    return None


def survivor(row):
    """A survivor as text."""
    by = row["tests"]
    said = f"executed by {len(by)}: {', '.join(by[:8])}{', ...' if len(by) > 8 else ''}" \
        if by else UNREACHED
    return f"{row['file']}:{row['line']}: {row['id']} {row['kind']} in {row['function']}; {said}\n" \
           f"{row['diff']}\n"


def report(results, rows):
    """The table by folder; returns whether each meets its bar."""
    good = True
    print(f"{'folder':<15} {'mutants':>7} {'killed':>6} {'accepted':>8} {'rate':>6} {'bar':>4}")
    for folder in folders():
        bar = BARS.get(folder, BAR)
        here = [r for r in results if folder_of(r["file"]) == folder and not r.get("same")]
        if not here:
            continue
        killed = sum(r["killed"] for r in here)
        known = sum(not r["killed"] and reason(r, rows) is not None for r in here)
        rate = 100 * killed / len(here)
        good &= rate >= bar
        print(f"{folder:<15} {len(here):>7} {killed:>6} {known:>8} {rate:>5.1f}% {bar:>3}% "
              f"{'ok' if rate >= bar else 'below'}")
    return good


def stale(rows, every, judged):
    """Rows of accepted.json that no mutant is any more."""
    now = {(m.file, m.function, m.before, m.after) for m in every}
    return [a for a in rows if folder_of(a["file"]) in judged and
            (a["file"], a["function"], a["from"], a["to"]) not in now]


# -------------------------------------------------------------------------- run
def read_rows(folder):
    path = os.path.join(folder, "results.jsonl")
    if not os.path.exists(path):
        raise SystemExit(f"{folder} holds no results.jsonl")
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def main():
    opts = options()
    judged = opts.folder or (changed(opts.changed) if opts.changed else list(folders()))
    os.makedirs(AT, exist_ok=True)
    fast = build.Build(ROOT, AT, "fast", opts.jobs)
    slots = queue.Queue()
    for i in range(opts.jobs):
        slot = os.path.join(AT, f"slot-{os.getpid()}-{i}")
        os.makedirs(slot)
        slots.put(slot)
    try:
        return whole(opts, judged, fast, slots)
    finally:
        subprocess.run(f"rm -rf {AT}/slot-{os.getpid()}-*", shell=True, check=False)


def whole(opts, judged, fast, slots):
    compiler = Compiler(fast)
    before = read_rows(opts.survivors) if opts.survivors else []
    if before:
        opts.only = [r["id"] for r in before if not r["killed"]]
    sample, every = [], []
    for folder in judged:
        here, known = draw(folder, opts, compiler, slots)
        sample += here
        every += known
        tell(f"{folder}: {len(here)} of {len(known)} mutants")
    if opts.list:
        for m in sample:
            print(f"{m.file}:{m.line}: {m.key} {m.kind}: {m.before}  =>  {m.after}")
        return 0
    coverage = build.Build(ROOT, AT, "coverage", opts.jobs)
    tests = suite.measure(suite.quick(fast, opts.tests), fast, coverage, list(folders()), AT,
                          opts.jobs, tell)
    tell(f"{len(tests)} tests, {sum(t.seconds for t in tests):.0f} s of CPU once")
    out = opts.resume or opts.out or os.path.join(
        AT, f"{'survivors' if opts.survivors else 'only' if opts.only else 'seed'}-{opts.seed}")
    os.makedirs(out, exist_ok=True)
    sanitized = build.Build(ROOT, AT, "sanitized", opts.jobs)
    results = read_rows(opts.resume) if opts.resume else []
    done = {r["id"] for r in results}
    results = [r for r in results if r["id"] in {m.key for m in sample}]
    results += [r for r in before if r["killed"] and folder_of(r["file"]) in judged]
    run_all([m for m in sample if m.key not in done], results, out, opts, fast, sanitized,
            compiler, tests, slots)
    rows = accepted()
    results.sort(key=lambda r: (r["file"], r["line"], r["id"]))
    good = report(results, rows)
    for r in results:
        if not r["killed"] and not r.get("same") and reason(r, rows) is None:
            print("\n" + survivor(r), end="")
    for a in stale(rows, every, judged):
        print(f"\naccepted.json: stale: {a['file']} {a['function']}: {a['from']}")
        good = False
    with open(os.path.join(out, "report.json"), "w", encoding="utf-8") as f:
        json.dump({"seed": opts.seed, "sample": opts.sample or SAMPLE, "results": results}, f, indent=1)
    used = os.times()
    tell(f"{used.user + used.system + used.children_user + used.children_system:.0f} s of CPU; "
         f"{out}/report.json")
    return 0 if good else 1


def run_all(todo, results, out, opts, fast, sanitized, compiler, tests, slots):
    """Judges mutants, and writes each row, and each survivor, as it comes."""
    history = History(os.path.join(AT, "killers.json"))
    rows = accepted()
    lock = threading.Lock()
    if not opts.resume:
        for old in glob.glob(f"{out}/survivors-*.txt") + glob.glob(f"{out}/results.jsonl"):
            os.remove(old)
        with open(f"{out}/results.jsonl", "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in results)
    started = time.monotonic()
    done = 0

    def one(mutant):
        nonlocal done
        slot = slots.get()
        row = judge(mutant, fast, sanitized, compiler, tests, history, slot)
        slots.put(slot)
        with lock:
            results.append(row)
            done += 1
            with open(f"{out}/results.jsonl", "a", encoding="utf-8") as f:
                f.write(json.dumps(row) + "\n")
            if not row["killed"] and not row.get("same") and reason(row, rows) is None:
                folder = (folder_of(row["file"]) or "other").replace("/", "-")
                with open(f"{out}/survivors-{folder}.txt", "a", encoding="utf-8") as f:
                    f.write(survivor(row) + "\n")
            if done % 20 == 0 or done == len(todo):
                history.save()
                tell(f"{done} of {len(todo)} mutants, {sum(r['killed'] for r in results)} of "
                     f"{len(results)} killed, {time.monotonic() - started:.0f} s by the clock")

    # Folders mixed: what has been judged at any time is a sample of them all.
    with ThreadPoolExecutor(opts.jobs) as pool:
        list(pool.map(one, sorted(todo, key=lambda m: m.key)))


if __name__ == "__main__":
    sys.exit(main())
