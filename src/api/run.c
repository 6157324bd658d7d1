/*
 * Computes a run, stage by stage. The model is read before the engine, because the
 * engine's layer names can only be parsed with the names of the model.
 */
#include "base/base.h"
#include "base/lines.h"
#include "api/command.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "read/engine/reader.h"
#include "judge/findings/findings.h"
#include "api/inputs.h"
#include "match/story.h"
#include "model/graph/graph.h"
#include "report/subject/subject.h"
#include "api/states.h"

/* --------------------------------------------------------------------- the inputs */

static unsigned evidence_of(const struct fsd_options *opt)
{
    return opt->evidence ? opt->evidence : FSD_BY_ALL;
}

/* Replays the log if it can be evidence. A log of another build is no evidence about
 * this engine. A log that only lists the engine's layers states nothing more than their
 * names. */
static struct fsd_story *replay_log(struct fsd_inputs *in,
                                    const struct fsd_options *opt)
{
    struct fsd_story *story;

    if (!in->history || in->history->refused || !fsd_history_n_events(in->history) ||
        !(evidence_of(opt) & FSD_BY_LOG))
        return NULL;
    story = fsd_story_new(in->arena, in->history, in->model, in->vocab);
    fsd_story_correct(story, in->engine);
    return story;
}

static enum fsd_status read_inputs(struct fsd_diff *d, const struct fsd_options *given,
                                   const struct fsd_engines *engines,
                                   struct fsd_error *err)
{
    struct fsd_inputs *in = FSD_NEW(d->arena, struct fsd_inputs, 1);
    struct fsd_options opt = *given;
    fsd_profile_vec profiles = {0};
    enum fsd_status status;

    fsd_inputs_settle(&opt);
    in->arena = d->arena;
    in->names = d->names;
    in->engines = engines;
    status = fsd_inputs_load(in, &opt, err);
    if (status == FSD_OK && opt.n_parts) {
        status = fsd_parts_load(in, &opt, err);
    } else if (status == FSD_OK) {
        status = fsd_profiles_load(in, &opt, &profiles, err);
        if (status == FSD_OK)
            fsd_measure(&in->times, in->engine, profiles.at, profiles.n);
    }
    FSD_THEN(status, fsd_run_times_load(in, &opt, err));
    FSD_THEN(status, fsd_numbers_load(in, &opt, &d->numbers, err));
    if (status != FSD_OK)
        return fsd_inputs_blame(given, status, err);
    d->story = replay_log(in, &opt);
    d->model = in->model;
    d->engine = in->engine;
    d->history = in->history;
    d->times = &in->times;
    d->command = fsd_command_new(in->arena, in->names, given);
    return FSD_OK;
}

/* Refuses an engine of another network whose nodes have the same names, such as a
 * larger network of the same family. In a right engine, most layers have as many
 * weights as their nodes. The engine is refused if this is wrong for more than half of
 * the compared layers, and for at least two. */
static enum fsd_status check_weights(const struct fsd_match *match,
                                     const struct fsd_fit *fit, struct fsd_error *err)
{
    const struct fsd_graph *engine = match->engine;

    if (fit->weights_unlike < 2 || 2 * fit->weights_unlike <= fit->weighted)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, engine->path, FSD_POS_NONE, 0,
        "expected an engine built from %s, but %u of %u layers have a different "
        "number of weights than their nodes in that model: for example, layer %u has "
        "%llu weights, but its node '%.100s' has %lld (--force continues)",
        match->model->path, fit->weights_unlike, fit->weighted, fit->heavy.layer,
        (unsigned long long)engine->layers.at[fit->heavy.layer].weights,
        fsd_text(match->model->names, match->model->nodes.at[fit->heavy.node].name),
        (long long)fit->heavy.count);
}

/* Checks that model and engine belong together: the model must have most of the node
 * names in the engine. A few common names are not enough, because two exports may have
 * names such as "Conv_9" by chance. */
static enum fsd_status check_fit(const struct fsd_match *match,
                                 const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_fit fit = fsd_match_fit(match);
    const struct fsd_graph *engine = match->engine;
    const char *whose = fsd_profiles_added(engine)
                            ? "its layers (some layers are only in the profile)"
                            : "its layers";
    const char *found;
    char bindings[80] = "";

    if (opt->force || !opt->model || match->inferred)
        return FSD_OK;
    if (2 * (fit.names_found + fit.tensors_found) >= fit.names + fit.tensors)
        return check_weights(match, &fit, err);
    found = fsd_inputs_by_profile(opt) ? "found a profile with other names;" : "but";
    if (fit.tensors)
        snprintf(bindings, sizeof bindings, " and %u of its %u inputs and outputs",
                 fit.tensors_found, fit.tensors);
    return fsd_fail(err, FSD_E_MISMATCH, engine->path, FSD_POS_NONE, 0,
                    "expected an engine built from %s, %s only %u of the %u names in "
                    "%s%s are in that model (--force continues)",
                    match->model->path, found, fit.names_found, fit.names, whose,
                    bindings);
}

/* --------------------------------------------------------------------- the stages */

/* The error limit of --values: from the options, or 1 %. FP16 rounding stays below 1 %,
 * and visible errors in outputs are larger. */
static double values_limit(const struct fsd_options *opt)
{
    return opt->values_limit > 0 ? opt->values_limit : 0.01;
}

/* Each stage declares a const variable for its result. A stage that is moved before the
 * stages that compute its inputs therefore does not compile. */
enum fsd_status fsd_run_explain(struct fsd_diff *d, const struct fsd_options *opt,
                                struct fsd_error *err)
{
    const struct fsd_measured *const times = d->times;
    const struct fsd_known_sizes *sizes;
    enum fsd_status status;

    fsd_announce(opt, "proving facts");
    const struct fsd_facts *const facts = d->facts = fsd_facts_new(d->arena, d->model);

    fsd_announce(opt, "matching");
    const struct fsd_match *const match = d->match =
        fsd_match_new(d->arena, facts, d->engine, evidence_of(opt), d->story);

    status = check_fit(match, opt, err);
    if (status != FSD_OK)
        return status;

    fsd_announce(opt, "explaining");
    const struct fsd_parts *const parts = d->parts = fsd_diff_parts(match);
    const struct fsd_layer_result *const layers = d->layers = fsd_diff_layers(match);
    const enum fsd_dtype *const computed = d->computed =
        fsd_diff_computed(match, layers);
    const struct fsd_flows *const flows = d->flows = fsd_diff_flows(match, layers);
    const struct fsd_reason *const reasons = d->reasons =
        fsd_diff_reasons(match, times, layers, flows);
    const struct fsd_node_result *const nodes = d->nodes =
        fsd_diff_nodes(match, parts, layers, computed);

    d->products = fsd_diff_products(match, layers, nodes);
    d->islands = fsd_diff_islands(match, times, layers, computed, flows, nodes);
    d->summary = fsd_diff_summary(match, layers, reasons, nodes);
    status = fsd_cost_sizes(&sizes, match, d->history, opt, err);
    if (status != FSD_OK)
        return status;
    d->cost = fsd_cost_new(match, sizes, times, layers, flows, reasons, nodes, opt);
    if (d->numbers)
        status = fsd_values_join(&d->values, d->numbers, values_limit(opt), match,
                                 flows, err);
    if (status != FSD_OK)
        return status;
    fsd_find(&d->findings, d, !opt->uncited);
    return FSD_OK;
}

static enum fsd_status open_run(struct fsd_diff **out, const struct fsd_options *opt,
                                const struct fsd_engines *engines,
                                struct fsd_error *err)
{
    const char *const paths[] = {opt->model, opt->engine, opt->log};
    unsigned from_stdin = 0;
    struct fsd_arena *arena;
    struct fsd_diff *d;
    enum fsd_status status;

    *out = NULL;
    status = fsd_expect_options(opt, err);
    if (status != FSD_OK)
        return status;
    for (size_t i = 0; i < FSD_COUNT_OF(paths); i++)
        from_stdin += paths[i] && !strcmp(paths[i], "-");
    for (unsigned i = 1; i < opt->n_parts; i++)
        from_stdin += !strcmp(opt->parts[i], "-");
    if (from_stdin > 1)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "only one input can be standard input");
    FSD_GUARD(err);
    arena = fsd_arena_new();
    d = FSD_NEW(arena, struct fsd_diff, 1);
    d->arena = arena;
    d->names = fsd_op_names_new(arena);
    status = read_inputs(d, opt, engines, err);
    FSD_THEN(status, fsd_run_explain(d, opt, err));
    if (status == FSD_OK)
        *out = d;
    else
        fsd_diff_free(d);
    return status;
}

enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err)
{
    struct fsd_options uncited = *opt;

    uncited.uncited = true;
    return open_run(out, &uncited, NULL, err);
}

enum fsd_status fsd_engines_diff(struct fsd_diff **out,
                                 const struct fsd_engines *engines,
                                 const struct fsd_options *opt, struct fsd_error *err)
{
    *out = NULL;
    if (!opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE, found no ENGINE");
    return open_run(out, opt, engines, err);
}

enum fsd_status fsd_diff_open(struct fsd_diff **out, const struct fsd_options *opt,
                              struct fsd_error *err)
{
    return fsd_engines_diff(out, NULL, opt, err);
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
        n += diff->findings->by_severity[s];
    return n;
}

enum fsd_status fsd_diff_write(const struct fsd_diff *diff, const char *format,
                               const struct fsd_style *style, FILE *out,
                               struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = FSD_OF_RUN, .run = diff, .style = style};

    return fsd_report_write(&report, format, out, err);
}

enum fsd_status fsd_diff_view(const struct fsd_diff *diff, const char *view,
                              const struct fsd_query *query, const char *format,
                              const struct fsd_style *style, FILE *out,
                              struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_VIEW,
                                      .run = diff,
                                      .view = view,
                                      .query = query,
                                      .style = style};
    enum fsd_status status = fsd_expect_query(query, err);

    return status == FSD_OK ? fsd_report_write(&report, format, out, err) : status;
}

/* Writes the shapes of the model. Needs no engine. */
static enum fsd_status dump_shapes(const struct fsd_inputs *in,
                                   const struct fsd_options *opt, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_graph *none = fsd_graph_new(in->arena, in->names);
    const struct fsd_facts *facts = fsd_facts_new(in->arena, in->model);
    const struct fsd_known_sizes *known;
    enum fsd_status status;

    fsd_graph_finish(none);
    status = fsd_cost_sizes(&known, fsd_match_new(in->arena, facts, none, 0, NULL),
                            NULL, opt, err);
    if (status == FSD_OK)
        fsd_sizes_dump(known->sizes, out);
    return status;
}

static enum fsd_status dump(const char *side, const struct fsd_options *opt, FILE *out,
                            struct fsd_error *err)
{
    bool shapes = !strcmp(side, "shapes"), log = !strcmp(side, "log");
    bool model = shapes || !strcmp(side, "model");
    const char *path = model ? opt->model : log && opt->log ? opt->log : opt->engine;
    struct fsd_inputs in = {0};
    struct fsd_lines lines = {.to = out, .escape = "\\u{%x}"};
    enum fsd_status status;

    if (!model && !log && strcmp(side, "engine") != 0)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected model, shapes, engine or log to dump, found '%s'",
                        side);
    if (!path)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a file to dump as the %s, found none", side);
    in.arena = fsd_arena_new();
    in.names = fsd_op_names_new(in.arena);
    status = log ? fsd_inputs_load_log(&in, path, err)
                 : fsd_inputs_load_side(&in, opt, model, err);
    if (status == FSD_OK) {
        fsd_lines_open(&lines);
        if (shapes)
            status = dump_shapes(&in, opt, lines.print.out, err);
        else if (log)
            fsd_history_dump(in.history, lines.print.out);
        else
            fsd_graph_dump(model ? in.model : in.engine, lines.print.out);
        fsd_lines_close(&lines);
        FSD_THEN(status, fsd_flush(out, err));
    }
    fsd_arena_free(in.arena);
    return status;
}

enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt, FILE *out,
                         struct fsd_error *err)
{
    FSD_GUARD(err);
    return dump(side, opt, out, err);
}

enum fsd_status fsd_about(const char *format, const struct fsd_style *style, FILE *out,
                          struct fsd_error *err)
{
    /* Pairs of words: the name of a reader, then a kind of file that it reads. The view
     * "about" expects such pairs in query.words; other views expect names of nodes. */
    const char *words[64];
    struct fsd_query query = {.words = words};
    const struct fsd_report report = {
        .subject = FSD_OF_VIEW, .view = "about", .query = &query, .style = style};
    const struct fsd_engine_reader *reader;

    for (unsigned i = 0; (reader = fsd_reader_at(i)); i++)
        for (const char *const *reads = reader->reads;
             *reads && query.n_words + 2 <= FSD_COUNT_OF(words); reads++) {
            words[query.n_words++] = reader->name;
            words[query.n_words++] = *reads;
        }
    return fsd_report_write(&report, format, out, err);
}
