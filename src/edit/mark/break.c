/*
 * Finds how to split a fusion by marking one of its tensors as an output, and which
 * groups change then. If no mark splits the fusion, an If that forwards one of its
 * tensors may split it, because builders do not fuse across control flow.
 *
 *     [Conv Add Relu] -> [Conv ...]     mark the output of Conv:  [Conv] [Add Relu]
 *
 * The nodes after the marked tensor are the tail. The tail is pointwise, so the builder
 * may fuse it into another group: a neighboring generated kernel, or a product without
 * an epilogue. That group then changes, too.
 *
 * A break should show something about a single fusion. If several tensors split the
 * fusion, the tensor that changes the fewest groups is therefore used. If no rule
 * predicts what the builder does, the fusion has no exact break.
 */
#include "edit/mark/break.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/mark/outlook.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------- the tail */

/* Adds the group that consumes the tail, if it is the only consumer and is a generated
 * kernel without a product. Such a kernel fuses the tail, because the tail is
 * pointwise. */
static void tail_joins_reader(const struct fsd_marks *m, fsd_id group,
                              struct fsd_candidate *c)
{
    fsd_id user = fsd_break_only_user(m, group);

    if (fsd_break_is_generated(m, user) && fsd_break_product(m, user) == FSD_NONE)
        fsd_break_add(c, user);
}

static struct fsd_candidate at_tensor(const struct fsd_marks *m, fsd_id group,
                                      fsd_id tensor, const char *why)
{
    struct fsd_candidate c = {tensor, why, {group}, 1, {0}};
    fsd_id behind = fsd_tensor_only_reader(m->d->model, tensor);

    if (!fsd_break_is_compiled(m, group))
        return c;
    tail_joins_reader(m, group, &c);
    if (behind != FSD_NONE)
        fsd_break_joins_operand(m, group, behind, &c);
    return c;
}

static const struct fsd_candidate none = {.tensor = FSD_NONE};

static struct fsd_candidate better(struct fsd_candidate a, struct fsd_candidate b)
{
    if (fsd_break_is_none(&a))
        return b;
    return fsd_break_is_none(&b) || a.n <= b.n ? a : b;
}

/* ---------------------------------------------------------------- by kind of fusion */

#define LIBRARY_WHY                                                                    \
    "the builder writes the tensor in one layer, and computes the nodes after the "    \
    "tensor in another layer"
#define CONV_WHY                                                                       \
    "the builder computes the Conv in a separate kernel and generates another kernel " \
    "for the nodes after it"

/* Returns the break after the Conv or, if it is better, the break after an Add that
 * follows the Conv directly. */
static struct fsd_candidate behind_conv(const struct fsd_marks *m, fsd_id group,
                                        fsd_id conv)
{
    const struct fsd_graph *g = m->d->model;
    fsd_id tensor = fsd_node_out_tensor(g, conv, 0), add, sum;
    const char *why = fsd_break_is_compiled(m, group) ? CONV_WHY : LIBRARY_WHY;
    struct fsd_candidate c = none;

    if (!fsd_break_is_inside(m, tensor))
        return fsd_break_none("another layer writes the output of the convolution "
                              "or matrix product");
    c = at_tensor(m, group, tensor, why);
    add = fsd_tensor_only_reader(g, tensor);
    if (!fsd_node_is(g, add, FSD_ONNX_Add) || fsd_id_at(m->group_of, add) != group)
        return c;
    sum = fsd_node_out_tensor(g, add, 0);
    return fsd_break_is_inside(m, sum) ? better(c, at_tensor(m, group, sum, why)) : c;
}

/* Breaks a Gelu (Div, Erf, ..., Mul 0.5) at the input of its last Mul, if the Gelu's
 * only consumer is a group with a product. */
static struct fsd_candidate before_last_factor(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id last = fsd_marks_node(m, group, n - 1), user = fsd_break_only_user(m, group);
    struct fsd_candidate c = {.why = "this kernel writes the marked tensor, and the "
                                     "kernel of the next matrix product or "
                                     "convolution computes the last Mul of the fusion",
                              .groups = {group},
                              .n = 1};

    if (!fsd_node_is(g, last, FSD_ONNX_Mul) || user == FSD_NONE ||
        fsd_break_product(m, user) == FSD_NONE)
        return none;
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id factor = fsd_node_in_tensor(g, last, i);

        c.tensor = fsd_node_in_tensor(g, last, 1 - i);
        if (!fsd_is_constant(m->d->facts, factor) ||
            fsd_form_count(g, fsd_tensor_form(g, factor)) != 1 ||
            !fsd_break_is_inside(m, c.tensor))
            continue;
        fsd_break_add(&c, user);
        return c;
    }
    return none;
}

#define WRITES_MORE                                                                    \
    "if you mark a tensor of this generated kernel, the kernel also writes this "      \
    "tensor, but the builder does not split the kernel"

static struct fsd_candidate break_epilogue(const struct fsd_marks *m, fsd_id group)
{
    fsd_id product = fsd_break_product(m, group);
    fsd_id tensor = fsd_node_out_tensor(m->d->model, product, 0);
    struct fsd_candidate c;

    if (fsd_node_is_conv(m->d, product) || !fsd_break_is_generated(m, group))
        return behind_conv(m, group, product);
    c = before_last_factor(m, group);
    /* A product with constant weights becomes a 1x1 Conv if its output is marked. */
    if (fsd_break_is_inside(m, tensor) && m->d->cost->sizes->shapes[tensor].rank > 3 &&
        fsd_is_constant(m->d->facts, fsd_node_in_tensor(m->d->model, product, 1)))
        c = better(at_tensor(m, group, tensor, CONV_WHY), c);
    return fsd_break_is_none(&c) ? fsd_break_none(WRITES_MORE) : c;
}

static struct fsd_candidate break_attention(const struct fsd_marks *m, fsd_id group)
{
    struct fsd_candidate c = {
        .why = "the builder no longer recognizes an attention: separate kernels "
               "compute both products and the Softmax",
        .groups = {group},
        .n = 1};

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);

        c.tensor = fsd_node_out_tensor(m->d->model, node, 0);
        if (fsd_node_is(m->d->model, node, FSD_ONNX_Softmax) &&
            fsd_break_is_inside(m, c.tensor))
            return c;
    }
    return fsd_break_none("another layer writes the output of the Softmax");
}

/* Whether the tensor is computed from a product or a Reshape. */
static bool is_behind_product(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    FSD_SCRATCH(scratch);
    bool *seen = FSD_NEW(scratch, bool, g->nodes.n), is = false;
    fsd_id_vec todo = {0};

    fsd_vec_push(scratch, &todo, tensor);
    for (uint32_t i = 0; i < todo.n && !is; i++) {
        fsd_id from = fsd_tensor_producer(g, todo.at[i]);

        if (from == FSD_NONE || seen[from] || !fsd_is_data(m->d->facts, todo.at[i]))
            continue;
        seen[from] = true;
        is = fsd_node_is_product(m->d, from) || m->d->facts->traits[from] & FSD_OP_VIEW;
        FSD_EACH_OF (t, g->ports, g->nodes.at[from].in, tensor)
            fsd_vec_push(scratch, &todo, t);
    }
    return is;
}

/* Whether the builder computes the product separately for each matrix, and fuses no
 * other node into it. True if the product reads several matrices, such as a batch of
 * sequences, and if one of these holds: the product is in FP32, or its input depends on
 * no other product and no Reshape. */
static bool is_stacked(const struct fsd_marks *m, fsd_id product)
{
    fsd_id tensor = fsd_node_in_tensor(m->d->model, product, 0);

    return fsd_marks_is_stack(m, tensor) &&
           (m->d->nodes[product].realised == FSD_FP32 || !is_behind_product(m, tensor));
}

/* Breaks a horizontal fusion at the output of one of its products: the one for which
 * the fewest groups change. This product then gets its own kernel, which also fuses the
 * groups that read the output, if they are generated kernels without a product. If the
 * product is stacked (is_stacked()), its kernel fuses none of these groups. */
static struct fsd_candidate break_horizontal(const struct fsd_marks *m, fsd_id group)
{
    struct fsd_candidate best = none;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);
        fsd_id tensor = fsd_node_out_tensor(m->d->model, node, 0);
        struct fsd_candidate c = {
            tensor, fsd_place_why_text(FSD_WHY_JOINED), {group}, 1, {0}};
        const struct fsd_users *users;

        if (!fsd_node_is_product(m->d, node) || tensor == FSD_NONE ||
            m->places[tensor].place != FSD_PLACE_WRITTEN)
            continue;
        users = fsd_marks_users(m, tensor);
        for (uint32_t k = 0; k < users->groups.n && !is_stacked(m, node); k++)
            if (fsd_break_is_generated(m, users->groups.at[k]) &&
                fsd_break_product(m, users->groups.at[k]) == FSD_NONE)
                fsd_break_add(&c, users->groups.at[k]);
        best = better(best, c);
    }
    return fsd_break_is_none(&best)
               ? fsd_break_none(
                     "no product in the fusion has an output that can be marked")
               : best;
}

/* The type of the product that computes an operand of the node; unknown if no product
 * does. */
static enum fsd_dtype operand_type(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
        fsd_id from = fsd_tensor_producer(g, tensor);

        if (fsd_id_at(m->group_of, from) != FSD_NONE && fsd_node_is_product(m->d, from))
            return m->d->nodes[from].realised;
    }
    return FSD_DTYPE_UNKNOWN;
}

/* Breaks at the input of a normalization, if this tensor is inside the group. If the
 * tensor is marked, the product before the group determines what happens. A 16-bit
 * product fuses the group's pointwise nodes. After an FP32 product, these nodes get a
 * kernel of their own. After a quantized product, the group's kernel only writes one
 * more tensor, so there is no break. */
static struct fsd_candidate before_norm(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_candidate c = {
        .why = "the kernel of the preceding product computes the addition and "
               "writes the tensor",
        .groups = {group},
        .n = 1};
    enum fsd_dtype type;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i), first;

        if (!fsd_node_is(g, node, FSD_ONNX_LayerNormalization))
            continue;
        c.tensor = fsd_node_in_tensor(g, node, 0);
        first = fsd_marks_node(m, group, 0);
        if (fsd_node_is(g, first, FSD_ONNX_Add))
            fsd_break_joins_operand(m, group, first, &c);
        type = operand_type(m, first);
        if (!fsd_break_is_inside(m, c.tensor) || c.n < 2 || fsd_dtype_bits(type) < 16)
            return none;
        if (type == FSD_FP32) {
            c.n = 1;
            c.why = "the builder computes the addition and the normalization in two "
                    "kernels";
        }
        return c;
    }
    return none;
}

/* Whether the kernel has transpositions that the builder added. */
static bool is_turned(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *e = m->d->engine;
    uint32_t own = fsd_layer_count(e, m->layer_of[group], FSD_ONNX_Transpose);
    uint32_t asked = 0;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        asked +=
            fsd_node_is(m->d->model, fsd_marks_node(m, group, i), FSD_ONNX_Transpose);
    return own > asked;
}

/* Breaks a generated kernel where the builder writes a marked tensor in a kernel of its
 * own, because a marked tensor must be row-major. There are two such places:
 * - after the first node, if the second node is a Transpose, and if the builder added
 *   transpositions to the kernel;
 * - before a Resize, if the kernel's output is not row-major. */
static struct fsd_candidate at_seam(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_form *out = fsd_layer_form_out(m->d->engine, m->layer_of[group]);
    bool turned = is_turned(m, group);
    struct fsd_candidate c = {
        .why = "an output of the network must be row-major, so the builder writes the "
               "marked tensor in a separate kernel",
        .groups = {group},
        .n = 1};

    for (uint32_t i = 1; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);
        bool resized = fsd_node_is(g, node, FSD_ONNX_Resize) && out &&
                       out->layout.order == FSD_ORDER_CHANNELS_LAST;

        c.tensor = resized ? fsd_node_in_tensor(g, node, 0)
                           : fsd_node_out_tensor(g, fsd_marks_node(m, group, 0), 0);
        if (fsd_break_is_inside(m, c.tensor) &&
            (resized || (turned && i == 1 && fsd_node_is(g, node, FSD_ONNX_Transpose))))
            return c;
    }
    return none;
}

/* Breaks a library kernel at its first inner tensor. Such a kernel writes one tensor,
 * so an inner tensor exists only if the fusion is split. */
static struct fsd_candidate break_library(const struct fsd_marks *m, fsd_id group)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

        if (fsd_break_is_inside(m, tensor))
            return at_tensor(m, group, tensor, LIBRARY_WHY);
    }
    return fsd_break_none("the fusion has no inner tensor");
}

static struct fsd_candidate break_vertical(const struct fsd_marks *m, fsd_id group)
{
    struct fsd_candidate c;

    if (!fsd_break_is_compiled(m, group))
        return break_library(m, group);
    c = before_norm(m, group);
    if (fsd_break_is_none(&c))
        c = at_seam(m, group);
    return fsd_break_is_none(&c) ? fsd_break_none(WRITES_MORE) : c;
}

static struct fsd_candidate candidate_of(const struct fsd_marks *m, fsd_id group)
{
    switch (m->kinds[group]) {
    case FSD_FUSION_NONE:
        return fsd_break_none(
            "this layer is not a fusion, because it computes only one node");
    case FSD_FUSION_EPILOGUE:
        return break_epilogue(m, group);
    case FSD_FUSION_ATTENTION:
        return break_attention(m, group);
    case FSD_FUSION_HORIZONTAL:
        return break_horizontal(m, group);
    case FSD_FUSION_VERTICAL:
        return break_vertical(m, group);
    default:
        return fsd_break_none("it is unknown how the builder computes the parts if "
                              "this fusion is split");
    }
}

/* ------------------------------------------------------------------------- whole */

static struct fsd_span keep(struct fsd_marks *m, const fsd_id *ids, uint32_t n)
{
    struct fsd_span kept = {m->pool.n, n};

    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(m->arena, &m->pool, ids[i]);
    return kept;
}

static void keep_break(struct fsd_marks *m, fsd_id group, struct fsd_candidate *c)
{
    qsort(c->groups, c->n, sizeof *c->groups, fsd_by_id);
    m->breaks[group] = (struct fsd_break){c->tensor, keep(m, c->passed.at, c->passed.n),
                                          c->why, keep(m, c->groups, c->n)};
}

void fsd_marks_add_breaks(struct fsd_marks *m)
{
    m->breaks = FSD_NEW(m->arena, struct fsd_break, m->state->groups.n);
    m->outlook = fsd_outlook_new(m);
    for (fsd_id at = 0; at < m->state->groups.n; at += FSD_BREAK_AT_ONCE) {
        struct fsd_candidate c[FSD_BREAK_AT_ONCE], *none_yet[FSD_BREAK_AT_ONCE];
        fsd_id groups[FSD_BREAK_AT_ONCE];
        uint32_t n = 0, all = m->state->groups.n - at;

        all = all < FSD_BREAK_AT_ONCE ? all : FSD_BREAK_AT_ONCE;
        for (uint32_t i = 0; i < all; i++) {
            c[i] = candidate_of(m, at + i);
            if (fsd_break_is_none(&c[i]) && m->kinds[at + i] != FSD_FUSION_NONE) {
                groups[n] = at + i;
                none_yet[n++] = &c[i];
            }
        }
        if (n)
            fsd_break_by_if(m, groups, none_yet, n);
        for (uint32_t i = 0; i < all; i++)
            keep_break(m, at + i, &c[i]);
    }
}
