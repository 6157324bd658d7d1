/*
 * Turns layers into groups and moves.  Layers that compute the same node, or that are
 * in the same region, become one group.  An unfused quantizer is a move, even if it
 * writes a part of the output of a Concat.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"

static bool may_compute(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].kind != FSD_KIND_QUANTIZE && !d->layers[layer].inserted;
}

static bool is_computed(const struct fsd_state_build *b, fsd_id node)
{
    return fsd_role_computes(fsd_state_role_of(b->s, b->of_node[node]));
}

/* Groups under construction. */
struct joining {
    const struct fsd_state_build *b;
    fsd_id *head;  /* indexed by layer: union-find of the layers of each group */
    fsd_id *owner; /* indexed by model node: the first layer that computes it; FSD_NONE
                      if there is none */
    bool *loose;   /* indexed by layer: whether it is in a region */
};

static void join_node(struct joining *j, fsd_id node, fsd_id layer)
{
    if (!is_computed(j->b, node) || !may_compute(j->b->d, layer))
        return;
    j->owner[node] = fsd_id_or(j->owner[node], layer);
    fsd_sets_join(j->head, j->owner[node], layer);
}

/* Joins the layers of a region.  A node of the region may also be linked to a layer
 * outside the region, or may be in a second region.  The layers that compute this node
 * are then joined with the layers of the region. */
static void join_region(struct joining *j, const struct fsd_region *region)
{
    const struct fsd_match *m = j->b->d->match;
    fsd_id first = FSD_NONE;

    FSD_EACH_ID (layer, m->pool, region->layers) {
        if (!may_compute(j->b->d, layer))
            continue;
        j->loose[layer] = true;
        first = fsd_id_or(first, layer);
        fsd_sets_join(j->head, first, layer);
    }
    for (uint32_t i = 0; first != FSD_NONE && i < region->nodes.n; i++)
        join_node(j, m->pool.at[region->nodes.at + i], first);
}

static struct joining join_layers(struct fsd_state_build *b)
{
    const struct fsd_match *m = b->d->match;
    uint32_t layers = b->d->engine->nodes.n, nodes = b->model->nodes.n;
    struct joining j = {b, fsd_sets_new(b->scratch, layers),
                        fsd_ids_new(b->scratch, nodes),
                        FSD_NEW(b->scratch, bool, layers)};

    for (uint32_t i = 0; i < m->links.n; i++)
        join_node(&j, m->links.at[i].node, m->links.at[i].layer);
    for (uint32_t r = 0; r < m->regions.n; r++) {
        struct fsd_span region = m->regions.at[r].nodes;
        bool computes = false;

        for (uint32_t i = 0; i < region.n; i++)
            computes |= is_computed(b, m->pool.at[region.at + i]);
        if (computes)
            join_region(&j, &m->regions.at[r]);
    }
    return j;
}

/* ---------------------------------------------------------------- nodes of one */

struct members {
    fsd_id head; /* layer */
    fsd_id node; /* state node */
};

typedef FSD_VEC(struct members) members_vec;

static void add_member(struct fsd_state_build *b, members_vec *all, fsd_id *head,
                       fsd_id layer, fsd_id node)
{
    if (is_computed(b, node) && may_compute(b->d, layer))
        fsd_vec_push(b->scratch, all,
                     (struct members){fsd_sets_find(head, layer), b->of_node[node]});
}

/* Returns sorted pairs: the first layer of a group (`head`), and a node that the group
 * computes.  A pair may occur several times. */
static members_vec collect(struct fsd_state_build *b, fsd_id *head)
{
    const struct fsd_match *m = b->d->match;
    members_vec all = {0};

    for (uint32_t i = 0; i < m->links.n; i++)
        add_member(b, &all, head, m->links.at[i].layer, m->links.at[i].node);
    FSD_EACH (const struct fsd_region, region, m->regions) {
        fsd_id layer = FSD_NONE;

        for (uint32_t i = 0; layer == FSD_NONE && i < region->layers.n; i++)
            if (may_compute(b->d, m->pool.at[region->layers.at + i]))
                layer = m->pool.at[region->layers.at + i];
        for (uint32_t i = 0; layer != FSD_NONE && i < region->nodes.n; i++)
            add_member(b, &all, head, layer, m->pool.at[region->nodes.at + i]);
    }
    fsd_vec_sort(&all, fsd_by_pair);
    return all;
}

/* ----------------------------------------------------------------------- groups */

/* Adds a layer to a group.  The group gets the kind of its computing layers and their
 * highest precision, independently of their order.  Layers that do not compute, such as
 * NoOps, do not count if there is a computing layer. */
static void add_layer(struct fsd_state_build *b, struct fsd_group *g, fsd_id layer,
                      bool loose)
{
    const struct fsd_layer_result *r = &b->d->layers[layer];
    const struct fsd_match *m = b->d->match;
    bool now = fsd_kind_computes(r->kind),
         before = g->layers && fsd_kind_computes(g->kind);

    g->loose |= loose;
    FSD_EACH_IN (const struct fsd_link, link, m->links, m->of_layer[layer])
        g->guessed |= link->by == FSD_BY_STRUCTURE;
    if (!g->layers || (now && !before)) {
        g->kind = (uint8_t)r->kind;
        g->precision = (uint8_t)r->precision;
        g->layers = 1;
        g->tactic = fsd_state_copy(b, b->d->engine->layers.at[layer].tactic);
    } else if (now || !before) {
        g->kind = g->kind > r->kind ? g->kind : (uint8_t)r->kind;
        g->precision = (uint8_t)fsd_dtype_wider((enum fsd_dtype)g->precision,
                                                (enum fsd_dtype)r->precision);
        g->layers++;
        g->tactic = 0;
    }
}

static fsd_id add_group(struct fsd_state_build *b, const struct members *at, uint32_t n)
{
    struct fsd_group g = {.kind = FSD__KIND_COUNT, .nodes = {b->s->refs.n, 0}};

    for (uint32_t i = 0; i < n; i++) {
        if (i && at[i].node == at[i - 1].node)
            continue;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): sizes come from `at` */
        fsd_vec_push(b->s->arena, &b->s->refs, at[i].node);
        g.nodes.n++;
    }
    g.ms = FSD_SPREAD_NONE;
    fsd_vec_push(b->s->arena, &b->s->groups, g);
    return b->s->groups.n - 1;
}

/* Adds the groups, sorted by their first nodes.
 * @return an array indexed by layer.  For the first layer of a group (`head`): the
 *         number of the group.  For any other layer: FSD_NONE */
static fsd_id *add_groups(struct fsd_state_build *b, members_vec all)
{
    fsd_id *of_head = fsd_ids_new(b->scratch, b->d->engine->nodes.n);
    uint32_t *start = FSD_NEW(b->scratch, uint32_t, b->s->nodes.n);
    uint32_t *size = FSD_NEW(b->scratch, uint32_t, b->s->nodes.n);

    for (uint32_t i = 0, k; i < all.n; i = k) {
        for (k = i; k < all.n && all.at[k].head == all.at[i].head; k++)
            continue;
        start[all.at[i].node] = i;
        size[all.at[i].node] = k - i;
    }
    for (fsd_id i = 0; i < b->s->nodes.n; i++)
        if (size[i])
            of_head[all.at[start[i]].head] = add_group(b, all.at + start[i], size[i]);
    return of_head;
}

/* ------------------------------------------------------------------------ moves */

static struct fsd_span moved_nodes(struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_match *m = b->d->match;
    struct fsd_state *s = b->s;
    struct fsd_span span = {s->refs.n, 0};

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        fsd_id k = b->of_node[node];

        if (fsd_state_role_of(s, k) != FSD_ROLE_SIDE)
            fsd_vec_push(s->arena, &s->refs, k);
    }
    span.n = s->refs.n - span.at;
    if (span.n) /* without entries, the array may not exist */
        fsd_sort(&s->refs.at[span.at], span.n, sizeof *s->refs.at, fsd_by_id);
    return span;
}

static fsd_id add_move(struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    const struct fsd_layer_result *r = &b->d->layers[layer];
    struct fsd_move move = {.kind = (uint8_t)r->kind,
                            .cause = (uint8_t)b->d->reasons[layer].cause,
                            .inserted = r->inserted,
                            .nodes = moved_nodes(b, layer),
                            .ms = {-1, -1, -1}};

    if (n->in.n)
        move.before = fsd_state_form(b, fsd_port_form(e, fsd_node_in(e, n, 0)));
    if (n->out.n)
        move.after = fsd_state_form(b, fsd_port_form(e, fsd_node_out(e, n, 0)));
    fsd_vec_push(b->s->arena, &b->s->moves, move);
    return b->s->moves.n - 1;
}

void fsd_state_add_layers(struct fsd_state_build *b)
{
    uint32_t n = b->d->engine->nodes.n;
    struct joining j = join_layers(b);
    fsd_id *of_head = add_groups(b, collect(b, j.head));

    b->s->of_layer = FSD_NEW(b->s->arena, uint32_t, n);
    for (fsd_id i = 0; i < n; i++) {
        fsd_id g = of_head[fsd_sets_find(j.head, i)];

        b->s->of_layer[i] = g != FSD_NONE ? g : FSD_LAYER_MOVES | add_move(b, i);
        if (g != FSD_NONE)
            add_layer(b, &b->s->groups.at[g], i, j.loose[i]);
    }
    /* A group of several layers gets the highest precision of its nodes, not of its
     * layers: a layer may only pad or scale data for another layer, or continue the
     * other layer's work. */
    FSD_EACH (struct fsd_group, g, b->s->groups) {
        enum fsd_dtype widest = FSD_DTYPE_UNKNOWN;

        for (uint32_t i = 0; g->layers > 1 && !g->loose && i < g->nodes.n; i++) {
            fsd_id node = b->s->refs.at[g->nodes.at + i];

            widest =
                fsd_dtype_wider(widest, (enum fsd_dtype)b->s->nodes.at[node].precision);
        }
        if (widest != FSD_DTYPE_UNKNOWN)
            g->precision = (uint8_t)widest;
    }
    fsd_state_set_groups(b->s);
}
