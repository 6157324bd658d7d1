#!/usr/bin/python3
"""The JSON of every view fits its schema in include/fusiondiff/views.schema.json, which is what
the views themselves say of their columns (-f schema).

usage: view_schemas.py BINARY FIXTURES SCHEMAS [--update]
"""
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

BINARY, FIXTURES, SCHEMAS = map(os.path.abspath, sys.argv[1:4])
PATH = os.path.join(SCHEMAS, "views.schema.json")
VIEW_H = os.path.join(SCHEMAS, "..", "..", "src", "report", "view", "view.h")
# How a view is asked, where its verb alone does not do; a view may have several schemas.
WORDS = {"top": ["--peak", "1555,624"], "names": ["--not", "int8"], "explain": ["--node", "*"]}
MORE = {"names": {"names-check": ["--check", "names.txt"]}}
APART = {"rules": ["lint", "--list"], "about": ["doctor"]}       # of no build, by another verb
failures = []


def ask(*words):
    return subprocess.run([BINARY, *words], cwd=os.path.join(FIXTURES, "qat_block"),
                          capture_output=True, text=True, check=False).stdout


def verbs():
    """By verb that writes schemas, the words that it needs behind model and engine."""
    for verb in re.findall(r"^  (\w+) ", ask("help"), re.M):
        told = ask("help", verb)
        if re.search(r"^Formats: .*\bschema\b", told, re.M):
            needs = re.search(r"^Usage:.* [A-Z]+\.\.\.$", told, re.M)
            yield verb, WORDS.get(verb, ["*"] if needs else [])


def views():
    """The words that ask each view of the program: those of its verb, but for APART."""
    offered = dict(verbs())
    with open(VIEW_H, encoding="utf-8") as file:
        listed = re.search(r"#define FSD_VIEWS.*?[^\\]\n", file.read(), re.S)[0]
    names = re.findall(r"row\((\w+),", listed)
    asked_apart = {words[0] for words in APART.values()}
    for verb in offered.keys() - set(names) - asked_apart:
        failures.append(f"{verb}: a verb that writes schemas without a view of its name")
    for view in names:
        if view in APART:
            yield view, APART[view]
        elif view not in offered:
            failures.append(f"{view}: a view without a verb: it lacks a row in cli/verb_views.c")
        else:
            for name, words in {view: offered[view], **MORE.get(view, {})}.items():
                yield name, [view, "model.onnx", "engine.graph.json", *words, "--profile", "profile.json"]


def run(view, form):
    told = ask(*VIEWS[view], "-f", form)
    try:
        return json.loads(told)
    except ValueError:
        sys.exit(f"{view}: no JSON: fusiondiff {' '.join(VIEWS[view])} -f {form}")


VIEWS = dict(views())
made = {view: run(view, "schema") for view in VIEWS}
whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:fusiondiff-views",
         "title": "fusiondiff VIEW -f json", "anyOf": [{"$ref": f"#/$defs/{view}"} for view in made],
         "$defs": {view: {k: v for k, v in schema.items() if k not in ("$schema", "$id")}
                   for view, schema in made.items()}}
text = json.dumps(whole, indent=1) + "\n"
if "--update" in sys.argv:
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text)
with open(PATH, encoding="utf-8") as file:
    if file.read() != text:
        failures.append("views.schema.json is not what the views say (--update writes it)")
for view in VIEWS:
    report = run(view, "json")
    if report["schema"] != made[view]["properties"]["schema"]["const"]:
        failures.append(f"{view}: another schema")
    if jsonschema is not None:
        for error in jsonschema.Draft7Validator(whole["$defs"][view]).iter_errors(report):
            failures.append(f"{view}: {error.message[:300]}")
print("\n".join(failures) or f"{len(VIEWS)} views fit their schemas")
sys.exit(1 if failures else 0)
