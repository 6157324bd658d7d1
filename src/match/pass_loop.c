/*
 * Links layers to loops.  The builder numbers loops and branches in the order in which
 * it parses them.  The builder also adds tensors for a loop, such as a loop state or a
 * constant of a product, and their names contain the number of the loop:
 *
 *     copy    x -> (Unnamed Loop* 0)^s.2          copies the initial state
 *     gemm    s, (Unnamed Loop* 0)^..._alpha -> a
 *     kernel  a, b -> c                           between two layers of the loop
 *     gemm    c, (Unnamed Loop* 0)^..._alpha -> d
 *
 * A layer that has such a constant is linked to the node that owns the loop.  A layer
 * without a known node is linked to this owner in three cases: the layer has another
 * tensor with such a name, the layer is between two layers of the loop, or the layer is
 * between a layer of the loop and a consumer of the loop's output.  It remains unknown
 * which node of the body the layer computes.
 */
#include "match/pass.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

/* What is known about the layers at one side of a tensor: its producers or its
 * consumers. */
struct side {
    bool known;
    fsd_id loop, reader; /* `loop`: the loop of these layers; `reader`: the loop whose
                            output one of these layers reads; FSD_NONE if there is
                            none */
    bool leaves;         /* whether all these layers read the output of a loop and none
                            belongs to a loop */
    fsd_id view;         /* the view through which the last of these layers reads the
                            loop's output; FSD_NONE if there is none */
};

struct loops {
    struct fsd_match *m;
    struct fsd_arena *scratch;
    FSD_VEC(fsd_id) nodes; /* nodes that own loops, indexed by loop number minus 1 */
    bool *owns;            /* indexed by node: whether the node is in `nodes` */
    /* Indexed by layer: the node that owns a loop; FSD_NONE if there is none.  `of`:
     * the layer's own loop.  `before`, `behind`: the loop of the layers before or
     * behind the layer.  `read`: the loop whose output the layer reads. */
    fsd_id *of, *before, *behind, *read;
    fsd_id *view; /* indexed by layer: the view through which the layer reads the loop's
                     output; FSD_NONE if there is none */
    bool *out;    /* indexed by layer: whether the layer only forwards a loop's
                     output */
    struct side *sides[2]; /* indexed by tensor: [0] its producers, [1] its consumers */
    bool *passed[2];       /* indexed by layer. passed[0]: whether `before` is known.
                              passed[1]: whether `behind` is known */
};

/* Sorts `nodes` in the order in which the parser read them, if the log shows this
 * order.  The file may list the nodes in another order. */
static void order_as_parsed(struct loops *l)
{
    const struct fsd_history *h = l->m->story ? l->m->story->h : NULL;
    bool *seen = FSD_NEW(l->scratch, bool, l->m->model->nodes.n);
    fsd_id *parsed = FSD_NEW(l->scratch, fsd_id, l->nodes.n);
    uint32_t n = 0;

    if (!h || !h->node_of || h->refused)
        return;
    for (uint32_t i = 0; i < h->n_parsed; i++) {
        fsd_id node = h->node_of[i];

        if (!fsd_true_at(l->owns, node) || seen[node])
            continue;
        seen[node] = true;
        parsed[n++] = node;
    }
    if (n && n == l->nodes.n)
        memcpy(l->nodes.at, parsed, n * sizeof *parsed);
}

/* Fills `nodes`; false if the loops cannot be numbered.  They are numbered only if all
 * of them are in the main graph, because it is unknown how the builder numbers loops in
 * bodies. */
static bool count_loops(struct loops *l)
{
    const struct fsd_graph *g = l->m->model;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        if (!(l->m->facts->traits[i] & (FSD_OP_RECURRENT | FSD_OP_CONTROL)))
            continue;
        if (g->nodes.at[i].scope)
            return false;
        fsd_vec_push(l->scratch, &l->nodes, i);
        l->owns[i] = true;
    }
    order_as_parsed(l);
    return l->nodes.n > 0;
}

/* Whether no node is linked to the layer although its kind may compute nodes. */
static bool is_bare(const struct fsd_match *m, fsd_id layer)
{
    enum fsd_kind kind = m->engine->layers.at[layer].kind;

    return !m->of_layer[layer].n && kind != FSD_KIND_SHAPE && kind != FSD_KIND_SYNC &&
           kind != FSD_KIND_CONSTANT;
}

static fsd_id named_by(const struct loops *l, struct fsd_span ports)
{
    const struct fsd_graph *e = l->m->engine;
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < ports.n && found == FSD_NONE; i++) {
        fsd_id t = e->ports.at[ports.at + i].tensor;
        uint32_t loop = fsd_graph_tensor(e, t)->loop;

        if (loop && loop <= l->nodes.n)
            found = l->nodes.at[loop - 1];
    }
    return found;
}

/* The loop of a layer according to its links or its tensors; FSD_NONE if they show
 * none. */
static fsd_id loop_of(const struct loops *l, fsd_id layer)
{
    const struct fsd_node *n = &l->m->engine->nodes.at[layer];
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < l->m->of_layer[layer].n && found == FSD_NONE; i++) {
        fsd_id node = fsd_match_of_layer(l->m, layer, i)->node;

        found = l->owns[node] ? node : FSD_NONE;
    }
    if (found == FSD_NONE)
        found = named_by(l, l->m->engine->layers.at[layer].constants);
    if (found == FSD_NONE && is_bare(l->m, layer))
        found = named_by(l, n->out);
    if (found == FSD_NONE && is_bare(l->m, layer))
        found = named_by(l, n->in);
    return found;
}

struct views {
    const struct fsd_match *m;
    fsd_id *last;
};

static fsd_id before_view(const void *of, fsd_id node)
{
    const struct views *v = of;

    if (!(v->m->facts->traits[node] & FSD_OP_VIEW))
        return FSD_NONE;
    *v->last = node;
    return fsd_node_in_tensor(v->m->model, node, 0);
}

/* The producer of a tensor, looking through views (nodes that only change the shape);
 * FSD_NONE if there is none.  Sets `view` to the view nearest to the producer; FSD_NONE
 * if there is no view. */
static fsd_id producer_of(const struct fsd_match *m, fsd_id tensor, fsd_id *view)
{
    const struct views views = {m, view};

    *view = FSD_NONE;
    return fsd_tensor_producer(m->model,
                               fsd_walk_back(m->model, tensor, before_view, &views));
}

/* The loop whose output the layer's nodes read; FSD_NONE if there is none.  Sets `view`
 * to the view between the loop and the nodes, or to FSD_NONE. */
static fsd_id read_by(const struct loops *l, fsd_id layer, fsd_id *view)
{
    const struct fsd_graph *g = l->m->model;

    FSD_EACH_OF (node, l->m->links, l->m->of_layer[layer], node) {
        const struct fsd_node *n = &g->nodes.at[node];

        FSD_EACH_OF (tensor, g->ports, n->in, tensor) {
            fsd_id by = producer_of(l->m, tensor, view);

            if (fsd_true_at(l->owns, by))
                return by;
        }
    }
    *view = FSD_NONE;
    return FSD_NONE;
}

/* Describes the layers on one side of a tensor: its consumers if `behind` is set, else
 * its producers.  If such a layer has no nodes and no known loop, uses the loop next to
 * the layer, in l->behind or l->before. */
static struct side side_of(const struct loops *l, fsd_id tensor, bool behind)
{
    const struct fsd_graph *e = l->m->engine;
    struct fsd_span layers =
        behind ? e->tensors.at[tensor].consumers : e->tensors.at[tensor].producers;
    const fsd_id *through = behind ? l->behind : l->before;
    struct side side = {true, FSD_NONE, FSD_NONE, layers.n > 0, FSD_NONE};

    for (uint32_t k = 0; k < layers.n; k++) {
        fsd_id at = e->links.at[layers.at + k], loop = l->of[at];

        side.known &= l->passed[behind][at];
        side.leaves &= loop == FSD_NONE && (l->read[at] != FSD_NONE || l->out[at]);
        side.view = l->view[at];
        if (loop == FSD_NONE && is_bare(l->m, at))
            loop = through[at];
        else if (loop == FSD_NONE && behind && side.reader == FSD_NONE)
            side.reader = l->read[at];
        side.loop = fsd_id_both(side.loop, loop);
    }
    return side;
}

/* Returns one side of a tensor.  A final result is stored, so that a tensor with many
 * consumers takes linear time.  On a cycle, such as a loop state that is written in
 * place, a result may not be final.  The next call then computes it again. */
static const struct side *find_side(const struct loops *l, fsd_id tensor, bool behind)
{
    struct side *side = &l->sides[behind][tensor];

    if (!side->known)
        *side = side_of(l, tensor, behind);
    return side;
}

/* The loop of the layers behind `layer` if `behind` is set, else of the layers before
 * `layer`.  FSD_NONE if there is none or more than one. */
static fsd_id beside(const struct loops *l, fsd_id layer, bool behind)
{
    const struct fsd_graph *e = l->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_span ports = behind ? n->out : n->in;
    fsd_id found = FSD_NONE, reader = FSD_NONE;

    FSD_EACH_OF (t, e->ports, ports, tensor) {
        const struct side *side = t == FSD_NONE ? NULL : find_side(l, t, behind);

        if (!side)
            continue;
        found = fsd_id_both(found, side->loop);
        reader = fsd_id_or(reader, side->reader);
    }
    return found == FSD_SEVERAL ? FSD_NONE : fsd_id_or(found, reader);
}

/* Whether the layer only moves the output of a loop to a consumer.  Such a layer is not
 * part of the loop.  If there is a view between the loop and the consumer, the layer
 * performs this view. */
static bool outputs_value(const struct loops *l, fsd_id layer)
{
    enum fsd_kind kind = l->m->engine->layers.at[layer].kind;
    fsd_id out = fsd_node_out_tensor(l->m->engine, layer, 0);
    const struct side *side;

    if (!is_bare(l->m, layer) || out == FSD_NONE ||
        (kind != FSD_KIND_REFORMAT && kind != FSD_KIND_COPY))
        return false;
    side = find_side(l, out, true);
    if (side->leaves)
        l->view[layer] = side->view;
    return side->leaves;
}

/* Whether a layer of the loop reads an output of `layer`. */
static bool goes_on_in(const struct loops *l, fsd_id layer, fsd_id loop)
{
    struct fsd_span out = l->m->engine->nodes.at[layer].out;

    for (uint32_t i = 0; i < out.n && loop != FSD_NONE; i++) {
        fsd_id t = fsd_node_out_tensor(l->m->engine, layer, i);

        if (t != FSD_NONE && find_side(l, t, true)->loop == loop)
            return true;
    }
    return false;
}

/* The loop of a layer whose links and tensors show no loop; FSD_NONE if there is none.
 * If the same loop is before and behind the layer, it is this loop.  Otherwise, it is
 * the loop before the layer, if an output of the layer also leads to it.  The other
 * outputs may lead to other loops: a layer behind may read the results of several
 * loops, although it is linked to only one of them. */
static fsd_id loop_between(const struct loops *l, fsd_id layer)
{
    fsd_id before = l->before[layer], behind = l->behind[layer];

    /* A layer without inputs belongs to the loop that reads its output. */
    if (before == behind || !l->m->engine->nodes.at[layer].in.n)
        return behind;
    return goes_on_in(l, layer, before) ? before : FSD_NONE;
}

void fsd_pass_loop(struct fsd_match *m)
{
    uint32_t n = m->engine->layers.n;
    FSD_SCRATCH(scratch);
    struct loops l = {.m = m, .scratch = scratch};
    const fsd_id *order;

    l.owns = FSD_NEW(l.scratch, bool, m->model->nodes.n);
    if (count_loops(&l)) {
        l.of = FSD_NEW(l.scratch, fsd_id, n);
        l.read = FSD_NEW(l.scratch, fsd_id, n);
        l.view = FSD_NEW(l.scratch, fsd_id, n);
        l.out = FSD_NEW(l.scratch, bool, n);
        for (int k = 0; k < 2; k++) {
            l.sides[k] = FSD_NEW(l.scratch, struct side, m->engine->tensors.n);
            l.passed[k] = FSD_NEW(l.scratch, bool, n);
        }
        order = fsd_graph_order(l.scratch, m->engine);
        l.before = FSD_NEW(l.scratch, fsd_id, n);
        l.behind = FSD_NEW(l.scratch, fsd_id, n);
        for (fsd_id i = 0; i < n; i++) {
            l.of[i] = loop_of(&l, i);
            l.read[i] = read_by(&l, i, &l.view[i]);
            l.before[i] = l.behind[i] = FSD_NONE;
        }
        for (fsd_id i = 0; i < n; i++) {
            l.before[order[i]] = beside(&l, order[i], false);
            l.passed[false][order[i]] = true;
        }
        for (fsd_id i = n; i-- > 0;) {
            l.behind[order[i]] = beside(&l, order[i], true);
            l.out[order[i]] = outputs_value(&l, order[i]);
            l.passed[true][order[i]] = true;
        }
        for (fsd_id i = 0; i < n; i++) {
            fsd_id loop = l.of[i];

            if (loop == FSD_NONE && is_bare(m, i) && !l.out[i])
                loop = loop_between(&l, i);
            if (l.out[i] && m->engine->layers.at[i].kind == FSD_KIND_COPY)
                loop = l.view[i];
            if (!fsd_match_has(m, i, loop))
                fsd_match_link(m, i, loop, FSD_BY_STRUCTURE);
        }
    }
}
