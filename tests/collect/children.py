#!/usr/bin/python3
"""What becomes of the command of `collect` and of `bisect run`: at a signal, at a terminal, behind its end.

    children.py BINARY FIXTURES

The signals go to the program alone, so that what ends the command and its own children is the program.  Each wait is for
a file or a process, however long it takes.
"""
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BINARY, FIXTURES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
QAT = os.path.join(FIXTURES, "qat_block")
SPLIT = os.path.join(FIXTURES, "compare/split.json")
FOLDER = tempfile.mkdtemp()
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
MINE = ".fusiondiff-bisect.onnx"
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def path(name):
    return os.path.join(FOLDER, name)


def read(name):
    try:
        with open(path(name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def wait_until(holds, what, seconds=120):
    """Far longer than anything here takes: what never comes is a failure, no race."""
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(.01)
    check(what, holds())


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def is_gone(pid):
    return state(pid) in "ZX"     # nobody may have taken its status yet


def begin(verb):
    """A folder as it is before the verb runs a command; and its words before those of the command."""
    for name in os.listdir(FOLDER):
        (shutil.rmtree if os.path.isdir(path(name)) else os.unlink)(path(name))
    if verb == "collect":
        return ["collect", "build", "--"]
    subprocess.run([BINARY, "bisect", "start", f"{QAT}/model.onnx", f"{QAT}/engine.graph.json"], cwd=FOLDER, check=True,
                   stdout=subprocess.DEVNULL)
    with open(path(MINE), "w", encoding="utf-8") as file:
        file.write("mine")
    return ["bisect", "run", "--"]


def check_left(verb, what):
    """Nothing that the program wrote for the command alone, and all that is the user's."""
    left = sorted(name for name in os.listdir(FOLDER) if not name.startswith("my-"))
    if verb == "collect":
        check(what + ": no build", left == ["build.partial"] and os.path.exists(path("build.partial/UNFINISHED")), left)
    else:
        check(what + ": its model is gone", left == [".fusiondiff-bisect", MINE], left)
        check(what + ": a file of the user's is kept", read(MINE) == "mine")


def started(words, script, **more):
    return subprocess.Popen([BINARY, *words, "sh", "-c", script], cwd=FOLDER, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def signals(verb):
    for number in SIGNALS:
        what = f"{verb}, {number.name}"
        program = started(begin(verb), "sleep 600 & echo $$ $! >my-part; mv my-part my-pids; wait")
        wait_until(lambda: read("my-pids"), what + ": the command runs")
        program.send_signal(number)
        check(what + ": ends the program", program.wait() == -number, program.returncode)
        for pid in read("my-pids").split():
            check(what + ": ends the command and its children", is_gone(pid), pid)
            if not is_gone(pid):
                os.kill(int(pid), signal.SIGKILL)
        check_left(verb, what)


def deaf():
    """A command that ignores every signal that may be ignored, and a child of it that does, too.

    Of several signals, the first one ends the program: of two at once that is SIGINT."""
    verb = "collect"
    program = started(begin(verb), "trap '' INT TERM HUP QUIT; sleep 600 & echo $$ $! >my-part; mv my-part my-pids; while :; do sleep 1; done")
    wait_until(lambda: read("my-pids"), verb + ", deaf: the command runs")
    # Another one ignores the first signal only, and has time for what it does at the second one.
    other = started(["collect", "other", "--"], "trap '' INT; trap 'echo >my-cleaned; exit 3' TERM; echo >my-other; while :; do sleep .1; done")
    wait_until(lambda: os.path.exists(path("my-other")), verb + ", deaf: the other command runs")
    other.send_signal(signal.SIGINT)
    program.send_signal(signal.SIGINT)
    program.send_signal(signal.SIGTERM)
    check(verb + ", deaf: ends the program", program.wait() == -signal.SIGINT, program.returncode)
    for pid in read("my-pids").split():
        check(verb + ", deaf: killed", is_gone(pid), pid)
        if not is_gone(pid):
            os.kill(int(pid), signal.SIGKILL)
    check(verb + ", deaf: SIGTERM comes before SIGKILL", other.wait() == -signal.SIGINT and os.path.exists(path("my-cleaned")), other.returncode)
    shutil.rmtree(path("other.partial"))
    check_left(verb, verb + ", deaf")


def group():
    """A signal reaches the children of the command, too, as it is."""
    child = 'trap "echo >my-got; exit" HUP; echo >my-ready; while :; do sleep .1; done'
    program = started(begin("collect"), f"trap : HUP; sh -c '{child}'; exit 3")     # it waits for its child
    wait_until(lambda: os.path.exists(path("my-ready")), "group: the child runs")
    program.send_signal(signal.SIGHUP)
    check("group: ends the program", program.wait() == -signal.SIGHUP, program.returncode)
    check("group: the child got the signal", os.path.exists(path("my-got")))


def killed():
    """Nobody can do anything at SIGKILL; the system ends the command, and the next collect is not blocked."""
    program = started(begin("collect"), "echo $$ >my-part; mv my-part my-pids; exec sleep 600")
    wait_until(lambda: read("my-pids"), "killed: the command runs")
    program.kill()
    program.wait()
    pid = read("my-pids").strip()
    wait_until(lambda: is_gone(pid), "killed: the command ends with the program")
    if not is_gone(pid):
        os.kill(int(pid), signal.SIGKILL)
    done = subprocess.run([BINARY, "collect", "build", "--", "true"], cwd=FOLDER, capture_output=True, text=True, check=False)
    check("killed: the next collect", done.returncode == 0 and os.path.exists(path("build/command.json")), done.stderr)


def inherited():
    """Under nohup, both ignore SIGHUP. Nothing else of the program concerns the command: no signal, no open file."""
    script = "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd; echo >my-ready; while [ ! -e my-go ]; do sleep .05; done"
    program = started(begin("collect"), script, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: os.path.exists(path("my-ready")), "nohup: the command runs")
    program.send_signal(signal.SIGHUP)
    with open(path("my-go"), "w", encoding="utf-8"):
        pass
    check("nohup: SIGHUP is ignored", program.wait() == 0, program.returncode)
    check("nohup: what the command inherits", read("build/build.log").split() ==
          ["SigBlk:", f"{0:016x}", "SigIgn:", f"{1:016x}", "0", "1", "2", "3"], read("build/build.log"))


def blocked():
    """A command that a signal ends, which is blocked in the program: the program ends in the same way."""
    program = subprocess.Popen([BINARY, *begin("collect"), "/usr/bin/python3", "-ISc",
                                "import os, signal; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.kill(os.getpid(), signal.SIGTERM)"],
                               cwd=FOLDER, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]))
    check("a blocked signal", program.wait() == -signal.SIGTERM, program.returncode)


def held():
    """SIGTSTP stops the program and the command as often as it comes, and SIGCONT continues both. A command that stops
    itself does not stop the program. It waits without a process of its own: a shell that starts one cannot be stopped."""
    script = "echo $$ >my-part; mv my-part my-pids; read x <my-pipe; kill -STOP $$"
    words = begin("collect")
    os.mkfifo(path("my-pipe"))
    program = started(words, script, preexec_fn=os.setpgrp)
    wait_until(lambda: read("my-pids"), "held: the command runs")
    pid = read("my-pids").strip()
    for turn in range(2):
        program.send_signal(signal.SIGTSTP)
        wait_until(lambda: state(program.pid) == state(pid) == "T", f"held {turn}: both are stopped")
        program.send_signal(signal.SIGCONT)
        wait_until(lambda: "T" not in (state(program.pid), state(pid)), f"held {turn}: both go on")
    with open(path("my-pipe"), "w", encoding="utf-8") as file:
        file.write("go\n")
    wait_until(lambda: state(pid) == "T", "held: the command stops itself")
    os.kill(int(pid), signal.SIGCONT)
    wait_until(lambda: program.poll() is not None, "held: the program was not stopped")
    check("held: ends well", program.returncode == 0, program.returncode)
    if program.returncode is None:
        program.kill()


def grandchild(verb):
    """One that holds the command's streams open, and lives on: nobody waits for it, and nobody ends it."""
    words = begin(verb)
    script = f"sleep 600 & echo $! >my-pids; echo first; printf x >&2; echo {SPLIT}"
    out, err = path("my-out"), path("my-err")
    with open(out, "w", encoding="utf-8") as to, open(err, "w", encoding="utf-8") as also:
        program = subprocess.Popen([BINARY, *words, "sh", "-c", script], cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=to,
                                   stderr=also)
        try:
            program.wait(timeout=120)
        except subprocess.TimeoutExpired:
            program.kill()
    pid = int(read("my-pids"))
    check(verb + ": a grandchild is not waited for", program.returncode == 0, f"{program.returncode} {read('my-err')}")
    check(verb + ": a grandchild lives on", not is_gone(pid))
    if not is_gone(pid):
        os.kill(pid, signal.SIGKILL)
    if verb == "collect":
        check("all that the command printed is kept", sorted(read("build/build.log").splitlines()) == sorted(["first", SPLIT, "x"]),
              read("build/build.log"))


def late():
    """What a command prints by way of another process, which ends behind it."""
    words = begin("collect")
    subprocess.run([BINARY, *words, "bash", "-c", "exec > >(cat); seq 20000"], cwd=FOLDER, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    check("what comes by way of a cat is kept", read("build/build.log").split() == [str(i) for i in range(1, 20001)])


class Shell:
    """An interactive shell at a terminal of its own, which the test types at."""

    def __init__(self):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.chdir(FOLDER)
            os.closerange(3, 1024)
            os.environ.update(PS1="", HISTFILE="", TERM="dumb")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.said = b""

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_until(self, holds, what):
        def look():
            while select.select([self.terminal], [], [], 0)[0]:
                try:
                    self.said += os.read(self.terminal, 1 << 16)
                except OSError:
                    break
            return holds()

        wait_until(look, what)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def command_line(words, script):
    quote = script.replace("'", "'\\''")
    return f"'{BINARY}' {' '.join(words)} sh -c '{quote}'"


def at_terminal(verb):
    """The command reads the terminal, as it did before it had a group of its own; and behind it, the script that ran it."""
    words, shell = begin(verb), Shell()
    line = command_line(words, f"ls /proc/self/fd >my-files; echo >my-ready; read x </dev/tty; echo got $x >my-got; echo {SPLIT}")
    with open(path("my-script"), "w", encoding="utf-8") as file:
        file.write(line + "\necho $? >my-part; mv my-part my-status; read x </dev/tty; echo $x >my-script-got\n")
    shell.type("bash my-script\n")
    shell.wait_until(lambda: os.path.exists(path("my-ready")), verb + ": runs at a terminal")
    shell.type("hello\n")
    shell.wait_until(lambda: read("my-status").strip(), verb + ": reads the terminal")
    check(verb + ": what was typed", read("my-got") == "got hello\n" and read("my-status") == "0\n", (read("my-got"), shell.said))
    check(verb + ": the command has no other files", verb != "collect" or read("my-files").split() == ["0", "1", "2", "3"], read("my-files"))
    shell.type("more\n")
    shell.wait_until(lambda: read("my-script-got") == "more\n", verb + ": the script has the terminal again")
    shell.type("read y; echo $y >my-shell\nback\n")
    shell.wait_until(lambda: read("my-shell") == "back\n", verb + ": the shell has the terminal again")
    shell.end()


def interrupted(verb, reads):
    """Ctrl-C ends the command, the program, and the script that runs it, whether or not the command has the terminal."""
    words, shell = begin(verb), Shell()
    script = ("read x </dev/tty; " if reads else "") + "echo $$ >my-part; mv my-part my-pids; exec sleep 600"
    with open(path("my-script"), "w", encoding="utf-8") as file:
        file.write(command_line(words, script) + "\necho on >my-on\n")
    shell.type("bash my-script; echo $? >my-status\n" + ("line\n" if reads else ""))
    shell.wait_until(lambda: read("my-pids"), verb + ": runs at a terminal")
    shell.type("\x03")
    shell.wait_until(lambda: is_gone(read("my-pids").strip()), verb + ": Ctrl-C ends the command")
    shell.type("echo >my-next\n")
    shell.wait_until(lambda: os.path.exists(path("my-next")), verb + ": Ctrl-C ends the program")
    check(verb + ": Ctrl-C ends the script, too", not os.path.exists(path("my-on")), shell.said)
    check_left(verb, verb + ", Ctrl-C")
    shell.end()


def piped():
    """What the output goes to, such as a pager, has the terminal while the command does not ask for it."""
    words, shell = begin("collect"), Shell()
    shell.type(command_line(words, "echo >my-ready; while [ ! -e my-got ]; do sleep .1; done; echo end") +
               " 2>&1 | sh -c 'read x </dev/tty; echo got $x >my-got; cat >my-out'; echo >my-end\n")
    shell.wait_until(lambda: os.path.exists(path("my-ready")), "a pipeline at a terminal")
    shell.type("hello\n")
    shell.wait_until(lambda: read("my-got"), "the pager has the terminal")
    shell.wait_until(lambda: os.path.exists(path("my-end")), "both end")
    check("what the pager read", read("my-got") == "got hello\n" and "end\n" in read("my-out"), read("my-got"))
    shell.end()


def stopped(verb, first):
    """Ctrl-Z stops both, `fg` continues them, and `bg` does without the terminal.

    @param first  what the command does before it reads"""
    words, shell = begin(verb), Shell()
    shell.type(command_line(words, f"echo $$ >my-part; mv my-part my-pids; {first}; read x </dev/tty; echo got $x >my-got; echo {SPLIT}") + "\n")
    shell.wait_until(lambda: read("my-pids"), verb + ": runs at a terminal")
    shell.type("\x1a")
    shell.wait_until(lambda: b"Stopped" in shell.said, verb + ": Ctrl-Z stops it")
    shell.type("echo >my-free\n")
    shell.wait_until(lambda: os.path.exists(path("my-free")), verb + ": the shell has the terminal")
    # It reads the terminal, and is stopped again.
    shell.type("bg; while :; do jobs >my-jobs; grep -q Stopped my-jobs && break; sleep .1; done; echo >my-stopped\n")
    shell.wait_until(lambda: os.path.exists(path("my-stopped")), verb + ": what reads in the background is stopped")
    shell.type("fg; echo >my-end\n")
    shell.type("hello\n")
    shell.wait_until(lambda: os.path.exists(path("my-end")), verb + ": fg continues it")
    check(verb + ": what was typed behind fg", read("my-got") == "got hello\n", read("my-got"))
    shell.end()


for ignored in SIGNALS:     # by nohup, or by a shell that runs this in the background
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
try:
    for name in ("collect", "bisect run"):
        signals(name)
        grandchild(name)
        at_terminal(name)
        interrupted(name, False)
        interrupted(name, True)
        stopped(name, ":")
        stopped(name, "while [ ! -e my-free ]; do sleep .1; done")
    piped()
    deaf()
    group()
    killed()
    inherited()
    blocked()
    held()
    late()
finally:
    shutil.rmtree(FOLDER)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
