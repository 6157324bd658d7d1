#include "base/id.h"
#include "base/sets.h"
#include "diff/diff.h"

#include <stdlib.h>

enum { STEPS = 32 };

/* What a layer's ports are, once a threshold says what is wide. */
enum { WIDE_IN = 1, WIDE_OUT = 2, NARROW_IN = 4, NARROW_OUT = 8 };

struct search {
    const struct fsd_diff *d;
    struct fsd_islands *found;
    struct fsd_arena *scratch;
    int wide;        /* rank from which a type is wide */
    uint8_t *from;   /* by engine tensor: what its wide data comes from and goes to */
    fsd_id *queue;   /* of tensors */
    fsd_id *sets;    /* of engine tensors that are connected */
    uint8_t *ports;  /* by layer */
    bool *covered;   /* by layer: in an island of a lower threshold */
    uint32_t *stamp; /* by node of the model: the island it was added to last, from 1 */
};

static int rank_at(const struct fsd_diff *d, uint32_t port)
{
    return fsd_dtype_rank(fsd_port_form(d->engine, &d->engine->ports.at[port])->type);
}

/* --------------------------------------------------- between narrow and narrow */

enum { ENTERED = 1, LEFT = 2, BETWEEN = ENTERED | LEFT };

static bool any_narrow(const struct search *s, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++) {
        int rank = rank_at(s->d, ports.at + i);

        if (rank && rank < s->wide)
            return true;
    }
    return false;
}

static uint32_t push_wide(struct search *s, struct fsd_span ports, uint8_t mark,
                          uint32_t n)
{
    for (uint32_t i = 0; i < ports.n; i++) {
        fsd_id tensor = s->d->engine->ports.at[ports.at + i].tensor;

        if (tensor == FSD_NONE || rank_at(s->d, ports.at + i) < s->wide ||
            s->from[tensor] & mark)
            continue;
        s->from[tensor] |= mark;
        s->queue[n++] = tensor;
    }
    return n;
}

/* Marks wide tensors that narrow data flows into; with LEFT, backwards, those that flow
 * into narrow data. */
static void flood(struct search *s, uint8_t mark)
{
    const struct fsd_graph *e = s->d->engine;
    bool forwards = mark == ENTERED;
    uint32_t n = 0;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *l = &e->nodes.at[i];

        if (any_narrow(s, forwards ? l->in : l->out))
            n = push_wide(s, forwards ? l->out : l->in, mark, n);
    }
    for (uint32_t at = 0; at < n; at++) {
        const struct fsd_tensor *t = &e->tensors.at[s->queue[at]];
        struct fsd_span next = forwards ? t->consumers : t->producers;

        for (uint32_t i = 0; i < next.n; i++) {
            const struct fsd_node *l = &e->nodes.at[e->links.at[next.at + i]];

            n = push_wide(s, forwards ? l->out : l->in, mark, n);
        }
    }
}

static bool is_between(const struct search *s, uint32_t port)
{
    fsd_id tensor = s->d->engine->ports.at[port].tensor;

    return tensor != FSD_NONE && s->from[tensor] == BETWEEN &&
           rank_at(s->d, port) >= s->wide;
}

/* ------------------------------------------------------------------ connected sets */

static void look_at_ports(struct search *s, fsd_id layer, struct fsd_span ports,
                          uint8_t wide, uint8_t narrow, fsd_id *first)
{
    const struct fsd_diff *d = s->d;

    for (uint32_t i = 0; i < ports.n; i++) {
        int rank = rank_at(d, ports.at + i);
        fsd_id tensor = d->engine->ports.at[ports.at + i].tensor;

        if (rank && rank < s->wide)
            s->ports[layer] |= narrow;
        if (!is_between(s, ports.at + i))
            continue;
        s->ports[layer] |= wide;
        if (*first == FSD_NONE)
            *first = tensor;
        fsd_sets_join(s->sets, *first, tensor);
    }
}

static void look_at_layers(struct search *s)
{
    const struct fsd_graph *e = s->d->engine;

    s->sets = fsd_sets_new(s->scratch, e->tensors.n);
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        fsd_id first = FSD_NONE;

        s->ports[i] = 0;
        look_at_ports(s, i, e->nodes.at[i].in, WIDE_IN, NARROW_IN, &first);
        look_at_ports(s, i, e->nodes.at[i].out, WIDE_OUT, NARROW_OUT, &first);
    }
}

/* Of a layer's wide tensors, which are all in one set, the first of the set. */
static fsd_id root_of(struct search *s, fsd_id layer)
{
    const struct fsd_node *n = &s->d->engine->nodes.at[layer];

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        uint32_t at = i < n->in.n ? n->in.at + i : n->out.at + i - n->in.n;
        fsd_id tensor = s->d->engine->ports.at[at].tensor;

        if (is_between(s, at))
            return fsd_sets_find(s->sets, tensor);
    }
    return FSD_NONE;
}

static bool enters(uint8_t ports)
{
    return (ports & (NARROW_IN | WIDE_OUT | WIDE_IN)) == (NARROW_IN | WIDE_OUT);
}

static bool leaves(uint8_t ports)
{
    return (ports & (WIDE_IN | NARROW_OUT)) == (WIDE_IN | NARROW_OUT);
}

/* ---------------------------------------------------------------------- members */

struct border {
    uint32_t entries, exits;
    fsd_id entry, exit;
};

static struct border *find_borders(struct search *s)
{
    uint32_t n = s->d->engine->tensors.n;
    struct border *borders = FSD_NEW(s->scratch, struct border, n);

    for (fsd_id i = 0; i < s->d->engine->nodes.n; i++) {
        fsd_id root = root_of(s, i);

        if (root == FSD_NONE)
            continue;
        if (enters(s->ports[i]) && !borders[root].entries++)
            borders[root].entry = i;
        if (leaves(s->ports[i])) {
            borders[root].exits++;
            borders[root].exit = i;
        }
    }
    return borders;
}

/* Wide through and through, or there for the widening and narrowing only. */
static bool is_paid_for(const struct search *s, fsd_id layer)
{
    return !(s->ports[layer] & (NARROW_IN | NARROW_OUT)) ||
           s->d->flows->of[layer].there;
}

/* One that carries wide data on, or a mover at the border. */
static bool is_member(const struct search *s, fsd_id layer)
{
    uint8_t ports = s->ports[layer];

    return (ports & (WIDE_IN | WIDE_OUT)) == (WIDE_IN | WIDE_OUT) ||
           ((enters(ports) || leaves(ports)) && s->d->flows->of[layer].there);
}

struct row {
    fsd_id root, layer;
};

static int by_island(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->root != y->root ? fsd_order(x->root, y->root)
                              : fsd_order(x->layer, y->layer);
}

/* ------------------------------------------------------------------------ nodes */

typedef FSD_VEC(fsd_id) id_vec;

static void add_once(struct search *s, id_vec *nodes, fsd_id node)
{
    const struct fsd_diff *d = s->d;
    uint32_t island = s->found->list.n + 1;

    if (d->nodes[node].fate != FSD_FATE_LAYER || d->facts->traits[node] & FSD_OP_QDQ ||
        s->stamp[node] == island)
        return;
    s->stamp[node] = island;
    fsd_vec_push(s->scratch, nodes, node);
}

/* Of a narrow layer the nodes that come behind its wide inputs. */
static void add_behind(struct search *s, fsd_id layer, fsd_id tensor, id_vec *nodes)
{
    const struct fsd_graph *g = s->d->model;
    uint32_t n = 0;
    fsd_id queue[STEPS];

    if (tensor != FSD_NONE)
        queue[n++] = tensor;
    for (uint32_t at = 0; at < n; at++) {
        struct fsd_span uses = g->tensors.at[queue[at]].consumers;

        for (uint32_t i = 0; i < uses.n && i < STEPS; i++) {
            fsd_id node = g->links.at[uses.at + i];
            fsd_id out = fsd_node_out_tensor(g, node, 0);

            if (!fsd_match_has(s->d->match, layer, node))
                continue;
            add_once(s, nodes, node);
            if (out != FSD_NONE && n < STEPS)
                queue[n++] = out;
        }
    }
}

static void add_nodes(struct search *s, fsd_id layer, id_vec *nodes)
{
    const struct fsd_diff *d = s->d;
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    if (is_paid_for(s, layer)) {
        for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++)
            add_once(s, nodes, fsd_match_of_layer(d->match, layer, i)->node);
        return;
    }
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id tensor = d->engine->ports.at[n->in.at + i].tensor;

        if (is_between(s, n->in.at + i))
            add_behind(s, layer, d->match->twin[tensor], nodes);
    }
}

/* ---------------------------------------------------------------------- islands */

static struct fsd_span keep(struct search *s, const fsd_id *ids, uint32_t n)
{
    struct fsd_span span = {s->found->pool.n, n};

    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(s->d->arena, &s->found->pool, ids[i]);
    return span;
}

static enum fsd_dtype widest(const struct fsd_diff *d, fsd_id layer,
                             enum fsd_dtype type)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        uint32_t at = i < n->in.n ? n->in.at + i : n->out.at + i - n->in.n;

        if (rank_at(d, at) > fsd_dtype_rank(type))
            type = fsd_port_form(d->engine, &d->engine->ports.at[at])->type;
    }
    return type;
}

static void add_island(struct search *s, const struct row *rows, uint32_t n,
                       const struct border *border)
{
    const struct fsd_diff *d = s->d;
    struct fsd_island island = {.entry = border->entry,
                                .exit = border->exit,
                                .entries = border->entries,
                                .exits = border->exits,
                                .ms = d->times->profiles ? 0 : -1};
    fsd_id *layers = FSD_NEW(s->scratch, fsd_id, n);
    id_vec nodes = {0};

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = rows[i].layer;

        layers[i] = layer;
        add_nodes(s, layer, &nodes);
        island.type = widest(d, layer, island.type);
        if (is_paid_for(s, layer) && fsd_layer_ms(d, layer) > 0)
            island.ms += fsd_layer_ms(d, layer);
    }
    island.layers = keep(s, layers, n);
    island.nodes = keep(s, nodes.at, nodes.n);
    fsd_vec_push(d->arena, &s->found->list, island);
}

static void collect(struct search *s)
{
    const struct fsd_graph *e = s->d->engine;
    const struct border *borders = find_borders(s);
    struct row *rows = FSD_NEW(s->scratch, struct row, e->nodes.n);
    uint32_t n = 0, end;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        fsd_id root = root_of(s, i);

        if (root != FSD_NONE && borders[root].entries && borders[root].exits &&
            is_member(s, i))
            rows[n++] = (struct row){root, i};
    }
    qsort(rows, n, sizeof *rows, by_island);
    for (uint32_t at = 0; at < n; at = end) {
        bool told = true; /* as a part of one that is wider than fewer bits */

        for (end = at; end < n && rows[end].root == rows[at].root; end++)
            told = told && s->covered[rows[end].layer];
        if (!told)
            add_island(s, rows + at, end - at, &borders[rows[at].root]);
    }
    for (uint32_t i = 0; i < n; i++)
        s->covered[rows[i].layer] = true;
}

/* First what is wider than 8 bits; then FP32 among 16 bits, where that is not inside an
 * island already told. */
const struct fsd_islands *fsd_diff_islands(const struct fsd_diff *d)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct search s = {
        .d = d, .found = FSD_NEW(d->arena, struct fsd_islands, 1), .scratch = scratch};

    s.ports = FSD_NEW(scratch, uint8_t, d->engine->nodes.n);
    s.covered = FSD_NEW(scratch, bool, d->engine->nodes.n);
    s.stamp = FSD_NEW(scratch, uint32_t, d->model->nodes.n);
    s.queue = FSD_NEW(scratch, fsd_id, d->engine->tensors.n);
    for (s.wide = 3; s.wide <= 4; s.wide++) {
        s.from = FSD_NEW(scratch, uint8_t, d->engine->tensors.n);
        flood(&s, ENTERED);
        flood(&s, LEFT);
        look_at_layers(&s);
        collect(&s);
    }
    fsd_arena_free(scratch);
    return s.found;
}
