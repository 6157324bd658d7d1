/*
 * Finds layers that compute constants at every inference, because the builder did not
 * fold them.
 *
 *     [no input] product of two weights --> Add, Transpose --> copy that pads
 *
 * A chain of such layers begins with a layer whose nodes have only constant inputs in
 * the model. Each further layer of the chain reads only outputs of layers that compute
 * constants, has outputs of known sizes, and has no random node.
 */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

/* Whether a layer computes nodes that the builder could have folded. Kernels that
 * dequantize weights in low precision do not count: the builder keeps them on
 * purpose. */
static bool begins_constants(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;
    bool runs = false;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        if (!d->facts->folded[node])
            return false;
        runs |= m->runs[node] && !(d->facts->traits[node] & FSD_OP_QDQ);
    }
    return runs;
}

/* Whether all sizes of the layer's outputs are known. If one is not, the outputs may
 * depend on dynamic sizes. */
static bool has_sizes(const struct fsd_graph *e, fsd_id layer)
{
    struct fsd_span out = e->nodes.at[layer].out;

    for (uint32_t i = 0; i < out.n; i++)
        if (fsd_form_count(e, fsd_port_form(e, &e->ports.at[out.at + i])) < 0)
            return false;
    return out.n != 0;
}

static bool is_random(const struct fsd_diff *d, fsd_id layer)
{
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        if (d->facts->traits[node] & FSD_OP_RANDOM)
            return true;
    return false;
}

/* Whether the layer reads only outputs of layers that compute constants. */
static bool reads_constants(const struct fsd_graph *e, const bool *constant,
                            fsd_id layer)
{
    struct fsd_span in = e->nodes.at[layer].in;

    for (uint32_t i = 0; i < in.n; i++) {
        struct fsd_span by = fsd_port_peers(e, in.at + i, true);

        if (!by.n || fsd_tensor_is(e, e->ports.at[in.at + i].tensor, FSD_TENSOR_INPUT))
            return false;
        for (uint32_t k = 0; k < by.n; k++)
            if (!constant[e->links.at[by.at + k]])
                return false;
    }
    return in.n != 0;
}

const bool *fsd_constant_layers(struct fsd_arena *arena, const struct fsd_diff *d)
{
    bool *constant = FSD_NEW(arena, bool, (size_t)d->engine->nodes.n + 1);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        enum fsd_kind kind = d->layers[i].kind;

        if ((kind != FSD_KIND_COMPUTE && kind != FSD_KIND_COPY &&
             kind != FSD_KIND_REFORMAT) ||
            is_random(d, i))
            continue;
        constant[i] =
            begins_constants(d, i) ||
            (has_sizes(d->engine, i) && reads_constants(d->engine, constant, i));
    }
    return constant;
}

static void add_layer(struct fsd_finder *f, fsd_id layer, int64_t *bytes, double *ms)
{
    int64_t own = f->d->cost->layers[layer].bytes;

    fsd_about_layer(f, layer);
    *bytes = *bytes < 0 || own < 0 ? -1 : *bytes + own;
    *ms += fsd_larger(0, fsd_layer_ms(f->d, layer));
}

/* Adds as subjects the nodes that the finding's layers compute. Each node is added
 * once, even if several layers compute it. */
static void add_nodes(struct fsd_finder *f, uint32_t layers)
{
    const struct fsd_match *m = f->d->match;
    bool *listed = FSD_NEW(f->scratch, bool, (size_t)f->d->model->nodes.n + 1);

    for (uint32_t i = 0; i < layers; i++) {
        fsd_id layer = f->found->subjects.at[f->now.layers.at + i].id;

        FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
            if (f->d->nodes[node].fate == FSD_FATE_LAYER && !listed[node])
                fsd_about_node(f, node);
            listed[node] = true;
        }
    }
}

void fsd_find_not_folded(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const bool *constant = fsd_constant_layers(f->scratch, d);
    double ms = 0;
    int64_t bytes = 0;
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (!constant[i])
            continue;
        if (!n++)
            fsd_finding_open(f);
        add_layer(f, i, &bytes, &ms);
    }
    if (!n)
        return;
    add_nodes(f, n);
    fsd_fact_number(f, "layers", n);
    if (bytes >= 0)
        fsd_fact_number(f, "bytes", (uint64_t)bytes);
    fprintf(f->out, "at every inference, %u layer%s only constants", n,
            n == 1 ? " computes" : "s compute");
    if (bytes >= 0) {
        fputs(n == 1 ? ", and reads and writes " : ", and read and write ", f->out);
        fsd_put_scaled(bytes, NULL, " B", f->out);
    }
    fsd_put_took(f, d->times->profiles ? ms : -1);
    fputs(": ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fsd_finding_close(f);
}
