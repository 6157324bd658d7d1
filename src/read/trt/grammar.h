/* The parser of layer names (expr.c) and its scanner (scan.c).  Only files that parse
 * names include this header. */
#pragma once

#include "base/base.h"
#include "model/graph/layer.h"
#include "model/graph/vocab.h"

/* ------------------------------------------------------------------------ scan.c */

/* The place of a part within a name.  It determines the text that ends the part. */
enum fsd_place {
    FSD_IN_NAME,    /**< the part is at the top level.  As in all places, the part ends
                         at " + ", at " || ", or at the end of the text. */
    FSD_IN_CALL,    /**< the part is in PWN(...): ", " and ")" also end it */
    FSD_IN_FOREIGN, /**< the part is in {ForeignNode[...]}: "..." and "]}" also end
                         it */
    FSD_IN_LIST     /**< the part is in {...}: "," and "}" also end it */
};

/** Memory for the brackets of a text.  This memory is reused for the next text. */
struct fsd_brackets {
    struct fsd_arena *arena;
    FSD_VEC(uint32_t)
    closing; /**< indexed by the position of an opening bracket: the position of its
                  closing bracket */
};

struct fsd_scan {
    const char *s;
    size_t n;
    struct fsd_brackets *brackets;
    bool paired; /**< `brackets` already has the brackets of this text */
};

/** Whether the text has the word at `at`. */
bool fsd_scan_at(const struct fsd_scan *t, size_t at, const char *word);

/** These functions move `*at` past a word, or past a number.  If there is none, they
 *  return false and do not change `*at`. */
bool fsd_scan_skip(const struct fsd_scan *t, size_t *at, const char *word);
bool fsd_scan_skip_number(const struct fsd_scan *t, size_t *at);
/** Moves `*at` past the name of an unnamed layer of the network, "(Unnamed Layer* 36)
 *  [Shuffle]", whose type may be several words.  If there is none, returns false and
 *  does not change `*at`. */
bool fsd_scan_skip_unnamed(const struct fsd_scan *t, size_t *at);

/** Returns the number at `at`, at most INT32_MAX; 0 if there is none. */
uint32_t fsd_scan_number(const struct fsd_scan *t, size_t at);

/** These functions return the separator, or the closing bracket, at `at`; NULL if there
 * is none. */
const char *fsd_scan_separator(const struct fsd_scan *t, size_t at, enum fsd_place in);
const char *fsd_scan_closer(const struct fsd_scan *t, size_t at, enum fsd_place in);
bool fsd_scan_is_boundary(const struct fsd_scan *t, size_t at, enum fsd_place in);

/** Returns the end of a part with unknown content: the next boundary outside
 * brackets. */
size_t fsd_scan_part_end(struct fsd_scan *t, size_t at, enum fsd_place in);

/* ------------------------------------------------------------------------ expr.c */

/* The parts of a layer's name: "conv1.weight + Conv_9 + PWN(Clip_16)". */

struct fsd_expr {
    struct fsd_scan text;
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< the names of the model; NULL: there is no
                                        model */
    uint64_t steps;                /**< the number of steps left for looking up names */
    bool serving;                  /**< the text is a part of a reformat's name: the
                                        layer, input or output for which TensorRT
                                        inserted the reformat */
    bool copying;                  /**< the whole text is the name of a tensor that
                                        TensorRT copies to the DLA */
    bool dots;                     /**< the "..." in the name of a region was read */
    int part;                      /**< the kind of the last part: enum part of
                                        expr.c */
};

/** A name of the model at the beginning of a text, and the suffixes after it. */
struct fsd_known {
    const struct fsd_meaning *what;
    size_t len;
    struct fsd_tail {
        size_t end;   /**< the position after suffixes such as " copy", "_clone_2",
                           "_17" */
        bool copies;  /**< one of these suffixes marks a copy */
        bool counted; /**< one of these suffixes is only a number */
    } tail;
};

/** Finds the longest name of the model that begins at `at`; returns false if there is
 *  none.  A name counts only if a boundary follows the name and its suffixes.  The name
 *  of a node or a constant takes precedence over a longer name of another tensor,
 *  unless a suffix of the longer name marks a copy. */
bool fsd_expr_known(struct fsd_expr *p, size_t at, enum fsd_place in,
                    struct fsd_known *out);

/** Adds the text from `at` to `end` as a mention, unless the text is empty. */
void fsd_expr_mention(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                      size_t end, const struct fsd_meaning *what, bool loose);

/** Adds a mention of a known name at `at`. */
void fsd_expr_mention_known(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                            const struct fsd_known *known);

void fsd_expr_remark(const struct fsd_expr *p, const char *rule);

/** Reads all parts of the text.  Keeps the form that `layer` already has, if any. */
void fsd_expr_read(struct fsd_expr *p, struct fsd_layer *layer);
