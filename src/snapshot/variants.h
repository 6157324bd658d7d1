/*
 * Builds of one model vary though nothing changed: timing decides.  A snapshot of
 * several holds the first one whole, and of each other the rows of the builds' matrix
 * that it has otherwise, its variants:
 *
 *     row                        first        also            also
 *     Conv_13 Add_15 Relu_16     int8         int8 | fp16     as the first
 *     Conv_20                    int8         as the first    fp16
 *
 * A later build may have each row as any of the builds has it, whatever it has others
 * like: rows are what the builder decides one by one, and what lies between two of them
 * (a type, a layout, a reformat) is part of the row that reads it, so that two variants
 * that do not fit each other stand in no engine.
 */
#ifndef FSD_SNAPSHOT_VARIANTS_H
#define FSD_SNAPSHOT_VARIANTS_H

#include "compare/state.h"

/** Of the builds that a snapshot holds the one, or the mix of them, that is nearest to
 *  another build: in each row the variant that differs least from it, and the first of
 *  those.  Its `variants` are the rows, and whose they are.
 *  @return in the arena of `s`; `s` itself where it holds one build. */
const struct fsd_state *fsd_variants_nearest(const struct fsd_state *s,
                                             const struct fsd_state *to);

/** Whether the dumps of two builds state the same kinds of facts.  What one version's
 *  dump does not state another's may, so that a build by another version is not let
 *  pass for want of what it would state. */
bool fsd_variants_state_alike(const struct fsd_state *s, const struct fsd_state *t);

/* ------------------------------------------------- a state made of parts of others */

/** A copy of a state, some rows of which are taken out for others. */
struct fsd_mix {
    struct fsd_state *s;
    fsd_id *first_move, *next_move; /* by owner, the last for none; by move */
    bool *no_group, *no_move;       /* taken out */
    uint32_t groups, moves;         /* as it had them */
};

/** @param pools  whose arrays hold the spans: the copy adds to these.
 *  @param listed by node: it is of a variant, in any build. */
struct fsd_mix fsd_mix_open(struct fsd_arena *scratch, const struct fsd_state *s,
                            const struct fsd_state *pools, const bool *listed);
/** Takes out a node's group and the moves that belong to the node; FSD_NONE: moves that
 *  belong to no row, whose owners no build computes. */
void fsd_mix_take_out(struct fsd_mix *x, fsd_id node);
/** Closes the gaps; then the groups of nodes are those that are there. */
void fsd_mix_close(struct fsd_mix *x);

#endif
