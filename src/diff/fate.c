/*
 * What became of each node.  The order of the tests is the order of strength: a link is
 * seen, everything else is proved on the model, and what neither shows is unexplained.
 */
#include "diff/diff.h"

static struct fsd_node_result result(enum fsd_fate fate, const char *why)
{
    return (struct fsd_node_result){
        .fate = fate, .why = why, .other = FSD_NONE, .near_layer = FSD_NONE};
}

/* ---------------------------------------------------------------- quantizers */

static bool ports_quantized(const struct fsd_graph *e, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++)
        if (fsd_dtype_is_quantized(fsd_port_form(e, &e->ports.at[ports.at + i])->type))
            return true;
    return false;
}

static bool layer_is_quantized(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    return ports_quantized(d->engine, n->in) || ports_quantized(d->engine, n->out) ||
           fsd_dtype_is_quantized(d->engine->layers.at[layer].weights_type);
}

static struct fsd_node_result quantizer(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_match *m = d->match;
    bool narrow = false;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (d->layers[layer].kind == FSD_KIND_QUANTIZE)
            return result(FSD_FATE_LAYER, "left standing as a layer of its own");
        narrow |= layer_is_quantized(d, layer);
    }
    if (d->facts->folded[node] && (d->facts->traits[node] & FSD_OP_QUANTIZE))
        return result(FSD_FATE_FOLDED, "quantizes a constant");
    if (narrow)
        return result(FSD_FATE_ABSORBED,
                      "the layer reads or writes the quantized type");
    return result(FSD_FATE_LAYER, "computed inside the layer, which is not quantized");
}

/* --------------------------------------------------------------------- merged */

/* A node of the same value class that has a layer; FSD_NONE when there is none.
 * `shown` maps the class (its first node) to such a node. */
static void index_shown(const struct fsd_diff *d, fsd_id *shown)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        shown[i] = FSD_NONE;
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_id first = d->facts->first_twin[i];

        if (d->match->of_node[i].n && shown[first] == FSD_NONE)
            shown[first] = i;
    }
}

/* -------------------------------------------------------------------- eliding */

/* A Concat whose output several layers write: its inputs were written in place. */
static bool is_written_in_place(const struct fsd_diff *d, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(d->model, node, 0), e;

    if (out == FSD_NONE || !fsd_node_is(d->model, node, "Concat"))
        return false;
    e = fsd_graph_find(d->engine, d->model->tensors.at[out].name, 0);
    return e != FSD_NONE && d->engine->tensors.at[e].producers.n > 1;
}

static bool in_region(const struct fsd_diff *d, fsd_id node)
{
    return d->match->region_of_node[node] != FSD_NONE;
}

static struct fsd_node_result linked(const struct fsd_diff *d, fsd_id node)
{
    if (d->facts->traits[node] & FSD_OP_QDQ)
        return quantizer(d, node);
    if (d->facts->folded[node])
        return result(FSD_FATE_FOLDED, "all its inputs are constant");
    return result(FSD_FATE_LAYER, "");
}

static struct fsd_node_result unlinked(const struct fsd_diff *d, fsd_id node,
                                       const fsd_id *shown)
{
    const struct fsd_facts *f = d->facts;
    struct fsd_node_result r;

    if (!f->live[node])
        return result(FSD_FATE_DEAD, "reaches no output of the model");
    if (f->folded[node])
        return result(FSD_FATE_FOLDED, f->traits[node] & FSD_OP_CONSTANT
                                           ? "Constant"
                                           : "all its inputs are constant");
    if (f->same[node] != FSD_SAME_NOT) {
        r = result(FSD_FATE_IDENTITY, fsd_same_text(f->same[node]));
        r.near_layer = d->match->dissolved_in[node];
        return r;
    }
    if (is_written_in_place(d, node))
        return result(FSD_FATE_IDENTITY, "its inputs are written in place");
    if (in_region(d, node))
        return result(FSD_FATE_LAYER, "computed by one of the layers of its region");
    if (shown[f->first_twin[node]] != FSD_NONE) {
        r = result(FSD_FATE_MERGED, "computes the same as another node");
        r.other = shown[f->first_twin[node]];
        return r;
    }
    return result(FSD_FATE_UNEXPLAINED, "no layer mentions it and nothing proves why");
}

void fsd_diff_fates(struct fsd_diff *d)
{
    struct fsd_arena *scratch = fsd_arena_new();
    fsd_id *shown = FSD_NEW(scratch, fsd_id, d->model->nodes.n);

    d->nodes = FSD_NEW(d->arena, struct fsd_node_result, d->model->nodes.n);
    index_shown(d, shown);
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        d->nodes[i] = d->match->of_node[i].n ? linked(d, i) : unlinked(d, i, shown);
    fsd_arena_free(scratch);
}
