/* The operations of a generated kernel, derived from its name and type. */
#ifndef FSD_TRT_KERNEL_H
#define FSD_TRT_KERNEL_H

#include "model/ops/ids.h"
#include "model/graph/graph.h"

/** Fills the steps of a generated kernel, and its kind if all of them only move data.
 *  Its other facts must be filled already. */
void fsd_trt_kernel(struct fsd_graph *g, const struct fsd_node *node,
                    struct fsd_layer *layer);

#endif
