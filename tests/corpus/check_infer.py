"""Engines in which no name is the model's (match/infer.c): each dump of the corpus with all its names replaced, held
against the map that its names give.  No link may be another one; models of other networks are refused; the dump of
Torch-TensorRT's ResNet-18 is mapped to the ResNet-18 of another exporter.
"""
import json
import os
import sys
import tempfile

from harness import CORPUS, check, failures, pairs, start

# By case: the share of its links that has to be found.  Quantizers are found only where they do not stand in a row.
LEAST = {"mnist-trt10.16": .3, "mobilenetv2-fp32-trt10": .95, "resnet18-fp16-trt10": .95, "resnet18-fp16-trt8.4": .95,
         "resnet18-fp32-trt8.4": .95, "resnet18-qat-residual-qgap-trt8.4": .7, "resnet18-qat-residual-trt8.4": .65,
         "resnet18-qat-trt8.4": .45}


def opaque(path):
    """The dump with names that nobody gave; a Reformat keeps the words by which it is one."""
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    names = {}
    for i, layer in enumerate(dump["Layers"]):
        if isinstance(layer, str):
            return None
        moves = layer["Name"].startswith("Reformatting CopyNode")
        layer["Name"] = f"Reformatting CopyNode for Input Tensor 0 to q{i}" if moves else f"q{i}"
        layer.pop("Metadata", None)
        for port in layer["Inputs"] + layer["Outputs"]:
            port["Name"] = names.setdefault(port["Name"], f"v{len(names)}")
    if "Bindings" in dump:
        dump["Bindings"] = [names.get(name, name) for name in dump["Bindings"]]
    return json.dumps(dump)


def links(model, engine):
    """By layer its nodes; None: refused."""
    done = start(model, engine, "-f", "json", "-q")
    return None if done.returncode else [{link["index"] for link in layer["nodes"]} for layer in json.loads(done.stdout)["layers"]]


def network(case):
    return case.split("-")[0]


def main():
    all_pairs = [(case, model, engine) for case, model, engine in pairs() if case in LEAST]
    right = known = 0
    with tempfile.TemporaryDirectory() as folder:
        for case, model, engine in all_pairs:
            renamed = os.path.join(folder, f"{case}.json")
            with open(renamed, "w", encoding="utf-8") as file:
                file.write(opaque(engine))
            truth, found = links(model, engine), links(model, renamed)
            check(case, "it is mapped", found is not None)
            if found is None:
                continue
            check(case, "no other links", all(b <= a for a, b in zip(truth, found)), [b - a for a, b in zip(truth, found) if b - a])
            n, of = sum(map(len, found)), sum(map(len, truth))
            check(case, "links found", n >= LEAST[case] * of, f"{n} of {of}")
            right, known = right + n, known + of
            for other, wrong, _ in all_pairs:
                if network(other) != network(case):
                    check(case, f"the model of {other} is refused", links(wrong, renamed) is None)
        model = os.path.join(CORPUS, "resnet18-fp16-trt10/model.onnx")
        found = links(model, os.path.join(CORPUS, "torch-tensorrt-resnet18/engine.graph.json"))
        check("torch-tensorrt-resnet18", "48 nodes in 23 layers", found and (sum(map(len, found)), sum(map(bool, found))) == (48, 23), found)
    print(f"{right} of {known} links of {len(all_pairs)} engines without names, {len(failures)} failures")
    return 1 if failures or len(all_pairs) != len(LEAST) else 0


sys.exit(main())
