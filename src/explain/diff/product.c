/*
 * Finds the kernels of Convs and GEMMs (product kernels).  Also finds which of these
 * kernels compute in a quantized type, and whether they output a quantized type.
 *
 * In some engines, no product kernel outputs a quantized type: each outputs floats, and
 * a separate kernel quantizes them.  In such an engine, another quantizer in the model
 * would not make a product kernel output INT8, so the advice must not propose one.
 */
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

/* `none_quantizes` is set only if separate kernels quantize the outputs of at least
 * this number of product kernels.  A single such case may be an exception. */
enum { SEVERAL = 2 };

/* Whether the layer is a product kernel: it computes products and elementwise
 * operations only.  An attention kernel is no product kernel, because it has other
 * operations. */
static bool is_product_kernel(const struct fsd_match *m,
                              const struct fsd_layer_result *layers,
                              const struct fsd_node_result *nodes, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];

    if (layers[layer].kind != FSD_KIND_COMPUTE || !l->multiplies)
        return false;
    FSD_EACH_ID (step, m->engine->links, l->steps) {
        if (step != FSD_ONNX_Conv && step != FSD_ONNX_ConvTranspose &&
            step != FSD_ONNX_MatMul && !fsd_step_is_epilogue(step))
            return false;
    }
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (nodes[node].fate == FSD_FATE_LAYER &&
            !(m->facts->traits[node] & (FSD_OP_WEIGHTED | FSD_OP_QDQ)) &&
            !fsd_step_is_epilogue(m->model->nodes.at[node].op))
            return false;
    return true;
}

/* Whether an input of the layer or, without `reads`, an output has a quantized type.
 * Sets *known to false if a type is unknown. */
static bool is_quantized(const struct fsd_match *m, fsd_id layer, bool reads,
                         bool *known)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    struct fsd_span ports = reads ? n->in : n->out;
    bool any = false;

    FSD_EACH_IN (const struct fsd_port, port, m->engine->ports, ports) {
        enum fsd_dtype type = fsd_port_form(m->engine, port)->type;

        if (reads && fsd_match_is_weight(m, port))
            continue;
        any |= fsd_dtype_is_quantized(type);
        *known &= type != FSD_DTYPE_UNKNOWN;
    }
    return any;
}

/* Whether one of the layers that consume the outputs of `layer` writes a quantized
 * type. */
static bool is_quantized_behind(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    bool known = true;

    for (uint32_t i = 0; i < n->out.n; i++) {
        struct fsd_span readers = fsd_port_peers(m->engine, n->out.at + i, false);

        FSD_EACH_ID (reader, m->engine->links, readers)
            if (is_quantized(m, reader, false, &known))
                return true;
    }
    return false;
}

const struct fsd_products *fsd_diff_products(const struct fsd_match *m,
                                             const struct fsd_layer_result *layers,
                                             const struct fsd_node_result *nodes)
{
    struct fsd_products *p = FSD_NEW(m->arena, struct fsd_products, 1);
    uint32_t quantized_behind = 0;
    bool *of = FSD_NEW(m->arena, bool, (size_t)m->engine->nodes.n + 1);

    p->of = of;
    p->example = FSD_NONE;
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        enum fsd_dtype type = layers[i].precision;
        bool known = true;

        of[i] = is_product_kernel(m, layers, nodes, i);
        if (!of[i] || !fsd_dtype_is_quantized(type) ||
            !is_quantized(m, i, true, &known))
            continue;
        p->type = !p->narrow || p->type == type ? type : FSD_DTYPE_UNKNOWN;
        p->narrow++;
        known = true;
        if (is_quantized(m, i, false, &known)) {
            p->direct++;
            p->example = fsd_id_or(p->example, i);
        } else if (known)
            quantized_behind += is_quantized_behind(m, i);
        else
            p->unknown++;
    }
    p->none_quantizes = quantized_behind >= SEVERAL && !p->direct && !p->unknown;
    return p;
}
