/*
 * What comes before a node in one model cannot come behind it in the other:
 *
 *     old  ... x -> a          x is aligned to y, a is offered b:
 *     new  ... b -> y          refused, and x - y too if it is no surer
 *
 * Levels tell: what b depends on has a lower one than b.  Looking at the nearest
 * aligned nodes before and behind is enough, as those were looked at too.
 */
#include "compare/parts.h"

/* The bound that aligned nodes set, and which of them does. */
struct bound {
    uint32_t level;
    fsd_id by;
};

/* The least and the greatest level that the mate of each node can have. */
struct bounds {
    const struct fsd_align_side *side, *other;
    const fsd_id *mate; /* as offered */
    struct bound *least, *most;
};

/* What a neighbour says: its mate's own level, moved on by one; else what it was told.
 */
static struct bound told(const struct bounds *b, fsd_id node, const struct bound *known,
                         int on)
{
    if (b->mate[node] == FSD_NONE)
        return known[node];
    return (struct bound){b->other->level[b->mate[node]] + (uint32_t)on, node};
}

static void set_bounds(const struct bounds *b)
{
    const struct fsd_state *s = b->side->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        struct fsd_span in = s->nodes.at[i].core_in;

        b->least[i] = (struct bound){0, FSD_NONE};
        for (uint32_t k = 0; k < in.n; k++) {
            fsd_ref at = s->sources.at[in.at + k].at;
            struct bound from;

            if (at == FSD_NONE || at & FSD_REF_PORT || at >= i)
                continue;
            from = told(b, at, b->least, 1);
            if (from.level > b->least[i].level)
                b->least[i] = from;
        }
    }
    for (fsd_id i = s->nodes.n; i-- > 0;) {
        struct fsd_span uses = b->side->uses[i];

        b->most[i] = (struct bound){UINT32_MAX, FSD_NONE};
        for (uint32_t k = 0; k < uses.n; k++) {
            fsd_id at = b->side->use[uses.at + k].node;
            struct bound from;

            if (at <= i)
                continue;
            from = told(b, at, b->most, 0);
            if (from.level < b->most[i].level)
                b->most[i] = from;
        }
    }
}

static void refuse(const struct fsd_align_side side[2], int k, fsd_id node, fsd_id mate)
{
    if (side[k].mate[node] != FSD_NONE)
        return; /* it was aligned before */
    side[k].contested[node] = true;
    side[!k].contested[mate] = true;
}

void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const mate[2])
{
    for (int k = 0; k < 2; k++) {
        struct fsd_arena *scratch = fsd_arena_new();
        uint32_t n = side[k].s->nodes.n;
        struct bounds b = {&side[k], &side[!k], mate[k],
                           FSD_NEW(scratch, struct bound, n),
                           FSD_NEW(scratch, struct bound, n)};

        set_bounds(&b);
        for (fsd_id i = 0; i < n; i++) {
            uint32_t level = b.mate[i] == FSD_NONE ? 0 : side[!k].level[b.mate[i]];
            bool low = level < b.least[i].level, high = level >= b.most[i].level;

            if (b.mate[i] == FSD_NONE || !(low || high))
                continue;
            refuse(side, k, i, b.mate[i]);
            if (low)
                refuse(side, k, b.least[i].by, b.mate[b.least[i].by]);
            if (high)
                refuse(side, k, b.most[i].by, b.mate[b.most[i].by]);
        }
        fsd_arena_free(scratch);
    }
}
