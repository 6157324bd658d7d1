/* The words of engines: types of layers, parts of their names and of kernels' names, as
 * each builder's reader knows them, and the names that reports give to the blocks of a
 * model. */
#pragma once

#include <stdbool.h>

struct fsd_gloss {
    const char *word;  /**< NULL ends a list */
    const char *forms; /**< the names that contain the word: shell patterns, separated
                            by commas; NULL: the word alone */
    const char *kind;  /**< "type of layer" */
    const char *what;
    const char *why;    /**< what it costs or proves; may be NULL */
    const char *fix;    /**< what to look at or to do; may be NULL */
    const char *source; /**< who states it; NULL: seen in engines */
};

#define FSD_GLOSS_TYPE   "type of layer"
#define FSD_GLOSS_PART   "part of a layer's name"
#define FSD_GLOSS_KERNEL "part of a kernel's name"
#define FSD_GLOSS_BLOCK  "block of a model"

/** Word i of all lists, the readers' lists first; NULL after the last. */
const struct fsd_gloss *fsd_gloss_at(unsigned i);

/** Whether the entry explains the word, or a name that contains the word; case is
 *  ignored. */
bool fsd_gloss_is(const struct fsd_gloss *gloss, const char *word);
bool fsd_gloss_in(const struct fsd_gloss *gloss, const char *name);
