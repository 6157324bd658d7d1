/* The text of a layer's name: its words, separators and brackets. */
#ifndef FSD_TRT_SCAN_H
#define FSD_TRT_SCAN_H

#include "base/id.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a part stands decides what ends it. */
enum fsd_place {
    FSD_IN_NAME,    /**< " + ", " || " and the text's end; they end parts everywhere */
    FSD_IN_CALL,    /**< PWN(...):            ", " and ")" */
    FSD_IN_FOREIGN, /**< {ForeignNode[...]}:  "..." and "]}" */
    FSD_IN_LIST     /**< {...}:               "," and "}" */
};

/** Scratch memory, used again for each text. */
struct fsd_brackets {
    struct fsd_arena *arena;
    FSD_VEC(uint32_t) closing; /**< where the bracket that opens here is closed */
};

struct fsd_scan {
    const char *s;
    size_t n;
    struct fsd_brackets *brackets;
    bool paired; /**< `brackets` is that of this text */
};

/** Does the word stand at `at`? */
bool fsd_scan_at(const struct fsd_scan *t, size_t at, const char *word);

/** These move `at` behind what they are named for, or leave it and return false. */
bool fsd_scan_skip(const struct fsd_scan *t, size_t *at, const char *word);
bool fsd_scan_skip_number(const struct fsd_scan *t, size_t *at);
/** "(Unnamed Layer* 36) [Shuffle]": a layer of the network that has no name.  Its type
 *  may be several words. */
bool fsd_scan_skip_unnamed(const struct fsd_scan *t, size_t *at);

/** The number at `at`, at most INT32_MAX; 0 when there is none. */
uint32_t fsd_scan_number(const struct fsd_scan *t, size_t at);

/** The separator or closing bracket at `at`; NULL when there is none. */
const char *fsd_scan_separator(const struct fsd_scan *t, size_t at, enum fsd_place in);
const char *fsd_scan_closer(const struct fsd_scan *t, size_t at, enum fsd_place in);
bool fsd_scan_is_boundary(const struct fsd_scan *t, size_t at, enum fsd_place in);

/** The end of a part that nothing is known of: the next boundary outside brackets. */
size_t fsd_scan_part_end(struct fsd_scan *t, size_t at, enum fsd_place in);

#endif
