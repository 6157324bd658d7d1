/* Declares the functions that the files of this folder share.  Only this folder
 * includes this file. */
#pragma once

#include "change/routes/routes.h"

/** Sets the engine of each route, and the list of engines. */
void fsd_route_engines_find(struct fsd_routes *r);
/** The differences of engine `to` from engine `from`; NULL if `from` or `to` is
 *  FSD_NONE.  The first call for a pair of engines computes the differences. */
const struct fsd_engine_change *fsd_route_change(struct fsd_routes *r, uint32_t from,
                                                 uint32_t to);
void fsd_route_changes_free(struct fsd_routes *r);

/** Sets `noise`, `best`, `kept`, `kept_by` and `aside`.
 *  @param most_loss the highest loss of accuracy that `best` may have; negative if
 *          there is no limit. */
void fsd_route_best_find(struct fsd_routes *r, double most_loss);
