/*
 * One network, built by several routes. A route is one set of values of the build's
 * options ("knobs"). Two routes that differ in one knob are a step, and the change in a
 * step is the effect of that knob there:
 *
 *     route      a    b      ms  engine
 *     0          on   1    1.20  first         the base
 *     1          off  1    1.60  second        a=off: splits 3 fusions, +0.40 ms
 *     2          on   2    1.20  first         b=2: nothing
 *
 * Routes whose builds a comparison cannot distinguish share an engine. Each pair of
 * engines is compared at most once.  All states must outlive the routes.
 */
#pragma once

#include "change/compare/compare.h"
#include "model/graph/tuning.h"

enum { FSD_MOST_ROUTES = 4096, FSD_MOST_KNOBS = 1024 };

/** A value of a knob, as a cache, a log or a name states it. */
struct fsd_setting {
    fsd_sym knob, value;
    bool found; /**< read from the build, not set by the user.  Not a separate knob if a
                     knob that the user set determines its value */
};
typedef FSD_VEC(struct fsd_setting) fsd_settings;

/** A block of the model that engines are expected to compute as one kernel
 *  (pattern/). */
struct fsd_route_block {
    const char *pattern; /**< "attention" */
    fsd_sym anchor;      /**< name of the block's last node */
    bool known, whole;   /**< known: it is known which layers compute the block; whole:
                              one layer computes it */
};
typedef FSD_VEC(struct fsd_route_block) fsd_route_blocks;

/** The inputs for one route. */
struct fsd_route_in {
    const char *name;              /**< "3", "A" */
    const char *path;              /**< path of its build; NULL: none */
    const struct fsd_state *state; /**< NULL: the build is missing */
    fsd_settings settings;
    fsd_route_blocks blocks; /**< blocks of the state; empty if patterns are not
                                  known */
    double ms;               /**< negative: not measured */
    double loss;             /**< loss of accuracy; negative: not stated */
    bool failed;             /**< the build or the run failed */
    const char *error;       /**< the reason; NULL: not stated */
    const char *unlike;      /**< how the time was measured, if it is left out because
                                  other times were measured differently; else NULL */
};

struct fsd_knob {
    fsd_sym name;
    fsd_sym usual; /**< the value for routes that do not state one; 0: unknown */
    bool found;    /**< fsd_setting.found holds in all routes */
    bool varies;   /**< routes are known to have different values of it */
    bool follows;  /**< its value follows from another knob that was set, so it is not
                        counted */
};

struct fsd_route {
    const struct fsd_route_in *in;
    fsd_sym *values; /**< indexed by knob; 0: unknown */
    fsd_sym *stated; /**< the values, including those of knobs that follow from
                          others */
    uint32_t engine; /**< index of its engine; FSD_NONE: the build is missing */
    uint32_t apart;  /**< number of knobs whose value is not known to equal the
                          base's */
};

/** Routes whose builds show no difference in a comparison. */
struct fsd_route_engine {
    uint32_t first; /**< its first route */
    uint32_t routes;
};

/** The result of comparing two engines, in counts. */
struct fsd_engine_change {
    struct fsd_compare *compare;
    bool same;    /**< no difference, and no fact is missing */
    bool tactics; /**< the difference is only in tactics */
    bool open;    /**< one build states less than the other */
    uint32_t split, joined, regrouped, unclear; /**< regions */
    uint32_t added, gone;     /**< regions that only one of the builds computes in
                                   layers */
    uint32_t kernels;         /**< regions with the same fusion but different kernels */
    uint32_t wider, narrower; /**< regions with higher, or lower, precision */
    int32_t layers;           /**< difference in the number of layers */
    int32_t inserted;         /**< difference in the number of data-movement layers */
};

/** Two routes that differ only in one knob. */
struct fsd_route_step {
    uint32_t knob, from, to; /**< `from` has the base's value of the knob, or is the
                                  earlier route */
    const struct fsd_engine_change *change; /**< NULL: a build is missing */
    double ms;                              /**< time of `to` minus time of `from`; NaN:
                                                 unknown */
};

/** All steps that change a knob from one value to another. */
struct fsd_route_effect {
    uint32_t knob;
    fsd_sym before, after;
    struct fsd_span steps; /**< in fsd_routes.steps */
    uint32_t compared;     /**< number of steps with both builds */
    uint32_t same;         /**< number of steps that change nothing */
    uint32_t timed;        /**< number of steps with both times */
    double least, most;    /**< least and most milliseconds that a step of `timed`
                                adds */
    uint32_t shown;        /**< the representative step: the step from the base, else
                                the first that was compared, else the first */
};

enum fsd_kept_by {
    FSD_KEPT_NONE,   /**< no route with fewer knobs was built */
    FSD_KEPT_ENGINE, /**< the same engine as the best route */
    FSD_KEPT_TIME,   /**< the same time as the best route, within the noise */
    FSD__KEPT_BY_COUNT
};

struct fsd_routes {
    struct fsd_arena *arena;
    struct fsd_intern *names;        /**< names of knobs and values */
    const struct fsd_tuning *tuning; /**< the search that the routes come from; NULL:
                                          none */
    uint32_t n;
    struct fsd_route *routes;
    FSD_VEC(struct fsd_knob) knobs;
    FSD_VEC(struct fsd_route_engine) engines;
    struct fsd_engine_change **changes;       /**< engines.n * engines.n; NULL: not
                                                   requested yet */
    FSD_VEC(struct fsd_route_step) steps;     /**< by knob, before, after */
    FSD_VEC(struct fsd_route_effect) effects; /**< largest gain first */
    uint32_t base;   /**< the route that all others are compared with */
    uint32_t best;   /**< the fastest route; FSD_NONE: fewer than two routes have times,
                          or the base has none */
    double noise;    /**< ms: the largest difference between times of one engine;
                          negative: unknown */
    uint32_t kept;   /**< the route with the fewest changed knobs that keeps the gain of
                          the best one; FSD_NONE: there is no gain */
    uint8_t kept_by; /**< enum fsd_kept_by */
    uint32_t aside;  /**< number of measured routes that are excluded because of their
                          loss */
};

/** @param in     `n` routes, at least 1; borrowed.
 *  @param usual  values of knobs that routes do not state. A route with all of them is
 *          the base.
 *  @param tuning the search that the routes are iterations of, borrowed; NULL: none. */
struct fsd_routes *fsd_routes_new(struct fsd_intern *names,
                                  const struct fsd_route_in *in, uint32_t n,
                                  const fsd_settings *usual,
                                  const struct fsd_tuning *tuning);
void fsd_routes_free(struct fsd_routes *r); /**< may be NULL; frees no state */

/** Parses "-a=on -b=2" or "a=on,b=2". */
void fsd_settings_parse(struct fsd_arena *arena, struct fsd_intern *names,
                        const char *text, fsd_settings *out);

/** The blocks of one pattern in two builds. */
struct fsd_block_change {
    const char *pattern;
    uint32_t blocks;       /**< blocks that both builds have, and of which both state
                                the layers */
    uint32_t lost, gained; /**< blocks that are whole in only one of the builds */
};
typedef FSD_VEC(struct fsd_block_change) fsd_block_changes;
fsd_block_changes fsd_route_block_changes(struct fsd_arena *arena,
                                          const struct fsd_routes *r, uint32_t from,
                                          uint32_t to);

/** The difference in milliseconds, rounded to 1e-9 ms to remove rounding errors. */
double fsd_route_ms_between(double from, double to);

const char *fsd_kept_by_name(unsigned value); /**< "engine", etc. */
