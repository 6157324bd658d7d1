"""Prints an ONNX model as text: declarations, initializers with their numbers, and nodes with
attributes and metadata."""
import zlib

import onnx
from onnx import numpy_helper

MOST = 8  # most numbers to print; more become a checksum


def numbers(tensor):
    """Returns " = 1 2 3" for few numbers, " ~ 1a2b3c4d" (a checksum) for many numbers or for a type
    that this version of onnx lacks."""
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return " in a file"
    try:
        array = numpy_helper.to_array(tensor)
    except (KeyError, TypeError, ValueError):
        return f" ~ {zlib.crc32(tensor.raw_data):08x}"
    if array.size > MOST or array.dtype.kind not in "fiub":
        return f" ~ {zlib.crc32(array.tobytes()):08x}"
    return " = " + " ".join(f"{n:.6g}" for n in array.ravel().tolist())


def attribute(a):
    """Returns the lines of an attribute. The lines of a graph are below the attribute's name."""
    value = onnx.helper.get_attribute_value(a)
    if isinstance(value, onnx.TensorProto):
        value = f"tensor {value.data_type} {list(value.dims)}{numbers(value)}"
    elif isinstance(value, onnx.GraphProto):
        return [f"{a.name}="] + ["    " + line for line in graph_lines(value)]
    elif isinstance(value, bytes):
        value = repr(value.decode())
    elif isinstance(value, float):
        value = f"{value:.6g}"
    return [f"{a.name}={value}"]


def properties(of):
    """Returns the metadata in the order of the file. Older versions of onnx do not know the
    metadata of nodes (field 9)."""
    entries = list(getattr(of, "metadata_props", []))
    if not hasattr(of, "metadata_props"):
        entries = [onnx.StringStringEntryProto.FromString(f.data) for f in of.UnknownFields() if f.field_number == 9]
    return [f"    {p.key}: {p.value}" for p in entries]


def declared(what, value):
    kind = value.type.tensor_type
    dims = [d.dim_param or d.dim_value for d in kind.shape.dim]
    return f"{what} {value.name}: {kind.elem_type} {dims}"


def node_lines(node):
    name = f"{node.domain}{'.' if node.domain else ''}{node.op_type} {node.name!r}"
    lines = [f"{name}: {list(node.input)} -> {list(node.output)}"]
    return lines + ["    " + line for a in node.attribute for line in attribute(a)] + properties(node)


def graph_lines(graph):
    lines = [declared("input", v) for v in graph.input] + [declared("output", v) for v in graph.output]
    lines += [declared("value", v) for v in graph.value_info]
    lines += [f"initializer {t.name}: {t.data_type} {list(t.dims)}{numbers(t)}" for t in graph.initializer]
    return lines + [line for node in graph.node for line in node_lines(node)]


def model_lines(model):
    lines = [f"producer {model.producer_name!r} ir {model.ir_version} graph {model.graph.name!r}"]
    lines += [f"opset {o.domain!r} {o.version}" for o in model.opset_import] + graph_lines(model.graph)
    for f in model.functions:
        lines += [f"function {f.domain}.{f.name}: {list(f.input)} -> {list(f.output)}"]
        lines += ["    " + line for node in f.node for line in node_lines(node)]
    return lines + properties(model)
