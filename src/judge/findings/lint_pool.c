/*
 * Finds pooling nodes whose output sizes differ between TensorRT and ONNX. With
 * ceil_mode, TensorRT keeps a window that starts in the padding after the data:
 *
 *     data     . .
 *     windows  w   w       (1x1, strides of 2; ONNX has only the first window)
 *
 * Pools with unknown sizes are left out.
 */
#include "base/base.h"
#include "judge/findings/lint.h"
#include "model/graph/graph.h"

#include <inttypes.h>

struct pool {
    uint32_t n; /* number of spatial dimensions */
    struct fsd_windows at[FSD_SHAPE_RANK];
    bool departs; /* the sizes of TensorRT and ONNX differ in a dimension */
    bool widens;  /* without ceil_mode, a dimension needs additional padding to give the
                     output size that ONNX defines */
};

/* Reads the attributes and sizes of a pooling node; false if a size is unknown. */
static bool read_pool(const struct fsd_lint *l, fsd_id node, struct pool *p)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));

    *p = (struct pool){.n = x->rank < 2 ? 0 : x->rank - 2u};
    for (uint32_t k = 0; k < p->n; k++) {
        struct fsd_windows *w = &p->at[k];

        if (!fsd_op_windows(l->sizes, node, k, w))
            return false;
        p->departs = p->departs || w->all > w->inside;
        p->widens = p->widens || w->enough > w->behind;
    }
    return p->n > 0;
}

static const char *sizes_text(struct fsd_finder *f, const struct pool *p, bool all)
{
    const char *text = "";

    for (uint32_t k = 0; k < p->n; k++)
        text = fsd_printed(f->found->arena, "%s%s%" PRId64, text, k ? "x" : "",
                           all ? p->at[k].all : p->at[k].inside);
    return text;
}

/* The pads in the order of ONNX's attribute: first the pads before the data, for all
 * dimensions, then the pads after the data. */
static const char *pads_text(struct fsd_finder *f, const struct pool *p)
{
    const char *text = "";

    for (uint32_t k = 0; k < 2 * p->n; k++)
        text = fsd_printed(f->found->arena, "%s%s%" PRId64, text, k ? ", " : "",
                           k < p->n ? p->at[k].before : p->at[k - p->n].enough);
    return text;
}

void fsd_lint_ceil_mode(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const char *onnx, *builder, *pads;
        struct pool p;

        if (!read_pool(l, i, &p) || !p.departs || fsd_lint_refusal(l, i))
            continue;
        onnx = sizes_text(f, &p, false);
        builder = sizes_text(f, &p, true);
        pads = pads_text(f, &p);
        fsd_lint_open(f, i);
        fprintf(f->out,
                "the output of `%s` is %s in ONNX, but %s in %s, because this "
                "builder keeps a window that starts in the padding",
                fsd_called(f, i), onnx, builder, l->target.name);
        fsd_fact_text(f, "onnx", onnx);
        fsd_fact_text(f, "builder", builder);
        /* With count_include_pad, an average pool would count additional padding as
         * data. */
        if (!p.widens || !fsd_node_int(l->g, i, "count_include_pad", 0)) {
            fprintf(
                f->out,
                "; if you set pads = [%s] and remove ceil_mode, both outputs are %s",
                pads, onnx);
            fsd_fact_text(f, "pads", pads);
        }
        fsd_lint_close(f);
    }
}
