/* Functions for ids.  An id is an index of an array.  The functions combine the results
 * of two searches, compare items for sorting, and search arrays of ids. */
#include "base/base.h"

#include <stdlib.h>

fsd_id fsd_id_both(fsd_id a, fsd_id b)
{
    return a == FSD_NONE || a == b ? b : b == FSD_NONE ? a : FSD_SEVERAL;
}

fsd_id fsd_id_only(fsd_id found)
{
    return found == FSD_SEVERAL ? FSD_NONE : found;
}

void fsd_set_at(bool *of, fsd_id at)
{
    if (at != FSD_NONE)
        of[at] = true;
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

int fsd_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int fsd_by_id(const void *a, const void *b)
{
    return fsd_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

int fsd_falling(double a, double b)
{
    return (a < b) - (a > b);
}

int fsd_first_order(const int *orders, size_t n)
{
    size_t i = 0;

    while (i + 1 < n && !orders[i])
        i++;
    return orders[i];
}

/* First checks for a sorted array, because most arrays are sorted already, and qsort()
 * would need as many comparisons for them as for any other array. */
void fsd_sort(void *at, size_t n, size_t size, int (*by)(const void *, const void *))
{
    const char *item = at;
    size_t i = 1;

    while (i < n && by(item + (i - 1) * size, item + i * size) <= 0)
        i++;
    if (i < n)
        qsort(at, n, size, by);
}

uint32_t fsd_sort_once(void *at, uint32_t n, size_t size,
                       int (*by)(const void *, const void *))
{
    char *items = at;
    uint32_t kept = 0;

    fsd_sort(at, n, size, by);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || by(items + (kept - 1) * size, items + i * size) != 0)
            memmove(items + kept++ * size, items + i * size, size);
    return kept;
}

struct fsd_lists fsd_lists_new(struct fsd_arena *arena, const fsd_id *key, size_t step,
                               uint32_t n, uint32_t keys)
{
    struct fsd_lists l = {FSD_NEW(arena, struct fsd_span, keys), NULL};
    const char *at = (const char *)key;
    uint32_t all = 0;

    for (uint32_t i = 0; i < n; i++)
        if (*(const fsd_id *)(at + i * step) != FSD_NONE)
            l.of[*(const fsd_id *)(at + i * step)].n++;
    for (uint32_t k = 0; k < keys; k++) {
        l.of[k].at = all;
        all += l.of[k].n;
        l.of[k].n = 0;
    }
    l.ids = FSD_NEW(arena, fsd_id, all);
    for (uint32_t i = 0; i < n; i++) {
        fsd_id k = *(const fsd_id *)(at + i * step);

        if (k != FSD_NONE)
            l.ids[l.of[k].at + l.of[k].n++] = i;
    }
    return l;
}

fsd_id fsd_list_at(const struct fsd_lists *l, fsd_id key, uint32_t i)
{
    return i < l->of[key].n ? l->ids[l->of[key].at + i] : FSD_NONE;
}

bool fsd_ids_have(const fsd_id *ids, uint32_t n, fsd_id id)
{
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

fsd_id *fsd_ids_new(struct fsd_arena *arena, size_t n)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    if (n)
        memset(ids, 0xff, n * sizeof *ids);
    return ids;
}
