/* Explanations of words.  A reader explains the words in its builder's engines: types
 * of layers, and parts of the names of layers and kernels.  glossary.c explains the
 * names that reports give to blocks of a model, such as "attention". */
#pragma once

#include <stdbool.h>

struct fsd_gloss {
    const char *word;  /**< NULL ends a list */
    const char *forms; /**< shell patterns, separated by commas.  A name that matches a
                            pattern contains the word.  NULL: the word is always the
                            whole name */
    const char *kind;  /**< the kind of word, such as "type of layer" */
    const char *what;
    const char *why;    /**< background: a reason, a cost or a proof; may be NULL */
    const char *fix;    /**< advice; may be NULL */
    const char *source; /**< the source of the explanation; NULL: the explanation was
                             derived from engines whose model is known */
};

#define FSD_GLOSS_TYPE   "type of layer"
#define FSD_GLOSS_PART   "part of a layer's name"
#define FSD_GLOSS_KERNEL "part of a kernel's name"
#define FSD_GLOSS_BLOCK  "block of a model"

/** Returns the i-th word, from 0.  The words of readers come first, and then the names
 * of blocks.  Returns NULL after the last word. */
const struct fsd_gloss *fsd_gloss_at(unsigned i);

/** fsd_gloss_is() returns whether the entry explains `word`.  fsd_gloss_in() returns
 *  whether it explains a word within `name`.  Both functions ignore case. */
bool fsd_gloss_is(const struct fsd_gloss *gloss, const char *word);
bool fsd_gloss_in(const struct fsd_gloss *gloss, const char *name);
