/*
 * What a view tells, said once for all formats: a record of cells, some of which hold
 * rows of further records.
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
 *     {name!}         the same, and if it is not 0, "unknown" or empty
 *     {*} {+} {/}     ink of a title, of what is inserted, and none
 *
 * To add a view: a file in view/ that fills a sheet, its row in view/view.h.  To add a
 * format: a function that prints a sheet, its row in report.c.
 */
#ifndef FSD_REPORT_SHEET_SHEET_H
#define FSD_REPORT_SHEET_SHEET_H

#include "base/text.h"
#include "diff/diff.h"

#include <stdio.h>

enum fsd_cell_kind {
    FSD_CELL_COUNT,
    FSD_CELL_NUMBER,
    FSD_CELL_MS,
    FSD_CELL_SHARE, /**< of 1; text says percent */
    FSD_CELL_BYTES, /**< an amount, ops/amount.h: a number, or a term in open sizes */
    FSD_CELL_MACS,  /**< the same of multiply-adds */
    FSD_CELL_TYPE,  /**< an enum fsd_dtype */
    FSD_CELL_FLAG,
    FSD_CELL_TEXT,   /**< in our own words */
    FSD_CELL_NAME,   /**< a text that an input has made up, in part */
    FSD_CELL_WORDS,  /**< several texts */
    FSD_CELL_IDS,    /**< several numbers */
    FSD_CELL_TALLY,  /**< several words, each with a count */
    FSD_CELL_ROWS,   /**< records */
    FSD_CELL_RECORD, /**< rows of which there is one */
};

struct fsd_column {
    const char *name;
    const char *title; /**< with its unit; NULL: not in tables */
    enum fsd_cell_kind kind;
    bool aside; /**< not in JSON, which has it in another form */
    bool brief; /**< a name that many rows may repeat: base/text.h */
    const struct fsd_column *inside; /**< columns of ROWS and RECORD */
    uint32_t n_inside;
};

/** The last members of a column of rows. */
#define FSD_INSIDE(columns) .inside = (columns), .n_inside = FSD_COUNT_OF(columns)

struct fsd_rows;

struct fsd_cell {
    bool known;
    union {
        uint64_t count; /* COUNT, TYPE, FLAG */
        double number;  /* NUMBER, MS, SHARE */
        const char *text;
        struct {
            int64_t number; /* negative: only the term is known */
            const char *term;
        } amount;
        struct {
            const char *const *at;
            const uint32_t *counts; /* TALLY */
            uint32_t n;
        } words;
        struct {
            const fsd_id *at;
            uint32_t n;
        } ids;
        const struct fsd_rows *rows;
    };
};

struct fsd_rows {
    const struct fsd_column *columns;
    uint32_t n_columns;
    const char *text;    /**< template of a row */
    const char *between; /**< rows in text; NULL: nothing */
    FSD_VEC(struct fsd_cell *) at;
};

struct fsd_sheet {
    struct fsd_arena *arena;
    const char *name;     /**< "where" */
    const char *schema;   /**< of JSON: "fusiondiff-where/1" */
    const char *head;     /**< template of what stands above a table; NULL: nothing */
    struct fsd_rows root; /**< one row; its template says what follows the head */
};

/** Rows of these columns, none yet. */
#define FSD_ROWS(columns, text)                                                        \
    ((struct fsd_rows){(columns), FSD_COUNT_OF(columns), (text), NULL, {0}})

/** A row whose cells are all unknown. */
struct fsd_cell *fsd_rows_add(struct fsd_arena *arena, struct fsd_rows *rows);
/** A copy of `rows` in the arena, to be held by a cell; with at most `most` of them. */
struct fsd_cell fsd_cell_rows(struct fsd_arena *arena, const struct fsd_rows *rows,
                              uint32_t most);

static inline struct fsd_cell fsd_cell_count(uint64_t count)
{
    return (struct fsd_cell){.known = true, .count = count};
}
/** FSD_NONE: not known. */
static inline struct fsd_cell fsd_cell_id(fsd_id id)
{
    return (struct fsd_cell){.known = id != FSD_NONE, .count = id};
}
/** A negative time is not known. */
static inline struct fsd_cell fsd_cell_ms(double ms)
{
    return (struct fsd_cell){.known = ms >= 0, .number = ms};
}
static inline struct fsd_cell fsd_cell_number(double number)
{
    return (struct fsd_cell){.known = true, .number = number};
}
struct fsd_cell fsd_cell_amount(const struct fsd_diff *d, int64_t amount);
/** NULL: not known. */
static inline struct fsd_cell fsd_cell_text(const char *text)
{
    return (struct fsd_cell){.known = text, .text = text};
}
static inline struct fsd_cell fsd_cell_words(const char *const *words, uint32_t n)
{
    return (struct fsd_cell){.known = true, .words = {words, NULL, n}};
}
static inline struct fsd_cell fsd_cell_ids(const fsd_id *ids, uint32_t n)
{
    return (struct fsd_cell){.known = true, .ids = {ids, n}};
}
/** The words of a mask of enum fsd_evidence. */
struct fsd_cell fsd_cell_evidence(struct fsd_arena *arena, unsigned by);

/** What is told of a text. */
static inline const char *fsd_cell_told(const struct fsd_column *column,
                                        const struct fsd_cell *cell,
                                        char room[FSD_BRIEF_ROOM])
{
    return column->brief ? fsd_brief(cell->text, room) : cell->text;
}

/** True when something is there to be told: not 0, not empty. */
bool fsd_cell_says(const struct fsd_column *column, const struct fsd_cell *cell);

typedef void fsd_sheet_fn(const struct fsd_sheet *sheet, const struct fsd_style *style,
                          FILE *out);

fsd_sheet_fn fsd_sheet_put_text, fsd_sheet_put_json, fsd_sheet_put_csv,
    fsd_sheet_put_markdown, fsd_sheet_put_schema;

/** Prints the text of a cell. */
typedef void fsd_put_cell_fn(const struct fsd_column *column, const char *text,
                             FILE *out);

/** The head, in the words of the text. */
void fsd_sheet_put_head(const struct fsd_sheet *sheet, fsd_put_cell_fn *put, FILE *out);

/** The members of a record, in an object of JSON.  tree.h */
struct fsd_json;
void fsd_sheet_add_record(struct fsd_json *object, const struct fsd_rows *record);

#endif
