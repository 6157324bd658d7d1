/*
 * The walk through nodes that do not matter to a question, such as data movement:
 *
 *     x -> Transpose -> t -> DequantizeLinear -> u -> MatMul
 *     fsd_walk_back(g, u, ...) is x                 back: to what was before
 *     fsd_walk_on(g, x, ...) is u, if u alone is    on: by only readers
 *
 * The caller defines which nodes are passed, by traits of operators (ops.h) or a
 * function.
 */
#ifndef FSD_MODEL_WALK_H
#define FSD_MODEL_WALK_H

#include "model/graph/graph.h"

/* The limit of steps, since a file's graph may have cycles: far longer than any chain
 * of passed nodes in models that were seen. */
enum { FSD_WALK_MOST = 64 };

/** The tensor with which a walk that reaches the node continues: backwards one of its
 *  inputs, forwards one of its outputs; FSD_NONE: it does not pass. */
typedef fsd_id fsd_pass_fn(const void *of, fsd_id node);

/** The tensor where a walk from that one ends: an input of the network, or the output
 *  of a node that does not pass.  FSD_NONE for FSD_NONE. */
fsd_id fsd_walk_back(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                     const void *of);

/** The same over nodes that have one of these traits, by their first inputs.
 *  @param traits  by node. */
fsd_id fsd_walk_back_over(const struct fsd_graph *g, fsd_id tensor,
                          const unsigned *traits, unsigned passed);

/** Forwards, through nodes that are the only consumer of a tensor that is no output of
 *  the network. */
fsd_id fsd_walk_on(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                   const void *of);

#endif
