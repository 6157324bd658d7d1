/*
 * Chooses what to split next, and processes results.  Half of the suspects should
 * change: first those with an exact break, then those without one, whose inner tensors
 * are all marked in the hope that the builder splits them; the rebuilt engine shows
 * whether it did.  A fusion whose split showed nothing is not chosen again, and of a
 * request that removed no suspect, or could not be built, the halves are tried.
 */
#include "edit/bisect/hunt.h"

enum { MOST_FOUND = 8 }; /* of a set: more explain nothing */

struct choice {
    struct fsd_hunt *h;
    bool *covered; /* by group: it should change */
    uint32_t n;    /* suspects among these */
};

static void push(struct fsd_hunt *h, struct fsd_span *span, fsd_id id)
{
    fsd_vec_push(h->arena, &h->pool, id);
    span->n++;
}

/* ------------------------------------------------------------------ what to split */

static void cover(struct choice *c, fsd_id group)
{
    if (c->covered[group])
        return;
    c->covered[group] = true;
    c->n += c->h->suspect[group];
}

/* How many more suspects would be covered. */
static uint32_t gain(const struct choice *c, fsd_id group)
{
    const struct fsd_marks *m = c->h->m;
    const struct fsd_break *b = &m->breaks[group];
    uint32_t n = b->groups.n ? 0 : !c->covered[group];

    for (uint32_t i = 0; i < b->groups.n; i++) {
        fsd_id other = m->pool.at[b->groups.at + i];

        n += c->h->suspect[other] && !c->covered[other];
    }
    return n;
}

static void choose_group(struct choice *c, fsd_id group)
{
    const struct fsd_marks *m = c->h->m;
    const struct fsd_break *b = &m->breaks[group];

    push(c->h, &c->h->chosen, group);
    cover(c, group);
    for (uint32_t i = 0; i < b->groups.n; i++)
        cover(c, m->pool.at[b->groups.at + i]);
}

static bool has_inside(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    fsd_id tensor = fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

    return fsd_marks_is_inside(m, tensor) && !m->d->model->tensors.at[tensor].scope;
}

/* Without an exact break: it has a tensor inside that can be marked. */
static bool can_try(const struct fsd_marks *m, fsd_id group, bool exact)
{
    if (exact || fsd_marks_has_break(m, group))
        return exact && fsd_marks_has_break(m, group);
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (has_inside(m, group, i))
            return true;
    return false;
}

static bool can_split(const struct fsd_marks *m, fsd_id group)
{
    return can_try(m, group, true) || can_try(m, group, false);
}

/* Up to half of the suspects, and never all of them. */
static void choose_from(struct choice *c, bool exact)
{
    struct fsd_hunt *h = c->h;
    uint32_t half = h->n / 2 < h->limit ? h->n / 2 : h->limit;

    half = half ? half : 1;
    for (fsd_id i = 0; i < h->m->state->groups.n && c->n < half; i++) {
        uint32_t more;

        if (!h->suspect[i] || h->spent[i] || c->covered[i] || !can_try(h->m, i, exact))
            continue;
        more = gain(c, i);
        if (more && c->n + more < h->n)
            choose_group(c, i);
    }
}

/* What an If passes on is no tensor to be marked. */
static void add_tensors(struct fsd_hunt *h)
{
    const struct fsd_marks *m = h->m;

    h->tensors = (struct fsd_span){h->pool.n, 0};
    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];

        if (m->breaks[group].passed.n)
            continue;
        if (fsd_marks_has_break(m, group)) {
            push(h, &h->tensors, m->breaks[group].tensor);
            continue;
        }
        for (uint32_t k = 0; k < m->state->groups.at[group].nodes.n; k++)
            if (has_inside(m, group, k))
                push(h, &h->tensors,
                     fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, k), 0));
    }
}

static struct choice begin_choice(struct fsd_hunt *h)
{
    h->chosen = (struct fsd_span){h->pool.n, 0};
    return (struct choice){h, FSD_NEW(h->arena, bool, h->m->state->groups.n), 0};
}

/* Whether the group's break changes one of those that have to stay. */
static bool changes_one(const struct fsd_hunt *h, fsd_id group, const bool *stay)
{
    const struct fsd_break *b = &h->m->breaks[group];
    bool changes = stay[group];

    for (uint32_t i = 0; i < b->groups.n && !changes; i++)
        changes = stay[h->m->pool.at[b->groups.at + i]];
    return changes;
}

/* Splits these, as far as they can be, and none that has to stay.
 * @param stay  NULL: none */
static void split(struct fsd_hunt *h, const bool *these, const bool *stay)
{
    struct choice c = begin_choice(h);

    for (int exact = 1; exact >= 0; exact--)
        for (fsd_id i = 0; i < h->m->state->groups.n; i++)
            if (these[i] && !c.covered[i] && can_try(h->m, i, exact) &&
                !(stay && changes_one(h, i, stay)))
                choose_group(&c, i);
    add_tensors(h);
}

static void end(struct fsd_hunt *h, enum fsd_hunt_end how)
{
    h->phase = FSD_HUNT_OVER;
    h->end = how;
    h->chosen = h->tensors = (struct fsd_span){h->pool.n, 0};
}

/* ---------------------------------------------------------------- a set of fusions */

/* The set that the middle of the order stands for. */
static bool *set_of(const struct fsd_hunt *h)
{
    bool *set = FSD_NEW(h->arena, bool, h->m->state->groups.n);

    for (uint32_t i = 0; i < h->found.n; i++)
        set[h->found.at[i]] = true;
    for (uint32_t i = 0; i < h->middle; i++)
        set[h->order.at[i]] = true;
    return set;
}

static void choose_set(struct fsd_hunt *h)
{
    bool *set = set_of(h), *others;

    if (h->phase == FSD_HUNT_SPLIT) {
        split(h, set, NULL);
        return;
    }
    others = FSD_NEW(h->arena, bool, h->m->state->groups.n);
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        others[i] = h->fusion[i] && !set[i];
    split(h, others, set);
}

static void prove(struct fsd_hunt *h, enum fsd_hunt_phase phase);

/* The set is whole.  A single fusion of it has the other half of the proof left. */
static void end_set(struct fsd_hunt *h)
{
    bool splits = h->phase == FSD_HUNT_SPLIT;

    if (h->found.n > 1) {
        end(h, splits ? FSD_HUNT_END_TOGETHER : FSD_HUNT_END_NEEDED);
        return;
    }
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->suspect[i] = i == h->found.at[0];
    h->n = 1;
    prove(h, splits ? FSD_HUNT_OTHERS : FSD_HUNT_ALONE);
}

/* Halves the prefixes; the last group of the shortest one that does belongs to the set,
 * which alone is tried next. */
static void next_set(struct fsd_hunt *h)
{
    if (h->high - h->low > 1) {
        h->middle = h->low + (h->high - h->low) / 2;
    } else if (h->high) {
        fsd_vec_push(h->arena, &h->found, h->order.at[h->high - 1]);
        h->high--;
        h->low = h->middle = 0;
    }
    if (h->found.n > MOST_FOUND)
        end(h, FSD_HUNT_END_CONTRADICTS);
    else if (h->found.n && !h->high)
        end_set(h);
    else
        choose_set(h);
}

static void take_set(struct fsd_hunt *h, enum fsd_bisect_result result)
{
    bool does = (result == FSD_BISECT_GOOD) == (h->phase == FSD_HUNT_SPLIT);

    if (does && h->found.n && !h->middle) {
        end_set(h);
        return;
    }
    *(does ? &h->high : &h->low) = h->middle;
    next_set(h);
}

/* All together do; a second search would find nothing new. */
static void begin_set(struct fsd_hunt *h, enum fsd_hunt_phase phase)
{
    if (!h->all_good || h->order.n) {
        end(h, FSD_HUNT_END_CONTRADICTS);
        return;
    }
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        if (h->fusion[i] && can_split(h->m, i))
            fsd_vec_push(h->arena, &h->order, i);
    h->phase = phase;
    h->low = 0;
    h->high = h->order.n;
    if (h->high)
        next_set(h);
    else
        end(h, FSD_HUNT_END_CONTRADICTS);
}

/* ------------------------------------------------------------------------- proof */

static uint32_t halvings(uint32_t n)
{
    uint32_t steps = 0;

    for (; n > 1; n = (n + 1) / 2)
        steps++;
    return steps;
}

/* Whether what changed with the suspects was split with the failure still there, too:
 * else it may be what made the engine right. */
static bool all_along_clear(const struct fsd_hunt *h)
{
    bool all = true;

    for (fsd_id i = 0; i < h->m->state->groups.n && all; i++)
        all = !h->along[i] || h->clear[i];
    return all;
}

/* The next part of the others that can be split; without any the proof is complete. */
static void choose_others(struct fsd_hunt *h)
{
    while (h->parts.n && h->tries) {
        bool *others = FSD_NEW(h->arena, bool, h->m->state->groups.n);
        struct fsd_span part = h->parts.at[h->parts.n - 1];

        for (fsd_id i = part.at; i < part.at + part.n; i++)
            others[i] = h->fusion[i] && !h->suspect[i];
        split(h, others, h->suspect);
        if (h->chosen.n)
            return;
        h->parts.n--;
    }
    end(h, all_along_clear(h) ? FSD_HUNT_END_PROVED : FSD_HUNT_END_UNPROVED);
}

/* The build of the proof: the suspects alone, or all others, in parts where they cannot
 * be built together, or change a suspect. */
static void prove(struct fsd_hunt *h, enum fsd_hunt_phase phase)
{
    h->phase = phase;
    if (phase == FSD_HUNT_OTHERS) {
        fsd_vec_push(h->arena, &h->parts,
                     ((struct fsd_span){0, h->m->state->groups.n}));
        h->tries = halvings(h->m->state->groups.n) + 3;
        choose_others(h);
        return;
    }
    split(h, h->suspect, NULL);
    if (!h->chosen.n)
        end(h, FSD_HUNT_END_UNPROVED);
}

/* Whether all suspects are as stated. */
static bool all_seen(const struct fsd_hunt *h, const uint8_t *seen, enum fsd_seen what)
{
    bool all = true;

    for (fsd_id i = 0; i < h->m->state->groups.n && all; i++)
        all = !h->suspect[i] || seen[i] == what;
    return all;
}

static void take_alone(struct fsd_hunt *h, enum fsd_bisect_result result,
                       const uint8_t *seen)
{
    bool changed = all_seen(h, seen, FSD_SEEN_CHANGED);

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->along[i] = h->fusion[i] && !h->suspect[i] && seen[i] != FSD_SEEN_SAME;
    if (result == FSD_BISECT_GOOD && !all_seen(h, seen, FSD_SEEN_SAME))
        prove(h, FSD_HUNT_OTHERS);
    else if (result == FSD_BISECT_BAD && changed)
        begin_set(h, FSD_HUNT_SPLIT);
    else
        end(h, FSD_HUNT_END_UNPROVED);
}

/* The part could not be built, or changed a suspect: its halves may do. */
static void halve_part(struct fsd_hunt *h)
{
    struct fsd_span part = h->parts.at[--h->parts.n];
    uint32_t half = part.n / 2;

    if (!half)
        return;
    fsd_vec_push(h->arena, &h->parts,
                 ((struct fsd_span){part.at + half, part.n - half}));
    fsd_vec_push(h->arena, &h->parts, ((struct fsd_span){part.at, half}));
}

static void take_others(struct fsd_hunt *h, enum fsd_bisect_result result,
                        const uint8_t *seen)
{
    bool same = seen && all_seen(h, seen, FSD_SEEN_SAME);

    if (result == FSD_BISECT_GOOD && same) {
        begin_set(h, FSD_HUNT_KEPT);
        return;
    }
    h->tries--;
    if (same)
        h->parts.n--;
    else
        halve_part(h);
    for (fsd_id i = 0; same && i < h->m->state->groups.n; i++) {
        bool now = h->fusion[i] && seen[i] == FSD_SEEN_CHANGED && !h->clear[i];

        h->clear[i] |= now;
        h->cleared += now;
    }
    choose_others(h);
}

/* ------------------------------------------------------------------------ suspects */

static void choose_half(struct fsd_hunt *h)
{
    struct choice c = begin_choice(h);

    h->phase = FSD_HUNT_HALVES;
    if (h->n > 1)
        choose_from(&c, true);
    if (h->n > 1 && !h->chosen.n)
        choose_from(&c, false);
    if (h->chosen.n)
        add_tensors(h);
    else
        prove(h, FSD_HUNT_ALONE);
}

/* A good build clears the groups that stayed, a bad one those that changed. */
static bool is_cleared(enum fsd_bisect_result result, uint8_t seen)
{
    return seen == (result == FSD_BISECT_GOOD ? FSD_SEEN_SAME : FSD_SEEN_CHANGED);
}

/* @return how many suspects it cleared; all of them: it cleared none, since no single
 *  fusion explains the results. */
static uint32_t clear(struct fsd_hunt *h, enum fsd_bisect_result result,
                      const uint8_t *seen)
{
    uint32_t cleared = 0;

    for (fsd_id i = 0; seen && i < h->m->state->groups.n; i++)
        cleared += h->suspect[i] && is_cleared(result, seen[i]);
    if (!cleared || cleared == h->n)
        return cleared;
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->suspect[i] &= !is_cleared(result, seen[i]);
    h->n -= cleared;
    return cleared;
}

static void take_whole(struct fsd_hunt *h, enum fsd_bisect_result result,
                       const uint8_t *seen)
{
    if (result == FSD_BISECT_GOOD) {
        end(h, FSD_HUNT_END_ABSENT);
        return;
    }
    if (clear(h, result, seen) == h->n) {
        end(h,
            FSD_HUNT_END_NO_FUSION); /* none of them is in this build, which is wrong */
        return;
    }
    h->phase = FSD_HUNT_ALL;
    split(h, h->suspect, NULL);
    if (!h->chosen.n)
        end(h, FSD_HUNT_END_UNPROVED);
}

static bool can_go_on(const struct fsd_hunt *h)
{
    bool can = false;

    for (fsd_id i = 0; i < h->m->state->groups.n && !can; i++)
        can = h->suspect[i] && !h->spent[i] && can_split(h->m, i);
    return can;
}

static void spend(struct fsd_hunt *h, const uint8_t *seen)
{
    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];

        h->spent[group] |= !seen || seen[group] != FSD_SEEN_CHANGED;
    }
}

static void take_all(struct fsd_hunt *h, enum fsd_bisect_result result,
                     const uint8_t *seen)
{
    uint32_t n = h->n, cleared = clear(h, result, seen);

    h->all_good = result == FSD_BISECT_GOOD && cleared < n;
    if (cleared == n && result == FSD_BISECT_GOOD) {
        end(h, FSD_HUNT_END_CONTRADICTS); /* it is right, and no fusion changed */
        return;
    }
    if (result == FSD_BISECT_BAD)
        spend(h, seen);
    if (result == FSD_BISECT_BAD && (cleared == n || !can_go_on(h)))
        end(h, FSD_HUNT_END_NO_FUSION);
    else
        choose_half(h);
}

static void take_half(struct fsd_hunt *h, enum fsd_bisect_result result,
                      const uint8_t *seen)
{
    uint32_t n = h->n, cleared = clear(h, result, seen);

    if (cleared == n) {
        begin_set(h, FSD_HUNT_SPLIT);
        return;
    }
    if (seen)
        spend(h, seen);
    h->limit = cleared ? UINT32_MAX : h->chosen.n / 2;
    if (!h->limit) { /* it was a single one */
        spend(h, NULL);
        h->limit = UINT32_MAX;
    }
    choose_half(h);
}

static void take(struct fsd_hunt *h, enum fsd_bisect_result result, const uint8_t *seen)
{
    switch (h->phase) {
    case FSD_HUNT_WHOLE:
        take_whole(h, result, seen);
        break;
    case FSD_HUNT_ALL:
        take_all(h, result, seen);
        break;
    case FSD_HUNT_HALVES:
        take_half(h, result, seen);
        break;
    case FSD_HUNT_ALONE:
        take_alone(h, result, seen);
        break;
    case FSD_HUNT_OTHERS:
        take_others(h, result, seen);
        break;
    case FSD_HUNT_SPLIT:
    case FSD_HUNT_KEPT:
        take_set(h, result);
        break;
    case FSD_HUNT_OVER:
    default:
        break;
    }
}

/* Only of a half can another one be tried in its place. */
static void skip(struct fsd_hunt *h)
{
    if (h->phase == FSD_HUNT_WHOLE)
        end(h, FSD_HUNT_END_UNTESTED);
    else if (h->phase == FSD_HUNT_ALL)
        choose_half(h);
    else if (h->phase == FSD_HUNT_HALVES)
        take_half(h, FSD_BISECT_SKIP, NULL);
    else if (h->phase == FSD_HUNT_OTHERS)
        take_others(h, FSD_BISECT_SKIP, NULL);
    else
        end(h, FSD_HUNT_END_UNPROVED);
}

struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m)
{
    struct fsd_hunt *h = FSD_NEW(m->arena, struct fsd_hunt, 1);
    uint32_t n = m->state->groups.n;

    h->arena = m->arena;
    h->m = m;
    h->fusion = FSD_NEW(h->arena, bool, n);
    h->suspect = FSD_NEW(h->arena, bool, n);
    h->spent = FSD_NEW(h->arena, bool, n);
    h->along = FSD_NEW(h->arena, bool, n);
    h->clear = FSD_NEW(h->arena, bool, n);
    h->limit = UINT32_MAX;
    for (fsd_id i = 0; i < n; i++) {
        h->fusion[i] = h->suspect[i] = m->kinds[i] != FSD_FUSION_NONE;
        h->n += h->suspect[i];
    }
    return h;
}

bool fsd_hunt_expects(const struct fsd_hunt *h, struct fsd_span chosen, fsd_id group)
{
    for (uint32_t i = 0; i < chosen.n; i++) {
        fsd_id of = h->pool.at[chosen.at + i];
        const struct fsd_break *b = &h->m->breaks[of];

        if (of == group)
            return true;
        for (uint32_t k = 0; k < b->groups.n; k++)
            if (h->m->pool.at[b->groups.at + k] == group)
                return true;
    }
    return false;
}

void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen)
{
    struct fsd_hunt_step step = {
        (uint8_t)result, (uint8_t)h->phase, h->chosen, h->tensors, seen, 0};

    if (result == FSD_BISECT_SKIP)
        skip(h);
    else
        take(h, result, seen);
    step.left = h->n;
    fsd_vec_push(h->arena, &h->steps, step);
}

uint8_t *fsd_hunt_same(const struct fsd_hunt *h)
{
    uint32_t n = h->m->state->groups.n;
    uint8_t *seen = FSD_NEW(h->m->arena, uint8_t, n);

    memset(seen, FSD_SEEN_SAME, n);
    return seen;
}

uint32_t fsd_hunt_builds_left(const struct fsd_hunt *h)
{
    switch (h->phase) {
    case FSD_HUNT_WHOLE:
        return halvings(h->n) + 4;
    case FSD_HUNT_ALL:
        return halvings(h->n) + 3;
    case FSD_HUNT_HALVES:
        return halvings(h->n) + 2;
    case FSD_HUNT_ALONE:
        return 2;
    case FSD_HUNT_OTHERS:
        return 1;
    case FSD_HUNT_SPLIT:
    case FSD_HUNT_KEPT:
        return halvings(h->high - h->low) + (h->found.n ? 1 : 1 + halvings(h->high));
    case FSD_HUNT_OVER:
    default:
        return 0;
    }
}
