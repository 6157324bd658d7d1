/*
 * Measured times of an engine's layers.  Each profile has one time per layer; with
 * several profiles of one engine a layer has the median, so that a disturbed run does
 * not count, and the lowest and the highest beside it.
 */
#ifndef FSD_PROFILE_MEASURED_H
#define FSD_PROFILE_MEASURED_H

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/profile.h"

/** Everything is in milliseconds of one run. */
struct fsd_measured {
    uint32_t profiles; /**< how many were given; 0: nothing else is known */
    uint64_t runs;     /**< of all profiles together; 0: unknown */
    const struct fsd_spread
        *of;                  /**< by layer, over the profiles; negative: not known */
    double **profile_ms;      /**< by profile, by layer; negative: not known */
    double total;             /**< of all entries, each the median of its profiles */
    struct fsd_spread totals; /**< of each profile's own sum */
    double elsewhere;         /**< of entries that are no layer of the engine */
    double medians;  /**< the sum of the medians that a profile states beside the means,
                         where it is much smaller: outliers are in the means; 0 */
    double outlying; /**< then of the worst layer: its mean, as a multiple of its
                           median, */
    fsd_id outlier;  /**< and that layer */
    uint32_t entries, joined; /**< of the first profile, and those that are layers, or
                                   run in one */
    struct fsd_spread run;    /**< end to end, as fsd_spread_robust() of --times */
    uint32_t timed_runs;
};

/** Which layer each entry of a profile is. */
struct fsd_join {
    fsd_id *layer_of;          /**< by entry: FSD_NONE: none */
    uint32_t joined, by_place; /**< all; those of another name, by their place */
    uint32_t inside;           /**< not among these: what runs in a layer's body */
};

/** Whether an entry has a layer. */
static inline bool fsd_join_has(const struct fsd_join *join, uint32_t entry)
{
    return join->layer_of[entry] != FSD_NONE;
}

/** Joins by name: the layer at the entry's own place first, then the next of that name,
 *  or of that operator where neither has one and there are as many.  A name with JSON
 *  escapes equals the decoded one; of the rest, a single entry and a single layer
 *  between the same neighbors are joined if one name contains the other. */
struct fsd_join fsd_profile_join(struct fsd_arena *arena,
                                 const struct fsd_graph *engine,
                                 const struct fsd_profile *profile);

/** True when the profile is of this engine: each of its entries is a layer, or each
 *  layer is an entry. */
bool fsd_join_fits(const struct fsd_join *join, const struct fsd_graph *engine,
                   const struct fsd_profile *profile);

/** Fills all but the times of whole runs; what is odd about a profile becomes a remark
 *  of the engine's.
 *  @param profiles each has been found to fit, or is used by force. */
void fsd_measure(struct fsd_measured *out, struct fsd_graph *engine,
                 const struct fsd_profile *profiles, uint32_t n);

#endif
