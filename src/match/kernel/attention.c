/*
 * Finds the role of each input of an attention kernel.  The name of such a kernel lists
 * a product, a Softmax and a product.  The kernel's inputs are queries, keys and values
 * in this order, possibly with scales and masks in between:
 *
 *     a -> \
 *     b ->  mha        a holds Q, b holds K, c holds V
 *     c -> /
 *
 * The roles distinguish the kernels that produce a, b and c, even if these kernels are
 * alike: the model shows which tensor is used as queries, keys or values.
 */
#include "match/kernel/replay.h"

enum {
    INPUTS = 3,
    NEAR = 6 /* maximum number of nodes between a tensor and the product */
};

enum role { ROLE_Q = 1, ROLE_K = 2, ROLE_V = 4 };

/* Whether the kernel computes an attention: its steps begin and end with a product, and
 * a Softmax is in between. */
static bool attends(const struct fsd_graph *e, fsd_id layer)
{
    struct fsd_span steps = e->layers.at[layer].steps;

    return e->nodes.at[layer].in.n >= INPUTS && steps.n > 2 &&
           e->links.at[steps.at] == FSD_ONNX_MatMul &&
           e->links.at[steps.at + steps.n - 1] == FSD_ONNX_MatMul &&
           fsd_layer_count(e, layer, FSD_ONNX_Exp) == 1;
}

/* Whether both tensors have the same rank and the same number of heads.  Queries, keys
 * and values have both in common; scales and masks differ from them. */
static bool is_of_heads(const struct fsd_graph *e, const struct fsd_form *a,
                        const struct fsd_form *b)
{
    return a->ranked && b->ranked && a->dims.n == b->dims.n && a->dims.n &&
           e->dims.at[a->dims.at].size == e->dims.at[b->dims.at].size;
}

/* Finds the engine tensors that an attention kernel reads as queries, keys and values.
 * If the kernel has more than three inputs, only inputs with the rank and the number of
 * heads of the last input count.  Returns false unless exactly three inputs remain. */
static bool find_inputs(const struct fsd_graph *e, fsd_id layer, fsd_id found[INPUTS])
{
    const struct fsd_node *n = &e->nodes.at[layer];
    const struct fsd_form *last = fsd_port_form(e, fsd_node_in(e, n, n->in.n - 1));
    uint32_t count = 0;

    for (uint32_t i = 0; i < n->in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, n, i);

        if (n->in.n > INPUTS && !is_of_heads(e, fsd_port_form(e, port), last))
            continue;
        if (count < INPUTS)
            found[count] = port->tensor;
        count++;
    }
    return count == INPUTS;
}

/* Whether the product reads the result of a Softmax, so that the second input of the
 * product is the values. */
static bool weighs(const struct replay *r, fsd_id product)
{
    fsd_id in = fsd_walk_back(r->g, fsd_node_in_tensor(r->g, product, 0),
                              fsd_before_passing, r);

    return fsd_node_is(r->g, fsd_tensor_producer(r->g, in), FSD_ONNX_Softmax);
}

/* Bit mask of the roles (enum role) in which products read the tensor.  Nodes that need
 * no step may be between the tensor and a product.  0 if no product reads it. */
static unsigned roles_of(const struct replay *r, fsd_id tensor, int far)
{
    struct fsd_span readers = fsd_tensor_consumers(r->g, tensor);
    unsigned roles = 0;

    FSD_EACH_ID (node, r->g->links, readers) {
        bool product = fsd_is_product(r, node);

        if (product && fsd_node_in_tensor(r->g, node, 0) == tensor)
            roles |= ROLE_Q;
        if (product && fsd_node_in_tensor(r->g, node, 1) == tensor)
            roles |= weighs(r, node) ? ROLE_V : ROLE_K;
        for (uint32_t k = 0;
             k < r->g->nodes.at[node].out.n && r->nodes[node].passes && far; k++)
            roles |= roles_of(r, fsd_node_out_tensor(r->g, node, k), far - 1);
    }
    return roles;
}

bool fsd_fits_attention(const struct replay *r, fsd_id layer, fsd_id held,
                        fsd_id tensor)
{
    static const enum role reads[INPUTS] = {ROLE_Q, ROLE_K, ROLE_V};
    const struct fsd_graph *e = r->m->engine;
    fsd_id inputs[INPUTS];
    unsigned roles = 0;

    if (attends(e, layer) && find_inputs(e, layer, inputs))
        roles = roles_of(r, tensor, NEAR);
    for (uint32_t i = 0; i < INPUTS && roles; i++)
        if (inputs[i] == held && roles & reads[i])
            return true;
    return !roles;
}
