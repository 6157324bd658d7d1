/*
 * Handles nodes that own graphs (bodies).  The builder inlines the body of a
 * model-local function, and unrolls or compiles the body of a loop.  So a link to a
 * node of a body is also a link to the node that owns the body, and the other way
 * round.  Only one branch of an If runs, and the engine does not show which one: links
 * of a branch also hold for the If, but links of the If do not hold for a branch.
 */
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

#include <stdlib.h>

static void copy_links(struct fsd_match *m, fsd_id from, fsd_id to)
{
    uint32_t n = m->of_node[from].n;

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_link link = *fsd_match_of_node(m, from, i);

        fsd_match_link(m, link.layer, to, link.by);
    }
}

/* If a node in a body has no layers, links the node to the layers of the body's owner.
 * Skips nodes in branches of an If, folded nodes, and nodes that need no layer.
 * source[i] is the node whose links apply to node i: node i itself, or an owner whose
 * body contains it; FSD_NONE if node i has no links.  An owner has a lower number than
 * the nodes of its body, so the `source` of the owner is set first. */
static void pass_down(struct fsd_match *m, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = m->model;
    fsd_id *source = FSD_NEW(scratch, fsd_id, g->nodes.n);

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_id owner = g->scopes.at[g->nodes.at[i].scope].owner;

        source[i] = m->of_node[i].n ? i : FSD_NONE;
        if (m->of_node[i].n || owner == FSD_NONE ||
            fsd_node_is(g, owner, FSD_ONNX_If) || m->facts->folded[i] || m->gone[i])
            continue;
        source[i] = source[owner];
        if (source[i] != FSD_NONE)
            copy_links(m, source[i], i);
    }
}

/* The links that were found for owners without layers.  An owner gets one link per
 * layer. */
struct raised {
    FSD_VEC(struct fsd_link) links;
    struct fsd_span *of; /* indexed by node: its links */
    struct fsd_arena *scratch;
};

static void raise_node(const struct fsd_match *m, struct raised *r, fsd_id from,
                       fsd_id to)
{
    for (uint32_t i = 0; i < m->of_node[from].n; i++) {
        struct fsd_link link = *fsd_match_of_node(m, from, i);

        link.node = to;
        fsd_vec_push(r->scratch, &r->links, link);
    }
    for (uint32_t i = 0; i < r->of[from].n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the span is of links */
        struct fsd_link link = r->links.at[r->of[from].at + i];

        link.node = to;
        fsd_vec_push(r->scratch, &r->links, link);
    }
}

/* Joins the links in `r->of[node]` that have the same layer, and adds them to the
 * match. */
static void link_raised(struct fsd_match *m, struct raised *r, fsd_id node, uint32_t at)
{
    struct fsd_span *span = &r->of[node];

    span->at = at;
    if (r->links.n <= at)
        return;
    qsort(&r->links.at[at], r->links.n - at, sizeof *r->links.at, fsd_by_pair);
    for (uint32_t i = at; i < r->links.n; i++) {
        struct fsd_link link = r->links.at[i];

        if (span->n && r->links.at[at + span->n - 1].layer == link.layer)
            r->links.at[at + span->n - 1].by |= link.by;
        else
            r->links.at[at + span->n++] = link;
    }
    r->links.n = at + span->n;
    for (uint32_t i = at; i < r->links.n; i++)
        fsd_match_link(m, r->links.at[i].layer, node, r->links.at[i].by);
}

/* Links each owner without layers to the layers that compute nodes of its bodies. */
static void pass_up(struct fsd_match *m, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = m->model;
    struct raised r = {.of = FSD_NEW(scratch, struct fsd_span, g->nodes.n),
                       .scratch = scratch};
    struct fsd_lists bodies = fsd_graph_bodies(scratch, g);
    struct fsd_lists in_scope = fsd_graph_by_scope(scratch, g);
    for (fsd_id i = g->nodes.n; i-- > 0;) {
        uint32_t at = r.links.n;

        if (!bodies.of[i].n || m->of_node[i].n)
            continue;
        for (uint32_t b = 0; b < bodies.of[i].n; b++) {
            fsd_id scope = fsd_list_at(&bodies, i, b);

            for (uint32_t k = 0; k < in_scope.of[scope].n; k++)
                raise_node(m, &r, fsd_list_at(&in_scope, scope, k), i);
        }
        link_raised(m, &r, i, at);
    }
}

/* Whether one of the layer's steps performs the operator of the node. */
static bool has_step_of(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    const char *op = fsd_text(m->model->names, m->model->nodes.at[node].op);

    for (uint32_t i = 0; i < l->steps.n; i++)
        if (!strcmp(op,
                    fsd_text(m->engine->names, m->engine->links.at[l->steps.at + i])))
            return true;
    return false;
}

/* Corrects links to a node in the body of a Loop.  The builder may list the node in the
 * Metadata of every kernel of the loop.  If only one of these kernels has a step of the
 * node's operator, only this kernel keeps its link.  The links of the other kernels
 * then lead to the Loop. */
static void gather_spread(struct fsd_match *m, struct fsd_arena *scratch)
{
    enum { MANY = 4 };
    uint32_t *named = FSD_NEW(scratch, uint32_t, m->model->nodes.n);
    uint32_t *stepped = FSD_NEW(scratch, uint32_t, m->model->nodes.n);

    for (uint32_t i = 0; i < m->links.n; i++) {
        named[m->links.at[i].node]++;
        stepped[m->links.at[i].node] +=
            has_step_of(m, m->links.at[i].layer, m->links.at[i].node);
    }
    for (uint32_t i = 0; i < m->links.n; i++) {
        struct fsd_link link = m->links.at[i];
        fsd_id scope = m->model->nodes.at[link.node].scope;
        fsd_id owner = m->model->scopes.at[scope].owner;

        if (link.by & FSD_BY_METADATA && fsd_node_is(m->model, owner, FSD_ONNX_Loop) &&
            named[link.node] >= MANY && stepped[link.node] == 1 &&
            !has_step_of(m, link.layer, link.node))
            m->links.at[i].node = owner;
    }
    m->indexed = FSD_NONE; /* the order of the links has changed */
}

void fsd_pass_body(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);

    pass_down(m, scratch);
    fsd_match_index(m);
    pass_up(m, scratch);
    fsd_match_index(m);
    gather_spread(m, scratch);
}
