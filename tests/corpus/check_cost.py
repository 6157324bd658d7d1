#!/usr/bin/python3
"""What layers cost, on real engines.

    check_cost.py BINARY SHARED SCHEMA

Expected numbers are those of the profiles, of the shapes in the dumps, and of the public
write-ups that the engines come from.  Exit status 77 when SHARED is absent.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from harness import BINARY, CORPUS, check, failures, read_report, run


def profile_of(case):
    path = os.path.join(CORPUS, case, "profile.json")
    with open(path, encoding="utf-8") as file:
        records = json.load(file)
    runs = next(r["count"] for r in records if "count" in r)
    return path, runs, [r for r in records if "name" in r]



def tensors(text):
    """Tensors of a line of a log's engine block, TensorRT 7 to 8.4.1: NAME[Type(dims)]."""
    found = []
    for name, kind, dims in re.findall(r"(.+?)\[(\w+)\(([-\d,]*)\)\](?:, |$)", text):
        sizes = [int(d) for d in dims.split(",") if d]
        found.append({"Name": name, "Location": "Device",
                      "Dimensions": [d if d >= 0 else -1 for d in sizes],
                      "Format/Datatype": kind})
    return found


def engine_of_log(case, folder):
    """The engine block of a log as a JSON dump, for as long as a path is what is needed."""
    layers = []
    with open(os.path.join(CORPUS, case, "build.log"), encoding="utf-8") as file:
        for line in file:
            m = re.match(r"^Layer\((\w+)\): (.*), Tactic: (-?\w+), (.*) -> (.*)$", line.strip())
            if m:
                kind, name, _, inputs, outputs = m.groups()
                layers.append({"Name": name, "LayerType": kind, "Inputs": tensors(inputs),
                               "Outputs": tensors(outputs)})
    path = os.path.join(folder, f"{case}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"Layers": layers}, file)
    return path


def report(case, engine, *more):
    model = os.path.join(CORPUS, case, "model.onnx")
    text = run(case, model, engine, "-f", "json", *more)
    result = read_report(text) if text else None
    return result


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def check_sums(case, r, runs, entries):
    total = sum(e["timeMs"] for e in entries) / runs
    ms = r["summary"]["ms"]
    layers = sum(l.get("ms", 0) for l in r["layers"])
    check(case, "total is the profile's", near(ms["total"], total), f"{ms['total']} {total}")
    check(case, "layers sum to it", near(layers + ms["elsewhere"], total))
    check(case, "kinds sum to it", near(sum(ms["by_kind"].values()) + ms["elsewhere"], total))
    check(case, "causes sum to it",
          near(sum(ms["by_cause"].values()) + ms["no_cause"] + ms["elsewhere"], total))
    nodes = sum(n.get("ms", 0) for n in r["nodes"])
    check(case, "nodes sum to the layers that have any", near(nodes, ms["nodes"]))
    without = sum(l.get("ms", 0) for l in r["layers"] if not l["nodes"] and "region" not in l)
    check(case, "nodes and layers without nodes sum to it",
          near(nodes + without + ms["elsewhere"], total))
    check(case, "operators sum to the nodes", near(sum(ms["by_op"].values()), nodes))
    by_name = {}
    for e in entries:
        by_name.setdefault(e["name"], []).append(e["timeMs"] / runs)
    found = 0
    for layer in r["layers"]:
        want = by_name.get(layer["name"], [])
        found += bool(want)
        check(case, f"layer {layer['index']} has its time",
              not want or any(near(layer.get("ms", -1), w) for w in want), f"{want}")
    check(case, "nine of ten entries are layers of that name", 10 * found >= 9 * len(entries),
          f"{found} of {len(entries)}")
    check(case, "there is something to sum", total > 0 and nodes > total / 2, f"{nodes} {total}")


def names(r):
    return {n["index"]: n["name"] for n in r["nodes"]}


def check_views(case, engine, r, profile):
    model = os.path.join(CORPUS, case, "model.onnx")
    args = (model, engine, "--profile", profile, "-f", "json")
    view = json.loads(run(case, "reformats", *args))
    shown = sum(x.get("ms", 0) for x in view["reformats"])
    check(case, "reformats sum to what is listed", near(shown, view["ms"]))
    movers = {l["index"] for l in r["layers"] if "edge" in l}
    check(case, "every mover is listed once", sorted(movers) ==
          sorted(x["layer"] for x in view["reformats"] + view["free"]))
    check(case, "worst first", all(a["ms"] >= b["ms"] for a, b in
                                   zip(view["reformats"], view["reformats"][1:])))
    top = json.loads(run(case, "reformats", *args, "--top", "1"))
    check(case, "--top leaves the rest out, and says so",
          len(top["reformats"]) == min(1, len(view["reformats"])) and
          top["left_out"] == len(view["reformats"]) - len(top["reformats"]) and
          near(top["ms"] + top["left_out_ms"], view["ms"]))
    check(case, "what reformats lists and what is free is what movers take",
          near(view["ms"] + sum(x.get("ms", 0) for x in view["free"]),
               sum(l.get("ms", 0) for l in r["layers"] if "edge" in l)))
    for depth in ("1", "2", "9"):
        scopes = json.loads(run(case, "scopes", *args, "--depth", depth))
        check(case, f"scopes at depth {depth} sum to the total",
              near(sum(s["ms"] + s["reformat_ms"] for s in scopes["scopes"]) +
                   scopes["rest_ms"], scopes["total_ms"]))
        check(case, f"movers at depth {depth} are those of reformats",
              sum(s["reformats"] for s in scopes["scopes"]) <= len(view["reformats"]) and
              (scopes["rest_ms"] > 0 or near(sum(s["reformat_ms"] for s in scopes["scopes"]),
                                             view["ms"])), f"{scopes}")


def check_json_engines():
    checked = 0
    for case in sorted(os.listdir(CORPUS)):
        engine = os.path.join(CORPUS, case, "engine.graph.json")
        if os.path.exists(engine) and os.path.exists(os.path.join(CORPUS, case, "profile.json")):
            path, runs, entries = profile_of(case)
            r = report(case, engine, "--profile", path)
            check_sums(case, r, runs, entries)
            check_views(case, engine, r, path)
            checked += 1
            print(f"  {case}: {r['summary']['ms']['total']:.4f} ms, "
                  f"moved {sum(l.get('ms', 0) for l in r['layers'] if 'edge' in l):.4f} ms")


    check("all", "six pairs have a dump and a profile", checked == 6, f"{checked}")


def names_only(engine, folder):
    with open(engine, encoding="utf-8") as file:
        layers = [layer["Name"] for layer in json.load(file)["Layers"]]
    path = os.path.join(folder, "names.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"Layers": layers}, file)
    return path


def check_names_only(folder):
    """What is said of a Reformat by its name alone is what the whole dump says."""
    said = causes = 0
    for case in sorted(os.listdir(CORPUS)):
        engine = os.path.join(CORPUS, case, "engine.graph.json")
        if not os.path.exists(engine) or not os.path.exists(os.path.join(CORPUS, case,
                                                                         "model.onnx")):
            continue
        whole, bare = report(case, engine), report(case, names_only(engine, folder))
        for a, b in zip(whole["layers"], bare["layers"]):
            if not b["name"].startswith("Reformatting") or "edge" not in b:
                continue
            if "tensor" in b["edge"]:
                said += 1
                # a quantizer's input and output are one edge to the engine
                check(case, f"edge of {b['name']}", a["edge"].get("producer") ==
                      b["edge"].get("producer"), f"{a['edge']} {b['edge']}")
            if b.get("cause") != "unknown":
                causes += 1
                check(case, f"cause of {b['name']}", b.get("cause") == a.get("cause") or
                      a.get("cause") == "free", f"{a.get('cause')} {b.get('cause')}")
    check("all", "some edges are known by names", said > 3 and causes > 0, f"{said} {causes}")
    print(f"  names alone: {said} edges, {causes} causes")


def findings(r, rule):
    return [f for f in r["findings"] if f["rule"] == rule]


def check_qat():
    case = "resnet18-qat-trt8.4"
    r = report(case, os.path.join(CORPUS, case, "engine.graph.json"),
               "--profile", os.path.join(CORPUS, case, "profile.json"))
    name = names(r)
    edges = {}
    for layer in r["layers"]:
        if layer["kind"] == "quantize":
            edges[layer["name"]] = (name.get(layer["edge"].get("producer")),
                                    [(name.get(x.get("node")), x.get("input"))
                                     for x in layer["edge"]["readers"]])
    # The exporter's numbering: Relu_k is followed by its Q, and Conv by number.
    want = {"QuantizeLinear_2": (None, [("Conv_9", 0)]),
            "QuantizeLinear_15": ("MaxPool_12", [("Conv_22", 0)]),
            "QuantizeLinear_40": ("Relu_37", [("Conv_47", 0)]),
            "QuantizeLinear_65": ("Relu_62", [("Conv_72", 0), ("Conv_95", 0)]),
            "QuantizeLinear_101": ("Relu_98", [("Conv_108", 0)]),
            "QuantizeLinear_126": ("Relu_123", [("Conv_133", 0), ("Conv_156", 0)]),
            "QuantizeLinear_162": ("Relu_159", [("Conv_169", 0)]),
            "QuantizeLinear_187": ("Relu_184", [("Conv_194", 0), ("Conv_217", 0)]),
            "QuantizeLinear_223": ("Relu_220", [("Conv_230", 0)]),
            "QuantizeLinear_250": ("GlobalAveragePool_246", [("Gemm_257", 0)])}
    check(case, "10 standing quantizers with their edges", edges == want, f"{edges}")
    islands = [[name[n] for n in f["nodes"]] for f in findings(r, "precision/island")]
    check(case, "the residuals of the four stages are islands", islands == [
        ["MaxPool_12", "Add_36", "Relu_37", "Add_61", "Relu_62"],
        ["Add_97", "Relu_98", "Add_122", "Relu_123"],
        ["Add_158", "Relu_159", "Add_183", "Relu_184"],
        ["Add_219", "Relu_220", "Add_244", "Relu_245", "GlobalAveragePool_246"]], f"{islands}")
    # 32 x 64 x 112 x 112 outputs of 3 x 7 x 7
    check(case, "multiply-adds of the first convolution",
          r["layers"][1]["macs"] == 32 * 64 * 112 * 112 * 3 * 49)
    # int8 chw4: 3 channels take 4; fp32 out; 9408 weights
    check(case, "bytes of the first convolution", r["layers"][1]["bytes"] ==
          32 * 4 * 224 * 224 + 4 * 32 * 64 * 112 * 112 + 9408)


def check_qat_residual():
    case = "resnet18-qat-residual-trt8.4"
    r = report(case, os.path.join(CORPUS, case, "engine.graph.json"),
               "--profile", os.path.join(CORPUS, case, "profile.json"))
    name = names(r)
    layer = next(l for l in r["layers"] if l["name"] == "DequantizeLinear_291")
    readers = [(name[x["node"]], x["input"]) for x in layer["edge"]["readers"]]
    check(case, "DequantizeLinear_291 feeds the last residual", readers == [("Add_292", 1)],
          f"{readers}")
    standing = {name[f["nodes"][0]]: r["layers"][f["layers"][0]]["ms"]
                for f in findings(r, "quantize/standing")}
    check(case, "it costs the most of those standing inside the network",
          max(standing, key=standing.get) == "DequantizeLinear_291", f"{standing}")
    islands = findings(r, "precision/island")
    check(case, "one island, entered there", len(islands) == 1 and
          islands[0]["facts"]["entry"] == "DequantizeLinear_291", f"{islands}")
    case = "resnet18-qat-residual-qgap-trt8.4"
    r = report(case, os.path.join(CORPUS, case, "engine.graph.json"))
    check(case, "silent apart from the network input",
          [f["rule"] for f in r["findings"]] == ["quantize/at-input"], f"{r['findings']}")


def log_or_json(case, folder):
    """The log itself once the program reads it, else its engine block as JSON."""
    log = os.path.join(CORPUS, case, "build.log")
    model = os.path.join(CORPUS, case, "model.onnx")
    done = subprocess.run([BINARY, model, log], capture_output=True, check=False)
    return log if done.returncode == 0 else engine_of_log(case, folder)


def check_mobilenet(folder):
    case = "mobilenetv2-fpn-int8-trt8.5"
    path, runs, entries = profile_of(case)
    engine = log_or_json(case, folder)
    r = report(case, engine, "--profile", path)
    if not r:
        return
    by_name = {l["name"]: l for l in r["layers"]}
    conv = by_name["Conv_0 + PWN(Clip_3)"]
    check(case, "bytes of Conv_0", conv["bytes"] == 4326240, f"{conv['bytes']}")
    check(case, "its bias apart", conv.get("bias_bytes") == 32 * 4, f"{conv.get('bias_bytes')}")
    add = by_name["PWN(Add_133)"]
    check(case, "bytes of Add_133", add["bytes"] == 589824, f"{add['bytes']}")
    check_sums(case, r, runs, entries)
    check_views(case, engine, r, path)
    zero = [e["name"] for e in entries if e["timeMs"] == 0 and e["name"].startswith("Reformatting")]
    causes = {by_name[n].get("cause") for n in zero}
    check(case, f"{len(zero)} Reformats of 0 ms are free", len(zero) > 20 and causes == {"free"},
          f"{causes}")
    copies = [l for l in r["layers"] if l.get("cause") == "concat"]
    ms = sum(l["ms"] for l in copies) * runs
    check(case, "8 concat copies", len(copies) == 8 and round(ms, 2) == 39.63,
          f"{len(copies)} {ms}")
    alarms = [f for f in r["findings"] if f["severity"] != "info" and
              any(r["layers"][i]["name"] in zero for i in f["layers"])]
    check(case, "free layers alarm nobody", not alarms, f"{alarms}")
    print(f"  {case}: {len(r['layers'])} layers, copies {ms:.2f} ms over {runs} runs")


def check_centernet(folder):
    case = "centernet-resnet34-qat-trt8.0"
    path, runs, entries = profile_of(case)
    r = report(case, log_or_json(case, folder), "--profile", path)
    if not r:
        return
    check_sums(case, r, runs, entries)
    causes = {l["name"]: l.get("cause") for l in r["layers"]
              if l["name"].startswith("Reformatting CopyNode")}
    outputs = [n for n in causes if re.search(r" to (hm|wh|reg)\.2\.weight", n)]
    check(case, "three output Reformats have cause io",
          len(outputs) == 3 and {causes[n] for n in outputs} == {"io"}, f"{causes}")
    pool = causes.get("Reformatting CopyNode for Output Tensor 0 to MaxPool_12")
    check(case, "the MaxPool's has a cause", pool == "layout", f"{pool}")
    print(f"  {case}: {causes}")


def check_misfits():
    case = "resnet18-qat-trt8.4"
    model, engine = (os.path.join(CORPUS, case, f) for f in ("model.onnx", "engine.graph.json"))
    for other in ("resnet18-fp16-trt8.4", "resnet18-fp32-trt8.4", "resnet18-qat-residual-trt8.4"):
        path, _, entries = profile_of(other)
        said = run(case, model, engine, "--profile", path, status=2)
        check(case, f"the profile of {other} is refused with both counts",
              " 37 layers" in said and f" {len(entries)} layers" in said, said)
        run(case, model, engine, "--profile", path, "--force")
    path, _, _ = profile_of("resnet18-fp32-trt8.4")
    case = "resnet18-fp16-trt8.4"
    model, engine = (os.path.join(CORPUS, case, f) for f in ("model.onnx", "engine.graph.json"))
    run(case, model, engine, "--profile", path, status=2)


def check_memory():
    """The figures of a public write-up, from both verbs that show them."""
    case = "mobilenetv2-fpn-int8-trt8.5"
    pair = [os.path.join(CORPUS, case, f) for f in ("model.onnx", "build.log")]
    memory = json.loads(run(case, "memory", *pair, "-f", "json"))["layers"]
    top = json.loads(run(case, "top", *pair, "--all", "-f", "json"))["items"]
    for name, parts in {"Conv_0 + PWN(Clip_3)": (1179648, 864, 3145728),
                        "PWN(Add_133)": (393216, 0, 196608)}.items():
        printed = next(layer for layer in memory if layer["name"] == name)
        ranked = next(item for item in top if item["name"] == name)
        check(case, f"bytes of {name}", (printed["in"], printed["weights"], printed["out"]) == parts, printed)
        check(case, f"all bytes of {name}", printed["bytes"] == sum(parts) == ranked["bytes"], printed)


def main():
    if not os.path.isdir(CORPUS):
        print(f"{CORPUS} is absent")
        return 77
    check_json_engines()
    check_qat()
    check_qat_residual()
    with tempfile.TemporaryDirectory() as folder:
        check_names_only(folder)
        check_mobilenet(folder)
        check_centernet(folder)
    check_misfits()
    check_memory()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
