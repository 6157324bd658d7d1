/*
 * Shows how a session of ONNX Runtime changed the graph, according to its log: the
 * skipped fusions with their reasons, the changes by graph transformers, the added
 * nodes, and the number of layers per execution provider.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"
#include "report/record/records.h"
#include "report/view/view.h"

enum { SHOWN = 8 };

/* clang-format off */
#define PLACE_ROW(has, set, when, t) \
    set(t, COUNT, node, fsd_count_id(node), "node") \
    set(t, NAME,  name, fsd_text(d->names, e->a), "name", \
        .about = "name of the node as the log writes it") \
    when(t, NAME, op, node != FSD_NONE, \
        fsd_text(d->names, d->model->nodes.at[node].op), "op") \
    when(t, IDS,  layers, node != FSD_NONE, layers, NULL, \
        .about = "the layers that compute the node") \
    set(t, COUNT, line, e->line, "line of the log") \
    set(t, NAME,  where, where, "computed by", .aside = true)
FSD_RECORD(place_row, PLACE_ROW)

#define SKIP_ROW(has, set, when, t) \
    set(t, NAME,  fusion, fsd_text(d->names, g->first->pass), "fusion") \
    set(t, NAME,  why, fsd_text(d->names, g->first->text), "why") \
    set(t, NAME,  by, g->first->b ? fsd_text(d->names, g->first->b) : NULL, \
        "function", .about = "the part of the runtime that gave the reason") \
    set(t, COUNT, times, g->times, "times", .about = "how many times the log " \
            "reports the skip") \
    set(t, COUNT, n, g->n, FSD_ASIDE) \
    set(t, TEXT,  no_nodes, g->n ? NULL : "the log names no node", FSD_ASIDE) \
    set(t, ROWS,  nodes, g->nodes, "nodes", .of = &place_row_record) \
    set(t, ROWS,  listed, g->listed, FSD_ASIDE, .of = &place_row_record) \
    set(t, COUNT, more, g->n - g->listed->at.n, FSD_ASIDE)
FSD_RECORD(skip_row, SKIP_ROW)

#define PASS_ROW(has, set, when, t) \
    set(t, NAME,  name, fsd_text(d->names, pass->name), "transformer") \
    set(t, COUNT, runs, pass->runs, "runs") \
    set(t, COUNT, changed, pass->changed, "changed", \
        .about = "number of runs that changed the graph") \
    set(t, COUNT, matched, ((struct fsd_count){pass->matched > 0, pass->matched}), \
        "matches", .about = "number of matched groups of nodes") \
    set(t, COUNT, dropped, ((struct fsd_count){pass->dropped > 0, pass->dropped}), \
        "dropped", .about = "number of tensors that the graph no longer needs")
FSD_RECORD(pass_row, PASS_ROW)

#define ADD_ROW(has, set, when, t) \
    set(t, NAME,  what, fsd_text(d->names, e->b), "added") \
    set(t, NAME,  tensor, fsd_text(d->names, e->a), "tensor") \
    set(t, NAME,  place, e->text ? fsd_text(d->names, e->text) : NULL, "place") \
    set(t, NAME,  transformer, e->pass ? fsd_text(d->names, e->pass) : NULL, "by") \
    set(t, COUNT, line, e->line, "line of the log")
FSD_RECORD(add_row, ADD_ROW)

#define WIDE_ROW(has, set, when, t) \
    set(t, COUNT, node, i, "node") \
    set(t, NAME,  name, fsd_called_node(arena, d, i), "name", .brief = true) \
    set(t, TEXT,  why, fsd_bias_misfit_text(arena, &misfit), "why")
FSD_RECORD(wide_row, WIDE_ROW)

#define COUNTED(set, t) \
    set(t, COUNT, layers, counted->n, "layers") \
    set(t, MS,    ms, counted->ms, "ms")

#define OP_ROW(has, set, when, t) \
    set(t, NAME,  op, fsd_text(d->names, counted->key), "inserted") \
    COUNTED(set, t)
FSD_RECORD(op_row, OP_ROW)

#define PROVIDER_ROW(has, set, when, t) \
    set(t, NAME,  provider, fsd_text_or_null(d, counted->key), "provider", \
        .about = "name of the provider; absent if not known") \
    COUNTED(set, t)
FSD_RECORD(provider_row, PROVIDER_ROW)

#define ANSWER(has, set, when, t) \
    has(t, TEXT,  log,          NULL, .about = "why the log could not be used") \
    has(t, COUNT, n,            NULL, .about = "number of skipped fusions") \
    has(t, COUNT, ran,          FSD_ASIDE) \
    has(t, COUNT, changed,      FSD_ASIDE) \
    has(t, ROWS,  skipped,      "Skipped fusions", .of = &skip_row_record) \
    set(t, ROWS,  transformers, rows, "Transformers", .of = &pass_row_record) \
    set(t, ROWS,  listed, listed, FSD_ASIDE, .of = &pass_row_record) \
    has(t, ROWS,  wide,         "Quantized operators that run in floating point", \
        .of = &wide_row_record) \
    has(t, ROWS,  added,        "Added", .of = &add_row_record) \
    has(t, ROWS,  inserted,     "Inserted layers", .of = &op_row_record) \
    has(t, ROWS,  providers,    "Providers", .of = &provider_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char place_text[] = "  {name:.56}  {op}<  {where}><  (log line {line})>\n";
static const char skip_text[] =
    "\n{*}{fusion}{/}<  {n!|node|nodes}><  {no_nodes}>: {why}<  ({by})>\n{listed}"
    "<  and {more!} more (--all)\n>";
static const char pass_text[] =
    "{runs:6} {changed:8}  {matched:7}  {dropped:7}  {name}\n";
static const char add_text[] =
    "  {what} on {tensor:.40}<  {place:.60}><  (log line {line})>\n";
static const char wide_text[] = "  {name:.56}: {why}\n";
static const char op_text[] = "  {layers:5}  {op}<  {ms!}>\n";
static const char provider_text[] = "  {layers:5}  <{provider}><  {ms!}>\n";

static const char head[] =
    "<{log}\n><{n|fusion|fusions} skipped, as the log "
    "reports<; {ran|transformer|transformers} ran, {changed} changed "
    "the graph>\n>";

static const char text[] =
    "<{skipped!}><\n{*}  runs  changed  matches  dropped  transformer{/}\n{listed!}>"
    "<\n{*}quantized operators that run in floating point{/}\n{wide!}>"
    "<\n{*}additions to the graph that the log reports{/}\n{added!}>"
    "<\n{*}inserted layers{/}\n{inserted!}>"
    "<\n{*}layers by provider{/}\n{providers!}>";

/* ---------------------------------------------------------------- skipped fusions */

/* The node that each event names, indexed by event; FSD_NONE: none. */
static const fsd_id *nodes_of_events(struct fsd_arena *arena, const struct fsd_diff *d)
{
    fsd_id *of = fsd_ids_new(arena, d->history->events.n);

    for (uint32_t i = 0; d->story && i < d->story->scenes.n; i++)
        of[d->story->scenes.at[i].event] = d->story->scenes.at[i].node;
    return of;
}

static void fill_place(struct fsd_arena *arena, struct place_row *row,
                       const struct fsd_diff *d, const struct fsd_event *e, fsd_id node)
{
    struct fsd_ids layers = {0};
    const char *where = node == FSD_NONE ? "the model has no such node" : "no layer";
    struct fsd_print print;

    if (node != FSD_NONE)
        layers = fsd_ids_of_layers(arena, d->match, node);
    if (layers.n) {
        fprintf(fsd_print_open(&print), layers.n > 1 ? "layers " : "layer ");
        for (uint32_t i = 0; i < layers.n; i++)
            fprintf(print.out, "%s%u", i ? ", " : "", layers.at[i]);
        where = fsd_print_take(&print, arena);
    }
    FSD_FILL(row, PLACE_ROW);
}

/* Skips of the same fusion for the same reason. Groups are in the order of the log. */
struct group {
    const struct fsd_event *first;
    struct fsd_rows *nodes, *listed;
    uint32_t times, n;
};

static bool is_like(const struct fsd_event *a, const struct fsd_event *b)
{
    return a->pass == b->pass && a->text == b->text && a->b == b->b;
}

/* Skips are sorted to find groups, because a log may have as many reasons as nodes, and
 * a search for each skip would take too long. */
struct skip {
    const struct fsd_event *e;
    uint32_t index;
};

FSD_ORDERED(by_group, struct skip, fsd_order(x->e->pass, y->e->pass),
            fsd_order(x->e->text, y->e->text), fsd_order(x->e->b, y->e->b),
            fsd_order(x->index, y->index))

FSD_ORDERED(by_first, struct group *const,
            ((*x)->first > (*y)->first) - ((*x)->first < (*y)->first))

static uint32_t fill_skipped(struct fsd_arena *arena, struct answer *root,
                             const struct fsd_request *request)
{
    const struct fsd_diff *d = request->d;
    const fsd_id *node_of = nodes_of_events(arena, d);
    struct fsd_rows *rows = fsd_rows_new(arena, &skip_row_record, skip_text);
    FSD_VEC(struct skip) skips = {0};
    FSD_VEC(struct group *) groups = {0};

    for (uint32_t i = 0; i < d->history->events.n; i++) {
        const struct fsd_event *e = &d->history->events.at[i];

        if (e->kind == FSD_EVENT_SKIP && e->build == d->history->build)
            fsd_vec_push(arena, &skips, ((struct skip){e, i}));
    }
    fsd_vec_sort(&skips, by_group);
    FSD_EACH (const struct skip, s, skips) {
        struct group *g = groups.n ? groups.at[groups.n - 1] : NULL;

        if (!g || !is_like(g->first, s->e)) {
            g = FSD_NEW(arena, struct group, 1);
            g->first = s->e;
            g->nodes = fsd_rows_new(arena, &place_row_record, "");
            g->listed = fsd_rows_new(arena, &place_row_record, place_text);
            fsd_vec_push(arena, &groups, g);
        }
        g->times += s->e->times;
        if (!s->e->a)
            continue;
        if (g->n++ < SHOWN || request->all)
            fill_place(arena, fsd_rows_add(g->listed), d, s->e, node_of[s->index]);
        fill_place(arena, fsd_rows_add(g->nodes), d, s->e, node_of[s->index]);
    }
    fsd_vec_sort(&groups, by_first);
    for (uint32_t i = 0; i < groups.n; i++) {
        const struct group *g = groups.at[i];
        FSD_ADD(rows, skip_row, SKIP_ROW);
    }
    root->skipped = rows;
    return skips.n;
}

/* ------------------------------------------------------- transformers, additions */

static void fill_pass(struct pass_row *row, const struct fsd_diff *d,
                      const struct fsd_pass_stats *pass)
{
    FSD_FILL(row, PASS_ROW);
}

static void fill_passes(struct fsd_arena *arena, struct answer *root,
                        const struct fsd_request *request)
{
    const struct fsd_diff *d = request->d;
    struct fsd_rows *rows = fsd_rows_new(arena, &pass_row_record, ""),
                    *listed = fsd_rows_new(arena, &pass_row_record, pass_text);
    uint32_t changed = 0;

    FSD_EACH (const struct fsd_pass_stats, pass, d->history->passes) {
        if (pass->build != d->history->build || !pass->runs)
            continue;
        changed += pass->changed > 0;
        fill_pass(fsd_rows_add(rows), d, pass);
        if (pass->changed || request->all)
            fill_pass(fsd_rows_add(listed), d, pass);
    }
    if (rows->at.n) {
        root->ran = fsd_count(rows->at.n);
        root->changed = fsd_count(changed);
    }
    FSD_FILL(root, ANSWER);
}

static void fill_wide(struct fsd_arena *arena, struct answer *root,
                      const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &wide_row_record, wide_text);
    struct fsd_bias_misfit misfit;

    for (fsd_id i = 0; d->model && i < d->model->nodes.n; i++)
        if (fsd_bias_widens(d, i, &misfit))
            FSD_ADD(rows, wide_row, WIDE_ROW);
    root->wide = rows;
}

static void fill_added(struct fsd_arena *arena, struct answer *root,
                       const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &add_row_record, add_text);

    FSD_EACH (const struct fsd_event, e, d->history->events)
        if (e->kind == FSD_EVENT_ADD && e->build == d->history->build)
            FSD_ADD(rows, add_row, ADD_ROW);
    root->added = rows;
}

/* ------------------------------------------------------------- layers, counted */

struct tally {
    fsd_sym key;
    uint32_t n;
    double ms; /* negative: unknown */
};

FSD_ORDERED(more_first, struct tally, fsd_order(y->n, x->n), fsd_order(x->key, y->key))

typedef FSD_VEC(struct tally) tally_vec;

static void count_layer(struct fsd_arena *arena, tally_vec *all, uint32_t *at,
                        fsd_sym key, double ms)
{
    struct tally *tally;

    if (!at[key] || !all->n) {
        fsd_vec_push(arena, all, ((struct tally){key, 0, -1}));
        at[key] = all->n;
    }
    tally = &all->at[at[key] - 1];
    tally->n++;
    if (ms >= 0)
        tally->ms = ms + (tally->ms < 0 ? 0 : tally->ms);
}

static void fill_layers(struct fsd_arena *arena, struct answer *root,
                        const struct fsd_diff *d)
{
    struct fsd_rows *ops = fsd_rows_new(arena, &op_row_record, op_text),
                    *providers =
                        fsd_rows_new(arena, &provider_row_record, provider_text);
    uint32_t n = fsd_intern_count(d->names), *of_op = FSD_NEW(arena, uint32_t, n),
             *of_provider = FSD_NEW(arena, uint32_t, n);
    tally_vec by_op = {0}, by_provider = {0};
    bool any = false;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        fsd_sym by = d->engine->layers.at[i].ran_by;

        any |= by != 0;
        count_layer(arena, &by_provider, of_provider, by, fsd_layer_ms(d, i));
        if (d->layers[i].inserted)
            count_layer(arena, &by_op, of_op, d->engine->nodes.at[i].op,
                        fsd_layer_ms(d, i));
    }
    fsd_vec_sort(&by_op, more_first);
    FSD_EACH (const struct tally, counted, by_op)
        FSD_ADD(ops, op_row, OP_ROW);
    fsd_vec_sort(&by_provider, more_first);
    for (uint32_t i = 0; any && i < by_provider.n; i++) {
        const struct tally *counted = &by_provider.at[i];

        FSD_ADD(providers, provider_row, PROVIDER_ROW);
    }
    root->inserted = ops;
    root->providers = providers;
}

/* The reason why the log cannot be used; NULL: it can be used. */
static const char *no_use(const struct fsd_diff *d)
{
    const struct fsd_history *h = d->history;

    if (!h)
        return "no log was given: pass the session log that ONNX Runtime wrote with "
               "log_severity_level = 0 (--log SESSION.log)";
    if (h->refused)
        return fsd_unused_log(h);
    return h->passes.n || h->places.n
               ? NULL
               : "this log reports no skipped fusions; pass a "
                 "session log of ONNX Runtime, which reports them";
}

enum fsd_status fsd_view_skipped(struct fsd_sheet *sheet,
                                 const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    struct answer *root;

    root = fsd_sheet_begin(sheet, "fusiondiff-skipped/1", &answer_record, head, text);
    root->log = no_use(d);
    if (!root->log) {
        root->n = fsd_count(fill_skipped(arena, root, request));
        fill_passes(arena, root, request);
        fill_added(arena, root, d);
    }
    fill_wide(arena, root, d);
    fill_layers(arena, root, d);
    return FSD_OK;
}
