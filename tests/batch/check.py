#!/usr/bin/python3
"""Many pairs in one process:  check.py BINARY SOURCE

Each line is what the program says of the pair alone, whatever the number of threads; bad
pairs have lines, too; what was cut off anywhere is gone on with, to the same bytes.
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import json_schema

BINARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
FIXTURES = f"{SOURCE}/fixtures"
# Three places of the bar move on by one each second.
BAR = re.compile(rb"\r\x1b\[Kfusiondiff \[([# ]{12})\] analysing pairs (?:0|[1-9]\d*) of 20000 ([1-9]\d*) s")
PAIR = "qat_block/model.onnx qat_block/engine.graph.json"
GOOD = (PAIR, f"{PAIR} profile=qat_block/profile.json", "kernels/model.onnx kernels/engine.log", "log/two-engines.log engine=2",
        "ort/model.onnx ort/optimized.onnx", f"{PAIR} times=qat_block/times.json", "kernels/engine.log")
# What stands in the list, and a word of what its line says is wrong.
BAD = {"qat_block/model.onnx none.json": "none.json", "log/two-engines.log": "engine", f"{PAIR} third.json": "third.json",
       f"{PAIR} engine=x": "engine=x", f"{PAIR} profile=none.json": "none.json", "profile=none.json": "MODEL",
       "batch": "none", "kernels/model.onnx qat_block/engine.graph.json": ""}
bad = []


def claim(holds, what):
    if not holds:
        bad.append(what)


def run(*args, text=None, folder=FIXTURES):
    return subprocess.run([BINARY, "batch", *args], input=text, capture_output=True, text=True, cwd=folder, check=False)


def alone(pair):
    """The report of the pair by itself."""
    words = [f"--{word}" if "=" in word else word for word in pair.split()]
    done = subprocess.run([BINARY, *words, "-f", "json"], capture_output=True, text=True, cwd=FIXTURES, check=False)
    return json.loads(done.stdout)


def check_lines():
    listed = [pair for two in zip(GOOD, BAD) for pair in two] + list(BAD)[len(GOOD):]
    text = "# a remark\n\n" + "".join(f"  {pair}\r\n" for pair in listed)
    first = run("-", "-j", "1", text=text)
    claim(first.returncode == 2 and f"{len(BAD)} of {len(listed)} pairs" in first.stderr, f"status {first.returncode}, note: {first.stderr}")
    for jobs in ("2", "7", "64"):
        claim(run("-", "-j", jobs, text=text).stdout == first.stdout, f"{jobs} threads write otherwise than one")
    need_pair, need_report = (json_schema.of_file(f"{SOURCE}/include/fusiondiff/{name}.schema.json") for name in ("pair", "report"))
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    claim([line["pair"] for line in lines] == listed, "the lines are not those of the list, in its order")
    for line in lines:
        need_pair(line)
        if line["pair"] in BAD:
            said = json.dumps(line.get("error", {}))
            claim("error" in line and BAD[line["pair"]] in said, f"{line['pair']}: {said}")
            continue
        need_report(line["report"])
        claim(line["report"] == alone(line["pair"]), f"{line['pair']} has another report among others")
        claim(line["findings"] == line["report"]["summary"]["findings"], f"{line['pair']}: its findings are counted otherwise")
    return listed, first.stdout


def check_resume(listed, whole):
    with tempfile.TemporaryDirectory() as at:
        out, file = f"{at}/out.jsonl", f"{at}/pairs"
        pathlib.Path(file).write_text("\n".join(listed))
        lines = whole.encode().splitlines(keepends=True)
        cuts = [0, 1, len(lines[0]), len(lines[0]) + 9, len(lines[0] + lines[1]), len(whole.encode()) - 1, len(whole.encode())]
        for cut in cuts:
            pathlib.Path(out).write_bytes(whole.encode()[:cut])
            done = run(file, "-o", out, "--resume")
            claim(done.returncode == 2 and pathlib.Path(out).read_bytes() == whole.encode(), f"cut at {cut} it is not gone on with")
        os.remove(out)
        claim(run(file, "-o", out, "--resume").returncode == 2 and pathlib.Path(out).read_text() == whole, "begun with --resume")
        # Another list, and what is no batch at all, stay as they are.
        pathlib.Path(file).write_text("\n".join(reversed(listed)))
        pathlib.Path(at, "model.onnx").write_bytes(pathlib.Path(FIXTURES, "qat_block/model.onnx").read_bytes())
        pathlib.Path(at, "one-line.json").write_text(json.dumps({"Layers": []}))     # is not half a line of ours
        pathlib.Path(at, "short").write_text("x")
        for target in (out, f"{at}/model.onnx", f"{at}/one-line.json", f"{at}/short"):
            before = pathlib.Path(target).read_bytes()
            done = run(file, "-o", target, "--resume")
            claim(done.returncode == 2 and "expected a file with the lines of this list" in done.stderr and
                  pathlib.Path(target).read_bytes() == before, f"{target} was gone on with: {done.stderr}")
        # Findings of lines that were there count, too.
        pathlib.Path(file).write_text(PAIR)
        os.remove(out)
        for _ in range(2):
            claim([run(file, "-o", out, "--resume", "--fail-on", level).returncode for level in ("warning", "error")] == [1, 0],
                  "--fail-on beside --resume")


def check_ends():
    with tempfile.TemporaryDirectory() as at:
        for name in ("a b", "c"):
            os.mkdir(f"{at}/{name}")
            for file in ("model.onnx", "engine.graph.json"):
                pathlib.Path(at, name, file).write_bytes(pathlib.Path(FIXTURES, "qat_block", file).read_bytes())
        done = run(".", folder=at)
        claim([json.loads(line)["pair"] for line in done.stdout.splitlines()] == ["./a b", "./c"] and not done.returncode,
              f"a directory of builds: {done.stderr}")
        done = run("-", text="a b/model.onnx\ta b/engine.graph.json\n", folder=at)
        claim(not done.returncode and "report" in json.loads(done.stdout), f"tabs between names: {done.stderr}")
        name = os.fsencode(at) + b"/\xff.json"     # no UTF-8, which JSON is
        with open(name, "wb") as file:
            file.write(b"x")
        done = subprocess.run([BINARY, "batch", "-"], input=name + b"\n", capture_output=True, check=False)
        claim(json.loads(done.stdout.decode())["error"], "a name that is no UTF-8")
        done = run("a b", folder=at)
        claim(json.loads(done.stdout)["pair"] == "a b/model.onnx\ta b/engine.graph.json", f"a model and its engines: {done}")
        # No output takes the place of an input, whether the list or a directory names it.
        for text, to in ((PAIR, f"{FIXTURES}/qat_block/model.onnx"), (f"{at}/c", f"{at}/c/model.onnx")):
            before = pathlib.Path(to).read_bytes()
            done = run("-", "-o", to, text=text)
            claim(done.returncode == 2 and "one of the inputs" in done.stderr and pathlib.Path(to).read_bytes() == before,
                  f"written over an input: {done.stderr}")
    done = run("-", "-o", "/dev/full", text=f"{PAIR}\n" * 40)
    claim(done.returncode == 2 and "No space left" in done.stderr, f"a full disk: {done.stderr}")
    for args, said in ((["none"], "cannot open"), (["log"], "status"), ([], "LIST"), (["a", "b"], "expected LIST, found 'b' too"),
                       (["-", "--resume"], "one -o FILE"), (["-", "-f", "svg"], "batch writes json"), (["-"], "found an empty list"),
                       (["-", "-j", "0"], "threads"), (["qat_block/model.onnx"], "expected a list of pairs"),
                       (["log/numbered.log"], "expected a list of pairs")):
        done = run(*args, text="")
        claim((done.returncode == 2 and said in done.stderr + done.stdout), f"{args}: {done.stderr}")


def check_bar():
    """Who waits at a terminal sees how many pairs are done."""
    main, side = pty.openpty()
    pairs = "kernels/model.onnx kernels/engine.log\n" * 20000
    child = subprocess.Popen([BINARY, "batch", "-", "-o", "/dev/null"], cwd=FIXTURES, stdin=subprocess.PIPE, stderr=side, text=True)
    child.stdin.write(pairs)
    child.stdin.close()
    os.close(side)
    seen = b""
    while not (bar := BAR.search(seen)) and child.poll() is None:   # reading the list may be what takes long
        seen += os.read(main, 200)
    child.kill()
    child.wait()
    places = "".join("#" if (i - int(bar[2])) % 12 < 3 else " " for i in range(12)) if bar else ""
    claim(bar and bar[1].decode() == places, f"the bar is {seen!r}")


def check_wipe():
    """The bar of a run that waits is wiped once, before the report."""
    main, side = pty.openpty()
    with open(f"{FIXTURES}/kernels/engine.log", "rb") as file, \
            subprocess.Popen([BINARY, "top", "kernels/model.onnx", "-"], cwd=FIXTURES, stdin=subprocess.PIPE, stderr=side,
                             stdout=subprocess.DEVNULL) as child:
        os.close(side)
        seen = b""
        while b"reading 1 s" not in seen:
            seen += os.read(main, 200)
        child.communicate(file.read())
    try:
        while more := os.read(main, 200):
            seen += more
    except OSError:     # the program has closed its end
        pass
    last = seen.rpartition(b" s")[2]
    claim(last == b"\r\x1b[K", f"behind the bar comes {last!r}")


check_resume(*check_lines())
check_ends()
check_bar()
check_wipe()
print("\n".join(bad) or "the lines are those of the pairs, in order, from wherever they were cut")
sys.exit(bool(bad))
