/*
 * Computes the multiply-adds of nodes from the shapes of their tensors.
 *
 *     Conv            output elements x input channels of a group x window
 *     ConvTranspose   input elements x output channels of a group x window
 *     Gemm, MatMul    output elements x the summed dimension
 *     LSTM, GRU, RNN  steps x weights
 *     Einsum          the product of the letters' sizes (shape_einsum.c)
 *     Attention       2 x heads x queries x keys x head size, per batch (attention.c)
 *
 * The multiply-adds of other operators do not matter: their cost is the bytes that they
 * move.
 */
#include "model/ops/rule.h"

static int64_t out_count(const struct fsd_op_case *c)
{
    return fsd_shape_count(c->t,
                           fsd_shape_of(c->s, fsd_node_out_tensor(c->g, c->node, 0)));
}

/* A Conv does K multiply-adds for each output element, and a ConvTranspose (variant
 * 't') for each input element.  K is the product of all dimensions of the weight except
 * the first. */
int64_t fsd_macs_conv(const struct fsd_op_case *c)
{
    const struct fsd_shape *w = fsd_shape_operand(c, 1);
    int64_t n = c->op->variant == 't' ? fsd_shape_count(c->t, fsd_shape_in(c, 0))
                                      : out_count(c);

    for (uint32_t i = 1; i < w->rank; i++)
        n = fsd_times(c->t, n, w->dims[i]);
    return w->ranked && w->rank ? n : -1;
}

/* Returns the axis of the first operand over which the product sums, counted from the
 * end: 1 is the last axis.  An operator of variant 'f' may transpose the operand, so
 * the axis is 1 or 2.  The size of the other one is the number of rows of the output.
 * If this number is unknown or fits neither axis, the attribute `transA` decides. */
static uint32_t summed_axis(const struct fsd_op_case *c, const struct fsd_shape *a)
{
    fsd_id out = fsd_node_out_tensor(c->g, c->node, 0);
    const struct fsd_shape *y = fsd_shape_of(c->s, out);
    int64_t rows = y->rank < 2 ? -1 : y->dims[y->rank - 2];

    if (c->op->variant != 'f' || a->rank < 2 ||
        (rows != -1 && rows == a->dims[a->rank - 2]))
        return 1;
    if (rows != -1 && rows == a->dims[a->rank - 1])
        return 2;
    return fsd_case_int(c, "transA", 0) ? 2 : 1;
}

int64_t fsd_macs_matmul(const struct fsd_op_case *c)
{
    const struct fsd_shape *a = fsd_shape_in(c, 0);
    uint32_t back = summed_axis(c, a);

    return a->rank >= back ? fsd_times(c->t, out_count(c), a->dims[a->rank - back])
                           : -1;
}

/* Each step multiplies the input by the weight W and the previous state by the weight
 * R, for all gates and directions. */
int64_t fsd_macs_recurrent(const struct fsd_op_case *c)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0);
    int64_t weights = fsd_plus(c->t, fsd_shape_count(c->t, fsd_shape_in(c, 1)),
                               fsd_shape_count(c->t, fsd_shape_in(c, 2)));

    return x->rank == 3
               ? fsd_times(c->t, fsd_times(c->t, x->dims[0], x->dims[1]), weights)
               : -1;
}

int64_t fsd_op_macs(const struct fsd_sizes *s, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(s->g, node);
    bool guessed = false;
    struct fsd_op_case c = {s, s->amounts, s->g, op, node, 0, &guessed};
    int64_t macs = op && op->macs ? op->macs(&c) : 0;

    return !op || op->traits & FSD_OP_OPAQUE || guessed ? -1 : macs;
}
