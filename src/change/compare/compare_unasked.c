/*
 * Finds tensors that a layer of the new build reads unexpectedly. The nodes that the
 * layer computes do not read the tensor, and the same layer of the old build does not
 * read it, either:
 *
 *     model   Conv_1 -> Add_3, Conv_2 -> Add_3
 *     old     [Add_3] reads what [Conv_1] and [Conv_2] write
 *     new     [Add_3] reads what [Conv_1] and [Relu_0] write    Relu_0 is unexpected
 *
 * All nodes of a region count as the same producer. So a tensor is not unexpected if
 * one build merely splits or joins the group of its producer.
 */
#include "change/compare/parts.h"

/* A number for an origin, to compare origins of both builds. All nodes of a region
 * share a number; each other node or input has a number of its own. FSD_NONE for a node
 * that is in no region and that only the new model has. */
static uint64_t place_of(const struct fsd_compare *c, bool new, struct fsd_origin from)
{
    const struct fsd_state *s = new ? c->new : c->old;
    fsd_id at = fsd_origin_node(from);
    uint32_t input = fsd_origin_input(from);

    if (at == FSD_NONE)
        return UINT64_C(1) << 32 | (new ? c->align->old_input[input] : input);
    if (s->nodes.at[at].group != FSD_NONE)
        return UINT64_C(2) << 32 | fsd_compare_region_of_node(c, new, at);
    return new ? c->align->to_old[at] : at;
}

static bool was_unasked(const struct fsd_compare *c, const struct fsd_region_diff *r,
                        uint64_t place)
{
    for (uint32_t i = 0; i < r->old_groups.n; i++) {
        struct fsd_origins unasked =
            c->old->groups.at[c->pool.at[r->old_groups.at + i]].unasked;

        for (uint32_t k = 0; k < unasked.n; k++)
            if (place_of(c, false, fsd_origin_at(c->old->refs.at, unasked, k)) == place)
                return true;
    }
    return false;
}

static void find_in(struct fsd_compare *c, struct fsd_region_diff *r)
{
    r->unasked = (struct fsd_origins){c->pool.n, 0};
    FSD_EACH_ID (group, c->pool, r->new_groups) {
        const struct fsd_group *g = &c->new->groups.at[group];

        for (uint32_t k = 0; k < g->unasked.n && !g->loose; k++) {
            struct fsd_origin from = fsd_origin_at(c->new->refs.at, g->unasked, k);

            if (!was_unasked(c, r, place_of(c, true, from)))
                fsd_vec_push(c->arena, &c->pool, from.ref);
        }
    }
    r->unasked.n = c->pool.n - r->unasked.at;
}

void fsd_compare_unasked(struct fsd_compare *c)
{
    if (!c->old->whole || !c->new->whole)
        return;
    for (uint32_t i = 0; i < c->regions.n; i++)
        if (c->regions.at[i].happened == FSD_HAPPENED_SAME)
            find_in(c, &c->regions.at[i]);
}
