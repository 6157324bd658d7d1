/*
 * Prints a drawing as DOT.
 *
 *     digraph  >  n30, n31, n32, l12                             attributes of boxes
 *              >  cluster_model   >  cluster_l12  >  n30, n31    places of boxes
 *                                 >  n32
 *              >  cluster_engine  >  l12
 *              >  n30 -> n31, ...                                lines
 *
 * All boxes come first, in the order of the drawing, because Graphviz's layout depends
 * on their order. With the boxes in the order of the clusters, a layout was 1.5 times
 * as wide.
 *
 * The name of a box consists of the number of a node, layer or tensor ("n30", "l12").
 * It never contains a name of the model. It is therefore valid, and equal in every run.
 *
 * Attributes are printed unchanged. The painters have already escaped all texts
 * (paint.c), and no other value contains a quote or a backslash.
 */
#include "base/base.h"
#include "report/picture/drawing.h"

/* The default attributes of a box. */
static const struct fsd_box_style usual = {"box", "rounded,filled", "#ffffff",
                                           "#555555", "1"};

/* Prints the attributes of the graph, and two invisible points.
 *
 * Each label of a wire has its own rank between two boxes. With labels, the space
 * `ranksep` occurs twice between the boxes, so `ranksep` is then smaller.
 *
 * In an SVG, Graphviz replaces the id "\N" by the name of a box. It replaces the id
 * "\T_\H" by the names of a line's two boxes.
 *
 * Each side has an invisible point at its top, in the first rank. A line from the left
 * point to the right point keeps the left side on the left. */
static void put_graph(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    const struct fsd_side_words *sides = w->painter->sides;

    fprintf(out,
            "digraph fusiondiff {\n"
            "\tgraph [charset=\"UTF-8\" rankdir=\"TB\" compound=\"true\" "
            "newrank=\"true\" nodesep=\"0.15\" ranksep=\"%s\" pad=\"0.1\" "
            "bgcolor=\"#ffffff\" fontname=\"Helvetica\" fontsize=\"10\" "
            "labelloc=\"t\" labeljust=\"l\"%s]\n"
            "\tnode [id=\"\\N\" shape=\"%s\" style=\"%s\" fillcolor=\"%s\" "
            "color=\"%s\" penwidth=\"%s\" height=\"0.3\" margin=\"0.08,0.03\" "
            "fontname=\"Helvetica\" fontsize=\"10\"]\n"
            "\tedge [id=\"\\T_\\H\" fontname=\"Helvetica\" fontsize=\"8\" "
            "fontcolor=\"#444444\" arrowsize=\"0.6\"]\n"
            "\tlabel=<",
            wire_labels ? "0.1" : "0.25", w->straight ? " splines=\"line\"" : "",
            usual.shape, usual.style, usual.fill, usual.line, usual.width);
    w->painter->put_legend(w, out);
    fputs(">\n", out);
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

/* ------------------------------------------------------------------------ boxes */

/* Prints the name of a box: "l12". */
static void put_name(const struct fsd_drawing *w, fsd_id id, FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];
    char room[FSD_DIGITS];

    fputs(w->painter->sides[box->side].prefixes[box->kind], out);
    fputs(fsd_digits(fsd_item(w, box, 0), room), out);
}

/* Whether a box is drawn in a cluster. A cluster of one box is not drawn, because it
 * would be a second frame around the box. */
static bool in_cluster(const struct fsd_drawing *w, const struct fsd_box *box)
{
    const struct fsd_box *owner = fsd_drawing_owner(w, box);

    return owner && owner->members > 1;
}

static void put_box(const struct fsd_drawing *w, fsd_id id, FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];
    struct fsd_box_style look = w->painter->look(w, box);
    const char *const attributes[][3] = {
        {"shape", look.shape, usual.shape},
        {"style", look.style, usual.style},
        /* A cluster itself has the fill color, so a box in it has the usual fill. Only
         * a dashed box keeps its own fill. */
        {"fillcolor",
         in_cluster(w, box) && !strstr(look.style, "dashed") ? usual.fill : look.fill,
         usual.fill},
        {"color", look.line, usual.line},
        {"penwidth", look.width, usual.width},
    };

    putc('\t', out);
    put_name(w, id, out);
    fputs(" [", out);
    for (size_t i = 0; i < FSD_COUNT_OF(attributes); i++)
        if (strcmp(attributes[i][1], attributes[i][2]) != 0)
            fprintf(out, "%s=\"%s\" ", attributes[i][0], attributes[i][1]);
    fputs("label=<", out);
    w->painter->put_label(w, box, out);
    fputs("> tooltip=\"", out);
    w->painter->put_tip(w, box, out);
    fputs("\"]\n", out);
}

/* Prints a cluster. Its id is printed in full, because DOT has no escape for the name
 * of a cluster.
 * @param next by member: the next member of the cluster */
static void put_cluster(const struct fsd_drawing *w, fsd_id id, fsd_id first,
                        const fsd_id *next, FILE *out)
{
    const struct fsd_box *box = &w->boxes.at[id];
    struct fsd_box_style look = w->painter->look(w, box);

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
    for (fsd_id m = first; m != FSD_NONE; m = next[m]) {
        fputs("\t\t\t", out);
        put_name(w, m, out);
        putc('\n', out);
    }
    fputs("\t\t}\n", out);
}

/* The members of each cluster as a linked list, and the frames that are not empty. */
struct places {
    fsd_id *first; /* by box that owns a cluster: the first member of the cluster */
    fsd_id *next;  /* by member: the next member of its cluster */
    bool *holds;   /* by frame: whether the frame contains a box of this side, directly
                      or in an inner frame */
};

static struct places places_of(const struct fsd_drawing *w, enum fsd_side side)
{
    struct places p = {.first = fsd_ids_new(w->arena, w->boxes.n),
                       .next = fsd_ids_new(w->arena, w->boxes.n),
                       .holds = FSD_NEW(w->arena, bool, w->frames.n)};

    for (fsd_id b = w->boxes.n; b-- > 0;) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (box->side == side && w->frames.n)
            p.holds[box->frame] = true;
        if (box->cluster == FSD_NONE)
            continue;
        p.next[b] = p.first[box->cluster];
        p.first[box->cluster] = b;
    }
    for (fsd_id f = w->frames.n; f-- > 1;)
        p.holds[w->frames.at[f].parent] |= p.holds[f];
    return p;
}

/* Prints the boxes of a frame. A cluster is at the place of its first box. */
static void put_boxes(const struct fsd_drawing *w, enum fsd_side side, fsd_id frame,
                      const struct places *p, FILE *out)
{
    for (fsd_id b = 0; b < w->boxes.n; b++) {
        const struct fsd_box *box = &w->boxes.at[b];

        if (box->side != side || box->frame != frame)
            continue;
        if (!in_cluster(w, box)) {
            fputs("\t\t", out);
            put_name(w, b, out);
            putc('\n', out);
        } else if (p->first[box->cluster] == b) {
            put_cluster(w, box->cluster, b, p->next, out);
        }
    }
}

/* Prints the frames within `parent`. They follow `parent` in the list, so the search
 * begins there. NOLINTNEXTLINE(misc-no-recursion): as deep as control flow is nested */
static void put_frames(const struct fsd_drawing *w, enum fsd_side side, fsd_id parent,
                       const struct places *p, FILE *out)
{
    const char *name = w->painter->sides[side].name;

    for (fsd_id f = parent + 1; f < w->frames.n; f++) {
        if (w->frames.at[f].parent != parent || !p->holds[f])
            continue;
        fprintf(out,
                "\t\tsubgraph cluster_%s_body%u {\n"
                "\t\tgraph [id=\"%s_body_%u\" style=\"rounded,dashed\" "
                "color=\"#777777\" label=<%s>]\n",
                name, f, name, f, w->frames.at[f].title);
        put_boxes(w, side, f, p, out);
        put_frames(w, side, f, p, out);
        fputs("\t\t}\n", out);
    }
}

static void put_side(const struct fsd_drawing *w, enum fsd_side side, FILE *out)
{
    const struct fsd_painter *painter = w->painter;
    const struct fsd_side_words *words = &painter->sides[side];
    const char *label =
        painter->side_label ? painter->side_label(w, side) : words->label;
    struct places p = places_of(w, side);

    fprintf(out,
            "\tsubgraph cluster_%s {\n"
            "\t\tgraph [id=\"side_%s\" style=\"rounded,filled\" fillcolor=\"#fcfcfc\" "
            "color=\"#bbbbbb\" label=\"%s\"]\n"
            "\t\t%s\n",
            words->name, words->name, label, words->name);
    put_boxes(w, side, 0, &p, out);
    put_frames(w, side, 0, &p, out);
    fputs("\t}\n", out);
}

/* ------------------------------------------------------------------------ lines */

/* Prints the attributes of a wire. The wire has a label if the types at its ends
 * differ. With `wire_labels`, it also has a label if the types are equal, unless the
 * wire is within a fused layer: the tensor is then not in memory.
 *
 * Without painter->port_labels, a wire from or to the box of an input, an output or a
 * tensor never has a label, because the box shows the form. */
static void put_wire(const struct fsd_drawing *w, const struct fsd_line *wire,
                     bool wire_labels, FILE *out)
{
    const struct fsd_box *from = &w->boxes.at[wire->from], *to = &w->boxes.at[wire->to];
    const char *first = fsd_type_color(wire->type[0]);
    const char *second = fsd_type_color(wire->type[1]);
    bool port = from->kind != FSD_BOX_ITEMS || to->kind != FSD_BOX_ITEMS;
    bool within = from->cluster != FSD_NONE && from->cluster == to->cluster;

    fprintf(out, strcmp(first, second) ? "color=\"%s;0.5:%s\"" : "color=\"%s\"", first,
            second);
    fprintf(out, " penwidth=\"%s\" weight=\"%u\"", fsd_type_width(wire->type[0]),
            w->painter->sides[from->side].weight);
    if (wire->derived)
        fputs(" style=\"dashed\" tooltip=\"this line is derived from "
              "the model, because the engine's tensors are not known\"",
              out);
    if ((w->painter->port_labels || !port) &&
        (wire->type[0] != wire->type[1] || (wire_labels && !within))) {
        fputs(" label=\"", out);
        w->painter->put_wire_label(w, wire, out);
        putc('"', out);
    }
    if (w->painter->put_wire_tip) {
        fputs(" tooltip=\"", out);
        w->painter->put_wire_tip(w, wire, out);
        putc('"', out);
    }
}

/* Prints a tie. The tie from a cluster to its layer keeps both side by side. */
static void put_tie(const struct fsd_drawing *w, const struct fsd_line *tie, FILE *out)
{
    const char *tip = tie->loose  ? w->painter->loose_tip
                      : tie->part ? "this layer computes a part of the node"
                                  : NULL;

    fprintf(out, "color=\"%s\" penwidth=\"%s\" arrowhead=\"none\" style=\"%s\"",
            w->painter->tie_color ? w->painter->tie_color(w, tie)
                                  : w->painter->look(w, &w->boxes.at[tie->to]).line,
            w->painter->tie_width,
            tie->loose  ? "dotted"
            : tie->part ? "dashed"
                        : "bold");
    fputs(tie->part ? " constraint=\"false\"" : " minlen=\"0\" weight=\"3\"", out);
    if (!tie->part && w->boxes.at[tie->to].members > 1) {
        fputs(" ltail=\"cluster_", out);
        put_name(w, tie->to, out);
        putc('"', out);
    }
    if (tip)
        fprintf(out, " tooltip=\"%s\"", tip);
}

/* Whether a box without an incoming line keeps its place. If not, it needs an invisible
 * line from the top of its side.
 *
 * A wire to a consumer (`leads`) keeps a box above the consumer. But a box in a cluster
 * still needs the invisible line, because the cluster could move the box. So does a box
 * that is not an FSD_BOX_ITEMS. */
static bool stands_free(const struct fsd_drawing *w, fsd_id b, const bool *leads)
{
    const struct fsd_box *box = &w->boxes.at[b];

    return leads[b] && box->kind == FSD_BOX_ITEMS && !in_cluster(w, box);
}

/* Prints all lines. Graphviz would put a box without an incoming line into the first
 * rank, where the box is in the way of ties. An invisible line from the top of its side
 * therefore holds the box in a lower rank.
 *
 * Graphviz keeps room for such a line in each rank that the line crosses: sixty
 * invisible lines leave a third of a picture blank. A box for which stands_free() is
 * true therefore gets none. */
static void put_lines(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    static const char *const same[FSD__LINE_COUNT] = {
        [FSD_THREAD] =
            "color=\"#999999\" penwidth=\"1.5\" style=\"dotted\" arrowhead=\"none\" "
            "tooltip=\"the tensors between these boxes are not shown or not known\"",
        [FSD_HOLD] = "style=\"invis\" weight=\"0\""};
    bool *led_to = FSD_NEW(w->arena, bool, w->boxes.n);
    bool *leads = FSD_NEW(w->arena, bool, w->boxes.n);

    for (int kind = 0; kind < FSD__LINE_COUNT; kind++)
        FSD_EACH (const struct fsd_line, line, w->lines[kind]) {
            led_to[line->to] |= kind == FSD_WIRE || kind == FSD_THREAD;
            leads[line->from] |= kind == FSD_WIRE;
            putc('\t', out);
            put_name(w, line->from, out);
            fputs(" -> ", out);
            put_name(w, line->to, out);
            fputs(" [", out);
            if (kind == FSD_WIRE)
                put_wire(w, line, wire_labels, out);
            else if (kind == FSD_TIE)
                put_tie(w, line, out);
            else
                fputs(same[kind], out);
            fputs("]\n", out);
        }
    for (fsd_id b = 0; w->painter->hangs && b < w->boxes.n; b++) {
        if (led_to[b] || stands_free(w, b, leads))
            continue;
        fprintf(out, "\t%s -> ", w->painter->sides[w->boxes.at[b].side].name);
        put_name(w, b, out);
        fputs(" [style=\"invis\" weight=\"0\"]\n", out);
    }
}

void fsd_dot_print(const struct fsd_drawing *w, bool wire_labels, FILE *out)
{
    put_graph(w, wire_labels, out);
    for (fsd_id b = 0; b < w->boxes.n; b++)
        put_box(w, b, out);
    for (int side = 0; side < FSD__SIDE_COUNT; side++)
        put_side(w, (enum fsd_side)side, out);
    put_lines(w, wire_labels, out);
    fputs("}\n", out);
}

/* DOT needs no layout, so it is always available. */
enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err)
{
    if (!format)
        fsd_plan_print(plan, out);
    else if (strcmp(format, "dot") != 0)
        return fsd_plan_lay_out(plan, format, out, err);
    else
        fsd_dot_print(plan->drawing, true, out);
    return FSD_OK;
}
