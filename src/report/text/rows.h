/* The rows of a list of layers, and the headings above them. Only files of
 * src/report/text include this header. */
#pragma once

#include "explain/diff/diff.h"
#include "report/phrase/ink.h"

/** A part of the model: a path of node names, or a module of the source program. */
struct fsd_text_scope {
    struct fsd_slice path; /**< empty: the whole model */
    char sign;             /**< the separator in the path: '/' for names, '.' for
                                modules */
};

/** A block: its number of layers, and the number of equal blocks that follow it. */
struct fsd_text_block {
    uint32_t layers, again;
};

/** The kind of a row. */
enum fsd_text_what {
    FSD_TEXT_LAYER,
    FSD_TEXT_RUN,     /**< consecutive ordinary layers */
    FSD_TEXT_CONTROL, /**< consecutive layers that synchronize, jump or compute
                           addresses */
    FSD_TEXT_AGAIN    /**< repetitions of a block */
};

struct fsd_text_row {
    enum fsd_text_what what;
    fsd_id from, to;             /**< the row's layers, from `from` to `to` - 1. For
                                      FSD_TEXT_AGAIN, they are the block and all its
                                      repetitions */
    struct fsd_text_block block; /**< for FSD_TEXT_AGAIN: the repeated block. `from` is
                                      its first layer */

    bool named;                    /**< set by fsd_text_rows(): whether the row has
                                        names of nodes */
    struct fsd_text_scope scope;   /**< set by fsd_text_rows(): the scope that all nodes
                                        of the row share */
    struct fsd_text_scope heading; /**< set by fsd_text_rows(): the heading above the
                                        row; may be empty */
};

typedef FSD_VEC(struct fsd_text_row) fsd_text_row_vec;

/** Prints the rows. Sets `named`, `scope` and `heading` of each row. */
void fsd_text_rows(const struct fsd_diff *d, const struct fsd_style *style,
                   struct fsd_text_row *rows, uint32_t n, FILE *out);

/* headings.c */

struct fsd_text_scope fsd_text_scope_of(const struct fsd_diff *d, fsd_id node);
/** The smallest scope that contains both scopes. */
struct fsd_text_scope fsd_text_shared_scope(struct fsd_text_scope a,
                                            struct fsd_text_scope b);
/** Whether both are the same scope. Empty scopes are equal, whatever their `sign`. */
bool fsd_text_is_scope(struct fsd_text_scope a, struct fsd_text_scope b);
/** Sets the headings of rows from their scopes. */
void fsd_text_find_headings(struct fsd_text_row *rows, uint32_t n,
                            struct fsd_arena *scratch);
