/*
 * Continues the replay behind a kernel whose steps fit no nodes.  It is unknown which
 * model tensors the outputs of such a kernel hold: these outputs are "lost".  The
 * border of a lost tensor consists of the last known model tensors before it:
 *
 *     model      x -> Conv -> y -> Relu -> z -> MatMul -> Add
 *     kernel 7   x -> a    fits no nodes; border of a: x; a may hold y or z
 *     kernel 8   a -> MatMul Add          fits only if a holds z
 *
 * The value of a lost tensor is computed from its border by nodes without a layer.  The
 * replay guesses that the lost tensor is one of the first GUESSES outputs of such nodes
 * that have its size.  It tries the next kernel with each guess.  A kernel with few
 * steps is not tried, because it fits in too many places.
 *
 * If the name of a kernel was cut, only some of its nodes are known.  The border then
 * consists of the tensors that these nodes compute.
 */
#include "match/kernel/replay.h"

enum { VISITED = 160, BORDER = 12, WANTED = 8 };

/* Adds the model tensor `tensor` to the border of the engine tensor `e`. */
static void add_border(struct replay *r, fsd_id e, fsd_id tensor)
{
    struct fsd_span *span = &r->values[e].border, old = *span;

    for (uint32_t i = 0; i < old.n; i++)
        if (r->borders.at[old.at + i] == tensor)
            return;
    if (old.n == BORDER)
        return;
    if (old.at + old.n != r->borders.n) {
        span->at = r->borders.n;
        for (uint32_t i = 0; i < old.n; i++)
            fsd_vec_push(r->scratch, &r->borders, r->borders.at[old.at + i]);
    }
    fsd_vec_push(r->scratch, &r->borders, tensor);
    span->n++;
}

/* Adds the model tensors that the engine tensor `of` holds to the border of `out`. */
static void add_held(struct replay *r, fsd_id out, fsd_id of)
{
    FSD_EACH_OF (tensor, r->held, r->values[of].held, tensor)
        if (tensor != FSD_NONE)
            add_border(r, out, tensor);
}

void fsd_note_lost(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    bool cut = e->layers.at[r->layer].more_steps == FSD_STEPS_LACK_SOME;

    FSD_EACH_OF (out, e->ports, n->out, tensor) {
        if (out == FSD_NONE)
            continue;
        if (r->values[out].held.n) {
            /* If the kernel's name was cut, some nodes may be missing, and the output
             * holds the result of the known nodes or a tensor behind it. */
            if (cut)
                add_held(r, out, out);
            continue;
        }
        FSD_EACH_OF (in, e->ports, n->in, tensor) {
            if (in == FSD_NONE)
                continue;
            add_held(r, out, in);
            for (uint32_t k = 0; k < r->values[in].border.n; k++)
                add_border(r, out, r->borders.at[r->values[in].border.at + k]);
        }
    }
}

bool fsd_is_lost(const struct replay *r, fsd_id tensor)
{
    return tensor != FSD_NONE && r->values[tensor].border.n;
}

/* Nodes to visit, sorted by node number. */
struct queue {
    fsd_id node[VISITED];
    uint32_t n, visited;
};

static void push_readers(struct replay *r, struct queue *q, fsd_id tensor)
{
    const struct fsd_span all = r->g->tensors.at[tensor].consumers;
    const fsd_id *nodes = r->g->links.at;
    uint32_t end = all.at + all.n;

    for (uint32_t i = fsd_next_unmade(r, nodes, r->unvisited, all.at, end);
         i < end && q->visited < VISITED;
         i = fsd_next_unmade(r, nodes, r->unvisited, i + 1, end)) {
        fsd_id node = nodes[i];
        uint32_t at = q->n;

        if (r->nodes[node].visited == r->n_visits ||
            r->m->facts->traits[node] & FSD_OP_SHAPE)
            continue;
        r->nodes[node].visited = r->n_visits;
        q->visited++;
        for (; at && q->node[at - 1] < node; at--)
            q->node[at] = q->node[at - 1];
        q->node[at] = node;
        q->n++;
    }
}

bool fsd_port_fits(const struct replay *r, const struct fsd_port *port, fsd_id tensor)
{
    const struct fsd_form *form = fsd_port_form(r->m->engine, port);
    int64_t size = fsd_form_count(r->m->engine, form);

    return size < 0 ? fsd_form_is_alike(r, form, tensor)
                    : fsd_count_of(r, tensor) == size;
}

uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES])
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_port *p = fsd_node_in(e, &e->nodes.at[r->layer], port);
    struct fsd_span border = r->values[p->tensor].border;
    struct queue q = {.n = 0, .visited = 0};
    uint32_t n = 0;

    r->n_visits++;
    for (uint32_t i = 0; i < border.n; i++)
        push_readers(r, &q, r->borders.at[border.at + i]);
    while (q.n && n < GUESSES) {
        fsd_id node = q.node[--q.n];

        FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].out, tensor) {
            fsd_id in = fsd_data_input(r, node);

            if (t == FSD_NONE)
                continue;
            /* Leaves out `t` if `node` needs no step and `in` fits the port, too: if
             * the port holds `in`, `t` is available anyway.  The first guess is always
             * kept. */
            if (n < GUESSES && fsd_port_fits(r, p, t) &&
                !(n && r->nodes[node].passes && in != FSD_NONE &&
                  fsd_port_fits(r, p, in)))
                out[n++] = t;
            push_readers(r, &q, t);
        }
    }
    return n;
}

/* Model tensors that the kernel needs but cannot compute.  `lost[i]` is the lost engine
 * tensor that must hold `tensor[i]`. */
struct wanted {
    fsd_id lost[WANTED], tensor[WANTED];
    uint32_t n;
};

/* Adds `tensor` to `wanted`, with the kernel's lost input that has the same size.
 * Returns false if there is no such input, if such an input does not have exactly one
 * producer, or if `wanted` is full.  If several kernels write such inputs, returns true
 * without adding anything, because it is unknown which input holds `tensor`. */
static bool want_of_lost(struct replay *r, struct wanted *wanted, fsd_id tensor)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    fsd_id found = FSD_NONE, by = FSD_NONE;

    for (uint32_t i = 0; i < n->in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, n, i);
        fsd_id in = port->tensor, producer;

        if (!fsd_is_lost(r, in) || !fsd_port_fits(r, port, tensor))
            continue;
        producer = fsd_tensor_producer(e, in);
        if (producer == FSD_NONE)
            return false;
        if (by != FSD_NONE && by != producer)
            return true;
        found = in;
        by = producer;
    }
    if (found == FSD_NONE || wanted->n == WANTED)
        return false;
    wanted->lost[wanted->n] = found;
    wanted->tensor[wanted->n++] = tensor;
    return true;
}

/* Whether the kernel may have a step for `node`, although `node` needs no step.  An
 * example is a scaling that the builder could have merged into weights. */
static bool may_have_step(const struct replay *r, fsd_id node)
{
    return !fsd_only_moves(r, node) && !fsd_has_layer(r, node) &&
           fsd_could_end(r, node);
}

/* Whether the kernel reads an output of the layer that computes the node. */
static bool reads_layer_of(const struct replay *r, fsd_id node)
{
    struct fsd_span in = r->m->engine->nodes.at[r->layer].in;

    for (uint32_t i = 0; i < in.n && fsd_has_layer(r, node); i++)
        if (fsd_node_in_producer(r->m->engine, r->layer, i) == r->nodes[node].layer)
            return true;
    return false;
}

/* Takes the nodes between the kernel's inputs and `tensor`.  Returns false if the walk
 * reaches a limit, or an input of the network that is not available.  Also returns
 * false if the kernel has no step for a node that needs one, or if another layer
 * computes such a node.  Exception: if the model splits the node's result, several
 * layers may compute the node.
 * @param wanted receives the tensors that the kernel does not compute and that no known
 *        input holds: a lost input must hold them.  If NULL, such a tensor makes the
 *        result false. */
static bool collect(struct replay *r, struct candidate *w, struct wanted *wanted,
                    fsd_id tensor, int far)
{
    fsd_id by = fsd_tensor_producer(r->g, tensor);

    for (uint32_t i = 0; i < w->n_available; i++)
        if (w->available[i].tensor == tensor)
            return true;
    if (fsd_stays_constant(r, tensor))
        return true;
    if (by != FSD_NONE && wanted && reads_layer_of(r, by))
        return true;
    if (by == FSD_NONE || !far || w->n_taken == TAKEN ||
        (fsd_has_layer(r, by) && !r->nodes[by].passes &&
         fsd_count_parts_behind(r, fsd_node_out_tensor(r->g, by, 0)) == 1))
        return false;
    if (wanted && (r->nodes[by].passes || !fsd_could_end(r, by)) &&
        want_of_lost(r, wanted, tensor))
        return true;
    if (!r->nodes[by].passes && !fsd_could_end(r, by))
        return false;
    FSD_EACH_OF (in, r->g->ports, r->g->nodes.at[by].in, tensor)
        if (in != FSD_NONE && !collect(r, w, wanted, in, far - 1))
            return false;
    if ((!r->nodes[by].passes || (wanted && may_have_step(r, by))) &&
        !fsd_candidate_took(w, by))
        w->taken[w->n_taken++] = by;
    return true;
}

/* Makes two kinds of tensors available: those that the inputs of kernel `by` hold, and
 * those that the known nodes of `by` compute. */
static void hold_known(const struct replay *r, struct candidate *w, fsd_id by)
{
    const struct fsd_graph *e = r->m->engine;

    FSD_EACH_OF (in, e->ports, e->nodes.at[by].in, tensor)
        for (uint32_t k = 0; k < fsd_held_by(r, in).n; k++)
            if (r->held.at[r->values[in].held.at + k].tensor != FSD_NONE)
                fsd_candidate_hold(w, r->held.at[r->values[in].held.at + k].tensor, 1);
    for (uint32_t i = r->m->indexed; i < r->m->links.n; i++) {
        const struct fsd_link *link = &r->m->links.at[i];

        for (uint32_t k = 0; link->layer == by && k < r->g->nodes.at[link->node].out.n;
             k++)
            if (fsd_node_out_tensor(r->g, link->node, k) != FSD_NONE)
                fsd_candidate_hold(w, fsd_node_out_tensor(r->g, link->node, k), 1);
    }
}

/* Whether the kernel's name lists all steps, and the candidate took more nodes than
 * there are steps. */
static bool is_too_much(const struct replay *r, const struct candidate *w, fsd_id layer)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[layer];

    return l->more_steps == FSD_STEPS_ARE_ALL && w->n_taken > l->steps.n;
}

/* Kernel `by` produced a lost tensor, which must hold `tensor`.  Links the kernel to
 * the nodes that collect() finds.  False if collect() fails, or if the kernel already
 * has links. */
static bool fill(struct replay *r, fsd_id by, fsd_id tensor, struct wanted *wanted)
{
    enum { DEEP = 16 };
    struct candidate *w = &r->beam->next[0];

    if (r->m->of_layer[by].n)
        return false;
    memset(w, 0, sizeof *w);
    hold_known(r, w, by);
    if (!collect(r, w, wanted, tensor, DEEP) || is_too_much(r, w, by))
        return false;
    r->layers[by].unsaid = 0;
    for (uint32_t i = 0; i < w->n_taken; i++) {
        r->nodes[w->taken[i]].layer = fsd_id_or(r->nodes[w->taken[i]].layer, by);
        fsd_match_link(r->m, by, w->taken[i], FSD_BY_STRUCTURE);
    }
    return true;
}

/* Whether the kernel's name lists all steps of the kernel or, if the name was cut, the
 * steps before the cut.  If a name that lacks steps begins with a MatMul, the result is
 * false: the kernel may be a product or attention kernel, whose name does not list the
 * steps behind the product or attention. */
static bool lists_steps(const struct replay *r, fsd_id layer)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[layer];

    return l->more_steps == FSD_STEPS_ARE_ALL ||
           (l->more_steps == FSD_STEPS_LACK_SOME && l->steps.n &&
            r->m->engine->links.at[l->steps.at] != FSD_ONNX_MatMul);
}

void fsd_fill_lost(struct replay *r, fsd_id lost, fsd_id tensor)
{
    fsd_id layer = r->layer, by = fsd_tensor_producer(r->m->engine, lost);

    if (by == FSD_NONE)
        return;
    r->layer = by;
    fill(r, by, tensor, NULL);
    r->layer = layer;
}

/* Links kernel `by`, which produced `tensor`.  Then does the same for the kernels that
 * produced its lost inputs, up to `far` kernels further back. */
static void fill_made(struct replay *r, fsd_id by, fsd_id tensor, int far)
{
    struct wanted wanted = {.n = 0};

    if (by == FSD_NONE || !lists_steps(r, by))
        return;
    r->layer = by;
    if (!fill(r, by, tensor, &wanted))
        return;
    for (uint32_t i = 0; i < wanted.n && far; i++)
        fill_made(r, fsd_tensor_producer(r->m->engine, wanted.lost[i]),
                  wanted.tensor[i], far - 1);
}

/* The data input of the first product to which the kernel is linked.  FSD_NONE if there
 * is no such product, if the kernel does not have exactly one input, or if the kernel
 * input does not have the size of the data input. */
static fsd_id product_input(const struct replay *r, fsd_id layer)
{
    const struct fsd_match *m = r->m;
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    fsd_id node = FSD_NONE, tensor;

    FSD_EACH_OF (linked, m->links, m->of_layer[layer], node)
        if (fsd_is_product(r, linked) && (node == FSD_NONE || linked < node))
            node = linked;
    tensor = fsd_node_in_tensor(m->model, node, 0);
    return n->in.n == 1 && tensor != FSD_NONE &&
                   fsd_port_fits(r, fsd_node_in(m->engine, n, 0), tensor)
               ? tensor
               : FSD_NONE;
}

void fsd_fill_rest(struct replay *r)
{
    /* Links the producer of a lost tensor, and the kernels that are at most KERNELS
     * kernels before this producer. */
    enum { KERNELS = 2 };
    const struct fsd_graph *e = r->m->engine;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        fsd_id tensor = product_input(r, i);
        fsd_id lost = tensor == FSD_NONE ? FSD_NONE : fsd_node_in_tensor(e, i, 0);

        if (fsd_is_lost(r, lost))
            fill_made(r, fsd_tensor_producer(e, lost), tensor, KERNELS);
    }
}

/* A kernel, and the model tensor that it produced. */
struct made {
    fsd_id layer, tensor;
};

void fsd_fill_joined(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    fsd_id layer = r->layer, concat = r->layers[layer].joins;
    uint32_t n = e->nodes.at[layer].in.n;
    struct made *made = FSD_NEW(r->scratch, struct made, n);

    for (uint32_t i = 0; i < n; i++)
        made[i] = (struct made){fsd_node_in_producer(e, layer, i),
                                fsd_node_in_tensor(r->g, concat, i)};
    /* Visits the kernels in their order, because a kernel may read the output of an
     * earlier one. */
    fsd_sort(made, n, sizeof *made, fsd_by_pair);
    for (uint32_t i = 0; i < n; i++)
        if (fsd_layer_of(r, fsd_tensor_producer(r->g, made[i].tensor)) == FSD_NONE)
            fill_made(r, made[i].layer, made[i].tensor, 1);
    r->layer = layer;
}

bool fsd_does_enough(const struct replay *r)
{
    enum { ENOUGH = 3 };
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span steps = e->layers.at[r->layer].steps;
    uint32_t n = 0;

    FSD_EACH_ID (step, e->links, steps) {
        n += !fsd_step_moves(step);
        n += step == FSD_ONNX_Conv || step == FSD_ONNX_MatMul;
    }
    return n >= ENOUGH;
}
