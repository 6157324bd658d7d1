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

/** Sorts by hash, then by side (old before new), then by id. */
void fsd_hash_rows_sort(struct fsd_hash_row *rows, uint32_t n);

/** The end of the rows that have the hash of row `i`. */
uint32_t fsd_hash_rows_end(const struct fsd_hash_row *rows, uint32_t n, uint32_t i);

/** Sorts the rows, and keeps only pairs: an old and a new row whose hash no other row
 *  has. The pairs are moved to the beginning.
 *  @return how many rows are left */
uint32_t fsd_hash_rows_pairs(struct fsd_hash_row *rows, uint32_t n);

/* ------------------------------------------------- facts that may not be known */

/** Whether both states hold kernels that can be compared. A dump that lists only layer
 *  names has no kernels, and older snapshots store no kernels. */
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
    uint32_t slot, out; /**< `slot`: the number of the consumer's input; 0 if the order
                             of inputs does not matter.  `out`: the number of the
                             output */
};

struct fsd_align_side {
    const struct fsd_state *s;
    bool new;
    fsd_id *counterpart;                      /**< indexed by node */
    fsd_id *in_counterpart, *out_counterpart; /**< indexed by port */
    bool *contested;                          /**< indexed by node: the evidence for its
                                                   counterpart is contradictory */
    bool *commutes;             /**< indexed by node: the order of its inputs does not
                                     matter */
    uint32_t *level;            /**< indexed by node: number of core nodes on the
                                     longest path to the node */
    struct fsd_intern *counted; /**< the result of fsd_align_counted() for this
                                     side */
    uint64_t *module;           /**< indexed by node: a hash of its module and operator;
                                     0: unknown */
    uint64_t *label;            /**< indexed by node: a hash of operator, attributes and
                                     shape of the weight */
    uint64_t *from, *to, *near; /**< indexed by node: hashes (colors, see align_side.c)
                                     of the node and its surroundings.  `from`: back to
                                     the inputs.  `to`: on to the outputs.  `near`: a
                                     few steps in both directions */
    uint64_t *plain;            /**< indexed by node: the value that `near` had
                                     before any node was aligned */
    bool *alone;                /**< indexed by node: no other node of the model has the
                                     same `plain` */
    struct fsd_span *uses;      /**< indexed by node: its range in `use` */
    struct fsd_use *use;
    struct fsd_lists ends; /**< indexed by node: the outputs of the model that the node
                                computes */
    fsd_id *product;       /**< indexed by node.  For the Add of a pair (see
                          fsd_align_find_products()): its MatMul.  For any other
                          node: the node itself.  May be NULL */
    fsd_id *bias;          /**< indexed by node, the inverse of `product`.  For the
                          MatMul of a pair: its Add.  For any other node: FSD_NONE */
};

/** Initializes a side.
 *  @param product the result of fsd_align_find_products() for that side */
void fsd_align_side_init(struct fsd_align_side *side, struct fsd_arena *scratch,
                         const struct fsd_state *s, bool is_new, fsd_id *product);

/** Finds, in each model, pairs of a MatMul and its Add that could be one Gemm with a
 *  bias.
 *  @param[out] product for each side: the array fsd_align_side.product.  Both are NULL
 *          unless one model has more such pairs, and the other more such Gemms */
void fsd_align_find_products(const struct fsd_state *old, const struct fsd_state *new,
                             struct fsd_arena *scratch, fsd_id *product[2]);

/** Whether the node is a Gemm with a bias or a MatMul with its Add. False for all nodes
 *  if both models write products alike. */
bool fsd_align_is_product(const struct fsd_align_side *side, fsd_id node);

/** A label for the product at a node. A Gemm has the same label as a MatMul with an
 *  Add. */
uint64_t fsd_align_product_label(const struct fsd_align_side *side, fsd_id node);

/** Completes the alignment of products. If two MatMuls are aligned and each has an Add,
 *  aligns the two Adds, too. If a MatMul is aligned with a Gemm, removes this pair,
 *  which was needed only to align other nodes.
 *  @return number of old nodes in products that the new model writes differently */
uint32_t fsd_align_biases(struct fsd_align_side side[2], uint8_t *by);

/** The color of a node, input or output for alignment. It equals the color of the
 *  counterpart. Without a counterpart, the color occurs nowhere on the other side. */
enum fsd_color_what { FSD_COLOR_NODE = 1, FSD_COLOR_INPUT, FSD_COLOR_OUTPUT };
uint64_t fsd_align_color_of(const struct fsd_align_side *side, enum fsd_color_what what,
                            uint32_t i);

/** Fill `from`, `to` and `near`. An aligned node has the color of its counterpart. */
void fsd_align_color_from(struct fsd_align_side *side);
void fsd_align_color_to(struct fsd_align_side *side);
void fsd_align_color_near(struct fsd_align_side *side, struct fsd_arena *scratch);

/** Fills `plain` and `alone`. Call it before any node is aligned. */
void fsd_align_color_plain(struct fsd_align_side *side, struct fsd_arena *scratch);

/** The hash of a node's aligned neighbors; 0 unless aligned nodes are both before and
 *  after the node. */
uint64_t fsd_align_around(const struct fsd_align_side *side, fsd_id node);

bool fsd_align_is_core(const struct fsd_align_side *side, fsd_id node);

/** Finds node names, and beginnings of node names, that end with an exporter's counter.
 *  Returns them without the counter: "/a/b_1/c" gives "/a/b". */
struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s);

/** Whether a name identifies its node in any export. The name must be a path in the
 *  exporter's module tree. No component of the path may have a number from an
 *  exporter's counter, and no component may get such a number in another export. */
bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name);

/** The hash of the node's module, from the exporter's metadata or the node's name; 0 if
 *  neither states it. */
uint64_t fsd_align_module(struct fsd_arena *scratch, const struct fsd_align_side *side,
                          fsd_id node);
bool fsd_align_weight_identifies(const char *name);

/** Finds pairs that cross. A pair is a node and its counterpart. Two pairs cross if
 *  their old nodes have one order and their new nodes have the reverse order. If a
 *  crossing pair is only proposed, marks its nodes as contested.
 *  @param counterpart indexed by side, then node: its counterpart or proposed
 *          counterpart */
void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const counterpart[2]);

/** Aligns core nodes that have the same name and mostly the same neighbors. The name
 *  may have a number from an exporter's counter. The operators of the two nodes may
 *  differ, because one operator may have replaced the other.
 *  @return how many nodes it aligned */
uint32_t fsd_align_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                           uint8_t *by);
/** Like fsd_align_by_keys(), for Q/DQ, views and optional nodes with equal operators.
 *  Of several quantizers in a row, those with equal names are aligned. Call it after
 *  the core nodes are aligned. */
void fsd_align_rest_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                            uint8_t *by);

/** Aligns the remaining Q/DQ, views and optional nodes by their positions between
 *  aligned core nodes. */
void fsd_align_rest(struct fsd_align_side side[2], struct fsd_arena *scratch,
                    uint8_t *by);

/** Aligns, by name, nodes that one model folds and the other computes. */
void fsd_align_folded(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      uint8_t *by);

/* ------------------------------------------------------------------ a comparison */

/** Fills c->account. Call it after all other differences are found. */
void fsd_compare_account(struct fsd_compare *c, struct fsd_arena *scratch);

/** Whether the builds differ only because an older version of fusiondiff read the old
 *  build. Call it after fsd_compare_account(). */
bool fsd_compare_reread(const struct fsd_compare *c, struct fsd_arena *scratch);

/** Fills c->edits. */
void fsd_compare_model(struct fsd_compare *c);

/* Adds to c->lost the facts that only the old side of the pair states. */
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

/** Pairs the kernels within each bucket, and adds their differences to c->kernels.
 *  @param old_bucket,new_bucket indexed by kernel: the number of its bucket; FSD_NONE:
 *          the kernel is not compared */
void fsd_compare_kernels(struct fsd_compare *c, struct fsd_arena *scratch,
                         const uint32_t *old_bucket, const uint32_t *new_bucket);

/** Hashes of the kernels of the old and the new build: `above` is a hash of a kernel
 *  and of all kernels whose output reaches this kernel; `below` is a hash of a kernel
 *  and of all kernels that its output reaches. */
struct fsd_places {
    uint64_t *above[2], *below[2];
    struct fsd_kernel_graph *graph; /**< array of two graphs: of the old build, and of
                                         the new build (compare_sources.c) */
};

/** Hashes kernels with their surroundings.
 *  @param text indexed by build, then kernel: a hash of the work that the kernel does
 *  @return the hashes, allocated in `scratch`; NULL if a build does not state what its
 *          kernels read */
struct fsd_places *fsd_compare_places(const struct fsd_compare *c,
                                      struct fsd_arena *scratch,
                                      uint64_t *const text[2]);
/** Compares the origins of the inputs of paired kernels. If input i of the new kernel
 *  has another origin than input i of the old kernel, adds the pair to c->kernels.
 *  @param to_new indexed by old kernel: the new kernel that does the same work;
 *          FSD_NONE: none */
void fsd_compare_sources(struct fsd_compare *c, struct fsd_arena *scratch,
                         const struct fsd_places *places, const fsd_id *to_new);

/** The hash of the work that a kernel does, without the nodes that it computes. */
uint64_t fsd_hash_kernel_text(const struct fsd_state *s, fsd_id kernel);

/** Sets c->order: regions with the largest differences first. */
void fsd_compare_order(struct fsd_compare *c);
