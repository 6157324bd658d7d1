"""The engine dump and the profile, in exactly the layout that trtexec writes."""
import json


class Generation:
    """The facts that one TensorRT version writes."""

    def __init__(self, number, rng):
        self.number = number
        self.metadata = number >= 8.6
        self.stream = number >= 8.6
        self.location = number >= 8.4
        self.bare = number >= 10.8 and rng.random() < 0.5
        self.io_tensors = number >= 11
        self.split_format = number >= 11 and rng.random() < 0.5
        self.lower = number >= 11 and rng.random() < 0.5


def quote(s):
    return json.dumps(s, ensure_ascii=False)


def metadata(w, layer):
    if layer.silent:
        return ""
    return layer.sep.join("[ONNX Layer: %s]" % w.net.title[i]
                          for i in dict.fromkeys(layer.meta))


def _tensor(w, forms, layer, t, form):
    words = [("Name", quote(t))]
    inner = layer.region is not None and w.gen.number >= 10
    if w.gen.location and not inner:
        words.append(("Location", quote("Device")))
    words.append(("Dimensions", "[%s]" % ",".join(map(str, form.dims))))
    text = forms.text(form, layer)
    if w.gen.split_format:
        words += [("Datatype", quote(form.type)), ("Format", quote(text))]
    else:
        words.append(("Format/Datatype", quote(text)))
    return "  {\n" + ",\n".join("    %s: %s" % (quote(k), v) for k, v in words) + "\n  }"


def _parameters(w, forms, layer):
    """The keys that belong to the layer's type."""
    if layer.type == "Reformat":
        return [("ParameterType", quote("Reformat"))] + (
            [("Origin", quote(layer.origin))] if layer.origin else [])
    if layer.op == "Conv" and layer.outs:
        return _convolution(w, forms, layer)
    if "Pool" in layer.type:
        return [("ParameterType", quote("Pooling")), ("PoolingType", quote("MAX")),
                ("WindowSize", "[2,2]"), ("Stride", "[2,2]")]
    if layer.type == "PointWiseV2":
        return [("ParameterType", quote("PointWise")),
                ("ParameterSubType", quote("PointWiseExpression")),
                ("NbInputArgs", str(len(layer.ins)))]
    return []


def _convolution(w, forms, layer):
    n = w.net.nodes[layer.root]
    dims = w.net.shape.get(n.ins[1], [1, 1, 1, 1]) if len(n.ins) > 1 else [1, 1, 1, 1]
    count = 1
    for d in dims:
        count *= max(d, 1)
    kind = "Int8" if layer.root in w.weight_dq else \
        "Half" if forms.half else "Float"
    text = ",".join(map(str, n.ints("kernel_shape") or dims[2:]))
    stride = ",".join(map(str, n.ints("strides") or [1, 1]))
    relu = any(w.net.nodes[i].op == "Relu" for i in layer.nodes)
    return [("ParameterType", quote("Convolution")), ("Kernel", "[%s]" % text),
            ("PaddingMode", quote("kEXPLICIT_ROUND_DOWN")), ("Stride", "[%s]" % stride),
            ("OutMaps", str(dims[0])), ("Groups", str(n.int("group", 1))),
            ("Weights", '{"Type": "%s", "Count": %d}' % (kind, count)),
            ("Bias", '{"Type": "Float", "Count": %d}' % dims[0]),
            ("HasBias", "1"), ("HasReLU", str(int(relu))),
            ("Activation", quote("RELU" if relu else "NONE"))] + _later_keys(w, layer)


def _later_keys(w, layer):
    """Keys that only a dump of 8.5 or later has."""
    if w.gen.number < 8.5:
        return []
    adds = any(w.net.nodes[i].op == "Add" for i in layer.nodes)
    return [("HasDynamicFilter", "0"), ("HasDynamicBias", "0"),
            ("HasResidual", str(int(adds))), ("ConvXAsActInputIdx", "-1"),
            ("BiasAsActInputIdx", "-1"), ("ResAsActInputIdx", "-1")]


def layer_text(w, forms, layer):
    kind = layer.type.lower() if w.gen.lower else layer.type
    words = [("Name", quote(layer.name)), ("LayerType", quote(kind))]
    for key, tensors, form in (("Inputs", layer.ins, lambda t: forms.at(layer, t)),
                               ("Outputs", layer.outs, forms.of)):
        inner = ",\n".join(_tensor(w, forms, layer, t, form(t)) for t in tensors)
        words.append((key, "[\n%s]" % inner if inner else "[]"))
    words += _parameters(w, forms, layer)
    if layer.region is not None or layer.type.startswith("Cask"):
        words.append(("TacticName", quote(tactic(layer))))
    if layer.region is None:
        words.append(("TacticValue", quote("0x%016x" % (hash_of(layer.name) & 0xffff))))
    if w.gen.stream:
        words.append(("StreamId", "0"))
    if w.gen.metadata:
        words.append(("Metadata", quote(metadata(w, layer))))
    return "{\n" + ",\n".join("  %s: %s" % (quote(k), v) for k, v in words) + "\n}"


def hash_of(s):
    h = 7
    for c in s:
        h = (h * 31 + ord(c)) & 0xffffffff
    return h


def tactic(layer):
    if layer.type == "shape_call":
        return ""
    if layer.region is not None:
        return "__myl_0x%08x" % hash_of(layer.name)
    return "sm80_xmma_fprop_implicit_gemm_tilesize64x64_t%d" % (hash_of(layer.name) % 99)


def bindings(w, forms):
    names = w.net.inputs + w.net.outputs
    if not w.gen.io_tensors:
        return '"Bindings": [%s\n]' % "\n,".join(quote(n) for n in names)
    rows = []
    for n in names:
        mode = "kINPUT" if n in w.net.inputs else "kOUTPUT"
        f = forms.of(n)
        rows.append('{"Name": %s, "IOMode": "%s", "DataType": "%s", "Dimensions": [%s], '
                    '"Location": "Device"}' % (quote(n), mode, f.type,
                                               ",".join(map(str, f.dims))))
    return '"I/O Tensors": [%s\n]' % "\n,".join(rows)


def dump(w, forms, layers):
    return '{"Layers": [' + ",".join(layer_text(w, forms, x) for x in layers) + \
        "],\n" + bindings(w, forms) + "}\n"


def names_only(w, forms, layers):
    return '{"Layers": [' + "\n,".join(quote(x.name) for x in layers) + "\n],\n" + \
        bindings(w, forms) + "}\n"


def profile(layers, rng):
    """Returns the profile. NoOp layers take no time. trtexec does not escape names, but a name with
    a quotation mark would make the file unreadable, so this function escapes names."""
    times = [0.0 if x.type == "NoOp" else round(rng.uniform(0.002, 0.2), 6)
             for x in layers]
    total = sum(times) or 1.0
    rows = ['{ "name" : %s, "timeMs" : %g, "averageMs" : %g, "medianMs" : %g, '
            '"percentage" : %g }' % (quote(x.name), t * 100, t, t, 100 * t / total)
            for x, t in zip(layers, times)]
    return "[\n  " + "\n, ".join(['{ "count" : 100 }'] + rows) + "\n]\n"
