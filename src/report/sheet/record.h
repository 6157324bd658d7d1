/*
 * Record types: the facts about one kind of object, such as a layer, a node or a
 * finding. One list of members generates both the C struct to fill and the table of
 * columns that every printer reads, so that one line of the list adds a member:
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
 * If the list has the values of all members, FSD_RECORD_FROM() also generates the
 * function that fills a row:
 *
 *     FSD_RECORD_FROM(group, GROUP, const struct groups *all = from;
 *                     const struct group_in *g = &all->at[i])
 *
 *     rows = FSD_LATER(arena, group, all->n, all);
 *
 * A line of the list has these arguments, in this order:
 *   - the kind (enum fsd_cell_kind), which determines the member's C type;
 *   - the name, which is also the key in JSON;
 *   - the value. set() has an expression, which the function that fills the row
 *     evaluates; when() has a condition and an expression: the value is known only if
 *     the condition is true; has() has no value: the function sets the member itself;
 *   - the title in tables; NULL: tables leave the member out;
 *   - further properties: designated initializers of struct fsd_column.
 *
 * A member whose bytes are all 0 is unknown, whatever its kind. Members that a function
 * does not set are therefore left out of every format.
 */
#pragma once

#include "base/base.h"

enum fsd_cell_kind {
    FSD_CELL_COUNT,
    FSD_CELL_NUMBER,
    FSD_CELL_MS,
    FSD_CELL_SHARE, /**< a fraction of 1; printed as percent in text and Markdown */
    FSD_CELL_BYTES, /**< an amount (model/ops/amount.h): a number, or a term in dynamic
                         sizes */
    FSD_CELL_MACS,  /**< an amount of multiply-adds */
    FSD_CELL_TYPE,  /**< an enum fsd_dtype */
    FSD_CELL_FLAG,
    FSD_CELL_TEXT,   /**< a text in the program's own words */
    FSD_CELL_NAME,   /**< a text that is, at least in part, from an input */
    FSD_CELL_WORDS,  /**< several texts */
    FSD_CELL_IDS,    /**< several numbers */
    FSD_CELL_SIZES,  /**< the sizes of a tensor: numbers, or terms in dynamic sizes */
    FSD_CELL_TALLY,  /**< several words, each with a count */
    FSD_CELL_FACTS,  /**< several words, each with a text or a number */
    FSD_CELL_ROWS,   /**< records */
    FSD_CELL_RECORD, /**< one record; if the column has no record type (`of`): the
                          root of another document */
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
    const char *term; /**< NULL: the amount depends on no dynamic size */
};

struct fsd_flag {
    bool known, is;
};

struct fsd_words {
    bool known;
    uint32_t n;
    const char *const *at;
    const uint32_t *counts; /**< for TALLY: the count of each word */
};

struct fsd_ids {
    bool known;
    uint32_t n;
    const fsd_id *at;
};

struct fsd_size_cell {
    int64_t number;   /**< -1: unknown */
    const char *term; /**< not NULL: a term that replaces the number */
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
    bool whole; /**< true: the value is `count`, not `number` */
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

/* Convert a plain number, flag or time to the member's type. A value that already has
 * the member's type stays unchanged. */
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
/** A negative time means "unknown". */
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
    const char *about; /**< description in the JSON Schema; NULL: none */
    const char *key;   /**< key in JSON if the key cannot be a C name; NULL: the key is
                            `name` */
    const char *says;  /**< template (sheet.h) of this member's clause; NULL: none. If
                            rows have no template of their own, a row in text consists
                            of its members' clauses */
    bool aside;        /**< left out of JSON, which has the value in a different form */
    bool behind;       /**< in tables: printed after the other columns of its record */
    bool brief;        /**< a name that many rows may repeat, so tables and text shorten
                            it with fsd_brief() */
    bool sentence;     /**< a NAME that is a sentence; Markdown prints the parts in
                            backquotes as code */
    bool always;       /**< in JSON: printed even if unknown or empty */
    bool if_true;      /**< in JSON: left out if the flag is false */
    bool large;        /**< a count that may exceed 2^53; JSON has larger counts as
                            text */
    const struct fsd_record *of; /**< for ROWS and RECORD: the record type; NULL: the
                                      cell is the root of another document */
    const char *pattern;         /**< for a text: the regular expression in the JSON
                                      Schema */
    /** For TEXT and WORDS: returns one of the n_words possible words; "": there is no
     * word with this number. */
    const char *(*word)(unsigned);
    uint32_t n_words;
};

struct fsd_record {
    const char *name;
    const struct fsd_column *columns;
    uint32_t n, size; /**< number of members; size of the struct in bytes */
};

/** A line of a list can have one of these in place of the title. FSD_ALWAYS: JSON
 * always has the member, tables never. FSD_ASIDE: neither JSON nor tables have it. */
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
/** Sets those members of a row whose values are in the list. */
#define FSD_FILL(row, LIST)                                                            \
    do {                                                                               \
        LIST(FSD_UNSET_, FSD_SET_, FSD_SET_WHEN_, row)                                 \
    } while (0)
/** Defines fill_`type`(), an fsd_fill_row_fn (sheet.h) that fills a row with the values
 * of the list. The last argument declares the variables that these values use. It can
 * use `from`, the data of all rows, and `i`, the number of the row. */
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
/** Defines `name`_record for a table that shows only some members of struct `type`.
 * Only these members are columns of the record. */
#define FSD_RECORD_PART(name, type, LIST)                                              \
    static const struct fsd_column name##_columns[] = {FSD_COLUMNS_(type, LIST)};      \
    static const struct fsd_record name##_record = {                                   \
        #name, name##_columns, FSD_COUNT_OF(name##_columns), sizeof(struct type)};
#define FSD_STRUCT_(type, LIST)                                                        \
    struct type {                                                                      \
        LIST(FSD_MEMBER_, FSD_MEMBER_, FSD_MEMBER_, type)                              \
    };
/** Defines struct `type` and the static object `type`_record. */
#define FSD_RECORD(type, LIST)                                                         \
    FSD_STRUCT_(type, LIST)                                                            \
    FSD_RECORD_PART(type, type, LIST)
/** Defines struct `type`, the static object `type`_record and the static function
 * fill_`type`(). */
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
/** For a header: defines struct `type` and declares `type`_record, which
 * FSD_RECORD_DEFINED() defines. */
#define FSD_RECORD_DECLARED(type, LIST)                                                \
    FSD_STRUCT_(type, LIST)                                                            \
    extern const struct fsd_record type##_record;
/** Defines the `type`_record that FSD_RECORD_DECLARED() declares. One file must use
 * this macro. */
#define FSD_RECORD_DEFINED(type, LIST)                                                 \
    static const struct fsd_column type##_columns[] = {FSD_COLUMNS_(type, LIST)};      \
    const struct fsd_record type##_record = {                                          \
        #type, type##_columns, FSD_COUNT_OF(type##_columns), sizeof(struct type)};

/** The key of a column in JSON. */
static inline const char *fsd_column_key(const struct fsd_column *column)
{
    return column->key ? column->key : column->name;
}
