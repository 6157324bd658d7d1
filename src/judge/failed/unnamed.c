/*
 * Finds the nodes that can have added a layer without a name. "(Unnamed Layer* 9)
 * [Recurrence]" is the tenth layer of the network. The parser adds layers node by node,
 * and registers the layers that have a name. The lines of a verbose log therefore limit
 * which nodes can have added the tenth layer:
 *
 *     Parsing node: /Loop [Loop]
 *     Registering layer: /loop/MatMul for ONNX node: /loop/MatMul
 *     Registering layer: ONNXTRT_castHelper required by ONNX-TRT
 *
 * The number of layers without a name that each operator adds was measured with
 * TensorRT for RTX 1.7 (tests/failed/layers.py). If several nodes can have added the
 * layer, all of them are candidates. If there are more than FSD_FAILED_PART candidates,
 * the node counts as unknown.
 */
#include "judge/failed/failed.h"

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"

/* ------------------------------------------------------------ layers without a name */

/* The assumed maximum number of layers without a name that one node adds. SOME: the
 * node's operator has no row in `rows`. ANY: the node is not in the model. */
enum { SOME = 1, ANY = 200 };

/* The least and the greatest number of layers without a name that a node adds. They are
 * computed as added layers minus registered layers, and may therefore be negative. */
struct extra {
    int64_t least, most;
};

static const struct row {
    enum fsd_op_id op;
    struct extra layers;
} rows[] = {
    {FSD_ONNX_LSTM, {26, 44}},
    {FSD_ONNX_GRU, {45, 62}},
    {FSD_ONNX_RNN, {14, 26}},
    {FSD_ONNX_If, {1, 3}},
    {FSD_ONNX_BatchNormalization, {0, 10}},
    {FSD_ONNX_Attention, {0, 12}},
    {FSD_ONNX_Mod, {0, 8}},
    {FSD_ONNX_Trilu, {0, 8}},
    {FSD_ONNX_Shrink, {0, 5}},
    {FSD_ONNX_Hardmax, {0, 5}},
    {FSD_ONNX_Conv, {0, 3}},
    {FSD_ONNX_InstanceNormalization, {0, 2}},
    {FSD_ONNX_Upsample, {-1, 1}}, /* its scales */
};

/* Returns `layers` plus the layers that only some LSTM, GRU or RNN nodes add: for a
 * second direction, and for the input of sequence lengths. */
static struct extra add_of_recurrence(const struct fsd_graph *g, fsd_id node,
                                      struct extra layers)
{
    static const struct extra lengths = {24, 84};
    enum { WEIGHTS = 1, LENGTHS = 4, OF_DIRECTION = 6 };
    fsd_id weights = fsd_node_in_tensor(g, node, WEIGHTS);
    struct fsd_span dims =
        weights == FSD_NONE ? (struct fsd_span){0} : fsd_tensor_form(g, weights)->dims;
    bool known = dims.n > 0, both = known && g->dims.at[dims.at].size == 2;

    if (fsd_node_in_tensor(g, node, LENGTHS) != FSD_NONE) {
        layers.least += lengths.least;
        layers.most += lengths.most;
    }
    layers.least += both ? OF_DIRECTION : 0;
    layers.most += both || !known ? OF_DIRECTION : 0;
    return layers;
}

/* The layers of a Loop or a Scan itself, without the layers in its body. Loops and
 * Scans have layers for each state and each output. A Loop also has layers for
 * conditions and a counter. A Scan also has layers for a trip limit. */
static struct extra layers_of_body(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];
    int64_t of_ends = (int64_t)n->in.n + n->out.n;

    return fsd_node_is(g, node, FSD_ONNX_Loop)
               ? (struct extra){of_ends + 3, of_ends + 6}
               : (struct extra){of_ends + 1, of_ends + 3};
}

static struct extra layers_of(const struct fsd_graph *g, fsd_id node)
{
    struct extra layers = {0, SOME};

    if (node == FSD_NONE)
        return (struct extra){0, ANY};
    if (fsd_node_is(g, node, FSD_ONNX_Loop) || fsd_node_is(g, node, FSD_ONNX_Scan))
        return layers_of_body(g, node);
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        if (fsd_node_is(g, node, rows[i].op))
            layers = rows[i].layers;
    return fsd_op_traits(g, node) & FSD_OP_RECURRENT
               ? add_of_recurrence(g, node, layers)
               : layers;
}

/* ------------------------------------------------------------------------- the name */

struct layer {
    int64_t number;
    unsigned traits; /* the node that adds the layer has one of these traits; 0: any
                        node may add it */
};

/* The kinds of layers that only loops or branches have, in TensorRT's words. */
static const struct kind {
    const char *word;
    unsigned traits;
} kinds[] = {
    {"[Recurrence]", FSD_OP_CONTROL | FSD_OP_RECURRENT},
    {"[LoopOutput]", FSD_OP_CONTROL | FSD_OP_RECURRENT},
    {"[Iterator]", FSD_OP_CONTROL | FSD_OP_RECURRENT},
    {"[TripLimit]", FSD_OP_CONTROL | FSD_OP_RECURRENT},
    {"[Condition", FSD_OP_CONTROL},
    {"[IfCondition]", FSD_OP_CONTROL},
};

static bool read_name(struct fsd_slice name, struct layer *layer)
{
    uint64_t number;

    if (!fsd_slice_take(&name, "(Unnamed Layer* ") ||
        !fsd_slice_take_number(&name, UINT32_MAX, &number))
        return false;
    layer->number = (int64_t)number;
    layer->traits = 0;
    for (size_t i = 0; i < FSD_COUNT_OF(kinds); i++)
        if (fsd_slice_find(name, kinds[i].word))
            layer->traits = kinds[i].traits;
    return true;
}

/* --------------------------------------------------------------- the parser's order */

struct open_node {
    const struct fsd_log_parsed *parsed;
    fsd_id node;    /* the node of the model; FSD_NONE: unknown */
    int64_t before; /* minimum number of layers before the node's own layers */
};

/* One walk over the nodes in the order in which the parser read them. */
struct walk {
    const struct fsd_failed *f;
    const struct fsd_vocab *vocab;
    const struct fsd_log_adding *adding;
    const struct layer *layer;
    int64_t least; /* minimum number of layers without a name so far: the sum of `least`
                      of all nodes whose parsing has ended */
    int64_t most;  /* maximum number of layers without a name so far: the sum of `most`
                      of all nodes whose parsing has begun */
    FSD_VEC(struct open_node) open;
    fsd_id_vec *found;
};

static fsd_id node_of(const struct walk *w, const struct fsd_log_parsed *parsed)
{
    const struct fsd_graph *g = w->f->model;
    struct fsd_slice name = fsd_slice_of(fsd_text(w->f->history->names, parsed->head));
    struct fsd_slice op = {0};
    const struct fsd_meaning *m;

    if (!fsd_slice_split_last(&name, " [", &op) || !fsd_slice_drop(&op, "]"))
        return FSD_NONE;
    m = fsd_vocab_find(w->vocab, name.s, name.n);
    for (uint32_t i = 0; m && i < m->nodes.n; i++) {
        fsd_id node = w->vocab->pool.at[m->nodes.at + i];

        if (fsd_slice_is(op, fsd_text(g->names, g->nodes.at[node].op)))
            return node;
    }
    return FSD_NONE;
}

static bool may_have(const struct walk *w, fsd_id node)
{
    return node != FSD_NONE &&
           (!w->layer->traits || (fsd_op_traits(w->f->model, node) & w->layer->traits));
}

static void begin_node(struct walk *w, const struct fsd_log_parsed *parsed)
{
    struct open_node open = {parsed, node_of(w, parsed),
                             parsed->before.least + w->least};

    w->most += layers_of(w->f->model, open.node).most;
    fsd_vec_push(w->f->arena, &w->open, open);
}

/* Ends the last node in `open`. Adds the node to `found` if it can have added the
 * layer: may_have() must be true, and open->before <= number of the layer < `behind`.
 * `behind` is how many layers the network can have at most when the node ends. There is
 * no such limit if the log lacks the node's last line, or if `helpers` is false: the
 * parser then registers only some of the layers that have a name. */
static void end_node(struct walk *w)
{
    const struct open_node *open = &w->open.at[--w->open.n];
    bool counted = w->adding->helpers;
    int64_t behind =
        open->parsed->ends && counted ? open->parsed->behind.most + w->most : INT64_MAX;

    if (counted)
        w->least += layers_of(w->f->model, open->node).least;
    if (may_have(w, open->node) && open->before <= w->layer->number &&
        w->layer->number < behind)
        fsd_vec_push(w->f->arena, w->found, open->node);
}

/* Ends the nodes that the parser finished before line `line` of the log, and all nodes
 * in their bodies. */
static void end_before(struct walk *w, uint64_t line)
{
    for (uint32_t i = 0; i < w->open.n; i++) {
        uint64_t ends = w->open.at[i].parsed->ends;

        while (ends && ends < line && w->open.n > i)
            end_node(w);
    }
}

static void find_by_number(const struct fsd_failed *f, const struct fsd_vocab *vocab,
                           const struct layer *layer, fsd_id_vec *found)
{
    struct walk w = {.f = f,
                     .vocab = vocab,
                     .adding = fsd_log_adding_of(f->history),
                     .layer = layer,
                     .found = found};

    FSD_EACH (const struct fsd_log_parsed, parsed, w.adding->nodes) {
        if (parsed->attempt != f->first->attempt)
            continue;
        end_before(&w, parsed->begins);
        begin_node(&w, parsed);
    }
    while (w.open.n)
        end_node(&w);
}

/* ------------------------------------------------------------------------------ all */

/* Finds candidates without the parser's lines: a layer of a loop, for example, may
 * belong to any loop of the model. */
static void find_by_kind(const struct fsd_failed *f, const struct layer *layer,
                         fsd_id_vec *found)
{
    const struct fsd_graph *g = f->model;

    for (fsd_id i = 0; layer->traits && i < g->nodes.n; i++)
        if (fsd_op_traits(g, i) & layer->traits)
            fsd_vec_push(f->arena, found, i);
}

enum fsd_failed_by fsd_failed_find_unnamed(const struct fsd_failed *f,
                                           const struct fsd_vocab *vocab,
                                           struct fsd_slice name, fsd_id_vec *nodes)
{
    enum fsd_failed_by by = FSD_FAILED_BY_LAYER;
    struct layer layer;
    fsd_id_vec found = {0};

    if (!read_name(name, &layer))
        return FSD_FAILED_BY_NOTHING;
    find_by_number(f, vocab, &layer, &found);
    if (!found.n) {
        find_by_kind(f, &layer, &found);
        by = FSD_FAILED_BY_KIND;
    }
    if (!found.n || found.n > FSD_FAILED_PART)
        return FSD_FAILED_BY_NOTHING;
    for (uint32_t i = 0; i < found.n; i++)
        if (!fsd_ids_have(nodes->at, nodes->n, found.at[i]))
            fsd_vec_push(f->arena, nodes, found.at[i]);
    return by;
}
