#!/usr/bin/env python3
"""operators.py SOURCE

Fails if string literals of src/ outside of src/model/ops/ have more than MOST names of operators. Code should use the
number of an operator (ops/ids.h), or a trait that its row has (ops/table.inc). The remaining names are data:
operators that builders refuse, forms of patterns, and texts of messages."""
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
        literal = re.sub(r"(?:^|(?<=[.:] )|(?<=[.]  ))If ", "", literal)  # the conjunction, at the beginning of a sentence
        found[path.relative_to(source)] += sum(word in operators for word in re.findall(r"[A-Za-z_]\w*", literal))
total = sum(found.values())
for path, n in found.most_common(12):
    print(f"{n:5} {path}")
print(f"{total:5} names of {len(operators)} operators, at most {MOST}")
sys.exit(total > MOST or len(operators) < 200)
