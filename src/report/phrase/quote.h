/*
 * Names of an input in quotes, for readers who take a text for instructions.
 */
#ifndef FSD_REPORT_PHRASE_QUOTE_H
#define FSD_REPORT_PHRASE_QUOTE_H

#include "explain/diff/diff.h"

#include <stdio.h>

typedef FSD_VEC(const char *) fsd_texts;

/** The names that an input chose and that could be read as sentences: those with
 *  several words, and those that are not ASCII. */
struct fsd_quotes {
    struct fsd_arena *arena;
    fsd_texts names; /**< and their parts; both sorted by the first print */
    fsd_texts tails; /**< of names, from a word on: what a shortened one ends with */
    bool sorted;
};

/** Adds what may stand in a report of a name: it and its parts. */
void fsd_quotes_add(struct fsd_quotes *quotes, const char *name);
void fsd_quotes_add_all(struct fsd_quotes *quotes, const struct fsd_intern *names);
/** Adds those of a run, with the paths of its files; NULL has none. */
void fsd_quotes_add_run(struct fsd_quotes *quotes, const struct fsd_diff *d);

/** Prints a text with these names in quotes, whole or shortened; a quote in a name
 *  becomes \". */
void fsd_put_quoted(FILE *out, const char *text, struct fsd_quotes *quotes);

#endif
