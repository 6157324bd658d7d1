/* What the files of this folder share with each other only. */
#ifndef FSD_COMPARE_PARTS_H
#define FSD_COMPARE_PARTS_H

#include "base/base.h"
#include "change/compare/compare.h"

#include <string.h>

/* ------------------------------------------------- what is alike stands together */

struct fsd_hash_row {
    uint64_t hash;
    fsd_id id; /**< of a node, a move, ... of one side */
    bool new;
};

/** By hash, then the old side's before the new side's, then by id. */
void fsd_hash_rows_sort(struct fsd_hash_row *rows, uint32_t n);

/** The end of the rows that have the hash of row `i`. */
uint32_t fsd_hash_rows_end(const struct fsd_hash_row *rows, uint32_t n, uint32_t i);

/** Sorts, and keeps only pairs: an old and a new row that are the only ones with their
 *  hash.  @return how many rows are left, at the beginning. */
uint32_t fsd_hash_rows_pairs(struct fsd_hash_row *rows, uint32_t n);

/* ------------------------------------------------- facts that may not be known */

/** A dump of names only has no kernels, and an older snapshot holds none. */
static inline bool fsd_compare_has_kernels(const struct fsd_compare *c)
{
    return !c->across && c->old->whole && c->new->whole && c->old->kernels.n &&
           c->new->kernels.n;
}

/** Whether the builds are of two builders. */
bool fsd_compare_across(const struct fsd_state *old, const struct fsd_state *new);

/** FSD_STATES_*: what at least one layer of a build states. */
unsigned fsd_state_states(const struct fsd_state *s);

/** Fills c->builders, after all regions and times. */
void fsd_compare_builders(struct fsd_compare *c);

/* ---------------------------------------------- one of two models being aligned */

/** One use of a core node's output by another core node. */
struct fsd_use {
    fsd_id node;        /**< the consumer */
    uint32_t slot, out; /**< 0 as slot where the order of inputs does not count */
};

struct fsd_align_side {
    const struct fsd_state *s;
    bool new;
    fsd_id *counterpart;                      /**< by node */
    fsd_id *in_counterpart, *out_counterpart; /**< by port */
    bool *contested;                          /**< by node: evidence disagreed */
    bool *commutes;             /**< by node: the order of its inputs does not count */
    uint32_t *level;            /**< by node: core nodes on the longest way to it */
    struct fsd_intern *counted; /**< prefixes of names that end in an exporter's
                                     counter */
    uint64_t *module;           /**< by node: a hash of its module and operator; 0:
                                     unknown */
    uint64_t *label;            /**< by node: operator, attributes, weight's shape */
    uint64_t *from, *to, *near; /**< Colors by node: the subgraph from the inputs, the
                                     subgraph to the outputs, and the surroundings of a
                                     few steps */
    uint64_t *plain;            /**< by node: near, before any node was aligned */
    bool *alone;                /**< by node: no other node of the model has the same
                                     `plain` */
    struct fsd_span *uses;      /**< by node: in use */
    struct fsd_use *use;
    struct fsd_lists ends; /**< by node: the outputs of the model that it computes */
    fsd_id *product; /**< by node: the MatMul that it is a part of, or itself; NULL:
                                both models write products alike */
    fsd_id *bias;    /**< by node: the Add that is a part of it; FSD_NONE */
};

/** @param product of that side, as fsd_align_find_products() fills it */
void fsd_align_side_init(struct fsd_align_side *side, struct fsd_arena *scratch,
                         const struct fsd_state *s, bool is_new, fsd_id *product);

/** Finds products that one model writes as a MatMul and an Add, and the other as a
 *  Gemm.
 *  @param[out] product by side, by node: the MatMul that an Add belongs to, or the node
 *                      itself; NULL where both models write products alike */
void fsd_align_find_products(const struct fsd_state *old, const struct fsd_state *new,
                             struct fsd_arena *scratch, fsd_id *product[2]);

/** Whether such a product begins at the node: a Gemm, or a MatMul with its Add. */
bool fsd_align_is_product(const struct fsd_align_side *side, fsd_id node);

/** What all spellings of the product at a node have in common. */
uint64_t fsd_align_product_label(const struct fsd_align_side *side, fsd_id node);

/** Aligns the Adds of products that are aligned, and takes back the alignment of a
 *  MatMul with a Gemm: they are other nodes, of one network.
 *  @return how many old nodes belong to a product that the new model writes otherwise
 */
uint32_t fsd_align_biases(struct fsd_align_side side[2], uint8_t *by);

/** An aligned node has the color of its counterpart; any other a color that nothing on
 *  the other side has. */
enum fsd_color_what { FSD_COLOR_NODE = 1, FSD_COLOR_INPUT, FSD_COLOR_OUTPUT };
uint64_t fsd_align_color_of(const struct fsd_align_side *side, enum fsd_color_what what,
                            uint32_t i);

/** Fill from, to and near, with aligned nodes as what they are aligned to. */
void fsd_align_color_from(struct fsd_align_side *side);
void fsd_align_color_to(struct fsd_align_side *side);
void fsd_align_color_near(struct fsd_align_side *side, struct fsd_arena *scratch);

/** Fill plain and alone; before anything is aligned. */
void fsd_align_color_plain(struct fsd_align_side *side, struct fsd_arena *scratch);

/** The hash of a node's aligned neighbors; 0 unless there are some before and behind.
 */
uint64_t fsd_align_around(const struct fsd_align_side *side, fsd_id node);

bool fsd_align_is_core(const struct fsd_align_side *side, fsd_id node);

/** Prefixes of node names, without the number that a counter appended. */
struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s);

/** Whether a name identifies its node in any export: it is a path in the exporter's
 *  module tree, and no step of it has, or could have had, a number from an exporter's
 *  counter. */
bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name);

/** The hash of the module that the node is in, from the exporter's metadata or the
 *  node's name; 0 where neither has it. */
uint64_t fsd_align_module(struct fsd_arena *scratch, const struct fsd_align_side *side,
                          fsd_id node);
bool fsd_align_weight_identifies(const char *name);

/** Marks as contested the new pairs of `counterpart` that would reverse the order of
 *  two nodes, and the pair that contradicts them if it is new as well.
 *  @param counterpart by side, by node: what it is, or would be, aligned to */
void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const counterpart[2]);

/** Aligns core nodes that have the same name, be it with a counter, and mostly the same
 *  neighbors; their operators may differ: one was replaced by the other.
 *  @return how many */
uint32_t fsd_align_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                           uint8_t *by);
/** The same for Q/DQ, views and optional nodes, of one operator, after core ones: of
 *  two quantizers in a row the one that keeps its name is the same. */
void fsd_align_rest_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                            uint8_t *by);

/** Aligns nodes other than core ones by their places, after those. */
void fsd_align_rest(struct fsd_align_side side[2], struct fsd_arena *scratch,
                    uint8_t *by);

/** Aligns nodes by name that one model folds and the other computes. */
void fsd_align_folded(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      uint8_t *by);

/* ------------------------------------------------------------------ a comparison */

/** Fills c->account, after all other differences. */
void fsd_compare_account(struct fsd_compare *c, struct fsd_arena *scratch);

/** Whether only the older version's reading explains what differs; after the account.
 */
bool fsd_compare_reread(const struct fsd_compare *c, struct fsd_arena *scratch);

/** Fills c->edits. */
void fsd_compare_model(struct fsd_compare *c);

/* Keeps a fact of a pair's form that only the old side states. */
void fsd_compare_lost(struct fsd_compare *c, struct fsd_fact_lost pair);

/* Steps, in their order. */
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

/** Pairs kernels of one bucket, and keeps what differs.
 *  @param old_bucket, new_bucket by kernel; FSD_NONE: not compared */
void fsd_compare_kernels(struct fsd_compare *c, struct fsd_arena *scratch,
                         const uint32_t *old_bucket, const uint32_t *new_bucket);

/** By kernel of the old and the new build: a hash of it and of all kernels whose output
 *  reaches it, and of it and of all that its output reaches. */
struct fsd_places {
    uint64_t *above[2], *below[2];
    struct fsd_kernel_graph *graph; /**< of both; compare_sources.c */
};

/** @param text by kernel of each build: what it is; equal where they perform the same
 *  @return in `scratch`; NULL where a build does not state what its kernels read. */
struct fsd_places *fsd_compare_places(const struct fsd_compare *c,
                                      struct fsd_arena *scratch,
                                      uint64_t *const text[2]);
/** Adds to c->kernels what reads from elsewhere.
 *  @param to_new by kernel: the one of the new build that performs the same there;
 *                FSD_NONE */
void fsd_compare_sources(struct fsd_compare *c, struct fsd_arena *scratch,
                         const struct fsd_places *places, const fsd_id *to_new);

/** Of what a kernel is, without the nodes that it computes. */
uint64_t fsd_hash_kernel_text(const struct fsd_state *s, fsd_id kernel);

/** Sets c->order, by what differs. */
void fsd_compare_order(struct fsd_compare *c);

#endif
