/* The times of an engine's layers according to an input: names and times only. */
#pragma once

#include "base/base.h"

/** The times of one layer in one profile. */
struct fsd_profile_entry {
    fsd_sym name; /**< as the input spells it */
    fsd_sym
        unescaped; /**< likewise with JSON's escapes decoded; equal to `name` if there
                        are none */
    fsd_sym provider; /**< the execution provider, as the input spells it; 0: unknown */
    fsd_sym sizes;    /**< the sizes of the layer's outputs, if stated and the same in
                           all runs: "[1,64] []"; 0: unknown */
    uint32_t within;  /**< the entry whose time includes this one's, plus 1: that layer
                           ran this one in its body; 0: none */
    double total_ms;  /**< over all runs; negative: unknown, or not a time */
    double mean_ms;   /**< of one run; negative: likewise */
    double median_ms; /**< of one run; negative: unknown, not a time, or not stated */
    bool odd;         /**< the entry had an impossible time: negative, NaN, too large */
    bool cut;         /**< the name may be only the beginning of the layer's name */
};

struct fsd_profile {
    const char *path;  /**< as the user gave it */
    uint32_t number;   /**< number of the profile in its file, from 1 */
    uint64_t runs;     /**< 0: unknown */
    bool runs_unknown; /**< times are sums over all runs, whose number is unknown */
    bool single_run;   /**< there is only one run, so no warm-up runs could be left
                            out */
    bool odd_runs;     /**< the input states an impossible number of runs */
    bool printed;      /**< the times are from lines that only end with a time, as any
                            line may */
    uint32_t nameless; /**< number of records with a time but no name; they become no
                            entries */
    FSD_VEC(struct fsd_profile_entry) entries;
};

typedef FSD_VEC(struct fsd_profile) fsd_profile_vec;

/** Times of whole runs, one per run. */
struct fsd_run_times {
    FSD_VEC(double) ms; /**< from the start of the first copy or kernel to the end */
    uint32_t odd;       /**< number of records without a valid time */
};
