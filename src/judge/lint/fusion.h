/*
 * Fusion rules explain why a builder does not compute a block as one kernel. If the
 * condition of a rule holds, the builder splits the block. The rule states a value of
 * the block, such as "the head size is 8", the values with which the builder would fuse
 * the block, and an edit of the model that leads to a fusion.
 */
#pragma once

#include "explain/pattern/pattern.h"
#include "model/ops/sizes.h"

/** A block as the rules see it, and the values that a rule sets for its sentences. */
struct fsd_measured_block {
    const struct fsd_facts *facts;
    const struct fsd_sizes *sizes;
    struct fsd_intern *names;
    struct fsd_arena *arena;
    const fsd_id *nodes, *passed; /**< `nodes`: nodes of the block that compute.
                                       `passed`: nodes that only pass data on */
    uint32_t n, n_passed;
    const struct fsd_block *block;
    /* For an attention with two matrix products: */
    fsd_id first, softmax, last; /**< FSD_NONE: the attention is one operator */
    fsd_id q, k, p, v;           /**< the tensors that the products read */
    /* Set by the rule: */
    int64_t number[2];   /**< values of "{0}" and "{1}" in texts */
    const char *text[2]; /**< values of "{A}" and "{B}" in texts */
};

/** The kinds of edits by which a model can satisfy a rule. fusiondiff proposes edits
 *  for a block only if each rule that applies to the block has an edit
 *  (findings/lint_fusion.c). */
enum fsd_cure {
    FSD_CURE_NONE,
    FSD_CURE_UNMARK,     /**< removes outputs of the network from inside the block */
    FSD_CURE_UNQUANTIZE, /**< removes the Q/DQ pairs before the products */
    FSD_CURE_REPEAT,     /**< repeats the single head of K or V before the product */
    FSD_CURE_PADS,       /**< appends zeros to Q, K and V, and slices the output */
    FSD_CURE_CASTS,      /**< computes both products in FP16 or BF16, between Casts */
    FSD_CURE_APART       /**< appends zeros to both inputs of another product that reads
                              Q, along the summed axis. The builder then does not merge
                              this product with the attention's first product */
};

/** One fusion rule. */
struct fsd_fusion_rule {
    const char *id; /**< "attention/type" */
    enum fsd_pattern pattern;
    const char *builders; /**< the builders that have the rule: words that
                               fsd_target_of() returns, each between blanks, such as
                               " rtx trt10 " */
    bool (*applies)(struct fsd_measured_block *m);
    const char *found;   /**< the value found, "the head size is {0}" */
    const char *border;  /**< the limit up to which the builder fuses the block */
    const char *edit;    /**< NULL: no edit is known */
    const char *support; /**< how many measured models confirm the rule, and how many do
                              not */
    const char *source;  /**< "measured: ..." or "documented by NVIDIA: ..." */
    enum fsd_cure cure;
};

/** A rule that applies to a block. */
struct fsd_block_reason {
    const struct fsd_fusion_rule *rule;
    const char *found, *edit; /**< with values filled in; edit may be NULL */
};

typedef FSD_VEC(struct fsd_block_reason) fsd_block_reasons;

/** All rules in order; sets *n to their number. */
const struct fsd_fusion_rule *fsd_fusion_rules(uint32_t *n);

/** The rule's `found` with letters instead of values: "the head size is N". */
const char *fsd_fusion_found(struct fsd_arena *arena,
                             const struct fsd_fusion_rule *rule);
const char *fsd_fusion_edit(struct fsd_arena *arena,
                            const struct fsd_fusion_rule *rule);

/** Prepares a block for the rules. For an attention, finds the products, and the
 *  tensors that the products read. */
struct fsd_measured_block fsd_block_measure(struct fsd_arena *arena,
                                            const struct fsd_blocks *blocks,
                                            const struct fsd_block *block,
                                            const struct fsd_facts *facts,
                                            const struct fsd_sizes *sizes);

/** Appends the builder's rules that apply to the block. Rules without an edit come
 *  first. So if the first rule has an edit, all appended rules have one.
 *  @param builder as returned by fsd_target_of(); NULL: unknown, and no rule applies */
void fsd_block_reasons_of(struct fsd_arena *arena, const struct fsd_blocks *blocks,
                          const struct fsd_block *block, const struct fsd_facts *facts,
                          const struct fsd_sizes *sizes, const char *builder,
                          fsd_block_reasons *out);

/** Like fsd_block_reasons_of(), for the builder that made the engine. */
void fsd_block_reasons_in(struct fsd_arena *arena, const struct fsd_diff *d,
                          const struct fsd_blocks *blocks,
                          const struct fsd_block *block, fsd_block_reasons *out);

/** All reasons in one sentence, or FSD_NO_REASON. */
const char *fsd_block_reasons_text(struct fsd_arena *arena,
                                   const fsd_block_reasons *reasons);
#define FSD_NO_REASON "no known reason"

/** One reason in a sentence: "the head size is 8; TensorRT for RTX fuses head sizes
 *  from 9 to 256; pad Q, K and V to head size 16 and slice the output". */
const char *fsd_block_reason_text(struct fsd_arena *arena,
                                  const struct fsd_block_reason *reason);

/* fusion_attention.c */
typedef bool fsd_block_applies(struct fsd_measured_block *m);
fsd_block_applies fsd_attention_is_shown, fsd_attention_is_across,
    fsd_attention_is_scored_otherwise, fsd_attention_is_wide, fsd_attention_is_single,
    fsd_attention_is_of_one_token, fsd_attention_is_fp32, fsd_attention_is_narrow,
    fsd_attention_is_uneven, fsd_attention_is_broadcast,
    fsd_attention_is_half_quantized, fsd_attention_is_int8_otherwise,
    fsd_attention_is_fp8_otherwise, fsd_attention_is_masked_behind,
    fsd_attention_is_changed, fsd_attention_is_rounded, fsd_attention_shares_queries,
    fsd_attention_is_beyond_documented;
/** Whether the node is another product that reads Q, and the builder merges the node
 *  with the first product. */
bool fsd_attention_is_merged_with(const struct fsd_measured_block *m, fsd_id node);
/** Whether the node is between the Softmax and the product with V. */
bool fsd_attention_has_between(const struct fsd_measured_block *m, fsd_id node);
/** Whether an attention kernel for the head size `head` computes operators other than
 *  masks between the Softmax and the product with V. Most attention kernels compute
 *  only masks there. */
bool fsd_attention_computes_between(int64_t head);
/** The last node between the Softmax and the product with V that the builder neither
 *  moves away nor removes; FSD_NONE if there is none. */
fsd_id fsd_attention_changes(const struct fsd_measured_block *m);
/** Finds the products of an attention, and the tensors that they read. */
void fsd_attention_read(struct fsd_measured_block *m);
/** The size of a tensor along an axis; -1 if the size is unknown or dynamic.
 *  @param back the number of the axis, counted from the last axis, which is 0 */
int64_t fsd_attention_size(const struct fsd_measured_block *m, fsd_id tensor,
                           uint32_t back);
/** The DequantizeLinear that outputs the tensor, directly or with only data movement in
 *  between; FSD_NONE if there is none. */
fsd_id fsd_attention_dequantized(const struct fsd_measured_block *m, fsd_id tensor);
