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
    struct fsd_spread totals;    /**< the spread of the profiles' sums.  The sum of a
                                      profile includes the entries without a layer */
    double elsewhere;            /**< the time of entries that are no layers of the
                                      engine */
    double medians;  /**< the sum of the profile's medians.  Set only if there is one
                          profile, and if outliers make the sum of its means much
                          larger; otherwise 0 */
    double outlying; /**< if `medians` is not 0: the mean of the worst layer, divided by
                          its median */
    fsd_id outlier;  /**< if `medians` is not 0: the number of the worst layer */
    uint32_t entries, joined; /**< `entries`: the number of entries in the first
                                   profile; `joined`: the number of these entries that
                                   are a layer or run in the body of a layer */
    struct fsd_spread run;    /**< the spread of the times of whole runs, from --times;
                                   see fsd_spread_robust() */
    uint32_t timed_runs;
};

/** The result of joining the entries of a profile to the layers of an engine. */
struct fsd_join {
    fsd_id *layer_of;          /**< indexed by entry: its layer; FSD_NONE: it has
                                    none */
    uint32_t joined, by_place; /**< `joined`: the number of entries that are a layer;
                                    `by_place`: the number of these entries that were
                                    joined by their position, because their name differs
                                    from the layer's */
    uint32_t inside;           /**< the number of entries that run in the body of a
                                    layer; `joined` does not include them */
};

/** Whether an entry has a layer. */
static inline bool fsd_join_has(const struct fsd_join *join, uint32_t entry)
{
    return join->layer_of[entry] != FSD_NONE;
}

/** Finds the layer of each entry, in these steps:
 *  1. The layer at the entry's own position, if the names are equal.
 *  2. The first layer with the same name that has no entry yet.  In steps 1 and 2, a
 *     name with JSON escapes equals the decoded name.
 *  3. For an entry such as "Gemm_12": a layer of the type Gemm without a name.  These
 *     entries and layers are joined in order, if there are as many of both.
 *  4. The only layer without an entry between the layers of the previous and the next
 *     entry.  Its name must contain the entry's name, or the reverse.
 *  5. For an entry with a truncated name: a layer whose name begins with this name.
 *  6. For an entry that ran in the body of another entry's layer: this layer. */
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
