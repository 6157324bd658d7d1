/* The rows of a list of layers, and the headings above them.  Only src/report/text
 * includes this. */
#pragma once

#include "explain/diff/diff.h"
#include "report/phrase/ink.h"

/** A part of the model: a path of names, or a module in the exporter's source. */
struct fsd_text_scope {
    struct fsd_slice path; /**< empty: the whole model */
    char sign;             /**< separates its parts: '/' or '.' */
};

/** Consecutive layers, and the number of equal blocks that follow them. */
struct fsd_text_block {
    uint32_t layers, again;
};

/** The kind of a row. */
enum fsd_text_what {
    FSD_TEXT_LAYER,
    FSD_TEXT_RUN,     /**< consecutive ordinary layers */
    FSD_TEXT_CONTROL, /**< layers that synchronize, jump or compute addresses */
    FSD_TEXT_AGAIN    /**< repetitions of a block */
};

struct fsd_text_row {
    enum fsd_text_what what;
    fsd_id from, to;             /**< its layers; for repetitions, those of the block,
                                      too */
    struct fsd_text_block block; /**< for repetitions: the block, which begins at
                                      `from` */

    bool named;                    /**< set here: it has names of nodes */
    struct fsd_text_scope scope;   /**< set here: the scope that all nodes of the row
                                        share */
    struct fsd_text_scope heading; /**< set here: the heading above the row; may be
                                        empty */
};

typedef FSD_VEC(struct fsd_text_row) fsd_text_row_vec;

/** Prints the rows, and sets the members of a row that only the text determines. */
void fsd_text_rows(const struct fsd_diff *d, const struct fsd_style *style,
                   struct fsd_text_row *rows, uint32_t n, FILE *out);

/* headings.c */

struct fsd_text_scope fsd_text_scope_of(const struct fsd_diff *d, fsd_id node);
/** The smallest scope that contains both. */
struct fsd_text_scope fsd_text_shared_scope(struct fsd_text_scope a,
                                            struct fsd_text_scope b);
/** Whether they are the same scope; empty scopes are equal. */
bool fsd_text_is_scope(struct fsd_text_scope a, struct fsd_text_scope b);
/** Finds the rows' headings from their scopes. */
void fsd_text_find_headings(struct fsd_text_row *rows, uint32_t n,
                            struct fsd_arena *scratch);
