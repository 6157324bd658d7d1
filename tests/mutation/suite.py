"""The tests of the quick loop: what each executes, and how one is run on a mutant."""
import hashlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import golden

SKIPPED = 77


class Test:
    """One test of ctest, with the programs of the build in its command."""

    def __init__(self, build, said):
        self.name = said["name"]
        self.command = said["command"]
        self.labels = next((p["value"] for p in said["properties"] if p["name"] == "LABELS"), [])
        self.programs = {i: p for i, word in enumerate(self.command)
                         if (p := build.program(word))}
        self.golden = Golden(self) if self.name.startswith("golden/") else None
        self.seconds = 0.0  # of CPU, unmutated
        self.lines = {}  # file -> a bit for each line that is executed

    def on(self, folder):
        """Its command, with the programs in `folder` in place of the build's."""
        return [os.path.join(folder, self.programs[i]) if i in self.programs else word
                for i, word in enumerate(self.command)]

    def run(self, folder, scratch, cpu, space=4 << 30):
        """Runs it on the programs in `folder`, as execute() does."""
        if self.golden:
            return self.golden.run(os.path.join(folder, *self.programs.values()), scratch, cpu, space)
        return execute(self.on(folder), scratch, cpu, None, space)

    def inputs(self, root):
        """The files and folders beside src/ that it alone depends on."""
        if self.name.startswith("golden/"):
            return [self.command[-1]]
        if self.name.startswith("unit/"):
            return [f"{root}/tests/unit", f"{root}/tests/support", f"{root}/tests/drawn"]
        return [f"{root}/tests/support"] + [
            os.path.dirname(w) for w in self.command if w.startswith(f"{root}/tests/")]


class Golden:
    """A golden case, run without golden/check.py, whose start takes longer than the case.

    measure() has check.py say that the case passes, and this one too.
    """

    def __init__(self, test):
        case = golden.Case(os.path.basename(test.command[-1]))
        expected = case.expected()
        self.at = os.path.join(golden.FOLDER, "..", "..", "fixtures")
        self.words, self.out, self.err, self.code = case.args, expected["out"], expected["err"], case.status()

    def run(self, program, scratch, cpu, space):
        """As execute(): what it writes goes into pipes, and more than a case writes is wrong."""
        os.makedirs(scratch, exist_ok=True)
        process = subprocess.Popen(limited([program, *self.words], cpu, space), cwd=self.at,
                                   env={**os.environ, "TMPDIR": scratch},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        said = {process.stdout: b"", process.stderr: b""}
        waiting = Waiting(process.pid)
        stuck = False
        with selectors.DefaultSelector() as pipes:
            for pipe in said:
                pipes.register(pipe, selectors.EVENT_READ)
            while pipes.get_map() and not stuck:
                ready = pipes.select(20)
                stuck = not ready and waiting.is_stuck()
                for key, _ in ready:
                    more = os.read(key.fd, 1 << 16)
                    said[key.fileobj] += more
                    if not more:
                        pipes.unregister(key.fileobj)
                    elif len(said[key.fileobj]) > 2 * len(self.out) + (1 << 20):
                        stuck = True
        kill(process.pid) if stuck else None
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
        kill(process.pid)
        out, err = said.values()
        process.stdout.close()
        process.stderr.close()
        code = os.waitstatus_to_exitcode(status)
        passed = (out, err, code) == (self.out, self.err, self.code)
        how = "it never ends" if stuck else f"status {code}" if code != self.code \
            else "other output"
        return passed, usage.ru_utime + usage.ru_stime, how, 0 if passed else 1


def single(said):
    """Yields a test of ctest; instead of the one that runs all golden cases, one for each case."""
    if said["name"] != "golden":
        yield said
        return
    for case in golden.names():
        yield {**said, "name": f"golden/{case}", "command": [*said["command"], os.path.join(golden.FOLDER, case)]}


def quick(build, wanted):
    """The tests of the quick loop that run what a mutant is in."""
    tests = [Test(build, one) for said in build.tests() for one in single(said)]
    return [t for t in tests if t.programs and
            (re.search(wanted, t.name) if wanted else "quick" in t.labels)]


# ---------------------------------------------------------------------- running
def limited(command, cpu, space):
    """A command whose processes may each take `cpu` seconds and `space` bytes (None: any)."""
    return ["prlimit", f"--cpu={cpu}", "--core=0", f"--fsize={256 << 20}",
            *([f"--as={space}"] if space else []), "--", *command]


def execute(command, folder, cpu, env=None, space=4 << 30):
    """Runs a test to its end: (passed, seconds of CPU, how it ended, its status).

    It is stopped when a process has used `cpu` seconds, or when none of them has run for a
    minute: one that waits for what never comes.  How long it takes by a clock is not asked.
    """
    scratch = os.path.join(folder, "scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    environment = {**os.environ, "TMPDIR": scratch, **(env or {})}
    started = time.monotonic()
    process = subprocess.Popen(limited(command, cpu, space), cwd=scratch, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    waiting = Waiting(process.pid)
    code, pid = None, 0
    while not pid:
        end = time.monotonic() + 20
        while not pid and time.monotonic() < end:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not pid:
                time.sleep(0.002 if time.monotonic() - started < 1 else 0.05)
        if pid:
            code = os.waitstatus_to_exitcode(status)
        elif waiting.is_stuck():
            kill(process.pid)
            pid, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0  # it has been waited for
    kill(process.pid)
    how = "it waits for ever" if code is None else f"status {code}"
    return code in (0, SKIPPED), usage.ru_utime + usage.ru_stime, how, code


class Waiting:
    """Asked every 20 seconds, reports when a session has not run for a minute."""

    def __init__(self, session):
        self.session = session
        self.idle, self.seen = 0, -1

    def is_stuck(self):
        now = worked(self.session)
        self.idle = self.idle + 1 if now == self.seen else 0
        self.seen = now
        return self.idle == 3


def worked(session):
    """The ticks of CPU of a session's processes; another number whenever one may run."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                said = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(said[3]) == session:
            if said[0] in "RD":
                return -time.monotonic()
            ticks += int(said[11]) + int(said[12])
    return ticks


def kill(session):
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        pass


def allowance(test):
    """The seconds of CPU that a mutant may use, which is twenty times what the test does."""
    return 5 + int(20 * test.seconds)


# --------------------------------------------------------------------- coverage
def digest(paths):
    """A hash of files, and of what is in folders."""
    total = hashlib.sha256()
    for path in paths:
        files = [path] if os.path.isfile(path) else sorted(
            os.path.join(at, f) for at, _, names in os.walk(path) for f in names
            if "__pycache__" not in at)
        for file in files:
            with open(file, "rb") as f:
                total.update(file.encode() + b"\0" + hashlib.sha256(f.read()).digest())
    return total.hexdigest()


def measure(tests, fast, coverage, folders, at, jobs, tell):
    """Runs each test once on both builds, for its seconds and its lines.

    What has been measured on the same sources is kept in at/lines.  Returns those that
    pass: one that does not, or is skipped, shows nothing about a mutant.
    """
    root = fast.root
    sources = digest([f"{root}/{p}" for p in ("src", "include", "proto", "fixtures")])
    kept = os.path.join(at, "lines")
    os.makedirs(kept, exist_ok=True)
    paths = [os.path.join(root, "src", f) for f in folders]

    def one(test):
        said = [sources, *test.command, *folders]
        name = hashlib.sha256("\0".join([*said, digest(test.inputs(root))]).encode()).hexdigest()
        file = os.path.join(kept, name[:24])
        if not os.path.exists(file):
            made = lines_of(test, fast, coverage, paths, os.path.join(at, "measuring", name[:24]))
            with open(file + ".new", "w", encoding="utf-8") as f:
                json.dump(made, f)
            os.replace(file + ".new", file)
        with open(file, encoding="utf-8") as f:
            made = json.load(f)
        test.seconds = made["seconds"]
        test.lines = {path: int(bits, 16) for path, bits in made["lines"].items()}
        return made["code"]

    with ThreadPoolExecutor(jobs) as pool:
        codes = list(pool.map(one, tests))
    for test, code in zip(tests, codes):
        if code != 0:
            tell(f"{test.name} shows nothing: it ends with {code} on what is not mutated")
    return [t for t, code in zip(tests, codes) if code == 0]


def lines_of(test, fast, coverage, paths, folder):
    """One test's status and seconds on the fast build, and its lines on the other."""
    os.makedirs(folder, exist_ok=True)
    _, seconds, _, code = execute(test.on(fast.at), folder, 600)
    if test.golden and code == 0:
        _, seconds, _, code = test.run(fast.at, folder, 600)
    raw = os.path.join(folder, "raw")
    execute(test.on(coverage.at), folder, 3600,
            {"LLVM_PROFILE_FILE": f"{raw}/%c%m.profraw"}, None)
    lines = {}
    counts = sorted(os.listdir(raw)) if os.path.isdir(raw) else []
    if counts:
        data = os.path.join(folder, "counts")
        subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", data,
                        *(os.path.join(raw, c) for c in counts)], check=True,
                       stderr=subprocess.DEVNULL)
        programs = sorted(set(test.programs.values()))
        objects = [os.path.join(coverage.at, programs[0])]
        for other in programs[1:]:
            objects += ["-object", os.path.join(coverage.at, other)]
        said = subprocess.run(["llvm-cov", "export", "-format=lcov", "-skip-functions",
                               "-instr-profile", data, *objects, *paths],
                              capture_output=True, text=True, check=True).stdout
        lines = executed(said, coverage.root)
    shutil.rmtree(folder)
    return {"code": code, "seconds": seconds,
            "lines": {path: hex(bits) for path, bits in lines.items()}}


def executed(lcov, root):
    """The lines that a report in lcov's format counts, as bits of a number by file."""
    lines, bits, path = {}, 0, None
    for line in lcov.splitlines():
        if line.startswith("SF:"):
            path, bits = os.path.relpath(os.path.realpath(line[3:]), root), 0
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            if int(count):
                bits |= 1 << int(number)
        elif line == "end_of_record" and bits:
            lines[path] = lines.get(path, 0) | bits
    return lines
