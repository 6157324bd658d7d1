/*
 * The words by which a user can refer to a node or a layer:
 *
 *     Conv_28       a name: of a node, a layer, a tensor, an initializer
 *     #4            the number of a node or layer, whichever the verb expects
 *     node:4        the number of a node; layer:12: the number of a layer
 *     provider:CUDA what an execution provider runs; after the colon: the provider's
 *                   name, with or without "ExecutionProvider", or a pattern
 *     /stem/conv?   a pattern with *, ? and [...] as in a shell; '\' is not special
 *
 * A word that is exactly the name of a node or layer always refers to that node or
 * layer.  The name may contain brackets, or look like another kind of word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum fsd_word_kind {
    FSD_WORD_NAME,
    FSD_WORD_PATTERN,
    FSD_WORD_NUMBER, /**< "#4" */
    FSD_WORD_BARE,   /**< "4": a name, or the number of a layer if the verb expects
                          layers */
    FSD_WORD_NODE,
    FSD_WORD_LAYER,
    FSD_WORD_PROVIDER /**< `text` is the whole word */
};

struct fsd_word {
    enum fsd_word_kind kind;
    const char *text;
    uint32_t number; /**< the number in the word; 0 for the kinds without a number */
};

/** Parses a word; `text` must outlive the result. */
struct fsd_word fsd_word_read(const char *text);

/** Whether a word of kind FSD_WORD_PROVIDER refers to this provider. */
bool fsd_word_fits_provider(const struct fsd_word *word, const char *provider);

/** Whether a word refers to this name: it is the name, or a pattern that matches it. */
bool fsd_word_fits(const char *word, const char *name);

/** The names nearest to a word that matches no name. Messages print them after "did you
 * mean". */
struct fsd_nearest {
    const char *word;
    unsigned edits; /**< the distance between the word and the nearest name so far */
    const char *names[3];
    unsigned n;
};

/** Begins a search for the names nearest to `word`; fsd_nearest_try() adds names. */
struct fsd_nearest fsd_nearest_to(const char *word);
/** Stores the name, unless earlier names are nearer to the word. */
void fsd_nearest_try(struct fsd_nearest *nearest, const char *name);
/** Writes "; did you mean 'Conv_28' or 'Conv_29'?" to `out`, or "" if no name is near,
 * and returns `out`. */
const char *fsd_nearest_text(const struct fsd_nearest *nearest, char out[512]);
