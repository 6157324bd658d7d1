"""retype.py BINARY FOLDER [SHARED]: the precision of old engines, carried over and built by TensorRT for RTX.

From SHARED's engines of TensorRT 8.4 and 10 a ResNet-18 gets their types: onnx.checker takes it with strict inference,
each node has the type that the old engine realised, ONNX Runtime runs it, neighbours that agree have no Cast between
them, and in the strongly typed engine that is built of it 95 of 100 nodes that multiply or normalize run in that type."""
import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = ("resnet18-fp16-trt8.4", "resnet18-fp16-trt10", "resnet18-qat-residual-trt8.4", "resnet18-qat-trt8.4")
WORK = {"Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization", "LayerNormalization", "InstanceNormalization",
        "GroupNormalization", "Softmax"}
FLOATS = {"fp32": 1, "tf32": 1, "fp16": 10, "bf16": 16}
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


def run(binary, *args):
    return subprocess.run([binary, *args], capture_output=True, text=True, check=False)


def fill(shared, model):
    """Weights that the corpus left out, and the scales that it has as zeros."""
    spec = importlib.util.spec_from_file_location("build_engine", os.path.join(shared, "zoo/build_engine.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.fill(model, 7)
    made = {n.output[0]: n.attribute[0].t for n in model.graph.node if n.op_type == "Constant"}
    made.update((t.name, t) for t in model.graph.initializer)
    for n in model.graph.node:
        scale = made.get(n.input[1]) if n.op_type in ("QuantizeLinear", "DequantizeLinear") else None
        if scale is not None:
            values = onnx.numpy_helper.to_array(scale)
            if not values.all():
                scale.CopyFrom(onnx.numpy_helper.from_array(np.where(values == 0, np.float32(.05), values), scale.name))


def types_of(model):
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    types = {v.name: v.type.tensor_type.elem_type for v in list(inferred.graph.value_info) + list(inferred.graph.output)
             + list(inferred.graph.input)}
    types.update((t.name, t.data_type) for t in inferred.graph.initializer)
    return types


def check_casts(name, model):
    """No Cast makes again what a Cast in front of it had."""
    maker = {o: n for n in model.graph.node for o in n.output}
    types = types_of(model)
    casts = [n for n in model.graph.node if n.op_type == "Cast"]
    for n in casts:
        before = maker.get(n.input[0])
        check(types[n.input[0]] != types[n.output[0]], f"{name}: {n.name} casts to the type it has")
        check(before is None or before.op_type != "Cast" or types[before.input[0]] != types[n.output[0]],
              f"{name}: {before.name if before else ''} and {n.name} undo each other")
    return len(casts)


def judge(binary, folder, shared, tool, name):
    case = os.path.join(shared, "corpus", name)
    old = os.path.join(case, "engine.graph.json")
    filled, typed, log = (os.path.join(folder, f"{name}.{end}") for end in ("filled.onnx", "typed.onnx", "typed.log"))
    model = onnx.load(os.path.join(case, "model.onnx"), load_external_data=False)
    fill(shared, model)
    onnx.save(model, filled)
    ran = run(binary, "retype", filled, old, "-o", typed, "-f", "json")
    if not check(not ran.returncode, f"{name}: {ran.stderr}"):
        return
    shown = json.loads(ran.stdout)
    onnx.checker.check_model(typed, full_check=True)
    new = onnx.load(typed)
    types = types_of(new)
    check([(i.name, i.type) for i in new.graph.input] == [(i.name, i.type) for i in model.graph.input]
          and list(new.graph.output) == list(model.graph.output), f"{name}: the network's inputs and outputs changed")
    asked = {n["name"]: n for n in json.loads(run(binary, filled, old, "-f", "json").stdout)["nodes"]}
    requests = {n["name"]: n["requested"] for n in json.loads(run(binary, typed, old, "--force", "-f", "json").stdout)["nodes"]}
    carried = quantized = 0
    for n in new.graph.node:
        want = asked.get(n.name, {}).get("realised")
        if want in FLOATS and n.op_type not in ("Cast", "QuantizeLinear", "DequantizeLinear"):
            carried += check(types[n.output[0]] == FLOATS[want],
                             f"{name}: {n.name} ran in {want} and is of type {types[n.output[0]]}")
        if want == "int8":
            quantized += 1
            check(requests[n.name] == asked[n.name]["requested"], f"{name}: {n.name} is asked to run in {requests[n.name]}")
    casts = check_casts(name, new)
    session = onnxruntime.InferenceSession(typed, providers=["CPUExecutionProvider"])
    data = {i.name: np.random.default_rng(1).random([d if isinstance(d, int) else 1 for d in i.shape], np.float32)
            for i in session.get_inputs()}
    ours = session.run(None, data)[0]
    theirs = onnxruntime.InferenceSession(filled, providers=["CPUExecutionProvider"]).run(None, data)[0]
    error = float(np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), 1e-9))
    check(error < .05, f"{name}: relative error {error} beside the model as it was")
    done = subprocess.run([sys.executable, tool, typed, log], capture_output=True, text=True, check=False)
    if not check(not done.returncode, f"{name}: the typed model is not built"):
        return
    built = {n["name"]: n for n in json.loads(run(binary, typed, log, "-f", "json").stdout)["nodes"]}
    work = [n for n in asked.values() if n["op"] in WORK and n["fate"] == "layer"]
    other = [n for n in work if built[n["name"]]["realised"] != n["realised"]]
    for n in other:
        print(f"    {n['name']}: {n['realised']} in the old engine, {built[n['name']]['realised']} in the new one")
    print(f"{name}: {carried} nodes have the old engine's type, {quantized} are quantized, {shown['lost']} lost, {casts} Casts, "
          f"relative error {error:.2g}; {len(work) - len(other)} of {len(work)} that multiply or normalize run in it")
    if not quantized:    # of what a kernel does behind an INT8 product, no Q/DQ asks for INT8
        check(len(other) <= .05 * len(work), f"{name}: fewer than 95 of 100 run in the type asked for")


def main():
    binary, folder = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "retype")
    shared = sys.argv[3] if len(sys.argv) > 3 else ""
    if not os.path.isdir(os.path.join(shared, "corpus")):
        print("retype: no corpus")
        return 0
    os.makedirs(folder, exist_ok=True)
    for name in CASES:
        judge(binary, folder, shared, os.path.join(HERE, "build.py"), name)
    return failures > 0


sys.exit(main())
