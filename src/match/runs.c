/*
 * Finds the nodes that a layer computes at every inference although all their inputs
 * are constant.  A builder need not fold such nodes: the compiler of a region may
 * compute whole chains of constants in kernels without inputs.  Metadata does not show
 * what the builder did.  If it folded a node, the kernel that reads the folded constant
 * may still have the node in its Metadata:
 *
 *     gemm "attn/MatMul", Metadata: MatMul Cast Sqrt Div      the scale was folded
 *     __myl_GathGathAdd,  Metadata: Gather Gather Add         both Gathers run
 *     __myl_CumsCast,     Metadata: CumSum Cast               no other node: both run
 *
 * So a layer computes a constant node at run time in three cases:
 *
 *   - the layer has a step for the node, and its other nodes do not need this step,
 *   - the layer has nothing else to compute,
 *   - the node reads the result of another constant node that a layer computes.
 */
#include "match/kernel/lowering.h"
#include "match/pass.h"
#include "model/graph/graph.h"

enum { MOST_STEPS = 256 };

/* Those steps of one layer that have not been assigned to a node. */
struct left {
    fsd_sym steps[MOST_STEPS];
    uint32_t n;
};

static bool take_step(struct left *left, fsd_sym step)
{
    for (uint32_t i = 0; i < left->n; i++)
        if (left->steps[i] == step) {
            left->steps[i] = left->steps[--left->n];
            return true;
        }
    return false;
}

static bool take_lowering(struct left *left, const struct fsd_lowering *lowering)
{
    struct left rest = *left;

    for (uint8_t i = 0; i < lowering->n; i++)
        if (!take_step(&rest, lowering->steps[i]))
            return false;
    *left = rest;
    return lowering->n > 0;
}

/* Finds the node's longest lowering whose steps are all in `left`, and removes these
 * steps from `left`; false if there is no such lowering. */
static bool take_node(struct left *left, const struct fsd_lowerings *lowerings,
                      fsd_id node)
{
    struct fsd_span of = lowerings->of[node];

    for (uint8_t n = FSD_LOWERING_STEPS; n > 0; n--)
        FSD_EACH_IN (const struct fsd_lowering, lowering, lowerings->all, of)
            if (lowering->n == n && take_lowering(left, lowering))
                return true;
    return false;
}

static bool could_be_folded(const struct fsd_match *m, fsd_id node)
{
    return m->facts->folded[node] && !(m->facts->traits[node] & FSD_OP_CONSTANT);
}

/* The layer's steps, without the steps of nodes that cannot be folded. */
static struct left steps_left(const struct fsd_match *m,
                              const struct fsd_lowerings *lowerings, fsd_id layer)
{
    struct fsd_span steps = m->engine->layers.at[layer].steps;
    struct left left = {.n = steps.n < MOST_STEPS ? steps.n : MOST_STEPS};

    for (uint32_t i = 0; i < left.n; i++)
        left.steps[i] = m->engine->links.at[steps.at + i];
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (!m->facts->folded[node])
            take_node(&left, lowerings, node);
    return left;
}

static bool has_other_work(const struct fsd_match *m, fsd_id layer)
{
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (!m->facts->folded[node])
            return true;
    return fsd_match_in_region(m, layer);
}

static void find_runs_of(struct fsd_match *m, const struct fsd_lowerings *lowerings,
                         fsd_id layer)
{
    bool busy = has_other_work(m, layer), found = false;
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    struct left left = steps_left(m, lowerings, layer);

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (could_be_folded(m, node) && take_node(&left, lowerings, node))
            m->runs[node] = found = true;
    /* If the layer has other work (`busy`), or a step for one of its constant nodes,
     * the constant nodes without a step were folded.  If the dump omits some steps, a
     * step of one constant node proves nothing about the others. */
    if (busy || (found && l->more_steps != FSD_STEPS_LACK_SOME))
        return;
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        /* A Q or DQ of a weight proves nothing: the name of a layer contains the names
         * of its weights' quantizers even if the builder folded them. */
        m->runs[node] |=
            could_be_folded(m, node) && !(m->facts->traits[node] & FSD_OP_QDQ);
    }
}

static bool reads_what_runs(const struct fsd_match *m, fsd_id node)
{
    for (uint32_t i = 0; i < m->model->nodes.at[node].in.n; i++) {
        fsd_id by = fsd_node_in_producer(m->model, node, i);

        if (fsd_true_at(m->runs, by))
            return true;
    }
    return false;
}

/* Marks the constant nodes that read the output of a marked node.  One pass is enough,
 * because ONNX lists nodes behind their producers.  A Shape is not marked, because it
 * reads no values. */
static void follow_runs(struct fsd_match *m)
{
    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        m->runs[i] |= could_be_folded(m, i) && m->of_node[i].n &&
                      !(m->facts->traits[i] & FSD_OP_SHAPE) && reads_what_runs(m, i);
}

/* Whether the layer computes nodes.  A layer with steps may compute a node even if its
 * kind is a data movement. */
static bool may_compute(const struct fsd_match *m, fsd_id layer)
{
    switch (m->engine->layers.at[layer].kind) {
    case FSD_KIND_CONSTANT:
    case FSD_KIND_SHAPE:
    case FSD_KIND_SYNC:
    case FSD_KIND_NOOP:
        return false;
    case FSD_KIND_COMPUTE:
    case FSD_KIND_REFORMAT:
    case FSD_KIND_COPY:
    case FSD_KIND_QUANTIZE:
    case FSD_KIND_FOREIGN:
    case FSD__KIND_COUNT:
        break;
    }
    return !fsd_layer_forwards(m->engine, layer);
}

void fsd_match_find_runs(struct fsd_match *m)
{
    FSD_SCRATCH(scratch);
    struct fsd_lowerings *lowerings = NULL;

    m->runs = FSD_NEW(m->arena, bool, m->model->nodes.n);
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        bool any = false;

        for (uint32_t k = 0; k < m->of_layer[i].n && !any; k++)
            any = could_be_folded(m, fsd_match_of_layer(m, i, k)->node);
        if (!any || !may_compute(m, i))
            continue;
        if (!lowerings)
            lowerings = fsd_lowerings_new(scratch, m->facts);
        find_runs_of(m, lowerings, i);
    }
    if (lowerings)
        follow_runs(m);
}
