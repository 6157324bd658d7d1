/* Shapes of elementwise operators, matrix products and recurrent layers. */
#include "model/ops/rule.h"

bool fsd_shape_same(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    return out->ranked;
}

bool fsd_shape_second(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 1);
    return out->ranked;
}

bool fsd_shape_scalar(const struct fsd_op_case *c, struct fsd_shape *out)
{
    (void)c;
    out->ranked = true;
    return true;
}

/* The operator outputs the quantized tensor, its scale and its zero point. */
bool fsd_shape_quantized(const struct fsd_op_case *c, struct fsd_shape *out)
{
    return c->out ? fsd_shape_scalar(c, out) : fsd_shape_same(c, out);
}

void fsd_shape_broadcast(struct fsd_shape *to, const struct fsd_shape *by,
                         uint32_t keep)
{
    struct fsd_shape wide = to->rank >= by->rank ? *to : *by;
    const struct fsd_shape *narrow = to->rank >= by->rank ? by : to;

    for (uint32_t i = keep; i < narrow->rank; i++) {
        uint32_t w = wide.rank - 1u - i, n = narrow->rank - 1u - i;

        int64_t a = wide.dims[w], b = narrow->dims[n];

        if (a == 1 || (b != 1 && a != b)) /* Broadcasts two sizes.  For dynamic sizes M
                                             and N: 1 and N give N; 8 and N give 8; 8
                                             and -1 (unknown) give 8; M and N give -1 */
            wide.dims[w] = a == 1 ? b : a > 1 ? a : b > 1 ? b : -1;
    }
    *to = wide;
}

/* Broadcasts the shapes of all operands.  A QLinearAdd has two operands; its other
 * inputs are scales and zero points. */
bool fsd_shape_elementwise(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t n = c->op->traits & FSD_OP_QLINEAR ? 2 : c->g->nodes.at[c->node].in.n;

    *out = *fsd_shape_in(c, 0);
    for (uint32_t k = 1; k < n && out->ranked; k++) {
        const struct fsd_shape *by = fsd_shape_operand(c, k);

        fsd_shape_broadcast(out, by, 0);
        out->ranked = by->ranked;
    }
    return out->ranked;
}

/* The operator outputs the normalized tensor, the mean, and the inverse standard
 * deviation.  The last two are computed over all axes from `axis` on. */
bool fsd_shape_normalized(const struct fsd_op_case *c, struct fsd_shape *out)
{
    int64_t axis = fsd_case_axis(c, -1);

    *out = *fsd_shape_in(c, 0);
    for (int64_t k = axis; c->out && axis >= 0 && k < out->rank; k++)
        out->dims[k] = 1;
    return out->ranked && (!c->out || axis >= 0);
}

/* The operator outputs the normalized tensor, and then statistics of each channel. */
bool fsd_shape_statistics(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);

    if (!c->out)
        return fsd_shape_same(c, out);
    *out = (struct fsd_shape){true, 1, {x->rank > 1 ? x->dims[1] : -1}};
    return x->ranked;
}

/* An optimizer outputs new weights and states.  Its inputs are the rate, the step, the
 * weights, their gradients, and their states.  Adam (variant 'a') has two states per
 * weight, other optimizers have one. */
bool fsd_shape_updated(const struct fsd_op_case *c, struct fsd_shape *out)
{
    uint32_t in = c->g->nodes.at[c->node].in.n, kinds = c->op->variant == 'a' ? 4 : 3;
    uint32_t weights = in < 2 ? 0 : (in - 2) / kinds;

    *out = *fsd_shape_in(c, 2 + c->out + (c->out < weights ? 0 : weights));
    return out->ranked && (in - 2) % kinds == 0;
}

/* The operator outputs one loss per element of the target, or the mean or sum of all
 * losses.  Its second output is the probabilities. */
bool fsd_shape_loss(const struct fsd_op_case *c, struct fsd_shape *out)
{
    if (c->out)
        return fsd_shape_same(c, out);
    return strcmp(fsd_case_word(c, "reduction"), "none") != 0
               ? fsd_shape_scalar(c, out)
               : fsd_shape_second(c, out);
}

/* --------------------------------------------------------------------- products */

/* The shape of a matrix product.  If operand 0 is a vector, it counts as a matrix of
 * one row.  If operand 1 is a vector, it counts as a matrix of one column.  The result
 * does not have the added dimension.  A Gemm or FusedMatMul may transpose its matrices
 * first. */
bool fsd_shape_matmul(const struct fsd_op_case *c, struct fsd_shape *out)
{
    struct fsd_shape a = *fsd_shape_operand(c, 0), b = *fsd_shape_operand(c, 1);
    bool row = a.rank == 1, column = b.rank == 1, flips = c->op->variant == 'f';
    int64_t m, n;

    if (!a.rank || !b.rank)
        return false;
    if (row)
        a = (struct fsd_shape){true, 2, {1, a.dims[0]}};
    if (column)
        b = (struct fsd_shape){true, 2, {b.dims[0], 1}};
    m = a.dims[a.rank - (flips && fsd_case_int(c, "transA", 0) ? 1 : 2)];
    n = b.dims[b.rank - (flips && fsd_case_int(c, "transB", 0) ? 2 : 1)];
    *out = a;
    fsd_shape_broadcast(out, &b, 2);
    out->rank = (uint8_t)(out->rank - 2);
    if (!row)
        out->dims[out->rank++] = m;
    if (!column)
        out->dims[out->rank++] = n;
    return true;
}

/* The weight is a K x N matrix, stored in blocks of elements of a few bits.  Attributes
 * state K and N. */
bool fsd_shape_matmul_bits(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (!out->rank)
        return false;
    out->dims[out->rank - 1] = fsd_case_size(c, "N", -1);
    return true;
}

/* The operator outputs one determinant per matrix. */
bool fsd_shape_det(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (out->rank < 2)
        return false;
    out->rank = (uint8_t)(out->rank - 2);
    return true;
}

/* -------------------------------------------------------------- recurrent layers */

/* LSTM, GRU and RNN output the hidden states of all steps, and then the last hidden
 * state.  An LSTM also outputs the last cell state. */
bool fsd_shape_recurrent(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    bool both = !strcmp(fsd_case_word(c, "direction"), "bidirectional");
    bool batch_first = fsd_case_int(c, "layout", 0) != 0;
    int64_t ways = both ? 2 : 1, hidden = fsd_case_size(c, "hidden_size", -1);

    if (x->rank != 3)
        return false;
    if (c->out)
        *out = batch_first ? (struct fsd_shape){true, 3, {x->dims[0], ways, hidden}}
                           : (struct fsd_shape){true, 3, {ways, x->dims[1], hidden}};
    else
        *out =
            batch_first
                ? (struct fsd_shape){true, 4, {x->dims[0], x->dims[1], ways, hidden}}
                : (struct fsd_shape){true, 4, {x->dims[0], ways, x->dims[1], hidden}};
    return true;
}
