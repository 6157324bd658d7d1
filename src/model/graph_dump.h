/* A graph as text, the same bytes for the same graph: for golden tests, for `--dump`
 * and for looking at what a reader understood. */
#ifndef FSD_MODEL_GRAPH_DUMP_H
#define FSD_MODEL_GRAPH_DUMP_H

#include "model/graph.h"

#include <stdio.h>

/** Writes the graph; the caller checks the stream. */
void fsd_graph_dump(const struct fsd_graph *g, FILE *out);

#endif
