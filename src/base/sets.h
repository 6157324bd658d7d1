/* Disjoint sets of ids (union-find): an array that leads from each id to its set. */
#ifndef FSD_BASE_SETS_H
#define FSD_BASE_SETS_H

#include "base/arena.h"
#include "base/id.h"

/** n sets of one id each. */
fsd_id *fsd_sets_new(struct fsd_arena *arena, uint32_t n);

/** The set's smallest id. */
fsd_id fsd_sets_find(fsd_id *sets, fsd_id i);

void fsd_sets_join(fsd_id *sets, fsd_id a, fsd_id b);

#endif
