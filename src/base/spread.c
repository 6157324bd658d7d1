/*
 * The median, minimum and maximum of a few measurements.  The robust variant estimates
 * the standard deviation from the median absolute deviation.  Medians are used because
 * another process may disturb one run, and the time of that run could shift a mean by
 * any amount (sources: base.h).
 */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

FSD_ORDERED(by_value, double, fsd_falling(*y, *x))

struct fsd_spread fsd_spread_of(double *values, uint32_t n)
{
    double above;

    if (!n)
        return FSD_SPREAD_NONE;
    qsort(values, n, sizeof *values, by_value);
    above = values[n / 2];
    return (struct fsd_spread){n % 2 ? above : (values[n / 2 - 1] + above) / 2,
                               values[0], values[n - 1]};
}

/* The standard deviation of normally distributed values, divided by their median
 * absolute deviation. */
#define DEVIATION_OF_MEDIAN_DISTANCE 1.4826

struct fsd_spread fsd_spread_robust(double *values, uint32_t n)
{
    double median = fsd_spread_of(values, n).median, deviation;

    for (uint32_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - median);
    if (!n)
        return FSD_SPREAD_NONE;
    deviation = DEVIATION_OF_MEDIAN_DISTANCE * fsd_spread_of(values, n).median;
    return (struct fsd_spread){median, median > deviation ? median - deviation : 0,
                               median + deviation};
}
