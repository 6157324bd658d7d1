/*
 * The measured times of an engine's layers.  A profile has one time for each layer.  If
 * an engine has several profiles, the median, the lowest and the highest time of each
 * layer are stored.  A single disturbed run hardly changes the median.
 */
#pragma once

#include "base/base.h"
#include "model/graph/profile.h"

struct fsd_graph;

/** The measured times.  All times are milliseconds of one run. */
struct fsd_measured {
    uint32_t profiles; /**< the number of profiles; 0: no other member is known */
    uint64_t runs;     /**< the number of runs in all profiles together; 0: unknown */
    const struct fsd_spread *of; /**< indexed by layer: the spread of its times over the
                                      profiles; negative: unknown */
    double **profile_ms;         /**< indexed by profile, then by layer: the time;
                                      negative: unknown */
    double total;                /**< the sum of the layers' medians and of
                                      `elsewhere` */
    struct fsd_spread totals;    /**< the spread, over the profiles, of the sum of all
                                      times in a profile */
    double elsewhere;            /**< the time of entries that are no layers of the
                                      engine */
    double medians;  /**< the sum of the medians that a profile states, if outliers make
                          the sum of its means much larger; else 0 */
    double outlying; /**< if `medians` is not 0: the mean of the worst layer, divided by
                          its median */
    fsd_id outlier;  /**< if `medians` is not 0: the number of the worst layer */
    uint32_t entries, joined; /**< the number of entries in the first profile, and of
                                   those that are layers or run in the body of a
                                   layer */
    struct fsd_spread run;    /**< the spread of the times of whole runs, from --times;
                                   see fsd_spread_robust() */
    uint32_t timed_runs;
};

/** The layer of each entry of a profile. */
struct fsd_join {
    fsd_id *layer_of;          /**< indexed by entry: its layer; FSD_NONE: it has
                                    none */
    uint32_t joined, by_place; /**< the number of entries with a layer, and of those
                                    that have another name than the layer and were
                                    joined by their position */
    uint32_t inside;           /**< the number of entries that run in the body of a
                                    layer, which `joined` and `by_place` do not count */
};

/** Whether an entry has a layer. */
static inline bool fsd_join_has(const struct fsd_join *join, uint32_t entry)
{
    return join->layer_of[entry] != FSD_NONE;
}

/** Finds the layer of each entry.  First, an entry is joined to the layer at its own
 *  position if both have the same name, else to the next layer with the same name.  A
 *  name with JSON escapes equals the decoded name.  Then, layers without names are
 *  joined to the entries that are named after an operator and a number, if an operator
 *  has as many layers as entries.  Last, an entry and a layer that are alone
 *  between the same neighbors are joined if one name contains the other. */
struct fsd_join fsd_profile_join(struct fsd_arena *arena,
                                 const struct fsd_graph *engine,
                                 const struct fsd_profile *profile);

/** Whether the profile is of this engine: each entry has a layer, or each layer has an
 *  entry. */
bool fsd_join_fits(const struct fsd_join *join, const struct fsd_graph *engine,
                   const struct fsd_profile *profile);

/** Fills all members of `out` except the times of whole runs.  Problems of a profile
 *  become remarks of the engine.
 *  @param profiles  each must fit the engine, unless the user forces its use */
void fsd_measure(struct fsd_measured *out, struct fsd_graph *engine,
                 const struct fsd_profile *profiles, uint32_t n);
