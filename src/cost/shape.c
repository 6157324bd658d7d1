#include "cost/cost.h"

/* A size that the user, the model and the engine leave open is, for all that is
 * counted, the one that the builder tuned for. */
static void take_tuned(const struct fsd_diff *d, struct fsd_cost *c,
                       struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        fsd_id optimum = d->engine->tensors.at[i].optimum, twin = d->match->twin[i];
        const struct fsd_form *tuned, *asked;

        if (optimum == FSD_NONE || twin == FSD_NONE)
            continue;
        fsd_sizes_take_form(s, twin, d->model, fsd_tensor_form(d->model, twin));
        if (fsd_shape_is_full(&s->shapes[twin]))
            continue;
        tuned = &d->engine->forms.at[optimum];
        asked = fsd_tensor_form(d->model, twin);
        for (uint32_t k = 0; asked->dims.n == tuned->dims.n && k < asked->dims.n; k++)
            fsd_sizes_bind_dim(s, d->model->dims.at[asked->dims.at + k],
                               d->engine->dims.at[tuned->dims.at + k].size);
        fsd_sizes_take_form(s, twin, d->model, asked);
        fsd_sizes_take_form(s, twin, d->engine, tuned);
        if (fsd_shape_is_full(&s->shapes[twin]))
            fsd_vec_push(d->arena, &c->tuned, twin);
    }
}

/* What the engine shows of a tensor may be a flattened form of it: only the sizes of an
 * equal rank are taken, and unranked tensors only where nothing else knows. */
static void take_engine(const struct fsd_diff *d, struct fsd_sizes *s, bool unranked)
{
    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        fsd_id twin = d->match->twin[i];

        if (twin != FSD_NONE && !fsd_shape_is_full(&s->shapes[twin]) &&
            s->shapes[twin].ranked != unranked)
            fsd_sizes_take_form(s, twin, d->engine, fsd_tensor_form(d->engine, i));
    }
}

void fsd_cost_shapes(const struct fsd_diff *d, struct fsd_cost *c, struct fsd_sizes *s)
{
    fsd_match_bind_sizes(d->match, s);
    take_tuned(d, c, s);
    for (fsd_id i = 0; i < d->model->tensors.n; i++)
        fsd_sizes_take_form(s, i, d->model, fsd_tensor_form(d->model, i));
    take_engine(d, s, false);
    fsd_sizes_take_names(s, true);
    fsd_sizes_take_rules(s);
    take_engine(d, s, true);
    fsd_sizes_take_rules(s);
    fsd_sizes_take_names(s, false);
    fsd_sizes_take_rules(s);
}
