/* Products of matrices: attention, what is too small, sizes that only a run knows. */
#include "base/print.h"
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

/* The size of an axis, counted from the last. */
static int64_t dim_of(const struct fsd_sizes *sizes, fsd_id tensor, int from_last)
{
    const struct fsd_shape *shape = fsd_shape_of(sizes, tensor);

    return shape->ranked && shape->rank > from_last
               ? shape->dims[shape->rank - 1 - from_last]
               : -1;
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
        head = dim_of(l->sizes, fsd_node_in_tensor(l->g, first, 0), 0);
        positions = dim_of(l->sizes, fsd_node_in_tensor(l->g, i, 0), 0);
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
        summands = dim_of(l->sizes, fsd_node_in_tensor(l->g, i, 0), 0);
        columns = dim_of(l->sizes, fsd_node_out_tensor(l->g, i, 0), 0);
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

/* -------------------------------------------------------------- sizes of a run */

/* In 16 bits the two products of an attention are one kernel, which minds no length. */
static const bool *find_fused_attention(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    bool *fused = FSD_NEW(f->scratch, bool, l->g->nodes.n);

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id out, products[2];

        if (!fsd_lint_is_any(l, i, " Softmax "))
            continue;
        products[0] = product_before(l, i);
        products[1] = product_behind(l, i);
        for (int k = 0; k < 2 && products[0] != FSD_NONE && products[1] != FSD_NONE;
             k++) {
            out = fsd_node_out_tensor(l->g, products[k], 0);
            fused[products[k]] = fsd_dtype_bits(fsd_tensor_form(l->g, out)->type) == 16;
        }
    }
    return fused;
}

/* The name of a size that only a run knows; NULL. */
static const char *open_dim(const struct fsd_sizes *sizes, fsd_id tensor, int from_last)
{
    return fsd_amount_text(sizes->amounts, dim_of(sizes, tensor, from_last));
}

/* Products are computed in pairs of summands and of columns.  One column is no product.
 */
static const char *odd_dim(struct fsd_finder *f, const struct fsd_sizes *sizes,
                           fsd_id tensor, int from_last, int64_t from)
{
    int64_t size = dim_of(sizes, tensor, from_last);

    return size >= from && size % 2 ? fsd_printed(f->scratch, "%" PRId64, size) : NULL;
}

/* A quantizer pads what it rounds, so that behind one the columns alone cost: their cut
 * is the kernel of what would be one with the product. */
static void find_open_narrow(struct fsd_finder *f, const struct fsd_sizes *sizes,
                             fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(f->lint->g, node, 0);
    const char *columns = open_dim(sizes, out, 0);
    fsd_id next = fsd_lint_only_reader(f->lint, out);

    if (!columns || next == FSD_NONE || !fsd_lint_is_any(f->lint, next, " Relu "))
        return;
    fsd_lint_open(f, node);
    fsd_about_node(f, next);
    fprintf(
        f->out,
        "%s makes %s columns, which only a run knows: another kernel cuts them, and "
        "computes %s",
        fsd_lint_node(f, node), columns, fsd_lint_node(f, next));
    fsd_lint_close(f);
}

/* Stored weights are padded when the engine is built. */
static void find_padded(struct fsd_finder *f, const struct fsd_sizes *sizes,
                        fsd_id node)
{
    const struct fsd_lint *l = f->lint;
    bool odd = f->rule->which == 1;
    fsd_id in[2] = {fsd_node_in_tensor(l->g, node, 0),
                    fsd_node_in_tensor(l->g, node, 1)};
    fsd_id out = fsd_node_out_tensor(l->g, node, 0);
    int turned =
        fsd_node_is(l->g, node, FSD_ONNX_Gemm) && fsd_node_int(l->g, node, "transA", 0);
    const char *summands =
        odd ? odd_dim(f, sizes, in[0], turned, 1) : open_dim(sizes, in[0], turned);
    const char *columns = odd ? odd_dim(f, sizes, out, 0, 2) : open_dim(sizes, out, 0);
    bool first, second;

    if ((!summands && !columns) || in[1] == FSD_NONE || dim_of(sizes, out, 0) == 1)
        return;
    first = summands && !l->facts->constant[in[0]];
    second = !l->facts->constant[in[1]];
    fsd_lint_open(f, node);
    fprintf(f->out, "%s %s %s %s, %s: other kernels %s%s%s", fsd_lint_node(f, node),
            summands ? "sums up" : "makes", summands ? summands : columns,
            summands ? "products" : "columns",
            odd ? "an odd number" : "which only a run knows",
            first && second ? "pad both its sides"
            : first         ? "pad its first side"
            : second        ? "pad its second side"
                            : "",
            (first || second) && columns ? ", and " : "",
            columns ? "cut what it makes" : "");
    fsd_lint_close(f);
}

static void find_open_pad(struct fsd_finder *f, const struct fsd_sizes *sizes,
                          fsd_id conv)
{
    const struct fsd_graph *g = f->lint->g;
    fsd_id pad = fsd_tensor_producer(g, fsd_node_in_tensor(g, conv, 0));
    fsd_id picture = pad == FSD_NONE ? FSD_NONE : fsd_node_in_tensor(g, pad, 0);
    const char *size = NULL;

    if (pad == FSD_NONE || !fsd_lint_is_any(f->lint, pad, " Pad "))
        return;
    for (int axis = 0; axis + 2 < fsd_shape_of(sizes, picture)->rank && !size; axis++)
        size = open_dim(sizes, picture, axis);
    if (!size)
        return;
    fsd_lint_open(f, conv);
    fsd_about_node(f, pad);
    fprintf(f->out,
            "%s leaves the padding of %s to another kernel, for only a run knows how "
            "large the picture is (%s)",
            fsd_lint_node(f, conv), fsd_lint_node(f, pad), size);
    fsd_lint_close(f);
}

/* An engine tells the sizes it was tuned for; what is open in the model stays so. */
void fsd_lint_padded(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_sizes *sizes =
        f->d->engine->nodes.n ? fsd_sizes_of_model(f->scratch, l->g) : l->sizes;
    const bool *fused = find_fused_attention(f), odd = f->rule->which == 1;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        bool product = fsd_lint_is_any(l, i, " MatMul Gemm ");
        bool narrow = product && fsd_lint_is_narrow(l, i);

        if (l->facts->folded[i] || fused[i])
            continue;
        if (product && !narrow)
            find_padded(f, sizes, i);
        else if (narrow && !odd)
            find_open_narrow(f, sizes, i);
        else if (!odd && fsd_lint_is_any(l, i, " Conv "))
            find_open_pad(f, sizes, i);
    }
}
