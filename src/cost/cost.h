/*
 * What layers cost: the times of profiles, joined to layers; bytes and multiply-adds,
 * counted from shapes; and their sums over nodes, kinds, causes and name scopes.
 *
 * A layer's time is measured once and belongs to all its nodes.  Among them it is
 * shared in the proportion of their work (multiply-adds, or elements written where an
 * operator has none).  Where that is not known of one of them, those that multiply-add
 * share it equally; where there is none of these, all do.  Shares of a layer add up to
 * its time.
 */
#ifndef FSD_COST_COST_H
#define FSD_COST_COST_H

#include "diff/diff.h"
#include "model/profile.h"

#include <stdio.h>

/** Which layer each entry of a profile is. */
struct fsd_join {
    fsd_id *layer_of;          /**< by entry: FSD_NONE: none */
    uint32_t joined, by_place; /**< all; those of another name, by their place */
};

/** Joins by name: the layer at the entry's own place first, then the next of that name.
 *  A name that stands there escaped is the same name; of what is left, a lone entry and
 *  a lone layer between the same neighbours are one if a name contains the other. */
struct fsd_join fsd_cost_join(struct fsd_arena *arena, const struct fsd_graph *engine,
                              const struct fsd_profile *profile);

/** True when the profile is of this engine: each of its entries is a layer, or each
 *  layer is an entry. */
bool fsd_join_fits(const struct fsd_join *join, const struct fsd_graph *engine,
                   const struct fsd_profile *profile);

/** The times of layers: the median of all profiles.  Nothing when there is none.
 *  @param profiles each has been found to fit, or is used by force. */
void fsd_cost_times(struct fsd_diff *d, const struct fsd_profile *profiles, uint32_t n);

/** Sizes of dimensions that the user gave ("images=1x3x224x224"), bound to the names
 *  that the model's inputs have for them.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, another rank, or a size that
 *          contradicts the model. */
enum fsd_status fsd_cost_bind_shapes(struct fsd_diff *d, const char *const *shapes,
                                     unsigned n, struct fsd_error *err);

/** Shapes of the model's tensors, as far as they follow from what is known: the
 *  model's own, the engine's, the user's, and the operators'. */
void fsd_cost_shapes(struct fsd_diff *d);

/** One line a tensor of the model that has a name: its scope, name, shape. */
void fsd_shapes_dump(const struct fsd_diff *d, FILE *out);

/** Bytes and multiply-adds of layers. */
void fsd_cost_traffic(struct fsd_diff *d);
void fsd_cost_macs(struct fsd_diff *d);
/** The engine's tensor for whose sake the bytes of a layer are not known: the first one
 *  whose shape or type is not; FSD_NONE where they are known, or there is none such. */
fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer);

/** The times of nodes, and all sums in d->times. */
void fsd_cost_sums(struct fsd_diff *d);

#endif
