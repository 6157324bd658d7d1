/*
 * How an engine was built, as far as its log or dump states it: facts with keys.  The
 * keys that are listed here are the same for all builders; any other key is an option
 * that was set, spelled as the builder spells it.
 */
#pragma once

#include "base/base.h"

#define FSD_BUILT_VERSION    "version" /**< becomes the engine's producer */
#define FSD_BUILT_LIBRARY    "library" /**< likewise, if there is no version */
#define FSD_BUILT_LABEL      "label"   /**< set by the user: the purpose of the build */
#define FSD_BUILT_GPU        "gpu"
#define FSD_BUILT_CAPABILITY "compute capability"
#define FSD_BUILT_KERNELS                                                              \
    "kernels for" /**< the GPU that the builder's library has kernels for */
#define FSD_BUILT_PRECISION   "precision" /**< types that the builder may use */
#define FSD_BUILT_CALIBRATION "calibration"
#define FSD_BUILT_FLAGS       "flags" /**< list of all flags that are set */
/** Options of the builder's compiler, "-a=on -b=2". */
#define FSD_BUILT_ROUTE "build route"
/** How the layer times were measured, which does not change the engine:
 *  FSD_MEASURED_HOW with "with" or "without" for each option. */
#define FSD_BUILT_MEASURED "measured"
#define FSD_MEASURED_HOW   "%s data transfers, %s spin-wait, %s CUDA graph"

struct fsd_built {
    fsd_sym key, value;
};

typedef FSD_VEC(struct fsd_built) fsd_built_vec; /**< contains each key once */

/** The value of the key; 0: unknown. */
fsd_sym fsd_built_find(const fsd_built_vec *built, const struct fsd_intern *names,
                       const char *key);
/** Puts the keys that are listed above first, in that order, and removes versions. */
void fsd_built_sort(fsd_built_vec *built, const struct fsd_intern *names);
/** Whether the key is a builder's own option. */
bool fsd_built_is_option(const char *key);
/** Adds the fact at the front, or replaces the fact with the same key. */
void fsd_built_set(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);
/** Adds the fact, unless the list has one with the same key. */
void fsd_built_add(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);
