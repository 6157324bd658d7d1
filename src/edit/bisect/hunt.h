/*
 * The search for the fusion that makes an engine wrong. The engine is rebuilt with some
 * of its fusions split. For example, of the fusions 1 to 4, fusion 2 is the cause:
 *
 *     split   result  conclusion
 *     none    bad     the failure shows in this build
 *     all     good    a single fusion may be the cause
 *     1 2     good    the cause is one of the fusions that changed: 1 or 2
 *     1       bad     the cause is 2: splitting 1 did not repair the engine
 *     2       good    the proof: splitting fusion 2 repairs the engine,
 *     1 3 4   bad     and splitting all other fusions does not
 *
 * The builder may split other fusions than requested. The search therefore uses what
 * the rebuilt engine shows about each group (enum fsd_seen). If no single fusion
 * explains the results, the search continues for the smallest set of fusions (set.h):
 * either the engine is right if all of them are split, or it is wrong if all exist.
 */
#pragma once

#include "edit/mark/mark.h"

/** What a rebuilt engine shows about a group. */
enum fsd_seen {
    FSD_SEEN_NOTHING,
    FSD_SEEN_SAME,
    FSD_SEEN_CHANGED, /**< other nodes than before are computed together */
    FSD_SEEN_ALTERED  /**< the same nodes are computed together, but by a kernel with
                           other operations. It is unknown whether the error is gone */
};

/** The purpose of the next build. */
enum fsd_hunt_phase {
    FSD_HUNT_WHOLE,  /**< splits nothing: the engine must be wrong */
    FSD_HUNT_ALL,    /**< splits all fusions: the engine must be right */
    FSD_HUNT_HALVES, /**< splits some of the suspects */
    FSD_HUNT_ALONE,  /**< splits only the suspects: the engine must be right */
    FSD_HUNT_OTHERS, /**< splits all fusions except the suspects: the engine must be
                          wrong */
    FSD_HUNT_SPLIT,  /**< searches for the smallest set of fusions for which this holds:
                          if all are split, the engine is right */
    FSD_HUNT_KEPT,   /**< searches for the smallest set of fusions for which this holds:
                          if all exist, the engine is wrong */
    FSD_HUNT_OVER
};

enum fsd_hunt_end {
    FSD_HUNT_END_NONE,
    FSD_HUNT_END_ABSENT,     /**< a build without changes is right */
    FSD_HUNT_END_UNTESTED,   /**< the build without changes could not be tested */
    FSD_HUNT_END_NO_FUSION,  /**< each tested build is wrong */
    FSD_HUNT_END_PROVED,     /**< the suspects are proved to be the cause. If there are
                                 several, they cannot be split separately */
    FSD_HUNT_END_TOGETHER,   /**< the engine is right if all fusions of a set are split.
                                 `found` has the entries of the set */
    FSD_HUNT_END_NEEDED,     /**< the engine is wrong only if all fusions of a set
                                 exist. `found` has the entries of the set */
    FSD_HUNT_END_UNPROVED,   /**< the suspects are not proved to be the cause: a build
                                 that the proof needs could not be made */
    FSD_HUNT_END_CONTRADICTS /**< neither a fusion nor a set of them explains the
                                  results */
};

struct fsd_hunt_step {
    uint8_t result;          /**< enum fsd_bisect_result */
    uint8_t phase;           /**< enum fsd_hunt_phase */
    struct fsd_span chosen;  /**< a span of `pool`: groups to split */
    struct fsd_span tensors; /**< a span of `pool`: tensors to mark */
    const uint8_t *seen;     /**< indexed by group: enum fsd_seen; NULL: the build was
                                  skipped */
    uint32_t left;           /**< number of suspects after this step */
};

struct fsd_hunt {
    struct fsd_arena *arena;
    const struct fsd_marks *m;
    enum fsd_hunt_phase phase;
    enum fsd_hunt_end end;
    bool *fusion;   /**< indexed by group: the group is a fusion */
    bool *suspect;  /**< indexed by group: the group is a suspect */
    bool *spent;    /**< indexed by group: splitting the group was tried and showed
                         nothing about the group */
    uint32_t n;     /**< number of suspects */
    uint32_t limit; /**< the next build should change half of the suspects, or half of a
                         difference (set.h), but this many groups are enough */
    bool *along;    /**< indexed by group: the group is a fusion but no suspect, and it
                         changed, or may have changed, in the build that should split
                         only the suspects */
    FSD_VEC(struct fsd_span)
    parts;          /**< ranges of group numbers that the proof still has to test, the
                         last range first. The build for a range splits its fusions,
                         but no suspects. It splits cleared fusions only if the range
                         has all groups */
    uint32_t tries; /**< number of builds that may still be used for `parts` */
    FSD_VEC(struct fsd_span)
    found;           /**< the entries of the set, each a span of `pool`; at least one
                          fusion of each entry is in the set */
    fsd_id_vec also; /**< fusions that may be in the set: no possible build shows
                          whether they are */
    uint32_t halved; /**< the first `halved` fusions of `chosen` were chosen to halve a
                          difference (set.h); 0: the next build halves none */
    uint32_t joined; /**< number of fusions in `found` when join() (set.c) last chose a
                          build; 0: join() has chosen no build */
    uint32_t left;   /**< estimated number of builds that the search for a set still
                          needs */
    unsigned sought; /**< the kinds of sets that were searched: a mask of
                          1 << FSD_HUNT_SPLIT and 1 << FSD_HUNT_KEPT */
    FSD_VEC(struct fsd_hunt_step) steps;
    struct fsd_span chosen, tensors; /**< spans of `pool`: fusions to split, and tensors
                                          to mark, in the next build */
    FSD_VEC(fsd_id) pool;
};

/** Starts a search, with all fusions as suspects. Uses the marks' arena.
 *  @param m must outlive the search */
struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m);

/** Processes a result, and chooses the next build or ends the search.
 *  @param seen indexed by group: enum fsd_seen; in the marks' arena; NULL: the build
 *          was skipped */
void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen);

/** Returns an array in the arena, indexed by group: whether the group should change if
 *  the groups `chosen` are split. */
bool *fsd_hunt_expected(const struct fsd_hunt *h, struct fsd_span chosen,
                        struct fsd_arena *arena);

/** Whether the group was split in a build that was still wrong. If so, the failure does
 *  not need this fusion. */
bool fsd_hunt_is_cleared(const struct fsd_hunt *h, fsd_id group);

/** An array indexed by group with FSD_SEEN_SAME everywhere, allocated in the marks'
 *  arena. The caller changes it. */
uint8_t *fsd_hunt_same(const struct fsd_hunt *h);

/** The estimated number of builds that the search still needs; 0 if the search is
 *  over. */
uint32_t fsd_hunt_builds_left(const struct fsd_hunt *h);
