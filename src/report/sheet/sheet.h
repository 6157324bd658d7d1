/*
 * The contents of a view, for all formats: a record of cells, some of which have rows
 * of further records.
 *
 *     root      layers 12, ms 0.031, reformats |  layer  cause  ms     edge
 *                                              |     3   io     0.01   x -> Conv_0
 *                                              |     9   dtype  0.02   Conv_0 -> Add_3
 *
 * JSON prints every cell by its column's name.  CSV and Markdown print the rows that
 * the root holds, each below its column's title; a column of rows within them is
 * unfolded, as a join would do it.  Text is what the templates say:
 *
 *     {name}          the cell; a number that is not known is "-"
 *     {name:8.1}      in 8 columns, or in -8 to the left; digits behind the point
 *     {name:12}       of bytes: all digits, not the first three
 *     {name:.60}      of a text: in 60 columns of 100, its middle left out
 *     {name|is|are}   a count and its noun, singular or plural
 *     <...>           only if every cell named in it, not in a <...> of its own, is
 *                     known
 *     {name!}         the same, and if it is not 0, "unknown" or empty; of a tally
 *                     without the words that nothing has
 *     {*} {+} {/}     ink of a title, of what is inserted, and none
 *
 * Rows without a template say the clauses of their record's members, one after the
 * other.
 *
 * To add a view: a file in view/ that fills a sheet, its row in view/view.h.  To add a
 * format: a function that prints a sheet, its row in report.c.
 */
#ifndef FSD_REPORT_SHEET_SHEET_H
#define FSD_REPORT_SHEET_SHEET_H

#include "base/base.h"
#include "explain/diff/diff.h"
#include "report/sheet/record.h"

#include <stdio.h>
#include <string.h>

/** Fills row `i`, of which nothing is known yet.  What is allocated for it is freed
 *  when it is printed. */
typedef void fsd_fill_row_fn(struct fsd_arena *arena, void *row, const void *from,
                             uint32_t i);

/** Records of one type, or what a view shows of them. */
struct fsd_rows {
    struct fsd_arena *arena; /**< of those that are added */
    const struct fsd_record *of;
    const char *text;      /**< template of a row; NULL: its members' clauses */
    const char *between;   /**< rows in text; NULL: nothing */
    FSD_VEC(void *) at;    /**< each a struct of that type; of later ones only the n */
    fsd_fill_row_fn *fill; /**< of rows that are filled as they are printed; or NULL */
    const void *from;
};

struct fsd_sheet {
    struct fsd_arena *arena;
    const struct fsd_style *style; /**< of text; NULL: another format is wanted */
    const char *name;              /**< "where" */
    const char *schema;            /**< of JSON: "fusiondiff-where/1" */
    const char *head; /**< template of what stands above a table; NULL: nothing */
    const char *csv;  /**< the member of the root whose rows are the lines of CSV;
                               NULL: those of the widest table */
    const struct fsd_rows *root; /**< one row; its template says what follows the
                                      head */
    const char *const *facts; /**< in tables: the columns that a titled member of facts
                                   stands for, which begin with its title */
    uint32_t n_facts;
};

/** Rows of this type, none yet.
 *  @param text  the template of a row; NULL: its members' clauses. */
struct fsd_rows *fsd_rows_new(struct fsd_arena *arena, const struct fsd_record *of,
                              const char *text);
/** A row of which nothing is known: a struct of the rows' type. */
void *fsd_rows_add(struct fsd_rows *rows);
/** Adds a row of that type, filled by its list (record.h). */
#define FSD_ADD(rows, type, LIST)                                                      \
    do {                                                                               \
        struct type *fsd_added_ = fsd_rows_add(rows);                                  \
                                                                                       \
        FSD_FILL(fsd_added_, LIST);                                                    \
    } while (0)
/** The root of a sheet, a struct of that type, of which nothing is known yet; what else
 *  the sheet has is set as well.
 *  @param head  NULL: nothing stands above the tables. */
void *fsd_sheet_begin(struct fsd_sheet *sheet, const char *schema,
                      const struct fsd_record *of, const char *head, const char *text);
/** Rows of text that no other format takes: its lines. */
extern const struct fsd_record fsd_line_record;
void fsd_rows_add_line(struct fsd_rows *rows, const char *line);
/** The first rows, at most `most`. */
const struct fsd_rows *fsd_rows_first(const struct fsd_rows *rows, uint32_t most);

/** A struct of that type, of which nothing is known. */
void *fsd_record_new(struct fsd_arena *arena, const struct fsd_record *of);

/** `n` rows, each of which is filled when it is printed, so that a large report takes
 *  the memory of one row; `from` is passed to `fill`. */
const struct fsd_rows *fsd_rows_later(struct fsd_arena *arena,
                                      const struct fsd_record *of, uint32_t n,
                                      fsd_fill_row_fn *fill, const void *from);
/** Row i, and the arena that is freed by fsd_row_end(); NULL: it was there before. */
struct fsd_row {
    const void *at;
    struct fsd_arena *own;
};
struct fsd_row fsd_row_begin(const struct fsd_rows *rows, uint32_t i);
static inline void fsd_row_end(struct fsd_row row)
{
    fsd_arena_free(row.own);
}

/** FSD_NONE: not known. */
static inline struct fsd_count fsd_count_id(fsd_id id)
{
    return (struct fsd_count){id != FSD_NONE, id};
}
struct fsd_amount_cell fsd_amount_cell(const struct fsd_diff *d, int64_t amount);
static inline struct fsd_words fsd_words(const char *const *words, uint32_t n)
{
    return (struct fsd_words){true, n, words, NULL};
}
/** Words with counts: what an enumeration counts.  `n` numbers, of which those from
 *  `from` on that have a name are taken. */
struct fsd_words fsd_tally(struct fsd_arena *arena, const uint32_t *numbers, unsigned n,
                           unsigned from, const char *(*name)(unsigned));
/** The same of times. */
struct fsd_fact_cells fsd_facts_of(struct fsd_arena *arena, const double *numbers,
                                   unsigned n, const char *(*name)(unsigned));
static inline struct fsd_ids fsd_ids(const fsd_id *ids, uint32_t n)
{
    return (struct fsd_ids){true, n, ids};
}
/** The words of a mask of enum fsd_evidence. */
struct fsd_words fsd_words_of_evidence(struct fsd_arena *arena, unsigned by);

/** A member of whatever kind, as printers read it. */
struct fsd_cell {
    bool known;
    union {
        uint64_t count; /* COUNT, TYPE, FLAG */
        double number;  /* NUMBER, MS, SHARE */
        const char *text;
        struct fsd_amount_cell amount;
        struct fsd_words words; /* TALLY has counts */
        struct fsd_ids ids;
        struct fsd_size_list sizes;
        struct fsd_fact_cells facts;
        const struct fsd_rows *rows;
        const void *record;
    };
};

/** @param record  a struct of the type that the column is of. */
struct fsd_cell fsd_cell_of(const struct fsd_column *column, const void *record);

/** The printed form of a text. */
static inline const char *fsd_cell_brief(const struct fsd_column *column,
                                         const struct fsd_cell *cell,
                                         char room[FSD_BRIEF_ROOM])
{
    return column->brief ? fsd_brief(cell->text, room) : cell->text;
}

/** True when there is something to print: not 0, not empty. */
bool fsd_cell_says(const struct fsd_column *column, const struct fsd_cell *cell);

/** True when "schema" is a member of the root, so that another document may hold it. */
static inline bool fsd_sheet_names_schema(const struct fsd_sheet *sheet)
{
    return !strcmp(sheet->root->of->columns[0].name, "schema");
}

typedef void fsd_sheet_fn(const struct fsd_sheet *sheet, FILE *out);

fsd_sheet_fn fsd_sheet_put_text, fsd_sheet_put_json, fsd_sheet_put_csv,
    fsd_sheet_put_markdown, fsd_sheet_put_schema;
/** What the records of a document have, for the page. */
fsd_sheet_fn fsd_sheet_put_columns;
/** A record as JSON without a schema: data of the page. */
void fsd_record_put_json(const struct fsd_record *of, const void *record, FILE *out);

/** A record in the words of a template. */
void fsd_record_put_text(const struct fsd_record *of, const void *record,
                         const char *text, const struct fsd_style *style, FILE *out);

/** Prints the text of a cell. */
typedef void fsd_put_cell_fn(const struct fsd_column *column, const char *text,
                             FILE *out);

/** The head, in the words of the text. */
void fsd_sheet_put_head(const struct fsd_sheet *sheet, fsd_put_cell_fn *put, FILE *out);

#endif
