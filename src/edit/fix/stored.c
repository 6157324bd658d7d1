/*
 * Converts stored constants that feed a DequantizeLinear to a type that the builder
 * supports: to the floats that the node computes, or to integers with the zero point 0.
 */
#include "base/base.h"
#include "edit/fix/apply.h"
#include "model/graph/graph.h"

/* A stored constant of 8 bits, and the node that dequantizes it. */
struct stored {
    const struct fsd_quantizer *dq;
    const struct fsd_shape *shape;
    const struct fsd_value *data;
    const unsigned char *zeros; /* NULL: all are 0 */
    uint32_t n_zeros, n;        /* n_zeros: number of zero points; n: number of
                                   elements */
    uint32_t inner;             /* number of consecutive elements with one scale */
};

/* Reads the zero points; false if they are unknown, or if their number differs from the
 * number of scales. */
static bool read_zeros(struct stored *s, const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_value *v;

    if (s->dq->zero == FSD_ZERO_NONE)
        return true;
    v = fsd_tensor_value(g, fsd_node_in_tensor(g, node, 2));
    if (!v || !v->bytes || (v->size != 1 && v->size != s->dq->n))
        return false;
    s->zeros = v->bytes;
    s->n_zeros = (uint32_t)v->size;
    return true;
}

static bool read_stored(struct stored *s, const struct fsd_lint *l, fsd_id node)
{
    uint64_t inner = 1;

    *s = (struct stored){.dq = fsd_lint_quantizer(l, node), .inner = 1};
    if (!s->dq || s->dq->quantizes || !s->dq->scales || s->dq->block)
        return false;
    s->shape = fsd_shape_of(l->sizes, s->dq->data);
    s->data = fsd_tensor_value(l->g, s->dq->data);
    if (!s->shape->ranked || !s->data || !s->data->bytes || s->data->size > UINT32_MAX)
        return false;
    s->n = (uint32_t)s->data->size;
    if (s->dq->n > 1 && (s->dq->axis < 0 || s->dq->axis >= s->shape->rank ||
                         s->shape->dims[s->dq->axis] != s->dq->n))
        return false;
    for (int64_t i = s->dq->axis + 1; s->dq->n > 1 && i < s->shape->rank; i++)
        inner *= (uint64_t)s->shape->dims[i];
    s->inner = inner < s->n ? (uint32_t)inner : s->n;
    return s->inner && read_zeros(s, l->g, node);
}

static uint32_t place(const struct stored *s, uint32_t i, uint32_t n)
{
    return n > 1 ? i / s->inner % n : 0;
}

/* The element minus its zero point. */
static int above_zero(const struct stored *s, uint32_t i)
{
    bool plain = s->dq->type == FSD_UINT8;
    unsigned char at = s->data->bytes[i],
                  zero = s->zeros ? s->zeros[place(s, i, s->n_zeros)] : 0;

    return plain ? at - zero : (int8_t)at - (int8_t)zero;
}

static bool fits_int8(const struct stored *s)
{
    bool fits = true;

    for (uint32_t i = 0; i < s->n && fits; i++)
        fits = above_zero(s, i) == (int8_t)above_zero(s, i);
    return fits;
}

const char *fsd_fix_refuse_store(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    struct fsd_span in = g->nodes.at[e->node].in;
    struct stored s;

    if (!read_stored(&s, f->lint, e->node))
        return "the values, scales or zero points of the constant are unknown";
    for (uint32_t i = 0; i < in.n; i++)
        if (f->set[in.at + i])
            return "another edit changes the quantizer";
    if (!strcmp(e->type, fsd_dtype_name(FSD_INT8)))
        return !fsd_node_has_in(g, e->node, 2)
                   ? "the edit replaces the zero point, but the quantizer has none"
               : fits_int8(&s)
                   ? NULL
                   : "the values minus the zero point exceed the range of INT8";
    if (!fsd_fix_is_scale(fsd_tensor_form(g, s.dq->scale)->type))
        return "the scale is not FP32, FP16 or BF16";
    return g->nodes.at[e->node].scope ? "the node is in a subgraph of another node"
           : fsd_tensor_is(g, fsd_node_out_tensor(g, e->node, 0), FSD_TENSOR_OUTPUT)
               ? "the output of the node is an output of the network"
               : NULL;
}

static void store_int8(struct fsd_apply *a, const struct stored *s, const char *base)
{
    const struct fsd_quantizer *dq = s->dq;
    const char *data =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_int8", base));
    const char *zero =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_zero", base));
    int8_t *at = FSD_NEW(a->f->arena, int8_t, s->n);

    for (uint32_t i = 0; i < s->n; i++)
        at[i] = (int8_t)above_zero(s, i);
    fsd_onnx_add_shaped(a->edits, data, FSD_ONNX_INT8, s->shape->dims, s->shape->rank,
                        at, s->n);
    fsd_onnx_add_array(a->edits, zero, FSD_ONNX_INT8, dq->n > 1 ? (int64_t)dq->n : -1,
                       FSD_NEW(a->f->arena, int8_t, dq->n), dq->n);
    fsd_fix_set_input(a, dq->node, 0, data);
    fsd_fix_set_input(a, dq->node, 2, zero);
}

/* Stores the floats as an initializer under the name of the node's output. */
static void store_floats(struct fsd_apply *a, const struct stored *s)
{
    fsd_id out = fsd_node_out_tensor(a->g, s->dq->node, 0);
    const char *name = fsd_text(a->g->names, a->g->tensors.at[out].name);
    float *floats = FSD_NEW(a->f->arena, float, s->n);

    for (uint32_t i = 0; i < s->n; i++)
        floats[i] =
            (float)above_zero(s, i) * (float)s->dq->scales[place(s, i, s->dq->n)];
    fsd_fix_drop_node(a, s->dq->node);
    fsd_fix_add_floats(a, name, fsd_tensor_form(a->g, s->dq->scale)->type,
                       s->shape->dims, s->shape->rank, floats, s->n);
}

void fsd_fix_store(struct fsd_apply *a, const struct fsd_fix *fix)
{
    struct stored s;

    read_stored(&s, a->f->lint, fix->edit->node);
    if (strcmp(fix->edit->type, fsd_dtype_name(FSD_INT8)) != 0)
        store_floats(a, &s);
    else
        store_int8(a, &s, fsd_printed(a->f->arena, "%s_lint", fix->edit->name));
}
