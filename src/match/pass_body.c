/*
 * Nodes that own graphs.  The builder inlines a model-local function and unrolls or
 * compiles a loop, so a call is computed where its body is, and the body where the call
 * is.  An If is computed by one of its branches and nothing says by which: evidence
 * goes up from a branch to the If, never down.
 */
#include "match/pass.h"

static void copy_links(struct fsd_match *m, fsd_id from, fsd_id to)
{
    uint32_t n = m->of_node[from].n;

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_link link = *fsd_match_of_node(m, from, i);

        fsd_match_link(m, link.layer, to, link.by);
    }
}

/* Scopes are numbered parents first, so one sweep down and one up reach every depth. */
void fsd_pass_body(struct fsd_match *m)
{
    const struct fsd_graph *g = m->model;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_id owner = g->scopes.at[g->nodes.at[i].scope].owner;

        if (owner != FSD_NONE && !m->of_node[i].n && !fsd_node_is(g, owner, "If") &&
            !m->facts->folded[i] && !m->gone[i])
            copy_links(m, owner, i);
    }
    fsd_match_index(m);
    for (fsd_id i = g->nodes.n; i-- > 0;) {
        fsd_id owner = g->scopes.at[g->nodes.at[i].scope].owner;

        if (owner != FSD_NONE && m->of_node[i].n && !m->of_node[owner].n)
            copy_links(m, i, owner);
    }
}
