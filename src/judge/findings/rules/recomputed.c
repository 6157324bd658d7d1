/*
 * The rule on nodes that several kernels compute completely, each for its own
 * consumers. For example, one kernel computes a pooling in INT8 for a convolution, and
 * another kernel computes the pooling in FP32 for an addition. A kernel's operations
 * and the number of elements that the kernel writes prove that the kernel computes all
 * of a node. A node that several kernels compute in parts does not count. This file
 * also has the sums of costs that the rules on fusion share.
 */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "match/kernel/lowering.h"
#include "model/graph/graph.h"

enum { MOST_NODES = 256 };

void fsd_add_cost(const struct fsd_diff *d, struct fsd_cost_part *cost, fsd_id layer)
{
    double ms = fsd_layer_ms(d, layer), share = fsd_cost_share(d, layer);
    int64_t bytes = d->cost->layers[layer].bytes;

    cost->layers++;
    cost->bytes += bytes > 0 ? bytes : 0;
    cost->unknown += bytes < 0;
    cost->ms += ms > 0 ? ms : 0;
    cost->share += share > 0 ? share : 0;
}

/* Prints ": 19.1 MB, 37.7 % of all bytes", and adds these numbers as facts. */
void fsd_put_cost(struct fsd_finder *f, const struct fsd_cost_part *cost)
{
    const struct fsd_diff *d = f->d;
    bool timed = d->times->profiles > 0, known = cost->unknown < cost->layers;
    bool shared = d->cost->all.share >= 0 && (timed || known);

    fsd_fact_number(f, "layers", cost->layers);
    if (known)
        fsd_fact_number(f, "bytes", (uint64_t)cost->bytes);
    if (timed)
        fsd_fact_text(f, "ms", fsd_printed(f->found->arena, "%.4f", cost->ms));
    if (shared)
        fsd_fact_text(f, "share", fsd_printed(f->found->arena, "%.4f", cost->share));
    if (!timed && !known) {
        fputs(" (bytes not known)", f->out);
        return;
    }
    fputs(": ", f->out);
    if (timed)
        fprintf(f->out, "%.4f ms", cost->ms);
    else
        fsd_put_scaled(cost->bytes, NULL, " B", f->out);
    if (shared)
        fprintf(f->out, ", %.1f %% of %s", 100 * cost->share,
                timed                  ? "the time"
                : d->cost->all.unknown ? "the known bytes"
                                       : "all bytes");
}

/* Whether the layer lists all operations of one of the node's decompositions. If the
 * layer has two nodes with the node's operator, each operation must be listed at least
 * twice as often as in the decomposition, and so on. */
static bool performs(const struct fsd_diff *d, const struct fsd_lowerings *lowerings,
                     fsd_id layer, fsd_id node)
{
    struct fsd_span of = lowerings->of[node];
    uint32_t alike = 0;

    FSD_EACH_OF (other, d->match->links, d->match->of_layer[layer], node)
        alike += d->model->nodes.at[other].op == d->model->nodes.at[node].op;
    FSD_EACH_IN (const struct fsd_lowering, r, lowerings->all, of) {
        bool all = r->n > 0;

        for (uint32_t k = 0; k < r->n && all; k++) {
            uint32_t asked = 0;

            for (uint32_t j = 0; j < r->n; j++)
                asked += r->steps[j] == r->steps[k];
            all = fsd_layer_count(d->engine, layer, r->steps[k]) >= asked * alike;
        }
        if (all)
            return true;
    }
    return false;
}

/* Whether the node is the only node that the layer computes, apart from quantizers. */
static bool computes_only(const struct fsd_diff *d, fsd_id layer, fsd_id node)
{
    FSD_EACH_OF (other, d->match->links, d->match->of_layer[layer], node)
        if (other != node && d->nodes[other].fate == FSD_FATE_LAYER &&
            !(d->facts->traits[other] & FSD_OP_QDQ))
            return false;
    return true;
}

/* Whether the layer writes as many elements as the node outputs, and reads nothing that
 * another layer computes for the node. */
static bool writes_whole(const struct fsd_diff *d, fsd_id layer, fsd_id node)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    fsd_id made = fsd_node_out_tensor(d->model, node, 0);
    int64_t count =
        fsd_shape_count(d->cost->amounts, fsd_shape_of(d->cost->sizes, made));
    bool whole = false;

    for (uint32_t i = 0; i < n->out.n; i++)
        whole |= count > 0 &&
                 fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, i))) == count;
    for (uint32_t i = 0; i < n->in.n && whole; i++) {
        struct fsd_span by = fsd_port_peers(e, n->in.at + i, true);

        for (uint32_t k = 0; k < by.n; k++)
            whole &= !fsd_match_has(d->match, e->links.at[by.at + k], node);
    }
    return whole;
}

/* Whether the layer alone computes all of the node. */
static bool is_whole(const struct fsd_diff *d, const struct fsd_lowerings *lowerings,
                     fsd_id layer, fsd_id node)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];

    if (d->layers[layer].kind != FSD_KIND_COMPUTE ||
        d->match->of_layer[layer].n > MOST_NODES || !writes_whole(d, layer, node))
        return false;
    if (!l->steps.n)
        return computes_only(d, layer, node);
    return l->more_steps != FSD_STEPS_LACK_SOME &&
           !fsd_layer_count(d->engine, layer, FSD_ONNX_Slice) &&
           performs(d, lowerings, layer, node);
}

static bool may_be_recomputed(const struct fsd_diff *d, fsd_id node)
{
    unsigned traits = d->facts->traits[node];

    return d->match->of_node[node].n > 1 && d->nodes[node].fate == FSD_FATE_LAYER &&
           traits & FSD_OP_STANDARD && !d->facts->folded[node] &&
           !(traits & (FSD_OP_MOVES | FSD_OP_CONTROL | FSD_OP_RECURRENT |
                       FSD_OP_RANDOM | FSD_OP_SHAPE | FSD_OP_CONSTANT)) &&
           !d->match->gone[node];
}

/* Stores in `whole` the layers that each compute all of the node; returns the number of
 * these layers. */
static uint32_t find_whole(struct fsd_finder *f, const struct fsd_lowerings *lowerings,
                           fsd_id node, fsd_id *whole)
{
    const struct fsd_match *m = f->d->match;
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (is_whole(f->d, lowerings, layer, node))
            whole[n++] = layer;
    }
    return n;
}

void fsd_find_recomputed(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const struct fsd_lowerings *lowerings = fsd_lowerings_new(f->scratch, d->facts);
    fsd_id *whole = FSD_NEW(f->scratch, fsd_id, d->engine->nodes.n);
    bool *reported = FSD_NEW(f->scratch, bool, d->engine->nodes.n);
    bool *spare = FSD_NEW(f->scratch, bool, d->engine->nodes.n);
    bool *twice = FSD_NEW(f->scratch, bool, d->model->nodes.n);
    struct fsd_cost_part cost = {0};
    uint32_t nodes = 0;

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        uint32_t n = may_be_recomputed(d, i) ? find_whole(f, lowerings, i, whole) : 0;
        fsd_id least = FSD_NONE;

        if (n < 2)
            continue;
        twice[i] = true;
        nodes++;
        for (uint32_t k = 0; k < n; k++) {
            reported[whole[k]] = true;
            if (least == FSD_NONE ||
                d->cost->layers[whole[k]].bytes < d->cost->layers[least].bytes)
                least = whole[k];
        }
        for (uint32_t k = 0; k < n; k++)
            spare[whole[k]] |= whole[k] != least && computes_only(d, whole[k], i);
    }
    if (!nodes)
        return;
    fsd_finding_open(f);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (reported[i]) {
            fsd_about_layer(f, i);
            if (spare[i])
                fsd_add_cost(d, &cost, i);
        }
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (twice[i])
            fsd_about_node(f, i);
    fsd_fact_number(f, "nodes", nodes);
    fsd_put_subjects(f, f->now.nodes);
    fputs(nodes == 1 ? " is computed in full by several kernels"
                     : " are each computed in full by several kernels",
          f->out);
    for (uint32_t i = 0; nodes == 1 && i < f->now.layers.n; i++) {
        fsd_id layer = f->found->subjects.at[f->now.layers.at + i].id;

        fprintf(f->out, "%s layer %u (%s)", i ? "," : ":", layer,
                fsd_dtype_name(d->layers[layer].precision));
    }
    if (cost.layers) {
        fputs("; ", f->out);
        fsd_put_noun(f->out, cost.layers, "layer");
        fputs(cost.layers == 1 ? " repeats the computation" : " repeat the computation",
              f->out);
        fsd_put_cost(f, &cost);
    }
    fsd_finding_close(f);
}
