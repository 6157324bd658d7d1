"""check.py BINARY FOLDER [SHARED]: builds engines in FOLDER and holds BINARY's answers against the
engines' own Metadata and types.  What is expected comes from the builder, never from BINARY."""
import collections
import os
import subprocess
import sys

import onnx

import models

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "zoo"))
import measure  # noqa: E402

# Of SHARED/models: those that the builder takes and that end within seconds.
SHARED_MODELS = ("resnet18_qat_residual_ts", "mobilenet_v2_dynamic_ts", "efficientnet_b0_ts", "bert12_dynamo",
                 "llama4_dynamo", "vit_b_16_ts")
# family -> least precision and recall over computing nodes, least recall over all nodes.  The recall
# of transformers is vit_b_16's: its attention of 197 tokens is padded, run and cut by three kernels,
# each of which says that it computes all of it.
BARS = {"CNN": (0.99, 0.92, 0.84), "transformer": (0.99, 0.78, 0.74), "INT8": (0.99, 0.92, 0.84)}
# Of these every node that computes is linked to all its kernels, and to no other.
WHOLE = ("mlp", "residual", "open_batch", "quantized", "half_quantized", "encoder", "detector", "squeezed",
         "normalized", "neutral", "inside", "dense", "pointwise", "scattered", "short")
# Of these every kernel that computes has a node.
TOLD = (*WHOLE, "recurrent")
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED {what}")


def build(folder, model, tool):
    """The builder's log beside the model, kept from one run to the next."""
    log = os.path.join(folder, "build.log")
    if os.path.exists(log):
        return True
    temp = log + ".part"
    done = subprocess.run([sys.executable, *tool, model, temp], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"FAILED {model} was not built: {done.stderr[-300:]}")
        return False
    os.rename(temp, log)
    return True


def make(folder):
    for name, draw in models.MODELS.items():
        case = os.path.join(folder, "engines", name)
        os.makedirs(case, exist_ok=True)
        model = os.path.join(case, "model.onnx")
        proto = draw()
        data = proto.SerializeToString()
        if not os.path.exists(model) or open(model, "rb").read() != data:
            onnx.checker.check_model(proto)
            with open(model, "wb") as file:
                file.write(data)
            if os.path.exists(os.path.join(case, "build.log")):
                os.unlink(os.path.join(case, "build.log"))
        check(build(case, model, [os.path.join(HERE, "build.py")]), f"{name} is built")
        yield measure.Case(case)


def share(folder, shared):
    """Exporters' models, whose weights are absent: the tool beside them makes some."""
    tool = os.path.join(shared, "zoo", "build_engine.py")
    for name in SHARED_MODELS:
        source = os.path.join(shared, "models", name + ".onnx")
        if not os.path.exists(tool) or not os.path.exists(source):
            print(f"skipped: {name} is absent")
            continue
        case = os.path.join(folder, "engines", name)
        os.makedirs(case, exist_ok=True)
        if not os.path.lexists(os.path.join(case, "model.onnx")):
            os.symlink(os.path.realpath(source), os.path.join(case, "model.onnx"))
        if build(case, source, [tool, "--fill"]):
            yield measure.Case(case)


def judge(binary, cases):
    figures = collections.defaultdict(measure.Figures)
    for case in cases:
        for name in (case.family, "total", case.name):
            measure.measure(binary, case, figures[name], False)
        n = figures.pop(case.name).n
        wrong, missed = n["computing wrong"], n["computing missed"]
        check(case.name not in WHOLE or not wrong + missed, f"{case.name}: {wrong} links wrong, {missed} missed")
        free = n["computing layers without node"]
        check(case.name not in TOLD or not free, f"{case.name}: {free} kernels without a node")
    measure.report(figures)
    for name, (precision, recall, all_recall) in BARS.items():
        n = figures[name].n
        check(n["computing right"] >= precision * n["computing ours"], f"{name}: precision of links")
        check(n["computing found"] >= recall * n["computing total"], f"{name}: recall of links")
        check(n["all found"] >= all_recall * n["all total"], f"{name}: recall of links, all nodes")
    total = figures["total"].n
    for key in ("refused", "failed without Metadata", "other layers than the log", "conflicts", "remarks",
                "type unknown", "layout unknown", "computing layers of unknown precision", "unexplained",
                "inserted missed", "inserted invented", "inserted, though Metadata has nodes"):
        check(not total[key], f"{key}: {total[key]}")


def main():
    binary, folder = sys.argv[1:3]
    cases = list(make(folder))
    if len(sys.argv) > 3 and os.path.isdir(sys.argv[3]):
        cases += share(folder, sys.argv[3])
    judge(binary, cases)
    print(f"{len(cases)} engines built by TensorRT for RTX, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
