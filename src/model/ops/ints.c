/*
 * Derives the elements of small integer tensors.  Exporters write computations of
 * shapes into the graph (Shape, Gather, Concat, Reshape), and the shapes of other
 * tensors depend on their results.  Float tensors are not derived.
 */
#include "model/ops/rule.h"

/* -------------------------------------------------------------------- constants */

/* Limits a number to 2^62, which is far beyond any size.  To state "to the end",
 * exporters write the largest number of the type; 2^62 has the same meaning. */
static int64_t read_number(struct fsd_amounts *t, int64_t number)
{
    const int64_t far = INT64_C(1) << 62;

    return fsd_amount_of(t, number > far ? far : number < -far ? -far : number);
}

static bool read_value(struct fsd_amounts *t, const struct fsd_value *value,
                       enum fsd_dtype type, struct fsd_ints *out)
{
    uint32_t width = type == FSD_INT64 ? 8 : type == FSD_INT32 ? 4 : 0;

    if (!value || !value->bytes || !width || value->size > (uint64_t)width * FSD_INTS)
        return false;
    out->n = (uint8_t)(value->size / width);
    for (uint32_t i = 0; i < out->n; i++) {
        uint64_t bits = fsd_element_bits(value, width, i);

        out->at[i] =
            read_number(t, width == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits);
    }
    return true;
}

static void keep(struct fsd_sizes *s, fsd_id tensor, const struct fsd_ints *elements)
{
    fsd_vec_push(s->arena, &s->ints, *elements);
    s->ints_of[tensor] = s->ints.n - 1;
}

void fsd_ints_of_constants(struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < s->g->tensors.n; i++) {
        struct fsd_ints elements;

        s->ints_of[i] = FSD_NONE;
        if (read_value(s->amounts, fsd_tensor_value(s->g, i),
                       fsd_tensor_form(s->g, i)->type, &elements))
            keep(s, i, &elements);
    }
}

const struct fsd_ints *fsd_ints_in(const struct fsd_op_case *c, uint32_t i)
{
    fsd_id tensor = fsd_case_in(c, i);

    return fsd_sizes_ints(c->s, tensor);
}

int64_t fsd_int_in(const struct fsd_op_case *c, uint32_t i)
{
    const struct fsd_ints *in = fsd_ints_in(c, i);

    return in && in->n == 1 ? in->at[0] : -1;
}

bool fsd_ints_of(const struct fsd_op_case *c, const char *attr, uint32_t i,
                 struct fsd_ints *out, bool *given)
{
    uint32_t n;
    const int64_t *list = fsd_case_ints(c, attr, &n);
    const struct fsd_ints *in = fsd_ints_in(c, i);

    *given = list || fsd_case_has(c, i);
    if (list && n <= FSD_INTS) {
        out->n = (uint8_t)n;
        for (uint32_t k = 0; k < n; k++)
            out->at[k] = read_number(c->t, list[k]);
        return true;
    }
    if (list || !in)
        return false;
    *out = *in;
    return true;
}

/* ------------------------------------------------------------------- operators */

bool fsd_ints_shape(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t from = fsd_case_int(c, "start", 0);
    int64_t to = fsd_case_int(c, "end", INT32_MAX);

    from += from < 0 ? x->rank : 0;
    to += to < 0 ? x->rank : 0;
    for (int64_t i = from < 0 ? 0 : from; i < to && i < x->rank; i++)
        out->at[out->n++] = x->dims[i];
    return x->ranked;
}

bool fsd_ints_size(const struct fsd_op_case *c, struct fsd_ints *out)
{
    out->at[out->n++] = fsd_shape_count(c->t, fsd_shape_in(c, 0));
    return true;
}

bool fsd_ints_first(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_ints *in = fsd_ints_in(c, 0);

    if (in)
        *out = *in;
    return in != NULL;
}

bool fsd_ints_cast(const struct fsd_op_case *c, struct fsd_ints *out)
{
    fsd_id to = fsd_node_out_tensor(c->g, c->node, 0);
    enum fsd_dtype type = fsd_tensor_form(c->g, to)->type;

    return (type == FSD_INT64 || type == FSD_INT32) && fsd_ints_first(c, out);
}

bool fsd_ints_gather(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_ints *in = fsd_ints_in(c, 0), *at = fsd_ints_in(c, 1);

    if (!in || !at || fsd_shape_in(c, 0)->rank != 1)
        return false;
    for (uint32_t i = 0; i < at->n; i++) {
        int64_t k;

        if (!fsd_amount_number(c->t, at->at[i], &k) || (k = fsd_axis(k, in->n)) < 0)
            return false;
        out->at[out->n++] = in->at[k];
    }
    return true;
}

bool fsd_ints_concat(const struct fsd_op_case *c, struct fsd_ints *out)
{
    for (uint32_t i = 0; i < c->g->nodes.at[c->node].in.n; i++) {
        const struct fsd_ints *in = fsd_ints_in(c, i);
        const struct fsd_shape *shape = fsd_shape_in(c, i);
        uint32_t n = in              ? in->n
                     : shape->ranked ? (uint32_t)shape->dims[0]
                                     : FSD_INTS + 1;

        if (shape->rank != 1 || (!in && shape->dims[0] < 0) || n + out->n > FSD_INTS)
            return false;
        for (uint32_t k = 0; k < n; k++)
            out->at[out->n++] = in ? in->at[k] : -1;
    }
    return true;
}

static bool below_0(const struct fsd_op_case *c, int64_t a)
{
    int64_t number;

    return fsd_amount_number(c->t, a, &number) && number < 0;
}

static int64_t compute(const struct fsd_op_case *c, char what, int64_t a, int64_t b)
{
    switch (what) {
    case '+':
        return fsd_plus(c->t, a, b);
    case '-':
        return fsd_minus(c->t, a, b);
    case '*':
        return fsd_times(c->t, a, b);
    case '/': /* if `a` is a negative number, the result is unknown (-1): fsd_over()
                 rounds down, but Div rounds toward 0, like C */
        return a >= 0 || fsd_amount_is_open(c->t, a) ? fsd_over(c->t, a, b) : -1;
    case '=': /* A size is never negative, so it never equals a negative number.
                 Exporters compare sizes with -1 */
        if (below_0(c, a) != below_0(c, b) && a != -1 && b != -1 &&
            fsd_amount_is_count(c->t, below_0(c, a) ? b : a))
            return 0;
        if (a == -1 || b == -1 ||
            (a != b && (fsd_amount_is_open(c->t, a) || fsd_amount_is_open(c->t, b))))
            return -1;
        return a == b;
    default:
        return a >= 0 && b > 0 ? a % b : -1;
    }
}

/* Computes an operator on two integer tensors, element by element.  One of them may
 * have a single element. */
bool fsd_ints_arithmetic(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_ints *a = fsd_ints_in(c, 0), *b = fsd_ints_in(c, 1);
    const struct fsd_shape *x = fsd_shape_in(c, 0), *y = fsd_shape_in(c, 1);

    if (!a || !b || !x->ranked || !y->ranked || x->rank > 1 || y->rank > 1 ||
        (a->n != b->n && a->n != 1 && b->n != 1))
        return false;
    out->n = a->n > b->n ? a->n : b->n;
    for (uint32_t i = 0; i < out->n; i++)
        out->at[i] = compute(c, c->op->variant, a->at[a->n == 1 ? 0 : i],
                             b->at[b->n == 1 ? 0 : i]);
    return true;
}

bool fsd_ints_where(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_ints *in[3];

    for (uint32_t i = 0; i < 3; i++) {
        in[i] = fsd_ints_in(c, i);
        if (!in[i] || fsd_shape_in(c, i)->rank > 1)
            return false;
        out->n = in[i]->n > out->n ? in[i]->n : out->n;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (in[i]->n != out->n && in[i]->n != 1)
            return false;
    for (uint32_t i = 0; i < out->n; i++) {
        int64_t which = in[0]->at[in[0]->n == 1 ? 0 : i];
        const struct fsd_ints *from = which == 1 ? in[1] : in[2];

        out->at[i] = which < 0 ? -1 : from->at[from->n == 1 ? 0 : i];
    }
    return true;
}

bool fsd_ints_fill(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_attr *attr = fsd_case_attr(c, "value");
    struct fsd_shape shape = {0};
    struct fsd_ints one;
    int64_t n;

    if (!attr || attr->kind != FSD_ATTR_TENSOR || attr->form == FSD_NONE ||
        attr->value == FSD_NONE || !fsd_shape_filled(c, &shape))
        return false;
    n = fsd_shape_count(c->t, &shape);
    if (n < 0 || n > FSD_INTS ||
        !read_value(c->t, &c->g->values.at[attr->value],
                    c->g->forms.at[attr->form].type, &one) ||
        one.n != 1)
        return false;
    for (out->n = 0; out->n < n; out->n++)
        out->at[out->n] = one.at[0];
    return true;
}

/* Copies the elements that a Slice along axis 0 takes.  It takes whole rows; a row has
 * all elements of the other axes. */
bool fsd_ints_slice(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_ints *in = fsd_ints_in(c, 0);
    struct fsd_taken cut;
    uint32_t row;

    if (!in || !in->n || !x->rank || x->dims[0] < 1 || in->n % x->dims[0] ||
        !fsd_slice_cut(c, &cut) || cut.n != 1 || cut.axis[0] != 0 || cut.count[0] < 0)
        return false;
    row = in->n / (uint32_t)x->dims[0];
    for (int64_t i = 0; i < cut.count[0]; i++)
        for (uint32_t k = 0; k < row; k++)
            out->at[out->n++] = in->at[(cut.from[0] + i * cut.step[0]) * row + k];
    return true;
}

bool fsd_ints_transpose(const struct fsd_op_case *c, struct fsd_ints *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    const struct fsd_ints *in = fsd_ints_in(c, 0);
    uint32_t n;
    const int64_t *perm = fsd_case_ints(c, "perm", &n);
    int64_t rows = x->dims[0], columns = x->dims[1];

    if (!in || x->rank != 2 || rows < 1 || columns < 1 || rows > FSD_INTS ||
        columns > FSD_INTS || rows * columns != in->n ||
        (perm && (n != 2 || perm[0] != 1 || perm[1] != 0)))
        return false;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t k = 0; k < rows; k++)
            out->at[out->n++] = in->at[k * columns + i];
    return true;
}

void fsd_ints_by_rule(struct fsd_sizes *s, const struct fsd_op_case *c)
{
    fsd_id to = fsd_node_out_tensor(c->g, c->node, 0);
    const struct fsd_ints *known;
    struct fsd_ints elements = {0};
    bool all;
    int64_t number;

    if (to == FSD_NONE || !c->op->ints)
        return;
    known = fsd_sizes_ints(s, to);
    all = known != NULL;
    for (uint32_t i = 0; all && i < known->n; i++)
        all = fsd_amount_number(c->t, known->at[i], &number);
    *c->guessed = false;
    if (!all && c->op->ints(c, &elements) && !*c->guessed && elements.n <= FSD_INTS)
        keep(s, to, &elements);
}
