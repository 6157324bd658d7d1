/* Collects the facts about a model that the rules use: quantizers, the DQ that each
 * tensor holds (fsd_lint.holds), the exporter, cycles, repeated names of tensors, and
 * the rows of refusals.c for each operator. */
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

/* The DQ that the node's outputs hold (fsd_lint.holds); FSD_NONE if there is none. The
 * output of a DQ holds this DQ. If the builder may move quantizers over the node, the
 * outputs hold the same DQ as the first input. For a Concat, each of the other inputs
 * must also hold a DQ, but not necessarily the same one. */
static uint32_t held_by(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_node *n = &l->g->nodes.at[node];
    unsigned traits = l->facts->traits[node];
    uint32_t held = FSD_NONE;

    if (l->quantizer_of[node] != FSD_NONE)
        return traits & FSD_OP_DEQUANTIZE ? l->quantizer_of[node] : FSD_NONE;
    if (!(traits & FSD_OP_COMMUTES))
        return FSD_NONE;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_node_in_tensor(l->g, node, i);

        if (i && !fsd_node_is(l->g, node, FSD_ONNX_Concat))
            break;
        if (fsd_id_at(l->holds, t) == FSD_NONE)
            return FSD_NONE;
        if (!i)
            held = l->holds[t];
    }
    return held;
}

const struct fsd_lint *fsd_lint_new(struct fsd_arena *arena,
                                    const struct fsd_facts *facts,
                                    const struct fsd_sizes *sizes,
                                    struct fsd_target target)
{
    struct fsd_lint *l = FSD_NEW(arena, struct fsd_lint, 1);
    const struct fsd_graph *g = facts->g;

    *l = (struct fsd_lint){
        .arena = arena, .g = g, .facts = facts, .sizes = sizes, .target = target};
    l->quantizer_of = FSD_NEW(arena, uint32_t, g->nodes.n);
    l->holds = fsd_ids_new(arena, g->tensors.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        l->quantizer_of[i] = FSD_NONE;
        /* A quantizer without an input is left out, because rules report the tensor
         * that a quantizer reads. */
        if ((facts->traits[i] & FSD_OP_QDQ) && fsd_node_has_in(g, i, 0))
            fsd_lint_add_quantizer(l, i);
    }
    /* Nodes are in topological order. */
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        uint32_t held = held_by(l, i);

        for (uint32_t k = 0; held != FSD_NONE && k < g->nodes.at[i].out.n; k++)
            if (fsd_node_has_out(g, i, k))
                l->holds[fsd_node_out_tensor(g, i, k)] = held;
    }
    fsd_lint_see_style(l);
    fsd_lint_find_cycles(l);
    fsd_lint_find_repeats(l);
    fsd_lint_find_refusals(l);
    return l;
}
