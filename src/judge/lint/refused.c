/* Conditions of rows of refusals.c, on inputs, types, attributes and quantizers. Each
 * condition returns whether it holds for the node. `number`, `types` and the like are
 * members of the row. */
#include "judge/lint/row.h"
#include "model/graph/graph.h"

#include <math.h>

static bool has_type(const struct fsd_graph *g, fsd_id tensor, uint64_t types)
{
    return tensor != FSD_NONE && types >> fsd_tensor_form(g, tensor)->type & 1;
}

/* The first input is an input of the network whose type is a sequence or an
 * optional. */
FSD_CONDITION(fsd_refused_reads_list)
{
    fsd_id first = fsd_node_in_tensor(l->g, node, 0);

    return fsd_graph_tensor(l->g, first)->item != FSD_NONE &&
           fsd_tensor_is(l->g, first, FSD_TENSOR_INPUT);
}

/* One of the inputs or outputs has one of the types. */
FSD_CONDITION(fsd_refused_has_a_type)
{
    const struct fsd_node *n = &l->g->nodes.at[node];

    FSD_EACH_OF (tensor, l->g->ports, n->in, tensor)
        if (has_type(l->g, tensor, r->types))
            return true;
    FSD_EACH_OF (tensor, l->g->ports, n->out, tensor)
        if (has_type(l->g, tensor, r->types))
            return true;
    return false;
}

/* Whether the tensor is behind a Q, and each tensor from the Q on has one of the types.
 * Rows that refuse UINT8 use this as an exception: UINT8 is allowed behind a Q, because
 * the builder moves a Q/DQ pair with the zero point 0 over any operator. If the zero
 * point is not 0, another row refuses the quantizer. */
static bool is_quantized(const struct fsd_lint *l, fsd_id tensor, uint64_t types)
{
    for (int steps = 0; steps < 16 && has_type(l->g, tensor, types); steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, tensor);

        if (producer == FSD_NONE || (l->facts->traits[producer] & FSD_OP_QUANTIZE))
            return producer != FSD_NONE;
        tensor = fsd_node_in_tensor(l->g, producer, 0);
    }
    return false;
}

/* The first input, which may be a constant, has one of the types. */
FSD_CONDITION(fsd_refused_takes_type)
{
    return has_type(l->g, fsd_node_in_tensor(l->g, node, 0), r->types);
}

/* The input `number` has one of the types. */
FSD_CONDITION(fsd_refused_has_type_at)
{
    return has_type(l->g, fsd_node_in_tensor(l->g, node, (uint32_t)r->number),
                    r->types);
}

FSD_CONDITION(fsd_refused_reads_type)
{
    return fsd_refused_takes_type(l, r, node) && !l->facts->folded[node];
}

/* The first input has one of the types, the builder does not fold the node, and no Q
 * produces the input. */
FSD_CONDITION(fsd_refused_reads_plain)
{
    return fsd_refused_reads_type(l, r, node) &&
           !is_quantized(l, fsd_node_in_tensor(l->g, node, 0), r->types);
}

/* The first input has one of the types, the builder does not fold the node, and the
 * node has a second operand. An Einsum with one operand multiplies nothing. */
FSD_CONDITION(fsd_refused_multiplies)
{
    return fsd_refused_reads_type(l, r, node) && fsd_node_has_in(l->g, node, 1);
}

/* One of the first two inputs is a stored constant of one of the types. */
FSD_CONDITION(fsd_refused_reads_stored)
{
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id tensor = fsd_node_in_tensor(l->g, node, i);

        if (has_type(l->g, tensor, r->types) && l->facts->constant[tensor])
            return true;
    }
    return false;
}

/* Whether a path leads from a Shape or Size node to `tensor`, and a tensor on the path
 * has one of the types. Sizes that the builder folds do not count. The function follows
 * the path back, and calls itself for each step.
 * @param met whether a tensor of an earlier step has one of the types; false in the
 *        first call
 * @param left the number of tensors that may still be visited */
static bool is_size_in(const struct fsd_lint *l, fsd_id tensor, uint64_t types,
                       bool met, uint32_t *left)
{
    fsd_id maker = fsd_tensor_producer(l->g, tensor);

    if (maker == FSD_NONE || !*left || l->facts->folded[maker])
        return false;
    --*left;
    met |= has_type(l->g, tensor, types);
    if (l->facts->traits[maker] & FSD_OP_SHAPE)
        return met;
    FSD_EACH_OF (t, l->g->ports, l->g->nodes.at[maker].in, tensor)
        if (is_size_in(l, t, types, met, left))
            return true;
    return false;
}

/* An input gives a size of the output. This input is not FP32. It is computed from
 * dynamic sizes, and the input or a tensor on the path from the sizes to the input has
 * one of the types (is_size_in()). */
FSD_CONDITION(fsd_refused_sizes_in_half)
{
    uint32_t inputs = fsd_op_shape_inputs(l->g, node), left = 64;

    for (uint32_t i = 0; i < l->g->nodes.at[node].in.n && i < 32; i++) {
        fsd_id tensor = fsd_node_in_tensor(l->g, node, i);

        if ((inputs >> i & 1) && !has_type(l->g, tensor, UINT64_C(1) << FSD_FP32) &&
            is_size_in(l, tensor, r->types, false, &left))
            return true;
    }
    return false;
}

/* The first input is a constant of one of the types. */
FSD_CONDITION(fsd_refused_weighs)
{
    fsd_id first = fsd_node_in_tensor(l->g, node, 0);

    return has_type(l->g, first, r->types) && l->facts->constant[first];
}

/* The output has one of the types, and is no output of the network. The node is no
 * quantizer, the builder does not fold it, and is_quantized() is false for its
 * output. */
FSD_CONDITION(fsd_refused_inside)
{
    fsd_id out = fsd_node_out_tensor(l->g, node, 0);

    return has_type(l->g, out, r->types) &&
           !(l->g->tensors.at[out].flags & FSD_TENSOR_OUTPUT) &&
           !(l->facts->traits[node] & FSD_OP_QDQ) && !l->facts->folded[node] &&
           !is_quantized(l, out, r->types);
}

/* The data is quantized. The weights are quantized to one of the types. */
FSD_CONDITION(fsd_refused_runs_narrow)
{
    return fsd_lint_is_narrow(l, node) &&
           r->types >> fsd_lint_held(l, node, 1)->type & 1;
}

/* Data and weights are quantized to types that no kernel multiplies:
 * - FP8 data and INT8 weights, or INT8 data and FP8 weights
 * - FP8 data and INT4 weights
 * - INT8 data and INT4 weights, if the weights have a single scale, or if the data has
 *   more than two dimensions */
FSD_CONDITION(fsd_refused_mixes)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const struct fsd_quantizer *data, *weights;

    if (!fsd_lint_is_narrow(l, node))
        return false;
    data = fsd_lint_held(l, node, 0);
    weights = fsd_lint_held(l, node, 1);
    if ((data->type == FSD_FP8) != (weights->type == FSD_FP8))
        return fsd_dtype_bits(data->type) == 8 &&
               (weights->type == FSD_FP8 || weights->type == FSD_INT8 ||
                weights->type == FSD_INT4);
    return data->type == FSD_INT8 && weights->type == FSD_INT4 &&
           (weights->n == 1 || (x->ranked && x->rank > 2));
}

/* The node dequantizes a constant without dimensions, no Q produces the constant, and
 * the output is used. */
FSD_CONDITION(fsd_refused_is_scalar)
{
    fsd_id data = fsd_node_in_tensor(l->g, node, 0);
    const struct fsd_shape *x = fsd_shape_of(l->sizes, data);

    return fsd_refused_weighs(l, r, node) && !is_quantized(l, data, r->types) &&
           x->ranked && !x->rank && l->facts->live[node];
}

/* The node dequantizes a constant that the file does not store: an operator computes it
 * from constants. */
FSD_CONDITION(fsd_refused_is_not_stored)
{
    fsd_id producer = fsd_node_in_producer(l->g, node, 0);

    return producer != FSD_NONE && fsd_refused_weighs(l, r, node) &&
           !(l->facts->traits[producer] & (FSD_OP_QUANTIZE | FSD_OP_CONSTANT));
}

/* The list of inputs has an empty name for the input `number`. */
FSD_CONDITION(fsd_refused_is_left_empty)
{
    return l->g->nodes.at[node].in.n > r->number &&
           !fsd_node_has_in(l->g, node, (uint32_t)r->number);
}

/* The first input has three dimensions after the channels. */
FSD_CONDITION(fsd_refused_is_spatial)
{
    return fsd_refused_reads_type(l, r, node) &&
           fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0))->rank == 5;
}

/* More than `number` outputs are used. */
FSD_CONDITION(fsd_refused_gives_more)
{
    int64_t n = 0;

    FSD_EACH_OF (out, l->g->ports, l->g->nodes.at[node].out, tensor)
        n += fsd_graph_tensor(l->g, out)->consumers.n ||
             fsd_tensor_is(l->g, out, FSD_TENSOR_OUTPUT);
    return n > r->number;
}

/* At least one of the inputs whose bits are set in `number` is given. */
FSD_CONDITION(fsd_refused_is_there)
{
    for (uint32_t k = 0; k < 32; k++)
        if (r->number >> k & 1 && fsd_node_has_in(l->g, node, k))
            return true;
    return false;
}

/* At least one of the inputs whose bits are set in `number` is left out. */
FSD_CONDITION(fsd_refused_lacks_one)
{
    for (uint32_t k = 0; k < 32; k++)
        if (r->number >> k & 1 && !fsd_node_has_in(l->g, node, k))
            return true;
    return false;
}

/* The input `number` is given and is no constant. If the row has types, the input has
 * one of them. */
FSD_CONDITION(fsd_refused_is_computed)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    return fsd_is_data(l->facts, given) &&
           (!r->types || has_type(l->g, given, r->types));
}

/* One of the two bounds (the second and the third input) is not a constant. */
FSD_CONDITION(fsd_refused_computes_a_bound)
{
    struct fsd_refusal_row bound = *r;

    for (bound.number = 1; bound.number <= 2; bound.number++)
        if (fsd_refused_is_computed(l, &bound, node))
            return true;
    return false;
}

/* The input `number` is an input of the network. */
FSD_CONDITION(fsd_refused_is_given)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    return fsd_refused_is_computed(l, r, node) &&
           (l->g->tensors.at[given].flags & FSD_TENSOR_INPUT);
}

/* The input `number` is a constant above 3840. */
FSD_CONDITION(fsd_refused_is_too_many)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);
    const struct fsd_ints *known = fsd_sizes_ints(l->sizes, given);

    return known && known->n == 1 && known->at[0] > 3840;
}

/* The attention has a mask, and is_causal is set. */
FSD_CONDITION(fsd_refused_is_masked_twice)
{
    return fsd_node_has_in(l->g, node, 3) && fsd_node_int(l->g, node, "is_causal", 0);
}

/* The node runs in both directions, and the activations of the two directions
 * differ. */
FSD_CONDITION(fsd_refused_is_lopsided)
{
    const struct fsd_node *self = &l->g->nodes.at[node];
    const struct fsd_attr *attr = fsd_node_attr(l->g, self, "activations");
    const struct fsd_attr *direction = fsd_node_attr(l->g, self, "direction");
    bool both = direction && direction->kind == FSD_ATTR_STRING &&
                !strcmp(fsd_text(l->g->names, direction->s), "bidirectional");
    uint32_t n = both && attr && attr->kind == FSD_ATTR_STRINGS ? attr->list.n / 2 : 0;

    for (uint32_t i = 0; i < n; i++)
        if (l->g->links.at[attr->list.at + i] != l->g->links.at[attr->list.at + n + i])
            return true;
    return false;
}

/* The first input has one of the types, and fmod is 0. The node then computes the
 * remainder of an integer division, but these types are not integers. */
FSD_CONDITION(fsd_refused_is_inexact)
{
    return fsd_refused_reads_type(l, r, node) && !fsd_node_int(l->g, node, "fmod", 0);
}

FSD_CONDITION(fsd_refused_has_zero_point)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    return q && q->zero == FSD_ZERO_OTHER;
}

FSD_CONDITION(fsd_refused_has_bad_scale)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    for (uint32_t i = 0; q && q->scales && i < q->n; i++)
        if (!(q->scales[i] > 0))
            return true;
    return false;
}

/* The model's opset is below 7. Operators of opsets below 7 broadcast by attributes, or
 * not at all. */
FSD_CONDITION(fsd_refused_is_pre_7)
{
    int64_t opset = fsd_graph_opset(l->g);

    return opset && opset < 7;
}

/* The input `number` is not a stored constant. Copies and casts of stored constants
 * count as stored. Results of other nodes do not, even if they are constant. */
FSD_CONDITION(fsd_refused_is_not_weights)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    for (int steps = 0; given != FSD_NONE && steps < 64; steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, given);
        const char *op = fsd_text(l->g->names, fsd_graph_node(l->g, producer)->op);

        if (producer == FSD_NONE)
            return !l->facts->constant[given];
        if (l->facts->traits[producer] & FSD_OP_CONSTANT)
            return false;
        if (strcmp(op, "Identity") != 0 && strcmp(op, "Cast") != 0)
            return true;
        given = fsd_node_in_tensor(l->g, producer, 0);
    }
    return false;
}

/* The first input has one of the types, and the name of the lower or upper bound in the
 * list of inputs is empty. */
FSD_CONDITION(fsd_refused_lacks_a_bound)
{
    uint32_t n = l->g->nodes.at[node].in.n;

    return fsd_refused_reads_type(l, r, node) &&
           ((n > 1 && !fsd_node_has_in(l->g, node, 1)) ||
            (n > 2 && !fsd_node_has_in(l->g, node, 2)));
}

/* At least one of the inputs whose bits are set in `number` is an input of the network
 * and has one of the types. */
FSD_CONDITION(fsd_refused_counts_data)
{
    for (uint32_t k = 0; k < 3; k++) {
        fsd_id given = fsd_node_in_tensor(l->g, node, k);

        if (r->number >> k & 1 && has_type(l->g, given, r->types) &&
            (l->g->tensors.at[given].flags & FSD_TENSOR_INPUT) &&
            !l->facts->constant[given])
            return true;
    }
    return false;
}

/* An attribute requests one of the types for the output. */
FSD_CONDITION(fsd_refused_is_asked_for)
{
    return fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr) &&
           has_type(l->g, fsd_node_out_tensor(l->g, node, 0), r->types);
}

FSD_CONDITION(fsd_refused_has_attr)
{
    return fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr) != NULL;
}

/* The attribute has a value that the builder does not accept. For an integer or a list
 * of integers, the builder accepts only `number`; for a float, only 0. If the row has
 * `words`, the builder also accepts the integer 1. */
FSD_CONDITION(fsd_refused_number_is_not)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr);

    if (!attr)
        return false;
    for (uint32_t i = 0; attr->kind == FSD_ATTR_INTS && i < attr->list.n; i++)
        if (l->g->ints.at[attr->list.at + i] != r->number)
            return true;
    return (attr->kind == FSD_ATTR_FLOAT && fabs(attr->f) > 0) ||
           (attr->kind == FSD_ATTR_INT && attr->i != r->number &&
            !(r->words && attr->i == 1));
}

/* If `number` is 0, the attribute is one of `words`. Otherwise, the attribute is
 * given and is none of `words`. */
FSD_CONDITION(fsd_refused_word_is)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr);

    return attr && attr->kind == FSD_ATTR_STRING &&
           fsd_list_has(r->words, fsd_text(l->g->names, attr->s)) == !r->number;
}
