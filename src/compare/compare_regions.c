/*
 * Regions: connected components of the union of both partitions.  The elements are the
 * old nodes, and the new nodes that have no partner; an aligned new node is its
 * partner.
 */
#include "base/sets.h"
#include "compare/compare_build.h"

#include <string.h>

static fsd_id element(const struct fsd_compare *c, bool new, fsd_id node)
{
    if (!new)
        return node;
    return c->align->to_old[node] != FSD_NONE ? c->align->to_old[node]
                                              : c->old->nodes.n + node;
}

static void join_groups(const struct fsd_compare *c, bool new, fsd_id *head)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (uint32_t g = 0; g < s->groups.n; g++) {
        struct fsd_span nodes = s->groups.at[g].nodes;
        fsd_id first = element(c, new, s->refs.at[nodes.at]);

        for (uint32_t i = 1; i < nodes.n; i++)
            fsd_sets_join(head, first, element(c, new, s->refs.at[nodes.at + i]));
    }
}

/* ------------------------------------------------------------------ what happened */

/* Whether two groups meet in a node: each remembers the first partner and whether
 * there is another. */
struct meeting {
    fsd_id *partner[2];
    bool *more[2];
};

static void meet(struct meeting *m, int side, fsd_id group, fsd_id partner)
{
    if (m->partner[side][group] == FSD_NONE)
        m->partner[side][group] = partner;
    else if (m->partner[side][group] != partner)
        m->more[side][group] = true;
}

static struct meeting meet_groups(const struct fsd_compare *c,
                                  struct fsd_arena *scratch)
{
    const struct fsd_state *s[2] = {c->old, c->new};
    struct meeting m;

    for (int k = 0; k < 2; k++) {
        m.partner[k] = FSD_NEW(scratch, fsd_id, s[k]->groups.n);
        m.more[k] = FSD_NEW(scratch, bool, s[k]->groups.n);
        for (uint32_t g = 0; g < s[k]->groups.n; g++)
            m.partner[k][g] = FSD_NONE;
    }
    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        fsd_id new = c->align->to_new[i];
        fsd_id g = c->old->nodes.at[i].group;
        fsd_id h = new == FSD_NONE ? FSD_NONE : c->new->nodes.at[new].group;

        if (g == FSD_NONE || h == FSD_NONE)
            continue;
        meet(&m, 0, g, h);
        meet(&m, 1, h, g);
    }
    return m;
}

static bool is_opaque(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    for (uint32_t i = 0; i < r->old_groups.n + r->new_groups.n; i++) {
        bool new = i >= r->old_groups.n;
        uint32_t g = new ? c->pool.at[r->new_groups.at + i - r->old_groups.n]
                         : c->pool.at[r->old_groups.at + i];
        const struct fsd_group *group =
            new ? &c->new->groups.at[g] : &c->old->groups.at[g];

        if (group->loose || group->kind == FSD_KIND_FOREIGN)
            return true;
    }
    return false;
}

static uint32_t count_layers(const struct fsd_compare *c,
                             const struct fsd_region_diff *r, bool new)
{
    struct fsd_span groups = new ? r->new_groups : r->old_groups;
    uint32_t n = 0;

    for (uint32_t i = 0; i < groups.n; i++)
        n += (new ? c->new : c->old)->groups.at[c->pool.at[groups.at + i]].layers;
    return n;
}

static bool any_more(const struct fsd_compare *c, struct fsd_span groups,
                     const bool *more)
{
    for (uint32_t i = 0; i < groups.n; i++)
        if (more[c->pool.at[groups.at + i]])
            return true;
    return false;
}

static enum fsd_happened happened(const struct fsd_compare *c,
                                  const struct fsd_region_diff *r,
                                  const struct meeting *m)
{
    bool split, merged;

    if (!r->new_groups.n)
        return FSD_HAPPENED_OLD_ONLY;
    if (!r->old_groups.n)
        return FSD_HAPPENED_NEW_ONLY;
    split = any_more(c, r->old_groups, m->more[0]);
    merged = any_more(c, r->new_groups, m->more[1]);
    if (!split && !merged)
        return is_opaque(c, r) && count_layers(c, r, true) != count_layers(c, r, false)
                   ? FSD_HAPPENED_OPAQUE
                   : FSD_HAPPENED_SAME;
    if (is_opaque(c, r))
        return FSD_HAPPENED_OPAQUE;
    if (split && merged)
        return FSD_HAPPENED_REGROUPED;
    return split ? FSD_HAPPENED_LOST : FSD_HAPPENED_GAINED;
}

/* Of a region with one group on each side: what of their layers can be compared. */
static void compare_layers(const struct fsd_compare *c, struct fsd_region_diff *r)
{
    const struct fsd_group *g, *h;

    if (r->happened != FSD_HAPPENED_SAME || r->old_groups.n != 1 ||
        r->new_groups.n != 1)
        return;
    g = &c->old->groups.at[c->pool.at[r->old_groups.at]];
    h = &c->new->groups.at[c->pool.at[r->new_groups.at]];
    r->layers = g->layers != h->layers && !g->loose && !h->loose;
    r->tactic = g->tactic && h->tactic &&
                strcmp(fsd_text(c->old->names, g->tactic),
                       fsd_text(c->new->names, h->tactic)) != 0;
}

/* -------------------------------------------------------------------------- lists */

static void number_regions(struct fsd_compare *c, bool new, fsd_id *head,
                           fsd_id *of_head)
{
    const struct fsd_state *s = new ? c->new : c->old;
    fsd_id *of_group = new ? c->new_region : c->old_region;

    for (uint32_t g = 0; g < s->groups.n; g++) {
        fsd_id h =
            fsd_sets_find(head, element(c, new, s->refs.at[s->groups.at[g].nodes.at]));

        if (of_head[h] == FSD_NONE) {
            of_head[h] = c->regions.n;
            fsd_vec_push(c->arena, &c->regions,
                         (struct fsd_region_diff){.before = -1, .after = -1});
        }
        of_group[g] = of_head[h];
    }
}

/* Spans of the pool for lists that are filled in a second walk. */
static void open_span(struct fsd_compare *c, struct fsd_span *span)
{
    span->at = c->pool.n;
    for (uint32_t i = 0; i < span->n; i++)
        fsd_vec_push(c->arena, &c->pool, 0);
    span->n = 0;
}

static void list_groups(struct fsd_compare *c, bool put)
{
    for (uint32_t g = 0; g < c->old->groups.n; g++) {
        struct fsd_span *span = &c->regions.at[c->old_region[g]].old_groups;

        if (put)
            c->pool.at[span->at + span->n] = g;
        span->n++;
    }
    for (uint32_t g = 0; g < c->new->groups.n; g++) {
        struct fsd_span *span = &c->regions.at[c->new_region[g]].new_groups;

        if (put)
            c->pool.at[span->at + span->n] = g;
        span->n++;
    }
}

static void list_moves(struct fsd_compare *c, bool new, bool put)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (fsd_id i = 0; i < s->moves.n; i++) {
        fsd_id region = fsd_compare_region_of_move(c, new, i);
        struct fsd_region_diff *r;
        struct fsd_span *span;

        if (region == FSD_NONE)
            continue;
        r = &c->regions.at[region];
        span = new ? &r->new_moves : &r->old_moves;
        if (put)
            c->pool.at[span->at + span->n] = i;
        span->n++;
    }
}

static void fill_lists(struct fsd_compare *c)
{
    list_groups(c, false);
    list_moves(c, false, false);
    list_moves(c, true, false);
    for (uint32_t i = 0; i < c->regions.n; i++) {
        open_span(c, &c->regions.at[i].old_groups);
        open_span(c, &c->regions.at[i].new_groups);
        open_span(c, &c->regions.at[i].old_moves);
        open_span(c, &c->regions.at[i].new_moves);
    }
    list_groups(c, true);
    list_moves(c, false, true);
    list_moves(c, true, true);
}

static fsd_id region_of_refs(const struct fsd_compare *c, bool new,
                             struct fsd_span refs)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (uint32_t i = 0; i < refs.n; i++) {
        fsd_ref at = s->refs.at[refs.at + i];
        fsd_id g = at & FSD_REF_PORT ? FSD_NONE : s->nodes.at[at].group;

        if (g != FSD_NONE)
            return new ? c->new_region[g] : c->old_region[g];
    }
    return FSD_NONE;
}

fsd_id fsd_compare_region_of_move(const struct fsd_compare *c, bool new, fsd_id move)
{
    const struct fsd_move *m = &(new ? c->new : c->old)->moves.at[move];
    fsd_id region = region_of_refs(c, new, m->to);

    return region != FSD_NONE ? region : region_of_refs(c, new, m->from);
}

void fsd_compare_regions(struct fsd_compare *c, struct fsd_arena *scratch)
{
    uint32_t n = c->old->nodes.n + c->new->nodes.n;
    fsd_id *head = fsd_sets_new(scratch, n);
    fsd_id *of_head = FSD_NEW(scratch, fsd_id, n);
    struct meeting m;

    for (fsd_id i = 0; i < n; i++)
        of_head[i] = FSD_NONE;
    join_groups(c, false, head);
    join_groups(c, true, head);
    c->old_region = FSD_NEW(c->arena, fsd_id, c->old->groups.n);
    c->new_region = FSD_NEW(c->arena, fsd_id, c->new->groups.n);
    number_regions(c, true, head, of_head);
    number_regions(c, false, head, of_head);
    fill_lists(c);
    m = meet_groups(c, scratch);
    for (uint32_t i = 0; i < c->regions.n; i++) {
        struct fsd_region_diff *r = &c->regions.at[i];

        r->happened = (uint8_t)happened(c, r, &m);
        compare_layers(c, r);
    }
}
