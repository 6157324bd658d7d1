/* The parser of layer names, and its scanner: expr.c, scan.c.  Only the files that
 * parse names include this. */
#pragma once

#include "base/base.h"
#include "model/graph/layer.h"
#include "model/graph/vocab.h"

/* ------------------------------------------------------------------------ scan.c */

/* Where a part is, which determines the text that ends it. */
enum fsd_place {
    FSD_IN_NAME,    /**< " + ", " || " and the end of the text, which end parts
                         everywhere */
    FSD_IN_CALL,    /**< PWN(...):            ", " and ")" */
    FSD_IN_FOREIGN, /**< {ForeignNode[...]}:  "..." and "]}" */
    FSD_IN_LIST     /**< {...}:               "," and "}" */
};

/** Scratch memory, reused for each text. */
struct fsd_brackets {
    struct fsd_arena *arena;
    FSD_VEC(uint32_t)
    closing; /**< indexed by opening bracket: the position of its
                                    closing bracket */
};

struct fsd_scan {
    const char *s;
    size_t n;
    struct fsd_brackets *brackets;
    bool paired; /**< `brackets` are the brackets of this text */
};

/** Whether the word begins at `at`. */
bool fsd_scan_at(const struct fsd_scan *t, size_t at, const char *word);

/** These functions move `at` past the text that their name states, or return false and
 *  leave it. */
bool fsd_scan_skip(const struct fsd_scan *t, size_t *at, const char *word);
bool fsd_scan_skip_number(const struct fsd_scan *t, size_t *at);
/** "(Unnamed Layer* 36) [Shuffle]": an unnamed layer of the network.  Its type may be
 *  several words. */
bool fsd_scan_skip_unnamed(const struct fsd_scan *t, size_t *at);

/** The number at `at`, at most INT32_MAX; 0 if there is none. */
uint32_t fsd_scan_number(const struct fsd_scan *t, size_t at);

/** The separator or closing bracket at `at`; NULL if there is none. */
const char *fsd_scan_separator(const struct fsd_scan *t, size_t at, enum fsd_place in);
const char *fsd_scan_closer(const struct fsd_scan *t, size_t at, enum fsd_place in);
bool fsd_scan_is_boundary(const struct fsd_scan *t, size_t at, enum fsd_place in);

/** The end of a part with unknown content: the next boundary outside brackets. */
size_t fsd_scan_part_end(struct fsd_scan *t, size_t at, enum fsd_place in);

/* ------------------------------------------------------------------------ expr.c */

/* The parts of a layer's name: "conv1.weight + Conv_9 + PWN(Clip_16)". */

struct fsd_expr {
    struct fsd_scan text;
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: no model is known */
    uint64_t steps;                /**< the remaining budget for looking up names */
    bool serving;                  /**< the whole text is the name of the layer that a
                                        reformat serves */
    bool copying;                  /**< the whole text is the name of a tensor that is
                                        copied to the DLA */
    bool dots;                     /**< the "..." of a region was read */
    int part;                      /**< the kind of the part just read: expr.c */
};

/** A name of the model at the start of some text, and its suffixes there. */
struct fsd_known {
    const struct fsd_meaning *what;
    size_t len;
    struct fsd_tail {
        size_t end;   /**< after "_clone_2", "_17", " copy" and similar suffixes */
        bool copies;  /**< one of these suffixes marks a copy */
        bool counted; /**< one of these suffixes is a bare number */
    } tail;
};

/** The longest known name at `at` that ends at a boundary.  Names of ordinary tensors
 *  are used only if nothing else is found. */
bool fsd_expr_known(struct fsd_expr *p, size_t at, enum fsd_place in,
                    struct fsd_known *out);

/** Adds the text from `at` to `end` as a mention, unless it is empty. */
void fsd_expr_mention(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                      size_t end, const struct fsd_meaning *what, bool loose);

/** Adds a mention of a known name at `at`. */
void fsd_expr_mention_known(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                            const struct fsd_known *known);

void fsd_expr_remark(const struct fsd_expr *p, const char *rule);

/** Reads all parts.  Does not change a form that `layer` already has. */
void fsd_expr_read(struct fsd_expr *p, struct fsd_layer *layer);
