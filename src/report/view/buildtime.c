/*
 * Shows how the build spent its time, according to its log: the seconds per layer and
 * per tactic source; the kernels that the builder timed, took from the timing cache, or
 * skipped; the reasons for the skips; the steps of the build; the plan's size. If the
 * log lacks such facts, the text says so.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"
#include "report/view/view.h"

enum { SHOWN = 10, SHOWN_SKIPS = 8 };

/* clang-format off */
/* The columns of time and counts that several row types share. They are the sums for a
 * layer, for a tactic source, or for one tactic source of a layer. */
#define SPENT(has, set, when, t) \
    when(t, NUMBER, seconds, w->known, spent->seconds, "seconds") \
    set(t, COUNT,  timed, spent->timed, "timed", .about = "number of format " \
            "combinations that the builder timed") \
    set(t, COUNT,  kernels, spent->kernels, "kernels", \
        .about = "number of timed kernels; for a region, the number includes the " \
                 "kernels that the region's compiler timed") \
    set(t, COUNT,  cached, spent->cached, "cached", \
        .about = "number of results taken from the timing cache") \
    set(t, COUNT,  skipped, spent->skipped, "skipped", \
        .about = "number of tactics that were not timed, plus the number of tactic " \
                 "sources without a valid tactic")

#define SOURCE_ROW(has, set, when, t) \
    set(t, NAME,   source, source_name(w, p->e->source), "source") \
    SPENT(has, set, when, t)
FSD_RECORD(source_row, SOURCE_ROW)

#define LAYER_ROW(has, set, when, t) \
    set(t, NAME,   name, fsd_text(w->d->names, g->key), "name", \
        .about = "name of the layer, as the log writes it in the lines about the " \
                 "layer's kernels") \
    set(t, COUNT,  layer, fsd_count_id(layer_of[g->key]), "layer", \
        .about = "the engine's layer that has this name") \
    set(t, SHARE,  share, share_of(w, spent), "share", \
        .about = "share of the seconds of all layers") \
    SPENT(has, set, when, t) \
    set(t, ROWS,   sources, sources_of(w, g), NULL, .of = &source_row_record)
FSD_RECORD(layer_row, LAYER_ROW)

#define SUM_ROW(has, set, when, t) \
    set(t, NAME,   source, source_name(w, groups[i].key), "source") \
    set(t, COUNT,  layers, groups[i].parts.n, "layers") \
    set(t, SHARE,  share, share_of(w, spent), "share", \
        .about = "share of the seconds of all layers") \
    SPENT(has, set, when, t)
FSD_RECORD(sum_row, SUM_ROW)

#define SKIP_ROW(has, set, when, t) \
    set(t, NAME,   source, source_name(w, skips[i].source), "source") \
    set(t, NAME,   why, s->why ? fsd_text(w->d->names, s->why) : "other reasons", \
        "why") \
    set(t, COUNT,  times, s->times, "times") \
    set(t, COUNT,  layers, skips[i].layers, "layers") \
    when(t, BYTES,  requested, s->wanted, fsd_amount_cell(w->d, (int64_t)s->wanted), \
        "requested", .about = "the most scratch memory that one tactic requested") \
    when(t, BYTES,  available, s->wanted, fsd_amount_cell(w->d, (int64_t)s->room), \
        "available")
FSD_RECORD(skip_row, SKIP_ROW)

#define STEP_ROW(has, set, when, t) \
    set(t, NAME,   step, fsd_text(w->d->names, s->name), "step") \
    set(t, NUMBER, seconds, s->seconds, "seconds") \
    set(t, COUNT,  times, ((struct fsd_count){s->times > 1, s->times}), "times") \
    set(t, COUNT,  line, s->line, "line of the log", .about = "line of the step's " \
            "first message")
FSD_RECORD(step_row, STEP_ROW)

static const char *clock_name(unsigned value)
{
    static const char *const names[] = {"stated", "time-stamps"};

    return names[value];
}

#define ANSWER(has, set, when, t) \
    has(t, TEXT,   log,           NULL, .about = "the reason why the log cannot be " \
            "used") \
    when(t, TEXT,  clock, w->known, clock_name(w->stated ? 0 : 1), NULL, \
        .word = clock_name, .n_words = 2, \
        .about = "the source of the layers' seconds; absent if the seconds are " \
                 "unknown") \
    when(t, NAME,  longest, longest, fsd_text(w->d->names, longest->name), NULL, \
        .about = "the step that contains the other steps") \
    when(t, NUMBER, longest_seconds, longest, longest->seconds, NULL) \
    when(t, NUMBER, seconds, w->known, w->sum.seconds, NULL, .about = "seconds of " \
            "all layers") \
    when(t, COUNT, timed, w->parts.n, w->sum.timed, NULL) \
    when(t, COUNT, kernels, w->parts.n, w->sum.kernels, NULL) \
    when(t, COUNT, cached, w->parts.n, w->sum.cached, NULL) \
    when(t, COUNT, skips, w->parts.n, w->sum.skipped, NULL) \
    has(t, NAME,   cache,         NULL, .about = "the kind of timing cache: local, " \
            "global") \
    has(t, COUNT,  cache_entries, NULL) \
    has(t, COUNT,  cache_hits,    NULL) \
    has(t, NAME,   plan,          NULL, .about = "size of the plan as the log " \
            "states it") \
    has(t, NUMBER, plan_mib,      NULL, \
        .about = "size in MiB; if the log states a whole number, the true size may " \
                 "be up to 1 MiB larger") \
    set(t, BYTES,  log_weights, fsd_amount_cell(w->d, weights), NULL, \
        .about = "size of the weights in the plan, as the log states it") \
    has(t, SHARE,  weights_share, NULL, \
        .about = "the weights' share of the plan, if the log states the plan's size") \
    when(t, BYTES, weights, w->d->engine->layers.n, \
        fsd_amount_cell(w->d, lives.weights), NULL, \
        .about = "total size of the weights that layers state") \
    set(t, COUNT,  layers_untold, lives.unknown_weights, NULL, \
        .about = "number of layers that do not state their weights") \
    when(t, TEXT,  no_plan, !plan, "plan: the log does not state the size", FSD_ASIDE) \
    when(t, TEXT,  no_seconds, !w->known || !w->parts.n, w->parts.n \
        ? "the log does not state how long the timings took" \
        : "the log has no lines about timed kernels (it is not verbose, or its " \
          "beginning is missing)", FSD_ASIDE) \
    when(t, TEXT,  stamps, w->known && !w->stated, \
        "the log does not state how long the timings took; the seconds come from its " \
        "time stamps, which are in whole seconds", FSD_ASIDE) \
    has(t, ROWS,   layers,        "Layers", .of = &layer_row_record) \
    has(t, ROWS,   listed,        FSD_ASIDE, .of = &layer_row_record) \
    has(t, COUNT,  more,          FSD_ASIDE) \
    has(t, ROWS,   sources,       "Tactic sources", .of = &sum_row_record) \
    has(t, ROWS,   skipped,       "Not timed", .of = &skip_row_record) \
    has(t, ROWS,   few_skipped,   FSD_ASIDE, .of = &skip_row_record) \
    has(t, COUNT,  more_skipped,  FSD_ASIDE) \
    set(t, ROWS,   steps, steps_of(w), "Steps", .of = &step_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

/* Templates. Seconds from time stamps are whole numbers, so they have no decimal
 * places. */
#define SPENT_TEXT(digits)                                                             \
    "{seconds:9." digits "} {share:6} {timed:6} {kernels:8} {cached:7} {skipped:8}  "
static const char layer_text[] = SPENT_TEXT("3") "{name:.49}\n";
static const char layer_stamped[] = SPENT_TEXT("0") "{name:.49}\n";
static const char sum_text[] = SPENT_TEXT("3") "{source:.49}\n";
static const char sum_stamped[] = SPENT_TEXT("0") "{source:.49}\n";
static const char skip_text[] =
    "{times:6}  {source}: {why}< (needs {requested}<, has {available}>)>\n";
static const char step_text[] =
    "{seconds:9.3}  {step}<, {times!} times>  (log line {line})\n";

static const char head[] =
    "<{log}\n><{longest}: {longest_seconds:.3} s\n><{no_seconds}\n><timing of kernels: "
    "{seconds:.3} s\n><{stamps}\n><{timed!|timing|timings} of "
    "{kernels|kernel|kernels}<, {cached!|result|results} from the timing "
    "cache><, {skips} skipped>\n><timing cache: {cache}\n><timing cache: "
    "{cache_entries|entry|entries}, {cache_hits|hit|hits}\n><plan: "
    "{plan}\n><{no_plan}\n><weights in the plan: {log_weights}<, {weights_share} "
    "%>\n><weights of the layers: {weights}<; the weights of "
    "{layers_untold!|layer|layers} are unknown>\n>";

static const char text[] =
    "<\n{*}  seconds      %  timed  kernels  cached  skipped  layer\n{/}{listed!}>"
    "<  and {more!|more layer|more layers} (--all)\n>"
    "<\n{*}  seconds      %  timed  kernels  cached  skipped  tactic source\n{/}"
    "{sources!}>"
    "<\n{*} times  tactics that were not timed, and why\n{/}{few_skipped!}><  and "
    "{more_skipped!} more (--all)\n>"
    "<\n{*}  seconds  step\n{/}{steps!}>";

/* ------------------------------------------------------------------------ sums */

struct spent {
    double seconds;
    uint64_t timed, kernels, cached, skipped;
};

/* An entry of the log, and the time and counts that it adds to a row. */
struct part {
    const struct fsd_effort *e;
    struct spent spent;
};

struct work {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_efforts *all;
    FSD_VEC(struct part) parts;
    bool stated, known; /* stated: the log states seconds; known: `stated` is true, or
                           the log has time stamps */
    struct spent sum;
};

static void add(struct spent *to, const struct spent *part)
{
    to->seconds += part->seconds;
    to->timed += part->timed;
    to->kernels += part->kernels;
    to->cached += part->cached;
    to->skipped += part->skipped;
}

static uint64_t skips_of(const struct fsd_efforts *all, const struct fsd_effort *e)
{
    uint64_t n = 0;

    for (uint32_t i = e->skips ? e->skips - 1 : FSD_NONE; i != FSD_NONE;
         i = all->skips.at[i].next)
        n += all->skips.at[i].times;
    return n;
}

static struct work begin(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct work w = {.arena = arena, .d = d, .all = &d->history->efforts};
    uint64_t stamped = 0;

    for (uint32_t i = 0; i < w.all->list.n; i++) {
        const struct fsd_effort *e = &w.all->list.at[i];

        if (e->build != d->history->build)
            continue;
        stamped += e->stamped;
        fsd_vec_push(arena, &w.parts, ((struct part){.e = e}));
    }
    w.stated = fsd_efforts_are_stated(w.all, d->history->build);
    w.known = w.stated || stamped;
    for (uint32_t i = 0; i < w.parts.n; i++) {
        const struct fsd_effort *e = w.parts.at[i].e;

        w.parts.at[i].spent = (struct spent){fsd_effort_seconds(e, w.stated), e->timed,
                                             e->tactics, e->cached, skips_of(w.all, e)};
        add(&w.sum, &w.parts.at[i].spent);
    }
    return w;
}

static struct fsd_real share_of(const struct work *w, const struct spent *s)
{
    return (struct fsd_real){w->known && w->sum.seconds > 0,
                             w->sum.seconds > 0 ? s->seconds / w->sum.seconds : 0};
}

/* ----------------------------------------------------------------- layers, sources */

/* All parts of one layer or of one tactic source. groups_of() sorts the groups by time,
 * the longest time first. */
struct group {
    fsd_sym key;
    struct fsd_span parts; /* the parts of the group. They are consecutive, because
                              `parts` of struct work is sorted by key */
    struct spent spent;
};

FSD_ORDERED(slowest_first, struct group,
            fsd_falling(x->spent.seconds, y->spent.seconds),
            fsd_order(y->spent.kernels, x->spent.kernels), fsd_order(x->key, y->key))

FSD_ORDERED(by_layer, struct part, fsd_order(x->e->layer, y->e->layer),
            fsd_falling(x->spent.seconds, y->spent.seconds),
            fsd_order(x->e->source, y->e->source))

FSD_ORDERED(by_source, struct part, fsd_order(x->e->source, y->e->source),
            fsd_order(x->e->layer, y->e->layer))

static struct group *groups_of(struct work *w, bool layers, uint32_t *n)
{
    struct group *groups = FSD_NEW(w->arena, struct group, w->parts.n);

    *n = 0;
    fsd_vec_sort(&w->parts, layers ? by_layer : by_source);
    for (uint32_t i = 0; i < w->parts.n; i++) {
        const struct fsd_effort *e = w->parts.at[i].e;
        fsd_sym key = layers ? e->layer : e->source;

        if (!*n || groups[*n - 1].key != key)
            groups[(*n)++] = (struct group){.key = key, .parts = {i, 0}};
        groups[*n - 1].parts.n++;
        add(&groups[*n - 1].spent, &w->parts.at[i].spent);
    }
    fsd_sort(groups, *n, sizeof *groups, slowest_first);
    return groups;
}

static const char *source_name(const struct work *w, fsd_sym source)
{
    return source ? fsd_text(w->d->names, source) : "other sources";
}

static const struct fsd_rows *sources_of(const struct work *w, const struct group *g)
{
    struct fsd_rows *rows = fsd_rows_new(w->arena, &source_row_record, "");

    FSD_EACH_IN (const struct part, p, w->parts, g->parts) {
        const struct spent *spent = &p->spent;

        FSD_ADD(rows, source_row, SOURCE_ROW);
    }
    return rows;
}

static void fill_layers(struct work *w, struct answer *root,
                        const struct fsd_request *request)
{
    struct fsd_rows *rows = fsd_rows_new(w->arena, &layer_row_record,
                                         w->stated ? layer_text : layer_stamped);
    const fsd_id *layer_of = fsd_graph_nodes_by_name(w->arena, w->d->engine);
    uint32_t n, top = request->q->top ? request->q->top : UINT32_MAX,
                most = request->q->top || request->all ? top : SHOWN;
    struct group *groups = groups_of(w, true, &n);

    for (uint32_t i = 0; i < n; i++) {
        const struct group *g = &groups[i];
        const struct spent *spent = &g->spent;

        FSD_ADD(rows, layer_row, LAYER_ROW);
    }
    root->layers = fsd_rows_first(rows, top);
    root->listed = fsd_rows_first(rows, most);
    root->more = fsd_count(n > most ? n - most : 0);
}

static void fill_sources(struct work *w, struct answer *root)
{
    struct fsd_rows *rows =
        fsd_rows_new(w->arena, &sum_row_record, w->stated ? sum_text : sum_stamped);
    uint32_t n;
    struct group *groups = groups_of(w, false, &n);

    for (uint32_t i = 0; i < n; i++) {
        const struct spent *spent = &groups[i].spent;

        FSD_ADD(rows, sum_row, SUM_ROW);
    }
    root->sources = rows;
}

/* ------------------------------------------------------------------------- skips */

struct skipped {
    fsd_sym source;
    uint32_t layers;
    struct fsd_effort_skip sum;
};

FSD_ORDERED(by_reason, struct skipped, fsd_order(x->source, y->source),
            fsd_order(x->sum.why, y->sum.why))

FSD_ORDERED(most_first, struct skipped, fsd_order(y->sum.times, x->sum.times),
            by_reason(x, y))

/* Combines skips of the same tactic source for the same reason into one row.
 * @return the number of rows */
static uint32_t sum_skips(const struct work *w, struct skipped **out)
{
    FSD_VEC(struct skipped) all = {0};
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->parts.n; i++) {
        const struct fsd_effort *e = w->parts.at[i].e;

        for (uint32_t k = e->skips ? e->skips - 1 : FSD_NONE; k != FSD_NONE;
             k = w->all->skips.at[k].next)
            fsd_vec_push(w->arena, &all,
                         ((struct skipped){e->source, 1, w->all->skips.at[k]}));
    }
    fsd_vec_sort(&all, by_reason);
    for (uint32_t i = 0; i < all.n; i++) {
        struct skipped *to = n ? &all.at[n - 1] : NULL;

        if (!to || by_reason(to, &all.at[i]) != 0) {
            all.at[n++] = all.at[i];
            continue;
        }
        to->layers++;
        fsd_effort_add_skip(&to->sum, &all.at[i].sum);
    }
    fsd_sort(all.at, n, sizeof *all.at, most_first);
    *out = all.at;
    return n;
}

static void fill_skips(const struct work *w, struct answer *root, bool all)
{
    struct fsd_rows *rows = fsd_rows_new(w->arena, &skip_row_record, skip_text);
    struct skipped *skips;
    uint32_t n = sum_skips(w, &skips), most = all ? n : SHOWN_SKIPS;

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_effort_skip *s = &skips[i].sum;
        FSD_ADD(rows, skip_row, SKIP_ROW);
    }
    root->skipped = rows;
    root->few_skipped = fsd_rows_first(rows, most);
    root->more_skipped = fsd_count(n > most ? n - most : 0);
}

/* ------------------------------------------------------------------- whole build */

static const struct fsd_rows *steps_of(const struct work *w)
{
    struct fsd_rows *rows = fsd_rows_new(w->arena, &step_row_record, step_text);

    FSD_EACH (const struct fsd_effort_step, s, w->all->steps)
        if (s->build == w->d->history->build)
            FSD_ADD(rows, step_row, STEP_ROW);
    return rows;
}

/* Sets the facts on the plan. If the log states the plan's size in whole MiB, the size
 * is rounded down, so the share of the weights is not computed. */
static void fill_plan(const struct work *w, struct answer *root,
                      const struct fsd_effort_sums *plan, int64_t weights)
{
    double bytes = plan->plan_mib * 1024 * 1024;

    root->plan = plan->plan_whole && plan->plan_mib < 1
                     ? "less than 1 MiB"
                     : fsd_text(w->d->names, plan->plan);
    root->plan_mib = fsd_real(plan->plan_mib);
    if (!plan->plan_whole && weights >= 0 && (double)weights <= bytes)
        root->weights_share = fsd_real((double)weights / bytes);
}

static void fill_sums(const struct work *w, struct answer *root)
{
    const struct fsd_history *h = w->d->history;
    struct fsd_lives lives = fsd_cost_lives(w->arena, w->d);
    const struct fsd_effort_step *longest = fsd_efforts_longest(w->all, h->build);
    const struct fsd_effort_sums *plan = NULL;
    int64_t weights = -1;

    FSD_EACH (const struct fsd_effort_sums, s, w->all->sums) {
        if (s->build != h->build)
            continue;
        root->cache = s->cache ? fsd_text(w->d->names, s->cache) : root->cache;
        if (s->entries >= 0) {
            root->cache_entries = fsd_count((uint64_t)s->entries);
            root->cache_hits = fsd_count((uint64_t)s->hits);
        }
        if (s->plan)
            plan = s;
    }
    for (uint32_t i = 0; i < h->memory.n; i++)
        if (h->memory.at[i].build == h->build && !h->memory.at[i].layer)
            weights = h->memory.at[i].weights;
    FSD_FILL(root, ANSWER);
    if (plan)
        fill_plan(w, root, plan, weights);
}

/* The reason why the log cannot be used; NULL: it can be used. */
static const char *no_use(const struct fsd_history *h)
{
    return h ? fsd_unused_log(h)
             : "no log was given: pass the verbose build log, which states the seconds "
               "(--log BUILD.log)";
}

enum fsd_status fsd_view_buildtime(struct fsd_sheet *sheet,
                                   const struct fsd_request *request)
{
    const struct fsd_diff *d = request->d;
    struct fsd_rows *none = fsd_rows_new(sheet->arena, &layer_row_record, layer_text);
    struct answer *root;
    struct work w;

    root = fsd_sheet_begin(sheet, "fusiondiff-buildtime/1", &answer_record, head, text);
    sheet->csv = "layers";
    root->log = no_use(d->history);
    root->layers = none; /* an empty table, so that CSV has titles */
    if (root->log)
        return FSD_OK;
    w = begin(sheet->arena, d);
    fill_skips(&w, root, request->all);
    fill_layers(&w, root, request);
    fill_sources(&w, root);
    fill_sums(&w, root);
    return FSD_OK;
}
