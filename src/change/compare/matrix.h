/*
 * Several builds of one network beside each other:
 *
 *                          A      B             C
 *     Conv_34 Add_42       int8   int8 | fp16   int8        one row
 *     Conv_47              int8   int8          fp16        another
 *
 * A row is a connected component of the union of all builds' partitions of the nodes;
 * the nodes of the other builds are those of the first that they are aligned with.  All
 * states must outlive the matrix.  Rows stand by their first node, as the first build's
 * model has it; last come rows of what belongs to no group.
 */
#ifndef FSD_COMPARE_MATRIX_H
#define FSD_COMPARE_MATRIX_H

#include "change/compare/compare.h"

/** A build's part of a row, beside the first build's. */
enum fsd_cell_is {
    FSD_CELL_SAME,
    FSD_CELL_TACTIC,  /**< all but the kernel */
    FSD_CELL_UNKNOWN, /**< one of the two does not state a type, a layout or which layer
                           computes what */
    FSD_CELL_DIFFERS,
    FSD__CELL_IS_COUNT
};

struct fsd_matrix_cell {
    struct fsd_span groups, moves; /**< of the build, in fsd_matrix.pool, sorted */
    uint8_t is;                    /**< enum fsd_cell_is */
    bool more;        /**< it does not differ, but states more of the row */
    bool less;        /**< it states less of the row than the first build: a type, a
                           layout, which layer computes what, a node's fate */
    uint32_t variant; /**< of those of the row: 0 is the first build's; a cell is of the
                           first variant that it does not differ from */
    double ms;        /**< of groups and moves; negative: not known */
};

enum fsd_matrix_row_of { FSD_ROW_GROUPS, FSD_ROW_MOVES, FSD_ROW_INPUT, FSD_ROW_OUTPUT };
struct fsd_matrix_row {
    uint8_t of;
    bool differs;      /**< one of its cells differs or is unknown */
    uint32_t variants; /**< at least 1 */
    fsd_id port;       /**< of an input or output: in the first build */
};

/** A build of which there is nothing to compare. */
struct fsd_failed_build {
    const char *path, *why; /**< of its log; one sentence */
};
typedef FSD_VEC(struct fsd_failed_build) fsd_failed_builds;

struct fsd_matrix {
    struct fsd_arena *arena;
    uint32_t n;
    const struct fsd_state *const *builds;
    struct fsd_compare *
        *with; /**< by build: the first one and it; of the first: NULL */
    FSD_VEC(struct fsd_matrix_row) rows;
    struct fsd_matrix_cell *cells; /**< row by row, one a build */
    fsd_id **row_of;               /**< by build, by group */
    fsd_id moves_row;              /**< of data-movement layers of no group */
    FSD_VEC(uint32_t) pool;
    fsd_failed_builds failed; /**< set by who opened the builds; borrowed */
    uint32_t differing;       /**< rows */
    bool differs; /**< a build does from the first: anything but times, tactics */
};

/** @param n at least 2. */
struct fsd_matrix *fsd_matrix_new(const struct fsd_state *const *builds, uint32_t n);
void fsd_matrix_free(struct fsd_matrix *m); /**< may be NULL; frees no state */

const struct fsd_matrix_cell *fsd_matrix_cell(const struct fsd_matrix *m, uint32_t row,
                                              uint32_t build);
const char *fsd_cell_is_name(unsigned is); /**< "same", "tactic", ... */

#endif
