/*
 * How to split a fusion by marking one of its tensors as an output, and which groups
 * change as a result; where no mark splits it, by an If that passes the
 * tensor on, since builders do not fuse across control flow.
 *
 *     [Conv Add Relu] -> [Conv ...]     mark the output of Conv:  [Conv] [Add Relu]
 *
 * The nodes behind the mark, the tail, have lost their product and are pointwise work
 * that may be fused into a neighboring generated kernel or a product without an
 * epilogue; those groups change, too.  Of the tensors that split a fusion the one that
 * changes the fewest groups is used, since a break must prove something about one
 * fusion.  If no rule predicts what the builder does, there is no exact break.
 */
#include "base/base.h"
#include "edit/run.h"
#include "edit/mark/mark.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4 }; /* groups that may change: with more, a break proves nothing */
enum { FAR = 64 }; /* nodes of no group in a row */

struct candidate {
    fsd_id tensor;
    const char *why;
    fsd_id groups[MOST + 1];
    uint32_t n;        /* above MOST: too many */
    fsd_id_vec passed; /* through an If each; none: `tensor` is marked */
};

static void add_group(struct candidate *c, fsd_id group)
{
    if (c->n <= MOST && !fsd_ids_have(c->groups, c->n, group))
        c->groups[c->n++] = group;
}

/* ------------------------------------------------------------------------- asking */

static bool is_generated(const struct fsd_marks *m, fsd_id group)
{
    return fsd_layer_is_generated(m->d->engine, fsd_id_at(m->layer_of, group));
}

static bool is_compiled(const struct fsd_marks *m, fsd_id group)
{
    return fsd_graph_layer(m->d->engine, fsd_id_at(m->layer_of, group))->provider ==
           FSD_PROVIDER_COMPILER;
}

static fsd_id product_of(const struct fsd_marks *m, fsd_id group)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (fsd_node_is_product(m->d, fsd_marks_node(m, group, i)))
            return fsd_marks_node(m, group, i);
    return FSD_NONE;
}

/* The only group that consumes the group's outputs; FSD_NONE if there are several, or
 * another consumer. */
static fsd_id only_user(const struct fsd_marks *m, fsd_id group)
{
    fsd_id user = FSD_NONE;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);
        struct fsd_users users = fsd_marks_users(m, tensor);

        if (users.outside || users.in_place)
            return FSD_NONE;
        for (uint32_t k = 0; k < users.groups.n; k++) {
            fsd_id other = users.groups.at[k];

            if (other == group)
                continue;
            if (user != FSD_NONE && user != other)
                return FSD_NONE;
            user = other;
        }
    }
    return user;
}

/* ------------------------------------------------------------------------- the tail */

/* The tail is pointwise: a generated kernel that is its only consumer fuses it. */
static void tail_joins_reader(const struct fsd_marks *m, fsd_id group,
                              struct candidate *c)
{
    fsd_id user = only_user(m, group);

    if (is_generated(m, user) && product_of(m, user) == FSD_NONE)
        add_group(c, user);
}

/* The other operand of an Add may come from a product without an epilogue and other
 * consumers: it fuses the tail. */
static void tail_joins_operand(const struct fsd_marks *m, fsd_id group, fsd_id behind,
                               struct candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[behind];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id from = fsd_tensor_producer(g, fsd_node_in(g, n, i)->tensor);
        fsd_id other = fsd_id_at(m->group_of, from);

        if (other != FSD_NONE && other != group && fsd_node_is_product(m->d, from) &&
            m->state->groups.at[other].nodes.n == 1 && only_user(m, other) == group)
            add_group(c, other);
    }
}

static struct candidate at_tensor(const struct fsd_marks *m, fsd_id group,
                                  fsd_id tensor, const char *why)
{
    struct candidate c = {tensor, why, {group}, 1, {0}};
    fsd_id behind = fsd_tensor_only_reader(m->d->model, tensor);

    if (!is_compiled(m, group))
        return c;
    tail_joins_reader(m, group, &c);
    if (behind != FSD_NONE)
        tail_joins_operand(m, group, behind, &c);
    return c;
}

static const struct candidate none = {.tensor = FSD_NONE};

static bool is_none(const struct candidate *c)
{
    return c->tensor == FSD_NONE;
}

static struct candidate no_break(const char *why)
{
    struct candidate c = none;

    c.why = why;
    return c;
}

static struct candidate better(struct candidate a, struct candidate b)
{
    if (is_none(&a))
        return b;
    return is_none(&b) || a.n <= b.n ? a : b;
}

/* ---------------------------------------------------------------- by kind of fusion */

static bool is_inside(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_marks_is_inside(m, tensor) && m->places[tensor].why == FSD_WHY_NONE;
}

#define LIBRARY_WHY                                                                    \
    "the builder writes the tensor and computes the following nodes "                  \
    "in another layer"
#define CONV_WHY                                                                       \
    "the builder computes the Conv alone and generates a kernel for "                  \
    "the following nodes"

/* Behind the Conv, or behind the Add that is the first to follow it. */
static struct candidate behind_conv(const struct fsd_marks *m, fsd_id group,
                                    fsd_id conv)
{
    const struct fsd_graph *g = m->d->model;
    fsd_id tensor = fsd_node_out_tensor(g, conv, 0), add, sum;
    const char *why = is_compiled(m, group) ? CONV_WHY : LIBRARY_WHY;
    struct candidate c = none;

    if (!is_inside(m, tensor))
        return no_break("another layer outputs its product");
    c = at_tensor(m, group, tensor, why);
    add = fsd_tensor_only_reader(g, tensor);
    if (!fsd_node_is(g, add, FSD_ONNX_Add) || fsd_id_at(m->group_of, add) != group)
        return c;
    sum = fsd_node_out_tensor(g, add, 0);
    return is_inside(m, sum) ? better(c, at_tensor(m, group, sum, why)) : c;
}

/* x -> Div -> Erf -> ... -> Mul 0.5: the input of the last Mul, if only a product
 * consumes the result. */
static struct candidate before_last_factor(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id last = fsd_marks_node(m, group, n - 1), user = only_user(m, group);
    struct candidate c = {.why =
                              "the builder writes the tensor and multiplies its last "
                              "factor into the next product",
                          .groups = {group},
                          .n = 1};

    if (!fsd_node_is(g, last, FSD_ONNX_Mul) || user == FSD_NONE ||
        product_of(m, user) == FSD_NONE)
        return none;
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id factor = fsd_node_in_tensor(g, last, i);

        c.tensor = fsd_node_in_tensor(g, last, 1 - i);
        if (!fsd_is_constant(m->d->facts, factor) ||
            fsd_form_count(g, fsd_tensor_form(g, factor)) != 1 ||
            !is_inside(m, c.tensor))
            continue;
        add_group(&c, user);
        return c;
    }
    return none;
}

#define WRITES_MORE                                                                    \
    "a generated kernel writes a marked tensor as one more output and stays whole"

static struct candidate break_epilogue(const struct fsd_marks *m, fsd_id group)
{
    fsd_id product = product_of(m, group);
    fsd_id tensor = fsd_node_out_tensor(m->d->model, product, 0);
    struct candidate c;

    if (fsd_node_is_conv(m->d, product) || !is_generated(m, group))
        return behind_conv(m, group, product);
    c = before_last_factor(m, group);
    /* With constant weights it is a Conv of 1x1 then. */
    if (is_inside(m, tensor) && m->d->cost->sizes->shapes[tensor].rank > 3 &&
        fsd_is_constant(m->d->facts, fsd_node_in_tensor(m->d->model, product, 1)))
        c = better(at_tensor(m, group, tensor, CONV_WHY), c);
    return is_none(&c) ? no_break(WRITES_MORE) : c;
}

static struct candidate break_attention(const struct fsd_marks *m, fsd_id group)
{
    struct candidate c = {
        .why = "the builder no longer recognizes an attention: separate kernels "
               "compute both products and the Softmax",
        .groups = {group},
        .n = 1};

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);

        c.tensor = fsd_node_out_tensor(m->d->model, node, 0);
        if (fsd_node_is(m->d->model, node, FSD_ONNX_Softmax) && is_inside(m, c.tensor))
            return c;
    }
    return no_break("another layer outputs its Softmax");
}

/* One product of several: it fuses what follows it. */
static struct candidate break_horizontal(const struct fsd_marks *m, fsd_id group)
{
    struct candidate best = none;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);
        fsd_id tensor = fsd_node_out_tensor(m->d->model, node, 0);
        struct candidate c = {
            tensor, fsd_place_why_text(FSD_WHY_JOINED), {group}, 1, {0}};
        struct fsd_users users = {0};

        if (!fsd_node_is_product(m->d, node) || tensor == FSD_NONE ||
            m->places[tensor].place != FSD_PLACE_WRITTEN)
            continue;
        users = fsd_marks_users(m, tensor);
        for (uint32_t k = 0; k < users.groups.n; k++)
            if (is_generated(m, users.groups.at[k]) &&
                product_of(m, users.groups.at[k]) == FSD_NONE)
                add_group(&c, users.groups.at[k]);
        best = better(best, c);
    }
    return is_none(&best)
               ? no_break("no product of it has an output that can be marked")
               : best;
}

/* The type in which a product among the operands of the node is computed. */
static enum fsd_dtype operand_type(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id from = fsd_tensor_producer(g, fsd_node_in(g, n, i)->tensor);

        if (fsd_id_at(m->group_of, from) != FSD_NONE && fsd_node_is_product(m->d, from))
            return m->d->nodes[from].realised;
    }
    return FSD_DTYPE_UNKNOWN;
}

/* The last pointwise node before a normalization, with no other consumer than this
 * kernel: if it is materialized, a product in 16 bits before it fuses the pointwise
 * nodes; one in FP32 leaves them in a kernel of their own.  Behind a quantized product
 * the kernel only writes the tensor as well. */
static struct candidate before_norm(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    struct candidate c = {
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
            tail_joins_operand(m, group, first, &c);
        type = operand_type(m, first);
        if (!is_inside(m, c.tensor) || c.n < 2 || fsd_dtype_bits(type) < 16)
            return none;
        if (type == FSD_FP32) {
            c.n = 1;
            c.why = "the builder computes the addition and the normalization in a "
                    "kernel each";
        }
        return c;
    }
    return none;
}

/* Transpositions that the builder added, among the steps of the kernel. */
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

/* A tensor between two transpositions does not have the layout of an output; the input
 * of a Resize is written where it is not row-major. */
static struct candidate at_seam(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_form *out = fsd_layer_form_out(m->d->engine, m->layer_of[group]);
    bool turned = is_turned(m, group);
    struct candidate c = {.why = "an output is row-major: the builder writes it in a "
                                 "kernel of its own",
                          .groups = {group},
                          .n = 1};

    for (uint32_t i = 1; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);
        bool resized = fsd_node_is(g, node, FSD_ONNX_Resize) && out &&
                       out->layout.order == FSD_ORDER_CHANNELS_LAST;

        c.tensor = resized ? fsd_node_in_tensor(g, node, 0)
                           : fsd_node_out_tensor(g, fsd_marks_node(m, group, 0), 0);
        if (is_inside(m, c.tensor) &&
            (resized || (turned && i == 1 && fsd_node_is(g, node, FSD_ONNX_Transpose))))
            return c;
    }
    return none;
}

/* A library kernel writes one tensor: those inside it are gone with the fusion. */
static struct candidate break_library(const struct fsd_marks *m, fsd_id group)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

        if (is_inside(m, tensor))
            return at_tensor(m, group, tensor, LIBRARY_WHY);
    }
    return no_break("it has no inner tensor");
}

static struct candidate break_vertical(const struct fsd_marks *m, fsd_id group)
{
    struct candidate c;

    if (!is_compiled(m, group))
        return break_library(m, group);
    c = before_norm(m, group);
    if (is_none(&c))
        c = at_seam(m, group);
    return is_none(&c) ? no_break(WRITES_MORE) : c;
}

static struct candidate candidate_of(const struct fsd_marks *m, fsd_id group)
{
    switch (m->kinds[group]) {
    case FSD_FUSION_NONE:
        return no_break("it is not a fusion: one node");
    case FSD_FUSION_EPILOGUE:
        return break_epilogue(m, group);
    case FSD_FUSION_ATTENTION:
        return break_attention(m, group);
    case FSD_FUSION_HORIZONTAL:
        return break_horizontal(m, group);
    case FSD_FUSION_VERTICAL:
        return break_vertical(m, group);
    default:
        return no_break("it is not known how the builder computes its parts");
    }
}

/* ----------------------------------------------------------------------- by an If */

/* All that reads it is in the main graph, where the file can be edited. */
static bool can_be_passed(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_tensor *t = &g->tensors.at[tensor];

    if (t->scope || t->item != FSD_NONE ||
        fsd_tensor_form(g, tensor)->type == FSD_DTYPE_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < t->consumers.n; i++)
        if (g->nodes.at[g->links.at[t->consumers.at + i]].scope)
            return false;
    return true;
}

/* Whether the node's inputs come from the tensor, through nodes of no group. */
static bool comes_from(const struct fsd_marks *m, fsd_id node, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id at = fsd_node_in(g, n, i)->tensor;

        for (int far = 0; at != FSD_NONE && at != tensor && far < FAR; far++) {
            fsd_id from = fsd_tensor_producer(g, at);

            at = fsd_id_at(m->group_of, from) != FSD_NONE
                     ? FSD_NONE
                     : fsd_node_in_tensor(g, from, 0);
        }
        if (at == tensor)
            return true;
    }
    return false;
}

/* Whether a node of the group is behind the tensor. */
static bool is_before_member(const struct fsd_marks *m, fsd_id group, fsd_id tensor)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (comes_from(m, fsd_marks_node(m, group, i), tensor))
            return true;
    return false;
}

/* A Mul or Div by one constant number: the builder multiplies it into what follows, a
 * product or a quantizer, so that it is no layer to be split off. */
static bool only_scales(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_graph *g = m->d->model;

    if (!fsd_node_is(g, node, FSD_ONNX_Mul) && !fsd_node_is(g, node, FSD_ONNX_Div))
        return false;
    for (uint32_t i = 0; i < g->nodes.at[node].in.n; i++) {
        fsd_id factor = fsd_node_in_tensor(g, node, i);

        if (factor != FSD_NONE && fsd_is_constant(m->d->facts, factor) &&
            fsd_form_count(g, fsd_tensor_form(g, factor)) == 1)
            return true;
    }
    return false;
}

/* The last tensor in the group that has a node of it behind, one that is scaled only if
 * there is no other; FSD_NONE: none. */
static fsd_id last_inside(const struct fsd_marks *m, fsd_id group)
{
    fsd_id last = FSD_NONE, scaled = FSD_NONE;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

        if (!is_inside(m, tensor) || !can_be_passed(m, tensor) ||
            !is_before_member(m, group, tensor))
            continue;
        if (only_scales(m, fsd_tensor_only_reader(m->d->model, tensor)))
            scaled = tensor;
        else
            last = tensor;
    }
    return last != FSD_NONE ? last : scaled;
}

static void pass(const struct fsd_marks *m, struct candidate *c, fsd_id tensor)
{
    if (!fsd_ids_have(c->passed.at, c->passed.n, tensor) && can_be_passed(m, tensor))
        fsd_vec_push(m->arena, &c->passed, tensor);
}

/* Whether the group that computes the tensor could take in a part of another one.  An
 * If behind one of several products has it computed alone, and behind a tensor that its
 * own group reads, too, it would split that group. */
static bool takes_readers(const struct fsd_marks *m, fsd_id tensor, fsd_id group)
{
    fsd_id from = fsd_tensor_producer(m->d->model, tensor);
    fsd_id other = fsd_id_at(m->group_of, from);

    return other != group && is_compiled(m, other) &&
           m->kinds[other] != FSD_FUSION_HORIZONTAL &&
           !is_before_member(m, other, tensor);
}

static bool takes_producers(const struct fsd_marks *m, fsd_id tensor, fsd_id group)
{
    struct fsd_users users = fsd_marks_users(m, tensor);
    bool any = false;

    for (uint32_t i = 0; i < users.groups.n; i++)
        any |= users.groups.at[i] != group && is_generated(m, users.groups.at[i]) &&
               product_of(m, users.groups.at[i]) == FSD_NONE;
    return any && !users.in_place && !users.loops &&
           !is_before_member(m, group, tensor);
}

/* Whatever a neighbor could take in of the parts stays apart from it in that way. */
static void pass_borders(const struct fsd_marks *m, fsd_id group, struct candidate *c)
{
    const struct fsd_graph *g = m->d->model;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[fsd_marks_node(m, group, i)];

        for (uint32_t k = 0; k < n->in.n; k++) {
            fsd_id tensor = fsd_node_in(g, n, k)->tensor;

            if (tensor != FSD_NONE && takes_readers(m, tensor, group))
                pass(m, c, tensor);
        }
        for (uint32_t k = 0; k < n->out.n; k++) {
            fsd_id tensor = fsd_node_out(g, n, k)->tensor;

            if (tensor != FSD_NONE && !is_inside(m, tensor) &&
                takes_producers(m, tensor, group))
                pass(m, c, tensor);
        }
    }
}

/* By node: whether it needs the tensor. */
static bool *nodes_behind(const struct fsd_marks *m, struct fsd_arena *scratch,
                          fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    bool *behind = FSD_NEW(scratch, bool, g->nodes.n);
    fsd_id_vec todo = {0};

    fsd_vec_push(scratch, &todo, tensor);
    for (uint32_t i = 0; i < todo.n; i++) {
        struct fsd_span readers = g->tensors.at[todo.at[i]].consumers;

        for (uint32_t k = 0; k < readers.n; k++) {
            fsd_id node = g->links.at[readers.at + k];

            if (behind[node])
                continue;
            behind[node] = true;
            for (uint32_t o = 0; o < g->nodes.at[node].out.n; o++)
                if (fsd_node_has_out(g, node, o))
                    fsd_vec_push(scratch, &todo, fsd_node_out_tensor(g, node, o));
        }
    }
    return behind;
}

/* The kernels that a node's operands come from take it in where it is computed before
 * the If: they are compiled with it then, and generated. */
static void add_takers(const struct fsd_marks *m, fsd_id group, fsd_id node,
                       struct candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id from = fsd_tensor_producer(g, fsd_node_in(g, n, i)->tensor);
        fsd_id other = fsd_id_at(m->group_of, from);

        if (other != FSD_NONE && other != group && is_generated(m, other) &&
            product_of(m, other) == FSD_NONE)
            add_group(c, other);
    }
}

/* Another group that needs the tensor in some of its nodes only: the builder computes
 * the others before the If, where it can. */
static void add_mixed(const struct fsd_marks *m, fsd_id group, struct candidate *c)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const bool *behind = nodes_behind(m, scratch, c->tensor);

    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        uint32_t n = m->state->groups.at[i].nodes.n, late = 0;

        for (uint32_t k = 0; k < n; k++)
            late += behind[fsd_marks_node(m, i, k)];
        if (i != group && late && late < n && is_generated(m, i) &&
            m->kinds[i] != FSD_FUSION_ATTENTION) {
            add_group(c, i);
            for (uint32_t k = 0; k < n; k++)
                if (!behind[fsd_marks_node(m, i, k)])
                    add_takers(m, i, fsd_marks_node(m, i, k), c);
        }
    }
    fsd_arena_free(scratch);
}

/* A pooling that is all that is left behind the If: a product alone behind it takes it
 * in. */
static void add_pooled(const struct fsd_marks *m, fsd_id group, struct candidate *c)
{
    fsd_id behind = fsd_tensor_only_reader(m->d->model, c->tensor);
    fsd_id user = only_user(m, group);

    if (fsd_node_is(m->d->model, behind, FSD_ONNX_GlobalAveragePool) &&
        user != FSD_NONE && m->state->groups.at[user].nodes.n == 1 &&
        product_of(m, user) != FSD_NONE)
        add_group(c, user);
}

/* A scale at the end of a kernel with a product: the product that alone reads it takes
 * it in. */
static void add_scaled(const struct fsd_marks *m, fsd_id group, struct candidate *c)
{
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id user = only_user(m, group);

    if (product_of(m, group) != FSD_NONE && user != FSD_NONE &&
        product_of(m, user) != FSD_NONE &&
        only_scales(m, fsd_marks_node(m, group, n - 1)))
        add_group(c, user);
}

/* No builder fuses across control flow: the producer of the tensor runs before the If,
 * its consumers after it. */
static struct candidate by_if(const struct fsd_marks *m, fsd_id group,
                              struct candidate without)
{
    struct candidate c = {.tensor = last_inside(m, group),
                          .why = "no builder fuses across an If: the producer and the "
                                 "consumers of the first tensor become separate layers",
                          .groups = {group},
                          .n = 1};

    if (is_none(&c) || strcmp(m->d->model->kind, "onnx") != 0 ||
        fsd_marks_condition(m->d) == FSD_NONE)
        return without;
    pass(m, &c, c.tensor);
    add_mixed(m, group, &c);
    /* Some builders refuse several Ifs beside a branch that goes round them. */
    if (c.n == 1)
        pass_borders(m, group, &c);
    add_pooled(m, group, &c);
    add_scaled(m, group, &c);
    return c.n > MOST ? no_break("more than 4 fusions would change") : c;
}

/* ------------------------------------------------------------------------- whole */

static struct fsd_span keep(struct fsd_marks *m, const fsd_id *ids, uint32_t n)
{
    struct fsd_span kept = {m->pool.n, n};

    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(m->arena, &m->pool, ids[i]);
    return kept;
}

void fsd_marks_add_breaks(struct fsd_marks *m)
{
    m->breaks = FSD_NEW(m->arena, struct fsd_break, m->state->groups.n);
    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        struct candidate c = candidate_of(m, i);
        struct fsd_break *b = &m->breaks[i];

        if (is_none(&c) && m->kinds[i] != FSD_FUSION_NONE)
            c = by_if(m, i, c);
        qsort(c.groups, c.n, sizeof *c.groups, fsd_by_id);
        *b = (struct fsd_break){c.tensor, keep(m, c.passed.at, c.passed.n), c.why,
                                keep(m, c.groups, c.n)};
    }
}
