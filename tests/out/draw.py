#!/usr/bin/env python3
"""draw.py FOLDER: the models of fixtures/cut, of which parts are cut out, or cannot be."""
import pathlib
import sys

import onnx
from onnx import TensorProto as T
from onnx import helper as h


def info(name, shape=(2, 3), kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def weight(name, *shape):
    count = 1
    for d in shape:
        count *= d
    return h.make_tensor(name, T.FLOAT, shape, [0.5 * i for i in range(count)])


def model(nodes, outputs, inputs=(("x", (2, 3)),), weights=(), functions=(), opsets=()):
    graph = h.make_graph(nodes, "g", [info(n, s) for n, s in inputs], [info(n, s) for n, s in outputs], list(weights))
    proto = h.make_model(graph, opset_imports=[h.make_opsetid("", 17), *opsets], functions=list(functions), ir_version=8)
    proto.producer_name = "draw"
    return proto


def node(op, name, inputs, outputs, **attributes):
    return h.make_node(op, inputs.split(), outputs.split(), name=name, **attributes)


def cycle():
    return model([node("Add", "first", "x b", "a"), node("Relu", "second", "a", "b"), node("Exp", "out", "x", "y")],
                 [("y", (2, 3))])


def unsorted():
    return model([node("Relu", "second", "a", "y"), node("Exp", "first", "x", "a")], [("y", (2, 3))])


def undefined():
    return model([node("Add", "sum", "x nowhere", "y")], [("y", (2, 3))])


def duplicate():
    return model([node("Relu", "one", "x", "a"), node("Exp", "two", "x", "a"), node("Neg", "three", "a", "y")],
                 [("y", (2, 3))])


def sequence():
    return model([node("SplitToSequence", "split", "x", "s", axis=0), node("ConcatFromSequence", "join", "s", "a", axis=0),
                  node("Relu", "act", "a", "y")], [("y", (2, 3))])


def loop():
    """A Loop whose body reads a weight and a tensor of the graph around it."""
    body = h.make_graph([node("Identity", "go", "cond", "more"), node("Mul", "scaled", "state w", "m"),
                         node("Add", "moved", "m outer", "next")], "body",
                        [info("i", (), T.INT64), info("cond", (), T.BOOL), info("state")],
                        [info("more", (), T.BOOL), info("next")])
    return model([node("Relu", "before", "x", "outer"), node("Exp", "start", "x", "s"),
                  h.make_node("Loop", ["count", "go", "s"], ["last"], name="loop", body=body),
                  node("Neg", "after", "last", "y")], [("y", (2, 3))],
                 weights=[h.make_tensor("count", T.INT64, (), [3]), h.make_tensor("go", T.BOOL, (), [True]),
                          weight("w", 2, 3), weight("unused", 7)])


def functions():
    """Two functions, of which one calls a third; a part keeps those that it calls."""
    opset = [h.make_opsetid("", 17), h.make_opsetid("own", 1)]
    inner = h.make_function("own", "Inner", ["a"], ["b"], [node("Exp", "e", "a", "b")], opset)
    outer = h.make_function("own", "Outer", ["a"], ["b"],
                            [h.make_node("Inner", ["a"], ["t"], name="i", domain="own"), node("Relu", "r", "t", "b")], opset)
    other = h.make_function("own", "Other", ["a"], ["b"], [node("Neg", "n", "a", "b")], opset)
    return model([h.make_node("Outer", ["x"], ["a"], name="outer", domain="own"),
                  h.make_node("Other", ["a"], ["y"], name="other", domain="own")], [("y", (2, 3))],
                 functions=[inner, outer, other], opsets=[h.make_opsetid("own", 1)])


def sizes():
    """Sizes that are computed of a known shape, and a pair of quantizers around a product."""
    return model([node("Relu", "before", "x", "a"), node("Shape", "shape", "a", "sizes"),
                  node("Gather", "first", "sizes zero", "n"), node("Unsqueeze", "row", "n axes", "n1"),
                  node("Concat", "both", "n1 rest", "to", axis=0), node("Reshape", "view", "a to", "v"),
                  node("QuantizeLinear", "q", "v scale point", "vq"), node("DequantizeLinear", "dq", "vq scale point", "vd"),
                  node("QuantizeLinear", "wq", "w scale point", "wi"), node("DequantizeLinear", "wdq", "wi scale point", "wd"),
                  node("MatMul", "product", "vd wd", "p"), node("Relu", "act", "p", "y")], [("y", (2, 4))],
                 weights=[h.make_tensor("zero", T.INT64, (), [0]), h.make_tensor("axes", T.INT64, (1,), [0]),
                          h.make_tensor("rest", T.INT64, (1,), [-1]), h.make_tensor("scale", T.FLOAT, (), [0.1]),
                          h.make_tensor("point", T.INT8, (), [0]), weight("w", 3, 4), weight("unused", 7)])


def outside():
    """Weights in another file, of which one is absent."""
    proto = model([node("Add", "sum", "x here", "a"), node("Mul", "scaled", "a absent", "y")], [("y", (2, 3))],
                  weights=[weight("here", 2, 3), weight("absent", 2, 3)])
    for tensor, location in zip(proto.graph.initializer, ("outside.data", "absent.data")):
        data = onnx.numpy_helper.to_array(tensor).tobytes()
        tensor.ClearField("float_data")
        tensor.data_location = T.EXTERNAL
        for key, value in (("location", location), ("offset", "4"), ("length", str(len(data)))):
            tensor.external_data.add(key=key, value=value)
    return proto


def dynamic():
    """Dynamic quantization, whose scale and zero point no value_info declares."""
    return model([node("DynamicQuantizeLinear", "quantize", "x", "xq xs xz"), node("MatMulInteger", "product", "xq w xz wz", "i"),
                  node("Cast", "cast", "i", "f", to=T.FLOAT), node("Mul", "scaled", "f xs", "y")], [("y", (2, 4))],
                 weights=[h.make_tensor("w", T.INT8, (3, 4), range(12)), h.make_tensor("wz", T.INT8, (), [0])])


def unranked():
    """A tensor whose rank only an input decides."""
    proto = model([node("Reshape", "view", "x sizes", "v"), node("Relu", "act", "v", "a"), node("Neg", "last", "a", "y")], [("y", None)])
    proto.graph.input.append(info("sizes", ("n",), T.INT64))
    return proto


def hostile():
    """Names that say what nobody shall know, and that are markup, words of the builder, or look like new names."""
    body = helper_function()
    nodes = [node("Conv", "aurora/stem|`conv`", "img@aurora kernel.of.aurora", "/aurora/stem/Conv_output_0", pads=[1, 1, 1, 1]),
             h.make_node("Relu", ["/aurora/stem/Conv_output_0"], ["n12"], name="<b>aurora relu</b>"),
             h.make_node("AuroraBlock", ["n12"], ["t34"], name="/aurora/block + x", domain="com.aurora", aurora_factor=2.0),
             h.make_node("MaxPool", ["t34"], ["{ForeignNode[aurora...pool]}"], name="PWN(aurora)", kernel_shape=[1, 1],
                         auto_pad="SAME_UPPER"),
             h.make_node("Add", ["{ForeignNode[aurora...pool]}", "aurora bias ' \" \\"], ["r\u00e9sultat"], name="Conv")]
    nodes[0].doc_string = "the stem that aurora invented"
    nodes[1].metadata_props.add(key="pkg.torch.onnx.stack_trace", value="/home/aurora/model.py")
    weights = [weight("kernel.of.aurora", 4, 3, 3, 3), weight("aurora bias ' \" \\", 4, 1, 1)]
    weights[0].doc_string = "learnt by aurora"
    batch = ("aurora_batch", 3, 8, 8)
    graph = h.make_graph(nodes, "graph of aurora", [info("img@aurora", batch)],
                         [info("r\u00e9sultat", ("aurora_batch", 4, 8, 8))], weights, doc_string="aurora's")
    graph.value_info.append(info("n12", ("aurora_batch", 4, 8, 8)))
    proto = h.make_model(graph, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("com.aurora", 1)],
                         functions=[body], ir_version=10, domain="com.aurora.company", doc_string="by aurora")
    proto.metadata_props.add(key="aurora key", value="aurora value")
    proto.producer_name = "draw"
    return proto


def helper_function():
    return h.make_function("com.aurora", "AuroraBlock", ["aurora in"], ["aurora out"],
                           [h.make_node("LeakyRelu", ["aurora in"], ["aurora out"], name="leaky.aurora", alpha=0.25)],
                           [h.make_opsetid("", 17)], ["aurora_factor"])


MODELS = (cycle, unsorted, undefined, duplicate, sequence, loop, functions, sizes, outside, dynamic, unranked, hostile)


def main():
    folder = pathlib.Path(sys.argv[1])
    for draw in MODELS:
        (folder / f"{draw.__name__}.onnx").write_bytes(draw().SerializeToString(deterministic=True))
    (folder / "outside.data").write_bytes(bytes(4) + onnx.numpy_helper.to_array(weight("here", 2, 3)).tobytes())


if __name__ == "__main__":
    main()
