/* Conditions of rows of refusals.c, on ranks and sizes. */
#include "judge/lint/row.h"
#include "model/graph/graph.h"

/* The weights have a dynamic number of channels. */
FSD_CONDITION(fsd_refused_has_open_channels)
{
    const struct fsd_shape *w =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 1));

    return w->ranked && w->rank > 2 &&
           (fsd_amount_is_open(l->sizes->amounts, w->dims[0]) ||
            fsd_amount_is_open(l->sizes->amounts, w->dims[1]));
}

/* An operand of a matrix product is not a matrix. */
FSD_CONDITION(fsd_refused_is_no_matrix)
{
    for (uint32_t k = 0; k < 2; k++) {
        const struct fsd_shape *x =
            fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, k));

        if (x->ranked && x->rank != 2)
            return true;
    }
    return false;
}

static int64_t size_of(const struct fsd_shape *x, uint32_t axis)
{
    return x->ranked && axis < x->rank ? x->dims[axis] : -1;
}

/* The head size of an attention's queries; 0 or less if unknown. */
static int64_t head_size(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_shape *q =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));

    if (!q->ranked || (q->rank != 3 && q->rank != 4))
        return -1;
    return q->rank == 4 ? q->dims[3]
                        : fsd_over(l->sizes->amounts, q->dims[2],
                                   fsd_node_int(l->g, node, "q_num_heads", -1));
}

/* Whether the builder decomposes the attention if no kernel supports it. The builder
 * requires inputs with three dimensions, as many heads of keys as of queries, and no
 * mask. */
static bool is_taken_apart(const struct fsd_lint *l, fsd_id node)
{
    return fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0))->rank == 3 &&
           !fsd_node_has_in(l->g, node, 3) &&
           !fsd_node_int(l->g, node, "is_causal", 0) &&
           fsd_node_int(l->g, node, "q_num_heads", -1) ==
               fsd_node_int(l->g, node, "kv_num_heads", -1);
}

/* No kernel supports the attention, and the builder does not decompose it. Kernels
 * support neither the row's types nor head sizes below `number`. The builder decomposes
 * it if is_taken_apart() is true, or if there is a single query. */
FSD_CONDITION(fsd_refused_is_no_kernel)
{
    const struct fsd_shape *q =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    int64_t width = head_size(l, node);

    if (!q->ranked || (q->rank != 3 && q->rank != 4))
        return false;
    if (r->until) /* for old versions, only types were measured */
        return l->g->nodes.at[node].in.n < 7 && fsd_refused_takes_type(l, r, node);
    return !is_taken_apart(l, node) && q->dims[q->rank - 2u] != 1 &&
           (fsd_refused_takes_type(l, r, node) || (width > 0 && width < r->number));
}

/* The head size is above `number`, and is_taken_apart() is false. Unlike for
 * fsd_refused_is_no_kernel(), the number of queries does not matter: the builder does
 * not decompose the attention, even if there is a single query. */
FSD_CONDITION(fsd_refused_is_wide)
{
    return !is_taken_apart(l, node) && head_size(l, node) > r->number;
}

/* The head sizes of keys and values differ. */
FSD_CONDITION(fsd_refused_is_uneven)
{
    fsd_id keys = fsd_node_in_tensor(l->g, node, 1);
    fsd_id values = fsd_node_in_tensor(l->g, node, 2);
    const struct fsd_shape *k = fsd_shape_of(l->sizes, keys);
    const struct fsd_shape *v = fsd_shape_of(l->sizes, values);
    int64_t a = size_of(k, k->rank - 1u), b = size_of(v, v->rank - 1u);

    return k->rank == v->rank && a > 0 && b > 0 && a != b;
}

/* The mask is shorter than the keys. ONNX masks the keys beyond the end of the mask. */
FSD_CONDITION(fsd_refused_is_short_mask)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, 3);
    const struct fsd_shape *mask = fsd_shape_of(l->sizes, given);
    const struct fsd_shape *k =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 1));
    int64_t width = size_of(mask, mask->rank - 1u), keys = size_of(k, k->rank - 2u);

    return !fsd_node_has_in(l->g, node, 4) && width > 1 && keys > 0 && width != keys;
}

/* The number of heads of the queries; 0 or less if unknown. */
static int64_t heads_of(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_shape *q =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const char *name =
        fsd_node_is(l->g, node, FSD_ONNX_Attention) ? "q_num_heads" : "num_heads";

    return q->rank == 4 ? size_of(q, 1) : fsd_node_int(l->g, node, name, -1);
}

/* The mask, input `number`, does not broadcast: its size on the axis of the batch, the
 * heads or the queries is neither 1 nor the size of the attention on this axis. */
FSD_CONDITION(fsd_refused_has_other_mask)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);
    const struct fsd_shape *mask = fsd_shape_of(l->sizes, given);
    const struct fsd_shape *q =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    int64_t want[3] = {size_of(q, 0), heads_of(l, node), size_of(q, q->rank - 2u)};

    for (uint32_t i = 0; i < 3 && mask->ranked; i++) {
        /* The axes of the mask are batch, heads, queries and keys. */
        int64_t size = mask->rank + i < 4 ? 1 : size_of(mask, mask->rank + i - 4u);

        if (size > 1 && want[i] > 0 && size != want[i])
            return true;
    }
    return false;
}

/* The rank of the slope differs from the rank of the data. */
FSD_CONDITION(fsd_refused_has_other_slope)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const struct fsd_shape *slope =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 1));

    return fsd_refused_is_pre_7(l, r, node) && x->ranked && slope->ranked &&
           x->rank != slope->rank;
}

/* A vector is multiplied by a stack of more than one matrix. */
FSD_CONDITION(fsd_refused_is_row_of_many)
{
    const struct fsd_shape *a =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const struct fsd_shape *b =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 1));

    return a->rank == 1 && b->rank > 2 && b->dims[0] > 1;
}

/* The opset is below 7, and the addend of a matrix product is not a matrix. */
FSD_CONDITION(fsd_refused_adds_no_matrix)
{
    const struct fsd_shape *c =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 2));

    return fsd_refused_is_pre_7(l, r, node) && c->ranked && c->rank != 2;
}

/* The rank of one of the first three inputs is not `number`. */
FSD_CONDITION(fsd_refused_a_rank_is_not)
{
    for (uint32_t k = 0; k < 3; k++) {
        const struct fsd_shape *x =
            fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, k));

        if (x->ranked && x->rank != r->number)
            return true;
    }
    return false;
}

/* The rank of the first input is not `number`. */
FSD_CONDITION(fsd_refused_rank_is_not)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));

    return x->ranked && x->rank != r->number;
}

/* Whether the tensor is computed from elements of the network's inputs. Tensors that
 * depend only on the inputs' shapes do not count.
 * @param left the number of tensors that may still be visited */
static bool is_of_data(const struct fsd_lint *l, fsd_id tensor, uint32_t *left)
{
    fsd_id producer;

    if (!fsd_is_data(l->facts, tensor) || !*left)
        return false;
    --*left;
    producer = fsd_tensor_producer(l->g, tensor);
    if (producer == FSD_NONE)
        return (l->g->tensors.at[tensor].flags & FSD_TENSOR_INPUT) &&
               !l->g->tensors.at[tensor].scope;
    if (l->facts->traits[producer] & FSD_OP_SHAPE)
        return false;
    FSD_EACH_OF (t, l->g->ports, l->g->nodes.at[producer].in, tensor)
        if (is_of_data(l, t, left))
            return true;
    return false;
}

static bool has_unlike_rank(const struct fsd_shape *x, const struct fsd_shape *y)
{
    return x->rank != y->rank;
}

static bool has_unlike_size(const struct fsd_shape *x, const struct fsd_shape *y)
{
    bool unlike = false;

    for (int axis = 0; axis < x->rank && axis < y->rank && !unlike; axis++)
        unlike =
            x->dims[axis] > 0 && y->dims[axis] > 0 && x->dims[axis] != y->dims[axis];
    return unlike;
}

/* Whether the condition of an If depends on data, and unlike() is true for at least one
 * output of the If.
 * @param unlike compares the shapes that an output has in the two branches; both ranks
 *        are known */
static bool branches_differ(const struct fsd_lint *l, fsd_id node,
                            bool (*unlike)(const struct fsd_shape *,
                                           const struct fsd_shape *))
{
    fsd_id one = fsd_list_at(&l->sizes->bodies, node, 0);
    fsd_id other = fsd_list_at(&l->sizes->bodies, node, 1);
    uint32_t left = 64;
    struct fsd_span a, b;

    if (other == FSD_NONE || !is_of_data(l, fsd_node_in_tensor(l->g, node, 0), &left))
        return false;
    a = l->g->scopes.at[one].outputs;
    b = l->g->scopes.at[other].outputs;
    for (uint32_t i = 0; i < a.n && i < b.n; i++) {
        const struct fsd_shape *x = fsd_shape_of(l->sizes, l->g->links.at[a.at + i]);
        const struct fsd_shape *y = fsd_shape_of(l->sizes, l->g->links.at[b.at + i]);

        if (x->ranked && y->ranked && unlike(x, y))
            return true;
    }
    return false;
}

FSD_CONDITION(fsd_refused_has_unlike_branches)
{
    return branches_differ(l, node, has_unlike_rank);
}

/* The node is an If in a branch of another If, and its own branches have outputs of
 * different sizes. */
FSD_CONDITION(fsd_refused_has_unlike_sizes)
{
    fsd_id scope = l->g->nodes.at[node].scope;
    fsd_id around = scope == FSD_NONE ? FSD_NONE : l->g->scopes.at[scope].owner;

    return around != FSD_NONE && l->g->nodes.at[around].op == l->g->nodes.at[node].op &&
           branches_differ(l, node, has_unlike_size);
}

/* The size of the axis with the number `from_last`, where the last axis is 0. Returns 0
 * if the size is not fixed, or if there is no such axis. */
static int64_t size_at(const struct fsd_shape *x, int from_last)
{
    int64_t size = x->ranked && from_last < x->rank && from_last >= 0
                       ? x->dims[x->rank - 1 - from_last]
                       : 0;

    return size > 0 ? size : 0;
}

static bool is_unlike(int64_t a, int64_t b)
{
    return a > 0 && b > 0 && a != b;
}

/* Whether two shapes do not broadcast. The axes are counted from the last one, which is
 * 0. Axes below `from_last` are not compared. */
static bool is_no_broadcast(const struct fsd_shape *x, const struct fsd_shape *y,
                            int from_last)
{
    for (int i = from_last; i < x->rank && i < y->rank; i++)
        if (is_unlike(size_at(x, i), size_at(y, i)) && size_at(x, i) != 1 &&
            size_at(y, i) != 1)
            return true;
    return false;
}

/* The sizes of the node's two inputs contradict each other. */
FSD_CONDITION(fsd_refused_contradicts)
{
    const struct fsd_graph *g = l->g;
    const struct fsd_shape *x = fsd_shape_of(l->sizes, fsd_node_in_tensor(g, node, 0));
    const struct fsd_shape *y = fsd_shape_of(l->sizes, fsd_node_in_tensor(g, node, 1));
    bool rows = fsd_node_is(g, node, FSD_ONNX_MatMul);

    if (!x->ranked || !y->ranked || fsd_graph_opset(g) < 7)
        return false;
    if (fsd_node_is(g, node, FSD_ONNX_Conv))
        return x->rank > 2 && y->rank > 2 &&
               is_unlike(size_at(x, x->rank - 2),
                         size_at(y, y->rank - 2) * fsd_node_int(g, node, "group", 1));
    if (fsd_node_is(g, node, FSD_ONNX_Gemm))
        return x->rank == 2 && y->rank == 2 &&
               is_unlike(size_at(x, fsd_node_int(g, node, "transA", 0) ? 1 : 0),
                         size_at(y, fsd_node_int(g, node, "transB", 0) ? 0 : 1));
    if (rows && (x->rank < 2 || y->rank < 2))
        return false;
    return (rows && is_unlike(size_at(x, 0), size_at(y, 1))) ||
           is_no_broadcast(x, y, rows ? 2 : 0);
}

/* Two inputs of a Concat differ in an axis along which they are not joined. */
FSD_CONDITION(fsd_refused_joins_unlike)
{
    const struct fsd_graph *g = l->g;
    const struct fsd_shape *x = fsd_shape_of(l->sizes, fsd_node_in_tensor(g, node, 0));
    int64_t axis = fsd_axis(fsd_node_int(g, node, "axis", 1), x->rank);

    for (uint32_t i = 1; x->ranked && i < g->nodes.at[node].in.n; i++) {
        const struct fsd_shape *y =
            fsd_shape_of(l->sizes, fsd_node_in_tensor(g, node, i));

        for (int k = 0; y->ranked && y->rank == x->rank && k < x->rank; k++)
            if (k != axis && is_unlike(x->dims[k], y->dims[k]))
                return true;
    }
    return false;
}

/* The last part of a Split without sizes would have a negative size. The size of each
 * other part is the size of the axis, divided by the number of outputs and rounded up.
 * With many outputs, these parts together may exceed the axis. */
FSD_CONDITION(fsd_refused_splits_too_much)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    int64_t axis = fsd_axis(fsd_node_int(l->g, node, "axis", 0), x->rank);
    int64_t parts = l->g->nodes.at[node].out.n;
    int64_t size = axis < 0 ? -1 : size_of(x, (uint32_t)axis);

    return !fsd_node_has_in(l->g, node, 1) && parts > 0 && size >= 0 &&
           !fsd_node_attr(l->g, &l->g->nodes.at[node], "split") &&
           (size + parts - 1) / parts * (parts - 1) > size;
}

/* The last window of an average pool with ceil_mode starts in the padding. The pool
 * does not count the padding, so it would divide by 0. */
FSD_CONDITION(fsd_refused_averages_padding)
{
    struct fsd_windows w;

    if (fsd_node_int(l->g, node, "count_include_pad", 0))
        return false;
    for (uint32_t k = 0; k + 2 < FSD_SHAPE_RANK; k++)
        if (fsd_op_windows(l->sizes, node, k, &w) && w.all > w.inside)
            return true;
    return false;
}
