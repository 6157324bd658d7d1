/*
 * Numbers from outside that belong to tensors, nodes or layers:
 *
 *     two sets of tensors     measures of how far the second is from the first
 *     one set of tensors      where NaN and infinite values begin
 *     a table                 its columns
 *
 * All three become rows of a name and numbers (struct fsd_numbers).  join.c joins them
 * to tensors, nodes and layers of a run; enter.c finds where errors begin.  Elements
 * are read from their file piece by piece, one tensor of each set at a time, so that
 * memory does not grow with the files.
 */
#ifndef FSD_VALUES_VALUES_H
#define FSD_VALUES_VALUES_H

#include "explain/diff/diff.h"
#include "explain/values/stream.h"

#include <math.h>

/* ----------------------------------------------------------------- sets of tensors */

enum { FSD_ARRAY_RANK = 32 };

/** The largest file of tensors. */
#define FSD_VALUES_LIMIT (UINT64_C(1) << 40)

/** A tensor in a file. */
struct fsd_array {
    fsd_sym name;
    const char *odd; /**< why its elements cannot be read; NULL: they can */
    enum fsd_dtype type;
    bool big_endian, fortran; /**< fortran: the first axis is the innermost */
    uint32_t rank;
    int64_t dims[FSD_ARRAY_RANK];
    uint64_t count;  /**< elements */
    uint64_t skip;   /**< bytes before them */
    uint64_t behind; /**< bytes after them that are not the array's */
    struct fsd_stored stored;
};

/** The tensors of one run. */
struct fsd_array_set {
    const char *path, *runner; /**< NULL: the file does not name it */
    FSD_VEC(struct fsd_array) at;
};

typedef FSD_VEC(struct fsd_array_set) fsd_array_set_vec;

/** True if the file begins like an archive of NumPy's. */
bool fsd_npz_is(const struct fsd_file *file);
/** True if the file begins like Polygraphy's saved outputs. */
bool fsd_polygraphy_is(const struct fsd_file *file);

/** Adds the set of tensors in an archive, numpy.savez(), or the sets of Polygraphy's
 *  saved outputs, one per runner, of its first iteration.
 *  @param file  must outlive the sets.
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT. */
enum fsd_status fsd_npz_read(struct fsd_arena *arena, struct fsd_intern *names,
                             const struct fsd_file *file, fsd_array_set_vec *out,
                             struct fsd_error *err);
enum fsd_status fsd_polygraphy_read(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_array_set_vec *out,
                                    struct fsd_error *err);

/** True if the file is one of both. */
bool fsd_sets_are(const struct fsd_file *file);

/** Adds the sets of a file that is one of both. */
enum fsd_status fsd_sets_read(struct fsd_arena *arena, struct fsd_intern *names,
                              const struct fsd_file *file, fsd_array_set_vec *out,
                              struct fsd_error *err);

/** Reads the header of NumPy's own format at the beginning of the array's bytes.
 *  @return NULL; the error: a literal. */
const char *fsd_npy_read(struct fsd_array *array);

/* ------------------------------------------------------------------------- numbers */

/** The error of one tensor against another.  b: the tensor that is judged; a: the
 *  reference.  Elements that are not finite in either do not count in the first five.
 */
struct fsd_error_measure {
    double l2_rel;     /**< |b - a| / |a|, Euclidean norms over all elements; infinite
                            if only \|a\| is 0 */
    double max_abs;    /**< the greatest |b_i - a_i| */
    double max_rel;    /**< the greatest |b_i - a_i| / |a_i| where a_i is not 0 */
    double l2;         /**< |b - a| */
    double cosine;     /**< a.b / (|a| |b|); NAN where a norm is 0 */
    double largest;    /**< of both: the greatest absolute value, of finite elements */
    uint64_t nan, inf; /**< of b: elements that are NaN, that are infinite */
    uint64_t fresh;    /**< of these, those that are not the same in a */
};

/** Compares all elements.
 *  @param a  NULL: there is no reference, and only `nan` and `inf` are known.
 *  @return NULL; why it is impossible: a literal.  `*broken` is set to the one
 *         that could not be decompressed completely. */
const char *fsd_measure_error(const struct fsd_array *a, const struct fsd_array *b,
                              struct fsd_error_measure *out,
                              const struct fsd_array **broken);

enum { FSD_MOST_COLUMNS = 64 };

/** A name's value in a column; unknown values have no cell. */
struct fsd_number_cell {
    uint32_t column;
    double number;
};

struct fsd_number_row {
    fsd_sym name;
    struct fsd_span cells; /**< in fsd_numbers.cells, in the order of the columns */
    uint64_t fresh;        /**< of tensors: elements that stopped being finite */
    double largest; /**< of tensors: the greatest absolute value, infinite where an
                         element is; of a table NAN */
};

/** A tensor that could not be measured, and why. */
struct fsd_unmeasured {
    fsd_sym name;
    const char *why;
};

/** The columns of tensors' errors, in the order of their struct. */
enum fsd_error_column {
    FSD_ERROR_L2_REL,
    FSD_ERROR_MAX_ABS,
    FSD_ERROR_MAX_REL,
    FSD_ERROR_L2,
    FSD_ERROR_COSINE,
    FSD_ERROR_NAN,
    FSD_ERROR_INF,
    FSD__ERROR_COUNT
};

struct fsd_numbers {
    enum fsd_numbers_of {
        FSD_NUMBERS_OF_TABLE,
        FSD_NUMBERS_OF_TENSORS, /**< one set: only nan and inf are known */
        FSD_NUMBERS_OF_ERRORS   /**< two sets */
    } of;
    const char
        *paths[2]; /**< the reference first; the second is NULL for a single set */
    const char *runners[2]; /**< NULL: not stated */
    uint32_t n_columns;
    const char *columns[FSD_MOST_COLUMNS];
    FSD_VEC(struct fsd_number_row) rows;
    FSD_VEC(struct fsd_number_cell) cells;
    FSD_VEC(struct fsd_unmeasured) unmeasured;
    uint32_t only_first, only_second; /**< tensors of one set alone */
};

/** A table: CSV with a header, or JSON, a list of objects with a "name" each.
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT. */
enum fsd_status fsd_table_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, struct fsd_numbers *out,
                               struct fsd_error *err);

/** "1x3x8", or "a scalar". */
const char *fsd_array_shape(struct fsd_arena *arena, const struct fsd_array *array);

/** Compares two sets by name, or searches one for NaN and infinities (`a` NULL).
 *  @return FSD_OK; FSD_E_MISMATCH where no tensor can be compared; FSD_E_FORMAT for one
 *          that is damaged. */
enum fsd_status fsd_numbers_of_sets(struct fsd_arena *arena,
                                    const struct fsd_intern *names,
                                    const struct fsd_array_set *a,
                                    const struct fsd_array_set *b,
                                    struct fsd_numbers *out, struct fsd_error *err);

/** Measures in a set of tensors each row of the batch against the one before it.
 *  @param g  the model, of whose inputs, or else outputs, the batch is the first axis.
 *  @return as fsd_numbers_of_sets(); FSD_E_MISMATCH where neither input nor output is
 *          there, or the rows of an input differ. */
enum fsd_status fsd_numbers_of_rows(struct fsd_arena *arena, const struct fsd_graph *g,
                                    const struct fsd_array_set *set,
                                    struct fsd_numbers *out, struct fsd_error *err);

/* -------------------------------------------------------------------- in a run */

/** Where something begins. */
struct fsd_entry {
    uint32_t row;
    fsd_id tensor, node, layer; /**< in the model: the tensor, its producer, its layer;
                                     FSD_NONE */
    struct fsd_span suspects;   /**< nodes that may have caused it, and */
    struct fsd_span layers;     /**< the layers that compute these, */
    struct fsd_span behind;     /**< Casts and quantizers among them, or before them, */
    struct fsd_span moved;      /**< layers that convert their inputs; all in `pool` */
};

/** A measured tensor behind the first error. */
struct fsd_growth {
    uint32_t row;
    fsd_id layer; /**< FSD_NONE */
};

struct fsd_values {
    const struct fsd_numbers *numbers;
    double limit;      /**< of l2_rel */
    uint32_t *of_node; /**< a row; FSD_NONE: unknown */
    uint32_t *of_layer;
    double greatest; /**< largest absolute number in the first column of any layer */
    uint32_t joined; /**< rows that are joined to something */
    FSD_VEC(uint32_t) strangers; /**< rows that name nothing */
    uint32_t over;               /**< tensors over the limit */
    FSD_VEC(struct fsd_entry)
    entries; /**< where errors begin, in the order of the model */
    bool has_nan;
    struct fsd_entry nan; /**< the first tensor with values that stopped being finite */
    FSD_VEC(struct fsd_growth) growth; /**< how the first error grows */
    FSD_VEC(fsd_id) pool;
};

/** Joins each row to what its name means.
 *  @param limit of l2_rel, from which on an error counts.
 *  @return FSD_OK; FSD_E_MISMATCH if no name has a meaning. */
enum fsd_status fsd_values_join(const struct fsd_values **out,
                                const struct fsd_numbers *numbers, double limit,
                                const struct fsd_match *m,
                                const struct fsd_flows *flows, struct fsd_error *err);

/** A copy in which columns and runners have other names, and files none.
 *  @param rename  takes NULL, too. */
const struct fsd_values *fsd_values_rename(struct fsd_arena *arena,
                                           const struct fsd_values *v,
                                           const char *(*rename)(void *, const char *),
                                           void *payload);

/** enter.c: fills over, entries, nan and growth.
 *  @param of_tensor  by tensor of the model: its row, FSD_NONE. */
void fsd_values_enter(struct fsd_values *v, const struct fsd_match *m,
                      const struct fsd_flows *flows, const uint32_t *of_tensor);

/** By tensor of the model, the greatest absolute value that a set of tensors has of it,
 *  infinite where an element is; NAN: not measured.
 *  @param n  may be NULL.
 *  @return NULL where `n` is. */
double *fsd_largest_values(struct fsd_arena *arena, const struct fsd_graph *g,
                           const struct fsd_numbers *n);

/** A number of a row; NAN: unknown.  `row` may be FSD_NONE. */
double fsd_number_of(const struct fsd_numbers *n, uint32_t row, uint32_t column);

/** Whether a row is over the limit, or has values that stopped being finite. */
bool fsd_row_is_over(const struct fsd_values *v, uint32_t row);

/** "l2_rel 0.0213, max_abs 3.4": at most so many columns of a row, without counts of 0.
 */
void fsd_put_row(const struct fsd_numbers *n, uint32_t row, uint32_t most, FILE *out);

/** The column of that name; FSD_NONE. */
uint32_t fsd_number_column(const struct fsd_numbers *n, const char *name);

#endif
