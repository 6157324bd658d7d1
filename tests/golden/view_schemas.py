#!/usr/bin/python3
"""The JSON of every view fits its schema in include/fusiondiff/views.schema.json, which is what
the views themselves say of their columns (-f schema).

usage: view_schemas.py BINARY FIXTURES SCHEMAS [--update]
"""
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

BINARY, FIXTURES, SCHEMAS = map(os.path.abspath, sys.argv[1:4])
PATH = os.path.join(SCHEMAS, "views.schema.json")
VIEWS = {"top": ["--peak", "1555,624"], "memory": [], "reformats": [], "patterns": [], "where": ["*"],
         "inside": ["*"], "names": ["--not", "int8"], "names-check": ["--check", "names.txt"],
         "scopes": [], "explain": ["--node", "*"], "rules": [], "about": []}
APART = {"rules": ["lint", "--list"], "about": ["doctor"]}       # of no build, by another verb
failures = []


def run(view, form):
    words = APART.get(view) or [view.split("-", maxsplit=1)[0], "model.onnx", "engine.graph.json", *VIEWS[view], "--profile", "profile.json"]
    done = subprocess.run([BINARY, *words, "-f", form], cwd=os.path.join(FIXTURES, "qat_block"),
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


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
