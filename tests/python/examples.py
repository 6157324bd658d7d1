#!/usr/bin/python3
"""The Python examples of documents as files, for a type checker:  examples.py FOLDER DOCUMENT..."""
import os
import re
import sys

folder, *documents = sys.argv[1:]
os.makedirs(folder)
n = 0
for path in documents:
    with open(path, encoding="utf-8") as document:
        for example in re.findall(r"^```python\n(.*?)^```$", document.read(), re.M | re.S):
            name = os.path.splitext(os.path.basename(path))[0].replace("-", "_")
            with open(os.path.join(folder, f"{name}_{n}.py"), "w", encoding="utf-8") as out:
                out.write(example)
            n += 1
assert n, "no document has an example"
print(f"{n} examples")
