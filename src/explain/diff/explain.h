/* Reports what happened to a node, a layer or a pair of nodes, as a list of sentences.
 * The sentences state what the model, the build log and the engine show, in this
 * order. */
#pragma once

#include "base/base.h"
#include "explain/diff/diff.h"

/** One sentence.  Names are not escaped: the caller escapes the whole sentence. */
struct fsd_line {
    const char *topic; /**< a string literal, such as "parsed", "event" or "layer" */
    uint64_t line;     /**< line number in the log; 0 if the sentence is not from the
                            log */
    const char *text;
};

struct fsd_tale {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_line) lines;
    struct fsd_line now; /**< the sentence that is being written, and its text so far */
    struct fsd_print print;
};

/** The next two functions append sentences about a node or a layer to the tale.  The
 *  caller sets the arena of the tale. */
void fsd_explain_node(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_explain_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** Appends why the builder fused the nodes `a` and `b`, or why it did not, if the
 *  model, the engine or the log show this. */
void fsd_explain_pair(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                      fsd_id b);
