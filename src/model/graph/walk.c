/*
 * A walk goes from tensor to tensor. At each step, the caller's function returns the
 * next tensor.
 */
#include "model/graph/graph.h"
#include "model/graph/walk.h"

static fsd_id walk(const struct fsd_graph *g, fsd_id tensor,
                   fsd_id beside(const struct fsd_graph *, fsd_id), fsd_pass_fn *pass,
                   const void *of)
{
    for (int steps = 0; steps < FSD_WALK_MOST; steps++) {
        fsd_id node = beside(g, tensor);
        fsd_id next = node == FSD_NONE ? FSD_NONE : pass(of, node);

        if (next == FSD_NONE)
            break;
        tensor = next;
    }
    return tensor;
}

fsd_id fsd_walk_back(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                     const void *of)
{
    return walk(g, tensor, fsd_tensor_producer, pass, of);
}

struct over {
    const struct fsd_graph *g;
    const unsigned *traits;
    unsigned passed;
};

static fsd_id first_input(const void *of, fsd_id node)
{
    const struct over *o = of;

    return o->traits[node] & o->passed ? fsd_node_in_tensor(o->g, node, 0) : FSD_NONE;
}

fsd_id fsd_walk_back_over(const struct fsd_graph *g, fsd_id tensor,
                          const unsigned *traits, unsigned passed)
{
    const struct over over = {g, traits, passed};

    return fsd_walk_back(g, tensor, first_input, &over);
}

fsd_id fsd_walk_on(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                   const void *of)
{
    return walk(g, tensor, fsd_tensor_only_reader, pass, of);
}
