/* Makes a struct fsd_marks: the places of tensors, the kinds of fusions, and their
 * breaks. */
#include "edit/mark/mark.h"
#include "base/base.h"
#include "model/graph/graph.h"

/* ---------------------------------------------------------------------- picked */

enum fsd_status fsd_marks_pick(const struct fsd_marks *m, struct fsd_arena *arena,
                               const char *word, fsd_id_vec *groups,
                               struct fsd_error *err)
{
    fsd_id_vec layers = {0};
    bool *taken = FSD_NEW(arena, bool, m->state->groups.n);
    enum fsd_status status =
        fsd_pick_all(arena, m->d->match, FSD_PICK_LAYERS, &word, 1, &layers, err);

    for (uint32_t i = 0; status == FSD_OK && i < layers.n; i++) {
        fsd_id of = m->state->of_layer[layers.at[i]];

        if ((of & FSD_LAYER_MOVES) || taken[of])
            continue;
        taken[of] = true;
        fsd_vec_push(arena, groups, of);
    }
    if (status == FSD_OK && !groups->n)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "--break: '%s' is not a fusion: it is a layer that only moves "
                        "data, or a node that no layer computes",
                        word);
    return status;
}

/* ------------------------------------------------------------------------- whole */

static void add_values(struct fsd_marks *m)
{
    uint32_t n = m->d->model->tensors.n;

    m->next_same = fsd_ids_new(m->arena, n);
    for (fsd_id i = 0; i < n; i++) {
        fsd_id first = m->d->facts->value[i];

        if (first == i)
            continue;
        m->next_same[i] = m->next_same[first];
        m->next_same[first] = i;
    }
}

static void add_groups(struct fsd_marks *m)
{
    const struct fsd_state *s = m->state;

    m->group_of = fsd_ids_new(m->arena, m->d->model->nodes.n);
    m->layer_of = fsd_ids_new(m->arena, s->groups.n);
    for (fsd_id i = 0; i < s->nodes.n; i++)
        m->group_of[s->number_of[i]] = s->nodes.at[i].group;
    for (fsd_id i = m->d->engine->nodes.n; i-- > 0;)
        if (!(s->of_layer[i] & FSD_LAYER_MOVES))
            m->layer_of[s->of_layer[i]] = i;
}

struct fsd_marks *fsd_marks_new(const struct fsd_diff *d)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_marks *m = FSD_NEW(arena, struct fsd_marks, 1);

    m->arena = arena;
    m->d = d;
    m->state = fsd_state_of(d);
    m->users = FSD_NEW(arena, struct fsd_users *, d->model->tensors.n);
    m->stamps = FSD_NEW(arena, uint32_t, d->model->tensors.n + m->state->groups.n);
    m->walks = FSD_NEW(arena, uint32_t, 1);
    add_values(m);
    add_groups(m);
    fsd_marks_add_kinds(m);
    fsd_marks_add_places(m);
    fsd_marks_add_breaks(m);
    return m;
}

void fsd_marks_free(struct fsd_marks *m)
{
    if (!m)
        return;
    fsd_state_free(m->state);
    fsd_arena_free(m->arena);
}
