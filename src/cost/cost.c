#include "cost/cost.h"

enum fsd_status fsd_cost_new(const struct fsd_cost **out, const struct fsd_diff *run,
                             const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_cost *c = FSD_NEW(run->arena, struct fsd_cost, 1);
    struct fsd_sizes *s = fsd_sizes_new(run->arena, run->model);
    struct fsd_diff with_cost = *run, *d = &with_cost;
    enum fsd_status status = FSD_OK;

    d->cost = *out = c;
    c->sizes = s;
    c->amounts = s->amounts;
    c->nodes = FSD_NEW(d->arena, struct fsd_node_cost, d->model->nodes.n);
    c->layers = FSD_NEW(d->arena, struct fsd_layer_cost, d->engine->nodes.n);
    c->peak_gb_s = opt->peak_gb_s;
    c->peak_top_s = opt->peak_top_s;
    for (unsigned i = 0; i < opt->n_shapes && status == FSD_OK; i++)
        status = fsd_sizes_bind(s, opt->shapes[i], err);
    if (status != FSD_OK)
        return status;
    fsd_cost_shapes(d, c, s);
    if (!d->layers) /* a model alone */
        return FSD_OK;
    fsd_cost_like(d, c);
    fsd_cost_traffic(d, c);
    fsd_cost_macs(d, c);
    fsd_cost_sums(d, c);
    return FSD_OK;
}

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
