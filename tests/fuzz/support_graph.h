/* The checks of every graph that a reader of engines returns. */
#ifndef FSD_TESTS_SUPPORT_GRAPH_H
#define FSD_TESTS_SUPPORT_GRAPH_H

#include "model/graph/graph.h"

/** Aborts if a number in the graph is out of range. */
void fuzz_check_engine(const struct fsd_graph *g);

#endif
