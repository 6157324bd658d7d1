/*
 * Refuses pairs that would reverse the order of two nodes. The pairs x - y and a - b
 * contradict each other, because x is before a, but y is after b:
 *
 *     old  ... x -> a
 *     new  ... b -> y
 *
 * A pair that is already accepted stays. A pair that is only proposed is refused.
 *
 * Levels show the order: a node has a higher level than its ancestors. Each node is
 * compared only with its nearest ancestors and descendants that have a counterpart.
 * This is enough, because those nodes are compared with their nearest ones in turn.
 */
#include "change/compare/parts.h"

/* A bound on a level, and the aligned node that causes the bound. */
struct bound {
    uint32_t level;
    fsd_id by;
};

/* For each node: the lowest level that its counterpart can have (`least`), and the
 * highest level (`most`). */
struct bounds {
    const struct fsd_align_side *side, *other;
    const fsd_id *counterpart; /* indexed by node; includes proposals */
    struct bound *least, *most;
};

/* The bound that a neighbor `node` causes. If `node` has a counterpart, the bound is
 * the level of the counterpart plus `on`. Otherwise it is the bound that `node` has in
 * `known`. */
static struct bound bound_of(const struct bounds *b, fsd_id node,
                             const struct bound *known, int on)
{
    if (b->counterpart[node] == FSD_NONE)
        return known[node];
    return (struct bound){b->other->level[b->counterpart[node]] + (uint32_t)on, node};
}

static void set_bounds(const struct bounds *b)
{
    const struct fsd_state *s = b->side->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        struct fsd_span in = s->nodes.at[i].core_in;

        b->least[i] = (struct bound){0, FSD_NONE};
        for (uint32_t k = 0; k < in.n; k++) {
            fsd_id at = fsd_origin_node(s->sources.at[in.at + k].at);
            struct bound from;

            if (at == FSD_NONE || at >= i)
                continue;
            from = bound_of(b, at, b->least, 1);
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
            from = bound_of(b, at, b->most, 0);
            if (from.level < b->most[i].level)
                b->most[i] = from;
        }
    }
}

static void refuse(const struct fsd_align_side side[2], int k, fsd_id node,
                   fsd_id counterpart)
{
    if (side[k].counterpart[node] != FSD_NONE)
        return; /* the node was already aligned */
    side[k].contested[node] = true;
    side[!k].contested[counterpart] = true;
}

void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const counterpart[2])
{
    for (int k = 0; k < 2; k++) {
        FSD_SCRATCH(scratch);
        uint32_t n = side[k].s->nodes.n;
        struct bounds b = {&side[k], &side[!k], counterpart[k],
                           FSD_NEW(scratch, struct bound, n),
                           FSD_NEW(scratch, struct bound, n)};

        set_bounds(&b);
        for (fsd_id i = 0; i < n; i++) {
            uint32_t level =
                b.counterpart[i] == FSD_NONE ? 0 : side[!k].level[b.counterpart[i]];
            bool low = level < b.least[i].level, high = level >= b.most[i].level;

            if (b.counterpart[i] == FSD_NONE || !(low || high))
                continue;
            refuse(side, k, i, b.counterpart[i]);
            if (low)
                refuse(side, k, b.least[i].by, b.counterpart[b.least[i].by]);
            if (high)
                refuse(side, k, b.most[i].by, b.counterpart[b.most[i].by]);
        }
    }
}
