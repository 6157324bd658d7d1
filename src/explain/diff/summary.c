/*
 * Counts nodes, layers and links of a finished run.  Reports print these counts and
 * count nothing themselves, so that no two formats can disagree.  Only layers that
 * compute count as mapped or unmapped, because a reformat or a synchronization computes
 * no node.
 */
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

const struct fsd_summary *fsd_diff_summary(const struct fsd_match *m,
                                           const struct fsd_layer_result *layers,
                                           const struct fsd_reason *reasons,
                                           const struct fsd_node_result *nodes)
{
    struct fsd_summary *s = FSD_NEW(m->arena, struct fsd_summary, 1);

    s->nodes = m->model->nodes.n;
    for (fsd_id i = 0; i < s->nodes; i++) {
        s->by_fate[nodes[i].fate]++;
        s->hidden += nodes[i].fate == FSD_FATE_LAYER &&
                     fsd_opaque_layer_of(m, layers, i) != FSD_NONE;
    }
    s->layers = m->engine->nodes.n;
    for (fsd_id i = 0; i < s->layers; i++) {
        const struct fsd_layer_result *r = &layers[i];

        s->by_kind[r->kind]++;
        s->opaque += r->opaque;
        s->requested += reasons[i].requested;
        if (r->inserted) {
            s->inserted++;
            s->by_cause[reasons[i].cause]++;
        }
        if (fsd_kind_computes(r->kind) || r->kind == FSD_KIND_QUANTIZE) {
            s->computing++;
            s->mapped += fsd_match_maps_layer(m, i);
        }
    }
    for (uint32_t i = 0; i < m->regions.n; i++)
        s->choices += m->regions.at[i].equal ? m->regions.at[i].nodes.n : 0;
    s->links = m->links.n;
    for (uint32_t i = 0; i < m->links.n; i++)
        for (unsigned bit = 0; bit < FSD_COUNT_OF(s->by_evidence); bit++)
            s->by_evidence[bit] += m->links.at[i].by >> bit & 1;
    return s;
}
