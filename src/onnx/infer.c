#include "onnx/infer.h"
#include "model/ops.h"
#include "onnx/tensor.h"

#include <stdlib.h>
#include <string.h>

/* What type an output has: 0 to 15, that of this input; else one of these. */
enum rule {
    ANY_IN = 16, /* all inputs have one type: the first that is known */
    TO_BOOL,
    TO_FP32,
    TO_FP8,
    TO_INT4,
    TO_INT32,
    TO_INT64,
    TO_UINT8,
    BY_TO,       /* the attribute `to` */
    BY_DTYPE,    /* the attribute `dtype`, else fp32 */
    BY_DTYPE_IN, /* the attribute `dtype`, else that of input 0 */
    BY_ZERO,     /* QuantizeLinear */
    BY_SCALE,    /* DequantizeLinear */
    BY_VALUE,    /* ConstantOfShape */
    NOTHING
};

enum { SAME_SHAPE = 1 };

struct row {
    const char *op;
    uint8_t first, rest; /* enum rule: of output 0, of the others */
    uint8_t shape;       /* SAME_SHAPE: output 0 has the shape of input 0 */
};

/* Sorted by name, in strcmp's order. */
static const struct row rows[] = {
    {"Abs", 0, NOTHING, SAME_SHAPE},
    {"Acos", 0, NOTHING, SAME_SHAPE},
    {"Acosh", 0, NOTHING, SAME_SHAPE},
    {"Add", ANY_IN, NOTHING, 0},
    {"And", TO_BOOL, NOTHING, 0},
    {"ArgMax", TO_INT64, NOTHING, 0},
    {"ArgMin", TO_INT64, NOTHING, 0},
    {"Asin", 0, NOTHING, SAME_SHAPE},
    {"Asinh", 0, NOTHING, SAME_SHAPE},
    {"Atan", 0, NOTHING, SAME_SHAPE},
    {"Atanh", 0, NOTHING, SAME_SHAPE},
    {"Attention", 0, NOTHING, 0},
    {"AveragePool", 0, NOTHING, 0},
    {"BatchNormalization", 0, NOTHING, SAME_SHAPE},
    {"Bernoulli", BY_DTYPE_IN, NOTHING, SAME_SHAPE},
    {"BitShift", ANY_IN, NOTHING, 0},
    {"BitwiseAnd", ANY_IN, NOTHING, 0},
    {"BitwiseNot", 0, NOTHING, SAME_SHAPE},
    {"BitwiseOr", ANY_IN, NOTHING, 0},
    {"BitwiseXor", ANY_IN, NOTHING, 0},
    {"Cast", BY_TO, NOTHING, SAME_SHAPE},
    {"CastLike", 1, NOTHING, SAME_SHAPE},
    {"Ceil", 0, NOTHING, SAME_SHAPE},
    {"Celu", 0, NOTHING, SAME_SHAPE},
    {"Clip", 0, NOTHING, SAME_SHAPE},
    {"Compress", 0, NOTHING, 0},
    {"Concat", ANY_IN, NOTHING, 0},
    {"ConstantOfShape", BY_VALUE, NOTHING, 0},
    {"Conv", ANY_IN, NOTHING, 0},
    {"ConvInteger", TO_INT32, NOTHING, 0},
    {"ConvTranspose", ANY_IN, NOTHING, 0},
    {"Cos", 0, NOTHING, SAME_SHAPE},
    {"Cosh", 0, NOTHING, SAME_SHAPE},
    {"CumSum", 0, NOTHING, SAME_SHAPE},
    {"DepthToSpace", 0, NOTHING, 0},
    {"DequantizeLinear", BY_SCALE, NOTHING, SAME_SHAPE},
    {"Div", ANY_IN, NOTHING, 0},
    {"Dropout", 0, NOTHING, SAME_SHAPE},
    {"DynamicQuantizeLinear", TO_UINT8, NOTHING, SAME_SHAPE},
    {"Einsum", ANY_IN, NOTHING, 0},
    {"Elu", 0, NOTHING, SAME_SHAPE},
    {"Equal", TO_BOOL, NOTHING, 0},
    {"Erf", 0, NOTHING, SAME_SHAPE},
    {"Exp", 0, NOTHING, SAME_SHAPE},
    {"Expand", 0, NOTHING, 0},
    {"EyeLike", BY_DTYPE_IN, NOTHING, SAME_SHAPE},
    {"Flatten", 0, NOTHING, 0},
    {"Floor", 0, NOTHING, SAME_SHAPE},
    {"GRU", 0, 0, 0},
    {"Gather", 0, NOTHING, 0},
    {"GatherElements", 0, NOTHING, 0},
    {"GatherND", 0, NOTHING, 0},
    {"Gelu", 0, NOTHING, SAME_SHAPE},
    {"Gemm", ANY_IN, NOTHING, 0},
    {"GlobalAveragePool", 0, NOTHING, 0},
    {"GlobalLpPool", 0, NOTHING, 0},
    {"GlobalMaxPool", 0, NOTHING, 0},
    {"Greater", TO_BOOL, NOTHING, 0},
    {"GreaterOrEqual", TO_BOOL, NOTHING, 0},
    {"GridSample", 0, NOTHING, 0},
    {"GroupNormalization", 0, NOTHING, SAME_SHAPE},
    {"HardSigmoid", 0, NOTHING, SAME_SHAPE},
    {"HardSwish", 0, NOTHING, SAME_SHAPE},
    {"Hardmax", 0, NOTHING, SAME_SHAPE},
    {"Identity", 0, NOTHING, SAME_SHAPE},
    {"InstanceNormalization", 0, NOTHING, SAME_SHAPE},
    {"IsInf", TO_BOOL, NOTHING, SAME_SHAPE},
    {"IsNaN", TO_BOOL, NOTHING, SAME_SHAPE},
    {"LRN", 0, NOTHING, SAME_SHAPE},
    {"LSTM", 0, 0, 0},
    {"LayerNormalization", 0, NOTHING, SAME_SHAPE},
    {"LeakyRelu", 0, NOTHING, SAME_SHAPE},
    {"Less", TO_BOOL, NOTHING, 0},
    {"LessOrEqual", TO_BOOL, NOTHING, 0},
    {"Log", 0, NOTHING, SAME_SHAPE},
    {"LogSoftmax", 0, NOTHING, SAME_SHAPE},
    {"LpNormalization", 0, NOTHING, SAME_SHAPE},
    {"LpPool", 0, NOTHING, 0},
    {"MatMul", ANY_IN, NOTHING, 0},
    {"MatMulInteger", TO_INT32, NOTHING, 0},
    {"Max", ANY_IN, NOTHING, 0},
    {"MaxPool", 0, TO_INT64, 0},
    {"MaxRoiPool", 0, NOTHING, 0},
    {"MaxUnpool", 0, NOTHING, 0},
    {"Mean", ANY_IN, NOTHING, 0},
    {"MeanVarianceNormalization", 0, NOTHING, SAME_SHAPE},
    {"Min", ANY_IN, NOTHING, 0},
    {"Mish", 0, NOTHING, SAME_SHAPE},
    {"Mod", ANY_IN, NOTHING, 0},
    {"Mul", ANY_IN, NOTHING, 0},
    {"Neg", 0, NOTHING, SAME_SHAPE},
    {"NonMaxSuppression", TO_INT64, NOTHING, 0},
    {"NonZero", TO_INT64, NOTHING, 0},
    {"Not", TO_BOOL, NOTHING, SAME_SHAPE},
    {"OneHot", 2, NOTHING, 0},
    {"Or", TO_BOOL, NOTHING, 0},
    {"PRelu", 0, NOTHING, SAME_SHAPE},
    {"Pad", 0, NOTHING, 0},
    {"Pow", 0, NOTHING, 0},
    {"QLinearConv", 7, NOTHING, 0},
    {"QLinearMatMul", 7, NOTHING, 0},
    {"QuantizeLinear", BY_ZERO, NOTHING, SAME_SHAPE},
    {"RMSNormalization", 1, NOTHING, SAME_SHAPE},
    {"RNN", 0, 0, 0},
    {"RandomNormal", BY_DTYPE, NOTHING, 0},
    {"RandomNormalLike", BY_DTYPE_IN, NOTHING, SAME_SHAPE},
    {"RandomUniform", BY_DTYPE, NOTHING, 0},
    {"RandomUniformLike", BY_DTYPE_IN, NOTHING, SAME_SHAPE},
    {"Range", ANY_IN, NOTHING, 0},
    {"Reciprocal", 0, NOTHING, SAME_SHAPE},
    {"ReduceL1", 0, NOTHING, 0},
    {"ReduceL2", 0, NOTHING, 0},
    {"ReduceLogSum", 0, NOTHING, 0},
    {"ReduceLogSumExp", 0, NOTHING, 0},
    {"ReduceMax", 0, NOTHING, 0},
    {"ReduceMean", 0, NOTHING, 0},
    {"ReduceMin", 0, NOTHING, 0},
    {"ReduceProd", 0, NOTHING, 0},
    {"ReduceSum", 0, NOTHING, 0},
    {"ReduceSumSquare", 0, NOTHING, 0},
    {"Relu", 0, NOTHING, SAME_SHAPE},
    {"Reshape", 0, NOTHING, 0},
    {"Resize", 0, NOTHING, 0},
    {"ReverseSequence", 0, NOTHING, SAME_SHAPE},
    {"RoiAlign", 0, NOTHING, 0},
    {"Round", 0, NOTHING, SAME_SHAPE},
    {"Scatter", 0, NOTHING, SAME_SHAPE},
    {"ScatterElements", 0, NOTHING, SAME_SHAPE},
    {"ScatterND", 0, NOTHING, SAME_SHAPE},
    {"Selu", 0, NOTHING, SAME_SHAPE},
    {"Shape", TO_INT64, NOTHING, 0},
    {"Shrink", 0, NOTHING, SAME_SHAPE},
    {"Sigmoid", 0, NOTHING, SAME_SHAPE},
    {"Sign", 0, NOTHING, SAME_SHAPE},
    {"Sin", 0, NOTHING, SAME_SHAPE},
    {"Sinh", 0, NOTHING, SAME_SHAPE},
    {"Size", TO_INT64, NOTHING, 0},
    {"Slice", 0, NOTHING, 0},
    {"Softmax", 0, NOTHING, SAME_SHAPE},
    {"Softplus", 0, NOTHING, SAME_SHAPE},
    {"Softsign", 0, NOTHING, SAME_SHAPE},
    {"SpaceToDepth", 0, NOTHING, 0},
    {"Split", 0, 0, 0},
    {"Sqrt", 0, NOTHING, SAME_SHAPE},
    {"Squeeze", 0, NOTHING, 0},
    {"Sub", ANY_IN, NOTHING, 0},
    {"Sum", ANY_IN, NOTHING, 0},
    {"Swish", 0, NOTHING, SAME_SHAPE},
    {"TRT_FP8DequantizeLinear", 1, NOTHING, SAME_SHAPE},
    {"TRT_FP8QuantizeLinear", TO_FP8, NOTHING, SAME_SHAPE},
    {"TRT_INT4DequantizeLinear", 1, NOTHING, SAME_SHAPE},
    {"TRT_INT4QuantizeLinear", TO_INT4, NOTHING, SAME_SHAPE},
    {"Tan", 0, NOTHING, SAME_SHAPE},
    {"Tanh", 0, NOTHING, SAME_SHAPE},
    {"ThresholdedRelu", 0, NOTHING, SAME_SHAPE},
    {"Tile", 0, NOTHING, 0},
    {"TopK", 0, TO_INT64, 0},
    {"Transpose", 0, NOTHING, 0},
    {"Trilu", 0, NOTHING, SAME_SHAPE},
    {"Unique", 0, TO_INT64, 0},
    {"Unsqueeze", 0, NOTHING, 0},
    {"Upsample", 0, NOTHING, 0},
    {"Where", 1, NOTHING, 0},
    {"Xor", TO_BOOL, NOTHING, 0},
};

static int by_op(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->op);
}

static enum fsd_dtype input_type(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    return fsd_tensor_form(g, fsd_node_in_tensor(g, node, i))->type;
}

static enum fsd_dtype any_input_type(const struct fsd_graph *g, fsd_id node)
{
    enum fsd_dtype type = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; !type && i < g->nodes.at[node].in.n; i++)
        type = input_type(g, node, i);
    return type;
}

static enum fsd_dtype type_attr(const struct fsd_graph *g, fsd_id node,
                                const char *name, enum fsd_dtype otherwise)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    return attr && attr->kind == FSD_ATTR_INT && attr->i ? fsd_onnx_dtype(attr->i)
                                                         : otherwise;
}

/* A zero point that is left out means uint8, unless output_dtype says otherwise; one
 * whose type is not known says nothing. */
static enum fsd_dtype quantized_type(const struct fsd_graph *g, fsd_id node)
{
    if (fsd_node_in_tensor(g, node, 2) != FSD_NONE)
        return input_type(g, node, 2);
    return type_attr(g, node, "output_dtype", FSD_UINT8);
}

static enum fsd_dtype filled_type(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], "value");

    if (!attr)
        return FSD_FP32;
    return attr->form == FSD_NONE ? FSD_DTYPE_UNKNOWN : g->forms.at[attr->form].type;
}

static enum fsd_dtype type_by_rule(const struct fsd_graph *g, fsd_id node,
                                   unsigned rule)
{
    static const enum fsd_dtype fixed[] = {FSD_BOOL,  FSD_FP32,  FSD_FP8,  FSD_INT4,
                                           FSD_INT32, FSD_INT64, FSD_UINT8};

    if (rule < ANY_IN)
        return input_type(g, node, rule);
    if (rule >= TO_BOOL && rule <= TO_UINT8)
        return fixed[rule - TO_BOOL];
    switch (rule) {
    case ANY_IN:
        return any_input_type(g, node);
    case BY_TO:
        return type_attr(g, node, "to", FSD_DTYPE_UNKNOWN);
    case BY_DTYPE:
        return type_attr(g, node, "dtype", FSD_FP32);
    case BY_DTYPE_IN:
        return type_attr(g, node, "dtype", input_type(g, node, 0));
    case BY_ZERO:
        return quantized_type(g, node);
    case BY_SCALE:
        return type_attr(g, node, "output_dtype", input_type(g, node, 1));
    case BY_VALUE:
        return filled_type(g, node);
    default:
        return FSD_DTYPE_UNKNOWN;
    }
}

/* Completes what is known of a tensor.  Forms may be shared, so a new one is made; the
 * dims are shared, so a long chain of operators costs no more than its nodes. */
static void learn(struct fsd_graph *g, fsd_id tensor, enum fsd_dtype type,
                  const struct fsd_form *shape)
{
    struct fsd_form form = *fsd_tensor_form(g, tensor);
    bool new_type = !form.type && type;
    bool new_shape = !form.ranked && shape && shape->ranked;

    if (!new_type && !new_shape)
        return;
    if (new_type)
        form.type = type;
    if (new_shape) {
        form.ranked = true;
        form.dims = shape->dims;
    }
    fsd_vec_push(g->arena, &g->forms, form);
    g->tensors.at[tensor].form = g->forms.n - 1;
}

static void infer_node(struct fsd_graph *g, fsd_id id)
{
    const struct fsd_node *node = &g->nodes.at[id];
    const struct row *row = bsearch(fsd_text(g->names, node->op), rows,
                                    FSD_COUNT_OF(rows), sizeof *rows, by_op);

    if (!row || !(fsd_op_traits(g, id) & FSD_OP_STANDARD))
        return;
    for (uint32_t i = 0; i < node->out.n; i++) {
        unsigned rule = i ? row->rest : row->first;
        fsd_id out = fsd_node_out_tensor(g, id, i);
        bool shape = !i && row->shape == SAME_SHAPE;

        if (out == FSD_NONE)
            continue;
        learn(g, out, type_by_rule(g, id, rule),
              shape ? fsd_tensor_form(g, fsd_node_in_tensor(g, id, 0)) : NULL);
    }
}

/* A function's inputs are what its call gives it. */
static void infer_formals(struct fsd_graph *g, const struct fsd_scope *scope)
{
    for (uint32_t i = 0; i < scope->inputs.n; i++) {
        struct fsd_tensor *formal = &g->tensors.at[g->links.at[scope->inputs.at + i]];
        fsd_id actual = fsd_node_in_tensor(g, scope->owner, i);

        if (actual == FSD_NONE)
            continue;
        if (formal->form == FSD_NONE)
            formal->form = g->tensors.at[actual].form;
        formal->value = g->tensors.at[actual].value;
    }
}

void fsd_onnx_infer(struct fsd_graph *g)
{
    fsd_id scope = 0;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        if (g->nodes.at[i].scope != scope) {
            scope = g->nodes.at[i].scope;
            if (g->scopes.at[scope].kind == FSD_SCOPE_FUNCTION)
                infer_formals(g, &g->scopes.at[scope]);
        }
        infer_node(g, i);
    }
}
