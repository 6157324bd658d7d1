/* Clocks for time limits: only for the work of other programs, never for the contents
 * of a report. */
#ifndef FSD_BASE_CLOCK_H
#define FSD_BASE_CLOCK_H

#include <time.h>

/** Seconds of a clock, as one of a process's processor time; 0 when there is none. */
static inline double fsd_clock(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/** Seconds of a monotonic clock. */
static inline double fsd_now(void)
{
    return fsd_clock(CLOCK_MONOTONIC);
}

#endif
