/* One of the two models while they are aligned.  Only align*.c. */
#ifndef FSD_COMPARE_ALIGN_SIDE_H
#define FSD_COMPARE_ALIGN_SIDE_H

#include "base/hash.h"
#include "compare/align.h"

/** One use of a core node's output by another core node. */
struct fsd_use {
    fsd_id node;        /**< the consumer */
    uint32_t slot, out; /**< 0 as slot where the order of inputs does not count */
};

struct fsd_align_side {
    const struct fsd_state *s;
    bool new;
    fsd_id *mate;               /**< by node */
    fsd_id *in_mate, *out_mate; /**< by port */
    bool *contested;            /**< by node: evidence disagreed */
    bool *commutes;             /**< by node: the order of its inputs does not count */
    uint32_t *level;            /**< by node: core nodes on the longest way to it */
    struct fsd_intern *counted; /**< beginnings of names that a counter made */
    uint64_t *label;            /**< by node: operator, attributes, weight's shape */
    uint64_t *from, *to, *near; /**< by node: the way from the inputs, to the outputs,
                                    and what is a few steps around */
    uint64_t *plain;            /**< by node: near, before anything was aligned */
    bool *alone;                /**< by node: no other of the model has its plain */
    struct fsd_span *uses;      /**< by node: in use */
    struct fsd_use *use;
    struct fsd_span *ends; /**< by node: in `end`: the outputs of the model it makes */
    uint32_t *end;
};

void fsd_align_side_init(struct fsd_align_side *side, struct fsd_arena *scratch,
                         const struct fsd_state *s, bool is_new);

/** Fill from, to and near, with aligned nodes as what they are aligned to. */
void fsd_align_color_from(struct fsd_align_side *side);
void fsd_align_color_to(struct fsd_align_side *side);
void fsd_align_color_near(struct fsd_align_side *side, struct fsd_arena *scratch);

/** Fill plain and alone; before anything is aligned. */
void fsd_align_color_plain(struct fsd_align_side *side, struct fsd_arena *scratch);

/** The hash of a node's aligned neighbours; 0 unless there are some before and behind.
 */
uint64_t fsd_align_around(const struct fsd_align_side *side, fsd_id node);

bool fsd_align_is_core(const struct fsd_align_side *side, fsd_id node);

/** Beginnings of node names, without the number that a counter put there. */
struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s);

/** True when the name can be taken for the thing itself: it holds a path in the
 *  exporter's module tree, and no step of it has, or could have had, a number that an
 *  exporter's counter made. */
bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name);
bool fsd_align_weight_identifies(const char *name);

/** Marks as contested the new pairs of `mate` that turn an order about, and what says
 *  so if it is new too.
 *  @param mate by side, by node: what it is, or would be, aligned to */
void fsd_align_refuse_crossing(const struct fsd_align_side side[2],
                               fsd_id *const mate[2]);

/** Aligns nodes other than core ones, after those. */
void fsd_align_rest(struct fsd_align_side side[2], struct fsd_arena *scratch,
                    uint8_t *by);

#endif
