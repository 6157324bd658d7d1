/* Makes a model from an engine that has no model. */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** Fills an empty graph with the nodes that the Metadata and the names of an engine's
 * layers mention, and finishes the graph. A node gets an unnamed tensor as input and
 * one as output. Its operator comes from its name.
 * @param dump the engine, read without a vocabulary; it may be in a different arena */
void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump);

/** Adds the nodes that an engine mentions to a finished graph, except for nodes that
 * the graph already has. Makes the nodes as fsd_alone_read() does, and finishes the
 * graph again. If the engine mentions no node of the graph, nothing is added.
 * @param dump the engine, read with the graph's names as vocabulary
 * @return the number of added nodes */
uint32_t fsd_alone_add(struct fsd_graph *g, const struct fsd_graph *dump);
