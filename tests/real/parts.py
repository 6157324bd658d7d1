"""parts.py BINARY FOLDER: models cut into three by onnx's own extractor, an engine of each cut, and all three as one build:
each node must be in the engine of its cut, none outside, and what crosses must be what the cut was made at."""
import json
import os
import subprocess
import sys

import check
import models
import onnx
from onnx.utils import Extractor

CUT = ("residual", "branches", "squeezed")


def border_tensors(proto):
    """Places where one tensor is all that the nodes behind read of the nodes before, by the place in the file."""
    constants = {t.name for t in proto.graph.initializer} | {t.name for t in proto.graph.input}
    alive, found = {}, []
    last = {name: i for i, node in enumerate(proto.graph.node) for name in node.input}
    for i, node in enumerate(proto.graph.node):
        alive.update({name: last[name] for name in node.output if name in last})
        alive = {name: end for name, end in alive.items() if end > i and name not in constants}
        if len(alive) == 1 and node.op_type != "Constant":
            found.append((i, next(iter(alive))))
    return found


def nodes_of(folder, part):
    return {output for node in onnx.load(os.path.join(folder, f"{part}.onnx")).graph.node for output in node.output}


def cut(proto, folder):
    """Writes the model and its three parts; the tensors that were cut at."""
    places = border_tensors(proto)
    if len(places) < 3:
        return None
    tensors = [places[len(places) // 3][1], places[2 * len(places) // 3][1]]
    os.makedirs(folder, exist_ok=True)
    proto = onnx.shape_inference.infer_shapes(proto)
    onnx.save(proto, os.path.join(folder, "model.onnx"))
    cutter, reads = Extractor(proto), [i.name for i in proto.graph.input]
    for part, writes in enumerate(([tensors[0]], [tensors[1]], [o.name for o in proto.graph.output])):
        onnx.save(cutter.extract_model(reads, writes), os.path.join(folder, f"{part}.onnx"))
        reads = writes
    return tensors


def ask(binary, *words):
    done = subprocess.run([binary, *words, "-f", "json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def hold(binary, name, folder):
    tensors = cut(models.MODELS[name](), folder)
    check.check(tensors is not None and tensors[0] != tensors[1], f"{name} can be cut into three")
    if tensors is None:
        return 0
    words = [os.path.join(folder, "model.onnx")]
    for part in range(3):
        case = os.path.join(folder, f"engine{part}")
        os.makedirs(case, exist_ok=True)
        check.check(check.build(case, os.path.join(folder, f"{part}.onnx"), [os.path.join(check.HERE, "build.py")]),
                    f"{name}, part {part} is built")
        words += ["--part", os.path.join(case, "build.log")]
    report, truth = ask(binary, *words), [nodes_of(folder, part) for part in range(3)]
    for node in report["nodes"]:
        cuts = [part for part in range(3) if node["outputs"][0]["name"] in truth[part]]
        check.check(node["fate"] == "dead" or node.get("part") in cuts, f"{name}: {node['name']} is in {cuts}, "
                    f"found in {node.get('part')}, {node['fate']}")
    crossing = {row["tensor"] for row in ask(binary, "parts", *words)["tensors"]}
    check.check(crossing == set(tensors), f"{name}: {tensors} cross, found {crossing}")
    return len(report["nodes"])


def main():
    binary, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
    nodes = sum(hold(binary, name, os.path.join(folder, "parts", name)) for name in CUT)
    check.check(nodes >= 20, f"{nodes} nodes")
    print(f"{nodes} nodes of {len(CUT)} models in three engines each, {check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
