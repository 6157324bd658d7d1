/* How long the layers of an engine took, according to an input: names and times only.
 */
#ifndef FSD_MODEL_PROFILE_H
#define FSD_MODEL_PROFILE_H

#include "base/base.h"

#include <stdbool.h>

/** The times of one layer in one profile. */
struct fsd_profile_entry {
    fsd_sym name; /**< as it stands there */
    fsd_sym
        unescaped; /**< the same with JSON's escapes decoded; equal if there are none */
    fsd_sym provider; /**< the execution provider, as spelled there; 0: unknown */
    fsd_sym sizes;    /**< of its outputs, if stated and the same in all runs: "[1,64]
                           []"; 0 */
    uint32_t within;  /**< the entry whose time includes this one's, plus 1: that layer
                           ran this in its body; 0 of others */
    double total_ms;  /**< of all runs; negative: unknown, or not a time */
    double mean_ms;   /**< of one run; negative: as above */
    double median_ms; /**< of one run; negative: as above, or not stated */
    bool odd;         /**< it had an impossible time: negative, NaN, too large */
    bool cut;         /**< the name may be the beginning of the layer's */
};

struct fsd_profile {
    const char *path;  /**< as the user gave it */
    uint32_t number;   /**< which of the file's profiles, from 1 */
    uint64_t runs;     /**< 0: unknown */
    bool runs_unknown; /**< times are sums over all runs, whose number is unknown */
    bool single_run;   /**< no warm-up runs could be left out */
    bool odd_runs;     /**< an impossible number of runs was stated */
    bool printed;      /**< by lines that only end with a time, as any may */
    uint32_t nameless; /**< records with a time but no name, which become no entries */
    FSD_VEC(struct fsd_profile_entry) entries;
};

typedef FSD_VEC(struct fsd_profile) fsd_profile_vec;

/** Times of whole runs, one per run. */
struct fsd_run_times {
    FSD_VEC(double) ms; /**< from the start of the first copy or kernel to the end */
    uint32_t odd;       /**< records without a valid time */
};

#endif
