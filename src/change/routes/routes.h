/*
 * Compares several builds of one network that differ in their build options.  A build
 * option is called a knob, and a build with one set of values of the knobs is called a
 * route.  Two routes that differ in one knob are a step, which shows an effect of that
 * knob:
 *
 *     route      a    b      ms  engine
 *     0          on   1    1.20  first         the base
 *     1          off  1    1.60  second        a=off: splits 3 fusions, +0.40 ms
 *     2          on   2    1.20  first         b=2: nothing
 *
 * Routes have the same engine if a comparison of their builds shows no difference.
 * Changes between two engines are computed at most once.  The states must outlive the
 * struct fsd_routes.
 */
#pragma once

#include "change/compare/compare.h"
#include "model/graph/tuning.h"

enum { FSD_MOST_ROUTES = 4096, FSD_MOST_KNOBS = 1024 };

/** A value of a knob, as a cache, a log or the name of a build states it. */
struct fsd_setting {
    fsd_sym knob, value;
    bool found; /**< true: the value was read from the build; false: the user set it
                     (see fsd_knob.follows) */
};
typedef FSD_VEC(struct fsd_setting) fsd_settings;

/** A block of the model that an engine should compute as one kernel
 *  (explain/pattern/). */
struct fsd_route_block {
    const char *pattern; /**< name of the pattern, such as "attention" */
    fsd_sym anchor;      /**< name of the block's last node */
    bool known, whole;   /**< `known`: whether it is known which layers compute the
                              block; `whole`: whether a single layer computes it */
};
typedef FSD_VEC(struct fsd_route_block) fsd_route_blocks;

/** What the caller knows about a route. */
struct fsd_route_in {
    const char *name;              /**< such as "3" or "A" */
    const char *path;              /**< path of its build; NULL if it has none */
    const struct fsd_state *state; /**< NULL if the build is missing */
    fsd_settings settings;
    fsd_route_blocks blocks; /**< the blocks of the state, grouped by pattern; empty if
                                  unknown */
    double ms;               /**< measured time in milliseconds; negative if it was not
                                  measured */
    double loss;             /**< loss of accuracy; negative if unknown */
    bool failed;             /**< whether the build or the run failed */
    const char *error;       /**< the reason for the failure; NULL if unknown */
    const char *unlike;      /**< if not NULL: how this route's time was measured.  `ms`
                                  was then dropped, because an earlier route's time was
                                  measured in another way */
};

struct fsd_knob {
    fsd_sym name;
    fsd_sym usual; /**< the value in routes that do not state one; 0 if unknown */
    bool found;    /**< whether fsd_setting.found is set in all settings of the knob */
    bool varies;   /**< whether two routes are known to have different values */
    bool follows;  /**< true: the knob is ignored.  Its values were read from the
                        builds, and a knob that the user set determines them */
};

struct fsd_route {
    const struct fsd_route_in *in;
    fsd_sym *values; /**< indexed by knob; 0 if the value is unknown, or if `follows` of
                          the knob is set */
    fsd_sym *stated; /**< like `values`, but with the value even if `follows` of the
                          knob is set */
    uint32_t engine; /**< index of its engine; FSD_NONE if the build is missing */
    uint32_t apart;  /**< number of varying knobs whose value is unknown or is not
                          the value in the base */
};

/** The routes that share an engine: a comparison of their builds shows no
 *  difference. */
struct fsd_route_engine {
    uint32_t first; /**< index of its first route */
    uint32_t routes;
};

/** The differences between two engines, as counts. */
struct fsd_engine_change {
    struct fsd_compare *compare;
    bool same;    /**< whether the engines are the same: a comparison shows no
                       difference, and neither build lacks facts that the other build
                       states */
    bool tactics; /**< whether only tactics differ */
    bool open;    /**< whether one build lacks facts that the other states */
    uint32_t split, joined, regrouped, unclear; /**< number of regions, by
                                                     fsd_happened: LOST, GAINED,
                                                     REGROUPED and OPAQUE */
    uint32_t added, gone;     /**< `added`: number of regions that only the second build
                                   computes in layers; `gone`: number of regions that
                                   only the first build computes in layers */
    uint32_t kernels;         /**< number of regions with the same fusion but different
                                   kernels */
    uint32_t wider, narrower; /**< number of regions whose precision is higher (`wider`)
                                   or lower (`narrower`) in the second build */
    int32_t layers;           /**< number of layers in the second build, minus the
                                   number in the first */
    int32_t inserted;         /**< number of inserted data-movement layers that cost
                                   time: the number in the second build, minus the
                                   number in the first */
};

/** Two routes that differ in one knob only. */
struct fsd_route_step {
    uint32_t knob, from, to; /**< indices of the knob and of the two routes; the knob
                                  has the same value in route `from` as in the base */
    const struct fsd_engine_change *change; /**< NULL if a build is missing */
    double ms;                              /**< time of `to` minus time of `from`, in
                                                 milliseconds; NaN if unknown */
};

/** All steps that change a knob from one value to another. */
struct fsd_route_effect {
    uint32_t knob;
    fsd_sym before, after;
    struct fsd_span steps; /**< a span of fsd_routes.steps */
    uint32_t compared;     /**< number of steps whose two routes both have a build */
    uint32_t same;         /**< number of steps whose two routes have the same engine */
    uint32_t timed;        /**< number of steps whose two routes both have a time */
    double least, most;    /**< the smallest and the largest fsd_route_step.ms of the
                                `timed` steps */
    uint32_t shown;        /**< the step that reports show: a step from the base if
                                there is one, else the first step with both builds, else
                                the first step */
};

enum fsd_kept_by {
    FSD_KEPT_NONE,   /**< no route with fewer changed knobs keeps the gain */
    FSD_KEPT_ENGINE, /**< route `kept` has the same engine as route `best` */
    FSD_KEPT_TIME,   /**< route `kept` has the time of route `best`, within the noise */
    FSD__KEPT_BY_COUNT
};

struct fsd_routes {
    struct fsd_arena *arena;
    struct fsd_intern *names;        /**< the names and values of knobs */
    const struct fsd_tuning *tuning; /**< the search from which the routes come; NULL if
                                          there is none */
    uint32_t n;
    struct fsd_route *routes;
    FSD_VEC(struct fsd_knob) knobs;
    FSD_VEC(struct fsd_route_engine) engines;
    struct fsd_engine_change **changes;       /**< indexed by from * engines.n + to;
                                                   NULL if not computed yet */
    FSD_VEC(struct fsd_route_step) steps;     /**< sorted by knob, then by new value */
    FSD_VEC(struct fsd_route_effect) effects; /**< the largest gain first */
    uint32_t base;   /**< the route with which the others are compared */
    uint32_t best;   /**< the fastest route; FSD_NONE if fewer than two routes have
                          usable times, or if the base has no time */
    double noise;    /**< the largest difference between the times of routes with the
                          same engine, in milliseconds; negative if unknown */
    uint32_t kept;   /**< the route with the fewest changed knobs that keeps the gain of
                          `best`; FSD_NONE if there is no gain */
    uint8_t kept_by; /**< enum fsd_kept_by */
    uint32_t aside;  /**< number of measured routes that cannot be `best` because of
                          their loss */
};

/** @param in     `n` routes, at least 1, which must outlive the result.
 *  @param usual  the value of each knob in routes that do not state it.  Of the routes
 *          that did not fail, the base is the one with the fewest values that differ
 *          from `usual`.
 *  @param tuning the search from which the routes come, which must outlive the result;
 *          NULL if there is none. */
struct fsd_routes *fsd_routes_new(struct fsd_intern *names,
                                  const struct fsd_route_in *in, uint32_t n,
                                  const fsd_settings *usual,
                                  const struct fsd_tuning *tuning);
void fsd_routes_free(struct fsd_routes *r); /**< `r` may be NULL.  Does not free the
                                                 states */

/** Parses settings such as "-a=on -b=2" or "a=on,b=2", and appends them to `out`.
 *  Skips words without "=". */
void fsd_settings_parse(struct fsd_arena *arena, struct fsd_intern *names,
                        const char *text, fsd_settings *out);

/** The differences between two builds in the blocks of one pattern. */
struct fsd_block_change {
    const char *pattern;
    uint32_t blocks;       /**< number of blocks whose layers are known in both
                                builds */
    uint32_t lost, gained; /**< `lost`: number of these blocks that only the first build
                                computes in a single layer.  `gained`: the same for the
                                second build */
};
typedef FSD_VEC(struct fsd_block_change) fsd_block_changes;
fsd_block_changes fsd_route_block_changes(struct fsd_arena *arena,
                                          const struct fsd_routes *r, uint32_t from,
                                          uint32_t to);

/** Returns `to` minus `from`, in milliseconds, rounded to 1e-9 ms so that rounding
 *  errors do not count as differences. */
double fsd_route_ms_between(double from, double to);

const char *fsd_kept_by_name(unsigned value); /**< such as "engine" */
