/*
 * Proves that a node outputs one of its inputs unchanged.  For an Add of a constant 0
 * or a Mul by a constant 1, this is the other input.  For any other node, it is the
 * first input.
 *
 * A proof needs constants of the model.  If, for example, a node computes the pads of a
 * Pad, there is no proof.
 */
#include "model/graph/walk.h"
#include "model/ops/rule.h"

static fsd_id input(const struct fsd_graph *g, const struct fsd_node *node, uint32_t i)
{
    return i < node->in.n ? fsd_node_in(g, node, i)->tensor : FSD_NONE;
}

static bool value_is_zero(const struct fsd_value *value)
{
    for (uint64_t i = 0; i < value->size; i++)
        if (value->bytes[i])
            return false;
    return value->size > 0;
}

/* Whether a Dropout runs in inference.  Before opset 7, the attribute `is_test`
 * decides.  In opsets 7 to 11, a Dropout always runs in inference.  From opset 12 on,
 * the input `training_mode` decides. */
bool fsd_same_dropout(const struct fsd_graph *g, const struct fsd_node *node)
{
    fsd_id training = input(g, node, 2);
    const struct fsd_attr *is_test = fsd_node_attr(g, node, "is_test");

    if (!is_test && fsd_graph_opset(g) < 7)
        return false;
    if (is_test && !(is_test->kind == FSD_ATTR_INT && is_test->i))
        return false;
    if (training == FSD_NONE)
        return true;
    return fsd_tensor_value(g, training) &&
           value_is_zero(fsd_tensor_value(g, training));
}

bool fsd_same_cast(const struct fsd_graph *g, const struct fsd_node *node)
{
    fsd_id in = input(g, node, 0);
    fsd_id out = node->out.n ? fsd_node_out(g, node, 0)->tensor : FSD_NONE;
    enum fsd_dtype from = fsd_tensor_form(g, in)->type;

    return from != FSD_DTYPE_UNKNOWN && from == fsd_tensor_form(g, out)->type;
}

/* Whether the list consists of integers, and is 0, step, 2 * step, ... */
static bool counts(const struct fsd_graph *g, const struct fsd_attr *list, int64_t step)
{
    for (uint32_t i = 0; i < list->list.n; i++)
        if (list->kind != FSD_ATTR_INTS || g->ints.at[list->list.at + i] != i * step)
            return false;
    return list->kind == FSD_ATTR_INTS;
}

/* Whether a Transpose keeps the order of the axes.  Without the attribute `perm`, it
 * reverses the axes, which changes nothing only if there are fewer than two. */
bool fsd_same_transpose(const struct fsd_graph *g, const struct fsd_node *node)
{
    const struct fsd_attr *perm = fsd_node_attr(g, node, "perm");
    const struct fsd_form *form = fsd_tensor_form(g, input(g, node, 0));

    return perm ? counts(g, perm, 1) : form->ranked && form->dims.n < 2;
}

bool fsd_same_pad(const struct fsd_graph *g, const struct fsd_node *node)
{
    const struct fsd_attr *pads = fsd_node_attr(g, node, "pads");
    const struct fsd_value *value = fsd_tensor_value(g, input(g, node, 1));

    return pads ? counts(g, pads, 0) : value && value_is_zero(value);
}

bool fsd_same_single(const struct fsd_graph *g, const struct fsd_node *node)
{
    (void)g;
    return node->in.n == 1;
}

static fsd_id before_identity(const void *of, fsd_id node)
{
    const struct fsd_graph *g = of;

    return fsd_node_is(g, node, FSD_ONNX_Identity) ? fsd_node_in_tensor(g, node, 0)
                                                   : FSD_NONE;
}

fsd_id fsd_op_copied(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_walk_back(g, tensor, before_identity, g);
}

double *fsd_op_numbers(struct fsd_arena *arena, const struct fsd_graph *g,
                       fsd_id tensor, uint32_t *n)
{
    fsd_id root = fsd_op_copied(g, tensor);
    const struct fsd_value *v = fsd_tensor_value(g, root);
    enum fsd_dtype type = fsd_tensor_form(g, root)->type;
    unsigned width = fsd_dtype_bits(type) / 8;
    double *numbers;

    if (!v || !v->bytes || !width || v->size / width == 0)
        return NULL;
    *n = (uint32_t)(v->size / width);
    numbers = FSD_NEW(arena, double, *n);
    if (type == FSD_FP32)
        fsd_dtype_singles(v->bytes, *n, numbers);
    else
        for (uint32_t i = 0; i < *n; i++)
            if (!fsd_element_number(v, type, i, &numbers[i]))
                return NULL;
    return numbers;
}

/* Whether the input is a constant with this number as its only element.  If the
 * constant has more axes than the other input, the output gets additional axes of size
 * 1.  It still has the same elements, as after a view.
 *
 * Exporters write nodes with such an input.  A sum() begins with an Add of 0.  An
 * addcmul() has a factor of 1.  A learned scale is the first input of its Mul, and may
 * be 1.  Builders remove such nodes, but not a Sub of 0. */
static bool is_number(const struct fsd_graph *g, const struct fsd_node *node,
                      uint32_t place, double number)
{
    fsd_id by = fsd_op_copied(g, input(g, node, place));
    const struct fsd_value *value = fsd_tensor_value(g, by);
    enum fsd_dtype type = value ? fsd_tensor_form(g, by)->type : FSD_DTYPE_UNKNOWN;
    double is, more;

    return value && fsd_element_number(value, type, 0, &is) && is == number &&
           !fsd_element_number(value, type, 1, &more);
}

bool fsd_same_sum(const struct fsd_graph *g, const struct fsd_node *node)
{
    return is_number(g, node, 0, 0) || is_number(g, node, 1, 0);
}

/* Whether all elements of the input are 0, and adding the input does not change the
 * shape of the other input. */
static bool is_zeros(const struct fsd_graph *g, const struct fsd_node *node,
                     uint32_t place)
{
    fsd_id by = input(g, node, place);
    const struct fsd_value *value = fsd_tensor_value(g, by);
    const struct fsd_form *zeros = fsd_tensor_form(g, by);
    const struct fsd_form *other = fsd_tensor_form(g, input(g, node, 1 - place));

    if (!value || !value_is_zero(value) || !zeros->ranked || !other->ranked ||
        zeros->dims.n > other->dims.n)
        return false;
    for (uint32_t i = 1; i <= zeros->dims.n; i++) {
        int64_t size = g->dims.at[zeros->dims.at + zeros->dims.n - i].size;

        if (size != 1 && size != g->dims.at[other->dims.at + other->dims.n - i].size)
            return false;
    }
    return true;
}

bool fsd_op_adds_zeros(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];

    return fsd_node_is(g, node, FSD_ONNX_Add) &&
           (is_zeros(g, n, 0) || is_zeros(g, n, 1));
}

/* Whether all elements of the attribute `name` are `number`; also true if the node does
 * not have the attribute. */
static bool all_are(const struct fsd_graph *g, const struct fsd_node *node,
                    const char *name, int64_t number)
{
    const struct fsd_attr *list = fsd_node_attr(g, node, name);
    bool are = !list || list->kind == FSD_ATTR_INTS;

    for (uint32_t i = 0; list && are && i < list->list.n; i++)
        are = g->ints.at[list->list.at + i] == number;
    return are;
}

bool fsd_same_pool(const struct fsd_graph *g, const struct fsd_node *node)
{
    return fsd_node_attr(g, node, "kernel_shape") &&
           all_are(g, node, "kernel_shape", 1) && all_are(g, node, "strides", 1) &&
           all_are(g, node, "pads", 0) &&
           (node->out.n < 2 || fsd_node_out(g, node, 1)->tensor == FSD_NONE);
}

bool fsd_same_product(const struct fsd_graph *g, const struct fsd_node *node)
{
    return is_number(g, node, 0, 1) || is_number(g, node, 1, 1);
}

bool fsd_same_quotient(const struct fsd_graph *g, const struct fsd_node *node)
{
    return is_number(g, node, 1, 1);
}

enum fsd_same fsd_op_same(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);
    const struct fsd_node *n = &g->nodes.at[node];

    return op && n->in.n && (!op->holds || op->holds(g, n)) ? op->same : FSD_SAME_NOT;
}

FSD_NAMES(fsd_same_text, enum fsd_same, FSD_SAME__COUNT, "", "Identity",
          "Dropout in inference mode", "Cast to the type of its input",
          "it changes only the shape, not the data",
          "Transpose that leaves every axis in place", "Pad whose pads are all 0",
          "it outputs its only input unchanged", "it adds 0",
          "it multiplies or divides by 1",
          "each of its pooling windows has one element")
