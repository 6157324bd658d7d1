/*
 * External numbers that belong to tensors, nodes or layers:
 *
 *     two sets of tensors     how far the second differs from the first
 *     one set of tensors      where NaN and infinite values begin
 *     a table                 its columns
 *
 * All three become rows, each with a name and numbers (struct fsd_numbers). join.c
 * assigns the rows to tensors, nodes and layers of a run, and enter.c finds where
 * errors begin.  Elements are read from the file piece by piece, and one tensor of each
 * set at a time, so that the memory needed does not grow with the files.
 */
#pragma once

#include "explain/diff/diff.h"
#include "explain/values/stream.h"

#include <math.h>

/* ----------------------------------------------------------------- sets of tensors */

enum { FSD_ARRAY_RANK = 32 };

/** The maximum size of a file of tensors, in bytes. */
#define FSD_VALUES_LIMIT (UINT64_C(1) << 40)

/** A tensor in a file. */
struct fsd_array {
    fsd_sym name;
    const char *odd; /**< why its elements cannot be read; NULL if they can be read */
    enum fsd_dtype type;
    bool big_endian, fortran; /**< `fortran`: whether the first axis is the innermost */
    uint32_t rank;
    int64_t dims[FSD_ARRAY_RANK];
    uint64_t count;  /**< number of elements */
    uint64_t skip;   /**< number of decompressed bytes before the elements */
    uint64_t behind; /**< number of decompressed bytes after the elements; these bytes
                          do not belong to the array */
    struct fsd_stored stored;
};

/** The tensors of one run. */
struct fsd_array_set {
    const char *path, *runner; /**< `runner`: NULL if the file does not state it */
    FSD_VEC(struct fsd_array) at;
};

typedef FSD_VEC(struct fsd_array_set) fsd_array_set_vec;

/** Whether the file begins like a ZIP archive of NumPy. */
bool fsd_npz_is(const struct fsd_file *file);
/** Whether the file begins like saved outputs of Polygraphy. */
bool fsd_polygraphy_is(const struct fsd_file *file);

/** Read the tensors in a file, and add them to `out`.  fsd_npz_read() reads an archive
 *  of numpy.savez(), and adds one set.  fsd_polygraphy_read() reads outputs that
 *  Polygraphy saved, and adds one set for each runner: the tensors of its first
 *  iteration.
 *  @param file must outlive the sets
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT. */
enum fsd_status fsd_npz_read(struct fsd_arena *arena, struct fsd_intern *names,
                             const struct fsd_file *file, fsd_array_set_vec *out,
                             struct fsd_error *err);
enum fsd_status fsd_polygraphy_read(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_array_set_vec *out,
                                    struct fsd_error *err);

/** Whether the file is an archive of NumPy or saved outputs of Polygraphy. */
bool fsd_sets_are(const struct fsd_file *file);

/** Adds the sets of a file for which fsd_sets_are() is true. */
enum fsd_status fsd_sets_read(struct fsd_arena *arena, struct fsd_intern *names,
                              const struct fsd_file *file, fsd_array_set_vec *out,
                              struct fsd_error *err);

/** Reads the header at the beginning of an array in NumPy's format, and sets the
 *  members of `array`. array->stored must be set.
 *  @return NULL if the header is valid, else the error, a string literal */
const char *fsd_npy_read(struct fsd_array *array);

/* ------------------------------------------------------------------------- numbers */

/** The error of a tensor b against the reference a.  The first five members ignore the
 *  elements that are NaN or infinite in a or in b. */
struct fsd_error_measure {
    double l2_rel;     /**< |b - a| / |a|, with Euclidean norms over all elements; 0 if
                            |b - a| is 0, infinite if only |a| is 0 */
    double max_abs;    /**< the greatest |b_i - a_i| */
    double max_rel;    /**< the greatest |b_i - a_i| / |a_i| with a_i not 0 */
    double l2;         /**< |b - a| */
    double cosine;     /**< a.b / (|a| |b|); NAN if a norm is 0 */
    double largest;    /**< the greatest absolute value of finite elements, in a and
                            b */
    uint64_t nan, inf; /**< `nan`: number of NaN elements of b; `inf`: number of
                            infinite elements of b */
    uint64_t fresh;    /**< number of NaN and infinite elements of b that have another
                            value in a */
};

/** Compares all elements of two tensors.
 *  @param a the reference; may be NULL.  Without a reference, only `nan`, `inf`,
 *         `fresh` and `largest` of *out are known
 *  @return NULL, or why the comparison is impossible, a string literal. *broken is set
 *         to the array that could not be decompressed completely, or to NULL */
const char *fsd_measure_error(const struct fsd_array *a, const struct fsd_array *b,
                              struct fsd_error_measure *out,
                              const struct fsd_array **broken);

enum { FSD_MOST_COLUMNS = 64 };

/** The number in one column of a row.  Unknown numbers have no cell. */
struct fsd_number_cell {
    uint32_t column;
    double number;
};

struct fsd_number_row {
    fsd_sym name;
    struct fsd_span cells; /**< its numbers, a span of fsd_numbers.cells */
    uint64_t fresh;        /**< for tensors: as in struct fsd_error_measure */
    double largest;        /**< for tensors: the greatest absolute value, infinite if an
                                element is infinite; NAN for a table */
};

/** A tensor that could not be measured, and the reason. */
struct fsd_unmeasured {
    fsd_sym name;
    const char *why;
};

/** The columns of tensor errors, in the order of struct fsd_error_measure. */
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
        FSD_NUMBERS_OF_TENSORS, /**< one set of tensors: only nan and inf are known */
        FSD_NUMBERS_OF_ERRORS   /**< two sets of tensors */
    } of;
    const char *paths[2];   /**< [0]: the reference; [1]: the file that is compared
                                 with it.  If there is only one file: [1] is NULL */
    const char *runners[2]; /**< the runner for each path; NULL if unknown */
    uint32_t n_columns;
    const char *columns[FSD_MOST_COLUMNS];
    FSD_VEC(struct fsd_number_row) rows;
    FSD_VEC(struct fsd_number_cell) cells;
    FSD_VEC(struct fsd_unmeasured) unmeasured;
    uint32_t only_first, only_second; /**< number of tensors that only one set has */
};

/** Reads a table: CSV with a header, or JSON with a list of objects, each with a
 *  "name".
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT. */
enum fsd_status fsd_table_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, struct fsd_numbers *out,
                               struct fsd_error *err);

/** The shape of the array as a text, such as "1x3x8" or "a scalar"; the text is in the
 *  arena. */
const char *fsd_array_shape(struct fsd_arena *arena, const struct fsd_array *array);

/** Compares the tensors of `b` with the tensors of the same name in `a`.  If `a` is
 *  NULL, only searches `b` for NaN and infinite values.
 *  @return FSD_OK; FSD_E_MISMATCH if no tensor can be compared; FSD_E_FORMAT if a
 *         tensor is damaged */
enum fsd_status fsd_numbers_of_sets(struct fsd_arena *arena,
                                    const struct fsd_intern *names,
                                    const struct fsd_array_set *a,
                                    const struct fsd_array_set *b,
                                    struct fsd_numbers *out, struct fsd_error *err);

/** For each tensor of a set, compares each row with the row before it.  A row is the
 *  part of a tensor at one index of the first axis: one element of the batch.
 *  @param g the model.  Its first input that has several rows in `set` shows the batch
 *         size.  If there is none, its first output with several rows does
 *  @return as fsd_numbers_of_sets().  FSD_E_MISMATCH also if no input or output in the
 *         set has several rows, or if the rows of an input differ */
enum fsd_status fsd_numbers_of_rows(struct fsd_arena *arena, const struct fsd_graph *g,
                                    const struct fsd_array_set *set,
                                    struct fsd_numbers *out, struct fsd_error *err);

/* -------------------------------------------------------------------- in a run */

/** A place where an error begins. */
struct fsd_entry {
    uint32_t row;
    fsd_id tensor, node, layer; /**< `tensor`: a tensor of the model; `node`: its
                                     producer; `layer`: the last layer that computes
                                     `node`.  `node` and `layer` may be FSD_NONE */
    struct fsd_span suspects;   /**< a span of `pool`: nodes that may have caused the
                                     error */
    struct fsd_span layers;     /**< a span of `pool`: the layers that compute the
                                     suspects */
    struct fsd_span behind;     /**< a span of `pool`: the Casts and quantizers among
                                     the suspects and directly before them */
    struct fsd_span moved;      /**< a span of `pool`: data-movement layers that convert
                                     the type of a suspect's input */
};

/** A measured tensor on the path on which the first error grows. */
struct fsd_growth {
    uint32_t row;
    fsd_id layer; /**< the last layer of its producer; FSD_NONE if unknown */
};

struct fsd_values {
    const struct fsd_numbers *numbers;
    double limit;      /**< the l2_rel above which an error counts */
    uint32_t *of_node; /**< `of_node` and `of_layer` are indexed by node and layer:
                            index of the row; FSD_NONE if there is none */
    uint32_t *of_layer;
    double greatest; /**< the greatest absolute value among the first numbers of all
                          layers' rows.  Infinite values do not count */
    uint32_t joined; /**< number of rows that are assigned to a tensor, node or layer */
    FSD_VEC(uint32_t) strangers; /**< rows without a tensor, node or layer */
    uint32_t over; /**< number of tensors for which fsd_row_is_over() is true */
    FSD_VEC(struct fsd_entry) entries; /**< where errors begin, in model order */
    bool has_nan;
    struct fsd_entry nan; /**< the first tensor with new NaN or infinite values; valid
                               if has_nan */
    FSD_VEC(struct fsd_growth) growth; /**< the path of the first error */
    FSD_VEC(fsd_id) pool;
};

/** Assigns each row to the tensor, nodes or layer with its name.
 *  @param limit the l2_rel above which the error of a tensor counts
 *  @return FSD_OK; FSD_E_MISMATCH if model and engine have none of the names */
enum fsd_status fsd_values_join(const struct fsd_values **out,
                                const struct fsd_numbers *numbers, double limit,
                                const struct fsd_match *m,
                                const struct fsd_flows *flows, struct fsd_error *err);

/** Returns a copy with renamed columns and runners.  The first file gets the name
 *  "reference", the second file the name "values".
 *  @param rename called as rename(payload, old name); returns the new name.  The old
 *         name of an unknown runner is NULL */
const struct fsd_values *fsd_values_rename(struct fsd_arena *arena,
                                           const struct fsd_values *v,
                                           const char *(*rename)(void *, const char *),
                                           void *payload);

/** enter.c: sets `over`, `entries`, `has_nan`, `nan` and `growth`.
 *  @param of_tensor indexed by model tensor: its row; FSD_NONE if it has none */
void fsd_values_enter(struct fsd_values *v, const struct fsd_match *m,
                      const struct fsd_flows *flows, const uint32_t *of_tensor);

/** Returns an array indexed by model tensor: its greatest absolute value in a set of
 *  tensors.  The value is infinite if an element is infinite, and NAN if the tensor was
 *  not measured.
 *  @param n may be NULL
 *  @return NULL if `n` is NULL */
double *fsd_largest_values(struct fsd_arena *arena, const struct fsd_graph *g,
                           const struct fsd_numbers *n);

/** The number in one column of a row; NAN if it is unknown or `row` is FSD_NONE. */
double fsd_number_of(const struct fsd_numbers *n, uint32_t row, uint32_t column);

/** Whether the row of a tensor has an l2_rel over the limit, or new NaN or infinite
 *  values.  False for a row of a table. */
bool fsd_row_is_over(const struct fsd_values *v, uint32_t row);

/** Prints the first `most` numbers of a row: "l2_rel 0.0213, max_abs 3.4".  Leaves out
 *  a count of NaN or infinite elements that is 0. */
void fsd_put_row(const struct fsd_numbers *n, uint32_t row, uint32_t most, FILE *out);

/** The index of the column with this name; FSD_NONE if there is none. */
uint32_t fsd_number_column(const struct fsd_numbers *n, const char *name);
