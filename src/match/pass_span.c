/*
 * Finds the nodes on the paths between the nodes that a layer's name lists.  A builder
 * names a region by its first and its last node.  The name of a fusion omits nodes that
 * the fusion absorbed:
 *
 *     a region from Conv_1 to Softmax_9      Conv_1 -> Relu_2 -> ... -> Softmax_9
 *     Conv_1 + Relu_3                        Conv_1 -> BatchNormalization_2 -> Relu_3
 *
 * A layer runs as a whole.  A node on a path between two nodes of the layer reads a
 * result of the layer, and the layer reads a result of the node.  So no other layer can
 * compute the node (FSD_BY_PATH).  Nothing is concluded from a path that
 *
 *   - contains a node of another layer, because the names contradict the path,
 *   - contains a tensor in memory that the layer does not write,
 *   - lies between nodes of several layers.
 *
 * The first name of a region may name a weight instead of a node.  Some nodes of a
 * region are on no path between the two named nodes, because a region may have more
 * inputs and outputs.  If the dump lists only layer names, and only one layer is a
 * region, the region also gets other nodes (FSD_BY_STRUCTURE): nodes that no name
 * contains and that are not adjacent to nodes of other layers.
 *
 * A layer whose Metadata lists nodes gets no nodes here: its Metadata is complete.
 */
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

enum { BUDGET_PER_NODE = 64, FOLDED_MOST = 8 };

struct spans {
    struct fsd_match *m;
    struct fsd_arena *scratch;
    fsd_id *owner;    /* indexed by node: the layer of the node; FSD_SEVERAL if there
                         are several, FSD_NONE if there is none */
    fsd_id *enclosed; /* indexed by node: if the node is free (is_free()), the layer
                         that has a path between two of its `ends` through the node;
                         FSD_SEVERAL if there are several such layers, FSD_NONE if
                         there is none */
    bool *held;       /* indexed by value (facts->value of a tensor): whether the engine
                         has this value in memory */
    /* The following members describe the current layer. */
    fsd_id layer;
    bool ported;              /* whether the dump states the layer's tensors */
    uint32_t *ahead, *behind; /* indexed by node: equal to `mark` if a path leads from
                                 one of `ends` to the node, forward (`ahead`) or back
                                 (`behind`) */
    uint32_t mark;
    FSD_VEC(fsd_id) ends;
    FSD_VEC(fsd_id) between;
    fsd_id *stack;
    uint32_t depth;
    uint64_t budget;
};

/* ------------------------------------------------------------------- who has it */

static void own(struct spans *s, fsd_id node, fsd_id layer)
{
    fsd_id *owner = &s->owner[s->m->facts->first_duplicate[node]];

    *owner = fsd_id_both(*owner, layer);
}

static fsd_id owner_of(const struct spans *s, fsd_id node)
{
    return s->owner[s->m->facts->first_duplicate[node]];
}

static void find_owners(struct spans *s)
{
    for (uint32_t i = 0; i < s->m->links.n; i++)
        own(s, s->m->links.at[i].node, s->m->links.at[i].layer);
}

/* Whether the node has no layer and is computed at inference, so that a path may
 * contain it. */
static bool is_free(const struct spans *s, fsd_id node)
{
    const struct fsd_match *m = s->m;

    return owner_of(s, node) == FSD_NONE && !m->facts->folded[node] &&
           !m->facts->size[node] && m->region_of_node[node] == FSD_NONE;
}

/* ------------------------------------------------------------------------- ends */

/* The only node that consumes a constant, directly or through folded nodes; FSD_NONE if
 * there is none or more than one. */
static fsd_id only_consumer(const struct fsd_match *m, fsd_id tensor)
{
    for (int far = 0; far < FOLDED_MOST; far++) {
        struct fsd_span to = fsd_tensor_consumers(m->model, tensor);
        fsd_id node = to.n == 1 ? m->model->links.at[to.at] : FSD_NONE;

        if (!fsd_true_at(m->facts->folded, node))
            return node;
        tensor = fsd_node_out_tensor(m->model, node, 0);
    }
    return FSD_NONE;
}

/* Fills `ends` with the nodes that the name of the current layer or the log assigns to
 * this layer. */
static void find_ends(struct spans *s)
{
    const struct fsd_match *m = s->m;

    s->ends.n = 0;
    for (uint32_t i = 0; i < m->of_layer[s->layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(m, s->layer, i);

        if (link->by & (FSD_BY_NAME | FSD_BY_LOG) && !m->facts->folded[link->node])
            fsd_vec_push(s->scratch, &s->ends, link->node);
    }
}

/* Returns the constant that a mention names.  If the mention names a folded node,
 * returns the output of this node.  FSD_NONE if the mention names neither. */
static fsd_id constant_of(const struct fsd_match *m, const struct fsd_mention *mention)
{
    if (mention->role == FSD_MENTION_CONSTANT)
        return mention->tensor;
    return mention->role == FSD_MENTION_FIRST && mention->among == 1 &&
                   m->facts->folded[mention->node]
               ? fsd_node_out_tensor(m->model, mention->node, 0)
               : FSD_NONE;
}

/* If the region's name mentions constants, adds the consumers of the constants to the
 * ends of the region.  These consumers are nodes of the region. */
static void add_consumers(struct spans *s)
{
    const struct fsd_match *m = s->m;
    struct fsd_span mentions = m->engine->layers.at[s->layer].mentions;

    if (m->engine->layers.at[s->layer].form != FSD_NAME_REGION)
        return;
    FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions, mentions) {
        fsd_id tensor = mention->by & m->evidence ? constant_of(m, mention) : FSD_NONE;
        fsd_id node = only_consumer(m, tensor);

        if (node != FSD_NONE && is_free(s, node))
            fsd_vec_push(s->scratch, &s->ends, node);
    }
}

/* ------------------------------------------------------------------------ paths */

static bool writes(const struct spans *s, fsd_id value)
{
    const struct fsd_match *m = s->m;
    const struct fsd_node *n = &m->engine->nodes.at[s->layer];

    FSD_EACH_OF (tensor, m->engine->ports, n->out, tensor) {
        fsd_id held = fsd_match_held(m, tensor);

        if (fsd_id_at(m->facts->value, held) == value)
            return true;
    }
    return false;
}

/* Whether no path continues across the tensor.  This is true for a build-time constant,
 * and for a tensor in memory that the current layer does not write. */
static bool is_border(const struct spans *s, fsd_id tensor)
{
    fsd_id value = s->m->facts->value[tensor];

    return fsd_is_build_constant(s->m->facts, tensor) ||
           (s->ported && s->held[value] && !writes(s, value));
}

static void reach(struct spans *s, uint32_t *marks, fsd_id node)
{
    fsd_id owner = owner_of(s, node);

    if (marks[node] == s->mark || !s->budget ||
        (owner != s->layer && !is_free(s, node) &&
         !fsd_match_has(s->m, s->layer, node)))
        return;
    s->budget--;
    marks[node] = s->mark;
    s->stack[s->depth++] = node;
}

static void step_ahead(struct spans *s, fsd_id node)
{
    const struct fsd_graph *g = s->m->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (tensor, g->ports, n->out, tensor) {
        struct fsd_span to = {0};

        if (tensor != FSD_NONE && !is_border(s, tensor))
            to = g->tensors.at[tensor].consumers;
        FSD_EACH_ID (reader, g->links, to)
            reach(s, s->ahead, reader);
    }
}

/* Continues the walk backward from the node, but only to producers that the forward
 * walk has reached. */
static void step_behind(struct spans *s, fsd_id node)
{
    const struct fsd_graph *g = s->m->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
        fsd_id producer;

        if (tensor == FSD_NONE || is_border(s, tensor))
            continue;
        producer = fsd_tensor_producer(g, tensor);
        if (fsd_id_at(s->ahead, producer) == s->mark)
            reach(s, s->behind, producer);
    }
}

static void walk(struct spans *s, uint32_t *marks, uint32_t ends,
                 void (*step)(struct spans *s, fsd_id node))
{
    for (uint32_t i = 0; i < ends; i++)
        reach(s, marks, s->ends.at[i]);
    while (s->depth) {
        fsd_id node = s->stack[--s->depth];

        if (marks == s->behind && is_free(s, node))
            fsd_vec_push(s->scratch, &s->between, node);
        step(s, node);
    }
}

/* Records in `enclosed` the nodes without a layer that are between the ends of this
 * layer. */
static void enclose(struct spans *s, fsd_id layer)
{
    const struct fsd_node *n = &s->m->engine->nodes.at[layer];
    uint32_t named;

    s->layer = layer;
    s->ported = n->in.n || n->out.n;
    s->between.n = 0;
    find_ends(s);
    named = s->ends.n;
    add_consumers(s);
    if (!named || s->ends.n < 2 || s->m->layer_sourced[layer])
        return;
    s->mark++;
    walk(s, s->ahead, s->ends.n, step_ahead);
    walk(s, s->behind, named, step_behind);
    for (uint32_t i = 0; i < s->between.n && s->budget; i++) {
        fsd_id *by = &s->enclosed[s->between.at[i]];

        *by = fsd_id_both(*by, layer);
    }
}

static void link_node(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by)
{
    if (m->gone[node])
        m->dissolved_in[node] = layer;
    else
        fsd_match_link(m, layer, node, by);
}

static void link_enclosed(struct fsd_match *m, const fsd_id *enclosed)
{
    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        if (fsd_id_only(enclosed[i]) != FSD_NONE)
            link_node(m, enclosed[i], i, FSD_BY_PATH);
}

/* ------------------------------------------------------------------ what is left */

/* The region to which the nodes without a layer can belong.  FSD_NONE in three cases:
 *   - the engine has no region or several regions,
 *   - Metadata lists nodes of the region,
 *   - another layer computes nodes, but no node of that layer is known. */
static fsd_id only_region(const struct fsd_match *m)
{
    fsd_id found = FSD_NONE;

    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        enum fsd_name_form form = m->engine->layers.at[i].form;
        bool region = form == FSD_NAME_REGION;

        if (!region && (m->of_layer[i].n || form != FSD_NAME_PLAIN ||
                        fsd_layer_works(m->engine, i) < 2))
            continue;
        if (!region || found != FSD_NONE || m->layer_sourced[i])
            return FSD_NONE;
        found = i;
    }
    return found;
}

/* Sets of connected nodes without a layer. */
struct rest {
    fsd_id region;
    fsd_id *sets;  /* indexed by node */
    bool *foreign; /* indexed by set: whether a node of a layer other than `region` is
                      adjacent to a node of the set */
};

typedef void edge_fn(struct spans *s, struct rest *rest, fsd_id from, fsd_id to);

static void join_free(struct spans *s, struct rest *rest, fsd_id from, fsd_id to)
{
    if (is_free(s, from) && is_free(s, to))
        fsd_sets_join(rest->sets, from, to);
}

/* If one node of the edge is free (is_free()) and the other node belongs to a layer
 * other than the region, marks the set of the free node as foreign.  Folded nodes and
 * nodes that compute sizes do not count, because no layer computes them. */
static void note_border(struct spans *s, struct rest *rest, fsd_id from, fsd_id to)
{
    const struct fsd_facts *f = s->m->facts;
    bool from_free = is_free(s, from), to_free = is_free(s, to);
    fsd_id other = from_free ? to : from;

    if (from_free != to_free && owner_of(s, other) != rest->region &&
        !f->folded[other] && !f->size[other])
        rest->foreign[fsd_sets_find(rest->sets, from_free ? from : to)] = true;
}

/* Calls `fn` for each edge from a producer to a consumer, and for each pair of an owner
 * and a node of its body. */
static void each_edge(struct spans *s, struct rest *rest, edge_fn *fn)
{
    const struct fsd_graph *g = s->m->model;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];

        FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
            fsd_id producer = fsd_tensor_producer(g, tensor);

            if (producer != FSD_NONE && !fsd_is_build_constant(s->m->facts, tensor))
                fn(s, rest, producer, i);
        }
        if (g->scopes.at[n->scope].owner != FSD_NONE)
            fn(s, rest, g->scopes.at[n->scope].owner, i);
    }
}

static void link_rest(struct spans *s)
{
    struct fsd_match *m = s->m;
    uint32_t nodes = m->model->nodes.n;
    struct rest rest = {only_region(m), fsd_sets_new(s->scratch, nodes),
                        FSD_NEW(s->scratch, bool, nodes)};

    if (rest.region == FSD_NONE)
        return;
    for (fsd_id i = 0; i < nodes; i++)
        if (s->enclosed[i] != FSD_NONE)
            own(s, i, s->enclosed[i]);
    each_edge(s, &rest, join_free);
    each_edge(s, &rest, note_border);
    for (fsd_id i = 0; i < nodes; i++)
        if (is_free(s, i) && m->facts->live[i] &&
            !rest.foreign[fsd_sets_find(rest.sets, i)])
            link_node(m, rest.region, i, FSD_BY_STRUCTURE);
}

void fsd_pass_span(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    uint32_t nodes = m->model->nodes.n;
    struct spans s = {.m = m,
                      .scratch = scratch,
                      .owner = fsd_ids_new(scratch, nodes),
                      .enclosed = fsd_ids_new(scratch, nodes),
                      .held = FSD_NEW(scratch, bool, m->model->tensors.n),
                      .ahead = FSD_NEW(scratch, uint32_t, nodes),
                      .behind = FSD_NEW(scratch, uint32_t, nodes),
                      .stack = FSD_NEW(scratch, fsd_id, nodes),
                      .budget = (uint64_t)nodes * BUDGET_PER_NODE};

    for (fsd_id e = 0; e < m->engine->tensors.n; e++)
        if (fsd_match_holds(m, e))
            s.held[m->facts->value[m->counterpart[e]]] = true;
    find_owners(&s);
    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        enclose(&s, i);
    link_enclosed(m, s.enclosed);
    if (m->evidence & FSD_BY_STRUCTURE && !m->engine->detailed)
        link_rest(&s);
}
