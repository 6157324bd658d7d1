/*
 * The steps from the network to the engine that a build log reports: one entry per
 * meaningful line, in the log's order. read/log/read.c fills it, match/story.c replays
 * it against the model.
 *
 * An event is recognized by its form ("X: Fusing A with B"), whatever the name of the
 * pass.  Names are spelled as in the log; only match/ resolves them.
 */
#pragma once

#include "base/base.h"
#include "model/graph/built.h"
#include "model/graph/dtype.h"
#include "model/graph/effort.h"
#include "model/graph/profile.h"

/** The forms, and the meaning of `a`, `b` and `text` in each. */
enum fsd_event_kind {
    FSD_EVENT_STAGE,     /**< a: "After vertical fusions", text: the number of layers */
    FSD_EVENT_TRY,       /**< pass, a: the layer that it examines; 0: not stated */
    FSD_EVENT_FUSE,      /**< pass, a with b; text: the fused layer, "a + b" */
    FSD_EVENT_INTO,      /**< pass, a into b; a may be "(x and y)" */
    FSD_EVENT_REMOVE,    /**< a; pass: the last one tried, b: the layer that it
                              examined */
    FSD_EVENT_SWAP,      /**< a with b */
    FSD_EVENT_RETYPE,    /**< a, text: "ELEMENTWISE to POINTWISE" */
    FSD_EVENT_MERGE,     /**< a: "x || y" */
    FSD_EVENT_DUPLICATE, /**< a duplicates b, text: "Q" */
    FSD_EVENT_CONCAT,    /**< a: a concatenation that is written in place */
    FSD_EVENT_SLICE,     /**< a: a slice that was removed; text: how */
    FSD_EVENT_RETARGET,  /**< tensor a now is, or is a part of, tensor b */
    FSD_EVENT_COPY,      /**< tensor a to tensor b, text: the reason */
    FSD_EVENT_REFORMAT,  /**< a: "Reformatted Input Tensor 0 to X", b: the tensor,
                              text: "Float(..) to Half(..)" */
    FSD_EVENT_REGISTER,  /**< layer a for ONNX node b */
    FSD_EVENT_MEMBERS,   /**< a: the foreign node, text: its Metadata */
    FSD_EVENT_PATTERN,   /**< a is part of the pattern in text, "self-attention" */
    FSD_EVENT_TUNED,     /**< a, of region b; text: the fastest kernels measured */
    FSD_EVENT_WARNING,   /**< text: the message; a: the name of its rule, see
                              warnings */
    FSD_EVENT_SKIP,      /**< pass did not fuse node a (0: not stated), text: the
                              reason; b: the function that gave it, 0: the pass */
    FSD_EVENT_FALLBACK,  /**< layer a runs on the GPU although the user assigned it to
                              the DLA, text: the reason; b: its type, 0: not stated */
    FSD_EVENT_ADD,       /**< pass added b, "a Q/DQ pair", on tensor a; text: "between X
                              and Y", 0: not stated */
    FSD__EVENT_COUNT
};

struct fsd_event {
    enum fsd_event_kind kind;
    fsd_sym pass; /**< 0: the line does not name a pass */
    fsd_sym a, b, text;
    fsd_id node;    /**< REGISTER: the parsed node being imported, counted from 0 */
    uint32_t build; /**< the engine of the log to which the event belongs, from 0 */
    uint32_t timed; /**< REFORMAT: the measurement of this reformat in `rivals`, plus 1;
                         0: it was not measured */
    uint32_t times; /**< SKIP: how often the log repeats the line */
    bool unstated;  /**< FALLBACK: the log states no reason */
    uint64_t line;
};

/** The limit of rivals per layer and build.  A layer is timed with each kind of kernel
 *  in each combination of formats; no log seen has more than 60. */
enum { FSD_MOST_RIVALS = 256 };

/** A measurement of the builder: the best tactic of one kind of kernel for one layer,
 *  for one combination of formats if stated; or the best tactic of one reformat. */
struct fsd_rival {
    fsd_sym layer;  /**< the layer's name in the log line with the measurement */
    fsd_sym runner; /**< the kind of kernel; for a reformat, the change of form */
    fsd_sym tactic;
    fsd_sym formats; /**< the formats of the layer's inputs and outputs, if measured per
                          format; 0: unknown */
    double ms;
    uint32_t build;
    uint32_t next; /**< the next rival of the same layer; FSD_NONE */
};

/** A layer of an engine in the log; these layers show whether the log belongs to the
 *  dump. */
struct fsd_final {
    fsd_sym name;
    fsd_sym tensor;     /**< the layer's first output; 0: none, or unknown */
    enum fsd_dtype out; /**< the type of that tensor */
    bool region;        /**< the layer is a region, whose kernels the dump may list
                             instead */
    uint32_t build;
};

/** Memory figures of the log, in bytes; negative: unknown. */
struct fsd_memory_use {
    fsd_sym layer;        /**< 0: the sums of the whole engine */
    int64_t host, device; /**< persistent */
    int64_t scratch;      /**< the layer's scratch memory; for the whole engine, the
                               maximum, or before version 10 the sum */
    int64_t activations, weights; /**< only for the whole engine */
    uint32_t build;
};

/** Sizes of one of the network's inputs. */
struct fsd_input_shape {
    fsd_sym input;
    uint8_t n;
    int64_t sizes[8];
    int32_t profile; /**< the optimization profile */
    bool run;        /**< true: the sizes of a run; false: the sizes for which the
                          profile is optimized */
    uint32_t build;
};

/** A pass over the whole graph, and its effects in all its runs. */
struct fsd_pass_stats {
    fsd_sym name;
    uint32_t runs, changed; /**< how often the pass ran, and how often it changed the
                                 graph */
    uint32_t matched;       /**< number of groups of nodes that the pass matched, if
                                 reported */
    uint32_t dropped;       /**< number of constants and tensors that were unused after
                                 the pass */
    uint32_t build;
};

/** The provider to which the runtime assigned nodes. */
struct fsd_placement {
    fsd_sym provider;
    fsd_sym op, name; /**< the operator and the name of one node; both 0: the provider
                           has all nodes */
    uint32_t part;    /**< from 1: nodes with the same number were assigned together; 0:
                           unknown */
    uint32_t build;
};

/** A fact in the log about how one of its engines was built; a later fact replaces an
 *  earlier one with the same key. */
struct fsd_built_in {
    struct fsd_built fact;
    uint64_t line;
    uint32_t build; /**< FSD_NONE: the attempt led to no engine */
    bool anywhere;  /**< the log may also state the fact after the engine's layers */
    bool first;     /**< a program starts here: earlier facts are not about its
                         engine */
};

enum fsd_parser_says {
    FSD_SAYS_NODE,  /**< "Parsing node: NAME [Op]" */
    FSD_SAYS_MORE,  /**< about a node, a tensor or the model */
    FSD_SAYS_LAYER, /**< a line of the builder's own list of layers: "IDENTITY NAME" */
};

/** A line in which the parser printed a part of the network, as a range of bytes of the
 *  log. */
struct fsd_parser_line {
    uint64_t at, line;
    uint32_t n;
    uint32_t build;
    enum fsd_parser_says says;
};

/** Lines of an unknown form, which are equal except for numbers. */
struct fsd_unknown_form {
    fsd_sym sample; /**< the first such line */
    fsd_sym key;
    uint32_t n;
};

struct fsd_history {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *path;
    struct fsd_log_scan *scan; /**< private to the log's reader: the engines in the log;
                                    NULL */
    FSD_VEC(struct fsd_event) events;
    FSD_VEC(struct fsd_rival) rivals;
    FSD_VEC(uint32_t)
    rivals_of; /**< indexed by symbol: the newest rival, plus 1; 0:
                                      none */
    struct fsd_efforts efforts;
    FSD_VEC(struct fsd_final) finals;
    FSD_VEC(struct fsd_built_in) built;
    FSD_VEC(struct fsd_memory_use) memory;
    FSD_VEC(struct fsd_input_shape) shapes;
    FSD_VEC(struct fsd_pass_stats) passes; /**< in the order of their first runs */
    FSD_VEC(struct fsd_placement) places;
    fsd_profile_vec profiles; /**< the layer times in the log; no line states the
                                   engine */
    FSD_VEC(uint32_t)
    placed; /**< indexed by build: the number of placed nodes; 0:
                                   unknown */
    FSD_VEC(struct fsd_parser_line) parser;
    FSD_VEC(struct fsd_unknown_form) unknown;
    FSD_VEC(uint32_t) unknown_of; /**< indexed by symbol of the key: its form, plus 1 */
    uint32_t builds;              /**< number of engines in the log; at least 1 */
    uint64_t lines, unknown_lines, lost_rivals;
    uint32_t n_elsewhere; /**< number of events of the log that `events` lacks, because
                               they are about other engines; see fsd_history_part() */
    bool registers;       /**< of a history from fsd_history_part(): some line of the
                               whole log registers a layer */
    bool no_steps;        /**< the log never reports the nodes of layers */
    bool assigned;        /**< the log is a list of assigned nodes: the history has only
                               `places` */
    bool failed;          /**< an attempt to build failed */
    uint64_t session_lines; /**< number of lines of the program that runs the builder,
                                 or of another program */

    /* Set after comparing the log with model and engine (api/run.c): */
    uint32_t build;            /**< the engine of this run, from 0 */
    uint32_t parsed_build;     /**< the engine before which the network was printed */
    const fsd_id *parsed_node; /**< indexed by parsed node: its number in that
                                    network */
    const fsd_id *node_of;     /**< indexed by parsed node: the model's node; FSD_NONE:
                                    none */
    uint32_t n_parsed;
    uint32_t unlike;   /**< number of parsed nodes that the model does not have */
    uint32_t unparsed; /**< number of the model's nodes that the parser did not read:
                            consumers of their outputs in the model read other tensors
                            in the log */
    uint32_t unparsed_quantizers; /**< number of Q and DQ among them */
    fsd_id unparsed_node; /**< the first of these nodes whose output a parsed node reads
                               in the model; FSD_NONE */
    fsd_id unparsed_by;   /**< that parsed node */
    uint32_t foreign;     /**< number of layers of the log's engine that the dump does
                               not have */
    fsd_sym unlike_name, foreign_name; /**< the first of the parsed nodes that `unlike`
                                            counts, and the first of the layers that
                                            `foreign` counts */
    bool refused;                      /**< the log belongs to a different build, so its
                                            facts are not used */
};

struct fsd_history *fsd_history_new(struct fsd_arena *arena, struct fsd_intern *names);

/** Adds a measurement, or replaces a slower one.
 *  @param tactic the text of the rival's tactic, of `tactic_n` bytes; it becomes a
 *  symbol if the rival is kept */
void fsd_history_rival(struct fsd_history *h, struct fsd_rival rival,
                       const char *tactic, size_t tactic_n);

/** The number of events in the whole log. */
static inline uint32_t fsd_history_n_events(const struct fsd_history *h)
{
    return h->events.n + h->n_elsewhere;
}

/** A history whose records are grouped by engine. */
struct fsd_history_parts;

/** Groups the records of a log that was read whole.
 *  @param all  not changed afterwards; it outlives the result. */
struct fsd_history_parts *fsd_history_divide(struct fsd_arena *arena,
                                             const struct fsd_history *all);

/** The history of one engine, with the lines of the network that it was built from: all
 *  that fsd_log_network(), the replay of events and reports need.  Its time and memory
 *  depend only on the lines about that engine.  It lacks the log's layer times, which
 *  are only used for a log of one engine, and the forms of unknown lines, which it only
 *  counts.
 *  @param names receives the symbols of the part.
 *  @param build  the engine, below `all->builds`. */
struct fsd_history *fsd_history_part(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_history_parts *parts,
                                     uint32_t build);

/** Counts a line of an unknown form. */
void fsd_history_unknown(struct fsd_history *h, const char *s, size_t n);

/** The newest rival of a layer; FSD_NONE if there is none; follow `next` for the
 *  others. */
uint32_t fsd_history_rivals(const struct fsd_history *h, fsd_sym layer);

/** Writes the event as a sentence without a full stop: "ConvReluFusion fused A with
 * B". */
void fsd_put_event(const struct fsd_history *h, const struct fsd_event *e, FILE *out);

/** Prints which lines of the log were understood: the count of each form, then the
 *  unknown forms, the most frequent first. */
void fsd_history_dump(const struct fsd_history *h, FILE *out);
