/*
 * Finds branches that the builder left out.  If the builder knows the condition of an
 * If, it builds only one branch:
 *
 *     If i   then_branch: Conv a    else_branch: Conv b
 *     kernel 3 computes a; no kernel computes b; the engine has no jump for i
 *
 * So the engine never computes b.  This is not proved in two cases.  If the engine does
 * not state the contents of a layer, this layer may compute b.  If the engine has
 * jumps, and it is unknown to which nodes they belong, one of them may belong to i.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

/* Whether a jump of the engine belongs, or may belong, to the If `node`. */
static bool may_jump(const struct fsd_match *m, fsd_id node)
{
    bool known = !m->engine->jumps || m->node_sourced[node];

    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (m->engine->layers.at[fsd_match_of_node(m, node, i)->layer].kind ==
            FSD_KIND_SYNC)
            return true;
    return !known;
}

static bool has_layer(const struct fsd_match *m, fsd_id node)
{
    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (fsd_kind_computes(
                m->engine->layers.at[fsd_match_of_node(m, node, i)->layer].kind))
            return true;
    return false;
}

struct fsd_branches fsd_find_branches(struct fsd_arena *arena,
                                      const struct fsd_match *m,
                                      const struct fsd_layer_result *layers)
{
    const struct fsd_graph *g = m->model;
    struct fsd_branches b = {FSD_NEW(arena, bool, g->scopes.n),
                             FSD_NEW(arena, bool, g->nodes.n)};

    for (fsd_id i = 0; i < m->engine->nodes.n; i++)
        if (layers[i].opaque)
            return b;
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_id scope = g->nodes.at[i].scope;

        if (g->scopes.at[scope].owner == FSD_NONE || !has_layer(m, i))
            continue;
        for (; g->scopes.at[scope].owner != FSD_NONE && !b.built[scope];
             scope = g->scopes.at[scope].parent) {
            b.built[scope] = true;
            b.decided[g->scopes.at[scope].owner] = true;
        }
    }
    for (fsd_id i = 0; i < g->nodes.n; i++)
        b.decided[i] =
            b.decided[i] && fsd_node_is(g, i, FSD_ONNX_If) && !may_jump(m, i);
    return b;
}

bool fsd_is_left_out(const struct fsd_match *m, const struct fsd_branches *b,
                     fsd_id node)
{
    const struct fsd_scope *all = m->model->scopes.at;

    for (fsd_id scope = m->model->nodes.at[node].scope; all[scope].owner != FSD_NONE;
         scope = all[scope].parent)
        if (b->decided[all[scope].owner] && !b->built[scope])
            return true;
    return false;
}
