/*
 * Conditions of rows of refusals.c, on numbers that contradict a size. Examples are an
 * axis beyond the rank, a new shape with a different number of elements, and a bias
 * whose length is not the number of channels. Each condition returns whether it holds
 * for the node. It does not hold if the size is dynamic or unknown.
 */
#include "judge/lint/row.h"
#include "model/graph/graph.h"
#include "model/ops/amount.h"

static const struct fsd_shape *shape_in(const struct fsd_lint *l, fsd_id node,
                                        uint32_t i)
{
    return fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, i));
}

/* The size of the axis with the number `from_last`, where the last axis is 0. Returns 0
 * if the size is not fixed, or if there is no such axis. */
static int64_t axis_size(const struct fsd_shape *x, int from_last)
{
    int64_t size =
        x->ranked && from_last < x->rank ? x->dims[x->rank - 1 - from_last] : 0;

    return size > 0 ? size : 0;
}

/* The numbers of an attribute or, without the attribute, of a constant input. */
struct numbers {
    uint32_t n; /* 0: unknown */
    int64_t at[FSD_INTS];
};

static struct numbers numbers_of(const struct fsd_lint *l, fsd_id node,
                                 const char *attr_name, uint32_t input)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], attr_name);
    const struct fsd_ints *known =
        fsd_sizes_ints(l->sizes, fsd_node_in_tensor(l->g, node, input));
    struct numbers out = {.n = 0};

    if (attr && attr->kind == FSD_ATTR_INTS && attr->list.n <= FSD_INTS) {
        for (uint32_t i = 0; i < attr->list.n; i++)
            out.at[out.n++] = l->g->ints.at[attr->list.at + i];
        return out;
    }
    for (uint32_t i = 0; known && i < known->n; i++)
        if (!fsd_amount_number(l->sizes->amounts, known->at[i], &out.at[out.n++]))
            return (struct numbers){.n = 0};
    return out;
}

/* ----------------------------------------------------------------------------- axes */

static bool any_outside(const struct numbers *axes, uint32_t rank)
{
    for (uint32_t i = 0; i < axes->n; i++)
        if (fsd_axis(axes->at[i], rank) < 0)
            return true;
    return false;
}

_Static_assert(FSD_SHAPE_RANK + FSD_INTS <= 64, "a bit for each axis");

/* Whether an axis occurs twice. The search stops at the first number that is no
 * axis. */
static bool any_twice(const struct numbers *axes, uint32_t rank)
{
    uint64_t seen = 0;

    for (uint32_t i = 0; i < axes->n; i++) {
        int64_t axis = fsd_axis(axes->at[i], rank);

        if (axis < 0 || (seen >> axis & 1))
            return axis >= 0;
        seen |= UINT64_C(1) << axis;
    }
    return false;
}

/* The attribute is an axis that the first input does not have. */
FSD_CONDITION(fsd_refused_axis_is_outside)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr);
    const struct fsd_shape *x = shape_in(l, node, 0);

    return attr && attr->kind == FSD_ATTR_INT && x->ranked &&
           fsd_axis(attr->i, x->rank) < 0;
}

/* The list of axes contains a number that is no axis of the first input or, for an
 * Unsqueeze, of the output. The list is the attribute or, without the attribute, the
 * input `number`. */
FSD_CONDITION(fsd_refused_axes_are_outside)
{
    struct numbers axes = numbers_of(l, node, r->attr, (uint32_t)r->number);
    const struct fsd_shape *x = shape_in(l, node, 0);
    bool adds = fsd_node_is(l->g, node, FSD_ONNX_Unsqueeze);

    return x->ranked && any_outside(&axes, x->rank + (adds ? axes.n : 0));
}

/* Two new axes have the same position. */
FSD_CONDITION(fsd_refused_adds_axis_twice)
{
    struct numbers axes = numbers_of(l, node, "axes", 1);
    const struct fsd_shape *x = shape_in(l, node, 0);

    return x->ranked && any_twice(&axes, x->rank + axes.n);
}

/* The node removes an axis with more than one element. */
FSD_CONDITION(fsd_refused_squeezes_data)
{
    struct numbers axes = numbers_of(l, node, "axes", 1);
    const struct fsd_shape *x = shape_in(l, node, 0);

    for (uint32_t i = 0; x->ranked && i < axes.n; i++) {
        int64_t axis = fsd_axis(axes.at[i], x->rank);

        if (axis >= 0 && x->dims[axis] > 1)
            return true;
    }
    return false;
}

/* The permutation has an axis twice, or a number that is no axis.  The parser accepts
 * fewer axes than the input has. */
FSD_CONDITION(fsd_refused_is_no_order)
{
    struct numbers perm = numbers_of(l, node, "perm", FSD_NONE);
    const struct fsd_shape *x = shape_in(l, node, 0);

    return x->ranked && (any_outside(&perm, x->rank) || any_twice(&perm, x->rank));
}

/* --------------------------------------------------------------------------- shapes */

/* The new shape has a different number of elements. A 0 in the new shape means the
 * input's size on the same axis, unless allowzero is set. A single -1 is replaced by
 * the size that makes the numbers of elements equal, if there is one. */
FSD_CONDITION(fsd_refused_changes_volume)
{
    struct numbers shape = numbers_of(l, node, "shape", 1);
    const struct fsd_shape *x = shape_in(l, node, 0);
    bool keeps = !fsd_node_int(l->g, node, "allowzero", 0);
    int64_t volume, asked = 1;
    unsigned open = 0;

    if (!shape.n || !fsd_shape_is_full(x))
        return false;
    volume = fsd_shape_count(l->sizes->amounts, x);
    if (volume <= 0)
        return false;
    for (uint32_t i = 0; i < shape.n; i++) {
        int64_t size = shape.at[i];

        if (!size && keeps && i >= x->rank)
            return false;
        size = !size && keeps ? x->dims[i] : size;
        open += size == -1;
        if (size != -1 && (size <= 0 || asked > INT64_MAX / size))
            return false;
        asked *= size == -1 ? 1 : size;
    }
    if (open > 1)
        return false;
    return open ? volume % asked != 0 : volume != asked;
}

/* The sizes of the third input of a Gemm do not broadcast to the sizes of the
 * output. */
FSD_CONDITION(fsd_refused_adds_unlike)
{
    const struct fsd_shape *x = shape_in(l, node, 0), *y = shape_in(l, node, 1),
                           *c = shape_in(l, node, 2);
    bool a = fsd_node_int(l->g, node, "transA", 0) != 0,
         b = fsd_node_int(l->g, node, "transB", 0) != 0;
    const int64_t sizes[] = {axis_size(y, b ? 1 : 0), axis_size(x, a ? 0 : 1)};

    for (int i = 0; i < 2 && x->rank == 2 && y->rank == 2; i++)
        if (sizes[i] > 1 && axis_size(c, i) > 1 && axis_size(c, i) != sizes[i])
            return true;
    return false;
}

/* The sizes of the scale do not broadcast to the sizes of the normalized data. */
FSD_CONDITION(fsd_refused_scales_unlike)
{
    const struct fsd_shape *x = shape_in(l, node, 0), *scale = shape_in(l, node, 1);

    for (int i = 0; i < scale->rank && i < x->rank; i++)
        if (axis_size(x, i) > 1 && axis_size(scale, i) > 1 &&
            axis_size(x, i) != axis_size(scale, i))
            return true;
    return false;
}

/* One of the inputs 1 to `number` has another length than the number of channels.  An
 * InstanceNormalization also accepts the length 1: it repeats such an input. */
FSD_CONDITION(fsd_refused_counts_channels)
{
    const struct fsd_shape *x = shape_in(l, node, 0);
    int64_t channels = x->rank > 1 ? axis_size(x, x->rank - 2) : 0;

    for (uint32_t i = 1; channels && i <= r->number; i++) {
        const struct fsd_shape *of = shape_in(l, node, i);

        if (of->rank == 1 && axis_size(of, 0) && axis_size(of, 0) != channels &&
            (axis_size(of, 0) > 1 ||
             !fsd_node_is(l->g, node, FSD_ONNX_InstanceNormalization)))
            return true;
    }
    return false;
}

/* The length of a Conv's bias differs from the number of its kernels. */
FSD_CONDITION(fsd_refused_biases_unlike)
{
    const struct fsd_shape *w = shape_in(l, node, 1), *bias = shape_in(l, node, 2);
    int64_t kernels = w->rank > 2 ? axis_size(w, w->rank - 1) : 0;

    return kernels && bias->rank == 1 && axis_size(bias, 0) &&
           axis_size(bias, 0) != kernels;
}

/* -------------------------------------------------------------------------- lengths */

/* There are more repeats than the input has axes. */
FSD_CONDITION(fsd_refused_repeats_more)
{
    const struct fsd_shape *x = shape_in(l, node, 0), *n = shape_in(l, node, 1);

    return x->ranked && n->rank == 1 && axis_size(n, 0) > x->rank;
}

/* The number of pads is not twice the number of axes of the input. The condition does
 * not hold for a node that lists axes. */
FSD_CONDITION(fsd_refused_pads_other)
{
    const struct fsd_shape *x = shape_in(l, node, 0), *pads = shape_in(l, node, 1);

    return !fsd_node_has_in(l->g, node, 3) && x->ranked && pads->rank == 1 &&
           axis_size(pads, 0) && axis_size(pads, 0) != 2 * (int64_t)x->rank;
}

/* The parts together have more elements than the axis. */
FSD_CONDITION(fsd_refused_parts_exceed)
{
    struct numbers parts = numbers_of(l, node, "split", 1);
    const struct fsd_shape *x = shape_in(l, node, 0);
    int64_t axis = fsd_axis(fsd_node_int(l->g, node, "axis", 0), x->rank), sum = 0;

    if (!x->ranked || axis < 0)
        return false;
    for (uint32_t i = 0; i < parts.n; i++)
        sum += parts.at[i] > 0 && parts.at[i] < FSD_DIM_MAX ? parts.at[i] : 0;
    return x->dims[axis] > 0 && sum > x->dims[axis];
}

/* The number of scales differs from the size of the quantized axis, or the size of a
 * block does not divide the axis. */
FSD_CONDITION(fsd_refused_has_unlike_scales)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);
    const struct fsd_shape *x = shape_in(l, node, 0), *scale = shape_in(l, node, 1);
    int64_t axis = fsd_axis(fsd_node_int(l->g, node, "axis", 1), x->rank);

    if (!q || !x->ranked || axis < 0)
        return false;
    if (scale->rank == 1)
        return x->dims[axis] > 0 && axis_size(scale, 0) > 1 &&
               axis_size(scale, 0) != x->dims[axis];
    return fsd_node_int(l->g, node, "block_size", 0) > 0 && scale->rank == x->rank &&
           x->dims[axis] > 0 && scale->dims[axis] > 0 &&
           x->dims[axis] % scale->dims[axis] != 0;
}
