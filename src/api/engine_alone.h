/* The model, as an engine that came without one tells of it. */
#ifndef FSD_API_ENGINE_ALONE_H
#define FSD_API_ENGINE_ALONE_H

#include "model/graph.h"

/** Fills an empty graph with the nodes that an engine's Metadata and names tell of, and
 *  finishes it.  Nothing else is known: what a node reads and writes are tensors
 *  without names, and its operator is what its name says, in the words of exporters.
 *  @param dump  the engine, read without a vocabulary; it may be another arena's. */
void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump);

#endif
