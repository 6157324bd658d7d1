/*
 * Selects the nodes of the main graph that a cut keeps.
 *
 * A node in the body of a function selects the call of the function. A node in the body
 * of an If, Loop or Scan selects nothing: a part of a body cannot be computed, so the
 * If, Loop or Scan is kept as a whole, and only if the user names it.
 *
 * Quantizers at the edges are included, because without them a layer in INT8 would run
 * in FP32. The producers of constants are included, so that weights stay weights.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/word.h"
#include "edit/cut/cut.h"

static const char *name_of(const struct fsd_graph *g, fsd_id node, char room[40])
{
    fsd_sym name = g->nodes.at[node].name;

    if (name)
        return fsd_text(g->names, name);
    snprintf(room, 40, "#%u", node);
    return room;
}

/* --------------------------------------------------------------- the main graph */

/* The node of the main graph that contains the node. *body is set to true if the node
 * is in the body of an If, Loop or Scan. */
static fsd_id lift(const struct fsd_graph *g, fsd_id node, bool *body)
{
    for (fsd_id s = g->nodes.at[node].scope; s; s = g->nodes.at[node].scope) {
        *body |= g->scopes.at[s].kind == FSD_SCOPE_SUBGRAPH;
        node = g->scopes.at[s].owner;
    }
    return node;
}

static void keep(struct fsd_cut_plan *plan, fsd_id node, enum fsd_kept why)
{
    if (plan->kept[node])
        return;
    plan->kept[node] = (uint8_t)why;
    plan->count[why]++;
    fsd_vec_push(plan->arena, &plan->order, node);
}

/* The producer of a tensor of the main graph; FSD_NONE if there is none. */
static fsd_id producer_of(const struct fsd_cut_plan *plan, fsd_id tensor)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    return fsd_graph_tensor(g, tensor)->scope ? FSD_NONE
                                              : fsd_tensor_producer(g, tensor);
}

/* ------------------------------------------------------------------ requested nodes */

/* Adds the requested nodes of the main graph. If a requested node is in a body, fails
 * unless the main-graph node that contains the body was added. */
static enum fsd_status take_nodes(struct fsd_cut_plan *plan, const fsd_id_vec *nodes,
                                  struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    fsd_id inside = FSD_NONE;
    char rooms[2][40];

    for (uint32_t i = 0; i < nodes->n; i++) {
        bool body = false;
        fsd_id top = lift(g, nodes->at[i], &body);

        if (!body)
            keep(plan, top, FSD_KEPT_ASKED);
    }
    for (uint32_t i = 0; i < nodes->n && inside == FSD_NONE; i++)
        if (!plan->kept[plan->main_of[nodes->at[i]]])
            inside = nodes->at[i];
    if (inside == FSD_NONE)
        return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, g->path, FSD_POS_NONE, 0,
                    "expected nodes of the main graph, found '%.100s' in a body of "
                    "'%.100s': fusiondiff cannot cut inside a body; cut the node that "
                    "contains the body (--node)",
                    name_of(g, inside, rooms[0]),
                    name_of(g, plan->main_of[inside], rooms[1]));
}

/* Adds the nodes that a layer computes, alone or together with other layers. */
static void add_computed(const struct fsd_cut_plan *plan, fsd_id layer,
                         fsd_id_vec *nodes)
{
    const struct fsd_match *m = plan->d->match;
    struct fsd_span all = fsd_match_region_nodes(m, m->region_of_layer[layer]);

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        fsd_vec_push(plan->arena, nodes, node);
    FSD_EACH_ID (node, m->pool, all)
        fsd_vec_push(plan->arena, nodes, node);
}

static enum fsd_status take_layers(struct fsd_cut_plan *plan, const fsd_id_vec *layers,
                                   struct fsd_error *err)
{
    const struct fsd_graph *engine = plan->d->engine;
    fsd_id_vec nodes = {0};

    for (uint32_t i = 0; i < layers->n; i++) {
        uint32_t before = nodes.n;

        fsd_vec_push(plan->arena, &plan->layers, layers->at[i]);
        add_computed(plan, layers->at[i], &nodes);
        if (nodes.n == before)
            return fsd_fail(
                err, FSD_E_ARG, engine->path, FSD_POS_NONE, 0,
                "expected layers that compute nodes, found layer %u "
                "'%.200s', which computes no node: cut at tensors by --from and --to, "
                "or cut nodes by --node",
                layers->at[i],
                fsd_text(engine->names, engine->nodes.at[layers->at[i]].name));
    }
    return take_nodes(plan, &nodes, err);
}

/* Whether the layers of the node belong together: if the list has one of them,
 * add_group() adds the others. False for a Q or DQ, because its layers do not compute
 * it together. Also false if the node's outcome is not FSD_FATE_LAYER. */
static bool joins(const struct fsd_cut_plan *plan, fsd_id node)
{
    return plan->d->nodes[node].fate == FSD_FATE_LAYER &&
           !(fsd_traits_of(plan->d->facts, node) & FSD_OP_QDQ);
}

/* Extends the list. If a layer of the list computes a node, adds all other layers that
 * compute this node. A node that is a Q or DQ adds no layers. Added layers are
 * processed, too. */
static void add_group(const struct fsd_cut_plan *plan, fsd_id_vec *layers)
{
    const struct fsd_match *m = plan->d->match;
    bool *in = FSD_NEW(plan->arena, bool, m->engine->nodes.n + 1);

    for (uint32_t i = 0; i < layers->n; i++)
        in[layers->at[i]] = true;
    for (uint32_t i = 0; i < layers->n; i++) {
        fsd_id_vec nodes = {0};

        add_computed(plan, layers->at[i], &nodes);
        for (uint32_t k = 0; k < nodes.n; k++)
            for (uint32_t j = 0;
                 joins(plan, nodes.at[k]) && j < m->of_node[nodes.at[k]].n; j++) {
                fsd_id layer = fsd_match_of_node(m, nodes.at[k], j)->layer;

                if (!in[layer])
                    fsd_vec_push(plan->arena, layers, layer);
                in[layer] = true;
            }
    }
}

static enum fsd_status take_words(struct fsd_cut_plan *plan, struct fsd_error *err)
{
    const struct fsd_cut_options *opt = plan->opt;
    const struct fsd_match *m = plan->d->match;
    fsd_id_vec layers = {0}, groups = {0}, nodes = {0};
    enum fsd_status status = fsd_pick_all(plan->arena, m, FSD_PICK_LAYERS, opt->layers,
                                          opt->n_layers, &layers, err);

    FSD_THEN(status, fsd_pick_all(plan->arena, m, FSD_PICK_LAYERS, opt->groups,
                                  opt->n_groups, &groups, err));
    FSD_THEN(status, fsd_pick_all(plan->arena, m, FSD_PICK_NODES, opt->nodes,
                                  opt->n_nodes, &nodes, err));
    if (status != FSD_OK)
        return status;
    add_group(plan, &groups);
    status = take_nodes(plan, &nodes, err);
    FSD_THEN(status, take_layers(plan, &layers, err));
    return status == FSD_OK ? take_layers(plan, &groups, err) : status;
}

/* -------------------------------------------------------------- between tensors */

static enum fsd_status find_tensor(const struct fsd_cut_plan *plan, const char *name,
                                   fsd_id *out, struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    struct fsd_nearest nearest = fsd_nearest_to(name);
    fsd_sym sym = fsd_intern_find(g->names, name, strlen(name));
    char text[512];

    *out = sym ? fsd_graph_find(g, sym, 0) : FSD_NONE;
    if (fsd_is_data(plan->d->facts, *out))
        return FSD_OK;
    for (fsd_id i = 0; i < g->tensors.n; i++)
        if (!g->tensors.at[i].scope && !plan->d->facts->constant[i])
            fsd_nearest_try(&nearest, fsd_text(g->names, g->tensors.at[i].name));
    return fsd_fail(err, FSD_E_ARG, g->path, FSD_POS_NONE, 0,
                    "expected a tensor of the main graph that is not a constant, found "
                    "'%.200s'%s",
                    name, *out == FSD_NONE ? fsd_nearest_text(&nearest, text) : "");
}

static enum fsd_status find_tensors(const struct fsd_cut_plan *plan,
                                    const char *const *names, unsigned n, bool *marked,
                                    struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < n && status == FSD_OK; i++) {
        fsd_id tensor;

        status = find_tensor(plan, names[i], &tensor, err);
        if (status == FSD_OK)
            marked[tensor] = true;
    }
    return status;
}

/* Finds the nodes after the tensors in `start`: the consumers of these tensors, the
 * consumers of their outputs, and so on. Outputs that are in `stop` are not followed.
 * @param start,stop indexed by tensor
 * @return indexed by node of the main graph */
static bool *reach_down(const struct fsd_cut_plan *plan, const bool *start,
                        const bool *stop)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    bool *reached = FSD_NEW(plan->arena, bool, g->nodes.n + 1);
    fsd_id_vec todo = {0};

    for (fsd_id t = 0; t < g->tensors.n; t++)
        if (start[t])
            fsd_vec_push(plan->arena, &todo, t);
    while (todo.n) {
        const struct fsd_tensor *t = &g->tensors.at[todo.at[--todo.n]];

        FSD_EACH_ID (reader, g->links, t->consumers) {
            fsd_id node = plan->main_of[reader];
            struct fsd_span out = g->nodes.at[node].out;

            for (uint32_t k = 0; !reached[node] && k < out.n; k++) {
                fsd_id made = g->ports.at[out.at + k].tensor;

                if (made != FSD_NONE && !stop[made])
                    fsd_vec_push(plan->arena, &todo, made);
            }
            reached[node] = true;
        }
    }
    return reached;
}

/* Called for a tensor that a node of the main graph, or a node in its bodies, reads. */
typedef void reads_fn(struct fsd_cut_plan *plan, fsd_id tensor, fsd_id producer,
                      void *to);

/* Calls `found` for each tensor that `node`, or a node in its bodies, reads from
 * another node of the main graph. */
static void each_read(struct fsd_cut_plan *plan, fsd_id node, reads_fn *found, void *to)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    fsd_id inner;

    for (uint32_t i = 0; (inner = fsd_list_at(&plan->within, node, i)) != FSD_NONE; i++)
        FSD_EACH_OF (read, g->ports, g->nodes.at[inner].in, tensor) {
            fsd_id producer = producer_of(plan, read);

            if (producer != FSD_NONE)
                found(plan, read, producer, to);
        }
}

struct ascent {
    const bool *stop;
    bool *reached;
    fsd_id_vec todo;
};

static void ascend(struct fsd_cut_plan *plan, fsd_id tensor, fsd_id producer, void *to)
{
    struct ascent *up = to;

    if (fsd_true_at(up->stop, tensor) || up->reached[producer])
        return;
    up->reached[producer] = true;
    fsd_vec_push(plan->arena, &up->todo, producer);
}

/* Finds the nodes before the tensors in `start`: the producers of these tensors, the
 * producers of their inputs, and so on. Inputs that are in `stop` are not followed.
 * @param start,stop indexed by tensor
 * @return indexed by node of the main graph */
static bool *reach_up(struct fsd_cut_plan *plan, const bool *start, const bool *stop)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const bool *nowhere = FSD_NEW(plan->arena, bool, g->tensors.n + 1);
    struct ascent up = {nowhere, FSD_NEW(plan->arena, bool, g->nodes.n + 1), {0}};

    for (fsd_id t = 0; t < g->tensors.n; t++)
        if (start[t] && producer_of(plan, t) != FSD_NONE)
            ascend(plan, t, producer_of(plan, t), &up);
    up.stop = stop;
    while (up.todo.n)
        each_read(plan, up.todo.at[--up.todo.n], ascend, &up);
    return up.reached;
}

/* Keeps the nodes after the tensors opt->from and before the tensors opt->to. If both
 * are given, only nodes on paths from one to the other are kept. The other inputs of
 * the kept nodes become inputs of the part. */
static enum fsd_status take_between(struct fsd_cut_plan *plan, struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const struct fsd_cut_options *opt = plan->opt;
    bool *from = FSD_NEW(plan->arena, bool, g->tensors.n + 1);
    bool *to = FSD_NEW(plan->arena, bool, g->tensors.n + 1);
    enum fsd_status status = find_tensors(plan, opt->from, opt->n_from, from, err);
    bool *down, *up;

    FSD_THEN(status, find_tensors(plan, opt->to, opt->n_to, to, err));
    if (status != FSD_OK || (!opt->n_from && !opt->n_to))
        return status;
    down = opt->n_from ? reach_down(plan, from, to) : NULL;
    up = opt->n_to ? reach_up(plan, to, from) : NULL;
    for (fsd_id i = 0; i < g->nodes.n && !g->nodes.at[i].scope; i++)
        if ((!down || down[i]) && (!up || up[i]))
            keep(plan, i, FSD_KEPT_ASKED);
    if (plan->count[FSD_KEPT_ASKED])
        return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, g->path, FSD_POS_NONE, 0,
                    "expected nodes %s%.150s%s%.150s%s, found none",
                    opt->n_from ? "behind '" : "before '",
                    opt->n_from ? opt->from[0] : opt->to[0],
                    opt->n_from && opt->n_to ? "' and before '" : "",
                    opt->n_from && opt->n_to ? opt->to[0] : "", "'");
}

/* ----------------------------------------------------- nodes that are included, too */

/* Whether add_producers() adds `producer`, the producer of `tensor`. A kept node reads
 * `tensor`. */
typedef bool wanted_fn(const struct fsd_cut_plan *plan, fsd_id tensor, fsd_id producer);

static void add_producers(struct fsd_cut_plan *plan, const uint8_t *of,
                          wanted_fn *wanted, enum fsd_kept why)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    for (fsd_id i = g->nodes.n; i-- > 0;) {
        struct fsd_span in = g->nodes.at[i].in;

        for (uint32_t k = 0; of[plan->main_of[i]] && k < in.n; k++) {
            fsd_id read = g->ports.at[in.at + k].tensor;
            fsd_id producer = producer_of(plan, read);

            if (producer != FSD_NONE && !plan->kept[producer] &&
                wanted(plan, read, producer))
                keep(plan, producer, why);
        }
    }
}

static void keep_varying(struct fsd_cut_plan *plan, fsd_id tensor, fsd_id producer,
                         void *to)
{
    (void)to;
    if (!fsd_is_constant(plan->d->facts, tensor))
        keep(plan, producer, FSD_KEPT_CONTEXT);
}

static void keep_constant(struct fsd_cut_plan *plan, fsd_id tensor, fsd_id producer,
                          void *to)
{
    (void)to;
    if (fsd_is_constant(plan->d->facts, tensor))
        keep(plan, producer, FSD_KEPT_CONSTANT);
}

static bool is_dequantizer(const struct fsd_cut_plan *plan, fsd_id tensor,
                           fsd_id producer)
{
    (void)tensor;
    return fsd_traits_of(plan->d->facts, producer) & FSD_OP_DEQUANTIZE;
}

static bool is_quantizer(const struct fsd_cut_plan *plan, fsd_id tensor,
                         fsd_id producer)
{
    (void)tensor;
    return fsd_traits_of(plan->d->facts, producer) & FSD_OP_QUANTIZE;
}

static uint8_t *copy_kept(const struct fsd_cut_plan *plan)
{
    size_t n = fsd_cut_model(plan)->nodes.n;
    uint8_t *copy = FSD_NEW(plan->arena, uint8_t, n + 1);

    memcpy(copy, plan->kept, n);
    return copy;
}

/* Adds the consumers of a node's outputs. With `traits`, adds only consumers that have
 * one of these traits. */
static void add_readers_of(struct fsd_cut_plan *plan, fsd_id node, unsigned traits,
                           enum fsd_kept why)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    struct fsd_span out = g->nodes.at[node].out;

    FSD_EACH_OF (tensor, g->ports, out, tensor) {
        struct fsd_span readers = fsd_tensor_consumers(g, tensor);

        FSD_EACH_ID (reader, g->links, readers)
            if (!traits || fsd_traits_of(plan->d->facts, reader) & traits)
                keep(plan, plan->main_of[reader], why);
    }
}

static void add_readers(struct fsd_cut_plan *plan, const uint8_t *of, unsigned traits,
                        enum fsd_kept why)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    for (fsd_id i = 0; i < g->nodes.n && !g->nodes.at[i].scope; i++)
        if (of[i])
            add_readers_of(plan, i, traits, why);
}

/* Adds the nodes that are up to `steps` edges away, in both directions. Each step only
 * visits the nodes that the last step added, because all neighbors of earlier nodes are
 * there already. */
static void add_context(struct fsd_cut_plan *plan, unsigned steps)
{
    uint32_t begin = 0;

    for (unsigned i = 0; i < steps && begin < plan->order.n; i++) {
        uint32_t end = plan->order.n;

        for (; begin < end; begin++) {
            each_read(plan, plan->order.at[begin], keep_varying, NULL);
            add_readers_of(plan, plan->order.at[begin], 0, FSD_KEPT_CONTEXT);
        }
    }
}

/* Adds the Q/DQ pair before each input of the part, and the pair after each output. */
static void add_quantizers(struct fsd_cut_plan *plan)
{
    uint8_t *before = copy_kept(plan);

    add_producers(plan, before, is_dequantizer, FSD_KEPT_QUANTIZER);
    add_producers(plan, plan->kept, is_quantizer, FSD_KEPT_QUANTIZER);
    add_readers(plan, before, FSD_OP_QUANTIZE, FSD_KEPT_QUANTIZER);
    before = copy_kept(plan);
    for (fsd_id i = 0; i < fsd_cut_model(plan)->nodes.n; i++)
        if (!(fsd_traits_of(plan->d->facts, i) & FSD_OP_QUANTIZE))
            before[i] = FSD_KEPT_NOT;
    add_readers(plan, before, FSD_OP_DEQUANTIZE, FSD_KEPT_QUANTIZER);
}

static void find_main(struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    plan->kept = FSD_NEW(plan->arena, uint8_t, g->nodes.n + 1);
    plan->main_of = FSD_NEW(plan->arena, fsd_id, g->nodes.n + 1);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        plan->main_of[i] = lift(g, i, &(bool){false});
    plan->within = fsd_lists_new(plan->arena, plan->main_of, sizeof *plan->main_of,
                                 g->nodes.n, g->nodes.n);
}

enum fsd_status fsd_cut_pick(struct fsd_cut_plan *plan, struct fsd_error *err)
{
    const struct fsd_cut_options *opt = plan->opt;
    enum fsd_status status;

    find_main(plan);
    status = take_words(plan, err);
    FSD_THEN(status, take_between(plan, err));
    if (status != FSD_OK)
        return status;
    if (!plan->count[FSD_KEPT_ASKED])
        return fsd_fail(err, FSD_E_ARG, fsd_cut_model(plan)->path, FSD_POS_NONE, 0,
                        "expected a part to cut, found none: select it by --layer, "
                        "--group or --node, or by --from and --to");
    add_context(plan, opt->context);
    if (!opt->n_from && !opt->n_to)
        add_quantizers(plan);
    for (uint32_t i = 0; i < plan->order.n; i++)
        each_read(plan, plan->order.at[i], keep_constant, NULL);
    return FSD_OK;
}
