/*
 * Creates regions from units in which several layers compute.  Such a unit becomes a
 * region if one of its nodes still has no layer, or one of its layers still has no
 * node.  The layers of a region compute its nodes, but it is unknown which layer
 * computes which node.
 */
#include "match/pass.h"
#include "model/graph/graph.h"

static bool linked_into(const struct fsd_match *m, fsd_id node, fsd_id unit)
{
    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (m->unit[fsd_match_of_node(m, node, i)->layer] == unit)
            return true;
    return false;
}

/* Links the region's only layer to all nodes of the region.  Every other layer of the
 * unit computes one known node, so this layer computes the remaining nodes. */
static void give_all(struct fsd_match *m, struct fsd_region region)
{
    FSD_EACH_ID (node, m->pool, region.nodes) {
        m->region_of_node[node] = FSD_NONE;
        fsd_match_link(m, m->pool.at[region.layers.at], node, FSD_BY_TENSOR);
    }
}

static void add_region(struct fsd_match *m, fsd_id unit)
{
    const struct fsd_cut *cut = &m->cuts[unit];
    struct fsd_region region = {{m->pool.n, 0}, {m->pool.n, 0}, FSD_BY_TENSOR, false};
    bool some_known, idle = false;
    uint32_t open = 0, alone = 0;

    FSD_EACH_ID (layer, m->pool, cut->layers) {
        const struct fsd_layer *l = &m->engine->layers.at[layer];

        if (l->alone && m->of_layer[layer].n) {
            alone++;
            continue;
        }
        idle |= !m->of_layer[layer].n;
        /* Leaves out two kinds of kernels of a compiled region.  If the nodes of a
         * kernel are known, the kernel computes no other nodes.  If the operations of a
         * kernel are known but fit no node, the model contradicts the engine. */
        if (l->provider == FSD_PROVIDER_COMPILER &&
            (m->of_layer[layer].n || (l->steps.n && (m->evidence & FSD_BY_STRUCTURE))))
            continue;
        fsd_vec_push(m->arena, &m->pool, layer);
        region.layers.n++;
    }
    if (!region.layers.n)
        return;
    some_known = region.layers.n < cut->layers.n;
    region.nodes.at = m->pool.n;
    FSD_EACH_ID (node, m->pool, cut->nodes)
        open += !m->gone[node] && !linked_into(m, node, unit);
    if (!open && !idle)
        return;
    FSD_EACH_ID (node, m->pool, cut->nodes) {
        if (m->gone[node] || (some_known && m->of_node[node].n) ||
            (open && !idle && linked_into(m, node, unit)))
            continue;
        fsd_vec_push(m->arena, &m->pool, node);
        region.nodes.n++;
        m->region_of_node[node] = m->regions.n;
    }
    if (!region.nodes.n)
        return;
    if (region.layers.n == 1 && alone + 1 == cut->layers.n) {
        give_all(m, region);
        return;
    }
    FSD_EACH_ID (layer, m->pool, region.layers)
        m->region_of_layer[layer] = m->regions.n;
    fsd_vec_push(m->arena, &m->regions, region);
}

void fsd_pass_region(struct fsd_match *m)
{
    for (fsd_id u = 0; u < m->engine->nodes.n; u++)
        if (m->cuts[u].layers.n > 1)
            add_region(m, u);
}
