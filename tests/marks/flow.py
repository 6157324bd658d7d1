"""flow.py BINARY FIXTURES: bisect from start to reset on a drawn pair: what it asks for, what it makes of results, of a
command and of bad input, that its state stays as it was whenever a result is not taken; and the models that tensors
and bisect write."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import program

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
    p = program.run([BINARY, "bisect", *map(str, words)], folder, text=True)
    out = p.stdout + p.stderr
    check(f"bisect {' '.join(map(str, words))}", p.returncode == status and says in out, f"status {p.returncode}, {out}")
    return out


def script(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def nodes_of(model, engine):
    p = program.run([BINARY, model, engine, "--force", "-q", "-f", "json"], text=True)
    return json.loads(p.stdout)["nodes"]


def models(folder):
    """An If and its condition are in a model that no mark splits; nothing else of it changes."""
    model, engine = FIXTURES / "kernels/model.onnx", FIXTURES / "kernels/engine.log"
    split = folder / "split.onnx"
    p = program.run([BINARY, "tensors", model, engine, "--break", "layer:8", "-o", split], text=True)
    check("tensors -o", not p.returncode and "pass through an If" in p.stdout, p.stderr)
    old = [(n["name"], n["op"]) for n in nodes_of(model, engine)]
    new = [(n["name"], n["op"]) for n in nodes_of(split, engine)]
    added = [n for n in new if n not in old]
    check("nodes of the split model", [n for n in new if n in old] == old, new)
    passed = p.stdout.count("pass through an If")
    rank = sum(op == "Gather" for _, op in added)
    check("a number of each axis", rank > 0, added)
    check("what was added", [op for _, op in added if op != "Identity"] == ["Gather"] * rank + ["Cast"] + ["If"] * passed, added)
    check("branches", sum(op == "Identity" for _, op in added) == 2 * passed, added)
    p = program.run([BINARY, "tensors", model, engine, "--break", "layer:2", "-o", split], text=True)
    check("no break", p.returncode == 2 and "no mark splits the fusion 'layer:2' without splitting others" in p.stderr, p.stderr)
    p = program.run([BINARY, "tensors", MODEL, ENGINE, "--free", "-q", "-o", split], text=True)
    check("--free -o", not p.returncode and not p.stdout, p.stderr)
    check("outputs", b"relu1" in split.read_bytes()[-200:], split.read_bytes()[-200:])


def comparison(*iterations, whole=True, aggregation="per_sample"):
    """As Polygraphy saves it: results of the runners' outputs, by name, in each iteration."""
    def output(passed):
        return {"max_absdiff": 0.5 if passed else float("nan"), "thresholds": {"passed": True}, "passed": passed}

    of = [{name: output(passed) if whole else passed for name, passed in one.items()} for one in iterations]
    result = {"lst": [[["onnxrt", "trt \"b\""], of]], "aggregation": aggregation, "polygraphy_class": "AccuracyResult"}
    return json.dumps({"lst": [result], "polygraphy_class": "AccuracyResults"} if whole else result, indent=4)


def results(folder):
    """What Polygraphy saved is the result; what states nothing of the network's output is none."""
    bisect(folder, "start", MODEL, ENGINE)
    state, file = folder / ".fusiondiff-bisect", folder / "comparison.json"
    kept = state.read_bytes()
    right = comparison({"output": True, "conv1.out": False})
    for text, says in ((right[:200], "found the end of the file"), ("[]", "found a file without iterations"), ("{}", "found a file without iterations"),
                       (comparison({"conv1.out": True}), "output 'output' in each iteration, found 0 of 1"),
                       (comparison({"output": True}, {}), "output 'output' in each iteration, found 1 of 2"),
                       (comparison({"output": True}, aggregation="average"), "found averages"),
                       (right.replace('"passed": true\n', '"passed": null\n'), "found 0 of 1"), ("{\"lst\": [1 x", "expected")):
        file.write_text(text)
        bisect(folder, "result", file, ENGINE, status=2, says=says)
        check("the state", state.read_bytes() == kept)
    bisect(folder, "result", status=2, says="expected bisect result COMPARISON")
    for text, says in ((right, "good: "), (comparison({"output": True}, {"output": False}), "bad: "), (comparison({"output": False}, {}), "bad: "),
                       (comparison({"output": True}, whole=False), "good: "), (comparison({"output": False}, whole=False), "bad: "),
                       (comparison({"output": True}).replace('"output"', '"\\u006futput"'), "good: ")):
        file.write_text(text)
        bisect(folder, "result", file, SPLIT, says=says)
        state.write_bytes(kept)
    bisect(folder, "reset")


def operations(folder):
    """A kernel that a Transpose left is another kernel, though it computes the same nodes."""
    model, engine = FIXTURES / "kernels/model.onnx", FIXTURES / "kernels/engine.log"
    lines = engine.read_text().splitlines(keepends=True)
    changed = [line.replace("MulAddMinMaxMulTran", "MulAddMinMaxMul") if "MulAddMinMaxMulTran_myl0_14," in line else line for line in lines]
    other = folder / "other.log"
    other.write_text("".join(changed))
    bisect(folder, "start", model, engine)
    bisect(folder, "bad", engine, says="suspects left, about ")
    bisect(folder, "next", "--budget", 200, says="for the next page pass --budget 200,2")
    bisect(folder, "next", "--budget", "200,2", says="page 2 of ")
    bisect(folder, "reset")
    bisect(folder, "start", model, engine)
    bisect(folder, "bad", other, says="has the same nodes, but now performs different operations:  layer 13  epilogue  block.1.Conv_58")
    bisect(folder, "reset")


def with_product_split(folder):
    """The engine, in which another layer computes the Add behind MatMul_21."""
    engine = json.loads(ENGINE.read_text())
    at = next(i for i, layer in enumerate(engine["Layers"]) if layer["Name"].startswith("MatMul_21"))
    layer = engine["Layers"][at]
    between = [{**layer["Outputs"][0], "Name": "fc"}]
    engine["Layers"][at:at + 1] = [{**layer, "Name": "MatMul_21", "Outputs": between},
                                   {"Name": "fc.bias + Add_22", "LayerType": "ElementWise", "Inputs": between, "Outputs": layer["Outputs"]}]
    path = folder / "product.json"
    path.write_text(json.dumps(engine))
    return path


def ends(folder):
    """How searches end that name no fusion."""
    for words, says in ((("good",), "The failure does not occur in this build"), (("skip",), "could not be tested"),
                        (("bad", "bad"), "No fusion alone causes the failure")):
        bisect(folder, "reset")
        bisect(folder, "start", MODEL, ENGINE)
        for word in words[:-1]:
            bisect(folder, word, says="suspects left")
        bisect(folder, words[-1], says=says)
    bisect(folder, "reset")
    bisect(folder, "start", MODEL, ENGINE)
    flaky = script(folder, "flaky", f"echo {ENGINE}\n[ -e tested ] && exit 0\ntouch tested\nexit 1\n")
    bisect(folder, "run", "--confirm", "3", flaky, status=2, says="3 runs of one build disagree (2 good, 1 bad, 0 skipped)")
    (folder / "tested").unlink()


def outputs(folder):
    """The network's saved outputs are the result, in place of the exit status."""
    good, wrong = FIXTURES / "values/good.npz", FIXTURES / "values/bad.npz"
    build = f"[ -e split ] || {{ touch split; echo {wrong}; echo {ENGINE}; exit 0; }}\n"
    bisect(folder, "start", MODEL, ENGINE)
    kept = (folder / ".fusiondiff-bisect").read_bytes()
    for text, says in ((f"echo {good}\necho {ENGINE}\nexit 1\n", "with --values, expected exit status 0 or 125 (skip), found 1"),
                       (f"echo {ENGINE}\n", "expected the path of the saved outputs on the second-to-last line that the script prints"),
                       (f"echo {FIXTURES / 'values/table.csv'}\necho {ENGINE}\n", "found another kind of file"),
                       (f"echo {FIXTURES / 'values/strange.npz'}\necho {ENGINE}\n", "found 'output', which cannot be compared: this output is missing")):
        bisect(folder, "run", "--values", good, script(folder, "refused", text), status=2, says=says)
        check("the state", (folder / ".fusiondiff-bisect").read_bytes() == kept)
    bisect(folder, "run", "--limit", "0.1", "true", status=2, says="--limit needs --values")
    bisect(folder, "start", "--values", good, MODEL, ENGINE, status=2, says="expected --values only with bisect run")
    bisect(folder, "run", "--values", good, script(folder, "right", f"echo {good}\necho {ENGINE}\n"), says="does not occur in this build")
    for limit, says in (("0.01", "No fusion alone causes the failure"), ("0.5", "does not occur in this build")):
        bisect(folder, "reset")
        bisect(folder, "start", MODEL, ENGINE)
        bisect(folder, "run", "--values", good, "--limit", limit, script(folder, "wrong", build + f"echo {wrong}\necho {SPLIT}\n"), says=says)
        (folder / "split").unlink()
    bisect(folder, "reset")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models(folder)
        results(folder)
        state = folder / ".fusiondiff-bisect"
        bisect(folder, "next", status=2, says="there is no search")
        bisect(folder, "nxt", status=2, says="did you mean 'next'?")
        bisect(folder, "start", MODEL, status=2, says="expected bisect start MODEL ENGINE")
        bisect(folder, "start", FIXTURES / "qat_block", says="without changes: this engine should be wrong")
        bisect(folder, "reset")
        bisect(folder, "start", MODEL, ENGINE, says="3 suspects left, about 6 more builds")
        bisect(folder, "start", MODEL, ENGINE, status=2, says="a search has begun")
        kept = state.read_bytes()

        def refused(*words, says):
            bisect(folder, *words, status=2, says=says)
            check(f"{words}: the state", state.read_bytes() == kept)

        refused("good", FIXTURES / "kernels/engine.log", says="")
        refused("bad", "nowhere.json", says="nowhere.json")
        refused("run", script(folder, "silent", "exit 1\n"), says="expected the path of the new dump")
        refused("run", script(folder, "killed", "kill -9 $$\n"), says="expected exit status 0 to 127, found")
        refused("run", folder / "none", says="cannot be started: No such file")

        ends(folder)
        bisect(folder, "reset")
        operations(folder)
        outputs(folder)
        check("reset", not state.exists())

        # The fusion of Conv_13 is split in SPLIT: good there, it is to blame.
        bisect(folder, "start", MODEL, ENGINE)
        bisect(folder, "bad", ENGINE, says="No fusion changed")
        bisect(folder, "next", "-o", folder / "next.onnx", says="marked as an output")
        check("next -o", (folder / "next.onnx").read_bytes() != MODEL.read_bytes())
        mine = folder / ".fusiondiff-bisect.onnx"
        mine.write_text("mine")
        product = with_product_split(folder)
        before = set(folder.iterdir())
        def build(others):
            return script(folder, "build", f"cat > {folder}/asked\ncp $FUSIONDIFF_MODEL {folder}/given.onnx\n"
                                           f"echo building\necho {SPLIT}\n"
                                           f"grep -q conv2.out {folder}/asked || {{ echo {others}; exit 1; }}\n")

        kept = state.read_text()
        bisect(folder, "run", build(ENGINE), says="No fusion is proved to cause the failure")    # no other one was split
        state.write_text(kept)
        bisect(folder, "run", build(product), says="This fusion causes the failure:\n  layer 3  epilogue  Conv_13")
        bisect(folder, "next", says="with 1 of the 2 other fusions split, it was wrong.\n1 other fusion was whole in each wrong build, so the failure may depend on this fusion, too:\n"
                                    "  layer 1  epilogue  Conv_4")
        check("the last request is all others", (folder / "asked").read_text().split() == ["conv1.out", "fc"], (folder / "asked").read_text())
        check("the model that CMD is given", (folder / "given.onnx").read_bytes() != (folder / "next.onnx").read_bytes())
        left = {p.name for p in set(folder.iterdir()) - before}
        check("it is gone behind it", left == {"build", "asked", "given.onnx"}, left)
        check("a file of the user's", mine.read_text() == "mine")
        bisect(folder, "log", says="good  1 fusion changed  1 suspect left")
        bisect(folder, "log", "--budget", "200,2", status=2, says="expected a page of the text (it has 1 page")
        bisect(folder, "good", status=2, says="the search is complete")

        text = state.read_text()
        for bad, says in ((text.replace("bisect/2", "bisect/9"), "expected fusiondiff-bisect/2"),
                          (text.replace("files ", "files 0"), "changed after the search began"),
                          (text + "fair\n", "expected good, bad or skip, found 'fair'"),
                          (text.replace("bad\n", "bad changed 99\n", 1), "indices of fusions"), (text + "bad\n", "the search is complete"), ("", "expected fusiondiff-bisect/2")):
            state.write_text(bad)
            bisect(folder, "next", status=2, says=says)
    return 1 if failed else 0


sys.exit(main())
