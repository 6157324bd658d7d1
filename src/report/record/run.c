/* The JSON of a run; include/fusiondiff/report.schema.json is generated from these
 * records. */
#include "explain/cost/cost.h"
#include "judge/findings/brief.h"
#include "report/record/records.h"

#include <limits.h>

/* -------------------------------------------------------------------------- inputs */

/* clang-format off */
#define MODEL(has, set, when, t) \
    set(t, NAME,   path, g->path, NULL, .always = true) \
    set(t, TEXT,   hash, fsd_hash_word(arena, g->hash), NULL, .always = true, \
        .pattern = FSD_HASH_PATTERN) \
    set(t, COUNT,  nodes, g->nodes.n, NULL, .always = true) \
    set(t, TEXT,   format, g->kind, NULL, .always = true) \
    set(t, NAME,   producer, fsd_text_or_null(d, g->producer), NULL) \
    set(t, NUMBER, ir_version, (double)g->ir_version, NULL) \
    set(t, FACTS,  opsets, opsets_of(arena, d), NULL, .about = "version by domain")
FSD_RECORD(model, MODEL)

#define SIZED_INPUT(has, set, when, t) \
    has(t, NAME,  input, NULL, .always = true) \
    has(t, SIZES, shape, NULL, .always = true)
FSD_RECORD(sized_input, SIZED_INPUT)

#define ENGINE_PART(has, set, when, t) \
    set(t, NAME,  path, part->path, NULL, .always = true) \
    set(t, COUNT, first, part->layers.at, NULL, .always = true, \
        .about = "its first layer") \
    set(t, COUNT, layers, part->layers.n, NULL, .always = true)
FSD_RECORD(engine_part, ENGINE_PART)

#define ENGINE(has, set, when, t) \
    set(t, NAME,  path, g->path, NULL, .always = true) \
    set(t, TEXT,  hash, fsd_hash_word(arena, g->hash), NULL, .always = true, \
        .pattern = FSD_HASH_PATTERN) \
    set(t, COUNT, layers, g->nodes.n, NULL, .always = true) \
    set(t, TEXT,  format, g->kind, NULL, .always = true) \
    set(t, NAME,  producer, fsd_text_or_null(d, g->producer), NULL) \
    set(t, FACTS, built, fsd_facts_of_built(arena, &g->built, d->names), NULL, \
        .about = "what the log states of the build: GPU, compute capability, " \
        "precision, calibration, options that were set") \
    when(t, COUNT, optimization_profile, g->profiles > 1, (uint64_t)g->profile, NULL, \
        .about = "the selected optimization profile, from 0") \
    when(t, COUNT, optimization_profiles, g->profiles > 1, g->profiles, NULL) \
    when(t, COUNT, layers_of_other_profiles, g->profiles > 1, g->elsewhere.n, NULL, \
        .about = "of other optimization profiles, not counted") \
    set(t, ROWS,  parts, parts_of(arena, g), NULL, .of = &engine_part_record, \
        .about = "several engines of one model; their layers follow one another") \
    set(t, ROWS,  tuned_for, sizes_of(arena, d, &d->cost->tuned), NULL, \
        .of = &sized_input_record, \
        .about = "dynamic inputs: the sizes that bytes and multiply-adds refer to") \
    set(t, ROWS,  run_with, sizes_of(arena, d, &d->cost->run_with), NULL, \
        .of = &sized_input_record, \
        .about = "the same, if the log states the sizes of its run")
FSD_RECORD(engine, ENGINE)

#define BUILD_LOG(has, set, when, t) \
    set(t, NAME,  path, h->path, NULL, .always = true) \
    set(t, COUNT, lines, h->lines, NULL, .always = true, .large = true) \
    set(t, COUNT, events, fsd_history_n_events(h), NULL, .always = true) \
    set(t, COUNT, unknown, h->unknown_lines, NULL, .always = true, .large = true, \
        .about = "lines of unknown form") \
    set(t, FLAG,  used, d->story || (!h->refused && (h->passes.n || h->places.n)), \
        NULL, .always = true, .about = "as evidence")
FSD_RECORD(build_log, BUILD_LOG)
/* clang-format on */

/* If a domain is imported twice, the first version counts. */
static struct fsd_fact_cells opsets_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d)
{
    bool *seen = FSD_NEW(arena, bool, fsd_intern_count(d->names));
    struct fsd_fact_cell *facts =
        FSD_NEW(arena, struct fsd_fact_cell, d->model->opsets.n);
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->model->opsets.n; i++) {
        struct fsd_opset opset = d->model->opsets.at[i];

        if (!seen[opset.domain])
            facts[n++] = (struct fsd_fact_cell){.key = fsd_text(d->names, opset.domain),
                                                .number = (double)opset.version};
        seen[opset.domain] = true;
    }
    return (struct fsd_fact_cells){true, n, facts};
}

static const struct model *model_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;
    struct model *row = FSD_NEW(arena, struct model, 1);

    FSD_FILL(row, MODEL);
    return row;
}

/* The input sizes on which all counts are based, if the model leaves them open. */
static const struct fsd_rows *sizes_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d,
                                       const fsd_tensor_vec *tensors)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &sized_input_record, "");

    for (uint32_t i = 0; i < tensors->n; i++) {
        fsd_id t = tensors->at[i];
        const struct fsd_shape *shape = fsd_shape_of(d->cost->sizes, t);
        struct fsd_size_cell *at = FSD_NEW(arena, struct fsd_size_cell, shape->rank);
        struct sized_input *row = fsd_rows_add(rows);

        row->input = fsd_text(d->names, d->model->tensors.at[t].name);
        for (uint32_t k = 0; k < shape->rank; k++)
            at[k].number = shape->dims[k];
        row->shape = (struct fsd_size_list){true, shape->rank, at};
    }
    return tensors->n ? rows : NULL;
}

static const struct fsd_rows *parts_of(struct fsd_arena *arena,
                                       const struct fsd_graph *g)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &engine_part_record, "");

    for (uint32_t i = 0; i < g->parts.n; i++) {
        const struct fsd_engine_part *part = &g->parts.at[i];
        FSD_ADD(rows, engine_part, ENGINE_PART);
    }
    return rows->at.n ? rows : NULL;
}

static const struct engine *engine_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->engine;
    struct engine *row = FSD_NEW(arena, struct engine, 1);

    FSD_FILL(row, ENGINE);
    return row;
}

static const struct build_log *log_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_history *h = d->history;
    struct build_log *row;

    if (!h)
        return NULL;
    row = FSD_NEW(arena, struct build_log, 1);
    FSD_FILL(row, BUILD_LOG);
    return row;
}

/* ------------------------------------------------------------------------- summary */

/* clang-format off */
#define COVERAGE(has, set, when, t) \
    set(t, COUNT, links, s->links, NULL, .always = true) \
    set(t, COUNT, inserted, s->inserted, NULL, .always = true) \
    when(t, COUNT, requested, s->requested, s->requested, NULL, \
        .about = "layers that move data as the model requires") \
    when(t, COUNT, opaque_layers, s->opaque, s->opaque, NULL, \
        .about = "regions whose kernels the engine does not state") \
    when(t, COUNT, opaque_nodes, s->hidden, s->hidden, NULL, \
        .about = "nodes in them, whose fusions and precisions are unknown") \
    when(t, COUNT, equal_choices, s->choices, s->choices, NULL, \
        .about = "nodes that one of several layers computes, and nothing decides " \
                 "which: in regions, and in no link") \
    set(t, COUNT, computing_layers, s->computing, NULL, .always = true) \
    set(t, COUNT, mapped_layers, s->mapped, NULL, .always = true, \
        .says = "{mapped_layers} of {computing_layers|computing layer|" \
        "computing layers}, {links|link|links}" \
        "<, {equal_choices|equal choice|equal choices}>")
FSD_RECORD(coverage, COVERAGE)

#define TIMES(has, set, when, t) \
    has(t, MS,     run,       NULL) \
    has(t, MS,     total,     NULL) \
    has(t, COUNT,  profiles,  NULL) \
    has(t, COUNT,  runs,      NULL, .large = true) \
    has(t, RECORD, totals,    NULL, .of = &fsd_spread_row_record, \
        .about = "of the sum of each profile; `total` is that of the layers' medians") \
    has(t, MS,     nodes,     NULL) \
    has(t, MS,     opaque,    NULL, \
        .about = "of regions whose kernels the engine does not state; no node has a " \
        "share of it") \
    has(t, MS,     inserted,  NULL) \
    has(t, MS,     elsewhere, NULL) \
    has(t, FACTS,  by_kind,   NULL) \
    has(t, FACTS,  by_cause,  NULL) \
    has(t, MS,     no_cause,  NULL) \
    has(t, FACTS,  by_op,     NULL, \
        .about = "the shares of nodes, by operator; they sum to `nodes`")
FSD_RECORD(times, TIMES)

#define SPENT_SUM(has, set, when, t) \
    set(t, COUNT,  layers, sum->layers, NULL, .always = true) \
    when(t, COUNT,  bytes, sum->unknown < sum->layers, (uint64_t)sum->bytes, NULL, \
        .large = true) \
    when(t, COUNT,  layers_of_unknown_bytes, sum->unknown, sum->unknown, NULL) \
    set(t, MS,     ms, sum->ms, NULL) \
    set(t, NUMBER, share, fsd_real_ms(sum->share), NULL, .about = "from 0 to 1")
FSD_RECORD(spent_sum, SPENT_SUM)

#define SPENT(has, set, when, t) \
    has(t, RECORD, compute,            NULL, .of = &spent_sum_record) \
    has(t, RECORD, requantization,     NULL, .of = &spent_sum_record) \
    has(t, RECORD, movement,           NULL, .of = &spent_sum_record) \
    has(t, RECORD, requested_movement, NULL, .of = &spent_sum_record) \
    has(t, RECORD, nothing,            NULL, .of = &spent_sum_record)
FSD_RECORD(spent, SPENT)

#define SUMMARY(has, set, when, t) \
    set(t, COUNT,  all_nodes, s->nodes, NULL, .aside = true) \
    set(t, COUNT,  all_layers, s->layers, NULL, .aside = true) \
    set(t, COUNT,  all_inserted, s->inserted, NULL, .aside = true) \
    set(t, COUNT,  moved, s->requested, NULL, .aside = true) \
    set(t, TALLY,  nodes, \
        fsd_tally(arena, s->by_fate, FSD__FATE_COUNT, 0, fsd_fate_name), NULL, \
        .always = true, .about = "by fate") \
    set(t, TALLY,  layers, \
        fsd_tally(arena, s->by_kind, FSD__KIND_COUNT, 0, fsd_kind_name), NULL, \
        .always = true, .about = "by kind") \
    set(t, TALLY,  inserted, \
        fsd_tally(arena, s->by_cause, FSD__CAUSE_COUNT, 0, fsd_cause_name), NULL, \
        .always = true, .about = "by cause") \
    set(t, TALLY,  links, fsd_tally(arena, s->by_evidence, \
        FSD_COUNT_OF(s->by_evidence), 0, fsd_evidence_name), \
        NULL, .always = true, .about = "by evidence") \
    set(t, TALLY,  findings, fsd_tally(arena, d->findings->by_severity, \
        FSD__SEVERITY_COUNT, 0, fsd_severity_name), \
        NULL, .always = true, .about = "by severity") \
    has(t, RECORD, coverage, NULL, .always = true, .of = &coverage_record) \
    has(t, RECORD, ms,       NULL, .of = &times_record) \
    has(t, RECORD, spent,    NULL, .of = &spent_record, .always = true, \
        .about = "time and bytes by class; a layer has one class; a share is of the " \
                 "engine's time or, without times, of all known bytes") \
    has(t, ROWS,   brief,    NULL, .of = &fsd_brief_line_record, .always = true, \
        .about = "the summary: what runs, where the time goes, what to do, what is " \
                 "unknown")
FSD_RECORD_SHARED(summary, SUMMARY)
/* clang-format on */

static const struct times *times_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_measured *t = d->times;
    const struct fsd_time_sums *sums = &d->cost->sums;
    struct fsd_fact_cell *by_op =
        FSD_NEW(arena, struct fsd_fact_cell, d->cost->op_times.n);
    struct times *row;

    if (!t->profiles && t->run.median < 0)
        return NULL;
    row = FSD_NEW(arena, struct times, 1);
    row->run = fsd_real_ms(t->run.median);
    if (!t->profiles)
        return row;
    row->total = fsd_real(t->total);
    row->profiles = fsd_count(t->profiles);
    if (t->runs)
        row->runs = fsd_count(t->runs);
    if (t->profiles > 1)
        row->totals = fsd_spread_held(arena, &t->totals);
    row->nodes = fsd_real(sums->nodes);
    if (d->summary->opaque)
        row->opaque = fsd_real(sums->opaque);
    row->inserted = fsd_real(sums->inserted);
    row->elsewhere = fsd_real(t->elsewhere);
    row->by_kind = fsd_facts_of(arena, sums->by_kind, FSD__KIND_COUNT, fsd_kind_name);
    row->by_cause =
        fsd_facts_of(arena, sums->by_cause, FSD__CAUSE_COUNT, fsd_cause_name);
    row->no_cause = fsd_real(sums->by_cause[FSD_CAUSE_NONE]);
    for (uint32_t i = 0; i < d->cost->op_times.n; i++) {
        by_op[i].key = fsd_text(d->names, d->cost->op_times.at[i].op);
        by_op[i].number = d->cost->op_times.at[i].ms;
    }
    row->by_op = (struct fsd_fact_cells){true, d->cost->op_times.n, by_op};
    return row;
}

/* The sum of a class of layers; a class without layers is left out. */
static const struct spent_sum *spent_sum_of(struct fsd_arena *arena,
                                            const struct fsd_diff *d, enum fsd_spent i)
{
    const struct fsd_spent_sum *sum = &d->cost->spent[i];
    struct spent_sum *row;

    if (!sum->layers)
        return NULL;
    row = FSD_NEW(arena, struct spent_sum, 1);
    FSD_FILL(row, SPENT_SUM);
    return row;
}

static const struct spent *spent_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct spent *row = FSD_NEW(arena, struct spent, 1);

    row->compute = spent_sum_of(arena, d, FSD_SPENT_COMPUTE);
    row->requantization = spent_sum_of(arena, d, FSD_SPENT_REQUANTIZE);
    row->movement = spent_sum_of(arena, d, FSD_SPENT_MOVEMENT);
    row->requested_movement = spent_sum_of(arena, d, FSD_SPENT_REQUESTED);
    row->nothing = spent_sum_of(arena, d, FSD_SPENT_NOTHING);
    return row;
}

const void *fsd_summary_held(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_summary *s = d->summary;
    struct summary *row = FSD_NEW(arena, struct summary, 1);
    struct fsd_brief brief = fsd_brief_of(arena, d);
    struct coverage *coverage;

    FSD_FILL(row, SUMMARY);
    row->coverage = coverage = FSD_NEW(arena, struct coverage, 1);
    FSD_FILL(coverage, COVERAGE);
    row->ms = times_of(arena, d);
    row->spent = spent_of(arena, d);
    row->brief = fsd_brief_rows(arena, &brief);
    return row;
}

/* ------------------------------------------------------------- scopes and regions */

/* clang-format off */
#define SCOPE(has, set, when, t) \
    set(t, COUNT, index, i + 1, NULL, .always = true) \
    set(t, COUNT, owner, scope->owner, NULL, .always = true) \
    set(t, NAME,  label, fsd_text(d->names, scope->label), NULL, .always = true)
FSD_RECORD(scope, SCOPE)

#define REGION(has, set, when, t) \
    has(t, IDS, layers, NULL, .always = true) \
    has(t, IDS, nodes,  NULL, .always = true) \
    has(t, FLAG, equal, NULL, \
        .about = "the layers are alike, and so are the nodes: nothing decides")
FSD_RECORD(region, REGION)
/* clang-format on */

/* The first scope is the whole model and has no row. */
static void fill_scope(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_diff *d = ((const struct fsd_run_source *)from)->d;
    const struct fsd_scope *scope = &d->model->scopes.at[i + 1];
    struct scope *row = out;

    (void)arena;
    FSD_FILL(row, SCOPE);
}

static void fill_region(struct fsd_arena *arena, void *out, const void *from,
                        uint32_t i)
{
    const struct fsd_match *match = ((const struct fsd_run_source *)from)->d->match;
    const struct fsd_region *region = &match->regions.at[i];
    struct region *row = out;

    (void)arena;
    row->layers = fsd_ids_of_span(match->pool.at, region->layers);
    row->nodes = fsd_ids_of_span(match->pool.at, region->nodes);
    if (region->equal)
        row->equal = fsd_flag(true);
}

/* ------------------------------------------------------------------------ document */

static const char *schema_name(unsigned i)
{
    (void)i;
    return FSD_SCHEMA;
}

/* clang-format off */
#define REPORT(has, set, when, t) \
    set(t, TEXT,   schema, FSD_SCHEMA, NULL, .always = true, .word = schema_name, \
        .n_words = 1) \
    set(t, RECORD, tool, fsd_tool(arena), NULL, .of = &fsd_tool_record, \
        .always = true) \
    set(t, RECORD, model, model_of(arena, d), NULL, .of = &model_record, \
        .always = true) \
    set(t, RECORD, engine, engine_of(arena, d), NULL, .of = &engine_record, \
        .always = true) \
    set(t, RECORD, log, log_of(arena, d), NULL, .of = &build_log_record) \
    set(t, RECORD, summary, fsd_summary_held(arena, d), NULL, \
        .of = &fsd_summary_record, \
        .always = true) \
    set(t, RECORD, values, fsd_values_held(arena, d), NULL, .of = &fsd_values_record, \
        .about = "external numbers (--values); those of a layer or node are there") \
    set(t, ROWS,   layers, fsd_rows_later(arena, &fsd_layer_record, \
        d->engine->nodes.n, fsd_fill_layer, from), \
        "Layers and their nodes", .of = &fsd_layer_record, .always = true) \
    set(t, ROWS,   vanished, fsd_rows_without_layer(arena, from), \
        "Nodes without a layer", .of = &fsd_layer_record, .aside = true) \
    has(t, ROWS,   nodes,    NULL, .of = &fsd_node_record, .always = true) \
    has(t, ROWS,   scopes,   NULL, .of = &scope_record, \
        .about = "bodies of control flow and functions, without the model itself") \
    has(t, ROWS,   regions,  NULL, .of = &region_record, \
        .about = "layers and nodes for which no evidence shows which computes which") \
    has(t, ROWS,   findings, NULL, .of = &fsd_finding_record, .always = true)
FSD_RECORD(report, REPORT)
/* clang-format on */

const struct fsd_run_source *fsd_run_source_of(struct fsd_arena *arena,
                                               const struct fsd_diff *d)
{
    struct fsd_run_source *from = FSD_NEW(arena, struct fsd_run_source, 1);

    *from = (struct fsd_run_source){d, fsd_cost_scopes(arena, d, UINT_MAX)};
    return from;
}

void fsd_document_of_run(struct fsd_sheet *sheet, const struct fsd_diff *d)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_run_source *from = fsd_run_source_of(arena, d);
    struct report *row;

    sheet->name = "diff";
    fsd_sheet_take_values(sheet, d);
    row = fsd_sheet_begin(sheet, FSD_SCHEMA, &report_record, NULL, "");
    FSD_FILL(row, REPORT);
    row->nodes =
        fsd_rows_later(arena, &fsd_node_record, d->model->nodes.n, fsd_fill_node, from);
    if (d->model->scopes.n > 1)
        row->scopes = fsd_rows_later(arena, &scope_record, d->model->scopes.n - 1,
                                     fill_scope, from);
    if (d->match->regions.n)
        row->regions = fsd_rows_later(arena, &region_record, d->match->regions.n,
                                      fill_region, from);
    row->findings = fsd_rows_later(arena, &fsd_finding_record, d->findings->list.n,
                                   fsd_fill_finding, d->findings);
}

/* --------------------------------------------------------------------- one of many */

/* clang-format off */
#define PAIR(has, set, when, t) \
    has(t, NAME,   pair,     NULL, .always = true, \
        .about = "as in the list, or the directory") \
    has(t, TALLY,  findings, NULL, .about = "how many are in the report") \
    has(t, RECORD, report,   NULL, .about = "after report.schema.json") \
    has(t, RECORD, error,    NULL, .of = &fsd_failure_record, \
        .about = "why there is no report")
FSD_RECORD(pair, PAIR)
/* clang-format on */

void fsd_document_of_pair(struct fsd_sheet *sheet, const char *name,
                          const struct fsd_diff *d, const struct fsd_error *error)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows *root = fsd_rows_new(arena, &pair_record, "");
    struct pair *row = fsd_rows_add(root);
    struct fsd_intern *names = fsd_intern_new(arena); /* converts any name to UTF-8 */

    row->pair = name ? fsd_text(names, fsd_intern_str(names, name)) : NULL;
    if (d) {
        row->findings = fsd_tally(arena, d->findings->by_severity, FSD__SEVERITY_COUNT,
                                  0, fsd_severity_name);
        fsd_document_of_run(sheet, d);
        row->report = sheet->root;
    } else if (error) {
        row->error = fsd_failure_of(arena, error);
    }
    sheet->schema = "fusiondiff-pair/1";
    sheet->root = root;
}
