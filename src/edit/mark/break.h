/* Declarations for the two ways to split a fusion: by a mark (break.c) and by an If
 * (by_if.c). All functions but the last are in candidate.c. */
#pragma once

#include "edit/mark/mark.h"

/** The maximum number of groups that a break may change. A break that changes more
 *  groups shows nothing about a single group. */
enum { FSD_BREAK_MOST = 4 };

/** A possible break of a group. */
struct fsd_candidate {
    fsd_id tensor; /**< FSD_NONE: no break */
    const char *why;
    fsd_id groups[FSD_BREAK_MOST + 1]; /**< the groups that change */
    uint32_t n;                        /**< number of groups that change; above
                                            FSD_BREAK_MOST: too many */
    fsd_id_vec passed; /**< the tensors that Ifs forward; empty: the break has no
                            Ifs, but marks `tensor` */
};

static inline bool fsd_break_is_none(const struct fsd_candidate *c)
{
    return c->tensor == FSD_NONE;
}

struct fsd_candidate fsd_break_none(const char *why);
void fsd_break_add(struct fsd_candidate *c, fsd_id group);

/** Facts about a group. The first two functions return false if the group is FSD_NONE.
 *  fsd_break_product() returns the first product of the group; FSD_NONE: no product.
 *  Its group must not be FSD_NONE. */
bool fsd_break_is_generated(const struct fsd_marks *m, fsd_id group);
bool fsd_break_is_compiled(const struct fsd_marks *m, fsd_id group);
fsd_id fsd_break_product(const struct fsd_marks *m, fsd_id group);

/** The only group that consumes outputs of the group; FSD_NONE if there are several, or
 *  if something other than a group consumes them, too. */
fsd_id fsd_break_only_user(const struct fsd_marks *m, fsd_id group);

/** Whether the tensor exists only inside the group, and can be marked. */
bool fsd_break_is_inside(const struct fsd_marks *m, fsd_id tensor);

/** Adds the group of each product that will fuse the node `behind`. Three conditions
 *  must hold:
 *  - the product computes an operand of `behind`;
 *  - the product is the only node of its group, which is not `group`;
 *  - only `group` reads the output of the product. */
void fsd_break_joins_operand(const struct fsd_marks *m, fsd_id group, fsd_id behind,
                             struct fsd_candidate *c);

/** Finds the break by an If for each group.
 *  @param without indexed like `groups`. in: candidates that have no break. out: the
 *          breaks by an If. If a break would change more than FSD_BREAK_MOST groups: a
 *          candidate that has no break, but says this in `why`. If no tensor inside the
 *          group can be forwarded, or if no If can be inserted into the model:
 *          unchanged
 *  @param n at most FSD_BREAK_AT_ONCE */
enum { FSD_BREAK_AT_ONCE = 64 };
void fsd_break_by_if(const struct fsd_marks *m, const fsd_id *groups,
                     struct fsd_candidate *const *without, uint32_t n);
