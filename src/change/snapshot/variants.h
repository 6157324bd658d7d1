/*
 * Builds of one model vary even if nothing changed, since the builder selects kernels
 * by measured time. A snapshot of several builds holds the first build completely, and
 * of each other build only its variants: the rows of the builds' matrix that differ:
 *
 *     row                        first        also            also
 *     Conv_13 Add_15 Relu_16     int8         int8 | fp16     as the first
 *     Conv_20                    int8         as the first    fp16
 *
 * A checked build may have any variant of each row, independently of other rows: the
 * builder decides about each row separately, and what lies between two rows (a type, a
 * layout, a reformat) is part of the consumer's row, so that no engine combines
 * incompatible variants.
 */
#pragma once

#include "change/state/state.h"

/** The mix of a snapshot's builds that is nearest to another build: for each row the
 *  variant that differs least from that build, the first of several.  The `variants` of
 *  the mix list the rows and their builds.
 *  @return the mix, in the arena of `s`; `s` itself if it holds only one build. */
const struct fsd_state *fsd_variants_nearest(const struct fsd_state *s,
                                             const struct fsd_state *to);

/** Whether the dumps of two builds state the same kinds of facts. A build by a
 *  different version of the builder may state more facts, so it must not pass by
 *  matching a variant that lacks them. */
bool fsd_variants_state_alike(const struct fsd_state *s, const struct fsd_state *t);

/* ------------------------------------------------- a state made of parts of others */

/** A copy of a state in which some rows are replaced. */
struct fsd_mix {
    struct fsd_state *s;
    fsd_id *first_move, *next_move; /* indexed by owner, the last entry for moves
                                       without an owner; indexed by move */
    bool *no_group, *no_move;       /* removed groups and moves */
    uint32_t groups, moves;         /* number of groups and moves in the original */
};

/** @param pools the state whose arrays hold the spans; the copy appends to them.
 *  @param listed indexed by node: a variant of some build lists it. */
struct fsd_mix fsd_mix_open(struct fsd_arena *scratch, const struct fsd_state *s,
                            const struct fsd_state *pools, const bool *listed);
/** Removes a node's group and the moves that belong to the node; FSD_NONE: the moves
 *  that belong to no row, since no build computes their owners. */
void fsd_mix_take_out(struct fsd_mix *x, fsd_id node);
/** Removes the gaps, and sets the group of each node again. */
void fsd_mix_close(struct fsd_mix *x);
