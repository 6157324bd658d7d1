#!/usr/bin/env python3
"""issue.py BINARY FIXTURES: bug reports of a model whose names say what nobody shall know.

None of its names is in any byte of a report with --anonymize; --no-weights leaves no number of a weight; a report is
written whole or not at all; its text fits into an issue and names what a maintainer asks for."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import rights  # noqa: E402  pylint: disable=wrong-import-position

failures = 0
# What draw.py, and hostile.json, call things; "Conv" is an operator, too.
NAMES = ["aurora", "stem|", "img@", "kernel.of", "/stem/Conv_output_0", "n12", "t34", "bias '",
         "r\u00e9sultat", "PWN(aurora)", "aurora_batch", "AuroraBlock", "com.aurora", "aurora_factor", "leaky.", "invented",
         "learnt", "stack_trace", "model.py", "private", "hostile", "graph of", "company"]


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def run(*args):
    return subprocess.run(list(map(str, args)), capture_output=True, check=False)


def is_clean(folder, what):
    for path in folder.iterdir():
        data = path.read_bytes().lower()
        for name in NAMES:
            check(name.lower().encode() not in data, f"{what}: {name} is in {path.name}")


def anonymous(binary, fixtures, folder):
    model, old, new = (fixtures / f"hostile{e}" for e in (".onnx", ".json", "_new.json"))
    builds = [f"{model},{old}", f"{model},{new}"]
    asked = [[model, old], [model, old, "--layer", "2"], [model, old, "--layer", "1", "--context", "1"],
             [model, old, "--node", "*", "--no-weights"], [old], builds, builds + ["--node", "#1"]]
    for number, words in enumerate(asked):
        report, names = folder / f"a{number}", folder / f"a{number}.names.json"
        ran = run(binary, "issue", *words, "-o", report, "--anonymize")
        check(ran.returncode == 0, f"{words}: {ran.stderr.decode()}")
        if not report.exists():
            continue
        is_clean(report, words)
        check("aurora" in "".join(json.loads(names.read_text(encoding="utf-8")).values()), f"{words}: its names")
        check((report / "part.onnx").exists() == (len(words) > 1), f"{words}: its part")
        text = (report / "issue.md").read_text(encoding="utf-8")
        check(len(text) < 65536 and "## Versions and build" in text and "TensorRT" in text, f"{words}: its text")
        check(("trtexec --onnx=part.onnx" in text) == (len(words) > 1), f"{words}: its commands")
        check(("The layers of the previous build" in text) == (words[:2] == builds), f"{words}: the build before")
    ran = run(binary, "issue", model, old, "-o", folder / "x", "--anonymize", "--names", folder / "map.json")
    check((folder / "map.json").exists() and not (folder / "x.names.json").exists(), f"--names: {ran.stderr.decode()}")


def collected(binary, fixtures, folder):
    """The command of a build that collect made is in its report, and nothing of a stranger's file."""
    model, engine = fixtures / "hostile.onnx", fixtures / "hostile.json"
    for name in ("old", "new"):
        (folder / name).mkdir()
        for path in (model, engine):
            (folder / name / path.name).write_bytes(path.read_bytes())
    words = ["/opt/aurora/bin/trtexec", "--onnx=aurora \"1\".onnx", "--fp16", "--builderOptimizationLevel=5"]
    shown = {"schema": "fusiondiff-collect/1", "version": "0.2.0", "command": ["trtexec", "--verbose"], "given": words,
            "environment": {"CUDA_VISIBLE_DEVICES": "0", "NVIDIA_VISIBLE_DEVICES": "aurora"}, "model": {"path": "aurora"}}
    line = "trtexec '--onnx=aurora \"1\".onnx' --fp16 --builderOptimizationLevel=5\n# CUDA_VISIBLE_DEVICES=0\n"
    hidden = "trtexec --onnx=... --fp16 --builderOptimizationLevel=5\n# CUDA_VISIBLE_DEVICES=0\n# NVIDIA_VISIBLE_DEVICES=...\n"
    (folder / "new" / "command.json").write_text(json.dumps(shown))
    for number, (asked, has) in enumerate((([folder / "new" / "hostile.onnx", folder / "new" / "hostile.json"], True),
                                           ([folder / "old", folder / "new"], True),
                                           ([model, engine], False))):
        for more, wanted in (([], line), (["--anonymize"], hidden)):
            report = folder / f"c{number}{len(more)}"
            ran = run(binary, "issue", *asked, "--node", "#1", "-o", report, *more)
            check(ran.returncode == 0, f"{asked}: {ran.stderr.decode()}")
            text = (report / "issue.md").read_text(encoding="utf-8")
            check((wanted in text) == has and ("| flags | not known |" in text) == (number != 0), f"{asked} {more}: {text}")
            if more:
                is_clean(report, asked)
    for data in (b"", b"{", b'{"schema":"other","given":["x"]}', b'{"given":["x"],"schema":"fusiondiff-collect/1"',
                 b'{"schema":"fusiondiff-collect/1","given":["x\\', b'{"schema":"fusiondiff-collect/1","given":[1,{}]}'):
        (folder / "new" / "command.json").write_bytes(data)
        ran = run(binary, "issue", folder / "new" / "hostile.onnx", folder / "new" / "hostile.json", "--layer", "1", "-o",
                  folder / f"d{len(data)}")
        check(ran.returncode == 0, f"{data}: {ran.stderr.decode()}")


def weights(binary, fixtures, folder):
    """Numbers 0.0, 0.5, 1.0, ... are gone; where they are in another file, nobody looks for it."""
    for number, (model, node) in enumerate((("hostile", "#0"), ("outside", "scaled"))):
        report = folder / f"w{number}"
        ran = run(binary, "issue", fixtures / f"{model}.onnx", fixtures / "hostile.json", "--force", "--node", node,
                  "--no-weights", "-o", report)
        check(ran.returncode == 0, f"{model} --no-weights: {ran.stderr.decode()}")
        data = (report / "part.onnx").read_bytes()
        check(bytes.fromhex("0000803c0000803c") in data and bytes.fromhex("0000003f0000803f") not in data,
              f"{model} --no-weights: the numbers")
        check(b"2^-6" in (report / "issue.md").read_bytes(), f"{model} --no-weights: says so")


def refused(binary, fixtures, folder):
    engine = fixtures / "hostile.json"
    full = folder / "full"
    full.mkdir()
    (full / "mine").write_bytes(b"mine")
    (folder / "empty").mkdir()
    hostile = fixtures / "hostile.onnx"
    for model, words, says in (
            (hostile, ["-o", full], "found files in it"), (hostile, ["-o", full / "mine"], "Not a directory"),
            (hostile, ["-o", full / "mine" / "x"], "Not a directory"), (hostile, ["-o", folder / "no" / "x"], "No such file"),
            (hostile, ["-o", folder / "x1", "--layer", "nix"], "name or number of a layer"),
            (hostile, ["-o", folder / "x2", "--finding", "nix"], "a finding of nix"),
            (hostile, ["-o", folder / "x3", "--names", folder / "x"], "--anonymize"), (hostile, [], "-o DIR"),
            (fixtures / "cycle.onnx", ["-o", folder / "x4", "--node", "out"], "cycle"),
            (fixtures / "duplicate.onnx", ["-o", folder / "x5", "--node", "three"], "several nodes write"),
            (fixtures / "loop.onnx", ["-o", folder / "x6", "--node", "moved"], "in a body of 'loop'"),
            (fixtures / "outside.onnx", ["-o", folder / "x7", "--node", "scaled"], "--no-weights")):
        before = sorted(os.listdir(folder))
        ran = run(binary, "issue", model, engine, "--force", *words)
        said = ran.stderr.decode()
        check(ran.returncode == 2 and says in said, f"{model.name} {words}: {said}")
        check(sorted(os.listdir(folder)) == before and os.listdir(full) == ["mine"], f"{model.name} {words}: leaves files")
    locked = folder / "locked"
    locked.mkdir(mode=0o500)
    words = [rights.owned(path, folder) for path in (binary, hostile, engine)]
    words.insert(1, "issue")
    try:
        ran = subprocess.run([*words, "-o", locked / "x"], capture_output=True, check=False, **rights.as_any_user())
    except subprocess.SubprocessError as error:
        print(f"skipped a folder that may not be written: root keeps its rights here: {error}")
    else:
        check(ran.returncode == 2 and b"Permission denied" in ran.stderr and not ran.stdout, f"locked: {ran.stderr.decode()}")
    check(not os.listdir(locked), "locked: leaves files")
    ran = run(binary, "issue", hostile, engine, "-o", folder / "empty")
    check(ran.returncode == 0 and (folder / "empty" / "issue.md").exists(), f"an empty folder: {ran.stderr.decode()}")


def two_builds(binary, fixtures, folder):
    """The text begins with what `compare` says first."""
    old, new = (f"{fixtures.parent / 'qat_block/model.onnx'},{fixtures.parent / engine}"
                for engine in ("qat_block/engine.graph.json", "compare/split.json"))
    said = json.loads(run(binary, "compare", old, new, "-f", "json").stdout)["says"]
    ran = run(binary, "issue", old, new, "-o", folder / "two")
    text = (folder / "two" / "issue.md").read_text(encoding="utf-8") if not ran.returncode else ran.stderr.decode()
    check(all(sentence in text for sentence in said) and text.index(said[0]) < text.index("\nfusion "), f"two builds: {text[:400]}")


def unnamed(binary, model, engine, folder, tools):
    """The log of a builder names folders, and does not come along where names are replaced."""
    words = [binary, "issue", model, engine, "--anonymize", "-q", "-o"]
    subprocess.run([*words, folder / "names"], check=False)
    text = engine.read_text()
    for new, old in sorted(json.loads((folder / "names.names.json").read_text()).items(), key=lambda pair: -len(pair[1])):
        text = text.replace(old, new)
    (folder / "unnamed.json").write_text(text)
    (tools / "trtexec").write_text(f"#!/bin/sh\ncat {folder}/unnamed.json\n")
    report = folder / "unnamed"
    ran = subprocess.run([*words, report, "--verify"], check=False, capture_output=True, env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})
    check("trtexec built the part alone, and the finding occurs in that build, too." in (report / "issue.md").read_text(encoding="utf-8"), f"--verify --anonymize: {ran.stderr}")
    check(not (report / "part.log").exists(), "--verify --anonymize: the log, which has paths, is there")


def verified(binary, fixtures, folder):
    """--verify has the builder build the part, and reads what it printed; without a builder the report is there as well."""
    model, engine = (fixtures.parent / "qat_block" / name for name in ("model.onnx", "engine.graph.json"))
    other = fixtures.parent / "kernels" / "engine.log"
    tools = folder / "tools"
    tools.mkdir()
    for number, (script, note, states) in enumerate((
            (None, b"not built alone: trtexec: cannot be started", "have not been run"),
            ("exit 3", b"trtexec: ended with status 3", "have not been run"),
            (f"cat {other}", b"not built alone: trtexec: expected an engine built from", "have not been run"),
            (f'echo "$@" > {folder}/words\ncat {engine}', b"", "trtexec built the part alone (part.log), and the finding occurs in that build, too."))):
        report = folder / f"v{number}"
        if script:
            (tools / "trtexec").write_text(f"#!/bin/sh\n{script}\n")
            (tools / "trtexec").chmod(0o755)
        ran = subprocess.run([binary, "issue", model, engine, "--verify", "-o", report], capture_output=True, check=False,
                             env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})
        check(ran.returncode == 0 and note in ran.stderr and bool(note) == (b"not built" in ran.stderr), f"--verify {number}: {ran.stderr}")
        check(states in (report / "issue.md").read_text(encoding="utf-8"), f"--verify {number}: its text")
        check((report / "part.log").exists() == (not note), f"--verify {number}: the log")
    words = (folder / "words").read_text().split()
    unnamed(binary, model, engine, folder, tools)
    check(words[0].endswith("/part.onnx") and words[0].startswith("--onnx=") and "--profilingVerbosity=detailed" in words, f"--verify: {words}")


def ended(binary, fixtures, folder):
    """Whatever ends the program while it writes, no file and no folder of the report is left."""
    model, engine = (fixtures.parent / "qat_block" / name for name in ("model.onnx", "engine.graph.json"))
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    words = [binary, "issue", model, engine, "--anonymize", "-q", "-o", folder / "report", "--names"]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        # Nobody reads the pipe, so that the program waits when it has made all other files.
        program = subprocess.Popen([*words, pipe], preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
        while not list(folder.glob("report.*/*.md")) and program.poll() is None:
            time.sleep(.01)
        program.send_signal(number)
        check(program.wait() == -number, f"{number.name}: ends with {program.returncode}")
        check(os.listdir(folder) == ["pipe"], f"{number.name}: leaves {os.listdir(folder)}")
    ran = run(*words, "/dev/full")
    check(ran.returncode == 2 and b"No space left" in ran.stderr, f"a full device: {ran.stderr}")
    check(os.listdir(folder) == ["pipe"], f"a full device: leaves {os.listdir(folder)}")
    tools = folder / "tools"
    tools.mkdir()
    (tools / "trtexec").write_text(f"#!/bin/sh\n>{folder}/ready\nexec sleep 600\n")
    (tools / "trtexec").chmod(0o755)
    program = subprocess.Popen([binary, "issue", model, engine, "--verify", "-q", "-o", folder / "report"],
                               env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})
    while not (folder / "ready").exists() and program.poll() is None:
        time.sleep(.01)
    program.send_signal(signal.SIGTERM)
    check(program.wait() == -signal.SIGTERM, f"in the builder: ends with {program.returncode}")
    check(sorted(os.listdir(folder)) == ["pipe", "ready", "tools"], f"in the builder: leaves {os.listdir(folder)}")


def main():
    binary, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for test in (anonymous, collected, weights, refused, two_builds, verified, ended):
            (pathlib.Path(folder) / test.__name__).mkdir()
            test(binary, fixtures, pathlib.Path(folder) / test.__name__)
    print(f"{failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
