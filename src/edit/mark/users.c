/*
 * Finds the group that computes a node, and the consumers of a tensor's values. Places
 * and breaks depend on both. A node that no layer computes, such as a Reshape or a
 * folded Cast, is skipped: the consumers of its outputs count as consumers of its
 * input. Each node is visited once.
 *
 * If n branches compute the same values, the tensor of each branch has the consumers of
 * all n branches. Consumers are therefore stored per value, not per tensor.
 */
#include "edit/mark/mark.h"
#include "model/graph/graph.h"

#include <stdlib.h>

bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_layer *l = fsd_graph_layer(engine, layer);

    return l->provider == FSD_PROVIDER_COMPILER && l->steps.n &&
           l->more_steps != FSD_STEPS_GO_ON;
}

bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node)
{
    return fsd_node_is(d->model, node, FSD_ONNX_Conv) ||
           fsd_node_is(d->model, node, FSD_ONNX_ConvTranspose);
}

bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node)
{
    return fsd_node_is_conv(d, node) || fsd_node_is(d->model, node, FSD_ONNX_MatMul) ||
           fsd_node_is(d->model, node, FSD_ONNX_Gemm);
}

bool fsd_marks_is_stack(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_shape *shape;
    int64_t n;

    if (tensor == FSD_NONE)
        return false;
    shape = &m->d->cost->sizes->shapes[tensor];
    return shape->ranked && shape->rank == 3 &&
           fsd_amount_number(m->d->cost->amounts, shape->dims[0], &n) && n > 1;
}

/* ------------------------------------------------------------------------- users */

/* A walk through tensors. `todo` has the tensors that are still to be visited. */
struct walk {
    const struct fsd_marks *m;
    struct fsd_arena *scratch;
    fsd_id_vec todo;
};

/* Visits all tensors with the same value as `tensor`, because duplicates are computed
 * once. */
static void visit(struct walk *w, fsd_id tensor)
{
    tensor = fsd_id_at(w->m->d->facts->value, tensor);
    if (tensor == FSD_NONE || w->m->stamps[tensor] == *w->m->walks)
        return;
    w->m->stamps[tensor] = *w->m->walks;
    for (; tensor != FSD_NONE; tensor = w->m->next_same[tensor])
        fsd_vec_push(w->scratch, &w->todo, tensor);
}

static void add_user_group(const struct fsd_marks *m, struct fsd_users *users,
                           fsd_id group)
{
    uint32_t *stamp = &m->stamps[m->d->model->tensors.n + group];

    if (*stamp == *m->walks)
        return;
    *stamp = *m->walks;
    fsd_vec_push(m->arena, &users->groups, group);
}

/* Adds the groups of all layers that compute the node. Returns false if no layer does.
 * A Q or DQ may be in a layer that computes a core node, or in a layer of its own. */
static bool add_layers(const struct fsd_marks *m, struct fsd_users *users, fsd_id node)
{
    const struct fsd_match *match = m->d->match;

    for (uint32_t i = 0; i < match->of_node[node].n; i++) {
        fsd_id of = m->state->of_layer[fsd_match_of_node(match, node, i)->layer];

        if (of & FSD_LAYER_MOVES)
            users->outside = true;
        else
            add_user_group(m, users, of);
    }
    return match->of_node[node].n;
}

static void use(const struct fsd_marks *m, struct walk *w, struct fsd_users *users,
                fsd_id node)
{
    const struct fsd_diff *d = m->d;
    const struct fsd_node *n = &d->model->nodes.at[node];

    if (d->nodes[node].fate == FSD_FATE_MERGED || !d->facts->live[node] ||
        d->facts->folded[node] || d->facts->size[node])
        return;
    users->loops |= d->facts->traits[node] & (FSD_OP_CONTROL | FSD_OP_RECURRENT);
    if (m->group_of[node] != FSD_NONE) {
        add_user_group(m, users, m->group_of[node]);
        return;
    }
    if (add_layers(m, users, node))
        return;
    users->in_place |= fsd_node_is(d->model, node, FSD_ONNX_Concat);
    FSD_EACH_OF (tensor, d->model->ports, n->out, tensor)
        visit(w, tensor);
}

fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_match *match = m->d->match;

    for (uint32_t i = 0; m->group_of[node] == FSD_NONE && i < match->of_node[node].n;
         i++) {
        fsd_id of = m->state->of_layer[fsd_match_of_node(match, node, i)->layer];

        if (!(of & FSD_LAYER_MOVES))
            return of;
    }
    return m->group_of[node];
}

/* Sets `merged` and `joined` for all tensors with this value, and sorts the groups. */
static void sum_up(const struct fsd_marks *m, struct fsd_users *users, fsd_id value)
{
    uint32_t n = users->groups.n;

    for (fsd_id t = value; t != FSD_NONE; t = m->next_same[t]) {
        fsd_id from = fsd_tensor_producer(m->d->model, t);

        users->merged |= from != FSD_NONE && m->d->nodes[from].fate == FSD_FATE_MERGED;
    }
    for (uint32_t i = 0; i < n; i++)
        users->joined |= m->kinds[users->groups.at[i]] == FSD_FUSION_HORIZONTAL;
    users->sorted = FSD_NEW(m->arena, fsd_id, n);
    if (n)
        memcpy(users->sorted, users->groups.at, n * sizeof *users->sorted);
    fsd_sort(users->sorted, n, sizeof *users->sorted, fsd_by_id);
}

static struct fsd_users *find_users(const struct fsd_marks *m, fsd_id value)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_users *users = FSD_NEW(m->arena, struct fsd_users, 1);
    struct walk w = {m, fsd_arena_new(), {0}};

    ++*m->walks;
    visit(&w, value);
    for (uint32_t i = 0; i < w.todo.n; i++) {
        const struct fsd_tensor *t = &g->tensors.at[w.todo.at[i]];

        users->outside |= t->scope == 0 && (t->flags & FSD_TENSOR_OUTPUT);
        FSD_EACH_ID (reader, g->links, t->consumers)
            use(m, &w, users, reader);
    }
    fsd_arena_free(w.scratch);
    sum_up(m, users, value);
    return users;
}

const struct fsd_users *fsd_marks_users(const struct fsd_marks *m, fsd_id tensor)
{
    static const struct fsd_users none;
    fsd_id value = fsd_id_at(m->d->facts->value, tensor);

    if (value == FSD_NONE)
        return &none;
    if (!m->users[value])
        m->users[value] = find_users(m, value);
    return m->users[value];
}

bool fsd_users_have(const struct fsd_users *users, fsd_id group)
{
    return users->groups.n && bsearch(&group, users->sorted, users->groups.n,
                                      sizeof group, fsd_by_id) != NULL;
}

/* Whether every builder can cast from the type to FP32. */
static bool is_number(enum fsd_dtype type)
{
    return type == FSD_FP32 || type == FSD_FP16 || type == FSD_BF16 ||
           type == FSD_INT32 || type == FSD_INT64;
}

fsd_id fsd_marks_condition(const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;

    FSD_EACH_ID (t, g->links, g->scopes.at[0].inputs) {
        enum fsd_dtype type = fsd_tensor_form(g, t)->type;

        if (!(g->tensors.at[t].flags & FSD_TENSOR_CONSTANT) && is_number(type))
            return t;
    }
    return FSD_NONE;
}
