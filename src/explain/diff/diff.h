/*
 * The parts of a run, and the results of diff: outcomes of nodes (fates), kinds, causes
 * and precisions of layers, and all counts.
 *
 * `struct fsd_diff` is the opaque run of the public header. api/run.c calls one stage
 * after the other.  Each stage creates a part of the run, which is const from then on.
 * A stage does not get the run, because some parts do not exist yet.  Its parameters
 * are the parts that it reads.  Only the rules, which come last, get the run.  This
 * header does not define the types of costs, values and findings, so that earlier
 * stages cannot read them.
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
    FSD_FATE_OUTSIDE, /**< the model has several engines, and none of them computes the
                           node */
    FSD_FATE_UNEXPLAINED,
    FSD__FATE_COUNT
};

/** Why the builder inserted a layer; docs/report.md explains the words. */
enum fsd_cause {
    FSD_CAUSE_NONE, /**< for a layer that has no cause, such as a kernel that
                         computes, or a Transpose of the model */
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
    const char *why;   /**< the proof, or what is missing for a proof, in a few words; a
                            string literal */
    fsd_id other;      /**< for the outcome merged: the node that it duplicates; else
                            FSD_NONE */
    fsd_id near_layer; /**< for some nodes without a layer: a layer whose inputs and
                            outputs enclose the node; else FSD_NONE */
    uint32_t event;    /**< the last event of the build log about the node; FSD_NONE if
                            there is none */
    enum fsd_dtype requested, realised;
};

/** The result for a layer. */
struct fsd_layer_result {
    enum fsd_kind kind;
    bool inserted; /**< whether the builder inserted the layer: it computes no node, and
                        is not a layer of the network */
    bool forwards; /**< whether the layer only reformats the output of another layer.
                        It is then linked to nodes that the other layer computes */
    bool opaque;   /**< whether the layer is a region whose contents the engine does not
                        state: it is unknown which kernels compute its nodes and in
                        which types */
    enum fsd_dtype precision; /**< FSD_DTYPE_UNKNOWN for an opaque layer */
};

/** Why a data-movement layer exists. */
struct fsd_reason {
    enum fsd_cause cause;
    bool requested; /**< whether the model itself requires the data movement.  For
                         example, true for a Transpose; false for padding before a Conv,
                         and for a copy for a Concat, which could be in place */
    uint32_t event; /**< the event of the build log that inserted the layer; FSD_NONE if
                         there is none */
};

/* ------------------------------------------------------------------------- parts */

/** For a model with several engines ("parts"): the engine to which each node belongs.
 *  A node belongs to the engine of its layers.  A node without layers belongs to an
 *  engine if it is on a path from an input to an output of the engine. */
struct fsd_parts {
    uint32_t n;
    fsd_id *of_node; /**< indexed by node: index of its engine in the `parts` of the
                          engine graph; FSD_NONE if in no engine */
    fsd_id *again;   /**< indexed by node: another engine that also computes the node;
                          FSD_NONE if there is none */
    uint32_t *nodes; /**< indexed by part: number of nodes in it */
    fsd_id *open;    /**< indexed by part: an input of the model that the engine does
                          not read, although the walk back from the engine's outputs
                          reached it; FSD_NONE if there is none.  The nodes of a part
                          with such an input are unknown */
    bool known;      /**< whether the nodes of all parts are known.  If so, a node that
                          is in no part is outside all engines */
};

/* ------------------------------------------------------------------------- flows */

/*
 * The edges that data-movement layers serve.
 *
 *     model    MaxPool_12 --270--> QuantizeLinear_15, input 0
 *     engine   MaxPool_12 --> Reformat --> Reformat --> QuantizeLinear_15
 *
 * A data-movement layer (a "mover" in names) is an inserted layer, a copy, or an
 * unfused Q or DQ.  It serves an edge of the model, directly or through other inserted
 * layers.  The "flow" of the layer is this edge, with the chain of data-movement layers
 * that contains the layer.  Other layers have no flow.
 */

/** A consumer of the output of a data-movement layer. */
struct fsd_reader {
    fsd_id layer;   /**< the consumer, behind any inserted layers; FSD_NONE for an
                         output of the network */
    fsd_id node;    /**< the node of `layer` that reads the model's tensor; FSD_NONE if
                         unknown */
    uint32_t input; /**< index of the node's input; undefined if `node` is FSD_NONE */
    fsd_sym output; /**< the name of the network's output; 0 if the consumer is a layer
                         or has no name */
};

struct fsd_flow {
    bool there;          /**< whether the layer is a data-movement layer; if not, the
                              other members are undefined */
    bool cut;            /**< whether there are more consumers than `readers` lists */
    fsd_id source;       /**< the layer that computed the data, before all inserted
                              layers; FSD_NONE for an input of the network, or if
                              unknown */
    fsd_id model_tensor; /**< the tensor of the model on the edge; FSD_NONE if
                              unknown */
    fsd_id producer; /**< the node that outputs `model_tensor`; FSD_NONE for an input of
                          the model, or if unknown */
    struct fsd_span readers; /**< the layer's consumers, in fsd_flows.readers */
    fsd_id served;           /**< for a layer without tensors: the adjacent layer that
                                  its name mentions; else FSD_NONE */
    fsd_id before;           /**< the data-movement layer whose output this layer reads;
                                  FSD_NONE if there is none */
    fsd_id head;             /**< the first layer of its chain, which may be the layer
                                  itself */
};

struct fsd_flows {
    struct fsd_flow *of; /**< indexed by layer */
    FSD_VEC(struct fsd_reader) readers;
};

/* ----------------------------------------------------- higher-precision segments */

/*
 * A higher-precision segment (an "island" in names and in JSON) is a part of the engine
 * that runs in a higher precision than the data before and behind it.
 *
 *     int8 conv --fp16--> [ pool fp16 ] --fp16--> Q --> int8 conv
 *
 * The higher-precision tensors of a segment are connected by layers.  A layer that
 * raises the precision of data is an entry of the segment, and a layer that lowers the
 * precision is an exit.  An INT8 layer may have a higher-precision input and output,
 * such as a convolution that adds an FP16 residual.  Such a layer continues the
 * segment.
 */

struct fsd_island {
    enum fsd_dtype type;    /**< the type with the highest precision in the segment */
    struct fsd_span layers; /**< a span of fsd_islands.pool, in engine order: its
                                 higher-precision layers, the data-movement layers at
                                 its entries and exits, and lower-precision layers that
                                 continue it */
    struct fsd_span nodes;  /**< a span of the pool: the nodes that process
                                 higher-precision data */
    fsd_id entry, exit;     /**< the first layer that raises the precision, and the last
                                 layer that lowers the precision */
    uint32_t entries, exits;
    double ms; /**< time of its higher-precision and data-movement layers in
                    milliseconds; negative if unknown */
};

struct fsd_islands {
    FSD_VEC(struct fsd_island)
    list; /**< first the segments in types above 8 bits between types of at most 8 bits,
               then the segments in FP32 between 16-bit types.  Each of the two groups
               is sorted by the segments' first tensors */
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
    uint32_t requested; /**< number of data-movement layers that the model requests */
    uint32_t links, by_evidence[FSD_EVIDENCES]; /**< indexed by bit of enum
                                                     fsd_evidence: number of links
                                                     with this bit */
    uint32_t computing, mapped; /**< number of layers that compute, and how many of them
                                     have known nodes */
    uint32_t opaque, hidden;    /**< number of opaque layers, and of nodes that an
                                     opaque layer computes */
    uint32_t choices;           /**< number of nodes that have no links, because the
                           layers of their region cannot be distinguished */
};

/** The arguments of the command line that requested the run.  Each text begins with a
 *  blank. */
struct fsd_command {
    const char *run;    /**< such as " m.onnx e.json --profile p.json --peak 900,60" */
    const char *build;  /**< like `run`, in a list of builds: " m.onnx,e.json" */
    const char *common; /**< options to add to `run` or `build`, such as " --force" */
};

struct fsd_cost;     /* explain/cost/cost.h */
struct fsd_numbers;  /* explain/values/values.h */
struct fsd_values;   /* explain/values/values.h */
struct fsd_findings; /* judge/findings/findings.h */

/** The product kernels.  A product kernel computes a Conv or a GEMM, with its
 *  epilogue. */
struct fsd_products {
    const bool *of;           /**< indexed by layer: whether it is a product kernel */
    uint32_t narrow;          /**< number of product kernels that compute in a quantized
                                   type */
    uint32_t direct, unknown; /**< parts of `narrow`.  `direct`: number of kernels with
                                   a quantized output type; `unknown`: number of kernels
                                   with an unknown output type */
    fsd_id example;           /**< the first kernel in `direct`; FSD_NONE if there is
                                   none */
    enum fsd_dtype type;      /**< the type of all kernels in `narrow`;
                                   FSD_DTYPE_UNKNOWN if they have several types */
    bool none_quantizes;      /**< whether no kernel in `narrow` outputs a quantized
                                   type, although separate layers quantize the outputs
                                   of several of these kernels.  The builder then chose
                                   float outputs, whatever the model requests */
};

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;

    /* Input of the run. */
    const struct fsd_graph *model, *engine;
    const struct fsd_history *history; /**< the facts of the build log; NULL if there is
                                            no log */
    struct fsd_story *story;           /**< the replayed log; NULL if there is no log
                                            or if the log must not be used.  Not const,
                                            because the story caches answers */
    const struct fsd_measured *times;  /**< times of the engine's layers */
    const struct fsd_numbers *numbers; /**< external numbers by name; NULL if there are
                                            none */
    const struct fsd_command *command;
    /* Results of src/match. */
    const struct fsd_facts *facts;
    const struct fsd_match *match;
    /* Results of diff. */
    const struct fsd_parts *parts;         /**< NULL if there is only one engine */
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
                                          NULL if there are none */
    const struct fsd_findings *findings;
};

/* The stages of diff, in the order in which they run.  Each stage gets the parts that
 * it reads, and returns its own part, which is in the arena of the match.  The match
 * has the model, the engine, the facts and the story. */

/** Finds the engine of each node; NULL if there is only one engine. */
const struct fsd_parts *fsd_diff_parts(const struct fsd_match *m);
/** Returns an array indexed by layer. */
const struct fsd_layer_result *fsd_diff_layers(const struct fsd_match *m);
/** Returns an array indexed like fsd_match.links: the type in which the link's layer
 *  computes the link's node.  The type is FSD_DTYPE_UNKNOWN if the engine does not show
 *  it, or if the layer only prepares or completes the work of other layers. */
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

/** The time of a layer in one inference in milliseconds, as the median of all profiles;
 *  negative if unknown. */
static inline double fsd_layer_ms(const struct fsd_diff *d, fsd_id layer)
{
    return d->times->of[layer].median;
}

/** Whether the consumer is an output of the network. */
static inline bool fsd_reader_is_output(const struct fsd_reader *reader)
{
    return reader->layer == FSD_NONE;
}

/** For a merged duplicate, the node that the builder computes in its place; for any
 *  other node, the node itself. */
static inline fsd_id fsd_merged_into(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_MERGED
               ? fsd_id_or(d->nodes[node].other, node)
               : node;
}

/** The first opaque layer that computes the node; FSD_NONE if there is none. */
fsd_id fsd_opaque_layer_of(const struct fsd_match *m,
                           const struct fsd_layer_result *layers, fsd_id node);

/** The event of the build log with this index; NULL for FSD_NONE. */
static inline const struct fsd_event *fsd_diff_event(const struct fsd_diff *d,
                                                     uint32_t event)
{
    return event == FSD_NONE ? NULL : &d->history->events.at[event];
}

/** The form of a layer's first input or output; NULL if it has none.
 *  fsd_layer_form_out() also returns NULL if `layer` is FSD_NONE. */
const struct fsd_form *fsd_layer_form_in(const struct fsd_graph *engine, fsd_id layer);
const struct fsd_form *fsd_layer_form_out(const struct fsd_graph *engine, fsd_id layer);

/** Summarizes the precisions of a layer's inputs or outputs.  Weights count if the dump
 *  lists them as inputs. */
struct fsd_widths {
    enum fsd_dtype widest;          /**< the type of the highest precision;
                                         FSD_DTYPE_UNKNOWN if no precision is known */
    uint32_t wide, narrow, unknown; /**< number of ports with a type above 8 bits, with
                                         a quantized type, and with an unknown type */
};

struct fsd_widths fsd_layer_widths(const struct fsd_graph *engine, fsd_id layer,
                                   bool outputs);

/* ----------------------------------------------------------------------- phrases */

/* The words that reports print for values of enumerations. */
const char *fsd_fate_name(enum fsd_fate value);
const char *fsd_kind_name(enum fsd_kind value);
const char *fsd_cause_name(enum fsd_cause value);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; nothing if `by`
                                                    is 0 */
const char *fsd_severity_name(enum fsd_severity value);

/** A function that prints a phrase about a finding, node, layer or event, without a
 *  newline.  It does not escape names: the caller escapes the whole phrase. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

/** Prints a name, shortened for lists by fsd_brief(). */
void fsd_put_brief(const struct fsd_diff *d, fsd_sym name, FILE *out);
/** Prints the name of the node, or "#12 (Conv)" for an unnamed node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
/** Like fsd_put_node_name(), with backquotes for a sentence, because a name such as
 *  `inputs` may look like a word. */
void fsd_quote_node(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
void fsd_quote_layer(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Prints the outcome of the node, for example "merged: computes the same as another
 *  node: Relu_6". */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);

/** The scales of a quantizer: one for the tensor, or one per channel.  `at` is NULL if
 *  the scales are unknown. */
struct fsd_scales {
    const double *at;
    uint32_t n;
};
/** The scale of a quantized product's bias (`is`), and the scale with which the kernel
 *  could add the bias (`should`). */
struct fsd_bias_misfit {
    double is, should;
};
/** `x`, `w` and `bias` are the scales of a product's input, weights and bias.  Returns
 *  true if the product's kernel cannot add this bias to its sums, and then sets
 *  `misfit` to the scales of the first channel that does not fit.  Returns false if
 *  scales are unknown. */
bool fsd_bias_misfits(struct fsd_scales x, struct fsd_scales w, struct fsd_scales bias,
                      struct fsd_bias_misfit *misfit);
/** Whether the node runs in a higher precision than the model requests, and
 *  fsd_bias_misfits() is true for the node's scales.  False if a precision or a scale
 *  is unknown. */
bool fsd_bias_widens(const struct fsd_diff *d, fsd_id node,
                     struct fsd_bias_misfit *misfit);
const char *fsd_bias_misfit_text(struct fsd_arena *arena,
                                 const struct fsd_bias_misfit *misfit);
/** Prints an event of the build log as a sentence without a full stop.  Prints nothing
 *  if there is no log or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

/** Prints the edge that the layer serves: "MaxPool_12 -> QuantizeLinear_15 (input 0),
 *  Add_36 (input 1)".  Names are not escaped. */
void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Whether fsd_put_edge() has an edge to print.  False if the layer has no flow.  Also
 *  false for a quantizer without inputs and outputs in the dump, if its flow has no
 *  `model_tensor` either. */
bool fsd_layer_has_edge(const struct fsd_diff *d, fsd_id layer);
/** Like fsd_put_edge(), but with names in backquotes, for a sentence. */
void fsd_quote_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** fsd_layer_forms() writes the forms of the layer's first input and output, such as
 *  "fp32 chw -> fp16 chw32", to `out` and returns `out`.  Writes one form if both are
 *  equal, and "" if the layer has no tensors. */
enum { FSD_FORMS_ROOM = 2 * FSD_FORM_ROOM + 4 };
const char *fsd_layer_forms(const struct fsd_diff *d, fsd_id layer,
                            char out[FSD_FORMS_ROOM]);

/** Prints how to avoid the layer, or why it exists, as a sentence without a full stop.
 *  Prints nothing for a layer that costs nothing or moves no data.  Returns whether the
 *  sentence proposes a change. */
bool fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Prints the time of a kernel of the layer's consumer or producer with and without the
 *  conversion: "its consumer takes 0.004 ms, and would take 0.006 ms without the
 *  conversion".  Prints nothing if the log lacks the conversion or the time with it, or
 *  if the converted tensor is not the first input of the consumer or the first output
 *  of the producer. */
void fsd_put_timed(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** Whether the layer costs nothing: it is a NoOp, or its measured time is 0. */
bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer);

/** The padding of a tensor's axis for a Conv or GEMM kernel, which needs aligned sizes.
 *  A layer adds the padding before the kernel, or cuts it off behind the kernel. */
struct fsd_padding {
    int64_t given, taken; /**< number of elements of the axis without and with the
                               padding; negative if the engine does not state them */
    uint32_t axis;        /**< index of the axis; undefined if the sizes are not
                               stated */
    bool cuts;
};

/** Whether the layer does nothing but pad a tensor or cut off padding.
 *  @param padding set if the result is true; may be NULL */
bool fsd_layer_pads(const struct fsd_match *m, fsd_id layer,
                    struct fsd_padding *padding);

/** The size that the author of a model can choose so that the builder inserts no
 *  padding layer. */
struct fsd_padding_choice {
    fsd_id product;       /**< the Conv or GEMM whose kernel needs the padding */
    int64_t given, taken; /**< the current size, and the size that needs no padding */
    bool of_group;        /**< whether the sizes count the channels of one group of a
                               convolution */
};

/** Sets `choice`.  False if the layer neither pads nor cuts off padding, or if the
 *  author of the model cannot choose the size, because the network's inputs or outputs
 *  determine it. */
bool fsd_padding_choice(const struct fsd_diff *d, fsd_id layer,
                        struct fsd_padding_choice *choice);

/** Prints the choice, such as "choose 2 channels a group instead of 1". */
void fsd_put_padding_choice(const struct fsd_padding_choice *choice, FILE *out);

/** The reason for a data-movement layer in one word: its cause, or "quantize" for a
 *  quantizer; "" for other layers. */
const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer);
