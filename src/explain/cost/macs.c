/*
 * Counts multiply-adds.  The operator and the sizes of a node determine its
 * multiply-adds (model/ops/macs.c).  The multiply-adds of a layer follow from the sizes
 * that the engine states or, without these sizes, are the sum over the layer's nodes.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

static int64_t port_count(const struct fsd_match *m, const struct fsd_cost *c,
                          const struct fsd_port *port, uint32_t *channels)
{
    const struct fsd_form *form = fsd_port_form(m->engine, port);
    int64_t n = form->ranked ? 1 : -1;

    *channels = 0;
    for (uint32_t i = 0; form->ranked && i < form->dims.n; i++) {
        int64_t size = fsd_port_size(m->engine, c, port, form, i);

        n = fsd_times(c->amounts, n, size);
        if (i == 1 && size > 0 && size < UINT32_MAX)
            *channels = (uint32_t)size;
    }
    return n;
}

/* The multiply-adds of a convolution according to the dump: its weights per output
 * channel, times the elements of the output.  For a transposed convolution: its weights
 * per input channel, times the elements of the input.  Negative if unknown. */
static int64_t described(const struct fsd_match *m, const struct fsd_cost *c,
                         fsd_id layer)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    int64_t count;
    uint32_t channels;

    if (!n->in.n || !n->out.n || !l->weights || l->weights > INT64_MAX || l->maps < 1)
        return -1;
    count = port_count(m, c, fsd_node_in(m->engine, n, 0), &channels);
    if (l->transposed) /* the axes of the weights are: input channels, output channels
                          per group, window */
        return channels ? fsd_times(c->amounts, count, (int64_t)l->weights / channels)
                        : -1;
    count = port_count(m, c, fsd_node_out(m->engine, n, 0), &channels);
    return channels == l->maps
               ? fsd_times(c->amounts, count, (int64_t)l->weights / l->maps)
               : -1;
}

/* Whether the layer does multiply-adds of the node.  If several layers compute the
 * node, only the layers that multiply count.  The other layers may be, for example, the
 * reshapes around a Gemm, or the kernels for the gates of an LSTM. */
static bool works_on(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    return m->of_node[node].n == 1 || m->engine->layers.at[layer].multiplies;
}

static uint32_t count_workers(const struct fsd_match *m, fsd_id node)
{
    uint32_t workers = 0;

    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        workers += works_on(m, fsd_match_of_node(m, node, i)->layer, node);
    return workers;
}

static bool is_first_worker(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id other = fsd_match_of_node(m, node, i)->layer;

        if (works_on(m, other, node))
            return other == layer;
    }
    return false;
}

/* A layer's part of a node's multiply-adds; -1 if unknown.  No engine states how
 * kernels divide a node, so the parts are equal.  The first layer gets the remainder,
 * so that sums over layers and over nodes agree. */
static int64_t part_of(const struct fsd_match *m, const struct fsd_cost *c,
                       fsd_id layer, fsd_id node)
{
    int64_t macs = c->nodes[node].macs, workers = c->nodes[node].workers;

    if (!workers)
        return -1;
    if (!works_on(m, layer, node))
        return 0;
    if (workers == 1)
        return macs;
    if (macs < 0) /* unknown (-1), or a polynomial in dynamic sizes */
        return macs == -1 ? -1 : fsd_over(c->amounts, macs, workers);
    return macs / workers + (is_first_worker(m, layer, node) ? macs % workers : 0);
}

/* The multiply-adds of the layer's nodes.  A node that owns a body or calls a function
 * does not count, because the nodes of the body count. */
static int64_t of_nodes(const struct fsd_match *m, const struct fsd_node_result *nodes,
                        const struct fsd_cost *c, const struct fsd_lists *bodies,
                        fsd_id layer)
{
    int64_t sum = 0;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        if (nodes[node].fate != FSD_FATE_LAYER || !c->nodes[node].macs ||
            bodies->of[node].n)
            continue;
        sum = fsd_plus(c->amounts, sum, part_of(m, c, layer, node));
    }
    return sum;
}

/* Sets `workers`, `macs` and `work` of nodes, and `macs` of layers.  The work of a node
 * without multiply-adds is the number of elements that it writes. */
void fsd_cost_macs(const struct fsd_match *m, const struct fsd_layer_result *layers,
                   const struct fsd_node_result *nodes, struct fsd_cost *c)
{
    FSD_SCRATCH(scratch);
    const struct fsd_lists bodies = fsd_graph_bodies(scratch, m->model);

    for (fsd_id i = 0; i < m->model->nodes.n; i++) {
        struct fsd_node_cost *r = &c->nodes[i];
        fsd_id out = fsd_node_out_tensor(m->model, i, 0);

        r->workers = count_workers(m, i);
        r->macs = r->work = fsd_op_macs(c->sizes, i);
        if (!r->macs)
            r->work = fsd_shape_count(c->amounts, fsd_shape_of(c->sizes, out));
        if (nodes[i].fate == FSD_FATE_LAYER && !r->workers && r->macs > 0)
            c->unattributed = fsd_plus(c->amounts, c->unattributed, r->macs);
    }
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        enum fsd_kind kind = layers[i].kind;
        int64_t *macs = &c->layers[i].macs;

        if (!fsd_kind_computes(kind))
            continue;
        *macs = described(m, c, i);
        if (*macs == -1 && m->of_layer[i].n)
            *macs = of_nodes(m, nodes, c, &bodies, i);
    }
}
