/* Declarations that only the files of routes share. */
#pragma once

#include "change/routes/routes.h"

/** Sets the engine of each route, and the list of engines. */
void fsd_route_engines_find(struct fsd_routes *r);
/** How engine `to` differs from engine `from`; compared at the first request. */
const struct fsd_engine_change *fsd_route_change(struct fsd_routes *r, uint32_t from,
                                                 uint32_t to);
void fsd_route_changes_free(struct fsd_routes *r);

/** Sets the noise, the best route, and the smallest route that keeps its gain. */
void fsd_route_best_find(struct fsd_routes *r, double most_loss);
