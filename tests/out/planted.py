#!/usr/bin/env python3
"""planted.py BINARY FIXTURES [SEED [RUNS]]: secrets in every text that a model, an engine or a file beside them can hold.

Each text of the inputs, by turns, is replaced by a secret or gets one before or behind it; no file of a report that
`issue --anonymize` writes may hold a secret.  Without RUNS each text is planted once."""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto as T
from onnx import helper as h

failures = 0
DIGITS = "bcdfghjklm"


def secret(number):
    """A word that no dump, model or report has: letters alone, which nothing takes for a counter."""
    return "zq" + "".join(DIGITS[int(c)] for c in f"{number:03}") + "qx"


SECRET = re.compile(rb"zq[bcdfghjklm]{3,}qx", re.I)


def info(name, sizes):
    return h.make_tensor_value_info(name, T.FLOAT, sizes)


def weight(name, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return h.make_tensor(name, T.FLOAT, sizes, [0.5] * count)


def add_newer(message, number, key=None):
    """A text, or an entry of metadata, in a field that Debian's onnx, or ONNX, does not know yet."""
    text = secret(900 + number).encode()
    data = bytes([10, len(text)]) + text + bytes([18, len(text)]) + text if key else text
    message.MergeFromString(bytes([(number << 3 | 2) & 0x7f | (0x80 if number > 15 else 0)]) + (b"\x01" if number > 15 else b"")
                            + bytes([len(data)]) + data)


def model():
    """One of each message of ONNX that holds a text."""
    body = h.make_function("com.acme", "AcmeBlock", ["fin"], ["fout"],
                           [h.make_node("LeakyRelu", ["fin"], ["fout"], name="fnode", alpha=0.25)],
                           [h.make_opsetid("", 17)], ["acme_factor"], doc_string="fdoc")
    then, other = (h.make_graph([h.make_node("Identity", ["pooled"], [name], name=name + "_node")], name, [],
                                [info(name, ["N", 4, 8, 8])]) for name in ("branch_a", "branch_b"))
    nodes = [h.make_node("Conv", ["image", "kernel"], ["conved"], name="stem/conv", pads=[1, 1, 1, 1]),
             h.make_node("Relu", ["conved"], ["active"], name="stem/relu"),
             h.make_node("AcmeBlock", ["active"], ["blocked"], name="block", domain="com.acme", acme_factor=2.0),
             h.make_node("AcmePlugin", ["blocked"], ["plugged"], name="plug", domain="acme.plugins", acme_text="text",
                         acme_list=["one", "two"], acme_number=3),
             h.make_node("MaxPool", ["plugged"], ["pooled"], name="pool", kernel_shape=[1, 1], auto_pad="SAME_UPPER"),
             h.make_node("Constant", [], ["flag"], name="flag_node", value=h.make_tensor("flag_value", T.BOOL, (), [True])),
             h.make_node("Constant", [], ["word"], name="word_node", value_string="word_text"),
             h.make_node("If", ["flag"], ["chosen"], name="choice", then_branch=then, else_branch=other),
             h.make_node("Add", ["chosen", "bias"], ["result"], name="last")]
    for node in nodes:
        node.doc_string = "ndoc"
        add_newer(node, 9, True)
        add_newer(node, 29)
    weights = [weight("kernel", 4, 3, 3, 3), weight("bias", 4, 1, 1)]
    weights[0].doc_string = "wdoc"
    add_newer(weights[0], 16, True)
    add_newer(weights[0], 30)
    graph = h.make_graph(nodes, "graph", [info("image", ["N", 3, 8, 8])], [info("result", ["N", 4, 8, 8])], weights,
                         doc_string="gdoc", value_info=[info("active", ["N", 4, 8, 8])])
    graph.input[0].doc_string = "idoc"
    graph.input[0].type.denotation = "IMAGE"
    graph.input[0].type.tensor_type.shape.dim[1].denotation = "DATA_CHANNEL"
    add_newer(graph, 16, True)
    add_newer(graph.input[0], 4, True)
    note = graph.quantization_annotation.add(tensor_name="active")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="bias")
    proto = h.make_model(graph, opset_imports=[h.make_opsetid(*s) for s in (("", 17), ("com.acme", 1), ("acme.plugins", 1))],
                         functions=[body], ir_version=10, domain="model.domain", doc_string="mdoc", producer_name="pytorch",
                         producer_version="2.1")
    proto.metadata_props.add(key="mkey", value="mvalue")
    return proto


def layer(name, kind, reads, writes, form="Row major linear FP32", **more):
    def ports(names):
        return [{"Name": n, "Location": "Device", "Dimensions": [1, 4, 8, 8], "Format/Datatype": form} for n in names]
    return {"Name": name, "LayerType": kind, "Inputs": ports(reads), "Outputs": ports(writes), "StreamId": 0, **more}


def dump():
    return {"Layers": [
        layer("stem/conv + stem/relu", "CaskConvolution", ["image"], ["active"], ParameterType="Convolution", Bias={"Type": "Float",
              "Count": 4}, Activation="RELU", TacticName="sm86_xmma_fprop_implicit_gemm", TacticValue="0x00000000000003ea",
              Metadata="[ONNX Layer: stem/conv]\x1e[ONNX Layer: stem/relu]", Fresh="unknown", Deep={"Key": ["a", {"b": "c"}]}),
        layer("Reformatting CopyNode for Input Tensor 0 to block", "Reformat", ["active"], ["Reformatted Input Tensor 0 to block"],
              ParameterType="Reformat", Origin="REFORMAT", TacticName="0x0", Metadata=""),
        layer("PWN(block)", "PointWiseV2", ["Reformatted Input Tensor 0 to block"], ["blocked"], ParameterType="PointWise",
              ParameterSubType="PointWiseExpression", NbOperations=1, Operations=["auto const y = max(arg0, 0.0);"],
              TacticName="__myl_MulAdd_0x6b24169dfd4ad585", Metadata="[ONNX Layer: block]"),
        layer("plug", "PluginV2", ["blocked"], ["plugged"], ParameterType="PluginV2", PluginType="AcmePlugin", Metadata=""),
        layer("pool", "TiledPooling", ["plugged"], ["pooled"], PoolingType="MAX", ParameterType="Pooling",
              Metadata="[ONNX Layer: pool | layer doc]"),
        layer("last", "ElementWise", ["pooled"], ["result"], ParameterType="ElementWise", Origin="CAST", Metadata="[ONNX Layer: last]")],
        "Bindings": ["image", "result"], "Builder": "unknown", "TensorRT Version": "10.1"}


def texts_of_message(message, path=()):
    """(path, holder, field, index) of each text in the message, an absent one among them."""
    for field in message.DESCRIPTOR.fields:
        name = path + (field.name,)
        many = field.label == field.LABEL_REPEATED
        if field.type == field.TYPE_MESSAGE:
            if many:
                for part in getattr(message, field.name):
                    yield from texts_of_message(part, name)
            elif message.HasField(field.name):
                yield from texts_of_message(getattr(message, field.name), name)
        elif field.type == field.TYPE_STRING or (field.type == field.TYPE_BYTES and field.name in ("s", "strings")):
            for index in range(len(getattr(message, field.name))) if many else (None,):
                yield name, message, field, index


def text_at(holder, field, index):
    value = getattr(holder, field.name) if index is None else getattr(holder, field.name)[index]
    return value.decode() if isinstance(value, bytes) else value


def put_text(holder, field, index, text):
    value = text.encode() if field.type == field.TYPE_BYTES else text
    if index is None:
        setattr(holder, field.name, value)
    else:
        getattr(holder, field.name)[index] = value


def texts_of_json(value, path=()):
    """The path of each key and each text."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield path + (key,), True
            yield from texts_of_json(part, path + (key,))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from texts_of_json(part, path + (at,))
    elif isinstance(value, str):
        yield path, False


def planted(value, path, is_key, change):
    """A copy with one text of it changed, or one key more."""
    out = copy.deepcopy(value)
    at = out
    for step in path[:-1]:
        at = at[step]
    if is_key:
        at[change(path[-1])] = change("value")
    else:
        at[path[-1]] = change(at[path[-1]])
    return out


class Test:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.runs, self.secrets, self.part = binary, pathlib.Path(folder), 0, 0, 0

    def change(self, how):
        """Puts a secret into a text."""
        def put(text):
            word = secret(self.secrets % 1000)
            self.secrets += 1
            return {"replace": word, "before": word + "_" + text, "behind": text + "." + word, "within": text[:len(text) // 2]
                    + word.capitalize() + text[len(text) // 2:], "blank": text + " " + word}[how]
        return put

    def issue(self, what, *words, allowed=(0,)):
        global failures
        report = self.folder / f"report{self.runs}"
        self.runs += 1
        ran = subprocess.run([self.binary, "issue", *map(str, words), "-o", report, "--anonymize", "--names",
                              self.folder / "names.json"], capture_output=True, check=False)
        if ran.returncode not in allowed:
            failures += 1
            print(f"FAILED {what}: status {ran.returncode}: {ran.stderr.decode()[:300]}")
        for path in sorted(report.iterdir()) if report.exists() else ():
            data = path.read_bytes()
            self.part += path.name == "part.onnx"
            for found in list(dict.fromkeys(SECRET.findall(data)))[:3]:
                failures += 1
                at = data.index(found)
                print(f"FAILED {what}: {found.decode()} is in {path.name}: {data[max(at - 60, 0):at + 40]!r}")
            path.unlink()

    def pair(self, proto, engine, name="model"):
        model_path, engine_path = (self.folder / f"{name}.{end}" for end in ("onnx", "json"))
        model_path.write_bytes(proto.SerializeToString())
        engine_path.write_text(json.dumps(engine), encoding="utf-8")
        return model_path, engine_path

    def ask(self, what, paths, *more):
        """The whole of it, a layer, and what the program selects."""
        for words in (["--node", "*", "--layer", "*"], []):
            self.issue(f"{what} {' '.join(words)}", *paths, "--force", *words, *more, allowed=(0, 2))


def named(proto, engine):
    """Every name has a secret, the same on both sides."""
    new = {}
    for path, holder, field, index in list(texts_of_message(proto)):
        text = text_at(holder, field, index)
        if text and path[-1] in ("name", "input", "output", "dim_param", "tensor_name", "value", "key") and "opset" not in path[0]:
            if path[-2:] == ("attribute", "name") or path[-2:-1] == ("quant_parameter_tensor_names",) and path[-1] == "key":
                continue
            new.setdefault(text, f"acme/{secret(len(new) + 100)}.{text}")
            put_text(holder, field, index, new[text])
    old = sorted((text for text in new if len(text) > 2), key=len, reverse=True)
    swapped = re.compile("|".join(rf"(?<![\w/]){re.escape(text)}(?![\w/])" for text in old))

    def rename(value, key=None):
        if isinstance(value, dict):
            return {k: rename(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [rename(v, key) for v in value]
        return swapped.sub(lambda m: new[m.group()], value) if key in ("Name", "Metadata", "Bindings") else value
    return proto, rename(engine)


def in_models(test, rng, runs):
    """Each text of the model alone, and what the report is asked for differs."""
    engine, count = dump(), len(list(texts_of_message(model())))
    for at in sorted(rng.sample(range(count), min(runs, count))):
        for how in ("replace", "behind") if runs >= count else (rng.choice(("replace", "behind", "before")),):
            proto = model()
            path, holder, field, index = list(texts_of_message(proto))[at]
            text = text_at(holder, field, index)
            if path[-1] == "ref_attr_name":
                continue
            put_text(holder, field, index, test.change(how)(text))
            test.ask(f"model {'.'.join(path)} {text!r} {how}", test.pair(proto, engine))


def in_engines(test, rng, runs):
    proto, engine = model(), dump()
    places = list(texts_of_json(engine))
    for path, is_key in rng.sample(places, min(runs, len(places))):
        hows = ("replace", "before", "behind", "within", "blank")
        for how in hows if runs >= len(places) else (rng.choice(hows),):
            test.ask(f"engine {path} {how}", test.pair(proto, planted(engine, path, is_key, test.change(how))))


def in_names(test, *_):
    """All names at once; two builds; a file and a folder that have names, too."""
    proto, engine = named(model(), dump())
    folder = test.folder / secret(1)
    folder.mkdir()
    kept, test.folder = test.folder, folder
    paths = test.pair(proto, engine, secret(2))
    test.ask("names", paths)
    test.ask("names", paths, "--no-weights")
    test.ask("names", paths, "--group", "layer:2")
    split = copy.deepcopy(engine)
    first, conved = split["Layers"][0], proto.graph.node[0].output[0]
    second = copy.deepcopy(first)
    first["Name"], second["Name"] = proto.graph.node[0].name, proto.graph.node[1].name
    first["Metadata"], second["Metadata"] = first["Metadata"].split("\x1e")
    first["Outputs"][0]["Name"] = second["Inputs"][0]["Name"] = conved
    split["Layers"].insert(1, second)
    other = test.pair(proto, split, secret(3))
    for words in ([], ["--node", "*"]):
        test.issue(f"two builds {words}", ",".join(map(str, paths)), ",".join(map(str, other)), *words)
    test.issue("an engine alone", paths[1], "--layer", "*")
    cyclic = copy.deepcopy(proto)
    cyclic.graph.node[1].output[0] = cyclic.graph.node[0].output[0]
    broken = test.pair(cyclic, engine, secret(4))
    test.ask("two producers of a tensor", broken)
    test.folder = kept


def in_files(test, rng, runs):
    """Columns and names of numbers, profiles, logs, policies."""
    proto, engine = named(model(), dump())
    paths = test.pair(proto, engine)
    tensors = [node.output[0] for node in proto.graph.node]
    table = test.folder / "numbers.csv"
    table.write_text(f"name,{secret(5)},rel {secret(6)}\n" + "".join(f"{t},0.5,1\n" for t in [*tensors, secret(7)]), encoding="utf-8")
    test.ask("values", paths, "--values", table)
    rows = test.folder / f"{secret(8)}.json"
    rows.write_text(json.dumps([{"name": t, secret(9): 0.5} for t in tensors]), encoding="utf-8")
    test.ask("values", paths, "--values", rows)
    profile = test.folder / f"{secret(10)}.profile.json"
    profile.write_text(json.dumps([{"count": 9}, *({"name": each["Name"], "timeMs": 9, "averageMs": 1, "percentage": 10,
                                                     secret(11): secret(12)} for each in engine["Layers"])]), encoding="utf-8")
    test.ask("profile", paths, "--profile", profile)


def in_logs(test, rng, runs, fixtures):
    """Each text of lines of real logs, alone and beside an engine."""
    logs = sorted((fixtures / "log").glob("*.log"))
    proto, engine = model(), dump()
    paths = test.pair(proto, engine)
    for path in rng.sample(logs, min(runs, len(logs))):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        words = [(i, m.span()) for i, line in enumerate(lines[:4000]) for m in re.finditer(r"(?<= )[\w./:-]+", line)]
        for how in ("replace", "behind", "within"):
            chosen = sorted(rng.sample(words, min(len(words), max(len(words) // 4, 1))), reverse=True)
            spoiled = list(lines)
            for i, (a, b) in chosen:
                spoiled[i] = spoiled[i][:a] + test.change(how)(spoiled[i][a:b]) + spoiled[i][b:]
            log = test.folder / "build.log"
            log.write_text("\n".join(spoiled), encoding="utf-8")
            test.issue(f"log {path.name} {how}", *paths, "--force", "--log", log, "--node", "*", "--layer", "*", allowed=(0, 1, 2))
            test.issue(f"log {path.name} {how} alone", log, "--layer", "*", "--force", allowed=(0, 1, 2))


def covers():
    """The model has each text that onnx knows of its messages."""
    seen = {(holder.DESCRIPTOR.name, field.name) for _, holder, field, _ in texts_of_message(model())}
    for name in ("ModelProto", "GraphProto", "NodeProto", "AttributeProto", "TensorProto", "ValueInfoProto", "FunctionProto",
                 "OperatorSetIdProto", "StringStringEntryProto", "TensorAnnotation"):
        for field in getattr(onnx, name).DESCRIPTOR.fields:
            if field.type == field.TYPE_STRING and (name, field.name) not in seen:
                yield f"no model here has a text in {name}.{field.name}"


def main():
    binary, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
    seed, runs = (int(sys.argv[3]) if len(sys.argv) > 3 else 1, int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 30)
    rng = random.Random(seed)
    absent = list(covers())
    print("\n".join(absent))
    with tempfile.TemporaryDirectory() as folder:
        test = Test(binary, folder)
        in_names(test)
        in_files(test, rng, runs)
        in_models(test, rng, runs)
        in_engines(test, rng, runs)
        in_logs(test, rng, runs, fixtures)
        print(f"{test.runs} reports, {test.part} of them with a model, {test.secrets} secrets planted alone, {failures} failures")
        return bool(absent) or failures > 0 or not test.part


if __name__ == "__main__":
    sys.exit(main())
