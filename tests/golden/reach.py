#!/usr/bin/python3
"""Every word that a report may use is used in some golden case: reach.py BINARY

The words are those that the schemas list (fates, kinds, causes, evidence, what became of a
fusion, ...), the rules of a run and of the gate as SARIF lists them.  The JSON of each golden case that succeeds
must fit its schema: it is what the case expects, or what one more run of it says.  Ends with 1 when a word
is in none of them: a new word, and a new rule, needs a golden case.
"""
import glob
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import golden
import json_schema
import program

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
FIXTURES = os.path.join(ROOT, "fixtures")
CHECK = ["check", "gate/same.fsd"]

# Words that are there for what is to come.
NEVER = {
    ("fusiondiff/1", "severity", "error"),      # no rule of a run says so, rules of check do
}

EXIT_STATUSES = {0, 1, 2}
PAIR = ["qat_block/model.onnx", "qat_block/engine.graph.json"]



def schemas():
    """By what a report says it follows."""
    for path in glob.glob(os.path.join(ROOT, "include", "fusiondiff", "*.schema.json")):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        if "properties" in schema:    # that of views is a choice of several
            yield schema["properties"]["schema"]["const"], schema


def listed(schema, root, where, seen=frozenset(), name=None):
    """Yields (name, property, word) for each word that the schema lists: the name is that of
    the definition it stands in, which several properties may share."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        schema = root["$defs"][name]
    if id(schema) in seen:
        return
    for word in schema.get("enum", []):
        yield name or where, where, word
    seen = seen | {id(schema)}
    for part in schema.get("properties", {}):
        yield from listed(schema["properties"][part], root, part, seen)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from listed(schema[key], root, where, seen)
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, []):
            yield from listed(part, root, where, seen)


def used(value, where):
    """Yields (property, word) for each string in a report."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from used(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from used(part, where)
    elif isinstance(value, str):
        yield where, value


def run(binary, args):
    done = program.run([binary, *args], FIXTURES)
    return done.stdout if done.returncode in (0, 1) else b""


def rules(binary, args):
    report = json.loads(run(binary, [*args, "-f", "sarif"]))
    return [rule["id"] for rule in report["runs"][0]["tool"]["driver"]["rules"]]


def cases():
    """The golden cases that write a report: (arguments without those that say how to write, the JSON
    that one with them is expected to write or None)."""
    for case in golden.cases():
        out = case.expected()["out"]
        if case.status() > 1 and not out:
            continue
        words = list(case.args)
        args, forms, elsewhere = [], [], False
        while words:
            word = words.pop(0)
            if word in ("-f", "-o", "--only", "--width", "--fail-on"):
                value = words.pop(0)
                forms += [value] * (word == "-f")
                elsewhere |= word in ("-o", "--only")
            else:
                args.append(word)
        yield args, out if forms == ["json"] and not elsewhere else None


def reports(binary, folder, wanted):
    """The JSON of each case that follows one of the schemas `wanted`, asked once for cases that
    differ in how they write alone, and once for a verb that follows none of them."""
    known = {}
    for args, expected in cases():
        if expected or tuple(args) not in known:
            known[tuple(args)] = expected
    for args in accepting(folder), accepting_list(folder), too_large(folder):
        known[tuple(args)] = None
    others = set()
    for args, expected in known.items():
        if args and args[0] in others:
            continue
        try:
            report = json.loads(expected or run(binary, [*args, "-f", "json"]))
        except ValueError:
            continue    # of a verb that writes no JSON
        if report.get("schema") in wanted:
            yield report
        elif any(os.path.exists(os.path.join(FIXTURES, word)) for word in args[1:]):     # not a list of rules, say
            others.add(args[0])


def accepting(folder):
    """A check that rewrites its snapshot, which a golden case must not."""
    snapshot = shutil.copy(os.path.join(FIXTURES, "gate", "before.fsd"), folder)
    return ["check", snapshot, *PAIR, "--update"]


def accepting_list(folder):
    """The same of a list."""
    snapshot, path = os.path.join(folder, "listed.fsd"), os.path.join(folder, "listed.txt")
    shutil.copy(os.path.join(FIXTURES, "gate", "before.fsd"), snapshot)
    with open(path, "w", encoding="utf-8") as out:
        out.write(" ".join([*PAIR, "snapshot=" + snapshot]))
    return ["check", "--list", path, "--update", "--follow"]


def too_large(folder):
    """A log that puts 6,000 nodes together one by one, and each time anew: more steps than
    are followed, and than a golden case should hold."""
    names = ["n%d" % i for i in range(6000)]
    lines = ["Adding network input: t0 with dtype: float32, dimensions: (1, 4)"]
    for i, name in enumerate(names):
        lines += ["Parsing node: %s [Relu]" % name,
                  "%s [Relu] inputs: [t%d -> (1, 4)[FLOAT]], " % (name, i),
                  "Registering layer: %s for ONNX node: %s" % (name, name),
                  "%s [Relu] outputs: [t%d -> (1, 4)[FLOAT]], " % (name, i + 1)]
    for one, other in zip(names[1:], names[2:]):
        lines += ["SomeFusion: Fusing %s with %s" % (one, other),
                  "SomeNodes: fusing %s into n0" % one]
    lines += ["Engine Layer Information:"]
    path = os.path.join(folder, "too_large.log")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("[01/02/2024-10:00:00] [V] [TRT] %s\n" % line for line in lines)
        out.write("Layer(Myelin): n0, Tactic: 0x1, t0 (Float[1,4]) -> t6000 (Float[1,4])\n")
    return [path]


def look(binary, folder):
    wanted, reached, seen, bad = {}, {}, 0, []
    need = {}
    for name, schema in schemas():
        need[name] = json_schema.compiled(schema)
        wanted[name] = set(listed(schema, schema, ""))
        reached[name] = set()
    for name, args in ("fusiondiff/1", PAIR), ("fusiondiff-check/1", CHECK + PAIR):
        wanted[name] |= {("rule", "rule", rule) for rule in rules(binary, args)}
    for report in reports(binary, folder, wanted):
        try:
            need[report["schema"]](report)
        except json_schema.Misfit as error:
            bad.append("%s: %s" % (report["schema"], error))
        for rule in report.get("rules", []):    # all that were looked at
            if not rule["findings"]:
                del rule["rule"]
        reached[report["schema"]] |= set(used(report, ""))
        seen += 1
    words = {(s, name, word) for s in wanted for name, _, word in wanted[s]}
    found = {(s, name, word) for s in wanted for name, where, word in wanted[s]
             if (where, word) in reached[s]}
    missing = words - found - NEVER
    bad += ["%s: no golden case has %s '%s'" % word for word in sorted(missing)]
    bad += ["%s: %s '%s' is reached; take it off the list" % word for word in sorted(found & NEVER)]
    bad += ["no golden case ends with %d" % n for n in sorted(EXIT_STATUSES - set(map(golden.Case.status, golden.cases())))]
    print("\n".join(bad + ["%d reports, %d words, %d missing" % (seen, len(words), len(missing))]))
    return 1 if bad else 0


def main():
    with tempfile.TemporaryDirectory(prefix="fusiondiff-reach-") as folder:
        return look(os.path.abspath(sys.argv[1]), folder)


if __name__ == "__main__":
    sys.exit(main())
