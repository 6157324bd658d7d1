/*
 * A sheet is the contents of a view, for all formats: one record of cells. A cell can
 * contain rows, which are further records.
 *
 *     root      layers 12, ms 0.031, reformats |  layer  cause  ms     edge
 *                                              |     3   io     0.01   x -> Conv_0
 *                                              |     9   dtype  0.02   Conv_0 -> Add_3
 *
 * JSON has every cell under its column's name. CSV and Markdown print the rows of the
 * root below the titles of their columns. If such a row contains rows, each of these
 * has its own line, which repeats the outer row's cells. Text is printed by templates:
 *
 *     {name}          prints the cell; "-" if it is an unknown number
 *     {name:8.1}      prints a number in 8 columns, with 1 digit after the point;
 *                     {name:-8.1}: left-aligned
 *     {name:12}       prints all digits of a number of bytes, not only the first three
 *     {name:.60}      shortens a text by leaving out its middle: to 60 columns if the
 *                     report has 100 columns
 *     {name|is|are}   prints a count and its noun in the singular or plural
 *     {name|}         prints a tally with its counts first
 *     {name.of}       prints the member `of` of the record {name}
 *     <...>           is printed only if each cell that it names is known; an inner
 *                     <...> has its own condition
 *     {name!}         the <...> around it is also left out if the cell is 0, "unknown"
 *                     or empty; a tally leaves out words whose count is 0, and facts
 *                     leave out times of 0
 *     {*} {+} {!}     switch to the color of a title, an inserted layer, an alarm
 *     {/}             switches to no color
 *     {-}             prints an arrow, "->"
 *
 * Rows without a template print the clause (`says`) of each member of their record.
 *
 * A new view needs a file in view/ that fills a sheet, and a row in view/view.h. A new
 * format needs a function that prints a sheet, and a row in report.c.
 */
#pragma once

#include "base/base.h"
#include "explain/diff/diff.h"
#include "report/sheet/record.h"

/** Fills row `i`; the caller passes a row whose members are all unknown. The caller may
 * free `arena` after the row is printed. */
typedef void fsd_fill_row_fn(struct fsd_arena *arena, void *row, const void *from,
                             uint32_t i);

/** Records of one type. */
struct fsd_rows {
    struct fsd_arena *arena; /**< fsd_rows_add() allocates rows here */
    const struct fsd_record *of;
    const char *text;    /**< template of a row; NULL: the clauses of its members */
    const char *between; /**< separates rows in text; NULL: nothing */
    FSD_VEC(void *)
    at;                    /**< pointers to the rows, which are structs of the record
                                type. If `fill` is not NULL, only at.n is used: the
                                number of rows */
    fsd_fill_row_fn *fill; /**< fills a row when it is printed; NULL: `at` has the
                                rows */
    const void *from;
};

struct fsd_sheet {
    struct fsd_arena *arena;
    const struct fsd_style *style; /**< the style of text; NULL: the format is not
                                        text */
    const char *name;              /**< "where" */
    const char *schema;            /**< the name of the schema in JSON,
                                        "fusiondiff-where/1" */
    const char *head; /**< template of the text above a table; NULL: none */
    const char *csv;  /**< the member of the root whose rows CSV prints; NULL: CSV
                           prints the table with the most columns */
    const struct fsd_rows *root; /**< one row; its template prints the text below the
                                      head */
    const char *const *facts;    /**< names of facts. In tables, a member of kind FACTS
                                      has one column for each of these names. The title
                                      of the column is the title of the member, followed
                                      by the name */
    uint32_t n_facts;
};

/** Creates an empty list of rows of this type.
 *  @param text the template of a row; NULL: the clauses of its members */
struct fsd_rows *fsd_rows_new(struct fsd_arena *arena, const struct fsd_record *of,
                              const char *text);
/** Sets the separator of the rows in text. */
static inline const struct fsd_rows *fsd_rows_joined(struct fsd_rows *rows,
                                                     const char *between)
{
    rows->between = between;
    return rows;
}
/** Adds a row whose members are all unknown.
 * @return a struct of the rows' record type */
void *fsd_rows_add(struct fsd_rows *rows);
/** Adds a row of this type and fills it with the values of its list (record.h). */
#define FSD_ADD(rows, type, LIST)                                                      \
    do {                                                                               \
        struct type *fsd_added_ = fsd_rows_add(rows);                                  \
                                                                                       \
        FSD_FILL(fsd_added_, LIST);                                                    \
    } while (0)
/** Creates the root of a sheet, and sets `schema`, `head` and `root` of the sheet.
 *  @param head NULL: no text above the tables
 *  @return the struct of the root; all its members are unknown */
void *fsd_sheet_begin(struct fsd_sheet *sheet, const char *schema,
                      const struct fsd_record *of, const char *head, const char *text);
/** The type of rows that are lines of text. Only the format "text" prints them. */
extern const struct fsd_record fsd_line_record;
void fsd_rows_add_line(struct fsd_rows *rows, const char *line);
/** The first `most` rows, or all if there are fewer. */
const struct fsd_rows *fsd_rows_first(const struct fsd_rows *rows, uint32_t most);

/** Creates a struct of this record type whose members are all unknown. */
void *fsd_record_new(struct fsd_arena *arena, const struct fsd_record *of);

/** Makes `n` rows. A row is filled only when it is printed, by a call of `fill` with
 * `from`. Only one row at a time is therefore in memory. */
const struct fsd_rows *fsd_rows_later(struct fsd_arena *arena,
                                      const struct fsd_record *of, uint32_t n,
                                      fsd_fill_row_fn *fill, const void *from);
/** Makes rows that fill_`type`() (record.h) fills when they are printed. */
#define FSD_LATER(arena, type, n, from)                                                \
    fsd_rows_later((arena), &type##_record, (n), fill_##type, (from))
/** Makes `n` rows. This function itself calls `fill` to fill each of them.
 * @param text the template of a row; NULL: the clauses of its members */
struct fsd_rows *fsd_rows_made(struct fsd_arena *arena, const struct fsd_record *of,
                               const char *text, uint32_t n, fsd_fill_row_fn *fill,
                               const void *from);
#define FSD_ROWS(arena, type, text, n, from)                                           \
    fsd_rows_made((arena), &type##_record, (text), (n), fill_##type, (from))
/** Creates one record. Calls `fill` with the row number `i` to fill the record.
 * @return NULL if `i` is FSD_NONE */
const void *fsd_record_held(struct fsd_arena *arena, const struct fsd_record *of,
                            fsd_fill_row_fn *fill, const void *from, fsd_id i);
#define FSD_HELD(arena, type, from, i)                                                 \
    fsd_record_held((arena), &type##_record, fill_##type, (from), (i))
/** One row, for printing. If the row is filled only now (see fsd_rows_later()), it is
 * in the arena `own`, which fsd_row_end() frees. Otherwise, `own` is NULL. */
struct fsd_row {
    const void *at;
    struct fsd_arena *own;
};
struct fsd_row fsd_row_begin(const struct fsd_rows *rows, uint32_t i);
static inline void fsd_row_end(struct fsd_row row)
{
    fsd_arena_free(row.own);
}

/** Makes a count cell that contains `id`. If `id` is FSD_NONE, the cell is unknown. */
static inline struct fsd_count fsd_count_id(fsd_id id)
{
    return (struct fsd_count){id != FSD_NONE, id};
}
struct fsd_amount_cell fsd_amount_cell(const struct fsd_diff *d, int64_t amount);
static inline struct fsd_words fsd_words(const char *const *words, uint32_t n)
{
    return (struct fsd_words){true, n, words, NULL};
}
/** Words with counts, for the values `from` to n - 1 of an enumeration: value i has the
 * word name(i) and the count numbers[i]. Values whose name is "" are left out. */
struct fsd_words fsd_tally(struct fsd_arena *arena, const uint32_t *numbers, unsigned n,
                           unsigned from, const char *(*name)(unsigned));
/** Words with times in ms, for the values 0 to n - 1 of an enumeration: value i has the
 * word name(i) and the time numbers[i]. Values whose name is "" are left out. */
struct fsd_fact_cells fsd_facts_of(struct fsd_arena *arena, const double *numbers,
                                   unsigned n, const char *(*name)(unsigned));
static inline struct fsd_ids fsd_ids(const fsd_id *ids, uint32_t n)
{
    return (struct fsd_ids){true, n, ids};
}
/** The layers that compute a node. */
struct fsd_ids fsd_ids_of_layers(struct fsd_arena *arena, const struct fsd_match *match,
                                 fsd_id node);
/** Returns the name of each kind of evidence whose bit is set in `by`.
 * @param by mask of enum fsd_evidence */
struct fsd_words fsd_words_of_evidence(struct fsd_arena *arena, unsigned by);

/** The value of a member of any kind, as printers read it. */
struct fsd_cell {
    bool known;
    union {
        uint64_t count; /* COUNT, TYPE, FLAG */
        double number;  /* NUMBER, MS, SHARE */
        const char *text;
        struct fsd_amount_cell amount;
        struct fsd_words words; /* WORDS, TALLY; only TALLY has counts */
        struct fsd_ids ids;
        struct fsd_size_list sizes;
        struct fsd_fact_cells facts;
        const struct fsd_rows *rows;
        const void *record;
    };
};

/** The value of a member.
 * @param record a struct of the type to which the column belongs */
struct fsd_cell fsd_cell_of(const struct fsd_column *column, const void *record);

/** The text of a cell as tables and the format "text" print it: shortened if the column
 * is `brief`. */
static inline const char *fsd_cell_brief(const struct fsd_column *column,
                                         const struct fsd_cell *cell,
                                         char room[FSD_BRIEF_ROOM])
{
    return column->brief ? fsd_brief(cell->text, room) : cell->text;
}

/** Whether a fact is worth printing: it has a text, or a number above 0. */
static inline bool fsd_fact_says(const struct fsd_fact_cell *fact)
{
    return fact->text || fact->number > 0;
}

/** Whether a cell is worth printing: neither 0 nor "unknown" nor empty. */
bool fsd_cell_says(const struct fsd_column *column, const struct fsd_cell *cell);

/** Whether "schema" is a member of the root's record. Such a root states its schema
 * even if another document contains the root. */
static inline bool fsd_sheet_names_schema(const struct fsd_sheet *sheet)
{
    return !strcmp(sheet->root->of->columns[0].name, "schema");
}

typedef void fsd_sheet_fn(const struct fsd_sheet *sheet, FILE *out);

fsd_sheet_fn fsd_sheet_put_text, fsd_sheet_put_json, fsd_sheet_put_csv,
    fsd_sheet_put_markdown, fsd_sheet_put_schema;
/** Prints the columns of a document's records as JSON, for the page. */
fsd_sheet_fn fsd_sheet_put_columns;
/** Prints a record as JSON without the member "schema", as data of the page. */
void fsd_record_put_json(const struct fsd_record *of, const void *record, FILE *out);

/** Prints a record by a template. */
void fsd_record_put_text(const struct fsd_record *of, const void *record,
                         const char *text, const struct fsd_style *style, FILE *out);

/** Prints the text of a cell. */
typedef void fsd_put_cell_fn(const struct fsd_column *column, const char *text,
                             FILE *out);

/** Prints the head of the text; `put` prints the texts of the cells in the head. */
void fsd_sheet_put_head(const struct fsd_sheet *sheet, fsd_put_cell_fn *put, FILE *out);
