/* The whole story of a node, a layer or a pair of nodes, as sentences in order: from
 * the model, from the build log if there is one, and from the engine. */
#pragma once

#include "base/base.h"
#include "explain/diff/diff.h"

/** One sentence.  Names are not escaped: the caller escapes the whole sentence. */
struct fsd_line {
    const char *topic; /**< "parsed", "event", "layer", ...: a string literal */
    uint64_t line;     /**< line of the log; 0: not from the log */
    const char *text;
};

struct fsd_tale {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_line) lines;
    struct fsd_line now; /**< the sentence that is being written, and its text so far */
    struct fsd_print print;
};

/** Append to the tale, whose arena the caller sets. */
void fsd_explain_node(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_explain_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** Appends why the builder fused two nodes, or did not, as far as model, engine and log
 *  show it. */
void fsd_explain_pair(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                      fsd_id b);
