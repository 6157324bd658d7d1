#include "report/picture/compare_label.h"
#include "report/compare_report.h"

enum { NAME = 34, NAMES = 5, TIP_NAME = 400, TIP_NAMES = 40 };

#define SMALL "<FONT POINT-SIZE=\"8\" COLOR=\"#444444\">"
#define PLUS  "+"
#define MINUS "\xe2\x88\x92"
#define ARROW " \xe2\x86\x92 "

/* ------------------------------------------------------------------------ looks */

struct tone {
    const char *fill, *line;
};

static struct tone happened_tone(uint8_t happened)
{
    static const struct tone tones[FSD__HAPPENED_COUNT] = {
        [FSD_HAPPENED_SAME] = {"#ffffff", "#999999"},
        [FSD_HAPPENED_LOST] = {"#ffcccc", "#b05c5c"},
        [FSD_HAPPENED_GAINED] = {"#ccddaa", "#6b8e3a"},
        [FSD_HAPPENED_REGROUPED] = {"#eeeebb", "#99992e"},
        [FSD_HAPPENED_OPAQUE] = {"#eeeeee", "#777777"},
        [FSD_HAPPENED_OLD_ONLY] = {"#e6d3ee", "#83609c"},
        [FSD_HAPPENED_NEW_ONLY] = {"#e6d3ee", "#83609c"}};

    return tones[happened];
}

#define WIDENED  "#d55e00"
#define NARROWED "#0072b2"

static const struct fsd_state *state_of(const struct fsd_compare_drawing *w,
                                        const struct fsd_mark *mark)
{
    return mark->new ? w->c->new : w->c->old;
}

struct fsd_look fsd_region_look(const struct fsd_region_diff *r)
{
    struct tone tone = happened_tone(r->happened);
    struct fsd_look look = {"box", "rounded,filled", tone.fill, tone.line, "1"};

    if (r->happened != FSD_HAPPENED_SAME)
        look.width = "1.5";
    if (r->width == FSD_WIDTH_WIDENED || r->width == FSD_WIDTH_NARROWED) {
        look.line = r->width == FSD_WIDTH_WIDENED ? WIDENED : NARROWED;
        look.width = "3";
    }
    return look;
}

struct fsd_look fsd_move_look(uint8_t change)
{
    static const struct fsd_look looks[] = {
        [FSD_MOVE_ADDED] = {"box", "filled,bold", "#fff1e0", "#d55e00", "2.5"},
        [FSD_MOVE_REMOVED] = {"box", "filled,dashed", "#f4f4f4", "#777777", "1.5"},
        [FSD_MOVE_CHANGED] = {"box", "filled", "#fff1e0", "#d55e00", "1"},
        [FSD_MOVE_UNCHANGED] = {"box", "filled", "#ffffff", "#bbbbbb", "1"}};

    return looks[change];
}

struct fsd_look fsd_mark_look(const struct fsd_compare_drawing *w,
                              const struct fsd_mark *mark)
{
    switch (mark->kind) {
    case FSD_MARK_GROUP:
        return fsd_region_look(&w->c->regions.at[mark->region]);
    case FSD_MARK_MOVE:
        return fsd_move_look(mark->change);
    default:
        return (struct fsd_look){"oval", "filled", "#ffffff", "#555555", "1"};
    }
}

/* ----------------------------------------------------------------------- groups */

static const struct fsd_state_node *node_at(const struct fsd_state *s,
                                            struct fsd_span nodes, uint32_t i)
{
    return &s->nodes.at[s->refs.at[nodes.at + i]];
}

/* As in the text: what an exporter may fold is shown only when there is nothing else.
 */
static uint32_t count_core(const struct fsd_state *s, struct fsd_span nodes)
{
    uint32_t core = 0;

    for (uint32_t i = 0; i < nodes.n; i++)
        core += node_at(s, nodes, i)->role == FSD_ROLE_CORE;
    return core;
}

/* The first few names, or operator types, of nodes. */
struct few {
    const struct fsd_state_node *nodes[NAMES];
    uint32_t n, more;
};

static struct few first_few(const struct fsd_state *s, struct fsd_span nodes)
{
    uint32_t core = count_core(s, nodes);
    struct few few = {.more = core ? core : nodes.n};

    for (uint32_t i = 0; i < nodes.n && few.n < NAMES; i++) {
        const struct fsd_state_node *node = node_at(s, nodes, i);

        if (core && node->role != FSD_ROLE_CORE)
            continue;
        few.nodes[few.n++] = node;
        few.more--;
    }
    return few;
}

/* Of the same fusion in the same precision its boxes and wires say enough. */
static void put_happened(const struct fsd_compare_drawing *w,
                         const struct fsd_region_diff *r, FILE *out)
{
    if (r->happened == FSD_HAPPENED_SAME && r->width == FSD_WIDTH_SAME)
        return;
    if (r->happened != FSD_HAPPENED_SAME)
        fprintf(out, "<FONT COLOR=\"%s\"><B>%s</B></FONT>",
                happened_tone(r->happened).line, fsd_happened_name(r->happened));
    if (r->width != FSD_WIDTH_SAME)
        fprintf(out, " <FONT COLOR=\"%s\"><B>%s</B></FONT>",
                r->width == FSD_WIDTH_WIDENED ? WIDENED : NARROWED,
                fsd_width_name(r->width));
    if (w->c->timed && r->before >= 0 && r->after >= 0) {
        fputs(" " SMALL, out);
        fsd_put_delta(r->before, r->after, out);
        fputs("</FONT>", out);
    }
    fputs("<BR/>", out);
}

static void put_ops(const struct fsd_state *s, const struct fsd_group *g, FILE *out)
{
    struct few few = first_few(s, g->nodes);

    fputs("<B>", out);
    for (uint32_t i = 0; i < few.n; i++) {
        fputs(i ? " + " : "", out);
        fsd_put_dot_text(out, fsd_text(s->names, few.nodes[i]->op), 20);
    }
    if (few.more)
        fprintf(out, " + %u", few.more);
    fputs("</B>", out);
    if (g->precision != FSD_DTYPE_UNKNOWN)
        fprintf(out, " <FONT COLOR=\"%s\"><B>%s</B></FONT>",
                fsd_type_color((enum fsd_dtype)g->precision),
                fsd_dtype_name((enum fsd_dtype)g->precision));
}

static void put_names(const struct fsd_state *s, struct fsd_span nodes, FILE *out)
{
    struct few few = first_few(s, nodes);

    for (uint32_t i = 0; i < few.n; i++) {
        fputs("<BR/>" SMALL, out);
        fsd_put_dot_text(out, fsd_text(s->names, few.nodes[i]->key), NAME);
        fputs("</FONT>", out);
    }
    if (few.more)
        fprintf(out, "<BR/>" SMALL "and %u more</FONT>", few.more);
}

static void put_group(const struct fsd_compare_drawing *w, const struct fsd_mark *mark,
                      bool first, FILE *out)
{
    const struct fsd_state *s = state_of(w, mark);
    const struct fsd_group *g = &s->groups.at[mark->id];

    if (first)
        put_happened(w, &w->c->regions.at[mark->region], out);
    put_ops(s, g, out);
    put_names(s, g->nodes, out);
    if (g->kind == FSD_KIND_FOREIGN)
        fputs("<BR/>" SMALL "foreign region</FONT>", out);
    if (g->layers > 1)
        fprintf(out, "<BR/>" SMALL "%u layers</FONT>", g->layers);
    if (g->ms.median >= 0)
        fprintf(out, "<BR/>%.4g ms", g->ms.median);
}

/* ------------------------------------------------------------------------ moves */

static bool is_known(struct fsd_state_form form)
{
    return form.type != FSD_DTYPE_UNKNOWN || form.layout;
}

static void put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out)
{
    fputs(fsd_dtype_name((enum fsd_dtype)form.type), out);
    if (form.layout) {
        putc(' ', out);
        fsd_put_dot_text(out, fsd_text(s->names, form.layout), 16);
    }
}

static void put_move(const struct fsd_compare_drawing *w, const struct fsd_mark *mark,
                     FILE *out)
{
    static const char *const signs[] = {PLUS " ", MINUS " ", "~ ", ""};
    const struct fsd_state *s = state_of(w, mark);
    const struct fsd_move *m = &s->moves.at[mark->id];

    fprintf(out, "<B>%s%s</B>", signs[mark->change],
            fsd_kind_name((enum fsd_kind)m->kind));
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(out, " <FONT COLOR=\"#b34700\">%s</FONT>",
                fsd_cause_name((enum fsd_cause)m->cause));
    if (m->nodes.n)
        put_names(s, m->nodes, out);
    if (is_known(m->before) || is_known(m->after)) {
        fputs("<BR/>" SMALL, out);
        put_form(s, m->before, out);
        fputs(ARROW, out);
        put_form(s, m->after, out);
        fputs("</FONT>", out);
    }
    if (m->ms.median >= 0)
        fprintf(out, "<BR/>%.4g ms", m->ms.median);
}

/* ------------------------------------------------------------------------ ports */

static const struct fsd_state_port *port_of(const struct fsd_compare_drawing *w,
                                            const struct fsd_mark *mark)
{
    const struct fsd_state *s = state_of(w, mark);

    return mark->kind == FSD_MARK_INPUT ? &s->inputs.at[mark->id]
                                        : &s->outputs.at[mark->id];
}

static void put_port(const struct fsd_compare_drawing *w, const struct fsd_mark *mark,
                     FILE *out)
{
    const struct fsd_state *s = state_of(w, mark);
    const struct fsd_state_port *port = port_of(w, mark);

    fputs("<B>", out);
    fsd_put_dot_text(out, fsd_text(s->names, port->name), NAME);
    fputs("</B><BR/>" SMALL, out);
    put_form(s, port->form, out);
    if (port->shape) {
        putc(' ', out);
        fsd_put_dot_text(out, fsd_text(s->names, port->shape), NAME);
    }
    fputs("</FONT>", out);
}

/* -------------------------------------------------------------------------- all */

void fsd_put_mark_label(const struct fsd_compare_drawing *w,
                        const struct fsd_mark *mark, bool first, FILE *out)
{
    if (mark->kind == FSD_MARK_GROUP)
        put_group(w, mark, first, out);
    else if (mark->kind == FSD_MARK_MOVE)
        put_move(w, mark, out);
    else
        put_port(w, mark, out);
}

static void put_tip_names(const struct fsd_state *s, struct fsd_span nodes, FILE *out)
{
    for (uint32_t i = 0; i < nodes.n && i < TIP_NAMES; i++) {
        const struct fsd_state_node *node = node_at(s, nodes, i);

        fputs(i ? "\\n" : "", out);
        fsd_put_dot_text(out, fsd_text(s->names, node->key), TIP_NAME);
        putc(' ', out);
        fsd_put_dot_text(out, fsd_text(s->names, node->op), NAME);
    }
    if (nodes.n > TIP_NAMES)
        fprintf(out, "\\nand %u more", nodes.n - TIP_NAMES);
}

void fsd_put_mark_tip(const struct fsd_compare_drawing *w, const struct fsd_mark *mark,
                      FILE *out)
{
    const struct fsd_state *s = state_of(w, mark);

    if (mark->kind == FSD_MARK_GROUP)
        put_tip_names(s, s->groups.at[mark->id].nodes, out);
    else if (mark->kind == FSD_MARK_MOVE)
        put_tip_names(s, s->moves.at[mark->id].nodes, out);
    else
        fsd_put_dot_text(out, fsd_text(s->names, port_of(w, mark)->name), TIP_NAME);
}

void fsd_put_mark_wire_label(const struct fsd_compare_drawing *w,
                             const struct fsd_mark_wire *wire, FILE *out)
{
    if (is_known(wire->form))
        put_form(state_of(w, &w->marks.at[wire->from]), wire->form, out);
}
