"""One hostile build through every verb and every format, each read as its consumer reads it.

The consumers are the real ones where there is one to ask: cmark-gfm for Markdown, xmllint and the schemas for JUnit
and SARIF, dot for DOT, and else the rules that they publish.  A name may be anything, a name of a file, too.
"""
import csv
import functools
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import engines
import models
import reports
from harness import hidden_in
import json_schema  # where harness looks, too
import trace_events

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

NAMES = [*reports.MARKS, *reports.UNPRINTABLE,
         "<script>evil()</script>", "<img src=x onerror=evil()>", "<!--<script>", "[x](javascript:evil)",
         "[x]: http://evil", "http://evil.example/x", "www.evil.example", "evil@evil.example", "@everyone", "@evil/team",
         "#12", "GH-12", "evil/evil#12", "!12", "$12", "~evil", "%evil", "&12", "***evil***", "~~evil~~", "- [x] evil",
         "\\|", "\\`|`", "$`evil`$", ":evil:", "|---|", "> evil", "1. evil", "    evil", "a  \nevil",
         "section_start:1:evil\r\x1b[0K", "\x1b[0Ksection_end:1:evil\r", "##[section]evil", "\t##[command]evil",
         "::add-mask::evil", "::group::evil", "a:b,title=evil::c", "%0D%0A::error::evil", "%25", "=1+1", "@sum(1)",
         "+evil", "-evil", "\t=evil", "\r=evil", " =evil", "1,=evil", "1e5", "-1.5", "\"", "''", "{0}", "{{0}}", "~",
         "evil \\", "\\\"", "</title><evil>", "</style><evil>", "&#60;evil&#62;", "url(http://evil)", "<<B>evil</B>>",
         "n0", "cluster_evil", "model", "node", "a" * 20000]

# What the formats write of themselves.
TAGS_OF_MARKDOWN = {"h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
                    "code", "pre", "details", "summary", "strong", "em", "br", "hr", "b"}
TAGS_OF_SVG = {"svg", "g", "title", "polygon", "path", "ellipse", "polyline", "text", "a", "defs", "linearGradient",
               "stop", "rect", "line"}
TAGS_OF_JUNIT = {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out", "properties", "property"}
REFERENCES_OF_DOT = {"URL", "href", "edgeURL", "edgehref", "headURL", "headhref", "tailURL", "tailhref", "labelURL",
                     "labelhref", "image", "imagepath", "shapefile", "stylesheet", "fontpath", "_background"}
# Where a picture is small, its layout must come to its end, however busy the machine is.
PATIENT = ["--layout-timeout=3600"]
GITHUB = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\r\n]*,?)*)::(.+)")
MENTION = re.compile(r"(?<![\w`])@[A-Za-z0-9]|(?<!\w)(#|GH-|[\w-]+/[\w-]+#|![0-9]|\$[0-9])[0-9]+|www\.|\w://|\w@\w+\.\w")
# A message of SARIF may hold links (its section 3.11.6): text in brackets and, beside it, where to.
LINK = re.compile(r"\]\(")
FORMULA = re.compile(r"[=@\t\r]|[+-](?!\d+(\.\d+)?(e[+-]?\d+)?( %| ms)?$)")


class Reader(html.parser.HTMLParser):
    """What a browser makes of markup: its elements, their attributes, and the text that is not code."""
    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.text = [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(attrs)))
        if tag not in ("br", "hr", "img", "input", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if not {"code", "pre", "script", "style"} & set(self.open):
            self.text.append(data)

    def handle_comment(self, data):
        self.elements += [("!comment", ())] if data else []     # an empty one only parts a text


def text(h, case, report):
    """h.run has looked for commands, escapes and marks that hide."""
    h.check(not re.search(r"section_(start|end):\d+:[\w.-]+[^\n]*\r", report), case, "a section of GitLab's")


def markdown(h, case, report):
    reports.markdown(h, case, report)
    if not shutil.which("cmark-gfm"):
        return
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e",
                           "tasklist"], input=report.encode(), capture_output=True, check=True)
    page = Reader(done.stdout.decode())
    tags = {tag for tag, _ in page.elements}
    h.check(tags <= TAGS_OF_MARKDOWN, case, "elements %s" % sorted(tags - TAGS_OF_MARKDOWN))
    odd = [x for x in page.elements if x[1] and x[1] not in ((("open", None),), (("open", ""),))
           and not (len(x[1]) == 1 and x[1][0][0] in ("align", "class", "start"))]
    h.check(not odd, case, "attributes %s" % odd[:3])
    said = MENTION.search("\n".join(page.text))
    h.check(not said, case, "outside of code: %r" % (said and said.string[max(0, said.start() - 60):said.end() + 60]))


def as_csv(h, case, report):
    rows = list(csv.reader(io.StringIO(report), strict=True))
    h.check(len({len(row) for row in rows}) == 1, case, "rows of several widths")
    cells = [cell for row in rows for cell in row if FORMULA.match(cell)]
    h.check(not cells, case, "a formula: %s" % cells[:3])


def sarif(h, case, report):
    reports.sarif(h, case, report)
    report = json.loads(report)
    try:
        json_schema.of_file(os.path.join(ROOT, "tests/gate/sarif.schema.json"))(report)
    except json_schema.Misfit as error:
        h.check(False, case, "not SARIF: %s" % error)
    for result in report["runs"][0]["results"]:
        message = result["message"]
        h.check(set(message) == {"text"} and not LINK.search(message["text"]), case, "a link: %r" % message)
        for location in result["locations"]:
            uri = location.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "")
            h.check(re.fullmatch(r"(file://)?[\w.~/%-]*", uri, re.A), case, "no plain path: %r" % uri)


def junit(h, case, report):
    tags = {element.tag for element in xml.fromstring(report).iter()}
    h.check(tags <= TAGS_OF_JUNIT, case, "elements %s" % sorted(tags - TAGS_OF_JUNIT))
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(ROOT, "tests/gate/junit.xsd"), "-"],
                              input=report.encode(), capture_output=True, check=False)
        h.check(done.returncode == 0, case, "not JUnit: %s" % done.stderr[:300])


def github(h, case, report):
    """As the runner reads it: a command's name, its properties by commas and "=", its message."""
    for line in report.splitlines():
        command = GITHUB.fullmatch(line)
        if line.lstrip().startswith("::"):
            keys = [pair.split("=")[0] for pair in command[2].split(",")] if command else []
            h.check(command and len(keys) == len(set(keys)) and set(keys) <= {"file", "line", "title"}, case,
                    "no command of ours: %r" % line[:200])
            h.check(command and not re.search("%0[ad]", line, re.I), case, "a line's end: %r" % line[:200])
        else:
            h.check(not list(reports.commands_in(line)), case, "a command: %r" % line[:200])


def dot(h, case, report):
    if not shutil.which("dot"):
        return
    done = subprocess.run(["dot", "-Tdot_json"], input=report.encode(), capture_output=True, check=False)
    h.check(done.returncode == 0 and not done.stderr, case, "dot says %s" % done.stderr[:300])
    graph = json.loads(done.stdout.decode(errors="replace"), strict=False)
    for thing in [graph, *graph.get("objects", []), *graph.get("edges", [])]:
        h.check(not REFERENCES_OF_DOT & set(thing), case, "a reference: %r" % thing)
    ours = re.compile(r"(old_|new_)?[a-z_]+\d*(_\d+)*")
    odd = [x["name"] for x in graph.get("objects", []) if not ours.fullmatch(x["name"]) or "evil" in x["name"]]
    h.check(not odd, case, "nodes of a name's own: %s" % odd[:5])


def svg(h, case, report):
    for element in xml.fromstring(report).iter():
        tag = element.tag.rsplit("}", 1)[-1]
        h.check(tag in TAGS_OF_SVG, case, "an element %s" % tag)
        for key, value in element.attrib.items():
            key = key.rsplit("}", 1)[-1]
            h.check(not key.startswith("on"), case, "a script: %s" % key)
            h.check(key not in ("href", "src") or value.startswith("#"), case, "a reference to %r" % value[:200])
            h.check("url(" not in value or "url(#" in value or key == "title", case, "a reference: %r" % value[:200])


def page(h, case, report):
    """Names stand in the data alone, so that its elements are those of any other page."""
    elements = Reader(report).elements
    h.check(elements[:1] == [("html", (("lang", "en"),))], case, "it begins with %s" % elements[:1])
    known = page.elements.setdefault(next((verb for verb in ("compare", "matrix", "check", "lint") if verb in case), "diff"), elements)
    h.check([tag for tag, _ in elements] == [tag for tag, _ in known], case, "elements of a name's own")
    parts = re.split(r'<script type="application/json" id="data-[a-z]+">', report)
    h.check(len(parts) > 1, case, "no data")
    for part in parts[1:]:
        data = part.split("</script>", 1)[0]
        h.check("<" not in data, case, "the data may end: %r" % data[max(0, data.find("<") - 40):][:80])
        reports.as_json(h, case, data)
    policy = dict(dict(attrs).get("content", "").partition(" ")[::2] for tag, attrs in elements
                  if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs)
    h.check("default-src" in policy, case, "no policy of what it may load")


page.elements = {}


def gitlab(h, case, report):
    for finding in reports.as_json(h, case, report):
        h.check({"description", "check_name", "fingerprint", "severity", "location"} <= set(finding), case,
                "not GitLab's: %s" % list(finding))


def bytes_of(start):
    def check(h, case, report):
        h.check(report.startswith(start), case, "begins with %r" % report[:8])
    return check


def trace(h, case, report):
    bad = trace_events.problems(report)
    h.check(not bad, case, "no trace events: %s" % bad[:3])


READERS = {"trace": trace, "text": text, "line": text, "json": reports.as_json, "schema": reports.as_json, "markdown": markdown,
           "csv": as_csv, "html": page, "junit": junit, "sarif": sarif, "github": github, "gitlab": gitlab, "dot": dot,
           "svg": svg, "png": bytes_of(b"\x89PNG"), "pdf": bytes_of(b"%PDF")}


def build(h, folder, names):
    """A model and an engine in which everything that has a name has one of these, and its log and profile."""
    os.makedirs(folder, exist_ok=True)

    def put(name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    model = models.twins(*names, "dead")
    layers = [engines.layer(m, ["x" if not i else names[i - 1]], [m], TacticName=m, Origin=m,
                            Metadata="[ONNX Layer: %s]" % m) for i, m in enumerate(names)]
    layers += [engines.layer("twin end %d" % i, [m], ["v%d" % i]) for i, m in enumerate(names)]
    for layer in layers[::3]:
        layer["LayerType"] = "Reformat"
        layer["Outputs"][0]["Format/Datatype"] = layer["Name"]
    for layer in layers[::4]:
        layer["LayerType"] = layer["Name"]
    for layer in layers[1::5]:
        layer["Outputs"][0]["Format/Datatype"] = "Row major linear FP16 format"
    profile = [{"count": 1}] + [{"name": x["Name"], "timeMs": 1, "averageMs": 1.5, "percentage": 1} for x in layers]
    return (put("model.onnx", model), put("engine.json", engines.dump(layers, ["x", names[-1]])),
            put("profile.json", json.dumps(profile).encode()))


def other(h, engine):
    """The same engine as another builder made it: some layers are gone, some have another type."""
    with open(engine, encoding="utf-8") as file:
        dump = json.load(file)
    dump["Layers"] = [x for i, x in enumerate(dump["Layers"]) if i % 7]
    for x in dump["Layers"][::3]:
        x["Outputs"][0]["Format/Datatype"] = "Row major linear FP16 format"
    path = engine.replace(".json", "-other.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dump, file)
    return path


@functools.cache
def formats_of(h, verb):
    """The formats that its help lists: one that is added is tested.  A matrix has a page besides what `stability` has."""
    if verb == "matrix":
        return [*formats_of(h, "stability"), "html"]
    done = subprocess.run([h.binary, *verb.split(), "--help"], capture_output=True, text=True, check=False)
    found = re.search(r"^Formats: (.*?)\.$", done.stdout, re.S | re.M)
    return re.sub(r"\s+", "", found[1]).split(",")


@functools.cache
def views(h):
    done = subprocess.run([h.binary, "--help"], capture_output=True, text=True, check=False)
    verbs = re.findall(r"^  ([a-z]+)  +\S", done.stdout.split("Verbs (", 1)[1], re.M)
    # A doctor reads no file, and the last six write models, programs or reports, keep a state or run a command.
    apart = ("diff", "compare", "check", "snapshot", "lint", "stability", "routes", "batch", "doctor", "cut", "code", "issue",
             "annotate", "bisect", "collect")
    return [verb for verb in verbs if verb not in apart]


def policy(folder, names):
    """One whose reasons and globs are such names, as far as a line can hold them."""
    path = os.path.join(folder, "policy.ini")
    with open(path, "w", encoding="utf-8") as file:
        for i, name in enumerate(n for n in names if not hidden_in(n) and "\n" not in n and len(n) < 200):
            file.write("[ignore %d]\nrule = lost-fusion\nnode = none %s\nreason = %s\n" % (i, name, name))
    return path


def runs(h, folder, model, engine, profile, names):
    """Of each verb its words, the files it reads last."""
    newer, fsd = other(h, engine), os.path.join(folder, "build.fsd")
    h.run("snapshot", "snapshot", "--force", model, engine, "-o", fsd, allowed=(0,))
    yield "diff", ["--force", "--all", "--profile", profile, model, engine]
    for verb in views(h):
        words = {"where": ["*"], "inside": ["*"], "explain": ["--node=*"]}.get(verb, [])
        yield verb, [verb, "--force", "--all", "--profile", profile, model, engine, *words]
    yield "explain", ["explain", "--force", "--profile", profile, model, engine, "--layer=*"]
    yield "lint", ["lint", "--force", model, engine]
    yield "compare", ["compare", "--force", "--all", model + "," + engine, fsd]
    yield "compare", ["compare", "--force", "--all", fsd, model + "," + newer]
    several = [fsd, model + "," + engine, model + "," + newer]
    yield "matrix", ["compare", "--force", "--all", *several]
    yield "stability", ["stability", "--force", "--all", *several]
    yield "routes", ["routes", "--force", "--all", *several]
    cache = os.path.join(folder, "tuning.jsonl")
    with open(cache, "w", encoding="utf-8") as file:
        file.write('{"tuner_version": "1"}\n')
        for i, name in enumerate([*names, "last"]):   # two routes at least
            file.write(json.dumps({"iter": i, "build_route": "-%s=%d" % (name, i), "crash": i == 1,
                                   "error_message": name, "accuracy_loss": {name: 1}, "gpu_time": 1 + i}) + "\n")
    yield "routes", ["routes", "--force", "--all", cache, model + "," + engine]
    yield "check", ["check", "--force", fsd, model, newer]
    yield "check", ["check", "--force", "--today=2026-01-01", "--policy", policy(folder, names), fsd, model, newer]


def formats(h, folder, names, real=None):
    """With `real`, the folder of a real build, its files instead."""
    files = build(h, folder, names)
    if real:
        files = [shutil.copy(os.path.join(real, name), path) for name, path in
                 zip(("model.onnx", "engine.graph.json", "profile.json"), files)]
    shown, missing = set(), set()
    asked = list(runs(h, folder, *files, names))
    known = {verb: formats_of(h, "" if verb == "diff" else verb) for verb in dict(asked)}
    for verb, form in {(verb, form) for verb in known for form in known[verb] if form not in READERS}:
        h.check(False, verb, "no reader of %s is known here" % form)
    for verb, words, form in h.some((verb, words, form) for verb, words in asked for form in known[verb]):
        case = "%s as %s" % (verb, form)
        missing.add(case)
        made, bytewise = os.path.join(folder, "made." + form), form in ("png", "pdf")
        timed = bytewise or form == "svg"       # a layout has a time limit
        patient = PATIENT if timed and len(names) < 10 else []
        status, report = h.run(case, *words, *patient, "-f", form, *(["-q", "-o", made] if bytewise else []),
                               allowed=(0, 1, 2) if timed and not patient else (0, 1))
        if bytewise and status in (0, 1):
            with open(made, "rb") as file:
                report = file.read()
        if status in (0, 1):
            READERS[form](h, case, report)
            shown.add(case)
    for verb, words in h.some(asked):
        coloured(h, verb, words)
    with open(os.path.join(folder, "build.fsd"), "rb") as file:
        text(h, "snapshot", file.read().decode())
    pairs = os.path.join(folder, "pairs")
    with open(pairs, "w", encoding="utf-8") as file:
        file.writelines("\t".join((*files[:2], "shape=" + name)) + "\n" for name in names if not set(name) & set("\t\r\n"))
    for line in h.run("batch", "batch", "--force", "--follow", pairs, allowed=(0, 2))[1].splitlines():
        READERS["json"](h, "batch", line)
    return shown, missing - shown


def coloured(h, verb, words):
    """To a terminal: colours, and nothing else that it obeys."""
    done = subprocess.run([h.binary, *words, "--color=always"], capture_output=True, check=False)
    plain = reports.COLOUR.sub("", done.stdout.decode())
    h.check(hidden_in(plain) is None, verb + " in colour", "hidden %r" % hidden_in(plain))
    h.check(not list(reports.commands_in(plain)), verb + " in colour", "a command to a runner")


def spoken(h, folder, model, engine):
    """What is said on standard error of files: notes, and where a report went."""
    build_of = os.path.join(folder, "a build")
    os.makedirs(build_of, exist_ok=True)
    for file, name in ((model, "##[error]evil \x1b[31m.onnx"), (engine, "\u202e##vso[evil].json")):
        shutil.copy(file, os.path.join(build_of, name))
    for words in ([build_of], ["compare", build_of, build_of], ["help", "\x1b[31m##[error]evil"]):
        done = subprocess.run([h.binary, *words, *([] if words[0] == "help" else ["-o", os.path.join(folder, "x.md")])],
                              capture_output=True, check=False)
        said = h.decoded(" ".join(words[:1]), done.stderr)
        h.check(said, words[0], "nothing is said")
        h.check(not list(reports.commands_in(said)), words[0], "a command to a runner: %r" % said)


def all_formats(h):
    """The names together, then where the files themselves have such names."""
    plain = ["plain %d" % i for i in range(5)]
    evil = ["a::error file=evil::b,c", "`@everyone` #12 [x](http:evil) | <img>", "=evil,\"b", "\x1b[31m\u202e##[evil]"]
    shown, missing = formats(h, h.path("plain"), plain)
    for part in (formats(h, h.path("evil"), [name for name in NAMES if len(name) < 1000]),
                 formats(h, h.path("long"), [name for name in NAMES if len(name) >= 1000] + plain),
                 *(formats(h, h.path(name), plain[:2]) for name in evil),
                 formats(h, h.path("real"), plain, os.path.join(ROOT, "fixtures/qat_block"))):
        shown, missing = shown | part[0], missing | part[1]
    h.check(not missing - shown, "formats", "never written: %s" % sorted(missing - shown))
    for name in evil:
        spoken(h, h.path(name), os.path.join(h.path(name), "model.onnx"), os.path.join(h.path(name), "engine.json"))
    for tool in ("cmark-gfm", "xmllint", "dot"):
        if not shutil.which(tool):
            print("skipped: what %s would show" % tool)
    print("%d verbs and formats read" % len(shown))
