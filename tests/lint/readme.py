#!/usr/bin/python3
"""What README.md shows is what the program prints:  readme.py BINARY

Each block that begins with "$ fusiondiff ..." is run in fixtures/, and so is the first
report, whose command is that of "Two commands".
"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIRST = "fixtures/qat_block/model.onnx fixtures/qat_block/engine.graph.json"


def printed(args, folder):
    done = subprocess.run([sys.argv[1], *args.split()], cwd=os.path.join(ROOT, folder),
                          capture_output=True, check=False, text=True)
    return done.stdout.rstrip()


def main():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```\n(.*?)^```$", file.read(), re.S | re.M)
    shown = [(FIRST, "", b.rstrip()) for b in blocks if b.startswith("model    fixtures/")]
    for block in blocks:
        if block.startswith("$ fusiondiff "):
            command, out = re.match(r"\$ fusiondiff ((?:.*\\\n)*.*)\n(.*)", block, re.S).groups()
            shown.append((command.replace("\\\n", " "), "fixtures", out.rstrip()))
    failed = [args for args, folder, out in shown if printed(args, folder) != out]
    for args in failed:
        print("README.md shows another output of: fusiondiff " + args)
    print("%d outputs, %d differ" % (len(shown), len(failed)))
    sys.exit(1 if failed or len(shown) < 3 else 0)


main()
