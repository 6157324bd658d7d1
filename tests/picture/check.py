#!/usr/bin/python3
"""What must hold of pictures, with the real binary.

    check.py BINARY SHARED FUSER

Hostile names, the bound on layout time, and pictures of every pair in SHARED/corpus (left
out when SHARED is absent).  DOT is read back by Graphviz's own reader.
"""
import json
import os
import re
import subprocess
import tempfile

from harness import HOSTILE, PATIENT, SHARED, check, finish, hostile_pair, is_svg, reads_back, run, synthetic


# ------------------------------------------------------------------------- hostile

def check_hostile(folder):
    pair = hostile_pair(folder)
    dot, svg = os.path.join(folder, "h.dot"), os.path.join(folder, "h.svg")
    run(*pair, "--force", *PATIENT, "-o", dot, "-o", svg, "-o", os.path.join(folder, "h.png"))
    reads_back("hostile", dot)
    with open(dot, "rb") as file:
        content = file.read()
    again = run(*pair, "--force", "-f", "dot")
    check("hostile: same bytes again", again.stdout == content)
    check("hostile: no control byte but the newline and the tab",
          not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", content))
    check("hostile: long names are shortened", len(content) < 120000, str(len(content)))
    rows = subprocess.run(["dot", "-Tplain"], input=content, capture_output=True, check=False).stdout
    boxes = [line.split()[1] for line in rows.split(b"\n") if line.startswith(b"node ")]
    count = len(HOSTILE)
    check("hostile: a box for every node and layer under its own number",
          {f"n{i}".encode() for i in range(count)} | {f"l{i}".encode() for i in range(count)} <= set(boxes))
    dom = is_svg("hostile", svg)
    if dom:
        said = "\n".join(t.firstChild.data for t in dom.getElementsByTagName("text") if t.firstChild)
        said = said.replace("\u00a0", " ")
        for shown in ('quote " and \'', "ends in \\", "\\N \\G \\T \\l", "line\\u{a}break", "bell\\u{7} esc",
                      "emoji \U0001f600", "a]]>b--><!--", "%s %n {a|b} <port>",
                      "\\u{202e}rtl\\u{200b}", "]; evil [label=x", "日本語の名前"):
            check(f"hostile: SVG shows {shown!r}", shown in said)
        check("hostile: SVG shows entities as they were written", "&amp; &lt;b" in said)


def check_bytes(folder):
    """Each byte of ASCII alone, as a whole name, and doubled: Graphviz takes no offence, and
    both of its kinds of strings show it."""
    names = [chr(c) * n for c in range(1, 128) for n in (1, 2) if c != 32]  # blanks show nothing
    names += ["\\N", "\\G", "a\\nb", "\\\\l", "&#93;", "&amp;"]
    pair = hostile_pair(folder, names)
    dot, svg = os.path.join(folder, "bytes.dot"), os.path.join(folder, "bytes.svg")
    done = run(*pair, "--force", "--collapse", "none", *PATIENT, "-o", dot, "-o", svg)
    check("every byte: nothing is said", not done.stderr, done.stderr[:300])
    reads_back("every byte", dot)
    dom = is_svg("every byte", svg)
    if not dom:
        return
    said = {t.firstChild.data.replace("\u00a0", " ")
            for t in dom.getElementsByTagName("text") if t.firstChild}
    tips = {a.getAttribute("xlink:title") for a in dom.getElementsByTagName("a")}
    for i, name in enumerate(names):
        shown = "".join(f"\\u{{{ord(c):x}}}" if c < " " or c == "\x7f" else c for c in name)
        check(f"every byte: {name!r} is in a box and in a tooltip",
              shown in said and any(f"node {i} {op} {shown}\n" in tip for tip in tips for op in ("Relu", "Sigmoid")))


# --------------------------------------------------------------------------- views

def check_views(folder, fixtures):
    pair = [os.path.join(fixtures, "synthetic/qat-8.5", n) for n in ("model.onnx", "engine.json")]
    whole = run(*pair, "-f", "dot")
    for args, some in ((("--only", "reformats"), True), (("--only", "precision"), True),
                       (("--only", "changes"), True), (("--around", "Conv_8"), True),
                       (("--around", "Conv_8", "--depth", "2"), True), (("--around", "*Sigmoid*"), True),
                       (("--around", "#40"), True), (("--around", "layer:3"), True),
                       (("--collapse", "run"), False), (("--collapse", "scope:1"), False)):
        part = run(*pair, "-f", "dot", *args)
        boxes = part.stdout.count(b"fillcolor")
        check(f"{' '.join(args)}: smaller than the whole, not empty",
              boxes > 4 and (boxes < whole.stdout.count(b"fillcolor") or not some), str(boxes))
    for args, message in ((("--around", "nobody"), b"expected the name of a node or a layer"), (("--only", "x"), b"expected reformats"),
                          (("--collapse", "scope:0"), b"as the value of --collapse"), (("--depth", "0"), b"1 to 1000"),
                          (("--layout-timeout", "-1"), b"seconds")):
        done = run(*pair, "-f", "dot", *args, status=2)
        check(f"{' '.join(args)}: a clear error", message in done.stderr, done.stderr)
    out = os.path.join(folder, "late.svg")
    done = run(*pair, "-o", out, "--layout-timeout", "0.000001", status=2)
    check("no time at all: an error, no file", b"within" in done.stderr and not os.path.exists(out),
          done.stderr)


def check_fixtures(folder, fixtures):
    """Every engine that lies beside a model, read back from DOT, whole and in two other ways."""
    found = 0
    for place, _, files in sorted(os.walk(fixtures)):
        for engine in sorted(files):
            if "model.onnx" not in files or not re.fullmatch(r"engine.*\.json|build\.log", engine):
                continue
            pair = [os.path.join(place, n) for n in ("model.onnx", engine)]
            for args in ((), ("--all",), ("--collapse", "scope:1")):
                dot = os.path.join(folder, "fixture.dot")
                run(*pair, "--force", "-o", dot, *args)
                reads_back(" ".join((os.path.relpath(pair[1], fixtures), *args)), dot)
            found += 1
    check(f"{found} pairs of fixtures were there", found > 7)
    for name in ("names-only", "other-types", "trt11", "two-profiles"):
        engine, svg = os.path.join(fixtures, "engine", name + ".json"), os.path.join(folder, "alone.svg")
        run(engine, *PATIENT, "-o", svg)            # nodes of which only names are known
        run("compare", engine, engine, *PATIENT, "-o", svg)


def check_large(folder):
    pair = synthetic(os.path.join(folder, "chain"), "--generate", "chain", "--size", "10000", "--seed", "1")
    svg = os.path.join(folder, "chain.svg")
    done = run(*pair, *PATIENT, "-o", svg)
    check("10,000 layers: a note says what is drawn", b"--collapse" in done.stderr, done.stderr)
    is_svg("10,000 layers", svg)
    # Asked for in full, its layout would take minutes on any machine: time ends in an error, and
    # never in another picture.
    late = os.path.join(folder, "late.svg")
    done = run(*pair, "-o", late, "--collapse", "none", "--layout-timeout", "2", status=2)
    check("--layout-timeout holds", b"within 2 seconds of processor time" in done.stderr and
          not os.path.exists(late), done.stderr)


# -------------------------------------------------------------------------- corpus

def points(path):
    with open(path, encoding="utf-8") as file:
        size = re.search(r'<svg width="(\d+)pt" height="(\d+)pt"', file.read())
    return int(size.group(1)), int(size.group(2))


def check_corpus(folder):
    corpus = os.path.join(SHARED, "corpus")
    for case in sorted(os.listdir(corpus)):
        for engine in ("engine.graph.json", "engine.names-only.json"):
            pair = [os.path.join(corpus, case, n) for n in ("model.onnx", engine)]
            if not all(map(os.path.exists, pair)):
                continue
            outputs = [os.path.join(folder, f"{case}.{e}") for e in ("dot", "svg", "png", "pdf")]
            run(*pair, *PATIENT, *(w for o in outputs for w in ("-o", o)))
            reads_back(case, outputs[0])
            is_svg(case, outputs[1])
            check(f"{case}: PNG and PDF",
                  open(outputs[2], "rb").read(8) == b"\x89PNG\r\n\x1a\n" and
                  open(outputs[3], "rb").read(5) == b"%PDF-")
    check_reformats(corpus, folder)


def check_reformats(corpus, folder):
    """What the verb lists is on the picture, which is small where that is little."""
    page = os.path.join(folder, "page.svg")
    for case, fits in (("resnet18-qat-trt8.4", False), ("resnet18-qat-residual-qgap-trt8.4", True)):
        pair = [os.path.join(corpus, case, name) for name in ("model.onnx", "engine.graph.json")]
        run(*pair, "--only", "reformats", "-o", page, *PATIENT)
        listed = [row["layer"] for row in json.loads(run("reformats", *pair, "-f", "json").stdout)["reformats"]]
        with open(page, encoding="utf-8") as file:
            shown = re.findall(r'xlink:title="layer (\d+) ', file.read())
        check(f"{case}: all {len(listed)} layers that only move data are drawn",
              listed and {str(layer) for layer in listed} <= set(shown), sorted(set(shown)))
        width, height = points(page)
        # A4 within margins of a centimetre is 785 by 538 points, whichever way it lies.  Names of
        # 10 points stay readable down to 6.5.
        scale = max(min(785 / width, 538 / height), min(538 / width, 785 / height))
        check(f"{case}: {width}x{height} points fit a page by {scale:.2f}", scale >= 0.65 or not fits)


def check_alone(folder):
    """An engine alone: of its nodes no edges are known, so that they stand in a line, not in a row."""
    svg = os.path.join(folder, "alone.svg")
    done = run(os.path.join(SHARED, "corpus/torch-tensorrt-resnet18/engine.graph.json"), "-o", svg, *PATIENT)
    width, height = points(svg)
    check(f"an engine alone: {width}x{height} points, whole", width < height and not done.stderr, done.stderr)


def check_rings(folder):
    """Boxes shared by scopes lead to each other in rings, which the size of a picture counts, too."""
    case = os.path.join(SHARED, "zoo-2/cases/hiera_t")
    pair = [os.path.join(case, name) for name in sorted(os.listdir(case)) if name.startswith(("build", "model"))]
    done = run(*reversed(pair), *PATIENT, "-o", os.path.join(folder, "rings.svg"))
    check("what lays out within seconds is drawn of rings, not what takes a minute", b"--collapse scope:3" in done.stderr,
          done.stderr)


def check_sides(folder):
    """The model is to the left of the engine, also where Graphviz would save crossings by swapping both."""
    for name in ("zoo-2/cases/loop_lstmcell", "zoo-2/cases/gru_tts", "zoo/cases/mobilenet_v2_ts_ortqdq_sym"):
        case, svg = os.path.join(SHARED, name), os.path.join(folder, "sides.svg")
        pair = [os.path.join(case, one) for one in sorted(os.listdir(case), reverse=True) if one.startswith(("build", "model"))]
        run(*pair, *PATIENT, "-o", svg)
        with open(svg, encoding="utf-8") as file:
            left, right = (float(x) for x in re.findall(r'id="side_\w+".*?<(?:path|polygon)[^>]*?(?:d="M|points=")(-?[\d.]+)',
                                                        file.read(), re.S))
        check(f"{name}: the model is on the left", left < right, f"{left} {right}")


def check_swin(folder):
    model = os.path.join(SHARED, "models/swin_t_ts.onnx")
    _, engine = synthetic(os.path.join(folder, "swin"), model, "--seed", "1")
    svg = os.path.join(folder, "swin.svg")
    done = run(model, engine, *PATIENT, "-o", svg)
    check("swin_t: a note says what is drawn", b"--collapse" in done.stderr, done.stderr)
    is_svg("swin_t", svg)


def main():
    fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures")
    with tempfile.TemporaryDirectory() as folder:
        check_hostile(folder)
        check_bytes(folder)
        check_views(folder, fixtures)
        check_fixtures(folder, fixtures)
        check_large(folder)
        if os.path.isdir(os.path.join(SHARED, "corpus")):
            check_corpus(folder)
            check_alone(folder)
            check_rings(folder)
            check_sides(folder)
            check_swin(folder)
        else:
            print(f"skipped: no corpus in {SHARED}")
    finish()


main()
