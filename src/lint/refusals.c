/*
 * What builders do not take: one row a reason, with who saw it.  To add one: a row.
 *
 * Rows of RTX were measured: versions 1.4 to 1.7 were given ONNX's own test models, and
 * one small model for each type, operator and compute capability; what they said stands
 * in `why`.  Rows of the other families are what the parser's list of operators says of
 * all its versions.  An operator without a row is not said to be taken: only an
 * importer that is known to exist says so.
 */
#include "lint/row.h"

#include <math.h>
#include <string.h>

#define MEASURED "measured: TensorRT for RTX 1.7.1"
#define LISTED   "onnx-tensorrt, docs/operators.md; " MEASURED
#define T(type)  (UINT64_C(1) << FSD_##type)

#define STRANGE                                                                        \
    (T(STRING) | T(COMPLEX64) | T(COMPLEX128) | T(UINT16) | T(UINT32) | T(UINT64) |    \
     T(INT16) | T(UINT4) | T(FP8E8M0) | T(FP8E5M2) | T(FP8E5M2FNUZ) | T(FP8E4M3FNUZ) | \
     T(INT2) | T(UINT2))
#define ANY_FP8 (T(FP8))
#define NARROW  (T(FP8) | T(FP4) | T(INT4) | T(UINT4))

#define QDQ                                                                            \
    " QuantizeLinear DequantizeLinear TRT_FP8QuantizeLinear TRT_FP8DequantizeLinear "  \
    "TRT_INT4QuantizeLinear TRT_INT4DequantizeLinear "

/* ---------------------------------------------------------------------- conditions */

/* Is the word one of the list, each between blanks? */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool has_type(const struct fsd_graph *g, fsd_id tensor, uint64_t types)
{
    return tensor != FSD_NONE && types >> fsd_tensor_form(g, tensor)->type & 1;
}

/* Its first input is one of the network's, and a sequence or an optional. */
static bool reads_list(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    fsd_id first = fsd_node_in_tensor(l->g, node, 0);

    (void)r;
    return fsd_graph_tensor(l->g, first)->item != FSD_NONE &&
           fsd_tensor_is(l->g, first, FSD_TENSOR_INPUT);
}

/* Any input or output. */
static bool has_a_type(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    const struct fsd_node *n = &l->g->nodes.at[node];
    struct fsd_span in = n->in, out = n->out;

    for (uint32_t i = 0; i < in.n; i++)
        if (has_type(l->g, l->g->ports.at[in.at + i].tensor, r->types))
            return true;
    for (uint32_t i = 0; i < out.n; i++)
        if (has_type(l->g, l->g->ports.at[out.at + i].tensor, r->types))
            return true;
    return false;
}

/* Is it what a Q made, through at most operators that keep the type?  Around UINT8 of
 * zero point 0 the pair is moved, whatever stands between. */
static bool is_quantized(const struct fsd_lint *l, fsd_id tensor, uint64_t types)
{
    for (int steps = 0; steps < 16 && has_type(l->g, tensor, types); steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, tensor);

        if (producer == FSD_NONE || (l->facts->traits[producer] & FSD_OP_QUANTIZE))
            return producer != FSD_NONE;
        tensor = fsd_node_in_tensor(l->g, producer, 0);
    }
    return false;
}

/* The first input, be it constant or not. */
bool fsd_refused_takes_type(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                            fsd_id node)
{
    return has_type(l->g, fsd_node_in_tensor(l->g, node, 0), r->types);
}

static bool reads_type(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    return fsd_refused_takes_type(l, r, node) && !l->facts->folded[node];
}

/* The same of what no Q made. */
static bool reads_plain(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    return reads_type(l, r, node) &&
           !is_quantized(l, fsd_node_in_tensor(l->g, node, 0), r->types);
}

/* The same of what has a second operand: an Einsum of one multiplies nothing. */
static bool multiplies(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    return reads_type(l, r, node) && fsd_node_has_in(l->g, node, 1);
}

/* The first input is a constant of the types. */
static bool weighs(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                   fsd_id node)
{
    fsd_id first = fsd_node_in_tensor(l->g, node, 0);

    return has_type(l->g, first, r->types) && l->facts->constant[first];
}

/* It makes such a tensor, which neither is the network's output nor a quantizer's. */
static bool inside(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                   fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(l->g, node, 0);

    return has_type(l->g, out, r->types) &&
           !(l->g->tensors.at[out].flags & FSD_TENSOR_OUTPUT) &&
           !(l->facts->traits[node] & FSD_OP_QDQ) && !l->facts->folded[node] &&
           !is_quantized(l, out, r->types);
}

/* It reads quantized data and weights, which are of the types. */
static bool runs_narrow(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    return fsd_lint_is_narrow(l, node) &&
           r->types >> fsd_lint_held(l, node, 1)->type & 1;
}

/* Data and weights are quantized to types that no kernel multiplies with each other:
 * of four and eight bits, but for a product of two dimensions with several scales. */
static bool mixes(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                  fsd_id node)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const struct fsd_quantizer *data, *weights;

    (void)r;
    if (!fsd_lint_is_narrow(l, node))
        return false;
    data = fsd_lint_held(l, node, 0);
    weights = fsd_lint_held(l, node, 1);
    if ((data->type == FSD_FP8) != (weights->type == FSD_FP8))
        return fsd_dtype_bits(data->type) == 8 &&
               (weights->type == FSD_FP8 || weights->type == FSD_INT8 ||
                weights->type == FSD_INT4);
    return data->type == FSD_INT8 && weights->type == FSD_INT4 &&
           (weights->n == 1 || (x->ranked && x->rank > 2));
}

/* It dequantizes a constant without dimensions that no Q makes, and something needs it.
 */
static bool is_scalar(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                      fsd_id node)
{
    fsd_id data = fsd_node_in_tensor(l->g, node, 0);
    const struct fsd_shape *x = fsd_shape_of(l->sizes, data);

    return weighs(l, r, node) && !is_quantized(l, data, r->types) && x->ranked &&
           !x->rank && l->facts->live[node];
}

/* It dequantizes a constant that an operator computes. */
static bool is_not_stored(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                          fsd_id node)
{
    fsd_id producer = fsd_node_in_producer(l->g, node, 0);

    return producer != FSD_NONE && weighs(l, r, node) &&
           !(l->facts->traits[producer] & (FSD_OP_QUANTIZE | FSD_OP_CONSTANT));
}

/* The input `number` has a place in the list, and no name. */
static bool is_left_empty(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                          fsd_id node)
{
    return l->g->nodes.at[node].in.n > r->number &&
           !fsd_node_has_in(l->g, node, (uint32_t)r->number);
}

/* Three dimensions behind the channels. */
static bool is_spatial(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    return reads_type(l, r, node) &&
           fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0))->rank == 5;
}

/* More outputs are used than `number`. */
static bool gives_more(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < l->g->nodes.at[node].out.n; i++) {
        fsd_id out = fsd_node_out_tensor(l->g, node, i);

        n += fsd_graph_tensor(l->g, out)->consumers.n ||
             fsd_tensor_is(l->g, out, FSD_TENSOR_OUTPUT);
    }
    return n > r->number;
}

/* One of the inputs by the bits of `number` is there. */
static bool is_there(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                     fsd_id node)
{
    for (uint32_t k = 0; k < 32; k++)
        if (r->number >> k & 1 && fsd_node_has_in(l->g, node, k))
            return true;
    return false;
}

/* Or one of them is left out. */
static bool lacks_one(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                      fsd_id node)
{
    for (uint32_t k = 0; k < 32; k++)
        if (r->number >> k & 1 && !fsd_node_has_in(l->g, node, k))
            return true;
    return false;
}

/* The input `number` is there, of the types if there are any, and no constant. */
static bool is_computed(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    return fsd_is_data(l->facts, given) &&
           (!r->types || has_type(l->g, given, r->types));
}

/* The input `number` is one of the network's. */
static bool is_given(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                     fsd_id node)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    return is_computed(l, r, node) &&
           (l->g->tensors.at[given].flags & FSD_TENSOR_INPUT);
}

/* The input `number` is a constant above 3840. */
static bool is_too_many(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);
    const struct fsd_ints *known = fsd_sizes_ints(l->sizes, given);

    return known && known->n == 1 && known->at[0] > 3840;
}

/* A mask beside is_causal. */
static bool is_masked_twice(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                            fsd_id node)
{
    (void)r;
    return fsd_node_has_in(l->g, node, 3) && fsd_node_int(l->g, node, "is_causal", 0);
}

/* Both directions, with other activations. */
static bool is_lopsided(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    const struct fsd_node *self = &l->g->nodes.at[node];
    const struct fsd_attr *attr = fsd_node_attr(l->g, self, "activations");
    const struct fsd_attr *direction = fsd_node_attr(l->g, self, "direction");
    bool both = direction && direction->kind == FSD_ATTR_STRING &&
                !strcmp(fsd_text(l->g->names, direction->s), "bidirectional");
    uint32_t n = both && attr && attr->kind == FSD_ATTR_STRINGS ? attr->list.n / 2 : 0;

    (void)r;
    for (uint32_t i = 0; i < n; i++)
        if (l->g->links.at[attr->list.at + i] != l->g->links.at[attr->list.at + n + i])
            return true;
    return false;
}

/* Its remainder is that of integers, and its operands are not. */
static bool is_inexact(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                       fsd_id node)
{
    return reads_type(l, r, node) && !fsd_node_int(l->g, node, "fmod", 0);
}

static bool has_zero_point(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                           fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    (void)r;
    return q && q->zero == FSD_ZERO_OTHER;
}

static bool has_bad_scale(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                          fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, node);

    (void)r;
    for (uint32_t i = 0; q && q->scales && i < q->n; i++)
        if (!(q->scales[i] > 0))
            return true;
    return false;
}

/* Up to opset 6 operators broadcast by attributes, if at all. */
bool fsd_refused_before_7(const struct fsd_lint *l)
{
    int64_t opset = fsd_graph_opset(l->g);

    return opset && opset < 7;
}

static bool is_pre_7(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                     fsd_id node)
{
    (void)r;
    (void)node;
    return fsd_refused_before_7(l);
}

/* The input `number` is computed, be it of constants: only a copy or a cast of one is
 * looked through. */
static bool is_not_weights(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                           fsd_id node)
{
    fsd_id given = fsd_node_in_tensor(l->g, node, (uint32_t)r->number);

    for (int steps = 0; given != FSD_NONE && steps < 64; steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, given);
        const char *op = fsd_text(l->g->names, fsd_graph_node(l->g, producer)->op);

        if (producer == FSD_NONE)
            return !l->facts->constant[given];
        if (l->facts->traits[producer] & FSD_OP_CONSTANT)
            return false;
        if (strcmp(op, "Identity") != 0 && strcmp(op, "Cast") != 0)
            return true;
        given = fsd_node_in_tensor(l->g, producer, 0);
    }
    return false;
}

/* Of the types, with a bound named "". */
static bool lacks_a_bound(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                          fsd_id node)
{
    uint32_t n = l->g->nodes.at[node].in.n;

    return reads_type(l, r, node) && ((n > 1 && !fsd_node_has_in(l->g, node, 1)) ||
                                      (n > 2 && !fsd_node_has_in(l->g, node, 2)));
}

/* Of its inputs by the bits of `number` one is the network's and of the types. */
static bool counts_data(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                        fsd_id node)
{
    for (uint32_t k = 0; k < 3; k++) {
        fsd_id given = fsd_node_in_tensor(l->g, node, k);

        if (r->number >> k & 1 && has_type(l->g, given, r->types) &&
            (l->g->tensors.at[given].flags & FSD_TENSOR_INPUT) &&
            !l->facts->constant[given])
            return true;
    }
    return false;
}

/* What it makes is of the types, because an attribute says so. */
static bool is_asked_for(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                         fsd_id node)
{
    return fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr) &&
           has_type(l->g, fsd_node_out_tensor(l->g, node, 0), r->types);
}

static bool has_attr(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                     fsd_id node)
{
    return fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr) != NULL;
}

/* An attribute, or one of its numbers, is another than `number`, nor 1 where there are
 * words. */
static bool number_is_not(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                          fsd_id node)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr);

    if (!attr)
        return false;
    for (uint32_t i = 0; attr->kind == FSD_ATTR_INTS && i < attr->list.n; i++)
        if (l->g->ints.at[attr->list.at + i] != r->number)
            return true;
    return (attr->kind == FSD_ATTR_FLOAT && fabs(attr->f) > 0) ||
           (attr->kind == FSD_ATTR_INT && attr->i != r->number &&
            !(r->words && attr->i == 1));
}

/* An attribute is a word of the list, or with `number` none of it. */
static bool word_is(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                    fsd_id node)
{
    const struct fsd_attr *attr = fsd_node_attr(l->g, &l->g->nodes.at[node], r->attr);

    return attr && attr->kind == FSD_ATTR_STRING &&
           lists(r->words, fsd_text(l->g->names, attr->s)) == !r->number;
}

/* ---------------------------------------------------------------------------- table */

/* clang-format off */
static const struct fsd_refusal_row refusals[] = {
    /* Operators. */
    {" BitShift Compress ConcatFromSequence ConvInteger Det DynamicQuantizeLinear "
     "MatMulInteger MaxRoiPool MaxUnpool Multinomial NegativeLogLikelihoodLoss "
     "QLinearConv QLinearMatMul SequenceAt SequenceConstruct SequenceEmpty "
     "SequenceErase SequenceInsert SequenceLength SoftmaxCrossEntropyLoss "
     "SplitToSequence StringNormalizer TfIdfVectorizer Unique ",
     FSD_ANY_BUILDER, .is.why = "the parser rejects the operator",
     .is.source = LISTED},
    {" AffineGrid Bernoulli BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CenterCropPad "
     "Col2Im DFT DistCollective ImageDecoder MelWeightMatrix Optional "
     "OptionalGetElement OptionalHasElement RegexFullMatch SequenceMap StringConcat "
     "StringSplit ",
     FSD_RTX, .is.why = "the parser rejects the operator",
     .is.source = MEASURED},
    {" BitCast CausalConvWithState CumProd DeformConv GroupQueryAttention "
     "LinearAttention NonZero SwiGLU ",
     FSD_RTX,
     .is.why = "the parser needs a plugin that RTX does not have",
     .is.source = MEASURED},
    {" RoiAlign ", FSD_RTX,
     .is.why = "the parser uses a plugin for it that needs a CUDA driver to "
"build",
     .is.source = MEASURED " without a GPU"},
    {" NonMaxSuppression ", FSD_RTX, .is.why = "no kernel implements it",
     .is.source = MEASURED},
    {" Swish ", FSD_RTX, .until = 104,
     .is.why = "the parser does not know the operator",
     .is.source = "measured: TensorRT for RTX 1.4.0"},
    {" MultiHeadAttention ", FSD_RTX, .until = 105,
     .is.why = "the parser does not know the operator",
     .is.source = "measured: TensorRT for RTX 1.4.0, 1.5.0"},

    /* Types. */
    {NULL, FSD_RTX, .holds = has_a_type, .types = STRANGE,
     .is.why = "no tensor may have this type", .is.source = MEASURED},
    {NULL, FSD_RTX, .holds = reads_list,
     .is.why = "an input of the network must be a tensor", .is.source = MEASURED},
    {" Cast CastLike ", FSD_RTX, .holds = has_a_type, .types = NARROW,
     .is.why = "only quantizers read or write tensors of this type",
     .is.source = MEASURED},
    {" DequantizeLinear ", FSD_ANY_BUILDER, .holds = fsd_refused_takes_type,
     .types = T(INT32),
     .is.why = "its input is INT32, as exporters write a bias; it "
"supports FP8, " "FP4, INT4 and INT8 only",
     .is.source = LISTED},
    {" DequantizeLinear ", FSD_RTX, .holds = weighs, .types = T(UINT8),
     .is.why = "UINT8 weights are not supported", .is.source = MEASURED},
    {NULL, FSD_RTX, .holds = inside, .types = T(UINT8),
     .is.why = "UINT8 is not supported between layers", .is.source = MEASURED},
    {" Clip ", FSD_RTX, .holds = reads_plain, .types = T(UINT8),
     .is.why = "UINT8 is not supported", .is.source = MEASURED},
    {" Clip ", FSD_RTX, .holds = lacks_a_bound, .types = T(INT8),
     .is.why = "INT8 with a bound that is named \"\"", .is.source = MEASURED},
    {" Clip ", FSD_RTX, .holds = is_computed, .number = 1, .types = T(INT8) | T(UINT8),
     .is.why = "its 8-bit bounds are not initializers", .is.source = MEASURED},
    {" Clip ", FSD_RTX, .holds = is_computed, .number = 2, .types = T(INT8) | T(UINT8),
     .is.why = "its 8-bit bounds are not initializers", .is.source = MEASURED},
    {" DequantizeLinear ", FSD_RTX, .holds = is_scalar, .types = T(INT8) | T(FP8),
     .is.why = "it reads a scalar constant: give it one dimension of size 1",
     .is.source = MEASURED},
    {" DequantizeLinear ", FSD_RTX, .holds = is_not_stored, .types = T(INT8),
     .is.why = "its input is computed from constants, and must be an "
"initializer",
     .is.source = MEASURED},
    {" MatMul Gemm Conv ", FSD_RTX, .holds = mixes,
     .is.why = "no kernel multiplies these two types with each other",
     .is.source = MEASURED},
    {" Conv ", FSD_RTX, .holds = fsd_refused_has_open_channels,
     .is.why = "the channel count of its weights is dynamic", .is.source = MEASURED},
    {" Gemm ", FSD_RTX, .holds = fsd_refused_is_no_matrix,
     .is.why = "it multiplies matrices, and one of its inputs is not a matrix",
     .is.source = MEASURED},
    {" Gemm ", FSD_RTX, .holds = is_left_empty, .number = 2,
     .is.why = "its third input is named \"\", and must be left out",
     .is.source = MEASURED},
    {" ConvTranspose GRU ", FSD_RTX, .holds = reads_type, .types = T(BF16),
     .is.why = "no kernel supports BF16", .is.source = MEASURED},
    {" Range ", FSD_RTX, .holds = reads_type, .types = T(FP16) | T(BF16),
     .is.why = "it supports FP32, INT32 and INT64 only", .is.source = MEASURED},
    {" Range ", FSD_RTX, .holds = counts_data, .number = 0x7, .types = T(FP32),
     .is.why = "an FP32 input of the network determines the size of its "
"output",
     .is.source = MEASURED},
    {" OneHot ", FSD_RTX, .holds = counts_data, .number = 0x2, .types = T(FP32),
     .is.why = "an FP32 input of the network determines the size of its "
"output",
     .is.source = MEASURED},
    {" RandomNormal RandomNormalLike RandomUniform RandomUniformLike ", FSD_RTX,
     .holds = is_asked_for, .attr = "dtype", .types = T(FP64) | T(BF16),
     .is.why = "it supports FP32 and FP16 only", .is.source = MEASURED},
    {" Mod ", FSD_RTX, .holds = reads_type, .types = T(INT8),
     .is.why = "INT8 is not supported", .is.source = MEASURED},
    {" Add And Div Equal Greater Less Max Mean Min Mul Or Pow Sub Sum Xor ",
     FSD_ANY_BUILDER, .holds = is_pre_7,
     .is.why = "the model's opset is below 7, whose broadcasting the "
"parser lacks",
     .is.source = MEASURED},
    {" Gemm ", FSD_ANY_BUILDER, .holds = fsd_refused_adds_no_matrix,
     .is.why = "the model's opset is below 7, whose broadcasting the "
"parser lacks",
     .is.source = MEASURED},
    {" PRelu ", FSD_ANY_BUILDER, .holds = fsd_refused_has_other_slope,
     .is.why = "the model's opset is below 7, whose broadcasting the "
"parser lacks",
     .is.source = MEASURED},
    {" MatMul ", FSD_RTX, .holds = fsd_refused_is_row_of_many,
     .is.why = "a vector is multiplied with a stack of matrices",
     .is.source = MEASURED},
    {" TensorScatter ", FSD_RTX, .holds = fsd_refused_rank_is_not, .number = 4,
     .is.why = "the cache must have four dimensions", .is.source = MEASURED},
    {" If ", FSD_RTX, .holds = fsd_refused_has_unlike_branches,
     .is.why = "the outputs of its branches have different ranks",
     .is.source = MEASURED},
    {" AveragePool ", FSD_RTX, .holds = fsd_refused_averages_padding,
     .is.why = "with ceil_mode its last window covers only padding, which "
"does "
"not count",
     .is.source = MEASURED},
    {" Split ", FSD_RTX, .holds = fsd_refused_splits_too_much,
     .is.why = "equal parts, rounded up, leave no elements for the last part",
     .is.source = MEASURED},

    /* Compute capabilities. */
    {" MatMul Gemm Einsum LSTM GRU RNN ", FSD_RTX, .below_sm = 80,
     .holds = multiplies, .types = T(FP32) | T(FP64),
     .is.why = "Turing does not support this FP32 matrix product",
     .is.source = MEASURED " for sm75"},
    {" Conv ConvTranspose ", FSD_RTX, .below_sm = 80, .holds = is_spatial,
     .types = T(FP32), .is.why = "Turing does not support this FP32 3-D convolution",
     .is.source = MEASURED " for sm75"},
    {NULL, FSD_RTX, .below_sm = 80, .holds = has_a_type, .types = T(BF16),
     .is.why = "the device does not support BF16", .is.source = MEASURED " for sm75"},
    {NULL, FSD_RTX, .below_sm = 80, .holds = has_a_type, .types = T(INT4) | T(UINT4),
     .is.why = "the device does not support INT4", .is.source = MEASURED " for sm75"},
    {NULL, FSD_RTX, .below_sm = 89, .holds = has_a_type, .types = T(FP8),
     .is.why = "the device does not support FP8",
     .is.source = MEASURED " for sm75, sm80, sm86"},
    {NULL, FSD_RTX, .below_sm = 100, .holds = has_a_type, .types = T(FP4),
     .is.why = "the device does not support FP4",
     .is.source = MEASURED " for sm75 to sm89"},

    /* Versions. */
    {QDQ, FSD_RTX, .until = 104,
     .is.why = "RTX 1.4 folds quantizers on the device, and the build has "
"no GPU",
     .is.source = "measured: TensorRT for RTX 1.4.0 without a GPU"},
    {" Conv ConvTranspose ", FSD_RTX, .until = 106, .holds = runs_narrow,
     .types = T(INT8), .is.why = "RTX up to 1.6 does not support INT8 convolutions",
     .is.source = "measured: TensorRT for RTX 1.4.0, 1.5.0, 1.6.1"},
    {" GRU ", FSD_RTX, .until = 104, .holds = reads_type, .types = T(FP16),
     .is.why = "its outputs have different types",
     .is.source = "measured: TensorRT for RTX 1.4.0"},

    /* Quantizers. */
    {QDQ, FSD_ANY_BUILDER, .holds = has_zero_point,
     .is.why = "a zero point other than 0",
     .is.source = LISTED},
    {QDQ, FSD_ANY_BUILDER, .holds = has_bad_scale,
     .is.why = "a scale that is not positive", .is.source = MEASURED},
    {" QuantizeLinear DequantizeLinear ", FSD_RTX, .holds = is_computed, .number = 2,
     .types = T(INT8) | T(UINT8) | T(INT4) | T(FP4),
     .is.why = "the zero point is not an initializer", .is.source = MEASURED},

    /* Attributes. */
    {" AveragePool MaxPool LpPool ", FSD_RTX, .holds = number_is_not,
     .attr = "dilations", .number = 1,
     .is.why = "only pools without dilation are supported",
     .is.source = MEASURED},
    {" LpPool GlobalLpPool LpNormalization ", FSD_RTX, .holds = number_is_not,
     .attr = "p",
     .number = 2, .words = " 1 ", .is.why = "only L1 and L2", .is.source = MEASURED},
    {" BatchNormalization ", FSD_RTX, .holds = number_is_not, .attr = "training_mode",
     .is.why = "training mode", .is.source = MEASURED},
    {" LayerNormalization MaxPool Attention BatchNormalization ", FSD_ANY_BUILDER,
     .holds = gives_more, .number = 1, .is.why = "only its first output is supported",
     .is.source = LISTED},
    {" Attention ", FSD_RTX, .holds = number_is_not, .attr = "softcap",
     .is.why = "softcap is not supported", .is.source = MEASURED},
    {" Attention ", FSD_RTX, .holds = number_is_not, .attr = "softmax_precision",
     .is.why = "softmax_precision is not supported", .is.source = MEASURED},
    {" Resize ", FSD_ANY_BUILDER, .holds = word_is,
     .attr = "coordinate_transformation_mode",
     .words = " tf_crop_and_resize half_pixel_symmetric ",
     .is.why = "this coordinate transformation is not supported", .is.source = LISTED},
    {" Resize ", FSD_RTX, .holds = number_is_not, .attr = "antialias",
     .is.why = "antialiasing is not supported", .is.source = MEASURED},
    {" Resize ", FSD_RTX, .holds = word_is,
     .number = 1, .attr = "keep_aspect_ratio_policy",
     .words = " stretch ",
     .is.why = "only the policy stretch is supported",
     .is.source = MEASURED},
    {" ScatterElements ScatterND ", FSD_RTX, .holds = word_is,
     .number = 1, .attr = "reduction",
     .words = " none ", .is.why = "no reduction is supported", .is.source = MEASURED},
    {" TensorScatter ", FSD_RTX, .holds = word_is,
     .number = 1, .attr = "mode",
     .words = " linear ", .is.why = "only the linear mode is supported",
     .is.source = MEASURED},

    /* What must be known before the build. */
    {" ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
     "ReduceProd ReduceSum ReduceSumSquare ",
     FSD_RTX, .holds = is_not_weights, .number = 1,
     .is.why = "its axes are computed, and must be an initializer",
     .is.source = MEASURED},
    {" Squeeze Unsqueeze ", FSD_RTX, .holds = is_computed, .number = 1,
     .is.why = "its axes are computed at run time", .is.source = MEASURED},
    {" Dropout ", FSD_RTX, .holds = is_computed, .number = 2,
     .is.why = "training_mode is not an initializer", .is.source = MEASURED},
    {" STFT ", FSD_RTX, .holds = is_computed, .number = 1,
     .is.why = "frame_step is not an initializer", .is.source = MEASURED},
    {" Resize ", FSD_RTX, .holds = is_given, .number = 2, .types = T(FP32),
     .is.why = "its scales are an input of the network", .is.source = MEASURED},
    {" Upsample Resize ", FSD_RTX, .holds = is_given, .number = 1, .types = T(FP32),
     .is.why = "its scales are an input of the network", .is.source = MEASURED},
    {" TopK ", FSD_ANY_BUILDER, .holds = is_too_many, .number = 1,
     .is.why = "more than 3840 are requested", .is.source = LISTED},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_no_kernel, .number = 16,
     .types = T(FP32),
     .is.why = "no kernel supports FP32 or heads below 16, and it is not "
"decomposed",
     .is.source = MEASURED},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_short_mask,
     .is.why = "its mask has fewer columns than there are keys",
     .is.source = MEASURED},
    {" Attention ", FSD_RTX, .holds = is_masked_twice,
     .is.why = "a mask and is_causal exclude each other", .is.source = MEASURED},
    {" Attention ", FSD_RTX, .until = 106, .holds = fsd_refused_is_no_kernel,
     .types = T(FP32),
     .is.why = "RTX up to 1.6 does not support attention in FP32",
     .is.source = "measured: TensorRT for RTX 1.4.0, 1.6.1"},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_wide, .number = 256,
     .is.why = "no kernel supports heads above 256, and it is not decomposed",
     .is.source = MEASURED},
    {" Attention ", FSD_RTX, .holds = fsd_refused_has_other_mask, .number = 3,
     .is.why = "its mask does not broadcast to batch, heads, queries and keys",
     .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_has_other_mask, .number = 5,
     .is.why = "its bias does not broadcast to batch, heads, queries and keys",
     .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = is_there, .number = 0xd8,
     .is.why = "a bias of the projections, a padding mask, past keys and "
"values "
               "are not supported", .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = lacks_one, .number = 0x7,
     .is.why = "queries, keys and values must be three inputs",
     .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_a_rank_is_not, .number = 3,
     .is.why = "queries, keys and values must have three dimensions",
     .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = gives_more, .number = 1,
     .is.why = "only its first output is supported", .is.source = MEASURED},
    {" MultiHeadAttention ", FSD_RTX, .holds = has_attr, .attr = "mask_filter_value",
     .is.why = "mask_filter_value is not supported", .is.source = MEASURED},
    {" Attention MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_is_uneven,
     .is.why = "heads of keys and of values differ in size", .is.source = MEASURED},
    {" GridSample ", FSD_RTX, .until = 104, .holds = is_spatial,
     .types = T(FP32) | T(FP16) | T(BF16), .is.why = "RTX 1.4 does not support volumes",
     .is.source = "measured: TensorRT for RTX 1.4.0"},
    {" Celu ", FSD_RTX, .holds = reads_type, .types = T(FP16) | T(BF16),
     .is.why = "its outputs have different ranks", .is.source = MEASURED},
    {" LSTM GRU RNN ", FSD_ANY_BUILDER, .holds = is_lopsided,
     .is.why = "both directions must have the same activations", .is.source = LISTED},
    {" Mod ", FSD_RTX, .holds = is_inexact,
     .types = T(FP32) | T(FP16) | T(BF16) | T(FP64),
     .is.why = "floating-point types need fmod = 1", .is.source = MEASURED},
    {" MatMul Relu ", FSD_RTX, .holds = reads_type, .types = T(INT32),
     .is.why = "INT32 is not supported", .is.source = MEASURED},
    {" Add Sub Mul Div Max Min Mod Greater Less GreaterOrEqual LessOrEqual MaxPool ",
     FSD_RTX, .holds = reads_plain, .types = T(UINT8), .is.why = "UINT8 is not "
                                                                 "supported",
     .is.source = MEASURED},
    {" Cast ", FSD_RTX, .until = 104, .holds = has_a_type, .types = T(INT8),
     .is.why = "RTX 1.4 folds casts to INT8 on the device, and the build "
"has no "
"GPU", .is.source = "measured: TensorRT for RTX 1.4.0 without a GPU"},
};

/* The operators for which RTX 1.7 has an importer. */
static const char imported[] =
    " Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention"
    " AveragePool BatchNormalization BlackmanWindow Cast CastLike"
    " CausalConvWithState Ceil Celu Clip Concat Constant ConstantOfShape Conv"
    " ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div Dropout Einsum"
    " Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements"
    " GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater"
    " GreaterOrEqual GridSample GroupNormalization GroupQueryAttention HammingWindow"
    " HannWindow HardSigmoid HardSwish Hardmax Identity If InstanceNormalization"
    " IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual"
    " LinearAttention Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulNBits"
    " Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul MultiHeadAttention"
    " Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow QMoE QuantizeLinear"
    " RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform"
    " RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum"
    " ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
    " ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding"
    " Round STFT Scan Scatter ScatterElements ScatterND Selu Shape Shrink Sigmoid"
    " Sign SimplifiedLayerNormalization Sin Sinh Size"
    " SkipSimplifiedLayerNormalization Slice Softmax Softplus Softsign SpaceToDepth"
    " Split Sqrt Squeeze Sub Sum Swish TRT_Attention TRT_AveragePool"
    " TRT_BlockDequantize TRT_BlockQuantize TRT_Conv TRT_Deconv TRT_DynamicQuantize"
    " TRT_FP4DynamicQuantize"
    " TRT_FP8DequantizeLinear TRT_FP8QuantizeLinear TRT_INT4DequantizeLinear"
    " TRT_FloorDiv TRT_Gather TRT_INT4QuantizeLinear TRT_KVCacheUpdate"
    " TRT_MXFP8DequantizeLinear TRT_MXFP8DynamicQuantize TRT_MXFP8QuantizeLinear"
    " TRT_MatMul TRT_MaxAverageBlendPool TRT_MaxPool TRT_MoE TRT_QuantizedAttention"
    " TRT_RaggedSoftmax TRT_Resize TRT_Scale TRT_Shuffle TRT_Slice TRT_TopK_Min Tan"
    " Tanh TensorScatter"
    " ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor"
" ";
/* clang-format on */

static bool concerns(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                     const char *op)
{
    const struct fsd_target *t = &l->target;

    return (r->families & t->family) && (!r->ops || lists(r->ops, op)) &&
           (!r->until || (t->version && t->version <= r->until)) &&
           (!r->below_sm || (t->sm && t->sm < r->below_sm));
}

const struct fsd_refusal *fsd_lint_refusal(const struct fsd_lint *l, fsd_id node)
{
    const char *op = fsd_text(l->g->names, l->g->nodes.at[node].op);

    if (l->g->nodes.at[node].flags & FSD_NODE_CALL)
        return NULL;
    for (size_t i = 0; i < FSD_COUNT_OF(refusals); i++)
        if (concerns(l, &refusals[i], op) &&
            (!refusals[i].holds || refusals[i].holds(l, &refusals[i], node)))
            return &refusals[i].is;
    return NULL;
}

const struct fsd_refusal fsd_lint_no_importer = {
    "the parser does not know the operator, and has no plugins", MEASURED};

/* The parser looks at the operator's name only, whatever its domain. */
enum fsd_import fsd_lint_import(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_node *n = &l->g->nodes.at[node];

    if ((n->flags & FSD_NODE_CALL) || lists(imported, fsd_text(l->g->names, n->op)))
        return l->target.family == FSD_RTX || (n->flags & FSD_NODE_CALL) ||
                       (l->facts->traits[node] & FSD_OP_STANDARD)
                   ? FSD_IMPORTED
                   : FSD_IMPORT_UNKNOWN;
    return l->target.family == FSD_RTX ? FSD_IMPORT_NONE : FSD_IMPORT_UNKNOWN;
}
