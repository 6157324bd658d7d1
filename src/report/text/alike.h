/* Regions of a comparison that changed in the same way. */
#pragma once

#include "change/compare/compare.h"

/** Links regions that changed in the same way. The number of a region is its index in
 * `order` of struct fsd_compare. Both arrays are indexed by the number of a region, and
 * contain numbers of regions. */
struct fsd_alike {
    uint32_t *first; /**< the first region that changed in the same way */
    uint32_t *next;  /**< the next region that changed in the same way; FSD_NONE:
                          none */
};

/** Both arrays are in `arena`. If a region is unlike all others, `first` is the region
 * itself and `next` is FSD_NONE. */
struct fsd_alike fsd_regions_alike(const struct fsd_compare *c,
                                   struct fsd_arena *arena);
