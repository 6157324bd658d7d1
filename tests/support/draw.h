/* What drawing a model and drawing an engine share.  Only build_graph*.c. */
#ifndef FSD_TESTS_DRAW_H
#define FSD_TESTS_DRAW_H

#include "build_graph.h"

/* Words of a line, separated by blanks; what is in apostrophes may hold blanks. */
struct words {
    char text[1024];
    char *at;
};

/** A graph in the making, and the scope that its lines are in. */
struct drawing {
    struct fsd_graph *g;
    const struct fsd_graph *model; /* of an engine */
    fsd_id scope;
    double *ms; /* of an engine, by layer; NULL: no line states any */
};

/** The next word; NULL at the end of the line. */
char *next_word(struct words *w);
enum fsd_dtype type_of(const char *name);
/** The tensor of that name that the scope sees, made there when there is none. */
fsd_id tensor_of(struct drawing *d, const char *name);
/** @param dims "1,3,-1"; NULL: no rank is known. */
fsd_id form_of(struct fsd_graph *g, const char *type, const char *dims);
/** "0000803f" */
fsd_id value_of(struct fsd_graph *g, const char *hex);

typedef void line_fn(struct drawing *d, const char *word, struct words *w);
/** Calls `fn` for each line that declares no in- or output, and finishes the graph. */
void each_line(struct drawing *d, const char *text, line_fn *fn);

#endif
