/*
 * Shows several builds side by side. Letters name the builds. Each row has some nodes,
 * and for each build the groups of layers that compute these nodes. A mark shows where
 * a build differs from the first build. For rebuilds of one model, a row shows the
 * variants among the builds.
 *
 *                                      A      B                C
 *     Conv_13 + Add_15 + Relu_16       int8   int8 | fp16 +1*  int8
 */
#include "base/base.h"
#include "report/record/records.h"
#include "report/view/view.h"

enum { LEAST_NAME = 40, GAP = 2, MOST_GROUPS = 16 };

struct context {
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

static uint32_t count_moves_inserted(const struct fsd_state *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->moves.n; i++)
        n += s->moves.at[i].inserted;
    return n;
}

static uint32_t count_differing(const struct fsd_matrix *m, uint32_t build)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->rows.n; i++)
        n += fsd_matrix_cell(m, i, build)->is >= FSD_CELL_UNKNOWN;
    return n;
}

/* clang-format off */
#define BUILD_ROW(has, set, when, t) \
    set(t, TEXT,  build, letter(i), "build", .always = true, \
        .about = "the letter of the build in the other rows") \
    set(t, NAME,  model, s->model_path, "model", .always = true) \
    set(t, NAME,  engine, s->engine_path, "engine", .always = true) \
    set(t, NAME,  producer, fsd_text(s->names, s->producer), "made by") \
    when(t, NAME,  gpu, gpu, fsd_text(s->names, gpu), "GPU") \
    set(t, COUNT, layers, s->layers, "layers", .always = true) \
    set(t, COUNT, computing, s->computing, "computing", .always = true) \
    set(t, COUNT, mapped, s->mapped, "mapped", .always = true) \
    set(t, COUNT, inserted, count_moves_inserted(s), "inserted", .always = true) \
    set(t, MS,    ms, s->profiles ? s->total.median : -1, "ms") \
    set(t, COUNT, differing, count_differing(k->m, i), "rows that differ", \
        .always = true, \
        .about = "number of rows in which the build differs, or may differ, from " \
                 "the first build")
FSD_RECORD_FROM(build_row, BUILD_ROW, const struct context *k = from;
    const struct fsd_state *s = k->m->builds[i];
    fsd_sym gpu = fsd_built_find(&s->built, s->names, FSD_BUILT_GPU))
/* clang-format on */

static const char build_text[] =
    "  {*}{build}{/}  {engine}  (<{producer!}, ><{gpu!}, >{layers|layer|layers}, "
    "{inserted} inserted, {mapped} of {computing} mapped<, {ms}>)\n";

/* ------------------------------------------------------------------------ a cell */

static bool is_inserted(const struct fsd_state *s, fsd_id move)
{
    const struct fsd_move *m = &s->moves.at[move];

    return m->inserted && m->cause != FSD_CAUSE_FREE;
}

static uint32_t count_inserted(const struct context *k, uint32_t b,
                               const struct fsd_matrix_cell *cell)
{
    uint32_t n = 0;

    FSD_EACH_ID (move, k->m->pool, cell->moves)
        n += is_inserted(k->m->builds[b], move);
    return n;
}

static void put_type(uint8_t type, FILE *out)
{
    fputs(type ? fsd_dtype_name((enum fsd_dtype)type) : "?", out);
}

/* Prints the groups of a cell: "int8 | fp16 x2 +1". This cell has two groups: an int8
 * group of one layer, and an fp16 group of two layers. For these groups together, one
 * layer is inserted. At most MOST_GROUPS groups are printed, because the widest row
 * determines the width of all rows. */
static void put_what(const struct context *k, uint32_t row, uint32_t b, FILE *out)
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

static const char *what(const struct context *k, uint32_t row, uint32_t b)
{
    struct fsd_print print;

    put_what(k, row, b, fsd_print_open(&print));
    return fsd_print_take(&print, k->arena);
}

/* The aspects in which a cell differs from the first build's cell, the most important
 * first. */
static struct fsd_words differences(const struct context *k, uint32_t row, uint32_t b)
{
    enum { GROUPS, TYPES, MOVES, LAYOUTS, EDGES, COUNT };
    static const char *const words[] = {"groups", "types", "moves", "layouts", "edges"};
    const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
    const char **changed = FSD_NEW(k->arena, const char *, COUNT);
    bool by[COUNT] = {false};
    uint32_t n = 0;

    if (cell->is < FSD_CELL_UNKNOWN || k->m->rows.at[row].of > FSD_ROW_MOVES)
        return fsd_words(NULL, 0);
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
            changed[n++] = words[i];
    return fsd_words(changed, n);
}

/* Returns the most important difference from the first build's cell, for a cell with
 * the same text: " other layouts". Returns "" if differences() finds none, for example
 * for an input or output. */
static const char *less_seen(const struct context *k, uint32_t row, uint32_t b)
{
    struct fsd_words by = differences(k, row, b);

    return by.n ? fsd_printed(k->arena, " other %s", by.at[0]) : "";
}

/* The text of a cell with a mark. "*": the cell differs from the first build; "?": a
 * difference is possible but not known; "~": only the tactic differs. */
static const char *marked(const struct context *k, uint32_t row, uint32_t b)
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

static const struct fsd_rows *group_rows(const struct context *k, uint32_t b,
                                         struct fsd_span groups)
{
    return fsd_rows_of_groups(k->arena, k->m->builds[b], k->m->pool.at, groups);
}

/* clang-format off */
#define MOVE_ROW(has, set, when, t) \
    set(t, TEXT,  kind, fsd_kind_name((enum fsd_kind)m->kind), FSD_ALWAYS) \
    when(t, TEXT,  cause, m->cause != FSD_CAUSE_NONE, \
        fsd_cause_name((enum fsd_cause)m->cause), NULL) \
    set(t, FLAG,  inserted, m->inserted, FSD_ALWAYS) \
    set(t, WORDS, from, fsd_words_of_ends(k->arena, fsd_ends_of_origins(s, m->from)), \
        FSD_ALWAYS) \
    set(t, WORDS, to, fsd_words_of_ends(k->arena, fsd_ends_of_destinations(s, m->to)), \
        FSD_ALWAYS) \
    set(t, NAME,  before, fsd_state_form_text(k->arena, s, m->before), \
        FSD_ALWAYS, .about = "type and layout of the input") \
    set(t, NAME,  after, fsd_state_form_text(k->arena, s, m->after), FSD_ALWAYS) \
    set(t, MS,    ms, m->ms.median, NULL)
FSD_RECORD(move_row, MOVE_ROW)
/* clang-format on */

static const struct fsd_rows *move_rows(const struct context *k, uint32_t b,
                                        struct fsd_span moves)
{
    const struct fsd_state *s = k->m->builds[b];
    struct fsd_rows *rows = fsd_rows_new(k->arena, &move_row_record, "");

    for (uint32_t i = 0; i < moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[k->m->pool.at[moves.at + i]];
        FSD_ADD(rows, move_row, MOVE_ROW);
    }
    return rows;
}

/* ------------------------------------------------------------------------ a row */

/* The names of the row's nodes, from the first build that has these nodes. */
static const char *called(const struct context *k, uint32_t row)
{
    const struct fsd_matrix_row *r = &k->m->rows.at[row];
    const struct fsd_state *first = k->m->builds[0];
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    if (r->of == FSD_ROW_MOVES)
        fputs("(outside all groups)", out);
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

/* The operators of the row's nodes, each once, from the first build that has nodes in
 * this row. */
static struct fsd_words op_words(const struct context *k, uint32_t row)
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

                /* Equal texts of one intern table have the same address. */
                for (at = 0; at < words.n && words.at[at] != op; at++) {
                }
                if (at == words.n)
                    fsd_vec_push(k->arena, &words, op);
            }
        }
    }
    return fsd_words(words.at, words.n);
}

/* Whether the matrix has the row. It has all inputs and outputs of the model. It has
 * any other row only if at least one build has groups or moves there. */
static bool is_there(const struct context *k, uint32_t row)
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

static bool has_other_tactic(const struct context *k, uint32_t row)
{
    bool tactic = false;

    for (uint32_t b = 1; b < k->m->n; b++)
        tactic |= fsd_matrix_cell(k->m, row, b)->is == FSD_CELL_TACTIC;
    return tactic;
}

/* Whether text shows a row. Text shows the rows that differ; with --all, all rows; with
 * --tactics, also rows in which a build differs only in the tactic. */
static bool is_shown(const struct context *k, uint32_t row)
{
    return k->m->rows.at[row].differs || k->style->all ||
           (k->style->tactics && has_other_tactic(k, row));
}

/* ------------------------------------------------------------------------ matrix */

/* clang-format off */
#define CELL_ROW(has, set, when, t) \
    set(t, TEXT,  build, letter(b), FSD_ALWAYS) \
    set(t, TEXT,  is, fsd_cell_is_name(cell->is), FSD_ALWAYS, \
        .word = fsd_cell_is_name, .n_words = FSD__CELL_IS_COUNT, \
        .about = "result of the comparison with the first build") \
    set(t, WORDS, by, differences(k, row, b), FSD_ALWAYS, \
        .about = "what differs from the first build, in this order of importance: " \
                 "groups, types, moves, layouts, edges") \
    set(t, COUNT, variant, cell->variant, FSD_ALWAYS, \
        .about = "number of the variant; 0: the variant of the first build") \
    set(t, NAME,  what, what(k, row, b), FSD_ALWAYS) \
    set(t, COUNT, inserted, count_inserted(k, b, cell), FSD_ALWAYS) \
    set(t, MS,    ms, cell->ms, NULL) \
    set(t, ROWS,  groups, group_rows(k, b, cell->groups), FSD_ALWAYS, \
        .of = &fsd_group_record) \
    set(t, ROWS,  moves, move_rows(k, b, cell->moves), NULL, .of = &move_row_record, \
        .always = true, .about = "the row's inserted layers, unfused Q/DQ and views")
FSD_RECORD(cell_row, CELL_ROW)
/* clang-format on */

static const struct fsd_rows *cell_rows(const struct context *k, uint32_t row)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &cell_row_record, "");

    for (uint32_t b = 0; b < k->m->n; b++) {
        const struct fsd_matrix_cell *cell = fsd_matrix_cell(k->m, row, b);
        FSD_ADD(rows, cell_row, CELL_ROW);
    }
    return rows;
}

static const char *const row_words[] = {[FSD_ROW_GROUPS] = "nodes",
                                        [FSD_ROW_MOVES] = "moves",
                                        [FSD_ROW_INPUT] = "input",
                                        [FSD_ROW_OUTPUT] = "output"};

/* clang-format off */
#define MATRIX_ROW(has, set, when, t) \
    set(t, COUNT, row, i, FSD_ALWAYS, .about = "number of the row") \
    set(t, TEXT,  of, row_words[r->of], "of", .always = true, \
        .about = "subject of the row: nodes, moves, input or output") \
    set(t, NAME,  name, called(k, i), "nodes", .always = true) \
    set(t, WORDS, ops, op_words(k, i), FSD_ALWAYS, \
        .about = "operators of the row's nodes, each listed once") \
    set(t, FLAG,  differs, r->differs, "differs", .always = true) \
    set(t, COUNT, variants, r->variants, "variants", .always = true, \
        .about = "number of different variants of the row among all builds") \
    set(t, ROWS,  cells, cell_rows(k, i), NULL, .of = &cell_row_record, \
        .always = true, .about = "one cell for each build")
FSD_RECORD(matrix_row, MATRIX_ROW)
/* clang-format on */

/* A row of the matrix. Tables add a column for each build. The title of the column is
 * the letter of the build; its cells have the groups of the build. */
struct lettered_row {
    struct matrix_row row;
    const char *what[FSD_MOST_BUILDS];
};

/* The record type of a lettered row: the columns of a matrix row, and one column per
 * build. */
static const struct fsd_record *lettered_record(const struct context *k)
{
    const uint32_t fixed = matrix_row_record.n, n = fixed + k->m->n;
    struct fsd_column *columns = FSD_NEW(k->arena, struct fsd_column, n);
    struct fsd_record *record = FSD_NEW(k->arena, struct fsd_record, 1);

    memcpy(columns, matrix_row_record.columns, fixed * sizeof *columns);
    for (uint32_t b = 0; b < k->m->n; b++)
        columns[fixed + b] = (struct fsd_column){
            .name = letter(b),
            .kind = FSD_CELL_NAME,
            .at = (uint32_t)(offsetof(struct lettered_row, what) + b * sizeof(char *)),
            .title = letter(b),
            .aside = true};
    *record = (struct fsd_record){"row", columns, n, sizeof(struct lettered_row)};
    return record;
}

static const struct fsd_rows *matrix_rows(const struct context *k,
                                          const struct fsd_record *of)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, of, "");

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        const struct fsd_matrix_row *r = &k->m->rows.at[i];
        struct lettered_row *lettered;
        struct matrix_row *row;

        if (!is_there(k, i))
            continue;
        lettered = fsd_rows_add(rows);
        row = &lettered->row;
        FSD_FILL(row, MATRIX_ROW);
        for (uint32_t b = 0; b < k->m->n; b++)
            lettered->what[b] = marked(k, i, b);
    }
    return rows;
}

static void put_padded(FILE *out, const char *text, size_t width)
{
    size_t used = fsd_safe_width(text);

    fsd_put_safe(out, text);
    if (used < width)
        fprintf(out, "%*s", (int)(width - used), "");
}

/* Adds a line of the table. The cells are printed beside the name, or below the name if
 * `name_room` is 0. */
static void add_line(const struct context *k, struct fsd_rows *rows, const char *name,
                     const char *const *cells, size_t room, size_t name_room)
{
    size_t width = fsd_text_width(k->style), used;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    used = fsd_put_fitted(out, name, name_room ? name_room - GAP : width);
    if (*name && (!name_room || used + GAP > name_room)) {
        fsd_rows_add_line(rows, fsd_print_take(&print, k->arena));
        out = fsd_print_open(&print);
        used = 0;
    }
    fprintf(out, "%*s", (int)(name_room ? name_room - used : 2 * (size_t)GAP), "");
    for (uint32_t b = 0; b < k->m->n; b++)
        put_padded(out, cells[b], b + 1 < k->m->n ? room : 0);
    fsd_rows_add_line(rows, fsd_print_take(&print, k->arena));
}

/* Adds the different tactics of a row, each with the first build that has it. */
static void add_tactics(const struct context *k, struct fsd_rows *rows, uint32_t row)
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
        fsd_rows_add_line(
            rows, fsd_printed(k->arena, "    tactic of %s  %s", letter(b), name));
        before = name;
    }
}

static const struct fsd_rows *lines(const struct context *k)
{
    struct fsd_rows *rows = fsd_rows_new(k->arena, &fsd_line_record, "{line}\n");
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
        return NULL;
    left = width > room * k->m->n ? width - room * k->m->n : 0;
    name_room = name_room <= left ? name_room : left >= LEAST_NAME ? left : 0;
    for (uint32_t b = 0; b < k->m->n; b++)
        cells[b] = letter(b);
    add_line(k, rows, "", cells, room, name_room);
    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        if (!is_there(k, i) || !is_shown(k, i))
            continue;
        for (uint32_t b = 0; b < k->m->n; b++)
            cells[b] = marked(k, i, b);
        add_line(k, rows, called(k, i), cells, room, name_room);
        if (k->style->tactics)
            add_tactics(k, rows, i);
    }
    return rows;
}

/* --------------------------------------------------------------------- stability */

/* clang-format off */
#define VARIANT_ROW(has, set, when, t) \
    set(t, WORDS, builds, fsd_words(words, n), FSD_ALWAYS) \
    set(t, TEXT,  letters, fsd_print_take(&print, k->arena), "builds", .aside = true) \
    has(t, NAME,  what,    "what", .always = true) \
    has(t, ROWS,  groups,  FSD_ALWAYS, .of = &fsd_group_record)
FSD_RECORD(variant_row, VARIANT_ROW)

#define VARYING_ROW(has, set, when, t) \
    set(t, TEXT, of, row_words[k->m->rows.at[i].of], "of", .always = true, \
        .about = "subject of the row: nodes, moves, input or output") \
    set(t, NAME, name, called(k, i), "nodes", .always = true) \
    set(t, ROWS, variants, variant_rows(k, i), "variants", .of = &variant_row_record, \
        .always = true)
FSD_RECORD(varying_row, VARYING_ROW)
/* clang-format on */

/* The text for the cell of build `b`: the groups with their types, then the
 * data-movement layers. */
static const char *variant_words(const struct context *k, uint32_t row, uint32_t b)
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

static const struct fsd_rows *variant_rows(const struct context *k, uint32_t row)
{
    struct fsd_rows *rows =
        fsd_rows_new(k->arena, &variant_row_record, "     {letters:-7} {what}\n");
    const char *as_first = "", *words_of;

    for (uint32_t v = 0; v < k->m->rows.at[row].variants; v++) {
        const char **words = FSD_NEW(k->arena, const char *, k->m->n);
        struct variant_row *at = fsd_rows_add(rows);
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
        FSD_FILL(at, VARIANT_ROW);
        words_of = variant_words(k, row, first);
        if (!v)
            as_first = words_of;
        at->what =
            v && !strcmp(words_of, as_first)
                ? fsd_printed(k->arena, "%s;%s", words_of, less_seen(k, row, first))
                : words_of;
        at->groups = group_rows(k, first, fsd_matrix_cell(k->m, row, first)->groups);
    }
    return rows;
}

static const struct fsd_rows *varying_rows(const struct context *k)
{
    struct fsd_rows *rows =
        fsd_rows_new(k->arena, &varying_row_record, "\n{name}\n{variants}");

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        if (k->m->rows.at[i].differs)
            FSD_ADD(rows, varying_row, VARYING_ROW);
    }
    return rows;
}

/* ------------------------------------------------------------------------- sheets */

/* Says that a build has another builder version than the first build, because this may
 * cause any other difference. Names only the first such build. NULL: no version is
 * known to differ. */
static const char *versions_text(const struct context *k)
{
    const struct fsd_state *first = k->m->builds[0];
    const char *is = fsd_text(first->names, first->producer);

    for (uint32_t b = 1; b < k->m->n; b++) {
        const struct fsd_state *s = k->m->builds[b];
        const char *other = fsd_text(s->names, s->producer);

        if (*is && *other && strcmp(is, other) != 0)
            return fsd_printed(k->arena,
                               "the builders differ: %s built A, and %s built %s", is,
                               other, letter(b));
    }
    return NULL;
}

/* clang-format off */
#define FAILED_ROW(has, set, when, t) \
    set(t, NAME, path, failed->path, "log", .always = true) \
    set(t, NAME, why, failed->why, "why", .always = true)
FSD_RECORD_FROM(failed_row, FAILED_ROW, const struct fsd_matrix *m = from;
    const struct fsd_failed_build *failed = &m->failed.at[i])
/* clang-format on */

/* clang-format off */
#define HEAD(has, set, when, t) \
    set(t, COUNT, n_builds, k->m->n, FSD_ASIDE) \
    set(t, COUNT, n_rows, n, FSD_ALWAYS) \
    set(t, COUNT, differing, k->m->differing, FSD_ALWAYS) \
    set(t, COUNT, same, n - k->m->differing, FSD_ASIDE) \
    set(t, COUNT, tactics, tactics, FSD_ALWAYS, \
        .about = "number of rows in which only the tactics differ") \
    set(t, COUNT, folded, folded, FSD_ASIDE) \
    set(t, ROWS,  builds, FSD_ROWS(k->arena, build_row, build_text, k->m->n, k), \
        FSD_ALWAYS, .of = &build_row_record) \
    when(t, ROWS, failed, k->m->failed.n, FSD_ROWS(k->arena, failed_row, \
        "  {*}failed{/}  {path}: {why}\n", k->m->failed.n, k->m), NULL, \
        .of = &failed_row_record, \
        .about = "builds that failed; they have no letter; absent if no build failed") \
    set(t, NAME,  versions, versions_text(k), NULL, \
        .about = "sentence that names build A and the first build whose builder has " \
                 "a different version; absent if all known versions are equal")

#define MATRIX(has, set, when, t) \
    HEAD(has, set, when, t) \
    has(t, ROWS, rows,  "What computes the nodes", .of = &matrix_row_record, \
        .always = true, \
        .about = "first, one row for each set of groups that share nodes, sorted by " \
                 "the first node of the set; then one row for all data movement " \
                 "outside the groups; then one row for each input and each output") \
    has(t, ROWS, lines, FSD_ASIDE, .of = &fsd_line_record)
FSD_RECORD(matrix, MATRIX)

#define STABILITY(has, set, when, t) \
    HEAD(has, set, when, t) \
    has(t, ROWS, rows, "What varies", .of = &varying_row_record, .always = true, \
        .about = "what varies")
FSD_RECORD_PART(stability, matrix, STABILITY)
/* clang-format on */

static const char matrix_head[] =
    "{n_builds} builds; * marks a difference from A, ? marks an unknown fact\n"
    "int8 | fp16: "
    "two groups of nodes; x2: two layers; +1: one inserted "
    "layer\n{builds}<{failed!}><\n{versions!}\n>\n{n_rows|row|rows}: {same} equal in "
    "all builds< ({tactics!} of these with different tactics)>, {differing} different";

static const char matrix_text[] =
    "\n<\n{lines!}><\n{folded!|equal row|equal rows} omitted (--all shows them)\n>";

static const char stability_head[] =
    "{n_builds} builds\n{builds}<{failed!}><\n{versions!}\n>\n{n_rows|row|rows}: "
    "{same} equal in all builds< ({tactics!} of these with different tactics)>, "
    "{differing} different";

static const char stability_text[] = "\n{rows}";

static void fill_root(const struct context *k, struct matrix *root)
{
    uint32_t n = 0, tactics = 0, folded = 0;

    for (uint32_t i = 0; i < k->m->rows.n; i++) {
        if (!is_there(k, i))
            continue;
        n++;
        folded += !is_shown(k, i);
        tactics += has_other_tactic(k, i) && !k->m->rows.at[i].differs;
    }
    FSD_FILL(root, MATRIX);
}

void fsd_sheet_of_matrix(struct fsd_sheet *sheet, const struct fsd_matrix *m)
{
    const struct context k = {sheet->arena, m, sheet->style};
    struct matrix *root;

    sheet->name = "compare";
    root = fsd_sheet_begin(sheet, "fusiondiff-matrix/1", &matrix_record, matrix_head,
                           matrix_text);
    fill_root(&k, root);
    root->rows = matrix_rows(&k, lettered_record(&k));
    root->lines = lines(&k);
}

void fsd_sheet_of_stability(struct fsd_sheet *sheet, const struct fsd_matrix *m)
{
    const struct context k = {sheet->arena, m, sheet->style};
    struct matrix *root;

    sheet->name = "stability";
    root = fsd_sheet_begin(sheet, "fusiondiff-stability/1", &stability_record,
                           stability_head, stability_text);
    fill_root(&k, root);
    root->rows = varying_rows(&k);
}
