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
 * The search evaluates what the rebuilt engine shows, not what was requested: each
 * group changed, or stayed, or the engine does not show it.  If no fusion alone
 * explains the results, the search continues for the smallest set of fusions that must
 * be split, or must exist, together (set.h).
 */
#pragma once

#include "edit/mark/mark.h"

/** What a rebuilt engine shows about a group. */
enum fsd_seen {
    FSD_SEEN_NOTHING,
    FSD_SEEN_SAME,
    FSD_SEEN_CHANGED, /**< its nodes are no longer computed together, or others are
                           computed with them */
    FSD_SEEN_ALTERED  /**< same nodes in a kernel with different operations: the error
                          may be gone or not */
};

/** The purpose of the next build. */
enum fsd_hunt_phase {
    FSD_HUNT_WHOLE,  /**< splits nothing: the failure must show */
    FSD_HUNT_ALL,    /**< splits all fusions: the failure must be gone */
    FSD_HUNT_HALVES, /**< splits some of the suspects */
    FSD_HUNT_ALONE,  /**< splits only the suspects: the failure must be gone */
    FSD_HUNT_OTHERS, /**< splits all fusions except the suspects: the failure must
                          show */
    FSD_HUNT_SPLIT,  /**< searches for the smallest set that must be split */
    FSD_HUNT_KEPT,   /**< searches for the smallest set that must exist */
    FSD_HUNT_OVER
};

enum fsd_hunt_end {
    FSD_HUNT_END_NONE,
    FSD_HUNT_END_ABSENT,    /**< the failure does not show in a build without changes */
    FSD_HUNT_END_UNTESTED,  /**< the build without changes could not be tested */
    FSD_HUNT_END_NO_FUSION, /**< each tested build is wrong */
    FSD_HUNT_END_PROVED,    /**< the suspects are proved to be the cause; there are
                                 several if no break divides them */
    FSD_HUNT_END_TOGETHER,  /**< one fusion of each entry of `found` must be split */
    FSD_HUNT_END_NEEDED,    /**< one fusion of each entry of `found` must exist */
    FSD_HUNT_END_UNPROVED,  /**< the suspects are not proved: a build of the proof could
                                 not be made */
    FSD_HUNT_END_CONTRADICTS /**< neither a fusion nor a set of them explains the
                                  results */
};

struct fsd_hunt_step {
    uint8_t result;          /**< enum fsd_bisect_result */
    uint8_t phase;           /**< enum fsd_hunt_phase */
    struct fsd_span chosen;  /**< groups to split, in `pool` */
    struct fsd_span tensors; /**< marked tensors */
    const uint8_t *seen;     /**< indexed by group: enum fsd_seen; NULL: skipped */
    uint32_t left;           /**< number of suspects after this step */
};

struct fsd_hunt {
    struct fsd_arena *arena;
    const struct fsd_marks *m;
    enum fsd_hunt_phase phase;
    enum fsd_hunt_end end;
    bool *fusion;   /**< indexed by group: it is a fusion */
    bool *suspect;  /**< indexed by group */
    bool *spent;    /**< indexed by group: its break was tried and showed nothing about
                         it */
    uint32_t n;     /**< number of suspects */
    uint32_t limit; /**< limit of fusions in the next half */
    bool *along;    /**< indexed by group: it changed although only the suspects were to
                         be split */
    FSD_VEC(struct fsd_span)
    parts;          /**< spans of groups whose fusions, except the suspects, must still
                         be split; the next span is last */
    uint32_t tries; /**< number of builds left for these parts */
    FSD_VEC(struct fsd_span)
    found;           /**< entries of the set, in `pool`: the set contains at least one
                          fusion of each entry */
    fsd_id_vec also; /**< further fusions that the set may contain, since no break shows
                          whether it does */
    uint32_t halved; /**< number of fusions, at the front of `chosen`, that are half of
                          the difference which the next build divides (set.c) */
    uint32_t joined; /**< number of fusions in `found` when all of them were tried
                          together; 0: never */
    uint32_t left;   /**< estimated number of builds that the search for a set needs */
    unsigned sought; /**< bit of each phase that has searched for a set */
    FSD_VEC(struct fsd_hunt_step) steps;
    struct fsd_span chosen, tensors; /**< fusions to split, and tensors to mark, in the
                                          next build */
    FSD_VEC(fsd_id) pool;
};

/** Starts with all fusions as suspects.
 *  @param m must outlive it; its arena is used. */
struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m);

/** Processes a result and chooses the next build, or ends the search.
 *  @param seen indexed by group, in the marks' arena; NULL: the build was skipped */
void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen);

/** Whether the group should change in the next build. */
bool fsd_hunt_expects(const struct fsd_hunt *h, struct fsd_span chosen, fsd_id group);

/** Whether the group was split in a wrong build, so that the failure does not need it.
 */
bool fsd_hunt_is_cleared(const struct fsd_hunt *h, fsd_id group);

/** An array of FSD_SEEN_SAME indexed by group, which the caller changes; in the marks'
 *  arena. */
uint8_t *fsd_hunt_same(const struct fsd_hunt *h);

/** The estimated number of builds that the search still needs; 0: it is over. */
uint32_t fsd_hunt_builds_left(const struct fsd_hunt *h);
