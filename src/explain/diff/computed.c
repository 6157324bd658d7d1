/*
 * Finds the type in which each layer computes each of its nodes, if the engine shows
 * it.  A generated kernel may compute several nodes and cast between them.  So the type
 * of its inputs is not the type of each node:
 *
 *     Mul Add Mul Min Max Round | (Cast) | (Cast) Mul Relu Mul Min Max Round | (Cast)
 *     fp32                        int8     fp32                                int8
 *
 * Casts divide the kernel's steps into segments of one type each:
 *
 *     the first segment                      has the type of the kernel's inputs
 *     the last segment                       has the type of the kernel's outputs
 *     behind a segment with a rounding       has the quantized type
 *     behind a segment of quantized type     has the model's type
 *     any other segment                      has an unknown type
 *
 * A segment may compute a node if it contains all operations of one of the node's
 * lowerings.  If there is no such segment, each segment that does more than move data
 * may compute the node.  If all segments that may compute the node have one type, this
 * is the type of the node.  A node that only moves data has the type of its data.
 */
#include "explain/diff/step.h"
#include "match/kernel/lowering.h"
#include "model/graph/graph.h"

/* ----------------------------------------------------------------- types of tensors */

/* Summarizes the types of some tensors of a layer. */
struct types {
    enum fsd_dtype only; /* the only type; FSD_DTYPE_UNKNOWN if there is none or more
                            than one */
    bool several;
};

static void add_type(struct types *types, enum fsd_dtype type)
{
    if (!fsd_dtype_rank(type) || types->several || type == types->only)
        return;
    types->several = types->only != FSD_DTYPE_UNKNOWN;
    types->only = types->several ? FSD_DTYPE_UNKNOWN : type;
}

/* The steps of a kernel between two casts. */
struct segment {
    struct fsd_span steps; /* span in the engine's links */
    enum fsd_dtype type;   /* may be FSD_DTYPE_UNKNOWN */
    bool restored;         /* whether the segment is behind a quantized segment.  `type`
                              is then only valid for nodes whose result has this type in
                              the model */
};

enum { MOST_SEGMENTS = 32 };

/* Working data for the layers of one engine. */
struct view {
    const struct fsd_match *m;
    const struct fsd_lowerings *lowerings;
    /* For the current layer: */
    fsd_id layer;
    struct types in, out, all, floats, quantized;
    struct segment segments[MOST_SEGMENTS];
    uint32_t n; /* number of segments; 0 if they are unknown */
    bool casts;
};

static void find_types(struct view *v)
{
    const struct fsd_graph *e = v->m->engine;
    const struct fsd_node *n = &e->nodes.at[v->layer];

    v->in = v->out = v->all = v->floats = v->quantized = (struct types){0};
    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        bool reads = i < n->in.n;
        uint32_t port = fsd_node_port(n, i);
        enum fsd_dtype type = fsd_port_form(e, &e->ports.at[port])->type;

        add_type(reads ? &v->in : &v->out, type);
        add_type(fsd_dtype_is_quantized(type) ? &v->quantized : &v->floats, type);
        add_type(&v->all, type);
    }
}

/* ------------------------------------------------------------- segments of a kernel */

static uint32_t count(const struct view *v, struct fsd_span steps, fsd_sym step)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < steps.n; i++)
        n += v->m->engine->links.at[steps.at + i] == step;
    return n;
}

static struct segment segment_behind(const struct view *v, const struct segment *before,
                                     struct fsd_span steps, bool last)
{
    struct segment s = {steps, FSD_DTYPE_UNKNOWN, false};

    if (last && v->out.only)
        s.type = v->out.only;
    else if (!before)
        s.type = v->in.only;
    else if (count(v, before->steps, FSD_ONNX_Round))
        s.type = v->quantized.only ? v->quantized.only : FSD_INT8;
    else if (fsd_dtype_is_quantized(before->type))
        s = (struct segment){steps, v->floats.only, true};
    return s;
}

static void find_segments(struct view *v)
{
    const struct fsd_layer *l = &v->m->engine->layers.at[v->layer];
    struct fsd_span steps = {l->steps.at, 0};

    v->n = 0;
    v->casts = count(v, l->steps, FSD_ONNX_Cast) > 0;
    if (l->more_steps == FSD_STEPS_LACK_SOME || !v->casts)
        return;
    for (uint32_t i = 0; i <= l->steps.n; i++, steps.n++) {
        bool last = i == l->steps.n;

        if (!last && v->m->engine->links.at[l->steps.at + i] != FSD_ONNX_Cast)
            continue;
        if (v->n == MOST_SEGMENTS) {
            v->n = 0;
            return;
        }
        v->segments[v->n] =
            segment_behind(v, v->n ? &v->segments[v->n - 1] : NULL, steps, last);
        v->n++;
        steps = (struct fsd_span){l->steps.at + i + 1, UINT32_MAX};
    }
}

/* Whether the segment contains all operations of one of the node's lowerings. */
static bool holds_lowering(const struct view *v, struct fsd_span steps, fsd_id node)
{
    struct fsd_span of = v->lowerings->of[node];

    FSD_EACH_IN (const struct fsd_lowering, r, v->lowerings->all, of) {
        bool all = true;

        for (uint32_t k = 0; k < r->n && all; k++) {
            uint32_t asked = 0;

            for (uint32_t j = 0; j < r->n; j++)
                asked += r->steps[j] == r->steps[k];
            all = count(v, steps, r->steps[k]) >= asked;
        }
        if (all)
            return true;
    }
    return false;
}

/* Whether at least one of the steps is no data movement. */
static bool computes(const struct view *v, struct fsd_span steps)
{
    uint32_t n = 0;

    FSD_EACH_ID (step, v->m->engine->links, steps)
        n += fsd_step_moves(step);
    return n < steps.n;
}

/* The type of the node's result in the model. */
static enum fsd_dtype own_type(const struct fsd_match *m, fsd_id node)
{
    return fsd_tensor_form(m->model, fsd_node_out_tensor(m->model, node, 0))->type;
}

static bool moves_or_casts(const struct fsd_match *m, fsd_id node)
{
    return (m->facts->traits[node] &
            (FSD_OP_VIEW | FSD_OP_CASTS | FSD_OP_COMMUTES | FSD_OP_COPIES)) != 0;
}

/* Whether the data that the node moves is a result of the same layer. */
static bool moves_results(const struct view *v, fsd_id node)
{
    const struct fsd_graph *g = v->m->model;

    while (moves_or_casts(v->m, node)) {
        node = fsd_node_in_producer(g, node, 0);
        if (node == FSD_NONE || !fsd_match_has(v->m, v->layer, node))
            return false;
    }
    return true;
}

/* The steps of segment i that may compute the node.  With `behind`, the node moves
 * results of the kernel.  If the kernel begins with data movement, this movement cannot
 * compute such a node, because the kernel has no results yet. */
static struct fsd_span steps_for(const struct view *v, uint32_t i, bool behind)
{
    struct fsd_span steps = v->segments[i].steps;

    for (; behind && !i && steps.n && fsd_step_moves(v->m->engine->links.at[steps.at]);
         steps.at++)
        steps.n--;
    return steps;
}

/* The type of all segments that may compute the node; FSD_DTYPE_UNKNOWN if their types
 * differ or one type is unknown. */
static enum fsd_dtype in_segments(const struct view *v, fsd_id node, bool moves)
{
    enum fsd_dtype own = own_type(v->m, node);
    bool found = false, known = true, behind = moves && moves_results(v, node);
    struct types types = {0};

    for (uint32_t i = 0; i < v->n; i++)
        found |= holds_lowering(v, steps_for(v, i, behind), node);
    if (!found && moves)
        return FSD_DTYPE_UNKNOWN;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct segment *s = &v->segments[i];

        if (found ? !holds_lowering(v, steps_for(v, i, behind), node)
                  : !computes(v, s->steps))
            continue;
        known = known && s->type && (!s->restored || s->type == own);
        add_type(&types, s->type);
    }
    return known ? types.only : FSD_DTYPE_UNKNOWN;
}

/* ------------------------------------------------------------- what only moves data */

static bool is_port_of(const struct fsd_graph *model, fsd_id node, fsd_id tensor)
{
    const struct fsd_node *n = &model->nodes.at[node];

    for (uint32_t i = 0; i < n->out.n; i++)
        if (fsd_node_out_tensor(model, node, i) == tensor)
            return true;
    return fsd_node_in_tensor(model, node, 0) == tensor;
}

/* For a node that only moves data: the type of this data at the ports of the layer.  If
 * the ports have several types, the type with the lowest precision.  FSD_DTYPE_UNKNOWN
 * if no port is known to have this data. */
static enum fsd_dtype moved_type(const struct view *v, fsd_id node)
{
    const struct fsd_graph *e = v->m->engine;
    const struct fsd_node *n = &e->nodes.at[v->layer];
    enum fsd_dtype best = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        const struct fsd_port *port = &e->ports.at[fsd_node_port(n, i)];
        fsd_id counterpart = fsd_match_held(v->m, port->tensor);
        enum fsd_dtype type = fsd_port_form(e, port)->type;

        if (counterpart != FSD_NONE && fsd_dtype_rank(type) &&
            is_port_of(v->m->model, node, counterpart) &&
            (!best || fsd_dtype_rank(type) < fsd_dtype_rank(best)))
            best = type;
    }
    return best;
}

/* ------------------------------------------------------------------------- by link */

/* Whether the node is a product, and another layer of the node multiplies.  `layer`
 * then only prepares the inputs, or scales and quantizes the output. */
static bool is_product_elsewhere(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    bool elsewhere = false;

    if (!(m->facts->traits[node] & FSD_OP_WEIGHTED) ||
        m->engine->layers.at[layer].multiplies)
        return false;
    for (uint32_t i = 0; i < m->of_node[node].n && !elsewhere; i++)
        elsewhere =
            m->engine->layers.at[fsd_match_of_node(m, node, i)->layer].multiplies;
    return elsewhere;
}

/* Whether all inputs of the layer come from other layers of the same node.  The inputs
 * are then partial results of the node, and their type does not show its precision.
 * False for a node that owns a body, such as a function call: its layers compute the
 * nodes of the body. */
bool fsd_goes_on(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    const struct fsd_graph *e = m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    unsigned traits = m->facts->traits[node];
    bool any = false;

    if (!(traits & FSD_OP_STANDARD) || traits & FSD_OP_CONTROL)
        return false;
    FSD_EACH_OF (t, e->ports, n->in, tensor) {
        struct fsd_span producers = fsd_graph_tensor(e, t)->producers;
        FSD_EACH_ID (producer, e->links, producers) {
            if (producer == layer || !fsd_match_has(m, producer, node))
                return false;
            any = true;
        }
    }
    return any;
}

/* Whether each layer that reads an output of `layer` also computes `node`.  False if no
 * layer reads one.  fsd_goes_on() checks the layers that write the inputs. */
static bool is_gone_on_with(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span out = e->nodes.at[layer].out;
    bool any = false;

    for (uint32_t i = 0; i < out.n; i++) {
        struct fsd_span readers = fsd_port_peers(e, out.at + i, false);

        FSD_EACH_ID (reader, e->links, readers)
            if (!fsd_match_has(m, reader, node))
                return false;
        any |= readers.n > 0;
    }
    return any && m->facts->traits[node] & FSD_OP_STANDARD;
}

/* The type in which a generated kernel computes the node.  The first of these sources
 * that has a type decides:
 * 1. the segments (in_segments());
 * 2. moved_type(), only for a node that moves or casts data;
 * 3. the type that all inputs and outputs of the kernel have, in these cases:
 *     - The node moves or casts data, and the kernel has no product.
 *     - The node is a product, and the kernel has no Cast.  (If it has a Cast, it may
 *       quantize the inputs of the product.)
 *     - For any other node: the kernel has no Cast, or the node has this type in the
 *       model. */
static enum fsd_dtype in_kernel(const struct view *v, fsd_id node, bool moves)
{
    enum fsd_dtype type = v->n ? in_segments(v, node, moves) : FSD_DTYPE_UNKNOWN;

    if (!type && moves)
        type = moved_type(v, node);
    if (!type && (moves ? !v->m->engine->layers.at[v->layer].multiplies : !v->casts))
        type = v->all.only;
    if (!type && !moves && !(v->m->facts->traits[node] & FSD_OP_WEIGHTED) &&
        v->all.only == own_type(v->m, node))
        type = v->all.only;
    return type;
}

static enum fsd_dtype computed(const struct view *v, const struct fsd_layer_result *r,
                               fsd_id node)
{
    const struct fsd_layer *l = &v->m->engine->layers.at[v->layer];
    bool moves = moves_or_casts(v->m, node);
    enum fsd_dtype type = r->precision;

    if (r->kind == FSD_KIND_FOREIGN || is_product_elsewhere(v->m, v->layer, node) ||
        fsd_goes_on(v->m, v->layer, node))
        return FSD_DTYPE_UNKNOWN;
    if (r->kind != FSD_KIND_COMPUTE || (!v->all.only && !v->all.several) ||
        (l->multiplies && v->m->facts->traits[node] & FSD_OP_WEIGHTED))
        return type;
    if (!moves && is_gone_on_with(v->m, v->layer, node))
        type = v->all.only;
    else if (moves || l->provider == FSD_PROVIDER_COMPILER)
        type = in_kernel(v, node, moves);
    return type == FSD_FP32 && l->rounds_to ? l->rounds_to : type;
}

const enum fsd_dtype *fsd_diff_computed(const struct fsd_match *m,
                                        const struct fsd_layer_result *layers)
{
    FSD_SCRATCH(scratch);
    enum fsd_dtype *types = FSD_NEW(m->arena, enum fsd_dtype, m->links.n);
    struct view v = {.m = m, .lowerings = fsd_lowerings_new(scratch, m->facts)};

    for (v.layer = 0; v.layer < m->engine->nodes.n; v.layer++) {
        struct fsd_span links = m->of_layer[v.layer];

        find_types(&v);
        find_segments(&v);
        for (uint32_t i = links.at; i < links.at + links.n; i++)
            types[i] = computed(&v, &layers[v.layer], m->links.at[i].node);
    }
    return types;
}
