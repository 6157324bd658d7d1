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

enum { READER_LAYER, READER_OUTPUT, READER_NODE, READER_INPUT };

static const struct fsd_column reader_columns[] = {
    [READER_LAYER] = {"layer", NULL, FSD_CELL_COUNT},
    [READER_OUTPUT] = {"output", NULL, FSD_CELL_FLAG},
    [READER_NODE] = {"node", NULL, FSD_CELL_COUNT},
    [READER_INPUT] = {"input", NULL, FSD_CELL_COUNT},
};

enum { EDGE_SOURCE, EDGE_TENSOR, EDGE_PRODUCER, EDGE_READERS, EDGE_MORE, EDGE_CHAIN };

static const struct fsd_column edge_columns[] = {
    [EDGE_SOURCE] = {"source", NULL, FSD_CELL_COUNT},
    [EDGE_TENSOR] = {"tensor", NULL, FSD_CELL_NAME, .brief = true},
    [EDGE_PRODUCER] = {"producer", NULL, FSD_CELL_COUNT},
    [EDGE_READERS] = {"readers", NULL, FSD_CELL_ROWS, FSD_INSIDE(reader_columns)},
    [EDGE_MORE] = {"more_readers", NULL, FSD_CELL_FLAG},
    [EDGE_CHAIN] = {"chain", NULL, FSD_CELL_COUNT},
};

const struct fsd_rows *fsd_edge_record(struct fsd_arena *arena,
                                       const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    struct fsd_rows edge = FSD_ROWS(edge_columns, ""),
                    readers = FSD_ROWS(reader_columns, "");
    struct fsd_cell *row;

    if (!flow->there)
        return NULL;
    for (uint32_t i = 0; i < flow->readers.n; i++) {
        const struct fsd_reader *reader = &d->flows->readers.at[flow->readers.at + i];

        row = fsd_rows_add(arena, &readers);
        row[READER_LAYER] = fsd_cell_id(reader->layer);
        row[READER_OUTPUT] =
            (struct fsd_cell){.known = reader->layer == FSD_NONE, .count = true};
        row[READER_NODE] = fsd_cell_id(reader->node);
        if (reader->node != FSD_NONE)
            row[READER_INPUT] = fsd_cell_count(reader->input);
    }
    row = fsd_rows_add(arena, &edge);
    row[EDGE_SOURCE] = fsd_cell_id(flow->source);
    if (flow->model_tensor != FSD_NONE)
        row[EDGE_TENSOR] =
            fsd_cell_sym(d, d->model->tensors.at[flow->model_tensor].name);
    row[EDGE_PRODUCER] = fsd_cell_id(flow->producer);
    row[EDGE_READERS] = fsd_cell_rows(arena, &readers, UINT32_MAX);
    row[EDGE_MORE] = (struct fsd_cell){.known = flow->cut, .count = true};
    row[EDGE_CHAIN] = fsd_cell_count(flow->head);
    return fsd_cell_rows(arena, &edge, 1).rows;
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

enum {
    LAYER,
    NAME,
    CALLED,
    CAUSE,
    CHANGE,
    TYPE,
    ADVICE,
    MS,
    GAIN,
    GAIN_BY,
    SHARE,
    BYTES,
    EDGE,
    ON,
    AFTER,
    NOTE,
    TIMED
};

static const struct fsd_column mover_columns[] = {
    [LAYER] = {"layer", "layer", FSD_CELL_COUNT},
    [NAME] = {"name", NULL, FSD_CELL_NAME},
    [CALLED] = {"called", "name", FSD_CELL_NAME, true},
    [CAUSE] = {"cause", "cause", FSD_CELL_TEXT},
    [CHANGE] = {"change", "change", FSD_CELL_NAME},
    [TYPE] = {"type", "type", FSD_CELL_NAME, true},
    [ADVICE] = {"advice", "advice", FSD_CELL_NAME},
    [MS] = {"ms", "ms", FSD_CELL_MS},
    [GAIN] = {"gain_ms", "gain at most", FSD_CELL_MS},
    [GAIN_BY] = {"gain_by", "estimated by", FSD_CELL_TEXT},
    [SHARE] = {"share", "share", FSD_CELL_SHARE},
    [BYTES] = {"bytes", "bytes", FSD_CELL_BYTES},
    [EDGE] = {"edge", NULL, FSD_CELL_RECORD, FSD_INSIDE(edge_columns)},
    [ON] = {"on", "edge", FSD_CELL_NAME, true},
    [AFTER] = {"after", "after layer", FSD_CELL_COUNT, true},
    [NOTE] = {"note", NULL, FSD_CELL_COUNT, true},
    [TIMED] = {"log_timed", "the log timed", FSD_CELL_NAME},
};

static const char mover_text[] =
    "{ms:8}  <{share:5.1} %  >{+}{cause}{/}  {change}  {bytes}  layer {layer}"
    "< {type!}><  [{note}]>\n"
    "<            edge   {on}\n>"
    "<            chain  after layer {after}\n>"
    "<            the log timed {log_timed}\n>";

enum { NOTE_NUMBER, NOTE_TEXT, NOTE_GAIN, NOTE_BY };

static const struct fsd_column note_columns[] = {
    [NOTE_NUMBER] = {"n", NULL, FSD_CELL_COUNT},
    [NOTE_TEXT] = {"text", NULL, FSD_CELL_TEXT},
    [NOTE_GAIN] = {"gain", NULL, FSD_CELL_MS},
    [NOTE_BY] = {"by", NULL, FSD_CELL_TEXT},
};

enum {
    SUM,
    TOTAL,
    LEFT_OUT,
    LEFT_OUT_MS,
    REFORMATS,
    FREE,
    COUNT,
    NOTHING,
    ALL_MS,
    ALL_SHARE,
    FREE_COUNT,
    FREE_SHOWN,
    FREE_FOLDED,
    NOTES
};

static const struct fsd_column columns[] = {
    [SUM] = {"ms", NULL, FSD_CELL_MS},
    [TOTAL] = {"total_ms", NULL, FSD_CELL_MS},
    [LEFT_OUT] = {"left_out", NULL, FSD_CELL_COUNT},
    [LEFT_OUT_MS] = {"left_out_ms", NULL, FSD_CELL_MS},
    [REFORMATS] = {"reformats", "Layers that only move data", FSD_CELL_ROWS,
                   FSD_INSIDE(mover_columns)},
    [FREE] = {"free", "Free layers", FSD_CELL_ROWS, FSD_INSIDE(mover_columns)},
    [COUNT] = {"n", NULL, FSD_CELL_COUNT, true},
    [NOTHING] = {"none", NULL, FSD_CELL_TEXT, true},
    [ALL_MS] = {"all_ms", NULL, FSD_CELL_MS, true},
    [ALL_SHARE] = {"all_share", NULL, FSD_CELL_SHARE, true},
    [FREE_COUNT] = {"n_free", NULL, FSD_CELL_COUNT, true},
    [FREE_SHOWN] = {"free_shown", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(mover_columns)},
    [FREE_FOLDED] = {"free_folded", NULL, FSD_CELL_COUNT, true},
    [NOTES] = {"advice", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(note_columns)},
};

static const char head[] =
    "<{none}><{n!|layer only moves data|layers only move data}"
    "<, {all_ms} of {total_ms} ({all_share} %)>><; {n_free!} more are free>\n";

static const char text[] =
    "\n{reformats}<\n{left_out!} more are not shown<, {left_out_ms!}>\n>"
    "<\nadvice\n{advice!}>"
    "<\nfree: {free_folded} layers (--all lists them)\n><\nfree\n{free_shown!}>";

/* @param notes  the advices so far, each once. */
static void fill_mover(struct fsd_arena *arena, struct fsd_cell *row,
                       const struct fsd_diff *d, fsd_id layer, struct fsd_intern *notes)
{
    double ms = fsd_layer_ms(d, layer);
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const char *advice = fsd_phrase_of(arena, d, layer, fsd_put_advice);

    row[LAYER] = fsd_cell_count(layer);
    row[NAME] = fsd_cell_sym(d, n->name);
    row[CALLED] = fsd_cell_layer_name(d, layer);
    row[CAUSE] = fsd_cell_text(fsd_mover_word(d, layer));
    row[CHANGE] = fsd_cell_phrase(arena, d, layer, fsd_put_change);
    row[TYPE] = fsd_cell_sym(d, n->op);
    row[ADVICE] = fsd_cell_text(advice);
    row[MS] = fsd_cell_ms(ms);
    if (advice) {
        row[GAIN] = fsd_cell_ms(ms >= 0 ? ms : timed_by_builder(d, layer));
        row[GAIN_BY] = fsd_cell_text(ms >= 0           ? "its measured time"
                                     : row[GAIN].known ? "the builder's own timing"
                                                       : NULL);
    }
    if (ms >= 0 && d->times->total > 0)
        row[SHARE] = fsd_cell_number(ms / d->times->total);
    row[BYTES] = fsd_cell_amount(d, d->cost->layers[layer].bytes);
    row[EDGE].rows = fsd_edge_record(arena, d, layer);
    row[EDGE].known = row[EDGE].rows;
    row[ON] = fsd_cell_phrase(arena, d, layer, fsd_put_edge);
    row[TIMED] = fsd_cell_phrase(arena, d, layer, fsd_put_timed);
    row[AFTER] = fsd_cell_id(d->flows->of[layer].before);
    if (advice)
        row[NOTE] = fsd_cell_count(fsd_intern_str(notes, advice));
}

static struct fsd_rows mover_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                  const id_vec *layers, const char *template,
                                  struct fsd_intern *notes)
{
    struct fsd_rows rows = FSD_ROWS(mover_columns, template);

    for (uint32_t i = 0; i < layers->n; i++)
        fill_mover(arena, fsd_rows_add(arena, &rows), d, layers->at[i], notes);
    return rows;
}

static struct fsd_cell note_rows(struct fsd_arena *arena,
                                 const struct fsd_intern *notes,
                                 const struct fsd_rows *movers)
{
    struct fsd_rows rows =
        FSD_ROWS(note_columns, "  [{n}] {text}<  (at most {gain}, {by})>\n");

    for (fsd_sym i = 1; i < fsd_intern_count(notes); i++) {
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[NOTE_NUMBER] = fsd_cell_count(i);
        row[NOTE_TEXT] = fsd_cell_text(fsd_text(notes, i));
        for (uint32_t k = 0; k < movers->at.n; k++) {
            const struct fsd_cell *mover = movers->at.at[k];

            if (mover[NOTE].count != i || !mover[GAIN].known)
                continue;
            row[NOTE_GAIN] =
                fsd_cell_ms((row[NOTE_GAIN].known ? row[NOTE_GAIN].number : 0) +
                            mover[GAIN].number);
            row[NOTE_BY] = mover[GAIN_BY];
        }
    }
    return fsd_cell_rows(arena, &rows, UINT32_MAX);
}

static void fill_root(struct fsd_arena *arena, struct fsd_cell *root,
                      const struct fsd_asked *asked, const struct lists *lists)
{
    const struct fsd_diff *d = asked->d;
    struct fsd_intern *notes = fsd_intern_new(arena);
    struct fsd_rows costly = mover_rows(arena, d, &lists->costly, mover_text, notes);
    struct fsd_rows free =
        mover_rows(arena, d, &lists->free, "  layer {layer}  {called:.84}\n", notes);
    double ms = sum(d, &lists->costly), total = d->times->total;

    root[SUM] = fsd_cell_ms(ms);
    root[LEFT_OUT] = fsd_cell_count(lists->left_out);
    if (d->times->profiles) {
        root[TOTAL] = fsd_cell_number(total);
        root[LEFT_OUT_MS] = fsd_cell_number(lists->left_out_ms);
        root[ALL_MS] = fsd_cell_ms(ms + lists->left_out_ms);
        root[ALL_SHARE] =
            fsd_cell_number(total > 0 ? (ms + lists->left_out_ms) / total : 0);
    }
    root[REFORMATS] = fsd_cell_rows(arena, &costly, UINT32_MAX);
    root[FREE] = fsd_cell_rows(arena, &free, UINT32_MAX);
    root[COUNT] = fsd_cell_count(lists->costly.n + lists->left_out);
    if (!root[COUNT].count)
        root[NOTHING] = fsd_cell_text("no layer that costs time only moves data");
    root[FREE_COUNT] = fsd_cell_count(lists->free.n);
    if (lists->free.n > FEW_FREE && !asked->all)
        root[FREE_FOLDED] = root[FREE_COUNT]; /* they cost nothing: a number will do */
    else
        root[FREE_SHOWN] = root[FREE];
    root[NOTES] = note_rows(arena, notes, &costly);
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
    sheet->root = FSD_ROWS(columns, text);
    fill_root(sheet->arena, fsd_rows_add(sheet->arena, &sheet->root), asked, &lists);
    return FSD_OK;
}
