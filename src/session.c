/*
 * A run, as the table of its stages.  The names of the model are interned before the
 * engine is read, since the engine's layer names can only be taken apart by somebody
 * who knows them.
 */
#include "base/print.h"
#include "base/status.h"
#include "command.h"
#include "cost/cost.h"
#include "diff/diff.h"
#include "engine/reader.h"
#include "findings/findings.h"
#include "inputs.h"
#include "match/story.h"
#include "model/graph.h"
#include "report/report.h"
#include "states.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------- the stages */

/* What a stage is given: the parts of the run that it reads, a blank run for the part
 * that it makes, and the user's word. */
struct desk {
    const struct fsd_diff *d;
    struct fsd_diff *made;
    const struct fsd_options *opt;
    struct fsd_error *err;
};

static unsigned evidence_of(const struct fsd_options *opt)
{
    return opt->evidence ? opt->evidence : FSD_BY_ALL;
}

/* A log of another build tells nothing of this engine, and one that holds no more than
 * the engine's layers tells nothing beside their names. */
static struct fsd_story *replay_log(struct fsd_inputs *in,
                                    const struct fsd_options *opt)
{
    struct fsd_story *story;

    if (!in->history || in->history->refused || !in->history->events.n ||
        !(evidence_of(opt) & FSD_BY_LOG))
        return NULL;
    story = fsd_story_new(in->arena, in->history, in->model, in->vocab);
    fsd_story_correct(story, in->engine);
    return story;
}

static enum fsd_status read_inputs(const struct desk *k)
{
    struct fsd_inputs *in = FSD_NEW(k->d->arena, struct fsd_inputs, 1);
    struct fsd_options opt = *k->opt;
    fsd_profile_vec profiles = {0};
    enum fsd_status status;

    fsd_inputs_settle(&opt);
    in->arena = k->d->arena;
    in->names = k->d->names;
    status = fsd_inputs_load(in, &opt, k->err);
    if (status == FSD_OK)
        status = fsd_profiles_load(in, &opt, &profiles, k->err);
    if (status == FSD_OK)
        status = fsd_run_times_load(in, &opt, k->err);
    if (status != FSD_OK)
        return fsd_inputs_blame(k->opt, status, k->err);
    k->made->story = replay_log(in, &opt);
    fsd_measure(&in->times, in->engine, profiles.at, profiles.n);
    k->made->model = in->model;
    k->made->engine = in->engine;
    k->made->history = in->history;
    k->made->times = &in->times;
    k->made->command = fsd_command_new(in->arena, in->names, k->opt);
    return FSD_OK;
}

/* A pair belongs together when most of the names that could be the model's are.  Two
 * exports of one network share some names by chance ("Conv_9"), so some is not enough.
 */
static enum fsd_status check_fit(const struct desk *k)
{
    struct fsd_fit fit = fsd_match_fit(k->d->match);
    const struct fsd_graph *engine = k->d->engine;
    const char *whose = fsd_profiles_added(engine) ? "its layers, some of them told by "
                                                     "the profile only,"
                                                   : "its layers";
    char bindings[80] = "";

    if (k->opt->force || !k->opt->model ||
        2 * (fit.names_found + fit.tensors_found) >= fit.names + fit.tensors)
        return FSD_OK;
    if (fit.tensors)
        snprintf(bindings, sizeof bindings, " and %u of its %u inputs and outputs",
                 fit.tensors_found, fit.tensors);
    return fsd_fail(k->err, FSD_E_MISMATCH, engine->path, FSD_POS_NONE, 0,
                    "expected an engine built from %s, but only %u of the %u names in "
                    "%s%s are that model's (--force goes on all the same)",
                    k->d->model->path, fit.names_found, fit.names, whose, bindings);
}

static enum fsd_status make_cost(const struct desk *k)
{
    return fsd_cost_new(&k->made->cost, k->d, k->opt, k->err);
}

/* A stage that makes one part of what it is given, and cannot fail. */
#define STAGE(part, call)                                                              \
    static enum fsd_status make_##part(const struct desk *k)                           \
    {                                                                                  \
        const struct fsd_diff *d = k->d;                                               \
                                                                                       \
        k->made->part = call;                                                          \
        return FSD_OK;                                                                 \
    }
STAGE(facts, fsd_facts_new(d->arena, d->model))
STAGE(match,
      fsd_match_new(d->arena, d->facts, d->engine, evidence_of(k->opt), d->story))
STAGE(layers, fsd_diff_layers(d))
STAGE(flows, fsd_diff_flows(d))
STAGE(reasons, fsd_diff_reasons(d))
STAGE(nodes, fsd_diff_nodes(d))
STAGE(islands, fsd_diff_islands(d))
STAGE(summary, fsd_diff_summary(d))
STAGE(findings, fsd_find(d))

/* The parts of a run, each a pointer in it, as bits. */
#define PART(member) (1U << offsetof(struct fsd_diff, member) / sizeof(void *))
enum {
    MODEL = PART(model),
    ENGINE = PART(engine),
    LOG = PART(history),
    STORY = PART(story),
    TIMES = PART(times),
    COMMAND = PART(command),
    FACTS = PART(facts),
    MATCH = PART(match),
    LAYERS = PART(layers),
    FLOWS = PART(flows),
    REASONS = PART(reasons),
    NODES = PART(nodes),
    ISLANDS = PART(islands),
    SUMMARY = PART(summary),
    COST = PART(cost),
    FINDINGS = PART(findings)
};
#define GRAPHS (MODEL | ENGINE)
#define PROOFS (GRAPHS | FACTS | MATCH)
#define SAID   (LOG | STORY)

/* A run.  A stage is given the parts that its row says it reads, and nothing else of
 * what it makes is kept than its row says: what is written here is so. */
static const struct stage {
    const char *announced; /* to whoever waits; NULL: it goes with the one before */
    unsigned reads, makes;
    enum fsd_status (*work)(const struct desk *k);
} stages[] = {
    {NULL, 0, GRAPHS | SAID | TIMES | COMMAND, read_inputs},
    {"proving facts", MODEL, FACTS, make_facts},
    {"matching", GRAPHS | STORY | FACTS, MATCH, make_match},
    {NULL, GRAPHS | MATCH, 0, check_fit},
    {"explaining", PROOFS, LAYERS, make_layers},
    {NULL, PROOFS | LAYERS, FLOWS, make_flows},
    {NULL, PROOFS | SAID | TIMES | LAYERS | FLOWS, REASONS, make_reasons},
    {NULL, PROOFS | SAID | LAYERS, NODES, make_nodes},
    {NULL, PROOFS | TIMES | LAYERS | FLOWS | NODES, ISLANDS, make_islands},
    {NULL, PROOFS | LAYERS | REASONS | NODES, SUMMARY, make_summary},
    {NULL, PROOFS | LOG | TIMES | LAYERS | FLOWS | REASONS | NODES, COST, make_cost},
    {NULL, PROOFS | SAID | TIMES | LAYERS | FLOWS | REASONS | NODES | ISLANDS | COST,
     FINDINGS, make_findings},
};

/* Copies the parts of `which`; all others stay as they are. */
static void copy_parts(struct fsd_diff *to, const struct fsd_diff *from, unsigned which)
{
    for (size_t at = 0; at < sizeof *to; at += sizeof(void *))
        if (which >> at / sizeof(void *) & 1)
            memcpy((char *)to + at, (const char *)from + at, sizeof(void *));
}

/* A stage reads what stands above it in the table, and every part is made once. */
static enum fsd_status run(struct fsd_diff *d, const struct fsd_options *opt,
                           struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    unsigned there = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(stages) && status == FSD_OK; i++) {
        const struct stage *stage = &stages[i];
        struct fsd_diff read = {.arena = d->arena, .names = d->names}, made = {0};

        assert(!(stage->reads & ~there) && !(stage->makes & there));
        if (stage->announced && opt->progress)
            opt->progress(opt->payload, stage->announced);
        copy_parts(&read, d, stage->reads);
        status = stage->work(&(struct desk){&read, &made, opt, err});
        copy_parts(d, &made, stage->makes);
        there |= stage->makes;
    }
    (void)there; /* assertions alone read it */
    return status;
}

enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err)
{
    const char *const paths[] = {opt->model, opt->engine, opt->log};
    unsigned from_stdin = 0;
    struct fsd_arena *arena;
    struct fsd_diff *d;
    enum fsd_status status;

    *out = NULL;
    for (size_t i = 0; i < FSD_COUNT_OF(paths); i++)
        from_stdin += paths[i] && !strcmp(paths[i], "-");
    if (from_stdin > 1)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "only one input can be standard input");
    arena = fsd_arena_new();
    d = FSD_NEW(arena, struct fsd_diff, 1);
    d->arena = arena;
    d->names = fsd_intern_new(arena);
    status = run(d, opt, err);
    if (status == FSD_OK)
        *out = d;
    else
        fsd_diff_free(d);
    return status;
}

enum fsd_status fsd_diff_open(struct fsd_diff **out, const struct fsd_options *opt,
                              struct fsd_error *err)
{
    *out = NULL;
    if (!opt->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE, found no ENGINE");
    return fsd_run_open(out, opt, err);
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

    return fsd_report_write(&report, format, out, err);
}

/* The model's shapes, with no engine to tell any. */
static enum fsd_status dump_shapes(const struct fsd_inputs *in,
                                   const struct fsd_options *opt, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_graph *none = fsd_graph_new(in->arena, in->names);
    struct fsd_diff d = {.arena = in->arena, .names = in->names, .model = in->model};
    enum fsd_status status;

    fsd_graph_finish(none);
    d.engine = none;
    d.facts = fsd_facts_new(d.arena, d.model);
    d.match = fsd_match_new(d.arena, d.facts, d.engine, 0, NULL);
    status = fsd_cost_new(&d.cost, &d, opt, err);
    if (status == FSD_OK)
        fsd_sizes_dump(d.cost->sizes, out);
    return status;
}

enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt, FILE *out,
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
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "no %s given to dump",
                        side);
    in.arena = fsd_arena_new();
    in.names = fsd_intern_new(in.arena);
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
        if (status == FSD_OK)
            status = fsd_flush(out, err);
    }
    fsd_arena_free(in.arena);
    return status;
}

enum fsd_status fsd_about(const char *format, const struct fsd_style *style, FILE *out,
                          struct fsd_error *err)
{
    /* Of each reader its name, then what it reads: the report knows no readers. */
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
