/*
 * Graphs from text, so that a test reads like a drawing.
 *
 * A model, one line a fact:
 *     in x fp32 1,3,8,8          an input: name, type, sizes (both may be left out; "?"
 *                                for sizes: no rank is known, a name among them: open)
 *     out y
 *     type a fp16 1,8            what is known of a tensor between
 *     const w 0000803f           an initializer with its bytes in hex; "const w" is not
 *                                read; "const w fp32 1 0000803f" with type and sizes,
 *                                "const s fp32 - = 0.5" as numbers; "-": a scalar
 *     sparse w                   a sparse initializer
 *     Conv conv: x w -> a        operator, name ("-" is unnamed), inputs ("-" is left
 *                                out), outputs; "com.microsoft::Gelu" with its domain
 *     Transpose t: a -> b | perm=0,2,1      attributes behind a bar: 1, [1], 1,2, 1.5,
 *                                1.5,2.5, "s", "s","t", s (a word), fp32:1:0000803f
 *                                (a tensor), {} (a graph), ? (not read)
 *     ! producer pytorch 2.1     a fact of the whole: producer, ir, opset (domain or
 *                                "-", version), of an engine built (KEY=VALUE), loop
 *                                (its first and its last layer's number)
 *     opset 13
 *     unlisted                     attributes are not stated
 *     body loop                  what follows is a body of that node; bodies stand last
 *     hands a b                  what the body gives to its node, behind what makes it;
 *                                also what an enclosing graph makes
 *
 * An engine:
 *     in x
 *     out y
 *     CaskConvolution conv+relu | n:conv n:relu | x:int8 -> y:fp16 | ms=0.5
 *         type ("-": not known), name ("-": it has none), mentions (n: by name, m: by
 *         Metadata, f: first and l: last of a region, w: wraps, s: serves, c: copies a
 *         tensor, r: any of the nodes that bear the name, k: a constant, h: a helper of
 *         the parser),
 *         inputs and outputs, options; "n:b>b_2": called so in the layer's name
 *     Their forms may state more: x:fp16/chw32(1,64,7,7){3136,49,7,1}.
 *     A name that starts with "Reformatting" says that the layer hands its tensor on.
 *     Options, where TensorRT's words for the layer do not say it: steps=MatMul,Add
 *     more=on|lack by=compiler|plugin|device origin=reformat|slice|qdq|identity
 *     tactic=T serves=LAYER port=1 output form=plain|... consts=w:fp16(8);b:fp16
 *     weights=int8 kind=noop|... ms=0.5 hands_on made_as=NAME
 *     weights=216:int8 bias=8:fp32 maps=8 transposed scalar lists factor=one|given
 *     tensor t loop=1 argument=x alias=y    what its name states about a tensor
 *     typed                      its builder changes no type
 *     names-only                 layers have names and nothing else
 *
 * What stands in apostrophes may hold blanks.
 */
#ifndef FSD_TESTS_BUILD_GRAPH_H
#define FSD_TESTS_BUILD_GRAPH_H

#include "explain/diff/diff.h"

/** A finished graph; a line that cannot be read fails the test. */
struct fsd_graph *build_model(struct fsd_arena *arena, struct fsd_intern *names,
                              const char *text);
struct fsd_graph *build_engine(struct fsd_arena *arena, const struct fsd_graph *model,
                               const char *text);
/** The same; *ms, which may be NULL, is its times by layer, or NULL. */
struct fsd_graph *build_timed_engine(struct fsd_arena *arena,
                                     const struct fsd_graph *model, const char *text,
                                     double **ms);

/** What a run is made of; zero is the default of every field but the first two. */
struct build {
    const char *model, *engine;
    const char *log;
    const char *const *profiles; /**< lines of "NAME MS": times of layers */
    uint32_t n_profiles;
    struct fsd_options options; /**< evidence, shapes and peaks */
};

/** All stages of it, in an arena of its own; free with fsd_diff_free(). */
struct fsd_diff *build_of(const struct build *b);
struct fsd_diff *build_diff(const char *model, const char *engine, unsigned evidence);

/** The same with a build log, which lives as long as the run; NULL: none. */
struct fsd_diff *build_run(const char *model, const char *engine, const char *log,
                           unsigned evidence);

/** What TensorRT's reader makes of a dump, or a log, with the model's names in hand, as
 *  text: the graph, what is known of each layer and tensor, remarks; or the error;
 *  malloc'ed. */
char *show_read(const char *model, const char *dump);

/** What TensorRT's reader makes of times, of layers or, where that fails, of whole
 *  runs; malloc'ed. */
char *show_times(const char *text);

/** The result as text: a line a node, "conv layer 0:nt 3:t" (layers with the letters of
 *  the evidence), "drop identity"; malloc'ed. */
char *show_diff(const struct fsd_diff *d);

/** What show_run() prints. */
enum show {
    SHOW_FACTS = 1 << 0,  /**< of each node: what the model proves */
    SHOW_FATES = 1 << 1,  /**< fate, why, types, links, region */
    SHOW_LAYERS = 1 << 2, /**< kind, cause, precision, unit, twins */
    SHOW_EDGES = 1 << 3,  /**< of each mover: where it sits, what it changes, advice */
    SHOW_ISLANDS = 1 << 4,
    SHOW_SUMMARY = 1 << 5,
    SHOW_TALES = 1 << 6, /**< the story of each node and each layer */
    SHOW_REGIONS = 1 << 7,
    SHOW_CONFLICTS = 1 << 8,
    SHOW_PAIRS = 1 << 9, /**< what brought two nodes together, or keeps them apart */
    SHOW_FIT = 1 << 10   /**< how far model and engine fit */
};

/** Parts of a run as text, a line a fact; malloc'ed. */
char *show_run(const struct fsd_diff *d, unsigned parts);

#endif
