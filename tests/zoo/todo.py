#!/usr/bin/env python3
"""todo.py BINARY SHARED

Prints what the summary advises for each real engine of the corpus and the zoos, in one list, and how often
each text stands there, numbers and names left out.  A person judges each line: can it be done, is it right?"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

ENGINES = ("build.log", "build.log.xz", "engine.graph.json", "engine.names-only.json", "inspector.txt")


def builds(shared):
    """(name, the files of one build); an engine that has no model is given alone."""
    folders = [f for group in ("corpus/*", "zoo/cases/*", "zoo-2/cases/*", "zoo-4/cases/*")
               for f in sorted(glob.glob(os.path.join(shared, group))) if os.path.isdir(f)]
    for folder in folders:
        has = [name for name in ENGINES if os.path.exists(os.path.join(folder, name))]
        for engine in has:
            files = [os.path.join(folder, name) for name in ("model.onnx", engine)]
            profile = os.path.join(folder, "profile.json")
            yield (os.path.relpath(folder, shared) + (f"/{engine}" if len(has) > 1 else ""),
                   [f for f in files if os.path.exists(f)] + (["--profile", profile] if os.path.exists(profile) else []))


def advice_of(binary, files):
    done = subprocess.run([binary, *files, "-f", "json"], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip())
    return [line["text"] for line in json.loads(done.stdout)["summary"]["brief"] if line["topic"] == "to do"]


def form_of(text):
    """The text without names, numbers and words in parentheses."""
    text = re.sub(r" \([^()]*\)", "", re.sub(r"`[^`]*`", "X", text))
    return re.sub(r"\d+(\.\d+)?( [kMG]?B)?", "N", text)


def main(binary, shared):
    forms, lines = collections.Counter(), 0
    for name, files in builds(shared):
        for text in advice_of(binary, files):
            print(f"{name}\t{text}")
            forms[form_of(text)] += 1
            lines += 1
    print(f"\n{lines} lines of {len(forms)} forms:")
    for form, n in forms.most_common():
        print(f"{n:5}  {form}")


if __name__ == "__main__":
    main(*sys.argv[1:])
