/*
 * Blocks are parts of a model that engines are expected to compute in one kernel, such
 * as an attention, a normalization or an activation.  A block is found by its operators
 * and edges.  Names do not matter, because exporters and users name nodes differently:
 *
 *     gelu    x -> Div c -> Erf -> Add c -> Mul x -> Mul c
 *
 * For each block, this folder determines whether one layer computes it completely.
 */
#pragma once

#include "explain/diff/diff.h"

/** The patterns and their names; find.c has their forms.  Definitions of some patterns:
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
    FSD_FUSED_WHOLE,     /**< one layer computes all nodes of the block that need a
                              layer */
    FSD_FUSED_SPLIT,     /**< several layers compute its nodes */
    FSD_FUSED_ELSEWHERE, /**< the block is a split residual whose Add runs in a kernel
                              that other nodes need anyway */
    FSD_FUSED_UNKNOWN,   /**< the layers of some nodes are unknown, or an opaque layer
                              computes all nodes */
    FSD__FUSED_COUNT
};

/** One place in a model where a pattern is found. */
struct fsd_block {
    uint8_t pattern;        /**< enum fsd_pattern */
    fsd_id anchor;          /**< the node that produces the block's last tensor */
    fsd_id end, either;     /**< residual: `end` is the last product of the longer path.
                                 `either` is the projection on the shorter path;
                                 FSD_NONE if there is none.  The builder may fuse the
                                 Add with either of these nodes */
    fsd_id joint;           /**< residual: the Add; else FSD_NONE */
    struct fsd_span nodes;  /**< a span of the pool: the nodes that match operators of
                                 the form, sorted */
    struct fsd_span passed; /**< a span of the pool: the Q, DQ, casts, views and
                                 transpositions between the nodes in `nodes` */
    uint8_t fused;          /**< enum fsd_fused */
    struct fsd_span layers; /**< a span of the pool: layers that compute some of the
                                 nodes, in engine order */
    struct fsd_span
        between;      /**< a span of the pool: layers that move data from one node of
                           the block to another, or that compute nodes in `passed` */
    fsd_id elsewhere; /**< for FSD_FUSED_ELSEWHERE: the layer that computes the Add;
                           else FSD_NONE */
    fsd_id unknown;   /**< for FSD_FUSED_UNKNOWN: the first node whose layers are
                           unknown */
    fsd_id opaque;    /**< the opaque layer, if it is the only layer that computes nodes
                           of the block; else FSD_NONE */
    struct fsd_span typed; /**< a span of the pool: the nodes that determine the type of
                                the block: products or, if there are none, all nodes
                                that layers compute */
    enum fsd_dtype type;   /**< the type of the nodes in `typed`; FSD_DTYPE_UNKNOWN if
                                their types differ or one type is unknown */
};

struct fsd_blocks {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_block) list; /**< sorted by pattern, then by anchor */
    FSD_VEC(fsd_id) pool;
};

/** Finds all blocks of a run's model, and determines how the engine computes them. */
struct fsd_blocks *fsd_blocks_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** Like fsd_blocks_of(), but only for one pattern, which takes less time. */
struct fsd_blocks *fsd_blocks_of_pattern(struct fsd_arena *arena,
                                         const struct fsd_diff *d,
                                         enum fsd_pattern pattern);

/** Finds all blocks of a model without an engine.  Only the members that
 *  fsd_blocks_find() sets are valid. */
const struct fsd_blocks *fsd_blocks_of_model(struct fsd_arena *arena,
                                             const struct fsd_facts *facts);

const char *fsd_pattern_name(enum fsd_pattern pattern); /**< "conv-bn-act" */
/** The pattern with this name, such as "conv-bn-act"; FSD__PATTERN_COUNT if there is
 *  none. */
enum fsd_pattern fsd_pattern_find(const char *name);
const char *fsd_fused_name(enum fsd_fused fused); /**< "whole", "split", "elsewhere",
                                                       "unknown" */

/* find.c: finds the blocks of a model and sets their members pattern, anchor, end,
 * either, joint, nodes and passed.
 * @param patterns mask of 1 << enum fsd_pattern */
void fsd_blocks_find(struct fsd_blocks *blocks, const struct fsd_facts *facts,
                     uint16_t patterns);
