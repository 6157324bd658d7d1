/* Time limits: of what another program does, and never of what a report says. */
#ifndef FSD_BASE_CLOCK_H
#define FSD_BASE_CLOCK_H

#include <time.h>

/** Seconds of a clock that only goes forward. */
static inline double fsd_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
