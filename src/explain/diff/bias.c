/*
 * Checks the scale of a quantized bias.  A kernel adds the bias to integer sums, whose
 * scale is the product of the scales of input and weights.  A bias with another scale
 * cannot be added.  Since version 1.27, ONNX Runtime runs a Conv with such a bias in
 * FP32; is_near() has the tolerance of version 1.32.  But ONNX Runtime still fuses a
 * Gemm with such a bias, and the result is wrong.
 */
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

#include <math.h>

static bool is_near(double is, double should)
{
    return fabs(is - should) <= 1e-6 + 0.01 * fabs(should);
}

bool fsd_bias_misfits(struct fsd_scales x, struct fsd_scales w, struct fsd_scales bias,
                      struct fsd_bias_misfit *misfit)
{
    if (!x.at || !w.at || !bias.at || x.n != 1 ||
        (w.n != 1 && bias.n != 1 && w.n != bias.n))
        return false;
    for (uint32_t i = 0; i < w.n || i < bias.n; i++) {
        misfit->is = bias.at[bias.n == 1 ? 0 : i];
        misfit->should = x.at[0] * w.at[w.n == 1 ? 0 : i];
        if (!is_near(misfit->is, misfit->should))
            return true;
    }
    return false;
}

/* The scales of the DequantizeLinear that produces the input with index `input`.  With
 * `integers`, the DequantizeLinear must read INT32, as for a bias.  Without `integers`,
 * it must read another type.  Otherwise the result has no scales. */
static struct fsd_scales scales_of(const struct fsd_diff *d, fsd_id node,
                                   uint32_t input, bool integers,
                                   struct fsd_arena *scratch)
{
    const struct fsd_graph *g = d->model;
    fsd_id read = fsd_node_in_tensor(g, node, input);
    fsd_id dq = read == FSD_NONE ? FSD_NONE : fsd_tensor_producer(g, read);
    struct fsd_scales scales = {NULL, 0};

    if (dq == FSD_NONE || !(d->facts->traits[dq] & FSD_OP_QDQ))
        return scales;
    read = fsd_node_in_tensor(g, dq, 0);
    if ((fsd_tensor_form(g, read)->type == FSD_INT32) == integers)
        scales.at = fsd_op_numbers(scratch, g, fsd_node_in_tensor(g, dq, 1), &scales.n);
    return scales;
}

static bool has_misfit(const struct fsd_diff *d, fsd_id node,
                       struct fsd_bias_misfit *misfit)
{
    FSD_SCRATCH(scratch);

    return fsd_bias_misfits(scales_of(d, node, 0, false, scratch),
                            scales_of(d, node, 1, false, scratch),
                            scales_of(d, node, 2, true, scratch), misfit);
}

bool fsd_bias_widens(const struct fsd_diff *d, fsd_id node,
                     struct fsd_bias_misfit *misfit)
{
    int asked = fsd_dtype_rank(d->nodes[node].requested);

    return asked && fsd_dtype_rank(d->nodes[node].realised) > asked &&
           has_misfit(d, node, misfit);
}

const char *fsd_bias_misfit_text(struct fsd_arena *arena,
                                 const struct fsd_bias_misfit *misfit)
{
    return fsd_printed(arena,
                       "its bias has the scale %.6g, but an integer kernel needs %.6g, "
                       "the product of the scales of input and weights",
                       misfit->is, misfit->should);
}
