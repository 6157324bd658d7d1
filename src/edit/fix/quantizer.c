/*
 * Edits that change a quantizer in its place: they set a different scale or the zero
 * point 0, repeat the scale for each channel, or give a scalar a dimension.
 */
#include "base/base.h"
#include "edit/fix/apply.h"
#include "model/graph/graph.h"
#include "model/graph/half.h"

/* --------------------------------------------------------------------------- words */

static bool is_dq_of(const struct fsd_lint *l, fsd_id node, fsd_id data)
{
    const struct fsd_quantizer *dq = fsd_lint_quantizer(l, node);

    return dq && !dq->quantizes && dq->data == data;
}

fsd_id fsd_fix_dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i)
{
    fsd_id reader = l->g->links.at[l->g->tensors.at[tensor].consumers.at + i];

    return is_dq_of(l, reader, tensor) ? reader : FSD_NONE;
}

bool fsd_fix_is_scale(enum fsd_dtype type)
{
    return type == FSD_FP32 || type == FSD_FP16 || type == FSD_BF16;
}

void fsd_fix_drop_node(struct fsd_apply *a, fsd_id node)
{
    a->dropped[node] = true;
    fsd_onnx_drop_node(a->edits, node);
}

void fsd_fix_set_input(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const char *name)
{
    a->rewired[a->g->nodes.at[node].in.at + input] = true;
    fsd_onnx_set_input(a->edits, node, input, name);
}

const char *fsd_fix_read_at(struct fsd_apply *a, fsd_id node, uint32_t input)
{
    const char *own = a->reads[a->g->nodes.at[node].in.at + input];

    return own ? own : fsd_fix_name_of(a, fsd_node_in_tensor(a->g, node, input));
}

const char *fsd_fix_new_read(struct fsd_apply *a, const struct fsd_edit *e,
                             uint32_t input, const char *word)
{
    return fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_lint_%u_%s%u",
                                                   e->tensor, e->node, word, input));
}

void fsd_fix_insert_at(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const struct fsd_onnx_new_node *made)
{
    fsd_onnx_insert_node(a->edits, node, made);
    a->reads[a->g->nodes.at[node].in.at + input] = made->output;
    fsd_fix_set_input(a, node, input, made->output);
}

fsd_id fsd_fix_held(const struct fsd_apply *a, fsd_id tensor)
{
    /* A model may have a cycle of Q/DQ pairs, although no builder accepts a cycle. The
     * number of steps is therefore limited. */
    for (uint32_t n = a->g->tensors.n; n && a->instead[tensor] != tensor; n--)
        tensor = a->instead[tensor];
    return tensor;
}

const char *fsd_fix_name_of(struct fsd_apply *a, fsd_id tensor)
{
    tensor = fsd_fix_held(a, tensor);
    a->kept[tensor] = true;
    return fsd_text(a->g->names, a->g->tensors.at[tensor].name);
}

bool fsd_fix_is_output(const struct fsd_apply *a, fsd_id tensor)
{
    return a->g->tensors.at[tensor].flags & FSD_TENSOR_OUTPUT;
}

void fsd_fix_add_floats(struct fsd_apply *a, const char *name, enum fsd_dtype type,
                        const int64_t *dims, uint32_t rank, const float *floats,
                        uint32_t n)
{
    uint16_t *halves;

    if (type != FSD_FP16 && type != FSD_BF16) {
        fsd_onnx_add_shaped(a->edits, name, FSD_ONNX_FLOAT, dims, rank, floats,
                            n * sizeof *floats);
        return;
    }
    halves = FSD_NEW(a->f->arena, uint16_t, n);
    for (uint32_t i = 0; i < n; i++)
        halves[i] = type == FSD_FP16 ? fsd_half_of(floats[i]) : fsd_brain_of(floats[i]);
    fsd_onnx_add_shaped(a->edits, name,
                        type == FSD_FP16 ? FSD_ONNX_FLOAT16 : FSD_ONNX_BFLOAT16, dims,
                        rank, halves, n * sizeof *halves);
}

/* Adds an initializer with equal scales, and returns its name.
 * @param n number of scales; 0: one scale without an axis */
static const char *add_scales(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type, uint32_t n)
{
    const char *name =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_scale", base));
    uint32_t count = n ? n : 1;
    float *all = FSD_NEW(a->f->arena, float, count);
    const int64_t dims = n;

    for (uint32_t i = 0; i < count; i++)
        all[i] = (float)scale;
    fsd_fix_add_floats(a, name, type, &dims, n > 0, all, count);
    return name;
}

const char *fsd_fix_add_scale(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type)
{
    return add_scales(a, base, scale, type, 0);
}

/* ------------------------------------------------------------------------ one scale */

const char *fsd_fix_refuse_scale(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(f->lint, e->node);
    struct fsd_span in = f->lint->g->nodes.at[e->node].in;

    if (!q)
        return "the node is not a quantizer";
    if (q->n != 1)
        return "the quantizer has per-channel scales, or an unknown scale";
    if (f->set[in.at + e->input])
        return "another edit changes this scale";
    return fsd_fix_is_scale(fsd_tensor_form(f->lint->g, q->scale)->type)
               ? NULL
               : "the scale is not FP32, FP16 or BF16";
}

/* The Q whose output the DQ reads; NULL if the DQ reads a stored tensor. */
static const struct fsd_quantizer *undone(const struct fsd_lint *l,
                                          const struct fsd_quantizer *dq)
{
    const struct fsd_quantizer *q =
        dq ? fsd_lint_quantizer(l, fsd_tensor_producer(l->g, dq->data)) : NULL;

    return q && q->quantizes ? q : NULL;
}

/* Sets input number `input` of a Q and of all its DQs to the tensor `name`. `q` is the
 * Q or one of these DQs. If `q` is a DQ without a Q, changes only this DQ. Each changed
 * node must already have an input with this number. */
static void set_inputs(struct fsd_apply *a, const struct fsd_quantizer *q,
                       uint32_t input, const char *name)
{
    const struct fsd_lint *l = a->f->lint;
    const struct fsd_quantizer *first = q->quantizes ? q : undone(l, q);
    fsd_id out;

    fsd_fix_set_input(a, q->node, input, name);
    if (!first)
        return;
    fsd_fix_set_input(a, first->node, input, name);
    out = fsd_node_out_tensor(a->g, first->node, 0);
    for (uint32_t i = 0; i < a->g->tensors.at[out].consumers.n; i++)
        if (fsd_fix_dq_at(l, out, i) != FSD_NONE)
            fsd_fix_set_input(a, fsd_fix_dq_at(l, out, i), input, name);
}

void fsd_fix_set_scale(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(a->f->lint, fix->edit->node);
    const char *base = fsd_printed(a->f->arena, "%s_lint", fix->edit->name);

    set_inputs(
        a, q, 1,
        fsd_fix_add_scale(a, base, fix->scale, fsd_tensor_form(a->g, q->scale)->type));
}

/* ------------------------------------------------------------------- one zero point */

/* Refuses the edit unless all consumers of the Q's output are DQs, because the edit
 * also changes the zero points of these DQs. */
const char *fsd_fix_refuse_symmetric(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    fsd_id out = fsd_node_out_tensor(g, e->node, 0);
    struct fsd_span readers = g->tensors.at[out].consumers;

    if (fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT))
        return "the output of the node is an output of the network";
    for (uint32_t i = 0; i < readers.n; i++) {
        fsd_id dq = fsd_fix_dq_at(f->lint, out, i);

        if (dq == FSD_NONE || !fsd_node_has_in(g, dq, 2))
            return "a reader of the quantizer is no DequantizeLinear, or a "
                   "DequantizeLinear without a zero point";
        if (!fsd_onnx_can_edit(g, dq))
            return "a DequantizeLinear that reads the quantizer is in a model-local "
                   "function";
    }
    return fsd_node_attr(g, &g->nodes.at[e->node], "output_dtype")
               ? "this edit cannot change the quantized type, because the attribute "
                 "output_dtype sets it"
               : fsd_fix_refuse_scale(f, e);
}

void fsd_fix_make_symmetric(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(a->f->lint, fix->edit->node);
    const char *zero = fsd_onnx_new_name(
        a->edits, fsd_printed(a->f->arena, "%s_lint_zero", fix->edit->name));

    fsd_fix_set_scale(a, fix);
    fsd_onnx_add_tensor(a->edits, zero, FSD_ONNX_INT8, "", 1);
    set_inputs(a, q, 2, zero);
    fsd_onnx_set_type(a->edits, fsd_node_out_tensor(a->g, q->node, 0), FSD_ONNX_INT8);
}

/* ------------------------------------------------------ one scale for each channel */

/* The number of output channels of the convolution that reads the weights; 0 if
 * unknown. */
static uint32_t channels_of(const struct fsd_lint *l, const struct fsd_quantizer *q)
{
    const struct fsd_shape *shape = fsd_shape_of(l->sizes, q->data);

    return shape->ranked && shape->rank > 2 && shape->dims[0] > 0 &&
                   shape->dims[0] < UINT32_MAX
               ? (uint32_t)shape->dims[0]
               : 0;
}

const char *fsd_fix_refuse_spread(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_quantizer *dq = fsd_lint_quantizer(l, e->node);
    const struct fsd_quantizer *q = undone(l, dq);

    if (!dq || dq->n != 1 || !dq->scales || dq->type != FSD_INT8 || !channels_of(l, dq))
        return "the scales are per-channel, or the sizes of the weights are unknown";
    if (fsd_graph_opset(l->g) < 13)
        return "the model's opset is below 13, so a quantizer has only one scale";
    if (f->set[l->g->nodes.at[e->node].in.at])
        return "another edit changes the quantizer";
    return q && fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, q->node, 0)) !=
                       dq->node
               ? "several nodes read the quantized weights"
               : NULL;
}

/* Replaces the quantizer by one with a scale for each channel. The attribute `axis`
 * states the axis of the channels. */
static void replace_quantizer(struct fsd_apply *a, const struct fsd_quantizer *q,
                              const char *scales, const char *zeros)
{
    const struct fsd_node *n = &a->g->nodes.at[q->node];
    fsd_id out = fsd_node_out_tensor(a->g, q->node, 0);
    const char *name = fsd_text(a->g->names, a->g->tensors.at[out].name);

    fsd_onnx_insert_node(a->edits, q->node,
                         &(struct fsd_onnx_new_node){
                             .op = fsd_text(a->g->names, n->op),
                             .name = n->name ? fsd_text(a->g->names, n->name) : name,
                             .inputs = {fsd_fix_name_of(a, q->data), scales, zeros},
                             .output = name,
                             .along_first = true});
    fsd_fix_drop_node(a, q->node);
}

void fsd_fix_spread_scale(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_lint *l = a->f->lint;
    const struct fsd_quantizer *dq = fsd_lint_quantizer(l, fix->edit->node);
    const struct fsd_quantizer *q = undone(l, dq);
    const char *base = fsd_printed(a->f->arena, "%s_lint", fix->edit->name);
    const char *zeros =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_zero", base));
    uint32_t n = channels_of(l, dq);
    const char *scales =
        add_scales(a, base, dq->scales[0], fsd_tensor_form(a->g, dq->scale)->type, n);

    fsd_onnx_add_array(a->edits, zeros, FSD_ONNX_INT8, n,
                       FSD_NEW(a->f->arena, int8_t, n), n);
    if (q)
        replace_quantizer(a, q, scales, zeros);
    replace_quantizer(a, dq, scales, zeros);
}

/* ------------------------------------------------------------- a scalar's dimension */

/* Refuses the edit if a consumer does not broadcast the value, because the additional
 * dimension may then change the sizes of the consumer's output. */
const char *fsd_fix_refuse_dimension(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_graph *g = l->g;
    fsd_id out = fsd_node_out_tensor(g, e->node, 0),
           data = fsd_op_copied(g, fsd_node_in_tensor(g, e->node, 0));
    const struct fsd_value *v = fsd_tensor_value(g, data);
    struct fsd_span readers = g->tensors.at[out].consumers;
    enum fsd_dtype type = fsd_tensor_form(g, data)->type;

    if (!v || !v->bytes || v->size != 1 || (type != FSD_INT8 && type != FSD_FP8))
        return "the value of the scalar is unknown";
    if (fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT))
        return "the output of the node is an output of the network";
    FSD_EACH_ID (reader, g->links, readers) {
        const struct fsd_shape *made =
            fsd_shape_of(l->sizes, fsd_node_out_tensor(g, reader, 0));

        if (!(l->facts->traits[reader] & FSD_OP_ELEMENTWISE) || !made->ranked ||
            !made->rank)
            return "a node that reads the scalar does not broadcast it";
    }
    return f->set[g->nodes.at[e->node].in.at] ? "another edit changes the quantizer"
                                              : NULL;
}

void fsd_fix_add_dimension(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const int64_t one = 1;
    fsd_id out = fsd_node_out_tensor(a->g, fix->edit->node, 0);
    fsd_id data = fsd_op_copied(a->g, fsd_node_in_tensor(a->g, fix->edit->node, 0));
    const char *name = fsd_onnx_new_name(
        a->edits, fsd_printed(a->f->arena, "%s_lint_row", fix->edit->name));

    fsd_onnx_add_shaped(a->edits, name,
                        fsd_tensor_form(a->g, data)->type == FSD_FP8
                            ? FSD_ONNX_FLOAT8E4M3FN
                            : FSD_ONNX_INT8,
                        &one, 1, fsd_tensor_value(a->g, data)->bytes, 1);
    fsd_fix_set_input(a, fix->edit->node, 0, name);
    fsd_onnx_drop_listed(a->edits, FSD_ONNX_VALUES, a->g->tensors.at[out].name);
}
