/*
 * What the relation means: fates, kinds, causes, precisions, findings, and all counts.
 *
 * `struct fsd_diff` is the public header's opaque run.  session.c fills it stage by
 * stage; writers get it const.
 */
#ifndef FSD_DIFF_DIFF_H
#define FSD_DIFF_DIFF_H

#include "base/spread.h"
#include "diff/flow.h"
#include "diff/island.h"
#include "match/match.h"

#include <stdio.h>

/** What became of a node, exactly one. */
enum fsd_fate {
    FSD_FATE_LAYER,
    FSD_FATE_FOLDED,
    FSD_FATE_IDENTITY,
    FSD_FATE_ABSORBED,
    FSD_FATE_MERGED,
    FSD_FATE_DEAD,
    FSD_FATE_UNEXPLAINED,
    FSD__FATE_COUNT
};

/** Why an inserted layer is there; the words are explained in README.md. */
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

struct fsd_node_result {
    enum fsd_fate fate;
    const char *why; /**< the proof in a few words, or what is missing; a literal */
    fsd_id other;    /**< merged: the node it duplicates; FSD_NONE */
    fsd_id
        near_layer; /**< identity, dissolved: a layer between whose tensors it lies */
    uint32_t event; /**< of the build log: what happened to it last; FSD_NONE */
    enum fsd_dtype requested, realised;
    int64_t macs;    /**< multiply-adds, an amount; negative: no number is known */
    int64_t work;    /**< these, or elements written where it has none; likewise */
    double ms;       /**< its part of its layers' times; negative: not known */
    double moved_ms; /**< what of it layers take that only move data; 0: nothing */
    bool shares;     /**< other nodes have a part of the same layer's time */
};

/** Where the time of a run goes.  Everything is in milliseconds of one run.  Sums are
 *  those of the layers' times, each the median of all profiles. */
struct fsd_times {
    uint32_t profiles;        /**< how many were given; 0: nothing else is known */
    uint64_t runs;            /**< of all profiles together; 0: not told */
    double total;             /**< of all entries */
    struct fsd_spread totals; /**< of each profile's own sum */
    double by_kind[FSD__KIND_COUNT];
    double by_cause[FSD__CAUSE_COUNT]; /**< FSD_CAUSE_NONE: all that has no cause */
    double inserted;                   /**< of inserted layers */
    double nodes;             /**< of layers that compute nodes: what the nodes share */
    double elsewhere;         /**< of entries that are no layer of the engine */
    uint32_t entries, joined; /**< of the first profile, and those that are layers */
    double run_ms;            /**< end to end, the median of --times; negative */
    uint32_t timed_runs;
};

/** Bytes that a layer reads and writes once: amounts (cost/amount.h), so negative where
 *  no number is known. */
struct fsd_traffic {
    int64_t in, out, weights, bias;
};

struct fsd_layer_result {
    enum fsd_kind kind;
    bool inserted; /**< computes no node */
    enum fsd_cause cause;
    uint32_t event; /**< of the build log: what put it there; FSD_NONE */
    enum fsd_dtype precision;
    double ms;                /**< of one run, from the profiles; negative: not known */
    struct fsd_spread spread; /**< over the profiles; its median is `ms` */
    int64_t bytes, macs;      /**< read and written, without the bias; multiply-adds;
                                   amounts: negative where no number is known */
    struct fsd_traffic traffic; /**< what `bytes` is made of */
};

/** One number a finding carries. */
struct fsd_fact {
    const char *key; /**< a literal */
    uint64_t number;
    fsd_sym text; /**< used instead when not 0 */
};

struct fsd_rule;

struct fsd_finding {
    const struct fsd_rule *rule;
    struct fsd_span layers, nodes,
        tensors;           /**< in fsd_diff.subjects; tensors: engine's */
    struct fsd_span facts; /**< in fsd_diff.facts_pool */
};

struct fsd_summary {
    uint32_t nodes, layers;
    uint32_t by_fate[FSD__FATE_COUNT];
    uint32_t by_kind[FSD__KIND_COUNT];
    uint32_t by_cause[FSD__CAUSE_COUNT]; /**< of inserted layers */
    uint32_t inserted;
    uint32_t links,
        by_evidence[5]; /**< links that have each bit of enum fsd_evidence */
    uint32_t computing,
        mapped; /**< layers that should compute nodes, and those that do */
    uint32_t by_severity[FSD__SEVERITY_COUNT];
};

/** The nodes of one operator together. */
struct fsd_op_time {
    fsd_sym op;
    uint32_t nodes; /**< that layers compute */
    double ms;      /**< their parts of their layers' times */
};

struct fsd_amounts; /* cost/amount.h */

enum { FSD_SHAPE_RANK = 8 };

/** The shape of a model's tensor as far as it could be told: sizes are amounts
 *  (cost/amount.h), -1 where not known. */
struct fsd_shape {
    bool ranked;
    uint8_t rank;
    int64_t dims[FSD_SHAPE_RANK];
};

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_graph *model, *engine;
    struct fsd_facts *facts;
    struct fsd_match *match;
    struct fsd_vocab *vocab;     /**< the model's names */
    struct fsd_history *history; /**< what the build log tells; NULL: no log */
    struct fsd_story *story;     /**< replayed; NULL: no log, or not to be used */
    unsigned evidence;
    struct fsd_node_result *nodes;   /**< by node */
    struct fsd_layer_result *layers; /**< by layer */
    struct fsd_flows flows;
    struct fsd_islands islands;
    struct fsd_amounts *amounts; /**< bytes and the like in open sizes */
    struct fsd_shape *shapes;    /**< by tensor of the model */
    int64_t *dim_sizes; /**< by symbol: the size of a named dimension, by the user or by
                           the engine's inputs; 0: none */
    uint32_t n_dim_sizes;
    double peak_gb_s, peak_top_s; /**< of the device; 0: not known */
    struct fsd_times times;
    FSD_VEC(struct fsd_op_time) op_times; /**< the longest first; none without times */
    double **profile_ms;     /**< by profile, by layer; negative: not known */
    double **profile_median; /**< the same of the medians; of the above where a profile
                                  tells none */
    FSD_VEC(struct fsd_finding) findings;
    FSD_VEC(fsd_id) subjects;
    FSD_VEC(struct fsd_fact) facts_pool;
    struct fsd_summary summary;
};

/* The stages, in their order. */
void fsd_diff_kinds(struct fsd_diff *d); /**< kind, inserted, precision of layers */
/* then fsd_diff_flows(), flow.h */
void fsd_diff_fates(struct fsd_diff *d);      /**< fate of nodes */
void fsd_diff_causes(struct fsd_diff *d);     /**< cause of layers */
void fsd_diff_log(struct fsd_diff *d);        /**< what the build log adds to both */
void fsd_diff_precisions(struct fsd_diff *d); /**< requested, realised of nodes */
/* then the costs, cost/cost.h, and fsd_diff_islands(), island.h */
void fsd_diff_rules(struct fsd_diff *d);     /**< findings */
void fsd_diff_summarize(struct fsd_diff *d); /**< counts */

/* The words of the contract, as reports print them. */
const char *fsd_fate_name(enum fsd_fate fate);
const char *fsd_kind_name(enum fsd_kind kind);
const char *fsd_cause_name(enum fsd_cause cause);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; of 0 nothing */
const char *fsd_severity_name(enum fsd_severity severity);

#endif
