/*
 * Units: layers joined by tensors that the model does not have.  A tensor between two
 * layers of a unit cannot be found in the model, so the unit is matched as a whole.
 *
 *     conv -> "Gemm_conv_out" -> reshape_after      one unit: the engine's own tensor
 *     conv -> "/relu/Relu_output_0" -> pool         two units: a tensor of the model
 *
 * Several layers that write the same tensor (a concat whose inputs are written in
 * place) are one unit too.  A union-find whose representative is the first layer.
 */
#include "base/sets.h"
#include "match/pass.h"

static void join_all(struct fsd_match *m, fsd_id first, struct fsd_span layers)
{
    for (uint32_t i = 0; i < layers.n; i++)
        fsd_sets_join(m->unit, first, m->engine->links.at[layers.at + i]);
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
        if (m->counterpart[t] == FSD_NONE)
            join_all(m, e->links.at[tensor->producers.at], tensor->consumers);
    }
    for (fsd_id i = 0; i < e->nodes.n; i++)
        m->unit[i] = fsd_sets_find(m->unit, i);
}
