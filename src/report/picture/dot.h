/* Graphviz, in dot.c, dot_graph.c and dot_layout.c only: a drawing as DOT, or laid out.
 */
#ifndef FSD_REPORT_DOT_H
#define FSD_REPORT_DOT_H

#include "report/picture/drawing.h"

/** How the graph is made. */
struct fsd_dot_style {
    bool wire_labels; /**< on every wire, not only where the type or layout changes */
};

struct Agraph_s;

/** The drawing as a graph of cgraph's, its attributes set; it lives in the
 *  drawing's arena.  fsd_dot_close() it (dot_graph.h). */
struct Agraph_s *fsd_dot_graph(const struct fsd_drawing *w, struct fsd_dot_style style);

/** Writes it as DOT. */
void fsd_dot_write(const struct fsd_drawing *w, FILE *out);

/** Lays it out and writes it; false when Graphviz cannot.  May take very long, and
 *  Graphviz may crash: call it in a child process.
 *  @param format "svg", "png" or "pdf". */
bool fsd_dot_layout(const struct fsd_drawing *w, const char *format, FILE *out);

#endif
