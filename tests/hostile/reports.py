"""What a report of each format must be, whatever names are in it.

The names carry marks: an element <evil>, a node evil_node, a line ::error::evil, a row of
their own.  A mark that a parser finds has broken out of its place.
"""
import csv
import html.parser
import io
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

MARKS = ["<evil>x</evil>", "\"><evil/>", "'/><evil>", "</script><evil>", "]]><evil>", "-->\n<evil>",
         "&lt;evil&gt;", "a|b|c", "a\n| evil | row |", "`x` **x** [x](http://evil)", "# evil",
         "x\"]; evil_node [label=\"y", "x\\\"]; evil_node [label=\"y", "x\\", "x>];evil_node[", "{a|b}",
         "a\n::error::evil", "%0A::error::evil", "::error::evil", "::set-output name=evil::x",
         "=cmd|' /C calc'!A0", "+1", "-1", "@x", "a,b\";c", "${jndi:evil}", "%s%n%x", "\\u0022", "'"]
# What runners of GitHub and Azure and TeamCity's take for commands wherever a name may stand.
COMMANDS = ["  ::error file=evil::y", "::stop-commands::evil", "\u00a0::error::evil", "\u00ad::error::evil",
            "x ##[error]evil", "##[group]evil", "#\u00ad#[error]evil", "##vso[task.setvariable variable=evil]x",
            "##VSO[evil]", "##teamcity[evil]"]
MARKS += COMMANDS
MARKS += ["evil <!--", "]]>", "<![CDATA[<evil>", "\\N \\l \\G", "javascript:evil", "~~~\nevil"]

# What XML cannot hold, what a terminal obeys, what turns or hides text.
UNPRINTABLE = ["\x1b[31mred", "\u009b31m", "\x9d0;title\x07", "\b\b\b", "a\rb", "\x7f", "\ufffe", "\uffff",
               "\U0001ffff", "\u202eltr", "\u2066x", "\ufeff", "\u2028", "\x0b\x0c", "\U000e0041", "\x85"]


class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)


# A runner looks behind leading blanks for "::", and anywhere for "##[".  Some of them compare by the rules of a
# language, which overlook characters that are not printed.
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.I)


def commands_in(report):
    """The lines of a log that a runner would obey."""
    for line in report.split("\n"):
        if line.count(":") < 2 and line.count("#") < 2:
            continue
        seen = COLOUR.sub("", line)
        if not seen.isascii():
            seen = "".join(c for c in seen if c.isascii() or c.isspace())
        if COMMAND.search(seen):
            yield line


def text(h, case, report):
    h.check(not list(commands_in(report)), case, "a command for who reads the log")


def as_json(h, case, report):
    def once(pairs):
        h.check(len(dict(pairs)) == len(pairs), case, "a key twice: %r" % [key for key, _ in pairs][:20])
        return dict(pairs)

    try:
        return json.loads(report, parse_constant=lambda word: 1 / 0, object_pairs_hook=once)
    except (ValueError, ZeroDivisionError) as error:
        h.check(False, case, "not JSON: %s" % error)
    return None


def sarif(h, case, report):
    """Its schema wants the items of these lists to differ."""
    for result in (as_json(h, case, report) or {"runs": [{"results": []}]})["runs"][0]["results"]:
        for location in result["locations"]:
            places = [json.dumps(x, sort_keys=True) for x in location.get("logicalLocations", [])]
            h.check(len(places) == len(set(places)), case, "a logical location twice: %s" % places[:4])


def as_xml(h, case, report):
    try:
        tags = {element.tag for element in xml.fromstring(report).iter()}
        h.check("evil" not in tags, case, "an element of a name's own")
    except xml.ParseError as error:
        h.check(False, case, "not XML: %s" % error)


def as_html(h, case, report):
    elements = Elements()
    elements.feed(report)
    h.check("evil" not in elements.seen, case, "an element of a name's own")


def markdown(h, case, report):
    h.check("<evil" not in re.sub(r"`+[^`]*`+", "", report), case, "an element of a name's own")
    h.check(not re.search(r"^\s*(# evil|::error)", report, re.M), case, "a line of a name's own")
    width = None
    for line in report.split("\n"):
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        h.check(bars is None or width is None or bars == width, case,
                "a row of another width: %r" % line[:200])
        width = bars


def dot(h, case, report):
    if not shutil.which("dot"):
        return
    done = subprocess.run(["dot", "-Tcanon"], input=report.encode(), capture_output=True,
                          check=False)
    h.check(done.returncode == 0 and not done.stderr, case,
            "dot says %s" % done.stderr.decode(errors="replace")[:300])
    # dot breaks long strings at its line length, by a backslash.
    canonical = done.stdout.decode(errors="replace").replace("\\\n", "")
    h.check(not re.search(r"^\s*\"?evil_node", canonical, re.M), case,
            "a node of a name's own")


def github(h, case, report):
    for line in report.split("\n"):
        h.check(not re.match(r"::(error|set-output)[^:]*::?(evil|name=evil)", line), case,
                "a command of a name's own: %r" % line[:200])


def as_csv(h, case, report):
    rows = list(csv.reader(io.StringIO(report), strict=True))
    h.check(len({len(row) for row in rows}) <= 1, case, "rows of several widths")
    for row in rows:
        h.check(not any(re.match(r"[=@]|[+-]\D", cell) for cell in row), case,
                "a formula: %r" % row)


FORMATS = {"text": text, "json": as_json, "sarif": sarif, "gitlab": as_json, "junit": as_xml,
           "xml": as_xml, "html": as_html, "svg": as_xml, "markdown": markdown, "md": markdown,
           "dot": dot, "mermaid": text, "github": github, "csv": as_csv, "graphml": as_xml,
           "jsonl": lambda h, case, report: [as_json(h, case, r) for r in report.splitlines()]}


def known_formats(h, model, engine):
    """Those of FORMATS that this binary writes."""
    found = []
    for name in FORMATS:
        done = subprocess.run([h.binary, "-f", name, model, engine], capture_output=True, check=False)
        if b"unknown format" not in done.stderr:
            found.append(name)
    return found
