/* Boxes, wires and ties of what is picked; see drawing.h. */
#include "report/picture/drawing.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tensor with so many ends, producers times consumers, gets a box of its own: wires
 * stay as many as ports. */
enum { MANY_ENDS = 64 };

/* One side on its way. */
struct side {
    struct fsd_drawing *w;
    const struct fsd_graph *g;
    enum fsd_side side;
    const bool *in;
    fsd_id *box;      /* by node or layer: its box; FSD_NONE */
    fsd_id *terminal; /* by tensor: the input or output box, made when it is needed */
    fsd_id *port;     /* by tensor: the port that writes it, where only one does */
};

static fsd_id *none(struct fsd_arena *arena, uint32_t n)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    if (n)
        memset(ids, 0xff, n * sizeof *ids);
    return ids;
}

/* ---------------------------------------------------------------------- boxes */

static void count_members(struct side *s, const fsd_id *leader, const char **titles)
{
    struct fsd_drawing *w = s->w;

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        if (!s->in[i])
            continue;
        if (leader[i] == i) {
            struct fsd_box box = {
                .side = s->side, .cluster = FSD_NONE, .title = titles[i]};

            fsd_vec_push(w->arena, &w->boxes, box);
            s->box[i] = w->boxes.n - 1;
        }
        s->box[i] = s->box[leader[i]];
        w->boxes.at[s->box[i]].items.n++;
    }
}

/* Members come in order, each box's beside each other. */
static void place_members(struct side *s, uint32_t first_box)
{
    struct fsd_drawing *w = s->w;
    uint32_t at = w->items.n, end = at;

    for (fsd_id b = first_box; b < w->boxes.n; b++) {
        w->boxes.at[b].items.at = end;
        end += w->boxes.at[b].items.n;
        w->boxes.at[b].items.n = 0;
    }
    while (w->items.n < end)
        fsd_vec_push(w->arena, &w->items, FSD_NONE);
    for (fsd_id i = 0; i < s->g->nodes.n; i++)
        if (s->in[i]) {
            struct fsd_span *items = &w->boxes.at[s->box[i]].items;

            w->items.at[items->at + items->n++] = i;
        }
}

static void add_boxes(struct side *s, const fsd_id *leader, const char **titles)
{
    uint32_t first = s->w->boxes.n;

    count_members(s, leader, titles);
    place_members(s, first);
}

/* ---------------------------------------------------------------------- wires */

static void add_wire(struct side *s, struct fsd_wire wire)
{
    if (wire.from != wire.to && wire.from != FSD_NONE && wire.to != FSD_NONE)
        fsd_vec_push(s->w->arena, &s->w->wires, wire);
}

static fsd_id terminal(struct side *s, fsd_id tensor, enum fsd_box_kind kind)
{
    struct fsd_drawing *w = s->w;

    if (s->terminal[tensor] == FSD_NONE) {
        struct fsd_box box = {s->side, kind, {w->items.n, 1}, FSD_NONE, 0, NULL};

        fsd_vec_push(w->arena, &w->items, tensor);
        fsd_vec_push(w->arena, &w->boxes, box);
        s->terminal[tensor] = w->boxes.n - 1;
    }
    return s->terminal[tensor];
}

static bool is_hub(const struct fsd_tensor *t)
{
    return t->producers.n > 1 && t->consumers.n > 1 &&
           (uint64_t)t->producers.n * t->consumers.n > MANY_ENDS;
}

static void wire_producers(struct side *s, fsd_id tensor, fsd_id to, fsd_id to_port)
{
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];

    for (uint32_t i = 0; i < t->producers.n; i++) {
        fsd_id from = s->box[s->g->links.at[t->producers.at + i]];

        add_wire(s, (struct fsd_wire){from, to, tensor, s->port[tensor], to_port, 1});
    }
}

static void wire_input(struct side *s, fsd_id item, uint32_t port)
{
    fsd_id tensor = s->g->ports.at[port].tensor, box = s->box[item];
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];

    if (is_hub(t))
        add_wire(s, (struct fsd_wire){terminal(s, tensor, FSD_BOX_TENSOR), box, tensor,
                                      FSD_NONE, port, 1});
    else if (t->producers.n)
        wire_producers(s, tensor, box, port);
    else if (t->flags & FSD_TENSOR_INPUT && !(t->flags & FSD_TENSOR_CONSTANT) &&
             !t->scope)
        add_wire(s, (struct fsd_wire){terminal(s, tensor, FSD_BOX_INPUT), box, tensor,
                                      FSD_NONE, port, 1});
}

static void wire_output(struct side *s, fsd_id item, uint32_t port)
{
    fsd_id tensor = s->g->ports.at[port].tensor, box = s->box[item];
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];

    if (is_hub(t))
        add_wire(s, (struct fsd_wire){box, terminal(s, tensor, FSD_BOX_TENSOR), tensor,
                                      port, FSD_NONE, 1});
    else if (t->flags & FSD_TENSOR_OUTPUT && !t->scope)
        add_wire(s, (struct fsd_wire){box, terminal(s, tensor, FSD_BOX_OUTPUT), tensor,
                                      port, FSD_NONE, 1});
}

static void note_ports(struct side *s)
{
    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        struct fsd_span out = s->g->nodes.at[i].out;

        for (uint32_t p = out.at; p < out.at + out.n; p++)
            if (s->g->ports.at[p].tensor != FSD_NONE &&
                s->g->tensors.at[s->g->ports.at[p].tensor].producers.n == 1)
                s->port[s->g->ports.at[p].tensor] = p;
    }
}

static void add_wires(struct side *s)
{
    note_ports(s);
    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        const struct fsd_node *node = &s->g->nodes.at[i];

        if (!s->in[i])
            continue;
        for (uint32_t p = node->in.at; p < node->in.at + node->in.n; p++)
            if (s->g->ports.at[p].tensor != FSD_NONE)
                wire_input(s, i, p);
        for (uint32_t p = node->out.at; p < node->out.at + node->out.n; p++)
            if (s->g->ports.at[p].tensor != FSD_NONE)
                wire_output(s, i, p);
    }
}

static int order_wires(const void *x, const void *y)
{
    const struct fsd_wire *a = x, *b = y;
    int from = fsd_order(a->from, b->from), to = fsd_order(a->to, b->to);
    int tensor = fsd_order(a->tensor, b->tensor);

    return from ? from : to ? to : tensor ? tensor : fsd_order(a->to_port, b->to_port);
}

/* One wire for all that goes the same way; of each tensor one use counts. */
static void join_wires(struct fsd_drawing *w)
{
    uint32_t n = 0;
    fsd_id last = FSD_NONE;

    if (w->wires.n)
        qsort(w->wires.at, w->wires.n, sizeof *w->wires.at, order_wires);
    for (uint32_t i = 0; i < w->wires.n; i++) {
        struct fsd_wire *wire = &w->wires.at[i],
                        *before = n ? &w->wires.at[n - 1] : NULL;

        if (before && before->from == wire->from && before->to == wire->to)
            before->n += wire->tensor != last;
        else
            w->wires.at[n++] = *wire;
        last = wire->tensor;
    }
    w->wires.n = n;
}

/* ----------------------------------------------------------------------- ties */

static void add_tie(struct fsd_drawing *w, struct fsd_tie tie)
{
    fsd_vec_push(w->arena, &w->ties, tie);
}

static void tie_node(const struct side *model, const struct side *engine, fsd_id node)
{
    struct fsd_drawing *w = model->w;
    const struct fsd_match *m = w->d->match;
    fsd_id box = model->box[node], cluster = w->boxes.at[box].cluster;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (engine->in[layer])
            add_tie(w, (struct fsd_tie){box, engine->box[layer],
                                        engine->box[layer] != cluster, false});
    }
}

/* Every layer of a region is tied to the region's first node, not to each: regions are
 * large. */
static void tie_region(const struct side *model, const struct side *engine,
                       const struct fsd_region *region)
{
    struct fsd_drawing *w = model->w;
    const fsd_id *pool = w->d->match->pool.at;
    fsd_id box = FSD_NONE;

    for (uint32_t i = 0; i < region->nodes.n && box == FSD_NONE; i++) {
        fsd_id node = pool[region->nodes.at + i];

        if (model->in[node] && !w->d->match->of_node[node].n &&
            !fsd_node_vanished(w->d, node))
            box = model->box[node];
    }
    if (box == FSD_NONE)
        return;
    for (uint32_t i = 0; i < region->layers.n; i++) {
        fsd_id layer = pool[region->layers.at + i];

        if (engine->in[layer])
            add_tie(w, (struct fsd_tie){box, engine->box[layer],
                                        engine->box[layer] != w->boxes.at[box].cluster,
                                        true});
    }
}

static int order_ties(const void *x, const void *y)
{
    const struct fsd_tie *a = x, *b = y;
    int engine = fsd_order(a->engine, b->engine), part = fsd_order(a->part, b->part);
    int model = fsd_order(a->model, b->model);

    return engine  ? engine
           : part  ? part
           : model ? model
                   : fsd_order(a->region, b->region);
}

/* A cluster has one tie, from its first box; a part one of each box. */
static void join_ties(struct fsd_drawing *w)
{
    uint32_t n = 0;

    if (w->ties.n)
        qsort(w->ties.at, w->ties.n, sizeof *w->ties.at, order_ties);
    for (uint32_t i = 0; i < w->ties.n; i++) {
        struct fsd_tie *tie = &w->ties.at[i], *before = n ? &w->ties.at[n - 1] : NULL;
        bool same =
            before && before->engine == tie->engine && before->part == tie->part;

        if (!same || (tie->part && before->model != tie->model))
            w->ties.at[n++] = *tie;
    }
    w->ties.n = n;
}

/* Only layers that have nodes take a colour, so that neighbours differ. */
static void tint(struct fsd_drawing *w)
{
    bool *owns = FSD_NEW(w->arena, bool, w->boxes.n);
    unsigned next = 1;

    for (fsd_id b = 0; b < w->boxes.n; b++)
        if (w->boxes.at[b].cluster != FSD_NONE)
            owns[w->boxes.at[b].cluster] = true;
    for (uint32_t i = 0; i < w->ties.n; i++)
        owns[w->ties.at[i].engine] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++)
        if (owns[b])
            w->boxes.at[b].tint = next++;
}

static void add_clusters(const struct side *model, const struct side *engine)
{
    struct fsd_drawing *w = model->w;

    for (fsd_id n = 0; n < model->g->nodes.n; n++) {
        fsd_id home = model->in[n] ? w->pick.homes[n] : FSD_NONE;

        if (home != FSD_NONE && w->boxes.at[model->box[n]].cluster == FSD_NONE)
            w->boxes.at[model->box[n]].cluster = engine->box[home];
    }
    for (fsd_id n = 0; n < model->g->nodes.n; n++)
        if (model->in[n])
            tie_node(model, engine, n);
    for (fsd_id r = 0; r < w->d->match->regions.n; r++)
        tie_region(model, engine, &w->d->match->regions.at[r]);
    join_ties(w);
    tint(w);
}

/* -------------------------------------------------------------------- threads */

static void add_thread(struct fsd_drawing *w, fsd_id from, fsd_id to)
{
    if (from != FSD_NONE && from != to)
        fsd_vec_push(w->arena, &w->threads, ((struct fsd_thread){from, to}));
}

/* Through one input of a node. */
static void thread_input(struct side *s, fsd_id *reach, fsd_id node, fsd_id tensor)
{
    fsd_id from = tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(s->g, tensor);

    if (from == FSD_NONE)
        return;
    if (s->in[node] && !s->in[from])
        add_thread(s->w, reach[from], s->box[node]);
    else if (reach[node] == FSD_NONE)
        reach[node] = reach[from];
}

/* What is not picked passes on the first box that leads to it.  A producer that comes
 * later in the file than what reads it passes on nothing. */
static void thread_past(struct side *s)
{
    fsd_id *reach = none(s->w->arena, s->g->nodes.n);

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        struct fsd_span in = s->g->nodes.at[i].in;

        reach[i] = s->box[i];
        for (uint32_t p = in.at; p < in.at + in.n; p++)
            thread_input(s, reach, i, s->g->ports.at[p].tensor);
    }
}

static int order_threads(const void *x, const void *y)
{
    const struct fsd_thread *a = x, *b = y;

    return a->from == b->from ? fsd_order(a->to, b->to) : fsd_order(a->from, b->from);
}

static void join_threads(struct fsd_drawing *w)
{
    uint32_t n = 0;

    if (w->threads.n)
        qsort(w->threads.at, w->threads.n, sizeof *w->threads.at, order_threads);
    for (uint32_t i = 0; i < w->threads.n; i++)
        if (!n || order_threads(&w->threads.at[n - 1], &w->threads.at[i]))
            w->threads.at[n++] = w->threads.at[i];
    w->threads.n = n;
}

/* A node without a wire is held by its cluster or its layer, if it has one; one with
 * wires out is drawn beside what reads it. */
static bool *held(const struct fsd_drawing *w)
{
    bool *is = FSD_NEW(w->arena, bool, w->boxes.n);

    for (uint32_t i = 0; i < w->wires.n; i++) {
        fsd_id from = w->wires.at[i].from;

        is[w->wires.at[i].to] = true;
        is[from] |= w->boxes.at[from].side == FSD_SIDE_MODEL;
    }
    for (uint32_t i = 0; i < w->threads.n; i++)
        is[w->threads.at[i].to] = true;
    for (uint32_t i = 0; i < w->ties.n; i++)
        is[w->ties.at[i].model] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++)
        is[b] |= w->boxes.at[b].cluster != FSD_NONE;
    return is;
}

/* Without these all layers of an engine that tells no tensors would stand in one row,
 * and so would the neighbourhoods of a picture of parts. */
static void thread_loose(struct fsd_drawing *w)
{
    const bool *is_held = held(w);
    fsd_id last[FSD__SIDE_COUNT] = {FSD_NONE, FSD_NONE};

    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (box->kind != FSD_BOX_ITEMS)
            continue;
        if (!is_held[b])
            add_thread(w, last[box->side], b);
        last[box->side] = b;
    }
}

/* ------------------------------------------------------------------------ all */

/* Layers that are not in the picture count too: what is drawn of a fast part is pale.
 */
static void find_slowest(struct fsd_drawing *w)
{
    for (fsd_id l = 0; l < w->d->engine->nodes.n; l++)
        w->slowest_ms = fmax(w->slowest_ms, fsd_layer_ms(w->d, l));
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        struct fsd_span items = w->boxes.at[b].items;
        double ms = 0;

        if (w->boxes.at[b].side != FSD_SIDE_ENGINE ||
            w->boxes.at[b].kind != FSD_BOX_ITEMS)
            continue;
        for (uint32_t i = 0; i < items.n; i++)
            ms += fmax(0, fsd_layer_ms(w->d, w->items.at[items.at + i]));
        w->slowest_ms = fmax(w->slowest_ms, ms);
    }
}

static struct side new_side(struct fsd_drawing *w, const struct fsd_graph *g,
                            enum fsd_side which, const bool *in)
{
    return (struct side){w,
                         g,
                         which,
                         in,
                         none(w->arena, g->nodes.n),
                         none(w->arena, g->tensors.n),
                         none(w->arena, g->tensors.n)};
}

struct fsd_drawing *fsd_drawing_new(const struct fsd_diff *d, struct fsd_pick pick,
                                    struct fsd_grain grain, struct fsd_arena *arena)
{
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct fsd_sharing sharing = fsd_picture_collapse(d, &pick, grain, arena);
    struct side model, engine;

    w->arena = arena;
    w->d = d;
    w->pick = pick;
    w->grain = grain;
    model = new_side(w, d->model, FSD_SIDE_MODEL, pick.nodes);
    engine = new_side(w, d->engine, FSD_SIDE_ENGINE, pick.layers);
    add_boxes(&model, sharing.nodes, sharing.node_titles);
    add_boxes(&engine, sharing.layers, sharing.layer_titles);
    add_clusters(&model, &engine);
    add_wires(&model);
    add_wires(&engine);
    join_wires(w);
    thread_past(&model);
    thread_past(&engine);
    thread_loose(w);
    join_threads(w);
    fsd_drawing_hold_rows(w);
    find_slowest(w);
    return w;
}
