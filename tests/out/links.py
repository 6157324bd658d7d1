#!/usr/bin/env python3
"""links.py BINARY FIXTURES: what the user did not name himself stays where it belongs.

Weights in other files, files in directories, files that a list names and parts: a link whose target stays inside is
followed, one that leads out, `..` and a path of elsewhere are refused, and no byte of the secret is in anything that was
written.  --follow reads lists and directories; weights it does not.  An output goes where its links lead, as long as they
stay in their folder, and a file that has other names, or may not be written, keeps them, and stays as it is."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program

SECRET = b"TOPSECRET!" * 8
WEIGHTS = b"these are the weights.." * 8
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def run(binary, *words, cwd=None):
    return program.run([binary, *map(str, words)], cwd)


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def engine_of_outside():
    def tensor(name):
        return [{"Name": name, "Dimensions": [2, 3], "Format/Datatype": "Row major linear FP32"}]
    return json.dumps({"Layers": [{"Name": "sum + scaled", "LayerType": "PointWise", "Inputs": tensor("x"),
                                   "Outputs": tensor("y")}], "Bindings": ["x", "y"]}).encode()


# ---------------------------------------------------------------------------------- weights

# Name, where the model is, the location that it states, of as many bytes, what else there is: a link's target or
# bytes; whether the weights may be read.
LAYOUTS = [
    ("beside", "m/model.onnx", "outside.data", {"m/outside.data": WEIGHTS}, True),
    ("below", "m/model.onnx", "sub/out.data", {"m/sub/out.data": WEIGHTS}, True),
    ("inside", "m/model.onnx", "outside.data", {"m/outside.data": "sub/w", "m/sub/w": WEIGHTS}, True),
    ("inside absolute", "m/model.onnx", "outside.data", {"m/outside.data": "{root}/m/sub/w", "m/sub/w": WEIGHTS}, True),
    ("folder inside", "m/model.onnx", "sub/out.data", {"m/sub": "other", "m/other/out.data": WEIGHTS}, True),
    ("hub", "snapshots/1/model.onnx", "outside.data",
     {"snapshots/1/model.onnx": "../../blobs/4f2a", "snapshots/1/outside.data": "../../blobs/77c0",
      "blobs/77c0": WEIGHTS}, True),
    ("hub's folder", "snapshots/1/onnx/model.onnx", "sub/out.data",
     {"snapshots/1/onnx/model.onnx": "../../../blobs/4f2a", "snapshots/1/onnx/sub/out.data": "../../../../blobs/77c0",
      "blobs/77c0": WEIGHTS}, True),
    ("linked model", "m/model.onnx", "outside.data", {"m/model.onnx": "../n/real.onnx", "m/outside.data": WEIGHTS}, True),
    ("out", "m/model.onnx", "outside.data", {"m/outside.data": "../secret"}, False),
    ("out absolute", "m/model.onnx", "outside.data", {"m/outside.data": "{root}/secret"}, False),
    ("out twice", "m/model.onnx", "outside.data", {"m/outside.data": "sub/w", "m/sub/w": "../../secret"}, False),
    ("folder out", "m/model.onnx", "sub/out.data", {"m/sub": "../d", "d/out.data": SECRET}, False),
    ("name begins alike", "m/model.onnx", "outside.data", {"m/outside.data": "../mm/secret", "mm/secret": SECRET}, False),
    ("hub out", "snapshots/1/model.onnx", "outside.data",
     {"snapshots/1/model.onnx": "../../blobs/4f2a", "snapshots/1/outside.data": "../../secret"}, False),
    ("up", "m/model.onnx", "../../secret", {}, False),
    ("through a folder", "m/model.onnx", "d/../.secret", {"m/d": "../d", "d/x": b"", ".secret": SECRET}, False),
    ("a circle", "m/model.onnx", "outside.data", {"m/outside.data": "outside.data"}, False),
    ("a folder", "m/model.onnx", "outside.data", {"m/outside.data/x": b""}, False),
]


def lay_out(root, model, where, location, files):
    put(root / "secret", SECRET)
    data = model.replace(b"outside.data", location.encode())
    real = root / where
    for path, what in files.items():
        if isinstance(what, bytes):
            put(root / path, what)
        else:
            link(root / path, what.format(root=root))
            if path == where:
                real = root / path.rsplit("/", 1)[0] / what
    put(pathlib.Path(os.path.normpath(real)), data)
    return root / where


def written(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def copy_weights(binary, model, engine, out, name, may):
    """The verbs that copy weights: the part has them, or the verb is refused and leaves nothing."""
    for follow in ([], ["--follow"]):
        for number, words in enumerate((["cut", model, "--node", "sum", "-o", out / "part.onnx"],
                                        ["issue", model, engine, "--node", "sum", "-o", out / "report"])):
            folder = out / f"{number}{len(follow)}"
            folder.mkdir(parents=True)
            words[-1] = folder / words[-1].name
            ran = run(binary, *words, *follow)
            check((ran.returncode == 0) == may, f"{name}: {words[0]} {follow}: {ran.returncode} {ran.stderr.decode()}")
            check(may or b"outside" in ran.stderr or b"weights" in ran.stderr, f"{name}: {words[0]}: {ran.stderr.decode()}")
            check((WEIGHTS[4:28] in written(folder)) == may, f"{name}: {words[0]} {follow}: its weights")
            check(may or not list(folder.rglob("part.onnx")), f"{name}: {words[0]} {follow}: a file was left")


def look_at_others(binary, model, engine, out, name):
    """All other verbs that write: none has a byte of the secret."""
    out.mkdir(parents=True)
    run(binary, "annotate", model, engine, "-o", out / "a.onnx", "--follow")
    run(binary, "lint", model, "--fix", "-o", out / "f.onnx", "--follow")
    run(binary, "retype", model, engine, "-o", out / "r.onnx", "--follow")
    run(binary, "tensors", model, engine, "-o", out / "t.onnx", "--follow")
    run(binary, "code", model, "-o", out / "c.py", "--follow")
    run(binary, "cut", model, "--node", "sum", "--inputs", out / "i", "--follow")
    check(b"TOPSECRET" not in written(out), f"{name}: the secret was written")


def weights(binary, fixtures, folder):
    model, engine = (fixtures / "outside.onnx").read_bytes(), put(folder / "engine.json", engine_of_outside())
    for name, where, location, files, may in LAYOUTS:
        root = folder / name.replace(" ", "-").replace("'", "")
        path = lay_out(root / "in", model, where, location, files)
        copy_weights(binary, path, engine, root / "out", name, may)
        look_at_others(binary, path, engine, root / "others", name)
        check(b"TOPSECRET" not in written(root / "out"), f"{name}: the secret was written")


# ------------------------------------------------------------------ directories, lists, parts

def refused_unless_followed(binary, name, words, cwd, says=b"--follow"):
    ran = run(binary, *words, cwd=cwd)
    check(ran.returncode == 2 and says in ran.stderr + ran.stdout, f"{name}: {ran.returncode} {ran.stderr.decode()}")
    ran = run(binary, *words, "--follow", cwd=cwd)
    check(ran.returncode == 0, f"{name} --follow: {ran.returncode} {ran.stderr.decode()}")


def directories(binary, pair, folder):
    model, engine = pair
    secret = folder / "elsewhere"
    put(secret / "model.onnx", model)
    put(secret / "engine.json", engine)
    build = folder / "builds" / "a"
    put(build / "model.onnx", model)
    put(build / "real" / "engine.json", engine)
    link(build / "engine.json", "real/engine.json")
    ran = run(binary, build)
    check(ran.returncode == 0, f"a link inside: {ran.stderr.decode()}")
    ran = run(binary, "snapshot", build, "-o", secret / "good.fsd")
    check(ran.returncode == 0, ran.stderr.decode())

    for file, other in (("engine.json", "model.onnx"), ("model.onnx", "engine.json")):
        bad = folder / f"out-{file}"
        put(bad / other, (secret / other).read_bytes())
        link(bad / file, f"../elsewhere/{file}")
        refused_unless_followed(binary, f"a directory's {file}", [bad], folder)
    both = folder / "both"
    link(both / "b1", "../builds/a")
    link(both / "b2", "../builds/a")
    refused_unless_followed(binary, "a directory of directories", ["compare", both], folder)
    link(folder / "snapshots" / "one.fsd", "../elsewhere/good.fsd")
    refused_unless_followed(binary, "a directory of snapshots", ["check", folder / "snapshots", build], folder)


def collected(binary, pair, folder):
    """The link that collect makes may lead anywhere; a link beside its file to another model may not."""
    model = put(folder / "models" / "model.onnx", pair[0])
    other = put(folder / "models" / "other.onnx", pair[0].replace(b"Conv_4", b"Conv_X"))
    script = put(folder / "build.sh", b"#!/bin/sh\ncp engine.json \"$FUSIONDIFF_COLLECT\"\n")
    put(folder / "engine.json", pair[1])
    script.chmod(0o755)
    ran = run(binary, "collect", "made", "--model", model, "--", "./build.sh", cwd=folder)
    check(ran.returncode == 0, f"collect: {ran.stderr.decode()}")
    check((folder / "made" / "model.onnx").is_symlink(), "collect makes a link")
    ran = run(binary, "made", cwd=folder)
    check(ran.returncode == 0, f"a collected directory: {ran.stderr.decode()}")
    (folder / "made" / "model.onnx").unlink()
    link(folder / "made" / "model.onnx", other)
    refused_unless_followed(binary, "another model than was collected", ["made"], folder)


def lists(binary, pair, folder):
    tree, secret = folder / "tree", folder / "secret"
    for place in (tree / "in", secret):
        put(place / "model.onnx", pair[0])
        put(place / "engine.json", pair[1])
    put(secret / "old.ini", b"[policy]\n")
    link(tree / "link.json", "../secret/engine.json")
    (tree / "lists").mkdir()
    run(binary, "snapshot", "in/model.onnx", "in/engine.json", "-o", "in/good.fsd", cwd=tree)
    good = "in/model.onnx in/engine.json"

    for number, line in enumerate((f"../secret/model.onnx {good.split()[1]}", f"in/model.onnx {secret}/engine.json",
                                   "in/model.onnx link.json", "in/../../secret/model.onnx in/engine.json",
                                   f"{secret}", f"{good} policy=../secret/old.ini", f"{good} log=../secret/engine.json",
                                   f"{good} profile=../secret/engine.json", f"{good} times={secret}/old.ini")):
        path = put(tree / "lists" / f"{number}.txt", line.encode())
        ran = run(binary, "batch", path, cwd=tree)
        check(ran.returncode == 2 and b"--follow" in ran.stdout, f"{line}: {ran.returncode} {ran.stdout[:300]}")
        if number < 5:
            ran = run(binary, "batch", path, "--follow", cwd=tree)
            check(ran.returncode == 0, f"{line} --follow: {ran.stdout[:300]}")
    ran = subprocess.run([binary, "batch", "-"], input=f"{secret}/model.onnx {secret}/engine.json".encode(), cwd=tree,
                         capture_output=True, check=False)
    check(ran.returncode == 0, "a pipe is the user's own word")

    (secret / "lists").mkdir()
    path = put(secret / "lists" / "below.txt", f"{secret}/lists/model.onnx {secret}/lists/engine.json".encode())
    for name in ("model.onnx", "engine.json"):
        (secret / "lists" / name).write_bytes((secret / name).read_bytes())
    ran = run(binary, "batch", path, cwd=tree)
    check(ran.returncode == 0, f"below the list: {ran.stdout[:300]}")

    for verb, to in (("snapshot", "../secret/new.fsd"), ("snapshot", f"{secret}/new.fsd"), ("snapshot", "out.fsd"),
                     ("check", "../secret/kept.fsd"), ("check", f"{secret}/kept.fsd")):
        kept = put(secret / "kept.fsd", (tree / "in" / "good.fsd").read_bytes() + b"")
        before = kept.stat().st_mtime_ns
        if to == "out.fsd":
            link(tree / to, "../secret/new.fsd")
        path = put(tree / "lists" / "written.txt", f"{good} snapshot={to}".encode())
        words = [verb, "--list", path] + (["--update"] if verb == "check" else [])
        ran = run(binary, *words, cwd=tree)
        check(ran.returncode == 2 and b"--follow" in ran.stderr + ran.stdout, f"{verb} {to}: {ran.returncode} {ran.stderr}")
        check(not (secret / "new.fsd").exists() and kept.stat().st_mtime_ns == before, f"{verb} {to}: was written")
        ran = run(binary, *words, "--follow", cwd=tree)
        check(ran.returncode == 0, f"{verb} {to} --follow: {ran.stdout} {ran.stderr.decode()}")
        (secret / "new.fsd").unlink(missing_ok=True)


def parts(binary, pair, folder):
    put(folder / "secret" / "engine.json", pair[1])
    put(folder / "tree" / "model.onnx", pair[0])
    put(folder / "tree" / "own.json", pair[1])
    link(folder / "tree" / "e.json", "../secret/engine.json")
    link(folder / "tree" / "in.json", "own.json")
    link(folder / "tree" / "d", "../secret")
    tree = folder / "tree"
    for path in ("e.json", "d/engine.json", tree / "e.json"):
        refused_unless_followed(binary, f"--part {path}", ["parts", "model.onnx", "--part", "own.json", "--part", path], tree)
    for path in ("in.json", "../secret/engine.json", folder / "secret" / "engine.json"):
        ran = run(binary, "parts", "model.onnx", "--part", "own.json", "--part", path, cwd=tree)
        check(ran.returncode == 0, f"--part {path}: {ran.stderr.decode()}")
    ran = run(binary, "compare", "model.onnx,own.json+e.json", "model.onnx,own.json", cwd=tree)
    check(ran.returncode == 2 and b"--follow" in ran.stderr, f"a word with '+': {ran.stderr.decode()}")


def outputs(binary, pair, folder):
    """Where an output is a link, has two names, may not be written, or is in a folder that is a link."""
    tree = folder / "o"
    put(tree / "model.onnx", pair[0])
    put(tree / "engine.json", pair[1])
    (folder / "oo").mkdir()
    put(folder / "oo" / "old.json", SECRET)
    words = ["model.onnx", "engine.json", "-f", "json", "-o"]
    wanted = run(binary, *words[:-1], cwd=tree).stdout

    put(tree / "in" / "real.json", b"old")
    link(tree / "in" / "link.json", "real.json")
    link(tree / "in" / "new.json", "made.json")
    link(tree / "in" / "twice.json", "link.json")
    for name, real in (("link.json", "real.json"), ("new.json", "made.json"), ("twice.json", "real.json")):
        ran = run(binary, *words, f"in/{name}", cwd=tree)
        check(ran.returncode == 0, f"output {name}: {ran.stderr.decode()}")
        check((tree / "in" / name).is_symlink() and (tree / "in" / real).read_bytes() == wanted, f"output {name}: {real}")
        (tree / "in" / real).write_bytes(b"old")

    link(tree / "out.json", "../oo/old.json")
    link(tree / "up.json", folder / "oo" / "old.json")
    link(tree / "far", "../oo")
    for name in ("out.json", "up.json", "far/old.json"):
        ran = run(binary, *words, name, cwd=tree)
        check(ran.returncode == 2 and b"--follow" in ran.stderr, f"output {name}: {ran.returncode} {ran.stderr.decode()}")
        check((folder / "oo" / "old.json").read_bytes() == SECRET, f"output {name}: was written")
        ran = run(binary, *words, name, "--follow", cwd=tree)
        check(ran.returncode == 0 and (folder / "oo" / "old.json").read_bytes() == wanted, f"output {name} --follow")
        (folder / "oo" / "old.json").write_bytes(SECRET)

    one, other = put(tree / "one.json", b"old"), tree / "other.json"
    other.hardlink_to(one)
    ran = run(binary, *words, "one.json", cwd=tree)
    check(ran.returncode == 0 and other.read_bytes() == wanted and one.samefile(other), "a file with two names keeps both")
    kept = put(tree / "kept.json", b"old")
    kept.chmod(0o444)
    ran = run(binary, *words, "kept.json", cwd=tree)
    check(ran.returncode != 0 and b"read-only" in ran.stderr and kept.read_bytes() == b"old", "a read-only file stays")
    link(tree / "ring.json", "ring.json")
    for name in ("ring.json", "in"):
        ran = run(binary, *words, name, cwd=tree)
        check(ran.returncode != 0 and name.encode() in ran.stderr, f"output {name}: {ran.returncode} {ran.stderr.decode()}")
    ran = run(binary, *words, "engine.json", cwd=tree)
    check(ran.returncode == 2 and b"inputs" in ran.stderr, "an output is none of the inputs")
    link(tree / "itself.json", "engine.json")
    ran = run(binary, *words, "itself.json", cwd=tree)
    check(ran.returncode == 2 and (tree / "engine.json").read_bytes() == pair[1], "nor a link to one")
    ran = run(binary, "snapshot", "model.onnx", "engine.json", "-o", "in/good.fsd", cwd=tree)
    ran = run(binary, "check", "in/good.fsd", "model.onnx", "engine.json", "--update", cwd=tree)
    check(ran.returncode == 0, f"a snapshot that is read is updated: {ran.stderr.decode()}")


def main():
    binary, fixtures = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    pair = [(fixtures.parent / "qat_block" / name).read_bytes() for name in ("model.onnx", "engine.graph.json")]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        weights(binary, fixtures, folder / "weights")
        directories(binary, pair, folder / "directories")
        collected(binary, pair, folder / "collected")
        lists(binary, pair, folder / "lists")
        parts(binary, pair, folder / "parts")
        outputs(binary, pair, folder / "outputs")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
