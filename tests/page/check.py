#!/usr/bin/python3
"""What must hold of a page as a file, before any browser opens it:  check.py BINARY SHARED FUSER

The data is that of the JSON reports, no name leaves its script element, the policy's hashes
are those of what they allow, and nothing in the page leads out of it.
"""
import base64
import hashlib
import html.parser
import json
import os
import re
import shlex
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "picture"))
from harness import HOSTILE, check, finish, hostile_pair, late_page, run  # noqa: E402

FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
PAIR = [os.path.join(FIXTURES, "qat_block", name) for name in ("model.onnx", "engine.graph.json")]
PROFILE = ["--profile", os.path.join(FIXTURES, "qat_block", "profile.json")]
SPLIT = [PAIR[0], os.path.join(FIXTURES, "compare", "split.json")]
GATE = os.path.join(FIXTURES, "gate")


class Page(html.parser.HTMLParser):
    """The elements of a page, as an HTML parser finds them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.styles, self.data = [], [], [], {}
        self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if not self.inside:
            return
        tag, attrs = self.inside
        if tag == "style":
            self.styles.append(data)
        elif attrs.get("type") == "application/json":
            self.data[attrs["id"]] = self.data.get(attrs["id"], "") + data
        else:
            self.scripts.append(data)


def printed(args, format):
    """`compare`, `check` and `lint` end with 1 where something is found, a list
    of which a build cannot be checked with 2."""
    done = run(*args, "-f", format, status=2 if "--list" in args else 1 if args[0] in ("compare", "check", "lint") else 0)
    check(f"{args[0][-40:]}: {format} without a word", not done.stderr, done.stderr[:300])
    return done.stdout.decode()


def digest(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def unknown_members(value, columns, path=""):
    """Members of a document that its columns do not have: the page would not show them."""
    for one in value if isinstance(value, list) else [value]:
        for key, inner in one.items():
            of = columns.get(key.removesuffix("_symbolic"))
            if of is None:
                yield f"{path}/{key}"
            elif "of" in of:
                yield from unknown_members(inner, of["of"], f"{path}/{key}")


def check_named_command(what, args, stated):
    """The command that it names is the page's own, but for the day that a test says it is; of a list each build's."""
    day = args[args.index("--today"):][:2] if "--today" in args else []
    wanted = {"": json.loads(printed(args, "json"))}
    if "--list" in args:
        wanted = {b["name"]: b["check"] for b in wanted[""]["builds"] if "check" in b}
    named = {b["name"]: b["command"] for b in stated.get("builds", [])} or {"": stated["page"]}
    check(f"{what}: a command for each that was checked", named.keys() == wanted.keys(), str(named))
    for name, text in named.items():
        command = shlex.split(text)
        status = int(wanted[name].get("verdict") == "failed") if name else 1 if args[0] in ("compare", "check", "lint") else 0
        check(f"{what}: {name} the command that it names prints the same", command[0] == "fusiondiff" and
              json.loads(run(*command[1:], *day, "-f", "json", status=status).stdout) == wanted[name], text)


def check_page(what, args, documents):
    """`documents`: by the name of what is embedded the arguments that print it as JSON."""
    text = printed(args, "html")
    page = Page(text)
    check(f"{what}: the same bytes again", printed(args, "html") == text)
    for name, json_args in documents.items():
        want = json.loads(printed(json_args, "json"))
        check(f"{what}: {name} is what -f json prints", json.loads(page.data.get(f"data-{name}", "null")) == want)
        columns = json.loads(page.data.get(f"data-columns-{name}", "{}"))
        unknown = sorted({path for path in unknown_members(want, columns) if path != "/schema"})
        check(f"{what}: {name} has a column for each of its members", columns and not unknown, str(unknown))
    check_named_command(what, args, json.loads(page.data["data-command"]))
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    check(f"{what}: one script, one style", len(page.scripts) == 1 and len(page.styles) == 1)
    check(f"{what}: the policy allows this script", f"script-src {digest(page.scripts[0])};" in policy)
    check(f"{what}: the policy allows this style", f"style-src {digest(page.styles[0])};" in policy)
    check(f"{what}: the policy allows nothing else",
          policy.startswith("default-src 'none';") and not re.search("unsafe|\\*|data:|https?:", policy))
    check(f"{what}: no handler or style in an attribute",
          not [a for _, a in page.elements if any(k.startswith("on") or k == "style" for k in a)])
    check(f"{what}: nothing is loaded or linked to",
          not [a for _, a in page.elements if {"src", "href", "action", "ping", "poster"} & a.keys()])
    links = set(re.findall(r"https?://[^\s\"'<>\\]+", page.scripts[0] + page.styles[0])) - {"http://www.w3.org/2000/svg"}
    check(f"{what}: no address in its source", not links, str(links))
    check(f"{what}: no data begins or ends an element", not any("<" in data for data in page.data.values()))
    return text, page


def check_list(folder):
    """Builds of which one passes, one fails and one cannot be read."""
    path = os.path.join(folder, "builds.txt")
    with open(path, "w", encoding="utf-8") as out:
        for engine in (PAIR[1], SPLIT[1], "none.json"):
            print(PAIR[0], engine, "label=sm86", f"snapshot={os.path.join(GATE, 'labels')}", file=out)
    args = ["check", "--list", path, "--follow"]
    check_page("checks", args, {"checks": args})


def check_hostile(folder):
    names = HOSTILE + ["</script><script>document.title='broken'</script>", "<!--<script>", "]]>", "-->",
                       "x" * 20000, "\u2028\u2029", "\ufeff", "##[error]x", "::error::x"]
    pair = hostile_pair(folder, names)
    _, page = check_page("hostile", [*pair, "--force"], {"run": [*pair, "--force"]})
    stated = {node["name"] for node in json.loads(page.data["data-run"])["nodes"]}
    check("hostile: every name is in its data", set(names) <= stated, str(set(names) - stated)[:300])


def check_command(folder):
    """Every option of a run is in the command, whatever files are called."""
    names = [os.path.join(folder, name) for name in ("it's a $model.onnx", "-two; profiles.json")]
    for source, name in zip(("onnx/plain.onnx", "engine/two-profiles.json"), names):
        shutil.copy(os.path.join(FIXTURES, source), name)
    args = [*names, "--opt-profile", "1", "--evidence", "name,tensor", "--peak", "333.25,0.1"]
    _, page = check_page("options", args, {"run": args})
    check("options: all are shown", json.loads(page.data["data-command"])["run"] ==
          " '" + names[0].replace("'", "'\\''") + f"' '{names[1]}' --evidence name,tensor --opt-profile 1 --peak 333.25,0.1",
          page.data["data-command"])
    shaped = [os.path.join(FIXTURES, name) for name in ("onnx/plain.onnx", "engine/two-profiles.json")]
    check_page("shape", [*shaped, "--opt-profile", "1", "--shape", "x=5x4"], {})
    check_page("engine", [os.path.join(FIXTURES, "log", "options.log"), "--engine", "2"], {})


def check_late(folder):
    """What is not drawn in time is stated, in its place and in sum."""
    path = os.path.join(folder, "late.html")
    said = late_page(folder, path).decode()
    with open(path, encoding="utf-8") as file:
        pictures = json.loads(Page(file.read()).data["data-pictures"])
    missing = [p for p in pictures if "svg" not in p]
    check("late: the whole is drawn, and not all of what is in it", "svg" in pictures[0] and missing, len(missing))
    check("late: each says why", all("--layout-timeout" in p["note"] for p in missing), str(missing)[:300])
    check("late: and how many they are is said",
          f"{len(missing)} of the page's {len(pictures)} drawings could not be laid out" in said, said)


def main():
    sides = [",".join(PAIR), ",".join(SPLIT)]
    check_page("run", [*PAIR, *PROFILE], {"run": [*PAIR, *PROFILE]})
    check_page("compare", ["compare", *sides], {"compare": ["compare", *sides]})
    builds = ["compare", *sides, ",".join([PAIR[0], os.path.join(FIXTURES, "compare", "wide.json")])]
    check_page("matrix", builds, {"matrix": builds})
    gate = ["check", os.path.join(GATE, "before.fsd"), *PAIR, "--policy", os.path.join(GATE, "policy.ini"), "--today", "2026-07-01"]
    check_page("check", gate, {"check": gate, "compare": ["compare", gate[1], ",".join(PAIR)]})
    for what, files in ("lint", [os.path.join(GATE, "..", "lint", "resnet18_qat.onnx")]), ("linted", PAIR):
        check_page(what, ["lint", *files], {"lint": ["lint", *files]})
    with tempfile.TemporaryDirectory() as folder:
        check_list(folder)
        check_hostile(folder)
        check_command(folder)
        check_late(folder)
    finish()


main()
