/*
 * Clocks for time limits on the work of another program.  No content of a report may
 * depend on them: it would differ from run to run.
 */
#include "base/base.h"

double fsd_clock(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double fsd_now(void)
{
    return fsd_clock(CLOCK_MONOTONIC);
}
