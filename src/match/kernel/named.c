/*
 * Finds the nodes that names assign to a kernel: the name of the kernel, the names of
 * its tensors and constants, and the names of the kernels that read its outputs.  One
 * more source is not a name: a second kernel may concatenate an output of the kernel
 * with other tensors.  The position of this output among the inputs of the Concat then
 * shows which node computes the output (joined.c).
 */
#include "match/kernel/replay.h"

static void add_must(struct replay *r, fsd_id node, uint32_t cost)
{
    if (node != FSD_NONE && !fsd_is_must(r, node) && r->now.n_must < MUST)
        r->now.must[r->now.n_must++] = (struct must){node, cost};
}

/* Whether a step of the kernel could belong to the node, or the kernel may have steps
 * that its name does not list. */
static bool could_compute(const struct replay *r, fsd_id node)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    const fsd_id *steps = r->m->engine->links.at + l->steps.at;
    struct fsd_span lowerings = r->lowerings->of[node];

    FSD_EACH_IN (const struct fsd_lowering, lowering, r->lowerings->all, lowerings)
        for (uint32_t s = 0; s < lowering->n; s++)
            for (uint32_t k = 0; k < l->steps.n; k++)
                if (lowering->steps[s] == steps[k])
                    return true;
    return l->more_steps != FSD_STEPS_ARE_ALL;
}

bool fsd_could_end(const struct replay *r, fsd_id node)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    struct fsd_span lowerings = r->lowerings->of[node];

    FSD_EACH_IN (const struct fsd_lowering, lowering, r->lowerings->all, lowerings)
        if (fsd_layer_count(r->m->engine, r->layer, lowering->steps[lowering->n - 1]))
            return true;
    return l->more_steps != FSD_STEPS_ARE_ALL;
}

/* Whether the kernel may have a step for `node`.  Considers only nodes that builders
 * compute with or without a step: scalings that may be folded, nodes with several
 * outputs, and Qs.  False for any other node. */
static bool may_be_step(const struct replay *r, fsd_id node)
{
    return (r->nodes[node].folds || r->g->nodes.at[node].out.n > 1 ||
            r->m->facts->traits[node] & FSD_OP_QUANTIZE) &&
           could_compute(r, node);
}

static fsd_id before_unlisted(const void *replay, fsd_id node)
{
    return may_be_step(replay, node) ? FSD_NONE : fsd_before_passing(replay, node);
}

/* The node that the kernel computes if it writes `tensor`: the nearest node before
 * `tensor` that needs a step or may have one.  FSD_NONE if this is a Q, because the
 * kernel may quantize the result of another kernel. */
static fsd_id real_producer(const struct replay *r, fsd_id tensor)
{
    fsd_id node =
        fsd_tensor_producer(r->g, fsd_walk_back(r->g, tensor, before_unlisted, r));

    if (node == FSD_NONE || !r->nodes[node].passes)
        return node;
    return may_be_step(r, node) && !(r->m->facts->traits[node] & FSD_OP_QUANTIZE)
               ? node
               : FSD_NONE;
}

static fsd_id behind_constant(const void *replay, fsd_id node)
{
    const struct replay *r = replay;

    return r->m->facts->folded[node] ? fsd_node_out_tensor(r->g, node, 0) : FSD_NONE;
}

/* The only node that reads a constant, directly or through folded nodes; FSD_NONE if
 * there is none or more than one. */
static fsd_id only_reader(const struct replay *r, fsd_id tensor)
{
    return fsd_tensor_only_reader(r->g, fsd_walk_on(r->g, tensor, behind_constant, r));
}

fsd_id fsd_only_named(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span mentions = e->layers.at[layer].mentions;
    fsd_id found = FSD_NONE;

    FSD_EACH_IN (const struct fsd_mention, m, e->mentions, mentions) {
        if (!(m->by & r->m->evidence))
            continue;
        if (!fsd_names_node(r, m) || (found != FSD_NONE && found != m->node))
            return FSD_NONE;
        found = m->node;
    }
    return found;
}

/* Adds a node that the name of a tensor suggests.  Several layers have this tensor, so
 * its name is weak evidence: the node is not added if a layer is named after the node
 * or is known to compute the node. */
static void add_hint(struct replay *r, fsd_id node)
{
    if (node != FSD_NONE && !fsd_is_named(r, node) && !fsd_is_left_to_run(r, node))
        node = fsd_last_duplicate(r, node);
    if (node != FSD_NONE && !fsd_has_layer(r, node) && !fsd_is_named(r, node) &&
        could_compute(r, node))
        add_must(r, node, COST_HINTED);
}

/* Adds hints from the readers of `tensor`, an output of the kernel.  If a reader has no
 * other input, and is named after a single node, the kernel computes the data input of
 * this node.  This distinguishes equal branches. */
static void add_wanted(struct replay *r, fsd_id tensor)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span readers = fsd_tensor_consumers(e, tensor);

    FSD_EACH_ID (layer, e->links, readers) {
        fsd_id node = fsd_only_named(r, layer);

        if (e->nodes.at[layer].in.n == 1)
            add_hint(r, real_producer(r, fsd_data_input(r, node)));
    }
}

void fsd_find_must(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[r->layer];
    const struct fsd_node *n = &e->nodes.at[r->layer];

    r->now.n_must = 0;
    add_must(r, r->layers[r->layer].in_place, COST_NAMED);
    FSD_EACH_IN (const struct fsd_mention, m, e->mentions, l->mentions)
        if (fsd_names_node(r, m))
            add_must(r, m->node, COST_NAMED);
    for (uint32_t i = 0; i < n->in.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id in = fsd_node_in_tensor(e, r->layer, i);
        fsd_id t = fsd_graph_find(r->g, fsd_graph_tensor(e, in)->argument, 0);

        if (l->kind == FSD_KIND_COMPUTE)
            add_hint(r, fsd_tensor_producer(r->g, t));
    }
    for (uint32_t i = 0; i < n->out.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id out = fsd_node_out_tensor(e, r->layer, i);

        if (l->kind != FSD_KIND_COMPUTE)
            continue;
        if (fsd_tensor_producer(e, out) != FSD_NONE)
            add_hint(r, real_producer(r, fsd_match_held(r->m, out)));
        add_wanted(r, out);
    }
    FSD_EACH_OF (out, e->ports, n->out, tensor)
        if (out != FSD_NONE && r->values[out].joined != FSD_NONE)
            add_hint(r, real_producer(r, r->values[out].joined));
    for (uint32_t i = 0; i < l->constants.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id c = e->ports.at[l->constants.at + i].tensor;

        add_hint(r, only_reader(r, fsd_match_held(r->m, c)));
    }
}

void fsd_find_named(struct replay *r)
{
    for (fsd_id i = 0; i < r->m->engine->layers.n; i++) {
        fsd_id node = fsd_only_named(r, i);

        if (node != FSD_NONE)
            r->nodes[node].named = i;
    }
}

/* The ScatterND whose result is the data input of `node`; FSD_NONE if there is none, or
 * if the engine has this result as a separate tensor. */
static fsd_id scattered_before(const struct replay *r, const bool *placed, fsd_id node)
{
    fsd_id in = fsd_node_in_tensor(r->g, node, 0);
    fsd_id by = fsd_tensor_producer(r->g, in);

    return fsd_graph_node(r->g, by)->op == FSD_ONNX_ScatterND && !placed[in] ? by
                                                                             : FSD_NONE;
}

/* The kernels of a chain of ScatterND nodes write one tensor in place, in the order of
 * the nodes.  The tensor has the name of the last node's output.  The kernels run even
 * if the model proves that the output is constant. */
void fsd_find_in_place(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    bool *placed = FSD_NEW(r->scratch, bool, r->g->tensors.n); /* indexed by model
                                                                  tensor: whether a
                                                                  tensor of the engine
                                                                  holds it */

    for (fsd_id t = 0; t < e->tensors.n; t++)
        if (fsd_match_holds(r->m, t))
            placed[r->m->counterpart[t]] = true;
    for (fsd_id t = 0; t < e->tensors.n; t++) {
        struct fsd_span by = e->tensors.at[t].producers;
        fsd_id last = fsd_tensor_producer(r->g, r->m->counterpart[t]);
        uint32_t left = 0, kernels = 0;

        if (fsd_graph_node(r->g, last)->op != FSD_ONNX_ScatterND)
            continue;
        for (fsd_id node = last; node != FSD_NONE;
             node = scattered_before(r, placed, node))
            left++;
        for (uint32_t i = 0; i < by.n; i++)
            kernels +=
                fsd_layer_count(e, e->links.at[by.at + i], FSD_ONNX_ScatterND) > 0;
        for (uint32_t i = by.n; i-- > 0 && left == kernels && last != FSD_NONE;) {
            fsd_id out = fsd_node_out_tensor(r->g, last, 0);

            if (!fsd_layer_count(e, e->links.at[by.at + i], FSD_ONNX_ScatterND))
                continue;
            r->layers[e->links.at[by.at + i]].in_place = last;
            if (out != FSD_NONE)
                r->tensors[out].at_run = r->m->facts->constant[out];
            last = scattered_before(r, placed, last);
        }
    }
}

void fsd_reserve(struct replay *r)
{
    for (r->layer = 0; r->layer < r->m->engine->layers.n; r->layer++) {
        fsd_find_must(r);
        for (uint32_t i = 0; i < r->now.n_must; i++)
            r->nodes[r->now.must[i].node].reserved = r->layer;
    }
}
