/*
 * Where evidence contradicts evidence.  Metadata or a name puts a node into a layer;
 * the tensors put it into the cut of another unit and not into that layer's own.  A
 * node cannot reach across a tensor of the model that lies in memory, so one of the two
 * is wrong.  Cuts that leak prove nothing.
 */
#include "match/pass.h"

static bool in_own_cut(const struct fsd_match *m, const struct fsd_link *link)
{
    struct fsd_span nodes = m->cuts[m->unit[link->layer]].nodes;

    for (uint32_t i = 0; i < nodes.n; i++)
        if (m->pool.at[nodes.at + i] == link->node)
            return true;
    return false;
}

/* Of the layers that tensors link to a node, the first, and the first of another unit
 * than that one's: whichever unit asks, one of them is the first of the others.  A node
 * whose name thousands of layers bear is asked for thousands of times. */
struct claims {
    fsd_id first, other;
};

static struct claims *list_claims(const struct fsd_match *m, struct fsd_arena *scratch)
{
    struct claims *of = FSD_NEW(scratch, struct claims, m->model->nodes.n);

    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        of[i] = (struct claims){FSD_NONE, FSD_NONE};
    for (uint32_t i = 0; i < m->links.n; i++) {
        const struct fsd_link *link = &m->links.at[i];
        struct claims *c = &of[link->node];

        if (!(link->by & FSD_BY_TENSOR) || m->cuts[m->unit[link->layer]].leaky)
            continue;
        if (c->first == FSD_NONE)
            c->first = link->layer;
        else if (c->other == FSD_NONE && m->unit[link->layer] != m->unit[c->first])
            c->other = link->layer;
    }
    return of;
}

/* The layer of another unit that tensors link to the node, FSD_NONE when there is none.
 */
static fsd_id claimed_elsewhere(const struct fsd_match *m, struct claims c, fsd_id unit)
{
    return c.first != FSD_NONE && m->unit[c.first] == unit ? c.other : c.first;
}

static bool may_conflict(const struct fsd_match *m, const struct fsd_link *link)
{
    const struct fsd_cut *cut = &m->cuts[m->unit[link->layer]];

    return !(link->by & FSD_BY_TENSOR) && !m->facts->folded[link->node] &&
           !m->gone[link->node] &&
           !(m->facts->traits[link->node] & FSD_OP_QDQ) && cut->nodes.n && !cut->leaky;
}

/* Searching the own cut is linear in it; it is reached only for the few links that
 * another unit's tensors contradict. */
void fsd_pass_conflict(struct fsd_match *m)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const struct claims *claims = list_claims(m, scratch);

    for (uint32_t i = 0; i < m->links.n; i++) {
        const struct fsd_link *link = &m->links.at[i];
        fsd_id other;

        if (!may_conflict(m, link))
            continue;
        other = claimed_elsewhere(m, claims[link->node], m->unit[link->layer]);
        if (other != FSD_NONE && !in_own_cut(m, link))
            fsd_vec_push(
                m->arena, &m->conflicts,
                (struct fsd_conflict){link->layer, link->node, link->by, other});
    }
    fsd_arena_free(scratch);
}
