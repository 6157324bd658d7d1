/* Makes the drawing of a run from the selected nodes and layers (struct fsd_pick). If
 * the drawing is too large, makes it again with fewer, larger boxes. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"

enum {
    MOST_ENDS = 2000, /* the maximum number of boxes, wires and ties of a picture. A
                         layout with this number takes one or two seconds */
    PART_ENDS = 1000, /* the same limit for a picture of a part of the run */
    /* A tensor has its own box if its number of producers times its number of consumers
     * exceeds this limit. Without the box, it would need as many wires. */
    MANY_ENDS = 64,
    MANY_LAYERS = 8, /* if a region has more layers than this, only its first layer gets
                        a tie: more ties would hide the rest of the picture */
    WIDEST = 8       /* the maximum number of boxes in a row: see hold_rows() */
};

/* One side of a drawing while it is made. */
struct side {
    struct fsd_drawing *w;
    const struct fsd_graph *g;
    enum fsd_side side;
    const bool *in;
    fsd_id *box;      /* by node or layer: its box; FSD_NONE: not drawn */
    fsd_id *terminal; /* by tensor: the box of an input, an output or a hub; the first
                         use creates it */
    fsd_id *port;     /* by tensor: the only output port that writes it; FSD_NONE: no
                         port or several ports write it */
};

/* ------------------------------------------------------------------------ boxes */

/* Adds the boxes of a side. In `items`, the members of a box are adjacent and in
 * order. */
static void add_boxes(struct side *s, struct fsd_sharing shared)
{
    struct fsd_drawing *w = s->w;
    uint32_t first = w->boxes.n, end = w->items.n;

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        if (!s->in[i])
            continue;
        if (shared.leader[i] == i) {
            s->box[i] = w->boxes.n;
            fsd_vec_push(w->arena, &w->boxes,
                         (struct fsd_box){.side = s->side,
                                          .cluster = FSD_NONE,
                                          .title = shared.titles[i]});
        }
        s->box[i] = s->box[shared.leader[i]];
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has a box */
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

/* The box of an input, an output or a hub. The tensor has one box, however many
 * consumers it has. */
static fsd_id terminal(struct side *s, fsd_id tensor, enum fsd_box_kind kind)
{
    if (s->terminal[tensor] == FSD_NONE)
        s->terminal[tensor] = fsd_drawing_add_box(
            s->w, (struct fsd_box){.side = s->side, .kind = kind}, tensor);
    return s->terminal[tensor];
}

/* ------------------------------------------------------------------------ wires */

/* Adds a wire. Each end has the type of its port, because layers of an engine can read
 * and write one tensor in several types. If the type at one end is unknown, this end
 * gets the type of the other end. */
static void add_wire(struct side *s, fsd_id from, fsd_id to, fsd_id tensor,
                     fsd_id from_port, fsd_id to_port)
{
    struct fsd_line wire = {.from = from,
                            .to = to,
                            .what = tensor,
                            .from_port = from_port,
                            .to_port = to_port,
                            .n = 1};

    for (int end = 0; end < 2; end++)
        wire.type[end] = (uint8_t)fsd_wire_form(s->g, &wire, end == 0)->type;
    fsd_drawing_add_line(s->w, FSD_WIRE, wire);
}

/* Whether a tensor is a hub: it has its own box. Without the box, each producer would
 * have a wire to each consumer. A tensor can have several producers: a Concat in place,
 * slices of a buffer. */
static bool is_hub(const struct fsd_tensor *t)
{
    return t->producers.n > 1 && t->consumers.n > 1 &&
           (uint64_t)t->producers.n * t->consumers.n > MANY_ENDS;
}

static void wire_port(struct side *s, fsd_id box, uint32_t port, bool output)
{
    fsd_id tensor = s->g->ports.at[port].tensor;
    const struct fsd_tensor *t = &s->g->tensors.at[tensor];
    struct fsd_span by = fsd_port_peers(s->g, port, true);
    enum fsd_box_kind kind = is_hub(t) ? FSD_BOX_TENSOR
                             : output  ? FSD_BOX_OUTPUT
                                       : FSD_BOX_INPUT;

    if (output && (is_hub(t) || (t->flags & FSD_TENSOR_OUTPUT && !t->scope)))
        add_wire(s, box, terminal(s, tensor, kind), tensor, port, FSD_NONE);
    if (output)
        return;
    for (uint32_t i = 0; i < by.n && !is_hub(t); i++)
        add_wire(s, s->box[s->g->links.at[by.at + i]], box, tensor, s->port[tensor],
                 port);
    if (is_hub(t) || (!t->producers.n && t->flags & FSD_TENSOR_INPUT &&
                      !(t->flags & FSD_TENSOR_CONSTANT) && !t->scope))
        add_wire(s, terminal(s, tensor, kind), box, tensor, FSD_NONE, port);
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
    for (fsd_id i = 0; i < g->nodes.n && !g->named_only; i++) {
        struct fsd_span in = g->nodes.at[i].in, out = g->nodes.at[i].out;

        for (uint32_t p = in.at; s->in[i] && p < in.at + in.n; p++)
            if (g->ports.at[p].tensor != FSD_NONE)
                wire_port(s, s->box[i], p, false);
        for (uint32_t p = out.at; s->in[i] && p < out.at + out.n; p++)
            if (g->ports.at[p].tensor != FSD_NONE)
                wire_port(s, s->box[i], p, true);
    }
}

/* ------------------------------------------------------------------------- ties */

/* Adds a tie from `box`, a box of nodes, to the box of `layer`. Adds nothing if the
 * layer is not drawn. `part`: `box` is not in the cluster of this layer.
 *
 * `rank` sorts the ties by the box of their layer. Of the ties to one box, those with
 * `part` are last. join_lines() needs this order. */
static void add_tie(const struct side *model, const struct side *engine, fsd_id box,
                    fsd_id layer, bool loose)
{
    fsd_id to = engine->box[layer];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): box is one of them */
    bool part = to != model->w->boxes.at[box].cluster;

    if (engine->in[layer])
        fsd_drawing_add_line(model->w, FSD_TIE,
                             (struct fsd_line){.from = box,
                                               .to = to,
                                               .rank = 2 * to + part,
                                               .part = part,
                                               .loose = loose});
}

/* Merges lines with the same two ends. A merged wire counts its tensors. If several
 * boxes of a cluster have ties to the cluster's layer, only the first of these ties is
 * kept. */
static void join_lines(struct fsd_drawing *w, enum fsd_line_kind kind)
{
    fsd_lines *lines = &w->lines[kind];
    uint32_t n = 0;
    fsd_id last = FSD_NONE;

    fsd_drawing_sort_lines(w, kind);
    for (uint32_t i = 0; i < lines->n; i++) {
        struct fsd_line line = lines->at[i], *before = &lines->at[n - 1];
        bool same = n && before->rank == line.rank && before->to == line.to &&
                    (before->from == line.from || (kind == FSD_TIE && !line.part));

        if (same)
            before->n += line.what != last;
        else
            lines->at[n++] = line;
        last = line.what;
    }
    lines->n = n;
}

/* Adds ties from each node to its layers.
 *
 * For some nodes, only the region is known, not the layers. In each region, only the
 * first drawn node of this kind gets ties: to all layers of the region or, if there are
 * more than MANY_LAYERS, to the first layer. */
static void add_ties(const struct side *model, const struct side *engine,
                     const struct fsd_diff *d)
{
    const struct fsd_match *m = d->match;

    for (fsd_id n = 0; n < model->g->nodes.n; n++)
        for (uint32_t i = 0; model->in[n] && i < m->of_node[n].n; i++)
            add_tie(model, engine, model->box[n], fsd_match_of_node(m, n, i)->layer,
                    false);
    for (fsd_id r = 0; r < m->regions.n; r++) {
        struct fsd_span nodes = m->regions.at[r].nodes,
                        layers = m->regions.at[r].layers;
        uint32_t n = nodes.at, end = nodes.at + nodes.n;

        while (n < end && (!model->in[m->pool.at[n]] || m->of_node[m->pool.at[n]].n ||
                           fsd_node_vanished(d, m->pool.at[n])))
            n++;
        if (layers.n > MANY_LAYERS)
            layers.n = 1;
        for (uint32_t i = 0; n < end && i < layers.n; i++)
            add_tie(model, engine, model->box[m->pool.at[n]], m->pool.at[layers.at + i],
                    true);
    }
    join_lines(model->w, FSD_TIE);
}

/* Sets the members and the color of each cluster. If scene->coloring->tint is NULL, the
 * layers with nodes take the colors in turn, so that each differs from the next. */
static void add_clusters(const struct side *model, const struct side *engine,
                         const struct fsd_diff_scene *scene)
{
    struct fsd_drawing *w = model->w;
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
    add_ties(model, engine, scene->d);
    for (uint32_t i = 0; i < w->lines[FSD_TIE].n; i++)
        owns[w->lines[FSD_TIE].at[i].to] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (scene->coloring->tint && box->side == FSD_SIDE_RIGHT &&
            box->kind == FSD_BOX_ITEMS)
            w->boxes.at[b].tint = scene->coloring->tint(scene->d, fsd_item(w, box, 0));
        else if (owns[b])
            w->boxes.at[b].tint = next++;
    }
}

/* ---------------------------------------------------------------------- threads */

/* Adds threads. A thread connects two drawn boxes if a path in the graph connects them
 * and the picture leaves out all nodes between them. For a drawn node i, reach[i] is
 * its box. For any other node, reach[i] is the last drawn box on a path to the node. */
static void thread_past(struct side *s)
{
    fsd_id *reach = fsd_ids_new(s->w->arena, s->g->nodes.n);

    for (fsd_id i = 0; i < s->g->nodes.n; i++) {
        struct fsd_span in = s->g->nodes.at[i].in;

        reach[i] = s->box[i];
        for (uint32_t p = in.at; p < in.at + in.n; p++) {
            fsd_id from = fsd_tensor_producer(s->g, s->g->ports.at[p].tensor);

            if (from != FSD_NONE && s->in[i] && !s->in[from])
                fsd_drawing_add_line(
                    s->w, FSD_THREAD,
                    (struct fsd_line){.from = reach[from], .to = s->box[i]});
            else if (from != FSD_NONE && reach[i] == FSD_NONE)
                reach[i] = reach[from];
        }
    }
}

/* Adds threads to the loose boxes: boxes of nodes or layers that nothing else keeps in
 * place. Without threads, Graphviz would put all of them into one row, for example all
 * layers of an engine without known tensors.
 *
 * A box is not loose if a wire or another thread leads to it. If the edges of the model
 * are known (`edges`), a box of nodes is not loose either if it is in a cluster, or if
 * a wire or tie begins at it.
 *
 * Usually, a loose box is put below the previous box. If consecutive loose boxes have
 * the same consumer, they are put into rows of WIDEST boxes instead: in a column, the
 * wire of each box would pass all boxes below it, and the layout would take minutes. */
static void thread_loose(struct fsd_drawing *w, bool edges)
{
    bool *held = FSD_NEW(w->arena, bool, w->boxes.n);
    fsd_id *leads_to = fsd_ids_new(w->arena, w->boxes.n);
    struct { /* box: the previous box; above: the box above its row; to: the common
                consumer of the row's boxes; n: the number of boxes in the row */
        fsd_id box, above, to;
        uint32_t n;
    } last[FSD__SIDE_COUNT] = {{FSD_NONE, FSD_NONE, FSD_NONE, 0},
                               {FSD_NONE, FSD_NONE, FSD_NONE, 0}},
      *at;

    for (int kind = FSD_WIRE; kind <= FSD_THREAD; kind++)
        FSD_EACH (const struct fsd_line, line, w->lines[kind]) {
            held[line->to] |= kind != FSD_TIE;
            held[line->from] |= kind != FSD_THREAD && edges &&
                                w->boxes.at[line->from].side == FSD_SIDE_LEFT;
            if (kind == FSD_WIRE)
                leads_to[line->from] = line->to;
        }
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];
        bool loose;

        if (box->kind != FSD_BOX_ITEMS)
            continue;
        at = &last[box->side];
        loose = !held[b] && (box->cluster == FSD_NONE || !edges);
        if (!loose || leads_to[b] == FSD_NONE || leads_to[b] != at->to) {
            at->above = at->box;
            at->n = 0;
        }
        if (loose)
            fsd_drawing_add_line(
                w, FSD_THREAD,
                (struct fsd_line){.from = at->n < WIDEST ? at->above : b - WIDEST,
                                  .to = b});
        at->box = b;
        at->to = loose ? leads_to[b] : FSD_NONE;
        at->n++;
    }
    fsd_drawing_sort_lines(w, FSD_THREAD);
}

/* ------------------------------------------------------------------------- rows */

/* Limits the rows of the engine to WIDEST boxes. Graphviz puts all boxes with the same
 * distance from the input into one row: thirty heads of a detector would make thirty
 * columns, with ties across all of them.
 *
 * This function assigns a row to each box, in the order of execution. If the row is
 * full, the box moves down to the next row with room. An invisible line keeps it there.
 * The line begins at the first box of the row above. */
static void hold_rows(struct fsd_drawing *w)
{
    uint32_t *row =
        FSD_NEW(w->arena, uint32_t, w->boxes.n); /* by box: the first possible row */
    uint32_t *taken = FSD_NEW(w->arena, uint32_t, w->boxes.n + 1);
    fsd_id *first = FSD_NEW(w->arena, fsd_id, w->boxes.n + 1);
    uint32_t done[FSD__LINE_COUNT] = {0}; /* by kind: the index of the first line that
                                             begins at box b or a later box */

    for (fsd_id b = 0; b < w->boxes.n; b++) {
        uint32_t at = row[b];

        if (w->boxes.at[b].side == FSD_SIDE_RIGHT &&
            w->boxes.at[b].kind == FSD_BOX_ITEMS) {
            while (taken[at] == WIDEST)
                at++;
            if (at > row[b])
                fsd_drawing_add_line(w, FSD_HOLD,
                                     (struct fsd_line){.from = first[at - 1], .to = b});
            if (!taken[at]++)
                first[at] = b;
            row[b] = at;
        }
        for (int kind = FSD_WIRE; kind <= FSD_THREAD; kind += FSD_THREAD - FSD_WIRE)
            for (uint32_t *i = &done[kind]; *i < w->lines[kind].n; ++*i) {
                const struct fsd_line *line = &w->lines[kind].at[*i];

                if (line->from > b)
                    break;
                if (row[line->to] <= row[line->from])
                    row[line->to] = row[line->from] + 1;
            }
    }
}

/* -------------------------------------------------------------------------- all */

static struct side new_side(struct fsd_drawing *w, const struct fsd_graph *g,
                            enum fsd_side which, const bool *in)
{
    return (struct side){.w = w,
                         .g = g,
                         .side = which,
                         .in = in,
                         .box = fsd_ids_new(w->arena, g->nodes.n),
                         .terminal = fsd_ids_new(w->arena, g->tensors.n),
                         .port = fsd_ids_new(w->arena, g->tensors.n)};
}

static struct fsd_drawing *draw_scene(struct fsd_diff_scene *scene,
                                      struct fsd_arena *arena)
{
    const struct fsd_diff *d = scene->d;
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct fsd_sharing nodes, layers;
    struct side model, engine;

    *w =
        (struct fsd_drawing){.arena = arena, .painter = &fsd_diff_painter, .of = scene};
    model = new_side(w, d->model, FSD_SIDE_LEFT, scene->pick.nodes);
    engine = new_side(w, d->engine, FSD_SIDE_RIGHT, scene->pick.layers);
    fsd_diff_share(d, &scene->pick, scene->grain, arena, &nodes, &layers);
    add_boxes(&model, nodes);
    add_boxes(&engine, layers);
    add_clusters(&model, &engine, scene);
    fsd_diff_add_frames(w, d);
    add_wires(&model);
    add_wires(&engine);
    join_lines(w, FSD_WIRE);
    thread_past(&model);
    thread_past(&engine);
    thread_loose(w, !d->model->named_only);
    hold_rows(w);
    /* The scale of the colors includes the slowest layer of the engine, even if the
     * picture does not show this layer. A picture of fast layers is therefore pale. */
    scene->slowest_ms = 0;
    for (fsd_id l = 0; l < d->engine->nodes.n; l++)
        scene->slowest_ms = fsd_larger(scene->slowest_ms, fsd_layer_ms(d, l));
    for (fsd_id b = 0; b < w->boxes.n; b++)
        scene->slowest_ms =
            fsd_larger(scene->slowest_ms, fsd_box_ms(w, &w->boxes.at[b], d));
    return w;
}

/* ------------------------------------------------------------------------ plan */

struct job {
    struct fsd_plan plan; /* first, because simplify() converts the plan to the job */
    struct fsd_arena *arena;
    struct fsd_diff_scene scene; /* the scene of the current drawing */
    unsigned depth;              /* number of name scopes that all items share;
                                    scope:N with N <= depth would give one box */
    bool opens;                  /* the picture is for a page, where a box opens a
                                    picture of its contents */
};

/* Draws with fewer, larger boxes: takes the next level that makes the drawing
 * smaller. */
static bool simplify(struct fsd_plan *plan)
{
    struct job *job = (struct job *)(void *)plan;
    const struct fsd_grain *grain = &job->scene.grain;
    uint32_t before = fsd_drawing_weight(plan->drawing);
    unsigned levels = fsd_diff_scope_levels(job->scene.d);
    char word[24];

    while (fsd_grain_next(&job->scene.grain)) {
        if (grain->level == FSD_LEVEL_SCOPE &&
            (grain->depth <= job->depth || grain->depth > levels))
            continue;
        plan->drawing = draw_scene(&job->scene, job->arena);
        plan->last = grain->level == FSD_LEVEL_PART;
        if (fsd_drawing_weight(plan->drawing) >= before)
            continue;
        if (job->opens)
            snprintf(plan->less, sizeof plan->less,
                     "this picture therefore has %u boxes; select a box to see the "
                     "nodes and layers in it",
                     plan->drawing->boxes.n);
        else
            snprintf(plan->less, sizeof plan->less,
                     "this picture was therefore made with --collapse %s and has %u "
                     "boxes (to see a part in full, pass --around or --only)",
                     fsd_grain_name(*grain, word), plan->drawing->boxes.n);
        return true;
    }
    return false;
}

static void report_boxes(const struct fsd_drawing *w, const struct fsd_excerpt *part)
{
    FSD_EACH (const struct fsd_box, box, w->boxes) {
        const struct fsd_box *owner = fsd_drawing_owner(w, box);
        bool layers = box->side == FSD_SIDE_RIGHT;
        char name[16];

        if (box->kind != FSD_BOX_ITEMS || box->items.n < 2)
            continue;
        snprintf(name, sizeof name, "%c%u", layers ? 'l' : 'n', fsd_item(w, box, 0));
        part->box(part->payload, &(struct fsd_picture_box){
                                     .name = name,
                                     .layers = layers,
                                     .items = &w->items.at[box->items.at],
                                     .n = box->items.n,
                                     .owner = owner ? fsd_item(w, owner, 0) : FSD_NONE,
                                     .title = box->title});
    }
}

enum fsd_status fsd_picture_write_part(const struct fsd_diff *d,
                                       struct fsd_excerpt *part, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err)
{
    const struct fsd_picture *want = fsd_wanted_picture(style);
    struct job job = {.plan = {.want = want,
                               .simplify = simplify,
                               .most_ends = part->layers ? PART_ENDS : MOST_ENDS,
                               .chosen = want->collapse},
                      .arena = fsd_arena_new(),
                      .scene = {.d = d},
                      .depth = part->depth,
                      .opens = part->box};
    enum fsd_status status = FSD_OK;

    if (part->layers)
        fsd_diff_pick_layers(d, part->layers, part->n, job.arena, &job.scene.pick);
    else
        status = fsd_diff_pick(d, style, job.arena, &job.scene.pick, err);
    FSD_THEN(status, fsd_coloring_find(want->color_by, &job.scene.coloring, err));
    FSD_THEN(status, fsd_labels_parse(want->label, &job.scene.labels, err));
    if (status == FSD_OK && want->collapse)
        status = fsd_grain_parse(want->collapse, &job.scene.grain, err);
    if (status == FSD_OK) {
        job.plan.drawing = draw_scene(&job.scene, job.arena);
        status = fsd_plan_write(&job.plan, format, out, err);
        part->spent = job.plan.spent;
    }
    if (status == FSD_OK && part->box) {
        if (job.scene.grain.level == FSD_LEVEL_SCOPE)
            part->depth = job.scene.grain.depth;
        report_boxes(job.plan.drawing, part);
    }
    fsd_arena_free(job.arena);
    return status;
}

enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_excerpt all = {0};

    return fsd_picture_write_part(d, &all, format, style, out, err);
}
