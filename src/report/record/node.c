/* A node of the model: its outcome, the layers that compute it, and its precision. */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"

/* clang-format off */
#define NODE(has, set, when, t) \
    set(t, COUNT, index, id, "node", .always = true) \
    set(t, NAME,  name, fsd_text(d->names, n->name), FSD_ALWAYS) \
    set(t, NAME,  called, fsd_called_node(arena, d, id), "node's name", .aside = true) \
    set(t, NAME,  op, fsd_text(d->names, n->op), "op", .always = true) \
    set(t, NAME,  domain, fsd_text_or_null(d, n->domain), NULL) \
    when(t, COUNT, scope, n->scope, n->scope, NULL) \
    when(t, NAME,  module, source->modules.of[id], \
        fsd_text(source->modules.names, source->modules.of[id]), NULL, \
        .about = "the module of the network that contains the node, according to the " \
                 "node's name; `fusiondiff scopes` prints sums for each module") \
    set(t, NAME,  source, fsd_text_or_null(d, n->written), NULL, \
        .about = "the place in the source code, as the exporter states it: file, " \
                 "line and the text of the line") \
    set(t, TEXT,  fate, fsd_fate_name(r->fate), "fate", .always = true, \
        .word = fsd_fate_name, .n_words = FSD__FATE_COUNT) \
    set(t, TEXT,  why, *r->why ? r->why : NULL, NULL) \
    set(t, TEXT,  log, fsd_said_of(arena, d, r->event), NULL, \
        .about = "the last event of the build log that concerns the node") \
    set(t, COUNT, same_as, fsd_count_id(r->other), NULL) \
    set(t, COUNT, near_layer, fsd_count_id(r->near_layer), NULL, \
        .says = "< (at layer {near_layer})>") \
    set(t, IDS,   layers, fsd_ids_of_layers(arena, d->match, id), FSD_ALWAYS) \
    set(t, FLAG,  opaque, \
        fsd_opaque_layer_of(d->match, d->layers, id) != FSD_NONE, NULL, \
        .if_true = true, \
        .about = "one of the node's layers is opaque, so the type of the node and " \
                 "its fusion in that layer are unknown") \
    when(t, COUNT, part, d->parts, fsd_count_id(d->parts->of_node[id]), NULL, \
        .about = "if there are several engines: the engine that computes the node, " \
                 "as an index in engine.parts") \
    set(t, COUNT, region, fsd_count_id(d->match->region_of_node[id]), "node's region", \
        .behind = true, .says = "<; in region {region}>") \
    set(t, ROWS,  inputs, fsd_ports_of(arena, d, d->model, n->in), FSD_ALWAYS, \
        .of = &fsd_port_record, \
        .about = "input tensors of the node; an entry without a name is an input " \
                 "that the model omits") \
    set(t, ROWS,  outputs, fsd_ports_of(arena, d, d->model, n->out), FSD_ALWAYS, \
        .of = &fsd_port_record) \
    set(t, TYPE,  requested, r->requested, "requested", .always = true, \
        .says = "<; requested {requested!}>") \
    set(t, TYPE,  realised, r->realised, "runs in", .always = true, \
        .says = "<, runs in {realised!}>") \
    set(t, MS,    ms, cost->ms, "node's ms", \
        .about = "the node's share of the times of its layers", \
        .says = "<, {macs!} multiply-adds><, {ms}<{shares!} (its share of the " \
                "layers' time)>>") \
    set(t, FLAG,  shares, cost->ms >= 0 && cost->shares, NULL, .if_true = true, \
        .about = "true if the layer's time is divided among several nodes") \
    when(t, MACS, macs, cost->macs, fsd_amount_cell(d, cost->macs), NULL) \
    when(t, FACTS, values, d->values, \
        fsd_facts_of_row(arena, d->values, d->values->of_node[id]), "node's ", \
        .about = "numbers from --values, by column") \
    has(t, WORDS, evidence,   "evidence", .aside = true, .behind = true)
FSD_RECORD_SHARED(node, NODE)
/* clang-format on */

void fsd_fill_node(struct fsd_arena *arena, void *out, const void *from, uint32_t id)
{
    const struct fsd_run_source *source = from;
    const struct fsd_diff *d = source->d;
    const struct fsd_node *n = &d->model->nodes.at[id];
    const struct fsd_node_result *r = &d->nodes[id];
    const struct fsd_node_cost *cost = &d->cost->nodes[id];
    struct node *row = out;

    FSD_FILL(row, NODE);
}

/* The nodes that fill rows. If `ids` is NULL, they are the nodes of `layer`. Otherwise
 * they are the nodes in `ids`, which no layer computes. */
struct nodes {
    const struct fsd_run_source *source;
    fsd_id layer;
    const fsd_id *ids;
};

static void fill_one_of(struct fsd_arena *arena, void *out, const void *from,
                        uint32_t i)
{
    const struct nodes *nodes = from;
    const struct fsd_link *link;

    if (nodes->ids) {
        fsd_fill_node(arena, out, nodes->source, nodes->ids[i]);
        return;
    }
    link = fsd_match_of_layer(nodes->source->d->match, nodes->layer, i);
    fsd_fill_node(arena, out, nodes->source, link->node);
    ((struct node *)out)->evidence = fsd_words_of_evidence(arena, link->by);
}

const struct fsd_rows *fsd_rows_of_nodes(struct fsd_arena *arena,
                                         const struct fsd_run_source *source,
                                         fsd_id layer)
{
    const struct fsd_match *match = source->d->match;
    struct nodes *from = FSD_NEW(arena, struct nodes, 1);
    uint32_t n = 0;
    fsd_id *ids;

    *from = (struct nodes){.source = source, .layer = layer};
    if (layer != FSD_NONE)
        return fsd_rows_later(arena, &fsd_node_record, match->of_layer[layer].n,
                              fill_one_of, from);
    from->ids = ids = FSD_NEW(arena, fsd_id, source->d->model->nodes.n);
    for (fsd_id i = 0; i < source->d->model->nodes.n; i++)
        if (!match->of_node[i].n)
            ids[n++] = i;
    return fsd_rows_later(arena, &fsd_node_record, n, fill_one_of, from);
}
