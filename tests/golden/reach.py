#!/usr/bin/python3
"""Everything that a report can say is said in a golden case.

    reach.py BINARY SCHEMAS

What can be said is taken from the program: the rules that its SARIF lists, each `enum` of
its JSON schemas, the words that a summary counts, the exit statuses.  Each golden case is
run once more with `-f json`, and what it says must fit the schema.  A rule or a word that
no case reaches fails this test: a new one needs a case.
"""
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

BINARY, SCHEMAS = os.path.abspath(sys.argv[1]), sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
PAIR = "qat_block/model.onnx qat_block/engine.graph.json"
EXIT_STATUSES = {0, 1, 2}
# Words that no input can bring about, each with its reason.
NEVER = {
    # What is an error is the policy's to say, not the report's.
    "report#/$defs/finding/properties/severity error",
}
failures = []


def fail(text):
    failures.append(text)
    print("FAILED", text)


class Schema:
    """One schema, and which values of its enums were seen.  A value is written
    "SCHEMA#/where/the/enum/stands VALUE"."""

    def __init__(self, name):
        with open(os.path.join(SCHEMAS, name + ".schema.json"), encoding="utf-8") as file:
            self.root = json.load(file)
        self.name, self.seen = name, set()
        self.wanted = set(self.enums(self.root, name + "#"))
        self.valid = jsonschema.Draft202012Validator(self.root)

    def enums(self, part, where):
        if isinstance(part, dict):
            for value in part.get("enum", ()):
                yield f"{where} {value}"
            for key, inner in part.items():
                yield from self.enums(inner, f"{where}/{key}")

    def take(self, case, document):
        for error in self.valid.iter_errors(document):
            fail(f"{case}: not as {self.name}.schema.json: {error.message[:200]}")
        self.visit(self.root, document, self.name + "#")

    def visit(self, part, value, where):
        if "$ref" in part:
            word = part["$ref"].rsplit("/", 1)[1]
            part, where = self.root["$defs"][word], f"{self.name}#/$defs/{word}"
        if "enum" in part:
            self.seen.add(f"{where} {value}")
        if isinstance(value, list):
            for item in value:
                self.visit(part.get("items", {}), item, where + "/items")
        elif isinstance(value, dict):
            for key, inner in value.items():
                self.visit(part.get("properties", {}).get(key, {}), inner,
                           f"{where}/properties/{key}")


def run(args):
    """As run.sh does; the JSON that the program writes, or None."""
    done = subprocess.run(["sh", "-c", f'exec "$0" {args}', BINARY], cwd=FIXTURES,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def cases():
    """(name, arguments, exit status) of each golden case."""
    for name in sorted(os.listdir(HERE)):
        args, status = (os.path.join(HERE, name, part) for part in ("args", "expected.exit"))
        if os.path.exists(args):
            with open(args, encoding="utf-8") as file:
                text = file.read().strip()
            code = 0
            if os.path.exists(status):
                with open(status, encoding="utf-8") as file:
                    code = int(file.read())
            yield name, text, code


def rules(args):
    """The ids of all rules that the verb knows."""
    return {rule["id"] for rule in run(args + " -f sarif")["runs"][0]["tool"]["driver"]["rules"]}


def words_are_the_schemas(report, summary):
    """A word that the program counts and its schema does not have, or the other way."""
    for group, where in (("nodes", "node/properties/fate"), ("layers", "layer/properties/kind"),
                         ("inserted", "layer/properties/cause"),
                         ("links", "link/properties/evidence/items"),
                         ("findings", "finding/properties/severity")):
        part = report.root["$defs"]
        for step in where.split("/"):
            part = part[step] if step in part else part["properties"][step]
        if set(part["enum"]) != set(summary[group]):
            fail(f"summary.{group} and the schema's {where} hold different words")


def main():
    schemas = {f"fusiondiff{tail}/1": Schema(name) for tail, name in
               (("", "report"), ("-compare", "compare"), ("-check", "check"))}
    wanted = rules(PAIR) | rules("check gate/same.fsd " + PAIR)
    fired, statuses = set(), set()
    for name, args, code in cases():
        statuses.add(code)
        document = run(args + " -f json") if code != 2 else None
        if not document or document.get("schema") not in schemas:
            continue
        schemas[document["schema"]].take(name, document)
        fired |= {finding["rule"] for finding in document.get("findings", ())}
    words_are_the_schemas(schemas["fusiondiff/1"], run(PAIR + " -f json")["summary"])
    for rule in sorted(wanted - fired):
        fail(f"no golden case in which {rule} fires")
    for schema in schemas.values():
        for word in sorted(schema.wanted - schema.seen - NEVER):
            fail(f"no golden case that says {word}")
    if statuses != EXIT_STATUSES:
        fail(f"golden cases end with {sorted(statuses)}, not with {sorted(EXIT_STATUSES)}")
    words = sum(len(schema.wanted) for schema in schemas.values())
    print(f"{len(wanted)} rules and {words} words; {len(failures)} failures")
    return bool(failures)


sys.exit(main())
