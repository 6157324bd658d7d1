/*
 * Lists the differences between two builds as rows: regions, then inserted layers,
 * tensors between layers, nodes, inputs and outputs. All tables have the same columns,
 * so that users can concatenate them.
 */
#include "base/base.h"
#include "report/record/records.h"
#include "report/text/text.h"
#include "report/view/view.h"

/* clang-format off */
#define CHANGE_ROW(has, set, when, t) \
    has(t, COUNT,  region,    "region") \
    has(t, TEXT,   what,      "what") \
    has(t, NAME,   subject,   "of") \
    has(t, NAME,   was,       "was") \
    has(t, NAME,   now,       "now") \
    has(t, TEXT,   precision, "precision") \
    has(t, MS,     before,    "ms before") \
    has(t, MS,     after,     "ms now") \
    has(t, NUMBER, delta,     "change in ms")
FSD_RECORD(change_row, CHANGE_ROW)

#define ANSWER(has, set, when, t) \
    set(t, ROWS, head, head_rows(&m), FSD_ASIDE, .of = &fsd_line_record) \
    set(t, ROWS, regions, region_rows(&m), "Regions", .of = &change_row_record) \
    set(t, ROWS, moves, move_rows(&m), "Layers that only move data", \
        .of = &change_row_record) \
    set(t, ROWS, edges, edge_rows(&m), "Tensors between layers", \
        .of = &change_row_record) \
    set(t, ROWS, nodes, node_rows(&m), "Nodes", .of = &change_row_record) \
    set(t, ROWS, ports, port_rows(&m), "Inputs and outputs", .of = &change_row_record) \
    when(t, ROWS, tactics, sheet->style->tactics, tactic_rows(&m), "Other tactics", \
        .of = &change_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

struct context {
    struct fsd_arena *arena;
    const struct fsd_compare *c;
};

/* ---------------------------------------------------- phrases of the text, as cells */

static const char *groups_cell(const struct context *m, const struct fsd_state *s,
                               struct fsd_span groups)
{
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
    return fsd_print_take(&print, m->arena);
}

/* The text for a data-movement layer: "reformat (layout): fp16 chw -> fp16 hwc8".
 * Returns NULL (an unknown cell) if `move` is FSD_NONE. */
static const char *move_cell(const struct context *m, const struct fsd_state *s,
                             fsd_id move)
{
    const struct fsd_move *at;
    struct fsd_print print;
    FILE *out;

    if (move == FSD_NONE)
        return NULL;
    at = &s->moves.at[move];
    out = fsd_print_open(&print);
    fsd_put_move(s, at, out);
    fputs(": ", out);
    fsd_put_move_forms(s, at, ' ', out);
    return fsd_print_take(&print, m->arena);
}

static const char *port_cell(const struct context *m, const struct fsd_state *s,
                             bool output, fsd_id port)
{
    struct fsd_print print;

    if (port == FSD_NONE)
        return NULL;
    fsd_put_port(s, output, port, fsd_print_open(&print));
    return fsd_print_take(&print, m->arena);
}

static struct fsd_count region_cell(const struct context *m, fsd_id region)
{
    return region == FSD_NONE || !m->c->regions.at[region].differs
               ? (struct fsd_count){0}
               : fsd_count(region);
}

/* ------------------------------------------------------------------------- tables */

static const struct fsd_rows *region_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");

    for (uint32_t i = 0; i < m->c->regions.n; i++) {
        const struct fsd_region_diff *r = &m->c->regions.at[m->c->order[i]];
        struct change_row *row;

        if (!r->differs)
            continue;
        row = fsd_rows_add(rows);
        row->region = fsd_count(m->c->order[i]);
        row->what = r->happened == FSD_HAPPENED_SAME ? "same-fusion"
                                                     : fsd_happened_name(r->happened);
        row->was = groups_cell(m, m->c->old, r->old_groups);
        row->now = groups_cell(m, m->c->new, r->new_groups);
        row->precision = fsd_region_precision(r);
        if (!m->c->timed)
            continue;
        row->before = fsd_real_ms(r->before);
        row->after = fsd_real_ms(r->after);
        row->delta = fsd_real(fsd_larger(r->after, 0) - fsd_larger(r->before, 0));
    }
    return rows;
}

/* Adds a row for each counts[i] that is not 0: word(i), and "3 Q/DQ nodes (-f json
 * lists them)".
 * @param of the noun for the counted objects: "Q/DQ nodes" */
static void add_counted(const struct context *m, struct fsd_rows *rows,
                        const uint32_t *counts, unsigned n,
                        const char *(*word)(unsigned), const char *of)
{
    for (unsigned i = 0; i < n; i++)
        if (counts[i]) {
            struct change_row *row = fsd_rows_add(rows);

            row->what = word(i);
            row->subject =
                fsd_printed(m->arena, "%u %s (-f json lists them)", counts[i], of);
        }
}

static const struct fsd_rows *move_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");
    uint32_t counted[3] = {0};

    FSD_EACH (const struct fsd_move_change, change, m->c->moves) {
        struct fsd_shown shown = fsd_compare_shown(m->c, change->old, change->new);
        struct change_row *row;
        struct fsd_print print;

        if (fsd_move_change_is_quantizer(m->c, change)) {
            counted[change->what]++;
            continue;
        }
        row = fsd_rows_add(rows);
        fsd_put_move_ends(shown.s, &shown.s->moves.at[shown.at],
                          fsd_print_open(&print));
        row->region = region_cell(m, change->region);
        row->what = fsd_move_what_name(change->what);
        row->subject = fsd_print_take(&print, m->arena);
        row->was = move_cell(m, m->c->old, change->old);
        row->now = move_cell(m, m->c->new, change->new);
        if (change->old != FSD_NONE)
            row->before = fsd_real_ms(m->c->old->moves.at[change->old].ms.median);
        if (change->new != FSD_NONE)
            row->after = fsd_real_ms(m->c->new->moves.at[change->new].ms.median);
    }
    add_counted(m, rows, counted, FSD_COUNT_OF(counted), fsd_move_what_name,
                "unfused Q/DQ");
    return rows;
}

static const struct fsd_rows *edge_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");
    const struct fsd_state *s = m->c->new;

    FSD_EACH (const struct fsd_edge_change, e, m->c->edges) {
        struct change_row *row = fsd_rows_add(rows);

        row->region = region_cell(m, e->region);
        row->what = "edge";
        row->subject =
            fsd_printed(m->arena, "%s -> %s", fsd_origin_text(s, e->new_from),
                        fsd_edge_reader(m->c, e));
        row->was = fsd_state_form_text(m->arena, m->c->old, e->before);
        row->now = fsd_state_form_text(m->arena, s, e->after);
        row->precision = fsd_width_name(e->width);
    }
    return rows;
}

static const struct fsd_rows *node_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");
    uint32_t counted[FSD__PRESENCE_COUNT] = {0};

    FSD_EACH (const struct fsd_node_presence, p, m->c->presences) {
        struct fsd_shown shown = fsd_compare_shown(m->c, p->old, p->new);
        struct change_row *row;

        if (fsd_presence_is_quantizer(m->c, p)) {
            counted[p->what]++;
            continue;
        }
        row = fsd_rows_add(rows);
        row->what = fsd_presence_name(p->what);
        row->subject = fsd_state_node_key(shown.s, shown.at);
        row->was = fsd_state_fate(m->c->old, p->old);
        row->now = fsd_state_fate(m->c->new, p->new);
    }
    add_counted(m, rows, counted, FSD__PRESENCE_COUNT, fsd_presence_name, "Q/DQ nodes");
    return rows;
}

static const struct fsd_rows *port_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");

    FSD_EACH (const struct fsd_port_change, p, m->c->ports) {
        struct change_row *row = fsd_rows_add(rows);

        row->what = p->output ? "output" : "input";
        row->was = port_cell(m, m->c->old, p->output, p->old);
        row->now = port_cell(m, m->c->new, p->output, p->new);
    }
    return rows;
}

static const struct fsd_rows *tactic_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &change_row_record, "");

    for (uint32_t i = 0; i < m->c->regions.n; i++) {
        const struct fsd_region_diff *r = &m->c->regions.at[i];
        const struct fsd_state *s[] = {m->c->old, m->c->new};
        const struct fsd_group *old, *new;
        struct change_row *row;
        struct fsd_print print;

        if (!r->tactic)
            continue;
        old = &s[0]->groups.at[m->c->pool.at[r->old_groups.at]];
        new = &s[1]->groups.at[m->c->pool.at[r->new_groups.at]];
        row = fsd_rows_add(rows);
        fsd_put_group(s[1], new, fsd_print_open(&print));
        row->region = region_cell(m, i);
        row->what = "tactic";
        row->subject = fsd_print_take(&print, m->arena);
        row->was = fsd_text(s[0]->names, old->tactic);
        row->now = fsd_text(s[1]->names, new->tactic);
        row->before = fsd_real_ms(old->ms.median);
        row->after = fsd_real_ms(new->ms.median);
    }
    return rows;
}

/* The first lines of the text: the two builds, and all counts. */
static const struct fsd_rows *head_rows(const struct context *m)
{
    struct fsd_rows *rows = fsd_rows_new(m->arena, &fsd_line_record, "{line}\n");
    struct fsd_print print;
    char *line;

    fsd_compare_put_conclusion(m->c, fsd_print_open(&print));
    fsd_compare_put_head(m->c, true, print.out);
    line = fsd_print_take(&print, m->arena);
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        fsd_rows_add_line(rows, line);
    }
    return rows;
}

void fsd_sheet_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c)
{
    const struct context m = {sheet->arena, c};
    struct answer *root;

    sheet->name = "compare";
    root = fsd_sheet_begin(sheet, NULL, &answer_record, "{head}", "");
    FSD_FILL(root, ANSWER);
}
