/* A model made from an engine that came without one. */
#ifndef FSD_API_ENGINE_ALONE_H
#define FSD_API_ENGINE_ALONE_H

#include "model/graph/graph.h"

/** Fills an empty graph with the nodes in an engine's Metadata and names, and finishes
 *  it.  Nothing else is known: inputs and outputs of a node are tensors without names,
 *  and its operator is the one in its name, in the words of exporters.
 *  @param dump  the engine, read without a vocabulary; it may be another arena's. */
void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump);

#endif
