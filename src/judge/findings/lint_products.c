/* Rules on matrix products: on attention, on products that are too small, and on sizes
 * that are odd or dynamic. */
#include "base/base.h"
#include "judge/findings/place.h"

#include <inttypes.h>

enum { TILE = 16, MOST_POSITIONS = 512 };

/* ------------------------------------------------------------------------ attention */

fsd_id fsd_lint_product_before(const struct fsd_lint *l, fsd_id softmax)
{
    fsd_id at = fsd_node_in_tensor(l->g, softmax, 0);

    for (int steps = 0; steps < 8; steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, at);

        if (fsd_form_is(l->facts, producer, "MatMul"))
            return producer;
        if (!fsd_lint_quantizer(l, producer) &&
            !fsd_form_is(l->facts, producer,
                         "Add|Sub|Mul|Div|Where|Cast|Identity|Reshape"))
            return FSD_NONE;
        at = fsd_node_in_tensor(l->g, producer,
                                fsd_form_is(l->facts, producer, "Where") ? 1 : 0);
    }
    return FSD_NONE;
}

static fsd_id product_behind(const struct fsd_lint *l, fsd_id softmax)
{
    fsd_id at = softmax;

    for (int steps = 0; steps < 6; steps++) {
        at = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, at, 0));
        if (fsd_form_is(l->facts, at, "MatMul"))
            return at;
    }
    return FSD_NONE;
}

/* The size of an axis.
 * @param from_last the number of the axis, counted from the last axis, which is 0 */
static int64_t dim_of(const struct fsd_sizes *sizes, fsd_id tensor, int from_last)
{
    const struct fsd_shape *shape = fsd_shape_of(sizes, tensor);

    return shape->ranked && shape->rank > from_last
               ? shape->dims[shape->rank - 1 - from_last]
               : -1;
}

/* Finds the matrix products before ("a") and after ("b") a softmax. Returns how many of
 * the two are quantized. */
static int count_narrow(struct fsd_place *p)
{
    fsd_id softmax = fsd_place_node(p, 'n');
    fsd_id first = fsd_lint_product_before(p->l, softmax),
           second = product_behind(p->l, softmax);

    if (first == FSD_NONE || second == FSD_NONE)
        return 0;
    fsd_place_set(p, 'a', first);
    fsd_place_set(p, 'b', second);
    fsd_place_set(p, 'q', fsd_lint_is_narrow(p->l, first) ? first : second);
    return fsd_lint_is_narrow(p->l, first) + fsd_lint_is_narrow(p->l, second);
}

static bool is_half_narrow(struct fsd_place *p)
{
    return count_narrow(p) == 1;
}

/* Whether the builder has no INT8 kernel for the two quantized products. False if a
 * size is unknown. */
static bool has_no_int8_kernel(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    int64_t head, positions;

    if (count_narrow(p) != 2)
        return false;
    head = dim_of(l->sizes, fsd_node_in_tensor(l->g, fsd_place_node(p, 'a'), 0), 0);
    positions =
        dim_of(l->sizes, fsd_node_in_tensor(l->g, fsd_place_node(p, 'n'), 0), 0);
    p->number[0] = head;
    p->number[1] = positions;
    return fsd_lint_held(l, fsd_place_node(p, 'a'), 0)->type == FSD_INT8 &&
           ((head > 0 && head != 16 && head != 32 && head != 64) ||
            positions > MOST_POSITIONS);
}

static bool is_small(struct fsd_place *p)
{
    fsd_id node = fsd_place_node(p, 'n');
    int64_t summands = dim_of(p->l->sizes, fsd_node_in_tensor(p->l->g, node, 0), 0);
    int64_t columns = dim_of(p->l->sizes, fsd_place_tensor(p, 'n'), 0);

    p->number[0] = summands;
    p->number[1] = columns;
    return fsd_lint_is_narrow(p->l, node) &&
           ((summands > 0 && summands < TILE) || (columns > 0 && columns < TILE));
}

const struct fsd_place_row fsd_rows_of_products[] = {
    {"qdq/attention", "n=Softmax", is_half_narrow, "anb",
     "of the two matrix products around {n}, only {q} is quantized"},
    {"qdq/attention", "n=Softmax", has_no_int8_kernel, "anb",
     "the quantized attention around {n} has head size {0} and {1} keys: no INT8 "
     "kernel supports this combination"},
    {"qdq/small-product", "n=MatMul|Gemm", is_small, "n",
     "{n} is too small to gain from INT8: its output has {1} columns, and its inner "
     "dimension (K) is {0}"},
    {0}};

/* -------------------------------------------------------------- sizes of a run */

/* Indexed by node: whether the node is a product of an attention in 16 bits. One kernel
 * computes such an attention, for any sequence length. */
static const bool *find_fused_attention(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    bool *fused = FSD_NEW(f->scratch, bool, l->g->nodes.n);

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id out, products[2];

        if (!fsd_form_is(l->facts, i, "Softmax"))
            continue;
        products[0] = fsd_lint_product_before(l, i);
        products[1] = product_behind(l, i);
        for (int k = 0; k < 2 && products[0] != FSD_NONE && products[1] != FSD_NONE;
             k++) {
            out = fsd_node_out_tensor(l->g, products[k], 0);
            fused[products[k]] = fsd_dtype_bits(fsd_tensor_form(l->g, out)->type) == 16;
        }
    }
    return fused;
}

/* The name of a dynamic size; NULL if the size is fixed or unnamed. */
static const char *open_dim(const struct fsd_sizes *sizes, fsd_id tensor, int from_last)
{
    return fsd_amount_text(sizes->amounts, dim_of(sizes, tensor, from_last));
}

/* The size as text if it is odd and at least `from`; NULL if not. Kernels compute pairs
 * of summands and of columns, so the builder pads odd sizes. For columns, `from` is 2,
 * because a node with one column is no matrix product. */
static const char *odd_dim(struct fsd_finder *f, const struct fsd_sizes *sizes,
                           fsd_id tensor, int from_last, int64_t from)
{
    int64_t size = dim_of(sizes, tensor, from_last);

    return size >= from && size % 2 ? fsd_printed(f->scratch, "%" PRId64, size) : NULL;
}

/* Reports a quantized product with a dynamic number of columns, if a Relu follows. The
 * number may be odd, so the builder pads the columns, and an extra kernel removes the
 * padding and computes the Relu. (An unquantized product needs no extra kernel.)
 * Summands are not checked: the quantizer pads them at no cost. */
static void find_open_narrow(struct fsd_finder *f, const struct fsd_sizes *sizes,
                             fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(f->lint->g, node, 0);
    const char *columns = open_dim(sizes, out, 0);
    fsd_id next = fsd_tensor_only_reader(f->lint->g, out);

    if (!columns || !fsd_form_is(f->lint->facts, next, "Relu"))
        return;
    fsd_lint_open(f, node);
    fsd_about_node(f, next);
    fprintf(
        f->out,
        "the output of `%s` has a dynamic number of columns (%s), so a separate kernel "
        "removes the padding of the columns and computes `%s`",
        fsd_called(f, node), columns, fsd_called(f, next));
    fsd_lint_close(f);
}

/* Finds products whose data is padded. Weights do not count, because the builder pads
 * them. */
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
    fprintf(f->out, "`%s` %s %s %s, %s: separate kernels %s%s%s", fsd_called(f, node),
            summands ? "sums" : "has", summands ? summands : columns,
            summands ? "products per output element (K)" : "output columns",
            odd ? "an odd number" : "a dynamic size",
            first && second ? "pad both its inputs"
            : first         ? "pad its first input"
            : second        ? "pad its second input"
                            : "",
            (first || second) && columns ? ", and " : "",
            columns ? "remove the padding of its output" : "");
    fsd_lint_close(f);
}

static void find_open_pad(struct fsd_finder *f, const struct fsd_sizes *sizes,
                          fsd_id conv)
{
    const struct fsd_graph *g = f->lint->g;
    fsd_id pad = fsd_node_in_producer(g, conv, 0);
    fsd_id picture = fsd_node_in_tensor(g, pad, 0);
    const char *size = NULL;

    if (!fsd_form_is(f->lint->facts, pad, "Pad"))
        return;
    for (int axis = 0; axis + 2 < fsd_shape_of(sizes, picture)->rank && !size; axis++)
        size = open_dim(sizes, picture, axis);
    if (!size)
        return;
    fsd_lint_open(f, conv);
    fsd_about_node(f, pad);
    fprintf(f->out,
            "the kernel of `%s` does not include `%s`, because the image size "
            "(%s) is dynamic",
            fsd_called(f, conv), fsd_called(f, pad), size);
    fsd_lint_close(f);
}

/* With an engine, uses the sizes for which the engine was optimized. With a model
 * alone, dynamic sizes stay unknown. */
void fsd_lint_padded(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_sizes *sizes =
        f->d->engine->nodes.n ? fsd_sizes_of_model(f->scratch, l->g) : l->sizes;
    const bool *fused = find_fused_attention(f), odd = f->rule->which == 1;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        bool product = fsd_form_is(l->facts, i, "MatMul|Gemm");
        bool narrow = product && fsd_lint_is_narrow(l, i);

        if (l->facts->folded[i] || fused[i])
            continue;
        if (product && !narrow)
            find_padded(f, sizes, i);
        else if (narrow && !odd)
            find_open_narrow(f, sizes, i);
        else if (!odd && fsd_form_is(l->facts, i, "Conv"))
            find_open_pad(f, sizes, i);
    }
}
