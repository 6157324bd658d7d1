/* What sorting asks. */
#ifndef FSD_BASE_ORDER_H
#define FSD_BASE_ORDER_H

#include "base/id.h"

/** Negative, zero or positive, as the first is before, at or behind the second. */
static inline int fsd_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/** For qsort() of an array of fsd_id or fsd_sym. */
static inline int fsd_by_id(const void *a, const void *b)
{
    return fsd_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

#endif
