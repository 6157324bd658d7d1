#include "cost/cost.h"

#include <stdlib.h>

/* Nodes that a layer's time is shared among: those it computes; where all of its nodes
 * live on otherwise (a quantizer alone), those. */
static bool takes_part(const struct fsd_diff *d, fsd_id node, bool computed)
{
    return !computed || d->nodes[node].fate == FSD_FATE_LAYER;
}

static bool any_computed(const struct fsd_diff *d, fsd_id layer)
{
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++)
        if (d->nodes[fsd_match_of_layer(d->match, layer, i)->node].fate ==
            FSD_FATE_LAYER)
            return true;
    return false;
}

static void give(struct fsd_diff *d, fsd_id node, double ms, bool moves, bool shares)
{
    struct fsd_node_result *r = &d->nodes[node];

    r->ms = (r->ms < 0 ? 0 : r->ms) + ms;
    r->moved_ms += moves ? ms : 0;
    r->shares = r->shares || shares;
}

/* A node's weight among those it shares a layer with.  Where the work of one of them is
 * not known, those that multiply-add take all: the rest of a layer is small beside
 * them. */
static double weight(const struct fsd_diff *d, fsd_id node, bool known)
{
    if (known)
        return (double)d->nodes[node].work;
    return d->nodes[node].macs != 0;
}

/* Shares a time among the nodes; equally where no weight is known. */
static void share(struct fsd_diff *d, const fsd_id *nodes, uint32_t n, double ms,
                  bool moves)
{
    bool known = true;
    double all = 0;

    for (uint32_t i = 0; i < n; i++)
        known = known && d->nodes[nodes[i]].work >= 0;
    for (uint32_t i = 0; i < n; i++)
        all += weight(d, nodes[i], known);
    for (uint32_t i = 0; i < n; i++)
        give(d, nodes[i], all > 0 ? ms * weight(d, nodes[i], known) / all : ms / n,
             moves, n > 1);
}

typedef FSD_VEC(fsd_id) id_vec;

static void collect(const struct fsd_diff *d, fsd_id layer, struct fsd_arena *arena,
                    id_vec *out)
{
    bool computed = any_computed(d, layer);

    out->n = 0;
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;

        if (takes_part(d, node, computed))
            fsd_vec_push(arena, out, node);
    }
}

/* The time of a region's layers belongs to all its nodes; layers of it that have nodes
 * of their own have shared theirs already. */
static double region_time(const struct fsd_diff *d, const struct fsd_region *region)
{
    double ms = 0;

    for (uint32_t i = 0; i < region->layers.n; i++) {
        fsd_id layer = d->match->pool.at[region->layers.at + i];

        if (d->layers[layer].ms > 0 && !d->match->of_layer[layer].n)
            ms += d->layers[layer].ms;
    }
    return ms;
}

static void share_all(struct fsd_diff *d)
{
    struct fsd_arena *scratch = fsd_arena_new();
    id_vec nodes = {0};

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (d->layers[i].ms < 0 || !d->match->of_layer[i].n)
            continue;
        collect(d, i, scratch, &nodes);
        share(d, nodes.at, nodes.n, d->layers[i].ms, d->flows.of[i].there);
    }
    for (uint32_t i = 0; i < d->match->regions.n && d->times.profiles; i++) {
        const struct fsd_region *region = &d->match->regions.at[i];

        share(d, d->match->pool.at + region->nodes.at, region->nodes.n,
              region_time(d, region), false);
    }
    fsd_arena_free(scratch);
}

static void sum_layers(struct fsd_diff *d)
{
    struct fsd_times *t = &d->times;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_result *r = &d->layers[i];

        if (r->ms < 0)
            continue;
        t->total += r->ms;
        t->by_kind[r->kind] += r->ms;
        t->by_cause[r->cause] += r->ms;
        if (r->inserted)
            t->inserted += r->ms;
        if (d->match->of_layer[i].n || d->match->region_of_layer[i] != FSD_NONE)
            t->nodes += r->ms;
    }
    t->total += t->elsewhere;
}

static int by_time(const void *a, const void *b)
{
    const struct fsd_op_time *x = a, *y = b;

    if (x->ms != y->ms)
        return x->ms < y->ms ? 1 : -1;
    return (x->op > y->op) - (x->op < y->op);
}

static void sum_ops(struct fsd_diff *d)
{
    struct fsd_arena *scratch = fsd_arena_new();
    uint32_t *at = FSD_NEW(scratch, uint32_t, fsd_intern_count(d->names));

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        if (d->nodes[i].ms < 0)
            continue;
        if (!at[op]) {
            fsd_vec_push(d->arena, &d->op_times, (struct fsd_op_time){op, 0, 0});
            at[op] = d->op_times.n;
        }
        d->op_times.at[at[op] - 1].nodes++;
        d->op_times.at[at[op] - 1].ms += d->nodes[i].ms;
    }
    if (d->op_times.n)
        qsort(d->op_times.at, d->op_times.n, sizeof *d->op_times.at, by_time);
    fsd_arena_free(scratch);
}

void fsd_cost_sums(struct fsd_diff *d)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        d->nodes[i].ms = -1;
    share_all(d);
    sum_layers(d);
    sum_ops(d);
}
