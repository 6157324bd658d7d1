/*
 * Links nodes by tensor evidence: the layers of a unit compute the nodes of the unit's
 * cut.
 *
 * If only one layer of the unit computes, this layer computes all nodes of the cut.  In
 * a larger unit, only two kinds of links are certain.  A layer that writes the output
 * of a node computes this node.  A layer that reads a tensor with a single consumer
 * node computes this consumer.  The remaining nodes become a region.
 *
 * Views, such as a Flatten between two layers, need no computation.  They are linked
 * only if a unit has no other nodes.  This pass uses `counterpart` and `unit`, and no
 * names.
 */
#include "match/cut.h"
#include "match/pass.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

/* Appends to m->pool those layers of the unit for which fsd_layer_works() is highest
 * and not 0. */
static struct fsd_span find_workers(struct fsd_match *m, const fsd_id *layers,
                                    uint32_t n)
{
    struct fsd_span span = {m->pool.n, 0};
    int best = 1;

    for (uint32_t i = 0; i < n; i++)
        if (fsd_layer_works(m->engine, layers[i]) > best)
            best = fsd_layer_works(m->engine, layers[i]);
    for (uint32_t i = 0; i < n; i++)
        if (fsd_layer_works(m->engine, layers[i]) == best) {
            fsd_vec_push(m->arena, &m->pool, layers[i]);
            span.n++;
        }
    return span;
}

/* Whether the node needs no layer. */
static bool is_view(const struct fsd_match *m, fsd_id node)
{
    return m->gone[node];
}

static void link_all(struct fsd_match *m, const struct fsd_cut *cut, bool views)
{
    fsd_id first = m->pool.at[cut->layers.at];
    bool named = false;

    /* If a unit has only views, and the name of the layer identifies one of them (a
     * Shuffle named after a Reshape), the other views need no layer. */
    for (uint32_t i = 0; i < cut->nodes.n && views && !named; i++)
        named = fsd_match_has(m, first, m->pool.at[cut->nodes.at + i]);
    FSD_EACH_ID (node, m->pool, cut->nodes) {
        if (is_view(m, node) && (!views || fsd_match_left(m, node) ||
                                 (named && !fsd_match_has(m, first, node)))) {
            m->dissolved_in[node] = first;
            continue;
        }
        FSD_EACH_ID (layer, m->pool, cut->layers)
            fsd_match_link(m, layer, node, FSD_BY_TENSOR);
    }
}

/* ------------------------------------------------------------ the ends of a unit */

struct ends {
    struct fsd_match *m;
    uint32_t *mark; /* indexed by node: equal to `unit` if the node is in the current
                       cut */
    uint32_t unit;
};

static void link_end(const struct ends *e, fsd_id layer, fsd_id node)
{
    if (fsd_id_at(e->mark, node) == e->unit && !is_view(e->m, node))
        fsd_match_link(e->m, layer, node, FSD_BY_TENSOR);
}

static fsd_id input_of_view(const void *of, fsd_id node)
{
    const struct fsd_match *m = of;

    return is_view(m, node) ? fsd_node_in_tensor(m->model, node, 0) : FSD_NONE;
}

/* The producer of a tensor, looking through views. */
static fsd_id producer(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_tensor_producer(m->model,
                               fsd_walk_back(m->model, tensor, input_of_view, m));
}

static void link_ends(const struct ends *e, fsd_id layer)
{
    const struct fsd_match *m = e->m;
    const struct fsd_node *n = &m->engine->nodes.at[layer];

    FSD_EACH_OF (t, m->engine->ports, n->out, tensor)
        if (fsd_match_holds(m, t) && m->engine->tensors.at[t].producers.n == 1)
            link_end(e, layer, producer(m, m->counterpart[t]));
    FSD_EACH_OF (t, m->engine->ports, n->in, tensor) {
        fsd_id counterpart = fsd_match_held(m, t);

        if (counterpart != FSD_NONE && m->engine->tensors.at[t].consumers.n == 1 &&
            m->model->tensors.at[counterpart].consumers.n == 1)
            link_end(
                e, layer,
                m->model->links.at[m->model->tensors.at[counterpart].consumers.at]);
    }
}

static void link_unit_ends(struct ends *e, const struct fsd_cut *cut, uint32_t unit)
{
    struct fsd_match *m = e->m;

    e->unit = unit + 1;
    FSD_EACH_ID (node, m->pool, cut->nodes) {
        e->mark[node] = e->unit;
        if (is_view(m, node))
            m->dissolved_in[node] = m->pool.at[cut->layers.at];
    }
    FSD_EACH_ID (layer, m->pool, cut->layers)
        link_ends(e, layer);
}

/* Returns the last layer of the nearest node that has one, beginning with `node`.
 * Follows the first inputs if `before` is set, else the first outputs.  FSD_NONE if
 * none of the first FAR nodes has a layer. */
static fsd_id layer_beside(const struct fsd_match *m, fsd_id node, bool before)
{
    enum { FAR = 16 };

    for (int far = 0; far < FAR && node != FSD_NONE; far++) {
        fsd_id tensor = before ? fsd_node_in_tensor(m->model, node, 0)
                               : fsd_node_out_tensor(m->model, node, 0);
        struct fsd_span to = fsd_tensor_consumers(m->model, tensor);

        if (m->of_node[node].n)
            return fsd_match_of_node(m, node, m->of_node[node].n - 1)->layer;
        if (before)
            node = fsd_tensor_producer(m->model, tensor);
        else
            node = to.n ? m->model->links.at[to.at] : FSD_NONE;
    }
    return FSD_NONE;
}

/* Updates m->dissolved_in.  The tensor pass assigned the views of a unit with several
 * layers to the first layer.  Now that all links are known, each view gets the layer of
 * an adjacent node. */
void fsd_match_place_views(struct fsd_match *m)
{
    for (fsd_id i = 0; m->cuts && i < m->model->nodes.n; i++) {
        fsd_id in = m->dissolved_in[i];

        if (in == FSD_NONE || m->cuts[m->unit[in]].layers.n < 2)
            continue;
        m->dissolved_in[i] = layer_beside(m, i, true);
        if (m->dissolved_in[i] == FSD_NONE)
            m->dissolved_in[i] = layer_beside(m, i, false);
    }
}

/* Links a copy layer to a Concat, Slice or Split if the layer copies from an input of
 * the node to an output of the node.  If the node has no layer yet, it is enough that
 * the layer writes an output of the node and has a step of the node's operator. */
static void link_copy(struct fsd_match *m, fsd_id layer)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    fsd_id in = fsd_node_in_tensor(m->engine, layer, 0);

    if (m->engine->layers.at[layer].kind != FSD_KIND_COPY)
        return;
    for (uint32_t i = 0; i < n->out.n; i++) {
        fsd_id out = fsd_match_held(m, fsd_node_out_tensor(m->engine, layer, i));
        fsd_id node = fsd_tensor_producer(m->model, out);

        if (!(fsd_traits_of(m->facts, node) & FSD_OP_PARTS))
            continue;
        if (fsd_node_input_of(m->model, node, fsd_match_held(m, in)) != FSD_NONE ||
            (!m->of_node[node].n &&
             fsd_layer_count(m->engine, layer, m->model->nodes.at[node].op)))
            fsd_match_link(m, layer, node, FSD_BY_TENSOR);
    }
}

void fsd_pass_tensor(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    struct fsd_lists members = /* layers by unit; a unit is numbered by its first
                                  layer */
        fsd_lists_new(scratch, m->unit, sizeof *m->unit, m->engine->nodes.n,
                      m->engine->nodes.n);
    struct fsd_cutter *cutter = fsd_cutter_new(scratch, m);
    struct ends ends = {m, FSD_NEW(scratch, uint32_t, m->model->nodes.n), 0};

    m->cuts = FSD_NEW(m->arena, struct fsd_cut, m->engine->nodes.n);
    for (fsd_id u = 0; u < m->engine->nodes.n; u++) {
        const fsd_id *layers = members.ids + members.of[u].at;
        struct fsd_cut *cut = &m->cuts[u];
        uint32_t work = 0;

        if (!members.of[u].n)
            continue;
        cut->layers = find_workers(m, layers, members.of[u].n);
        if (!cut->layers.n)
            continue;
        cut->nodes = fsd_cut(cutter, layers, members.of[u].n, &cut->leaky);
        FSD_EACH_ID (node, m->pool, cut->nodes)
            work += !is_view(m, node);
        if (cut->layers.n == 1 || work == 1)
            link_all(m, cut, work == 0);
        else
            link_unit_ends(&ends, cut, u);
    }
    for (fsd_id i = 0; i < m->engine->nodes.n; i++)
        link_copy(m, i);
}
