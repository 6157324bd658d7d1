/*
 * Derives two properties of a layer from its tensors and from two members that every
 * engine reader sets (`kind` and `forwards`).  No property is derived from names.
 *
 * The first property is how likely it is that the layer computes nodes.  The second is
 * the layer's unit: a set of layers connected by tensors that the model does not have.
 * A unit is matched as a whole, because the tensors between its layers have no
 * counterpart.
 *
 *     conv -> "Gemm_conv_out" -> reshape_after      one unit: the engine's own tensor
 *     conv -> "/relu/Relu_output_0" -> pool         two units: a tensor of the model
 *
 * Several layers that write the same tensor (a concat whose inputs are written in
 * place) are one unit too.  Units are sets of a union-find; the first layer represents
 * its unit.
 */
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

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
    /* The steps of this kernel only move data.  The replay of the steps (match/kernel)
     * finds the node that needs the data movement. */
    if (l->steps.n && (l->kind == FSD_KIND_REFORMAT || l->kind == FSD_KIND_COPY))
        return 0;
    switch (engine->layers.at[layer].kind) {
    case FSD_KIND_COMPUTE:
    case FSD_KIND_QUANTIZE:
    case FSD_KIND_FOREIGN:
    case FSD_KIND_REFORMAT: /* a reformat can compute a Q, a DQ or a Cast */
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

static void join_all(struct fsd_match *m, fsd_id first, struct fsd_span layers)
{
    FSD_EACH_ID (layer, m->engine->links, layers)
        fsd_sets_join(m->unit, first, layer);
}

void fsd_match_units(struct fsd_match *m)
{
    const struct fsd_graph *e = m->engine;

    for (fsd_id i = 0; i < e->nodes.n; i++)
        m->unit[i] = i;
    for (fsd_id t = 0; t < e->tensors.n; t++) {
        const struct fsd_tensor *tensor = &e->tensors.at[t];

        if (!tensor->producers.n)
            continue;
        join_all(m, e->links.at[tensor->producers.at], tensor->producers);
        if (!fsd_match_holds(m, t))
            join_all(m, e->links.at[tensor->producers.at], tensor->consumers);
    }
    for (fsd_id i = 0; i < e->nodes.n; i++)
        m->unit[i] = fsd_sets_find(m->unit, i);
}
