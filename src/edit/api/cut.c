/* The public API of cuts: a part of a model as a model of its own. */
#include "base/base.h"
#include "base/lines.h"
#include "edit/cut/cut.h"
#include "edit/onnx/hide.h"
#include "edit/onnx/write.h"
#include "host/files.h"

#include <stdlib.h>

struct fsd_cutting {
    struct fsd_arena *arena;
    struct fsd_options opt; /* the options with which model and engine are opened
                               again */
    struct fsd_cut_options cut;
    struct fsd_diff *run;
    struct fsd_cut_plan *plan;
};

static const char *copy(struct fsd_arena *arena, const char *text)
{
    return text ? fsd_arena_strndup(arena, text, strlen(text)) : NULL;
}

static const char *const *copy_words(struct fsd_arena *arena, const char *const *words,
                                     unsigned n)
{
    const char **copies = FSD_NEW(arena, const char *, n + 1);

    for (unsigned i = 0; i < n; i++)
        copies[i] = copy(arena, words[i]);
    return copies;
}

static void copy_cut(struct fsd_arena *arena, struct fsd_cut_options *cut)
{
    cut->layers = copy_words(arena, cut->layers, cut->n_layers);
    cut->groups = copy_words(arena, cut->groups, cut->n_groups);
    cut->nodes = copy_words(arena, cut->nodes, cut->n_nodes);
    cut->from = copy_words(arena, cut->from, cut->n_from);
    cut->to = copy_words(arena, cut->to, cut->n_to);
    cut->values = copy_words(arena, cut->values, cut->n_values);
}

enum fsd_status fsd_expect_cut(const struct fsd_cut_options *cut, struct fsd_error *err)
{
    const struct fsd_given all[] = {{"layers", cut->layers, cut->n_layers},
                                    {"groups", cut->groups, cut->n_groups},
                                    {"nodes", cut->nodes, cut->n_nodes},
                                    {"from", cut->from, cut->n_from},
                                    {"to", cut->to, cut->n_to},
                                    {"values", cut->values, cut->n_values}};

    return fsd_expect_lists(all, FSD_COUNT_OF(all), err);
}

static enum fsd_status open_cutting(struct fsd_cutting *c, struct fsd_error *err)
{
    bool of_engine = c->cut.n_layers || c->cut.n_groups;
    enum fsd_status status;

    if (!c->opt.model || (of_engine && !c->opt.engine))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        c->opt.model ? "--layer and --group need an ENGINE"
                                     : "expected MODEL");
    if (!strcmp(c->opt.model, "-"))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a file as MODEL (fusiondiff reads MODEL twice), "
                        "found standard input");
    status = fsd_run_open(&c->run, &c->opt, err);
    FSD_THEN(status, fsd_cut_new(&c->plan, c->arena, c->run, &c->cut, err));
    return status;
}

enum fsd_status fsd_cutting_open(struct fsd_cutting **out,
                                 const struct fsd_options *opt,
                                 const struct fsd_cut_options *cut,
                                 struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_cutting *c;
    enum fsd_status status = fsd_expect_cut(cut, err);

    *out = NULL;
    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    c = FSD_NEW(arena, struct fsd_cutting, 1);
    *c = (struct fsd_cutting){.arena = arena, .opt = *opt, .cut = *cut};
    copy_cut(arena, &c->cut);
    c->opt.model = copy(arena, opt->model);
    status = open_cutting(c, err);
    if (status == FSD_OK)
        *out = c;
    else
        fsd_cutting_free(c);
    return status;
}

void fsd_cutting_free(struct fsd_cutting *c)
{
    if (!c)
        return;
    fsd_diff_free(c->run);
    fsd_arena_free(c->arena);
}

/* Writes the part with constant numbers instead of its weights, by way of a temporary
 * file without a name. */
static enum fsd_status write_without_weights(const struct fsd_cutting *c, FILE *out,
                                             struct fsd_error *err)
{
    static const struct fsd_onnx_hiding how = {.weights = true};
    struct fsd_onnx_edits *edits = fsd_cut_edits(c->plan);
    struct fsd_file file = {.name = c->opt.model};
    FILE *part = fsd_host_temporary();
    enum fsd_status status;

    if (!part)
        return fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0,
                        "expected a writable folder for temporary files, found none");
    fsd_onnx_set_weights(edits, FSD_ONNX_WEIGHTS_STAY);
    status = fsd_onnx_write_again(edits, "cutting", part, err);
    if (status == FSD_OK && fflush(part))
        status = fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0, "cannot write");
    if (status == FSD_OK) {
        status = fsd_file_map(&file, fileno(part), UINT64_MAX, err);
        FSD_THEN(status, fsd_onnx_hide(&file, &how, out, err));
        status = fsd_file_done(&file, status, err);
    }
    fclose(part);
    return status;
}

enum fsd_status fsd_cutting_write(const struct fsd_cutting *c, FILE *out,
                                  struct fsd_error *err)
{
    enum fsd_status status;

    FSD_GUARD(err);
    status = fsd_onnx_write_again(fsd_cut_edits(c->plan), "cutting", out, err);
    if (c->cut.fails && (status == FSD_E_IO || status == FSD_E_FORMAT))
        status = write_without_weights(c, out, err);
    return status;
}

/* Reads the tensors of all files as one set. If several tensors have the same name, the
 * first of them is used. */
static enum fsd_status read_values(const struct fsd_cutting *c, struct fsd_file *files,
                                   struct fsd_array_set *all, struct fsd_error *err)
{
    fsd_array_set_vec sets = {0};
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < c->cut.n_values && status == FSD_OK; i++) {
        const char *path = c->cut.values[i];

        status = fsd_file_open_decompressed(&files[i], path, FSD_VALUES_LIMIT, err);
        if (status == FSD_OK && !fsd_sets_are(&files[i]))
            status = fsd_fail(err, FSD_E_FORMAT, path, FSD_POS_NONE, 0,
                              "expected tensors in an archive of numpy (.npz) or in a "
                              "file of Polygraphy, found neither");
        FSD_THEN(status, fsd_sets_read(c->arena, c->run->names, &files[i], &sets, err));
    }
    all->path = c->cut.values[0];
    for (uint32_t i = 0; i < sets.n; i++)
        for (uint32_t k = 0; k < sets.at[i].at.n; k++)
            fsd_vec_push(c->arena, &all->at, sets.at[i].at.at[k]);
    return status;
}

enum fsd_status fsd_cutting_write_inputs(const struct fsd_cutting *c, FILE *out,
                                         struct fsd_error *err)
{
    struct fsd_array_set all = {0};
    struct fsd_file *files;
    enum fsd_status status = FSD_OK;

    FSD_GUARD(err);
    files = FSD_NEW(c->arena, struct fsd_file, c->cut.n_values + 1);
    if (c->cut.n_values)
        status = read_values(c, files, &all, err);
    FSD_THEN(status,
             fsd_cut_write_inputs(c->plan, c->cut.n_values ? &all : NULL, out, err));
    for (unsigned i = 0; i < c->cut.n_values; i++)
        status = fsd_file_done(&files[i], status, err);
    return status;
}

/* Opens the whole model with the engine that was built from the part alone. The layers
 * of this engine are linked to the model by names. */
static enum fsd_status open_alone(struct fsd_diff **out, const struct fsd_cutting *c,
                                  const char *alone, struct fsd_error *err)
{
    struct fsd_options opt = {.model = c->opt.model,
                              .engine = alone,
                              .force = true,
                              .evidence = c->opt.evidence};

    return fsd_run_open(out, &opt, err);
}

static void print_plain(const struct fsd_cutting *c, const char *path,
                        const struct fsd_diff *alone, FILE *out)
{
    fsd_cut_print(c->plan, path, alone, out);
}

static void print_quoted(const struct fsd_cutting *c, const char *path,
                         const struct fsd_diff *alone, FILE *out)
{
    struct fsd_quotes quotes = {.arena = fsd_arena_new()};
    struct fsd_print text;

    fsd_cut_print(c->plan, path, alone, fsd_print_open(&text));
    fsd_print_close(&text);
    fsd_quotes_add_run(&quotes, c->run);
    fsd_quotes_add_run(&quotes, alone);
    fsd_put_quoted(out, text.text, &quotes);
    free(text.text);
    fsd_arena_free(quotes.arena);
}

enum fsd_status fsd_cutting_report(const struct fsd_cutting *c, const char *path,
                                   const char *alone, FILE *out, struct fsd_error *err)
{
    struct fsd_lines lines = {.to = out, .escape = "\\u{%x}"};
    struct fsd_diff *run = NULL;
    enum fsd_status status;

    FSD_GUARD(err);
    status = alone ? open_alone(&run, c, alone, err) : FSD_OK;
    if (status == FSD_OK) {
        (c->cut.quoted ? print_quoted : print_plain)(c, path, run,
                                                     fsd_lines_open(&lines));
        fsd_lines_close(&lines);
        status = fsd_flush(out, err);
    }
    fsd_diff_free(run);
    return status;
}
