/*
 * Puts quotes around those names of an input that a reader may take for sentences.
 * Without quotes, a language model might follow an instruction in such a name.
 */
#pragma once

#include "explain/diff/diff.h"

typedef FSD_VEC(const char *) fsd_texts;

/** The names of an input that a reader may take for sentences: names of several words,
 * and names with characters outside ASCII. */
struct fsd_quotes {
    struct fsd_arena *arena;
    fsd_texts names; /**< the names and their parts; fsd_put_quoted() sorts both
                          lists */
    fsd_texts tails; /**< ends of the names, to find shortened names. Each end begins
                          where a word of the name begins */
    bool sorted;
};

/** Adds a name and its parts, in all forms that a report may print. */
void fsd_quotes_add(struct fsd_quotes *quotes, const char *name);
void fsd_quotes_add_all(struct fsd_quotes *quotes, const struct fsd_intern *names);
/** Adds the names of a run and the paths of its files; NULL adds none. */
void fsd_quotes_add_run(struct fsd_quotes *quotes, const struct fsd_diff *d);

/** Prints `text` and puts quotes around each name in `quotes`, even if the name is
 * shortened. A quote in a name becomes \". */
void fsd_put_quoted(FILE *out, const char *text, struct fsd_quotes *quotes);
