"""Holds JSON against its schema.  The validator writes code for a schema once, so that hundreds of reports
take no longer than a few."""
import functools
import json
import sys

try:
    import fastjsonschema
except ImportError:
    print("skipped: needs python3-fastjsonschema")
    sys.exit(77)

# Keywords of draft 2020-12 that the validator, which knows draft 7, would pass over.
NEWER = {"prefixItems", "unevaluatedProperties", "unevaluatedItems", "dependentRequired", "dependentSchemas",
         "minContains", "maxContains", "$dynamicRef"}


class Misfit(Exception):
    """What of a document contradicts its schema."""


def keys(schema):
    if isinstance(schema, dict):
        yield from schema
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from keys(inner)


def compiled(schema):
    """A function that raises a Misfit unless its argument fits the schema."""
    newer = NEWER.intersection(keys(schema))
    if newer:
        raise ValueError(f"the validator does not know {newer}")
    validate = fastjsonschema.compile(schema)

    def need(document):
        try:
            validate(document)
        except fastjsonschema.JsonSchemaException as error:
            raise Misfit(str(error)[:300]) from None
    return need


@functools.lru_cache(maxsize=None)
def of_file(path):
    """compiled() of the schema in a file."""
    with open(path, encoding="utf-8") as file:
        return compiled(json.load(file))
