/*
 * Runs the steps of the cost model, and computes the roofline of a layer on request.
 * The steps depend on each other: the sizes of the model come first, then the dynamic
 * sizes of the engine, bytes, multiply-adds, and sums.  Bytes and multiply-adds that
 * depend on an unknown size are unknown (-1), and a layer with unknown costs has no
 * roofline.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

const struct fsd_cost *
fsd_cost_new(const struct fsd_match *m, const struct fsd_known_sizes *known,
             const struct fsd_measured *times, const struct fsd_layer_result *layers,
             const struct fsd_flows *flows, const struct fsd_reason *reasons,
             const struct fsd_node_result *nodes, const struct fsd_options *opt)
{
    struct fsd_cost *c = FSD_NEW(m->arena, struct fsd_cost, 1);

    c->sizes = known->sizes;
    c->amounts = known->sizes->amounts;
    c->tuned = known->tuned;
    c->run_with = known->run_with;
    c->nodes = FSD_NEW(m->arena, struct fsd_node_cost, m->model->nodes.n);
    c->layers = FSD_NEW(m->arena, struct fsd_layer_cost, m->engine->nodes.n);
    c->peak_gb_s = opt->peak_gb_s;
    c->peak_top_s = opt->peak_top_s;
    fsd_cost_like(m, layers, c);
    fsd_cost_traffic(m, layers, c);
    fsd_cost_macs(m, layers, nodes, c);
    fsd_cost_sums(m, times, layers, flows, reasons, nodes, c);
    fsd_cost_spent(m, times, layers, flows, reasons, c);
    return c;
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
