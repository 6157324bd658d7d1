/*
 * Finds contradictory evidence: Metadata or a name assigns a node to a layer, but the
 * tensors place the node in another unit, and not in the unit of this layer.  Units are
 * separated by tensors that the engine writes to memory.  A layer cannot compute nodes
 * on both sides of such a tensor, so either the name or the tensors are wrong.  Units
 * with a leaky cut are ignored (fsd_cut.leaky).
 */
#include "match/pass.h"
#include "model/graph/graph.h"

/* For a node: the first layer that tensors link to it, and the first such layer outside
 * the unit of `first`.  Layers in units with a leaky cut do not count.  The first layer
 * outside a unit U is then `other` if `first` is in U, else `first`.  Without this
 * struct, thousands of links of a node would be searched for each unit. */
struct rivals {
    fsd_id first, other;
};

static void add_rival(const struct fsd_match *m, struct rivals *of,
                      const struct fsd_link *link)
{
    struct rivals *c = &of[link->node];

    if (!(link->by & FSD_BY_TENSOR) || m->cuts[m->unit[link->layer]].leaky)
        return;
    if (c->first == FSD_NONE)
        c->first = link->layer;
    else if (c->other == FSD_NONE && m->unit[link->layer] != m->unit[c->first])
        c->other = link->layer;
}

static struct rivals *list_rivals(const struct fsd_match *m, struct fsd_arena *scratch)
{
    struct rivals *of = FSD_NEW(scratch, struct rivals, m->model->nodes.n);

    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        of[i] = (struct rivals){FSD_NONE, FSD_NONE};
    for (uint32_t i = 0; i < m->links.n; i++)
        add_rival(m, of, &m->links.at[i]);
    for (uint32_t i = 0; i < m->refuted.n; i++)
        add_rival(m, of, &m->refuted.at[i]);
    return of;
}

/* Returns an array indexed by layer: whether tensors confirm some node in the layer's
 * Metadata. */
static bool *list_confirmed(const struct fsd_match *m, struct fsd_arena *scratch)
{
    bool *confirmed = FSD_NEW(scratch, bool, m->engine->nodes.n);

    FSD_EACH (const struct fsd_link, link, m->links)
        confirmed[link->layer] |=
            (link->by & FSD_BY_METADATA) && (link->by & FSD_BY_TENSOR);
    return confirmed;
}

/* Whether the tensors are wrong and the link is right, because an engine tensor has the
 * wrong counterpart.  There is no conflict then.  True if
 *   - the Metadata of the link's layer names the node,
 *   - tensors confirm another node in this Metadata, and
 *   - `other`, the layer where tensors place the node, has no link to the node. */
static bool is_contradicted(const struct fsd_match *m, const bool *confirmed,
                            const struct fsd_link *link, fsd_id other)
{
    return (link->by & FSD_BY_METADATA) && confirmed[link->layer] &&
           !fsd_match_has(m, other, link->node);
}

/* Records a conflict for each link that tensors contradict.  They contradict a link if
 * they place the node in another unit and do not confirm the link.  A node that reads
 * only constants and sizes, such as an Expand of a weight, causes no conflict: every
 * kernel that needs the node's value can compute it.  The search in the cut of the
 * link's unit takes the longest, so it comes last. */
void fsd_pass_conflict(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    const struct rivals *rivals = list_rivals(m, scratch);
    const bool *confirmed = list_confirmed(m, scratch);

    FSD_EACH (const struct fsd_link, link, m->links) {
        fsd_id unit = m->unit[link->layer];
        const struct fsd_cut *cut = &m->cuts[unit];
        struct rivals c = rivals[link->node];
        fsd_id other = fsd_id_at(m->unit, c.first) == unit ? c.other : c.first;
        bool in_own = false;

        if (other == FSD_NONE || link->by & FSD_BY_TENSOR || !cut->nodes.n ||
            cut->leaky || is_contradicted(m, confirmed, link, other) ||
            m->facts->folded[link->node] || m->gone[link->node] ||
            m->facts->traits[link->node] & FSD_OP_QDQ ||
            !fsd_reads_run_data(m->facts, link->node))
            continue;
        for (uint32_t k = 0; k < cut->nodes.n && !in_own; k++)
            in_own = m->pool.at[cut->nodes.at + k] == link->node;
        if (!in_own)
            fsd_vec_push(
                m->arena, &m->conflicts,
                (struct fsd_conflict){link->layer, link->node, link->by, other});
    }
}
