/*
 * Finds the kind of fusion of a group. The kind depends only on the group's operators
 * and edges, so it is the same for each builder. Products that do not read each other's
 * results are a horizontal fusion; a product and the nodes after it are an epilogue.
 */
#include "edit/mark/mark.h"
#include "model/graph/graph.h"

struct members {
    uint32_t products, softmaxes, others;
    bool fed; /* a product reads the output of another node of the group */
};

/* Whether the node reads the output of another node of the group, directly or through a
 * node without a group. */
static bool is_fed(const struct fsd_marks *m, fsd_id node, fsd_id group)
{
    const struct fsd_graph *g = m->d->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
        fsd_id from = fsd_tensor_producer(g, tensor);

        if (fsd_id_at(m->group_of, from) == FSD_NONE)
            from = fsd_node_in_producer(g, from, 0);
        if (fsd_id_at(m->group_of, from) == group)
            return true;
    }
    return false;
}

static struct members members_of(const struct fsd_marks *m, fsd_id group)
{
    struct members all = {0};

    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++) {
        fsd_id node = fsd_marks_node(m, group, i);

        if (fsd_node_is_product(m->d, node)) {
            all.products++;
            all.fed |= is_fed(m, node, group);
        } else if (fsd_node_is(m->d->model, node, FSD_ONNX_Softmax)) {
            all.softmaxes++;
        } else {
            all.others++;
        }
    }
    return all;
}

static enum fsd_fusion_kind kind_of(const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_group *g = &m->state->groups.at[group];
    struct members all = members_of(m, group);

    if (g->nodes.n < 2)
        return FSD_FUSION_NONE;
    if (g->kind == FSD_KIND_FOREIGN || g->loose)
        return FSD_FUSION_GROUP;
    if (all.products >= 2 && all.softmaxes)
        return FSD_FUSION_ATTENTION;
    if (all.products >= 2)
        return all.fed ? FSD_FUSION_GROUP : FSD_FUSION_HORIZONTAL;
    if (all.products)
        return all.fed ? FSD_FUSION_GROUP : FSD_FUSION_EPILOGUE;
    return FSD_FUSION_VERTICAL;
}

void fsd_marks_add_kinds(struct fsd_marks *m)
{
    m->kinds = FSD_NEW(m->arena, uint8_t, m->state->groups.n);
    for (fsd_id i = 0; i < m->state->groups.n; i++)
        m->kinds[i] = (uint8_t)kind_of(m, i);
}
