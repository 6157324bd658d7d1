/* What several measurements of one thing say. */
#ifndef FSD_BASE_SPREAD_H
#define FSD_BASE_SPREAD_H

#include <stdint.h>

/** In the unit of the values, which are not negative; all are -1 when there is none. */
struct fsd_spread {
    double median, low, high;
};

#define FSD_SPREAD_NONE ((struct fsd_spread){-1, -1, -1})

/** Sorts the values.  Of an even number the median is the mean of the middle two. */
struct fsd_spread fsd_spread_of(double *values, uint32_t n);

#endif
