"""build.py MODEL LOG [CAPABILITY]: a model's engine by TensorRT for RTX, as the builder's verbose log.

A process of its own for each engine: the builder keeps state, and ends badly with the interpreter."""
import os
import sys

import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
import tensorrt_rtx_bindings as trt

LETTER = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}


class Logger(trt.ILogger):
    def __init__(self, out):
        trt.ILogger.__init__(self)
        self.out = out

    def log(self, severity, msg):
        self.out.write(f"[01/01/2026-00:00:00] [TRT] [{LETTER[severity.name]}] {msg}\n")


def profile_of(builder, network):
    """Open dimensions: 1, 4 and 8; NULL where there are none."""
    profile, used = builder.create_optimization_profile(), False
    for i in range(network.num_inputs):
        tensor = network.get_input(i)
        if -1 in tuple(tensor.shape):
            sizes = [[n if d < 0 else d for d in tensor.shape] for n in (1, 4, 8)]
            profile.set_shape(tensor.name, *sizes)
            used = True
    return profile if used else None


def build(model, out, capability):
    builder = trt.Builder(Logger(out))
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, builder.logger)
    if not parser.parse_from_file(model):
        return False
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.num_compute_capabilities = 1
    config.set_compute_capability(getattr(trt.ComputeCapability, capability), 0)
    profile = profile_of(builder, network)
    if profile:
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config) is not None


def main():
    with open(sys.argv[2], "w", encoding="utf-8", errors="surrogateescape") as out:
        built = build(sys.argv[1], out, sys.argv[3] if len(sys.argv) > 3 else "SM89")
    sys.stdout.flush()
    os._exit(0 if built else 1)


main()
