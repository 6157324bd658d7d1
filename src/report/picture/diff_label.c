/* Labels and colors in a picture of a run. A node has the color of its layer. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"
#include "report/phrase/phrase.h"
#include "explain/values/values.h"

#include <stdlib.h>

enum {
    NAME_IN_BOX = 34, /* maximum number of characters of a name in a box */
    TITLE = 44,
    TACTIC = 60,
    NAME_IN_TIP = 400, /* maximum number of characters of a name in a tooltip */
    TIP_ITEMS = 12,
    TYPES = 24, /* maximum number of operator types that a shared box counts
                   separately */
    SHOWN_TYPES = 3
};

static const struct fsd_diff_scene *scene_of(const struct fsd_drawing *w)
{
    return w->of;
}

static const struct fsd_graph *graph_of(const struct fsd_drawing *w, enum fsd_side side)
{
    const struct fsd_diff *d = scene_of(w)->d;

    return side == FSD_SIDE_LEFT ? d->model : d->engine;
}

/* Whether the nodes come from a model file, not from the engine. */
static bool is_given(const struct fsd_diff *d)
{
    return !d->model->named_only && strcmp(d->model->path, d->engine->path) != 0;
}

/* ------------------------------------------------------------------------ looks */

/* The colors of layers and their nodes: a fill and a border. Adjacent layers have
 * different colors. The first color is for layers without a node in the picture. */
static const struct {
    const char *fill, *line;
} tones[] = {{"#f7f7f7", "#777777"}, {"#bbccee", "#4a6fa5"}, {"#eeeebb", "#99992e"},
             {"#ccddaa", "#6b8e3a"}, {"#ffcccc", "#b05c5c"}, {"#cceeff", "#2e86a8"},
             {"#e6d3ee", "#83609c"}};

static struct fsd_box_style tinted(unsigned tint, const char *style, const char *width)
{
    size_t tone = tint ? (tint - 1) % (FSD_COUNT_OF(tones) - 1) + 1 : 0;

    return (struct fsd_box_style){"box", style, tones[tone].fill, tones[tone].line,
                                  width};
}

static const struct fsd_box_style vanished_look = {"box", "rounded,filled,dashed",
                                                   "#f4f4f4", "#999999", "1"},
                                  unexplained_look = {"box", "rounded,filled,bold",
                                                      "#ffffff", "#cc0000", "2"};

static struct fsd_box_style box_style(const struct fsd_drawing *w,
                                      const struct fsd_box *box)
{
    const struct fsd_diff *d = scene_of(w)->d;
    const struct fsd_box *owner = fsd_drawing_owner(w, box);
    bool model = box->side == FSD_SIDE_LEFT, all = true;

    if (box->kind != FSD_BOX_ITEMS)
        return fsd_port_look;
    for (uint32_t i = 0; i < box->items.n && all; i++)
        all = model ? fsd_node_vanished(d, fsd_item(w, box, i))
                    : d->layers[fsd_item(w, box, i)].inserted;
    if (all)
        return model ? vanished_look : fsd_inserted_look;
    if (!model)
        return tinted(box->tint, "filled", "1.5");
    return owner ? tinted(owner->tint, "rounded,filled", "1") : unexplained_look;
}

static const char *tie_color(const struct fsd_drawing *w, const struct fsd_line *tie)
{
    return tinted(w->boxes.at[tie->to].tint, "", "").line;
}

/* ------------------------------------------------------------------------ parts */

static void put_shape(const struct fsd_graph *g, const struct fsd_form *form, FILE *out)
{
    char room[FSD_DIGITS];

    if (!form->ranked)
        return;
    if (!form->dims.n)
        fputs("scalar", out);
    for (uint32_t i = 0; i < form->dims.n && i < 8; i++) {
        struct fsd_dim dim = g->dims.at[form->dims.at + i];

        const char *name = fsd_text(g->names, dim.name);

        if (i) /* a name with a slash may be shortened to ".../batch": blanks
                  separate the dots from the x */
            fputs(strchr(name, '/') ? " x " : "x", out);
        if (dim.size >= 0)
            fputs(fsd_digits((uint64_t)dim.size, room), out);
        else if (dim.name)
            fsd_put_label_text(out, name, 12);
        else
            putc('?', out);
    }
    if (form->dims.n > 8)
        fputs("x\xe2\x80\xa6", out);
}

/* Prints a line break and the name of a node or layer. A layer also gets its number,
 * which reports and profiles use. An unnamed node has its number as name: "#12". */
static void put_small_name(const struct fsd_drawing *w, const struct fsd_node *n,
                           enum fsd_side side, fsd_id id, FILE *out)
{
    fputs("<BR/>" FSD_SMALL, out);
    if (side == FSD_SIDE_RIGHT)
        fprintf(out, n->name ? "%u: " : "layer %u", id);
    else if (!n->name)
        fprintf(out, "#%u", id);
    if (n->name)
        fsd_put_label_text(out, fsd_text(scene_of(w)->d->names, n->name), NAME_IN_BOX);
    fputs("</FONT>", out);
}

/* ------------------------------------------------------------------------ boxes */

/* Prints the first of a row's external numbers (--values). */
static void put_row(const struct fsd_diff *d, uint32_t row, FILE *out)
{
    struct fsd_print print;

    if (row == FSD_NONE)
        return;
    fsd_put_row(d->numbers, row, 1, fsd_print_open(&print));
    fsd_print_close(&print);
    fputs("<BR/>" FSD_SMALL, out);
    fsd_put_label_text(out, print.text, NAME_IN_BOX);
    fputs("</FONT>", out);
    free(print.text);
}

static void put_layer(const struct fsd_drawing *w, fsd_id layer, FILE *out)
{
    const struct fsd_diff *d = scene_of(w)->d;
    const struct fsd_layer_result *r = &d->layers[layer];
    const struct fsd_node *node = &d->engine->nodes.at[layer];

    fputs(r->inserted ? "<B>+ " : "<B>", out);
    fsd_put_label_text(out, node->op ? fsd_text(d->names, node->op) : "layer",
                       NAME_IN_BOX);
    fputs("</B>", out);
    if (r->inserted)
        fprintf(out, " <FONT COLOR=\"#b34700\">inserted: %s</FONT>",
                fsd_cause_name(d->reasons[layer].cause));
    else
        fsd_put_type_word(r->precision, out);
    if (r->opaque)
        fputs(" <FONT COLOR=\"#666666\"><I>opaque</I></FONT>", out);
    put_small_name(w, node, FSD_SIDE_RIGHT, layer, out);
    if (r->inserted && node->in.n && node->out.n) {
        fputs("<BR/>" FSD_SMALL, out);
        fsd_put_form(fsd_port_form(d->engine, fsd_node_in(d->engine, node, 0)), out);
        fputs(FSD_ARROW, out);
        fsd_put_form(fsd_port_form(d->engine, fsd_node_out(d->engine, node, 0)), out);
        fputs("</FONT>", out);
    }
    if (d->values)
        put_row(d, d->values->of_layer[layer], out);
}

static void put_node(const struct fsd_drawing *w, fsd_id node, FILE *out)
{
    const struct fsd_diff *d = scene_of(w)->d;
    const struct fsd_node *n = &d->model->nodes.at[node];
    const struct fsd_node_result *r = &d->nodes[node];
    bool gone = r->fate != FSD_FATE_LAYER;

    fputs(gone ? "<FONT COLOR=\"#666666\">" : "<B>", out);
    fsd_put_label_text(out, fsd_text(d->names, n->op ? n->op : n->name), NAME_IN_BOX);
    fputs(gone ? "</FONT>" : "</B>", out);
    if (gone)
        fprintf(out, " <FONT COLOR=\"%s\"><I>%s</I></FONT>",
                r->fate == FSD_FATE_UNEXPLAINED ? "#cc0000" : "#666666",
                fsd_fate_name(r->fate));
    if (n->op) /* a node without an operator is known only from names of layers; its
                  name is already in the first line */
        put_small_name(w, n, FSD_SIDE_LEFT, node, out);
    if (!gone && fsd_dtype_rank(r->requested) && fsd_dtype_rank(r->realised) &&
        r->requested != r->realised)
        fprintf(out,
                "<BR/>" FSD_SMALL "%s requested, </FONT><FONT POINT-SIZE=\"8\" "
                "COLOR=\"%s\"><B>%s</B></FONT>",
                fsd_dtype_name(r->requested), fsd_type_color(r->realised),
                fsd_dtype_name(r->realised));
}

/* ---------------------------------------------------------------- shared boxes */

/* Prints the operators or layer types in a shared box: "12 Conv, 9 Relu, 3 Add, 4
 * more". The most frequent come first; equally frequent ones are in the order of the
 * box. */
static void put_types(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    const struct fsd_graph *g = graph_of(w, box->side);
    struct {
        fsd_sym op;
        uint32_t n;
    } types[TYPES];
    uint32_t n = 0, rest = box->items.n;

    for (uint32_t i = 0, t; i < box->items.n; i++) {
        fsd_sym op = g->nodes.at[fsd_item(w, box, i)].op;

        for (t = 0; t < n && types[t].op != op; t++)
            ;
        if (t == n && n < TYPES) {
            types[n].op = op;
            types[n++].n = 0;
        }
        if (t < n)
            types[t].n++;
    }
    fputs("<BR/>" FSD_SMALL, out);
    for (uint32_t i = 0, most; i < n && i < SHOWN_TYPES; i++) {
        most = 0;
        for (uint32_t t = 1; t < n; t++)
            if (types[t].n > types[most].n)
                most = t;
        fprintf(out, "%s%u ", i ? ", " : "", types[most].n);
        fsd_put_label_text(out, fsd_text(g->names, types[most].op), 24);
        rest -= types[most].n;
        types[most].n = 0;
    }
    if (rest)
        fprintf(out, ", %u more", rest);
    fputs("</FONT>", out);
}

/* Prints the second line of a shared box: the outcomes of its nodes, or the number of
 * inserted layers. */
static void put_shared(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    const struct fsd_diff *d = scene_of(w)->d;
    bool model = box->side == FSD_SIDE_LEFT;
    uint32_t fates[FSD__FATE_COUNT] = {0}, inserted = 0;
    const char *comma = "<BR/>" FSD_SMALL;

    fputs("<B>", out);
    if (box->title)
        fsd_put_label_text(out, box->title, TITLE);
    fprintf(out, "%s\xc3\x97%u %s</B>", box->title ? "  " : "", box->items.n,
            model ? "nodes" : "layers");
    put_types(w, box, out);
    for (uint32_t i = 0; i < box->items.n; i++)
        if (model)
            fates[d->nodes[fsd_item(w, box, i)].fate]++;
        else
            inserted += d->layers[fsd_item(w, box, i)].inserted;
    for (int f = 0; f < FSD__FATE_COUNT; f++) {
        if (!fates[f])
            continue;
        fprintf(out, "%s%s %u", comma, fsd_fate_name((enum fsd_fate)f), fates[f]);
        comma = ", ";
    }
    if (model)
        fputs("</FONT>", out);
    if (inserted)
        fprintf(out, "<BR/><FONT COLOR=\"#b34700\">+ %u inserted</FONT>", inserted);
}

/* ----------------------------------------------------------------------- labels */

static void put_content(const struct fsd_drawing *w, const struct fsd_box *box,
                        FILE *out)
{
    const struct fsd_graph *g = graph_of(w, box->side);
    fsd_id first = fsd_item(w, box, 0);

    if (box->kind != FSD_BOX_ITEMS) {
        const struct fsd_form *form = fsd_tensor_form(g, first);

        fsd_put_label_text(out, fsd_text(g->names, g->tensors.at[first].name),
                           NAME_IN_BOX);
        fputs("<BR/>" FSD_SMALL, out);
        fsd_put_form(form, out);
        putc(' ', out);
        put_shape(g, form, out);
        fputs("</FONT>", out);
    } else if (box->items.n > 1) {
        put_shared(w, box, out);
    } else if (box->side == FSD_SIDE_LEFT) {
        put_node(w, first, out);
    } else {
        put_layer(w, first, out);
    }
}

/* Returns the name of a layer's tactic, or the tactic's number if the name is not
 * known. The builder's list of layers in a log states only numbers. */
static fsd_sym tactic_of(const struct fsd_drawing *w, fsd_id layer)
{
    const struct fsd_layer *l = &scene_of(w)->d->engine->layers.at[layer];

    return l->tactic ? l->tactic : l->tactic_value;
}

/* The sum of the bytes that the layers of a box read and write; negative if all are
 * unknown. */
static int64_t bytes_of(const struct fsd_drawing *w, const struct fsd_box *box)
{
    const struct fsd_cost *cost = scene_of(w)->d->cost;
    int64_t bytes = -1;

    for (uint32_t i = 0; i < box->items.n; i++) {
        int64_t moved = cost->layers[fsd_item(w, box, i)].bytes;

        if (moved >= 0 && bytes < INT64_MAX - moved)
            bytes = (bytes < 0 ? 0 : bytes) + moved;
    }
    return bytes;
}

/* Prints the cost of a box's layers. The background color shows the time in five steps
 * from pale to dark. */
static void put_costs(const struct fsd_drawing *w, double ms, int64_t bytes, FILE *out)
{
    static const char *const steps[] = {"#fff7d6", "#fee391", "#fec44f", "#fb9a29",
                                        "#e0701c"};
    double slowest = scene_of(w)->slowest_ms;
    double share = slowest > 0 ? ms / slowest : 0;

    if (ms >= 0)
        fprintf(out, "</TD></TR><TR><TD BGCOLOR=\"%s\">%.4g ms%s",
                steps[share >= 0.8 ? 4
                      : share <= 0 ? 0
                                   : (int)(share * 5)],
                ms, bytes >= 0 ? ", " : "");
    else if (bytes >= 0)
        fputs("</TD></TR><TR><TD>", out);
    if (bytes >= 0)
        fsd_put_bytes(scene_of(w)->d, bytes, out);
}

static void put_label(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    unsigned labels = scene_of(w)->labels;
    bool layers = box->kind == FSD_BOX_ITEMS && box->side == FSD_SIDE_RIGHT;
    double ms = labels & FSD_LABEL_MS ? fsd_box_ms(w, box, scene_of(w)->d) : -1;
    int64_t bytes = layers && labels & FSD_LABEL_BYTES ? bytes_of(w, box) : -1;
    fsd_sym tactic = layers && labels & FSD_LABEL_TACTIC && box->items.n == 1
                         ? tactic_of(w, fsd_item(w, box, 0))
                         : 0;

    if (ms < 0 && bytes < 0 && !tactic) {
        put_content(w, box, out);
        return;
    }
    fputs("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">"
          "<TR><TD>",
          out);
    put_content(w, box, out);
    if (tactic) {
        fputs("</TD></TR><TR><TD>" FSD_SMALL, out);
        fsd_put_label_text(out, fsd_text(scene_of(w)->d->names, tactic), TACTIC);
        fputs("</FONT>", out);
    }
    put_costs(w, ms, bytes, out);
    fputs("</TD></TR></TABLE>", out);
}

static void put_tactic(const struct fsd_drawing *w, fsd_id layer, FILE *out)
{
    fsd_sym tactic = tactic_of(w, layer);

    if (!tactic)
        return;
    fputs("\\ntactic ", out);
    fsd_put_tip_text(out, fsd_text(scene_of(w)->d->names, tactic), 200);
}

/* Prints the tooltip of a box. Each of the first items has a line with its number,
 * type, full name, outcome or kind, and tactic. */
static void put_tip(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    const struct fsd_diff *d = scene_of(w)->d;
    const struct fsd_graph *g = graph_of(w, box->side);
    bool model = box->side == FSD_SIDE_LEFT;

    if (box->kind != FSD_BOX_ITEMS) {
        fputs("tensor ", out);
        fsd_put_tip_text(out,
                         fsd_text(g->names, g->tensors.at[fsd_item(w, box, 0)].name),
                         NAME_IN_TIP);
        return;
    }
    for (uint32_t i = 0; i < box->items.n && i < TIP_ITEMS; i++) {
        fsd_id id = fsd_item(w, box, i);

        fprintf(out, "%s%s %u ", i ? "\\n" : "", model ? "node" : "layer", id);
        fsd_put_tip_text(out, fsd_text(g->names, g->nodes.at[id].op), 60);
        putc(' ', out);
        fsd_put_tip_text(out, fsd_text(g->names, g->nodes.at[id].name), NAME_IN_TIP);
        fprintf(out, "\\n%s",
                model ? fsd_fate_name(d->nodes[id].fate)
                      : fsd_kind_name(d->layers[id].kind));
        if (model && d->nodes[id].why && *d->nodes[id].why) {
            fputs(": ", out);
            fsd_put_tip_text(out, d->nodes[id].why, 200);
        }
        if (!model && d->layers[id].inserted)
            fprintf(out, ", inserted: %s", fsd_cause_name(d->reasons[id].cause));
        if (!model)
            put_tactic(w, id, out);
    }
    if (box->items.n > TIP_ITEMS)
        fprintf(out, "\\nand %u more", box->items.n - TIP_ITEMS);
}

/* ------------------------------------------------------------------------ wires */

static void put_wire_text(const struct fsd_drawing *w, const struct fsd_line *wire,
                          const char *new_line, FILE *out)
{
    const struct fsd_graph *g = graph_of(w, w->boxes.at[wire->from].side);
    const struct fsd_form *a = fsd_wire_form(g, wire, true),
                          *b = fsd_wire_form(g, wire, false);

    if (a->type != FSD_DTYPE_UNKNOWN)
        fsd_put_form(a, out);
    if (b->type != a->type || !fsd_layout_same(a->layout, b->layout)) {
        fputs(FSD_ARROW, out);
        fsd_put_form(b, out);
    }
    if (a->ranked) {
        fputs(new_line, out);
        put_shape(g, a, out);
    }
}

/* Prints the label of a wire: "int8 chw32", and below it "1x64x56x56". Both are
 * indented, because the wire runs along the left end of the label. */
static void put_wire_label(const struct fsd_drawing *w, const struct fsd_line *wire,
                           FILE *out)
{
    fputs("  ", out);
    if (wire->n > 1)
        fprintf(out, "%u tensors", wire->n);
    else
        put_wire_text(w, wire, "\\l  ", out);
    fputs("\\l", out);
}

static void put_wire_tip(const struct fsd_drawing *w, const struct fsd_line *wire,
                         FILE *out)
{
    const struct fsd_graph *g = graph_of(w, w->boxes.at[wire->from].side);

    fsd_put_tip_text(out, fsd_text(g->names, g->tensors.at[wire->what].name),
                     NAME_IN_TIP);
    fputs("\\n", out);
    put_wire_text(w, wire, "\\n", out);
    if (wire->n > 1)
        fprintf(out, "\\nand %u more tensors", wire->n - 1);
}

/* ----------------------------------------------------------------------- legend */

/* Prints the subject of the picture, and names the parts that are left out. */
static void put_caption(const struct fsd_diff_scene *scene, FILE *out)
{
    const struct fsd_diff *d = scene->d;
    char grain[24];

    fputs("<TR><TD ALIGN=\"LEFT\" COLSPAN=\"10\">", out);
    fsd_put_title(is_given(d) ? d->model->path : NULL, d->engine->path, false, out);
    fprintf(out, "%u node%s, %u layer%s, %u inserted", d->summary->nodes,
            fsd_plural(d->summary->nodes), d->summary->layers,
            fsd_plural(d->summary->layers), d->summary->inserted);
    if (scene->pick.partial)
        fprintf(out, "; only %s",
                scene->pick.subject ? scene->pick.subject : "a neighbourhood");
    if (scene->grain.level != FSD_LEVEL_NONE)
        fprintf(out, "; layers grouped by %s", fsd_grain_name(scene->grain, grain));
    if (scene->pick.constants)
        fprintf(out, "; %u Constant nodes not drawn", scene->pick.constants);
    fputs("</TD></TR>", out);
}

/* Prints the legend, which explains only the colors and lines that the picture
 * contains. */
static void put_legend(const struct fsd_drawing *w, FILE *out)
{
    const struct fsd_diff_scene *scene = scene_of(w);
    const fsd_lines *ties = &w->lines[FSD_TIE];
    bool part = false, loose = false;

    fputs(FSD_LEGEND_BEGIN, out);
    put_caption(scene, out);
    fputs("<TR>", out);
    if (!scene->coloring->tint)
        fsd_put_key(tinted(1, "", ""), "ROUNDED",
                    "nodes, in the color of their "
                    "layer",
                    out);
    for (unsigned i = 0; i < FSD_COUNT_OF(scene->coloring->words); i++)
        if (scene->coloring->words[i])
            fsd_put_key(tinted(i, "", ""), "ROUNDED", scene->coloring->words[i], out);
    fsd_put_key(vanished_look, "DASHED", "vanished node", out);
    fsd_put_key(fsd_inserted_look, "SOLID", "+ inserted layer", out);
    if (scene->d->summary->by_fate[FSD_FATE_UNEXPLAINED])
        fsd_put_key(unexplained_look, "SOLID", "unexplained node", out);
    if (scene->slowest_ms > 0)
        fprintf(out, "<TD BGCOLOR=\"#fff7d6:#e0701c\">fast ... %.4g ms</TD>",
                scene->slowest_ms);
    fsd_put_line_keys(w, out);
    for (uint32_t i = 0; i < ties->n; i++) {
        loose |= ties->at[i].loose;
        part |= ties->at[i].part && !ties->at[i].loose;
    }
    if (part || loose)
        fprintf(out,
                "<TR><TD ALIGN=\"LEFT\" COLSPAN=\"10\">lines between nodes and layers: "
                "a bold line leads to the layer that computes the nodes%s%s</TD></TR>",
                part ? "; a dashed line leads to a layer that computes only a part of "
                       "the node"
                     : "",
                loose ? "; dotted lines lead to several layers "
                        "that compute the nodes together"
                      : "");
    fputs(FSD_LEGEND_END, out);
}

static const char *side_label(const struct fsd_drawing *w, enum fsd_side side)
{
    const struct fsd_diff *d = scene_of(w)->d;

    if (side == FSD_SIDE_LEFT && d->model->named_only)
        return "nodes found in the layer names";
    if (side == FSD_SIDE_LEFT && !is_given(d))
        return "nodes that the log lists";
    return fsd_diff_painter.sides[side].label;
}

const struct fsd_painter fsd_diff_painter = {
    .sides = {{"model", "ONNX model", 2, {"n", "mi", "mo", "mt", ""}},
              {"engine", "engine", 1, {"l", "ei", "eo", "et", ""}}},
    .side_label = side_label,
    .put_legend = put_legend,
    .look = box_style,
    .put_label = put_label,
    .put_tip = put_tip,
    .put_wire_label = put_wire_label,
    .put_wire_tip = put_wire_tip,
    .tie_color = tie_color,
    .tie_width = "2",
    .loose_tip =
        "several layers compute these nodes together; this layer is one of them",
    .hangs = true,
};

enum fsd_status fsd_labels_parse(const char *list, unsigned *labels,
                                 struct fsd_error *err)
{
    static const char *const words[] = {"ms", "bytes", "tactic"};

    *labels = list ? 0 : FSD_LABEL_MS | FSD_LABEL_BYTES;
    while (list) {
        size_t length = strcspn(list, ","), word = 0;

        while (word < FSD_COUNT_OF(words) &&
               (strncmp(words[word], list, length) != 0 || words[word][length]))
            word++;
        if (word == FSD_COUNT_OF(words))
            return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                            "expected --label ms, bytes or tactic, found '%.80s'",
                            list);
        *labels |= 1U << word;
        list = list[length] ? list + length + 1 : NULL;
    }
    return FSD_OK;
}

double fsd_box_ms(const struct fsd_drawing *w, const struct fsd_box *box,
                  const struct fsd_diff *d)
{
    double sum = -1;

    if (box->side != FSD_SIDE_RIGHT || box->kind != FSD_BOX_ITEMS)
        return -1;
    for (uint32_t i = 0; i < box->items.n; i++) {
        double ms = fsd_layer_ms(d, fsd_item(w, box, i));

        if (ms >= 0)
            sum = fsd_larger(sum, 0) + ms;
    }
    return sum;
}

const struct fsd_form *fsd_wire_form(const struct fsd_graph *g,
                                     const struct fsd_line *wire, bool source)
{
    fsd_id port = source ? wire->from_port : wire->to_port;

    port = fsd_id_or(port, source ? wire->to_port : wire->from_port);
    return port == FSD_NONE ? fsd_tensor_form(g, wire->what)
                            : fsd_port_form(g, &g->ports.at[port]);
}
