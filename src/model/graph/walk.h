/*
 * A walk through nodes that are irrelevant to a question, such as data movement:
 *
 *     x -> Transpose -> t -> DequantizeLinear -> u -> MatMul
 *     fsd_walk_back(g, u, ...) is x
 *     fsd_walk_on(g, x, ...) is u, if each tensor before u has one consumer only
 *
 * The caller defines which nodes are passed, by traits of operators (ops.h) or a
 * function.
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/* The limit of steps, since a file's graph may have cycles: far longer than any chain
 * of passed nodes in models that were seen. */
enum { FSD_WALK_MOST = 64 };

/** The tensor with which a walk continues when it reaches the node: backwards one of
 *  the node's inputs, forwards one of its outputs; FSD_NONE: the walk ends here. */
typedef fsd_id fsd_pass_fn(const void *of, fsd_id node);

/** The tensor at which a walk backwards from this one ends: an input of the network, or
 *  the output of a node that the walk does not pass.  FSD_NONE for FSD_NONE. */
fsd_id fsd_walk_back(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                     const void *of);

/** Likewise through the first inputs of nodes that have one of the traits in `passed`.
 *  @param traits indexed by node */
fsd_id fsd_walk_back_over(const struct fsd_graph *g, fsd_id tensor,
                          const unsigned *traits, unsigned passed);

/** Walks forwards, through nodes that are the only consumer of a tensor that is not an
 *  output of the network. */
fsd_id fsd_walk_on(const struct fsd_graph *g, fsd_id tensor, fsd_pass_fn *pass,
                   const void *of);
