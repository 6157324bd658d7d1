/*
 * Blocks of a model that engines are expected to compute in one kernel: attention, a
 * normalization, an activation and the like.  They are recognized by operators and
 * edges, never by names, so that exporters and the user's own naming make no
 * difference:
 *
 *     gelu    x -> Div c -> Erf -> Add c -> Mul x -> Mul c
 *
 * and for each it is determined whether one layer computes it completely.
 */
#ifndef FSD_PATTERN_PATTERN_H
#define FSD_PATTERN_PATTERN_H

#include "explain/diff/diff.h"

/** The patterns by their words, which forms in find.c describe:
 *    attention   from the product of queries and keys to that with values
 *    qkv         the three projections of one tensor that an attention reads
 *    swiglu      the gate's activation, and the product of both halves
 *    residual    what ends the longer way, the Add, its activation */
#define FSD_PATTERNS(row)                                                              \
    row(ATTENTION, "attention") row(QKV, "qkv") row(LAYERNORM, "layernorm")            \
        row(RMSNORM, "rmsnorm") row(GELU, "gelu") row(SWIGLU, "swiglu")                \
            row(CONV_BN_ACT, "conv-bn-act") row(RESIDUAL, "residual")

#define FSD_PATTERN_NUMBERED(pattern, word) FSD_PATTERN_##pattern,
enum fsd_pattern { FSD_PATTERNS(FSD_PATTERN_NUMBERED) FSD__PATTERN_COUNT };

enum fsd_fused {
    FSD_FUSED_WHOLE,     /**< one layer computes all of it that is computed at all */
    FSD_FUSED_SPLIT,     /**< several layers do */
    FSD_FUSED_ELSEWHERE, /**< a residual: its Add runs in a kernel that is there for
                              other nodes, so that it takes none of its own */
    FSD_FUSED_UNKNOWN,   /**< it is not known which layers compute some of it, or all of
                              it is in one opaque region, whose kernels are not known */
    FSD__FUSED_COUNT
};

/** One place where a pattern is found. */
struct fsd_block {
    uint8_t pattern;        /**< enum fsd_pattern */
    fsd_id anchor;          /**< the node that its last tensor comes from */
    fsd_id end, either;     /**< residual: the node that ends the longer way; where the
                                 shorter one has a layer of its own, the Add may be
                                 fused with that instead; FSD_NONE */
    fsd_id joint;           /**< residual: the Add; FSD_NONE */
    struct fsd_span nodes;  /**< those that the pattern is of, sorted; in the pool */
    struct fsd_span passed; /**< between these: Q, DQ, casts, views, transpositions */
    uint8_t fused;          /**< enum fsd_fused */
    struct fsd_span layers; /**< that compute some of its nodes, in engine order */
    struct fsd_span
        between; /**< layers that only move data from some of its nodes to others */
    fsd_id elsewhere; /**< FSD_FUSED_ELSEWHERE: the layer that the Add is fused with;
                           FSD_NONE */
    fsd_id unknown;   /**< FSD_FUSED_UNKNOWN: the first node of which it is not known */
    fsd_id opaque; /**< FSD_FUSED_UNKNOWN: the opaque layer that has all that is known
                         of it; FSD_NONE */
    struct fsd_span typed; /**< its nodes whose type is what a block is said to run in:
                                those that multiply matrices, or all that layers compute
                                where none does */
    enum fsd_dtype type;   /**< of all of these; FSD_DTYPE_UNKNOWN: they differ, or one
                                is not known */
};

struct fsd_blocks {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_block) list; /**< by pattern, then by anchor */
    FSD_VEC(fsd_id) pool;
};

/** All blocks of a run's model, and what the engine made of them. */
struct fsd_blocks *fsd_blocks_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** The same of one pattern alone, which takes a part of the time. */
struct fsd_blocks *fsd_blocks_of_pattern(struct fsd_arena *arena,
                                         const struct fsd_diff *d,
                                         enum fsd_pattern pattern);

/** All blocks of a model, of which nothing else is known. */
const struct fsd_blocks *fsd_blocks_of_model(struct fsd_arena *arena,
                                             const struct fsd_facts *facts);

const char *fsd_pattern_name(enum fsd_pattern pattern); /**< "conv-bn-act" */
/** FSD__PATTERN_COUNT where there is none of that name. */
enum fsd_pattern fsd_pattern_find(const char *name);
const char *fsd_fused_name(enum fsd_fused fused); /**< "whole", "split", "unknown" */

/* find.c: fills in pattern, anchor, nodes and passed, for fsd_blocks_of().
 * @param patterns  by bits: 1 << enum fsd_pattern */
void fsd_blocks_find(struct fsd_blocks *blocks, const struct fsd_facts *facts,
                     uint16_t patterns);

#endif
