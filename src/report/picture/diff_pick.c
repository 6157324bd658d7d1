/*
 * Which nodes and layers are in a picture: all, the neighbourhood of a named one, or
 * that of everything that is flagged.  A neighbourhood grows on the engine's side along
 * its tensors; the nodes of its layers come with it, and what vanished beside them.
 */
#include "base/status.h"
#include "report/picture/drawing.h"

#include <fnmatch.h>
#include <string.h>

enum { NEAR = 1 }; /* steps around what is asked for, where nobody says */

bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node)
{
    enum fsd_fate fate = d->nodes[node].fate;

    return fate != FSD_FATE_LAYER && fate != FSD_FATE_UNEXPLAINED;
}

/* ---------------------------------------------------------- what is asked for */

static bool is_inserted(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].inserted;
}

static bool fuses(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].inserted || d->match->of_layer[layer].n > 1;
}

static enum fsd_dtype port_type(const struct fsd_diff *d, struct fsd_span ports,
                                uint32_t i)
{
    return fsd_port_form(d->engine, &d->engine->ports.at[ports.at + i])->type;
}

/* Only types that say something about precision: a shape tensor beside a float one is
 * no change. */
static bool changes_type(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *l = &d->engine->nodes.at[layer];
    enum fsd_dtype first = FSD_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < l->in.n + l->out.n; i++) {
        enum fsd_dtype type =
            i < l->in.n ? port_type(d, l->in, i) : port_type(d, l->out, i - l->in.n);

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
    {"reformats", is_inserted, "inserted layers and what is next to them"},
    {"changes", fuses, "fused and inserted layers, and nodes that vanished"},
    {"precision", changes_type, "layers that read or write more than one type"},
};

/* ---------------------------------------------------------------- growing */

struct front {
    struct fsd_arena *arena;
    FSD_VEC(fsd_id) items;
};

static void take(struct front *front, bool *in, fsd_id item)
{
    if (in[item])
        return;
    in[item] = true;
    fsd_vec_push(front->arena, &front->items, item);
}

/* Through an initializer nothing flows: a scale that all quantizers share would make
 * them neighbours. */
static void take_neighbours(const struct fsd_graph *g, struct front *front, bool *in,
                            bool *seen, fsd_id item)
{
    const struct fsd_node *node = &g->nodes.at[item];

    for (uint32_t i = 0; i < node->in.n + node->out.n; i++) {
        uint32_t at = i < node->in.n ? node->in.at + i : node->out.at + i - node->in.n;
        fsd_id tensor = g->ports.at[at].tensor;
        const struct fsd_tensor *t = tensor == FSD_NONE ? NULL : &g->tensors.at[tensor];

        if (!t || seen[tensor] || (t->flags & FSD_TENSOR_CONSTANT))
            continue; /* a tensor's ends are taken once */
        seen[tensor] = true;
        for (uint32_t e = 0; e < t->producers.n; e++)
            take(front, in, g->links.at[t->producers.at + e]);
        for (uint32_t e = 0; e < t->consumers.n; e++)
            take(front, in, g->links.at[t->consumers.at + e]);
    }
}

/* Breadth first from what is in the front, which it leaves holding all. */
static void grow(const struct fsd_graph *g, struct front *front, bool *in,
                 unsigned depth)
{
    bool *seen = FSD_NEW(front->arena, bool, g->tensors.n);
    uint32_t done = 0;

    for (unsigned step = 0; step < depth && done < front->items.n; step++)
        for (uint32_t end = front->items.n; done < end; done++)
            take_neighbours(g, front, in, seen, front->items.at[done]);
}

/* -------------------------------------------------------- from side to side */

static bool has_picked_layer(const struct fsd_diff *d, const bool *layers, fsd_id node)
{
    fsd_id near = d->nodes[node].near_layer, region = d->match->region_of_node[node];

    for (uint32_t i = 0; i < d->match->of_node[node].n; i++)
        if (layers[fsd_match_of_node(d->match, node, i)->layer])
            return true;
    if (region != FSD_NONE)
        for (uint32_t i = 0; i < d->match->regions.at[region].layers.n; i++)
            if (layers[d->match->pool.at[d->match->regions.at[region].layers.at + i]])
                return true;
    return near != FSD_NONE && layers[near];
}

static void take_nodes_of_layers(const struct fsd_diff *d, struct fsd_pick *pick)
{
    for (fsd_id n = 0; n < d->model->nodes.n; n++)
        pick->nodes[n] = pick->nodes[n] || has_picked_layer(d, pick->layers, n);
}

/* ------------------------------------------------------------------- the two */

static bool named(const struct fsd_diff *d, const struct fsd_node *node,
                  const char *pattern)
{
    return node->name && !fnmatch(pattern, fsd_text(d->names, node->name), 0);
}

/* A name that is one to the letter wins over the same word as a glob. */
static bool same_name(const struct fsd_diff *d, const struct fsd_node *node,
                      const char *word)
{
    return node->name && !strcmp(word, fsd_text(d->names, node->name));
}

typedef bool name_fn(const struct fsd_diff *d, const struct fsd_node *node,
                     const char *word);

static uint32_t take_named(const struct fsd_diff *d, const struct fsd_graph *g,
                           struct front *front, bool *in, const char *word, name_fn *is)
{
    uint32_t before = front->items.n;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (is(d, &g->nodes.at[i], word))
            take(front, in, i);
    return front->items.n - before;
}

static enum fsd_status pick_around(const struct fsd_diff *d, const char *word,
                                   unsigned depth, struct fsd_arena *arena,
                                   struct fsd_pick *pick, struct fsd_error *err)
{
    struct front nodes = {.arena = arena}, layers = {.arena = arena};
    static name_fn *const ways[] = {same_name, named};
    uint32_t found = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(ways) && !found; i++)
        found = take_named(d, d->model, &nodes, pick->nodes, word, ways[i]) +
                take_named(d, d->engine, &layers, pick->layers, word, ways[i]);
    if (!found)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected the name of a node or a layer, found '%.200s', which "
                        "names none",
                        word);
    for (uint32_t i = 0; i < nodes.items.n; i++) {
        fsd_id node = nodes.items.at[i];

        for (uint32_t l = 0; l < d->match->of_node[node].n; l++)
            take(&layers, pick->layers, fsd_match_of_node(d->match, node, l)->layer);
    }
    grow(d->engine, &layers, pick->layers, depth);
    grow(d->model, &nodes, pick->nodes, depth);
    take_nodes_of_layers(d, pick);
    return FSD_OK;
}

static enum fsd_status pick_only(const struct fsd_diff *d, const char *word,
                                 unsigned depth, struct fsd_arena *arena,
                                 struct fsd_pick *pick, struct fsd_error *err)
{
    const struct subject *subject = subjects, *end = subjects + FSD_COUNT_OF(subjects);
    struct front layers = {.arena = arena};

    while (subject < end && strcmp(subject->word, word) != 0)
        subject++;
    if (subject == end)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected reformats, changes or precision, found '%.80s'",
                        word);
    for (fsd_id l = 0; l < d->engine->nodes.n; l++)
        if (subject->wants(d, l))
            take(&layers, pick->layers, l);
    if (subject->wants == fuses)
        for (fsd_id n = 0; n < d->model->nodes.n; n++)
            pick->nodes[n] = pick->nodes[n] || fsd_node_vanished(d, n);
    else
        grow(d->engine, &layers, pick->layers, depth);
    take_nodes_of_layers(d, pick);
    if (subject->wants == is_inserted) /* what vanished there says nothing of it */
        for (fsd_id n = 0; n < d->model->nodes.n; n++)
            pick->nodes[n] = pick->nodes[n] && !fsd_node_vanished(d, n);
    pick->subject = subject->phrase;
    return FSD_OK;
}

/* A Constant node is a value, not an operation: it is drawn only where it is asked
 * for, or with --all. */
static void leave_constants_out(const struct fsd_diff *d, struct fsd_pick *pick)
{
    for (fsd_id n = 0; n < d->model->nodes.n; n++)
        if (pick->nodes[n] && fsd_node_is(d->model, n, "Constant") &&
            d->nodes[n].fate != FSD_FATE_LAYER) {
            pick->nodes[n] = false;
            pick->constants++;
        }
}

/* ------------------------------------------------------------------------ homes */

/* A node that `layer` computes writes or reads one of the ports' tensors. */
static bool any_beside(const struct fsd_diff *d, fsd_id layer, struct fsd_span ports,
                       bool producers)
{
    for (uint32_t p = ports.at; p < ports.at + ports.n; p++) {
        struct fsd_span peers = fsd_port_peers(d->model, p, producers);

        for (uint32_t i = 0; i < peers.n; i++) {
            fsd_id node = d->model->links.at[peers.at + i];

            if (fsd_match_has(d->match, layer, node))
                return true;
        }
    }
    return false;
}

static fsd_id home_of(const struct fsd_diff *d, const struct fsd_pick *pick,
                      const fsd_id *of_region, fsd_id node)
{
    fsd_id region = d->match->region_of_node[node], near = d->nodes[node].near_layer;

    for (uint32_t i = 0; i < d->match->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, node, i)->layer;

        if (pick->layers[layer])
            return layer;
    }
    if (!fsd_node_vanished(d, node))
        return region == FSD_NONE ? FSD_NONE : of_region[region];
    if (near == FSD_NONE || !pick->layers[near])
        return FSD_NONE;
    return any_beside(d, near, d->model->nodes.at[node].in, true) ||
                   any_beside(d, near, d->model->nodes.at[node].out, false)
               ? near
               : FSD_NONE;
}

static void find_homes(const struct fsd_diff *d, struct fsd_pick *pick,
                       struct fsd_arena *arena)
{
    fsd_id *of_region = fsd_none_of(arena, d->match->regions.n); /* its first layer */

    for (fsd_id r = 0; r < d->match->regions.n; r++) {
        struct fsd_span layers = d->match->regions.at[r].layers;

        for (uint32_t i = layers.n; i-- > 0;)
            if (pick->layers[d->match->pool.at[layers.at + i]])
                of_region[r] = d->match->pool.at[layers.at + i];
    }
    pick->homes = FSD_NEW(arena, fsd_id, d->model->nodes.n);
    for (fsd_id n = 0; n < d->model->nodes.n; n++)
        pick->homes[n] = pick->nodes[n] ? home_of(d, pick, of_region, n) : FSD_NONE;
}

enum fsd_status fsd_diff_pick(const struct fsd_diff *d, const struct fsd_style *style,
                              struct fsd_arena *arena, struct fsd_pick *pick,
                              struct fsd_error *err)
{
    static const struct fsd_picture everything = {0};
    const struct fsd_picture *want = style->picture ? style->picture : &everything;
    unsigned depth = want->depth ? want->depth : NEAR;
    enum fsd_status status = FSD_OK;

    memset(pick, 0, sizeof *pick);
    pick->nodes = FSD_NEW(arena, bool, d->model->nodes.n);
    pick->layers = FSD_NEW(arena, bool, d->engine->nodes.n);
    pick->partial = want->around || want->only;
    if (want->around)
        status = pick_around(d, want->around, depth, arena, pick, err);
    if (want->only && status == FSD_OK)
        status = pick_only(d, want->only, depth, arena, pick, err);
    if (!pick->partial) {
        memset(pick->nodes, true, d->model->nodes.n);
        memset(pick->layers, true, d->engine->nodes.n);
    }
    if (!style->all && !want->around)
        leave_constants_out(d, pick);
    find_homes(d, pick, arena);
    return status;
}
