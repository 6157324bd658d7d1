/*
 * Reads a table of numbers, which has a name for each row, as CSV or JSON:
 *
 *     name,sensitivity,rank         [{"name": "Conv_0", "sensitivity": 0.1, "rank": 3},
 *     Conv_0,0.1,3                   {"name": "Conv_4", "sensitivity": 0.01}]
 *     "a, b",0.01,
 *
 * CSV is as in RFC 4180.  If the header has a tab, tabs separate the cells; otherwise,
 * commas do.  The column "name" may be in any place.  A number is unknown if its CSV
 * cell is empty, or if its JSON member is missing or null.  A column without numbers is
 * dropped, because tables may also have columns of words.
 */
#include "explain/values/values.h"

#include "base/base.h"
#include "base/file_type.h"
#include "read/engine/record.h"

#include <stdlib.h>

enum { ROWS_MAX = 1 << 20, CELL_MAX = 64 };

struct table {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const struct fsd_file *file;
    struct fsd_numbers *out;
    struct fsd_error *err;
    bool numbered[FSD_MOST_COLUMNS]; /* indexed by column: whether a row has a number in
                                        this column */
    uint64_t line;
};

static enum fsd_status fail_at_line(const struct table *t, const char *expected,
                                    const char *found)
{
    return fsd_fail(t->err, FSD_E_FORMAT, t->file->name,
                    t->line ? FSD_POS_LINE : FSD_POS_NONE, t->line,
                    "expected %s, found %s", expected, found);
}

static enum fsd_status fail_limit(const struct table *t, unsigned most,
                                  const char *what)
{
    return fsd_fail(t->err, FSD_E_LIMIT, t->file->name, FSD_POS_NONE, 0,
                    "expected at most %u %s, found more", most, what);
}

static void begin_row(struct table *t)
{
    struct fsd_number_row row = {0, {t->out->cells.n, 0}, 0, (double)NAN};

    fsd_vec_push(t->arena, &t->out->rows, row);
}

/* Sets the number in one column of the last row. */
static void set_number(struct table *t, uint32_t column, double number)
{
    struct fsd_number_cell cell = {column, number};

    fsd_vec_push(t->arena, &t->out->cells, cell);
    t->out->rows.at[t->out->rows.n - 1].cells.n++;
    t->numbered[column] = true;
}

/* Reads a finite decimal number; false if the whole text is no such number. */
static bool read_number(struct fsd_slice text, double *out)
{
    char copy[CELL_MAX], *end;

    if (!text.n || text.n >= sizeof copy)
        return false;
    memcpy(copy, text.s, text.n);
    copy[text.n] = '\0';
    *out = strtod(copy, &end);
    return !*end && !strpbrk(copy, "xX") && isfinite(*out);
}

/* Removes the columns without numbers.  Fails if no row or no column remains. */
static enum fsd_status finish(struct table *t)
{
    struct fsd_numbers *n = t->out;
    uint32_t kept = 0, place[FSD_MOST_COLUMNS] = {0};

    for (uint32_t c = 0; c < n->n_columns; c++)
        if (t->numbered[c]) {
            place[c] = kept;
            n->columns[kept++] = n->columns[c];
        }
    for (uint32_t i = 0; i < n->cells.n; i++)
        n->cells.at[i].column = place[n->cells.at[i].column];
    n->n_columns = kept;
    t->line = 0;
    if (!n->rows.n)
        return fail_at_line(t, "a table with at least one row", "no row");
    if (!kept)
        return fail_at_line(t, "a column of numbers in addition to 'name'", "none");
    return FSD_OK;
}

/* ------------------------------------------------------------------------------ CSV */

/* Sets *cell to the first cell of `left`, and *last to whether it is the only cell.
 * Removes the cell and its separator `mark` from `left`.  In a quoted cell, "" stands
 * for one quotation mark.
 * @return false if the closing quotation mark is missing */
static bool take_cell(struct table *t, struct fsd_slice *left, char mark,
                      struct fsd_slice *cell, bool *last)
{
    const char *end = left->s + left->n, *at = left->s;

    if (left->n && *at == '"') {
        char *copy = FSD_NEW(t->arena, char, left->n);
        size_t n = 0;

        for (at++;; at++) {
            if (at == end)
                return false;
            if (*at == '"' && (at + 1 == end || at[1] != '"'))
                break;
            at += *at == '"';
            copy[n++] = *at;
        }
        at++;
        *cell = (struct fsd_slice){copy, n};
    } else {
        while (at < end && *at != mark)
            at++;
        *cell = fsd_slice_trim((struct fsd_slice){left->s, (size_t)(at - left->s)});
    }
    while (at < end && *at != mark)
        at++;
    *last = at == end;
    *left = fsd_slice_from(*left, (size_t)(at - left->s) + !*last);
    return true;
}

/* Takes a line from `text`.  A quoted cell may contain line ends.  False at the end of
 * the text. */
static bool take_line(struct table *t, struct fsd_slice *text, struct fsd_slice *line)
{
    bool quoted = false;
    size_t n = 0;

    if (!text->n)
        return false;
    t->line++;
    while (n < text->n && (quoted || text->s[n] != '\n'))
        quoted ^= text->s[n++] == '"';
    *line = (struct fsd_slice){text->s, n};
    fsd_slice_drop(line, "\r");
    *text = fsd_slice_from(*text, n + 1);
    return true;
}

/* Reads the header: sets *name to the index of the column "name", and adds all other
 * columns to t->out.  finish() removes the columns without numbers. */
static enum fsd_status read_header_line(struct table *t, struct fsd_slice line,
                                        char mark, uint32_t *name)
{
    struct fsd_slice cell;
    bool last = !line.n;

    *name = FSD_NONE;
    for (uint32_t i = 0; !last; i++) {
        if (!take_cell(t, &line, mark, &cell, &last))
            return fail_at_line(t, "a closing quotation mark", "none");
        if (*name == FSD_NONE && fsd_slice_is(cell, "name")) {
            *name = i;
            continue;
        }
        if (t->out->n_columns == FSD_MOST_COLUMNS)
            return fail_limit(t, FSD_MOST_COLUMNS, "columns of numbers");
        t->out->columns[t->out->n_columns++] =
            fsd_text(t->names, fsd_intern_slice(t->names, cell));
    }
    return *name == FSD_NONE
               ? fail_at_line(t, "a header with the column 'name'", "none of that name")
               : FSD_OK;
}

static enum fsd_status read_row(struct table *t, struct fsd_slice line, char mark,
                                uint32_t name)
{
    struct fsd_slice cell;
    bool last = false;
    uint32_t column = 0;
    double number;

    begin_row(t);
    for (uint32_t i = 0; !last; i++) {
        if (!take_cell(t, &line, mark, &cell, &last))
            return fail_at_line(t, "a closing quotation mark", "none");
        if (i == name)
            t->out->rows.at[t->out->rows.n - 1].name = fsd_intern_slice(t->names, cell);
        else if (column == t->out->n_columns)
            return fail_at_line(t, "as many cells as the header has", "more");
        else if (read_number(cell, &number))
            set_number(t, column++, number);
        else
            column++;
    }
    return FSD_OK;
}

static enum fsd_status read_csv(struct table *t)
{
    size_t begin = fsd_file_text_start(t->file);
    struct fsd_slice text = {(const char *)t->file->bytes + begin,
                             t->file->size - begin},
                     line;
    enum fsd_status status = FSD_OK;
    uint32_t name;
    char mark;

    if (!take_line(t, &text, &line))
        return fail_at_line(t, "a table (CSV or JSON)", "an empty file");
    mark = memchr(line.s, '\t', line.n) ? '\t' : ',';
    status = read_header_line(t, line, mark, &name);
    while (status == FSD_OK && take_line(t, &text, &line)) {
        if (!fsd_slice_trim(line).n)
            continue;
        if (t->out->rows.n == ROWS_MAX)
            return fail_limit(t, ROWS_MAX, "rows");
        status = read_row(t, line, mark, name);
    }
    return status;
}

/* ----------------------------------------------------------------------------- JSON */

static enum fsd_status column_of(struct table *t, const struct fsd_field *field,
                                 uint32_t *column)
{
    const char *name = fsd_text(
        t->names,
        fsd_record_unescaped(t->names, (struct fsd_slice){field->key, field->key_len}));

    *column = fsd_number_column(t->out, name);
    if (*column != FSD_NONE)
        return FSD_OK;
    if (t->out->n_columns == FSD_MOST_COLUMNS)
        return fail_limit(t, FSD_MOST_COLUMNS, "columns of numbers");
    *column = t->out->n_columns;
    t->out->columns[t->out->n_columns++] = name;
    return FSD_OK;
}

static enum fsd_status read_member(struct table *t, struct fsd_records *r,
                                   const struct fsd_field *field, bool *named)
{
    uint32_t column;
    enum fsd_status status;

    if (field->opens) {
        r->at = fsd_record_behind(r); /* skip a list or an object, which is no number */
        return FSD_OK;
    }
    if (fsd_field_is(field, "name") && field->is_text) {
        t->out->rows.at[t->out->rows.n - 1].name = fsd_record_unescaped(
            t->names, (struct fsd_slice){field->text, field->text_len});
        *named = true;
        return FSD_OK;
    }
    if (field->is_text || !isfinite(field->number))
        return FSD_OK;
    status = column_of(t, field, &column);
    if (status == FSD_OK)
        set_number(t, column, field->number);
    return status;
}

static enum fsd_status read_json(struct table *t)
{
    struct fsd_records r = {.file = t->file,
                            .at = fsd_file_text_start(t->file),
                            .what = "a table",
                            .err = t->err,
                            .nested = true};
    enum fsd_status status = FSD_OK;
    enum fsd_record_step step;
    struct fsd_field field = {0};
    bool open = false, named = false;

    while (status == FSD_OK && (step = fsd_record_next(&r, &field)) != FSD_RECORD_END) {
        if (step == FSD_RECORD_BROKEN)
            return FSD_E_FORMAT;
        if (step == FSD_RECORD_OPEN) {
            if (t->out->rows.n == ROWS_MAX)
                return fail_limit(t, ROWS_MAX, "rows");
            begin_row(t);
            open = true;
            named = false;
        } else if (step == FSD_RECORD_FIELD && open) {
            status = read_member(t, &r, &field, &named);
        } else if (step == FSD_RECORD_CLOSE && open) {
            open = false;
            if (!named)
                return fail_at_line(
                    t, "a string for the key \"name\" in each object of the table",
                    "an object without it");
        }
    }
    return status;
}

/* --------------------------------------------------------------------------- either */

enum fsd_status fsd_table_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, struct fsd_numbers *out,
                               struct fsd_error *err)
{
    struct table t = {arena, names, file, out, err, {false}, 0};
    enum fsd_file_type type = fsd_file_type_of(file);
    enum fsd_status status;

    *out = (struct fsd_numbers){.of = FSD_NUMBERS_OF_TABLE, .paths = {file->name}};
    if (type == FSD_FILETYPE_JSON || type == FSD_FILETYPE_LIST)
        status = read_json(&t);
    else if (type == FSD_FILETYPE_TEXT || type == FSD_FILETYPE_EMPTY)
        status = read_csv(&t);
    else
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
                        "expected an npz archive, outputs that Polygraphy saved, or a "
                        "table (CSV or JSON), found %s",
                        fsd_file_type_noun(type));
    return status == FSD_OK ? finish(&t) : status;
}
