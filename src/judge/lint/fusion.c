/*
 * Holds the fusion rules, and finds the rules that apply to a block. To add a rule, add
 * a row, and a function if no existing condition fits.
 *
 * Rows for TensorRT for RTX were measured by building, without a GPU, models that
 * differ in one property, models from exporters and, for each rule with an edit, the
 * edited model. Any other row names the document in which NVIDIA states the rule.
 */
#include "judge/lint/fusion.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

#include <inttypes.h>

enum { LONG_ROW = 16384 };

#define RTX      " rtx "
#define MEASURED "measured: TensorRT for RTX 1.7.1, compute capabilities 7.5 to 12.0"
#define DOCUMENTED                                                                     \
    "documented by NVIDIA: the TensorRT developer guide, MHA fusion; not measured"

static fsd_block_applies is_quantized_conv, is_read_by_others, is_moved, is_one_row,
    is_long_row;

static const struct fsd_fusion_rule rules[] = {
    /* Attention: rules that no edit of the model can satisfy. */
    {"attention/width", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_wide,
     "the head size is {0}", "TensorRT for RTX fuses head sizes from 9 to 256", NULL,
     "18 of 18 are split; of 39 sizes from 9 to 256 none is", MEASURED},
    {"attention/between", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_scored_otherwise,
     "`{A}` is between the scores and the Softmax",
     "TensorRT for RTX fuses any operator there except Tanh, Relu, Sigmoid, Erf, Elu, "
     "Mish and Pow",
     NULL,
     "11 of 11 are split; with 18 other operators, 11 kinds of masks and 7 of "
     "scales none is",
     MEASURED},
    {"attention/axis", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_across,
     "the Softmax is along axis {0}",
     "TensorRT for RTX fuses it along the last "
     "axis only",
     NULL, "2 of 2 are split", MEASURED},
    {"attention/token", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_of_one_token,
     "there is one query and one key",
     "TensorRT for RTX fuses attention with two "
     "keys or more",
     NULL, "1 of 1 is split; 1 query with 64 keys is not", MEASURED},
    {"attention/single", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_single,
     "the batch size times the number of heads is 1, and the sizes are fixed",
     "TensorRT for RTX fuses attention if this product is 2 or more, or if the batch "
     "is dynamic",
     NULL, "7 of 7 are split; with a dynamic batch it is not", MEASURED},
    {"attention/changed", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_changed,
     "`{A}` is between the Softmax and the product with V, {B}",
     "TensorRT for RTX fuses this only in FP16 with head size 32 or 64 and fixed "
     "sizes, with one query or with as many keys as queries, at most 512; it never "
     "fuses a Relu there",
     "mask the scores before the Softmax",
     "63 of 63 are split, 0 of 20 within these limits", MEASURED},
    /* Attention: rules that an edit of the model can satisfy. */
    {"attention/type", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_fp32,
     "the element type is FP32", "TensorRT for RTX fuses FP16 and BF16 only",
     "cast Q, K and V to FP16 or BF16 before both products, and cast the products' "
     "outputs back",
     "237 of 237 are split; with the edit 64 of 64 in FP16 and 8 of 8 in BF16 are one "
     "kernel",
     MEASURED, FSD_CURE_CASTS},
    {"attention/head", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_narrow,
     "the head size is {0}", "TensorRT for RTX fuses head sizes from 9 to 256",
     "pad Q, K and V to head size 16 and slice the output",
     "10 of 10 are split, and 0 of 39 with head sizes of 9 or more; with the edit 28 "
     "of 28 are one kernel",
     MEASURED, FSD_CURE_PADS},
    {"attention/sizes", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_uneven,
     "the key size is {0} and the value size {1}",
     "TensorRT for RTX fuses equal "
     "sizes only",
     "pad the smaller one; if that is V, slice the output",
     "14 of 14 are split; with the edit 17 of 17 are one kernel", MEASURED,
     FSD_CURE_PADS},
    {"attention/broadcast", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_broadcast,
     "K or V has one head, and Q has {0}: the product broadcasts that head",
     "TensorRT for RTX fuses attention if K and V have as many heads as Q, or if the "
     "batch size is not 1 and only the Softmax is between the products",
     "repeat K and V by an Expand",
     "39 of 39 are split, 0 of 23 within these limits; with the edit 15 of 15 are one "
     "kernel",
     MEASURED, FSD_CURE_REPEAT},
    {"attention/output", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_shown,
     "`{A}` is an output of the network",
     "TensorRT for RTX fuses scores and probabilities that only the block reads",
     "remove it from the outputs of the network",
     "6 of 6 are split; with the edit 4 of 4 are one kernel", MEASURED,
     FSD_CURE_UNMARK},
    {"attention/part-quantized", FSD_PATTERN_ATTENTION, RTX,
     fsd_attention_is_half_quantized,
     "only one of the two products, that of the {A}, has quantizers on both operands",
     "TensorRT for RTX requires quantizers on the operands of both products, or of "
     "neither",
     "quantize all four operands and the output, or none of them",
     "of 49 all are split; if only one operand of a product is quantized, 0 of 72 "
     "are; if none is quantized, 0 of 28 are",
     MEASURED, FSD_CURE_UNQUANTIZE},
    {"attention/rounded", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_rounded,
     "the probabilities have quantizers and V has none, {A}",
     "TensorRT for RTX fuses this only in FP16 with head size 32 or 64 and fixed "
     "sizes, with one query or with as many keys as queries, at most 512",
     "remove the quantizers of the probabilities",
     "outside these limits 37 of 37 are split, within them 0 of 11; with the edit 8 "
     "of 8 are one kernel",
     MEASURED, FSD_CURE_UNQUANTIZE},
    {"attention/int8", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_int8_otherwise,
     "it is INT8 with head size {0}, {A} keys and {B}",
     "TensorRT for RTX fuses INT8 with head sizes 16, 32 and 64, at most 512 keys, "
     "two queries or more, and a quantized output",
     "remove the quantizers of the block",
     "29 of 29 are split; with the edit 6 of 6 are one kernel; also one kernel: "
     "head sizes 16, 32 and 64, 1 to 512 keys, 2 to 600 queries, masks, dynamic sizes",
     MEASURED, FSD_CURE_UNQUANTIZE},
    {"attention/fp8", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_fp8_otherwise,
     "it is FP8 with {A}",
     "TensorRT for RTX fuses FP8 only if the number of keys is static and at least "
     "32, and if the output is quantized or not FP32",
     "remove the quantizers of the block, and compute it in FP16 or BF16",
     "39 of 39 are split; with the edit 5 of 5 are one kernel; so are 57 with 32 "
     "keys or more, and with one query",
     MEASURED, FSD_CURE_UNQUANTIZE},
    {"attention/behind", FSD_PATTERN_ATTENTION, RTX, fsd_attention_is_masked_behind,
     "`{A}` is between the Softmax and its quantizer",
     "TensorRT for RTX fuses a Softmax that is quantized directly, or after a "
     "scaling",
     "remove the quantizers of the block, or mask the scores before the Softmax",
     "36 of 36 are split (Where, Mul, Clip), none of 8 with a scale there; with the "
     "quantizers removed 5 of 5 are one kernel",
     MEASURED, FSD_CURE_UNQUANTIZE},
    {"attention/shared", FSD_PATTERN_ATTENTION, RTX, fsd_attention_shares_queries,
     "`{A}` multiplies the same queries, which have three axes",
     "TensorRT for RTX merges both products into one, unless the queries have four "
     "axes",
     "pad the other factor of that product with zeros",
     "26 of 26 are split, and 0 of 25 with four axes, or with inputs as queries; with "
     "the edit 9 of 9 are one kernel",
     MEASURED, FSD_CURE_APART},
    {"attention/documented", FSD_PATTERN_ATTENTION, " trt10 trt11 ",
     fsd_attention_is_beyond_documented, "the head size is {0}",
     "TensorRT fuses multiples of 8 from 16 to 256 in FP16 and BF16", NULL, NULL,
     DOCUMENTED},

    {"layernorm/moved", FSD_PATTERN_LAYERNORM, RTX, is_moved,
     "`{A}` moves the data "
     "of the output",
     "TensorRT for RTX fuses a norm if its output is read without a move of data",
     "compute the norm after the move, if it moves whole rows",
     "7 of 8 are split, and 0 of 22 without a move", MEASURED},
    {"layernorm/row", FSD_PATTERN_LAYERNORM, RTX, is_one_row, "it has one row",
     "TensorRT for RTX fuses two rows or more", NULL, "1 of 1 is split", MEASURED},
    {"layernorm/long", FSD_PATTERN_LAYERNORM, RTX, is_long_row,
     "a row has {0} "
     "elements",
     "TensorRT for RTX fuses rows of fewer than 16384 elements", NULL,
     "rows of 8 to 8192 are not split", MEASURED},

    {"conv/int8", FSD_PATTERN_CONV_BN_ACT, RTX, is_quantized_conv,
     "the Conv is "
     "INT8",
     "TensorRT for RTX computes scale, bias and activation in the next kernel that "
     "quantizes, which the engine needs in any case",
     NULL, "325 of 325", MEASURED},
    {"conv/readers", FSD_PATTERN_CONV_BN_ACT, RTX, is_read_by_others,
     "`{A}` reads the activation",
     "TensorRT for RTX fuses SiLU, HardSwish, LeakyRelu, GELU and HardSigmoid with "
     "the Conv if only Conv, MaxPool and Concat read them",
     NULL, "66 of 66 models of one block; 351 of 373 blocks of exporters' models",
     MEASURED},
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
 * several nodes read its output. */
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
        m->text[0] = "an output of the network";
        return true;
    }
    FSD_EACH_ID (node, g->links, readers) {
        if (fsd_node_is(g, node, FSD_ONNX_Conv) ||
            fsd_node_is(g, node, FSD_ONNX_MaxPool) ||
            fsd_node_is(g, node, FSD_ONNX_Concat))
            continue;
        m->text[0] =
            fsd_printed(m->arena, "%s", fsd_text(m->names, g->nodes.at[node].op));
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
 * @param m NULL: the function replaces them by letters */
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

    return rule->cure == FSD_CURE_NONE
               ? edit
               : fsd_printed(arena, "%s (`lint --fix=fusion/attention`)", edit);
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
