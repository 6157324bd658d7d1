/*
 * Several builds of one network, side by side:
 *
 *                          A      B             C
 *     Conv_34 Add_42       int8   int8 | fp16   int8        one row; B has two groups
 *     Conv_47              int8   int8          fp16        another row
 *
 * Groups that share nodes form a row, whichever builds they belong to. A node of
 * another build counts as its counterpart in the first build. Rows are sorted by their
 * first node in the first build's model; the last rows hold moves without a group,
 * inputs and outputs. All states must outlive the matrix.
 */
#pragma once

#include "change/compare/compare.h"

/** How a build's cell of a row compares with the first build's cell. */
enum fsd_cell_is {
    FSD_CELL_SAME,
    FSD_CELL_TACTIC,  /**< only the tactic differs */
    FSD_CELL_UNKNOWN, /**< one build does not state a type, a layout, or the layer that
                           computes a node */
    FSD_CELL_DIFFERS,
    FSD__CELL_IS_COUNT
};

struct fsd_matrix_cell {
    struct fsd_span groups, moves; /**< spans of fsd_matrix.pool: sorted ids of the
                                        build's groups and moves */
    uint8_t is;                    /**< enum fsd_cell_is */
    bool more;        /**< the cell does not differ from the first build's cell, but
                           states more facts */
    bool less;        /**< the cell lacks a fact that the first build's cell states: a
                           type, a layout, a shape, the outcome (fate) of a node, or the
                           layer that computes a node */
    uint32_t variant; /**< number of the cell's variant. Of several variants that fit,
                           it is the lowest. 0: the variant of the first build */
    double ms;        /**< milliseconds of groups and moves; negative: unknown */
};

enum fsd_matrix_row_of { FSD_ROW_GROUPS, FSD_ROW_MOVES, FSD_ROW_INPUT, FSD_ROW_OUTPUT };
struct fsd_matrix_row {
    uint8_t of;
    bool differs;      /**< a cell differs or is unknown */
    uint32_t variants; /**< at least 1 */
    fsd_id port;       /**< for an input or output: its number in the first build */
};

/** A failed build, which cannot be compared. */
struct fsd_failed_build {
    const char *path, *why; /**< the path of the build's log; the reason of the failure
                                 in one sentence */
};
typedef FSD_VEC(struct fsd_failed_build) fsd_failed_builds;

struct fsd_matrix {
    struct fsd_arena *arena;
    uint32_t n;
    const struct fsd_state *const *builds;
    struct fsd_compare *
        *with; /**< indexed by build: its comparison with the first build; NULL for the
                    first build itself */
    FSD_VEC(struct fsd_matrix_row) rows;
    struct fsd_matrix_cell *cells; /**< row by row, one cell per build */
    fsd_id **row_of;               /**< indexed by build, then by group */
    fsd_id moves_row;              /**< the row of data-movement layers without a
                                        group */
    FSD_VEC(uint32_t) pool;
    fsd_failed_builds failed; /**< set by the caller that opened the builds; borrowed */
    uint32_t differing;       /**< number of rows that differ */
    bool differs; /**< a build differs from the first one in anything but times and
                       tactics */
};

/** @param n at least 2. */
struct fsd_matrix *fsd_matrix_new(const struct fsd_state *const *builds, uint32_t n);
void fsd_matrix_free(struct fsd_matrix *m); /**< may be NULL; frees no state */

const struct fsd_matrix_cell *fsd_matrix_cell(const struct fsd_matrix *m, uint32_t row,
                                              uint32_t build);
const char *fsd_cell_is_name(unsigned is); /**< "same", "tactic", etc. */
