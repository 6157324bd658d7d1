/*
 * Compares routes: builds of one model with different settings. A knob is an option
 * whose setting varies. Shows the effect of each knob, the fastest route, and the
 * settings that this route needs. The sentences are composed here for all formats, so
 * that tables contain the same statements as text.
 */
#include "base/base.h"
#include "report/view/routes.h"

static const char *text(const struct fsd_routes_source *k, fsd_sym sym)
{
    return fsd_text(k->r->names, sym);
}

static const char *route_name(const struct fsd_routes_source *k, uint32_t route)
{
    return k->r->routes[route].in->name;
}

/* -------------------------------------------------------------------------- routes */

/* clang-format off */
#define ROUTE_ROW(has, set, when, t) \
    set(t, NAME,  route, route->in->name, "route", .always = true) \
    set(t, NAME,  path, route->in->path, "build") \
    set(t, MS,    ms, route->in->ms, "ms") \
    when(t, NUMBER, change, base >= 0 && route->in->ms >= 0 && i != k->r->base, \
        fsd_route_ms_between(base, route->in->ms), "ms more", \
        .about = "change of the time compared with the base") \
    when(t, NUMBER, loss, route->in->loss >= 0, route->in->loss, "loss", \
        .about = "loss of accuracy of the worst output") \
    has(t, NAME,  engine,   "engine", .about = "name of the engine; builds with the " \
                                               "same engine name have no known " \
                                               "difference") \
    has(t, COUNT, layers,   "layers") \
    has(t, COUNT, inserted, "data movement", .about = "number of layers that the " \
            "builder inserted and that only move data") \
    has(t, COUNT, split,    "fusions split", .about = "number of fusions of the base " \
                                                      "that this route splits") \
    has(t, COUNT, joined,   "fusions joined") \
    set(t, FLAG,  failed, route->in->failed, "failed", .if_true = true) \
    set(t, NAME,  error, route->in->failed && !route->in->error \
        ? "no reason is stated" : route->in->error, "error") \
    set(t, NAME,  unlike, route->in->unlike, "measured differently", \
        .about = "how this time was measured, if not in the same way as the other " \
                 "times; this time is not compared with the others") \
    set(t, FACTS, settings, settings_of(k, i, false), FSD_ALWAYS, \
        .about = "values of the knobs that vary between the routes") \
    set(t, NAME,  knobs, knobs_text(k, i), FSD_ASIDE) \
    has(t, TEXT,  numbers,  FSD_ASIDE)
FSD_RECORD(route_row, ROUTE_ROW)
/* clang-format on */

/* A row of a route. Tables add a column for each knob that varies. */
struct routed_row {
    struct route_row row;
    const char *values[];
};

static uint32_t count_varying(const struct fsd_routes_source *k)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->r->knobs.n; i++)
        n += k->r->knobs.at[i].varies;
    return n;
}

static const struct fsd_record *routed_record(const struct fsd_routes_source *k)
{
    const uint32_t fixed = route_row_record.n, n = count_varying(k);
    struct fsd_column *columns = FSD_NEW(k->arena, struct fsd_column, fixed + n);
    struct fsd_record *record = FSD_NEW(k->arena, struct fsd_record, 1);

    memcpy(columns, route_row_record.columns, fixed * sizeof *columns);
    for (uint32_t i = 0, at = 0; i < k->r->knobs.n; i++)
        if (k->r->knobs.at[i].varies) {
            const char *name = text(k, k->r->knobs.at[i].name);

            columns[fixed + at] = (struct fsd_column){
                .name = name,
                .kind = FSD_CELL_NAME,
                .at = (uint32_t)(offsetof(struct routed_row, values) +
                                 at * sizeof(char *)),
                .title = name,
                .aside = true};
            at++;
        }
    *record =
        (struct fsd_record){"route", columns, fixed + n,
                            (uint32_t)(sizeof(struct routed_row) + n * sizeof(char *))};
    return record;
}

/* The settings in which a route differs from the base. */
static const char *knobs_text(const struct fsd_routes_source *k, uint32_t route)
{
    const struct fsd_route *base = &k->r->routes[k->r->base],
                           *own = &k->r->routes[route];
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    bool any = false;

    for (uint32_t i = 0; i < k->r->knobs.n; i++)
        if (k->r->knobs.at[i].varies && own->values[i] != base->values[i]) {
            fprintf(out, "%s%s", any ? " " : "",
                    fsd_setting_text(k, i, own->values[i]));
            any = true;
        }
    if (!any)
        fputs(route == k->r->base ? "the base" : "as the base", out);
    return fsd_print_take(&print, k->arena);
}

/* The settings of a route for knobs that vary.
 * @param unlike true: only settings that differ from the base; false: only settings
 *         that the route states */
static struct fsd_fact_cells settings_of(const struct fsd_routes_source *k,
                                         uint32_t route, bool unlike)
{
    const fsd_sym *base = k->r->routes[k->r->base].values,
                  *own = k->r->routes[route].values;
    struct fsd_fact_cell *facts =
        FSD_NEW(k->arena, struct fsd_fact_cell, count_varying(k));
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->r->knobs.n; i++)
        if (k->r->knobs.at[i].varies && own[i] != (unlike ? base[i] : 0))
            facts[n++] = (struct fsd_fact_cell){.key = text(k, k->r->knobs.at[i].name),
                                                .text = text(k, own[i])};
    return (struct fsd_fact_cells){true, n, facts};
}

static void fill_build(const struct fsd_routes_source *k, struct route_row *row,
                       const struct fsd_route *route)
{
    const struct fsd_state *s = route->in->state;
    uint32_t base = k->r->routes[k->r->base].engine, inserted = 0;
    const struct fsd_engine_change *change = NULL;

    if (!s)
        return;
    for (uint32_t i = 0; i < s->moves.n; i++)
        inserted += s->moves.at[i].inserted && s->moves.at[i].cause != FSD_CAUSE_FREE;
    row->layers = fsd_count(s->layers);
    row->inserted = fsd_count(inserted);
    if (base != FSD_NONE)
        change = k->r->changes[(size_t)base * k->r->engines.n + route->engine];
    if (change) {
        row->split = fsd_count(change->split);
        row->joined = fsd_count(change->joined);
    }
}

static const char *count_text(const struct fsd_routes_source *k, struct fsd_count count)
{
    return count.known ? fsd_printed(k->arena, "%llu", (unsigned long long)count.is)
                       : "-";
}

/* Which optional columns the text's table has: the times, the losses, and the facts on
 * builds. Each of these is shown if at least one route has it. */
struct shown {
    bool ms, loss, builds;
    int name; /* width in columns */
};

static struct shown shown_of(const struct fsd_routes_source *k)
{
    struct shown s = {.name = (int)strlen("route")};

    for (uint32_t i = 0; i < k->r->n; i++) {
        const struct fsd_route_in *in = k->r->routes[i].in;

        s.ms |= in->ms >= 0;
        s.loss |= in->loss >= 0;
        s.builds |= in->state != NULL;
    }
    return s;
}

static const char *title_text(const struct fsd_routes_source *k)
{
    struct shown s = shown_of(k);

    return fsd_printed(k->arena, "route%s%s%s  knobs",
                       s.ms ? "        ms    change" : "", s.loss ? "     loss" : "",
                       s.builds ? "  engine  layers  moved  split  joined" : "");
}

static const char *numbers_text(const struct fsd_routes_source *k,
                                const struct route_row *row,
                                const struct fsd_route_in *in)
{
    struct shown s = shown_of(k);
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    fprintf(out, "%*s", s.name, in->name);
    if (s.ms) {
        fputs("  ", out);
        fsd_put_ms_column(in->ms, 8, out);
        if (row->change.known)
            fprintf(out, "  %+8.4f", row->change.is);
        else
            fprintf(out, "  %8s", "-");
    }
    if (s.loss)
        fprintf(out, "  %7s",
                in->loss >= 0 ? fsd_printed(k->arena, "%.4g", in->loss) : "-");
    if (s.builds)
        fprintf(out, "  %6s  %6s  %5s  %5s  %6s", row->engine ? row->engine : "-",
                count_text(k, row->layers), count_text(k, row->inserted),
                count_text(k, row->split), count_text(k, row->joined));
    return fsd_print_take(&print, k->arena);
}

static const char route_text[] = "{numbers}  {knobs}<\n       failed: {error!}><\n     "
                                 "  measured differently: {unlike!}>\n";

static const struct fsd_rows *route_rows(const struct fsd_routes_source *k)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, routed_record(k), route_text);
    double base = k->r->routes[k->r->base].in->ms;

    for (uint32_t i = 0; i < k->r->n; i++) {
        const struct fsd_route *route = &k->r->routes[i];
        struct routed_row *routed = fsd_rows_add(rows);
        struct route_row *row = &routed->row;

        FSD_FILL(row, ROUTE_ROW);
        /* "E2": users see engine numbers from 1. */
        row->engine = route->engine == FSD_NONE
                          ? NULL
                          : fsd_printed(k->arena, "E%u", route->engine + 1);
        fill_build(k, row, route);
        row->numbers = numbers_text(k, row, route->in);
        for (uint32_t n = 0, at = 0; n < k->r->knobs.n; n++)
            if (k->r->knobs.at[n].varies)
                routed->values[at++] = text(k, route->values[n]);
    }
    return rows;
}

/* --------------------------------------------------------------------------- knobs */

/* clang-format off */
#define KNOB_ROW(has, set, when, t) \
    set(t, NAME,  knob, text(k, k->r->knobs.at[i].name), "knob", .always = true) \
    when(t, NAME,  base, base, text(k, base), "in the base") \
    set(t, WORDS, values, values_of(k, i), "values", .always = true) \
    when(t, FLAG,  idle, tally.compared, tally.same == tally.compared, \
        "changes nothing", .about = "true if all pairs of routes that differ " \
                                    "in this knob alone have equal builds; absent if " \
                                    "no such pair has two builds") \
    set(t, COUNT, pairs, tally.pairs, "pairs", .always = true, \
        .about = "number of pairs of routes that differ in this knob alone")
FSD_RECORD(knob_row, KNOB_ROW)
/* clang-format on */

static struct fsd_words values_of(const struct fsd_routes_source *k, uint32_t knob)
{
    const char **words = FSD_NEW(k->arena, const char *, k->r->n);
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->r->n; i++) {
        fsd_sym value = k->r->routes[i].values[knob];
        uint32_t at = 0;

        while (at < n && strcmp(words[at], text(k, value)) != 0)
            at++;
        if (value && at == n)
            words[n++] = text(k, value);
    }
    return fsd_words(words, n);
}

/* Counts pairs of routes that differ only in one knob. `pairs`: all of them;
 * `compared`: pairs in which both routes have a build; `same`: pairs whose builds do
 * not differ. */
struct tally {
    uint32_t pairs, compared, same;
};

static struct tally tally_of(const struct fsd_routes_source *k, uint32_t knob)
{
    struct tally t = {0};

    for (uint32_t i = 0; i < k->r->effects.n; i++)
        if (k->r->effects.at[i].knob == knob) {
            t.pairs += k->r->effects.at[i].steps.n;
            t.compared += k->r->effects.at[i].compared;
            t.same += k->r->effects.at[i].same;
        }
    return t;
}

static const struct fsd_rows *knob_rows(const struct fsd_routes_source *k)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &knob_row_record, "");

    for (uint32_t i = 0; i < k->r->knobs.n; i++) {
        struct tally tally = tally_of(k, i);
        fsd_sym base = k->r->routes[k->r->base].values[i];

        if (k->r->knobs.at[i].varies)
            FSD_ADD(rows, knob_row, KNOB_ROW);
    }
    return rows;
}

/* A sentence that lists the settings without an effect; NULL: there are none. For these
 * settings, fsd_effect_is_idle() is true and no times are measured. */
static const char *idle_text(const struct fsd_routes_source *k)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    uint32_t n = 0;
    const char *all;

    FSD_EACH (const struct fsd_route_effect, e, k->r->effects)
        if (!e->timed && fsd_effect_is_idle(e))
            fprintf(out, "%s%s", n++ ? ", " : "",
                    fsd_setting_text(k, e->knob, e->after));
    fprintf(out, n == 1 ? " causes" : " cause");
    fputs(" no known difference between the builds", out);
    all = fsd_print_take(&print, k->arena);
    return n ? all : NULL;
}

/* A sentence that lists the knobs whose effect cannot be tested; NULL: there are none.
 * Any two routes that differ in such a knob also differ in another knob. */
static const char *untested_text(const struct fsd_routes_source *k)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    bool any = false;
    const char *all;

    for (uint32_t i = 0; i < k->r->knobs.n; i++)
        if (k->r->knobs.at[i].varies && !tally_of(k, i).pairs) {
            fprintf(out, "%s%s", any ? ", " : "", text(k, k->r->knobs.at[i].name));
            any = true;
        }
    fputs(": changed only together with other knobs", out);
    all = fsd_print_take(&print, k->arena);
    return any ? all : NULL;
}

/* ---------------------------------------------------------------------------- best */

/* clang-format off */
#define BEST(has, set, when, t) \
    set(t, NAME,   route, route_name(k, r->best), NULL) \
    set(t, MS,     ms, r->routes[r->best].in->ms, NULL) \
    set(t, NUMBER, gain, \
        fsd_route_ms_between(r->routes[r->best].in->ms, r->routes[r->base].in->ms), \
        NULL, .about = "time in ms that the best route saves, compared with the " \
                       "base") \
    set(t, FLAG,   chance, r->kept == FSD_NONE && r->best != r->base, NULL, \
        .about = "true if the gain is not larger than `noise`") \
    when(t, NAME,  kept, r->kept != FSD_NONE, route_name(k, r->kept), NULL, \
        .about = "the route that makes the fewest of the best route's changes and " \
                 "still keeps its gain; absent if no gain is proved") \
    when(t, TEXT,  kept_by, r->kept != FSD_NONE && r->kept_by != FSD_KEPT_NONE, \
        fsd_kept_by_name(r->kept_by), NULL, .word = fsd_kept_by_name, \
        .n_words = FSD__KEPT_BY_COUNT, \
        .about = "why `kept` has the gain of the best route; engine: both routes " \
                 "have the same engine; time: both times are almost equal; absent: " \
                 "`kept` is the best route itself") \
    when(t, FACTS, settings, r->kept != FSD_NONE, settings_of(k, r->kept, true), NULL, \
        .about = "knobs of `kept` whose values differ from the base")
FSD_RECORD_FROM(best, BEST, const struct fsd_routes_source *k = from;
    const struct fsd_routes *r = k->r)
/* clang-format on */

static const char *best_text(const struct fsd_routes_source *k)
{
    const struct fsd_routes *r = k->r;
    struct fsd_print print;
    FILE *out;
    double base, best;

    if (r->best == FSD_NONE)
        return "not known: fewer than two routes have times measured in the same way";
    out = fsd_print_open(&print);
    base = r->routes[r->base].in->ms;
    best = r->routes[r->best].in->ms;
    fprintf(out, "route %s, ", route_name(k, r->best));
    fsd_put_ms(best, out);
    if (r->best == r->base)
        fputs(": the base is the fastest", out);
    else
        fprintf(out, ", %.1f %% faster than the base", 100 * (base - best) / base);
    if (r->best != r->base && r->kept == FSD_NONE)
        fputs(", but the gain is not proved: times of routes with "
              "the same engine differ just as much",
              out);
    return fsd_print_take(&print, k->arena);
}

static const char *kept_text(const struct fsd_routes_source *k)
{
    const struct fsd_routes *r = k->r;

    if (r->kept == FSD_NONE)
        return NULL;
    if (r->kept_by == FSD_KEPT_NONE)
        return fsd_printed(k->arena,
                           "%s: no tested route keeps the gain with fewer changes",
                           knobs_text(k, r->kept));
    return fsd_printed(k->arena, "%s: route %s, which changes nothing else, %s",
                       knobs_text(k, r->kept), route_name(k, r->kept),
                       r->kept_by == FSD_KEPT_ENGINE
                           ? "has the engine of the best route"
                           : "is as fast as the best route");
}

/* --------------------------------------------------------------------------- sheet */

static const char *base_text(const struct fsd_routes_source *k)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    const fsd_sym *values = k->r->routes[k->r->base].values;
    const char *between = ": ";

    fprintf(out, "route %s", route_name(k, k->r->base));
    for (uint32_t i = 0; i < k->r->knobs.n; i++)
        if (k->r->knobs.at[i].varies) {
            fprintf(out, "%s%s", between, fsd_setting_text(k, i, values[i]));
            between = " ";
        }
    return fsd_print_take(&print, k->arena);
}

/* clang-format off */
#define TUNER(has, set, when, t) \
    set(t, NAME,   path, tuning->path, NULL) \
    set(t, NAME,   version, text(k, tuning->version), NULL) \
    set(t, NAME,   search, tuning->search ? text(k, tuning->search) : NULL, NULL) \
    set(t, NAME,   searched, tuning->searched ? text(k, tuning->searched) : NULL, \
        NULL, .about = "expression in the tuning cache that defines the routes to " \
                       "try") \
    set(t, NAME,   loss_by, tuning->loss_by ? text(k, tuning->loss_by) : NULL, NULL) \
    when(t, NUMBER, most_loss, tuning->most_loss >= 0, tuning->most_loss, NULL, \
        .about = "largest allowed loss of accuracy of the best route") \
    set(t, FLAG,   cut, tuning->cut, NULL, .if_true = true, \
        .about = "the file ends within an iteration")
FSD_RECORD_FROM(tuner, TUNER, const struct fsd_routes_source *k = from;
    const struct fsd_tuning *tuning = k->r->tuning)

#define ROUTES(has, set, when, t) \
    set(t, COUNT,  n, r->n, FSD_ASIDE) \
    set(t, COUNT,  built, built, FSD_ALWAYS, \
        .about = "number of routes whose build was read") \
    set(t, COUNT,  failed, failed, FSD_ALWAYS) \
    set(t, COUNT,  aside, r->aside, FSD_ALWAYS, \
        .about = "number of routes whose loss is above the limit") \
    set(t, COUNT,  engines, r->engines.n, FSD_ALWAYS, \
        .about = "number of different engines; builds without a known difference " \
                 "count as one engine") \
    set(t, NAME,   base, route_name(&k, r->base), FSD_ALWAYS) \
    when(t, NUMBER, noise, r->noise >= 0, r->noise, NULL, .about = "the greatest " \
            "difference in ms between times of routes with the same engine") \
    when(t, RECORD, tuner, r->tuning, FSD_HELD(k.arena, tuner, &k, 0), NULL, \
        .of = &tuner_record) \
    when(t, RECORD, best, r->best != FSD_NONE, FSD_HELD(k.arena, best, &k, 0), NULL, \
        .of = &best_record, .about = "the fastest route; absent if fewer than two " \
                                     "routes have times measured in the same way") \
    set(t, ROWS,   knobs, knob_rows(&k), "Knobs", .of = &knob_row_record, \
        .always = true) \
    set(t, ROWS,   effects, fsd_effect_rows(&k, false), "What each knob does", \
        .of = &fsd_effect_row_record, .always = true) \
    set(t, ROWS,   routes, route_rows(&k), "Routes", .of = &route_row_record, \
        .always = true) \
    set(t, ROWS,   shown, fsd_effect_rows(&k, true), FSD_ASIDE, \
        .of = &fsd_effect_row_record) \
    set(t, TEXT,   titles, title_text(&k), FSD_ASIDE) \
    when(t, NAME,  cache, r->tuning, fsd_printed(k.arena, "%s, version %s", \
        r->tuning->path, text(&k, r->tuning->version)), FSD_ASIDE) \
    when(t, TEXT,  cut_short, r->tuning && r->tuning->cut, \
        "the file ends within an iteration, which is omitted", FSD_ASIDE) \
    set(t, NAME,   best_says, best_text(&k), FSD_ASIDE) \
    set(t, NAME,   kept_says, kept_text(&k), FSD_ASIDE) \
    set(t, NAME,   idle, idle_text(&k), FSD_ASIDE) \
    set(t, NAME,   untested, untested_text(&k), FSD_ASIDE) \
    when(t, MS,    noise_says, r->noise >= 0, r->noise, FSD_ASIDE) \
    set(t, NAME,   base_says, base_text(&k), FSD_ASIDE)
FSD_RECORD(routes, ROUTES)

static const char head[] =
    "{n|route|routes}<, {failed!} failed><, {aside!} above the loss limit>; "
    "{built|build|builds}<, {engines!|different engine|different engines}>";

static const char routes_text[] =
    "\n<tuner    {cache}\n><         {cut_short}\n>"
    "base     {base_says}\n"
    "best     {best_says}<\nneeds    {kept_says}><\nidle     {idle}>"
    "<\nuntested {untested}>"
    "<\nnoise    times of routes with the same engine differ by up to {noise_says}>\n"
    "<\n{*}what each knob does alone{/}\n{shown!}>"
    "\n{*}{titles}{/}\n{routes}";
/* clang-format on */

void fsd_sheet_of_routes(struct fsd_sheet *sheet, const struct fsd_routes *r)
{
    const struct fsd_routes_source k = {sheet->arena, r, sheet->style};
    struct routes *root;
    uint32_t built = 0, failed = 0;

    sheet->name = "routes";
    root = fsd_sheet_begin(sheet, "fusiondiff-routes/1", &routes_record, head,
                           routes_text);
    sheet->csv = "routes";
    for (uint32_t i = 0; i < r->n; i++) {
        built += r->routes[i].in->state != NULL;
        failed += r->routes[i].in->failed;
    }
    FSD_FILL(root, ROUTES);
}
