/*
 * Loops.  The builder numbers loops and branches as they were parsed, and what it makes
 * for one bears the number, be it a state that is carried along or a constant of a
 * product:
 *
 *     copy    x -> (Unnamed Loop* 0)^s.2          brings in the first state
 *     gemm    s, (Unnamed Loop* 0)^..._alpha -> a
 *     kernel  a, b -> c                           between two of the loop
 *     gemm    c, (Unnamed Loop* 0)^..._alpha -> d
 *
 * A layer of no known node that holds such a tensor, or lies between two that do, works
 * for the node that owns the loop.  Which node of its body it computes is not said.
 */
#include "match/pass.h"

struct loops {
    struct fsd_match *m;
    struct fsd_arena *scratch;
    FSD_VEC(fsd_id) nodes;        /* of the model, by number */
    bool *owns;                   /* by node: it is one of them */
    fsd_id *of, *before, *behind; /* by layer: node that owns the loop; FSD_NONE */
};

/* Counted where all of them are in the main graph: how those in bodies are numbered
 * among them, no build has shown. */
static bool count_loops(struct loops *l)
{
    static const char *const ops[] = {"LSTM", "GRU", "RNN", "Loop", "Scan", "If"};
    const struct fsd_graph *g = l->m->model;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < FSD_COUNT_OF(ops); k++) {
            if (!fsd_node_is(g, i, ops[k]))
                continue;
            if (g->nodes.at[i].scope)
                return false;
            fsd_vec_push(l->scratch, &l->nodes, i);
            l->owns[i] = true;
        }
    return l->nodes.n > 0;
}

/* No node is known of it, and it is there for one. */
static bool is_bare(const struct fsd_match *m, fsd_id layer)
{
    enum fsd_kind kind = m->engine->layers.at[layer].kind;

    return !m->of_layer[layer].n && kind != FSD_KIND_SHAPE && kind != FSD_KIND_SYNC &&
           kind != FSD_KIND_CONSTANT;
}

static fsd_id told_by(const struct loops *l, struct fsd_span ports)
{
    const struct fsd_graph *e = l->m->engine;
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < ports.n && found == FSD_NONE; i++) {
        fsd_id t = e->ports.at[ports.at + i].tensor;
        uint32_t loop = t == FSD_NONE ? 0 : e->tensors.at[t].loop;

        if (loop && loop <= l->nodes.n)
            found = l->nodes.at[loop - 1];
    }
    return found;
}

/* The loop that a layer works for, by its tensors or by what was linked before. */
static fsd_id loop_of(const struct loops *l, fsd_id layer)
{
    const struct fsd_node *n = &l->m->engine->nodes.at[layer];
    fsd_id found = FSD_NONE;

    if (!is_bare(l->m, layer)) {
        for (uint32_t i = 0; i < l->m->of_layer[layer].n && found == FSD_NONE; i++) {
            fsd_id node = fsd_match_of_layer(l->m, layer, i)->node;

            found = l->owns[node] ? node : FSD_NONE;
        }
        return found;
    }
    found = told_by(l, l->m->engine->layers.at[layer].constants);
    if (found == FSD_NONE)
        found = told_by(l, n->out);
    return found == FSD_NONE ? told_by(l, n->in) : found;
}

/* The loop of the layers beside it, seen through others of no known node; FSD_NONE
 * where they are of several. */
static fsd_id beside(const struct loops *l, fsd_id layer, bool behind)
{
    const struct fsd_graph *e = l->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_span ports = behind ? n->out : n->in;
    const fsd_id *through = behind ? l->behind : l->before;
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < ports.n; i++) {
        fsd_id t = e->ports.at[ports.at + i].tensor;
        struct fsd_span layers = {0, 0};

        if (t != FSD_NONE)
            layers = behind ? e->tensors.at[t].consumers : e->tensors.at[t].producers;
        for (uint32_t k = 0; k < layers.n; k++) {
            fsd_id at = e->links.at[layers.at + k], loop = l->of[at];

            if (loop == FSD_NONE && is_bare(l->m, at))
                loop = through[at];
            if (loop != FSD_NONE && found != FSD_NONE && loop != found)
                return FSD_NONE;
            found = loop == FSD_NONE ? found : loop;
        }
    }
    return found;
}

void fsd_pass_loop(struct fsd_match *m)
{
    uint32_t n = m->engine->layers.n;
    struct loops l = {.m = m, .scratch = fsd_arena_new()};

    l.owns = FSD_NEW(l.scratch, bool, m->model->nodes.n);
    if (count_loops(&l)) {
        l.of = FSD_NEW(l.scratch, fsd_id, n);
        l.before = FSD_NEW(l.scratch, fsd_id, n);
        l.behind = FSD_NEW(l.scratch, fsd_id, n);
        for (fsd_id i = 0; i < n; i++) {
            l.of[i] = loop_of(&l, i);
            l.before[i] = l.behind[i] = FSD_NONE;
        }
        for (fsd_id i = 0; i < n; i++)
            l.before[i] = beside(&l, i, false);
        for (fsd_id i = n; i-- > 0;)
            l.behind[i] = beside(&l, i, true);
        for (fsd_id i = 0; i < n; i++) {
            fsd_id loop = l.of[i];

            if (loop == FSD_NONE && l.before[i] == l.behind[i])
                loop = l.before[i];
            if (loop != FSD_NONE && is_bare(m, i))
                fsd_match_link(m, i, loop, FSD_BY_STRUCTURE);
        }
    }
    fsd_arena_free(l.scratch);
}
