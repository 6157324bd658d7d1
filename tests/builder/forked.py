"""Builds by TensorRT for RTX, each in a forked child: the builder keeps state, and loading it takes longer than a build."""
import os
import re
import resource
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from rtx import Logger, profile_of, trt  # noqa: E402  (which finds it)

SIZES, MOST_SECONDS, MOST_BYTES = (1, 4, 8), 120, 9 << 30
META = re.compile(r"\[ONNX Layer: ([^\]]*)\]")


def one(model, out, capabilities, level):
    builder = trt.Builder(Logger(out))
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, builder.logger)
    if not parser.parse_from_file(model):
        return False
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.num_compute_capabilities = len(capabilities)
    for i, name in enumerate(capabilities):
        config.set_compute_capability(getattr(trt.ComputeCapability, name), i)
    if level is not None:
        config.builder_optimization_level = level
    profile = profile_of(builder, network, SIZES)
    if profile:
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config) is not None


def build(model, log, capabilities=("SM89",), environment=None, level=None):
    """True when an engine was built; the log is written either way."""
    child = os.fork()
    if not child:
        status = 1
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            os.environ.update(environment or {})
            with open(log, "w", encoding="utf-8", errors="surrogateescape") as out:
                status = 0 if one(model, out, capabilities, level) else 1
        finally:
            os._exit(status)
    end = time.monotonic() + MOST_SECONDS
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        if time.monotonic() > end:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return False
        time.sleep(.01)


def kernels(log):
    """Name and nodes of each layer, by the builder's own Metadata."""
    found, inside = [], False
    with open(log, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            if line.rstrip("\n").endswith("Layers:"):
                inside, found = True, []
            elif inside and line.startswith("Name: "):
                metadata = line[line.find("Metadata: "):] if "Metadata: " in line else ""
                found.append((line[6:line.index(", LayerType")], {n.split(" | ")[0] for n in META.findall(metadata)}))
    return found
