#!/usr/bin/python3
"""What src/README.md says under "To add" is enough: one of each is added to a copy of the tree
(the files of tree/, and a row in each table), which is built once and run.  Then their rows are
taken away again, and each must be missed, by the compiler or by a test.

usage: run.py SOURCE CMAKE FOLDER    FOLDER is emptied first
"""
import json
import os
import re
import shutil
import subprocess
import sys

SOURCE, FOLDER = map(os.path.abspath, (sys.argv[1], sys.argv[3]))
CMAKE = sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "growth"))
import shapes

TREE, BUILD = os.path.join(FOLDER, "tree"), os.path.join(FOLDER, "build")
BINARY = os.path.join(BUILD, "fusiondiff")
SCHEMAS = [sys.executable, os.path.join(TREE, "tests/golden/schemas.py"), BINARY,
           os.path.join(TREE, "fixtures"), os.path.join(TREE, "include/fusiondiff")]
failures = []

# By what is added: a file, a row of it before which, or behind whose last line, the new one
# stands, and the row.  A row that a table of C keeps sorted stands where it belongs.
AFTER, BEFORE = True, False
ROWS = {
    "reader": [("src/read/engine/reader.h", AFTER, r"#define FSD_READERS\(row\)", " row(seam)"),
               ("src/README.md", AFTER, r"\| read/ \| log, engine, profile, trt, ort", ", seam")],
    "operator": [("src/model/ops/table.inc", BEFORE, r'    OP\(Selu,',
                  '    OP(SeamGelu, IN0, .shape = fsd_shape_same, .known_as = "gelu",\n'
                  '     .lowerings = "Mul Erf Add Mul Mul")\n'
                  '    OP(SeamRefused, IN0, .shape = fsd_shape_same)\n'),
                 ("src/judge/lint/refusals.c", AFTER, r'static const char imported\[\] =\n', '    " SeamGelu"\n')],
    "pattern": [("src/explain/pattern/pattern.h", AFTER, r"#define FSD_PATTERNS\(row\)", ' row(SEAM, "seam")'),
                ("src/explain/pattern/find.c", BEFORE, r"    \{FSD_PATTERN_SWIGLU,",
                 '    {FSD_PATTERN_SEAM, "SeamRefused(SeamGelu(x))", NULL},\n')],
    "matching pass": [("src/match/pass.h", BEFORE, r"void fsd_pass_conflict\(", "void fsd_pass_seam(struct fsd_match *m);\n"),
                      ("src/match/match.c", BEFORE, r'    \{"conflicts",', '    {"seams", FSD_BY_STRUCTURE, fsd_pass_seam},\n')],
    "rule": [("src/judge/findings/finder.h", BEFORE, r"/\* rules/mapping\.c \*/", "fsd_find_fn fsd_find_seam;\n"),
             ("src/judge/findings/rules.c", BEFORE, r'    \{"mapping/no-model",',
              '    {"seam/run", FSD_INFO, "A seam.", FSD_NEEDS_RUN, .find = fsd_find_seam,\n'
              '     .why = "It reads all parts.", .fix = "Nothing."},\n')],
    "rule of lint": [("src/judge/findings/finder.h", BEFORE, r"/\* lint_rows\.c", "fsd_find_fn fsd_lint_seam;\n"),
                     ("src/judge/findings/rules_lint.c", BEFORE, r'    \{"scale/unknown",',
                      '    {"seam/lint", FSD_WARNING, "A seam in a model.", FSD_NEEDS_LINT, .find = fsd_lint_seam,\n'
                      '     .why = "It is there.", .fix = "Nothing.", .source = "this test"},\n')],
    "rule of lint by a form": [("src/judge/findings/lint_build.c", BEFORE, r'    \{"precision/fp32-rest"',
                                '    {"seam/form", "n=SeamGelu > m=SeamRefused", NULL, "n", "{n} is before {m}"},\n'),
                               ("src/judge/findings/rules_lint.c", BEFORE, r'    \{"scale/unknown",',
                                '    {"seam/form", FSD_WARNING, "Seams in a row.", FSD_NEEDS_LINT, .find = fsd_lint_places,\n'
                                '     .why = "They are there.", .fix = "Nothing.", .source = "this test"},\n')],
    "refusal": [("src/judge/lint/refusals.c", AFTER, r"\brefusals\[\] = \{\n",
                 '    {" SeamRefused ", FSD_ANY_BUILDER, .is.why = "seams are refused", .is.source = "this test"},\n')],
    "format": [("src/report/sheet/sheet.h", BEFORE, r"fsd_sheet_fn fsd_sheet_put_text", "fsd_sheet_fn fsd_sheet_put_seam;\n"),
               ("src/report/report.c", BEFORE, r'    \{"csv",', '    {"seam", ".seam ", IN_TEXT, .sheet = fsd_sheet_put_seam},\n')],
    "subject of a report": [("include/fusiondiff/fusiondiff.h", BEFORE, r"    FSD__SUBJECT_COUNT", "    FSD_OF_SEAM,\n"),
                            ("src/report/report.c", BEFORE, r"\};\n/\* clang-format on \*/\n_Static_assert",
                             '    [FSD_OF_SEAM] = {{"seam", "a subject of seams", NULL}, .document = fill_routes},\n')],
    "kind of file": [("include/fusiondiff/fusiondiff.h", BEFORE, r"    FSD__FILE_KIND_COUNT", "    FSD_FILE_SEAM,\n"),
                     ("src/api/inputs.c", BEFORE, r"\};\n_Static_assert\(FSD_COUNT_OF\(kinds\)",
                      '    [FSD_FILE_SEAM] = {"a kind of seams", "", .sniff = fsd_policy_sniff},\n')],
    "view": [("src/report/view/view.h", AFTER, r"#define FSD_VIEWS\(row\)", " row(seam, false)"),
             ("src/cli/verb_views.c", AFTER, r"const struct verb view_verbs\[\] = \{\n",
              '    {"seam", "[MODEL] ENGINE", "how many layers", "Counts layers.", {"m.onnx e.json"}, VIEW},\n')],
    "verb": [("src/cli/cli.h", AFTER, r"#define FSD_VERBS\(row\)", " row(stitch)")],
    "member of a layer": [("src/report/record/layer.c", BEFORE, r"    when\(t, BYTES, bias_bytes",
                           '    set(t, COUNT, seam, 7, "seams", .says = "<, {seam} seams>") \\\n')],
    "member of a node": [("src/report/record/node.c", BEFORE, r"    has\(t, WORDS, evidence,",
                          '    set(t, COUNT, stitch, 9, "stitches", .says = "<; {stitch} stitches>") \\\n')],
    "selection of a picture": [("src/report/picture/diff_pick.c", AFTER, r"subjects\[\] = \{\n", '    {"seams", fuses, "seams"},\n')],
}


def claim(holds, what):
    if not holds:
        failures.append(what)


def run(*words, cwd=None):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def add(path, after, anchor, row):
    path = os.path.join(TREE, path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = re.search(anchor, text)
    if not found:
        sys.exit(f"{path} has no {anchor}: this test does not know where the row belongs")
    at = found.end() if after else found.start()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:at] + row + text[at:])


def drop(path, row):
    path = os.path.join(TREE, path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(row, "", 1))


def build(*target):
    status, said = run(CMAKE, "--build", BUILD, "-j", str(os.cpu_count()), *target)
    return status == 0, said


def objects():
    for folder, _, names in os.walk(os.path.join(BUILD, "CMakeFiles")):
        for name in names:
            if name.endswith(".c.o") and re.search(r"/(fsd_(edit_|light_)?objects|fusiondiff)\.dir", folder):
                yield os.path.join(folder, name)


def unused():
    return run(os.path.join(TREE, "tests/lint/unused.sh"), *objects())[1]


def asks(*words):
    """What the program prints, which ends well."""
    status, said = run(BINARY, *words, cwd=FOLDER)
    claim(status in (0, 1), f"fusiondiff {' '.join(words)} ends with {status}: {said[:300]}")
    return said


def says(*words):
    try:
        return json.loads(asks(*words, "-f", "json"))
    except ValueError:
        failures.append(f"fusiondiff {' '.join(words)} -f json: no JSON")
        return {}


def links(report):
    """By layer, the nodes that it computes."""
    return [[node["index"] for node in layer["nodes"]] for layer in report.get("layers", [])]


def check_added():
    shapes.write_model(FOLDER, [shapes.node("Relu", "x", "a", "r"), shapes.node("SeamGelu", "a", "b", "g"),
                                shapes.node("SeamRefused", "b", "y", "s")])
    with open(os.path.join(FOLDER, "engine.txt"), "w", encoding="utf-8") as file:
        file.write("seam engine\nlayer r\nlayer seam:SeamGelu\nlayer s\n")
    shapes.write_engine(FOLDER, [shapes.layer("__myl_Max_myl0_0", "x", ["__mye1"], "kgen"),
                                 shapes.layer("__myl_MulErfAddMulMul_myl0_1", ["__mye1"], ["__mye2"], "kgen"),
                                 shapes.layer("__myl_SeamRefused_myl0_2", ["__mye2"], "y", "kgen")], name="kernels.json")
    pair = ["model.onnx", "engine.txt"]
    report = says(*pair)
    claim(report.get("engine", {}).get("format") == "seam", f"reader: it was read as {report.get('engine')}")
    claim("lines of a seam" in asks("doctor"), "reader: doctor does not list it")
    claim(re.search(r"^  csv .*a subject of seams", asks("doctor"), re.M), "subject: no format has it")
    with open(os.path.join(FOLDER, "seam.ini"), "w", encoding="utf-8") as file:
        file.write("[layer-count]\nlevel = info\n")
    claim("found a kind of seams" in run(BINARY, "seam.ini", "engine.txt", cwd=FOLDER)[1], "kind of file: it is not recognized")
    claim(links(report)[:2] == [[0], [1]], f"reader, matching pass: links {links(report)}")
    found = [one["message"] for one in report.get("findings", []) if one["rule"] == "seam/run"]
    claim(found and found[0].startswith("3 nodes and 3 layers: summary 3 and 3,"), f"rule: {found}")
    blocks = asks("patterns", *pair, "--all")
    claim("gelu" in blocks, f"operator: it is no gelu: {blocks}")
    claim("seam" in blocks, f"pattern: it is not found: {blocks}")
    steps = links(says("model.onnx", "kernels.json"))
    claim(steps[1:2] == [[1]], f"operator: its kernel is not known by its lowering: {steps}")
    lint = asks("lint", "model.onnx", "--for", "rtx")
    claim("seam/lint" in lint, f"rule of lint: {lint}")
    claim("seam/form" in lint and "`g` is before `s`" in lint, f"rule of lint by a form: {lint}")
    claim("seams are refused" in lint, f"refusal: {lint}")
    claim("no importer" not in lint, f"operator: it is not imported: {lint}")
    claim(asks("seam", *pair) == "a seam of 3 layers\n", "view: its text")
    claim(says("seam", *pair).get("layers") == 3, "view: its JSON")
    claim(asks("top", *pair, "-f", "seam") == "seams of top\n", "format: of a view")
    claim(asks("seam", *pair, "-o", "x.seam") == "" or os.path.exists(os.path.join(FOLDER, "x.seam")), "format: by its ending")
    claim(asks("stitch") == "stitch\n", "verb")
    claim(re.search(r"^  stitch +prints its name$", asks("help"), re.M), "verb: help does not list it")
    claim("fusiondiff seam m.onnx e.json" in asks("help", "seam"), "view: its help")
    claim("digraph" in asks(*pair, "--only", "seams", "-f", "dot"), "selection of a picture")


# What the page's modules ask of their document is the columns.
RECORD = """import { run_subject } from "./page/run.js";
import { readFileSync } from "fs";
globalThis.document = { getElementById: (id) => ({ textContent: readFileSync(id, "utf8") }) };
const run = run_subject(JSON.parse(readFileSync("run.json")), null, null, [], { page: "" }, new Map());
console.log(JSON.stringify([run.record({ kind: "layer", id: "0" }), run.record({ kind: "node", id: "r" })]));
"""


def installed_embed():
    """What a C program, built with the installed library, is given of each member."""
    prefix = os.path.join(FOLDER, "usr")
    run(CMAKE, "--install", BUILD, "--prefix", prefix)
    libdir = next(at for at, _, names in os.walk(prefix) if "libfusiondiff.so" in names)
    words = run("env", f"PKG_CONFIG_PATH={libdir}/pkgconfig", "pkg-config", "--cflags", "--libs", "fusiondiff")[1].split()
    status, said = run("cc", os.path.join(TREE, "tests/package/embed.c"), "-o", "embed", f"-Wl,-rpath,{libdir}", *words, cwd=FOLDER)
    claim(not status, f"member: {said[:1000]}")
    return run("./embed", "model.onnx", "engine.txt", cwd=FOLDER)[1]


def page_records(report, html):
    """What the page shows of the first layer and the first node; None without node."""
    if not shutil.which("node"):
        return None
    shutil.copytree(os.path.join(TREE, "src/report/page"), os.path.join(FOLDER, "page"), dirs_exist_ok=True)
    for name, text in {"run.json": json.dumps(report), "package.json": '{"type": "module"}', "record.js": RECORD,
                       "data-columns-run": re.search('id="data-columns-run">(.*?)</script>', html).group(1)}.items():
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
            file.write(text)
    return run("node", "record.js", cwd=FOLDER)[1]


def check_members():
    """A member of a layer, or of a node, is wherever these are printed, by its row."""
    pair = ["model.onnx", "engine.txt"]
    report, html, printed = says(*pair), asks(*pair, "-f", "html"), installed_embed()
    schema = json.loads(asks(*pair, "-f", "schema"))
    titles, *lines = (line.split(",") for line in asks(*pair, "-f", "csv").splitlines())
    shown = page_records(report, html)
    sys.path.insert(0, os.path.join(TREE, "python", "fusiondiff"))
    import _objects
    for what, key, number, title, text, objects in (
            ("layer", "seam", 7, "seams", asks("inside", *pair, "0"), _objects.Layer),
            ("node", "stitch", 9, "stitches", asks("where", *pair, "r"), _objects.Node)):
        rows = report[what + "s"]
        claim(rows[0].get(key) == number, f"member: JSON has {rows[0]}")
        claim(key in schema["$defs"][what]["properties"], f"member of a {what}: the schema does not know it")
        claim(title in titles and lines[0][titles.index(title)] == str(number), f"member of a {what}: CSV has {titles}")
        claim(f" {number} {title}" in text, f"member of a {what}: no text says it: {text}")
        claim(f'"{key}":{number}' in html, f"member of a {what}: the page is not given it")
        claim(shown is None or f'["{title}",["{number}"]]' in shown, f"member of a {what}: the page does not show it: {shown}")
        made = [objects.from_json(one) for one in rows]
        claim(getattr(made[0], key) == number, f"member of a {what}: Python does not have it")
        claim(len(_objects.Table(made).where(**{key: number})) == len(rows), f"member of a {what}: no column of Python")
        claim(f"member\t{what}s\t0\t{key}\t{number}\n" in printed, f"member of a {what}: the C code does not list it")


def check_tests():
    """The tests that look at tables know what was added."""
    said = run(os.path.join(TREE, "tests/lint/includes.sh"))[1]
    claim(not said, f"lint/includes: {said}")
    claim(not unused(), f"lint/unused: {unused()}")
    claim("views.schema.json is not" in run(*SCHEMAS)[1], "view: its schema is not missed")
    claim(run(*SCHEMAS, "--update")[0] == 0 and '"seam"' in open(SCHEMAS[-1] + "/views.schema.json", encoding="utf-8").read(),
          "view: --update does not write its schema")


def check_missing():
    """Without the row a table or a declaration lacks, the compiler or a test says so."""
    drop("src/README.md", ROWS["reader"][1][3])
    claim("src/read/seam/: the row of read/" in run(os.path.join(TREE, "tests/lint/includes.sh"))[1], "reader: a folder without a row passes")
    for what, i in {"reader": 0, "matching pass": 1, "rule": 1, "rule of lint": 1, "format": 1, "view": 0, "verb": 0}.items():
        drop(ROWS[what][i][0], ROWS[what][i][3])
    for what, table in {"subject of a report": "report.c", "kind of file": "inputs.c"}.items():
        drop(*ROWS[what][1][::3])
        built, said = build()
        claim(not built and re.search(table + r".*\n?.*a row each", said), f"{what}: it compiles without its row")
        drop(*ROWS[what][0][::3])
    built, said = build()
    claim(not built and "fsd_view_seam" in said, "view: it compiles without its row")
    os.remove(os.path.join(TREE, "src/report/view/seam.c"))
    built, said = build()
    claim(built, f"without rows: {said[-2000:]}")
    claim("seam: a verb that writes schemas without a view" in run(*SCHEMAS)[1], "view: a verb without a view passes")
    add("src/report/view/view.h", AFTER, r"#define FSD_VIEWS\(row\)", " row(ghost, false)")
    claim("ghost: a view without a verb" in run(*SCHEMAS)[1], "view: one without a verb passes")
    said = unused()
    for name in ("fsd_reader_seam", "fsd_pass_seam", "fsd_find_seam", "fsd_lint_seam", "fsd_sheet_put_seam", "verb_stitch"):
        claim(name in said, f"{name}: lint/unused does not miss its row")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    keep = ("CMakeLists.txt", "cmake", "include", "packaging", "proto", "python", "src", "tests", "fixtures", "LICENSE")
    for name in keep:
        path = os.path.join(SOURCE, name)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(TREE, name), symlinks=True)
        elif os.path.exists(path):
            os.makedirs(TREE, exist_ok=True)
            shutil.copy(path, TREE)
    shutil.copytree(os.path.join(HERE, "tree"), TREE, dirs_exist_ok=True)
    for rows in ROWS.values():
        for row in rows:
            add(*row)
    status, said = run(CMAKE, "-S", TREE, "-B", BUILD, "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
                       "-DFSD_TESTS=OFF", "-DFSD_WERROR=ON", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0")
    if status:
        sys.exit(f"cmake: {said[-2000:]}")
    built, said = build()
    if not built:
        sys.exit(f"with one of each it does not build:\n{said[-3000:]}")
    check_added()
    check_members()
    check_tests()
    check_missing()
    print("\n".join(failures) or f"{len(ROWS)} seams hold")
    sys.exit(bool(failures))


main()
