/* The mapping as one table: each layer with its nodes, then the nodes that have no
 * layer of their own: what vanished, and what a region of several layers computes. */
#include "diff/diff.h"
#include "report/view/view.h"

enum { NODE, NODE_NAME, OP, FATE, ASKED, RUNS, NODE_MS, NODE_REGION, EVIDENCE };

static const struct fsd_column node_columns[] = {
    [NODE] = {"node", "node", FSD_CELL_COUNT},
    [NODE_NAME] = {"node_name", "node's name", FSD_CELL_NAME},
    [OP] = {"op", "op", FSD_CELL_NAME},
    [FATE] = {"fate", "fate", FSD_CELL_TEXT},
    [ASKED] = {"asked", "asked for", FSD_CELL_TYPE},
    [RUNS] = {"runs", "runs in", FSD_CELL_TYPE},
    [NODE_MS] = {"ms", "node's ms", FSD_CELL_MS},
    [NODE_REGION] = {"region", "node's region", FSD_CELL_COUNT},
    [EVIDENCE] = {"evidence", "evidence", FSD_CELL_WORDS},
};

enum {
    LAYER,
    LAYER_NAME,
    TYPE,
    KIND,
    PRECISION,
    CAUSE,
    CHANGE,
    MS,
    BYTES,
    MACS,
    REGION,
    NODES
};

static const struct fsd_column layer_columns[] = {
    [LAYER] = {"layer", "layer", FSD_CELL_COUNT},
    [LAYER_NAME] = {"name", "layer's name", FSD_CELL_NAME, .brief = true},
    [TYPE] = {"type", "type", FSD_CELL_NAME, .brief = true},
    [KIND] = {"kind", "kind", FSD_CELL_TEXT},
    [PRECISION] = {"precision", "precision", FSD_CELL_TYPE},
    [CAUSE] = {"cause", "cause", FSD_CELL_TEXT},
    [CHANGE] = {"change", "change", FSD_CELL_NAME},
    [MS] = {"ms", "layer's ms", FSD_CELL_MS},
    [BYTES] = {"bytes", "bytes", FSD_CELL_BYTES},
    [MACS] = {"macs", "multiply-adds", FSD_CELL_MACS},
    [REGION] = {"region", "region", FSD_CELL_COUNT},
    [NODES] = {"nodes", "nodes", FSD_CELL_ROWS, FSD_INSIDE(node_columns)},
};

enum { LAYERS, VANISHED };

static const struct fsd_column columns[] = {
    [LAYERS] = {"layers", "Layers and their nodes", FSD_CELL_ROWS,
                FSD_INSIDE(layer_columns)},
    [VANISHED] = {"vanished", "Nodes without a layer", FSD_CELL_ROWS,
                  FSD_INSIDE(layer_columns)},
};

static struct fsd_cell *add_node(struct fsd_arena *arena, struct fsd_rows *rows,
                                 const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[node];
    struct fsd_cell *row = fsd_rows_add(arena, rows);

    row[NODE] = fsd_cell_count(node);
    row[NODE_NAME] = fsd_cell_phrase(arena, d, node, fsd_put_node_name);
    row[OP] = fsd_cell_sym(d, d->model->nodes.at[node].op);
    row[FATE] = fsd_cell_text(fsd_fate_name(r->fate));
    row[ASKED] = fsd_cell_count(r->requested);
    row[RUNS] = fsd_cell_count(r->realised);
    row[NODE_MS] = fsd_cell_ms(d->cost->nodes[node].ms);
    row[NODE_REGION] = fsd_cell_id(d->match->region_of_node[node]);
    return row;
}

static void fill_layer(struct fsd_arena *arena, struct fsd_cell *row,
                       const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_result *r = &d->layers[layer];
    const struct fsd_layer_cost *cost = &d->cost->layers[layer];
    struct fsd_rows nodes = FSD_ROWS(node_columns, "");

    row[LAYER] = fsd_cell_count(layer);
    row[LAYER_NAME] = fsd_cell_layer_name(d, layer);
    row[TYPE] = fsd_cell_sym(d, d->engine->nodes.at[layer].op);
    row[KIND] = fsd_cell_text(fsd_kind_name(r->kind));
    row[PRECISION] = fsd_cell_count(r->precision);
    if (d->reasons[layer].cause != FSD_CAUSE_NONE)
        row[CAUSE] = fsd_cell_text(fsd_cause_name(d->reasons[layer].cause));
    row[CHANGE] = fsd_cell_phrase(arena, d, layer, fsd_put_change);
    row[MS] = fsd_cell_ms(fsd_layer_ms(d, layer));
    row[BYTES] = fsd_cell_amount(d, cost->bytes);
    row[MACS] = fsd_cell_amount(d, cost->macs);
    row[REGION] = fsd_cell_id(d->match->region_of_layer[layer]);
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);

        add_node(arena, &nodes, d, link->node)[EVIDENCE] =
            fsd_cell_evidence(arena, link->by);
    }
    row[NODES] = fsd_cell_rows(arena, &nodes, UINT32_MAX);
}

void fsd_sheet_of_run(struct fsd_sheet *sheet, const struct fsd_diff *d)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows layers = FSD_ROWS(layer_columns, ""), vanished = layers;
    struct fsd_rows nodes = FSD_ROWS(node_columns, "");
    struct fsd_cell *root;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        fill_layer(arena, fsd_rows_add(arena, &layers), d, i);
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (!d->match->of_node[i].n)
            add_node(arena, &nodes, d, i);
    if (nodes.at.n)
        fsd_rows_add(arena, &vanished)[NODES] =
            fsd_cell_rows(arena, &nodes, UINT32_MAX);
    sheet->name = "diff";
    sheet->root = FSD_ROWS(columns, "");
    root = fsd_rows_add(arena, &sheet->root);
    root[LAYERS] = fsd_cell_rows(arena, &layers, UINT32_MAX);
    root[VANISHED] = fsd_cell_rows(arena, &vanished, UINT32_MAX);
}
