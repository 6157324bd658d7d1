/* Scales and zero points, compared by value. */
#include "base/text.h"
#include "findings/lint.h"

#include <math.h>

/* ------------------------------------------------------------------ one tensor, two Qs
 */

/* Which: how the second Q is reached: directly, over an operator that moves data one by
 * one, or over a Concat. */
enum { DIRECT, OVER_ONE, OVER_CONCAT };

static int way_of(const struct fsd_lint *l, fsd_id via)
{
    return via == FSD_NONE                       ? DIRECT
           : fsd_lint_is_any(l, via, " Concat ") ? OVER_CONCAT
                                                 : OVER_ONE;
}

static void put_scale(struct fsd_finder *f, const struct fsd_quantizer *q)
{
    fputs(fsd_lint_node(f, q->node), f->out);
    if (q->scales)
        fprintf(f->out, q->n == 1 ? " (%.6g)" : " (%.6g, ...)", q->scales[0]);
}

static void find_two(struct fsd_finder *f, fsd_id tensor, const struct fsd_quantizer *a,
                     const struct fsd_quantizer *b, fsd_id via)
{
    bool first = !a->scales || !b->scales || a->scales[0] >= b->scales[0];

    if (via != FSD_NONE)
        fsd_lint_open(f, via);
    else
        fsd_lint_open(f, a->node);
    fsd_about_node(f, via == FSD_NONE ? b->node : a->node);
    if (via != FSD_NONE)
        fsd_about_node(f, b->node);
    fprintf(f->out, "%s is quantized by ", fsd_lint_tensor(f, tensor));
    put_scale(f, a);
    fputs(" and ", f->out);
    put_scale(f, b);
    if (via != FSD_NONE)
        fprintf(f->out, " over %s", fsd_lint_node(f, via));
    fputs(", with other scales", f->out);
    /* The greater one clips nothing that the other keeps. */
    fsd_edit_scale(f, first ? b : a, first ? a : b,
                   "steps grow to the greater scale; nothing more is clipped");
    fsd_lint_close(f);
}

/* One finding a tensor and way: the first Q that differs from the one that reads the
 * tensor itself. */
void fsd_lint_two_scales(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id t = 0; t < l->g->tensors.n; t++) {
        const struct fsd_quantizer *own = NULL;
        fsd_reaches found = {0};

        if (l->g->tensors.at[t].consumers.n < 2 || l->facts->constant[t])
            continue;
        fsd_lint_reach(l, t, f->scratch, &found);
        for (uint32_t i = 0; i < found.n && !own; i++)
            if (found.at[i].via == FSD_NONE)
                own = &l->quantizers.at[found.at[i].quantizer];
        for (uint32_t i = 0; i < found.n && own; i++) {
            const struct fsd_quantizer *q = &l->quantizers.at[found.at[i].quantizer];

            if (q == own || way_of(l, found.at[i].via) != f->rule->which ||
                fsd_lint_scales(l, own, q) != FSD_UNLIKE)
                continue;
            find_two(f, t, own, q, found.at[i].via);
            break;
        }
    }
}

/* A Concat of quantized tensors: its inputs are copied unless they have one scale. */
void fsd_lint_concat_inputs(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const struct fsd_quantizer *first = fsd_lint_held(l, i, 0), *most = first;
        uint32_t n = l->g->nodes.at[i].in.n, unlike = 0;

        if (!first || !fsd_lint_is_any(l, i, " Concat "))
            continue;
        for (uint32_t k = 1; k < n; k++) {
            const struct fsd_quantizer *other = fsd_lint_held(l, i, k);

            if (!other || fsd_lint_scales(l, first, other) != FSD_UNLIKE)
                continue;
            unlike++;
            if (other->scales && most->scales && other->scales[0] > most->scales[0])
                most = other;
        }
        if (!unlike)
            continue;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "%u of the %u inputs of %s have another scale than the first: each "
                "is quantized anew; give all the greatest, that of ",
                unlike, n, fsd_lint_node(f, i));
        put_scale(f, most);
        for (uint32_t k = 0; k < n; k++) {
            const struct fsd_quantizer *q = fsd_lint_held(l, i, k);

            if (q && fsd_lint_scales(l, most, q) == FSD_UNLIKE)
                fsd_edit_scale(f, q, most, "steps grow to the greatest scale");
        }
        fsd_lint_close(f);
    }
}

/* ------------------------------------------------------------------------ one
 * quantizer */

/* The axis of an operator's output channels in its weights; -1 where there is none. */
static int64_t output_axis(const struct fsd_lint *l, fsd_id node)
{
    if (fsd_lint_is_any(l, node, " Conv "))
        return 0;
    if (fsd_lint_is_any(l, node, " ConvTranspose "))
        return 1;
    if (fsd_lint_is_any(l, node, " Gemm "))
        return fsd_node_int(l->g, node, "transB", 0) ? 0 : 1;
    return -1;
}

/* Only a pair that stands directly at the weights: a Transpose between turns axes. */
void fsd_lint_weight_axis(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id w = fsd_node_in_tensor(l->g, i, 1);
        const struct fsd_quantizer *q =
            w == FSD_NONE ? NULL : fsd_lint_quantizer(l, fsd_tensor_producer(l->g, w));
        int64_t axis = output_axis(l, i);

        if (!(l->facts->traits[i] & FSD_OP_WEIGHTED) || !q || q->block || axis < 0 ||
            q->n < 2 || q->axis < 0 || q->axis == axis ||
            (axis == 1 && fsd_node_int(l->g, i, "group", 1) > 1))
            continue;
        fsd_lint_open(f, i);
        fsd_about_node(f, q->node);
        fprintf(f->out,
                "the %u scales of %s lie along axis %lld of the weights, not along "
                "the output channels, axis %lld",
                q->n, fsd_lint_node(f, q->node), (long long)q->axis, (long long)axis);
        fsd_lint_close(f);
    }
}

static bool has_one_scale(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *q =
        (l->facts->traits[node] & FSD_OP_WEIGHTED) ? fsd_lint_held(l, node, 1) : NULL;
    fsd_id w = q ? fsd_node_in_tensor(l->g, node, 1) : FSD_NONE;

    return q && output_axis(l, node) >= 0 && l->facts->constant[w] &&
           q->type == FSD_INT8 && q->n == 1 && !q->block;
}

void fsd_lint_weight_scale(struct fsd_finder *f)
{
    uint32_t n = fsd_lint_open_all(f, has_one_scale);

    if (!n)
        return;
    fputs("the weights of ", f->out);
    fsd_put_noun(f->out, n, "operator");
    fputs(" have one scale for all output channels", f->out);
    fsd_lint_close_all(f);
}

/* Data has one scale: kernels know no other.  Whoever reads it is told first. */
void fsd_lint_data_scales(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *q = &l->quantizers.at[i];
        fsd_id dq = fsd_lint_only_reader(l, fsd_node_out_tensor(l->g, q->node, 0));
        fsd_id reader = dq == FSD_NONE
                            ? FSD_NONE
                            : fsd_lint_only_reader(l, fsd_node_out_tensor(l->g, dq, 0));

        if (!q->quantizes || q->n < 2 || q->block || l->facts->constant[q->data] ||
            q->type == FSD_FP4)
            continue;
        fsd_lint_open(f, reader == FSD_NONE ? q->node : reader);
        if (reader != FSD_NONE)
            fsd_about_node(f, q->node);
        fprintf(f->out, "%s has %u scales for data, of which kernels take one",
                fsd_lint_node(f, q->node), q->n);
        fsd_lint_close(f);
    }
}

static bool is_shifted(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    return q && q->zero == FSD_ZERO_OTHER;
}

void fsd_lint_zero_point(struct fsd_finder *f)
{
    uint32_t n = fsd_lint_open_all(f, is_shifted);

    if (!n)
        return;
    fprintf(f->out, "%u of %u quantizers have a zero point other than 0", n,
            f->lint->quantizers.n);
    fsd_lint_close_all(f);
}

/* A DQ shares its Q's scale: the Q is told. */
void fsd_lint_bad_scale(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *q = &l->quantizers.at[i];
        uint32_t k = 0;

        while (q->scales && k < q->n && q->scales[k] > 0 && !isinf(q->scales[k]))
            k++;
        if (!q->scales || k == q->n || (!q->quantizes && fsd_lint_q_of(l, q)))
            continue;
        fsd_lint_open(f, q->node);
        fprintf(f->out, "%s has the scale %g", fsd_lint_node(f, q->node), q->scales[k]);
        if (q->n > 1)
            fprintf(f->out, " at %u of %u", k, q->n);
        fsd_lint_close(f);
    }
}

static bool has_no_scales(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    return q && q->scale != FSD_NONE && !q->scales; /* a dynamic one has none */
}

void fsd_lint_scale_unknown(struct fsd_finder *f)
{
    uint32_t n = fsd_lint_open_all(f, has_no_scales);

    if (!n)
        return;
    fprintf(f->out,
            "the scales of %u of %u quantizers are not in the file (or all 0), are "
            "computed, or are too many to read, and were compared with none",
            n, f->lint->quantizers.n);
    fsd_lint_close_all(f);
}

/* Per-channel scales over an operator that mixes the axes. */
void fsd_lint_axis_moved(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id in = fsd_node_in_tensor(l->g, i, 0);
        const struct fsd_quantizer *q =
            in == FSD_NONE ? NULL
                           : fsd_lint_quantizer(l, fsd_tensor_producer(l->g, in));

        if (!q || q->quantizes || q->n < 2 || q->block ||
            !fsd_lint_is_any(l, i,
                             " Transpose Reshape Flatten Squeeze Unsqueeze Slice "
                             "Split Gather DepthToSpace SpaceToDepth ") ||
            l->facts->constant[in])
            continue;
        fsd_lint_open(f, i);
        fsd_about_node(f, q->node);
        fprintf(f->out,
                "%s moves the axis along which %s has %u scales, so that the "
                "quantizer cannot be moved over it",
                fsd_lint_node(f, i), fsd_lint_node(f, q->node), q->n);
        fsd_lint_close(f);
    }
}

/* Blocks: which sizes a builder takes of which type. */
void fsd_lint_block(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *q = &l->quantizers.at[i];
        const struct fsd_shape *shape = fsd_shape_of(l->sizes, q->data);
        int64_t axis = q->axis, size;

        if (q->block <= 0 || !shape->ranked || axis < 0 || axis >= shape->rank)
            continue;
        size = shape->dims[axis];
        if (!(size > 0 && size % q->block) && !(q->type == FSD_FP4 && q->block != 16) &&
            !(q->type == FSD_FP8 && q->block != 32))
            continue;
        fsd_lint_open(f, q->node);
        fprintf(f->out, "%s has blocks of %lld along an axis of %lld in %s: %s",
                fsd_lint_node(f, q->node), (long long)q->block, (long long)size,
                fsd_dtype_name(q->type),
                size > 0 && size % q->block ? "the axis is no multiple of the block"
                : q->type == FSD_FP4        ? "NVFP4 has blocks of 16"
                                            : "MXFP8 has blocks of 32");
        fsd_lint_close(f);
    }
}
