/* Declarations that only the files of this folder share. */
#pragma once

#include "base/base.h"
#include "change/compare/compare.h"

/* ------------------------------------------------- what is alike stands together */

struct fsd_hash_row {
    uint64_t hash;
    fsd_id id; /**< a node, a move, etc. of one side */
    bool new;
};

/** Sorts by hash, then the old side before the new side, then by id. */
void fsd_hash_rows_sort(struct fsd_hash_row *rows, uint32_t n);

/** The end of the rows that have the hash of row `i`. */
uint32_t fsd_hash_rows_end(const struct fsd_hash_row *rows, uint32_t n, uint32_t i);

/** Sorts, and keeps only pairs: an old and a new row that share a hash with no other
 *  row. @return how many rows are left, at the beginning. */
uint32_t fsd_hash_rows_pairs(struct fsd_hash_row *rows, uint32_t n);

/* ------------------------------------------------- facts that may not be known */

/** Whether both states hold kernels: a dump of names has none, and older snapshots do
 *  not store them. */
static inline bool fsd_compare_has_kernels(const struct fsd_compare *c)
{
    return !c->across && c->old->whole && c->new->whole && c->old->kernels.n &&
           c->new->kernels.n;
}

/** Whether the builds come from different builders. */
bool fsd_compare_across(const struct fsd_state *old, const struct fsd_state *new);

/** FSD_STATES_*: the facts that at least one layer of a build states. */
unsigned fsd_state_states(const struct fsd_state *s);

/** Fills c->builders; call it after regions and times are complete. */
void fsd_compare_builders(struct fsd_compare *c);

/* ---------------------------------------------- one of two models being aligned */

/** One use of a core node's output by another core node. */
struct fsd_use {
    fsd_id node;        /**< the consumer */
    uint32_t slot, out; /**< slot is 0 if the order of inputs does not matter */
};

struct fsd_align_side {
    const struct fsd_state *s;
    bool new;
    fsd_id *counterpart;                      /**< indexed by node */
    fsd_id *in_counterpart, *out_counterpart; /**< indexed by port */
    bool *contested;                          /**< indexed by node: its evidence was
                                                   contradictory */
    bool *commutes;             /**< indexed by node: the order of its inputs does not
                                     matter */
    uint32_t *level;            /**< indexed by node: number of core nodes on the
                                     longest path to it */
    struct fsd_intern *counted; /**< prefixes of names that end in an exporter's
                                     counter */
    uint64_t *module;           /**< indexed by node: a hash of its module and operator;
                                     0: unknown */
    uint64_t *label;            /**< indexed by node: a hash of operator, attributes and
                                     shape of the weight */
    uint64_t *from, *to, *near; /**< Colors, indexed by node: of the subgraph from the
                                     inputs, of the subgraph to the outputs, and of the
                                     surroundings of a few steps. */
    uint64_t *plain;            /**< indexed by node: `near` before any node was
                                     aligned */
    bool *alone;                /**< indexed by node: no other node of the model has the
                                     same `plain` */
    struct fsd_span *uses;      /**< indexed by node: its range in `use` */
    struct fsd_use *use;
    struct fsd_lists ends; /**< indexed by node: the outputs of the model that it
                                computes */
    fsd_id *product; /**< indexed by node: the MatMul of the product that the node is
                          part of, or the node itself; NULL: both models write products
                          alike */
    fsd_id *bias;    /**< indexed by node: the Add that is a part of it; FSD_NONE:
                          none */
};

/** @param product for that side, as fsd_align_find_products() fills it */
void fsd_align_side_init(struct fsd_align_side *side, struct fsd_arena *scratch,
                         const struct fsd_state *s, bool is_new, fsd_id *product);

/** Finds matrix products that one model writes as a MatMul and an Add, and the other as
 *  a Gemm.
 *  @param[out] product indexed by side, then node: the MatMul that an Add belongs to,
 *          or the node itself; NULL if both models write products alike */
void fsd_align_find_products(const struct fsd_state *old, const struct fsd_state *new,
                             struct fsd_arena *scratch, fsd_id *product[2]);

/** Whether such a product begins at the node: a Gemm, or a MatMul with its Add. */
bool fsd_align_is_product(const struct fsd_align_side *side, fsd_id node);

/** A label that all spellings of the product at a node share. */
uint64_t fsd_align_product_label(const struct fsd_align_side *side, fsd_id node);

/** Aligns the Adds of aligned products, and undoes the alignment of a MatMul with a
 *  Gemm: these are different nodes of one network.
 *  @return how many old nodes belong to a product that the new model writes
 *          differently */
uint32_t fsd_align_biases(struct fsd_align_side side[2], uint8_t *by);

/** An aligned node has the color of its counterpart; any other node has a color that no
 *  node of the other side has. */
enum fsd_color_what { FSD_COLOR_NODE = 1, FSD_COLOR_INPUT, FSD_COLOR_OUTPUT };
uint64_t fsd_align_color_of(const struct fsd_align_side *side, enum fsd_color_what what,
                            uint32_t i);

/** Fill from, to and near. An aligned node counts as its counterpart. */
void fsd_align_color_from(struct fsd_align_side *side);
void fsd_align_color_to(struct fsd_align_side *side);
void fsd_align_color_near(struct fsd_align_side *side, struct fsd_arena *scratch);

/** Fills `plain` and `alone`; call it before anything is aligned. */
void fsd_align_color_plain(struct fsd_align_side *side, struct fsd_arena *scratch);

/** The hash of a node's aligned neighbors; 0 unless some are before and some after
 *  it. */
uint64_t fsd_align_around(const struct fsd_align_side *side, fsd_id node);

bool fsd_align_is_core(const struct fsd_align_side *side, fsd_id node);

/** Prefixes of node names, without the number that a counter appended. */
struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s);

/** Whether a name identifies its node in any export: it is a path in the exporter's
 *  module tree, and no component of it has, or could have, a number from an exporter's
 *  counter. */
bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name);

/** The hash of the module that the node is in, from the exporter's metadata or the
 *  node's name; 0 if neither states it. */
uint64_t fsd_align_module(struct fsd_arena *scratch, const struct fsd_align_side *side,
                          fsd_id node);
bool fsd_align_weight_identifies(const char *name);

/** Two pairs of `counterpart` cross if they reverse the order of two nodes.  Marks
 *  those of the two that are new as contested.
 *  @param counterpart indexed by side, then node: its counterpart or proposed
 *          counterpart */
void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const counterpart[2]);

/** Aligns core nodes with the same name, even if the name has a counter, and mostly the
 *  same neighbors.  Their operators may differ: one replaced the other.
 *  @return how many nodes it aligned */
uint32_t fsd_align_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                           uint8_t *by);
/** Like fsd_align_by_keys(), for Q/DQ, views and optional nodes with equal operators;
 *  call it after the core nodes are aligned.  Of two quantizers in a row, those with
 *  equal names correspond. */
void fsd_align_rest_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                            uint8_t *by);

/** Aligns nodes other than core nodes by their positions between aligned core nodes. */
void fsd_align_rest(struct fsd_align_side side[2], struct fsd_arena *scratch,
                    uint8_t *by);

/** Aligns, by name, nodes that one model folds and the other computes. */
void fsd_align_folded(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      uint8_t *by);

/* ------------------------------------------------------------------ a comparison */

/** Fills c->account; call it after all other differences are found. */
void fsd_compare_account(struct fsd_compare *c, struct fsd_arena *scratch);

/** Whether the differences have no other reason than that an older version of the
 *  program read one of the builds; call it after fsd_compare_account(). */
bool fsd_compare_reread(const struct fsd_compare *c, struct fsd_arena *scratch);

/** Fills c->edits. */
void fsd_compare_model(struct fsd_compare *c);

/* Records, for a pair, a fact that only the old side states. */
void fsd_compare_lost(struct fsd_compare *c, struct fsd_fact_lost pair);

/* The steps of a comparison, in order. */
void fsd_compare_regions(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_group_kernels(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_nodes(struct fsd_compare *c);
void fsd_compare_edges(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_moves(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_ports(struct fsd_compare *c);
void fsd_compare_bindings(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_written(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_missed(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_efforts(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_unasked(struct fsd_compare *c);

/** Pairs the kernels within each bucket, and records their differences.
 *  @param old_bucket, new_bucket indexed by kernel; FSD_NONE: not compared */
void fsd_compare_kernels(struct fsd_compare *c, struct fsd_arena *scratch,
                         const uint32_t *old_bucket, const uint32_t *new_bucket);

/** For each kernel of the old and the new build: `above` is a hash of the kernel and
 *  all kernels whose output reaches it, `below` of the kernel and all kernels that its
 *  output reaches. */
struct fsd_places {
    uint64_t *above[2], *below[2];
    struct fsd_kernel_graph *graph; /**< of both builds; compare_sources.c */
};

/** @param text indexed by kernel of each build: equal hashes for kernels that do the
 *          same work
 *  @return the places, allocated in `scratch`; NULL if a build does not state what its
 *  kernels read. */
struct fsd_places *fsd_compare_places(const struct fsd_compare *c,
                                      struct fsd_arena *scratch,
                                      uint64_t *const text[2]);
/** Adds kernels to c->kernels whose inputs have a different origin.
 *  @param to_new indexed by kernel: the kernel of the new build that does the same
 *          work; FSD_NONE: none */
void fsd_compare_sources(struct fsd_compare *c, struct fsd_arena *scratch,
                         const struct fsd_places *places, const fsd_id *to_new);

/** The hash of the work that a kernel does, regardless of the nodes that it
 *  computes. */
uint64_t fsd_hash_kernel_text(const struct fsd_state *s, fsd_id kernel);

/** Sets c->order: regions with the largest differences first. */
void fsd_compare_order(struct fsd_compare *c);
