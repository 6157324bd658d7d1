/* Open sizes of the network, from the builder's list of layers. */
#ifndef FSD_LOG_SIZES_H
#define FSD_LOG_SIZES_H

#include "base/file.h"
#include "model/graph.h"
#include "model/history.h"

/** Names the open sizes of the network's inputs, and says from which of these the other
 *  tensors' follow.
 *  @param g its nodes are those of h->parsed_build, in the parser's order. */
void fsd_log_sizes(struct fsd_graph *g, const struct fsd_history *h,
                   const struct fsd_file *file);

#endif
