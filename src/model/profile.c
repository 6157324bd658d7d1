#include "model/profile.h"

double fsd_profile_ms(const struct fsd_profile *p, const struct fsd_profile_entry *e)
{
    if (e->odd)
        return -1;
    if (p->runs && e->total_ms >= 0)
        return e->total_ms / (double)p->runs;
    return e->mean_ms >= 0 ? e->mean_ms : -1;
}
