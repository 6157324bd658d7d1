/* The spread of several measurements of one thing. */
#ifndef FSD_BASE_SPREAD_H
#define FSD_BASE_SPREAD_H

#include <stdint.h>

/** In the unit of the values, which are not negative; all are -1 when there is none. */
struct fsd_spread {
    double median, low, high;
};

#define FSD_SPREAD_NONE ((struct fsd_spread){-1, -1, -1})

/** fmax() would be the only reason to link the mathematical library. */
static inline double fsd_larger(double a, double b)
{
    return a > b ? a : b;
}

/** Sorts the values.  Of an even number the median is the mean of the middle two. */
struct fsd_spread fsd_spread_of(double *values, uint32_t n);

/** The same with low and high one standard deviation from the median, estimated from
 *  the median absolute deviation.  Up to half of the values may be outliers before the
 *  estimate fails, whereas one outlier moves minimum, maximum and mean by any amount
 *  (Rousseeuw and Croux, Alternatives to the Median Absolute Deviation, JASA 88, 1993;
 *  medians for times of runs: Hoefler and Belli, Scientific Benchmarking of Parallel
 *  Computing Systems, SC 2015).  Changes the values. */
struct fsd_spread fsd_spread_robust(double *values, uint32_t n);

#endif
