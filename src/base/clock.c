/*
 * Clocks for time limits on other programs.  A report must not depend on them, because
 * it would then differ from run to run.
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
