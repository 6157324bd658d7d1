/*
 * Chooses what to split next, and processes results.  Half of the suspects should
 * change: first those with an exact break, then those without one, whose inner tensors
 * are all marked in the hope that the builder splits them; the rebuilt engine shows
 * whether it did.  A fusion whose split showed nothing is not chosen again.
 */
#include "edit/bisect/hunt.h"

struct choice {
    struct fsd_hunt *h;
    bool *covered; /* by group: a suspect that should change */
    uint32_t n;
};

static void push(struct fsd_hunt *h, struct fsd_span *span, fsd_id id)
{
    fsd_vec_push(h->arena, &h->pool, id);
    span->n++;
}

static void cover(struct choice *c, fsd_id group)
{
    if (!c->h->suspect[group] || c->covered[group])
        return;
    c->covered[group] = true;
    c->n++;
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

static bool can_try(const struct fsd_marks *m, fsd_id group, bool exact)
{
    if (exact || fsd_marks_has_break(m, group))
        return exact && fsd_marks_has_break(m, group);
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (has_inside(m, group, i))
            return true;
    return false;
}

/* Up to half of the suspects, and never all of them. */
static void choose_from(struct choice *c, bool exact)
{
    struct fsd_hunt *h = c->h;
    uint32_t half = h->n / 2 ? h->n / 2 : 1;

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

static void choose(struct fsd_hunt *h)
{
    struct choice c = {h, FSD_NEW(h->arena, bool, h->m->state->groups.n), 0};

    h->chosen = (struct fsd_span){h->pool.n, 0};
    if (h->n > 1)
        choose_from(&c, true);
    if (h->n > 1 && !h->chosen.n)
        choose_from(&c, false);
    add_tensors(h);
}

struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m)
{
    struct fsd_hunt *h = FSD_NEW(m->arena, struct fsd_hunt, 1);
    uint32_t n = m->state->groups.n;

    h->arena = m->arena;
    h->m = m;
    h->suspect = FSD_NEW(h->arena, bool, n);
    h->spent = FSD_NEW(h->arena, bool, n);
    for (fsd_id i = 0; i < n; i++) {
        h->suspect[i] = m->kinds[i] != FSD_FUSION_NONE;
        h->n += h->suspect[i];
    }
    choose(h);
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

/* A good build clears the groups that stayed, a bad one those that changed. */
static bool is_cleared(enum fsd_bisect_result result, uint8_t seen)
{
    return seen == (result == FSD_BISECT_GOOD ? FSD_SEEN_SAME : FSD_SEEN_CHANGED);
}

static uint32_t left_of(const struct fsd_hunt *h, enum fsd_bisect_result result,
                        const uint8_t *seen)
{
    uint32_t left = 0;

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        left += h->suspect[i] && !(seen && is_cleared(result, seen[i]));
    return left;
}

void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen)
{
    struct fsd_hunt_step step = {(uint8_t)result, h->chosen, h->tensors, seen, 0};

    step.left = left_of(h, result, seen);
    h->contradicts = !step.left;
    if (h->contradicts)
        return;
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->suspect[i] &= !(seen && is_cleared(result, seen[i]));
    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];

        h->spent[group] |= !seen || seen[group] != FSD_SEEN_CHANGED;
    }
    h->n = step.left;
    fsd_vec_push(h->arena, &h->steps, step);
    choose(h);
}

uint8_t *fsd_hunt_same(const struct fsd_hunt *h)
{
    uint32_t n = h->m->state->groups.n;
    uint8_t *seen = FSD_NEW(h->m->arena, uint8_t, n);

    memset(seen, FSD_SEEN_SAME, n);
    return seen;
}
