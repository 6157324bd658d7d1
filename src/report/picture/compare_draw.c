/* Marks, wires and ties of a comparison; see compare_draw.h. */
#include "report/picture/compare_draw.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

struct side {
    struct fsd_compare_drawing *w;
    const struct fsd_state *s;
    bool new;
    const fsd_id *region;                      /* by group */
    uint8_t *change;                           /* by move */
    fsd_id *home;                              /* by move: the region of its change */
    fsd_id *groups, *moves, *inputs, *outputs; /* marks; FSD_NONE */
    bool *focus;                               /* by group: drawn for its own sake */
    uint64_t *carried; /* (source, reader) that a drawn move is between, sorted */
    uint32_t n_carried;
};

static fsd_id *none(struct fsd_arena *arena, uint32_t n)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    if (n)
        memset(ids, 0xff, n * sizeof *ids);
    return ids;
}

static fsd_id add_mark(struct side *x, fsd_id *slot, struct fsd_mark mark)
{
    if (*slot == FSD_NONE) {
        mark.new = x->new;
        *slot = x->w->marks.n;
        fsd_vec_push(x->w->arena, &x->w->marks, mark);
    }
    return *slot;
}

static fsd_id add_group(struct side *x, fsd_id g)
{
    return add_mark(
        x, &x->groups[g],
        (struct fsd_mark){.kind = FSD_MARK_GROUP, .id = g, .region = x->region[g]});
}

static fsd_id add_port(struct side *x, fsd_id port, bool output)
{
    return add_mark(x, output ? &x->outputs[port] : &x->inputs[port],
                    (struct fsd_mark){.kind = output ? FSD_MARK_OUTPUT : FSD_MARK_INPUT,
                                      .id = port,
                                      .region = FSD_NONE});
}

/* The group of a node, or of the one it is seen through to; FSD_NONE. */
static fsd_id group_of(const struct side *x, fsd_ref at)
{
    const struct fsd_state_node *node;

    if (at == FSD_NONE || (at & FSD_REF_PORT))
        return FSD_NONE;
    node = &x->s->nodes.at[at];
    if (node->group != FSD_NONE || node->core.at == FSD_NONE ||
        (node->core.at & FSD_REF_PORT))
        return node->group;
    return x->s->nodes.at[node->core.at].group;
}

/* The mark that a reference stands for, drawn for its sake; FSD_NONE. */
static fsd_id mark_of(struct side *x, fsd_ref at, bool reader)
{
    fsd_id group = group_of(x, at);

    if (group != FSD_NONE)
        return add_group(x, group);
    if (at != FSD_NONE && (at & FSD_REF_PORT))
        return add_port(x, at & ~FSD_REF_PORT, reader);
    if (at != FSD_NONE && !reader && (x->s->nodes.at[at].core.at & FSD_REF_PORT) &&
        x->s->nodes.at[at].core.at != FSD_NONE)
        return add_port(x, x->s->nodes.at[at].core.at & ~FSD_REF_PORT, false);
    return FSD_NONE;
}

/* --------------------------------------------------------------------- marks */

static void choose(struct side *x)
{
    for (fsd_id g = 0; g < x->s->groups.n; g++)
        x->focus[g] = x->w->pick.regions[x->region[g]];
    for (fsd_id g = 0; g < x->s->groups.n; g++)
        if (x->focus[g])
            add_group(x, g);
}

static bool feeds_focus(const struct side *x, const struct fsd_move *m)
{
    for (uint32_t i = 0; i < m->to.n; i++) {
        fsd_id group = group_of(x, x->s->refs.at[m->to.at + i]);

        if (group != FSD_NONE && x->focus[group])
            return true;
    }
    return false;
}

static bool is_picked(const struct side *x, fsd_id move)
{
    const struct fsd_compare_pick *pick = &x->w->pick;

    if (!pick->partial)
        return true;
    if (x->change[move] != FSD_MOVE_UNCHANGED &&
        (x->home[move] == FSD_NONE ? pick->loose : pick->regions[x->home[move]]))
        return true;
    return feeds_focus(x, &x->s->moves.at[move]);
}

static void choose_moves(struct side *x)
{
    for (fsd_id i = 0; i < x->s->moves.n; i++)
        if (is_picked(x, i))
            add_mark(x, &x->moves[i],
                     (struct fsd_mark){.kind = FSD_MARK_MOVE,
                                       .id = i,
                                       .change = x->change[i],
                                       .region = FSD_NONE});
}

static void note_changes(struct side *x)
{
    const struct fsd_compare *c = x->w->c;

    memset(x->change, FSD_MOVE_UNCHANGED, x->s->moves.n);
    for (uint32_t i = 0; i < c->moves.n; i++) {
        fsd_id move = x->new ? c->moves.at[i].new : c->moves.at[i].old;

        if (move == FSD_NONE)
            continue;
        x->change[move] = c->moves.at[i].what;
        x->home[move] = c->moves.at[i].region;
    }
}

/* --------------------------------------------------------------------- wires */

static void add_wire(struct side *x, fsd_id from, fsd_id to, struct fsd_state_form form)
{
    if (from != FSD_NONE && to != FSD_NONE && from != to)
        fsd_vec_push(x->w->arena, &x->w->wires, (struct fsd_mark_wire){from, to, form});
}

static int order_keys(const void *a, const void *b)
{
    return fsd_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

static uint64_t key(fsd_id from, fsd_ref reader)
{
    return (uint64_t)from << 32 | reader;
}

static void wire_move(struct side *x, fsd_id i)
{
    const struct fsd_move *m = &x->s->moves.at[i];

    for (uint32_t k = 0; k < m->from.n; k++)
        add_wire(x, mark_of(x, x->s->refs.at[m->from.at + k], false), x->moves[i],
                 m->before);
    for (uint32_t k = 0; k < m->to.n; k++)
        add_wire(x, x->moves[i], mark_of(x, x->s->refs.at[m->to.at + k], true),
                 m->after);
}

static void list_carried(struct side *x, struct fsd_arena *scratch)
{
    FSD_VEC(uint64_t) keys = {0};

    for (fsd_id i = 0; i < x->s->moves.n; i++) {
        const struct fsd_move *m = &x->s->moves.at[i];

        for (uint32_t f = 0; x->moves[i] != FSD_NONE && f < m->from.n; f++)
            for (uint32_t t = 0; t < m->to.n; t++)
                fsd_vec_push(scratch, &keys,
                             key(mark_of(x, x->s->refs.at[m->from.at + f], false),
                                 x->s->refs.at[m->to.at + t]));
    }
    if (keys.n)
        qsort(keys.at, keys.n, sizeof *keys.at, order_keys);
    x->carried = keys.at;
    x->n_carried = keys.n;
}

static bool is_carried(const struct side *x, fsd_id from, fsd_ref reader)
{
    uint64_t k = key(from, reader);

    return x->n_carried &&
           bsearch(&k, x->carried, x->n_carried, sizeof k, order_keys) != NULL;
}

static void wire_group(struct side *x, fsd_id g)
{
    struct fsd_span in = x->s->groups.at[g].in;

    for (uint32_t i = 0; i < in.n; i++) {
        const struct fsd_border *b = &x->s->borders.at[in.at + i];
        fsd_id source = group_of(x, b->at), from;

        /* Of what is only next to a change, its own inputs are not drawn. */
        if (!x->focus[g] && (source == FSD_NONE || x->groups[source] == FSD_NONE))
            continue;
        from = mark_of(x, b->at, false);
        if (!is_carried(x, from, b->node))
            add_wire(x, from, x->groups[g], b->form);
    }
}

/* What reads a changed group is next to it. */
static void add_readers(struct side *x)
{
    for (fsd_id g = 0; g < x->s->groups.n; g++) {
        struct fsd_span in = x->s->groups.at[g].in;

        for (uint32_t i = 0; i < in.n; i++) {
            fsd_id source = group_of(x, x->s->borders.at[in.at + i].at);

            if (source != FSD_NONE && x->focus[source])
                add_group(x, g);
        }
    }
}

static void wire_outputs(struct side *x)
{
    for (fsd_id i = 0; i < x->s->outputs.n; i++) {
        const struct fsd_state_port *p = &x->s->outputs.at[i];
        fsd_id group = group_of(x, p->core_from.at);

        if (group == FSD_NONE || !x->focus[group])
            continue;
        if (!is_carried(x, x->groups[group], FSD_REF_PORT | i))
            add_wire(x, x->groups[group], add_port(x, i, true), p->form);
    }
}

static void draw_side(struct side *x, struct fsd_arena *scratch)
{
    choose(x);
    add_readers(x);
    note_changes(x);
    choose_moves(x);
    list_carried(x, scratch);
    for (fsd_id i = 0; i < x->s->moves.n; i++)
        if (x->moves[i] != FSD_NONE)
            wire_move(x, i);
    /* Sources drawn for a reader's sake get no inputs, so one round will do. */
    for (fsd_id g = 0; g < x->s->groups.n; g++)
        if (x->groups[g] != FSD_NONE)
            wire_group(x, g);
    wire_outputs(x);
}

static int order_wires(const void *x, const void *y)
{
    const struct fsd_mark_wire *a = x, *b = y;
    int from = fsd_order(a->from, b->from), to = fsd_order(a->to, b->to);
    int type = fsd_order(a->form.type, b->form.type);

    return from   ? from
           : to   ? to
           : type ? type
                  : fsd_order(a->form.layout, b->form.layout);
}

static void join_wires(struct fsd_compare_drawing *w)
{
    uint32_t n = 0;

    if (w->wires.n)
        qsort(w->wires.at, w->wires.n, sizeof *w->wires.at, order_wires);
    for (uint32_t i = 0; i < w->wires.n; i++)
        if (!n || order_wires(&w->wires.at[n - 1], &w->wires.at[i]))
            w->wires.at[n++] = w->wires.at[i];
    w->wires.n = n;
}

/* ---------------------------------------------------------------------- ties */

static int order_ties(const void *x, const void *y)
{
    const struct fsd_mark_tie *a = x, *b = y;
    int region = fsd_order(a->region, b->region), old = fsd_order(a->old, b->old);

    return region ? region : old ? old : fsd_order(a->new, b->new);
}

static void add_ties(const struct side *old, const struct side *new)
{
    struct fsd_compare_drawing *w = old->w;
    uint32_t n = 0;

    for (fsd_id i = 0; i < old->s->nodes.n; i++) {
        fsd_id mate = w->c->align->to_new[i], a = old->s->nodes.at[i].group;
        fsd_id b = mate == FSD_NONE ? FSD_NONE : new->s->nodes.at[mate].group;

        if (a != FSD_NONE && b != FSD_NONE && old->groups[a] != FSD_NONE &&
            new->groups[b] != FSD_NONE)
            fsd_vec_push(w->arena, &w->ties,
                         (struct fsd_mark_tie){old->groups[a], new->groups[b],
                                               old->region[a], false});
    }
    if (w->ties.n)
        qsort(w->ties.at, w->ties.n, sizeof *w->ties.at, order_ties);
    for (uint32_t i = 0; i < w->ties.n; i++)
        if (!n || order_ties(&w->ties.at[n - 1], &w->ties.at[i])) {
            w->ties.at[i].first =
                !n || w->ties.at[n - 1].region != w->ties.at[i].region;
            w->ties.at[n++] = w->ties.at[i];
        }
    w->ties.n = n;
}

/* ----------------------------------------------------------------------- all */

static struct side new_side(struct fsd_compare_drawing *w, bool new,
                            struct fsd_arena *scratch)
{
    const struct fsd_state *s = new ? w->c->new : w->c->old;

    return (struct side){.w = w,
                         .s = s,
                         .new = new,
                         .region = new ? w->c->new_region : w->c->old_region,
                         .change = FSD_NEW(scratch, uint8_t, s->moves.n),
                         .home = none(scratch, s->moves.n),
                         .groups = none(scratch, s->groups.n),
                         .moves = none(scratch, s->moves.n),
                         .inputs = none(scratch, s->inputs.n),
                         .outputs = none(scratch, s->outputs.n),
                         .focus = FSD_NEW(scratch, bool, s->groups.n)};
}

struct fsd_compare_drawing *fsd_compare_draw(const struct fsd_compare *c,
                                             struct fsd_compare_pick pick,
                                             struct fsd_arena *arena)
{
    struct fsd_compare_drawing *w = FSD_NEW(arena, struct fsd_compare_drawing, 1);
    struct side old, new;

    w->arena = arena;
    w->c = c;
    w->pick = pick;
    old = new_side(w, false, arena);
    new = new_side(w, true, arena);
    draw_side(&old, arena);
    draw_side(&new, arena);
    join_wires(w);
    add_ties(&old, &new);
    return w;
}
