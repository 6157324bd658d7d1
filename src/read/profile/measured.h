/*
 * Measured times of an engine's layers.  Each profile has one time per layer; with
 * several profiles of one engine, a layer has the median of them, which ignores a
 * disturbed run, and the lowest and highest time.
 */
#pragma once

#include "base/base.h"
#include "model/graph/profile.h"

struct fsd_graph;

/** All times are milliseconds of one run. */
struct fsd_measured {
    uint32_t profiles; /**< number of profiles; 0: nothing else is known */
    uint64_t runs;     /**< number of runs in all profiles together; 0: unknown */
    const struct fsd_spread *of; /**< indexed by layer, over the profiles; negative:
                                   unknown */
    double **profile_ms;         /**< indexed by profile, then by layer; negative:
                                   unknown */
    double total;                /**< the sum of the layers' medians and of
                                      `elsewhere` */
    struct fsd_spread totals;    /**< over the profiles: the sum of each profile */
    double elsewhere;            /**< the time of entries that are not layers of the
                                   engine */
    double medians;  /**< the sum of the medians that a profile states, if the sum of
                          its means is much larger, because the means contain outliers;
                          else 0 */
    double outlying; /**< if `medians` is not 0: the mean of the worst layer, as a
                          multiple of its median, */
    fsd_id outlier;  /**< and the number of that layer */
    uint32_t entries, joined; /**< number of entries of the first profile, and how many
                                   of them are layers or run in one */
    struct fsd_spread run;    /**< the times of whole runs, from --times; see
                                   fsd_spread_robust() */
    uint32_t timed_runs;
};

/** The layer of each entry of a profile. */
struct fsd_join {
    fsd_id *layer_of;          /**< indexed by entry; FSD_NONE: none */
    uint32_t joined, by_place; /**< number of joined entries, and of entries that have
                                    another name than the layer and were joined by
                                    position */
    uint32_t inside;           /**< number of entries that run in a layer's body; not in
                                    the counts above */
};

/** Whether an entry has a layer. */
static inline bool fsd_join_has(const struct fsd_join *join, uint32_t entry)
{
    return join->layer_of[entry] != FSD_NONE;
}

/** Joins by name: first the layer at the entry's own position, then the next layer of
 *  that name; if neither has a name, by operator if there are as many of both.  A name
 *  with JSON escapes equals the decoded one.  Of the rest, a single entry and a single
 *  layer between the same neighbors are joined if one name contains the other. */
struct fsd_join fsd_profile_join(struct fsd_arena *arena,
                                 const struct fsd_graph *engine,
                                 const struct fsd_profile *profile);

/** Whether the profile is of this engine: each entry is a layer, or each layer is an
 *  entry. */
bool fsd_join_fits(const struct fsd_join *join, const struct fsd_graph *engine,
                   const struct fsd_profile *profile);

/** Fills all fields except the times of whole runs; oddities of a profile become
 *  remarks of the engine.
 *  @param profiles each fits the engine, or the user forces its use */
void fsd_measure(struct fsd_measured *out, struct fsd_graph *engine,
                 const struct fsd_profile *profiles, uint32_t n);
