/*
 * The cost of a build according to its log: seconds per step; and for each layer and
 * kind of kernel ("tactic source") the kernels that were timed, found in the timing
 * cache, or skipped.
 *
 * Logs from before version 8.4 state no seconds. Only the time stamps of their lines
 * show, in whole seconds, how long a layer was timed.
 */
#pragma once

#include "base/base.h"

enum {
    FSD_MOST_SOURCES = 64, /**< per layer; no log seen has more than 12 */
    FSD_MOST_REASONS = 16, /**< per source of a layer */
    FSD_MOST_STEPS = 64    /**< per build; no log seen has more than 7 */
};

/** The reason why a source, or one of its tactics, was not timed. */
struct fsd_effort_skip {
    fsd_sym why;           /**< 0: all reasons after the first FSD_MOST_REASONS */
    uint32_t times;        /**< number of lines */
    uint64_t wanted, room; /**< bytes of scratch memory: the most that a tactic
                                requested, and the available bytes; 0: not stated */
    uint32_t next;         /**< the next skip of the same effort; FSD_NONE */
};

/** The cost of one layer with one source of tactics, in all combinations of formats. */
struct fsd_effort {
    fsd_sym layer;    /**< the layer's name in the lines about its kernels */
    fsd_sym source;   /**< 0: all sources after the first FSD_MOST_SOURCES */
    double seconds;   /**< the sum over all combinations whose seconds are stated */
    uint32_t stated;  /**< combinations of formats whose seconds are stated */
    uint32_t stamped; /**< whole seconds between time stamps */
    uint32_t begun;   /**< combinations of formats for which the source was tried */
    uint32_t timed;   /**< combinations of formats for which the source has a fastest
                           tactic */
    uint64_t tactics; /**< number of kernels that were timed */
    uint32_t cached;  /**< number of results from the timing cache */
    uint32_t skips;   /**< the newest skip, plus 1; 0: none */
    uint32_t build;
    uint32_t next; /**< the next effort of the same layer; FSD_NONE */
};

/** "Formats and tactics selection completed in 14.8 seconds": a step, which may contain
 *  other steps. */
struct fsd_effort_step {
    fsd_sym name;
    double seconds; /**< the sum over all its lines */
    uint32_t times;
    uint64_t line; /**< the first line of the step */
    uint32_t build;
};

/** The facts stated about a whole build; negative: not stated. */
struct fsd_effort_sums {
    int64_t entries, hits; /**< the entries of the timing cache, and how often one was
                                used */
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
    FSD_VEC(uint32_t)
    of; /**< indexed by symbol of a layer: its newest effort, plus
                               1 */
    FSD_VEC(struct fsd_effort_skip) skips;
    FSD_VEC(struct fsd_effort_step) steps;
    FSD_VEC(struct fsd_effort_sums) sums; /**< one per build, in the order of the log */
};

/** The number of the effort for this layer and source; adds the effort if it is new. */
uint32_t fsd_effort_on(struct fsd_arena *arena, struct fsd_efforts *all, fsd_sym layer,
                       fsd_sym source, uint32_t build);

/** Adds a line that states why a source, or one of its tactics, was not timed. */
void fsd_effort_skip(struct fsd_arena *arena, struct fsd_efforts *all, uint32_t effort,
                     struct fsd_effort_skip skip);

/** Adds the seconds of a step. */
void fsd_effort_step(struct fsd_arena *arena, struct fsd_efforts *all,
                     struct fsd_effort_step step);

/** Adds the lines of `one` to those of `to`, which has the same reason. */
void fsd_effort_add_skip(struct fsd_effort_skip *to, const struct fsd_effort_skip *one);

/** Whether the lines of a build state seconds; if not, only time stamps show some. */
bool fsd_efforts_are_stated(const struct fsd_efforts *all, uint32_t build);

/** The seconds of an effort, as the log states them or as the time stamps show them.
 * `stated` is the result of fsd_efforts_are_stated() for the build. */
static inline double fsd_effort_seconds(const struct fsd_effort *e, bool stated)
{
    return stated ? e->seconds : e->stamped;
}

/** The longest step of a build, which contains the others; NULL if no line states
 * one. */
const struct fsd_effort_step *fsd_efforts_longest(const struct fsd_efforts *all,
                                                  uint32_t build);

/** The sums of a build; adds them if they are new. */
struct fsd_effort_sums *fsd_effort_sums(struct fsd_arena *arena,
                                        struct fsd_efforts *all, uint32_t build);

/** Replaces the number of each build attempt, i, by the number of its engine,
 * build_of[i]. */
void fsd_efforts_number(struct fsd_efforts *all, const uint32_t *build_of);
