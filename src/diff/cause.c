/*
 * Why a layer that only moves data is there, by what it changes and between whom.
 * The surroundings come first: at the network's border, a plugin or a foreign region
 * the change is forced, whatever its form.
 */
#include "diff/diff.h"

static const struct fsd_form *form_in(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    return n->in.n ? fsd_port_form(d->engine, fsd_node_in(d->engine, n, 0)) : NULL;
}

static const struct fsd_form *form_out(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    return n->out.n ? fsd_port_form(d->engine, fsd_node_out(d->engine, n, 0)) : NULL;
}

static bool at_border(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    fsd_id in = fsd_node_in_tensor(e, layer, 0), out = fsd_node_out_tensor(e, layer, 0);

    return (in != FSD_NONE && (e->tensors.at[in].flags & FSD_TENSOR_INPUT)) ||
           (out != FSD_NONE && (e->tensors.at[out].flags & FSD_TENSOR_OUTPUT));
}

typedef bool layer_test(const struct fsd_diff *d, fsd_id layer);

static bool is_foreign(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];

    return d->layers[layer].kind == FSD_KIND_FOREIGN || l->form == FSD_NAME_MYELIN;
}

static bool is_plugin(const struct fsd_diff *d, fsd_id layer)
{
    return d->engine->layers.at[layer].plugin;
}

static bool is_dla(const struct fsd_diff *d, fsd_id layer)
{
    return d->engine->layers.at[layer].form == FSD_NAME_DLA;
}

static bool any_of(const struct fsd_diff *d, struct fsd_span layers, layer_test *test)
{
    for (uint32_t i = 0; i < layers.n; i++)
        if (test(d, d->engine->links.at[layers.at + i]))
            return true;
    return false;
}

/* True for the layer before or behind. */
static bool neighbour(const struct fsd_diff *d, fsd_id layer, layer_test *test)
{
    const struct fsd_graph *e = d->engine;
    fsd_id in = fsd_node_in_tensor(e, layer, 0), out = fsd_node_out_tensor(e, layer, 0);

    return (in != FSD_NONE && any_of(d, e->tensors.at[in].producers, test)) ||
           (out != FSD_NONE && any_of(d, e->tensors.at[out].consumers, test));
}

static enum fsd_cause by_change(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_form *in = form_in(d, layer), *out = form_out(d, layer);
    bool type, layout;

    if (!in || !out || in->type == FSD_DTYPE_UNKNOWN || out->type == FSD_DTYPE_UNKNOWN)
        return FSD_CAUSE_UNKNOWN;
    type = in->type != out->type;
    layout = !fsd_layout_same(in->layout, out->layout);
    if (type)
        return layout ? FSD_CAUSE_DTYPE_LAYOUT : FSD_CAUSE_DTYPE;
    if (layout)
        return FSD_CAUSE_LAYOUT;
    return fsd_dtype_is_quantized(in->type) ? FSD_CAUSE_SCALE : FSD_CAUSE_UNKNOWN;
}

/* A copy that does a Concat's or a Slice's work is linked to it. */
static enum fsd_cause by_link(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;

        if (fsd_node_is(d->model, node, "Concat"))
            return FSD_CAUSE_CONCAT;
        if (fsd_node_is(d->model, node, "Slice") ||
            fsd_node_is(d->model, node, "Split"))
            return FSD_CAUSE_SLICE;
    }
    return FSD_CAUSE_NONE;
}

static enum fsd_cause cause(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_result *r = &d->layers[layer];

    if (!r->inserted)
        return r->kind == FSD_KIND_COPY ? by_link(d, layer) : FSD_CAUSE_NONE;
    if (r->kind == FSD_KIND_NOOP)
        return FSD_CAUSE_FREE;
    if (at_border(d, layer))
        return FSD_CAUSE_IO;
    if (neighbour(d, layer, is_dla))
        return FSD_CAUSE_DLA;
    if (neighbour(d, layer, is_plugin))
        return FSD_CAUSE_PLUGIN;
    if (neighbour(d, layer, is_foreign))
        return FSD_CAUSE_FOREIGN;
    if (d->engine->layers.at[layer].origin == FSD_ORIGIN_SLICE)
        return FSD_CAUSE_SLICE;
    return by_change(d, layer);
}

void fsd_diff_causes(struct fsd_diff *d)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        d->layers[i].cause = cause(d, i);
}
