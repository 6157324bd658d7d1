/* Everything that is kept in an array is referred to by its index there. */
#ifndef FSD_BASE_ID_H
#define FSD_BASE_ID_H

#include <stdint.h>
#include <string.h>

typedef uint32_t fsd_id;

#define FSD_NONE UINT32_MAX

/** A slice of a pool: n entries from `at`. */
struct fsd_span {
    uint32_t at, n;
};

#define FSD_COUNT_OF(array) (sizeof(array) / sizeof *(array))

/** Defines the function that returns the name of an enum's value: one per value, in
 *  order or by designators. */
#define FSD_NAMES(function, type, count, ...)                                          \
    const char *function(type value)                                                   \
    {                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                              \
        _Static_assert(FSD_COUNT_OF(names) == (count), "a name each");                 \
        return names[value];                                                           \
    }

/** The result of a comparison for sorting: negative, zero or positive. */
static inline int fsd_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/** For qsort() of an array of uint64_t. */
static inline int fsd_by_number(const void *a, const void *b)
{
    return fsd_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

/** For qsort() of structs that begin with two of fsd_id or fsd_sym. */
static inline int fsd_by_pair(const void *a, const void *b)
{
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;

    return x[0] != y[0] ? fsd_order(x[0], y[0]) : fsd_order(x[1], y[1]);
}

/** For bsearch() in a table of structs that begin with a name. */
static inline int fsd_by_name(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

/** For qsort() of an array of fsd_id or fsd_sym. */
static inline int fsd_by_id(const void *a, const void *b)
{
    return fsd_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

#endif
