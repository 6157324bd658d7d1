/*
 * Finds the contents of a partial picture: the selection and its neighbors. In a run,
 * the search follows the tensors of the graphs; in a comparison, the wires between
 * groups.
 */
#include "base/base.h"
#include "report/picture/drawing.h"

void fsd_near_take(struct fsd_near *near, fsd_id unit)
{
    if (near->in[unit])
        return;
    near->in[unit] = true;
    if (near->passes && near->passes[unit])
        fsd_vec_push(near->arena, &near->front, unit);
    else
        fsd_vec_push(near->arena, &near->beyond, unit);
}

void fsd_near_grow(struct fsd_near *near)
{
    for (fsd_id i = 0; i < near->n; i++)
        if (near->in[i])
            fsd_vec_push(near->arena, &near->front, i);
    for (unsigned step = 0; step < near->depth && near->front.n; step++) {
        for (uint32_t i = 0; i < near->front.n; i++)
            near->next(near, near->front.at[i]);
        near->front = near->beyond;
        near->beyond = (fsd_id_vec){0};
    }
}

struct pairs {
    const struct fsd_near_pair *at;
    struct fsd_lists firsts, seconds; /* indexed by unit. firsts: the pairs whose `a` is
                                         the unit; seconds: the pairs whose `b` is the
                                         unit */
};

static void step_along_pairs(struct fsd_near *near, fsd_id unit)
{
    const struct pairs *pairs = near->of;

    for (uint32_t i = 0; i < pairs->firsts.of[unit].n; i++)
        fsd_near_take(near, pairs->at[fsd_list_at(&pairs->firsts, unit, i)].b);
    for (uint32_t i = 0; i < pairs->seconds.of[unit].n; i++)
        fsd_near_take(near, pairs->at[fsd_list_at(&pairs->seconds, unit, i)].a);
}

void fsd_near_grow_pairs(struct fsd_near *near, const struct fsd_near_pair *pairs,
                         uint32_t n)
{
    struct pairs all = {.at = pairs};

    if (!n)
        return;
    all.firsts = fsd_lists_new(near->arena, &pairs->a, sizeof *pairs, n, near->n);
    all.seconds = fsd_lists_new(near->arena, &pairs->b, sizeof *pairs, n, near->n);
    near->next = step_along_pairs;
    near->of = &all;
    fsd_near_grow(near);
}
