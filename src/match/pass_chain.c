/*
 * Handles units whose layers form a chain: each layer is the only consumer of the layer
 * before it, and the model does not have the tensors between the layers.
 *
 *     MatMul-9 + ReLU-11  ->  MatMul-12  ->          layers, in their order
 *     MatMul-9, Add-10, ReLU-11, MatMul-12, Add-13   nodes of the unit's cut
 *
 * A node is computed no earlier than its producers and no later than its consumers.
 * Names assign most nodes to layers.  This pass links a node without a name to its
 * layer if only one layer is possible: Add-10 is between MatMul-9 and ReLU-11, and
 * Add-13 is behind MatMul-12.
 */
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

#include <stdlib.h>

struct chain {
    struct fsd_match *m;
    uint32_t *place;     /* indexed by layer: its position in the chain, from 1; 0 if
                            the layer is not in the chain */
    uint32_t *from, *to; /* indexed by node: the first and the last position of the
                            layers in the chain that may compute the node; for
                            linked nodes, see place_node() */
    uint32_t *mark;      /* indexed by node: number of the unit whose cut contains the
                            node, plus 1 */
    fsd_id *next;        /* indexed by layer: the only consumer of its output; FSD_NONE
                            if there is none or more than one */
    uint8_t *before;     /* indexed by layer: 1 if another layer of the unit writes an
                            input of this layer */
    bool *forks;         /* indexed by unit: whether its layers do not form a chain */
};

/* ------------------------------------------------------------------- the layers */

static void note_edges(struct chain *c)
{
    const struct fsd_graph *e = c->m->engine;

    for (fsd_id t = 0; t < e->tensors.n; t++) {
        const struct fsd_tensor *tensor = &e->tensors.at[t];

        if (fsd_match_holds(c->m, t) || !tensor->producers.n)
            continue;
        if (tensor->producers.n > 1)
            c->forks[c->m->unit[e->links.at[tensor->producers.at]]] = true;
        for (uint32_t i = 0; i < tensor->consumers.n; i++) {
            fsd_id producer = e->links.at[tensor->producers.at];
            fsd_id reader = e->links.at[tensor->consumers.at + i];
            fsd_id unit = c->m->unit[producer];

            if (producer == reader || unit != c->m->unit[reader] ||
                c->next[producer] == reader)
                continue;
            c->forks[unit] |= c->next[producer] != FSD_NONE || c->before[reader] > 0;
            c->next[producer] = reader;
            c->before[reader] = 1;
        }
    }
}

/* Sets `place` of the unit's layers that compute nodes, along the chain that begins
 * with `first`; false if these layers do not form one chain. */
static bool number_workers(struct chain *c, const struct fsd_cut *cut, fsd_id unit,
                           uint32_t first, uint32_t *last)
{
    uint32_t place = 0, seen = 0;

    FSD_EACH_ID (layer, c->m->pool, cut->layers)
        c->place[layer] = UINT32_MAX;
    for (fsd_id layer = first; layer != FSD_NONE && seen++ < c->m->engine->nodes.n;
         layer = c->next[layer])
        if (c->place[layer] == UINT32_MAX)
            c->place[layer] = ++place;
    *last = place;
    return !c->forks[unit] && place == cut->layers.n;
}

/* -------------------------------------------------------------------- the nodes */

/* Sets `from` and `to` of the node: its consumers run at `from` or later, and its
 * producers run at `to` or earlier.  If the node has no links to layers of the chain,
 * these are the two ends of the chain, because any layer may compute the node.  If it
 * has links, `from` is the position of the last linked layer, and `to` is that of the
 * first one.  So with several linked layers, `from` is greater than `to`. */
static void place_node(struct chain *c, fsd_id node, fsd_id unit, uint32_t last)
{
    const struct fsd_match *m = c->m;
    uint32_t low = UINT32_MAX, high = 0;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;
        uint32_t place = m->unit[layer] == unit ? c->place[layer] : 0;

        if (place && place < low)
            low = place;
        if (place && place != UINT32_MAX && place > high)
            high = place;
    }
    c->mark[node] = unit + 1;
    c->from[node] = high ? high : 1; /* the node's consumers run here or later */
    c->to[node] = high ? low : last; /* the node's producers run here or earlier */
}

static bool is_placed(const struct chain *c, fsd_id node, fsd_id unit)
{
    for (uint32_t i = 0; i < c->m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(c->m, node, i)->layer;

        if (c->m->unit[layer] == unit && c->place[layer])
            return true;
    }
    return false;
}

static void raise_from(struct chain *c, fsd_id node)
{
    const struct fsd_graph *g = c->m->model;

    for (uint32_t i = 0; i < g->nodes.at[node].in.n; i++) {
        fsd_id producer = fsd_node_in_producer(g, node, i);

        if (fsd_id_at(c->mark, producer) == c->mark[node] &&
            c->from[producer] > c->from[node])
            c->from[node] = c->from[producer];
    }
}

static void lower_to(struct chain *c, fsd_id node)
{
    const struct fsd_graph *g = c->m->model;

    FSD_EACH_OF (tensor, g->ports, g->nodes.at[node].out, tensor) {
        struct fsd_span to = fsd_tensor_consumers(g, tensor);

        FSD_EACH_ID (reader, g->links, to)
            if (c->mark[reader] == c->mark[node] && c->to[reader] < c->to[node])
                c->to[node] = c->to[reader];
    }
}

static void link_chain(struct chain *c, const struct fsd_cut *cut, fsd_id unit,
                       uint32_t last)
{
    fsd_id *nodes = c->m->pool.at + cut->nodes.at;
    uint32_t n = cut->nodes.n;

    /* Sorts the nodes by number, because the nodes of the cut are unordered.  In the
     * order of the numbers, producers come before consumers. */
    qsort(nodes, n, sizeof *nodes, fsd_by_id);
    for (uint32_t i = 0; i < n; i++)
        place_node(c, nodes[i], unit, last);
    for (uint32_t i = 0; i < n; i++)
        if (!is_placed(c, nodes[i], unit))
            raise_from(c, nodes[i]);
    for (uint32_t i = n; i-- > 0;)
        if (!is_placed(c, nodes[i], unit))
            lower_to(c, nodes[i]);
    for (uint32_t i = 0; i < n; i++) { /* link a node that has only one possible
                                          layer */
        if (is_placed(c, nodes[i], unit) || c->from[nodes[i]] != c->to[nodes[i]] ||
            c->m->gone[nodes[i]] || c->m->facts->folded[nodes[i]])
            continue;
        FSD_EACH_ID (layer, c->m->pool, cut->layers)
            if (c->place[layer] == c->from[nodes[i]])
                fsd_match_link(c->m, layer, nodes[i], FSD_BY_TENSOR);
    }
}

static void find_firsts(const struct chain *c, fsd_id *first)
{

    for (fsd_id i = 0; i < c->m->engine->nodes.n; i++) {
        if (c->before[i])
            continue;
        if (first[c->m->unit[i]] != FSD_NONE)
            c->forks[c->m->unit[i]] = true;
        first[c->m->unit[i]] = i;
    }
}

void fsd_pass_chain(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    uint32_t layers = m->engine->nodes.n, nodes = m->model->nodes.n, last;
    struct chain c = {.m = m,
                      .place = FSD_NEW(scratch, uint32_t, layers),
                      .from = FSD_NEW(scratch, uint32_t, nodes),
                      .to = FSD_NEW(scratch, uint32_t, nodes),
                      .mark = FSD_NEW(scratch, uint32_t, nodes),
                      .next = fsd_ids_new(scratch, layers),
                      .before = FSD_NEW(scratch, uint8_t, layers),
                      .forks = FSD_NEW(scratch, bool, layers)};
    fsd_id *first = fsd_ids_new(scratch, layers);

    note_edges(&c);
    find_firsts(&c, first);
    for (fsd_id u = 0; u < layers; u++)
        if (m->cuts[u].layers.n > 1 && !m->cuts[u].leaky && m->cuts[u].nodes.n &&
            !c.forks[u] && number_workers(&c, &m->cuts[u], u, first[u], &last))
            link_chain(&c, &m->cuts[u], u, last);
}
