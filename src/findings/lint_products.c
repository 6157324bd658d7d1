/* Products of matrices: attention, and what is too small. */
#include "findings/lint.h"

#include <inttypes.h>

enum { TILE = 16, MOST_POSITIONS = 512 };

/* ------------------------------------------------------------------------ attention */

/* The product whose result comes to the softmax, through scaling, masks and quantizers.
 */
static fsd_id product_before(const struct fsd_lint *l, fsd_id softmax)
{
    fsd_id at = fsd_node_in_tensor(l->g, softmax, 0);

    for (int steps = 0; steps < 8 && at != FSD_NONE; steps++) {
        fsd_id maker = fsd_tensor_producer(l->g, at);

        if (maker == FSD_NONE || fsd_lint_is_any(l, maker, " MatMul "))
            return maker;
        if (!fsd_lint_quantizer(l, maker) &&
            !fsd_lint_is_any(l, maker, " Add Sub Mul Div Where Cast Identity Reshape "))
            return FSD_NONE;
        at = fsd_node_in_tensor(l->g, maker,
                                fsd_lint_is_any(l, maker, " Where ") ? 1 : 0);
    }
    return FSD_NONE;
}

static fsd_id product_behind(const struct fsd_lint *l, fsd_id softmax)
{
    fsd_id at = softmax;

    for (int steps = 0; steps < 6 && at != FSD_NONE; steps++) {
        at = fsd_lint_only_reader(l, fsd_node_out_tensor(l->g, at, 0));
        if (at != FSD_NONE && fsd_lint_is_any(l, at, " MatMul "))
            return at;
    }
    return FSD_NONE;
}

static int64_t last_dim(const struct fsd_lint *l, fsd_id tensor)
{
    const struct fsd_shape *shape = fsd_shape_of(l->sizes, tensor);

    return shape->ranked && shape->rank ? shape->dims[shape->rank - 1] : -1;
}

/* Sizes that are not known are not complained of. */
void fsd_lint_attention(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id first, second;
        int64_t head, positions;
        bool one, two, int8;

        if (!fsd_lint_is_any(l, i, " Softmax "))
            continue;
        first = product_before(l, i);
        second = product_behind(l, i);
        if (first == FSD_NONE || second == FSD_NONE)
            continue;
        one = fsd_lint_is_narrow(l, first);
        two = fsd_lint_is_narrow(l, second);
        if (!one && !two)
            continue;
        int8 = fsd_lint_held(l, one ? first : second, 0)->type == FSD_INT8;
        head = last_dim(l, fsd_node_in_tensor(l->g, first, 0));
        positions = last_dim(l, fsd_node_in_tensor(l->g, i, 0));
        if (one == two &&
            !(int8 && ((head > 0 && head != 16 && head != 32 && head != 64) ||
                       positions > MOST_POSITIONS)))
            continue;
        fsd_lint_open(f, first);
        fsd_about_node(f, i);
        fsd_about_node(f, second);
        if (one != two)
            fprintf(f->out, "of the two products around %s only %s is quantized",
                    fsd_lint_node(f, i), fsd_lint_node(f, one ? first : second));
        else
            fprintf(f->out,
                    "the attention around %s is quantized with heads of %" PRId64
                    " and %" PRId64 " positions, for which there is no INT8 kernel",
                    fsd_lint_node(f, i), head, positions);
        fsd_lint_close(f);
    }
}

/* --------------------------------------------------------------------- small products
 */

void fsd_lint_small_product(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        int64_t summands, columns;

        if (!fsd_lint_is_any(l, i, " MatMul Gemm ") || !fsd_lint_is_narrow(l, i))
            continue;
        summands = last_dim(l, fsd_node_in_tensor(l->g, i, 0));
        columns = last_dim(l, fsd_node_out_tensor(l->g, i, 0));
        if (!(summands > 0 && summands < TILE) && !(columns > 0 && columns < TILE))
            continue;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "%s multiplies %" PRId64 " summands into %" PRId64
                " columns: too small to gain by INT8",
                fsd_lint_node(f, i), summands, columns);
        fsd_lint_close(f);
    }
}
