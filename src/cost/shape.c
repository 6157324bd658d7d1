#include "cost/cost.h"

/* What the log tells of the engine's inputs: how it ran, or what its profile is tuned
 * for. */
static void take_log(const struct fsd_diff *d, struct fsd_cost *c, struct fsd_sizes *s,
                     bool run)
{
    const struct fsd_history *h = d->history;
    int32_t profile = d->engine->profile < 0 ? 0 : d->engine->profile;

    for (uint32_t i = 0; h && !h->refused && i < h->shapes.n; i++) {
        const struct fsd_told_shape *told = &h->shapes.at[i];
        fsd_id tensor = fsd_graph_find(d->model, told->input, 0);

        if (told->run != run || told->build != h->build || told->profile != profile ||
            tensor == FSD_NONE ||
            !(d->model->tensors.at[tensor].flags & FSD_TENSOR_INPUT))
            continue;
        if (fsd_sizes_take_input(s, tensor, told->sizes, told->n))
            fsd_vec_push(d->arena, run ? &c->run_with : &c->tuned, tensor);
    }
}

static void take_tuned(const struct fsd_diff *d, struct fsd_cost *c,
                       struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        fsd_id optimum = d->engine->tensors.at[i].optimum, twin = d->match->twin[i];
        int64_t sizes[FSD_SHAPE_RANK];
        const struct fsd_form *tuned;

        if (optimum == FSD_NONE || twin == FSD_NONE)
            continue;
        tuned = &d->engine->forms.at[optimum];
        for (uint32_t k = 0; k < tuned->dims.n && k < FSD_SHAPE_RANK; k++)
            sizes[k] = d->engine->dims.at[tuned->dims.at + k].size;
        if (fsd_sizes_take_input(s, twin, sizes, tuned->dims.n))
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
    /* A size that the user and the model leave open is, for all that is counted, the
     * one that the engine was run with, or else the one that it was tuned for. */
    take_log(d, c, s, true);
    take_log(d, c, s, false);
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
