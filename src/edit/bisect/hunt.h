/*
 * The search for the fusion that makes an engine wrong, by rebuilding it with some of
 * its fusions split:
 *
 *     as it is         bad     else the failure does not show in this build
 *     all split        good    else no fusion alone causes it
 *     {1 2} of {1..4}  good    it is one of those that changed
 *     {1} of {1 2}     bad     it is one of those that stayed: 2
 *     {2} alone        good    the proof: splitting it repairs the engine,
 *     {1 3 4}          bad     and with all others split the failure is still there
 *
 * What counts is what the rebuilt engine shows, not what was requested: each group
 * changed, or stayed, or the engine does not show it.  Where no fusion alone explains
 * the results, the smallest set that has to be split, or that has to be there, is
 * searched for (set.h).
 */
#ifndef FSD_BISECT_HUNT_H
#define FSD_BISECT_HUNT_H

#include "edit/mark/mark.h"

/** What a rebuilt engine shows of a group. */
enum fsd_seen {
    FSD_SEEN_NOTHING,
    FSD_SEEN_SAME,
    FSD_SEEN_CHANGED, /**< other nodes are computed together */
    FSD_SEEN_ALTERED /**< the same nodes, by a kernel of other operations: what is wrong
                           with it may be gone or not */
};

/** What the next build is for. */
enum fsd_hunt_phase {
    FSD_HUNT_WHOLE,  /**< nothing is split: the failure has to show */
    FSD_HUNT_ALL,    /**< all fusions are split: it has to be gone */
    FSD_HUNT_HALVES, /**< some of the suspects are */
    FSD_HUNT_ALONE,  /**< the suspects alone: it has to be gone */
    FSD_HUNT_OTHERS, /**< all fusions but the suspects: it has to be there */
    FSD_HUNT_SPLIT,  /**< the least that has to be split is searched for */
    FSD_HUNT_KEPT,   /**< the least that has to be there is */
    FSD_HUNT_OVER
};

enum fsd_hunt_end {
    FSD_HUNT_END_NONE,
    FSD_HUNT_END_ABSENT,    /**< the failure does not show in a build without changes */
    FSD_HUNT_END_UNTESTED,  /**< that build could not be tested */
    FSD_HUNT_END_NO_FUSION, /**< each build that was tested is wrong */
    FSD_HUNT_END_PROVED,    /**< the suspects: one, or several that no break divides */
    FSD_HUNT_END_TOGETHER,  /**< one of each of `found` has to be split */
    FSD_HUNT_END_NEEDED,    /**< one of each of `found` has to be there */
    FSD_HUNT_END_UNPROVED,  /**< the suspects: a build of the proof could not be had */
    FSD_HUNT_END_CONTRADICTS /**< no fusion, nor a set of them, explains the results */
};

struct fsd_hunt_step {
    uint8_t result;          /**< enum fsd_bisect_result */
    uint8_t phase;           /**< enum fsd_hunt_phase */
    struct fsd_span chosen;  /**< groups to be split, in `pool` */
    struct fsd_span tensors; /**< that were marked */
    const uint8_t *seen;     /**< by group: enum fsd_seen; NULL: skipped */
    uint32_t left;           /**< suspects after it */
};

struct fsd_hunt {
    struct fsd_arena *arena;
    const struct fsd_marks *m;
    enum fsd_hunt_phase phase;
    enum fsd_hunt_end end;
    bool *fusion;   /**< by group: it is one */
    bool *suspect;  /**< by group */
    bool *spent;    /**< by group: its break was tried, and showed nothing about it */
    uint32_t n;     /**< suspects */
    uint32_t limit; /**< fusions that the next half may have */
    bool *along;    /**< by group: it changed with the suspects when these alone were to
                         be split */
    FSD_VEC(struct fsd_span)
    parts;          /**< of all groups, in which the others are still to be split; the
                         next one last */
    uint32_t tries; /**< builds that are left for this */
    FSD_VEC(struct fsd_span)
    found;           /**< of the set, in `pool`: of each one fusion at least is in it;
                          where it is a single one, that */
    fsd_id_vec also; /**< that may be in it besides: no break shows it */
    uint32_t halved; /**< fusions of the next build that are to divide something, the
                          first ones of `chosen` */
    uint32_t joined; /**< fusions of `found` when all of it was tried; 0: it was not */
    uint32_t left;   /**< builds that the search for a set takes, about */
    unsigned sought; /**< bit of each phase that searched for a set */
    FSD_VEC(struct fsd_hunt_step) steps;
    struct fsd_span chosen, tensors; /**< of the next build */
    FSD_VEC(fsd_id) pool;
};

/** All fusions are suspects.
 *  @param m must outlive it; its arena is used. */
struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m);

/** Processes a result and chooses the next build, or ends the search.
 *  @param seen by group, in the marks' arena; NULL for a build that was skipped. */
void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen);

/** Whether the group should change in the next build. */
bool fsd_hunt_expects(const struct fsd_hunt *h, struct fsd_span chosen, fsd_id group);

/** Whether the group was split in a build that was wrong: the failure does not need it.
 */
bool fsd_hunt_is_cleared(const struct fsd_hunt *h, fsd_id group);

/** By group FSD_SEEN_SAME, to be changed; in the marks' arena. */
uint8_t *fsd_hunt_same(const struct fsd_hunt *h);

/** About how many more builds the search takes; 0: it is over. */
uint32_t fsd_hunt_builds_left(const struct fsd_hunt *h);

#endif
