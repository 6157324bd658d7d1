#!/usr/bin/python3
"""What README.md and docs/ say is so:  readme.py BINARY [--update]

Each block that begins with "$ fusiondiff ..." is run in fixtures/ and shows what a terminal
would, and so does the first report, whose command is that of "Two commands".  What stands
between <!-- schemas --> and <!-- end --> is made of the schemas.  --update writes what is so
into the pages.  A bound in the table of limits is the value of the constant that the row
names, in the file that it names.  Links to files lead to some.
"""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIRST = "fixtures/qat_block/model.onnx fixtures/qat_block/engine.graph.json"
SCHEMAS = (("report", "a run"), ("compare", "`compare`"), ("check", "`check`"), ("checks", "`check --list`"), ("lint", "`lint`"),
           ("pair", "a line of `batch`"))


def printed(args, folder="fixtures"):
    done = subprocess.run(["bash", "-c", f'"$0" {args}', os.path.abspath(sys.argv[1])], capture_output=True,
                          cwd=os.path.join(ROOT, folder), check=False, text=True)
    return done.stderr + done.stdout.rstrip() + "\n"


def shown(page):
    """The page with the output of its commands, and how many there are."""
    def rerun(block):
        return f"```\n$ fusiondiff {block[1]}\n" + printed(block[1].replace("\\\n", " ")) + "```\n"
    page, n = re.subn(r"^```\n\$ fusiondiff ((?:.*\\\n)*.*)\n(?:.*\n)*?```\n", rerun, page, flags=re.M)
    page, first = re.subn(r"^```\nruns     (?:.*\n)*?```\n", lambda _: f"```\n{printed(FIRST, '.')}```\n", page,
                          flags=re.M)
    return page, n + first


def kind_of(schema, defs):
    """A member's type in a few words."""
    while "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        if defs[name].get("type") == "object":
            return name
        schema = {**defs[name], **{key: schema[key] for key in schema if key != "$ref"}}
    if "const" in schema:
        return f"\"{schema['const']}\""
    if "enum" in schema:
        return ", ".join(str(word) for word in schema["enum"])
    if schema.get("type") == "array":
        return "list of " + kind_of(schema.get("items", {}), defs)
    for many in "anyOf", "oneOf":
        if many in schema:
            return " or ".join(kind_of(one, defs) for one in schema[many])
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else kind


def schema_tables():
    for name, what in SCHEMAS:
        with open(os.path.join(ROOT, f"include/fusiondiff/{name}.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        defs = schema.get("$defs", {})
        yield f"## {what[0].upper() + what[1:]}\n\n[{name}.schema.json](../include/fusiondiff/{name}.schema.json)\n"
        for title, body in [("", schema)] + [(key, one) for key, one in defs.items() if one.get("type") == "object"]:
            if not body.get("properties"):
                continue
            yield f"{f'**{title}**' if title else ''}\n\n| member | is | |\n|---|---|---|".lstrip()
            for member, one in body["properties"].items():
                needed = "" if member in body.get("required", ()) else " (may be left out)"
                said = one.get("description", "").replace("|", "\\|").replace("\n", " ")
                yield f"| `{member}` | {kind_of(one, defs)}{needed} | {said} |"
            yield ""


def generated(page):
    """The page with what is made of the schemas."""
    made = "<!-- schemas -->\n" + "\n".join(schema_tables()) + "\n<!-- end -->\n"
    return re.sub(r"^<!-- schemas -->\n(?:.*\n)*?<!-- end -->\n", lambda _: made, page, flags=re.M)


def constant(name, path):
    """Of "NAME = 1 << 20," or "#define NAME (UINT64_C(1) << 36)"; None when it is not there."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = re.search(r"\b%s(?: *=|[ \t]+(?=[(\d])) *([^,}\n/]+)" % name, file.read())
    if not found:
        return None
    value = re.sub(r"UINT64_C|\(int64_t\)", "", found.group(1))
    return eval(value) if re.fullmatch(r"[\d<*() ]+", value) else None


def bounds(text):
    """The numbers of "16 Mi, 4 Mi (some words), 256 MiB; 2^40"."""
    units = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "": 0}
    text = re.sub(r"\(.*?\)", "", text)
    return [int(n.replace(",", "")) ** int(power or 1) << units[unit]
            for n, power, unit in re.findall(r"(\d+(?:,\d{3})*)(?:\^(\d+))?(?: ([KMGT]i))?", text)]


def constants(text):
    """Of "A, B, src/x.c; C, src/y.c"; where a part names no file of ours, nothing."""
    for part in text.split(";"):
        path = re.search(r"\b(src/\S+)", part)
        for name in re.findall(r"\b[A-Z][A-Z_]{2,}\b", part) if path else ():
            yield name, constant(name, path.group(1))


def check_limits(page):
    rows = re.findall(r"^\| (.*?) \| (.*?) \| .*? \| (.*?src/.*?) \|$", page, re.M)
    wrong = 0
    for what, bound, where in rows:
        values = list(constants(where))
        if [value for _, value in values] != bounds(bound):
            wrong += 1
            print("docs/limits.md bounds %s by %s, but they are %s" % (what, bound, values))
    print("%d limits, %d wrong" % (len(rows), wrong))
    return len(rows) > 20 and not wrong


def check_links(path, page):
    dead = [to for to in re.findall(r"\]\(([^)#:\s]+)\)", page)
            if not os.path.exists(os.path.join(os.path.dirname(path), to))]
    for to in dead:
        print(f"{path} links to {to}, which is not there")
    return not dead


def main():
    right, commands = True, 0
    for path in [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "CONTRIBUTING.md"),
                 *sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))]:
        with open(path, encoding="utf-8") as file:
            page = file.read()
        so, n = shown(generated(page))
        commands += n
        if so != page and "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(so)
        elif so != page:
            right = False
            was, now = ((line for line in text.splitlines()) for text in (page, so))
            print(f"{path} differs from what is so (--update writes it), first in:")
            print(next((f"  {a}\n  {b}" for a, b in zip(was, now) if a != b), "  its length"))
        right &= check_links(path, page) and (not path.endswith("limits.md") or check_limits(page))
    print(f"{commands} outputs")
    sys.exit(0 if right and commands > 12 else 1)


if __name__ == "__main__":
    main()
