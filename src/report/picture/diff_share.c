/*
 * Which nodes and layers share a box.
 *
 *   run      plain layers in a line, with their nodes; nodes of one fate that vanished
 *            side by side
 *   scope:N  what has the first N parts of its name in common
 *   part     so many layers in a row each, with their nodes: works on any model
 *
 * Each grain is coarser than the one before; `part` is never asked for, it is what is
 * left when nothing else is small enough.
 */
#include "base/intern.h"
#include "base/sets.h"
#include "base/status.h"
#include "report/picture/drawing.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_RUN = 3, /* layers that make a run */
    DEEPEST = 6,   /* scope that is tried */
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
                    "expected none, run or scope:N to collapse, found '%.80s'", word);
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

bool fsd_grain_next(struct fsd_grain *grain)
{
    switch (grain->level) {
    case FSD_LEVEL_NONE:
        grain->level = FSD_LEVEL_RUN;
        return true;
    case FSD_LEVEL_RUN:
        *grain = (struct fsd_grain){FSD_LEVEL_SCOPE, DEEPEST};
        return true;
    case FSD_LEVEL_SCOPE:
        if (grain->depth > DEEPEST)
            grain->depth = DEEPEST;
        else if (grain->depth > 1)
            grain->depth--;
        else
            *grain = (struct fsd_grain){FSD_LEVEL_PART, 0};
        return true;
    case FSD_LEVEL_PART:
        break;
    }
    return false;
}

/* Boxes of fewer than `least` members are taken apart again. */
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

/* What was inserted, and what is no computation, is what a reader looks for: it keeps a
 * box of its own. */
static bool is_plain(const struct fsd_diff *d, const struct fsd_pick *pick,
                     fsd_id layer)
{
    return pick->layers[layer] && !d->layers[layer].inserted &&
           d->layers[layer].kind == FSD_KIND_COMPUTE;
}

/* The only layer that reads what this one writes, if it reads nothing else that a
 * layer writes; FSD_NONE. */
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
    for (uint32_t i = 0; i < to->in.n; i++) {
        fsd_id in = g->ports.at[to->in.at + i].tensor;

        produced += in != FSD_NONE && g->tensors.at[in].producers.n;
    }
    return produced == 1 ? next : FSD_NONE;
}

static void join_lines(const struct fsd_diff *d, const struct fsd_pick *pick,
                       struct fsd_sharing *s, struct fsd_arena *arena)
{
    for (fsd_id l = 0; l < d->engine->nodes.n; l++) {
        fsd_id next = is_plain(d, pick, l) ? next_in_line(d->engine, l) : FSD_NONE;

        if (next != FSD_NONE && is_plain(d, pick, next) &&
            d->layers[l].precision == d->layers[next].precision)
            fsd_sets_join(s->layers, l, next);
    }
    settle(arena, s->layers, d->engine->nodes.n, LEAST_RUN);
}

/* A node goes with its layer's run, or with what vanished next to it. */
static void join_nodes_of_lines(const struct fsd_diff *d, const struct fsd_pick *pick,
                                struct fsd_sharing *s, bool *taken,
                                struct fsd_arena *arena)
{
    const struct fsd_graph *g = d->engine;
    fsd_id *first = FSD_NEW(arena, fsd_id, g->nodes.n);
    uint32_t *members = FSD_NEW(arena, uint32_t, g->nodes.n);

    memset(first, 0xff, g->nodes.n * sizeof *first);
    for (fsd_id l = 0; l < g->nodes.n; l++)
        members[s->layers[l]]++;
    for (fsd_id n = 0; n < d->model->nodes.n; n++) {
        fsd_id home = pick->nodes[n] ? pick->homes[n] : FSD_NONE;

        if (home == FSD_NONE || members[s->layers[home]] < LEAST_RUN)
            continue;
        home = s->layers[home];
        if (first[home] == FSD_NONE)
            first[home] = n;
        fsd_sets_join(s->nodes, n, first[home]);
        taken[n] = true;
    }
}

static bool may_bundle(const struct fsd_diff *d, const struct fsd_pick *pick,
                       const bool *taken, fsd_id node)
{
    return pick->nodes[node] && !taken[node] && fsd_node_vanished(d, node);
}

static void bundle_vanished(const struct fsd_diff *d, const struct fsd_pick *pick,
                            struct fsd_sharing *s, const bool *taken,
                            struct fsd_arena *arena)
{
    const struct fsd_graph *g = d->model;
    fsd_id *bundle = fsd_sets_new(arena, g->nodes.n);

    for (fsd_id n = 0; n < g->nodes.n; n++) {
        const struct fsd_node *node = &g->nodes.at[n];

        if (!may_bundle(d, pick, taken, n))
            continue;
        for (uint32_t i = 0; i < node->in.n; i++) {
            fsd_id tensor = g->ports.at[node->in.at + i].tensor;
            fsd_id from =
                tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(g, tensor);

            if (from != FSD_NONE && may_bundle(d, pick, taken, from) &&
                d->nodes[from].fate == d->nodes[n].fate &&
                pick->homes[from] == pick->homes[n])
                fsd_sets_join(bundle, from, n);
        }
    }
    settle(arena, bundle, g->nodes.n, LEAST_RUN);
    for (fsd_id n = 0; n < g->nodes.n; n++)
        if (bundle[n] != n)
            s->nodes[n] = bundle[n];
}

static void share_runs(const struct fsd_diff *d, const struct fsd_pick *pick,
                       struct fsd_sharing *s, struct fsd_arena *arena)
{
    bool *taken = FSD_NEW(arena, bool, d->model->nodes.n);

    join_lines(d, pick, s, arena);
    join_nodes_of_lines(d, pick, s, taken, arena);
    settle(arena, s->nodes, d->model->nodes.n, 1);
    bundle_vanished(d, pick, s, taken, arena);
}

/* ---------------------------------------------------------------------- scopes */

/* The first `depth` parts of a path, without the last part, which is the node's own:
 * "/layer1/layer1.0/conv1/Conv" to depth 2 is "/layer1/layer1.0". */
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

/* Of each node the scope.  A constant outside any scope ("Slice_2345") belongs to what
 * reads it; readers come later in the file, so from the end. */
static fsd_sym *node_keys(const struct fsd_diff *d, unsigned depth,
                          struct fsd_intern *keys, struct fsd_arena *arena)
{
    const struct fsd_graph *g = d->model;
    fsd_sym *key = FSD_NEW(arena, fsd_sym, g->nodes.n);

    for (fsd_id n = g->nodes.n; n-- > 0;) {
        const char *name = fsd_text(d->names, g->nodes.at[n].name);
        fsd_id out = fsd_node_out_tensor(g, n, 0);

        key[n] = fsd_intern_add(keys, name, scope_length(name, depth));
        if (!key[n] && out != FSD_NONE && fsd_node_vanished(d, n) &&
            g->tensors.at[out].consumers.n)
            key[n] = key[g->links.at[g->tensors.at[out].consumers.at]];
    }
    return key;
}

/* Of each layer its first node's scope; of one without nodes that which what writes its
 * input and what reads its output have in common. */
static fsd_sym *layer_keys(const struct fsd_diff *d, const fsd_sym *node_key,
                           struct fsd_arena *arena)
{
    const struct fsd_graph *g = d->engine;
    fsd_sym *key = FSD_NEW(arena, fsd_sym, g->nodes.n);

    for (fsd_id l = 0; l < g->nodes.n; l++)
        if (d->match->of_layer[l].n)
            key[l] = node_key[fsd_match_of_layer(d->match, l, 0)->node];
    for (fsd_id l = 0; l < g->nodes.n; l++) {
        fsd_id in = fsd_node_in_tensor(g, l, 0), out = fsd_node_out_tensor(g, l, 0);
        fsd_id from = in == FSD_NONE ? FSD_NONE : fsd_tensor_producer(g, in);

        if (!d->match->of_layer[l].n && from != FSD_NONE && out != FSD_NONE &&
            g->tensors.at[out].consumers.n &&
            key[from] == key[g->links.at[g->tensors.at[out].consumers.at]])
            key[l] = key[from];
    }
    return key;
}

static void share_keys(fsd_id *leader, const char **titles, const bool *in,
                       const fsd_sym *key, uint32_t n, struct fsd_intern *keys,
                       struct fsd_arena *arena)
{
    fsd_sym most = 0;
    fsd_id *first; /* by key: its first item */

    for (fsd_id i = 0; i < n; i++)
        most = key[i] > most ? key[i] : most;
    first = fsd_none_of(arena, most + 1);
    for (fsd_id i = 0; i < n; i++) {
        if (!in[i] || !key[i])
            continue;
        if (first[key[i]] == FSD_NONE)
            first[key[i]] = i;
        leader[i] = first[key[i]];
        titles[leader[i]] = fsd_text(keys, key[i]);
    }
}

static void share_scopes(const struct fsd_diff *d, const struct fsd_pick *pick,
                         unsigned depth, struct fsd_sharing *s, struct fsd_arena *arena)
{
    struct fsd_intern *keys = fsd_intern_new(arena);
    fsd_sym *nodes = node_keys(d, depth, keys, arena);
    fsd_sym *layers = layer_keys(d, nodes, arena);

    share_keys(s->nodes, s->node_titles, pick->nodes, nodes, d->model->nodes.n, keys,
               arena);
    share_keys(s->layers, s->layer_titles, pick->layers, layers, d->engine->nodes.n,
               keys, arena);
}

/* ----------------------------------------------------------------------- parts */

static void share_parts(const struct fsd_diff *d, const struct fsd_pick *pick,
                        struct fsd_sharing *s)
{
    uint32_t n = d->engine->nodes.n, size = n / MOST_PARTS + 1, now = 0;
    fsd_id first[MOST_PARTS + 1], head[MOST_PARTS + 1];

    memset(first, 0xff, sizeof first);
    memset(head, 0xff, sizeof head);
    for (fsd_id l = 0; l < n; l++)
        if (pick->layers[l]) {
            if (first[l / size] == FSD_NONE)
                first[l / size] = l;
            s->layers[l] = first[l / size];
        }
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_id home = pick->nodes[i] ? pick->homes[i] : FSD_NONE;

        if (!pick->nodes[i])
            continue;
        now = home == FSD_NONE ? now : home / size;
        if (head[now] == FSD_NONE)
            head[now] = i;
        s->nodes[i] = head[now];
    }
}

struct fsd_sharing fsd_diff_share(const struct fsd_diff *d, const struct fsd_pick *pick,
                                  struct fsd_grain grain, struct fsd_arena *arena)
{
    struct fsd_sharing s = {fsd_sets_new(arena, d->model->nodes.n),
                            fsd_sets_new(arena, d->engine->nodes.n),
                            FSD_NEW(arena, const char *, d->model->nodes.n),
                            FSD_NEW(arena, const char *, d->engine->nodes.n)};

    switch (grain.level) {
    case FSD_LEVEL_NONE:
        break;
    case FSD_LEVEL_RUN:
        share_runs(d, pick, &s, arena);
        break;
    case FSD_LEVEL_SCOPE:
        share_scopes(d, pick, grain.depth, &s, arena);
        break;
    case FSD_LEVEL_PART:
        share_parts(d, pick, &s);
        break;
    }
    return s;
}
