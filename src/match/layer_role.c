/*
 * Whether a layer is likely to compute nodes, for passes that see only the tensors
 * around it.  It depends on the neutral facts that a reader sets (kind, forwards),
 * never on names, so that it holds for every builder.
 */
#include "match/pass.h"

bool fsd_layer_forwards(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_layer *l = &engine->layers.at[layer];
    const struct fsd_node *n = &engine->nodes.at[layer];

    if (n->in.n != 1 || n->out.n != 1)
        return false;
    return l->forwards;
}

int fsd_layer_works(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_layer *l = &engine->layers.at[layer];

    if (fsd_layer_forwards(engine, layer))
        return 0;
    /* A kernel whose steps only move data; the replay of its steps finds the node that
     * it moves data for. */
    if (l->steps.n && (l->kind == FSD_KIND_REFORMAT || l->kind == FSD_KIND_COPY))
        return 0;
    switch (engine->layers.at[layer].kind) {
    case FSD_KIND_COMPUTE:
    case FSD_KIND_QUANTIZE:
    case FSD_KIND_FOREIGN:
    case FSD_KIND_REFORMAT: /* a Q, a DQ or a Cast done as a reformat */
        return 2;
    case FSD_KIND_NOOP:
    case FSD_KIND_COPY:
        return 1;
    case FSD_KIND_CONSTANT:
    case FSD_KIND_SHAPE:
    case FSD_KIND_SYNC:
    case FSD__KIND_COUNT:
        break;
    }
    return 0;
}
