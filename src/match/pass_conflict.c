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

/* The layer of another unit that tensors link to the node, FSD_NONE when there is none.
 */
static fsd_id claimed_elsewhere(const struct fsd_match *m, fsd_id node, fsd_id unit)
{
    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        const struct fsd_link *link = fsd_match_of_node(m, node, i);

        if ((link->by & FSD_BY_TENSOR) && m->unit[link->layer] != unit &&
            !m->cuts[m->unit[link->layer]].leaky)
            return link->layer;
    }
    return FSD_NONE;
}

static bool may_conflict(const struct fsd_match *m, const struct fsd_link *link)
{
    const struct fsd_cut *cut = &m->cuts[m->unit[link->layer]];

    return !(link->by & FSD_BY_TENSOR) && !m->facts->folded[link->node] &&
           m->facts->same[link->node] == FSD_SAME_NOT &&
           !(m->facts->traits[link->node] & FSD_OP_QDQ) && cut->nodes.n && !cut->leaky;
}

/* Searching the own cut is linear in it; it is reached only for the few links that
 * another unit's tensors contradict. */
void fsd_pass_conflict(struct fsd_match *m)
{
    for (uint32_t i = 0; i < m->links.n; i++) {
        const struct fsd_link *link = &m->links.at[i];
        fsd_id other;

        if (!may_conflict(m, link))
            continue;
        other = claimed_elsewhere(m, link->node, m->unit[link->layer]);
        if (other != FSD_NONE && !in_own_cut(m, link))
            fsd_vec_push(
                m->arena, &m->conflicts,
                (struct fsd_conflict){link->layer, link->node, link->by, other});
    }
}
