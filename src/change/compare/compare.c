/*
 * Runs the steps of a comparison (fsd_compare_new()). Two steps are here because they
 * need the results of all others: the times of regions, and the counts and order of the
 * report.
 *
 * A region has two time differences: that of its groups, and that of its moves. Each
 * gets a cause, which depends on what else differs in the region:
 *
 *     What else differs              Cause for the groups     Cause for the moves
 *     the fusion                     fusion                   fusion
 *     the precision, not the fusion  precision                moves
 *     neither                        kernel                   moves
 *
 * For moves outside all regions, the cause is "moves". Each layer belongs to at most
 * one region, so the times of all causes add up to the difference between the engines.
 */
#include "base/base.h"
#include "change/compare/parts.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------ times */

/* Milliseconds that a region's groups and its moves take in one build. A layer without
 * a profiled time adds nothing. If no layer has a time, the region's time is not
 * known. */
struct region_time {
    double groups, moves;
    bool known;
};

static struct region_time time_of(const struct fsd_state *s,
                                  const struct fsd_compare *c, struct fsd_span groups,
                                  struct fsd_span moves)
{
    struct region_time t = {0, 0, false};

    for (uint32_t i = 0; i < groups.n; i++) {
        double ms = s->groups.at[c->pool.at[groups.at + i]].ms.median;

        t.known |= ms >= 0;
        t.groups += ms >= 0 ? ms : 0;
    }
    for (uint32_t i = 0; i < moves.n; i++) {
        double ms = s->moves.at[c->pool.at[moves.at + i]].ms.median;

        t.moves += ms >= 0 ? ms : 0;
    }
    t.known |= t.moves > 0;
    return t;
}

static void time_region(struct fsd_compare *c, struct fsd_region_diff *r)
{
    struct region_time old = time_of(c->old, c, r->old_groups, r->old_moves);
    struct region_time new = time_of(c->new, c, r->new_groups, r->new_moves);
    bool same = r->happened == FSD_HAPPENED_SAME;
    enum fsd_blame blame = !same                        ? FSD_BLAME_FUSION
                           : r->width != FSD_WIDTH_SAME ? FSD_BLAME_PRECISION
                                                        : FSD_BLAME_KERNEL;

    r->moves_before = old.moves;
    r->moves_after = new.moves;
    r->before = old.known ? old.groups + old.moves : -1;
    r->after = new.known ? new.groups + new.moves : -1;
    if (!c->timed)
        return;
    c->before += old.groups + old.moves;
    c->after += new.groups + new.moves;
    c->by_blame[blame] += new.groups - old.groups;
    c->by_blame[same ? FSD_BLAME_MOVES : FSD_BLAME_FUSION] += new.moves - old.moves;
}

/* Splits a shape into its first size, which is returned, and the rest. Returns 0 if the
 * first size is not fixed. */
static uint32_t first_size(const char *shape, const char **rest)
{
    char *end;
    unsigned long size = *shape >= '0' && *shape <= '9' ? strtoul(shape, &end, 10) : 0;

    if (!size || size > UINT32_MAX)
        return 0;
    *rest = end;
    return (uint32_t)size;
}

/* Compares the two shapes of an input whose shape changed.
 * @return whether times per item can be compared: only the first size changed, and it
 *         is fixed in both builds. An input with fixed first sizes that was compared
 *         before must have changed in the same way, for example from 1 to 32 */
static bool compare_size(struct fsd_compare *c, fsd_sym old, fsd_sym new)
{
    const char *was_rest, *is_rest;
    uint32_t before = first_size(fsd_text(c->old->names, old), &was_rest);
    uint32_t after = first_size(fsd_text(c->new->names, new), &is_rest);
    bool per_item =
        before && after && !strcmp(was_rest, is_rest) &&
        (!c->items_before || (c->items_before == before && c->items_after == after));

    c->unlike = true;
    c->items_before = before;
    c->items_after = after;
    return per_item;
}

/* Finds whether the inputs have different sizes. A batch of 32 takes longer than a
 * batch of 1, so times at different sizes show neither gain nor loss. Times per item
 * can be compared if only the first size differs, and if it changes in the same way for
 * all inputs that differ, for example from 1 to 32.
 *
 * The models' inputs are compared first. If they are unknown or equal, the engines'
 * inputs are compared, too: an engine may come from a different model. */
static void compare_sizes(struct fsd_compare *c)
{
    bool per_item = true;

    FSD_EACH (const struct fsd_port_change, p, c->ports)
        if (!p->output && p->shape)
            per_item &= compare_size(c, c->old->inputs.at[p->old].shape,
                                     c->new->inputs.at[p->new].shape);
    for (uint32_t i = 0; i < c->bindings.n && !c->unlike; i++) {
        const struct fsd_binding_change *b = &c->bindings.at[i];

        if (b->old && b->new && !b->new->output && b->shape)
            per_item &= compare_size(c, b->old->shape, b->new->shape);
    }
    if (!per_item)
        c->items_before = c->items_after = 0;
}

static void compare_times(struct fsd_compare *c)
{
    compare_sizes(c);
    c->timed = c->old->profiles && c->new->profiles && !c->unlike;
    for (uint32_t i = 0; i < c->regions.n; i++)
        time_region(c, &c->regions.at[i]);
    for (int side = 0; side < 2 && c->timed; side++) { /* moves that belong to no
                                                          region */
        const struct fsd_state *s = side ? c->new : c->old;

        for (fsd_id i = 0; i < s->moves.n; i++) {
            double ms = s->moves.at[i].ms.median;

            if (ms < 0 || fsd_compare_region_of_move(c, side, i) != FSD_NONE)
                continue;
            *(side ? &c->after : &c->before) += ms;
            c->by_blame[FSD_BLAME_MOVES] += side ? ms : -ms;
        }
    }
}

/* ----------------------------------------------------------------------- counts */

struct place {
    const struct fsd_compare *c;
    fsd_id region;
};

static double delta(const struct fsd_region_diff *r)
{
    return (r->after > 0 ? r->after : 0) - (r->before > 0 ? r->before : 0);
}

static int badness(const struct fsd_region_diff *r)
{
    static const uint8_t rank[FSD__HAPPENED_COUNT] = {
        [FSD_HAPPENED_LOST] = 6,     [FSD_HAPPENED_REGROUPED] = 5,
        [FSD_HAPPENED_NEW_ONLY] = 4, [FSD_HAPPENED_OLD_ONLY] = 3,
        [FSD_HAPPENED_OPAQUE] = 2,   [FSD_HAPPENED_GAINED] = 1,
        [FSD_HAPPENED_SAME] = 0};

    return (r->width == FSD_WIDTH_WIDENED ? 16 : 0) + 2 * rank[r->happened] +
           r->differs;
}

static int by_worst(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const struct fsd_region_diff *p = &x->c->regions.at[x->region];
    const struct fsd_region_diff *q = &y->c->regions.at[y->region];

    if (x->c->timed && delta(p) != delta(q))
        return delta(p) > delta(q) ? -1 : 1;
    if (badness(p) != badness(q))
        return badness(q) - badness(p);
    return fsd_order(x->region, y->region);
}

void fsd_compare_order(struct fsd_compare *c)
{
    FSD_SCRATCH(scratch);
    struct place *places = FSD_NEW(scratch, struct place, c->regions.n);

    c->order = FSD_NEW(c->arena, fsd_id, c->regions.n);
    for (uint32_t i = 0; i < c->regions.n; i++)
        places[i] = (struct place){c, i};
    fsd_sort(places, c->regions.n, sizeof *places, by_worst);
    for (uint32_t i = 0; i < c->regions.n; i++)
        c->order[i] = places[i].region;
}

static bool is_no_view(const struct fsd_state *s, fsd_id node)
{
    return node != FSD_NONE && s->nodes.at[node].role != FSD_ROLE_VIEW;
}

/* Counts changes, sorts the report, and decides whether anything differs. */
static void sum(struct fsd_compare *c)
{
    for (uint32_t i = 0; i < c->edges.n; i++)
        c->regions.at[c->edges.at[i].region].differs = true;
    for (uint32_t i = 0; i < c->edits.n; i++) {
        fsd_id region = fsd_compare_region_of_node(c, true, c->edits.at[i].new);

        if (region != FSD_NONE)
            c->regions.at[region].differs = true;
    }
    FSD_EACH (struct fsd_region_diff, r, c->regions) {
        r->differs |= r->happened != FSD_HAPPENED_SAME || r->width != FSD_WIDTH_SAME ||
                      r->layout || r->layers || r->moves || r->kernels || r->unasked.n;
        c->by_happened[r->happened]++;
        c->differs |= r->differs;
    }
    for (uint32_t i = 0; i < c->precisions.n; i++)
        c->by_width[c->precisions.at[i].width]++;
    for (uint32_t i = 0; i < c->moves.n; i++)
        c->moves_by_what[c->moves.at[i].what]++;
    FSD_EACH (const struct fsd_node_presence, p, c->presences) {
        c->by_presence[p->what]++;
        /* Views do not count, because exporters write different views. A node of both
         * models counts unless it is a view in both. */
        c->differs |= is_no_view(c->old, p->old) || is_no_view(c->new, p->new);
    }
    c->differs |=
        c->edits.n || c->moves.n || c->ports.n || c->kernels.n || c->bindings.n;
    fsd_compare_order(c);
}

/* -------------------------------------------------------------------------- all */

static struct fsd_compare *compare_states(const struct fsd_state *old,
                                          const struct fsd_state *new, bool across)
{
    struct fsd_arena *arena = fsd_arena_new();
    FSD_SCRATCH(scratch);
    struct fsd_compare *c = FSD_NEW(arena, struct fsd_compare, 1);

    c->arena = arena;
    c->old = old;
    c->new = new;
    c->across = across;
    c->align = fsd_align_new(arena, old, new);
    c->unstated = fsd_state_states(old) & ~fsd_state_states(new);
    c->unheld = fsd_state_states(new) & ~fsd_state_states(old);
    fsd_compare_model(c);
    fsd_compare_regions(c, scratch);
    fsd_compare_nodes(c);
    fsd_compare_edges(c, scratch);
    fsd_compare_moves(c, scratch);
    fsd_compare_ports(c);
    fsd_compare_bindings(c, scratch);
    fsd_compare_written(c, scratch); /* must come after the steps above: it reports
                                        only changes that they have not reported */
    fsd_compare_unasked(c);
    fsd_compare_missed(c, scratch);
    fsd_compare_built(arena, old, new, &c->built);
    fsd_compare_efforts(c, scratch);
    compare_times(c);
    if (c->timed)
        fsd_compare_measured(arena, old, new, &c->built);
    fsd_compare_builders(c);
    fsd_compare_account(c, scratch);
    c->reread = fsd_compare_reread(c, scratch);
    sum(c);
    return c;
}

struct fsd_compare *fsd_compare_new(const struct fsd_state *old,
                                    const struct fsd_state *new)
{
    return compare_states(old, new, false);
}

struct fsd_compare *fsd_compare_builds(const struct fsd_state *old,
                                       const struct fsd_state *new)
{
    return compare_states(old, new, fsd_compare_across(old, new));
}

void fsd_compare_free(struct fsd_compare *c)
{
    if (c)
        fsd_arena_free(c->arena);
}

struct fsd_alignment_count fsd_alignment_count(const struct fsd_compare *c)
{
    struct fsd_alignment_count n = {.rewritten = c->align->rewritten};

    for (uint32_t i = 0; i < c->old->nodes.n; i++) {
        bool core = c->old->nodes.at[i].role == FSD_ROLE_CORE;

        n.old += core;
        n.aligned += core && fsd_align_has(c->align, i);
    }
    for (uint32_t i = 0; i < c->new->nodes.n; i++)
        n.new += c->new->nodes.at[i].role == FSD_ROLE_CORE;
    return n;
}

bool fsd_alignment_fits(struct fsd_alignment_count n)
{
    return 2 * (n.aligned + n.rewritten) >= (n.old < n.new ? n.old : n.new);
}
