/* Layers, time, reformats and precision of each module, by the scopes in names. */
#include "cost/scope.h"
#include "report/view/view.h"

enum { NAME, CALLED, NODES, LAYERS, REFORMATS, MS, SHARE, REFORMAT_MS, PRECISION };

static const struct fsd_column module_columns[] = {
    [NAME] = {"name", NULL, FSD_CELL_NAME},
    [CALLED] = {"called", "scope", FSD_CELL_NAME, true},
    [NODES] = {"nodes", "nodes", FSD_CELL_COUNT},
    [LAYERS] = {"layers", "layers", FSD_CELL_COUNT},
    [REFORMATS] = {"reformats", "moves", FSD_CELL_COUNT},
    [MS] = {"ms", "ms", FSD_CELL_MS},
    [SHARE] = {"share", "share", FSD_CELL_SHARE, true},
    [REFORMAT_MS] = {"reformat_ms", "moves' ms", FSD_CELL_MS},
    [PRECISION] = {"precision", "layers by precision", FSD_CELL_TALLY},
};

enum { DEPTH, COUNT, TOTAL, REST, SCOPES };

static const struct fsd_column columns[] = {
    [DEPTH] = {"depth", NULL, FSD_CELL_COUNT},
    [COUNT] = {"n", NULL, FSD_CELL_COUNT, true},
    [TOTAL] = {"total_ms", NULL, FSD_CELL_MS},
    [REST] = {"rest_ms", NULL, FSD_CELL_MS},
    [SCOPES] = {"scopes", "Scopes", FSD_CELL_ROWS, FSD_INSIDE(module_columns)},
};

/* With and without times. */
static const char timed_row[] = "{nodes:6} {layers:6} {ms:9} {share:5.1} {reformats:5} "
                                "{reformat_ms:9}  {called}  {precision}\n";
static const char plain_row[] =
    "{nodes:6} {layers:6} {reformats:5}   {called}  {precision}\n";

static const char timed_text[] =
    "\n\n{*} nodes layers        ms     %  moves  their ms  scope  layers by "
    "precision\n"
    "{/}{scopes}<\nelsewhere {rest_ms!}>\ntotal {total_ms}\n";
static const char plain_text[] =
    "\n\n{*} nodes layers moves  scope  layers by precision\n{/}{scopes}";

static struct fsd_cell types_of(struct fsd_arena *arena, const struct fsd_module *m)
{
    const char **words = FSD_NEW(arena, const char *, FSD__DTYPE_COUNT);
    uint32_t *counts = FSD_NEW(arena, uint32_t, FSD__DTYPE_COUNT), n = 0;

    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (m->by_type[i]) {
            words[n] = fsd_dtype_name((enum fsd_dtype)i);
            counts[n++] = m->by_type[i];
        }
    return (struct fsd_cell){.known = true, .words = {words, counts, n}};
}

enum fsd_status fsd_view_scopes(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                                struct fsd_error *err)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = asked->d;
    struct fsd_scopes scopes = fsd_cost_scopes(arena, d, asked->q->depth);
    double rest = 0, total = d->times->total;
    fsd_module_vec modules = fsd_cost_modules(arena, d, &scopes, &rest);
    bool timed = d->times->profiles;
    struct fsd_rows rows = FSD_ROWS(module_columns, timed ? timed_row : plain_row);
    struct fsd_cell *root;

    (void)err;
    for (uint32_t i = 0; i < modules.n; i++) {
        const struct fsd_module *m = &modules.at[i];
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[NAME] = fsd_cell_text(fsd_text(scopes.names, m->name));
        row[CALLED] = m->name ? row[NAME] : fsd_cell_text("(no scope)");
        row[NODES] = fsd_cell_count(m->nodes);
        row[LAYERS] = fsd_cell_count(m->layers);
        row[REFORMATS] = fsd_cell_count(m->reformats);
        row[MS] = fsd_cell_ms(m->ms);
        if (timed)
            row[SHARE] = fsd_cell_number(total > 0 ? m->ms / total : 0);
        row[REFORMAT_MS] = fsd_cell_ms(m->reformat_ms);
        row[PRECISION] = types_of(arena, m);
    }
    sheet->schema = "fusiondiff-scopes/1";
    sheet->head = "{n} scopes at depth {depth}";
    sheet->root = FSD_ROWS(columns, timed ? timed_text : plain_text);
    root = fsd_rows_add(arena, &sheet->root);
    root[DEPTH] = fsd_cell_count(scopes.depth);
    root[COUNT] = fsd_cell_count(modules.n);
    if (timed) {
        root[TOTAL] = fsd_cell_number(total);
        root[REST] = fsd_cell_number(rest);
    }
    root[SCOPES] = fsd_cell_rows(arena, &rows, UINT32_MAX);
    return FSD_OK;
}
