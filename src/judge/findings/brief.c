/*
 * The summary of a run, in at most eight lines of a terminal.  It computes nothing:
 * counts come from the summary, times and bytes from the costs, and what to do is the
 * advice for data-movement layers, with lint's edits of one rule summed up.
 *
 *     runs     37 layers: 23 compute (int8 21, fp16 1, fp32 1), 12 move data, 2 free
 *     time     1.096 ms a run: compute 74.6 %, data movement 25.4 %
 *     moves    quantize 21.2 % (10 layers), dtype+layout 3.4 % (1), layout 0.8 % (1)
 *     to do    add 8 Q/DQ pairs, 3 of them with a scale to calibrate (lint
 *              qdq/residual): may save 0.2007 ms, 18.3 %; fusiondiff lint --fix
 *
 * All shares have one denominator: the time of the whole engine where it was measured,
 * else all bytes that are known.
 */
#include "judge/findings/brief.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/findings/cite.h"
#include "judge/lint/lint.h"
#include "explain/values/values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEEDS = 3, MOST_CAUSES = 3 };

static const double LEAST_SHARE = 0.0005; /* below this, "0.1 %" would exaggerate */
static const double SAVING_UNKNOWN = 0.05;

struct writer {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_brief brief;
    struct fsd_print print;
    FILE *out;
    const char *comma; /* before an item that is added to a list */
    unsigned rows;     /* rows of the terminal used so far */
};

static FILE *open_line(struct writer *w)
{
    return w->out = fsd_print_open(&w->print);
}

/* Rows of the terminal that a text takes, each line of it indented behind the first. */
static unsigned rows_of(const char *text)
{
    size_t room = FSD_BRIEF_COLUMNS - FSD_BRIEF_TOPIC - 2;

    return (unsigned)((fsd_safe_width(text) + room - 1) / room);
}

static void add_line(struct writer *w, const char *topic, const char *text)
{
    w->brief.at[w->brief.n++] = (struct fsd_brief_line){topic, text};
    w->rows += rows_of(text);
}

/* Adds the line that was printed, unless it is empty or has no room. */
static bool close_line(struct writer *w, const char *topic)
{
    const char *text = fsd_print_take(&w->print, w->arena);

    if (!*text || w->rows + rows_of(text) > FSD_BRIEF_LINES)
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
    for (int i = FSD__DTYPE_COUNT - 1; i >= 0; i--) { /* unknown ones last */
        if (!types[i])
            continue;
        fprintf(out, "%s%s %u", separator,
                i == FSD_DTYPE_UNKNOWN ? "unknown" : fsd_dtype_name((enum fsd_dtype)i),
                types[i]);
        separator = ", ";
    }
    fputs(*separator == ',' ? ")" : "", out);
}

static void write_runs(struct writer *w)
{
    static const char *const verbs[FSD__SPENT_COUNT] = {
        [FSD_SPENT_REQUANTIZE] = "requantize",
        [FSD_SPENT_MOVEMENT] = "move data",
        [FSD_SPENT_REQUESTED] = "move data as the model requires",
        [FSD_SPENT_NOTHING] = "free"};
    const struct fsd_spent_sum *spent = w->d->cost->spent;
    uint32_t layers = w->d->engine->nodes.n;
    FILE *out = open_line(w);

    fsd_put_noun(out, layers, "layer");
    fprintf(out, ": %u compute",
            spent[FSD_SPENT_COMPUTE].layers + spent[FSD_SPENT_REQUANTIZE].layers);
    put_types(w->d, out);
    for (int i = FSD_SPENT_REQUANTIZE; i < FSD__SPENT_COUNT; i++)
        if (spent[i].layers)
            fprintf(out, ", %u %s%s", spent[i].layers,
                    i == FSD_SPENT_REQUANTIZE ? "of them " : "", verbs[i]);
    close_line(w, "runs");
}

/* ------------------------------------------------------------------- where it goes */

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
        fprintf(out, "%.4g ms a run (layers %.4g ms)", w->d->times->run.median,
                w->d->times->total);
    } else if (timed) {
        fprintf(out, "%.4g ms in layers", w->d->times->total);
    } else {
        fsd_put_scaled(cost->all.bytes, NULL, " B", out);
        fputs(cost->all.unknown ? ", as far as sizes are known" : "", out);
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

/* The operators with most time; a layer's time is shared by work, that of an opaque
 * region belongs to none.  Nodes that only an engine's names show may have no operator.
 */
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
    close_line(w, "most in");
}

/* Data-movement layers of one cause. */
struct cause {
    const char *word;
    uint32_t layers;
    double share;
};

static int by_share(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;

    return fsd_then(fsd_falling(x->share, y->share), strcmp(x->word, y->word));
}

static const char *cause_words(const struct fsd_diff *d, fsd_id layer)
{
    const char *word = fsd_mover_word(d, layer);

    if (*word && strcmp(word, "unknown") != 0)
        return word;
    if (fsd_layer_pads(d->engine, layer, NULL, NULL))
        return "padding";
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
    close_line(w, "moves");
}

/* --------------------------------------------------------------------- what to do */

/* Something to do, for the sake of some layers: edits of the model that one rule of
 * lint proposes, or an advice. */
struct deed {
    const char *advice;
    FSD_VEC(const struct fsd_cite *) edits; /* none: an advice */
    double ms, share;
};

struct deeds {
    FSD_VEC(struct deed) list;
    struct fsd_intern *keys; /* numbered from 1, as the list is from 0 */
};

/* An unknown saving comes after the large ones and before the small ones. */
static double rank_of(const struct deed *deed)
{
    return deed->share > 0 ? deed->share : SAVING_UNKNOWN;
}

static int by_gain(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;

    return fsd_then(
        fsd_falling(rank_of(x), rank_of(y)),
        fsd_then(fsd_order(y->edits.n, x->edits.n), strcmp(x->advice, y->advice)));
}

static struct deed *deed_of(struct writer *w, struct deeds *all, const char *key)
{
    fsd_sym sym = fsd_intern_str(all->keys, key);

    if (sym > all->list.n)
        fsd_vec_push(w->arena, &all->list,
                     ((struct deed){.advice = fsd_text(all->keys, sym)}));
    return &all->list.at[sym - 1];
}

static void add_edit(struct writer *w, struct deed *deed, const struct fsd_cite *cite)
{
    for (uint32_t i = 0; i < deed->edits.n; i++)
        if (fsd_cites_same_edit(deed->edits.at[i], cite))
            return;
    fsd_vec_push(w->arena, &deed->edits, cite);
}

static struct deed *deed_of_edit(struct writer *w, struct deeds *all,
                                 const struct fsd_cite *cite)
{
    return deed_of(w, all,
                   fsd_printed(w->arena, "%s %d", cite->rule, (int)cite->edit->action));
}

/* The deed of the layer's first edit, with all its edits of that rule and action: each
 * layer's share is counted once. */
static struct deed *edits_of(struct writer *w, struct deeds *all, struct fsd_span span)
{
    const struct fsd_cite *own = &w->d->findings->cites.at[span.at];
    struct deed *deed = deed_of_edit(w, all, own);

    for (uint32_t i = 0; i < span.n; i++)
        if (!strcmp(own[i].rule, own->rule) && own[i].edit->action == own->edit->action)
            add_edit(w, deed, &own[i]);
    return deed;
}

/* Edits that the dump confirms at kernels that compute: how much time these would save
 * is not in the dump. */
static void add_proposed(struct writer *w, struct deeds *all)
{
    const struct fsd_findings *found = w->d->findings;
    uint32_t costed = all->list.n;

    for (uint32_t i = 0; i < found->proposed.n; i++) {
        const struct fsd_cite *cite = &found->proposed.at[i];
        struct deed *deed = deed_of_edit(w, all, cite);

        if (deed >= all->list.at + costed)
            add_edit(w, deed, cite);
    }
}

static struct deed *advice_of(struct writer *w, struct deeds *all, fsd_id layer)
{
    bool proposes = fsd_put_advice(w->d, layer, open_line(w));
    const char *text = fsd_print_take(&w->print, w->arena);

    return proposes ? deed_of(w, all, text) : NULL;
}

/* No layer computes in less than 32 bits, and some are kernels of products.  Layers in
 * a region, or with an unknown type, may do so. */
static bool is_fp32_only(const struct fsd_diff *d)
{
    bool multiplies = false;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_result *r = &d->layers[i];
        int rank = fsd_dtype_rank(r->precision);

        if (r->kind == FSD_KIND_FOREIGN)
            return false;
        if (r->kind != FSD_KIND_COMPUTE)
            continue;
        if (rank ? rank < fsd_dtype_rank(FSD_FP32) : r->precision == FSD_DTYPE_UNKNOWN)
            return false;
        multiplies |= rank && d->engine->layers.at[i].multiplies;
    }
    return multiplies;
}

/* The dump does not show what FP16 would save, but it is worth stating that FP16 was
 * not enabled. */
static void add_fp16(struct writer *w, struct deeds *all)
{
    if (fsd_target_of(w->d->engine) && is_fp32_only(w->d))
        deed_of(w, all,
                w->d->engine->strongly_typed
                    ? "convert the model to FP16 (ModelOpt AutoCast), since no layer "
                      "computes in less than FP32"
                    : "build with --fp16, or convert the model to FP16, since no layer "
                      "computes in less than FP32");
}

static struct deeds find_deeds(struct writer *w)
{
    uint32_t n_layers = w->d->engine->nodes.n;
    struct deeds all = {.keys = fsd_intern_new(w->arena)};

    for (fsd_id i = 0; i < n_layers; i++) {
        double share = fsd_cost_share(w->d, i), ms = fsd_layer_ms(w->d, i);
        struct fsd_span cites = fsd_layer_cites(w->d, i);
        struct deed *deed;

        if (w->d->cost->layers[i].spent != FSD_SPENT_MOVEMENT || share < LEAST_SHARE)
            continue;
        deed = cites.n ? edits_of(w, &all, cites) : advice_of(w, &all, i);
        if (!deed)
            continue;
        deed->share += share;
        deed->ms += ms > 0 ? ms : 0;
    }
    add_proposed(w, &all);
    add_fp16(w, &all);
    fsd_vec_sort(&all.list, by_gain);
    return all;
}

/* @param brief leaves out remarks in parentheses, and reasons. */
static void put_advice(const char *advice, bool brief, FILE *out)
{
    const char *end = brief ? strstr(advice, ", since ") : NULL;
    int depth = 0;

    if (!end)
        end = advice + strlen(advice);
    for (const char *at = advice; at < end; at++) {
        depth += brief && !strncmp(at, " (", 2);
        if (!depth)
            putc(*at, out);
        depth -= depth && *at == ')';
    }
}

/* @param brief prints only what one edit does, not where, and no reasons.
 * @return whether it had room */
static bool write_deed(struct writer *w, const struct deed *deed, bool brief)
{
    FILE *out = open_line(w);

    if (deed->edits.n)
        fsd_put_cites_sum(deed->edits.at, deed->edits.n, brief, out);
    else
        put_advice(deed->advice, brief, out);
    if (deed->share > 0) {
        fputs(": may save ", out);
        if (deed->ms > 0)
            fprintf(out, "%.4f ms, ", deed->ms);
        put_percent(deed->share, out);
        if (deed->ms <= 0 && w->d->cost->all.unknown)
            fputs(" of the known bytes", out);
    } else {
        fputs(brief ? ": gain unknown" : ": the dump does not show how much this saves",
              out);
    }
    fprintf(out, "; fusiondiff %s",
            deed->edits.n     ? "lint --fix"
            : deed->share > 0 ? "reformats"
                              : "top");
    return close_line(w, "to do");
}

static void write_deeds(struct writer *w)
{
    struct deeds all = find_deeds(w);
    uint32_t written = 0;

    for (uint32_t i = 0; i < all.list.n && written < MOST_DEEDS; i++)
        written += write_deed(w, &all.list.at[i], false) ||
                   write_deed(w, &all.list.at[i], true);
    if (written)
        return;
    open_line(w);
    if (w->d->engine->only_timed) {
        fputs("give the engine's dump of layers, and this file to --profile", w->out);
    } else if (all.list.n) {
        fsd_put_noun(w->out, all.list.n, "change");
        fputs(" may save time; fusiondiff reformats", w->out);
    } else {
        fputs("no time-saving change is known", w->out);
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

/* The limit is stated even if nothing exceeds it. */
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

/* Its line is the last, and always has room. */
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
        fprintf(w->out, "fusions and types inside %u opaque region%s", s->opaque,
                fsd_plural(s->opaque));
        if (s->hidden)
            fprintf(w->out, " (%u node%s)", s->hidden, fsd_plural(s->hidden));
        w->comma = ", ";
    }
    add_unknown(w, s->by_fate[FSD_FATE_UNEXPLAINED], "node", "unexplained");
    add_unknown(w, s->computing - s->mapped, "computing layer", "without a node");
    add_unknown(w, untyped, "layer", "of unknown type");
    add_unknown(w, w->d->cost->all.unknown, "layer", "of unknown bytes");
    if (!w->d->times->profiles)
        fprintf(w->out, "%sthe times: no --profile was given", w->comma);
    return fsd_print_take(&w->print, w->arena);
}

static void close_unknown(struct writer *w, const char *unknown)
{
    w->rows -= rows_of(unknown);
    if (*unknown)
        add_line(w, "unknown", unknown);
}

/* It shows where time goes, and no more. */
static void write_alone(struct writer *w)
{
    if (!w->d->engine->only_timed)
        return;
    fputs("a profile alone, which has names and times; types and tensors are unknown",
          open_line(w));
    close_line(w, "engine");
}

struct fsd_brief fsd_brief_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct writer w = {.arena = arena, .d = d};
    const char *unknown = unknown_of(&w);

    w.rows = rows_of(unknown);
    write_wrong(&w);
    write_alone(&w);
    write_runs(&w);
    write_spent(&w);
    write_operators(&w);
    write_causes(&w);
    write_deeds(&w);
    close_unknown(&w, unknown);
    return w.brief;
}

struct fsd_brief fsd_brief_of_check(struct fsd_arena *arena, const char *const says[3],
                                    bool saves, const struct fsd_diff *d)
{
    const char *const topics[] = {"changed", saves ? "saves" : "costs", "to do"};
    struct writer w = {.arena = arena, .d = d};
    const char *unknown = d ? unknown_of(&w) : "";

    w.rows = rows_of(unknown);
    for (size_t i = 0; says[0] && i < FSD_COUNT_OF(topics); i++)
        add_line(&w, topics[i], says[i]);
    if (d) {
        write_runs(&w);
        write_spent(&w);
        write_operators(&w);
        write_causes(&w);
        close_unknown(&w, unknown);
    }
    return w.brief;
}
