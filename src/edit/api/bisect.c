/* The public API of bisect: opens a search for the fusion that makes an engine wrong,
 * and takes the result of each build. */
#include "edit/bisect/search.h"
#include "base/base.h"
#include "edit/bisect/accuracy.h"
#include "model/graph/graph.h"

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
                          "expected an engine with fusions, found none: no layer is "
                          "known to compute several nodes");
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

    FSD_EACH_ID (tensor, h->pool, h->tensors)
        fprintf(out, "%s\n", fsd_search_tensor_name(search, tensor));
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

/* Called if the user gave no rebuilt engine. Sets `seen` as if the builder had made all
 * requested changes. */
static void believe(const struct fsd_bisection *b, uint8_t *seen)
{
    FSD_SCRATCH(arena);
    const bool *expected = fsd_hunt_expected(b->hunt, b->hunt->chosen, arena);

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (expected[i])
            seen[i] = FSD_SEEN_CHANGED;
}

static enum fsd_status judge(const struct fsd_bisection *search, const char *path,
                             enum fsd_bisect_result *out, struct fsd_error *err)
{
    const struct fsd_graph *model = search->run->model;
    const struct fsd_span of = model->scopes.at[0].outputs;
    FSD_SCRATCH(arena);
    struct fsd_compared *outputs = FSD_NEW(arena, struct fsd_compared, of.n + 1);
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, FSD_ACCURACY_MOST, err);

    for (uint32_t i = 0; i < of.n; i++)
        outputs[i].name = model->tensors.at[model->links.at[of.at + i]].name;
    if (status == FSD_OK && !of.n)
        status = fsd_fail(err, FSD_E_MISMATCH, path, FSD_POS_NONE, 0,
                          "the outputs of %s are unknown: report the result by `bisect "
                          "good` or `bisect bad`",
                          search->model);
    else if (status == FSD_OK)
        status = fsd_accuracy_read(search->run->names, &file, outputs, of.n, err);
    if (status == FSD_OK)
        *out = fsd_accuracy_fails(outputs, of.n) ? FSD_BISECT_BAD : FSD_BISECT_GOOD;
    return fsd_file_done(&file, status, err);
}

enum fsd_status fsd_bisection_judge(const struct fsd_bisection *search,
                                    const char *path, enum fsd_bisect_result *out,
                                    struct fsd_error *err)
{
    FSD_GUARD(err);
    return judge(search, path, out, err);
}

/* ------------------------------------------------------------- by saved outputs */

/* Two files of tensors to compare. The first set of tensors in each file is used. */
struct saved {
    struct fsd_file files[2];
    fsd_array_set_vec sets[2];
};

static enum fsd_status read_saved(const struct fsd_bisection *b,
                                  struct fsd_arena *arena, struct saved *saved,
                                  unsigned i, const char *path, struct fsd_error *err)
{
    enum fsd_status status =
        fsd_file_open_decompressed(&saved->files[i], path, FSD_VALUES_LIMIT, err);

    if (status == FSD_OK && !fsd_sets_are(&saved->files[i]))
        return fsd_fail(err, FSD_E_FORMAT, path, FSD_POS_NONE, 0,
                        "expected tensors that numpy.savez() or Polygraphy saved, "
                        "found another kind of file");
    if (status == FSD_OK)
        status =
            fsd_sets_read(arena, b->run->names, &saved->files[i], &saved->sets[i], err);
    return status;
}

static const struct fsd_array *array_named(const struct fsd_array_set *set,
                                           fsd_sym name)
{
    for (uint32_t i = set->at.n; i-- > 0;)
        if (set->at.at[i].name == name)
            return &set->at.at[i];
    return NULL;
}

/* Sets *wrong if the two files differ in an output of the network by more than the
 * limit. */
static enum fsd_status compare_output(const struct fsd_bisection *b,
                                      const struct saved *saved, fsd_id tensor,
                                      double limit, bool *wrong, struct fsd_error *err)
{
    fsd_sym name = b->run->model->tensors.at[tensor].name;
    const struct fsd_array *good = array_named(&saved->sets[0].at[0], name);
    const struct fsd_array *now = array_named(&saved->sets[1].at[0], name);
    struct fsd_error_measure measure;
    const struct fsd_array *broken = NULL;
    const char *why = !good || !now ? "this output is missing" : NULL;

    if (!why)
        why = fsd_measure_error(good, now, &measure, &broken);
    if (why)
        return fsd_fail(err, FSD_E_MISMATCH,
                        saved->files[good && broken != good ? 1 : 0].name, FSD_POS_NONE,
                        0,
                        "expected outputs that can be compared, found '%.200s', which "
                        "cannot be compared: %s",
                        fsd_text(b->run->names, name), why);
    *wrong |= measure.fresh || measure.l2_rel > limit;
    return FSD_OK;
}

static enum fsd_status judge_saved(const struct fsd_bisection *b, struct saved *saved,
                                   double limit, enum fsd_bisect_result *out,
                                   struct fsd_error *err)
{
    const struct fsd_span of = b->run->model->scopes.at[0].outputs;
    enum fsd_status status = FSD_OK;
    bool wrong = false;

    if (!of.n)
        return fsd_fail(err, FSD_E_MISMATCH, b->model, FSD_POS_NONE, 0,
                        "expected a network with known outputs, found none: report the "
                        "result by `bisect good` or `bisect bad`");
    for (uint32_t i = 0; i < of.n && status == FSD_OK; i++)
        status = compare_output(b, saved, b->run->model->links.at[of.at + i], limit,
                                &wrong, err);
    *out = wrong ? FSD_BISECT_BAD : FSD_BISECT_GOOD;
    return status;
}

enum fsd_status fsd_bisection_judge_values(const struct fsd_bisection *search,
                                           const char *good, const char *outputs,
                                           double limit, enum fsd_bisect_result *out,
                                           struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct saved saved = {0};
    enum fsd_status status;

    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = read_saved(search, arena, &saved, 0, good, err);
    FSD_THEN(status, read_saved(search, arena, &saved, 1, outputs, err));
    FSD_THEN(status, judge_saved(search, &saved, limit > 0 ? limit : 0.01, out, err));
    for (unsigned i = 0; i < 2; i++)
        status = fsd_file_done(&saved.files[i], status, err);
    fsd_arena_free(arena);
    return status;
}

static enum fsd_status take(struct fsd_bisection *search, enum fsd_bisect_result result,
                            const struct fsd_options *rebuilt, FILE *out,
                            struct fsd_error *err)
{
    struct fsd_hunt *h = search->hunt;
    struct fsd_span chosen = h->chosen;
    uint8_t *seen = fsd_hunt_same(h);
    enum fsd_status status = FSD_OK;
    uint32_t left;

    if (fsd_bisection_done(search))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "the search is complete: `bisect next` prints its result");
    if (result != FSD_BISECT_SKIP && rebuilt)
        status = fsd_search_look(search, rebuilt, seen, err);
    else if (result != FSD_BISECT_SKIP)
        believe(search, seen);
    if (status != FSD_OK)
        return status;
    fsd_hunt_take(h, result, result == FSD_BISECT_SKIP ? NULL : seen);
    fprintf(out, "%s: %u suspect%s left", fsd_search_results[result], h->n,
            fsd_plural(h->n));
    left = fsd_hunt_builds_left(h);
    if (left)
        fprintf(out, ", about %u more build%s", left, fsd_plural(left));
    fputs(".\n", out);
    if (result != FSD_BISECT_SKIP && rebuilt)
        fsd_search_put_differences(search, chosen, seen, out);
    else if (result != FSD_BISECT_SKIP)
        fputs("  No rebuilt engine was given, so the search assumes that the expected "
              "fusions changed.\n",
              out);
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
