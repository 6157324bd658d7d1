/* Attributes of cgraph's objects: declared once with a default, set by symbol, their
 * texts composed in one buffer.  dot*.c only. */
#ifndef FSD_REPORT_DOT_ATTR_H
#define FSD_REPORT_DOT_ATTR_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdio.h>

/** What all pictures have in common: fonts, margins, ranks from top to bottom.
 *  @param wire_labels they stand in ranks of their own, so that the space between ranks
 *                     counts twice. */
void fsd_dot_defaults(Agraph_t *root, bool wire_labels);

/** Declares `n` attributes of a kind of object.
 *  @param pairs names and defaults by turns, 2 * n strings. */
void fsd_dot_declare(Agraph_t *root, int kind, const char *const *pairs,
                     Agsym_t **symbols, int n);

/** Sets one that differs from its default. */
void fsd_dot_set(void *object, Agsym_t *symbol, const char *value);

/** A text for one attribute: written to fsd_dot_text_begin()'s stream, then set. */
struct fsd_dot_text {
    FILE *out;
    char *at;
    size_t size;
};
bool fsd_dot_text_open(struct fsd_dot_text *text); /**< false: out of memory */
FILE *fsd_dot_text_begin(struct fsd_dot_text *text);
/** @param html it is an HTML-like string. */
void fsd_dot_text_set(struct fsd_dot_text *text, Agraph_t *root, void *object,
                      Agsym_t *symbol, bool html);
void fsd_dot_text_close(struct fsd_dot_text *text);

/** Puts two clusters side by side, the first to the left, by a tie between two
 *  invisible nodes in the first rank.
 *  @param ends set to these nodes. */
void fsd_dot_side_by_side(Agraph_t *root, Agraph_t *const clusters[2],
                          const char *const names[2], Agnode_t *ends[2]);

#endif
