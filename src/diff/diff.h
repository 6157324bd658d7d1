/*
 * A run, part by part, and what diff makes of it: fates, kinds, causes, precisions, all
 * counts.
 *
 * `struct fsd_diff` is the public header's opaque run.  Each of its parts is made by
 * one stage of session.c's table and const ever after: a stage gets the parts that its
 * row says it reads, and returns the one that it makes.  What stages above diff make is
 * only named here; nobody below can look into it.
 */
#ifndef FSD_DIFF_DIFF_H
#define FSD_DIFF_DIFF_H

#include "diff/flow.h"
#include "diff/island.h"
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
    uint32_t event; /**< of the build log: what put it there; FSD_NONE */
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
};

struct fsd_cost;     /* cost/cost.h */
struct fsd_findings; /* findings/findings.h */

struct fsd_diff {
    struct fsd_arena *arena;
    struct fsd_intern *names;

    /* What was read. */
    const struct fsd_graph *model, *engine;
    const struct fsd_history *history; /**< what the build log tells; NULL: no log */
    struct fsd_story *story;           /**< replayed; NULL: no log, or not to be used;
                                            it remembers what it was asked for */
    const struct fsd_measured *times;  /**< of the engine's layers */
    /* What holds. */
    const struct fsd_facts *facts;
    const struct fsd_match *match;
    /* What it means. */
    const struct fsd_layer_result *layers; /**< by layer */
    const struct fsd_flows *flows;
    const struct fsd_reason *reasons;    /**< by layer */
    const struct fsd_node_result *nodes; /**< by node */
    const struct fsd_islands *islands;
    const struct fsd_summary *summary;
    /* What it costs, and what of all that a reviewer should look at. */
    const struct fsd_cost *cost;
    const struct fsd_findings *findings;
};

/* What each stage makes, in their order; it lives in d->arena. */
const struct fsd_layer_result *fsd_diff_layers(const struct fsd_diff *d);
/* then fsd_diff_flows(), flow.h */
const struct fsd_reason *fsd_diff_reasons(const struct fsd_diff *d);
const struct fsd_node_result *fsd_diff_nodes(const struct fsd_diff *d);
/* then fsd_diff_islands(), island.h */
const struct fsd_summary *fsd_diff_summary(const struct fsd_diff *d);

/** The time of a layer in one run, the median of all profiles; negative: not known. */
double fsd_layer_ms(const struct fsd_diff *d, fsd_id layer);

/* The words of the contract, as reports print them. */
const char *fsd_fate_name(enum fsd_fate fate);
const char *fsd_kind_name(enum fsd_kind kind);
const char *fsd_cause_name(enum fsd_cause cause);
const char *fsd_evidence_name(unsigned bit_index);
void fsd_put_evidence(unsigned by, FILE *out); /**< "metadata, tensor"; of 0 nothing */
const char *fsd_severity_name(enum fsd_severity severity);

/** Writes a phrase about one finding, node, layer or event, without a newline.  Names
 *  stand in it as they came: the writer escapes the whole. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

/** The name a report uses: the node's own, or "#12 (Conv)" for an unnamed node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "merged: computes the same as another node: Relu_6" */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);
/** What the build log says, as a sentence without its end; nothing when there is no log
 *  or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

#endif
