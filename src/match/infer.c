/*
 * Infers counterparts if no layer and no inner tensor of the engine has a name of the
 * model, for example because another exporter wrote the engine's model.  The evidence
 * is weights, sizes and the paths between layers.  Here, (864) is a number of weights:
 *
 *     engine   "x" -> conv(864) -> "t1" -> conv(9216; also reads "t2") -> "t3"
 *     model    input -> Conv(864) -> Relu -> Conv(9216) -> Add(other) -> Relu
 *
 * Layers are visited in data-flow order, so that the inputs of a layer already have
 * counterparts.  A layer may begin with a node that reads these inputs, is not yet
 * assigned to a layer, and has as many weights as the layer.  If there is exactly one
 * such node, the layer computes this node.  Behind this node, the layer also computes
 * each elementwise node that reads only constants, inputs of the layer and results of
 * the layer's nodes.  If exactly one result of the layer's nodes leaves the layer, and
 * the sizes agree, this result is the layer's output.
 *
 * Nothing is inferred if
 *
 *   - the layer may begin with several nodes (equal branches), or with none,
 *   - the next layer may compute elementwise nodes, so that it is unknown where this
 *     layer ends,
 *   - sizes differ.
 *
 * The inputs of the layers behind such a layer remain unknown.  A layer with unknown
 * inputs can only be assigned by its number of weights: exactly one node of the model
 * and no other layer must have this number.  If the outputs of less than half of the
 * layers with weights are known in the end, the engine was not built from this model,
 * and all inferred counterparts are dropped.
 */
#include "match/pass.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"
#include "model/ops/ids.h"

#include <stdlib.h>

enum {
    MOST_NODES = 64,
    STEPS_PER_NODE = 64,
    MOST_PORTS = 16,
    PASSED = FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS
};

/* A node that reads a value; `next` is the next reader of this value. */
struct reader {
    fsd_id node, next;
};

/* A node or a layer, and its number of weights. */
struct weighted {
    uint64_t weights;
    fsd_id id;
};

struct infer {
    struct fsd_match *m;
    struct fsd_arena *scratch;
    struct fsd_sizes *sizes;
    fsd_id *value; /* indexed by model tensor: the first tensor with the same
                      elements */
    fsd_id *first; /* indexed by value: the index of its first reader in `readers`;
                      FSD_NONE if there is none */
    bool *output;  /* indexed by value: whether it is an output of the network */
    bool *taken;   /* indexed by node: whether a layer computes it */
    fsd_id *held;  /* indexed by engine tensor: its value; FSD_NONE if unknown */
    FSD_VEC(struct reader) readers;
    uint64_t budget; /* remaining steps through lists of readers, which may be long */
    struct weighted *nodes, *layers; /* sorted by weights */
    uint32_t n_nodes, n_layers;
    FSD_VEC(fsd_id) inferred; /* engine tensors whose counterparts were inferred */
};

/* The current layer, the values that it reads, its nodes, and the values that these
 * nodes compute. */
struct part {
    fsd_id layer;
    fsd_id in[MOST_PORTS]; /* values */
    uint32_t n_in;
    fsd_id nodes[MOST_NODES], made[MOST_NODES];
    uint32_t n_nodes, n_made;
};

/* ---------------------------------------------------------------------- the model */

static fsd_id find_value(const struct infer *x, fsd_id tensor)
{
    const struct fsd_facts *f = x->m->facts;

    return f->value[fsd_walk_back_over(f->g, tensor, f->traits, PASSED)];
}

/* Whether the node computes something at run time.  False for these nodes:
 *   - views, Qs, DQs and Casts,
 *   - folded nodes, and nodes that compute sizes,
 *   - nodes on which no output of the model depends,
 *   - duplicates of an earlier node. */
static bool is_computed(const struct infer *x, fsd_id node)
{
    const struct fsd_facts *f = x->m->facts;

    return !(f->traits[node] & PASSED) && !f->folded[node] && !f->size[node] &&
           f->live[node] && f->first_duplicate[node] == node;
}

static void list_values(struct infer *x)
{
    for (fsd_id t = 0; t < x->m->model->tensors.n; t++)
        x->value[t] = find_value(x, t);
}

static void list_readers(struct infer *x)
{
    const struct fsd_graph *g = x->m->model;

    for (fsd_id t = 0; t < g->tensors.n; t++)
        x->output[x->value[t]] |=
            (g->tensors.at[t].flags & FSD_TENSOR_OUTPUT) && !g->tensors.at[t].scope;
    for (fsd_id node = g->nodes.n; node-- > 0;)
        for (uint32_t i = 0; i < g->nodes.at[node].in.n && is_computed(x, node); i++) {
            fsd_id t = fsd_node_in_tensor(g, node, i);

            if (!fsd_is_data(x->m->facts, t))
                continue;
            fsd_vec_push(x->scratch, &x->readers,
                         ((struct reader){node, x->first[x->value[t]]}));
            x->first[x->value[t]] = x->readers.n - 1;
        }
}

/* The number of elements; -1 if it is unknown or dynamic. */
static int64_t count_of(const struct infer *x, fsd_id tensor)
{
    int64_t count = fsd_shape_count(x->sizes->amounts, fsd_shape_of(x->sizes, tensor));
    int64_t number;

    return count >= 0 && fsd_amount_number(x->sizes->amounts, count, &number) ? number
                                                                              : -1;
}

/* ----------------------------------------------------------------------- one layer */

/* The next reader of a value; FSD_NONE after the last reader, or if the budget is used
 * up. */
static fsd_id next_reader(struct infer *x, fsd_id r)
{
    if (!x->budget)
        return FSD_NONE;
    x->budget--;
    return x->readers.at[r].next;
}

/* Whether the node reads only constants, inputs of the layer and results of the layer's
 * nodes. */
static bool reads_only(const struct infer *x, const struct part *p, fsd_id node)
{
    const struct fsd_graph *g = x->m->model;

    FSD_EACH_OF (t, g->ports, g->nodes.at[node].in, tensor)
        if (fsd_is_data(x->m->facts, t) && !fsd_ids_have(p->in, p->n_in, x->value[t]) &&
            !fsd_ids_have(p->made, p->n_made, x->value[t]))
            return false;
    return true;
}

static bool take(struct infer *x, struct part *p, fsd_id node)
{
    const struct fsd_graph *g = x->m->model;
    const struct fsd_node *n = &g->nodes.at[node];

    if (p->n_nodes == MOST_NODES || p->n_made + n->out.n > MOST_NODES)
        return false;
    p->nodes[p->n_nodes++] = node;
    for (uint32_t i = 0; i < n->out.n; i++)
        if (fsd_node_has_out(g, node, i))
            p->made[p->n_made++] = x->value[fsd_node_out_tensor(g, node, i)];
    return true;
}

static bool has_weights(const struct infer *x, fsd_id node)
{
    return x->m->facts->traits[node] & FSD_OP_WEIGHTED &&
           fsd_match_weight_count(x->m, node) >= 0;
}

static bool may_begin(const struct infer *x, const struct part *p, fsd_id node)
{
    uint64_t weights = x->m->engine->layers.at[p->layer].weights;

    if (x->taken[node] || has_weights(x, node) != (weights > 0) ||
        !reads_only(x, p, node))
        return false;
    return !weights || (uint64_t)fsd_match_weight_count(x->m, node) == weights;
}

/* The only node with which the layer may begin; FSD_NONE if there is none or more than
 * one. */
static fsd_id find_begin(struct infer *x, const struct part *p)
{
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < p->n_in; i++)
        for (fsd_id r = x->first[p->in[i]]; r != FSD_NONE; r = next_reader(x, r)) {
            fsd_id node = x->readers.at[r].node;

            if (node == found || !may_begin(x, p, node))
                continue;
            if (found != FSD_NONE)
                return FSD_NONE;
            found = node;
        }
    return found;
}

static bool is_epilogue(const struct infer *x, fsd_id node)
{
    return x->m->facts->traits[node] & (FSD_OP_ELEMENTWISE | FSD_OP_ACTIVATION) ||
           fsd_node_is(x->m->model, node, FSD_ONNX_BatchNormalization);
}

/* Adds the elementwise nodes behind the first node to the layer; false if there are too
 * many. */
static bool take_epilogue(struct infer *x, struct part *p)
{
    for (uint32_t i = 0; i < p->n_made; i++)
        for (fsd_id r = x->first[p->made[i]]; r != FSD_NONE; r = next_reader(x, r)) {
            fsd_id node = x->readers.at[r].node;

            if (x->taken[node] || fsd_ids_have(p->nodes, p->n_nodes, node) ||
                !is_epilogue(x, node) || !reads_only(x, p, node))
                continue;
            if (!take(x, p, node))
                return false;
            i = UINT32_MAX; /* a node that did not fit before may fit now */
            break;
        }
    return true;
}

/* Keeps only the values in `made` that nodes outside the layer read or that are outputs
 * of the network. */
static void keep_written(struct infer *x, struct part *p)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < p->n_made; i++) {
        bool leaves = x->output[p->made[i]];

        for (fsd_id r = x->first[p->made[i]]; r != FSD_NONE && !leaves;
             r = next_reader(x, r))
            leaves = !fsd_ids_have(p->nodes, p->n_nodes, x->readers.at[r].node);
        if (leaves)
            p->made[kept++] = p->made[i];
    }
    p->n_made = kept;
}

/* Whether it is unknown where the layer ends.  `written` is the value of its output
 * `tensor`, if the layer computes all elementwise nodes that it can compute.
 *
 * True if a compute layer without weights reads `tensor`, but no node without weights
 * reads `written`.  The reading layer may then compute the last elementwise nodes
 * before `written`, so that the layer ends earlier. */
static bool ends_unknown(struct infer *x, fsd_id tensor, fsd_id written)
{
    const struct fsd_graph *e = x->m->engine;

    FSD_EACH_ID (layer, e->links, e->tensors.at[tensor].consumers) {
        bool left = false;

        if (fsd_layer_works(e, layer) < 2 || e->layers.at[layer].weights)
            continue;
        for (fsd_id r = x->first[written]; r != FSD_NONE && !left;
             r = next_reader(x, r))
            left = !has_weights(x, x->readers.at[r].node);
        if (!left)
            return true;
    }
    return false;
}

/* The output of the only Q that directly reads the value; FSD_NONE if there is none or
 * more than one. */
static fsd_id find_quantized(const struct infer *x, fsd_id value)
{
    const struct fsd_graph *g = x->m->model;
    fsd_id found = FSD_NONE;

    FSD_EACH_ID (node, g->links, g->tensors.at[value].consumers) {
        if (!(x->m->facts->traits[node] & FSD_OP_QUANTIZE) ||
            x->m->facts->first_duplicate[node] != node)
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = node;
    }
    return fsd_node_out_tensor(g, found, 0);
}

/* Records that the engine tensor holds the value, and sets the counterpart.  If the
 * engine tensor is quantized, the counterpart is the output of the Q that reads the
 * value.  If several Q nodes or none read the value, there is no counterpart. */
static void hold(struct infer *x, fsd_id tensor, fsd_id value)
{
    const struct fsd_form *form = fsd_tensor_form(x->m->engine, tensor);

    if (x->held[tensor] != FSD_NONE)
        return;
    x->held[tensor] = value;
    if (fsd_dtype_is_quantized(form->type))
        value = find_quantized(x, value);
    if (value == FSD_NONE || fsd_match_holds(x->m, tensor))
        return;
    x->m->counterpart[tensor] = value;
    fsd_vec_push(x->scratch, &x->inferred, tensor);
}

/* Infers the counterpart of the layer's output.  The layer must have exactly one
 * output, exactly one value must leave the layer's nodes, and both must have equally
 * many elements.  Infers nothing after the budget is used up, because readers may have
 * been missed. */
static void infer_output(struct infer *x, struct part *p)
{
    const struct fsd_graph *e = x->m->engine;
    const struct fsd_node *n = &e->nodes.at[p->layer];
    const struct fsd_port *out = n->out.n == 1 ? fsd_node_out(e, n, 0) : NULL;
    int64_t built, count;

    if (!out || out->tensor == FSD_NONE || p->n_made != 1)
        return;
    built = fsd_form_count(e, fsd_port_form(e, out));
    count = count_of(x, p->made[0]);
    if (built < 0 || built != count || ends_unknown(x, out->tensor, p->made[0]) ||
        !x->budget)
        return;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        x->taken[p->nodes[i]] = true;
    hold(x, out->tensor, p->made[0]);
}

/* Collects the values that the layer reads; false if a value is unknown, or if the
 * layer reads no value. */
static bool read_inputs(const struct infer *x, struct part *p)
{
    const struct fsd_graph *e = x->m->engine;
    const struct fsd_node *n = &e->nodes.at[p->layer];

    for (uint32_t i = 0; i < n->in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, n, i);

        if (port->tensor == FSD_NONE || fsd_match_is_weight(x->m, port))
            continue;
        if (x->held[port->tensor] == FSD_NONE || p->n_in == MOST_PORTS)
            return false;
        p->in[p->n_in++] = x->held[port->tensor];
    }
    return p->n_in > 0;
}

FSD_ORDERED(by_weights, struct weighted, fsd_order(x->weights, y->weights))

static void list_weights(struct infer *x)
{
    const struct fsd_graph *e = x->m->engine, *g = x->m->model;

    x->nodes = FSD_NEW(x->scratch, struct weighted, g->nodes.n + 1);
    x->layers = FSD_NEW(x->scratch, struct weighted, e->layers.n + 1);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (is_computed(x, i) && has_weights(x, i))
            x->nodes[x->n_nodes++] =
                (struct weighted){(uint64_t)fsd_match_weight_count(x->m, i), i};
    for (fsd_id i = 0; i < e->layers.n; i++)
        if (e->layers.at[i].weights)
            x->layers[x->n_layers++] = (struct weighted){e->layers.at[i].weights, i};
    qsort(x->nodes, x->n_nodes, sizeof *x->nodes, by_weights);
    qsort(x->layers, x->n_layers, sizeof *x->layers, by_weights);
}

/* The only element of `all` with this number of weights; FSD_NONE if there is none or
 * more than one. */
static fsd_id only_of(const struct weighted *all, uint32_t n, uint64_t weights)
{
    const struct weighted key = {weights, 0};
    const struct weighted *at =
        n ? bsearch(&key, all, n, sizeof *all, by_weights) : NULL;

    return at && (at == all || at[-1].weights != weights) &&
                   (at + 1 == all + n || at[1].weights != weights)
               ? at->id
               : FSD_NONE;
}

/* The inputs of the layer p->layer are unknown.  Finds the node with which this layer
 * begins: the only node with as many weights as the layer.  Sets p->in to the value of
 * the node's first input.  Returns FSD_NONE in these cases:
 *   - the layer has no weights, or does not have exactly one input,
 *   - another layer has the same number of weights,
 *   - no node has this number of weights, or several nodes have it,
 *   - another layer already computes the node. */
static fsd_id find_by_weights(struct infer *x, struct part *p)
{
    const struct fsd_graph *e = x->m->engine, *g = x->m->model;
    uint64_t weights = e->layers.at[p->layer].weights;
    fsd_id found;

    if (!weights || only_of(x->layers, x->n_layers, weights) != p->layer)
        return FSD_NONE;
    found = only_of(x->nodes, x->n_nodes, weights);
    if (found == FSD_NONE || x->taken[found] || e->nodes.at[p->layer].in.n != 1)
        return FSD_NONE;
    p->n_in = 1;
    p->in[0] = x->value[fsd_node_in_tensor(g, found, 0)];
    return found;
}

static void infer_layer(struct infer *x, fsd_id layer)
{
    const struct fsd_graph *e = x->m->engine;
    struct part p = {.layer = layer};
    bool known = read_inputs(x, &p);
    fsd_id in = fsd_node_in_tensor(e, layer, 0), out = fsd_node_out_tensor(e, layer, 0);
    fsd_id begin;

    if (e->layers.at[layer].kind == FSD_KIND_REFORMAT || fsd_layer_forwards(e, layer)) {
        if (p.n_in == 1 && in != FSD_NONE && out != FSD_NONE &&
            fsd_form_count(e, fsd_tensor_form(e, in)) ==
                fsd_form_count(e, fsd_tensor_form(e, out)))
            hold(x, out, p.in[0]);
        return;
    }
    begin = known ? find_begin(x, &p) : find_by_weights(x, &p);
    if (begin != FSD_NONE && !known)
        hold(x, in, p.in[0]);
    if (begin == FSD_NONE || !take(x, &p, begin) || !take_epilogue(x, &p))
        return;
    keep_written(x, &p);
    infer_output(x, &p);
}

/* ----------------------------------------------------------------------- the engine */

/* For each engine input without a counterpart: if exactly one model input has fitting
 * sizes, this model input becomes the counterpart. */
static void infer_inputs(struct infer *x)
{
    const struct fsd_graph *e = x->m->engine, *g = x->m->model;
    struct fsd_span inputs = g->scopes.at[0].inputs;

    for (fsd_id t = 0; t < e->tensors.n; t++) {
        fsd_id found = FSD_NONE;
        uint32_t n = 0;

        if (!(e->tensors.at[t].flags & FSD_TENSOR_INPUT))
            continue;
        if (fsd_match_holds(x->m, t)) {
            x->held[t] = x->value[x->m->counterpart[t]];
            continue;
        }
        FSD_EACH_ID (input, g->links, inputs) {
            if (x->m->facts->constant[input] || !fsd_match_sizes_fit(x->m, t, input))
                continue;
            found = input;
            n++;
        }
        if (n == 1)
            hold(x, t, x->value[found]);
    }
}

static bool names_fit(const struct fsd_match *m)
{
    const struct fsd_graph *e = m->engine;

    for (uint32_t i = 0; i < e->mentions.n; i++)
        if (e->mentions.at[i].node != FSD_NONE || e->mentions.at[i].tensor != FSD_NONE)
            return true;
    for (fsd_id t = 0; t < e->tensors.n; t++)
        if (fsd_match_holds(m, t) && !(e->tensors.at[t].flags & FSD_TENSOR_BINDING))
            return true;
    return false;
}

/* Whether the outputs of at least half of the layers with weights are known. */
static bool explains_engine(const struct infer *x)
{
    const struct fsd_graph *e = x->m->engine;
    uint32_t weighted = 0, explained = 0;

    for (fsd_id i = 0; i < e->layers.n; i++) {
        fsd_id out = fsd_node_out_tensor(e, i, 0);

        if (!e->layers.at[i].weights || out == FSD_NONE)
            continue;
        weighted++;
        explained += x->held[out] != FSD_NONE;
    }
    return weighted && 2 * explained >= weighted;
}

void fsd_match_infer(struct fsd_match *m)
{
    struct infer x = {.m = m};
    fsd_id *order;

    if (!(m->evidence & FSD_BY_STRUCTURE) || names_fit(m))
        return;
    x.scratch = fsd_arena_new();
    x.value = FSD_NEW(x.scratch, fsd_id, m->model->tensors.n);
    x.first = fsd_ids_new(x.scratch, m->model->tensors.n);
    x.held = fsd_ids_new(x.scratch, m->engine->tensors.n);
    x.output = FSD_NEW(x.scratch, bool, m->model->tensors.n);
    x.taken = FSD_NEW(x.scratch, bool, m->model->nodes.n);
    list_values(&x);
    infer_inputs(&x);
    x.sizes = fsd_match_sizes(m, x.scratch);
    list_readers(&x);
    list_weights(&x);
    x.budget = (uint64_t)STEPS_PER_NODE * (m->model->nodes.n + m->engine->nodes.n);
    order = fsd_graph_order(x.scratch, m->engine);
    for (fsd_id i = 0; i < m->engine->nodes.n; i++)
        infer_layer(&x, order[i]);
    m->inferred = explains_engine(&x);
    for (uint32_t i = 0; i < x.inferred.n && !m->inferred; i++)
        m->counterpart[x.inferred.at[i]] = FSD_NONE;
    fsd_arena_free(x.scratch);
}
