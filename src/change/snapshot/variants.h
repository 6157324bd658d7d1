/*
 * Repeated builds of a model vary even if nothing changed, because the builder selects
 * kernels by measured times.  A snapshot of several builds has the first build
 * completely.  Of each other build ("also"), it has only the rows that differ from the
 * first build.  Such a row is called a variant:
 *
 *     row                        first        also            also
 *     Conv_13 Add_15 Relu_16     int8         int8 | fp16     as the first
 *     Conv_20                    int8         as the first    fp16
 *
 * A checked build may have any variant of each row, independently of other rows,
 * because the builder decides about each row separately.  The type, the layout and the
 * reformats between two rows are part of the consumer's row.
 */
#pragma once

#include "change/state/state.h"

/** Returns the mix of a snapshot's builds that is nearest to build `to`: for each row,
 *  it has the variant that differs least from `to`, or the first of several such
 *  variants.  `variants` of the mix states from which build each row comes.
 *  @return the mix, in the arena of `s`; `s` if it has only one build. */
const struct fsd_state *fsd_variants_nearest(const struct fsd_state *s,
                                             const struct fsd_state *to);

/** Whether the dumps of two builds state the same kinds of facts; false, for example,
 *  for different versions of the builder.  If false, a variant that states less than
 *  the first build is not used: it would hide differences in the facts that it
 *  lacks. */
bool fsd_variants_state_alike(const struct fsd_state *s, const struct fsd_state *t);

/* ------------------------------------------------- a state made of parts of others */

/** A copy of a state in which some rows are replaced, and its working data. */
struct fsd_mix {
    struct fsd_state *s;
    fsd_id *first_move, *next_move; /* linked lists of moves: one list per node, of the
                                       moves that belong to it, and a last list of the
                                       moves that belong to no row.  `first_move` is
                                       indexed by list, `next_move` by move.  FSD_NONE
                                       ends a list */
    bool *no_group, *no_move;       /* `no_group` is indexed by group, and `no_move` by
                                       move: whether it was removed */
    uint32_t groups, moves;         /* number of groups and moves before any were
                                       added */
};

/** Begins a copy of `s`.
 *  @param pools the state whose arrays the copy uses: the spans of the copy are ranges
 *          of these arrays, and the copy appends to the arrays.
 *  @param listed indexed by node: whether a variant of any build lists it. */
struct fsd_mix fsd_mix_open(struct fsd_arena *scratch, const struct fsd_state *s,
                            const struct fsd_state *pools, const bool *listed);
/** Removes the group of a node and the moves that belong to the node.  For FSD_NONE,
 *  removes the moves that belong to no row. */
void fsd_mix_take_out(struct fsd_mix *x, fsd_id node);
/** Completes the copy: drops the removed groups and moves, and sets the group of each
 *  node. */
void fsd_mix_close(struct fsd_mix *x);
