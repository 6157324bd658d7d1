/* The rows of a list of layers, and the headings above them.  Only src/report/text
 * includes this. */
#ifndef FSD_REPORT_TEXT_ROWS_H
#define FSD_REPORT_TEXT_ROWS_H

#include "explain/diff/diff.h"
#include "report/phrase/ink.h"

/** A part of the model: a path of names, or a module of the exporter's source. */
struct fsd_text_scope {
    struct fsd_slice path; /**< empty: the whole model */
    char sign;             /**< between its parts: '/' or '.' */
};

/** Consecutive layers, and how many equal ones follow them. */
struct fsd_text_block {
    uint32_t layers, again;
};

/** What a row is. */
enum fsd_text_what {
    FSD_TEXT_LAYER,
    FSD_TEXT_RUN,     /**< layers with nothing to say */
    FSD_TEXT_CONTROL, /**< layers that synchronize, jump or compute addresses */
    FSD_TEXT_AGAIN    /**< repetitions of a block */
};

struct fsd_text_row {
    enum fsd_text_what what;
    fsd_id from, to;             /**< its layers; of repetitions the block's too */
    struct fsd_text_block block; /**< of repetitions: what begins at `from` */

    bool named;                    /**< found: it has names of nodes */
    struct fsd_text_scope scope;   /**< found: what all of these share */
    struct fsd_text_scope heading; /**< found: what is stated above the row; empty */
};

typedef FSD_VEC(struct fsd_text_row) fsd_text_row_vec;

/** Prints them, and finds for each what is to be found. */
void fsd_text_rows(const struct fsd_diff *d, const struct fsd_style *style,
                   struct fsd_text_row *rows, uint32_t n, FILE *out);

/* headings.c */

struct fsd_text_scope fsd_text_scope_of(const struct fsd_diff *d, fsd_id node);
/** The scope that has both in it. */
struct fsd_text_scope fsd_text_shared_scope(struct fsd_text_scope a,
                                            struct fsd_text_scope b);
/** Whether they are one scope; all empty ones are. */
bool fsd_text_is_scope(struct fsd_text_scope a, struct fsd_text_scope b);
/** Finds the rows' headings from their scopes. */
void fsd_text_find_headings(struct fsd_text_row *rows, uint32_t n,
                            struct fsd_arena *scratch);

#endif
