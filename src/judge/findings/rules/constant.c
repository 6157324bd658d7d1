/*
 * Layers that compute constants at every inference: all their nodes have constant
 * inputs, and yet the builder left them to kernels.
 */
#include "base/base.h"
#include "judge/findings/finder.h"

/* A layer that also computes something else costs the same without its constants. A
 * kernel that dequantizes weights stored in low precision does so on purpose. */
static bool computes_constants_only(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;
    bool runs = false;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;

        if (!d->facts->folded[node] || (d->facts->traits[node] & FSD_OP_QDQ))
            return false;
        runs |= m->runs[node];
    }
    return runs;
}

static void add_layer(struct fsd_finder *f, fsd_id layer, int64_t *bytes, double *ms)
{
    int64_t own = f->d->cost->layers[layer].bytes;

    fsd_about_layer(f, layer);
    *bytes = *bytes < 0 || own < 0 ? -1 : *bytes + own;
    *ms += fsd_larger(0, fsd_layer_ms(f->d, layer));
}

void fsd_find_not_folded(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    double ms = 0;
    int64_t bytes = 0;
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (!computes_constants_only(d, i))
            continue;
        if (!n++)
            fsd_finding_open(f);
        add_layer(f, i, &bytes, &ms);
    }
    if (!n)
        return;
    for (uint32_t i = 0; i < n; i++)
        fsd_about_computed(f, f->found->subjects.at[f->now.layers.at + i].id);
    fsd_fact_number(f, "layers", n);
    if (bytes >= 0)
        fsd_fact_number(f, "bytes", (uint64_t)bytes);
    fprintf(f->out, "%u layer%s only constants at every inference", n,
            n == 1 ? " computes" : "s compute");
    if (bytes >= 0) {
        fputs(", ", f->out);
        fsd_put_scaled(bytes, NULL, " B", f->out);
        fputs(" read and written", f->out);
    }
    fsd_put_took(f, d->times->profiles ? ms : -1);
    fputs(": ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fsd_finding_close(f);
}
