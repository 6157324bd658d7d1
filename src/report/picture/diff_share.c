/*
 * Determines which nodes and layers share a box.
 *
 *   run      consecutive plain layers share a box, and the nodes of these layers share
 *            another box; adjacent vanished nodes with the same outcome share a box
 *   scope:N  nodes or layers whose names have the same first N parts share a box
 *   part     consecutive layers share a box, and the nodes of these layers share
 *            another box; each box has equally many layers; `part` suits any model
 *
 * Each level has larger boxes than the preceding one. Users cannot request `part`; it
 * is used if the picture is too large at all other levels.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"

#include <limits.h>
#include <stdlib.h>

enum {
    LEAST_RUN = 3, /* minimum number of layers in a run, or of vanished nodes
                      in a shared box */
    DEEPEST = 6,   /* the greatest N that the program tries for scope:N */
    MOST_PARTS = 24
};

/* ---------------------------------------------------------------- grain words */

enum fsd_status fsd_grain_parse(const char *word, struct fsd_grain *grain,
                                struct fsd_error *err)
{
    char *end;

    *grain = (struct fsd_grain){FSD_LEVEL_NONE, 0};
    if (!strcmp(word, "none"))
        return FSD_OK;
    grain->level = FSD_LEVEL_RUN;
    if (!strcmp(word, "run"))
        return FSD_OK;
    grain->level = FSD_LEVEL_SCOPE;
    if (!strncmp(word, "scope:", 6) && word[6] >= '1' && word[6] <= '9') {
        unsigned long depth = strtoul(word + 6, &end, 10);

        grain->depth = (unsigned)depth;
        if (!*end && depth < 1000)
            return FSD_OK;
    }
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected 'none', 'run' or 'scope:N' as "
                    "the value of --collapse, found '%.80s'",
                    word);
}

const char *fsd_grain_name(struct fsd_grain grain, char out[24])
{
    static const char *const names[] = {"none", "run", "scope", "part"};

    if (grain.level == FSD_LEVEL_SCOPE)
        snprintf(out, 24, "scope:%u", grain.depth);
    else
        snprintf(out, 24, "%s", names[grain.level]);
    return out;
}

/* grain->depth may be greater than DEEPEST, because a user may request such a depth. */
bool fsd_grain_next(struct fsd_grain *grain)
{
    if (grain->level == FSD_LEVEL_PART)
        return false;
    if (grain->level == FSD_LEVEL_SCOPE && grain->depth > 1)
        grain->depth = grain->depth > DEEPEST ? DEEPEST : grain->depth - 1;
    else
        *grain = (struct fsd_grain){grain->level + 1,
                                    grain->level == FSD_LEVEL_RUN ? DEEPEST : 0};
    return true;
}

/* The data of all functions below. */
struct sharer {
    const struct fsd_diff *d;
    const struct fsd_pick *pick;
    struct fsd_sharing nodes, layers;
    struct fsd_arena *arena;
};

/* Dissolves boxes with fewer than `least` members: each member gets its own box. */
static void settle(struct fsd_arena *arena, fsd_id *leader, uint32_t n, uint32_t least)
{
    uint32_t *members = FSD_NEW(arena, uint32_t, n);

    for (fsd_id i = 0; i < n; i++) {
        leader[i] = fsd_sets_find(leader, i);
        members[leader[i]]++;
    }
    for (fsd_id i = 0; i < n; i++)
        if (members[leader[i]] < least)
            leader[i] = i;
}

/* ------------------------------------------------------------------------ runs */

/* Whether a layer may share a box. Inserted layers, and layers that compute nothing,
 * keep their own boxes, because readers look for them. */
static bool is_plain(const struct sharer *x, fsd_id layer)
{
    return x->pick->layers[layer] && !x->d->layers[layer].inserted &&
           x->d->layers[layer].kind == FSD_KIND_COMPUTE;
}

/* The next layer in a line; FSD_NONE: there is none. Two layers are in a line if the
 * first has one output, only the second reads this output, and the second reads no
 * other layer's output. */
static fsd_id next_in_line(const struct fsd_graph *g, fsd_id layer)
{
    const struct fsd_node *from = &g->nodes.at[layer], *to;
    fsd_id tensor = from->out.n == 1 ? g->ports.at[from->out.at].tensor : FSD_NONE,
           next;
    uint32_t produced = 0;

    if (tensor == FSD_NONE || g->tensors.at[tensor].consumers.n != 1 ||
        g->tensors.at[tensor].producers.n != 1)
        return FSD_NONE;
    next = g->links.at[g->tensors.at[tensor].consumers.at];
    to = &g->nodes.at[next];
    FSD_EACH_OF (in, g->ports, to->in, tensor)
        produced += fsd_graph_tensor(g, in)->producers.n > 0;
    return produced == 1 ? next : FSD_NONE;
}

/* Joins consecutive layers into one box, and their nodes into another.
 * @return by node: whether the node is in such a box */
static bool *join_layer_lines(struct sharer *x)
{
    const struct fsd_graph *model = x->d->model, *g = x->d->engine;
    bool *taken = FSD_NEW(x->arena, bool, model->nodes.n);
    fsd_id *first = fsd_ids_new(x->arena, g->nodes.n), *leader = x->layers.leader;
    uint32_t *members = FSD_NEW(x->arena, uint32_t, g->nodes.n);

    for (fsd_id l = 0; l < g->nodes.n; l++) {
        fsd_id next = is_plain(x, l) ? next_in_line(g, l) : FSD_NONE;

        if (next != FSD_NONE && is_plain(x, next) &&
            x->d->layers[l].precision == x->d->layers[next].precision)
            fsd_sets_join(leader, l, next);
    }
    settle(x->arena, leader, g->nodes.n, LEAST_RUN);
    for (fsd_id l = 0; l < g->nodes.n; l++)
        members[leader[l]]++;
    for (fsd_id n = 0; n < model->nodes.n; n++) {
        fsd_id home = x->pick->nodes[n] ? x->pick->homes[n] : FSD_NONE;

        if (home == FSD_NONE || members[leader[home]] < LEAST_RUN)
            continue;
        home = leader[home];
        first[home] = fsd_id_or(first[home], n);
        fsd_sets_join(x->nodes.leader, n, first[home]);
        taken[n] = true;
    }
    settle(x->arena, x->nodes.leader, model->nodes.n, 1);
    return taken;
}

static bool may_bundle(const struct sharer *x, const bool *taken, fsd_id node)
{
    return x->pick->nodes[node] && !taken[node] && fsd_node_vanished(x->d, node);
}

/* Puts the layers of a run into one box, and the nodes of these layers into another
 * box. Also puts adjacent vanished nodes into one box. */
static void share_runs(struct sharer *x)
{
    const struct fsd_graph *g = x->d->model;
    fsd_id *bundle = fsd_sets_new(x->arena, g->nodes.n);
    const bool *taken = join_layer_lines(x);

    for (fsd_id n = 0; n < g->nodes.n; n++) {
        struct fsd_span in = g->nodes.at[n].in;

        for (uint32_t p = in.at; may_bundle(x, taken, n) && p < in.at + in.n; p++) {
            fsd_id from = fsd_tensor_producer(g, g->ports.at[p].tensor);

            if (from != FSD_NONE && may_bundle(x, taken, from) &&
                x->d->nodes[from].fate == x->d->nodes[n].fate &&
                x->pick->homes[from] == x->pick->homes[n])
                fsd_sets_join(bundle, from, n);
        }
    }
    settle(x->arena, bundle, g->nodes.n, LEAST_RUN);
    for (fsd_id n = 0; n < g->nodes.n; n++)
        if (bundle[n] != n)
            x->nodes.leader[n] = bundle[n];
}

/* ---------------------------------------------------------------------- scopes */

/* The length of the first `depth` parts of a path. The last part is the node's own name
 * and never counts: with depth 2, "/layer1/layer1.0/conv1/Conv" gives
 * "/layer1/layer1.0". */
static size_t scope_length(const char *name, unsigned depth)
{
    const char *last = strrchr(name, '/'), *at = name;

    if (!last || last == name)
        return 0;
    for (unsigned i = 0; i < depth; i++) {
        const char *next = strchr(at + 1, '/');

        if (!next || next >= last)
            return (size_t)(last - name);
        at = next;
    }
    return (size_t)(at - name);
}

unsigned fsd_diff_scope_levels(const struct fsd_diff *d)
{
    unsigned most = 0;

    for (fsd_id n = 0; n < d->model->nodes.n; n++) {
        const char *name = fsd_text(d->names, d->model->nodes.at[n].name);
        size_t all = scope_length(name, UINT_MAX);
        unsigned levels = all != 0;

        for (size_t at = 1; at < all; at++)
            levels += name[at] == '/';
        most = levels > most ? levels : most;
    }
    return most;
}

/* Puts all nodes or layers with the same scope into one box. The box has the place of
 * the first of them in the drawing.
 * @param key by node or layer: its scope; 0: none */
static void share_keys(struct sharer *x, struct fsd_sharing s, const bool *in,
                       const fsd_sym *key, uint32_t n, const struct fsd_intern *keys)
{
    fsd_id *first = fsd_ids_new(x->arena, fsd_intern_count(keys)); /* by scope: its
                                                                      first unit */

    for (fsd_id i = 0; i < n; i++) {
        if (!in[i] || !key[i])
            continue;
        first[key[i]] = fsd_id_or(first[key[i]], i);
        s.leader[i] = first[key[i]];
        s.titles[first[key[i]]] = fsd_text(keys, key[i]);
    }
}

static void share_scopes(struct sharer *x, unsigned depth)
{
    const struct fsd_diff *d = x->d;
    const struct fsd_graph *g = d->model;
    struct fsd_intern *keys = fsd_intern_new(x->arena);
    fsd_sym *node = FSD_NEW(x->arena, fsd_sym, g->nodes.n);
    fsd_sym *layer = FSD_NEW(x->arena, fsd_sym, d->engine->nodes.n);

    /* Finds the scope of each node. A vanished node outside all scopes ("Slice_2345")
     * gets the scope of its consumer. Consumers come later in the file, so the loop
     * runs backwards. */
    for (fsd_id n = g->nodes.n; n-- > 0;) {
        const char *name = fsd_text(d->names, g->nodes.at[n].name);
        fsd_id out = fsd_node_out_tensor(g, n, 0);

        node[n] = fsd_intern_add(keys, name, scope_length(name, depth));
        if (!node[n] && out != FSD_NONE && fsd_node_vanished(d, n) &&
            g->tensors.at[out].consumers.n)
            node[n] = node[g->links.at[g->tensors.at[out].consumers.at]];
    }
    /* Finds the scope of each layer: the scope of its first node. For a layer without
     * nodes, the producer of its first input and the first consumer of its output are
     * compared. If both have the same scope, the layer gets this scope. */
    g = d->engine;
    for (fsd_id l = 0; l < g->nodes.n; l++)
        if (d->match->of_layer[l].n)
            layer[l] = node[fsd_match_of_layer(d->match, l, 0)->node];
    for (fsd_id l = 0; l < g->nodes.n; l++) {
        fsd_id from = fsd_node_in_producer(g, l, 0);
        fsd_id out = fsd_node_out_tensor(g, l, 0);

        if (!d->match->of_layer[l].n && from != FSD_NONE &&
            fsd_graph_tensor(g, out)->consumers.n &&
            layer[from] == layer[g->links.at[g->tensors.at[out].consumers.at]])
            layer[l] = layer[from];
    }
    share_keys(x, x->nodes, x->pick->nodes, node, d->model->nodes.n, keys);
    share_keys(x, x->layers, x->pick->layers, layer, g->nodes.n, keys);
}

/* ----------------------------------------------------------------------- parts */

/* Divides the selected layers into parts of equal size. A node is in the part of its
 * layer. A node without a layer is in the same part as the preceding node of the file.
 * A picture of a part can itself be divided into parts. */
static void share_parts(struct sharer *x)
{
    uint32_t n = x->d->engine->nodes.n, picked = 0, size, now = 0;
    uint32_t *place =
        FSD_NEW(x->arena, uint32_t, n); /* by layer: its index among the selected
                                           layers */
    fsd_id *first = fsd_ids_new(x->arena, MOST_PARTS + 1);
    fsd_id *head = fsd_ids_new(x->arena, MOST_PARTS + 1);

    for (fsd_id l = 0; l < n; l++)
        place[l] = x->pick->layers[l] ? picked++ : picked;
    size = picked / MOST_PARTS + 1;
    for (fsd_id l = 0; l < n; l++) {
        if (!x->pick->layers[l])
            continue;
        first[place[l] / size] = fsd_id_or(first[place[l] / size], l);
        x->layers.leader[l] = first[place[l] / size];
    }
    for (fsd_id i = 0; i < x->d->model->nodes.n; i++) {
        if (!x->pick->nodes[i])
            continue;
        if (x->pick->homes[i] != FSD_NONE)
            now = place[x->pick->homes[i]] / size;
        head[now] = fsd_id_or(head[now], i);
        x->nodes.leader[i] = head[now];
    }
}

static struct fsd_sharing all_apart(struct fsd_arena *arena, uint32_t n)
{
    return (struct fsd_sharing){fsd_sets_new(arena, n),
                                FSD_NEW(arena, const char *, n)};
}

void fsd_diff_share(const struct fsd_diff *d, const struct fsd_pick *pick,
                    struct fsd_grain grain, struct fsd_arena *arena,
                    struct fsd_sharing *nodes, struct fsd_sharing *layers)
{
    struct sharer x = {d, pick, all_apart(arena, d->model->nodes.n),
                       all_apart(arena, d->engine->nodes.n), arena};

    if (grain.level == FSD_LEVEL_RUN)
        share_runs(&x);
    else if (grain.level == FSD_LEVEL_SCOPE)
        share_scopes(&x, grain.depth);
    else if (grain.level == FSD_LEVEL_PART)
        share_parts(&x);
    *nodes = x.nodes;
    *layers = x.layers;
}
