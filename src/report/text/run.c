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

enum { SHOWN_IN_BRIEF = 3 };

/* -------------------------------------------------------------------- summary */

/* The files from which the report is made. */
#define READ_TEXT(events)                                                              \
    "{*}model    {/}<{model.file}  ({model.format}<, {model.producer}>"                \
    "<, opset {model.opset}>)>{model.no_file}\n"                                       \
    "{*}engine   {/}{engine.path}  ({engine.format}<, {engine.producer}>"              \
    "<, opset {engine.opset}>)\n"                                                      \
    "<{*}built    {/}{engine.built}\n>"                                                \
    "<{*}log      {/}{log.path}  (<{log.assigned|assigned node|assigned nodes}>"       \
    "<{log.read|line|lines}" events ">"                                                \
    "<, not used: {log.refused}>)\n>"                                                  \
    "<{*}profile  {/}optimization profile {engine.optimization_profile} (the engine "  \
    "has profiles 0 to {engine.last_profile})"                                         \
    "<; {engine.layers_of_other_profiles!|layer|layers} of other profiles omitted>"    \
    " (select one with --opt-profile)\n>"                                              \
    "<{*}sizes    {/}{engine.run_with}, the sizes of the run in the log (--shape "     \
    "sets other sizes)\n>"                                                             \
    "<{*}sizes    {/}{engine.tuned_for}, the optimum of the optimization profile "     \
    "(--shape sets other sizes)\n>"

static const char read_text[] = READ_TEXT(""),
                  read_all_text[] =
                      READ_TEXT(", {log.events|event|events}, "
                                "{log.unknown|line|lines} not recognized");

#define NODES_TEXT "{*}nodes    {/}{summary.all_nodes}<: {summary.node_counts!|}>\n"

/* The engines, if the model has several, and the execution providers that run the
 * layers, if the runtime states them. */
#define PARTS_TEXT                                                                     \
    "<{*}engines  {/}{engine.n_parts}: {engine.parts} (`parts` lists the tensors "     \
    "between engines)\n>"                                                              \
    "<{*}run by   {/}{summary.providers}\n>"

/* The number of nodes with each outcome, and of layers of each kind; the number of
 * mapped layers, and of links for each kind of evidence; the types in which the layers
 * run. */
static const char run_counts_text[] = NODES_TEXT
    "{*}layers   {/}{summary.all_layers}: {summary.layers!}\n"
    "{*}inserted {/}{summary.all_inserted}<: {summary.inserted!}>\n"
    "<{*}moved    {/}{summary.moved!|layer moves|layers move} data because "
    "the model requires it\n>"
    "{*}mapped   {/}{summary.coverage}<: {summary.links!}>\n"
    "<{*}runs in  {/}{summary.types!} (compute<{summary.foreign} and foreign> "
    "layers)\n>" PARTS_TEXT;

static const char brief_counts_text[] = NODES_TEXT
    "{*}mapped   {/}{summary.coverage.mapped_layers} of "
    "{summary.coverage.computing_layers|computing layer|computing layers}\n" PARTS_TEXT;

/* The sum of the layer times is not the time of a run: layers overlap, and no profile
 * has the times between layers. The times in a single profile are already means of
 * several runs. */
static const char times_text[] =
    "<{*}time     {/}{summary.ms.run} a run, the median of "
    "{summary.ms.timed_runs|run|runs}\n>"
    "<{*}{summary.ms.title:-9}{/}{summary.ms.total} in layers"
    "< ({summary.ms.of_run:0.0} % of a run)>"
    "<, the mean of {summary.ms.mean_of!|run|runs}>"
    "<, the median of {summary.ms.profiles} profiles< of {summary.ms.runs} runs>"
    " (their sums: {summary.ms.totals.low:1} to {summary.ms.totals.high})>"
    "<: {summary.ms.by_kind!}><, elsewhere {summary.ms.elsewhere!:1}>\n"
    "<{*}by op    {/}{summary.ms.shown_ops!}< and {summary.ms.more_ops!} more> (each "
    "layer's time is divided among its nodes in proportion to their work)\n>"
    "<{*}opaque   {/}{summary.ms.opaque!} in opaque regions, which is not divided "
    "among nodes\n>>";

static void put_run_text(const void *head, const char *text,
                         const struct fsd_style *style, FILE *out)
{
    fsd_record_put_text(&fsd_run_head_record, head, text, style, out);
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

static void write_whole(const struct fsd_diff *d, const void *head,
                        const struct fsd_style *style, FILE *out)
{
    put_run_text(head, read_all_text, style, out);
    put_run_text(head, run_counts_text, style, out);
    put_run_text(head, times_text, style, out);
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
static void write_folded(const struct fsd_diff *d, const void *head,
                         const struct fsd_style *style, FILE *out)
{
    put_verdict(d->findings, style, out);
    put_run_text(head, "{summary.brief}", style, out);
    if (d->values)
        putc('\n', out);
    fsd_text_values(d, style, out);
    put_findings_folded(d, style, out);
    putc('\n', out);
    put_run_text(head, brief_counts_text, style, out);
    putc('\n', out);
    fsd_text_layers_folded(d, style, out);
    fsd_text_vanished(d, style, out);
    putc('\n', out);
    put_run_text(head, read_text, style, out);
}

void fsd_write_text(const struct fsd_report *r, FILE *out)
{
    FSD_SCRATCH(scratch);

    (r->style->all ? write_whole : write_folded)(
        r->run, fsd_run_head_of(scratch, r->run), r->style, out);
}
