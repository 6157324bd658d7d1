"""cut.py BINARY FOLDER [SHARED]: parts of real models, cut out and built alone by TensorRT for RTX.

Of SHARED's QAT ResNet-18 and of a YOLOv8 ten fusion groups each are cut out.  Each part is taken by onnx.checker and
built alone, and `cut --alone` states whether the builder fuses it in the same way; the same is counted here, by the
kernels that compute the nodes in both engines."""
import json
import os
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = 10
MODELS = {"resnet18_qat_ts": ("models", "resnet18_qat_ts.onnx"),
          "yolov8": ("zoo-2", "cases", "yolov8_f32_int8", "model.onnx")}
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


def run(binary, *args):
    return subprocess.run([binary, *args], capture_output=True, text=True, check=False)


def build(tool, model, log, *more):
    done = subprocess.run([sys.executable, tool, model, log, *more], capture_output=True, text=True, check=False)
    return not done.returncode


def partition(report, names):
    """Which of the nodes each kernel computes."""
    sets = set()
    for layer in report["layers"]:
        inside = frozenset(report["nodes"][n["index"]]["name"] for n in layer["nodes"]) & names
        if inside:
            sets.add(inside)
    return sets


def computing(report, layer):
    nodes = [report["nodes"][n["index"]] for n in report["layers"][layer]["nodes"]]
    return frozenset(n["name"] for n in nodes
                     if n["fate"] == "layer" and n["op"] not in ("QuantizeLinear", "DequantizeLinear"))


def judge(binary, folder, tool, name, model):
    log = os.path.join(folder, f"{name}.log")
    filled = os.path.join(folder, f"{name}.onnx")
    proto = onnx.load(model, load_external_data=False)
    build_engine.fill(proto, 7)
    onnx.save(proto, filled)
    if not os.path.exists(log) and not check(build(tool, filled, log), f"{name}: not built"):
        return
    whole = json.loads(run(binary, filled, log, "-f", "json").stdout)
    layers = [i for i, layer in enumerate(whole["layers"]) if computing(whole, i)]
    step = max(1, len(layers) // GROUPS)
    same = 0
    for layer in layers[::step][:GROUPS]:
        part, alone = (os.path.join(folder, f"{name}.{layer}.{end}") for end in ("onnx", "log"))
        ran = run(binary, "cut", filled, log, "--group", f"#{layer}", "-o", part)
        if not check(not ran.returncode, f"{name} {layer}: {ran.stderr}"):
            continue
        onnx.checker.check_model(part, full_check=True)
        if not check(build(tool, part, alone), f"{name} {layer}: the part is not built alone"):
            continue
        shown = run(binary, "cut", filled, log, "--group", f"#{layer}", "--alone", alone)
        shown = next((line for line in shown.stdout.splitlines() if line.startswith("  alone")), shown.stderr)
        names = computing(whole, layer)
        report = json.loads(run(binary, part, alone, "-f", "json").stdout)
        equal = {s for s in partition(report, names)} == {s for s in partition(whole, names)}
        print(f"{name} layer {layer}, {len(names)} nodes: {shown.strip()}")
        check(("the same fusion" in shown) == equal or len(names) < 2, f"{name} {layer}: {shown}, counted {equal}")
        same += "the same fusion" in shown
    print(f"{name}: {same} of {GROUPS} groups fuse alone as in the whole model")


def main():
    binary, folder = sys.argv[1], os.path.join(sys.argv[2], "cut")
    if len(sys.argv) < 4 or not os.path.exists(sys.argv[3]):
        print("cut: no shared models, nothing was cut")
        return
    os.makedirs(folder, exist_ok=True)
    tool = os.path.join(sys.argv[3], "zoo", "build_engine.py")
    sys.path.insert(0, os.path.dirname(tool))
    global build_engine
    import build_engine  # pylint: disable=import-error,import-outside-toplevel
    for name, parts in MODELS.items():
        judge(binary, folder, tool, name, os.path.join(sys.argv[3], *parts))


if __name__ == "__main__":
    main()
    sys.exit(failures > 0)
