/*
 * A search for the fusion that makes an engine wrong: the public API of
 * edit/mark/hunt.c.
 *
 * The state of a search is a text, from which it is replayed; what stands in a line is
 * what the rebuilt engine showed, by the numbers of groups, which hold as long as model
 * and engine are the same files:
 *
 *     fusiondiff-bisect/1
 *     model model.onnx
 *     engine engine.json
 *     files 0123456789abcdef... 0123456789abcdef...
 *     bad changed 3 7 unknown 9
 *     skip
 */
#include "edit/run.h"
#include "edit/api/marked.h"
#include "base/base.h"
#include "edit/bisect/hunt.h"
#include "edit/bisect/accuracy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_MOST = 1 << 24 };

static const char *const results[] = {"good", "bad", "skip"};
static const char first_line[] = "fusiondiff-bisect/1";

struct fsd_bisection {
    struct fsd_diff *run;
    struct fsd_marks *marks;
    struct fsd_hunt *hunt;
    char *model, *engine; /* paths */
    bool force;
};

/* ------------------------------------------------------------------------ opening */

static enum fsd_status open_pair(struct fsd_bisection **out,
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
    enum fsd_status status = open_pair(&made, opt, err);

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

/* -------------------------------------------------------------------------- state */

static void put_hash(const uint64_t hash[2], FILE *out)
{
    fprintf(out, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
}

static void put_files(const struct fsd_bisection *b, FILE *out)
{
    fputs("files ", out);
    put_hash(b->run->model->hash, out);
    putc(' ', out);
    put_hash(b->run->engine->hash, out);
}

static void put_seen(const uint8_t *seen, uint32_t n, enum fsd_seen what,
                     const char *word, FILE *out)
{
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        if (seen[i] != what)
            continue;
        if (!any)
            fprintf(out, " %s", word);
        any = true;
        fprintf(out, " %u", i);
    }
}

enum fsd_status fsd_bisection_save(const struct fsd_bisection *search, FILE *out,
                                   struct fsd_error *err)
{
    const struct fsd_hunt *h = search->hunt;
    uint32_t n = search->marks->state->groups.n;

    fprintf(out, "%s\nmodel %s\nengine %s\n", first_line, search->model,
            search->engine);
    put_files(search, out);
    putc('\n', out);
    for (uint32_t i = 0; i < h->steps.n; i++) {
        const struct fsd_hunt_step *step = &h->steps.at[i];

        fputs(results[step->result], out);
        if (step->seen) {
            put_seen(step->seen, n, FSD_SEEN_CHANGED, "changed", out);
            put_seen(step->seen, n, FSD_SEEN_NOTHING, "unknown", out);
        }
        putc('\n', out);
    }
    return fsd_flush(out, err);
}

/* The lines of a state, one after the other. */
struct lines {
    const char *path;
    char *at; /* NULL: no more */
    unsigned line;
    struct fsd_error *err;
};

static char *next_line(struct lines *l)
{
    char *line = l->at, *end = line ? strchr(line, '\n') : NULL;

    l->at = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    l->line++;
    return line && *line ? line : NULL;
}

static enum fsd_status fail_line(const struct lines *l, const char *expected,
                                 const char *found)
{
    return fsd_fail(l->err, FSD_E_FORMAT, l->path, FSD_POS_LINE, l->line,
                    "expected %s, found '%.60s'", expected, found ? found : "");
}

/* "WORD REST": the rest, or NULL. */
static char *rest_of(char *line, const char *word)
{
    size_t n = strlen(word);

    return line && !strncmp(line, word, n) && line[n] == ' ' && line[n + 1]
               ? line + n + 1
               : NULL;
}

/* "changed 3 7 unknown 9" */
static bool read_seen(char *text, uint8_t *seen, uint32_t n)
{
    enum fsd_seen what = FSD_SEEN_NOTHING;
    bool named = false;
    char *rest;

    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *end;
        unsigned long group = strtoul(word, &end, 10);

        if (!strcmp(word, "changed") || !strcmp(word, "unknown")) {
            what = *word == 'c' ? FSD_SEEN_CHANGED : FSD_SEEN_NOTHING;
            named = true;
        } else if (!named || *end || end == word || group >= n) {
            return false;
        } else {
            seen[group] = (uint8_t)what;
        }
    }
    return true;
}

static uint8_t *all_same(const struct fsd_bisection *b)
{
    uint32_t n = b->marks->state->groups.n;
    uint8_t *seen = FSD_NEW(b->marks->arena, uint8_t, n);

    memset(seen, FSD_SEEN_SAME, n);
    return seen;
}

static enum fsd_status replay_line(struct fsd_bisection *b, struct lines *l, char *line)
{
    uint8_t *seen = all_same(b);
    char *space = strchr(line, ' ');
    unsigned r = 0;

    if (space)
        *space++ = '\0';
    while (r < FSD_COUNT_OF(results) && strcmp(results[r], line) != 0)
        r++;
    if (r == FSD_COUNT_OF(results))
        return fail_line(l, "good, bad or skip", line);
    if (space && !read_seen(space, seen, b->marks->state->groups.n))
        return fail_line(l, "numbers of fusions behind changed or unknown", space);
    fsd_hunt_take(b->hunt, (enum fsd_bisect_result)r,
                  r == FSD_BISECT_SKIP ? NULL : seen);
    if (b->hunt->contradicts)
        return fail_line(l, "a result that leaves a suspect", line);
    return FSD_OK;
}

static enum fsd_status check_files(const struct fsd_bisection *b, struct lines *l)
{
    const char *line = next_line(l);
    struct fsd_print print;
    bool same;

    put_files(b, fsd_print_open(&print));
    fsd_print_close(&print);
    same = line && !strcmp(print.text, line);
    free(print.text);
    if (same)
        return FSD_OK;
    return fsd_fail(l->err, FSD_E_MISMATCH, l->path, FSD_POS_LINE, l->line,
                    "%s or %s changed after the search began: restore the files, "
                    "or end the search with bisect reset",
                    b->model, b->engine);
}

static enum fsd_status read_state(struct fsd_bisection **out, struct lines *l,
                                  const struct fsd_options *opt)
{
    struct fsd_options pair = *opt;
    const char *line = next_line(l);
    enum fsd_status status;

    if (!line || strcmp(line, first_line) != 0)
        return fail_line(l, first_line, line);
    pair.model = rest_of(next_line(l), "model");
    if (!pair.model)
        return fail_line(l, "model PATH", NULL);
    pair.engine = rest_of(next_line(l), "engine");
    if (!pair.engine)
        return fail_line(l, "engine PATH", NULL);
    status = open_pair(out, &pair, l->err);
    if (status == FSD_OK)
        status = check_files(*out, l);
    for (char *step = NULL; status == FSD_OK && (step = next_line(l));)
        status = replay_line(*out, l, step);
    return status;
}

static enum fsd_status read_search(struct fsd_bisection **out, const char *path,
                                   const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_bisection *made = NULL;
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, STATE_MOST, err);

    if (status == FSD_OK) {
        struct lines l = {path,
                          fsd_arena_strndup(arena, (const char *)file.bytes, file.size),
                          0, err};

        status = fsd_file_done(&file, read_state(&made, &l, opt), err);
    } else {
        fsd_file_close(&file);
    }
    fsd_arena_free(arena);
    if (status == FSD_OK)
        *out = made;
    else
        fsd_bisection_free(made);
    return status;
}

enum fsd_status fsd_bisection_read(struct fsd_bisection **out, const char *path,
                                   const struct fsd_options *opt, struct fsd_error *err)
{
    *out = NULL;
    FSD_GUARD(err);
    return read_search(out, path, opt, err);
}

/* ----------------------------------------------------------------------------- text */

bool fsd_bisection_done(const struct fsd_bisection *search)
{
    return !search->hunt->chosen.n;
}

const char *fsd_bisection_path(const struct fsd_bisection *search)
{
    return search->model;
}

static const char *tensor_name(const struct fsd_bisection *b, fsd_id tensor)
{
    return fsd_text(b->run->names, b->run->model->tensors.at[tensor].name);
}

enum fsd_status fsd_bisection_tensors(const struct fsd_bisection *search, FILE *out,
                                      struct fsd_error *err)
{
    const struct fsd_hunt *h = search->hunt;

    for (uint32_t i = 0; i < h->tensors.n; i++)
        fprintf(out, "%s\n", tensor_name(search, h->pool.at[h->tensors.at + i]));
    return fsd_flush(out, err);
}

static struct fsd_marking marking_of(const struct fsd_bisection *b,
                                     struct fsd_arena *arena)
{
    const struct fsd_hunt *h = b->hunt;
    struct fsd_marking what = {{0}, {0}};

    for (uint32_t i = 0; i < h->tensors.n; i++)
        fsd_vec_push(arena, &what.outputs, h->pool.at[h->tensors.at + i]);
    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];

        if (b->marks->breaks[group].passed.n)
            fsd_marking_add(arena, &what, b->marks, group);
    }
    return what;
}

static enum fsd_status write_model(const struct fsd_bisection *b,
                                   struct fsd_arena *arena, bool inlined, FILE *out,
                                   struct fsd_error *err)
{
    const struct fsd_marking what = marking_of(b, arena);

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

enum { FEW = 3 };

/* "layer 5  epilogue  Conv_3 + Relu_4" */
static void put_fusion(const struct fsd_bisection *b, fsd_id group, FILE *out)
{
    const struct fsd_marks *m = b->marks;
    uint32_t n = m->state->groups.at[group].nodes.n;

    if (m->layer_of[group] != FSD_NONE)
        fprintf(out, "layer %u  ", m->layer_of[group]);
    fprintf(out, "%s  ", fsd_fusion_kind_name(m->kinds[group]));
    for (uint32_t i = 0; i < n && i < FEW; i++) {
        struct fsd_print print;

        fputs(i ? " + " : "", out);
        fsd_put_node_name(b->run, fsd_marks_node(m, group, i), fsd_print_open(&print));
        fsd_print_close(&print);
        fsd_put_safe(out, print.text);
        free(print.text);
    }
    if (n > FEW)
        fprintf(out, " and %u more", n - FEW);
    putc('\n', out);
}

static void put_suspects(const struct fsd_bisection *b, FILE *out)
{
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        if (!b->hunt->suspect[i])
            continue;
        fputs("  ", out);
        put_fusion(b, i, out);
    }
}

static void put_end(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    if (h->n == 1)
        fprintf(out, "This fusion causes the failure, found after %u build%s:\n",
                h->steps.n, fsd_plural(h->steps.n));
    else
        fprintf(out,
                "One of these %u fusions causes the failure, found after %u "
                "build%s; no known break splits only some of them:\n",
                h->n, h->steps.n, fsd_plural(h->steps.n));
    put_suspects(b, out);
}

static void put_expected(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    fputs("Fusions that should change:\n", out);
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (fsd_hunt_expects(h, h->chosen, i)) {
            fputs("  ", out);
            put_fusion(b, i, out);
        }
}

static void put_names(const struct fsd_bisection *b, const fsd_id_vec *tensors,
                      const char *how, FILE *out)
{
    for (uint32_t i = 0; i < tensors->n; i++)
        fsd_printf_safe(out, "  %s  %s\n", how, tensor_name(b, tensors->at[i]));
}

static void put_edits(const struct fsd_bisection *b, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    const struct fsd_marking what = marking_of(b, arena);

    put_names(b, &what.outputs, "marked as an output  ", out);
    put_names(b, &what.passed, "passed through an If ", out);
    if (!strcmp(b->run->model->kind, "onnx"))
        fputs("`bisect next -o FILE.onnx` writes this model.\n", out);
    fsd_arena_free(arena);
}

static enum fsd_status put_next(const struct fsd_bisection *search, FILE *out,
                                struct fsd_error *err)
{
    const struct fsd_hunt *h = search->hunt;

    if (fsd_bisection_done(search)) {
        put_end(search, out);
        return fsd_flush(out, err);
    }
    fprintf(out, "%u suspects.  Build the engine again with:\n", h->n);
    put_edits(search, out);
    put_expected(search, out);
    fputs("Then state how the network's own outputs are:\n"
          "  fusiondiff bisect good|bad|skip NEW_ENGINE\n"
          "  fusiondiff bisect result COMPARISON NEW_ENGINE   (saved by Polygraphy)\n",
          out);
    return fsd_flush(out, err);
}

enum fsd_status fsd_bisection_next(const struct fsd_bisection *search, FILE *out,
                                   struct fsd_error *err)
{
    FSD_GUARD(err);
    return put_next(search, out, err);
}

static uint32_t count_seen(const struct fsd_bisection *b, const uint8_t *seen)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        n += seen[i] == FSD_SEEN_CHANGED;
    return n;
}

static enum fsd_status put_log(const struct fsd_bisection *search, FILE *out,
                               struct fsd_error *err)
{
    const struct fsd_hunt *h = search->hunt;

    for (uint32_t i = 0; i < h->steps.n; i++) {
        const struct fsd_hunt_step *step = &h->steps.at[i];

        fprintf(out, "%s", results[step->result]);
        if (step->seen)
            fprintf(out, "  %u fusion%s changed", count_seen(search, step->seen),
                    fsd_plural(count_seen(search, step->seen)));
        fprintf(out, "  %u suspect%s left%s", step->left, fsd_plural(step->left),
                step->tensors.n ? "  marked" : "");
        for (uint32_t k = 0; k < step->tensors.n; k++) {
            putc(' ', out);
            fsd_put_safe(out, tensor_name(search, h->pool.at[step->tensors.at + k]));
        }
        putc('\n', out);
    }
    return put_next(search, out, err);
}

enum fsd_status fsd_bisection_log(const struct fsd_bisection *search, FILE *out,
                                  struct fsd_error *err)
{
    FSD_GUARD(err);
    return put_log(search, out, err);
}

/* -------------------------------------------------------------------------- results */

/* An unknown state is neither the same nor changed. */
static void look_at_region(const struct fsd_compare *c, const struct fsd_region_diff *r,
                           uint8_t *seen)
{
    uint8_t what = r->happened == FSD_HAPPENED_SAME     ? FSD_SEEN_SAME
                   : r->happened == FSD_HAPPENED_OPAQUE ? FSD_SEEN_NOTHING
                                                        : FSD_SEEN_CHANGED;

    for (uint32_t i = 0; i < r->old_groups.n; i++)
        seen[c->pool.at[r->old_groups.at + i]] = what;
}

static enum fsd_status look(const struct fsd_bisection *b,
                            const struct fsd_options *rebuilt, uint8_t *seen,
                            struct fsd_error *err)
{
    struct fsd_options pair = *rebuilt;
    struct fsd_compare *c = NULL;
    struct fsd_state *state = NULL;
    enum fsd_status status;

    /* The edits of the next model are in the engine, and not in the model as it was:
     * nothing to be noted. */
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
        status = fsd_fail(err, FSD_E_MISMATCH, pair.engine, FSD_POS_NONE, 0,
                          "expected an engine of %s, found that of another network",
                          b->model);
    for (uint32_t i = 0; status == FSD_OK && i < c->regions.n; i++)
        look_at_region(c, &c->regions.at[i], seen);
    fsd_compare_free(c);
    fsd_state_free(state);
    return status;
}

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

static void put_differences(const struct fsd_bisection *b, struct fsd_span chosen,
                            const uint8_t *seen, FILE *out)
{
    uint32_t other = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        bool expected = fsd_hunt_expects(b->hunt, chosen, i);
        bool changed = seen[i] == FSD_SEEN_CHANGED;

        if (expected == changed && seen[i] != FSD_SEEN_NOTHING)
            continue;
        other++;
        fputs(seen[i] == FSD_SEEN_NOTHING ? "  unknown for  "
              : changed                   ? "  changed, too:  "
                                          : "  did not change:  ",
              out);
        put_fusion(b, i, out);
    }
    fputs(other ? "  The result is counted for the fusions that changed.\n"
                : "  Only the expected fusions changed.\n",
          out);
}

static enum fsd_status take(struct fsd_bisection *search, enum fsd_bisect_result result,
                            const struct fsd_options *rebuilt, FILE *out,
                            struct fsd_error *err)
{
    struct fsd_hunt *h = search->hunt;
    struct fsd_span chosen = h->chosen;
    uint8_t *seen = all_same(search);
    enum fsd_status status = FSD_OK;

    if (fsd_bisection_done(search))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "the search is complete: bisect next prints its result");
    if (result != FSD_BISECT_SKIP && rebuilt)
        status = look(search, rebuilt, seen, err);
    else if (result != FSD_BISECT_SKIP)
        believe(search, seen);
    if (status != FSD_OK)
        return status;
    fsd_hunt_take(h, result, result == FSD_BISECT_SKIP ? NULL : seen);
    if (h->contradicts)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "'%s' would clear the last suspect: no single fusion causes "
                        "the failure, or an earlier result was wrong",
                        results[result]);
    fprintf(out, "%s: %u suspect%s left.\n", results[result], h->n, fsd_plural(h->n));
    if (result != FSD_BISECT_SKIP && rebuilt)
        put_differences(search, chosen, seen, out);
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
