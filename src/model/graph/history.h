/*
 * The history has the steps that a build log reports, from the network to the engine:
 * one event per meaningful line, in the order of the log. read/log/read.c fills the
 * history, and match/story.c applies its events to the model.
 *
 * A line becomes an event because of its form ("X: Fusing A with B"), not because of
 * the name of the pass.  Names stay as in the log; only match/ finds the nodes that
 * they mean.
 */
#pragma once

#include "base/base.h"
#include "model/graph/built.h"
#include "model/graph/dtype.h"
#include "model/graph/effort.h"
#include "model/graph/profile.h"

/** The kinds of events, and the meaning of the members pass, a, b and text for each
 * kind. */
enum fsd_event_kind {
    FSD_EVENT_STAGE,     /**< a: "After vertical fusions", text: the number of layers */
    FSD_EVENT_TRY,       /**< pass examines layer a (0: not stated) */
    FSD_EVENT_FUSE,      /**< pass fuses a with b; text: the fused layer, "a + b" */
    FSD_EVENT_INTO,      /**< pass fuses a into b; a may be "(x and y)" */
    FSD_EVENT_REMOVE,    /**< layer a is removed; `pass` and b: the pass and the layer
                              of the last FSD_EVENT_TRY in this stage, because the log
                              line states no pass; 0: unknown */
    FSD_EVENT_SWAP,      /**< layer a is swapped with layer b */
    FSD_EVENT_RETYPE,    /**< layer a changes its type; text: "ELEMENTWISE to
                              POINTWISE" */
    FSD_EVENT_MERGE,     /**< several layers become the layer a: "x || y" */
    FSD_EVENT_DUPLICATE, /**< layer a is removed, as a duplicate of layer b; text: the
                              operator, "Q" */
    FSD_EVENT_CONCAT,    /**< a: a concatenation that is written in place */
    FSD_EVENT_SLICE,     /**< a: a slice that is removed; text: the way in which it is
                              removed */
    FSD_EVENT_RETARGET,  /**< tensor a becomes tensor b, or a part of b */
    FSD_EVENT_COPY,      /**< tensor a is copied to tensor b; text: the reason */
    FSD_EVENT_REFORMAT,  /**< a: the reformat, "Reformatted Input Tensor 0 to X"; b: the
                              tensor; text: "Float(..) to Half(..)" */
    FSD_EVENT_REGISTER,  /**< the parser registers layer a for ONNX node b */
    FSD_EVENT_MEMBERS,   /**< a: a foreign node; text: the Metadata of that node */
    FSD_EVENT_PATTERN,   /**< a is part of a pattern; text: the name of the
                              pattern, "self-attention" */
    FSD_EVENT_TUNED,     /**< a: a layer of region b; text: the fastest kernels of
                              the layer */
    FSD_EVENT_WARNING,   /**< text: the message; a: the rule for this kind of warning */
    FSD_EVENT_SKIP,      /**< pass did not fuse node a (0: the line names no node);
                              text: the reason; b: the function that states the reason
                              (0: the pass itself) */
    FSD_EVENT_FALLBACK,  /**< layer a runs on the GPU although the user assigned it to
                              the DLA; text: the reason; b: the type of the layer (0:
                              not stated) */
    FSD_EVENT_ADD,       /**< pass added b, "a Q/DQ pair", on tensor a; text: "between X
                              and Y" (0: not stated) */
    FSD__EVENT_COUNT
};

struct fsd_event {
    enum fsd_event_kind kind;
    fsd_sym pass; /**< 0: the line does not name a pass */
    fsd_sym a, b, text;
    fsd_id node;    /**< REGISTER: the number of the node that the parser imports, from
                         0 */
    uint32_t build; /**< the number of the event's engine in the log, from 0 */
    uint32_t timed; /**< REFORMAT: the index of its measurement in `rivals`, plus 1; 0:
                         the builder did not measure it */
    uint32_t times; /**< SKIP: how often the line occurs in the log */
    bool unstated;  /**< FALLBACK: the log states no reason */
    uint64_t line;
};

/** The maximum number of rivals per layer and build.  A rival is one kind of kernel in
 *  one combination of formats.  In known logs, a layer has at most 60 rivals. */
enum { FSD_MOST_RIVALS = 256 };

/** A measurement of the builder: the fastest tactic of one kind of kernel for one
 *  layer, or the fastest tactic of one reformat.  If the log states formats, there is
 *  one measurement for each combination of formats. */
struct fsd_rival {
    fsd_sym layer;  /**< the layer's name in the log line with the measurement */
    fsd_sym runner; /**< the kind of kernel; for a reformat, the old and the new form */
    fsd_sym tactic;
    fsd_sym formats; /**< the formats of the layer's inputs and outputs in this
                          measurement; 0: unknown */
    double ms;
    uint32_t build;
    uint32_t next; /**< the next rival of the same layer; FSD_NONE: this is the last
                        one */
};

/** A layer of a finished engine, as the log lists it.  The program compares these
 *  layers with the layers in the dump, to decide whether the log belongs to the
 *  dump. */
struct fsd_final {
    fsd_sym name;
    fsd_sym tensor;     /**< the layer's first output; 0: none, or unknown */
    enum fsd_dtype out; /**< the type of `tensor` */
    bool region;        /**< the layer is a region; the dump may list its kernels
                             instead */
    uint32_t build;
};

/** Memory figures of the log, in bytes; negative: unknown. */
struct fsd_memory_use {
    fsd_sym layer;        /**< 0: the sums of the whole engine */
    int64_t host, device; /**< persistent memory on the host and on the device */
    int64_t scratch;      /**< the scratch memory of the layer.  In the entry of the
                               whole engine, this is the maximum over all layers; older
                               builders state the sum instead */
    int64_t activations, weights; /**< only for the whole engine */
    uint32_t build;
};

/** The sizes of one input of the network. */
struct fsd_input_shape {
    fsd_sym input;
    uint8_t n;
    int64_t sizes[8];
    int32_t profile; /**< the optimization profile */
    bool run;        /**< true: the sizes with which the engine ran; false: the sizes
                          for which the profile is optimized */
    uint32_t build;
};

/** A pass over the whole graph, and the effects of all its runs. */
struct fsd_pass_stats {
    fsd_sym name;
    uint32_t runs, changed; /**< how often the pass ran, and how often it changed the
                                 graph */
    uint32_t matched;       /**< the number of groups of nodes that the pass matched, if
                                 the log reports it */
    uint32_t dropped;       /**< the number of constants and tensors that were unused
                                 after the pass */
    uint32_t build;
};

/** An execution provider to which ONNX Runtime assigned a node or all nodes. */
struct fsd_placement {
    fsd_sym provider;
    fsd_sym op, name; /**< the operator and the name of the node; both 0: all nodes */
    uint32_t part;    /**< the number of the group of nodes that were assigned together,
                           from 1; 0: unknown */
    uint32_t build;
};

/** A fact in the log about how one of its engines was built; a later fact replaces an
 *  earlier one with the same key. */
struct fsd_built_in {
    struct fsd_built fact;
    uint64_t line;
    uint32_t build; /**< the engine; FSD_NONE: the build attempt led to no engine */
    bool anywhere;  /**< true: the line may come before or after the engine's layers;
                         false: the line comes before them */
    bool first;     /**< `line` is the first line of a program's output; facts on
                         earlier lines are not about the engine of this program */
};

enum fsd_parser_says {
    FSD_SAYS_NODE,  /**< "Parsing node: NAME [Op]" */
    FSD_SAYS_MORE,  /**< another line about a node, a tensor or the model */
    FSD_SAYS_LAYER, /**< a line of the builder's own list of layers: "IDENTITY NAME" */
};

/** A log line in which the parser printed a part of the network.  Its text is a range
 *  of bytes of the log. */
struct fsd_parser_line {
    uint64_t at, line;
    uint32_t n;
    uint32_t build;
    enum fsd_parser_says says;
};

/** All log lines of one unknown form: they differ only in numbers. */
struct fsd_unknown_form {
    fsd_sym sample; /**< the first line of this form */
    fsd_sym key;
    uint32_t n;
};

struct fsd_history {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *path;
    struct fsd_log_scan *scan; /**< the engines in the log; only the log's reader uses
                                    it; may be NULL */
    FSD_VEC(struct fsd_event) events;
    FSD_VEC(struct fsd_rival) rivals;
    FSD_VEC(uint32_t)
    rivals_of; /**< indexed by symbol of a layer: the index of its newest rival, plus 1;
                    0: none */
    struct fsd_efforts efforts;
    FSD_VEC(struct fsd_final) finals;
    FSD_VEC(struct fsd_built_in) built;
    FSD_VEC(struct fsd_memory_use) memory;
    FSD_VEC(struct fsd_input_shape) shapes;
    FSD_VEC(struct fsd_pass_stats) passes; /**< in the order of their first runs */
    FSD_VEC(struct fsd_placement) places;
    fsd_profile_vec profiles; /**< the layer times in the log; the log does not
                                   state to which engine they belong */
    FSD_VEC(uint32_t)
    placed; /**< indexed by build: the number of placed nodes; 0: unknown */
    FSD_VEC(struct fsd_parser_line) parser;
    FSD_VEC(struct fsd_unknown_form) unknown;
    FSD_VEC(uint32_t)
    unknown_of;      /**< indexed by fsd_unknown_form.key: the index of the form
                                     in `unknown`, plus 1; 0: none */
    uint32_t builds; /**< the number of engines in the log, at least 1 */
    uint64_t lines, unknown_lines, lost_rivals;
    uint32_t n_elsewhere; /**< the number of events that fsd_history_part() left out,
                               because they are about other engines */
    bool registers;       /**< the whole log, not only the part in `events`, has an
                               FSD_EVENT_REGISTER; only fsd_history_part() sets this
                               member */
    bool no_steps;        /**< the log never reports the nodes of layers */
    bool assigned;        /**< the log is a list of nodes and their execution providers:
                               the history has only `places` */
    bool failed;          /**< an attempt to build failed */
    uint64_t session_lines; /**< the number of lines of other programs, such as the
                                 program that calls the builder */

    /* These belong to one run, which compares the log with a model and an engine: */
    uint32_t build;            /**< the number of the run's engine in the log, from 0 */
    uint32_t parsed_build;     /**< the number of the engine for which the log prints
                                    the network: `build`, or else the nearest earlier
                                    engine; FSD_NONE: none of these */
    const fsd_id *parsed_node; /**< The log prints the nodes in the order of parsing.
                                    The i-th parsed node has the number parsed_node[i]
                                    in the graph from fsd_log_network() */
    const fsd_id *node_of;     /**< The i-th parsed node has the number node_of[i] in
                                    the model; FSD_NONE: the model does not have the
                                    node */
    uint32_t n_parsed;
    uint32_t unlike;   /**< the number of parsed nodes that the model does not have */
    uint32_t unparsed; /**< the number of nodes in the model's main graph that the
                            parser provably did not read.  The log lacks such a node.
                            A consumer is the proof: the log lists the consumer's
                            inputs without the node's output, or the consumer is also
                            such a node */
    uint32_t unparsed_quantizers; /**< the number of QuantizeLinear and DequantizeLinear
                                       nodes that `unparsed` counts */
    fsd_id unparsed_node; /**< the first node that the parser did not read, but whose
                               output a parsed node reads in the model; FSD_NONE: there
                               is none */
    fsd_id unparsed_by;   /**< the parsed node that reads the output of
                               `unparsed_node` */
    uint32_t foreign;     /**< the number of layers of the log's engine that the dump
                               does not have */
    fsd_sym unlike_name, foreign_name; /**< the names of the first node that `unlike`
                                            counts, and of the first layer that
                                            `foreign` counts */
    bool refused;                      /**< the log belongs to a different build, so the
                                            program does not use its facts */
};

struct fsd_history *fsd_history_new(struct fsd_arena *arena, struct fsd_intern *names);

/** Adds a measurement, or replaces a slower one.
 *  @param tactic  the tactic's name, of `tactic_n` bytes; it becomes a symbol only if
 *  the history keeps the rival */
void fsd_history_rival(struct fsd_history *h, struct fsd_rival rival,
                       const char *tactic, size_t tactic_n);

/** Returns the number of events in the whole log. */
static inline uint32_t fsd_history_n_events(const struct fsd_history *h)
{
    return h->events.n + h->n_elsewhere;
}

/** A history whose records are grouped by engine. */
struct fsd_history_parts;

/** Groups the records of a log that was read whole.
 *  @param all  must not change afterwards, and must outlive the result */
struct fsd_history_parts *fsd_history_divide(struct fsd_arena *arena,
                                             const struct fsd_history *all);

/** Returns the history of one engine and of its network.  The result is enough for
 *  fsd_log_network(), the replay of events and the reports.  It has no layer times,
 *  because they are used only if the log has one engine.  It has the number of lines of
 *  unknown forms, but not the forms.
 *  The time and the memory depend only on the lines about this engine.
 *  @param names  receives the symbols of the result
 *  @param build  the number of the engine, below `all->builds` */
struct fsd_history *fsd_history_part(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_history_parts *parts,
                                     uint32_t build);

/** Counts a line of an unknown form. */
void fsd_history_unknown(struct fsd_history *h, const char *s, size_t n);

/** Returns the index of the newest rival of a layer; FSD_NONE if there is none.  The
 *  member `next` leads to the layer's other rivals. */
uint32_t fsd_history_rivals(const struct fsd_history *h, fsd_sym layer);

/** Writes the event as a sentence without a full stop: "ConvReluFusion fused A with
 * B". */
void fsd_put_event(const struct fsd_history *h, const struct fsd_event *e, FILE *out);

/** Prints how many lines of the log have each known form, then the unknown forms, the
 *  most frequent first. */
void fsd_history_dump(const struct fsd_history *h, FILE *out);
