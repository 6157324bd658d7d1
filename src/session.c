/*
 * A run, as the list of its stages.  The names of the model are interned before the
 * engine is read, since the engine's layer names can only be taken apart by somebody
 * who knows them.
 */
#include "base/status.h"
#include "cost/cost.h"
#include "diff/diff.h"
#include "diff/rules.h"
#include "inputs.h"
#include "match/story.h"
#include "model/graph_dump.h"
#include "profiles.h"
#include "report/picture/drawing.h"
#include "report/report.h"
#include "report/view.h"

#include <string.h>

static void begin(const struct fsd_options *opt, const char *stage)
{
    if (opt->progress)
        opt->progress(opt->payload, stage);
}

/* Each input has one reader, and there is one standard input. */
static bool shares_stdin(const struct fsd_options *opt)
{
    const char *const paths[] = {opt->model, opt->engine, opt->log};
    unsigned n = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(paths); i++)
        n += paths[i] && !strcmp(paths[i], "-");
    return n > 1;
}

/* A log of another build tells nothing of this engine, and one that holds no more than
 * the engine's layers tells nothing beside their names. */
static void replay_log(struct fsd_diff *d)
{
    if (!d->history || d->history->refused || !d->history->events.n ||
        !(d->evidence & FSD_BY_LOG))
        return;
    d->story = fsd_story_new(d->arena, d->history, d->model, d->vocab);
    fsd_story_correct(d->story, d->engine);
}

/* A pair belongs together when most of the names that could be the model's are.  Two
 * exports of one network share some names by chance ("Conv_9"), so some is not enough.
 */
static enum fsd_status check_fit(const struct fsd_diff *d, struct fsd_error *err)
{
    struct fsd_fit fit = fsd_match_fit(d->match);
    const char *whose = fsd_profiles_added(d) ? "its layers, some of them told by the "
                                                "profile only,"
                                              : "its layers";
    char bindings[80] = "";

    if (2 * (fit.names_found + fit.tensors_found) >= fit.names + fit.tensors)
        return FSD_OK;
    if (fit.tensors)
        snprintf(bindings, sizeof bindings, " and %u of its %u inputs and outputs",
                 fit.tensors_found, fit.tensors);
    return fsd_fail(err, FSD_E_MISMATCH, d->engine->path, FSD_POS_NONE, 0,
                    "expected an engine built from %s, but only %u of the %u names in "
                    "%s%s are that model's (--force goes on all the same)",
                    d->model->path, fit.names_found, fit.names, whose, bindings);
}

static void count_cost(struct fsd_diff *d, const struct fsd_options *opt)
{
    d->peak_gb_s = opt->peak_gb_s;
    d->peak_top_s = opt->peak_top_s;
    fsd_cost_shapes(d);
    fsd_cost_traffic(d);
    fsd_cost_macs(d);
    fsd_cost_sums(d);
}

static enum fsd_status run(struct fsd_diff *d, const struct fsd_options *opt,
                           struct fsd_error *err)
{
    fsd_profile_vec profiles = {0};
    enum fsd_status status = fsd_inputs_load(d, opt, err);

    if (status == FSD_OK)
        status = fsd_profiles_load(d, opt, &profiles, err);
    if (status == FSD_OK)
        status = fsd_run_times_load(d, opt, err);
    if (status == FSD_OK)
        status = fsd_cost_bind_shapes(d, opt->shapes, opt->n_shapes, err);
    if (status != FSD_OK)
        return status;
    d->evidence = opt->evidence ? opt->evidence : FSD_BY_ALL;
    begin(opt, "proving facts");
    d->facts = fsd_facts_new(d->arena, d->model);
    begin(opt, "matching");
    replay_log(d);
    d->match = fsd_match_new(d->arena, d->facts, d->engine, d->evidence, d->story);
    if (!opt->force && opt->model && (status = check_fit(d, err)) != FSD_OK)
        return status;
    begin(opt, "explaining");
    fsd_diff_kinds(d);
    fsd_cost_times(d, profiles.at, profiles.n);
    fsd_diff_flows(d);
    fsd_diff_fates(d);
    fsd_diff_causes(d);
    fsd_diff_log(d);
    fsd_diff_precisions(d);
    count_cost(d, opt);
    fsd_diff_islands(d);
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
    if (!opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE, found no ENGINE");
    if (shares_stdin(opt))
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

/* The model's shapes, with no engine to tell any. */
static enum fsd_status shape_model(struct fsd_diff *d, const struct fsd_options *opt,
                                   struct fsd_error *err)
{
    enum fsd_status status = fsd_cost_bind_shapes(d, opt->shapes, opt->n_shapes, err);

    if (status != FSD_OK)
        return status;
    d->engine = fsd_graph_new(d->arena, d->names);
    fsd_graph_finish(d->engine);
    d->facts = fsd_facts_new(d->arena, d->model);
    d->match = fsd_match_new(d->arena, d->facts, d->engine, 0, NULL);
    fsd_cost_shapes(d);
    return FSD_OK;
}

static enum fsd_status dump(struct fsd_diff *d, const char *side,
                            const struct fsd_options *opt, FILE *out,
                            struct fsd_error *err)
{
    bool shapes = !strcmp(side, "shapes");
    bool model = shapes || !strcmp(side, "model"), log = !strcmp(side, "log");
    enum fsd_status status =
        log ? fsd_inputs_load_log(d, opt->log ? opt->log : opt->engine, err)
            : fsd_inputs_load_side(d, opt, model, err);

    if (status == FSD_OK && shapes)
        status = shape_model(d, opt, err);
    if (status != FSD_OK)
        return status;
    if (shapes)
        fsd_shapes_dump(d, out);
    else if (log)
        fsd_history_dump(d->history, out);
    else
        fsd_graph_dump(model ? d->model : d->engine, out);
    return flush(out, err);
}

/* What a side is read from; NULL: nothing was given. */
static const char *path_of(const char *side, const struct fsd_options *opt)
{
    if (!strcmp(side, "model") || !strcmp(side, "shapes"))
        return opt->model;
    return !strcmp(side, "log") && opt->log ? opt->log : opt->engine;
}

enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt, FILE *out,
                         struct fsd_error *err)
{
    struct fsd_diff *d;
    enum fsd_status status;

    if (strcmp(side, "model") != 0 && strcmp(side, "engine") != 0 &&
        strcmp(side, "log") != 0 && strcmp(side, "shapes") != 0)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected model, shapes, engine or log to dump, found '%s'",
                        side);
    if (!path_of(side, opt))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "no %s given to dump",
                        side);
    d = new_run();
    status = dump(d, side, opt, out, err);
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
