/*
 * The scale of a quantized bias.  A kernel adds it to sums of products, whose scale is
 * the product of those of input and weights; a bias of another scale cannot be added.
 * ONNX Runtime leaves such a Conv in FP32 since 1.27; its tolerance, that of 1.32, is
 * in fsd_bias_scale_fits().  A Gemm it fuses all the same, and the result is wrong.
 */
#include "explain/diff/diff.h"

#include <math.h>

bool fsd_bias_scale_fits(double is, double should)
{
    return fabs(is - should) <= 1e-6 + 0.01 * fabs(should);
}

/* Scales by value. */
struct scales {
    const struct fsd_value *value;
    enum fsd_dtype type;
    uint64_t n;
};

/* Those of the DequantizeLinear whose output the node reads there. */
static bool read_scales(const struct fsd_diff *d, fsd_id node, uint32_t input,
                        bool integers, struct scales *out)
{
    const struct fsd_graph *g = d->model;
    fsd_id read = fsd_node_in_tensor(g, node, input);
    fsd_id dq = read == FSD_NONE ? FSD_NONE : fsd_tensor_producer(g, read);
    fsd_id root;
    unsigned width;

    if (dq == FSD_NONE || !(d->facts->traits[dq] & FSD_OP_QDQ))
        return false;
    read = fsd_node_in_tensor(g, dq, 0);
    if ((fsd_tensor_form(g, read)->type == FSD_INT32) != integers)
        return false;
    root = fsd_op_copied(g, fsd_node_in_tensor(g, dq, 1));
    out->value = fsd_tensor_value(g, root);
    out->type = out->value ? fsd_tensor_form(g, root)->type : FSD_DTYPE_UNKNOWN;
    width = fsd_dtype_bits(out->type) / 8;
    out->n = out->value && out->value->bytes && width ? out->value->size / width : 0;
    return out->n > 0;
}

static bool scale_at(const struct scales *s, uint64_t i, double *out)
{
    return fsd_element_number(s->value, s->type, s->n == 1 ? 0 : i, out);
}

static bool misfits(const struct fsd_diff *d, fsd_id node,
                    struct fsd_bias_misfit *misfit)
{
    struct scales x, w, b;
    double of_x, of_w;

    if (!read_scales(d, node, 0, false, &x) || !read_scales(d, node, 1, false, &w) ||
        !read_scales(d, node, 2, true, &b) || x.n != 1)
        return false;
    for (uint64_t i = 0; i < b.n || i < w.n; i++) {
        if ((b.n != 1 && i >= b.n) || (w.n != 1 && i >= w.n) ||
            !scale_at(&x, 0, &of_x) || !scale_at(&w, i, &of_w) ||
            !scale_at(&b, i, &misfit->is))
            return false;
        misfit->should = of_x * of_w;
        if (!fsd_bias_scale_fits(misfit->is, misfit->should))
            return true;
    }
    return false;
}

bool fsd_bias_widens(const struct fsd_diff *d, fsd_id node,
                     struct fsd_bias_misfit *misfit)
{
    int asked = fsd_dtype_rank(d->nodes[node].requested);

    return asked && fsd_dtype_rank(d->nodes[node].realised) > asked &&
           misfits(d, node, misfit);
}

const char *fsd_bias_misfit_text(struct fsd_arena *arena,
                                 const struct fsd_bias_misfit *misfit)
{
    return fsd_printed(arena,
                       "its bias has the scale %.6g, not %.6g, the product of the "
                       "scales of input and weights: an integer kernel cannot add it",
                       misfit->is, misfit->should);
}
