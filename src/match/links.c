/* The links between layers and nodes: adding one, sorting and indexing them from both
 * sides, and looking them up.  A pass may look up what the earlier ones found. */
#include "match/match.h"
#include "base/base.h"
#include "match/pass.h"

#include <stdlib.h>

/* The builder wrote the Metadata: a node that it assigns to another layer, and not to
 * this one, is not this one's, whatever tensors or steps suggest. */
static bool is_refuted(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    return m->layer_sourced[layer] && m->node_sourced[node] &&
           !fsd_match_has(m, layer, node);
}

void fsd_match_link(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by)
{
    if (node == FSD_NONE)
        return;
    if (by & FSD_BY_METADATA)
        m->layer_sourced[layer] = m->node_sourced[node] = true;
    else if (is_refuted(m, layer, node)) {
        fsd_vec_push(m->arena, &m->refuted, (struct fsd_link){layer, node, by});
        return;
    }
    fsd_vec_push(m->arena, &m->links, (struct fsd_link){layer, node, by});
}

static void index_nodes(struct fsd_match *m)
{
    uint32_t at = 0;

    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        m->of_node[i] = (struct fsd_span){0, 0};
    for (uint32_t i = 0; i < m->links.n; i++)
        m->of_node[m->links.at[i].node].n++;
    for (fsd_id i = 0; i < m->model->nodes.n; i++) {
        m->of_node[i].at = at;
        at += m->of_node[i].n;
        m->of_node[i].n = 0;
    }
    m->by_node = FSD_NEW(m->arena, uint32_t, m->links.n);
    for (uint32_t i = 0; i < m->links.n; i++) {
        struct fsd_span *span = &m->of_node[m->links.at[i].node];

        m->by_node[span->at + span->n++] = i;
    }
}

void fsd_match_index(struct fsd_match *m)
{
    uint32_t kept = 0;

    if (m->links.n == m->indexed)
        return; /* most passes find nothing */

    fsd_vec_sort(&m->links, fsd_by_pair);
    for (fsd_id i = 0; i < m->engine->nodes.n; i++)
        m->of_layer[i] = (struct fsd_span){0, 0};
    for (uint32_t i = 0; i < m->links.n; i++) {
        struct fsd_link link = m->links.at[i];
        struct fsd_span *span = &m->of_layer[link.layer];

        if (kept && !fsd_by_pair(&m->links.at[kept - 1], &link)) {
            m->links.at[kept - 1].by |= link.by;
            continue;
        }
        if (!span->n++)
            span->at = kept;
        m->links.at[kept++] = link;
    }
    m->links.n = m->indexed = kept;
    index_nodes(m);
}

bool fsd_match_left(const struct fsd_match *m, fsd_id node)
{
    return m->story && (m->evidence & FSD_BY_LOG) &&
           m->story->left[node].how != FSD_LEFT_NOT;
}

const struct fsd_link *fsd_match_of_layer(const struct fsd_match *m, fsd_id layer,
                                          uint32_t i)
{
    return &m->links.at[m->of_layer[layer].at + i];
}

const struct fsd_link *fsd_match_of_node(const struct fsd_match *m, fsd_id node,
                                         uint32_t i)
{
    return &m->links.at[m->by_node[m->of_node[node].at + i]];
}

bool fsd_match_has(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    struct fsd_link link = {layer, node, 0};
    struct fsd_span span = m->of_layer[layer];

    return span.n &&
           bsearch(&link, &m->links.at[span.at], span.n, sizeof link, fsd_by_pair);
}
