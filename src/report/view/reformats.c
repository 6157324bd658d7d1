/*
 * Lists the layers that only move data: inserted layers, copies, unfused quantizers.
 * Layers that the model requests, such as a Transpose, have a separate heading. Kernels
 * that requantize also compute, so they are listed separately and do not count in the
 * sums. Each list is sorted by time, then by bytes, the most expensive first. Layers
 * that take no time are listed last, and only by name. Each advice is printed once, and
 * layers refer to it.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "judge/findings/cite.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/view/view.h"

#include <stdlib.h>

enum { FEW_FREE = 5, FEW_LISTED = 10 };

typedef FSD_VEC(fsd_id) id_vec;

/* The layers of one class. `layers` contains the listed layers. The query leaves out
 * the others: `left_out` is their number, and `left_out_ms` is their time. */
struct list {
    id_vec layers;
    uint32_t left_out;
    double left_out_ms;
};

struct lists {
    struct list reformats;    /* layers that move data on an edge of the model */
    struct list of_nodes;     /* other layers that move data */
    struct list moved;        /* layers of `reformats` and `of_nodes` that the model
                                 does not request */
    struct list requested;    /* layers of `reformats` and `of_nodes` that the model
                                 requests */
    struct list requantizing; /* kernels that requantize and compute */
    id_vec free;
};

struct mover {
    fsd_id layer;
    double ms;
    int64_t bytes;
};

FSD_ORDERED(by_cost, struct mover, fsd_falling(x->ms, y->ms),
            fsd_falling((double)x->bytes, (double)y->bytes),
            fsd_order(x->layer, y->layer))

static bool is_asked(const struct fsd_diff *d, const struct fsd_query *q, fsd_id layer)
{
    double ms = fsd_layer_ms(d, layer);

    if (ms < 0) /* unknown; such a layer passes only if there is no threshold */
        return q->min_ms <= 0 && q->min_share <= 0;
    return ms >= q->min_ms && ms >= q->min_share * d->times->total;
}

static void sort_movers(const struct fsd_diff *d, const struct fsd_query *q,
                        struct fsd_arena *arena, struct mover *rows, uint32_t n,
                        struct list *list)
{
    qsort(rows, n, sizeof *rows, by_cost);
    for (uint32_t i = 0; i < n; i++) {
        if (is_asked(d, q, rows[i].layer) && (!q->top || list->layers.n < q->top)) {
            fsd_vec_push(arena, &list->layers, rows[i].layer);
            continue;
        }
        list->left_out++;
        list->left_out_ms += rows[i].ms > 0 ? rows[i].ms : 0;
    }
}

typedef bool is_listed_fn(const struct fsd_diff *d, fsd_id layer);

static bool is_costly(const struct fsd_diff *d, fsd_id layer)
{
    return d->flows->of[layer].there && !fsd_layer_is_free(d, layer);
}

static bool is_moved(const struct fsd_diff *d, fsd_id layer)
{
    return d->cost->layers[layer].spent == FSD_SPENT_MOVEMENT;
}

static bool is_requested(const struct fsd_diff *d, fsd_id layer)
{
    return d->cost->layers[layer].spent == FSD_SPENT_REQUESTED;
}

/* Whether the layer moves data, but not on an edge of the model. */
static bool is_of_node(const struct fsd_diff *d, fsd_id layer)
{
    return (is_moved(d, layer) || is_requested(d, layer)) && !d->flows->of[layer].there;
}

static bool is_requantizing(const struct fsd_diff *d, fsd_id layer)
{
    return d->cost->layers[layer].spent == FSD_SPENT_REQUANTIZE;
}

static struct list collect(const struct fsd_request *request, struct fsd_arena *arena,
                           is_listed_fn *is_listed)
{
    const struct fsd_diff *d = request->d;
    struct mover *rows = FSD_NEW(arena, struct mover, d->engine->nodes.n);
    struct list list = {0};
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (is_listed(d, i))
            rows[n++] = (struct mover){i, fsd_layer_ms(d, i), d->cost->layers[i].bytes};
    sort_movers(d, request->q, arena, rows, n, &list);
    return list;
}

static struct lists collect_all(const struct fsd_request *request,
                                struct fsd_arena *arena)
{
    struct lists lists = {.reformats = collect(request, arena, is_costly),
                          .moved = collect(request, arena, is_moved),
                          .requested = collect(request, arena, is_requested),
                          .of_nodes = collect(request, arena, is_of_node),
                          .requantizing = collect(request, arena, is_requantizing)};

    for (fsd_id i = 0; i < request->d->engine->nodes.n; i++)
        if (request->d->flows->of[i].there && fsd_layer_is_free(request->d, i))
            fsd_vec_push(arena, &lists.free, i);
    return lists;
}

static double sum(const struct fsd_diff *d, const id_vec *layers)
{
    double ms = d->times->profiles ? 0 : -1;

    for (uint32_t i = 0; i < layers->n; i++)
        if (fsd_layer_ms(d, layers->at[i]) > 0)
            ms += fsd_layer_ms(d, layers->at[i]);
    return ms;
}

/* ------------------------------------------------------------------------- rows */

/* The time in ms that the builder measured for a layer; negative: unknown. The caller
 * uses this time if no profile has a time of the layer. */
static double timed_by_builder(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_event *e = fsd_diff_event(d, d->reasons[layer].event);
    uint32_t timed = e ? e->timed : 0;

    return timed ? d->history->rivals.at[timed - 1].ms : -1;
}

/* clang-format off */
#define MOVER_ROW(has, set, when, t) \
    FSD_LAYER_ID(set, t, layer, NULL) \
    set(t, NAME,   called, fsd_layer_name_of(d, layer), "name", .aside = true) \
    set(t, TEXT,   cause, fsd_mover_word(d, layer), "cause") \
    set(t, NAME,   change, fsd_change_of(arena, d, layer), "change") \
    set(t, NAME,   type, fsd_text(d->names, n->op), "type", .aside = true) \
    set(t, NAME,   advice, advice, "advice", .sentence = true) \
    set(t, MS,     ms, ms, "ms") \
    has(t, MS,     gain_ms,   "gain") \
    has(t, TEXT,   gain_by,   "estimated by") \
    when(t, SHARE,  share, ms >= 0 && d->times->total > 0, ms / d->times->total, \
        "share") \
    set(t, BYTES,  bytes, fsd_amount_cell(d, d->cost->layers[layer].bytes), "bytes") \
    set(t, RECORD, edge, fsd_edge_of(arena, d, layer), NULL, .of = &fsd_edge_record) \
    set(t, NAME,   on, fsd_phrase_of(arena, d, layer, fsd_put_edge), "edge", \
        .aside = true) \
    set(t, COUNT,  after, fsd_count_id(d->flows->of[layer].before), "after layer", \
        .aside = true) \
    when(t, COUNT,  note, advice, fsd_intern_str(notes, advice), FSD_ASIDE) \
    set(t, NAME,   log_timed, fsd_phrase_of(arena, d, layer, fsd_put_timed), \
        "measured in the build") \
    has(t, NAME,   nodes,     "nodes", .about = "the nodes that the layer computes") \
    has(t, NAME,   only_for,  FSD_ASIDE) \
    has(t, FLAG,   requested, "requested by the model") \
    when(t, ROWS,   cites, advice, fsd_cites_of_layer(arena, d, layer), NULL, \
        .of = &fsd_cite_record)
FSD_RECORD(mover_row, MOVER_ROW)
/* clang-format on */

static const char mover_text[] =
    "{ms:8}  <{share:5.1} %  >{+}{cause}{/}  {change}  {bytes}  layer {layer}"
    "< {type!}><  [{note}]>\n"
    "<            edge   {on}\n>"
    "<            for    {only_for:.80}\n>"
    "<            chain  after layer {after}\n>"
    "<            measured in the build: {log_timed}\n>";

static const char requested_text[] =
    "{ms:8}  <{share:5.1} %  >{change}  {bytes}  layer {layer}< {type!}>\n"
    "            nodes  {nodes:.80}\n";

/* clang-format off */
#define REQUANTIZING_ROW(has, set, when, t) \
    FSD_LAYER_ID(set, t, layer, "name") \
    set(t, NAME,  change, fsd_change_of(arena, d, layer), "change") \
    set(t, NAME,  type, fsd_text(d->names, d->engine->nodes.at[layer].op), "type") \
    set(t, NAME,  nodes, fsd_phrase_of(arena, d, layer, fsd_put_nodes_of), "nodes") \
    set(t, MS,    ms, fsd_layer_ms(d, layer), "ms") \
    when(t, SHARE, share, share >= 0, share, "share", \
        .about = "share of all time or, if times are unknown, of all known bytes") \
    set(t, BYTES, bytes, fsd_amount_cell(d, d->cost->layers[layer].bytes), "bytes")
FSD_RECORD(requantizing_row, REQUANTIZING_ROW)

#define SPENT_ROW(has, set, when, t) \
    set(t, COUNT, layers, sum->layers, NULL, .says = "{layers|layer|layers}") \
    set(t, MS,    ms, sum->ms, NULL, .says = "<, {ms} of {of_ms}>") \
    when(t, BYTES, bytes, sum->unknown < sum->layers, fsd_amount_cell(d, sum->bytes), \
        NULL, .says = "<, {bytes} of {of_bytes}>") \
    when(t, SHARE, share, sum->share >= 0, sum->share, NULL, .says = "< ({share} %)>") \
    set(t, COUNT, unknown, sum->unknown, NULL, \
        .about = "number of layers whose bytes are unknown", \
        .says = "<; the bytes of {unknown!|layer|layers} are unknown>") \
    when(t, BYTES, of_bytes, !d->times->profiles, \
        fsd_amount_cell(d, d->cost->all.bytes), FSD_ASIDE) \
    when(t, MS,   of_ms, d->times->profiles, fsd_real(d->times->total), FSD_ASIDE)
FSD_RECORD_FROM(spent_row, SPENT_ROW, const struct fsd_diff *d = from;
    const struct fsd_spent_sum *sum = &d->cost->spent[i])
/* clang-format on */

static const char requantizing_text[] =
    "{ms:8}  <{share:5.1} %  >{change}  {bytes}  layer {layer}< {type!}>\n"
    "            <nodes  {nodes:.80}\n>";

/* clang-format off */
#define NOTE_ROW(has, set, when, t) \
    set(t, COUNT, n, i, NULL) \
    set(t, TEXT,  text, fsd_text(notes, i), NULL) \
    has(t, MS,    gain, NULL) \
    has(t, TEXT,  by,   NULL)
FSD_RECORD(note_row, NOTE_ROW)

#define ANSWER(has, set, when, t) \
    set(t, MS,    ms, sum(d, &lists->reformats.layers), NULL) \
    when(t, MS,    total_ms, d->times->profiles, fsd_real(total), NULL) \
    set(t, COUNT, left_out, lists->reformats.left_out, NULL) \
    when(t, MS,    left_out_ms, d->times->profiles, \
        fsd_real(lists->reformats.left_out_ms), NULL) \
    set(t, ROWS,  reformats, reformats, "Layers that only move data", \
        .of = &mover_row_record) \
    set(t, ROWS,  free, free, "Layers that take no time", .of = &mover_row_record) \
    set(t, ROWS,  of_nodes, mover_rows(arena, d, &lists->of_nodes.layers, \
        requested_text, unprinted), "Layers that move data for nodes of the model", \
        .of = &mover_row_record) \
    set(t, ROWS,  requantization, requantizing, "Kernels that requantize", \
        .of = &requantizing_row_record) \
    when(t, RECORD, requested_sum, d->cost->spent[FSD_SPENT_REQUESTED].layers, \
        FSD_HELD(arena, spent_row, d, FSD_SPENT_REQUESTED), NULL, \
        .of = &spent_row_record) \
    when(t, RECORD, requantization_sum, d->cost->spent[FSD_SPENT_REQUANTIZE].layers, \
        FSD_HELD(arena, spent_row, d, FSD_SPENT_REQUANTIZE), NULL, \
        .of = &spent_row_record) \
    set(t, ROWS,  moved_shown, moved, FSD_ASIDE, .of = &mover_row_record) \
    set(t, COUNT, moved_left_out, lists->moved.left_out, FSD_ASIDE) \
    when(t, MS,    moved_left_out_ms, d->times->profiles, \
        fsd_real(lists->moved.left_out_ms), FSD_ASIDE) \
    set(t, ROWS,  requested_shown, fsd_rows_first(requested, most), \
        FSD_ASIDE, .of = &mover_row_record) \
    set(t, COUNT, requested_more, lists->requested.left_out + beyond(requested, most), \
        FSD_ASIDE) \
    set(t, ROWS,  requantization_shown, fsd_rows_first(requantizing, most), \
        FSD_ASIDE, .of = &requantizing_row_record) \
    set(t, COUNT, requantization_more, \
        lists->requantizing.left_out + beyond(requantizing, most), FSD_ASIDE) \
    set(t, COUNT, n, n, FSD_ASIDE) \
    when(t, TEXT, none, !n, d->cost->spent[FSD_SPENT_REQUESTED].layers \
        ? "the model requires all data movement that takes time" \
        : "no layer that only moves data takes time", FSD_ASIDE) \
    when(t, MS,    all_ms, d->times->profiles, fsd_real(ms), FSD_ASIDE) \
    when(t, SHARE, all_share, d->times->profiles, total > 0 ? ms / total : 0, \
        FSD_ASIDE) \
    set(t, COUNT, n_free, lists->free.n, FSD_ASIDE) \
    when(t, ROWS,  free_shown, !folds, free, FSD_ASIDE, .of = &mover_row_record) \
    when(t, COUNT, free_folded, folds, lists->free.n, FSD_ASIDE) \
    set(t, ROWS,  advice, note_rows(arena, notes, moved), FSD_ASIDE, \
        .of = &note_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char head[] =
    "<{none}><{n!|data-movement layer|data-movement layers}<, {all_ms} of {total_ms} "
    "({all_share} %)>><; {n_free!|more layer takes no time|more layers take no "
    "time}>\n";

static const char text[] =
    "<\n{moved_shown!}><\n{moved_left_out!} more omitted<, "
    "{moved_left_out_ms!}>\n><\nadvice\n{advice!}><\ndata movement that the model "
    "requires: {requested_sum}\n<\n{requested_shown!}><\n{requested_more!} more "
    "omitted\n>><\nrequantization: {requantization_sum}\n(these kernels also compute: "
    "they scale, add or activate, then "
    "quantize)\n<\n{requantization_shown!}><\n{requantization_more!} more "
    "omitted\n>><\nlayers that take no time: {free_folded} (--all lists "
    "them)\n><\nlayers that take no time\n{free_shown!}>";

/* Fills a row of a data-movement layer.
 * @param[in,out] notes the advice of all rows so far, each different piece once; the
 *         advice of this row is added */
static void fill_mover(struct fsd_arena *arena, struct mover_row *row,
                       const struct fsd_diff *d, fsd_id layer, struct fsd_intern *notes)
{
    double ms = fsd_layer_ms(d, layer);
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const char *advice = fsd_phrase_of(arena, d, layer, fsd_put_remedy);

    FSD_FILL(row, MOVER_ROW);
    if (advice && fsd_has_remedy(arena, d, layer)) {
        double gain = ms >= 0 ? ms : timed_by_builder(d, layer);

        row->gain_ms = fsd_real_ms(gain * fsd_cost_saved(d, layer));
        row->gain_by = ms >= 0              ? "the measured time"
                       : row->gain_ms.known ? "the time that the builder measured"
                                            : NULL;
    }
    if (d->layers[layer].kind != FSD_KIND_QUANTIZE) /* the row of a quantizer has an
                                                       edge and no nodes */
        row->nodes = fsd_phrase_of(arena, d, layer, fsd_put_nodes_of);
    if (!row->edge)
        row->only_for = row->nodes;
    if (d->reasons[layer].requested)
        row->requested = fsd_flag(true);
}

static struct fsd_rows *mover_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                   const id_vec *layers, const char *template,
                                   struct fsd_intern *notes)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &mover_row_record, template);

    for (uint32_t i = 0; i < layers->n; i++)
        fill_mover(arena, fsd_rows_add(rows), d, layers->at[i], notes);
    return rows;
}

static struct fsd_rows *requantizing_rows(struct fsd_arena *arena,
                                          const struct fsd_diff *d,
                                          const id_vec *layers)
{
    struct fsd_rows *rows =
        fsd_rows_new(arena, &requantizing_row_record, requantizing_text);

    for (uint32_t i = 0; i < layers->n; i++) {
        fsd_id layer = layers->at[i];
        double share = fsd_cost_share(d, layer);

        FSD_ADD(rows, requantizing_row, REQUANTIZING_ROW);
    }
    return rows;
}

static const struct fsd_rows *note_rows(struct fsd_arena *arena,
                                        const struct fsd_intern *notes,
                                        const struct fsd_rows *movers)
{
    struct fsd_rows *rows =
        fsd_rows_new(arena, &note_row_record,
                     "  [{n}] {text}<  (may save {gain}, estimated from {by})>\n");

    for (fsd_sym i = 1; i < fsd_intern_count(notes); i++) {
        struct note_row *row = fsd_rows_add(rows);

        FSD_FILL(row, NOTE_ROW);
        for (uint32_t k = 0; k < movers->at.n; k++) {
            const struct mover_row *mover = movers->at.at[k];

            if (mover->note.is != i || !mover->gain_ms.known)
                continue;
            row->gain =
                fsd_real_ms((row->gain.known ? row->gain.is : 0) + mover->gain_ms.is);
            row->by = mover->gain_by;
        }
    }
    return rows;
}

/* The number of rows that a text with at most `most` rows leaves out. */
static uint32_t beyond(const struct fsd_rows *rows, uint32_t most)
{
    return rows->at.n > most ? rows->at.n - most : 0;
}

/* Fills the answer. If neither --all nor --top is passed, text shows at most FEW_LISTED
 * layers that the model requests, and at most FEW_LISTED layers that requantize. If
 * more than FEW_FREE layers take no time, and --all is not passed, text shows only the
 * number of these layers. */
static void fill_root(struct fsd_arena *arena, struct answer *root,
                      const struct fsd_request *request, const struct lists *lists)
{
    const struct fsd_diff *d = request->d;
    struct fsd_intern *notes = fsd_intern_new(arena);
    struct fsd_rows *reformats =
        mover_rows(arena, d, &lists->reformats.layers, mover_text, notes);
    struct fsd_rows *moved =
        mover_rows(arena, d, &lists->moved.layers, mover_text, notes);
    struct fsd_rows *free =
        mover_rows(arena, d, &lists->free, "  layer {layer}  {called:.84}\n", notes);
    struct fsd_intern *unprinted = fsd_intern_new(arena);
    struct fsd_rows *requested =
        mover_rows(arena, d, &lists->requested.layers, requested_text, unprinted);
    struct fsd_rows *requantizing =
        requantizing_rows(arena, d, &lists->requantizing.layers);
    uint32_t n = lists->moved.layers.n + lists->moved.left_out;
    uint32_t most = request->all || request->q->top ? UINT32_MAX : FEW_LISTED;
    bool folds = lists->free.n > FEW_FREE && !request->all;
    double ms = sum(d, &lists->moved.layers) + lists->moved.left_out_ms;
    double total = d->times->total;

    FSD_FILL(root, ANSWER);
}

enum fsd_status fsd_view_reformats(struct fsd_sheet *sheet,
                                   const struct fsd_request *request)
{
    const struct fsd_query *q = request->q;
    struct lists lists;

    if ((q->min_ms > 0 || q->min_share > 0) && !request->d->times->profiles)
        return fsd_fail(request->err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "--min-ms and --min-share need the times of a --profile");
    lists = collect_all(request, sheet->arena);
    fill_root(
        sheet->arena,
        fsd_sheet_begin(sheet, "fusiondiff-reformats/1", &answer_record, head, text),
        request, &lists);
    return FSD_OK;
}
