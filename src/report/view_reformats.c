/*
 * The layers that only move data: inserted ones, copies, quantizers left standing.  The
 * worst come first: by time where a profile tells it, then by bytes.  Free ones are
 * listed last, and by name only.  An advice stands once, and layers refer to it.
 */
#include "base/order.h"
#include "base/status.h"
#include "base/text.h"
#include "report/tree.h"
#include "report/view_text.h"

#include <stdlib.h>

enum { FEW_FREE = 5 };

typedef FSD_VEC(fsd_id) id_vec;

struct lists {
    id_vec costly, free;
    uint32_t left_out;
    double left_out_ms;
};

struct row {
    fsd_id layer;
    double ms;
    int64_t bytes;
};

static int by_cost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

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

static void sort_rows(const struct fsd_diff *d, const struct fsd_query *q,
                      struct fsd_arena *arena, struct row *rows, uint32_t n,
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
    struct row *rows = FSD_NEW(arena, struct row, d->engine->nodes.n);
    struct lists lists = {0};
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (!d->flows->of[i].there)
            continue;
        if (fsd_layer_is_free(d, i))
            fsd_vec_push(arena, &lists.free, i);
        else
            rows[n++] = (struct row){i, fsd_layer_ms(d, i), d->cost->layers[i].bytes};
    }
    sort_rows(d, q, arena, rows, n, &lists);
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

/* ------------------------------------------------------------------------- text */

static void put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *phrase = open_memstream(&text, &size);

    if (!phrase)
        return;
    fsd_put_edge(d, layer, phrase);
    if (fclose(phrase) == 0 && *text) {
        fputs("            edge   ", out);
        fsd_put_safe(out, text);
        putc('\n', out);
    }
    free(text);
}

/* The number of a layer's advice in `notes`, where each stands once; 0: none. */
static fsd_sym note_of(const struct fsd_diff *d, fsd_id layer, struct fsd_intern *notes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *phrase = open_memstream(&text, &size);
    fsd_sym note = 0;

    if (!phrase)
        return 0;
    fsd_put_advice(d, layer, phrase);
    if (fclose(phrase) == 0)
        note = fsd_intern_add(notes, text, size);
    free(text);
    return note;
}

static void put_notes(const struct fsd_intern *notes, FILE *out)
{
    if (fsd_intern_count(notes) > 1)
        fputs("\nadvice\n", out);
    for (fsd_sym i = 1; i < fsd_intern_count(notes); i++) {
        fprintf(out, "  [%u] ", i);
        fsd_put_safe(out, fsd_text(notes, i));
        putc('\n', out);
    }
}

static void put_row(const struct fsd_diff *d, const struct fsd_style *style,
                    fsd_id layer, struct fsd_intern *notes, FILE *out)
{
    double ms = fsd_layer_ms(d, layer);
    fsd_sym note = note_of(d, layer, notes);

    fsd_put_ms_column(ms, 8, out);
    fputs("  ", out);
    if (d->times->total > 0 && ms >= 0)
        fprintf(out, "%5.1f %%  ", 100 * ms / d->times->total);
    fsd_ink(style, FSD_INK_INSERTED, out);
    fprintf(out, "%s", fsd_mover_word(d, layer));
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs("  ", out);
    fsd_put_layer_change(d, layer, out);
    fputs("  ", out);
    fsd_put_bytes(d, d->cost->layers[layer].bytes, out);
    fprintf(out, "  layer %u", layer);
    if (d->engine->nodes.at[layer].op) {
        putc(' ', out);
        fsd_put_safe(out, fsd_text(d->names, d->engine->nodes.at[layer].op));
    }
    if (note)
        fprintf(out, "  [%u]", note);
    putc('\n', out);
    put_edge(d, layer, out);
    if (d->flows->of[layer].before != FSD_NONE)
        fprintf(out, "            chain  after layer %u\n", d->flows->of[layer].before);
}

/* They cost nothing: many of them are told by their number. */
static void put_free(const struct fsd_diff *d, const struct fsd_style *style,
                     const struct lists *lists, FILE *out)
{
    if (lists->free.n > FEW_FREE && !style->all) {
        fprintf(out, "\nfree: %u layers (--all lists them)\n", lists->free.n);
        return;
    }
    if (lists->free.n)
        fputs("\nfree\n", out);
    for (uint32_t i = 0; i < lists->free.n; i++) {
        fprintf(out, "  layer %u  ", lists->free.at[i]);
        fsd_put_layer(d, lists->free.at[i], out);
        putc('\n', out);
    }
}

static void put_text(const struct fsd_diff *d, const struct fsd_style *style,
                     const struct lists *lists, struct fsd_arena *arena, FILE *out)
{
    struct fsd_intern *notes = fsd_intern_new(arena);
    uint32_t all = lists->costly.n + lists->left_out;
    double ms = sum(d, &lists->costly);

    fsd_put_noun(out, all, "layer");
    fputs(all == 1 ? " only moves data" : " only move data", out);
    if (ms >= 0) {
        fputs(", ", out);
        fsd_put_ms(ms + lists->left_out_ms, out);
        fputs(" of ", out);
        fsd_put_ms(d->times->total, out);
        fprintf(out, " (%.1f %%)",
                d->times->total > 0 ? 100 * (ms + lists->left_out_ms) / d->times->total
                                   : 0);
    }
    fprintf(out, "; %u more are free\n\n", lists->free.n);
    for (uint32_t i = 0; i < lists->costly.n; i++)
        put_row(d, style, lists->costly.at[i], notes, out);
    if (lists->left_out) {
        fprintf(out, "\n%u more are not shown", lists->left_out);
        if (lists->left_out_ms > 0) {
            fputs(", ", out);
            fsd_put_ms(lists->left_out_ms, out);
        }
        putc('\n', out);
    }
    put_notes(notes, out);
    put_free(d, style, lists, out);
}

/* ------------------------------------------------------------------------- JSON */

static void add_row(const struct fsd_diff *d, struct cJSON *list, fsd_id layer)
{
    double ms = fsd_layer_ms(d, layer);
    struct cJSON *item = fsd_json_item(list);

    fsd_json_count(item, "layer", layer);
    fsd_json_sym(d, item, "name", d->engine->nodes.at[layer].name);
    fsd_json_text(item, "cause", fsd_mover_word(d, layer));
    fsd_json_phrase(d, item, "change", layer, fsd_put_change);
    fsd_json_phrase(d, item, "advice", layer, fsd_put_advice);
    fsd_json_ms(item, "ms", ms);
    if (ms >= 0 && d->times->total > 0)
        fsd_json_number(item, "share", ms / d->times->total);
    fsd_json_amount(d, item, "bytes", d->cost->layers[layer].bytes);
    fsd_json_edge(d, item, layer);
}

static void put_json(const struct fsd_diff *d, const struct lists *lists, FILE *out)
{
    struct cJSON *root = fsd_json_new(), *list;

    fsd_json_text(root, "schema", "fusiondiff-reformats/1");
    fsd_json_ms(root, "ms", sum(d, &lists->costly));
    if (d->times->profiles)
        fsd_json_number(root, "total_ms", d->times->total);
    fsd_json_count(root, "left_out", lists->left_out);
    if (d->times->profiles)
        fsd_json_number(root, "left_out_ms", lists->left_out_ms);
    list = fsd_json_list(root, "reformats");
    for (uint32_t i = 0; i < lists->costly.n; i++)
        add_row(d, list, lists->costly.at[i]);
    list = fsd_json_list(root, "free");
    for (uint32_t i = 0; i < lists->free.n; i++)
        add_row(d, list, lists->free.at[i]);
    fsd_json_print(root, out);
}

enum fsd_status fsd_view_reformats(const struct fsd_diff *d, const struct fsd_query *q,
                                   bool json, const struct fsd_style *style, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct lists lists;

    if ((q->min_ms > 0 || q->min_share > 0) && !d->times->profiles)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a --profile, without which no layer has a time that "
                        "--min-ms or --min-share could look at");
    arena = fsd_arena_new();
    lists = collect(d, q, arena);
    if (json)
        put_json(d, &lists, out);
    else
        put_text(d, style, &lists, arena, out);
    fsd_arena_free(arena);
    return FSD_OK;
}
