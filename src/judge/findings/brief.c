/*
 * Writes the summary of a run, in at most eight lines below the verdict. This file
 * computes nothing: counts come from d->summary, times and bytes from d->cost, advice
 * from todo.c.
 *
 *     to do    add 8 Q/DQ pairs, and calibrate the scales of 3 of the pairs (lint
 *              qdq/residual): may save 0.2007 ms, 18.3 % of the time; ...
 *     layers   37: 23 compute (int8 21, fp16 1, fp32 1), 12 move data, 2 do no work
 *     time     1.096 ms per inference: compute 74.6 %, data movement 25.4 %
 *     moving   quantize 21.2 % (10 layers), dtype+layout 3.4 % (1), layout 0.8 % (1)
 *
 * All shares are shares of the engine's time or, if it was not measured, of all known
 * bytes.
 */
#include "judge/findings/brief.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/findings/todo.h"
#include "judge/lint/fusion.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "explain/values/values.h"

#include <stdlib.h>

enum { MOST_CAUSES = 3 };

static const double LEAST_SHARE = 0.0005; /* 0.05 %. A smaller share would be rounded to
                                             0.0 %, so it is printed as "<0.1 %" */

struct writer {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_brief brief;
    struct fsd_print print;
    FILE *out;
    const char *comma;      /* printed before each item after the first */
    unsigned rows;          /* rows of the terminal used so far */
    const char *split_edit; /* the edit that removes the most frequent reason why
                               attentions are split; NULL: none */
};

static FILE *open_line(struct writer *w)
{
    return w->out = fsd_print_open(&w->print);
}

/* The number of terminal rows that a text takes, including indentation. */
static unsigned count_rows(const char *text)
{
    size_t room = FSD_BRIEF_COLUMNS - FSD_BRIEF_TOPIC - 2;

    return (unsigned)((fsd_safe_width(text) + room - 1) / room);
}

static void add_line(struct writer *w, const char *topic, const char *text)
{
    w->brief.at[w->brief.n++] = (struct fsd_brief_line){topic, text};
    w->rows += count_rows(text);
}

/* Adds the printed line. Returns false if the line is empty, or if there is no room for
 * it. */
static bool close_line(struct writer *w, const char *topic)
{
    const char *text = fsd_print_take(&w->print, w->arena);

    if (!*text || w->rows + count_rows(text) > FSD_BRIEF_LINES)
        return false;
    add_line(w, topic, text);
    return true;
}

static void put_percent(double share, FILE *out)
{
    if (share > 0 && share < LEAST_SHARE)
        fputs("<0.1 %", out);
    else
        fprintf(out, share > 0 ? "%.1f %%" : "0 %%", 100 * share);
}

/* ---------------------------------------------------------------------- what runs */

static void put_types(const struct fsd_diff *d, FILE *out)
{
    uint32_t types[FSD__DTYPE_COUNT] = {0};
    const char *separator = " (";

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (fsd_kind_computes(d->layers[i].kind))
            types[d->layers[i].precision]++;
    for (int i = FSD__DTYPE_COUNT - 1; i >= 0; i--) { /* unknown types last */
        if (!types[i])
            continue;
        fprintf(out, "%s%s %u", separator,
                i == FSD_DTYPE_UNKNOWN ? "unknown" : fsd_dtype_name((enum fsd_dtype)i),
                types[i]);
        separator = ", ";
    }
    fputs(*separator == ',' ? ")" : "", out);
}

/* Counts constants that are layers of their own. No inference runs them. */
static uint32_t count_constants(const struct fsd_diff *d)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        n += d->layers[i].kind == FSD_KIND_CONSTANT &&
             d->cost->layers[i].spent == FSD_SPENT_NOTHING;
    return n;
}

static void put_doing(uint32_t n, const char *who, const char *one, const char *several,
                      FILE *out)
{
    if (n)
        fprintf(out, ", %u%s %s", n, who, n == 1 ? one : several);
}

static void write_layers(struct writer *w)
{
    const struct fsd_spent_sum *spent = w->d->cost->spent;
    uint32_t constants = count_constants(w->d),
             compute =
                 spent[FSD_SPENT_COMPUTE].layers + spent[FSD_SPENT_REQUANTIZE].layers;
    FILE *out = open_line(w);

    fprintf(out, "%u: %u %s", w->d->engine->nodes.n, compute,
            compute == 1 ? "computes" : "compute");
    put_types(w->d, out);
    put_doing(spent[FSD_SPENT_REQUANTIZE].layers, " of them", "requantizes",
              "requantize", out);
    put_doing(spent[FSD_SPENT_MOVEMENT].layers, "", "moves data", "move data", out);
    put_doing(spent[FSD_SPENT_REQUESTED].layers, "",
              "moves data because the model requires it",
              "move data because the model requires it", out);
    put_doing(spent[FSD_SPENT_NOTHING].layers - constants, "", "does no work",
              "do no work", out);
    put_doing(constants, "", "is constant", "are constant", out);
    close_line(w, "layers");
}

/* ------------------------------------------------------------------- where it goes */

/* Prints the sums of means and of medians: means include disturbed runs, medians do
 * not. */
static void put_outlier(const struct fsd_diff *d, FILE *out)
{
    if (d->times->medians > 0)
        fprintf(out,
                " (sum of means; the sum of medians is %.4g ms, because the mean of "
                "layer %u is %.2g times its median)",
                d->times->medians, d->times->outlier, d->times->outlying);
}

static void write_spent(struct writer *w)
{
    static const char *const words[FSD__SPENT_COUNT] = {
        [FSD_SPENT_COMPUTE] = "compute",
        [FSD_SPENT_REQUANTIZE] = "requantization",
        [FSD_SPENT_MOVEMENT] = "data movement",
        [FSD_SPENT_REQUESTED] = "data movement that the model requires",
        [FSD_SPENT_NOTHING] = "other layers"};
    const struct fsd_cost *cost = w->d->cost;
    bool timed = cost->all.ms >= 0;
    const char *separator = ": ";
    FILE *out;

    if (!timed && !cost->all.bytes)
        return;
    out = open_line(w);
    if (timed && w->d->times->run.median >= 0) {
        fprintf(out, "%.4g ms per inference (%.4g ms in layers)",
                w->d->times->run.median, w->d->times->total);
    } else if (timed) {
        fprintf(out, "%.4g ms in layers", w->d->times->total);
        put_outlier(w->d, out);
    } else {
        fsd_put_scaled(cost->all.bytes, NULL, " B", out);
        fputs(cost->all.unknown ? ", not counting tensors of unknown size" : "", out);
    }
    for (int i = 0; i < FSD__SPENT_COUNT; i++) {
        double least = i == FSD_SPENT_NOTHING ? LEAST_SHARE : 0;

        if (!words[i] || !cost->spent[i].layers || cost->spent[i].share < least)
            continue;
        fprintf(out, "%s%s ", separator, words[i]);
        put_percent(cost->spent[i].share, out);
        separator = ", ";
    }
    if (timed && w->d->times->total > 0 && w->d->times->elsewhere > 0) {
        fprintf(out, "%soutside of layers ", separator);
        put_percent(w->d->times->elsewhere / w->d->times->total, out);
    }
    close_line(w, timed ? "time" : "bytes");
}

/* Prints the operators that take most time. The time of a layer is divided among its
 * nodes by their work; the time of an opaque region belongs to no operator. If nodes
 * are known only from the engine's names, their operators may be unknown. */
static void write_operators(struct writer *w)
{
    const struct fsd_cost *cost = w->d->cost;
    uint32_t written = 0;
    FILE *out;

    if ((!cost->op_times.n && cost->sums.opaque <= 0) || w->d->times->total <= 0)
        return;
    out = open_line(w);
    for (uint32_t i = 0; i < cost->op_times.n && written < MOST_CAUSES; i++) {
        if (!cost->op_times.at[i].op)
            continue;
        fprintf(out, "%s%s ", written++ ? ", " : "",
                fsd_text(w->d->names, cost->op_times.at[i].op));
        put_percent(cost->op_times.at[i].ms / w->d->times->total, out);
    }
    if (cost->sums.opaque > 0) {
        fputs(written ? "; opaque regions " : "opaque regions ", out);
        put_percent(cost->sums.opaque / w->d->times->total, out);
    }
    close_line(w, "by op");
}

/* Data-movement layers with the same cause. */
struct cause {
    const char *word;
    uint32_t layers;
    double share;
};

FSD_ORDERED(by_share, struct cause, fsd_falling(x->share, y->share),
            strcmp(x->word, y->word))

static const char *cause_words(const struct fsd_diff *d, fsd_id layer)
{
    const char *word = fsd_mover_word(d, layer);

    if (*word && strcmp(word, "unknown") != 0)
        return word;
    return *word ? "unexplained" : "copies";
}

static void write_causes(struct writer *w)
{
    struct cause causes[FSD__CAUSE_COUNT + 3];
    uint32_t n = 0, k;
    FILE *out;

    for (fsd_id i = 0; i < w->d->engine->nodes.n; i++) {
        double share = fsd_cost_share(w->d, i);
        const char *word = cause_words(w->d, i);

        if (w->d->cost->layers[i].spent != FSD_SPENT_MOVEMENT || share <= 0)
            continue;
        for (k = 0; k < n && strcmp(causes[k].word, word) != 0;)
            k++;
        if (k == FSD_COUNT_OF(causes))
            continue;
        if (k == n)
            causes[n++] = (struct cause){.word = word};
        causes[k].layers++;
        causes[k].share += share;
    }
    if (!n)
        return;
    qsort(causes, n, sizeof *causes, by_share);
    out = open_line(w);
    for (k = 0; k < n && k < MOST_CAUSES; k++) {
        fprintf(out, "%s%s ", k ? ", " : "", causes[k].word);
        put_percent(causes[k].share, out);
        if (k)
            fprintf(out, " (%u)", causes[k].layers);
        else
            fprintf(out, " (%u layer%s)", causes[k].layers,
                    fsd_plural(causes[k].layers));
    }
    if (n > k)
        fprintf(out, " and %u other cause%s", n - k, fsd_plural(n - k));
    close_line(w, "moving");
}

/* ------------------------------------------------------------------ what is split */

/* A reason why attentions are not one kernel, and the number `n` of attentions that
 * have this reason. */
struct split {
    const struct fsd_fusion_rule *rule; /* NULL: unknown */
    const char *found;
    const char *edit; /* NULL: unknown */
    uint32_t n;
};

static bool may_attend(const struct fsd_graph *g)
{
    bool may = false;

    for (fsd_id i = 0; i < g->nodes.n && !may; i++)
        may = fsd_node_is(g, i, FSD_ONNX_Softmax) ||
              fsd_node_is(g, i, FSD_ONNX_Attention);
    return may;
}

static struct split split_by(struct writer *w, const struct fsd_blocks *all,
                             const struct fsd_block *block)
{
    fsd_block_reasons reasons = {0};

    fsd_block_reasons_in(w->arena, w->d, all, block, &reasons);
    return reasons.n ? (struct split){reasons.at[0].rule, reasons.at[0].found,
                                      reasons.at[0].edit, 0}
                     : (struct split){NULL, FSD_NO_REASON, NULL, 0};
}

/* What the line on split attentions states. SAYS_RULE: the most frequent reason.
 * SAYS_VIEW: also the command "fusiondiff patterns". SAYS_BORDER: also the `border` of
 * the rule. */
enum said { SAYS_RULE, SAYS_VIEW, SAYS_BORDER };

static void put_split(const struct split *most, uint32_t split, uint32_t attentions,
                      enum said said, FILE *out)
{
    fprintf(out, "%u of %u attention%s", split, attentions, fsd_plural(attentions));
    if (most->n < split)
        fprintf(out, ", %u by this", most->n);
    fprintf(out, ": %s", most->found);
    if (said == SAYS_BORDER && most->rule)
        fprintf(out, "; %s", most->rule->border);
    if (said >= SAYS_VIEW)
        fputs("; fusiondiff patterns", out);
}

/* Appends the number of split attentions to the line on layers. Used if the summary has
 * no room for a line on split attentions. Appends nothing if the line on layers would
 * need one more row. */
static void append_split(struct writer *w, uint32_t split)
{
    FSD_EACH (struct fsd_brief_line, line, w->brief) {
        const char *text;

        if (strcmp(line->topic, "layers") != 0)
            continue;
        text = fsd_printed(w->arena, "%s; %u attention%s split", line->text, split,
                           split == 1 ? " is" : "s are");
        if (count_rows(text) == count_rows(line->text))
            line->text = text;
    }
}

/* Prints how many attentions are not one kernel, and as many details (enum said) as the
 * summary has room for. */
static void write_split(struct writer *w)
{
    const struct fsd_blocks *all;
    struct split most = {NULL, NULL, NULL, 0};
    FSD_VEC(struct split) splits = {0};
    uint32_t split = 0;

    if (w->d->engine->only_timed || !may_attend(w->d->match->model))
        return;
    all = fsd_blocks_of_pattern(w->arena, w->d, FSD_PATTERN_ATTENTION);
    FSD_EACH (const struct fsd_block, block, all->list) {
        uint32_t k = 0;
        struct split by;

        if (block->fused != FSD_FUSED_SPLIT)
            continue;
        split++;
        by = split_by(w, all, block);
        while (k < splits.n && strcmp(splits.at[k].found, by.found) != 0)
            k++;
        if (k == splits.n)
            fsd_vec_push(w->arena, &splits, by);
        if (++splits.at[k].n > most.n)
            most = splits.at[k];
    }
    w->split_edit = most.edit;
    for (int said = SAYS_BORDER; said >= SAYS_RULE && split; said--) {
        put_split(&most, split, all->list.n, (enum said)said, open_line(w));
        if (close_line(w, "split"))
            return;
    }
    if (split)
        append_split(w, split);
}

/* --------------------------------------------------------------------- what to do */

/* Prints the changes to make. Each change has a `text` with names and reasons, and a
 * shorter `brief` text. Prints the `text` of a change only if the `brief` texts of all
 * later changes then still fit into the summary. Otherwise, prints its `brief` text. */
static void write_todos(struct writer *w, const struct fsd_todos *all)
{
    uint32_t written = 0, behind = 0;

    for (uint32_t i = 0; i < all->n; i++)
        behind += count_rows(all->at[i].brief);
    FSD_EACH (const struct fsd_todo, todo, *all) {
        bool fits;

        behind -= count_rows(todo->brief);
        fits = w->rows + count_rows(todo->text) + behind <= FSD_BRIEF_LINES;
        fputs(fits ? todo->text : todo->brief, open_line(w));
        written += close_line(w, "to do");
    }
    if (written)
        return;
    open_line(w);
    if (w->d->engine->only_timed) {
        fputs("pass the engine's layer dump, and pass this file with "
              "--profile",
              w->out);
    } else if (all->n) {
        fsd_put_noun(w->out, all->n, "change");
        fputs(" may save time; run fusiondiff reformats", w->out);
    } else if (w->split_edit) { /* builds showed that the edit works, but not what it
                                   gains */
        fprintf(w->out, "fuse each attention into one kernel: %s; the gain is unknown",
                w->split_edit);
        if (close_line(w, "to do"))
            return;
        fputs("fuse each attention into one kernel; see fusiondiff patterns",
              open_line(w));
    } else {
        fputs("no known change saves more than 1 %", w->out);
    }
    close_line(w, "to do");
}

/* -------------------------------------------------------------- where it goes wrong */

static void put_entry(const struct fsd_diff *d, const struct fsd_entry *e, FILE *out)
{
    char room[FSD_BRIEF_ROOM];

    fprintf(out, "`%s`",
            fsd_brief(fsd_text(d->names, d->numbers->rows.at[e->row].name), room));
    if (e->node == FSD_NONE) {
        fputs(", an input", out);
        return;
    }
    fputs(" of ", out);
    fsd_quote_node(d, e->node, out);
    if (e->layer != FSD_NONE)
        fprintf(out, " in layer %u", e->layer);
}

/* Prints where numerical errors begin. The limit is printed even if no error exceeds
 * it. */
static void write_wrong(struct writer *w)
{
    const struct fsd_values *v = w->d->values;
    bool errors = v && v->numbers->of == FSD_NUMBERS_OF_ERRORS;
    FILE *out;

    if (!v || v->numbers->of == FSD_NUMBERS_OF_TABLE)
        return;
    out = open_line(w);
    fprintf(out, "%u of %u tensor%s%s", v->over, v->numbers->rows.n,
            fsd_plural(v->numbers->rows.n), v->over == 1 ? " has" : " have");
    if (errors)
        fprintf(out, " an error above %g", v->limit);
    else
        fputs(" NaN or Inf", out);
    if (v->entries.n) {
        fputs(", the first ", out);
        put_entry(w->d, &v->entries.at[0], out);
    }
    close_line(w, "values");
}

/* -------------------------------------------------------------- what is not known */

static void add_unknown(struct writer *w, uint32_t n, const char *noun,
                        const char *what)
{
    if (!n)
        return;
    fputs(w->comma, w->out);
    fsd_put_noun(w->out, n, noun);
    fprintf(w->out, " %s", what);
    w->comma = ", ";
}

/* The line on unknown facts, which is the last line. The other lines leave room for
 * this line. */
static const char *unknown_of(struct writer *w)
{
    const struct fsd_summary *s = w->d->summary;
    uint32_t untyped = 0;

    for (fsd_id i = 0; i < w->d->engine->nodes.n; i++)
        untyped += w->d->layers[i].kind == FSD_KIND_COMPUTE &&
                   w->d->layers[i].precision == FSD_DTYPE_UNKNOWN;
    open_line(w);
    w->comma = "";
    if (s->opaque) {
        fprintf(w->out,
                "the fusions and types inside %u region%s whose kernels the engine "
                "does not list",
                s->opaque, fsd_plural(s->opaque));
        if (s->hidden)
            fprintf(w->out, " (%u node%s)", s->hidden, fsd_plural(s->hidden));
        w->comma = ", ";
    }
    add_unknown(w, s->by_fate[FSD_FATE_UNEXPLAINED], "node", "unexplained");
    add_unknown(w, s->computing - s->mapped, "computing layer", "without a node");
    add_unknown(w, untyped, "layer", "of unknown type");
    add_unknown(w, w->d->cost->all.unknown, "layer", "of unknown size");
    if (!w->d->times->profiles)
        fprintf(w->out, "%sthe times (no --profile was given)", w->comma);
    return fsd_print_take(&w->print, w->arena);
}

static void close_unknown(struct writer *w, const char *unknown)
{
    w->rows -= count_rows(unknown);
    if (*unknown)
        add_line(w, "unknown", unknown);
}

/* Prints, if the run has a profile instead of an engine, which facts are unknown. */
static void write_alone(struct writer *w)
{
    if (!w->d->engine->only_timed)
        return;
    fputs(
        "none: the profile states only names and times of layers, so types and tensors "
        "are unknown",
        open_line(w));
    close_line(w, "engine");
}

/* The number of rows to reserve for `todos`, at least 1: for all facts, and for the
 * first change after the facts. A fact only states that no change avoids a certain
 * cost. If the summary showed facts but no change, a reader would assume that nothing
 * helps. */
static unsigned rows_to_reserve(const struct fsd_todos *todos)
{
    unsigned rows = 0;

    for (uint32_t i = 0; i < todos->n && i <= todos->facts; i++)
        rows += count_rows(todos->at[i].brief);
    return rows ? rows : 1;
}

/* Moves line `n` and all lines after it to the front of the summary. The caller wrote
 * these lines after the other lines, into the room that the other lines left. */
static void put_first(struct fsd_brief *brief, uint32_t n)
{
    struct fsd_brief was = *brief;
    uint32_t moved = brief->n - n;

    memcpy(brief->at, was.at + n, moved * sizeof *was.at);
    memcpy(brief->at + moved, was.at, n * sizeof *was.at);
}

struct fsd_brief fsd_brief_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct writer w = {.arena = arena, .d = d};
    const char *unknown = unknown_of(&w);
    struct fsd_todos todos = {0};
    uint32_t reserved, facts;

    if (!d->engine->only_timed)
        todos = fsd_find_todos(arena, d);
    reserved = rows_to_reserve(&todos);
    w.rows = count_rows(unknown);
    write_wrong(&w);
    write_alone(&w);
    write_layers(&w);
    write_spent(&w);
    w.rows += reserved;
    write_operators(&w);
    write_split(&w);
    write_causes(&w);
    w.rows -= reserved;
    facts = w.brief.n;
    write_todos(&w, &todos);
    put_first(&w.brief, facts);
    close_unknown(&w, unknown);
    return w.brief;
}

struct fsd_brief fsd_brief_of_check(struct fsd_arena *arena, const char *const says[3],
                                    bool saves, const struct fsd_diff *d)
{
    const char *const topics[] = {"changed", saves ? "saves" : "costs", "to do"};
    struct writer w = {.arena = arena, .d = d};
    const char *unknown = d ? unknown_of(&w) : "";

    w.rows = count_rows(unknown);
    for (size_t i = 0; says[0] && i < FSD_COUNT_OF(topics); i++)
        add_line(&w, topics[i], says[i]);
    if (d) {
        write_layers(&w);
        write_spent(&w);
        write_operators(&w);
        write_causes(&w);
        close_unknown(&w, unknown);
    }
    return w.brief;
}
