/* Rules on the values of scales and zero points. */
#include "base/base.h"
#include "model/ops/ids.h"
#include "judge/findings/place.h"

#include <math.h>

/* --------------------------------------------------------------- one tensor, two Qs */

/* The rules on two scales compare two Qs of a tensor. f->rule->which states what is
 * between the tensor and the second Q:
 *   DIRECT: nothing.
 *   OVER_ONE: operators over which the Q can be moved to the tensor. The first of them
 *     is no Concat.
 *   OVER_CONCAT: like OVER_ONE, but the first operator is a Concat. */
enum { DIRECT, OVER_ONE, OVER_CONCAT };

static int side_of(const struct fsd_lint *l, fsd_id via)
{
    return via == FSD_NONE                           ? DIRECT
           : fsd_node_is(l->g, via, FSD_ONNX_Concat) ? OVER_CONCAT
                                                     : OVER_ONE;
}

static void put_scale(struct fsd_finder *f, const struct fsd_quantizer *q)
{
    fprintf(f->out, "`%s`", fsd_called(f, q->node));
    if (q->scales)
        fprintf(f->out, q->n == 1 ? " (%.6g)" : " (%.6g, ...)", q->scales[0]);
}

static void put_reach(struct fsd_finder *f, const struct fsd_reach *r)
{
    put_scale(f, &f->lint->quantizers.at[r->quantizer]);
    if (r->via != FSD_NONE)
        fprintf(f->out, " across `%s`", fsd_called(f, r->via));
}

static void find_two(struct fsd_finder *f, fsd_id tensor, const struct fsd_reach *own,
                     const struct fsd_reach *other)
{
    const struct fsd_quantizer *a = &f->lint->quantizers.at[own->quantizer],
                               *b = &f->lint->quantizers.at[other->quantizer];
    bool first = !a->scales || !b->scales || a->scales[0] >= b->scales[0];

    fsd_lint_open(f, fsd_id_or(other->via, a->node));
    if (other->via != FSD_NONE)
        fsd_about_node(f, a->node);
    fsd_about_node(f, b->node);
    fprintf(f->out, "`%s` is quantized by ", fsd_lint_tensor(f, tensor));
    put_reach(f, own);
    fputs(" and ", f->out);
    put_reach(f, other);
    fputs(", with different scales", f->out);
    /* Proposes the larger scale, because it clips no values that the smaller one
     * keeps. */
    fsd_edit_scale(f, first ? b : a, first ? a : b,
                   "rounds more coarsely, because the scale is larger; clips no "
                   "additional values");
    fsd_lint_close(f);
}

/* The Q that reads the tensor itself, else a Q that can be moved to the tensor over an
 * operator other than a Concat; NULL if there is neither. */
static const struct fsd_reach *nearest(const struct fsd_lint *l,
                                       const fsd_reaches *found)
{
    for (int side = DIRECT; side < OVER_CONCAT; side++)
        for (uint32_t i = 0; i < found->n; i++)
            if (side_of(l, found->at[i].via) == side)
                return &found->at[i];
    return NULL;
}

/* For each tensor, compares the scale of the nearest Q with the scales of other Qs, and
 * reports the first one with a different scale.  The member `which` of the rule states
 * where the other Qs are: DIRECT, OVER_ONE or OVER_CONCAT. */
void fsd_lint_two_scales(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id t = 0; t < l->g->tensors.n; t++) {
        const struct fsd_reach *own;
        fsd_reaches found = {0};

        if (l->g->tensors.at[t].consumers.n < 2 || l->facts->constant[t])
            continue;
        fsd_lint_reach(l, t, f->scratch, &found);
        own = nearest(l, &found);
        for (uint32_t i = 0; i < found.n && own; i++) {
            const struct fsd_reach *other = &found.at[i];

            if (other->quantizer == own->quantizer ||
                (own->via != FSD_NONE && other->via == own->via) ||
                side_of(l, other->via) != f->rule->which ||
                fsd_lint_scales(l, &l->quantizers.at[own->quantizer],
                                &l->quantizers.at[other->quantizer]) != FSD_UNLIKE)
                continue;
            find_two(f, t, own, other);
            break;
        }
    }
}

/* Whether different scales of the Concat's inputs cost nothing. With TensorRT for RTX,
 * they cost nothing if a quantizer follows the Concat, because one kernel then computes
 * the Concat and the quantizer. */
static bool is_quantized_again(struct fsd_finder *f, fsd_id concat)
{
    fsd_reaches found = {0};

    if (f->lint->target.family == FSD_RTX)
        fsd_lint_reach(f->lint, fsd_node_out_tensor(f->lint->g, concat, 0), f->scratch,
                       &found);
    return found.n > 0;
}

/* Reports a quantized Concat whose inputs have different scales, because the builder
 * copies such inputs. */
void fsd_lint_concat_inputs(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const struct fsd_quantizer *first = fsd_lint_held(l, i, 0), *most = first;
        uint32_t n = l->g->nodes.at[i].in.n, unlike = 0;

        if (!first || !fsd_node_is(l->g, i, FSD_ONNX_Concat))
            continue;
        for (uint32_t k = 1; k < n; k++) {
            const struct fsd_quantizer *other = fsd_lint_held(l, i, k);

            if (!other || fsd_lint_scales(l, first, other) != FSD_UNLIKE)
                continue;
            unlike++;
            if (other->scales && most->scales && other->scales[0] > most->scales[0])
                most = other;
        }
        if (!unlike || is_quantized_again(f, i))
            continue;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "%u of the %u inputs of `%s` differ%s in scale from the first input, "
                "so TensorRT requantizes input data; give all inputs the largest "
                "scale, which is the scale of ",
                unlike, n, fsd_called(f, i), unlike == 1 ? "s" : "");
        put_scale(f, most);
        for (uint32_t k = 0; k < n; k++) {
            const struct fsd_quantizer *q = fsd_lint_held(l, i, k);

            if (q && fsd_lint_scales(l, most, q) == FSD_UNLIKE)
                fsd_edit_scale(
                    f, q, most,
                    "rounds more coarsely, because all inputs get the largest scale");
        }
        fsd_lint_close(f);
    }
}

/* -------------------------------------------------------------------- one quantizer */

/* The axis of an operator's output channels in its weights; -1 if it has none. */
static int64_t output_axis(const struct fsd_lint *l, fsd_id node)
{
    if (fsd_node_is(l->g, node, FSD_ONNX_Conv))
        return 0;
    if (fsd_form_is(l->facts, node, "ConvTranspose"))
        return 1;
    if (fsd_form_is(l->facts, node, "Gemm"))
        return fsd_node_int(l->g, node, "transB", 0) ? 0 : 1;
    return -1;
}

/* Whether the scales are along an axis other than the output channels. False unless the
 * pair is directly before the operator, because a Transpose in between permutes the
 * axes. */
static bool is_across_channels(struct fsd_place *p)
{
    fsd_id node = fsd_place_node(p, 'n');
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');
    int64_t axis = output_axis(p->l, node);

    p->number[0] = q->n;
    p->number[1] = q->axis;
    p->number[2] = axis;
    return !q->block && axis >= 0 && q->n >= 2 && q->axis >= 0 && q->axis != axis &&
           (axis != 1 || fsd_node_int(p->l->g, node, "group", 1) <= 1);
}

static bool has_one_scale(struct fsd_place *p)
{
    fsd_id node = fsd_place_node(p, 'n');
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');

    return output_axis(p->l, node) >= 0 &&
           p->l->facts->constant[fsd_node_in_tensor(p->l->g, node, 1)] &&
           q->type == FSD_INT8 && q->n == 1 && !q->block;
}

/* Whether an addition follows the convolution, and the other input of the addition is
 * quantized. If so, TensorRT for RTX is faster with one scale per channel: another
 * kernel then computes the addition, and reads the other input in 8 bits. With one
 * scale for all channels, the convolution's kernel computes the addition, and reads the
 * other input in higher precision. */
static bool adds_narrow(const struct fsd_lint *l, fsd_id conv)
{
    fsd_id tensor = fsd_node_out_tensor(l->g, conv, 0), next = FSD_NONE;

    for (int steps = 0; steps < 4; steps++) {
        next = fsd_tensor_only_reader(l->g, tensor);
        if (!fsd_form_is(l->facts, next, "Add|Identity"))
            return false;
        if (fsd_node_is(l->g, next, FSD_ONNX_Add) && l->g->nodes.at[next].in.n == 2 &&
            !fsd_is_constant(l->facts, fsd_node_in_tensor(l->g, next, 0)) &&
            !fsd_is_constant(l->facts, fsd_node_in_tensor(l->g, next, 1)))
            break;
        tensor = fsd_node_out_tensor(l->g, next, 0);
    }
    return fsd_lint_held(l, next, fsd_node_in_tensor(l->g, next, 0) == tensor) != NULL;
}

static void propose_spread(struct fsd_place *p)
{
    fsd_id node = fsd_place_node(p, 'n');

    if (p->l->target.family == FSD_RTX && fsd_node_is(p->l->g, node, FSD_ONNX_Conv) &&
        fsd_lint_is_narrow(p->l, node) && adds_narrow(p->l, node))
        fsd_edit_spread(p->f, fsd_place_q(p, 'q'));
}

static void propose_symmetric(struct fsd_place *p)
{
    fsd_edit_symmetric(p->f, fsd_place_q(p, 'q'));
}

/* Whether data that is not constant has several scales. Kernels support only one. */
static bool has_several_scales(struct fsd_place *p)
{
    const struct fsd_graph *g = p->l->g;
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');
    fsd_id dq = fsd_tensor_only_reader(g, fsd_place_tensor(p, 'q'));

    fsd_place_set(p, 'r', fsd_tensor_only_reader(g, fsd_node_out_tensor(g, dq, 0)));
    p->number[0] = q->n;
    return q->n >= 2 && !q->block && !p->l->facts->constant[q->data] &&
           q->type != FSD_FP4;
}

static bool is_shifted(struct fsd_place *p)
{
    p->number[0] = p->l->quantizers.n;
    return fsd_place_q(p, 'q')->zero == FSD_ZERO_OTHER;
}

/* Whether a scale is not positive or is infinite. A DQ has the scale of its Q, so the
 * DQ is not reported. */
static bool has_bad_scale(struct fsd_place *p)
{
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');
    uint32_t k = 0;

    while (q->scales && k < q->n && q->scales[k] > 0 && !isinf(q->scales[k]))
        k++;
    if (!q->scales || k == q->n || (!q->quantizes && fsd_lint_q_of(p->l, q)))
        return false;
    p->text[0] =
        q->n > 1 ? fsd_printed(p->f->scratch, "%g at %u of %u", q->scales[k], k, q->n)
                 : fsd_printed(p->f->scratch, "%g", q->scales[k]);
    return true;
}

/* Whether the scale is computed at run time, as by a dynamic quantizer. */
static bool has_no_scales(struct fsd_place *p)
{
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');

    p->number[0] = p->l->quantizers.n;
    return q->scale != FSD_NONE && !q->scales;
}

static struct fsd_scales held_scales(const struct fsd_place *p, uint32_t input)
{
    const struct fsd_quantizer *q = fsd_lint_held(p->l, fsd_place_node(p, 'n'), input);
    bool bias = input == 2;

    return q && (q->type == FSD_INT32) == bias ? (struct fsd_scales){q->scales, q->n}
                                               : (struct fsd_scales){NULL, 0};
}

static bool has_other_bias(struct fsd_place *p)
{
    struct fsd_bias_misfit misfit;

    if (!fsd_bias_misfits(held_scales(p, 0), held_scales(p, 1), held_scales(p, 2),
                          &misfit))
        return false;
    p->text[0] = fsd_printed(p->f->scratch, "%.6g", misfit.is);
    p->text[1] = fsd_printed(p->f->scratch, "%.6g", misfit.should);
    return true;
}

/* Whether data has several scales before an operator that mixes the channels. */
static bool has_scales_of_data(struct fsd_place *p)
{
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');

    p->number[0] = q->n;
    return q->n >= 2 && !q->block && !p->l->facts->constant[fsd_place_tensor(p, 'q')];
}

/* Whether the builder does not support the block size for the type. */
static bool has_odd_blocks(struct fsd_place *p)
{
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');
    const struct fsd_shape *shape = fsd_shape_of(p->l->sizes, q->data);
    int64_t size;

    if (q->block <= 0 || !shape->ranked || q->axis < 0 || q->axis >= shape->rank)
        return false;
    size = shape->dims[q->axis];
    p->number[0] = q->block;
    p->number[1] = size;
    p->text[0] = fsd_dtype_name(q->type);
    p->text[1] = size > 0 && size % q->block
                     ? "the size of the axis is not a multiple of the block size"
                 : q->type == FSD_FP4 && q->block != 16 ? "NVFP4 requires blocks of 16"
                 : q->type == FSD_FP8 && q->block != 32 ? "MXFP8 requires blocks of 32"
                                                        : NULL;
    return p->text[1];
}

/* ----------------------------------------------------------------------------- rows */

const struct fsd_place_row fsd_rows_of_scale[] = {
    {"scale/weight-axis", "n=%weighted(x, q=%quantizer)", is_across_channels, "nq",
     "the {0} scales of {q} are along axis {1} of the weights, not along the output "
     "channels (axis {2})"},
    {"scale/weights", "n=%weighted(x, q=%held)", has_one_scale, "n",
     "the weights of {#} operator{?|s} have one scale for all output channels",
     .listed = true, .propose = propose_spread},
    {"scale/data", "q=%q", has_several_scales, "rq",
     "{q} has {0} scales for activations, but kernels support only one scale"},
    {"scale/bias", "n=%weighted(x, w, b)", has_other_bias, "n",
     "the bias of {n} has the scale {A} instead of {B}, the product of the input scale "
     "and the weight scale"},
    {"scale/zero-point", "q=%quantizer", is_shifted, "q",
     "{#} of {0} quantizers have a zero point that is not 0", .listed = true,
     .propose = propose_symmetric},
    {"scale/bad", "q=%quantizer", has_bad_scale, "q", "{q} has the scale {A}"},
    {"scale/unknown", "q=%quantizer", has_no_scales, "q",
     "the scales of {#} of {0} quantizers were not compared: these scales are missing "
     "from the file, stored as zeros, computed by nodes, or too many to read",
     .listed = true},
    {"scale/axis-moved",
     "n=Transpose|Reshape|Flatten|Squeeze|Unsqueeze|Slice|Split|Gather|DepthToSpace|"
     "SpaceToDepth(q=%dq)",
     has_scales_of_data, "nq",
     "{n} moves an axis, and {q} has {0} scales along this axis, so TensorRT cannot "
     "move the quantizer across {n}"},
    {"scale/block", "q=%quantizer", has_odd_blocks, "q",
     "{q} has {A} blocks of {0} elements along an axis of {1} elements; {B}"},
    {0}};
