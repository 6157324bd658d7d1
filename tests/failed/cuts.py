#!/usr/bin/python3
"""Parts of failed builds, built alone:  cuts.py BINARY ../shared [SHARE] [-v]

`cut` writes the part of each model of measure.py's cases of which a node is known; TensorRT for RTX builds it, for the
compute capability of the log, and must fail in the same class with the same sentence, names of tensors aside.  Runs in the
judges' virtual environment (tests/conformance/venv).  SHARE takes every n-th case.  Fails below 90 %.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import measure  # noqa: E402

BAR = 0.90
# The sizes with which the cases were built, in make/e3.py of ../shared/builder: no log states them.
PROFILES = {"prof_none": None, "prof_static": {"x": ((1, 8), (2, 9), (4, 9))}, "prof_order": {"x": ((4, 8), (2, 8), (1, 8))},
            "prof_violates": {"x": ((2, 8), (3, 8), (4, 8)), "z": ((5, 8), (6, 8), (7, 8))},
            "prof_reshape": {"x": ((1, 6), (3, 6), (5, 6))}}


def build(trt, model, sm, log, sizes):
    class Logger(trt.ILogger):
        def __init__(self, out):
            trt.ILogger.__init__(self)
            self.out = out

        def log(self, severity, message):
            letter = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I"}.get(severity.name, "V")
            self.out.write(f"[01/01/2026-00:00:00] [TRT] [{letter}] {message}\n")

    with open(log, "w", encoding="utf-8") as out:
        logger = Logger(out)
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        if not trt.OnnxParser(network, logger).parse_from_file(model):
            return False
        config = builder.create_builder_config()
        if sm:
            config.num_compute_capabilities = 1
            config.set_compute_capability(getattr(trt.ComputeCapability, f"SM{sm}"), 0)
        profile = builder.create_optimization_profile()
        for i in range(network.num_inputs):
            tensor = network.get_input(i)
            shape = [max(d, 1) for d in tensor.shape]
            if sizes is not None and not tensor.is_shape_tensor:
                profile.set_shape(tensor.name, *sizes.get(tensor.name, [shape] * 3))
        if sizes is not None:
            config.add_optimization_profile(profile)
        return builder.build_serialized_network(network, config) is not None


def sentence(report):
    """The message without what differs: names, numbers, places."""
    return re.sub(r"\d+", "0", re.sub(r"'[^']*'|\([^()]*\)|\S*/\S*|\S+_\S+", "", report["message"]))


def check(binary, trt, folder, case, model, log):
    """None: no node is known; else whether it fails alike, and why not."""
    report, _ = measure.report_of(binary, model, log)
    if not report or not report["part"]:
        return None, ""
    part, own = os.path.join(folder, "part.onnx"), os.path.join(folder, "part.log")
    done = subprocess.run([binary, "cut", model, log, "-o", part], capture_output=True, text=True, check=False)
    if done.returncode:
        return False, f"cut: {done.stderr.strip().splitlines()[-1]}"
    sm = re.search(r":sm(\d+)", report["for"])
    if build(trt, part, sm and sm[1], own, PROFILES.get(case, {})):
        return False, "it builds"
    again, _ = measure.report_of(binary, part, own)
    if not again:
        return False, "its log has no report"
    if again["class"] != report["class"] or sentence(again) != sentence(report):
        return False, f"{again['class']}: {again['message'][:100]}, not {report['class']}: {report['message'][:100]}"
    return True, f"{len(report['part'])} nodes"


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("-")]
    if len(args) < 2:
        sys.exit(__doc__)
    binary, shared, share = os.path.abspath(args[0]), args[1], int(args[2]) if len(args) > 2 else 1
    try:
        import tensorrt_rtx_bindings as trt
    except ImportError:
        print("TensorRT for RTX is not there: skipped")
        sys.exit(77)
    if not os.path.exists(os.path.join(shared, "builder", "failures.tsv")):
        print(f"{shared}/builder is not there: skipped")
        sys.exit(77)
    alike = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = [*measure.provoked(shared, folder), *measure.refused(shared, folder)]
        for case, _, names, model, log in cases[::share]:
            if not names:
                continue
            is_alike, why = check(binary, trt, folder, case, model, log)
            tried += 1
            alike += bool(is_alike)
            if not is_alike or "-v" in sys.argv:
                print(f"{case}: {why or 'no node is known'}")
    print(f"{alike} of {tried} parts fail alike")
    sys.exit(alike < BAR * tried)


if __name__ == "__main__":
    main()
