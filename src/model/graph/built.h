/*
 * A list of facts about how an engine was built, as stated by its log or dump.  A fact
 * is a key and a value.  The keys below are the same for all builders.  Any other key
 * is an option of the builder that the user set, in the builder's spelling.
 */
#pragma once

#include "base/base.h"

#define FSD_BUILT_VERSION    "version" /**< fsd_graph.producer gets this value */
#define FSD_BUILT_LIBRARY    "library" /**< used if FSD_BUILT_VERSION is missing */
#define FSD_BUILT_LABEL      "label"   /**< the user's name for the build */
#define FSD_BUILT_GPU        "gpu"
#define FSD_BUILT_CAPABILITY "compute capability"
#define FSD_BUILT_KERNELS                                                              \
    "kernels for" /**< the GPU for which the builder's library has kernels */
#define FSD_BUILT_PRECISION   "precision" /**< the types that the builder may use */
#define FSD_BUILT_CALIBRATION "calibration"
#define FSD_BUILT_FLAGS       "flags" /**< a list of all flags that are set */
/** The key of the options of the builder's compiler; the value is like "-a=on -b=2". */
#define FSD_BUILT_ROUTE "build route"
/** The key whose value states how the layer times were measured.  The value is
 *  FSD_MEASURED_HOW; "with" or "without" replaces each %s.  The measurement does not
 *  change the engine. */
#define FSD_BUILT_MEASURED "measured"
#define FSD_MEASURED_HOW   "%s data transfers, %s spin-wait, %s CUDA graph"

struct fsd_built {
    fsd_sym key, value;
};

typedef FSD_VEC(struct fsd_built) fsd_built_vec; /**< a list of facts with distinct
                                                      keys */

/** Returns the value of the key; 0 if the list does not have the key. */
fsd_sym fsd_built_find(const fsd_built_vec *built, const struct fsd_intern *names,
                       const char *key);
/** Removes FSD_BUILT_VERSION and FSD_BUILT_LIBRARY, and sorts the other facts.  Keys
 * that are defined above come first, in the order above.  All other keys follow, sorted
 * by name. */
void fsd_built_sort(fsd_built_vec *built, const struct fsd_intern *names);
/** Whether the key is an option of one builder, and not one of the keys defined
 * above. */
bool fsd_built_is_option(const char *key);
/** Adds the fact at the front, or replaces the fact with the same key. */
void fsd_built_set(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);
/** Adds the fact, unless the list has one with the same key. */
void fsd_built_add(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);
