/*
 * A drawing as DOT.
 *
 *     digraph  >  n30, n31, n32, l12                 what they are
 *              >  cluster_model   >  cluster_l12  >  n30, n31
 *                                 >  n32              where they stand
 *              >  cluster_engine  >  l12
 *              >  n30 -> n31, ...
 *
 * The boxes come first and in the drawing's order: where Graphviz's layout ends depends
 * on the order that it starts from, and by clusters it would be half as wide again.
 *
 * Names are made from the numbers of nodes, layers and tensors ("n30", "l12"), never
 * from the model's names, so they are valid and stay the same between runs.  Texts come
 * escaped from the painters (paint.c), and nothing else may hold a quote or
 * a backslash, so attributes are printed as they are.
 */
#include "report/picture/drawing.h"

#include <string.h>

/* What a box has unless it says otherwise. */
static const struct fsd_look usual = {"box", "rounded,filled", "#ffffff", "#555555",
                                      "1"};

/* Labels of wires stand in ranks of their own, so the space between ranks counts twice
 * with them.  The id "\N" gives an SVG the box's name, "\T_\H" the ends of a wire. */
static void put_graph(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    fprintf(out,
            "digraph fusiondiff {\n"
            "\tgraph [charset=\"UTF-8\" rankdir=\"TB\" compound=\"true\" "
            "newrank=\"true\" nodesep=\"0.15\" ranksep=\"%s\" pad=\"0.1\" "
            "bgcolor=\"#ffffff\" fontname=\"Helvetica\" fontsize=\"10\" "
            "labelloc=\"t\" labeljust=\"l\"]\n"
            "\tnode [id=\"\\N\" shape=\"%s\" style=\"%s\" fillcolor=\"%s\" "
            "color=\"%s\" penwidth=\"%s\" height=\"0.3\" margin=\"0.08,0.03\" "
            "fontname=\"Helvetica\" fontsize=\"10\"]\n"
            "\tedge [id=\"\\T_\\H\" fontname=\"Helvetica\" fontsize=\"8\" "
            "fontcolor=\"#444444\" arrowsize=\"0.6\"]\n"
            "\tlabel=<",
            wire_labels ? "0.1" : "0.25", usual.shape, usual.style, usual.fill,
            usual.line, usual.width);
    w->painter->put_legend(w, out);
    fputs(">\n", out);
}

/* ------------------------------------------------------------------------ boxes */

/* "l12" */
static void put_name(const struct fsd_drawing *w, fsd_id id, FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];

    fprintf(out, "%s%u", w->painter->sides[box->side].prefixes[box->kind],
            w->items.at[box->items.at]);
}

static void put_unusual(const char *name, const char *value, const char *otherwise,
                        FILE *out)
{
    if (strcmp(value, otherwise) != 0)
        fprintf(out, "%s=\"%s\" ", name, value);
}

static bool in_cluster(const struct fsd_drawing *w, const struct fsd_box *box)
{
    return box->cluster != FSD_NONE && w->boxes.at[box->cluster].members > 1;
}

static void put_box(const struct fsd_drawing *w, fsd_id id, FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];
    struct fsd_look look = w->painter->look(w, box);

    if (in_cluster(w, box) && !strstr(look.style, "dashed"))
        look.fill = usual.fill; /* the cluster has its colour */
    putc('\t', out);
    put_name(w, id, out);
    fputs(" [", out);
    put_unusual("shape", look.shape, usual.shape, out);
    put_unusual("style", look.style, usual.style, out);
    put_unusual("fillcolor", look.fill, usual.fill, out);
    put_unusual("color", look.line, usual.line, out);
    put_unusual("penwidth", look.width, usual.width, out);
    fputs("label=<", out);
    w->painter->put_label(w, box, out);
    fputs("> tooltip=\"", out);
    w->painter->put_tip(w, box, out);
    fputs("\"]\n", out);
}

/* By box, of lists that hang on a cluster's box: the next of the list. */
struct chains {
    fsd_id *first, *last, *next;
};

static struct chains chain_members(const struct fsd_drawing *w)
{
    struct chains c = {fsd_none_of(w->arena, w->boxes.n),
                       fsd_none_of(w->arena, w->boxes.n),
                       fsd_none_of(w->arena, w->boxes.n)};

    for (fsd_id b = 0; b < w->boxes.n; b++) {
        fsd_id owner = w->boxes.at[b].cluster;

        if (owner == FSD_NONE)
            continue;
        *(c.first[owner] == FSD_NONE ? &c.first[owner] : &c.next[c.last[owner]]) = b;
        c.last[owner] = b;
    }
    return c;
}

/* An "id" of its own, since no escape gives the name of a cluster. */
static void put_cluster(const struct fsd_drawing *w, fsd_id id, const struct chains *c,
                        FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];
    struct fsd_look look = w->painter->look(w, box);

    fputs("\t\tsubgraph cluster_", out);
    put_name(w, id, out);
    fputs(" {\n\t\t\tgraph [id=\"of_", out);
    put_name(w, id, out);
    fprintf(out,
            "\" style=\"rounded,filled\" fillcolor=\"%s\" color=\"%s\" label=\"\" "
            "tooltip=\"",
            look.fill, look.line);
    w->painter->put_tip(w, box, out);
    fputs("\"]\n", out);
    for (fsd_id m = c->first[id]; m != FSD_NONE; m = c->next[m]) {
        fputs("\t\t\t", out);
        put_name(w, m, out);
        putc('\n', out);
    }
    fputs("\t\t}\n", out);
}

/* A cluster stands where its first box would. */
static void put_side(const struct fsd_drawing *w, enum fsd_side side, FILE *out)
{
    const struct fsd_side_words *words = &w->painter->sides[side];
    struct chains chains = chain_members(w);

    fprintf(out,
            "\tsubgraph cluster_%s {\n"
            "\t\tgraph [id=\"side_%s\" style=\"rounded,filled\" fillcolor=\"#fcfcfc\" "
            "color=\"#bbbbbb\" label=\"%s\"]\n"
            "\t\t%s\n",
            words->name, words->name, words->label, words->name);
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (box->side != side)
            continue;
        if (!in_cluster(w, box)) {
            fputs("\t\t", out);
            put_name(w, b, out);
            putc('\n', out);
        } else if (chains.first[box->cluster] == b) {
            put_cluster(w, box->cluster, &chains, out);
        }
    }
    fputs("\t}\n", out);
}

/* ------------------------------------------------------------------------ lines */

static void begin_line(const struct fsd_drawing *w, fsd_id from, fsd_id to, FILE *out)
{
    putc('\t', out);
    put_name(w, from, out);
    fputs(" -> ", out);
    put_name(w, to, out);
    fputs(" [", out);
}

/* Within a fused layer no tensor is written: what it would be there is in the tooltip.
 * What is a box of its own says itself what it is. */
static bool wants_label(const struct fsd_drawing *w, const struct fsd_wire *wire,
                        bool wire_labels)
{
    const struct fsd_box *from = &w->boxes.at[wire->from], *to = &w->boxes.at[wire->to];

    if (!w->painter->port_labels &&
        (from->kind != FSD_BOX_ITEMS || to->kind != FSD_BOX_ITEMS))
        return false;
    return wire->type[0] != wire->type[1] ||
           (wire_labels && (from->cluster == FSD_NONE || from->cluster != to->cluster));
}

static void put_wire(const struct fsd_drawing *w, const struct fsd_wire *wire,
                     bool wire_labels, FILE *out)
{
    const char *from = fsd_type_color(wire->type[0]),
               *to = fsd_type_color(wire->type[1]);

    begin_line(w, wire->from, wire->to, out);
    fprintf(out, strcmp(from, to) ? "color=\"%s;0.5:%s\"" : "color=\"%s\"", from, to);
    fprintf(out, " penwidth=\"%s\" weight=\"%u\"", fsd_type_width(wire->type[0]),
            w->painter->sides[w->boxes.at[wire->from].side].weight);
    if (wants_label(w, wire, wire_labels)) {
        fputs(" label=\"", out);
        w->painter->put_wire_label(w, wire, out);
        putc('"', out);
    }
    if (w->painter->put_wire_tip) {
        fputs(" tooltip=\"", out);
        w->painter->put_wire_tip(w, wire, out);
        putc('"', out);
    }
    fputs("]\n", out);
}

/* From the cluster to its layer, which it keeps beside it; only the one tie that a
 * cluster has does. */
static void put_tie(const struct fsd_drawing *w, const struct fsd_tie *tie, FILE *out)
{
    begin_line(w, tie->left, tie->right, out);
    fprintf(out, "color=\"%s\" penwidth=\"%s\" arrowhead=\"none\" style=\"%s\"",
            w->painter->tie_color(w, tie), w->painter->tie_width,
            tie->loose  ? "dotted"
            : tie->part ? "dashed"
                        : "bold");
    fputs(tie->part ? " constraint=\"false\"" : " minlen=\"0\" weight=\"3\"", out);
    if (!tie->part && w->boxes.at[tie->right].members > 1) {
        fputs(" ltail=\"cluster_", out);
        put_name(w, tie->right, out);
        putc('"', out);
    }
    if (tie->loose ? w->painter->loose_tip != NULL : tie->part)
        fprintf(out, " tooltip=\"%s\"",
                tie->loose ? w->painter->loose_tip : "computed in part by this layer");
    fputs("]\n", out);
}

static void put_lines(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    for (uint32_t i = 0; i < w->wires.n; i++)
        put_wire(w, &w->wires.at[i], wire_labels, out);
    for (uint32_t i = 0; i < w->ties.n; i++)
        put_tie(w, &w->ties.at[i], out);
    for (uint32_t i = 0; i < w->threads.n; i++) {
        begin_line(w, w->threads.at[i].from, w->threads.at[i].to, out);
        fputs("color=\"#999999\" penwidth=\"1.5\" style=\"dotted\" arrowhead=\"none\" "
              "tooltip=\"what leads there is not shown or not known\"]\n",
              out);
    }
    for (uint32_t i = 0; i < w->holds.n; i++) {
        begin_line(w, w->holds.at[i].from, w->holds.at[i].to, out);
        fputs("style=\"invis\" weight=\"0\"]\n", out);
    }
}

/* An invisible point heads each side.  Both stand side by side in the first rank, so
 * the left side is to the left. */
static void put_heads(const struct fsd_drawing *w, FILE *out)
{
    const struct fsd_side_words *sides = w->painter->sides;

    for (int side = 0; side < FSD__SIDE_COUNT; side++)
        fprintf(out,
                "\t%s [shape=\"point\" style=\"invis\" penwidth=\"0\" "
                "height=\"0.01\"]\n",
                sides[side].name);
    fprintf(out,
            "\tsubgraph anchors {\n\t\tgraph [rank=\"min\"]\n\t\t%s\n\t\t%s\n\t}\n"
            "\t%s -> %s [style=\"invis\" weight=\"100\"]\n",
            sides[0].name, sides[1].name, sides[0].name, sides[1].name);
}

/* What nothing leads to hangs below the heads: in their rank it would be in the way of
 * the ties. */
static void hang_loose_boxes(const struct fsd_drawing *w, FILE *out)
{
    bool *led_to = FSD_NEW(w->arena, bool, w->boxes.n);

    for (uint32_t i = 0; i < w->wires.n; i++)
        led_to[w->wires.at[i].to] = true;
    for (uint32_t i = 0; i < w->threads.n; i++)
        led_to[w->threads.at[i].to] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        if (led_to[b])
            continue;
        fprintf(out, "\t%s -> ", w->painter->sides[w->boxes.at[b].side].name);
        put_name(w, b, out);
        fputs(" [style=\"invis\" weight=\"0\"]\n", out);
    }
}

void fsd_dot_print(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    put_graph(w, wire_labels, out);
    put_heads(w, out);
    for (fsd_id b = 0; b < w->boxes.n; b++)
        put_box(w, b, out);
    for (int side = 0; side < FSD__SIDE_COUNT; side++)
        put_side(w, (enum fsd_side)side, out);
    put_lines(w, wire_labels, out);
    if (w->painter->hangs)
        hang_loose_boxes(w, out);
    fputs("}\n", out);
}

/* DOT is text and always there; what must be laid out may not be. */
enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err)
{
    if (strcmp(format, "dot") != 0)
        return fsd_plan_lay_out(plan, format, out, err);
    fsd_dot_print(plan->drawing, true, out);
    return FSD_OK;
}
