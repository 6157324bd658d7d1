/*
 * What changed between two exports, as rows.  Text puts together what happened alike to
 * several nodes:
 *
 *     quantization 62
 *         input 0: plain -> int8  61 nodes: Conv_4, Conv_13, Conv_21 and 58 more
 */
#include "base/print.h"
#include "base/text.h"
#include "report/text/phrase.h"
#include "report/view/view.h"

#include <string.h>

enum { FEW_NODES = 6, FEW_LINES = 12 };

struct maker {
    struct fsd_arena *arena;
    const struct fsd_exports *e;
    bool all;
};

static const char *name_of(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? NULL : fsd_text(s->names, s->nodes.at[node].key);
}

static const char *called(const struct maker *k, const struct fsd_export_change *c)
{
    return c->new != FSD_NONE ? name_of(k->e->after, c->new)
                              : name_of(k->e->before, c->old);
}

/* ------------------------------------------------------------------------- records */

enum { WHAT, OLD, NEW, OP, OF, WAS, NOW };

static const struct fsd_column change_columns[] = {
    [WHAT] = {"what", "what", FSD_CELL_TEXT},
    [OLD] = {"old", "old node", FSD_CELL_NAME},
    [NEW] = {"new", "new node", FSD_CELL_NAME},
    [OP] = {"op", "operator", FSD_CELL_NAME},
    [OF] = {"of", "of", FSD_CELL_TEXT},
    [WAS] = {"was", "was", FSD_CELL_NAME},
    [NOW] = {"now", "now", FSD_CELL_NAME},
};

static struct fsd_cell change_rows(const struct maker *k)
{
    struct fsd_rows rows = FSD_ROWS(change_columns, "");

    for (uint32_t i = 0; i < k->e->changes.n; i++) {
        const struct fsd_export_change *c = &k->e->changes.at[i];
        const struct fsd_state *s = c->new != FSD_NONE ? k->e->after : k->e->before;
        fsd_id node = c->new != FSD_NONE ? c->new : c->old;
        struct fsd_cell *row = fsd_rows_add(k->arena, &rows);

        row[WHAT] = fsd_cell_text(fsd_export_what_name(c->what));
        row[OLD] = fsd_cell_text(name_of(k->e->before, c->old));
        row[NEW] = fsd_cell_text(name_of(k->e->after, c->new));
        if (node != FSD_NONE)
            row[OP] = fsd_cell_text(fsd_text(s->names, s->nodes.at[node].op));
        if (*c->of)
            row[OF] = fsd_cell_text(c->of);
        if (*c->was)
            row[WAS] = fsd_cell_text(c->was);
        if (*c->now)
            row[NOW] = fsd_cell_text(c->now);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

enum { M_MODEL, M_EXPORTER, M_NODES, M_COMPUTING };

static const struct fsd_column model_columns[] = {
    [M_MODEL] = {"model", NULL, FSD_CELL_NAME},
    [M_EXPORTER] = {"exporter", NULL, FSD_CELL_NAME},
    [M_NODES] = {"nodes", NULL, FSD_CELL_COUNT},
    [M_COMPUTING] = {"computing", NULL, FSD_CELL_COUNT},
};

static struct fsd_cell model_record(const struct maker *k, bool new)
{
    const struct fsd_graph *g = (new ? &k->e->new : &k->e->old)->model;
    struct fsd_rows rows =
        FSD_ROWS(model_columns, "{model}  (<{exporter!}, >{nodes|node|nodes}, "
                                "{computing} of them compute)\n");
    struct fsd_cell *row = fsd_rows_add(k->arena, &rows);

    row[M_MODEL] = fsd_cell_text(g->path);
    row[M_EXPORTER] = fsd_cell_text(fsd_text(g->names, g->producer));
    row[M_NODES] = fsd_cell_count(g->nodes.n);
    row[M_COMPUTING] = fsd_cell_count(new ? k->e->new_nodes : k->e->old_nodes);
    return fsd_cell_rows(k->arena, &rows, 1);
}

/* ---------------------------------------------------------------------------- text */

static const struct fsd_column line_columns[] = {
    [0] = {"line", NULL, FSD_CELL_NAME},
};

/* Of what is quantized on one side only, the scale is every node's own. */
static size_t told_alike(const char *text, const char *other)
{
    const char *scale = strcmp(other, "plain") ? NULL : strstr(text, " scale ");

    return scale ? (size_t)(scale - text) : strlen(text);
}

/* "input 0: plain -> int8", "Gelu", "fp32 -> fp16" */
static void put_change(const struct fsd_export_change *c, bool whole, FILE *out)
{
    if (*c->of)
        fprintf(out, "%s: ", c->of);
    if (*c->was)
        fprintf(out, "%.*s", (int)(whole ? strlen(c->was) : told_alike(c->was, c->now)),
                c->was);
    if (c->what != FSD_EXPORT_REMOVED && c->what != FSD_EXPORT_ADDED)
        fputs(" -> ", out);
    fprintf(out, "%.*s", (int)(whole ? strlen(c->now) : told_alike(c->now, c->was)),
            c->now);
}

/* Changes that read alike, in their order. */
struct alike {
    fsd_id *first, *last; /* by key */
    uint32_t *n;
    fsd_id *next; /* by change; FSD_NONE */
    fsd_sym *key;
};

static struct alike put_together(const struct maker *k)
{
    uint32_t n = k->e->changes.n;
    struct fsd_intern *keys = fsd_intern_new(k->arena);
    struct alike x = {.first = FSD_NEW(k->arena, fsd_id, n + 1),
                      .last = FSD_NEW(k->arena, fsd_id, n + 1),
                      .n = FSD_NEW(k->arena, uint32_t, n + 1),
                      .next = FSD_NEW(k->arena, fsd_id, n),
                      .key = FSD_NEW(k->arena, fsd_sym, n)};

    for (fsd_id i = 0; i < n; i++) {
        const struct fsd_export_change *c = &k->e->changes.at[i];
        struct fsd_print print;
        FILE *out = fsd_print_open(&print);
        fsd_sym key;

        fprintf(out, "%u ", c->what);
        put_change(c, false, out);
        if (!called(k, c))
            fprintf(out, " %u", (unsigned)i);
        key = fsd_intern_str(keys, fsd_print_take(&print, k->arena));
        x.key[i] = key;
        x.next[i] = FSD_NONE;
        if (!x.n[key]++)
            x.first[key] = i;
        else
            x.next[x.last[key]] = i;
        x.last[key] = i;
    }
    return x;
}

static void put_nodes(const struct maker *k, const struct alike *x, fsd_id i, FILE *out)
{
    uint32_t n = x->n[x->key[i]], shown = 0;

    fputs("  ", out);
    if (n > 1)
        fprintf(out, "%u nodes: ", (unsigned)n);
    for (; i != FSD_NONE && (k->all || shown < FEW_NODES); i = x->next[i])
        fprintf(out, "%s%s", shown++ ? ", " : "", called(k, &k->e->changes.at[i]));
    if (shown < n)
        fprintf(out, " and %u more", (unsigned)(n - shown));
}

static void add_line(const struct maker *k, struct fsd_rows *rows,
                     struct fsd_print *print)
{
    fsd_rows_add(k->arena, rows)[0] = fsd_cell_text(fsd_print_take(print, k->arena));
}

/* Of one kind of change. */
static uint32_t add_kind(const struct maker *k, const struct alike *x, uint32_t i,
                         struct fsd_rows *rows)
{
    uint8_t what = k->e->changes.at[i].what;
    uint32_t shown = 0, left_out = 0;
    struct fsd_print print;

    fsd_rows_add(k->arena, rows)[0] = fsd_cell_text("");
    fprintf(fsd_print_open(&print), "%s  %u", fsd_export_what_name(what),
            (unsigned)k->e->by_what[what]);
    add_line(k, rows, &print);
    for (; i < k->e->changes.n && k->e->changes.at[i].what == what; i++) {
        const struct fsd_export_change *c = &k->e->changes.at[i];
        FILE *out;

        if (x->first[x->key[i]] != i)
            continue;
        if (!k->all && shown == FEW_LINES) {
            left_out++;
            continue;
        }
        shown++;
        out = fsd_print_open(&print);
        fputs("    ", out);
        put_change(c, x->n[x->key[i]] == 1, out);
        if (called(k, c))
            put_nodes(k, x, i, out);
        add_line(k, rows, &print);
    }
    if (left_out) {
        fprintf(fsd_print_open(&print), "    and %u more (--all)", (unsigned)left_out);
        add_line(k, rows, &print);
    }
    return i;
}

static struct fsd_cell lines(const struct maker *k)
{
    struct fsd_rows rows = FSD_ROWS(line_columns, "{line}\n");
    struct alike x = put_together(k);

    for (uint32_t i = 0; i < k->e->changes.n;)
        i = add_kind(k, &x, i, &rows);
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

/* --------------------------------------------------------------------------- sheet */

enum { R_OLD, R_NEW, ALIGNED, RENAMED, UNREAD, CHANGES, LINES, SAME };

static const struct fsd_column columns[] = {
    [R_OLD] = {"old", NULL, FSD_CELL_RECORD, FSD_INSIDE(model_columns)},
    [R_NEW] = {"new", NULL, FSD_CELL_RECORD, FSD_INSIDE(model_columns)},
    [ALIGNED] = {"aligned", NULL, FSD_CELL_COUNT},
    [RENAMED] = {"renamed", NULL, FSD_CELL_COUNT},
    [UNREAD] = {"not_compared", NULL, FSD_CELL_COUNT},
    [CHANGES] = {"changes", "Changes", FSD_CELL_ROWS, FSD_INSIDE(change_columns)},
    [LINES] = {"lines", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(line_columns)},
    [SAME] = {"same", NULL, FSD_CELL_TEXT, true},
};

void fsd_sheet_of_exports(struct fsd_sheet *sheet, const struct fsd_exports *e,
                          const struct fsd_style *style)
{
    const struct maker k = {sheet->arena, e, style->all};
    struct fsd_cell *root;

    sheet->name = "compare";
    sheet->schema = "fusiondiff-exports/1";
    sheet->head = "old  {old}new  {new}{aligned} nodes that compute are in both"
                  "<, {renamed!} of them under another name>; weights are not compared"
                  "<, nor are {not_compared!} scales that are too large to be read>\n";
    sheet->root = FSD_ROWS(columns, "{lines}<\n{same!}\n>");
    root = fsd_rows_add(sheet->arena, &sheet->root);
    root[R_OLD] = model_record(&k, false);
    root[R_NEW] = model_record(&k, true);
    root[ALIGNED] = fsd_cell_count(e->aligned);
    root[RENAMED] = fsd_cell_count(e->renamed);
    root[UNREAD] = fsd_cell_count(e->unread);
    root[CHANGES] = change_rows(&k);
    root[LINES] = lines(&k);
    if (!e->changes.n)
        root[SAME] = fsd_cell_text("no difference");
}
