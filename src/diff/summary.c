#include "diff/diff.h"
#include "diff/rules.h"

static void count_links(struct fsd_diff *d)
{
    struct fsd_summary *s = &d->summary;

    s->links = d->match->links.n;
    for (uint32_t i = 0; i < d->match->links.n; i++)
        for (unsigned bit = 0; bit < FSD_COUNT_OF(s->by_evidence); bit++)
            s->by_evidence[bit] += d->match->links.at[i].by >> bit & 1;
}

static void count_layers(struct fsd_diff *d)
{
    struct fsd_summary *s = &d->summary;

    s->layers = d->engine->nodes.n;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_result *r = &d->layers[i];
        bool mapped =
            d->match->of_layer[i].n || d->match->region_of_layer[i] != FSD_NONE;

        s->by_kind[r->kind]++;
        if (r->inserted) {
            s->inserted++;
            s->by_cause[r->cause]++;
        }
        if (r->kind == FSD_KIND_COMPUTE || r->kind == FSD_KIND_FOREIGN ||
            r->kind == FSD_KIND_QUANTIZE) {
            s->computing++;
            s->mapped += mapped;
        }
    }
}

void fsd_diff_summarize(struct fsd_diff *d)
{
    struct fsd_summary *s = &d->summary;

    s->nodes = d->model->nodes.n;
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        s->by_fate[d->nodes[i].fate]++;
    count_layers(d);
    count_links(d);
    for (uint32_t i = 0; i < d->findings.n; i++)
        s->by_severity[d->findings.at[i].rule->severity]++;
}
