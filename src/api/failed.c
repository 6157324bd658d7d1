/*
 * The public API for a build that failed. The model is read without an engine, as for
 * lint. If there is no model, or if it cannot be read, the network in the log replaces
 * it.
 */
#include "api/inputs.h"
#include "api/linting.h"
#include "api/states.h"
#include "base/base.h"
#include "judge/failed/failed.h"
#include "report/subject/subject.h"

struct fsd_failure {
    struct fsd_arena *arena;
    struct fsd_linting *linting; /* lint of the model; NULL: no model was read */
    struct fsd_failed failed;
};

static const char *path_text(struct fsd_arena *arena, const char *path)
{
    return path ? fsd_arena_strndup(arena, path, strlen(path)) : NULL;
}

/* Reads and lints the model. If the model cannot be read, this is a reason why the
 * build failed. */
static void read_model(struct fsd_failure *f, const struct fsd_options *opt)
{
    const struct fsd_options alone = {.model = opt->model,
                                      .progress = opt->progress,
                                      .note = opt->note,
                                      .payload = opt->payload};
    const struct fsd_lint_options how = {.builder = f->failed.target};
    struct fsd_error why = {0};

    if (!opt->model)
        return;
    if (fsd_linting_open(&f->linting, &alone, &how, &why) != FSD_OK) {
        f->failed.no_model = path_text(f->arena, why.message);
        return;
    }
    f->failed.run = f->linting->run;
    f->failed.model = f->linting->run->model;
    f->failed.lint = f->linting->lint;
    f->failed.findings = f->linting->verdict->findings;
}

static enum fsd_status open_failure(struct fsd_failure *f,
                                    const struct fsd_options *opt,
                                    struct fsd_error *err)
{
    struct fsd_failed *failed = &f->failed;
    struct fsd_inputs in = {.arena = f->arena, .names = fsd_op_names_new(f->arena)};
    enum fsd_status status = fsd_inputs_load_log(&in, opt->engine, err);

    if (status != FSD_OK)
        return status;
    if (!fsd_log_failures_of(in.history)->n)
        return fsd_fail(err, FSD_E_FORMAT, opt->engine, FSD_POS_NONE, 0,
                        "expected the log of a failed build, found a log without "
                        "errors");
    failed->arena = f->arena;
    failed->history = in.history;
    failed->model = in.model;
    failed->model_path = path_text(f->arena, opt->model);
    failed->log_path = path_text(f->arena, opt->engine);
    failed->target = fsd_failed_target(f->arena, in.history);
    read_model(f, opt);
    fsd_failed_conclude(failed, fsd_vocab_new(f->arena, failed->model));
    return FSD_OK;
}

enum fsd_status fsd_failure_open(struct fsd_failure **out,
                                 const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_failure *f;
    enum fsd_status status;

    *out = NULL;
    if (!opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected the log of a failed build, found none");
    FSD_GUARD(err);
    arena = fsd_arena_new();
    f = FSD_NEW(arena, struct fsd_failure, 1);
    f->arena = arena;
    status = open_failure(f, opt, err);
    if (status == FSD_OK)
        *out = f;
    else
        fsd_failure_free(f);
    return status;
}

/* The reason why a build failed, in one sentence. The log of the build is opt->engine
 * or, without an engine, opt->model. NULL: this file is not the log of a failed
 * build. */
static const char *reason_of(struct fsd_arena *arena, const struct fsd_options *opt)
{
    struct fsd_options of = *opt;
    struct fsd_failure *failure = NULL;
    const char *why = NULL;

    if (!of.engine) {
        of.engine = of.model;
        of.model = NULL;
    }
    if (!of.n_parts && fsd_failure_open(&failure, &of, NULL) == FSD_OK && failure)
        why = path_text(arena, fsd_failure_conclusion(failure));
    fsd_failure_free(failure);
    return why;
}

bool fsd_failed_take(fsd_failed_builds *list, struct fsd_arena *arena,
                     const struct fsd_options *opt)
{
    struct fsd_failed_build one = {
        path_text(arena, opt->engine ? opt->engine : opt->model),
        reason_of(arena, opt)};

    if (!one.why)
        return false;
    fsd_vec_push(arena, list, one);
    return true;
}

void fsd_failure_free(struct fsd_failure *f)
{
    if (!f)
        return;
    fsd_linting_free(f->linting);
    fsd_arena_free(f->arena);
}

const char *fsd_failure_conclusion(const struct fsd_failure *f)
{
    return f->failed.conclusion;
}

const char *fsd_failure_builder(const struct fsd_failure *f)
{
    return f->failed.target;
}

const char *fsd_failure_part(const struct fsd_failure *f, unsigned i)
{
    FSD_GUARD_OR(NULL);
    return f->failed.run && i < f->failed.part.n
               ? fsd_printed(f->arena, "#%u", f->failed.part.at[i])
               : NULL;
}

enum fsd_status fsd_failure_write(const struct fsd_failure *f, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_FAILURE,
                                      .run = f->failed.run,
                                      .failed = &f->failed,
                                      .style = style};
    const char *name = format ? fsd_format_find(format) : NULL;

    if (!f->failed.run && name && !strcmp(name, "html"))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a readable MODEL for the HTML page of a failed "
                        "build, found none");
    return fsd_report_write(&report, format, out, err);
}
