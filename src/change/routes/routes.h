/*
 * One network, built by several routes: sets of options ("knobs"), of which each build
 * has its values.  Two routes that differ in one knob are a step, and what a step
 * changes is what that knob does there:
 *
 *     route      a    b      ms  engine
 *     0          on   1    1.20  first         the base
 *     1          off  1    1.60  second        a=off: splits 3 fusions, +0.40 ms
 *     2          on   2    1.20  first         b=2: nothing
 *
 * Routes whose builds a comparison cannot distinguish have one engine; engines are
 * compared, each pair once.  All states must outlive the routes.
 */
#ifndef FSD_ROUTES_ROUTES_H
#define FSD_ROUTES_ROUTES_H

#include "change/compare/compare.h"
#include "model/graph/tuning.h"

enum { FSD_MOST_ROUTES = 4096, FSD_MOST_KNOBS = 1024 };

/** A value of a knob, as a cache, a log or a name states it. */
struct fsd_setting {
    fsd_sym knob, value;
    bool found; /**< it was not set: it was read from the build.  No knob of its own
                     where one that was set shows which value it has */
};
typedef FSD_VEC(struct fsd_setting) fsd_settings;

/** A block of the model that engines are expected to compute whole (pattern/). */
struct fsd_route_block {
    const char *pattern; /**< "attention" */
    fsd_sym anchor;      /**< name of the node that ends it */
    bool known, whole;   /**< it is known which layers compute it; one does */
};
typedef FSD_VEC(struct fsd_route_block) fsd_route_blocks;

/** What is given of a route. */
struct fsd_route_in {
    const char *name;              /**< "3", "A" */
    const char *path;              /**< of its build; NULL: none */
    const struct fsd_state *state; /**< NULL: no build is there to look at */
    fsd_settings settings;
    fsd_route_blocks blocks; /**< of the state; empty where patterns are not known */
    double ms;               /**< negative: not measured */
    double loss;             /**< of accuracy; negative: not stated */
    bool failed;             /**< nothing was built or run */
    const char *error;       /**< why; NULL: not stated */
    const char *unlike;      /**< how it was measured, where its time is left out since
                                  others were measured otherwise; NULL */
};

struct fsd_knob {
    fsd_sym name;
    fsd_sym usual; /**< the value of a route that does not state one; 0: not known */
    bool found;    /**< as fsd_setting.found, of all routes */
    bool varies;   /**< routes are known to have several values of it */
    bool follows;  /**< it varies with another knob that was set, and is not counted */
};

struct fsd_route {
    const struct fsd_route_in *in;
    fsd_sym *values; /**< by knob; 0: not known */
    fsd_sym *stated; /**< the same, also of knobs that follow others */
    uint32_t engine; /**< number of its engine; FSD_NONE: no build is there */
    uint32_t apart;  /**< knobs in which it is not known to be as the base */
};

/** Routes of which no comparison shows a difference. */
struct fsd_route_engine {
    uint32_t first; /**< route */
    uint32_t routes;
};

/** What a comparison of two engines says, in counts. */
struct fsd_engine_change {
    struct fsd_compare *compare;
    bool same;    /**< it shows no difference, and nothing is open */
    bool tactics; /**< of tactics alone */
    bool open;    /**< a build states less than the other */
    uint32_t split, joined, regrouped, unclear; /**< regions */
    uint32_t added, gone;     /**< regions that layers of one build alone compute */
    uint32_t kernels;         /**< regions with the same fusion, other kernels */
    uint32_t wider, narrower; /**< regions, by precision */
    int32_t layers;           /**< more, or fewer */
    int32_t inserted;         /**< data-movement layers more, or fewer */
};

/** Two routes that differ in one knob. */
struct fsd_route_step {
    uint32_t knob, from, to; /**< `from` is as the base, or else earlier */
    const struct fsd_engine_change *change; /**< NULL: a build is missing */
    double ms;                              /**< more, of `to`; NaN: not known */
};

/** All steps of a knob from one value to another. */
struct fsd_route_effect {
    uint32_t knob;
    fsd_sym before, after;
    struct fsd_span steps; /**< in fsd_routes.steps */
    uint32_t compared;     /**< steps of which both builds are there */
    uint32_t same;         /**< of these, those that change nothing */
    uint32_t timed;        /**< steps with both times */
    double least, most;    /**< ms more; of `timed` */
    uint32_t shown;        /**< the step that stands for all: the one from the base,
                                else the first that was compared, else the first */
};

enum fsd_kept_by {
    FSD_KEPT_NONE,   /**< no route with fewer knobs was built */
    FSD_KEPT_ENGINE, /**< its engine is that of the best route */
    FSD_KEPT_TIME,   /**< its time is that of the best route, within the noise */
    FSD__KEPT_BY_COUNT
};

struct fsd_routes {
    struct fsd_arena *arena;
    struct fsd_intern *names;        /**< of knobs and values */
    const struct fsd_tuning *tuning; /**< the search that they are of; NULL: none */
    uint32_t n;
    struct fsd_route *routes;
    FSD_VEC(struct fsd_knob) knobs;
    FSD_VEC(struct fsd_route_engine) engines;
    struct fsd_engine_change **changes;   /**< engines.n * engines.n; NULL: not asked */
    FSD_VEC(struct fsd_route_step) steps; /**< by knob, value before, value after */
    FSD_VEC(struct fsd_route_effect) effects; /**< the greatest gain first */
    uint32_t base;   /**< route that the others are held against */
    uint32_t best;   /**< with the least time; FSD_NONE: no two times to choose from */
    double noise;    /**< ms: the most by which times of one engine differ; negative:
                         not known */
    uint32_t kept;   /**< route with the smallest set of knobs that keeps the gain of
                         the best one; FSD_NONE: there is no gain */
    uint8_t kept_by; /**< enum fsd_kept_by */
    uint32_t aside;  /**< measured routes that are set aside for their loss */
};

/** @param in    `n` of them, at least 1; borrowed.
 *  @param usual  values of knobs that routes do not state, and of the base where a
 *                route has all of them.
 *  @param tuning the search that they are iterations of, borrowed; NULL: none. */
struct fsd_routes *fsd_routes_new(struct fsd_intern *names,
                                  const struct fsd_route_in *in, uint32_t n,
                                  const fsd_settings *usual,
                                  const struct fsd_tuning *tuning);
void fsd_routes_free(struct fsd_routes *r); /**< may be NULL; frees no state */

/** Takes "-a=on -b=2" or "a=on,b=2" apart. */
void fsd_settings_parse(struct fsd_arena *arena, struct fsd_intern *names,
                        const char *text, fsd_settings *out);

/** Blocks of a pattern in two builds. */
struct fsd_block_change {
    const char *pattern;
    uint32_t blocks;       /**< that both builds have, and of which both know */
    uint32_t lost, gained; /**< whole in the one and not in the other */
};
typedef FSD_VEC(struct fsd_block_change) fsd_block_changes;
fsd_block_changes fsd_route_block_changes(struct fsd_arena *arena,
                                          const struct fsd_routes *r, uint32_t from,
                                          uint32_t to);

/** To a millionth of a microsecond: the rest is how numbers are held. */
double fsd_route_ms_between(double from, double to);

const char *fsd_kept_by_name(unsigned value); /**< "engine", ... */

#endif
