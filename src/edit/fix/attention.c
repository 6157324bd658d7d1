/*
 * Edits that give an attention sizes for which a builder makes one kernel:
 *
 *     Q --(Mul)--(Pad)-------+
 *     K --(Expand)--(Pad)--MatMul--...--Softmax--MatMul--(Slice)--
 *     V --(Expand)--(Pad)--------------------------+
 *
 * These edits are made before the edits of casts.c, whose Casts follow the new nodes.
 */
#include "base/base.h"
#include "edit/fix/apply.h"
#include "model/graph/graph.h"

enum {
    PAD_BY_INPUT = 11,   /* the first opset in which Pad reads its sizes as an input */
    SLICE_BY_INPUT = 10, /* the first opset in which Slice reads its bounds as inputs */
    EXPAND = 8           /* the first opset with Expand */
};

/* Adds an initializer with a row of integers that a new node reads, and returns its
 * name. */
static const char *add_row(struct fsd_apply *a, const char *base, const char *word,
                           const int64_t *numbers, uint32_t n)
{
    const char *name =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_%s", base, word));

    fsd_onnx_add_array(a->edits, name, FSD_ONNX_INT64, n, numbers, n * sizeof *numbers);
    return name;
}

static const char *refuse_input(const struct fsd_fixes *f, const struct fsd_edit *e,
                                int64_t opset, const char *before)
{
    struct fsd_span in = f->lint->g->nodes.at[e->node].in;

    return e->input >= in.n                      ? "the node has no such input"
           : f->set[in.at + e->input]            ? "another edit changes this input"
           : fsd_graph_opset(f->lint->g) < opset ? before
                                                 : NULL;
}

/* Inserts a node before the input of the edit's node. The second input of the new node
 * is `second`. */
static void put_before(struct fsd_apply *a, const struct fsd_edit *e, enum fsd_op_id op,
                       const char *name, const char *second)
{
    fsd_fix_insert_at(a, e->node, e->input,
                      &(struct fsd_onnx_new_node){
                          .op = fsd_text(a->g->names, op),
                          .name = name,
                          .inputs = {fsd_fix_read_at(a, e->node, e->input), second},
                          .output = name});
}

/* ------------------------------------------------------------------- a scale before */

const char *fsd_fix_refuse_first(struct fsd_fixes *f, const struct fsd_edit *e)
{
    return !fsd_onnx_can_edit(f->lint->g, e->to)
               ? "the node is in the body of a model-local function"
           : f->removed[e->to] ? "another edit removes the node"
                               : refuse_input(f, e, 0, NULL);
}

/* Removes the node e->to, which scales the product e->node. The consumers of e->to then
 * read the output of e->node. */
void fsd_fix_drop_scale(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;

    a->instead[fsd_node_out_tensor(a->g, e->to, 0)] =
        fsd_node_out_tensor(a->g, e->node, 0);
    fsd_fix_drop_node(a, e->to);
}

void fsd_fix_scale_first(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    const char *name = fsd_fix_new_read(a, e, e->input, "scaled");

    put_before(a, e, FSD_ONNX_Mul, name,
               fsd_fix_add_scale(a, name, e->scale, FSD_FP32));
}

/* ------------------------------------------------------------------- heads, padding */

const char *fsd_fix_refuse_repeat(struct fsd_fixes *f, const struct fsd_edit *e)
{
    return refuse_input(f, e, EXPAND,
                        "before opset 8 ONNX has no operator that repeats the heads");
}

/* Inserts an Expand that repeats the heads. Only the axis e->axis gets a new size.
 * e->axis is 0 for the last axis, 1 for the axis before the last, and so on. */
void fsd_fix_repeat_heads(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    const char *name = fsd_fix_new_read(a, e, e->input, "heads");
    int64_t *sizes = FSD_NEW(a->f->arena, int64_t, e->axis + 1);

    sizes[0] = e->size;
    for (uint32_t i = 1; i <= e->axis; i++)
        sizes[i] = 1;
    put_before(a, e, FSD_ONNX_Expand, name,
               add_row(a, name, "shape", sizes, e->axis + 1));
}

/* The shape of the tensor at the edit's input. */
static const struct fsd_shape *shape_at(const struct fsd_fixes *f,
                                        const struct fsd_edit *e)
{
    return fsd_shape_of(f->lint->sizes,
                        fsd_node_in_tensor(f->lint->g, e->node, e->input));
}

const char *fsd_fix_refuse_pad(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_shape *shape = shape_at(f, e);

    return !shape->ranked || e->axis >= shape->rank
               ? "the size of the input is unknown"
               : refuse_input(f, e, PAD_BY_INPUT,
                              "the edit inserts a Pad that reads its pads from an "
                              "input: this needs opset 11 or higher");
}

void fsd_fix_pad_input(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    const struct fsd_shape *shape = shape_at(a->f, e);
    uint32_t rank = shape->rank;
    const char *name = fsd_fix_new_read(a, e, e->input, "pad");
    int64_t *pads = FSD_NEW(a->f->arena, int64_t, (size_t)2 * rank), size = 0;

    fsd_amount_number(a->f->lint->sizes->amounts, shape->dims[rank - 1 - e->axis],
                      &size);
    pads[2 * rank - 1 - e->axis] = e->size - size;
    put_before(a, e, FSD_ONNX_Pad, name, add_row(a, name, "sizes", pads, 2 * rank));
}

/* -------------------------------------------------------------------------- outputs */

const char *fsd_fix_refuse_slice(struct fsd_fixes *f, const struct fsd_edit *e)
{
    (void)e;
    return fsd_graph_opset(f->lint->g) < SLICE_BY_INPUT
               ? "the edit inserts a Slice that reads its bounds from inputs: this "
                 "needs opset 10 or higher"
               : NULL;
}

/* Inserts a Slice after the node. The node's output gets a new name. The output of the
 * Slice gets the old name, so consumers read the slice. If the type of the node changes
 * (cast_to), the Slice gets the name for the new type instead. */
void fsd_fix_slice_output(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    fsd_id out = fsd_node_out_tensor(a->g, e->node, 0);
    enum fsd_dtype to = (enum fsd_dtype)a->cast_to[e->node];
    const char *name = fsd_onnx_new_name(
        a->edits, fsd_printed(a->f->arena, "%s_lint_padded", e->tensor));
    const int64_t start = 0, axis = -1 - (int64_t)e->axis;

    fsd_onnx_set_output(a->edits, e->node, 0, name);
    a->sliced[out] = true;
    fsd_onnx_append_node(a->edits, e->node,
                         &(struct fsd_onnx_new_node){
                             .op = fsd_text(a->g->names, FSD_ONNX_Slice),
                             .name = fsd_printed(a->f->arena, "%s_slice", name),
                             .inputs = {name, add_row(a, name, "start", &start, 1),
                                        add_row(a, name, "end", &e->size, 1),
                                        add_row(a, name, "axis", &axis, 1)},
                             .output = to ? fsd_fix_typed_name(a, out, to)
                                          : fsd_tensor_name(a->g, out)});
}

/* Refuses to unmark the last output, because an engine needs one. */
const char *fsd_fix_refuse_unmark(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    fsd_id out = fsd_node_out_tensor(g, e->node, 0);
    uint32_t others = 0;

    for (fsd_id i = 0; i < g->tensors.n; i++)
        others += i != out && !g->tensors.at[i].scope &&
                  fsd_tensor_is(g, i, FSD_TENSOR_OUTPUT);
    return g->tensors.at[out].scope ? "the tensor is an output of a subgraph"
           : others                 ? NULL
                                    : "the tensor is the only output of the network";
}

void fsd_fix_unmark_output(struct fsd_apply *a, const struct fsd_fix *fix)
{
    fsd_id out = fsd_node_out_tensor(a->g, fix->edit->node, 0);

    fsd_onnx_drop_listed(a->edits, FSD_ONNX_OUTPUTS, a->g->tensors.at[out].name);
}
