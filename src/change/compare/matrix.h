/*
 * Several builds of one network, side by side:
 *
 *                          A      B             C
 *     Conv_34 Add_42       int8   int8 | fp16   int8        one row
 *     Conv_47              int8   int8          fp16        another
 *
 * A row is a connected component of the union of all builds' partitions of the nodes; a
 * node of another build counts as the node of the first build with which it is aligned.
 * All states must outlive the matrix.  Rows are sorted by their first node in the first
 * build's model; the last rows hold what belongs to no group.
 */
#pragma once

#include "change/compare/compare.h"

/** How a build's part of a row compares with the first build's. */
enum fsd_cell_is {
    FSD_CELL_SAME,
    FSD_CELL_TACTIC,  /**< only the tactic differs */
    FSD_CELL_UNKNOWN, /**< one of the two does not state a type, a layout or which layer
                           computes what */
    FSD_CELL_DIFFERS,
    FSD__CELL_IS_COUNT
};

struct fsd_matrix_cell {
    struct fsd_span groups, moves; /**< of this build, in fsd_matrix.pool, sorted */
    uint8_t is;                    /**< enum fsd_cell_is */
    bool more;        /**< it does not differ, but states more about the row */
    bool less;        /**< it states less about the row than the first build: a type, a
                           layout, which layer computes what, or a node's fate is
                           missing */
    uint32_t variant; /**< variant of the row: 0 is the first build's; a cell has the
                           lowest variant from which it does not differ */
    double ms;        /**< time of groups and moves; negative: unknown */
};

enum fsd_matrix_row_of { FSD_ROW_GROUPS, FSD_ROW_MOVES, FSD_ROW_INPUT, FSD_ROW_OUTPUT };
struct fsd_matrix_row {
    uint8_t of;
    bool differs;      /**< one of its cells differs or is unknown */
    uint32_t variants; /**< at least 1 */
    fsd_id port;       /**< for an input or output: its number in the first build */
};

/** A failed build, of which there is nothing to compare. */
struct fsd_failed_build {
    const char *path, *why; /**< the path of its log; the reason in one sentence */
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
