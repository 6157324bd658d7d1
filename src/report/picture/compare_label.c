/*
 * Labels and colors in a picture of a comparison. The fill of a group shows what
 * happened to the fusion of its region. The border shows a change of precision.
 */
#include "base/base.h"
#include "change/compare/exports.h"
#include "report/phrase/phrase.h"
#include "report/picture/drawing.h"

enum {
    BOX_NAME = 34,
    NAMES = 5,
    TIP_NAME = 400,
    TIP_NAMES = 40,
    CHANGES = 3, /* maximum number of changes that a box of an export lists */
    TIP_CHANGES = 64
};

#define WIDENED  "#d55e00"
#define NARROWED "#0072b2"

/* The color of a node that is in both exports and changed. It comes after the colors of
 * enum fsd_happened. */
enum { CHANGED = FSD__HAPPENED_COUNT, TONES };

static const struct fsd_compare_scene *compared_scene(const struct fsd_drawing *w)
{
    return w->of;
}

static const struct fsd_region_diff *region_of(const struct fsd_drawing *w,
                                               const struct fsd_box *box)
{
    const struct fsd_compare *c = compared_scene(w)->c;
    const fsd_id *regions = box->side == FSD_SIDE_RIGHT ? c->new_region : c->old_region;

    return &c->regions.at[regions[fsd_item(w, box, 0)]];
}

/* ------------------------------------------------------------------------ looks */

static struct fsd_box_style region_look(uint8_t happened, uint8_t width)
{
    static const struct {
        const char *fill, *line;
    } tones[TONES] = {[FSD_HAPPENED_SAME] = {"#ffffff", "#999999"},
                      [FSD_HAPPENED_LOST] = {"#ffcccc", "#b05c5c"},
                      [FSD_HAPPENED_GAINED] = {"#ccddaa", "#6b8e3a"},
                      [FSD_HAPPENED_REGROUPED] = {"#eeeebb", "#99992e"},
                      [FSD_HAPPENED_OPAQUE] = {"#eeeeee", "#777777"},
                      [FSD_HAPPENED_OLD_ONLY] = {"#e6d3ee", "#83609c"},
                      [FSD_HAPPENED_NEW_ONLY] = {"#e6d3ee", "#83609c"},
                      [CHANGED] = {"#fff1e0", WIDENED}};
    struct fsd_box_style look = {"box", "rounded,filled", tones[happened].fill,
                                 tones[happened].line,
                                 happened == FSD_HAPPENED_SAME ? "1" : "1.5"};

    if (width == FSD_WIDTH_WIDENED || width == FSD_WIDTH_NARROWED) {
        look.line = width == FSD_WIDTH_WIDENED ? WIDENED : NARROWED;
        look.width = "3";
    }
    return look;
}

static uint8_t tone_of(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    return c->exports && r->differs && r->happened == FSD_HAPPENED_SAME ? CHANGED
                                                                        : r->happened;
}

static struct fsd_box_style move_look(unsigned change)
{
    const struct fsd_box_style looks[] = {
        [FSD_MOVE_ADDED] = fsd_inserted_look,
        [FSD_MOVE_REMOVED] = {"box", "filled,dashed", "#f4f4f4", "#777777", "1.5"},
        [FSD_MOVE_CHANGED] = {"box", "filled", "#fff1e0", "#d55e00", "1"},
        [FSD_MOVE_UNCHANGED] = {"box", "filled", "#ffffff", "#bbbbbb", "1"}};

    return looks[change];
}

static struct fsd_box_style look(const struct fsd_drawing *w, const struct fsd_box *box)
{
    if (box->kind == FSD_BOX_MOVE)
        return move_look(box->tint);
    if (box->kind != FSD_BOX_ITEMS)
        return fsd_port_look;
    return region_look(tone_of(compared_scene(w)->c, region_of(w, box)),
                       region_of(w, box)->width);
}

/* ----------------------------------------------------------------------- labels */

static const struct fsd_state_node *node_at(const struct fsd_state *s,
                                            struct fsd_span nodes, uint32_t i)
{
    return &s->nodes.at[s->refs.at[nodes.at + i]];
}

/* The first nodes of a group. Nodes that an exporter may fold are left out, as in text
 * reports. They are shown only if the group has no other nodes. */
struct few {
    const struct fsd_state_node *nodes[NAMES];
    uint32_t n, more;
};

static struct few first_few(const struct fsd_state *s, struct fsd_span nodes)
{
    struct few few = {.n = 0};
    uint32_t core = 0;

    for (uint32_t i = 0; i < nodes.n; i++)
        core += node_at(s, nodes, i)->role == FSD_ROLE_CORE;
    for (uint32_t i = 0; i < nodes.n && few.n < NAMES; i++)
        if (!core || node_at(s, nodes, i)->role == FSD_ROLE_CORE)
            few.nodes[few.n++] = node_at(s, nodes, i);
    few.more = (core ? core : nodes.n) - few.n;
    return few;
}

static void put_names(const struct fsd_state *s, struct few few, FILE *out)
{
    for (uint32_t i = 0; i < few.n; i++) {
        fputs("<BR/>" FSD_SMALL, out);
        fsd_put_label_text(out, fsd_text(s->names, few.nodes[i]->key), BOX_NAME);
        fputs("</FONT>", out);
    }
    if (few.more)
        fprintf(out, "<BR/>" FSD_SMALL "and %u more</FONT>", few.more);
}

typedef void put_text_fn(FILE *out, const char *s, size_t most);

/* Prints the i-th change of a node between two exports: "input 1: plain -> int8 scale
 * 0.1". */
static void put_change(const struct fsd_drawing *w, const struct fsd_box *box,
                       uint32_t i, put_text_fn *put, FILE *out)
{
    const struct fsd_compare_scene *scene = compared_scene(w);
    fsd_id region = (fsd_id)(region_of(w, box) - scene->c->regions.at);
    const struct fsd_export_change *c =
        &scene->c->exports->changes.at[fsd_list_at(&scene->changes, region, i)];

    put(out, *c->of ? c->of : fsd_export_what_name(c->what), BOX_NAME);
    fputs(": ", out);
    put(out, *c->was ? c->was : "none", BOX_NAME);
    fputs(FSD_ARROW, out);
    put(out, *c->now ? c->now : "none", BOX_NAME);
}

static uint32_t count_changes(const struct fsd_drawing *w, const struct fsd_box *box)
{
    const struct fsd_compare_scene *scene = compared_scene(w);
    const struct fsd_region_diff *r = region_of(w, box);
    bool both = scene->c->exports && r->happened == FSD_HAPPENED_SAME;

    return both ? scene->changes.of[r - scene->c->regions.at].n : 0;
}

/* Prints the changes of a node, if `box` shows the label of the node's region. */
static void put_changes(const struct fsd_drawing *w, const struct fsd_box *box,
                        FILE *out)
{
    uint32_t n = box->tint == FSD_GROUP_LABELED ? count_changes(w, box) : 0;

    for (uint32_t i = 0; i < n && i < CHANGES; i++) {
        fputs("<BR/><FONT POINT-SIZE=\"8\" COLOR=\"" WIDENED "\">", out);
        put_change(w, box, i, fsd_put_label_text, out);
        fputs("</FONT>", out);
    }
    if (n > CHANGES)
        fprintf(out, "<BR/>" FSD_SMALL "and %u more changes</FONT>", n - CHANGES);
}

static void put_group(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    const struct fsd_state *s = fsd_box_state(w, box);
    const struct fsd_group *g = &s->groups.at[fsd_item(w, box, 0)];
    const struct fsd_region_diff *r = region_of(w, box);
    struct few few = first_few(s, g->nodes);
    bool same = r->happened == FSD_HAPPENED_SAME,
         same_width = r->width == FSD_WIDTH_SAME;

    /* A change of fusion or precision needs words; other changes are visible in boxes
     * and wires. */
    if (box->tint == FSD_GROUP_LABELED && !(same && same_width)) {
        if (!same)
            fprintf(out, "<FONT COLOR=\"%s\"><B>%s</B></FONT>",
                    region_look(r->happened, FSD_WIDTH_SAME).line,
                    fsd_happened_name(r->happened));
        if (!same_width)
            fprintf(out, " <FONT COLOR=\"%s\"><B>%s</B></FONT>",
                    r->width == FSD_WIDTH_WIDENED ? WIDENED : NARROWED,
                    fsd_width_name(r->width));
        if (compared_scene(w)->c->timed && r->before >= 0 && r->after >= 0) {
            fputs(" " FSD_SMALL, out);
            fsd_put_delta(r->before, r->after, out);
            fputs("</FONT>", out);
        }
        fputs("<BR/>", out);
    }
    fputs("<B>", out);
    for (uint32_t i = 0; i < few.n; i++) {
        fputs(i ? " + " : "", out);
        fsd_put_label_text(out, fsd_text(s->names, few.nodes[i]->op), 20);
    }
    if (few.more)
        fprintf(out, " + %u", few.more);
    fputs("</B>", out);
    fsd_put_type_word((enum fsd_dtype)g->precision, out);
    put_names(s, few, out);
    put_changes(w, box, out);
    if (g->kind == FSD_KIND_FOREIGN)
        fputs("<BR/>" FSD_SMALL "foreign region</FONT>", out);
    if (g->layers > 1)
        fprintf(out, "<BR/>" FSD_SMALL "%u layers</FONT>", g->layers);
    if (g->ms.median >= 0)
        fprintf(out, "<BR/>%.4g ms", g->ms.median);
}

static bool is_known(struct fsd_state_form form)
{
    return form.type != FSD_DTYPE_UNKNOWN || form.layout;
}

static void put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out)
{
    fputs(fsd_dtype_name((enum fsd_dtype)form.type), out);
    if (form.layout) {
        putc(' ', out);
        fsd_put_label_text(out, fsd_text(s->names, form.layout), 16);
    }
}

static void put_move(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    static const char *const signs[] = {"+ ", "\xe2\x88\x92 ", "~ ", ""};
    const struct fsd_state *s = fsd_box_state(w, box);
    const struct fsd_move *m = &s->moves.at[fsd_item(w, box, 0)];

    fprintf(out, "<B>%s%s</B>", signs[box->tint],
            fsd_kind_name((enum fsd_kind)m->kind));
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(out, " <FONT COLOR=\"#b34700\">%s</FONT>",
                fsd_cause_name((enum fsd_cause)m->cause));
    if (m->nodes.n)
        put_names(s, first_few(s, m->nodes), out);
    if (is_known(m->before) || is_known(m->after)) {
        fputs("<BR/>" FSD_SMALL, out);
        put_form(s, m->before, out);
        fputs(FSD_ARROW, out);
        put_form(s, m->after, out);
        fputs("</FONT>", out);
    }
    if (m->ms.median >= 0)
        fprintf(out, "<BR/>%.4g ms", m->ms.median);
}

/* The name of an engine tensor with its own box. */
static const char *tensor_of(const struct fsd_drawing *w, const struct fsd_box *box)
{
    const struct fsd_state *s = fsd_box_state(w, box);

    return fsd_text(s->names, s->tensor_names.at[fsd_item(w, box, 0)]);
}

static void put_compared_label(const struct fsd_drawing *w, const struct fsd_box *box,
                               FILE *out)
{
    const struct fsd_state *s = fsd_box_state(w, box);
    const struct fsd_state_port *port;

    if (box->kind == FSD_BOX_ITEMS) {
        put_group(w, box, out);
        return;
    }
    if (box->kind == FSD_BOX_MOVE) {
        put_move(w, box, out);
        return;
    }
    if (box->kind == FSD_BOX_TENSOR) {
        fsd_put_label_text(out, tensor_of(w, box), BOX_NAME);
        return;
    }
    port = fsd_box_port(w, box);
    fputs("<B>", out);
    fsd_put_label_text(out, fsd_text(s->names, port->name), BOX_NAME);
    fputs("</B><BR/>" FSD_SMALL, out);
    put_form(s, port->form, out);
    if (port->shape) {
        putc(' ', out);
        fsd_put_label_text(out, fsd_text(s->names, port->shape), BOX_NAME);
    }
    fputs("</FONT>", out);
}

/* Prints the numbers of the group's layers in the engine dump; nothing for a snapshot,
 * which has no numbers. */
static void put_layers(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    if (box->items.n < 2)
        return;
    fputs(box->items.n > 2 ? "layers" : "layer", out);
    for (uint32_t i = 1; i < box->items.n; i++)
        fprintf(out, "%s%u", i > 1 ? ", " : " ", fsd_item(w, box, i));
    fputs("\\n", out);
}

/* Prints the tooltip of a box: the layers of its group, and the names of all nodes, one
 * per line. */
static void put_compared_tip(const struct fsd_drawing *w, const struct fsd_box *box,
                             FILE *out)
{
    const struct fsd_state *s = fsd_box_state(w, box);
    struct fsd_span nodes;

    if (box->kind == FSD_BOX_TENSOR) {
        fsd_put_tip_text(out, tensor_of(w, box), TIP_NAME);
        return;
    }
    if (box->kind != FSD_BOX_ITEMS && box->kind != FSD_BOX_MOVE) {
        fsd_put_tip_text(out, fsd_text(s->names, fsd_box_port(w, box)->name), TIP_NAME);
        return;
    }
    put_layers(w, box, out);
    nodes = box->kind == FSD_BOX_MOVE ? s->moves.at[fsd_item(w, box, 0)].nodes
                                      : s->groups.at[fsd_item(w, box, 0)].nodes;
    for (uint32_t i = 0; i < nodes.n && i < TIP_NAMES; i++) {
        fputs(i ? "\\n" : "", out);
        fsd_put_tip_text(out, fsd_text(s->names, node_at(s, nodes, i)->key), TIP_NAME);
        putc(' ', out);
        fsd_put_tip_text(out, fsd_text(s->names, node_at(s, nodes, i)->op), BOX_NAME);
    }
    if (nodes.n > TIP_NAMES)
        fprintf(out, "\\nand %u more", nodes.n - TIP_NAMES);
    for (uint32_t i = 0;
         box->kind == FSD_BOX_ITEMS && i < count_changes(w, box) && i < TIP_CHANGES;
         i++) {
        fputs("\\n", out);
        put_change(w, box, i, fsd_put_tip_text, out);
    }
    if (box->kind == FSD_BOX_ITEMS && s->groups.at[fsd_item(w, box, 0)].tactic) {
        fputs("\\ntactic ", out);
        fsd_put_tip_text(out,
                         fsd_text(s->names, s->groups.at[fsd_item(w, box, 0)].tactic),
                         TIP_NAME);
    }
}

static void put_compared_wire(const struct fsd_drawing *w, const struct fsd_line *wire,
                              FILE *out)
{
    struct fsd_state_form form = {.type = wire->type[1], .layout = wire->what};

    if (wire->type[0] != wire->type[1])
        fprintf(out, "%s" FSD_ARROW, fsd_dtype_name((enum fsd_dtype)wire->type[0]));
    if (is_known(form))
        put_form(fsd_box_state(w, &w->boxes.at[wire->from]), form, out);
}

/* ----------------------------------------------------------------------- legend */

static void put_count(uint32_t n, const char *noun, const char *what, FILE *out)
{
    if (!n)
        return;
    fputs(", ", out);
    fsd_put_noun(out, n, noun);
    fprintf(out, " %s", what);
}

/* Prints the counts of two exports: "8 computing nodes in both, port 1, attribute
 * 1". */
static void put_exports(const struct fsd_exports *e, FILE *out)
{
    fsd_put_noun(out, e->aligned, "computing node");
    fputs(" in both", out);
    for (unsigned i = 0; i < FSD__EXPORT_COUNT; i++)
        if (e->by_what[i])
            fprintf(out, ", %s %u", fsd_export_what_name(i), e->by_what[i]);
}

/* Prints the counts of two builds: "9 regions, fusion-lost 2, 3 nodes widened, 1 other
 * layer added". */
static void put_builds(const struct fsd_compare *c, FILE *out)
{
    fprintf(out, "%u regions", c->regions.n);
    for (uint8_t h = FSD_HAPPENED_SAME + 1; h < FSD__HAPPENED_COUNT; h++)
        if (c->by_happened[h])
            fprintf(out, ", %s %u", fsd_happened_name(h), c->by_happened[h]);
    for (uint8_t i = FSD_WIDTH_NARROWED; i < FSD__WIDTH_COUNT; i++)
        put_count(c->by_width[i], "node", fsd_width_name(i), out);
    for (uint8_t i = FSD_MOVE_ADDED; i <= FSD_MOVE_CHANGED; i++)
        put_count(c->moves_by_what[i], "other layer", fsd_move_what_name(i), out);
}

/* Prints "old.json -> new.json  9 regions, fusion-lost 2, 3 nodes widened; +0.1100
 * ms". */
static void put_compared_caption(const struct fsd_drawing *w, FILE *out)
{
    const struct fsd_compare *c = compared_scene(w)->c;

    fputs("<TR><TD ALIGN=\"LEFT\">", out);
    fsd_put_title(c->old->engine_path, c->new->engine_path, true, out);
    if (c->exports)
        put_exports(c->exports, out);
    else
        put_builds(c, out);
    if (c->timed) {
        fputs("; ", out);
        fsd_put_delta(c->before, c->after, out);
    }
    if (!c->differs)
        fputs("; no difference", out);
    if (compared_scene(w)->subject)
        fprintf(out, "; drawn: %s", compared_scene(w)->subject);
    fputs("</TD></TR>", out);
}

/* Prints the legend, which explains only the colors that occur in the comparison. */
static void put_compared_legend(const struct fsd_drawing *w, FILE *out)
{
    static const char *const moves[][2] = {{"+ added", "SOLID"},
                                           {"\xe2\x88\x92 removed", "DASHED"},
                                           {"~ changed", "SOLID"}};
    const struct fsd_compare *c = compared_scene(w)->c;

    fputs(FSD_LEGEND_BEGIN, out);
    put_compared_caption(w, out);
    fputs("<TR><TD ALIGN=\"LEFT\">" FSD_LEGEND_BEGIN "<TR>", out);
    for (uint8_t h = 0; h < FSD__HAPPENED_COUNT; h++)
        if (c->by_happened[h])
            fsd_put_key(region_look(h, FSD_WIDTH_SAME), "ROUNDED",
                        h != FSD_HAPPENED_SAME ? fsd_happened_name(h)
                        : c->exports           ? "same"
                                               : "same fusion",
                        out);
    if (c->exports)
        fsd_put_key(region_look(CHANGED, FSD_WIDTH_SAME), "ROUNDED", "changed", out);
    for (uint8_t i = FSD_WIDTH_NARROWED; i <= FSD_WIDTH_WIDENED; i++)
        if (c->by_width[i])
            fsd_put_key(region_look(FSD_HAPPENED_SAME, i), "ROUNDED", fsd_width_name(i),
                        out);
    for (unsigned i = FSD_MOVE_ADDED; i <= FSD_MOVE_CHANGED; i++)
        if (c->moves_by_what[i])
            fsd_put_key(move_look(i), moves[i][1], moves[i][0], out);
    fsd_put_line_keys(w, out);
    fputs(FSD_LEGEND_END "</TD></TR>" FSD_LEGEND_END, out);
}

#define PAINTER(what)                                                                  \
    {                                                                                  \
        .sides = {{"old", "old " what, 2, {"o", "oi", "ot", "ob", "om"}},              \
                  {"new", "new " what, 2, {"n", "ni", "nt", "nb", "nm"}}},             \
        .put_legend = put_compared_legend, .look = look,                               \
        .put_label = put_compared_label, .put_tip = put_compared_tip,                  \
        .put_wire_label = put_compared_wire, .tie_width = "1", .port_labels = true,    \
    }

const struct fsd_painter fsd_compare_painter = PAINTER("build");
const struct fsd_painter fsd_exports_painter = PAINTER("export");
