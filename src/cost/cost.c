#include "cost/cost.h"
#include "cost/amount.h"

enum fsd_status fsd_cost_new(const struct fsd_cost **out, const struct fsd_diff *run,
                             const struct fsd_options *opt, struct fsd_error *err)
{
    struct fsd_cost *c = FSD_NEW(run->arena, struct fsd_cost, 1);
    struct fsd_diff with_cost = *run, *d = &with_cost;
    enum fsd_status status;

    d->cost = *out = c;
    c->amounts = fsd_amounts_new(d->arena, d->names);
    c->nodes = FSD_NEW(d->arena, struct fsd_node_cost, d->model->nodes.n);
    c->layers = FSD_NEW(d->arena, struct fsd_layer_cost, d->engine->nodes.n);
    c->peak_gb_s = opt->peak_gb_s;
    c->peak_top_s = opt->peak_top_s;
    status = fsd_cost_bind_shapes(d, c, opt->shapes, opt->n_shapes, err);
    if (status != FSD_OK)
        return status;
    fsd_cost_shapes(d, c);
    if (!d->layers) /* a model alone */
        return FSD_OK;
    fsd_cost_traffic(d, c);
    fsd_cost_macs(d, c);
    fsd_cost_sums(d, c);
    return FSD_OK;
}
