/*
 * Determines which part of a data-movement layer's cost the user saves by following the
 * advice on the layer.  Usually the layer disappears, and the user saves all of it.  In
 * two cases, builds have shown that a layer remains:
 *
 *     case                    remaining layer          reason
 *     the application         int8 chw -> int8 chw4    the layer still pads the input
 *     quantizes an input
 *     ONNX fixes the type     Cast int32 -> int32      the model needs a Cast, which
 *     of an output: int64                              is a copy
 *
 * If the advice is to choose another number of channels per group, no layer remains:
 * the next kernel then needs no padding.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

#include <math.h>

struct ends {
    const struct fsd_form *in, *out;
    int64_t read, written; /* bytes of the first input and output; negative if
                              unknown */
};

static struct ends ends_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct ends ends = {.read = -1, .written = -1};

    if (!n->in.n || !n->out.n)
        return ends;
    ends.in = fsd_layer_form_in(e, layer);
    ends.out = fsd_layer_form_out(e, layer);
    ends.read = fsd_port_bytes(e, d->cost, &e->ports.at[n->in.at]);
    ends.written = fsd_port_bytes(e, d->cost, &e->ports.at[n->out.at]);
    return ends;
}

/* Whether the layer quantizes an input of the network and also pads it or changes its
 * layout.  If the application quantizes the input, the layer remains for the padding or
 * the layout. */
static bool still_pads(const struct fsd_diff *d, fsd_id layer, const struct ends *ends)
{
    return d->layers[layer].kind == FSD_KIND_QUANTIZE &&
           fsd_tensor_is(d->engine, fsd_node_in_tensor(d->engine, layer, 0),
                         FSD_TENSOR_INPUT) &&
           !(fsd_layout_same(ends->in->layout, ends->out->layout) &&
             fsd_form_count(d->engine, ends->in) ==
                 fsd_form_count(d->engine, ends->out));
}

/* Whether the layer converts an INT32 result of the engine to an INT64 output of the
 * network.  If ONNX fixes the type of the output to INT64, the user can only replace
 * the layer by a Cast. */
static bool needs_cast(const struct fsd_diff *d, fsd_id layer, const struct ends *ends)
{
    fsd_id producer = d->flows->of[layer].producer;

    return d->reasons[layer].cause == FSD_CAUSE_IO && ends->out->type == FSD_INT64 &&
           ends->in->type == FSD_INT32 && producer != FSD_NONE &&
           !(d->facts->traits[producer] & FSD_OP_CASTS);
}

double fsd_cost_saved(const struct fsd_diff *d, fsd_id layer)
{
    struct ends ends = ends_of(d, layer);
    double all = (double)(ends.read + ends.written), narrow;

    if (ends.read <= 0 || ends.written <= 0)
        return 1;
    narrow = (double)ends.read * fsd_dtype_bits(ends.out->type) /
             fsd_dtype_bits(ends.in->type);
    if (still_pads(d, layer, &ends))
        return 1 - (narrow + (double)ends.written) / all;
    if (needs_cast(d, layer, &ends))
        return 1 - 2 * (double)ends.read / all;
    return 1;
}

double fsd_cost_padded(const struct fsd_diff *d, fsd_id layer)
{
    struct ends ends = ends_of(d, layer);

    return ends.read > 0 && ends.written > 0
               ? fabs((double)(ends.written - ends.read)) /
                     (double)(ends.read + ends.written)
               : 0;
}
