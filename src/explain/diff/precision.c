/*
 * The requested precision is the precision that the model specifies for a node.  For a
 * node between quantizers, it is the quantized type.  A node with weights is between
 * quantizers if its data and its weights come from a DQ.  Any other node is between
 * quantizers if its data comes from a DQ, and only Q read its output.  For all other
 * nodes, it is the type of the node's tensors in the model.
 *
 * The realised precision of a node is the type in which the node's layer computes the
 * node (computed.c).  If several layers compute the node in different types, the type
 * with the highest precision counts.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

/* Looks back through the nodes between a DQ and its consumer.  For example, weights may
 * be quantized in blocks in their stored order, and transposed behind the DQ. */
static fsd_id before_turn(const void *of, fsd_id node)
{
    const struct fsd_match *m = of;

    return m->facts->traits[node] & (FSD_OP_VIEW | FSD_OP_CASTS) ||
                   fsd_node_is(m->model, node, FSD_ONNX_Transpose)
               ? fsd_node_in_tensor(m->model, node, 0)
               : FSD_NONE;
}

/* The producer of a tensor, looking through nodes that only reshape, transpose or
 * cast. */
static fsd_id producer(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_tensor_producer(m->model,
                               fsd_walk_back(m->model, tensor, before_turn, m));
}

static enum fsd_dtype before_dq(const struct fsd_match *m, fsd_id tensor)
{
    fsd_id dq = producer(m, tensor);
    fsd_id in, q;
    enum fsd_dtype type;

    if (!(fsd_traits_of(m->facts, dq) & FSD_OP_DEQUANTIZE))
        return FSD_DTYPE_UNKNOWN;
    in = fsd_node_in_tensor(m->model, dq, 0);
    type = fsd_tensor_form(m->model, in)->type;
    if (type != FSD_DTYPE_UNKNOWN || in == FSD_NONE)
        return type;
    /* The model does not state the type of the DQ's input.  If this input is the output
     * of a QuantizeLinear, its type counts as INT8. */
    q = fsd_tensor_producer(m->model, in);
    return fsd_traits_of(m->facts, q) & FSD_OP_QUANTIZE ? FSD_INT8 : FSD_DTYPE_UNKNOWN;
}

static bool all_readers_quantize(const struct fsd_match *m, fsd_id tensor)
{
    struct fsd_span readers = fsd_tensor_consumers(m->model, tensor);

    FSD_EACH_ID (reader, m->model->links, readers)
        if (!(m->facts->traits[reader] & FSD_OP_QUANTIZE))
            return false;
    return readers.n > 0;
}

static enum fsd_dtype quantized_request(const struct fsd_match *m, fsd_id node)
{
    fsd_id in = fsd_node_in_tensor(m->model, node, 0);
    fsd_id out = fsd_node_out_tensor(m->model, node, 0);
    enum fsd_dtype type = before_dq(m, in);

    if (type == FSD_DTYPE_UNKNOWN)
        return type;
    if (m->facts->traits[node] & FSD_OP_WEIGHTED) {
        fsd_id weight = fsd_node_in_tensor(m->model, node, 1);

        return before_dq(m, weight) != FSD_DTYPE_UNKNOWN ? type : FSD_DTYPE_UNKNOWN;
    }
    return all_readers_quantize(m, out) ? type : FSD_DTYPE_UNKNOWN;
}

enum fsd_dtype fsd_requested(const struct fsd_match *m, fsd_id node)
{
    enum fsd_dtype type = quantized_request(m, node);

    if (type == FSD_DTYPE_UNKNOWN)
        type = fsd_tensor_form(m->model, fsd_node_out_tensor(m->model, node, 0))->type;
    if (type == FSD_DTYPE_UNKNOWN)
        type = fsd_tensor_form(m->model, fsd_node_in_tensor(m->model, node, 0))->type;
    return type;
}

/* The highest precision in which layers compute the node; unknown if an opaque region
 * computes a part of the node.  There are three groups of layers.  Only the first group
 * with a known precision counts:
 *     1. for a node with weights: layers that multiply
 *     2. other layers that compute
 *     3. layers that do not compute, such as NoOps and reformats, and kernels that only
 *        continue the work of another layer
 *
 * The precision of a layer is its type in `shown`, else its layers[].precision.  The
 * latter is ignored if it is above `requested`, because the layer may cast, and compute
 * the node on either side of the cast.  It still counts for a layer that does not
 * compute, or that only continues the work of another layer.
 * @param shown indexed by link: the type in which the layer computes the node */
enum fsd_dtype fsd_realised(const struct fsd_match *m,
                            const struct fsd_layer_result *layers,
                            const enum fsd_dtype *shown, enum fsd_dtype requested,
                            fsd_id node)
{
    enum fsd_dtype product = FSD_DTYPE_UNKNOWN, computed = FSD_DTYPE_UNKNOWN,
                   other = FSD_DTYPE_UNKNOWN;
    bool weighted = m->facts->traits[node] & FSD_OP_WEIGHTED;
    int asked = fsd_dtype_rank(requested);

    if (fsd_opaque_layer_of(m, layers, node) != FSD_NONE)
        return FSD_DTYPE_UNKNOWN;
    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        uint32_t link = m->by_node[m->of_node[node].at + i];
        fsd_id layer = m->links.at[link].layer;
        const struct fsd_layer_result *r = &layers[layer];
        bool computes = fsd_kind_computes(r->kind) && !fsd_goes_on(m, layer, node);
        enum fsd_dtype *type = weighted && m->engine->layers.at[layer].multiplies
                                   ? &product
                               : computes ? &computed
                                          : &other;
        enum fsd_dtype runs = shown[link];

        if (!runs && !(computes && asked && fsd_dtype_rank(r->precision) > asked))
            runs = r->precision;
        *type = fsd_dtype_wider(*type, runs);
    }
    if (product != FSD_DTYPE_UNKNOWN)
        return product;
    return computed != FSD_DTYPE_UNKNOWN ? computed : other;
}
