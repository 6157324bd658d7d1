#!/usr/bin/python3
"""refused.py FOLDER: sizes.fires.onnx has, of each refusal of axes, shapes and lengths, a node that TensorRT for RTX 1.7.1
rejects, named by what is wrong with it, and sizes.silent.onnx its neighbour, which it takes."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper


class Nodes:
    def __init__(self, fires):
        self.fires, self.nodes, self.constants, self.inputs, self.outputs = fires, [], [], {}, []

    def x(self, *shape, type=T.FLOAT):
        name = "x" + "x".join(str(d) for d in shape) + ("b" if type == T.BOOL else "")
        self.inputs[name] = helper.make_tensor_value_info(name, type, shape)
        return name

    def constant(self, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def ints(self, *of):
        return self.constant(np.array(of, np.int64))

    def ones(self, *shape):
        return self.constant(np.ones(shape, np.float32))

    def op(self, name, kind, *reads, outputs=1, **attributes):
        made = [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(reads), made, name=name, **attributes))
        self.outputs += [helper.make_tensor_value_info(m, T.FLOAT, None) for m in made]
        return made[0]

    def either(self, bad, good):
        return bad if self.fires else good

    def body(self, name, nodes, reads, made):
        def value(tensor, type):
            return helper.make_tensor_value_info(tensor, type, [] if tensor in "icd" else [4, 6])
        return helper.make_graph(nodes, name, [value(*v) for v in reads], [value(*v) for v in made])

    def model(self, opset):
        graph = helper.make_graph(self.nodes, "sizes", list(self.inputs.values()), self.outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def refused_sizes(fires):
    n = Nodes(fires)
    e, x = n.either, n.x(4, 6)
    for axis, other in ((2, 1), (-3, -2)):
        n.op(f"softmax_axis_{axis}", "Softmax", x, axis=e(axis, other))
    n.op("gather_axis", "Gather", x, n.ints(0, 1), axis=e(2, 1))
    n.op("concat_axis", "Concat", x, x, axis=e(2, -1))
    n.op("flatten_axis_is_taken", "Flatten", x, axis=2)
    n.op("reduce_axis", "ReduceMax", x, n.ints(e(2, 1)))
    n.op("unsqueeze_axis", "Unsqueeze", x, n.ints(e(3, 2)))
    n.op("slice_axis", "Slice", x, n.ints(0), n.ints(2), n.ints(e(2, 0)))
    n.op("slice_end_is_taken", "Slice", x, n.ints(0), n.ints(9), n.ints(1))
    n.op("squeeze_of_four", "Squeeze", e(x, n.x(1, 6)), n.ints(0))
    n.op("transpose_twice", "Transpose", n.x(4, 6, 2), perm=e([0, 2, 2], [0, 2, 1]))
    n.op("transpose_beyond", "Transpose", n.x(4, 6, 2), perm=e([0, 1, 3], [-1, 0, 1]))
    n.op("reshape_volume", "Reshape", x, n.ints(4, e(7, 6)))
    n.op("reshape_rest", "Reshape", x, n.ints(-1, e(7, 8)))
    n.op("reshape_of_zero", "Reshape", x, n.ints(0, e(7, -1)))
    n.op("gemm_bias", "Gemm", n.x(3, 5), n.ones(5, 8), n.ones(e(10, 8)))
    n.op("gemm_bias_rows", "Gemm", n.x(3, 5), n.ones(5, 8), n.ones(e(2, 3), 1))
    n.op("norm_scale", "LayerNormalization", x, n.ones(e(5, 6)), axis=-1)
    n.op("batch_norm_mean", "BatchNormalization", n.x(1, 6, 4, 4), n.ones(6), n.ones(6), n.ones(e(7, 6)), n.ones(6))
    n.op("conv_bias", "Conv", n.x(1, 4, 6, 6), n.ones(8, 4, 3, 3), n.ones(e(7, 8)))
    n.op("tile_rank", "Tile", x, n.ints(*e((2, 1, 1), (2, 1))))
    n.op("pad_length", "Pad", x, n.ints(*e((0, 1, 0), (0, 1, 0, 1))))
    n.op("split_sum", "Split", x, n.ints(3, e(4, 3)), axis=1, outputs=2)
    n.op("split_of_less_is_taken", "Split", x, n.ints(2, 3), axis=1, outputs=2)
    scales = e(5, 6)
    n.op("scales", "QuantizeLinear", x, n.ones(scales), n.constant(np.zeros(scales, np.int8)), axis=1)
    n.op("one_scale_is_taken", "QuantizeLinear", x, n.ones(1), n.constant(np.zeros(1, np.int8)), axis=1)
    weights = helper.make_tensor("int4", T.INT4, [64, 8], np.ones(512, np.float32))
    n.constants.append(weights)
    n.op("blocks", "DequantizeLinear", "int4", n.ones(e(3, 4), 8), axis=0, block_size=e(24, 16))
    k = e(7, 6)
    n.op("instance_norm", "InstanceNormalization", n.x(1, 6, 4, 4), n.ones(k), n.ones(k))
    n.op("one_for_all_is_taken", "InstanceNormalization", n.x(1, 6, 4, 4), n.ones(1), n.ones(6))
    n.op("sum_axis", "CumSum", x, n.constant(np.int64(e(2, 1))))
    n.op("axis_twice", "Unsqueeze", x, n.ints(0, e(0, 1)))
    n.op("integers_beside", "Mul", x, n.constant(np.ones(6, np.int64)) if fires else n.ones(6))
    n.op("power_of_integers_is_taken", "Pow", x, n.constant(np.ones(6, np.int64)))
    flag = n.x(4, 6, type=T.BOOL)
    n.op("sum_of_flags", e("Add", "Or"), flag, flag)
    n.op("condition", "Where", e(x, flag), x, x)
    n.op("indices", "Gather", x, n.ones(2) if fires else n.ints(0, 1))
    n.op("not_of_floats", "Not", e(x, n.x(4, 6, type=T.BOOL)))
    then = n.body("then", [helper.make_node("Cast", [x], ["a"], to=e(T.FLOAT16, T.FLOAT))], [], [("a", e(T.FLOAT16, T.FLOAT))])
    other = n.body("else", [helper.make_node("Relu", [x], ["b"])], [], [("b", T.FLOAT)])
    n.op("branch_types", "If", n.x(type=T.BOOL), then_branch=then, else_branch=other)
    step = [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Cast", ["s"], ["t"], to=e(T.FLOAT16, T.FLOAT))]
    body = n.body("step", step, [("i", T.INT64), ("c", T.BOOL), ("s", T.FLOAT)], [("d", T.BOOL), ("t", e(T.FLOAT16, T.FLOAT))])
    n.op("state_type", "Loop", n.constant(np.int64(3)), n.constant(np.bool_(True)), x, body=body)
    n.op("product_of_int8", "MatMul", x, n.constant(np.ones((6, 2), np.int8)) if fires else n.ones(6, 2))
    n.op("product_sizes", "MatMul", x, n.ones(e(7, 6), 2))
    n.op("concat_sizes", "Concat", x, n.x(4, e(7, 6)), axis=0)
    return n.model(21)


if __name__ == "__main__":
    for kind in ("fires", "silent"):
        onnx.save(refused_sizes(kind == "fires"), os.path.join(sys.argv[1], f"sizes.{kind}.onnx"))
