/*
 * The tensors between groups: the form in which a node's group reads each input of the
 * node, and the ends of the moves between groups.
 *
 *     model    Relu_24 --- Q --- DQ --- Conv_34        engine   [Relu_24] fp16
 *                  `------------------- Add_36                  Q: fp16 -> int8
 *                                                               [Conv_34 Add_36]
 *     borders  Relu_24 -> Conv_34  int8                move     Relu_24 -> Conv_34
 *              Relu_24 -> Add_36   fp16
 *
 * The engine's tensor for an input of a node is the first tensor of the engine on the
 * path from the node back to the input's origin.  If the builder invents the tensors'
 * names, any tensor counts that the origin's group writes and this group reads,
 * provided that all such tensors have the same form.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"

enum {
    FAR = 64, /* maximum number of consecutive nodes or moves that are skipped */
    NEAR = 4  /* maximum number of consecutive nodes without a group */
};

struct move_end {
    fsd_id move; /* the sort key is `move`, then `end`; both must be the first
                    members */
    struct fsd_destination end;
};

/* The port at which a group reads an origin. */
struct by_source {
    uint32_t stamp; /* the group, plus 1 */
    uint32_t port;  /* FSD_NONE if there are several ports with different forms */
};

struct edges {
    struct fsd_state_build *b;
    uint32_t *stamp; /* indexed by model tensor: the last group that reads its value,
                        plus 1 */
    uint32_t *port;  /* indexed by model tensor: the port at which that group reads
                        it */
    struct by_source *by_source; /* indexed by the number_of() of an origin */
    uint32_t *asked;    /* indexed by the place_of() of an origin: the last layer for
                           which ask_for_layer() marked the origin, plus 1 */
    uint32_t *asked_of; /* indexed by layer: like `asked`, but set for each layer that
                           computes a marked node */
    fsd_id *model_of;   /* indexed by state node: the model's node; FSD_NONE if there is
                           none */
    uint32_t *read;     /* indexed by state node: the last layer for which lacks_input()
                           marked the node as read or computed, plus 1 */
    fsd_id *last;       /* indexed by layer: the last of its nodes that are in a group;
                           FSD_NONE if no such node is known */
    uint32_t *port_of;  /* indexed by engine tensor: the last port of this tensor that
                           add_twice() visited, plus 1 */
    FSD_VEC(struct move_end) to;
};

static bool is_move(const struct fsd_state_build *b, fsd_id layer)
{
    return b->s->of_layer[layer] & FSD_LAYER_MOVES;
}

static fsd_id first_of(const struct fsd_graph *e, struct fsd_span layers)
{
    return layers.n ? e->links.at[layers.at] : FSD_NONE;
}

/* If a layer of `writers` is a move, adds `end` to the destinations of this move.  Does
 * the same for the moves that directly precede it. */
static void serve(struct edges *x, struct fsd_span writers, struct fsd_destination end)
{
    const struct fsd_graph *e = x->b->d->engine;

    for (uint32_t i = 0; i < writers.n && i < FAR; i++) {
        fsd_id layer = e->links.at[writers.at + i];

        for (int far = 0; far < FAR && layer != FSD_NONE && is_move(x->b, layer);
             far++) {
            const struct fsd_node *n = &e->nodes.at[layer];

            fsd_vec_push(
                x->b->scratch, &x->to,
                (struct move_end){x->b->s->of_layer[layer] & ~FSD_LAYER_MOVES, end});
            layer = n->in.n ? first_of(e, fsd_port_peers(e, n->in.at, true)) : FSD_NONE;
        }
    }
}

/* -------------------------------------------------------------------- borders */

/* The origin that a port reads: a core node or a network input.  Moves in front of the
 * port are skipped.  If the tensor has no counterpart in the model, the origin is the
 * last node of the group that writes the tensor. */
static struct fsd_origin find_from(const struct fsd_state_build *b, uint32_t port)
{
    const struct fsd_graph *e = b->d->engine;

    for (int far = 0; far < FAR && e->ports.at[port].tensor != FSD_NONE; far++) {
        fsd_id layer = first_of(e, fsd_port_peers(e, port, true));
        struct fsd_origin at = FSD_NO_ORIGIN;

        if (!fsd_port_is_part(e, port))
            at = fsd_state_core(b, b->d->match->counterpart[e->ports.at[port].tensor])
                     .at;
        if (fsd_is_origin(at) || layer == FSD_NONE)
            return at;
        if (!is_move(b, layer)) {
            struct fsd_span nodes = b->s->groups.at[b->s->of_layer[layer]].nodes;

            return fsd_node_origin(b->s->refs.at[nodes.at + nodes.n - 1]);
        }
        if (!e->nodes.at[layer].in.n)
            return FSD_NO_ORIGIN;
        port = e->nodes.at[layer].in.at;
    }
    return FSD_NO_ORIGIN;
}

static void stamp_inputs(struct edges *x, fsd_id layer)
{
    const struct fsd_graph *e = x->b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    uint32_t group = x->b->s->of_layer[layer];

    for (uint32_t i = 0; i < n->in.n; i++) {
        const struct fsd_port *port = fsd_node_in(e, n, i);
        fsd_id counterpart = fsd_match_held(x->b->d->match, port->tensor);
        fsd_id value = fsd_id_at(x->b->facts->value, counterpart);

        if (value == FSD_NONE || x->stamp[value] == group + 1)
            continue;
        x->stamp[value] = group + 1;
        x->port[value] = n->in.at + i;
    }
}

/* Returns the value of `tensor` if a layer of the group reads it. If none does, tries
 * the first input of the node that produces `tensor`, and so on. Does not go back past
 * a core node. Returns FSD_NONE if no such value is found. */
static fsd_id find_read(const struct edges *x, fsd_id tensor, uint32_t group)
{
    const struct fsd_graph *g = x->b->model;

    for (int far = 0; far < FAR && tensor != FSD_NONE; far++) {
        fsd_id value = x->b->facts->value[tensor];
        fsd_id node = fsd_tensor_producer(g, tensor);

        if (x->stamp[value] == group + 1)
            return value;
        if (fsd_id_at(x->b->of_node, node) == FSD_NONE ||
            x->b->s->nodes.at[x->b->of_node[node]].role == FSD_ROLE_CORE)
            return FSD_NONE;
        tensor = fsd_node_in_tensor(g, node, 0);
    }
    return FSD_NONE;
}

/* The index of an origin in `by_source`.  For a node: the number of its group, or
 * FSD_NONE if it has no group.  For a network input: its number plus the number of
 * groups.  For neither: FSD_NONE. */
static uint32_t number_of(const struct fsd_state *s, struct fsd_origin source)
{
    uint32_t input = fsd_origin_input(source);

    return input == FSD_NONE ? fsd_state_group_of(s, fsd_origin_node(source))
                             : s->groups.n + input;
}

static bool has_form(const struct edges *x, uint32_t port, uint32_t other)
{
    const struct fsd_graph *e = x->b->d->engine;
    struct fsd_state_form p =
        fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[port]));
    struct fsd_state_form q =
        fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[other]));

    return p.type == q.type && p.layout == q.layout;
}

/* Notes in `by_source` the ports at which `layer` reads origins outside its group.  For
 * each origin, the first port of the group is noted.  If ports of the group read the
 * origin in different forms, FSD_NONE is noted instead. */
static void note_sources(struct edges *x, fsd_id layer, uint32_t group)
{
    struct fsd_span in = x->b->d->engine->nodes.at[layer].in;

    for (uint32_t p = in.at; p < in.at + in.n; p++) {
        uint32_t source = number_of(x->b->s, find_from(x->b, p));
        struct by_source *by = source == FSD_NONE ? NULL : &x->by_source[source];

        if (!by || source == group)
            continue;
        if (by->stamp != group + 1)
            *by = (struct by_source){group + 1, p};
        else if (by->port != FSD_NONE && !has_form(x, by->port, p))
            by->port = FSD_NONE;
    }
}

/* Walks back from `source` past each node that has no group and exactly one input, and
 * returns the origin behind these nodes.  For example, a Transpose that the builder
 * eliminated has no group. */
static struct fsd_origin made_from(const struct fsd_state *s, struct fsd_origin source)
{
    for (int far = 0; far < FAR; far++) {
        fsd_id node = fsd_origin_node(source);

        if (node == FSD_NONE || s->nodes.at[node].group != FSD_NONE ||
            s->nodes.at[node].core_in.n != 1)
            break;
        source = s->sources.at[s->nodes.at[node].core_in.at].at;
    }
    return source;
}

/* The first port at which the group reads the origin; FSD_NONE if there is none, or if
 * several ports have different forms. */
static uint32_t port_from(const struct edges *x, uint32_t group,
                          struct fsd_origin source)
{
    uint32_t number = number_of(x->b->s, made_from(x->b->s, source));

    return number == FSD_NONE || x->by_source[number].stamp != group + 1
               ? FSD_NONE
               : x->by_source[number].port;
}

static void add_reads(struct edges *x, fsd_id model_node, uint32_t group)
{
    const struct fsd_graph *e = x->b->d->engine;
    struct fsd_state *s = x->b->s;
    fsd_id node = x->b->of_node[model_node];
    const struct fsd_state_node *n = &s->nodes.at[node];

    for (uint32_t i = 0; i < n->core_in.n; i++) {
        struct fsd_producer source = s->sources.at[n->core_in.at + i];
        struct fsd_border border = {.at = source.at, .node = node};
        fsd_id value;
        uint32_t port;

        if (!fsd_is_origin(source.at) ||
            fsd_state_group_of(s, fsd_origin_node(source.at)) == group)
            continue; /* an unknown origin, or a tensor inside the group */
        value = find_read(x, fsd_node_in_tensor(x->b->model, model_node, i), group);
        port = value == FSD_NONE ? port_from(x, group, source.at) : x->port[value];
        if (port != FSD_NONE)
            border.form = fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[port]));
        if (value != FSD_NONE)
            serve(x, fsd_port_peers(e, port, true), fsd_node_destination(node));
        fsd_vec_push(s->arena, &s->borders, border);
    }
}

static void add_writes(struct edges *x, fsd_id layer, uint32_t group)
{
    const struct fsd_graph *e = x->b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_state *s = x->b->s;

    for (uint32_t i = 0; i < n->out.n; i++) {
        const struct fsd_port *port = fsd_node_out(e, n, i);
        fsd_id t = fsd_match_held(x->b->d->match, port->tensor);
        fsd_id made = fsd_origin_node(fsd_state_core(x->b, t).at);

        if (fsd_state_group_of(s, made) != group)
            continue;
        fsd_vec_push(
            s->arena, &s->borders,
            (struct fsd_border){.at = FSD_NO_ORIGIN,
                                .node = made,
                                .form = fsd_state_form(x->b, fsd_port_form(e, port))});
    }
}

static int by_border(const void *a, const void *b)
{
    const struct fsd_border *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (!fsd_same_origin(x->at, y->at))
        return fsd_order(x->at.ref, y->at.ref);
    return x->form.type - y->form.type;
}

/* Sorts the borders from index `at` on, and keeps the first one for each node and
 * origin. */
static struct fsd_span close_borders(struct fsd_state *s, uint32_t at)
{
    uint32_t n = s->borders.n - at, kept = 0;
    struct fsd_border *all = n ? s->borders.at + at : NULL;

    fsd_sort(all, n, sizeof *all, by_border);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || all[i].node != all[kept - 1].node ||
            !fsd_same_origin(all[i].at, all[kept - 1].at))
            all[kept++] = all[i];
    s->borders.n = at + kept;
    return (struct fsd_span){at, kept};
}

/* Returns a list of the layers of each group. */
static struct fsd_lists list_layers(const struct fsd_state_build *b)
{
    uint32_t n = b->d->engine->nodes.n;
    fsd_id *group = FSD_NEW(b->scratch, fsd_id, n);

    for (fsd_id i = 0; i < n; i++)
        group[i] = is_move(b, i) ? FSD_NONE : b->s->of_layer[i];
    return fsd_lists_new(b->scratch, group, sizeof *group, n, b->s->groups.n);
}

static struct fsd_lists list_nodes(const struct fsd_state_build *b)
{
    uint32_t n = b->model->nodes.n;
    fsd_id *group = FSD_NEW(b->scratch, fsd_id, n);

    for (fsd_id i = 0; i < n; i++)
        group[i] = fsd_state_group_of(b->s, b->of_node[i]);
    return fsd_lists_new(b->scratch, group, sizeof *group, n, b->s->groups.n);
}

static void add_borders(struct edges *x)
{
    struct fsd_state *s = x->b->s;
    struct fsd_lists layers = list_layers(x->b), nodes = list_nodes(x->b);

    for (uint32_t g = 0; g < s->groups.n; g++) {
        uint32_t at = s->borders.n;

        for (uint32_t i = 0; i < layers.of[g].n; i++) {
            stamp_inputs(x, fsd_list_at(&layers, g, i));
            note_sources(x, fsd_list_at(&layers, g, i), g);
        }
        for (uint32_t i = 0; i < nodes.of[g].n; i++)
            add_reads(x, fsd_list_at(&nodes, g, i), g);
        s->groups.at[g].in = close_borders(s, at);
        at = s->borders.n;
        for (uint32_t i = 0; i < layers.of[g].n; i++)
            add_writes(x, fsd_list_at(&layers, g, i), g);
        s->groups.at[g].out = close_borders(s, at);
    }
}

/* ---------------------------------------------------------------- ends of moves */

fsd_id fsd_state_port_tensor(const struct fsd_state_build *b,
                             const struct fsd_state_port *port)
{
    fsd_sym name = fsd_intern_other(b->s->names, port->name, b->model->names);

    return fsd_graph_find(b->d->engine, name, 0);
}

static void serve_outputs(struct edges *x)
{
    const struct fsd_state_build *b = x->b;

    for (uint32_t i = 0; i < b->s->outputs.n; i++) {
        fsd_id t = fsd_state_port_tensor(b, &b->s->outputs.at[i]);

        serve(x, fsd_graph_tensor(b->d->engine, t)->producers,
              fsd_output_destination(i));
    }
}

/* Guesses the destination of a move if no known node consumes its data.  Returns the
 * first node of the first group that follows the move; FSD_NONE if no group follows. */
static fsd_id guess_to(const struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_graph *e = b->d->engine;

    for (int far = 0; far < FAR; far++) {
        const struct fsd_node *n = &e->nodes.at[layer];

        layer = n->out.n ? first_of(e, fsd_port_peers(e, n->out.at, false)) : FSD_NONE;
        if (layer == FSD_NONE)
            return FSD_NONE;
        if (!is_move(b, layer))
            return b->s->refs.at[b->s->groups.at[b->s->of_layer[layer]].nodes.at];
    }
    return FSD_NONE;
}

/* Sorts the entries from index `at` on, and removes duplicates and entries that are
 * neither a node nor an input or output.
 * @return number of remaining entries */
static uint32_t close_refs(struct fsd_state *s, uint32_t at)
{
    uint32_t n = s->refs.n - at;
    uint32_t *all = n ? s->refs.at + at : NULL;

    n = fsd_sort_once(all, n, sizeof *all, fsd_by_id);
    n -= n && s->refs.at[at + n - 1] == FSD_NONE; /* drops FSD_NONE, which is the
                                                     highest number */
    s->refs.n = at + n;
    return n;
}

static struct fsd_origins close_origins(struct fsd_state *s, uint32_t at)
{
    return (struct fsd_origins){at, close_refs(s, at)};
}

static struct fsd_destinations close_destinations(struct fsd_state *s, uint32_t at)
{
    return (struct fsd_destinations){at, close_refs(s, at)};
}

static void add_origin(struct fsd_state *s, struct fsd_origin origin)
{
    fsd_vec_push(s->arena, &s->refs, origin.ref);
}

static void add_destination(struct fsd_state *s, struct fsd_destination destination)
{
    fsd_vec_push(s->arena, &s->refs, destination.ref);
}

/* The node that the name of a Reformat states.  Used if the tensors of the Reformat are
 * unknown.
 * @param output true: the Reformat must be at an output of the node; false: at an input
 * @return FSD_NONE if, by its name, the Reformat is on the other side of the node, or
 *         if the name does not identify one node */
static fsd_id named_end(const struct fsd_state_build *b, fsd_id layer, bool output)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_layer *l = &e->layers.at[layer];

    if (l->form != FSD_NAME_SERVES || l->output != output)
        return FSD_NONE;
    FSD_EACH_IN (const struct fsd_mention, m, e->mentions, l->mentions)
        if (m->role == FSD_MENTION_SERVES && m->among == 1)
            return fsd_id_at(b->of_node, m->node);
    return FSD_NONE;
}

static void set_from(const struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_move *move = &b->s->moves.at[b->s->of_layer[layer] & ~FSD_LAYER_MOVES];
    uint32_t at = b->s->refs.n;

    for (uint32_t i = 0; i < n->in.n; i++)
        add_origin(b->s, find_from(b, n->in.at + i));
    if (!n->in.n)
        add_origin(b->s, fsd_node_origin(named_end(b, layer, true)));
    move->from = close_origins(b->s, at);
    if (!move->to.n) {
        fsd_id to = guess_to(b, layer);

        at = b->s->refs.n;
        add_destination(
            b->s, fsd_node_destination(fsd_id_or(to, named_end(b, layer, false))));
        move->to = close_destinations(b->s, at);
    }
}

static void set_to(struct edges *x)
{
    struct fsd_state *s = x->b->s;

    fsd_vec_sort(&x->to, fsd_by_pair);
    for (uint32_t i = 0, k; i < x->to.n; i = k) {
        uint32_t at = s->refs.n;

        for (k = i; k < x->to.n && x->to.at[k].move == x->to.at[i].move; k++)
            add_destination(s, x->to.at[k].end);
        s->moves.at[x->to.at[i].move].to = close_destinations(s, at);
    }
}

/* ------------------------------------------------- what the model does not ask for */

/* Whether `producer` is `at`, or a node in the group of `at`.  If `producer` is a node
 * without a group, such as a Transpose that the builder eliminated, the same is asked
 * about the origins of its inputs, and one match is enough.
 * @param far maximum number of such nodes, one after the other */
static bool is_made_of(const struct fsd_state *s, struct fsd_origin producer,
                       struct fsd_origin at, int far)
{
    const struct fsd_state_node *n;
    bool is = fsd_same_origin(producer, at);
    fsd_id node = fsd_origin_node(producer);

    if (is || node == FSD_NONE)
        return is;
    n = &s->nodes.at[node];
    if (n->group != FSD_NONE)
        return n->group == fsd_state_group_of(s, fsd_origin_node(at));
    for (uint32_t i = 0; i < n->core_in.n && !is && far; i++)
        is = is_made_of(s, s->sources.at[n->core_in.at + i].at, at, far - 1);
    return is;
}

static bool is_asked(const struct fsd_state *s, uint32_t group, struct fsd_origin at)
{
    const struct fsd_group *g = &s->groups.at[group];
    bool asked = fsd_state_group_of(s, fsd_origin_node(at)) == group;

    for (uint32_t i = 0; i < g->in.n && !asked; i++)
        asked = is_made_of(s, s->borders.at[g->in.at + i].at, at, NEAR);
    return asked;
}

/* The layer that wrote the data at a port.  Moves in between are skipped.  Tensor names
 * are not used, because the builder may keep the name of a tensor whose producer it
 * fused.
 * @param[in,out] port if moves are skipped: set to the input of the first move behind
 *         the layer
 * @return FSD_NONE if no layer writes the tensor; a move if its inputs are unknown */
static fsd_id find_writer(const struct fsd_state_build *b, uint32_t *port)
{
    const struct fsd_graph *e = b->d->engine;

    for (int far = 0; far < FAR && e->ports.at[*port].tensor != FSD_NONE; far++) {
        fsd_id layer = first_of(e, fsd_port_peers(e, *port, true));

        if (layer == FSD_NONE || !is_move(b, layer) || !e->nodes.at[layer].in.n)
            return layer;
        *port = e->nodes.at[layer].in.at;
    }
    return FSD_NONE;
}

static fsd_id last_of_layer(const struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_match *m = b->d->match;
    fsd_id last = FSD_NONE;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        fsd_id k = b->of_node[node];

        if (fsd_state_group_of(b->s, k) != FSD_NONE && (last == FSD_NONE || k > last))
            last = k;
    }
    return last;
}

/* An index for the origin `at`, a node or an input: inputs come behind all nodes. */
static uint32_t place_of(const struct edges *x, struct fsd_origin at)
{
    fsd_id node = fsd_origin_node(at);

    return node == FSD_NONE ? x->b->s->nodes.n + fsd_origin_input(at) : node;
}

static void ask_for(struct edges *x, struct fsd_origin at, uint32_t mark)
{
    const struct fsd_match *m = x->b->d->match;
    fsd_id node = fsd_id_at(x->model_of, fsd_origin_node(at));

    x->asked[place_of(x, at)] = mark;
    for (uint32_t i = 0; i < fsd_match_links_of(m, node).n; i++)
        x->asked_of[fsd_match_of_node(m, node, i)->layer] = mark;
}

/* Marks the origins of a node's inputs.  If an origin has no group, also marks the
 * origins of its inputs, and so on through at most `far` such nodes. */
static void ask_for_inputs(struct edges *x, fsd_id node, uint32_t mark, int far)
{
    const struct fsd_state *s = x->b->s;
    struct fsd_span in = s->nodes.at[node].core_in;

    for (uint32_t i = 0; i < in.n; i++) {
        struct fsd_origin at = s->sources.at[in.at + i].at;
        fsd_id producer = fsd_origin_node(at);

        if (!fsd_is_origin(at) || x->asked[place_of(x, at)] == mark)
            continue;
        ask_for(x, at, mark);
        if (producer != FSD_NONE && s->nodes.at[producer].group == FSD_NONE && far)
            ask_for_inputs(x, producer, mark, far - 1);
    }
}

/* Marks the origins that a layer may read according to the model: the origins of its
 * nodes' inputs, and the nodes themselves, because another layer may have computed a
 * part of a node. */
static void ask_for_layer(struct edges *x, fsd_id layer)
{
    const struct fsd_match *m = x->b->d->match;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        fsd_id k = x->b->of_node[node];

        if (k == FSD_NONE)
            continue;
        ask_for(x, fsd_node_origin(k), layer + 1);
        ask_for_inputs(x, k, layer + 1, NEAR);
    }
}

/* The origin that a port reads.  If a layer wrote the data: the last node of the layer
 * or, if the layer's nodes are unknown, the last node of the layer's group.  If no
 * layer wrote the data: a network input or a node without a layer.
 * @param[out] writer the layer that wrote the data; FSD_NONE if there is none
 * @return FSD_NO_ORIGIN if unknown */
static struct fsd_origin read_at(const struct edges *x, uint32_t port, fsd_id *writer)
{
    const struct fsd_state_build *b = x->b;
    struct fsd_span nodes;

    *writer = find_writer(b, &port);
    if (*writer == FSD_NONE)
        return find_from(b, port);
    if (is_move(b, *writer))
        return FSD_NO_ORIGIN;
    if (x->last[*writer] != FSD_NONE)
        return fsd_node_origin(x->last[*writer]);
    nodes = b->s->groups.at[b->s->of_layer[*writer]].nodes;
    return fsd_node_origin(b->s->refs.at[nodes.at + nodes.n - 1]);
}

/* Returns the origin that a port of `layer` reads, if the model does not explain this
 * read.  The model explains it if a node of `layer` reads a node of the layer that
 * writes the data, or if both layers share a node.  If one of the two layers has no
 * known nodes, the nodes of the two groups count instead.  A read from a wrong layer of
 * the right group is then overlooked.
 * @return FSD_NO_ORIGIN if the model explains the read, or if the origin is unknown */
static struct fsd_origin unasked_at(const struct edges *x, fsd_id layer, uint32_t port)
{
    const struct fsd_state_build *b = x->b;
    fsd_id writer;
    struct fsd_origin from = read_at(x, port, &writer);
    bool asked;

    if (!fsd_is_origin(from))
        return from;
    if (fsd_id_at(x->last, writer) != FSD_NONE && x->last[layer] != FSD_NONE)
        asked = x->asked_of[writer] == layer + 1;
    else
        asked = is_asked(b->s, b->s->of_layer[layer], from);
    return asked ? FSD_NO_ORIGIN : from;
}

static void read_nodes_of(struct edges *x, fsd_id writer, uint32_t mark)
{
    const struct fsd_match *m = x->b->d->match;

    FSD_EACH_OF (node, m->links, m->of_layer[writer], node) {
        fsd_id k = x->b->of_node[node];

        if (k != FSD_NONE)
            x->read[k] = mark;
    }
}

/* Whether an input of the layer's nodes is missing: a group computes this input, but
 * the layer neither computes nor reads it. */
static bool lacks_input(struct edges *x, fsd_id layer)
{
    const struct fsd_state *s = x->b->s;
    const struct fsd_match *m = x->b->d->match;
    const struct fsd_node *n = &x->b->d->engine->nodes.at[layer];
    fsd_id writer;
    bool lacks = false;

    read_nodes_of(x, layer, layer + 1);
    for (uint32_t i = 0; i < n->in.n; i++)
        if (fsd_is_origin(read_at(x, n->in.at + i, &writer)) && writer != FSD_NONE)
            read_nodes_of(x, writer, layer + 1);
    for (uint32_t i = 0; i < m->of_layer[layer].n && !lacks; i++) {
        fsd_id k = x->b->of_node[fsd_match_of_layer(m, layer, i)->node];
        struct fsd_span in = {0};

        if (k != FSD_NONE)
            in = s->nodes.at[k].core_in;
        for (uint32_t j = 0; j < in.n && !lacks; j++) {
            fsd_id at = fsd_origin_node(s->sources.at[in.at + j].at);

            lacks = fsd_state_group_of(s, at) != FSD_NONE && x->read[at] != layer + 1;
        }
    }
    return lacks;
}

/* If the layer lacks an input (lacks_input()), adds the origins of tensors that it
 * reads twice to s->refs: the dump may name such a tensor in place of the missing
 * one. */
static void add_twice(struct edges *x, fsd_id layer)
{
    const struct fsd_graph *e = x->b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    uint32_t at = x->b->s->refs.n;

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id writer, t = fsd_node_in(e, n, i)->tensor;

        if (t == FSD_NONE)
            continue;
        if (x->port_of[t] > n->in.at && x->port_of[t] <= n->in.at + i)
            add_origin(x->b->s, read_at(x, n->in.at + i, &writer));
        x->port_of[t] = n->in.at + i + 1;
    }
    if (x->b->s->refs.n > at && !lacks_input(x, layer))
        x->b->s->refs.n = at;
}

/* Sets `unasked` of all groups: the origins that a layer reads, but that its nodes in
 * the model do not read.  Such a read may be an error: the dump may have exchanged two
 * tensors.  Or it may be correct: the layer reads a tensor from further up in the
 * model, for example because the builder computes a value twice. */
static void add_unasked(struct edges *x)
{
    struct fsd_state *s = x->b->s;
    struct fsd_lists layers = list_layers(x->b);

    for (fsd_id i = 0; i < x->b->d->engine->nodes.n; i++)
        x->last[i] = last_of_layer(x->b, i);

    for (fsd_id i = 0; i < x->b->model->nodes.n; i++)
        if (x->b->of_node[i] != FSD_NONE)
            x->model_of[x->b->of_node[i]] = i;
    for (uint32_t g = 0; g < s->groups.n; g++) {
        uint32_t at = s->refs.n;
        bool known = s->groups.at[g].in.n && !s->groups.at[g].loose;

        /* Groups without inputs are skipped: a model that was made from the engine's
         * names has no edges.  Loose groups are skipped, too: it is unknown which of
         * their layers computes which node. */
        for (uint32_t i = 0; known && i < layers.of[g].n; i++) {
            fsd_id layer = fsd_list_at(&layers, g, i);
            struct fsd_span in = x->b->d->engine->nodes.at[layer].in;

            ask_for_layer(x, layer);
            for (uint32_t k = 0; k < in.n; k++)
                add_origin(s, unasked_at(x, layer, in.at + k));
            add_twice(x, layer);
        }
        s->groups.at[g].unasked = close_origins(s, at);
    }
}

void fsd_state_add_edges(struct fsd_state_build *b)
{
    uint32_t n = b->model->tensors.n;
    struct edges x = {
        .b = b,
        .stamp = FSD_NEW(b->scratch, uint32_t, n),
        .port = FSD_NEW(b->scratch, uint32_t, n),
        .by_source =
            FSD_NEW(b->scratch, struct by_source, b->s->groups.n + b->s->inputs.n),
        .asked = FSD_NEW(b->scratch, uint32_t, b->s->nodes.n + b->s->inputs.n),
        .asked_of = FSD_NEW(b->scratch, uint32_t, b->d->engine->nodes.n),
        .model_of = fsd_ids_new(b->scratch, b->s->nodes.n),
        .read = FSD_NEW(b->scratch, uint32_t, b->s->nodes.n),
        .last = FSD_NEW(b->scratch, fsd_id, b->d->engine->nodes.n),
        .port_of = FSD_NEW(b->scratch, uint32_t, b->d->engine->tensors.n)};

    add_borders(&x);
    serve_outputs(&x);
    set_to(&x);
    for (fsd_id i = 0; i < b->d->engine->nodes.n; i++)
        if (is_move(b, i))
            set_from(b, i);
    add_unasked(&x);
}
