/* Functions of both parsers of texts, build_graph.c and build_engine.c. Only these
 * files include this header. */
#ifndef FSD_TESTS_DRAW_H
#define FSD_TESTS_DRAW_H

#include "build_graph.h"

/* The words of a line. Blanks separate words; a word in apostrophes may contain
 * blanks. */
struct words {
    char text[1024];
    char *at;
};

/** A graph while its text is parsed. */
struct drawing {
    struct fsd_graph *g;
    const struct fsd_graph *model; /* for an engine: the model */
    fsd_id scope;
    double *ms; /* for an engine: times in ms, indexed by layer; NULL: no line has a
                   time */
};

/** The next word; NULL at the end of the line. */
char *next_word(struct words *w);
enum fsd_dtype type_of(const char *name);
/** The tensor with this name that is visible in the current scope. If there is none,
 * adds it to the scope. */
fsd_id tensor_of(struct drawing *d, const char *name);
/** @param dims such as "1,3,-1"; NULL: the rank is unknown */
fsd_id form_of(struct fsd_graph *g, const char *type, const char *dims);
/** The value with these bytes, in hex digits such as "0000803f". */
fsd_id value_of(struct fsd_graph *g, const char *hex);

typedef void line_fn(struct drawing *d, const char *word, struct words *w);
/** Calls `fn` for each line that does not declare a tensor, and completes the graph. */
void each_line(struct drawing *d, const char *text, line_fn *fn);

#endif
