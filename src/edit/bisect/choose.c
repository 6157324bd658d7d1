/*
 * A fusion is split by its exact break (struct fsd_break) if it has one. Otherwise all
 * its inner tensors are marked as outputs, and the rebuilt engine shows whether this
 * split the fusion. A fusion is not chosen again if splitting it showed nothing.
 */
#include "edit/bisect/choose.h"
#include "model/graph/graph.h"

bool *fsd_hunt_none(const struct fsd_hunt *h)
{
    return FSD_NEW(h->arena, bool, h->m->state->groups.n);
}

uint32_t fsd_choice_halvings(uint32_t n)
{
    uint32_t steps = 0;

    for (; n > 1; n = (n + 1) / 2)
        steps++;
    return steps;
}

static void push(struct fsd_hunt *h, struct fsd_span *span, fsd_id id)
{
    fsd_vec_push(h->arena, &h->pool, id);
    span->n++;
}

static bool has_inside(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    fsd_id tensor = fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

    return fsd_marks_is_inside(m, tensor) && !m->d->model->tensors.at[tensor].scope;
}

/* Whether the group can be split in the way that `exact` selects.
 * @param exact true: by an exact break. false: by marking inner tensors, which is used
 *         only for groups without an exact break */
static bool can_try(const struct fsd_marks *m, fsd_id group, bool exact)
{
    if (exact || fsd_marks_has_break(m, group))
        return exact && fsd_marks_has_break(m, group);
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (has_inside(m, group, i))
            return true;
    return false;
}

bool fsd_choice_can(const struct fsd_marks *m, fsd_id group)
{
    return can_try(m, group, true) || can_try(m, group, false);
}

static uint32_t count_set(const struct fsd_hunt *h, const bool *set)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        n += set[i];
    return n;
}

/* The number of groups in `among` that change if `group` is split. Groups that change
 * anyway, because of the groups chosen so far, are not counted. */
static uint32_t gain(const struct fsd_choice *c, fsd_id group, const bool *among)
{
    const struct fsd_marks *m = c->h->m;
    const struct fsd_break *b = &m->breaks[group];
    uint32_t n = b->groups.n ? 0 : !c->covered[group];

    FSD_EACH_ID (other, m->pool, b->groups)
        n += among[other] && !c->covered[other];
    return n;
}

static void choose_group(struct fsd_choice *c, fsd_id group)
{
    const struct fsd_marks *m = c->h->m;
    const struct fsd_break *b = &m->breaks[group];

    push(c->h, &c->h->chosen, group);
    c->covered[group] = true;
    FSD_EACH_ID (other, m->pool, b->groups)
        c->covered[other] = true;
}

/* Whether splitting `group` changes a group in `stay`.
 * @param stay indexed by group; NULL: all groups may change */
static bool changes_one(const struct fsd_hunt *h, fsd_id group, const bool *stay)
{
    const struct fsd_break *b = &h->m->breaks[group];
    bool changes = stay && stay[group];

    for (uint32_t i = 0; stay && i < b->groups.n && !changes; i++)
        changes = stay[h->m->pool.at[b->groups.at + i]];
    return changes;
}

struct fsd_choice fsd_choice_begin(struct fsd_hunt *h)
{
    h->chosen = (struct fsd_span){h->pool.n, 0};
    return (struct fsd_choice){h, fsd_hunt_none(h)};
}

uint32_t fsd_choice_halve(struct fsd_choice *c, const bool *among, const bool *stay)
{
    struct fsd_hunt *h = c->h;
    uint32_t all = count_set(h, among), half = all / 2 < h->limit ? all / 2 : h->limit;
    uint32_t n = 0;

    half = half ? half : 1;
    for (int exact = 1; exact >= 0 && !n; exact--)
        for (fsd_id i = 0; i < h->m->state->groups.n && n < half; i++) {
            uint32_t more;

            if (!among[i] || h->spent[i] || c->covered[i] || !can_try(h->m, i, exact) ||
                changes_one(h, i, stay))
                continue;
            more = gain(c, i, among);
            if (!more || n + more >= all)
                continue;
            choose_group(c, i);
            n += more;
        }
    return n;
}

void fsd_choice_add(struct fsd_choice *c, const bool *these, const bool *stay)
{
    struct fsd_hunt *h = c->h;

    for (int exact = 1; exact >= 0; exact--)
        for (fsd_id i = 0; i < h->m->state->groups.n; i++)
            if (these[i] && !c->covered[i] && can_try(h->m, i, exact) &&
                !changes_one(h, i, stay))
                choose_group(c, i);
}

/* Adds the tensors to mark. A tensor that an If forwards is not also marked. */
void fsd_choice_end(const struct fsd_choice *c)
{
    struct fsd_hunt *h = c->h;
    const struct fsd_marks *m = h->m;

    h->tensors = (struct fsd_span){h->pool.n, 0};
    FSD_EACH_ID (group, h->pool, h->chosen) {
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

void fsd_choose(struct fsd_hunt *h, const bool *these, const bool *stay)
{
    struct fsd_choice c = fsd_choice_begin(h);

    fsd_choice_add(&c, these, stay);
    fsd_choice_end(&c);
}

const struct fsd_hunt_step *fsd_choice_made(const struct fsd_hunt *h)
{
    for (uint32_t i = 0; i < h->steps.n; i++) {
        struct fsd_span other = h->steps.at[i].chosen;
        bool same = other.n == h->chosen.n;

        for (uint32_t k = 0; k < other.n && same; k++)
            same = h->pool.at[other.at + k] == h->pool.at[h->chosen.at + k];
        if (same)
            return &h->steps.at[i];
    }
    return NULL;
}
