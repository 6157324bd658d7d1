/*
 * Determines the kinds of layers from their links.  A layer whose nodes are all Q or DQ
 * is a quantize layer, no matter whether it is a scale, a reformat or a generated
 * kernel.  A data-movement layer without nodes counts as inserted.
 *
 * A kernel that quantizes a network input may also pad its channels for the next
 * convolution.  The name of the kernel then contains the convolution, but the kernel
 * only computes the quantizer.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

/* Whether all steps of the layer are steps of a quantizer or data movement, and one of
 * them rounds. */
static bool has_quantizing_steps(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    bool rounds = false;

    FSD_EACH_ID (step, m->engine->links, l->steps) {
        if (step != FSD_ONNX_Mul && step != FSD_ONNX_Div && step != FSD_ONNX_Min &&
            step != FSD_ONNX_Max && step != FSD_ONNX_Round && !fsd_step_moves(step))
            return false;
        rounds |= step == FSD_ONNX_Round;
    }
    return rounds && l->more_steps == FSD_STEPS_ARE_ALL;
}

/* Whether the layer quantizes the input of the product `node` but does not multiply:
 * the layer has the steps of a quantizer, and another layer of `node` multiplies. */
static bool prepares(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    bool multiplied = false;

    if (!(m->facts->traits[node] & FSD_OP_WEIGHTED) || !has_quantizing_steps(m, layer))
        return false;
    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        multiplied |=
            m->engine->layers.at[fsd_match_of_node(m, node, i)->layer].multiplies;
    return multiplied;
}

/* Whether the layer computes at least one quantizer and nothing else.  A link to one of
 * these nodes does not count, because the layer does not compute the node:
 * - a Concat: a DQ of the layer writes its result into the Concat's output;
 * - a folded or eliminated node, such as a constant;
 * - a product, if the layer only quantizes its input, and may pad it (prepares()). */
static bool only_quantizes(const struct fsd_match *m, fsd_id layer)
{
    bool any = false;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        bool quantizes = m->facts->traits[node] & FSD_OP_QDQ;

        any |= quantizes;
        if (!quantizes && (!m->facts->folded[node] || m->runs[node]) &&
            !m->gone[node] && !fsd_node_is(m->model, node, FSD_ONNX_Concat) &&
            !prepares(m, layer, node))
            return false;
    }
    return any;
}

bool fsd_quantizes_as(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    unsigned traits = m->facts->traits[node];
    struct fsd_span in = m->engine->nodes.at[layer].in;

    if (!(traits & FSD_OP_QDQ))
        return !prepares(m, layer, node);
    if (!(traits & FSD_OP_DEQUANTIZE) || m->of_node[node].n < 2 ||
        !m->engine->layers.at[layer].steps.n)
        return true;
    for (uint32_t i = 0; i < in.n; i++)
        if (fsd_dtype_is_quantized(
                fsd_port_form(m->engine, &m->engine->ports.at[in.at + i])->type))
            return true;
    return false;
}

/* Whether all steps of the kernel are known and only move data.  An Expand and a
 * reversal count as data movement here; a Gather and a Cast do not. */
static bool only_moves(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];

    if (!l->steps.n || l->more_steps != FSD_STEPS_ARE_ALL || !m->of_layer[layer].n)
        return false;
    FSD_EACH_ID (step, m->engine->links, l->steps) {
        if (step != FSD_ONNX_ReverseSequence &&
            (!fsd_step_moves(step) || step == FSD_ONNX_Gather || step == FSD_ONNX_Cast))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ opaque regions */

/* Whether the name of a region lists all its nodes.  A name may contain only the first
 * and the last node. */
static bool lists_its_nodes(const struct fsd_match *m, const struct fsd_layer *l)
{
    bool any = false;

    FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions, l->mentions) {
        if (mention->role == FSD_MENTION_FIRST || mention->role == FSD_MENTION_LAST)
            return false;
        any |= mention->role == FSD_MENTION_COMPUTES && mention->by & FSD_BY_NAME;
    }
    return any;
}

/* Whether the contents of the layer are unknown.  All reports use the result, as
 * `opaque` of struct fsd_layer_result.  Even a layer with known nodes may be opaque: a
 * log may list the nodes of a region, but not its kernels. */
static bool is_opaque(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];

    return l->sealed ||
           (l->kind == FSD_KIND_FOREIGN && !l->metadata && !lists_its_nodes(m, l));
}

fsd_id fsd_opaque_layer_of(const struct fsd_match *m,
                           const struct fsd_layer_result *layers, fsd_id node)
{
    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (layers[layer].opaque)
            return layer;
    }
    return FSD_NONE;
}

/* ------------------------------------------------------------------ precision */

static enum fsd_dtype port_type(const struct fsd_match *m, struct fsd_span ports,
                                uint32_t i)
{
    return fsd_port_form(m->engine, &m->engine->ports.at[ports.at + i])->type;
}

/* The type with the highest precision among the ports.  If `highest` is false: the type
 * with the lowest precision. */
static enum fsd_dtype extreme(const struct fsd_match *m, struct fsd_span ports,
                              bool highest)
{
    enum fsd_dtype best = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < ports.n; i++) {
        enum fsd_dtype type = port_type(m, ports, i);
        int rank = fsd_dtype_rank(type), most = fsd_dtype_rank(best);

        if (rank && (!most || (highest ? rank > most : rank < most)))
            best = type;
    }
    return best;
}

static enum fsd_dtype first_known(const struct fsd_match *m, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++)
        if (port_type(m, ports, i) != FSD_DTYPE_UNKNOWN)
            return port_type(m, ports, i);
    return FSD_DTYPE_UNKNOWN;
}

/* The quantized type of `node`, a quantizer of weights: the output type of a Q, or the
 * input type of a DQ.  INT8 if the model does not state the type. */
static enum fsd_dtype quantizer_type(const struct fsd_match *m, fsd_id node)
{
    bool back = m->facts->traits[node] & FSD_OP_DEQUANTIZE;
    fsd_id tensor = back ? fsd_node_in_tensor(m->model, node, 0)
                         : fsd_node_out_tensor(m->model, node, 0);
    enum fsd_dtype type = fsd_tensor_form(m->model, tensor)->type;

    return fsd_dtype_is_quantized(type) ? type : FSD_INT8;
}

/* The quantized type in which the layer computes, if its name shows this type.  The
 * name must contain a quantizer of weights: "weight + QuantizeLinear_116 + Conv_118".
 * Builders fuse such a quantizer only into a kernel of this type.  Without a model, a
 * quantizer counts as a quantizer of weights if another name precedes it. */
static enum fsd_dtype named_weights(const struct fsd_match *m, fsd_id layer)
{
    struct fsd_span span = m->engine->layers.at[layer].mentions;
    enum fsd_dtype type = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < span.n; i++) {
        const struct fsd_mention *mention = &m->engine->mentions.at[span.at + i];
        unsigned traits = fsd_traits_of(m->facts, mention->node);

        if (!(mention->by & FSD_BY_NAME) || mention->role != FSD_MENTION_COMPUTES)
            continue;
        if (traits & FSD_OP_QDQ &&
            (m->model->named_only ? i > 0 : m->facts->folded[mention->node]))
            type = quantizer_type(m, mention->node);
        if (traits & FSD_OP_WEIGHTED && type != FSD_DTYPE_UNKNOWN)
            return type;
    }
    return FSD_DTYPE_UNKNOWN;
}

/* Whether all steps of the kernel are known and none of them is a product.  Such a
 * kernel computes in floats, even if it reads or writes quantized data. */
static bool multiplies_nothing(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];

    FSD_EACH_ID (step, m->engine->links, l->steps)
        if (fsd_step_traits(step) & FSD_OP_WEIGHTED)
            return false;
    return l->steps.n && l->more_steps == FSD_STEPS_ARE_ALL && !l->multiplies;
}

/* For a kernel without products: the float type of the highest precision among its
 * inputs or, if no input is a float, among its outputs.  FSD_DTYPE_UNKNOWN if the
 * kernel may have a product or has no float. */
static enum fsd_dtype type_of_floats(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    enum fsd_dtype in = extreme(m, n->in, true), out = extreme(m, n->out, true), type;

    if (!multiplies_nothing(m, layer))
        return FSD_DTYPE_UNKNOWN;
    type = fsd_dtype_rank(in) > fsd_dtype_rank(FSD_INT8) ? in : out;
    return fsd_dtype_rank(type) > fsd_dtype_rank(FSD_INT8) ? type : FSD_DTYPE_UNKNOWN;
}

/* For a layer that multiplies two constants: the quantized type of the first one.  The
 * engine does not list constants, so the type comes from the model: from the
 * DequantizeLinear before the first operand.  FSD_DTYPE_UNKNOWN if no product of the
 * layer has a DequantizeLinear before both operands. */
static enum fsd_dtype type_of_constants(const struct fsd_match *m, fsd_id layer)
{
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        fsd_id a = fsd_node_in_producer(m->model, node, 0),
               b = fsd_node_in_producer(m->model, node, 1);

        if (m->facts->traits[node] & FSD_OP_WEIGHTED && a != FSD_NONE &&
            b != FSD_NONE &&
            m->facts->traits[a] & m->facts->traits[b] & FSD_OP_DEQUANTIZE)
            return quantizer_type(m, a);
    }
    return FSD_DTYPE_UNKNOWN;
}

/* The precision in which the layer computes, which is the precision of its operands.
 * For example, an INT8 convolution that adds an FP16 residual computes in INT8.  A
 * data-movement layer has the precision of its output.  The precision of an opaque
 * region is unknown, because its inputs and outputs do not show the precision of its
 * kernels. */
static enum fsd_dtype precision(const struct fsd_match *m, fsd_id layer,
                                const struct fsd_layer_result *r)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    bool computes = fsd_kind_computes(r->kind);
    enum fsd_dtype type = FSD_DTYPE_UNKNOWN;

    if (r->opaque)
        return type;
    if (computes)
        type = type_of_floats(m, layer);
    if (type == FSD_DTYPE_UNKNOWN)
        type = computes ? extreme(m, n->in, false) : first_known(m, n->out);
    if (computes && !n->in.n && m->engine->layers.at[layer].multiplies)
        type = type_of_constants(m, layer);
    if (type == FSD_DTYPE_UNKNOWN)
        type = computes ? extreme(m, n->out, false) : first_known(m, n->in);
    if (type == FSD_DTYPE_UNKNOWN)
        type = first_known(m, n->out);
    if (type == FSD_DTYPE_UNKNOWN && computes)
        type = m->engine->layers.at[layer].computes_in;
    if (type == FSD_DTYPE_UNKNOWN && computes)
        type = named_weights(m, layer);
    if (computes && type == FSD_FP32 && m->engine->layers.at[layer].rounds_to)
        type = m->engine->layers.at[layer].rounds_to;
    return type;
}

/* Whether the kernel only changes the layout of another kernel's output.  The Metadata
 * of such a kernel lists the nodes of the other kernel. */
static bool forwards(const struct fsd_match *m, fsd_id layer)
{
    bool computes = false;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        bool view = m->facts->traits[node] & FSD_OP_VIEW;

        if (!view && (m->facts->traits[node] & FSD_OP_MOVES || m->of_node[node].n < 2))
            return false;
        computes |= !view;
    }
    return computes;
}

const struct fsd_layer_result *fsd_diff_layers(const struct fsd_match *m)
{
    struct fsd_layer_result *layers =
        FSD_NEW(m->arena, struct fsd_layer_result, m->engine->nodes.n);

    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        struct fsd_layer_result *r = &layers[i];
        const struct fsd_layer *l = &m->engine->layers.at[i];

        r->kind = l->kind;
        if ((l->kind == FSD_KIND_COMPUTE || l->kind == FSD_KIND_REFORMAT) &&
            l->may_quantize && only_quantizes(m, i))
            r->kind = FSD_KIND_QUANTIZE;
        else if (l->kind == FSD_KIND_COMPUTE && only_moves(m, i))
            r->kind = fsd_kind_of_move(m->engine, &m->engine->nodes.at[i]);
        r->inserted = (r->kind == FSD_KIND_REFORMAT || r->kind == FSD_KIND_COPY ||
                       r->kind == FSD_KIND_NOOP) &&
                      !l->of_network && !fsd_match_maps_layer(m, i);
        r->forwards = r->kind == FSD_KIND_REFORMAT && forwards(m, i);
        r->opaque = is_opaque(m, i);
        r->precision = precision(m, i, r);
    }
    return layers;
}
