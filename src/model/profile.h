/* How long the layers of an engine took, as an input tells it: names and times only. */
#ifndef FSD_MODEL_PROFILE_H
#define FSD_MODEL_PROFILE_H

#include "base/intern.h"
#include "base/vec.h"

#include <stdbool.h>

/** What one profile says of one layer. */
struct fsd_profile_entry {
    fsd_sym name; /**< as it stands there */
    fsd_sym
        unescaped; /**< the same, read as JSON does; equal where there are no escapes */
    fsd_sym provider; /**< who ran it, as it stands there; 0: not told */
    fsd_sym sizes;    /**< of its outputs, where they are told and the same in all runs:
                           "[1,64] []"; 0 */
    uint32_t within;  /**< the entry whose time has this one's in it, plus 1: that layer
                           ran this in its body; 0 of others */
    double total_ms;  /**< of all runs; negative: not told, or no time at all */
    double mean_ms;   /**< of one run; negative: as above */
    bool odd; /**< a time was there and cannot be one: negative, NaN, beyond measure */
};

struct fsd_profile {
    const char *path;  /**< as the user gave it */
    uint32_t number;   /**< which of the file's profiles, from 1 */
    uint64_t runs;     /**< 0: not told */
    bool runs_unknown; /**< times are of all runs together, and nobody says how many */
    bool single_run;   /**< nothing that only warmed up could be set aside */
    bool odd_runs;     /**< they were told, and cannot be a number of runs */
    uint32_t nameless; /**< records with a time and no name: they are no entries */
    FSD_VEC(struct fsd_profile_entry) entries;
};

typedef FSD_VEC(struct fsd_profile) fsd_profile_vec;

/** Times of whole runs, one a run. */
struct fsd_run_times {
    FSD_VEC(double) ms; /**< from the start of the first copy or kernel to the end */
    uint32_t odd;       /**< records without a sound time */
};

#endif
