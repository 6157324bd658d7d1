/*
 * Multiply-adds, by the shapes of the model's nodes; of a layer, by the sizes that the
 * engine tells where it does, since these are what was built.
 *
 *     Conv            output elements x input channels of a group x window
 *     ConvTranspose   input elements x output channels of a group x window
 *     Gemm, MatMul    output elements x the summed dimension
 *     Attention       2 x heads x queries x keys x head size, a batch
 *
 * Everything else does no multiply-adds worth counting: its cost is in its bytes.
 */
#include "cost/amount.h"
#include "cost/attention.h"
#include "cost/cost.h"
#include "cost/shape.h"

#include <string.h>

typedef int64_t macs_fn(const struct fsd_diff *d, fsd_id node);

static const struct fsd_shape *input(const struct fsd_diff *d, fsd_id node, uint32_t i)
{
    return fsd_shape_of(d, fsd_node_in_tensor(d->model, node, i));
}

static int64_t out_count(const struct fsd_diff *d, fsd_id node)
{
    return fsd_shape_count(d, fsd_shape_of(d, fsd_node_out_tensor(d->model, node, 0)));
}

/* What stands behind the first dimension of a weight: for a Conv, what one output
 * element takes; for a ConvTranspose, what one input element gives. */
static int64_t behind_first(const struct fsd_diff *d, const struct fsd_shape *w)
{
    int64_t n = w->ranked && w->rank ? 1 : -1;

    for (uint32_t i = 1; i < w->rank; i++)
        n = fsd_times(d->cost->amounts, n, w->dims[i]);
    return n;
}

static int64_t conv(const struct fsd_diff *d, fsd_id node)
{
    return fsd_times(d->cost->amounts, out_count(d, node),
                     behind_first(d, input(d, node, 1)));
}

static int64_t qlinear_conv(const struct fsd_diff *d, fsd_id node)
{
    return fsd_times(d->cost->amounts, out_count(d, node),
                     behind_first(d, input(d, node, 3)));
}

static int64_t conv_transpose(const struct fsd_diff *d, fsd_id node)
{
    return fsd_times(d->cost->amounts, fsd_shape_count(d, input(d, node, 0)),
                     behind_first(d, input(d, node, 1)));
}

static int64_t gemm(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *a = input(d, node, 0);
    bool flipped = fsd_node_int(d->model, node, "transA", 0) != 0;

    return a->rank == 2 ? fsd_times(d->cost->amounts, out_count(d, node),
                                    a->dims[flipped ? 0 : 1])
                        : -1;
}

static int64_t matmul(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *a = input(d, node, 0);

    return a->rank
               ? fsd_times(d->cost->amounts, out_count(d, node), a->dims[a->rank - 1])
               : -1;
}

static int64_t fused_matmul(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *a = input(d, node, 0);
    bool flipped = fsd_node_int(d->model, node, "transA", 0) != 0;

    return a->rank > 1 ? fsd_times(d->cost->amounts, out_count(d, node),
                                   a->dims[a->rank - (flipped ? 2 : 1)])
                       : -1;
}

struct row {
    const char *op;
    macs_fn *macs;
};

static const struct row standard[] = {
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"ConvInteger", conv},
    {"QLinearConv", qlinear_conv},
    {"Gemm", gemm},
    {"MatMul", matmul},
    {"MatMulInteger", matmul},
    {"QLinearMatMul", matmul},
    {"Attention", fsd_attention_macs},
};

/* com.microsoft */
static const struct row microsoft[] = {
    {"Attention", fsd_attention_macs},
    {"FusedGemm", gemm},
    {"FusedMatMul", fused_matmul},
    {"MultiHeadAttention", fsd_attention_macs},
};

/* Operators that multiply-add in ways which are not counted here. */
static bool is_opaque(const struct fsd_diff *d, fsd_id node)
{
    static const char *const ops[] = {"Einsum", "LSTM", "GRU",  "RNN",
                                      "If",     "Loop", "Scan", "DeformConv"};

    for (size_t i = 0; i < FSD_COUNT_OF(ops); i++)
        if (fsd_node_is(d->model, node, ops[i]))
            return true;
    return !(d->facts->traits[node] & FSD_OP_STANDARD);
}

static int64_t node_macs(const struct fsd_diff *d, fsd_id node)
{
    for (size_t i = 0; i < FSD_COUNT_OF(standard); i++)
        if (fsd_node_is(d->model, node, standard[i].op))
            return standard[i].macs(d, node);
    for (size_t i = 0; i < FSD_COUNT_OF(microsoft); i++)
        if (fsd_node_is_microsoft(d, node, microsoft[i].op))
            return microsoft[i].macs(d, node);
    return is_opaque(d, node) ? -1 : 0;
}

/* ---------------------------------------------------------------------- layers */

static int64_t port_count(const struct fsd_diff *d, const struct fsd_port *port,
                          uint32_t *channels)
{
    const struct fsd_form *form = fsd_port_form(d->engine, port);
    int64_t n = form->ranked ? 1 : -1;

    *channels = 0;
    for (uint32_t i = 0; form->ranked && i < form->dims.n; i++) {
        int64_t size = fsd_port_size(d, port, form, i);

        n = fsd_times(d->cost->amounts, n, size);
        if (i == 1 && size > 0 && size < UINT32_MAX)
            *channels = (uint32_t)size;
    }
    return n;
}

/* A convolution as the dump describes it: its weights a channel, once for each element
 * of the tensor that has these channels. */
static int64_t described(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    bool transposed = strstr(fsd_text(d->names, n->op), "econvolution") != NULL;
    int64_t maps = fsd_node_int(d->engine, layer, "OutMaps", 0), count;
    uint32_t channels;

    if (!n->in.n || !n->out.n || !l->weights || l->weights > INT64_MAX || maps < 1 ||
        strcmp(fsd_text(d->names, l->subtype), "Convolution") != 0)
        return -1;
    count = port_count(d, fsd_node_in(d->engine, n, 0), &channels);
    if (transposed) /* its weights are input channels x maps of a group x window */
        return channels
                   ? fsd_times(d->cost->amounts, count, (int64_t)l->weights / channels)
                   : -1;
    count = port_count(d, fsd_node_out(d->engine, n, 0), &channels);
    return channels == maps
               ? fsd_times(d->cost->amounts, count, (int64_t)l->weights / maps)
               : -1;
}

static bool multiplies(const struct fsd_diff *d, fsd_id layer)
{
    const char *type = fsd_text(d->names, d->engine->nodes.at[layer].op);

    return strstr(type, "gemm") || strstr(type, "Gemm") || strstr(type, "onvolution") ||
           strstr(type, "MatrixMultiply");
}

/* Which layer does a node's multiply-adds: its only one; of several (a Gemm and what
 * reshapes around it) the only one whose type says so.  FSD_NONE: not known. */
static fsd_id worker(const struct fsd_diff *d, fsd_id node)
{
    fsd_id found = FSD_NONE;
    uint32_t n = d->match->of_node[node].n;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, node, i)->layer;

        if (n > 1 && !multiplies(d, layer))
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = layer;
    }
    return found;
}

static int64_t of_nodes(const struct fsd_diff *d, fsd_id layer)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node, by;
        int64_t macs = d->cost->nodes[node].macs;

        if (d->nodes[node].fate != FSD_FATE_LAYER || !macs)
            continue;
        by = worker(d, node);
        if (by != FSD_NONE && by != layer)
            continue;
        sum = by == FSD_NONE ? -1 : fsd_plus(d->cost->amounts, sum, macs);
    }
    return sum;
}

static bool computes(enum fsd_kind kind)
{
    return kind == FSD_KIND_COMPUTE || kind == FSD_KIND_FOREIGN;
}

static int64_t layer_macs(const struct fsd_diff *d, fsd_id layer)
{
    int64_t macs;

    if (!computes(d->layers[layer].kind))
        return 0;
    macs = described(d, layer);
    if (macs == -1 && d->match->of_layer[layer].n)
        macs = of_nodes(d, layer);
    return macs;
}

void fsd_cost_macs(const struct fsd_diff *d, struct fsd_cost *c)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        int64_t macs = node_macs(d, i);

        c->nodes[i].macs = macs;
        c->nodes[i].work = macs ? macs : out_count(d, i);
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        c->layers[i].macs = layer_macs(d, i);
}
