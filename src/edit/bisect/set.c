/* Each step shows one of two facts about a group of fusions: it contains the whole
 * searched set, or it contains at least one fusion of the set (then it is called
 * a "difference"). The facts are always computed from all steps, even those before the
 * search for a set. */
#include "edit/bisect/set.h"
#include "edit/bisect/choose.h"

#include <stdlib.h>

/* Some fusions. A build showed that at least one of them is in the searched set. */
struct difference {
    bool *has; /* indexed by group */
    uint32_t n;
};

struct known {
    struct fsd_hunt *h;
    bool *within; /* indexed by group: the group may be in the searched set */
    uint32_t n;
    FSD_VEC(struct difference) differences; /* the smallest first */
};

/* ------------------------------------------------------------------------- results */

static bool does(const struct fsd_hunt *h, const struct fsd_hunt_step *step)
{
    return (step->result == FSD_BISECT_GOOD) == (h->phase == FSD_HUNT_SPLIT);
}

/* Whether the group is "in" the build of a step; set.h defines this.
 * @param unknown the answer if the step does not show whether the group changed */
static bool is_in(const struct fsd_hunt *h, const struct fsd_hunt_step *step,
                  fsd_id group, bool unknown)
{
    enum fsd_seen in = h->phase == FSD_HUNT_SPLIT ? FSD_SEEN_CHANGED : FSD_SEEN_SAME;
    enum fsd_seen out = h->phase == FSD_HUNT_SPLIT ? FSD_SEEN_SAME : FSD_SEEN_CHANGED;

    return step->seen[group] == in || (unknown && step->seen[group] != out);
}

static void stay_within(struct known *k, const struct fsd_hunt_step *step)
{
    for (fsd_id i = 0; i < k->h->m->state->groups.n; i++)
        if (k->within[i] && !is_in(k->h, step, i, true)) {
            k->within[i] = false;
            k->n--;
        }
}

static struct difference difference_of(const struct known *k,
                                       const struct fsd_hunt_step *step)
{
    struct difference d = {fsd_hunt_none(k->h), 0};

    for (fsd_id i = 0; i < k->h->m->state->groups.n; i++) {
        d.has[i] = k->within[i] && !is_in(k->h, step, i, false);
        d.n += d.has[i];
    }
    return d;
}

FSD_ORDERED(by_size, struct difference, fsd_order(x->n, y->n))

/* What the first n steps show about the set that is searched. */
static struct known known_from(struct fsd_hunt *h, uint32_t n)
{
    struct known k = {h, fsd_hunt_none(h), 0, {0}};

    for (fsd_id i = 0; i < h->m->state->groups.n; i++) {
        k.within[i] = h->fusion[i];
        k.n += h->fusion[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (h->steps.at[i].seen && does(h, &h->steps.at[i]))
            stay_within(&k, &h->steps.at[i]);
    for (uint32_t i = 0; i < n; i++)
        if (h->steps.at[i].seen && !does(h, &h->steps.at[i]))
            fsd_vec_push(h->arena, &k.differences, difference_of(&k, &h->steps.at[i]));
    fsd_vec_sort(&k.differences, by_size);
    return k;
}

static bool contains(const struct fsd_hunt *h, const struct difference *d,
                     struct fsd_span part)
{
    bool all = true;

    for (uint32_t i = 0; i < part.n && all; i++)
        all = d->has[h->pool.at[part.at + i]];
    return all;
}

/* Whether the difference contains all fusions of an entry of `found`. Such a difference
 * shows nothing new. */
static bool is_explained(const struct fsd_hunt *h, const struct difference *d)
{
    for (uint32_t i = 0; i < h->found.n; i++)
        if (contains(h, d, h->found.at[i]))
            return true;
    return false;
}

/* Whether the last step showed something new, in terms of the table in set.h:
 * - After a "yes", the set is within fewer fusions than before.
 * - After a "no", the step's difference contains no earlier difference. */
static bool last_showed_more(struct fsd_hunt *h)
{
    const struct fsd_hunt_step *last = &h->steps.at[h->steps.n - 1];
    struct known before = known_from(h, h->steps.n - 1);
    struct difference d;

    if (!last->seen)
        return false;
    if (does(h, last))
        return known_from(h, h->steps.n).n < before.n;
    d = difference_of(&before, last);
    FSD_EACH (const struct difference, other, before.differences) {
        bool within = true;

        for (fsd_id g = 0; g < h->m->state->groups.n && within; g++)
            within = !other->has[g] || d.has[g];
        if (within)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the next build */

static void keep(struct fsd_hunt *h, const struct difference *d)
{
    struct fsd_span part = {h->pool.n, 0};

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        if (d->has[i]) {
            fsd_vec_push(h->arena, &h->pool, i);
            part.n++;
        }
    fsd_vec_push(h->arena, &h->found, part);
}

static bool *all_found(const struct fsd_hunt *h, uint32_t *n)
{
    bool *set = fsd_hunt_none(h);

    *n = 0;
    for (uint32_t i = 0; i < h->found.n; i++)
        FSD_EACH_ID (group, h->pool, h->found.at[i]) {
            *n += !set[group];
            set[group] = true;
        }
    return set;
}

/* The fusions in `a` but not in `b`. */
static bool *without(const struct fsd_hunt *h, const bool *a, const bool *b)
{
    bool *rest = fsd_hunt_none(h);

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        rest[i] = a[i] && !b[i];
    return rest;
}

/* Chooses a build. Half of the difference, and all fusions outside of the difference,
 * are "in" this build (set.h). */
static bool halve(const struct known *k, const struct difference *d)
{
    struct fsd_hunt *h = k->h;
    bool splits = h->phase == FSD_HUNT_SPLIT, *rest = without(h, k->within, d->has);
    struct fsd_choice c = fsd_choice_begin(h);

    fsd_choice_halve(&c, d->has, splits ? NULL : rest);
    h->halved = h->chosen.n;
    if (h->halved && splits)
        fsd_choice_add(&c, rest, without(h, d->has, c.covered));
    fsd_choice_end(&c);
    return h->halved;
}

/* Chooses the build with exactly the found fusions in the column "in" (set.h).
 * @return whether a build was chosen */
static bool join(const struct known *k)
{
    struct fsd_hunt *h = k->h;
    uint32_t n;
    bool *set = all_found(h, &n);

    if (n == k->n || h->joined == n)
        return false;
    h->joined = n;
    h->halved = 0;
    if (h->phase == FSD_HUNT_SPLIT)
        fsd_choose(h, set, NULL);
    else
        fsd_choose(h, without(h, k->within, set), set);
    return h->chosen.n;
}

static void add_others(const struct known *k)
{
    uint32_t n;
    const bool *set = all_found(k->h, &n);

    k->h->also.n = 0;
    for (fsd_id i = 0; i < k->h->m->state->groups.n; i++)
        if (k->within[i] && !set[i])
            fsd_vec_push(k->h->arena, &k->h->also, i);
}

/* Sets h->spent and h->limit after the last step. The step chose its first h->halved
 * fusions to halve a difference. Those that did not change are spent.
 *
 * If the step showed nothing new, h->limit becomes half of h->halved. But if h->halved
 * is 1, the fusion is spent, and there is no limit. If the step showed something new,
 * or if h->halved is 0, there is no limit. */
static void learn(struct fsd_hunt *h)
{
    const uint8_t *seen = h->steps.at[h->steps.n - 1].seen;

    h->limit = last_showed_more(h) ? UINT32_MAX : h->halved / 2;
    for (uint32_t i = 0; i < h->halved; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];

        h->spent[group] |= !h->limit || (seen && seen[group] != FSD_SEEN_CHANGED);
    }
    if (!h->limit)
        h->limit = UINT32_MAX;
}

enum fsd_set_state fsd_set_next(struct fsd_hunt *h)
{
    struct known k;

    learn(h);
    k = known_from(h, h->steps.n);
    h->found.n = 0;
    if (!k.differences.n || !k.differences.at[0].n)
        return FSD_SET_CONTRADICTS;
    FSD_EACH (const struct difference, d, k.differences) {
        if (is_explained(h, d))
            continue;
        h->left = fsd_choice_halvings(d->n) + 1;
        if (d->n > 1 && halve(&k, d))
            return FSD_SET_ASKS;
        keep(h, d);
    }
    h->left = 1 + fsd_choice_halvings(k.n);
    if (join(&k))
        return FSD_SET_ASKS;
    add_others(&k);
    return FSD_SET_IS_FOUND;
}
