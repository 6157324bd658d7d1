/* The mapping as one table: each layer with its nodes, then the nodes that have no
 * layer of their own: what vanished, and what a region of several layers computes. */
#include "diff/diff.h"
#include "report/view/view.h"

/* clang-format off */
#define NODE_ROW(has, t) \
    has(t, COUNT, node,      "node") \
    has(t, NAME,  node_name, "node's name") \
    has(t, NAME,  op,        "op") \
    has(t, TEXT,  fate,      "fate") \
    has(t, TYPE,  asked,     "asked for") \
    has(t, TYPE,  runs,      "runs in") \
    has(t, MS,    ms,        "node's ms") \
    has(t, COUNT, region,    "node's region") \
    has(t, WORDS, evidence,  "evidence")
FSD_RECORD(node_row, NODE_ROW)

#define LAYER_ROW(has, t) \
    has(t, COUNT, layer,     "layer") \
    has(t, NAME,  name,      "layer's name", .brief = true) \
    has(t, NAME,  type,      "type", .brief = true) \
    has(t, TEXT,  kind,      "kind") \
    has(t, TYPE,  precision, "precision") \
    has(t, TEXT,  cause,     "cause") \
    has(t, NAME,  change,    "change") \
    has(t, MS,    ms,        "layer's ms") \
    has(t, BYTES, bytes,     "bytes") \
    has(t, MACS,  macs,      "multiply-adds") \
    has(t, COUNT, region,    "region") \
    has(t, ROWS,  nodes,     "nodes", .of = &node_row_record)
FSD_RECORD(layer_row, LAYER_ROW)

#define ANSWER(has, t) \
    has(t, ROWS, layers,   "Layers and their nodes", .of = &layer_row_record) \
    has(t, ROWS, vanished, "Nodes without a layer", .of = &layer_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static struct node_row *add_node(struct fsd_arena *arena, struct fsd_rows *rows,
                                 const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[node];
    struct node_row *row = fsd_rows_add(arena, rows);

    row->node = fsd_count(node);
    row->node_name = fsd_phrase_of(arena, d, node, fsd_put_node_name);
    row->op = fsd_text(d->names, d->model->nodes.at[node].op);
    row->fate = fsd_fate_name(r->fate);
    row->asked = fsd_count(r->requested);
    row->runs = fsd_count(r->realised);
    row->ms = fsd_real_ms(d->cost->nodes[node].ms);
    row->region = fsd_count_id(d->match->region_of_node[node]);
    return row;
}

static void fill_layer(struct fsd_arena *arena, struct layer_row *row,
                       const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_result *r = &d->layers[layer];
    const struct fsd_layer_cost *cost = &d->cost->layers[layer];
    struct fsd_rows nodes = FSD_ROWS(node_row_record, "");

    row->layer = fsd_count(layer);
    row->name = fsd_layer_name_of(d, layer);
    row->type = fsd_text(d->names, d->engine->nodes.at[layer].op);
    row->kind = fsd_kind_name(r->kind);
    row->precision = fsd_count(r->precision);
    if (d->reasons[layer].cause != FSD_CAUSE_NONE)
        row->cause = fsd_cause_name(d->reasons[layer].cause);
    row->change = fsd_phrase_of(arena, d, layer, fsd_put_change);
    row->ms = fsd_real_ms(fsd_layer_ms(d, layer));
    row->bytes = fsd_amount_cell(d, cost->bytes);
    row->macs = fsd_amount_cell(d, cost->macs);
    row->region = fsd_count_id(d->match->region_of_layer[layer]);
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);

        add_node(arena, &nodes, d, link->node)->evidence =
            fsd_words_of_evidence(arena, link->by);
    }
    row->nodes = fsd_rows_held(arena, &nodes, UINT32_MAX);
}

void fsd_sheet_of_run(struct fsd_sheet *sheet, const struct fsd_diff *d)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows layers = FSD_ROWS(layer_row_record, ""), vanished = layers;
    struct fsd_rows nodes = FSD_ROWS(node_row_record, "");
    struct answer *root;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        fill_layer(arena, fsd_rows_add(arena, &layers), d, i);
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (!d->match->of_node[i].n)
            add_node(arena, &nodes, d, i);
    if (nodes.at.n)
        ((struct layer_row *)fsd_rows_add(arena, &vanished))->nodes =
            fsd_rows_held(arena, &nodes, UINT32_MAX);
    sheet->name = "diff";
    sheet->root = FSD_ROWS(answer_record, "");
    root = fsd_rows_add(arena, &sheet->root);
    root->layers = fsd_rows_held(arena, &layers, UINT32_MAX);
    root->vanished = fsd_rows_held(arena, &vanished, UINT32_MAX);
}
