/* The rules of shapes, and what they share.  Only src/cost/shape*.c include this. */
#ifndef FSD_COST_SHAPE_RULE_H
#define FSD_COST_SHAPE_RULE_H

#include "cost/amount.h"
#include "cost/shape.h"

/** The elements of a small tensor of integers that decides shapes, in their order;
 *  amounts, since a size may be open. */
enum { FSD_INTS = 16 };
struct fsd_ints {
    uint8_t n;
    int64_t at[FSD_INTS];
};

/** What the rules see and fill. */
struct fsd_shaping {
    const struct fsd_diff *d;
    struct fsd_cost *c; /**< d->cost, under way */
    struct fsd_amounts *t;
    fsd_id *ints_of; /**< by tensor of the model: in `ints`; FSD_NONE: not known */
    FSD_VEC(struct fsd_ints) ints;
};

/** The shape of a node's `i`-th output; false when not even its rank is known. */
typedef bool fsd_shape_fn(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                          struct fsd_shape *out);

/** The shape of the i-th input; one that is not ranked where there is none. */
const struct fsd_shape *fsd_shape_in(const struct fsd_shaping *s, fsd_id node,
                                     uint32_t i);

/** The elements of the i-th input, a constant or computed from shapes; NULL: not known.
 */
const struct fsd_ints *fsd_ints_in(const struct fsd_shaping *s, fsd_id node,
                                   uint32_t i);

/** The list of an attribute, or where it has none, of the i-th input (as later opsets
 *  have it).  False when neither is known; *given tells whether there should be one. */
bool fsd_ints_of(const struct fsd_shaping *s, fsd_id node, const char *attr, uint32_t i,
                 struct fsd_ints *out, bool *given);

/** An axis counted from the end made one from the start; -1 when there is none such. */
int64_t fsd_axis(int64_t axis, uint32_t rank);

/** What a Slice takes of each axis it cuts. */
struct fsd_taken {
    uint32_t n;
    int64_t axis[FSD_SHAPE_RANK];
    int64_t from[FSD_SHAPE_RANK], step[FSD_SHAPE_RANK]; /**< where count is a number */
    int64_t count[FSD_SHAPE_RANK];                      /**< -1: not known */
};

/** False when it is not known which axes it cuts. */
bool fsd_slice_cut(const struct fsd_shaping *s, fsd_id node, struct fsd_taken *cut);

/** The elements of all constants; to be called first. */
void fsd_ints_of_constants(struct fsd_shaping *s);

/** Sets the elements of a node's first output, where they follow from what is known. */
void fsd_ints_by_rule(struct fsd_shaping *s, fsd_id node);

/** Numpy's rule; `keep` trailing dimensions of the result are left as they are. */
void fsd_shape_broadcast(struct fsd_shape *to, const struct fsd_shape *by,
                         uint32_t keep);

/** The shape of a node's i-th output; -1 for sizes that do not follow.  False when
 * there is no rule, or it does not know the rank. */
bool fsd_shape_by_rule(const struct fsd_shaping *s, fsd_id node, uint32_t i,
                       struct fsd_shape *out);

/* shape_window.c */
fsd_shape_fn fsd_shape_convolution, fsd_shape_pool, fsd_shape_global_pool,
    fsd_shape_resize, fsd_shape_pad, fsd_shape_depth_to_space, fsd_shape_space_to_depth;

/* shape_view.c */
fsd_shape_fn fsd_shape_transpose, fsd_shape_flatten, fsd_shape_reshape,
    fsd_shape_concat, fsd_shape_split, fsd_shape_slice, fsd_shape_gather,
    fsd_shape_gather_nd, fsd_shape_squeeze, fsd_shape_unsqueeze, fsd_shape_reduce,
    fsd_shape_arg, fsd_shape_top_k, fsd_shape_expand, fsd_shape_tile, fsd_shape_filled,
    fsd_shape_range, fsd_shape_shape, fsd_shape_size, fsd_shape_non_zero;

#endif
