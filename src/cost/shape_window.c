/* Shapes of operators that see the space behind the second dimension. */
#include "cost/shape_rule.h"

#include <string.h>

/* ------------------------------------------------------------ windows over space */

struct window {
    int64_t kernel, stride, dilation, pad, extra;
};

/* A number far beyond any real one comes back as one that is just too large, so that
 * sums of a few cannot overflow. */
static int64_t at_or(const int64_t *list, uint32_t n, uint32_t i, int64_t otherwise)
{
    const int64_t beyond = (int64_t)INT32_MAX + 1;

    if (i >= n)
        return otherwise;
    return list[i] > beyond ? beyond : list[i] < -beyond ? -beyond : list[i];
}

/* Sizes that are no sizes (a hostile stride of 0) are made harmless. */
static struct window window_at(const struct fsd_shaping *s, fsd_id node, uint32_t axis,
                               uint32_t spatial, int64_t kernel)
{
    const struct fsd_graph *g = s->d->model;
    uint32_t ns, nd, np, no;
    const int64_t *strides = fsd_node_ints(g, node, "strides", &ns);
    const int64_t *dilations = fsd_node_ints(g, node, "dilations", &nd);
    const int64_t *pads = fsd_node_ints(g, node, "pads", &np);
    const int64_t *extra = fsd_node_ints(g, node, "output_padding", &no);
    struct window w = {kernel, at_or(strides, ns, axis, 1),
                       at_or(dilations, nd, axis, 1),
                       at_or(pads, np, axis, 0) + at_or(pads, np, axis + spatial, 0),
                       at_or(extra, no, axis, 0)};
    const int64_t limit = INT32_MAX;

    if (w.kernel < 0 || w.kernel > limit || w.stride < 1 || w.stride > limit ||
        w.dilation < 1 || w.dilation > limit || w.pad < -limit || w.pad > limit ||
        w.extra < 0 || w.extra > limit)
        w.kernel = -1;
    return w;
}

static float float_at(const unsigned char *bytes)
{
    uint32_t bits = 0;
    float value;

    for (unsigned k = 4; k-- > 0;)
        bits = bits << 8 | bytes[k];
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool pads_itself(const struct fsd_shaping *s, fsd_id node)
{
    const struct fsd_attr *attr =
        fsd_node_attr(s->d->model, &s->d->model->nodes.at[node], "auto_pad");
    const char *word =
        attr && attr->kind == FSD_ATTR_STRING ? fsd_text(s->d->names, attr->s) : "";

    return !strncmp(word, "SAME", 4);
}

/* The size that is left of one dimension; an open one goes through as far as division
 * by the stride comes out even. */
static int64_t slide(const struct fsd_shaping *s, fsd_id node, struct window w,
                     int64_t size)
{
    int64_t span = w.dilation * (w.kernel - 1) + 1, room;

    if (size == -1 || size > INT32_MAX || w.kernel < 0)
        return -1;
    if (pads_itself(s, node))
        return fsd_over(s->t, fsd_plus(s->t, size, w.stride - 1), w.stride);
    room = fsd_plus(s->t, size, fsd_amount_of(s->t, w.pad - span));
    if (fsd_node_int(s->d->model, node, "ceil_mode", 0))
        room = fsd_plus(s->t, room, w.stride - 1);
    return fsd_plus(s->t, fsd_over(s->t, room, w.stride), 1);
}

static int64_t unslide(const struct fsd_shaping *s, fsd_id node, struct window w,
                       int64_t size)
{
    int64_t more = w.extra + w.dilation * (w.kernel - 1) + 1 - w.pad - w.stride;

    if (size == -1 || size > INT32_MAX || w.kernel < 0)
        return -1;
    if (pads_itself(s, node))
        return fsd_times(s->t, size, w.stride);
    return fsd_plus(s->t, fsd_times(s->t, size, w.stride), fsd_amount_of(s->t, more));
}

bool fsd_shape_convolution(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                           struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0), *w = fsd_shape_in(s, node, 1);
    bool transposed = fsd_node_is(s->d->model, node, "ConvTranspose");
    int64_t group = fsd_node_size(s->d->model, node, "group", 1);
    uint32_t n; /* a ConvTranspose may say what comes out */
    const int64_t *told = fsd_node_ints(s->d->model, node, "output_shape", &n);

    if (i || !x->ranked || !w->ranked || x->rank != w->rank || x->rank < 3)
        return false;
    *out = *x;
    out->dims[1] = transposed ? fsd_times(s->t, w->dims[1], group) : w->dims[0];
    for (uint32_t k = 2; k < x->rank; k++) {
        struct window win = window_at(s, node, k - 2, x->rank - 2u, w->dims[k]);

        out->dims[k] = told && n == x->rank - 2u ? fsd_size(told[k - 2])
                       : transposed              ? unslide(s, node, win, x->dims[k])
                                                 : slide(s, node, win, x->dims[k]);
    }
    return true;
}

bool fsd_shape_pool(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                    struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0);
    uint32_t n;
    const int64_t *kernel = fsd_node_ints(s->d->model, node, "kernel_shape", &n);

    (void)i; /* the indices have the shape of the elements */
    if (!x->ranked || x->rank < 3 || n != x->rank - 2u)
        return false;
    *out = *x;
    for (uint32_t k = 2; k < x->rank; k++)
        out->dims[k] =
            slide(s, node, window_at(s, node, k - 2, n, kernel[k - 2]), x->dims[k]);
    return true;
}

bool fsd_shape_global_pool(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                           struct fsd_shape *out)
{
    *out = *fsd_shape_in(s, node, 0);
    for (uint32_t k = 2; k < out->rank; k++)
        out->dims[k] = 1;
    return !i && out->ranked;
}

/* ------------------------------------------------------- larger, smaller, deeper */

/* The factors of a Resize or Upsample: a small constant, or Upsample's attribute. */
static uint32_t read_scales(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                            float scales[FSD_SHAPE_RANK])
{
    const struct fsd_graph *g = s->d->model;
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], "scales");
    fsd_id tensor = fsd_node_in_tensor(g, node, i);
    const struct fsd_value *v = tensor == FSD_NONE ? NULL : fsd_tensor_value(g, tensor);
    uint32_t n = 0;

    if (attr && attr->kind == FSD_ATTR_FLOATS && attr->list.n <= FSD_SHAPE_RANK) {
        for (; n < attr->list.n; n++)
            scales[n] = (float)g->floats.at[attr->list.at + n];
    } else if (v && v->bytes && fsd_tensor_form(g, tensor)->type == FSD_FP32 &&
               v->size <= FSD_SHAPE_RANK * sizeof *scales) {
        for (; n < v->size / sizeof *scales; n++)
            scales[n] = float_at(v->bytes + n * sizeof *scales);
    }
    return n;
}

/* Rounded down, in the precision that the operator's definition has. */
static int64_t scaled(const struct fsd_shaping *s, int64_t size, float by)
{
    if (!(by > 0) || by > 65536)
        return -1;
    if (by == (float)(int)by)
        return fsd_times(s->t, size, (int)by);
    return size < 0 || size > INT32_MAX ? -1 : (int64_t)((float)size * by);
}

/* Upsample and the Resize of opset 10 have their scales second, later ones third and
 * may have sizes instead. */
bool fsd_shape_resize(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                      struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0);
    const struct fsd_ints *sizes = fsd_ints_in(s, node, 3);
    float scales[FSD_SHAPE_RANK];
    uint32_t n =
        read_scales(s, node, s->d->model->nodes.at[node].in.n < 3 ? 1 : 2, scales);

    if (i || !x->ranked)
        return false;
    *out = *x;
    for (uint32_t k = 0; k < x->rank; k++) {
        if (fsd_node_attr(s->d->model, &s->d->model->nodes.at[node], "axes"))
            out->dims[k] = -1; /* only some of them: not followed */
        else if (sizes && sizes->n == x->rank)
            out->dims[k] = sizes->at[k];
        else
            out->dims[k] = n == x->rank ? scaled(s, x->dims[k], scales[k]) : -1;
    }
    return true;
}

bool fsd_shape_pad(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                   struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0);
    struct fsd_ints pads;
    bool given, known = fsd_ints_of(s, node, "pads", 1, &pads, &given) &&
                        pads.n == 2 * x->rank &&
                        fsd_node_in_tensor(s->d->model, node, 3) == FSD_NONE;

    if (i || !x->ranked)
        return false;
    *out = *x;
    for (uint32_t k = 0; k < x->rank; k++)
        out->dims[k] = known
                           ? fsd_plus(s->t, x->dims[k],
                                      fsd_plus(s->t, pads.at[k], pads.at[k + x->rank]))
                           : -1;
    return true;
}

/* Moves a block of blocksize x blocksize between the channels and the space. */
static bool move_blocks(const struct fsd_shaping *s, fsd_id node, bool out_of_depth,
                        struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(s, node, 0);
    int64_t by = fsd_node_int(s->d->model, node, "blocksize", 0);

    if (x->rank != 4 || by < 1 || by > INT16_MAX)
        return false;
    *out = *x;
    out->dims[1] = out_of_depth ? fsd_over(s->t, x->dims[1], by * by)
                                : fsd_times(s->t, x->dims[1], by * by);
    for (uint32_t k = 2; k < 4; k++)
        out->dims[k] = out_of_depth ? fsd_times(s->t, x->dims[k], by)
                                    : fsd_over(s->t, x->dims[k], by);
    return true;
}

bool fsd_shape_depth_to_space(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                              struct fsd_shape *out)
{
    return !i && move_blocks(s, node, true, out);
}

bool fsd_shape_space_to_depth(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                              struct fsd_shape *out)
{
    return !i && move_blocks(s, node, false, out);
}
