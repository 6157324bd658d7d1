/* Where nodes of the model are computed, between whom, how precisely, and why that is
 * believed. */
#include "base/print.h"
#include "report/view/view.h"
#include "report/text/phrase.h"

enum { NEIGHBOURS = 4 };

enum {
    LAYER_INDEX,
    LAYER_NAME,
    LAYER_CALLED,
    LAYER_KIND,
    LAYER_SORT,
    LAYER_CHANGE,
    LAYER_PRECISION,
    LAYER_MS,
    LAYER_EVIDENCE,
    LAYER_FROM,
    LAYER_TO
};

static const struct fsd_column layer_columns[] = {
    [LAYER_INDEX] = {"index", "layer", FSD_CELL_COUNT},
    [LAYER_NAME] = {"name", NULL, FSD_CELL_NAME, .brief = true},
    [LAYER_CALLED] = {"called", "layer's name", FSD_CELL_NAME, true, true},
    [LAYER_KIND] = {"kind", "kind", FSD_CELL_TEXT},
    [LAYER_SORT] = {"sort", NULL, FSD_CELL_NAME, true},
    [LAYER_CHANGE] = {"change", "change", FSD_CELL_NAME, true},
    [LAYER_PRECISION] = {"precision", "precision", FSD_CELL_TYPE},
    [LAYER_MS] = {"ms", "layer's ms", FSD_CELL_MS},
    [LAYER_EVIDENCE] = {"evidence", "evidence", FSD_CELL_WORDS},
    [LAYER_FROM] = {"from", NULL, FSD_CELL_TEXT, true},
    [LAYER_TO] = {"to", NULL, FSD_CELL_TEXT, true},
};

static const char layer_text[] =
    "  layer {index}  {sort}<  {change}><  runs in {precision!}><  {ms}>\n"
    "           {called:.88}\n"
    "           by {evidence}\n"
    "<           input from {from}\n>"
    "<           output to {to}\n>";

enum {
    NODE_INDEX,
    NODE_NAME,
    NODE_CALLED,
    NODE_OP,
    NODE_MODULE,
    NODE_FATE,
    NODE_WHY,
    NODE_SAME_AS,
    NODE_REQUESTED,
    NODE_REALISED,
    NODE_MS,
    NODE_MACS,
    NODE_SHARED,
    NODE_BECAME,
    NODE_NEAR,
    NODE_REGION,
    NODE_LAYERS
};

static const struct fsd_column node_columns[] = {
    [NODE_INDEX] = {"index", "node", FSD_CELL_COUNT},
    [NODE_NAME] = {"name", NULL, FSD_CELL_NAME},
    [NODE_CALLED] = {"called", "name", FSD_CELL_NAME, true},
    [NODE_OP] = {"op", "op", FSD_CELL_NAME},
    [NODE_MODULE] = {"module", "module", FSD_CELL_NAME},
    [NODE_FATE] = {"fate", "fate", FSD_CELL_TEXT},
    [NODE_WHY] = {"why", "why", FSD_CELL_TEXT},
    [NODE_SAME_AS] = {"same_as", NULL, FSD_CELL_COUNT},
    [NODE_REQUESTED] = {"requested", "asked for", FSD_CELL_TYPE},
    [NODE_REALISED] = {"realised", "runs in", FSD_CELL_TYPE},
    [NODE_MS] = {"ms", "ms", FSD_CELL_MS},
    [NODE_MACS] = {"macs", "multiply-adds", FSD_CELL_MACS, true},
    [NODE_SHARED] = {"shared", NULL, FSD_CELL_FLAG, true},
    [NODE_BECAME] = {"became", NULL, FSD_CELL_NAME, true},
    [NODE_NEAR] = {"near", NULL, FSD_CELL_COUNT, true},
    [NODE_REGION] = {"region", "region", FSD_CELL_COUNT, true},
    [NODE_LAYERS] = {"layers", "layers", FSD_CELL_ROWS, FSD_INSIDE(layer_columns)},
};

static const char node_text[] =
    "node {index} {called}< ({op!})>< in {module}>\n"
    "  {became}< (at layer {near})><; in region {region}><; asked for {requested!}>"
    "<, runs in {realised!}><, {macs!} multiply-adds><, {ms}<{shared!} as its part>>\n"
    "{layers}";

enum { NODES };

static const struct fsd_column columns[] = {
    [NODES] = {"nodes", "Nodes and their layers", FSD_CELL_ROWS,
               FSD_INSIDE(node_columns)},
};

static const char *neighbours(struct fsd_arena *arena, const struct fsd_diff *d,
                              struct fsd_span ports, bool before)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_print print;
    const char *text;
    uint32_t n = 0;

    fsd_print_open(&print);
    for (uint32_t i = 0; i < ports.n; i++) {
        struct fsd_span who = fsd_port_peers(e, ports.at + i, before);

        for (uint32_t k = 0; k < who.n && n <= NEIGHBOURS; k++) {
            fsd_id layer = e->links.at[who.at + k];

            if (n++ == NEIGHBOURS)
                fputs(" ...", print.out);
            else
                fprintf(print.out, "%slayer %u (%s)", n == 1 ? "" : ", ", layer,
                        fsd_kind_name(d->layers[layer].kind));
        }
    }
    text = fsd_print_take(&print, arena);
    return n ? text : NULL;
}

static void fill_layer(struct fsd_arena *arena, struct fsd_cell *row,
                       const struct fsd_diff *d, const struct fsd_link *link)
{
    const struct fsd_node *n = &d->engine->nodes.at[link->layer];
    const struct fsd_layer_result *r = &d->layers[link->layer];

    row[LAYER_INDEX] = fsd_cell_count(link->layer);
    row[LAYER_NAME] = fsd_cell_sym(d, n->name);
    row[LAYER_CALLED] = fsd_cell_layer_name(d, link->layer);
    row[LAYER_KIND] = fsd_cell_text(fsd_kind_name(r->kind));
    row[LAYER_SORT] = fsd_cell_phrase(arena, d, link->layer, fsd_put_layer_kind);
    if (n->in.n || n->out.n) {
        const char *change = fsd_phrase_of(arena, d, link->layer, fsd_put_change);

        row[LAYER_CHANGE] = fsd_cell_text(change ? change : "");
    }
    row[LAYER_PRECISION] = fsd_cell_count(r->precision);
    row[LAYER_MS] = fsd_cell_ms(fsd_layer_ms(d, link->layer));
    row[LAYER_EVIDENCE] = fsd_cell_evidence(arena, link->by);
    row[LAYER_FROM] = fsd_cell_text(neighbours(arena, d, n->in, true));
    row[LAYER_TO] = fsd_cell_text(neighbours(arena, d, n->out, false));
}

static void fill_node(struct fsd_arena *arena, struct fsd_cell *row,
                      const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    const struct fsd_node_result *r = &d->nodes[node];
    const struct fsd_node_cost *cost = &d->cost->nodes[node];
    struct fsd_rows layers = FSD_ROWS(layer_columns, layer_text);

    row[NODE_INDEX] = fsd_cell_count(node);
    row[NODE_NAME] = fsd_cell_sym(d, n->name);
    row[NODE_CALLED] = fsd_cell_phrase(arena, d, node, fsd_put_node_name);
    row[NODE_OP] = fsd_cell_sym(d, n->op);
    if (n->module)
        row[NODE_MODULE] = fsd_cell_sym(d, n->module);
    row[NODE_FATE] = fsd_cell_text(fsd_fate_name(r->fate));
    row[NODE_WHY] = fsd_cell_text(*r->why ? r->why : NULL);
    row[NODE_SAME_AS] = fsd_cell_id(r->other);
    row[NODE_REQUESTED] = fsd_cell_count(r->requested);
    row[NODE_REALISED] = fsd_cell_count(r->realised);
    row[NODE_MS] = fsd_cell_ms(cost->ms);
    row[NODE_MACS] = fsd_cell_amount(d, cost->macs);
    row[NODE_SHARED] = fsd_cell_count(cost->shares);
    row[NODE_BECAME] = fsd_cell_phrase(arena, d, node, fsd_put_fate);
    row[NODE_NEAR] = fsd_cell_id(r->near_layer);
    row[NODE_REGION] = fsd_cell_id(d->match->region_of_node[node]);
    for (uint32_t i = 0; i < d->match->of_node[node].n; i++)
        fill_layer(arena, fsd_rows_add(arena, &layers), d,
                   fsd_match_of_node(d->match, node, i));
    row[NODE_LAYERS] = fsd_cell_rows(arena, &layers, UINT32_MAX);
}

enum fsd_status fsd_view_where(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                               struct fsd_error *err)
{
    struct fsd_rows nodes = FSD_ROWS(node_columns, node_text);
    fsd_id_vec ids = {0};
    enum fsd_status status =
        fsd_pick_words(sheet->arena, asked, FSD_PICK_NODES, &ids, err);

    if (status != FSD_OK)
        return status;
    nodes.between = "\n";
    for (uint32_t i = 0; i < ids.n; i++)
        fill_node(sheet->arena, fsd_rows_add(sheet->arena, &nodes), asked->d,
                  ids.at[i]);
    sheet->schema = "fusiondiff-where/1";
    sheet->root = FSD_ROWS(columns, "{nodes}");
    fsd_rows_add(sheet->arena, &sheet->root)[NODES] =
        fsd_cell_rows(sheet->arena, &nodes, UINT32_MAX);
    return FSD_OK;
}
