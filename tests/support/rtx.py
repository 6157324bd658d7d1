"""Helpers for test builds with TensorRT for RTX: its log, with the same time on each line, and
profiles for dynamic sizes."""
import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
import tensorrt_rtx_bindings as trt

LETTER = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}


class Logger(trt.ILogger):
    def __init__(self, out):
        trt.ILogger.__init__(self)
        self.out = out

    def log(self, severity, msg):
        self.out.write(f"[01/01/2026-00:00:00] [TRT] [{LETTER[severity.name]}] {msg}\n")


def profile_of(builder, network, sizes):
    """Returns a profile with the minimum, optimum and maximum of each dynamic dimension; None if no
    dimension is dynamic."""
    profile, used = builder.create_optimization_profile(), False
    for i in range(network.num_inputs):
        tensor = network.get_input(i)
        if -1 in tuple(tensor.shape):
            profile.set_shape(tensor.name, *([n if d < 0 else d for d in tensor.shape] for n in sizes))
            used = True
    return profile if used else None
