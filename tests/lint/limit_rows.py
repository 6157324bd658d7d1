"""The rows of docs/reference/limits.md: for each limit its subject, its constants, and the effect of exceeding it.

A row names a constant as [FILE NAME], or [FILE NAME B] if it is a number of bytes. tables() replaces it by its value
from the sources, so that the page always states the limit of the program.
"""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ERROR = "error `limit`"

# A title, then rows: the subject, the limit, the effect of exceeding it, and settings that change
# the limit.
SECTIONS = (
    ("Files", (
        ("Bytes of a model file; weights are never read", "[src/api/inputs.c MODEL_LIMIT B]", ERROR),
        ("Bytes of an engine dump, a build log, a profile or a file of times",
         "[src/api/inputs.c ENGINE_LIMIT B]; [src/api/inputs.h FSD_LOG_LIMIT B]; [src/api/profiles.c PROFILE_LIMIT B]", ERROR),
        ("Bytes of a decompressed file: free, and per compressed byte",
         "[src/base/decompress.c EXPANDED_FREE B]; [src/base/decompress.c RATIO_MAX]", ERROR),
        ("Memory of a decompressor", "[src/base/decompress.c DECODER_MEMORY B]", "error `format`"),
        ("Bytes of a snapshot", "[src/change/snapshot/read.c SNAPSHOT_LIMIT B]", ERROR),
        ("Bytes of a policy", "[src/judge/gate/policy_ini.c POLICY_LIMIT B]", ERROR),
        ("Bytes of the state of `bisect`", "[src/edit/bisect/state.c STATE_MOST B]", ERROR),
        ("Bytes of a comparison that Polygraphy saved (`bisect result`)", "[src/edit/bisect/accuracy.h FSD_ACCURACY_MOST B]", ERROR),
        ("Bytes of a line that the command of `bisect run` prints: a longer one is no path",
         "[src/cli/verb_bisect.c LONG_OUTPUT B]", "the line before it counts"),
        ("Nesting depth of JSON", "1,000", "error `format`", "CJSON_NESTING_LIMIT of cJSON's build"),
        ("JSON values of a dump", "[src/read/trt/json_file.c VALUES_MAX]", ERROR),
        ("JSON values of a small dump: free, and bytes of the file for each further one",
         "[src/read/trt/json_file.c VALUES_FREE]; [src/read/trt/json_file.c VALUE_BYTES]", ERROR),
    )),
    ("Models", (
        ("Nesting depth of messages", "[src/model/onnx/wire.h FSD_WIRE_DEPTH]", ERROR),
        ("Bytes of one string", "[src/model/onnx/wire.h FSD_WIRE_NAME]", ERROR),
        ("Bytes of a constant or list whose values are read", "[src/model/onnx/wire.h FSD_WIRE_PAYLOAD]", "only its size is read"),
        ("Fields of all messages", "[src/model/onnx/wire.h FSD_WIRE_FIELDS]", ERROR),
        ("Messages", "[src/model/onnx/wire.h FSD_WIRE_MESSAGES]", ERROR),
        ("Bytes of the file that stay in memory", "[src/model/onnx/wire.h FSD_WIRE_KEPT B]", ERROR),
        ("Bytes of memory of the messages: free, and per byte of the file",
         "[src/model/onnx/wire.h FSD_WIRE_FREE B]; [src/model/onnx/wire.h FSD_WIRE_WEIGHT]", ERROR),
        ("Nesting depth of control flow and function calls",
         "[src/model/onnx/load.c BODY_DEPTH]", ERROR),
        ("Nodes, after each function call is expanded", "[src/model/onnx/load.c NODE_LIMIT]", ERROR),
        ("Nodes of a small file: free, and bytes of the file for each further one",
         "[src/model/onnx/load.c NODE_FREE]; [src/model/onnx/load.c NODE_BYTES]", ERROR),
        ("Words of memory of the graph (some 512 MB)", "[src/model/onnx/load.c WORK_LIMIT]", ERROR),
        ("Words of memory of a small file's graph: free, and per byte of the file",
         "[src/model/onnx/load.c WORK_FREE]; [src/model/onnx/load.c WORK_BYTE]", ERROR),
        ("Attributes of one node", "[src/model/onnx/load.c ATTR_LIMIT]", ERROR),
        ("Dimensions of a tensor", "[src/model/onnx/tensor.c MOST_DIMS]", "shape unknown, remark `input/bad-dim`"),
        ("The same, in the parser's lines of a log", "[src/read/log/network.c MOST_DIMS]", "shape unknown"),
        ("Size of one dimension", "[src/model/graph/form.h FSD_DIM_MAX]", "size unknown, remark `input/bad-dim`"),
        ("Bytes of a model that `cut`, `retype`, `tensors -o`, `bisect`, `lint --fix` or `annotate` writes; protobuf reads no more",
         "2 GiB", ERROR),
    )),
    ("Engines", (
        ("Engines that compute parts of one model", "[src/cli/cli.h MOST_OUTPUTS]", "error, usage"),
        ("Layers of an engine, in a dump or log", "[src/read/trt/json.c LAYERS_MAX]; [src/read/trt/log_engine.c LOG_LAYERS_MAX]", ERROR),
        ("Layers of a small dump or profile: free, and bytes of the file for each further one",
         "[src/read/trt/json.c LAYERS_FREE]; [src/read/trt/json.c LAYER_BYTES]", ERROR),
        ("Node names in all layer names, in a dump or log",
         "[src/read/trt/json.c MENTIONS_MAX]; [src/read/trt/log_engine.c LOG_MENTIONS_MAX]", ERROR),
        ("Dimensions of a tensor, in a dump or log", "[src/read/trt/json.c RANK_MAX]; [src/read/log/log.h FSD_LOG_RANK_MAX]",
         "shape unknown, remark `input/odd-dimensions` or `input/cut-line`"),
        ("Bytes of a layer name that is parsed; steps; steps per byte, if more",
         "[src/read/trt/name.c NAME_BYTES_MAX B]; [src/read/trt/name.c STEPS_AT_LEAST]; [src/read/trt/name.c STEPS_PER_BYTE]",
         "it stays text, remark `input/long-name`"),
        ("Nesting depth of brackets in a layer name", "[src/read/trt/expr.c DEPTH_MAX]", "remark `input/deep-name`"),
        ("Nodes of equal name that are listed", "[src/read/engine/mention.c CANDIDATES]", "their number"),
        ("Bytes of a layer's Metadata that are parsed", "[src/read/trt/metadata.c TEXT_MAX B]", "not parsed"),
        ("Nodes of equal name of which Metadata selects one by its caller", "[src/read/trt/metadata.c OWNED_MAX]",
         "none is selected"),
        ("Items of a list in inspector text", "[src/read/trt/inspector_text.c ITEMS_MAX]", "it stays text"),
        ("Engines and nodes in the text of a dry run", "[src/read/trt/dryrun.c DRY_LAYERS_MAX]", ERROR),
        ("Dimensions of a tensor in Polygraphy's text", "[src/read/trt/inspected.c SIZES_MAX]", "shape unknown"),
    )),
    ("Logs, profiles and sessions", (
        ("Bytes of a log line", "[src/read/log/read.c LONGEST_LINE B]", "a line of unknown form"),
        ("Kernels timed for one layer; unknown forms of log lines",
         "[src/model/graph/history.h FSD_MOST_RIVALS]; [src/model/graph/history.c MOST_FORMS]", "`--debug=log` counts the rest"),
        ("Sources of tactics of one layer; reasons why one was not timed",
         "[src/model/graph/effort.h FSD_MOST_SOURCES]; [src/model/graph/effort.h FSD_MOST_REASONS]", "added up without a name"),
        ("Steps of a build whose seconds a log states", "[src/model/graph/effort.h FSD_MOST_STEPS]", "not counted"),
        ("Names combined in one name of a log; nesting depth",
         "[src/match/story_names.h FSD_MOST_PARTS]; [src/match/story_names.c MOST_DEPTH]", "omitted, warning `log/too-large`"),
        ("Nodes of all names of a log; steps that are followed",
         "[src/match/story_names.c MOST_POOL]; [src/match/story.c MOST_SCENES]", "omitted, warning `log/too-large`"),
        ("Entries of a profile; rows of times in a console log",
         "[src/read/trt/profile.c ENTRIES_MAX]; [src/read/log/profile.c ROWS_MAX]", ERROR),
        ("Layers of which a program prints the times, a line each", "[src/read/log/printed.c ROWS_MAX]", ERROR),
        ("Entries of trt-engine-explorer's metadata; bytes of one", "[src/read/trt/trex.c TREX_ENTRIES_MAX]; [src/read/trt/trex.c LONGEST B]",
         "ignored"),
        ("Profiles in one file; tables of times in a console log",
         "[src/read/trt/profile.c PROFILES_MAX]; [src/read/log/profile.c TABLES_MAX]", ERROR),
        ("Events of a run in a profile of ONNX Runtime", "[src/read/ort/profile.c EVENTS_MAX]", ERROR),
        ("Bytes of a line of an ONNX Runtime session log", "[src/read/ort/session.c LONGEST_LINE B]", "not a line of the runtime"),
        ("Bytes before the text of such a line", "[src/read/ort/session.c LONGEST_HEAD]", "not a line of the runtime"),
        ("Graph transformers of a session", "[src/read/ort/session.c MOST_PASSES]", "not counted"),
        ("Nodes in a list of ONNX Runtime's assignments", "[src/read/ort/assignment.c MOST_NODES]", "error `format`"),
    )),
    ("Values", (
        ("Bytes of a file of `--values`", "[src/explain/values/values.h FSD_VALUES_LIMIT B]", ERROR),
        ("Tensors of an archive, npz", "[src/explain/values/npz.c MEMBERS_MAX]", ERROR),
        ("Bytes of an archive's decompressed tensors: free, and per byte of the file",
         "[src/explain/values/npz.c EXPANDED_FREE B]; [src/explain/values/npz.c RATIO_MAX]", ERROR),
        ("Tensors of Polygraphy's saved outputs, of one runner", "[src/explain/values/polygraphy.c ARRAYS_MAX]", ERROR),
        ("Nesting depth of Polygraphy's saved outputs", "[src/explain/values/polygraphy.c DEPTH_MAX]", ERROR),
        ("Bytes of an array's header", "[src/explain/values/npy.c HEADER_MAX B]", "not compared"),
        ("Dimensions of an array", "[src/explain/values/values.h FSD_ARRAY_RANK]", "not compared"),
        ("Rows of a table", "[src/explain/values/table.c ROWS_MAX]", ERROR),
        ("Columns of numbers in a table", "[src/explain/values/values.h FSD_MOST_COLUMNS]", ERROR),
        ("Tensors where errors enter whose causes are listed", "[src/explain/values/enter.c DETAILED]", "the others by name"),
    )),
    ("Routes", (
        ("Bytes of a tuning cache", "[src/api/routes.c CACHE_LIMIT B]", ERROR),
        ("Iterations of a tuning cache", "[src/read/trt/tuning.c STEPS_MAX]", ERROR),
        ("Routes that are compared", "[src/change/routes/routes.h FSD_MOST_ROUTES]", "the first of them, and a note says so"),
        ("Options of all routes together, and of one route", "[src/change/routes/routes.h FSD_MOST_KNOBS]",
         "the others are not compared"),
        ("Builds of routes", "[src/cli/verb_routes.c MOST_ROUTES]", "error, usage"),
    )),
    ("Mapping", (
        ("Steps of the search between tensors, per node of the model", "[src/match/cut.c VISITS_PER_NODE]",
         "no evidence from tensors"),
        ("Steps of the search for paths between the names of a layer, per node of the model",
         "[src/match/pass_span.c BUDGET_PER_NODE]", "no evidence from paths"),
        ("Nodes and inputs of a layer in an engine without the model's names", "[src/match/infer.c MOST_NODES]; [src/match/infer.c MOST_PORTS]",
         "the layer is not mapped"),
        ("Steps of the search in such an engine, per node and layer", "[src/match/infer.c STEPS_PER_NODE]", "the rest is not mapped"),
        ("Partial matches of a generated kernel that are followed, the best of each step",
         "[src/match/kernel/replay.h CANDIDATES]",
         "others dropped"),
        ("Of a generated kernel: available tensors; nodes; unfinished nodes",
         "[src/match/kernel/replay.h AVAILABLE]; [src/match/kernel/replay.h TAKEN]; [src/match/kernel/replay.h OPEN]",
         "remark `input/large-kernel`"),
    )),
    ("Reports", (
        ("Bytes of a name in sentences, `explain`, `where`, CSV, Markdown, and keys of snapshots and comparisons",
         "[src/base/base.h FSD_BRIEF]",
         "its beginning and `...`, in keys a hash; the index next to it identifies it, `-f json` has the whole name"),
        ("Bytes of the `command.json` of `collect`, for `issue`", "[src/edit/issue/built_with.c MOST_COMMAND_BYTES B]",
         "the report has no command"),
        ("Bytes of a layer of a dump in a bug report", "[src/edit/issue/issue_dump.c MOST_EXCERPT B]", "its beginning, and how many more"),
        ("Groups in one cell of a matrix of builds", "[src/report/view/matrix.c MOST_GROUPS]", "\"N more\"; `-f json` has all"),
        ("Boxes, wires and ties of a picture; of a comparison's",
         "[src/report/picture/diff_draw.c MOST_ENDS]; [src/report/picture/compare_draw.c COMPARISON_ENDS]",
         "less detail is drawn, and the picture says so", "`--collapse none`"),
        ("Ranks that all lines of a picture cross; labeled lines count twice",
         "[src/report/picture/drawing.h FSD_MOST_SPAN]", "less detail is drawn, and the picture says so", "`--collapse none`"),
        ("Processor seconds to lay out a picture", "[src/report/picture/picture.h FSD_LAYOUT_SECONDS]",
         "error `limit`, never another picture", "`--layout-timeout`"),
        ("Drawings of a page; layers of an engine that it draws in more than two levels",
         "[src/report/page/pictures.c MOST_PICTURES]; [src/report/page/pictures.c MOST_LAYERS]", "boxes link to rows"),
        ("Processor seconds for each further drawing of a page; for all, as a multiple of the first",
         "[src/report/page/pictures.c SECONDS]; [src/report/page/pictures.c TIMES]",
         "the page and standard error count what was not drawn", "`--layout-timeout`"),
    )),
)


def constant(path, name):
    """Returns the value of "NAME = 1 << 20," or "#define NAME (UINT64_C(1) << 36)" in a source file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = re.search(r"\b%s(?: *=|[ \t]+(?=[(\d])) *([^,}\n/]+)" % name, file.read())
    value = re.sub(r"UINT64_C|\(int64_t\)", "", found.group(1)) if found else ""
    if not re.fullmatch(r"[\d<*() ]+", value):
        raise SystemExit(f"tests/lint/limit_rows.py names {name} of {path}, which has no number")
    return eval(value)


def in_words(value, of_bytes):
    """Returns a number as text: "65,536", "16 Mi", "64 GiB" or "2^40"."""
    for power, unit in (40, "Ti"), (30, "Gi"), (20, "Mi"):
        if value >= 1 << power and not value & ((1 << power) - 1):
            if power == 40 and not of_bytes:
                return f"2^{value.bit_length() - 1}"
            return f"{value >> power} {unit}{'B' if of_bytes else ''}"
    return f"{value:,}"


def row(what, bound, beyond, otherwise=None):
    named = re.findall(r"\[(\S+) (\w+)(?: B)?\]", bound)
    value = re.sub(r"\[(\S+) (\w+)( B)?\]", lambda m: in_words(constant(m[1], m[2]), bool(m[3])), bound)
    if len(set(value.split("; "))) == 1:
        value = value.split("; ")[0]
    where = [f"`{path}:{name}`" for path, name in named] + ([otherwise] if otherwise else [])
    return f"| {what} | {value} | {'' if beyond == ERROR else beyond} | {'; '.join(where)} |"


def tables():
    for title, rows in SECTIONS:
        yield f"## {title}\n\n| what is bounded | bound | beyond it | set by |\n|---|---|---|---|"
        yield from (row(*one) for one in rows)
        yield ""
