/*
 * Finds links that are only one of several equal choices.  Two branches of a model may
 * have the same operators, sizes and boundary tensors, so that the engine does not
 * distinguish them:
 *
 *     x -> MatMul a -> Relu b -> \
 *     x -> MatMul c -> Relu d -> Add        kernels 1 and 2 do a MatMul and a Relu
 *
 * The steps of kernel 1 fit a and b as well as c and d.  If no name and no tensor shows
 * which nodes kernel 1 computes, both kernels and all four nodes become a region: the
 * region states only that these kernels compute these nodes.
 *
 * Every node gets a color: a hash of its operator, its sizes, its producers and its
 * consumers.  Two sweeps in each direction compute these Weisfeiler-Leman colors.  If
 * evidence other than steps links a node to a layer, the node has a color of its own.
 * If the engine has the name of a tensor, the tensor has a color of its own.  Nodes of
 * the same color are equal choices.
 */
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

enum { SWEEPS = 2 };

struct colored {
    uint64_t color;
    fsd_id node;
};

struct choice {
    struct fsd_match *m;
    struct fsd_sizes *sizes;
    uint64_t *named; /* indexed by model tensor: a unique number if the engine names the
                        tensor; else 0 */
    uint64_t *color; /* indexed by node */
    uint64_t *read;  /* indexed by tensor: a hash of how its consumers use it */
    FSD_VEC(struct colored) nodes; /* nodes that are linked to layers only by steps */
};

static bool commutes(const struct choice *c, fsd_id node)
{
    return c->m->facts->traits[node] & FSD_OP_SYMMETRIC;
}

static uint64_t shape_of(const struct choice *c, fsd_id tensor)
{
    const struct fsd_shape *s = fsd_shape_of(c->sizes, tensor);
    uint64_t shape = s->rank;

    for (uint32_t i = 0; i < s->rank; i++)
        shape = fsd_hash_mix(shape, (uint64_t)s->dims[i]);
    return shape;
}

/* Whether evidence other than steps supports the link. */
static bool has_more(const struct fsd_link *link)
{
    return (link->by & ~(unsigned)FSD_BY_STRUCTURE) != 0;
}

/* The color of a node without regard to adjacent nodes; unique if evidence other than
 * steps shows the layer of the node. */
static uint64_t color_alone(const struct choice *c, fsd_id node)
{
    const struct fsd_match *m = c->m;
    uint64_t color = fsd_hash_mix(m->model->nodes.at[node].op, 0);

    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (has_more(fsd_match_of_node(m, node, i)))
            return fsd_hash_mix(color, node + 1);
    FSD_EACH_OF (out, m->model->ports, m->model->nodes.at[node].out, tensor)
        if (out != FSD_NONE)
            color = fsd_hash_mix(color, shape_of(c, out));
    return color;
}

/* The color of the tensor at input `i` of the node. */
static uint64_t color_in(const struct choice *c, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(c->m->model, node, i), by;

    if (t == FSD_NONE)
        return 0;
    if (c->named[t])
        return c->named[t];
    by = fsd_tensor_producer(c->m->model, t);
    return fsd_hash_mix(shape_of(c, t), by == FSD_NONE ? 0 : c->color[by]);
}

static void sweep_on(struct choice *c)
{
    const struct fsd_graph *g = c->m->model;

    for (fsd_id node = 0; node < g->nodes.n; node++) {
        uint64_t all = 0, ordered = !commutes(c, node);

        for (uint32_t i = 0; i < g->nodes.at[node].in.n; i++)
            all += fsd_hash_mix(color_in(c, node, i), i * ordered);
        c->color[node] = fsd_hash_mix(c->color[node], all);
    }
}

/* Records, for each tensor that the node reads, how the node uses it. */
static void note_read(struct choice *c, fsd_id node)
{
    const struct fsd_graph *g = c->m->model;
    uint64_t ordered = !commutes(c, node);

    for (uint32_t i = 0; i < g->nodes.at[node].in.n; i++) {
        fsd_id t = fsd_node_in_tensor(g, node, i);

        if (t != FSD_NONE)
            c->read[t] += fsd_hash_mix(c->color[node], i * ordered);
    }
}

static void sweep_back(struct choice *c)
{
    const struct fsd_graph *g = c->m->model;

    for (fsd_id t = 0; t < g->tensors.n; t++)
        c->read[t] = c->named[t];
    for (fsd_id node = g->nodes.n; node-- > 0;) {
        FSD_EACH_OF (out, g->ports, g->nodes.at[node].out, tensor)
            if (out != FSD_NONE)
                c->color[node] = fsd_hash_mix(c->color[node], c->read[out]);
        if (c->m->facts->live[node])
            note_read(c, node);
    }
}

/* Fills `named`.  The engine names three kinds of model tensors: the inputs and outputs
 * of the model, the counterparts of engine tensors, and the tensors after which kernel
 * arguments are named. */
static void find_named(struct choice *c)
{
    const struct fsd_match *m = c->m;

    for (fsd_id t = 0; t < m->model->tensors.n; t++)
        if (m->model->tensors.at[t].flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT))
            c->named[t] = fsd_hash_mix(t, 1);
    for (fsd_id e = 0; e < m->engine->tensors.n && m->evidence & FSD_BY_TENSOR; e++) {
        fsd_id t = fsd_graph_find(m->model, m->engine->tensors.at[e].argument, 0);

        t = fsd_id_or(m->counterpart[e], t);
        if (t != FSD_NONE)
            c->named[t] = fsd_hash_mix(t, 1);
    }
}

/* Whether only steps link the node to layers, and no region contains the node or its
 * layers.  Of duplicate nodes only the first counts, because a kernel computes their
 * value once. */
static bool is_of_steps(const struct fsd_match *m, fsd_id node)
{
    if (!m->of_node[node].n || m->facts->first_duplicate[node] != node ||
        m->region_of_node[node] != FSD_NONE)
        return false;
    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (has_more(fsd_match_of_node(m, node, i)) ||
            fsd_match_in_region(m, fsd_match_of_node(m, node, i)->layer))
            return false;
    return true;
}

FSD_ORDERED(by_color, struct colored, fsd_order(x->color, y->color),
            fsd_order(x->node, y->node))

/* Whether both nodes are linked to the same layers. */
static bool share_layers(const struct fsd_match *m, fsd_id a, fsd_id b)
{
    if (m->of_node[a].n != m->of_node[b].n)
        return false;
    for (uint32_t i = 0; i < m->of_node[a].n; i++)
        if (!fsd_match_has(m, fsd_match_of_node(m, a, i)->layer, b))
            return false;
    return true;
}

/* Joins the layers of the nodes c->nodes[at..end), which have the same color, to one
 * set in `sets`.  Sets layer_of[] of each of these nodes to one of its layers.  If all
 * these nodes have the same layers, there is no choice, and nothing changes. */
static void join(const struct choice *c, fsd_id *sets, fsd_id *layer_of, uint32_t at,
                 uint32_t end)
{
    const struct fsd_match *m = c->m;
    fsd_id first = c->nodes.at[at].node;
    bool differ = false;

    for (uint32_t i = at + 1; i < end && !differ; i++)
        differ = !share_layers(m, first, c->nodes.at[i].node);
    for (uint32_t i = at; i < end && differ; i++) {
        fsd_id node = c->nodes.at[i].node;

        layer_of[node] = fsd_match_of_node(m, node, 0)->layer;
        for (uint32_t k = 0; k < m->of_node[node].n; k++)
            fsd_sets_join(sets, fsd_match_of_node(m, first, 0)->layer,
                          fsd_match_of_node(m, node, k)->layer);
    }
}

/* Creates a region for each set of layers that has nodes.  The region has the layers of
 * the set and the nodes that these layers compute. */
static void add_regions(struct fsd_match *m, const struct fsd_lists *layers,
                        const struct fsd_lists *nodes)
{
    for (fsd_id s = 0; s < m->engine->nodes.n; s++) {
        struct fsd_span l = layers->of[s], n = nodes->of[s];
        struct fsd_region region = {
            {m->pool.n, l.n}, {m->pool.n + l.n, n.n}, FSD_BY_STRUCTURE, true};

        if (!n.n)
            continue;
        for (uint32_t i = 0; i < l.n; i++) {
            m->region_of_layer[layers->ids[l.at + i]] = m->regions.n;
            fsd_vec_push(m->arena, &m->pool, layers->ids[l.at + i]);
        }
        for (uint32_t i = 0; i < n.n; i++) {
            m->region_of_node[nodes->ids[n.at + i]] = m->regions.n;
            fsd_vec_push(m->arena, &m->pool, nodes->ids[n.at + i]);
        }
        fsd_vec_push(m->arena, &m->regions, region);
    }
}

/* Removes the links of the nodes that are now in a region. */
static void remove_links(struct fsd_match *m, const fsd_id *layer_of)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < m->links.n; i++)
        if (layer_of[m->links.at[i].node] == FSD_NONE)
            m->links.at[kept++] = m->links.at[i];
    m->links.n = kept;
    m->indexed = FSD_NONE; /* the links have changed */
}

static void find_choices(struct choice *c, struct fsd_arena *scratch)
{
    struct fsd_match *m = c->m;
    uint32_t n_layers = m->engine->nodes.n, n_nodes = m->model->nodes.n, end;
    fsd_id *sets = fsd_sets_new(scratch, n_layers);
    fsd_id *layer_of = fsd_ids_new(scratch, n_nodes), *of_layer;
    bool *chosen = FSD_NEW(scratch, bool, n_layers), any = false;
    struct fsd_lists layers, nodes;

    for (uint32_t at = 0; at < c->nodes.n; at = end) {
        for (end = at + 1;
             end < c->nodes.n && c->nodes.at[end].color == c->nodes.at[at].color;)
            end++;
        if (end > at + 1)
            join(c, sets, layer_of, at, end);
    }
    for (fsd_id i = 0; i < n_nodes; i++)
        for (uint32_t k = 0; layer_of[i] != FSD_NONE && k < m->of_node[i].n; k++)
            chosen[fsd_match_of_node(m, i, k)->layer] = any = true;
    if (!any)
        return;
    of_layer = fsd_ids_new(scratch, n_layers);
    for (fsd_id i = 0; i < n_layers; i++)
        if (chosen[i])
            of_layer[i] = fsd_sets_find(sets, i);
    for (fsd_id i = 0; i < n_nodes; i++)
        if (layer_of[i] != FSD_NONE)
            layer_of[i] = fsd_sets_find(sets, layer_of[i]);
    layers = fsd_lists_new(scratch, of_layer, sizeof *of_layer, n_layers, n_layers);
    nodes = fsd_lists_new(scratch, layer_of, sizeof *layer_of, n_nodes, n_layers);
    add_regions(m, &layers, &nodes);
    remove_links(m, layer_of);
}

void fsd_pass_choice(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    struct choice c = {.m = m};

    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        if (is_of_steps(m, i))
            fsd_vec_push(scratch, &c.nodes, (struct colored){0, i});
    if (c.nodes.n > 1) {
        c.sizes = fsd_match_sizes(m, scratch);
        c.named = FSD_NEW(scratch, uint64_t, m->model->tensors.n);
        c.read = FSD_NEW(scratch, uint64_t, m->model->tensors.n);
        c.color = FSD_NEW(scratch, uint64_t, m->model->nodes.n);
        find_named(&c);
        for (fsd_id i = 0; i < m->model->nodes.n; i++)
            c.color[i] = color_alone(&c, i);
        for (int i = 0; i < SWEEPS; i++) {
            sweep_on(&c);
            sweep_back(&c);
        }
        for (uint32_t i = 0; i < c.nodes.n; i++)
            c.nodes.at[i].color = c.color[c.nodes.at[i].node];
        fsd_vec_sort(&c.nodes, by_color);
        find_choices(&c, scratch);
    }
}
