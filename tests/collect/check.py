#!/usr/bin/python3
"""Builds collected: what is kept, what is added, how the command's end is passed on.

    check.py BINARY FIXTURES

A script plays trtexec: its --help lists what the test lets it have, and it writes what its
options ask for, which are fixtures.  No real builder is needed: what one writes is read by
the other tests.
"""
import fcntl
import filecmp
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BINARY, FIXTURES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.mkdtemp()
failures = []
PATH_MAX = 4096
LOG = os.path.join(FIXTURES, "build_log/build.log")
QAT = os.path.join(FIXTURES, "qat_block")
TRTEXEC = f"""#!/bin/bash
# trtexec, as far as a collect sees it.
if [ "$1" = --help ]; then
    printf '  %s    some words\\n' $OPTIONS
    exit 0
fi
for word; do
    case $word in
        --exportLayerInfo=*) cp {shlex.quote(QAT)}/engine.graph.json "${{word#*=}}" ;;
        --exportProfile=*) cp {shlex.quote(QAT)}/profile.json "${{word#*=}}" ;;
        --exportTimes=*) cp {shlex.quote(QAT)}/times.json "${{word#*=}}" ;;
        --verbose) cat {shlex.quote(LOG)} ;;
        --also) echo '[]' >"$FUSIONDIFF_COLLECT/layers.json" ;;
        --unknown) echo "Unknown option: $word" >&2; exit 1 ;;
    esac
done
echo "words: $*"
"""
ALL = ("--exportLayerInfo=<file> --exportProfile=<file> --exportTimes=<file> --profilingVerbosity=<mode> --verbose "
       "--separateProfileRun --buildOnly")


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def path(name):
    return os.path.join(FOLDER, name)


def put(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path(name), 0o755)
    return path(name)


def collect(name, *words, options=ALL, more=(), **environment):
    return subprocess.run([BINARY, "collect", path(name), *more, "--", *words], capture_output=True, text=True,
                          errors="replace", env={**os.environ, "OPTIONS": options, **environment}, check=False)


def command(name):
    with open(path(f"{name}/command.json"), encoding="utf-8") as file:
        return json.load(file)


def whole_builds():
    trtexec, model = put("trtexec", TRTEXEC), f"{QAT}/model.onnx"
    done = collect("one", trtexec, f"--onnx={model}", "--int8", CUDA_VISIBLE_DEVICES="1", SECRET="hunter2")
    shown = command("one")
    check("a build is collected", done.returncode == 0, done.stderr)
    check("its files", sorted(os.listdir(path("one"))) == ["build.log", "command.json", "layers.json", "model.onnx",
                                                           "profile.json", "times.json"], os.listdir(path("one")))
    added = shown["command"][len(shown["given"]):]
    check("what is added", sorted(word.split("=")[0] for word in added) ==
          ["--exportLayerInfo", "--exportProfile", "--exportTimes", "--profilingVerbosity", "--separateProfileRun", "--verbose"],
          added)
    check("what is given", shown["given"] == [trtexec, f"--onnx={model}", "--int8"] and shown["status"] == 0, shown)
    check("the environment", shown["environment"] == {"CUDA_VISIBLE_DEVICES": "1"} and "hunter2" not in str(shown), shown)
    report = json.loads(subprocess.run([BINARY, QAT, "-f", "json", "-q"], capture_output=True, check=True).stdout)
    check("the model's hash", shown["model"] == {"path": model, "hash": report["model"]["hash"]}, shown.get("model"))
    check("the log is handed on", "words: " in done.stdout and open(path("one/build.log"), encoding="utf-8").read() == done.stdout)
    # Every verb that takes a build takes the directory, but with --force: the log is of another network.
    for verb in (["diff"], ["top"], ["reformats"], ["where"], ["compare", QAT], ["snapshot"], ["lint"]):
        words = [BINARY, verb[0], path("one"), *verb[1:], "--force", *(["Conv_13"] if verb == ["where"] else [])]
        taken = subprocess.run(words, capture_output=True, text=True, check=False)
        check(f"{verb[0]} takes it", taken.returncode in (0, 1) and "layers.json as ENGINE" in taken.stderr, taken.stderr)


def options():
    trtexec = path("trtexec")
    check("an old trtexec", collect("old", trtexec, options="--verbose --onnx=<file>").returncode == 0 and
          command("old")["command"] == [trtexec, "--verbose"])
    collect("mine", trtexec, f"--exportLayerInfo={path('mine.json')}", "--profilingVerbosity=layer_names_only", "--buildOnly")
    check("what the user set stays", [word.split("=")[0] for word in command("mine")["command"][1:]] ==
          ["--exportLayerInfo", "--profilingVerbosity", "--buildOnly", "--verbose"], command("mine"))
    check("and is copied", os.path.exists(path("mine/layers.json")) and os.path.exists(path("mine.json")))
    done = collect("script", "bash", "-c", f'cp {shlex.quote(QAT)}/engine.graph.json "$FUSIONDIFF_COLLECT/mine.json"; printf no-newline',
                   more=["--model", f"{QAT}/model.onnx", "--copy-model"])
    check("a script's own files", sorted(os.listdir(path("script"))) == ["build.log", "command.json", "mine.json", "model.onnx"] and
          not os.path.islink(path("script/model.onnx")), done.stderr)
    check("what lacks is said", "the log is not verbose" in done.stderr and "no layer times" in done.stderr, done.stderr)
    check("words are no shell's", collect("words", "printf", "%s", "$(touch x); `y`").stdout == "$(touch x); `y`")
    word = "-peep:no_such=off"
    done = collect("switch", "bash", "-c", f"""echo '{word} invalid compilation option, ignored (unknown option "{word}")' >&2""",
                   __LUNOWUD=word)
    check("a switch that the builder does not know", f"ignores `{word}` in __LUNOWUD" in done.stderr and
          word in open(path("switch/build.log"), encoding="utf-8").read() and
          command("switch")["environment"]["__LUNOWUD"] == word, done.stderr)
    done = collect("lines", "bash", "-c", "printf a; printf b >&2; sleep .1; echo c; echo d >&2")
    check("lines stay whole", sorted(open(path("lines/build.log"), encoding="utf-8").read().split()) == ["ac", "bd"] and
          (done.stdout, done.stderr[:3]) == ("ac\n", "bd\n"), (done.stdout, done.stderr))


def ends():
    done = collect("failed", path("trtexec"), "--unknown")
    check("the status is passed on", done.returncode == 1 and not os.path.exists(path("failed")), done.stderr)
    check("what is left is kept", "Unknown option" in open(path("failed.partial/build.log"), encoding="utf-8").read())
    shutil.copy(f"{QAT}/engine.graph.json", path("failed.partial/layers.json"))
    for words in (["top", path("failed.partial")], ["compare", QAT, path("failed.partial")], ["snapshot", path("failed.partial")]):
        done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False)
        check(f"{words[0]} refuses it", done.returncode == 2 and "did not finish" in done.stderr, done.stderr)
    check("the next one takes it away", collect("failed", path("trtexec")).returncode == 0 and
          os.path.exists(path("failed/layers.json")) and not os.path.exists(path("failed.partial")))
    done = collect("failed", path("trtexec"))
    check("a directory with files is refused", done.returncode == 2 and "found files in it" in done.stderr, done.stderr)
    os.mkdir(path("strange.partial"))
    put("strange.partial/thesis.tex", "mine")
    done = collect("strange", path("trtexec"))
    check("nobody else's files are removed", done.returncode == 2 and os.path.exists(path("strange.partial/thesis.tex")),
          done.stderr)
    done = collect("nothing", path("no such program"))
    check("a program that is not there", done.returncode == 2 and "cannot be started" in done.stderr, done.stderr)
    done = subprocess.run([BINARY, "collect", path("report"), "-o", path("x.json"), "--", "true"], capture_output=True, text=True, check=False)
    check("it writes no report", done.returncode == 2 and "no report" in done.stderr, done.stderr)
    done = collect("none")
    check("a command is needed", done.returncode == 2 and "expected DIR -- COMMAND" in done.stderr, done.stderr)
    check("other statuses", collect("seven", "bash", "-c", "exit 77").returncode == 77)
    check("a signal of its own", collect("killed", "bash", "-c", "kill -TERM $$").returncode == -signal.SIGTERM and
          command("killed.partial")["status"] == 128 + signal.SIGTERM)


def refused(what, done, *said):
    check(what, done.returncode == 2 and all(word in done.stderr for word in said), f"{done.returncode}: {done.stderr}")


def spoiled():
    """Commands that take away from the program what it needs, and places where nothing can be made."""
    trtexec, at = put("trtexec", TRTEXEC), '"$FUSIONDIFF_COLLECT"'
    refused("a file of its own name", collect("taken", "sh", "-c", f"echo mine >{at}/command.json"), "taken.partial/command.json", "exists")
    check("it stays", open(path("taken.partial/command.json"), encoding="utf-8").read() == "mine\n" and not os.path.exists(path("taken")))
    refused("an export that is there twice", collect("twice", trtexec, f"--exportLayerInfo={path('twice.json')}", "--also"),
            "twice.partial/layers.json", "exists")
    refused("a model that is there", collect("there", "sh", "-c", f"echo mine >{at}/model.onnx", more=["--model", f"{QAT}/model.onnx"]),
            "qat_block/model.onnx", "exists")
    refused("another directory in its place", collect("moved", "sh", "-c", f"mv {at} {at}.old; mkdir {at}"), "moved.partial",
            "the directory of another build")
    check("which stays", os.listdir(path("moved.partial")) == [] and not os.path.exists(path("moved")))
    refused("a directory with the build's name", collect("come", "sh", "-c", f"mkdir {path('come')}; echo mine >{path('come')}/mine"),
            "come: ", "not empty")
    check("which stays, too", os.listdir(path("come")) == ["mine"] and os.path.exists(path("come.partial/command.json")))
    refused("no directory for it", collect("none/below", "true"), "none/below.partial", "No such file")
    put("plain", "mine")
    refused("a file as the directory", collect("plain", "touch", path("has-run")), "plain: ", "Not a directory")
    os.mkdir(path("full.partial"))
    for name in ("UNFINISHED", "build.log", "d", "b", "a", "c", "e"):
        put(f"full.partial/{name}", "mine")
    refused("files of the user's, of which the first is named", collect("full", "true"), "earlier 'fusiondiff collect', found 'a'")
    check("which all stay", len(os.listdir(path("full.partial"))) == 7)
    os.mkdir(path("alike.partial"))
    os.symlink("../plain", path("alike.partial/command.json"))
    put("alike.partial/model.onnx", "mine")
    refused("a link like a file of an earlier collect", collect("alike", "true"), "earlier 'fusiondiff collect', found 'command.json'")
    check("and what is beside it stays", sorted(os.listdir(path("alike.partial"))) == ["command.json", "model.onnx"])
    os.makedirs(path("a" * 200 + "/" + "b" * 200))
    done = collect("a" * 200 + "/" + "b" * 200, trtexec)
    note = next((line for line in done.stderr.splitlines() if "additional options" in line), "")
    check("a long note is cut", note.endswith("...") and len(note) == len("fusiondiff: note: ...") + 1023, f"{len(note)}: {note}")
    put("file.partial", "mine")
    refused("a file in its place", collect("file", "true"), "file.partial", "found a link or a file")
    os.makedirs(path("held.partial/layers.json"))
    put("held.partial/UNFINISHED", "")
    refused("a directory that cannot be removed", collect("held", "touch", path("has-run")), "held.partial")
    check("before the command runs", not os.path.exists(path("has-run")))
    # The longest DIR, whose DIR.partial/profile.json has two bytes less than a path may have, and one byte more.
    for more in (0, 1):
        n = PATH_MAX - len(".partial/profile.json") - len(path("")) - 2 + more
        name = "./" * (n // 2 - 5) + "x" * (n - 2 * (n // 2 - 5))
        done = collect(name, "true")
        check(f"a long path {more}", done.returncode == 2 * more and os.path.exists(path(name)) != bool(more) and
              ("path is too long" in done.stderr) == bool(more), done.stderr)


def modes():
    """All that is made has the usual modes, less those of the umask, and all that the command wrote elsewhere is copied."""
    for mask in (0, 0o27):
        done = subprocess.run([BINARY, "collect", path(f"mode{mask}"), "--copy-model", "--", path("trtexec"), f"--onnx={QAT}/model.onnx",
                               f"--exportLayerInfo={path('elsewhere.json')}", "--unknown"], capture_output=True, text=True, check=False, umask=mask,
                              env={**os.environ, "OPTIONS": ALL})
        folder = path(f"mode{mask}.partial")
        found = {name: os.stat(os.path.join(folder, name)).st_mode & 0o7777 for name in (".", *os.listdir(folder))}
        check(f"modes {mask:o}", found == {".": 0o777 & ~mask, **dict.fromkeys(
            ("UNFINISHED", "build.log", "command.json", "layers.json", "model.onnx"), 0o666 & ~mask)}, f"{found} {done.stderr}")
        for name, origin in (("layers.json", "engine.graph.json"), ("model.onnx", "model.onnx")):
            check(f"a copy of {name}", filecmp.cmp(f"{folder}/{name}", f"{QAT}/{origin}", shallow=False))


def interrupted():
    # By sh: bash loses a signal that arrives while it replaces itself by `sleep`.
    for number in (signal.SIGTERM, signal.SIGINT):
        child = subprocess.Popen([BINARY, "collect", path("slow"), "--", "sh", "-c", f"echo $$ >{path('pid')}; exec sleep 600"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (os.path.exists(path("pid")) and open(path("pid"), encoding="utf-8").read().strip()):
            time.sleep(.01)
        pid = int(open(path("pid"), encoding="utf-8").read())
        os.unlink(path("pid"))
        child.send_signal(number)
        check("it ends by the signal", child.wait() == -number, child.returncode)
        try:
            os.kill(pid, 0)
            check("the command ended, too", False)
        except ProcessLookupError:
            pass
        check("and is no build", not os.path.exists(path("slow")) and os.path.exists(path("slow.partial/UNFINISHED")))
    # A signal from the command itself comes as early as one can, while collect still waits for it to be started.
    early = subprocess.run([BINARY, "collect", path("early"), "--", "sh", "-c", "kill -TERM $PPID; exec sleep 600"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
    check("a signal as soon as the command runs ends both", early.returncode == -signal.SIGTERM, early.returncode)
    child = subprocess.Popen([BINARY, "collect", path("slow"), "--", "sh", "-c", f"echo $$ >{path('pid')}; exec sleep 600"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (os.path.exists(path("pid")) and open(path("pid"), encoding="utf-8").read().strip()):
        time.sleep(.01)
    child.kill()
    child.wait()
    check("nor if it is killed", not os.path.exists(path("slow")) and os.path.exists(path("slow.partial/UNFINISHED")))


def links():
    """Nothing behind a link is removed or written, and no file that another program made."""
    os.mkdir(path("home"))
    for name in ("model.onnx", "command.json", "UNFINISHED"):
        put(f"home/{name}", "mine")
    os.symlink("home", path("linked.partial"))
    done = collect("linked", "true")
    check("a partial directory that is a link is refused", done.returncode == 2 and "linked.partial" in done.stderr and
          "link" in done.stderr, done.stderr)
    check("what is behind it stays", sorted(os.listdir(path("home"))) == ["UNFINISHED", "command.json", "model.onnx"])
    os.mkdir(path("inside.partial"))
    put("inside.partial/UNFINISHED", "")
    os.symlink("../home/model.onnx", path("inside.partial/model.onnx"))
    os.symlink("../home/command.json", path("inside.partial/build.log"))
    done = collect("inside", "echo", "new", more=["--model", f"{QAT}/model.onnx"])
    check("links of an earlier collect are removed", done.returncode == 0 and not os.path.islink(path("inside/build.log")), done.stderr)
    check("and nothing behind them", open(path("home/model.onnx"), encoding="utf-8").read() == "mine" ==
          open(path("home/command.json"), encoding="utf-8").read())
    os.mkdir(path("marked.partial"))
    os.symlink("../home/UNFINISHED", path("marked.partial/UNFINISHED"))
    done = collect("marked", "true")
    check("a mark that is a link is refused", done.returncode == 2 and os.path.exists(path("home/UNFINISHED")), done.stderr)
    os.symlink("empty", path("alias"))
    os.mkdir(path("empty"))
    for name in ("alias", "alias/"):
        done = collect(name, "touch", path("has-run"))
        check("a directory that is a link is refused before the command", done.returncode == 2 and
              not os.path.exists(path("has-run")), done.stderr)
    os.mkdir(path("own.partial"))
    put("own.partial/model.onnx", "mine")
    done = collect("own", "true")
    check("a model of the user's is kept", done.returncode == 2 and os.listdir(path("own.partial")) == ["model.onnx"], done.stderr)
    put("own.partial/UNFINISHED", "")
    put("own.partial/thesis.tex", "mine")
    done = collect("own", "true")
    check("nothing is removed where a file is unknown", done.returncode == 2 and "thesis.tex" in done.stderr and
          len(os.listdir(path("own.partial"))) == 3, done.stderr)


def at_once():
    """The second of two into one directory is refused, whatever the first one has there, and by each of the two locks."""
    for name in (".", "UNFINISHED"):
        os.makedirs(path("locked.partial"), exist_ok=True)
        lock = os.open(put("locked.partial/UNFINISHED", "") if name != "." else path("locked.partial"), os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(f"a lock on {name}", collect("locked", "touch", path("has-run")), "locked.partial", "another collect is writing")
        check("the command does not run", not os.path.exists(path("has-run")))
        os.close(lock)
    ready = path("ready")
    first = subprocess.Popen([BINARY, "collect", path("shared"), "--", "sh", "-c", f"echo one; >{ready}; exec sleep 600"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(ready):
        time.sleep(.01)
    second = collect("shared", "echo", "two")
    check("the second is refused", second.returncode == 2 and "shared" in second.stderr and "another collect" in second.stderr,
          second.stderr)
    check("and leaves all of the first", "two" not in open(path("shared.partial/build.log"), encoding="utf-8").read() and
          os.path.exists(path("shared.partial/UNFINISHED")) and first.poll() is None)
    first.send_signal(signal.SIGTERM)
    first.wait()
    many = [subprocess.Popen([BINARY, "collect", path("race"), "--", "sh", "-c", f"echo {i}; sleep .2; echo {i}"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for i in range(12)]
    statuses = [child.wait() for child in many]
    lines = open(path("race/build.log"), encoding="utf-8").read().split()
    check("of twelve at once one is kept", statuses.count(0) == 1 and statuses.count(2) == 11, statuses)
    check("whose lines are all its own", lines == [str(statuses.index(0))] * 2, lines)
    check("and the others leave nothing", sorted(os.listdir(path("race"))) == ["build.log", "command.json"] and
          not os.path.exists(path("race.partial")), os.listdir(path("race")))


for ignored in (signal.SIGTERM, signal.SIGINT):     # by nohup, or by a shell that runs this in the background
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
try:
    whole_builds()
    options()
    ends()
    spoiled()
    modes()
    interrupted()
    links()
    at_once()
finally:
    shutil.rmtree(FOLDER)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
