/*
 * Builds graphs from text, so that unit tests are easy to read.
 *
 * A model, one fact per line:
 *     in x fp32 1,3,8,8          an input: name, type, sizes; the last two may be left
 *                                out; "?": the rank is unknown; a name among the sizes:
 *                                a dynamic size
 *     out y
 *     type a fp16 1,8            type and sizes of an intermediate tensor
 *     const w 0000803f           an initializer with its bytes in hex; "const w" is not
 *                                read; "const w fp32 1 0000803f" with type and sizes,
 *                                "const s fp32 - = 0.5" as numbers; "-": a scalar
 *     sparse w                   a sparse initializer
 *     Conv conv: x w -> a        operator, name ("-": unnamed), inputs ("-": left out),
 *                                outputs; "com.microsoft::Gelu" with its domain
 *     Transpose t: a -> b | perm=0,2,1      attributes after a bar: 1, [1], 1,2, 1.5,
 *                                1.5,2.5, "s", "s","t", s (a word), fp32:1:0000803f
 *                                (a tensor), {} (a graph), ? (not read)
 *     ! producer pytorch 2.1     a fact about the whole graph: producer, ir, opset
 *                                (domain or "-", version), class (of a module: its
 *                                name, the class), for an engine built
 *                                (KEY=VALUE), loop (its first and last layer)
 *     opset 13
 *     unlisted                   attributes are not stated
 *     body loop                  the following lines are a body of that node; bodies
 *                                come last; "function": of a function of the model
 *     hands a b                  the outputs of the body, after their producers; also
 *                                tensors that an enclosing graph produces
 *
 * An engine:
 *     in x
 *     out y
 *     CaskConvolution conv+relu | n:conv n:relu | x:int8 -> y:fp16 | ms=0.5
 *         type ("-": unknown), name ("-": none), mentions (n: by name, m: by Metadata,
 *         f: first and l: last node of a region, w: wraps, s: serves, c: copies a
 *         tensor, r: any of the nodes that have the name, k: a constant, h: a helper of
 *         the parser), inputs and outputs, options; "n:b>b_2": the layer's name has b
 *         for the node b_2
 *     Forms of tensors may state more: x:fp16/chw32(1,64,7,7){3136,49,7,1}.
 *     A name that begins with "Reformatting" means that the layer forwards its tensor.
 *     Options, for facts that TensorRT's words for the layer do not state:
 *     steps=MatMul,Add more=on|lack by=compiler|plugin|device
 *     origin=reformat|slice|qdq|identity tactic=T serves=LAYER port=1 output
 *     form=plain|... consts=w:fp16(8);b:fp16 weights=int8 kind=noop|... ms=0.5 hands_on
 *     made_as=NAME weights=216:int8 bias=8:fp32 maps=8 transposed scalar lists
 *     factor=one|given
 *     tensor t loop=1 argument=x alias=y    facts that a tensor's name states
 *     typed                      the builder changes no type
 *     names-only                 layers have names and nothing else
 *
 * A word in apostrophes may contain blanks.
 */
#ifndef FSD_TESTS_BUILD_GRAPH_H
#define FSD_TESTS_BUILD_GRAPH_H

#include "explain/diff/diff.h"

/** Replaces each semicolon by a new line: the facts of a model stand in one line. */
void split_facts(char *facts);

/** Parse a text and return the finished graph. A wrong line fails the test. */
struct fsd_graph *build_model(struct fsd_arena *arena, struct fsd_intern *names,
                              const char *text);
struct fsd_graph *build_engine(struct fsd_arena *arena, const struct fsd_graph *model,
                               const char *text);
/** Like build_engine().
 * @param[out] ms the times in milliseconds, indexed by layer; NULL if the text has
 *         none. May be NULL */
struct fsd_graph *build_timed_engine(struct fsd_arena *arena,
                                     const struct fsd_graph *model, const char *text,
                                     double **ms);

/** The inputs of a run.  Zero is the default of all members except the first two. */
struct build {
    const char *model, *engine;
    const char *log;
    const char *const *profiles; /**< times of layers, each a text of lines "NAME MS" */
    uint32_t n_profiles;
    struct fsd_options options; /**< only evidence, shapes and peaks are used */
};

/** Runs all stages, in a separate arena.  Free the result with fsd_diff_free(). */
struct fsd_diff *build_of(const struct build *b);
struct fsd_diff *build_diff(const char *model, const char *engine, unsigned evidence);

/** Like build_diff(), with a build log.
 * @param log must exist as long as the run; NULL: none */
struct fsd_diff *build_run(const char *model, const char *engine, const char *log,
                           unsigned evidence);

/** Reads a dump or a log with TensorRT's reader and the names of the model. Returns the
 * result as text: the graph, the facts about each layer and tensor, and remarks; or the
 * error. The caller frees the text. */
char *show_read(const char *model, const char *dump);

/** Reads times with TensorRT's reader: times of layers or, if this fails, of whole
 * runs. Returns the times as text, which the caller frees. */
char *show_times(const char *text);

/** Returns a run as text with one line per node: "conv layer 0:nt 3:t" (outcome,
 * layers, letters of evidence), "drop identity". The caller frees the text. */
char *show_diff(const struct fsd_diff *d);

/** The parts that show_run() prints. */
enum show {
    SHOW_FACTS = 1 << 0,  /**< for each node: the facts that follow from the model */
    SHOW_FATES = 1 << 1,  /**< for each node: outcome, reason, types, links, region */
    SHOW_LAYERS = 1 << 2, /**< for each layer: kind, cause, precision, unit,
                               counterparts of its tensors */
    SHOW_EDGES = 1 << 3,  /**< for each data-movement layer: its edge, the change of
                               forms, the advice */
    SHOW_ISLANDS = 1 << 4,
    SHOW_SUMMARY = 1 << 5,
    SHOW_TALES = 1 << 6, /**< the story of each node and each layer */
    SHOW_REGIONS = 1 << 7,
    SHOW_CONFLICTS = 1 << 8,
    SHOW_PAIRS = 1 << 9, /**< for pairs of nodes: why they are fused or not */
    SHOW_FIT = 1 << 10   /**< how well model and engine fit each other */
};

/** Returns parts of a run as text with one fact per line. The caller frees the text.
 * @param parts mask of enum show */
char *show_run(const struct fsd_diff *d, unsigned parts);

#endif
