/*
 * What a build cost, as its log states it: seconds by step, and by layer and kind of
 * kernel ("tactic source") what was timed, taken from the timing cache, or skipped.
 *
 * Before 8.4 no line states seconds; then only the lines' time stamps show, in whole
 * seconds, how long a layer was timed.
 */
#ifndef FSD_MODEL_EFFORT_H
#define FSD_MODEL_EFFORT_H

#include "base/base.h"

#include <stdbool.h>

enum {
    FSD_MOST_SOURCES = 64, /**< of one layer; no log seen has more than 12 */
    FSD_MOST_REASONS = 16, /**< of one source of a layer */
    FSD_MOST_STEPS = 64    /**< of one build; no log seen has more than 7 */
};

/** Why a source, or one of its tactics, was not timed. */
struct fsd_effort_skip {
    fsd_sym why;           /**< 0: other reasons than the first FSD_MOST_REASONS */
    uint32_t times;        /**< lines */
    uint64_t wanted, room; /**< bytes of scratch memory: the most that a tactic
                                requested, and what was available; 0: not stated */
    uint32_t next;         /**< of the same effort; FSD_NONE */
};

/** What was spent on one layer with one source of tactics, in all combinations of
 *  formats. */
struct fsd_effort {
    fsd_sym layer;    /**< as the lines on its kernels call it */
    fsd_sym source;   /**< 0: sources beyond FSD_MOST_SOURCES */
    double seconds;   /**< as `stated` lines state them, added up */
    uint32_t stated;  /**< combinations of formats whose seconds are stated */
    uint32_t stamped; /**< whole seconds between time stamps */
    uint32_t begun;   /**< combinations of formats for which the source was tried */
    uint32_t timed;   /**< those for which it has a fastest tactic */
    uint64_t tactics; /**< kernels that were timed */
    uint32_t cached;  /**< results from the timing cache */
    uint32_t skips;   /**< the newest, plus 1; 0: none */
    uint32_t build;
    uint32_t next; /**< of the same layer; FSD_NONE */
};

/** "Formats and tactics selection completed in 14.8 seconds": a step, which may hold
 *  other ones. */
struct fsd_effort_step {
    fsd_sym name;
    double seconds; /**< of all its lines */
    uint32_t times;
    uint64_t line; /**< the first */
    uint32_t build;
};

/** What is stated of a whole build; negative: it is not stated. */
struct fsd_effort_sums {
    int64_t entries, hits; /**< of the timing cache */
    fsd_sym cache;         /**< "local", "global"; 0: not stated */
    fsd_sym plan;          /**< the size of the plan, as stated: "4.82 MiB" */
    double plan_mib;
    bool plan_whole;  /**< only whole MiB are stated, rounded down */
    uint32_t stamped; /**< whole seconds from its first to its last time stamp */
    bool clock;       /**< its lines have time stamps */
    uint32_t build;
};

struct fsd_efforts {
    FSD_VEC(struct fsd_effort) list;
    FSD_VEC(uint32_t) of; /**< by symbol of a layer: its newest effort, plus 1 */
    FSD_VEC(struct fsd_effort_skip) skips;
    FSD_VEC(struct fsd_effort_step) steps;
    FSD_VEC(struct fsd_effort_sums) sums; /**< by build, as they come */
};

/** The number of the effort on a layer with a source, which is added. */
uint32_t fsd_effort_on(struct fsd_arena *arena, struct fsd_efforts *all, fsd_sym layer,
                       fsd_sym source, uint32_t build);

/** Adds a line that states why a source or a tactic of it was not timed. */
void fsd_effort_skip(struct fsd_arena *arena, struct fsd_efforts *all, uint32_t effort,
                     struct fsd_effort_skip skip);

/** Adds the seconds of a step. */
void fsd_effort_step(struct fsd_arena *arena, struct fsd_efforts *all,
                     struct fsd_effort_step step);

/** Adds the lines of the second, of the same reason, to those of the first. */
void fsd_effort_add_skip(struct fsd_effort_skip *to, const struct fsd_effort_skip *one);

/** Whether the lines of a build state seconds; else only time stamps show some. */
bool fsd_efforts_are_stated(const struct fsd_efforts *all, uint32_t build);

/** The seconds of an effort, from where those of its build come. */
static inline double fsd_effort_seconds(const struct fsd_effort *e, bool stated)
{
    return stated ? e->seconds : e->stamped;
}

/** The longest step of a build, which holds the others; NULL: no line states one. */
const struct fsd_effort_step *fsd_efforts_longest(const struct fsd_efforts *all,
                                                  uint32_t build);

/** The sums of a build, which are added. */
struct fsd_effort_sums *fsd_effort_sums(struct fsd_arena *arena,
                                        struct fsd_efforts *all, uint32_t build);

/** Replaces the number of each attempt by that of its engine. */
void fsd_efforts_number(struct fsd_efforts *all, const uint32_t *build_of);

#endif
