/*
 * The tensor cut.  From each tensor that a unit writes, walk the model backwards, and
 * stop at the tensors that the unit reads:
 *
 *     engine:   in ==> [ unit ] ==> out
 *     model:    in -> Conv -> BatchNormalization -> Relu -> out
 *                     `------------- the cut -----------'
 *
 * The walk also stops at constants, and at any other tensor that the engine has in
 * memory: another unit computes that tensor, and the cut is then called leaky.  A node
 * belongs to the cut only if its output depends on a tensor that the unit reads.  So
 * Shape and Gather nodes that only compute the second input of a Reshape are not in the
 * cut.
 *
 * A tensor and its quantized forms have the same root.  Where a walk meets the root of
 * a tensor in memory, the walk continues only through Q and DQ nodes.  So the Q and DQ
 * on an edge belong to the unit that consumes the edge:
 *
 *     in memory: "q1"        r -> Q1 -> "q1" -> DQ1 -> Conv
 *                            `-> Q2 -> DQ2 -> Add -> out       Q2, DQ2 are in the cut
 *
 * A walk from a weight also continues through its DQ and Q to the initializer.
 *
 * A scaling whose factor was merged into weights belongs to no cut.
 *
 * If the builder moved a Q back across an operator (counterpart.c), the Q belongs to
 * the unit that writes the tensor before this operator.
 *
 * Two equal nodes, which the builder merges, output tensors of the same value.  Such
 * tensors count as one tensor: all marks are stored at the first one.
 */
#include "match/cut.h"
#include "model/graph/graph.h"

enum { VISITS_PER_NODE = 64 };

struct visit {
    fsd_id node;
    uint32_t next; /* index of the next input to visit */
};

struct fsd_cutter {
    struct fsd_match *m;
    /* A "unit mark" is a flag. It is set for the current unit if the element equals
     * `mark`.
     *
     * Indexed by model tensor.  Tensors of the same value share one element, that of
     * the first of these tensors: */
    bool *held;                       /* whether the engine has the value in memory */
    bool *root_held;                  /* whether the engine has a tensor with this root
                                         in memory */
    uint32_t *read, *root_read;       /* unit mark */
    uint32_t *written, *root_written; /* unit mark */
    /* Indexed by model tensor; tensors of the same value have separate elements: */
    uint32_t *read_itself; /* unit mark */
    /* Indexed by node: */
    bool *moved;       /* whether the builder moved this Q back */
    uint32_t *seen;    /* unit mark */
    uint32_t *reaches; /* unit mark; set if the node depends on a tensor that the unit
                          reads */
    uint32_t *cut;     /* unit mark; set if the node is in the cut */
    struct visit *stack;
    uint32_t depth;
    uint32_t mark; /* mark of the current unit; never 0 */
    uint64_t budget;
    bool leaky;
};

static fsd_id value_of(const struct fsd_cutter *c, fsd_id tensor)
{
    return c->m->facts->value[tensor];
}

static fsd_id root_of(const struct fsd_cutter *c, fsd_id tensor)
{
    return value_of(c, c->m->facts->root[tensor]);
}

struct fsd_cutter *fsd_cutter_new(struct fsd_arena *scratch, struct fsd_match *m)
{
    struct fsd_cutter *c = FSD_NEW(scratch, struct fsd_cutter, 1);
    uint32_t tensors = m->model->tensors.n, nodes = m->model->nodes.n;

    c->m = m;
    c->held = FSD_NEW(scratch, bool, tensors);
    c->root_held = FSD_NEW(scratch, bool, tensors);
    c->read = FSD_NEW(scratch, uint32_t, tensors);
    c->read_itself = FSD_NEW(scratch, uint32_t, tensors);
    c->root_read = FSD_NEW(scratch, uint32_t, tensors);
    c->written = FSD_NEW(scratch, uint32_t, tensors);
    c->root_written = FSD_NEW(scratch, uint32_t, tensors);
    c->moved = FSD_NEW(scratch, bool, nodes);
    c->seen = FSD_NEW(scratch, uint32_t, nodes);
    c->reaches = FSD_NEW(scratch, uint32_t, nodes);
    c->cut = FSD_NEW(scratch, uint32_t, nodes);
    c->stack = FSD_NEW(scratch, struct visit, nodes);
    c->budget = (uint64_t)nodes * VISITS_PER_NODE + tensors;
    for (fsd_id e = 0; e < m->engine->tensors.n; e++) {
        fsd_set_at(c->moved, m->moved_q[e]);
        if (fsd_match_holds(m, e)) {
            c->held[value_of(c, m->counterpart[e])] = true;
            c->root_held[root_of(c, m->counterpart[e])] = true;
        }
    }
    return c;
}

/* Marks the counterparts of the engine tensors that the unit writes, and the roots of
 * these counterparts.  If the builder moved a Q before an engine tensor, marks only the
 * root, because the engine tensor holds the counterpart's value in quantized form. */
static void mark_writes(struct fsd_cutter *c, struct fsd_span ports)
{
    const struct fsd_match *m = c->m;

    FSD_EACH_OF (e, m->engine->ports, ports, tensor) {
        if (!fsd_match_holds(m, e))
            continue;
        if (m->moved_q[e] == FSD_NONE)
            c->written[value_of(c, m->counterpart[e])] = c->mark;
        c->root_written[root_of(c, m->counterpart[e])] = c->mark;
    }
}

/* Marks the tensors that the unit reads.  A tensor that the unit also writes is not an
 * input of the unit. */
static void mark_reads(struct fsd_cutter *c, struct fsd_span ports)
{
    const struct fsd_match *m = c->m;

    FSD_EACH_OF (e, m->engine->ports, ports, tensor) {
        fsd_id t = fsd_match_held(m, e);

        if (t == FSD_NONE || c->written[value_of(c, t)] == c->mark)
            continue;
        c->read_itself[t] = c->mark;
        c->read[value_of(c, t)] = c->mark;
        c->root_read[root_of(c, t)] = c->mark;
    }
}

enum step { STOP, STOP_AT_READ, GO_ON };

/* Returns how the walk continues at `tensor`, an input of a visited node. */
static enum step look_at(struct fsd_cutter *c, fsd_id tensor)
{
    fsd_id value = value_of(c, tensor), root = root_of(c, tensor);

    if (c->read[value] == c->mark)
        return STOP_AT_READ;
    if (c->m->facts->constant[tensor]) {
        fsd_id node = fsd_tensor_producer(c->m->model, tensor);

        return fsd_traits_of(c->m->facts, node) & FSD_OP_QDQ ? GO_ON : STOP;
    }
    if (fsd_is_build_constant(c->m->facts, tensor) && c->written[value] != c->mark)
        return STOP; /* a size, which no kernel computes */
    if (c->root_read[root] == c->mark)
        return value == root ? STOP_AT_READ : GO_ON;
    if (c->written[value] == c->mark)
        return GO_ON;
    if (c->held[value]) {
        c->leaky = true;
        return STOP;
    }
    if (c->root_held[root] && c->root_written[root] != c->mark && value == root) {
        c->leaky = true;
        return STOP;
    }
    return GO_ON;
}

static void push(struct fsd_cutter *c, fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(c->m->model, tensor);

    if (node == FSD_NONE || c->seen[node] == c->mark)
        return;
    if (!c->budget) {
        c->leaky = true;
        return;
    }
    c->budget--;
    c->seen[node] = c->mark;
    c->stack[c->depth++] = (struct visit){node, 0};
    fsd_vec_push(c->m->arena, &c->m->pool, node);
}

/* Visits the next input of the node on top of the stack. */
static void step_input(struct fsd_cutter *c, struct visit *top,
                       const struct fsd_node *n)
{
    fsd_id tensor = fsd_node_in(c->m->model, n, top->next++)->tensor;
    fsd_id producer;

    if (tensor == FSD_NONE)
        return;
    switch (look_at(c, tensor)) {
    case STOP:
        break;
    case STOP_AT_READ:
        c->reaches[top->node] = c->mark;
        if (c->read[value_of(c, tensor)] == c->mark &&
            c->read_itself[tensor] != c->mark)
            c->m->replaced[tensor] = true;
        break;
    case GO_ON:
        producer = fsd_tensor_producer(c->m->model, tensor);
        if (fsd_id_at(c->reaches, producer) == c->mark)
            c->reaches[top->node] = c->mark;
        else
            push(c, tensor);
        break;
    }
}

static void walk_from(struct fsd_cutter *c, fsd_id tensor)
{
    const struct fsd_match *m = c->m;

    if (c->read[value_of(c, tensor)] == c->mark || m->facts->constant[tensor])
        return;
    push(c, tensor);
    while (c->depth) {
        struct visit *top = &c->stack[c->depth - 1];
        const struct fsd_node *n = &m->model->nodes.at[top->node];

        if (top->next < n->in.n) {
            step_input(c, top, n);
            continue;
        }
        c->depth--;
        if (c->depth && c->reaches[top->node] == c->mark)
            c->reaches[c->stack[c->depth - 1].node] = c->mark;
    }
}

static bool is_cut(const struct fsd_cutter *c, struct fsd_span nodes)
{
    FSD_EACH_ID (node, c->m->model->links, nodes)
        if (c->cut[node] == c->mark)
            return true;
    return false;
}

/* Whether a visited node belongs to the cut.  The first case that applies decides:
 *   - The builder moved the node (a Q), or merged the node into weights: no.
 *   - The node depends on an input of the unit: yes.
 *   - The node is a Q or DQ of weights: yes if a node of the cut reads its output.  The
 *     walk visits this reader first.
 *   - The node is folded: no.
 *   - None of these cases applies: yes if the unit has no inputs and the cut is not
 *     leaky.
 * @param reads whether the unit has inputs */
static bool belongs(const struct fsd_cutter *c, fsd_id node, bool reads)
{
    const struct fsd_facts *f = c->m->facts;

    if (c->moved[node] || c->m->in_weights[node])
        return false;
    if (c->reaches[node] == c->mark)
        return true;
    if (f->folded[node])
        return f->traits[node] & FSD_OP_QDQ &&
               is_cut(c, fsd_tensor_consumers(
                             c->m->model, fsd_node_out_tensor(c->m->model, node, 0)));
    return !reads && !c->leaky;
}

/* Adds the Qs that the layer computes because the builder moved them: the moved_q of
 * the layer's outputs.  A Q that is also the moved_q of an input of the layer is not
 * added, because an earlier layer computes it. */
static void add_moved(struct fsd_cutter *c, const struct fsd_node *layer,
                      struct fsd_span *span)
{
    struct fsd_match *m = c->m;

    FSD_EACH_OF (e, m->engine->ports, layer->out, tensor) {
        fsd_id q = fsd_id_at(m->moved_q, e);

        for (uint32_t k = 0; q != FSD_NONE && k < layer->in.n; k++) {
            if (fsd_id_at(m->moved_q, fsd_node_in(m->engine, layer, k)->tensor) == q)
                q = FSD_NONE;
        }
        if (q == FSD_NONE)
            continue;
        fsd_vec_push(m->arena, &m->pool, q);
        span->n++;
    }
}

struct fsd_span fsd_cut(struct fsd_cutter *c, const fsd_id *layers, uint32_t n,
                        bool *leaky)
{
    struct fsd_match *m = c->m;
    const struct fsd_node *nodes = m->engine->nodes.at;
    struct fsd_span span = {m->pool.n, 0};
    bool reads = false;

    for (uint32_t i = 0; i < n; i++)
        reads |= nodes[layers[i]].in.n > 0;
    c->mark++;
    c->leaky = false;
    for (uint32_t i = 0; i < n; i++)
        mark_writes(c, nodes[layers[i]].out);
    for (uint32_t i = 0; i < n; i++)
        mark_reads(c, nodes[layers[i]].in);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = 0; p < nodes[layers[i]].out.n; p++) {
            fsd_id e = fsd_node_out(m->engine, &nodes[layers[i]], p)->tensor;

            if (fsd_match_holds(m, e))
                walk_from(c, m->counterpart[e]);
        }
    for (uint32_t i = span.at; i < m->pool.n; i++)
        if (belongs(c, m->pool.at[i], reads)) {
            c->cut[m->pool.at[i]] = c->mark;
            m->pool.at[span.at + span.n++] = m->pool.at[i];
        }
    m->pool.n = span.at + span.n;
    for (uint32_t i = 0; i < n; i++)
        add_moved(c, &nodes[layers[i]], &span);
    *leaky = c->leaky;
    return span;
}
