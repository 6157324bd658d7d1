"""The rows of verbs.py, and of bench/run: what each verb and each option is run with, on which shapes of README.md."""
import os
import re

import honest
import large
import shapes

EXPONENT = 1.15
HOSTILE = 1.5

NETWORKS = ["cnn", "transformer", "branches", "rnn"]
# n of the first count, from which the others follow; of equal kernels a bound is reached at 192.
FIRST = {"cnn": 40, "transformer": 8, "branches": 60, "rnn": 40, "equal_kernels": 800, "like_kernels": 400, "tree_kernels": 400, "wide_kernels": 200}
DEEP_AND_WIDE = ["transformer", "branches"]
ONE = ["transformer"]

# Words of a command: {model}, {engine}, {other}, {profile}, ... are files of the build (honest.Build); {new:x} is a path that
# does not exist yet, {n} the size.  A list of commands prepares with all but the last, which is counted.

PAIR = "{model} {engine}"
SNAP = "snapshot {model} {engine} -o {new:old.fsd}"

VERBS = [
    ("diff", "", NETWORKS, f"diff {PAIR} -f json"),
    ("diff", "--fail-on", ONE, f"diff {PAIR} --fail-on warning"),
    ("diff", "--debug", ONE, "diff {model} {engine} --log {log} --debug log"),
    ("diff", "--dump", DEEP_AND_WIDE, "diff {model} {engine} --dump engine"),
    ("diff", "--around", DEEP_AND_WIDE, "diff {model} {engine} --around *r* -f dot"),
    ("diff", "--depth", DEEP_AND_WIDE, "diff {model} {engine} --around {first} --depth 1000 -f dot"),
    ("diff", "--only", DEEP_AND_WIDE, "diff {model} {other} --only precision -f dot"),
    ("diff", "--color-by", ONE, "diff {model} {engine} --color-by precision -f dot"),
    ("diff", "--label", ONE, "diff {model} {engine} --label ms,bytes,tactic -f dot"),
    ("diff", "--collapse", DEEP_AND_WIDE, "diff {model} {engine} --collapse scope:1 -f dot"),
    ("where", "", NETWORKS, f"where {PAIR} * -f json"),
    ("inside", "", NETWORKS, f"inside {PAIR} * -f json"),
    ("explain", "", ["failed"], "explain {model} {log}"),
    ("explain", "--node", NETWORKS, f"explain {PAIR} --node *"),
    ("explain", "--layer", NETWORKS, f"explain {PAIR} --layer *"),
    ("patterns", "", NETWORKS, f"patterns {PAIR} -f json --all"),
    ("skipped", "", ["ort_log"], "skipped {model} {engine} --log {log} -f json"),
    ("parts", "", ["parts"], "parts {model} {parts} -f json"),
    ("top", "", NETWORKS, f"top {PAIR} --profile {{profile}} -f json"),
    ("top", "--by", ONE, f"top {PAIR} --profile {{profile}} --by nodes -f json"),
    ("top", "--rank-by", ONE, f"top {PAIR} --values {{values}} --rank-by error"),
    ("top", "--number", ONE, f"top {PAIR} --profile {{profile}} --number 5"),
    ("scopes", "", NETWORKS, f"scopes {PAIR} -f json"),
    ("scopes", "--depth", ONE, f"scopes {PAIR} --depth 3"),
    ("reformats", "", ["cnn", "reformats"], f"reformats {PAIR} -f json"),
    ("reformats", "--min-ms", ["cnn"], f"reformats {PAIR} --profile {{profile}} --min-ms 0.01"),
    ("reformats", "--min-share", ["cnn"], f"reformats {PAIR} --profile {{profile}} --min-share 0.01"),
    ("reformats", "--number", ["cnn"], f"reformats {PAIR} --number 5"),
    ("memory", "", NETWORKS, f"memory {PAIR} -f json"),
    ("memory", "--number", ONE, f"memory {PAIR} --number 5"),
    ("buildtime", "", ["log"], "buildtime {log} -f json"),
    ("buildtime", "--number", ["log"], "buildtime {log} --number 5"),
    ("buildtime", "--all", ["log"], "buildtime {log} --all"),
    ("compare", "", NETWORKS, "compare {model},{engine} {model},{other} -f json"),
    ("compare", "", ["builds"], "compare {builds} -f json"),
    ("compare", "--tactics", DEEP_AND_WIDE, "compare {model},{engine} {model},{other} --tactics"),
    ("compare", "--around", DEEP_AND_WIDE, "compare {model},{engine} {model},{other} --around *r* -f dot"),
    ("compare", "--only", DEEP_AND_WIDE, "compare {model},{engine} {model},{other} --only changes -f dot"),
    ("routes", "", ["routes"], "routes {model} {builds} -f json"),
    ("stability", "", ["builds"], "stability {builds} -f json"),
    ("stability", "", DEEP_AND_WIDE, "stability {model},{engine} {model},{other} -f json"),
    ("stability", "--tactics", DEEP_AND_WIDE, "stability {model},{engine} {model},{other} --tactics"),
    ("snapshot", "", NETWORKS, f"snapshot {PAIR}"),
    ("snapshot", "--also", DEEP_AND_WIDE, f"snapshot {PAIR} --also {{model}},{{other}}"),
    ("snapshot", "--label", ONE, f"snapshot {PAIR} --label sm86"),
    ("snapshot", "--list", ["list"], "snapshot --list {list} -j 1"),
    ("snapshot", "--jobs", ["list"], "snapshot --list {list} --jobs 2"),
    ("snapshot", "--merge", DEEP_AND_WIDE, [SNAP, "snapshot {model} {other} -o {new:ours.fsd}", "snapshot {model} {engine} -o {new:theirs.fsd}",
                                            "snapshot --merge {new:old.fsd} {new:ours.fsd} {new:theirs.fsd}"]),
    ("snapshot", "--with-times", ONE, f"snapshot {PAIR} --profile {{profile}} --with-times"),
    ("snapshot", "--profile", DEEP_AND_WIDE, f"snapshot {PAIR} --profile {{profile}}"),
    ("check", "", NETWORKS, [SNAP, "check {new:old.fsd} {model} {other} -f json"]),
    ("check", "--policy", DEEP_AND_WIDE, [SNAP, "check {new:old.fsd} {model} {other} --policy {policy}"]),
    ("check", "--update", ONE, [SNAP, "check {new:old.fsd} {model} {other} --update"]),
    ("check", "--lint", NETWORKS, [SNAP, "check {new:old.fsd} {model} {other} --lint"]),
    ("check", "--for", ONE, [SNAP, "check {new:old.fsd} {model} {other} --lint --for trt10"]),
    ("check", "--label", ONE, [SNAP, "check {new:old.fsd} {model} {other} --label sm86"]),
    ("check", "--today", ONE, [SNAP, "check {new:old.fsd} {model} {other} --policy {policy} --today 2026-01-01"]),
    ("check", "--list", ["list"], ["snapshot --list {list}", "check --list {list} -j 1"]),
    ("check", "--jobs", ["list"], ["snapshot --list {list}", "check --list {list} --jobs 2"]),
    ("lint", "", NETWORKS, "lint {model} -f json"),
    ("lint", "", DEEP_AND_WIDE, f"lint {PAIR} -f json"),
    ("lint", "--fix", NETWORKS, "lint {model} --for trt8 --fix -o {new:fixed.onnx}"),
    ("lint", "--for", NETWORKS, "lint {model} --for rtx-1.7:sm89"),
    ("lint", "--fail-on", ONE, "lint {model} --fail-on warning"),
    ("lint", "--policy", ONE, "lint {model} --policy {policy}"),
    ("lint", "--today", ONE, "lint {model} --policy {policy} --today 2026-01-01"),
    ("tensors", "", [*NETWORKS, "wide", "star"], f"tensors {PAIR} -f json"),
    ("tensors", "--free", NETWORKS, f"tensors {PAIR} --free"),
    ("tensors", "--break", NETWORKS, f"tensors {PAIR} --break *"),
    ("tensors", "--as", DEEP_AND_WIDE, f"tensors {PAIR} --free --as polygraphy"),
    ("bisect", "", [*NETWORKS, "wide"], f"bisect start {PAIR} --state {{new:state}}"),
    ("bisect", "--state", DEEP_AND_WIDE, [f"bisect start {PAIR} --state {{new:state}}", "bisect bad --state {new:state}",
                                          "bisect next --state {new:state} -o {new:next.onnx}"]),
    ("cut", "", NETWORKS, "cut {model} --node * -o {new:part.onnx}"),
    ("cut", "--layer", ["transformer", "branches", "rnn"], f"cut {PAIR} --layer * -o {{new:part.onnx}}"),
    ("cut", "--group", DEEP_AND_WIDE, f"cut {PAIR} --group 0 -o {{new:part.onnx}}"),
    ("cut", "--node", DEEP_AND_WIDE, "cut {model} --node #1 -o {new:part.onnx}"),
    ("cut", "--context", NETWORKS, f"cut {PAIR} --layer 0 --context {{n}} -o {{new:part.onnx}}"),
    ("cut", "--from", NETWORKS, "cut {model} --from x -o {new:part.onnx}"),
    ("cut", "--to", NETWORKS, "cut {model} --to y -o {new:part.onnx}"),
    ("cut", "--alone", ONE, f"cut {PAIR} --from x --alone {{engine}}"),
    ("cut", "--inputs", ONE, f"cut {PAIR} --layer 0 --inputs {{new:inputs}} -o {{new:part.onnx}}"),
    ("code", "", NETWORKS, "code {model}"),
    ("code", "--api", DEEP_AND_WIDE, "code {model} --api torch"),
    ("code", "--layer", DEEP_AND_WIDE, f"code {PAIR} --layer *"),
    ("code", "--group", ONE, f"code {PAIR} --group 0"),
    ("code", "--node", ONE, "code {model} --node *"),
    ("code", "--context", DEEP_AND_WIDE, f"code {PAIR} --layer 0 --context {{n}}"),
    ("code", "--from", ONE, "code {model} --from x"),
    ("code", "--to", ONE, "code {model} --to y"),
    ("code", "--depth", DEEP_AND_WIDE, "code {model} --depth 2"),
    ("issue", "", NETWORKS, f"issue {PAIR} --layer 2 -o {{new:report}}"),
    ("issue", "--layer", ONE, f"issue {PAIR} --layer 2 --layer 5 -o {{new:report}}"),
    ("issue", "--group", ONE, f"issue {PAIR} --group 2 -o {{new:report}}"),
    ("issue", "--node", ONE, f"issue {PAIR} --node #1 -o {{new:report}}"),
    ("issue", "--context", DEEP_AND_WIDE, f"issue {PAIR} --layer 0 --context {{n}} -o {{new:report}}"),
    ("issue", "--anonymize", DEEP_AND_WIDE, f"issue {PAIR} --layer 0 --context {{n}} --anonymize -o {{new:report}}"),
    ("issue", "--names", ONE, f"issue {PAIR} --layer 0 --context {{n}} --anonymize --names {{new:names.json}} -o {{new:report}}"),
    ("issue", "--no-weights", ONE, f"issue {PAIR} --layer 0 --context {{n}} --no-weights -o {{new:report}}"),
    ("issue", "--finding", ["cnn"], f"issue {PAIR} --finding inserted/reformat -o {{new:report}}"),
    ("annotate", "", NETWORKS, f"annotate {PAIR} -o {{new:out.onnx}}"),
    ("annotate", "", DEEP_AND_WIDE, f"annotate {PAIR} -o {{new:out.nodedata.json}}"),
    ("annotate", "--layers", DEEP_AND_WIDE, f"annotate {PAIR} --layers -o {{new:out.onnx}}"),
    ("retype", "", NETWORKS, f"retype {PAIR} -o {{new:out.onnx}}"),
    ("names", "", NETWORKS, f"names {PAIR}"),
    ("names", "--as", DEEP_AND_WIDE, f"names {PAIR} --as layerPrecisions"),
    ("names", "--check", DEEP_AND_WIDE, f"names {PAIR} --check {{names}}"),
    ("names", "--finding", ["cnn"], f"names {PAIR} --finding precision/fp32-left"),
    ("names", "--not", DEEP_AND_WIDE, f"names {PAIR} --not int8"),
    ("names", "--realised", DEEP_AND_WIDE, f"names {PAIR} --realised --as autocast"),
    ("collect", "", ["log"], "collect {new:dir} -- cat {log}"),
    ("collect", "--model", ["log"], "collect {new:dir} --model {model} -- cat {log}"),
    ("collect", "--copy-model", ["log"], "collect {new:dir} --model {model} --copy-model -- cat {log}"),
    ("batch", "", ["list"], "batch {list} -j 1"),
    ("batch", "--jobs", ["list"], "batch {list} --jobs 2"),
    ("batch", "--fail-on", ["list"], "batch {list} -j 1 --fail-on error"),
    ("batch", "--resume", ["list"], ["batch {list} -j 1 -o {new:lines.jsonl}", "batch {list} -j 1 --resume -o {new:lines.jsonl}"]),
]

# Options that several verbs have in common, by the verb that shows them best.
COMMON = [
    *[("diff", f"--format {form}", DEEP_AND_WIDE, f"diff {PAIR} --profile {{profile}} -f {form}") for form in (
        "text", "line", "markdown", "csv", "html", "junit", "sarif", "github", "gitlab", "trace", "dot")],
    *[("compare", f"--format {form}", DEEP_AND_WIDE, f"compare {{model}},{{engine}} {{model}},{{other}} -f {form}") for form in (
        "text", "markdown", "csv", "html", "dot")],
    *[("check", f"--format {form}", ONE, [SNAP, f"check {{new:old.fsd}} {{model}} {{other}} -f {form}"]) for form in (
        "text", "markdown", "junit", "sarif", "github", "gitlab", "html")],
    ("diff", "--output", ONE, f"diff {PAIR} -o {{new:a.json}} -o {{new:b.md}}"),
    ("diff", "--all", NETWORKS, f"diff {PAIR} --all"),
    ("diff", "--budget", DEEP_AND_WIDE, f"diff {PAIR} --budget 1000"),
    ("diff", "--width", ONE, f"diff {PAIR} --all --width 60"),
    ("diff", "--no-side-by-side", DEEP_AND_WIDE, f"diff {PAIR} --all --no-side-by-side"),
    ("diff", "--engine", ["engines"], "diff {log} --engine all -f json"),
    ("diff", "--engine", ["engines"], "diff {log} --engine {n} -f json"),
    ("diff", "--evidence", NETWORKS, f"diff {PAIR} --evidence structure,path,tensor --force -f json"),
    ("diff", "--force", ONE, f"diff {PAIR} --force"),
    ("diff", "--log", ["cnn"], f"diff {PAIR} --log {{log}} -f json"),
    ("diff", "--opt-profile", ["profiles"], "diff {model} {engine} --opt-profile 0 -f json"),
    ("diff", "--part", ["parts"], "diff {model} {parts} -f json"),
    ("diff", "--peak", ONE, f"diff {PAIR} --profile {{profile}} --peak 100,10"),
    ("diff", "--profile", NETWORKS, f"diff {PAIR} --profile {{profile}} -f json"),
    ("diff", "--times", ONE, f"diff {PAIR} --times {{times}}"),
    ("diff", "--shape", ONE, f"diff {PAIR} --shape x=1x4x8"),
    ("diff", "--values", DEEP_AND_WIDE, f"diff {PAIR} --values {{values}} -f json"),
    ("diff", "--values-limit", ONE, f"diff {PAIR} --values {{values}} --values-limit 0.1"),
]

# What nobody builds, but a file may hold: these may take 2^HOSTILE times as much.
TREES = ["tree_kernels", "equal_kernels", "like_kernels", "wide_kernels"]
HOSTILE_ROWS = [
    ("diff", "", TREES, f"diff {PAIR} --force -f github", HOSTILE),
    ("diff", "--evidence", ["wide", "star", "lattice"], f"diff {PAIR} --evidence structure,path --force -f github", HOSTILE),
    ("tensors", "", TREES, f"tensors {PAIR} --force", HOSTILE),
    ("bisect", "", ["equal_kernels"], f"bisect start {PAIR} --force --state {{new:state}}", HOSTILE),
    ("cut", "--context", ["lattice", "star", "fan"], f"cut {PAIR} --layer 0 --context {{n}} -o {{new:part.onnx}}", HOSTILE),
    ("compare", "", ["equal_nodes", "wide", "star"], "compare {model},{engine} {model},{engine} --force -f json", HOSTILE),
    ("lint", "", ["lattice", "star", "equal_nodes", "folded"], "lint {model}", HOSTILE),
    ("patterns", "", ["lattice", "star", "wide"], f"patterns {PAIR} -f json", HOSTILE),
    ("code", "", ["lattice", "star", "folded"], "code {model}", HOSTILE),
    ("annotate", "", ["lattice", "star"], f"annotate {PAIR} -o {{new:out.onnx}}", HOSTILE),
    ("diff", "--engine", ["many_blocks"], f"diff {{engine}} --engine all -f github", HOSTILE),
]
ROWS = VERBS + COMMON + HOSTILE_ROWS

# Why an option, or a verb, has no row: what it does is no work that an input makes.
WITHOUT = {
    "doctor": "reads no input",
    "--help": "reads no input", "--usage": "reads no input", "--version": "reads no input", "--list": "of explain: lists rules",
    "--words": "lists words", "--print-policy": "prints a constant",
    "--color": "adds codes to the text of other rows", "--quiet": "prints less", "--follow": "looks at the links of paths",
    "--max-memory": "sets a limit", "--layout-timeout": "sets a limit; Graphviz lays out", "--confirm": "repeats the user's command",
    "--limit": "sets a limit", "--verify": "runs a builder", "--rows": "reads values of a batch, which are as large as tensors are",
}
# Options that a verb shares with another whose row shows what they do.
SHARED = {("cut", "--values"): "diff", ("bisect", "--values"): "diff", ("stability", "--around"): "compare",
          ("stability", "--only"): "compare", ("lint", "--scale"): "lint --fix"}

# The largest 4n: a limit of the program, or a million nodes.
MOST = {"routes": 200, "parts": 16, "builds": 26, "branches": 200_000, "star": 1_000_000, "equal_nodes": 1_000_000, "folded": 1_000_000}


# ------------------------------------------------------------------------- lists and logs

class Files:
    """What is not one network: each has `model` and what its rows name."""

    def __init__(self, folder, shape, n):
        self.folder, self.n = os.path.join(folder, f"{shape}-{n}"), n
        os.makedirs(self.folder, exist_ok=True)
        getattr(self, shape)()

    def small(self, i=0, blocks=4):
        at = os.path.join(self.folder, f"b{i}")
        os.makedirs(at, exist_ok=True)
        return honest.Build(at, honest.transformer(blocks), "transformer")

    def path(self, name):
        return os.path.join(self.folder, name)

    def log(self):
        """A verbose log of n tenths of a MB."""
        self.model = self.small().model
        self.log = large.write_log(self.path("build.log"), 1, self.n * 100000)

    def engines(self):
        """A log of n builds."""
        self.log = large.write_log(self.path("build.log"), self.n, self.n * 100000)

    def parts(self):
        """A model of 16 blocks for each of n engines, which compute them in turn."""
        build = self.small(0, 4 * self.n)
        self.model = build.model
        self.parts = [word for i in range(self.n) for word in ("--part", build.part(i, self.n))]

    def builds(self):
        """n builds of one network."""
        build = self.small(0, 12)
        self.model, self.builds = build.model, []
        for i in range(self.n):
            layers = [dict(each, TacticValue=f"0x{i % 3:016x}") if k % 7 == i % 7 else each for k, each in enumerate(build.net.layers)]
            self.builds.append(f"{build.model}," + build.write(f"engine{i}.json", build.dump(layers)))

    def routes(self):
        """Builds of one network by n sets of options."""
        build = self.small(0, 6)
        self.model, self.builds = build.model, []
        for i in range(self.n):
            layers = [dict(each, TacticValue=f"0x{i % 3:016x}") if k % 7 == i % 7 else each for k, each in enumerate(build.net.layers)]
            knobs = ",".join(f"k{b}={i >> b & 1}" for b in range(8))
            self.builds.append(build.write(f"{knobs}.json", build.dump(layers)))

    def list(self):
        """A list of n builds, each with a snapshot of its own."""
        build = self.small(0, 8)
        self.list = self.path("pairs.txt")
        with open(self.list, "w", encoding="utf-8") as file:
            for i in range(self.n):
                file.write(f"{build.model}\t{build.engine}\tsnapshot={self.path(f'{i}.fsd')}\n")

    def failed(self):
        """A log whose parser read n nodes before the builder failed."""
        self.model = shapes.write_model(self.folder, shapes.chain_nodes(self.n))
        self.log = self.path("build.log")
        with open(self.log, "w", encoding="utf-8") as file:
            file.write(large.stamped(shapes.parser(self.n)))
            file.write("[01/02/2024-10:00:00] [E] [TRT] 4: [network.cpp::validate::3162] Error Code 4: Internal Error "
                       f"(relu_{self.n // 2}: a dynamic input needs an optimization profile)\n")

    def ort_log(self):
        """ONNX Runtime's form of a model, and a session log of n skipped fusions."""
        self.model, self.engine = shapes.ort(self.folder, 40)
        self.log = self.path("session.log")
        with open(self.log, "w", encoding="utf-8") as file:
            for i in range(self.n):
                file.write(f"2026-01-01 10:00:00.000000 [V:onnxruntime:, graph_transformer.cc:15 Apply] GraphTransformer Pass{i % 9} modified: 0 with status: OK\n"
                           f"2026-01-01 10:00:00.000000 [V:onnxruntime:, skip_layer_norm_fusion.cc:{i % 99} ApplyImpl] node relu_{i % 40} is not supported\n")

    def profiles(self):
        """An engine of two optimization profiles."""
        self.model = shapes.write_model(self.folder, shapes.chain_nodes(self.n))
        layers = [layer for k in range(2) for layer in shapes.chain_layers(self.n, lambda i, k=k: f"relu_{i} [profile {k}]")]
        self.engine = shapes.write_engine(self.folder, layers)


class Plain:
    """A shape of shapes.py: a model and an engine."""

    def __init__(self, folder, shape, n):
        self.folder = os.path.join(folder, f"{shape}-{n}")
        os.makedirs(self.folder, exist_ok=True)
        self.model, self.engine = getattr(shapes, shape)(self.folder, n)[:2]


FIRST_OF_LISTS = {"log": 4, "engines": 4, "parts": 2, "builds": 2, "routes": 8, "list": 4, "ort_log": 500, "profiles": 100, "failed": 200}


def inputs(folder, shape, n):
    return honest.build(folder, shape, n) if shape in NETWORKS else \
        Files(folder, shape, n) if shape in FIRST_OF_LISTS else Plain(folder, shape, n)


def words_of(command, files, at, n):
    """The words of a command, which may be a list of them.
    @param at  the folder of new files"""
    words = []
    for word in command.split() if isinstance(command, str) else command:
        value = None
        if re.fullmatch(r"\{[a-z]+\}", word):
            value = {"n": str(n), "first": getattr(files, "net", None) and files.net.names[0]}.get(word[1:-1]) or getattr(files, word[1:-1])
        if isinstance(value, list):
            words += value
        else:
            words.append(value or re.sub(r"\{(new:)?([a-z.]+)\}", lambda m: os.path.join(at, m[2]) if m[1] else getattr(files, m[2]), word))
    return words
