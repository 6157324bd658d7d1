#include "report/picture/label.h"
#include "base/text.h"
#include "report/view_text.h"

#include <inttypes.h>
#include <string.h>

enum {
    NAME = 34, /* characters of a name in a box */
    TITLE = 44,
    TIP_NAME = 400, /* and in a tooltip */
    TIP_ITEMS = 12,
    TYPES = 24, /* operator types of a shared box that are counted */
    SHOWN_TYPES = 3
};

#define SMALL "<FONT POINT-SIZE=\"8\" COLOR=\"#444444\">"

/* ---------------------------------------------------------------------- escapes */

static size_t char_len(const char *s)
{
    size_t len = fsd_utf8_len((const unsigned char *)s, strlen(s) < 4 ? strlen(s) : 4);

    return len ? len : 1;
}

static void put_char(FILE *out, const char *s, size_t len)
{
    uint32_t code = fsd_utf8_code((const unsigned char *)s, len);

    if (fsd_code_is_hidden(code))
        fprintf(out, "\\\\u{%x}", code);
    else if (*s == '\\')
        fputs("\\\\", out);
    else if (*s == '&')
        fputs("&amp;", out);
    else if (*s == '<')
        fputs("&lt;", out);
    else if (*s == '>')
        fputs("&gt;", out);
    else if (*s == '"')
        fputs("&quot;", out);
    else
        fwrite(s, 1, len, out);
}

static size_t count_chars(const char *s)
{
    size_t n = 0;

    for (; *s; s += char_len(s))
        n++;
    return n;
}

/* Characters that are written as they are, one byte each. */
static size_t plain_run(const char *s)
{
    size_t n = 0;

    while (s[n] >= ' ' && s[n] <= '~' && !strchr("\\&<>\"", s[n]))
        n++;
    return n;
}

void fsd_put_dot_text(FILE *out, const char *s, size_t most)
{
    size_t plain = plain_run(s);
    size_t n, head = most * 2 / 5, at = 0;

    if (!s[plain] && (!most || plain <= most)) { /* nearly all are like this */
        fwrite(s, 1, plain, out);
        return;
    }
    n = most ? count_chars(s) : 0;
    for (; *s; at++) {
        size_t len = char_len(s);

        if (n <= most || at < head || at >= n - (most - head - 1))
            put_char(out, s, len);
        else if (at == head)
            fputs("\xe2\x80\xa6", out); /* an ellipsis */
        s += len;
    }
}

/* ------------------------------------------------------------------------ parts */

static const struct fsd_graph *graph_of(const struct fsd_drawing *w, enum fsd_side side)
{
    return side == FSD_SIDE_MODEL ? w->d->model : w->d->engine;
}

static fsd_id item(const struct fsd_drawing *w, const struct fsd_box *box, uint32_t i)
{
    return w->items.at[box->items.at + i];
}

static void put_shape(const struct fsd_graph *g, const struct fsd_form *form, FILE *out)
{
    if (!form->ranked)
        return;
    if (!form->dims.n)
        fputs("scalar", out);
    for (uint32_t i = 0; i < form->dims.n && i < 8; i++) {
        struct fsd_dim dim = g->dims.at[form->dims.at + i];

        if (i)
            putc('x', out);
        if (dim.size >= 0)
            fprintf(out, "%" PRId64, dim.size);
        else if (dim.name)
            fsd_put_dot_text(out, fsd_text(g->names, dim.name), 12);
        else
            putc('?', out);
    }
    if (form->dims.n > 8)
        fputs("x\xe2\x80\xa6", out);
}

static void put_type(const struct fsd_form *form, FILE *out)
{
    char layout[16];

    fputs(fsd_dtype_name(form->type), out);
    fsd_layout_name(form->layout, layout);
    if (*layout)
        fprintf(out, " %s", layout);
}

/* Sums over a box; negative when nothing is known. */
static void sum_costs(const struct fsd_drawing *w, const struct fsd_box *box,
                      double *ms, int64_t *bytes)
{
    *ms = -1;
    *bytes = -1;
    for (uint32_t i = 0; i < box->items.n; i++) {
        fsd_id layer = item(w, box, i);
        double took = fsd_layer_ms(w->d, layer);
        int64_t moved = w->d->cost->layers[layer].bytes;

        if (took >= 0)
            *ms = (*ms < 0 ? 0 : *ms) + took;
        if (moved >= 0 && *bytes < INT64_MAX - moved)
            *bytes = (*bytes < 0 ? 0 : *bytes) + moved;
    }
}

/* Five steps, pale to dark; the number stands in it. */
static const char *const heat[] = {"#fff7d6", "#fee391", "#fec44f", "#fb9a29",
                                   "#e0701c"};

static const char *heat_color(const struct fsd_drawing *w, double ms)
{
    double share = w->slowest_ms > 0 ? ms / w->slowest_ms : 0;

    return heat[share >= 0.8 ? 4 : share <= 0 ? 0 : (int)(share * 5)];
}

/* ------------------------------------------------------------------ engine boxes */

static void put_form_change(const struct fsd_drawing *w, fsd_id layer, FILE *out)
{
    const struct fsd_graph *g = w->d->engine;
    const struct fsd_node *node = &g->nodes.at[layer];

    if (!node->in.n || !node->out.n)
        return;
    fputs("<BR/>" SMALL, out);
    put_type(fsd_port_form(g, fsd_node_in(g, node, 0)), out);
    fputs(" \xe2\x86\x92 ", out);
    put_type(fsd_port_form(g, fsd_node_out(g, node, 0)), out);
    fputs("</FONT>", out);
}

static void put_layer_head(const struct fsd_drawing *w, fsd_id layer, FILE *out)
{
    const struct fsd_layer_result *r = &w->d->layers[layer];
    const struct fsd_node *node = &w->d->engine->nodes.at[layer];

    fputs(r->inserted ? "<B>+ " : "<B>", out);
    fsd_put_dot_text(out, node->op ? fsd_text(w->d->names, node->op) : "layer", NAME);
    fputs("</B>", out);
    if (r->inserted)
        fprintf(out, " <FONT COLOR=\"#b34700\">inserted: %s</FONT>",
                fsd_cause_name(w->d->reasons[layer].cause));
    else if (r->precision != FSD_DTYPE_UNKNOWN)
        fprintf(out, " <FONT COLOR=\"%s\"><B>%s</B></FONT>",
                fsd_type_color(r->precision), fsd_dtype_name(r->precision));
    fputs("<BR/>" SMALL, out);
    if (node->name)
        fsd_put_dot_text(out, fsd_text(w->d->names, node->name), NAME);
    else
        fprintf(out, "layer %u", layer);
    fputs("</FONT>", out);
    if (r->inserted)
        put_form_change(w, layer, out);
}

/* ---------------------------------------------------------------- shared boxes */

struct tally {
    fsd_sym op;
    uint32_t n;
};

static uint32_t tally_types(const struct fsd_drawing *w, const struct fsd_box *box,
                            struct tally *types)
{
    const struct fsd_graph *g = graph_of(w, box->side);
    uint32_t n = 0;

    for (uint32_t i = 0; i < box->items.n; i++) {
        fsd_sym op = g->nodes.at[item(w, box, i)].op;
        uint32_t t = 0;

        while (t < n && types[t].op != op)
            t++;
        if (t == n && n < TYPES)
            types[n++] = (struct tally){op, 0};
        if (t < n)
            types[t].n++;
    }
    return n;
}

/* The most frequent first, of equal ones the earlier. */
static uint32_t take_most(struct tally *types, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t t = 1; t < n; t++)
        if (types[t].n > types[best].n)
            best = t;
    return best;
}

static void put_types(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    struct tally types[TYPES];
    uint32_t n = tally_types(w, box, types), rest = box->items.n;

    fputs("<BR/>" SMALL, out);
    for (uint32_t i = 0; i < n && i < SHOWN_TYPES; i++) {
        uint32_t t = take_most(types, n);

        fprintf(out, "%s%u ", i ? ", " : "", types[t].n);
        fsd_put_dot_text(out, fsd_text(w->d->names, types[t].op), 24);
        rest -= types[t].n;
        types[t].n = 0;
    }
    if (rest)
        fprintf(out, ", %u more", rest);
    fputs("</FONT>", out);
}

static void put_fates(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    uint32_t counts[FSD__FATE_COUNT] = {0};
    bool first = true;

    for (uint32_t i = 0; i < box->items.n; i++)
        counts[w->d->nodes[item(w, box, i)].fate]++;
    fputs("<BR/>" SMALL, out);
    for (int f = 0; f < FSD__FATE_COUNT; f++)
        if (counts[f]) {
            fprintf(out, "%s%s %u", first ? "" : ", ", fsd_fate_name((enum fsd_fate)f),
                    counts[f]);
            first = false;
        }
    fputs("</FONT>", out);
}

static void put_inserted(const struct fsd_drawing *w, const struct fsd_box *box,
                         FILE *out)
{
    uint32_t inserted = 0;

    for (uint32_t i = 0; i < box->items.n; i++)
        inserted += w->d->layers[item(w, box, i)].inserted;
    if (inserted)
        fprintf(out, "<BR/><FONT COLOR=\"#b34700\">+ %u inserted</FONT>", inserted);
}

static void put_shared(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    const char *what = box->side == FSD_SIDE_MODEL ? "nodes" : "layers";

    fputs("<B>", out);
    if (box->title)
        fsd_put_dot_text(out, box->title, TITLE);
    fprintf(out, "%s\xc3\x97%u %s</B>", box->title ? "  " : "", box->items.n, what);
    put_types(w, box, out);
    if (box->side == FSD_SIDE_MODEL)
        put_fates(w, box, out);
    else
        put_inserted(w, box, out);
}

/* ------------------------------------------------------------------- model boxes */

static void put_node(const struct fsd_drawing *w, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &w->d->model->nodes.at[node];
    const struct fsd_node_result *r = &w->d->nodes[node];
    bool gone = r->fate != FSD_FATE_LAYER;

    fputs(gone ? "<FONT COLOR=\"#666666\">" : "<B>", out);
    fsd_put_dot_text(out, fsd_text(w->d->names, n->op), NAME);
    fputs(gone ? "</FONT>" : "</B>", out);
    if (gone)
        fprintf(out, " <FONT COLOR=\"%s\"><I>%s</I></FONT>",
                r->fate == FSD_FATE_UNEXPLAINED ? "#cc0000" : "#666666",
                fsd_fate_name(r->fate));
    fputs("<BR/>" SMALL, out);
    if (n->name)
        fsd_put_dot_text(out, fsd_text(w->d->names, n->name), NAME);
    else
        fprintf(out, "#%u", node);
    fputs("</FONT>", out);
    if (!gone && fsd_dtype_rank(r->requested) && fsd_dtype_rank(r->realised) &&
        r->requested != r->realised)
        fprintf(out,
                "<BR/><FONT POINT-SIZE=\"8\" COLOR=\"#444444\">%s asked, </FONT>"
                "<FONT POINT-SIZE=\"8\" COLOR=\"%s\"><B>%s</B></FONT>",
                fsd_dtype_name(r->requested), fsd_type_color(r->realised),
                fsd_dtype_name(r->realised));
}

static void put_tensor(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    const struct fsd_graph *g = graph_of(w, box->side);
    fsd_id tensor = item(w, box, 0);
    const struct fsd_form *form = fsd_tensor_form(g, tensor);

    fsd_put_dot_text(out, fsd_text(w->d->names, g->tensors.at[tensor].name), NAME);
    fputs("<BR/>" SMALL, out);
    put_type(form, out);
    putc(' ', out);
    put_shape(g, form, out);
    fputs("</FONT>", out);
}

static void put_content(const struct fsd_drawing *w, const struct fsd_box *box,
                        FILE *out)
{
    if (box->kind != FSD_BOX_ITEMS)
        put_tensor(w, box, out);
    else if (box->items.n > 1)
        put_shared(w, box, out);
    else if (box->side == FSD_SIDE_MODEL)
        put_node(w, item(w, box, 0), out);
    else
        put_layer_head(w, item(w, box, 0), out);
}

void fsd_put_box_label(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    double ms = -1;
    int64_t bytes = -1;

    if (box->kind == FSD_BOX_ITEMS && box->side == FSD_SIDE_ENGINE)
        sum_costs(w, box, &ms, &bytes);
    if (ms < 0 && bytes < 0) {
        put_content(w, box, out);
        return;
    }
    fputs("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">"
          "<TR><TD>",
          out);
    put_content(w, box, out);
    if (ms >= 0)
        fprintf(out, "</TD></TR><TR><TD BGCOLOR=\"%s\">%.4g ms", heat_color(w, ms), ms);
    else
        fputs("</TD></TR><TR><TD>", out);
    if (bytes >= 0) {
        fputs(ms >= 0 ? ", " : "", out);
        fsd_put_bytes(w->d, bytes, out);
    }
    fputs("</TD></TR></TABLE>", out);
}

/* --------------------------------------------------------------------- tooltips */

static void put_item_tip(const struct fsd_drawing *w, const struct fsd_box *box,
                         fsd_id id, FILE *out)
{
    const struct fsd_node *n = &graph_of(w, box->side)->nodes.at[id];
    bool model = box->side == FSD_SIDE_MODEL;

    fprintf(out, "%s %u ", model ? "node" : "layer", id);
    fsd_put_dot_text(out, fsd_text(w->d->names, n->op), 60);
    putc(' ', out);
    fsd_put_dot_text(out, fsd_text(w->d->names, n->name), TIP_NAME);
    if (model)
        fprintf(out, "\\n%s", fsd_fate_name(w->d->nodes[id].fate));
    else
        fprintf(out, "\\n%s", fsd_kind_name(w->d->layers[id].kind));
    if (model && w->d->nodes[id].why && *w->d->nodes[id].why) {
        fputs(": ", out);
        fsd_put_dot_text(out, w->d->nodes[id].why, 200);
    }
    if (!model && w->d->layers[id].inserted)
        fprintf(out, ", inserted: %s", fsd_cause_name(w->d->reasons[id].cause));
}

void fsd_put_box_tip(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    if (box->kind != FSD_BOX_ITEMS) {
        fsd_id tensor = item(w, box, 0);

        fputs("tensor ", out);
        fsd_put_dot_text(
            out, fsd_text(w->d->names, graph_of(w, box->side)->tensors.at[tensor].name),
            TIP_NAME);
        return;
    }
    for (uint32_t i = 0; i < box->items.n && i < TIP_ITEMS; i++) {
        fputs(i ? "\\n" : "", out);
        put_item_tip(w, box, item(w, box, i), out);
    }
    if (box->items.n > TIP_ITEMS)
        fprintf(out, "\\nand %u more", box->items.n - TIP_ITEMS);
}

/* ------------------------------------------------------------------------ wires */

static const struct fsd_form *wire_form(const struct fsd_graph *g,
                                        const struct fsd_wire *wire, bool source)
{
    fsd_id port = source ? wire->from_port : wire->to_port;

    if (port == FSD_NONE)
        port = source ? wire->to_port : wire->from_port;
    return port == FSD_NONE ? fsd_tensor_form(g, wire->tensor)
                            : fsd_port_form(g, &g->ports.at[port]);
}

static void put_wire_text(const struct fsd_drawing *w, const struct fsd_wire *wire,
                          const char *new_line, FILE *out)
{
    const struct fsd_graph *g = graph_of(w, w->boxes.at[wire->from].side);
    const struct fsd_form *a = wire_form(g, wire, true), *b = wire_form(g, wire, false);

    if (a->type != FSD_DTYPE_UNKNOWN)
        put_type(a, out);
    if (b->type != a->type || !fsd_layout_same(a->layout, b->layout)) {
        fputs(" \xe2\x86\x92 ", out);
        put_type(b, out);
    }
    if (a->ranked) {
        fputs(new_line, out);
        put_shape(g, a, out);
    }
}

/* Indented and to the left: the wire runs along the label's left end. */
void fsd_put_wire_label(const struct fsd_drawing *w, const struct fsd_wire *wire,
                        FILE *out)
{
    fputs("  ", out);
    if (wire->n > 1)
        fprintf(out, "%u tensors", wire->n);
    else
        put_wire_text(w, wire, "\\l  ", out);
    fputs("\\l", out);
}

void fsd_put_wire_tip(const struct fsd_drawing *w, const struct fsd_wire *wire,
                      FILE *out)
{
    const struct fsd_graph *g = graph_of(w, w->boxes.at[wire->from].side);

    fsd_put_dot_text(out, fsd_text(w->d->names, g->tensors.at[wire->tensor].name),
                     TIP_NAME);
    fputs("\\n", out);
    put_wire_text(w, wire, "\\n", out);
    if (wire->n > 1)
        fprintf(out, "\\nand %u more tensors", wire->n - 1);
}
