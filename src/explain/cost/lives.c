/*
 * Finds which tensors are in memory at the same time.  A tensor lives from the first
 * layer that uses it to the last.  One pass over the layers adds the bytes of a tensor
 * at its first layer and subtracts them behind its last layer.  The output of a NoOp
 * shares the memory of its input.  The application owns the memory of the network's
 * inputs and outputs, which are therefore summed separately.  Working memory of kernels
 * is not counted, because the dump does not state it.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

enum { CHAIN = 64 }; /* maximum number of NoOps in a chain */

/* The tensor whose memory `tensor` shares, or `tensor` itself: the output of a NoOp
 * shares the memory of its input. */
static fsd_id memory_of(const fsd_id *same, fsd_id tensor)
{
    for (uint32_t steps = 0; same[tensor] != tensor && steps < CHAIN; steps++)
        tensor = same[tensor];
    return tensor;
}

static void find_lives(const struct fsd_diff *d, const fsd_id *same,
                       struct fsd_life *of)
{
    const struct fsd_graph *e = d->engine;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *n = &e->nodes.at[i];

        for (uint32_t k = 0; k < n->in.n + n->out.n; k++) {
            const struct fsd_port *port = &e->ports.at[fsd_node_port(n, k)];
            struct fsd_life *life;
            int64_t bytes;

            if (port->tensor == FSD_NONE || fsd_match_is_weight(d->match, port))
                continue;
            life = &of[memory_of(same, port->tensor)];
            bytes = fsd_port_bytes(e, d->cost, port);
            /* The ports of a tensor may have forms with different padding; the largest
             * size counts. */
            life->bytes = life->there && (bytes < 0 || bytes < life->bytes)
                              ? life->bytes
                          : bytes < 0 ? -1
                                      : bytes;
            life->first = life->there && life->first < i ? life->first : i;
            life->last = life->there && life->last > i ? life->last : i;
            life->there = true;
            life->border |= (e->tensors.at[port->tensor].flags &
                             (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)) != 0;
        }
    }
}

struct fsd_lives fsd_cost_lives(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_lives lives = {.of = FSD_NEW(arena, struct fsd_life, e->tensors.n),
                              .alive = FSD_NEW(arena, int64_t, e->nodes.n + 1),
                              .inputs = -1,
                              .outputs = -1,
                              .at = FSD_NONE};
    fsd_id *same = FSD_NEW(arena, fsd_id, e->tensors.n);
    int32_t *open = FSD_NEW(arena, int32_t, e->nodes.n + 1), n_open = 0;
    bool open_border[2] = {false, false}; /* whether an output [0] or an input [1] of
                                             the network has an unknown size */
    int64_t now = 0;

    for (fsd_id t = 0; t < e->tensors.n; t++)
        same[t] = t;
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        fsd_id in = fsd_node_in_tensor(e, i, 0), out = fsd_node_out_tensor(e, i, 0);

        if (d->layers[i].kind == FSD_KIND_NOOP && in != FSD_NONE && out != FSD_NONE &&
            same[out] == out && in != out)
            same[out] = memory_of(same, in);
    }
    find_lives(d, same, lives.of);
    for (fsd_id t = 0; t < e->tensors.n; t++) {
        const struct fsd_life *life = &lives.of[t];
        int64_t bytes = life->bytes > 0 ? life->bytes : 0;

        if (!life->there)
            continue;
        if (life->border) {
            bool input = e->tensors.at[t].flags & FSD_TENSOR_INPUT;
            int64_t *sum = input ? &lives.inputs : &lives.outputs;

            open_border[input] |= life->bytes < 0;
            *sum = (*sum < 0 ? 0 : *sum) + bytes;
            continue;
        }
        lives.unknown += life->bytes < 0;
        lives.sum += bytes;
        lives.alive[life->first] += bytes;
        lives.alive[life->last + 1] -= bytes;
        open[life->first] += life->bytes < 0;
        open[life->last + 1] -= life->bytes < 0;
    }
    if (open_border[0])
        lives.outputs = -1;
    if (open_border[1])
        lives.inputs = -1;
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_traffic *traffic = &d->cost->layers[i].traffic;

        lives.unknown_weights += traffic->weights < 0 || traffic->bias < 0;
        lives.weights += (traffic->weights > 0 ? traffic->weights : 0) +
                         (traffic->bias > 0 ? traffic->bias : 0);
        now += lives.alive[i];
        n_open += open[i];
        lives.alive[i] = n_open ? -1 : now;
        if (now > lives.peak) {
            lives.peak = now;
            lives.at = i;
        }
    }
    return lives;
}
