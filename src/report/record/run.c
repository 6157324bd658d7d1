/* The JSON of a run. tests/golden/schemas.py generates
 * include/fusiondiff/report.schema.json from these records. */
#include "explain/cost/cost.h"
#include "judge/findings/brief.h"
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"

#include <limits.h>

enum { SHOWN_OPS = 6 };

static const double LEAST_SHARE = 0.01; /* text lists no operators with a smaller share
                                           of the time */

/* -------------------------------------------------------------------------- inputs */

/* The opset version of each domain that the model imports. If it imports a domain
 * twice, the first version counts. */
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

/* clang-format off */
#define MODEL(has, set, when, t) \
    set(t, NAME,   path, g->path, FSD_ALWAYS) \
    set(t, TEXT,   hash, fsd_hash_word(arena, g->hash), FSD_ALWAYS, \
        .pattern = FSD_HASH_PATTERN) \
    set(t, COUNT,  nodes, g->nodes.n, FSD_ALWAYS) \
    set(t, TEXT,   format, g->kind, FSD_ALWAYS) \
    set(t, NAME,   producer, fsd_text_or_null(d, g->producer), NULL) \
    set(t, NUMBER, ir_version, (double)g->ir_version, NULL) \
    set(t, FACTS,  opsets, opsets_of(arena, d), NULL, .about = "version of each " \
            "operator set, by domain") \
    when(t, NAME,  file, !g->named_only, g->path, FSD_ASIDE) \
    when(t, TEXT,  no_file, g->named_only, \
        "none  (the nodes come from names in the engine)", FSD_ASIDE) \
    when(t, COUNT, opset, fsd_graph_opset(g) > 0, (uint64_t)fsd_graph_opset(g), \
        FSD_ASIDE)
FSD_RECORD_FROM(model, MODEL, const struct fsd_diff *d = from;
    const struct fsd_graph *g = d->model)

#define SIZED_INPUT(has, set, when, t) \
    has(t, NAME,  input, FSD_ALWAYS) \
    has(t, SIZES, shape, FSD_ALWAYS)
FSD_RECORD(sized_input, SIZED_INPUT)
/* clang-format on */

/* Returns a row for each of these inputs with dynamic sizes: its name, and the sizes
 * that all counts assume. Returns NULL if there are none. */
static const struct fsd_rows *sizes_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d,
                                       const fsd_tensor_vec *tensors)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &sized_input_record, "{input}={shape}");

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
    return tensors->n ? fsd_rows_joined(rows, ", ") : NULL;
}

/* clang-format off */
#define ENGINE_PART(has, set, when, t) \
    set(t, NAME,  path, part->path, FSD_ALWAYS) \
    set(t, COUNT, first, part->layers.at, FSD_ALWAYS, \
        .about = "number of the engine's first layer") \
    set(t, COUNT, layers, part->layers.n, FSD_ALWAYS) \
    when(t, COUNT, nodes, d->parts->known, d->parts->nodes[i], FSD_ASIDE)
FSD_RECORD_FROM(engine_part, ENGINE_PART, const struct fsd_diff *d = from;
    const struct fsd_engine_part *part = &d->engine->parts.at[i])

#define ENGINE(has, set, when, t) \
    set(t, NAME,  path, g->path, FSD_ALWAYS) \
    set(t, TEXT,  hash, fsd_hash_word(arena, g->hash), FSD_ALWAYS, \
        .pattern = FSD_HASH_PATTERN) \
    set(t, COUNT, layers, g->nodes.n, FSD_ALWAYS) \
    set(t, TEXT,  format, g->kind, FSD_ALWAYS) \
    set(t, NAME,  producer, fsd_text_or_null(d, g->producer), NULL) \
    when(t, COUNT, opset, fsd_graph_opset(g) > 0, (uint64_t)fsd_graph_opset(g), \
        FSD_ASIDE) \
    set(t, FACTS, built, fsd_facts_of_built(arena, &g->built, d->names), NULL, \
        .about = "what the log states of the build: GPU, compute capability, " \
        "precision, calibration, options that were set") \
    when(t, COUNT, optimization_profile, g->profiles > 1, (uint64_t)g->profile, NULL, \
        .about = "number of the selected optimization profile, from 0") \
    when(t, COUNT, optimization_profiles, g->profiles > 1, g->profiles, NULL) \
    when(t, COUNT, last_profile, g->profiles > 1, g->profiles - 1, FSD_ASIDE) \
    when(t, COUNT, layers_of_other_profiles, g->profiles > 1, g->elsewhere.n, NULL, \
        .about = "number of layers that belong to other optimization profiles; the " \
                 "report omits these layers") \
    when(t, COUNT, n_parts, g->parts.n, g->parts.n, FSD_ASIDE) \
    when(t, ROWS,  parts, g->parts.n, fsd_rows_joined(FSD_ROWS(arena, engine_part, \
        "<{nodes|node|nodes} in >{layers|layer|layers}", g->parts.n, d), ", "), \
        NULL, .of = &engine_part_record, \
        .about = "the engines, if several compute one model; `layers` lists all " \
                 "layers of the first engine, then those of the next engine") \
    set(t, ROWS,  tuned_for, sizes_of(arena, d, &d->cost->tuned), NULL, \
        .of = &sized_input_record, \
        .about = "optimum sizes of dynamic inputs; bytes and multiply-adds are " \
                 "computed for these sizes") \
    set(t, ROWS,  run_with, sizes_of(arena, d, &d->cost->run_with), NULL, \
        .of = &sized_input_record, \
        .about = "the sizes of dynamic inputs in the run, if the log states them")
FSD_RECORD_FROM(engine, ENGINE, const struct fsd_diff *d = from;
    const struct fsd_graph *g = d->engine)

#define BUILD_LOG(has, set, when, t) \
    set(t, NAME,  path, h->path, FSD_ALWAYS) \
    set(t, COUNT, lines, h->lines, FSD_ALWAYS, .large = true) \
    set(t, COUNT, events, fsd_history_n_events(h), FSD_ALWAYS) \
    set(t, COUNT, unknown, h->unknown_lines, FSD_ALWAYS, .large = true, \
        .about = "number of lines whose form fusiondiff does not know") \
    set(t, FLAG,  used, d->story || (!h->refused && (h->passes.n || h->places.n)), \
        FSD_ALWAYS, .about = "the log serves as evidence") \
    when(t, COUNT, assigned, h->assigned, h->places.n, FSD_ASIDE) \
    when(t, COUNT, read, !h->assigned, h->lines, FSD_ASIDE) \
    set(t, TEXT,  refused, h->refused ? fsd_refusal_of(h) : NULL, FSD_ASIDE)
FSD_RECORD_FROM(build_log, BUILD_LOG, const struct fsd_diff *d = from;
    const struct fsd_history *h = d->history)
/* clang-format on */

/* ------------------------------------------------------------------------- summary */

/* The number of operators that text lists. */
static uint32_t n_shown_ops(const struct fsd_diff *d)
{
    uint32_t n = 0;

    while (n < d->cost->op_times.n && n < SHOWN_OPS &&
           (!n || d->cost->op_times.at[n].ms >= LEAST_SHARE * d->times->total))
        n++;
    return n;
}

/* The times of the first `n` operators. */
static struct fsd_fact_cells op_times_of(struct fsd_arena *arena,
                                         const struct fsd_diff *d, uint32_t n)
{
    struct fsd_fact_cell *facts = FSD_NEW(arena, struct fsd_fact_cell, n);

    for (uint32_t i = 0; i < n; i++) {
        facts[i].key = fsd_text(d->names, d->cost->op_times.at[i].op);
        facts[i].number = d->cost->op_times.at[i].ms;
    }
    return (struct fsd_fact_cells){true, n, facts};
}

/* clang-format off */
#define COVERAGE(has, set, when, t) \
    set(t, COUNT, links, s->links, FSD_ALWAYS) \
    set(t, COUNT, inserted, s->inserted, FSD_ALWAYS) \
    when(t, COUNT, requested, s->requested, s->requested, NULL, \
        .about = "number of layers that move data because the model requires it") \
    when(t, COUNT, opaque_layers, s->opaque, s->opaque, NULL, \
        .about = "number of regions whose kernels the engine does not state") \
    when(t, COUNT, opaque_nodes, s->hidden, s->hidden, NULL, \
        .about = "number of nodes in the regions of `opaque_layers`; their fusions " \
                 "and precisions are unknown") \
    when(t, COUNT, equal_choices, s->choices, s->choices, NULL, \
        .about = "number of nodes without a link because all layers of their region " \
                 "are equal, so it is unknown which layer computes which node") \
    set(t, COUNT, computing_layers, s->computing, FSD_ALWAYS) \
    set(t, COUNT, mapped_layers, s->mapped, FSD_ALWAYS, \
        .says = "{mapped_layers} of {computing_layers|computing layer|computing " \
                "layers}, {links|link|links}< ({equal_choices|node has|nodes have} " \
                "no link because several layers are equal)>")
FSD_RECORD_FROM(coverage, COVERAGE, const struct fsd_summary *s = from)

/* Without a profile, at most `run` is known: the time of a whole inference. */
#define TIMES(has, set, when, t) \
    set(t, MS,     run, m->run.median, NULL) \
    when(t, MS,     total, m->profiles, fsd_real(m->total), NULL) \
    when(t, COUNT,  profiles, m->profiles, m->profiles, NULL) \
    when(t, COUNT,  runs, m->profiles && m->runs, m->runs, NULL, .large = true) \
    when(t, RECORD, totals, m->profiles > 1, fsd_spread_held(arena, &m->totals), NULL, \
        .of = &fsd_spread_row_record, \
        .about = "spread of the total times of the profiles; the median total time " \
                 "may differ from `total`, which is the sum of the layers' medians") \
    when(t, MS,     nodes, m->profiles, fsd_real(sums->nodes), NULL) \
    when(t, MS,     opaque, m->profiles && d->summary->opaque, \
        fsd_real(sums->opaque), NULL, \
        .about = "time of regions whose kernels the engine does not state; it is " \
                 "not shared among nodes") \
    when(t, MS,     inserted, m->profiles, fsd_real(sums->inserted), NULL) \
    when(t, MS,     elsewhere, m->profiles, fsd_real(m->elsewhere), NULL) \
    when(t, FACTS,  by_kind, m->profiles, \
        fsd_facts_of(arena, sums->by_kind, FSD__KIND_COUNT, fsd_kind_name), NULL) \
    when(t, FACTS,  by_cause, m->profiles, \
        fsd_facts_of(arena, sums->by_cause, FSD__CAUSE_COUNT, fsd_cause_name), NULL) \
    when(t, MS,     no_cause, m->profiles, \
        fsd_real(sums->by_cause[FSD_CAUSE_NONE]), NULL) \
    when(t, FACTS,  by_op, m->profiles, \
        op_times_of(arena, d, d->cost->op_times.n), NULL, \
        .about = "time of nodes by operator; the sum is `nodes`") \
    when(t, COUNT,  timed_runs, m->run.median >= 0, m->timed_runs, FSD_ASIDE) \
    set(t, TEXT,    title, m->run.median >= 0 ? "" : "time", FSD_ASIDE) \
    when(t, SHARE,  of_run, m->profiles && m->run.median > 0, \
        m->total / m->run.median, FSD_ASIDE) \
    when(t, COUNT,  mean_of, m->profiles == 1, m->runs, FSD_ASIDE) \
    set(t, FACTS,   shown_ops, op_times_of(arena, d, shown), FSD_ASIDE) \
    set(t, COUNT,   more_ops, d->cost->op_times.n - shown, FSD_ASIDE)
FSD_RECORD_FROM(times, TIMES, const struct fsd_diff *d = from;
    const struct fsd_measured *m = d->times;
    uint32_t shown = n_shown_ops(d);
    const struct fsd_time_sums *sums = &d->cost->sums)

#define SPENT_SUM(has, set, when, t) \
    set(t, COUNT,  layers, sum->layers, FSD_ALWAYS) \
    when(t, COUNT,  bytes, sum->unknown < sum->layers, (uint64_t)sum->bytes, NULL, \
        .large = true) \
    when(t, COUNT,  layers_of_unknown_bytes, sum->unknown, sum->unknown, NULL) \
    set(t, MS,     ms, sum->ms, NULL) \
    set(t, NUMBER, share, fsd_real_ms(sum->share), NULL, .about = "from 0 to 1")
FSD_RECORD_FROM(spent_sum, SPENT_SUM, const struct fsd_spent_sum *sum = from)

/* A class of time is left out if no layer belongs to it. */
#define SPENT_CLASS(when, t, name, class) \
    when(t, RECORD, name, classes[class].layers, \
        FSD_HELD(arena, spent_sum, &classes[class], 0), NULL, .of = &spent_sum_record)
#define SPENT(has, set, when, t) \
    SPENT_CLASS(when, t, compute, FSD_SPENT_COMPUTE) \
    SPENT_CLASS(when, t, requantization, FSD_SPENT_REQUANTIZE) \
    SPENT_CLASS(when, t, movement, FSD_SPENT_MOVEMENT) \
    SPENT_CLASS(when, t, requested_movement, FSD_SPENT_REQUESTED) \
    SPENT_CLASS(when, t, nothing, FSD_SPENT_NOTHING)
FSD_RECORD_FROM(spent, SPENT, const struct fsd_spent_sum *classes = from)

#define SUMMARY(has, set, when, t) \
    set(t, COUNT,  all_nodes, s->nodes, FSD_ASIDE) \
    set(t, TALLY,  node_counts, \
        fsd_tally(arena, s->by_fate, FSD__FATE_COUNT, 0, fate_text), FSD_ASIDE) \
    set(t, COUNT,  all_layers, s->layers, FSD_ASIDE) \
    set(t, COUNT,  all_inserted, s->inserted, FSD_ASIDE) \
    set(t, COUNT,  moved, s->requested, FSD_ASIDE) \
    set(t, TALLY,  types, types_of(arena, d), FSD_ASIDE) \
    when(t, FLAG,  foreign, s->by_kind[FSD_KIND_FOREIGN], true, FSD_ASIDE) \
    set(t, TALLY,  providers, providers_of(arena, d), FSD_ASIDE) \
    set(t, TALLY,  nodes, \
        fsd_tally(arena, s->by_fate, FSD__FATE_COUNT, 0, fsd_fate_name), \
        FSD_ALWAYS, .about = "by fate") \
    set(t, TALLY,  layers, \
        fsd_tally(arena, s->by_kind, FSD__KIND_COUNT, 0, fsd_kind_name), \
        FSD_ALWAYS, .about = "by kind") \
    set(t, TALLY,  inserted, \
        fsd_tally(arena, s->by_cause, FSD__CAUSE_COUNT, 0, fsd_cause_name), \
        FSD_ALWAYS, .about = "by cause") \
    set(t, TALLY,  links, fsd_tally(arena, s->by_evidence, \
        FSD_COUNT_OF(s->by_evidence), 0, fsd_evidence_name), \
        FSD_ALWAYS, .about = "number of links by evidence") \
    set(t, TALLY,  findings, fsd_tally(arena, d->findings->by_severity, \
        FSD__SEVERITY_COUNT, 0, fsd_severity_name), \
        FSD_ALWAYS, .about = "number of findings by severity") \
    set(t, RECORD, coverage, FSD_HELD(arena, coverage, s, 0), FSD_ALWAYS, \
        .of = &coverage_record) \
    when(t, RECORD, ms, d->times->profiles || d->times->run.median >= 0, \
        FSD_HELD(arena, times, d, 0), NULL, .of = &times_record) \
    set(t, RECORD, spent, FSD_HELD(arena, spent, d->cost->spent, 0), FSD_ALWAYS, \
        .of = &spent_record, \
        .about = "time and bytes of each class of layers; each layer is in one " \
                 "class; `share` is the part of the engine's time or, if no times " \
                 "are known, the part of all known bytes") \
    set(t, ROWS,   brief, fsd_brief_rows(arena, &brief), FSD_ALWAYS, \
        .of = &fsd_brief_line_record, \
        .about = "the summary: what runs, which layers take the time, what to do, " \
                 "and what is unknown")
FSD_RECORD(summary, SUMMARY)
/* clang-format on */

static const char *fate_text(unsigned fate)
{
    return fate == FSD_FATE_LAYER ? "in layers" : fsd_fate_name((enum fsd_fate)fate);
}

static const char *type_name(unsigned type)
{
    return type < FSD__DTYPE_COUNT ? fsd_dtype_name((enum fsd_dtype)type) : "unknown";
}

/* The number of computing layers by the type in which they run. */
static struct fsd_words types_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    uint32_t types[FSD__DTYPE_COUNT + 1] = {0}; /* the last: of unknown type */

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (fsd_kind_computes(d->layers[i].kind))
            types[d->layers[i].precision == FSD_DTYPE_UNKNOWN
                      ? FSD__DTYPE_COUNT
                      : d->layers[i].precision]++;
    return fsd_tally(arena, types, FSD_COUNT_OF(types), 1, type_name);
}

/* The number of layers by the execution provider that runs them; unset if no input
 * states a provider. */
static struct fsd_words providers_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    uint32_t n = d->engine->layers.n;
    fsd_sym *by = FSD_NEW(arena, fsd_sym, n);
    bool any = false;

    for (fsd_id i = 0; i < n; i++)
        any |= (by[i] = d->engine->layers.at[i].ran_by) != 0;
    return fsd_tally_of_syms(arena, d->names, by, any ? n : 0);
}

static const void *summary_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_summary *s = d->summary;
    struct summary *row = FSD_NEW(arena, struct summary, 1);
    struct fsd_brief brief = fsd_brief_of(arena, d);

    FSD_FILL(row, SUMMARY);
    return row;
}

/* ------------------------------------------------------------- scopes and regions */

/* clang-format off */
#define SCOPE(has, set, when, t) \
    set(t, COUNT, index, i + 1, FSD_ALWAYS) \
    set(t, COUNT, owner, scope->owner, FSD_ALWAYS) \
    set(t, NAME,  label, fsd_text(d->names, scope->label), FSD_ALWAYS)
/* Scope 0 is the whole model and has no row. */
FSD_RECORD_FROM(scope, SCOPE, const struct fsd_diff *d = from;
    const struct fsd_scope *scope = &d->model->scopes.at[i + 1])

#define REGION(has, set, when, t) \
    set(t, IDS, layers, fsd_ids_of_span(m->pool.at, region->layers), FSD_ALWAYS) \
    set(t, IDS, nodes, fsd_ids_of_span(m->pool.at, region->nodes), FSD_ALWAYS) \
    when(t, FLAG, equal, region->equal, true, NULL, \
        .about = "all layers of the region are equal, and all its nodes are equal, " \
                 "so nothing shows which layer computes which node")
FSD_RECORD_FROM(region, REGION, const struct fsd_match *m = from;
    const struct fsd_region *region = &m->regions.at[i])
/* clang-format on */

/* ------------------------------------------------------------------------ document */

static const char *schema_name(unsigned i)
{
    (void)i;
    return FSD_SCHEMA;
}

/* clang-format off */
#define RUN_HEAD(has, set, when, t) \
    set(t, RECORD, model, FSD_HELD(arena, model, d, 0), NULL, .of = &model_record, \
        .always = true) \
    set(t, RECORD, engine, FSD_HELD(arena, engine, d, 0), FSD_ALWAYS, \
        .of = &engine_record) \
    when(t, RECORD, log, d->history, FSD_HELD(arena, build_log, d, 0), NULL, \
        .of = &build_log_record) \
    set(t, RECORD, summary, summary_of(arena, d), NULL, .of = &summary_record, \
        .always = true)
FSD_RECORD_SHARED(run_head, RUN_HEAD)

#define REPORT(has, set, when, t) \
    set(t, TEXT,   schema, FSD_SCHEMA, FSD_ALWAYS, .word = schema_name, .n_words = 1) \
    set(t, RECORD, tool, fsd_tool(arena), NULL, .of = &fsd_tool_record, \
        .always = true) \
    RUN_HEAD(has, set, when, t) \
    set(t, RECORD, values, fsd_values_held(arena, d), NULL, .of = &fsd_values_record, \
        .about = "results of --values for the whole network; the numbers of a layer " \
                 "or node are in the record of that layer or node") \
    set(t, ROWS,   layers, fsd_rows_later(arena, &fsd_layer_record, \
        d->engine->nodes.n, fsd_fill_layer, from), \
        "Layers and their nodes", .of = &fsd_layer_record, .always = true) \
    set(t, ROWS,   vanished, fsd_rows_without_layer(arena, from), \
        "Nodes without a layer", .of = &fsd_layer_record, .aside = true) \
    set(t, ROWS,   nodes, fsd_rows_later(arena, &fsd_node_record, \
        d->model->nodes.n, fsd_fill_node, from), FSD_ALWAYS, \
        .of = &fsd_node_record) \
    when(t, ROWS,   scopes, d->model->scopes.n > 1, \
        FSD_LATER(arena, scope, d->model->scopes.n - 1, d), NULL, .of = &scope_record, \
        .about = "the bodies of control-flow nodes (such as If) and of functions, " \
                 "without the model's main graph") \
    when(t, ROWS,   regions, d->match->regions.n, \
        FSD_LATER(arena, region, d->match->regions.n, d->match), NULL, \
        .of = &region_record, \
        .about = "sets of layers and nodes: these layers compute these nodes, but no " \
                 "evidence shows which layer computes which node") \
    set(t, ROWS,   findings, fsd_rows_later(arena, &fsd_finding_record, \
        d->findings->list.n, fsd_fill_finding, d->findings), FSD_ALWAYS, \
        .of = &fsd_finding_record)
FSD_RECORD(report, REPORT)
/* clang-format on */

const void *fsd_run_head_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct run_head *row = FSD_NEW(arena, struct run_head, 1);

    FSD_FILL(row, RUN_HEAD);
    return row;
}

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
}

/* --------------------------------------------------------------------- one of many */

/* clang-format off */
#define PAIR(has, set, when, t) \
    has(t, NAME,   pair,     FSD_ALWAYS, \
        .about = "the pair's line in the list, or its directory") \
    has(t, TALLY,  findings, NULL, .about = "number of findings in the report") \
    has(t, RECORD, report,   NULL, .about = "a report that report.schema.json " \
                                            "describes") \
    has(t, RECORD, error,    NULL, .of = &fsd_failure_record, \
        .about = "the reason why there is no report")
FSD_RECORD(pair, PAIR)
/* clang-format on */

void fsd_document_of_pair(struct fsd_sheet *sheet, const char *name,
                          const struct fsd_diff *d, const struct fsd_error *error)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows *root = fsd_rows_new(arena, &pair_record, "");
    struct pair *row = fsd_rows_add(root);
    struct fsd_intern *names = fsd_intern_new(arena); /* the intern table converts any
                                                         name to UTF-8 */

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
