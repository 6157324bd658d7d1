/* Boxes, wires and ties of what is picked of a run, and what is drawn when that is too
 * large: the same in coarser grains. */
#include "base/id.h"
#include "report/picture/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENDS = 2000, /* boxes, wires and ties that lay out within a second or two */
    /* A tensor with so many ends, producers times consumers, gets a box of its own:
     * wires stay as many as ports. */
    MANY_ENDS = 64,
    MANY_LAYERS = 8, /* of a region: lines to each would hide all else */
    WIDEST = 8       /* boxes in a row of the engine */
};

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

/* ------------------------------------------------------------------------ boxes */

/* A box for each first item of the sharing; its members come in order, beside each
 * other in `items`. */
static void add_boxes(struct side *s, const fsd_id *leader, const char **titles)
{
    struct fsd_drawing *w = s->w;
    uint32_t first = w->boxes.n, end = w->items.n;

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        if (!s->in[i])
            continue;
        if (leader[i] == i) {
            s->box[i] = w->boxes.n;
            fsd_vec_push(w->arena, &w->boxes,
                         (struct fsd_box){
                             .side = s->side, .cluster = FSD_NONE, .title = titles[i]});
        }
        s->box[i] = s->box[leader[i]];
        w->boxes.at[s->box[i]].items.n++;
        fsd_vec_push(w->arena, &w->items, FSD_NONE);
    }
    for (fsd_id b = first; b < w->boxes.n; b++) {
        w->boxes.at[b].items.at = end;
        end += w->boxes.at[b].items.n;
        w->boxes.at[b].items.n = 0;
    }
    for (fsd_id i = 0; i < s->g->nodes.n; i++)
        if (s->in[i]) {
            struct fsd_span *items = &w->boxes.at[s->box[i]].items;

            w->items.at[items->at + items->n++] = i;
        }
}

static fsd_id terminal(struct side *s, fsd_id tensor, enum fsd_box_kind kind)
{
    if (s->terminal[tensor] == FSD_NONE)
        s->terminal[tensor] = fsd_drawing_add_box(
            s->w, (struct fsd_box){.side = s->side, .kind = kind}, tensor);
    return s->terminal[tensor];
}

/* ------------------------------------------------------------------------ wires */

/* A port knows its form better than its tensor does: an engine reads and writes one
 * tensor in several types and layouts. */
static uint8_t type_at(const struct fsd_graph *g, fsd_id port, fsd_id tensor)
{
    return (uint8_t)(port == FSD_NONE ? fsd_tensor_form(g, tensor)
                                      : fsd_port_form(g, &g->ports.at[port]))
        ->type;
}

/* The type at an end of which nothing is known is that at the other. */
static void add_wire(struct side *s, fsd_id from, fsd_id to, fsd_id tensor,
                     fsd_id from_port, fsd_id to_port)
{
    fsd_id a = from_port == FSD_NONE ? to_port : from_port;
    fsd_id b = to_port == FSD_NONE ? from_port : to_port;

    fsd_drawing_add_wire(
        s->w, (struct fsd_wire){from,
                                to,
                                tensor,
                                from_port,
                                to_port,
                                1,
                                {type_at(s->g, a, tensor), type_at(s->g, b, tensor)}});
}

/* Builders write one tensor by several layers (a Concat done in place, slices of a
 * buffer): with many readers each writer would have a wire to each. */
static bool is_hub(const struct fsd_tensor *t)
{
    return t->producers.n > 1 && t->consumers.n > 1 &&
           (uint64_t)t->producers.n * t->consumers.n > MANY_ENDS;
}

static void wire_input(struct side *s, fsd_id box, uint32_t port)
{
    fsd_id tensor = s->g->ports.at[port].tensor;
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];
    bool input =
        t->flags & FSD_TENSOR_INPUT && !(t->flags & FSD_TENSOR_CONSTANT) && !t->scope;

    if (is_hub(t))
        add_wire(s, terminal(s, tensor, FSD_BOX_TENSOR), box, tensor, FSD_NONE, port);
    else if (t->producers.n)
        for (uint32_t i = 0; i < t->producers.n; i++)
            add_wire(s, s->box[s->g->links.at[t->producers.at + i]], box, tensor,
                     s->port[tensor], port);
    else if (input)
        add_wire(s, terminal(s, tensor, FSD_BOX_INPUT), box, tensor, FSD_NONE, port);
}

static void wire_output(struct side *s, fsd_id box, uint32_t port)
{
    fsd_id tensor = s->g->ports.at[port].tensor;
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];
    bool output = t->flags & FSD_TENSOR_OUTPUT && !t->scope;

    if (is_hub(t) || output)
        add_wire(s, box,
                 terminal(s, tensor, is_hub(t) ? FSD_BOX_TENSOR : FSD_BOX_OUTPUT),
                 tensor, port, FSD_NONE);
}

static void add_wires(struct side *s)
{
    const struct fsd_graph *g = s->g;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        struct fsd_span out = g->nodes.at[i].out;

        for (uint32_t p = out.at; p < out.at + out.n; p++)
            if (g->ports.at[p].tensor != FSD_NONE &&
                g->tensors.at[g->ports.at[p].tensor].producers.n == 1)
                s->port[g->ports.at[p].tensor] = p;
    }
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        struct fsd_span in = g->nodes.at[i].in, out = g->nodes.at[i].out;

        if (!s->in[i])
            continue;
        for (uint32_t p = in.at; p < in.at + in.n; p++)
            if (g->ports.at[p].tensor != FSD_NONE)
                wire_input(s, s->box[i], p);
        for (uint32_t p = out.at; p < out.at + out.n; p++)
            if (g->ports.at[p].tensor != FSD_NONE)
                wire_output(s, s->box[i], p);
    }
}

/* One wire for all that goes the same way; of each tensor one use counts. */
static void join_wires(struct fsd_drawing *w)
{
    uint32_t n = 0;
    fsd_id last = FSD_NONE;

    fsd_drawing_sort_wires(w);
    for (uint32_t i = 0; i < w->wires.n; i++) {
        struct fsd_wire wire = w->wires.at[i], *before = &w->wires.at[n - 1];

        if (n && before->from == wire.from && before->to == wire.to)
            before->n += wire.what != last;
        else
            w->wires.at[n++] = wire;
        last = wire.what;
    }
    w->wires.n = n;
}

/* ------------------------------------------------------------------------- ties */

static void add_tie(const struct side *model, const struct side *engine, fsd_id box,
                    fsd_id layer, bool loose)
{
    struct fsd_drawing *w = model->w;

    if (engine->in[layer])
        fsd_vec_push(w->arena, &w->ties,
                     (struct fsd_tie){box, engine->box[layer],
                                      engine->box[layer] != w->boxes.at[box].cluster,
                                      loose});
}

/* Every layer of a region is tied to the region's first node, not to each: regions are
 * large.  Of a very large one the first layer stands for all. */
static void tie_region(const struct side *model, const struct side *engine,
                       const struct fsd_diff *d, const struct fsd_region *region)
{
    const fsd_id *nodes = d->match->pool.at + region->nodes.at;
    const fsd_id *layers = d->match->pool.at + region->layers.at;
    uint32_t first = 0, n = region->layers.n > MANY_LAYERS ? 1 : region->layers.n;

    while (first < region->nodes.n &&
           (!model->in[nodes[first]] || d->match->of_node[nodes[first]].n ||
            fsd_node_vanished(d, nodes[first])))
        first++;
    for (uint32_t i = 0; first < region->nodes.n && i < n; i++)
        add_tie(model, engine, model->box[nodes[first]], layers[i], true);
}

static int order_ties(const void *x, const void *y)
{
    const struct fsd_tie *a = x, *b = y;
    int right = fsd_order(a->right, b->right), part = fsd_order(a->part, b->part);
    int left = fsd_order(a->left, b->left);

    return right ? right : part ? part : left ? left : fsd_order(a->loose, b->loose);
}

/* A cluster has one tie, from its first box; a part one of each box. */
static void join_ties(struct fsd_drawing *w)
{
    uint32_t n = 0;

    w->ties.n = fsd_sort_once(w->ties.at, w->ties.n, sizeof *w->ties.at, order_ties);
    for (uint32_t i = 0; i < w->ties.n; i++) {
        struct fsd_tie tie = w->ties.at[i], *before = &w->ties.at[n - 1];
        bool same = n && before->right == tie.right && before->part == tie.part;

        if (!same || (tie.part && before->left != tie.left))
            w->ties.at[n++] = tie;
    }
    w->ties.n = n;
}

/* Of what is a cluster, its box's members; only layers that have nodes take a colour,
 * so that neighbours differ. */
static void add_clusters(const struct side *model, const struct side *engine,
                         const struct fsd_diff_scene *scene)
{
    struct fsd_drawing *w = model->w;
    const struct fsd_match *m = scene->d->match;
    bool *owns = FSD_NEW(w->arena, bool, w->boxes.n);
    unsigned next = 1;

    for (fsd_id n = 0; n < model->g->nodes.n; n++) {
        fsd_id home = model->in[n] ? scene->pick.homes[n] : FSD_NONE;

        if (home == FSD_NONE || w->boxes.at[model->box[n]].cluster != FSD_NONE)
            continue;
        w->boxes.at[model->box[n]].cluster = engine->box[home];
        w->boxes.at[engine->box[home]].members++;
        owns[engine->box[home]] = true;
    }
    for (fsd_id n = 0; n < model->g->nodes.n; n++)
        for (uint32_t i = 0; model->in[n] && i < m->of_node[n].n; i++)
            add_tie(model, engine, model->box[n], fsd_match_of_node(m, n, i)->layer,
                    false);
    for (fsd_id r = 0; r < m->regions.n; r++)
        tie_region(model, engine, scene->d, &m->regions.at[r]);
    join_ties(w);
    for (uint32_t i = 0; i < w->ties.n; i++)
        owns[w->ties.at[i].right] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++)
        if (owns[b])
            w->boxes.at[b].tint = next++;
}

/* ---------------------------------------------------------------------- threads */

static void add_thread(struct fsd_drawing *w, fsd_id from, fsd_id to)
{
    if (from != FSD_NONE && from != to)
        fsd_vec_push(w->arena, &w->threads, ((struct fsd_thread){from, to}));
}

/* What is not picked passes on the first box that leads to it.  A producer that comes
 * later in the file than what reads it passes on nothing. */
static void thread_past(struct side *s)
{
    fsd_id *reach = fsd_none_of(s->w->arena, s->g->nodes.n);

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        struct fsd_span in = s->g->nodes.at[i].in;

        reach[i] = s->box[i];
        for (uint32_t p = in.at; p < in.at + in.n; p++) {
            fsd_id tensor = s->g->ports.at[p].tensor;
            fsd_id from =
                tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(s->g, tensor);

            if (from != FSD_NONE && s->in[i] && !s->in[from])
                add_thread(s->w, reach[from], s->box[i]);
            else if (from != FSD_NONE && reach[i] == FSD_NONE)
                reach[i] = reach[from];
        }
    }
}

/* Without these all layers of an engine that tells no tensors would stand in one row,
 * and so would the neighbourhoods of a picture of parts.  A node without a wire is held
 * by its cluster or its layer, if it has one; one with wires out is drawn beside what
 * reads it. */
static void thread_loose(struct fsd_drawing *w)
{
    bool *held = FSD_NEW(w->arena, bool, w->boxes.n);
    fsd_id last[FSD__SIDE_COUNT] = {FSD_NONE, FSD_NONE};

    for (uint32_t i = 0; i < w->wires.n; i++) {
        fsd_id from = w->wires.at[i].from;

        held[w->wires.at[i].to] = true;
        held[from] |= w->boxes.at[from].side == FSD_SIDE_LEFT;
    }
    for (uint32_t i = 0; i < w->threads.n; i++)
        held[w->threads.at[i].to] = true;
    for (uint32_t i = 0; i < w->ties.n; i++)
        held[w->ties.at[i].left] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (box->kind != FSD_BOX_ITEMS)
            continue;
        if (!held[b] && box->cluster == FSD_NONE)
            add_thread(w, last[box->side], b);
        last[box->side] = b;
    }
}

static int order_threads(const void *x, const void *y)
{
    const struct fsd_thread *a = x, *b = y;

    return a->from == b->from ? fsd_order(a->to, b->to) : fsd_order(a->from, b->from);
}

/* ------------------------------------------------------------------------- rows */

/* Graphviz puts all that is equally far from the input side by side: thirty heads of a
 * detector would make a picture of thirty columns, with ties across all of them.  So
 * the engine's boxes take their rows in the order of execution, and one whose row is
 * full goes to the next, held there by a line to the first box of the row above. */
static void hold_rows(struct fsd_drawing *w)
{
    uint32_t *row =
        FSD_NEW(w->arena, uint32_t, w->boxes.n); /* the first it may be in */
    uint32_t *taken = FSD_NEW(w->arena, uint32_t, w->boxes.n + 1);
    fsd_id *first = FSD_NEW(w->arena, fsd_id, w->boxes.n + 1);
    uint32_t wire = 0, thread = 0; /* those of earlier boxes are before */

    for (fsd_id b = 0; b < w->boxes.n; b++) {
        uint32_t at = row[b];

        if (w->boxes.at[b].side == FSD_SIDE_RIGHT &&
            w->boxes.at[b].kind == FSD_BOX_ITEMS) {
            while (taken[at] == WIDEST)
                at++;
            if (at > row[b])
                fsd_vec_push(w->arena, &w->holds,
                             ((struct fsd_thread){first[at - 1], b}));
            if (!taken[at]++)
                first[at] = b;
            row[b] = at;
        }
        for (; wire < w->wires.n && w->wires.at[wire].from <= b; wire++) {
            const struct fsd_wire *x = &w->wires.at[wire];

            if (row[x->to] <= row[x->from])
                row[x->to] = row[x->from] + 1;
        }
        for (; thread < w->threads.n && w->threads.at[thread].from <= b; thread++) {
            const struct fsd_thread *x = &w->threads.at[thread];

            if (row[x->to] <= row[x->from])
                row[x->to] = row[x->from] + 1;
        }
    }
}

/* -------------------------------------------------------------------------- all */

/* Layers that are not in the picture count too: what is drawn of a fast part is pale.
 */
static double find_slowest(const struct fsd_drawing *w, const struct fsd_diff *d)
{
    double slowest = 0;

    for (fsd_id l = 0; l < d->engine->nodes.n; l++)
        slowest = fmax(slowest, fsd_layer_ms(d, l));
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];
        double ms = 0;

        if (box->side != FSD_SIDE_RIGHT || box->kind != FSD_BOX_ITEMS)
            continue;
        for (uint32_t i = 0; i < box->items.n; i++)
            ms += fmax(0, fsd_layer_ms(d, w->items.at[box->items.at + i]));
        slowest = fmax(slowest, ms);
    }
    return slowest;
}

static struct side new_side(struct fsd_drawing *w, const struct fsd_graph *g,
                            enum fsd_side which, const bool *in)
{
    return (struct side){.w = w,
                         .g = g,
                         .side = which,
                         .in = in,
                         .box = fsd_none_of(w->arena, g->nodes.n),
                         .terminal = fsd_none_of(w->arena, g->tensors.n),
                         .port = fsd_none_of(w->arena, g->tensors.n)};
}

static struct fsd_drawing *draw(struct fsd_diff_scene *scene, struct fsd_arena *arena)
{
    const struct fsd_diff *d = scene->d;
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct fsd_sharing shared = fsd_diff_share(d, &scene->pick, scene->grain, arena);
    struct side model, engine;

    *w =
        (struct fsd_drawing){.arena = arena, .painter = &fsd_diff_painter, .of = scene};
    model = new_side(w, d->model, FSD_SIDE_LEFT, scene->pick.nodes);
    engine = new_side(w, d->engine, FSD_SIDE_RIGHT, scene->pick.layers);
    add_boxes(&model, shared.nodes, shared.node_titles);
    add_boxes(&engine, shared.layers, shared.layer_titles);
    add_clusters(&model, &engine, scene);
    add_wires(&model);
    add_wires(&engine);
    join_wires(w);
    thread_past(&model);
    thread_past(&engine);
    thread_loose(w);
    w->threads.n = fsd_sort_once(w->threads.at, w->threads.n, sizeof *w->threads.at,
                                 order_threads);
    hold_rows(w);
    scene->slowest_ms = find_slowest(w, d);
    return w;
}

/* ------------------------------------------------------------------------ plan */

struct job {
    struct fsd_plan plan; /* first */
    struct fsd_arena *arena;
    struct fsd_diff_scene scene; /* of the last drawing */
};

/* Draws in the next grain that makes the picture smaller. */
static bool simplify(struct fsd_plan *plan)
{
    struct job *job = (struct job *)(void *)plan;
    uint32_t before = fsd_drawing_weight(plan->drawing);
    char grain[24];

    while (fsd_grain_next(&job->scene.grain)) {
        plan->drawing = draw(&job->scene, job->arena);
        plan->last = job->scene.grain.level == FSD_LEVEL_PART;
        if (fsd_drawing_weight(plan->drawing) >= before)
            continue;
        snprintf(
            plan->less, sizeof plan->less,
            "drawn with --collapse %s, %u boxes (--around or --only show a part of "
            "it in full)",
            fsd_grain_name(job->scene.grain, grain), plan->drawing->boxes.n);
        return true;
    }
    return false;
}

enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    static const struct fsd_picture everything = {0};
    const struct fsd_picture *want = style->picture ? style->picture : &everything;
    struct job job = {.plan = {.want = want,
                               .simplify = simplify,
                               .most_ends = MOST_ENDS,
                               .chosen = want->collapse},
                      .arena = fsd_arena_new(),
                      .scene = {.d = d}};
    enum fsd_status status = fsd_diff_pick(d, style, job.arena, &job.scene.pick, err);

    if (status == FSD_OK && want->collapse)
        status = fsd_grain_parse(want->collapse, &job.scene.grain, err);
    if (status == FSD_OK) {
        job.plan.drawing = draw(&job.scene, job.arena);
        status = fsd_plan_write(&job.plan, format, out, err);
    }
    fsd_arena_free(job.arena);
    return status;
}
