"""conformance.py BINARY FOLDER [CAPABILITY]: what lint says of refusals against the real builder, over
ONNX's own tests of operators (some 1,900 models, which take minutes: not part of the suite).

Prints how many models the builder refused and how many of these lint foresaw, how many it built and
how many of these lint thought it would refuse, and of what was not foreseen the builder's words.  Exit
status 1 when a built model was said to be refused.  Run by the virtual environment of `run`."""
import collections
import json
import os
import re
import subprocess
import sys
import warnings

import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
import tensorrt_rtx_bindings as trt
from onnx.backend.test.case.node import collect_testcases


class Logger(trt.ILogger):
    def __init__(self):
        trt.ILogger.__init__(self)
        self.errors = []

    def log(self, severity, msg):
        if severity.name in ("ERROR", "INTERNAL_ERROR"):
            self.errors.append(msg)


def profile_of(builder, network):
    """Sizes and values of 1, 2 and 4 where the model leaves them open."""
    profile, used = builder.create_optimization_profile(), False
    for i in range(network.num_inputs):
        tensor = network.get_input(i)
        dims = list(tensor.shape)
        if tensor.is_shape_tensor:
            profile.set_shape_input(tensor.name, *([n] * max(1, dims[0] if dims else 1) for n in (1, 2, 4)))
            used = True
        if any(d < 0 for d in dims):
            profile.set_shape(tensor.name, *(tuple(n if d < 0 else d for d in dims) for n in (1, 2, 4)))
            used = True
    return profile if used else None


def build(path, capability):
    """What the builder complains of; nothing when it builds."""
    logger = Logger()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    if not parser.parse_from_file(path):
        return str(parser.get_error(0).desc())
    config = builder.create_builder_config()
    config.num_compute_capabilities = 1
    config.set_compute_capability(getattr(trt.ComputeCapability, capability), 0)
    profile = profile_of(builder, network)
    if profile:
        config.add_optimization_profile(profile)
    if builder.build_serialized_network(network, config) is None:
        return logger.errors[0] if logger.errors else "no word"
    return ""


def apart(path, capability):
    """In a process of its own, which the builder may bring down."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, build(path, capability).encode(errors="replace")[:4000] or b"\0")
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return "" if said == b"\0" else said.decode() or "it crashed"


def main():
    binary, folder = sys.argv[1], os.path.join(sys.argv[2], "conformance")
    capability = sys.argv[3] if len(sys.argv) > 3 else "SM89"
    version = ".".join(trt.__version__.split(".")[:2])
    warnings.filterwarnings("ignore")
    os.makedirs(folder, exist_ok=True)
    counts, missed, wrong = collections.Counter(), collections.Counter(), []
    for case in collect_testcases(None):
        path = os.path.join(folder, case.name + ".onnx")
        with open(path, "wb") as file:
            file.write(case.model.SerializeToString())
        ran = subprocess.run([binary, "lint", path, "--for", f"rtx-{version}:{capability.lower()}", "-f", "json"],
                             capture_output=True, check=False)
        if ran.returncode > 1:
            counts["not read"] += 1
            continue
        foreseen = any(f["rule"] == "build/refused" for f in json.loads(ran.stdout)["findings"])
        why = apart(path, capability)
        counts["refused" if why else "built", foreseen] += 1
        if why and not foreseen:
            missed[re.sub(r"node_of\w+|\d+", "_", why.split("\n")[0])[:120]] += 1
        if foreseen and not why:
            wrong.append(case.name)
    refused, built = (counts[k, True] + counts[k, False] for k in ("refused", "built"))
    print(f"rtx-{version} {capability}: {counts['refused', True]} of {refused} refused models foreseen, "
          f"{counts['built', True]} of {built} built ones said to be refused, {counts['not read']} not read")
    for words, n in missed.most_common(40):
        print(f"  {n:4} not foreseen: {words}")
    for name in wrong:
        print(f"  said to be refused, and built: {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
