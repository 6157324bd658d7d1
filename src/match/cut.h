/* The cut of a unit: the model's nodes between its boundary tensors. */
#pragma once

#include "match/match.h"

struct fsd_cutter;

/** Allocates the working memory of fsd_cut() for all units of `m`.  The result is in
 *  `scratch`. */
struct fsd_cutter *fsd_cutter_new(struct fsd_arena *scratch, struct fsd_match *m);

/** The layers `layers[0..n)` form one unit.  Finds the nodes between the boundary
 *  tensors of this unit, and appends these nodes to m->pool.
 *  @param leaky set if the walk met tensors that other units compute and that this unit
 *         does not read.  The result may then contain too many nodes. */
struct fsd_span fsd_cut(struct fsd_cutter *c, const fsd_id *layers, uint32_t n,
                        bool *leaky);
