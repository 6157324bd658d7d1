#!/usr/bin/env python3
"""check.py BINARY FIXTURES: parts cut out of small models, as far as they can be judged without onnx.

A part has the nodes, weights, inputs, outputs and functions that it should have, as the program itself reads them
again and as the bytes show; what cannot be cut leaves no file, and an old one as it was; arrays are a sound ZIP.
Where the python has onnx, onnx.checker takes each part."""
import base64
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program

try:
    import onnx
except ImportError:
    onnx = None
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def run(*args):
    return program.run(list(map(str, args)))


# model, what is cut, nodes in the main graph, words that the part's bytes hold, and that they do not.
PARTS = [
    ("loop", ["--node", "loop"], ["loop"], [b"outer", b"scaled"], [b"unused", b"before", b"after"]),
    ("loop", ["--from", "outer", "--to", "y"], ["loop", "after"], [b"outer"], [b"unused", b"before", b"start"]),
    ("functions", ["--node", "outer"], ["outer"], [b"Outer", b"Inner"], [b"Other", b"other"]),
    ("functions", ["--node", "e"], ["outer"], [b"Inner"], [b"Other"]),
    ("functions", ["--to", "y"], ["outer", "other"], [b"Outer", b"Inner", b"Other"], []),
    ("sizes", ["--node", "product"], ["q", "dq", "wq", "wdq", "product"], [b"point"], [b"unused", b"shape", b"rest"]),
    ("sizes", ["--node", "view"], ["shape", "first", "row", "both", "view", "q", "dq"], [b"rest"], [b"unused", b"wdq"]),
    ("sizes", ["--node", "act", "--context", "1"], ["dq", "q", "wq", "wdq", "product", "act"], [], [b"view", b"unused"]),
    ("sizes", ["--from", "vd", "--to", "p"], ["wq", "wdq", "product"], [b"vd"], [b"vq"]),
    ("dynamic", ["--node", "scaled"], ["scaled"], [b"xs"], [b"xz", b"wz"]),
    ("dynamic", ["--node", "quantize"], ["quantize"], [b"xz"], [b"product"]),
    ("unranked", ["--node", "view"], ["view"], [b"v_flat", b"Flatten"], [b"act"]),
    ("unranked", ["--from", "x", "--to", "a"], ["view", "act"], [b"a_flat"], [b"v_flat"]),
    ("outside", ["--node", "sum"], ["sum"], [b"here"], [b"absent", b"scaled"]),
]
REFUSED = [
    ("cycle", ["--node", "out"], b"cycle"), ("cycle", ["--node", "first"], b"cycle"),
    ("unsorted", ["--to", "y"], b"before another node writes it"), ("undefined", ["--node", "sum"], b"nowhere"),
    ("duplicate", ["--node", "two"], b"one producer"), ("duplicate", ["--node", "three"], b"several nodes write"),
    ("sequence", ["--node", "join"], b"known types"), ("loop", ["--node", "moved"], b"in a body of 'loop'"),
    ("outside", ["--node", "scaled"], b"absent.data"), ("sizes", ["--from", "w"], b"not a constant"),
    ("sizes", ["--from", "nix"], b"not a constant"), ("sizes", ["--from", "y"], b"behind 'y'"),
    ("sizes", ["--from", "p", "--to", "a"], b"found none"), ("sizes", ["--node", "nix"], b"name of a node"),
]



def cut_all(binary, fixtures, folder):
    for number, (model, words, nodes, has, has_not) in enumerate(PARTS):
        part = folder / f"{number}.onnx"
        ran = run(binary, "cut", fixtures / f"{model}.onnx", *words, "-o", part)
        check(ran.returncode == 0 and part.exists(), f"{model} {words}: {ran.stderr.decode()}")
        if not part.exists():
            continue
        data = part.read_bytes()
        for name in nodes:
            check(name.encode() in data, f"{model} {words}: node {name}")
        check(f"nodes    {len(nodes)} of" in ran.stdout.decode(), f"{model} {words}: {ran.stdout.decode()}")
        for word in has:
            check(word in data, f"{model} {words}: {word} is kept")
        for word in has_not:
            check(word not in data, f"{model} {words}: {word} is left out")
        again = run(binary, "cut", part, "--node", nodes[-1])
        check(again.returncode == 0, f"{model} {words}: the part is read again: {again.stderr.decode()}")
        if onnx:
            onnx.checker.check_model(str(part), full_check=True)


def refuse_all(binary, fixtures, folder):
    for model, words, says in REFUSED:
        part = folder / "refused.onnx"
        for old in (None, b"old"):
            if old:
                part.write_bytes(old)
            ran = run(binary, "cut", fixtures / f"{model}.onnx", *words, "-o", part)
            check(ran.returncode == 2 and says in ran.stderr and not ran.stdout, f"{model} {words}: {ran.stderr.decode()}")
            check((part.read_bytes() if part.exists() else None) == old, f"{model} {words}: a file is left alone")
        part.unlink()


def place_weights(binary, fixtures, folder):
    """In the model's folder they stay outside, elsewhere they come along."""
    data = (fixtures / "outside.data").read_bytes()
    for name in ("outside.onnx", "outside.data"):
        (folder / name).write_bytes((fixtures / name).read_bytes())
    run(binary, "cut", folder / "outside.onnx", "--node", "sum", "-o", folder / "same.onnx")
    run(binary, "cut", fixtures / "outside.onnx", "--node", "sum", "-o", folder / "other.onnx")
    check(b"outside.data" in (folder / "same.onnx").read_bytes(), "weights stay outside")
    other = (folder / "other.onnx").read_bytes()
    check(b"outside.data" not in other and data[4:28] in other, "weights come along")
    for path, notes in ((folder / "annotated.onnx", False), (folder / "away" / "annotated.onnx", True)):
        path.parent.mkdir(exist_ok=True)
        ran = run(binary, "annotate", folder / "outside.onnx", fixtures.parent / "qat_block/engine.graph.json", "--force", "-o", path)
        check((b"the weights are in external files" in ran.stderr) == notes, f"annotate {path}: {ran.stderr}")


def look_at_inputs(binary, fixtures, folder):
    ran = [run(binary, "cut", fixtures / "loop.onnx", "--node", "loop", "--inputs", folder / d) for d in ("a", "b")]
    check(not any(r.returncode for r in ran), ran[0].stderr.decode())
    files = [folder / d / "inputs.npz" for d in ("a", "b")]
    check(files[0].read_bytes() == files[1].read_bytes(), "the same values each time")
    with zipfile.ZipFile(files[0]) as archive:
        check(archive.testzip() is None, "checksums")
        check(sorted(archive.namelist()) == ["outer.npy", "s.npy"], archive.namelist())
        data = archive.read("s.npy")
    check(data[:8] == b"\x93NUMPY\1\0" and b"'<f4'" in data and b"(2, 3,)" in data and len(data) == 128 + 24, data)


def build_alone(binary, fixtures, folder):
    """The commands ask RTX for what --alone needs: from an engine that states names alone nothing is concluded."""
    of = fixtures.parent
    ran = run(binary, "cut", of / "rtx/functions.onnx", of / "rtx/functions.log", "--layer", "2", "-o", folder / "part.onnx")
    text = ran.stdout.decode()
    for words in ("tensorrt_rtx --onnx=", "part.onnx --profilingVerbosity=detailed --verbose >", "POLYGRAPHY_USE_TENSORRT_RTX=1 polygraphy run"):
        check(words in text, f"{words}: {text}{ran.stderr.decode()}")
    names = folder / "names.json"
    layers = json.loads((of / "qat_block/engine.graph.json").read_text())["Layers"]
    names.write_text(json.dumps({"Layers": [layer["Name"] for layer in layers], "Bindings": ["input", "output"]}))
    ran = run(binary, "cut", of / "qat_block/model.onnx", of / "qat_block/engine.graph.json", "--layer", "3", "--alone", names)
    check("alone    unknown fusions: the engine of the part states only the names of its layers" in ran.stdout.decode(), ran.stdout.decode() + ran.stderr.decode())


def npy(descr, shape, data, order=False):
    head = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + data


def npz(path, arrays, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in arrays.items():
            archive.writestr(f"{name}.npy", data)


def saved(path, arrays):
    """As Polygraphy saves outputs."""
    outputs = {name: {"values": {"array": base64.b64encode(data).decode()}} for name, data in arrays.items()}
    path.write_text(json.dumps({"lst": [["runner", [{"outputs": outputs, "runner_name": "runner"}]]]}))


def give_inputs(binary, fixtures, folder):
    """Values of the user's go into the archive byte by byte; those that do not fit leave nothing behind."""
    numbers = struct.pack("<6f", *range(6))
    good = {"outer": npy("<f4", "(2, 3)", bytes(24)), "s": npy("<f4", "(2, 3)", numbers), "other": npy("<i8", "()", bytes(8))}
    have, part = folder / "have.npz", folder / "given.onnx"
    words = ["cut", fixtures / "loop.onnx", "--node", "loop", "-o", part, "--inputs", folder / "given", "--values"]
    npz(have, {**good, "s": npy(">f4", "(2, 3)", numbers, True)})
    npz(folder / "s.npz", {"s": good["s"]}, zipfile.ZIP_STORED)
    saved(folder / "outer.json", {"outer": good["outer"]})
    for files in ([have], [folder / "outer.json", "--values", folder / "s.npz"]):
        ran = run(binary, *words, *files)
        check(ran.returncode == 0 and part.exists(), f"{files}: {ran.stderr.decode()}")
        with zipfile.ZipFile(folder / "given" / "inputs.npz") as archive, zipfile.ZipFile(have) as first:
            check(archive.testzip() is None and archive.read("outer.npy") == good["outer"], f"{files}: the values")
            check(archive.read("s.npy") == (first.read("s.npy") if files == [have] else good["s"]), f"{files}: their bytes")
        part.unlink()
        shutil.rmtree(folder / "given")
    for array, says in ((None, "the part's input 's'"), (npy("<f8", "(2, 3)", numbers * 2), "found fp64 of 2x3"),
                        (npy("<f4", "(3, 2)", numbers), "expected fp32 of 2x3 for 's', found fp32 of 3x2"),
                        (npy("<f4", "(6,)", numbers), "found fp32 of 6"), (npy("<c8", "(3,)", numbers), "type that fusiondiff does not read"),
                        (npy("<f4", "(2, 3)", numbers[:8]), "its length does not match"), (b"nothing", "not a NumPy array")):
        npz(have, {"outer": good["outer"], **({"s": array} if array else {})})
        refused(run(binary, *words, have), part, folder, says)
    npz(have, good, zipfile.ZIP_STORED)
    have.write_bytes(have.read_bytes().replace(numbers, bytes(24)))
    refused(run(binary, *words, have), part, folder, "damaged or truncated")
    for name, says in (("nix.npz", "No such file"), ("loop.onnx", "found neither"), ("", "directory")):
        refused(run(binary, *words, (fixtures / name)), part, folder, says)
    ran = run(binary, *words[:4], "--values", have)
    check(ran.returncode == 2 and b"--inputs DIR" in ran.stderr, ran.stderr.decode())


def refused(ran, part, folder, says):
    said = ran.stderr.decode()
    check(ran.returncode == 2 and says in said and not ran.stdout, f"{says}: {said}")
    check(not part.exists() and not (folder / "given").exists(), f"{says}: files are left")


def named_alike(binary, pair, folder):
    """Two nodes of one name: a key stands once in the node data."""
    alike, data, keys = folder / "alike.onnx", folder / "alike.nodedata.json", []
    alike.write_bytes(pair[0].read_bytes().replace(b"Relu_6", b"Conv_4"))
    ran = run(binary, "annotate", alike, pair[1], "-o", data)
    check(ran.returncode == 0, ran.stderr.decode())
    json.loads(data.read_text(), object_pairs_hook=lambda pairs: keys.append([key for key, _ in pairs]))
    check(all(len(set(one)) == len(one) for one in keys) and any("Conv_4" in one for one in keys), f"keys: {keys}")


def annotate(binary, fixtures, folder):
    """Metadata is appended, and nothing else of the file changes; a second run replaces it."""
    pair = [fixtures.parent / "qat_block" / name for name in ("model.onnx", "engine.graph.json")]
    made, again = folder / "made.onnx", folder / "again.onnx"
    ran = run(binary, "annotate", *pair, "-o", made, "-o", folder / "x.nodedata.json")
    check(ran.returncode == 0, ran.stderr.decode())
    run(binary, "annotate", made, pair[1], "-o", again)
    check(again.read_bytes() == made.read_bytes(), "annotating once more changes nothing")
    data = json.loads((folder / "x.nodedata.json").read_text())
    check(data["results"]["Conv_4"]["value"] == "int8", "node data")
    named_alike(binary, pair, folder)
    check(run(binary, "annotate", pair[1], "-o", folder / "engine.onnx").returncode == 0, "an engine as a graph")
    for said in (["--dump", "model"],):
        plain, noted = (run(binary, *said, path).stdout.decode() for path in (pair[0], made))
        check(plain.splitlines()[1:] == noted.splitlines()[1:], "the annotated model is the same graph")
    if onnx and onnx.IR_VERSION >= 10:
        onnx.checker.check_model(str(made))
        onnx.checker.check_model(str(folder / "engine.onnx"))
        before, after = onnx.load(str(pair[0])), onnx.load(str(made))
        check({p.key: p.value for p in after.graph.node[4].metadata_props}["fusiondiff.layer"].startswith("1 conv1"), "layer")
        for node in after.graph.node:
            del node.metadata_props[:]
        del after.metadata_props[:]
        check(before == after, "all but metadata is as it was")


def odd_path(binary, fixtures, folder):
    """A path may be any bytes: the model is found again by the same ones."""
    odd = os.fsencode(folder) + b"/odd\xff.onnx"
    engine = fixtures.parent / "qat_block" / "engine.graph.json"
    shutil.copy(fixtures.parent / "qat_block" / "model.onnx", odd)
    for verb in (["annotate"], ["retype"], ["tensors"], ["lint", "--fix", "--scale=skip=0.05"], ["cut", "--node", "#0"]):
        ran = program.run([binary, verb[0], odd, engine, *verb[1:], "-o", folder / "again.onnx"])
        check(ran.returncode == 0, f"{verb[0]} of a path of other bytes: {ran.stderr}")


def main():
    binary, fixtures = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cut_all(binary, fixtures, folder)
        refuse_all(binary, fixtures, folder)
        place_weights(binary, fixtures, folder)
        look_at_inputs(binary, fixtures, folder)
        give_inputs(binary, fixtures, folder)
        build_alone(binary, fixtures, folder)
        annotate(binary, fixtures, folder)
        odd_path(binary, fixtures, folder)
    if not onnx:
        print("no onnx in this python: onnx.checker was not asked")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
