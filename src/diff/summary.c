#include "diff/diff.h"

static void count_links(const struct fsd_diff *d, struct fsd_summary *s)
{
    s->links = d->match->links.n;
    for (uint32_t i = 0; i < d->match->links.n; i++)
        for (unsigned bit = 0; bit < FSD_COUNT_OF(s->by_evidence); bit++)
            s->by_evidence[bit] += d->match->links.at[i].by >> bit & 1;
}

static void count_layers(const struct fsd_diff *d, struct fsd_summary *s)
{
    s->layers = d->engine->nodes.n;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_result *r = &d->layers[i];
        bool mapped =
            d->match->of_layer[i].n || d->match->region_of_layer[i] != FSD_NONE;

        s->by_kind[r->kind]++;
        if (r->inserted) {
            s->inserted++;
            s->by_cause[d->reasons[i].cause]++;
        }
        if (r->kind == FSD_KIND_COMPUTE || r->kind == FSD_KIND_FOREIGN ||
            r->kind == FSD_KIND_QUANTIZE) {
            s->computing++;
            s->mapped += mapped;
        }
    }
}

const struct fsd_summary *fsd_diff_summary(const struct fsd_diff *d)
{
    struct fsd_summary *s = FSD_NEW(d->arena, struct fsd_summary, 1);

    s->nodes = d->model->nodes.n;
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        s->by_fate[d->nodes[i].fate]++;
    count_layers(d, s);
    count_links(d, s);
    return s;
}
