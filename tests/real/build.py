"""build.py MODEL LOG [CAPABILITY [PROGRAM]] [KEY=VALUE...]: a model's engine by TensorRT for RTX, as the builder's verbose log.

With a PROGRAM, as `fusiondiff code` writes them, it defines the network, and only its weights are MODEL's.
Options are capability=SM86, sizes=1,4,8 (of open dimensions), streams=N, flag=NAME, clear=NAME, and inputs=fp32:hwc,...
and outputs=fp32:chw,..., formats as --inputIOFormats and --outputIOFormats have them, one for all or one for each.

A process of its own for each engine: the builder keeps state, and ends badly with the interpreter."""
import importlib.util
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from rtx import Logger, profile_of, trt  # noqa: E402  (which finds it)


def set_formats(tensors, formats):
    """The words of trtexec; a type that differs from the network's is refused."""
    formats = formats.split(",")
    for tensor, word in zip(tensors, formats * len(tensors) if len(formats) == 1 else formats):
        kind, _, layout = word.partition(":")
        if {"fp32": "FLOAT", "fp16": "HALF", "bf16": "BF16"}.get(kind, kind.upper()) != tensor.dtype.name:
            raise ValueError(f"{tensor.name} is {tensor.dtype.name}, not {kind}")
        name = "LINEAR" if layout == "chw" else layout.upper()
        tensor.allowed_formats = 1 << int(getattr(trt.TensorFormat, name))


def define(network, model, program):
    sys.modules["tensorrt"] = trt
    spec = importlib.util.spec_from_file_location("program", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.define(network, model)
    return module


def build(model, out, capability, program, options):
    builder = trt.Builder(Logger(out))
    network = builder.create_network(0)
    parser = None if program else trt.OnnxParser(network, builder.logger)
    defined = define(network, model, program) if program else parser.parse_from_file(model)
    if not defined:
        return False
    if "inputs" in options:
        set_formats([network.get_input(i) for i in range(network.num_inputs)], options["inputs"])
    if "outputs" in options:
        set_formats([network.get_output(i) for i in range(network.num_outputs)], options["outputs"])
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.num_compute_capabilities = 1
    config.set_compute_capability(getattr(trt.ComputeCapability, options.get("capability", capability)), 0)
    if "streams" in options:
        config.max_aux_streams = int(options["streams"])
    if "flag" in options:
        config.set_flag(getattr(trt.BuilderFlag, options["flag"]))
    if "clear" in options:
        config.clear_flag(getattr(trt.BuilderFlag, options["clear"]))
    profile = profile_of(builder, network, [int(n) for n in options.get("sizes", "1,4,8").split(",")])
    if profile:
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config) is not None


def main():
    plain = [a for a in sys.argv[1:] if "=" not in os.path.basename(a)]
    options = dict(a.split("=", 1) for a in sys.argv[1:] if a not in plain)
    model, log, *rest = plain
    capability, program = rest[0] if rest else "SM89", rest[1] if len(rest) > 1 else None
    with open(log, "w", encoding="utf-8", errors="surrogateescape") as out:
        built = build(model, out, capability, program, options)
    sys.stdout.flush()
    os._exit(0 if built else 1)


main()
