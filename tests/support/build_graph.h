/*
 * Graphs from text, so that a test reads like a drawing.
 *
 * A model, one line a fact:
 *     in x fp32 1,3,8,8          an input: name, type, shape; the last two are optional
 *     out y
 *     const w 0000803f           an initializer, its bytes in hex; "const w" is unread
 *     Conv conv: x w -> a        operator, name ("-": unnamed), inputs ("-": left out),
 *                                outputs
 *     Transpose t: a -> b | perm=0,2,1      integer attributes behind a bar
 *
 * An engine:
 *     in x
 *     out y
 *     CaskConvolution conv+relu | n:conv n:relu | x:int8 -> y:fp16
 *         type, name, mentions (n: by name, m: by Metadata, w: wraps, s: serves,
 *         c: copies a tensor, r: any of the nodes that bear the name), inputs and
 *         outputs with their types
 *
 * A Reformat whose name starts with "Reformatting" passes its tensor on unchanged.
 */
#ifndef FSD_TESTS_BUILD_GRAPH_H
#define FSD_TESTS_BUILD_GRAPH_H

#include "diff/diff.h"

/** A finished graph; a line that cannot be read fails the test. */
struct fsd_graph *build_model(struct fsd_arena *arena, struct fsd_intern *names,
                              const char *text);
struct fsd_graph *build_engine(struct fsd_arena *arena, const struct fsd_graph *model,
                               const char *text);

/** Both, and all stages of a run, in an arena of its own; free with fsd_diff_free(). */
struct fsd_diff *build_diff(const char *model, const char *engine, unsigned evidence);

/** The result as text: a line a node, "conv layer 0:nt 3:t" (layers with the letters of
 *  the evidence), "drop identity"; malloc'ed. */
char *show_diff(const struct fsd_diff *d);

#endif
