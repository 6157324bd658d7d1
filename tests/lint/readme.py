#!/usr/bin/python3
"""What README.md says is so:  readme.py BINARY

Each block that begins with "$ fusiondiff ..." is run in fixtures/, and so is the first
report, whose command is that of "Two commands".  A bound in the table of limits is the
value of the constant that the row names, in the file that it names.
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


def constant(name, path):
    """Of "NAME = 1 << 20," or "#define NAME (UINT64_C(1) << 36)"; None when it is not there."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = re.search(r"\b%s(?: *=|[ \t]+(?=[(\d])) *([^,}\n/]+)" % name, file.read())
    if not found:
        return None
    value = re.sub(r"UINT64_C|\(int64_t\)", "", found.group(1))
    return eval(value) if re.fullmatch(r"[\d<*() ]+", value) else None


def bounds(text):
    """The numbers of "16 Mi, 4 Mi (some words), 256 MiB; 2^40"."""
    units = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "": 0}
    text = re.sub(r"\(.*?\)", "", text)
    return [int(n.replace(",", "")) ** int(power or 1) << units[unit]
            for n, power, unit in re.findall(r"(\d+(?:,\d{3})*)(?:\^(\d+))?(?: ([KMGT]i))?", text)]


def constants(text):
    """Of "A, B, src/x.c; C, src/y.c"; where a part names no file of ours, nothing."""
    for part in text.split(";"):
        path = re.search(r"\b(src/\S+)", part)
        for name in re.findall(r"\b[A-Z][A-Z_]{2,}\b", part) if path else ():
            yield name, constant(name, path.group(1))


def check_limits(readme):
    rows = re.findall(r"^\| (.*?) \| (.*?) \| .*? \| (.*?src/.*?) \|$",
                      readme.split("## Limits")[1].split("\n## ")[0], re.M)
    wrong = 0
    for what, bound, where in rows:
        values = list(constants(where))
        if [value for _, value in values] != bounds(bound):
            wrong += 1
            print("README.md bounds %s by %s, but they are %s" % (what, bound, values))
    print("%d limits, %d wrong" % (len(rows), wrong))
    return len(rows) > 20 and not wrong


def main():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    blocks = re.findall(r"^```\n(.*?)^```$", readme, re.S | re.M)
    shown = [(FIRST, "", b.rstrip()) for b in blocks if b.startswith("model    fixtures/")]
    for block in blocks:
        if block.startswith("$ fusiondiff "):
            command, out = re.match(r"\$ fusiondiff ((?:.*\\\n)*.*)\n(.*)", block, re.S).groups()
            shown.append((command.replace("\\\n", " "), "fixtures", out.rstrip()))
    failed = [args for args, folder, out in shown if printed(args, folder) != out]
    for args in failed:
        print("README.md shows another output of: fusiondiff " + args)
    print("%d outputs, %d differ" % (len(shown), len(failed)))
    right = check_limits(readme)
    sys.exit(1 if failed or len(shown) < 3 or not right else 0)


if __name__ == "__main__":
    main()
