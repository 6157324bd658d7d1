/*
 * If a model has several engines, finds the engine to which each node belongs.  A
 * linked node is in the engine of its layer.  For other nodes, the inputs and outputs
 * of the engines decide: a node on a path from an input to an output of an engine is in
 * this engine, even if the node has no layer.
 *
 *     engine  reads a and writes d
 *     model   a -> Relu -> b -> Shape ... -> d    Relu, Shape: inside
 *             d -> NonMaxSuppression -> e         in no engine: outside
 *
 * The walk goes back from the outputs of an engine, and ends at its inputs.  If an
 * input of the engine has another name in the model, the walk does not end there.  It
 * may then reach an input of the model that the engine does not read.  In this case,
 * the nodes of the engine are unknown, and no node is reported as outside.
 */
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

struct walk {
    const struct fsd_match *m;
    struct fsd_parts *parts;
    struct fsd_arena *scratch;
    struct fsd_lists in_scope; /* nodes by scope */
    struct fsd_lists bodies;   /* bodies by owner node */
    uint32_t *stop;            /* indexed by tensor: 1 + the index of the last engine so
                                  far that has the tensor as an input; 0: none */
    uint32_t *seen;            /* indexed by node: index of the last engine whose walk
                                  visited the node, plus 1 */
    FSD_VEC(fsd_id) todo;
};

static void visit(struct walk *w, fsd_id node, uint32_t part)
{
    if (node == FSD_NONE || w->seen[node] == part + 1)
        return;
    w->seen[node] = part + 1;
    w->parts->of_node[node] = fsd_id_or(w->parts->of_node[node], part);
    fsd_vec_push(w->scratch, &w->todo, node);
}

/* Visits the producers of the node's inputs and the nodes of its bodies, because they
 * belong to the same engine. */
static void go_back(struct walk *w, fsd_id node, uint32_t part)
{
    const struct fsd_graph *g = w->m->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (t, g->ports, n->in, tensor) {
        if (t == FSD_NONE || w->stop[t] == part + 1)
            continue;
        if (g->tensors.at[t].flags & FSD_TENSOR_INPUT && !g->tensors.at[t].scope &&
            !w->m->facts->constant[t])
            w->parts->open[part] = t;
        visit(w, fsd_tensor_producer(g, t), part);
    }
    for (uint32_t k = 0; k < w->bodies.of[node].n; k++) {
        fsd_id scope = fsd_list_at(&w->bodies, node, k);

        for (uint32_t i = 0; i < w->in_scope.of[scope].n; i++)
            visit(w, fsd_list_at(&w->in_scope, scope, i), part);
    }
}

static void walk_part(struct walk *w, uint32_t part)
{
    const struct fsd_graph *e = w->m->engine;
    struct fsd_span borders = e->parts.at[part].borders;
    bool any = false;

    w->parts->open[part] = FSD_NONE;
    for (int outputs = 0; outputs < 2; outputs++)
        FSD_EACH_IN (const struct fsd_part_port, b, e->borders, borders) {
            fsd_id t = w->m->counterpart[b->tensor];

            if (t == FSD_NONE || b->written != outputs)
                continue;
            any |= b->written;
            if (b->written)
                visit(w, fsd_tensor_producer(w->m->model, t), part);
            else
                w->stop[t] = part + 1;
        }
    while (w->todo.n)
        go_back(w, w->todo.at[--w->todo.n], part);
    if (!any || w->parts->open[part] != FSD_NONE)
        w->parts->known = false;
}

/* Assigns nodes with links or regions to the engines of their layers.  Links and
 * regions are stronger evidence than a position between tensors of an engine. */
static void place_linked(const struct fsd_match *m, struct fsd_parts *parts)
{
    for (fsd_id node = 0; node < m->model->nodes.n; node++) {
        fsd_id region = m->region_of_node[node];
        fsd_id of = FSD_NONE;

        for (uint32_t i = 0; i < m->of_node[node].n; i++) {
            fsd_id part =
                fsd_graph_part_of(m->engine, fsd_match_of_node(m, node, i)->layer);

            of = fsd_id_or(of, part);
            if (part != of)
                parts->again[node] = part;
        }
        if (of == FSD_NONE && region != FSD_NONE)
            of = fsd_graph_part_of(m->engine,
                                   m->pool.at[m->regions.at[region].layers.at]);
        parts->of_node[node] = fsd_id_or(of, parts->of_node[node]);
    }
}

const struct fsd_parts *fsd_diff_parts(const struct fsd_match *m)
{
    uint32_t n = m->engine->parts.n;
    FSD_SCRATCH(scratch);
    struct walk w = {.m = m, .scratch = scratch};
    struct fsd_parts *parts = NULL;

    if (n) {
        parts = w.parts = FSD_NEW(m->arena, struct fsd_parts, 1);
        parts->n = n;
        parts->known = true;
        parts->of_node = fsd_ids_new(m->arena, m->model->nodes.n);
        parts->again = fsd_ids_new(m->arena, m->model->nodes.n);
        parts->nodes = FSD_NEW(m->arena, uint32_t, n);
        parts->open = FSD_NEW(m->arena, fsd_id, n);
        w.stop = FSD_NEW(w.scratch, uint32_t, m->model->tensors.n);
        w.seen = FSD_NEW(w.scratch, uint32_t, m->model->nodes.n);
        w.in_scope = fsd_graph_by_scope(w.scratch, m->model);
        w.bodies = fsd_graph_bodies(w.scratch, m->model);
        for (uint32_t p = 0; p < n; p++)
            walk_part(&w, p);
        if (!parts->known) /* a walk failed: the results of all walks are discarded */
            for (fsd_id i = 0; i < m->model->nodes.n; i++)
                parts->of_node[i] = FSD_NONE;
        place_linked(m, parts);
        for (fsd_id i = 0; i < m->model->nodes.n; i++)
            if (parts->of_node[i] != FSD_NONE)
                parts->nodes[parts->of_node[i]]++;
    }
    return parts;
}
