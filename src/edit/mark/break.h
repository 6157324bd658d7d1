/* What the ways to split a fusion share: by a mark (break.c), by an If (by_if.c).  All
 * but the last function: candidate.c */
#ifndef FSD_MARK_BREAK_H
#define FSD_MARK_BREAK_H

#include "edit/mark/mark.h"

/** Groups that may change: with more, a break proves nothing. */
enum { FSD_BREAK_MOST = 4 };

/** A way to split a group. */
struct fsd_candidate {
    fsd_id tensor; /**< FSD_NONE: there is none */
    const char *why;
    fsd_id groups[FSD_BREAK_MOST + 1]; /**< that change */
    uint32_t n;                        /**< above FSD_BREAK_MOST: too many */
    fsd_id_vec passed; /**< through an If each; none: `tensor` is marked */
};

static inline bool fsd_break_is_none(const struct fsd_candidate *c)
{
    return c->tensor == FSD_NONE;
}

struct fsd_candidate fsd_break_none(const char *why);
void fsd_break_add(struct fsd_candidate *c, fsd_id group);

/** Of FSD_NONE false, or FSD_NONE. */
bool fsd_break_is_generated(const struct fsd_marks *m, fsd_id group);
bool fsd_break_is_compiled(const struct fsd_marks *m, fsd_id group);
fsd_id fsd_break_product(const struct fsd_marks *m, fsd_id group);

/** The only group that consumes the group's outputs; FSD_NONE if there are several, or
 *  another consumer. */
fsd_id fsd_break_only_user(const struct fsd_marks *m, fsd_id group);

/** Whether only the group has the tensor, and it can be marked. */
bool fsd_break_is_inside(const struct fsd_marks *m, fsd_id tensor);

/** Adds the groups of products alone that only the node of the group reads: they fuse
 *  it. */
void fsd_break_joins_operand(const struct fsd_marks *m, fsd_id group, fsd_id behind,
                             struct fsd_candidate *c);

/** The break by an If; `without` where there is none. */
struct fsd_candidate fsd_break_by_if(const struct fsd_marks *m, fsd_id group,
                                     struct fsd_candidate without);

#endif
