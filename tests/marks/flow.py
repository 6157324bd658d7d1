"""flow.py BINARY FIXTURES: bisect from start to reset on a drawn pair: what it asks for, what it makes of results, of a
command and of bad input, and that its state stays as it was whenever a result is not taken."""
import pathlib
import subprocess
import sys
import tempfile

BINARY, FIXTURES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
MODEL, ENGINE = FIXTURES / "qat_block/model.onnx", FIXTURES / "qat_block/engine.graph.json"
SPLIT = FIXTURES / "compare/split.json"
failed = 0


def check(what, good, found=""):
    global failed
    if not good:
        failed += 1
        print(f"{what}: {found}")


def bisect(folder, *words, status=0, says=""):
    p = subprocess.run([BINARY, "bisect", *map(str, words)], cwd=folder, capture_output=True, text=True)
    out = p.stdout + p.stderr
    check(f"bisect {' '.join(map(str, words))}", p.returncode == status and says in out, f"status {p.returncode}, {out}")
    return out


def script(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        state = folder / ".fusiondiff-bisect"
        bisect(folder, "next", status=2, says="no search is under way")
        bisect(folder, "nxt", status=2, says="did you mean 'next'?")
        bisect(folder, "start", MODEL, status=2, says="expected bisect start MODEL ENGINE")
        bisect(folder, "start", MODEL, ENGINE, says="marked as an output")
        bisect(folder, "start", MODEL, ENGINE, status=2, says="a search is under way")
        kept = state.read_bytes()

        def refused(*words, says):
            bisect(folder, *words, status=2, says=says)
            check(f"{words}: the state", state.read_bytes() == kept)

        refused("good", FIXTURES / "kernels/engine.log", says="")
        refused("bad", "nowhere.json", says="nowhere.json")
        refused("run", script(folder, "silent", "exit 1\n"), says="expected the path of the new dump")
        refused("run", script(folder, "killed", "kill -9 $$\n"), says="did not run to its end")
        refused("run", folder / "none", says="did not run to its end")

        # The fusion of Conv_13 is split in SPLIT: good there, it is to blame.
        bisect(folder, "bad", ENGINE, says="did not change")
        bisect(folder, "reset")
        check("reset", not state.exists())
        bisect(folder, "start", MODEL, ENGINE)
        command = script(folder, "build", f"cat > {folder}/asked\necho building\necho {SPLIT}\n")
        bisect(folder, "run", command, says="The failure comes and goes with this fusion, after 1 build:\n  layer 3  epilogue  Conv_13")
        check("what CMD is told", (folder / "asked").read_text().split(), (folder / "asked").read_text())
        bisect(folder, "log", says="good  1 fusion changed  1 suspect left")
        bisect(folder, "good", status=2, says="the search is over")

        text = state.read_text()
        for bad, says in ((text.replace("bisect/1", "bisect/9"), "expected fusiondiff-bisect/1"),
                          (text.replace("files ", "files 0"), "another model or engine"),
                          (text + "fair\n", "expected good, bad or skip, found 'fair'"),
                          (text + "bad changed 99\n", "numbers of fusions"), ("", "expected fusiondiff-bisect/1")):
            state.write_text(bad)
            bisect(folder, "next", status=2, says=says)
    return 1 if failed else 0


sys.exit(main())
