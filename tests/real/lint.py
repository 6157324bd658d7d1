"""lint.py BINARY FOLDER [SHARED]: proves rules of lint with the real builder.

Of each rule the model that it fires on and the one that is as it advises are built, and what the rule
predicts must be what differs between the engines: types, as the builder's own listing has them.  Of
SHARED's QAT ResNet-18 the edits that lint proposes are applied, and the skip inputs of its eight
additions must turn from Float to Int8; a quantized detector with all edits must move fewer bytes."""
import json
import os
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "rules"))
import apply  # noqa: E402
import draw  # noqa: E402

# rule -> (operator, what is looked at of the layers that compute it, in the faulty and in the fixed engine).
WIDE, NARROW = "fp32", "int8"
PROOFS = {
    "qdq/residual": ("Add", "input 1", WIDE, NARROW),
    "qdq/one-sided": ("Conv", "input 0", WIDE, NARROW),
    "qdq/island": ("AveragePool", "input 0", WIDE, NARROW),
    "scale/data": ("Conv", "input 0", WIDE, NARROW),
    "scale/weight-axis": ("Conv", "input 0", WIDE, NARROW),
    "scale/concat-inputs": ("Concat", "output 0", WIDE, NARROW),
    "precision/fp32-rest": ("Conv", "all inputs", [NARROW, WIDE], [NARROW, NARROW]),
    "scale/one-tensor": ("Relu", "narrow outputs", 2, 1),
    "scale/moved": ("Relu", "narrow outputs", 2, 1),
    "size/odd": ("MatMul", "layers", [2, 3, 1, 2], [1, 1, 1, 1]),
    "size/dynamic": ("MatMul", "layers", [3, 3, 1], [1, 1, 1]),
}
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def run(binary, *args):
    ran = subprocess.run([binary, *args, "-f", "json"], capture_output=True, check=False)
    if ran.returncode > 1:
        sys.exit(ran.stderr.decode())
    return json.loads(ran.stdout)


def build(model, log, tool):
    if not os.path.exists(log):
        done = subprocess.run([sys.executable, *tool, model, log + ".part"], capture_output=True, check=False)
        if done.returncode:
            return False
        os.rename(log + ".part", log)
    return True


def layers_of(report, op):
    """Of each node of the operator the layers that compute it, in the model's order."""
    return [[report["layers"][i] for i in n["layers"]] for n in report["nodes"] if n["op"] == op]


def look(report, op, what):
    computing = layers_of(report, op)
    if what == "all inputs":
        return [layers[0]["inputs"][0]["type"] for layers in computing if layers]
    if what == "layers":
        return [len(layers) for layers in computing]
    if what == "narrow outputs":
        return sum(port["type"] == NARROW for port in computing[0][0]["outputs"])
    side, number = what.split()
    ports = computing[0][0][side + "s"]
    return ports[int(number)]["type"] if int(number) < len(ports) else "none"


def prove(binary, folder, rule):
    op, what, faulty, fixed = PROOFS[rule]
    seen = []
    for fires in (True, False):
        case = os.path.join(folder, f"{rule.replace('/', '_')}.{'fires' if fires else 'silent'}")
        model, log = case + ".onnx", case + ".log"
        data = draw.PAIRS[rule](fires).SerializeToString()
        if not os.path.exists(model) or open(model, "rb").read() != data:
            with open(model, "wb") as file:
                file.write(data)
            if os.path.exists(log):
                os.unlink(log)
        check(build(model, log, [os.path.join(HERE, "build.py")]), f"{rule}: {model} is built")
        found = [f for f in run(binary, "lint", model, log)["findings"] if f["rule"] == rule]
        check(bool(found) == fires, f"{rule}: fires {bool(found)}, wanted {fires}")
        check(all(f["facts"].get("engine", "confirmed") == "confirmed" for f in found), f"{rule}: confirmed")
        seen.append(look(run(binary, model, log), op, what))
    print(f"{rule:22} {what} of {op}: {seen[0]} as built, {seen[1]} as advised")
    check(seen == [faulty, fixed], f"{rule}: {what} of {op}: wanted {faulty} and {fixed}, seen {seen}")


def refusals(binary, folder):
    """What lint says is refused is, and what is like it is built."""
    for name, shape in draw.REFUSED.items():
        for fires in (True, False):
            case = os.path.join(folder, f"{name}.{'fires' if fires else 'silent'}")
            onnx.save(shape(fires), case + ".onnx")
            if os.path.exists(case + ".log"):
                os.unlink(case + ".log")
            said = any(f["rule"] == "build/refused" for f in run(binary, "lint", case + ".onnx")["findings"])
            built = build(case + ".onnx", case + ".log", [os.path.join(HERE, "build.py")])
            check(said == fires and built != fires, f"{case}: refused by lint {said}, built {built}")
    print(f"{len(draw.REFUSED)} refusals seen, and as many models like them built")


def skips(binary, model, log):
    """Of each addition what its layer reads, and its steps, which its name lists."""
    return [(sorted(p["type"] for p in layers[0]["inputs"]), layers[0]["name"])
            for layers in layers_of(run(binary, model, log), "Add")]


def cost(binary, model, log):
    """Layers that take time, and the bytes that they move."""
    layers = [layer for layer in run(binary, model, log)["layers"] if layer["kind"] != "sync"]
    return len(layers), sum(layer.get("bytes", 0) for layer in layers)


def pairs_to_add(binary, model, log):
    """How many pairs lint proposes, with the engine at hand, since they save something."""
    return sum(e["rule"] == "qdq/residual" for e in run(binary, "lint", model, log)["edits"])


def rounds_inside(name):
    """The kernel rounds a branch to 8 bits and widens it before it adds."""
    steps = name.removeprefix("__myl_").split("_")[0]
    return "RounCastCast" in steps and "Add" in steps.split("RounCastCast", 1)[1]


def resnet(binary, folder, shared):
    source = os.path.join(shared, "models", "resnet18_qat_ts.onnx")
    tool = [os.path.join(shared, "zoo", "build_engine.py"), "--fill"]
    if not os.path.exists(source):
        print("skipped: resnet18_qat_ts is absent")
        return
    report = run(binary, "lint", source)
    edits = [e for e in report["edits"] if e["rule"] == "qdq/residual"]
    # Where a convolution computes the block's input for the addition alone, a pair saves nothing: no edit.
    check(len(edits) == 5 and all("scale" in e for e in edits), f"{len(edits)} edits, wanted five that have a scale")
    fixed = os.path.join(folder, "resnet18_qat_advised.onnx")
    subprocess.run([binary, "lint", source, "--fix=qdq/residual", "-o", fixed], check=True, capture_output=True)
    model = onnx.load(source, load_external_data=False)
    check(apply.apply(model, edits) == 5, "all edits of the additions can be applied")
    other = onnx.load(fixed, load_external_data=False)
    check([(n.op_type, *n.input, *n.output) for n in other.graph.node] ==
          [(n.op_type, *n.input, *n.output) for n in model.graph.node], "--fix makes what apply.py makes")
    # With a pair on the three others, too, which lint advises for other builders, nothing is gained.
    more, seen, work = os.path.join(folder, "resnet18_qat_eight.onnx"), [], []
    edits = [e for e in run(binary, "lint", source, "--for", "trt8")["edits"] if e["rule"] == "qdq/residual"]
    scale = next(e["scale"] for e in edits if "scale" in e)  # here all quantizers of the model have one
    for edit in edits:
        edit.setdefault("scale", scale)
    model = onnx.load(source, load_external_data=False)
    check(apply.apply(model, edits) == 8, "one for each addition")
    onnx.save(model, more)
    for name, path, pairs in (("resnet18_qat", source, 5), ("resnet18_qat_eight", more, 0), ("resnet18_qat_advised", fixed, 0)):
        log = os.path.join(folder, name + ".log")
        check(build(path, log, tool), f"{name} is built")
        promised = pairs_to_add(binary, path, log)
        check(promised == pairs, f"{name}: lint proposes {promised} pairs that save something, {pairs} do")
        seen.append(skips(binary, path, log))
        work.append(cost(binary, path, log))
    # Where the block's input is a convolution's result that nothing else reads, the kernel of
    # the addition takes the convolution's result and rounds it itself.
    narrow = [[NARROW in types for types, _ in side] for side in seen]
    inside = [[rounds_inside(name) for _, name in side] for side in seen]
    print(f"resnet18_qat: of 8 additions {sum(narrow[0])} read Int8 as built, {sum(narrow[1])} as advised; "
          f"{sum(inside[1])} more round the branch in their own kernel")
    check(len(seen[0]) == 8 and not any(narrow[0] + inside[0]), f"as built: {seen[0]}")
    check(len(seen[1]) == 8 and sum(narrow[1]) == 5 and all(a != b for a, b in zip(narrow[1], inside[1])),
          f"as advised: {seen[1]}")
    print(f"resnet18_qat: {work[0][0]} layers and {work[0][1]:,} bytes as built, {work[1][0]} and {work[1][1]:,} as advised")
    check(work[1][0] < work[0][0] and work[1][1] < 0.8 * work[0][1], "fewer layers and a fifth of the bytes less")
    check(work[2][0] == work[1][0] and work[2][1] <= work[1][1], f"without the three edits no more bytes: {work}")
    left = [f for f in run(binary, "lint", fixed)["findings"] if f["rule"] == "qdq/residual"]
    check(not left, "lint finds nothing more at the additions")


def yolo(binary, folder, shared):
    """A detector that ONNX Runtime quantized: lint for this builder has no edit, and writes nothing; what it proposes for
    others saves less than 4 % of the bytes here."""
    source = os.path.join(shared, "zoo-2", "cases", "yolov8_f32_int8", "model.onnx")
    if not os.path.exists(source):
        print("skipped: yolov8_f32_int8 is absent")
        return
    fixed, work = os.path.join(folder, "yolov8_fixed.onnx"), []
    if os.path.exists(fixed):    # of an earlier run
        os.remove(fixed)
    ran = subprocess.run([binary, "lint", source, "--fix", "-o", fixed], check=False, capture_output=True)
    check(ran.returncode == 1 and not os.path.exists(fixed), f"yolov8: {ran.stderr.decode()}")
    subprocess.run([binary, "lint", source, "--for", "trt10", "--fix", "-o", fixed], check=True, capture_output=True)
    for name, path in (("yolov8", source), ("yolov8_fixed", fixed)):
        log = os.path.join(folder, name + ".log")
        check(build(path, log, [os.path.join(shared, "zoo", "build_engine.py"), "--fill"]), f"{name} is built")
        work.append(cost(binary, path, log))
    print(f"yolov8: {work[0][0]} layers and {work[0][1]:,} bytes as built, {work[1][0]} and {work[1][1]:,} as fixed for trt10")
    check(work[1][1] > 0.96 * work[0][1], "less than 4 % of the bytes")
    left = run(binary, "lint", fixed, "--for", "trt10")["findings"]
    before = run(binary, "lint", source, "--for", "trt10")["findings"]
    check({f["rule"] for f in left} <= {f["rule"] for f in before}, "no rule that the model did not break")


def main():
    binary, folder = sys.argv[1], os.path.join(sys.argv[2], "lint")
    os.makedirs(folder, exist_ok=True)
    for rule in PROOFS:
        prove(binary, folder, rule)
    refusals(binary, folder)
    if len(sys.argv) > 3 and os.path.isdir(sys.argv[3]):
        resnet(binary, folder, sys.argv[3])
        yolo(binary, folder, sys.argv[3])
    print(f"{len(PROOFS)} rules proved by TensorRT for RTX, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
