#!/usr/bin/env python3
"""The program for Windows, by wine, against the one of this system:

    windows.py PROGRAM.exe NATIVE FIXTURES DOT.exe

Paths as Windows spells them (drives, backslashes, a folder's backslash at its end), weights
beside the model, names in UTF-8, texts whose lines end in CR LF, standard input, outputs in
folders, and pictures by a program of Windows, of which DOT.exe (dot.c) is the likeness.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM, NATIVE, FIXTURES, DOT = map(os.path.abspath, sys.argv[1:5])
failures = []


def check(what: str, holds: object, detail: object = "") -> None:
    print(("ok      " if holds else "FAILED  ") + what + ("" if holds else f" {detail!s:.800}"), flush=True)
    if not holds:
        failures.append(what)


def windows(path: str) -> str:
    return "Z:" + path.replace("/", "\\")


class Place:
    """A folder with a build, in which both programs are run."""

    def __init__(self, at: str) -> None:
        self.at = f"{at}/Größe 模型"
        os.makedirs(f"{self.at}/build")
        os.makedirs(f"{self.at}/out")
        for name, source in (("model.onnx", "qat_block/model.onnx"), ("engine.json", "qat_block/engine.graph.json"), ("profile.json", "qat_block/profile.json")):
            shutil.copy(f"{FIXTURES}/{source}", f"{self.at}/build/{name}")
        for name in ("outside.onnx", "outside.data"):
            shutil.copy(f"{FIXTURES}/cut/{name}", f"{self.at}/{name}")
        shutil.copy(f"{FIXTURES}/qat_block/model.onnx", f"{self.at}/modèle_模型.onnx")
        self.env = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": f"{at}/wine"}

    def run(self, program: list[str], *words: str, **more: object) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([*program, *words, "-q"], cwd=self.at, capture_output=True, env={**self.env, **more.pop("env", {})}, timeout=300, **more)

    def wine(self, *words: str, **more: object) -> "subprocess.CompletedProcess[bytes]":
        return self.run(["wine", PROGRAM], *words, **more)

    def native(self, *words: str, **more: object) -> "subprocess.CompletedProcess[bytes]":
        return self.run([NATIVE], *words, **more)

    def read(self, name: str) -> bytes:
        with open(f"{self.at}/{name}", "rb") as file:
            return file.read()


def check_paths(place: Place) -> None:
    pair = ("build/model.onnx", "build/engine.json")
    want = place.native(*pair, "-f", "json").stdout
    for what, words in (("slashes", pair), ("backslashes", tuple(word.replace("/", "\\") for word in pair))):
        got = place.wine(*words, "-f", "json")
        check(f"{what}: the JSON of this system", got.stdout == want and want, got.stderr)
    got = place.wine(*(windows(f"{place.at}/{word}") for word in pair), "-f", "json")
    report = json.loads(got.stdout or b"{}")
    check("with a drive", report.get("engine", {}).get("path") == f"Z:{place.at}/build/engine.json" and
          report["layers"] == json.loads(want)["layers"], got.stderr)
    want = place.native("build", "-f", "json").stdout
    for word in ("build", "build\\", ".\\build", windows(f"{place.at}/build")):
        got = place.wine(word, "-f", "json")
        check(f"the folder {word[-8:]}", json.loads(got.stdout or b"{}").get("layers") == json.loads(want)["layers"], got.stderr)
    name = "modèle_模型.onnx"
    got = place.wine(name, "build\\engine.json", "-f", "json")
    check("a name beyond the code page", got.stdout == place.native(name, "build/engine.json", "-f", "json").stdout and
          json.loads(got.stdout)["model"]["path"] == name, got.stderr)
    one, other = place.wine("compare", "build\\model.onnx,build\\engine.json", "build"), place.native("compare", "build/model.onnx,build/engine.json", "build")
    check("a comparison of two builds", one.stdout == other.stdout and other.stdout, one.stdout + one.stderr)
    got = place.wine("none\\model.onnx", "build\\engine.json")
    check("an error names the file", got.returncode == 2 and b"none/model.onnx" in got.stderr, got.stderr)


def check_outputs(place: Place) -> None:
    # A page of lint has no drawing, which NATIVE may have Graphviz for.
    for form, words in (("html", ["lint", "build/model.onnx"]), ("json", ["build/model.onnx", "build/engine.json"]),
                        ("fsd", ["snapshot", "build/model.onnx", "build/engine.json"])):
        one = place.wine(*(word.replace("/", "\\") for word in words), "-o", f"out\\one.{form}")
        other = place.native(*words, "-o", f"out/other.{form}")
        check(f"-o out\\one.{form}", one.returncode == other.returncode and os.path.exists(f"{place.at}/out/one.{form}") and
              place.read(f"out/one.{form}") == place.read(f"out/other.{form}"), one.stderr)
    check("nothing else is left there", sorted(os.listdir(f"{place.at}/out")) == sorted(f"{a}.{b}" for a in ("one", "other") for b in ("html", "json", "fsd")),
          os.listdir(f"{place.at}/out"))
    for what, model in (("beside the model", "outside.onnx"), ("with a drive", windows(f"{place.at}/outside.onnx"))):
        one = place.wine("cut", model, "--node=#0", "-o", "out\\part.onnx")
        other = place.native("cut", "outside.onnx", "--node=#0", "-o", "out/part2.onnx")
        check(f"weights {what}", one.returncode == other.returncode == 0 and (place.read("out/part.onnx") == place.read("out/part2.onnx")),
              one.stderr + other.stderr)


def check_texts(place: Place) -> None:
    for name, source in (("engine.log", "kernels/engine.log"), ("same.fsd", "gate/same.fsd"), ("policy.ini", "gate/policy.ini")):
        with open(f"{FIXTURES}/{source}", "rb") as file:
            data = file.read()
        for folder, text in (("lf", data), ("crlf", data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))):
            os.makedirs(f"{place.at}/{folder}", exist_ok=True)
            with open(f"{place.at}/{folder}/{name}", "wb") as file:
                file.write(text)
    shutil.copy(f"{FIXTURES}/kernels/model.onnx", f"{place.at}/kernels.onnx")
    for what, words in (("a log", ("kernels.onnx", "{}engine.log")),
                        ("a snapshot and a policy", ("check", "{}same.fsd", "build/model.onnx", "build/engine.json", "--policy", "{}policy.ini"))):
        texts = []
        for run, folder in ((place.native, "lf/"), (place.native, "crlf/"), (place.wine, "crlf\\")):
            done = run(*(word.format(folder) for word in words))
            texts.append((done.returncode, done.stdout.replace(b"crlf/", b"lf/")))
        # The width of a column follows the path.
        plain = [(status, b" ".join(text.split())) for status, text in texts]
        check(f"lines of {what} that end in CR LF", plain[0] == plain[1] == plain[2] and plain[0][1], texts)
    done = place.wine("build\\model.onnx", "-", "-f", "json", input=place.read("build/engine.json"))
    other = place.native("build/model.onnx", "-", "-f", "json", input=place.read("build/engine.json"))
    check("standard input", done.stdout == other.stdout and other.stdout, done.stderr)


def check_pictures(place: Place) -> None:
    pair = ("build/model.onnx", "build/engine.json")
    got = place.wine(*pair, "-f", "svg")
    check("without a program there is no picture, and how to get one", got.returncode == 2 and b"pip install graphviz-pure" in got.stderr, got.stderr)
    tools = f"{place.at}/Graph viz"
    os.makedirs(tools)
    for name in ("dot.exe", "own.exe"):
        shutil.copy(DOT, f"{tools}/{name}")
    lines = place.native(*pair, "-f", "dot").stdout.count(b"\n")
    want = f'<svg as="svg" lines="{lines}"/>'.encode()
    for what, env in (("on the PATH", {"WINEPATH": windows(tools)}), ("that FUSIONDIFF_DOT names", {"FUSIONDIFF_DOT": windows(f"{tools}/own.exe")})):
        got = place.wine(*pair, "-f", "svg", env=env)
        check(f"a program draws {what}", got.returncode == 0 and got.stdout == want and not got.stderr, got.stdout + got.stderr)
    got = place.wine("doctor", env={"WINEPATH": windows(tools)})
    check("doctor reports what it draws", b"laid out by Graphviz: svg\n" in got.stdout, got.stdout)
    got = place.wine(*pair, "-f", "svg", env={"WINEPATH": "Graph viz"})
    check("none of a folder with a relative name", got.returncode == 2 and b"is on the PATH" in got.stderr, got.stderr)


with tempfile.TemporaryDirectory() as folder:
    here = Place(folder)
    for part in (check_paths, check_outputs, check_texts, check_pictures):
        part(here)
    subprocess.run(["wineserver", "-k"], env=here.env, check=False)
sys.exit(1 if failures else 0)
