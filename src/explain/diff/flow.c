/*
 * Finds the edge of the model that each data-movement layer serves.  find_source()
 * walks back through inserted layers to the layer that computed the data, and finds the
 * model's tensor on the way.  find_readers() walks forward through inserted layers to
 * the layers that consume the data.  In each of these layers, node_reader() finds the
 * node that reads the data.  It looks through quantizers and views without a layer.
 * Walks end after a fixed number of steps, so that no engine takes quadratic time; if
 * consumers are left out, `cut` is set.  flow_named.c handles engines without tensors.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

/* Limits of walks.  Without limits, the time could grow with the square of the engine's
 * size. */
enum { STEPS = 64, READERS = 32, MODEL_STEPS = 32 };

const struct fsd_form *fsd_layer_form_in(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_node *n = &engine->nodes.at[layer];

    return n->in.n ? fsd_port_form(engine, fsd_node_in(engine, n, 0)) : NULL;
}

const struct fsd_form *fsd_layer_form_out(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_node *n = fsd_graph_node(engine, layer);

    return n->out.n ? fsd_port_form(engine, fsd_node_out(engine, n, 0)) : NULL;
}

struct fsd_widths fsd_layer_widths(const struct fsd_graph *engine, fsd_id layer,
                                   bool outputs)
{
    const struct fsd_node *n = &engine->nodes.at[layer];
    struct fsd_span ports = outputs ? n->out : n->in;
    struct fsd_widths w = {FSD_DTYPE_UNKNOWN, 0, 0, 0};

    for (uint32_t i = 0; i < ports.n; i++) {
        enum fsd_dtype type =
            fsd_port_form(engine, &engine->ports.at[ports.at + i])->type;

        w.widest = i ? fsd_dtype_wider(w.widest, type) : type;
        w.wide += fsd_dtype_rank(type) > fsd_dtype_rank(FSD_INT8);
        w.narrow += fsd_dtype_is_quantized(type);
        w.unknown += type == FSD_DTYPE_UNKNOWN;
    }
    return w;
}

/* --------------------------------------------------------------------- border */

fsd_id fsd_layer_border_in(const struct fsd_graph *engine,
                           const struct fsd_layer_result *layers, fsd_id layer)
{
    for (int steps = 0; layer != FSD_NONE && steps < STEPS; steps++) {
        fsd_id tensor = fsd_node_in_tensor(engine, layer, 0);

        if (fsd_tensor_is(engine, tensor, FSD_TENSOR_INPUT | FSD_TENSOR_CROSSES))
            return tensor;
        layer = tensor != FSD_NONE
                    ? fsd_port_producer(engine, engine->nodes.at[layer].in.at)
                    : FSD_NONE;
        if (layer != FSD_NONE && layers[layer].kind != FSD_KIND_NOOP)
            break;
    }
    return FSD_NONE;
}

fsd_id fsd_layer_border_out(const struct fsd_graph *engine,
                            const struct fsd_layer_result *layers, fsd_id layer)
{
    for (int steps = 0; steps < STEPS; steps++) {
        fsd_id tensor = fsd_node_out_tensor(engine, layer, 0);
        struct fsd_span uses = {0, 0};

        if (fsd_tensor_is(engine, tensor, FSD_TENSOR_OUTPUT | FSD_TENSOR_CROSSES))
            return tensor;
        if (tensor != FSD_NONE)
            uses = fsd_port_peers(engine, engine->nodes.at[layer].out.at, false);
        if (uses.n != 1)
            break;
        layer = engine->links.at[uses.at];
        if (layers[layer].kind != FSD_KIND_NOOP)
            break;
    }
    return FSD_NONE;
}

/* ------------------------------------------------------------------- backwards */

static fsd_id before_gone(const void *of, fsd_id node)
{
    const struct fsd_match *m = of;

    return m->facts->traits[node] & FSD_OP_QDQ || m->gone[node]
               ? fsd_node_in_tensor(m->model, node, 0)
               : FSD_NONE;
}

/* The tensor from which quantizers and eliminated nodes compute `tensor`. */
static fsd_id seen_through(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_walk_back(m->model, tensor, before_gone, m);
}

static bool is_inserted(const struct fsd_layer_result *layers, fsd_id layer)
{
    return layer != FSD_NONE && layers[layer].inserted;
}

/* For each layer in `from`, finds the layer that computed its data, looking back
 * through inserted layers.  Returns the number of layers found. */
static uint32_t find_writers(const struct fsd_match *m,
                             const struct fsd_layer_result *layers, const fsd_id *from,
                             uint32_t n_from, fsd_id writers[READERS])
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_from && n < READERS; i++) {
        fsd_id at = from[i];

        for (int steps = 0; is_inserted(layers, at) && steps < STEPS; steps++) {
            struct fsd_span in = m->engine->nodes.at[at].in;

            at = in.n ? fsd_port_producer(m->engine, in.at) : FSD_NONE;
        }
        if (at != FSD_NONE && !layers[at].inserted)
            writers[n++] = at;
    }
    return n;
}

/* `whole` is the output of a Concat, and the layers in `from` write parts of it in
 * place.  `form` is the form of one part.  Returns the input of the Concat that becomes
 * this part; FSD_NONE if this input is unknown. */
static fsd_id part_of(const struct fsd_match *m, const struct fsd_layer_result *layers,
                      fsd_id whole, const struct fsd_form *form, const fsd_id *from,
                      uint32_t n_from)
{
    fsd_id concat = fsd_tensor_producer(m->model, seen_through(m, whole));
    fsd_id writers[READERS], found = FSD_NONE;
    uint32_t n = find_writers(m, layers, from, n_from, writers);
    struct fsd_span in = {0, 0};

    if (fsd_node_is(m->model, concat, FSD_ONNX_Concat))
        in = m->model->nodes.at[concat].in;
    for (uint32_t i = 0; i < in.n && i < READERS; i++) {
        fsd_id tensor = seen_through(m, m->model->ports.at[in.at + i].tensor);
        fsd_id node = fsd_tensor_producer(m->model, tensor);
        int64_t count = fsd_form_count(m->model, fsd_tensor_form(m->model, tensor));
        bool written = false;

        for (uint32_t k = 0; k < n; k++)
            written |= fsd_match_has(m, writers[k], node);
        if (!written || (count >= 0 && count != fsd_form_count(m->engine, form)) ||
            tensor == found)
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = tensor;
    }
    return found;
}

/* The model's tensor at a port of the layer.  If the port has only a part of a Concat's
 * output, the tensor is the Concat's input with that part.  FSD_NONE if the tensor is
 * unknown. */
static fsd_id counterpart_at(const struct fsd_match *m,
                             const struct fsd_layer_result *layers, fsd_id layer,
                             uint32_t port, bool output)
{
    const struct fsd_graph *e = m->engine;
    fsd_id tensor = e->ports.at[port].tensor;
    fsd_id counterpart = fsd_match_held(m, tensor);
    struct fsd_span by = fsd_port_peers(e, port, true);

    if (counterpart == FSD_NONE || !fsd_port_is_part(e, port))
        return counterpart;
    return part_of(m, layers, counterpart, fsd_port_form(e, &e->ports.at[port]),
                   output ? &layer : &e->links.at[by.at], output ? 1 : by.n);
}

/* Sets `source`, `model_tensor` and `producer` of a flow.  `source` is the layer that
 * computed the first input of `layer`; inserted layers in between are skipped.
 * `model_tensor` is the model's tensor on this path that is nearest to the source.  If
 * none is known, and `layer` is inserted, it is the tensor at an output of `layer`. */
static void find_source(const struct fsd_match *m,
                        const struct fsd_layer_result *layers, fsd_id layer,
                        struct fsd_flow *flow)
{
    struct fsd_span out = m->engine->nodes.at[layer].out;
    fsd_id at = layer;

    flow->model_tensor = FSD_NONE;
    for (int steps = 0; steps < STEPS; steps++) {
        struct fsd_span in = m->engine->nodes.at[at].in;
        fsd_id tensor = in.n ? counterpart_at(m, layers, at, in.at, false) : FSD_NONE;

        flow->model_tensor = fsd_id_or(tensor, flow->model_tensor);
        at = in.n ? fsd_port_producer(m->engine, in.at) : FSD_NONE;
        if (!is_inserted(layers, at))
            break;
    }
    flow->source = is_inserted(layers, at) ? FSD_NONE : at;
    for (uint32_t i = 0; flow->model_tensor == FSD_NONE && layers[layer].inserted &&
                         i < out.n && i < READERS;
         i++)
        flow->model_tensor = counterpart_at(m, layers, layer, out.at + i, true);
    flow->producer = fsd_tensor_producer(m->model, flow->model_tensor);
}

/* -------------------------------------------------------------------- forwards */

/* State of the walks.  Model tensors with the same value form a ring. */
struct flow_search {
    const struct fsd_match *m;
    const struct fsd_layer_result *layers;
    struct fsd_flows *flows; /* under construction */
    fsd_id *next_same;       /* indexed by model tensor: the next tensor of its ring */
};

struct model_queue {
    fsd_id tensors[MODEL_STEPS];
    uint32_t n;
};

static void push_same(const struct flow_search *w, struct model_queue *q, fsd_id tensor)
{
    fsd_id at = tensor;

    if (tensor == FSD_NONE)
        return;
    do {
        if (q->n == MODEL_STEPS)
            return;
        q->tensors[q->n++] = at;
        at = w->next_same[at];
    } while (at != tensor);
}

/* Called if no node of `layer` is known to read the output of `mover`.  Returns a
 * reader with `layer` and a node.  If `mover` is a copy for a Concat or a Slice, the
 * node is this Concat or Slice.  Otherwise the node is FSD_NONE. */
static struct fsd_reader own_reader(const struct flow_search *w, fsd_id mover,
                                    fsd_id layer)
{
    const struct fsd_match *m = w->m;
    fsd_id tensor = w->flows->of[mover].model_tensor;

    for (uint32_t i = 0; w->layers[mover].kind == FSD_KIND_COPY && tensor != FSD_NONE &&
                         i < m->of_layer[mover].n;
         i++) {
        fsd_id node = fsd_match_of_layer(m, mover, i)->node;
        uint32_t input = fsd_node_input_of(m->model, node, tensor);

        if (input != FSD_NONE)
            return (struct fsd_reader){.layer = layer, .node = node, .input = input};
    }
    return (struct fsd_reader){.layer = layer, .node = FSD_NONE};
}

/* The node of `layer` that consumes the output of `mover`.  Other nodes may be between
 * the output and this node: quantizers, eliminated nodes (m->gone), and Concats without
 * layers.  If several nodes of the layer consume the output, an operator takes
 * precedence over a quantizer.  If there is no such node, returns own_reader(). */
static struct fsd_reader node_reader(const struct flow_search *w, fsd_id mover,
                                     fsd_id layer)
{
    const struct fsd_match *m = w->m;
    const struct fsd_graph *g = m->model;
    bool quantizes = w->layers[layer].kind == FSD_KIND_QUANTIZE;
    struct fsd_reader reader = {.layer = layer, .node = FSD_NONE};
    struct model_queue q = {.n = 0};
    bool carried; /* whether the model_tensor of `mover` was queued */

    /* If `mover` computes a Q or DQ of the model, the walk begins at the output of this
     * node. */
    for (uint32_t i = 0;
         w->layers[mover].kind == FSD_KIND_QUANTIZE && i < m->of_layer[mover].n; i++) {
        fsd_id node = fsd_match_of_layer(m, mover, i)->node;

        if (fsd_quantizes_as(m, mover, node) && fsd_reads_run_data(m->facts, node))
            push_same(w, &q, fsd_node_out_tensor(g, node, 0));
    }
    carried = !q.n;
    if (carried)
        push_same(w, &q, w->flows->of[mover].model_tensor);
    for (uint32_t at = 0; at < q.n; at++) {
        struct fsd_span uses = g->tensors.at[q.tensors[at]].consumers;

        for (uint32_t i = 0; i < uses.n && i < MODEL_STEPS; i++) {
            fsd_id node = g->links.at[uses.at + i];
            bool goes_on =
                m->facts->traits[node] & FSD_OP_QDQ || m->gone[node] ||
                (fsd_node_is(g, node, FSD_ONNX_Concat) && !m->of_node[node].n);
            fsd_id region = m->region_of_node[node];
            bool linked = fsd_match_has(m, layer, node) ||
                          (region != FSD_NONE && region == m->region_of_layer[layer]);

            if (linked && (!goes_on || reader.node == FSD_NONE)) {
                reader.node = node;
                reader.input = fsd_node_input_of(g, node, q.tensors[at]);
                if (!goes_on || quantizes)
                    return reader;
            }
            if (goes_on)
                push_same(w, &q, fsd_node_out_tensor(g, node, 0));
        }
        if (at + 1 == q.n && !carried && reader.node == FSD_NONE) {
            carried = true;
            push_same(w, &q, w->flows->of[mover].model_tensor);
        }
    }
    return reader.node == FSD_NONE ? own_reader(w, mover, layer) : reader;
}

/* Whether the flow already lists the reader.  A layer may read a tensor at several
 * ports, or a ring of inserted layers may lead to a layer again. */
static bool is_listed(const struct flow_search *w, const struct fsd_flow *flow,
                      struct fsd_reader reader)
{
    FSD_EACH_IN (const struct fsd_reader, other, w->flows->readers, flow->readers)
        if (other->layer == reader.layer && other->node == reader.node &&
            other->input == reader.input && other->output == reader.output)
            return true;
    return false;
}

/* Adds the reader to the flow unless the flow lists it already. */
static void add_reader(const struct flow_search *w, struct fsd_flow *flow,
                       struct fsd_reader reader)
{
    if (is_listed(w, flow, reader))
        return;
    if (flow->readers.n == READERS) {
        flow->cut = true;
        return;
    }
    if (!flow->readers.n)
        flow->readers.at = w->flows->readers.n;
    flow->readers.n++;
    fsd_vec_push(w->m->arena, &w->flows->readers, reader);
}

/* Adds the consumers of the tensor at `port`, an output of `mover` or of an inserted
 * layer behind `mover`.  A consumer that is an inserted layer is queued instead.
 * Returns the new length of the queue. */
static uint32_t add_readers_of(const struct flow_search *w, fsd_id mover, uint32_t port,
                               fsd_id queue[STEPS], uint32_t n)
{
    const struct fsd_graph *e = w->m->engine;
    struct fsd_flow *flow = &w->flows->of[mover];
    fsd_id out = e->ports.at[port].tensor;
    struct fsd_span uses = fsd_port_peers(e, port, false);

    if (fsd_tensor_is(e, out, FSD_TENSOR_OUTPUT))
        add_reader(w, flow,
                   (struct fsd_reader){.layer = FSD_NONE,
                                       .node = FSD_NONE,
                                       .output = e->tensors.at[out].name});
    for (uint32_t i = 0; i < uses.n && !flow->cut; i++) {
        fsd_id next = e->links.at[uses.at + i];

        if (!w->layers[next].inserted)
            add_reader(w, flow, node_reader(w, mover, next));
        else if (fsd_ids_have(queue, n, next))
            continue;
        else if (n < STEPS)
            queue[n++] = next;
        else
            flow->cut = true;
    }
    return n;
}

/* Adds the consumers of the outputs of `mover`, looking through inserted layers. */
static void find_readers(const struct flow_search *w, fsd_id mover)
{
    const struct fsd_graph *e = w->m->engine;
    struct fsd_flow *flow = &w->flows->of[mover];
    fsd_id queue[STEPS] = {mover};
    uint32_t n = 1;

    for (uint32_t at = 0; at < n; at++) {
        struct fsd_span out = e->nodes.at[queue[at]].out;

        if (out.n && w->layers[queue[at]].kind == FSD_KIND_QUANTIZE)
            out.n = 1; /* the other outputs are scales */
        for (uint32_t i = out.at; i < out.at + out.n && !flow->cut; i++)
            n = add_readers_of(w, mover, i, queue, n);
    }
}

const struct fsd_flows *fsd_diff_flows(const struct fsd_match *m,
                                       const struct fsd_layer_result *layers)
{
    FSD_SCRATCH(scratch);
    struct fsd_flows *flows = FSD_NEW(m->arena, struct fsd_flows, 1);
    struct flow_search w = {m, layers, flows,
                            FSD_NEW(scratch, fsd_id, m->model->tensors.n)};
    uint32_t n = m->engine->nodes.n;

    for (fsd_id i = 0; i < m->model->tensors.n; i++) {
        fsd_id first = m->facts->value[i];

        w.next_same[i] = i;
        if (first != i) {
            w.next_same[i] = w.next_same[first];
            w.next_same[first] = i;
        }
    }
    flows->of = FSD_NEW(m->arena, struct fsd_flow, n);
    for (fsd_id i = 0; i < n; i++)
        flows->of[i] =
            (struct fsd_flow){.there = layers[i].inserted || layers[i].forwards ||
                                       layers[i].kind == FSD_KIND_COPY ||
                                       fsd_moves_unasked(m, &layers[i], i) ||
                                       layers[i].kind == FSD_KIND_QUANTIZE,
                              .served = FSD_NONE,
                              .before = FSD_NONE,
                              .head = FSD_NONE};
    for (fsd_id i = 0; i < n; i++) {
        struct fsd_flow *flow = &flows->of[i];
        fsd_id before;

        if (!flow->there)
            continue;
        find_source(m, layers, i, flow);
        find_readers(&w, i);
        before = m->engine->nodes.at[i].in.n
                     ? fsd_port_producer(m->engine, m->engine->nodes.at[i].in.at)
                     : FSD_NONE;
        if (before != FSD_NONE && before != i && flows->of[before].there)
            flow->before = before;
    }
    fsd_flows_by_name(m, flows);
    /* Engines list layers in execution order, so the previous layer of a chain is
     * usually visited first, and its `head` is set.  In a loop, its `head` may not be
     * set yet, and the walk ends after STEPS steps. */
    for (fsd_id i = 0; i < n; i++) {
        fsd_id head = i;

        for (int steps = 0; steps < STEPS && flows->of[head].before != FSD_NONE;
             steps++) {
            head = flows->of[head].before;
            if (flows->of[head].head != FSD_NONE) {
                head = flows->of[head].head;
                break;
            }
        }
        if (flows->of[i].there)
            flows->of[i].head = head;
    }
    return flows;
}
