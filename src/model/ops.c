#include "model/ops.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *op;
    unsigned traits;
    unsigned shape_operands;
};

/* Sorted by name.  Which operators a Q or DQ may cross: TensorRT's Q/DQ propagation
 * ("Swapping MaxPool_12 with QuantizeLinear_15", 8.4).  Shape operands: the inputs
 * whose values decide the shape of the output (ONNX operator specification, opsets 1 to
 * 24); an operator without FSD_OP_SHAPED, like NonZero, has an output whose shape
 * depends on its data, or is not in this table. */
/* clang-format off */
static const struct row rows[] = {
    {"Abs", FSD_OP_SHAPED, 0},
    {"Acos", FSD_OP_SHAPED, 0},
    {"Acosh", FSD_OP_SHAPED, 0},
    {"Add", FSD_OP_SHAPED, 0},
    {"And", FSD_OP_SHAPED, 0},
    {"ArgMax", FSD_OP_SHAPED, 0},
    {"ArgMin", FSD_OP_SHAPED, 0},
    {"Asin", FSD_OP_SHAPED, 0},
    {"Asinh", FSD_OP_SHAPED, 0},
    {"Atan", FSD_OP_SHAPED, 0},
    {"Atanh", FSD_OP_SHAPED, 0},
    {"Attention", FSD_OP_SHAPED, 0},
    {"AveragePool", FSD_OP_SHAPED, 0},
    {"BatchNormalization", FSD_OP_SHAPED, 0},
    {"Bernoulli", FSD_OP_RANDOM, 0},
    {"BitShift", FSD_OP_SHAPED, 0},
    {"BitwiseAnd", FSD_OP_SHAPED, 0},
    {"BitwiseNot", FSD_OP_SHAPED, 0},
    {"BitwiseOr", FSD_OP_SHAPED, 0},
    {"BitwiseXor", FSD_OP_SHAPED, 0},
    {"Cast", FSD_OP_SHAPED, 0},
    {"CastLike", FSD_OP_SHAPED, 0},
    {"Ceil", FSD_OP_SHAPED, 0},
    {"Celu", FSD_OP_SHAPED, 0},
    {"Clip", FSD_OP_SHAPED, 0},
    {"Concat", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"Constant", FSD_OP_CONSTANT | FSD_OP_SHAPED, 0},
    {"ConstantOfShape", FSD_OP_SHAPED, 0x1},
    {"Conv", FSD_OP_WEIGHTED | FSD_OP_SHAPED, 0},
    {"ConvInteger", FSD_OP_SHAPED, 0},
    {"ConvTranspose", FSD_OP_WEIGHTED | FSD_OP_SHAPED, 0},
    {"Cos", FSD_OP_SHAPED, 0},
    {"Cosh", FSD_OP_SHAPED, 0},
    {"CumSum", FSD_OP_SHAPED, 0},
    {"DepthToSpace", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"DequantizeLinear", FSD_OP_DEQUANTIZE | FSD_OP_SHAPED, 0},
    {"Det", FSD_OP_SHAPED, 0},
    {"Div", FSD_OP_SHAPED, 0},
    {"Dropout", FSD_OP_SHAPED, 0},
    {"DynamicQuantizeLinear", FSD_OP_SHAPED, 0},
    {"Einsum", FSD_OP_SHAPED, 0},
    {"Elu", FSD_OP_SHAPED, 0},
    {"Equal", FSD_OP_SHAPED, 0},
    {"Erf", FSD_OP_SHAPED, 0},
    {"Exp", FSD_OP_SHAPED, 0},
    {"Expand", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"EyeLike", FSD_OP_SHAPED, 0},
    {"Flatten", FSD_OP_VIEW | FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"Floor", FSD_OP_SHAPED, 0},
    {"GRU", FSD_OP_SHAPED, 0},
    {"Gather", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"GatherElements", FSD_OP_SHAPED, 0},
    {"GatherND", FSD_OP_SHAPED, 0},
    {"Gelu", FSD_OP_SHAPED, 0},
    {"Gemm", FSD_OP_WEIGHTED | FSD_OP_SHAPED, 0},
    {"GlobalAveragePool", FSD_OP_SHAPED, 0},
    {"GlobalLpPool", FSD_OP_SHAPED, 0},
    {"GlobalMaxPool", FSD_OP_SHAPED, 0},
    {"Greater", FSD_OP_SHAPED, 0},
    {"GreaterOrEqual", FSD_OP_SHAPED, 0},
    {"GridSample", FSD_OP_SHAPED, 0},
    {"GroupNormalization", FSD_OP_SHAPED, 0},
    {"HardSigmoid", FSD_OP_SHAPED, 0},
    {"HardSwish", FSD_OP_SHAPED, 0},
    {"Hardmax", FSD_OP_SHAPED, 0},
    {"Identity", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"If", FSD_OP_CONTROL, 0},
    {"InstanceNormalization", FSD_OP_SHAPED, 0},
    {"IsInf", FSD_OP_SHAPED, 0},
    {"IsNaN", FSD_OP_SHAPED, 0},
    {"LRN", FSD_OP_SHAPED, 0},
    {"LSTM", FSD_OP_SHAPED, 0},
    {"LayerNormalization", FSD_OP_SHAPED, 0},
    {"LeakyRelu", FSD_OP_SHAPED, 0},
    {"Less", FSD_OP_SHAPED, 0},
    {"LessOrEqual", FSD_OP_SHAPED, 0},
    {"Log", FSD_OP_SHAPED, 0},
    {"LogSoftmax", FSD_OP_SHAPED, 0},
    {"Loop", FSD_OP_CONTROL, 0},
    {"LpNormalization", FSD_OP_SHAPED, 0},
    {"LpPool", FSD_OP_SHAPED, 0},
    {"MatMul", FSD_OP_WEIGHTED | FSD_OP_SHAPED, 0},
    {"MatMulInteger", FSD_OP_SHAPED, 0},
    {"Max", FSD_OP_SHAPED, 0},
    {"MaxPool", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"Mean", FSD_OP_SHAPED, 0},
    {"MeanVarianceNormalization", FSD_OP_SHAPED, 0},
    {"Min", FSD_OP_SHAPED, 0},
    {"Mish", FSD_OP_SHAPED, 0},
    {"Mod", FSD_OP_SHAPED, 0},
    {"Mul", FSD_OP_SHAPED, 0},
    {"Multinomial", FSD_OP_RANDOM, 0},
    {"Neg", FSD_OP_SHAPED, 0},
    {"Not", FSD_OP_SHAPED, 0},
    {"OneHot", FSD_OP_SHAPED, 0x2},
    {"Or", FSD_OP_SHAPED, 0},
    {"PRelu", FSD_OP_SHAPED, 0},
    {"Pad", FSD_OP_SHAPED, 0xa},
    {"Pow", FSD_OP_SHAPED, 0},
    {"QLinearConv", FSD_OP_SHAPED, 0},
    {"QLinearMatMul", FSD_OP_SHAPED, 0},
    {"QuantizeLinear", FSD_OP_QUANTIZE | FSD_OP_SHAPED, 0},
    {"RMSNormalization", FSD_OP_SHAPED, 0},
    {"RNN", FSD_OP_SHAPED, 0},
    {"RandomNormal", FSD_OP_RANDOM, 0},
    {"RandomNormalLike", FSD_OP_RANDOM, 0},
    {"RandomUniform", FSD_OP_RANDOM, 0},
    {"RandomUniformLike", FSD_OP_RANDOM, 0},
    {"Range", FSD_OP_SHAPED, 0x7},
    {"Reciprocal", FSD_OP_SHAPED, 0},
    {"ReduceL1", FSD_OP_SHAPED, 0x2},
    {"ReduceL2", FSD_OP_SHAPED, 0x2},
    {"ReduceLogSum", FSD_OP_SHAPED, 0x2},
    {"ReduceLogSumExp", FSD_OP_SHAPED, 0x2},
    {"ReduceMax", FSD_OP_SHAPED, 0x2},
    {"ReduceMean", FSD_OP_SHAPED, 0x2},
    {"ReduceMin", FSD_OP_SHAPED, 0x2},
    {"ReduceProd", FSD_OP_SHAPED, 0x2},
    {"ReduceSum", FSD_OP_SHAPED, 0x2},
    {"ReduceSumSquare", FSD_OP_SHAPED, 0x2},
    {"Relu", FSD_OP_SHAPED, 0},
    {"Reshape", FSD_OP_VIEW | FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"Resize", FSD_OP_SHAPED, 0xc},
    {"ReverseSequence", FSD_OP_SHAPED, 0},
    {"RoiAlign", FSD_OP_SHAPED, 0},
    {"RotaryEmbedding", FSD_OP_SHAPED, 0},
    {"Round", FSD_OP_SHAPED, 0},
    {"Scan", FSD_OP_CONTROL, 0},
    {"ScatterElements", FSD_OP_SHAPED, 0},
    {"ScatterND", FSD_OP_SHAPED, 0},
    {"Selu", FSD_OP_SHAPED, 0},
    {"SequenceMap", FSD_OP_CONTROL, 0},
    {"Shape", FSD_OP_SHAPE | FSD_OP_SHAPED, 0},
    {"Shrink", FSD_OP_SHAPED, 0},
    {"Sigmoid", FSD_OP_SHAPED, 0},
    {"Sign", FSD_OP_SHAPED, 0},
    {"Sin", FSD_OP_SHAPED, 0},
    {"Sinh", FSD_OP_SHAPED, 0},
    {"Size", FSD_OP_SHAPE | FSD_OP_SHAPED, 0},
    {"Slice", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x1e},
    {"Softmax", FSD_OP_SHAPED, 0},
    {"Softplus", FSD_OP_SHAPED, 0},
    {"Softsign", FSD_OP_SHAPED, 0},
    {"SpaceToDepth", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"Split", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"Sqrt", FSD_OP_SHAPED, 0},
    {"Squeeze", FSD_OP_VIEW | FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"Sub", FSD_OP_SHAPED, 0},
    {"Sum", FSD_OP_SHAPED, 0},
    {"Swish", FSD_OP_SHAPED, 0},
    {"TRT_FP8DequantizeLinear", FSD_OP_DEQUANTIZE | FSD_OP_SHAPED, 0},
    {"TRT_FP8QuantizeLinear", FSD_OP_QUANTIZE | FSD_OP_SHAPED, 0},
    {"TRT_INT4DequantizeLinear", FSD_OP_DEQUANTIZE, 0},
    {"TRT_INT4QuantizeLinear", FSD_OP_QUANTIZE, 0},
    {"Tan", FSD_OP_SHAPED, 0},
    {"Tanh", FSD_OP_SHAPED, 0},
    {"ThresholdedRelu", FSD_OP_SHAPED, 0},
    {"Tile", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"TopK", FSD_OP_SHAPED, 0x2},
    {"Transpose", FSD_OP_COMMUTES | FSD_OP_SHAPED, 0},
    {"Trilu", FSD_OP_SHAPED, 0},
    {"Unsqueeze", FSD_OP_VIEW | FSD_OP_COMMUTES | FSD_OP_SHAPED, 0x2},
    {"Upsample", FSD_OP_SHAPED, 0x2},
    {"Where", FSD_OP_SHAPED, 0},
    {"Xor", FSD_OP_SHAPED, 0},
};
/* clang-format on */

static int by_op(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->op);
}

/* Quantizers live in other domains too: com.microsoft's take more types, trt's are
 * what ModelOpt writes for FP8 and INT4. */
static bool domain_is_known(const struct fsd_graph *g, fsd_sym domain, unsigned traits)
{
    const char *text = fsd_text(g->names, domain);

    if (!*text || !strcmp(text, "ai.onnx"))
        return true;
    return (traits & FSD_OP_QDQ) &&
           (!strcmp(text, "com.microsoft") || !strcmp(text, "trt"));
}

static const struct row *find_row(const struct fsd_graph *g, const struct fsd_node *n)
{
    return bsearch(fsd_text(g->names, n->op), rows, FSD_COUNT_OF(rows), sizeof *rows,
                   by_op);
}

unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];
    const struct row *row = find_row(g, n);
    unsigned traits = row ? row->traits : 0;

    if ((n->flags & FSD_NODE_CALL) || !domain_is_known(g, n->domain, traits))
        return 0;
    return traits | FSD_OP_STANDARD;
}

bool fsd_op_input_is_shape(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    const struct row *row = find_row(g, &g->nodes.at[node]);

    return row && i < FSD_OP_SHAPE_OPERANDS && row->shape_operands >> i & 1;
}
