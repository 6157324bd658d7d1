/*
 * The contents of a view, for all formats: a record of cells, some of which have rows
 * of further records.
 *
 *     root      layers 12, ms 0.031, reformats |  layer  cause  ms     edge
 *                                              |     3   io     0.01   x -> Conv_0
 *                                              |     9   dtype  0.02   Conv_0 -> Add_3
 *
 * JSON prints every cell under its column's name.  CSV and Markdown print the rows of
 * the root, below their columns' titles; a column of rows within them is unfolded like
 * a join.  Text is printed by templates:
 *
 *     {name}          prints the cell; "-" if it is an unknown number
 *     {name:8.1}      prints a number in 8 columns, with 1 digit after the point;
 *                     {name:-8.1}: left-aligned
 *     {name:12}       prints all digits of a number of bytes, not only the first three
 *     {name:.60}      shortens a text to 60 columns of 100: its middle is left out
 *     {name|is|are}   prints a count and its noun in the singular or plural
 *     <...>           is printed only if each cell named in it is known; an inner <...>
 *                     has its own condition
 *     {name!}         also requires, for the <...> around it, that the cell is not 0,
 *                     "unknown" or empty; leaves out the words of a tally whose count
 *                     is 0
 *     {*} {+} {!} {/} set the color for a title, an inserted layer, an alarm; or none
 *
 * Rows without a template print the clauses of their record's members, one after the
 * other.
 *
 * A new view needs a file in view/ that fills a sheet, and a row in view/view.h.  A new
 * format needs a function that prints a sheet, and a row in report.c.
 */
#pragma once

#include "base/base.h"
#include "explain/diff/diff.h"
#include "report/sheet/record.h"

/** Fills row `i`, whose members are all unknown before. `arena` is freed after the row
 * is printed. */
typedef void fsd_fill_row_fn(struct fsd_arena *arena, void *row, const void *from,
                             uint32_t i);

/** Records of one type, or those that a view shows. */
struct fsd_rows {
    struct fsd_arena *arena; /**< the arena of added rows */
    const struct fsd_record *of;
    const char *text;    /**< template of a row; NULL: the clauses of its members */
    const char *between; /**< separates rows in text; NULL: nothing */
    FSD_VEC(void *)
    at;                    /**< each is a struct of the type; if `fill` is set, only n
                                is used */
    fsd_fill_row_fn *fill; /**< fills rows when they are printed; may be NULL */
    const void *from;
};

struct fsd_sheet {
    struct fsd_arena *arena;
    const struct fsd_style *style; /**< for text; NULL: a different format is
                                        requested */
    const char *name;              /**< "where" */
    const char *schema;            /**< in JSON: "fusiondiff-where/1" */
    const char *head; /**< template of the text above a table; NULL: none */
    const char *csv;  /**< the member of the root whose rows are the lines of CSV; NULL:
                           the rows of the widest table */
    const struct fsd_rows *root; /**< one row; its template prints the text after the
                                      head */
    const char *const *facts;    /**< in tables: a member of facts is split into these
                                   columns, whose titles begin with that of the
                                   member */
    uint32_t n_facts;
};

/** Creates an empty list of rows of this type.
 *  @param text the template of a row; NULL: the clauses of its members */
struct fsd_rows *fsd_rows_new(struct fsd_arena *arena, const struct fsd_record *of,
                              const char *text);
/** Sets what separates the rows in text. */
static inline const struct fsd_rows *fsd_rows_joined(struct fsd_rows *rows,
                                                     const char *between)
{
    rows->between = between;
    return rows;
}
/** Adds a row with unknown members: a struct of the rows' type. */
void *fsd_rows_add(struct fsd_rows *rows);
/** Adds a row of this type and fills it from its list (record.h). */
#define FSD_ADD(rows, type, LIST)                                                      \
    do {                                                                               \
        struct type *fsd_added_ = fsd_rows_add(rows);                                  \
                                                                                       \
        FSD_FILL(fsd_added_, LIST);                                                    \
    } while (0)
/** Creates the root of a sheet, a struct of this type with unknown members, and sets
 *  the other members of the sheet.
 *  @param head NULL: no text above the tables */
void *fsd_sheet_begin(struct fsd_sheet *sheet, const char *schema,
                      const struct fsd_record *of, const char *head, const char *text);
/** The type of rows that are lines of text, which no other format prints. */
extern const struct fsd_record fsd_line_record;
void fsd_rows_add_line(struct fsd_rows *rows, const char *line);
/** The first rows, at most `most`. */
const struct fsd_rows *fsd_rows_first(const struct fsd_rows *rows, uint32_t most);

/** Creates a struct of this type with unknown members. */
void *fsd_record_new(struct fsd_arena *arena, const struct fsd_record *of);

/** `n` rows that are filled when they are printed, so that a large report needs the
 *  memory of one row; `from` is passed to `fill`. */
const struct fsd_rows *fsd_rows_later(struct fsd_arena *arena,
                                      const struct fsd_record *of, uint32_t n,
                                      fsd_fill_row_fn *fill, const void *from);
/** Makes rows that fill_`type`() (record.h) fills when they are printed. */
#define FSD_LATER(arena, type, n, from)                                                \
    fsd_rows_later((arena), &type##_record, (n), fill_##type, (from))
/** `n` rows that are filled at once, with the template of a row. */
struct fsd_rows *fsd_rows_made(struct fsd_arena *arena, const struct fsd_record *of,
                               const char *text, uint32_t n, fsd_fill_row_fn *fill,
                               const void *from);
#define FSD_ROWS(arena, type, text, n, from)                                           \
    fsd_rows_made((arena), &type##_record, (text), (n), fill_##type, (from))
/** One record, filled as row `i` is; NULL for FSD_NONE. */
const void *fsd_record_held(struct fsd_arena *arena, const struct fsd_record *of,
                            fsd_fill_row_fn *fill, const void *from, fsd_id i);
#define FSD_HELD(arena, type, from, i)                                                 \
    fsd_record_held((arena), &type##_record, fill_##type, (from), (i))
/** Row i; fsd_row_end() frees the arena `own`, which is NULL if the row existed
 * before. */
struct fsd_row {
    const void *at;
    struct fsd_arena *own;
};
struct fsd_row fsd_row_begin(const struct fsd_rows *rows, uint32_t i);
static inline void fsd_row_end(struct fsd_row row)
{
    fsd_arena_free(row.own);
}

/** A number of an object as a count; FSD_NONE: unknown. */
static inline struct fsd_count fsd_count_id(fsd_id id)
{
    return (struct fsd_count){id != FSD_NONE, id};
}
struct fsd_amount_cell fsd_amount_cell(const struct fsd_diff *d, int64_t amount);
static inline struct fsd_words fsd_words(const char *const *words, uint32_t n)
{
    return (struct fsd_words){true, n, words, NULL};
}
/** Words with counts, one for each value of an enumeration. It lists the numbers from
 * index `from` to `n` whose index has a name. */
struct fsd_words fsd_tally(struct fsd_arena *arena, const uint32_t *numbers, unsigned n,
                           unsigned from, const char *(*name)(unsigned));
/** Words with times, one for each value of an enumeration that has a name. */
struct fsd_fact_cells fsd_facts_of(struct fsd_arena *arena, const double *numbers,
                                   unsigned n, const char *(*name)(unsigned));
static inline struct fsd_ids fsd_ids(const fsd_id *ids, uint32_t n)
{
    return (struct fsd_ids){true, n, ids};
}
/** The layers that compute a node. */
struct fsd_ids fsd_ids_of_layers(struct fsd_arena *arena, const struct fsd_match *match,
                                 fsd_id node);
/** The words of a mask of enum fsd_evidence. */
struct fsd_words fsd_words_of_evidence(struct fsd_arena *arena, unsigned by);

/** A member of any kind, in the form that printers read. */
struct fsd_cell {
    bool known;
    union {
        uint64_t count; /* COUNT, TYPE, FLAG */
        double number;  /* NUMBER, MS, SHARE */
        const char *text;
        struct fsd_amount_cell amount;
        struct fsd_words words; /* for TALLY with counts */
        struct fsd_ids ids;
        struct fsd_size_list sizes;
        struct fsd_fact_cells facts;
        const struct fsd_rows *rows;
        const void *record;
    };
};

/** @param record a struct of the type to which the column belongs */
struct fsd_cell fsd_cell_of(const struct fsd_column *column, const void *record);

/** The printed form of a text. */
static inline const char *fsd_cell_brief(const struct fsd_column *column,
                                         const struct fsd_cell *cell,
                                         char room[FSD_BRIEF_ROOM])
{
    return column->brief ? fsd_brief(cell->text, room) : cell->text;
}

/** Whether there is something to print: neither 0 nor empty. */
bool fsd_cell_says(const struct fsd_column *column, const struct fsd_cell *cell);

/** Whether "schema" is a member of the root, so that other documents may contain it. */
static inline bool fsd_sheet_names_schema(const struct fsd_sheet *sheet)
{
    return !strcmp(sheet->root->of->columns[0].name, "schema");
}

typedef void fsd_sheet_fn(const struct fsd_sheet *sheet, FILE *out);

fsd_sheet_fn fsd_sheet_put_text, fsd_sheet_put_json, fsd_sheet_put_csv,
    fsd_sheet_put_markdown, fsd_sheet_put_schema;
/** Prints the columns of a document's records, for the page. */
fsd_sheet_fn fsd_sheet_put_columns;
/** Prints a record as JSON without a schema, as data of the page. */
void fsd_record_put_json(const struct fsd_record *of, const void *record, FILE *out);

/** Prints a record by a template. */
void fsd_record_put_text(const struct fsd_record *of, const void *record,
                         const char *text, const struct fsd_style *style, FILE *out);

/** Prints the text of a cell. */
typedef void fsd_put_cell_fn(const struct fsd_column *column, const char *text,
                             FILE *out);

/** Prints the head in the words of the text. */
void fsd_sheet_put_head(const struct fsd_sheet *sheet, fsd_put_cell_fn *put, FILE *out);
