/* What the parts of a comparison share.  Only compare*.c. */
#ifndef FSD_COMPARE_COMPARE_BUILD_H
#define FSD_COMPARE_COMPARE_BUILD_H

#include "compare/compare.h"

/* The steps, in their order. */
void fsd_compare_regions(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_nodes(struct fsd_compare *c);
void fsd_compare_edges(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_moves(struct fsd_compare *c, struct fsd_arena *scratch);
void fsd_compare_ports(struct fsd_compare *c);
void fsd_compare_times(struct fsd_compare *c);
void fsd_compare_sum(struct fsd_compare *c); /**< counts, order, what differs */

/** The region that a move belongs to: that of the first node it serves, else of the
 *  first it comes from; FSD_NONE. */
fsd_id fsd_compare_region_of_move(const struct fsd_compare *c, bool new, fsd_id move);

#endif
