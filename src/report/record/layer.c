/* A layer of the engine: what it is, computes, reads, writes and costs. */
#include "base/base.h"
#include "cost/cost.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"

/* ---------------------------------------------------------------------------- edge */

/* clang-format off */
#define READER(has, t) \
    has(t, COUNT, layer,  NULL) \
    has(t, FLAG,  output, NULL, .if_true = true, .about = "of the network") \
    has(t, COUNT, node,   NULL) \
    has(t, COUNT, input,  NULL, .about = "of the node")
FSD_RECORD(reader, READER)

#define EDGE(has, t) \
    has(t, COUNT, source,       NULL, .about = "the layer that produced the data") \
    has(t, NAME,  tensor,       NULL, .brief = true, \
        .about = "the model's; of more than 2,048 bytes the front and \"...\"") \
    has(t, COUNT, producer,     NULL, .about = "the node that produces it") \
    has(t, ROWS,  readers,      NULL, .of = &reader_record, .always = true) \
    has(t, FLAG,  more_readers, NULL, .if_true = true) \
    has(t, COUNT, chain,        NULL, .always = true, .about = "its first layer")
FSD_RECORD_SHARED(edge, EDGE)
/* clang-format on */

const void *fsd_edge_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    struct fsd_rows *readers = fsd_rows_new(arena, &reader_record, "");
    struct edge *row;

    if (!flow->there)
        return NULL;
    for (uint32_t i = 0; i < flow->readers.n; i++) {
        const struct fsd_reader *from = &d->flows->readers.at[flow->readers.at + i];
        struct reader *reader = fsd_rows_add(readers);

        reader->layer = fsd_count_id(from->layer);
        reader->output = fsd_flag(fsd_reader_is_output(from));
        reader->node = fsd_count_id(from->node);
        if (from->node != FSD_NONE)
            reader->input = fsd_count(from->input);
    }
    row = FSD_NEW(arena, struct edge, 1);
    row->source = fsd_count_id(flow->source);
    row->tensor = fsd_tensor_name(d->model, flow->model_tensor);
    row->producer = fsd_count_id(flow->producer);
    row->readers = readers;
    row->more_readers = fsd_flag(flow->cut);
    row->chain = fsd_count(flow->head);
    return row;
}

/* --------------------------------------------------------------------------- layer */

/* The classes of which not all layers have one kind. */
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
#define LINK(has, t) \
    has(t, COUNT, index,    NULL, .always = true) \
    has(t, WORDS, evidence, NULL, .always = true, .word = fsd_evidence_name, \
        .n_words = FSD_EVIDENCES)
FSD_RECORD(link, LINK)

#define ROOFLINE(has, t) \
    has(t, TEXT,   bound,         NULL, .always = true, .word = bound_name, \
        .n_words = 2) \
    has(t, TEXT,   peak,          NULL, .aside = true, .says = "\n  {peak} takes " \
        "the time: at the peaks {ms}<, {reached:0.0} % reached>") \
    has(t, MS,     ms,            NULL, .always = true, \
        .about = "the minimum time on the device") \
    has(t, NUMBER, macs_per_byte, NULL, .always = true) \
    has(t, SHARE,  reached,       NULL, .about = "that over the measured time")
FSD_RECORD(roofline, ROOFLINE)

#define LAYER(has, t) \
    has(t, COUNT, index,     "layer", .always = true) \
    has(t, NAME,  name,      "layer's name", .always = true) \
    has(t, NAME,  type,      "type", .always = true) \
    has(t, TEXT,  kind,      "kind", .always = true, .word = fsd_kind_name, \
        .n_words = FSD__KIND_COUNT) \
    has(t, TYPE,  precision, "precision", .always = true, \
        .says = "<, runs in {precision!}>") \
    has(t, FLAG,  inserted,  NULL, .always = true) \
    has(t, TEXT,  cause,     "cause", .word = fsd_cause_name, \
        .n_words = FSD__CAUSE_COUNT) \
    has(t, NAME,  change,    "change", .aside = true) \
    has(t, TEXT,  spent,     NULL, .word = spent_word, .n_words = FSD__SPENT_COUNT, \
        .about = "its class in the summary's spent, if its kind does not imply it") \
    has(t, TEXT,  log,       NULL, .about = "why it was inserted, by the build log") \
    has(t, ROWS,  nodes,     NULL, .of = &link_record, .always = true) \
    has(t, ROWS,  computes,  "nodes", .of = &fsd_node_record, .aside = true) \
    has(t, COUNT, region,    "region", .behind = true) \
    has(t, ROWS,  inputs,    NULL, .of = &fsd_port_record, .always = true) \
    has(t, ROWS,  outputs,   NULL, .of = &fsd_port_record, .always = true) \
    has(t, NAME,  origin,    NULL) \
    has(t, NAME,  tactic,    NULL) \
    has(t, NAME,  ran_by,    NULL, \
        .about = "the execution provider, where a log or profile states it") \
    has(t, NAME,  ran_with,  NULL, \
        .about = "the sizes of its outputs in the profiled runs, if they were the " \
                 "same in all") \
    has(t, COUNT, part,      NULL, .about = "of several engines, in engine.parts, " \
        "from 0") \
    has(t, COUNT, profile,   NULL) \
    has(t, MS,    ms,        "layer's ms", .says = "<, {ms}>") \
    has(t, RECORD, ms_spread, NULL, .of = &fsd_spread_row_record, \
        .about = "over several profiles") \
    has(t, NAME,  bytes_unknown_of, NULL, \
        .about = "the tensor whose shape or type is unknown, if the bytes are " \
                 "not", \
        .says = "<, bytes unknown for want of the shape of {bytes_unknown_of}>") \
    has(t, BYTES, bytes,     "bytes", .about = "read and written, without the bias", \
        .says = "<, {bytes}< and a bias of {bias_bytes!}>>") \
    has(t, BYTES, bias_bytes, NULL) \
    has(t, BYTES, weight_bytes, NULL) \
    has(t, MACS,  macs,      "multiply-adds", .says = "<, {macs!} multiply-adds>") \
    has(t, NUMBER, per_byte, NULL, .aside = true, \
        .says = "<, {per_byte!:0.1} per byte>") \
    has(t, RECORD, roofline, NULL, .of = &roofline_record, .says = "<{roofline}>") \
    has(t, FACTS, values,    "layer's ", .about = "numbers from outside, by column") \
    has(t, RECORD, edge,     NULL, .of = &fsd_edge_record, \
        .about = "the edge that it sits on, for a layer that computes no node")
FSD_RECORD_SHARED(layer, LAYER)
/* clang-format on */

static const struct fsd_rows *links_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_rows *links = fsd_rows_new(arena, &link_record, "");

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);
        struct link *row = fsd_rows_add(links);

        row->index = fsd_count(link->node);
        row->evidence = fsd_words_of_evidence(arena, link->by);
    }
    return links;
}

static void fill_cost(struct fsd_arena *arena, struct layer *row,
                      const struct fsd_diff *d, fsd_id id)
{
    const struct fsd_layer_cost *cost = &d->cost->layers[id];
    const struct fsd_spread *ms = &d->times->of[id];
    struct fsd_roofline roof = fsd_cost_roofline(d, id);
    fsd_id gap = fsd_cost_gap(d, id);
    struct roofline *at;

    row->ms = fsd_real_ms(ms->median);
    if (d->times->profiles > 1 && ms->median >= 0)
        row->ms_spread = fsd_spread_held(arena, ms);
    row->bytes_unknown_of = fsd_tensor_name(d->engine, gap);
    row->bytes = fsd_amount_cell(d, cost->bytes);
    if (cost->traffic.bias > 0)
        row->bias_bytes = fsd_amount_cell(d, cost->traffic.bias);
    if (cost->traffic.weights > 0)
        row->weight_bytes = fsd_amount_cell(d, cost->traffic.weights);
    row->macs = fsd_amount_cell(d, cost->macs);
    if (roof.per_byte > 0)
        row->per_byte = fsd_real(roof.per_byte);
    if (!roof.known || roof.per_byte < 0)
        return;
    row->roofline = at = FSD_NEW(arena, struct roofline, 1);
    at->bound = bound_name(roof.by_memory);
    at->peak = roof.by_memory ? "memory" : "arithmetic";
    at->ms = fsd_real(roof.ms);
    at->macs_per_byte = fsd_real(roof.per_byte);
    at->reached = fsd_real_ms(roof.reached);
}

void fsd_fill_layer(struct fsd_arena *arena, void *out, const void *from, uint32_t id)
{
    const struct fsd_diff *d = ((const struct fsd_run_source *)from)->d;
    const struct fsd_node *n = &d->engine->nodes.at[id];
    const struct fsd_layer *l = &d->engine->layers.at[id];
    struct layer *row = out;

    row->index = fsd_count(id);
    row->name = fsd_text(d->names, n->name);
    row->type = fsd_text(d->names, n->op);
    row->kind = fsd_kind_name(d->layers[id].kind);
    row->precision = fsd_count(d->layers[id].precision);
    row->inserted = fsd_flag(d->layers[id].inserted);
    if (d->reasons[id].cause != FSD_CAUSE_NONE)
        row->cause = fsd_cause_name(d->reasons[id].cause);
    if (*spent_word(d->cost->layers[id].spent))
        row->spent = spent_word(d->cost->layers[id].spent);
    row->change = fsd_change_of(arena, d, id);
    row->log = fsd_said_of(arena, d, d->reasons[id].event);
    row->nodes = links_of(arena, d, id);
    row->computes = fsd_rows_of_nodes(arena, from, id);
    row->region = fsd_count_id(d->match->region_of_layer[id]);
    row->inputs = fsd_ports_of(arena, d, d->engine, n->in);
    row->outputs = fsd_ports_of(arena, d, d->engine, n->out);
    row->origin = fsd_text_or_null(d, l->origin);
    row->tactic = fsd_text_or_null(d, l->tactic);
    row->ran_by = fsd_text_or_null(d, l->ran_by);
    row->part = fsd_count_id(fsd_graph_part_of(d->engine, id));
    row->ran_with = fsd_text_or_null(d, l->ran_with);
    if (l->profile >= 0)
        row->profile = fsd_count((uint64_t)l->profile);
    fill_cost(arena, row, d, id);
    if (d->values)
        row->values = fsd_facts_of_row(arena, d->values, d->values->of_layer[id]);
    row->edge = fsd_edge_of(arena, d, id);
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
