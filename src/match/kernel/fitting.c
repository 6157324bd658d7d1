/*
 * Links kernels that compute only a part of a node, and no whole node.  This runs at
 * the end of the replay.
 */
#include "base/base.h"
#include "match/kernel/replay.h"

/* `layer` moves data into the tensor `out`, which other layers also write.  Cases:
 *   - `out` is the output of a Concat, and all writers only move data: links `layer` to
 *     the Concat.
 *   - `out` is the output of a Concat, and a computing layer writes a part of it in
 *     place: does not link `layer`, because the builder inserted it to copy another
 *     part.
 *   - The other layers compute a chain of ScatterND nodes that is constant in the
 *     model: links `layer` to the first ScatterND node. */
static void link_part(struct replay *r, fsd_id layer, fsd_id out)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span by = e->tensors.at[out].producers;
    fsd_id tensor = r->m->counterpart[out];
    fsd_id node = fsd_tensor_producer(r->g, tensor);
    bool in_place = false;

    for (uint32_t i = by.n; i-- > 0;) {
        fsd_id writer = e->links.at[by.at + i], scattered = r->layers[writer].in_place;

        node = fsd_id_or(scattered, node);
        in_place |= e->layers.at[writer].kind == FSD_KIND_COMPUTE;
    }
    if ((fsd_node_is(r->g, node, FSD_ONNX_Concat) && !in_place) ||
        fsd_is_left_to_run(r, node))
        fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
}

/* The only consumer of the node's output; FSD_NONE if there is none or more than
 * one. */
static fsd_id only_next(const struct replay *r, fsd_id node)
{
    struct fsd_span after =
        fsd_tensor_consumers(r->g, fsd_node_out_tensor(r->g, node, 0));

    return after.n == 1 ? r->g->links.at[after.at] : FSD_NONE;
}

/* `layer` has no inputs.  If its only reader computes a normalization, `layer` clears
 * the memory in which the reader accumulates sums.  Links `layer` to the normalization,
 * and to the scale and the shift behind it if the reader computes them, too. */
static void link_clearing(struct replay *r, fsd_id layer, struct fsd_span readers)
{
    fsd_id by = readers.n == 1 ? r->m->engine->links.at[readers.at] : FSD_NONE;
    fsd_id node = by == FSD_NONE ? FSD_NONE : r->layers[by].norm;

    for (int far = 0; far < FAR && node != FSD_NONE; far++) {
        if (r->nodes[node].layer == by)
            fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
        node = only_next(r, node);
        if (node != FSD_NONE && !r->nodes[node].passes)
            node = FSD_NONE;
    }
}

/* Links `layer`, which only moves data, to the Attention nodes that its readers
 * compute.  For such a reader, `layer` splits data into heads, and the Attention node
 * includes this split. */
static void link_attention(struct replay *r, fsd_id layer, struct fsd_span readers)
{
    FSD_EACH_ID (reader, r->m->engine->links, readers) {
        fsd_id node = r->layers[reader].attention;

        fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
    }
}

/* Whether all readers of the layer's output compute their products in parts, so that
 * the layer cuts out the data of one part. */
static bool cut_for(const struct replay *r, fsd_id out)
{
    struct fsd_span readers = fsd_tensor_consumers(r->m->engine, out);

    FSD_EACH_ID (by, r->m->engine->links, readers)
        if (!fsd_has_product(r, by) || !fsd_takes_apart(r, by))
            return false;
    return readers.n > 0;
}

/* The node of kernel `by` whose output the engine tensor `tensor` holds, for example a
 * sum behind a product; if there is none, the product of `by`. */
static fsd_id made_by(const struct replay *r, fsd_id by, fsd_id tensor)
{
    for (uint32_t i = 0; i < r->values[tensor].held.n; i++) {
        struct held h = r->held.at[r->values[tensor].held.at + i];
        fsd_id node = fsd_tensor_producer(r->g, h.tensor);

        if (fsd_layer_of(r, node) == by)
            return node;
    }
    return r->layers[by].product;
}

/* Links the layer to nodes that compute the scalar `tensor` from sizes, for example "1
 * / sqrt(head size)".  Only the first Cast to floats and the nodes behind it are
 * linked: the builder assigns these to the operator that the scalar scales.  The
 * integers before the Cast are computed by the parser.
 * @return whether a Cast computes `tensor` or a tensor before it */
static bool link_scalar(struct replay *r, fsd_id layer, fsd_id tensor, int far)
{
    fsd_id by = fsd_tensor_producer(r->g, tensor);
    bool sized = false;

    if (by == FSD_NONE || !far || !r->m->facts->folded[by] ||
        fsd_count_of(r, tensor) != 1 ||
        fsd_dtype_rank(fsd_tensor_form(r->g, tensor)->type) <= 0)
        return false;
    FSD_EACH_OF (in, r->g->ports, r->g->nodes.at[by].in, tensor) {
        sized |= link_scalar(r, layer, in, far - 1);
        sized |= r->g->nodes.at[by].op == FSD_ONNX_Cast &&
                 fsd_tensor_producer(r->g, in) != FSD_NONE;
    }
    if (sized)
        fsd_match_link(r->m, layer, by, FSD_BY_STRUCTURE);
    return sized;
}

/* Whether one of the layer's inputs is a scalar, which another kernel then computes. */
static bool reads_scalar(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];

    for (uint32_t i = 0; i < n->in.n; i++)
        if (fsd_form_count(e, fsd_port_form(e, fsd_node_in(e, n, i))) == 1)
            return true;
    return false;
}

/* Calls link_scalar() for all inputs of linked nodes. */
static void link_scalars(struct replay *r)
{
    uint32_t n = r->m->links.n;

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_link link = r->m->links.at[i];

        if (!fsd_is_generated(r, link.layer) ||
            r->m->engine->layers.at[link.layer].kind != FSD_KIND_COMPUTE ||
            reads_scalar(r, link.layer))
            continue;
        FSD_EACH_OF (tensor, r->g->ports, r->g->nodes.at[link.node].in, tensor)
            link_scalar(r, link.layer, tensor, FAR);
    }
}

enum { GELU = 5 };

/* Lists the nodes of the GELU that contains `erf`, in the order of data flow.
 * @return number of nodes; 0 if `erf` is in no GELU */
static uint32_t find_gelu(const struct replay *r, fsd_id erf, fsd_id nodes[GELU])
{
    fsd_id first = fsd_tensor_producer(r->g, fsd_node_in_tensor(r->g, erf, 0));
    fsd_id node = only_next(r, erf);
    uint32_t n = 0;

    if (!fsd_has_data(r, first) ||
        !(fsd_node_is(r->g, first, FSD_ONNX_Div) ||
          fsd_node_is(r->g, first, FSD_ONNX_Mul)) ||
        !fsd_node_is(r->g, node, FSD_ONNX_Add) || !fsd_has_data(r, node))
        return 0;
    nodes[n++] = first;
    nodes[n++] = erf;
    for (nodes[n++] = node; n < GELU; nodes[n++] = node) {
        node = only_next(r, node);
        if (!fsd_node_is(r->g, node, FSD_ONNX_Mul) ||
            (!fsd_has_data(r, node) &&
             fsd_node_input_of(r->g, node, fsd_data_input(r, first)) == FSD_NONE))
            break;
    }
    return n;
}

/* If two kernels share the nodes of a GELU, links each kernel to all nodes of the GELU,
 * because the builder treats these nodes as one operator. */
static void link_gelu(struct replay *r, fsd_id erf)
{
    fsd_id nodes[GELU], layers[GELU];
    uint32_t n = find_gelu(r, erf, nodes), n_layers = 0;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = r->nodes[nodes[i]].layer;
        bool seen = layer == FSD_NONE || !fsd_is_generated(r, layer);

        for (uint32_t k = 0; k < n_layers; k++)
            seen |= layers[k] == layer;
        if (!seen)
            layers[n_layers++] = layer;
    }
    for (uint32_t i = 0; i < n && n_layers == 2; i++)
        for (uint32_t k = 0; k < n_layers; k++)
            fsd_match_link(r->m, layers[k], nodes[i], FSD_BY_STRUCTURE);
}

static void link_gelus(struct replay *r)
{
    for (fsd_id i = 0; i < r->g->nodes.n; i++)
        if (fsd_node_is(r->g, i, FSD_ONNX_Erf))
            link_gelu(r, i);
}

/* `layer` cuts the output of `node`.  Links `layer` to `node` and, if `node` is the end
 * of a GELU, to all nodes of the GELU. */
static void link_cut(struct replay *r, fsd_id layer, fsd_id node)
{
    /* A GELU ends with Erf, Add, Mul, Mul.  On the way from `node` back to the Add, at
     * most this many Mul nodes are skipped. */
    enum { FAR_BACK = 3 };
    fsd_id back = node, nodes[GELU];
    uint32_t n = 0;

    for (int far = 0; far < FAR_BACK && fsd_node_is(r->g, back, FSD_ONNX_Mul); far++) {
        fsd_id second = fsd_node_in_producer(r->g, back, 1);
        bool sum = fsd_node_is(r->g, second, FSD_ONNX_Add);

        back = sum ? second : fsd_node_in_producer(r->g, back, 0);
    }
    if (fsd_node_is(r->g, back, FSD_ONNX_Add))
        n = find_gelu(r, fsd_node_in_producer(r->g, back, 0), nodes);
    for (uint32_t i = 0; i < n && nodes[n - 1] == node; i++)
        fsd_match_link(r->m, layer, nodes[i], FSD_BY_STRUCTURE);
    fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
}

/* Whether the port seems to hold a padded tensor.  Of the tensors that the port may
 * hold, none has the port's size, but one is smaller and has more than half of it.  A
 * port of twice a tensor's size or more holds several joined tensors instead. */
static bool is_filled(const struct replay *r, const struct fsd_port *port)
{
    int64_t size = fsd_form_count(r->m->engine, fsd_port_form(r->m->engine, port));
    struct fsd_span held = fsd_held_by(r, port->tensor);
    bool filled = false;

    FSD_EACH_OF (t, r->held, held, tensor) {
        int64_t count = t == FSD_NONE ? -1 : fsd_count_of(r, t);

        if (t != FSD_NONE && fsd_port_fits(r, port, t))
            return false;
        filled |= count > 0 && count < size && size < 2 * count;
    }
    return filled;
}

/* The output that holds a padded tensor; the layer's first output if there is none. */
static fsd_id filled_output(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];

    for (uint32_t i = 0; i < n->out.n; i++)
        if (is_filled(r, fsd_node_out(e, n, i)))
            return fsd_node_out_tensor(e, layer, i);
    return fsd_node_out_tensor(e, layer, 0);
}

/* Searches the nodes that `layer` computes.  Returns the node that reads the content of
 * the engine tensor `tensor`, directly or behind data movement; FSD_NONE if there is
 * none, FSD_SEVERAL if there are several. */
static fsd_id reader_in(const struct replay *r, fsd_id layer, fsd_id tensor)
{
    struct fsd_span held = fsd_held_by(r, tensor);
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < held.n; i++) {
        struct fsd_span readers =
            fsd_tensor_consumers(r->g, r->held.at[held.at + i].tensor);

        FSD_EACH_ID (node, r->g->links, readers) {
            for (int far = 0; far < 3 && node != FSD_NONE && r->nodes[node].passes;
                 far++)
                node = only_next(r, node);
            if (node != FSD_NONE && fsd_layer_of(r, node) == layer)
                found = fsd_id_both(found, node);
        }
    }
    return found;
}

/* Another kernel pads `in` to `out`, and the product kernel `by` reads `out`.  Returns
 * the node of `by` that reads the padded data.  This may be an operator behind the
 * product, such as an Add.  If the node is unknown, returns the product. */
static fsd_id filled_for(const struct replay *r, fsd_id by, fsd_id in, fsd_id out)
{
    fsd_id node = reader_in(r, by, out);

    if (node == FSD_NONE)
        node = reader_in(r, by, in);
    return fsd_id_or(fsd_id_only(node), r->layers[by].product);
}

/* Whether the model splits a tensor that `in` holds.  A kernel that cuts `in` then
 * computes a part of the Split. */
static bool is_shared_out(const struct replay *r, fsd_id in)
{
    FSD_EACH_OF (tensor, r->held, r->values[in].held, tensor)
        if (tensor != FSD_NONE && fsd_count_parts(r, tensor) > 1)
            return true;
    return false;
}

static bool names_product(const struct replay *r, const struct fsd_mention *mention)
{
    return fsd_names_node(r, mention) && fsd_is_product(r, mention->node);
}

/* Kernel `by` may compute several products as one, and pad their joined result.  If the
 * output of `layer` has the size of all products together, `layer` removes only this
 * padding, and is linked to each product.  If the output is smaller, `layer` takes a
 * part of the result, and is not linked here. */
static void link_joined(struct replay *r, fsd_id layer, fsd_id by)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    int64_t size = fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, 0)));
    const struct fsd_mention *mentions;
    uint32_t count;

    if (by == FSD_NONE || !fsd_joins_products(r, by))
        return;
    mentions = e->mentions.at + e->layers.at[by].mentions.at;
    count = e->layers.at[by].mentions.n;
    for (uint32_t i = 0; i < count; i++)
        if (names_product(r, &mentions[i]))
            size -= fsd_count_of(r, fsd_node_out_tensor(r->g, mentions[i].node, 0));
    for (uint32_t i = 0; i < count && !size; i++)
        if (names_product(r, &mentions[i]))
            fsd_match_link(r->m, layer, mentions[i].node, FSD_BY_STRUCTURE);
}

/* A kernel may compute a product with one row of data as a sum of scaled rows of the
 * weight.  It then needs the data as a column.  If `layer` ends with a Reshape to a
 * column for such a kernel, the Reshape is a part of the product, and `layer` is linked
 * to the product. */
static void link_column(struct replay *r, fsd_id layer, fsd_id out)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span steps = e->layers.at[layer].steps, readers;
    const struct fsd_form *form = fsd_tensor_form(e, out);
    fsd_id by;

    if (!steps.n || e->links.at[steps.at + steps.n - 1] != FSD_ONNX_Reshape ||
        form->dims.n != 2 || e->dims.at[form->dims.at + 1].size != 1)
        return;
    readers = fsd_tensor_consumers(e, out);
    by = readers.n == 1 ? e->links.at[readers.at] : FSD_NONE;
    if (by != FSD_NONE && fsd_layer_count(e, by, FSD_ONNX_Mul) &&
        fsd_layer_count(e, by, FSD_ONNX_ReduceSum) && fsd_has_product(r, by))
        fsd_match_link(r->m, layer, r->layers[by].product, FSD_BY_STRUCTURE);
}

/* The number of the layer's outputs that have the size of the tensor. */
static uint32_t count_outputs(const struct replay *r, fsd_id layer, fsd_id tensor)
{
    const struct fsd_node *n = &r->m->engine->nodes.at[layer];
    uint32_t found = 0;

    for (uint32_t i = 0; i < n->out.n; i++)
        found += fsd_port_fits(r, fsd_node_out(r->m->engine, n, i), tensor);
    return found;
}

static bool has_long_lowering(const struct replay *r, fsd_id node)
{
    struct fsd_span lowerings = r->lowerings->of[node];

    for (uint32_t i = 0; i < lowerings.n; i++)
        if (r->lowerings->all.at[lowerings.at + i].n > 1)
            return true;
    return false;
}

static bool begins_with(const struct replay *r, fsd_id node, fsd_sym step)
{
    struct fsd_span lowerings = r->lowerings->of[node];

    for (uint32_t i = 0; i < lowerings.n; i++)
        if (r->lowerings->all.at[lowerings.at + i].n > 1 &&
            r->lowerings->all.at[lowerings.at + i].steps[0] == step)
            return true;
    return false;
}

/* `layer` pads data that kernel `by` reads for `node`.  Links `layer` to `node`.  If
 * `node` is a Conv, also links `layer` to the activation behind it under three
 * conditions:
 *   - `by` also computes the activation, which is the only reader of the Conv.
 *   - `by` is a library kernel.  For such a kernel, the builder treats the Conv and the
 *     activation as one operator; in a generated kernel they are two.
 *   - `layer` has no Reshape step.  A Reshape shows that `layer` pads each group of
 *     channels, which the builder does before it fuses the activation. */
static void link_filled(struct replay *r, fsd_id layer, fsd_id by, fsd_id node)
{
    fsd_id next =
        fsd_node_is(r->g, node, FSD_ONNX_Conv) ? only_next(r, node) : FSD_NONE;

    fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
    if (next != FSD_NONE && fsd_layer_of(r, next) == by &&
        r->m->facts->traits[next] & FSD_OP_ACTIVATION &&
        r->m->engine->layers.at[by].more_steps != FSD_STEPS_ARE_ALL &&
        !fsd_layer_count(r->m->engine, layer, FSD_ONNX_Reshape))
        fsd_match_link(r->m, layer, next, FSD_BY_STRUCTURE);
}

/* For each tensor, a list of the consumers that a kernel computes in several steps. The
 * lists are kept, because other consumers of the tensor need the same list. */
struct wholes {
    struct fsd_span *of; /* indexed by tensor: its consumers, a span of `nodes` */
    bool *known;
    FSD_VEC(fsd_id) nodes;
};

static struct fsd_span find_wholes(struct replay *r, struct wholes *w, fsd_id in)
{
    struct fsd_span readers = fsd_tensor_consumers(r->g, in);

    if (in == FSD_NONE || w->known[in])
        return in == FSD_NONE ? (struct fsd_span){0} : w->of[in];
    w->known[in] = true;
    w->of[in].at = w->nodes.n;
    FSD_EACH_ID (node, r->g->links, readers)
        if (fsd_has_layer(r, node) && has_long_lowering(r, node))
            fsd_vec_push(r->scratch, &w->nodes, node);
    w->of[in].n = w->nodes.n - w->of[in].at;
    return w->of[in];
}

/* Links `node` to each kernel that computes it as the first of several steps of another
 * node.  Both nodes must read the same input, and the kernel must have an output for
 * each of the two nodes.  For example, `node` is a ReduceMax, and the other node is a
 * ReduceLogSumExp, whose first step is this maximum. */
static void link_first_step(struct replay *r, struct wholes *w, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(r->g, node, 0);
    struct fsd_span wholes = find_wholes(r, w, fsd_data_input(r, node));

    for (uint32_t i = 0; i < wholes.n && out != FSD_NONE; i++) {
        fsd_id whole = w->nodes.at[wholes.at + i], layer = fsd_layer_of(r, whole);
        fsd_id made = fsd_node_out_tensor(r->g, whole, 0);
        fsd_sym op = r->g->nodes.at[node].op;

        if (whole != node && made != FSD_NONE && begins_with(r, whole, op) &&
            fsd_layer_count(r->m->engine, layer, op) &&
            count_outputs(r, layer, out) >
                (fsd_count_of(r, made) == fsd_count_of(r, out) ? 1 : 0))
            fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
    }
}

static void link_first_steps(struct replay *r)
{
    struct wholes w = {.of = FSD_NEW(r->scratch, struct fsd_span, r->g->tensors.n),
                       .known = FSD_NEW(r->scratch, bool, r->g->tensors.n)};

    for (fsd_id i = 0; i < r->g->nodes.n; i++)
        if (!fsd_has_layer(r, i) && r->m->facts->live[i] && !r->m->facts->folded[i] &&
            !r->nodes[i].passes && fsd_has_data(r, i))
            link_first_step(r, &w, i);
}

/* A kernel may have a step that changes the size of data and belongs to no node.  Such
 * a step pads or cuts data for an adjacent product.  The kernel then computes a part of
 * this product. */
void fsd_commit_fitting(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;

    for (fsd_id i = 0; i < e->layers.n; i++) {
        fsd_id out = fsd_node_out_tensor(e, i, 0), in = fsd_node_in_tensor(e, i, 0);
        struct fsd_span beside = {0, 0};
        bool cuts = false;

        if (r->layers[i].moves_on && fsd_graph_tensor(e, out)->producers.n > 1)
            link_part(r, i, out);
        if (r->layers[i].moves_on && !e->nodes.at[i].in.n)
            link_clearing(r, i, fsd_tensor_consumers(e, out));
        if (r->layers[i].moves_on)
            link_attention(r, i, fsd_tensor_consumers(e, out));
        if (r->layers[i].pads)
            out = filled_output(r, i);
        if (r->layers[i].pads && fsd_graph_tensor(e, out)->producers.n == 1)
            beside = e->tensors.at[out].consumers;
        else if (r->layers[i].cuts && in != FSD_NONE && !is_shared_out(r, in)) {
            cuts = !cut_for(r, out);
            beside = cuts ? e->tensors.at[in].producers : e->tensors.at[out].consumers;
        }
        if (fsd_is_generated(r, i))
            link_column(r, i, out);
        if (fsd_layer_count(e, i, FSD_ONNX_Slice))
            link_joined(r, i, fsd_tensor_producer(e, in));
        for (uint32_t k = 0; k < beside.n; k++) {
            fsd_id by = e->links.at[beside.at + k], node = r->layers[by].product;

            if (node == FSD_NONE || fsd_joins_products(r, by))
                continue;
            if (cuts)
                link_cut(r, i, made_by(r, by, in));
            else if (r->layers[i].pads)
                link_filled(r, i, by, filled_for(r, by, in, out));
            else
                fsd_match_link(r->m, i, node, FSD_BY_STRUCTURE);
        }
    }
    link_first_steps(r);
    link_gelus(r);
    link_scalars(r);
}
