/* What every maker of a graph of cgraph's needs; dot*.c only. */
#ifndef FSD_REPORT_DOT_GRAPH_H
#define FSD_REPORT_DOT_GRAPH_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

struct Agraph_s;

/** An empty directed graph in the arena.  Every node, edge and subgraph is to be made
 * once and never looked up by its name.  NULL when cgraph cannot. */
struct Agraph_s *fsd_dot_open(struct fsd_arena *arena);

/** Gives back what of it is not the arena's. */
void fsd_dot_close(struct Agraph_s *g);

/** Lays it out and writes it, in a child process; false when Graphviz cannot. */
bool fsd_dot_render(struct Agraph_s *g, const char *format, FILE *out);

/** cgraph's functions take char * and change nothing. */
char *fsd_dot_str(const char *s);

#endif
