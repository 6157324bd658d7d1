#!/usr/bin/python3
"""All JSON fits its schema in include/fusiondiff, and the schemas are what the program itself says of its records
(-f schema).

usage: schemas.py BINARY FIXTURES SCHEMAS [--update]
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import json_schema
import program

BINARY, FIXTURES, SCHEMAS = map(os.path.abspath, sys.argv[1:4])
SRC = os.path.join(SCHEMAS, "..", "..", "src")
VIEW_H, EDIT_VIEWS = os.path.join(SRC, "report", "view", "view.h"), os.path.join(SRC, "edit", "api", "view.c")
# How a view is asked, where its verb alone does not do; a view may have several schemas.
WORDS = {"top": ["--peak", "1555,624"], "names": ["--not", "int8"], "explain": ["--node", "*"]}
MORE = {"names": {"names-check": ["--check", "qat_block/names.txt"]}}
APART = {"rules": ["lint", "--list"], "about": ["doctor"], "words": ["explain", "--list"]}   # of no build, by another verb
PAIR = ["qat_block/model.onnx", "qat_block/engine.graph.json"]
BUILDS = [",".join(PAIR), f"{PAIR[0]},compare/split.json"]
DOCUMENTS = {       # of subjects that are no views: title, and what asks for one
    "report": ("fusiondiff/1", PAIR),
    "compare": ("fusiondiff compare -f json", ["compare", *BUILDS]),
    "routes": ("fusiondiff routes -f json", ["routes", "routes/tuning.jsonl", "routes/tuned"]),
    "matrix": ("fusiondiff compare of more than two builds, -f json", ["compare", *BUILDS, f"{PAIR[0]},compare/wide.json"]),
    "stability": ("fusiondiff stability -f json", ["stability", *BUILDS]),
    "exports": ("fusiondiff compare of two models, -f json", ["compare", "exports/old.onnx", "exports/new.onnx"]),
    "check": ("fusiondiff check -f json", ["check", "gate/before.fsd", *PAIR]),
    "checks": ("fusiondiff check --list FILE -f json", ["check", "--list", "gate/builds.txt"]),
    "lint": ("fusiondiff lint -f json", ["lint", PAIR[0]]),
    "failed": ("fusiondiff MODEL LOG -f json, of a build that failed", ["failed/types.onnx", "failed/types.log"]),
    "pair": ("A line of fusiondiff batch: one pair of many", ["batch", "qat_block"])}
failures = []


def ask(*words):
    return program.run([BINARY, *words], FIXTURES, text=True).stdout


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
    with open(EDIT_VIEWS, encoding="utf-8") as file:
        names = re.findall(r"row\((\w+),", listed) + re.findall(r'\{"(\w+)", fsd_view_', file.read())
    asked_apart = {words[0] for words in APART.values()}
    for verb in offered.keys() - set(names) - asked_apart - {"diff", "batch", *(words[0] for _, words in DOCUMENTS.values())}:
        failures.append(f"{verb}: a verb that writes schemas without a view of its name")
    for view in names:
        if view in APART:
            yield view, APART[view]
        elif view not in offered:
            failures.append(f"{view}: a view without a verb: it lacks a row in cli/verb_views.c")
        else:
            for name, words in {view: offered[view], **MORE.get(view, {})}.items():
                yield name, [view, *PAIR, *words, "--profile", "qat_block/profile.json"]


def run(words, form):
    told = ask(*words, "-f", form)
    try:
        return json.loads(told)
    except ValueError:
        sys.exit(f"no JSON: fusiondiff {' '.join(words)} -f {form}")


def fit(words, report, schema):
    """What was printed, against its schema."""
    if report["schema"] != schema["properties"]["schema"]["const"]:
        failures.append(f"{' '.join(words)}: another schema")
    try:
        json_schema.compiled(schema)(report)
    except json_schema.Misfit as error:
        failures.append(f"{' '.join(words)}: {error}")


def keep(name, schema):
    """Compares a file with what the program says, or writes it."""
    path = os.path.join(SCHEMAS, f"{name}.schema.json")
    text = json.dumps(schema, indent=1) + "\n"
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        if file.read() != text:
            failures.append(f"{name}.schema.json is not what the program says (--update writes it)")


def unlike(columns, schema, of, path):
    """Members of a document that a page has no column of, and columns of none."""
    members = {key: value for key, value in of["properties"].items() if key != "schema" and not key.endswith("_symbolic")}
    yield from (f"{path}/{key}" for key in members.keys() ^ columns.keys() - {"schema"})
    for key in members.keys() & columns.keys():
        inner = members[key].get("items", members[key]).get("$ref")
        if inner:
            yield from unlike(columns[key].get("of", {}), schema, schema["$defs"][inner.rpartition("/")[2]], f"{path}/{key}")


def page_columns():
    """By document, the columns of a page without drawings: that of a model alone."""
    page = ask(*DOCUMENTS["lint"][1], "-f", "html")
    return {name: json.loads(columns) for name, columns in re.findall(r'id="data-columns-(\w+)">(.*?)</script>', page)}


def without(schema):
    """A schema within another: its references begin there."""
    return {k: v for k, v in schema.items() if k not in ("$schema", "$id", "$comment")}


VIEWS = dict(views())
made = {view: run(words, "schema") for view, words in VIEWS.items()}
inside = {view: json.loads(json.dumps(without(schema)).replace('"#/$defs/', f'"#/$defs/{view}/$defs/'))
          for view, schema in made.items()}
keep("views", {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:fusiondiff-views",
               "title": "fusiondiff VIEW -f json", "$comment": "generated by fusiondiff VIEW -f schema",
               "anyOf": [{"$ref": f"#/$defs/{view}"} for view in made], "$defs": inside})
for view, words in VIEWS.items():
    fit(words, run(words, "json"), made[view])
for name, (title, words) in DOCUMENTS.items():
    schema = run(words, "schema")
    keep(name, {"$schema": schema["$schema"], "$id": schema["$id"], "title": title, **schema})
    fit(words, run(words, "json"), schema)
whole = {words[0]: run(words, "schema") for _, words in DOCUMENTS.values() if "--list" not in words} | made
for verb in dict(verbs()).keys() & (whole.keys() | {"diff"}) - {"compare"}:
    if run([verb], "schema") != whole.get(verb, run(PAIR, "schema")):
        failures.append(f"{verb} -f schema: without inputs it is another than with some")
if run(["compare"], "schema") != run(DOCUMENTS["compare"][1], "schema"):
    failures.append("compare -f schema: without inputs it is another than with two builds")
for name, columns in page_columns().items():
    schema = made["patterns"] if name == "patterns" else run(DOCUMENTS["report" if name == "run" else name][1], "schema")
    failures += [f"a page of lint: {path} is no member with a column" for path in sorted(unlike(columns, schema, schema, name))]
print("\n".join(failures) or f"{len(VIEWS)} views and {len(DOCUMENTS)} documents fit their schemas")
sys.exit(1 if failures else 0)
