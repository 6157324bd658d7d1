/*
 * The parts of a run, and the results of diff: fates, kinds, causes, precisions and all
 * counts.
 *
 * `struct fsd_diff` is the public header's opaque run.  api/run.c creates its parts one
 * after the other; after that they are const.  A stage takes the parts that it reads as
 * parameters, never the run, so that it cannot read a part that does not exist yet;
 * only the rules, which come last, get the run.  Parts of higher stages are declared
 * here only as pointers to incomplete types, which lower folders cannot dereference.
 */
#pragma once

#include "match/match.h"
#include "model/graph/form.h"
#include "model/graph/layer.h"
#include "read/profile/measured.h"

/** The outcome of a node.  Each node has exactly one. */
enum fsd_fate {
    FSD_FATE_LAYER,
    FSD_FATE_FOLDED,
    FSD_FATE_IDENTITY,
    FSD_FATE_ABSORBED,
    FSD_FATE_MERGED,
    FSD_FATE_DEAD,
    FSD_FATE_OUTSIDE, /**< none of several engines contains the node: the application
                           runs it elsewhere */
    FSD_FATE_UNEXPLAINED,
    FSD__FATE_COUNT
};

/** Why the builder inserted a layer; docs/report.md explains the words. */
enum fsd_cause {
    FSD_CAUSE_NONE, /**< neither an inserted layer nor data movement that only the
                         builder needs */
    FSD_CAUSE_IO,
    FSD_CAUSE_DTYPE,
    FSD_CAUSE_LAYOUT,
    FSD_CAUSE_DTYPE_LAYOUT,
    FSD_CAUSE_SCALE,
    FSD_CAUSE_CONCAT,
    FSD_CAUSE_SLICE,
    FSD_CAUSE_PADDING, /**< pads for a Conv or GEMM kernel, which needs aligned sizes */
    FSD_CAUSE_PLUGIN,
    FSD_CAUSE_FOREIGN,
    FSD_CAUSE_DLA,
    FSD_CAUSE_FREE,
    FSD_CAUSE_UNKNOWN,
    FSD__CAUSE_COUNT
};

/** The result for a node. */
struct fsd_node_result {
    enum fsd_fate fate;
    const char *why;   /**< the proof in a few words, or what is missing; a string
                            literal */
    fsd_id other;      /**< merged: the node that it duplicates; FSD_NONE */
    fsd_id near_layer; /**< for the outcomes identity and dissolved: a layer whose
                            inputs and outputs enclose the node; FSD_NONE */
    uint32_t event;    /**< the last event of the build log about it; FSD_NONE */
    enum fsd_dtype requested, realised;
};

/** The result for a layer. */
struct fsd_layer_result {
    enum fsd_kind kind;
    bool inserted; /**< computes no node, and is not a layer of the network */
    bool forwards; /**< a reformat of data that other layers compute: it is linked to
                        the nodes of these layers as well, but these nodes do not move
                        data */
    bool opaque;   /**< a region whose contents the engine does not state: it is unknown
                        which kernels compute its nodes, in which types, and which
                        layers move data between them */
    enum fsd_dtype precision; /**< FSD_DTYPE_UNKNOWN for an opaque layer */
};

/** Why a layer exists. */
struct fsd_reason {
    enum fsd_cause cause;
    bool requested; /**< it moves data because a node of the model does, such as a
                         Transpose.  Moving an operand of a product, or an input of a
                         Concat that could be in place, is not requested and has a
                         cause */
    uint32_t event; /**< the event of the build log that inserted it; FSD_NONE */
};

/* ------------------------------------------------------------------------- parts */

/** If a model has several engines: the engine to which each node belongs.  This is the
 *  engine of the node's layers; for a node without layers it follows from the tensors
 *  that the engines read and write. */
struct fsd_parts {
    uint32_t n;
    fsd_id *of_node; /**< indexed by node: index in the engine's `parts`; FSD_NONE: in
                          no engine */
    fsd_id *again;   /**< indexed by node: another engine that also computes it;
                          FSD_NONE */
    uint32_t *nodes; /**< indexed by part: number of its nodes */
    fsd_id *open;    /**< indexed by part: an input of the model that nodes of the part
                          seem to read, although the engine does not.  The nodes of such
                          a part are unknown.  FSD_NONE: there is no such input */
    bool known;      /**< the nodes of all parts are known, so a node in no part is
                          outside */
};

/* ------------------------------------------------------------------------- flows */

/*
 * The edges that data-movement layers serve.
 *
 *     model    MaxPool_12 --270--> QuantizeLinear_15, input 0
 *     engine   MaxPool_12 --> Reformat --> Reformat --> QuantizeLinear_15
 *
 * A data-movement layer (a mover in names) is an inserted layer, a copy, or an unfused
 * Q or DQ.  Its flow is the edge of the model that it serves, directly or through other
 * inserted layers, and the chain of such layers to which it belongs.  Other layers have
 * no flow.
 */

/** A consumer of the output of a data-movement layer. */
struct fsd_reader {
    fsd_id layer;   /**< the first layer after it that was not inserted; FSD_NONE: an
                         output of the network */
    fsd_id node;    /**< the node of that layer that reads the model's tensor; FSD_NONE:
                         unknown */
    uint32_t input; /**< index of the node's input; undefined without a node */
    fsd_sym output; /**< the name of the network's output; 0: the consumer is a layer,
                         or has no name */
};

struct fsd_flow {
    bool there;          /**< false: the layer moves no data, and the rest is
                              undefined */
    bool cut;            /**< there are more consumers than are listed in `readers` */
    fsd_id source;       /**< the layer that computed the data, before all inserted
                              layers; FSD_NONE: an input of the network, or unknown */
    fsd_id model_tensor; /**< the edge, a tensor of the model; FSD_NONE: unknown */
    fsd_id producer; /**< the node that outputs `model_tensor`; FSD_NONE: an input of
                          the model, or unknown */
    struct fsd_span readers; /**< span in fsd_flows.readers */
    fsd_id served;           /**< for a layer without tensors: the consumer that its
                                  name mentions; FSD_NONE */
    fsd_id before;           /**< the data-movement layer whose output this one reads;
                                  FSD_NONE */
    fsd_id head;             /**< the first layer of its chain, which may be itself */
};

struct fsd_flows {
    struct fsd_flow *of; /**< indexed by layer */
    FSD_VEC(struct fsd_reader) readers;
};

/* ----------------------------------------------------- higher-precision segments */

/*
 * Higher-precision segments (islands in names and in JSON): connected layers that run
 * in a higher precision than the data before and after them.
 *
 *     int8 conv --fp16--> [ pool fp16 ] --fp16--> Q --> int8 conv
 *
 * A segment is a connected set of tensors of higher precision, which data enters
 * through a layer that raises its precision and leaves through one that lowers it.  An
 * INT8 layer with a higher-precision side input and output, like a convolution that
 * adds an FP16 residual, continues the segment.
 */

struct fsd_island {
    enum fsd_dtype type;    /**< its highest precision */
    struct fsd_span layers; /**< span in fsd_islands.pool: its higher-precision layers,
                                 the data-movement layers at its borders, and
                                 lower-precision layers that continue it; in engine
                                 order */
    struct fsd_span nodes;  /**< span in the pool: the nodes that process
                                 higher-precision data */
    fsd_id entry, exit;     /**< the first layer that raises the precision, and the last
                                 that lowers it */
    uint32_t entries, exits;
    double ms; /**< time of its higher-precision and data-movement layers in
                    milliseconds; negative: unknown */
};

struct fsd_islands {
    FSD_VEC(struct fsd_island)
    list; /**< the segments above 8 bits, then the FP32 segments among 16 bits; each
               part sorted by first layer */
    FSD_VEC(fsd_id) pool;
};

/* ------------------------------------------------------------------------- a run */

/** Number of bits of enum fsd_evidence. */
enum { FSD_EVIDENCES = 6 };

/** All counts of a run. */
struct fsd_summary {
    uint32_t nodes, layers;
    uint32_t by_fate[FSD__FATE_COUNT];
    uint32_t by_kind[FSD__KIND_COUNT];
    uint32_t by_cause[FSD__CAUSE_COUNT]; /**< number of inserted layers with each
                                              cause */
    uint32_t inserted;
    uint32_t requested; /**< data-movement layers that the model requests */
    uint32_t links, by_evidence[FSD_EVIDENCES]; /**< links with each bit of enum
                                                     fsd_evidence */
    uint32_t computing, mapped; /**< layers that compute, and how many of these have
                                     nodes */
    uint32_t opaque, hidden;    /**< opaque layers, and nodes that an opaque layer
                                     computes */
    uint32_t choices; /**< nodes of regions whose layers cannot be distinguished: these
                           nodes have no links */
};

/** The words of the command line that requested the run, each after a blank. */
struct fsd_command {
    const char *run;    /**< for example " m.onnx e.json --profile p.json --peak
                             900,60" */
    const char *build;  /**< for one of several builds: " m.onnx,e.json,p.json" */
    const char *common; /**< options to add to either, such as " --force" */
};

struct fsd_cost;     /* explain/cost/cost.h */
struct fsd_numbers;  /* explain/values/values.h */
struct fsd_values;   /* explain/values/values.h */
struct fsd_findings; /* judge/findings/findings.h */

/** The product kernels: a Conv or a GEMM with its epilogue. */
struct fsd_products {
    const bool *of;           /**< indexed by layer: it is a product kernel */
    uint32_t narrow;          /**< number of product kernels that compute in a quantized
                                   type, of which: */
    uint32_t direct, unknown; /**< the number of these that output a quantized type, and
                                   an unknown type */
    fsd_id example;           /**< the first that outputs a quantized type; FSD_NONE:
                                   there is none */
    enum fsd_dtype type;      /**< the type of all quantized product kernels;
                                   FSD_DTYPE_UNKNOWN: they have several types */
    bool none_quantizes;      /**< no product outputs a quantized type, although the
                                   next layers quantize the outputs of several products:
                                   this is the builder's choice */
};

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;

    /* Input of the run. */
    const struct fsd_graph *model, *engine;
    const struct fsd_history *history; /**< the facts of the build log; NULL: there is
                                            no log */
    struct fsd_story *story;           /**< the replayed log; NULL: there is no log, or
                                            it must not be used.  Not const, because it
                                            caches answers */
    const struct fsd_measured *times;  /**< times of the engine's layers */
    const struct fsd_numbers *numbers; /**< external numbers by name; NULL: none */
    const struct fsd_command *command;
    /* Results of src/match. */
    const struct fsd_facts *facts;
    const struct fsd_match *match;
    /* Results of diff. */
    const struct fsd_parts *parts;         /**< NULL: there is only one engine */
    const struct fsd_layer_result *layers; /**< indexed by layer */
    const enum fsd_dtype *computed;        /**< indexed by link: the type in which the
                                                layer computes the node */
    const struct fsd_flows *flows;
    const struct fsd_reason *reasons;    /**< indexed by layer */
    const struct fsd_node_result *nodes; /**< indexed by node */
    const struct fsd_products *products;
    const struct fsd_islands *islands;
    const struct fsd_summary *summary;
    /* Costs, external numbers and findings. */
    const struct fsd_cost *cost;
    const struct fsd_values *values; /**< external numbers, joined to nodes and layers;
                                          NULL: none */
    const struct fsd_findings *findings;
};

/* The stages of diff, in order.  Each takes the parts that it reads and returns its own
 * part, which lives in the arena of the match; it gets model, engine, facts and story
 * from the match. */

/** The engine of each node; NULL if there is only one engine. */
const struct fsd_parts *fsd_diff_parts(const struct fsd_match *m);
/** Returns an array indexed by layer. */
const struct fsd_layer_result *fsd_diff_layers(const struct fsd_match *m);
/** Returns an array indexed by link, as in fsd_match.links: the type in which the layer
 *  computes the node.  FSD_DTYPE_UNKNOWN: the engine does not show it, or the layer
 *  only prepares or completes what other layers compute. */
const enum fsd_dtype *fsd_diff_computed(const struct fsd_match *m,
                                        const struct fsd_layer_result *layers);
const struct fsd_flows *fsd_diff_flows(const struct fsd_match *m,
                                       const struct fsd_layer_result *layers);
const struct fsd_products *fsd_diff_products(const struct fsd_match *m,
                                             const struct fsd_layer_result *layers,
                                             const struct fsd_node_result *nodes);
/** Returns an array indexed by layer. */
const struct fsd_reason *fsd_diff_reasons(const struct fsd_match *m,
                                          const struct fsd_measured *times,
                                          const struct fsd_layer_result *layers,
                                          const struct fsd_flows *flows);
/** Returns an array indexed by node.
 *  @param parts may be NULL */
const struct fsd_node_result *fsd_diff_nodes(const struct fsd_match *m,
                                             const struct fsd_parts *parts,
                                             const struct fsd_layer_result *layers,
                                             const enum fsd_dtype *computed);
const struct fsd_islands *
fsd_diff_islands(const struct fsd_match *m, const struct fsd_measured *times,
                 const struct fsd_layer_result *layers, const enum fsd_dtype *computed,
                 const struct fsd_flows *flows, const struct fsd_node_result *nodes);
const struct fsd_summary *fsd_diff_summary(const struct fsd_match *m,
                                           const struct fsd_layer_result *layers,
                                           const struct fsd_reason *reasons,
                                           const struct fsd_node_result *nodes);

/** The time of a layer in one run in milliseconds, as the median of all profiles;
 *  negative: unknown. */
static inline double fsd_layer_ms(const struct fsd_diff *d, fsd_id layer)
{
    return d->times->of[layer].median;
}

/** Whether the consumer is an output of the network. */
static inline bool fsd_reader_is_output(const struct fsd_reader *reader)
{
    return reader->layer == FSD_NONE;
}

/** For a duplicate: the node into which it was merged, which is computed in its place.
 *  For any other node: the node itself. */
static inline fsd_id fsd_merged_into(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_MERGED
               ? fsd_id_or(d->nodes[node].other, node)
               : node;
}

/** The first opaque layer that computes the node; FSD_NONE if there is none. */
fsd_id fsd_opaque_layer_of(const struct fsd_match *m,
                           const struct fsd_layer_result *layers, fsd_id node);

/** The event of the log; NULL for FSD_NONE. */
static inline const struct fsd_event *fsd_diff_event(const struct fsd_diff *d,
                                                     uint32_t event)
{
    return event == FSD_NONE ? NULL : &d->history->events.at[event];
}

/** The form of a layer's first input or output; NULL if it has none.  For the output,
 *  `layer` may be FSD_NONE (then NULL). */
const struct fsd_form *fsd_layer_form_in(const struct fsd_graph *engine, fsd_id layer);
const struct fsd_form *fsd_layer_form_out(const struct fsd_graph *engine, fsd_id layer);

/** The precisions of a layer's inputs or outputs, including weights if the dump lists
 *  them as inputs. */
struct fsd_widths {
    enum fsd_dtype widest;          /**< the highest precision; FSD_DTYPE_UNKNOWN: no
                                         precision is known */
    uint32_t wide, narrow, unknown; /**< number of ports above 8 bits, of a quantized
                                         type, and of unknown type */
};

struct fsd_widths fsd_layer_widths(const struct fsd_graph *engine, fsd_id layer,
                                   bool outputs);

/* ----------------------------------------------------------------------- phrases */

/* The words of enumerations, as reports print them. */
const char *fsd_fate_name(enum fsd_fate value);
const char *fsd_kind_name(enum fsd_kind value);
const char *fsd_cause_name(enum fsd_cause value);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; nothing if `by`
                                                    is 0 */
const char *fsd_severity_name(enum fsd_severity value);

/** Prints a phrase about one finding, node, layer or event, without a newline.  Names
 *  are not escaped: the caller escapes the whole phrase. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

/** Prints a name, shortened for lists by fsd_brief(). */
void fsd_put_brief(const struct fsd_diff *d, fsd_sym name, FILE *out);
/** Prints the name that reports use: the node's own, or "#12 (Conv)" for an unnamed
 *  node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
/** Prints the name in backquotes, for sentences in which a name such as `inputs` could
 *  be read as a word. */
void fsd_quote_node(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
void fsd_quote_layer(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Prints, for example, "merged: computes the same as another node: Relu_6". */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);

/** The scales of a quantizer: one for the tensor, or one per channel.  `at` is NULL if
 *  the scales are unknown. */
struct fsd_scales {
    const double *at;
    uint32_t n;
};
/** The scale of a quantized product's bias, and the scale with which its kernel adds
 *  it. */
struct fsd_bias_misfit {
    double is, should;
};
/** Whether a kernel cannot add the bias to its sums; sets `misfit` to the scales of the
 *  first such channel.  False if scales are unknown. */
bool fsd_bias_misfits(struct fsd_scales x, struct fsd_scales w, struct fsd_scales bias,
                      struct fsd_bias_misfit *misfit);
/** Whether the node runs in a higher precision than the model requests and has a
 *  quantized bias whose scale is not the product of the scales of its input and
 *  weights.  False if one of them is unknown. */
bool fsd_bias_widens(const struct fsd_diff *d, fsd_id node,
                     struct fsd_bias_misfit *misfit);
const char *fsd_bias_misfit_text(struct fsd_arena *arena,
                                 const struct fsd_bias_misfit *misfit);
/** Prints the event of the build log as a sentence without a full stop; prints nothing
 *  if there is no log or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

/** Prints "MaxPool_12 -> QuantizeLinear_15 (input 0), Add_36 (input 1)"; names are not
 *  escaped. */
void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Whether fsd_put_edge() has an edge to print; false for a quantizer of which only its
 *  own name is known. */
bool fsd_layer_has_edge(const struct fsd_diff *d, fsd_id layer);
/** Like fsd_put_edge(), for a sentence: with names in backquotes. */
void fsd_quote_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** Writes "fp32 chw -> fp16 chw32" into `out` and returns it; only one form if both are
 *  the same, "" if the layer has no tensors. */
enum { FSD_FORMS_ROOM = 2 * FSD_FORM_ROOM + 4 };
const char *fsd_layer_forms(const struct fsd_diff *d, fsd_id layer,
                            char out[FSD_FORMS_ROOM]);

/** Prints one sentence without a full stop: how to avoid the layer, or why it exists;
 *  nothing for a free layer and for one that moves no data.  Returns whether the
 *  sentence proposes a change. */
bool fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Prints the times that the builder measured for a kernel of the layer's consumer, or
 *  producer, with and without the conversion: "its consumer at 0.004 ms and at 0.006 ms
 *  without the conversion".  Prints nothing if the log has no times. */
void fsd_put_timed(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** True for a layer that costs nothing: a NoOp, or one measured to take no time. */
bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer);

/** How much padding a layer adds to an axis of a tensor for a Conv or GEMM kernel,
 *  which needs aligned sizes, or how much padding it cuts off after such a kernel. */
struct fsd_padding {
    int64_t given, taken; /**< elements of the axis without and with the padding;
                               negative: the engine does not state them */
    uint32_t axis;        /**< undefined if the sizes are not stated */
    bool cuts;
};

/** Whether the layer only pads, or only cuts off padding.
 *  @param padding set if the result is true; may be NULL */
bool fsd_layer_pads(const struct fsd_match *m, fsd_id layer,
                    struct fsd_padding *padding);

/** The size with which a layer would not need to pad, or to cut padding off. */
struct fsd_padding_choice {
    fsd_id product;       /**< the node whose kernel needs it */
    int64_t given, taken; /**< the current size, and the size that needs no padding */
    bool of_group;        /**< the sizes count the channels of each group of a
                               convolution */
};

/** Sets `choice`.  False if the layer does not pad, or if the author of the model
 *  cannot choose the size, because the size is one of the network's data or result. */
bool fsd_padding_choice(const struct fsd_diff *d, fsd_id layer,
                        struct fsd_padding_choice *choice);

/** Prints "choose 2 channels a group instead of 1". */
void fsd_put_padding_choice(const struct fsd_padding_choice *choice, FILE *out);

/** One word for the reason why a data-movement layer exists: its cause, or "quantize"
 *  for a quantizer; else "". */
const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer);
