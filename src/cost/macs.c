/*
 * Multiply-adds: of a node by its operator (ops/macs.c); of a layer, by the sizes that
 * the engine tells where it does, since these are what was built.
 */
#include "cost/cost.h"

#include <string.h>

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
    int64_t count;
    uint32_t channels;

    if (!n->in.n || !n->out.n || !l->weights || l->weights > INT64_MAX || l->maps < 1)
        return -1;
    count = port_count(d, fsd_node_in(d->engine, n, 0), &channels);
    if (l->transposed) /* its weights are input channels x maps of a group x window */
        return channels
                   ? fsd_times(d->cost->amounts, count, (int64_t)l->weights / channels)
                   : -1;
    count = port_count(d, fsd_node_out(d->engine, n, 0), &channels);
    return channels == l->maps
               ? fsd_times(d->cost->amounts, count, (int64_t)l->weights / l->maps)
               : -1;
}

/* Which layer does a node's multiply-adds: its only one; of several (a Gemm and what
 * reshapes around it) the only one whose type says so.  FSD_NONE: not known. */
static fsd_id worker(const struct fsd_diff *d, fsd_id node)
{
    fsd_id found = FSD_NONE;
    uint32_t n = d->match->of_node[node].n;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, node, i)->layer;

        if (n > 1 && !d->engine->layers.at[layer].multiplies)
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
        by = d->cost->nodes[node].worker;
        if (by != FSD_NONE && by != layer)
            continue;
        sum = by == FSD_NONE ? -1 : fsd_plus(d->cost->amounts, sum, macs);
    }
    return sum;
}

/* A node without multiply-adds has the elements that it writes for work. */
void fsd_cost_macs(const struct fsd_diff *d, struct fsd_cost *c)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        struct fsd_node_cost *r = &c->nodes[i];
        fsd_id out = fsd_node_out_tensor(d->model, i, 0);

        r->worker = worker(d, i);
        r->macs = r->work = fsd_op_macs(c->sizes, i);
        if (!r->macs)
            r->work = fsd_shape_count(c->amounts, fsd_shape_of(c->sizes, out));
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        enum fsd_kind kind = d->layers[i].kind;
        int64_t *macs = &c->layers[i].macs;

        if (kind != FSD_KIND_COMPUTE && kind != FSD_KIND_FOREIGN)
            continue;
        *macs = described(d, i);
        if (*macs == -1 && d->match->of_layer[i].n)
            *macs = of_nodes(d, i);
    }
}
