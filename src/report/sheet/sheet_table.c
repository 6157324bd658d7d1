/*
 * Prints a sheet as tables, in CSV (RFC 4180, but with lines that end in LF) and in
 * Markdown.
 *
 * Each column of the root that has a title and contains rows is a table. If a row of
 * the table contains rows itself, each inner row is a line, which repeats the cells of
 * the outer row. Without inner rows, the outer row is one line with empty cells. For
 * example, a node that three layers compute has three lines, and a node that no layer
 * computes has one line. A column of facts becomes one column for each name in `facts`
 * of the sheet.
 */
#include "base/base.h"
#include "report/phrase/escape.h"
#include "report/phrase/phrase.h"
#include "report/sheet/sheet.h"

#include <inttypes.h>
#include <stdlib.h>

/* The differences between CSV and Markdown. */
struct markup {
    const char *before, *between, *after; /* around and between the cells of a line */
    fsd_put_cell_fn *put;
    bool rounds; /* numbers are rounded for readers */
    const struct fsd_sheet *of;
};

static void put_csv(const struct fsd_column *column, const char *text, FILE *out)
{
    (void)column;
    fsd_put_csv(out, text);
}

/* Escapes prevent links, HTML and column separators. They cannot prevent mentions and
 * issue numbers, so names are in <code>, where these have no effect. */
static void put_markdown(const struct fsd_column *column, const char *text, FILE *out)
{
    bool sentence = column->sentence && strchr(text, '`');
    bool code = column->kind == FSD_CELL_NAME && *text && !sentence;

    fputs(code ? "<code>" : "", out);
    (sentence ? fsd_put_markdown_sentence : fsd_put_markdown)(out, text);
    fputs(code ? "</code>" : "", out);
}

static bool is_rows(const struct fsd_column *column)
{
    return column->kind == FSD_CELL_ROWS;
}

/* Prints a number. If `rounds` is true, rounds it for readers; otherwise prints enough
 * digits to identify the double. */
static void put_number(bool rounds, const struct fsd_column *column, double number,
                       FILE *out)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) < number || strtod(text, NULL) > number)
        snprintf(text, sizeof text, "%.17g", number);
    if (!rounds)
        fputs(text, out);
    else if (column->kind == FSD_CELL_MS)
        fsd_put_ms_column(number, 0, out);
    else if (column->kind == FSD_CELL_SHARE)
        fprintf(out, "%.1f %%", 100 * number);
    else
        fprintf(out, "%.4f", number);
}

static void put_cell(const struct markup *m, const struct fsd_column *column,
                     const struct fsd_cell *c, bool repeated, FILE *out)
{
    struct fsd_print list;
    char room[FSD_BRIEF_ROOM];

    if (!c->known)
        return;
    switch (column->kind) {
    case FSD_CELL_COUNT:
        fprintf(out, "%" PRIu64, c->count);
        break;
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
        put_number(m->rounds, column, c->number, out);
        break;
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
        if (c->amount.term)
            m->put(column, c->amount.term, out);
        else if (m->rounds)
            fsd_put_scaled(c->amount.number, NULL,
                           column->kind == FSD_CELL_BYTES ? " B" : "", out);
        else
            fprintf(out, "%" PRId64, c->amount.number);
        break;
    case FSD_CELL_TYPE:
        fputs(fsd_dtype_name((enum fsd_dtype)c->count), out);
        break;
    case FSD_CELL_FLAG:
        fputs(c->count ? "yes" : "no", out);
        break;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        m->put(column,
               repeated ? fsd_brief(c->text, room) : fsd_cell_brief(column, c, room),
               out);
        break;
    case FSD_CELL_WORDS:
    case FSD_CELL_TALLY:
        fsd_print_open(&list);
        for (uint32_t i = 0; i < c->words.n; i++) {
            fprintf(list.out, "%s%s", i ? ", " : "", c->words.at[i]);
            if (c->words.counts)
                fprintf(list.out, " %u", c->words.counts[i]);
        }
        fsd_print_close(&list);
        m->put(column, list.text, out);
        free(list.text);
        break;
    case FSD_CELL_IDS:
    case FSD_CELL_SIZES:
    case FSD_CELL_FACTS:
    case FSD_CELL_ROWS:
    case FSD_CELL_RECORD:
    default:
        break;
    }
}

/* Prints the fact with this name; nothing if the cell lacks it. */
static void put_fact(const struct markup *m, const struct fsd_column *column,
                     const struct fsd_cell *c, const char *name, FILE *out)
{
    for (uint32_t i = 0; c->known && i < c->facts.n; i++) {
        const struct fsd_fact_cell *fact = &c->facts.at[i];

        if (strcmp(fact->key, name) != 0)
            continue;
        if (fact->text)
            m->put(column, fact->text, out);
        else if (fact->whole)
            fprintf(out, "%" PRIu64, fact->count);
        else if (m->rounds)
            fprintf(out, "%.6g", fact->number);
        else
            put_number(false, column, fact->number, out);
        return;
    }
}

/* The number of columns that a member has in the table. */
static uint32_t width_of(const struct markup *m, const struct fsd_column *column)
{
    return column->kind == FSD_CELL_FACTS ? m->of->n_facts : 1;
}

/* A row at one depth of nested rows; `outer` is the row around it. A printed line has
 * the cells of an innermost row and of all rows around it. */
struct level {
    const struct fsd_record *of;
    const void *row; /* NULL: there is no row, so the cells are empty */
    const struct level *outer;
};

/* The index of the column whose rows become lines of the table: the first column that
 * has a title and contains rows. Returns `of->n` if there is none. */
static uint32_t unfolded(const struct fsd_record *of)
{
    uint32_t i = 0;

    while (i < of->n && !(of->columns[i].title && is_rows(&of->columns[i])))
        i++;
    return i;
}

/* The next column that has a title and does not contain rows; NULL after the last one.
 * `at` counts through all columns twice. The first time, the function returns columns
 * without `behind`; the second time, columns with `behind`. */
static const struct fsd_column *next_column(const struct fsd_record *of, uint32_t *at)
{
    while (*at < 2 * of->n) {
        const struct fsd_column *column = &of->columns[*at % of->n];
        bool behind = (*at)++ >= of->n;

        if (column->title && !is_rows(column) && column->behind == behind)
            return column;
    }
    return NULL;
}

/* Prints the cells of all outer rows, and then the cells of this row.
 * @param repeated true: several lines may repeat the cells of this row, so its texts
 *         are shortened
 * @return the number of printed cells, with those of the outer rows */
static uint32_t put_levels(const struct markup *m, const struct level *l, bool repeated,
                           FILE *out)
{
    uint32_t n = l->outer ? put_levels(m, l->outer, true, out) : 0, at = 0;
    const struct fsd_column *column;

    while ((column = next_column(l->of, &at))) {
        for (uint32_t i = 0; i < width_of(m, column); i++) {
            struct fsd_cell cell;

            fputs(n++ ? m->between : m->before, out);
            if (!l->row)
                continue;
            cell = fsd_cell_of(column, l->row);
            if (column->kind == FSD_CELL_FACTS)
                put_fact(m, column, &cell, m->of->facts[i], out);
            else
                put_cell(m, column, &cell, repeated, out);
        }
    }
    return n;
}

static void put_line(const struct markup *m, const struct level *level, FILE *out)
{
    uint32_t at = unfolded(level->of);
    const struct fsd_column *column = &level->of->columns[at];
    const struct fsd_rows *rows;

    if (at == level->of->n) {
        put_levels(m, level, false, out);
        fputs(m->after, out);
        return;
    }
    rows = level->row ? fsd_cell_of(column, level->row).rows : NULL;
    for (uint32_t i = 0; i < (rows && rows->at.n ? rows->at.n : 1); i++) {
        struct fsd_row row =
            rows && rows->at.n ? fsd_row_begin(rows, i) : (struct fsd_row){0};
        struct level inner = {rows ? rows->of : column->of, row.at, level};

        put_line(m, &inner, out);
        fsd_row_end(row);
    }
}

/* Prints the title of a column; for facts, the title of the i-th fact. */
static void put_title(const struct markup *m, const struct fsd_column *column,
                      uint32_t i, bool ruler, FILE *out)
{
    bool facts = column->kind == FSD_CELL_FACTS;

    if (ruler)
        fputs(facts || column->kind <= FSD_CELL_MACS ? "---:" : "---", out);
    else
        fputs(column->title, out);
    if (!ruler && facts)
        m->put(column, m->of->facts[i], out);
}

/* Prints the line of titles. If `ruler` is true, prints instead the line that Markdown
 * needs below the titles; this line aligns columns of numbers to the right. */
static void put_titles(const struct markup *m, const struct fsd_record *of, bool ruler,
                       FILE *out)
{
    const char *separator = m->before;

    for (;;) {
        uint32_t at = unfolded(of), i = 0;
        const struct fsd_column *column;

        while ((column = next_column(of, &i)))
            for (uint32_t k = 0; k < width_of(m, column); k++) {
                fputs(separator, out);
                separator = m->between;
                put_title(m, column, k, ruler, out);
            }
        if (at == of->n)
            break;
        of = of->columns[at].of;
    }
    fputs(m->after, out);
}

static void put_lines(const struct markup *m, const struct fsd_rows *rows, FILE *out)
{
    for (uint32_t i = 0; i < rows->at.n; i++) {
        struct fsd_row row = fsd_row_begin(rows, i);
        struct level level = {rows->of, row.at, NULL};

        put_line(m, &level, out);
        fsd_row_end(row);
    }
}

/* The i-th table of a sheet; NULL after the last. */
static const struct fsd_rows *table_at(const struct fsd_sheet *sheet, uint32_t i,
                                       const struct fsd_column **column)
{
    const struct fsd_record *of = sheet->root->of;

    for (uint32_t k = 0; k < of->n; k++) {
        struct fsd_cell cell;

        *column = &of->columns[k];
        if (!(*column)->title || !is_rows(*column))
            continue;
        cell = fsd_cell_of(*column, sheet->root->at.at[0]);
        if (cell.known && !i--)
            return cell.rows;
    }
    return NULL;
}

/* Prints all tables of one record type, because all lines of a CSV file must have the
 * same columns. The type is that of the table `sheet->csv`. If this is NULL, it is the
 * type of the table with the most columns: the other tables only sum up its lines. */
void fsd_sheet_put_csv(const struct fsd_sheet *sheet, FILE *out)
{
    const struct fsd_rows *rows, *widest = NULL;
    const struct fsd_column *column;
    const struct markup csv = (struct markup){"", ",", "\n", put_csv, false, sheet};

    for (uint32_t i = 0; (rows = table_at(sheet, i, &column)); i++)
        if (sheet->csv ? !strcmp(column->name, sheet->csv)
                       : !widest || rows->of->n > widest->of->n)
            widest = rows;
    if (!widest)
        return;
    put_titles(&csv, widest->of, false, out);
    for (uint32_t i = 0; (rows = table_at(sheet, i, &column)); i++)
        if (rows->of == widest->of)
            put_lines(&csv, rows, out);
}

void fsd_sheet_put_markdown(const struct fsd_sheet *sheet, FILE *out)
{
    const struct fsd_column *column;
    const struct fsd_rows *rows;
    const struct markup markdown =
        (struct markup){"| ", " | ", " |\n", put_markdown, true, sheet};
    struct fsd_print head;

    fprintf(out, "### fusiondiff %s\n", sheet->name);
    fsd_sheet_put_head(sheet, put_markdown, fsd_print_open(&head));
    fsd_print_close(&head);
    if (head.size)
        putc('\n', out);
    for (char *c = head.text; *c; c++) { /* in Markdown, only <br> keeps a line
                                            break */
        fputs(*c == '\n' && c[1] ? "<br>" : "", out);
        putc(*c, out);
    }
    if (head.size && head.text[head.size - 1] != '\n')
        putc('\n', out);
    free(head.text);
    for (uint32_t i = 0; (rows = table_at(sheet, i, &column)); i++) {
        if (!rows->at.n)
            continue;
        fprintf(out, "\n**%s**\n\n", column->title);
        put_titles(&markdown, rows->of, false, out);
        put_titles(&markdown, rows->of, true, out);
        put_lines(&markdown, rows, out);
    }
}
