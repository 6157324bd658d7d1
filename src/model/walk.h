/*
 * The one walk through nodes that a question looks past, as what only moves data:
 *
 *     x -> Transpose -> t -> DequantizeLinear -> u -> MatMul
 *     fsd_walk_back(g, u, ...) is x                 back: to what was before
 *     fsd_walk_on(g, x, ...) is u, if u alone is    on: by only readers
 *
 * Who asks says what is passed, by traits of operators (ops.h) or a function.
 */
#ifndef FSD_MODEL_WALK_H
#define FSD_MODEL_WALK_H

#include "model/graph.h"

/* A graph of a file may hold cycles, so that each walk ends somewhere: far behind the
 * longest chain of what is passed in models that were seen. */
enum { FSD_WALK_MOST = 64 };

/** What a walk that comes to the node goes on with: on the way back one of its inputs,
 *  on the way on one of its outputs; FSD_NONE: it does not pass. */
typedef fsd_id fsd_pass_fn(const void *of, fsd_id node);

/** The tensor where a walk from that one ends: the network's own, or of a producer that
 *  does not pass.  FSD_NONE for FSD_NONE. */
fsd_id fsd_walk_back(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                     const void *of);

/** The same over nodes that have one of these traits, by their first inputs.
 *  @param traits  by node. */
fsd_id fsd_walk_back_over(const struct fsd_graph *g, fsd_id tensor,
                          const unsigned *traits, unsigned passed);

/** Forwards, by nodes that alone read a tensor that is no output of the network. */
fsd_id fsd_walk_on(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                   const void *of);

#endif
