/*
 * Finds the facts of facts.h.  A search forward from initializers finds constant
 * tensors, and a search backward from outputs finds live nodes.  A search backward
 * through Q and DQ nodes finds the root of a tensor.  The graph may be unsorted or
 * cyclic, because a file may be invalid.  So forward searches use a worklist, and
 * nothing is proved for nodes on a cycle.
 */
#include "match/facts.h"
#include "match/value_number.h"
#include "model/graph/graph.h"
#include "model/ops/sizes.h"

#include <assert.h>

/* A stack of ids on the arena; every id is pushed at most once. */
struct work {
    fsd_id *at;
    uint32_t n;
};

static struct work new_work(struct fsd_arena *arena, uint32_t cap)
{
    return (struct work){FSD_NEW(arena, fsd_id, cap), 0};
}

/* ------------------------------------------------------------------- constant */

/*
 * Three properties of tensors are found together: the value is constant (CONSTANT), the
 * shape is fixed (SHAPED), and the value depends only on the sizes of the network's
 * inputs (OF_SIZES).  Constant values make shapes fixed (a Reshape to [1,64]), fixed
 * shapes make values constant (the output of a Shape).  `lacking` counts the inputs of
 * a node that still lack a property, so that an update takes constant time per input.
 */
enum property { CONSTANT, SHAPED, OF_SIZES, PROPERTIES };

struct growth {
    struct fsd_facts *f;
    bool *have[PROPERTIES];        /* indexed by tensor: whether it has the property */
    uint32_t *lacking[PROPERTIES]; /* indexed by node: number of inputs that lack the
                                      property */
    bool *given[PROPERTIES];       /* indexed by node: whether its outputs have the
                                      property */
    struct work work[PROPERTIES];  /* tensors whose consumers are still to be updated */
};

static struct growth new_growth(struct fsd_facts *f, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = f->g;
    struct growth w = {.f = f};

    for (int p = 0; p < PROPERTIES; p++) {
        w.have[p] = p == CONSTANT ? f->constant : FSD_NEW(scratch, bool, g->tensors.n);
        w.lacking[p] = FSD_NEW(scratch, uint32_t, g->nodes.n);
        w.given[p] = FSD_NEW(scratch, bool, g->nodes.n);
        w.work[p] = new_work(scratch, g->tensors.n);
        for (fsd_id i = 0; i < g->nodes.n; i++)
            for (uint32_t k = 0; k < g->nodes.at[i].in.n; k++)
                w.lacking[p][i] += fsd_node_has_in(g, i, k);
    }
    return w;
}

/* Whether the node's value is constant (for p = CONSTANT) or depends only on sizes (for
 * p = OF_SIZES). */
static bool value_is_fixed(const struct growth *w, fsd_id node, enum property p)
{
    unsigned traits = w->f->traits[node];

    if (!(traits & FSD_OP_STANDARD) || (traits & (FSD_OP_RANDOM | FSD_OP_CONTROL)))
        return false;
    if (traits & FSD_OP_CONSTANT)
        return true;
    if ((traits & FSD_OP_SHAPE) && (p == OF_SIZES || !w->lacking[SHAPED][node]))
        return true;
    return w->f->g->nodes.at[node].in.n && !w->lacking[p][node];
}

static bool shape_is_fixed(const struct growth *w, fsd_id node)
{
    const struct fsd_graph *g = w->f->g;
    const struct fsd_node *n = &g->nodes.at[node];

    uint32_t shapes;

    if (!(w->f->traits[node] & FSD_OP_SHAPED) || w->lacking[SHAPED][node])
        return false;
    shapes = fsd_op_shape_inputs(g, node);
    for (uint32_t i = 0; i < n->in.n && shapes; i++, shapes >>= 1) {
        fsd_id tensor = fsd_node_in(g, n, i)->tensor;

        if (shapes & 1 && fsd_is_data(w->f, tensor))
            return false;
    }
    return true;
}

/* Gives a tensor the property.  Nothing is proved for a tensor with several
 * producers. */
static void gain(struct growth *w, fsd_id tensor, enum property p)
{
    if (w->have[p][tensor] || w->f->g->tensors.at[tensor].producers.n > 1)
        return;
    w->have[p][tensor] = true;
    w->work[p].at[w->work[p].n++] = tensor;
}

static void give_property(struct growth *w, fsd_id node, enum property p)
{
    const struct fsd_graph *g = w->f->g;
    const struct fsd_node *n = &g->nodes.at[node];

    if (w->given[p][node])
        return;
    w->given[p][node] = true;
    FSD_EACH_OF (tensor, g->ports, n->out, tensor)
        if (tensor != FSD_NONE)
            gain(w, tensor, p);
}

static void look_at_node(struct growth *w, fsd_id node)
{
    if (value_is_fixed(w, node, CONSTANT)) {
        w->f->folded[node] = !w->f->size[node];
        give_property(w, node, CONSTANT);
        give_property(w, node, SHAPED);
    } else if (!w->given[SHAPED][node] && shape_is_fixed(w, node)) {
        give_property(w, node, SHAPED);
    }
    if (value_is_fixed(w, node, OF_SIZES))
        give_property(w, node, OF_SIZES);
}

/* Takes one tensor from the worklist and updates its consumers.  A consumer that reads
 * the tensor n times is updated n times.  Returns false if the worklist is empty. */
static bool spread(struct growth *w, enum property p)
{
    const struct fsd_graph *g = w->f->g;
    const struct fsd_tensor *t;

    if (!w->work[p].n)
        return false;
    t = &g->tensors.at[w->work[p].at[--w->work[p].n]];
    FSD_EACH_ID (node, g->links, t->consumers) {
        w->lacking[p][node]--;
        look_at_node(w, node);
    }
    return true;
}

static void mark_size(const struct growth *w, fsd_id tensor, struct work *work)
{
    struct fsd_facts *f = w->f;
    fsd_id node = fsd_tensor_producer(f->g, tensor);

    if (node == FSD_NONE || !w->have[OF_SIZES][tensor] || f->folded[node] ||
        f->size[node])
        return;
    f->size[node] = true;
    work->at[work->n++] = node;
}

/* Follows the inputs of the nodes in `work` back.  Marks each node on the way that
 * computes a value from sizes alone and is not folded.  The walk ends at any other
 * node, and at a Shape or Size node. */
static void mark_before(const struct growth *w, struct work work)
{
    struct fsd_facts *f = w->f;
    const struct fsd_graph *g = f->g;

    while (work.n) {
        fsd_id node = work.at[--work.n];

        FSD_EACH_OF (tensor, g->ports, g->nodes.at[node].in, tensor)
            if (!(f->traits[node] & FSD_OP_SHAPE))
                mark_size(w, tensor, &work);
    }
}

/* Marks the nodes that compute shape operands, such as the second input of a
 * Reshape. */
static void find_sizes(const struct growth *w, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = w->f->g;
    struct work work = new_work(scratch, g->nodes.n);

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        uint32_t shapes = fsd_op_shape_inputs(g, i);

        for (uint32_t k = 0; k < g->nodes.at[i].in.n && shapes; k++, shapes >>= 1)
            if (shapes & 1)
                mark_size(w, fsd_node_in_tensor(g, i, k), &work);
    }
    mark_before(w, work);
}

/* Whether some node reads the shape of a tensor that has a dynamic size. */
static bool reads_open_sizes(const struct growth *w)
{
    for (fsd_id i = 0; i < w->f->g->nodes.n; i++)
        if (w->f->traits[i] & FSD_OP_SHAPE && !w->f->folded[i])
            return true;
    return false;
}

static bool is_fixed(const struct fsd_sizes *sizes, fsd_id tensor)
{
    const struct fsd_ints *ints = fsd_sizes_ints(sizes, tensor);
    int64_t number;

    for (uint32_t i = 0; ints && i < ints->n; i++)
        if (!fsd_amount_number(sizes->amounts, ints->at[i], &number))
            return false;
    return ints && ints->n;
}

/* Marks values as constant that are computed only from fixed sizes, such as "1 /
 * sqrt(head size)".  If a tensor has a dynamic size, it is not SHAPED.  So the search
 * for SHAPED misses values that depend on the fixed sizes of this tensor. */
static void find_fixed_sizes(struct growth *w, struct fsd_arena *scratch)
{
    struct fsd_facts *f = w->f;
    const struct fsd_graph *g = f->g;
    const struct fsd_sizes *sizes;
    struct work work = new_work(scratch, g->nodes.n);

    if (!reads_open_sizes(w))
        return;
    sizes = fsd_sizes_of_model(scratch, g);
    for (fsd_id t = 0; t < g->tensors.n; t++) {
        fsd_id by = fsd_tensor_producer(g, t);

        if (!w->have[OF_SIZES][t] || w->have[CONSTANT][t] || !is_fixed(sizes, t))
            continue;
        gain(w, t, CONSTANT);
        if (g->nodes.at[by].out.n == 1)
            f->folded[by] = !f->size[by];
    }
    while (spread(w, CONSTANT) || spread(w, SHAPED))
        ;
    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].in.n && f->folded[i]; k++)
            mark_size(w, fsd_node_in_tensor(g, i, k), &work);
    mark_before(w, work);
}

static void find_constants(struct fsd_facts *f, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = f->g;
    struct growth w = new_growth(f, scratch);

    for (fsd_id t = 0; t < g->tensors.n; t++) {
        bool initializer =
            (g->tensors.at[t].flags & (FSD_TENSOR_CONSTANT | FSD_TENSOR_SPARSE)) &&
            !g->tensors.at[t].producers.n;

        if (initializer) {
            gain(&w, t, CONSTANT);
            gain(&w, t, OF_SIZES);
        }
        if (initializer || fsd_form_count(g, fsd_tensor_form(g, t)) >= 0)
            gain(&w, t, SHAPED);
    }
    for (fsd_id i = 0; i < g->nodes.n; i++)
        look_at_node(&w, i);
    while (spread(&w, CONSTANT) || spread(&w, SHAPED) || spread(&w, OF_SIZES))
        ;
    find_sizes(&w, scratch);
    find_fixed_sizes(&w, scratch);
}

/* ----------------------------------------------------------------------- live */

static void mark_producers(struct fsd_facts *f, fsd_id tensor, struct work *work)
{
    struct fsd_span by = fsd_graph_tensor(f->g, tensor)->producers;

    FSD_EACH_ID (node, f->g->links, by)
        if (!f->live[node]) {
            f->live[node] = true;
            work->at[work->n++] = node;
        }
}

static void find_live(struct fsd_facts *f, struct fsd_arena *scratch)
{
    const struct fsd_graph *g = f->g;
    struct work work = new_work(scratch, g->nodes.n);
    struct fsd_lists bodies = fsd_graph_bodies(scratch, g);

    for (fsd_id t = 0; t < g->tensors.n; t++)
        if ((g->tensors.at[t].flags & FSD_TENSOR_OUTPUT) && !g->tensors.at[t].scope)
            mark_producers(f, t, &work);
    while (work.n) {
        fsd_id node = work.at[--work.n];
        const struct fsd_node *n = &g->nodes.at[node];

        FSD_EACH_OF (tensor, g->ports, n->in, tensor)
            mark_producers(f, tensor, &work);
        for (uint32_t k = 0; k < bodies.of[node].n; k++) {
            struct fsd_span made = g->scopes.at[fsd_list_at(&bodies, node, k)].outputs;

            FSD_EACH_ID (tensor, g->links, made)
                mark_producers(f, tensor, &work);
        }
    }
}

/* ----------------------------------------------------------------------- root */

static fsd_id before_qdq(const struct fsd_facts *f, fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(f->g, tensor);

    if (!(fsd_traits_of(f, node) & FSD_OP_QDQ))
        return FSD_NONE;
    return fsd_node_in_tensor(f->g, node, 0);
}

/* Follows the chain of Q and DQ nodes back, then stores its end for every tensor of the
 * chain.  On a cycle, the walk ends at a tensor that is already marked. */
static void find_root(struct fsd_facts *f, fsd_id tensor)
{
    const fsd_id open = FSD_NONE - 1;
    fsd_id root = tensor;

    for (fsd_id t = tensor; t != FSD_NONE; t = before_qdq(f, t)) {
        if (f->root[t] != FSD_NONE) {
            root = f->root[t] == open ? t : f->root[t];
            break;
        }
        f->root[t] = open;
        root = t;
    }
    for (fsd_id t = tensor; fsd_id_at(f->root, t) == open; t = before_qdq(f, t))
        f->root[t] = root;
}

bool fsd_is_build_constant(const struct fsd_facts *f, fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(f->g, tensor);

    return f->constant[tensor] || fsd_true_at(f->size, node);
}

bool fsd_reads_run_data(const struct fsd_facts *f, fsd_id node)
{
    FSD_EACH_OF (tensor, f->g->ports, f->g->nodes.at[node].in, tensor)
        if (fsd_is_run_data(f, tensor))
            return true;
    return false;
}

struct fsd_facts *fsd_facts_new(struct fsd_arena *arena, const struct fsd_graph *g)
{
    struct fsd_facts *f = FSD_NEW(arena, struct fsd_facts, 1);
    FSD_SCRATCH(scratch);

    assert(fsd_intern_find(g->names, "Conv", 4) == FSD_ONNX_Conv);
    f->g = g;
    f->traits = FSD_NEW(arena, unsigned, g->nodes.n);
    f->constant = FSD_NEW(arena, bool, g->tensors.n);
    f->folded = FSD_NEW(arena, bool, g->nodes.n);
    f->size = FSD_NEW(arena, bool, g->nodes.n);
    f->live = FSD_NEW(arena, bool, g->nodes.n);
    f->same = FSD_NEW(arena, uint8_t, g->nodes.n);
    f->root = fsd_ids_new(arena, g->tensors.n);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        f->traits[i] = fsd_op_traits(g, i);
    find_constants(f, scratch);
    find_live(f, scratch);
    for (fsd_id t = 0; t < g->tensors.n; t++)
        find_root(f, t);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        f->same[i] = (uint8_t)fsd_op_same(g, i);
    fsd_value_number(arena, f);
    return f;
}
