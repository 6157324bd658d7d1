/*
 * Rules on missing and useless quantizers, next to operators that run in low precision
 * and next to operators that cannot run in low precision. Each row describes a kind of
 * place by a form (place.h). The functions check conditions that a form cannot express.
 */
#include "base/base.h"
#include "judge/findings/place.h"

#define ACTIVATION "@activation|Gelu|Sigmoid|HardSigmoid"

/* ------------------------------------------------------------------------- one side */

/* Whether the tensor is the output of a Pad with a quantized input. Builders require
 * the Q/DQ pair before the Pad, not after it. */
static bool is_padded_narrow(const struct fsd_lint *l, fsd_id tensor)
{
    fsd_id pad = fsd_tensor_producer(l->g, tensor);

    return pad != FSD_NONE && fsd_node_is(l->g, pad, FSD_ONNX_Pad) &&
           fsd_lint_held(l, pad, 0);
}

/* Whether both operands should be quantized. False if the model quantizes the weights
 * to 4 bits or FP8: this method saves memory, and needs no quantized data. */
static bool is_asked_of_both(struct fsd_place *p)
{
    const struct fsd_facts *facts = p->l->facts;
    const struct fsd_quantizer *held = fsd_place_q(p, 'h');

    return !facts->folded[fsd_place_node(p, 'n')] &&
           !is_padded_narrow(p->l, fsd_place_tensor(p, 'b')) &&
           !(facts->constant[held->data] &&
             (held->block > 0 || fsd_dtype_bits(held->type) < 8 ||
              held->type == FSD_FP8));
}

/* ------------------------------------------------------------------------- residual */

/* The node that computes the convolution's quantized input. If the convolution reads
 * the network's input, no node computes that input, and the function returns 0, the id
 * of the first node. */
static fsd_id begins_at(const struct fsd_lint *l, fsd_id conv)
{
    const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_lint_held(l, conv, 0));
    fsd_id made = q ? fsd_tensor_producer(l->g, q->data) : FSD_NONE;

    return made == FSD_NONE ? 0 : made;
}

/* Whether a convolution computes the skip branch, and only the Add reads the branch.
 * TensorRT for RTX then computes the Add in the kernel of this convolution, and rounds
 * in this kernel. tests/real/lint.py builds ResNet-18 with and without a Q/DQ pair on
 * the skip branch. */
static bool rounds_in_kernel(const struct fsd_lint *l, fsd_id tensor)
{
    return fsd_lint_conv_behind(l, tensor) != FSD_NONE &&
           fsd_tensor_only_reader(l->g, tensor) != FSD_NONE;
}

/* Whether the sums of the convolution are scaled per channel, by an operator after it
 * or by the scales of its weights. */
static bool is_scaled_by_channel(const struct fsd_lint *l, fsd_id conv, fsd_id tensor)
{
    const struct fsd_quantizer *weights = fsd_lint_held(l, conv, 1);

    for (fsd_id node = fsd_tensor_producer(l->g, tensor);
         node != conv && node != FSD_NONE;) {
        fsd_id first = fsd_node_in_tensor(l->g, node, 0);

        if (!fsd_form_is(l->facts, node, "Add|Identity"))
            return true;
        node = fsd_tensor_producer(l->g, fsd_is_constant(l->facts, first)
                                             ? fsd_node_in_tensor(l->g, node, 1)
                                             : first);
    }
    return !weights || weights->n != 1;
}

/* Whether the kernel that computes the Add could read the skip branch in 8 bits, so
 * that a Q/DQ pair on this branch helps. True for all builders but TensorRT for RTX.
 * For TensorRT for RTX, the first case that applies decides:
 *
 *     The skip branch is the output of a pooling or the like: true. Without the pair,
 *     the builder moves a quantizer over the pooling, and a layer computes the pooling
 *     again for the unquantized Add.
 *
 *     `conv` has one scale for all channels (see is_scaled_by_channel()): false. The
 *     kernel of `conv` computes the Add, and reads the skip branch in that branch's own
 *     type. The pair would only add one more tensor that the engine writes.
 *
 *     The kernel of the skip branch's convolution computes the Add (see
 *     rounds_in_kernel()): false.
 *
 *     Otherwise: true, because a kernel after `conv` computes the Add. */
static bool may_add_narrow(const struct fsd_lint *l, fsd_id conv, fsd_id branch,
                           fsd_id skip)
{
    fsd_id maker = fsd_tensor_producer(l->g, skip);

    return l->target.family != FSD_RTX ||
           (fsd_traits_of(l->facts, maker) & FSD_OP_COMMUTES) ||
           (is_scaled_by_channel(l, conv, branch) && !rounds_in_kernel(l, skip));
}

/* Whether the unquantized input of the Add is its skip branch, and a Q/DQ pair on it
 * helps (may_add_narrow()). If both inputs come from convolutions, the skip branch is
 * the one whose convolution reads the earlier tensor of the model (begins_at()), or
 * either one if both read the same tensor. The new pair gets the scale of a Q that
 * already reads the skip branch. Without such a Q, the scale must be measured. The
 * message then provisionally proposes the scale of a Q behind the Add, if there is one,
 * because the Add's output has a similar range. */
static bool is_bare_skip(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    fsd_id skip = fsd_place_tensor(p, 's'), sum = fsd_place_tensor(p, 'n');
    fsd_id other = fsd_lint_conv_behind(l, skip), conv = fsd_place_node(p, 'k');
    fsd_id next = fsd_tensor_only_reader(l->g, sum);
    fsd_reaches found = {0};
    bool own;

    p->input = p->fit.flipped[0] ? 0 : 1;
    if ((other != FSD_NONE && begins_at(l, other) > begins_at(l, conv)) ||
        !may_add_narrow(
            l, conv, fsd_node_in_tensor(l->g, fsd_place_node(p, 'n'), !p->input), skip))
        return false;
    fsd_lint_reach(l, skip, p->f->scratch, &found);
    own = found.n > 0;
    if (!found.n)
        fsd_lint_reach(l, sum, p->f->scratch, &found);
    if (!found.n)
        fsd_lint_reach(l, fsd_node_out_tensor(l->g, next, 0), p->f->scratch, &found);
    p->like = found.n ? &l->quantizers.at[found.at[0].quantizer] : NULL;
    p->text[0] =
        p->like ? fsd_printed(p->f->scratch, "; quantize this branch with %s of `%s`",
                              own ? "the scale"
                                  : "a measured scale, or provisionally with the scale",
                              fsd_called(p->f, p->like->node))
                : "";
    p->like = own ? p->like : NULL;
    p->inserted = own ? "rounds the skip branch with the scale of the block's input"
                      : "rounds the skip branch to 8 bits; measure its scale";
    return true;
}

/* Whether a pair between the convolution and the Add prevents their fusion. With
 * TensorRT for RTX, it does not, because a compiled region includes the pair. */
static bool parts_regions(struct fsd_place *p)
{
    return !p->l->style.after_operators && p->l->target.family != FSD_RTX;
}

/* Whether the branches of an addition are quantized, but its sum is not. The INT8
 * kernel that adds could output INT8. The output of a network is left out, because it
 * must keep its type. */
static bool is_open_sum(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    fsd_id next = fsd_tensor_only_reader(l->g, fsd_place_tensor(p, 'n')), sum, reader;
    fsd_reaches after = {0};

    fsd_place_set(p, 's',
                  fsd_form_is(p->l->facts, next, ACTIVATION) ? next
                                                             : fsd_place_node(p, 'n'));
    sum = fsd_place_tensor(p, 's');
    reader = l->g->tensors.at[sum].consumers.n
                 ? l->g->links.at[l->g->tensors.at[sum].consumers.at]
                 : FSD_NONE;
    fsd_place_set(p, 'r', reader);
    p->input = fsd_node_input_of(l->g, reader, sum);
    fsd_lint_reach(l, sum, p->f->scratch, &after);
    p->like = NULL;
    return !after.n && reader != FSD_NONE;
}

/* Like is_open_sum(), for an addition whose skip branch is not quantized yet. The rule
 * qdq/residual reports that branch. */
static bool is_open_bare_sum(struct fsd_place *p)
{
    return is_bare_skip(p) && is_open_sum(p);
}

/* ---------------------------------------------------------- inside a fused operator */

static bool is_before_operators(struct fsd_place *p)
{
    return !p->l->style.after_operators;
}

/* Whether the builder is TensorRT for RTX, which has no INT8 kernel for a transposed
 * convolution, and the convolution is quantized to INT8. Other builders only lack an
 * INT8 kernel that also computes the normalization, activation or Concat behind it. The
 * form in the row of is_narrow_elsewhere() requires such an operator. */
static bool is_narrow_on_rtx(struct fsd_place *p)
{
    fsd_id node = fsd_place_node(p, 'n');

    return p->l->target.family == FSD_RTX && fsd_lint_is_narrow(p->l, node) &&
           fsd_lint_held(p->l, node, 0)->type == FSD_INT8;
}

static bool is_narrow_elsewhere(struct fsd_place *p)
{
    return p->l->target.family != FSD_RTX &&
           fsd_lint_is_narrow(p->l, fsd_place_node(p, 'n'));
}

/* Whether a pair separates x * sigmoid(x) from the convolution before it. Without a
 * pair, the convolution's layer computes both. */
static bool is_cut_silu(struct fsd_place *p)
{
    fsd_id a = fsd_place_tensor(p, 'a'), b = fsd_place_tensor(p, 'b');

    p->fit.letter['a' - 'a'] = p->fit.flipped[0] ? b : a; /* 'a' is the first input */
    p->fit.letter['b' - 'a'] = p->fit.flipped[0] ? a : b;
    return fsd_place_q(p, 'a') && fsd_place_q(p, 'b')
               ? fsd_lint_scales(p->l, fsd_place_q(p, 'a'), fsd_place_q(p, 'b')) !=
                     FSD_ALIKE
               : fsd_place_q(p, 'a') || fsd_place_q(p, 'b');
}

/* -------------------------------------------------------------------------- islands */

/* The quantized convolution or matrix product from which the tensor is computed,
 * directly or through operators that are not quantized; FSD_NONE if there is none. */
static fsd_id narrow_before(const struct fsd_lint *l, fsd_id tensor)
{
    for (int steps = 0; steps < 8; steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, tensor);

        if (fsd_lint_is_narrow(l, producer))
            return producer;
        if (fsd_lint_quantizer(l, producer) ||
            (!(fsd_traits_of(l->facts, producer) & FSD_OP_COMMUTES) &&
             !fsd_form_is(l->facts, producer,
                          "BatchNormalization|Add|Mul|Sum|" ACTIVATION)))
            return FSD_NONE;
        tensor = fsd_node_in_tensor(l->g, producer, 0);
        if (fsd_is_constant(l->facts, tensor))
            tensor = fsd_node_in_tensor(l->g, producer, 1);
    }
    return FSD_NONE;
}

/* Whether the operator `n`, such as an AveragePool, is between a quantized product and
 * a quantizer. (The input of `n` is not quantized, and no quantizer can be moved over
 * `n`.) With TensorRT for RTX, an FP8 quantizer does not count, because operators like
 * `n` have only INT8 kernels. */
static bool is_island(struct fsd_place *p)
{
    fsd_reaches after = {0};

    fsd_place_set(p, 'b', narrow_before(p->l, fsd_place_tensor(p, 'i')));
    fsd_lint_reach(p->l, fsd_place_tensor(p, 'n'), p->f->scratch, &after);
    if (!after.n || (p->l->target.family == FSD_RTX &&
                     p->l->quantizers.at[after.at[0].quantizer].type == FSD_FP8))
        return false;
    fsd_place_set(p, 'a', p->l->quantizers.at[after.at[0].quantizer].node);
    return fsd_place_tensor(p, 'b') != FSD_NONE;
}

/* --------------------------------------------------------------- what gains nothing */

/* Whether the operator, such as a Resize that interpolates, runs in a higher precision
 * although its input is quantized. A normalization after a convolution does not count:
 * the builder fuses it, and exporters regularly quantize its input. */
static bool is_wide_anyway(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    fsd_id node = fsd_place_node(p, 'n');
    const struct fsd_attr *mode = fsd_node_attr(l->g, &l->g->nodes.at[node], "mode");
    fsd_id producer = fsd_tensor_producer(l->g, fsd_place_q(p, 'q')->data);

    if (l->style.after_operators)
        return false;
    if (fsd_form_is(l->facts, node, "Resize|Upsample"))
        return mode && mode->kind == FSD_ATTR_STRING &&
               strcmp(fsd_text(l->g->names, mode->s), "nearest") != 0;
    return !fsd_form_is(l->facts, node, "LayerNormalization|RMSNormalization") ||
           !fsd_form_is(l->facts, producer, "Conv");
}

/* Whether an input of the node is a constant, or only a Softmax reads the node's
 * output. In the second case, the node masks or scales the input of the Softmax. False
 * if the exporter quantizes outputs of operators (style.after_operators). */
static bool only_shifts(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    fsd_id node = fsd_place_node(p, 'n');
    fsd_id next = fsd_tensor_only_reader(l->g, fsd_place_tensor(p, 'n'));

    return !l->style.after_operators &&
           (fsd_form_is(l->facts, next, "Softmax") ||
            fsd_is_constant(l->facts, fsd_node_in_tensor(l->g, node, 0)) ||
            fsd_is_constant(l->facts, fsd_node_in_tensor(l->g, node, 1)));
}

/* Follows `tensor` through operators that only move elements, and returns the output of
 * the last one. Each of these operators must be the only consumer of its input. Values
 * may be rounded before or after such an operator, with the same result. */
static fsd_id moved_to(const struct fsd_lint *l, fsd_id tensor)
{
    for (int steps = 0; steps < 16 && tensor != FSD_NONE; steps++) {
        fsd_id reader = fsd_tensor_only_reader(l->g, tensor);

        if (!(fsd_traits_of(l->facts, reader) & FSD_OP_VIEW ||
              fsd_form_is(l->facts, reader,
                          "Identity|Transpose|Slice|Gather|Expand|Tile|DepthToSpace|"
                          "SpaceToDepth")))
            break;
        tensor = fsd_node_out_tensor(l->g, reader, 0);
    }
    return tensor;
}

/* Whether no operator needs the pair: its values reach only an output of the network,
 * or nothing. */
static bool is_useless(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_place_q(p, 'd'));
    fsd_id out = moved_to(l, fsd_place_tensor(p, 'd'));

    if (!q || out == FSD_NONE || l->facts->constant[q->data] ||
        l->g->tensors.at[out].consumers.n)
        return false;
    fsd_place_set(p, 'q', q->node);
    p->text[0] = l->g->tensors.at[out].flags & FSD_TENSOR_OUTPUT
                     ? "only an output of the network"
                     : "nothing";
    return true;
}

/* --------------------------------------------------------------------------- styles */

/* Whether the operator passes quantized data on, or runs in 8 bits if its data is
 * quantized. */
static bool wants_narrow(const struct fsd_lint *l, fsd_id node)
{
    return (l->facts->traits[node] &
            (FSD_OP_WEIGHTED | FSD_OP_COMMUTES | FSD_OP_QDQ)) ||
           fsd_form_is(
               l->facts, node,
               "AveragePool|GlobalAveragePool|GlobalMaxPool|Resize|ReduceMean|Pad");
}

/* Whether `node` is a residual addition, and `q` is on its skip branch. This is assumed
 * if `node` is an addition, and one of two conditions holds:
 *   - Only one input of `node` has a pair.
 *   - No quantized convolution precedes `q`. */
static bool is_residual(const struct fsd_lint *l, fsd_id node,
                        const struct fsd_quantizer *q)
{
    return fsd_form_is(l->facts, node, "Add|Sum") &&
           (!fsd_lint_held(l, node, 0) != !fsd_lint_held(l, node, 1) ||
            fsd_lint_conv_behind(l, q->data) == FSD_NONE);
}

/* Whether a Q quantizes the output of an operator, but no low-precision operator reads
 * the quantized tensor. */
static bool feeds_nothing_narrow(struct fsd_place *p)
{
    const struct fsd_lint *l = p->l;
    const struct fsd_quantizer *q = fsd_place_q(p, 'q');
    fsd_id dq = fsd_tensor_only_reader(l->g, fsd_place_tensor(p, 'q'));
    fsd_id reader = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, dq, 0));

    p->text[0] =
        l->style.after_operators
            ? fsd_printed(p->f->scratch, "%s quantizes the outputs of operators, so ",
                          l->style.name ? l->style.name : "the exporter")
            : "";
    return reader != FSD_NONE && fsd_tensor_producer(l->g, q->data) != FSD_NONE &&
           !l->facts->constant[q->data] && !wants_narrow(l, reader) &&
           !is_residual(l, reader, q) &&
           (l->style.after_operators || fsd_lint_conv_behind(l, q->data) != FSD_NONE);
}

static bool is_zero(const struct fsd_value *v)
{
    bool zero = v && v->bytes;

    for (uint64_t i = 0; zero && i < v->size; i++)
        zero = !v->bytes[i];
    return zero;
}

/* Always true. Sets the effect of moving the pair before the Pad. If the Pad adds zeros
 * or copies of elements, the pair rounds the same values before the Pad as after it. */
static bool pads_with(struct fsd_place *p)
{
    const struct fsd_graph *g = p->l->g;
    fsd_id pad = fsd_place_node(p, 'p'), with = fsd_node_in_tensor(g, pad, 2);
    const struct fsd_attr *mode = fsd_node_attr(g, &g->nodes.at[pad], "mode");
    const struct fsd_attr *value = fsd_node_attr(g, &g->nodes.at[pad], "value");
    bool copies = mode && mode->kind == FSD_ATTR_STRING &&
                  strcmp(fsd_text(g->names, mode->s), "constant") != 0;
    bool zeros = with == FSD_NONE
                     ? !value || (value->kind == FSD_ATTR_FLOAT && value->f == 0)
                     : p->l->facts->constant[with] &&
                           is_zero(fsd_tensor_value(g, p->l->facts->root[with]));

    p->inserted =
        copies || zeros
            ? "none, because the pair rounds the same values before the padding"
            : "the padding values are no longer rounded";
    return true;
}

/* ----------------------------------------------------------------------------- rows */

#define TO_MEASURE "; measure the scale"
#define NO_GAIN                                                                        \
    "{q} quantizes the input of {n}, but the kernel of {n} uses higher precision, "    \
    "because {n} only applies a constant or a mask"

const struct fsd_place_row fsd_rows_of_place[] = {
    {"qdq/residual", "n=%sum(k=%conv, s=%bare)", is_bare_skip, "nk",
     "{n} adds the unquantized {'s} to the output of {k}, so the skip "
     "branch stays in higher precision{A}",
     .insert = 'n', .input = FSD_INPUT_SET},
    {"qdq/residual", "n=%sum(q=%pair(k=%conv), %pair)", parts_regions, "nq",
     "both inputs of {n} are quantized, and {q} prevents the fusion of {n} with {k}",
     .remove = "q",
     .removed = "the output of the convolution is no longer rounded before the "
                "addition"},
    {"qdq/open-sum", "n=%sum(%held, %conv)", is_open_sum, "n",
     "{n} adds a quantized branch, but the result {'s} is not "
     "quantized: therefore, a separate layer dequantizes the branch",
     .insert = 'r', .input = FSD_INPUT_SET,
     .inserted = "rounds the sum to 8 bits" TO_MEASURE},
    {"qdq/open-sum", "n=%sum(k=%conv, s=%bare)", is_open_bare_sum, "n",
     "one INT8 kernel computes {n} only if both its skip branch and its result {'s} "
     "are quantized",
     .note = true},
    {"qdq/one-sided", "n=%weighted(h=%held, b=%bare)", is_asked_of_both, "n",
     "{n} runs in higher precision, because its data is quantized and "
     "its other input {'b} is not",
     .insert = 'n', .input = 1, .inserted = "rounds this input to 8 bits" TO_MEASURE},
    {"qdq/one-sided", "n=%weighted(b=%bare, h=%held)", is_asked_of_both, "n",
     "{n} runs in higher precision, because its weights are quantized "
     "and its data {'b} is not",
     .insert = 'n', .inserted = "rounds this input to 8 bits" TO_MEASURE},
    {"qdq/inside-conv",
     "q=%q(k=Conv|ConvTranspose|Gemm|MatMul) > %dq > n=BatchNormalization|" ACTIVATION,
     is_before_operators, "kqn", "{q} prevents the fusion of {k} and {n}",
     .remove = "q",
     .removed = "the output of the operator before the pair is no longer rounded"},
    {"qdq/island",
     "n=AveragePool|GlobalAveragePool|GlobalMaxPool|ReduceMean|LpPool|"
     "InstanceNormalization(i=%bare)",
     is_island, "nb",
     "the input {'i} of {n} is not quantized, so {n} stays in higher precision "
     "between the quantized {b} and the quantizer {a}",
     .insert = 'n',
     .inserted = "rounds the input of the operator to 8 bits" TO_MEASURE},
    {"qdq/silu", "n=Mul(a=%pair?(s=Sigmoid(x)), b=%pair?(x))", is_cut_silu, "ns",
     "a quantizer inside the SiLU of {s} and {n} prevents the fusion of this SiLU with "
     "the preceding operator",
     .remove = "ab", .removed = "values inside the SiLU are no longer rounded"},
    {"qdq/pad", "n=Conv|ConvTranspose(q=%pair(p=Pad))", pads_with, "pn",
     "{q} prevents the fusion of {p} and {n}; move the pair before the "
     "padding",
     .insert = 'p', .move = 'q'},
    {"qdq/deconv", "n=ConvTranspose", is_narrow_on_rtx, "n",
     "{n} is quantized, but no INT8 kernel computes it: TensorRT dequantizes the data "
     "and weights"},
    {"qdq/deconv", "n=ConvTranspose > b=BatchNormalization|Concat|" ACTIVATION,
     is_narrow_elsewhere, "nb",
     "{n} falls back to FP32: no INT8 kernel computes it together with "
     "{b}"},
    {"qdq/no-gain",
     "n=Softmax|LogSoftmax|Erf|Gelu|InstanceNormalization|GroupNormalization|Pow|Exp|"
     "Tanh|Resize|Upsample|LayerNormalization|RMSNormalization(q=%pair)",
     is_wide_anyway, "nq",
     "{n} has no low-precision kernel, but {q} quantizes its input", .remove = "q",
     .removed = "the input of the operator is no longer rounded"},
    {"qdq/no-gain", "n=Add|Sub|Mul|Div(q=%own)", only_shifts, "nq", NO_GAIN,
     .remove = "q", .removed = "the input of the operator is no longer rounded"},
    {"qdq/no-gain", "n=Add|Sub|Mul|Div(x, q=%own)", only_shifts, "nq", NO_GAIN,
     .remove = "q", .removed = "the input of the operator is no longer rounded"},
    {"qdq/useless", "d=%dq", is_useless, "dq",
     "{q} and {d} only round values, because they feed {A}", .remove = "q",
     .removed = "the output is no longer rounded"},
    {"qdq/after", "q=%q", feeds_nothing_narrow, "q",
     "{A}{#} quantizer{?|s} after {?an operator|operators} feed{?s|} only "
     "operators that run in higher precision",
     .remove = "q", .removed = "this tensor is no longer rounded", .listed = true},
    {0}};
