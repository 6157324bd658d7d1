#!/usr/bin/python3
"""without.py PROGRAM LIBRARY SOURCE BUILD: a program without the library of edits (FSD_EDIT=OFF) has the verbs, the options
and the functions of the others alone: in its help, its manual, its completions, its reports, and what is installed."""
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY, SOURCE, BUILD = sys.argv[1:]
failed = 0


def check(holds, what):
    global failed
    if not holds:
        failed += 1
        print("FAILED", what)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def declared(header):
    with open(os.path.join(SOURCE, "include/fusiondiff", header), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return set(re.findall(r"FSD_API[^;]*?(fsd_\w+)\(", text))


def main():
    with open(os.path.join(SOURCE, "src/cli/cli.h"), encoding="utf-8") as file:
        verbs = re.findall(r"row\((\w+)\)", re.search(r"#define FSD_EDIT_VERBS\(row\).*?, \)", file.read(), re.S)[0])
    check("cut" in verbs and "retype" in verbs, f"verbs that write models: {verbs}")
    listed = set(re.findall(r"^  (\w+) ", run(PROGRAM, "help").stdout, re.M))
    manual = run(PROGRAM, "help", "--as", "man").stdout
    offered = {line.split("\t")[0] for line in run(PROGRAM, "help", "--complete", "").stdout.splitlines()}
    check({"diff", "lint"} <= offered, f"completed: {offered}")
    check({"diff", "lint", "compare", "top"} <= listed, f"help lists {listed}")
    for verb in verbs:
        check(verb not in listed, f"help lists {verb}")
        check(not re.search(rf"^\.Ss {verb}\b", manual, re.M), f"the manual has {verb}")
        check(verb not in offered, f"{verb} is completed")
        ran = run(PROGRAM, verb, "model.onnx", "engine.json")
        check(ran.returncode == 2 and verb in ran.stderr, f"{verb}: {ran.returncode} {ran.stderr}")
    told = run(PROGRAM, "help", "lint").stdout
    check("--policy" in told and "--fix" not in told and "--scale" not in told, "lint has --fix")
    with open(LIBRARY, "rb") as file:  # every text of a report
        named = set(re.findall(rf"[^\0\n]*(?:--fix|--scale|fusiondiff (?:{'|'.join(verbs)})\b)[^\0\n]*".encode(), file.read()))
    check(not named, f"reports name what the program lacks: {named}")
    lines = run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()
    exported = {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}
    check(exported == declared("fusiondiff.h"), f"exported: {sorted(exported ^ declared('fusiondiff.h'))}")
    with tempfile.TemporaryDirectory() as folder:
        ran = run("cmake", "--install", BUILD, "--prefix", folder, "--component", "development")
        headers = os.listdir(os.path.join(folder, "include/fusiondiff")) if ran.returncode == 0 else []
        check("fusiondiff.h" in headers and "edit.h" not in headers, f"installed: {headers} {ran.stderr}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
