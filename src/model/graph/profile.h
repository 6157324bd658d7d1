/* A profile: the measured times of an engine's layers, by the names of the layers. */
#pragma once

#include "base/base.h"

/** The times of one layer in one profile. */
struct fsd_profile_entry {
    fsd_sym name; /**< as the input spells it */
    fsd_sym
        unescaped; /**< the name with JSON's escapes decoded; equal to `name` if it has
                        no escapes */
    fsd_sym provider; /**< the execution provider, as the input spells it; 0: unknown */
    fsd_sym sizes;    /**< the sizes of the layer's outputs, "[1,64] []"; 0: not stated,
                           or not the same in all runs */
    uint32_t within;  /**< if the layer ran in the body of another layer: the index of
                           that layer's entry, plus 1; that entry's times include the
                           times in this one.  0: the layer ran in no body */
    double total_ms;  /**< milliseconds of all runs together; negative: unknown, or not
                           a time */
    double mean_ms;   /**< milliseconds of one run; negative: unknown, or not a time */
    double median_ms; /**< milliseconds of one run; negative: unknown, or not a time */
    bool odd;         /**< the entry had an impossible time: negative, NaN, too large */
    bool cut;         /**< the name may be only the beginning of the layer's name */
};

struct fsd_profile {
    const char *path;  /**< as the user gave it */
    uint32_t number;   /**< the number of the profile in its file, from 1 */
    uint64_t runs;     /**< the number of runs; 0: unknown */
    bool runs_unknown; /**< the times are sums over all runs, and the number of runs is
                            unknown */
    bool single_run;   /**< the profile has only one run.  This run counts, although it
                            is a warm-up run */
    bool odd_runs;     /**< the input states an impossible number of runs */
    bool printed;      /**< the times are from log lines that have only a name and a
                            time; such a line need not be about a layer */
    uint32_t nameless; /**< the number of records with a time but no name; they are not
                            in `entries` */
    FSD_VEC(struct fsd_profile_entry) entries;
};

typedef FSD_VEC(struct fsd_profile) fsd_profile_vec;

/** The times of whole runs (inferences).  A run lasts from the start of its first copy
 *  or kernel to the end of its last copy or kernel. */
struct fsd_run_times {
    FSD_VEC(double) ms; /**< milliseconds, one for each run */
    uint32_t odd;       /**< the number of records without a valid time */
};
