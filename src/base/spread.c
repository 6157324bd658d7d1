#include "base/spread.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

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
