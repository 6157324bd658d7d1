/*
 * Finds constants that kernels compute at every inference: the model proves them
 * constant, but the builder did not fold them.  The replay treats these tensors as
 * data.
 *
 *     pe [constant] -> MatMul "p" -> Add -> ...      a kernel is named after "p"
 */
#include "match/kernel/replay.h"

static void note_at_run(struct replay *r, fsd_id node)
{
    FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].out, tensor)
        if (t != FSD_NONE)
            r->tensors[t].at_run = r->m->facts->constant[t];
}

/* Marks the outputs of all constant Range nodes if the kernels have at least as many
 * Range steps as the model has Range nodes.  The builder then folded none of them. */
static void note_ranges(struct replay *r)
{
    uint32_t nodes = 0, steps = 0;

    for (fsd_id i = 0; i < r->m->engine->layers.n; i++)
        steps += fsd_layer_count(r->m->engine, i, FSD_ONNX_Range);
    for (fsd_id i = 0; i < r->g->nodes.n; i++)
        nodes += fsd_node_is(r->g, i, FSD_ONNX_Range) && r->m->facts->live[i] &&
                 fsd_last_duplicate(r, i) == i;
    for (fsd_id i = 0; i < r->g->nodes.n && steps >= nodes; i++)
        if (fsd_node_is(r->g, i, FSD_ONNX_Range) && r->m->facts->live[i])
            note_at_run(r, i);
}

/* A kernel computes a constant node if a computing layer names the node, or if the node
 * reads another constant that a kernel computes. */
void fsd_find_at_run(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;

    for (fsd_id layer = 0; layer < e->layers.n; layer++)
        FSD_EACH_IN (const struct fsd_mention, m, e->mentions,
                     e->layers.at[layer].mentions)
            if (fsd_names_node(r, m) && e->layers.at[layer].kind == FSD_KIND_COMPUTE)
                note_at_run(r, m->node);
    note_ranges(r);
    for (fsd_id node = 0; node < r->g->nodes.n; node++)
        FSD_EACH_OF (tensor, r->g->ports, r->g->nodes.at[node].in, tensor)
            if (fsd_is_at_run(r, tensor))
                note_at_run(r, node);
}
