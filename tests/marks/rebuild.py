"""Edits of a model (a tensor marked as an output, an Identity on a branch) and engines of the edited model, each built
once: an engine is kept by the content of all that it is made of.

A builder keeps state and may end its process badly, so each build is a fork of a process that has only loaded it."""
import hashlib
import importlib.util
import os
import pathlib
import sys
import tempfile

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

SEED = 7


def with_outputs(model, tensors, types):
    """A copy of the model with these tensors as further outputs."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    have = {o.name for o in new.graph.output}
    for t in tensors:
        if t in have:
            continue
        value = types.get(t)
        new.graph.output.append(value if value is not None else onnx.ValueInfoProto(name=t))
    return new


def with_identity(model, tensor, node, slot):
    """The model, with an Identity between the tensor and one input of one of its consumers: an edit in place."""
    name = f"{tensor}_apart"
    at = next(i for i, n in enumerate(model.graph.node) if n.name == node or node == f"#{i}")
    model.graph.node[at].input[slot] = name
    model.graph.node.insert(at, onnx.helper.make_node("Identity", [tensor], [name], name=name))
    return model


def types_of(model):
    """Tensor -> ValueInfoProto, as far as they can be inferred."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    inferred = onnx.shape_inference.infer_shapes(bare)
    return {v.name: v for v in inferred.graph.value_info}


def build_here(path, log, shapes, capability, formats):
    from rtx import Logger, trt

    with open(log, "w", encoding="utf-8", errors="surrogateescape") as out:
        builder = trt.Builder(Logger(out))
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, builder.logger)
        if not parser.parse_from_file(str(path)):
            return False
        config = builder.create_builder_config()
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        config.num_compute_capabilities = 1
        config.set_compute_capability(getattr(trt.ComputeCapability, capability), 0)
        profile = builder.create_optimization_profile()
        used = False
        for i in range(network.num_inputs):
            tensor = network.get_input(i)
            if tensor.name in shapes:
                profile.set_shape(tensor.name, *shapes[tensor.name])
                used = True
        for i in range(network.num_outputs):
            tensor = network.get_output(i)
            if tensor.name in formats:
                tensor.allowed_formats = 1 << int(getattr(trt.TensorFormat, formats[tensor.name]))
        if used:
            config.add_optimization_profile(profile)
        return builder.build_serialized_network(network, config) is not None


def filler(shared):
    """Gives weights that the corpus left out seeded random values of a kind that suits their readers."""
    spec = importlib.util.spec_from_file_location("build_engine", shared / "zoo/build_engine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.fill


class Builder:
    def __init__(self, folder, shared, capability="SM89"):
        import tensorrt_rtx_libs  # noqa: F401  (loads the shared libraries)
        import tensorrt_rtx_bindings as trt
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.capability = capability
        self.fill = filler(pathlib.Path(shared))
        self.version = trt.__version__
        self.built = 0

    def engine(self, model, shapes, formats={}):
        """(model file, build log) of this model; (model file, None) where the builder refuses it."""
        data = model.SerializeToString(deterministic=True)
        key = hashlib.sha256(data + repr((sorted(shapes.items()), self.capability, self.version) + ((sorted(formats.items()),) if formats else ())).encode()).hexdigest()[:24]
        path, log = self.folder / f"{key}.onnx", self.folder / f"{key}.log"
        failed = self.folder / f"{key}.failed"
        if not log.exists() and not failed.exists():
            self.built += 1
            path.write_bytes(data)
            part = self.folder / f"{key}.{os.getpid()}"
            os.replace(part, log if self.fork(model, part, shapes, formats) else failed)
        return path, (log if log.exists() else None)

    def fork(self, model, part, shapes, formats):
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os.nice(10)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            ok = False
            try:
                with tempfile.TemporaryDirectory() as whole:
                    self.fill(model, SEED)
                    path = pathlib.Path(whole, "model.onnx")
                    onnx.save(model, path)
                    ok = build_here(path, part, shapes, self.capability, formats)
            finally:
                os._exit(0 if ok else 1)
        return os.waitpid(child, 0)[1] == 0
