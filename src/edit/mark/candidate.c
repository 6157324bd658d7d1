/* Finds properties and side effects of a possible break, by a mark or by an If. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/mark/break.h"

void fsd_break_add(struct fsd_candidate *c, fsd_id group)
{
    if (c->n <= FSD_BREAK_MOST && !fsd_ids_have(c->groups, c->n, group))
        c->groups[c->n++] = group;
}

bool fsd_break_is_generated(const struct fsd_marks *m, fsd_id group)
{
    return fsd_layer_is_generated(m->d->engine, fsd_id_at(m->layer_of, group));
}

bool fsd_break_is_compiled(const struct fsd_marks *m, fsd_id group)
{
    return fsd_graph_layer(m->d->engine, fsd_id_at(m->layer_of, group))->provider ==
           FSD_PROVIDER_COMPILER;
}

fsd_id fsd_break_product(const struct fsd_marks *m, fsd_id group)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (fsd_node_is_product(m->d, fsd_marks_node(m, group, i)))
            return fsd_marks_node(m, group, i);
    return FSD_NONE;
}

fsd_id fsd_break_only_user(const struct fsd_marks *m, fsd_id group)
{
    fsd_id user = FSD_NONE;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);
        const struct fsd_users *users = fsd_marks_users(m, tensor);

        if (users->outside || users->in_place)
            return FSD_NONE;
        for (uint32_t k = 0; k < users->groups.n; k++) {
            fsd_id other = users->groups.at[k];

            if (other == group)
                continue;
            if (user != FSD_NONE && user != other)
                return FSD_NONE;
            user = other;
        }
    }
    return user;
}

void fsd_break_joins_operand(const struct fsd_marks *m, fsd_id group, fsd_id behind,
                             struct fsd_candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[behind];

    FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
        fsd_id from = fsd_tensor_producer(g, tensor);
        fsd_id other = fsd_id_at(m->group_of, from);

        if (other != FSD_NONE && other != group && fsd_node_is_product(m->d, from) &&
            m->state->groups.at[other].nodes.n == 1 &&
            fsd_break_only_user(m, other) == group)
            fsd_break_add(c, other);
    }
}

struct fsd_candidate fsd_break_none(const char *why)
{
    return (struct fsd_candidate){.tensor = FSD_NONE, .why = why};
}

bool fsd_break_is_inside(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_marks_is_inside(m, tensor) && m->places[tensor].why == FSD_WHY_NONE;
}
