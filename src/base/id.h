/* Everything that is kept in an array is named by its index there. */
#ifndef FSD_BASE_ID_H
#define FSD_BASE_ID_H

#include <stdint.h>

typedef uint32_t fsd_id;

#define FSD_NONE UINT32_MAX

/** A slice of a pool: n entries from `at`. */
struct fsd_span {
    uint32_t at, n;
};

#define FSD_COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
