/*
 * The drawing of two exports of one network, without engines: the nodes that compute on
 * both sides, what is quantized on the way to each input as the type of its wire, ties
 * between nodes that are each other's.
 *
 *     old                                  new
 *     [Conv] --fp32--> [Add]    ==tie==    [Conv] --fp32--> [Add  input 1: plain
 *     [Relu] --fp32-->                     [Relu] --int8-->  -> int8]
 *
 * Quantizers, casts and views are no boxes: exporters put them in other places and
 * numbers.  Unless everything is asked for, what changed is drawn with what is next to
 * it, and threads lead past the rest.
 */
#include "base/base.h"
#include "change/compare/exports.h"
#include "model/graph/walk.h"
#include "report/picture/drawing.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENDS = 800, /* as of a comparison of builds */
    LISTED = 64,     /* changes in a tooltip */
    NAME = 40,
    TIP = 400,
    SHOWN = 3 /* changes in a box */
};

/* What a box is, as its tint. */
enum mark { SAME, CHANGED, REMOVED, ADDED };

struct scene {
    struct fsd_pair_scene pair;
    const struct fsd_exports *e;
    uint32_t drawn; /* changes; UINT32_MAX: all nodes are drawn */
};

static const struct scene *scene_of(const struct fsd_drawing *w)
{
    return w->of;
}

/* ------------------------------------------------------------------------- words */

static struct fsd_box_style look_of(unsigned mark)
{
    const struct fsd_box_style looks[] = {
        [SAME] = {"box", "rounded,filled", "#ffffff", "#999999", "1"},
        [CHANGED] = {"box", "rounded,filled", "#fff1e0", "#d55e00", "2"},
        [REMOVED] = {"box", "rounded,filled,dashed", "#f4f4f4", "#777777", "1.5"},
        [ADDED] = {"box", "rounded,filled,bold", "#ccddaa", "#6b8e3a", "2"}};

    return looks[mark];
}

static struct fsd_box_style look(const struct fsd_drawing *w, const struct fsd_box *box)
{
    (void)w;
    return box->kind == FSD_BOX_ITEMS ? look_of(box->tint) : fsd_port_look;
}

typedef void put_text_fn(FILE *out, const char *s, size_t most);

/* "input 1: plain -> int8 scale 0.1" */
static void put_change(const struct fsd_export_change *c, put_text_fn *put, FILE *out)
{
    put(out, *c->of ? c->of : fsd_export_what_name(c->what), NAME);
    fputs(": ", out);
    if (*c->was)
        put(out, c->was, NAME);
    fputs(FSD_ARROW, out);
    put(out, *c->now ? c->now : "none", NAME);
}

/* What changed stands in the new model's box. */
static void put_label(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    const struct fsd_state *s = fsd_box_state(w, box);
    const struct fsd_exports *e = scene_of(w)->e;
    const struct fsd_state_node *n;

    fputs("<B>", out);
    if (box->kind != FSD_BOX_ITEMS) {
        fsd_put_label_text(out, fsd_text(s->names, fsd_box_port(w, box)->name), NAME);
        fputs("</B>", out);
        return;
    }
    n = &s->nodes.at[fsd_item(w, box, 0)];
    fputs(box->tint == REMOVED ? "\xe2\x88\x92 " : box->tint == ADDED ? "+ " : "", out);
    fsd_put_label_text(out, fsd_text(s->names, n->op), NAME);
    fputs("</B><BR/>" FSD_SMALL, out);
    fsd_put_label_text(out, fsd_text(s->names, n->key), NAME);
    fputs("</FONT>", out);
    for (uint32_t i = 1; box->tint == CHANGED && box->side == FSD_SIDE_RIGHT &&
                         i < box->items.n && i <= SHOWN;
         i++) {
        fputs("<BR/><FONT POINT-SIZE=\"8\" COLOR=\"#d55e00\">", out);
        put_change(&e->changes.at[fsd_item(w, box, i)], fsd_put_label_text, out);
        fputs("</FONT>", out);
    }
    if (box->items.n > SHOWN + 1 && box->side == FSD_SIDE_RIGHT)
        fprintf(out, "<BR/>" FSD_SMALL "and %u more changes</FONT>",
                box->items.n - 1 - SHOWN);
}

/* Its name and all that changed of it. */
static void put_tip(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    const struct fsd_state *s = fsd_box_state(w, box);
    const struct fsd_exports *e = scene_of(w)->e;

    if (box->kind != FSD_BOX_ITEMS) {
        fsd_put_tip_text(out, fsd_text(s->names, fsd_box_port(w, box)->name), TIP);
        return;
    }
    fsd_put_tip_text(out, fsd_text(s->names, s->nodes.at[fsd_item(w, box, 0)].key),
                     TIP);
    for (uint32_t i = 1; box->tint == CHANGED && i < box->items.n && i <= LISTED; i++) {
        fputs("\\n", out);
        put_change(&e->changes.at[fsd_item(w, box, i)], fsd_put_tip_text, out);
    }
}

static void put_wire_label(const struct fsd_drawing *w, const struct fsd_line *wire,
                           FILE *out)
{
    (void)w;
    if (wire->type[0] != FSD_DTYPE_UNKNOWN)
        fputs(fsd_dtype_name((enum fsd_dtype)wire->type[0]), out);
}

static void put_legend(const struct fsd_drawing *w, FILE *out)
{
    static const char *const words[] = {"same", "changed", "\xe2\x88\x92 only in old",
                                        "+ only in new"};
    const struct scene *scene = scene_of(w);
    const struct fsd_exports *e = scene->e;

    fputs(FSD_LEGEND_BEGIN "<TR><TD ALIGN=\"LEFT\">", out);
    fsd_put_title(e->before->model_path, e->after->model_path, true, out);
    fprintf(out, "%u computing ", e->aligned);
    fputs(e->aligned == 1 ? "node in both" : "nodes in both", out);
    for (unsigned i = 0; i < FSD__EXPORT_COUNT; i++)
        if (e->by_what[i])
            fprintf(out, ", %s %u", fsd_export_what_name(i), e->by_what[i]);
    if (!e->changes.n)
        fputs("; no difference", out);
    else if (scene->drawn < e->changes.n)
        fprintf(out, "; drawn: the first %u of %u changes and what is next to them",
                scene->drawn, e->changes.n);
    else if (scene->drawn != UINT32_MAX)
        fputs("; drawn: what changed and what is next to it", out);
    fputs("</TD></TR><TR><TD ALIGN=\"LEFT\">" FSD_LEGEND_BEGIN "<TR>", out);
    for (unsigned i = SAME; i <= ADDED; i++)
        fsd_put_key(look_of(i), "ROUNDED", words[i], out);
    fsd_put_line_keys(w, out);
    fputs(FSD_LEGEND_END "</TD></TR>" FSD_LEGEND_END, out);
}

static const struct fsd_painter painter = {
    .sides = {{"old", "old export", 2, {"o", "oi", "ot", "ob", "om"}},
              {"new", "new export", 2, {"n", "ni", "nt", "nb", "nm"}}},
    .put_legend = put_legend,
    .look = look,
    .put_label = put_label,
    .put_tip = put_tip,
    .put_wire_label = put_wire_label,
    .tie_width = "1",
    .port_labels = true,
};

/* ------------------------------------------------------------------------ drawing */

struct side {
    struct fsd_drawing *w;
    const struct fsd_export *export;
    const struct fsd_state *s;
    enum fsd_side side;
    uint8_t *mark;            /* by node */
    bool *drawn;              /* by node */
    fsd_id *box;              /* by node; FSD_NONE */
    fsd_id *inputs;           /* by input: its box */
    fsd_id *reach;            /* by node: the first box that leads past it */
    struct fsd_lists changes; /* by node */
};

static bool is_core(const struct fsd_state *s, fsd_id at)
{
    return fsd_state_role_of(s, at) == FSD_ROLE_CORE;
}

/* What is quantized on the way to an input, else the type that is read. */
static enum fsd_dtype type_on_path(const struct side *x, fsd_id tensor)
{
    const struct fsd_graph *g = x->export->model;
    const struct fsd_facts *f = x->export->facts;
    fsd_id node = fsd_tensor_producer(
        g, fsd_walk_back_over(g, tensor, f->traits, FSD_OP_QUANTIZE | FSD_OP_VIEW));

    return fsd_tensor_form(g, fsd_traits_of(f, node) & FSD_OP_DEQUANTIZE
                                  ? fsd_node_in_tensor(g, node, 0)
                                  : tensor)
        ->type;
}

static void add_wire(struct side *x, fsd_id from, fsd_id to, enum fsd_dtype type)
{
    fsd_drawing_add_line(x->w, FSD_WIRE,
                         (struct fsd_line){.from = from,
                                           .to = to,
                                           .from_port = FSD_NONE,
                                           .to_port = FSD_NONE,
                                           .n = 1,
                                           .type = {(uint8_t)type, (uint8_t)type}});
}

static fsd_id input_box(struct side *x, uint32_t port)
{
    if (x->inputs[port] == FSD_NONE)
        x->inputs[port] = fsd_drawing_add_box(
            x->w, (struct fsd_box){.side = x->side, .kind = FSD_BOX_INPUT}, port);
    return x->inputs[port];
}

/* What changed of each node, and whether it is drawn for that. */
static void take_changes(struct side *x, const struct fsd_exports *e, uint32_t most)
{
    bool new = x->side == FSD_SIDE_RIGHT;
    const struct fsd_export_change *first = e->changes.at;

    x->changes = fsd_lists_new(x->w->arena,
                               !first ? NULL
                               : new  ? &first->new
                                      : &first->old,
                               sizeof *first, e->changes.n, x->s->nodes.n);
    for (uint32_t i = 0; i < e->changes.n; i++) {
        const struct fsd_export_change *c = &e->changes.at[i];
        fsd_id node = new ? c->new : c->old;

        if (node == FSD_NONE)
            continue;
        x->mark[node] = c->what == FSD_EXPORT_REMOVED ? REMOVED
                        : c->what == FSD_EXPORT_ADDED ? ADDED
                                                      : CHANGED;
        x->drawn[node] |= i < most;
    }
}

/* What is next to a change. */
static void take_neighbours(struct side *x)
{
    FSD_VEC(struct fsd_near_pair) pairs = {0};

    for (fsd_id i = 0; i < x->s->nodes.n; i++) {
        struct fsd_span in = x->s->nodes.at[i].core_in;

        for (uint32_t k = 0; is_core(x->s, i) && k < in.n; k++) {
            fsd_id at = fsd_origin_node(x->s->sources.at[in.at + k].at);

            if (is_core(x->s, at))
                fsd_vec_push(x->w->arena, &pairs, ((struct fsd_near_pair){at, i}));
        }
    }
    fsd_near_grow_pairs(
        &(struct fsd_near){
            .arena = x->w->arena, .in = x->drawn, .n = x->s->nodes.n, .depth = 1},
        pairs.at, pairs.n);
}

static void add_boxes(struct side *x)
{
    for (fsd_id i = 0; i < x->s->nodes.n; i++) {
        if (!x->drawn[i])
            continue;
        x->box[i] = fsd_drawing_add_box(x->w,
                                        (struct fsd_box){.side = x->side,
                                                         .kind = FSD_BOX_ITEMS,
                                                         .tint = x->mark[i]},
                                        i);
        for (uint32_t k = 0; k < x->changes.of[i].n; k++)
            fsd_drawing_add_item(x->w, x->changes.ids[x->changes.of[i].at + k]);
    }
}

/* Nodes stand in the order of the file, so that sources are reached before readers. */
static void add_lines(struct side *x, bool whole)
{
    for (fsd_id i = 0; i < x->s->nodes.n; i++) {
        const struct fsd_state_node *n = &x->s->nodes.at[i];
        fsd_id node = x->s->number_of[i];

        x->reach[i] = x->box[i];
        for (uint32_t k = 0; is_core(x->s, i) && k < n->core_in.n; k++) {
            struct fsd_origin from = x->s->sources.at[n->core_in.at + k].at;
            fsd_id at = fsd_origin_node(from);
            uint32_t input = fsd_origin_input(from);
            fsd_id tensor = fsd_node_in_tensor(x->export->model, node, k);

            if (input != FSD_NONE && x->drawn[i])
                add_wire(x, input_box(x, input), x->box[i], type_on_path(x, tensor));
            if (!is_core(x->s, at))
                continue;
            if (x->drawn[i] && x->drawn[at])
                add_wire(x, x->box[at], x->box[i], type_on_path(x, tensor));
            else if (x->drawn[i])
                fsd_drawing_add_line(
                    x->w, FSD_THREAD,
                    (struct fsd_line){.from = x->reach[at], .to = x->box[i]});
            else if (x->reach[i] == FSD_NONE)
                x->reach[i] = x->reach[at];
        }
    }
    for (uint32_t i = 0; whole && i < x->s->outputs.n; i++) {
        fsd_id at = fsd_origin_node(x->s->outputs.at[i].core_from.at);

        if (is_core(x->s, at))
            add_wire(
                x, x->box[at],
                fsd_drawing_add_box(
                    x->w, (struct fsd_box){.side = x->side, .kind = FSD_BOX_OUTPUT}, i),
                FSD_DTYPE_UNKNOWN);
    }
}

static struct side draw_side(struct fsd_drawing *w, const struct fsd_exports *e,
                             uint32_t most, bool new)
{
    const struct fsd_state *s = new ? e->after : e->before;
    struct side x = {.w = w,
                     .export = new ? &e->new : &e->old,
                     .s = s,
                     .side = new ? FSD_SIDE_RIGHT : FSD_SIDE_LEFT,
                     .mark = FSD_NEW(w->arena, uint8_t, s->nodes.n),
                     .drawn = FSD_NEW(w->arena, bool, s->nodes.n),
                     .box = fsd_ids_new(w->arena, s->nodes.n),
                     .inputs = fsd_ids_new(w->arena, s->inputs.n),
                     .reach = fsd_ids_new(w->arena, s->nodes.n)};

    take_changes(&x, e, most);
    for (fsd_id i = 0; i < s->nodes.n && most == UINT32_MAX; i++)
        x.drawn[i] |= is_core(s, i);
    if (most != UINT32_MAX)
        take_neighbours(&x);
    add_boxes(&x);
    add_lines(&x, most == UINT32_MAX);
    return x;
}

static struct fsd_drawing *draw(const struct fsd_exports *e, uint32_t most,
                                struct fsd_arena *arena)
{
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct scene *scene = FSD_NEW(arena, struct scene, 1);
    struct side old, new;

    *scene = (struct scene){{{e->before, e->after}}, e, most};
    *w = (struct fsd_drawing){.arena = arena, .painter = &painter, .of = scene};
    old = draw_side(w, e, most, false);
    new = draw_side(w, e, most, true);
    for (fsd_id i = 0; i < e->before->nodes.n; i++) {
        fsd_id counterpart = e->align->to_new[i];

        if (counterpart != FSD_NONE)
            fsd_drawing_add_line(w, FSD_TIE,
                                 (struct fsd_line){.from = old.box[i],
                                                   .to = new.box[counterpart],
                                                   .loose = !new.mark[counterpart]});
    }
    for (int kind = 0; kind < FSD__LINE_COUNT; kind++)
        fsd_drawing_sort_lines(w, (enum fsd_line_kind)kind);
    return w;
}

/* --------------------------------------------------------------------------- plan */

struct job {
    struct fsd_plan plan; /* first */
    const struct fsd_exports *e;
    struct fsd_arena *arena;
    uint32_t most; /* changes that are drawn; UINT32_MAX: everything is */
};

/* From everything to what changed, and then half as many changes each time. */
static bool simplify(struct fsd_plan *plan)
{
    struct job *job = (struct job *)(void *)plan;

    if (plan->last)
        return false;
    job->most = job->most == UINT32_MAX ? job->e->changes.n : job->most / 2;
    plan->last = job->most <= 1;
    plan->drawing = draw(job->e, job->most, job->arena);
    snprintf(plan->less, sizeof plan->less,
             "drawn are %u of %u changes and what is next to them (-f dot draws all)",
             job->most, job->e->changes.n);
    return true;
}

enum fsd_status fsd_exports_write_picture(const struct fsd_exports *e,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err)
{
    const struct fsd_picture *want = fsd_wanted_picture(style);
    struct job job = {
        .plan = {.want = want, .simplify = simplify, .most_ends = MOST_ENDS},
        .e = e,
        .arena = fsd_arena_new(),
        .most = style->all ? UINT32_MAX : e->changes.n};
    enum fsd_status status = FSD_OK;

    if (want->around || (want->only && strcmp(want->only, "changes") != 0))
        status = fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                          "expected --only changes or --all of a picture of two "
                          "models, found '%.80s'",
                          want->around ? want->around : want->only);
    if (status == FSD_OK) {
        job.plan.drawing = draw(e, job.most, job.arena);
        status = fsd_plan_write(&job.plan, format, out, err);
    }
    fsd_arena_free(job.arena);
    return status;
}
