/* A model made from an engine that came without one. */
#ifndef FSD_API_ENGINE_ALONE_H
#define FSD_API_ENGINE_ALONE_H

#include "model/graph/graph.h"

/** Fills an empty graph with the nodes in an engine's Metadata and names, and finishes
 *  it.  Nothing else is known: inputs and outputs of a node are tensors without names,
 *  and its operator is the one in its name, in the words of exporters.
 *  @param dump  the engine, read without a vocabulary; it may be another arena's. */
void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump);

/** Adds the nodes in an engine's names that a finished graph of some of them lacks, in
 *  the same way, and finishes the graph again.
 *  @param dump  the engine, read with the graph's names as vocabulary.
 *  @return how many it added; none, and the graph as it was, if the engine has none of
 *          the graph's names. */
uint32_t fsd_alone_add(struct fsd_graph *g, const struct fsd_graph *dump);

#endif
