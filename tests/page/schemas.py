#!/usr/bin/python3
"""The schemas as types of TypeScript, so that the page is checked against what it is given and its
types need no copy of it: a namespace for each document, an interface for each object in it.

usage: schemas.py SCHEMAS FILE
"""
import json
import sys

SCHEMAS, FILE = sys.argv[1:3]
DOCUMENTS = {"Report": "report", "Compare": "compare", "Exports": "exports", "Matrix": "matrix", "Check": "check", "Checks": "checks", "Lint": "lint", "Failed": "failed", "Views": "views"}
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def type_of(value):
    """Of a member; words are texts, since the page gives what has none a word of its own."""
    if "$ref" in value:
        return value["$ref"].removeprefix("#/$defs/").replace("/$defs/", "_").replace("-", "_")
    kind = value.get("type", "string")
    if isinstance(kind, list):
        return " | ".join(PLAIN[one] for one in kind)
    if kind == "array":
        return f"({type_of(value['items'])})[]"
    if kind == "object":
        return f"Record<string, {type_of(value.get('additionalProperties', {}))}>"
    return PLAIN[kind]


def interface(name, schema):
    needed = schema.get("required", ())
    members = [f"    {key}{'' if key in needed else '?'}: {type_of(value)};" for key, value in schema["properties"].items()]
    return "\n".join([f"export interface {name.replace('-', '_')} {{", *members, "}"])


def interfaces(name, schema):
    if "properties" in schema:
        yield interface(name or "document", schema)
    for inner, one in schema.get("$defs", {}).items():
        yield from interfaces(f"{name}_{inner}" if name else inner, one)


with open(FILE, "w", encoding="utf-8") as out:
    for title, document in DOCUMENTS.items():
        with open(f"{SCHEMAS}/{document}.schema.json", encoding="utf-8") as file:
            print(f"export namespace {title} {{", *interfaces("", json.load(file)), "}", sep="\n", file=out)
