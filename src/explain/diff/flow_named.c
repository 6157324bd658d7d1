/*
 * If the engine does not list the tensors of a Reformat, finds the Reformat's edge from
 * its name.  The name contains the adjacent layer ("Conv_9 + Relu_10") and the index of
 * an input or output of this layer.  The edge is known if there is only one candidate:
 *
 *     input     the only tensor that the nodes of the layer read from other layers
 *     output    the only tensor of these nodes that other layers read
 *
 * If there are several candidates, the index does not decide between them, because it
 * does not follow the order of the nodes.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

/* Limits of the search.  Names may repeat, so without limits the time could grow with
 * the square of the model's size. */
enum { MOST_LAYER_NODES = 256, MOST_READERS = 64 };

/* Whether this layer alone computes its nodes, so that their inputs and outputs are the
 * inputs and outputs of the layer.  For example, false for a reshape that the builder
 * inserted before or behind a Gemm: another layer computes the Gemm. */
static bool is_whole(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    uint32_t n = m->of_layer[layer].n;

    if (l->form != FSD_NAME_PLAIN || l->provider == FSD_PROVIDER_COMPILER ||
        l->provider == FSD_PROVIDER_DEVICE || n > MOST_LAYER_NODES)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (m->of_node[fsd_match_of_layer(m, layer, i)->node].n != 1)
            return false;
    return true;
}

static fsd_id before_unlayered(const void *of, fsd_id node)
{
    const struct fsd_match *m = of;

    return !m->of_node[node].n && m->facts->traits[node] & (FSD_OP_QDQ | FSD_OP_VIEW)
               ? fsd_node_in_tensor(m->model, node, 0)
               : FSD_NONE;
}

/* The only tensor that the layer's nodes read from other layers, looking through
 * quantizers and views; FSD_NONE if there is none or more than one.  Sets *reader to
 * the tensor's first consumer. */
static fsd_id read_by(const struct fsd_match *m, fsd_id layer,
                      struct fsd_reader *reader)
{
    fsd_id found = FSD_NONE;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        for (uint32_t k = 0; k < m->model->nodes.at[node].in.n; k++) {
            fsd_id tensor = fsd_node_in_tensor(m->model, node, k), by;

            if (!fsd_is_data(m->facts, tensor))
                continue;
            by = fsd_tensor_producer(m->model, tensor);
            if (fsd_match_has(m, layer, by))
                continue;
            if (found == FSD_NONE)
                *reader = (struct fsd_reader){.layer = layer, .node = node, .input = k};
            /* Looks through quantizers and views without a layer. */
            found = fsd_id_both(found,
                                fsd_walk_back(m->model, tensor, before_unlayered, m));
        }
    }
    return fsd_id_only(found);
}

/* Whether a node that is not in `layer` reads the tensor.  For a tensor with more than
 * MOST_READERS consumers, this is assumed. */
static bool is_read_outside(const struct fsd_match *m, fsd_id layer, fsd_id tensor)
{
    return m->model->tensors.at[tensor].consumers.n > MOST_READERS ||
           fsd_match_read_outside(m, layer, tensor);
}

static fsd_id made_by(const struct fsd_match *m, fsd_id layer)
{
    fsd_id found = FSD_NONE;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        FSD_EACH_OF (tensor, m->model->ports, m->model->nodes.at[node].out, tensor)
            if (tensor != FSD_NONE && is_read_outside(m, layer, tensor))
                found = fsd_id_both(found, tensor);
    return fsd_id_only(found);
}

/* Adds the consumers of the tensor to the flow; false if there are too many, or if a
 * consumer has no layer or several layers. */
static bool add_readers_of_flow(const struct fsd_match *m, struct fsd_flows *flows,
                                struct fsd_flow *flow, fsd_id tensor)
{
    const struct fsd_tensor *t = &m->model->tensors.at[tensor];
    uint32_t at = flows->readers.n;

    if (t->consumers.n > MOST_READERS)
        return false;
    FSD_EACH_ID (node, m->model->links, t->consumers) {
        if (m->of_node[node].n != 1)
            return false;
        fsd_vec_push(
            m->arena, &flows->readers,
            (struct fsd_reader){.layer = fsd_match_of_node(m, node, 0)->layer,
                                .node = node,
                                .input = fsd_node_input_of(m->model, node, tensor)});
    }
    if (t->flags & FSD_TENSOR_OUTPUT)
        fsd_vec_push(m->arena, &flows->readers,
                     (struct fsd_reader){
                         .layer = FSD_NONE, .node = FSD_NONE, .output = t->name});
    flow->readers = (struct fsd_span){at, flows->readers.n - at};
    return true;
}

static void place(const struct fsd_match *m, struct fsd_flows *flows, fsd_id layer,
                  fsd_id served)
{
    struct fsd_flow *flow = &flows->of[layer];
    bool output = m->engine->layers.at[layer].output;
    struct fsd_reader reader = {.layer = served, .node = FSD_NONE};
    fsd_id tensor = FSD_NONE;

    flow->served = served;
    if (is_whole(m, served))
        tensor = output ? made_by(m, served) : read_by(m, served, &reader);
    if (tensor == FSD_NONE || m->engine->layers.at[layer].port ||
        (output && !add_readers_of_flow(m, flows, flow, tensor)))
        return;
    flow->model_tensor = tensor;
    flow->producer = fsd_tensor_producer(m->model, tensor);
    if (output) {
        flow->source = served;
        return;
    }
    if (fsd_match_links_of(m, flow->producer).n == 1)
        flow->source = fsd_match_of_node(m, flow->producer, 0)->layer;
    flow->readers = (struct fsd_span){flows->readers.n, 1};
    fsd_vec_push(m->arena, &flows->readers, reader);
}

void fsd_flows_by_name(const struct fsd_match *m, struct fsd_flows *flows)
{
    FSD_SCRATCH(scratch);
    const struct fsd_graph *e = m->engine;
    uint32_t symbols = fsd_intern_count(m->model->names);
    /* Indexed by symbol: the only layer of this name; FSD_SEVERAL if there are several,
     * FSD_NONE if there is none. */
    fsd_id *layer_of = fsd_ids_new(scratch, symbols);

    for (fsd_id i = 0; i < e->nodes.n; i++)
        layer_of[e->nodes.at[i].name] = fsd_id_both(layer_of[e->nodes.at[i].name], i);
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *n = &e->nodes.at[i];
        const struct fsd_layer *l = &e->layers.at[i];
        fsd_id served = l->served ? layer_of[l->served] : FSD_NONE;

        if (flows->of[i].there && !n->in.n && !n->out.n && l->form == FSD_NAME_SERVES &&
            served != FSD_NONE && served != FSD_SEVERAL)
            place(m, flows, i, served);
    }
}
