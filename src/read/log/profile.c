/*
 * Reads the table of layer times that trtexec prints. Up to TensorRT 8.5, the name is
 * the first column:
 *
 *     === Profile (781 iterations ) ===
 *             Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %
 *     Conv_15 + Relu_16       83.17           0.1065             0.1055      4.1
 *                 Total     2015.23           2.5803             2.5600    100.0
 *
 * In later versions, the name is the last column: "Time(ms) Avg.(ms) Median(ms) Time(%)
 * Layer". The oldest tables have no median. The profiler of TensorRT's samples prints
 * this table:
 *
 *     ========== net profile ==========
 *     TensorRT layer name    Runtime, %  Invocations Runtime, ms
 *           conv1 + relu1         50.0%           20        1.00
 *
 * A name may begin or end with a number, so columns are counted from the side without
 * the name.
 */
#include "read/log/log.h"

#include "base/base.h"

#include <stdlib.h>

enum {
    TABLES_MAX = 1 << 12,
    ROWS_MAX = 1 << 22,
    COLUMNS = 4,
    NUMBER_MAX = 40,
    MOST_MS = 1000000000 /* milliseconds: eleven days; no layer runs longer */
};

/* -------------------------------------------------------------------- the header */

/* Removes the words from the front. Returns false if the text does not begin with
 * them. */
static bool take(struct fsd_slice *t, const char *words)
{
    if (!fsd_slice_take(t, words))
        return false;
    *t = fsd_slice_trim(*t);
    return true;
}

static bool take_column(struct fsd_slice *t, struct fsd_log_columns *c)
{
    if (take(t, "Avg. Time (ms)") || take(t, "Avg.(ms)"))
        c->mean = c->n;
    else if (take(t, "Time (ms)") || take(t, "Time(ms)"))
        c->total = c->n;
    else if (take(t, "Runtime, ms"))
        c->total = c->n;
    else if (take(t, "Invocations"))
        c->runs = c->n;
    else if (!take(t, "Runtime, %") && !take(t, "Median Time (ms)") &&
             !take(t, "Median(ms)") && !take(t, "Time %") && !take(t, "Time(%)"))
        return false;
    return ++c->n <= COLUMNS;
}

static bool read_header(struct fsd_slice t, struct fsd_log_columns *out)
{
    bool first = take(&t, "Layer") || take(&t, "TensorRT layer name");
    struct fsd_log_columns c = {0, -1, -1, -1, !first};

    while (t.n && take_column(&t, &c))
        ;
    if (!first && !take(&t, "Layer"))
        return false;
    *out = c;
    return !t.n && c.n >= 2 && c.n <= COLUMNS && c.total >= 0;
}

/* Reads the title of a table: "=== Profile (781 iterations ) ===". */
static bool read_title(struct fsd_slice t, uint64_t *runs)
{
    uint64_t value;

    if (!take(&t, "=== Profile ("))
        return false;
    fsd_slice_take_number(&t, UINT64_C(1000000000000), &value);
    *runs = take(&t, " iterations") || take(&t, "iterations") ? value : 0;
    return true;
}

/* ---------------------------------------------------------------------- the rows */

static bool read_number(struct fsd_slice t, double *out)
{
    char copy[NUMBER_MAX], *end;

    fsd_slice_drop(&t, "%");
    if (!t.n || t.n >= NUMBER_MAX || memchr(t.s, 'x', t.n))
        return false;
    memcpy(copy, t.s, t.n);
    copy[t.n] = '\0';
    *out = strtod(copy, &end);
    return end == copy + t.n;
}

/* Removes a word with a number from one side of the text, and returns it.
 * @param from_end  true: removes the last word; false: removes the first word */
static struct fsd_slice take_word(struct fsd_slice *t, bool from_end)
{
    size_t n = 0;
    struct fsd_slice word;

    while (n < t->n && !strchr(" \t", t->s[from_end ? t->n - 1 - n : n]))
        n++;
    word = (struct fsd_slice){from_end ? t->s + t->n - n : t->s, n};
    *t = fsd_slice_trim((struct fsd_slice){from_end ? t->s : t->s + n, t->n - n});
    return word;
}

static double time_of(const double *numbers, int column, bool *odd)
{
    double ms = column < 0 ? -1 : numbers[column];

    if (column < 0 || (ms >= 0 && ms <= MOST_MS))
        return ms;
    *odd = true;
    return -1;
}

static bool read_row(const struct fsd_log_tables *r, struct fsd_slice t,
                     struct fsd_profile_entry *out)
{
    const struct fsd_log_columns *c = &r->columns;
    double numbers[COLUMNS];

    for (int i = 0; i < c->n; i++)
        if (!read_number(take_word(&t, !c->name_last),
                         &numbers[c->name_last ? i : c->n - 1 - i]))
            return false;
    if (!t.n)
        return false;
    *out = (struct fsd_profile_entry){.name = fsd_intern_slice(r->names, t)};
    out->unescaped = out->name;
    out->total_ms = time_of(numbers, c->total, &out->odd);
    out->mean_ms = time_of(numbers, c->mean, &out->odd);
    if (c->runs >= 0 && numbers[c->runs] >= 1 && out->total_ms >= 0)
        out->mean_ms = out->total_ms / numbers[c->runs];
    return true;
}

/* Ends the table; drops it if it has no row. */
static void close_table(struct fsd_log_tables *r)
{
    if (r->open && !r->out->at[r->out->n - 1].entries.n) {
        r->out->n--;
        r->tables--;
    }
    r->open = false;
}

static void add_row(struct fsd_log_tables *r, const struct fsd_profile_entry *row)
{
    struct fsd_profile *profile = &r->out->at[r->out->n - 1];

    if (r->has_last)
        fsd_vec_push(r->arena, &profile->entries, r->last);
    r->has_last = !strcmp(fsd_text(r->names, row->name), "Total");
    if (r->has_last)
        r->last = *row;
    else
        fsd_vec_push(r->arena, &profile->entries, *row);
}

/* Whether a line may be a title or a header of a table. Most lines are neither, and are
 * not examined further. */
static bool may_open(struct fsd_slice t)
{
    static const char *const words[] = {"=== Profile", "Layer",   "TensorRT layer",
                                        "Time",        "Avg.",    "Median",
                                        "Runtime,",    "Invocati"};

    for (size_t i = 0; t.n && i < FSD_COUNT_OF(words); i++)
        if (*t.s == *words[i] && fsd_slice_begins(t, words[i]))
            return true;
    return false;
}

static void open_table(struct fsd_log_tables *r, const struct fsd_log_columns *columns)
{
    close_table(r);
    r->columns = *columns;
    r->open = true;
    r->has_last = false;
    fsd_vec_push(
        r->arena, r->out,
        (struct fsd_profile){.path = r->path, .number = ++r->tables, .runs = r->runs});
    r->runs = 0;
}

bool fsd_log_table_line(struct fsd_log_tables *r, struct fsd_slice t)
{
    struct fsd_profile_entry row;
    struct fsd_log_columns columns;
    bool opens;

    while (t.n && (*t.s == ' ' || *t.s == '\t'))
        t = fsd_slice_from(t, 1);
    opens = may_open(t);
    if (r->full || (!r->open && !opens))
        return false;
    t = fsd_slice_trim(t);
    if (opens && read_title(t, &r->runs)) {
        close_table(r);
    } else if (opens && read_header(t, &columns)) {
        open_table(r, &columns);
    } else if (r->open && read_row(r, t, &row)) {
        add_row(r, &row);
    } else {
        close_table(r);
        return false;
    }
    r->full = r->tables > TABLES_MAX ||
              (r->open && r->out->at[r->out->n - 1].entries.n > ROWS_MAX);
    return true;
}

void fsd_log_tables_end(struct fsd_log_tables *r)
{
    close_table(r);
}

enum fsd_status fsd_log_fail_times(const struct fsd_file *file, uint64_t line,
                                   struct fsd_error *err)
{
    return fsd_fail(
        err, FSD_E_LIMIT, file->name, FSD_POS_LINE, line,
        "expected at most %d tables with at most %d layers each, found more tables "
        "or layers",
        TABLES_MAX, ROWS_MAX);
}

enum fsd_status fsd_log_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err)
{
    struct fsd_log_tables r = {
        .arena = arena, .names = names, .path = file->name, .out = out};
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;

    while (fsd_log_next(&lines, &line)) {
        if (fsd_log_may_be_table(&r, line.text))
            fsd_log_table_line(&r, line.text);
        if (r.full)
            return fsd_log_fail_times(file, line.number, err);
    }
    fsd_log_tables_end(&r);
    return FSD_OK;
}
