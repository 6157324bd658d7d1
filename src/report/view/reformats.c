/*
 * The layers that only move data: inserted ones, copies, quantizers left standing.  The
 * worst come first: by time where a profile tells it, then by bytes.  Free ones are
 * listed last, and by name only.  An advice stands once, and layers refer to it.
 */
#include "base/id.h"
#include "base/status.h"
#include "diff/diff.h"
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_FREE = 5 };

typedef FSD_VEC(fsd_id) id_vec;

struct lists {
    id_vec costly, free;
    uint32_t left_out;
    double left_out_ms;
};

struct mover {
    fsd_id layer;
    double ms;
    int64_t bytes;
};

static int by_cost(const void *a, const void *b)
{
    const struct mover *x = a, *y = b;

    if (x->ms != y->ms)
        return x->ms < y->ms ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return fsd_order(x->layer, y->layer);
}

static bool is_asked(const struct fsd_diff *d, const struct fsd_query *q, fsd_id layer)
{
    double ms = fsd_layer_ms(d, layer);

    if (ms < 0) /* not measured: only a threshold can leave it out */
        return q->min_ms <= 0 && q->min_share <= 0;
    return ms >= q->min_ms && ms >= q->min_share * d->times->total;
}

static void sort_movers(const struct fsd_diff *d, const struct fsd_query *q,
                        struct fsd_arena *arena, struct mover *rows, uint32_t n,
                        struct lists *lists)
{
    qsort(rows, n, sizeof *rows, by_cost);
    for (uint32_t i = 0; i < n; i++) {
        if (is_asked(d, q, rows[i].layer) && (!q->top || lists->costly.n < q->top)) {
            fsd_vec_push(arena, &lists->costly, rows[i].layer);
            continue;
        }
        lists->left_out++;
        lists->left_out_ms += rows[i].ms > 0 ? rows[i].ms : 0;
    }
}

static struct lists collect(const struct fsd_diff *d, const struct fsd_query *q,
                            struct fsd_arena *arena)
{
    struct mover *rows = FSD_NEW(arena, struct mover, d->engine->nodes.n);
    struct lists lists = {0};
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (!d->flows->of[i].there)
            continue;
        if (fsd_layer_is_free(d, i))
            fsd_vec_push(arena, &lists.free, i);
        else
            rows[n++] = (struct mover){i, fsd_layer_ms(d, i), d->cost->layers[i].bytes};
    }
    sort_movers(d, q, arena, rows, n, &lists);
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

/* ------------------------------------------------------------------------- edge */

/* clang-format off */
#define READER_ROW(has, t) \
    has(t, COUNT, layer,  NULL) \
    has(t, FLAG,  output, NULL) \
    has(t, COUNT, node,   NULL) \
    has(t, COUNT, input,  NULL)
FSD_RECORD(reader_row, READER_ROW)

#define EDGE_ROW(has, t) \
    has(t, COUNT, source,       NULL) \
    has(t, NAME,  tensor,       NULL, .brief = true) \
    has(t, COUNT, producer,     NULL) \
    has(t, ROWS,  readers,      NULL, .of = &reader_row_record) \
    has(t, FLAG,  more_readers, NULL) \
    has(t, COUNT, chain,        NULL)
FSD_RECORD(edge_row, EDGE_ROW)
/* clang-format on */

const struct fsd_rows *fsd_edge_record(struct fsd_arena *arena,
                                       const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    struct fsd_rows edge = FSD_ROWS(edge_row_record, ""),
                    readers = FSD_ROWS(reader_row_record, "");
    struct reader_row *row;
    struct edge_row *at;

    if (!flow->there)
        return NULL;
    for (uint32_t i = 0; i < flow->readers.n; i++) {
        const struct fsd_reader *reader = &d->flows->readers.at[flow->readers.at + i];

        row = fsd_rows_add(arena, &readers);
        row->layer = fsd_count_id(reader->layer);
        if (reader->layer == FSD_NONE)
            row->output = fsd_flag(true);
        row->node = fsd_count_id(reader->node);
        if (reader->node != FSD_NONE)
            row->input = fsd_count(reader->input);
    }
    at = fsd_rows_add(arena, &edge);
    at->source = fsd_count_id(flow->source);
    if (flow->model_tensor != FSD_NONE)
        at->tensor = fsd_text(d->names, d->model->tensors.at[flow->model_tensor].name);
    at->producer = fsd_count_id(flow->producer);
    at->readers = fsd_rows_held(arena, &readers, UINT32_MAX);
    if (flow->cut)
        at->more_readers = fsd_flag(true);
    at->chain = fsd_count(flow->head);
    return fsd_rows_held(arena, &edge, 1);
}

/* ------------------------------------------------------------------------- rows */

/* What it costs as the build log has it, where nobody measured the engine; negative:
 * not told. */
static double timed_by_builder(const struct fsd_diff *d, fsd_id layer)
{
    uint32_t event = d->reasons[layer].event;
    uint32_t timed =
        d->story && event != FSD_NONE ? d->history->events.at[event].timed : 0;

    return timed ? d->history->rivals.at[timed - 1].ms : -1;
}

/* clang-format off */
#define MOVER_ROW(has, t) \
    has(t, COUNT,  layer,     "layer") \
    has(t, NAME,   name,      NULL) \
    has(t, NAME,   called,    "name", .aside = true) \
    has(t, TEXT,   cause,     "cause") \
    has(t, NAME,   change,    "change") \
    has(t, NAME,   type,      "type", .aside = true) \
    has(t, NAME,   advice,    "advice") \
    has(t, MS,     ms,        "ms") \
    has(t, MS,     gain_ms,   "gain at most") \
    has(t, TEXT,   gain_by,   "estimated by") \
    has(t, SHARE,  share,     "share") \
    has(t, BYTES,  bytes,     "bytes") \
    has(t, RECORD, edge,      NULL, .of = &edge_row_record) \
    has(t, NAME,   on,        "edge", .aside = true) \
    has(t, COUNT,  after,     "after layer", .aside = true) \
    has(t, COUNT,  note,      NULL, .aside = true) \
    has(t, NAME,   log_timed, "the log timed")
FSD_RECORD(mover_row, MOVER_ROW)
/* clang-format on */

static const char mover_text[] =
    "{ms:8}  <{share:5.1} %  >{+}{cause}{/}  {change}  {bytes}  layer {layer}"
    "< {type!}><  [{note}]>\n"
    "<            edge   {on}\n>"
    "<            chain  after layer {after}\n>"
    "<            the log timed {log_timed}\n>";

/* clang-format off */
#define NOTE_ROW(has, t) \
    has(t, COUNT, n,    NULL) \
    has(t, TEXT,  text, NULL) \
    has(t, MS,    gain, NULL) \
    has(t, TEXT,  by,   NULL)
FSD_RECORD(note_row, NOTE_ROW)

#define ANSWER(has, t) \
    has(t, MS,    ms,          NULL) \
    has(t, MS,    total_ms,    NULL) \
    has(t, COUNT, left_out,    NULL) \
    has(t, MS,    left_out_ms, NULL) \
    has(t, ROWS,  reformats,   "Layers that only move data", .of = &mover_row_record) \
    has(t, ROWS,  free,        "Free layers", .of = &mover_row_record) \
    has(t, COUNT, n,           NULL, .aside = true) \
    has(t, TEXT,  none,        NULL, .aside = true) \
    has(t, MS,    all_ms,      NULL, .aside = true) \
    has(t, SHARE, all_share,   NULL, .aside = true) \
    has(t, COUNT, n_free,      NULL, .aside = true) \
    has(t, ROWS,  free_shown,  NULL, .aside = true, .of = &mover_row_record) \
    has(t, COUNT, free_folded, NULL, .aside = true) \
    has(t, ROWS,  advice,      NULL, .aside = true, .of = &note_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char head[] =
    "<{none}><{n!|layer only moves data|layers only move data}"
    "<, {all_ms} of {total_ms} ({all_share} %)>><; {n_free!} more are free>\n";

static const char text[] =
    "\n{reformats}<\n{left_out!} more are not shown<, {left_out_ms!}>\n>"
    "<\nadvice\n{advice!}>"
    "<\nfree: {free_folded} layers (--all lists them)\n><\nfree\n{free_shown!}>";

/* @param notes  the advices so far, each once. */
static void fill_mover(struct fsd_arena *arena, struct mover_row *row,
                       const struct fsd_diff *d, fsd_id layer, struct fsd_intern *notes)
{
    double ms = fsd_layer_ms(d, layer);
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const char *advice = fsd_phrase_of(arena, d, layer, fsd_put_advice);

    row->layer = fsd_count(layer);
    row->name = fsd_text(d->names, n->name);
    row->called = fsd_layer_name_of(d, layer);
    row->cause = fsd_mover_word(d, layer);
    row->change = fsd_phrase_of(arena, d, layer, fsd_put_change);
    row->type = fsd_text(d->names, n->op);
    row->advice = advice;
    row->ms = fsd_real_ms(ms);
    if (advice) {
        row->gain_ms = fsd_real_ms(ms >= 0 ? ms : timed_by_builder(d, layer));
        row->gain_by = ms >= 0              ? "its measured time"
                       : row->gain_ms.known ? "the builder's own timing"
                                            : NULL;
    }
    if (ms >= 0 && d->times->total > 0)
        row->share = fsd_real(ms / d->times->total);
    row->bytes = fsd_amount_cell(d, d->cost->layers[layer].bytes);
    row->edge = fsd_edge_record(arena, d, layer);
    row->on = fsd_phrase_of(arena, d, layer, fsd_put_edge);
    row->log_timed = fsd_phrase_of(arena, d, layer, fsd_put_timed);
    row->after = fsd_count_id(d->flows->of[layer].before);
    if (advice)
        row->note = fsd_count(fsd_intern_str(notes, advice));
}

static struct fsd_rows mover_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                  const id_vec *layers, const char *template,
                                  struct fsd_intern *notes)
{
    struct fsd_rows rows = FSD_ROWS(mover_row_record, template);

    for (uint32_t i = 0; i < layers->n; i++)
        fill_mover(arena, fsd_rows_add(arena, &rows), d, layers->at[i], notes);
    return rows;
}

static const struct fsd_rows *note_rows(struct fsd_arena *arena,
                                        const struct fsd_intern *notes,
                                        const struct fsd_rows *movers)
{
    struct fsd_rows rows =
        FSD_ROWS(note_row_record, "  [{n}] {text}<  (at most {gain}, {by})>\n");

    for (fsd_sym i = 1; i < fsd_intern_count(notes); i++) {
        struct note_row *row = fsd_rows_add(arena, &rows);

        row->n = fsd_count(i);
        row->text = fsd_text(notes, i);
        for (uint32_t k = 0; k < movers->at.n; k++) {
            const struct mover_row *mover = movers->at.at[k];

            if (mover->note.is != i || !mover->gain_ms.known)
                continue;
            row->gain =
                fsd_real_ms((row->gain.known ? row->gain.is : 0) + mover->gain_ms.is);
            row->by = mover->gain_by;
        }
    }
    return fsd_rows_held(arena, &rows, UINT32_MAX);
}

static void fill_root(struct fsd_arena *arena, struct answer *root,
                      const struct fsd_asked *asked, const struct lists *lists)
{
    const struct fsd_diff *d = asked->d;
    struct fsd_intern *notes = fsd_intern_new(arena);
    struct fsd_rows costly = mover_rows(arena, d, &lists->costly, mover_text, notes);
    struct fsd_rows free =
        mover_rows(arena, d, &lists->free, "  layer {layer}  {called:.84}\n", notes);
    double ms = sum(d, &lists->costly), total = d->times->total;

    root->ms = fsd_real_ms(ms);
    root->left_out = fsd_count(lists->left_out);
    if (d->times->profiles) {
        root->total_ms = fsd_real(total);
        root->left_out_ms = fsd_real(lists->left_out_ms);
        root->all_ms = fsd_real_ms(ms + lists->left_out_ms);
        root->all_share = fsd_real(total > 0 ? (ms + lists->left_out_ms) / total : 0);
    }
    root->reformats = fsd_rows_held(arena, &costly, UINT32_MAX);
    root->free = fsd_rows_held(arena, &free, UINT32_MAX);
    root->n = fsd_count(lists->costly.n + lists->left_out);
    if (!root->n.is)
        root->none = "no layer that costs time only moves data";
    root->n_free = fsd_count(lists->free.n);
    if (lists->free.n > FEW_FREE && !asked->all)
        root->free_folded = root->n_free; /* they cost nothing: a number will do */
    else
        root->free_shown = root->free;
    root->advice = note_rows(arena, notes, &costly);
}

enum fsd_status fsd_view_reformats(struct fsd_sheet *sheet,
                                   const struct fsd_asked *asked, struct fsd_error *err)
{
    const struct fsd_query *q = asked->q;
    struct lists lists;

    if ((q->min_ms > 0 || q->min_share > 0) && !asked->d->times->profiles)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a --profile, without which no layer has a time that "
                        "--min-ms or --min-share could look at");
    lists = collect(asked->d, q, sheet->arena);
    sheet->schema = "fusiondiff-reformats/1";
    sheet->head = head;
    sheet->root = FSD_ROWS(answer_record, text);
    fill_root(sheet->arena, fsd_rows_add(sheet->arena, &sheet->root), asked, &lists);
    return FSD_OK;
}
