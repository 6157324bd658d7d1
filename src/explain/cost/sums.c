/*
 * Divides the time of each layer among its nodes, and sums times by kind, cause and
 * operator.  The shares of a layer's nodes add up to its measured time. cost.h has the
 * rules.  The time of an opaque region is not divided, because it is unknown which
 * nodes each of its kernels computes.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

/* The parts of the run from which the sums are computed. */
struct parts {
    const struct fsd_match *m;
    const struct fsd_measured *times;
    const struct fsd_layer_result *layers;
    const struct fsd_flows *flows;
    const struct fsd_reason *reasons;
    const struct fsd_node_result *nodes;
};

/* Divides `ms` among the nodes in proportion to their work.  If the work of any node is
 * unknown, the nodes with multiply-adds get equal shares, and the others, whose work is
 * small, get nothing.  If no node would get a share, all nodes get equal shares. */
static void share(struct fsd_cost *c, const fsd_id *nodes, uint32_t n, double ms,
                  bool moves)
{
    bool known = true;
    double all = 0, multiply = 0;

    for (uint32_t i = 0; i < n; i++) {
        known = known && c->nodes[nodes[i]].work >= 0;
        all += (double)c->nodes[nodes[i]].work;
        multiply += c->nodes[nodes[i]].macs != 0;
    }
    all = known ? all : multiply;
    for (uint32_t i = 0; i < n; i++) {
        struct fsd_node_cost *r = &c->nodes[nodes[i]];
        double weight = known ? (double)r->work : r->macs != 0;
        double part = all > 0 ? ms * weight / all : ms / n;

        r->ms = (r->ms < 0 ? 0 : r->ms) + part;
        r->moved_ms += moves ? part : 0;
        r->shares = r->shares || n > 1;
    }
}

typedef FSD_VEC(fsd_id) id_vec;

/* Lists the nodes that share the time of the layer: the layer's nodes with the outcome
 * FSD_FATE_LAYER or, if there are none, all nodes of the layer. */
static void collect(const struct parts *p, fsd_id layer, struct fsd_arena *arena,
                    id_vec *out)
{
    uint32_t n = p->m->of_layer[layer].n;

    out->n = 0;
    for (int all = 0; all < 2 && !out->n; all++)
        for (uint32_t i = 0; i < n; i++) {
            fsd_id node = fsd_match_of_layer(p->m, layer, i)->node;

            if (all || p->nodes[node].fate == FSD_FATE_LAYER)
                fsd_vec_push(arena, out, node);
        }
}

static void share_all(const struct parts *p, struct fsd_cost *c)
{
    FSD_SCRATCH(scratch);
    id_vec nodes = {0};

    for (fsd_id i = 0; i < p->m->engine->nodes.n; i++) {
        if (p->times->of[i].median < 0 || !p->m->of_layer[i].n || p->layers[i].opaque)
            continue;
        collect(p, i, scratch, &nodes);
        share(c, nodes.at, nodes.n, p->times->of[i].median, p->flows->of[i].there);
    }
    /* If a layer of a region has no known nodes and is not opaque, all nodes of the
     * region share its time.  The loop above handled the layers with known nodes. */
    for (uint32_t i = 0; i < p->m->regions.n && p->times->profiles; i++) {
        const struct fsd_region *region = &p->m->regions.at[i];
        const fsd_id *pool = p->m->pool.at;
        double ms = 0;

        for (uint32_t k = 0; k < region->layers.n; k++) {
            fsd_id layer = pool[region->layers.at + k];

            if (p->times->of[layer].median > 0 && !p->m->of_layer[layer].n &&
                !p->layers[layer].opaque)
                ms += p->times->of[layer].median;
        }
        share(c, pool + region->nodes.at, region->nodes.n, ms, false);
    }
}

FSD_ORDERED(by_time, struct fsd_op_time, fsd_falling(x->ms, y->ms),
            fsd_order(x->op, y->op))

static void sum_ops(const struct parts *p, struct fsd_cost *c)
{
    FSD_SCRATCH(scratch);
    uint32_t *at = FSD_NEW(scratch, uint32_t, fsd_intern_count(p->m->model->names));

    for (fsd_id i = 0; i < p->m->model->nodes.n; i++) {
        fsd_sym op = p->m->model->nodes.at[i].op;

        if (c->nodes[i].ms < 0)
            continue;
        if (!at[op]) {
            fsd_vec_push(p->m->arena, &c->op_times, (struct fsd_op_time){op, 0, 0});
            at[op] = c->op_times.n;
        }
        c->op_times.at[at[op] - 1].nodes++;
        c->op_times.at[at[op] - 1].ms += c->nodes[i].ms;
    }
    fsd_vec_sort(&c->op_times, by_time);
}

void fsd_cost_sums(const struct fsd_match *m, const struct fsd_measured *times,
                   const struct fsd_layer_result *layers, const struct fsd_flows *flows,
                   const struct fsd_reason *reasons,
                   const struct fsd_node_result *nodes, struct fsd_cost *c)
{
    const struct parts p = {m, times, layers, flows, reasons, nodes};
    struct fsd_time_sums *t = &c->sums;

    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        c->nodes[i].ms = -1;
    share_all(&p, c);
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        double ms = times->of[i].median;

        if (ms < 0)
            continue;
        t->by_kind[layers[i].kind] += ms;
        t->by_cause[reasons[i].cause] += ms;
        if (layers[i].inserted)
            t->inserted += ms;
        if (layers[i].opaque)
            t->opaque += ms;
        else if (fsd_match_maps_layer(m, i))
            t->nodes += ms;
    }
    sum_ops(&p, c);
}
