/*
 * A run, part by part, and what diff makes of it: fates, kinds, causes, precisions, all
 * counts.
 *
 * `struct fsd_diff` is the public header's opaque run. api/run.c makes its parts one
 * after the other; after that they are const.  A stage takes the parts that it reads as
 * parameters, never the run, so that it cannot read a part that does not exist yet;
 * only the rules, which come last, are given the run.  Parts of higher stages are
 * declared here only as pointers, which lower folders cannot look into.
 */
#ifndef FSD_DIFF_DIFF_H
#define FSD_DIFF_DIFF_H

#include "match/match.h"
#include "read/profile/measured.h"

#include <stdio.h>

/** The outcome of a node, exactly one. */
enum fsd_fate {
    FSD_FATE_LAYER,
    FSD_FATE_FOLDED,
    FSD_FATE_IDENTITY,
    FSD_FATE_ABSORBED,
    FSD_FATE_MERGED,
    FSD_FATE_DEAD,
    FSD_FATE_OUTSIDE, /**< in none of several engines: the application runs it
                           elsewhere */
    FSD_FATE_UNEXPLAINED,
    FSD__FATE_COUNT
};

/** Why an inserted layer is there; docs/report.md explains the words. */
enum fsd_cause {
    FSD_CAUSE_NONE, /**< not inserted, and not a data movement for the builder's sake */
    FSD_CAUSE_IO,
    FSD_CAUSE_DTYPE,
    FSD_CAUSE_LAYOUT,
    FSD_CAUSE_DTYPE_LAYOUT,
    FSD_CAUSE_SCALE,
    FSD_CAUSE_CONCAT,
    FSD_CAUSE_SLICE,
    FSD_CAUSE_PADDING, /**< of a Conv or a GEMM kernel, which takes aligned sizes */
    FSD_CAUSE_PLUGIN,
    FSD_CAUSE_FOREIGN,
    FSD_CAUSE_DLA,
    FSD_CAUSE_FREE,
    FSD_CAUSE_UNKNOWN,
    FSD__CAUSE_COUNT
};

/** What became of a node. */
struct fsd_node_result {
    enum fsd_fate fate;
    const char *why;   /**< the proof in a few words, or what is missing; a literal */
    fsd_id other;      /**< merged: the node that it duplicates; FSD_NONE */
    fsd_id near_layer; /**< identity, dissolved: a layer between whose tensors it is */
    uint32_t event;    /**< the last event of the build log about it; FSD_NONE */
    enum fsd_dtype requested, realised;
};

/** What a layer is. */
struct fsd_layer_result {
    enum fsd_kind kind;
    bool inserted; /**< computes no node, and is no layer of the network */
    bool forwards; /**< a reformat of what other layers compute: they are linked to its
                        nodes, too, and these move no data */
    bool opaque;   /**< a region whose inside the engine does not state: which kernels
                        compute its nodes, in which types, and which layers move
                        data between them is unknown */
    enum fsd_dtype precision; /**< of an opaque layer unknown */
};

/** Why a layer is there. */
struct fsd_reason {
    enum fsd_cause cause;
    bool requested; /**< it moves data because a node of the model does, a Transpose.
                         Moving an operand of a product, or an input of a Concat that
                         could be in place, is not requested and has a cause */
    uint32_t event; /**< the event of the build log that inserted it; FSD_NONE */
};

/* ------------------------------------------------------------------------- parts */

/** The engine, of several, that each node belongs to: that of its layers, else by the
 *  tensors that the engines read and write. */
struct fsd_parts {
    uint32_t n;
    fsd_id *of_node; /**< by node: in the engine's `parts`; FSD_NONE: in none */
    fsd_id *again;   /**< another engine that computes it, too; FSD_NONE */
    uint32_t *nodes; /**< by part: how many are its */
    fsd_id *open;    /**< by part: an input of the model that its nodes seem to read and
                          the engine does not, so that its nodes are unknown; FSD_NONE:
                          none */
    bool known;      /**< of all parts: a node in none of them is outside */
};

/* ------------------------------------------------------------------------- flows */

/*
 * The edges that data-movement layers serve.
 *
 *     model    MaxPool_12 --270--> QuantizeLinear_15, input 0
 *     engine   MaxPool_12 --> Reformat --> Reformat --> QuantizeLinear_15
 *
 * A data-movement layer (a mover in names) is an inserted layer, a copy, or an unfused
 * Q or DQ.  Its flow is the edge of the model that it serves, also through other
 * inserted layers, and the chain of such layers that it is a part of.  Other layers
 * have no flow.
 */

/** A consumer of what a data-movement layer outputs. */
struct fsd_reader {
    fsd_id layer; /**< the first layer behind it that was not inserted; FSD_NONE: an
                       output of the network */
    fsd_id node; /**< the node of it that reads the model's tensor; FSD_NONE: unknown */
    uint32_t input; /**< the node's input; undefined without a node */
    fsd_sym output; /**< the name of the network's output; 0: a layer, or no name */
};

struct fsd_flow {
    bool there;          /**< false: the layer moves no data, and the rest is
                              undefined */
    bool cut;            /**< there are more consumers than are listed */
    fsd_id source;       /**< the layer that computed the data, before all inserted
                              ones; FSD_NONE: an input of the network, or unknown */
    fsd_id model_tensor; /**< the edge, a tensor of the model; FSD_NONE: unknown */
    fsd_id producer; /**< the node that outputs it; FSD_NONE: an input of the model, or
                          unknown */
    struct fsd_span readers; /**< in fsd_flows.readers */
    fsd_id served;           /**< of a layer without tensors: the layer that its name
                                  mentions as consumer; FSD_NONE */
    fsd_id before;           /**< the data-movement layer whose output this one reads;
                                  FSD_NONE */
    fsd_id head;             /**< the first of its chain; itself if it is alone */
};

struct fsd_flows {
    struct fsd_flow *of; /**< by layer */
    FSD_VEC(struct fsd_reader) readers;
};

/* ----------------------------------------------------- higher-precision segments */

/*
 * Higher-precision segments (islands in names and in JSON): connected layers that run
 * in a higher precision than the data before and behind them.
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
    struct fsd_span layers; /**< in fsd_islands.pool: its higher-precision layers, the
                                 data-movement layers at its borders, lower-precision
                                 layers that continue it; in engine order */
    struct fsd_span nodes;  /**< in the pool: the nodes that work on higher-precision
                                 data */
    fsd_id entry, exit;     /**< the first layer that raises the precision, the last
                                 that lowers it */
    uint32_t entries, exits;
    double ms; /**< of its higher-precision and data-movement layers; negative:
                    unknown */
};

struct fsd_islands {
    FSD_VEC(struct fsd_island)
    list; /**< by first layer; those above 8 bits come
                                          first */
    FSD_VEC(fsd_id) pool;
};

/* ------------------------------------------------------------------------- a run */

/** Bits of enum fsd_evidence. */
enum { FSD_EVIDENCES = 6 };

/** All counts. */
struct fsd_summary {
    uint32_t nodes, layers;
    uint32_t by_fate[FSD__FATE_COUNT];
    uint32_t by_kind[FSD__KIND_COUNT];
    uint32_t by_cause[FSD__CAUSE_COUNT]; /**< of inserted layers */
    uint32_t inserted;
    uint32_t requested; /**< data-movement layers that the model asks for */
    uint32_t links, by_evidence[FSD_EVIDENCES]; /**< links with each bit of enum
                                                     fsd_evidence */
    uint32_t computing,
        mapped;              /**< layers that compute, and those of them with nodes */
    uint32_t opaque, hidden; /**< opaque layers, and nodes that one of them computes */
    uint32_t choices; /**< nodes of regions whose layers nothing distinguishes: these
                           have no links */
};

/** The words of the command line that asked for the run, each after a blank. */
struct fsd_command {
    const char *run;    /**< " m.onnx e.json --profile p.json --peak 900,60" */
    const char *build;  /**< " m.onnx,e.json,p.json": one of several builds */
    const char *common; /**< " --force": options to add to these */
};

struct fsd_cost;     /* explain/cost/cost.h */
struct fsd_numbers;  /* explain/values/values.h */
struct fsd_values;   /* likewise */
struct fsd_findings; /* judge/findings/findings.h */

/** The kernels of products: of a Conv or a GEMM with its epilogue. */
struct fsd_products {
    const bool *of;           /**< by layer: it is one */
    uint32_t narrow;          /**< of those, in a quantized type: */
    uint32_t direct, unknown; /**< outputs of a quantized type; of an unknown one */
    fsd_id example;           /**< the first that outputs a quantized type; FSD_NONE:
                                   none does */
    enum fsd_dtype type;      /**< of all quantized ones; FSD_DTYPE_UNKNOWN: several */
    bool none_quantizes;      /**< none outputs a quantized type, though the outputs of
                                   several are quantized by the next layer: the builder
                                   chose so */
};

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;

    /* What was read. */
    const struct fsd_graph *model, *engine;
    const struct fsd_history *history; /**< the facts of the build log; NULL: no log */
    struct fsd_story *story;           /**< replayed; NULL: no log, or not to be used;
                                            it caches answers */
    const struct fsd_measured *times;  /**< of the engine's layers */
    const struct fsd_numbers *numbers; /**< from outside, by name; NULL: none */
    const struct fsd_command *command;
    /* What holds. */
    const struct fsd_facts *facts;
    const struct fsd_match *match;
    /* What it means. */
    const struct fsd_parts *parts;         /**< NULL: a single engine */
    const struct fsd_layer_result *layers; /**< by layer */
    const enum fsd_dtype *computed;        /**< by link: in which type */
    const struct fsd_flows *flows;
    const struct fsd_reason *reasons;    /**< by layer */
    const struct fsd_node_result *nodes; /**< by node */
    const struct fsd_products *products;
    const struct fsd_islands *islands;
    const struct fsd_summary *summary;
    /* What it costs, and what of all that a reviewer should look at. */
    const struct fsd_cost *cost;
    const struct fsd_values *values; /**< numbers from outside, joined to nodes and
                                          layers; NULL: none */
    const struct fsd_findings *findings;
};

/* The stages of diff, in order.  Each takes the parts that it reads and returns its
 * own, which lives in the match's arena; match, model, engine, facts and story are the
 * match's own. */

/** NULL where the engine is a single one. */
const struct fsd_parts *fsd_diff_parts(const struct fsd_match *m);
/** By layer. */
const struct fsd_layer_result *fsd_diff_layers(const struct fsd_match *m);
/** By link, as in fsd_match.links: the type in which the layer computes the node;
 *  FSD_DTYPE_UNKNOWN: the engine does not show it, or the layer only prepares or
 *  completes the computation of others. */
const enum fsd_dtype *fsd_diff_computed(const struct fsd_match *m,
                                        const struct fsd_layer_result *layers);
const struct fsd_flows *fsd_diff_flows(const struct fsd_match *m,
                                       const struct fsd_layer_result *layers);
const struct fsd_products *fsd_diff_products(const struct fsd_match *m,
                                             const struct fsd_layer_result *layers,
                                             const struct fsd_node_result *nodes);
/** By layer. */
const struct fsd_reason *fsd_diff_reasons(const struct fsd_match *m,
                                          const struct fsd_measured *times,
                                          const struct fsd_layer_result *layers,
                                          const struct fsd_flows *flows);
/** By node.
 *  @param parts  may be NULL. */
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

/** The time of a layer in one run, the median of all profiles; negative: not known. */
static inline double fsd_layer_ms(const struct fsd_diff *d, fsd_id layer)
{
    return d->times->of[layer].median;
}

/** Whether it is an output of the network. */
static inline bool fsd_reader_is_output(const struct fsd_reader *reader)
{
    return reader->layer == FSD_NONE;
}

/** The node that a duplicate was merged into, which is computed in its place; else the
 *  node itself. */
static inline fsd_id fsd_merged_into(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_MERGED
               ? fsd_id_or(d->nodes[node].other, node)
               : node;
}

/** The first opaque layer that computes the node; FSD_NONE: none does. */
fsd_id fsd_opaque_layer_of(const struct fsd_match *m,
                           const struct fsd_layer_result *layers, fsd_id node);

/** The event of the log; NULL for FSD_NONE. */
static inline const struct fsd_event *fsd_diff_event(const struct fsd_diff *d,
                                                     uint32_t event)
{
    return event == FSD_NONE ? NULL : &d->history->events.at[event];
}

/** The form of a layer's first input or output; NULL when it has none; the output also
 *  for FSD_NONE. */
const struct fsd_form *fsd_layer_form_in(const struct fsd_graph *engine, fsd_id layer);
const struct fsd_form *fsd_layer_form_out(const struct fsd_graph *engine, fsd_id layer);

/** The precisions of a layer's inputs or outputs, weights included if the dump lists
 *  them so. */
struct fsd_widths {
    enum fsd_dtype widest;          /**< FSD_DTYPE_UNKNOWN: none is known */
    uint32_t wide, narrow, unknown; /**< above 8 bits; quantized */
};

struct fsd_widths fsd_layer_widths(const struct fsd_graph *engine, fsd_id layer,
                                   bool outputs);

/* ----------------------------------------------------------------------- phrases */

/* The words of enumerations, as reports print them. */
const char *fsd_fate_name(enum fsd_fate value);
const char *fsd_kind_name(enum fsd_kind value);
const char *fsd_cause_name(enum fsd_cause value);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; of 0 nothing */
const char *fsd_severity_name(enum fsd_severity value);

/** Prints a phrase about one finding, node, layer or event, without a newline.  Names
 *  are printed as they are: the writer escapes the whole. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

/** A name, shortened for lists: fsd_brief(). */
void fsd_put_brief(const struct fsd_diff *d, fsd_sym name, FILE *out);
/** The name a report uses: the node's own, or "#12 (Conv)" for an unnamed node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
/** In a sentence, where `inputs` could be read as a word. */
void fsd_quote_node(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
void fsd_quote_layer(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "merged: computes the same as another node: Relu_6" */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);

/** Scales by value; NULL: not known. */
struct fsd_scales {
    const double *at;
    uint32_t n;
};
/** The scale that the bias of a quantized product has, and the one that its kernel adds
 *  it with. */
struct fsd_bias_misfit {
    double is, should;
};
/** Whether a kernel cannot add the bias to its sums, and the scales of the first
 *  channel of which that holds; false also where one is not known. */
bool fsd_bias_misfits(struct fsd_scales x, struct fsd_scales w, struct fsd_scales bias,
                      struct fsd_bias_misfit *misfit);
/** Whether the node runs in a wider type than the model asks and has a quantized bias
 *  whose scale is not the product of those of its input and weights; false also where
 *  one of them is not known. */
bool fsd_bias_widens(const struct fsd_diff *d, fsd_id node,
                     struct fsd_bias_misfit *misfit);
const char *fsd_bias_misfit_text(struct fsd_arena *arena,
                                 const struct fsd_bias_misfit *misfit);
/** The event of the build log as a sentence without a full stop; nothing if there is no
 *  log or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

/** "MaxPool_12 -> QuantizeLinear_15 (input 0), Add_36 (input 1)"; names as they are. */
void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** False for a quantizer of which only its own name is known. */
bool fsd_layer_has_edge(const struct fsd_diff *d, fsd_id layer);
/** In a sentence: with its names quoted. */
void fsd_quote_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** "fp32 chw -> fp16 chw32", or only one form where they are the same; "" when the
 *  layer has no tensors.  Writes it into `out` and returns that. */
enum { FSD_FORMS_ROOM = 2 * FSD_FORM_ROOM + 4 };
const char *fsd_layer_forms(const struct fsd_diff *d, fsd_id layer,
                            char out[FSD_FORMS_ROOM]);

/** One sentence without a full stop: how to avoid the layer, or why it is there;
 *  nothing for a free layer and one that moves no data.  Returns whether the sentence
 *  proposes a change. */
bool fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** The times that the builder measured for its consumer, or producer, in both forms:
 *  "its reader at 0.004 ms, at 0.006 ms without it"; nothing if the log has none. */
void fsd_put_timed(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** True for a layer that costs nothing: a NoOp, or one measured to take no time. */
bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer);

/** What a layer pads an axis of a tensor by, for a Conv or a GEMM kernel that takes
 *  aligned sizes, or cuts off behind it again. */
struct fsd_padding {
    int64_t given, taken; /**< elements of the axis without and with the padding;
                               negative: the engine leaves them open */
    uint32_t axis;        /**< undefined if these are open */
    bool cuts;
};

/** Whether it only does that.
 *  @param padding  set if it does; NULL: not asked */
bool fsd_layer_pads(const struct fsd_match *m, fsd_id layer,
                    struct fsd_padding *padding);

/** The size with which a layer need not pad, or cut off. */
struct fsd_padding_choice {
    fsd_id product;       /**< the node whose kernel needs it */
    int64_t given, taken; /**< the size that it has, and the one that needs nothing */
    bool of_group;        /**< of each group of a convolution's channels */
};

/** False where the layer does not pad, or the size is not the author's to choose: the
 *  data or the result of the network has it. */
bool fsd_padding_choice(const struct fsd_diff *d, fsd_id layer,
                        struct fsd_padding_choice *choice);

/** Prints "choose 2 channels a group instead of 1". */
void fsd_put_padding_choice(const struct fsd_padding_choice *choice, FILE *out);

/** The word for why a data-movement layer is there: its cause, or that it is a
 *  quantizer; "". */
const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer);

#endif
