/*
 * What two builds differ in, as rows: regions, then inserted layers, tensors between
 * layers, nodes, inputs and outputs.  All tables have the same columns, so that they
 * can be one.
 */
#include "base/print.h"
#include "report/text/phrase.h"
#include "report/view/view.h"

#include <string.h>

enum { REGION, WHAT, SUBJECT, WAS, NOW, PRECISION, BEFORE, AFTER, DELTA };

static const struct fsd_column change_columns[] = {
    [REGION] = {"region", "region", FSD_CELL_COUNT},
    [WHAT] = {"what", "what", FSD_CELL_TEXT},
    [SUBJECT] = {"subject", "of", FSD_CELL_NAME},
    [WAS] = {"was", "was", FSD_CELL_NAME},
    [NOW] = {"now", "now", FSD_CELL_NAME},
    [PRECISION] = {"precision", "precision", FSD_CELL_TEXT},
    [BEFORE] = {"before", "ms before", FSD_CELL_MS},
    [AFTER] = {"after", "ms now", FSD_CELL_MS},
    [DELTA] = {"delta", "change in ms", FSD_CELL_NUMBER},
};

static const struct fsd_column line_columns[] = {
    [0] = {"line", NULL, FSD_CELL_NAME},
};

enum { HEAD, REGIONS, MOVES, EDGES, NODES, PORTS, TACTICS };

static const struct fsd_column columns[] = {
    [HEAD] = {"head", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(line_columns)},
    [REGIONS] = {"regions", "Regions", FSD_CELL_ROWS, FSD_INSIDE(change_columns)},
    [MOVES] = {"moves", "Layers that only move data", FSD_CELL_ROWS,
               FSD_INSIDE(change_columns)},
    [EDGES] = {"edges", "Tensors between layers", FSD_CELL_ROWS,
               FSD_INSIDE(change_columns)},
    [NODES] = {"nodes", "Nodes", FSD_CELL_ROWS, FSD_INSIDE(change_columns)},
    [PORTS] = {"ports", "Inputs and outputs", FSD_CELL_ROWS,
               FSD_INSIDE(change_columns)},
    [TACTICS] = {"tactics", "Other tactics", FSD_CELL_ROWS, FSD_INSIDE(change_columns)},
};

struct maker {
    struct fsd_arena *arena;
    const struct fsd_compare *c;
};

/* ---------------------------------------------------- phrases of the text, as cells */

static struct fsd_cell groups_cell(const struct maker *m, struct fsd_span groups,
                                   bool new)
{
    const struct fsd_state *s = new ? m->c->new : m->c->old;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[m->c->pool.at[groups.at + i]];

        fprintf(out, "%s%s ", i ? "; " : "",
                fsd_dtype_name((enum fsd_dtype)g->precision));
        fsd_put_group(s, g, out);
    }
    if (!groups.n)
        fputs("no layer", out);
    return fsd_cell_text(fsd_print_take(&print, m->arena));
}

static struct fsd_cell form_cell(const struct maker *m, const struct fsd_state *s,
                                 struct fsd_state_form form)
{
    struct fsd_print print;

    fsd_put_state_form(s, form, ' ', fsd_print_open(&print));
    return fsd_cell_text(fsd_print_take(&print, m->arena));
}

/* "reformat (layout): fp16 chw -> fp16 hwc8"; unknown for FSD_NONE. */
static struct fsd_cell move_cell(const struct maker *m, const struct fsd_state *s,
                                 fsd_id move)
{
    const struct fsd_move *at;
    struct fsd_print print;
    FILE *out;

    if (move == FSD_NONE)
        return (struct fsd_cell){0};
    at = &s->moves.at[move];
    out = fsd_print_open(&print);
    fsd_put_move(s, at, out);
    fputs(": ", out);
    fsd_put_move_forms(s, at, ' ', out);
    return fsd_cell_text(fsd_print_take(&print, m->arena));
}

static struct fsd_cell port_cell(const struct maker *m, const struct fsd_state *s,
                                 bool output, fsd_id port)
{
    struct fsd_print print;

    if (port == FSD_NONE)
        return (struct fsd_cell){0};
    fsd_put_port(s, output, port, fsd_print_open(&print));
    return fsd_cell_text(fsd_print_take(&print, m->arena));
}

static struct fsd_cell region_cell(const struct maker *m, fsd_id region)
{
    return region == FSD_NONE || !m->c->regions.at[region].differs
               ? (struct fsd_cell){0}
               : fsd_cell_count(region);
}

/* ------------------------------------------------------------------------- tables */

static struct fsd_cell region_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < m->c->regions.n; i++) {
        const struct fsd_region_diff *r = &m->c->regions.at[m->c->order[i]];
        struct fsd_cell *row;

        if (!r->differs)
            continue;
        row = fsd_rows_add(m->arena, &rows);
        row[REGION] = fsd_cell_count(m->c->order[i]);
        row[WHAT] = fsd_cell_text(r->happened == FSD_HAPPENED_SAME
                                      ? "same-fusion"
                                      : fsd_happened_name(r->happened));
        row[WAS] = groups_cell(m, r->old_groups, false);
        row[NOW] = groups_cell(m, r->new_groups, true);
        row[PRECISION] = fsd_cell_text(fsd_region_precision(r));
        if (!m->c->timed)
            continue;
        row[BEFORE] = fsd_cell_ms(r->before);
        row[AFTER] = fsd_cell_ms(r->after);
        row[DELTA] = fsd_cell_number((r->after > 0 ? r->after : 0) -
                                     (r->before > 0 ? r->before : 0));
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

static struct fsd_cell move_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < m->c->moves.n; i++) {
        const struct fsd_move_change *change = &m->c->moves.at[i];
        bool gone = change->new == FSD_NONE;
        const struct fsd_state *s = gone ? m->c->old : m->c->new;
        struct fsd_cell *row = fsd_rows_add(m->arena, &rows);
        struct fsd_print print;

        fsd_put_move_ends(s, &s->moves.at[gone ? change->old : change->new],
                          fsd_print_open(&print));
        row[REGION] = region_cell(m, change->region);
        row[WHAT] = fsd_cell_text(fsd_move_what_name(change->what));
        row[SUBJECT] = fsd_cell_text(fsd_print_take(&print, m->arena));
        row[WAS] = move_cell(m, m->c->old, change->old);
        row[NOW] = move_cell(m, m->c->new, change->new);
        if (change->old != FSD_NONE)
            row[BEFORE] = fsd_cell_ms(m->c->old->moves.at[change->old].ms.median);
        if (!gone)
            row[AFTER] = fsd_cell_ms(m->c->new->moves.at[change->new].ms.median);
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

static struct fsd_cell edge_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");
    const struct fsd_state *s = m->c->new;

    for (uint32_t i = 0; i < m->c->edges.n; i++) {
        const struct fsd_edge_change *e = &m->c->edges.at[i];
        struct fsd_cell *row = fsd_rows_add(m->arena, &rows);

        row[REGION] = region_cell(m, e->region);
        row[WHAT] = fsd_cell_text("edge");
        row[SUBJECT] = fsd_cell_text(
            fsd_printed(m->arena, "%s -> %s", fsd_state_ref_text(s, e->new_from, false),
                        fsd_edge_reader(m->c, e)));
        row[WAS] = form_cell(m, m->c->old, e->before);
        row[NOW] = form_cell(m, s, e->after);
        row[PRECISION] = fsd_cell_text(fsd_width_name(e->width));
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

static struct fsd_cell fate_cell(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE
               ? (struct fsd_cell){0}
               : fsd_cell_text(fsd_fate_name((enum fsd_fate)s->nodes.at[node].fate));
}

static struct fsd_cell node_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < m->c->presences.n; i++) {
        const struct fsd_node_presence *p = &m->c->presences.at[i];
        bool gone = p->new == FSD_NONE;
        const struct fsd_state *s = gone ? m->c->old : m->c->new;
        struct fsd_cell *row = fsd_rows_add(m->arena, &rows);

        row[WHAT] = fsd_cell_text(fsd_presence_name(p->what));
        row[SUBJECT] =
            fsd_cell_text(fsd_text(s->names, s->nodes.at[gone ? p->old : p->new].key));
        row[WAS] = fate_cell(m->c->old, p->old);
        row[NOW] = fate_cell(m->c->new, p->new);
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

static struct fsd_cell port_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < m->c->ports.n; i++) {
        const struct fsd_port_change *p = &m->c->ports.at[i];
        struct fsd_cell *row = fsd_rows_add(m->arena, &rows);

        row[WHAT] = fsd_cell_text(p->output ? "output" : "input");
        row[WAS] = port_cell(m, m->c->old, p->output, p->old);
        row[NOW] = port_cell(m, m->c->new, p->output, p->new);
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

static struct fsd_cell tactic_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < m->c->regions.n; i++) {
        const struct fsd_region_diff *r = &m->c->regions.at[i];
        const struct fsd_state *s[] = {m->c->old, m->c->new};
        const struct fsd_group *old, *new;
        struct fsd_cell *row;
        struct fsd_print print;

        if (!r->tactic)
            continue;
        old = &s[0]->groups.at[m->c->pool.at[r->old_groups.at]];
        new = &s[1]->groups.at[m->c->pool.at[r->new_groups.at]];
        row = fsd_rows_add(m->arena, &rows);
        fsd_put_group(s[1], new, fsd_print_open(&print));
        row[REGION] = region_cell(m, i);
        row[WHAT] = fsd_cell_text("tactic");
        row[SUBJECT] = fsd_cell_text(fsd_print_take(&print, m->arena));
        row[WAS] = fsd_cell_text(fsd_text(s[0]->names, old->tactic));
        row[NOW] = fsd_cell_text(fsd_text(s[1]->names, new->tactic));
        row[BEFORE] = fsd_cell_ms(old->ms.median);
        row[AFTER] = fsd_cell_ms(new->ms.median);
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

/* What the text begins with: what was compared, and all counts. */
static struct fsd_cell head_rows(const struct maker *m)
{
    struct fsd_rows rows = FSD_ROWS(line_columns, "{line}\n");
    struct fsd_print print;
    char *line;

    fsd_compare_put_head(m->c, fsd_print_open(&print));
    line = fsd_print_take(&print, m->arena);
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        fsd_rows_add(m->arena, &rows)[0] = fsd_cell_text(line);
    }
    return fsd_cell_rows(m->arena, &rows, UINT32_MAX);
}

void fsd_sheet_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c,
                             const struct fsd_style *style)
{
    const struct maker m = {sheet->arena, c};
    struct fsd_cell *root;

    sheet->name = "compare";
    sheet->head = "{head}";
    sheet->root = FSD_ROWS(columns, "");
    root = fsd_rows_add(sheet->arena, &sheet->root);
    root[HEAD] = head_rows(&m);
    root[REGIONS] = region_rows(&m);
    root[MOVES] = move_rows(&m);
    root[EDGES] = edge_rows(&m);
    root[NODES] = node_rows(&m);
    root[PORTS] = port_rows(&m);
    if (style->tactics)
        root[TACTICS] = tactic_rows(&m);
}
