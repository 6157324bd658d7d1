/* Opens the model and the engine of a search, lists the marks of the next build, and
 * compares a rebuilt engine. */
#include "edit/bisect/search.h"
#include "base/base.h"

enum fsd_status fsd_search_open(struct fsd_bisection **out,
                                const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_bisection *b;
    struct fsd_diff *run;
    enum fsd_status status;

    *out = NULL;
    if (!opt->model || !opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE");
    status = fsd_run_open(&run, opt, err);
    if (status != FSD_OK)
        return status;
    b = FSD_NEW(run->arena, struct fsd_bisection, 1);
    b->run = run;
    b->force = opt->force;
    b->model = fsd_arena_strndup(run->arena, opt->model, strlen(opt->model));
    b->engine = fsd_arena_strndup(run->arena, opt->engine, strlen(opt->engine));
    b->marks = fsd_marks_new(run);
    b->hunt = fsd_hunt_new(b->marks);
    *out = b;
    return FSD_OK;
}

struct fsd_marking fsd_search_marking(const struct fsd_bisection *b,
                                      struct fsd_arena *arena)
{
    const struct fsd_hunt *h = b->hunt;
    struct fsd_marking what = {{0}, {0}};

    FSD_EACH_ID (tensor, h->pool, h->tensors)
        fsd_vec_push(arena, &what.outputs, tensor);
    FSD_EACH_ID (group, h->pool, h->chosen)
        if (b->marks->breaks[group].passed.n)
            fsd_marking_add(arena, &what, b->marks, group);
    return what;
}

/* Sets `seen` of the groups in region `r`. If the comparison of the region has no
 * conclusion, sets FSD_SEEN_NOTHING. */
static void look_at_region(const struct fsd_compare *c, const struct fsd_region_diff *r,
                           uint8_t *seen)
{
    uint8_t what = r->happened == FSD_HAPPENED_SAME     ? FSD_SEEN_SAME
                   : r->happened == FSD_HAPPENED_OPAQUE ? FSD_SEEN_NOTHING
                                                        : FSD_SEEN_CHANGED;

    FSD_EACH_ID (group, c->pool, r->old_groups)
        seen[group] = what;
}

/* Marks a group as altered if its nodes are the same, but its kernel performs other
 * operations. It is then unknown whether the error is gone. */
static void look_at_kernels(const struct fsd_compare *c, uint8_t *seen)
{
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels)
        if (k->does && k->old != FSD_NONE && !(k->old_of & FSD_LAYER_MOVES) &&
            seen[k->old_of] == FSD_SEEN_SAME)
            seen[k->old_of] = FSD_SEEN_ALTERED;
}

enum fsd_status fsd_search_look(const struct fsd_bisection *b,
                                const struct fsd_options *rebuilt, uint8_t *seen,
                                struct fsd_error *err)
{
    struct fsd_options pair = *rebuilt;
    struct fsd_compare *c = NULL;
    struct fsd_state *state = NULL;
    enum fsd_status status;

    /* If no model is given, the original model is used. The rebuilt engine comes from
     * an edited model, so a mismatch with the original model is not reported. */
    if (!pair.model) {
        pair.model = b->model;
        pair.note = NULL;
    }
    pair.force |= b->force;
    status = fsd_state_open(&state, NULL, &pair, err);
    if (status != FSD_OK)
        return status;
    c = fsd_compare_new(b->marks->state, state);
    if (!fsd_alignment_fits(fsd_alignment_count(c)))
        status =
            fsd_fail(err, FSD_E_MISMATCH, pair.engine, FSD_POS_NONE, 0,
                     "expected an engine of %s, found an engine of a different network",
                     b->model);
    for (uint32_t i = 0; status == FSD_OK && i < c->regions.n; i++)
        look_at_region(c, &c->regions.at[i], seen);
    if (status == FSD_OK)
        look_at_kernels(c, seen);
    fsd_compare_free(c);
    fsd_state_free(state);
    return status;
}
