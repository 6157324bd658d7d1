/*
 * Counts the parts into which a Split or Slices divide a tensor.  Several kernels may
 * compute a product in such parts, each together with the nodes that read its part:
 *
 *     x -> MatMul -> Add -> Split -> u, v      kernel 4: u and its activation
 *                                              kernel 5: v
 */
#include "match/kernel/replay.h"

/* Also finds a Split or Slices behind nodes that need no step. A tensor that also has
 * other readers, except Shape and Size nodes, counts as not divided. */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor)
{
    for (int far = 0; far < FAR && tensor != FSD_NONE; far++) {
        const struct fsd_tensor *t = &r->g->tensors.at[tensor];
        fsd_id next = FSD_NONE;
        uint32_t slices = 0, others = 0;

        FSD_EACH_ID (node, r->g->links, t->consumers)
            if (r->g->nodes.at[node].op == FSD_ONNX_Slice) {
                slices++;
            } else if (!(r->m->facts->traits[node] & FSD_OP_SHAPE)) {
                others++;
                next = node;
            }
        if (slices > 1 && !others)
            return slices;
        if (slices || others != 1 || !r->nodes[next].passes)
            return 1;
        if (fsd_comes_in_parts(r, next))
            return r->g->nodes.at[next].out.n;
        tensor = fsd_node_out_tensor(r->g, next, 0);
    }
    return 1;
}

uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor)
{
    for (int far = 0; far < 3 && tensor != FSD_NONE; far++) {
        const struct fsd_tensor *t = &r->g->tensors.at[tensor];
        uint32_t parts = fsd_count_parts(r, tensor);

        if (parts > 1 || t->consumers.n != 1)
            return parts;
        tensor = fsd_node_out_tensor(r->g, r->g->links.at[t->consumers.at], 0);
    }
    return 1;
}
