"""pools.py BINARY: pools with ceil_mode, to which TensorRT gives other sizes than ONNX, by the builder.

Of each kind of pool a model with one for each kernel, stride, padding and size of a grid.  What the network that the
builder reads of it has as the pool's size, and whether it takes the pool, is the truth: lint must say
`build/ceil-mode` of each pool whose size differs from that of onnx's inference, with both sizes, and of no other; and
`build/refused` of each that is refused, and of no other.  With the padding that lint advises the builder's size is
ONNX's, and ONNX Runtime computes what it computed before.  Exit status 1 where it is not so."""
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, shape_inference

import engines

# label -> operator, its attributes
KINDS = {"MaxPool": ("MaxPool", {}), "LpPool": ("LpPool", {}), "AveragePool": ("AveragePool", {}),
         "AveragePool of padding, too": ("AveragePool", {"count_include_pad": 1})}
# Kernels, strides and sizes along one dimension; the padding is less than the kernel.
KERNELS, STRIDES, SIZES = range(1, 5), range(1, 5), range(1, 10)


def grid():
    for kernel, stride, size in itertools.product(KERNELS, STRIDES, SIZES):
        for pads in itertools.product(range(kernel), repeat=2):
            if size + sum(pads) >= kernel:
                yield kernel, stride, size, pads


def models(op, more):
    """One model of all, which lint reads, and one of each, since the builder stops at the first that it refuses."""
    nodes, inputs, outputs = [], [], []
    for i, (kernel, stride, size, (before, behind)) in enumerate(grid()):
        nodes.append(helper.make_node(op, [f"x{i}"], [f"y{i}"], f"pool{i}", kernel_shape=[kernel, 1], strides=[stride, 1],
                                      pads=[before, 0, behind, 0], ceil_mode=1, **more))
        inputs.append(helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, [1, 2, size, 4]))
        outputs.append(helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None))

    def model(*parts):
        return helper.make_model(helper.make_graph(*parts), opset_imports=[helper.make_opsetid("", 22)], ir_version=10)

    yield model(nodes, "all", inputs, outputs)
    for node, i, o in zip(nodes, inputs, outputs):
        yield model([node], node.name, [i], [o])


def size_of(trt, maker, model):
    """Of the pool's output, as the builder's network has it; None where it is refused."""
    network = maker.create_network(0)
    parser = trt.OnnxParser(network, maker.logger)
    return network.get_output(0).shape[2] if parser.parse(model.SerializeToString()) else None


def lint(binary, model):
    """(pool -> sizes in ONNX and in the builder, and the padding that is advised; pools that are refused)"""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        done = subprocess.run([binary, "lint", file.name, "--for", "rtx", "-f", "json"], capture_output=True, check=False)
    differ, refused = {}, set()
    for finding in json.loads(done.stdout)["findings"]:
        if finding["rule"] == "build/ceil-mode":
            facts = finding["facts"]
            sizes = [int(facts[key].split("x")[0]) for key in ("onnx", "builder")]
            differ[finding["nodes"][0]] = sizes, [int(n) for n in facts["pads"].split(", ")]
        if finding["rule"] == "build/refused":
            refused.update(finding["nodes"])
    return differ, refused


def computed(model):
    """What ONNX Runtime makes of it, given the same numbers."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given = session.get_inputs()[0]
    data = numpy.random.default_rng(7).standard_normal(given.shape, numpy.float32)
    return session.run(None, {given.name: data})[0]


def advised(model, pads):
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for attribute in out.graph.node[0].attribute:
        if attribute.name == "pads":
            attribute.ints[:] = pads
        if attribute.name == "ceil_mode":
            attribute.i = 0
    return out


def main():
    binary = sys.argv[1]
    trt = engines.builder()

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, msg):
            pass

    maker = trt.Builder(Logger())
    bad = 0
    for label, (op, more) in KINDS.items():
        whole, *single = models(op, more)
        inferred = shape_inference.infer_shapes(whole).graph.output
        differ, refused = lint(binary, whole)
        count = collections.Counter()
        for i, one in enumerate(single):
            sizes, pads = differ.get(i, ([], None))
            mine = "refused" if i in refused else sizes
            right, size = inferred[i].type.tensor_type.shape.dim[2].dim_value, size_of(trt, maker, one)
            truth = "refused" if size is None else [right, size] if right != size else []
            count["refused" if size is None else "as in ONNX" if right == size else "larger"] += 1
            if mine != truth:
                bad += 1
                print(f"FAILED {label} {list(grid())[i]}: lint {mine or 'silent'}, the builder {truth or 'as ONNX'}")
            elif pads:
                other = advised(one, pads)
                if size_of(trt, maker, other) != right or not numpy.allclose(computed(one), computed(other)):
                    bad += 1
                    print(f"FAILED {label} {list(grid())[i]}: with pads of {pads} another size or other numbers")
        print(f"{label}: " + ", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    return 1 if bad else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)    # the builder ends badly with the interpreter
