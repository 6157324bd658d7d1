/*
 * Selects the nodes and layers of a picture. The picture shows everything, or the
 * neighborhood of a node or layer (--around), or the neighborhoods of all layers with a
 * property (--only).
 *
 * A neighborhood grows along the tensors of the engine and, with --around, along those
 * of the model. It includes the nodes of its layers. It also includes the vanished
 * nodes beside these layers: nodes that no layer computes.
 */
#include "base/base.h"
#include "match/pick.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"

enum { NEAR = 1 }; /* default number of steps around the selection */

bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node)
{
    enum fsd_fate fate = d->nodes[node].fate;

    return fate != FSD_FATE_LAYER && fate != FSD_FATE_UNEXPLAINED;
}

/* ---------------------------------------------------------- what is asked for */

/* Whether the command `fusiondiff reformats` lists the layer. */
static bool moves(const struct fsd_diff *d, fsd_id layer)
{
    return d->flows->of[layer].there && !fsd_layer_is_free(d, layer);
}

/* Whether a picture of changes has the layer: an inserted layer, or a layer that
 * computes several nodes. A layer that computes a single node is no change. */
static bool fuses(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].inserted || d->match->of_layer[layer].n > 1;
}

/* Whether a layer reads or writes several precisions. Other types do not count: a shape
 * tensor beside a float tensor is no change of the precision. */
static bool changes_type(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *l = &d->engine->nodes.at[layer];
    enum fsd_dtype first = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < l->in.n + l->out.n; i++) {
        enum fsd_dtype type =
            fsd_port_form(d->engine, &d->engine->ports.at[fsd_node_port(l, i)])->type;

        if (!fsd_dtype_rank(type))
            continue;
        if (first && type != first)
            return true;
        first = type;
    }
    return false;
}

struct subject {
    const char *word;
    bool (*wants)(const struct fsd_diff *d, fsd_id layer);
    const char *phrase;
};

static const struct subject subjects[] = {
    {"reformats", moves, "layers that only move data, and their neighbors"},
    {"changes", fuses, "fused and inserted layers, and nodes that vanished"},
    {"precision", changes_type, "layers that read or write more than one type"},
};

/* ---------------------------------------------------------------- growing */

struct ways {
    const struct fsd_graph *g;
    const bool *constant; /* by tensor: whether it is constant; NULL: not known */
    bool *seen;           /* two flags per tensor: first whether its producers were
                             visited, then whether its consumers were visited */
};

/* Visits the producers of a node's inputs and the consumers of its outputs, but not the
 * other consumers of its inputs. Two consumers of the same tensor are therefore two
 * steps apart. Skips constants: otherwise, a scale that all quantizers share would
 * connect all quantizers. */
static void step_along_tensors(struct fsd_near *near, fsd_id node)
{
    const struct ways *w = near->of;
    const struct fsd_graph *g = w->g;
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t p = 0; p < n->in.n + n->out.n; p++) {
        bool output = p >= n->in.n;
        uint32_t port = fsd_node_port(n, p);
        fsd_id tensor = g->ports.at[port].tensor;
        struct fsd_span ends;

        if (tensor == FSD_NONE || (w->constant && w->constant[tensor]) ||
            w->seen[2 * tensor + output])
            continue;
        w->seen[2 * tensor + output] = !fsd_port_has_own_peers(g, port);
        ends = fsd_port_peers(g, port, !output);
        FSD_EACH_ID (end, g->links, ends)
            fsd_near_take(near, end);
    }
}

/* Adds all nodes or layers to `in` that are at most `depth` steps away from those in
 * `in`. */
static void grow(const struct fsd_graph *g, const bool *constant, bool *in,
                 unsigned depth, struct fsd_arena *arena)
{
    struct ways ways = {g, constant, FSD_NEW(arena, bool, 2 * (size_t)g->tensors.n)};

    fsd_near_grow(&(struct fsd_near){.arena = arena,
                                     .in = in,
                                     .n = g->nodes.n,
                                     .depth = depth,
                                     .next = step_along_tensors,
                                     .of = &ways});
}

/* Adds the nodes of the selected layers, and the vanished nodes beside these layers. */
static void take_nodes_of_layers(const struct fsd_diff *d, struct fsd_pick *pick)
{
    const struct fsd_match *m = d->match;

    for (fsd_id n = 0; n < d->model->nodes.n; n++) {
        fsd_id near = d->nodes[n].near_layer, region = m->region_of_node[n];
        struct fsd_span layers =
            region == FSD_NONE ? (struct fsd_span){0, 0} : m->regions.at[region].layers;
        bool is = pick->nodes[n] || (near != FSD_NONE && pick->layers[near]);

        for (uint32_t i = 0; i < m->of_node[n].n && !is; i++)
            is = pick->layers[fsd_match_of_node(m, n, i)->layer];
        for (uint32_t i = 0; i < layers.n && !is; i++)
            is = pick->layers[m->pool.at[layers.at + i]];
        pick->nodes[n] = is;
    }
}

static enum fsd_status pick_only(const struct fsd_diff *d, const char *word,
                                 unsigned depth, struct fsd_arena *arena,
                                 struct fsd_pick *pick, struct fsd_error *err)
{
    const struct subject *subject = subjects, *end = subjects + FSD_COUNT_OF(subjects);

    while (subject < end && strcmp(subject->word, word) != 0)
        subject++;
    if (subject == end)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected reformats, changes or precision, found '%.80s'",
                        word);
    for (fsd_id l = 0; l < d->engine->nodes.n; l++)
        pick->layers[l] = pick->layers[l] || subject->wants(d, l);
    if (subject->wants != fuses)
        grow(d->engine, NULL, pick->layers, depth, arena);
    take_nodes_of_layers(d, pick);
    for (fsd_id n = 0; n < d->model->nodes.n; n++)
        if (fsd_node_vanished(d, n) && subject->wants != changes_type)
            pick->nodes[n] =
                subject->wants == fuses; /* a picture of changes has all vanished
                                            nodes, a picture of reformats none */
    pick->subject = subject->phrase;
    return FSD_OK;
}

/* ------------------------------------------------------------------------ homes */

/* Whether `layer` computes a neighbor of the node that has these ports: a producer of
 * the ports' tensors if `producers` is true, else a consumer. */
static bool any_beside(const struct fsd_diff *d, fsd_id layer, struct fsd_span ports,
                       bool producers)
{
    for (uint32_t p = ports.at; p < ports.at + ports.n; p++) {
        struct fsd_span peers = fsd_port_peers(d->model, p, producers);

        FSD_EACH_ID (node, d->model->links, peers)
            if (fsd_match_has(d->match, layer, node))
                return true;
    }
    return false;
}

/* Finds the cluster of each node. A vanished node is in the cluster of its nearest
 * layer if a node of this layer is adjacent to it. Otherwise it is in no cluster: a
 * distant member would stretch the cluster. */
static void find_homes(const struct fsd_diff *d, struct fsd_pick *pick,
                       struct fsd_arena *arena)
{
    const struct fsd_match *m = d->match;
    fsd_id *of_region = fsd_ids_new(arena, m->regions.n); /* by region: its first
                                                             selected layer */

    for (fsd_id r = 0; r < m->regions.n; r++) {
        struct fsd_span layers = m->regions.at[r].layers;

        for (uint32_t i = layers.n; i-- > 0;)
            if (pick->layers[m->pool.at[layers.at + i]])
                of_region[r] = m->pool.at[layers.at + i];
    }
    pick->homes = fsd_ids_new(arena, d->model->nodes.n);
    for (fsd_id n = 0; n < d->model->nodes.n; n++) {
        const struct fsd_node *node = &d->model->nodes.at[n];
        fsd_id region = m->region_of_node[n], near = d->nodes[n].near_layer;
        fsd_id *home = &pick->homes[n];

        for (uint32_t i = 0; pick->nodes[n] && i < m->of_node[n].n; i++) {
            fsd_id layer = fsd_match_of_node(m, n, i)->layer;

            if (*home == FSD_NONE && pick->layers[layer])
                *home = layer;
        }
        if (!pick->nodes[n] || *home != FSD_NONE)
            continue;
        if (!fsd_node_vanished(d, n))
            *home = fsd_id_at(of_region, region);
        else if (near != FSD_NONE && pick->layers[near] &&
                 (any_beside(d, near, node->in, true) ||
                  any_beside(d, near, node->out, false)))
            *home = near;
    }
}

/* Leaves out Constant nodes, because they are values, not operations. */
static void leave_constants(const struct fsd_diff *d, struct fsd_pick *pick)
{
    for (fsd_id n = 0; n < d->model->nodes.n; n++)
        if (pick->nodes[n] && fsd_node_is(d->model, n, FSD_ONNX_Constant) &&
            d->nodes[n].fate != FSD_FATE_LAYER) {
            pick->nodes[n] = false;
            pick->constants++;
        }
}

static void start_pick(const struct fsd_diff *d, struct fsd_arena *arena,
                       struct fsd_pick *pick)
{
    *pick = (struct fsd_pick){.nodes = FSD_NEW(arena, bool, d->model->nodes.n),
                              .layers = FSD_NEW(arena, bool, d->engine->nodes.n)};
}

void fsd_diff_pick_layers(const struct fsd_diff *d, const fsd_id *layers, uint32_t n,
                          struct fsd_arena *arena, struct fsd_pick *pick)
{
    start_pick(d, arena, pick);
    pick->partial = true;
    for (uint32_t i = 0; i < n; i++)
        pick->layers[layers[i]] = true;
    take_nodes_of_layers(d, pick);
    leave_constants(d, pick);
    find_homes(d, pick, arena);
}

enum fsd_status fsd_diff_pick(const struct fsd_diff *d, const struct fsd_style *style,
                              struct fsd_arena *arena, struct fsd_pick *pick,
                              struct fsd_error *err)
{
    const struct fsd_picture *want = fsd_wanted_picture(style);
    unsigned depth = want->depth ? want->depth : NEAR;
    enum fsd_status status = FSD_OK;

    start_pick(d, arena, pick);
    pick->partial = want->around || want->only;
    if (want->around) {
        struct fsd_picked picked = {pick->nodes, pick->layers};

        status = fsd_pick(d->match, FSD_PICK_BOTH, want->around, &picked, err);
        for (fsd_id n = 0; n < d->model->nodes.n; n++)
            for (uint32_t i = 0; pick->nodes[n] && i < d->match->of_node[n].n; i++)
                pick->layers[fsd_match_of_node(d->match, n, i)->layer] = true;
        grow(d->engine, NULL, pick->layers, depth, arena);
        grow(d->model, d->facts->constant, pick->nodes, depth, arena);
        take_nodes_of_layers(d, pick);
    }
    if (want->only && status == FSD_OK)
        status = pick_only(d, want->only, depth, arena, pick, err);
    if (!pick->partial) {
        memset(pick->nodes, true, d->model->nodes.n);
        memset(pick->layers, true, d->engine->nodes.n);
    }
    if (!style->all && !want->around)
        leave_constants(d, pick);
    find_homes(d, pick, arena);
    return status;
}
