/* Numbers, by which everything in an array is referred to: what two searches found, the
 * order of numbers and of tables, and arrays of numbers. */
#include "base/base.h"

fsd_id fsd_id_both(fsd_id a, fsd_id b)
{
    return a == FSD_NONE || a == b ? b : b == FSD_NONE ? a : FSD_SEVERAL;
}

int fsd_by_number(const void *a, const void *b)
{
    return fsd_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

int fsd_by_pair(const void *a, const void *b)
{
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;

    return x[0] != y[0] ? fsd_order(x[0], y[0]) : fsd_order(x[1], y[1]);
}

int fsd_by_name(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

int fsd_by_id(const void *a, const void *b)
{
    return fsd_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

fsd_id *fsd_ids_new(struct fsd_arena *arena, size_t n)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    if (n)
        memset(ids, 0xff, n * sizeof *ids);
    return ids;
}
