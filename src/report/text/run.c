/*
 * The text report of one run: head, counts, times, then layers, nodes without a layer
 * and findings. Findings are ordered by severity, then by rule. Within a rule, they are
 * ordered by the time of their layers, or by the bytes if no times are known. The first
 * lines are thus the most relevant. A large engine has thousands of findings, so only
 * some of each rule are printed without --all.
 */
#include "judge/findings/brief.h"
#include "model/graph/graph.h"
#include "report/text/text.h"
#include "base/base.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN_OPS = 6, SHOWN_IN_BRIEF = 3 };

static const double LEAST_SHARE = 0.01; /* operators with a smaller share of the time
                                           are not listed */

/* -------------------------------------------------------------------- summary */

static void put_input(const struct fsd_diff *d, const struct fsd_style *style,
                      const char *title, const struct fsd_graph *g, FILE *out)
{
    fsd_ink_title(style, title, out);
    if (g->named_only) {
        fputs("none  (the nodes come from names in the engine)\n", out);
        return;
    }
    fsd_printf_safe(out, "%s  (%s", g->path, g->kind);
    if (g->producer)
        fsd_printf_safe(out, ", %s", fsd_text(d->names, g->producer));
    for (uint32_t i = 0; i < g->opsets.n; i++)
        if (!g->opsets.at[i].domain)
            fprintf(out, ", opset %" PRId64, g->opsets.at[i].version);
    fprintf(out, ")\n");
}

/* Prints the path and the length of the build log. With --all, also prints how many
 * lines have an unknown form. */
static void put_log(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    const struct fsd_history *h = d->history;

    if (!h)
        return;
    fsd_ink_title(style, "log", out);
    fsd_printf_safe(out, "%s  (", h->path);
    if (h->assigned)
        fsd_put_noun(out, h->places.n, "assigned node");
    else
        fsd_put_noun(out, h->lines, "line");
    if (!h->assigned && style->all) {
        fputs(", ", out);
        fsd_put_noun(out, fsd_history_n_events(h), "event");
        fputs(", ", out);
        fsd_put_noun(out, h->unknown_lines, "line");
        fputs(" not recognized", out);
    }
    if (h->refused)
        fprintf(out, ", not used: %s", fsd_refusal_of(h));
    fputs(")\n", out);
}

static void put_built(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    if (!d->engine->built.n)
        return;
    fsd_ink_title(style, "built", out);
    fsd_put_built(&d->engine->built, d->names, out);
    fputc('\n', out);
}

/* Prints the values of the inputs' dynamic sizes, and the source of these values. */
static void put_sizes(const struct fsd_diff *d, const fsd_tensor_vec *inputs,
                      const char *which, const struct fsd_style *style, FILE *out)
{
    if (inputs->n)
        fsd_ink_title(style, "sizes", out);
    for (uint32_t i = 0; i < inputs->n; i++) {
        fsd_id t = inputs->at[i];
        const struct fsd_shape *shape = fsd_shape_of(d->cost->sizes, t);

        fputs(i ? ", " : "", out);
        fsd_put_safe(out, fsd_text(d->names, d->model->tensors.at[t].name));
        for (uint32_t k = 0; k < shape->rank; k++)
            fprintf(out, "%c%" PRId64, k ? 'x' : '=', shape->dims[k]);
    }
    if (inputs->n)
        fprintf(out, ", %s (--shape sets other sizes)\n", which);
}

/* Prints the optimization profile if the engine has several. Then prints the sizes of
 * dynamic inputs: first those from the run in the log (run_with), then those that are
 * the optimum of the profile (tuned). */
static void put_profile(const struct fsd_diff *d, const struct fsd_style *style,
                        FILE *out)
{
    const struct fsd_graph *e = d->engine;

    if (e->profiles > 1) {
        fsd_ink_title(style, "profile", out);
        fprintf(out, "optimization profile %d (the engine has profiles 0 to %u)",
                e->profile, e->profiles - 1);
        if (e->elsewhere.n)
            fprintf(out, "; %u layer%s of other profiles omitted", e->elsewhere.n,
                    fsd_plural(e->elsewhere.n));
        fputs(" (select one with --opt-profile)\n", out);
    }
    put_sizes(d, &d->cost->run_with, "the sizes of the run in the log", style, out);
    put_sizes(d, &d->cost->tuned, "the optimum of the optimization profile", style,
              out);
}

/* Templates. layers_text has the number of layers of each kind. mapped_text has the
 * number of mapped layers, and the number of links for each kind of evidence. */
static const char layers_text[] =
    "{*}layers   {/}{all_layers}: {layers!}\n"
    "{*}inserted {/}{all_inserted}<: {inserted!}>\n"
    "<{*}moved    {/}{moved!|layer moves|layers move} data because "
    "the model requires it\n>",
                  mapped_text[] = "{*}mapped   {/}{coverage}<: {links!}>\n";

/* Prints the number of nodes with each outcome. */
static void put_node_counts(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out)
{
    const char *separator = ": ";

    fsd_ink_title(style, "nodes", out);
    fprintf(out, "%u", d->summary->nodes);
    for (int i = 0; i < FSD__FATE_COUNT; i++) {
        if (!d->summary->by_fate[i])
            continue;
        fprintf(out, "%s%u %s", separator, d->summary->by_fate[i],
                i == FSD_FATE_LAYER ? "in layers" : fsd_fate_name((enum fsd_fate)i));
        separator = ", ";
    }
    putc('\n', out);
}

/* Prints the number of computing layers whose nodes are known. */
static void put_mapped(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out)
{
    fsd_ink_title(style, "mapped", out);
    fprintf(out, "%u of ", d->summary->mapped);
    fsd_put_noun(out, d->summary->computing, "computing layer");
    putc('\n', out);
}

static void put_counted(const void *summary, const char *text,
                        const struct fsd_style *style, FILE *out)
{
    fsd_record_put_text(&fsd_summary_record, summary, text, style, out);
}

/* Prints the types in which the layers run. */
static void put_types(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    uint32_t types[FSD__DTYPE_COUNT] = {0};
    bool any = false;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (fsd_kind_computes(d->layers[i].kind))
            types[d->layers[i].precision]++;
    fsd_ink_title(style, "runs in", out);
    for (int i = 1; i < FSD__DTYPE_COUNT; i++)
        fsd_put_tally(out, &any, types[i], fsd_dtype_name((enum fsd_dtype)i));
    fsd_put_tally(out, &any, types[FSD_DTYPE_UNKNOWN], "unknown");
    fputs(!any                                    ? "nothing\n"
          : d->summary->by_kind[FSD_KIND_FOREIGN] ? " (compute and foreign layers)\n"
                                                  : " (compute layers)\n",
          out);
}

/* Prints the engines, if the model has several. */
static void put_parts(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    const struct fsd_graph *e = d->engine;

    if (!d->parts)
        return;
    fsd_ink_title(style, "engines", out);
    fprintf(out, "%u: ", e->parts.n);
    for (uint32_t i = 0; i < e->parts.n; i++) {
        fputs(i ? ", " : "", out);
        if (d->parts->known) {
            fsd_put_noun(out, d->parts->nodes[i], "node");
            fputs(" in ", out);
        }
        fsd_put_noun(out, e->parts.at[i].layers.n, "layer");
    }
    fputs(" (`parts` lists the tensors between engines)\n", out);
}

/* Prints the execution providers that run the layers, if the runtime states them. */
static void put_providers(const struct fsd_diff *d, const struct fsd_style *style,
                          FILE *out)
{
    FSD_SCRATCH(scratch);
    uint32_t *n = FSD_NEW(scratch, uint32_t, fsd_intern_count(d->names));
    bool any = false;

    for (fsd_id i = 0; i < d->engine->layers.n; i++)
        n[d->engine->layers.at[i].ran_by]++;
    if (n[0] < d->engine->layers.n) {
        fsd_ink_title(style, "run by", out);
        for (fsd_id i = 0; i < d->engine->layers.n; i++) {
            fsd_sym by = d->engine->layers.at[i].ran_by;

            if (!by || !n[by])
                continue;
            fsd_printf_safe(out, "%s%s %u", any ? ", " : "", fsd_text(d->names, by),
                            n[by]);
            any = !(n[by] = 0);
        }
        fsd_put_tally(out, &any, n[0], "unknown");
        putc('\n', out);
    }
}

static void put_op_times(const struct fsd_diff *d, const struct fsd_style *style,
                         FILE *out)
{
    uint32_t n = 0;

    fsd_ink_title(style, "by op", out);
    for (; n < d->cost->op_times.n && n < SHOWN_OPS; n++) {
        if (n && d->cost->op_times.at[n].ms < LEAST_SHARE * d->times->total)
            break;
        fsd_printf_safe(out, "%s%s ", n ? ", " : "",
                        fsd_text(d->names, d->cost->op_times.at[n].op));
        fsd_put_ms_column(d->cost->op_times.at[n].ms, 0, out);
    }
    if (d->cost->op_times.n > n)
        fprintf(out, " and %u more", d->cost->op_times.n - n);
    if (d->cost->sums.opaque > 0) {
        fputs(n ? ", opaque regions " : "opaque regions ", out);
        fsd_put_ms_column(d->cost->sums.opaque, 0, out);
    }
    fputs(
        " (each layer's time is divided among its nodes in proportion to their work)\n",
        out);
}

/* Prints how the layer times were measured. The times in a single profile are already
 * means of several runs.
 */
static void put_measured(const struct fsd_measured *t, FILE *out)
{
    if (t->profiles < 2) {
        if (t->runs)
            fprintf(out, ", the mean of %" PRIu64 " run%s", t->runs,
                    fsd_plural(t->runs));
        return;
    }
    fprintf(out, ", the median of %u profiles", t->profiles);
    if (t->runs)
        fprintf(out, " of %" PRIu64 " runs", t->runs);
    fputs(" (their sums: ", out);
    fsd_put_ms_column(t->totals.low, 0, out);
    fputs(" to ", out);
    fsd_put_ms(t->totals.high, out);
    putc(')', out);
}

/* Prints the sum of the layer times. It is not the time of a run: layers overlap, and
 * no profile has the times between layers. */
static void put_layer_times(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_measured *t = d->times;
    const char *separator = ": ";

    fsd_put_ms(t->total, out);
    fputs(" in layers", out);
    if (t->run.median > 0)
        fprintf(out, " (%.0f %% of a run)", 100 * t->total / t->run.median);
    put_measured(t, out);
    for (int i = 0; i < FSD__KIND_COUNT; i++)
        if (d->cost->sums.by_kind[i] > 0) {
            fprintf(out, "%s%s ", separator, fsd_kind_name((enum fsd_kind)i));
            fsd_put_ms_column(d->cost->sums.by_kind[i], 0, out);
            separator = ", ";
        }
    if (t->elsewhere > 0) {
        fprintf(out, "%selsewhere ", separator);
        fsd_put_ms_column(t->elsewhere, 0, out);
    }
    putc('\n', out);
}

static void put_times(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    const struct fsd_measured *t = d->times;
    const char *title = "time";

    if (t->run.median >= 0) {
        fsd_ink_title(style, title, out);
        title = "";
        fsd_put_ms(t->run.median, out);
        fputs(" a run, the median of ", out);
        fsd_put_noun(out, t->timed_runs, "run");
        putc('\n', out);
    }
    if (t->profiles) {
        fsd_ink_title(style, title, out);
        put_layer_times(d, out);
        put_op_times(d, style, out);
    }
}

/* ------------------------------------------------------------------- findings */

void fsd_text_finding(const struct fsd_findings *all, const struct fsd_finding *f,
                      const struct fsd_style *style, FILE *out)
{
    fsd_ink(style, f->severity == FSD_INFO ? FSD_INK_FAINT : FSD_INK_ALARM, out);
    fprintf(out, "%-9s", fsd_severity_name(f->severity));
    fsd_ink(style, FSD_INK_PLAIN, out);
    fsd_printf_safe(out, "%s  %s", all->rules.at[f->rule].rule->id, f->message);
    if (f->todo)
        fsd_printf_safe(out, "; %s", f->todo);
    putc('\n', out);
}

/* A finding with the cost of its layers. Findings are sorted by time, then by bytes,
 * the most expensive first. */
struct hurt {
    const struct fsd_finding *finding;
    double ms, bytes;
    uint32_t place;
};

FSD_ORDERED(more_hurt, struct hurt, fsd_falling(x->ms, y->ms),
            fsd_falling(x->bytes, y->bytes), fsd_order(x->place, y->place))

static struct hurt hurt_of(const struct fsd_diff *d, const struct fsd_finding *f,
                           uint32_t place)
{
    struct hurt hurt = {f, 0, 0, place};

    FSD_EACH_OF (layer, d->findings->subjects, f->layers, id) {
        double ms = fsd_layer_ms(d, layer);

        hurt.ms += ms > 0 ? ms : 0;
        if (d->cost->layers[layer].bytes > 0)
            hurt.bytes += (double)d->cost->layers[layer].bytes;
    }
    return hurt;
}

/* Prints the findings of a rule, the most expensive first. Consecutive findings with
 * the same message are printed once, with their number. Without --all, at most `most`
 * messages are printed, and then the number of the other findings. */
static void put_rule(const struct fsd_diff *d, uint32_t rule, uint32_t most,
                     const struct fsd_style *style, FILE *out)
{
    const struct fsd_findings *all = d->findings;
    uint32_t n = all->rules.at[rule].found, shown = 0, left = 0, same;
    struct fsd_arena *scratch;
    struct hurt *list;

    if (!n)
        return;
    scratch = fsd_arena_new();
    list = FSD_NEW(scratch, struct hurt, all->list.n);
    n = 0;
    for (uint32_t i = 0; i < all->list.n; i++)
        if (all->list.at[i].rule == rule) {
            list[n] = hurt_of(d, &all->list.at[i], n);
            n++;
        }
    qsort(list, n, sizeof *list, more_hurt);
    for (uint32_t i = 0; i < n; i += same) {
        const char *message = list[i].finding->message;

        for (same = 1;
             i + same < n && !strcmp(message, list[i + same].finding->message);)
            same++;
        if (style->all || shown < most) {
            fsd_text_finding(all, list[i].finding, style, out);
            if (same > 1)
                fprintf(out, "         %u times\n", same);
            shown++;
        } else {
            left += same;
        }
    }
    fsd_arena_free(scratch);
    if (left)
        fprintf(out, "         %s  and %u more (--all shows them)\n",
                all->rules.at[rule].rule->id, left);
}

static void put_findings(const struct fsd_diff *d, const struct fsd_style *style,
                         FILE *out)
{
    if (!d->findings->list.n)
        return;
    putc('\n', out);
    fsd_ink_title(style, "findings", out);
    fprintf(out, "%u: ", d->findings->list.n);
    fsd_put_severities(d->findings->by_severity, out);
    putc('\n', out);
    for (int severity = FSD__SEVERITY_COUNT - 1; severity >= 0; severity--)
        for (uint32_t i = 0; i < d->findings->rules.n; i++)
            if (d->findings->rules.at[i].level == severity)
                put_rule(d, i, UINT32_MAX, style, out);
}

/* ------------------------------------------------------------------ first screen */

void fsd_text_brief(const struct fsd_brief *brief, const struct fsd_style *style,
                    FILE *out)
{
    for (uint32_t i = 0; i < brief->n; i++) {
        fsd_ink_title(style, brief->at[i].topic, out);
        fsd_printf_safe(out, "%s\n", brief->at[i].text);
    }
}

/* The highest severity among the findings of a rule; -1 if there are none. It may be
 * lower than the level of the rule. */
static int worst_of(const struct fsd_findings *all, uint32_t rule)
{
    int worst = -1;

    for (uint32_t i = 0; i < all->list.n; i++)
        if (all->list.at[i].rule == rule && (int)all->list.at[i].severity > worst)
            worst = (int)all->list.at[i].severity;
    return worst;
}

/* Prints the verdict, which determines the exit status. */
static void put_verdict(const struct fsd_findings *all, const struct fsd_style *style,
                        FILE *out)
{
    fsd_ink_title(style, "verdict", out);
    if (all->list.n)
        fsd_put_severities(all->by_severity, out);
    else
        fputs("no findings", out);
    putc('\n', out);
}

/* Prints the first few findings of each rule that has an error or a warning. If all
 * findings of a rule are notes, prints only their number. */
static void put_findings_folded(const struct fsd_diff *d, const struct fsd_style *style,
                                FILE *out)
{
    const struct fsd_findings *all = d->findings;
    const char *separator = "";

    if (!all->list.n)
        return;
    putc('\n', out);
    for (int severity = FSD__SEVERITY_COUNT - 1; severity > FSD_INFO; severity--)
        for (uint32_t i = 0; i < all->rules.n; i++)
            if (worst_of(all, i) == severity)
                put_rule(d, i, SHOWN_IN_BRIEF, style, out);
    if (!all->by_severity[FSD_INFO])
        return;
    fsd_ink_title(style, "notes", out);
    for (uint32_t i = 0; i < all->rules.n; i++) {
        const struct fsd_outcome *o = &all->rules.at[i];

        if (worst_of(all, i) != FSD_INFO)
            continue;
        fprintf(out, "%s%s %u", separator, o->rule->id, o->found);
        separator = ", ";
    }
    fputs(" (--all lists them)\n", out);
}

/* Prints the files from which the report is made. */
static void put_read(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    put_input(d, style, "model", d->model, out);
    put_input(d, style, "engine", d->engine, out);
    put_built(d, style, out);
    put_log(d, style, out);
    put_profile(d, style, out);
}

static void write_whole(const struct fsd_diff *d, const void *summary,
                        const struct fsd_style *style, FILE *out)
{
    put_read(d, style, out);
    put_node_counts(d, style, out);
    put_counted(summary, layers_text, style, out);
    put_counted(summary, mapped_text, style, out);
    put_types(d, style, out);
    put_parts(d, style, out);
    put_providers(d, style, out);
    put_times(d, style, out);
    putc('\n', out);
    fsd_text_values(d, style, out);
    if (d->values)
        putc('\n', out);
    fsd_text_layers(d, style, out);
    fsd_text_vanished(d, style, out);
    put_findings(d, style, out);
}

/* Prints the most relevant part first, then the layers and their nodes with equal
 * blocks folded, and last the input files, which the user knows. */
static void write_folded(const struct fsd_diff *d, const void *summary,
                         const struct fsd_style *style, FILE *out)
{
    put_verdict(d->findings, style, out);
    put_counted(summary, "{brief}", style, out);
    if (d->values)
        putc('\n', out);
    fsd_text_values(d, style, out);
    put_findings_folded(d, style, out);
    putc('\n', out);
    put_node_counts(d, style, out);
    put_mapped(d, style, out);
    put_parts(d, style, out);
    put_providers(d, style, out);
    putc('\n', out);
    fsd_text_layers_folded(d, style, out);
    fsd_text_vanished(d, style, out);
    putc('\n', out);
    put_read(d, style, out);
}

void fsd_write_text(const struct fsd_report *r, FILE *out)
{
    FSD_SCRATCH(scratch);

    (r->style->all ? write_whole : write_folded)(
        r->run, fsd_summary_held(scratch, r->run), r->style, out);
}
