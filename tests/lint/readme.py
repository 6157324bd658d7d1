#!/usr/bin/python3
"""Checks README.md and docs/ against the program: readme.py BINARY [--update]

Runs the command of each block that begins with "$ fusiondiff ..." in fixtures/, and compares the rest of the block
with the output; likewise for the first report, whose command is in "Two commands". A part of a page between <!-- NAME
--> and <!-- end --> is generated: the lists of records from the schemas, limits from limit_rows.py and the constants
in src/, words and fusions from `explain --words`, options from the help of all verbs. --update writes the outputs and
the generated parts into the pages. Also checks that links lead to files and headings that exist, and that the program
accepts each command of the cheat sheet.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import limit_rows

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIRST = "fixtures/qat_block/model.onnx fixtures/qat_block/engine.graph.json"
WORDS = 15000
FUSION = "rule of a fusion"
SCHEMAS = (("report", "a run"), ("compare", "`compare`"), ("check", "`check`"), ("checks", "`check --list`"), ("lint", "`lint`"), ("failed", "a build that failed"),
           ("pair", "a line of `batch`"))


def printed(args, folder="fixtures"):
    done = subprocess.run(["bash", "-c", f'"$0" {args}', os.path.abspath(sys.argv[1])], capture_output=True,
                          cwd=os.path.join(ROOT, folder), check=False, text=True)
    return done.stderr + done.stdout.rstrip() + "\n"


def shown(page):
    """Returns the page with the current output of its commands, and the number of commands."""
    def rerun(block):
        return f"{block[1]}\n$ fusiondiff {block[2]}\n" + printed(block[2].replace("\\\n", " ")) + "```\n"
    page, n = re.subn(r"^(```(?:console)?)\n\$ fusiondiff ((?:.*\\\n)*.*)\n(?:.*\n)*?```\n", rerun, page, flags=re.M)
    page, first = re.subn(r"^```\nverdict  (?:.*\n)*?```\n", lambda _: f"```\n{printed(FIRST, '.')}```\n", page,
                          flags=re.M)
    return page, n + first


def kind_of(schema, defs):
    """Returns the type of a member in a few words."""
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
        inner = kind_of(schema.get("items", {}), defs)
        return f"({inner})[]" if " or " in inner else f"{inner}[]"
    for many in "anyOf", "oneOf":
        if many in schema:
            return " or ".join(kind_of(one, defs) for one in schema[many])
    kind = schema.get("type", "any")
    if kind == ["integer", "string"]:
        return "count"
    return " or ".join(kind) if isinstance(kind, list) else kind


SAID_ONCE = {"milliseconds", "for dynamic shapes: a polynomial in the model's dim_params, or in \"input[axis]\" for a dimension without a name"}


def members(body, defs):
    """Returns lines that list the members of a record. Consecutive members of one type share a line; a member with a
    description has its own line.

    A member without a type is a string, and the page explains this.
    """
    lines, last = [], None
    for member, one in body["properties"].items():
        name = f"`{member}`{'' if member in body.get('required', ()) else '?'}"
        kind = kind_of(one, defs)
        if kind in ("string", "string[]"):
            name, kind = name + kind.removeprefix("string"), ""
        else:
            kind = f": {kind}"
        said = one.get("description", "").replace("\n", " ")
        end = f"{kind} ({said})" if said and said not in SAID_ONCE else kind
        if end == last:
            lines[-1] = f"{lines[-1].removesuffix(end)}, {name}{end}"
        elif end == kind and last is not None and not last.endswith(")"):
            lines[-1] += f"; {name}{end}"
        else:
            lines.append(f"- {name}{end}")
        last = end
    return lines


def schema_lists():
    """Yields the records of each schema. A record that an earlier schema also has is not repeated."""
    seen, whole = {}, {}
    for name, what in SCHEMAS:
        with open(os.path.join(ROOT, f"include/fusiondiff/{name}.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        defs = schema.get("$defs", {})
        heading = what[0].upper() + what[1:]
        yield f"## {heading}\n\n[{name}.schema.json](../../include/fusiondiff/{name}.schema.json)\n"
        for title, body in [("", schema)] + [(key, one) for key, one in defs.items() if one.get("type") == "object"]:
            lines = members(body, defs) if body.get("properties") else []
            if not lines or seen.get(title) == lines:
                continue
            seen[title] = lines
            if title in whole and lines == whole[title]:
                lines = [f"As [{title}.schema.json](../../include/fusiondiff/{title}.schema.json)."]
            if not title:
                whole[name] = lines
            yield "\n".join([*([f"**{title}**\n"] if title else ()), *lines, ""])


def word_list():
    """Yields the words in engines, by their kind."""
    words = [word for word in json.loads(printed("explain --words -f json"))["words"] if word["kind"] != FUSION]
    for kind in dict.fromkeys(word["kind"] for word in words):
        yield f"## {kind[0].upper()}{kind[1:]}\n"
        for word in words:
            said = [word.get(key, "").rstrip(".") for key in ("what", "why", "fix")]
            source = f" ({word['source']})" if word.get("source") else ""
            if word["kind"] == kind:
                yield f"`{word['word']}`: {'. '.join(filter(None, said))}.{source}\n"


def fusion_list():
    """Yields the rules of fusions, by pattern."""
    rules = [word for word in json.loads(printed("explain --words -f json"))["words"] if word["kind"] == FUSION]
    for pattern in dict.fromkeys(rule["what"].split(",")[0] for rule in rules):
        yield f"## {pattern}\n"
        for rule in rules:
            if rule["what"].startswith(pattern + ","):
                found, border = rule["what"][len(pattern) + 2:].split(": ", 1)
                yield f"`{rule['word']}`: {found}.  {border}.  Edit: {rule['fix']}.  " + (
                    f"Seen: {rule['why']}.  " if rule.get("why") else "") + f"({rule['source']})\n"


def verbs():
    """Returns the verbs and their descriptions from the program's help."""
    return dict(re.findall(r"^  (\w+) +(.+)", printed("help"), re.M))


def option_list():
    """Yields the options of each verb, then the options that verbs have in common: each once, with the verbs that
    lack it."""
    shared, every = {}, verbs()
    for verb in every:
        head, rest = printed(f"help {verb}").split("\n Options for reports", 1)
        formats = re.search(r"^Formats: (?:.+\n)+", rest, re.M)
        yield f"## {verb}\n\n```\n{head.rstrip()}\n```\n\n" + (formats[0] if formats else "")
        for option in re.findall(r"^  (?:-.,|   ) --.*\n(?:^ {20,}.*\n)*", rest, re.M):
            shared.setdefault(option.rstrip(), []).append(verb)
    yield "## Shared options\n"
    for option, having in sorted(shared.items(), key=lambda one: one[0].split("--")[1]):
        lacking = [verb for verb in every if verb not in having]
        few = len(having) < len(lacking)
        where = f"of {', '.join(having)}" if few else f"not of {', '.join(lacking)}"
        yield f"```\n{option}\n```\n" + (f"{where[0].upper()}{where[1:]}.\n" if lacking else "")


MADE = {"options": option_list, "fusions": fusion_list, "schemas": schema_lists, "limits": limit_rows.tables, "words": word_list}


def generated(page):
    """Returns the page with its generated parts."""
    for mark, lines in MADE.items():
        if f"<!-- {mark} -->" in page:
            made = f"<!-- {mark} -->\n" + "\n".join(lines()) + "\n<!-- end -->\n"
            page = re.sub(rf"^<!-- {mark} -->\n(?:.*\n)*?<!-- end -->\n", lambda _: made, page, flags=re.M)
    return page


def check_cheatsheet(page):
    """Whether the program accepts each command of the cheat sheet: its exit status is 0 or 1."""
    build = {"M": "model.onnx", "E": "engine.graph.json", "P": "profile.json", "L": "build.log"}
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(os.path.join(ROOT, "fixtures/qat_block")):
            shutil.copy(os.path.join(ROOT, "fixtures/qat_block", name), folder)
        for source, copy in (("qat_block/model.onnx", "old.onnx"), ("qat_block/model.onnx", "new.onnx"),
                             ("log/options.log", "build.log")):
            shutil.copy(os.path.join(ROOT, "fixtures", source), os.path.join(folder, copy))
        for name, text in ("pairs.txt", "model.onnx engine.graph.json\n"), ("gate.ini", "[layer-count]\nlevel = error\n"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        bad = 0
        for command in re.findall(r"`fusiondiff (.*?)` \|$", page, re.M):
            words = re.sub(r"\b([MEPL])[123]?\b(?!\.)", lambda m: build[m[1]], command)
            done = subprocess.run(["bash", "-c", f'"$0" {words}', os.path.abspath(sys.argv[1])], cwd=folder, check=False,
                                  capture_output=True, text=True)
            if done.returncode not in (0, 1):
                bad += 1
                print(f"docs/reference/commands.md: fusiondiff {command} ends with {done.returncode}: {done.stderr}")
    return not bad


def anchors(path):
    """Returns the anchors of a page's headings, in the form of GitHub."""
    with open(path, encoding="utf-8") as page:
        titles = re.findall(r"^#+ (.+)$", re.sub(r"^```(?:.*\n)*?```$", "", page.read(), flags=re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(path, page):
    dead = []
    for to, anchor in re.findall(r"\]\(([^)#:\s]*)(#[^)\s]*)?\)", page):
        file = os.path.join(os.path.dirname(path), to) if to else path
        if not os.path.exists(file) or (anchor and file.endswith(".md") and anchor[1:] not in anchors(file)):
            dead.append(to + anchor)
    for to in dead:
        print(f"{path} links to {to}, which is not there")
    return not dead


def check_words(pages):
    """Whether the parts of the pages that are written by hand have at most WORDS words."""
    words = sum(len(page.split()) for page in pages)
    print(f"{words} words by hand, at most {WORDS}")
    return words <= WORDS


def main():
    right, commands, by_hand = True, 0, []
    for path in [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "CONTRIBUTING.md"),
                 *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]:
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
        if os.path.dirname(path) == os.path.join(ROOT, "docs") or path.endswith(f"..{os.sep}README.md"):
            by_hand.append(page)
        right &= check_links(path, page) and (not path.endswith("commands.md") or check_cheatsheet(page))
    print(f"{commands} outputs")
    right &= check_words(by_hand)
    sys.exit(0 if right and commands > 12 else 1)


if __name__ == "__main__":
    main()
