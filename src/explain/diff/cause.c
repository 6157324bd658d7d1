/*
 * Finds why the builder inserted a data-movement layer.  What is beside the layer
 * decides first: an input or output of the network, a plugin or a foreign region
 * requires its own format.  Otherwise the change of type, layout or size decides.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

/* The parts of the run that the search reads. */
struct context {
    const struct fsd_match *m;
    const struct fsd_measured *times;
    const struct fsd_layer_result *layers;
    const struct fsd_flows *flows;
};

/* Whether the layer writes one output of the network, and its other outputs have the
 * format of its input.  If the network's output had the same format, the layer would
 * not exist. */
static bool copies_for_output(const struct fsd_graph *e, fsd_id layer)
{
    struct fsd_span out = e->nodes.at[layer].out;
    const struct fsd_form *in = fsd_layer_form_in(e, layer);
    uint32_t outputs = 0;

    for (uint32_t i = 0; in && i < out.n; i++) {
        const struct fsd_port *port = &e->ports.at[out.at + i];
        const struct fsd_form *made = fsd_port_form(e, port);

        if (fsd_tensor_is(e, port->tensor, FSD_TENSOR_OUTPUT))
            outputs++;
        else if (made->type != in->type || !fsd_layout_same(made->layout, in->layout))
            return false;
    }
    return outputs == 1;
}

/* Whether the layer is at a border: an input or output of the network or of one of its
 * engines.  A layer inside a chain of inserted layers also counts if the chain begins
 * at an input of the network, or leads only to an output of the network. */
static bool at_border(const struct context *c, fsd_id layer)
{
    const struct fsd_graph *e = c->m->engine;
    const struct fsd_flow *flow = &c->flows->of[layer];

    if (fsd_layer_border_in(e, c->layers, layer) != FSD_NONE ||
        fsd_layer_border_out(e, c->layers, layer) != FSD_NONE ||
        copies_for_output(e, layer))
        return true;
    if (flow->readers.n == 1 && !flow->cut &&
        fsd_reader_is_output(&c->flows->readers.at[flow->readers.at]))
        return true;
    return flow->source == FSD_NONE &&
           fsd_tensor_is(c->m->model, flow->model_tensor, FSD_TENSOR_INPUT) &&
           !c->m->model->tensors.at[flow->model_tensor].scope;
}

static unsigned provider_of(const struct context *c, fsd_id layer)
{
    bool foreign = c->layers[layer].kind == FSD_KIND_FOREIGN;

    return 1U << c->m->engine->layers.at[layer].provider |
           (foreign ? 1U << FSD_PROVIDER_COMPILER : 0);
}

/* Bit mask of the providers of the layers before and behind this layer. */
static unsigned providers_around(const struct context *c, fsd_id layer)
{
    const struct fsd_node *n = &c->m->engine->nodes.at[layer];
    fsd_id served = c->flows->of[layer].served;
    unsigned found = served == FSD_NONE ? 0 : provider_of(c, served);

    for (int before = 0; before < 2; before++) {
        struct fsd_span ports = before ? n->in : n->out, who = {0};

        if (ports.n)
            who = fsd_port_peers(c->m->engine, ports.at, before);
        for (uint32_t i = 0; i < who.n; i++)
            found |= provider_of(c, c->m->engine->links.at[who.at + i]);
    }
    return found;
}

enum { QUANTIZERS = 32 };

/* The number of different scales with which the model quantizes this tensor: 0, 1, or 2
 * for several.  Follows the tensor through operators that keep values.  If not all of
 * them can be followed, the result is 2. */
static unsigned count_scales(const struct fsd_match *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->model;
    fsd_id queue[QUANTIZERS], scale = FSD_NONE;
    uint32_t n = 0;

    if (tensor != FSD_NONE)
        queue[n++] = m->facts->root[tensor];
    for (uint32_t at = 0; at < n; at++) {
        struct fsd_span uses = g->tensors.at[queue[at]].consumers;

        FSD_EACH_ID (node, g->links, uses) {
            fsd_id by = fsd_node_in_tensor(g, node, 1);
            unsigned traits = m->facts->traits[node];

            if (traits & FSD_OP_QUANTIZE && by != FSD_NONE) {
                if (scale != FSD_NONE && scale != m->facts->value[by])
                    return 2;
                scale = m->facts->value[by];
            }
            if (!(traits & (FSD_OP_QDQ | FSD_OP_COMMUTES | FSD_OP_VIEW)))
                continue;
            if (n == QUANTIZERS || !fsd_node_has_out(g, node, 0))
                return 2;
            queue[n++] = fsd_node_out_tensor(g, node, 0);
        }
    }
    return scale != FSD_NONE;
}

/* The cause of a layer for which the dump shows no change of type or layout.
 * - If the layout of the input (`in`) is known: FSD_CAUSE_SCALE for a quantized type.
 * - If the layout is unknown, and the layer is a reformat: FSD_CAUSE_LAYOUT.  If the
 *   data is quantized, the model must also quantize it with exactly one scale.
 *   Otherwise the reformat may instead change the scale.
 * - Otherwise: FSD_CAUSE_UNKNOWN. */
static enum fsd_cause by_exclusion(const struct context *c, fsd_id layer,
                                   const struct fsd_form *in)
{
    bool has_layout = in->layout.order != FSD_ORDER_UNKNOWN;
    bool quantized = fsd_dtype_is_quantized(in->type);
    unsigned scales =
        quantized ? count_scales(c->m, c->flows->of[layer].model_tensor) : 1;

    if (has_layout)
        return quantized ? FSD_CAUSE_SCALE : FSD_CAUSE_UNKNOWN;
    if (c->layers[layer].kind != FSD_KIND_REFORMAT)
        return FSD_CAUSE_UNKNOWN;
    return scales == 1 ? FSD_CAUSE_LAYOUT : FSD_CAUSE_UNKNOWN;
}

/* Whether the strides of the form leave gaps between elements.  The tensor is then a
 * part of a larger tensor, such as a Concat's output or a Slice's input. */
static bool is_part(const struct fsd_graph *e, const struct fsd_form *form)
{
    int64_t last = 0, count = fsd_form_count(e, form);

    if (count <= 0 || form->strides.n != form->dims.n)
        return false;
    for (uint32_t i = 0; i < form->dims.n; i++) {
        int64_t stride = e->ints.at[form->strides.at + i];
        int64_t steps = e->dims.at[form->dims.at + i].size - 1;

        if (stride < 0 || (steps && stride > INT64_MAX / 2 / steps) ||
            last > INT64_MAX / 2)
            return false;
        last += steps * stride;
    }
    return last >= count;
}

/* Whether the layer reads only one part of a tensor that several layers write, such as
 * a Concat in place.  The layer then copies this part, because the consumer of the
 * Concat cannot read a tensor in parts. */
static bool reads_part(const struct fsd_graph *e, fsd_id layer)
{
    struct fsd_span in = e->nodes.at[layer].in;

    return in.n && fsd_port_is_part(e, in.at);
}

static bool any_part(const struct fsd_graph *e, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++)
        if (is_part(e, fsd_port_form(e, &e->ports.at[ports.at + i])))
            return true;
    return false;
}

/* FSD_CAUSE_CONCAT if the layer has several inputs, and its first output is larger than
 * its first input; FSD_CAUSE_SLICE if the layer has one input, and its first output has
 * fewer elements than this input; else FSD_CAUSE_NONE. */
static enum fsd_cause by_count(const struct fsd_graph *e, fsd_id layer)
{
    int64_t read = fsd_form_count(e, fsd_layer_form_in(e, layer));
    int64_t written = fsd_form_count(e, fsd_layer_form_out(e, layer));

    if (read < 0 || written < 0)
        return FSD_CAUSE_NONE;
    if (e->nodes.at[layer].in.n > 1)
        return written > read ? FSD_CAUSE_CONCAT : FSD_CAUSE_NONE;
    return written < read ? FSD_CAUSE_SLICE : FSD_CAUSE_NONE;
}

/* Whether the model itself requires the layer's data movement.  Examples of "yes": a
 * Transpose, a Cast, a ScatterND, or an LSTM whose backward direction reverses the
 * data.  Examples of "no": padding, a copy for a view, or movement that the builder
 * adds for a MatMul.
 * @param linked the cause of the layer; FSD_CAUSE_NONE: it has none.  If it has one, a
 *        Concat, Slice or Split does not count, because it could be done in place */
static bool is_requested(const struct context *c, fsd_id layer, enum fsd_cause linked)
{
    const struct fsd_match *m = c->m;
    const struct fsd_layer_result *r = &c->layers[layer];

    if (m->engine->layers.at[layer].of_network)
        return r->kind != FSD_KIND_NOOP;
    if (r->inserted || (r->kind != FSD_KIND_REFORMAT && r->kind != FSD_KIND_COPY) ||
        (fsd_layer_pads(m, layer, NULL) &&
         !fsd_layer_count(m->engine, layer, FSD_ONNX_Transpose)))
        return false;
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        unsigned traits = m->facts->traits[node];

        if (m->facts->folded[node] && !m->runs[node])
            continue;
        if (traits & (FSD_OP_COPIES | FSD_OP_CASTS)
                ? (!(traits & FSD_OP_PARTS) || linked == FSD_CAUSE_NONE) &&
                      fsd_asks_for_order(m, layer, node)
                : (traits & FSD_OP_RECURRENT &&
                   fsd_layer_count(m->engine, layer, FSD_ONNX_ReverseSequence)) ||
                      fsd_node_is(m->model, node, FSD_ONNX_ScatterND) ||
                      fsd_node_is(m->model, node, FSD_ONNX_ScatterElements))
            return true;
    }
    return false;
}

static enum fsd_cause by_change(const struct context *c, fsd_id layer)
{
    const struct fsd_form *in = fsd_layer_form_in(c->m->engine, layer);
    const struct fsd_form *out = fsd_layer_form_out(c->m->engine, layer);
    bool type, layout;

    if (!in || !out || in->type == FSD_DTYPE_UNKNOWN || out->type == FSD_DTYPE_UNKNOWN)
        return FSD_CAUSE_UNKNOWN;
    type = in->type != out->type;
    layout = !fsd_layout_same(in->layout, out->layout);
    if (type)
        return layout ? FSD_CAUSE_DTYPE_LAYOUT : FSD_CAUSE_DTYPE;
    if (layout)
        return FSD_CAUSE_LAYOUT;
    if (any_part(c->m->engine, c->m->engine->nodes.at[layer].out) ||
        reads_part(c->m->engine, layer))
        return FSD_CAUSE_CONCAT;
    if (any_part(c->m->engine, c->m->engine->nodes.at[layer].in))
        return FSD_CAUSE_SLICE;
    if (by_count(c->m->engine, layer) != FSD_CAUSE_NONE)
        return by_count(c->m->engine, layer);
    return by_exclusion(c, layer, in);
}

/* The cause of a copy that is linked to a Concat, a Slice or a Split; else
 * FSD_CAUSE_NONE. */
static enum fsd_cause by_link(const struct fsd_match *m, fsd_id layer)
{

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        if (fsd_node_is(m->model, node, FSD_ONNX_Concat))
            return FSD_CAUSE_CONCAT;
        if (fsd_node_is(m->model, node, FSD_ONNX_Slice) ||
            fsd_node_is(m->model, node, FSD_ONNX_Split))
            return FSD_CAUSE_SLICE;
    }
    return FSD_CAUSE_NONE;
}

/* The cause of a layer that the builder did not insert: FSD_CAUSE_PADDING if it pads
 * for a product; FSD_CAUSE_CONCAT or FSD_CAUSE_SLICE if it copies for a Concat or a
 * Slice, which could be in place; else FSD_CAUSE_NONE, for example for a Transpose. */
static enum fsd_cause of_nodes(const struct context *c, fsd_id layer)
{
    enum fsd_kind kind = c->layers[layer].kind;
    enum fsd_cause linked = FSD_CAUSE_NONE;

    if (kind != FSD_KIND_COPY && kind != FSD_KIND_REFORMAT)
        return FSD_CAUSE_NONE;
    if (fsd_layer_pads(c->m, layer, NULL))
        return FSD_CAUSE_PADDING;
    if (kind == FSD_KIND_COPY)
        linked = by_link(c->m, layer);
    return linked == FSD_CAUSE_NONE && c->m->engine->layers.at[layer].slices
               ? FSD_CAUSE_SLICE
               : linked;
}

static enum fsd_cause cause(const struct context *c, fsd_id layer)
{
    const struct fsd_layer_result *r = &c->layers[layer];
    unsigned around;

    if (!r->inserted && !r->forwards && !fsd_moves_unasked(c->m, r, layer))
        return of_nodes(c, layer);
    if (r->kind == FSD_KIND_NOOP || c->times->of[layer].median == 0)
        return FSD_CAUSE_FREE;
    if (c->m->engine->layers.at[layer].provider == FSD_PROVIDER_DEVICE)
        return FSD_CAUSE_DLA;
    if (at_border(c, layer))
        return FSD_CAUSE_IO;
    around = providers_around(c, layer);
    if (around & 1U << FSD_PROVIDER_DEVICE)
        return FSD_CAUSE_DLA;
    if (around & 1U << FSD_PROVIDER_PLUGIN)
        return FSD_CAUSE_PLUGIN;
    /* A kernel of a region is inside the region, not at its border. */
    if (around & 1U << FSD_PROVIDER_COMPILER &&
        c->m->engine->layers.at[layer].provider != FSD_PROVIDER_COMPILER)
        return FSD_CAUSE_FOREIGN;
    if (c->m->engine->layers.at[layer].slices)
        return FSD_CAUSE_SLICE;
    if (fsd_layer_pads(c->m, layer, NULL))
        return FSD_CAUSE_PADDING;
    return by_change(c, layer);
}

const struct fsd_reason *fsd_diff_reasons(const struct fsd_match *m,
                                          const struct fsd_measured *times,
                                          const struct fsd_layer_result *layers,
                                          const struct fsd_flows *flows)
{
    const struct context c = {m, times, layers, flows};
    struct fsd_reason *reasons =
        FSD_NEW(m->arena, struct fsd_reason, m->engine->nodes.n);

    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        reasons[i] = (struct fsd_reason){.cause = cause(&c, i), .event = FSD_NONE};
        if (reasons[i].cause == FSD_CAUSE_UNKNOWN &&
            fsd_moves_unasked(m, &layers[i], i))
            reasons[i].cause = FSD_CAUSE_NONE; /* the layer is a copy by which the
                                                  builder performs a view */
        reasons[i].requested = is_requested(&c, i, reasons[i].cause);
        fsd_add_log_to_reason(m, i, &reasons[i]);
    }
    return reasons;
}
