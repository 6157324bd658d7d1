/*
 * Describes the effect of each knob. A sentence compares two builds that differ only in
 * this knob, names their routes, and lists the groups of nodes that prove the effect.
 * If further pairs of routes differ only in this knob, the sentence states whether the
 * effect is the same for all pairs.
 */
#include "base/base.h"
#include "report/view/routes.h"

#include <math.h>
#include <stdlib.h>

enum { PROVED = 3 }; /* maximum number of regions that text shows for an effect */

static const char *text(const struct fsd_routes_source *k, fsd_sym sym)
{
    return fsd_text(k->r->names, sym);
}

const char *fsd_setting_text(const struct fsd_routes_source *k, uint32_t knob,
                             fsd_sym value)
{
    const char *name = text(k, k->r->knobs.at[knob].name),
               *is = value ? text(k, value) : "not known";

    return strncmp(is, "not ", 4) != 0 ? fsd_printed(k->arena, "%s=%s", name, is)
                                       : fsd_printed(k->arena, "%s %s", name, is);
}

static const char *route_name(const struct fsd_routes_source *k, uint32_t route)
{
    return k->r->routes[route].in->name;
}

/* ------------------------------------------------------------------------- a proof */

/* clang-format off */
#define PROOF_ROW(has, set, when, t) \
    set(t, TEXT,  happened, fsd_happened_name(region->happened), "fusion", \
        .always = true, .about = "how the fusion changed, in the same words as the " \
                                 "member `what` of a region in fusiondiff-compare") \
    set(t, WORDS, before, groups_of(k, c, region->old_groups, false), "groups before", \
        .always = true, .about = "for each group, the nodes that its layers compute") \
    set(t, WORDS, after, groups_of(k, c, region->new_groups, true), "groups after", \
        .always = true) \
    set(t, TEXT,  precision, fsd_region_precision(region), "precision", \
        .always = true) \
    has(t, NAME,  proof,      FSD_ASIDE)
FSD_RECORD(proof_row, PROOF_ROW)
/* clang-format on */

static const char *group_text(const struct fsd_routes_source *k,
                              const struct fsd_state *s, fsd_id group)
{
    const struct fsd_group *g = &s->groups.at[group];
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    fsd_put_group(s, g, out);
    if (g->layers > 1)
        fprintf(out, " (%u layers)", g->layers);
    return fsd_print_take(&print, k->arena);
}

static struct fsd_words groups_of(const struct fsd_routes_source *k,
                                  const struct fsd_compare *c, struct fsd_span groups,
                                  bool new)
{
    const char **words = FSD_NEW(k->arena, const char *, groups.n);

    for (uint32_t i = 0; i < groups.n; i++)
        words[i] = group_text(k, new ? c->new : c->old, c->pool.at[groups.at + i]);
    return fsd_words(words, groups.n);
}

static void put_groups(struct fsd_words groups, FILE *out)
{
    for (uint32_t i = 0; i < groups.n; i++)
        fprintf(out, "%s%s", i ? " | " : "", groups.at[i]);
    if (!groups.n)
        fputs("no layer", out);
}

static const char *proof_text(const struct fsd_routes_source *k,
                              const struct proof_row *row,
                              const struct fsd_region_diff *region)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    put_groups(row->before, out);
    if (region->happened != FSD_HAPPENED_SAME) {
        fputs("  ->  ", out);
        put_groups(row->after, out);
    } else if (region->width != FSD_WIDTH_SAME) {
        fprintf(out, "  %s", row->precision);
    } else {
        fputs(region->kernels  ? "  different kernels"
              : region->moves  ? "  different data movement"
              : region->layout ? "  different layout"
              : region->tactic ? "  different tactic"
                               : "",
              out);
    }
    return fsd_print_take(&print, k->arena);
}

static const struct fsd_rows *proof_rows(const struct fsd_routes_source *k,
                                         const struct fsd_engine_change *change)
{
    struct fsd_rows *rows =
        fsd_rows_new(k->arena, &proof_row_record, "      {proof}\n");
    const struct fsd_compare *c = change ? change->compare : NULL;

    for (uint32_t i = 0; c && i < c->regions.n; i++) {
        const struct fsd_region_diff *region = &c->regions.at[c->order[i]];
        struct proof_row *row;

        if (!region->differs && !region->tactic)
            continue;
        row = fsd_rows_add(rows);
        FSD_FILL(row, PROOF_ROW);
        row->proof = proof_text(k, row, region);
    }
    return rows;
}

/* ---------------------------------------------------------------------- a sentence */

/* clang-format off */
#define PATTERN_ROW(has, set, when, t) \
    set(t, TEXT,  pattern, b->pattern, "pattern") \
    set(t, COUNT, blocks, b->blocks, "blocks") \
    set(t, COUNT, lost, b->lost, "lost") \
    set(t, COUNT, gained, b->gained, "gained")
FSD_RECORD(pattern_row, PATTERN_ROW)
/* clang-format on */

static const struct fsd_rows *pattern_rows(const struct fsd_routes_source *k,
                                           const fsd_block_changes *changes)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &pattern_row_record, "");

    FSD_EACH (const struct fsd_block_change, b, *changes)
        if (b->lost || b->gained)
            FSD_ADD(rows, pattern_row, PATTERN_ROW);
    return rows;
}

/* A list of clauses with commas between them. */
struct clauses {
    FILE *out;
    bool any;
};

static FILE *next_clause(struct clauses *c)
{
    fputs(c->any ? ", " : "", c->out);
    c->any = true;
    return c->out;
}

/* Prints a clause, "splits 3 fusions"; nothing if n is 0. */
static void put_count(struct clauses *c, const char *verb, uint32_t n, const char *noun)
{
    if (n) {
        fprintf(next_clause(c), "%s ", verb);
        fsd_put_noun(c->out, n, noun);
    }
}

static void put_patterns(struct clauses *c, const fsd_block_changes *changes)
{
    FSD_EACH (const struct fsd_block_change, b, *changes) {
        if (b->lost)
            fprintf(next_clause(c), "loses the %s fusion in %u of %u blocks",
                    b->pattern, b->lost, b->blocks);
        if (b->gained)
            fprintf(next_clause(c), "gains the %s fusion in %u of %u blocks",
                    b->pattern, b->gained, b->blocks);
    }
}

static void put_change(struct clauses *c, const struct fsd_engine_change *e)
{
    put_count(c, "splits", e->split, "fusion");
    put_count(c, "joins", e->joined, "fusion");
    put_count(c, "regroups", e->regrouped, "fusion");
    put_count(c, "adds", e->added, "computed group");
    put_count(c, "leaves out", e->gone, "computed group");
    put_count(c, "raises the precision of", e->wider, "group");
    put_count(c, "lowers the precision of", e->narrower, "group");
    put_count(c, "changes the kernels of", e->kernels, "group");
    put_count(c, e->layers > 0 ? "adds" : "removes", (uint32_t)abs(e->layers), "layer");
    put_count(c, e->inserted > 0 ? "adds" : "removes", (uint32_t)abs(e->inserted),
              "data-movement layer");
}

static void put_what(const struct fsd_engine_change *change,
                     const fsd_block_changes *patterns, FILE *out)
{
    struct clauses c = {out, false};

    if (!change) {
        fputs("not compared: a build is missing", out);
        return;
    }
    if (change->same) {
        fputs("causes no known difference between the builds", out);
        return;
    }
    if (change->tactics) {
        fputs("changes tactics only", out);
        return;
    }
    put_patterns(&c, patterns);
    put_change(&c, change);
    if (!c.any && change->compare->differs)
        fputs("changes layouts or data movement", next_clause(&c));
    if (change->unclear || change->open)
        fputs(c.any ? "; there may be more differences (one build states less than "
                      "the other)"
                    : "not known: one build states less than the other",
              out);
}

/* Prints a difference, "+0.4000 ms". fsd_put_delta() needs two times that are not
 * negative. */
static void put_more(double ms, FILE *out)
{
    fsd_put_delta(ms < 0 ? -ms : 0, ms < 0 ? 0 : ms, out);
}

/* Prints the change in time: "+0.4000 ms (1.200 -> 1.600 ms)". If several pairs have
 * times, prints the smallest and the largest change. If no pair has times, prints that
 * the times were not measured, or that they were measured in different ways. Also
 * states if all changes are within the noise. */
static void put_cost(const struct fsd_routes_source *k,
                     const struct fsd_route_effect *e, FILE *out)
{
    const struct fsd_route_step *s = &k->r->steps.at[e->shown];

    if (!e->timed) {
        fputs(k->r->routes[s->from].in->unlike || k->r->routes[s->to].in->unlike
                  ? ", times measured in different ways"
                  : ", time not measured",
              out);
        return;
    }
    fputs(", ", out);
    if (e->timed == 1 && !isnan(s->ms)) {
        double before = k->r->routes[s->from].in->ms;

        fsd_put_delta(before, before + s->ms, out);
        fputs(" (", out);
        fsd_put_ms(before, out);
        fputs(" -> ", out);
        fsd_put_ms(before + s->ms, out);
        fputc(')', out);
    } else {
        put_more(e->least, out);
        if (e->timed > 1) {
            fputs(" to ", out);
            put_more(e->most, out);
            fprintf(out, " in %u pairs", e->timed);
        }
    }
    if (k->r->noise >= 0 && e->most <= k->r->noise && -e->least <= k->r->noise)
        fputs(", within the noise", out);
}

/* States for how many pairs the effect is the same as for the shown pair. */
static void put_others(const struct fsd_routes_source *k,
                       const struct fsd_route_effect *e, FILE *out)
{
    const struct fsd_engine_change *shown = k->r->steps.at[e->shown].change;
    uint32_t like = 0;

    if (e->compared < 2 || !shown)
        return;
    for (uint32_t i = 0; i < e->steps.n; i++) {
        const struct fsd_engine_change *one = k->r->steps.at[e->steps.at + i].change;

        like += one && one->same == shown->same && one->split == shown->split &&
                one->joined == shown->joined && one->layers == shown->layers &&
                one->inserted == shown->inserted && one->wider == shown->wider;
    }
    if (like < e->compared)
        fprintf(out, "; same effect in %u of %u pairs", like, e->compared);
    else if (like == 2)
        fputs("; same effect in both pairs", out);
    else
        fprintf(out, "; same effect in all %u pairs", like);
}

/* Whether a fact only repeats the knob's value. Example: for the knob setting "v=1.4",
 * the builder's version 1.4 is such a fact. */
static bool states(const struct fsd_routes_source *k, const char *fact, fsd_sym value)
{
    const char *is = value ? text(k, value) : "";
    size_t n = strlen(is);

    for (const char *at = fact; n && (at = strstr(at, is)); at++)
        if ((at == fact || !(fsd_is_word(at[-1]) || at[-1] == '.')) &&
            !(fsd_is_word(at[n]) || at[n] == '.'))
            return true;
    return false;
}

/* Prints further differences between the builds of the shown pair, because these may
 * also cause the effect: "; the builds also differ in KNOB: OLD -> NEW". KNOB has
 * `follows`, and its values were read from the builds. Leaves out values that only
 * repeat the value of the changed knob. */
static void put_followers(const struct fsd_routes_source *k,
                          const struct fsd_route_effect *e, FILE *out)
{
    const struct fsd_route_step *s = &k->r->steps.at[e->shown];

    for (uint32_t i = 0; i < k->r->knobs.n; i++) {
        fsd_sym before = k->r->routes[s->from].stated[i],
                after = k->r->routes[s->to].stated[i];

        if (!k->r->knobs.at[i].follows || !before || !after || before == after ||
            states(k, text(k, before), e->before) ||
            states(k, text(k, after), e->after))
            continue;
        fprintf(out, "; the builds also differ in %s: %s -> %s",
                text(k, k->r->knobs.at[i].name), text(k, before), text(k, after));
    }
}

static const char *sentence(const struct fsd_routes_source *k,
                            const struct fsd_route_effect *e,
                            const fsd_block_changes *patterns)
{
    const struct fsd_route_step *s = &k->r->steps.at[e->shown];
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    put_what(s->change, patterns, out);
    put_cost(k, e, out);
    fprintf(out, " [route %s -> %s]", route_name(k, s->from), route_name(k, s->to));
    put_others(k, e, out);
    put_followers(k, e, out);
    return fsd_print_take(&print, k->arena);
}

/* ------------------------------------------------------------------------- effects */

/* clang-format off */
#define STEP_ROW(has, set, when, t) \
    set(t, NAME, from, route_name(k, s->from), "from") \
    set(t, NAME, to, route_name(k, s->to), "to") \
    when(t, FLAG, same, s->change, s->change->same, "same", \
        .about = "true if the builds have no known difference; absent if a build is " \
                 "missing") \
    when(t, NUMBER, ms, !isnan(s->ms), s->ms, "ms more")
FSD_RECORD(step_row, STEP_ROW)

#define EFFECT_ROW(has, set, when, t) \
    set(t, NAME,  knob, text(k, k->r->knobs.at[e->knob].name), "knob", .always = true) \
    set(t, NAME,  before, text(k, e->before), "before", .always = true) \
    set(t, NAME,  after, text(k, e->after), "after", .always = true) \
    set(t, NAME,  says, sentence(k, e, &patterns), "effect", .always = true) \
    set(t, NAME,  from, route_name(k, s->from), "from", .always = true, \
        .about = "first route of the pair that the row describes") \
    set(t, NAME,  to, route_name(k, s->to), "to", .always = true) \
    when(t, COUNT, split, s->change, s->change->split, "fusions split") \
    when(t, COUNT, joined, s->change, s->change->joined, "fusions joined") \
    when(t, COUNT, regrouped, s->change, s->change->regrouped, NULL) \
    when(t, COUNT, kernels, s->change, s->change->kernels, NULL, \
        .about = "number of groups with the same fusion and different kernels") \
    when(t, NUMBER, layers, s->change, s->change->layers, "additional layers") \
    when(t, NUMBER, inserted, s->change, s->change->inserted, \
        "additional data-movement layers") \
    when(t, NUMBER, least_ms, e->timed, e->least, "smallest change in ms", \
        .about = "smallest change of time among all pairs; absent if no pair is " \
                 "timed") \
    when(t, NUMBER, most_ms, e->timed, e->most, "largest change in ms") \
    set(t, ROWS,  patterns, pattern_rows(k, &patterns), NULL, \
        .of = &pattern_row_record) \
    set(t, ROWS,  steps, step_rows(k, e), NULL, .of = &step_row_record, \
        .always = true, \
        .about = "all pairs of routes that differ in this knob alone") \
    set(t, ROWS,  proof, proof_rows(k, s->change), NULL, .of = &proof_row_record, \
        .always = true, \
        .about = "the differences between the builds of the routes `from` and `to`") \
    set(t, NAME,  setting, fsd_setting_text(k, e->knob, e->after), FSD_ASIDE) \
    has(t, ROWS,  shown,    FSD_ASIDE, .of = &proof_row_record) \
    has(t, COUNT, more,     FSD_ASIDE)
FSD_RECORD_SHARED(effect_row, EFFECT_ROW)
/* clang-format on */

static const struct fsd_rows *step_rows(const struct fsd_routes_source *k,
                                        const struct fsd_route_effect *e)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &step_row_record, "");

    FSD_EACH_IN (const struct fsd_route_step, s, k->r->steps, e->steps)
        FSD_ADD(rows, step_row, STEP_ROW);
    return rows;
}

static void fill_effect(const struct fsd_routes_source *k, struct effect_row *row,
                        const struct fsd_route_effect *e)
{
    const struct fsd_route_step *s = &k->r->steps.at[e->shown];
    fsd_block_changes patterns = {0};

    if (s->change && !s->change->same)
        patterns = fsd_route_block_changes(k->arena, k->r, s->from, s->to);
    FSD_FILL(row, EFFECT_ROW);
    row->shown = fsd_rows_first(row->proof, k->style->all ? UINT32_MAX : PROVED);
    if (row->proof->at.n > row->shown->at.n)
        row->more = fsd_count(row->proof->at.n - row->shown->at.n);
}

/* If `brief` is true, leaves out idle effects whose times are not measured. idle_text()
 * lists the settings of these effects in one line. */
const struct fsd_rows *fsd_effect_rows(const struct fsd_routes_source *k, bool brief)
{
    struct fsd_rows *rows =
        fsd_rows_new(k->arena, &fsd_effect_row_record,
                     "  {*}{setting}{/}  {says}\n{shown}"
                     "<      and {more!|group|groups} more (--all)\n>");

    FSD_EACH (const struct fsd_route_effect, e, k->r->effects)
        if (!brief || e->timed || !fsd_effect_is_idle(e))
            fill_effect(k, fsd_rows_add(rows), e);
    return rows;
}
