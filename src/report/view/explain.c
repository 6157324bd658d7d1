/* The story of nodes or layers, sentence by sentence; of two nodes also why they came
 * together or stayed apart.  What is said is found in diff/explain.c. */
#include "base/print.h"
#include "diff/explain.h"
#include "report/view/view.h"

enum { TOPIC, LINE, TEXT };

static const struct fsd_column line_columns[] = {
    [TOPIC] = {"topic", "topic", FSD_CELL_TEXT},
    [LINE] = {"line", "line of the log", FSD_CELL_COUNT},
    [TEXT] = {"text", "text", FSD_CELL_NAME},
};

enum { INDEX, NAME, CALLED, STORY };

static const struct fsd_column item_columns[] = {
    [INDEX] = {"index", "number", FSD_CELL_COUNT},
    [NAME] = {"name", NULL, FSD_CELL_NAME},
    [CALLED] = {"called", "name", FSD_CELL_NAME, true, true},
    [STORY] = {"story", "story", FSD_CELL_ROWS, FSD_INSIDE(line_columns)},
};

enum { NODES, LAYERS, PAIR };

static const struct fsd_column columns[] = {
    [NODES] = {"nodes", "Nodes", FSD_CELL_ROWS, FSD_INSIDE(item_columns)},
    [LAYERS] = {"layers", "Layers", FSD_CELL_ROWS, FSD_INSIDE(item_columns)},
    [PAIR] = {"pair", "Both together", FSD_CELL_RECORD, FSD_INSIDE(item_columns)},
};

static struct fsd_cell story_of(const struct fsd_tale *tale)
{
    struct fsd_rows rows =
        FSD_ROWS(line_columns, "  {topic:-9}{text}<  (log line {line})>\n");

    for (uint32_t i = 0; i < tale->lines.n; i++) {
        const struct fsd_line *line = &tale->lines.at[i];
        struct fsd_cell *row = fsd_rows_add(tale->arena, &rows);

        row[TOPIC] = fsd_cell_text(line->topic);
        if (line->line)
            row[LINE] = fsd_cell_count(line->line);
        row[TEXT] = fsd_cell_text(line->text);
    }
    return fsd_cell_rows(tale->arena, &rows, UINT32_MAX);
}

static void fill_item(struct fsd_arena *arena, struct fsd_cell *row,
                      const struct fsd_diff *d, bool layer, fsd_id id)
{
    const struct fsd_graph *g = layer ? d->engine : d->model;
    struct fsd_tale tale = {.arena = arena};

    if (layer)
        fsd_explain_layer(&tale, d, id);
    else
        fsd_explain_node(&tale, d, id);
    row[INDEX] = fsd_cell_count(id);
    row[NAME] = fsd_cell_sym(d, g->nodes.at[id].name);
    row[CALLED] = layer ? fsd_cell_layer_name(d, id)
                        : fsd_cell_phrase(arena, d, id, fsd_put_node_name);
    row[STORY] = story_of(&tale);
}

static struct fsd_cell pair_of(struct fsd_arena *arena, const struct fsd_diff *d,
                               fsd_id one, fsd_id other)
{
    struct fsd_rows pair = FSD_ROWS(item_columns, "\nnodes {called}\n{story}");
    struct fsd_cell *row = fsd_rows_add(arena, &pair);
    struct fsd_tale tale = {.arena = arena};
    struct fsd_print called;

    fsd_put_node_name(d, one, fsd_print_open(&called));
    fputs(" and ", called.out);
    fsd_put_node_name(d, other, called.out);
    row[CALLED] = fsd_cell_text(fsd_print_take(&called, arena));
    fsd_explain_pair(&tale, d, one, other);
    row[STORY] = story_of(&tale);
    return fsd_cell_rows(arena, &pair, 1);
}

enum fsd_status fsd_view_explain(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                                 struct fsd_error *err)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = asked->d;
    bool layers = asked->q->layers;
    struct fsd_rows items =
        FSD_ROWS(item_columns, layers ? "layer {index} {called}\n{story}"
                                      : "node {index} {called}\n{story}");
    fsd_id_vec ids = {0};
    enum fsd_status status = fsd_pick_words(
        arena, asked, layers ? FSD_PICK_LAYERS : FSD_PICK_NODES, &ids, err);
    struct fsd_cell *root;

    if (status != FSD_OK)
        return status;
    items.between = "\n";
    for (uint32_t i = 0; i < ids.n; i++)
        fill_item(arena, fsd_rows_add(arena, &items), d, layers, ids.at[i]);
    sheet->schema = "fusiondiff-explain/1";
    sheet->root = FSD_ROWS(columns, "<{nodes}><{layers}><{pair}>");
    root = fsd_rows_add(arena, &sheet->root);
    root[layers ? LAYERS : NODES] = fsd_cell_rows(arena, &items, UINT32_MAX);
    if (ids.n == 2 && !layers)
        root[PAIR] = pair_of(arena, d, ids.at[0], ids.at[1]);
    return FSD_OK;
}
