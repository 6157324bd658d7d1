"""What the tests of pictures share: running the binary, reading DOT and SVG back, and names that
try to break out of both."""
import json
import os
import re
import subprocess
import sys
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "growth"))
import graph
import shapes

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("skipped: no python3-onnx")
    sys.exit(77)

BINARY, SHARED, FUSER, REWRITE = (sys.argv + [None])[1:5]
failures = []

# Where a picture must be laid out, however slow or busy the machine is.
PATIENT = ["--layout-timeout", "3600"]

HOSTILE = [
    'quote " and \'', "ends in \\", "\\N \\G \\T \\l", "line\nbreak\r\n", "bell\x07 esc\x1b[31m",
    "emoji \U0001f600\U0001f1e9", "&amp; &lt;b&gt; &#65; <B>bold</B>", "a]]>b--><!--", "\u202ertl\u200b",
    "%s %n {a|b} <port>", "x" * 20000, "\U0001f600" * 15000, "\\" * 4001, "&" * 999, "cluster_0", "node",
    "]; evil [label=x", "日本語の名前", "-", "0.5", "graph", "]", "]]",
]


def check(what, holds, detail=""):
    print(("ok      " if holds else "FAILED  ") + what + ("" if holds else f" {detail}"))
    if not holds:
        failures.append(what)


def run(*args, status=0):
    done = subprocess.run([BINARY, *args], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        check(" ".join(args)[-120:], False, f"exit {done.returncode}: {done.stderr[-400:]}")
    return done


def late_page(folder, out):
    """A page of which the whole is drawn and little of its parts, however fast the machine is: each of 24 takes
    as long as the whole, and all of them may take four times as long or less."""
    pair, seconds, done = shapes.concat_same_copies(folder, 4000), 0.1, None
    while not done or b'"svg":' not in done.stdout:
        seconds *= 2
        done = run(*pair, "--layout-timeout", str(seconds), "-f", "html")
    with open(out, "wb") as file:
        file.write(done.stdout)
    return done.stderr


def printed(path):
    """What stands in our DOT, a statement a line, as the lines say: texts by node or cluster,
    wires, and by cluster the nodes between its braces."""
    texts, wires, held, open_graphs = {}, [], {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("subgraph "):
                open_graphs.append(line.split()[1])
                held[open_graphs[-1]] = set()
            elif line == "}":
                open_graphs = open_graphs[:-1]
            elif " -> " in line.split("[")[0]:
                wires.append(tuple(line.split("[")[0].split())[::2])
            elif open_graphs and not line.startswith("graph "):
                for name in open_graphs:
                    held[name].add(line.split()[0])
            elif text := re.fullmatch(r'(\w+) \[.*?label=<(.*)> tooltip="([^"]*)"\]', line):
                texts[text.group(1)] = text.groups()[1:]
    return texts, sorted(wires), {n: h for n, h in held.items() if n.startswith("cluster")}


def reads_back(what, path):
    """Graphviz reads of it, without a complaint, what we printed, and writes the same graph."""
    with open(path, "rb") as file:
        dot = file.read()
    if REWRITE:
        done = subprocess.run([REWRITE, path], capture_output=True, check=False, text=True, errors="replace")
        check(f"{what}: cgraph writes the same graph", done.returncode == 0, (done.stdout + done.stderr)[:600])
    texts, wires, clusters = printed(path)
    try:
        read = list(graph.records(dot))
    except ValueError as error:
        check(f"{what}: Graphviz reads it", False, str(error))
        return
    named = {names[0]: pairs for kind, names, pairs, _ in read if kind == "node"}
    check(f"{what}: {len(texts)} boxes and the sides' heads",
          texts and set(named) - set(texts) == {n.removeprefix("cluster_") for n in clusters
                                                if dot.count(f'"side_{n[8:]}"'.encode())})
    check(f"{what}: their labels and tooltips",
          all((named[n].get("label"), named[n].get("tooltip")) == t for n, t in texts.items()))
    check(f"{what}: {len(wires)} lines",
          wires == sorted(names for kind, names, _, _ in read if kind == "edge"))
    check(f"{what}: {len(clusters)} clusters",
          clusters == {names[0]: held for kind, names, _, held in read
                       if kind == "graph" and names[0].startswith("cluster")})


def is_svg(what, path):
    try:
        dom = xml.dom.minidom.parse(path)
    except Exception as error:  # any failure of the parser is a failure of the picture
        check(f"{what}: SVG is XML", False, str(error))
        return None
    check(f"{what}: SVG has selectable text and tooltips",
          dom.getElementsByTagName("text") and dom.getElementsByTagName("a"))
    return dom


def synthetic(folder, *args):
    """A model and its engine, as the fusing simulator makes them of these words."""
    subprocess.run([sys.executable, FUSER, *args, "-o", folder], check=True)
    return os.path.join(folder, "model.onnx"), os.path.join(folder, "engine.json")


def hostile_pair(folder, names=HOSTILE):
    """A chain of Relu nodes with these names, and an engine with a layer for each."""
    nodes, layers, before = [], [], "in"
    shape = {"Dimensions": [1, 4], "Format/Datatype": "Row major linear FP32"}
    for i, name in enumerate(names):
        after = f"t{i}" if i % 2 else name + " out"
        nodes.append(helper.make_node("Relu" if i % 3 else "Sigmoid", [before], [after], name=name))
        layers.append({"Name": name, "LayerType": "PointWiseV2" if i % 4 else name[:300],
                       "Inputs": [{"Name": before, **shape}], "Outputs": [{"Name": after, **shape}],
                       "TacticName": "", "StreamId": 0, "Metadata": f"[ONNX Layer: {name}]"})
        before = after
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 4]) for n in ("in", before)]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", info[:1], info[1:])),
              os.path.join(folder, "hostile.onnx"))
    with open(os.path.join(folder, "hostile.json"), "w", encoding="utf-8") as file:
        json.dump({"Layers": layers, "Bindings": ["in", before]}, file)
    return os.path.join(folder, "hostile.onnx"), os.path.join(folder, "hostile.json")


def finish():
    sys.exit(1 if failures else 0)
