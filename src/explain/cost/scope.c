/*
 * Finds the module of each node, and sums layers, precisions and times by module.  The
 * module path of a node comes from the exporter's metadata, from the name of the node
 * or its weight, or from another node: see share_in_layer().  The first `depth` parts
 * of the path name the module.  If the user states no depth, useful_depth() chooses it.
 * A layer with nodes of several modules counts in each of them.  Its time is divided
 * among its nodes, so that the times of the modules add up.
 */
#include "explain/cost/scope.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

enum { USEFUL = 6, TOO_MANY = 60, MOST_DEPTH = 32 };

struct path {
    const char *text;
    size_t len; /* length of the path without its last part */
    char sign;  /* the separator between its parts */
};

/* The module path in a name.  In "[RELU]-[aten_ops.relu.default]-[/layer1/relu]", the
 * path is "/layer1/relu". */
static struct path path_of(const char *name)
{
    const char *in = *name == '[' ? strstr(name, "]-[/") : NULL;
    struct path path = {in ? in + 3 : name, 0, '/'};
    const char *last;

    if (*name == '[' && !in) /* it is unknown where the path begins */
        return path;
    name = path.text;
    last = strrchr(name, '/');
    if (!last || last == name) {
        last = strrchr(name, '.');
        path.sign = '.';
    }
    if (last && last != name)
        path.len = (size_t)(last - name);
    return path;
}

/* The module path in the name of the weight that a node reads, directly or through Q
 * and DQ; empty if there is none. */
static struct path weight_path(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;
    struct path path = {"", 0, '/'};

    for (uint32_t i = 1; i < g->nodes.at[node].in.n && !path.len; i++) {
        fsd_id tensor = fsd_node_in_tensor(g, node, i);

        tensor = fsd_walk_back_over(g, tensor, d->facts->traits, FSD_OP_QDQ);
        if (fsd_tensor_is(g, tensor, FSD_TENSOR_CONSTANT))
            path = path_of(fsd_text(d->names, g->tensors.at[tensor].name));
    }
    return path;
}

/* The first known node that consumes the data of a data-movement layer; FSD_NONE if
 * none is known. */
static fsd_id reader_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    fsd_id reader = FSD_NONE;

    for (uint32_t i = 0; reader == FSD_NONE && i < flow->readers.n; i++)
        reader = d->flows->readers.at[flow->readers.at + i].node;
    return reader;
}

/* Gives a path to each node of the layer that has no path.  Without `readers`, this is
 * the path of the layer's first node that has a path.  With `readers`, this is the path
 * of the node that consumes the layer's data (reader_of()). */
static void share_in_layer(const struct fsd_diff *d, struct path *paths, fsd_id layer,
                           bool readers)
{
    fsd_id reader = readers ? reader_of(d, layer) : FSD_NONE;
    struct path known = {"", 0, '/'};
    uint32_t n = d->match->of_layer[layer].n;

    if (reader != FSD_NONE)
        known = paths[reader];
    for (uint32_t k = 0; !readers && k < n && !known.len; k++)
        known = paths[fsd_match_of_layer(d->match, layer, k)->node];
    for (uint32_t k = 0; k < n; k++) {
        struct path *path = &paths[fsd_match_of_layer(d->match, layer, k)->node];

        if (!path->len)
            *path = known;
    }
}

static struct path *all_paths(struct fsd_arena *arena, const struct fsd_diff *d)
{
    uint32_t n = d->model->nodes.n;
    struct path *paths = FSD_NEW(arena, struct path, n);

    for (fsd_id i = 0; i < n; i++) {
        fsd_sym module = d->model->nodes.at[i].module;

        paths[i] = path_of(fsd_text(d->names, d->model->nodes.at[i].name));
        if (module)
            paths[i] = (struct path){fsd_text(d->names, module),
                                     fsd_text_len(d->names, module), '.'};
        if (!paths[i].len && !(d->facts->traits[i] & FSD_OP_QDQ))
            paths[i] = weight_path(d, i);
    }
    for (int readers = 0; readers < 2; readers++)
        for (fsd_id i = 0; i < d->engine->nodes.n; i++)
            share_in_layer(d, paths, i, readers);
    return paths;
}

/* Whether the part of the path that begins at `at` is a number.  A number belongs to
 * the part before it ("layers.3" is one part), because a number is not the name of a
 * module. */
static bool is_number(const struct path *path, size_t at)
{
    size_t digits = 0;

    while (at + digits < path->len && fsd_is_digit(path->text[at + digits]))
        digits++;
    return digits &&
           (at + digits == path->len || path->text[at + digits] == path->sign);
}

/* Cuts each path after its first `depth` parts, and stores the results as symbols of a
 * new table. */
static struct fsd_scopes scopes_at(struct fsd_arena *arena, const struct path *paths,
                                   uint32_t n, unsigned depth)
{
    struct fsd_scopes s = {fsd_intern_new(arena), FSD_NEW(arena, fsd_sym, n), depth};

    for (uint32_t i = 0; i < n; i++) {
        const struct path *path = &paths[i];
        size_t at = path->len && path->text[0] == path->sign;

        for (unsigned left = depth; at < path->len; at++)
            if (path->text[at] == path->sign && !is_number(path, at + 1) && !--left)
                break;
        s.of[i] = fsd_intern_add(s.names, path->text, at);
    }
    return s;
}

/* The first depth with more than USEFUL modules.  If a depth above 1 has more than
 * TOO_MANY modules, or as many as the depth before it, the search ends and returns the
 * depth before it.  The result is below MOST_DEPTH. */
static unsigned useful_depth(const struct path *paths, uint32_t n)
{
    unsigned best = 1;
    uint32_t last = 0;

    for (unsigned depth = 1; depth < MOST_DEPTH; depth++) {
        FSD_SCRATCH(scratch);
        uint32_t found = fsd_intern_count(scopes_at(scratch, paths, n, depth).names);

        if (depth > 1 && (found > TOO_MANY || found == last))
            break;
        best = depth;
        last = found;
        if (found > USEFUL)
            break;
    }
    return best;
}

struct fsd_scopes fsd_cost_scopes(struct fsd_arena *arena, const struct fsd_diff *d,
                                  unsigned depth)
{
    struct path *paths = all_paths(arena, d);
    uint32_t n = d->model->nodes.n;

    return scopes_at(arena, paths, n, depth ? depth : useful_depth(paths, n));
}

/* ------------------------------------------------------------------------- sums */

struct tally {
    const struct fsd_diff *d;
    struct fsd_arena *arena;
    fsd_module_vec modules;
    fsd_id *module_of;  /* indexed by symbol: index of its module; FSD_NONE if there is
                           none */
    fsd_id *last_layer; /* indexed by module: the layer counted last, plus 1 */
    struct fsd_modules sums;
};

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): an index belongs to a module */
static struct fsd_module *module_named(struct tally *t, fsd_sym name)
{
    if (t->module_of[name] == FSD_NONE) {
        struct fsd_module module = {.name = name};

        module.ms = module.reformat_ms = t->d->times->profiles ? 0 : -1;
        t->module_of[name] = t->modules.n;
        fsd_vec_push(t->arena, &t->modules, module);
    }
    return &t->modules.at[t->module_of[name]];
}

static void count_layer(struct tally *t, const struct fsd_scopes *scopes, fsd_id layer)
{
    const struct fsd_match *m = t->d->match;
    uint32_t modules = 0;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        struct fsd_module *module = module_named(t, scopes->of[node]);
        fsd_id *last = &t->last_layer[t->module_of[scopes->of[node]]];

        if (t->d->nodes[node].fate != FSD_FATE_LAYER || *last == layer + 1)
            continue;
        *last = layer + 1;
        modules++;
        module->layers++;
        module->by_type[t->d->layers[layer].precision]++;
    }
    t->sums.shared += modules > 1;
}

/* The node whose module gets the cost of a data-movement layer.  For an unfused
 * quantizer or a copy, this is a node of the layer.  For an inserted layer, it is the
 * consumer of the data or, if that is unknown, the producer. */
static fsd_id owner(const struct fsd_diff *d, fsd_id layer)
{
    fsd_id reader = reader_of(d, layer);

    if (d->match->of_layer[layer].n)
        return fsd_match_of_layer(d->match, layer, 0)->node;
    return fsd_id_or(reader, d->flows->of[layer].producer);
}

static void count_layers(struct tally *t, const struct fsd_scopes *scopes)
{
    const struct fsd_diff *d = t->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        bool linked = d->match->of_layer[i].n, moves = d->flows->of[i].there;
        double ms = fsd_layer_ms(d, i) > 0 ? fsd_layer_ms(d, i) : 0;
        fsd_id node = moves ? owner(d, i) : FSD_NONE;

        if (node != FSD_NONE) {
            struct fsd_module *module = module_named(t, scopes->of[node]);

            module->reformats += !fsd_layer_is_free(d, i);
            module->reformat_ms += linked ? 0 : ms;
        } else if (linked) {
            count_layer(t, scopes, i);
            t->sums.rest_ms += d->layers[i].opaque ? ms : 0;
        } else if (moves || !fsd_match_in_region(d->match, i)) {
            t->sums.rest_ms += ms;
        }
    }
}

struct fsd_modules fsd_cost_modules(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_scopes *scopes)
{
    uint32_t names = fsd_intern_count(scopes->names);
    struct tally t = {d,
                      arena,
                      {0},
                      fsd_ids_new(arena, names),
                      FSD_NEW(arena, fsd_id, d->model->nodes.n + 1),
                      {.rest_ms = d->times->elsewhere}};

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        const struct fsd_node_cost *cost = &d->cost->nodes[i];
        struct fsd_module *module;

        if (!fsd_match_maps_node(d->match, i))
            continue;
        module = module_named(&t, scopes->of[i]);
        module->nodes++;
        module->opaque += d->nodes[i].fate == FSD_FATE_LAYER &&
                          fsd_opaque_layer_of(d->match, d->layers, i) != FSD_NONE;
        if (cost->ms > 0) {
            module->ms += cost->ms - cost->moved_ms;
            module->reformat_ms += cost->moved_ms;
        }
    }
    count_layers(&t, scopes);
    t.sums.list = t.modules;
    return t.sums;
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */
