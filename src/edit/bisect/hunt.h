/*
 * The search for the fusion that makes an engine wrong, by rebuilding it with some of
 * its fusions split:
 *
 *     suspects  {1 2 3 4}    split 1 and 2
 *     good      {1 2}        one of those that changed is the cause
 *     bad       {3 4}        one of those that stayed is
 *
 * What counts is what the rebuilt engine shows, not what was requested: each group
 * changed, or stayed, or the engine does not show it.
 */
#ifndef FSD_BISECT_HUNT_H
#define FSD_BISECT_HUNT_H

#include "edit/mark/mark.h"

/** What a rebuilt engine shows of a group. */
enum fsd_seen { FSD_SEEN_NOTHING, FSD_SEEN_SAME, FSD_SEEN_CHANGED };

struct fsd_hunt_step {
    uint8_t result;          /**< enum fsd_bisect_result */
    struct fsd_span chosen;  /**< groups to be split, in `pool` */
    struct fsd_span tensors; /**< that were marked */
    const uint8_t *seen;     /**< by group: enum fsd_seen; NULL: skipped */
    uint32_t left;           /**< suspects after it */
};

struct fsd_hunt {
    struct fsd_arena *arena;
    const struct fsd_marks *m;
    bool *suspect; /**< by group */
    bool *spent;   /**< by group: its break was tried, and showed nothing about it */
    uint32_t n;    /**< suspects */
    FSD_VEC(struct fsd_hunt_step) steps;
    struct fsd_span chosen, tensors; /**< of the next build; none: the search is over */
    bool contradicts; /**< no suspect would be left: the last result was rejected */
    FSD_VEC(fsd_id) pool;
};

/** All fusions are suspects.
 *  @param m must outlive it; its arena is used. */
struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m);

/** Processes a result and chooses the next build.
 *  @param seen by group, in the marks' arena; NULL for a build that was skipped. */
void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen);

/** Whether the group should change in the next build. */
bool fsd_hunt_expects(const struct fsd_hunt *h, struct fsd_span chosen, fsd_id group);

/** By group FSD_SEEN_SAME, to be changed; in the marks' arena. */
uint8_t *fsd_hunt_same(const struct fsd_hunt *h);

#endif
