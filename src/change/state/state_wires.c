/*
 * Finds the wires of a build.  A wire is a tensor between two groups or moves, or
 * between one of them and an input or output of the engine.
 *
 *     dump      Conv -> "t7" fp16 -> Reformat -> "t7'" int8 -> Quantized Conv
 *     wires     group 3 -> move 1  fp16        move 1 -> group 4  int8
 *
 * If the engine states tensors, each wire is a tensor of the engine.  A snapshot, or an
 * engine with names only, has no tensors.  The wires are then derived from the nodes of
 * groups and moves, and may be wrong.  The order of several moves between the same
 * nodes is unknown.  And two kernels may compute the same node, each for other
 * consumers.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"

#include <stdlib.h>

/* A tensor with P producers and C consumers usually has P * C wires, one for each pair.
 * If P * C is more than MANY_ENDS, the tensor itself becomes an end of wires.  It then
 * has only P + C wires. */
enum { MANY_ENDS = 64 };

static void add_wire(struct fsd_arena *arena, fsd_state_wires *wires,
                     struct fsd_state_wire wire)
{
    bool within = wire.from.kind == wire.to.kind && wire.from.item == wire.to.item;

    if (!within && wire.from.kind != FSD_END_NONE && wire.to.kind != FSD_END_NONE)
        fsd_vec_push(arena, wires, wire);
}

FSD_ORDERED(by_wire, struct fsd_state_wire, fsd_order(x->from.kind, y->from.kind),
            fsd_order(x->from.item, y->from.item), fsd_order(x->to.kind, y->to.kind),
            fsd_order(x->to.item, y->to.item),
            fsd_order(x->written.type, y->written.type),
            fsd_order(x->written.layout, y->written.layout),
            fsd_order(x->read.type, y->read.type),
            fsd_order(x->read.layout, y->read.layout))

/* Sorts the wires, and removes duplicates. */
static void sort_wires(fsd_state_wires *wires)
{
    wires->n = fsd_sort_once(wires->at, wires->n, sizeof *wires->at, by_wire);
}

/* ------------------------------------------------------------------- of an engine */

struct engine {
    struct fsd_state_build *b;
    const struct fsd_graph *e;
    struct fsd_state_end *port; /* indexed by tensor: the end for the tensor; its kind
                                   is FSD_END_NONE if the tensor is no end */
    uint32_t *written;          /* indexed by tensor: the only port that writes it;
                                   FSD_NONE if there is none or more than one */
};

static struct fsd_state_end unit_of(const struct engine *x, fsd_id layer)
{
    uint32_t of = x->b->s->of_layer[layer];

    return (struct fsd_state_end){of & FSD_LAYER_MOVES ? FSD_END_MOVE : FSD_END_GROUP,
                                  of & ~FSD_LAYER_MOVES};
}

static bool is_hub(const struct fsd_tensor *t)
{
    return t->producers.n > 1 && t->consumers.n > 1 &&
           (uint64_t)t->producers.n * t->consumers.n > MANY_ENDS;
}

/* The end for the tensor `t`: x->port[t].  If it is not set yet, the tensor itself
 * becomes the end (FSD_END_TENSOR): it is a hub (is_hub()), or a binding whose name no
 * input or output of the network has. */
static struct fsd_state_end end_of_tensor(struct engine *x, fsd_id t)
{
    struct fsd_state *s = x->b->s;

    if (x->port[t].kind == FSD_END_NONE) {
        x->port[t] = (struct fsd_state_end){FSD_END_TENSOR, s->tensor_names.n};
        fsd_vec_push(
            s->arena, &s->tensor_names,
            fsd_intern_str(s->names, fsd_text(x->e->names, x->e->tensors.at[t].name)));
    }
    return x->port[t];
}

static void add_read(struct engine *x, fsd_id layer, uint32_t port)
{
    const struct fsd_graph *e = x->e;
    fsd_id t = e->ports.at[port].tensor;
    const struct fsd_tensor *tensor = &e->tensors.at[t];
    struct fsd_span by = fsd_port_peers(e, port, true);
    struct fsd_state_form read =
        fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[port]));
    struct fsd_state_wire wire = {
        .to = unit_of(x, layer), .written = read, .read = read};
    bool input = !tensor->producers.n && tensor->flags & FSD_TENSOR_INPUT &&
                 !(tensor->flags & FSD_TENSOR_CONSTANT) && !tensor->scope;

    if (is_hub(tensor) || input) {
        wire.from = end_of_tensor(x, t);
        add_wire(x->b->s->arena, &x->b->s->wires, wire);
        return;
    }
    if (x->written[t] != FSD_NONE)
        wire.written =
            fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[x->written[t]]));
    for (uint32_t i = 0; i < by.n; i++) {
        wire.from = unit_of(x, e->links.at[by.at + i]);
        add_wire(x->b->s->arena, &x->b->s->wires, wire);
    }
}

static void add_write(struct engine *x, fsd_id layer, uint32_t port)
{
    const struct fsd_graph *e = x->e;
    fsd_id t = e->ports.at[port].tensor;
    const struct fsd_tensor *tensor = &e->tensors.at[t];
    struct fsd_state_form form =
        fsd_state_form(x->b, fsd_port_form(e, &e->ports.at[port]));

    if (is_hub(tensor) || (tensor->flags & FSD_TENSOR_OUTPUT && !tensor->scope))
        add_wire(x->b->s->arena, &x->b->s->wires,
                 (struct fsd_state_wire){.from = unit_of(x, layer),
                                         .to = end_of_tensor(x, t),
                                         .written = form,
                                         .read = form});
}

/* Sets `port` of the engine tensors that have the name of an input or output of the
 * network.  Leaves out hubs (is_hub()). */
static void name_ports(struct engine *x)
{
    const struct fsd_state *s = x->b->s;

    for (uint32_t i = 0; i < s->inputs.n + s->outputs.n; i++) {
        bool output = i >= s->inputs.n;
        uint32_t item = output ? i - s->inputs.n : i;
        fsd_id t =
            fsd_state_port_tensor(x->b, &(output ? s->outputs.at : s->inputs.at)[item]);

        if (t != FSD_NONE && !is_hub(&x->e->tensors.at[t]))
            x->port[t] =
                (struct fsd_state_end){output ? FSD_END_OUTPUT : FSD_END_INPUT, item};
    }
}

/* Sets `written`. */
static void find_writers(struct engine *x)
{
    const struct fsd_graph *e = x->e;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        struct fsd_span out = e->nodes.at[i].out;

        for (uint32_t p = out.at; p < out.at + out.n; p++) {
            fsd_id t = e->ports.at[p].tensor;

            if (t != FSD_NONE && e->tensors.at[t].producers.n == 1)
                x->written[t] = p;
        }
    }
}

void fsd_state_add_wires(struct fsd_state_build *b)
{
    const struct fsd_graph *e = b->d->engine;
    struct engine x = {b, e, FSD_NEW(b->scratch, struct fsd_state_end, e->tensors.n),
                       fsd_ids_new(b->scratch, e->tensors.n)};

    if (!e->detailed)
        return;
    b->s->wired = true;
    name_ports(&x);
    find_writers(&x);
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        struct fsd_span in = e->nodes.at[i].in, out = e->nodes.at[i].out;

        for (uint32_t p = in.at; p < in.at + in.n; p++)
            if (e->ports.at[p].tensor != FSD_NONE)
                add_read(&x, i, p);
        for (uint32_t p = out.at; p < out.at + out.n; p++)
            if (e->ports.at[p].tensor != FSD_NONE)
                add_write(&x, i, p);
    }
    sort_wires(&b->s->wires);
}

/* ----------------------------------------------------------------------- derived */

/* The group of a node.  If the node has no group: the group of the core node from which
 * its data comes (fsd_state_node.core).  FSD_NONE if there is no such group. */
static fsd_id group_of(const struct fsd_state *s, fsd_id node)
{
    if (node == FSD_NONE || s->nodes.at[node].group != FSD_NONE)
        return fsd_state_group_of(s, node);
    return fsd_state_group_of(s, fsd_origin_node(s->nodes.at[node].core.at));
}

/* The wire end for an origin: a group or a network input.  If the origin is a node
 * without a group, returns the end for the `core` of this node. */
static struct fsd_state_end end_of(const struct fsd_state *s, struct fsd_origin at)
{
    fsd_id node = fsd_origin_node(at), group = group_of(s, node);
    uint32_t input =
        fsd_origin_input(node == FSD_NONE ? at : s->nodes.at[node].core.at);

    if (group != FSD_NONE)
        return (struct fsd_state_end){FSD_END_GROUP, group};
    return input == FSD_NONE ? (struct fsd_state_end){0}
                             : (struct fsd_state_end){FSD_END_INPUT, input};
}

static struct fsd_state_end reader_of(const struct fsd_state *s,
                                      struct fsd_destination at)
{
    fsd_id group = group_of(s, fsd_destination_node(at));
    uint32_t output = fsd_destination_output(at);

    if (group != FSD_NONE)
        return (struct fsd_state_end){FSD_END_GROUP, group};
    return output == FSD_NONE ? (struct fsd_state_end){0}
                              : (struct fsd_state_end){FSD_END_OUTPUT, output};
}

static bool same_form(struct fsd_state_form a, struct fsd_state_form b)
{
    return a.type && a.layout && a.type == b.type && a.layout == b.layout;
}

static bool same_refs(const struct fsd_state *s, uint32_t a, uint32_t b, uint32_t n)
{
    return !n || !memcmp(s->refs.at + a, s->refs.at + b, n * sizeof *s->refs.at);
}

static bool same_ends(const struct fsd_state *s, const struct fsd_move *a,
                      const struct fsd_move *b)
{
    return a->to.n == b->to.n && a->from.n == b->from.n &&
           same_refs(s, a->to.at, b->to.at, a->to.n) &&
           same_refs(s, a->from.at, b->from.at, a->from.n);
}

/* Whether the move can read one of its origins directly: this network input, or an
 * output of this group, has the form that the move reads (m->before). */
static bool reads_source(const struct fsd_state *s, const struct fsd_move *m)
{
    bool reads = false;

    for (uint32_t f = 0; f < m->from.n && !reads; f++) {
        struct fsd_state_end from = end_of(s, fsd_origin_at(s->refs.at, m->from, f));
        struct fsd_span out = {0, 0};

        if (from.kind == FSD_END_INPUT)
            reads = same_form(s->inputs.at[from.item].form, m->before);
        else if (from.kind == FSD_END_GROUP)
            out = s->groups.at[from.item].out;
        for (uint32_t i = 0; i < out.n && !reads; i++)
            reads = same_form(s->borders.at[out.at + i].form, m->before);
    }
    return reads;
}

/* A move, and the key of the form that it writes. */
struct form_producer {
    uint64_t form; /* the sort key, which must be the first member */
    fsd_id move;
};

static uint64_t form_key(struct fsd_state_form form)
{
    return form.type && form.layout ? (uint64_t)form.type << 32 | form.layout : 0;
}

/* The only move that writes the form; FSD_NONE if there is none or more than one. */
static fsd_id producer_of(const struct form_producer *producers, uint32_t n,
                          uint64_t form)
{
    const struct form_producer *m =
        n && form ? bsearch(&form, producers, n, sizeof *producers, fsd_by_number)
                  : NULL;
    bool alone = m && (m == producers || m[-1].form != form) &&
                 (m + 1 == producers + n || m[1].form != form);

    return alone ? m->move : FSD_NONE;
}

/* Returns an array indexed by move: the other move whose output this move reads.
 * FSD_NONE if it reads an origin directly, or if the other move is unknown.
 *
 * If an origin has the form that the move reads, the move reads this origin
 * (reads_source()).  Otherwise it reads the output of the move with the same origins
 * and destinations that writes this form.  If there are several such moves, or none,
 * the other move is unknown. */
static fsd_id *moves_before(const struct fsd_state *s, struct fsd_arena *arena)
{
    fsd_id *before = FSD_NEW(arena, fsd_id, s->moves.n);
    struct form_producer *producers = FSD_NEW(arena, struct form_producer, s->moves.n);

    for (fsd_id first = 0, end = 0; first < s->moves.n; first = end) {
        const struct fsd_move *m = &s->moves.at[first];
        uint32_t n = 0;

        for (; end < s->moves.n && same_ends(s, &s->moves.at[end], m); end++)
            if (!same_form(s->moves.at[end].before, s->moves.at[end].after))
                producers[n++] =
                    (struct form_producer){form_key(s->moves.at[end].after), end};
        fsd_sort(producers, n, sizeof *producers, fsd_by_number);
        for (fsd_id i = first; i < end; i++) {
            m = &s->moves.at[i];
            before[i] = producer_of(producers, n, form_key(m->before));
            if (before[i] != FSD_NONE && reads_source(s, m))
                before[i] = FSD_NONE;
        }
    }
    return before;
}

/* An end and a consumer, with a move between them. */
struct between {
    struct fsd_state_end from;
    struct fsd_destination reader;
};

struct derived {
    struct fsd_arena *arena;
    const struct fsd_state *s;
    FSD_VEC(struct between) moves; /* sorted */
    fsd_state_wires wires;
};

FSD_ORDERED(by_between, struct between, fsd_order(x->from.kind, y->from.kind),
            fsd_order(x->from.item, y->from.item),
            fsd_order(x->reader.ref, y->reader.ref))

static void derive_wire(struct derived *x, struct fsd_state_end from,
                        struct fsd_state_end to, struct fsd_state_form form)
{
    add_wire(
        x->arena, &x->wires,
        (struct fsd_state_wire){.from = from, .to = to, .written = form, .read = form});
}

static void derive_moves(struct derived *x)
{
    const struct fsd_state *s = x->s;
    const fsd_id *before = moves_before(s, x->arena);
    bool *read = FSD_NEW(x->arena, bool, s->moves.n); /* indexed by move: whether
                                                         another move reads its
                                                         output */

    for (fsd_id i = 0; i < s->moves.n; i++)
        fsd_set_at(read, before[i]);
    for (fsd_id i = 0; i < s->moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[i];
        struct fsd_state_end move = {FSD_END_MOVE, i};

        if (before[i] != FSD_NONE)
            derive_wire(x, (struct fsd_state_end){FSD_END_MOVE, before[i]}, move,
                        m->before);
        for (uint32_t f = 0; f < m->from.n; f++) {
            struct fsd_state_end from =
                end_of(s, fsd_origin_at(s->refs.at, m->from, f));

            if (before[i] == FSD_NONE)
                derive_wire(x, from, move, m->before);
            for (uint32_t t = 0; t < m->to.n; t++)
                fsd_vec_push(
                    x->arena, &x->moves,
                    ((struct between){from, fsd_destination_at(s->refs.at, m->to, t)}));
        }
        for (uint32_t t = 0; t < m->to.n && !read[i]; t++)
            derive_wire(x, move, reader_of(s, fsd_destination_at(s->refs.at, m->to, t)),
                        m->after);
    }
    fsd_vec_sort(&x->moves, by_between);
}

/* Adds a wire from the origin `at` to `reader`.  Adds none if a move is between them:
 * derive_moves() has then added the wires of this move. */
static void derive_border(struct derived *x, struct fsd_origin at,
                          struct fsd_destination reader, struct fsd_state_form form)
{
    struct between key = {end_of(x->s, at), reader};

    if (!x->moves.n || !bsearch(&key, x->moves.at, x->moves.n, sizeof key, by_between))
        derive_wire(x, key.from, reader_of(x->s, reader), form);
}

fsd_state_wires fsd_state_wires_of(const struct fsd_state *s, struct fsd_arena *arena)
{
    struct derived x = {.arena = arena, .s = s};

    if (s->wired)
        return s->wires;
    derive_moves(&x);
    for (fsd_id g = 0; g < s->groups.n; g++) {
        struct fsd_span in = s->groups.at[g].in;

        FSD_EACH_IN (const struct fsd_border, b, s->borders, in)
            derive_border(&x, b->at, fsd_node_destination(b->node), b->form);
    }
    for (uint32_t i = 0; i < s->outputs.n; i++)
        derive_border(&x, s->outputs.at[i].core_from.at, fsd_output_destination(i),
                      s->outputs.at[i].form);
    sort_wires(&x.wires);
    return x.wires;
}
