/*
 * A run, as the list of its stages.  The names of the model are interned before the
 * engine is read, since the engine's layer names can only be taken apart by somebody
 * who knows them.
 */
#include "base/file.h"
#include "diff/diff.h"
#include "diff/rules.h"
#include "model/graph_dump.h"
#include "model/vocab.h"
#include "onnx/onnx.h"
#include "report/picture.h"
#include "report/report.h"
#include "report/view.h"
#include "trt/trt.h"

#include <string.h>

/* Weights are never read, so a model may be large; a dump is read whole. */
#define MODEL_LIMIT  (UINT64_C(1) << 40)
#define ENGINE_LIMIT (UINT64_C(1) << 30)

static void begin(const struct fsd_options *opt, const char *stage)
{
    if (opt->progress)
        opt->progress(opt->payload, stage);
}

/* A path is bytes; what reports print is text. */
static const char *shown_path(const struct fsd_diff *d, const char *path)
{
    return fsd_text(d->names, fsd_intern_str(d->names, path));
}

static enum fsd_status load_model(struct fsd_diff *d, const char *path,
                                  struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, MODEL_LIMIT, err);

    if (status == FSD_OK)
        status = fsd_onnx_load(d->model, &file, err);
    d->model->path = shown_path(d, path);
    fsd_file_close(&file);
    return status;
}

static enum fsd_status load_engine(struct fsd_diff *d, const char *path,
                                   struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, ENGINE_LIMIT, err);

    if (status == FSD_OK)
        status = fsd_trt_load(d->engine, &file, fsd_vocab_new(d->arena, d->model), err);
    d->engine->path = shown_path(d, path);
    fsd_file_close(&file);
    return status;
}

static enum fsd_status load(struct fsd_diff *d, const struct fsd_options *opt,
                            struct fsd_error *err)
{
    enum fsd_status status;

    d->model = fsd_graph_new(d->arena, d->names);
    d->engine = fsd_graph_new(d->arena, d->names);
    begin(opt, "reading the model");
    status = load_model(d, opt->model, err);
    if (status != FSD_OK)
        return status;
    begin(opt, "reading the engine");
    return load_engine(d, opt->engine, err);
}

/* A pair belongs together when most of the names that could be the model's are.  Two
 * exports of one network share some names by chance ("Conv_9"), so some is not enough.
 */
static enum fsd_status check_fit(const struct fsd_diff *d, struct fsd_error *err)
{
    struct fsd_fit fit = fsd_match_fit(d->match);

    if (2 * (fit.names_found + fit.tensors_found) >= fit.names + fit.tensors)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, d->engine->path, FSD_POS_NONE, 0,
        "expected an engine built from %s, but only %u of the %u names in its "
        "layers and %u of its %u inputs and outputs are that model's "
        "(--force goes on all the same)",
        d->model->path, fit.names_found, fit.names, fit.tensors_found, fit.tensors);
}

static enum fsd_status run(struct fsd_diff *d, const struct fsd_options *opt,
                           struct fsd_error *err)
{
    enum fsd_status status = load(d, opt, err);

    if (status != FSD_OK)
        return status;
    d->evidence = opt->evidence ? opt->evidence : FSD_BY_ALL;
    begin(opt, "proving facts");
    d->facts = fsd_facts_new(d->arena, d->model);
    begin(opt, "matching");
    d->match = fsd_match_new(d->arena, d->facts, d->engine, d->evidence);
    if (!opt->force && (status = check_fit(d, err)) != FSD_OK)
        return status;
    begin(opt, "explaining");
    fsd_diff_kinds(d);
    fsd_diff_flows(d);
    fsd_diff_fates(d);
    fsd_diff_causes(d);
    fsd_diff_precisions(d);
    fsd_diff_rules(d);
    fsd_diff_summarize(d);
    return FSD_OK;
}

static struct fsd_diff *new_run(void)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_diff *d = FSD_NEW(arena, struct fsd_diff, 1);

    d->arena = arena;
    d->names = fsd_intern_new(arena);
    return d;
}

enum fsd_status fsd_diff_open(struct fsd_diff **out, const struct fsd_options *opt,
                              struct fsd_error *err)
{
    struct fsd_diff *d;
    enum fsd_status status;

    *out = NULL;
    if (!opt->model || !opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE, found only one of them");
    if (!strcmp(opt->model, "-") && !strcmp(opt->engine, "-"))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "only one input can be standard input");
    d = new_run();
    status = run(d, opt, err);
    if (status == FSD_OK)
        *out = d;
    else
        fsd_diff_free(d);
    return status;
}

void fsd_diff_free(struct fsd_diff *diff)
{
    if (diff)
        fsd_arena_free(diff->arena);
}

uint32_t fsd_diff_findings(const struct fsd_diff *diff, enum fsd_severity least)
{
    uint32_t n = 0;

    for (unsigned s = least; s < FSD__SEVERITY_COUNT; s++)
        n += diff->summary.by_severity[s];
    return n;
}

static enum fsd_status flush(FILE *out, struct fsd_error *err)
{
    if (fflush(out) == 0 && !ferror(out))
        return FSD_OK;
    return fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0, "cannot write the report");
}

enum fsd_status fsd_diff_write(const struct fsd_diff *diff, const char *format,
                               const struct fsd_style *style, FILE *out,
                               struct fsd_error *err)
{
    static const struct fsd_style plain = {0};
    const struct fsd_writer *writer = fsd_writer_find(format);
    enum fsd_status status = FSD_OK;

    if (!writer)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "unknown format '%s'",
                        format);
    style = style ? style : &plain;
    if (writer->write)
        writer->write(diff, style, out);
    else
        status = fsd_picture_write(diff, writer->name, style, out, err);
    return status != FSD_OK ? status : flush(out, err);
}

enum fsd_status fsd_diff_view(const struct fsd_diff *diff, const char *view,
                              const struct fsd_query *query, const char *format,
                              const struct fsd_style *style, FILE *out,
                              struct fsd_error *err)
{
    static const struct fsd_style plain = {0};
    const struct fsd_view *v = fsd_view_find(view);
    enum fsd_status status;

    if (!v)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "unknown view '%s'",
                        view);
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "%s writes text and json, not %s", view, format);
    status = v->write(diff, query, *format == 'j', style ? style : &plain, out, err);
    return status == FSD_OK ? flush(out, err) : status;
}

static enum fsd_status dump(struct fsd_diff *d, bool model,
                            const struct fsd_options *opt, FILE *out,
                            struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    d->model = fsd_graph_new(d->arena, d->names);
    d->engine = fsd_graph_new(d->arena, d->names);
    if (opt->model)
        status = load_model(d, opt->model, err);
    else
        fsd_graph_finish(d->model);
    if (status == FSD_OK && !model)
        status = load_engine(d, opt->engine, err);
    if (status != FSD_OK)
        return status;
    fsd_graph_dump(model ? d->model : d->engine, out);
    return flush(out, err);
}

enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt, FILE *out,
                         struct fsd_error *err)
{
    bool model = !strcmp(side, "model");
    struct fsd_diff *d;
    enum fsd_status status;

    if (!model && strcmp(side, "engine") != 0)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected model or engine to dump, found '%s'", side);
    if (model ? !opt->model : !opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "no %s given to dump",
                        side);
    d = new_run();
    status = dump(d, model, opt, out, err);
    fsd_diff_free(d);
    return status;
}

const char *fsd_format_find(const char *name)
{
    const struct fsd_writer *writer = fsd_writer_find(name);

    return writer ? writer->name : NULL;
}

const char *fsd_format_at(unsigned i)
{
    const struct fsd_writer *writer = fsd_writer_at(i);

    return writer ? writer->name : NULL;
}
