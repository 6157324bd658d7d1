/* Shapes of sequences and optionals: the common shape of their elements, and the shapes
 * of tensors that nodes take from them. */
#include "model/ops/rule.h"

/* ------------------------------------------------------------------- their elements */

bool fsd_items_construct(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    for (uint32_t k = 1; k < c->g->nodes.at[c->node].in.n; k++)
        *out = fsd_shape_common(out, fsd_shape_in(c, k));
    return out->ranked;
}

bool fsd_items_insert(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = fsd_shape_common(fsd_items_in(c, 0), fsd_shape_in(c, 1));
    return out->ranked;
}

bool fsd_items_same(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_items_in(c, 0);
    return out->ranked;
}

/* The common shape of the parts of a SplitToSequence.
 *
 * If the input `split` is one number that divides the size of the axis, each part has
 * this number as its size along the axis.  For any other `split`, that size is unknown.
 * Without `split`, the size is 1; if `keepdims` is 0, the parts lack the axis. */
bool fsd_items_split(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t axis = fsd_case_axis(c, 0), chunk = fsd_int_in(c, 1);

    if (axis < 0)
        return false;
    *out = *x;
    if (!fsd_case_has(c, 1)) {
        out->dims[axis] = 1;
        if (!fsd_case_int(c, "keepdims", 1)) {
            out->rank--;
            memmove(out->dims + axis, out->dims + axis + 1,
                    (size_t)(out->rank - axis) * sizeof *out->dims);
        }
    } else {
        out->dims[axis] =
            chunk > 0 && x->dims[axis] >= 0 && x->dims[axis] % chunk == 0 ? chunk : -1;
    }
    return true;
}

/* The shape of the tensor in an optional.  The shape of a sequence in an optional is
 * not derived. */
bool fsd_items_optional(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    return out->ranked;
}

/* ---------------------------------------------------------- tensors taken from them */

bool fsd_shape_item(const struct fsd_op_case *c, struct fsd_shape *out)
{
    return fsd_items_same(c, out);
}

/* The operator joins all elements of a sequence along an axis, or stacks them along a
 * new axis. */
bool fsd_shape_joined(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_items_in(c, 0);
    bool anew = fsd_case_int(c, "new_axis", 0) != 0;
    int64_t axis = fsd_axis(fsd_case_int(c, "axis", 0), x->rank + (anew ? 1u : 0u));

    if (!x->ranked || axis < 0 || (anew && x->rank == FSD_SHAPE_RANK))
        return false;
    *out = *x;
    if (anew)
        memmove(out->dims + axis + 1, out->dims + axis,
                (size_t)(out->rank++ - axis) * sizeof *out->dims);
    out->dims[axis] = -1;
    return true;
}

/* The shape of the value in an optional.  From opset 18 on, the input may be a plain
 * tensor. */
bool fsd_shape_optional(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_items_in(c, 0);
    if (!out->ranked)
        *out = *fsd_shape_in(c, 0);
    return out->ranked;
}
