"""programs.py BINARY FOLDER [SHARED]: programs that `code` writes build, and TensorRT for RTX fuses what they define as it fuses
the ONNX model.

Of SHARED's models some are written as code and built, and built from the ONNX file as well.  `compare` of the two engines
must find the same groups of nodes, though a kernel may convert an integer that the parser's does not; the same is counted here from the JSON of both."""
import json
import os
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {"resnet18_qat_ts": ("models", "resnet18_qat_ts.onnx"),
          "vit_b_16_ts": ("models", "vit_b_16_ts.onnx"),
          "bert12_dynamo": ("models", "bert12_dynamo.onnx"),
          "yolo_like": ("zoo", "cases", "yolo_like", "model.onnx"),
          **{name: (zoo, "cases", name, "model.onnx")
             for zoo, names in (("zoo", ("conv3d", "int4_weights", "shape_soup", "scatter_grid")),
                                ("zoo-2", ("whisper_enc", "raft_small", "deberta", "lstm_ts", "gru_tts", "crnn")))
             for name in names}}
MODELS["lstm_ts"] = ("models", "lstm_ts.onnx")
# A recurrence is a loop here as there, but not of the same layers.
LOOPS = {"lstm_ts", "gru_tts", "crnn"}
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")
    return holds


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def groups(binary, model, log):
    """The nodes that are computed together, by name; quantizers aside."""
    report = json.loads(run(binary, model, log, "-f", "json").stdout)
    sets = set()
    for layer in report["layers"]:
        nodes = [report["nodes"][n["index"]] for n in layer["nodes"]]
        inside = frozenset(n["name"] for n in nodes
                           if n["fate"] == "layer" and n["op"] not in ("QuantizeLinear", "DequantizeLinear"))
        if inside:
            sets.add(inside)
    return sets


def judge(binary, folder, name, model):
    filled, program = os.path.join(folder, f"{name}.onnx"), os.path.join(folder, f"{name}.py")
    logs = [os.path.join(folder, f"{name}.{end}.log") for end in ("parsed", "code")]
    proto = onnx.load(model, load_external_data=False)
    build_engine.fill(proto, 7)
    onnx.save(proto, filled)
    build = os.path.join(HERE, "build.py")
    made = run(sys.executable, build, filled, logs[0])
    if not check(not made.returncode, f"{name}: the model is not built: {made.stderr}"):
        return
    written = run(binary, "code", filled, logs[0], "-o", program)
    if not check(not written.returncode, f"{name}: {written.stderr}"):
        return
    if any(not d.dim_value for i in proto.graph.input for d in i.type.tensor_type.shape.dim):
        made = run(sys.executable, build, filled, logs[1], "SM89", program)
    else:  # by itself
        made = run(sys.executable, program, "--verbose", "--compute-capability", "SM89", "--model", filled, program + ".plan")
        with open(logs[1], "w", encoding="utf-8") as out:
            out.write(made.stdout + made.stderr)
    if not check(not made.returncode, f"{name}: the code is not built: {made.stderr}"):
        return
    before, after = (groups(binary, filled, log) for log in logs)
    compared = run(binary, "compare", *(f"{filled},{log}" for log in logs), "-f", "json")
    check(compared.returncode in (0, 1), f"{name}: compare: {compared.stderr}")
    regions = {what: n for what, n in json.loads(compared.stdout)["summary"]["regions"].items() if n}
    if name in LOOPS:
        print(f"{name}: builds; compare: {regions}")
        return
    check(set(regions) == {"same"}, f"{name}: compare finds {regions}")
    check(before == after, f"{name}: {len(before - after)} of {len(before)} groups differ, as "
                           f"{[sorted(s) for s in list(before - after)[:2]]} and {[sorted(s) for s in list(after - before)[:2]]}")
    print(f"{name}: {len(before & after)} of {len(before)} groups are the same; compare: {regions}")


def main():
    binary, folder = sys.argv[1], os.path.join(sys.argv[2], "code")
    if len(sys.argv) < 4 or not os.path.exists(sys.argv[3]):
        print("code: no shared models, nothing was built")
        return
    os.makedirs(folder, exist_ok=True)
    sys.path.insert(0, os.path.join(sys.argv[3], "zoo"))
    global build_engine
    import build_engine  # pylint: disable=import-error,import-outside-toplevel
    for name in sys.argv[4:] or MODELS:
        judge(binary, folder, name, os.path.join(sys.argv[3], *MODELS[name]))


if __name__ == "__main__":
    main()
    sys.exit(failures > 0)
