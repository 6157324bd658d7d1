/* Layers that pad for a product, or cut its padding off. */
#include "explain/diff/step.h"

enum { ALIGNED = 16 };

/* Whether a kernel of a Conv or a GEMM consumes the layer's output, or produces its
 * input. */
static bool is_beside_product(const struct fsd_graph *e, fsd_id layer, bool before)
{
    struct fsd_span ports = before ? e->nodes.at[layer].in : e->nodes.at[layer].out;
    struct fsd_span beside = fsd_port_peers(e, ports.at, before);

    for (uint32_t i = 0; i < beside.n; i++)
        if (e->layers.at[e->links.at[beside.at + i]].multiplies)
            return true;
    return false;
}

bool fsd_layer_pads(const struct fsd_graph *e, fsd_id layer, int64_t *given,
                    int64_t *taken)
{
    const struct fsd_form *in = fsd_layer_form_in(e, layer),
                          *out = fsd_layer_form_out(e, layer);
    const struct fsd_node *n = &e->nodes.at[layer];
    int64_t less = 0, more = 0;
    bool grows = false;

    if (n->in.n != 1 || n->out.n != 1 || in->dims.n != out->dims.n)
        return false;
    for (uint32_t i = 0; i < in->dims.n; i++) {
        int64_t a = e->dims.at[in->dims.at + i].size,
                b = e->dims.at[out->dims.at + i].size;

        if (a == b)
            continue;
        if (less || a <= 0 || b <= 0)
            return false;
        grows = a < b;
        less = grows ? a : b;
        more = grows ? b : a;
    }
    if (!less || more - less >= ALIGNED || !is_beside_product(e, layer, !grows))
        return false;
    if (given && taken) {
        *given = less;
        *taken = more;
    }
    return true;
}

/* As for the 49 tokens of a window: GEMM kernels need aligned sizes. */
bool fsd_advise_padding(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    int64_t given, taken;

    if (!fsd_layer_pads(d->engine, layer, &given, &taken))
        return false;
    fprintf(out,
            "choose a size that needs no padding (the adjacent Conv or GEMM "
            "kernel processes %lld elements instead of %lld)",
            (long long)taken, (long long)given);
    return true;
}
