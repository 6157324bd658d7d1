/*
 * Kernels that say what they do.  Their steps are replayed over the model, kernel by
 * kernel in the engine's order:
 *
 *     kernel  MatMul Add Tanh            reads what holds x, writes what holds ?
 *     model   x -> MatMul -> Add -> Tanh -> y -> MatMul ...
 *                  `----- taken -----'      ? holds y
 *
 * A node can be taken when all that it reads is at hand: held by what the kernel reads,
 * or made by a node taken before, with nodes in between that need no step of their own
 * (views, quantizers, what is folded into weights).  Several nodes may fit a step, and
 * some steps are the builder's own (a cast, a padding): the likeliest ways are followed
 * side by side, and at the end the one is kept that leaves the fewest steps and inputs
 * of the kernel unused and agrees best with names and sizes.  Where even that one
 * contradicts too much, nothing is claimed, and the replay goes on behind the next
 * tensor or kernel that a name tells.
 *
 * Layers with links by Metadata are anchors: they are what they say, and hold what
 * their nodes make.  Those that are no kernels go first, so that it does not count
 * where they are listed; kernels keep the order of the list, which is that of their
 * execution.
 */
#include "base/sets.h"
#include "match/kernel/way.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void add_must(struct replay *r, fsd_id node, uint32_t cost)
{
    if (node != FSD_NONE && !fsd_is_must(r, node) && r->n_must < MUST)
        r->must[r->n_must++] = (struct must){node, cost};
}

/* The node that makes a tensor, seen through what passes. */
static fsd_id real_maker(const struct replay *r, fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(r->g, tensor);

    for (int far = 0;
         far < FAR && node != FSD_NONE && r->passes[node] && !r->folds[node]; far++) {
        fsd_id in = fsd_data_input(r, node);

        node = in == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->g, in);
    }
    return node;
}

/* The one node that reads a constant, seen through what is constant, too. */
static fsd_id only_reader(const struct replay *r, fsd_id tensor)
{
    for (int far = 0; far < FAR; far++) {
        const struct fsd_tensor *t = &r->g->tensors.at[tensor];
        fsd_id node = t->consumers.n == 1 ? r->g->links.at[t->consumers.at] : FSD_NONE;

        if (node == FSD_NONE || !r->m->facts->folded[node])
            return node;
        tensor = fsd_node_out_tensor(r->g, node, 0);
        if (tensor == FSD_NONE)
            break;
    }
    return FSD_NONE;
}

/* The only node that a layer's name says it computes. */
static fsd_id only_named(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span mentions = e->layers.at[layer].mentions;
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < mentions.n; i++) {
        const struct fsd_mention *m = &e->mentions.at[mentions.at + i];

        if (!(m->by & r->m->evidence))
            continue;
        if (m->role != FSD_MENTION_COMPUTES || m->among != 1 ||
            (found != FSD_NONE && found != m->node))
            return FSD_NONE;
        found = m->node;
    }
    return found;
}

/* A kernel that is named after one node, and reads one tensor: that is the node's
 * input.  Of branches that are alike this tells which is which. */
static fsd_id wanted_by_reader(const struct replay *r, fsd_id tensor)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span readers = {0};
    fsd_id found = FSD_NONE;

    if (tensor != FSD_NONE && (r->m->evidence & FSD_BY_TENSOR))
        readers = e->tensors.at[tensor].consumers;
    for (uint32_t i = 0; i < readers.n; i++) {
        fsd_id layer = e->links.at[readers.at + i], node = only_named(r, layer), in;

        if (node == FSD_NONE || e->nodes.at[layer].in.n != 1)
            continue;
        in = fsd_data_input(r, node);
        if (in == FSD_NONE || (found != FSD_NONE && found != real_maker(r, in)))
            return FSD_NONE;
        found = real_maker(r, in);
    }
    return found;
}

/* An argument's name is that of one node among those of all its readers: not of this
 * one where another layer bears the node's own name, or was seen to compute it. */
static void add_hint(struct replay *r, fsd_id node)
{
    if (node != FSD_NONE && r->named[node] == FSD_NONE)
        node = fsd_last_twin(r, node);
    if (node != FSD_NONE && r->maker[node] == FSD_NONE &&
        (r->named[node] == FSD_NONE || r->named[node] == r->layer))
        add_must(r, node, COST_HINTED);
}

/* What names say that the kernel computes: its own, and those of its tensors. */
static void find_must(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[r->layer];
    const struct fsd_node *n = &e->nodes.at[r->layer];

    r->n_must = 0;
    for (uint32_t i = 0; i < l->mentions.n; i++) {
        const struct fsd_mention *m = &e->mentions.at[l->mentions.at + i];

        if ((m->by & r->m->evidence) && m->role == FSD_MENTION_COMPUTES &&
            m->among == 1)
            add_must(r, m->node, COST_NAMED);
    }
    for (uint32_t i = 0; i < n->in.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id in = fsd_node_in_tensor(e, r->layer, i), t = FSD_NONE;

        if (in != FSD_NONE && e->tensors.at[in].argument)
            t = fsd_graph_find(r->g, e->tensors.at[in].argument, 0);
        if (t != FSD_NONE && l->kind == FSD_KIND_COMPUTE)
            add_hint(r, fsd_tensor_producer(r->g, t));
    }
    for (uint32_t i = 0; i < n->out.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id out = fsd_node_out_tensor(e, r->layer, i);

        if (out != FSD_NONE && r->m->twin[out] != FSD_NONE &&
            e->tensors.at[out].producers.n == 1 && l->kind == FSD_KIND_COMPUTE)
            add_hint(r, real_maker(r, r->m->twin[out]));
    }
    for (uint32_t i = 0; i < n->out.n && l->kind == FSD_KIND_COMPUTE; i++)
        add_hint(r, wanted_by_reader(r, fsd_node_out_tensor(e, r->layer, i)));
    for (uint32_t i = 0; i < l->constants.n && (r->m->evidence & FSD_BY_TENSOR); i++) {
        fsd_id c = e->ports.at[l->constants.at + i].tensor;

        if (c != FSD_NONE && r->m->twin[c] != FSD_NONE)
            add_hint(r, only_reader(r, r->m->twin[c]));
    }
}

static void reserve(struct replay *r)
{
    for (fsd_id i = 0; i < r->m->engine->layers.n; i++) {
        fsd_id node = only_named(r, i);

        if (node != FSD_NONE)
            r->named[node] = i;
    }
    for (r->layer = 0; r->layer < r->m->engine->layers.n; r->layer++) {
        if (!r->m->engine->layers.at[r->layer].steps.n)
            continue;
        find_must(r);
        for (uint32_t i = 0; i < r->n_must; i++)
            r->reserved[r->must[i].node] = r->layer;
    }
}

static void hold(struct replay *r, fsd_id e, struct held item)
{
    struct fsd_span *span = &r->of[e], old = *span;

    for (uint32_t i = 0; i < old.n; i++) {
        struct held h = r->held.at[old.at + i];

        if (h.tensor == item.tensor && h.node == item.node)
            return;
    }
    if (old.at + old.n != r->held.n) {
        span->at = r->held.n;
        for (uint32_t i = 0; i < old.n; i++)
            fsd_vec_push(r->scratch, &r->held, r->held.at[old.at + i]);
    }
    fsd_vec_push(r->scratch, &r->held, item);
    span->n++;
}

/* Products that were joined write one tensor, and each reader a part of it: what it
 * computes of that, others compute, too. */
static void note_part(struct replay *r, const struct fsd_port *port)
{
    const struct fsd_graph *e = r->m->engine;
    int64_t size = fsd_form_count(e, fsd_port_form(e, port)), least = 0;

    for (uint32_t k = 0; k < r->of[port->tensor].n; k++) {
        struct held h = r->held.at[r->of[port->tensor].at + k];
        int64_t count = h.tensor == FSD_NONE ? -1 : fsd_count_of(r, h.tensor);

        if (count < 0)
            return;
        least = least && least < count ? least : count;
    }
    if (size > 0 && least > size && least % size == 0 && least / size > r->part)
        r->part = least / size;
}

static void begin_kernel(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    struct way *w = &r->ways[0];

    memset(w, 0, offsetof(struct way, hand));
    r->n_ways = 1;
    r->gaps = false;
    r->part = 1;
    r->padded = false;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_node_in_tensor(e, r->layer, i);
        uint64_t from = fsd_first_port(r, i);

        if (t == FSD_NONE)
            continue;
        r->gaps |= !r->of[t].n && e->tensors.at[t].producers.n;
        note_part(r, fsd_node_in(e, n, i));
        for (uint32_t k = 0; k < e->tensors.at[t].producers.n; k++)
            r->padded |= r->pads[e->links.at[e->tensors.at[t].producers.at + k]];
        for (uint32_t k = 0; k < r->of[t].n; k++) {
            struct held h = r->held.at[r->of[t].at + k];

            if (h.tensor != FSD_NONE) {
                fsd_way_hold(w, h.tensor, from);
            } else if (w->n_open < OPEN && !fsd_way_began(w, h.node)) {
                h.idle = h.handed = true;
                h.from = from;
                w->open[w->n_open++] = h;
            } else {
                for (uint32_t o = 0; o < w->n_open; o++)
                    if (w->open[o].node == h.node)
                        w->open[o].from |= from;
            }
        }
    }
    /* What is held as it is comes from its own port, whatever else could be turned into
     * it on the way. */
    fsd_way_follow(r, w, 0);
}

static void hold_made(struct replay *r, const struct way *w)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    fsd_id made[AT_HAND];
    uint32_t escaping = fsd_way_makes(r, w, made);

    for (uint32_t i = 0; i < n->out.n; i++) {
        const struct fsd_port *port = fsd_node_out(e, n, i);
        int64_t size = fsd_form_count(e, fsd_port_form(e, port));
        bool fits = false;

        if (port->tensor == FSD_NONE)
            continue;
        for (uint32_t k = 0; k < escaping; k++)
            fits |= size >= 0 && fsd_count_of(r, made[k]) == size;
        for (uint32_t k = 0; k < escaping; k++)
            if (!fits || fsd_count_of(r, made[k]) == size ||
                fsd_count_of(r, made[k]) < 0)
                hold(r, port->tensor,
                     (struct held){.tensor = made[k], .node = FSD_NONE});
        for (uint32_t k = 0; k < w->n_open; k++)
            hold(r, port->tensor, w->open[k]);
        /* A kernel hands on what it read, where it moves data or writes more than it
         * makes. */
        if (e->layers.at[r->layer].steps.n &&
            ((!w->n_taken && !w->n_open) || (escaping < n->out.n && !fits)))
            for (uint32_t p = 0; p < n->in.n; p++) {
                fsd_id in = fsd_node_in_tensor(e, r->layer, p);

                for (uint32_t k = 0; in != FSD_NONE && k < r->of[in].n; k++)
                    hold(r, port->tensor, r->held.at[r->of[in].at + k]);
            }
    }
}

/* What passed on the way to a node, and is no other layer's: folded into this one's
 * weights, or, when it lies behind a product, into those of the layer before. */
static void link_passed(struct replay *r, const struct way *w, fsd_id node, int far)
{
    const struct fsd_node *n = &r->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n && far; i++) {
        fsd_id t = fsd_node_in(r->g, n, i)->tensor;
        fsd_id by = t == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->g, t), data;
        fsd_id layer = r->layer;
        bool qdq;

        if (by != FSD_NONE)
            by = fsd_last_twin(r, by);
        if (by == FSD_NONE || !(r->passes[by] || fsd_is_late(r, by)) ||
            fsd_way_took(w, by) || r->maker[by] != FSD_NONE ||
            (r->reserved[by] != FSD_NONE && r->reserved[by] != r->layer))
            continue;
        qdq = r->m->facts->traits[by] & FSD_OP_QDQ;
        link_passed(r, w, by, far - 1);
        if (fsd_is_late(r, by)) {
            layer = r->late[by];
        } else if (r->folds[by] && fsd_is_product(r, node) &&
                   (fsd_node_is(r->g, by, "Mul") || fsd_node_is(r->g, by, "Div"))) {
            layer = r->layer;
        } else if (r->folds[by]) {
            fsd_id before = fsd_data_input(r, by);

            data = before == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->g, before);
            if (data != FSD_NONE && !fsd_way_took(w, data))
                layer = r->maker[data];
            if (layer == FSD_NONE) /* whose weights took it, nobody knows */
                continue;
        } else if (!qdq || !fsd_is_product(r, node)) {
            continue;
        }
        r->maker[by] = layer;
        fsd_match_link(r->m, layer, by, FSD_BY_STRUCTURE);
    }
}

static bool activates(const struct replay *r, fsd_id node)
{
    static const char *const ops[] = {
        "Relu", "Sigmoid", "Tanh",        "Clip",           "LeakyRelu",
        "Elu",  "Selu",    "HardSigmoid", "HardSwish",      "Softplus",
        "Gelu", "PRelu",   "Softsign",    "ThresholdedRelu"};

    return fsd_is_one_of(r, node, ops, FSD_COUNT_OF(ops));
}

/* Nodes of one input behind what the kernel made: a library's kernel may apply them. */
static void mark_late(struct replay *r, fsd_id tensor, int far)
{
    const struct fsd_tensor *t = &r->g->tensors.at[tensor];

    for (uint32_t i = 0; i < t->consumers.n; i++) {
        fsd_id node = r->g->links.at[t->consumers.at + i];
        fsd_id out = fsd_node_out_tensor(r->g, node, 0);

        if (r->maker[node] != FSD_NONE || out == FSD_NONE || fsd_is_product(r, node) ||
            fsd_data_input(r, node) == FSD_NONE)
            continue;
        if (!r->passes[node]) {
            if (!activates(r, node))
                continue;
            r->late[node] = r->layer;
        }
        if (far)
            mark_late(r, out, far - 1);
    }
}

/* A product of integers is brought to floats, with its bias, by the next kernel. */
static void hold_sum(struct replay *r, fsd_id node)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    struct fsd_span ways = r->recipes->of[node];
    static const char *const products[] = {"Conv", "Gemm", "MatMul"};
    bool narrow = false;

    for (uint32_t i = 0; i < n->in.n; i++)
        narrow |= fsd_dtype_is_quantized(fsd_port_form(e, fsd_node_in(e, n, i))->type);
    for (uint32_t i = 0; i < ways.n; i++) {
        const struct fsd_recipe *recipe = &r->recipes->all.at[ways.at + i];

        if (recipe->n < 2 || (recipe->steps[1] == r->mul) != narrow ||
            !fsd_is_one_of(r, node, products, FSD_COUNT_OF(products)) ||
            (recipe->n > 2 || recipe->steps[1] != r->mul) !=
                (r->g->nodes.at[node].in.n > 2))
            continue;
        for (uint32_t k = 0; k < n->out.n; k++)
            if (fsd_node_out(e, n, k)->tensor != FSD_NONE)
                hold(r, fsd_node_out(e, n, k)->tensor,
                     (struct held){.tensor = FSD_NONE,
                                   .node = node,
                                   .recipe = ways.at + i,
                                   .done = 1});
    }
}

/* Joined products write their parts in the order of their names. */
static void sort_by_name(const struct replay *r, struct way *w)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < r->n_must; i++)
        for (uint32_t k = at; k < w->n_taken; k++)
            if (w->taken[k] == r->must[i].node) {
                fsd_id node = w->taken[k];

                w->taken[k] = w->taken[at];
                w->taken[at++] = node;
            }
}

/* What is left of a Conv of integers without a bias is the scale of its quantizers,
 * which the builder reckons as none of the Conv; with a bias, and of a MatMul, it does.
 */
static bool only_scales(const struct replay *r, fsd_id node)
{
    return fsd_node_is(r->g, node, "Conv") && r->g->nodes.at[node].in.n < 3;
}

/* One step may be the beginning of many nodes: what a kernel begins it computes a part
 * of only when the one it hands that to is seen to end it. */
static void link_begun(struct replay *r, const struct way *w)
{
    for (uint32_t i = 0; i < w->n_taken; i++)
        for (uint32_t k = 0; k < r->begun.n && w->ended[i]; k++)
            if (r->begun.at[k].node == w->taken[i])
                fsd_match_link(r->m, r->begun.at[k].layer, w->taken[i],
                               FSD_BY_STRUCTURE);
    for (uint32_t i = 0; i < w->n_open; i++)
        if (!w->open[i].idle)
            fsd_vec_push(r->scratch, &r->begun,
                         (struct fsd_link){.layer = r->layer, .node = w->open[i].node});
}

/* A kernel that reads nothing makes the weight: what is folded in the model may be left
 * to a run, as integers are smaller to keep. */
static void link_weight(struct replay *r, fsd_id product)
{
    const struct fsd_graph *e = r->m->engine;
    fsd_id weight = fsd_node_in_tensor(r->g, product, 1);
    fsd_id dq = weight == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->g, weight);

    if (dq == FSD_NONE || !(r->m->facts->traits[dq] & FSD_OP_DEQUANTIZE))
        return;
    for (uint32_t i = 0; i < e->nodes.at[r->layer].in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, &e->nodes.at[r->layer], i);
        fsd_id by =
            port->tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(e, port->tensor);

        if (by == FSD_NONE || e->nodes.at[by].in.n ||
            fsd_form_count(e, fsd_port_form(e, port)) != fsd_count_of(r, weight))
            continue;
        r->maker[dq] = by;
        fsd_match_link(r->m, by, dq, FSD_BY_STRUCTURE);
    }
}

static void accept(struct replay *r, const struct way *w)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    fsd_id made[AT_HAND];
    uint32_t n = fsd_way_makes(r, w, made);

    r->pads[r->layer] = w->pads;
    r->cuts[r->layer] = w->cuts;
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (fsd_node_is(r->g, w->taken[i], "Attention"))
            r->attention[r->layer] = w->taken[i];
    r->moves_on[r->layer] = !w->n_taken && !w->n_open && l->kind != FSD_KIND_COMPUTE;
    for (uint32_t i = 0; i < w->n_taken; i++) {
        if (fsd_is_product(r, w->taken[i])) {
            r->product[r->layer] = w->taken[i];
            link_weight(r, w->taken[i]);
            if (l->more_steps == FSD_STEPS_GO_ON)
                hold_sum(r, w->taken[i]);
        }
        if (r->maker[w->taken[i]] == FSD_NONE)
            r->maker[w->taken[i]] = r->layer;
        if (!w->ended[i] || !only_scales(r, w->taken[i]))
            fsd_match_link(r->m, r->layer, w->taken[i], FSD_BY_STRUCTURE);
    }
    link_begun(r, w);
    for (uint32_t i = 0; i < n && r->product[r->layer] != FSD_NONE; i++)
        mark_late(r, made[i], 2);
    for (uint32_t i = 0; i < w->n_taken; i++)
        link_passed(r, w, w->taken[i], 6);
    for (uint32_t i = 0; i < w->n_open; i++)
        if (!w->open[i].idle)
            link_passed(r, w, w->open[i].node, 6);
}

/* A kernel that is known by other evidence holds what its nodes make. */
static void follow_links(struct replay *r, bool take_all)
{
    struct way *w = &r->ways[0];

    memset(w, 0, offsetof(struct way, hand));
    if (take_all)
        for (uint32_t i = 0; i < r->m->of_layer[r->layer].n && w->n_taken < TAKEN; i++)
            w->taken[w->n_taken++] = fsd_match_of_layer(r->m, r->layer, i)->node;
    else
        for (uint32_t i = 0; i < r->n_must; i++)
            if (r->must[i].cost == COST_NAMED)
                w->taken[w->n_taken++] = r->must[i].node;
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (r->maker[w->taken[i]] == FSD_NONE)
            r->maker[w->taken[i]] = r->layer;
    if (w->n_taken)
        hold_made(r, w);
}

static bool is_anchor(const struct fsd_match *m, fsd_id layer)
{
    for (uint32_t i = 0; i < m->of_layer[layer].n; i++)
        if (fsd_match_of_layer(m, layer, i)->by & FSD_BY_METADATA)
            return true;
    return false;
}

/* Ways that nothing tells apart: branches that are alike as far as can be seen.  What
 * all of them take is claimed; what the kernel writes may be what any of them makes. */
static void accept_tied(struct replay *r, uint32_t n)
{
    struct way *shared = &r->next[0];
    uint32_t kept = 0;

    memcpy(shared, &r->ways[0], sizeof *shared);
    for (uint32_t i = 0; i < shared->n_taken; i++) {
        bool all = true;

        for (uint32_t k = 1; k < n && all; k++)
            all = fsd_way_took(&r->ways[k], shared->taken[i]);
        if (all) {
            shared->ended[kept] = shared->ended[i];
            shared->taken[kept++] = shared->taken[i];
        }
    }
    r->unsaid[r->layer] = shared->n_taken - kept;
    shared->n_taken = kept;
    sort_by_name(r, shared);
    accept(r, shared);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < r->ways[k].n_taken; i++)
            if (!fsd_way_took(shared, r->ways[k].taken[i]))
                fsd_vec_push(r->scratch, &r->tied,
                             (struct fsd_link){r->layer, r->ways[k].taken[i], 0});
        sort_by_name(r, &r->ways[k]);
        hold_made(r, &r->ways[k]);
    }
}

/* Kernels that could compute the same nodes are a region when there are as many of
 * these as they compute together, so that each is computed by one of them.  Pairs are
 * sorted: (set, layer) and (set, node). */
static void add_region(struct replay *r, const struct fsd_link *layers, uint32_t n,
                       const struct fsd_link *nodes, uint32_t n_nodes)
{
    struct fsd_match *m = r->m;
    struct fsd_region region = {{m->pool.n, n}, {m->pool.n + n, 0}, FSD_BY_STRUCTURE};
    uint32_t unsaid = 0;

    for (uint32_t i = 0; i < n; i++) {
        fsd_vec_push(m->arena, &m->pool, layers[i].node);
        unsaid += r->unsaid[layers[i].node];
    }
    for (uint32_t i = 0; i < n_nodes; i++)
        if ((!i || nodes[i].node != nodes[i - 1].node) &&
            r->maker[nodes[i].node] == FSD_NONE) {
            fsd_vec_push(m->arena, &m->pool, nodes[i].node);
            region.nodes.n++;
        }
    if (n < 2 || region.nodes.n != unsaid)
        return;
    for (uint32_t i = 0; i < n; i++)
        m->region_of_layer[layers[i].node] = m->regions.n;
    for (uint32_t i = 0; i < region.nodes.n; i++)
        m->region_of_node[m->pool.at[region.nodes.at + i]] = m->regions.n;
    fsd_vec_push(m->arena, &m->regions, region);
}

static void add_regions(struct replay *r)
{
    uint32_t layers = r->m->engine->layers.n, to_layer, to_node, node = 0;
    fsd_id *set = fsd_sets_new(r->scratch, layers);
    fsd_id *first = FSD_NEW(r->scratch, fsd_id, r->g->nodes.n); /* and 1 */
    FSD_VEC(struct fsd_link) kernels = {0};

    for (uint32_t i = 0; i < r->tied.n; i++) {
        struct fsd_link tied = r->tied.at[i];

        if (first[tied.node])
            fsd_sets_join(set, tied.layer, first[tied.node] - 1);
        first[tied.node] = tied.layer + 1;
    }
    for (fsd_id i = 0; i < layers; i++)
        if (r->unsaid[i])
            fsd_vec_push(r->scratch, &kernels,
                         (struct fsd_link){fsd_sets_find(set, i), i, 0});
    for (uint32_t i = 0; i < r->tied.n; i++)
        r->tied.at[i].layer = fsd_sets_find(set, r->tied.at[i].layer);
    if (kernels.n) {
        qsort(kernels.at, kernels.n, sizeof *kernels.at, fsd_by_pair);
        qsort(r->tied.at, r->tied.n, sizeof *r->tied.at, fsd_by_pair);
    }
    for (uint32_t at = 0; at < kernels.n; at = to_layer, node = to_node) {
        fsd_id of = kernels.at[at].layer;

        for (to_layer = at; to_layer < kernels.n && kernels.at[to_layer].layer == of;)
            to_layer++;
        for (to_node = node; to_node < r->tied.n && r->tied.at[to_node].layer == of;)
            to_node++;
        add_region(r, &kernels.at[at], to_layer - at, &r->tied.at[node],
                   to_node - node);
    }
}

static void replay_kernel(struct replay *r)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    uint32_t limit = 3 + l->steps.n / 3, tied = 1;

    find_must(r);
    begin_kernel(r);
    for (uint32_t i = 0; i < l->steps.n && r->n_ways; i++)
        fsd_ways_step(r, r->m->engine->links.at[l->steps.at + i]);
    for (uint32_t i = 0; i < r->n_ways; i++) {
        fsd_way_take_more(r, &r->ways[i]);
        fsd_way_finish(r, &r->ways[i]);
    }
    qsort(r->ways, r->n_ways, sizeof *r->ways, fsd_way_order);
    if (r->n_ways && r->ways[0].cost <= limit) {
        while (tied < r->n_ways && !fsd_way_order(&r->ways[0], &r->ways[tied]))
            tied++;
        accept_tied(r, tied);
    } else {
        follow_links(r, false);
    }
}

/* Tensors that a name tells. */
static void hold_named(struct replay *r)
{
    for (fsd_id e = 0; e < r->m->engine->tensors.n; e++)
        if (r->m->twin[e] != FSD_NONE)
            hold(r, e, (struct held){.tensor = r->m->twin[e], .node = FSD_NONE});
}

/* What is moved into a tensor that others write, too, is a part of a Concat. */
static void link_part(struct replay *r, fsd_id layer, fsd_id out)
{
    fsd_id tensor = r->m->twin[out];
    fsd_id node = tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->g, tensor);

    if (node != FSD_NONE && fsd_node_is(r->g, node, "Concat"))
        fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
}

/* An Attention of the model takes its heads apart itself: what does it for its kernel
 * does a part of it. */
static void link_attention(struct replay *r, fsd_id layer, struct fsd_span readers)
{
    for (uint32_t i = 0; i < readers.n; i++) {
        fsd_id node = r->attention[r->m->engine->links.at[readers.at + i]];

        if (node != FSD_NONE)
            fsd_match_link(r->m, layer, node, FSD_BY_STRUCTURE);
    }
}

/* What makes data larger or smaller, and no node asks for it, fits it to the product
 * beside: the kernel does a part of that node's work.  Of joined products it takes the
 * part of one. */
static void link_fitting(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;

    for (fsd_id i = 0; i < e->layers.n; i++) {
        fsd_id out = fsd_node_out_tensor(e, i, 0), in = fsd_node_in_tensor(e, i, 0);
        struct fsd_span beside = {0, 0};

        if (r->moves_on[i] && out != FSD_NONE && e->tensors.at[out].producers.n > 1)
            link_part(r, i, out);
        if (r->moves_on[i] && out != FSD_NONE)
            link_attention(r, i, e->tensors.at[out].consumers);
        if (r->pads[i] && out != FSD_NONE && e->tensors.at[out].producers.n == 1)
            beside = e->tensors.at[out].consumers;
        else if (r->cuts[i] && in != FSD_NONE)
            beside = e->tensors.at[in].producers;
        for (uint32_t k = 0; k < beside.n; k++) {
            fsd_id by = e->links.at[beside.at + k], node = r->product[by];

            if (node != FSD_NONE && !fsd_joins_products(&e->layers.at[by]))
                fsd_match_link(r->m, i, node, FSD_BY_STRUCTURE);
        }
    }
}

static void list_twins(struct replay *r)
{
    r->next_twin = FSD_NEW(r->scratch, fsd_id, r->g->nodes.n);
    r->last_twin = FSD_NEW(r->scratch, fsd_id, r->g->nodes.n);
    for (fsd_id i = 0; i < r->g->nodes.n; i++) {
        fsd_id *last = &r->last_twin[r->m->facts->first_twin[i]];

        r->next_twin[i] = FSD_NONE;
        if (r->m->facts->first_twin[i] != i)
            r->next_twin[*last] = i;
        *last = i;
    }
}

void fsd_pass_steps(struct fsd_match *m)
{
    static const char *const moves[] = {"Move",  "Transpose", "Cast",   "Reshape",
                                        "Slice", "Concat",    "Gather", "Expand"};
    struct fsd_arena *scratch;
    struct replay r = {.m = m, .g = m->model};
    bool any = false;

    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        any |= m->engine->layers.at[i].steps.n > 0;
    if (!any)
        return;
    r.scratch = scratch = fsd_arena_new();
    r.recipes = fsd_recipes_new(scratch, m->facts);
    r.passes = FSD_NEW(scratch, bool, m->model->nodes.n);
    r.folds = FSD_NEW(scratch, bool, m->model->nodes.n);
    r.generates = FSD_NEW(scratch, bool, m->model->nodes.n);
    r.maker = FSD_NEW(scratch, fsd_id, m->model->nodes.n);
    r.of = FSD_NEW(scratch, struct fsd_span, m->engine->tensors.n);
    r.ways = FSD_NEW(scratch, struct way, NEXT + 1);
    r.next = FSD_NEW(scratch, struct way, NEXT + 1);
    r.product = FSD_NEW(scratch, fsd_id, m->engine->layers.n);
    r.attention = FSD_NEW(scratch, fsd_id, m->engine->layers.n);
    r.moves_on = FSD_NEW(scratch, bool, m->engine->layers.n);
    r.unsaid = FSD_NEW(scratch, uint32_t, m->engine->layers.n);
    r.pads = FSD_NEW(scratch, bool, m->engine->layers.n);
    r.cuts = FSD_NEW(scratch, bool, m->engine->layers.n);
    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        r.product[i] = r.attention[i] = FSD_NONE;
    r.concat = fsd_intern_str(m->model->names, "Concat");
    r.mul = fsd_intern_str(m->model->names, "Mul");
    r.slice = fsd_intern_str(m->model->names, "Slice");
    r.matmul = fsd_intern_str(m->model->names, "MatMul");
    r.cast = fsd_intern_str(m->model->names, "Cast");
    for (size_t i = 0; i < FSD_COUNT_OF(moves); i++)
        r.moves[i] = fsd_intern_str(m->model->names, moves[i]);
    r.reserved = FSD_NEW(scratch, fsd_id, m->model->nodes.n);
    r.named = FSD_NEW(scratch, fsd_id, m->model->nodes.n);
    r.late = FSD_NEW(scratch, fsd_id, m->model->nodes.n);
    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        r.maker[i] = r.reserved[i] = r.named[i] = r.late[i] = FSD_NONE;
    r.sizes = fsd_sizes_new(scratch, m->model);
    fsd_match_bind_sizes(m, r.sizes);
    fsd_sizes_take_model(r.sizes);
    list_twins(&r);
    fsd_replay_passing(&r);
    hold_named(&r);
    reserve(&r);
    for (int kernels = 0; kernels < 2; kernels++)
        for (r.layer = 0; r.layer < m->engine->layers.n; r.layer++) {
            if ((m->engine->layers.at[r.layer].steps.n > 0) != kernels)
                continue;
            if (is_anchor(m, r.layer))
                follow_links(&r, true);
            else if (kernels)
                replay_kernel(&r);
        }
    link_fitting(&r);
    add_regions(&r);
    fsd_arena_free(scratch);
}
