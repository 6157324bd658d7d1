/*
 * Why a builder does not make one kernel of a block: rules of its fusions, one row
 * each.  A rule has a condition on the model, the value that it found there, the values
 * that the builder fuses, and the edit that brings the block there.
 */
#ifndef FSD_LINT_FUSION_H
#define FSD_LINT_FUSION_H

#include "explain/pattern/pattern.h"
#include "model/ops/sizes.h"

/** What a rule may set for its sentences. */
struct fsd_measured_block {
    const struct fsd_facts *facts;
    const struct fsd_sizes *sizes;
    struct fsd_intern *names;
    struct fsd_arena *arena;
    const fsd_id *nodes, *passed; /**< of the block */
    uint32_t n, n_passed;
    const struct fsd_block *block;
    /* An attention of two products. */
    fsd_id first, softmax, last; /**< FSD_NONE: it is one operator */
    fsd_id q, k, p, v;           /**< the tensors that the products read */
    /* Set by the rule. */
    int64_t number[2];   /**< "{0}", "{1}" */
    const char *text[2]; /**< "{A}", "{B}" */
};

/** What the program itself can do about it in the model; a block is cured where all
 *  rules that apply to it have one (findings/lint_fusion.c). */
enum fsd_cure {
    FSD_CURE_NONE,
    FSD_CURE_UNMARK,     /**< no output of the network inside the block */
    FSD_CURE_UNQUANTIZE, /**< Q/DQ pairs before the products removed */
    FSD_CURE_REPEAT,     /**< the one head of K or V repeated before the product */
    FSD_CURE_PADS,       /**< zeros behind Q, K and V; the output sliced */
    FSD_CURE_CASTS,      /**< both products in FP16 or BF16, between Casts */
    FSD_CURE_APART       /**< zeros behind what another product of Q multiplies */
};

/** A row. */
struct fsd_fusion_rule {
    const char *id; /**< "attention/type" */
    enum fsd_pattern pattern;
    const char *builders; /**< " rtx trt10 ", whose words fsd_target_of() has */
    bool (*applies)(struct fsd_measured_block *m);
    const char *found;   /**< the value, "head size {0}" */
    const char *border;  /**< what the builder fuses */
    const char *edit;    /**< NULL: none is known */
    const char *support; /**< how often it was seen, and how often not */
    const char *source;  /**< "measured: ..." or "documented by NVIDIA: ..." */
    enum fsd_cure cure;
};

/** A rule that applies to a block. */
struct fsd_block_reason {
    const struct fsd_fusion_rule *rule;
    const char *found, *edit; /**< filled in; edit may be NULL */
};

typedef FSD_VEC(struct fsd_block_reason) fsd_block_reasons;

/** The rules in their order; *n becomes their number. */
const struct fsd_fusion_rule *fsd_fusion_rules(uint32_t *n);

/** The value and the edit of a rule in general: "head size N". */
const char *fsd_fusion_found(struct fsd_arena *arena,
                             const struct fsd_fusion_rule *rule);
const char *fsd_fusion_edit(struct fsd_arena *arena,
                            const struct fsd_fusion_rule *rule);

/** The block, with the products of an attention. */
struct fsd_measured_block fsd_block_measure(struct fsd_arena *arena,
                                            const struct fsd_blocks *blocks,
                                            const struct fsd_block *block,
                                            const struct fsd_facts *facts,
                                            const struct fsd_sizes *sizes);

/** Appends the rules of that builder that apply to the block, the decisive one first:
 *  while what no edit cures is there, no other edit helps.
 *  @param builder  as fsd_target_of() has it; NULL: not known, and no rule applies. */
void fsd_block_reasons_of(struct fsd_arena *arena, const struct fsd_blocks *blocks,
                          const struct fsd_block *block, const struct fsd_facts *facts,
                          const struct fsd_sizes *sizes, const char *builder,
                          fsd_block_reasons *out);

/** Appends those of the builder that made the engine. */
void fsd_block_reasons_in(struct fsd_arena *arena, const struct fsd_diff *d,
                          const struct fsd_blocks *blocks,
                          const struct fsd_block *block, fsd_block_reasons *out);

/** All of them in one sentence, or FSD_NO_REASON. */
const char *fsd_block_reasons_text(struct fsd_arena *arena,
                                   const fsd_block_reasons *reasons);
#define FSD_NO_REASON "no known reason"

/** "head size 8; TensorRT for RTX fuses 9 to 256; pad Q, K and V to 16 and slice the
 *  output" */
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
/** The node is another product of Q that the builder makes one of both of. */
bool fsd_attention_is_merged_with(const struct fsd_measured_block *m, fsd_id node);
/** The last node between the Softmax and the product with V that the builder neither
 *  moves nor removes; FSD_NONE. */
fsd_id fsd_attention_changes(const struct fsd_measured_block *m);
/** Finds the products of an attention. */
void fsd_attention_read(struct fsd_measured_block *m);
/** A size of a tensor, of the axis `back` before the last one; -1: not known, or open.
 */
int64_t fsd_attention_size(const struct fsd_measured_block *m, fsd_id tensor,
                           uint32_t back);
/** The DequantizeLinear whose value the tensor holds, moved at most; FSD_NONE. */
fsd_id fsd_attention_dequantized(const struct fsd_measured_block *m, fsd_id tensor);

#endif
