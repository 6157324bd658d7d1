#include "cost/scope.h"
#include "cost/cost.h"
#include "diff/diff.h"

#include <string.h>

enum { USEFUL = 6, TOO_MANY = 60, MOST_DEPTH = 32, STEPS = 8 };

struct path {
    const char *text;
    size_t len; /* without the last part */
    char sign;  /* what stands between its parts */
};

static struct path path_of(const char *name)
{
    struct path path = {name, 0, '/'};
    const char *last = strrchr(name, '/');

    if (!last || last == name) {
        last = strrchr(name, '.');
        path.sign = '.';
    }
    if (last && last != name)
        path.len = (size_t)(last - name);
    return path;
}

/* The weight that a node reads, through what only quantizes or views it. */
static struct path weight_path(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;
    uint32_t n = g->nodes.at[node].in.n;

    for (uint32_t i = 1; i < n; i++) {
        fsd_id tensor = fsd_node_in_tensor(g, node, i);

        for (int steps = 0; steps < STEPS && tensor != FSD_NONE; steps++) {
            fsd_id maker;

            if (g->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT) {
                struct path path =
                    path_of(fsd_text(d->names, g->tensors.at[tensor].name));

                if (path.len)
                    return path;
                break;
            }
            maker = fsd_tensor_producer(g, tensor);
            if (maker == FSD_NONE || !(d->facts->traits[maker] & FSD_OP_QDQ))
                break;
            tensor = fsd_node_in_tensor(g, maker, 0);
        }
    }
    return (struct path){"", 0, '/'};
}

/* The first parts of a path. */
static size_t cut(const struct path *path, unsigned depth)
{
    size_t at = path->len && path->text[0] == path->sign ? 1 : 0;

    for (; at < path->len; at++)
        if (path->text[at] == path->sign && !--depth)
            return at;
    return path->len;
}

static void share_in_layers(const struct fsd_diff *d, struct path *paths)
{
    for (fsd_id layer = 0; layer < d->engine->nodes.n; layer++) {
        struct path known = {"", 0, '/'};

        for (uint32_t k = 0; k < d->match->of_layer[layer].n; k++) {
            struct path *path = &paths[fsd_match_of_layer(d->match, layer, k)->node];

            if (path->len && !known.len)
                known = *path;
        }
        for (uint32_t k = 0; k < d->match->of_layer[layer].n; k++) {
            struct path *path = &paths[fsd_match_of_layer(d->match, layer, k)->node];

            if (!path->len)
                *path = known;
        }
    }
}

/* A quantizer left standing has the scopes of who reads what it makes. */
static void share_with_readers(const struct fsd_diff *d, struct path *paths)
{
    for (fsd_id layer = 0; layer < d->engine->nodes.n; layer++) {
        const struct fsd_flow *flow = &d->flows->of[layer];
        fsd_id reader = FSD_NONE;

        for (uint32_t i = 0; reader == FSD_NONE && i < flow->readers.n; i++)
            reader = d->flows->readers.at[flow->readers.at + i].node;
        for (uint32_t k = 0; reader != FSD_NONE && k < d->match->of_layer[layer].n;
             k++) {
            struct path *path = &paths[fsd_match_of_layer(d->match, layer, k)->node];

            if (!path->len)
                *path = paths[reader];
        }
    }
}

static struct path *all_paths(struct fsd_arena *arena, const struct fsd_diff *d)
{
    uint32_t n = d->model->nodes.n;
    struct path *paths = FSD_NEW(arena, struct path, n);

    for (fsd_id i = 0; i < n; i++) {
        paths[i] = path_of(fsd_text(d->names, d->model->nodes.at[i].name));
        if (!paths[i].len && !(d->facts->traits[i] & FSD_OP_QDQ))
            paths[i] = weight_path(d, i);
    }
    share_in_layers(d, paths);
    share_with_readers(d, paths);
    return paths;
}

static struct fsd_scopes scopes_at(struct fsd_arena *arena, const struct path *paths,
                                   uint32_t n, unsigned depth)
{
    struct fsd_scopes s = {fsd_intern_new(arena), FSD_NEW(arena, fsd_sym, n), depth};

    for (uint32_t i = 0; i < n; i++)
        s.of[i] = fsd_intern_add(s.names, paths[i].text, cut(&paths[i], depth));
    return s;
}

/* The first depth that tells some modules apart, but not so many that nobody reads
 * them. */
static unsigned useful_depth(const struct path *paths, uint32_t n)
{
    unsigned best = 1;
    uint32_t last = 0;

    for (unsigned depth = 1; depth < MOST_DEPTH; depth++) {
        struct fsd_arena *scratch = fsd_arena_new();
        uint32_t found = fsd_intern_count(scopes_at(scratch, paths, n, depth).names);

        fsd_arena_free(scratch);
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
    fsd_id *module_of;  /* by symbol: FSD_NONE */
    fsd_id *last_layer; /* by module, as long as `modules`: the layer counted last */
};

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): a number is that of a module */
static fsd_id module_named(struct tally *t, fsd_sym name)
{
    if (t->module_of[name] == FSD_NONE) {
        struct fsd_module module = {.name = name};

        module.ms = module.reformat_ms = t->d->times->profiles ? 0 : -1;
        t->module_of[name] = t->modules.n;
        fsd_vec_push(t->arena, &t->modules, module);
    }
    return t->module_of[name];
}

static void count_layer(struct tally *t, const struct fsd_scopes *scopes, fsd_id layer)
{
    const struct fsd_match *m = t->d->match;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;
        fsd_id id = module_named(t, scopes->of[node]);

        if (t->d->nodes[node].fate != FSD_FATE_LAYER || t->last_layer[id] == layer + 1)
            continue;
        t->last_layer[id] = layer + 1;
        t->modules.at[id].layers++;
        t->modules.at[id].by_type[t->d->layers[layer].precision]++;
    }
}

/* A quantizer left standing, or a copy: its nodes have its time. */
static void count_mover(struct tally *t, const struct fsd_scopes *scopes, fsd_id layer)
{
    fsd_id node = fsd_match_of_layer(t->d->match, layer, 0)->node;

    if (!fsd_layer_is_free(t->d, layer))
        t->modules.at[module_named(t, scopes->of[node])].reformats++;
}

/* An inserted layer belongs to who reads its data, else to who makes it. */
static fsd_id served(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];

    for (uint32_t i = 0; i < flow->readers.n; i++) {
        fsd_id node = d->flows->readers.at[flow->readers.at + i].node;

        if (node != FSD_NONE)
            return node;
    }
    return flow->producer;
}

static void count_reformat(struct tally *t, const struct fsd_scopes *scopes,
                           fsd_id layer, double *rest_ms)
{
    double ms = fsd_layer_ms(t->d, layer);
    fsd_id node = served(t->d, layer), id;

    if (node == FSD_NONE) {
        *rest_ms += ms > 0 ? ms : 0;
        return;
    }
    id = module_named(t, scopes->of[node]);
    if (!fsd_layer_is_free(t->d, layer))
        t->modules.at[id].reformats++;
    if (ms > 0)
        t->modules.at[id].reformat_ms += ms;
}

static void count_layers(struct tally *t, const struct fsd_scopes *scopes,
                         double *rest_ms)
{
    const struct fsd_diff *d = t->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (d->match->of_layer[i].n && d->flows->of[i].there)
            count_mover(t, scopes, i);
        else if (d->match->of_layer[i].n)
            count_layer(t, scopes, i);
        else if (d->flows->of[i].there)
            count_reformat(t, scopes, i, rest_ms);
        else if (d->match->region_of_layer[i] == FSD_NONE && fsd_layer_ms(d, i) > 0)
            *rest_ms += fsd_layer_ms(d, i);
    }
}

fsd_module_vec fsd_cost_modules(struct fsd_arena *arena, const struct fsd_diff *d,
                                const struct fsd_scopes *scopes, double *rest_ms)
{
    uint32_t names = fsd_intern_count(scopes->names);
    struct tally t = {d,
                      arena,
                      {0},
                      FSD_NEW(arena, fsd_id, names),
                      FSD_NEW(arena, fsd_id, d->model->nodes.n + 1)};

    *rest_ms = d->times->elsewhere;
    for (uint32_t i = 0; i < names; i++)
        t.module_of[i] = FSD_NONE;
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_id id;

        if (!d->match->of_node[i].n && d->match->region_of_node[i] == FSD_NONE)
            continue;
        id = module_named(&t, scopes->of[i]);
        t.modules.at[id].nodes++;
        if (d->cost->nodes[i].ms > 0)
            t.modules.at[id].ms += d->cost->nodes[i].ms - d->cost->nodes[i].moved_ms;
        if (d->cost->nodes[i].ms > 0)
            t.modules.at[id].reformat_ms += d->cost->nodes[i].moved_ms;
    }
    count_layers(&t, scopes, rest_ms);
    return t.modules;
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */
