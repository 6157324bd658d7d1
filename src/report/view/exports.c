/*
 * Lists the changes between two exports of a model, as rows. Text combines equal
 * changes of several nodes:
 *
 *     quantization 62
 *         input 0: plain -> int8  61 nodes: Conv_4, Conv_13, Conv_21 and 58 more
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/view/view.h"

enum { FEW_NODES = 6, FEW_LINES = 12 };

struct context {
    struct fsd_arena *arena;
    const struct fsd_exports *e;
    bool all;
};

static const char *called(const struct context *k, const struct fsd_export_change *c)
{
    return c->new != FSD_NONE ? fsd_state_node_key(k->e->after, c->new)
                              : fsd_state_node_key(k->e->before, c->old);
}

/* ------------------------------------------------------------------------- records */

/* clang-format off */
#define CHANGE_ROW(has, set, when, t) \
    set(t, TEXT, what, fsd_export_what_name(c->what), "what", .always = true, \
        .word = fsd_export_what_name, .n_words = FSD__EXPORT_COUNT) \
    set(t, NAME, old, fsd_state_node_key(k->e->before, c->old), "old node", \
        .about = "key of the node in the old export, as `compare` states it") \
    set(t, NAME, new, fsd_state_node_key(k->e->after, c->new), "new node") \
    when(t, NAME, op, node != FSD_NONE, fsd_text(s->names, s->nodes.at[node].op), \
        "operator") \
    when(t, TEXT, of, *c->of, c->of, "of", \
        .about = "the changed part of the node, such as input 0, output 0 or " \
                 "attribute axis") \
    when(t, NAME, was, *c->was, c->was, "was") \
    when(t, NAME, now, *c->now, c->now, "now")
FSD_RECORD_FROM(change_row, CHANGE_ROW, const struct context *k = from;
    const struct fsd_export_change *c = &k->e->changes.at[i];
    const struct fsd_state *s = c->new != FSD_NONE ? k->e->after : k->e->before;
    fsd_id node = fsd_id_or(c->new, c->old))

#define MODEL_ROW(has, set, when, t) \
    set(t, NAME,  model, g->path, FSD_ALWAYS, .says = "{model}  (") \
    set(t, NAME,  exporter, fsd_text(g->names, g->producer), NULL, \
        .says = "<{exporter!}, >") \
    set(t, COUNT, nodes, g->nodes.n, FSD_ALWAYS, \
        .says = "{nodes|node|nodes}, of which {computing} compute)\n") \
    set(t, COUNT, computing, i ? k->e->new_nodes : k->e->old_nodes, FSD_ALWAYS)
FSD_RECORD_FROM(model_row, MODEL_ROW, const struct context *k = from;
    const struct fsd_graph *g = (i ? &k->e->new : &k->e->old)->model)
/* clang-format on */

/* ---------------------------------------------------------------------------- text */

/* `text` and `other` are the two sides of a change: `was` and `now`, in any order.
 * Returns how much of `text` is compared with other changes: all of it or, if `other`
 * is "plain", only the part before the scale, because every node has a different
 * scale. */
static size_t length_alike(const char *text, const char *other)
{
    const char *scale = strcmp(other, "plain") ? NULL : strstr(text, " scale ");

    return scale ? (size_t)(scale - text) : strlen(text);
}

/* Prints a change: "input 0: plain -> int8", "Gelu", "fp32 -> fp16".
 * @param whole false: prints only the part of each side that length_alike() counts */
static void put_change(const struct fsd_export_change *c, bool whole, FILE *out)
{
    if (*c->of)
        fprintf(out, "%s: ", c->of);
    if (*c->was)
        fprintf(out, "%.*s",
                (int)(whole ? strlen(c->was) : length_alike(c->was, c->now)), c->was);
    if (c->what != FSD_EXPORT_REMOVED && c->what != FSD_EXPORT_ADDED)
        fputs(" -> ", out);
    fprintf(out, "%.*s", (int)(whole ? strlen(c->now) : length_alike(c->now, c->was)),
            c->now);
}

/* Groups of changes with the same text. */
struct alike {
    fsd_sym *key;        /* by change: its text */
    struct fsd_lists of; /* by text: the changes with this text, in order */
};

static struct alike put_together(const struct context *k)
{
    uint32_t n = k->e->changes.n;
    struct fsd_intern *keys = fsd_intern_new(k->arena);
    struct alike x = {.key = FSD_NEW(k->arena, fsd_sym, n)};

    for (fsd_id i = 0; i < n; i++) {
        const struct fsd_export_change *c = &k->e->changes.at[i];
        struct fsd_print print;
        FILE *out = fsd_print_open(&print);

        fprintf(out, "%u ", c->what);
        put_change(c, false, out);
        if (!called(k, c))
            fprintf(out, " %u", (unsigned)i);
        x.key[i] = fsd_intern_str(keys, fsd_print_take(&print, k->arena));
    }
    x.of = fsd_lists_new(k->arena, x.key, sizeof *x.key, n, fsd_intern_count(keys));
    return x;
}

static void put_nodes(const struct context *k, const struct alike *x, fsd_sym key,
                      FILE *out)
{
    uint32_t n = x->of.of[key].n, shown = 0;

    fputs("  ", out);
    if (n > 1)
        fprintf(out, "%u nodes: ", (unsigned)n);
    for (; shown < n && (k->all || shown < FEW_NODES); shown++)
        fprintf(out, "%s%s", shown ? ", " : "",
                called(k, &k->e->changes.at[fsd_list_at(&x->of, key, shown)]));
    if (shown < n)
        fprintf(out, " and %u more", (unsigned)(n - shown));
}

static void add_line(const struct context *k, struct fsd_rows *rows,
                     struct fsd_print *print)
{
    fsd_rows_add_line(rows, fsd_print_take(print, k->arena));
}

/* Adds the rows for the changes of the same kind as change i.
 * @return the index after the last of them */
static uint32_t add_kind(const struct context *k, const struct alike *x, uint32_t i,
                         struct fsd_rows *rows)
{
    uint8_t what = k->e->changes.at[i].what;
    uint32_t shown = 0, left_out = 0;
    struct fsd_print print;

    fsd_rows_add_line(rows, "");
    fprintf(fsd_print_open(&print), "%s  %u", fsd_export_what_name(what),
            (unsigned)k->e->by_what[what]);
    add_line(k, rows, &print);
    for (; i < k->e->changes.n && k->e->changes.at[i].what == what; i++) {
        const struct fsd_export_change *c = &k->e->changes.at[i];
        FILE *out;

        if (fsd_list_at(&x->of, x->key[i], 0) != i)
            continue;
        if (!k->all && shown == FEW_LINES) {
            left_out++;
            continue;
        }
        shown++;
        out = fsd_print_open(&print);
        fputs("    ", out);
        put_change(c, x->of.of[x->key[i]].n == 1, out);
        if (called(k, c))
            put_nodes(k, x, x->key[i], out);
        add_line(k, rows, &print);
    }
    if (left_out) {
        fprintf(fsd_print_open(&print), "    and %u more (--all)", (unsigned)left_out);
        add_line(k, rows, &print);
    }
    return i;
}

static const struct fsd_rows *lines(const struct context *k)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &fsd_line_record, "{line}\n");
    struct alike x = put_together(k);

    for (uint32_t i = 0; i < k->e->changes.n;)
        i = add_kind(k, &x, i, rows);
    return rows;
}

/* --------------------------------------------------------------------------- sheet */

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, RECORD, old, FSD_HELD(arena, model_row, &k, 0), NULL, \
        .of = &model_row_record, \
        .always = true) \
    set(t, RECORD, new, FSD_HELD(arena, model_row, &k, 1), NULL, \
        .of = &model_row_record, \
        .always = true) \
    set(t, COUNT,  aligned, e->aligned, FSD_ALWAYS, \
        .about = "number of computing nodes that both exports have") \
    set(t, COUNT,  renamed, e->renamed, FSD_ALWAYS, \
        .about = "number of common computing nodes whose names differ") \
    set(t, COUNT,  not_compared, e->unread, FSD_ALWAYS, \
        .about = "number of scales that are too large to read") \
    set(t, ROWS,   changes, FSD_ROWS(arena, change_row, "", e->changes.n, &k), \
        "Changes", .of = &change_row_record, .always = true) \
    set(t, ROWS,   lines, lines(&k), FSD_ASIDE, .of = &fsd_line_record) \
    when(t, TEXT,   same, !e->changes.n, "no difference", FSD_ASIDE)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

void fsd_sheet_of_exports(struct fsd_sheet *sheet, const struct fsd_exports *e)
{
    struct fsd_arena *arena = sheet->arena;
    const struct context k = {arena, e, sheet->style->all};
    struct answer *root;

    sheet->name = "compare";
    root = fsd_sheet_begin(
        sheet, "fusiondiff-exports/1", &answer_record,
        "old  {old}new  {new}{aligned} computing nodes are in both<, "
        "{renamed!} of them under a different name>; not compared: weights<, "
        "and {not_compared!|scale|scales} too large to read>\n",
        "{lines}<\n{same!}\n>");
    FSD_FILL(root, ANSWER);
}
