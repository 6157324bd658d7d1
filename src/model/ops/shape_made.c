/* Shapes of outputs that depend on sizes or on the values of elements. */
#include "model/ops/rule.h"

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
    else if (known && at[2] < 0)
        out->dims[0] = at[1] < at[0] ? (at[0] - at[1] - 1) / -at[2] + 1 : 0;
    return true;
}

bool fsd_shape_shape(const struct fsd_op_case *c, struct fsd_shape *out)
{
    fsd_id to = fsd_node_out_tensor(c->g, c->node, 0);
    const struct fsd_ints *made = fsd_sizes_ints(c->s, to);

    *out = (struct fsd_shape){.ranked = true, .rank = 1, .dims = {-1}};
    if (made)
        out->dims[0] = made->n;
    return true;
}

bool fsd_shape_non_zero(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);

    *out = (struct fsd_shape){
        .ranked = true, .rank = 2, .dims = {x->ranked ? x->rank : -1, -1}};
    return true;
}

/* NonMaxSuppression outputs the batch, the class and the index of each chosen box; the
 * number of chosen boxes is unknown. */
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

/* Returns the number of points that a one-sided Fourier transform of n points
 * outputs. */
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

/* The axis is an attribute (default 1) in opset 17, and an input (default -2) from
 * opset 20 on. If the model states no opset, the axis is known only for rank 3, where
 * both defaults are the same axis. The last dimension has the real and the imaginary
 * part. */
bool fsd_shape_dft(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_attr *attr = fsd_case_attr(c, "axis");
    bool half = fsd_case_int(c, "onesided", 0) != 0;
    bool back = fsd_case_int(c, "inverse", 0) != 0;
    int64_t opset = fsd_graph_opset(c->g), axis = opset < 20 ? 1 : -2, n;
    bool given = attr || fsd_case_has(c, 2), known = true;

    if (x->rank < 2 || (!given && !opset && x->rank != 3))
        return false;
    *out = *x;
    out->dims[x->rank - 1] = half && back ? 1 : 2;
    if (attr)
        axis = fsd_case_int(c, "axis", 1);
    else if (given)
        known = fsd_amount_number(c->t, fsd_int_in(c, 2), &axis);
    axis = known ? fsd_axis(axis, x->rank) : 0;
    if (axis < 0)
        return false;
    n = x->dims[axis];
    if (fsd_case_has(c, 1))
        n = fsd_int_in(c, 1);
    else if (half && back)
        n = fsd_times(c->t, fsd_plus(c->t, n, fsd_amount_of(c->t, -1)), 2);
    if (known)
        out->dims[axis] = half && !back ? one_sided(c, n) : n;
    for (uint32_t k = 0; !known && k + 1 < x->rank; k++)
        if (half || fsd_case_has(c, 1))
            out->dims[k] = -1; /* the transform changes the size of one axis, and it
                                  is unknown which axis */
    return true;
}

/* The operator begins a transform every `frame_step` elements. The length of a
 * transform is an input, or else the length of the window. */
bool fsd_shape_stft(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *window = fsd_shape_in(c, 2);
    int64_t length = fsd_int_in(c, 3), step;

    if (x->rank < 2)
        return false;
    if (!fsd_case_has(c, 3) && window->rank == 1)
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

/* The operator outputs the parts of each string, padded to the largest number of parts.
 * Its second output is the number of parts of each string. */
bool fsd_shape_string_split(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (!out->ranked || (!c->out && out->rank == FSD_SHAPE_RANK))
        return false;
    if (!c->out)
        out->dims[out->rank++] = -1;
    return true;
}

/* The result is a list of strings, or one row of them. The operator drops some strings,
 * so the last size is unknown. */
bool fsd_shape_strings(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (out->rank != 1 && out->rank != 2)
        return false;
    out->dims[out->rank - 1] = -1;
    return true;
}

/* The operator outputs, for each row of the input, one count per n-gram. N-grams are
 * numbered from 0, so the largest number gives the size. */
bool fsd_shape_terms(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t n;
    const int64_t *numbers = fsd_case_ints(c, "ngram_indexes", &n);
    int64_t most = -1;

    *out = *fsd_shape_in(c, 0);
    if (out->rank != 1 && out->rank != 2)
        return false;
    for (uint32_t k = 0; k < n; k++)
        most = numbers[k] > most ? numbers[k] : most;
    out->dims[out->rank - 1] = most < 0 || most > INT32_MAX ? -1 : most + 1;
    return true;
}

/* The operator outputs some elements of each row: those at the indices in the second
 * input. A list counts as one row. */
bool fsd_shape_features(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *at = fsd_shape_in(c, 1);

    if (!x->rank || !at->ranked)
        return false;
    *out = *x;
    if (x->rank == 1)
        *out = (struct fsd_shape){true, 2, {1, -1}};
    out->dims[out->rank - 1] = fsd_shape_count(c->t, at);
    return true;
}

/* Returns the length of the list in the attribute `words` or, if the node lacks it, in
 * `numbers`; -1 if it has neither. */
static int64_t listed(const struct fsd_op_case *c, const char *words,
                      const char *numbers)
{
    const struct fsd_attr *attr = fsd_case_attr(c, words);

    attr = attr ? attr : fsd_case_attr(c, numbers);
    return attr && (attr->kind == FSD_ATTR_STRINGS || attr->kind == FSD_ATTR_INTS)
               ? (int64_t)attr->list.n
               : -1;
}

/* The operators of ai.onnx.ml that hold a trained model, such as regressors, output a
 * fixed number of values per row. */
bool fsd_shape_targets(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    bool linear = c->op->variant == 'r';

    if (!x->rank || x->rank > 2)
        return false;
    *out = (struct fsd_shape){true, 2, {x->rank == 2 ? x->dims[0] : 1}};
    out->dims[1] = linear ? fsd_case_size(c, "targets", 1)
                          : fsd_case_size(c, "n_targets", c->op->variant ? 1 : -1);
    return true;
}

/* A classifier outputs the class of each row. Its second output is the scores of all
 * classes. */
bool fsd_shape_classes(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t rows = x->rank == 2 ? x->dims[0] : x->rank == 1 ? 1 : -1;

    if (!x->rank || x->rank > 2)
        return false;
    *out = c->out ? (struct fsd_shape){true, 2, {rows, -1}}
                  : (struct fsd_shape){true, 1, {rows}};
    if (c->out && c->op->variant) /* an operator whose attribute lists the classes */
        out->dims[1] = listed(c, "classlabels_strings", "classlabels_ints");
    return true;
}

/* The operator outputs one row of categories per element. */
bool fsd_shape_categories(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (!out->ranked || out->rank == FSD_SHAPE_RANK)
        return false;
    out->dims[out->rank++] = listed(c, "cats_strings", "cats_int64s");
    return true;
}

/* The operator outputs the columns of all inputs side by side. */
bool fsd_shape_columns(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    uint32_t n;
    const int64_t *columns = fsd_case_ints(c, "inputdimensions", &n);

    *out = (struct fsd_shape){true, 2, {x->rank == 2 ? x->dims[0] : -1, n ? 0 : -1}};
    for (uint32_t k = 0; k < n; k++)
        out->dims[1] = fsd_plus(c->t, out->dims[1], fsd_size(columns[k]));
    return true;
}

/* Output i is the gradient of input i and has the shape of input i. */
bool fsd_shape_gradient(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, c->out);
    return out->ranked;
}
