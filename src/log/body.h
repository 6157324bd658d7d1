/*
 * Bodies of If, Loop, Scan and of model-local functions in the parser's lines.  The
 * parser goes into a body when it has read what its owner uses, and comes back to say
 * what the owner makes:
 *
 *     Parsing node: loop [Loop]
 *     loop [Loop] inputs: ...
 *     Parsing node: loop_body/add [Add]
 *     ...
 *     loop [Loop] outputs: ...
 *
 * Where one body ends and the next begins (the branches of an If) is not printed: an
 * owner gets one scope for all of them.
 */
#ifndef FSD_LOG_BODY_H
#define FSD_LOG_BODY_H

#include "base/file.h"
#include "base/slice.h"
#include "model/graph.h"
#include "model/history.h"

#include <stdbool.h>
#include <stddef.h>

enum { FSD_LOG_MOST_OPEN = 64 };

/** Nodes whose outputs have not been seen yet, the innermost last.  The parser itself
 *  refuses deeper nesting than this; what is lost in a damaged log piles up here. */
struct fsd_log_stack {
    struct fsd_log_open {
        struct fsd_slice head; /**< "NAME [Op]" */
        fsd_id node;
    } at[FSD_LOG_MOST_OPEN];
    unsigned n;
};

void fsd_log_open(struct fsd_log_stack *stack, struct fsd_slice head, fsd_id node);

/** The innermost node that the line states: "NAME [Op] inputs: ..."; NULL. */
const struct fsd_log_open *fsd_log_opened(const struct fsd_log_stack *stack,
                                          struct fsd_slice line);

/** Closes the node whose outputs the line states, and those within it.
 *  @param open the result of fsd_log_opened() for that line. */
bool fsd_log_close(struct fsd_log_stack *stack, const struct fsd_log_open *open,
                   struct fsd_slice line);

struct fsd_log_bodies {
    fsd_id *owner;     /**< by parsed node: the parsed node it stands in; FSD_NONE */
    fsd_id *scope;     /**< by parsed node: of its body; 0: it has none */
    uint32_t n;        /**< parsed nodes */
    uint32_t n_owners; /**< of them have a body */
};

/** Finds the owners of the nodes parsed for an engine.  A node whose outputs were not
 *  printed owns nothing: the end of its body is unknown.
 *  @param build the engine, in h->parser. */
struct fsd_log_bodies fsd_log_bodies(struct fsd_arena *arena,
                                     const struct fsd_history *h, uint32_t build,
                                     const struct fsd_file *file);

/** Numbers the nodes by scope, the main graph's first, as a graph has them.
 *  @return by parsed node: its number now. */
fsd_id *fsd_log_order_nodes(struct fsd_graph *g);

#endif
