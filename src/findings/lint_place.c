/*
 * Where quantizers stand, or do not: around the operators that run narrow, and around
 * those that cannot.
 */
#include "base/text.h"
#include "findings/lint.h"

#include <string.h>

#define ACTIVATIONS                                                                    \
    " Relu LeakyRelu Clip Sigmoid Tanh Elu Selu HardSigmoid HardSwish Softplus PRelu " \
    "Mish Gelu Swish "

static fsd_id out_of(const struct fsd_lint *l, fsd_id node)
{
    return fsd_node_out_tensor(l->g, node, 0);
}

static fsd_id maker_of(const struct fsd_lint *l, fsd_id tensor)
{
    return tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(l->g, tensor);
}

/* ------------------------------------------------------------------------- one side */

/* Weights alone in four bits, or in FP8, are a way of their own to save memory. */
static bool is_weights_only(const struct fsd_lint *l, const struct fsd_quantizer *held)
{
    return l->facts->constant[held->data] &&
           (held->block > 0 || fsd_dtype_bits(held->type) < 8 || held->type == FSD_FP8);
}

void fsd_lint_one_sided(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const struct fsd_quantizer *data = fsd_lint_held(l, i, 0);
        const struct fsd_quantizer *weights = fsd_lint_held(l, i, 1);
        const struct fsd_quantizer *held = data ? data : weights;
        uint32_t bare = data ? 1 : 0;

        if (!(l->facts->traits[i] & FSD_OP_WEIGHTED) || !data == !weights ||
            l->facts->folded[i] || is_weights_only(l, held))
            continue;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "%s reads quantized %s, but %s %s is not quantized, so that it "
                "runs wide",
                fsd_lint_node(f, i), data ? "data" : "weights",
                data ? "its other side" : "its data",
                fsd_lint_tensor(f, fsd_node_in_tensor(l->g, i, bare)));
        fsd_edit_insert(f, i, bare, NULL,
                        "rounds this side to 8 bits; the scale is to be measured");
        fsd_lint_close(f);
    }
}

/* ------------------------------------------------------------------------- residual */

/* The branch to quantize: of two convolutions the one that reads what was made first,
 * which is the block's own input. */
static uint32_t skip_of(const struct fsd_lint *l, const fsd_id convs[2])
{
    fsd_id made[2];

    if (convs[0] == FSD_NONE || convs[1] == FSD_NONE)
        return convs[0] == FSD_NONE ? 0 : 1;
    for (int i = 0; i < 2; i++) {
        const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_lint_held(l, convs[i], 0));

        made[i] = q ? maker_of(l, q->data) : FSD_NONE;
        made[i] = made[i] == FSD_NONE ? 0 : made[i]; /* the network's input is first */
    }
    return made[0] < made[1] ? 0 : 1;
}

/* The Q that already reads the tensor; else the one that reads what the Add makes,
 * whose range is about the same. */
static const struct fsd_quantizer *scale_for(struct fsd_finder *f, fsd_id add,
                                             uint32_t skip, bool *own)
{
    const struct fsd_lint *l = f->lint;
    fsd_reaches found = {0};
    fsd_id next = fsd_lint_only_reader(l, out_of(l, add));

    fsd_lint_reach(l, fsd_node_in_tensor(l->g, add, skip), f->scratch, &found);
    *own = found.n > 0;
    if (!found.n)
        fsd_lint_reach(l, out_of(l, add), f->scratch, &found);
    if (!found.n && next != FSD_NONE)
        fsd_lint_reach(l, out_of(l, next), f->scratch, &found);
    return found.n ? &l->quantizers.at[found.at[0].quantizer] : NULL;
}

/* What a pair on the skip branch changes.  Where a convolution makes the branch for the
 * Add alone, TensorRT for RTX adds in that convolution's kernel and rounds there:
 * tests/real/lint.py builds ResNet-18 with and without the pair. */
static const char *skip_effect(const struct fsd_lint *l, fsd_id tensor, bool own)
{
    if (own)
        return "rounds the skip branch as the block's input is rounded already";
    if (l->target.family == FSD_RTX && fsd_lint_conv_behind(l, tensor) != FSD_NONE &&
        fsd_lint_only_reader(l, tensor) != FSD_NONE)
        return "rounds the skip branch to 8 bits; measure its scale; TensorRT for RTX "
               "moves as many bytes as without";
    return "rounds the skip branch to 8 bits; measure its scale";
}

static void find_bare_skip(struct fsd_finder *f, fsd_id add, const fsd_id convs[2])
{
    const struct fsd_lint *l = f->lint;
    uint32_t skip = skip_of(l, convs);
    bool own;
    const struct fsd_quantizer *like = scale_for(f, add, skip, &own);

    fsd_lint_open(f, add);
    fsd_about_node(f, convs[!skip]);
    fprintf(f->out,
            "%s adds %s to what %s makes, and that branch has no quantizer, so "
            "that the addition keeps it wide",
            fsd_lint_node(f, add),
            fsd_lint_tensor(f, fsd_node_in_tensor(l->g, add, skip)),
            fsd_lint_node(f, convs[!skip]));
    if (like)
        fprintf(f->out, "; quantize it with %s of %s",
                own ? "the scale" : "a measured scale, at first that",
                fsd_lint_node(f, like->node));
    /* The scale of another tensor is where a measurement may begin, no value to set. */
    fsd_edit_insert(f, add, skip, own ? like : NULL,
                    skip_effect(l, fsd_node_in_tensor(l->g, add, skip), own));
    fsd_lint_close(f);
}

/* A pair behind the convolution stands between it and the Add; a compiled region takes
 * it along. */
static void find_both(struct fsd_finder *f, fsd_id add, const struct fsd_quantizer *q,
                      fsd_id conv)
{
    fsd_lint_open(f, add);
    fsd_about_node(f, q->node);
    fprintf(f->out, "%s reads quantizers on both branches, and %s parts it from %s",
            fsd_lint_node(f, add), fsd_lint_node(f, q->node), fsd_lint_node(f, conv));
    fsd_edit_remove(
        f, q, "the convolution's result is no longer rounded before the addition");
    fsd_lint_close(f);
}

/* ReLU may stand between neither: what follows the addition is fused with it. */
void fsd_lint_residual(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id in[2], convs[2];
        const struct fsd_quantizer *held[2], *q[2];

        if (!fsd_lint_is_any(l, i, " Add Sum ") || l->g->nodes.at[i].in.n != 2)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            in[k] = fsd_node_in_tensor(l->g, i, k);
            held[k] = fsd_lint_held(l, i, k);
            q[k] = fsd_lint_q_of(l, held[k]);
            convs[k] = fsd_lint_conv_behind(l, in[k]);
        }
        if (in[0] == FSD_NONE || in[1] == FSD_NONE || l->facts->constant[in[0]] ||
            l->facts->constant[in[1]])
            continue;
        if (!held[0] && !held[1] && (convs[0] != FSD_NONE || convs[1] != FSD_NONE))
            find_bare_skip(f, i, convs);
        else if (q[0] && q[1] && !l->style.after_operators &&
                 l->target.family != FSD_RTX)
            for (uint32_t k = 0; k < 2; k++)
                if (fsd_lint_conv_behind(l, q[k]->data) != FSD_NONE) {
                    find_both(f, i, q[k], fsd_lint_conv_behind(l, q[k]->data));
                    break;
                }
    }
}

/* An addition whose branches are as they should be, and whose sum nothing quantizes:
 * the kernel that adds INT8 writes INT8. */
void fsd_lint_open_sum(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id next = fsd_lint_only_reader(l, out_of(l, i));
        fsd_id sum = next != FSD_NONE && fsd_lint_is_any(l, next, ACTIVATIONS)
                         ? out_of(l, next)
                         : out_of(l, i);
        fsd_reaches after = {0};

        if (!fsd_lint_is_any(l, i, " Add Sum ") || l->g->nodes.at[i].in.n != 2 ||
            !fsd_lint_held(l, i, 0) == !fsd_lint_held(l, i, 1) || sum == FSD_NONE ||
            fsd_lint_conv_behind(
                l, fsd_node_in_tensor(l->g, i, fsd_lint_held(l, i, 0) ? 1 : 0)) ==
                FSD_NONE)
            continue;
        fsd_lint_reach(l, sum, f->scratch, &after);
        if (after.n)
            continue;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "%s adds a quantized branch, but nothing quantizes %s, which it "
                "makes: the branch is widened again, as a layer of its own",
                fsd_lint_node(f, i), fsd_lint_tensor(f, sum));
        if (l->g->tensors.at[sum].consumers.n) {
            fsd_id reader = l->g->links.at[l->g->tensors.at[sum].consumers.at];

            fsd_edit_insert(f, reader, fsd_node_input_of(l->g, reader, sum), NULL,
                            "rounds the sum to 8 bits; the scale is to be measured");
        }
        fsd_lint_close(f);
    }
}

/* ------------------------------------------------------------- inside a fused operator
 */

/* Conv -> Q -> DQ -> BatchNormalization or activation: the pair parts what would be one
 * layer. */
void fsd_lint_inside_conv(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *q = &l->quantizers.at[i];
        fsd_id conv = q->quantizes ? maker_of(l, q->data) : FSD_NONE;
        fsd_id dq = fsd_lint_only_reader(l, out_of(l, q->node));
        fsd_id next =
            dq == FSD_NONE ? FSD_NONE : fsd_lint_only_reader(l, out_of(l, dq));

        if (conv == FSD_NONE || next == FSD_NONE || l->style.after_operators ||
            !fsd_lint_is_any(l, conv, " Conv ConvTranspose Gemm MatMul ") ||
            !fsd_lint_is_any(l, next, " BatchNormalization" ACTIVATIONS))
            continue;
        fsd_lint_open(f, conv);
        fsd_about_node(f, q->node);
        fsd_about_node(f, next);
        fprintf(f->out, "%s stands between %s and %s, which would be one layer",
                fsd_lint_node(f, q->node), fsd_lint_node(f, conv),
                fsd_lint_node(f, next));
        fsd_edit_remove(f, q,
                        "what the operator makes is no longer rounded before the next");
        fsd_lint_close(f);
    }
}

/* Pad -> Q -> DQ -> Conv: the convolution could take the padding. */
void fsd_lint_pad(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const struct fsd_quantizer *dq = fsd_lint_held(l, i, 0);
        const struct fsd_quantizer *q = fsd_lint_q_of(l, dq);
        fsd_id pad = q ? maker_of(l, q->data) : FSD_NONE;

        if (!fsd_lint_is_any(l, i, " Conv ConvTranspose ") || pad == FSD_NONE ||
            !fsd_lint_is_any(l, pad, " Pad "))
            continue;
        fsd_lint_open(f, pad);
        fsd_about_node(f, i);
        fprintf(f->out,
                "%s stands between %s and %s, which takes no padding through it; "
                "put the pair before the padding",
                fsd_lint_node(f, q->node), fsd_lint_node(f, pad), fsd_lint_node(f, i));
        fsd_edit_remove(f, q,
                        "none where the pad is zero: the same values are rounded");
        fsd_edit_insert(f, pad, 0, q, "the same rounding, before the padding");
        fsd_lint_close(f);
    }
}

/* A transposed convolution between quantizers: TensorRT for RTX has no INT8 kernel of
 * any, others none with more than itself in between. */
void fsd_lint_deconv(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id next = fsd_lint_only_reader(l, out_of(l, i));

        if (!fsd_lint_is_any(l, i, " ConvTranspose ") || !fsd_lint_is_narrow(l, i))
            continue;
        if (l->target.family == FSD_RTX) {
            if (fsd_lint_held(l, i, 0)->type != FSD_INT8)
                continue;
            fsd_lint_open(f, i);
            fprintf(f->out,
                    "%s is quantized, and there is no INT8 kernel for it: its data and "
                    "weights are widened again",
                    fsd_lint_node(f, i));
            fsd_lint_close(f);
        } else if (next != FSD_NONE &&
                   fsd_lint_is_any(l, next, " BatchNormalization Concat" ACTIVATIONS)) {
            fsd_lint_open(f, i);
            fsd_about_node(f, next);
            fprintf(f->out,
                    "%s is quantized and followed by %s, for which there is no INT8 "
                    "kernel: it falls back to FP32",
                    fsd_lint_node(f, i), fsd_lint_node(f, next));
            fsd_lint_close(f);
        }
    }
}

/* Sigmoid(x) * x: one layer with the convolution, unless a pair stands in it. */
void fsd_lint_silu(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const struct fsd_quantizer *q[2];
        fsd_id made[2], x, other;

        if (!fsd_lint_is_any(l, i, " Mul ") || l->g->nodes.at[i].in.n != 2)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            q[k] = fsd_lint_q_of(l, fsd_lint_held(l, i, k));
            made[k] = maker_of(l, q[k] ? q[k]->data : fsd_node_in_tensor(l->g, i, k));
        }
        for (uint32_t k = 0; k < 2; k++) {
            if (made[k] == FSD_NONE || !fsd_lint_is_any(l, made[k], " Sigmoid ") ||
                (!q[0] && !q[1]))
                continue;
            x = fsd_node_in_tensor(l->g, made[k], 0);
            other = q[!k] ? q[!k]->data : fsd_node_in_tensor(l->g, i, !k);
            if (x != other ||
                (q[0] && q[1] && fsd_lint_scales(l, q[0], q[1]) == FSD_ALIKE))
                continue;
            fsd_lint_open(f, i);
            fsd_about_node(f, made[k]);
            fprintf(f->out,
                    "a quantizer stands inside the SiLU of %s and %s, which then "
                    "is no part of the operator before it",
                    fsd_lint_node(f, made[k]), fsd_lint_node(f, i));
            for (uint32_t n = 0; n < 2; n++)
                if (q[n])
                    fsd_edit_remove(f, q[n], "nothing inside the SiLU is rounded");
            fsd_lint_close(f);
            break;
        }
    }
}

/* --------------------------------------------------------------------------- islands
 */

/* Does the tensor come from a quantized convolution or product, without a quantizer on
 * the way? */
static fsd_id narrow_before(const struct fsd_lint *l, fsd_id tensor)
{
    for (int steps = 0; steps < 8 && tensor != FSD_NONE; steps++) {
        fsd_id maker = maker_of(l, tensor);

        if (maker == FSD_NONE || fsd_lint_quantizer(l, maker))
            return FSD_NONE;
        if (fsd_lint_is_narrow(l, maker))
            return maker;
        if (!(l->facts->traits[maker] & FSD_OP_COMMUTES) &&
            !fsd_lint_is_any(l, maker, " BatchNormalization Add Mul Sum" ACTIVATIONS))
            return FSD_NONE;
        tensor = fsd_node_in_tensor(l->g, maker, 0);
        if (tensor != FSD_NONE && l->facts->constant[tensor])
            tensor = fsd_node_in_tensor(l->g, maker, 1);
    }
    return FSD_NONE;
}

/* An operator over which no quantizer can be moved, and that has one behind it only. */
void fsd_lint_island(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id in = fsd_node_in_tensor(l->g, i, 0);
        fsd_reaches after = {0};
        fsd_id before;

        if (!fsd_lint_is_any(l, i,
                             " AveragePool GlobalAveragePool GlobalMaxPool "
                             "ReduceMean LpPool InstanceNormalization ") ||
            fsd_lint_held(l, i, 0) || (before = narrow_before(l, in)) == FSD_NONE)
            continue;
        fsd_lint_reach(l, out_of(l, i), f->scratch, &after);
        if (!after.n)
            continue;
        fsd_lint_open(f, i);
        fsd_about_node(f, before);
        fprintf(f->out,
                "%s reads %s without a quantizer, between %s and %s, which run "
                "narrow: it runs wide, and so does what is written for it",
                fsd_lint_node(f, i), fsd_lint_tensor(f, in), fsd_lint_node(f, before),
                fsd_lint_node(f, l->quantizers.at[after.at[0].quantizer].node));
        fsd_edit_insert(
            f, i, 0, NULL,
            "rounds what it averages to 8 bits; the scale is to be measured");
        fsd_lint_close(f);
    }
}

/* ---------------------------------------------------------------- what gains nothing
 */

/* A picture that is not made larger by copying. */
static bool interpolates(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_attr *mode = fsd_node_attr(l->g, &l->g->nodes.at[node], "mode");

    return fsd_lint_is_any(l, node, " Resize Upsample ") && mode &&
           mode->kind == FSD_ATTR_STRING &&
           strcmp(fsd_text(l->g->names, mode->s), "nearest") != 0;
}

/* A mask, a bias, a factor: pointwise with a constant, or at the scores of a softmax.
 */
static bool only_shifts(const struct fsd_lint *l, fsd_id node)
{
    fsd_id next = fsd_lint_only_reader(l, out_of(l, node));

    if (!fsd_lint_is_any(l, node, " Add Sub Mul Div "))
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        fsd_id in = fsd_node_in_tensor(l->g, node, k);

        if (in != FSD_NONE && l->facts->constant[in])
            return true;
    }
    return next != FSD_NONE && fsd_lint_is_any(l, next, " Softmax ");
}

/* The quantizer of what only this node reads. */
static const struct fsd_quantizer *own_quantizer(const struct fsd_lint *l, fsd_id node,
                                                 uint32_t input)
{
    const struct fsd_quantizer *dq = fsd_lint_held(l, node, input);
    const struct fsd_quantizer *q = fsd_lint_q_of(l, dq);

    return q && fsd_lint_only_reader(l, out_of(l, q->node)) == dq->node &&
                   fsd_lint_only_reader(l, out_of(l, dq->node)) == node
               ? q
               : NULL;
}

/* What is rounded before the node for nothing, and why; NULL.  Behind a convolution a
 * normalization is quantized by habit, and taken along. */
static const struct fsd_quantizer *wasted(const struct fsd_lint *l, fsd_id node,
                                          const char **why)
{
    const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_lint_held(l, node, 0));
    fsd_id maker = q ? maker_of(l, q->data) : FSD_NONE;

    *why = "has no narrow kernel";
    if (interpolates(l, node) ||
        fsd_lint_is_any(l, node,
                        " Softmax LogSoftmax Erf Gelu InstanceNormalization "
                        "GroupNormalization Pow Exp Tanh ") ||
        (fsd_lint_is_any(l, node, " LayerNormalization RMSNormalization ") &&
         (maker == FSD_NONE || !fsd_lint_is_any(l, maker, " Conv "))))
        return q;
    *why = "is pointwise with a constant or a mask, and part of a kernel that computes "
           "wide";
    if (!only_shifts(l, node))
        return NULL;
    q = own_quantizer(l, node, 0);
    return q ? q : own_quantizer(l, node, 1);
}

/* A quantizer before an operator that gains nothing by it: it is undone at once. */
void fsd_lint_no_gain(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n && !l->style.after_operators; i++) {
        const char *why;
        const struct fsd_quantizer *q = wasted(l, i, &why);

        if (!q)
            continue;
        fsd_lint_open(f, i);
        fsd_about_node(f, q->node);
        fprintf(f->out, "%s quantizes what %s reads, which %s",
                fsd_lint_node(f, q->node), fsd_lint_node(f, i), why);
        fsd_edit_remove(f, q, "its input is no longer rounded");
        fsd_lint_close(f);
    }
}

/* Where the tensor's elements come to, unchanged, through operators that compute
 * nothing and alone read them: a rounding before those is one behind them. */
static fsd_id moved_to(const struct fsd_lint *l, fsd_id tensor)
{
    for (int steps = 0; steps < 16 && tensor != FSD_NONE; steps++) {
        fsd_id reader = fsd_lint_only_reader(l, tensor);

        if (reader == FSD_NONE ||
            !(l->facts->traits[reader] & FSD_OP_VIEW ||
              fsd_lint_is_any(l, reader,
                              " Identity Transpose Slice Gather Expand Tile "
                              "DepthToSpace SpaceToDepth ")))
            break;
        tensor = out_of(l, reader);
    }
    return tensor;
}

/* Pairs that no operator needs: at an output of the network, or with nothing behind. */
void fsd_lint_useless(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *dq = &l->quantizers.at[i];
        const struct fsd_quantizer *q = dq->quantizes ? NULL : fsd_lint_q_of(l, dq);
        fsd_id out = moved_to(l, out_of(l, dq->node));

        if (!q || out == FSD_NONE || l->facts->constant[q->data] ||
            l->g->tensors.at[out].consumers.n)
            continue;
        fsd_lint_open(f, dq->node);
        fsd_about_node(f, q->node);
        fprintf(f->out, "%s and %s feed %s, so that they only round",
                fsd_lint_node(f, q->node), fsd_lint_node(f, dq->node),
                l->g->tensors.at[out].flags & FSD_TENSOR_OUTPUT
                    ? "an output of the network and nothing else"
                    : "nothing");
        fsd_edit_remove(f, q, "the output is no longer rounded");
        fsd_lint_close(f);
    }
}

/* ---------------------------------------------------------------------------- styles
 */

/* Does the operator run in 8 bits, given quantized data, or hand it on? */
static bool wants_narrow(const struct fsd_lint *l, fsd_id node)
{
    return (l->facts->traits[node] &
            (FSD_OP_WEIGHTED | FSD_OP_COMMUTES | FSD_OP_QDQ)) ||
           fsd_lint_is_any(l, node,
                           " AveragePool GlobalAveragePool GlobalMaxPool Resize "
                           "ReduceMean Pad ");
}

/* An addition of which only one side is quantized, as it should be; compiled regions
 * take both. */
static bool is_residual(const struct fsd_lint *l, fsd_id node)
{
    return fsd_lint_is_any(l, node, " Add Sum ") &&
           (!fsd_lint_held(l, node, 0) != !fsd_lint_held(l, node, 1) ||
            (l->target.family == FSD_RTX && !l->style.after_operators));
}

/* A Q of what an operator makes, whose value nothing reads that runs narrow. */
static bool feeds_nothing_narrow(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);
    fsd_id dq = q && q->quantizes ? fsd_lint_only_reader(l, out_of(l, node)) : FSD_NONE;
    fsd_id reader = dq == FSD_NONE ? FSD_NONE : fsd_lint_only_reader(l, out_of(l, dq));

    return reader != FSD_NONE && maker_of(l, q->data) != FSD_NONE &&
           !l->facts->constant[q->data] && !wants_narrow(l, reader) &&
           !is_residual(l, reader) &&
           (l->style.after_operators || fsd_lint_conv_behind(l, q->data) != FSD_NONE);
}

void fsd_lint_after(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    uint32_t n = fsd_lint_open_all(f, feeds_nothing_narrow);

    if (!n)
        return;
    for (uint32_t i = 0; i < n; i++)
        fsd_edit_remove(
            f, fsd_lint_quantizer(l, f->found->subjects.at[f->now.nodes.at + i].id),
            "this tensor is no longer rounded");
    if (l->style.after_operators)
        fprintf(f->out, "%s quantizes what operators make: ",
                l->style.name ? l->style.name : "the exporter");
    fsd_put_noun(f->out, n, "quantizer");
    fprintf(f->out, " behind an operator feed%s nothing that runs narrow",
            n == 1 ? "s" : "");
    fsd_lint_close_all(f);
}
