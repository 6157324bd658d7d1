/*
 * Finds how an If that forwards a tensor splits a fusion, and which other groups change
 * then. The producers of the tensor run before the If, its consumers after it, and the
 * builder compiles the two parts separately.
 *
 * Which groups change depends on all nodes behind the If. If each fusion had its own
 * walk over these nodes, the time would grow with the square of the model's size.
 * Therefore one walk examines 64 fusions: bit b of a mask is about the b-th fusion and
 * its Ifs. The walk ends early in two cases:
 * - too many groups change for each of the 64 fusions;
 * - the rest of the model only reads tensors that are behind the Ifs of all 64 fusions.
 *   In a transformer, this is the case after the next residual sum.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/mark/break.h"
#include "edit/mark/outlook.h"

enum { FAR = 64 }; /* a search passes at most this many nodes without a group */

/* --------------------------------------------------------------------- the tensors */

/* Whether an If can forward the tensor: its type is known, and all of its consumers are
 * in the main graph, where edits of the file are possible. */
static bool can_be_passed(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_tensor *t = &g->tensors.at[tensor];

    if (t->scope || t->item != FSD_NONE ||
        fsd_tensor_form(g, tensor)->type == FSD_DTYPE_UNKNOWN)
        return false;
    FSD_EACH_ID (reader, g->links, t->consumers)
        if (g->nodes.at[reader].scope)
            return false;
    return true;
}

/* Whether the node reads the tensor, directly or through nodes without a group. */
static bool comes_from(const struct fsd_marks *m, fsd_id node, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (at, g->ports, n->in, tensor) {
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

/* Whether a node of the group reads the tensor, directly or through nodes without a
 * group. */
static bool is_before_member(const struct fsd_marks *m, fsd_id group, fsd_id tensor)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        if (comes_from(m, fsd_marks_node(m, group, i), tensor))
            return true;
    return false;
}

/* Whether the node multiplies or divides by one constant number. The builder merges
 * such a node into the next product or quantizer, so it never becomes a layer. */
static bool only_scales(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_graph *g = m->d->model;

    if (!fsd_node_is(g, node, FSD_ONNX_Mul) && !fsd_node_is(g, node, FSD_ONNX_Div))
        return false;
    FSD_EACH_OF (factor, g->ports, g->nodes.at[node].in, tensor)
        if (factor != FSD_NONE && fsd_is_constant(m->d->facts, factor) &&
            fsd_form_count(g, fsd_tensor_form(g, factor)) == 1)
            return true;
    return false;
}

/* The last tensor inside the group that an If can forward, and that a node of the group
 * reads; FSD_NONE if there is none. A tensor whose only consumer scales it
 * (only_scales()) is used only as a last resort. */
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

/* Whether an If must follow the tensor, because `other`, the group that computes the
 * tensor, may otherwise absorb a part of `group`. False in two cases, because the If
 * would change `other` itself:
 * - `other` is a horizontal fusion: the If would separate one of its products.
 * - `other` also reads the tensor: the If would split `other`. */
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

/* Forwards the tensors at the group's borders through Ifs, too, so that no neighbor
 * absorbs a part of the group. */
static void pass_borders(const struct fsd_marks *m, fsd_id group,
                         struct fsd_candidate *c)
{
    const struct fsd_graph *g = m->d->model;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[fsd_marks_node(m, group, i)];

        FSD_EACH_OF (tensor, g->ports, n->in, tensor)
            if (tensor != FSD_NONE && takes_readers(m, tensor, group))
                pass(m, c, tensor);
        FSD_EACH_OF (tensor, g->ports, n->out, tensor)
            if (tensor != FSD_NONE && !fsd_break_is_inside(m, tensor) &&
                takes_producers(m, tensor, group))
                pass(m, c, tensor);
    }
}

/* --------------------------------------------------------------- what else changes */

/* The fusions that are examined at once. In all masks, bit b is about group[b]. */
struct borders {
    const struct fsd_marks *m;
    struct fsd_candidate *c[FSD_BREAK_AT_ONCE];
    fsd_id group[FSD_BREAK_AT_ONCE];
    uint64_t open;  /* a mask: c[b] is a break that changes at most FSD_BREAK_MOST
                       groups so far */
    bool residuals; /* also add groups that change because a residual crosses an If */
    struct fsd_masks masks;
    fsd_id first, full; /* masks.behind is valid only for nodes from `first` to
                           `full` - 1. Nodes before `first` are behind no If. Nodes
                           from `full` on are behind the Ifs of all fusions, except for
                           dry nodes (outlook.h), which are behind no If */
};

static uint64_t behind_of(const struct borders *b, fsd_id node)
{
    return node < b->full             ? b->masks.behind[node]
           : b->m->outlook->dry[node] ? 0
                                      : UINT64_MAX;
}

/* Runs the body for each bit that is set in the mask and in b->open. */
/* NOLINTBEGIN(bugprone-macro-parentheses): `bit` is a name that is declared */
#define EACH_OPEN(b, bit, mask)                                                        \
    for (uint64_t bit##s = (mask), bit;                                                \
         (bit##s &= (b)->open) && (bit = (uint64_t)__builtin_ctzll(bit##s), true);     \
         bit##s &= bit##s - 1)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Gives up a fusion whose break changes too many groups. */
static void settle(struct borders *b, uint64_t bit)
{
    if (b->c[bit]->n > FSD_BREAK_MOST)
        b->open &= ~(UINT64_C(1) << bit);
}

/* Marks the nodes that depend on the forwarded tensors of one fusion. This works for
 * any order of nodes. */
static void walk_behind(struct borders *b, struct fsd_arena *scratch, uint64_t bit)
{
    const struct fsd_graph *g = b->m->d->model;
    const uint64_t mine = UINT64_C(1) << bit;
    fsd_id_vec todo = {0};

    for (uint32_t i = 0; i < b->c[bit]->passed.n; i++)
        fsd_vec_push(scratch, &todo, b->c[bit]->passed.at[i]);
    for (uint32_t i = 0; i < todo.n; i++) {
        struct fsd_span readers = g->tensors.at[todo.at[i]].consumers;

        FSD_EACH_ID (node, g->links, readers) {
            if (b->masks.behind[node] & mine)
                continue;
            b->masks.behind[node] |= mine;
            for (uint32_t o = 0; o < g->nodes.at[node].out.n; o++)
                if (fsd_node_has_out(g, node, o))
                    fsd_vec_push(scratch, &todo, fsd_node_out_tensor(g, node, o));
        }
    }
}

static void mark_readers(struct borders *b, fsd_id tensor, uint64_t mask)
{
    const struct fsd_graph *g = b->m->d->model;
    struct fsd_span readers = g->tensors.at[tensor].consumers;

    FSD_EACH_ID (reader, g->links, readers) {
        b->masks.behind[reader] |= mask;
        b->first = reader < b->first ? reader : b->first;
    }
}

/* Updates masks.covered after walk() has visited `node`. Returns by how much the number
 * of covered tensors has changed (modulo 2^32).
 * - An output of `node` becomes covered if a node reads it, no If forwards it, and
 *   `node` is behind the Ifs of all open fusions.
 * - A covered input of `node` is no longer covered if `node` is its last consumer. */
static uint32_t count_covered(const struct borders *b, fsd_id node)
{
    const struct fsd_graph *g = b->m->d->model;
    const uint32_t *last = b->m->outlook->last;
    uint32_t n = 0;

    FSD_EACH_OF (t, g->ports, g->nodes.at[node].in, tensor) {
        if (t == FSD_NONE || last[t] != node || !b->masks.covered[t])
            continue;
        b->masks.covered[t] = false;
        n--;
    }
    FSD_EACH_OF (t, g->ports, g->nodes.at[node].out, tensor) {
        if (t == FSD_NONE || last[t] == FSD_NONE || b->masks.passed[t] ||
            (b->masks.behind[node] & b->open) != b->open)
            continue;
        b->masks.covered[t] = true;
        n++;
    }
    return n;
}

static void clear_readers(struct borders *b, fsd_id tensor)
{
    const struct fsd_graph *g = b->m->d->model;
    struct fsd_span readers = g->tensors.at[tensor].consumers;

    FSD_EACH_ID (reader, g->links, readers)
        b->masks.behind[reader] = 0;
}

/* Resets to 0 all entries that walk() filled. */
static void clear_masks(struct borders *b)
{
    const struct fsd_graph *g = b->m->d->model;
    /* If the model is not sorted, walk_behind() may have marked any node. */
    const fsd_id end = b->m->outlook->sorted ? b->full : g->nodes.n;

    for (unsigned bit = 0; bit < FSD_BREAK_AT_ONCE && b->c[bit]; bit++)
        for (uint32_t i = 0; i < b->c[bit]->passed.n; i++) {
            b->masks.passed[b->c[bit]->passed.at[i]] = 0;
            clear_readers(b, b->c[bit]->passed.at[i]);
        }
    for (fsd_id i = b->first; i < end; i++) {
        struct fsd_span outputs = g->nodes.at[i].out;

        b->masks.behind[i] = 0;
        FSD_EACH_OF (tensor, g->ports, outputs, tensor) {
            if (tensor == FSD_NONE)
                continue;
            b->masks.sums[tensor] = 0;
            b->masks.covered[tensor] = false;
            clear_readers(b, tensor);
        }
    }
}

/* Adds the groups that may absorb `node`, because the builder computes it before the
 * If: each group that computes an operand of `node` in a generated kernel without a
 * product. */
static void add_takers(const struct fsd_marks *m, fsd_id group, fsd_id node,
                       struct fsd_candidate *c)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
        fsd_id from = fsd_tensor_producer(g, tensor);
        fsd_id other = fsd_id_at(m->group_of, from);

        if (other != FSD_NONE && other != group && fsd_break_is_generated(m, other) &&
            fsd_break_product(m, other) == FSD_NONE)
            fsd_break_add(c, other);
    }
}

/* A mask of the open fusions whose group is not `group`. */
static uint64_t others_than(const struct borders *b, fsd_id group)
{
    uint64_t mask = 0;

    EACH_OPEN(b, bit, UINT64_MAX)
    mask |= (uint64_t)(b->group[bit] != group) << bit;
    return mask;
}

/* Adds group i to the break of each other fusion whose If divides the group: some nodes
 * of the group are behind the If, and some are not.
 *
 * If the group's kernel is not generated, adds the group only if it is a horizontal
 * fusion or an attention (`parts`). The builder forms these only if all operands are
 * available at the same time.
 *
 * If the group is of another kind, and only one of its nodes is not behind the If, the
 * builder computes this node before the If, in the kernel that computes one of its
 * operands (add_takers()). */
static void add_mixed_group(struct borders *b, fsd_id i)
{
    const struct fsd_marks *m = b->m;
    uint32_t n = m->state->groups.at[i].nodes.n;
    uint64_t late = 0, early = 0, several = 0; /* masks of fusions. late: a node of
                                                  the group is behind the If; early: a
                                                  node is not behind the If; several:
                                                  two nodes are not behind the If */
    bool parts =
        m->kinds[i] == FSD_FUSION_ATTENTION || m->kinds[i] == FSD_FUSION_HORIZONTAL;

    for (uint32_t k = 0; k < n; k++) {
        uint64_t behind = behind_of(b, fsd_marks_node(m, i, k));

        late |= behind;
        several |= early & ~behind;
        early |= ~behind;
    }
    if (!(late & early & b->open) || (!parts && !fsd_break_is_generated(m, i)))
        return;
    EACH_OPEN(b, bit, late & early & others_than(b, i))
    {
        fsd_break_add(b->c[bit], i);
        for (uint32_t k = 0; k < n && !(several >> bit & 1) && !parts; k++)
            if (!(behind_of(b, fsd_marks_node(m, i, k)) >> bit & 1))
                add_takers(m, i, fsd_marks_node(m, i, k), b->c[bit]);
        settle(b, bit);
    }
}

/* Returns a mask of the fusions for which the tensor comes from before the If: it is
 * computed before the If, the If forwards it, or it is a sum of such tensors. Such a
 * tensor has the sizes of the model, but products use other sizes
 * (fsd_marks_is_stack()). */
static uint64_t across_of(const struct borders *b, fsd_id tensor)
{
    fsd_id from = fsd_tensor_producer(b->m->d->model, tensor);

    if (tensor == FSD_NONE)
        return 0;
    return fsd_is_data(b->m->d->facts, tensor) && from != FSD_NONE
               ? ~behind_of(b, from) | b->masks.passed[tensor] | b->masks.sums[tensor]
               : b->masks.sums[tensor];
}

/* Sets masks.sums for the output of an Add. The Add must be behind the If, and all of
 * its operands must come from before the If (across_of()). */
static void mark_sum(struct borders *b, fsd_id node)
{
    const struct fsd_graph *g = b->m->d->model;
    uint64_t all = fsd_node_is(g, node, FSD_ONNX_Add) ? b->masks.behind[node] : 0;

    for (uint32_t k = 0; k < g->nodes.at[node].in.n && all; k++)
        all &= across_of(b, fsd_node_in_tensor(g, node, k));
    if (all)
        b->masks.sums[fsd_node_out_tensor(g, node, 0)] |= all;
}

static bool has_norm(const struct fsd_marks *m, fsd_id group)
{
    bool has = false;

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n && !has; i++)
        has = fsd_node_is(m->d->model, fsd_marks_node(m, group, i),
                          FSD_ONNX_LayerNormalization);
    return has;
}

/* A group that is a single normalization and reads the tensor; FSD_NONE: none. */
static fsd_id norm_behind(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_users *users = fsd_marks_users(m, tensor);

    for (uint32_t i = 0; i < users->groups.n; i++)
        if (m->kinds[users->groups.at[i]] == FSD_FUSION_NONE &&
            has_norm(m, users->groups.at[i]))
            return users->groups.at[i];
    return FSD_NONE;
}

/* Adds the groups that change because the kernel of `group` reshapes a residual between
 * two sums. The residual comes from the other side of the If, and `sum`, an Add in
 * `group`, adds it.
 * - If `group` has a normalization, a product before `group` absorbs the first sum.
 * - If `group` has a product, a normalization after `group` absorbs the second sum. */
static void add_residual(const struct fsd_marks *m, fsd_id group, fsd_id sum,
                         struct fsd_candidate *c)
{
    fsd_id first = fsd_marks_node(m, group, 0), norm;

    if (has_norm(m, group)) {
        uint32_t n = c->n;

        /* The kernel reshapes the residual even without an If. */
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

/* A mask of the fusions for which a node behind the If reads the tensor. */
static uint64_t read_behind(const struct borders *b, fsd_id tensor)
{
    const struct fsd_graph *g = b->m->d->model;
    struct fsd_span readers = g->tensors.at[tensor].consumers;
    uint64_t read = 0;

    FSD_EACH_ID (reader, g->links, readers)
        read |= behind_of(b, reader);
    return read;
}

/* Adds group i to a fusion's break if the group's product is behind the fusion's If and
 * reads a tensor from before the If (across_of()). For such a product, the builder
 * computes each matrix of the batch separately, and the nodes after the product in
 * another kernel. */
static void add_stacked(struct borders *b, fsd_id i)
{
    const struct fsd_marks *m = b->m;
    fsd_id product = fsd_break_product(m, i), tensor;

    if (product == FSD_NONE || !(behind_of(b, product) & b->open) ||
        m->kinds[i] != FSD_FUSION_EPILOGUE || !fsd_break_is_generated(m, i))
        return;
    tensor = fsd_node_in_tensor(m->d->model, product, 0);
    if (tensor == FSD_NONE || !fsd_marks_is_stack(m, tensor) ||
        !fsd_node_is(m->d->model, fsd_tensor_producer(m->d->model, tensor),
                     FSD_ONNX_Add))
        return;
    EACH_OPEN(b, bit, behind_of(b, product) & across_of(b, tensor))
    {
        fsd_break_add(b->c[bit], i);
        settle(b, bit);
    }
}

/* Node i is an Add with a group. Adds the groups that change (add_residual()) in two
 * cases:
 * - The Add is behind a fusion's If, and its residual comes from before the If.
 * - The Add is before the If, its group has a normalization, and a node behind the If
 *   reads the sum. */
static void add_across(struct borders *b, fsd_id i)
{
    const struct fsd_marks *m = b->m;
    const struct fsd_graph *g = m->d->model;
    fsd_id of = m->group_of[i], out = fsd_node_out_tensor(g, i, 0);
    uint64_t reads = 0, read = 0;

    if (!fsd_marks_is_stack(m, out))
        return;
    for (uint32_t k = 0; k < g->nodes.at[i].in.n && b->masks.behind[i]; k++)
        reads |= across_of(b, fsd_node_in_tensor(g, i, k));
    reads &= b->masks.behind[i];
    if (!fsd_marks_is_inside(m, out) && has_norm(m, of))
        read = read_behind(b, out) & ~b->masks.behind[i];
    if (!((reads | read) & b->open))
        return;
    EACH_OPEN(b, bit, (reads | read) & others_than(b, of))
    {
        add_residual(m, of, i, b->c[bit]);
        settle(b, bit);
    }
}

/* Adds the group of a product that absorbs a global pooling. Three conditions must
 * hold:
 * - the pooling is the only node that reads c->tensor;
 * - the product is the only node of its group;
 * - this group is the only group that reads the outputs of `group`. */
static void add_pooled(const struct fsd_marks *m, fsd_id group, struct fsd_candidate *c)
{
    fsd_id behind = fsd_tensor_only_reader(m->d->model, c->tensor);
    fsd_id user = fsd_break_only_user(m, group);

    if (fsd_node_is(m->d->model, behind, FSD_ONNX_GlobalAveragePool) &&
        user != FSD_NONE && m->state->groups.at[user].nodes.n == 1 &&
        fsd_break_product(m, user) != FSD_NONE)
        fsd_break_add(c, user);
}

/* Adds the only consumer of `group` if both groups have a product, and the last node of
 * `group` is a scale (only_scales()). The consumer's product then absorbs the scale. */
static void add_scaled(const struct fsd_marks *m, fsd_id group, struct fsd_candidate *c)
{
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id user = fsd_break_only_user(m, group);

    if (fsd_break_product(m, group) != FSD_NONE && user != FSD_NONE &&
        fsd_break_product(m, user) != FSD_NONE &&
        only_scales(m, fsd_marks_node(m, group, n - 1)))
        fsd_break_add(c, user);
}

/* Sets masks.passed for the tensors that Ifs forward, and masks.behind for the nodes
 * that read them. If the model is sorted, walk() marks the other nodes behind the Ifs.
 * If it is not sorted, walk() could visit a node before the node is marked, so
 * walk_behind() marks all nodes behind the Ifs here. */
static void mark_passed(struct borders *b, struct fsd_arena *scratch)
{
    b->full = b->m->d->model->nodes.n;
    b->first = b->m->outlook->sorted ? b->full : 0;
    EACH_OPEN(b, bit, UINT64_MAX)
    {
        if (!b->m->outlook->sorted) /* walk_behind() stops at marked nodes, so it
                                       must run before mark_readers() */
            walk_behind(b, scratch, bit);
        for (uint32_t i = 0; i < b->c[bit]->passed.n; i++) {
            b->masks.passed[b->c[bit]->passed.at[i]] |= UINT64_C(1) << bit;
            mark_readers(b, b->c[bit]->passed.at[i], UINT64_C(1) << bit);
        }
    }
}

static void mark_outputs(struct borders *b, fsd_id node)
{
    const struct fsd_graph *g = b->m->d->model;

    for (uint32_t o = 0; b->masks.behind[node] && o < g->nodes.at[node].out.n; o++)
        if (fsd_node_has_out(g, node, o))
            mark_readers(b, fsd_node_out_tensor(g, node, o), b->masks.behind[node]);
}

static void add_group(struct borders *b, fsd_id group)
{
    add_mixed_group(b, group);
    if (b->residuals)
        add_stacked(b, group);
}

/* Adds the groups that change. Examines only groups and Adds whose range (outlook.h)
 * ends at `node`. */
static void add_ended(struct borders *b, fsd_id node)
{
    const struct fsd_ranges *groups = &b->m->outlook->groups;
    const struct fsd_ranges *adds = &b->m->outlook->adds;

    for (uint32_t i = groups->first_end[node]; i < groups->first_end[node + 1]; i++)
        add_group(b, groups->ends.at[i]);
    if (!b->residuals)
        return;
    for (uint32_t i = adds->first_end[node]; i < adds->first_end[node + 1]; i++)
        add_across(b, adds->ends.at[i]);
}

/* Adds the groups that change. Examines only groups and Adds whose range (outlook.h)
 * begins before b->full, the end of the walk, and ends there or later. */
static void add_divided(struct borders *b, struct fsd_arena *scratch)
{
    const struct fsd_outlook *look = b->m->outlook;
    fsd_id_vec groups = fsd_ranges_across(&look->groups, b->full, scratch);
    fsd_id_vec adds = {0};

    for (uint32_t i = 0; i < groups.n && b->open; i++)
        add_group(b, groups.at[i]);
    if (b->residuals && b->open)
        adds = fsd_ranges_across(&look->adds, b->full, scratch);
    for (uint32_t i = 0; i < adds.n && b->open; i++)
        add_across(b, adds.at[i]);
}

/* Adds the groups that change because of the tensors that are forwarded so far. */
static void walk(struct borders *b)
{
    FSD_SCRATCH(scratch);
    const struct fsd_outlook *look = b->m->outlook;
    uint32_t covered = 0;

    mark_passed(b, scratch);
    for (fsd_id i = b->first; i < b->full; i++) {
        mark_outputs(b, i);
        if (b->residuals)
            mark_sum(b, i);
        add_ended(b, i);
        covered += count_covered(b, i);
        if (!b->open || (i + 1 >= look->floor && covered == look->live[i + 1]))
            b->full = i + 1;
    }
    if (b->open)
        add_divided(b, scratch);
    clear_masks(b);
}

/* The first candidate: an If forwards only the last tensor inside the group. */
static struct fsd_candidate at_last_inside(const struct fsd_marks *m, fsd_id group)
{
    struct fsd_candidate c = {
        .tensor = last_inside(m, group),
        .why = "no builder fuses across an If: the producer and the "
               "consumers of the first tensor become separate layers",
        .groups = {group},
        .n = 1};

    if (!fsd_break_is_none(&c))
        pass(m, &c, c.tensor);
    return c;
}

/* No builder fuses across control flow, so the producers of the tensor and its
 * consumers are in different kernels. */
void fsd_break_by_if(const struct fsd_marks *m, const fsd_id *groups,
                     struct fsd_candidate *const *without, uint32_t n)
{
    struct fsd_candidate made[FSD_BREAK_AT_ONCE];
    struct borders b = {.m = m, .masks = m->outlook->masks};

    if (strcmp(m->d->model->kind, "onnx") != 0 || fsd_marks_condition(m->d) == FSD_NONE)
        return;
    for (uint32_t i = 0; i < n; i++) {
        made[i] = at_last_inside(m, groups[i]);
        b.c[i] = &made[i];
        b.group[i] = groups[i];
        b.open |= (uint64_t)!fsd_break_is_none(&made[i]) << i;
    }
    walk(&b);
    /* If a break changes only its own group, it gets more Ifs, at the group's borders.
     * Other breaks get none: otherwise a branch could bypass several Ifs, and some
     * builders refuse such a model. */
    EACH_OPEN(&b, bit, UINT64_MAX)
    if (made[bit].n == 1)
        pass_borders(m, groups[bit], &made[bit]);
    b.residuals = true;
    walk(&b);
    for (uint32_t i = 0; i < n; i++) {
        if (fsd_break_is_none(&made[i]))
            continue;
        add_pooled(m, groups[i], &made[i]);
        add_scaled(m, groups[i], &made[i]);
        *without[i] = made[i].n > FSD_BREAK_MOST
                          ? fsd_break_none("more than 4 fusions would change")
                          : made[i];
    }
}
