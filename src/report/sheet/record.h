/*
 * Record types: the facts about one kind of object, such as a layer, a node or a
 * finding.  One list of members generates both the C struct to fill and the table that
 * every printer reads, so that one row adds a member:
 *
 *     #define GROUP(has, set, when, t)                                                \
 *         set(t, NAME, name, fsd_text(names, g->name), "scope", .about = "of nodes")  \
 *         when(t, COUNT, nodes, g->counted, g->n, "nodes")                            \
 *         has(t, MS, ms, "ms")
 *     FSD_RECORD(group, GROUP)
 *
 *     struct group *row = fsd_rows_add(rows);
 *     FSD_FILL(row, GROUP);
 *     row->ms = ...
 *
 * A record whose list has all values is filled by a function that FSD_RECORD_FROM()
 * makes of the list, row by row:
 *
 *     FSD_RECORD_FROM(group, GROUP, const struct groups *all = from;
 *                     const struct group_in *g = &all->at[i])
 *
 *     rows = FSD_LATER(arena, group, all->n, all);
 *
 * A line of the list has these arguments, in this order:
 *   - the kind, which determines the member's C type (FSD_HOLDS_...);
 *   - the name, which is also the key in JSON;
 *   - the value: for set(), an expression in the function that fills the row; for
 *     when(), a condition on which the value is known, and the expression; for has(),
 *     nothing: the function sets the member itself;
 *   - the title in tables; NULL: tables leave the member out;
 *   - further properties, as designated members of struct fsd_column.
 *
 * Zero means "unknown" for every kind, so members that a fill function does not set are
 * left out everywhere.
 */
#pragma once

#include "base/base.h"

enum fsd_cell_kind {
    FSD_CELL_COUNT,
    FSD_CELL_NUMBER,
    FSD_CELL_MS,
    FSD_CELL_SHARE, /**< a fraction of 1; text prints percent */
    FSD_CELL_BYTES, /**< an amount (model/ops/amount.h): a number, or a term in dynamic
                         sizes */
    FSD_CELL_MACS,  /**< the same for multiply-adds */
    FSD_CELL_TYPE,  /**< an enum fsd_dtype */
    FSD_CELL_FLAG,
    FSD_CELL_TEXT,   /**< a text in the program's own words */
    FSD_CELL_NAME,   /**< a text that is, at least in part, from an input */
    FSD_CELL_WORDS,  /**< several texts */
    FSD_CELL_IDS,    /**< several numbers */
    FSD_CELL_SIZES,  /**< of a tensor: numbers, or terms in dynamic sizes */
    FSD_CELL_TALLY,  /**< several words, each with a count */
    FSD_CELL_FACTS,  /**< several words, each with a text or a number */
    FSD_CELL_ROWS,   /**< records */
    FSD_CELL_RECORD, /**< one record; without a type: the rows of a separate document */
};

struct fsd_rows;

struct fsd_count {
    bool known;
    uint64_t is;
};

struct fsd_real {
    bool known;
    double is;
};

struct fsd_amount_cell {
    bool known;
    int64_t number;   /**< negative: only the term is known */
    const char *term; /**< NULL: it depends on no dynamic size */
};

struct fsd_flag {
    bool known, is;
};

struct fsd_words {
    bool known;
    uint32_t n;
    const char *const *at;
    const uint32_t *counts; /**< a count for each word, for TALLY */
};

struct fsd_ids {
    bool known;
    uint32_t n;
    const fsd_id *at;
};

struct fsd_size_cell {
    int64_t number;   /**< -1: unknown */
    const char *term; /**< replaces the number if set */
};

struct fsd_size_list {
    bool known;
    uint32_t n;
    const struct fsd_size_cell *at;
};

struct fsd_fact_cell {
    const char *key;
    const char *text; /**< NULL: use the number, or the count */
    double number;
    uint64_t count;
    bool whole; /**< it is the count */
};

struct fsd_fact_cells {
    bool known;
    uint32_t n;
    const struct fsd_fact_cell *at;
};

#define FSD_HOLDS_COUNT  struct fsd_count
#define FSD_HOLDS_NUMBER struct fsd_real
#define FSD_HOLDS_MS     struct fsd_real
#define FSD_HOLDS_SHARE  struct fsd_real
#define FSD_HOLDS_BYTES  struct fsd_amount_cell
#define FSD_HOLDS_MACS   struct fsd_amount_cell
#define FSD_HOLDS_TYPE   struct fsd_count
#define FSD_HOLDS_FLAG   struct fsd_flag
#define FSD_HOLDS_TEXT   const char *
#define FSD_HOLDS_NAME   const char *
#define FSD_HOLDS_WORDS  struct fsd_words
#define FSD_HOLDS_IDS    struct fsd_ids
#define FSD_HOLDS_SIZES  struct fsd_size_list
#define FSD_HOLDS_TALLY  struct fsd_words
#define FSD_HOLDS_FACTS  struct fsd_fact_cells
#define FSD_HOLDS_ROWS   const struct fsd_rows *
#define FSD_HOLDS_RECORD const void *

/* Converts a plain number, flag or time to the member's type. A value that already has
 * this type stays unchanged. */
#define FSD_AS_COUNT(v)                                                                \
    _Generic((v), struct fsd_count : fsd_same_count, default : fsd_count)(v)
#define FSD_AS_NUMBER(v)                                                               \
    _Generic((v), struct fsd_real : fsd_same_real, default : fsd_real)(v)
#define FSD_AS_MS(v)                                                                   \
    _Generic((v), struct fsd_real : fsd_same_real, default : fsd_real_ms)(v)
#define FSD_AS_FLAG(v)                                                                 \
    _Generic((v), struct fsd_flag : fsd_same_flag, default : fsd_flag)(v)
#define FSD_AS_SHARE(v)  FSD_AS_NUMBER(v)
#define FSD_AS_TYPE(v)   FSD_AS_COUNT(v)
#define FSD_AS_BYTES(v)  v
#define FSD_AS_MACS(v)   v
#define FSD_AS_TEXT(v)   v
#define FSD_AS_NAME(v)   v
#define FSD_AS_WORDS(v)  v
#define FSD_AS_IDS(v)    v
#define FSD_AS_SIZES(v)  v
#define FSD_AS_TALLY(v)  v
#define FSD_AS_FACTS(v)  v
#define FSD_AS_ROWS(v)   v
#define FSD_AS_RECORD(v) v

static inline struct fsd_count fsd_count(uint64_t count)
{
    return (struct fsd_count){true, count};
}
static inline struct fsd_count fsd_same_count(struct fsd_count count)
{
    return count;
}
static inline struct fsd_real fsd_real(double number)
{
    return (struct fsd_real){true, number};
}
/** A negative time is unknown. */
static inline struct fsd_real fsd_real_ms(double ms)
{
    return (struct fsd_real){ms >= 0, ms};
}
static inline struct fsd_real fsd_same_real(struct fsd_real number)
{
    return number;
}
static inline struct fsd_flag fsd_flag(bool is)
{
    return (struct fsd_flag){true, is};
}
static inline struct fsd_flag fsd_same_flag(struct fsd_flag flag)
{
    return flag;
}

struct fsd_record;

struct fsd_column {
    const char *name;
    enum fsd_cell_kind kind;
    uint32_t at;       /**< offset of the member in its struct */
    const char *title; /**< title in tables, with its unit; NULL: not in tables */
    const char *about; /**< description for the schema; NULL: the name says enough */
    const char *key;   /**< key in JSON if it cannot be a C name; NULL: the name */
    const char *says;  /**< template for text (sheet.h): the clause of this member in
                            the text of its record */
    bool aside;        /**< not in JSON, which has it in a different form */
    bool behind;       /**< in tables: after the other columns of its record */
    bool brief;        /**< a name that many rows may repeat: fsd_brief() */
    bool sentence;     /**< a NAME that is a sentence: Markdown prints the names that
                             it quotes as code */
    bool always;       /**< in JSON: never left out */
    bool if_true;      /**< in JSON: a flag that is left out if it is false */
    bool large;        /**< a count that may exceed 2^53: then a text in JSON */
    const struct fsd_record *of; /**< for ROWS and RECORD: the type; NULL: a separate
                                      document */
    const char *pattern;         /**< for a text: a regular expression in the schema */
    /** For TEXT and WORDS: the possible words, n_words of them; "" is none. */
    const char *(*word)(unsigned);
    uint32_t n_words;
};

struct fsd_record {
    const char *name;
    const struct fsd_column *columns;
    uint32_t n, size; /**< members; bytes of the struct */
};

/** For the title of a column that tables leave out, and JSON never does; of one that
 *  neither has. */
#define FSD_ALWAYS NULL, .always = true
#define FSD_ASIDE  NULL, .aside = true

#define FSD_MEMBER_(type, kind, name, ...) FSD_HOLDS_##kind name;
#define FSD_COLUMN_(type, kind, name, ...)                                             \
    {#name, FSD_CELL_##kind, offsetof(struct type, name), __VA_ARGS__},
#define FSD_COLUMN_SET_(type, kind, name, value, ...)                                  \
    FSD_COLUMN_(type, kind, name, __VA_ARGS__)
#define FSD_COLUMN_WHEN_(type, kind, name, known, value, ...)                          \
    FSD_COLUMN_(type, kind, name, __VA_ARGS__)
#define FSD_COLUMNS_(type, LIST)                                                       \
    LIST(FSD_COLUMN_, FSD_COLUMN_SET_, FSD_COLUMN_WHEN_, type)
#define FSD_UNSET_(row, kind, name, ...)
#define FSD_SET_(row, kind, name, value, ...) (row)->name = FSD_AS_##kind(value);
#define FSD_SET_WHEN_(row, kind, name, known, value, ...)                              \
    if (known)                                                                         \
        (row)->name = FSD_AS_##kind(value);
/** Sets the members of a row for which the list has values. */
#define FSD_FILL(row, LIST)                                                            \
    do {                                                                               \
        LIST(FSD_UNSET_, FSD_SET_, FSD_SET_WHEN_, row)                                 \
    } while (0)
/** Defines fill_`type`(), an fsd_fill_row_fn that fills a row from its list (sheet.h).
 * The last argument declares the names that the list's values use. It can refer to
 * `from`, the data from which the rows are filled, and to `i`, the number of the
 * row. */
#define FSD_FILLS(type, LIST, ...)                                                     \
    static void fill_##type(struct fsd_arena *arena, void *out, const void *from,      \
                            uint32_t i)                                                \
    {                                                                                  \
        struct type *fsd_row_ = out;                                                   \
        __VA_ARGS__;                                                                   \
                                                                                       \
        (void)arena, (void)from, (void)i;                                              \
        FSD_FILL(fsd_row_, LIST);                                                      \
    }
/** Defines `name`_record: some members of struct `type`, for a table with fewer
 *  columns. */
#define FSD_RECORD_PART(name, type, LIST)                                              \
    static const struct fsd_column name##_columns[] = {FSD_COLUMNS_(type, LIST)};      \
    static const struct fsd_record name##_record = {                                   \
        #name, name##_columns, FSD_COUNT_OF(name##_columns), sizeof(struct type)};
#define FSD_STRUCT_(type, LIST)                                                        \
    struct type {                                                                      \
        LIST(FSD_MEMBER_, FSD_MEMBER_, FSD_MEMBER_, type)                              \
    };
/** Defines struct `type` and `type`_record, used in one file. */
#define FSD_RECORD(type, LIST)                                                         \
    FSD_STRUCT_(type, LIST)                                                            \
    FSD_RECORD_PART(type, type, LIST)
/** Defines struct `type`, `type`_record and fill_`type`(), used in one file. */
#define FSD_RECORD_FROM(type, LIST, ...)                                               \
    FSD_RECORD(type, LIST)                                                             \
    FSD_FILLS(type, LIST, __VA_ARGS__)
/** Defines struct `type` for one file, and fsd_`type`_record, which other files may
 *  use. */
#define FSD_RECORD_SHARED(type, LIST)                                                  \
    FSD_STRUCT_(type, LIST)                                                            \
    static const struct fsd_column type##_columns[] = {FSD_COLUMNS_(type, LIST)};      \
    const struct fsd_record fsd_##type##_record = {                                    \
        #type, type##_columns, FSD_COUNT_OF(type##_columns), sizeof(struct type)};
/** Defines struct `type` and declares `type`_record, in a header for several files.
 * FSD_RECORD_DEFINED() completes it. */
#define FSD_RECORD_DECLARED(type, LIST)                                                \
    FSD_STRUCT_(type, LIST)                                                            \
    extern const struct fsd_record type##_record;
/** Defines `type`_record, in one of the files that include its declaration
 * (FSD_RECORD_DECLARED()). */
#define FSD_RECORD_DEFINED(type, LIST)                                                 \
    static const struct fsd_column type##_columns[] = {FSD_COLUMNS_(type, LIST)};      \
    const struct fsd_record type##_record = {                                          \
        #type, type##_columns, FSD_COUNT_OF(type##_columns), sizeof(struct type)};

/** The key in JSON. */
static inline const char *fsd_column_key(const struct fsd_column *column)
{
    return column->key ? column->key : column->name;
}
