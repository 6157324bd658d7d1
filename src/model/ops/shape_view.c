/* Shapes of operators that move elements, choose some of them, or repeat them. */
#include "model/ops/rule.h"

/* Reads the axes from the attribute or the second input, one bit per axis. Returns
 * false if they are unknown. */
static bool read_axes(const struct fsd_op_case *c, uint32_t rank, unsigned *axes)
{
    struct fsd_ints list;
    bool given;

    *axes = 0;
    if (!fsd_ints_of(c, "axes", 1, &list, &given))
        return !given;
    for (uint32_t i = 0; i < list.n; i++) {
        int64_t axis;

        if (!fsd_amount_number(c->t, list.at[i], &axis) ||
            (axis = fsd_axis(axis, rank)) < 0)
            return false;
        *axes |= 1u << axis;
    }
    return true;
}

/* -------------------------------------------------------------- the same elements */

bool fsd_shape_transpose(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    uint32_t n;
    const int64_t *perm = fsd_case_ints(c, "perm", &n);

    if (!x->ranked || (perm && n != x->rank))
        return false;
    *out = *x;
    for (uint32_t k = 0; k < x->rank; k++) {
        int64_t from = perm ? perm[k] : (int64_t)x->rank - 1 - k;

        if (from < 0 || from >= x->rank)
            return false;
        out->dims[k] = x->dims[from];
    }
    return true;
}

bool fsd_shape_flatten(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t axis = fsd_case_int(c, "axis", 1);

    axis += axis < 0 ? x->rank : 0;
    if (!x->ranked || axis < 0 || axis > x->rank)
        return false;
    *out = (struct fsd_shape){.ranked = true, .rank = 2, .dims = {1, 1}};
    for (uint32_t k = 0; k < x->rank; k++)
        out->dims[k >= axis] = fsd_times(c->t, out->dims[k >= axis], x->dims[k]);
    return true;
}

/* Returns the size of the output's dimension `open`.  The second input of the Reshape
 * has -1 for this dimension. */
static int64_t rest(const struct fsd_op_case *c, const struct fsd_shape *x,
                    const struct fsd_shape *out, uint32_t open)
{
    struct fsd_shape left = *x;
    int64_t known = 1;

    /* Sizes that the input and the output share cancel each other, even if they are
     * dynamic: if a Reshape changes N x 4 x 8 to N x -1, -1 stands for 32. */
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t k = 0;

        if (i == open)
            continue;
        while (k < left.rank && (left.dims[k] != out->dims[i] || left.dims[k] == -1))
            k++;
        if (k < left.rank)
            left.dims[k] = 1;
        else
            known = fsd_times(c->t, known, out->dims[i]);
    }
    return fsd_over(c->t, fsd_shape_count(c->t, &left), known);
}

bool fsd_shape_reshape(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    bool zero_is_zero = fsd_case_int(c, "allowzero", 0) != 0;
    uint32_t open = FSD_SHAPE_RANK;

    if (!fsd_shape_listed(c, 1, out))
        return false;
    for (uint32_t k = 0; k < out->rank; k++) {
        int64_t size;

        if (!fsd_amount_number(c->t, out->dims[k], &size))
            continue;
        if (size < 0)
            open = k;
        if (!size && !zero_is_zero)
            out->dims[k] = k < x->rank ? x->dims[k] : -1;
    }
    if (open < FSD_SHAPE_RANK)
        out->dims[open] = x->ranked ? rest(c, x, out, open) : -1;
    return true;
}

bool fsd_shape_squeeze(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    unsigned axes;

    if (!x->ranked || !read_axes(c, x->rank, &axes))
        return false;
    for (uint32_t k = 0; k < x->rank && !axes; k++)
        if (x->dims[k] < 0)
            return false; /* the size may be 1, and the axis would then disappear */
    out->ranked = true;
    for (uint32_t k = 0; k < x->rank; k++)
        if (axes ? !(axes >> k & 1) : x->dims[k] != 1)
            out->dims[out->rank++] = x->dims[k];
    return true;
}

bool fsd_shape_unsqueeze(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    struct fsd_ints list;
    uint32_t rank, from = 0;
    unsigned axes;
    bool given;

    if (!x->ranked || !fsd_ints_of(c, "axes", 1, &list, &given))
        return false;
    rank = x->rank + list.n;
    if (rank > FSD_SHAPE_RANK || !read_axes(c, rank, &axes))
        return false;
    out->ranked = true;
    out->rank = (uint8_t)rank;
    for (uint32_t k = 0; k < rank; k++)
        out->dims[k] = axes >> k & 1 ? 1 : from < x->rank ? x->dims[from++] : -1;
    return true;
}

/* ------------------------------------------------------------- some of the elements */

/* The inputs of a QLinearConcat (variant 'q') are the output's scale and zero point,
 * and then three for each tensor: the tensor, its scale, and its zero point. */
bool fsd_shape_concat(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t first = c->op->variant == 'q' ? 2 : 0, step = first ? 3 : 1;
    int64_t axis;

    *out = *fsd_shape_in(c, first);
    axis = fsd_axis(fsd_case_int(c, "axis", 0), out->rank);
    if (axis < 0)
        return false;
    for (uint32_t k = first + step; k < c->g->nodes.at[c->node].in.n; k += step) {
        const struct fsd_shape *x = fsd_shape_in(c, k);
        bool sound = x->ranked && x->rank == out->rank;

        for (uint32_t a = 0; a < out->rank && sound; a++)
            if (a != axis && out->dims[a] < 0 && x->dims[a] != -1)
                out->dims[a] = x->dims[a];
        out->dims[axis] = sound ? fsd_plus(c->t, out->dims[axis], x->dims[axis]) : -1;
    }
    return true;
}

bool fsd_shape_split(const struct fsd_op_case *c, struct fsd_shape *out)
{
    int64_t axis = fsd_case_axis(c, 0), parts = c->g->nodes.at[c->node].out.n;
    int64_t size, chunk;
    struct fsd_ints sizes;
    bool given;

    if (axis < 0 || parts > INT32_MAX)
        return false;
    *out = *fsd_shape_in(c, 0);
    size = out->dims[axis];
    if (fsd_ints_of(c, "split", 1, &sizes, &given))
        out->dims[axis] = c->out < sizes.n ? sizes.at[c->out] : -1;
    else if (given)
        out->dims[axis] = -1;
    else if (size >= 0 && size % parts) { /* the last part is smaller, or even empty */
        chunk = size / parts + 1;
        out->dims[axis] = size / chunk < parts - 1 ? -1
                          : c->out + 1 < parts     ? chunk
                                               : fsd_size(size - chunk * (parts - 1));
    } else {
        out->dims[axis] = fsd_over(c->t, size, parts);
    }
    return true;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Adds to `cut` the elements that a Slice takes along one axis: from `from` to `to`, in
 * steps of `step`.  `size` is the size of the axis. */
static void cut_axis(const struct fsd_op_case *c, int64_t size, int64_t from,
                     int64_t to, int64_t step, struct fsd_taken *cut)
{
    uint32_t k = cut->n++;

    cut->from[k] = cut->step[k] = 0;
    cut->count[k] = -1;
    if (size < 0) { /* dynamic or unknown: the count can be known only if the slice
                       takes the whole axis */
        if (from == 0 && to >= INT32_MAX && step == 1 && fsd_amount_is_open(c->t, size))
            cut->count[k] = size;
        return;
    }
    if (!step || step < -INT32_MAX || size > INT32_MAX)
        return;
    from = from < 0 ? from + size : from;
    to = to < 0 ? (to < -size ? -1 : to + size) : to;
    from = clamp(from, 0, step > 0 ? size : size - 1);
    to = clamp(to, step > 0 ? 0 : -1, size);
    cut->from[k] = from;
    cut->step[k] = step;
    if (step > 0)
        cut->count[k] = to > from ? (to - from - 1) / step + 1 : 0;
    else
        cut->count[k] = from > to ? (from - to - 1) / -step + 1 : 0;
}

/* A Slice has starts, ends, axes and steps. They are attributes up to opset 9, and
 * inputs 1 to 4 from opset 10 on. */
bool fsd_slice_cut(const struct fsd_op_case *c, struct fsd_taken *cut)
{
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    struct fsd_ints list[4];
    bool known[4], given[4];

    *cut = (struct fsd_taken){0};
    for (uint32_t k = 0; k < 4; k++)
        known[k] = fsd_ints_of(c, names[k], k + 1, &list[k], &given[k]);
    if (!x->ranked || !known[0] || (given[2] && !known[2]) ||
        list[0].n > FSD_SHAPE_RANK || (known[2] && list[2].n != list[0].n))
        return false;
    for (uint32_t k = 0; k < list[0].n; k++) {
        int64_t from, to = 0, axis = k, step = 1;
        bool sound = fsd_amount_number(c->t, list[0].at[k], &from) && known[1] &&
                     k < list[1].n && fsd_amount_number(c->t, list[1].at[k], &to);

        if (known[2] && !fsd_amount_number(c->t, list[2].at[k], &axis))
            return false;
        if ((axis = fsd_axis(axis, x->rank)) < 0)
            return false;
        if (given[3])
            sound = sound && known[3] && k < list[3].n &&
                    fsd_amount_number(c->t, list[3].at[k], &step);
        cut->axis[k] = axis;
        cut_axis(c, sound ? x->dims[axis] : -1, from, to, step, cut);
        if (known[1] && k < list[1].n && !list[0].at[k] && step == 1 &&
            list[1].at[k] == x->dims[axis])
            cut->count[k] = x->dims[axis]; /* the slice begins at 0 and ends at the size
                                              of the axis: it takes the whole axis */
    }
    return true;
}

bool fsd_shape_slice(const struct fsd_op_case *c, struct fsd_shape *out)
{
    struct fsd_taken cut;

    *out = *fsd_shape_in(c, 0);
    if (!out->ranked)
        return false;
    if (!fsd_slice_cut(c, &cut)) {
        for (uint32_t k = 0; k < out->rank; k++)
            out->dims[k] = -1;
        return true;
    }
    for (uint32_t k = 0; k < cut.n; k++)
        out->dims[cut.axis[k]] = cut.count[k];
    return true;
}

/* Appends the dimensions from `from` to `to` - 1 of x. Returns false if the result
 * exceeds the supported rank. */
static bool append(struct fsd_shape *out, const struct fsd_shape *x, uint32_t from,
                   uint32_t to)
{
    out->ranked = true;
    for (uint32_t i = from; i < to && i < x->rank; i++) {
        if (out->rank == FSD_SHAPE_RANK)
            return false;
        out->dims[out->rank++] = x->dims[i];
    }
    return true;
}

bool fsd_shape_gather(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *at = fsd_shape_in(c, 1);
    int64_t axis = fsd_case_axis(c, 0);

    return axis >= 0 && at->ranked && append(out, x, 0, (uint32_t)axis) &&
           append(out, at, 0, at->rank) && append(out, x, (uint32_t)axis + 1, x->rank);
}

bool fsd_shape_gather_nd(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *at = fsd_shape_in(c, 1);
    int64_t batch = fsd_case_int(c, "batch_dims", 0), depth;

    if (!x->ranked || !at->rank || batch < 0 || batch >= at->rank)
        return false;
    depth = at->dims[at->rank - 1];
    if (depth < 1 || depth > x->rank - batch)
        return false;
    return append(out, at, 0, at->rank - 1u) &&
           append(out, x, (uint32_t)(batch + depth), x->rank);
}

/* ------------------------------------------------------------------- reductions */

static void reduce(const struct fsd_shape *x, unsigned axes, bool stay,
                   struct fsd_shape *out)
{
    out->ranked = true;
    for (uint32_t k = 0; k < x->rank; k++)
        if (!(axes >> k & 1))
            out->dims[out->rank++] = x->dims[k];
        else if (stay)
            out->dims[out->rank++] = 1;
}

bool fsd_shape_reduce(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    unsigned axes;

    if (!x->ranked || !read_axes(c, x->rank, &axes))
        return false;
    if (!axes && !fsd_case_int(c, "noop_with_empty_axes", 0))
        axes = (1u << x->rank) - 1;
    reduce(x, axes, fsd_case_int(c, "keepdims", 1) != 0, out);
    return true;
}

bool fsd_shape_arg(const struct fsd_op_case *c, struct fsd_shape *out)
{
    int64_t axis = fsd_case_axis(c, 0);

    if (axis < 0)
        return false;
    reduce(fsd_shape_in(c, 0), 1u << axis, fsd_case_int(c, "keepdims", 1) != 0, out);
    return true;
}

bool fsd_shape_top_k(const struct fsd_op_case *c, struct fsd_shape *out)
{
    int64_t axis = fsd_case_axis(c, -1);
    const struct fsd_ints *k = fsd_ints_in(c, 1);

    if (axis < 0)
        return false;
    *out = *fsd_shape_in(c, 0);
    out->dims[axis] = fsd_case_size(c, "k", -1);
    if (k && k->n == 1)
        out->dims[axis] = k->at[0];
    return true;
}

/* -------------------------------------------------------------- made or repeated */

bool fsd_shape_expand(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    struct fsd_shape to = {0};

    if (!x->ranked || !fsd_shape_listed(c, 1, &to))
        return false;
    *out = *x;
    fsd_shape_broadcast(out, &to, 0);
    return true;
}

bool fsd_shape_tile(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_ints *times = fsd_ints_in(c, 1);

    *out = *fsd_shape_in(c, 0);
    if (!out->ranked)
        return false;
    for (uint32_t k = 0; k < out->rank; k++)
        out->dims[k] = times && times->n == out->rank
                           ? fsd_times(c->t, out->dims[k], times->at[k])
                           : -1;
    return true;
}

/* Returns the value of a OneHot's second input, the depth, which may be a constant of
 * any type. */
static int64_t depth_of(const struct fsd_op_case *c)
{
    fsd_id tensor = fsd_case_in(c, 1);
    const struct fsd_value *v = fsd_tensor_value(c->g, tensor);
    double depth, more;

    if (fsd_int_in(c, 1) != -1 || !v)
        return fsd_int_in(c, 1);
    return fsd_element_number(v, fsd_tensor_form(c->g, tensor)->type, 0, &depth) &&
                   !fsd_element_number(v, fsd_tensor_form(c->g, tensor)->type, 1,
                                       &more) &&
                   depth >= 0 && depth < INT32_MAX
               ? (int64_t)depth
               : -1;
}

/* OneHot outputs one row for each index. The second input states the length of a
 * row. */
bool fsd_shape_one_hot(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t axis = fsd_axis(fsd_case_int(c, "axis", -1), x->rank + 1u);

    if (!x->ranked || axis < 0 || !append(out, x, 0, (uint32_t)axis) ||
        out->rank == FSD_SHAPE_RANK)
        return false;
    out->dims[out->rank++] = depth_of(c);
    return append(out, x, (uint32_t)axis, x->rank);
}

/* Compress and Unique output some slices of the first input along an axis or, without
 * an axis, some of its elements. The other outputs of Unique are lists of indices. */
bool fsd_shape_chosen(const struct fsd_op_case *c, struct fsd_shape *out)
{
    int64_t axis = fsd_case_axis(c, FSD_SHAPE_RANK);

    *out = *fsd_shape_in(c, 0);
    if (c->out || axis < 0)
        *out = (struct fsd_shape){.ranked = true, .rank = 1};
    out->dims[c->out || axis < 0 ? 0 : axis] = -1;
    return out->ranked;
}
