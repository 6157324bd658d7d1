/*
 * Counts the bytes of a layer: its tensors as they are in memory, with padded vectors,
 * and its weights.  Each element counts once, which is the least that a kernel can
 * move: a kernel may read an element several times.  The bias is counted separately,
 * because published figures omit it.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

/* Rounds a size up to a multiple of `to`, the number of elements in a vector.  A
 * dynamic size stays as it is, because its padding is only known at run time. */
static int64_t round_up(const struct fsd_cost *c, int64_t size, int64_t to)
{
    if (to < 2 || size == -1)
        return size;
    if (size < 0)
        return fsd_over(c->amounts, size, to) == -1 ? -1 : size;
    return fsd_times(c->amounts, (size + to - 1) / to, to);
}

int64_t fsd_port_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                      const struct fsd_port *port, const struct fsd_form *form,
                      uint32_t i)
{
    const struct fsd_sizes *sizes = c->sizes;
    int64_t size = fsd_sizes_dim(sizes, engine->dims.at[form->dims.at + i]);
    fsd_id like = c->like[port - engine->ports.at];
    const struct fsd_shape *shape = fsd_shape_of(sizes, like);

    if (size < 0 && shape->ranked)
        size = fsd_cost_open_size(engine, c, form, i, shape);
    return size > INT64_C(1) << 50 ? -1 : size;
}

static int64_t bytes_of(const struct fsd_cost *c, int64_t count, enum fsd_dtype type)
{
    int64_t bits = fsd_times(c->amounts, count, fsd_dtype_bits(type));

    if (!fsd_dtype_bits(type))
        return -1;
    return fsd_over(c->amounts, bits < 0 ? bits : fsd_plus(c->amounts, bits, 7), 8);
}

int64_t fsd_port_bytes(const struct fsd_graph *engine, const struct fsd_cost *c,
                       const struct fsd_port *port)
{
    const struct fsd_form *form = fsd_port_form(engine, port);
    int64_t n = form->ranked ? 1 : -1;

    for (uint32_t i = 0; form->ranked && i < form->dims.n; i++) {
        int64_t size = fsd_port_size(engine, c, port, form, i);

        if (i == form->layout.axis) {
            size = round_up(c, size, form->layout.width);
            size = round_up(c, size, form->layout.pad);
        }
        n = fsd_times(c->amounts, n, size);
    }
    return bytes_of(c, n, form->type);
}

/* With `weights`, the bytes of the ports that are weights; else the bytes of all other
 * ports. */
static int64_t ports_bytes(const struct fsd_match *m, const struct fsd_cost *c,
                           struct fsd_span ports, bool weights)
{
    int64_t n = 0;

    FSD_EACH_IN (const struct fsd_port, port, m->engine->ports, ports)
        if (fsd_match_is_weight(m, port) == weights)
            n = fsd_plus(c->amounts, n, fsd_port_bytes(m->engine, c, port));
    return n;
}

/* -------------------------------------------------------------------- weights */

/* Whether an input of the layer has `count` elements and is the output of a constant
 * layer.  Such a constant counts as an input already. */
static bool reads_constant(const struct fsd_match *m,
                           const struct fsd_layer_result *layers, fsd_id layer,
                           int64_t count)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span in = e->nodes.at[layer].in;

    for (uint32_t i = 0; i < in.n; i++) {
        fsd_id by = fsd_port_producer(e, in.at + i);

        if (by != FSD_NONE && layers[by].kind == FSD_KIND_CONSTANT &&
            fsd_form_count(e, fsd_port_form(e, &e->ports.at[in.at + i])) == count)
            return true;
    }
    return false;
}

/* Adds the bytes of the i-th input of a node if the input is constant.  Any other input
 * is a tensor of the layer, which counts already. */
static void add_constant(const struct fsd_match *m,
                         const struct fsd_layer_result *layers,
                         const struct fsd_cost *c, struct fsd_link at, uint32_t i,
                         enum fsd_dtype type, int64_t *bytes)
{
    struct fsd_amounts *amounts = c->amounts;
    fsd_id tensor = fsd_node_in_tensor(m->model, at.node, i);
    int64_t n = 0;

    if (fsd_is_constant(m->facts, tensor))
        n = fsd_shape_count(amounts, fsd_shape_of(c->sizes, tensor));
    if (n && !reads_constant(m, layers, at.layer, n))
        *bytes = fsd_plus(amounts, *bytes, bytes_of(c, n, type));
}

/* Adds the weights and biases of the layer's nodes, for a dump that lists no weights.
 * A weight has the type of the layer.  A bias has this type or, in a quantized layer,
 * FP32. */
static void weights_of_nodes(const struct fsd_match *m,
                             const struct fsd_layer_result *layers,
                             const struct fsd_cost *c, fsd_id layer,
                             struct fsd_traffic *t)
{
    enum fsd_dtype type = layers[layer].precision;

    FSD_EACH_IN (const struct fsd_link, link, m->links, m->of_layer[layer]) {
        if (!(m->facts->traits[link->node] & FSD_OP_WEIGHTED) ||
            m->of_node[link->node].n != 1)
            continue;
        add_constant(m, layers, c, *link, 1, type, &t->weights);
        add_constant(m, layers, c, *link, 2, fsd_dtype_rank(type) < 3 ? FSD_FP32 : type,
                     &t->bias);
    }
}

static void add_weights(const struct fsd_match *m,
                        const struct fsd_layer_result *layers, const struct fsd_cost *c,
                        fsd_id layer, struct fsd_traffic *t)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    struct fsd_span in = m->engine->nodes.at[layer].in;

    t->bias = 0;
    if (l->weights) {
        t->weights = l->weights > INT64_MAX
                         ? -1
                         : bytes_of(c, (int64_t)l->weights, l->weights_type);
        if (l->bias)
            t->bias =
                l->bias > INT64_MAX ? -1 : bytes_of(c, (int64_t)l->bias, l->bias_type);
        return;
    }
    t->weights = fsd_plus(c->amounts, ports_bytes(m, c, in, true),
                          ports_bytes(m, c, l->constants, true));
    if (!t->weights && !l->lists_constants) /* otherwise t->bias stays 0, because the
                                                weights at ports include the bias */
        weights_of_nodes(m, layers, c, layer, t);
}

void fsd_cost_traffic(const struct fsd_match *m, const struct fsd_layer_result *layers,
                      struct fsd_cost *c)
{
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        const struct fsd_node *n = &m->engine->nodes.at[i];
        struct fsd_layer_cost *r = &c->layers[i];
        enum fsd_kind kind = layers[i].kind;

        if (kind == FSD_KIND_NOOP || kind == FSD_KIND_SYNC || kind == FSD_KIND_SHAPE ||
            kind == FSD_KIND_CONSTANT)
            continue; /* these layers move no data; a constant counts in the layer that
                         reads it */
        r->bytes = -1;
        r->traffic = (struct fsd_traffic){-1, -1, -1, -1};
        if (!n->in.n && !n->out.n)
            continue;
        r->traffic.in = ports_bytes(m, c, n->in, false);
        r->traffic.out = ports_bytes(m, c, n->out, false);
        add_weights(m, layers, c, i, &r->traffic);
        r->bytes =
            fsd_plus(c->amounts, fsd_plus(c->amounts, r->traffic.in, r->traffic.out),
                     r->traffic.weights);
    }
}

fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];

    if (d->cost->layers[layer].bytes != -1)
        return FSD_NONE;
    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        const struct fsd_port *port = &e->ports.at[fsd_node_port(n, i)];

        if (fsd_port_bytes(e, d->cost, port) == -1)
            return port->tensor;
    }
    return FSD_NONE;
}
