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

static void raise(struct bound *at, struct bound from)
{
    if (from.level > at->level)
        *at = from;
}

static void lower(struct bound *at, struct bound from)
{
    if (from.level < at->level)
        *at = from;
}

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

static void bound_below(const struct bounds *b)
{
    const struct fsd_state *s = b->side->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        struct fsd_span in = s->nodes.at[i].core_in;

        b->least[i] = (struct bound){0, FSD_NONE};
        for (uint32_t k = 0; k < in.n; k++) {
            fsd_ref at = s->sources.at[in.at + k].at;

            if (at != FSD_NONE && !(at & FSD_REF_PORT) && at < i)
                raise(&b->least[i], told(b, at, b->least, 1));
        }
    }
}

static void bound_above(const struct bounds *b)
{
    for (fsd_id i = b->side->s->nodes.n; i-- > 0;) {
        struct fsd_span uses = b->side->uses[i];

        b->most[i] = (struct bound){UINT32_MAX, FSD_NONE};
        for (uint32_t k = 0; k < uses.n; k++) {
            fsd_id at = b->side->use[uses.at + k].node;

            if (at > i)
                lower(&b->most[i], told(b, at, b->most, 0));
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

/* What turns an order about, seen from one side. */
static void refuse_of(const struct fsd_align_side side[2], int k,
                      const struct bounds *b)
{
    for (fsd_id i = 0; i < side[k].s->nodes.n; i++) {
        uint32_t level = b->mate[i] == FSD_NONE ? 0 : side[!k].level[b->mate[i]];
        bool low = level < b->least[i].level, high = level >= b->most[i].level;

        if (b->mate[i] == FSD_NONE || !(low || high))
            continue;
        refuse(side, k, i, b->mate[i]);
        if (low)
            refuse(side, k, b->least[i].by, b->mate[b->least[i].by]);
        if (high)
            refuse(side, k, b->most[i].by, b->mate[b->most[i].by]);
    }
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

        bound_below(&b);
        bound_above(&b);
        refuse_of(side, k, &b);
        fsd_arena_free(scratch);
    }
}
