/* Regions of a comparison that changed in the same way. */
#pragma once

#include "change/compare/compare.h"

/** Indexed by place in fsd_compare.order. */
struct fsd_alike {
    uint32_t *first; /**< the first place whose region changed in the same way */
    uint32_t *next;  /**< the next such place; FSD_NONE */
};

/** Both arrays are in `arena`.  A region that is like no other has itself as first, and
 *  no next. */
struct fsd_alike fsd_regions_alike(const struct fsd_compare *c,
                                   struct fsd_arena *arena);
