#!/usr/bin/env python3
"""operators.py SOURCE

Names of operators in string literals of src/ are at most MOST outside of src/model/ops/: an operator is a
number there (ops/ids.h), what is true of several is a trait of their rows (ops/table.inc).  What is
left is data: rows of what builders refuse, forms of patterns, and the text of messages."""
import collections
import pathlib
import re
import sys

MOST = 750

source = pathlib.Path(sys.argv[1]) / "src"
rows = (source / "model/ops/table.inc").read_text(encoding="utf-8")
operators = set(re.findall(r"^\s+(?:OP|ALSO)\((\w+)", rows, re.MULTILINE))
found = collections.Counter()
for path in sorted(source.rglob("*.[ch]")):
    if source / "model/ops" in path.parents or path.name in ("glossary.c", "fusion.c") or path == source / "edit/mark/words.c":   # which are prose
        continue
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
        found[path.relative_to(source)] += sum(word in operators for word in re.findall(r"[A-Za-z_]\w*", literal))
total = sum(found.values())
for path, n in found.most_common(12):
    print(f"{n:5} {path}")
print(f"{total:5} names of {len(operators)} operators, at most {MOST}")
sys.exit(total > MOST or len(operators) < 200)
