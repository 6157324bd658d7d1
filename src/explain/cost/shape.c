/*
 * Determines the model's dynamic sizes.  The sources are, from the most to the least
 * trustworthy: the user's options, the sizes of a run of the engine in the log, the
 * sizes for which the builder optimized the engine, the model, the tensors of the
 * engine, and the shape inference of operators.  Each step sets only sizes that are
 * still unknown, so take_all() calls the steps in this order.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

/* Takes the sizes of the engine's inputs from the log: with `run`, the sizes of a run
 * of the engine; else the sizes for which the builder optimized the engine. */
static void take_log(const struct fsd_match *m, const struct fsd_history *h,
                     struct fsd_known_sizes *known, struct fsd_sizes *s, bool run)
{
    int32_t profile = m->engine->profile < 0 ? 0 : m->engine->profile;

    for (uint32_t i = 0; h && !h->refused && i < h->shapes.n; i++) {
        const struct fsd_input_shape *shape = &h->shapes.at[i];
        fsd_id tensor = fsd_graph_find(m->model, shape->input, 0);

        if (shape->run != run || shape->build != h->build ||
            shape->profile != profile ||
            !fsd_tensor_is(m->model, tensor, FSD_TENSOR_INPUT))
            continue;
        if (fsd_sizes_take_input(s, tensor, shape->sizes, shape->n))
            fsd_vec_push(m->arena, run ? &known->run_with : &known->tuned, tensor);
    }
}

static void take_tuned(const struct fsd_match *m, struct fsd_known_sizes *known,
                       struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < m->engine->tensors.n; i++) {
        fsd_id optimum = m->engine->tensors.at[i].optimum,
               counterpart = m->counterpart[i];
        int64_t sizes[FSD_SHAPE_RANK];
        const struct fsd_form *tuned;

        if (optimum == FSD_NONE || counterpart == FSD_NONE)
            continue;
        tuned = &m->engine->forms.at[optimum];
        for (uint32_t k = 0; k < tuned->dims.n && k < FSD_SHAPE_RANK; k++)
            sizes[k] = m->engine->dims.at[tuned->dims.at + k].size;
        if (fsd_sizes_take_input(s, counterpart, sizes, tuned->dims.n))
            fsd_vec_push(m->arena, &known->tuned, counterpart);
    }
}

/* Takes sizes of model tensors from their counterparts in the engine.  With `unranked`,
 * only for model tensors whose rank is unknown so far; else only for model tensors
 * whose rank is known.  A model tensor gets no sizes from an engine tensor of another
 * rank, because the engine may have flattened the tensor. */
static void take_engine(const struct fsd_match *m, struct fsd_sizes *s, bool unranked)
{
    for (fsd_id i = 0; i < m->engine->tensors.n; i++) {
        fsd_id counterpart = m->counterpart[i];

        if (counterpart != FSD_NONE && !fsd_shape_is_full(&s->shapes[counterpart]) &&
            s->shapes[counterpart].ranked != unranked)
            fsd_sizes_take_form(s, counterpart, m->engine,
                                fsd_tensor_form(m->engine, i));
    }
}

static void take_all(const struct fsd_match *m, const struct fsd_history *h,
                     struct fsd_known_sizes *known, struct fsd_sizes *s)
{
    fsd_match_bind_sizes(m, s);
    /* If user and model leave a size dynamic, it is taken from a run of the engine or,
     * if there is none, from the sizes for which the builder optimized the engine. */
    take_log(m, h, known, s, true);
    take_log(m, h, known, s, false);
    take_tuned(m, known, s);
    for (fsd_id i = 0; i < m->model->tensors.n; i++)
        fsd_sizes_take_form(s, i, m->model, fsd_tensor_form(m->model, i));
    take_engine(m, s, false);
    fsd_sizes_take_names(s, true);
    fsd_sizes_take_rules(s);
    take_engine(m, s, true);
    fsd_sizes_take_rules(s);
    fsd_sizes_take_names(s, false);
    fsd_sizes_take_rules(s);
}

enum fsd_status fsd_cost_sizes(const struct fsd_known_sizes **out,
                               const struct fsd_match *m, const struct fsd_history *h,
                               const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_known_sizes *known = FSD_NEW(m->arena, struct fsd_known_sizes, 1);
    struct fsd_sizes *s = fsd_sizes_new(m->arena, m->model);
    enum fsd_status status = FSD_OK;

    known->sizes = s;
    for (unsigned i = 0; i < opt->n_shapes && status == FSD_OK; i++)
        status = fsd_sizes_bind(s, opt->shapes[i], err);
    if (status == FSD_OK)
        take_all(m, h, known, s);
    *out = known;
    return status;
}
