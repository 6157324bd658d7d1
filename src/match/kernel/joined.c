/*
 * Finds kernels that concatenate the outputs of other kernels.  The inputs of a kernel
 * that begins with a concatenation have the order of the Concat's inputs:
 *
 *     model      r0, r1, r2 -> Concat c
 *     kernel 10  Mul Mean  u, s1 -> w1
 *     kernel 11  Mul Mean  u, s2 -> w2
 *     kernel 12  Mul Mean  u, s0 -> w0
 *     kernel 13  Concat    w0, w1, w2 -> x      w0 holds r0, w1 holds r1, w2 holds r2
 *
 * The number and the sizes of the kernel's inputs identify the Concat in two cases:
 * exactly one Concat of the model fits the kernel; or n Concats fit the same n kernels,
 * and each of the n Concats depends on the previous one, which gives their order.
 *
 * This file runs before the replay, which uses the results in two ways.  They
 * distinguish equal branches whose outputs are concatenated.  And the replay can
 * continue behind the Concat even if the kernels before it fit no nodes.
 */
#include "match/kernel/replay.h"

enum { FEW = 3, MANY = AVAILABLE, MOST = 64 };

/* Whether the kernel first concatenates its inputs: only data movement is before its
 * first Concat step. */
static bool joins_first(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[layer];
    const struct fsd_node *n = &e->nodes.at[layer];
    uint32_t i = 0;

    while (i < l->steps.n && e->links.at[l->steps.at + i] != FSD_ONNX_Concat &&
           fsd_step_moves(e->links.at[l->steps.at + i]))
        i++;
    return l->more_steps == FSD_STEPS_ARE_ALL && n->in.n >= FEW && n->in.n <= MANY &&
           n->out.n == 1 && i < l->steps.n &&
           e->links.at[l->steps.at + i] == FSD_ONNX_Concat;
}

/* Whether all steps of the layer only concatenate or move data. */
static bool only_joins(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span steps = e->layers.at[layer].steps;

    FSD_EACH_ID (step, e->links, steps)
        if (!fsd_step_moves(step))
            return false;
    return true;
}

/* Whether the output of the layer has the size of the Concat's result.  The output may
 * be larger if a second Concat step pads the result for a product. */
static bool writes_concat(const struct replay *r, fsd_id layer, fsd_id concat)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_port *out = fsd_node_out(e, &e->nodes.at[layer], 0);
    fsd_id made = fsd_node_out_tensor(r->g, concat, 0);

    return fsd_port_fits(r, out, made) ||
           (fsd_layer_count(e, layer, FSD_ONNX_Concat) > 1 && made != FSD_NONE &&
            fsd_form_count(e, fsd_port_form(e, out)) > fsd_count_of(r, made));
}

/* Whether the Concat and the layer have inputs of the same sizes in the same order.  If
 * the layer only concatenates or moves data, its output must also fit the Concat. */
static bool fits(const struct replay *r, fsd_id layer, fsd_id concat)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];

    if (r->g->nodes.at[concat].in.n != n->in.n)
        return false;
    if (only_joins(r, layer) && !writes_concat(r, layer, concat))
        return false;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_data_in(r, concat, i);

        if (t == FSD_NONE || !fsd_port_fits(r, fsd_node_in(e, n, i), t))
            return false;
    }
    return true;
}

static void note_joined(struct replay *r, fsd_id layer, fsd_id concat)
{
    r->layers[layer].joins = concat;
    for (uint32_t i = 0; i < r->m->engine->nodes.at[layer].in.n; i++) {
        fsd_id in = fsd_node_in_tensor(r->m->engine, layer, i);

        if (in != FSD_NONE)
            r->values[in].joined = fsd_node_in_tensor(r->g, concat, i);
    }
}

/* The Concats of the model that a kernel may compute, in the model's order: node[i]. If
 * several kernels write the engine tensor that holds the result of node[i], place[i] is
 * this engine tensor; else FSD_NONE. */
struct concats {
    fsd_id node[MOST], place[MOST];
    uint32_t n;
};

static bool is_joining(const struct replay *r, fsd_id node)
{
    return fsd_node_is(r->g, node, FSD_ONNX_Concat) && r->m->facts->live[node] &&
           !r->m->facts->size[node] && !r->m->facts->folded[node] &&
           r->g->nodes.at[node].in.n >= FEW && fsd_last_duplicate(r, node) == node;
}

/* Lists the Concats that a kernel may compute; none if there are more than MOST,
 * because each has one bit in a mask. */
static struct concats list_concats(struct replay *r)
{
    struct concats c = {.n = 0};
    fsd_id *place = fsd_ids_new(r->scratch, r->g->tensors.n);

    for (fsd_id e = 0; e < r->m->engine->tensors.n; e++)
        if (r->m->counterpart[e] != FSD_NONE &&
            r->m->engine->tensors.at[e].producers.n > 1)
            place[r->m->counterpart[e]] = e;
    for (fsd_id i = 0; i < r->g->nodes.n; i++) {
        if (!is_joining(r, i))
            continue;
        if (c.n == MOST)
            return (struct concats){.n = 0};
        c.place[c.n] = fsd_id_at(place, fsd_node_out_tensor(r->g, i, 0));
        c.node[c.n++] = i;
    }
    return c;
}

/* Bit mask of the elements of `c` that the layer may compute. */
static uint64_t fitting(const struct replay *r, const struct concats *c, fsd_id layer)
{
    uint64_t bits = 0;

    if (!joins_first(r, layer))
        return 0;
    for (uint32_t i = 0; i < c->n; i++)
        if ((c->place[i] == FSD_NONE ||
             c->place[i] == fsd_node_out_tensor(r->m->engine, layer, 0)) &&
            fits(r, layer, c->node[i]))
            bits |= UINT64_C(1) << i;
    return bits;
}

/* Whether `node` depends on the node `on`.
 * @param stack room for all nodes of the model */
static bool depends_on(struct replay *r, fsd_id *stack, fsd_id node, fsd_id on)
{
    uint32_t depth = 0;

    r->n_visits++;
    stack[depth++] = node;
    while (depth) {
        fsd_id at = stack[--depth];

        for (uint32_t i = 0; i < r->g->nodes.at[at].in.n; i++) {
            fsd_id by = fsd_node_in_producer(r->g, at, i);

            if (by == on)
                return true;
            if (by == FSD_NONE || by < on || r->nodes[by].visited == r->n_visits)
                continue;
            r->nodes[by].visited = r->n_visits;
            stack[depth++] = by;
        }
    }
    return false;
}

/* Whether each Concat in `bits` depends on the previous Concat in `bits`. */
static bool is_chain(struct replay *r, const struct concats *c, uint64_t bits)
{
    fsd_id *stack = FSD_NEW(r->scratch, fsd_id, r->g->nodes.n);
    fsd_id last = FSD_NONE;

    for (uint32_t i = 0; i < c->n; i++) {
        if (!(bits & UINT64_C(1) << i))
            continue;
        if (last != FSD_NONE && !depends_on(r, stack, c->node[i], last))
            return false;
        last = c->node[i];
    }
    return true;
}

static uint32_t count_bits(uint64_t bits)
{
    uint32_t n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* If n kernels fit the same n Concats, and each Concat depends on the Concat before it,
 * records that the kernels compute the Concats in this order.  `first` is one of the
 * kernels. */
static void note_chain(struct replay *r, const struct concats *c, const uint64_t *bits,
                       fsd_id first)
{
    uint32_t n = r->m->engine->layers.n, layers = 0, at = 0;

    for (fsd_id layer = 0; layer < n; layer++) {
        if (bits[layer] == bits[first] && layer < first)
            return; /* the first kernel of the group has handled this */
        layers += bits[layer] == bits[first];
    }
    if (layers != count_bits(bits[first]) || !is_chain(r, c, bits[first]))
        return;
    for (fsd_id layer = first; layer < n; layer++) {
        if (bits[layer] != bits[first])
            continue;
        while (!(bits[first] & UINT64_C(1) << at))
            at++;
        note_joined(r, layer, c->node[at++]);
    }
}

void fsd_find_joined(struct replay *r)
{
    struct concats c = list_concats(r);
    uint32_t n = r->m->engine->layers.n;
    uint64_t *bits = FSD_NEW(r->scratch, uint64_t, n);

    for (fsd_id layer = 0; layer < n && c.n; layer++)
        bits[layer] = fitting(r, &c, layer);
    for (fsd_id layer = 0; layer < n; layer++)
        if (bits[layer])
            note_chain(r, &c, bits, layer);
}
