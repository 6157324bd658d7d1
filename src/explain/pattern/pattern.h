/*
 * Blocks of a model that engines are expected to compute in one kernel: attention, a
 * normalization, an activation and the like.  They are recognized by operators and
 * edges, never by names, so that exporters and the user's own naming make no
 * difference:
 *
 *     gelu    x -> Div c -> Erf -> Add c -> Mul x -> Mul c
 *
 * For each block, this folder determines whether one layer computes it completely.
 */
#pragma once

#include "explain/diff/diff.h"

/** The patterns and their names; find.c has their forms.  These need a definition:
 *      attention   from the product of queries and keys to the product with values
 *      qkv         the three projections of one tensor that an attention reads
 *      swiglu      the gate's activation, and the Mul of both halves
 *      residual    the end of the longer path, the Add, and its activation */
#define FSD_PATTERNS(row)                                                              \
    row(ATTENTION, "attention") row(QKV, "qkv") row(LAYERNORM, "layernorm")            \
        row(RMSNORM, "rmsnorm") row(GELU, "gelu") row(SWIGLU, "swiglu")                \
            row(CONV_BN_ACT, "conv-bn-act") row(RESIDUAL, "residual")

#define FSD_PATTERN_NUMBERED(pattern, word) FSD_PATTERN_##pattern,
enum fsd_pattern { FSD_PATTERNS(FSD_PATTERN_NUMBERED) FSD__PATTERN_COUNT };

enum fsd_fused {
    FSD_FUSED_WHOLE,     /**< one layer computes all nodes of the block, apart from
                              nodes that no layer computes */
    FSD_FUSED_SPLIT,     /**< several layers compute its nodes */
    FSD_FUSED_ELSEWHERE, /**< a residual whose Add runs in a kernel that is needed for
                              other nodes, so that the Add needs no kernel of its own */
    FSD_FUSED_UNKNOWN,   /**< it is unknown which layers compute some of the nodes, or
                              all nodes are in one opaque region, whose kernels are
                              unknown */
    FSD__FUSED_COUNT
};

/** One place where a pattern is found. */
struct fsd_block {
    uint8_t pattern;        /**< enum fsd_pattern */
    fsd_id anchor;          /**< the node that produces its last tensor */
    fsd_id end, either;     /**< residual: the node that ends the longer path; if the
                                 shorter path has a layer of its own, `either` is its
                                 end, with which the Add may be fused instead;
                                 FSD_NONE */
    fsd_id joint;           /**< residual: the Add; FSD_NONE */
    struct fsd_span nodes;  /**< span in the pool: the nodes that the form matched,
                                 sorted */
    struct fsd_span passed; /**< span in the pool: the nodes between these: Q, DQ,
                                 casts, views, transpositions */
    uint8_t fused;          /**< enum fsd_fused */
    struct fsd_span layers; /**< span in the pool: layers that compute some of its
                                 nodes, in engine order */
    struct fsd_span
        between;      /**< span in the pool: layers that only move data from some of its
                           nodes to others */
    fsd_id elsewhere; /**< FSD_FUSED_ELSEWHERE: the layer with which the Add is fused;
                           FSD_NONE */
    fsd_id unknown;   /**< FSD_FUSED_UNKNOWN: the first node whose layers are unknown */
    fsd_id opaque;    /**< FSD_FUSED_UNKNOWN: the opaque layer that computes all of its
                           known nodes; FSD_NONE */
    struct fsd_span typed; /**< span in the pool: the nodes that determine the type of
                                the block: those that multiply matrices or, if there are
                                none, all that layers compute */
    enum fsd_dtype type;   /**< the type of all these nodes; FSD_DTYPE_UNKNOWN: they
                                differ, or one is unknown */
};

struct fsd_blocks {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_block) list; /**< sorted by pattern, then by anchor */
    FSD_VEC(fsd_id) pool;
};

/** All blocks of a run's model, and how the engine computes them. */
struct fsd_blocks *fsd_blocks_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** Like fsd_blocks_of(), for one pattern, which takes less time. */
struct fsd_blocks *fsd_blocks_of_pattern(struct fsd_arena *arena,
                                         const struct fsd_diff *d,
                                         enum fsd_pattern pattern);

/** All blocks of a model without an engine: only what fsd_blocks_find() sets is
 *  valid. */
const struct fsd_blocks *fsd_blocks_of_model(struct fsd_arena *arena,
                                             const struct fsd_facts *facts);

const char *fsd_pattern_name(enum fsd_pattern pattern); /**< "conv-bn-act" */
/** The pattern with that name; FSD__PATTERN_COUNT if there is none. */
enum fsd_pattern fsd_pattern_find(const char *name);
const char *fsd_fused_name(enum fsd_fused fused); /**< "whole", "split", "elsewhere",
                                                       "unknown" */

/* find.c: adds the blocks, with pattern, anchor, end, either, joint, nodes and passed.
 * @param patterns mask of 1 << enum fsd_pattern */
void fsd_blocks_find(struct fsd_blocks *blocks, const struct fsd_facts *facts,
                     uint16_t patterns);
