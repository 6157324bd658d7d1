/* A layer of the engine: its kind, the nodes that it computes, its inputs and outputs,
 * and its cost. */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"

/* ---------------------------------------------------------------------------- edge */

/* clang-format off */
#define READER(has, set, when, t) \
    set(t, COUNT, layer, fsd_count_id(from->layer), NULL) \
    set(t, FLAG,  output, fsd_reader_is_output(from), NULL, .if_true = true, \
        .about = "true: the consumer is an output of the network") \
    when(t, NAME, name, from->output, fsd_text(d->names, from->output), NULL, \
        .about = "name of that output") \
    set(t, COUNT, node, fsd_count_id(from->node), NULL) \
    when(t, COUNT, input, from->node != FSD_NONE, from->input, NULL, \
        .about = "number of the node's input")
FSD_RECORD(reader, READER)

#define EDGE(has, set, when, t) \
    set(t, COUNT, source, fsd_count_id(flow->source), NULL, \
        .about = "the layer that produced the edge's data") \
    set(t, NAME,  tensor, fsd_tensor_name(d->model, flow->model_tensor), NULL, \
        .brief = true, \
        .about = "name of the model's tensor; a name above 2,048 bytes is cut, and " \
                 "ends in \"...\"") \
    set(t, COUNT, producer, fsd_count_id(flow->producer), NULL, \
        .about = "the node that produces the tensor") \
    set(t, ROWS,  readers, readers, FSD_ALWAYS, .of = &reader_record) \
    set(t, FLAG,  more_readers, flow->cut, NULL, .if_true = true) \
    set(t, COUNT, chain, flow->head, FSD_ALWAYS, .about = "the first " \
            "layer of the chain of data-movement layers")
FSD_RECORD_SHARED(edge, EDGE)
/* clang-format on */

const void *fsd_edge_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    struct fsd_rows *readers = fsd_rows_new(arena, &reader_record, "");
    struct edge *row;

    if (!flow->there)
        return NULL;
    FSD_EACH_IN (const struct fsd_reader, from, d->flows->readers, flow->readers)
        FSD_ADD(readers, reader, READER);
    row = FSD_NEW(arena, struct edge, 1);
    FSD_FILL(row, EDGE);
    return row;
}

/* --------------------------------------------------------------------------- layer */

/* The name of the class of a layer's time, for the two classes that the layer's kind
 * does not show. For any other class, "". */
static const char *spent_word(unsigned spent)
{
    return spent == FSD_SPENT_REQUANTIZE || spent == FSD_SPENT_REQUESTED
               ? fsd_spent_name((enum fsd_spent)spent)
               : "";
}

static const char *bound_name(unsigned by_memory)
{
    return by_memory ? "memory" : "compute";
}

/* clang-format off */
#define LINK(has, set, when, t) \
    set(t, COUNT, index, link->node, FSD_ALWAYS) \
    set(t, WORDS, evidence, fsd_words_of_evidence(arena, link->by), \
        FSD_ALWAYS, .word = fsd_evidence_name, .n_words = FSD_EVIDENCES)
FSD_RECORD(link, LINK)

#define ROOFLINE(has, set, when, t) \
    set(t, TEXT,   bound, bound_name(roof.by_memory), FSD_ALWAYS, \
        .word = bound_name, .n_words = 2) \
    set(t, TEXT,   peak, roof.by_memory ? "memory" : "arithmetic", \
        FSD_ASIDE, .says = "\n  limited by {peak}: the layer would take {ms} at the " \
                           "peak rate<; it reaches {reached:0.0} % of this rate>") \
    set(t, MS,     ms, fsd_real(roof.ms), FSD_ALWAYS, \
        .about = "the minimum time of the layer on the device") \
    set(t, NUMBER, macs_per_byte, roof.per_byte, FSD_ALWAYS) \
    set(t, SHARE,  reached, fsd_real_ms(roof.reached), NULL, \
        .about = "the minimum time divided by the measured time")
FSD_RECORD_FROM(roofline, ROOFLINE, const struct fsd_diff *d = from;
    struct fsd_roofline roof = fsd_cost_roofline(d, i))

#define LAYER(has, set, when, t) \
    set(t, COUNT, index, id, "layer", .always = true) \
    set(t, NAME,  name, fsd_text(d->names, n->name), "layer's name", .always = true) \
    set(t, NAME,  type, fsd_text(d->names, n->op), "type", .always = true) \
    set(t, TEXT,  kind, fsd_kind_name(d->layers[id].kind), "kind", .always = true, \
        .word = fsd_kind_name, .n_words = FSD__KIND_COUNT) \
    set(t, TYPE,  precision, d->layers[id].precision, "precision", .always = true, \
        .says = "<, runs in {precision!}>") \
    set(t, FLAG,  opaque, d->layers[id].opaque, "opaque", .if_true = true, \
        .behind = true, \
        .about = "the layer is a region whose fusions and precisions the engine " \
                 "does not state", \
        .says = "<{opaque!}, a region whose kernels and precisions the engine does " \
                "not state>") \
    set(t, FLAG,  inserted, d->layers[id].inserted, FSD_ALWAYS) \
    when(t, TEXT,  cause, d->reasons[id].cause != FSD_CAUSE_NONE, \
        fsd_cause_name(d->reasons[id].cause), "cause", .word = fsd_cause_name, \
        .n_words = FSD__CAUSE_COUNT) \
    set(t, NAME,  change, fsd_change_of(arena, d, id), "change", .aside = true) \
    when(t, TEXT,  spent, *spent_word(d->cost->layers[id].spent), \
        spent_word(d->cost->layers[id].spent), NULL, .word = spent_word, \
        .n_words = FSD__SPENT_COUNT, \
        .about = "the class in which the summary (member `spent`) counts the layer; " \
                 "absent if the layer's `kind` determines this class") \
    set(t, TEXT,  log, fsd_said_of(arena, d, d->reasons[id].event), NULL, \
        .about = "the reason that the build log states for the layer") \
    set(t, ROWS,  nodes, links_of(arena, d, id), NULL, .of = &link_record, \
        .always = true) \
    set(t, ROWS,  computes, fsd_rows_of_nodes(arena, from, id), "nodes", \
        .of = &fsd_node_record, .aside = true) \
    set(t, COUNT, region, fsd_count_id(d->match->region_of_layer[id]), "region", \
        .behind = true) \
    set(t, ROWS,  inputs, fsd_ports_of(arena, d, d->engine, n->in), FSD_ALWAYS, \
        .of = &fsd_port_record) \
    set(t, ROWS,  outputs, fsd_ports_of(arena, d, d->engine, n->out), FSD_ALWAYS, \
        .of = &fsd_port_record) \
    set(t, NAME,  origin, fsd_text_or_null(d, l->origin), NULL) \
    set(t, NAME,  tactic, fsd_text_or_null(d, l->tactic), NULL) \
    set(t, NAME,  ran_by, fsd_text_or_null(d, l->ran_by), NULL, \
        .about = "the execution provider, if a log or profile states it") \
    set(t, NAME,  ran_with, fsd_text_or_null(d, l->ran_with), NULL, \
        .about = "the sizes of the outputs in the profiled runs, if they were the " \
                 "same in all runs") \
    set(t, COUNT, part, fsd_count_id(fsd_graph_part_of(d->engine, id)), NULL, \
        .about = "index in engine.parts, if there are several engines") \
    when(t, COUNT, profile, l->profile >= 0, (uint64_t)l->profile, NULL) \
    set(t, MS,    ms, ms->median, "layer's ms", .says = "<, {ms}>") \
    when(t, RECORD, ms_spread, d->times->profiles > 1 && ms->median >= 0, \
        fsd_spread_held(arena, ms), NULL, .of = &fsd_spread_row_record, \
        .about = "spread of the times over several profiles") \
    set(t, NAME,  bytes_unknown_of, \
        fsd_tensor_name(d->engine, fsd_cost_gap(d, id)), NULL, \
        .about = "the bytes of the layer are unknown, because the shape or type of " \
                 "this tensor is unknown", \
        .says = "<, bytes unknown because the shape or type of {bytes_unknown_of} is " \
                "unknown>") \
    set(t, BYTES, bytes, fsd_amount_cell(d, cost->bytes), "bytes", \
        .about = "bytes that the layer reads and writes, without the bias", \
        .says = "<, {bytes}< and a bias of {bias_bytes!}>>") \
    when(t, BYTES, bias_bytes, cost->traffic.bias > 0, \
        fsd_amount_cell(d, cost->traffic.bias), NULL) \
    when(t, BYTES, weight_bytes, cost->traffic.weights > 0, \
        fsd_amount_cell(d, cost->traffic.weights), NULL) \
    set(t, MACS,  macs, fsd_amount_cell(d, cost->macs), "multiply-adds", \
        .says = "<, {macs!} multiply-adds>") \
    when(t, NUMBER, per_byte, roof.per_byte > 0, roof.per_byte, FSD_ASIDE, \
        .says = "<, {per_byte!:0.1} per byte>") \
    when(t, RECORD, roofline, roof.known && roof.per_byte >= 0, \
        FSD_HELD(arena, roofline, d, id), NULL, .of = &roofline_record, \
        .says = "<{roofline}>") \
    when(t, FACTS, values, d->values, \
        fsd_facts_of_row(arena, d->values, d->values->of_layer[id]), "layer's ", \
        .about = "numbers from --values, by column") \
    set(t, RECORD, edge, fsd_edge_of(arena, d, id), NULL, .of = &fsd_edge_record, \
        .about = "for a data-movement layer: the edge of the model whose data the " \
                 "layer moves")
FSD_RECORD_SHARED(layer, LAYER)
/* clang-format on */

static const struct fsd_rows *links_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_rows *links = fsd_rows_new(arena, &link_record, "");

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);
        FSD_ADD(links, link, LINK);
    }
    return links;
}

void fsd_fill_layer(struct fsd_arena *arena, void *out, const void *from, uint32_t id)
{
    const struct fsd_diff *d = ((const struct fsd_run_source *)from)->d;
    const struct fsd_node *n = &d->engine->nodes.at[id];
    const struct fsd_layer *l = &d->engine->layers.at[id];
    const struct fsd_layer_cost *cost = &d->cost->layers[id];
    const struct fsd_spread *ms = &d->times->of[id];
    struct fsd_roofline roof = fsd_cost_roofline(d, id);
    struct layer *row = out;

    FSD_FILL(row, LAYER);
}

const struct fsd_rows *fsd_rows_without_layer(struct fsd_arena *arena,
                                              const struct fsd_run_source *from)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_layer_record, "");
    const struct fsd_rows *nodes = fsd_rows_of_nodes(arena, from, FSD_NONE);

    if (nodes->at.n)
        ((struct layer *)fsd_rows_add(rows))->computes = nodes;
    return rows;
}
