"""Totals as each report states them, and as they are counted from the JSON's lists.

A reader takes a report's text and returns the totals that it states, by the same keys:
nodes, layers, inserted, reformats, computing, mapped, unexplained, the words of fates,
kinds, causes, evidence and severities, ms."""
import collections
import json
import re
import xml.etree.ElementTree as xml

COMPUTING = ("compute", "quantize", "foreign")
SEVERITIES = {"note": "info", "notes": "info", "warnings": "warning", "errors": "error"}
ENDINGS = ("json", "txt", "md", "dot", "sarif", "xml")


def lists(r):
    """What the summary of a report must say, by its parts."""
    count = collections.Counter
    return {"nodes": count(n["fate"] for n in r["nodes"]),
            "layers": count(x["kind"] for x in r["layers"]),
            "inserted": count(x["cause"] for x in r["layers"] if x.get("inserted")),
            "links": count(e for x in r["layers"] for n in x["nodes"] for e in n["evidence"]),
            "findings": count(f["severity"] for f in r["findings"])}


def counted(r):
    """All totals, from the lists."""
    parts = lists(r)
    inserted = [x for x in r["layers"] if x["inserted"]]
    computing = [x for x in r["layers"] if x["kind"] in COMPUTING]
    totals = {"nodes": len(r["nodes"]), "layers": len(r["layers"]), "inserted": len(inserted),
              "reformats": parts["layers"]["reformat"],
              "computing": len(computing),
              "mapped": sum(bool(x["nodes"]) or "region" in x for x in computing),
              "unexplained": parts["nodes"]["unexplained"]}
    for part, words in parts.items():
        totals.update({(part, word): n for word, n in words.items()})
    times = [x["ms"] for x in r["layers"] if "ms" in x]
    if times:
        totals["ms"] = sum(times)
    return totals


def summary(text):
    s = json.loads(text)["summary"]
    shown = {(part, word): n for part in ("nodes", "layers", "inserted", "links", "findings")
            for word, n in s[part].items()}
    shown.update(computing=s["coverage"]["computing_layers"], mapped=s["coverage"]["mapped_layers"],
                inserted=s["coverage"]["inserted"])
    if "ms" in s:
        shown["ms"] = s["ms"]["total"]
    return shown


def words(line):
    return re.findall(r"([^\s,:]+) (\d+)", line)


def plain(text):
    shown = {}
    for part in ("nodes", "layers", "inserted"):
        n, line = re.search(r"^%s +(\d+)(.*)$" % part, text, re.M).groups()
        shown[part] = int(n)
        shown.update({(part, word): int(k) for word, k in words(line)} if part != "nodes" else
                     {(part, {"in layers": "layer"}.get(word, word)): int(k) for k, word in re.findall(r"(\d+) (in layers|\w+)", line)})
    line = re.search(r"^mapped +(\d+) of (\d+) computing layers?, \d+ links?(.*)$", text, re.M)
    shown.update(mapped=int(line[1]), computing=int(line[2]))
    shown.update({("links", word): int(k) for word, k in words(line[3])})
    line = re.search(r"^(?:findings \d+:|verdict) +(.*)$", text, re.M)
    shown.update(severities(line[1]) if line else {})
    line = re.search(r"^time +([\d.]+) ms in layers", text, re.M)
    if line:
        shown["ms"] = float(line[1])
    return shown


def severities(line):
    return {("findings", SEVERITIES.get(word, word)): int(n)
            for n, word in re.findall(r"(\d+) (errors?|warnings?|notes?)", line)}


def markdown(text):
    rows = dict(re.findall(r"^\| ([^|]+) \| ([\d.]+)(?: ms)? \|$", text, re.M))
    shown = {key: int(rows[row]) for key, row in (
        ("nodes", "nodes"), ("layers", "layers"), ("computing", "computing layers"),
        ("mapped", "computing layers mapped to nodes"), ("inserted", "inserted layers"),
        ("reformats", "reformats"), ("unexplained", "unexplained nodes"))}
    if "time" in rows:
        shown["ms"] = float(rows["time"])
    return {**shown, **severities(text.split("\n")[2])}


def dot(text):
    n = re.search(r"(\d+) nodes?, (\d+) layers?, (\d+) inserted", text)
    return dict(zip(("nodes", "layers", "inserted"), map(int, n.groups())))


def sarif(text):
    found = collections.Counter(r["level"] for r in json.loads(text)["runs"][0]["results"])
    return {("findings", SEVERITIES.get(word, word)): found[word]
            for word in ("error", "warning", "note")}


def junit(text):
    lines = [line for case in xml.fromstring(text).iter("testcase") for part in case
             for line in (part.text or "").splitlines()]
    return {("findings", word): sum(line.startswith(word + ": ") for line in lines)
            for word in ("error", "warning", "info")}


READERS = dict(zip(ENDINGS, (summary, plain, markdown, dot, sarif, junit)))


def same(a, b, key):
    return abs(a - b) < 0.0006 * max(1, abs(b)) if key == "ms" else a == b


def differences(r, read):
    """Of one run's reports; `read` gives the text of the one with that ending."""
    true, bad = counted(r), []
    for ending, reader in READERS.items():
        try:
            shown = reader(read(ending))
        except (AttributeError, KeyError, ValueError, xml.ParseError) as error:
            bad.append("%s: totals not found: %r" % (ending, error))
            continue
        bad += ["%s: %s is %s, counted %s" % (ending, key, n, true.get(key, 0))
                for key, n in shown.items() if not same(n, true.get(key, 0), key)]
        bad += ["%s: does not state that %s is %d" % (ending, key, n) for key, n in true.items()
                if key not in shown and n and ending in ("json", "txt")
                and isinstance(key, tuple)]
    return bad
