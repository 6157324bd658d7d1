/*
 * Shapes by the definition of operators (ONNX operator specification, opsets 1 to 24),
 * for those that carry a network's work.  A size that does not follow is -1; a rule
 * that cannot even tell the rank says nothing.
 */
#include "cost/shape.h"

#include <stdlib.h>
#include <string.h>

typedef bool rule_fn(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out);

static const struct fsd_shape *input(const struct fsd_diff *d, fsd_id node, uint32_t i)
{
    return fsd_shape_of(d, fsd_node_in_tensor(d->model, node, i));
}

/* The integers of a small constant input; NULL when it has none that were read. */
static const unsigned char *constant(const struct fsd_diff *d, fsd_id node, uint32_t i,
                                     uint32_t *n)
{
    fsd_id tensor = fsd_node_in_tensor(d->model, node, i);
    const struct fsd_value *value =
        tensor == FSD_NONE ? NULL : fsd_tensor_value(d->model, tensor);

    *n = 0;
    if (!value || !value->bytes ||
        fsd_tensor_form(d->model, tensor)->type != FSD_INT64 ||
        value->size > 8 * FSD_SHAPE_RANK)
        return NULL;
    *n = (uint32_t)(value->size / 8);
    return value->bytes;
}

static int64_t int_at(const unsigned char *bytes, uint32_t i)
{
    uint64_t value = 0;

    for (unsigned k = 8; k-- > 0;)
        value = value << 8 | bytes[8 * i + k];
    return (int64_t)value;
}

/* Axes, from the attribute or the second input, as bits; false when not known. */
static bool read_axes(const struct fsd_diff *d, fsd_id node, uint32_t rank,
                      unsigned *axes)
{
    uint32_t n, m;
    const int64_t *list = fsd_node_ints(d->model, node, "axes", &n);
    const unsigned char *bytes = constant(d, node, 1, &m);

    *axes = 0;
    if (!list && !bytes)
        return fsd_node_in_tensor(d->model, node, 1) == FSD_NONE;
    for (uint32_t i = 0; i < (list ? n : m); i++) {
        int64_t axis = list ? list[i] : int_at(bytes, i);

        axis += axis < 0 ? (int64_t)rank : 0;
        if (axis < 0 || axis >= (int64_t)rank)
            return false;
        *axes |= 1u << axis;
    }
    return true;
}

static bool same(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    *out = *input(d, node, 0);
    return out->ranked;
}

static int64_t broadcast_size(int64_t a, int64_t b)
{
    if (a == 1)
        return b;
    if (b == 1 || a == b)
        return a;
    return a > 1 ? a : b > 1 ? b : -1;
}

/* Numpy's rule; `keep` trailing dimensions of the result are left as they are. */
static void broadcast(struct fsd_shape *to, const struct fsd_shape *by, uint32_t keep)
{
    struct fsd_shape wide = to->rank >= by->rank ? *to : *by;
    const struct fsd_shape *narrow = to->rank >= by->rank ? by : to;

    for (uint32_t i = keep; i < narrow->rank; i++) {
        uint32_t w = wide.rank - 1u - i, n = narrow->rank - 1u - i;

        wide.dims[w] = broadcast_size(wide.dims[w], narrow->dims[n]);
    }
    *to = wide;
}

static bool elementwise(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    uint32_t n = d->model->nodes.at[node].in.n;

    for (uint32_t i = 0; i < n; i++) {
        if (!input(d, node, i)->ranked)
            return false;
        if (i)
            broadcast(out, input(d, node, i), 0);
        else
            *out = *input(d, node, 0);
    }
    return n > 0;
}

/* ------------------------------------------------------------ windows over space */

struct window {
    int64_t kernel, stride, dilation, pad, extra;
};

/* A number far beyond any real one comes back as one that is just too large, so that
 * sums of a few cannot overflow. */
static int64_t at_or(const int64_t *list, uint32_t n, uint32_t i, int64_t otherwise)
{
    const int64_t beyond = (int64_t)INT32_MAX + 1;

    if (i >= n)
        return otherwise;
    return list[i] > beyond ? beyond : list[i] < -beyond ? -beyond : list[i];
}

/* Sizes that are no sizes (a hostile stride of 0) are made harmless. */
static struct window window_at(const struct fsd_diff *d, fsd_id node, uint32_t axis,
                               uint32_t spatial, int64_t kernel)
{
    const struct fsd_graph *g = d->model;
    uint32_t ns, nd, np, no;
    const int64_t *strides = fsd_node_ints(g, node, "strides", &ns);
    const int64_t *dilations = fsd_node_ints(g, node, "dilations", &nd);
    const int64_t *pads = fsd_node_ints(g, node, "pads", &np);
    const int64_t *extra = fsd_node_ints(g, node, "output_padding", &no);
    struct window w = {kernel, at_or(strides, ns, axis, 1),
                       at_or(dilations, nd, axis, 1),
                       at_or(pads, np, axis, 0) + at_or(pads, np, axis + spatial, 0),
                       at_or(extra, no, axis, 0)};
    const int64_t limit = INT32_MAX;

    if (w.kernel < 0 || w.kernel > limit || w.stride < 1 || w.stride > limit ||
        w.dilation < 1 || w.dilation > limit || w.pad < -limit || w.pad > limit ||
        w.extra < 0 || w.extra > limit)
        w.kernel = -1;
    return w;
}

static bool pads_itself(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_attr *attr =
        fsd_node_attr(d->model, &d->model->nodes.at[node], "auto_pad");
    const char *word =
        attr && attr->kind == FSD_ATTR_STRING ? fsd_text(d->names, attr->s) : "";

    return !strncmp(word, "SAME", 4);
}

static int64_t slide(const struct fsd_diff *d, fsd_id node, struct window w,
                     int64_t size)
{
    int64_t room;

    if (size < 0 || size > INT32_MAX || w.kernel < 0)
        return -1;
    if (pads_itself(d, node))
        return (size + w.stride - 1) / w.stride;
    room = size + w.pad - (w.dilation * (w.kernel - 1) + 1);
    if (room < 0)
        return -1;
    if (fsd_node_int(d->model, node, "ceil_mode", 0))
        room += w.stride - 1;
    return room / w.stride + 1;
}

static int64_t unslide(const struct fsd_diff *d, fsd_id node, struct window w,
                       int64_t size)
{
    if (size < 1 || size > INT32_MAX || w.kernel < 0)
        return -1;
    if (pads_itself(d, node))
        return size * w.stride;
    return w.stride * (size - 1) + w.extra + w.dilation * (w.kernel - 1) + 1 - w.pad;
}

static bool convolution(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0), *w = input(d, node, 1);
    bool transposed = fsd_node_is(d->model, node, "ConvTranspose");
    int64_t group = fsd_node_int(d->model, node, "group", 1);

    if (!x->ranked || !w->ranked || x->rank != w->rank || x->rank < 3)
        return false;
    *out = *x;
    out->dims[1] = transposed ? fsd_product(w->dims[1], group) : w->dims[0];
    for (uint32_t i = 2; i < x->rank; i++) {
        struct window win = window_at(d, node, i - 2, x->rank - 2u, w->dims[i]);

        out->dims[i] = transposed ? unslide(d, node, win, x->dims[i])
                                  : slide(d, node, win, x->dims[i]);
    }
    return true;
}

static bool pool(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    uint32_t n;
    const int64_t *kernel = fsd_node_ints(d->model, node, "kernel_shape", &n);

    if (!x->ranked || x->rank < 3 || n != x->rank - 2u)
        return false;
    *out = *x;
    for (uint32_t i = 2; i < x->rank; i++)
        out->dims[i] =
            slide(d, node, window_at(d, node, i - 2, n, kernel[i - 2]), x->dims[i]);
    return true;
}

static bool global_pool(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    *out = *input(d, node, 0);
    for (uint32_t i = 2; i < out->rank; i++)
        out->dims[i] = 1;
    return out->ranked;
}

/* --------------------------------------------------------------------- products */

static bool gemm(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *a = input(d, node, 0), *b = input(d, node, 1);

    if (!a->ranked || a->rank != 2 || !b->ranked || b->rank != 2)
        return false;
    out->ranked = true;
    out->rank = 2;
    out->dims[0] = a->dims[fsd_node_int(d->model, node, "transA", 0) ? 1 : 0];
    out->dims[1] = b->dims[fsd_node_int(d->model, node, "transB", 0) ? 0 : 1];
    return true;
}

static bool matmul(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *a = input(d, node, 0), *b = input(d, node, 1);

    if (!a->ranked || !b->ranked || a->rank < 2 || b->rank < 2)
        return false;
    *out = *a;
    broadcast(out, b, 2);
    out->dims[out->rank - 2] = a->dims[a->rank - 2];
    out->dims[out->rank - 1] = b->dims[b->rank - 1];
    return true;
}

/* ------------------------------------------------------------------------ views */

static bool transpose(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    uint32_t n;
    const int64_t *perm = fsd_node_ints(d->model, node, "perm", &n);

    if (!x->ranked || (perm && n != x->rank))
        return false;
    *out = *x;
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t from = perm ? perm[i] : (int64_t)x->rank - 1 - i;

        if (from < 0 || from >= x->rank)
            return false;
        out->dims[i] = x->dims[from];
    }
    return true;
}

static bool flatten(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    int64_t axis = fsd_node_int(d->model, node, "axis", 1);

    axis += axis < 0 ? x->rank : 0;
    if (!x->ranked || axis < 0 || axis > x->rank)
        return false;
    *out = (struct fsd_shape){.ranked = true, .rank = 2, .dims = {1, 1}};
    for (uint32_t i = 0; i < x->rank; i++)
        out->dims[i >= axis] = fsd_product(out->dims[i >= axis], x->dims[i]);
    return true;
}

static bool reshape(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    uint32_t n, open = FSD_SHAPE_RANK;
    const unsigned char *sizes = constant(d, node, 1, &n);
    int64_t all = fsd_shape_count(x), rest = 1;

    if (!sizes)
        return false;
    out->ranked = true;
    out->rank = (uint8_t)n;
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = int_at(sizes, i);

        if (!size)
            size = x->ranked && i < x->rank ? x->dims[i] : -2;
        out->dims[i] = size;
        if (size == -1)
            open = i;
        else
            rest = fsd_product(rest, size);
    }
    for (uint32_t i = 0; i < n; i++)
        if (out->dims[i] < 0)
            out->dims[i] = i == open && rest > 0 && all >= 0 ? all / rest : -1;
    return true;
}

static bool concat(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    int64_t axis = fsd_node_int(d->model, node, "axis", 0);
    uint32_t n = d->model->nodes.at[node].in.n;

    *out = *input(d, node, 0);
    axis += axis < 0 ? out->rank : 0;
    if (!out->ranked || axis < 0 || axis >= out->rank)
        return false;
    for (uint32_t i = 1; i < n; i++) {
        const struct fsd_shape *x = input(d, node, i);
        bool sound = x->ranked && x->rank == out->rank && x->dims[axis] >= 0 &&
                     out->dims[axis] >= 0 && x->dims[axis] < INT32_MAX;

        out->dims[axis] = sound && out->dims[axis] < INT64_C(1) << 40
                              ? out->dims[axis] + x->dims[axis]
                              : -1;
    }
    return true;
}

static bool squeeze(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    unsigned axes;

    if (!x->ranked || !read_axes(d, node, x->rank, &axes) || !axes)
        return false;
    out->ranked = true;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(axes >> i & 1))
            out->dims[out->rank++] = x->dims[i];
    return true;
}

static bool unsqueeze(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    uint32_t n, m, rank, from = 0;
    unsigned axes;

    (void)fsd_node_ints(d->model, node, "axes", &n);
    (void)constant(d, node, 1, &m);
    rank = x->rank + (n ? n : m);
    if (!x->ranked || rank > FSD_SHAPE_RANK || !read_axes(d, node, rank, &axes))
        return false;
    out->ranked = true;
    out->rank = (uint8_t)rank;
    for (uint32_t i = 0; i < rank; i++)
        out->dims[i] = axes >> i & 1 ? 1 : from < x->rank ? x->dims[from++] : -1;
    return true;
}

static bool reduce(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_shape *x = input(d, node, 0);
    bool keep = fsd_node_int(d->model, node, "keepdims", 1) != 0;
    unsigned axes;

    if (!x->ranked || !read_axes(d, node, x->rank, &axes))
        return false;
    if (!axes)
        axes = (1u << x->rank) - 1;
    out->ranked = true;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(axes >> i & 1))
            out->dims[out->rank++] = x->dims[i];
        else if (keep)
            out->dims[out->rank++] = 1;
    return true;
}

static const struct row {
    const char *op;
    rule_fn *rule;
} rows[] = {
    {"Abs", same},
    {"Add", elementwise},
    {"And", elementwise},
    {"AveragePool", pool},
    {"BatchNormalization", same},
    {"Cast", same},
    {"Ceil", same},
    {"Clip", same},
    {"Concat", concat},
    {"Conv", convolution},
    {"ConvTranspose", convolution},
    {"DequantizeLinear", same},
    {"Div", elementwise},
    {"Dropout", same},
    {"Elu", same},
    {"Equal", elementwise},
    {"Erf", same},
    {"Exp", same},
    {"Flatten", flatten},
    {"Floor", same},
    {"Gelu", same},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"Greater", elementwise},
    {"GroupNormalization", same},
    {"HardSigmoid", same},
    {"HardSwish", same},
    {"Identity", same},
    {"InstanceNormalization", same},
    {"LayerNormalization", same},
    {"LeakyRelu", same},
    {"Less", elementwise},
    {"Log", same},
    {"LogSoftmax", same},
    {"MatMul", matmul},
    {"Max", elementwise},
    {"MaxPool", pool},
    {"Mean", elementwise},
    {"Min", elementwise},
    {"Mish", same},
    {"Mul", elementwise},
    {"Neg", same},
    {"Not", same},
    {"Or", elementwise},
    {"PRelu", same},
    {"Pow", elementwise},
    {"QuantizeLinear", same},
    {"Reciprocal", same},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceSum", reduce},
    {"Relu", same},
    {"Reshape", reshape},
    {"Round", same},
    {"Sigmoid", same},
    {"Sign", same},
    {"Softmax", same},
    {"Softplus", same},
    {"Sqrt", same},
    {"Squeeze", squeeze},
    {"Sub", elementwise},
    {"Sum", elementwise},
    {"Tanh", same},
    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},
    {"Where", elementwise},
};

static int by_op(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->op);
}

bool fsd_shape_by_rule(const struct fsd_diff *d, fsd_id node, struct fsd_shape *out)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    const struct row *row;

    if (n->flags & FSD_NODE_CALL)
        return false;
    row = bsearch(fsd_text(d->names, n->op), rows, FSD_COUNT_OF(rows), sizeof *rows,
                  by_op);
    return row && row->rule(d, node, out);
}
