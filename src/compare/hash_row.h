/* Rows that are sorted so that what is alike in two builds stands together. */
#ifndef FSD_COMPARE_HASH_ROW_H
#define FSD_COMPARE_HASH_ROW_H

#include "base/id.h"

#include <stdbool.h>

struct fsd_hash_row {
    uint64_t hash;
    fsd_id id; /**< of a node, a move, ... of one side */
    bool new;
};

/** By hash, then the old side's before the new side's, then by id. */
void fsd_hash_rows_sort(struct fsd_hash_row *rows, uint32_t n);

/** The end of the rows that have the hash of row `i`. */
uint32_t fsd_hash_rows_end(const struct fsd_hash_row *rows, uint32_t n, uint32_t i);

#endif
