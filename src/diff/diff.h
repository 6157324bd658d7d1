/*
 * A run, part by part, and what diff makes of it: fates, kinds, causes, precisions, all
 * counts.
 *
 * `struct fsd_diff` is the public header's opaque run.  api/run.c makes its parts one
 * after the other; they are const ever after.  A stage takes the parts that it reads as
 * parameters, never the run, so that it cannot read what is not there yet; only the
 * rules, which come last, are given the run.  What stages above diff make is only named
 * here; nobody below can look into it.
 */
#ifndef FSD_DIFF_DIFF_H
#define FSD_DIFF_DIFF_H

#include "match/match.h"
#include "profile/measured.h"

#include <stdio.h>

/** What became of a node, exactly one. */
enum fsd_fate {
    FSD_FATE_LAYER,
    FSD_FATE_FOLDED,
    FSD_FATE_IDENTITY,
    FSD_FATE_ABSORBED,
    FSD_FATE_MERGED,
    FSD_FATE_DEAD,
    FSD_FATE_OUTSIDE, /**< in none of several engines: whoever runs these runs it */
    FSD_FATE_UNEXPLAINED,
    FSD__FATE_COUNT
};

/** Why an inserted layer is there; the words are explained in docs/report.md. */
enum fsd_cause {
    FSD_CAUSE_NONE, /**< not inserted, and moves nothing for the builder's sake */
    FSD_CAUSE_IO,
    FSD_CAUSE_DTYPE,
    FSD_CAUSE_LAYOUT,
    FSD_CAUSE_DTYPE_LAYOUT,
    FSD_CAUSE_SCALE,
    FSD_CAUSE_CONCAT,
    FSD_CAUSE_SLICE,
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
    const char *why; /**< the proof in a few words, or what is missing; a literal */
    fsd_id other;    /**< merged: the node it duplicates; FSD_NONE */
    fsd_id
        near_layer; /**< identity, dissolved: a layer between whose tensors it lies */
    uint32_t event; /**< of the build log: what happened to it last; FSD_NONE */
    enum fsd_dtype requested, realised;
};

/** What a layer is. */
struct fsd_layer_result {
    enum fsd_kind kind;
    bool inserted; /**< computes no node */
    enum fsd_dtype precision;
};

/** Why a layer is there. */
struct fsd_reason {
    enum fsd_cause cause;
    bool requested; /**< it moves data because a node of the model does: a Transpose; no
                         operand of a product, and no part of a Concat that could be in
                         place, which have a cause */
    uint32_t event; /**< of the build log: what put it there; FSD_NONE */
};

/* ------------------------------------------------------------------------- parts */

/** Which of several engines each node belongs to: by its layers, else by the tensors
 *  that the engine reads and writes. */
struct fsd_parts {
    uint32_t n;
    fsd_id *of_node; /**< by node: in the engine's `parts`; FSD_NONE: in none */
    fsd_id *again;   /**< by node: another one that computes it, too; FSD_NONE */
    uint32_t *nodes; /**< by part: how many are its */
    fsd_id *open;    /**< by part: an input of the model that its nodes seem to read and
                          it does not; FSD_NONE: none, so that its nodes are known */
    bool known;      /**< of all parts: what is in none is outside */
};

/* ------------------------------------------------------------------------- flows */

/*
 * Where the layers that only move data sit.
 *
 *     model    MaxPool_12 --270--> QuantizeLinear_15, input 0
 *     engine   MaxPool_12 --> Reformat --> Reformat --> QuantizeLinear_15
 *
 * A mover is a layer that moves data for the builder's sake or the quantizers': an
 * inserted layer, a copy, a Q or DQ left standing.  Its flow is the edge of the model
 * that it sits on, told through chains of inserted layers, and the chain of movers that
 * it is a link of.  Everything else has no flow.
 */

/** Who reads what a mover carries. */
struct fsd_reader {
    fsd_id layer; /**< the first behind it that is not inserted; FSD_NONE: an output
                       of the network */
    fsd_id
        node; /**< which of its nodes reads the model's tensor; FSD_NONE: not known */
    uint32_t input; /**< the node's input; of no meaning without a node */
};

struct fsd_flow {
    bool there;          /**< false: the layer is no mover, and the rest says nothing */
    bool cut;            /**< there are more readers than are listed */
    fsd_id source;       /**< the layer that made the data, before all inserted ones;
                              FSD_NONE: an input of the network, or not known */
    fsd_id model_tensor; /**< the edge, a tensor of the model; FSD_NONE: not known */
    fsd_id producer; /**< the node that makes it; FSD_NONE: an input of the model, or
                          not known */
    struct fsd_span readers; /**< in fsd_flows.readers */
    fsd_id served;           /**< of a layer without tensors: the one that its name says
                                  it is for; FSD_NONE */
    fsd_id before;           /**< the mover whose output this one reads; FSD_NONE */
    fsd_id head;             /**< the first of its chain; itself when it stands alone */
};

struct fsd_flows {
    struct fsd_flow *of; /**< by layer */
    FSD_VEC(struct fsd_reader) readers;
};

/* ----------------------------------------------------------------------- islands */

/*
 * Islands: stretches of an engine that run wider than what is before and behind them.
 *
 *     int8 conv --fp16--> [ pool fp16 ] --fp16--> Q --> int8 conv
 *
 * An island is a connected set of wide tensors that narrow data enters (through a layer
 * that reads narrow and writes wide) and leaves (through one that reads wide and writes
 * narrow).  A narrow layer with a wide side input and a wide output, like an INT8
 * convolution that adds an FP16 residual, carries it on.
 */

struct fsd_island {
    enum fsd_dtype type;    /**< its widest */
    struct fsd_span layers; /**< in fsd_islands.pool: wide ones, movers at its borders,
                                 narrow ones that carry it on; in engine order */
    struct fsd_span nodes;  /**< in the pool: those that work on wide data */
    fsd_id entry, exit;     /**< the first layer that widens, the last that narrows */
    uint32_t entries, exits;
    double ms; /**< of its wide layers and the movers; negative: not known */
};

struct fsd_islands {
    FSD_VEC(struct fsd_island) list; /**< by first layer, 16 bits and more first */
    FSD_VEC(fsd_id) pool;
};

/* ------------------------------------------------------------------------- a run */

/** All counts. */
struct fsd_summary {
    uint32_t nodes, layers;
    uint32_t by_fate[FSD__FATE_COUNT];
    uint32_t by_kind[FSD__KIND_COUNT];
    uint32_t by_cause[FSD__CAUSE_COUNT]; /**< of inserted layers */
    uint32_t inserted;
    uint32_t requested; /**< layers that move data as the model asks */
    uint32_t links,
        by_evidence[5]; /**< links that have each bit of enum fsd_evidence */
    uint32_t computing,
        mapped; /**< layers that should compute nodes, and those that do */
};

/** The words of a command line by which it was asked for, each with a blank before it.
 */
struct fsd_command {
    const char *run;    /**< " m.onnx e.json --profile p.json --peak 900,60" */
    const char *build;  /**< " m.onnx,e.json,p.json": a build among others */
    const char *common; /**< " --force": what goes with these, too */
};

struct fsd_cost;     /* cost/cost.h */
struct fsd_numbers;  /* values/values.h */
struct fsd_values;   /* likewise */
struct fsd_findings; /* findings/findings.h */

/** The kernels of products: a Conv or a GEMM with what is done to its result. */
struct fsd_products {
    const bool *of;           /**< by layer: it is one */
    uint32_t narrow;          /**< of those, in a quantized type: */
    uint32_t direct, unknown; /**< that write one; of which it is not known */
    fsd_id example;           /**< the first that writes one; FSD_NONE: none does */
    enum fsd_dtype type;      /**< of all narrow ones; FSD_DTYPE_UNKNOWN: several */
    bool none_quantizes; /**< none writes a quantized type, though what several write is
                              quantized by the next layer: the builder's choice */
};

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;

    /* What was read. */
    const struct fsd_graph *model, *engine;
    const struct fsd_history *history; /**< what the build log tells; NULL: no log */
    struct fsd_story *story;           /**< replayed; NULL: no log, or not to be used;
                                            it remembers what it was asked for */
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
    const struct fsd_values *values; /**< numbers from outside, joined; NULL: none */
    const struct fsd_findings *findings;
};

/* The stages of diff, in their order.  Each takes the parts that it reads and returns
 * the one that it makes, which lives in the match's arena; match, model, engine, facts
 * and story are the match's own. */

/** NULL where the engine is a single one. */
const struct fsd_parts *fsd_diff_parts(const struct fsd_match *m);
/** By layer. */
const struct fsd_layer_result *fsd_diff_layers(const struct fsd_match *m);
/** By link, as in fsd_match.links: the type in which the layer computes the node;
 *  FSD_DTYPE_UNKNOWN: the engine does not show it, or the layer only prepares or ends
 *  what others compute. */
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

/** The form of a layer's first input or output; NULL when it has none. */
const struct fsd_form *fsd_layer_form_in(const struct fsd_graph *engine, fsd_id layer);
const struct fsd_form *fsd_layer_form_out(const struct fsd_graph *engine, fsd_id layer);

/** What a layer reads, or writes, weights among it where the dump lists them so. */
struct fsd_widths {
    enum fsd_dtype widest;          /**< FSD_DTYPE_UNKNOWN: none is known */
    uint32_t wide, narrow, unknown; /**< wider than 8 bits; quantized */
};

struct fsd_widths fsd_layer_widths(const struct fsd_graph *engine, fsd_id layer,
                                   bool outputs);

/* ----------------------------------------------------------------------- phrases */

/* The words of the contract, as reports print them. */
const char *fsd_fate_name(enum fsd_fate value);
const char *fsd_kind_name(enum fsd_kind value);
const char *fsd_cause_name(enum fsd_cause value);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; of 0 nothing */
const char *fsd_severity_name(enum fsd_severity value);

/** Writes a phrase about one finding, node, layer or event, without a newline.  Names
 *  stand in it as they came: the writer escapes the whole. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

/** A name as it is told of many: base/text.h. */
void fsd_put_brief(const struct fsd_diff *d, fsd_sym name, FILE *out);
/** The name a report uses: the node's own, or "#12 (Conv)" for an unnamed node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "merged: computes the same as another node: Relu_6" */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);
/** What the build log says, as a sentence without its end; nothing when there is no log
 *  or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

/** "MaxPool_12 -> QuantizeLinear_15 (input 0), Add_36 (input 1)"; names as they are. */
void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** "fp32 chw -> fp16 chw32", or only one form where they are the same; nothing when the
 *  layer has no tensors. */
void fsd_put_change(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** One sentence on what makes the layer unnecessary, or on why it is there, without a
 *  full stop; says nothing for a free layer and one that does not move data.
 *  Returns whether the sentence proposes a change. */
bool fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** What the builder measured of its reader, or maker, in both forms: "its reader at
 *  0.004 ms, at 0.006 ms without it"; nothing where the log does not tell. */
void fsd_put_timed(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** True for a layer that costs nothing: a NoOp, or one measured to take no time. */
bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer);

/** Whether the layer only pads an axis of a tensor for a Conv or a GEMM, which takes
 *  aligned sizes, or cuts that padding off again.
 *  @param given  set to the elements of the axis without padding; NULL: not asked
 *  @param taken  set to those with it */
bool fsd_layer_pads(const struct fsd_graph *engine, fsd_id layer, int64_t *given,
                    int64_t *taken);

/** The word for why a mover is there: its cause, or that it is a quantizer; "".  */
const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer);

#endif
