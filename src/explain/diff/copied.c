/*
 * Finds copies that fill a part of a Concat.  If layers write their parts of a Concat
 * in place, no layer computes the Concat:
 *
 *     p -> kernel 2 -> u     u -> copy -> k     kernel 4 -> k     k -> kernel 5
 *
 * k is the output of the Concat, and the copy of u is one part of k.  So u holds one of
 * the Concat's inputs.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

static bool is_copied_into(const struct fsd_match *m, fsd_id node, fsd_id tensor)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span by = e->tensors.at[tensor].producers;

    FSD_EACH_ID (copy, e->links, by) {
        fsd_id from = fsd_node_in_producer(e, copy, 0);

        if (e->layers.at[copy].kind == FSD_KIND_COPY && e->nodes.at[copy].in.n == 1 &&
            from != FSD_NONE && fsd_match_has(m, from, node))
            return true;
    }
    return false;
}

bool fsd_is_copied_to_part(const struct fsd_match *m, fsd_id node, fsd_id concat)
{
    fsd_id out = fsd_node_out_tensor(m->model, concat, 0);

    if (!fsd_node_is(m->model, concat, FSD_ONNX_Concat) || m->of_node[concat].n)
        return false;
    for (fsd_id t = 0; t < m->engine->tensors.n; t++)
        if (fsd_match_held(m, t) == out && is_copied_into(m, node, t))
            return true;
    return false;
}
