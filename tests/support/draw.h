/* Functions that the parsers of drawn models and of drawn engines share.  For
 * build_graph.c and build_engine.c only. */
#ifndef FSD_TESTS_DRAW_H
#define FSD_TESTS_DRAW_H

#include "build_graph.h"

/* The words of a line, separated by blanks; a text in apostrophes may contain
 * blanks. */
struct words {
    char text[1024];
    char *at;
};

/** A graph under construction, and the scope of its current lines. */
struct drawing {
    struct fsd_graph *g;
    const struct fsd_graph *model; /* for an engine: its model */
    fsd_id scope;
    double *ms; /* for an engine, indexed by layer; NULL: no line states a time */
};

/** The next word; NULL at the end of the line. */
char *next_word(struct words *w);
enum fsd_dtype type_of(const char *name);
/** The tensor of that name that is visible in the scope; added to the scope if there is
 *  none. */
fsd_id tensor_of(struct drawing *d, const char *name);
/** @param dims "1,3,-1"; NULL: the rank is unknown */
fsd_id form_of(struct fsd_graph *g, const char *type, const char *dims);
/** The value whose bytes are the hex digits, such as "0000803f". */
fsd_id value_of(struct fsd_graph *g, const char *hex);

typedef void line_fn(struct drawing *d, const char *word, struct words *w);
/** Calls `fn` for each line that is no declaration of a tensor, and completes the
 *  graph. */
void each_line(struct drawing *d, const char *text, line_fn *fn);

#endif
