/* Shapes of operators on the spatial dimensions after the channels. */
#include "model/ops/rule.h"

/* ------------------------------------------------------------ windows over space */

struct window {
    int64_t kernel, stride, dilation, extra;
    int64_t before, pad; /* the padding before the data, and the padding on both sides
                            together */
};

/* Returns the i-th number of a list, or `otherwise` if the list has none.  The result
 * is limited to 2^31, so that sums cannot overflow; no real stride or kernel is so
 * large. */
static int64_t at_or(const int64_t *list, uint32_t n, uint32_t i, int64_t otherwise)
{
    const int64_t beyond = (int64_t)INT32_MAX + 1;

    if (i >= n)
        return otherwise;
    return list[i] > beyond ? beyond : list[i] < -beyond ? -beyond : list[i];
}

/* Returns the window along one axis.  If a value is impossible, such as a stride of 0
 * in a hostile file, `kernel` is -1: the window is unknown. */
static struct window window_at(const struct fsd_op_case *c, uint32_t axis,
                               uint32_t spatial, int64_t kernel)
{
    uint32_t ns, nd, np, no;
    const int64_t *strides = fsd_case_ints(c, "strides", &ns);
    const int64_t *dilations = fsd_case_ints(c, "dilations", &nd);
    const int64_t *pads = fsd_case_ints(c, "pads", &np);
    const int64_t *extra = fsd_case_ints(c, "output_padding", &no);
    struct window w = {.kernel = kernel,
                       .stride = at_or(strides, ns, axis, 1),
                       .dilation = at_or(dilations, nd, axis, 1),
                       .extra = at_or(extra, no, axis, 0),
                       .before = at_or(pads, np, axis, 0)};
    const int64_t limit = INT32_MAX;

    w.pad = w.before + at_or(pads, np, axis + spatial, 0);
    if (w.kernel < 0 || w.kernel > limit || w.stride < 1 || w.stride > limit ||
        w.dilation < 1 || w.dilation > limit || w.pad < -limit || w.pad > limit ||
        w.extra < 0 || w.extra > limit)
        w.kernel = -1;
    return w;
}

/* Returns the number of windows along one axis if ceil_mode is set.  The last window
 * counts even if it extends beyond the padding after the data.  It does not count if it
 * begins in this padding, because it then covers no data.
 * @param room  `size` plus the padding, minus the length of a window */
static int64_t windows_over(const struct fsd_op_case *c, struct window w, int64_t size,
                            int64_t room)
{
    int64_t span = w.dilation * (w.kernel - 1) + 1, after = w.pad - w.before;
    int64_t more = fsd_over(c->t, fsd_plus(c->t, room, w.stride - 1),
                            w.stride); /* the number of windows after the first one */

    if (span >= after + w.stride)
        return fsd_plus(c->t, more, 1);
    if (size < 0 || more < 0)
        return -1;
    return more * w.stride >= size + w.before ? more : more + 1;
}

/* Whether `auto_pad` is SAME_UPPER or SAME_LOWER.  If so, the operator chooses the
 * padding so that the number of windows is the size divided by the stride, rounded
 * up. */
static bool pads_itself(const struct fsd_op_case *c)
{
    return !strncmp(fsd_case_word(c, "auto_pad"), "SAME", 4);
}

/* Returns the number of windows along a dimension of `size` elements.  With `back`,
 * `size` is the number of windows, and the result is the number of elements.  Returns
 * -1 if the result is unknown.  With ceil_mode, it may be unknown for a dynamic
 * size. */
static int64_t slide(const struct fsd_op_case *c, struct window w, int64_t size,
                     bool back)
{
    bool same = pads_itself(c);
    int64_t span = w.dilation * (w.kernel - 1) + 1, room;

    if (size == -1 || size > INT32_MAX || w.kernel < 0)
        return -1;
    if (back)
        return fsd_plus(c->t, fsd_times(c->t, size, w.stride),
                        same ? 0
                             : fsd_amount_of(c->t, w.extra + span - w.pad - w.stride));
    if (same)
        return fsd_over(c->t, fsd_plus(c->t, size, w.stride - 1), w.stride);
    room = span < w.pad ? fsd_plus(c->t, size, w.pad - span)
                        : fsd_minus(c->t, size, span - w.pad);
    if (fsd_case_int(c, "ceil_mode", 0))
        return windows_over(c, w, size, room);
    return fsd_plus(c->t, fsd_over(c->t, room, w.stride), 1);
}

/* Returns the index of the first spatial dimension.  It comes after the channels,
 * except in com.microsoft's quantized operators, whose channels may be last. */
static uint32_t space_of(const struct fsd_op_case *c)
{
    return fsd_case_int(c, "channels_last", 0) ? 1 : 2;
}

/* Computes the spatial dimensions of the output of an operator like Conv or MaxPool.
 * If `back` is true, computes them for an operator like ConvTranspose or MaxUnpool.
 * @param kernel  the n sizes of the window */
static bool windows(const struct fsd_op_case *c, const int64_t *kernel, uint32_t n,
                    bool back, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    uint32_t space = back ? 2 : space_of(c);

    if (x->rank < 3 || n != x->rank - 2u)
        return false;
    *out = *x;
    for (uint32_t k = 0; k < n; k++) {
        struct window w = window_at(c, k, n, kernel[k]);

        out->dims[space + k] = slide(c, w, x->dims[space + k], back);
    }
    return true;
}

bool fsd_shape_conv(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *w = fsd_shape_operand(c, 1);

    if (w->rank < 3 || !windows(c, w->dims + 2, w->rank - 2u, false, out))
        return false;
    out->dims[space_of(c) == 1 ? out->rank - 1u : 1] = w->dims[0];
    return true;
}

/* The shape of a ConvTranspose.  The attribute `output_shape` may state the spatial
 * sizes. */
bool fsd_shape_conv_transpose(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *w = fsd_shape_in(c, 1);
    uint32_t n;
    const int64_t *stated = fsd_case_ints(c, "output_shape", &n);

    if (w->rank < 3 || !windows(c, w->dims + 2, w->rank - 2u, true, out))
        return false;
    out->dims[1] = fsd_times(c->t, w->dims[1], fsd_case_size(c, "group", 1));
    for (uint32_t k = 0; stated && n == w->rank - 2u && k < n; k++)
        out->dims[k + 2] = fsd_size(stated[k]);
    return true;
}

bool fsd_shape_pool(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t n;
    const int64_t *kernel = fsd_case_ints(c, "kernel_shape", &n);

    return windows(c, kernel, n, false, out);
}

bool fsd_op_windows(const struct fsd_sizes *s, fsd_id node, uint32_t axis,
                    struct fsd_windows *out)
{
    bool guessed = false;
    struct fsd_op_case c = {s,    s->amounts, s->g,    fsd_op_of(s->g, node),
                            node, 0,          &guessed};
    const struct fsd_shape *x = fsd_shape_in(&c, 0);
    uint32_t n;
    const int64_t *kernel = fsd_case_ints(&c, "kernel_shape", &n);
    int64_t size, span, room;
    struct window w;

    if (!c.op || c.op->shape != fsd_shape_pool || axis >= n || x->rank != n + 2u ||
        !fsd_case_int(&c, "ceil_mode", 0) || pads_itself(&c) || guessed)
        return false;
    w = window_at(&c, axis, n, kernel[axis]);
    size = x->dims[space_of(&c) + axis];
    span = w.dilation * (w.kernel - 1) + 1;
    room = size + w.pad - span;
    if (w.kernel < 1 || size < 1 || size > INT32_MAX || room < 0)
        return false;
    *out = (struct fsd_windows){.inside = windows_over(&c, w, size, room),
                                .all = (room + w.stride - 1) / w.stride + 1,
                                .before = w.before,
                                .behind = w.pad - w.before};
    out->enough = (out->inside - 1) * w.stride + span - size - w.before;
    if (out->enough < 0)
        out->enough = 0;
    return true;
}

/* The shape of a MaxUnpool, which reverses a MaxPool.  An input may state the original
 * shape. */
bool fsd_shape_unpool(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t n;
    const int64_t *kernel = fsd_case_ints(c, "kernel_shape", &n);

    if (fsd_case_has(c, 2))
        return fsd_shape_listed(c, 2, out);
    return windows(c, kernel, n, true, out);
}

bool fsd_shape_global_pool(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    for (uint32_t k = 2; k < out->rank; k++)
        out->dims[space_of(c) + k - 2] = 1;
    return out->ranked;
}

/* The reverse of im2col: columns of blocks become an image. */
bool fsd_shape_col2im(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    struct fsd_shape image = {0}, block = {0};

    if (x->rank != 3 || !fsd_shape_listed(c, 1, &image) ||
        image.rank > FSD_SHAPE_RANK - 2)
        return false;
    *out = (struct fsd_shape){true, (uint8_t)(image.rank + 2), {x->dims[0], -1}};
    if (fsd_shape_listed(c, 2, &block))
        out->dims[1] = fsd_over(c->t, x->dims[1], fsd_shape_count(c->t, &block));
    memcpy(out->dims + 2, image.dims, image.rank * sizeof *image.dims);
    return true;
}

/* ---------------------------------------------------------- larger, smaller, deeper */

/* Reads the factors of a Resize or Upsample from a small constant, or from the
 * attribute of an Upsample.  Returns their number. */
static uint32_t read_scales(const struct fsd_op_case *c, uint32_t i,
                            float scales[FSD_SHAPE_RANK])
{
    const struct fsd_graph *g = c->g;
    const struct fsd_attr *attr = fsd_case_attr(c, "scales");
    fsd_id tensor = fsd_case_in(c, i);
    const struct fsd_value *v = fsd_tensor_value(g, tensor);
    double scale;
    uint32_t n = 0;

    if (attr && attr->kind == FSD_ATTR_FLOATS && attr->list.n <= FSD_SHAPE_RANK) {
        for (; n < attr->list.n; n++)
            scales[n] = (float)g->floats.at[attr->list.at + n];
    } else if (v && fsd_tensor_form(g, tensor)->type == FSD_FP32 &&
               v->size <= FSD_SHAPE_RANK * sizeof *scales) {
        for (; fsd_element_number(v, FSD_FP32, n, &scale); n++)
            scales[n] = (float)scale;
    }
    return n;
}

/* Returns the size multiplied by the factor, rounded down.  It is computed in FP32, the
 * precision in the operator's definition. */
static int64_t scaled(const struct fsd_op_case *c, int64_t size, float by)
{
    if (!(by > 0) || by > 65536)
        return -1;
    if (by == (float)(int)by)
        return fsd_times(c->t, size, (int)by);
    return size < 0 || size > INT32_MAX ? -1 : (int64_t)((float)size * by);
}

/* Finds the ratio by which a Resize that keeps the proportions scales all axes.  The
 * ratio of one axis is its requested size divided by its input size.  The result is the
 * smallest of these ratios if `least` is set, else the largest.
 * @param ratio receives the requested size, then the input size */
static bool ratio_of(const struct fsd_shape *x, const int64_t *sizes,
                     const int64_t *axes, uint32_t n, bool least, int64_t ratio[2])
{
    ratio[1] = 0;
    for (uint32_t k = 0; k < n; k++) {
        int64_t from = x->dims[axes[k]], to = sizes[k];

        if (from < 1 || to < 0 || from > INT32_MAX || to > INT32_MAX)
            return false;
        if (!ratio[1] || (to * ratio[1] < ratio[0] * from) == least) {
            ratio[0] = to;
            ratio[1] = from;
        }
    }
    return n > 0;
}

/* Finds the axes that a Resize changes, counted from the start.  Returns false if an
 * axis is invalid. */
static bool resized_axes(const struct fsd_op_case *c, uint32_t rank,
                         int64_t axes[FSD_SHAPE_RANK], uint32_t *n)
{
    const int64_t *stated = fsd_case_ints(c, "axes", n);

    *n = stated ? *n : rank;
    for (uint32_t k = 0; k < *n; k++) {
        int64_t axis = fsd_axis(stated ? stated[k] : k, rank);

        if (axis < 0 || k == FSD_SHAPE_RANK)
            return false;
        axes[k] = axis;
    }
    return true;
}

/* A Resize or Upsample states the new sizes as follows:
 *
 *   - In an Upsample, and in a Resize of opset 10, the second input is the scales.
 *   - In later opsets, the third input is the scales; a fourth input may state sizes
 *     instead.
 *   - From opset 18 on, the scales or sizes may be for some axes only.  A policy may
 *     keep the proportions: the output fits into a box of the stated sizes, or covers
 *     the box.
 *
 * The rule does not support a crop before resizing. */
bool fsd_shape_resize(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_ints *sizes = fsd_ints_in(c, 3);
    const char *policy = fsd_case_word(c, "keep_aspect_ratio_policy");
    const char *mode = fsd_case_word(c, "coordinate_transformation_mode");
    bool keeps = sizes && *policy && strcmp(policy, "stretch") != 0;
    bool cuts = !sizes && !strcmp(mode, "tf_crop_and_resize");
    float scales[FSD_SHAPE_RANK];
    uint32_t given = read_scales(c, c->g->nodes.at[c->node].in.n < 3 ? 1 : 2, scales),
             n;
    int64_t axes[FSD_SHAPE_RANK], ratio[2];

    if (!x->ranked || !resized_axes(c, x->rank, axes, &n))
        return false;
    *out = *x;
    if (keeps && (sizes->n != n || !ratio_of(x, sizes->at, axes, n,
                                             !strcmp(policy, "not_larger"), ratio)))
        ratio[1] = 0;
    for (uint32_t k = 0; k < n; k++) {
        int64_t size = x->dims[axes[k]];

        if (keeps) /* rounds half up */
            size = ratio[1] ? (2 * size * ratio[0] + ratio[1]) / (2 * ratio[1]) : -1;
        else if (sizes)
            size = k < sizes->n ? sizes->at[k] : -1;
        else
            size = !cuts && k < given ? scaled(c, size, scales[k]) : -1;
        out->dims[axes[k]] = size;
    }
    return true;
}

/* A Pad states the number of elements to add before and after each axis.  From opset 18
 * on, it may state them only for the axes that an input lists. */
bool fsd_shape_pad(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_ints *axes = fsd_ints_in(c, 3);
    struct fsd_ints pads;
    bool given;
    uint32_t n = axes ? axes->n : x->rank;
    bool known = fsd_ints_of(c, "pads", 1, &pads, &given) && pads.n == 2 * n &&
                 (axes || !fsd_case_has(c, 3));

    if (!x->ranked)
        return false;
    *out = *x;
    for (uint32_t k = 0; k < x->rank && !known; k++)
        out->dims[k] = -1;
    for (uint32_t k = 0; k < n && known; k++) {
        int64_t axis = k;

        if (axes && !fsd_amount_number(c->t, axes->at[k], &axis))
            return false;
        axis = fsd_axis(axis, x->rank);
        if (axis < 0)
            return false;
        out->dims[axis] =
            fsd_plus(c->t, x->dims[axis], fsd_plus(c->t, pads.at[k], pads.at[k + n]));
    }
    return true;
}

/* The operator crops or pads evenly on both sides, to the sizes in the second input. */
bool fsd_shape_center_crop(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_ints *sizes = fsd_ints_in(c, 1);
    uint32_t n;
    const int64_t *axes = fsd_case_ints(c, "axes", &n);

    *out = *fsd_shape_in(c, 0);
    if (!out->ranked)
        return false;
    for (uint32_t k = 0; k < (axes ? n : out->rank); k++) {
        int64_t axis = fsd_axis(axes ? axes[k] : k, out->rank);

        if (axis < 0)
            return false;
        out->dims[axis] = sizes && k < sizes->n ? sizes->at[k] : -1;
    }
    return true;
}

/* DepthToSpace (variant '*') moves blocks of blocksize x blocksize elements from the
 * channels to the spatial dimensions; SpaceToDepth (variant '/') moves them back. */
bool fsd_shape_blocks(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t by = fsd_case_int(c, "blocksize", 0);
    bool to_space = c->op->variant == '*';

    if (x->rank != 4 || by < 1 || by > INT16_MAX)
        return false;
    *out = *x;
    out->dims[1] = to_space ? fsd_over(c->t, x->dims[1], by * by)
                            : fsd_times(c->t, x->dims[1], by * by);
    for (uint32_t k = 2; k < 4; k++)
        out->dims[k] =
            to_space ? fsd_times(c->t, x->dims[k], by) : fsd_over(c->t, x->dims[k], by);
    return true;
}

/* The second input has the sizes N, C and the spatial sizes.  The operator outputs
 * points, each with one coordinate per spatial dimension. */
bool fsd_shape_affine_grid(const struct fsd_op_case *c, struct fsd_shape *out)
{
    struct fsd_shape size = {0};

    if (!fsd_shape_listed(c, 1, &size) || size.rank < 4)
        return false;
    *out = size;
    memmove(out->dims + 1, size.dims + 2, (size.rank - 2u) * sizeof *size.dims);
    out->dims[size.rank - 1] = size.rank - 2;
    return true;
}

/* The operator outputs the channels of the first input at each point in the second
 * input. */
bool fsd_shape_grid_sample(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *grid = fsd_shape_in(c, 1);

    if (x->rank < 3 || grid->rank != x->rank)
        return false;
    *out = *x;
    memcpy(out->dims + 2, grid->dims + 1, (x->rank - 2u) * sizeof *x->dims);
    return true;
}

/* The attributes state the output size for a region of interest: one list in a
 * MaxRoiPool, two numbers in a RoiAlign. */
bool fsd_shape_roi(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *r = fsd_shape_in(c, 1);
    uint32_t n;
    const int64_t *sizes = fsd_case_ints(c, "pooled_shape", &n);

    if (x->rank < 3 || r->rank != 2 || x->rank - 2u != (sizes ? n : 2))
        return false;
    *out = (struct fsd_shape){true, x->rank, {r->dims[0], x->dims[1]}};
    out->dims[2] = fsd_case_size(c, "output_height", 1);
    out->dims[3] = fsd_case_size(c, "output_width", 1);
    for (uint32_t k = 0; sizes && k < n; k++)
        out->dims[k + 2] = fsd_size(sizes[k]);
    return true;
}
