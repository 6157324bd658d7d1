/*
 * Adds the cost of contradictions to a finished candidate: sizes, weights or names that
 * do not fit, and inputs of the kernel that the candidate does not use.
 */
#include "match/kernel/replay.h"

/* Whether the tensor is an output of the network, or a node outside the candidate reads
 * it, directly or through nodes that need no step. */
static bool escapes(const struct replay *r, const struct candidate *w, fsd_id tensor,
                    int far)
{
    const struct fsd_tensor *t = fsd_graph_tensor(r->g, tensor);

    if (t->flags & FSD_TENSOR_OUTPUT)
        return true;
    if (tensor != FSD_NONE && r->tensors[tensor].handed_out != FSD_NONE && far &&
        escapes(r, w, r->tensors[tensor].handed_out, far - 1))
        return true;
    FSD_EACH_ID (node, r->g->links, t->consumers) {
        if (fsd_candidate_took(w, node) ||
            fsd_candidate_took(w, fsd_last_duplicate(r, node)) ||
            (r->m->facts->traits[node] & FSD_OP_SHAPE) || !r->m->facts->live[node])
            continue;
        if (!r->nodes[node].passes || !far)
            return true;
        FSD_EACH_OF (out, r->g->ports, r->g->nodes.at[node].out, tensor)
            if (escapes(r, w, out, far - 1))
                return true;
    }
    return false;
}

uint32_t fsd_candidate_makes(const struct replay *r, const struct candidate *w,
                             fsd_id out[AVAILABLE])
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->n_taken; i++)
        FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[w->taken[i]].out, tensor)
            if (n < AVAILABLE && escapes(r, w, t, 6) &&
                !fsd_is_moved(r, w, w->taken[i]))
                out[n++] = t;
    return n;
}

enum {
    LOAD = 8
}; /* the builder may pad rows and columns to a multiple of LOAD elements */

/* Whether the sizes of a form fit a shape, ignoring axes of size 1.  Each size of the
 * form may be up to `more` larger than the size in the shape.  Two dynamic sizes
 * fit. */
static bool is_alike(const struct fsd_graph *e, const struct fsd_form *a,
                     const struct fsd_shape *b, int64_t more)
{
    const struct fsd_dim *dims = e->dims.at + a->dims.at;
    uint32_t i = 0, k = 0;

    if (!a->ranked || !b->ranked)
        return false;
    for (;; i++, k++) {
        while (i < a->dims.n && dims[i].size == 1)
            i++;
        while (k < b->rank && b->dims[k] == 1)
            k++;
        if (i == a->dims.n || k == b->rank)
            return i == a->dims.n && k == b->rank;
        if ((dims[i].size >= 0 || b->dims[k] >= 0) &&
            (dims[i].size < b->dims[k] || dims[i].size > b->dims[k] + more))
            return false;
    }
}

bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor)
{
    return is_alike(r->m->engine, form, fsd_shape_of(r->sizes, tensor), 0);
}

/* Whether an output with `size` elements may be a copy of an input.  A kernel with
 * several outputs may write one of its inputs again. */
static bool forwards(const struct replay *r, int64_t size)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];

    for (uint32_t i = 0; i < n->in.n && n->out.n > 1; i++)
        if (fsd_form_count(e, fsd_port_form(e, fsd_node_in(e, n, i))) == size)
            return true;
    return false;
}

/* Whether the kernel's name lists all steps, and the last one is an Expand of the
 * result.  The model has no node for this Expand, because the model's nodes broadcast
 * the result instead. */
static bool repeats_last(const struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[r->layer];

    return l->more_steps == FSD_STEPS_ARE_ALL && l->steps.n &&
           e->links.at[l->steps.at + l->steps.n - 1] == FSD_ONNX_Expand;
}

/* Whether the size of the output `port` shows that `port` holds none of the computed
 * tensors `made`.  False if a size is unknown.  False for an output that no layer
 * reads and that is no output of the network: it is working memory of the kernel.
 * @param product whether the kernel computes a product, whose output may be padded */
static bool size_differs(const struct replay *r, const struct fsd_port *port,
                         const fsd_id *made, uint32_t n, bool product)
{
    const struct fsd_graph *e = r->m->engine;
    int64_t size = fsd_form_count(e, fsd_port_form(e, port));
    bool any = false;

    if (port->tensor != FSD_NONE && !e->tensors.at[port->tensor].consumers.n &&
        !(e->tensors.at[port->tensor].flags & FSD_TENSOR_OUTPUT))
        return false;
    for (uint32_t i = 0; i < n && size >= 0; i++) {
        int64_t count = fsd_count_of(r, made[i]);

        if (count < 0 || count == size * r->now.part || count == size ||
            (product && is_alike(e, fsd_port_form(e, port),
                                 fsd_shape_of(r->sizes, made[i]), LOAD - 1)) ||
            (count > 0 && size % count == 0 && repeats_last(r)))
            return false;
        any = true;
    }
    return any && !forwards(r, size);
}

static bool is_padded(const struct fsd_dim *constant, const int64_t *weight)
{
    return constant[0].size >= weight[0] && constant[1].size >= weight[1] &&
           constant[0].size - weight[0] < LOAD && constant[1].size - weight[1] < LOAD;
}

/* Whether the kernel's constant may be this weight.  The window must be the same.  The
 * channels may have any order, and the builder may have padded them with zeros: three
 * channels become four, and a depthwise weight gets more channels per group. */
static bool is_weight(const struct replay *r, const struct fsd_form *constant,
                      fsd_id tensor)
{
    const struct fsd_shape *weight = fsd_shape_of(r->sizes, tensor);
    const struct fsd_dim *a = r->m->engine->dims.at + constant->dims.at;
    const int64_t *b = weight->dims;
    int64_t size = fsd_form_count(r->m->engine, constant);
    int64_t count = fsd_count_of(r, tensor);
    uint32_t rank = constant->dims.n;

    if (size < 0 || count <= 0)
        return true;
    if (weight->rank < 3 && size % count == 0) /* the constant may contain several
                                                  weights */
        return true;
    for (; rank > weight->rank && a->size == 1; rank--)
        a++; /* skip leading axes of size 1 */
    if (rank != weight->rank || rank < 2)
        return size == count;
    if (rank == 2)
        return is_padded(a, b);
    for (uint32_t i = 2; i < weight->rank; i++)
        if (a[i].size != b[i])
            return false;
    return size == count || (a[0].size == b[0] && a[1].size >= b[1]) || is_padded(a, b);
}

/* Whether the model splits the result of the product and the constant may be the weight
 * of one part. */
static bool is_weight_of_part(const struct replay *r, const struct fsd_form *constant,
                              fsd_id product, fsd_id weight)
{
    fsd_id out = fsd_node_out_tensor(r->g, product, 0);
    int64_t size = fsd_form_count(r->m->engine, constant);
    int64_t count = fsd_count_of(r, weight);

    return count > size && count == size * fsd_count_parts_behind(r, out);
}

/* Whether the kernel cannot compute the product `node`, because none of the kernel's
 * constants can be the product's weight.  False if a kernel without inputs may provide
 * the weight, if no constants are known, or if `node` is no product.  This
 * distinguishes branches that differ only in their window sizes. */
static bool weight_differs(const struct replay *r, fsd_id layer, fsd_id node)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[layer];
    const struct fsd_node *n = &e->nodes.at[layer];
    fsd_id weight = fsd_node_in_tensor(r->g, node, 1);

    if (!fsd_is_product(r, node) || weight == FSD_NONE || !l->constants.n ||
        fsd_has_layer(r, node) || !r->m->facts->constant[weight] ||
        r->tensors[weight].at_run)
        return false;
    for (uint32_t i = 0; i < l->constants.n; i++) {
        const struct fsd_form *c = fsd_port_form(e, &e->ports.at[l->constants.at + i]);

        int64_t parts = fsd_form_count(e, c) > 0
                            ? fsd_count_of(r, weight) / fsd_form_count(e, c)
                            : 0;

        if (is_weight(r, c, weight) || is_weight_of_part(r, c, node, weight) ||
            (fsd_takes_apart(r, layer) && parts > 1 && parts <= FSD_LOWERING_PARTS))
            return false;
    }
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id by = fsd_node_in_producer(e, layer, i);

        if (by != FSD_NONE && !e->nodes.at[by].in.n)
            return false;
    }
    return true;
}

/* Whether one of the layer's steps could be the first step of the node. */
static bool could_begin(const struct replay *r, fsd_id layer, fsd_id node)
{
    struct fsd_span steps = r->m->engine->layers.at[layer].steps;
    struct fsd_span lowerings = r->lowerings->of[node];

    for (uint32_t i = 0; i < lowerings.n; i++)
        for (uint32_t k = 0; k < steps.n; k++)
            if (r->lowerings->all.at[lowerings.at + i].steps[0] ==
                r->m->engine->links.at[steps.at + k])
                return !weight_differs(r, layer, node);
    return false;
}

/* Whether a step of the layer could begin a node that reads the tensor, directly or
 * through nodes that need no step. */
static bool goes_on(const struct replay *r, fsd_id layer, fsd_id tensor, int far)
{
    struct fsd_span readers = fsd_tensor_consumers(r->g, tensor);

    FSD_EACH_ID (node, r->g->links, readers) {
        if (could_begin(r, layer, node))
            return true;
        for (uint32_t k = 0;
             k < r->g->nodes.at[node].out.n && r->nodes[node].passes && far; k++)
            if (goes_on(r, layer, fsd_node_out_tensor(r->g, node, k), far - 1))
                return true;
    }
    return false;
}

/* A tensor "leads to" a node if at most this many other nodes are in between. */
enum { FAR_ENOUGH = 6 };

/* Whether the node reads the tensor, directly or behind at most `far` other nodes.
 * Visits at most `*left` inputs; `*left` is 0 if the search gave up. */
static bool reads_from(const struct replay *r, fsd_id tensor, fsd_id node, int far,
                       unsigned *left)
{
    for (uint32_t i = 0; i < r->g->nodes.at[node].in.n && *left; i++) {
        fsd_id t = fsd_node_in_tensor(r->g, node, i);
        fsd_id by = fsd_tensor_producer(r->g, t);

        --*left;
        if (t == tensor || (by != FSD_NONE && far && !fsd_stays_constant(r, t) &&
                            reads_from(r, tensor, by, far - 1, left)))
            return true;
    }
    return false;
}

/* Finds all tensors that lead to the node through at most FAR_ENOUGH other nodes. */
static void find_ancestry(const struct replay *r, fsd_id node)
{
    struct ancestry *a = r->ancestry;
    uint32_t level = 0, end;

    if (!a->stamp)
        a->stamp = FSD_NEW(r->scratch, uint32_t, r->g->tensors.n);
    a->node = node;
    a->now++;
    a->absent = false;
    a->nodes.n = 0;
    fsd_vec_push(r->scratch, &a->nodes, node);
    for (int far = FAR_ENOUGH; far >= 0; far--)
        for (end = a->nodes.n; level < end; level++)
            FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[a->nodes.at[level]].in,
                         tensor) {
                fsd_id by = fsd_tensor_producer(r->g, t);

                a->absent |= t == FSD_NONE;
                if (t == FSD_NONE || a->stamp[t] == a->now)
                    continue;
                a->stamp[t] = a->now;
                if (by != FSD_NONE && !fsd_stays_constant(r, t))
                    fsd_vec_push(r->scratch, &a->nodes, by);
            }
}

/* Whether the tensor leads to the node.  If the search visits too many inputs, finds
 * all tensors that lead to the node, and keeps them in r->ancestry for the next calls.
 * Thousands of kernels may ask about a node with thousands of inputs. */
static bool leads_to(const struct replay *r, fsd_id tensor, fsd_id node)
{
    enum { FEW = 256 };
    unsigned left = FEW;
    bool reads =
        r->ancestry->node != node && reads_from(r, tensor, node, FAR_ENOUGH, &left);

    if (reads || (r->ancestry->node != node && left))
        return reads;
    if (r->ancestry->node != node)
        find_ancestry(r, node);
    return tensor == FSD_NONE ? r->ancestry->absent
                              : r->ancestry->stamp[tensor] == r->ancestry->now;
}

/* The name of an engine tensor may show that the tensor is an argument of the kernel
 * that computes a certain node.  Returns this node; FSD_NONE if the name shows none. */
static fsd_id made_for(const struct replay *r, fsd_id tensor)
{
    fsd_sym name =
        r->m->evidence & FSD_BY_TENSOR ? r->m->engine->tensors.at[tensor].argument : 0;

    return fsd_tensor_producer(r->g, fsd_graph_find(r->g, name, 0));
}

/* The only reader of the layer's output, if the layer only pads data for this reader;
 * else the layer itself. */
static fsd_id behind_padding(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_span steps = e->layers.at[layer].steps;
    struct fsd_span readers = fsd_tensor_consumers(e, fsd_node_out_tensor(e, layer, 0));

    if (!steps.n || n->in.n != 1 || n->out.n != 1 || readers.n != 1 ||
        fsd_form_count(e, fsd_port_form(e, fsd_node_in(e, n, 0))) >=
            fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, 0))))
        return layer;
    FSD_EACH_ID (step, e->links, steps)
        if (!fsd_step_moves(step) || step == FSD_ONNX_Expand)
            return layer;
    return e->links.at[readers.at];
}

/* Whether the tensor leads to the node that the layer computes.  If the layer's name
 * contains exactly one node, this is the node.  Otherwise, the node is the producer of
 * the counterpart of the layer's output.  True if the node is unknown. */
static bool is_wanted(const struct replay *r, fsd_id layer, fsd_id tensor)
{
    fsd_id out = fsd_node_out_tensor(r->m->engine, layer, 0);
    fsd_id by = fsd_only_named(r, layer);

    if (by == FSD_NONE && fsd_match_holds(r->m, out))
        by = fsd_tensor_producer(r->g, r->m->counterpart[out]);
    return by == FSD_NONE || leads_to(r, tensor, by);
}

/* The name of the output `port` may show a node (made_for()).  Returns whether none of
 * the computed tensors `made` leads to this node.  False if the name shows no node, or
 * if `made` is empty. */
static bool is_misnamed(const struct replay *r, const struct fsd_port *port,
                        const fsd_id *made, uint32_t n)
{
    fsd_id node = port->tensor == FSD_NONE ? FSD_NONE : made_for(r, port->tensor);

    for (uint32_t k = 0; k < n; k++)
        if (node == FSD_NONE || leads_to(r, made[k], node))
            return false;
    return node != FSD_NONE && n;
}

/* The number of kernels that read the output `port` and cannot continue the work of the
 * candidate.  A kernel continues by finishing a node that the candidate began, or by
 * computing a node that reads a tensor in `made`.  This distinguishes branches that
 * begin with the same nodes. */
static uint32_t count_lost(const struct replay *r, const struct candidate *w,
                           const struct fsd_port *port, const fsd_id *made, uint32_t n)
{
    enum { MOST = 8 };
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span readers = fsd_tensor_consumers(e, port->tensor);
    uint32_t lost = 0;

    for (uint32_t i = 0; i < readers.n && i < MOST; i++) {
        fsd_id layer = behind_padding(r, e->links.at[readers.at + i]);
        bool on = w->n_open || !e->layers.at[layer].steps.n;

        for (uint32_t k = 0; k < n && !on; k++)
            on = goes_on(r, layer, made[k], 5) && is_wanted(r, layer, made[k]) &&
                 fsd_fits_attention(r, layer, port->tensor, made[k]);
        for (uint32_t k = 0; k < w->n_open && on; k++)
            on = fsd_only_named(r, layer) == w->open[k].node ||
                 is_wanted(r, layer, fsd_node_out_tensor(r->g, w->open[k].node, 0));
        lost += !on;
    }
    return lost;
}

/* Whether one of the computed tensors `made` has the shape of the output `port`. */
static bool shape_fits(const struct replay *r, const struct fsd_port *port,
                       const fsd_id *made, uint32_t n)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_form *a = fsd_port_form(e, port);

    for (uint32_t i = 0; i < n; i++)
        if (is_alike(e, a, fsd_shape_of(r->sizes, made[i]), 0))
            return true;
    return false;
}

/* Drops the nodes in w->open that another kernel began and that this kernel did not
 * continue.  Drops nothing if this kernel computed nothing at all, because it may only
 * forward the intermediate results of these nodes. */
static void drop_idle(struct candidate *w)
{
    uint32_t kept = 0, worked = w->n_taken;

    for (uint32_t i = 0; i < w->n_open; i++)
        worked += !w->open[i].idle;
    if (!worked)
        return;
    for (uint32_t i = 0; i < w->n_open; i++)
        if (!w->open[i].idle)
            w->open[kept++] = w->open[i];
    w->n_open = kept;
}

/* Whether the tensor is the output of a DQ.  The kernel need not write such a tensor,
 * because another kernel that reads it computes the DQ itself. */
static bool is_dequantized(const struct replay *r, fsd_id tensor)
{
    fsd_id by = fsd_tensor_producer(r->g, tensor);

    return fsd_traits_of(r->m->facts, by) & FSD_OP_DEQUANTIZE;
}

/* Whether a kernel may end after the first `open->done` steps of a node.  A kernel may
 * end after each product of an Einsum.  It may end after a reduction, because the next
 * step needs the complete result.  In a long lowering, it may end after each step that
 * is no data movement. */
static bool is_handed_over(const struct replay *r, const struct held *open)
{
    const struct fsd_lowering *lowering = &r->lowerings->all.at[open->lowering];
    fsd_sym last = lowering->steps[open->done - 1];

    return lowering->pairs || (lowering->n > 4 && !fsd_step_moves(last)) ||
           (last >= FSD_ONNX_ReduceL1 && last <= FSD_ONNX_ReduceSumSquare);
}

/* Whether the kernel writes the tensor.  A Scatter works in place, so its kernel has
 * the same tensor as an input and an output. */
static bool writes(const struct replay *r, fsd_id tensor)
{
    FSD_EACH_OF (t, r->m->engine->ports, r->m->engine->nodes.at[r->layer].out, tensor)
        if (t == tensor)
            return true;
    return false;
}

/* Whether the candidate may use the input `port`, although w->used lacks it.  This
 * holds if an available tensor may come either from `port` or from an input in
 * w->used. */
static bool may_be_used(const struct candidate *w, uint64_t port)
{
    for (uint32_t i = 0; i < w->n_available; i++)
        if (w->available[i].either && w->available[i].from & port &&
            w->available[i].from & w->used)
            return true;
    return false;
}

/* Whether the results of the taken products together have more elements than the kernel
 * writes. */
static bool overflows(const struct replay *r, const struct candidate *w)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    int64_t size = 0, made = 0;

    for (uint32_t i = 0; i < n->out.n; i++) {
        int64_t count = fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, i)));

        if (count < 0)
            return false;
        size += count;
    }
    for (uint32_t i = 0; i < w->n_taken; i++) {
        int64_t count = fsd_is_product(r, w->taken[i])
                            ? fsd_count_of(r, fsd_node_out_tensor(r->g, w->taken[i], 0))
                            : 0;

        made += count > 0 ? count : 0;
    }
    return made > size;
}

/* Whether a node of the candidate reads the tensor, directly or through nodes that need
 * no step. */
static bool is_read(const struct replay *r, const struct candidate *w, fsd_id tensor,
                    int far)
{
    struct fsd_span readers = fsd_tensor_consumers(r->g, tensor);

    FSD_EACH_ID (node, r->g->links, readers)
        if (fsd_candidate_took(w, node) ||
            (far && r->nodes[node].passes &&
             is_read(r, w, fsd_node_out_tensor(r->g, node, 0), far - 1)))
            return true;
    return false;
}

/* Whether the tensor is an output of a Split, and the candidate reads only other
 * outputs of this Split.  Another kernel then computes the tensor. */
static bool is_other_part(const struct replay *r, const struct candidate *w,
                          fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(r->g, tensor);

    if (node == FSD_NONE || !fsd_comes_in_parts(r, node) || is_read(r, w, tensor, 2))
        return false;
    FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].out, tensor)
        if (is_read(r, w, t, 2))
            return true;
    return false;
}

/* Drops the tensors that other kernels compute.
 * @return number of remaining tensors */
static uint32_t drop_other_parts(const struct replay *r, const struct candidate *w,
                                 fsd_id *made, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (!is_other_part(r, w, made[i]))
            made[kept++] = made[i];
    return kept;
}

void fsd_candidate_finish(const struct replay *r, struct candidate *w)
{
    const struct fsd_node *n = &r->m->engine->nodes.at[r->layer];
    fsd_id made[AVAILABLE];
    uint32_t escaping;
    bool product = false;
    /* If the kernel's name was cut, the last steps are missing. */
    bool cut = r->m->engine->layers.at[r->layer].more_steps == FSD_STEPS_LACK_SOME;
    uint32_t again = 0;

    escaping = fsd_candidate_makes(r, w, made);
    for (uint32_t i = 0; i < escaping; i++)
        again += is_dequantized(r, made[i]);
    drop_idle(w);
    for (uint32_t i = 0; i < w->n_open; i++)
        if (!w->open[i].idle) {
            bool whole = cut || is_handed_over(r, &w->open[i]);

            w->broken |= !whole;
            w->cost += whole ? COST_UNFINISHED : COST_STEP - 1;
        }
    for (uint32_t i = 0; i < w->n_taken; i++) {
        product |= fsd_is_product(r, w->taken[i]);
        w->cost +=
            !w->joined && weight_differs(r, r->layer, w->taken[i]) ? COST_SIZE : 0;
    }
    for (uint32_t i = 0; i < r->now.n_must; i++)
        if (!fsd_candidate_took(w, r->now.must[i].node) &&
            !fsd_candidate_began(w, r->now.must[i].node))
            w->cost += r->now.must[i].cost;
    for (uint32_t i = 0; i < n->in.n && i < 64; i++) {
        fsd_id e = fsd_node_in_tensor(r->m->engine, r->layer, i);

        if (fsd_held_by(r, e).n && !(w->used & fsd_first_port(r, i)) && w->n_taken &&
            !writes(r, e) && !may_be_used(w, fsd_first_port(r, i)))
            w->cost += COST_INPUT;
    }
    if (w->joined || fsd_joins_products(r, r->layer)) {
        w->cost += fsd_joins_products(r, r->layer) && overflows(r, w) ? COST_SIZE : 0;
        return;
    }
    if (!w->n_open && escaping > n->out.n + again && r->now.part == 1 && !w->parted)
        w->cost += (escaping - again - n->out.n) * COST_OUTPUT;
    for (uint32_t i = 0; i < n->out.n; i++)
        w->lost += count_lost(r, w, fsd_node_out(r->m->engine, n, i), made, escaping) +
                   is_misnamed(r, fsd_node_out(r->m->engine, n, i), made, escaping);
    escaping = drop_other_parts(r, w, made, escaping);
    for (uint32_t i = 0; i < n->out.n; i++)
        w->odd += !shape_fits(r, fsd_node_out(r->m->engine, n, i), made, escaping);
    for (uint32_t i = 0; i < n->out.n && !w->n_open && !w->pads && !r->now.padded; i++)
        if (size_differs(r, fsd_node_out(r->m->engine, n, i), made, escaping, product))
            w->cost += COST_SIZE;
}
