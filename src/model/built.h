/*
 * How an engine was built, as far as somebody tells: facts by their keys.  Some keys
 * are every builder's and stand here; the rest are options, spelled as the builder
 * spells them, and only those that were set.
 */
#ifndef FSD_MODEL_BUILT_H
#define FSD_MODEL_BUILT_H

#include "base/intern.h"
#include "base/vec.h"

#include <stdbool.h>

#define FSD_BUILT_VERSION    "version" /**< becomes the engine's producer */
#define FSD_BUILT_LIBRARY    "library" /**< the same, where none names itself */
#define FSD_BUILT_LABEL      "label"   /**< by the user: what the build is for */
#define FSD_BUILT_GPU        "gpu"
#define FSD_BUILT_CAPABILITY "compute capability"
#define FSD_BUILT_KERNELS                                                              \
    "kernels for" /**< the GPU that the builder's library has them for */
#define FSD_BUILT_PRECISION   "precision" /**< types that the builder may choose */
#define FSD_BUILT_CALIBRATION "calibration"
#define FSD_BUILT_FLAGS       "flags" /**< all that are set, as a list */
/** How its times were taken, which makes no other engine: FSD_MEASURED_HOW with "with"
 *  or "without" for each. */
#define FSD_BUILT_MEASURED "measured"
#define FSD_MEASURED_HOW   "%s data transfers, %s spin-wait, %s CUDA graph"

struct fsd_built {
    fsd_sym key, value;
};

typedef FSD_VEC(struct fsd_built) fsd_built_vec; /**< each key once */

/** What stands under the key; 0: nothing is told. */
fsd_sym fsd_built_find(const fsd_built_vec *built, const struct fsd_intern *names,
                       const char *key);
/** Puts every builder's keys first, in the order above, and leaves versions out. */
void fsd_built_sort(fsd_built_vec *built, const struct fsd_intern *names);
/** True of a builder's own option. */
bool fsd_built_is_option(const char *key);
/** Adds the fact first, or puts it in the place of what stands under its key. */
void fsd_built_set(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);
/** Adds the fact, unless something stands under its key. */
void fsd_built_add(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact);

#endif
