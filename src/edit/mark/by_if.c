/*
 * How an If that forwards a tensor splits a fusion, and what else changes then: the
 * producers of the tensor run before the If, its consumers after it, and the builder
 * compiles both parts separately.
 */
#include "base/base.h"
#include "edit/mark/break.h"
#include "edit/run.h"

#include <string.h>

enum { FAR = 64 }; /* the limit of consecutive nodes without a group */

/* --------------------------------------------------------------------- the tensors */

/* Whether all consumers of the tensor are in the main graph, where the file can be
 * edited. */
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

/* Whether the node's inputs come from the tensor, through nodes without a group. */
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

/* Whether a node of the group depends on the tensor. */
static bool is_before_member(const struct fsd_marks *m, fsd_id group, fsd_id tensor)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (comes_from(m, fsd_marks_node(m, group, i), tensor))
            return true;
    return false;
}

/* Whether the node is a Mul or Div by one constant number: the builder multiplies it
 * into the following product or quantizer, so it is not a layer to split off. */
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

/* The last tensor in the group on which a node of the group depends; one that is only
 * scaled counts only if there is no other; FSD_NONE: none. */
static fsd_id last_inside(const struct fsd_marks *m, fsd_id group)
{
    fsd_id last = FSD_NONE, scaled = FSD_NONE;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id tensor =
            fsd_node_out_tensor(m->d->model, fsd_marks_node(m, group, i), 0);

        if (!fsd_break_is_inside(m, tensor) || !can_be_passed(m, tensor) ||
            !is_before_member(m, group, tensor))
            continue;
        if (only_scales(m, fsd_tensor_only_reader(m->d->model, tensor)))
            scaled = tensor;
        else
            last = tensor;
    }
    return last != FSD_NONE ? last : scaled;
}

static void pass(const struct fsd_marks *m, struct fsd_candidate *c, fsd_id tensor)
{
    if (!fsd_ids_have(c->passed.at, c->passed.n, tensor) && can_be_passed(m, tensor))
        fsd_vec_push(m->arena, &c->passed, tensor);
}

/* Whether the group that computes the tensor could absorb a part of `group`.  An If
 * after one of several products would make the builder compute it alone, and an If
 * after a tensor that the producing group also reads would split that group. */
static bool takes_readers(const struct fsd_marks *m, fsd_id tensor, fsd_id group)
{
    fsd_id from = fsd_tensor_producer(m->d->model, tensor);
    fsd_id other = fsd_id_at(m->group_of, from);

    return other != group && fsd_break_is_compiled(m, other) &&
           m->kinds[other] != FSD_FUSION_HORIZONTAL &&
           !is_before_member(m, other, tensor);
}

static bool takes_producers(const struct fsd_marks *m, fsd_id tensor, fsd_id group)
{
    const struct fsd_users *users = fsd_marks_users(m, tensor);
    bool any = false;

    for (uint32_t i = 0; i < users->groups.n; i++)
        any |= users->groups.at[i] != group &&
               fsd_break_is_generated(m, users->groups.at[i]) &&
               fsd_break_product(m, users->groups.at[i]) == FSD_NONE;
    return any && !users->in_place && !users->loops &&
           !is_before_member(m, group, tensor);
}

/* Forwards the tensors at the group's borders through Ifs, so that no neighbor absorbs
 * one of its parts. */
static void pass_borders(const struct fsd_marks *m, fsd_id group,
                         struct fsd_candidate *c)
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

            if (tensor != FSD_NONE && !fsd_break_is_inside(m, tensor) &&
                takes_producers(m, tensor, group))
                pass(m, c, tensor);
        }
    }
}

/* --------------------------------------------------------------- what else changes */

/* Indexed by node: whether it depends on one of the forwarded tensors. */
static bool *nodes_behind(const struct fsd_marks *m, struct fsd_arena *scratch,
                          const fsd_id_vec *passed)
{
    const struct fsd_graph *g = m->d->model;
    bool *behind = FSD_NEW(scratch, bool, g->nodes.n);
    fsd_id_vec todo = {0};

    for (uint32_t i = 0; i < passed->n; i++)
        fsd_vec_push(scratch, &todo, passed->at[i]);
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

/* A node that is computed before the If is absorbed by the kernels of its operands,
 * which are then compiled with it and generated. */
static void add_takers(const struct fsd_marks *m, fsd_id group, fsd_id node,
                       struct fsd_candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id from = fsd_tensor_producer(g, fsd_node_in(g, n, i)->tensor);
        fsd_id other = fsd_id_at(m->group_of, from);

        if (other != FSD_NONE && other != group && fsd_break_is_generated(m, other) &&
            fsd_break_product(m, other) == FSD_NONE)
            fsd_break_add(c, other);
    }
}

/* Adds a different group of which only some nodes depend on the tensors.  The builder
 * computes its other nodes before the If if possible, a single node in the kernel of an
 * operand.  It computes products together, and recognizes an attention, only if all
 * their operands are available. */
static void add_mixed(const struct fsd_marks *m, fsd_id group, const bool *behind,
                      struct fsd_candidate *c)
{
    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        uint32_t n = m->state->groups.at[i].nodes.n, late = 0;
        bool parts =
            m->kinds[i] == FSD_FUSION_ATTENTION || m->kinds[i] == FSD_FUSION_HORIZONTAL;

        for (uint32_t k = 0; k < n; k++)
            late += behind[fsd_marks_node(m, i, k)];
        if (i == group || !late || late == n ||
            (!parts && !fsd_break_is_generated(m, i)))
            continue;
        fsd_break_add(c, i);
        for (uint32_t k = 0; k < n && late == n - 1 && !parts; k++)
            if (!behind[fsd_marks_node(m, i, k)])
                add_takers(m, i, fsd_marks_node(m, i, k), c);
    }
}

static bool is_among(const bool *tensors, fsd_id tensor)
{
    return tensor != FSD_NONE && tensors[tensor];
}

/* Indexed by tensor: whether the part after the If reads it from before the If,
 * directly or through sums of such tensors.  It then has the model's sizes, not those
 * with which the builder computes products. */
static bool *tensors_across(const struct fsd_marks *m, struct fsd_arena *scratch,
                            const bool *behind, const fsd_id_vec *passed)
{
    const struct fsd_graph *g = m->d->model;
    bool *across = FSD_NEW(scratch, bool, g->tensors.n);

    for (fsd_id i = 0; i < g->tensors.n; i++) {
        fsd_id from = fsd_tensor_producer(g, i);

        across[i] = fsd_is_data(m->d->facts, i) && from != FSD_NONE &&
                    (!behind[from] || fsd_ids_have(passed->at, passed->n, i));
    }
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        bool all = behind[i] && fsd_node_is(g, i, FSD_ONNX_Add);

        for (uint32_t k = 0; k < g->nodes.at[i].in.n && all; k++)
            all = is_among(across, fsd_node_in_tensor(g, i, k));
        if (all)
            across[fsd_node_out_tensor(g, i, 0)] = true;
    }
    return across;
}

static bool has_norm(const struct fsd_marks *m, fsd_id group)
{
    bool has = false;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n && !has; i++)
        has = fsd_node_is(m->d->model, fsd_marks_node(m, group, i),
                          FSD_ONNX_LayerNormalization);
    return has;
}

/* The group of a single normalization that reads the tensor; FSD_NONE: none. */
static fsd_id norm_behind(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_users *users = fsd_marks_users(m, tensor);

    for (uint32_t i = 0; i < users->groups.n; i++)
        if (m->kinds[users->groups.at[i]] == FSD_FUSION_NONE &&
            has_norm(m, users->groups.at[i]))
            return users->groups.at[i];
    return FSD_NONE;
}

/* A residual that the group adds and normalizes is reshaped between the sums, so a
 * product before them absorbs the first sum, and a normalization after them the second.
 */
static void add_residual(const struct fsd_marks *m, fsd_id group, fsd_id sum,
                         struct fsd_candidate *c)
{
    fsd_id first = fsd_marks_node(m, group, 0), norm;

    if (has_norm(m, group)) {
        uint32_t n = c->n;

        /* The kernel reshapes it even without an If. */
        if (fsd_layer_count(m->d->engine, m->layer_of[group], FSD_ONNX_Reshape))
            return;
        fsd_break_joins_operand(m, group, first, c);
        if (c->n > n)
            fsd_break_add(c, group);
        return;
    }
    norm = norm_behind(m, fsd_node_out_tensor(m->d->model, sum, 0));
    if (norm == FSD_NONE || !fsd_break_is_generated(m, group) ||
        fsd_break_product(m, group) == FSD_NONE)
        return;
    fsd_break_add(c, group);
    fsd_break_add(c, norm);
}

static bool is_read_in(const struct fsd_marks *m, fsd_id tensor, const bool *nodes)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_span readers = g->tensors.at[tensor].consumers;
    bool read = false;

    for (uint32_t i = 0; i < readers.n && !read; i++)
        read = nodes[g->links.at[readers.at + i]];
    return read;
}

/* A product of such a sum is computed matrix by matrix, and the nodes after it
 * separately. */
static void add_stacked(const struct fsd_marks *m, const bool *behind,
                        const bool *across, struct fsd_candidate *c)
{
    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        fsd_id product = fsd_break_product(m, i), tensor;

        if (product == FSD_NONE || !behind[product] ||
            m->kinds[i] != FSD_FUSION_EPILOGUE || !fsd_break_is_generated(m, i))
            continue;
        tensor = fsd_node_in_tensor(m->d->model, product, 0);
        if (is_among(across, tensor) && fsd_marks_is_stack(m, tensor) &&
            fsd_node_is(m->d->model, fsd_tensor_producer(m->d->model, tensor),
                        FSD_ONNX_Add))
            fsd_break_add(c, i);
    }
}

/* Adds the producers and consumers of the residuals that cross the border. */
static void add_across(const struct fsd_marks *m, fsd_id group, const bool *behind,
                       struct fsd_arena *scratch, struct fsd_candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const bool *across = tensors_across(m, scratch, behind, &c->passed);

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_id of = m->group_of[i], out = fsd_node_out_tensor(g, i, 0);
        bool reads = false;

        if (of == FSD_NONE || of == group || !fsd_node_is(g, i, FSD_ONNX_Add) ||
            !fsd_marks_is_stack(m, out))
            continue;
        for (uint32_t k = 0; k < g->nodes.at[i].in.n && behind[i]; k++)
            reads |= is_among(across, fsd_node_in_tensor(g, i, k));
        if (reads)
            add_residual(m, of, i, c);
        if (!behind[i] && is_read_in(m, out, behind) && !fsd_marks_is_inside(m, out) &&
            has_norm(m, of))
            add_residual(m, of, i, c);
    }
    add_stacked(m, behind, across, c);
}

/* If only a pooling is left after the If, a product alone after it absorbs the pooling.
 */
static void add_pooled(const struct fsd_marks *m, fsd_id group, struct fsd_candidate *c)
{
    fsd_id behind = fsd_tensor_only_reader(m->d->model, c->tensor);
    fsd_id user = fsd_break_only_user(m, group);

    if (fsd_node_is(m->d->model, behind, FSD_ONNX_GlobalAveragePool) &&
        user != FSD_NONE && m->state->groups.at[user].nodes.n == 1 &&
        fsd_break_product(m, user) != FSD_NONE)
        fsd_break_add(c, user);
}

/* A scale at the end of a kernel with a product is absorbed by the product that alone
 * reads it. */
static void add_scaled(const struct fsd_marks *m, fsd_id group, struct fsd_candidate *c)
{
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id user = fsd_break_only_user(m, group);

    if (fsd_break_product(m, group) != FSD_NONE && user != FSD_NONE &&
        fsd_break_product(m, user) != FSD_NONE &&
        only_scales(m, fsd_marks_node(m, group, n - 1)))
        fsd_break_add(c, user);
}

/* Adds the groups that the border between both parts changes, given the tensors that
 * are forwarded so far. */
static void add_parts(const struct fsd_marks *m, fsd_id group, bool residuals,
                      struct fsd_candidate *c)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const bool *behind = nodes_behind(m, scratch, &c->passed);

    add_mixed(m, group, behind, c);
    if (residuals)
        add_across(m, group, behind, scratch, c);
    fsd_arena_free(scratch);
}

/* No builder fuses across control flow: the producer of the tensor runs before the If,
 * its consumers after it. */
struct fsd_candidate fsd_break_by_if(const struct fsd_marks *m, fsd_id group,
                                     struct fsd_candidate without)
{
    struct fsd_candidate c = {
        .tensor = last_inside(m, group),
        .why = "no builder fuses across an If: the producer and the "
               "consumers of the first tensor become separate layers",
        .groups = {group},
        .n = 1};

    if (fsd_break_is_none(&c) || strcmp(m->d->model->kind, "onnx") != 0 ||
        fsd_marks_condition(m->d) == FSD_NONE)
        return without;
    pass(m, &c, c.tensor);
    add_parts(m, group, false, &c);
    /* Some builders refuse several Ifs beside a branch that bypasses them. */
    if (c.n == 1)
        pass_borders(m, group, &c);
    add_parts(m, group, true, &c);
    add_pooled(m, group, &c);
    add_scaled(m, group, &c);
    return c.n > FSD_BREAK_MOST ? fsd_break_none("more than 4 fusions would change")
                                : c;
}
