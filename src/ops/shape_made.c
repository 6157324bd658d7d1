/* Shapes of what is made of sizes, or of what elements say. */
#include "ops/rule.h"

#include <string.h>

bool fsd_shape_listed(const struct fsd_op_case *c, uint32_t i, struct fsd_shape *out)
{
    const struct fsd_ints *sizes = fsd_ints_in(c, i);
    const struct fsd_shape *list = fsd_shape_in(c, i);
    int64_t n = sizes ? sizes->n : list->rank == 1 ? list->dims[0] : -1;

    if (n < 0 || n > FSD_SHAPE_RANK)
        return false;
    out->ranked = true;
    out->rank = (uint8_t)n;
    for (uint32_t k = 0; k < out->rank; k++)
        out->dims[k] = sizes ? sizes->at[k] : -1;
    return true;
}

bool fsd_shape_filled(const struct fsd_op_case *c, struct fsd_shape *out)
{
    return fsd_shape_listed(c, 0, out);
}

bool fsd_shape_range(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const int64_t most = INT64_C(1) << 61;
    const struct fsd_ints *in[3];
    int64_t at[3];
    bool known = true;

    *out = (struct fsd_shape){.ranked = true, .rank = 1, .dims = {-1}};
    for (uint32_t k = 0; k < 3; k++) {
        in[k] = fsd_ints_in(c, k);
        known = known && in[k] && in[k]->n == 1;
    }
    if (!known)
        return true;
    if (in[0]->at[0] == 0 && in[2]->at[0] == 1)
        out->dims[0] = in[1]->at[0];
    for (uint32_t k = 0; k < 3; k++)
        known = known && fsd_amount_number(c->t, in[k]->at[0], &at[k]) &&
                at[k] < most && at[k] > -most;
    if (known && at[2] > 0)
        out->dims[0] = at[1] > at[0] ? (at[1] - at[0] - 1) / at[2] + 1 : 0;
    return true;
}

bool fsd_shape_shape(const struct fsd_op_case *c, struct fsd_shape *out)
{
    fsd_id to = fsd_node_out_tensor(c->g, c->node, 0);
    fsd_id made = to == FSD_NONE ? FSD_NONE : c->s->ints_of[to];

    *out = (struct fsd_shape){.ranked = true, .rank = 1, .dims = {-1}};
    if (made != FSD_NONE)
        out->dims[0] = c->s->ints.at[made].n;
    return true;
}

bool fsd_shape_non_zero(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);

    *out = (struct fsd_shape){
        .ranked = true, .rank = 2, .dims = {x->ranked ? x->rank : -1, -1}};
    return true;
}

/* NonMaxSuppression: batch, class and place of each box that it chose. */
bool fsd_shape_boxes(const struct fsd_op_case *c, struct fsd_shape *out)
{
    (void)c;
    *out = (struct fsd_shape){.ranked = true, .rank = 2, .dims = {-1, 3}};
    return true;
}

bool fsd_shape_attr(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t n;
    const int64_t *sizes = fsd_case_ints(c, "shape", &n);

    if (!sizes || n > FSD_SHAPE_RANK)
        return false;
    *out = (struct fsd_shape){.ranked = true, .rank = (uint8_t)n};
    for (uint32_t k = 0; k < n; k++)
        out->dims[k] = fsd_size(sizes[k]);
    return true;
}

bool fsd_shape_multinomial(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);

    *out = (struct fsd_shape){true, 2, {-1, fsd_case_size(c, "sample_size", 1)}};
    if (x->rank == 2)
        out->dims[0] = x->dims[0];
    return true;
}

bool fsd_shape_window(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = (struct fsd_shape){true, 1, {fsd_int_in(c, 0)}};
    return true;
}

/* What of a transform of n points is kept when its input is real. */
static int64_t one_sided(const struct fsd_op_case *c, int64_t n)
{
    return fsd_plus(c->t, fsd_over(c->t, n, 2), 1);
}

bool fsd_shape_mel(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out =
        (struct fsd_shape){true, 2, {one_sided(c, fsd_int_in(c, 1)), fsd_int_in(c, 0)}};
    return true;
}

/* The axis is an attribute, 1, in opset 17, and an input, -2, from 20 on: the same one
 * of what has rank 3.  The last dimension holds the real and the imaginary part. */
bool fsd_shape_dft(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_attr *attr = fsd_case_attr(c, "axis");
    bool half = fsd_case_int(c, "onesided", 0) != 0;
    bool back = fsd_case_int(c, "inverse", 0) != 0;
    int64_t axis = 1, n;

    if (x->rank < 2 || (!attr && fsd_case_in(c, 2) == FSD_NONE && x->rank != 3))
        return false;
    if (attr)
        axis = fsd_case_int(c, "axis", 1);
    else if (fsd_case_in(c, 2) != FSD_NONE &&
             !fsd_amount_number(c->t, fsd_int_in(c, 2), &axis))
        return false;
    axis = fsd_axis(axis, x->rank);
    if (axis < 0)
        return false;
    n = fsd_case_in(c, 1) == FSD_NONE ? x->dims[axis] : fsd_int_in(c, 1);
    *out = *x;
    out->dims[axis] = half && back ? -1 : half ? one_sided(c, n) : n;
    out->dims[x->rank - 1] = half && back ? -1 : 2;
    return true;
}

/* A transform each frame_step elements; its length is that of the window, or told. */
bool fsd_shape_stft(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *window = fsd_shape_in(c, 2);
    int64_t length = fsd_int_in(c, 3), step;

    if (x->rank < 2)
        return false;
    if (fsd_case_in(c, 3) == FSD_NONE && window->rank == 1)
        length = window->dims[0];
    *out = (struct fsd_shape){true, 4, {x->dims[0], -1, -1, 2}};
    if (fsd_amount_number(c->t, fsd_int_in(c, 1), &step))
        out->dims[1] = fsd_plus(
            c->t, fsd_over(c->t, fsd_minus(c->t, x->dims[1], length), step), 1);
    out->dims[2] = fsd_case_int(c, "onesided", 1) ? one_sided(c, length) : length;
    return true;
}

bool fsd_shape_image(const struct fsd_op_case *c, struct fsd_shape *out)
{
    bool gray = !strcmp(fsd_case_word(c, "pixel_format"), "Grayscale");

    *out = (struct fsd_shape){true, 3, {-1, -1, gray ? 1 : 3}};
    return true;
}

/* The parts of each string, as many as the longest has; then how many each has. */
bool fsd_shape_string_split(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (!out->ranked || (!c->out && out->rank == FSD_SHAPE_RANK))
        return false;
    if (!c->out)
        out->dims[out->rank++] = -1;
    return true;
}
