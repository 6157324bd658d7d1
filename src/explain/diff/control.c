/*
 * Finds nodes that only control an If, a Loop, a Scan or a recurrent operator:
 * conditions, numbers of iterations and initial states.  If the engine jumps, the host
 * computes conditions and numbers of iterations, so that no kernel computes these
 * nodes.  An initial state that depends only on sizes and constants remains as a
 * constant.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

/* The maximum number of nodes between a node and the operator that it controls.  These
 * nodes have no layers. */
enum { CONTROL_STEPS = 4 };

enum control { CONTROL_NOT, CONTROL_DECIDES, CONTROL_BEGINS };

/* Whether the input of a recurrent operator is an initial state: initial_h, or
 * initial_c of an LSTM.  GRU and RNN have no input with the index of initial_c. */
static bool is_first_state(const struct fsd_match *m, fsd_id node, uint32_t input)
{
    enum { INITIAL_H = 5, INITIAL_C };

    return m->facts->traits[node] & FSD_OP_RECURRENT &&
           (input == INITIAL_H || input == INITIAL_C);
}

/* How the input `input` controls the node: CONTROL_DECIDES if it decides whether or how
 * often layers run, CONTROL_BEGINS if it is an initial state, else CONTROL_NOT. */
static enum control control_at(const struct fsd_match *m, fsd_id node, uint32_t input)
{
    bool loops = fsd_node_is(m->model, node, FSD_ONNX_Loop);

    if (loops || fsd_node_is(m->model, node, FSD_ONNX_If))
        return input < (loops ? 2u : 1u) ? CONTROL_DECIDES : CONTROL_BEGINS;
    return fsd_node_is(m->model, node, FSD_ONNX_Scan) || is_first_state(m, node, input)
               ? CONTROL_BEGINS
               : CONTROL_NOT;
}

/* How the node controls its consumers, if it controls all of them in the same way; else
 * CONTROL_NOT.  If a consumer is not controlled and has no layers, its own consumers
 * are examined in its place.  If the node or such a consumer has no consumers, or
 * writes an output of the network, the result is CONTROL_NOT.
 * @param far maximum number of consumers in a row that are replaced in this way */
static enum control control_of(const struct fsd_match *m, fsd_id node, int far)
{
    const struct fsd_graph *g = m->model;
    struct fsd_span outs = g->nodes.at[node].out;
    enum control found = CONTROL_NOT;

    FSD_EACH_OF (tensor, g->ports, outs, tensor) {
        struct fsd_span to = fsd_tensor_consumers(g, tensor);

        if (fsd_tensor_is(g, tensor, FSD_TENSOR_OUTPUT))
            return CONTROL_NOT;
        for (uint32_t i = 0; i < to.n; i++) {
            fsd_id by = g->links.at[to.at + i];
            enum control is = control_at(m, by, g->use_input[to.at + i - g->uses_at]);

            if (is == CONTROL_NOT && far && !m->of_node[by].n)
                is = control_of(m, by, far - 1);
            if (is == CONTROL_NOT || (found != CONTROL_NOT && is != found))
                return CONTROL_NOT;
            found = is;
        }
    }
    return found;
}

/* Whether the node has inputs, and these depend only on sizes and constants.  This is
 * true for a node that makes the zeros of an initial state. */
static bool is_made_of_sizes(const struct fsd_match *m, fsd_id node)
{
    return m->model->nodes.at[node].in.n && !fsd_reads_run_data(m->facts, node);
}

static bool is_single(const struct fsd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] != 1)
            return false;
    return shape->ranked;
}

/* Whether the node reads only sizes, constants and single elements, so that the host
 * can compute the node.  A node that reads a larger tensor needs a kernel. */
static bool is_small(const struct fsd_match *m, const struct fsd_sizes *sizes,
                     fsd_id node)
{
    const struct fsd_graph *g = m->model;
    const struct fsd_node *n = &g->nodes.at[node];

    FSD_EACH_OF (in, g->ports, n->in, tensor)
        if (fsd_is_run_data(m->facts, in) &&
            fsd_form_count(g, fsd_tensor_form(g, in)) != 1 &&
            !is_single(fsd_shape_of(sizes, in)))
            return false;
    return true;
}

const char *fsd_why_of_control(const struct fsd_match *m, const struct fsd_sizes *sizes,
                               fsd_id node)
{
    switch (control_of(m, node, CONTROL_STEPS)) {
    case CONTROL_DECIDES:
        return m->engine->jumps && is_small(m, sizes, node)
                   ? "the engine keeps it as the condition of an If, or as the "
                     "number of iterations of a loop"
                   : NULL;
    case CONTROL_BEGINS:
        return is_made_of_sizes(m, node)
                   ? "the engine keeps it as the initial state of a loop"
                   : NULL;
    case CONTROL_NOT:
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------- sizes that are fixed */

/* Whether all inputs of the engine have fixed sizes. */
static bool has_fixed_sizes(const struct fsd_graph *engine)
{
    bool any = false;

    for (fsd_id t = 0; t < engine->tensors.n; t++) {
        const struct fsd_form *form = fsd_tensor_form(engine, t);

        if (!(engine->tensors.at[t].flags & FSD_TENSOR_INPUT))
            continue;
        if (!form->ranked || fsd_form_count(engine, form) < 0)
            return false;
        any = true;
    }
    return any;
}

static bool is_known_at_build(const struct fsd_match *m, fsd_id node, int far)
{
    const struct fsd_node *n = &m->model->nodes.at[node];
    unsigned traits = m->facts->traits[node];

    if (!(traits & FSD_OP_STANDARD) || traits & (FSD_OP_RANDOM | FSD_OP_CONTROL))
        return false;
    FSD_EACH_OF (in, m->model->ports, n->in, tensor) {
        fsd_id by = fsd_tensor_producer(m->model, in);

        if (fsd_is_run_data(m->facts, in) &&
            (by == FSD_NONE || !far || m->of_node[by].n ||
             !is_known_at_build(m, by, far - 1)))
            return false;
    }
    return n->in.n > 0;
}

const char *fsd_why_of_fixed_sizes(const struct fsd_match *m, fsd_id node)
{
    return is_known_at_build(m, node, CONTROL_STEPS) && has_fixed_sizes(m->engine)
               ? "it is computed from sizes, which are fixed in this engine"
               : NULL;
}
