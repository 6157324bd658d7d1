/*
 * Finds equal nodes, moves and other things of both models by sorting. One array holds
 * the rows (hash, side, id) of both models, and after sorting, rows with equal hashes
 * stand together. An old and a new row match if no other row has their hash. Because
 * rows are also sorted by id, the result is deterministic; a walk through a hash table
 * would not be.
 */
#include "change/compare/parts.h"
#include "base/base.h"

#include <stdlib.h>

static int by_hash(const void *a, const void *b)
{
    const struct fsd_hash_row *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->new != y->new)
        return x->new - y->new;
    return fsd_order(x->id, y->id);
}

void fsd_hash_rows_sort(struct fsd_hash_row *rows, uint32_t n)
{
    if (n) /* rows may be NULL if n is 0 */
        qsort(rows, n, sizeof *rows, by_hash);
}

uint32_t fsd_hash_rows_end(const struct fsd_hash_row *rows, uint32_t n, uint32_t i)
{
    uint32_t end = i;

    while (end < n && rows[end].hash == rows[i].hash)
        end++;
    return end;
}

uint32_t fsd_hash_rows_pairs(struct fsd_hash_row *rows, uint32_t n)
{
    uint32_t kept = 0;

    fsd_hash_rows_sort(rows, n);
    for (uint32_t i = 0, k; i < n; i = k) {
        k = fsd_hash_rows_end(rows, n, i);
        if (k - i != 2 || rows[i].new == rows[i + 1].new)
            continue;
        rows[kept++] = rows[i];
        rows[kept++] = rows[i + 1];
    }
    return kept;
}
