/* Adds, sorts and looks up the links between layers and nodes.  Links are indexed by
 * layer and by node.  A pass may look up the links of earlier passes. */
#include "match/match.h"
#include "match/pass.h"
#include "model/graph/graph.h"

#include <stdlib.h>

/* Whether the layer computes a Softmax.  Such a layer computes no product and no other
 * activation. */
static bool is_softmax(const struct fsd_graph *engine, fsd_id layer)
{
    return strstr(fsd_text(engine->names, engine->nodes.at[layer].op), "SoftMax");
}

/* Whether Metadata refutes the link of `layer` and `node`.  It does if the Metadata of
 * `layer` names only other nodes, and the Metadata of another layer names `node`.
 * Tensors or steps that suggest the link are weaker evidence, because the builder wrote
 * the Metadata. */
static bool is_refuted(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    return m->layer_sourced[layer] && m->node_sourced[node] &&
           !fsd_match_has(m, layer, node);
}

/* Whether the node's operator contradicts the type of the layer: a Softmax layer
 * computes neither a node with weights nor an activation.  Such a link shows that the
 * engine was not built from this model. */
static bool contradicts_type(const struct fsd_match *m, fsd_id layer, fsd_id node,
                             unsigned by)
{
    return !(by & FSD_BY_NAME) &&
           m->facts->traits[node] & (FSD_OP_WEIGHTED | FSD_OP_ACTIVATION) &&
           is_softmax(m->engine, layer);
}

void fsd_match_link(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by)
{
    if (node == FSD_NONE)
        return;
    if (by & FSD_BY_METADATA)
        m->layer_sourced[layer] = m->node_sourced[node] = true;
    else if (is_refuted(m, layer, node) || contradicts_type(m, layer, node, by)) {
        fsd_vec_push(m->arena, &m->refuted, (struct fsd_link){layer, node, by});
        return;
    }
    fsd_vec_push(m->arena, &m->links, (struct fsd_link){layer, node, by});
}

/* Sorts the links by layer and, within a layer, by node. */
static void sort_links(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    uint32_t n = m->links.n;
    struct fsd_link *links = m->links.at;
    struct fsd_link *sorted = FSD_NEW(scratch, struct fsd_link, n);
    struct fsd_lists of =
        fsd_lists_new(scratch, &links->node, sizeof *links, n, m->model->nodes.n);

    for (uint32_t i = 0; i < n; i++)
        sorted[i] = links[of.ids[i]];
    of = fsd_lists_new(scratch, &sorted->layer, sizeof *links, n, m->engine->nodes.n);
    for (uint32_t i = 0; i < n; i++)
        links[i] = sorted[of.ids[i]];
}

void fsd_match_index(struct fsd_match *m)
{
    struct fsd_lists nodes;
    uint32_t kept = 0;

    if (m->links.n == m->indexed || !m->links.at)
        return; /* the common case: the pass found no link */

    sort_links(m);
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
    nodes = fsd_lists_new(m->arena, &m->links.at->node, sizeof *m->links.at, kept,
                          m->model->nodes.n);
    m->of_node = nodes.of;
    m->by_node = nodes.ids;
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

bool fsd_match_read_outside(const struct fsd_match *m, fsd_id layer, fsd_id tensor)
{
    const struct fsd_tensor *t = &m->model->tensors.at[tensor];

    FSD_EACH_ID (reader, m->model->links, t->consumers)
        if (!fsd_match_has(m, layer, reader))
            return true;
    return t->flags & FSD_TENSOR_OUTPUT;
}
