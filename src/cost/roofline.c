#include "cost/roofline.h"

struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_cost *r = &d->cost->layers[layer];
    double ms = fsd_layer_ms(d, layer);
    struct fsd_roofline roof = {.reached = -1, .per_byte = -1};
    double memory, compute;

    if (r->bytes > 0 && r->macs >= 0)
        roof.per_byte = (double)r->macs / (double)r->bytes;
    if (!(d->cost->peak_gb_s > 0) || !(d->cost->peak_top_s > 0) || r->bytes < 0 ||
        r->macs < 0)
        return roof;
    memory = (double)r->bytes / (d->cost->peak_gb_s * 1e6);
    compute = 2 * (double)r->macs / (d->cost->peak_top_s * 1e9);
    roof.known = true;
    roof.by_memory = memory >= compute;
    roof.ms = roof.by_memory ? memory : compute;
    if (ms > 0)
        roof.reached = roof.ms / ms;
    return roof;
}
