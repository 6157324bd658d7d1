/*
 * Finds where the values of each tensor are. The output of a node is inside the node's
 * group if nothing outside of the group consumes it; otherwise a layer of the group
 * writes it.
 *
 * Whether a mark on a written tensor changes a fusion depends on the tensor's form. An
 * output of the network is row-major and has the model's sizes, unless the caller asks
 * for another format. If the layer writes another form, the builder adds a conversion:
 *
 *     library kernel    [Conv+Relu] -> hwc -> [Conv]      a layer of its own converts
 *     generated kernel  [Corr Silu] -> hwc -> [Corr Silu]     Silu moves into the
 *                                                             kernel that converts
 *
 * Corr is a convolution in a generated kernel. Silu moves because the builder generates
 * one kernel for pointwise work and the conversions beside it.
 */
#include "model/graph/graph.h"
#include "edit/mark/mark.h"

enum { FAR_STEPS = 64 }; /* maximum number of steps from tensor to tensor */

/* ------------------------------------------------------------------------- forms */

static bool is_row_major(const struct fsd_form *form)
{
    return form->layout.order == FSD_ORDER_LINEAR && form->layout.width <= 1 &&
           form->layout.pad <= 1;
}

/* Whether the form has the model's sizes of the tensor. A size that is unknown on one
 * side counts as equal. */
static bool has_sizes(const struct fsd_marks *m, const struct fsd_form *form,
                      fsd_id tensor)
{
    const struct fsd_shape *shape = &m->d->cost->sizes->shapes[tensor];
    int64_t number;

    if (!shape->ranked)
        return true;
    if (!form->ranked || form->dims.n != shape->rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t size = m->d->engine->dims.at[form->dims.at + i].size;

        if (size >= 0 &&
            fsd_amount_number(m->d->cost->amounts, shape->dims[i], &number) &&
            number != size)
            return false;
    }
    return true;
}

static bool is_as_output(const struct fsd_marks *m, fsd_id port, fsd_id tensor)
{
    const struct fsd_form *form =
        fsd_port_form(m->d->engine, &m->d->engine->ports.at[port]);

    return is_row_major(form) && has_sizes(m, form, tensor);
}

/* ------------------------------------------------------------- the port of a tensor */

static bool is_user(const struct fsd_marks *m, const struct fsd_users *users,
                    fsd_id layer)
{
    fsd_id of = m->state->of_layer[layer];

    return of & FSD_LAYER_MOVES || fsd_users_have(users, of);
}

/* How well the output of a layer at `port` matches the tensor, by consumers, name and
 * number of elements; 0: not at all. */
static int fits(const struct fsd_marks *m, const struct fsd_users *users, fsd_id tensor,
                fsd_id port)
{
    const struct fsd_graph *e = m->d->engine;
    fsd_id written = e->ports.at[port].tensor;
    struct fsd_span peers = fsd_port_peers(e, port, false);
    bool used = written != FSD_NONE && !peers.n;
    int64_t elements = fsd_form_count(e, fsd_port_form(e, &e->ports.at[port])), own;

    for (uint32_t i = 0; i < peers.n && !used; i++)
        used = is_user(m, users, e->links.at[peers.at + i]);
    if (!used)
        return 0;
    own = fsd_form_count(m->d->model, fsd_tensor_form(m->d->model, tensor));
    return 1 + 2 * (fsd_match_held(m->d->match, written) == tensor) +
           4 * (own >= 0 && elements == own);
}

/* Finds the layer and the port that write the tensor. If no port fits, sets only the
 * last layer of the node. */
static void find_port(const struct fsd_marks *m, const struct fsd_users *users,
                      fsd_id node, fsd_id tensor, struct fsd_tensor_place *p)
{
    const struct fsd_match *match = m->d->match;
    int best = 0;

    for (uint32_t i = 0; i < match->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(match, node, i)->layer;
        struct fsd_span out = m->d->engine->nodes.at[layer].out;

        if (m->state->of_layer[layer] != fsd_marks_owner(m, node))
            continue;
        if (!best)
            p->layer = layer;
        for (uint32_t k = 0; k < out.n; k++) {
            int fit = fits(m, users, tensor, out.at + k);

            if (fit < best || !fit)
                continue;
            best = fit;
            p->layer = layer;
            p->port = out.at + k;
        }
    }
}

/* ----------------------------------------------------------------------- written */

static bool has_conv(const struct fsd_graph *e, fsd_id layer)
{
    return fsd_layer_count(e, layer, FSD_ONNX_Conv) ||
           fsd_layer_count(e, layer, FSD_ONNX_ConvTranspose);
}

/* Whether the group has a Resize or a Concat. The builder may split off the nodes
 * before the Resize or Concat. */
static bool has_seam(const struct fsd_marks *m, fsd_id group)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);

        if (fsd_node_is(m->d->model, node, FSD_ONNX_Resize) ||
            fsd_node_is(m->d->model, node, FSD_ONNX_Concat))
            return true;
    }
    return false;
}

/* Whether the group has a product, and also a node that reads the tensor together with
 * a result of the group, such as the Add of a residual. If the builder converts the
 * tensor, this node may move into a kernel of its own. */
static bool reads_beside(const struct fsd_marks *m, fsd_id group, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    bool product = false, beside = false;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);
        bool reads = false, own = false;

        FSD_EACH_OF (in, g->ports, g->nodes.at[node].in, tensor) {
            reads |= in == tensor;
            own |= fsd_id_at(m->group_of, fsd_tensor_producer(g, in)) == group;
        }
        product |= fsd_node_is_product(m->d, node);
        beside |= reads && own;
    }
    return product && beside;
}

/* Whether the group is a single node whose result a global pooling reads. If the
 * builder adds a conversion between the node and the pooling, it fuses the node with
 * the pooling. */
static bool meets_pooling(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_users *users;

    if (m->kinds[group] != FSD_FUSION_NONE)
        return false;
    users = fsd_marks_users(m, fsd_node_out_tensor(g, fsd_marks_node(m, group, 0), 0));
    for (uint32_t i = 0; i < users->groups.n; i++)
        if (fsd_node_is(g, fsd_marks_node(m, users->groups.at[i], 0),
                        FSD_ONNX_GlobalAveragePool))
            return true;
    return false;
}

/* Whether a conversion of the tensor would change a generated kernel that reads the
 * tensor. It changes three kinds of kernels:
 * - a kernel that adds the tensor as a residual;
 * - a kernel before a pooling;
 * - a kernel that has a Resize or Concat, and whose output is not row-major. */
static bool reader_takes_part(const struct fsd_marks *m, fsd_id tensor, fsd_id port)
{
    const struct fsd_graph *e = m->d->engine;
    struct fsd_span peers = fsd_port_peers(e, port, false);

    for (uint32_t i = 0; i < peers.n; i++) {
        fsd_id layer = e->links.at[peers.at + i], of = m->state->of_layer[layer];
        const struct fsd_form *out = fsd_layer_form_out(e, layer);

        if (!(of & FSD_LAYER_MOVES) && fsd_layer_is_generated(e, layer) &&
            (reads_beside(m, of, tensor) || meets_pooling(m, of)))
            return true;
        if (!(of & FSD_LAYER_MOVES) && m->kinds[of] == FSD_FUSION_VERTICAL &&
            has_seam(m, of) && fsd_layer_is_generated(e, layer) && out &&
            !is_row_major(out))
            return true;
    }
    return false;
}

/* Whether only pointwise nodes, and then a Transpose, follow the tensor. */
static bool is_turned_behind(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    fsd_id node = fsd_tensor_only_reader(g, tensor);

    for (int far = 0; far < FAR_STEPS && node != FSD_NONE; far++) {
        if (fsd_node_is(g, node, FSD_ONNX_Transpose))
            return true;
        if (!(m->d->facts->traits[node] & FSD_OP_BARE))
            return false;
        node = fsd_tensor_only_reader(g, fsd_node_out_tensor(g, node, 0));
    }
    return false;
}

/* Whether a conversion of the node's output may divide the node's kernel, because the
 * builder fuses the conversion with a part of this kernel. True in two cases:
 * - The node is a normalization, which the builder may compute in two kernels.
 * - The kernel has several nodes (`fused`), and the node is not a Transpose. The output
 *   of a Transpose is converted in a kernel of its own. */
static bool takes_conversion(const struct fsd_marks *m, fsd_id node, bool fused)
{
    const struct fsd_graph *g = m->d->model;

    return fsd_node_is(g, node, FSD_ONNX_LayerNormalization) ||
           (fused && !fsd_node_is(g, node, FSD_ONNX_Transpose));
}

static enum fsd_place_why why_not_free(const struct fsd_marks *m,
                                       const struct fsd_users *users, fsd_id node,
                                       fsd_id tensor, const struct fsd_tensor_place *p)
{
    const struct fsd_graph *e = m->d->engine;
    fsd_id group = fsd_marks_owner(m, node);
    bool fused = m->kinds[group] != FSD_FUSION_NONE;

    if (users->loops ||
        (m->d->facts->traits[node] & (FSD_OP_CONTROL | FSD_OP_RECURRENT)))
        return FSD_WHY_LOOP;
    if (m->d->facts->traits[node] & FSD_OP_QUANTIZE)
        return FSD_WHY_QUANTIZED;
    if (m->kinds[group] == FSD_FUSION_HORIZONTAL && fsd_node_is_product(m->d, node))
        return FSD_WHY_JOINED;
    if (users->in_place)
        return FSD_WHY_IN_PLACE;
    /* The builder computes duplicate nodes once, and one kernel computes all products
     * that read the output of these nodes. If the tensor of a duplicate becomes an
     * output of the network, the builder computes this duplicate separately. */
    if (users->merged && users->joined)
        return FSD_WHY_SHARED;
    if (e->layers.at[p->layer].provider != FSD_PROVIDER_COMPILER)
        return FSD_WHY_NONE;
    if (fsd_node_is(m->d->model, node, FSD_ONNX_Concat))
        return FSD_WHY_CONCAT;
    if (is_turned_behind(m, tensor))
        return FSD_WHY_TURNED;
    if (fused && m->state->groups.at[group].layers > 1)
        return FSD_WHY_SPREAD;
    if (!fsd_layer_is_generated(e, p->layer))
        return p->port != FSD_NONE && !is_as_output(m, p->port, tensor) &&
                       reader_takes_part(m, tensor, p->port)
                   ? FSD_WHY_READER
                   : FSD_WHY_NONE;
    if (fused && has_conv(e, p->layer))
        return FSD_WHY_CONV;
    return takes_conversion(m, node, fused) &&
                   (p->port == FSD_NONE || !is_as_output(m, p->port, tensor))
               ? FSD_WHY_FORM
               : FSD_WHY_NONE;
}

/* ------------------------------------------------------------------------- places */

static struct fsd_tensor_place gone(enum fsd_place_why why, fsd_id holder)
{
    return (struct fsd_tensor_place){FSD_PLACE_GONE, (uint8_t)why, FSD_NONE, FSD_NONE,
                                     holder};
}

/* The node's first input that is no constant; FSD_NONE if there is none. */
static fsd_id data_of(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (t, g->ports, n->in, tensor)
        if (fsd_is_data(m->d->facts, t))
            return t;
    return FSD_NONE;
}

/* The place of the output of a node that is merged or belongs to no group. */
static struct fsd_tensor_place place_left(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_node_result *r = &m->d->nodes[node];
    fsd_id data = data_of(m, node);

    switch (r->fate) {
    case FSD_FATE_FOLDED:
        return gone(FSD_WHY_FOLDED, FSD_NONE);
    case FSD_FATE_ABSORBED:
        if (m->d->facts->size[node])
            return gone(FSD_WHY_SIZE, FSD_NONE);
        return gone(FSD_WHY_VIEW, data);
    case FSD_FATE_DEAD:
        return gone(FSD_WHY_DEAD, FSD_NONE);
    case FSD_FATE_MERGED:
        return gone(FSD_WHY_MERGED, fsd_node_out_tensor(m->d->model, r->other, 0));
    case FSD_FATE_IDENTITY:
        if (fsd_node_is(m->d->model, node, FSD_ONNX_Concat))
            return gone(FSD_WHY_PARTS, FSD_NONE);
        return gone(FSD_WHY_VIEW, data);
    case FSD_FATE_LAYER: /* the node is not a core node, but a view or a
                            quantizer */
        if (m->d->facts->traits[node] & FSD_OP_QUANTIZE)
            return (struct fsd_tensor_place){
                FSD_PLACE_WRITTEN, FSD_WHY_QUANTIZED,
                fsd_match_of_node(m->d->match, node, 0)->layer, FSD_NONE, FSD_NONE};
        return gone(FSD_WHY_VIEW, data);
    case FSD_FATE_OUTSIDE: /* the framework computes the node outside of all engines */
    case FSD_FATE_UNEXPLAINED:
    case FSD__FATE_COUNT:
        break;
    }
    return (struct fsd_tensor_place){FSD_PLACE_UNKNOWN, FSD_WHY_NO_LAYER, FSD_NONE,
                                     FSD_NONE, FSD_NONE};
}

static bool is_opaque(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_group *g = &m->state->groups.at[group];

    return g->kind == FSD_KIND_FOREIGN || g->loose;
}

static struct fsd_tensor_place place_computed(const struct fsd_marks *m, fsd_id node,
                                              fsd_id tensor)
{
    const struct fsd_users *users = fsd_marks_users(m, tensor);
    fsd_id group = fsd_marks_owner(m, node);
    bool leaves = users->outside || users->in_place;
    struct fsd_tensor_place p = {
        .layer = m->layer_of[group], .port = FSD_NONE, .holder = FSD_NONE};

    leaves |= users->groups.n > fsd_users_have(users, group);
    find_port(m, users, node, tensor, &p);
    if (!leaves) {
        p.port = FSD_NONE;
        p.place = FSD_PLACE_INSIDE;
        p.why = is_opaque(m, group) ? FSD_WHY_OPAQUE : FSD_WHY_NONE;
        return p;
    }
    if (m->d->model->tensors.at[tensor].flags & FSD_TENSOR_OUTPUT) {
        p.why = FSD_WHY_OUTPUT;
        return p;
    }
    p.why = is_opaque(m, group) ? FSD_WHY_OPAQUE
                                : (uint8_t)why_not_free(m, users, node, tensor, &p);
    p.place = p.why == FSD_WHY_NONE ? FSD_PLACE_BETWEEN : FSD_PLACE_WRITTEN;
    return p;
}

static struct fsd_tensor_place place_of(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_tensor *t = &m->d->model->tensors.at[tensor];
    const struct fsd_facts *f = m->d->facts;
    fsd_id node = fsd_tensor_producer(m->d->model, tensor);

    if (f->constant[tensor])
        return gone(FSD_WHY_FOLDED, FSD_NONE);
    if (node == FSD_NONE)
        return (struct fsd_tensor_place){
            t->scope ? FSD_PLACE_INSIDE : FSD_PLACE_BETWEEN,
            t->scope ? FSD_WHY_BODY : FSD_WHY_INPUT, FSD_NONE, FSD_NONE, FSD_NONE};
    if (f->traits[node] & FSD_OP_DEQUANTIZE)
        return gone(FSD_WHY_SCALED, fsd_node_in_tensor(m->d->model, node, 0));
    if (m->d->nodes[node].fate != FSD_FATE_MERGED &&
        fsd_marks_owner(m, node) != FSD_NONE) {
        struct fsd_tensor_place p = place_computed(m, node, tensor);

        if (t->scope) {
            p.place = FSD_PLACE_INSIDE;
            p.why = FSD_WHY_BODY;
        }
        return p;
    }
    return place_left(m, node);
}

/* Follows the field `holder` from tensor to tensor, and returns the last tensor. In a
 * damaged model the tensors may form a cycle, so the number of steps is limited. */
static fsd_id holder_of(const struct fsd_marks *m, fsd_id tensor)
{
    fsd_id holder = m->places[tensor].holder;

    for (int far = 0; far < FAR_STEPS && holder != FSD_NONE; far++) {
        if (m->places[holder].place != FSD_PLACE_GONE ||
            m->places[holder].holder == FSD_NONE)
            return holder;
        holder = m->places[holder].holder;
    }
    return holder;
}

/* ----------------------------------------------------------------------- together */

/* Whether `layer` is a generated kernel, and a tensor in `converted` is
 * - one of its outputs, if `layer` reads the tensor to mark (`reads`);
 * - one of its inputs, if `layer` writes the tensor to mark. */
static bool is_converted_beside(const struct fsd_marks *m, const bool *converted,
                                fsd_id layer, bool reads)
{
    const struct fsd_graph *e = m->d->engine;
    struct fsd_span ports = reads ? e->nodes.at[layer].out : e->nodes.at[layer].in;
    bool beside = false;

    for (uint32_t i = 0; i < ports.n && fsd_layer_is_generated(e, layer); i++) {
        fsd_id tensor = e->ports.at[ports.at + i].tensor;

        beside |= tensor != FSD_NONE && converted[tensor];
    }
    return beside;
}

/* Whether the tensor can be marked together with the converted tensors. A conversion on
 * one side of a generated kernel does not change the kernel. If there are conversions
 * on both sides, the builder may fuse the kernel with them. */
static bool goes_together(const struct fsd_marks *m, const bool *converted, fsd_id port,
                          fsd_id layer)
{
    const struct fsd_graph *e = m->d->engine;
    struct fsd_span readers = fsd_port_peers(e, port, false);
    bool goes = !is_converted_beside(m, converted, layer, false);

    for (uint32_t i = 0; i < readers.n && goes; i++)
        goes = !is_converted_beside(m, converted, e->links.at[readers.at + i], true);
    return goes;
}

static void add_together(struct fsd_marks *m)
{
    FSD_SCRATCH(scratch);
    bool *converted = FSD_NEW(scratch, bool, m->d->engine->tensors.n);

    for (fsd_id i = 0; i < m->d->model->tensors.n; i++) {
        struct fsd_tensor_place *p = &m->places[i];
        fsd_id written;

        if (!fsd_tensor_is_free(m, i))
            continue;
        p->together = true;
        if (p->port == FSD_NONE || is_as_output(m, p->port, i))
            continue;
        written = m->d->engine->ports.at[p->port].tensor;
        p->together = goes_together(m, converted, p->port, p->layer);
        if (p->together && written != FSD_NONE)
            converted[written] = true;
    }
}

void fsd_marks_add_places(struct fsd_marks *m)
{
    m->places = FSD_NEW(m->arena, struct fsd_tensor_place, m->d->model->tensors.n);
    for (fsd_id i = 0; i < m->d->model->tensors.n; i++)
        m->places[i] = place_of(m, i);
    for (fsd_id i = 0; i < m->d->model->tensors.n; i++)
        m->places[i].holder = holder_of(m, i);
    add_together(m);
}
