/*
 * Links the kernel to the nodes of the accepted candidate, and to the nodes before them
 * that need no step.
 */
#include "base/base.h"
#include "match/kernel/replay.h"

/* Whether one of the kernel's constants has as many elements as a constant that the
 * node reads. */
static bool lists_constant(const struct replay *r, fsd_id node)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span constants = e->layers.at[r->layer].constants;

    FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].in, tensor)
        for (uint32_t k = 0;
             k < constants.n && t != FSD_NONE && fsd_stays_constant(r, t); k++)
            if (fsd_form_count(e, fsd_port_form(e, &e->ports.at[constants.at + k])) ==
                fsd_count_of(r, t))
                return true;
    return false;
}

/* Whether the product has no weights, because both operands are computed at run
 * time. */
static bool multiplies_data(const struct replay *r, fsd_id product)
{
    fsd_id weight = fsd_node_in_tensor(r->g, product, 1);

    return weight != FSD_NONE && !fsd_stays_constant(r, weight);
}

/* Whether the kernel may have absorbed the scaling `by`, which is before `product`.
 * True if the kernel is anchored, if the product has weights (the builder can merge the
 * scaling into them), or if the kernel has a factor (fsd_layer.factor).
 *
 * If the dump does not state whether there is a factor, the result is usually true.
 * Exception: the dump lists the kernel's constants, and `by` is behind another product.
 * The builder then merged the scaling into the weights of that product. */
static bool takes_factor(const struct replay *r, fsd_id product, fsd_id by)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];

    if (r->now.anchored || !multiplies_data(r, product) ||
        l->factor == FSD_FACTOR_GIVEN)
        return true;
    return l->factor == FSD_FACTOR_NOT_TOLD &&
           !(l->lists_constants && fsd_behind_product(r, by));
}

/* Whether the node multiplies or divides.  The builder can merge such a factor into
 * weights, but cannot merge an added bias into them. */
static bool is_factor(const struct replay *r, fsd_id node)
{
    return fsd_node_is(r->g, node, FSD_ONNX_Mul) ||
           fsd_node_is(r->g, node, FSD_ONNX_Div);
}

/* The layer that absorbed `by`, a scaling before `node` that needs no step; FSD_NONE if
 * the layer is unknown.  The first case that holds decides:
 *   - `by` is a factor and `node` is a product, or the current layer's name was cut and
 *     the layer lists the constant of `by`: the current layer if takes_factor() is
 *     true, else FSD_NONE.
 *   - No node computes the input of `by`: the current layer.
 *   - The layer that computes this input has no product, and `by` is a factor before a
 *     product of the candidate (`for_product`): the current layer.
 *   - Otherwise: the layer that computes this input. */
static fsd_id folded_into(const struct replay *r, const struct candidate *w,
                          fsd_id node, fsd_id by, bool for_product)
{
    bool factor = is_factor(r, by);
    fsd_id in = fsd_data_input(r, by), layer = r->layer;
    fsd_id data = fsd_tensor_producer(r->g, in);

    if ((factor && fsd_is_product(r, node)) ||
        (r->m->engine->layers.at[r->layer].more_steps == FSD_STEPS_LACK_SOME &&
         lists_constant(r, by)))
        return takes_factor(r, node, by) ? r->layer : FSD_NONE;
    if (data != FSD_NONE && !fsd_candidate_took(w, data))
        layer = r->nodes[data].layer;
    return factor && for_product && layer != FSD_NONE && !fsd_has_product(r, layer)
               ? r->layer
               : layer;
}

/* Links nodes before `node` that have no layer:
 *   - A node that a library kernel may compute in its epilogue: to that kernel
 *     (`epilogue_of`).
 *   - A scaling that needs no step: to the layer that absorbed it (folded_into()).
 *   - A Q or DQ directly before a product: to the current layer, unless this layer is
 *     an anchor. */
static void link_passed(struct replay *r, const struct candidate *w, fsd_id node,
                        int far, bool for_product)
{
    const struct fsd_node *n = &r->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n && far; i++) {
        fsd_id t = fsd_node_in(r->g, n, i)->tensor;
        fsd_id by = fsd_tensor_producer(r->g, t);
        fsd_id layer = r->layer;

        by = fsd_last_duplicate(r, by);
        if (by == FSD_NONE || !(r->nodes[by].passes || fsd_is_epilogue(r, by)) ||
            fsd_has_layer(r, by) ||
            (r->nodes[by].reserved != FSD_NONE && r->nodes[by].reserved != r->layer))
            continue;
        link_passed(r, w, by, far - 1, for_product);
        if (fsd_is_epilogue(r, by))
            layer = r->nodes[by].epilogue_of;
        else if (r->nodes[by].folds)
            layer = folded_into(r, w, node, by, for_product);
        else if (r->now.anchored || !(r->m->facts->traits[by] & FSD_OP_QDQ) ||
                 !fsd_is_product(r, node))
            continue;
        r->m->in_weights[by] = layer == FSD_NONE && is_factor(r, by) &&
                               fsd_is_generated(r, r->layer) &&
                               fsd_behind_product(r, by);
        if (layer == FSD_NONE)
            continue;
        r->nodes[by].layer = layer;
        fsd_match_link(r->m, layer, by, FSD_BY_STRUCTURE);
    }
}

void fsd_commit_between(struct replay *r, const struct candidate *w)
{
    r->now.anchored = true;
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (fsd_is_product(r, w->taken[i]))
            link_passed(r, w, w->taken[i], 6, true);
    r->now.anchored = false;
}

/* Whether the steps of the kernel show that the kernel computes `node`.  Conditions:
 *   - The kernel has a step of the node's operator.
 *   - No taken node has this operator.
 *   - Taken nodes produce all data that `node` reads. */
static bool is_listed(const struct replay *r, const struct candidate *w, fsd_id node)
{
    bool listed = fsd_layer_count(r->m->engine, r->layer, r->g->nodes.at[node].op);

    for (uint32_t i = 0; i < w->n_taken && listed; i++)
        listed = r->g->nodes.at[w->taken[i]].op != r->g->nodes.at[node].op;
    for (uint32_t i = 0; i < r->g->nodes.at[node].in.n && listed; i++) {
        fsd_id t = fsd_data_in(r, node, i);
        fsd_id by = fsd_tensor_producer(r->g, t);

        listed = t == FSD_NONE || fsd_candidate_took(w, by);
    }
    return listed;
}

/* Links nodes behind the taken nodes, if the kernel's name has steps for these nodes.
 * This is needed because Metadata does not list the nodes that the builder fused into a
 * product. */
void fsd_commit_behind(struct replay *r, struct candidate *w)
{
    for (uint32_t i = 0; i < w->n_taken; i++) {
        fsd_id out = fsd_node_out_tensor(r->g, w->taken[i], 0);
        struct fsd_span readers = fsd_tensor_consumers(r->g, out);

        for (uint32_t k = 0; k < readers.n && w->n_taken < TAKEN; k++) {
            fsd_id node = r->g->links.at[readers.at + k];

            if (r->nodes[node].passes || fsd_has_layer(r, node) ||
                !is_listed(r, w, node))
                continue;
            r->nodes[node].layer = r->layer;
            w->taken[w->n_taken++] = node;
            fsd_match_link(r->m, r->layer, node, FSD_BY_STRUCTURE);
        }
    }
}

/* Marks the activations behind the tensor, which a library kernel may compute in its
 * epilogue. */
static void mark_epilogue(struct replay *r, fsd_id tensor, int far)
{
    const struct fsd_tensor *t = &r->g->tensors.at[tensor];

    FSD_EACH_ID (node, r->g->links, t->consumers) {
        fsd_id out = fsd_node_out_tensor(r->g, node, 0);

        if (fsd_has_layer(r, node) || out == FSD_NONE || !fsd_has_data(r, node))
            continue;
        if (!r->nodes[node].passes) {
            if (!(r->m->facts->traits[node] & FSD_OP_ACTIVATION))
                continue;
            r->nodes[node].epilogue_of = r->layer;
            fsd_goes_on_by(r, node);
        }
        /* A Q is the last node of a library kernel's epilogue. */
        if (far && !(r->m->facts->traits[node] & FSD_OP_QUANTIZE))
            mark_epilogue(r, out, far - 1);
    }
}

/* One kernel begins `node`, and the next kernel finishes it.  Returns whether the next
 * kernel only applies the scale of the quantizers.  This is so for a Conv without a
 * bias: the next kernel's Metadata does not list it.  That Metadata does list a MatMul,
 * and a Conv with a bias. */
static bool only_scales(const struct replay *r, fsd_id node)
{
    return fsd_node_is(r->g, node, FSD_ONNX_Conv) && r->g->nodes.at[node].in.n < 3;
}

/* Links the nodes that this kernel finishes to the earlier kernels that began them. The
 * nodes that this kernel begins and does not finish are only recorded in r->begun. They
 * are linked when a later kernel finishes them: the first step alone does not identify
 * a node, because many nodes may begin with the same step. */
static void link_begun(struct replay *r, const struct candidate *w)
{
    for (uint32_t i = 0; i < w->n_taken; i++)
        for (uint32_t k = 0; k < r->begun.n && w->ended[i]; k++)
            if (r->begun.at[k].node == w->taken[i])
                fsd_match_link(r->m, r->begun.at[k].layer, w->taken[i],
                               FSD_BY_STRUCTURE);
    for (uint32_t i = 0; i < w->n_open; i++)
        if (!w->open[i].idle)
            fsd_vec_push(r->scratch, &r->begun,
                         (struct fsd_link){.layer = r->layer, .node = w->open[i].node});
}

/* If a kernel without inputs produces the product's weight, links this kernel to the DQ
 * of the weight.  The builder may leave this DQ to run time, because the weight needs
 * less memory as integers. */
static void link_weight(struct replay *r, fsd_id product)
{
    const struct fsd_graph *e = r->m->engine;
    fsd_id weight = fsd_node_in_tensor(r->g, product, 1);
    fsd_id dq = fsd_tensor_producer(r->g, weight);

    if (!(fsd_traits_of(r->m->facts, dq) & FSD_OP_DEQUANTIZE))
        return;
    for (uint32_t i = 0; i < e->nodes.at[r->layer].in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, &e->nodes.at[r->layer], i);
        fsd_id by = fsd_tensor_producer(e, port->tensor);

        if (by == FSD_NONE || e->nodes.at[by].in.n ||
            fsd_form_count(e, fsd_port_form(e, port)) != fsd_count_of(r, weight))
            continue;
        r->nodes[dq].layer = by;
        fsd_match_link(r->m, by, dq, FSD_BY_STRUCTURE);
    }
}

static void note_norm(struct replay *r, fsd_id node)
{
    if (fsd_node_is(r->g, node, FSD_ONNX_InstanceNormalization) ||
        fsd_node_is(r->g, node, FSD_ONNX_GroupNormalization))
        r->layers[r->layer].norm = node;
}

static fsd_id behind_concat(const void *of, fsd_id node)
{
    const struct replay *r = of;

    return fsd_node_is(r->g, node, FSD_ONNX_Concat) ? FSD_NONE
                                                    : fsd_before_passing(r, node);
}

/* Whether a node of the candidate reads the output of a Concat that the candidate did
 * not take.  Nodes that need no step may be in between.  A Concat step of the kernel
 * then belongs to this Concat, and does not pad data for a product. */
static bool passed_concat(const struct replay *r, const struct candidate *w)
{
    for (uint32_t i = 0; i < w->n_taken; i++)
        for (uint32_t k = 0; k < r->g->nodes.at[w->taken[i]].in.n; k++) {
            fsd_id t = fsd_walk_back(r->g, fsd_node_in_tensor(r->g, w->taken[i], k),
                                     behind_concat, r);
            fsd_id by = fsd_tensor_producer(r->g, t);

            if (fsd_node_is(r->g, by, FSD_ONNX_Concat) && !fsd_candidate_took(w, by))
                return true;
        }
    return false;
}

static fsd_id producer_of_held(const struct replay *r, struct held h)
{
    return fsd_tensor_producer(r->g, h.tensor);
}

/* A product kernel writes a matrix with two axes.  The current kernel may read this
 * matrix, and begin with a Reshape to the axes of the model.  If no taken node explains
 * the Reshape, links the current kernel to the last node of the product kernel, because
 * the builder's Metadata assigns the Reshape to that node. */
static void link_reshaped(struct replay *r, const struct candidate *w)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    struct fsd_span steps = e->layers.at[r->layer].steps;

    if (!steps.n || e->links.at[steps.at] != FSD_ONNX_Reshape)
        return;
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (r->m->facts->traits[w->taken[i]] & FSD_OP_VIEW)
            return;
    for (uint32_t i = 0; i < n->in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, n, i);
        fsd_id by = fsd_tensor_producer(e, port->tensor);
        fsd_id node;

        if (by == FSD_NONE || !fsd_has_product(r, by) ||
            r->values[port->tensor].held.n != 1 || fsd_port_form(e, port)->dims.n != 2)
            continue;
        node = producer_of_held(r, r->held.at[r->values[port->tensor].held.at]);
        if (fsd_layer_of(r, node) == by && !fsd_is_product(r, node) &&
            fsd_shape_of(r->sizes, fsd_node_out_tensor(r->g, node, 0))->rank > 2)
            fsd_match_link(r->m, r->layer, node, FSD_BY_STRUCTURE);
    }
}

/* Links the kernel to the nodes that expand a constant, because the kernel reads the
 * constant before the expansion. */
static void link_spread(struct replay *r, fsd_id node, int far)
{
    for (uint32_t i = 0; i < r->g->nodes.at[node].in.n && far; i++) {
        fsd_id t = fsd_node_in_tensor(r->g, node, i);
        fsd_id by = t == FSD_NONE || !r->tensors[t].spread
                        ? FSD_NONE
                        : fsd_tensor_producer(r->g, t);

        if (by == FSD_NONE || fsd_has_layer(r, by) || r->m->gone[by])
            continue;
        r->nodes[by].layer = r->layer;
        fsd_match_link(r->m, r->layer, by, FSD_BY_STRUCTURE);
        link_spread(r, by, far - 1);
    }
}

/* Whether the node is a factor that the builder merges into the scale of a Q behind
 * it. */
static bool goes_into_scale(const struct replay *r, fsd_id node)
{
    fsd_id next = fsd_tensor_only_reader(r->g, fsd_node_out_tensor(r->g, node, 0));

    for (int far = 0; far < FAR && next != FSD_NONE && r->nodes[next].passes &&
                      !(r->m->facts->traits[next] & FSD_OP_QUANTIZE);
         far++)
        next = fsd_tensor_only_reader(r->g, fsd_node_out_tensor(r->g, next, 0));
    return is_factor(r, node) && fsd_data_input(r, node) != FSD_NONE &&
           fsd_traits_of(r->m->facts, next) & FSD_OP_QUANTIZE;
}

/* Whether a path leads back from the tensor, through nodes without a layer, to a node
 * of the kernel.  Links the nodes on such a path. */
static bool link_enclosed(struct replay *r, const struct candidate *w, fsd_id tensor,
                          int far)
{
    fsd_id node = fsd_tensor_producer(r->g, tensor);
    bool reaches = false;

    if (node == FSD_NONE || !far || r->m->facts->traits[node] & FSD_OP_SHAPE)
        return false;
    if (fsd_candidate_took(w, node) || fsd_layer_of(r, node) == r->layer)
        return true;
    if (fsd_has_layer(r, node) || fsd_is_product(r, node) ||
        r->nodes[node].visited == r->n_visits)
        return false;
    r->nodes[node].visited = r->n_visits;
    for (uint32_t i = 0; i < r->g->nodes.at[node].in.n; i++)
        reaches |= link_enclosed(r, w, fsd_data_in(r, node, i), far - 1);
    if (reaches && !r->m->gone[node] && !r->nodes[node].passes &&
        !goes_into_scale(r, node)) {
        r->nodes[node].layer = r->layer;
        fsd_match_link(r->m, r->layer, node, FSD_BY_STRUCTURE);
    }
    return reaches;
}

/* Links the nodes between the taken nodes of a kernel whose name was cut.  No other
 * kernel can compute them, because a kernel runs as a whole. */
static void link_all_enclosed(struct replay *r, const struct candidate *w)
{
    for (uint32_t i = 0; i < w->n_taken; i++) {
        r->n_visits++;
        for (uint32_t k = 0; k < r->g->nodes.at[w->taken[i]].in.n; k++)
            link_enclosed(r, w, fsd_data_in(r, w->taken[i], k), FAR);
    }
}

void fsd_commit(struct replay *r, const struct candidate *w)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    fsd_id made[AVAILABLE];
    uint32_t n = fsd_candidate_makes(r, w, made);

    r->layers[r->layer].pads = w->pads && !passed_concat(r, w);
    r->layers[r->layer].joined = w->joined;
    r->layers[r->layer].cuts = w->cuts;
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (fsd_node_is(r->g, w->taken[i], FSD_ONNX_Attention))
            r->layers[r->layer].attention = w->taken[i];
    for (uint32_t i = 0; i < w->n_taken; i++)
        note_norm(r, w->taken[i]);
    r->layers[r->layer].moves_on = !w->n_taken && l->kind != FSD_KIND_COMPUTE;
    for (uint32_t i = 0; i < w->n_taken; i++) {
        if (fsd_is_product(r, w->taken[i])) {
            r->layers[r->layer].product = w->taken[i];
            link_weight(r, w->taken[i]);
        }
        r->nodes[w->taken[i]].layer = fsd_id_or(r->nodes[w->taken[i]].layer, r->layer);
        if (!w->ended[i] || !only_scales(r, w->taken[i]))
            fsd_match_link(r->m, r->layer, w->taken[i], FSD_BY_STRUCTURE);
    }
    link_begun(r, w);
    if (l->more_steps == FSD_STEPS_LACK_SOME)
        link_all_enclosed(r, w);
    link_reshaped(r, w);
    for (uint32_t i = 0; i < n && fsd_has_product(r, r->layer); i++)
        mark_epilogue(r, made[i], 2);
    for (uint32_t i = 0; i < w->n_taken; i++)
        link_passed(r, w, w->taken[i], 6, fsd_is_product(r, w->taken[i]));
    for (uint32_t i = 0; i < w->n_taken; i++)
        link_spread(r, w->taken[i], FAR);
}

/* ------------------------------------------------------------------ in the end */

/* Makes a region of kernels and nodes, because it is unknown which of the kernels
 * computes which of the nodes.  Each kernel states in `unsaid` how many of the nodes it
 * computes.  If the sum of these numbers is not the number of nodes, makes no region.
 * @param layers sorted; layers[i].node is the index of a kernel
 * @param nodes sorted; a node that occurs twice counts once, and a node with a layer is
 *        left out */
static void add_region(struct replay *r, const struct fsd_link *layers, uint32_t n,
                       const struct fsd_link *nodes, uint32_t n_nodes)
{
    struct fsd_match *m = r->m;
    struct fsd_region region = {
        {m->pool.n, n}, {m->pool.n + n, 0}, FSD_BY_STRUCTURE, true};
    uint32_t unsaid = 0;

    for (uint32_t i = 0; i < n; i++) {
        fsd_vec_push(m->arena, &m->pool, layers[i].node);
        unsaid += r->layers[layers[i].node].unsaid;
    }
    for (uint32_t i = 0; i < n_nodes; i++)
        if ((!i || nodes[i].node != nodes[i - 1].node) &&
            !fsd_has_layer(r, nodes[i].node)) {
            fsd_vec_push(m->arena, &m->pool, nodes[i].node);
            region.nodes.n++;
        }
    if (n < 2 || region.nodes.n != unsaid)
        return;
    for (uint32_t i = 0; i < n; i++)
        m->region_of_layer[layers[i].node] = m->regions.n;
    for (uint32_t i = 0; i < region.nodes.n; i++)
        m->region_of_node[m->pool.at[region.nodes.at + i]] = m->regions.n;
    fsd_vec_push(m->arena, &m->regions, region);
}

void fsd_commit_regions(struct replay *r)
{
    uint32_t layers = r->m->engine->layers.n, to_layer, to_node, node = 0;
    fsd_id *set = fsd_sets_new(r->scratch, layers);
    fsd_id *first = FSD_NEW(r->scratch, fsd_id, r->g->nodes.n); /* indexed by node: a
                                                                   layer that may
                                                                   compute the node,
                                                                   plus 1; 0 if there is
                                                                   none */
    FSD_VEC(struct fsd_link) kernels = {0};

    for (uint32_t i = 0; i < r->tied.n; i++) {
        struct fsd_link tied = r->tied.at[i];

        if (first[tied.node])
            fsd_sets_join(set, tied.layer, first[tied.node] - 1);
        first[tied.node] = tied.layer + 1;
    }
    for (fsd_id i = 0; i < layers; i++)
        if (r->layers[i].unsaid)
            fsd_vec_push(r->scratch, &kernels,
                         (struct fsd_link){fsd_sets_find(set, i), i, 0});
    for (uint32_t i = 0; i < r->tied.n; i++)
        r->tied.at[i].layer = fsd_sets_find(set, r->tied.at[i].layer);
    if (kernels.n) {
        fsd_vec_sort(&kernels, fsd_by_pair);
        fsd_vec_sort(&r->tied, fsd_by_pair);
    }
    for (uint32_t at = 0; at < kernels.n; at = to_layer, node = to_node) {
        fsd_id of = kernels.at[at].layer;

        for (to_layer = at; to_layer < kernels.n && kernels.at[to_layer].layer == of;)
            to_layer++;
        for (to_node = node; to_node < r->tied.n && r->tied.at[to_node].layer == of;)
            to_node++;
        add_region(r, &kernels.at[at], to_layer - at, &r->tied.at[node],
                   to_node - node);
    }
}
