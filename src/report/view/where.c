/* Shows the layers that compute a node of the model, and for each of these layers: its
 * precision, its neighbors, and the evidence that it computes the node. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/view/view.h"

enum { NEIGHBOURS = 4 };

/* clang-format off */
#define LAYER_ROW(has, set, when, t) \
    FSD_LAYER_ID(set, t, index, NULL, .brief = true) \
    FSD_LAYER_CALLED(set, t, "layer's name") \
    when(t, NAME,  change, n->in.n || n->out.n, change ? change : "", "change", \
        .aside = true) \
    set(t, TYPE,  precision, r->precision, "precision") \
    set(t, FLAG,  opaque, r->opaque, "opaque", .if_true = true, .behind = true, \
        .about = "the engine does not state which kernels compute the layer's nodes") \
    set(t, MS,    ms, fsd_layer_ms(d, layer), "layer's ms") \
    set(t, NAME,  provider, \
        fsd_text_or_null(d, d->engine->layers.at[layer].ran_by), "provider") \
    set(t, WORDS, evidence, fsd_words_of_evidence(arena, link->by), "evidence") \
    set(t, FACTS, values, fsd_facts_of_row(arena, d->values, numbers), "layer's ", \
        .about = "numbers from --values, by column") \
    set(t, TEXT,  numbers, fsd_text_of_row(arena, d->values, numbers), FSD_ASIDE) \
    set(t, TEXT,  from, neighbours(arena, d, n->in, true), FSD_ASIDE) \
    set(t, TEXT,  to, neighbours(arena, d, n->out, false), FSD_ASIDE)
FSD_RECORD(layer_row, LAYER_ROW)
/* clang-format on */

static const char layer_text[] =
    "  layer {index}  {sort}<  {change}><  runs in {precision!}><  {ms}>"
    "<  on {provider}>\n"
    "           {called:.88}\n"
    "           by {evidence}\n"
    "<          {opaque!} a region whose kernels and precisions the engine does not "
    "state\n>"
    "<           values: {numbers}\n>"
    "<           input from {from}\n>"
    "<           output to {to}\n>";

/* clang-format off */
#define NODE_ROW(has, set, when, t) \
    set(t, COUNT, index, node, "node") \
    set(t, NAME,  name, fsd_text(d->names, n->name), NULL) \
    set(t, NAME,  called, fsd_called_node(arena, d, node), "name", .aside = true) \
    set(t, NAME,  op, fsd_text(d->names, n->op), "op") \
    when(t, NAME,  module, n->module, fsd_text(d->names, n->module), "module") \
    set(t, TEXT,  fate, fsd_fate_name(r->fate), "fate") \
    set(t, TEXT,  why, *r->why ? r->why : NULL, "why") \
    set(t, COUNT, same_as, fsd_count_id(r->other), NULL) \
    set(t, TYPE,  requested, r->requested, "requested") \
    set(t, TYPE,  realised, r->realised, "runs in") \
    set(t, MS,    ms, cost->ms, "ms") \
    set(t, MACS,  macs, fsd_amount_cell(d, cost->macs), "multiply-adds", \
        .aside = true) \
    set(t, NAME,  became, fsd_phrase_of(arena, d, node, fsd_put_fate), FSD_ASIDE) \
    set(t, RECORD, clauses, clauses, FSD_ASIDE, .of = &fsd_node_record) \
    set(t, COUNT, region, fsd_count_id(d->match->region_of_node[node]), "region", \
        .aside = true) \
    set(t, FACTS, values, fsd_facts_of_row(arena, d->values, numbers), "", \
        .about = "numbers from --values, by column") \
    set(t, TEXT,  numbers, fsd_text_of_row(arena, d->values, numbers), FSD_ASIDE) \
    set(t, ROWS,  layers, layers, "layers", .of = &layer_row_record)
FSD_RECORD(node_row, NODE_ROW)
/* clang-format on */

static const char node_text[] = "node {index} {called}< ({op!})>< in {module}>\n"
                                "  {became}{clauses}\n"
                                "<  values: {numbers}\n>"
                                "{layers}";

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, ROWS, nodes, nodes, "Nodes and their layers", .of = &node_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

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

static void fill_layer(struct fsd_arena *arena, struct layer_row *row,
                       const struct fsd_diff *d, const struct fsd_link *link)
{
    fsd_id layer = link->layer;
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const struct fsd_layer_result *r = &d->layers[layer];
    uint32_t numbers = d->values ? d->values->of_layer[layer] : FSD_NONE;
    const char *change = fsd_change_of(arena, d, layer);

    FSD_FILL(row, LAYER_ROW);
}

static void fill_node(struct fsd_arena *arena, struct node_row *row,
                      const struct fsd_run_source *from, fsd_id node)
{
    const struct fsd_diff *d = from->d;
    const struct fsd_node *n = &d->model->nodes.at[node];
    const struct fsd_node_result *r = &d->nodes[node];
    const struct fsd_node_cost *cost = &d->cost->nodes[node];
    struct fsd_rows *layers = fsd_rows_new(arena, &layer_row_record, layer_text);
    uint32_t numbers = d->values ? d->values->of_node[node] : FSD_NONE;
    void *clauses = fsd_record_new(arena, &fsd_node_record);

    fsd_fill_node(arena, clauses, from, node);
    for (uint32_t i = 0; i < d->match->of_node[node].n; i++)
        fill_layer(arena, fsd_rows_add(layers), d,
                   fsd_match_of_node(d->match, node, i));
    FSD_FILL(row, NODE_ROW);
}

enum fsd_status fsd_view_where(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    const struct fsd_run_source *from = fsd_run_source_of(sheet->arena, request->d);
    struct fsd_rows *nodes = fsd_rows_new(sheet->arena, &node_row_record, node_text);
    fsd_id_vec ids = {0};
    struct answer *root;
    enum fsd_status status =
        fsd_pick_words(sheet->arena, request, FSD_PICK_NODES, &ids);

    if (status != FSD_OK)
        return status;
    nodes->between = "\n";
    for (uint32_t i = 0; i < ids.n; i++)
        fill_node(sheet->arena, fsd_rows_add(nodes), from, ids.at[i]);
    root =
        fsd_sheet_begin(sheet, "fusiondiff-where/1", &answer_record, NULL, "{nodes}");
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
