/*
 * Reads quantizers: the values of their scales, the quantizers that a tensor reaches,
 * and the DQ whose output a tensor holds.
 */
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

#include <math.h>

enum { REACH = 256, DEPTH = 16 };

static void read_scales(struct fsd_lint *l, struct fsd_quantizer *q)
{
    const struct fsd_shape *shape = fsd_shape_of(l->sizes, q->scale);
    double *scales;
    bool any = false;

    if (shape->ranked && fsd_shape_is_full(shape)) {
        int64_t n = fsd_shape_count(l->sizes->amounts, shape);

        q->n = n > 0 && n < UINT32_MAX ? (uint32_t)n : 0;
    }
    scales = fsd_op_numbers(l->arena, l->g, q->scale, &q->n);
    if (!scales)
        return;
    for (uint32_t i = 0; i < q->n && !any; i++)
        any = fabs(scales[i]) > 0 || isnan(scales[i]);
    /* Several scales that are all 0 mean that the file lacks their values. */
    if (any || q->n == 1)
        q->scales = scales;
}

static enum fsd_zero zero_of(const struct fsd_lint *l, fsd_id node)
{
    fsd_id root = fsd_op_copied(l->g, fsd_node_in_tensor(l->g, node, 2));
    const struct fsd_value *v = fsd_tensor_value(l->g, root);

    if (root == FSD_NONE)
        return FSD_ZERO_NONE;
    if (!v || !v->bytes)
        return FSD_ZERO_UNKNOWN;
    /* All bytes are 0 if the first byte is 0 and each other byte equals the byte before
     * it. */
    return v->size && (v->bytes[0] ||
                       memcmp(v->bytes, v->bytes + 1, (size_t)(v->size - 1)) != 0)
               ? FSD_ZERO_OTHER
               : FSD_ZERO_NONE;
}

/* The zero point if it is a single 8-bit value that is known; else 0. */
static int zero_point_of(const struct fsd_lint *l, const struct fsd_quantizer *q)
{
    const struct fsd_value *v = fsd_tensor_value(
        l->g, fsd_op_copied(l->g, fsd_node_in_tensor(l->g, q->node, 2)));

    return q->zero != FSD_ZERO_OTHER || v->size != 1 ? 0
           : q->type == FSD_INT8                     ? (int8_t)v->bytes[0]
                                                     : v->bytes[0];
}

void fsd_lint_add_quantizer(struct fsd_lint *l, fsd_id node)
{
    const struct fsd_graph *g = l->g;
    struct fsd_quantizer q = {.node = node,
                              .quantizes =
                                  (l->facts->traits[node] & FSD_OP_QUANTIZE) != 0,
                              .data = fsd_node_in_tensor(g, node, 0),
                              .scale = fsd_node_in_tensor(g, node, 1),
                              .axis = fsd_node_int(g, node, "axis", 1),
                              .block = fsd_node_int(g, node, "block_size", 0),
                              .zero = zero_of(l, node)};
    fsd_id narrow = q.quantizes ? fsd_node_out_tensor(g, node, 0) : q.data;
    const struct fsd_shape *shape = fsd_shape_of(l->sizes, q.data);

    if (narrow != FSD_NONE)
        q.type = fsd_tensor_form(g, narrow)->type;
    if (q.type == FSD_DTYPE_UNKNOWN && q.quantizes)
        q.type = fsd_op_type(g, node, 0);
    q.zero_point = zero_point_of(l, &q);
    if (q.axis < 0)
        q.axis = shape->ranked ? q.axis + shape->rank : -1;
    read_scales(l, &q);
    l->quantizer_of[node] = l->quantizers.n;
    fsd_vec_push(l->arena, &l->quantizers, q);
}

const struct fsd_quantizer *fsd_lint_quantizer(const struct fsd_lint *l, fsd_id node)
{
    return fsd_id_at(l->quantizer_of, node) == FSD_NONE
               ? NULL
               : &l->quantizers.at[l->quantizer_of[node]];
}

const struct fsd_quantizer *fsd_lint_holder(const struct fsd_lint *l, fsd_id tensor)
{
    return fsd_id_at(l->holds, tensor) == FSD_NONE
               ? NULL
               : &l->quantizers.at[l->holds[tensor]];
}

const struct fsd_quantizer *fsd_lint_held(const struct fsd_lint *l, fsd_id node,
                                          uint32_t input)
{
    return fsd_lint_holder(l, fsd_node_in_tensor(l->g, node, input));
}

bool fsd_lint_is_narrow(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *data = fsd_lint_held(l, node, 0);
    const struct fsd_quantizer *weights = fsd_lint_held(l, node, 1);

    return (fsd_traits_of(l->facts, node) & FSD_OP_WEIGHTED) && data && weights &&
           fsd_dtype_is_quantized(data->type) && fsd_dtype_is_quantized(weights->type);
}

/* A walk from a tensor to quantizers. Paths may split and join again, so `left` limits
 * how many consumers are visited. */
struct walk {
    const struct fsd_lint *l;
    struct fsd_arena *arena;
    fsd_reaches *out;
    uint32_t left;
};

static void reach(struct walk *w, fsd_id tensor, fsd_id via, int depth)
{
    const struct fsd_lint *l = w->l;
    struct fsd_span readers = l->g->tensors.at[tensor].consumers;

    for (uint32_t i = 0; i < readers.n && w->left; i++) {
        fsd_id node = l->g->links.at[readers.at + i];
        const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

        w->left--;
        if (q && q->quantizes && q->data == tensor)
            fsd_vec_push(w->arena, w->out,
                         ((struct fsd_reach){l->quantizer_of[node], via}));
        else if ((l->facts->traits[node] & FSD_OP_COMMUTES) && depth < DEPTH)
            for (uint32_t k = 0; k < l->g->nodes.at[node].out.n; k++)
                if (fsd_node_has_out(l->g, node, k))
                    reach(w, fsd_node_out_tensor(l->g, node, k), fsd_id_or(via, node),
                          depth + 1);
    }
}

void fsd_lint_reach(const struct fsd_lint *l, fsd_id tensor, struct fsd_arena *arena,
                    fsd_reaches *out)
{
    struct walk w = {l, arena, out, REACH};

    if (tensor != FSD_NONE)
        reach(&w, tensor, FSD_NONE, 0);
}

enum fsd_likeness fsd_lint_scales(const struct fsd_lint *l,
                                  const struct fsd_quantizer *a,
                                  const struct fsd_quantizer *b)
{
    if (fsd_op_copied(l->g, a->scale) == fsd_op_copied(l->g, b->scale))
        return FSD_ALIKE;
    if (!a->scales || !b->scales)
        return a->n && b->n && a->n != b->n ? FSD_UNLIKE : FSD_ALIKE_UNKNOWN;
    if (a->n != b->n)
        return FSD_UNLIKE;
    for (uint32_t i = 0; i < a->n; i++)
        if (!(a->scales[i] >= b->scales[i] && a->scales[i] <= b->scales[i]))
            return FSD_UNLIKE;
    return FSD_ALIKE;
}
