"""The totals that each report of a run names, against those of the JSON report."""
import collections
import json
import os
import re
import xml.etree.ElementTree

SEVERITIES = {"error": "errors", "warning": "warnings", "info": "notes"}
SARIF_LEVELS = {"error": "error", "warning": "warning", "note": "info"}


def counted(r):
    """What a report must say, counted from the lists of the JSON report."""
    layers = r["layers"]
    return {"nodes": collections.Counter(n["fate"] for n in r["nodes"]),
            "layers": collections.Counter(la["kind"] for la in layers),
            "inserted": collections.Counter(la["cause"] for la in layers if la["inserted"]),
            "findings": collections.Counter(f["severity"] for f in r["findings"])}


def differs(format_, what, said, real):
    if said == real:
        return []
    return ["%s says of %s: %s; JSON: %s" % (format_, what, said, real)]


def severities(text, real, format_):
    """"0 errors, 1 warning, 2 notes", wherever it stands."""
    bad = []
    for severity, word in SEVERITIES.items():
        n = re.search(r"(\d+) %ss?\b" % word.rstrip("s"), text)
        bad += differs(format_, word, n and int(n[1]), real["findings"][severity])
    return bad


def of_text(text, real):
    bad = []
    for what in ("nodes", "layers", "inserted"):
        line = re.search(r"^%s +(\d+)(?:: (.*))?$" % what, text, re.M)
        if not line:
            bad.append("the text report does not count %s" % what)
            continue
        said = dict(re.findall(r"(\S+) (\d+)", line.group(2) or ""))
        mine = {k: str(v) for k, v in real[what].items()}
        bad += differs("text", what, (said, int(line.group(1))), (mine, sum(real[what].values())))
    line = re.search(r"^findings (\d+): (.*)$", text, re.M)
    if not line:
        return bad + differs("text", "findings", 0, sum(real["findings"].values()))
    return bad + severities(line[2], real, "text")


def of_markdown(text, real):
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (\d+) \|$", text, re.M))
    bad = severities(text.split("\n\n")[1], real, "markdown")
    for what, row in (("nodes", "nodes"), ("layers", "layers"), ("inserted", "inserted layers")):
        bad += differs("markdown", row, rows.get(row), str(sum(real[what].values())))
    return bad + differs("markdown", "nodes unexplained", rows.get("nodes unexplained"),
                         str(real["nodes"]["unexplained"]))


def of_dot(text, real):
    said = re.search(r"(\d+) nodes?, (\d+) layers?, (\d+) inserted", text)
    return differs("dot", "nodes, layers, inserted", said and [int(n) for n in said.groups()],
                   [sum(real[what].values()) for what in ("nodes", "layers", "inserted")])


def of_sarif(text, real):
    results = json.loads(text)["runs"][0]["results"]
    return differs("sarif", "findings",
                   collections.Counter(SARIF_LEVELS[r["level"]] for r in results),
                   real["findings"])


def of_junit(text, real):
    """A failure for each rule with findings that fail, a line of it for each."""
    root = xml.etree.ElementTree.fromstring(text)
    lines = collections.Counter()
    for case in root.iter("testcase"):
        for part in case:
            for line in (part.text or "").splitlines():
                word = line.split(":")[0]
                lines[word] += word in SEVERITIES
    lines = +lines
    return differs("junit", "findings", lines, real["findings"])


FORMATS = {"txt": of_text, "md": of_markdown, "dot": of_dot, "sarif": of_sarif, "xml": of_junit}


def disagreements(folder, beside, r):
    """What each report says other than the JSON report; `beside` gives a format's file."""
    bad, real = [], counted(r)
    for ending, look in FORMATS.items():
        with open(os.path.join(folder, beside(ending)), encoding="utf-8") as file:
            bad += look(file.read(), real)
    return bad
