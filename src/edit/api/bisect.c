/* The public API of bisect: a search for the fusion that makes an engine wrong, and the
 * result of a build. */
#include "edit/bisect/search.h"
#include "base/base.h"
#include "edit/bisect/accuracy.h"

void fsd_bisection_free(struct fsd_bisection *search)
{
    if (!search)
        return;
    fsd_marks_free(search->marks);
    fsd_diff_free(search->run);
}

static enum fsd_status open_search(struct fsd_bisection **out,
                                   const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_bisection *made;
    enum fsd_status status = fsd_search_open(&made, opt, err);

    if (made && !made->hunt->n) {
        status = fsd_fail(err, FSD_E_ARG, opt->engine, FSD_POS_NONE, 0,
                          "no layer is known to compute several nodes: there is no "
                          "fusion to search");
        fsd_bisection_free(made);
    }
    if (status == FSD_OK)
        *out = made;
    return status;
}

enum fsd_status fsd_bisection_open(struct fsd_bisection **out,
                                   const struct fsd_options *opt, struct fsd_error *err)
{
    *out = NULL;
    FSD_GUARD(err);
    return open_search(out, opt, err);
}

enum fsd_status fsd_bisection_save(const struct fsd_bisection *search, FILE *out,
                                   struct fsd_error *err)
{
    fsd_search_save(search, out);
    return fsd_flush(out, err);
}

enum fsd_status fsd_bisection_read(struct fsd_bisection **out, const char *path,
                                   const struct fsd_options *opt, struct fsd_error *err)
{
    *out = NULL;
    FSD_GUARD(err);
    return fsd_search_read(out, path, opt, err);
}

bool fsd_bisection_done(const struct fsd_bisection *search)
{
    return search->hunt->phase == FSD_HUNT_OVER;
}

const char *fsd_bisection_path(const struct fsd_bisection *search)
{
    return search->model;
}

enum fsd_status fsd_bisection_tensors(const struct fsd_bisection *search, FILE *out,
                                      struct fsd_error *err)
{
    const struct fsd_hunt *h = search->hunt;

    for (uint32_t i = 0; i < h->tensors.n; i++)
        fprintf(out, "%s\n",
                fsd_search_tensor_name(search, h->pool.at[h->tensors.at + i]));
    return fsd_flush(out, err);
}

static enum fsd_status write_model(const struct fsd_bisection *b,
                                   struct fsd_arena *arena, bool inlined, FILE *out,
                                   struct fsd_error *err)
{
    const struct fsd_marking what = fsd_search_marking(b, arena);

    return fsd_marking_write(b->run, arena, &what,
                             inlined ? FSD_ONNX_WEIGHTS_INLINED : FSD_ONNX_WEIGHTS_STAY,
                             out, err);
}

enum fsd_status fsd_bisection_model(const struct fsd_bisection *search, bool inlined,
                                    FILE *out, struct fsd_error *err)
{
    struct fsd_arena *arena;
    enum fsd_status status;

    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = write_model(search, arena, inlined, out, err);
    fsd_arena_free(arena);
    return status;
}

enum fsd_status fsd_bisection_next(const struct fsd_bisection *search, FILE *out,
                                   struct fsd_error *err)
{
    FSD_GUARD(err);
    fsd_search_put_next(search, out);
    return fsd_flush(out, err);
}

enum fsd_status fsd_bisection_log(const struct fsd_bisection *search, FILE *out,
                                  struct fsd_error *err)
{
    FSD_GUARD(err);
    fsd_search_put_log(search, out);
    return fsd_flush(out, err);
}

/* -------------------------------------------------------------------------- results */

/* Without an engine what was stated is taken for what happened. */
static void believe(const struct fsd_bisection *b, uint8_t *seen)
{
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (fsd_hunt_expects(b->hunt, b->hunt->chosen, i))
            seen[i] = FSD_SEEN_CHANGED;
}

static enum fsd_status judge(const struct fsd_bisection *search, const char *path,
                             enum fsd_bisect_result *out, struct fsd_error *err)
{
    const struct fsd_graph *model = search->run->model;
    const struct fsd_span of = model->scopes.at[0].outputs;
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_compared *outputs = FSD_NEW(arena, struct fsd_compared, of.n + 1);
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, FSD_ACCURACY_MOST, err);

    for (uint32_t i = 0; i < of.n; i++)
        outputs[i].name = model->tensors.at[model->links.at[of.at + i]].name;
    if (status == FSD_OK && !of.n)
        status = fsd_fail(err, FSD_E_MISMATCH, path, FSD_POS_NONE, 0,
                          "the outputs of %s are not known: state good or bad",
                          search->model);
    else if (status == FSD_OK)
        status = fsd_accuracy_read(search->run->names, &file, outputs, of.n, err);
    if (status == FSD_OK)
        *out = fsd_accuracy_fails(outputs, of.n) ? FSD_BISECT_BAD : FSD_BISECT_GOOD;
    status = fsd_file_done(&file, status, err);
    fsd_arena_free(arena);
    return status;
}

enum fsd_status fsd_bisection_judge(const struct fsd_bisection *search,
                                    const char *path, enum fsd_bisect_result *out,
                                    struct fsd_error *err)
{
    FSD_GUARD(err);
    return judge(search, path, out, err);
}

static enum fsd_status take(struct fsd_bisection *search, enum fsd_bisect_result result,
                            const struct fsd_options *rebuilt, FILE *out,
                            struct fsd_error *err)
{
    struct fsd_hunt *h = search->hunt;
    struct fsd_span chosen = h->chosen;
    uint8_t *seen = fsd_hunt_same(h);
    enum fsd_status status = FSD_OK;

    if (fsd_bisection_done(search))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "the search is complete: bisect next prints its result");
    if (result != FSD_BISECT_SKIP && rebuilt)
        status = fsd_search_look(search, rebuilt, seen, err);
    else if (result != FSD_BISECT_SKIP)
        believe(search, seen);
    if (status != FSD_OK)
        return status;
    fsd_hunt_take(h, result, result == FSD_BISECT_SKIP ? NULL : seen);
    fprintf(out, "%s: %u suspect%s left.\n", fsd_search_results[result], h->n,
            fsd_plural(h->n));
    if (result != FSD_BISECT_SKIP && rebuilt)
        fsd_search_put_differences(search, chosen, seen, out);
    else if (result != FSD_BISECT_SKIP)
        fputs("  No engine was given, so the change is not proved.\n", out);
    return fsd_flush(out, err);
}

enum fsd_status fsd_bisection_take(struct fsd_bisection *search,
                                   enum fsd_bisect_result result,
                                   const struct fsd_options *rebuilt, FILE *out,
                                   struct fsd_error *err)
{
    enum fsd_status status =
        fsd_expect_choice("result", result, FSD_BISECT_SKIP + 1, err);

    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    return take(search, result, rebuilt, out, err);
}
