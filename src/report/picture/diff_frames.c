/*
 * Draws the bodies of If, Loop and Scan as frames around their nodes and layers, on
 * both sides:
 *
 *     frame "body of Loop_3"
 *       on the model's side   >  n7, n8
 *                             >  the cluster of l4, if all nodes of l4 are in the body
 *       on the engine's side  >  l4, if all nodes of l4 are in the body
 *
 * A frame is a scope of the model. A box with nodes of several bodies is in the
 * innermost frame that contains all of these bodies. The body of a function belongs to
 * the graph that calls the function.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"

enum { MAIN, FRAME_NAME = 40 };

/* The frame of a scope. A function has no frame of its own: it uses the frame of its
 * caller. */
static fsd_id frame_of(const struct fsd_graph *g, fsd_id scope)
{
    while (scope != MAIN && g->scopes.at[scope].kind != FSD_SCOPE_SUBGRAPH)
        scope = g->scopes.at[scope].parent;
    return scope;
}

static uint32_t depth_of(const struct fsd_drawing *w, fsd_id frame)
{
    uint32_t n = 0;

    for (; frame != MAIN; frame = w->frames.at[frame].parent)
        n++;
    return n;
}

/* The innermost frame around frames a and b; if one of them is FSD_NONE, the other
 * one. */
static fsd_id around(const struct fsd_drawing *w, fsd_id a, fsd_id b)
{
    if (a == FSD_NONE || b == FSD_NONE)
        return fsd_id_or(a, b);
    while (a != b) {
        bool deeper = depth_of(w, a) >= depth_of(w, b);

        *(deeper ? &a : &b) = w->frames.at[deeper ? a : b].parent;
    }
    return a;
}

/* The frame of a node or layer. A layer is in the innermost frame around its nodes. If
 * it computes an If or Loop and also other nodes, only the other nodes count, because
 * an If or Loop is outside of its own body. */
static fsd_id of_item(const struct fsd_drawing *w, const struct fsd_diff *d,
                      enum fsd_side side, fsd_id item)
{
    const struct fsd_graph *g = d->model;
    fsd_id frame = FSD_NONE, owners = FSD_NONE;

    if (side == FSD_SIDE_LEFT)
        return frame_of(g, g->nodes.at[item].scope);
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[item], node) {
        bool owns = d->facts->traits[node] & FSD_OP_CONTROL;
        fsd_id *of = owns ? &owners : &frame;

        *of = around(w, *of, frame_of(g, g->nodes.at[node].scope));
    }
    return fsd_id_or(frame, fsd_id_or(owners, MAIN));
}

static fsd_id of_box(const struct fsd_drawing *w, const struct fsd_diff *d,
                     const struct fsd_box *box)
{
    fsd_id frame = FSD_NONE;

    for (uint32_t i = 0; box->kind == FSD_BOX_ITEMS && i < box->items.n; i++)
        frame = around(w, frame, of_item(w, d, box->side, fsd_item(w, box, i)));
    return fsd_id_or(frame, MAIN);
}

/* The title of a frame: "then_branch of If_12". */
static const char *title_of(const struct fsd_graph *g, const struct fsd_scope *scope,
                            struct fsd_arena *arena)
{
    const struct fsd_node *owner = &g->nodes.at[scope->owner];
    const char *name = fsd_text(g->names, owner->name);
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    fsd_put_label_text(out, fsd_text(g->names, scope->label), FRAME_NAME);
    fputs(" of ", out);
    fsd_put_label_text(out, *name ? name : fsd_text(g->names, owner->op), FRAME_NAME);
    if (!*name)
        fprintf(out, " #%u", scope->owner);
    return fsd_print_take(&text, arena);
}

void fsd_diff_add_frames(struct fsd_drawing *w, const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;
    fsd_id *of_cluster = fsd_ids_new(w->arena, w->boxes.n); /* by box that owns a
                                                               cluster: the cluster's
                                                               frame */

    if (g == d->engine || g->scopes.n < 2)
        return;
    for (fsd_id i = 0; i < g->scopes.n; i++) {
        const struct fsd_scope *scope = &g->scopes.at[i];
        bool body = scope->kind == FSD_SCOPE_SUBGRAPH;

        fsd_vec_push(w->arena, &w->frames,
                     (struct fsd_frame){
                         .parent = i == MAIN ? FSD_NONE : frame_of(g, scope->parent),
                         .title = body ? title_of(g, scope, w->arena) : NULL});
    }
    FSD_EACH (struct fsd_box, box, w->boxes) {
        box->frame = of_box(w, d, box);
        if (box->cluster != FSD_NONE)
            of_cluster[box->cluster] = around(w, of_cluster[box->cluster], box->frame);
    }
    /* Graphviz draws a cluster in one piece, so all its boxes are in one frame. */
    FSD_EACH (struct fsd_box, box, w->boxes)
        box->frame = fsd_id_or(fsd_id_at(of_cluster, box->cluster), box->frame);
}
