/*
 * A walk passes through nodes that do not matter to the caller, such as data movement:
 *
 *     x -> Transpose -> t -> DequantizeLinear -> u -> MatMul
 *     fsd_walk_back(g, u, ...) is x
 *     fsd_walk_on(g, x, ...) is u, if each tensor before u has one consumer only
 *
 * The caller defines the nodes that a walk passes, by traits of operators (ops.h) or by
 * a function.
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/* The maximum number of steps of a walk.  It is needed because the graph in a file may
 * have cycles.  In known models, a walk passes far fewer nodes. */
enum { FSD_WALK_MOST = 64 };

/** Decides whether a walk passes the node.  If so, returns the tensor from which the
 *  walk continues: an input of the node in a backward walk, an output in a forward
 *  walk.  If not, returns FSD_NONE, and the walk ends before the node. */
typedef fsd_id fsd_pass_fn(const void *of, fsd_id node);

/** Walks backwards from a tensor and returns the tensor at which the walk ends: an
 *  input of the network, or the output of a node that the walk does not pass.  Returns
 *  FSD_NONE if `tensor` is FSD_NONE. */
fsd_id fsd_walk_back(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                     const void *of);

/** Walks backwards like fsd_walk_back().  The walk passes nodes that have one of the
 *  traits in `passed`, and continues with the first input of such a node.
 *  @param traits indexed by node */
fsd_id fsd_walk_back_over(const struct fsd_graph *g, fsd_id tensor,
                          const unsigned *traits, unsigned passed);

/** Walks forwards from a tensor and returns the tensor at which the walk ends.  The
 *  walk ends at an output of the network, at a tensor that does not have exactly one
 *  consumer, or before a node that `pass` does not pass. */
fsd_id fsd_walk_on(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                   const void *of);
