/*
 * Prints the rows of a list of layers, below the headings that headings.c finds. A row
 * is one line. If its names do not fit into this line, they take a second line.
 */
#include "model/graph/graph.h"
#include "report/text/rows.h"
#include "base/base.h"
#include "report/phrase/phrase.h"
#include "report/text/text.h"

#include <stdlib.h>

enum { ROW_INDENT = 8 }; /* indentation of a row's second line, in columns */

struct listing {
    const struct fsd_diff *d;
    const struct fsd_style *style;
    FILE *out;
};

/* Whether a node is listed. Folded constants and absorbed quantizers, for example, are
 * not. */
static bool is_shown(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_LAYER;
}

/* The first or the last node that the layers from `from` to `to` - 1 compute; FSD_NONE
 * if they compute no node. */
static fsd_id edge_node(const struct fsd_diff *d, fsd_id from, fsd_id to, bool last)
{
    for (fsd_id k = 0; k < to - from; k++) {
        fsd_id layer = last ? to - 1 - k : from + k;
        uint32_t n = d->match->of_layer[layer].n;

        if (n)
            return fsd_match_of_layer(d->match, layer, last ? n - 1 : 0)->node;
    }
    return FSD_NONE;
}

static void add_name(struct fsd_text_row *row, const struct fsd_diff *d, fsd_id node)
{
    struct fsd_text_scope scope = fsd_text_scope_of(d, node);

    row->scope = row->named ? fsd_text_shared_scope(row->scope, scope) : scope;
    row->named = true;
}

static void find_scope(const struct fsd_diff *d, struct fsd_text_row *row)
{
    fsd_id first = edge_node(d, row->from, row->to, false);

    if (row->what == FSD_TEXT_RUN && first != FSD_NONE) {
        add_name(row, d, first);
        add_name(row, d, edge_node(d, row->from, row->to, true));
    } else if (row->what == FSD_TEXT_LAYER &&
               !fsd_match_in_region(d->match, row->from)) {
        FSD_EACH_OF (node, d->match->links, d->match->of_layer[row->from], node)
            if (is_shown(d, node))
                add_name(row, d, node);
    }
}

/* Prints the name of a node without the part of its path that the heading states. */
static void put_name(const struct fsd_diff *d, fsd_id node,
                     struct fsd_text_scope stated, FILE *out)
{
    struct fsd_print text;

    fsd_put_node_name(d, node, fsd_print_open(&text));
    fsd_print_close(&text);
    fputs(stated.sign == '/' && stated.path.n ? text.text + stated.path.n + 1
                                              : text.text,
          out);
    free(text.text);
}

/* Prints the module of the row's nodes, without the part that the heading states:
 * "self_attn.q_proj: ". */
static void put_module(const struct fsd_text_row *row, FILE *out)
{
    struct fsd_slice rest = row->scope.path;
    size_t above = row->heading.path.n;

    rest = fsd_slice_from(rest, above ? above + 1 : 0);
    if (row->scope.sign == '.' && rest.n)
        fprintf(out, "%.*s: ", (int)rest.n, rest.s);
}

/* ------------------------------------------------------------------------- a layer */

static void put_nodes(const struct fsd_diff *d, fsd_id layer,
                      const struct fsd_text_row *row, FILE *out)
{
    bool any = false;

    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node) {
        if (!is_shown(d, node))
            continue;
        if (any)
            fputs(" + ", out);
        else
            put_module(row, out);
        any = true;
        put_name(d, node, row->heading, out);
        if (fsd_runs_wider(&d->nodes[node]))
            fprintf(out, " (requested %s)", fsd_dtype_name(d->nodes[node].requested));
    }
}

/* Prints the nodes of a region, if the layer is the region's first layer. */
static void put_region(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_region *region =
        &d->match->regions.at[d->match->region_of_layer[layer]];

    if (d->match->pool.at[region->layers.at] != layer)
        return;
    for (uint32_t i = 0; i < region->nodes.n; i++) {
        fputs(i ? " + " : "", out);
        fsd_put_node_name(d, d->match->pool.at[region->nodes.at + i], out);
    }
}

/* The names of a layer's nodes. If the layer computes no node: its own name, or "" if
 * it is inserted. In a region, the first layer gets the names of all nodes of the
 * region, and the other layers get "". */
static char *subject_of(const struct fsd_diff *d, fsd_id layer,
                        const struct fsd_text_row *row, struct fsd_arena *arena)
{
    struct fsd_print text;

    fsd_print_open(&text);
    if (fsd_match_in_region(d->match, layer))
        put_region(d, layer, text.out);
    else if (d->match->of_layer[layer].n)
        put_nodes(d, layer, row, text.out);
    else if (!d->layers[layer].inserted)
        fputs(fsd_text(d->names, d->engine->nodes.at[layer].name), text.out);
    return fsd_print_take(&text, arena);
}

/* Prints the names on the current line if they fit, otherwise on a second line. */
static void put_subject(const struct listing *l, const char *names, const char *joiner,
                        size_t used)
{
    size_t width = fsd_text_width(l->style);
    struct fsd_print all;
    size_t needs = fsd_put_names(fsd_print_open(&all), names, joiner, 0);

    fsd_print_drop(&all);
    if (*names && used + 2 + needs > width)
        fprintf(l->out, "\n%*s", ROW_INDENT, "");
    else if (*names)
        fputs("  ", l->out);
    fsd_put_names(l->out, names, joiner, width - ROW_INDENT);
    putc('\n', l->out);
}

static void put_kind(const struct listing *l, fsd_id layer, FILE *out)
{
    const struct fsd_diff *d = l->d;
    fsd_id region = d->match->region_of_layer[layer];

    fsd_text_kind(d, layer, out);
    if (!fsd_match_in_region(d->match, layer))
        return;
    fprintf(out, "  region %u", region);
    if (d->match->pool.at[d->match->regions.at[region].layers.at] == layer) {
        fputs(": ", out);
        fsd_put_noun(out, d->match->regions.at[region].nodes.n, "node");
        fputs(" in ", out);
        fsd_put_noun(out, d->match->regions.at[region].layers.n, "layer");
    }
}

static void put_layer(const struct listing *l, const struct fsd_text_row *row)
{
    const struct fsd_diff *d = l->d;
    fsd_id layer = row->from;
    FSD_SCRATCH(scratch);
    char mark = fsd_text_mark(d, layer);
    struct fsd_print what;
    size_t used;

    fsd_print_open(&what);
    fprintf(what.out, "%5u %c ", layer, mark);
    put_kind(l, layer, what.out);
    fsd_ink(l->style, fsd_text_mark_ink(mark, FSD_INK_PLAIN), l->out);
    used = fsd_put_fitted(l->out, fsd_print_take(&what, scratch),
                          fsd_text_width(l->style));
    fsd_ink(l->style, FSD_INK_PLAIN, l->out);
    put_subject(l, subject_of(d, layer, row, scratch), " + ", used);
}

/* ------------------------------------------------------------------- folded layers */

static double ms_of(const struct fsd_diff *d, fsd_id from, fsd_id to)
{
    double ms = 0;

    for (fsd_id i = from; i < to; i++)
        ms += fsd_layer_ms(d, i) > 0 ? fsd_layer_ms(d, i) : 0;
    return ms;
}

static void put_range(fsd_id from, fsd_id to, FILE *out)
{
    fprintf(out, to > from + 1 ? "%u to %u" : "%u", from, to - 1);
}

/* Prints the end of a row of folded layers. */
static void end_folded(const struct listing *l, fsd_id from, fsd_id to)
{
    if (l->d->times->profiles) {
        fputs(": ", l->out);
        fsd_put_ms(ms_of(l->d, from, to), l->out);
    }
    fputs(" (--all)\n", l->out);
    fsd_ink(l->style, FSD_INK_PLAIN, l->out);
}

static void put_again(const struct listing *l, const struct fsd_text_row *row)
{
    fsd_id from = row->from, begin = from + row->block.layers, end = row->to;
    FILE *out = l->out;

    fsd_ink(l->style, FSD_INK_FAINT, out);
    fprintf(out, "      = layer%s ", end > begin + 1 ? "s" : "");
    put_range(begin, end, out);
    fputs(end > begin + 1 ? " are as " : " is as ", out);
    put_range(from, begin, out);
    if (row->block.again > 1)
        fprintf(out, ", %u times", row->block.again);
    end_folded(l, begin, end);
}

static void put_control(const struct listing *l, const struct fsd_text_row *row)
{
    bool one = row->to == row->from + 1;

    fsd_ink(l->style, FSD_INK_FAINT, l->out);
    fprintf(l->out, "      = layer%s ", one ? "" : "s");
    put_range(row->from, row->to, l->out);
    fprintf(l->out, " only synchronize%s, jump%s or compute%s addresses",
            one ? "s" : "", one ? "s" : "", one ? "s" : "");
    end_folded(l, row->from, row->to);
}

/* Prints "  /m/layers.0: q_proj/Add to fc2/Mul", on the current line or on a second
 * line. */
static void put_first_and_last(const struct listing *l, const struct fsd_text_row *row,
                               size_t used)
{
    fsd_id first = edge_node(l->d, row->from, row->to, false),
           last = edge_node(l->d, row->from, row->to, true);
    FSD_SCRATCH(scratch);
    struct fsd_print both;

    put_module(row, fsd_print_open(&both));
    put_name(l->d, first, row->heading, both.out);
    if (first != last) {
        fputs(" to ", both.out);
        put_name(l->d, last, row->heading, both.out);
    }
    put_subject(l, fsd_print_take(&both, scratch), " to ", used);
}

static void put_run(const struct listing *l, const struct fsd_text_row *row)
{
    const struct fsd_diff *d = l->d;
    FSD_SCRATCH(scratch);
    struct fsd_print line;
    uint32_t nodes = 0;
    size_t used;

    for (fsd_id i = row->from; i < row->to; i++)
        nodes += d->match->of_layer[i].n;
    fputs("      = layers ", fsd_print_open(&line));
    put_range(row->from, row->to, line.out);
    if (d->times->profiles) {
        fputs(", ", line.out);
        fsd_put_ms(ms_of(d, row->from, row->to), line.out);
    }
    fputs(": ", line.out);
    fsd_put_noun(line.out, nodes, "node");
    fputs(" (--all)", line.out);
    fsd_ink(l->style, FSD_INK_FAINT, l->out);
    used = fsd_put_fitted(l->out, fsd_print_take(&line, scratch),
                          fsd_text_width(l->style));
    if (row->named)
        put_first_and_last(l, row, used);
    else
        putc('\n', l->out);
    fsd_ink(l->style, FSD_INK_PLAIN, l->out);
}

/* ---------------------------------------------------------------------- the listing */

static void put_heading(const struct listing *l, struct fsd_text_scope scope)
{
    fsd_ink(l->style, FSD_INK_FAINT, l->out);
    fputs("      in ", l->out);
    if (scope.path.n)
        fsd_put_safe_slice(l->out, scope.path);
    else
        fputs("the whole model", l->out);
    fputs(":\n", l->out);
    fsd_ink(l->style, FSD_INK_PLAIN, l->out);
}

/* Whether to print the row's heading. The row must have names, and its heading must
 * differ from `stated`, the last printed one. The empty heading ("the whole model") is
 * not printed above names that begin with a slash, because the slash shows that they
 * are complete. */
static bool needs_heading(const struct fsd_text_row *row, struct fsd_text_scope stated)
{
    return row->named && !fsd_text_is_scope(row->heading, stated) &&
           (row->heading.path.n || !row->scope.path.n || row->scope.path.s[0] != '/');
}

void fsd_text_rows(const struct fsd_diff *d, const struct fsd_style *style,
                   struct fsd_text_row *rows, uint32_t n, FILE *out)
{
    static void (*const put[])(const struct listing *, const struct fsd_text_row *) = {
        [FSD_TEXT_LAYER] = put_layer,
        [FSD_TEXT_RUN] = put_run,
        [FSD_TEXT_CONTROL] = put_control,
        [FSD_TEXT_AGAIN] = put_again};
    const struct listing l = {d, style, out};
    FSD_SCRATCH(scratch);
    struct fsd_text_scope stated = {{"", 0}, '/'};

    for (uint32_t i = 0; i < n; i++)
        find_scope(d, &rows[i]);
    fsd_text_find_headings(rows, n, scratch);
    for (uint32_t i = 0; i < n; i++) {
        if (needs_heading(&rows[i], stated))
            put_heading(&l, stated = rows[i].heading);
        put[rows[i].what](&l, &rows[i]);
    }
}
