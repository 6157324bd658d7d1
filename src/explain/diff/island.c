/*
 * Finds higher-precision segments: connected layers that run in a higher precision than
 * the data that enters and leaves them, such as FP32 between INT8 layers.  Two walks
 * over the tensors, forward and backward from lower-precision data, mark the
 * higher-precision tensors in between.  A union-find then joins the marked tensors that
 * share a layer.  Each set with an entry and an exit is a segment.  The search first
 * runs for types above 8 bits, and then for FP32 between 16-bit types.  The second run
 * skips segments that the first run found.  An opaque region ends a segment, because it
 * is unknown in which precision its kernels run.
 */
#include "base/base.h"
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

#include <stdlib.h>

enum { QUEUE_MOST = 32 };

/* Bits of a layer, by the precision of its ports.  WIDE is higher precision (a rank of
 * at least search.wide), NARROW is lower precision. */
enum { WIDE_IN = 1, WIDE_OUT = 2, NARROW_IN = 4, NARROW_OUT = 8 };

struct search {
    const struct fsd_match *m;
    const struct fsd_measured *times;
    const struct fsd_layer_result *layers;
    const enum fsd_dtype *computed;
    const struct fsd_flows *flows;
    const struct fsd_node_result *nodes;
    struct fsd_islands *found;
    struct fsd_arena *scratch;
    int wide;        /* the lowest fsd_dtype_rank() that counts as higher precision */
    uint8_t *from;   /* indexed by engine tensor: mask of ENTERED (the tensor is
                        computed from lower-precision data) and LEFT (lower-precision
                        data is computed from the tensor) */
    fsd_id *queue;   /* queue of engine tensors */
    fsd_id *sets;    /* union-find of connected engine tensors */
    uint8_t *ports;  /* indexed by layer: mask of WIDE_IN to NARROW_OUT, which shows
                        the precisions of the layer's ports */
    fsd_id *first;   /* indexed by layer: the layer's first marked tensor; FSD_NONE if
                        there is none; all marked tensors of a layer are in one set */
    bool *covered;   /* indexed by layer: whether it is in a segment that was found
                        before */
    uint32_t *stamp; /* indexed by node: number, from 1, of the last segment to which
                        the node was added */
};

static int rank_at(const struct fsd_match *m, uint32_t port)
{
    return fsd_dtype_rank(fsd_port_form(m->engine, &m->engine->ports.at[port])->type);
}

/* --------------------------------------------------- between narrow and narrow */

enum { ENTERED = 1, LEFT = 2, BETWEEN = ENTERED | LEFT };

static bool is_narrow(const struct search *s, uint32_t port)
{
    int rank = rank_at(s->m, port);

    return rank && rank < s->wide;
}

static uint32_t push_wide(struct search *s, struct fsd_span ports, uint8_t mark,
                          uint32_t n)
{
    for (uint32_t i = 0; i < ports.n; i++) {
        fsd_id tensor = s->m->engine->ports.at[ports.at + i].tensor;

        if (tensor == FSD_NONE || rank_at(s->m, ports.at + i) < s->wide ||
            s->from[tensor] & mark)
            continue;
        s->from[tensor] |= mark;
        s->queue[n++] = tensor;
    }
    return n;
}

/* Marks higher-precision tensors.  With ENTERED, marks the tensors that are computed
 * from lower-precision data; with LEFT, the tensors from which lower-precision data is
 * computed. */
static void flood(struct search *s, uint8_t mark)
{
    const struct fsd_graph *e = s->m->engine;
    bool forwards = mark == ENTERED;
    uint32_t n = 0;

    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *l = &e->nodes.at[i];
        struct fsd_span from = forwards ? l->in : l->out;
        bool narrow = false;

        for (uint32_t k = 0; k < from.n && !narrow && !s->layers[i].opaque; k++)
            narrow = is_narrow(s, from.at + k);
        if (narrow)
            n = push_wide(s, forwards ? l->out : l->in, mark, n);
    }
    for (uint32_t at = 0; at < n; at++) {
        const struct fsd_tensor *t = &e->tensors.at[s->queue[at]];
        struct fsd_span next = forwards ? t->consumers : t->producers;

        FSD_EACH_ID (layer, e->links, next) {
            const struct fsd_node *l = &e->nodes.at[layer];

            if (!s->layers[layer].opaque)
                n = push_wide(s, forwards ? l->out : l->in, mark, n);
        }
    }
}

static bool is_between(const struct search *s, uint32_t port)
{
    fsd_id tensor = s->m->engine->ports.at[port].tensor;

    return tensor != FSD_NONE && s->from[tensor] == BETWEEN &&
           rank_at(s->m, port) >= s->wide;
}

/* ------------------------------------------------------------------ connected sets */

/* Sets the bits of each layer's ports, and joins the marked tensors among the inputs
 * and outputs of each layer to one set. */
static void look_at_layers(struct search *s)
{
    const struct fsd_graph *e = s->m->engine;

    s->sets = fsd_sets_new(s->scratch, e->tensors.n);
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *n = &e->nodes.at[i];

        s->ports[i] = 0;
        s->first[i] = FSD_NONE;
        for (uint32_t k = 0; k < n->in.n + n->out.n && !s->layers[i].opaque; k++) {
            uint32_t port = fsd_node_port(n, k);
            fsd_id tensor = e->ports.at[port].tensor;

            if (is_narrow(s, port))
                s->ports[i] |= k < n->in.n ? NARROW_IN : NARROW_OUT;
            if (!is_between(s, port))
                continue;
            s->ports[i] |= k < n->in.n ? WIDE_IN : WIDE_OUT;
            s->first[i] = fsd_id_or(s->first[i], tensor);
            fsd_sets_join(s->sets, s->first[i], tensor);
        }
    }
}

/* Whether the whole time of the layer counts as time of the segment.  It counts if no
 * port of the layer has lower precision, or if the layer is a data-movement layer that
 * raises or lowers the precision. */
static bool is_paid_for(const struct search *s, fsd_id layer)
{
    return !(s->ports[layer] & (NARROW_IN | NARROW_OUT)) || s->flows->of[layer].there;
}

/* ------------------------------------------------------------------------ nodes */

/* Adds the node to the current segment, unless the segment has the node already.  The
 * nodes of the current segment are the last nodes in the pool. */
static void add_once(struct search *s, fsd_id node)
{
    const struct fsd_match *m = s->m;
    uint32_t island = s->found->list.n + 1;

    if (s->nodes[node].fate != FSD_FATE_LAYER || m->facts->traits[node] & FSD_OP_QDQ ||
        s->stamp[node] == island)
        return;
    s->stamp[node] = island;
    fsd_vec_push(m->arena, &s->found->pool, node);
}

/* Adds the nodes of `layer` that read `tensor`, directly or through other nodes of
 * `layer`.  `tensor` is a tensor of the model: a higher-precision input of `layer`.
 * `layer` runs in lower precision. */
static void add_behind(struct search *s, fsd_id layer, fsd_id tensor)
{
    const struct fsd_graph *g = s->m->model;
    uint32_t n = 0;
    fsd_id queue[QUEUE_MOST];

    if (tensor != FSD_NONE)
        queue[n++] = tensor;
    for (uint32_t at = 0; at < n; at++) {
        struct fsd_span uses = g->tensors.at[queue[at]].consumers;

        for (uint32_t i = 0; i < uses.n && i < QUEUE_MOST; i++) {
            fsd_id node = g->links.at[uses.at + i];
            fsd_id out = fsd_node_out_tensor(g, node, 0);

            if (!fsd_match_has(s->m, layer, node))
                continue;
            add_once(s, node);
            if (out != FSD_NONE && n < QUEUE_MOST)
                queue[n++] = out;
        }
    }
}

/* Whether the layer computes the node of this link in higher precision.  A kernel with
 * higher-precision ports may instead compute the node in lower precision behind a cast,
 * or only scale the output of an INT8 product. */
static bool runs_wide(const struct search *s, uint32_t link)
{
    const struct fsd_layer_result *r = &s->layers[s->m->links.at[link].layer];

    return r->kind != FSD_KIND_COMPUTE || fsd_dtype_rank(s->computed[link]) >= s->wide;
}

static void add_nodes(struct search *s, fsd_id layer)
{
    const struct fsd_match *m = s->m;
    const struct fsd_node *n = &m->engine->nodes.at[layer];

    if (is_paid_for(s, layer)) {
        struct fsd_span links = m->of_layer[layer];

        for (uint32_t i = links.at; i < links.at + links.n; i++)
            if (runs_wide(s, i))
                add_once(s, m->links.at[i].node);
        return;
    }
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id tensor = m->engine->ports.at[n->in.at + i].tensor;

        if (is_between(s, n->in.at + i))
            add_behind(s, layer, m->counterpart[tensor]);
    }
}

/* --------------------------------------------------------------------- segments */

struct row {
    fsd_id root, layer; /* `root` is the tensor that represents the set of `layer` */
};

/* Adds the layers in `members`, their time and their nodes to the segment, and stores
 * the segment. */
static void add_island(struct search *s, struct fsd_island island,
                       const struct row *members, uint32_t n)
{
    const struct fsd_match *m = s->m;
    const struct fsd_graph *e = m->engine;

    island.ms = s->times->profiles ? 0 : -1;
    island.layers = (struct fsd_span){s->found->pool.n, n};
    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_node *l = &e->nodes.at[members[i].layer];
        double ms = s->times->of[members[i].layer].median;

        fsd_vec_push(m->arena, &s->found->pool, members[i].layer);
        for (uint32_t k = 0; k < l->in.n + l->out.n; k++) {
            enum fsd_dtype type =
                fsd_port_form(e, &e->ports.at[fsd_node_port(l, k)])->type;

            if (fsd_dtype_rank(type) > fsd_dtype_rank(island.type))
                island.type = type;
        }
        if (is_paid_for(s, members[i].layer) && ms > 0)
            island.ms += ms;
    }
    island.nodes.at = s->found->pool.n;
    for (uint32_t i = 0; i < n; i++)
        add_nodes(s, members[i].layer);
    island.nodes.n = s->found->pool.n - island.nodes.at;
    fsd_vec_push(m->arena, &s->found->list, island);
}

/* Adds the layers in `rows` (one set, in engine order) as a segment if they have an
 * entry and an exit.  The segment gets only the layers that read and write higher
 * precision, and the data-movement layers among the entries and exits.  If earlier
 * segments have all of these, no segment is added. */
static void look_at_set(struct search *s, struct row *rows, uint32_t n)
{
    struct fsd_island island = {0};
    uint32_t members = 0;
    bool all_covered = true;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = rows[i].layer;
        uint8_t ports = s->ports[layer], wide = ports & (WIDE_IN | WIDE_OUT);
        bool enters = wide == WIDE_OUT && ports & NARROW_IN;
        bool leaves = wide == WIDE_IN && ports & NARROW_OUT;

        if (enters && !island.entries++)
            island.entry = layer;
        if (leaves) {
            island.exits++;
            island.exit = layer;
        }
        if (wide != (WIDE_IN | WIDE_OUT) &&
            !((enters || leaves) && s->flows->of[layer].there))
            continue;
        all_covered = all_covered && s->covered[layer];
        rows[members++] = rows[i];
    }
    if (!island.entries || !island.exits)
        return;
    if (!all_covered)
        add_island(s, island, rows, members);
    for (uint32_t i = 0; i < members; i++)
        s->covered[rows[i].layer] = true;
}

static void collect(struct search *s)
{
    const struct fsd_graph *e = s->m->engine;
    struct row *rows = FSD_NEW(s->scratch, struct row, e->nodes.n);
    uint32_t n = 0, end;

    for (fsd_id i = 0; i < e->nodes.n; i++)
        if (s->first[i] != FSD_NONE)
            rows[n++] = (struct row){fsd_sets_find(s->sets, s->first[i]), i};
    qsort(rows, n, sizeof *rows, fsd_by_pair);
    for (uint32_t at = 0; at < n; at = end) {
        fsd_id root = rows[at].root;

        for (end = at; end < n && rows[end].root == root; end++)
            ;
        look_at_set(s, rows + at, end - at);
    }
}

/* Searches twice: for segments above 8 bits (s.wide is 3), then for segments in FP32
 * between 16-bit types (s.wide is 4). */
const struct fsd_islands *
fsd_diff_islands(const struct fsd_match *m, const struct fsd_measured *times,
                 const struct fsd_layer_result *layers, const enum fsd_dtype *computed,
                 const struct fsd_flows *flows, const struct fsd_node_result *nodes)
{
    FSD_SCRATCH(scratch);
    struct search s = {.m = m,
                       .times = times,
                       .layers = layers,
                       .computed = computed,
                       .flows = flows,
                       .nodes = nodes,
                       .found = FSD_NEW(m->arena, struct fsd_islands, 1),
                       .scratch = scratch};

    s.ports = FSD_NEW(scratch, uint8_t, m->engine->nodes.n);
    s.first = FSD_NEW(scratch, fsd_id, m->engine->nodes.n);
    s.covered = FSD_NEW(scratch, bool, m->engine->nodes.n);
    s.stamp = FSD_NEW(scratch, uint32_t, m->model->nodes.n);
    s.queue = FSD_NEW(scratch, fsd_id, m->engine->tensors.n);
    for (s.wide = 3; s.wide <= 4; s.wide++) {
        s.from = FSD_NEW(scratch, uint8_t, m->engine->tensors.n);
        flood(&s, ENTERED);
        flood(&s, LEFT);
        look_at_layers(&s);
        collect(&s);
    }
    return s.found;
}
