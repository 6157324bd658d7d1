/*
 * Holds the fusion rules, and finds the rules that apply to a block. To add a rule, add
 * a row, and a function if no existing condition fits.
 *
 * The rules for TensorRT for RTX were measured: engines were built (without a GPU) from
 * exported models, and from models that differ in one property only. If a rule has an
 * edit, engines were built from edited models, too. The rules for other builders were
 * not measured: each names the document in which NVIDIA states the rule.
 */
#include "judge/lint/fusion.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

#include <inttypes.h>

enum { LONG_ROW = 16384 };

#define RTX " rtx "
#define MEASURED_TARGETS                                                               \
    "measured: TensorRT for RTX 1.7.1, compute capabilities 7.5 to 12.0"
#define DOCUMENTED                                                                     \
    "documented by NVIDIA: the TensorRT developer guide, MHA fusion; not measured"

static fsd_block_applies is_quantized_conv, is_read_by_others, is_moved, is_one_row,
    is_long_row;

static const struct fsd_fusion_rule rules[] = {
    /* Attention: rules that no edit of the model can satisfy. */
    {"attention/width", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_wide,
     "the head size is {0}",
     "TensorRT for RTX fuses attention with head sizes from 9 to 256 only", NULL,
     "18 of 18 attentions with other head sizes are split, and 0 of 39 with head sizes "
     "from 9 to 256",
     MEASURED_TARGETS},
    {"attention/between", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_scored_otherwise,
     "`{A}` is between the scores and the Softmax",
     "TensorRT for RTX fuses any operator there except Tanh, Relu, Sigmoid, Erf, Elu, "
     "Mish and Pow",
     NULL,
     "11 of 11 attentions with one of these operators are split; attentions are not "
     "split if one of 18 other operators, 11 kinds of masks or 7 kinds of scales is "
     "in this place",
     MEASURED_TARGETS},
    {"attention/axis", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_across,
     "the Softmax is along axis {0}",
     "TensorRT for RTX fuses attention with a Softmax along the last axis only", NULL,
     "2 of 2 attentions are split", MEASURED_TARGETS},
    {"attention/token", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_of_one_token,
     "there is one query and one key",
     "TensorRT for RTX fuses attention with two "
     "keys or more",
     NULL,
     "1 of 1 attention is split; an attention with 1 query and 64 keys is not split",
     MEASURED_TARGETS},
    {"attention/single", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_single,
     "the batch size and the number of heads are both 1, and both are fixed",
     "TensorRT for RTX fuses attention if the batch size or the number of heads is 2 "
     "or more, or if the batch size is dynamic",
     NULL,
     "7 of 7 attentions are split; an attention with a dynamic batch size is not split",
     MEASURED_TARGETS},
    {"attention/changed", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_changed,
     "`{A}` is between the Softmax and the product with V, and {B}",
     "TensorRT for RTX fuses no Relu in this place, and other operators only if the "
     "attention has one query, or is FP16 with head size 32 or 64, fixed sizes, and as "
     "many queries as keys (at most 512)",
     "mask the scores before the Softmax",
     "63 of 63 attentions outside these limits are split, and 0 of 20 within them",
     MEASURED_TARGETS},
    /* Attention: rules that an edit of the model can satisfy. */
    {"attention/type", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_fp32,
     "the attention is FP32", "TensorRT for RTX fuses attention in FP16 and BF16 only",
     "cast Q, K and V to FP16 or BF16 before both products, and cast the products' "
     "outputs back",
     "237 of 237 attentions are split; all 64 attentions edited to FP16 and all 8 "
     "edited to BF16 are one kernel",
     MEASURED_TARGETS, FSD_CURE_CASTS},
    {"attention/head", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_narrow,
     "the head size is {0}",
     "TensorRT for RTX fuses attention with head sizes from 9 to 256 only",
     "pad Q, K and V to head size 16 and slice the output",
     "10 of 10 attentions with head sizes up to 8 are split, and 0 of 39 with head "
     "sizes of 9 or more; all 28 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_PADS},
    {"attention/sizes", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_uneven,
     "K has head size {0} and V has head size {1}",
     "TensorRT for RTX fuses attention with equal head sizes only",
     "pad Q and K, or V, to the larger head size; if you pad V, slice the output",
     "14 of 14 attentions are split; all 17 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_PADS},
    {"attention/broadcast", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_broadcast,
     "K or V has one head, which the product broadcasts to the {0} heads of Q",
     "TensorRT for RTX fuses attention if K and V have as many heads as Q, or if the "
     "batch size is not 1 and only the Softmax is between the products",
     "repeat the heads of K and V by an Expand",
     "39 of 39 attentions outside these limits are split, and 0 of 23 within them; all "
     "15 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_REPEAT},
    {"attention/output", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_shown,
     "`{A}` is an output of the network",
     "TensorRT for RTX fuses attention only if no operator outside the attention reads "
     "the scores or probabilities",
     "remove this tensor from the outputs of the network",
     "6 of 6 attentions are split; all 4 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_UNMARK},
    {"attention/part-quantized", FSD_PATTERN_ATTENTION, RTX,
     fsd_attention_is_half_quantized,
     "only the product that computes the {A} has two quantized operands",
     "TensorRT for RTX fuses attention only if both products have two quantized "
     "operands, or if each product has at most one",
     "quantize the two operands of each product and the output, or quantize none of "
     "these five tensors",
     "49 of 49 such attentions are split; if only one operand of a product is "
     "quantized, 0 of 72 are split; if no operand is quantized, 0 of 28 are split",
     MEASURED_TARGETS, FSD_CURE_UNQUANTIZE},
    {"attention/rounded", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_rounded,
     "the probabilities have quantizers, V has none, and {A}",
     "TensorRT for RTX fuses such an attention only if it has one query, or is FP16 "
     "with head size 32 or 64, fixed sizes, and as many queries as keys (at most 512)",
     "remove the quantizers of the probabilities",
     "37 of 37 attentions outside these limits are split, and 0 of 11 within them; all "
     "8 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_UNQUANTIZE},
    {"attention/int8", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_int8_otherwise,
     "the attention is INT8, with head size {0}, {A} and {B}",
     "TensorRT for RTX fuses INT8 attention only with head size 16, 32 or 64, at most "
     "512 keys, at least two queries, and a quantized output",
     "remove the quantizers of the attention",
     "29 of 29 attentions outside these limits are split; all 6 edited attentions are "
     "one kernel; INT8 attentions within these limits are one kernel (measured with 1 "
     "to 512 keys, with 2 to 600 queries, with masks, and with dynamic sizes)",
     MEASURED_TARGETS, FSD_CURE_UNQUANTIZE},
    {"attention/fp8", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_fp8_otherwise,
     "the attention is FP8 with {A}",
     "TensorRT for RTX fuses FP8 attention only if the number of keys is static and at "
     "least 32, and if the output is quantized or of type FP16 or BF16",
     "remove the quantizers of the attention, and compute the attention in FP16 or "
     "BF16",
     "39 of 39 attentions outside these limits are split; all 5 edited attentions are "
     "one kernel; without an edit, 57 FP8 attentions with 32 keys or more are one "
     "kernel, even with one query",
     MEASURED_TARGETS, FSD_CURE_UNQUANTIZE},
    {"attention/behind", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_masked_behind,
     "`{A}` is between the Softmax and its quantizer",
     "TensorRT for RTX fuses attention only if the quantizer follows the Softmax "
     "directly, or if only a scaling is in between",
     "remove the quantizers of the attention, or mask the scores before the Softmax",
     "with a Where, Mul or Clip in between, 36 of 36 attentions are split; with only a "
     "scaling, 0 of 8 are split; after the quantizers are removed, 5 of 5 are one "
     "kernel",
     MEASURED_TARGETS, FSD_CURE_UNQUANTIZE},
    {"attention/shared", FSD_PATTERN_ATTENTION, RTX, fsd_attention_shares_queries,
     "`{A}` also multiplies the queries, which have three axes",
     "TensorRT for RTX merges such a product with the attention's first product, "
     "unless the queries have four axes",
     "pad the summed axis of `{A}` with zeros",
     "26 of 26 such attentions are split; if the queries have four axes or are an "
     "input of the network, 0 of 25 are split; all 9 edited attentions are one kernel",
     MEASURED_TARGETS, FSD_CURE_APART},
    {"attention/documented", FSD_PATTERN_ATTENTION, " trt10 trt11 ",
     fsd_attention_is_beyond_documented, "the head size is {0}",
     "TensorRT fuses attention in FP16 and BF16 if the head size is a multiple of 8 "
     "from 16 to 256",
     NULL, NULL, DOCUMENTED},

    {"layernorm/moved", FSD_PATTERN_LAYERNORM, RTX, is_moved,
     "`{A}` rearranges or reduces the norm's output",
     "TensorRT for RTX fuses a norm only if no operator rearranges or reduces the "
     "norm's output",
     "compute the norm after `{A}`, if `{A}` keeps each row of the norm whole",
     "7 of 8 such norms are split; if no operator rearranges or reduces the output, 0 "
     "of 22 are split",
     MEASURED_TARGETS},
    {"layernorm/row", FSD_PATTERN_LAYERNORM, RTX, is_one_row, "the norm has one row",
     "TensorRT for RTX fuses norms with two rows or more", NULL, "1 of 1 norm is split",
     MEASURED_TARGETS},
    {"layernorm/long", FSD_PATTERN_LAYERNORM, RTX, is_long_row,
     "each row of the norm has {0} elements",
     "TensorRT for RTX fuses norms with rows of fewer than 16384 elements", NULL,
     "norms with rows of 8 to 8192 elements are not split", MEASURED_TARGETS},

    {"conv/int8", FSD_PATTERN_CONV_BN_ACT, RTX, is_quantized_conv, "the Conv is INT8",
     "TensorRT for RTX computes the scale, bias and activation of an INT8 Conv in the "
     "kernel of the next quantizer; the engine needs that kernel in any case",
     NULL, "325 of 325 such blocks are split", MEASURED_TARGETS},
    {"conv/readers", FSD_PATTERN_CONV_BN_ACT, RTX, is_read_by_others,
     "{A} reads the activation",
     "TensorRT for RTX fuses SiLU, HardSwish, LeakyRelu, GELU and HardSigmoid with the "
     "Conv only if all consumers of the activation are Conv, MaxPool or Concat",
     NULL,
     "in models that contain only such blocks, 66 of 66 blocks are split; in exported "
     "models, 351 of 373 are split",
     MEASURED_TARGETS},
};

const struct fsd_fusion_rule *fsd_fusion_rules(uint32_t *n)
{
    *n = FSD_COUNT_OF(rules);
    return rules;
}

/* ------------------------------------------------------------------- convolutions */

/* The first node of a block that multiplies data and weights; FSD_NONE if there is
 * none. */
static fsd_id product_of(const struct fsd_measured_block *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->facts->traits[m->nodes[i]] & FSD_OP_WEIGHTED)
            return m->nodes[i];
    return FSD_NONE;
}

static bool is_quantized_conv(struct fsd_measured_block *m)
{
    fsd_id data = fsd_node_in_tensor(m->facts->g, product_of(m), 0);

    return fsd_traits_of(m->facts, fsd_tensor_producer(m->facts->g, data)) &
           FSD_OP_DEQUANTIZE;
}

/* Whether the node is an activation that the builder fuses with a product, even if
 * several nodes read the output of the activation. */
static bool is_simple(const struct fsd_graph *g, fsd_id node)
{
    return fsd_node_is(g, node, FSD_ONNX_Relu) || fsd_node_is(g, node, FSD_ONNX_Clip) ||
           fsd_node_is(g, node, FSD_ONNX_Sigmoid) ||
           fsd_node_is(g, node, FSD_ONNX_Tanh) || fsd_node_is(g, node, FSD_ONNX_Elu);
}

static bool is_read_by_others(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id anchor = m->block->anchor, out = fsd_node_out_tensor(g, anchor, 0);
    struct fsd_span readers = fsd_graph_tensor(g, out)->consumers;

    if (is_simple(g, anchor) || anchor == product_of(m) || is_quantized_conv(m) ||
        fsd_node_is(g, anchor, FSD_ONNX_BatchNormalization))
        return false;
    if (fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT)) {
        m->text[0] = "the caller of the engine";
        return true;
    }
    FSD_EACH_ID (node, g->links, readers) {
        if (fsd_node_is(g, node, FSD_ONNX_Conv) ||
            fsd_node_is(g, node, FSD_ONNX_MaxPool) ||
            fsd_node_is(g, node, FSD_ONNX_Concat))
            continue;
        m->text[0] =
            fsd_printed(m->arena, "`%s`", fsd_text(m->names, g->nodes.at[node].op));
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ normalizations */

static bool is_moved(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id out = fsd_node_out_tensor(g, m->block->anchor, 0);
    struct fsd_span readers = fsd_graph_tensor(g, out)->consumers;

    FSD_EACH_ID (node, g->links, readers) {
        while (m->facts->traits[node] & FSD_OP_VIEW) {
            fsd_id reader = fsd_tensor_only_reader(g, fsd_node_out_tensor(g, node, 0));

            if (reader == FSD_NONE || reader <= node)
                break;
            node = reader;
        }
        if (!(m->facts->traits[node] & (FSD_OP_COPIES | FSD_OP_REDUCES)))
            continue;
        m->text[0] = g->nodes.at[node].name ? fsd_text(m->names, g->nodes.at[node].name)
                                            : fsd_text(m->names, g->nodes.at[node].op);
        return true;
    }
    return false;
}

/* Finds the number of normalized rows and the size of a row; false if one is
 * unknown. */
static bool read_rows(const struct fsd_measured_block *m, int64_t *rows, int64_t *row)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id anchor = m->block->anchor;
    const struct fsd_shape *x =
        fsd_shape_of(m->sizes, fsd_node_out_tensor(g, anchor, 0));
    int64_t stated = m->n == 1 ? fsd_node_int(g, anchor, "axis", -1) : -1;
    int64_t axis = fsd_axis(stated, x->rank), size;

    *rows = *row = 1;
    if (!x->ranked || axis < 0)
        return false;
    for (int64_t i = 0; i < x->rank; i++) {
        int64_t *to = i < axis ? rows : row;

        if (x->dims[i] < 0 ||
            !fsd_amount_number(m->sizes->amounts, x->dims[i], &size) ||
            fsd_times(m->sizes->amounts, *to, size) < 0)
            return false;
        *to *= size;
    }
    return true;
}

static bool is_one_row(struct fsd_measured_block *m)
{
    int64_t rows, row;

    return read_rows(m, &rows, &row) && rows == 1;
}

static bool is_long_row(struct fsd_measured_block *m)
{
    int64_t rows, row;

    if (!read_rows(m, &rows, &row))
        return false;
    m->number[0] = row;
    return row >= LONG_ROW;
}

/* ------------------------------------------------------------------------ sentences */

/* Replaces "{0}", "{A}" and the like in a rule's text by the values of `m`.
 * @param m NULL: letters such as N take the place of the values */
static const char *filled(struct fsd_arena *arena, const struct fsd_measured_block *m,
                          const char *text)
{
    struct fsd_print print;
    FILE *out;

    if (!text)
        return NULL;
    out = fsd_print_open(&print);
    for (; *text; text++) {
        if (text[0] != '{' || text[2] != '}') {
            putc(*text, out);
            continue;
        }
        if (!m)
            putc(text[1] >= 'A' ? text[1] - 'A' + 'X' : text[1] - '0' + 'N', out);
        else if (text[1] >= 'A')
            fputs(m->text[text[1] - 'A'], out);
        else
            fprintf(out, "%" PRId64, m->number[text[1] - '0']);
        text += 2;
    }
    return fsd_print_take(&print, arena);
}

const char *fsd_fusion_found(struct fsd_arena *arena,
                             const struct fsd_fusion_rule *rule)
{
    return filled(arena, NULL, rule->found);
}

const char *fsd_fusion_edit(struct fsd_arena *arena, const struct fsd_fusion_rule *rule)
{
    const char *edit = filled(arena, NULL, rule->edit);

    if (rule->cure == FSD_CURE_NONE)
        return edit;
    return fsd_printed(arena, "%s (`lint %s`)", edit,
                       FSD_IF_EDIT("--fix=fusion/attention", "-f json"));
}

const char *fsd_block_reason_text(struct fsd_arena *arena,
                                  const struct fsd_block_reason *reason)
{
    return fsd_printed(arena, "%s; %s%s%s", reason->found, reason->rule->border,
                       reason->edit ? "; " : "", reason->edit ? reason->edit : "");
}

struct fsd_measured_block fsd_block_measure(struct fsd_arena *arena,
                                            const struct fsd_blocks *blocks,
                                            const struct fsd_block *block,
                                            const struct fsd_facts *facts,
                                            const struct fsd_sizes *sizes)
{
    struct fsd_measured_block m = {.facts = facts,
                                   .sizes = sizes,
                                   .names = facts->g->names,
                                   .arena = arena,
                                   .nodes = &blocks->pool.at[block->nodes.at],
                                   .n = block->nodes.n,
                                   .passed = &blocks->pool.at[block->passed.at],
                                   .n_passed = block->passed.n,
                                   .block = block};

    fsd_attention_read(&m);
    return m;
}

void fsd_block_reasons_of(struct fsd_arena *arena, const struct fsd_blocks *blocks,
                          const struct fsd_block *block, const struct fsd_facts *facts,
                          const struct fsd_sizes *sizes, const char *builder,
                          fsd_block_reasons *out)
{
    char word[24];
    struct fsd_measured_block m = fsd_block_measure(arena, blocks, block, facts, sizes);

    snprintf(word, sizeof word, " %s ", builder ? builder : "-");
    for (uint32_t i = 0; i < FSD_COUNT_OF(rules); i++) {
        const struct fsd_fusion_rule *r = &rules[i];

        if (r->pattern != (enum fsd_pattern)block->pattern ||
            !strstr(r->builders, word) ||
            (r->pattern == FSD_PATTERN_ATTENTION && m.first == FSD_NONE) ||
            !r->applies(&m))
            continue;
        fsd_vec_push(arena, out,
                     (struct fsd_block_reason){.rule = r,
                                               .found = filled(arena, &m, r->found),
                                               .edit = filled(arena, &m, r->edit)});
    }
}

void fsd_block_reasons_in(struct fsd_arena *arena, const struct fsd_diff *d,
                          const struct fsd_blocks *blocks,
                          const struct fsd_block *block, fsd_block_reasons *out)
{
    fsd_block_reasons_of(arena, blocks, block, d->facts, d->cost->sizes,
                         fsd_target_of(d->engine), out);
}

const char *fsd_block_reasons_text(struct fsd_arena *arena,
                                   const fsd_block_reasons *reasons)
{
    const char *text = reasons->n ? "" : FSD_NO_REASON;

    for (uint32_t i = 0; i < reasons->n; i++)
        text = fsd_printed(arena, "%s%s%s", text, i ? "; and " : "",
                           fsd_block_reason_text(arena, &reasons->at[i]));
    return text;
}
