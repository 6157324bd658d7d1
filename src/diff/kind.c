/*
 * Kinds, after the links are known: a layer all of whose nodes are Q or DQ is a
 * quantize layer whatever its type (builders make it a scale, a reformat, a generated
 * kernel), and what computes no node though it only moves data was inserted.
 */
#include "diff/diff.h"

/* A layer whose nodes are all quantizers, at least one.  A Concat does not count: a DQ
 * that writes its part of one in place is still a DQ.  Nor does what is constant, as
 * its scale. */
static bool only_quantizes(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;
    bool any = false;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;
        bool quantizes = d->facts->traits[node] & FSD_OP_QDQ;

        any |= quantizes;
        if (!quantizes && !d->facts->folded[node] && !m->gone[node] &&
            !fsd_node_is(d->model, node, "Concat"))
            return false;
    }
    return any;
}

/* ------------------------------------------------------------------ precision */

static enum fsd_dtype port_type(const struct fsd_diff *d, struct fsd_span ports,
                                uint32_t i)
{
    return fsd_port_form(d->engine, &d->engine->ports.at[ports.at + i])->type;
}

static enum fsd_dtype narrowest(const struct fsd_diff *d, struct fsd_span ports)
{
    enum fsd_dtype best = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < ports.n; i++) {
        enum fsd_dtype type = port_type(d, ports, i);

        if (fsd_dtype_rank(type) &&
            (!fsd_dtype_rank(best) || fsd_dtype_rank(type) < fsd_dtype_rank(best)))
            best = type;
    }
    return best;
}

static enum fsd_dtype first_known(const struct fsd_diff *d, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++)
        if (port_type(d, ports, i) != FSD_DTYPE_UNKNOWN)
            return port_type(d, ports, i);
    return FSD_DTYPE_UNKNOWN;
}

/* A layer computes in the type of what it reads: an INT8 convolution with an FP16
 * residual is an INT8 convolution.  One that only moves data has the type it writes. */
static enum fsd_dtype precision(const struct fsd_diff *d, fsd_id layer,
                                enum fsd_kind kind)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    bool computes = kind == FSD_KIND_COMPUTE || kind == FSD_KIND_FOREIGN;
    enum fsd_dtype type = computes ? narrowest(d, n->in) : first_known(d, n->out);

    if (type == FSD_DTYPE_UNKNOWN)
        type = computes ? narrowest(d, n->out) : first_known(d, n->in);
    if (type == FSD_DTYPE_UNKNOWN)
        type = first_known(d, n->out);
    if (computes && type == FSD_FP32 && d->engine->layers.at[layer].rounds_to)
        type = d->engine->layers.at[layer].rounds_to;
    return type;
}

const struct fsd_layer_result *fsd_diff_layers(const struct fsd_diff *d)
{
    struct fsd_layer_result *layers =
        FSD_NEW(d->arena, struct fsd_layer_result, d->engine->nodes.n);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        struct fsd_layer_result *r = &layers[i];
        const struct fsd_layer *l = &d->engine->layers.at[i];

        r->kind = l->kind;
        if ((l->kind == FSD_KIND_COMPUTE || l->kind == FSD_KIND_REFORMAT) &&
            l->may_quantize && only_quantizes(d, i))
            r->kind = FSD_KIND_QUANTIZE;
        r->inserted = (r->kind == FSD_KIND_REFORMAT || r->kind == FSD_KIND_COPY ||
                       r->kind == FSD_KIND_NOOP) &&
                      !d->match->of_layer[i].n &&
                      d->match->region_of_layer[i] == FSD_NONE;
        r->precision = precision(d, i, r->kind);
    }
    return layers;
}
