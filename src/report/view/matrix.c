/*
 * Several builds beside each other, as rows: what a row is computed by in each build,
 * marked where it is not as in the first; or, of rebuilds, what varies and in how many
 * ways.  Builds are called by letters.
 *
 *                                      A      B                C
 *     Conv_13 + Add_15 + Relu_16       int8   int8 | fp16 +1*  int8
 */
#include "base/print.h"
#include "base/text.h"
#include "report/text/phrase.h"
#include "report/view/view.h"

#include <string.h>

enum { LEAST_NAME = 40, GAP = 2, MOST_GROUPS = 16 };

struct maker {
    struct fsd_arena *arena;
    const struct fsd_matrix *m;
    const struct fsd_style *style;
};

static const char *letter(uint32_t build)
{
    static const char letters[][2] = {"A", "B", "C", "D", "E", "F", "G", "H", "I",
                                      "J", "K", "L", "M", "N", "O", "P", "Q", "R",
                                      "S", "T", "U", "V", "W", "X", "Y", "Z"};

    return letters[build % FSD_COUNT_OF(letters)];
}

/* ----------------------------------------------------------------------- builds */

enum {
    B_BUILD,
    B_MODEL,
    B_ENGINE,
    B_VERSION,
    B_GPU,
    B_LAYERS,
    B_COMPUTING,
    B_MAPPED,
    B_INSERTED,
    B_MS,
    B_DIFFERS
};

static const struct fsd_column build_columns[] = {
    [B_BUILD] = {"build", "build", FSD_CELL_TEXT},
    [B_MODEL] = {"model", "model", FSD_CELL_NAME},
    [B_ENGINE] = {"engine", "engine", FSD_CELL_NAME},
    [B_VERSION] = {"producer", "made by", FSD_CELL_NAME},
    [B_GPU] = {"gpu", "GPU", FSD_CELL_NAME},
    [B_LAYERS] = {"layers", "layers", FSD_CELL_COUNT},
    [B_COMPUTING] = {"computing", "computing", FSD_CELL_COUNT},
    [B_MAPPED] = {"mapped", "mapped", FSD_CELL_COUNT},
    [B_INSERTED] = {"inserted", "inserted", FSD_CELL_COUNT},
    [B_MS] = {"ms", "ms", FSD_CELL_MS},
    [B_DIFFERS] = {"differing", "rows that differ", FSD_CELL_COUNT},
};

static const char build_text[] =
    "  {*}{build}{/}  {engine}  (<{producer!}, ><{gpu!}, >{layers|layer|layers}, "
    "{inserted} inserted, {mapped} of {computing} mapped<, {ms}>)\n";

static struct fsd_cell build_rows(const struct maker *k)
{
    struct fsd_rows rows = FSD_ROWS(build_columns, build_text);

    for (uint32_t b = 0; b < k->m->n; b++) {
        const struct fsd_state *s = k->m->builds[b];
        struct fsd_cell *row = fsd_rows_add(k->arena, &rows);
        fsd_sym gpu = fsd_built_find(&s->built, s->names, FSD_BUILT_GPU);
        uint32_t inserted = 0, differing = 0;

        for (uint32_t i = 0; i < s->moves.n; i++)
            inserted += s->moves.at[i].inserted;
        for (uint32_t i = 0; i < k->m->rows.n; i++)
            differing += fsd_matrix_cell(k->m, i, b)->is >= FSD_CELL_UNKNOWN;
        row[B_BUILD] = fsd_cell_text(letter(b));
        row[B_MODEL] = fsd_cell_text(s->model_path);
        row[B_ENGINE] = fsd_cell_text(s->engine_path);
        row[B_VERSION] = fsd_cell_text(fsd_text(s->names, s->producer));
        if (gpu)
            row[B_GPU] = fsd_cell_text(fsd_text(s->names, gpu));
        row[B_LAYERS] = fsd_cell_count(s->layers);
        row[B_COMPUTING] = fsd_cell_count(s->computing);
        row[B_MAPPED] = fsd_cell_count(s->mapped);
        row[B_INSERTED] = fsd_cell_count(inserted);
        row[B_MS] = fsd_cell_ms(s->profiles ? s->total.median : -1);
        row[B_DIFFERS] = fsd_cell_count(differing);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

/* ------------------------------------------------------------------------ a cell */

static bool is_inserted(const struct fsd_state *s, fsd_id move)
{
    const struct fsd_move *m = &s->moves.at[move];

    return m->inserted && m->cause != FSD_CAUSE_FREE;
}

static uint32_t count_inserted(const struct maker *k, uint32_t b,
                               const struct fsd_matrix_cell *cell)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < cell->moves.n; i++)
        n += is_inserted(k->m->builds[b], k->m->pool.at[cell->moves.at + i]);
    return n;
}

static void put_type(uint8_t type, FILE *out)
{
    fputs(type ? fsd_dtype_name((enum fsd_dtype)type) : "?", out);
}

/* "int8 | fp16 x2 +1": a group each, and how many layers are inserted for them.  Of
 * very many not all, for every row is as wide as the widest. */
static void put_what(const struct maker *k, uint32_t row, uint32_t b, FILE *out)
{
    const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
    const struct fsd_matrix_row *r = &k->m->rows.at[row];
    const struct fsd_state *s = k->m->builds[b];
    uint32_t inserted = count_inserted(k, b, cell);

    if (r->of == FSD_ROW_INPUT || r->of == FSD_ROW_OUTPUT) {
        bool output = r->of == FSD_ROW_OUTPUT;
        const struct fsd_align *align = b ? k->m->with[b]->align : NULL;
        fsd_id port = !align   ? r->port
                      : output ? align->new_output[r->port]
                               : align->new_input[r->port];

        if (port == FSD_NONE)
            fputs("none", out);
        else
            fsd_put_state_form(s, (output ? s->outputs.at : s->inputs.at)[port].form,
                               ' ', out);
        return;
    }
    for (uint32_t i = 0; i < cell->groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[k->m->pool.at[cell->groups.at + i]];

        fputs(i ? " | " : "", out);
        if (i == MOST_GROUPS) {
            fprintf(out, "%u more", (unsigned)(cell->groups.n - i));
            break;
        }
        put_type(g->precision, out);
        if (g->kind == FSD_KIND_FOREIGN)
            fputs(" region", out);
        else if (g->layers > 1)
            fprintf(out, " x%u", (unsigned)g->layers);
    }
    if (!cell->groups.n)
        fputs("-", out);
    if (inserted)
        fprintf(out, " +%u", (unsigned)inserted);
}

static const char *what(const struct maker *k, uint32_t row, uint32_t b)
{
    struct fsd_print print;

    put_what(k, row, b, fsd_print_open(&print));
    return fsd_print_take(&print, k->arena);
}

/* What a cell differs in from the first build's, the weightiest first. */
static struct fsd_cell differences(const struct maker *k, uint32_t row, uint32_t b)
{
    enum { GROUPS, TYPES, MOVES, LAYOUTS, EDGES, COUNT };
    static const char *const words[] = {"groups", "types", "moves", "layouts", "edges"};
    const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
    const char **told = FSD_NEW(k->arena, const char *, COUNT);
    bool by[COUNT] = {false};
    uint32_t n = 0;

    if (cell->is < FSD_CELL_UNKNOWN || k->m->rows.at[row].of > FSD_ROW_MOVES)
        return fsd_cell_words(NULL, 0);
    by[GROUPS] = !cell->groups.n != !fsd_matrix_cell(k->m, row, 0)->groups.n;
    for (uint32_t i = 0; i < cell->groups.n; i++) {
        const struct fsd_compare *c = k->m->with[b];
        const struct fsd_region_diff *r =
            &c->regions.at[c->new_region[k->m->pool.at[cell->groups.at + i]]];

        by[GROUPS] |= r->layers || r->happened != FSD_HAPPENED_SAME;
        by[TYPES] |= r->width != FSD_WIDTH_SAME;
        by[MOVES] |= r->moves;
        by[LAYOUTS] |= r->layout;
    }
    by[cell->groups.n ? EDGES : MOVES] |=
        !by[GROUPS] && !by[TYPES] && !by[MOVES] && !by[LAYOUTS];
    for (int i = 0; i < COUNT; i++)
        if (by[i])
            told[n++] = words[i];
    return fsd_cell_words(told, n);
}

/* In words, where its own are those of the first build's. */
static const char *less_seen(const struct maker *k, uint32_t row, uint32_t b)
{
    struct fsd_cell by = differences(k, row, b);

    return by.words.n ? fsd_printed(k->arena, " other %s", by.words.at[0]) : "";
}

/* The same with its mark: "*" differs, "?" is not known to be the same. */
static const char *marked(const struct maker *k, uint32_t row, uint32_t b)
{
    const char *now = what(k, row, b);
    uint8_t is = fsd_matrix_cell(k->m, row, b)->is;
    bool tactic = is == FSD_CELL_TACTIC && k->style->tactics;

    return fsd_printed(k->arena, "%s%s%s", now,
                       is == FSD_CELL_DIFFERS && !strcmp(now, what(k, row, 0))
                           ? less_seen(k, row, b)
                           : "",
                       is == FSD_CELL_DIFFERS   ? "*"
                       : is == FSD_CELL_UNKNOWN ? "?"
                       : tactic                 ? " ~"
                                                : "");
}

enum { G_PRECISION, G_KIND, G_LAYERS, G_NODES, G_TACTIC, G_MS };

static const struct fsd_column group_columns[] = {
    [G_PRECISION] = {"precision", NULL, FSD_CELL_TEXT},
    [G_KIND] = {"kind", NULL, FSD_CELL_TEXT},
    [G_LAYERS] = {"layers", NULL, FSD_CELL_COUNT},
    [G_NODES] = {"nodes", NULL, FSD_CELL_WORDS},
    [G_TACTIC] = {"tactic", NULL, FSD_CELL_NAME},
    [G_MS] = {"ms", NULL, FSD_CELL_MS},
};

static struct fsd_cell ref_words(const struct maker *k, const struct fsd_state *s,
                                 struct fsd_span refs, bool out)
{
    const char **words = FSD_NEW(k->arena, const char *, refs.n);

    for (uint32_t i = 0; i < refs.n; i++)
        words[i] = fsd_state_ref_text(s, s->refs.at[refs.at + i], out);
    return fsd_cell_words(words, refs.n);
}

static struct fsd_cell group_rows(const struct maker *k, uint32_t b,
                                  struct fsd_span groups)
{
    const struct fsd_state *s = k->m->builds[b];
    struct fsd_rows rows = FSD_ROWS(group_columns, "");

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[k->m->pool.at[groups.at + i]];
        struct fsd_cell *row = fsd_rows_add(k->arena, &rows);

        row[G_PRECISION] = fsd_cell_text(fsd_dtype_name((enum fsd_dtype)g->precision));
        row[G_KIND] = fsd_cell_text(fsd_kind_name((enum fsd_kind)g->kind));
        row[G_LAYERS] = fsd_cell_count(g->layers);
        row[G_NODES] = ref_words(k, s, g->nodes, false);
        if (g->tactic)
            row[G_TACTIC] = fsd_cell_text(fsd_text(s->names, g->tactic));
        row[G_MS] = fsd_cell_ms(g->ms.median);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

enum { M_KIND, M_CAUSE, M_INSERTED, M_FROM, M_TO, M_BEFORE, M_AFTER, M_MS };

static const struct fsd_column move_columns[] = {
    [M_KIND] = {"kind", NULL, FSD_CELL_TEXT},
    [M_CAUSE] = {"cause", NULL, FSD_CELL_TEXT},
    [M_INSERTED] = {"inserted", NULL, FSD_CELL_FLAG},
    [M_FROM] = {"from", NULL, FSD_CELL_WORDS},
    [M_TO] = {"to", NULL, FSD_CELL_WORDS},
    [M_BEFORE] = {"before", NULL, FSD_CELL_NAME},
    [M_AFTER] = {"after", NULL, FSD_CELL_NAME},
    [M_MS] = {"ms", NULL, FSD_CELL_MS},
};

static struct fsd_cell form_text(const struct maker *k, const struct fsd_state *s,
                                 struct fsd_state_form form)
{
    struct fsd_print print;

    fsd_put_state_form(s, form, ' ', fsd_print_open(&print));
    return fsd_cell_text(fsd_print_take(&print, k->arena));
}

static struct fsd_cell move_rows(const struct maker *k, uint32_t b,
                                 struct fsd_span moves)
{
    const struct fsd_state *s = k->m->builds[b];
    struct fsd_rows rows = FSD_ROWS(move_columns, "");

    for (uint32_t i = 0; i < moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[k->m->pool.at[moves.at + i]];
        struct fsd_cell *row = fsd_rows_add(k->arena, &rows);

        row[M_KIND] = fsd_cell_text(fsd_kind_name((enum fsd_kind)m->kind));
        if (m->cause != FSD_CAUSE_NONE)
            row[M_CAUSE] = fsd_cell_text(fsd_cause_name((enum fsd_cause)m->cause));
        row[M_INSERTED] = (struct fsd_cell){.known = true, .count = m->inserted};
        row[M_FROM] = ref_words(k, s, m->from, false);
        row[M_TO] = ref_words(k, s, m->to, true);
        row[M_BEFORE] = form_text(k, s, m->before);
        row[M_AFTER] = form_text(k, s, m->after);
        row[M_MS] = fsd_cell_ms(m->ms.median);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

/* ------------------------------------------------------------------------ a row */

/* The nodes, as the first build that computes them has them. */
static const char *called(const struct maker *k, uint32_t row)
{
    const struct fsd_matrix_row *r = &k->m->rows.at[row];
    const struct fsd_state *first = k->m->builds[0];
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    if (r->of == FSD_ROW_MOVES)
        fputs("(moves of no group)", out);
    if (r->of == FSD_ROW_INPUT || r->of == FSD_ROW_OUTPUT) {
        bool output = r->of == FSD_ROW_OUTPUT;

        fprintf(
            out, "%s %s", output ? "output" : "input",
            fsd_text(first->names,
                     (output ? first->outputs.at : first->inputs.at)[r->port].name));
    }
    for (uint32_t b = 0, n = 0; b < k->m->n && !n; b++) {
        struct fsd_span groups = fsd_matrix_cell(k->m, row, b)->groups;

        for (; n < groups.n; n++) {
            fputs(n ? " + " : "", out);
            fsd_put_group(k->m->builds[b],
                          &k->m->builds[b]->groups.at[k->m->pool.at[groups.at + n]],
                          out);
        }
    }
    return fsd_print_take(&print, k->arena);
}

/* The operators of its nodes, each once, as the first build that has nodes there names
 * them. */
static struct fsd_cell op_words(const struct maker *k, uint32_t row)
{
    FSD_VEC(const char *) words = {0};

    for (uint32_t b = 0; b < k->m->n && !words.n; b++) {
        const struct fsd_state *s = k->m->builds[b];
        struct fsd_span groups = fsd_matrix_cell(k->m, row, b)->groups;

        for (uint32_t g = 0; g < groups.n; g++) {
            struct fsd_span nodes = s->groups.at[k->m->pool.at[groups.at + g]].nodes;

            for (uint32_t i = 0, at; i < nodes.n; i++) {
                const char *op =
                    fsd_text(s->names, s->nodes.at[s->refs.at[nodes.at + i]].op);

                /* Equal texts of one table stand at one address. */
                for (at = 0; at < words.n && words.at[at] != op; at++) {
                }
                if (at == words.n)
                    fsd_vec_push(k->arena, &words, op);
            }
        }
    }
    return fsd_cell_words(words.at, words.n);
}

/* Rows of nothing are not told. */
static bool is_there(const struct maker *k, uint32_t row)
{
    if (k->m->rows.at[row].of == FSD_ROW_INPUT ||
        k->m->rows.at[row].of == FSD_ROW_OUTPUT)
        return true;
    for (uint32_t b = 0; b < k->m->n; b++) {
        const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);

        if (cell->groups.n || cell->moves.n)
            return true;
    }
    return false;
}

/* A text shows what differs, and all when asked to. */
static bool is_shown(const struct maker *k, uint32_t row)
{
    bool tactic = false;

    for (uint32_t b = 1; b < k->m->n; b++)
        tactic |= fsd_matrix_cell(k->m, row, b)->is == FSD_CELL_TACTIC;
    return k->m->rows.at[row].differs || k->style->all || (tactic && k->style->tactics);
}

/* ------------------------------------------------------------------------ matrix */

enum { C_BUILD, C_IS, C_BY, C_VARIANT, C_WHAT, C_INSERTED, C_MS, C_GROUPS, C_MOVES };

static const struct fsd_column cell_columns[] = {
    [C_BUILD] = {"build", NULL, FSD_CELL_TEXT},
    [C_IS] = {"is", NULL, FSD_CELL_TEXT},
    [C_BY] = {"by", NULL, FSD_CELL_WORDS},
    [C_VARIANT] = {"variant", NULL, FSD_CELL_COUNT},
    [C_WHAT] = {"what", NULL, FSD_CELL_NAME},
    [C_INSERTED] = {"inserted", NULL, FSD_CELL_COUNT},
    [C_MS] = {"ms", NULL, FSD_CELL_MS},
    [C_GROUPS] = {"groups", NULL, FSD_CELL_ROWS, FSD_INSIDE(group_columns)},
    [C_MOVES] = {"moves", NULL, FSD_CELL_ROWS, FSD_INSIDE(move_columns)},
};

static struct fsd_cell cell_rows(const struct maker *k, uint32_t row)
{
    struct fsd_rows rows = FSD_ROWS(cell_columns, "");

    for (uint32_t b = 0; b < k->m->n; b++) {
        const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
        struct fsd_cell *at = fsd_rows_add(k->arena, &rows);

        at[C_BUILD] = fsd_cell_text(letter(b));
        at[C_IS] = fsd_cell_text(fsd_cell_is_name(cell->is));
        at[C_BY] = differences(k, row, b);
        at[C_VARIANT] = fsd_cell_count(cell->variant);
        at[C_WHAT] = fsd_cell_text(what(k, row, b));
        at[C_INSERTED] = fsd_cell_count(count_inserted(k, b, cell));
        at[C_MS] = fsd_cell_ms(cell->ms);
        at[C_GROUPS] = group_rows(k, b, cell->groups);
        at[C_MOVES] = move_rows(k, b, cell->moves);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

enum { R_ROW, R_OF, R_NODES, R_OPS, R_DIFFERS, R_VARIANTS, R_CELLS, R_LETTERS };

static const char *const row_words[] = {[FSD_ROW_GROUPS] = "nodes",
                                        [FSD_ROW_MOVES] = "moves",
                                        [FSD_ROW_INPUT] = "input",
                                        [FSD_ROW_OUTPUT] = "output"};

/* One column a build, for tables. */
static struct fsd_rows new_rows(const struct maker *k)
{
    static const struct fsd_column fixed[] = {
        [R_ROW] = {"row", NULL, FSD_CELL_COUNT},
        [R_OF] = {"of", "of", FSD_CELL_TEXT},
        [R_NODES] = {"name", "nodes", FSD_CELL_NAME},
        [R_OPS] = {"ops", NULL, FSD_CELL_WORDS},
        [R_DIFFERS] = {"differs", "differs", FSD_CELL_FLAG},
        [R_VARIANTS] = {"variants", "variants", FSD_CELL_COUNT},
        [R_CELLS] = {"cells", NULL, FSD_CELL_ROWS, FSD_INSIDE(cell_columns)},
    };
    uint32_t n = R_LETTERS + k->m->n;
    struct fsd_column *columns = FSD_NEW(k->arena, struct fsd_column, n);
    struct fsd_rows rows = {.columns = columns, .n_columns = n, .text = ""};

    memcpy(columns, fixed, sizeof fixed);
    for (uint32_t b = 0; b < k->m->n; b++)
        columns[R_LETTERS + b] =
            (struct fsd_column){letter(b), letter(b), FSD_CELL_NAME, true, NULL, 0};
    return rows;
}

static struct fsd_cell matrix_rows(const struct maker *k)
{
    struct fsd_rows rows = new_rows(k);

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        const struct fsd_matrix_row *r = &k->m->rows.at[i];
        struct fsd_cell *row;

        if (!is_there(k, i))
            continue;
        row = fsd_rows_add(k->arena, &rows);
        row[R_ROW] = fsd_cell_count(i);
        row[R_OF] = fsd_cell_text(row_words[r->of]);
        row[R_NODES] = fsd_cell_text(called(k, i));
        row[R_OPS] = op_words(k, i);
        row[R_DIFFERS] = (struct fsd_cell){.known = true, .count = r->differs};
        row[R_VARIANTS] = fsd_cell_count(r->variants);
        row[R_CELLS] = cell_rows(k, i);
        for (uint32_t b = 0; b < k->m->n; b++)
            row[R_LETTERS + b] = fsd_cell_text(marked(k, i, b));
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

static const struct fsd_column line_columns[] = {
    [0] = {"line", NULL, FSD_CELL_NAME},
};

static void put_padded(FILE *out, const char *text, size_t width)
{
    size_t used = fsd_safe_width(text);

    fsd_put_safe(out, text);
    if (used < width)
        fprintf(out, "%*s", (int)(width - used), "");
}

/* A line of the table: cells stand beside the name, or below it where `name_room` is 0.
 */
static void add_line(const struct maker *k, struct fsd_rows *rows, const char *name,
                     const char *const *cells, size_t room, size_t name_room)
{
    size_t width = fsd_text_width(k->style), used;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    used = fsd_put_fitted(out, name, name_room ? name_room - GAP : width);
    if (!name_room && *name) {
        fsd_rows_add(k->arena, rows)[0] =
            fsd_cell_text(fsd_print_take(&print, k->arena));
        out = fsd_print_open(&print);
    }
    fprintf(out, "%*s", (int)(name_room ? name_room - used : 2 * (size_t)GAP), "");
    for (uint32_t b = 0; b < k->m->n; b++)
        put_padded(out, cells[b], b + 1 < k->m->n ? room : 0);
    fsd_rows_add(k->arena, rows)[0] = fsd_cell_text(fsd_print_take(&print, k->arena));
}

/* The kernels of a row, each with the first build that has it. */
static void add_tactics(const struct maker *k, struct fsd_rows *rows, uint32_t row)
{
    const char *before = "";

    for (uint32_t b = 0; b < k->m->n; b++) {
        struct fsd_span groups = fsd_matrix_cell(k->m, row, b)->groups;
        const struct fsd_state *s = k->m->builds[b];
        fsd_sym tactic =
            groups.n == 1 ? s->groups.at[k->m->pool.at[groups.at]].tactic : 0;
        const char *name = fsd_text(s->names, tactic);

        if (!tactic || !strcmp(name, before))
            continue;
        fsd_rows_add(k->arena, rows)[0] = fsd_cell_text(
            fsd_printed(k->arena, "    tactic of %s  %s", letter(b), name));
        before = name;
    }
}

static struct fsd_cell lines(const struct maker *k)
{
    struct fsd_rows rows = FSD_ROWS(line_columns, "{line}\n");
    const char **cells = FSD_NEW(k->arena, const char *, k->m->n);
    size_t width = fsd_text_width(k->style), room = 0, name_room = 0, left;

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        size_t name;

        if (!is_there(k, i) || !is_shown(k, i))
            continue;
        name = fsd_safe_width(called(k, i)) + GAP;
        name_room = name > name_room ? name : name_room;
        for (uint32_t b = 0; b < k->m->n; b++) {
            size_t n = fsd_safe_width(marked(k, i, b)) + GAP;

            room = n > room ? n : room;
        }
    }
    if (!room)
        return (struct fsd_cell){0};
    left = width > room * k->m->n ? width - room * k->m->n : 0;
    name_room = name_room <= left ? name_room : left >= LEAST_NAME ? left : 0;
    for (uint32_t b = 0; b < k->m->n; b++)
        cells[b] = letter(b);
    add_line(k, &rows, "", cells, room, name_room);
    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        if (!is_there(k, i) || !is_shown(k, i))
            continue;
        for (uint32_t b = 0; b < k->m->n; b++)
            cells[b] = marked(k, i, b);
        add_line(k, &rows, called(k, i), cells, room, name_room);
        if (k->style->tactics)
            add_tactics(k, &rows, i);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

/* --------------------------------------------------------------------- stability */

enum { V_BUILDS, V_LETTERS, V_WHAT, V_GROUPS };

static const struct fsd_column variant_columns[] = {
    [V_BUILDS] = {"builds", NULL, FSD_CELL_WORDS},
    [V_LETTERS] = {"letters", "builds", FSD_CELL_TEXT, true},
    [V_WHAT] = {"what", "what", FSD_CELL_NAME},
    [V_GROUPS] = {"groups", NULL, FSD_CELL_ROWS, FSD_INSIDE(group_columns)},
};

enum { S_OF, S_NODES, S_VARIANTS };

static const struct fsd_column varying_columns[] = {
    [S_OF] = {"of", "of", FSD_CELL_TEXT},
    [S_NODES] = {"name", "nodes", FSD_CELL_NAME},
    [S_VARIANTS] = {"variants", "variants", FSD_CELL_ROWS, FSD_INSIDE(variant_columns)},
};

/* What a variant is made of, in words: which nodes are together, in what type. */
static const char *variant_words(const struct maker *k, uint32_t row, uint32_t b)
{
    const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
    const struct fsd_state *s = k->m->builds[b];
    struct fsd_print print;
    FILE *out;

    if (!cell->groups.n)
        return what(k, row, b);
    out = fsd_print_open(&print);
    for (uint32_t i = 0; i < cell->groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[k->m->pool.at[cell->groups.at + i]];

        fputs(i ? "; " : "", out);
        put_type(g->precision, out);
        putc(' ', out);
        fsd_put_group(s, g, out);
        if (g->layers > 1)
            fprintf(out, " (%u layers)", (unsigned)g->layers);
    }
    for (uint32_t i = 0; i < cell->moves.n; i++) {
        const struct fsd_move *move = &s->moves.at[k->m->pool.at[cell->moves.at + i]];

        if (move->cause == FSD_CAUSE_FREE)
            continue;
        fputs("; ", out);
        fsd_put_move(s, move, out);
        putc(' ', out);
        fsd_put_move_forms(s, move, ' ', out);
    }
    return fsd_print_take(&print, k->arena);
}

static struct fsd_cell variant_rows(const struct maker *k, uint32_t row)
{
    struct fsd_rows rows = FSD_ROWS(variant_columns, "     {letters:-7} {what}\n");
    const char *as_first = "", *words_of;

    for (uint32_t v = 0; v < k->m->rows.at[row].variants; v++) {
        const char **words = FSD_NEW(k->arena, const char *, k->m->n);
        struct fsd_cell *at = fsd_rows_add(k->arena, &rows);
        struct fsd_print print;
        FILE *out = fsd_print_open(&print);
        uint32_t n = 0, first = 0;

        for (uint32_t b = 0; b < k->m->n; b++) {
            if (fsd_matrix_cell(k->m, row, b)->variant != v)
                continue;
            if (!n)
                first = b;
            fprintf(out, "%s%s", n ? " " : "", letter(b));
            words[n++] = letter(b);
        }
        at[V_BUILDS] = fsd_cell_words(words, n);
        at[V_LETTERS] = fsd_cell_text(fsd_print_take(&print, k->arena));
        words_of = variant_words(k, row, first);
        if (!v)
            as_first = words_of;
        at[V_WHAT] = fsd_cell_text(
            v && !strcmp(words_of, as_first)
                ? fsd_printed(k->arena, "%s;%s", words_of, less_seen(k, row, first))
                : words_of);
        at[V_GROUPS] = group_rows(k, first, fsd_matrix_cell(k->m, row, first)->groups);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

static struct fsd_cell varying_rows(const struct maker *k)
{
    struct fsd_rows rows = FSD_ROWS(varying_columns, "\n{name}\n{variants}");

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        struct fsd_cell *row;

        if (!k->m->rows.at[i].differs)
            continue;
        row = fsd_rows_add(k->arena, &rows);
        row[S_OF] = fsd_cell_text(row_words[k->m->rows.at[i].of]);
        row[S_NODES] = fsd_cell_text(called(k, i));
        row[S_VARIANTS] = variant_rows(k, i);
    }
    return fsd_cell_rows(k->arena, &rows, UINT32_MAX);
}

/* ------------------------------------------------------------------------- sheets */

enum { N_BUILDS, N_ROWS, DIFFERING, SAME, TACTICS, FOLDED, BUILDS, ROWS, LINES };

#define HEAD                                                                           \
    [N_BUILDS] = {"n_builds", NULL, FSD_CELL_COUNT, true},                             \
    [N_ROWS] = {"n_rows", NULL, FSD_CELL_COUNT},                                       \
    [DIFFERING] = {"differing", NULL, FSD_CELL_COUNT},                                 \
    [SAME] = {"same", NULL, FSD_CELL_COUNT, true},                                     \
    [TACTICS] = {"tactics", NULL, FSD_CELL_COUNT},                                     \
    [FOLDED] = {"folded", NULL, FSD_CELL_COUNT, true},                                 \
    [BUILDS] = {"builds", NULL, FSD_CELL_ROWS, FSD_INSIDE(build_columns)}

static const char matrix_head[] =
    "{n_builds} builds; what differs from A has a *, what is not known to be the same "
    "a ?\n"
    "int8 | fp16: two groups of nodes, x2: of two layers, +1: a layer inserted for it\n"
    "{builds}\n{n_rows|row|rows}: {same} the same in all builds, {differing} not"
    "<, {tactics!} with other tactics only>";

static const char matrix_text[] =
    "\n<\n{lines!}>"
    "<\n{folded!} rows that are the same are not shown (--all shows them)\n>";

static const char stability_head[] =
    "{n_builds} builds\n{builds}\n{n_rows|row|rows}: {same} the same in all builds, "
    "{differing} not<, {tactics!} with other tactics only>";

static const char stability_text[] = "\n{rows}";

static void fill_root(const struct maker *k, struct fsd_cell *root)
{
    uint32_t n = 0, tactics = 0, folded = 0;

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        bool tactic = false;

        if (!is_there(k, i))
            continue;
        n++;
        folded += !is_shown(k, i);
        for (uint32_t b = 1; b < k->m->n; b++)
            tactic |= fsd_matrix_cell(k->m, i, b)->is == FSD_CELL_TACTIC;
        tactics += tactic && !k->m->rows.at[i].differs;
    }
    root[N_BUILDS] = fsd_cell_count(k->m->n);
    root[N_ROWS] = fsd_cell_count(n);
    root[DIFFERING] = fsd_cell_count(k->m->differing);
    root[SAME] = fsd_cell_count(n - k->m->differing);
    root[TACTICS] = fsd_cell_count(tactics);
    root[FOLDED] = fsd_cell_count(folded);
    root[BUILDS] = build_rows(k);
}

void fsd_sheet_of_matrix(struct fsd_sheet *sheet, const struct fsd_matrix *m,
                         const struct fsd_style *style)
{
    const struct maker k = {sheet->arena, m, style};
    struct fsd_rows rows = new_rows(&k);
    const struct fsd_column of_rows = {.name = "rows",
                                       .title = "What computes the nodes",
                                       .kind = FSD_CELL_ROWS,
                                       .inside = rows.columns,
                                       .n_inside = rows.n_columns};
    static const struct fsd_column fixed[] = {
        HEAD,
        [LINES] = {"lines", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(line_columns)},
    };
    struct fsd_column *columns =
        FSD_NEW(sheet->arena, struct fsd_column, FSD_COUNT_OF(fixed));
    struct fsd_cell *root;

    memcpy(columns, fixed, sizeof fixed);
    columns[ROWS] = of_rows;
    sheet->name = "compare";
    sheet->schema = "fusiondiff-matrix/1";
    sheet->head = matrix_head;
    sheet->root = (struct fsd_rows){
        .columns = columns, .n_columns = FSD_COUNT_OF(fixed), .text = matrix_text};
    root = fsd_rows_add(sheet->arena, &sheet->root);
    fill_root(&k, root);
    root[ROWS] = matrix_rows(&k);
    root[LINES] = lines(&k);
}

void fsd_sheet_of_stability(struct fsd_sheet *sheet, const struct fsd_matrix *m,
                            const struct fsd_style *style)
{
    static const struct fsd_column columns[] = {
        HEAD,
        [ROWS] = {"rows", "What varies", FSD_CELL_ROWS, FSD_INSIDE(varying_columns)},
    };
    const struct maker k = {sheet->arena, m, style};
    struct fsd_cell *root;

    sheet->name = "stability";
    sheet->schema = "fusiondiff-stability/1";
    sheet->head = stability_head;
    sheet->root = FSD_ROWS(columns, stability_text);
    root = fsd_rows_add(sheet->arena, &sheet->root);
    fill_root(&k, root);
    root[ROWS] = varying_rows(&k);
}
