/*
 * Builds of one model vary though nothing changed, since the builder selects by
 * measured time.  A snapshot of several builds holds the first one whole, and of each
 * other the rows of the builds' matrix that differ, its variants:
 *
 *     row                        first        also            also
 *     Conv_13 Add_15 Relu_16     int8         int8 | fp16     as the first
 *     Conv_20                    int8         as the first    fp16
 *
 * A later build may have any variant of each row, independently of other rows: the
 * builder decides about rows one by one, and what is between two of them (a type, a
 * layout, a reformat) is part of the consumer's row, so that no engine has two variants
 * that do not fit.
 */
#ifndef FSD_SNAPSHOT_VARIANTS_H
#define FSD_SNAPSHOT_VARIANTS_H

#include "change/state/state.h"

/** The build of a snapshot, or the mix of its builds, that is nearest to another build:
 *  of each row the variant that differs least from it, the first if several do.  Its
 *  `variants` are the rows and their builds.
 *  @return in the arena of `s`; `s` itself if it holds one build. */
const struct fsd_state *fsd_variants_nearest(const struct fsd_state *s,
                                             const struct fsd_state *to);

/** Whether the dumps of two builds state the same kinds of facts.  Another version of
 *  the builder may state facts that this one does not, so that its build must not pass
 *  by matching a variant that lacks them. */
bool fsd_variants_state_alike(const struct fsd_state *s, const struct fsd_state *t);

/* ------------------------------------------------- a state made of parts of others */

/** A copy of a state in which some rows are replaced. */
struct fsd_mix {
    struct fsd_state *s;
    fsd_id *first_move, *next_move; /* by owner, the last for none; by move */
    bool *no_group, *no_move;       /* taken out */
    uint32_t groups, moves;         /* as it had them */
};

/** @param pools the state whose arrays hold the spans: the copy appends to
 *         these.
 *  @param listed by node: a variant of some build has it. */
struct fsd_mix fsd_mix_open(struct fsd_arena *scratch, const struct fsd_state *s,
                            const struct fsd_state *pools, const bool *listed);
/** Removes a node's group and the moves that belong to the node; FSD_NONE: moves that
 *  belong to no row, since no build computes their owners. */
void fsd_mix_take_out(struct fsd_mix *x, fsd_id node);
/** Closes the gaps, and sets the group of each node again. */
void fsd_mix_close(struct fsd_mix *x);

#endif
