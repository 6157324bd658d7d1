/*
 * Finds which routes have the same engine, and counts the differences between engines.
 * Two builds have the same engine if their comparison shows no difference, not even in
 * tactics, and if neither lacks facts that the other states.  Builds with different
 * numbers of layers are different without a comparison.  The changes between two
 * engines are computed when they are first needed.
 */
#include "change/routes/parts.h"

static const struct fsd_state *state_of(const struct fsd_routes *r, uint32_t engine)
{
    return r->routes[r->engines.at[engine].first].in->state;
}

static uint32_t count_inserted(const struct fsd_state *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->moves.n; i++)
        n += s->moves.at[i].inserted && s->moves.at[i].cause != FSD_CAUSE_FREE;
    return n;
}

static bool has_tactics(const struct fsd_compare *c)
{
    for (uint32_t i = 0; i < c->regions.n; i++)
        if (c->regions.at[i].tactic)
            return true;
    return false;
}

/* Whether one of the two builds lacks facts that the other states. */
static bool leaves_open(const struct fsd_compare *c)
{
    struct fsd_compare *back;
    bool open = c->lost.n || c->unstated || c->unheld || c->untyped || c->hidden ||
                c->by_happened[FSD_HAPPENED_OPAQUE];

    if (open)
        return true;
    back = fsd_compare_new(c->new, c->old);
    open = back->lost.n > 0;
    fsd_compare_free(back);
    return open;
}

static bool have_one_engine(const struct fsd_state *a, const struct fsd_state *b)
{
    struct fsd_compare *c;
    bool same;

    if (a->layers != b->layers || a->groups.n != b->groups.n ||
        a->moves.n != b->moves.n || a->kernels.n != b->kernels.n)
        return false;
    c = fsd_compare_new(a, b);
    same = !c->differs && !has_tactics(c) && !leaves_open(c);
    fsd_compare_free(c);
    return same;
}

void fsd_route_engines_find(struct fsd_routes *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct fsd_state *s = r->routes[i].in->state;
        uint32_t e = 0;

        r->routes[i].engine = FSD_NONE;
        if (!s)
            continue;
        while (e < r->engines.n && !have_one_engine(state_of(r, e), s))
            e++;
        if (e == r->engines.n)
            fsd_vec_push(r->arena, &r->engines, ((struct fsd_route_engine){i, 0}));
        r->routes[i].engine = e;
        r->engines.at[e].routes++;
    }
    r->changes = FSD_NEW(r->arena, struct fsd_engine_change *,
                         (size_t)r->engines.n * r->engines.n);
}

static void count_regions(struct fsd_engine_change *change)
{
    const struct fsd_compare *c = change->compare;

    change->split = c->by_happened[FSD_HAPPENED_LOST];
    change->joined = c->by_happened[FSD_HAPPENED_GAINED];
    change->regrouped = c->by_happened[FSD_HAPPENED_REGROUPED];
    change->unclear = c->by_happened[FSD_HAPPENED_OPAQUE];
    change->added = c->by_happened[FSD_HAPPENED_NEW_ONLY];
    change->gone = c->by_happened[FSD_HAPPENED_OLD_ONLY];
    FSD_EACH (const struct fsd_region_diff, region, c->regions) {
        change->kernels += region->happened == FSD_HAPPENED_SAME && region->kernels;
        change->wider += region->width == FSD_WIDTH_WIDENED;
        change->narrower += region->width == FSD_WIDTH_NARROWED;
    }
}

static struct fsd_engine_change *change_of(struct fsd_arena *arena,
                                           const struct fsd_state *from,
                                           const struct fsd_state *to)
{
    struct fsd_engine_change *change = FSD_NEW(arena, struct fsd_engine_change, 1);
    struct fsd_compare *c = fsd_compare_new(from, to);

    change->compare = c;
    change->open = leaves_open(c);
    change->tactics = !c->differs && has_tactics(c);
    change->same = from == to || (!c->differs && !change->tactics && !change->open);
    change->layers = (int32_t)to->layers - (int32_t)from->layers;
    change->inserted = (int32_t)count_inserted(to) - (int32_t)count_inserted(from);
    count_regions(change);
    return change;
}

const struct fsd_engine_change *fsd_route_change(struct fsd_routes *r, uint32_t from,
                                                 uint32_t to)
{
    struct fsd_engine_change **change;

    if (from == FSD_NONE || to == FSD_NONE)
        return NULL;
    change = &r->changes[(size_t)from * r->engines.n + to];
    if (!*change)
        *change = change_of(r->arena, state_of(r, from), state_of(r, to));
    return *change;
}

void fsd_route_changes_free(struct fsd_routes *r)
{
    for (size_t i = 0; i < (size_t)r->engines.n * r->engines.n; i++)
        if (r->changes[i])
            fsd_compare_free(r->changes[i]->compare);
}

/* ----------------------------------------------------------------------- blocks */

/* For each block i of `all` with this pattern: sets at[the block's anchor] to i + 1. */
static void index_blocks(const fsd_route_blocks *all, const char *pattern, uint32_t *at)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].pattern, pattern))
            at[all->at[i].anchor] = i + 1;
}

static struct fsd_block_change change_of_pattern(const fsd_route_blocks *from,
                                                 const fsd_route_blocks *to,
                                                 const char *pattern,
                                                 const uint32_t *at)
{
    struct fsd_block_change change = {.pattern = pattern};

    for (uint32_t i = 0; i < from->n; i++) {
        const struct fsd_route_block *old = &from->at[i], *new;

        if (strcmp(old->pattern, pattern) != 0 || !at[old->anchor])
            continue;
        new = &to->at[at[old->anchor] - 1];
        if (strcmp(new->pattern, pattern) != 0 || !old->known || !new->known)
            continue;
        change.blocks++;
        change.lost += old->whole && !new->whole;
        change.gained += !old->whole && new->whole;
    }
    return change;
}

fsd_block_changes fsd_route_block_changes(struct fsd_arena *arena,
                                          const struct fsd_routes *r, uint32_t from,
                                          uint32_t to)
{
    const fsd_route_blocks *old = &r->routes[from].in->blocks,
                           *new = &r->routes[to].in->blocks;
    uint32_t *at = FSD_NEW(arena, uint32_t, fsd_intern_count(r->names));
    const char *pattern = NULL;
    fsd_block_changes out = {0};

    for (uint32_t i = 0; i < old->n; i++) {
        struct fsd_block_change change;

        if (pattern && !strcmp(pattern, old->at[i].pattern)) /* counted already: the
                                                                blocks of a pattern are
                                                                adjacent */
            continue;
        pattern = old->at[i].pattern;
        index_blocks(new, pattern, at);
        change = change_of_pattern(old, new, pattern, at);
        if (change.blocks)
            fsd_vec_push(arena, &out, change);
    }
    return out;
}
