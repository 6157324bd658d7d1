/* Facts about a whole model. Each search for breaks by Ifs (by_if.c) needs these facts,
 * so they are collected once per model. */
#pragma once

#include "edit/mark/mark.h"

/** A range of nodes. */
struct fsd_range {
    fsd_id id; /**< the group or the Add */
    fsd_id low, high;
};

/** Ranges in the order of their first nodes. */
struct fsd_ranges {
    FSD_VEC(struct fsd_range) all;
    fsd_id *most;        /**< indexed like `all`: the greatest `high` of this and all
                               earlier ranges */
    fsd_id_vec ends;     /**< the ids of the ranges, sorted by the range's last node,
                               then by id */
    uint32_t *first_end; /**< indexed by node: the position in `ends` of the first range
                               that ends at this node or later; has one entry more than
                               the model has nodes */
};

/** Masks for the fusions that are examined at once: bit b is about the b-th fusion
 *  (by_if.c). All masks are 0 between two calls of fsd_break_by_if(). Each call resets
 *  only the masks that it has set: a call visits few nodes, so clearing whole arrays
 *  would take too long. */
struct fsd_masks {
    uint64_t *passed; /**< indexed by tensor: an If of the fusion forwards the tensor */
    uint64_t *behind; /**< indexed by node: the node depends on a tensor that an If of
                           the fusion forwards */
    uint64_t *sums;   /**< indexed by tensor: the tensor is the output of an Add behind
                           the If. Each operand of the Add is computed before the If,
                           is forwarded by the If, or is such a sum itself */
    bool *covered;    /**< not a mask; indexed by tensor: the tensor's producer is
                           behind the Ifs of all open fusions, and no If forwards the
                           tensor. Set only while walk() is between the producer and
                           the tensor's last consumer */
};

struct fsd_outlook {
    bool sorted;  /**< in the model, each node precedes the consumers of its outputs */
    bool *dry;    /**< indexed by node: the node depends on no input of the network */
    fsd_id *last; /**< indexed by tensor: its last consumer; FSD_NONE: none */
    uint32_t *live; /**< indexed by node: number of tensors that exist before the node
                         runs, and that this node or a later node reads. Outputs of dry
                         nodes are not counted */
    fsd_id floor;   /**< the first node for which `live` is used: the node after the
                         last dry node that has a group. If the model is not sorted:
                         greater than the number of nodes, so `live` is never used */
    struct fsd_ranges groups; /**< a range for each group: its first to its last node */
    struct fsd_ranges adds;   /**< a range for each Add with a group: from the Add to
                                   the last consumer of its sum */
    struct fsd_masks masks;
};

/** Collects the facts in m->arena. */
struct fsd_outlook *fsd_outlook_new(const struct fsd_marks *m);

/** Returns the ids of the ranges that begin before `node` and end at `node` or later.
 *  The ids are in `scratch`, in the order of the ranges' first nodes. */
fsd_id_vec fsd_ranges_across(const struct fsd_ranges *ranges, fsd_id node,
                             struct fsd_arena *scratch);
