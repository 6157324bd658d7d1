#include "cost/roofline.h"

struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_result *r = &d->layers[layer];
    struct fsd_roofline roof = {.reached = -1, .per_byte = -1};
    double memory, compute;

    if (r->bytes > 0 && r->macs >= 0)
        roof.per_byte = (double)r->macs / (double)r->bytes;
    if (!(d->peak_gb_s > 0) || !(d->peak_top_s > 0) || r->bytes < 0 || r->macs < 0)
        return roof;
    memory = (double)r->bytes / (d->peak_gb_s * 1e6);
    compute = 2 * (double)r->macs / (d->peak_top_s * 1e9);
    roof.known = true;
    roof.by_memory = memory >= compute;
    roof.ms = roof.by_memory ? memory : compute;
    if (r->ms > 0)
        roof.reached = roof.ms / r->ms;
    return roof;
}
