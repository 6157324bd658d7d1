/* A model made from an engine that came without one. */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** Fills an empty graph with the nodes in an engine's Metadata and names, and finishes
 *  it.  Nothing else is known: inputs and outputs of a node are unnamed tensors, and
 *  its operator is the one that exporters write into its name.
 *  @param dump  the engine, read without a vocabulary; it may be in a different
 *          arena. */
void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump);

/** Adds the nodes that an engine's names mention and a finished, incomplete graph
 *  lacks, as fsd_alone_read() does, and finishes the graph again.
 *  @param dump  the engine, read with the graph's names as vocabulary.
 *  @return how many nodes it added; 0, and an unchanged graph, if the engine has none
 *          of the graph's names. */
uint32_t fsd_alone_add(struct fsd_graph *g, const struct fsd_graph *dump);
