/*
 * Shapes by the definition of operators (ONNX operator specification, opsets 1 to 24;
 * com.microsoft as ONNX Runtime documents it).  A size that does not follow is -1; a
 * rule that cannot even tell the rank says nothing.
 */
#include "cost/shape_rule.h"
#include "cost/attention.h"

#include <stdlib.h>
#include <string.h>

const struct fsd_shape *fsd_shape_in(const struct fsd_shaping *s, fsd_id node,
                                     uint32_t i)
{
    return fsd_shape_of(s->d, fsd_node_in_tensor(s->d->model, node, i));
}

static bool same(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                 struct fsd_shape *out)
{
    *out = *fsd_shape_in(s, node, 0);
    return !i && out->ranked;
}

/* All outputs have the shape of the first input. */
static bool all_same(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                     struct fsd_shape *out)
{
    (void)i;
    return same(s, node, 0, out);
}

/* Elements of the second input's choice, one for each of its indices. */
static bool same_as_second(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                           struct fsd_shape *out)
{
    *out = *fsd_shape_in(s, node, 1);
    return !i && out->ranked;
}

/* What was quantized, its scale, its zero point. */
static bool quantized(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                      struct fsd_shape *out)
{
    return i ? fsd_shape_size(s, node, 0, out) : same(s, node, 0, out);
}

static int64_t broadcast_size(int64_t a, int64_t b)
{
    if (a == 1)
        return b;
    if (b == 1 || a == b)
        return a;
    return a > 1 ? a : b > 1 ? b : -1;
}

void fsd_shape_broadcast(struct fsd_shape *to, const struct fsd_shape *by,
                         uint32_t keep)
{
    struct fsd_shape wide = to->rank >= by->rank ? *to : *by;
    const struct fsd_shape *narrow = to->rank >= by->rank ? by : to;

    for (uint32_t i = keep; i < narrow->rank; i++) {
        uint32_t w = wide.rank - 1u - i, n = narrow->rank - 1u - i;

        wide.dims[w] = broadcast_size(wide.dims[w], narrow->dims[n]);
    }
    *to = wide;
}

static bool elementwise(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                        struct fsd_shape *out)
{
    uint32_t n = s->d->model->nodes.at[node].in.n;

    for (uint32_t k = 0; k < n; k++) {
        if (!fsd_shape_in(s, node, k)->ranked)
            return false;
        if (k)
            fsd_shape_broadcast(out, fsd_shape_in(s, node, k), 0);
        else
            *out = *fsd_shape_in(s, node, 0);
    }
    return !i && n > 0;
}

/* --------------------------------------------------------------------- products */

static bool gemm(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                 struct fsd_shape *out)
{
    const struct fsd_shape *a = fsd_shape_in(s, node, 0), *b = fsd_shape_in(s, node, 1);

    if (i || a->rank != 2 || b->rank != 2)
        return false;
    *out = (struct fsd_shape){.ranked = true, .rank = 2};
    out->dims[0] = a->dims[fsd_node_int(s->d->model, node, "transA", 0) ? 1 : 0];
    out->dims[1] = b->dims[fsd_node_int(s->d->model, node, "transB", 0) ? 0 : 1];
    return true;
}

/* A vector counts as a matrix of one row, or of one column, which is then dropped. */
static bool matmul(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                   struct fsd_shape *out)
{
    struct fsd_shape a = *fsd_shape_in(s, node, 0), b = *fsd_shape_in(s, node, 1);
    bool row = a.rank == 1, column = b.rank == 1;
    int64_t m, n;

    if (i || !a.rank || !b.rank)
        return false;
    if (row)
        a = (struct fsd_shape){true, 2, {1, a.dims[0]}};
    if (column)
        b = (struct fsd_shape){true, 2, {b.dims[0], 1}};
    m = a.dims[a.rank - 2];
    n = b.dims[b.rank - 1];
    *out = a;
    fsd_shape_broadcast(out, &b, 2);
    out->rank = (uint8_t)(out->rank - 2);
    if (!row)
        out->dims[out->rank++] = m;
    if (!column)
        out->dims[out->rank++] = n;
    return true;
}

/* The product of two matrices, either of which may be flipped first. */
static bool fused_matmul(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                         struct fsd_shape *out)
{
    const struct fsd_shape *a = fsd_shape_in(s, node, 0), *b = fsd_shape_in(s, node, 1);
    bool flip_a = fsd_node_int(s->d->model, node, "transA", 0) != 0;
    bool flip_b = fsd_node_int(s->d->model, node, "transB", 0) != 0;

    if (i || a->rank < 2 || b->rank < 2)
        return false;
    *out = *a;
    fsd_shape_broadcast(out, b, 2);
    out->dims[out->rank - 2] = a->dims[a->rank - (flip_a ? 1 : 2)];
    out->dims[out->rank - 1] = b->dims[b->rank - (flip_b ? 2 : 1)];
    return true;
}

/* ----------------------------------------------------------------------- attention */

/* What each head gives for each query: batch x heads x queries x value size, or with
 * the heads side by side in the last dimension. */
static bool attention(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                      struct fsd_shape *out)
{
    struct fsd_attention a = fsd_attention_of(s->d, node);

    if (i)
        return false;
    *out = *fsd_shape_in(s, node, 0);
    if (out->rank == 3)
        out->dims[2] = a.last;
    else if (out->rank == 4)
        out->dims[3] = a.last;
    return out->rank == 3 || out->rank == 4;
}

/* --------------------------------------------------------------------- sequences */

static bool is_both_ways(const struct fsd_shaping *s, fsd_id node)
{
    const struct fsd_attr *attr =
        fsd_node_attr(s->d->model, &s->d->model->nodes.at[node], "direction");

    return attr && attr->kind == FSD_ATTR_STRING &&
           !strcmp(fsd_text(s->d->names, attr->s), "bidirectional");
}

/* LSTM, GRU, RNN: all states, then the last of each kind. */
static bool recurrent(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                      struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0);
    int64_t ways = is_both_ways(s, node) ? 2 : 1;
    int64_t hidden = fsd_node_size(s->d->model, node, "hidden_size", -1);
    bool batch_first = fsd_node_int(s->d->model, node, "layout", 0) != 0;

    if (x->rank != 3)
        return false;
    *out = batch_first ? (struct fsd_shape){true, 3, {x->dims[0], ways, hidden}}
                       : (struct fsd_shape){true, 3, {ways, x->dims[1], hidden}};
    if (!i)
        *out =
            batch_first
                ? (struct fsd_shape){true, 4, {x->dims[0], x->dims[1], ways, hidden}}
                : (struct fsd_shape){true, 4, {x->dims[0], ways, x->dims[1], hidden}};
    return true;
}

/* --------------------------------------------------------------------- detection */

static bool roi_align(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                      struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0), *r = fsd_shape_in(s, node, 1);

    if (i || x->rank != 4 || r->rank != 2)
        return false;
    *out = (struct fsd_shape){true, 4, {r->dims[0], x->dims[1]}};
    out->dims[2] = fsd_node_size(s->d->model, node, "output_height", 1);
    out->dims[3] = fsd_node_size(s->d->model, node, "output_width", 1);
    return true;
}

static bool chosen_boxes(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                         struct fsd_shape *out)
{
    (void)s;
    (void)node;
    *out = (struct fsd_shape){true, 2, {-1, 3}};
    return !i;
}

/* ------------------------------------------------------------------------- table */

struct row {
    const char *op;
    fsd_shape_fn *rule;
};

/* Sorted by name, in strcmp's order. */
static const struct row standard[] = {
    {"Abs", same},
    {"Acos", same},
    {"Acosh", same},
    {"Add", elementwise},
    {"And", elementwise},
    {"ArgMax", fsd_shape_arg},
    {"ArgMin", fsd_shape_arg},
    {"Asin", same},
    {"Asinh", same},
    {"Atan", same},
    {"Atanh", same},
    {"Attention", attention},
    {"AveragePool", fsd_shape_pool},
    {"BatchNormalization", same},
    {"Bernoulli", same},
    {"BitShift", elementwise},
    {"BitwiseAnd", elementwise},
    {"BitwiseNot", same},
    {"BitwiseOr", elementwise},
    {"BitwiseXor", elementwise},
    {"Cast", same},
    {"CastLike", same},
    {"Ceil", same},
    {"Celu", same},
    {"Clip", same},
    {"Concat", fsd_shape_concat},
    {"ConstantOfShape", fsd_shape_filled},
    {"Conv", fsd_shape_convolution},
    {"ConvInteger", fsd_shape_convolution},
    {"ConvTranspose", fsd_shape_convolution},
    {"Cos", same},
    {"Cosh", same},
    {"CumSum", same},
    {"DepthToSpace", fsd_shape_depth_to_space},
    {"DequantizeLinear", same},
    {"Div", elementwise},
    {"Dropout", all_same},
    {"DynamicQuantizeLinear", quantized},
    {"Elu", same},
    {"Equal", elementwise},
    {"Erf", same},
    {"Exp", same},
    {"Expand", fsd_shape_expand},
    {"EyeLike", same},
    {"Flatten", fsd_shape_flatten},
    {"Floor", same},
    {"GRU", recurrent},
    {"Gather", fsd_shape_gather},
    {"GatherElements", same_as_second},
    {"GatherND", fsd_shape_gather_nd},
    {"Gelu", same},
    {"Gemm", gemm},
    {"GlobalAveragePool", fsd_shape_global_pool},
    {"GlobalLpPool", fsd_shape_global_pool},
    {"GlobalMaxPool", fsd_shape_global_pool},
    {"Greater", elementwise},
    {"GreaterOrEqual", elementwise},
    {"GroupNormalization", same},
    {"HardSigmoid", same},
    {"HardSwish", same},
    {"Hardmax", same},
    {"Identity", same},
    {"InstanceNormalization", same},
    {"IsInf", same},
    {"IsNaN", same},
    {"LRN", same},
    {"LSTM", recurrent},
    {"LayerNormalization", same},
    {"LeakyRelu", same},
    {"Less", elementwise},
    {"LessOrEqual", elementwise},
    {"Log", same},
    {"LogSoftmax", same},
    {"LpNormalization", same},
    {"LpPool", fsd_shape_pool},
    {"MatMul", matmul},
    {"MatMulInteger", matmul},
    {"Max", elementwise},
    {"MaxPool", fsd_shape_pool},
    {"Mean", elementwise},
    {"MeanVarianceNormalization", same},
    {"Min", elementwise},
    {"Mish", same},
    {"Mod", elementwise},
    {"Mul", elementwise},
    {"Neg", same},
    {"NonMaxSuppression", chosen_boxes},
    {"NonZero", fsd_shape_non_zero},
    {"Not", same},
    {"Or", elementwise},
    {"PRelu", same},
    {"Pad", fsd_shape_pad},
    {"Pow", elementwise},
    {"QuantizeLinear", same},
    {"RMSNormalization", same},
    {"RNN", recurrent},
    {"RandomNormalLike", same},
    {"RandomUniformLike", same},
    {"Range", fsd_shape_range},
    {"Reciprocal", same},
    {"ReduceL1", fsd_shape_reduce},
    {"ReduceL2", fsd_shape_reduce},
    {"ReduceLogSum", fsd_shape_reduce},
    {"ReduceLogSumExp", fsd_shape_reduce},
    {"ReduceMax", fsd_shape_reduce},
    {"ReduceMean", fsd_shape_reduce},
    {"ReduceMin", fsd_shape_reduce},
    {"ReduceProd", fsd_shape_reduce},
    {"ReduceSum", fsd_shape_reduce},
    {"ReduceSumSquare", fsd_shape_reduce},
    {"Relu", same},
    {"Reshape", fsd_shape_reshape},
    {"Resize", fsd_shape_resize},
    {"ReverseSequence", same},
    {"RoiAlign", roi_align},
    {"Round", same},
    {"Scatter", same},
    {"ScatterElements", same},
    {"ScatterND", same},
    {"Selu", same},
    {"Shape", fsd_shape_shape},
    {"Shrink", same},
    {"Sigmoid", same},
    {"Sign", same},
    {"Sin", same},
    {"Sinh", same},
    {"Size", fsd_shape_size},
    {"Slice", fsd_shape_slice},
    {"Softmax", same},
    {"Softplus", same},
    {"Softsign", same},
    {"SpaceToDepth", fsd_shape_space_to_depth},
    {"Split", fsd_shape_split},
    {"Sqrt", same},
    {"Squeeze", fsd_shape_squeeze},
    {"Sub", elementwise},
    {"Sum", elementwise},
    {"Swish", same},
    {"TRT_FP8DequantizeLinear", same},
    {"TRT_FP8QuantizeLinear", same},
    {"TRT_INT4DequantizeLinear", same},
    {"TRT_INT4QuantizeLinear", same},
    {"Tan", same},
    {"Tanh", same},
    {"ThresholdedRelu", same},
    {"Tile", fsd_shape_tile},
    {"TopK", fsd_shape_top_k},
    {"Transpose", fsd_shape_transpose},
    {"Trilu", same},
    {"Unsqueeze", fsd_shape_unsqueeze},
    {"Upsample", fsd_shape_resize},
    {"Where", elementwise},
    {"Xor", elementwise},
};

/* com.microsoft */
static const struct row microsoft[] = {
    {"Attention", attention},
    {"BiasGelu", same},
    {"FastGelu", same},
    {"FusedGemm", gemm},
    {"FusedMatMul", fused_matmul},
    {"Gelu", same},
    {"MultiHeadAttention", attention},
    {"QuickGelu", same},
    {"SkipLayerNormalization", same},
};

static int by_op(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->op);
}

static const struct row *row_of(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    const char *op = fsd_text(d->names, n->op);

    if (n->flags & FSD_NODE_CALL)
        return NULL;
    if (!strcmp(fsd_text(d->names, n->domain), "com.microsoft"))
        return bsearch(op, microsoft, FSD_COUNT_OF(microsoft), sizeof *microsoft,
                       by_op);
    return d->facts->traits[node] & FSD_OP_STANDARD
               ? bsearch(op, standard, FSD_COUNT_OF(standard), sizeof *standard, by_op)
               : NULL;
}

bool fsd_shape_by_rule(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                       struct fsd_shape *out)
{
    const struct row *row = row_of(s->d, node);

    *out = (struct fsd_shape){0};
    if (!row || !row->rule(s, node, i, out))
        return false;
    for (uint32_t k = 0; k < out->rank; k++)
        if (out->dims[k] < 0 && !fsd_amount_is_open(s->t, out->dims[k]))
            out->dims[k] = -1; /* a number below 0 is no size */
    return true;
}
