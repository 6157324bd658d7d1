/*
 * The cost of a build according to its log: the seconds of each step and, for each
 * layer and tactic source (kind of kernels), the numbers of kernels that the builder
 * timed, found in the timing cache, or skipped.
 *
 * Logs of builders before version 8.4 state no seconds. Only the time stamps of their
 * lines show for how many whole seconds the builder timed a layer.
 */
#pragma once

#include "base/base.h"

enum {
    FSD_MOST_SOURCES = 64, /**< tactic sources per layer; no log seen has more than
                                12 */
    FSD_MOST_REASONS = 16, /**< reasons for skips per tactic source of a layer */
    FSD_MOST_STEPS = 64    /**< steps per build; no log seen has more than 7 */
};

/** The reason why the builder did not time a tactic source, or one of its tactics. */
struct fsd_effort_skip {
    fsd_sym why;           /**< the reason; 0: this entry stands for all reasons
                                after the first FSD_MOST_REASONS */
    uint32_t times;        /**< the number of log lines with this reason */
    uint64_t wanted, room; /**< bytes of scratch memory: `wanted` is the largest
                                request of a tactic, and `room` was available for
                                this request; 0: not stated */
    uint32_t next;         /**< the next skip of the same effort; FSD_NONE: this is the
                                last one */
};

/** The cost of one layer with one source of tactics, in all combinations of formats. */
struct fsd_effort {
    fsd_sym layer;    /**< the layer's name in the lines about its kernels */
    fsd_sym source;   /**< the tactic source; 0: this entry stands for all sources
                           after the first FSD_MOST_SOURCES */
    double seconds;   /**< the sum over all combinations of formats whose seconds are
                           stated */
    uint32_t stated;  /**< the number of combinations of formats whose seconds are
                           stated */
    uint32_t stamped; /**< the time according to time stamps, in whole seconds */
    uint32_t begun;   /**< the number of combinations of formats for which the builder
                           tried the source */
    uint32_t timed;   /**< the number of combinations of formats for which the builder
                           found a fastest tactic of the source */
    uint64_t tactics; /**< the number of kernels that the builder timed */
    uint32_t cached;  /**< the number of results from the timing cache */
    uint32_t skips;   /**< the index of the newest skip, plus 1; 0: there is none */
    uint32_t build;
    uint32_t next; /**< the next effort of the same layer; FSD_NONE: this is the last
                        one */
};

/** A step of a build whose time the log states: "Formats and tactics selection
 *  completed in 14.8 seconds". A step may contain other steps. */
struct fsd_effort_step {
    fsd_sym name;
    double seconds; /**< the sum over all log lines about the step */
    uint32_t times;
    uint64_t line; /**< the number of the first log line about the step */
    uint32_t build;
};

/** The facts that the log states about a whole build. A negative number means that the
 * log does not state the fact. */
struct fsd_effort_sums {
    int64_t entries, hits; /**< the number of entries of the timing cache, and how often
                                the builder used one */
    fsd_sym cache;         /**< the kind of timing cache: "local", "global"; 0: not
                                stated */
    fsd_sym plan;          /**< the size of the plan, as stated: "4.82 MiB" */
    double plan_mib;
    bool plan_whole;  /**< the log states `plan_mib` in whole MiB, rounded down */
    uint32_t stamped; /**< seconds from the build's first to its last time stamp */
    bool clock;       /**< the lines of the build have time stamps */
    uint32_t build;
};

struct fsd_efforts {
    FSD_VEC(struct fsd_effort) list;
    FSD_VEC(uint32_t)
    of; /**< indexed by symbol of a layer: the index of its newest effort, plus 1 */
    FSD_VEC(struct fsd_effort_skip) skips;
    FSD_VEC(struct fsd_effort_step) steps;
    FSD_VEC(struct fsd_effort_sums) sums; /**< one per build, in the order of the log */
};

/** Returns the index of the effort for this layer, source and build; adds the effort if
 * it is new. */
uint32_t fsd_effort_on(struct fsd_arena *arena, struct fsd_efforts *all, fsd_sym layer,
                       fsd_sym source, uint32_t build);

/** Adds a skip to an effort: a log line that states why the builder did not time a
 * source, or one of its tactics. */
void fsd_effort_skip(struct fsd_arena *arena, struct fsd_efforts *all, uint32_t effort,
                     struct fsd_effort_skip skip);

/** Adds the seconds of a step to the seconds from earlier lines about this step. */
void fsd_effort_step(struct fsd_arena *arena, struct fsd_efforts *all,
                     struct fsd_effort_step step);

/** Adds the numbers of `one` to those of `to`. Both skips must have the same reason. */
void fsd_effort_add_skip(struct fsd_effort_skip *to, const struct fsd_effort_skip *one);

/** Whether the log states seconds for the layers of this build. If not, only time
 * stamps show the time. */
bool fsd_efforts_are_stated(const struct fsd_efforts *all, uint32_t build);

/** Returns the seconds that the log states for an effort.  If `stated` is false,
 *  returns the seconds that the time stamps show instead.
 *  @param stated the result of fsd_efforts_are_stated() for the effort's build */
static inline double fsd_effort_seconds(const struct fsd_effort *e, bool stated)
{
    return stated ? e->seconds : e->stamped;
}

/** Returns the longest step of a build, which contains all other steps; NULL if the log
 * states no step. */
const struct fsd_effort_step *fsd_efforts_longest(const struct fsd_efforts *all,
                                                  uint32_t build);

/** Returns the sums of a build; adds them if the build is new. */
struct fsd_effort_sums *fsd_effort_sums(struct fsd_arena *arena,
                                        struct fsd_efforts *all, uint32_t build);

/** Replaces the number of each build attempt by the number of the engine that it built:
 * attempt i built engine build_of[i]. */
void fsd_efforts_number(struct fsd_efforts *all, const uint32_t *build_of);
