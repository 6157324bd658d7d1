"""Runs the real binary and holds what must be true of every run.

Exit status 0, 1 or 2; no signal; an end; a bound on memory; a reason on
standard error when the status is 2 and nothing otherwise; no byte that a terminal would obey;
valid UTF-8.
"""
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bounds  # noqa: E402
import program  # noqa: E402
import reports  # noqa: E402

SECONDS = 60                    # of processor time: ten times what the largest inputs here take
MEMORY = 3 << 30                # of address space, without sanitizers

# Bytes that change what a terminal or a reader sees without being seen.
HIDDEN = [(0, 8), (0x0B, 0x1F), (0x7F, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E),
          (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0x61C, 0x61C), (0xFFF9, 0xFFFB),
          (0xE0000, 0xE007F)]
ANY_HIDDEN = re.compile("[%s]" % "".join("%s-%s" % (chr(a), chr(b)) for a, b in HIDDEN))


def hidden_in(text):
    found = ANY_HIDDEN.search(text)
    return found and found.group()


class Harness:
    """Of `share` cases one is run.  A build with sanitizers needs ten times as long for a run, and
    takes a sample of what the Release build runs whole."""
    def __init__(self, binary, share=1):
        self.share = share
        self.binary = os.path.abspath(binary)
        with open(self.binary, "rb") as file:
            self.sanitized = b"__asan_init" in file.read()
        self.failures = 0
        self.verbose = bool(os.environ.get("VERBOSE"))
        self.runs = 0
        self.slowest = (0.0, "")
        self.folder = tempfile.mkdtemp(prefix="fusiondiff-hostile-")

    def check(self, holds, case, what):
        if not holds:
            self.failures += 1
            print("FAILED %s: %s" % (case, what))
        return holds

    def some(self, cases):
        """A seeded sample of the cases, one of each `share` neighbours, and at least one."""
        rng, chosen, last = random.Random(self.share), 0, None
        for at, case in enumerate(cases):
            if at % self.share == 0:
                chosen = at + rng.randrange(self.share)
            if at == chosen:
                yield case
            last = at, case
        if last and chosen > last[0] and last[0] < self.share:      # fewer cases than one of which is taken
            yield last[1]

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def limit(self):
        if not self.sanitized:      # the address sanitizer maps terabytes
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        seconds = SECONDS * (4 if self.sanitized else 1)
        bounds.processor(seconds)()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, case, *args, **more):
        """The exit status and what was written to standard output."""
        return self.run_both(case, *args, **more)[:2]

    def started(self, args, under=(), stdin=None, bounded=True, preexec_fn=None, cwd=None, **more):
        """What the program does, as subprocess.run() returns it; `under` is a command that runs the program."""
        def prepare():
            if bounded:
                self.limit()
            if preexec_fn:
                preexec_fn()

        if bounded and not (under or stdin or preexec_fn or more):
            return program.run([self.binary, *args], cwd=cwd, limit=self.limit)
        return subprocess.run([*under, self.binary, *args], stdin=stdin or subprocess.DEVNULL, capture_output=True, cwd=cwd,
                              timeout=bounds.HANGS, check=False, preexec_fn=prepare, **more)

    def run_both(self, case, *args, allowed=(0, 1, 2), **more):
        """The same, and what was written to standard error."""
        begin = time.monotonic()
        self.runs += 1
        try:
            done = self.started(args, **more)
        except subprocess.TimeoutExpired:
            self.check(False, case, "still runs after %d s: %r" % (bounds.HANGS, args))
            return -1, "", ""
        seconds = time.monotonic() - begin
        self.slowest = max(self.slowest, (seconds, case))
        if self.verbose:
            print("%6.2f s  %s" % (seconds, case))
        self.check(done.returncode in allowed, case, "exit status %d, expected %s: %s" % (
            done.returncode, allowed, done.stderr.decode(errors="replace")[-2000:]))
        out, err = self.decoded(case, done.stdout), self.decoded(case, done.stderr)
        for line in reports.commands_in(err if "github" in args else out + "\n" + err):
            self.check(False, case, "a command for who reads the log: %r" % line[:200])
        if done.returncode == 2:
            self.check(err.startswith("fusiondiff") and len(err) < 2000, case,
                       "status 2 without a reason, found %r" % err[:300])
        elif done.returncode >= 0:
            said = [x for x in err.splitlines() if not x.startswith("fusiondiff: note: ")]
            self.check(not said, case, "status %d, yet it says %r" % (done.returncode, err[:300]))
        return done.returncode, out, err

    def decoded(self, case, data):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            self.check(False, case, "output is not UTF-8: %s" % error)
            return ""
        found = hidden_in(text)
        self.check(found is None, case, "output holds %r" % found)
        return text
