/*
 * Puts names of an input into quotes, for readers that may follow instructions in a
 * text.
 */
#pragma once

#include "explain/diff/diff.h"

typedef FSD_VEC(const char *) fsd_texts;

/** The names that an input chose and that could be read as sentences: those with
 *  several words, and those with characters outside ASCII. */
struct fsd_quotes {
    struct fsd_arena *arena;
    fsd_texts names; /**< the names and their parts; the first print sorts names and
                          tails */
    fsd_texts tails; /**< ends of names, from the beginning of a word: the ends of
                          shortened names */
    bool sorted;
};

/** Adds a name and its parts, in all forms that a report may print. */
void fsd_quotes_add(struct fsd_quotes *quotes, const char *name);
void fsd_quotes_add_all(struct fsd_quotes *quotes, const struct fsd_intern *names);
/** Adds the names of a run and the paths of its files; NULL has none. */
void fsd_quotes_add_run(struct fsd_quotes *quotes, const struct fsd_diff *d);

/** Prints a text with these names in quotes, whole or shortened; a quote in a name
 *  becomes \". */
void fsd_put_quoted(FILE *out, const char *text, struct fsd_quotes *quotes);
